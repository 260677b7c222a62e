package spot

import (
	"compress/gzip"
	"flag"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/plimsoll/plimsoll/internal/seeded"
	"github.com/plimsoll/plimsoll/internal/shared"
	"github.com/plimsoll/plimsoll/pricing"
)

// bruteBids is the model of planner.go minute by minute, by enumeration: all
// durations are whole minutes, and a cluster is a machine that reads its
// checkpoint, works and saves. It shares no code with the planner but the task's
// estimates and the meters.
type bruteBids struct {
	m     Market
	task  Task
	known map[[3]int]float64
}

// need is what the task needs on demand.
func (r *bruteBids) need(saved time.Duration) time.Duration {
	return r.task.Latency + r.task.Remaining(saved)
}

func (r *bruteBids) demand(saved time.Duration) float64 {
	return r.onDemand(r.need(saved))
}

func (r *bruteBids) idle(left, saved time.Duration, level int) float64 {
	step := r.m.Chain.Step
	key := [3]int{int(left / step), int(saved), level}
	if v, ok := r.known[key]; ok {
		return v
	}
	n := len(r.m.Chain.Tops)
	best := r.demand(saved)
	if left-step >= r.need(saved) {
		sum := 0.0
		for j := range n {
			sum += r.m.Chain.Move[level*n+j] * r.idle(left-step, saved, j)
		}
		best = min(best, sum)
	}
	for bid := level; bid < n; bid++ {
		c := newMachine(&r.task, saved)
		if v, ok := r.block(left, c, level, bid); ok {
			best = min(best, v)
		}
	}
	r.known[key] = best
	return best
}

// machine is a spot cluster with the task on it.
type machine struct {
	task                    *Task
	age                     time.Duration
	boot, read, work, write time.Duration // left of each phase
	since                   time.Duration // work since the checkpoint
	saved                   time.Duration
	done                    bool
	rescue                  time.Duration // when a cluster on demand was requested, by age; -1 if none is
	sunk                    time.Duration // what that needs
}

func newMachine(t *Task, saved time.Duration) machine {
	c := machine{rescue: -1, task: t, boot: t.Latency, saved: saved, work: t.Estimate}
	if saved > 0 && t.Remaining(saved) < t.Estimate {
		c.read, c.work = t.Checkpoints.Restart, t.Estimate-saved
	} else {
		c.saved = 0
	}
	return c
}

// minute lets the machine run for a minute.
func (c *machine) minute() {
	const tick = time.Minute
	c.age += tick
	k := &c.task.Checkpoints
	switch {
	case c.boot > 0:
		c.boot -= tick
	case c.read > 0:
		c.read -= tick
	case c.write > 0:
		if c.write -= tick; c.write == 0 {
			c.saved += c.since
			c.since = 0
		}
	default:
		c.work -= tick
		c.since += tick
		switch {
		case c.work == 0:
			c.done = true
		case k.Every > 0 && c.since == k.Every && k.Write > 0:
			c.write = k.Write
		case k.Every > 0 && c.since == k.Every:
			c.saved += c.since
			c.since = 0
		}
	}
}

// block returns the cost of a block and of what follows, and whether it can be
// run at all. First the machine runs alone, to see where the block ends.
func (r *bruteBids) block(left time.Duration, c machine, level, bid int) (float64, bool) {
	hold := r.m.Spot.Reprice
	if hold == 0 {
		hold = r.m.Chain.Step
	}
	at := c.age
	end, cut := time.Duration(-1), false
	for d, last := c, c.saved; ; {
		if d.rescue < 0 && left-(d.age-at)-time.Minute < r.need(d.saved) { // not safe for another minute
			if end >= 0 || !r.m.Beside {
				cut = true
				break
			}
			whole := c
			for !whole.done {
				whole.minute()
			}
			if whole.age-at >= left {
				return 0, false
			}
			d.rescue, d.sunk = d.age, r.need(d.saved)
			c.rescue, c.sunk = d.rescue, d.sunk
		}
		d.minute()
		if d.saved > last && d.rescue < 0 {
			end, last = d.age-at, d.saved
		}
		if d.done || d.age-at == hold {
			end = d.age - at
			break
		}
	}
	if end < 0 {
		return 0, false
	}
	return r.walk(left, c, at, end, cut, level, level, bid), true
}

