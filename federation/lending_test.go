package federation

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/plimsoll/plimsoll/internal/seeded"
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
		for name, err := range map[string]error{
			"Reset":             s.Reset(refused, o),
			"AppendTemptations": func() error { _, err := AppendTemptations(nil, refused, nil, o, 0); return err }(),
		} {
			if !errors.Is(err, ErrOverflow) || !strings.Contains(err.Error(), "Options.Lending") {
				t.Errorf("%s: %v", name, err)
			}
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

// The counterexample of TestOverReserving is found at F/τ, and a price of 0 tempts
// nobody; a reservation that pays off alone is none.
func TestTemptations(t *testing.T) {
	centres := []Centre{
		{Reserved: make([]int, 9), OnDemand: 10, Fee: 30, Term: 3, Traffic: 1},
		{Reserved: []int{1, 1, 1, 1, 1, 1, 1, 1, 1}, OnDemand: 10, Fee: 9, Term: 3, Traffic: 1000},
	}
	tasks := []Task{{ID: 9, Home: 0, Start: 1, End: 8, Instances: 1, Disk: 40e9}}
	for k, s := range [][2]int{{0, 1}, {3, 6}, {8, 9}} {
		tasks = append(tasks, Task{ID: k, Home: 1, Start: s[0], End: s[1], Instances: 1})
	}
	exactly(centres, tasks)
	// A term from slot 3 makes the stretch whole and sells 7 slots at 3. A term from 2 or
	// 4 leaves one slot on demand, 6·3 + 10 + 40 < 70, and sells 6.
	bridges := []Temptation{{1, 3, 9, 12}, {1, 2, 9, 9}, {1, 4, 9, 9}}
	for _, c := range []struct {
		o    Options
		want []Temptation
	}{
		{Options{}, bridges},
		{Options{Lending: lendAt(1)}, bridges},
		{Options{Price: Unpaid}, nil},
		{Options{Lending: lendAt(0)}, nil},
		// Scarce instances at twice F/τ: the stretch costs 4·6 + 3·6 + 40 > 70.
		{Options{Lending: lendAt(2)}, nil},
	} {
		got, err := AppendTemptations(nil, centres, tasks, c.o, 0)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("%+v: %s", c.o, d)
		}
	}
	// Every second trial: slot 3 of centre 1 is trial 12, slots 2 and 4 are 11 and 13.
	if got, err := AppendTemptations(nil, centres, tasks, Options{}, 9); err != nil || !cmp.Equal(got, bridges[:1]) {
		t.Error(got, err)
	}
}

// A temptation is what it says: with the reservation the centre pays less by Gain, fee
// and all, and alone it would not.
func TestPropTemptations(t *testing.T) {
	found := 0
	check(t, func(t *rapid.T) {
		centres := drawCentres(t, true)
		tasks := drawTasks(t, centres)
		exactly(centres, tasks)
		o := drawOptions(t)
		o.Order = ByDelay
		got, err := AppendTemptations(nil, centres, tasks, o, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range got {
			found++
			for _, alone := range []bool{false, true} {
				o := o
				if alone {
					o.Order = Alone
				}
				before, err := Share(nil, centres, tasks, o)
				if err != nil {
					t.Fatal(err)
				}
				more := clone(centres)
				for s := x.Start; s < min(x.Start+centres[x.Centre].Term, len(more[0].Reserved)); s++ {
					more[x.Centre].Reserved[s]++
				}
				after, err := Share(nil, more, tasks, o)
				if err != nil {
					t.Fatal(err)
				}
				gain := costsOf(len(centres), before)[x.Centre] - costsOf(len(centres), after)[x.Centre] - centres[x.Centre].Fee
				if !alone && (gain != x.Gain || gain <= 0) || alone && (-gain != x.Alone || gain > 0) {
					t.Fatalf("%+v: alone %v, gain %v", x, alone, gain)
				}
			}
		}
	})
	if found < 20 {
		seeded.TooFew(t, "%d temptations", found)
	}
}
