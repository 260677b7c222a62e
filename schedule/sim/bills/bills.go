package bills

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"time"

	"github.com/plimsoll/plimsoll/internal/grow"
	"github.com/plimsoll/plimsoll/internal/wide"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/schedule/internal/replay"
	"github.com/plimsoll/plimsoll/schedule/trace"
)

// Unknown is the user of jobs whose log does not name one. These jobs are the jobs of
// one user together.
const Unknown = -1

// A Usage is what a cluster ran, and what the cluster cost.
type Usage struct {
	Jobs   []trace.Job
	Starts []time.Duration // of each job, as package sim returns them

	Bill     pricing.Money // what the cluster cost: what the users share
	OnDemand pricing.Money // what it would have cost without reservations; 0 is Bill

	// Prices has the price on demand, which users pay alone, and the classes that
	// the game of the savings goes by.
	Prices pricing.List
	Meter  pricing.Meter             // alone; the zero value is pricing.EC2Hourly
	Boot   func(n int) time.Duration // of n instances, alone; nil is no time
}

// An Account is what the cluster did for a user.
type Account struct {
	User  int // of the log; [Unknown]
	Jobs  int
	Hours float64 // used instance-hours

	Pays  pricing.Money // the part of the bill, by use
	Alone pricing.Money // each job on instances of its own, on demand

	SavedByUse     pricing.Money // the part of the savings of reservations, by use
	SavedByShapley pricing.Money // the part by the Shapley value
	StdErr         pricing.Money // the standard error of SavedByShapley, rounded up; 0 if exact
}

// Name returns the user's number, or "unknown".
func (a *Account) Name() string {
	if a.User == Unknown {
		return "unknown"
	}
	return strconv.Itoa(a.User)
}

// More reports whether the user pays more than alone.
func (a *Account) More() bool { return a.Pays > a.Alone }

// PaysByShapley returns what the user pays if the savings of reservations go by the
// Shapley value. It is negative if the user earns more than the use costs on demand.
func (a *Account) PaysByShapley() pricing.Money { return a.Pays + a.SavedByUse - a.SavedByShapley }

// A Statement is a divided bill.
type Statement struct {
	// Accounts has the users in ascending order, [Unknown] last. They are the
	// Divider's, and valid until the next call of Divide.
	Accounts []Account
	Saved    pricing.Money // what reservations save: OnDemand − Bill
	Sampled  bool          // the Shapley value is sampled, not exact
}

// Less returns how many users pay less than alone.
func (s *Statement) Less() (n int) {
	for i := range s.Accounts {
		if s.Accounts[i].Pays < s.Accounts[i].Alone {
			n++
		}
	}
	return n
}

// Worst returns the index of the user who pays the most over what the user would pay
// alone, as a ratio; -1 if there are no users. Ties go to the user who comes first.
func (s *Statement) Worst() int {
	worst := -1
	for i := range s.Accounts {
		if worst < 0 {
			worst = i
			continue
		}
		a, b := &s.Accounts[i], &s.Accounts[worst]
		if wide.ProductInt(int64(b.Pays), int64(a.Alone)).Less(wide.ProductInt(int64(a.Pays), int64(b.Alone))) {
			worst = i
		}
	}
	return worst
}

// A Divider divides bills. The zero value is ready. A Divider keeps its memory, and
// allocates nothing once warm.
type Divider struct {
	order    []int // of the jobs, by user
	accounts []Account
	weights  []uint64 // use by user, in microseconds
	rests    []rest
	paid     []pricing.Money
	shares   []pricing.Money
	game     game
}

