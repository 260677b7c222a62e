package marginal

import (
	"encoding/json"
	"fmt"
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/plimsoll/plimsoll/internal/seeded"
	"pgregory.net/rapid"

	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/reserve"
	"github.com/plimsoll/plimsoll/reserve/savings"
)

var now = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

// fleet is two families, and a type without one.
const kindsText = `[
  {"type": "m5.large",  "family": "m5", "units": 4, "on_demand": 0.10, "plans": {"compute": 0.05, "m5-only": 0.04}},
  {"type": "m5.xlarge", "family": "m5", "units": 8, "on_demand": 0.20, "plans": {"compute": 0.10, "m5-only": 0.08}},
  {"type": "r5.large",  "family": "r5", "units": 4, "on_demand": 0.12, "plans": {"compute": 0.08}},
  {"type": "gpu",       "on_demand": 3}
]`

func market(t testing.TB, text string) *Market {
	t.Helper()
	var kinds []Kind
	if err := json.Unmarshal([]byte(text), &kinds); err != nil {
		t.Fatal(err)
	}
	m, err := NewMarket(kinds)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func book(t testing.TB, m *Market, text string) *Book {
	t.Helper()
	var list []struct {
		Held
		Expires time.Time `json:"expires"`
	}
	if err := json.Unmarshal([]byte(text), &list); err != nil {
		t.Fatal(err)
	}
	var held []Held
	for _, h := range list {
		h.Held.Expires = h.Expires
		held = append(held, h.Held)
	}
	b, notes := m.Book(held, "")
	if len(notes) > 0 {
		t.Fatal(notes)
	}
	return b
}

// Each price by hand.
func TestQuotes(t *testing.T) {
	const (
		ri   = `{"id": "ri-1", "type": "m5.large", "units": 10, "expires": "2027-03-01T00:00:00Z"}`
		soon = `{"id": "ri-2", "type": "m5.large", "units": 10, "expires": "2026-11-22T18:00:00Z"}`
		one  = `{"id": "sp-1", "plan": "compute", "hourly": 0.5, "expires": "2027-03-01T00:00:00Z"}`
	)
	for _, c := range []struct {
		name    string
		held    string
		running []int
		prices  string // of the four kinds
		room    []int
		why     string // of the first kind
	}{
		{"nothing held", ``, []int{5, 0, 0, 0}, "0.1 0.2 0.12 3", []int{0, 0, 0, 0}, "no commitment serves this kind: on demand"},
		// The third xlarge is served by half: below the list price.
		{"half used", ri, []int{5, 0, 0, 0}, "0 0 0.12 3", []int{5, 3, 0, 0}, "reservation ri-1: 20 of 40 units unused, serves all of it"},
		// 4 units are left, which serve half of an xlarge.
		{"one left", ri, []int{9, 0, 0, 0}, "0 0.1 0.12 3", []int{1, 1, 0, 0}, "reservation ri-1: 4 of 40 units unused, serves all of it"},
		{"full", ri, []int{6, 2, 0, 0}, "0.1 0.2 0.12 3", []int{0, 0, 0, 0}, "the commitments that serve this kind are used up: on demand"},
		{"more than full", ri, []int{60, 2, 0, 0}, "0.1 0.2 0.12 3", []int{0, 0, 0, 0}, "the commitments that serve this kind are used up: on demand"},
		// 6 of 24 hours are free.
		{"ends soon", soon, []int{5, 0, 0, 0}, "0.075 0.15 0.12 3", []int{5, 3, 0, 0}, "reservation ri-2: 20 of 40 units unused, serves all of it; the price is the mean of 24 hours; ri-2 ends at 2026-11-22T18:00:00Z"},
		{"plan unused", one, []int{0, 0, 0, 0}, "0 0 0 3", []int{10, 5, 7, 0}, "compute of savings plan sp-1: 0.50 of 0.50 an hour unused, pays for all of it"},
		// 0.02 of the plan is left: 0.4 of a large, 0.2 of an xlarge, 0.25 of an r5 are paid.
		// The r5 saves less than the m5, which the plan pays for first.
		{"plan nearly used", one, []int{0, 0, 6, 0}, "0.045 0.12 0.09 3", []int{10, 5, 1, 0},
			"compute of savings plan sp-1: 0.02 of 0.50 an hour unused, pays for 0.4 of it; commitments pay for it and leave 0.375 r5.large on demand"},
		// The plan is full of r5, and an m5 takes 0.05 of it: 0.625 r5 hours go on demand.
		{"plan displaced", one, []int{0, 0, 10, 0}, "0.075 0.15 0.12 3", []int{10, 5, 0, 0}, "commitments pay for it and leave 0.625 r5.large on demand"},
		{"reservation, then plan", ri + `,` + one, []int{10, 0, 0, 0}, "0 0 0 3", []int{10, 5, 7, 0}, "compute of savings plan sp-1: 0.50 of 0.50 an hour unused, pays for all of it"},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := book(t, market(t, kindsText), "["+c.held+"]")
			quotes, err := b.Quotes(c.running, now, Options{})
			if err != nil {
				t.Fatal(err)
			}
			var prices []string
			var room []int
			for _, q := range quotes {
				prices, room = append(prices, q.Price.String()), append(room, q.Room)
			}
			if got := strings.Join(prices, " "); got != c.prices {
				t.Errorf("prices %s, want %s", got, c.prices)
			}
			if d := cmp.Diff(c.room, room); d != "" {
				t.Errorf("room: %s", d)
			}
			if quotes[0].Why != c.why {
				t.Errorf("why: %s\nwant: %s", quotes[0].Why, c.why)
			}
		})
	}
}

