package cluster

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/plimsoll/plimsoll/preempt/shared"
)

// A Question is a scheduler's: a pod has found no node, and these nodes would do if pods
// gave way.
type Question struct {
	Pod *v1.Pod
	// Candidates are the nodes, each with the pods that the scheduler would end there, by
	// uid.
	Candidates map[string]Victims
	// Eligible says that the victims are all pods that may be ended, whatever their
	// priority, and not a least set of them.
	Eligible bool
}

// Victims are the pods that a scheduler would end on a node.
type Victims struct {
	UIDs       []string
	Violations int64 // of disruption budgets, as the scheduler counts
}

// A Choice is a node, the pods that end there, and what is lost by it.
type Choice struct {
	Node string
	UIDs []string // of the pods that end there, the highest priority first
	Lost float64  // pod-hours, of whole gangs
	Pods int      // that are lost, of whole gangs
}

// An Answer says which choice is best, and which one the scheduler would make alone.
type Answer struct {
	Choice
	Scheduler Choice
	// Waiting is for how many pods the plan was made; the answer is the part of this pod.
	Waiting int
	// Exact is whether no plan for these pods loses less.
	Exact bool
	// None says that each choice would break a disruption budget.
	None bool
}

// Options say how to decide.
type Options struct {
	Joint int // for how many waiting pods a plan is made; 1 if less
	// Refine is for how long, from the beginning, to look for a plan for all that wait, once
	// there is the best choice for the pod alone.
	Refine time.Duration
}

// Errors of Decide. A scheduler should then choose by itself.
var (
	ErrUnknown = errors.New("the watches have not shown what the scheduler knows")
	ErrSlow    = errors.New("no plan within the time limit")
	ErrCut     = errors.New("the search left out sets of pods and found no plan; there may be one")
)

// view is a problem with what its numbers stand for.
type view struct {
	shared.Problem
	p       *pod
	floor   int32 // pods of this priority and more stay
	now     time.Time
	names   []string // of the nodes
	given   [][]*pod // by node: what the scheduler would end there
	dims    []v1.ResourceName
	leftOut int // nodes that the State does not see as the scheduler does
	jobs    []*job
	fresh   []*answer
	budgets []*budget

	amounts []int64 // memory for what parts of jobs free
	store   []job   // memory for jobs
}

// frees returns amounts that are nothing.
func (v *view) frees() []int64 {
	n := len(v.dims)
	if len(v.amounts) < n {
		v.amounts = make([]int64, 4096*n)
	}
	a := v.amounts[:n:n]
	v.amounts = v.amounts[n:]
	return a
}

// newJob returns a job that is not in the problem.
func (v *view) newJob() *job {
	if len(v.store) == 0 {
		v.store = make([]job, 1024)
	}
	j := &v.store[0]
	v.store = v.store[1:]
	j.index = -1
	return j
}

// A job is a pod, or all pods of a gang.
type job struct {
	index   int // in the problem; -1 if the job must not be lost
	members []*pod
	one     [1]*pod // memory for members
	doomed  bool    // a member is ending already, so nothing more is lost
	lost    int64
}

