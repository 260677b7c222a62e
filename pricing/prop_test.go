package pricing

import (
	"cmp"
	"flag"
	"fmt"
	"math"
	"math/big"
	"os"
	"slices"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	_ "github.com/plimsoll/plimsoll/internal/seeded"
	"pgregory.net/rapid"
)

// The properties are tested on the same random cases each time, those of this
// seed, unless -rapid.seed and -rapid.checks ask for others.
const (
	seed   = "20140319"
	checks = "1000"
)

func TestMain(m *testing.M) {
	// Flags on the command line are parsed later, by Run, and prevail.
	for name, value := range map[string]string{"rapid.seed": seed, "rapid.checks": checks} {
		if err := flag.Set(name, value); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run())
}

// rounded is num/den rounded by r, by the definitions of the roundings.
func rounded(q *big.Rat, r Rounding) *big.Int {
	neg := q.Sign() < 0
	abs := new(big.Rat).Abs(q)
	floor := new(big.Int).Quo(abs.Num(), abs.Denom())
	rest := new(big.Rat).Sub(abs, new(big.Rat).SetInt(floor))
	half := rest.Cmp(big.NewRat(1, 2))
	if r == Up && rest.Sign() > 0 || r == HalfUp && half >= 0 || r == HalfEven && (half > 0 || half == 0 && floor.Bit(0) == 1) {
		floor.Add(floor, big.NewInt(1))
	}
	if neg {
		floor.Neg(floor)
	}
	return floor
}

func bigMoney(m Money) *big.Int { return big.NewInt(int64(m)) }

// checkMoney compares a result with the exact one, or expects ErrOverflow.
func checkMoney(t *rapid.T, name string, want *big.Int, got Money, err error) {
	t.Helper()
	if fits := want.IsInt64(); fits != (err == nil) || fits && want.Int64() != int64(got) {
		t.Fatalf("%s: %d, %v, want %v", name, got, err, want)
	}
}

// anyInt64 draws small numbers, large ones, and the ends of the range.
func anyInt64(t *rapid.T, name string) int64 {
	switch rapid.IntRange(0, 2).Draw(t, name+" kind") {
	case 0:
		return rapid.Int64Range(-20, 20).Draw(t, name)
	case 1:
		return rapid.Int64().Draw(t, name) >> rapid.IntRange(0, 63).Draw(t, name+" shift")
	}
	return rapid.SampledFrom([]int64{math.MinInt64, math.MinInt64 + 1, math.MaxInt64 - 1, math.MaxInt64, 1 << 62, 1 << 32, 3600e9}).Draw(t, name)
}

// Add, Sub, Mul, Over and Prorate against math/big.
func TestPropMoney(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := anyInt64(t, "a"), anyInt64(t, "b")
		r := Rounding(rapid.IntRange(0, 3).Draw(t, "rounding"))
		x, y := big.NewInt(a), big.NewInt(b)
		got, err := Money(a).Add(Money(b))
		checkMoney(t, "Add", new(big.Int).Add(x, y), got, err)
		got, err = Money(a).Sub(Money(b))
		checkMoney(t, "Sub", new(big.Int).Sub(x, y), got, err)
		got, err = Money(a).Mul(b)
		checkMoney(t, "Mul", new(big.Int).Mul(x, y), got, err)
		product := new(big.Rat).SetInt(new(big.Int).Mul(x, y))
		got, err = Money(a).Over(time.Duration(b), r)
		checkMoney(t, "Over", rounded(new(big.Rat).Quo(product, new(big.Rat).SetInt64(int64(time.Hour))), r), got, err)
		if whole := anyInt64(t, "whole"); whole > 0 {
			got, err = Money(a).Prorate(time.Duration(b), time.Duration(whole), r)
			checkMoney(t, "Prorate", rounded(new(big.Rat).Quo(product, new(big.Rat).SetInt64(whole)), r), got, err)
		}
	})
}

