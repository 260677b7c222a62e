// Package generate makes a fleet: the demand curves of a company's accounts, with the prices of a
// provider, and the commitments that the company holds.
//
//	f := generate.Fleet{Seed: 1, Curves: 100_000}
//	terms := f.Terms()
//	var c generate.Curves
//	for i := range f.Curves {
//		c.At(&f, i, &g) // g is a record.Group, which keeps its memory
//	}
//
// Curve i is computed from the seed, the number of curves and i alone, so that workers and
// shards that take different curves agree. Nothing is stored but a few hours of tables.
//
// # What a curve is made of
//
//	size      Pareto with the exponent 1, of the account and of the curve: a few curves
//	          are most of the fleet
//	seasons   an hourly profile of the week, in the time zone of the region, by workload:
//	          services, offices, batch at night, experiments; and a season of the year
//	events    the company's own: days on which all accounts need more
//	walks     of the company, of the region, of the account and of the curve, so that
//	          curves of an account move together, and all curves a little
//	births    every fourth curve begins within the year, every seventh ends within it
//	held      every third curve has reservations that expire within or after the year
//
// # Arithmetic
//
// All of it is in integers, so that a curve is the same on every machine: levels are
// multiples of 2⁻¹⁶, and walks multiply them.
package generate

import (
	"fmt"
	"math"
	"time"

	"github.com/plimsoll/plimsoll/examples/services/fleet/internal/group"
	"github.com/plimsoll/plimsoll/examples/services/fleet/internal/record"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/reserve"
)

// Hours is the length of a curve: a year.
const Hours = 8760

// A Fleet is what the curves are made from.
type Fleet struct {
	Seed   uint64 `json:"seed"`
	Curves int    `json:"curves"`
	// Poison makes one curve of so many one that cannot be planned: an overflow, a demand
	// that is too short, another currency. 0 is none.
	Poison int `json:"poison,omitempty"`
}

// Validate reports what no fleet can be made from.
func (f *Fleet) Validate() error {
	if f.Curves < 1 || f.Curves > most {
		return fmt.Errorf("a fleet of %d curves: want 1 to %d", f.Curves, most)
	}
	if f.Poison < 0 {
		return fmt.Errorf("one poisoned curve of %d: want a number of curves, or 0 for none", f.Poison)
	}
	return nil
}

// most keeps the number of an account within six digits.
const most = 20_000_000

var regions = [...]struct {
	name string
	zone int   // hours from UTC
	dear int64 // prices in percent of those of the first region
}{
	{"us-east", -5, 100},
	{"us-west", -8, 106},
	{"eu-west", 0, 111},
	{"eu-central", 1, 119},
	{"ap-south", 5, 104},
	{"ap-northeast", 9, 128},
}

// families have the price of a unit on demand, and what an hour costs from a savings plan,
// reserved for a year and reserved for three, in permille of that.
var families = [...]struct {
	name                 string
	hourly               pricing.Money
	plan, year, yearPaid int64
	three                int64
}{
	{"general-5", 96 * pricing.Milli, 735, 630, 588, 432},
	{"general-6", 92 * pricing.Milli, 728, 628, 584, 428},
	{"general-7", 101 * pricing.Milli, 742, 661, 617, 447},
	{"general-arm", 77 * pricing.Milli, 726, 630, 587, 431},
	{"general-amd", 86 * pricing.Milli, 731, 629, 586, 430},
	{"burst-3", 41 * pricing.Milli, 728, 624, 582, 427},
	{"burst-4", 33 * pricing.Milli, 720, 622, 580, 425},
	{"compute-5", 85 * pricing.Milli, 719, 626, 583, 429},
	{"compute-6", 82 * pricing.Milli, 713, 629, 587, 432},
	{"compute-7", 89 * pricing.Milli, 734, 661, 617, 448},
	{"compute-arm", 68 * pricing.Milli, 711, 629, 586, 431},
	{"compute-amd", 77 * pricing.Milli, 717, 627, 585, 430},
	{"memory-5", 126 * pricing.Milli, 742, 631, 589, 434},
	{"memory-6", 121 * pricing.Milli, 738, 630, 588, 433},
	{"memory-7", 132 * pricing.Milli, 751, 662, 618, 449},
	{"memory-arm", 101 * pricing.Milli, 733, 631, 588, 432},
	{"memory-high", 167 * pricing.Milli, 705, 602, 561, 401},
	{"storage-3", 156 * pricing.Milli, 691, 680, 638, 468},
	{"storage-4", 171 * pricing.Milli, 694, 684, 641, 471},
	{"network-5", 108 * pricing.Milli, 731, 632, 590, 434},
	{"gpu-4", 526 * pricing.Milli, 744, 641, 599, 441},
	{"gpu-5", 1006 * pricing.Milli, 786, 671, 627, 462},
	{"infer-1", 228 * pricing.Milli, 726, 639, 596, 438},
	{"bare-1", 192 * pricing.Milli, 0, 650, 607, 446}, // no savings plan pays for it
}

