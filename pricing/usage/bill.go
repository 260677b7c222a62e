package usage

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/pricing"
)

// A Sum is a number of rows and their amounts.
type Sum struct {
	Rows                    int64
	Billed, Effective, List Amount
}

func (s *Sum) add(t *Sum) {
	if s.Rows += t.Rows; t.Rows > 0 && s.Rows < 0 && s.Rows-t.Rows >= 0 {
		s.Rows = math.MaxInt64
	}
	s.Billed = s.Billed.Plus(t.Billed)
	s.Effective = s.Effective.Plus(t.Effective)
	s.List = s.List.Plus(t.List)
}

// A File says what became of the rows of one file. Nothing is lost: Total is
// Classified plus the sum of Left, in rows and to the last digit of each amount.
type File struct {
	Name      string
	Format    string
	Currency  string // "" where no row has one
	Total     Sum
	OnDemand  Sum // hours of instances at the price on demand
	Covered   Sum // hours of instances under commitments
	Unused    Sum // commitments that nothing used
	Purchases Sum // fees of commitments
	Contracts int64
	Left      []Left // most rows first
}

// Classified returns the sum of everything that is demand or part of a commitment. Rows
// that are more than an int64 holds count as the greatest int64.
func (f *File) Classified() Sum {
	s := Sum{Rows: f.Contracts}
	for _, t := range [...]*Sum{&f.OnDemand, &f.Covered, &f.Unused, &f.Purchases} {
		s.add(t)
	}
	return s
}

// A Left is what was left out for one reason.
type Left struct {
	Reason string
	Sum    Sum
}

// A Note is a fault of a file that was found and not repaired.
type Note struct {
	File   string
	Line   int // of the first row, 0 where it is not of a row
	Text   string
	Rows   int64
	Billed Amount // of the rows
}

// A Month is what one calendar month, in UTC, was charged.
type Month struct {
	Start                                      time.Time
	OnDemand, Covered, Unused, Purchases, Left Sum
}

// A Demand is how much one kind of instance was used over time.
type Demand struct {
	Kind  Kind
	Slot  time.Duration // an hour, or a day where rows are of days
	Start time.Time     // of the first slot
	// Used has the instance-hours of each slot, Covered those of them that commitments
	// covered. Corrections can make a slot negative.
	Used, Covered []Amount
	OnDemand      Sum // the rows at the price on demand
	Committed     Sum // the rows that commitments cover
	// Paid is what the hours on demand cost at the customer's own prices, with Discounts: what rows
	// that are left out take off these hours.
	Paid, Discounts Amount
	// Reserved is the effective cost of the hours that reservations cover, where the bill also says
	// what they cost at the customer's own prices, and ReservedPaid is that.
	Reserved, ReservedPaid Amount
	// Together has, for each slot of a day, the instance-hours of each of 24 hours if all machines
	// of the day begin at once; see [Demand.Hourly]. It is nil where slots are hours.
	Together [][24]Amount
}

// A Bill is what the rows of all files add up to.
type Bill struct {
	Currency string
	Files    []File
	Start    time.Time // of the first usage
	End      time.Time // of the last
	Demand   []Demand  // by kind
	Held     []Held    // by provider and ID
	// Agreements are contracts that are no commitment discounts: minimum spend,
	// negotiated rates.
	Agreements []Contract
	Months     []Month
	Notes      []Note
	// Owners are the rows of instances, on demand and covered, by who used them; see
	// [Collector.Owner].
	Owners map[string]Sum

	owners []owner // by name; their kinds are bits of Demand
}

// Bill returns what was collected. The error, an [*pricing.InputError] that unwraps to
// [ErrRepeated], is about files of different forms that charge one account for the
// same hour; one that unwraps to [ErrMissing] says that there are no rows at all.
// More rows may be added afterwards; the result does not change then.
func (c *Collector) Bill() (*Bill, error) {
	if len(c.files) == 0 {
		return nil, badInput("files", -1, ErrMissing, "no file: want a bill")
	}
	if err := c.overlap(); err != nil {
		return nil, err
	}
	b := &Bill{Currency: c.currency, Files: slices.Clone(c.files)}
	var rows int64
	for i := range b.Files {
		f := &b.Files[i]
		rows += f.Total.Rows
		for _, l := range c.left[i] {
			f.Left = append(f.Left, *l)
		}
		slices.SortFunc(f.Left, func(x, y Left) int {
			return cmp.Or(cmp.Compare(y.Sum.Rows, x.Sum.Rows), cmp.Compare(x.Reason, y.Reason))
		})
	}
	if rows == 0 {
		return nil, badInput("files", -1, ErrMissing, "%s has a header and no rows: want a bill", b.Files[0].Name)
	}
	if c.any {
		b.Start, b.End = time.Unix(3600*c.first, 0).UTC(), time.Unix(3600*c.last, 0).UTC()
	}
	for _, s := range c.kinds {
		if d := s.demandOf(); len(d.Used) > 0 || d.OnDemand.Rows+d.Committed.Rows > 0 {
			b.Demand = append(b.Demand, d)
		}
	}
	slices.SortFunc(b.Demand, func(x, y Demand) int { return x.Kind.compare(y.Kind) })
	c.ownersOf(b)
	c.inventory(b)
	for _, m := range c.months {
		b.Months = append(b.Months, *m)
	}
	slices.SortFunc(b.Months, func(x, y Month) int { return x.Start.Compare(y.Start) })
	for _, key := range c.order {
		b.Notes = append(b.Notes, *c.notes[key])
	}
	return b, nil
}

