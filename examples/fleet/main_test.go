package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"

	"github.com/plimsoll/plimsoll/pricing/focus"
	"github.com/plimsoll/plimsoll/pricing/usage"
)

// run runs the program in this process, and returns what the folder of -out holds.
func run(t *testing.T, args ...string) (files map[string]string, stdout string) {
	t.Helper()
	dir := t.TempDir()
	var out, errs bytes.Buffer
	if status := program.Run(append(args, "-out", dir), &out, &errs); status != 0 {
		t.Fatalf("%q: status %d: %s", args, status, errs.String())
	}
	files = map[string]string{}
	paths, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range paths {
		b, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		files[filepath.Base(p)] = string(b)
	}
	return files, out.String()
}

var small = []string{"-curves", "45", "-sample", "15", "-rounds", "3", "-parts", "3"}

// The result is the same on Prism in this process, whatever the bundles, and on Prism as a
// service of another process with workers of two others.
func TestEngines(t *testing.T) {
	want, stdout := run(t, append(small, "-branches", "1", "-format", "csv,parquet,focus")...)
	if !regexp.MustCompile(`(?m)^orders \d+ cost [\d.]+ bound [\d.]+ seconds [\d.]+\n\z`).MatchString(stdout) {
		t.Errorf("the last line of:\n%s", stdout)
	}
	if len(want) != 1+3*5 {
		t.Errorf("%d files, want a summary, and 5 of each part", len(want))
	}
	got, _ := run(t, append(small, "-branches", "4", "-format", "csv,parquet,focus")...)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("with branches (-one +four):\n%s", diff)
	}
	if testing.Short() {
		return
	}
	port := func() string {
		l, err := net.Listen("tcp", "localhost:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		return fmt.Sprint(l.Addr().(*net.TCPAddr).Port)
	}
	serve := func(command string) string {
		p := port()
		c := exec.Command(os.Args[0], command, "-port", p)
		c.Env = append(os.Environ(), asFleet+"=1")
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			c.Process.Kill()
			c.Wait()
		})
		for range 300 {
			if conn, err := net.Dial("tcp", "localhost:"+p); err == nil {
				conn.Close()
				return "localhost:" + p
			}
			time.Sleep(100 * time.Millisecond)
		}
		t.Fatalf("%s does not listen", command)
		return ""
	}
	got, _ = run(t, append(small, "-format", "csv,parquet,focus", "-endpoint", serve("engine"), "-workers", serve("worker")+","+serve("worker"))...)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("with worker processes (-in process +as a service):\n%s", diff)
	}
}

// Parquet and FOCUS have the orders of the CSV.
func TestFormats(t *testing.T) {
	files, stdout := run(t, "-curves", "20", "-sample", "10", "-rounds", "2", "-parts", "1", "-format", "csv,parquet,focus", "-json")
	var object []struct{ Orders, Curves int }
	if err := json.Unmarshal([]byte(stdout), &object); err != nil {
		var one struct{ Orders, Curves int }
		if err := json.Unmarshal([]byte(stdout), &one); err != nil {
			t.Fatalf("%v: %s", err, stdout)
		}
		object = append(object, one)
	}
	lines := strings.Count(files["orders-00000-of-00001.csv"], "\n") - 1
	if lines != object[0].Orders || object[0].Curves != 20 || lines == 0 {
		t.Errorf("%d lines, want %d orders of 20 curves: %d", lines, object[0].Orders, object[0].Curves)
	}
	text := files["orders-00000-of-00001.parquet"]
	f, err := parquet.OpenFile(strings.NewReader(text), int64(len(text)))
	if err != nil || f.NumRows() != int64(lines) {
		t.Errorf("%v, want %d rows", err, lines)
	}
	var c usage.Collector
	if err := focus.Read(&c, "orders", strings.NewReader(files["orders-00000-of-00001.focus.csv"])); err != nil {
		t.Fatal(err)
	}
	bill, err := c.Bill()
	if err != nil || len(bill.Held) != lines {
		t.Errorf("%v, want %d commitments", err, lines)
	}
	rows, err := csv.NewReader(strings.NewReader(files["orders-00000-of-00001.focus.csv"])).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	all := 0 // rows of the savings plan
	for _, column := range []string{"BillingAccountId", "ProviderName", "BillingCurrency"} {
		i := slices.Index(rows[0], column)
		for _, r := range rows[1:] {
			if r[i] == "" {
				t.Fatalf("a row without %s: %q", column, r)
			}
			if r[i] == "all" {
				all++
			}
		}
	}
	if all == 0 {
		t.Error("no row of the savings plan")
	}
}

