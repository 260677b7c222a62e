//go:build unix

package runner

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/clock"
	"github.com/plimsoll/plimsoll/examples/internal/provider"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/schedule/spot"
)

// A forgetful provider forgets an instance when it ends, and ends some by itself. It keeps
// the true bill of each task, which nobody asks it for.
type forgetful struct {
	t      *testing.T
	now    time.Time
	random *rand.Rand
	kill   func() // ends the runner now and then
	tier   map[string]spot.Tier
	live   map[string]provider.Instance // by token
	bill   map[int]pricing.Money
	taken  int

	tasks []Task
	began map[string]time.Time // by cluster
	saved map[int]time.Duration
}

// spotPrice is what the provider asks on spot, which is below every bid.
const spotPrice = 20 * cent

func (f *forgetful) Create(_ context.Context, token, node string) (provider.Instance, error) {
	f.kill()
	if f.random.IntN(8) == 0 {
		return provider.Instance{}, fmt.Errorf("%w: no capacity", provider.ErrRefused)
	}
	in, ok := f.live[token]
	if !ok {
		in = provider.Instance{ID: fmt.Sprint("i-", token), Token: token, Node: node, Created: f.now}
		f.live[token] = in
	}
	f.kill()
	if f.random.IntN(8) == 0 {
		return in, fmt.Errorf("the answer is lost")
	}
	return in, nil
}

func (f *forgetful) Delete(_ context.Context, id string) (provider.Instance, error) {
	for token, in := range f.live {
		if in.ID == id {
			f.end(token, f.now)
			f.kill()
			in.Ended = f.now
			return in, nil
		}
	}
	return provider.Instance{ID: id, Created: f.now, Ended: f.now}, nil
}

func (f *forgetful) List(context.Context) (list []provider.Instance, err error) {
	for _, in := range f.live {
		list = append(list, in)
	}
	return list, nil
}

// taskOf is the task of a token.
func taskOf(token string) int {
	i, err := strconv.Atoi(strings.Split(token, "-")[1])
	if err != nil {
		panic(err)
	}
	return i
}

// end ends an instance, and adds it to the bill.
func (f *forgetful) end(token string, at time.Time) {
	in := f.live[token]
	delete(f.live, token)
	price := pricing.Money(onDemand)
	if f.tier[token] != spot.TierHigh {
		price = spotPrice
	}
	cost, err := pricing.EC2Hourly.Cost(price, at.Sub(in.Created))
	if err != nil {
		f.t.Fatal(err)
	}
	f.bill[taskOf(token)] += cost
	if cluster := strings.Join(strings.Split(token, "-")[:3], "-"); !f.began[cluster].IsZero() {
		f.progress(taskOf(token), cluster, at)
	}
}

// pass lets time pass, in which the provider takes instances.
func (f *forgetful) pass(d time.Duration, rare int) {
	for _, token := range slices.Sorted(maps.Keys(f.live)) {
		if f.random.IntN(rare) == 0 {
			f.end(token, f.now.Add(time.Duration(f.random.Int64N(int64(d)))))
			f.taken++
		}
	}
	f.now = f.now.Add(d)
}

// progress is the work that a task has saved on a cluster at a time: a checkpoint each ten
// minutes.
func (f *forgetful) progress(task int, cluster string, at time.Time) (done bool) {
	work := at.Sub(f.began[cluster])
	done = work >= f.tasks[task].Estimate
	f.saved[task] = max(f.saved[task], min(work, f.tasks[task].Estimate).Truncate(10*time.Minute))
	return done
}

func (f *forgetful) State(x *Cluster) (s State, err error) {
	task := int(x.Task.ID)
	if s.Saved = f.saved[task]; x.Token == "" {
		return s, nil
	}
	s.Ready, s.Began = true, !f.began[x.Token].IsZero()
	if s.Began {
		s.Done = f.progress(task, x.Token, f.now)
		s.Saved = f.saved[task]
	}
	return s, nil
}

func (f *forgetful) Submit(x *Cluster) error {
	f.kill()
	if f.began[x.Token].IsZero() {
		f.began[x.Token] = f.now.Add(-f.saved[int(x.Task.ID)])
	}
	f.kill()
	return nil
}

func (f *forgetful) Save(*Cluster) error { return nil }

