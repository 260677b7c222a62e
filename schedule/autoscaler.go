package schedule

import (
	"slices"
	"time"
)

// When does an elastic cluster grow, by how much, and which idle nodes does it give back?
// The aim is a low cost of leases with a limit on the wait of the first job. The rules
// are the rules of thumb of [Niu16] section 4.1; no bound on their cost is known.
//
// Growing. Let top be the first waiting job, and start its predicted start. The
// cluster grows iff top needs more nodes than there are, or start − submit exceeds
// WaitLimit, or there are fewer nodes than Least. It requests what the Expansion wants for the
// queue, less idle and booting nodes. It requests nothing if these suffice, if there are Most
// nodes, or while Pause lasts.
//
// Shrinking. An idle node is paid for until its next charge. So it is kept until the
// last release check before that charge, and goes then if no job waits. Checks are at
// the multiples of ReleaseEvery. The node goes at the check at time t iff
//
//	t ≤ due − Lead < t + ReleaseEvery
//
// Departures from the paper: Least, Most, Pause and Lead. Their zero values are the
// paper's rules.
//
// A decision takes O(1) time to grow and O(n log n) to give back n nodes.

// AtOnce, as a limit of an [Autoscaler], is a limit of zero. The zero value stands for
// the default.
const AtOnce time.Duration = -1

// An Autoscaler decides when an elastic cluster requests nodes, how many, and which idle nodes it
// gives back ([Niu16] section 4.1). No bound on cost or wait is known: an Autoscaler follows rules
// of thumb, and predicts starts from users' estimates. The decision depends on the arguments alone:
// an Autoscaler has no clock, requests nothing and remembers no decision. The zero value has the
// paper's parameters.
//
// A program that knows its queue and its nodes calls Predict and then Decide. It does so after each
// arrival, after each end of a job, and at the multiples of ReleaseEvery:
//
//	starts, view := a.Predict(&snapshot)
//	verdict := a.Decide(release[:0], &view)
//	snapshot.Until = verdict.Until
//
// A program that runs a [Scheduler] already fills in the [View] itself and calls only Decide.
// Neither method allocates once warm. An Autoscaler must not be used by two goroutines at once.
type Autoscaler struct {
	// WaitLimit is the predicted wait of the first job above which the cluster
	// grows: T_waitlmt of the paper. 0 is 5 minutes, AtOnce is 0.
	WaitLimit time.Duration
	// Expansion says how many nodes to have for the queue.
	Expansion Expansion
	// Short is the longest estimate of a short job: T_short of the paper. Only
	// BestSize looks at it. 0 is 1 hour, AtOnce is 0.
	Short time.Duration

	// ReleaseEvery is the time between two release checks, 0 is 1 minute.
	ReleaseEvery time.Duration
	// Lead is how long before its next charge a node leaves at the latest. Set it to the
	// time that draining the node and ending the lease take. A node whose charge is
	// nearer than that stays, since its next hour is paid for anyhow.
	Lead time.Duration

	// Least and Most bound the nodes of the cluster. A cluster below Least grows to Least
	// without a job, and no node goes while that would leave fewer. 0 as Most is no
	// limit. A job that needs more than Most never starts.
	Least, Most int
	// Pause is the least time between two changes of the size: see View.Until.
	Pause time.Duration

	// Scheduler predicts starts in Predict; nil is EASY, first come, first served.
	// Predict resets it.
	Scheduler Scheduler

	easy    EASY
	starts  []Allocation
	waiting []Job
}

// Validate returns an [*InputError] that unwraps to [ErrRange] for the first field
// that is outside of its range.
func (a *Autoscaler) Validate() error {
	switch {
	case a.WaitLimit < 0 && a.WaitLimit != AtOnce:
		return badInput("Autoscaler.WaitLimit", "%v: want a time, 0 for the default or AtOnce for none", a.WaitLimit)
	case a.Short < 0 && a.Short != AtOnce:
		return badInput("Autoscaler.Short", "%v: want a time, 0 for the default or AtOnce for none", a.Short)
	case !expansions.Valid(a.Expansion):
		return badInput("Autoscaler.Expansion", "%v: want %s", a.Expansion, expansions.Want())
	case a.ReleaseEvery < 0:
		return badInput("Autoscaler.ReleaseEvery", "%v: want a positive time, or 0 for the default", a.ReleaseEvery)
	case a.Lead < 0:
		return badInput("Autoscaler.Lead", "%v: want a time of at least 0", a.Lead)
	case a.Pause < 0:
		return badInput("Autoscaler.Pause", "%v: want a time of at least 0", a.Pause)
	case a.Least < 0:
		return badInput("Autoscaler.Least", "%d nodes: want at least 0", a.Least)
	case a.Most < 0:
		return badInput("Autoscaler.Most", "%d nodes: want at least 1, or 0 for no limit", a.Most)
	case a.Most > 0 && a.Most < a.Least:
		return badInput("Autoscaler.Most", "%d nodes, and Least is %d: want Most at or above Least", a.Most, a.Least)
	}
	return nil
}

