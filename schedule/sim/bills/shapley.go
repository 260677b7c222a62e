package bills

import (
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/plimsoll/plimsoll/federation/coalition"
	"github.com/plimsoll/plimsoll/internal/grow"
	"github.com/plimsoll/plimsoll/internal/wide"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/schedule/trace"
)

// The Shapley value of the savings of reservations.
//
//	v(S) = Σ_j g(U_j(S)),  g(U) = max(0, max_k (p_0 − p_k)·U − f_k)
//
// Idea. The hours of use of the j-th instance, U_j, change by little when a user joins:
// only in the hours in which the user has jobs. So a joining is cheap, and all savings are
// known by the way. Full instances between the old and the new use of an hour are
// written to a difference array, and partial ones by themselves; one pass over the
// instances adds both up.
//
// Exact: a walk through the tree of "user i takes part, or not" visits all 2ⁿ coalitions
// with 2ⁿ joinings, for a coalition.Solver.
//
// Sampled: a coalition.Sampler lets the users join in random orders.
//
// Invariant: used[j] is U_j and value is v of the users who have joined.

const (
	// MaxExact is the greatest number of users whose Shapley value is exact.
	MaxExact = 12
	// Pairs is how many orders of the users are drawn, each taken forwards and backwards.
	Pairs = 100

	// hour is an hour of an instance, in the units of use.
	hour = uint64(time.Hour / time.Microsecond)
	// maxLevels is the most instances at once, for 200 MB of memory.
	maxLevels = 1 << 22
)

// An amount is the use of a user in an hour.
type amount struct {
	hour int
	used uint64
}

// A game has the savings of all coalitions of users.
type game struct {
	first   int      // the first hour
	sum     []uint64 // by hour: of all users
	own     []uint64 // by hour: of the present user
	touched []int
	amounts []amount
	ends    []int // by user: of the amounts

	cost    pricing.Money // of an hour on demand
	saves   []pricing.Money
	fixed   []pricing.Money
	at      []uint64 // by hour: of those who have joined
	used    []uint64 // by instance: U_j
	gain    []pricing.Money
	part    []uint64
	diff    []int64
	value   pricing.Money
	solver  coalition.Solver
	sampler coalition.Sampler
	table   coalition.Costs
	joining func(joined []int) (pricing.Money, error) // g.join, made once
	shares  []coalition.Share
	weights []uint64
}

// begin makes the game that of nobody.
func (g *game) begin(u *Usage) {
	g.amounts, g.ends, g.touched = g.amounts[:0], g.ends[:0], g.touched[:0]
	first, last := math.MaxInt, 0
	for i := range u.Jobs {
		from := int(u.Starts[i] / time.Hour)
		first = min(first, from)
		last = max(last, int((u.Starts[i]+u.Jobs[i].Run)/time.Hour)+1)
	}
	if len(u.Jobs) == 0 {
		first = 0
	}
	g.first = first
	g.sum, g.own = grow.Zero(g.sum, last-first+1), grow.Zero(g.own, last-first+1)
}

// use adds a job of the present user.
func (g *game) use(start time.Duration, j *trace.Job) {
	from := uint64(start / time.Microsecond)
	to := from + micros(j.Run)
	for from < to {
		h := from / hour
		end := min(to, (h+1)*hour)
		k := int(h) - g.first
		if g.own[k] == 0 {
			g.touched = append(g.touched, k)
		}
		g.own[k] += (end - from) * uint64(j.Nodes)
		from = end
	}
}

// endUser ends the present user.
func (g *game) endUser() error {
	slices.Sort(g.touched)
	for _, k := range g.touched {
		g.amounts = append(g.amounts, amount{k, g.own[k]})
		g.sum[k] += g.own[k]
		g.own[k] = 0
		if g.sum[k] > maxLevels*hour {
			return badInput("Jobs.Nodes", -1, ErrTooLarge, "more than %d instances at once: want fewer", maxLevels)
		}
	}
	g.touched = g.touched[:0]
	g.ends = append(g.ends, len(g.amounts))
	return nil
}

// price sets what the classes save in an hour of use, and what they cost for all hours.
func (g *game) price(list pricing.List) error {
	g.cost = list.OnDemand
	g.saves, g.fixed = g.saves[:0], g.fixed[:0]
	span := time.Duration(len(g.sum)-1) * time.Hour
	for k, c := range list.Classes {
		fixed, err := c.Upfront.Prorate(span, c.Term, pricing.HalfEven)
		if err == nil && c.UsePrice() < c.Hourly { // billed for all hours
			var all pricing.Money
			if all, err = c.Hourly.Over(span, pricing.HalfEven); err == nil {
				fixed, err = fixed.Add(all)
			}
		}
		if err != nil {
			return badInput("Prices.Classes", k, ErrTooLarge, "class %q for %v: %v: want a lower price", c.Name, span, err)
		}
		if save := list.OnDemand - c.UsePrice(); save > 0 {
			g.saves, g.fixed = append(g.saves, save), append(g.fixed, fixed)
		}
	}
	levels := int((slices.Max(g.sum)+hour-1)/hour) + 1
	g.at = grow.Zero(g.at, len(g.sum))
	g.used, g.gain = grow.Zero(g.used, levels), grow.Zero(g.gain, levels)
	g.part, g.diff = grow.Zero(g.part, levels+1), grow.Zero(g.diff, levels+1)
	g.value = 0
	// The savings of all are the greatest of any coalition.
	all := wide.Uint{}
	for _, x := range g.sum {
		all.AddProduct(x, uint64(list.OnDemand))
	}
	if q, _ := all.QuoRem(hour); q.Hi > 0 || q.Lo > uint64(coalition.MaxCost) {
		return badInput("Prices.OnDemand", -1, ErrTooLarge, "%v for all use: want a lower price", list.OnDemand)
	}
	return nil
}

