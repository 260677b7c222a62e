// Package userbill writes what the users of a cluster pay: a table for machines, and a few
// sentences for people.
package userbill

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/plimsoll/plimsoll/examples/internal/decimal"
	"github.com/plimsoll/plimsoll/examples/internal/jsonrows"
	"github.com/plimsoll/plimsoll/examples/internal/plain"
	"github.com/plimsoll/plimsoll/examples/internal/table"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/schedule/sim/bills"
)

// Write writes a line for each user, below a line of titles.
func Write(w io.Writer, s *bills.Statement) error {
	out := plain.NewCSV(w)
	out.Write("user", "jobs", "instance_hours", "pays", "alone", "saved_by_use", "saved_by_shapley", "standard_error", "pays_by_shapley")
	for i := range s.Accounts {
		a := &s.Accounts[i]
		line := []string{a.Name(), strconv.Itoa(a.Jobs), decimal.Fixed(a.Hours, 6)}
		for _, m := range [...]pricing.Money{a.Pays, a.Alone, a.SavedByUse, a.SavedByShapley, a.StdErr, a.PaysByShapley()} {
			line = append(line, m.String())
		}
		out.Write(line...)
	}
	return out.Flush()
}

// named is how many users who pay more than alone Say names; Write has all.
const named = 5

// Say says who pays less than alone, and who pays more, of a statement with users.
func Say(w *table.Page, cluster string, s *bills.Statement) {
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
	w.Sayf("Users of %s: %s $%s by use; %s less than alone, %s more.", cluster, paying(len(s.Accounts)),
		decimal.Grouped(bill.Fixed(2)), decimal.Int(s.Less()), decimal.Int(len(more)))
	switch worst := s.Worst(); {
	case len(more) > 0:
		text := "More than alone: "
		for i, a := range more[:min(len(more), named)] {
			if i > 0 {
				text += "; "
			}
			text += fmt.Sprintf("user %s, $%s instead of $%s (+%s)", a.Name(), decimal.Grouped(a.Pays.Fixed(2)), decimal.Grouped(a.Alone.Fixed(2)), percent(over(a)))
		}
		if n := len(more) - named; n > 0 {
			text += fmt.Sprintf("; and %s more", decimal.Int(n))
		}
		w.Sayf("%s. Their jobs fill the hours that they would pay for alone better than the cluster does.", text)
	default:
		a := &s.Accounts[worst]
		w.Sayf("Nobody pays more than alone. The nearest is user %s, $%s instead of $%s (%s less).",
			a.Name(), decimal.Grouped(a.Pays.Fixed(2)), decimal.Grouped(a.Alone.Fixed(2)), percent(-over(a)))
	}
	if s.Saved != 0 && len(s.Accounts) > 1 {
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
		if gain == loss {
			text += fmt.Sprintf(", each user has the same, such as user %s, $%s.", gain.Name(), decimal.Grouped(gain.SavedByUse.Fixed(0)))
		} else {
			text += fmt.Sprintf(", %s and %s of it.", share(gain), share(loss))
		}
		if s.Sampled {
			text += fmt.Sprintf(" The Shapley value is sampled, from %d pairs of orders, since there are more than %d users.", bills.Pairs, bills.MaxExact)
		}
		w.Sayf("%s %s", text, byShapley(s))
	}
}

// byShapley says who pays more than alone if the savings go by the Shapley value.
func byShapley(s *bills.Statement) string {
	more, worst := 0, &s.Accounts[0]
	for i := range s.Accounts {
		a := &s.Accounts[i]
		if a.PaysByShapley() > a.Alone {
			more++
		}
		if a.PaysByShapley()-a.Alone > worst.PaysByShapley()-worst.Alone {
			worst = a
		}
	}
	if more == 0 {
		return "By that value nobody pays more than alone."
	}
	return fmt.Sprintf("By that value %s more than alone, most of all user %s, $%s instead of $%s: what they use adds little to the savings.",
		paying(more), worst.Name(), decimal.Grouped(worst.PaysByShapley().Fixed(2)), decimal.Grouped(worst.Alone.Fixed(2)))
}

// paying says that so many users pay.
func paying(n int) string {
	if n == 1 {
		return "1 user pays"
	}
	return decimal.Int(n) + " users pay"
}

func percent(x float64) string { return decimal.Fixed(100*x, 1) + "%" }

// WriteJSON writes an object for each user, with the fields of Write.
func WriteJSON(w io.Writer, s *bills.Statement) error {
	rows := make([]jsonrows.Row, 0, len(s.Accounts))
	for i := range s.Accounts {
		a := &s.Accounts[i]
		rows = append(rows, jsonrows.Row{
			"user", a.Name(), "jobs", a.Jobs, "instance_hours", decimal.Number(a.Hours, 6), "pays", a.Pays, "alone", a.Alone,
			"saved_by_use", a.SavedByUse, "saved_by_shapley", a.SavedByShapley, "standard_error", a.StdErr, "pays_by_shapley", a.PaysByShapley(),
		})
	}
	return jsonrows.Write(w, rows)
}