// Year is a term of a year.
const Year = Hours * time.Hour

// Start is the first hour of all curves, a Monday.
var Start = time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)

// Terms returns what the curves have in common: purchases once a week, a savings plan of one
// year, and three commitments, which grow with the fleet.
func (f *Fleet) Terms() group.Terms {
	x := group.Terms{Provider: "made-up", Currency: "USD", Start: Start, Hours: Hours, Every: 168, Horizon: reserve.Pure, Term: Year}
	for i, until := range [...]int{2000, 5200, 12_000} {
		x.Held = append(x.Held, group.Commitment{
			Hourly: pricing.Money(f.Curves) * pricing.Money(40-10*i) * pricing.Milli,
			Until:  Start.Add(time.Duration(until) * time.Hour),
		})
	}
	return x
}

// prices sets the prices of g to those of a unit of a kind: on demand, from the savings plan,
// and three classes of reservations.
func prices(g *record.Group, kind int) {
	r, y := &regions[kind/len(families)], &families[kind%len(families)]
	p := y.hourly * pricing.Money(r.dear) / 100
	at := func(permille int64) pricing.Money { return p * pricing.Money(permille) / 1000 }
	g.Region, g.Kind, g.Currency, g.Unit = r.name, y.name, "USD", "unit"
	g.List.OnDemand, g.Savings = p, at(y.plan)
	g.List.Classes = append(g.List.Classes[:0],
		pricing.Class{Name: "1y no upfront", Term: Year, Hourly: at(y.year), Billed: pricing.Always},
		pricing.Class{Name: "1y all upfront", Term: Year, Upfront: at(y.yearPaid) * Hours, Billed: pricing.Always},
		pricing.Class{Name: "3y no upfront", Term: 3 * Year, Hourly: at(y.three), Billed: pricing.Always})
}

// A stream is a sequence of random words from a seed: SplitMix64, of Steele, Lea and Flood
// (2014), whose state is a counter, so that a stream begins anywhere at no cost.
type stream uint64

func newStream(parts ...uint64) stream {
	s := stream(0x9e3779b97f4a7c15)
	for _, p := range parts {
		s ^= stream(p)
		s = stream(s.next())
	}
	return s
}

