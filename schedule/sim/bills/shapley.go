package bills

import (
	"math"
	"math/bits"
	"slices"
	"time"

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
// with 2ⁿ joinings. n!·φ_u is a whole number, summed in 128 bits, and rounded by largest
// remainders.
//
// Sampled: orders are drawn at random, and each is taken forwards and backwards, so that
// a user who is early in one is late in the other. The mean over m independent pairs has
// the standard error s/√m, where s is the standard deviation over the pairs.
//
// Invariant: used[j] is U_j and value is v of the users who have joined.

const (
	// MaxExact is the greatest number of users whose Shapley value is exact.
	MaxExact = 12
	// DefaultPairs is the number of pairs of orders if [Options].Pairs is 0.
	DefaultPairs = 100

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
	table   []pricing.Money // by coalition
	sums    []wide.Int
	weights []uint64
	seq     []int
	pair    []pricing.Money
	mean    []float64
	dev     []float64
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
	if q, _ := all.QuoRem(hour); q.Hi > 0 || q.Lo > math.MaxInt64 {
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
func (d *Divider) share(u *Usage, opts Options, saved pricing.Money) (sampled bool, err error) {
	g, n := &d.game, len(d.accounts)
	if err := g.price(u.Prices); err != nil {
		return false, err
	}
	g.sums, g.dev = grow.Zero(g.sums, n), grow.Zero(g.dev, n)
	g.weights = grow.To(g.weights, n)
	var by uint64
	var all pricing.Money
	sampled = n > MaxExact
	if sampled {
		if opts.Rand == nil {
			panic("bills: nil source of randomness")
		}
		all = g.sample(n, opts)
		by = 2 * uint64(opts.Pairs)
	} else {
		all, by = g.exact(n)
	}
	if all == 0 {
		for i := range d.accounts {
			d.accounts[i].SavedByShapley = d.accounts[i].SavedByUse
		}
		return false, nil
	}
	// φ, rounded to the nano: it adds up to all.
	d.rests = d.rests[:0]
	left := uint64(all)
	for i := range d.shares {
		q, r, _ := g.sums[i].Unsigned().Over(by)
		d.shares[i] = pricing.Money(q)
		left -= q
		d.rests = append(d.rests, rest{r, i})
	}
	d.settle(d.shares, left)
	for i, x := range d.shares {
		g.weights[i] = uint64(x)
	}
	d.apportion(d.shares, saved, g.weights, uint64(all))
	scale := math.Abs(saved.Float64()) / all.Float64()
	for i := range d.accounts {
		a := &d.accounts[i]
		a.SavedByShapley = d.shares[i]
		if sampled {
			// The mean of a pair is half of its sum.
			se := math.Sqrt(g.dev[i]/float64(opts.Pairs-1)/float64(opts.Pairs)) / 2 * scale
			a.StdErr = pricing.Money(math.Ceil(se))
		}
	}
	return sampled, nil
}

// exact puts n!·φ into sums, and returns v of all and n!.
func (g *game) exact(n int) (all pricing.Money, factorial uint64) {
	g.table = grow.To(g.table, 1<<n)
	g.walk(n, 0)
	weight := [MaxExact]int64{} // k!·(n−1−k)!
	for k := range n {
		weight[k] = 1
		for i := 2; i <= k; i++ {
			weight[k] *= int64(i)
		}
		for i := 2; i <= n-1-k; i++ {
			weight[k] *= int64(i)
		}
	}
	for set := range g.table {
		for i := range n {
			if set>>i&1 == 0 {
				g.sums[i].AddProduct(weight[bits.OnesCount(uint(set))], int64(g.table[set|1<<i]-g.table[set]))
			}
		}
	}
	return g.table[len(g.table)-1], uint64(weight[0]) * uint64(n)
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

// sample puts the sums of what each user's joining adds, over all orders, into sums.
func (g *game) sample(n int, opts Options) (all pricing.Money) {
	g.seq, g.pair, g.mean = grow.To(g.seq, n), grow.To(g.pair, n), grow.Zero(g.mean, n)
	for i := range g.seq {
		g.seq[i] = i
	}
	for m := range opts.Pairs {
		opts.Rand.Shuffle(n, func(i, j int) { g.seq[i], g.seq[j] = g.seq[j], g.seq[i] })
		clear(g.pair)
		for range 2 {
			clear(g.at)
			clear(g.used)
			clear(g.gain)
			g.value = 0
			for _, i := range g.seq {
				before := g.value
				g.move(i, false)
				g.pair[i] += g.value - before
			}
			all = g.value
			slices.Reverse(g.seq)
		}
		for i, x := range g.pair {
			g.sums[i] = g.sums[i].Plus(wide.FromInt64(int64(x)))
			// Welford's recurrence.
			e := float64(x) - g.mean[i]
			g.mean[i] += e / float64(m+1)
			g.dev[i] += float64(e * (float64(x) - g.mean[i]))
		}
	}
	return all
}
