package federation

import (
	"compress/gzip"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/internal/shared"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/reserve"
	"github.com/plimsoll/plimsoll/schedule/trace"
)

// threeLogs are the logs, first hours and prices of [Liu21] as ERRATA 8 of the
// reference material reads them: on demand an hour, a day reserved, 10⁹ bytes
// sent.
var threeLogs = []struct {
	file               string
	from               int
	hour, day, traffic string
	zone               time.Duration
}{
	{"traces/UniLu-Gaia-2014-1.swf.gz", 747, "0.075", "0.80", "0.020", 0},
	{"traces/SDSC-BLUE-2000-4.2-cln.swf.gz", 478, "0.060", "0.75", "0.015", 140 * time.Millisecond},
	{"traces/LANL-CM5-1994-4.1-cln.swf.gz", 172, "0.065", "0.715", "0.010", 120 * time.Millisecond},
}

func mustMoney(s string) pricing.Money {
	m, err := pricing.ParseMoney(s)
	if err != nil {
		panic(err)
	}
	return m
}

var logJobs = map[string][]trace.Job{}

// logs returns a federation of the three logs: each job takes its processors in
// every hour that it touches from its submission, if that is in the window, and
// each instance's data are 5 MB to 65 GB, by a power law of exponent -3/2 with
// seeds 1, 2. sunk are the fees of the reservations that plan buys for each centre
// alone.
func logs(tb testing.TB, hours int, plan reserve.Planner) (centres []Centre, tasks []Task, sunk pricing.Money) {
	tb.Helper()
	r := rand.New(rand.NewPCG(1, 2))
	for i, l := range threeLogs {
		if logJobs[l.file] == nil {
			f, err := os.Open(shared.File(tb, l.file))
			if err != nil {
				tb.Fatal(err)
			}
			defer f.Close()
			unzipped, err := gzip.NewReader(f)
			if err != nil {
				tb.Fatal(err)
			}
			jobs, _, err := trace.Convert(trace.NewReader(unzipped).Records(), trace.Options{})
			if err != nil {
				tb.Fatal(err)
			}
			logJobs[l.file] = jobs
		}
		from := l.from
		if hours > 600 {
			from = 0
		}
		begin := time.Duration(from) * time.Hour
		for _, j := range trace.Submitted(logJobs[l.file], begin, begin+time.Duration(hours)*time.Hour) {
			lo, hi := 5e6, 65e9
			bytes := lo * math.Pow(1-r.Float64()*(1-math.Sqrt(lo/hi)), -2)
			tasks = append(tasks, Task{
				ID: len(tasks), Home: i,
				Start:     int((j.Submit - begin) / time.Hour),
				End:       min(hours, int((j.Submit+j.Run-begin+time.Hour-1)/time.Hour)),
				Instances: j.Nodes, Disk: int64(bytes),
			})
		}
		c := Centre{OnDemand: mustMoney(l.hour), Fee: mustMoney(l.day), Term: 24, Traffic: mustMoney(l.traffic)}
		c.Demand, c.Reserved = make([]int, hours), make([]int, hours)
		if err := AddDemand(c.Demand, tasks, i); err != nil {
			tb.Fatal(err)
		}
		c.Delay = make([]time.Duration, len(threeLogs))
		for j, k := range threeLogs {
			c.Delay[j] = (l.zone - k.zone).Abs()
		}
		bought, err := plan.AppendPlan(nil, &reserve.Problem{
			Demand: c.Demand, Slot: time.Hour,
			Prices: pricing.List{OnDemand: c.OnDemand, Classes: []pricing.Class{{Name: "day", Term: 24 * time.Hour, Upfront: c.Fee}}},
		})
		if err != nil {
			tb.Fatal(err)
		}
		for _, b := range bought {
			sunk += c.Fee * pricing.Money(b.Count)
			for t := b.Slot; t < min(hours, b.Slot+24); t++ {
				c.Reserved[t] += b.Count
			}
		}
		centres = append(centres, c)
	}
	return centres, tasks, sunk
}