// A View is what an [Autoscaler] sees of a cluster at a moment, after all jobs that
// can start have started.
type View struct {
	Now     time.Duration
	Nodes   int // of the cluster: idle, busy and booting
	Idle    int // up and without a job
	Booting int

	Top   Job           // the first waiting job; its Nodes are 0 if no job waits
	Start time.Duration // of Top, as predicted by Scheduler.Top
	// All, Long and FirstShort count the nodes that waiting jobs need: all jobs, the jobs whose
	// estimate exceeds Short, and the first other job. The Expansion looks at them.
	All, Long, FirstShort int

	// Due has, at a release check, the next charge of each idle node that may be
	// given back, each at Now or later. Nil keeps all nodes.
	Due []time.Duration
	// Until is Verdict.Until of the decision before, 0 at first. Nothing changes
	// before that time.
	Until time.Duration
}

// A Verdict is what an [Autoscaler] has decided.
type Verdict struct {
	// Cause says why the cluster grows or shrinks, or should and does not: CauseSize and its
	// like.
	Cause string
	// Grow is how many nodes to request.
	Grow int
	// Withheld is how many more the rules want and Most does not allow.
	Withheld int
	// Release has the positions in View.Due of the nodes to give back, in ascending
	// order, appended to the slice that the caller passed.
	Release []int
	// Until is what to pass as View.Until from now on: the end of the pause after
	// the last change.
	Until time.Duration
}

// The causes of a [Verdict].
const (
	// CauseNone: the cluster stays as it is.
	CauseNone = "none"
	// CauseSize: the first job needs more nodes than there are.
	CauseSize = "size"
	// CauseWait: the predicted wait of the first job exceeds the limit.
	CauseWait = "wait"
	// CauseLeast: the cluster is below its least size.
	CauseLeast = "least"
	// CauseCharge: idle nodes would be charged before the next check.
	CauseCharge = "charge"
	// CausePause: the cluster would change, and the last change is too recent.
	CausePause = "pause"
)

// or resolves the special values of a limit.
func or(limit, standard time.Duration) time.Duration {
	switch limit {
	case 0:
		return standard
	case AtOnce:
		return 0
	}
	return limit
}

func (a *Autoscaler) waitLimit() time.Duration { return or(a.WaitLimit, 5*time.Minute) }
func (a *Autoscaler) short() time.Duration     { return or(a.Short, time.Hour) }

func (a *Autoscaler) every() time.Duration {
	if a.ReleaseEvery == 0 {
		return time.Minute
	}
	return a.ReleaseEvery
}

// Decide says how many nodes to request, and which idle nodes to give back. It appends to dst the
// positions in v.Due of the nodes to give back. Decide does not modify v.
//
// Decide gives a node back at the last release check that is at least a.Lead before the node's next
// charge, and only if no job waits. The cluster keeps at least a.Least nodes. If that allows only
// some of these nodes to go, the nodes with the earliest next charge go. Ties go to the lower
// position in v.Due. Before v.Until, Decide requests nothing and gives nothing back.
//
// Decide panics if the cluster must grow and the Expansion is unknown: see Validate. Time:
// O(len(v.Due)), and O(n log n) if a.Least keeps some of the n nodes that could go.
func (a *Autoscaler) Decide(dst []int, v *View) Verdict {
	out := Verdict{Cause: a.Growth(v), Release: dst, Until: v.Until}
	want := max(0, a.Least-v.Nodes)
	if out.Cause == CauseSize || out.Cause == CauseWait {
		want = max(want, a.Expansion.nodes(backlog{v.Top.Nodes, v.All, v.Long, v.FirstShort})-v.Idle-v.Booting)
	}
	out.Grow = want
	if a.Most > 0 {
		out.Grow = min(want, max(0, a.Most-v.Nodes))
		out.Withheld = want - out.Grow
	}
	if out.Grow == 0 && v.Top.Nodes == 0 {
		if out.Release = a.release(dst, v); len(out.Release) > len(dst) {
			out.Cause = CauseCharge
		}
	}
	if out.Grow == 0 && len(out.Release) == len(dst) {
		return out
	}
	if v.Now < v.Until {
		return Verdict{Cause: CausePause, Release: dst, Until: v.Until}
	}
	if a.Pause > 0 {
		out.Until = Never
		if a.Pause < Never-v.Now {
			out.Until = v.Now + a.Pause
		}
	}
	return out
}

