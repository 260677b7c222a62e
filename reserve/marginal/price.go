package marginal

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/pricing"
)

// Options say which hours a price is of. The zero value has the defaults.
type Options struct {
	Hours int // the coming hours that a new instance runs; 0 is 24
	Round int // instances that are launched together; the price is the mean of theirs; 0 is 1
	// Beside[path][kind][hour] is what the commitments serve beside the instances that run:
	// possible futures, equally likely. After its last hour a future goes on unchanged.
	Beside [][][]int
	// Plan counts on the reservations that the plan of least cost over so many hours buys
	// in the first hour; 0 counts on nothing but what is held.
	Plan int
}

const (
	defaultHours = 24
	maxHours     = 3 * 8760
	// MaxRoom is the greatest Quote.Room; there may be more room than that.
	MaxRoom = 1000
)

// A Quote is the price of one kind.
type Quote struct {
	Kind  int           // index of Market.Kinds
	List  pricing.Money // on demand, an hour
	Price pricing.Money // of one more instance, an hour: the mean of Options.Round instances
	// Room is how many instances can be launched below List, one after the other; at most
	// MaxRoom.
	Room int
	Why  string // in words
	// Bound is what the duals of the exact plan prove that one more instance costs at least,
	// and Solved says that Bound did not meet Price, so that a second plan was made. Both
	// are for Options.Plan.
	Bound  pricing.Money
	Solved bool
}

// A segment is hours with the same instances and commitments.
type segment struct {
	counts []int
	serving
	weight int64
	base   account
}

// segments are the coming hours of all futures. The first hour of the first future comes
// first.
func (b *Book) segments(running []int, now time.Time, o *Options) ([]segment, error) {
	var list []segment
	seen := map[string]int{}
	var id []byte
	hours := make([]serving, o.Hours)
	for t := range hours {
		hours[t] = b.at(now.Add(time.Duration(t) * time.Hour))
	}
	for i := range max(1, len(o.Beside)) {
		for t, s := range hours {
			counts := slices.Clone(running)
			if o.Beside != nil {
				for k, future := range o.Beside[i] {
					if len(future) > 0 {
						counts[k] += future[min(t, len(future)-1)]
					}
				}
			}
			id = id[:0]
			for k, n := range counts {
				if n < 0 || n > math.MaxInt32 {
					return nil, badInput("Beside", k, "%d instances of %s: want 0 to %d", n, b.Kinds[k].Type, math.MaxInt32)
				}
				id = binary.AppendVarint(id, int64(n))
			}
			for _, x := range slices.Concat(s.units, s.hourly) {
				id = binary.AppendVarint(id, x)
			}
			at, ok := seen[string(id)]
			if !ok {
				at = len(list)
				seen[string(id)] = at
				list = append(list, segment{counts: counts, serving: s})
			}
			list[at].weight++
		}
	}
	for i := range list {
		list[i].base = b.bill(list[i].counts, list[i].serving)
	}
	return list, nil
}

// check fills in the defaults.
func (o *Options) check(b *Book, running []int) error {
	o.Hours, o.Round = cmp.Or(o.Hours, defaultHours), cmp.Or(o.Round, 1)
	switch {
	case len(running) != len(b.Kinds):
		return badInput("Running", -1, "%d counts for %d kinds: want one for each", len(running), len(b.Kinds))
	case o.Hours < 1 || o.Hours > maxHours:
		return badInput("Options.Hours", -1, "%d hours: want 1 to %d", o.Hours, maxHours)
	case o.Round < 1 || o.Round > MaxRoom:
		return badInput("Options.Round", -1, "rounds of %d instances: want 1 to %d", o.Round, MaxRoom)
	case o.Plan != 0 && (o.Plan < o.Hours || o.Plan > maxHours):
		return badInput("Options.Plan", -1, "a plan of %d hours: want %d, the hours of a price, to %d", o.Plan, o.Hours, maxHours)
	}
	for k, n := range running {
		if n < 0 || n > math.MaxInt32 {
			return badInput("Running", k, "%d instances: want 0 to %d", n, math.MaxInt32)
		}
	}
	for i, path := range o.Beside {
		if len(path) != len(b.Kinds) {
			return badInput("Options.Beside", i, "%d kinds: want %d", len(path), len(b.Kinds))
		}
		for k, future := range path {
			for t, n := range future {
				if n < 0 || n > math.MaxInt32 {
					return badInput("Options.Beside", i, "%d instances of kind %d in hour %d: want 0 to %d", n, k, t, math.MaxInt32)
				}
			}
		}
	}
	return nil
}