// Decide answers a question.
func (s *State) Decide(ctx context.Context, q Question, o Options) (Answer, error) {
	s.deciding.Lock()
	defer s.deciding.Unlock()
	began := time.Now()
	s.mu.Lock()
	v, err := s.view(q)
	if err != nil {
		s.mu.Unlock()
		return Answer{}, err
	}
	waiting := s.waiting(v, o.Joint)
	s.mu.Unlock()

	a := Answer{Waiting: 1, Scheduler: v.schedulers(q)}
	gone := func() bool { return ctx.Err() != nil } // nobody waits for the answer
	stop := func() bool { return gone() || time.Since(began) > o.Refine }
	var hurry func() bool // half of the time is over
	if end, ok := ctx.Deadline(); ok {
		half := began.Add(max(time.Until(end)/2, o.Refine))
		hurry = func() bool { return time.Now().After(half) }
	}
	var solver shared.Solver
	v.Requests[0].Count = 1
	plan, err := solver.Solve(&v.Problem, shared.Options{Stop: gone, Hurry: hurry})
	if err != nil {
		return a, err
	}
	if !plan.Found && gone() {
		return a, ErrSlow
	}
	if !plan.Found && plan.Cut {
		return a, ErrCut // nobody has shown that the pod has to wait
	}
	if !plan.Found && v.leftOut > 0 {
		return a, v.unseen() // the pod may have a choice there
	}
	a.Exact, a.None = plan.Exact(), !plan.Found
	// With others that wait: all of them, or else those that are alike, if there is time
	// for it and the plan has room for them.
	for shapes := len(waiting); shapes > 0 && plan.Found && a.Waiting == 1; shapes = min(shapes-1, 1) {
		v.Requests = waiting[:shapes]
		count, states := 0, len(v.Nodes)
		for _, shape := range v.Requests {
			count += shape.Count
			states = min(states, fewStates) * (shape.Count + 1)
		}
		if count == 1 || stop() {
			break
		}
		var joint shared.Solver
		var p shared.Plan
		if states <= fewStates {
			p, err = joint.Solve(&v.Problem, shared.Options{Steps: 16, Stop: stop})
		} else {
			p, err = joint.Approximate(&v.Problem, stop)
		}
		if err != nil {
			return a, err
		}
		if p.Found {
			plan, a.Waiting, a.Exact = p, count, p.Exact()
		}
	}
	if plan.Found {
		if a.Choice = v.part(plan, a.Waiting, shared.Options{Stop: gone, Hurry: hurry}); a.Node == "" {
			return a, ErrSlow
		}
	}
	if a.None {
		return a, nil
	}
	if len(a.UIDs) == 0 {
		return a, fmt.Errorf("%w: on node %s the pod has room", ErrUnknown, a.Node)
	}
	if gone() {
		return a, ErrSlow
	}
	return a, nil
}

// Promise remembers an answer that was sent, until the API server shows what came of it.
func (s *State) Promise(q Question, a Answer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.pods[q.Pod.UID]
	if p == nil {
		return
	}
	kept := &answer{pod: p, node: a.Node, victims: map[types.UID]bool{}, at: s.clock()}
	for _, uid := range a.UIDs {
		kept.victims[types.UID(uid)] = true
	}
	s.answers[p.UID] = kept
}