// The three logs: greedy in several orders and at several prices, the plan, its bound,
// tasks split by slot, and reservations planned jointly, each at least the next. The
// numbers are of this test; what it holds fast is their order and the gap.
func TestOptimumLogs(t *testing.T) {
	var o Optimizer
	var sw Slotwise
	for _, p := range []struct {
		name string
		plan reserve.Planner
	}{
		{"HGR", &reserve.HGR{}}, {"Periodic", &reserve.Periodic{}}, {"Exact", &reserve.Exact{}},
	} {
		centres, tasks, sunk := logs(t, 600, p.plan)
		demand := make([]int, 600)
		if err := JointDemandTo(demand, tasks); err != nil {
			t.Fatal(err)
		}
		prices, err := JointPrices(centres, time.Hour)
		if err != nil {
			t.Fatal(err)
		}
		joint, err := new(reserve.Exact).Solve(&reserve.Problem{Demand: demand, Slot: time.Hour, Prices: prices})
		if err != nil {
			t.Fatal(err)
		}
		split, err := sw.Solve(centres, tasks)
		if err != nil {
			t.Fatal(err)
		}
		bookings, err := Share(nil, centres, tasks, Options{})
		if err != nil {
			t.Fatal(err)
		}
		got, err := o.Solve(centres, tasks, OptimumOptions{Start: bookings, MaxSteps: 200})
		if err != nil {
			t.Fatal(err)
		}
		d, s := planCost(t, centres, tasks, o.AppendParts(nil, tasks))
		proved, err := Bound(centres, tasks, o.AppendPrices(nil))
		if err != nil || d+s != got.Cost || proved != got.Bound {
			t.Errorf("%s: the plan costs %v, said %v; the prices prove %v, said %v, %v", p.name, d+s, got.Cost, proved, got.Bound, err)
		}
		best, err := o.AppendBookings(nil, centres, tasks, Options{})
		if err == nil {
			err = Verify(centres, tasks, best, Options{})
		}
		if err != nil || spent(best) != got.Cost {
			t.Errorf("%s: the bookings cost %v: %v", p.name, spent(best), err)
		}
		if got.Cost < got.Bound || got.Bound < split.Cost || sunk+split.Cost < joint.Bound {
			t.Errorf("%s: plan %v ≥ bound %v ≥ split %v, with fees %v ≥ joint %v: not so", p.name, got.Cost, got.Bound, split.Cost, sunk, joint.Bound)
		}
		if got.Gap() > 3e-4 {
			t.Errorf("%s: a gap of %v", p.name, got.Gap())
		}
		t.Logf("%s: fees %s, plan %s, bound %s (%.4f%%), split %s; with fees %s, joint %s", p.name, sunk.Fixed(0),
			got.Cost.Fixed(2), got.Bound.Fixed(2), 100*got.Gap(), split.Cost.Fixed(2), (sunk + got.Cost).Fixed(0), joint.Bound.Fixed(0))
		for _, opts := range []Options{
			{}, {Order: CheapestFirst}, {Excess: NoExcess}, {Price: Unpaid}, {Price: Unpaid, Order: CheapestFirst}, {Order: Alone},
		} {
			for _, expects := range []bool{true, false} {
				told := slices.Clone(centres)
				if !expects {
					for j := range told {
						told[j].Demand = nil
					}
				}
				if bookings, err = Share(bookings[:0], told, tasks, opts); err != nil {
					t.Fatal(err)
				}
				greedy := spent(bookings)
				if greedy < got.Cost {
					t.Errorf("%s %+v: greedy costs %v, the plan %v", p.name, opts, greedy, got.Cost)
				}
				t.Logf("%-8s %+v, expects %v: %s, over the bound %.2f%%, with fees %.2f%%", p.name, opts, expects, greedy.Fixed(0),
					100*(greedy.Float64()/got.Bound.Float64()-1), 100*((greedy+sunk).Float64()/(got.Bound+sunk).Float64()-1))
			}
		}
	}
}