// Quotes prices one more instance of each kind beside the running instances, by kind.
//
// Time is O(hours·kinds running·plans) for each kind that a commitment could pay for, and
// O(1) for the others; hours with the same instances and commitments count once.
func (b *Book) Quotes(running []int, now time.Time, o Options) ([]Quote, error) {
	if err := o.check(b, running); err != nil {
		return nil, err
	}
	segments, err := b.segments(running, now, &o)
	if err != nil {
		return nil, err
	}
	quotes := make([]Quote, len(b.Kinds))
	for k := range quotes {
		q := &quotes[k]
		*q = Quote{Kind: k, List: b.Kinds[k].OnDemand, Price: b.Kinds[k].OnDemand}
		p := pricer{b, segments, k}
		if !b.committed(k, segments) {
			q.Why = p.words(q.List, 1, now, &o)
			continue
		}
		price, err := p.mean(o.Round)
		if err != nil {
			return nil, err
		}
		q.Price, q.Room = price, p.room()
		q.Why = p.words(price, 1, now, &o)
		if q.Room > 0 && o.Round > 1 {
			q.Why += fmt.Sprintf("; the price is the mean of %d instances", o.Round)
		}
	}
	if o.Plan > 0 {
		if err := b.plan(quotes, running, now, &o); err != nil {
			return nil, err
		}
	}
	return quotes, nil
}

// committed reports whether any commitment serves kind k in any hour.
func (b *Book) committed(k int, segments []segment) bool {
	for i := range segments {
		s := &segments[i]
		if s.units[b.pool[k]] > 0 {
			return true
		}
		for j := range b.plans {
			if s.hourly[j] > 0 && b.plans[j].rates[k] > 0 {
				return true
			}
		}
	}
	return false
}

// Extra returns what n instances of kind k, launched together, add to the bill of an hour,
// and why: the form of Quotes for one kind, and for comparisons of groups of nodes. Extra
// counts on nothing but what is held.
func (b *Book) Extra(k, n int, running []int, now time.Time, o Options) (extra pricing.Money, why string, err error) {
	if err := o.check(b, running); err != nil {
		return 0, "", err
	}
	if n < 0 || n > math.MaxInt32 {
		return 0, "", badInput("n", -1, "%d instances: want 0 to %d", n, math.MaxInt32)
	}
	segments, err := b.segments(running, now, &o)
	if err != nil {
		return 0, "", err
	}
	p := pricer{b, segments, k}
	extra, ok := money(p.extra(n))
	if !ok {
		return 0, "", ErrOverflow
	}
	return extra, p.words(extra, n, now, &o), nil
}

// A pricer prices instances of one kind.
type pricer struct {
	*Book
	segments []segment
	kind     int
}

// extra is what n more instances add to the bill, in nanos an hour: the mean of the hours.
func (p pricer) extra(n int) *big.Rat {
	sum, hours := new(big.Rat), int64(0)
	for i := range p.segments {
		s := &p.segments[i]
		s.counts[p.kind] += n
		d := p.bill(s.counts, s.serving).cost
		s.counts[p.kind] -= n
		d.Sub(d, s.base.cost)
		sum.Add(sum, d.Mul(d, big.NewRat(s.weight, 1)))
		hours += s.weight
	}
	return sum.Quo(sum, big.NewRat(hours, 1))
}

// mean is the price of one of n instances that are launched together.
func (p pricer) mean(n int) (pricing.Money, error) {
	x := p.extra(n)
	m, ok := money(x.Quo(x, big.NewRat(int64(n), 1)))
	if !ok {
		return 0, ErrOverflow
	}
	return m, nil
}

// room counts the instances that cost less than on demand, by halving. Each instance costs at
// least as much as the one before, as long as the prices of a family are in proportion to
// its sizes.
func (p pricer) room() int {
	list := big.NewRat(int64(p.Kinds[p.kind].OnDemand), 1)
	cheap := func(n int) bool { // whether the n-th instance is
		x := p.extra(n)
		return x.Sub(x, p.extra(n-1)).Cmp(list) < 0
	}
	if !cheap(1) {
		return 0
	}
	lo, hi := 1, 2 // lo is cheap
	for hi <= MaxRoom && cheap(hi) {
		lo, hi = hi, 2*hi
	}
	for hi = min(hi, MaxRoom+1); hi-lo > 1; {
		if mid := (lo + hi) / 2; cheap(mid) {
			lo = mid
		} else {
			hi = mid
		}
	}
	return lo
}

