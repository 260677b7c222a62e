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

// The table and the rows have what the statement has. By hand: user 7 pays 4 and saves 3 less
// by the Shapley value than by use, so pays 7 by that value.
func TestWrite(t *testing.T) {
	a := account(7, 4, 8, 6, 3)
	a.Jobs, a.Hours, a.StdErr = 12, 2.5, pricing.Unit/4
	s := bills.Statement{Accounts: []bills.Account{a, account(-1, 1, 2, 0, 0)}}
	var b strings.Builder
	if err := userbill.Write(&b, &s); err != nil {
		t.Fatal(err)
	}
	want := "user,jobs,instance_hours,pays,alone,saved_by_use,saved_by_shapley,standard_error,pays_by_shapley\n" +
		"7,12,2.500000,4,8,6,3,0.25,7\n" + "unknown,1,1.000000,1,2,0,0,0,1\n"
	if b.String() != want {
		t.Errorf("want %q, got %q", want, b.String())
	}
	b.Reset()
	if err := userbill.WriteJSON(&b, &s); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(b.String(), `{"user":"7","jobs":12,"instance_hours":2.5,"pays":"4","alone":"8","saved_by_use":"6","saved_by_shapley":"3","standard_error":"0.25","pays_by_shapley":"7"}`) {
		t.Error(b.String())
	}
}

// Sampled values have their standard errors. Of several who pay more by the Shapley value the
// one is named who pays the most more, not the most; who pays as much as alone is none of them.
func TestSayOfShapley(t *testing.T) {
	s := bills.Statement{Sampled: true, Saved: 30 * pricing.Unit, Accounts: []bills.Account{
		account(1, 50, 100, 10, 4), // 56 by Shapley's value, of 100 alone
		account(2, 10, 12, 5, 2),   // 13 of 12
		account(3, 10, 13, 10, 4),  // 16 of 13
		account(4, 5, 6, 1, 0),     // 6 of 6
		account(5, 20, 40, 4, 20),  // 4 of 40, the most gained
	}}
	for i := range s.Accounts {
		s.Accounts[i].StdErr = pricing.Money(i+1) * pricing.Unit
	}
	var p table.Page
	userbill.Say(&p, "x", &s)
	got := strings.Join(strings.Fields(p.String()), " ")
	for _, want := range []string{
		"Users of x: 5 users pay $95.00 by use; 5 less than alone, 0 more.", "user 5 has $4 or $20 (standard error 5) and user 1 has $10 or $4 (standard error 1) of it.",
		"The Shapley value is sampled, from", "2 users pay more than alone, most of all user 3, $16.00 instead of $13.00",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("want %q: %s", want, got)
		}
	}
}
