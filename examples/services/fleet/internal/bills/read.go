// Package bills turns bills into the groups of a fleet: files into what each account used
// (Read), and the files of an account into its groups (Accounts).
//
//	uses, failed := bills.Read("2025-11.csv.gz")      // on any worker, file by file
//	groups, failed := b.Account(uses of one account)  // on any worker, account by account
//
// The readers are the library's, by package bill. A row belongs
// to the account that used the cloud: SubAccountId of FOCUS, line_item_usage_account_id of
// the report, or the account that is billed where there is no such column.
//
// What is wrong with one account does not stop another. It is a record.Failure of the account,
// which is not planned then. Wrong are a row that cannot be read, a line that is there twice, in
// one file or in two, a second currency and an overflow. A file that breaks off is a failure of the file and of each
// account that was seen in it, since the rest of their rows is not known.
package bills

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/examples/services/fleet/internal/record"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/pricing/bill"
	"github.com/plimsoll/plimsoll/pricing/parquet"
	"github.com/plimsoll/plimsoll/pricing/usage"
)

// accountColumns are the columns that name an account, in lower case without marks, the
// one to take first.
var accountColumns = []string{"subaccountid", "lineitemusageaccountid", "billingaccountid", "billpayeraccountid"}

// A Count is what the reading of a file met.
type Count struct{ Rows, Bytes int64 }

// Read reads a bill, as CSV, plain or gzip, or as Parquet, of a form that its columns tell.
// It returns what each account used, and what could not be read, both in the order of the
// accounts.
func Read(path string) ([]record.Usage, []record.Failure, Count) {
	r := reader{path: path, accounts: map[string]*account{}}
	err := r.read()
	var uses []record.Usage
	var failed []record.Failure
	if err != nil {
		failed = append(failed, failure(path, "", err))
	}
	for _, name := range slices.Sorted(maps.Keys(r.accounts)) {
		a := r.accounts[name]
		switch {
		case a.err != nil:
			failed = append(failed, failure(path, name, a.err))
			continue
		case err != nil:
			failed = append(failed, record.Failure{Key: record.Key{Account: name}, File: path,
				Reason: "the file breaks off, so the rest of the account's rows is not known: want the whole file"})
			continue
		}
		use, err := a.usage(path, name)
		if err != nil {
			failed = append(failed, failure(path, name, err))
			continue
		}
		uses = append(uses, use)
	}
	return uses, failed, r.count
}

// Records emits the records of what Read returns, each after its account, and the hours in
// which the file has use as that of no account.
func Records(path string, from time.Time, hours int, emit func(account string, b []byte)) Count {
	uses, failed, count := Read(path)
	for i := range uses {
		emit(uses[i].Account, record.Append(nil, &uses[i]))
	}
	coverage := Coverage(path, from, hours, uses)
	emit("", record.Append(nil, &coverage))
	for i := range failed {
		emit(failed[i].Account, record.Append(nil, &failed[i]))
	}
	return count
}

// Part returns which of so many parts an account belongs to, from 0.
func Part(account string, parts int) int {
	h := fnv.New32a()
	io.WriteString(h, account)
	return int(h.Sum32() % uint32(parts))
}

func failure(path, account string, err error) record.Failure {
	f := record.Failure{Key: record.Key{Account: account}, File: path}
	var in *pricing.InputError
	if errors.As(err, &in) {
		plain := *in
		f.Line, plain.Line, plain.Column, plain.Package = in.Line, 0, 0, ""
		err = &plain
	}
	f.Reason = strings.TrimSuffix(err.Error(), ", or the option to keep repeated rows") // of the library, which fleet does not offer
	return f
}

// A reader parts the rows of a file between accounts.
type reader struct {
	path     string
	accounts map[string]*account
	header   []string
	columns  []int    // that name the account
	names    []uint64 // hashes of the names of all columns
	form     string
	text     []byte // of a field
	objects  map[string][]byte
	count    Count
	last     *account
	lastName []byte
}

// An account has a collector of its own, so that its faults are its own.
type account struct {
	collector usage.Collector
	decode    usage.Decoder
	err       error
	rows      []uint64
	money     map[string]*record.Series                // of savings plans, by provider and ID
	kinds     map[string]map[usage.Kind]*record.Series // what of it paid for each kind
	bought    map[string]bool                          // savings plans with rows of their purchase
	far       error                                    // a row of a savings plan is years from the others
}