// What is printed is read back, and what is read is what math/big reads.
func TestPropMoneyText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := Money(anyInt64(t, "m"))
		if back, err := ParseMoney(m.String()); back != m || err != nil {
			t.Fatalf("%d prints as %q and reads as %d, %v", m, m, back, err)
		}
		d := rapid.IntRange(0, 9).Draw(t, "decimals")
		scale := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(9-d)), nil)
		fixed, _ := new(big.Rat).SetString(m.Fixed(d))
		want := new(big.Rat).SetInt(new(big.Int).Mul(rounded(new(big.Rat).SetFrac(bigMoney(m), scale), HalfEven), scale))
		if fixed.Mul(fixed, new(big.Rat).SetInt64(int64(Unit))).Cmp(want) != 0 {
			t.Fatalf("%v with %d decimals is %s", m, d, m.Fixed(d))
		}
		s := rapid.StringMatching(`-?[0-9]{1,12}(\.[0-9]{1,12})?(e-?[0-9]{1,2})?`).Draw(t, "s")
		q, _ := new(big.Rat).SetString(s)
		q.Mul(q, new(big.Rat).SetInt64(int64(Unit)))
		got, err := parseDecimal(s, true)
		if exact := q.IsInt() && q.Num().IsInt64(); exact != (err == nil) || exact && q.Num().Int64() != int64(got) {
			t.Fatalf("%s is %d, %v, want %v nanos", s, got, err, q)
		}
	})
}

// anyWide draws an integer of up to the given number of bits.
func anyWide(t *rapid.T, name string, most int) (w long) {
	for i := range w {
		w[i] = rapid.Uint64().Draw(t, name)
	}
	for n := rapid.IntRange(0, most).Draw(t, name+" bits"); w.length() > n; {
		w = w.half()
	}
	return w
}

func bigWide(w long) *big.Int {
	b := new(big.Int)
	for i := words - 1; i >= 0; i-- {
		b.Lsh(b, 64).Or(b, new(big.Int).SetUint64(w[i]))
	}
	return b
}

// The long arithmetic against math/big, within its bounds.
func TestPropWide(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := anyWide(t, "a", 192), anyWide(t, "b", 192)
		x, y := bigWide(a), bigWide(b)
		word := rapid.Uint64().Draw(t, "word")
		equal := func(name string, want *big.Int, got long) {
			if bigWide(got).Cmp(want) != 0 {
				t.Fatalf("%s of %v and %v is %v, want %v", name, x, y, bigWide(got), want)
			}
		}
		equal("plus", new(big.Int).Add(x, y), a.plus(b))
		equal("by", new(big.Int).Mul(x, y), a.by(b))
		equal("times", new(big.Int).Mul(x, new(big.Int).SetUint64(word)), a.times(word))
		equal("half", new(big.Int).Rsh(x, 1), a.half())
		n := rapid.IntRange(0, 192).Draw(t, "shift")
		equal("shift", new(big.Int).Lsh(x, uint(n)), a.shift(n))
		if a.length() != x.BitLen() || a.compare(b) != x.Cmp(y) {
			t.Fatalf("length %d and comparison %d of %v and %v", a.length(), a.compare(b), x, y)
		}
		if a.compare(b) >= 0 {
			equal("minus", new(big.Int).Sub(x, y), a.minus(b))
		}
		if y.Sign() == 0 {
			return
		}
		want, rest := new(big.Int).QuoRem(x, y, new(big.Int))
		q, left, ok := a.over(b)
		if ok != want.IsUint64() || ok && (q != want.Uint64() || bigWide(left).Cmp(rest) != 0) {
			t.Fatalf("%v / %v is %d rest %v, %v", x, y, q, bigWide(left), ok)
		}
		r := Rounding(rapid.IntRange(0, 3).Draw(t, "rounding"))
		sum := rounded(new(big.Rat).SetFrac(x, y), r)
		m, ok := a.money(b, r)
		if ok != sum.IsInt64() || ok && sum.Int64() != int64(m) {
			t.Fatalf("%v / %v is %d, %v, want %v", x, y, m, ok, sum)
		}
		if x.Cmp(y) <= 0 {
			want, _ := new(big.Rat).SetFrac(x, y).Float64()
			if got := a.ratio(b); got != want {
				t.Fatalf("%v / %v is %v, want %v", x, y, got, want)
			}
		}
	})
}

// anyList draws a list with small prices and terms of a few hours, so that lines
// cross in corners and ties are frequent.
func anyList(t *rapid.T, terms []time.Duration) List {
	l := List{OnDemand: Money(rapid.Int64Range(0, 10).Draw(t, "on demand")) * Unit}
	for k := range rapid.IntRange(0, 6).Draw(t, "classes") {
		l.Classes = append(l.Classes, Class{
			Name:    fmt.Sprint(k),
			Term:    rapid.SampledFrom(terms).Draw(t, "term"),
			Upfront: Money(rapid.Int64Range(0, 20).Draw(t, "upfront")) * Unit,
			Hourly:  Money(rapid.Int64Range(0, 10).Draw(t, "hourly")) * Unit,
			Billed:  Billing(rapid.IntRange(0, 1).Draw(t, "billed")),
		})
	}
	return l
}

