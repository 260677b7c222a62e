package federation

import (
	"compress/gzip"
	"math"
	"math/rand/v2"
	"os"
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
