package usage

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"time"
)

// longest is the most time that a bill may span, so that a wrong year in one row
// does not cost gigabytes.
const longest = 10 * 366 * 24 * time.Hour

// A Collector adds up the rows of one bill or of several. The zero value is ready.
// Its memory grows with the number of different kinds, hours and commitments, and
// not with the number of rows. It must not be used by two goroutines at once.
type Collector struct {
	// KeepRepeats counts a line again that is in the bill twice, column for column.
	// Without it such a line is an error: most often a file was given twice.
	KeepRepeats bool
	// Each, if not nil, is called with each row after the row was counted. The row is valid
	// until Each returns, and Each must not modify it.
	Each func(row *Row)
	// Owner is the name of the column that says who used what a row charges for, such as that of a
	// tag; "" is the account below the one that is billed. A column of a JSON object is
	// followed by a colon and a key, such as "Tags:team". Readers take it when they begin a file.
	Owner string
	// Alone are owners that share no commitments with others: their kinds have their name.
	Alone []string

	files    []File
	accounts []map[string]*hourSet // by file: hours of usage by account
	left     []map[string]*Left    // by file
	notes    map[noteKey]*Note
	order    []noteKey
	seen     seen

	currency    string
	currencyAt  string // where it was seen first
	first, last int64  // hours with usage, last not among them
	any         bool
	kinds       map[Kind]*series
	kind        *series // of the last row
	owners      map[string]*owner
	owner       *owner     // of the last row
	recent      [16]*owner // of the rows of late, by the last character of their names
	row         Row        // that was mended
	commitments map[commitmentKey]*held
	contracts   []Contract
	months      map[int64]*Month
	month       *Month
	monthAt     int64
	leftLast    *Left
	accountLast string
	hoursLast   *hourSet
}

type noteKey struct {
	file int
	text string
}

type commitmentKey struct{ provider, id string }

// series is the demand of one kind.
type series struct {
	kind         Kind
	index        int // in the order of their first rows
	hours, days  buckets
	ranks        map[int64]*[24]Amount // by day: its rows of a day, if all machines begin at once
	demand, held Sum                   // on demand and covered
	contracted   Amount                // by how much the customer's own prices of demand exceed what is billed
	discounts    Amount                // rows of discounts on it
	reserved     Amount                // effective cost under reservations, and at the customer's own prices
	reservedPaid Amount
}

// Begin begins a file. Rows that are added belong to it until the next Begin.
// Format names the form of the file, such as "FOCUS 1.2 (csv)". Bills of one account
// and of different forms must not overlap in time; of one form they may, since a
// bill comes in parts.
func (c *Collector) Begin(name, format string) {
	if c.kinds == nil {
		c.kinds = map[Kind]*series{}
		c.commitments = map[commitmentKey]*held{}
		c.months = map[int64]*Month{}
		c.notes = map[noteKey]*Note{}
	}
	c.files = append(c.files, File{Name: name, Format: format})
	c.accounts = append(c.accounts, map[string]*hourSet{})
	c.left = append(c.left, map[string]*Left{})
	c.leftLast, c.hoursLast = nil, nil
}

// Note records a fault of the file that Begin began, which the user should know and
// which was not repaired: line is that of the first row that has it, 0 for none.
// Notes with the same text are counted together. It panics before the first Begin.
func (c *Collector) Note(line int, text string, billed Amount) {
	if len(c.files) == 0 {
		panic("usage: Note before Begin")
	}
	key := noteKey{len(c.files) - 1, text}
	n := c.notes[key]
	if n == nil {
		n = &Note{File: c.files[key.file].Name, Text: text, Line: line}
		c.notes[key] = n
		c.order = append(c.order, key)
	}
	n.Rows++
	n.Billed = n.Billed.Plus(billed)
}

// Faults that Add notes.
const (
	notEffective   = "EffectiveCost is 0 where BilledCost is not, without a commitment that explains it"
	otherEffective = "EffectiveCost differs from BilledCost, without a commitment that explains it"
	noCommitment   = "a covered, unused or purchased commitment without an ID"
	notCurrency    = "rows without a currency"
	twoUnits       = "a commitment with quantities in two units, of which those in the first count"
	localDays      = "days of 23 or 25 hours, so times are local: each counts as the day of UTC that most of it is in"
	longRows       = "rows over several hours, whose use counts as spread evenly over them"
	takenBack      = "usage on demand that takes back money and says hours above 0: the money counts, and the hours do not"
)

