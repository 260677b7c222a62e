package reserve

import (
	"errors"
	"testing"
)

// A rule for a term whose slots fill the memory is refused before memory is taken.
func TestRulesOfHugeTerms(t *testing.T) {
	o := Offer{Price: 2, Use: 1, Fee: 3, Term: 1 << 30}
	for name, r := range map[string]Rule{"rho": new(RHO), "robust": new(Robust), "wang": new(Wang), "history": new(History)} {
		if err := r.Reset(o); !errors.Is(err, ErrTerm) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
