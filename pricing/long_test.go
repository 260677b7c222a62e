package pricing

import "testing"

// Quotients at the edge of a word, and a ratio half way between two float64 but
// for its last bit, which random numbers do not meet.
func TestWideEdges(t *testing.T) {
	bit := func(n int) long { return long{1}.shift(n) }
	for _, tt := range []struct {
		name string
		w, x long
		q    uint64
		ok   bool
	}{
		{"2⁶⁴ by the machine", long{0, 5}, long{5}, 0, false},
		{"2⁶⁴ - 1 by the machine", bit(69).minus(bit(5)), bit(5), 1<<64 - 1, true},
		{"2⁶⁴ by long division", bit(129), bit(65), 0, false},
		{"2⁶⁴ - 1 by long division", bit(129).minus(long{1}), bit(65), 1<<64 - 1, true},
		{"2⁶³ by long division", bit(129), bit(66).minus(long{1}), 1 << 63, true},
		{"less than one", bit(129), bit(130), 0, true},
	} {
		q, rest, ok := tt.w.over(tt.x)
		if ok != tt.ok || ok && (q != tt.q || product(1, q).by(tt.x).plus(rest) != tt.w) {
			t.Errorf("%s: %d rest %v, %v, want %d, %v", tt.name, q, rest, ok, tt.q, tt.ok)
		}
	}
	for _, n := range []int{66, 130} { // (2ⁿ - 1)/2ⁿ⁻⁶⁴ rounds up to 2⁶⁴, which wraps to 0
		if m, ok := bit(n).minus(long{1}).money(bit(n-64), Up); ok {
			t.Errorf("2⁶⁴ nanos are %d", m)
		}
	}
	// (2³³ - 1)(2³³ + 1)/4, the same in mulDiv.
	if m, err := Money(1<<33-1).Prorate(1<<33+1, 4, Up); err == nil {
		t.Errorf("2⁶⁴ nanos are %d", m)
	}
	const ulp = 1. / (1 << 53)
	half := bit(190).plus(bit(190 - 53))
	if got := half.ratio(bit(191)); got != .5 {
		t.Errorf("1/2 + 2⁻⁵⁴ rounds to %v, want the even 1/2", got)
	}
	if got, want := half.plus(long{1}).ratio(bit(191)), .5+ulp; got != want {
		t.Errorf("1/2 + 2⁻⁵⁴ + 2⁻¹⁹¹ rounds to %v, want %v", got, want)
	}
}