// savings returns g(U).
func (g *game) savings(used uint64) (most pricing.Money) {
	for k, save := range g.saves {
		// The use of an instance on demand fits, and save is less than its price.
		q, _, _ := wide.Product(used, uint64(save)).Over(hour)
		most = max(most, pricing.Money(q)-g.fixed[k])
	}
	return most
}

// move lets a user join, or leave.
func (g *game) move(user int, leave bool) {
	from := 0
	if user > 0 {
		from = g.ends[user-1]
	}
	first, last := math.MaxInt, -1
	for _, a := range g.amounts[from:g.ends[user]] {
		lo := g.at[a.hour]
		if leave {
			lo -= a.used
			g.at[a.hour] = lo
		} else {
			g.at[a.hour] += a.used
		}
		hi := lo + a.used
		i, j := int(lo/hour), int(hi/hour)
		first, last = min(first, i), max(last, j)
		if i == j {
			g.part[i] += hi - lo
			continue
		}
		g.part[i] += hour - lo%hour
		g.part[j] += hi % hour
		g.diff[i+1]++
		g.diff[j]--
	}
	full := int64(0)
	for j := first; j <= last; j++ {
		full += g.diff[j]
		change := uint64(full)*hour + g.part[j]
		g.diff[j], g.part[j] = 0, 0
		if change == 0 {
			continue
		}
		if leave {
			g.used[j] -= change
		} else {
			g.used[j] += change
		}
		now := g.savings(g.used[j])
		g.value += now - g.gain[j]
		g.gain[j] = now
	}
}

// share divides the savings of reservations by the Shapley value.
func (d *Divider) share(u *Usage, rng *rand.Rand, saved pricing.Money) (sampled bool, err error) {
	g, n := &d.game, len(d.accounts)
	if err := g.price(u.Prices); err != nil {
		return false, err
	}
	sampled = n > MaxExact
	if sampled {
		err = g.sample(n, rng)
	} else {
		err = g.exact(d.shares)
	}
	if err != nil {
		return false, err
	}
	all := pricing.Money(0)
	g.weights = grow.To(g.weights, n)
	for i, x := range g.shares {
		all += x.Cost
		g.weights[i] = uint64(x.Cost)
	}
	if all == 0 {
		for i := range d.accounts {
			d.accounts[i].SavedByShapley = d.accounts[i].SavedByUse
		}
		return false, nil
	}
	d.apportion(d.shares, saved, g.weights, uint64(all))
	scale := math.Abs(saved.Float64()) / all.Float64()
	for i := range d.accounts {
		a := &d.accounts[i]
		a.SavedByShapley = d.shares[i]
		a.StdErr = pricing.Money(math.Ceil(float64(g.shares[i].StdErr) * scale))
	}
	return sampled, nil
}

// exact sets shares to the Shapley value, by way of dst.
func (g *game) exact(dst []pricing.Money) error {
	n := len(dst)
	g.table = grow.To(g.table, 1<<n)
	g.walk(n, 0)
	if err := g.solver.ShapleyTo(dst, g.table); err != nil {
		return err
	}
	g.shares = g.shares[:0]
	for _, x := range dst {
		g.shares = append(g.shares, coalition.Share{Cost: x})
	}
	return nil
}

// walk fills in the table for all coalitions of the first n users with a set of others,
// who have joined.
func (g *game) walk(n, set int) {
	if n == 0 {
		g.table[set] = g.value
		return
	}
	g.walk(n-1, set)
	g.move(n-1, false)
	g.walk(n-1, set|1<<(n-1))
	g.move(n-1, true)
}

// sample sets shares to estimates of the Shapley value.
func (g *game) sample(n int, rng *rand.Rand) (err error) {
	if rng == nil {
		panic("bills: nil source of randomness")
	}
	if g.joining == nil {
		g.joining = g.join
	}
	g.shares, err = g.sampler.Shapley(g.shares[:0], n, g.joining, Pairs, rng)
	return err
}

// join lets the last of the users join who have joined. If that user is alone, nobody has
// joined before.
func (g *game) join(joined []int) (pricing.Money, error) {
	if len(joined) == 1 {
		clear(g.at)
		clear(g.used)
		clear(g.gain)
		g.value = 0
	}
	g.move(joined[len(joined)-1], false)
	return g.value, nil
}
