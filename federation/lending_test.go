package federation

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/pricing"
)

// lendAt is the price of a factor times F/τ, whatever is idle.
func lendAt(factor float64) []PricePoint { return []PricePoint{{0, factor}} }

// The price is that of what is idle when a part is booked, slot by slot: by hand.
func TestLendingByHand(t *testing.T) {
	centres := []Centre{
		{Reserved: []int{0, 0, 0}, OnDemand: 100, Fee: 30, Term: 3},
		{Reserved: []int{4, 2, 2}, OnDemand: 100, Fee: 30, Term: 3},
	}
	// F/τ is 10, and 4 of 4 idle cost as much, 2 three times that, and 1 four times.
	asked := []PricePoint{{.25, 4}, {1, 1}}
	tasks := []Task{{ID: 1, Home: 0, Start: 0, End: 3, Instances: 1}, {ID: 2, Home: 0, Start: 0, End: 3, Instances: 1}}
	got, err := Share(nil, centres, tasks, Options{Lending: asked})
	if err != nil {
		t.Fatal(err)
	}
	want := []Booking{
		{Task: 1, Home: 0, Centre: 1, Start: 0, End: 1, Reserved: 1, Lease: 10},
		{Task: 1, Home: 0, Centre: 1, Start: 1, End: 3, Reserved: 1, Lease: 60},
		{Task: 2, Home: 0, Centre: 1, Start: 0, End: 1, Reserved: 1, Lease: 20},
		{Task: 2, Home: 0, Centre: 1, Start: 1, End: 3, Reserved: 1, Lease: 80},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// Prices that cannot be used are refused with a sentence, and the run before goes on.
func TestLendingRefused(t *testing.T) {
	centres := []Centre{{Reserved: []int{3}, OnDemand: 10, Fee: 9, Term: 3}, {Reserved: []int{2}, OnDemand: 10, Fee: 9, Term: 3}}
	var s Sharer
	if err := s.Reset(centres, Options{Lending: lendAt(4. / 3)}); err != nil {
		t.Fatal(err)
	}
	dear := []Centre{{Reserved: []int{3}, OnDemand: 10, Fee: math.MaxInt64 / 8, Term: 3}, {Reserved: []int{2}, OnDemand: 10, Fee: 9, Term: 3}}
	large := []Centre{{Reserved: []int{maxAsked}, OnDemand: 1, Term: 1}, {Reserved: []int{1}, OnDemand: 1, Term: 1}}
	for _, refused := range [][]Centre{dear, large} {
		o := Options{Lending: lendAt(4)}
		if err := s.Reset(refused, o); !errors.Is(err, ErrOverflow) || !strings.Contains(err.Error(), "Options.Lending") {
			t.Error(err)
		}
	}
	got, err := s.Add(nil, Task{ID: 1, Home: 1, Start: 0, End: 1, Instances: 4})
	if err != nil || len(got) != 2 || got[0].Lease != 8 {
		t.Error("after refusals:", got, err)
	}
	for _, c := range []struct {
		points []PricePoint
		want   error
		field  string
	}{
		{[]PricePoint{{-.1, 1}}, ErrRange, "Options.Lending.Idle"},
		{[]PricePoint{{math.NaN(), 1}}, ErrRange, "Options.Lending.Idle"},
		{[]PricePoint{{0, -1}}, ErrRange, "Options.Lending.Factor"},
		{[]PricePoint{{0, 1}, {0, 1}}, ErrOrder, "Options.Lending.Idle"},
		{[]PricePoint{{0, 1}, {1, 1.5}}, ErrRising, "Options.Lending.Factor"},
	} {
		err := s.Reset(centres, Options{Lending: c.points})
		var in *pricing.InputError
		if !errors.Is(err, c.want) || !errors.As(err, &in) || in.Field != c.field || !strings.Contains(err.Error(), ": want") {
			t.Errorf("%v: %v, want %v", c.points, err, c.want)
		}
	}
}

// Between points the price is linear, and before and after them constant.
func TestLendingPrice(t *testing.T) {
	points := []PricePoint{{.2, 2}, {.6, 1}, {.8, 0}}
	for idle, want := range map[int]pricing.Money{1: 200, 2: 200, 4: 150, 6: 100, 7: 50, 8: 0, 10: 0} {
		if got := lendingPrice(points, 100, idle, 10); got != want {
			t.Errorf("%d of 10 idle: %d, want %d", idle, got, want)
		}
	}
}
