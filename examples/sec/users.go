package main

import (
	"cmp"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strconv"

	"github.com/plimsoll/plimsoll/examples/internal/decimal"
	"github.com/plimsoll/plimsoll/examples/internal/table"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/schedule/sim"
	"github.com/plimsoll/plimsoll/schedule/sim/bills"
)

// charged divides the bill of the run that is picked among the users ([Niu16] section 3).
// It is the pure cost: what is left of the terms is nobody's yet.
func (runs *modeRuns) charged() (*bills.Statement, error) {
	r := runs.picked()
	u := bills.Usage{
		Jobs: runs.log.jobs, Starts: r.Starts, Bill: r.pure, OnDemand: r.Result.Cost,
		Prices: runs.prices, Meter: pricing.EC2Hourly, Boot: sim.MeasuredBoot,
	}
	if runs.o.overhead {
		u.Boot = sim.MeasuredBootAndConfiguration
	}
	s, err := new(bills.Divider).Divide(u, bills.Options{Rand: rand.New(rand.NewPCG(1, streamUsers))})
	return &s, err
}

func (runs *modeRuns) writeUsers(w io.Writer) error {
	line := []byte("user,jobs,instance_hours,pays,alone,saved_by_use,saved_by_shapley,standard_error,pays_by_shapley\n")
	for i := range runs.users.Accounts {
		a := &runs.users.Accounts[i]
		line = append(append(line, a.Name()...), ',')
		line = append(strconv.AppendInt(line, int64(a.Jobs), 10), ',')
		line = append(line, decimal.Fixed(a.Hours, 6)...)
		for _, m := range [...]pricing.Money{a.Pays, a.Alone, a.SavedByUse, a.SavedByShapley, a.StdErr, a.PaysByShapley()} {
			line = append(append(line, ','), m.String()...)
		}
		if _, err := w.Write(append(line, '\n')); err != nil {
			return err
		}
		line = line[:0]
	}
	return nil
}

// namedUsers is how many users who pay more than alone the text names; -users has all.
const namedUsers = 5

// usersText says who pays less than alone, and who pays more.
func (runs *modeRuns) usersText(w *table.Page) {
	s := runs.users
	mode := runs.picked().mode
	bill := pricing.Money(0)
	var more []*bills.Account
	for i := range s.Accounts {
		a := &s.Accounts[i]
		bill += a.Pays
		if a.More() {
			more = append(more, a)
		}
	}
	over := func(a *bills.Account) float64 { return a.Pays.Float64()/a.Alone.Float64() - 1 }
	slices.SortStableFunc(more, func(a, b *bills.Account) int { return cmp.Compare(over(b), over(a)) })
	w.Sayf("Users of %v: %s pay $%s by use; %s less than alone, %s more.", mode, decimal.Count(len(s.Accounts), "user"),
		decimal.Grouped(bill.Fixed(2)), decimal.Int(s.Less()), decimal.Int(len(more)))
	switch worst := s.Worst(); {
	case len(more) > 0:
		text := "More than alone: "
		for i, a := range more[:min(len(more), namedUsers)] {
			if i > 0 {
				text += "; "
			}
			text += fmt.Sprintf("user %s, $%s instead of $%s (+%s)", a.Name(), decimal.Grouped(a.Pays.Fixed(2)), decimal.Grouped(a.Alone.Fixed(2)), percent(over(a)))
		}
		if n := len(more) - namedUsers; n > 0 {
			text += fmt.Sprintf("; and %s more", decimal.Int(n))
		}
		w.Sayf("%s. Their jobs fill the hours that they would pay for alone better than the cluster does.", text)
	default:
		a := &s.Accounts[worst]
		w.Sayf("Nobody pays more than alone. The nearest is user %s, $%s instead of $%s (%s less).",
			a.Name(), decimal.Grouped(a.Pays.Fixed(2)), decimal.Grouped(a.Alone.Fixed(2)), percent(-over(a)))
	}
	if s.Saved != 0 {
		text := fmt.Sprintf("Reservations save $%s. By use or by the Shapley value", decimal.Grouped(s.Saved.Fixed(2)))
		gain, loss := &s.Accounts[0], &s.Accounts[0]
		for i := range s.Accounts {
			a := &s.Accounts[i]
			if d := a.SavedByShapley - a.SavedByUse; d > gain.SavedByShapley-gain.SavedByUse {
				gain = a
			} else if d < loss.SavedByShapley-loss.SavedByUse {
				loss = a
			}
		}
		share := func(a *bills.Account) string {
			text := fmt.Sprintf("user %s has $%s or $%s", a.Name(), decimal.Grouped(a.SavedByUse.Fixed(0)), decimal.Grouped(a.SavedByShapley.Fixed(0)))
			if s.Sampled {
				text += fmt.Sprintf(" (standard error %s)", decimal.Grouped(a.StdErr.Fixed(0)))
			}
			return text
		}
		text += fmt.Sprintf(", %s and %s of it.", share(gain), share(loss))
		if s.Sampled {
			text += fmt.Sprintf(" The Shapley value is sampled, from %d pairs of orders, since there are more than %d users.", bills.DefaultPairs, bills.MaxExact)
		}
		w.Sayf("%s", text)
	}
	w.Printf("\n")
}
