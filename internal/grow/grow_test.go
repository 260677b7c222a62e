package grow_test

import (
	"slices"
	"testing"

	"github.com/plimsoll/plimsoll/internal/grow"
)

func TestGrow(t *testing.T) {
	s := []int{1, 2, 3, 4}
	if got := grow.To(s[:1], 3); len(got) != 3 || &got[0] != &s[0] {
		t.Errorf("To(3) does not use the memory of 4: %v", got)
	}
	if got := grow.To(s, 4); &got[0] != &s[0] {
		t.Errorf("To(4) does not use the memory of 4: %v", got)
	}
	if got := grow.To(s, 5); len(got) != 5 {
		t.Errorf("To(5) has %d elements", len(got))
	}
	if got := grow.Zero(s[:1], 3); !slices.Equal(got, []int{0, 0, 0}) || &got[0] != &s[0] || s[3] != 4 {
		t.Errorf("Zero(3) of 4: %v, and the memory is %v", got, s)
	}
	if got := grow.Zero(s, 6); !slices.Equal(got, make([]int, 6)) {
		t.Errorf("Zero(6): %v", got)
	}
	if got := grow.To([]int(nil), 0); len(got) != 0 {
		t.Errorf("To(nil, 0): %v", got)
	}
}

func TestGrowAllocs(t *testing.T) {
	s := make([]int, 100)
	if n := testing.AllocsPerRun(10, func() { s = grow.Zero(grow.To(s, 7), 100) }); n != 0 {
		t.Errorf("%v allocations within the capacity, want none", n)
	}
}
