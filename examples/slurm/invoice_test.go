//go:build unix

package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/journal"
	"github.com/plimsoll/plimsoll/examples/slurm/internal/manager"
	"github.com/plimsoll/plimsoll/pricing"
)

// writeJournal writes a journal whose two instances ran for an hour and more, a year ago.
func writeJournal(t *testing.T, entries ...manager.Entry) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "journal")
	j, err := journal.Open(name, func([]byte) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	origin := time.Now().Add(-365 * 24 * time.Hour)
	all := []manager.Entry{{Kind: manager.Began, Begin: &manager.Begin{Cluster: "c", Origin: origin, Hour: time.Hour}}}
	for _, token := range []string{"c-1", "c-2"} {
		all = append(all, manager.Entry{Kind: manager.Asking, Token: token, Node: "n" + token},
			manager.Entry{Kind: manager.Rented, Token: token, ID: token, Created: origin},
			manager.Entry{Kind: manager.Gone, Token: token, Ended: origin.Add(50 * time.Minute)})
	}
	for _, e := range append(all, entries...) {
		if err := j.Append(e); err != nil {
			t.Fatal(err)
		}
	}
	return name
}

// By hand: two hours at $2.40. User 7 uses 40 minutes of both instances, user 9 and a user
// who is not known 10 minutes of one each: 80, 10 and 10 of 100 instance-minutes. Alone,
// with boots of 5 minutes, they pay for 2, 1 and 1 hours.
func TestInvoice(t *testing.T) {
	const m = time.Minute
	name := writeJournal(t,
		manager.Entry{Kind: manager.Ran, Job: 3, Use: &manager.Use{User: 7, Nodes: 2, Start: 0, End: 40 * m}},
		manager.Entry{Kind: manager.Ran, Job: 4, Use: &manager.Use{User: 9, Nodes: 1, Start: 40 * m, End: 50 * m}},
		manager.Entry{Kind: manager.Ran, Job: 5, Use: &manager.Use{User: -1, Nodes: 1, Start: 40 * m, End: 50 * m}})
	do := func(args ...string) (string, int) {
		var out, err bytes.Buffer
		status := run(context.Background(), append([]string{"invoice"}, args...), &out, &err)
		return out.String() + err.String(), status
	}
	want := "user,jobs,instance_hours,pays,alone,saved_by_use,saved_by_shapley,standard_error,pays_by_shapley\n" +
		"7,1,1.333333,3.84,4.8,0,0,0,3.84\n9,1,0.166667,0.48,2.4,0,0,0,0.48\nunknown,1,0.166667,0.48,2.4,0,0,0,0.48\n"
	if got, status := do("-journal", name, "-csv"); got != want || status != 0 {
		t.Errorf("%d: %s", status, got)
	}
	got, status := do("-journal", name)
	for _, want := range []string{"2 leases, 2 hours charged, $4.80 on demand.\n", "\nUsers of the cluster: 3 users pay $4.80 by use; 3 less than alone, 0 more.\nNobody pays more than alone. The nearest is user 7, $3.84 instead of $4.80\n  (20.0% less).\n"} {
		if !strings.Contains(got, want) || status != 0 {
			t.Errorf("%d: want %q:\n%s", status, want, got)
		}
	}
	if got, status := do("-journal", name, "-json"); !strings.Contains(got, `"user":"unknown","jobs":1,"instance_hours":0.166667,"pays":0.48,`) || status != 0 {
		t.Errorf("%d: %s", status, got)
	}
	if got, status := do("-journal", writeJournal(t)); !strings.Contains(got, "No job has ended yet: the bill is nobody's.\n") || status != 0 {
		t.Errorf("%d: %s", status, got)
	}
	bought := writeJournal(t, manager.Entry{Kind: manager.Week, Demand: make([]int, 168), Bought: []pricing.Purchase{{Slot: 168, Class: 0, Count: 1}}},
		manager.Entry{Kind: manager.Ran, Job: 3, Use: &manager.Use{User: 7, Nodes: 2, Start: 0, End: 40 * m}})
	if got, status := do("-journal", bought); !strings.Contains(got, "with the reservations that were decided on, 1 of ") || status != 0 {
		t.Errorf("%d: %s", status, got)
	}
	none := filepath.Join(t.TempDir(), "none.json")
	os.WriteFile(none, []byte(`{"on_demand": 1, "classes": []}`), 0o600)
	other := filepath.Join(t.TempDir(), "other")
	os.WriteFile(other, []byte("this is no journal\n"), 0o600)
	for want, args := range map[string][]string{
		"no -journal: want a file":             nil,
		"-boot -1s: want a time of at least 0": {"-journal", name, "-boot", "-1s"},
		"-json and -csv: want one of them":     {"-journal", name, "-json", "-csv"},
		"line 1 is not an entry":               {"-journal", other},
		"no such file":                         {"-journal", other + "2"},
		"want the prices of elasticd":          {"-journal", bought, "-classes", none},
		"-boot":                                {"-boot", "x"},
	} {
		if got, status := do(args...); !strings.Contains(got, want) || status != 2 {
			t.Errorf("%v: %d, want %q: %s", args, status, want, got)
		}
	}
	if got, status := do("-h"); got != invoiceUsage || status != 0 {
		t.Errorf("-h: %d, %s", status, got)
	}
}