func (s *stream) next() uint64 {
	*s += 0x9e3779b97f4a7c15
	z := uint64(*s)
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// below returns a number from 0 to n-1, n at most 2³².
func (s *stream) below(n int) int { return int(s.next() >> 32 * uint64(n) >> 32) }

// bell returns a number of mean 0 and standard deviation about one, in multiples of 2⁻¹⁶: the
// sum of the four parts of a word.
func (s *stream) bell() int64 {
	w := s.next()
	sum := int64(w&0xffff) + int64(w>>16&0xffff) + int64(w>>32&0xffff) + int64(w>>48) - 2*0xffff
	return sum * 7 / 4 >> 1 * 2 // four uniform parts have the deviation 1/√3 of 2¹⁶
}

// pareto returns a number of at least one whose chance to exceed x is 1/x, at most limit.
func (s *stream) pareto(limit int64) int64 {
	return min(limit, 1<<16*(1<<32)/int64(s.next()>>32+1))
}

const one = 1 << 16

// walk fills to with a walk that begins at 1, takes a step of about so many parts of 2⁻¹⁶
// each so many hours, and is drawn back to 1.
func walk(to []int32, s stream, hours int, step int64) {
	level := int64(one)
	for t := range to {
		if t%hours == 0 {
			level += level * (s.bell() * step >> 16) >> 16
			level += (one - level) / 32
			level = max(one/8, min(8*one, level))
		}
		to[t] = int32(level)
	}
}

// The kinds of streams.
const (
	ofCompany = iota + 1
	ofRegion
	ofAccount
	ofCurve
	ofEvents
)

// perAccount is the number of curves of an account.
const perAccount = 20

// Curves makes curves. It keeps the tables of the fleet and of the last account; its zero
// value is ready. One goroutine at a time.
type Curves struct {
	fleet   Fleet
	ready   bool
	company []int32   // walk, season and events
	region  [][]int32 // walk
	account []int32
	number  int // of account, plus 1
	own     []int32
}

// At sets g to curve i of the fleet, in g's memory. No other curve has its key.
func (c *Curves) At(f *Fleet, i int, g *record.Group) {
	if i < 0 || i >= f.Curves {
		panic("generate: no such curve")
	}
	if !c.ready || c.fleet != *f {
		c.load(f)
	}
	number := i / perAccount
	if c.number != number+1 {
		s := newStream(f.Seed, ofAccount, uint64(number))
		c.number = number + 1
		walk(c.account, s, 24, 1200)
	}
	account := newStream(f.Seed, ofAccount, uint64(number), 1)
	accountSize := account.pareto(300 * one)
	kinds := len(regions) * len(families)
	// 35 has no factor in common with 144, so that an account's kinds differ.
	kind := (account.below(kinds) + 35*(i%perAccount)) % kinds
	region := kind / len(families)

	s := newStream(f.Seed, ofCurve, uint64(i))
	size := s.pareto(300 * one)
	level := (accountSize >> 8) * (size >> 8) // units, on average, in 2⁻¹⁶
	level = min(level, 3000*one)
	profile := &profiles[s.below(len(profiles))]
	born, gone := 0, Hours
	if s.below(4) == 0 {
		born = s.below(Hours)
	}
	if s.below(7) == 0 {
		gone = born + s.below(Hours-born)
	}
	shift := regions[region].zone + 24
	noise := int64(one) * int64(s.below(20)) / 100
	walk(c.own, s, 24*7, 6000)
	s.next()
	demand := g.Demand[:0]
	for t := range Hours {
		if t < born || t >= gone {
			demand = append(demand, 0)
			continue
		}
		x := level * int64(c.own[t]) >> 16
		x = x * int64(c.company[t]) >> 16
		x = x * int64(c.region[region][t]) >> 16
		x = x * int64(c.account[t]) >> 16
		x = x * profile[(t+shift)%168] >> 10
		if noise > 0 {
			x += x * (s.bell() * noise >> 16) >> 16
		}
		if age := t - born; born > 0 && age < 336 { // two weeks to grow
			x = x * int64(age+1) / 336
		}
		demand = append(demand, int(max(0, x+one/2)>>16))
	}
	held := g.Held[:0]
	if h := newStream(f.Seed, ofCurve, uint64(i), 1); born == 0 && h.below(3) == 0 {
		if units := int(level * int64(20+h.below(60)) / 100 >> 16); units > 0 {
			until := Start.Add(time.Duration(1+h.below(3*Hours/2)) * time.Hour)
			held = append(held, record.Contract{ID: fmt.Sprintf("held-%08d", i), Units: units, Until: until})
		}
	}
	*g = record.Group{List: g.List, Demand: demand, Held: held, Start: Start}
	g.Account = fmt.Sprintf("account-%06d", number)
	prices(g, kind)
	if f.Poison > 0 && i%f.Poison == f.Poison/2 {
		switch i / f.Poison % 3 {
		case 0:
			g.List.OnDemand = math.MaxInt64
		case 1:
			g.Demand = g.Demand[:Hours-1]
		case 2:
			g.Currency = "EUR"
		}
	}
}

// load makes the tables of a fleet.
func (c *Curves) load(f *Fleet) {
	*c = Curves{fleet: *f, ready: true, company: make([]int32, Hours), account: make([]int32, Hours), own: make([]int32, Hours)}
	walk(c.company, newStream(f.Seed, ofCompany), 24, 500)
	events := newStream(f.Seed, ofEvents)
	var high [365]int64
	for range 9 { // days on which all accounts need more
		high[events.below(365)] = int64(events.below(one / 2))
	}
	for t := range c.company {
		day := t / 24
		// The year rises by a tenth to its end, and dips in summer.
		season := int64(one) + one/10*int64(day)/365
		if day > 180 && day < 240 {
			season -= one / 12
		}
		c.company[t] = int32(int64(c.company[t]) * (season + high[day]) >> 16)
	}
	for r := range regions {
		w := make([]int32, Hours)
		walk(w, newStream(f.Seed, ofRegion, uint64(r)), 24, 700)
		c.region = append(c.region, w)
	}
}

// profiles are the weeks of the workloads, in parts of 2⁻¹⁰ of the size, from midnight of a
// Monday in the region's time.
var profiles = func() (p [5][168]int64) {
	for h := range 168 {
		day, hour := h/24, h%24
		weekend := day >= 5
		// Services: a hump that is highest in the evening.
		evening := int64((hour - 19 + 36) % 24) // 12 at 19:00
		evening = max(0, 12-max(evening-12, 12-evening))
		p[0][h] = 700 + 45*evening
		// Offices: working hours.
		p[1][h] = 250
		if !weekend && hour >= 8 && hour < 19 {
			p[1][h] = 1200
		}
		// Batch at night.
		p[2][h] = 350
		if hour < 6 {
			p[2][h] = 1700
		}
		// What always runs.
		p[3][h] = 1000
		// Experiments: weekdays, long tails.
		p[4][h] = 500
		if !weekend {
			p[4][h] = 800 + 30*int64(hour)
		}
	}
	return p
}()