// costAt is the cost per hour at utilisation u, exactly.
func costAt(c Class, u *big.Rat) *big.Rat {
	cost := new(big.Rat).SetFrac64(int64(c.Upfront), int64(c.Term/time.Hour))
	hourly := new(big.Rat).SetInt64(int64(c.Hourly))
	if c.Billed == WhenUsed {
		hourly.Mul(hourly, u)
	}
	return cost.Add(cost, hourly)
}

// The envelope against brute force: a class is on it if and only if between some
// two neighbouring crossings of any lines it is the cheapest, the first such in
// the list; it is so from its From to the next one's.
func TestPropEnvelope(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := anyList(t, []time.Duration{time.Hour, 2 * time.Hour, 3 * time.Hour, 10 * time.Hour})
		if rapid.Bool().Draw(t, "large") {
			// The same envelope with prices near the largest, but for odd nanos.
			for k := range l.Classes {
				l.Classes[k].Upfront = l.Classes[k].Upfront*10_000_000 + Money(rapid.Int64Range(0, 2).Draw(t, "nanos"))
				l.Classes[k].Hourly = l.Classes[k].Hourly*10_000_000 + Money(rapid.Int64Range(0, 2).Draw(t, "nanos"))
			}
			l.OnDemand *= 10_000_000
		}
		term := rapid.SampledFrom([]time.Duration{0, 3 * time.Hour}).Draw(t, "only")
		options := []Class{OnDemand(l.OnDemand)}
		index := []int{-1}
		for k, c := range l.Classes {
			if term == 0 || c.Term == term {
				options, index = append(options, c), append(index, k)
			}
		}
		corners := []*big.Rat{new(big.Rat), big.NewRat(1, 1)}
		zero, one := corners[0], corners[1]
		for _, a := range options {
			for _, b := range options[1:] {
				da := new(big.Rat).Sub(costAt(a, zero), costAt(b, zero))
				db := new(big.Rat).Sub(costAt(a, one), costAt(b, one))
				if da.Sign()*db.Sign() < 0 {
					corners = append(corners, new(big.Rat).Quo(da, new(big.Rat).Sub(da, db)))
				}
			}
		}
		slices.SortFunc(corners, (*big.Rat).Cmp)
		var want []Level
		for i, from := range corners[:len(corners)-1] {
			to := corners[i+1]
			middle := new(big.Rat).Mul(new(big.Rat).Add(from, to), big.NewRat(1, 2))
			if from.Cmp(to) == 0 {
				continue
			}
			best := 0
			for j, c := range options {
				if costAt(c, middle).Cmp(costAt(options[best], middle)) < 0 {
					best = j
				}
			}
			if len(want) > 0 && want[len(want)-1].Class == index[best] {
				continue
			}
			level := Level{Class: index[best]}
			level.From, _ = from.Float64()
			if len(want) > 0 {
				use := new(big.Rat).Mul(from, new(big.Rat).SetInt64(int64(options[best].Term)))
				level.Use = time.Duration(rounded(use, Up).Int64())
			}
			want = append(want, level)
		}
		got, err := l.AppendEnvelope(nil, term)
		if err != nil {
			t.Fatal(err)
		}
		if diff := gocmp.Diff(want, got); diff != "" {
			t.Fatalf("%v (-want +got):\n%s", l, diff)
		}
		// A level above on demand breaks even there with the one below.
		for i := 1; i < len(got); i++ {
			below := OnDemand(l.OnDemand)
			if got[i-1].Class >= 0 {
				below = l.Classes[got[i-1].Class]
			}
			if u, ok := l.Classes[got[i].Class].BreakEven(below); u != got[i].From || !ok {
				t.Fatalf("level %d begins at %v and breaks even at %v, %v", i, got[i].From, u, ok)
			}
		}
	})
}

// The meter against a walk from charge to charge, and what NextCharge promises.
func TestPropMeter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := Meter{
			Minimum:   time.Duration(rapid.IntRange(0, 20).Draw(t, "minimum")),
			Increment: time.Duration(rapid.IntRange(1, 20).Draw(t, "increment")),
			StartUp:   Money(rapid.IntRange(0, 5).Draw(t, "fee")),
		}
		length := time.Duration(rapid.IntRange(0, 100).Draw(t, "length"))
		paid := m.Minimum
		for paid < length {
			paid += m.Increment
		}
		if got := m.Charged(length); got != paid {
			t.Fatalf("%v charges %d for %d, want %d", m, got, length, paid)
		}
		next := m.NextCharge(length)
		if next < length || m.Charged(next) != paid || m.Charged(next+1) == paid {
			t.Fatalf("%v: next charge of %d at %d", m, length, next)
		}
		if cost, err := m.Cost(Money(time.Hour), length); cost != Money(paid)+m.StartUp || err != nil {
			t.Fatalf("%v costs %d, %v for %d", m, cost, err, length)
		}
	})
}

