package rules

import (
	"errors"
	"testing"

	"github.com/plimsoll/plimsoll/reserve"
)

// A rule for a term whose slots fill the memory is refused before memory is taken.
func TestRulesOfHugeTerms(t *testing.T) {
	o := reserve.Offer{Price: 2, Use: 1, Fee: 3, Term: maxTerm + 1}
	for name, r := range map[string]rule{"rho": new(RHO), "robust": new(Robust), "wang": new(Wang), "history": new(History)} {
		if err := r.Reset(o); !errors.Is(err, reserve.ErrTerm) {
			t.Errorf("%s: %v", name, err)
		}
	}
	// So is a window: the first slot of each forecast is in the window of the paper's rule.
	for _, rule := range []RHORule{Printed, Mended, Deferred} {
		r := RHO{Rule: rule, Window: 1 << 30, FirstSlot: true}
		if err := r.Reset(reserve.Offer{Price: 2, Use: 1, Fee: 3, Term: 5}); !errors.Is(err, reserve.ErrRange) {
			t.Errorf("a window of 2³⁰ slots: %v", err)
		}
	}
}
