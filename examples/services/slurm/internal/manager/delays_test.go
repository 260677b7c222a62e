package manager

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/examples/internal/clock"
	"github.com/plimsoll/plimsoll/pricing"
)

// By hand: two boots of 4 and 6 minutes. One instance is given back at minute 58 of its hour and
// ends in the next, 4 minutes later; the other ends 2 minutes later, in the hour that is paid. A
// third has ended by itself before it is given back.
func TestDelays(t *testing.T) {
	origin := time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
	minute := func(n int) time.Duration { return time.Duration(n) * time.Minute }
	at := func(n int) time.Time { return origin.Add(minute(n)) }
	m := &Manager{o: Options{Meter: pricing.EC2Hourly}, state: newState(), clock: clock.New(origin, time.Hour)}
	for _, e := range []Entry{
		{Kind: Began, Begin: &Begin{Cluster: "c", Origin: origin, Hour: time.Hour}},
		{Kind: Asking, Token: "a", Node: "n1", At: 0},
		{Kind: Rented, Token: "a", ID: "a", Created: at(0)},
		{Kind: Up, Token: "a", At: minute(4)},
		{Kind: Asking, Token: "b", Node: "n2", At: minute(10)},
		{Kind: Rented, Token: "b", ID: "b", Created: at(10)},
		{Kind: Up, Token: "b", At: minute(16)},
		{Kind: Asking, Token: "c", Node: "n3", At: minute(10)},
		{Kind: Rented, Token: "c", ID: "c", Created: at(10)},
		{Kind: Leaving, Token: "b", At: minute(40)},
		{Kind: Gone, Token: "b", Ended: at(42)},
		{Kind: Leaving, Token: "c", At: minute(50)},
		{Kind: Gone, Token: "c", Ended: at(45)},
		{Kind: Leaving, Token: "a", At: minute(58)},
		{Kind: Gone, Token: "a", Ended: at(62)},
	} {
		if err := m.state.apply(&e); err != nil {
			t.Fatal(err)
		}
	}
	want := Delays{Boot: Sample{2, minute(5), minute(1)}, Release: Sample{2, minute(3), minute(1)}, Late: 1}
	if diff := cmp.Diff(want, m.Delays()); diff != "" || want.Boot.String() != "5m0s±1m0s" {
		t.Errorf("%v (-want +got)\n%s", want.Boot, diff)
	}
}

// Spans that are all equal do not deviate, by more than a nanosecond of rounding, also where their number
// does not divide them.
func TestEqualSpansDoNotDeviate(t *testing.T) {
	if s := newSample([]time.Duration{time.Hour + 1, time.Hour + 1, time.Hour + 1}); s.Deviation > 1 || time.Hour-s.Mean > 3 {
		t.Errorf("%+v", s)
	}
}