// A mistake is one sentence and status 2.
func TestMistakes(t *testing.T) {
	l, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go http.Serve(l, nil)
	other := l.Addr().String()
	dir := t.TempDir()
	a, b := filepath.Join(dir, "a.csv"), filepath.Join(dir, "b.csv")
	for _, path := range []string{a, b, filepath.Join(dir, "orders-00000-of-00003.csv")} {
		if err := os.WriteFile(path, []byte("x"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"-endpoint", "localhost:1", "-workers", "localhost:1"}, "-endpoint localhost:1: no engine answers"},
		{[]string{"-endpoint", other, "-workers", "localhost:1"}, "no engine answers (something else than gRPC is there)"},
		{[]string{"-runner", "flink", "-endpoint", other}, "no engine answers (something else than gRPC is there)"},
		{[]string{"-endpoint", "localhost:1"}, "Prism as a service has no workers of its own"},
		{[]string{"-out", dir}, "it holds orders-00000-of-00003.csv, of a run with other -parts"},
		{[]string{"-out", dir, "-parts", "3", "-format", "focus"}, "it holds orders-00000-of-00003.csv, of a run with other -parts or another -format"},
		{[]string{"-runner", "storm"}, "want prism, flink"},
		{[]string{"-runner", "flink"}, "without -endpoint"},
		{[]string{"-workers", "localhost:1"}, "want the engine"},
		{[]string{"-workers", "here"}, "want addresses"},
		{[]string{"-curves", "0"}, "want a whole number from 1"},
		{[]string{"-bill", a}, "-start"},
		{[]string{"-prices", a}, "want -bill"},
		{[]string{"-bill", a, "-start", "2025-11-01"}, "price list"},
		{[]string{"-bill", a, "-start", "yesterday"}, "want a day"},
		{[]string{"-bill", a, "-bill", a, "-start", "2025-11-01", "-prices", b}, "is there twice"},
		{[]string{"-bill", a, "-bill", b, "-start", "2025-11-01", "-prices", b}, "it is the same as"},
		{[]string{"-bill", filepath.Join(dir, "absent"), "-start", "2025-11-01", "-prices", b}, "want a file"},
		{[]string{"-bill", a, "-start", "2025-11-01", "-prices", b, "-model", "wrong"}, "want one of"},
		{[]string{"-format", "xls"}, "want csv"},
		{[]string{"-beam", "nothing=1"}, "want NAME=VALUE"},
		{[]string{"-beam", "runner=flink"}, "want -runner"},
	} {
		var errs bytes.Buffer
		status := program.Run(c.args, io.Discard, &errs)
		if status != 2 || !strings.Contains(errs.String(), c.want) || strings.Count(errs.String(), "\n") != 1 {
			t.Errorf("%q: status %d, %s, want %q", c.args, status, errs.String(), c.want)
		}
	}
}