// view makes the problem of a question, for one pod.
func (s *State) view(q Question) (*view, error) {
	p := s.pods[q.Pod.UID]
	if p == nil {
		return nil, fmt.Errorf("%w: pod %s/%s", ErrUnknown, q.Pod.Namespace, q.Pod.Name)
	}
	v := &view{p: p, floor: p.priority, now: s.Now()}
	if q.Eligible {
		v.floor = math.MaxInt32
	}
	var needs []int64
	for _, a := range p.requests {
		if a.value > 0 {
			v.dims = append(v.dims, a.name)
			needs = append(needs, a.value)
		}
	}
	v.Requests = []shared.Request{{Needs: needs, Count: 1}}
	for _, budgets := range s.budgets {
		for _, b := range budgets {
			b.healthy, b.index = 0, -1
		}
	}
	for _, other := range s.pods {
		other.gone, other.job = other.DeletionTimestamp != nil, nil
	}
	for uid, a := range s.answers {
		switch {
		case s.clock().Sub(a.at) > answerLife:
			delete(s.answers, uid)
		case uid != p.UID:
			v.fresh = append(v.fresh, a)
			for victim := range a.victims {
				if other := s.pods[victim]; other != nil {
					other.gone = true
				}
			}
		}
	}
	doomed := map[string]bool{} // gangs that lose a pod, and so lose all
	for _, other := range s.pods {
		if other.gone && other.gang != "" {
			doomed[other.gang] = true
		}
	}
	for _, other := range s.pods {
		if other.healthy && !other.gone && !doomed[other.gang] && len(s.budgets[other.Namespace]) > 0 {
			for _, b := range s.countedBy(other) {
				b.healthy++
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(q.Candidates)) {
		if s.addNode(v, len(v.names), name, q) {
			v.names = append(v.names, name)
		}
	}
	if v.leftOut = len(q.Candidates) - len(v.names); len(v.names) == 0 {
		return nil, v.unseen()
	}
	return v, nil
}

// unseen is the error of a question of which no node does, and some are not seen as the
// scheduler sees them.
func (v *view) unseen() error {
	return fmt.Errorf("%w: %d of %d nodes are not as the scheduler sees them, and no other node does", ErrUnknown, v.leftOut, v.leftOut+len(v.names))
}

// add adds amounts to room, once or minus once.
func (v *view) add(room []int64, amounts []amount, times int64) {
	for _, a := range amounts {
		for d, name := range v.dims {
			if name == a.name {
				room[d] += times * a.value
				break
			}
		}
	}
}

// addNode adds a candidate to the problem. It reports whether the State sees the node as
// the scheduler does.
func (s *State) addNode(v *view, index int, name string, q Question) bool {
	n := s.nodes[name]
	if n == nil || !n.known {
		return false
	}
	room := v.frees()
	v.add(room, n.allocatable, 1)
	for _, p := range n.pods {
		if !p.gone || p.priority >= v.floor {
			v.add(room, p.requests, -1)
		}
	}
	for _, p := range n.nominated {
		if p.UID != v.p.UID && p.priority >= v.p.priority {
			v.add(room, p.requests, -1)
		}
	}
	for _, a := range v.fresh {
		if a.node == name && find(n.nominated, a.pod.UID) < 0 && a.pod.priority >= v.p.priority {
			v.add(room, a.pod.requests, -1)
		}
	}
	// What the scheduler would end, and is not ending yet.
	var given, would []*pod
	for _, uid := range q.Candidates[name].UIDs {
		at := find(n.pods, types.UID(uid))
		if at < 0 {
			return false
		}
		given = append(given, n.pods[at])
		if !n.pods[at].gone {
			would = append(would, n.pods[at])
		}
	}
	needs := v.Requests[0].Needs
	after := slices.Clone(room)
	for _, p := range would {
		v.add(after, p.requests, 1)
	}
	if !covers(after, needs) {
		return false
	}
	// If a pod that the scheduler would end gives no room that is missing, then something
	// other than room matters on this node, which only the scheduler knows.
	only := !q.Eligible && !plain(v.p.Pod)
	for _, p := range would {
		v.add(after, p.requests, -1)
		only = only || !q.Eligible && covers(after, needs)
		v.add(after, p.requests, 1)
		s.job(v, p)
	}
	only = only || !q.Eligible && n.fussy > 0
	node := shared.Node{Room: room}
	here := n.pods
	if only {
		node.Only = []int{}
	}
	if only || q.Eligible {
		here = would
	}
	for _, p := range here {
		if p.gone || p.priority >= v.floor || !only && p.returns {
			continue
		}
		j := s.job(v, p)
		if j.index < 0 {
			if only { // nobody may go to the node
				for d := range room {
					room[d] = math.MinInt64 / 4
				}
				node.Only = nil
			}
			continue
		}
		of := &v.Jobs[j.index]
		k := len(of.Parts) - 1
		if k < 0 || of.Parts[k].Node != index {
			of.Parts = append(of.Parts, shared.Part{Node: index, Frees: v.frees()})
			k++
			if node.Only != nil {
				node.Only = append(node.Only, j.index)
			}
		}
		v.add(of.Parts[k].Frees, p.requests, 1)
	}
	v.Nodes = append(v.Nodes, node)
	v.given = append(v.given, given)
	return true
}

func covers(room, needs []int64) bool {
	for d := range needs {
		if needs[d] > 0 && room[d] < needs[d] {
			return false
		}
	}
	return true
}

// plain reports whether only room decides where a pod can go once the scheduler has named
// its candidates.
func plain(p *v1.Pod) bool {
	if a := p.Spec.Affinity; a != nil && (a.PodAffinity != nil || a.PodAntiAffinity != nil) {
		return false
	}
	for _, c := range p.Spec.TopologySpreadConstraints {
		if c.WhenUnsatisfiable == v1.DoNotSchedule {
			return false
		}
	}
	for _, vol := range p.Spec.Volumes {
		if vol.PersistentVolumeClaim != nil || vol.Ephemeral != nil || vol.CSI != nil {
			return false
		}
	}
	for _, c := range p.Spec.Containers {
		for _, port := range c.Ports {
			if port.HostPort != 0 {
				return false
			}
		}
	}
	return len(p.Spec.ResourceClaims) == 0
}

// job returns the job of a pod, and adds it to the problem when it is seen first.
func (s *State) job(v *view, p *pod) *job {
	if p.job != nil {
		return p.job
	}
	j := v.newJob()
	if p.gang == "" {
		j.members = append(j.one[:0], p)
	} else {
		j.members = slices.SortedFunc(maps.Values(s.gang[p.gang]), func(a, b *pod) int { return cmp.Compare(a.UID, b.UID) })
	}
	top := int32(math.MinInt32)
	var checkpoint time.Time // that all members have which save
	for _, m := range j.members {
		m.job = j
		if m.Spec.NodeName != "" { // a member that waits loses nothing
			top = max(top, m.priority)
		}
		j.doomed = j.doomed || m.gone
		if at := m.work.checkpoint; !at.IsZero() && (checkpoint.IsZero() || at.Before(checkpoint)) {
			checkpoint = at
		}
	}
	if !j.doomed {
		for _, m := range j.members {
			j.lost += m.work.lost(v.now, checkpoint)
		}
	}
	if top >= v.floor {
		return j // a member must not be lost
	}
	j.index = len(v.Jobs)
	v.jobs = append(v.jobs, j)
	e := shared.Job{Priority: top, Waste: j.lost}
	for _, m := range j.members {
		if m.gone || m.Spec.NodeName == "" {
			continue
		}
		e.Waste++                   // so that of equal losses the one with fewer pods is less
		if !m.healthy || j.doomed { // no budget counts the pod as healthy any more
			continue
		}
		for _, b := range s.countedBy(m) {
			if b.index < 0 {
				b.index = len(v.Budgets)
				v.budgets = append(v.budgets, b)
				v.Budgets = append(v.Budgets, max(0, min(int64(b.Status.DisruptionsAllowed), b.healthy-int64(b.Status.DesiredHealthy))))
			}
			if k := slices.IndexFunc(e.Draws, func(d shared.Draw) bool { return d.Budget == b.index }); k >= 0 {
				e.Draws[k].Count++
			} else {
				e.Draws = append(e.Draws, shared.Draw{Budget: b.index, Count: 1})
			}
		}
	}
	v.Jobs = append(v.Jobs, e)
	return j
}

// fewStates is up to how many states a plan for several pods is searched for exactly: the
// product of the shapes' counts, each with one more, times the nodes. With more, the time is
// better spent on a good plan without a proof.
const fewStates = 2048

// mostShapes is for how many shapes a plan is made.
const mostShapes = 8

// waiting returns the pods that wait and may go to the same nodes as this one, by what they
// need: those like this one first, at most as many pods as most.
func (s *State) waiting(v *view, most int) []shared.Request {
	shapes := []shared.Request{v.Requests[0]}
	keys := []string{v.p.shape}
	for uid, p := range s.pods {
		if p.rules != v.p.rules || uid == v.p.UID || p.Spec.NodeName != "" || p.Status.NominatedNodeName != "" ||
			p.DeletionTimestamp != nil || len(p.Spec.SchedulingGates) > 0 || never(p.Pod) || s.answers[uid] != nil {
			continue
		}
		k := slices.Index(keys, p.shape)
		if k < 0 {
			k = len(keys)
			keys = append(keys, p.shape)
			needs := make([]int64, len(v.dims))
			v.add(needs, p.requests, 1)
			shapes = append(shapes, shared.Request{Needs: needs})
			if len(p.requests) != len(v.p.requests) {
				shapes[k].Needs = nil // of other resources
			}
		}
		shapes[k].Count++
	}
	own := shapes[0]
	own.Count = min(own.Count, max(1, most))
	others := shapes[1:]
	slices.SortFunc(others, func(a, b shared.Request) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), slices.Compare(a.Needs, b.Needs))
	})
	all := []shared.Request{own}
	most -= own.Count
	for _, shape := range others {
		shape.Count = min(shape.Count, most)
		if shape.Needs != nil && shape.Count > 0 && len(all) < mostShapes {
			all = append(all, shape)
			most -= shape.Count
		}
	}
	return all
}