// Divide divides the bill of a cluster among the users of its jobs. Over all accounts, Pays adds up
// exactly to u.Bill, and SavedByUse and SavedByShapley each add up exactly to the savings.
//
// The error is a *schedule.InputError that unwraps to
//
//   - [ErrLength] unless there is one start for each job,
//   - [ErrRange] for a job without nodes or run time, a user below -1, a time out of range, a
//     negative start, boot time, bill or cost on demand, and a bill without jobs to pay it,
//   - [ErrTooLarge] for use that does not fit in 63 bits, for use that costs more than
//     coalition.MaxCost on demand, and for more than 4 million instances at once.
//
// Divide returns the errors of pricing.List and pricing.Meter unchanged.
//
// If there are more than [MaxExact] users and reservations changed the bill, Divide draws from rng,
// and panics if rng is nil. Time, for n users: O(jobs · log jobs + hours of jobs) and, for the
// Shapley value, O(2ⁿ·(hours + instances)) if exact, or 2·[Pairs]·n·(hours of a user + instances).
func (d *Divider) Divide(u Usage, rng *rand.Rand) (Statement, error) {
	if u.OnDemand == 0 {
		u.OnDemand = u.Bill
	}
	if u.Meter == (pricing.Meter{}) {
		u.Meter = pricing.EC2Hourly
	}
	if err := check(&u); err != nil {
		return Statement{}, err
	}
	d.users(u.Jobs)
	total, err := d.collect(&u)
	if err != nil {
		return Statement{}, err
	}
	s := Statement{Accounts: d.accounts, Saved: u.OnDemand - u.Bill}
	n := len(s.Accounts)
	d.paid, d.shares = grow.To(d.paid, n), grow.To(d.shares, n)
	d.apportion(d.paid, u.Bill, d.weights, total)
	d.apportion(d.shares, u.OnDemand, d.weights, total)
	for i := range s.Accounts {
		a := &s.Accounts[i]
		a.Pays, a.SavedByUse = d.paid[i], d.shares[i]-d.paid[i]
	}
	if s.Saved == 0 {
		return s, nil
	}
	s.Sampled, err = d.share(&u, rng, s.Saved)
	return s, err
}

// check checks what can be seen without adding up.
func check(u *Usage) error {
	if err := u.Prices.Validate(); err != nil {
		return err
	}
	if err := u.Meter.Validate(); err != nil {
		return err
	}
	switch {
	case len(u.Starts) != len(u.Jobs):
		return badInput("Starts", -1, ErrLength, "%d starts of %d jobs: want one for each job", len(u.Starts), len(u.Jobs))
	case u.Bill < 0:
		return badInput("Bill", -1, ErrRange, "%v: want 0 or more", u.Bill)
	case u.OnDemand < 0:
		return badInput("OnDemand", -1, ErrRange, "%v: want 0 or more", u.OnDemand)
	case len(u.Jobs) == 0 && (u.Bill > 0 || u.OnDemand > 0):
		return badInput("Jobs", -1, ErrRange, "no jobs: want users who pay %v", u.Bill)
	}
	for i := range u.Jobs {
		j := &u.Jobs[i]
		switch {
		case j.Nodes <= 0:
			return badInput("Jobs.Nodes", i, ErrRange, "job %d needs %d nodes: want at least 1", j.ID, j.Nodes)
		case j.Run <= 0 || j.Run > replay.MaxTime:
			return badInput("Jobs.Run", i, ErrRange, "job %d runs for %.0f s: want more than 0 and at most %.0f", j.ID, j.Run.Seconds(), replay.MaxTime.Seconds())
		case j.User < Unknown:
			return badInput("Jobs.User", i, ErrRange, "job %d has user %d: want a number, or -1 for unknown", j.ID, j.User)
		case u.Starts[i] < 0 || u.Starts[i] > replay.MaxTime:
			return badInput("Starts", i, ErrRange, "job %d starts at %.0f s: want 0 to %.0f", j.ID, u.Starts[i].Seconds(), replay.MaxTime.Seconds())
		}
	}
	return nil
}