// A price can be above that on demand. The words then do not say "on demand". Each price by
// hand.
func TestWordsAboveList(t *testing.T) {
	for _, c := range []struct{ name, large, price, why string }{
		// An xlarge takes 8 reserved units. A large takes 4 of them, since the smallest size
		// comes first, and half of the xlarge runs on demand: 0.25.
		{"above", "0.10", "0.25", "more than on demand, since it takes what is committed from other kinds: commitments pay for it and leave 0.5 m5.xlarge on demand"},
		{"equal", "0.25", "0.25", "the commitments that serve this kind are used up: on demand"},
		{"below", "0.30", "0.25", "commitments pay for it and leave 0.5 m5.xlarge on demand"},
	} {
		m := market(t, `[{"type": "m5.large", "family": "m5", "units": 4, "on_demand": `+c.large+`},
			{"type": "m5.xlarge", "family": "m5", "units": 8, "on_demand": 0.50}]`)
		b := book(t, m, `[{"id": "ri-1", "type": "m5.xlarge", "units": 1, "expires": "2027-03-01T00:00:00Z"}]`)
		quotes, err := b.Quotes([]int{0, 1}, now, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := quotes[0]; got.Price.String() != c.price || got.Why != c.why {
			t.Errorf("%s: %v, %q; want %s, %q", c.name, got.Price, got.Why, c.price, c.why)
		}
		if got := quotes[1]; got.Price != got.List || got.Why != "the commitments that serve this kind are used up: on demand" {
			t.Errorf("%s: another xlarge: %v, %q; want on demand, used up", c.name, got.Price, got.Why)
		}
	}
}

// A round of n instances has the mean price of its instances.
func TestRound(t *testing.T) {
	b := book(t, market(t, kindsText), `[{"id": "ri-1", "type": "m5.large", "units": 10, "expires": "2027-03-01T00:00:00Z"}]`)
	for _, c := range []struct {
		round int
		want  string
	}{{1, "0"}, {5, "0"}, {10, "0.05"}, {20, "0.075"}} {
		quotes, err := b.Quotes([]int{5, 0, 0, 0}, now, Options{Round: c.round})
		if err != nil {
			t.Fatal(err)
		}
		if got := quotes[0].Price.String(); got != c.want {
			t.Errorf("round of %d: %s, want %s", c.round, got, c.want)
		}
	}
}

// scene is a fleet with one savings plan whose prices are in proportion to sizes, so that
// packages reserve and savings can plan for it.
type scene struct {
	book    *Book
	running []int
	beside  [][][]int
	hours   int
	types   []savings.Type // in units, by pool
	units   []int          // by kind
	pools   []int          // by kind
	held    []pricing.Holding
	funds   []pricing.Holding
}

func drawScene(t *rapid.T, withPlan bool) *scene {
	s := &scene{hours: rapid.IntRange(1, 5).Draw(t, "hours")}
	var kinds []Kind
	for i := range rapid.IntRange(1, 3).Draw(t, "pools") {
		price := pricing.Money(rapid.IntRange(1, 40).Draw(t, "price")) * pricing.Milli
		rate := pricing.Money(rapid.IntRange(1, 40).Draw(t, "rate")) * pricing.Milli
		y := savings.Type{Name: fmt.Sprint(i), OnDemand: price, Plan: rate, Demand: make([]int, s.hours)}
		if rate >= price { // a book never lets a plan pay for it
			y.Plan = 0
		}
		s.types = append(s.types, y)
		for j := range rapid.IntRange(1, 3).Draw(t, "kinds") {
			u := rapid.IntRange(1, 4).Draw(t, "units")
			k := Kind{Type: fmt.Sprintf("%d.%d", i, j), Family: fmt.Sprint(i), Units: u, OnDemand: price * pricing.Money(u)}
			if withPlan {
				k.Plans = map[string]pricing.Money{"sp": rate * pricing.Money(u)}
			}
			kinds, s.units, s.pools = append(kinds, k), append(s.units, u), append(s.pools, i)
		}
	}
	m, err := NewMarket(kinds)
	if err != nil {
		t.Fatal(err)
	}
	var held []Held
	for i := range rapid.IntRange(0, 3).Draw(t, "reservations") {
		k := rapid.IntRange(0, len(kinds)-1).Draw(t, "of")
		n, until := rapid.IntRange(1, 8).Draw(t, "count"), rapid.IntRange(0, s.hours).Draw(t, "until")
		held = append(held, Held{ID: fmt.Sprint("ri", i), Type: kinds[k].Type, Units: n, Expires: now.Add(time.Duration(until) * time.Hour)})
		s.held = append(s.held, pricing.Holding{Class: s.pools[k], Count: n * s.units[k], Until: until})
	}
	if withPlan {
		for i := range rapid.IntRange(0, 2).Draw(t, "plans") {
			n, until := rapid.IntRange(1, 200).Draw(t, "hourly"), rapid.IntRange(0, s.hours).Draw(t, "until")
			held = append(held, Held{ID: fmt.Sprint("sp", i), Plan: "sp", Hourly: pricing.Money(n) * pricing.Milli, Expires: now.Add(time.Duration(until) * time.Hour)})
			s.funds = append(s.funds, pricing.Holding{Count: n, Until: until})
		}
	}
	s.book, _ = m.Book(held, "")
	path := make([][]int, len(kinds))
	for k := range kinds {
		s.running = append(s.running, rapid.IntRange(0, 4).Draw(t, "running"))
		path[k] = rapid.SliceOfN(rapid.IntRange(0, 3), s.hours, s.hours).Draw(t, "beside")
		for h := range s.hours {
			s.types[s.pools[k]].Demand[h] += (s.running[k] + path[k][h]) * s.units[k]
		}
	}
	s.beside = [][][]int{path}
	return s
}

// more is the demand in units with n more instances of kind k in each hour.
func (s *scene) more(k, n int) []savings.Type {
	types := append([]savings.Type(nil), s.types...)
	d := append([]int(nil), types[s.pools[k]].Demand...)
	for h := range d {
		d[h] += n * s.units[k]
	}
	types[s.pools[k]].Demand = d
	return types
}

// mixed is the exact cost by package savings, which knows no kinds and no order in which a
// cloud applies commitments: it minimises. Nothing is for sale.
func (s *scene) mixed(t *rapid.T, types []savings.Type) savings.Plan {
	p := &savings.Problem{Slot: time.Hour, Types: types, Term: 1000 * time.Hour, Unit: pricing.Milli, Held: s.funds, Closed: make([]bool, s.hours)}
	for h := range p.Closed {
		p.Closed[h] = true
	}
	for i := range types {
		p.Classes = append(p.Classes, savings.TypeClass{Type: i, Withdrawn: true, Class: pricing.Class{Name: fmt.Sprint(i), Term: 1000 * time.Hour, Upfront: pricing.Unit}})
	}
	p.HeldReservations = s.held
	var m savings.Solver
	plan, err := m.Solve(p)
	if err != nil {
		t.Fatal(err)
	}
	return plan
}

// The price of one more instance, and of several, is the difference of two exact plans that
// package savings makes, each rounded to a nano.
func TestPriceIsDifferenceOfTwoPlans(t *testing.T) {
	ones, cheap, between, sums := 0, 0, 0, 0
	rapid.Check(t, func(t *rapid.T) {
		s := drawScene(t, true)
		n := rapid.IntRange(1, 5).Draw(t, "more")
		base := s.mixed(t, s.types)
		quotes, err := s.book.Quotes(s.running, now, Options{Hours: s.hours, Beside: s.beside})
		if err != nil {
			t.Fatal(err)
		}
		for k := range quotes {
			if base.Optimal() {
				if one := s.mixed(t, s.more(k, 1)); one.Optimal() {
					near(t, "one more", quotes[k].Price*pricing.Money(s.hours), one.Cost-base.Cost, s.hours)
					switch q := quotes[k]; {
					case q.Price == 0:
						cheap++
					case q.Price < q.List:
						between++
					}
					ones++
				}
			}
			several := s.mixed(t, s.more(k, n))
			x, _, err := s.book.Extra(k, n, s.running, now, Options{Hours: s.hours, Beside: s.beside})
			if err != nil {
				t.Fatal(err)
			}
			if base.Optimal() && several.Optimal() {
				near(t, "several more", x*pricing.Money(s.hours), several.Cost-base.Cost, s.hours)
				sums++
			}
			if quotes[k].Price > quotes[k].List || quotes[k].Price < 0 {
				t.Fatalf("price %v of a list price of %v", quotes[k].Price, quotes[k].List)
			}
		}
	})
	t.Logf("%d prices of one instance checked, %d of them nothing and %d between nothing and on demand; %d of several", ones, cheap, between, sums)
	if ones < 100 || cheap < 10 || between < 10 || sums < 100 {
		seeded.TooFew(t, "%d prices of one instance checked, %d of them nothing and %d between nothing and on demand; %d of several: want 100, 10, 10, 100", ones, cheap, between, sums)
	}
}

// near allows for the rounding of the price, once an hour, and of two costs.
func near(t *rapid.T, what string, got, want pricing.Money, hours int) {
	if d := got - want; d < -pricing.Money(hours)-2 || d > pricing.Money(hours)+2 {
		t.Fatalf("%s: %v, want %v, the difference of two plans", what, got, want)
	}
}

// Room is the number of instances below the list price, one after the other.
func TestRoom(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawScene(t, true)
		o := Options{Hours: s.hours, Beside: s.beside}
		quotes, err := s.book.Quotes(s.running, now, o)
		if err != nil {
			t.Fatal(err)
		}
		segments, err := s.book.segments(s.running, now, &o)
		if err != nil {
			t.Fatal(err)
		}
		for k, q := range quotes {
			list := big.NewRat(int64(q.List), 1)
			p := pricer{s.book, segments, k}
			for n := 1; n <= q.Room+2; n++ {
				x := p.extra(n)
				if cheap := x.Sub(x, p.extra(n-1)).Cmp(list) < 0; cheap != (n <= q.Room) {
					t.Fatalf("kind %d: instance %d is cheap: %v; room %d", k, n, cheap, q.Room)
				}
			}
		}
	})
}

