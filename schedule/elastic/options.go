package elastic

import (
	"cmp"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/plimsoll/plimsoll/internal/inputerr"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/schedule/internal/replay"
	"github.com/plimsoll/plimsoll/schedule/trace"
)

// A CloudOptions is a cloud that instances of one type are rented from by the hour, every
// hour begun being charged. A provider with several types is several clouds, each with a
// limit of its own.
type CloudOptions struct {
	Name   string
	Price  pricing.Money // of an instance-hour, 0 for a private cloud
	Limit  int           // the most instances at once, or NoLimit
	Reject float64       // the probability that a request is refused, 0 to 1

	// Cores is how many cores an instance has. The instance runs one job at a time. 0 stands
	// for 1. Speed is how many times as fast as a local core a core is, from 1/1000 to 1000.
	// 0 stands for 1.
	Cores int
	Speed float64

	// Spot, if not nil, sets the price from hour to hour, in the place of Price, which must
	// be 0, and ends instances.
	Spot *Spot

	Boot Delay // from the request to an instance that takes jobs; nil is MeasuredLaunch
	Stop Delay // from the termination to an instance that is gone; nil is 12.92 ± 0.50 s, as measured

	// Release is how long an instance that is given back is charged for still: a daemon must
	// drain the instance and call the cloud. nil is no time. An instance whose next charge
	// falls within that time is charged once more. Release must be nil under Budget.Covered.
	Release Delay

	// Transfer is how much longer a job takes in this cloud than on the local cluster, because its
	// data must come and go; ≥ 0. The instances of the job stay busy for that time. TransferPrice
	// is the cost of moving the data of a job; ≥ 0. It is paid each time that a job starts in this
	// cloud. As in [Marshall12] section II, a policy does not know these two values before the job
	// starts. After the start, Instance.Ready includes Transfer. Both must be 0 under
	// Budget.Covered.
	Transfer      time.Duration
	TransferPrice pricing.Money
}

// cloud returns the cloud as policies see it, without instances.
func (c *CloudOptions) cloud() Cloud {
	return Cloud{Price: c.Price, Limit: c.Limit, Cores: c.Cores, Speed: c.Speed}
}

// Marshall12Clouds returns the clouds of the paper's evaluation ([Marshall12] section V). The
// private cloud is free, has up to 512 instances, and refuses requests with the given
// probability. The commercial cloud costs $0.085 an hour, has no limit, and refuses none.
func Marshall12Clouds(reject float64) []CloudOptions {
	return []CloudOptions{
		{Name: "private", Limit: 512, Reject: reject},
		{Name: "commercial", Price: 85 * pricing.Milli, Limit: NoLimit},
	}
}

// Marshall12Local is the number of cores of the paper's local cluster.
const Marshall12Local = 64

// Marshall12Horizon is how long the paper simulates, 1,100,000 s.
const Marshall12Horizon = 1_100_000 * time.Second

// DefaultEvery is the time between two evaluations of a policy ([Marshall12]
// section V), the default of [Options].
const DefaultEvery = 300 * time.Second

// Options says what an elastic environment consists of. Policy, and
// Local or Clouds, must be given.
type Options struct {
	Local  int            // cores of the local cluster, which is always up; 0 for none
	Clouds []CloudOptions // any number

	// Policy decides what is launched and terminated. Run calls its Validate
	// method, if it has one that returns an error, and its Reset method, if it
	// has one without parameters and results.
	Policy Policy
	Budget Budget
	// Backfill lets a job overtake if it does not delay the first job of the queue by the
	// estimates (EASY backfilling); otherwise jobs are served first come, first served.
	Backfill bool
	Every    time.Duration // between two evaluations, the first at time 0: a second or more; 0 is DefaultEvery

	// Horizon is when the simulation ends, whatever waits or runs then. 0 ends it with
	// the last job, or when no other job will start: see Simulator.Run. A policy that
	// keeps instances is charged for them until then.
	Horizon time.Duration

	// Rand is needed if something is random: a rejection rate that is neither 0 nor 1, or
	// a delay with a deviation or with several parts.
	Rand *rand.Rand

	// Overhead is how much longer than its run time a job holds its instances, wherever it
	// runs: the batch system must start the job and clean up. nil is no time. Policies do
	// not know of Overhead, so it must be nil under Budget.Covered.
	Overhead Delay

	// Lead is how much earlier than it falls policies see the charge of an instance; ≥ 0 and
	// less than an hour. A charge within Lead is shown as the one an hour later: it is too
	// late to avoid it. A live manager takes time to end an instance; elasticd of
	// examples/services/slurm measures its lead.
	Lead time.Duration

	// RejectWhole has a cloud refuse a request for several instances as a whole; otherwise it
	// refuses the instances one by one. [Marshall12] does not say which, and what a policy
	// costs depends on it: BenchmarkVariants.
	RejectWhole bool

	// Decisions asks for the record of all decisions in the result.
	Decisions bool
}