// walk enumerates the courses of the price from now to the end of the block. The
// price on whose level the block began is charged.
func (r *bruteBids) walk(left time.Duration, c machine, at, end time.Duration, cut bool, level, now, bid int) float64 {
	step, n := r.m.Chain.Step, len(r.m.Chain.Tops)
	charge := func(age time.Duration, by bool) float64 {
		return r.m.Chain.Prices[level].Float64() * (r.m.Spot.Charged(age, by) - at).Hours()
	}
	minutes := 0
	for range int(step / time.Minute) {
		if c.age-at == end && (cut || c.done) {
			break
		}
		c.minute()
		minutes++
		if c.done {
			return charge(c.age, pricing.EndedByUser) + r.beside(c)
		}
	}
	after := left - step // the next look
	keep := math.Pow(1-r.m.Reclaim, step.Hours())
	sum := 0.0
	for j := range n {
		p := r.m.Chain.Move[now*n+j]
		if p == 0 {
			continue
		}
		if cut && c.age-at == end {
			sum += p * (charge(c.age, pricing.EndedByUser) + r.idle(after, c.saved, j))
			continue
		}
		gone := charge(c.age, pricing.EndedByProvider)
		if c.rescue >= 0 && c.rescue < c.age {
			gone += r.sunk(c)
		} else {
			gone += r.idle(after, c.saved, j)
		}
		if j > bid {
			sum += p * gone
			continue
		}
		sum += p * (1 - keep) * gone
		if c.age-at < end {
			sum += p * keep * r.walk(after, c, at, end, cut, level, j, bid)
			continue
		}
		follow, ok := r.block(after, c, j, bid)
		if c.rescue < 0 {
			if stop := r.idle(after, c.saved, j); !ok || stop < follow {
				follow = stop
			}
		}
		sum += p * keep * (charge(c.age, pricing.EndedByUser) + follow)
	}
	return sum
}

// beside returns what a cluster on demand has cost when the run beside it ends.
func (r *bruteBids) beside(c machine) float64 {
	if c.rescue < 0 {
		return 0
	}
	return r.onDemand(c.age - c.rescue)
}

// sunk returns what it costs when the run beside it is interrupted.
func (r *bruteBids) sunk(c machine) float64 { return r.onDemand(c.sunk) }

func (r *bruteBids) onDemand(d time.Duration) float64 {
	cost, err := r.m.Meter.Cost(r.m.OnDemand, d)
	if err != nil {
		panic(err)
	}
	return cost.Float64()
}

// anyMarket draws a small market whose spans are whole minutes.
func anyMarket(t *rapid.T, levels int) Market {
	n := rapid.IntRange(1, levels).Draw(t, "levels")
	step := 5 * time.Minute * time.Duration(rapid.IntRange(1, 2).Draw(t, "step"))
	hold := step * time.Duration(rapid.IntRange(0, 3).Draw(t, "hold"))
	m := Market{
		Chain:    PriceChain{Step: step},
		OnDemand: pricing.Money(rapid.IntRange(0, 12).Draw(t, "on demand")) * 100 * pricing.Milli,
		Meter:    rapid.SampledFrom([]pricing.Meter{pricing.EC2PerSecond, {Increment: 15 * time.Minute}}).Draw(t, "meter"),
		Reclaim:  rapid.SampledFrom([]float64{0, 0, 0.5}).Draw(t, "reclaim"),
		Beside:   rapid.Bool().Draw(t, "beside"),
	}
	if hold == 0 {
		m.Spot = pricing.SpotMeter{Meter: pricing.EC2PerSecond}
	} else {
		m.Spot = rapid.SampledFrom([]pricing.SpotMeter{
			{Meter: pricing.Meter{Minimum: hold, Increment: hold}, Reprice: hold, FreePartial: true},
			{Meter: pricing.EC2PerSecond, Reprice: hold, FreeBefore: hold},
			{Meter: pricing.EC2PerSecond, Reprice: hold, FreeBefore: step},
		}).Draw(t, "spot")
	}
	top := pricing.Money(0)
	for i := range n {
		top += pricing.Money(rapid.IntRange(1, 5).Draw(t, "top")) * 100 * pricing.Milli
		m.Chain.Tops = append(m.Chain.Tops, top)
		m.Chain.Prices = append(m.Chain.Prices, top-pricing.Money(rapid.IntRange(0, 1).Draw(t, "below"))*50*pricing.Milli)
		row := make([]float64, n)
		sum := 0.0
		for j := range row {
			row[j] = float64(rapid.IntRange(0, 4).Draw(t, "weight"))
			sum += row[j]
		}
		if sum == 0 {
			row[i], sum = 1, 1
		}
		for _, w := range row {
			m.Chain.Move = append(m.Chain.Move, w/sum)
		}
	}
	return m
}