// users opens an account for each user, and puts the jobs in the order of the accounts.
func (d *Divider) users(jobs []trace.Job) {
	rank := func(user int) int {
		if user == Unknown {
			return math.MaxInt
		}
		return user
	}
	d.order = grow.To(d.order, len(jobs))
	for i := range d.order {
		d.order[i] = i
	}
	slices.SortFunc(d.order, func(i, j int) int {
		return cmp.Or(cmp.Compare(rank(jobs[i].User), rank(jobs[j].User)), cmp.Compare(i, j))
	})
	d.accounts = d.accounts[:0]
	for _, i := range d.order {
		n := len(d.accounts)
		if n == 0 || d.accounts[n-1].User != jobs[i].User {
			d.accounts = append(d.accounts, Account{User: jobs[i].User})
			n++
		}
		d.accounts[n-1].Jobs++
	}
}

// collect adds up the use of each user and what each would pay alone, and records in
// which hours each used what.
func (d *Divider) collect(u *Usage) (total uint64, err error) {
	d.weights = grow.Zero(d.weights, len(d.accounts))
	d.game.begin(u)
	next := 0
	for k := range d.accounts {
		a := &d.accounts[k]
		for range a.Jobs {
			i := d.order[next]
			next++
			j := &u.Jobs[i]
			used, ok := wide.MulUint(uint64(j.Nodes), micros(j.Run))
			if ok {
				total, ok = wide.AddUint(total, used)
			}
			if !ok || total > math.MaxInt64 {
				return 0, badInput("Jobs.Run", i, ErrTooLarge, "with job %d the use is more than 63 bits of microseconds: want less use", j.ID)
			}
			d.weights[k] += used
			var boot time.Duration
			if u.Boot != nil {
				boot = u.Boot(j.Nodes)
			}
			if boot < 0 || boot > replay.MaxTime {
				return 0, badInput("Boot", i, ErrRange, "%v for %d instances: want 0 or more", boot, j.Nodes)
			}
			cost, err := replay.Cost(u.Meter, u.Prices.OnDemand, boot+j.Run, j.Nodes)
			if err == nil {
				a.Alone, err = a.Alone.Add(cost)
			}
			if err != nil {
				return 0, badInput("Jobs", i, ErrTooLarge, "what user %s would pay alone, with job %d, is out of range: want a lower price", a.Name(), j.ID)
			}
			d.game.use(u.Starts[i], j)
		}
		a.Hours = float64(d.weights[k]) / float64(hour)
		if err := d.game.endUser(); err != nil {
			return 0, err
		}
	}
	return total, nil
}

// micros returns a time in microseconds, rounded up.
func micros(d time.Duration) uint64 {
	return (uint64(d) + uint64(time.Microsecond) - 1) / uint64(time.Microsecond)
}

// A rest is what rounding down left of a user's part.
type rest struct {
	rest uint64
	user int
}

// apportion divides an amount by weights of the given sum, which fits in 63 bits. The
// parts add up to the amount. The parts of a negative amount are those of the positive
// one, negative.
func (d *Divider) apportion(dst []pricing.Money, amount pricing.Money, weights []uint64, sum uint64) {
	if sum == 0 {
		clear(dst)
		return
	}
	d.rests = d.rests[:0]
	left := wide.Magnitude(int64(amount))
	for i, w := range weights {
		// w ≤ sum, so that the quotient is at most the amount.
		q, r, _ := wide.Product(wide.Magnitude(int64(amount)), w).Over(sum)
		dst[i] = pricing.Money(q)
		left -= q
		d.rests = append(d.rests, rest{r, i})
	}
	slices.SortFunc(d.rests, func(a, b rest) int { // the greatest remainders get a nano each
		return cmp.Or(cmp.Compare(b.rest, a.rest), cmp.Compare(a.user, b.user))
	})
	for _, r := range d.rests[:left] {
		dst[r.user]++
	}
	if amount < 0 {
		for i := range dst {
			dst[i] = -dst[i]
		}
	}
}
