//go:build unix

package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/journal"
	"github.com/plimsoll/plimsoll/examples/internal/programtest"
	"github.com/plimsoll/plimsoll/examples/services/slurm/internal/manager"
	"github.com/plimsoll/plimsoll/pricing"
)

// writeJournal writes a journal whose two instances ran for an hour and more, a year ago.
func writeJournal(t *testing.T, entries ...manager.Entry) string {
	t.Helper()
	return writeJournalFrom(t, time.Now().Add(-365*24*time.Hour), entries...)
}

// writeJournalFrom does that with instances that began at a time.
func writeJournalFrom(t *testing.T, origin time.Time, entries ...manager.Entry) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "journal")
	j, err := journal.Open(name, func([]byte) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
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
	for _, want := range []string{"2 leases, 2 hours charged, $4.80 on demand.\n",
		"\nUsers of the cluster: 3 users pay $4.80 by use; 3 less than alone, 0 more.\nNobody pays more than alone. The nearest is user 7, $3.84 instead of $4.80\n  (20.0% less).\n"} {
		if !strings.Contains(got, want) || status != 0 {
			t.Errorf("%d: want %q:\n%s", status, want, got)
		}
	}
	if got, status := do("-journal", name, "-json"); !strings.Contains(got, `"user":"unknown","jobs":1,"instance_hours":0.166667,"pays":"0.48",`) || status != 0 {
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
	const price = 1500 * pricing.Milli
	ofClouds := writeJournal(t, manager.Entry{Kind: manager.Asking, Token: "c-a", Node: "n1", Cloud: "a", Price: price},
		manager.Entry{Kind: manager.Rented, Token: "c-a", ID: "a", Created: time.Now().Add(-99 * time.Hour)},
		manager.Entry{Kind: manager.Gone, Token: "c-a", Ended: time.Now().Add(-98 * time.Hour)})
	if got, status := do("-journal", ofClouds); got != "a: 1 leases, 2 hours charged, $3.00\n$-3.00 of credits left\nnot divided among users: the journal does not say on which cloud's nodes a job ran, and clouds differ in price\n" || status != 0 {
		t.Errorf("%d: %s", status, got)
	}
	for _, flag := range []string{"-json", "-csv"} {
		if got, status := do("-journal", ofClouds, flag); !strings.HasPrefix(got, "slurm: invoice: -json and -csv: the journal is of -policy, ") || status != 2 {
			t.Errorf("%d: %s", status, got)
		}
	}
	if status := run(t.Context(), []string{"invoice", "-journal", ofClouds}, programtest.Broken{}, io.Discard); status != 1 {
		t.Errorf("a writer that fails: status %d", status)
	}
	for _, more := range [][]string{nil, {"-json"}, {"-csv"}} {
		if status := run(t.Context(), append([]string{"invoice", "-journal", name}, more...), programtest.Broken{}, io.Discard); status != 1 {
			t.Errorf("%q, a writer that fails: status %d", more, status)
		}
	}
	none := filepath.Join(t.TempDir(), "none.json")
	os.WriteFile(none, []byte(`{"on_demand": 1, "classes": []}`), 0o600)
	other := filepath.Join(t.TempDir(), "other")
	os.WriteFile(other, []byte("this is no journal\n"), 0o600)
	for want, args := range map[string][]string{
		"no -journal: want a file":             nil,
		"-boot -1s: want a time of at least 0": {"-journal", name, "-boot", "-1s"},
		"-json and -csv: want one of them":     {"-journal", name, "-json", "-csv"},
		"it is no file of this program":        {"-journal", other},
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

// What elasticd says at its end, by hand: two instances for 50 minutes are two hours at $2.40, which one user's job
// used; of a reservation bought at the end of a week for $100 ahead, for 1,000 hours, one hour is used.
func TestElasticdSays(t *testing.T) {
	const m = time.Minute
	_, slurm := slurmSays(t, `{"jobs":[]}`, `{"nodes":[{"name":"n1","state":"down"},{"name":"n2","state":"down"}]}`)
	dir := t.TempDir()
	classes, clouds := filepath.Join(dir, "classes.json"), filepath.Join(dir, "clouds.csv")
	if err := errors.Join(os.WriteFile(classes, []byte(`{"on_demand": 2.4, "classes": [{"name": "r", "upfront": 100, "hourly": 1, "term": "1000h", "billed": "when-used"}]}`), 0o600),
		os.WriteFile(clouds, []byte("name,nodes,price,provider,create,delete,list\na,n1,1.5,exec,false,false,true\nb,n2,0,exec,false,false,true\n"),
			0o600)); err != nil {
		t.Fatal(err)
	}
	origin := time.Now().Add(-170 * time.Hour)
	ran := manager.Entry{Kind: manager.Ran, Job: 3, Use: &manager.Use{User: 7, Nodes: 2, Start: 0, End: 40 * m}}
	week := func(token string) manager.Entry {
		return manager.Entry{Kind: manager.Week, Token: token, Demand: slices.Repeat([]int{1}, 168), Bought: []pricing.Purchase{{Slot: 168, Class: 0, Count: 1}}}
	}
	const plain = "2 leases, 2 hours charged, $4.80 on demand\n"
	const bought = "$104.80 with the reservations that were decided on, 1 of r: $100.00 of it ahead, $99.90 for their unused terms"
	one := plain + "1 user; 0 less than alone; \"invoice -journal JOURNAL\" says what each pays\n"
	exec := "-nodes n[1-2] -provider exec -create false -delete false -list true -classes " + classes
	inCloud := func(all ...manager.Entry) []manager.Entry {
		origin := origin
		for i, c := range []string{"b", "a"} {
			token := "c-x" + c
			all = append(all, manager.Entry{Kind: manager.Asking, Token: token, Node: "n" + string(rune('2'-i)), Cloud: c,
				Price: pricing.Money(i) * 1500 * pricing.Milli, At: 3 * m},
				manager.Entry{Kind: manager.Rented, Token: token, ID: token, Created: origin.Add(4 * m)}, manager.Entry{Kind: manager.Up, Token: token, At: 10 * m},
				manager.Entry{Kind: manager.Leaving, Token: token, At: 50 * m, Reason: "x"},
				manager.Entry{Kind: manager.Gone, Token: token, Ended: origin.Add(time.Duration(52+20*i) * m)})
		}
		return append(all, manager.Entry{Kind: manager.Accrued, Hours: 200, Amount: 50 * pricing.Unit})
	}
	const credits = "2 leases, 3 hours charged, $3.00 on demand\nb: 1 leases, 1 hours charged, $0.00\na: 1 leases, 2 hours charged, $3.00\n" +
		"boots took 7m0s±0s (2), releases 12m0s±10m0s (2), and 1 instance charged again meanwhile; for examples/tools/elastic: boot 7m0s±0s and release 12m0s±10m0s in the file of clouds, -lead as here\n$47.00 of credits left\n"
	for _, c := range []struct {
		name, args, want string
		entries          []manager.Entry
	}{
		{"nobody", exec + " -period 0", plain, nil},
		{"one user", exec + " -period 0", one, []manager.Entry{ran}},
		{"advice", exec, one + bought + "; elasticd has bought none of them\n", []manager.Entry{ran, week("")}},
		{"a buyer that fails", exec + " -buy false", plain + bought + "; 1 of r not bought as yet\n", []manager.Entry{week("c-p")}},
		{"a buyer", exec + " -buy false", plain + bought + "\n", []manager.Entry{week("c-p"), {Kind: manager.Bought, Token: "c-p-0", ID: "i"}}},
		{"clouds", "-policy od -clouds " + clouds, credits, inCloud()},
		{"no delays", "-policy od -clouds " + clouds, "$50.00 of credits left\n", []manager.Entry{{Kind: manager.Accrued, Hours: 200, Amount: 50 * pricing.Unit}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			name := writeJournalFrom(t, origin, c.entries...)
			var out, said bytes.Buffer
			status := run(untilAsked(t, slurm), append([]string{"elasticd", "-journal", name, "-poll", "30ms"}, strings.Fields(c.args)...), &out, &said)
			if want := strings.ReplaceAll(c.want, "JOURNAL", name); status != 0 || out.Len() > 0 || !strings.HasSuffix("\n"+said.String(), "\n"+want) {
				t.Errorf("status %d, %s, want at its end\n%s", status, said.String(), want)
			}
		})
	}
}