// Add adds a row to the file that Begin began. It keeps nothing of row.Raw. The
// error, an [*pricing.InputError], unwraps to [ErrCurrency], to [ErrRepeated] for a line
// that is there twice, or to [ErrRange] for times that make no sense; the row is not
// added then. It panics before the first Begin.
func (c *Collector) Add(row *Row) error {
	at := len(c.files) - 1
	if at < 0 {
		panic("usage: Add before Begin")
	}
	file := &c.files[at]
	row = c.mended(row)
	from, to := floor(row.Start.Unix(), 3600), floor(row.End.Unix()+3599, 3600)
	if err := c.check(row, at, from, to); err != nil {
		return err
	}
	sum := Sum{1, row.Billed, row.Effective, row.List}
	file.Total.add(&sum)
	m := c.monthOf(row.Start)
	charge, reason := row.Charge, row.Reason
	if charge == OnDemand || charge == Covered {
		s := c.seriesOf(row.Kind)
		switch ok := s.add(c, row, from, to); {
		case !ok:
			charge, reason = LeftOut, LongUsage
		case charge == OnDemand:
			s.demand.add(&sum)
			if row.Contracted != (Amount{}) {
				s.contracted = s.contracted.Plus(row.Contracted.Minus(row.Billed))
			}
		default:
			s.held.add(&sum)
			if row.Contracted != (Amount{}) && !row.Commitment.Spend {
				s.reserved, s.reservedPaid = s.reserved.Plus(row.Effective), s.reservedPaid.Plus(row.Contracted)
			}
		}
		if charge != LeftOut {
			c.owner.sum.add(&sum) // check has found it
			c.owner.use(s, from, to, row.Hours)
		}
	}
	switch charge {
	case OnDemand:
		file.OnDemand.add(&sum)
		m.OnDemand.add(&sum)
	case Covered:
		file.Covered.add(&sum)
		m.Covered.add(&sum)
	case Unused:
		file.Unused.add(&sum)
		m.Unused.add(&sum)
	case Purchase:
		file.Purchases.add(&sum)
		m.Purchases.add(&sum)
	default:
		c.leave(reason).add(&sum)
		m.Left.add(&sum)
		if reason == Discount && row.Kind.Type != "" {
			s := c.seriesOf(row.Kind)
			s.discounts = s.discounts.Plus(row.Billed)
		}
	}
	if row.Charge > OnDemand || row.Commitment.ID != "" && isUsage(reason) {
		c.hold(row)
	} else if row.Billed != row.Effective && !row.NoEffective && reason != OtherFee { // fees may be spread
		if row.Effective == (Amount{}) {
			c.Note(row.Line, notEffective, row.Billed)
		} else {
			c.Note(row.Line, otherEffective, row.Billed)
		}
	}
	if c.Each != nil {
		c.Each(row)
	}
	return nil
}

// mended returns a row as it is meant. An end such as 23:59:59 becomes the end of its hour. Use on
// demand with a negative cost becomes a correction: its money counts, and its hours do not. The
// kind of an owner who shares no commitments gets the owner's name.
func (c *Collector) mended(row *Row) *Row {
	last := (row.End.Unix()+1)%3600 == 0 && row.End.After(row.Start)
	back := row.Charge == OnDemand && row.Hours.Sign() > 0 && row.Billed.Sign() < 0
	alone := len(c.Alone) > 0 && row.Kind.Type != "" && slices.Contains(c.Alone, cmp.Or(row.Owner, row.Account))
	if !last && !back && !alone {
		return row
	}
	c.row = *row
	if alone {
		c.row.Kind.Owner = cmp.Or(row.Owner, row.Account)
	}
	if last {
		c.row.End = time.Unix(row.End.Unix()+1, 0).UTC()
	}
	if back {
		c.row.Hours = Amount{}
		c.Note(row.Line, takenBack, row.Billed)
	}
	return &c.row
}

// isUsage reports whether a row is left out though it is use of the cloud.
func isUsage(reason string) bool {
	return reason == OtherUsage || reason == OtherHours || reason == Spot || reason == LongUsage || reason == Surcharge
}

// check returns what is wrong with a row, and marks its hours, from from to before to.
func (c *Collector) check(row *Row, at int, from, to int64) error {
	file := &c.files[at]
	switch {
	case row.Currency == "":
		c.Note(row.Line, notCurrency, row.Billed)
	case c.currency == "":
		c.currency, c.currencyAt = row.Currency, where(file.Name, row.Line)
		file.Currency = row.Currency
	case row.Currency != c.currency:
		return badRow(row.Line, "currency", ErrCurrency, "%s: want %s as in %s: convert the bill or give one bill for each currency", row.Currency, c.currency, c.currencyAt)
	case file.Currency == "":
		file.Currency = row.Currency
	}
	if row.End.Before(row.Start) {
		return badRow(row.Line, "charge period", ErrRange, "%s to %s: want an end after the start", row.Start.Format(time.RFC3339), row.End.Format(time.RFC3339))
	}
	if usage := row.Charge == OnDemand || row.Charge == Covered; usage {
		if row.Kind.Type == "" {
			panic("usage: demand of no kind")
		}
		if !c.any {
			c.any, c.first, c.last = true, from, to
		}
		first, last := min(c.first, from), max(c.last, to)
		if last-first > int64(longest/time.Hour) {
			return badRow(row.Line, "charge period", ErrRange, "%s: the bill began at %s: want at most 10 years in one bill",
				row.Start.Format(time.RFC3339), time.Unix(3600*c.first, 0).UTC().Format(time.RFC3339))
		}
		c.first, c.last = first, last
	}
	if row.Raw != nil {
		e, found := c.seen.add(hashOf(row.Raw), int32(at), uint32(min(max(int64(row.Line), 1), math.MaxUint32)))
		if found && !c.KeepRepeats {
			where := where(c.files[e.file].Name, int(e.line))
			if int(e.file) != at {
				return badRow(row.Line, "", ErrRepeated, "the row is %s, too: want bills that do not overlap", where)
			}
			return badRow(row.Line, "", ErrRepeated, "the row is the same as %s: want each row once, or the option to keep repeated rows", where)
		}
	}
	if row.Charge == OnDemand || row.Charge == Covered || row.Charge == LeftOut && isUsage(row.Reason) {
		o := c.ownerOf(row)
		if row.End.Unix()-row.Start.Unix() <= 32*24*3600 {
			c.hoursOf(at, row.Account).mark(from, to)
			o.see(at, to)
		}
	}
	return nil
}

