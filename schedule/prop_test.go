package schedule

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/plimsoll/plimsoll/internal/seeded"
)

// naive is a cluster in plain slices that computes everything anew each time:
// the reference for the three schedulers.
type naive struct {
	kind    string
	order   priority
	total   int
	boots   []release
	running []Allocation
	waiting []waitingJob
	starts  map[int64]time.Duration // reservations of the conservative scheduler
}

func newNaive(kind string, order priority, nodes int) *naive {
	return &naive{kind: kind, order: order, total: nodes, starts: map[int64]time.Duration{}}
}

// ready returns how many nodes there are at t, and free how many of them no
// running job holds by its estimate.
func (n *naive) ready(t time.Duration) int {
	sum := n.total
	for _, b := range n.boots {
		if b.at > t {
			sum -= b.nodes
		}
	}
	return sum
}

func (n *naive) free(t time.Duration) int {
	sum := n.ready(t)
	for _, a := range n.running {
		if a.Start+a.Estimate > t {
			sum -= a.Nodes
		}
	}
	return sum
}

// moments returns the times after now at which nodes come free.
func (n *naive) moments(now time.Duration) []time.Duration {
	var at []time.Duration
	for _, b := range n.boots {
		at = append(at, b.at)
	}
	for _, a := range n.running {
		at = append(at, a.Start+a.Estimate)
	}
	for _, j := range n.waiting {
		if s, ok := n.starts[j.ID]; ok && s != Never {
			at = append(at, s+j.Estimate)
		}
	}
	at = slices.DeleteFunc(at, func(t time.Duration) bool { return t <= now })
	slices.Sort(at)
	return slices.Compact(at)
}

func (n *naive) submit(j Job, now time.Duration) {
	w := waitingJob{Job: j}
	if n.order != nil {
		w.prio = n.order(j)
	}
	n.waiting = append(n.waiting, w)
	slices.SortFunc(n.waiting, orderOf)
	if n.kind == "conservative" {
		n.starts[j.ID] = n.earliest(j, now)
	}
}

// earliest finds when a job without a reservation fits.
func (n *naive) earliest(j Job, now time.Duration) time.Duration {
	free := func(t time.Duration) int {
		f := n.free(t)
		for _, o := range n.waiting {
			if s, ok := n.starts[o.ID]; ok && s <= t && t < s+o.Estimate && s != Never {
				f -= o.Nodes
			}
		}
		return f
	}
next:
	for _, t := range append([]time.Duration{now}, n.moments(now)...) {
		if free(t) < j.Nodes {
			continue
		}
		for _, o := range n.waiting {
			if s, ok := n.starts[o.ID]; ok && t < s && s < t+j.Estimate && free(s) < j.Nodes {
				continue next
			}
		}
		return t
	}
	return Never
}

// replan makes all reservations anew.
func (n *naive) replan(now time.Duration) {
	clear(n.starts)
	for _, j := range n.waiting {
		n.starts[j.ID] = n.earliest(j.Job, now)
	}
}

// tell moves reservations to the earliest times that are possible now.
func (n *naive) tell(now time.Duration) {
	if n.kind != "conservative" {
		return
	}
	for _, s := range n.starts {
		if s < now {
			n.replan(now)
			break
		}
	}
	for moved := true; moved; {
		moved = false
		for _, j := range n.waiting {
			old := n.starts[j.ID]
			delete(n.starts, j.ID)
			n.starts[j.ID] = n.earliest(j.Job, now)
			moved = moved || n.starts[j.ID] != old
		}
	}
}

func (n *naive) begin(i int, now time.Duration) Allocation {
	a := Allocation{n.waiting[i].Job, now}
	n.waiting = slices.Delete(n.waiting, i, i+1)
	delete(n.starts, a.ID)
	n.running = append(n.running, a)
	return a
}

// topStart predicts when the first job starts if only those that run hold nodes.
func (n *naive) topStart(now time.Duration) time.Duration {
	for _, t := range append([]time.Duration{now}, n.moments(now)...) {
		if n.free(t) >= n.waiting[0].Nodes {
			return t
		}
	}
	return Never
}