// words say why n instances cost extra.
func (p pricer) words(extra pricing.Money, n int, now time.Time, o *Options) string {
	list := p.Kinds[p.kind].OnDemand
	switch {
	case !p.committed(p.kind, p.segments):
		return "no commitment serves this kind: on demand"
	case n > 0 && extra%pricing.Money(n) == 0 && extra/pricing.Money(n) == list && p.usedUp():
		return "the commitments that serve this kind are used up: on demand"
	case n > 0 && extra/pricing.Money(n) > list:
		return "more than on demand, since it takes what is committed from other kinds: " + p.why(p.kind, p.segments, now, o)
	}
	return p.why(p.kind, p.segments, now, o)
}

// usedUp reports whether what is committed for the kind is used in each hour.
func (p pricer) usedUp() bool {
	for i := range p.segments {
		s := &p.segments[i]
		if at := p.pool[p.kind]; s.base.reserved[at] < s.units[at] {
			return false
		}
		for j := range p.plans {
			if p.plans[j].rates[p.kind] > 0 && s.base.paid[j].Cmp(big.NewRat(s.hourly[j], 1)) < 0 {
				return false
			}
		}
	}
	return true
}

// why says what pays for one more instance of kind k in the first hour.
func (b *Book) why(k int, segments []segment, now time.Time, o *Options) string {
	s := &segments[0]
	s.counts[k]++
	more := b.bill(s.counts, s.serving)
	s.counts[k]--
	var parts []string
	size, at := int64(b.Kinds[k].Units), b.pool[k]
	if served := more.reserved[at] - s.base.reserved[at]; served > 0 {
		parts = append(parts, fmt.Sprintf("%s: %d of %d units unused, %s", b.names(b.reserved, at, now, "reservation"),
			s.units[at]-s.base.reserved[at], s.units[at], share("serves", served, size)))
	}
	for i := range b.plans {
		d := new(big.Rat).Sub(more.paid[i], s.base.paid[i])
		if d.Sign() <= 0 {
			continue
		}
		unused := new(big.Rat).Sub(big.NewRat(s.hourly[i], 1), s.base.paid[i])
		part := new(big.Rat).Quo(d, big.NewRat(int64(max(1, b.plans[i].rates[k])), 1))
		parts = append(parts, fmt.Sprintf("%s of %s: %s of %s an hour unused, %s", b.plans[i].name, b.names(b.funded, i, now, "savings plan"),
			dollars(unused), dollars(big.NewRat(s.hourly[i], 1)), share("pays for", part.Num().Int64(), part.Denom().Int64())))
	}
	for j := range b.Kinds {
		was, is := s.base.onDemand[j], more.onDemand[j]
		if is == nil || was != nil && is.Cmp(was) <= 0 {
			continue
		}
		rise := new(big.Rat).Set(is)
		if was != nil {
			rise.Sub(rise, was)
		}
		amount, _ := rise.Float64()
		switch {
		case j != k:
			parts = append(parts, fmt.Sprintf("commitments pay for it and leave %.3g %s on demand", amount, b.Kinds[j].Type))
		case len(parts) == 0:
			parts = append(parts, "all that is committed is used now")
		default:
			parts = append(parts, fmt.Sprintf("the rest, %.3g, runs on demand", amount))
		}
	}
	if len(parts) == 0 {
		parts = append(parts, "commitments pay for it")
	}
	text := strings.Join(parts, "; ")
	if len(segments) > 1 {
		text += fmt.Sprintf("; the price is the mean of %d hours", o.Hours)
		if len(o.Beside) > 1 {
			text += fmt.Sprintf(" in %d futures", len(o.Beside))
		}
	}
	end := now.Add(time.Duration(o.Hours) * time.Hour)
	for _, list := range [][]entry{b.reserved, b.funded} {
		for _, e := range list {
			if e.until.After(now) && e.until.Before(end) {
				text += fmt.Sprintf("; %s ends at %s", e.id, e.until.UTC().Format(time.RFC3339))
			}
		}
	}
	return text
}

// names lists the commitments that serve now, at most three.
func (b *Book) names(list []entry, at int, now time.Time, one string) string {
	var ids []string
	for _, e := range list {
		if e.at == at && !e.until.Before(now.Add(time.Hour)) {
			ids = append(ids, e.id)
		}
	}
	switch {
	case len(ids) == 1:
		return one + " " + ids[0]
	case len(ids) > 3:
		return fmt.Sprintf("%ss %s and %d more", one, strings.Join(ids[:3], ", "), len(ids)-3)
	}
	return one + "s " + strings.Join(ids, ", ")
}

// share says how much of an instance something pays for.
func share(verb string, part, whole int64) string {
	if part >= whole {
		return verb + " all of it"
	}
	return fmt.Sprintf("%s %.3g of it", verb, float64(part)/float64(whole))
}

// dollars writes nanos with two decimals.
func dollars(nanos *big.Rat) string {
	x, _ := nanos.Float64()
	return fmt.Sprintf("%.2f", x/float64(pricing.Unit))
}