// demandOf returns the demand of a kind, by days if any row is of a day.
func (s *series) demandOf() Demand {
	d := Demand{Kind: s.kind, Slot: time.Hour, OnDemand: s.demand, Committed: s.held, Paid: s.demand.Billed.Plus(s.contracted).Plus(s.discounts),
		Discounts: s.discounts, Reserved: s.reserved, ReservedPaid: s.reservedPaid}
	b := s.hours
	b.slot = slices.Clone(b.slot)
	if len(s.days.slot) > 0 {
		d.Slot = 24 * time.Hour
		b = buckets{}
		for _, from := range []struct {
			b *buckets
			n int64 // slots a day
		}{{&s.days, 1}, {&s.hours, 24}} {
			for i, v := range from.b.slot {
				if v == (slot{}) {
					continue
				}
				at := floor(from.b.base+int64(i), from.n)
				b.add(at, v.covered, true)
				b.add(at, v.used.Minus(v.covered), false)
			}
		}
	}
	b.trim()
	d.Start = time.Unix(b.base*int64(d.Slot/time.Second), 0).UTC()
	for _, v := range b.slot {
		d.Used = append(d.Used, v.used)
		d.Covered = append(d.Covered, v.covered)
	}
	if d.Slot > time.Hour {
		d.Together = s.together(b.base, len(b.slot))
	}
	return d
}

// maxSlots bounds what one call of Instances appends, 512 MiB.
const maxSlots = 1 << 26

// Instances appends to dst the number of instances in use in each of n slots. slot is the length of
// each slot, and start is the beginning of the first. The number of instances in a slot is the
// slot's instance-hours divided by its length in hours, rounded by r. A slot without rows has 0
// instances.
//
// Corrections can make the instance-hours of a slot negative. For such a slot, Instances appends 0.
// The second result is the number of such slots.
//
// Instances panics if slot is not a positive multiple of d.Slot, if d.Slot is not a positive number
// of whole hours, or if n is not from 0 to 2²⁶. Time O(n + slots of d).
func (d *Demand) Instances(dst []int, start time.Time, slot time.Duration, n int, r pricing.Rounding) ([]int, int) {
	if d.Slot <= 0 || d.Slot%time.Hour != 0 {
		panic("usage: a demand without slots of whole hours")
	}
	if slot < d.Slot || slot%d.Slot != 0 || n < 0 {
		panic("usage: slot that is not a multiple of the demand's, or a negative number of slots")
	}
	if n > maxSlots {
		panic("usage: more than 1<<26 slots")
	}
	per := int64(slot / d.Slot)
	unit := int64(d.Slot / time.Second)
	base, first := floor(d.Start.Unix(), unit), floor(start.Unix(), unit)
	negative := 0
	dst = slices.Grow(dst, n)
	from := first - base // the first slot of d in the next slot; first and base are seconds over 3600
	for range n {
		var sum Amount
		for k := max(0, from); k < min(from+per, int64(len(d.Used))); k++ {
			sum = sum.Plus(d.Used[k])
		}
		from += per
		v, ok := sum.whole(int64(slot/time.Hour), r)
		if sum.Sign() < 0 {
			negative++
			v = 0
		}
		if !ok {
			v = math.MaxInt
		}
		dst = append(dst, v)
	}
	return dst, negative
}

// whole returns a/n as a whole number rounded by r, for an a that is not negative.
func (a Amount) whole(n int64, r pricing.Rounding) (int, bool) {
	if a.Sign() < 0 {
		return 0, true
	}
	q, rest := a.n.Unsigned().QuoRem(uint64(n))
	sticky := rest != 0
	w, frac := q.QuoRem(uint64(pow10[decimals]))
	if w.Hi != 0 || w.Lo > math.MaxInt-1 {
		return 0, false
	}
	v, half := int(w.Lo), uint64(pow10[decimals])/2
	switch up := frac > half || frac == half && sticky; r {
	case pricing.Down:
	case pricing.Up:
		if frac != 0 || sticky {
			v++
		}
	case pricing.HalfUp:
		if frac >= half {
			v++
		}
	default:
		if up || frac == half && v&1 == 1 {
			v++
		}
	}
	return v, true
}

// Hours returns the instance-hours of the whole demand.
func (d *Demand) Hours() (used, covered Amount) {
	for _, u := range d.Used {
		used = used.Plus(u)
	}
	for _, c := range d.Covered {
		covered = covered.Plus(c)
	}
	return used, covered
}

// String returns the parts that are known, such as "aws eu-west-1 m5.large linux".
func (k Kind) String() string {
	var b strings.Builder
	for _, s := range [...]string{k.Provider, k.Region, k.Type, k.System, k.Tenancy, k.Owner} {
		if s != "" {
			if b.Len() > 0 {
				b.WriteByte(' ')
			}
			b.WriteString(s)
		}
	}
	return b.String()
}

func (k Kind) compare(o Kind) int {
	return cmp.Or(cmp.Compare(k.Provider, o.Provider), cmp.Compare(k.Region, o.Region), cmp.Compare(k.Type, o.Type),
		cmp.Compare(k.System, o.System), cmp.Compare(k.Tenancy, o.Tenancy), cmp.Compare(k.Owner, o.Owner))
}