func (n *naive) pass(now time.Duration) (started []Allocation) {
	n.tell(now)
	if n.kind == "conservative" {
		for i := 0; i < len(n.waiting); {
			if n.starts[n.waiting[i].ID] <= now {
				started = append(started, n.begin(i, now))
			} else {
				i++
			}
		}
		return started
	}
	if n.kind == "easy2" || n.kind == "easy4" {
		return n.reserving(now, reservations(n.kind))
	}
	for len(n.waiting) > 0 && n.waiting[0].Nodes <= n.free(now) {
		started = append(started, n.begin(0, now))
	}
	if n.kind == "fcfs" {
		return started
	}
	// Out of turn starts who fits and does not put off the top job: tried out.
	for i := 1; i < len(n.waiting); {
		j := n.waiting[i].Job
		if j.Nodes > n.free(now) {
			i++
			continue
		}
		before := n.topStart(now)
		n.running = append(n.running, Allocation{j, now})
		after := n.topStart(now)
		n.running = n.running[:len(n.running)-1]
		if after > before {
			i++
			continue
		}
		started = append(started, n.begin(i, now))
	}
	return started
}

func newScheduler(kind string, order priority) Scheduler {
	switch kind {
	case "easy":
		return &EASY{Order: order}
	case "fcfs":
		return &FCFS{Order: order}
	case "reserving1":
		return &reservingEASY{EASY{Order: order}}
	case "easy2", "easy4":
		return &EASY{Order: order, Reservations: reservations(kind)}
	}
	return &Conservative{Order: order}
}

var kinds = []string{"easy", "fcfs", "conservative", "reserving1", "easy2", "easy4"}

// reservations returns how many a kind of EASY makes.
func reservations(kind string) int { return int(kind[len(kind)-1] - '0') }

// reservingEASY is EASY by the pass for several reservations.
type reservingEASY struct{ EASY }

func (s *reservingEASY) AppendStarts(dst []Allocation, now time.Duration) []Allocation {
	s.expire(now)
	if s.queue.len == 0 {
		s.changed, s.isNew = false, false
		return dst
	}
	return s.reservingPass(dst, now, 1)
}

// reserving is a pass with k reservations, by trying all times: a job fits at a time if
// there are nodes at each moment of its span.
func (n *naive) reserving(now time.Duration, k int) (started []Allocation) {
	var reserved []Allocation
	for i := 0; i < len(n.waiting); {
		j := n.waiting[i].Job
		times := append([]time.Duration{now}, n.moments(now)...)
		for _, r := range reserved {
			times = append(times, r.Start, r.End())
		}
		slices.Sort(times)
		fits := func(at time.Duration) bool {
			for _, t := range times {
				if t < at || t-at >= j.Estimate {
					continue
				}
				free := n.free(t)
				for _, r := range reserved {
					if r.Start <= t && t < r.End() {
						free -= r.Nodes
					}
				}
				if free < j.Nodes {
					return false
				}
			}
			return true
		}
		if fits(now) {
			started = append(started, n.begin(i, now))
			continue
		}
		if len(reserved) < k {
			at := Never // reserves nothing, but counts
			for _, t := range times {
				if t >= now && t < at && fits(t) {
					at = t
				}
			}
			reserved = append(reserved, Allocation{j, at})
		}
		i++
	}
	return started
}