// Prices that count on purchases are differences of two plans by package reserve, and at
// least what the duals say.
func TestPlanPrices(t *testing.T) {
	solved, met := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		s := drawScene(t, false)
		horizon := s.hours + rapid.IntRange(0, 6).Draw(t, "horizon")
		class := pricing.Class{Name: "term", Term: time.Duration(rapid.IntRange(1, 12).Draw(t, "term")) * time.Hour, Billed: pricing.Always}
		fees := make([]pricing.Money, len(s.types))
		for i := range fees {
			fees[i] = pricing.Money(rapid.IntRange(1, 200).Draw(t, "fee")) * pricing.Milli
		}
		kinds := s.book.Kinds
		for k := range kinds {
			c := class
			c.Upfront = fees[s.pools[k]] * pricing.Money(s.units[k])
			kinds[k].Classes = []pricing.Class{c}
		}
		m, err := NewMarket(kinds)
		if err != nil {
			t.Fatal(err)
		}
		b := &Book{Market: m, reserved: s.book.reserved}
		quotes, err := b.Quotes(s.running, now, Options{Hours: s.hours, Beside: s.beside, Plan: horizon})
		if err != nil {
			t.Fatal(err)
		}
		for k, q := range quotes {
			cost := func(d []int) pricing.Money {
				for len(d) < horizon { // the last hour goes on
					d = append(d[:len(d):len(d)], s.types[s.pools[k]].Demand[s.hours-1])
				}
				p := &reserve.Problem{Demand: d, Slot: time.Hour, Every: reserve.Once, Horizon: reserve.Pure,
					Prices: pricing.List{OnDemand: s.types[s.pools[k]].OnDemand, Classes: []pricing.Class{kinds[k].Classes[0], {Name: "held", Term: time.Hour * 1000}}},
					AtMost: []int{reserve.NoCap, 0}}
				p.Prices.Classes[0].Upfront = fees[s.pools[k]]
				for _, h := range s.held {
					if h.Class == s.pools[k] {
						p.Held = append(p.Held, pricing.Holding{Class: 1, Count: h.Count, Until: h.Until})
					}
				}
				var e reserve.Exact
				plan, err := e.Solve(p)
				if err != nil {
					t.Fatal(err)
				}
				return plan.Cost
			}
			want := cost(s.more(k, 1)[s.pools[k]].Demand) - cost(s.types[s.pools[k]].Demand)
			near(t, "price", q.Price*pricing.Money(s.hours), want, s.hours)
			if q.Bound > q.Price+1 || q.Price > q.List {
				t.Fatalf("bound %v, price %v, list %v", q.Bound, q.Price, q.List)
			}
			if q.Solved {
				solved++
			} else {
				met++
			}
		}
	})
	t.Logf("the bounds met in %d of %d prices", met, met+solved)
	if met == 0 || solved == 0 {
		t.Errorf("the bounds met in %d prices and did not in %d: want both", met, solved)
	}
}