const (
	hour = time.Hour

	// maxClouds leaves room for a cloud's index in an event.
	maxClouds = 1 << 12

	// patience is for how long a simulation without a horizon waits for a start when
	// nothing runs. saving is for how long credits may be saved for a job: half of
	// patience, so that no such job is given up.
	patience = 60 * 24 * hour
	saving   = patience / 2
)

// badEnvironment returns an error about a field of a cloud.
func badEnvironment(field string, index int, sentinel error, format string, args ...any) error {
	return badInput("Clouds."+field, index, sentinel, format, args...)
}

// withDefaults checks the configuration and fills in the defaults, but for those
// of clouds.
func (c Options) withDefaults() (Options, error) {
	c.Every = cmp.Or(c.Every, DefaultEvery)
	if err := c.check(); err != nil {
		return c, err
	}
	chance := c.Overhead != nil && !c.Overhead.certain()
	for i := range c.Clouds {
		cl := &c.Clouds[i]
		if err := cl.check(i); err != nil {
			return c, err
		}
		if c.Budget.Covered {
			if err := cl.checkCovered(i); err != nil {
				return c, err
			}
		}
		chance = chance || cl.chance()
	}
	if chance && c.Rand == nil {
		return c, badInput("Rand", -1, ErrRange, "something is left to chance without a source of randomness: want a source, or rates of 0 or 1 and Certain delays")
	}
	if p, ok := c.Policy.(interface{ Validate() error }); ok {
		if err := p.Validate(); err != nil {
			var ours *inputerr.Error
			if errors.As(err, &ours) {
				return c, err
			}
			return c, badInput("Policy", -1, err, "")
		}
	}
	return c, nil
}

// check checks what is not about one cloud or the policy's own settings.
func (c *Options) check() error {
	switch {
	case c.Policy == nil:
		return badInput("Policy", -1, ErrRange, "there is none: want a policy, such as new(OD)")
	case c.Local < 0 || c.Local > replay.MaxHeld:
		return badInput("Local", -1, ErrRange, "%d cores: want 0 to %d", c.Local, replay.MaxHeld)
	case c.Local == 0 && len(c.Clouds) == 0:
		return badInput("Clouds", -1, ErrRange, "neither a local cluster nor a cloud: want something that runs jobs")
	case len(c.Clouds) > maxClouds:
		return badInput("Clouds", -1, ErrRange, "%d clouds: want at most %d", len(c.Clouds), maxClouds)
	case c.Every < time.Second || c.Every > replay.MaxTime:
		return badInput("Every", -1, ErrRange, "%v between evaluations: want 1 s to %.0f s, or 0 for the default", c.Every, replay.MaxTime.Seconds())
	case c.Horizon < 0 || c.Horizon > replay.MaxTime:
		return badInput("Horizon", -1, ErrRange, "%v: want more than 0 and at most %.0f s, or 0 for the end of the last job", c.Horizon, replay.MaxTime.Seconds())
	case c.Lead < 0 || c.Lead >= hour:
		return badInput("Lead", -1, ErrRange, "%v: want 0 or more, and less than an hour", c.Lead)
	case c.Budget.Covered && c.Overhead != nil:
		return badInput("Overhead", -1, ErrRange, "a time with Budget.Covered, under which policies save for estimates alone: want one of them")
	}
	if err := c.Budget.Validate(); err != nil {
		return err
	}
	return c.Overhead.check("Overhead", -1)
}