// anyDeadlineTask draws a small task whose spans are whole minutes.
func anyDeadlineTask(t *rapid.T, step time.Duration, steps int) Task {
	minutes := func(lo, hi int, name string) time.Duration {
		return time.Duration(rapid.IntRange(lo, hi).Draw(t, name)) * time.Minute
	}
	task := Task{Estimate: minutes(1, 40, "estimate"), Latency: minutes(0, 6, "latency"), Instances: 1}
	if rapid.Bool().Draw(t, "checkpoints") {
		task.Checkpoints = Checkpoints{Every: minutes(3, 20, "every"), Write: minutes(0, 3, "write"), Restart: minutes(0, 5, "restart")}
	}
	// Mostly with time to spare, sometimes late.
	task.Deadline = time.Duration(rapid.IntRange(0, steps).Draw(t, "steps")) * step
	if rapid.IntRange(0, 9).Draw(t, "late") > 0 {
		task.Deadline = min(task.Deadline+task.Latency+task.Estimate, 16*step)
	}
	task.Deadline += minutes(1, int(step/time.Minute), "more")
	return task
}

// moreChecks lets rapid draw that many times its usual number of cases, for a test.
func moreChecks(t *testing.T, times int) {
	f := flag.Lookup("rapid.checks")
	before := f.Value.String()
	n, err := strconv.Atoi(before)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Value.Set(strconv.Itoa(n * times)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := f.Value.Set(before); err != nil {
			t.Error(err)
		}
	})
}

// The planner's values are those of the enumeration, at every level of the price
// and with everything saved that can be; and what it does was interesting often
// enough.
func TestBidPlannerEqualsEnumeration(t *testing.T) {
	var p Planner // dirty from case to case
	var spot, long, wait, cut, scratch, both int
	moreChecks(t, 60)
	rapid.Check(t, func(t *rapid.T) {
		m := anyMarket(t, 3)
		task := anyDeadlineTask(t, m.Chain.Step, 6)
		if err := p.Solve(m, &task, 0); err != nil {
			t.Fatal(err)
		}
		r := bruteBids{m: m, task: task, known: map[[3]int]float64{}}
		whole := task.Deadline / m.Chain.Step * m.Chain.Step
		for q := range p.points {
			saved := time.Duration(q) * task.Checkpoints.Every
			if q > 0 && p.fromScratch(q) {
				scratch++
				saved = 0
			}
			for i := range m.Chain.Tops {
				got, want := p.v[(p.steps*p.points+q)*p.levels+i], r.idle(whole, saved, i)
				if math.Abs(got-want) > 1e-9*max(1, want) {
					t.Fatalf("level %d, %d saved: %v, enumeration %v", i, q, got, want)
				}
				switch d := p.Decide(BidState{Price: m.Chain.Tops[i], Saved: time.Duration(q) * task.Checkpoints.Every}); d.Action {
				case BidSpot:
					spot++
					if d.For < p.block && d.For < p.runs[p.first[q]].finish {
						cut++
					}
					if d.For > p.m.Chain.Step {
						long++
					}
					if _, how := p.span(&p.runs[p.first[q]], whole); how == blockBeside {
						both++
					}
				case BidWait:
					wait++
				}
			}
		}
	})
	if min(spot, long, wait, cut, scratch, both) < 20 {
		seeded.TooFew(t, "drawn: %d on spot, %d for several steps, %d waiting, %d cut at a checkpoint, %d from scratch, %d beside one on demand; want 20 of each", spot, long, wait, cut, scratch, both)
	}
}