// The provider forgets instances, takes some while no runner is there, and the runner is
// killed at random, between its steps and within calls of the provider. The true bill of
// each task is within what the runner says, and is what the runner says where the runner
// does not say that it is unsure.
func TestForgets(t *testing.T) {
	unsure, kills, taken := 0, 0, 0
	for seed := range uint64(20) {
		random := rand.New(rand.NewPCG(19, seed))
		f := &forgetful{t: t, now: time.Date(2013, 1, 1, 0, 0, 0, 0, time.UTC), random: random, tier: map[string]spot.Tier{}, live: map[string]provider.Instance{},
			bill: map[int]pricing.Money{}, began: map[string]time.Time{}, saved: map[int]time.Duration{}}
		f.kill = func() {
			if random.IntN(20) == 0 {
				panic(killed{})
			}
		}
		for i := range 5 {
			x := Task{Name: fmt.Sprint("task ", i)}
			x.ID, x.Estimate, x.Latency, x.Instances = int64(i), time.Duration(20+random.IntN(200))*time.Minute, 5*time.Minute, 1+random.IntN(3)
			x.Deadline = x.Estimate + time.Duration(random.IntN(600))*time.Minute
			x.Checkpoints = spot.Checkpoints{Every: 10 * time.Minute}
			f.tasks = append(f.tasks, x)
		}
		c := clock.NewFunc(f.now, time.Hour, func() time.Time { return f.now })
		journal := filepath.Join(folder(t), "journal")
		begin := func() (o Options) {
			cloud := &Instances{Provider: f, Jobs: f, Clock: c, Tasks: f.tasks, OnDemand: onDemand, Meter: pricing.EC2Hourly, Every: 10 * time.Minute, Renter: func(q Request) provider.Provider {
				return renter{f, q.Tier}
			}}
			return Options{Journal: journal, Tasks: f.tasks, Handover: spot.Handover{Rule: spot.RuleNoReturn}, Cloud: cloud, Retry: time.Minute, Crash: f.kill,
				Bid: func(*spot.Task, spot.Tier, time.Duration, time.Duration) pricing.Money { return 25 * cent }}
		}
		var r *Runner
		for rounds := 0; r == nil; rounds++ {
			if rounds > 5000 {
				t.Fatal("it does not end")
			}
			if r = lives(t, begin(), f, c); r == nil {
				kills++
				f.pass(time.Duration(1+random.IntN(300))*time.Minute, 3)
			}
		}
		if len(f.live) > 0 {
			t.Errorf("seed %d: leaked %v", seed, f.live)
		}
		for i := range f.tasks {
			got, err := r.Result(i)
			if err != nil {
				t.Fatal(err)
			}
			if owed := f.bill[i]; !got.Done || owed < got.Least || owed > got.Cost || len(got.Unsure) == 0 && got.Least != got.Cost {
				t.Errorf("seed %d, task %d: $%v to $%v of %d leases, truly $%v (%q)", seed, i, got.Least, got.Cost, got.Leases, owed, got.Unsure)
			}
			unsure += len(got.Unsure)
		}
		taken += f.taken
		r.Close()
	}
	t.Logf("%d kills, %d instances taken and forgotten, %d leases whose cost is bounded", kills, taken, unsure)
	if unsure == 0 || kills < 100 || taken < 50 {
		t.Error("too little has happened")
	}
}

// renter creates instances of a tier.
type renter struct {
	*forgetful
	tier spot.Tier
}

func (r renter) Create(ctx context.Context, token, node string) (provider.Instance, error) {
	r.forgetful.tier[token] = r.tier
	return r.forgetful.Create(ctx, token, node)
}

// lives lets a runner live until it is killed, when it returns nil, or everything is done.
func lives(t *testing.T, o Options, f *forgetful, c *clock.Clock) (r *Runner) {
	t.Helper()
	defer func() {
		if p := recover(); p != nil {
			if _, ok := p.(killed); !ok {
				panic(p)
			}
			if r != nil {
				r.Close()
				r = nil
			}
		}
	}()
	r, err := Open(o)
	if err != nil {
		t.Fatal(err)
	}
	for steps := 0; !r.Done(); steps++ {
		if steps > 100_000 {
			t.Fatal("it does not end")
		}
		happened, err := r.Step(c.Now())
		if err != nil {
			t.Fatal(err)
		}
		if !happened {
			f.pass(time.Duration(1+f.random.IntN(120))*time.Second, 500)
			o.Cloud.(*Instances).list = nil // as old as the clock says
		}
	}
	return r
}