// check checks cloud i by itself.
func (c *CloudOptions) check(i int) error {
	like := c.cloud()
	if err := like.check(i); err != nil {
		return err
	}
	switch {
	case c.Limit > replay.MaxHeld:
		return badEnvironment("Limit", i, ErrRange, "%d instances: want at most %d, or NoLimit", c.Limit, replay.MaxHeld)
	case c.Limit == NoLimit && c.Price == 0 && c.Spot == nil:
		return badEnvironment("Limit", i, ErrRange, "a free cloud without a limit: want a limit, such as 512")
	case c.Transfer < 0 || c.Transfer > replay.MaxTime:
		return badEnvironment("Transfer", i, ErrRange, "%v: want 0 to %.0f s", c.Transfer, replay.MaxTime.Seconds())
	case c.TransferPrice < 0:
		return badEnvironment("TransferPrice", i, ErrRange, "%v a job: want 0 or more", c.TransferPrice)
	case !(c.Reject >= 0 && c.Reject <= 1):
		return badEnvironment("Reject", i, ErrRange, "a rejection rate of %v: want a probability from 0 to 1", c.Reject)
	}
	for _, d := range [...]struct {
		field string
		delay Delay
	}{{"Boot", c.Boot}, {"Stop", c.Stop}, {"Release", c.Release}} {
		if err := d.delay.check(d.field, i); err != nil {
			return err
		}
	}
	if c.Spot != nil {
		return c.Spot.check(i, c)
	}
	return nil
}

// checkCovered checks that all charges of cloud i can be known beforehand, as Budget.Covered
// needs.
func (c *CloudOptions) checkCovered(i int) error {
	switch {
	case c.Transfer > 0 || c.TransferPrice > 0:
		return badEnvironment("Transfer", i, ErrRange, "a time or price with Budget.Covered, under which policies save for estimates alone: want one of them")
	case c.Release != nil:
		return badEnvironment("Release", i, ErrRange, "a time with Budget.Covered, under which every charge is set aside beforehand: want one of them")
	case c.Spot != nil:
		return badEnvironment("Spot", i, ErrRange, "a spot price with Budget.Covered, under which credits are set aside at a known price: want one of them")
	}
	return nil
}

// chance reports whether something in the cloud is random.
func (c *CloudOptions) chance() bool {
	return c.Reject > 0 && c.Reject < 1 || !c.Boot.certain() || !c.Stop.certain() || c.Release != nil && !c.Release.certain()
}

// room returns how many cores of one infrastructure a job with such an estimate can have,
// and whether credits bound that number.
func (c *Options) room(estimate time.Duration) (most int, credits bool) {
	most = c.Local
	for i := range c.Clouds {
		cl := &c.Clouds[i]
		price := cl.Price
		if cl.Spot != nil {
			price = cl.Spot.lowest()
		}
		if cl.Reject == 1 || cl.Spot != nil && price > cl.Spot.Bid {
			continue
		}
		like := cl.cloud()
		n, bound := cl.Limit, false
		if n == NoLimit {
			n = replay.MaxHeld
		}
		if price > 0 {
			each := price
			if c.Budget.Covered {
				var err error
				if each, err = each.Mul(1 + int64((like.lasts(estimate)+hour-1)/hour)); err != nil {
					continue
				}
			}
			// Sums beyond the range of Money pay for everything.
			saved, err := c.Budget.Hourly.Mul(int64(max(saving, c.Horizon) / hour))
			if err == nil {
				saved, err = saved.Add(c.Budget.Debt)
			}
			if err == nil && int64(saved/each) < int64(n) {
				n, bound = int(saved/each), true
			}
		}
		if n = like.cores(n); n > most {
			most, credits = n, bound
		}
	}
	return most, credits
}

// checkEnvironment checks the jobs against the configuration.
func checkEnvironment(jobs []trace.Job, cfg *Options) error {
	most, credits := cfg.room(0)
	for i := range jobs {
		j := &jobs[i]
		if err := replay.CheckSubmission("elastic", &jobs[max(0, i-1)], j, i); err != nil {
			return err
		}
		if cfg.Budget.Covered {
			most, credits = cfg.room(j.Estimate)
		}
		switch n := j.Nodes; {
		case n <= most:
		case credits:
			return badInput("Jobs.Nodes", i, ErrTooLarge, "job %d needs %d cores, and no infrastructure can ever have more than %d, for which the credits of %.0f days pay",
				j.ID, n, most, max(saving, cfg.Horizon).Hours()/24)
		default:
			return badInput("Jobs.Nodes", i, ErrTooLarge, "job %d needs %d cores, and no infrastructure can ever have more than %d", j.ID, n, most)
		}
	}
	return nil
}