// TestEqualsReference drives each scheduler and its reference through the same
// random events and compares every answer. It also checks what the schedulers
// promise: no more nodes in use than there are; the top job of EASY and FCFS
// starts by the shadow time that it was given, and every job of Conservative by
// its reservation, while nothing happens that the promise excludes. Half the
// schedulers have done something else before.
func TestEqualsReference(t *testing.T) {
	orders := map[string]priority{
		"none": nil, "smallest": func(j Job) float64 { return -float64(j.Nodes) }, "largest": func(j Job) float64 { return float64(j.Nodes) }, "shortest": ShortestFirst,
		"weights": Weights{User: map[int]float64{1: 1, 2: 2}, Hour: 3600e9 * 0.2, Node: -0.3}.Priority,
	}
	for _, kind := range kinds {
		t.Run(kind, func(t *testing.T) {
			starts, waits, backfills, kept := 0, 0, 0, 0
			dirty := map[string]Scheduler{}
			rapid.Check(t, func(t *rapid.T) {
				name := rapid.SampledFrom([]string{"none", "none", "smallest", "largest", "shortest", "weights"}).Draw(t, "order")
				order := orders[name]
				nodes := rapid.IntRange(0, 12).Draw(t, "nodes")
				exact := rapid.Bool().Draw(t, "exact") // asked at every estimated end
				s := dirty[name]
				if s == nil || rapid.Bool().Draw(t, "fresh") {
					s = newScheduler(kind, order)
					if nodes > 0 {
						s.Reset(nodes)
					}
					dirty[name] = s
				} else {
					s.Reset(nodes)
				}
				ref := newNaive(kind, order, nodes)
				promised := map[int64]time.Duration{}
				now, id := time.Duration(0), int64(0)
				asked := true

				newJob := func() Job {
					id++
					j := Job{
						ID: id, User: rapid.IntRange(0, 3).Draw(t, "user"), Submit: now,
						Estimate: time.Duration(rapid.IntRange(1, 20).Draw(t, "estimate")),
						Nodes:    rapid.IntRange(1, 10).Draw(t, "nodes"),
					}
					if !exact {
						j.Submit = max(0, now-time.Duration(rapid.IntRange(0, 3).Draw(t, "requeued")))
					}
					return j
				}
				compare := func() {
					jobs, nodes := s.Waiting()
					if jobs != len(ref.waiting) {
						t.Fatalf("%d jobs wait, want %d", jobs, len(ref.waiting))
					}
					want, sum := []Job(nil), 0
					for _, j := range ref.waiting {
						want, sum = append(want, j.Job), sum+j.Nodes
					}
					if got := s.AppendWaiting(nil); !slices.Equal(got, want) || nodes != sum {
						t.Fatal(cmp.Diff(want, got))
					}
					limit := time.Duration(rapid.IntRange(0, 21).Draw(t, "limit"))
					got, ok := s.FirstWithin(limit)
					b := newBacklog(want, limit)
					if ok != (b.firstShort > 0) || ok && got.Nodes != b.firstShort {
						t.Fatalf("FirstWithin %v: %v, %v; FirstShort %d", limit, got, ok, b.firstShort)
					}
					if s.Nodes() != ref.total {
						t.Fatalf("%d nodes, want %d", s.Nodes(), ref.total)
					}
				}
				ask := func() {
					prefix := []Allocation{{Start: 42}}
					first := len(ref.waiting) > 0
					var firstID int64
					if first {
						firstID = ref.waiting[0].ID
					}
					want := ref.pass(now)
					got := s.AppendStarts(prefix, now)
					if got[0] != prefix[0] || !slices.Equal(got[1:], want) {
						t.Fatalf("at %v: %s", now, cmp.Diff(want, got[1:]))
					}
					asked = true
					starts += len(want)
					if len(want) > 0 && want[0].ID != firstID || len(want) > 1 && len(ref.waiting) > 0 && orderOf(ref.waiting[0], waitingJob{Job: want[len(want)-1].Job, prio: valueOf(order, want[len(want)-1].Job)}) < 0 {
						if backfills++; kind == "fcfs" {
							t.Fatal("started out of order")
						}
					}
					for _, a := range want {
						if p, ok := promised[a.ID]; ok {
							if kept++; a.Start > p {
								t.Fatalf("job %d starts at %v, promised %v", a.ID, a.Start, p)
							}
						}
					}
					if free := ref.free(now); free < 0 || free > ref.ready(now) || s.Free() != free {
						t.Fatalf("%d of %d nodes free, want %d", s.Free(), ref.ready(now), free)
					}
					if len(ref.waiting) == 0 {
						return
					}
					waits++
					top, start, ok := s.Top(now)
					wantStart := ref.starts[ref.waiting[0].ID]
					if kind != "conservative" {
						wantStart = ref.topStart(now)
					}
					if !ok || top != ref.waiting[0].Job || start != wantStart {
						t.Fatalf("top is %+v at %v, want %+v at %v", top, start, ref.waiting[0].Job, wantStart)
					}
					if exact {
						if p, ok := promised[top.ID]; !ok || start < p {
							promised[top.ID] = start
						}
						for id, start := range ref.starts { // of Conservative, also the others
							if p, ok := promised[id]; !ok || start < p {
								promised[id] = start
							}
						}
					}
				}
				for range rapid.IntRange(1, 200).Draw(t, "events") {
					switch op := rapid.IntRange(0, 15).Draw(t, "event"); {
					case op < 7:
						j := newJob()
						ref.submit(j, now)
						s.Submit(j)
						if order != nil && kind != "conservative" {
							clear(promised)
						}
					case op < 11 && len(ref.running) > 0:
						i := rapid.IntRange(0, len(ref.running)-1).Draw(t, "which")
						s.Finish(ref.running[i], now)
						ref.running = slices.Delete(ref.running, i, i+1)
					case op == 11:
						n := rapid.IntRange(0, 4).Draw(t, "more")
						at := now + time.Duration(rapid.IntRange(0, 5).Draw(t, "boot"))
						s.AddNodes(n, at)
						ref.total += n
						ref.boots = append(ref.boots, release{at, 0, n})
					case op == 12:
						n := rapid.IntRange(0, ref.free(now)).Draw(t, "fewer")
						s.RemoveNodes(n, now)
						ref.total -= n
						if kind == "conservative" {
							ref.replan(now)
						}
						clear(promised)
					case op == 13 && len(ref.waiting) > 0:
						i := rapid.IntRange(0, len(ref.waiting)-1).Draw(t, "whose")
						j := ref.waiting[i].Job
						ref.waiting = slices.Delete(ref.waiting, i, i+1)
						delete(ref.starts, j.ID)
						if !s.Take(j) || s.Take(j) {
							t.Fatal("Take")
						}
					case op == 14:
						j := newJob()
						if j.Nodes > ref.free(now) {
							break
						}
						if a := s.Start(j, now); a != (Allocation{j, now}) {
							t.Fatalf("started %+v", a)
						}
						ref.running = append(ref.running, Allocation{j, now})
						if kind == "conservative" {
							ref.replan(now)
						}
						clear(promised)
					}
					asked = false
					compare()
					if rapid.IntRange(0, 3).Draw(t, "ask") > 0 {
						ask()
					}
					if !rapid.Bool().Draw(t, "advance") {
						continue
					}
					if exact && !asked {
						ask()
					}
					d := time.Duration(rapid.IntRange(1, 9).Draw(t, "for"))
					if m := ref.moments(now); exact && len(m) > 0 {
						d = min(d, m[0]-now)
					}
					now += d
					if exact {
						ask()
					} else if kind == "conservative" {
						s.Top(now)
						ref.tell(now)
					}
				}
			})
			if starts < 500 || waits < 500 || kept < 50 || kind != "fcfs" && backfills < 50 {
				seeded.TooFew(t, "too tame: %d starts, %d waits, %d starts out of turn, %d promises kept", starts, waits, backfills, kept)
			}
		})
	}
}