// never reports whether no pod gives way to a pod, so that it waits until there is room.
func never(p *v1.Pod) bool {
	return p.Spec.PreemptionPolicy != nil && *p.Spec.PreemptionPolicy == v1.PreemptNever
}

// shapeOf returns a text that is equal for pods that may go to the same nodes, and one
// that is equal for those of them that need the same.
func shapeOf(p *v1.Pod, requests v1.ResourceList) (rules, shape string) {
	text, err := json.Marshal([]any{p.Namespace, p.Spec.SchedulerName, p.Spec.Priority, p.Spec.NodeSelector, p.Spec.Affinity,
		p.Spec.Tolerations, p.Spec.TopologySpreadConstraints, plain(p)})
	needs, err2 := json.Marshal(requests)
	if err != nil || err2 != nil {
		return string(p.UID), string(p.UID) // like no other
	}
	return string(text), string(needs)
}

// part returns the part of a plan that is for this pod: the node where the plan loses
// least for one pod.
func (v *view) part(plan shared.Plan, waiting int, o shared.Options) Choice {
	if waiting == 1 { // all of it
		for n, hosts := range plan.Hosts {
			if hosts != nil && hosts[0] > 0 {
				return v.choice(n, plan.Lost)
			}
		}
	}
	one := v.Problem
	one.Requests = []shared.Request{{Needs: v.Requests[0].Needs, Count: 1}}
	if plan.Hosts == nil {
		return Choice{}
	}
	one.Nodes = slices.Clone(v.Nodes)
	one.Jobs = slices.Clone(v.Jobs)
	for j := range one.Jobs {
		if !slices.Contains(plan.Lost, j) {
			one.Jobs[j].Parts = nil // stays
		}
	}
	none := make([]int64, len(v.dims))
	for d := range none {
		none[d] = -1 << 60
	}
	for n, hosts := range plan.Hosts {
		if hosts == nil || hosts[0] == 0 {
			one.Nodes[n] = shared.Node{Room: none}
		}
	}
	var solver shared.Solver
	first, err := solver.Solve(&one, o)
	if err != nil {
		return Choice{}
	}
	for n, hosts := range first.Hosts {
		if hosts != nil && hosts[0] > 0 {
			return v.choice(n, first.Lost)
		}
	}
	return Choice{}
}

