package userbill_test

import (
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/examples/internal/programtest"
	"github.com/plimsoll/plimsoll/examples/internal/table"
	"github.com/plimsoll/plimsoll/examples/internal/userbill"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/schedule/sim/bills"
)

// account is one of a user who pays p and would pay a alone, in whole dollars.
func account(user int, p, a, byUse, byShapley pricing.Money) bills.Account {
	return bills.Account{User: user, Jobs: 1, Hours: 1, Pays: p * pricing.Unit, Alone: a * pricing.Unit,
		SavedByUse: byUse * pricing.Unit, SavedByShapley: byShapley * pricing.Unit}
}

func TestSay(t *testing.T) {
	for _, c := range []struct {
		name string
		s    bills.Statement
		want string
	}{
		{"one user, whose savings are nobody else's", bills.Statement{Saved: 5 * pricing.Unit, Accounts: []bills.Account{account(-1, 4, 8, 5, 5)}},
			"Users of x: 1 user pays $4.00 by use; 1 less than alone, 0 more.\nNobody pays more than alone. The nearest is user unknown, $4.00 instead of\n  $8.00 (50.0% less).\n"},
		{"who gains and who loses by Shapley", bills.Statement{Saved: 12 * pricing.Unit, Accounts: []bills.Account{account(1, 4, 8, 6, 9), account(2, 4, 5, 6, 3)}},
			"Reservations save $12.00. By use or by the Shapley value, user 1 has $6 or $9 and\n  user 2 has $6 or $3 of it. By that value 1 user pays more than alone, most of all user 2, $7.00 instead of $5.00: what they use adds little to the savings.\n"},
		{"shares by use and by Shapley that do not differ", bills.Statement{Saved: 12 * pricing.Unit, Accounts: []bills.Account{account(1, 4, 8, 6, 6), account(2, 4, 5, 6, 6)}},
			"Reservations save $12.00. By use or by the Shapley value, each user has the same, such as user 1, $6. By that value nobody pays more than alone.\n"},
		{"the worst first, and five by name", bills.Statement{Accounts: []bills.Account{
			account(1, 3, 2, 0, 0), account(2, 4, 2, 0, 0), account(3, 3, 2, 0, 0), account(4, 3, 2, 0, 0), account(5, 3, 2, 0, 0), account(6, 3, 2, 0, 0), account(7, 1, 2, 0, 0)}},
			"More than alone: user 2, $4.00 instead of $2.00 (+100.0%); user 1, $3.00 instead"},
		{"and the number of the others", bills.Statement{Accounts: []bills.Account{
			account(1, 3, 2, 0, 0), account(2, 4, 2, 0, 0), account(3, 3, 2, 0, 0), account(4, 3, 2, 0, 0), account(5, 3, 2, 0, 0), account(6, 3, 2, 0, 0), account(7, 1, 2, 0, 0)}},
			"and 1 more. Their"},
	} {
		var p table.Page
		userbill.Say(&p, "x", &c.s)
		if got := p.String(); !strings.Contains(strings.ReplaceAll(got, "\n  ", " "), strings.ReplaceAll(c.want, "\n  ", " ")) {
			t.Errorf("%s: want %q:\n%s", c.name, c.want, got)
		}
		if len(c.s.Accounts) == 1 && strings.Contains(p.String(), "Shapley") {
			t.Errorf("a single user shares with nobody:\n%s", p.String())
		}
		if err := userbill.Write(programtest.Broken{}, &c.s); err == nil {
			t.Error("a writer that fails is no error")
		}
	}
}