func where(file string, line int) string { return file + ", line " + strconv.Itoa(line) }

func (c *Collector) hoursOf(at int, account string) *hourSet {
	if c.hoursLast != nil && c.accountLast == account {
		return c.hoursLast
	}
	set := c.accounts[at][account]
	if set == nil {
		set = new(hourSet)
		c.accounts[at][account] = set
	}
	c.accountLast, c.hoursLast = account, set
	return set
}

func (c *Collector) seriesOf(kind Kind) *series {
	if c.kind != nil && c.kind.kind == kind {
		return c.kind
	}
	s := c.kinds[kind]
	if s == nil {
		s = &series{kind: kind, index: len(c.kinds)}
		c.kinds[kind] = s
	}
	c.kind = s
	return s
}

// monthOf returns the month, in UTC, in which t is.
func (c *Collector) monthOf(t time.Time) *Month {
	day := floor(t.Unix(), 86400)
	if c.month != nil && day == c.monthAt {
		return c.month
	}
	y, mon, _ := t.UTC().Date()
	key := int64(y)*12 + int64(mon)
	m := c.months[key]
	if m == nil {
		m = &Month{Start: time.Date(y, mon, 1, 0, 0, 0, 0, time.UTC)}
		c.months[key] = m
	}
	c.month, c.monthAt = m, day
	return m
}

// leave returns the sum of what is left out for a reason.
func (c *Collector) leave(reason string) *Sum {
	if c.leftLast != nil && c.leftLast.Reason == reason {
		return &c.leftLast.Sum
	}
	left := c.left[len(c.files)-1]
	l := left[reason]
	if l == nil {
		l = &Left{Reason: reason}
		left[reason] = l
	}
	c.leftLast = l
	return &l.Sum
}

// add puts the hours of a row into the demand. It reports false for a row that
// covers neither an hour, or less, nor whole hours up to a day. The row touches the hours from first
// to before after.
func (s *series) add(c *Collector, row *Row, first, after int64) bool {
	covered := row.Charge == Covered
	if after <= first+1 {
		s.hours.add(first, row.Hours, covered)
		return true
	}
	from, length := row.Start.Unix(), row.End.Sub(row.Start)
	switch {
	case length <= time.Hour:
		s.hours.add(floor(from, 3600), row.Hours, covered)
	case length%time.Hour != 0 || length > 25*time.Hour:
		return false
	case length >= 23*time.Hour:
		if length != 24*time.Hour {
			c.Note(row.Line, localDays, row.Billed)
		}
		day := floor(from+43200, 86400) // the day that most of it is in
		s.days.add(day, row.Hours, covered)
		s.rank(day, row.Hours)
	case from%3600 != 0:
		return false
	default:
		c.Note(row.Line, longRows, row.Billed)
		n := int64(length / time.Hour)
		part, rest := row.Hours.over(n), row.Hours
		for h := range n {
			if h == n-1 {
				part = rest
			}
			s.hours.add(from/3600+h, part, covered)
			rest = rest.Minus(part)
		}
	}
	return true
}

// buckets is a demand by hour or by day.
type buckets struct {
	base int64 // of slots[0]
	slot []slot
}

type slot struct{ used, covered Amount }

func (b *buckets) add(at int64, hours Amount, covered bool) {
	switch {
	case len(b.slot) == 0:
		b.base = at
		b.slot = append(b.slot, slot{})
	case at < b.base:
		more := max(b.base-at, int64(len(b.slot))/2) // room for more rows in falling order
		b.slot = append(make([]slot, more, more+int64(len(b.slot))), b.slot...)
		b.base -= more
	}
	for at >= b.base+int64(len(b.slot)) {
		b.slot = append(b.slot, slot{})
	}
	s := &b.slot[at-b.base]
	s.used = s.used.Plus(hours)
	if covered {
		s.covered = s.covered.Plus(hours)
	}
}

// trim drops empty slots at both ends.
func (b *buckets) trim() {
	for len(b.slot) > 0 && b.slot[0] == (slot{}) {
		b.slot = b.slot[1:]
		b.base++
	}
	for n := len(b.slot); n > 0 && b.slot[n-1] == (slot{}); n-- {
		b.slot = b.slot[:n-1]
	}
}

// floor returns ⌊n/d⌋.
func floor(n, d int64) int64 {
	q := n / d
	if n%d < 0 {
		q--
	}
	return q
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