// choice returns what losing jobs for one node means.
func (v *view) choice(n int, lost []int) (c Choice) {
	c.Node = v.names[n]
	var end []*pod
	for _, j := range lost {
		c.Lost += float64(v.jobs[j].lost) / 3600e3
		for _, m := range v.jobs[j].members {
			if m.gone {
				continue
			}
			c.Pods++
			if m.Spec.NodeName == c.Node {
				end = append(end, m)
			}
		}
	}
	slices.SortFunc(end, func(a, b *pod) int {
		return cmp.Or(cmp.Compare(b.priority, a.priority), cmp.Compare(a.UID, b.UID))
	})
	for _, p := range end {
		c.UIDs = append(c.UIDs, string(p.UID))
	}
	if len(end) == 0 { // the room of pods that are ending
		c.UIDs = v.ending(n)
	}
	return c
}

// ending returns the pods of a node that are ending, as far as the scheduler would end
// them.
func (v *view) ending(n int) (uids []string) {
	for _, p := range v.given[n] {
		if p.gone {
			uids = append(uids, string(p.UID))
		}
	}
	return uids
}

// schedulers returns the choice that kube-scheduler makes among its candidates: fewest
// broken budgets, the lowest of the highest priorities, the least sum of priorities, the
// fewest pods, and the latest of the earliest starts at the highest priority.
func (v *view) schedulers(q Question) Choice {
	type rank struct {
		violations, top, sum, pods, start int64
	}
	best, at := rank{}, -1
	for n, name := range v.names {
		r := rank{violations: q.Candidates[name].Violations, top: math.MinInt64, pods: int64(len(v.given[n]))}
		earliest := int64(math.MaxInt64)
		for _, p := range v.given[n] {
			r.sum += int64(p.priority) + math.MaxInt32 + 1
			start := p.work.start.UnixNano()
			if p.work.start.IsZero() {
				start = v.now.UnixNano()
			}
			if int64(p.priority) > r.top {
				r.top, earliest = int64(p.priority), start
			} else if int64(p.priority) == r.top {
				earliest = min(earliest, start)
			}
		}
		r.start = -earliest
		if at < 0 || cmp.Or(cmp.Compare(r.violations, best.violations), cmp.Compare(r.top, best.top), cmp.Compare(r.sum, best.sum),
			cmp.Compare(r.pods, best.pods), cmp.Compare(r.start, best.start)) < 0 {
			best, at = r, n
		}
	}
	return v.ended(at, v.given[at])
}

// ended returns what ending pods of a node means.
func (v *view) ended(n int, pods []*pod) Choice {
	c := Choice{Node: v.names[n]}
	var seen []*job
	for _, p := range pods {
		c.UIDs = append(c.UIDs, string(p.UID))
		if p.gone || slices.Contains(seen, p.job) {
			continue
		}
		seen = append(seen, p.job)
		c.Lost += float64(p.job.lost) / 3600e3
		for _, m := range p.job.members {
			if !m.gone {
				c.Pods++
			}
		}
	}
	return c
}

// String says what a choice means.
func (c Choice) String() string {
	return fmt.Sprintf("%d pods of node %s, %.2f pod-hours lost with %d pods", len(c.UIDs), c.Node, c.Lost, c.Pods)
}