// TestOverloadEqualsReference drives a scheduler with a queue that grows to tens or hundreds of jobs, and
// its reference, through early ends and new jobs. Seed 7.
func TestOverloadEqualsReference(t *testing.T) {
	for _, kind := range kinds {
		for _, order := range []priority{nil, ShortestFirst} {
			rnd := rand.New(rand.NewPCG(7, 7))
			s, ref := newScheduler(kind, order), newNaive(kind, order, 32)
			s.Reset(32)
			events, most := 800, 0
			switch kind {
			case "conservative":
				events = 90
			case "easy2", "easy4": // the reference is slow
				events = 200
			}
			for i := range events {
				now := time.Duration(10 * i)
				for range 1 + rnd.IntN(2) {
					j := Job{ID: int64(len(ref.waiting) + 1_000_000*(i+1)), Submit: now, Nodes: 1 + rnd.IntN(32), Estimate: time.Duration(1 + rnd.IntN(400))}
					s.Submit(j)
					ref.submit(j, now)
				}
				if k := rnd.IntN(3); k < len(ref.running) {
					a := ref.running[k]
					s.Finish(a, now)
					ref.running = slices.Delete(ref.running, k, k+1)
				}
				want := ref.pass(now)
				if got := s.AppendStarts(nil, now); !slices.Equal(got, want) {
					t.Fatalf("%s at %v: %s", kind, now, cmp.Diff(want, got))
				}
				ref.running = slices.DeleteFunc(ref.running, func(a Allocation) bool {
					late := a.Start+a.Estimate <= now
					if late {
						s.Finish(a, now)
					}
					return late
				})
				most = max(most, len(ref.waiting))
			}
			if most < 50 {
				t.Errorf("%s: at most %d jobs waited", kind, most)
			}
		}
	}
}

// The linear priority: two jobs never change places, whenever one looks.
func TestWeightsKeepTheirOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		// Whole numbers, so that no sum is rounded.
		n := func(name string) float64 { return float64(rapid.IntRange(-9, 9).Draw(t, name)) }
		w := Weights{User: map[int]float64{1: n("u1"), 2: n("u2")}, Hour: n("hour"), Node: n("node")}
		job := func() Job {
			return Job{
				User: rapid.IntRange(0, 2).Draw(t, "user"), Nodes: rapid.IntRange(1, 99).Draw(t, "nodes"),
				Submit: time.Duration(rapid.IntRange(0, 99).Draw(t, "submit")) * time.Hour,
			}
		}
		a, b := job(), job()
		at := float64(rapid.IntRange(0, 999).Draw(t, "hours"))
		p := func(j Job) float64 {
			return w.User[j.User] + w.Hour*(at-j.Submit.Hours()) + w.Node*float64(j.Nodes)
		}
		if (p(a) > p(b)) != (w.Priority(a) > w.Priority(b)) || (p(a) == p(b)) != (w.Priority(a) == w.Priority(b)) {
			t.Fatalf("%v: %v and %v at hour %v", w, a, b, at)
		}
	})
}