// Growth says whether the cluster must grow, and why: CauseSize, CauseWait,
// CauseLeast or CauseNone. It does not look at All, Long, FirstShort, Due and Until, so that a
// caller may fill those in only if the cluster must grow. Time: O(1).
func (a *Autoscaler) Growth(v *View) string {
	switch {
	case v.Top.Nodes > v.Nodes:
		return CauseSize
	case v.Top.Nodes > 0 && (v.Start == Never || v.Start-v.Top.Submit > a.waitLimit()):
		return CauseWait
	case v.Nodes < a.Least:
		return CauseLeast
	}
	return CauseNone
}

// release appends the positions of the nodes that go at this check.
func (a *Autoscaler) release(dst []int, v *View) []int {
	first := len(dst)
	for i, due := range v.Due {
		if at := due - a.Lead; at >= v.Now && at-v.Now < a.every() {
			dst = append(dst, i)
		}
	}
	gone := dst[first:]
	if spare := max(0, v.Nodes-a.Least); len(gone) > spare {
		slices.SortStableFunc(gone, func(i, j int) int {
			switch {
			case v.Due[i] < v.Due[j]:
				return -1
			case v.Due[i] > v.Due[j]:
				return 1
			}
			return 0
		})
		dst = dst[:first+spare]
		slices.Sort(dst[first:])
	}
	return dst
}

// NextCheck returns the first release check, at now or later, at which an idle node
// goes whose next charge falls at due, if nothing else changes. That is the last
// check at or before due − Lead, or, if that check is past, the next check. It panics
// if ReleaseEvery is negative.
func (a *Autoscaler) NextCheck(due, now time.Duration) time.Duration {
	every := a.every()
	if every <= 0 {
		panic("schedule: release checks need a positive period")
	}
	if at := checkBefore(due-a.Lead, every); at >= now {
		return at
	}
	return checkBefore(now+every-1, every)
}

// checkBefore returns the last multiple of every at or before t.
func checkBefore(t, every time.Duration) time.Duration {
	r := t % every
	if r < 0 {
		r += every
	}
	return t - r
}

// A Snapshot is a cluster and its queue at a moment, for [Autoscaler.Predict]. A
// program that may have missed an event needs no history: the prediction depends on
// the snapshot alone.
type Snapshot struct {
	Now     time.Duration
	Idle    int             // nodes that are up and without a job
	Booting []time.Duration // when each booting node is up, as expected
	Running []Allocation    // an end that is past counts as now
	Waiting []Job           // in the order in which the Scheduler is told of them
	Due     []time.Duration // see View
	Until   time.Duration   // see View
}

// Predict returns the jobs that the Scheduler starts now on the idle nodes, and a view of the
// cluster after these starts. Pass the view to Decide. If a job starts, the view's Due is nil, so
// that Decide gives no node back. starts is valid until the next call. Predict does not modify s.
// The view shares only the slice Due with s.
//
// Predict panics for a job that [Scheduler] does not accept. Time: what the Scheduler takes to
// learn of all nodes and jobs in s, plus O(waiting jobs).
func (a *Autoscaler) Predict(s *Snapshot) (starts []Allocation, v View) {
	sched := a.Scheduler
	if sched == nil {
		sched = &a.easy
	}
	sched.Reset(s.Idle)
	for _, at := range s.Booting {
		sched.AddNodes(1, max(at, s.Now+1))
	}
	for _, r := range s.Running {
		// Only the end matters: the job counts from now on.
		sched.AddNodes(r.Nodes, s.Now)
		sched.Start(Job{ID: r.ID, User: r.User, Estimate: max(r.End()-s.Now, 1), Nodes: r.Nodes}, s.Now)
	}
	for _, j := range s.Waiting {
		sched.Submit(j)
	}
	a.starts = sched.AppendStarts(a.starts[:0], s.Now)
	a.waiting = sched.AppendWaiting(a.waiting[:0])
	b := newBacklog(a.waiting, a.short())
	v = View{Now: s.Now, Nodes: sched.Nodes(), Idle: sched.Free(), Booting: len(s.Booting),
		All: b.all, Long: b.long, FirstShort: b.firstShort, Due: s.Due, Until: s.Until}
	if len(a.starts) > 0 {
		v.Due = nil
	}
	if top, start, ok := sched.Top(s.Now); ok {
		v.Top, v.Start = top, start
	}
	return a.starts, v
}