// follow does what the planner says, event by event, under a price history, and
// returns what that costs and when the task ends. The clock is that of the
// history. reclaim returns when a cluster launched at a time is taken away without
// a price; sooner is within which part of For the planner is asked again.
func follow(t interface{ Fatalf(string, ...any) }, p *Planner, h pricing.SpotHistory, now time.Duration,
	reclaim func(launch time.Duration) time.Duration, sooner func() float64) (cost float64, end time.Duration, interrupted int) {
	task, c := &p.task, &p.task.Checkpoints
	var saved time.Duration
	for range 100_000 {
		d := p.Decide(BidState{Now: now, Price: h.At(now), Saved: saved})
		if d.Stop || d.For <= 0 {
			t.Fatalf("an idle task is told %+v", d)
		}
		switch d.Action {
		case BidOnDemand:
			length := task.Latency + task.Remaining(saved)
			paid, err := p.m.Meter.Cost(p.m.OnDemand, length)
			if err != nil {
				t.Fatalf("%v", err)
			}
			return cost + paid.Float64(), now + length, interrupted
		case BidWait:
			now += max(1, time.Duration(sooner()*float64(d.For)))
			continue
		}
		if h.At(now) > d.Bid {
			t.Fatalf("a bid of %v at a price of %v", d.Bid, h.At(now))
		}
		launch := now
		gone, _ := h.NextAbove(launch, d.Bid)
		if gone == h.End {
			gone = math.MaxInt64
		}
		gone = min(gone, reclaim(launch))
		finish := launch + task.Latency + task.SpotRun(saved)
		fresh := task.Remaining(saved) == task.Estimate
		held := func(at time.Duration) time.Duration { // saved at a time of this run
			if c.Every == 0 {
				return 0
			}
			begin, from := task.Latency, time.Duration(0)
			if !fresh {
				begin, from = begin+c.Restart, saved
			}
			if at-launch < begin {
				return saved
			}
			return max(saved, from+min((task.Estimate-from-1)/c.Every, (at-launch-begin)/(c.Every+c.Write))*c.Every)
		}
		by := pricing.EndedByUser
		for {
			next := now + max(1, time.Duration(sooner()*float64(d.For)))
			if finish <= min(next, gone) {
				now = finish
				break
			}
			if gone <= next {
				now, by = gone, pricing.EndedByProvider
				interrupted++
				break
			}
			now = next
			d = p.Decide(BidState{Now: now, Price: h.At(now), Saved: saved, Running: true, Elapsed: now - launch, Bid: d.Bid})
			if d.For <= 0 {
				t.Fatalf("a running task is told %+v", d)
			}
			if d.Stop {
				break
			}
			if d.Action == BidBoth {
				length, own := min(finish, gone)-now, task.Latency+task.Remaining(held(now))
				by := pricing.EndedByUser
				switch {
				case min(finish, now+own) <= gone:
					length = min(finish-now, own)
					own = length
				default:
					by = pricing.EndedByProvider
					interrupted++
				}
				paid, err := p.m.Spot.Cost(h, launch, now+length-launch, by)
				if err != nil {
					t.Fatalf("%v", err)
				}
				beside, err := p.m.Meter.Cost(p.m.OnDemand, own)
				if err != nil {
					t.Fatalf("%v", err)
				}
				return cost + paid.Float64() + beside.Float64(), now + own, interrupted
			}
			if d.Action != BidSpot {
				t.Fatalf("a running task is told to go on, and %+v", d)
			}
		}
		paid, err := p.m.Spot.Cost(h, launch, now-launch, by)
		if err != nil {
			t.Fatalf("%v", err)
		}
		cost += paid.Float64()
		if now == finish {
			return cost, now, interrupted
		}
		saved = held(now)
	}
	t.Fatalf("the task does not end")
	return
}

// Whatever the price does, whenever the provider takes clusters, and however often
// the planner is asked, the deadline is met if on demand meets it from the start.
func TestBidPlannerKeepsTheDeadline(t *testing.T) {
	moreChecks(t, 200)
	var p Planner
	interruptions, tight := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		m := anyMarket(t, 4)
		step := m.Chain.Step
		task := anyDeadlineTask(t, step, 30)
		task.Deadline = max(task.Deadline, task.Latency+task.Estimate)
		start := time.Duration(rapid.Int64Range(0, int64(task.Deadline-task.Latency-task.Estimate)).Draw(t, "start"))
		if err := p.Solve(m, &task, start); err != nil {
			t.Fatal(err)
		}
		rnd := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		// Prices that have nothing to do with the chain, at any time.
		h := pricing.SpotHistory{Times: []time.Duration{0}, Prices: []pricing.Money{0}, End: 100 * time.Hour}
		for at := time.Duration(0); at < task.Deadline; {
			at += 1 + time.Duration(rnd.ExpFloat64()*float64(step))
			h.Times = append(h.Times, at)
			h.Prices = append(h.Prices, pricing.Money(rnd.Int64N(2*int64(m.Chain.Tops[len(m.Chain.Tops)-1]))))
		}
		early := rapid.Bool().Draw(t, "early")
		_, end, lost := follow(t, &p, h, start, func(launch time.Duration) time.Duration {
			return launch + 1 + time.Duration(rnd.ExpFloat64()*float64(20*step))
		}, func() float64 {
			if early {
				return rnd.Float64()
			}
			return 1
		})
		if end > task.Deadline {
			t.Fatalf("ends %v after the deadline", end-task.Deadline)
		}
		interruptions += lost
		if lost > 0 && task.Deadline-end < step {
			tight++
		}
	})
	if interruptions < 2000 || tight < 100 {
		seeded.TooFew(t, "%d interruptions, %d tasks that end just in time after one; want 2000 and 100", interruptions, tight)
	}
}