// anyPlan draws a demand in hours and purchases at multiples of every hours.
func anyPlan(t *rapid.T, l List, every int) (demand []int, purchases []Purchase) {
	demand = rapid.SliceOfN(rapid.IntRange(0, 5), 0, 24).Draw(t, "demand")
	if len(demand) > 0 && len(l.Classes) > 0 {
		for range rapid.IntRange(0, 6).Draw(t, "purchases") {
			purchases = append(purchases, Purchase{
				Slot:  rapid.IntRange(0, (len(demand)-1)/every).Draw(t, "slot") * every,
				Class: rapid.IntRange(0, len(l.Classes)-1).Draw(t, "class"),
				Count: rapid.IntRange(0, 3).Draw(t, "count"),
			})
		}
	}
	return demand, purchases
}

// literalBill computes a bill of hours as [Niu16] writes it: U and S as matrices,
// the rate of each instance by the cases of Eq. (2), the first one mended. Usage
// is folded into intervals of the given number of hours first.
func literalBill(l List, demand []int, purchases []Purchase, fold int) (total, pure *big.Rat) {
	classes := make([]int, len(l.Classes)) // C_h first
	for k := range classes {
		classes[k] = k
	}
	price := func(k int) Money {
		if l.Classes[k].Billed == Always {
			return 0
		}
		return l.Classes[k].Hourly
	}
	slices.SortStableFunc(classes, func(a, b int) int { return cmp.Compare(price(a), price(b)) })
	n := (len(demand) + fold - 1) / fold
	u := make([][]int64, n)    // U_ij, with j from 1
	active := make([][]int, n) // S_ik
	for i := range n {
		u[i], active[i] = make([]int64, 7), make([]int, len(l.Classes))
		for _, d := range demand[i*fold : min(len(demand), (i+1)*fold)] {
			for j := 1; j <= d; j++ {
				u[i][j]++
			}
		}
	}
	total, residual := new(big.Rat), new(big.Rat)
	for _, p := range purchases {
		c := l.Classes[p.Class]
		fee := int64(c.Upfront)
		if c.Billed == Always {
			fee += int64(c.Hourly) * int64(c.Term/time.Hour)
		}
		fee *= int64(p.Count)
		total.Add(total, new(big.Rat).SetInt64(fee))
		hours := int(c.Term / time.Hour)
		for i := p.Slot / fold; i < min(n, (p.Slot+hours)/fold); i++ {
			active[i][p.Class] += p.Count
		}
		if unused := p.Slot + hours - len(demand); unused > 0 {
			residual.Add(residual, new(big.Rat).Mul(new(big.Rat).SetInt64(fee), big.NewRat(int64(unused), int64(hours))))
		}
	}
	for i := range u {
		for j := range u[i] {
			rate, below := l.OnDemand, 0
			for _, k := range classes {
				if below < j && j <= below+active[i][k] {
					rate = price(k)
				}
				below += active[i][k]
			}
			total.Add(total, new(big.Rat).SetInt64(u[i][j]*int64(rate)))
		}
	}
	return total, new(big.Rat).Sub(total, residual)
}