// priceList writes the price list of a kind, and returns its path.
func priceList(t *testing.T, dir string) string {
	t.Helper()
	path := filepath.Join(dir, "prices.csv")
	if err := os.WriteFile(path, []byte(`"FormatVersion","v1.0"
"OfferCode","AmazonEC2"
"SKU","OfferTermCode","TermType","Unit","PricePerUnit","Currency","LeaseContractLength","PurchaseOption","OfferingClass","Product Family","Region Code","Location","Instance Type","Tenancy","Operating System","CapacityStatus","operation","Normalization Size Factor"
"A","JR","OnDemand","Hrs","0.1","USD","","","","Compute Instance","us-east-1","US East","m5.large","Shared","Linux","Used","RunInstances","4"
"A","1","Reserved","Hrs","0.06","USD","1yr","No Upfront","standard","Compute Instance","us-east-1","US East","m5.large","Shared","Linux","Used","RunInstances","4"
`), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// Accounts whose amounts do not fit fail alone, and accounts whose amounts fit may add up to more
// than 64 bits hold.
func TestOverflow(t *testing.T) {
	dir := t.TempDir()
	const hours = 8760
	start := time.Date(2025, 11, 1, 0, 0, 0, 0, time.UTC)
	var b bytes.Buffer
	w := focus.NewWriter(&b)
	for account, n := range []int64{7, 16_000_000, 16_000_000, 16_000_000, 1_000_000_000_000, 3_000_000_000, 20_000_000, -5} {
		for h := range hours {
			at := start.Add(time.Duration(h) * time.Hour)
			r := usage.Row{Account: fmt.Sprint("account-", account), Currency: "USD", Start: at, End: at.Add(time.Hour), Charge: usage.OnDemand, Hours: usage.Units(n),
				Billed: usage.Units(1), Effective: usage.Units(1), List: usage.Units(1), Kind: usage.Kind{Provider: "aws", Region: "us-east-1", Type: "m5.large", System: "linux", Tenancy: "shared"}}
			if err := w.Write(&r); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	bill := filepath.Join(dir, "bill.csv")
	if err := os.WriteFile(bill, b.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	files, stdout := run(t, "-bill", bill, "-start", "2025-11-01", "-hours", fmt.Sprint(hours), "-prices", priceList(t, dir), "-parts", "1")
	// 48,000,007 units at 0.06 for a year; an amount of 64 bits is at most 9.2·10⁹.
	if !strings.Contains(stdout, "4 curves of 8760 hours planned, 4 not") || !strings.Contains(stdout, "cost 25228803679.2 ") {
		t.Errorf("%s", stdout)
	}
	if n := strings.Count(files["failures-00000-of-00001.csv"], "\n"); n != 5 {
		t.Errorf("%d lines of failures: want a header and four:\n%s", n, files["failures-00000-of-00001.csv"])
	}
}

// Bills of many files go through the engine: accounts are planned, and one that is
// poisoned is reported.
func TestBills(t *testing.T) {
	dir := t.TempDir()
	start := time.Date(2025, 11, 1, 0, 0, 0, 0, time.UTC)
	const hours = 96
	for file := range 2 {
		var b bytes.Buffer
		w := focus.NewWriter(&b)
		for h := range hours / 2 {
			at := start.Add(time.Duration(file*hours/2+h) * time.Hour)
			for account, n := range []int64{3, 1, 2} {
				cost := usage.Units(n).Scale(1, 10)
				r := usage.Row{Account: fmt.Sprint("account-", account), Currency: "USD", Start: at, End: at.Add(time.Hour), Charge: usage.OnDemand, Hours: usage.Units(n),
					Billed: cost, Effective: cost, List: cost, Kind: usage.Kind{Provider: "aws", Region: "us-east-1", Type: "m5.large", System: "linux", Tenancy: "shared"}}
				if account == 2 && file == 1 {
					r.Currency = "EUR"
				}
				if err := w.Write(&r); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := w.Flush(); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("bill-%d.csv", file)), b.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	prices := priceList(t, dir)
	args := []string{"-bill", filepath.Join(dir, "bill-*.csv"), "-start", "2025-11-01", "-hours", "96", "-prices", prices, "-parts", "1"}
	want, stdout := run(t, append(args, "-branches", "1")...)
	got, _ := run(t, append(args, "-branches", "3")...)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("with branches (-one +three):\n%s", diff)
	}
	// Shards give the same files, also those that read no bill or plan no account.
	for _, of := range []int{1, 3} {
		work, out := filepath.Join(dir, fmt.Sprint("work-", of)), filepath.Join(dir, fmt.Sprint("out-", of))
		for round, status := range []int{3, 3, 0} {
			for i := range of {
				if said, got := fleet(t, append([]string{"shard", fmt.Sprintf("%d/%d", i+1, of), "-dir", work}, args[:len(args)-2]...)...); got != 0 {
					t.Fatalf("round %d: %s", round, said)
				}
			}
			if said, got := fleet(t, "merge", "-dir", work, "-out", out, "-parts", "1"); got != status {
				t.Fatalf("round %d: status %d, want %d: %s", round, got, status, said)
			}
		}
		for name, text := range want {
			b, err := os.ReadFile(filepath.Join(out, name))
			if diff := cmp.Diff(text, string(b)); err != nil || diff != "" {
				t.Errorf("%d shards: %s: %v (-engine +shards):\n%s", of, name, err, diff)
			}
		}
	}
	// Files that overlap or break off, hours without bills, and nothing planned are said.
	bill := filepath.Join(dir, "bill-0.csv")
	text, err := os.ReadFile(bill)
	if err != nil {
		t.Fatal(err)
	}
	for name, more := range map[string]string{"copy.csv": "\n", "cut.csv": "a,b\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), append(bytes.Clone(text), more...), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "empty.csv"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		file   string
		status int
		want   string
	}{
		{bill, 0, "use in 48 of the 96 hours"},
		{"copy.csv", 1, "48 rows"},
		{"cut.csv", 1, "nothing is planned"},
		{"empty.csv", 3, "the file is empty"},
	} {
		args := append(slices.Clone(args[2:]), "-bill", bill)
		if c.file != bill {
			args = append(args, "-bill", filepath.Join(dir, c.file))
		}
		var errs bytes.Buffer
		if status := program.Run(args, io.Discard, &errs); status != c.status || !strings.Contains(errs.String(), c.want) {
			t.Errorf("%s: status %d: %s, want %d, %q", c.file, status, errs.String(), c.status, c.want)
		}
	}
	// 4 units at 0.06 an hour for 96 hours; a bound is rounded down by a nano for each group.
	if !strings.Contains(stdout, "orders 2 cost 23.04 bound 23.039999998 ") || !strings.Contains(stdout, "2 curves of 96 hours planned, 1 not") {
		t.Errorf("%s", stdout)
	}
	if f := want["failures-00000-of-00001.csv"]; !strings.Contains(f, "account-2") || !strings.Contains(f, "EUR") || strings.Count(f, "\n") != 2 {
		t.Errorf("%s", f)
	}
	if o := want["orders-00000-of-00001.csv"]; !strings.Contains(o, "account-0,us-east-1,aws m5.large linux shared,USD,1y-standard-no-upfront,3,2025-11-05T00:00:00Z,8760,0,0.06\n") {
		t.Errorf("%s", o)
	}
}