// Prices that the chain has not seen: tasks of half an hour to eight hours, with up
// to five times as much time, planned by the month before their submission. No
// deadline is missed, the cost is near what it was when this test was written, and
// with a second cluster beside it is less. The log has the table.
//
// One price is spiky and made up (seed 7), with EC2's rules of 2012. The other, if the
// file is there, is that of c5.2xlarge in eu-west-3a in 2020, with today's rules. On demand
// then costs three times the mean spot price.
func TestBidPlannerOutOfSample(t *testing.T) {
	t.Run("spiky", func(t *testing.T) {
		h := spikyHistory(120, 7)
		// What tasks cost at most, as a part of on demand: alone, beside, and the
		// same with checkpoints.
		outOfSample(t, []int{6, 4, 8}, &h, 1300*milli, pricing.EC2SpotHourly, pricing.EC2Hourly, [4]float64{.38, .33, .23, .23})
	})
	t.Run("c5.2xlarge", func(t *testing.T) {
		f, err := os.Open(shared.File(t, "spot/ec2_eu-west-3a_2020_ec2-prices-march-to-may.csv.gz"))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		z, err := gzip.NewReader(f)
		if err != nil {
			t.Fatal(err)
		}
		h, err := pricing.ReadSpot(z, pricing.SpotSeries{Type: "c5.2xlarge", Product: "Linux/UNIX"})
		if err != nil {
			t.Fatal(err)
		}
		outOfSample(t, []int{6, 4, 8}, &h, 3*h.Mean(h.Start(), h.End), pricing.EC2SpotPerSecond, pricing.EC2PerSecond, [4]float64{.50, .45, .38, .38})
	})
}

func outOfSample(t *testing.T, levels []int, h *pricing.SpotHistory, demand pricing.Money, spot pricing.SpotMeter, meter pricing.Meter, most [4]float64) {
	const day = 24 * time.Hour
	checks := Checkpoints{Every: 30 * time.Minute, Write: time.Minute, Restart: time.Minute}
	var got [4]float64
	for _, levels := range levels {
		for k := range 4 {
			if k >= 2 && levels != 6 {
				continue // for the time that it takes
			}
			rnd := rand.New(rand.NewPCG(1, 2))
			var p Planner
			e := ChainEstimator{Levels: levels}
			cost, all, interrupted := 0.0, 0.0, 0
			for range 100 {
				work := time.Duration(30+rnd.IntN(8*60-30)) * time.Minute
				submit := h.Start() + 20*day + time.Duration(rnd.Float64()*float64(h.Span()-25*day))
				task := Task{Estimate: work, Latency: 5 * time.Minute, Instances: 1}
				task.Deadline = submit + task.Latency + time.Duration(float64(work)*(1+4*rnd.Float64()))
				if k >= 2 {
					task.Checkpoints = checks
				}
				chain, err := e.Estimate(*h, max(h.Start(), submit-30*day), submit)
				if err != nil {
					t.Fatal(err)
				}
				if err := p.Solve(Market{Chain: chain, Spot: spot, OnDemand: demand, Meter: meter, Beside: k%2 == 1}, &task, submit); err != nil {
					t.Fatal(err)
				}
				paid, end, lost := follow(t, &p, *h, submit, func(time.Duration) time.Duration { return math.MaxInt64 }, func() float64 { return 1 })
				if end > task.Deadline {
					t.Fatalf("ends %v late", end-task.Deadline)
				}
				only, err := meter.Cost(demand, task.Latency+work)
				if err != nil {
					t.Fatal(err)
				}
				cost, all, interrupted = cost+paid, all+only.Float64(), interrupted+lost
			}
			t.Logf("levels %d, checkpoints %-5v, beside %-5v: %.4f of on demand, %d interruptions", levels, k >= 2, k%2 == 1, cost/all, interrupted)
			if levels == 6 { // the first
				got[k] = cost / all
			} else if math.Abs(cost/all-got[k]) > .01 {
				t.Errorf("case %d costs %.4f of on demand with %d levels, and %.4f with 6", k, cost/all, levels, got[k])
			}
		}
	}
	for k := range got {
		if got[k] > most[k] {
			t.Errorf("case %d costs %.4f of on demand, want %.2f at most", k, got[k], most[k])
		}
	}
	if got[1] > got[0] {
		t.Errorf("beside costs %.4f, alone %.4f", got[1], got[0])
	}
}