// Bills against the paper's formulas, purchases every hour and every few hours;
// the used and idle slots and the parts add up; a used Biller gives what a new
// one gives; nothing that is passed in changes.
func TestPropBill(t *testing.T) {
	var used Biller
	rapid.Check(t, func(t *rapid.T) {
		fold := rapid.SampledFrom([]int{1, 4}).Draw(t, "fold")
		f := time.Duration(fold) * time.Hour
		l := anyList(t, []time.Duration{f, 2 * f, 5 * f})
		demand, purchases := anyPlan(t, l, fold)
		if fold > 1 {
			demand = append(demand, make([]int, (fold-len(demand)%fold)%fold)...) // whole intervals
		}
		list, wanted, bought := List{l.OnDemand, slices.Clone(l.Classes)}, slices.Clone(demand), slices.Clone(purchases)
		got, err := used.Bill(l, demand, time.Hour, purchases)
		if err != nil {
			t.Fatal(err)
		}
		if diff := gocmp.Diff([]any{list, wanted, bought}, []any{l, demand, purchases}); diff != "" {
			t.Fatalf("changed (-want +got):\n%s", diff)
		}
		total, pure := literalBill(l, demand, purchases, fold)
		if total.Cmp(new(big.Rat).SetInt64(int64(got.Total))) != 0 {
			t.Fatalf("total %v, want %v nanos", got.Total, total)
		}
		// Each class rounds its residual value to the nearest nano, once.
		off := new(big.Rat).Sub(pure, new(big.Rat).SetInt64(int64(got.Pure)))
		if off.Abs(off).Cmp(big.NewRat(int64(len(l.Classes)), 2)) > 0 {
			t.Fatalf("pure %v, want %v nanos", got.Pure, pure)
		}
		var served, sum, rest int64
		for _, d := range demand {
			rest += int64(d)
		}
		for _, c := range got.Classes {
			served += c.UsedSlots
			sum += int64(c.Total() - c.Residual)
		}
		if served+got.OnDemandSlots != rest || sum+int64(got.OnDemand) != int64(got.Pure) {
			t.Fatalf("%d served and %d on demand of %d; parts %d of %d", served, got.OnDemandSlots, rest, sum, got.Pure)
		}
		var active int64
		for _, p := range purchases {
			active += int64(p.Count) * min(int64(l.Classes[p.Class].Term/time.Hour), int64(len(demand)-p.Slot))
		}
		for _, c := range got.Classes {
			active -= c.UsedSlots + c.IdleSlots
		}
		if active != 0 {
			t.Fatalf("%d active slots neither used nor idle", active)
		}
		fresh, err := new(Biller).Bill(l, demand, time.Hour, purchases)
		if diff := gocmp.Diff(fresh, got, cmpopts.EquateEmpty()); diff != "" || err != nil {
			t.Fatalf("%v (-fresh +used):\n%s", err, diff)
		}
		// Shuffled purchases, split ones, and prices times three.
		var split []Purchase
		for _, p := range purchases {
			split = append(split, Purchase{p.Slot, p.Class, p.Count / 2}, Purchase{p.Slot, p.Class, p.Count - p.Count/2})
		}
		if len(split) > 0 {
			split = rapid.Permutation(split).Draw(t, "split")
		}
		again, err := new(Biller).Bill(l, demand, time.Hour, split)
		if diff := gocmp.Diff(fresh, again, cmpopts.EquateEmpty()); diff != "" || err != nil {
			t.Fatalf("%v, split (-want +got):\n%s", err, diff)
		}
		triple := List{3 * l.OnDemand, slices.Clone(l.Classes)}
		for k := range triple.Classes {
			triple.Classes[k].Upfront *= 3
			triple.Classes[k].Hourly *= 3
		}
		dear, err := new(Biller).Bill(triple, demand, time.Hour, purchases)
		if dear.Total != 3*fresh.Total || err != nil {
			t.Fatalf("three times the prices: %v, %v, want %v", dear.Total, err, 3*fresh.Total)
		}
	})
}

// Sustained use against the rate of every half slot.
func TestPropSustained(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var s SustainedUse
		for i := range s {
			most := full
			if i > 0 {
				most = s[i-1]
			}
			s[i] = rapid.IntRange(0, most).Draw(t, "rate")
		}
		month := time.Duration(rapid.IntRange(28, 31).Draw(t, "days")) * 24 * time.Hour
		const half = 6 * time.Hour // quarters of 28 and 31 days are 28 and 31 of them
		halves := rapid.IntRange(0, int(month/half)).Draw(t, "halves")
		var want Money
		for i := range halves {
			want += 6 * Unit * Money(s[time.Duration(i)*half*4/month]) / full
		}
		if got, err := s.Cost(Unit, time.Duration(halves)*half, month); got != want || err != nil {
			t.Fatalf("%v, %v, want %v", got, err, want)
		}
	})
}

// No joining of leases into instances is cheaper than to stack them. The joinings tried give
// each moment's instances to random ones that are free.
func TestPropInferred(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const n = 12 // hours in a month, three in a quarter
		var stacked, other [5]int
		for _, c := range rapid.SliceOfN(rapid.IntRange(0, 3), 0, n).Draw(t, "counts") {
			for j := range c {
				stacked[j]++
			}
			for _, j := range rapid.Permutation([]int{0, 1, 2, 3, 4}).Draw(t, "who")[:c] {
				other[j]++
			}
		}
		var cost [2]Money
		for k, use := range [][5]int{stacked, other} {
			for _, h := range use {
				each, err := GCE2014SustainedUse.Cost(Unit, time.Duration(h)*time.Hour, n*time.Hour)
				if err != nil {
					t.Fatal(err)
				}
				cost[k] += each
			}
		}
		if cost[1] < cost[0] {
			t.Fatalf("inferred instances cost %v, others %v", cost[0], cost[1])
		}
	})
}