func (r *reader) read() error {
	f, err := os.Open(r.path)
	if err != nil {
		return fmt.Errorf("%w: want a bill that the workers can read", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	r.count.Bytes = info.Size()
	var magic [4]byte
	if n, _ := f.ReadAt(magic[:], 0); parquet.Is(magic[:n]) {
		return parquet.Rows(f, info.Size(), func(header []string) (usage.Decoder, error) { return r.begin(slices.Clone(header), "parquet") })
	}
	return bill.Rows(f, func(header []string) (usage.Decoder, error) { return r.begin(header, "csv") })
}

func (r *reader) begin(header []string, form string) (usage.Decoder, error) {
	names := make([]string, len(header))
	for i, h := range header {
		names[i] = strings.Map(func(c rune) rune {
			switch {
			case c >= 'A' && c <= 'Z':
				return c + 'a' - 'A'
			case c >= 'a' && c <= 'z', c >= '0' && c <= '9':
				return c
			}
			return -1
		}, h)
	}
	for _, name := range names {
		r.names = append(r.names, hash(0, []byte(name)))
	}
	for _, want := range accountColumns {
		if i := slices.Index(names, want); i >= 0 {
			r.columns = append(r.columns, i)
		}
	}
	r.header, r.form = header, form
	var probe account
	if err := r.open(&probe); err != nil {
		return nil, err
	}
	if len(r.columns) == 0 {
		return nil, errors.New("no column names the account: want SubAccountId or BillingAccountId of FOCUS, or those of a cost and usage report")
	}
	return r.row, nil
}

// pay adds what a row says of a savings plan: the money that paid for instances, or for nothing.
// A row over more than an hour is spread over its hours.
func (a *account) pay(row *usage.Row) {
	m := &row.Commitment
	if !m.Spend || m.ID == "" {
		return
	}
	if a.money == nil {
		a.money, a.kinds, a.bought = map[string]*record.Series{}, map[string]map[usage.Kind]*record.Series{}, map[string]bool{}
	}
	key, money := commitmentName(row.Kind.Provider, m.ID), m.Quantity
	switch {
	case row.Charge == usage.Purchase:
		a.bought[key] = a.bought[key] || money.Sign() != 0
		money = m.Unused
	case row.Charge != usage.Unused && (row.Charge != usage.Covered || row.End.Sub(row.Start) > 25*time.Hour): // longer use is no demand
		return
	}
	from, to := row.Start.Truncate(time.Hour).UTC(), row.End.Add(time.Hour-1).Truncate(time.Hour)
	hours := int64(to.Sub(from) / time.Hour)
	if money.Sign() == 0 || hours < 1 {
		return
	}
	s := a.money[key]
	if s == nil {
		s = new(record.Series)
		a.money[key] = s
	}
	first, last := from, to
	if n := len(s.Hours); n > 0 {
		first = s.Start
		last = first.Add(time.Duration(n) * time.Hour)
	}
	if max(to.Sub(first), last.Sub(from)) > farthest {
		a.far = fmt.Errorf("line %d: %s: the savings plan %q has rows from %s, too: want at most 5 years in a file", row.Line, row.Start.Format(time.RFC3339),
			m.ID, first.Format(time.RFC3339))
		return
	}
	more := record.Series{Start: from, Hours: make([]usage.Amount, hours)}
	for t := range more.Hours {
		more.Hours[t] = money.Scale(1, hours)
	}
	s.Add(&more)
	if row.Charge != usage.Covered {
		return
	}
	kinds := a.kinds[key]
	if kinds == nil {
		kinds = map[usage.Kind]*record.Series{}
		a.kinds[key] = kinds
	}
	if kinds[row.Kind] == nil {
		kinds[row.Kind] = &record.Series{Kind: row.Kind}
	}
	kinds[row.Kind].Add(&more)
}

// farthest is the most time between the rows of a savings plan in a file.
const farthest = 5 * 366 * 24 * time.Hour

// commitmentName returns a key for a commitment.
func commitmentName(provider, id string) string { return provider + "\x00" + id }

// open gives an account its decoder.
func (r *reader) open(a *account) error {
	a.collector.Each = a.pay
	var err error
	a.decode, err = bill.NewDecoder(&a.collector, r.path, r.form, r.header)
	return err
}

func (r *reader) row(line int, row [][]byte, raw []byte) error {
	r.count.Rows++
	var name []byte
	for _, i := range r.columns {
		if name = row[i]; len(name) > 0 && !bytes.EqualFold(name, []byte("null")) {
			break
		}
		name = nil
	}
	a := r.last
	if a == nil || !bytes.Equal(name, r.lastName) {
		if a = r.accounts[string(name)]; a == nil {
			a = new(account)
			if err := r.open(a); err != nil {
				return err
			}
			r.accounts[string(name)] = a
		}
		r.last, r.lastName = a, append(r.lastName[:0], name...)
	}
	switch {
	case a.err != nil:
	case name == nil:
		a.err = fmt.Errorf("line %d names no account: want one in %s", line, r.header[r.columns[0]])
	default:
		if a.err = cmp.Or(a.decode(line, row, raw), a.far); a.err == nil {
			if len(a.rows) == 2*mostRows {
				slices.Sort(a.rows)
				a.rows = a.rows[:mostRows]
			}
			a.rows = append(a.rows, r.hash(row))
		}
	}
	return nil
}

// Coverage returns the hours, of so many from a time, in which a file has use of any
// account: 1 for each, as a series of no account.
func Coverage(path string, from time.Time, hours int, uses []record.Usage) record.Usage {
	s := record.Series{Start: from, Hours: make([]usage.Amount, hours)}
	for i := range uses {
		for j := range uses[i].Series {
			u := &uses[i].Series[j]
			first := int(u.Start.Sub(from) / time.Hour)
			for t, a := range u.Hours {
				if t += first; t >= 0 && t < hours && a != (usage.Amount{}) {
					s.Hours[t] = usage.Units(1)
				}
			}
		}
	}
	return record.Usage{File: path, Series: []record.Series{s}}
}

// Covered returns in how many hours there is use, from the records of no account: the coverage of
// all files, and failures of whole files, which it returns in order.
func Covered(records [][]byte) (hours int, failed []record.Failure, err error) {
	uses, failed, err := split(records)
	seen := map[int]bool{}
	for i := range uses {
		for t, a := range uses[i].Series[0].Hours {
			if a != (usage.Amount{}) {
				seen[t] = true
			}
		}
	}
	slices.SortFunc(failed, func(a, b record.Failure) int { return a.Compare(&b) })
	return len(seen), failed, err
}

// usage returns what the rows of the account add up to.
func (a *account) usage(path, name string) (record.Usage, error) {
	u := record.Usage{Account: name, File: path}
	bill, err := a.collector.Bill()
	if err != nil {
		return u, err
	}
	u.Currency = bill.Currency
	slices.Sort(a.rows)
	u.Rows = a.rows[:min(len(a.rows), mostRows)]
	for i := range bill.Demand {
		d := &bill.Demand[i]
		s := record.Series{Kind: d.Kind, Start: d.Start.UTC(), Hours: d.Used}
		if per := int(d.Slot / time.Hour); per > 1 { // a day is spread over its hours
			s.Hours = make([]usage.Amount, 0, per*len(d.Used))
			for _, x := range d.Used {
				for range per {
					s.Hours = append(s.Hours, x.Scale(1, int64(per)))
				}
			}
		}
		u.Series = append(u.Series, s)
	}
	for i := range bill.Held {
		h := &bill.Held[i]
		held := record.Held{Provider: h.Provider, ID: h.ID, Unit: h.Unit, Spend: h.Spend, Start: h.Start, End: h.End, PerHour: h.PerHour, Kinds: h.Kinds}
		if key := commitmentName(h.Provider, h.ID); h.Spend {
			if !a.bought[key] { // what the collector finds then has other use than instances in it
				held.PerHour = usage.Amount{}
			}
			if money := a.money[key]; money != nil {
				held.Money = *money
			}
			for _, s := range a.kinds[key] {
				held.Paid = append(held.Paid, *s)
			}
			slices.SortFunc(held.Paid, func(a, b record.Series) int { return cmp.Compare(a.Kind.String(), b.Kind.String()) })
			held.Name = strings.TrimSpace(h.Type + " " + h.Name)
		}
		u.Held = append(u.Held, held)
	}
	return u, nil
}

// Duplicate returns two files of the same content, if there are: of files of equal size the
// checksums are compared.
func Duplicate(paths []string) (a, b string, err error) {
	bySize := map[int64][]string{}
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			return "", "", cli.Mistakef("-bill %s: %v: want a file", path, errors.Unwrap(err))
		}
		bySize[info.Size()] = append(bySize[info.Size()], path)
	}
	for _, size := range slices.Sorted(maps.Keys(bySize)) {
		seen := map[string]string{}
		for _, path := range bySize[size] {
			if len(bySize[size]) == 1 {
				break
			}
			f, err := os.Open(path)
			if err != nil {
				return "", "", err
			}
			sum := sha256.New()
			_, err = io.Copy(sum, f)
			f.Close()
			if err != nil {
				return "", "", err
			}
			if other := seen[string(sum.Sum(nil))]; other != "" {
				return other, path, nil
			}
			seen[string(sum.Sum(nil))] = path
		}
	}
	return "", "", nil
}
