package reserve

import (
	"errors"
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/pricing"
)

// By hand: a year of 8,760 hours has 52 weeks and a rest of 24 hours. A class that is always billed at
// 3 nanos an hour charges 72 nanos more for the rest, and a class that is billed by use nothing.
func TestWholeTerms(t *testing.T) {
	const week = 7 * 24 * time.Hour
	year := 8760 * time.Hour
	list := pricing.List{OnDemand: 10, Classes: []pricing.Class{
		{Name: "always", Term: year, Upfront: 1000, Hourly: 3, Billed: pricing.Always},
		{Name: "used", Term: year, Upfront: 1000, Hourly: 3, Billed: pricing.WhenUsed},
		{Name: "whole", Term: 2 * week, Upfront: 1000, Hourly: 3, Billed: pricing.Always},
		{Name: "half an hour", Term: week + 30*time.Minute, Upfront: 1000, Hourly: 3, Billed: pricing.Always}, // 1.5 nanos
	}}
	before := pricing.List{OnDemand: list.OnDemand, Classes: append([]pricing.Class(nil), list.Classes...)}
	want := pricing.List{OnDemand: 10, Classes: []pricing.Class{
		{Name: "always", Term: 52 * week, Upfront: 1072, Hourly: 3, Billed: pricing.Always},
		{Name: "used", Term: 52 * week, Upfront: 1000, Hourly: 3, Billed: pricing.WhenUsed},
		{Name: "whole", Term: 2 * week, Upfront: 1000, Hourly: 3, Billed: pricing.Always},
		{Name: "half an hour", Term: week, Upfront: 1002, Hourly: 3, Billed: pricing.Always},
	}}
	got, err := WholeTerms(list, week)
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v\n%s", err, diff)
	}
	if diff := cmp.Diff(before, list); diff != "" {
		t.Errorf("the list has changed:\n%s", diff)
	}

	dear := pricing.Class{Term: year, Upfront: math.MaxInt64 - 71, Hourly: 3, Billed: pricing.Always}
	for name, c := range map[string]struct {
		class pricing.Class
		slot  time.Duration
		want  error
	}{
		"no slot":         {list.Classes[0], 0, ErrRange},
		"negative slot":   {list.Classes[0], -1, ErrRange},
		"a term too few":  {list.Classes[0], year + 1, ErrTerm},
		"a nano too dear": {dear, week, ErrOverflow},
	} {
		t.Run(name, func(t *testing.T) {
			var at *InputError
			if _, err := WholeTerms(pricing.List{Classes: []pricing.Class{c.class}}, c.slot); !errors.Is(err, c.want) || !errors.As(err, &at) {
				t.Errorf("%v, want %v", err, c.want)
			}
		})
	}
	dear.Upfront--
	if got, err := WholeTerms(pricing.List{Classes: []pricing.Class{dear}}, week); err != nil || got.Classes[0].Upfront != math.MaxInt64 {
		t.Errorf("%v, %v", got, err)
	}
}
