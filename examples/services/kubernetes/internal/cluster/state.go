// Package cluster keeps what a decision about preemption needs to know of a cluster, and
// makes the problem of package shared out of it.
//
// A State follows nodes, pods and disruption budgets through watches of the API server. It
// only reads. What it remembers beside is which answers it gave lately, until the API
// server shows them too; without that memory it would promise the same room twice. A State
// that starts anew loses nothing else.
package cluster

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	quantity "k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/component-helpers/resource"
)

// A State is what is known of a cluster. It is safe for concurrent use.
type State struct {
	log   *slog.Logger
	gangs []string
	clock func() time.Time

	skew  atomic.Int64 // nanoseconds that the API server's clock is ahead
	heard atomic.Int64 // when the API server last answered, in nanoseconds of our clock

	deciding sync.Mutex // one question at a time: pods have room for one

	mu      sync.Mutex
	nodes   map[string]*node
	pods    map[types.UID]*pod
	gang    map[string]map[types.UID]*pod
	budgets map[string]map[string]*budget // by namespace and name
	version int                           // of the budgets
	answers map[types.UID]*answer
	doubts  int
}

type node struct {
	known       bool // the API server has shown it
	allocatable []amount
	pods        []*pod // by uid
	nominated   []*pod // that wait for room here
	fussy       int    // pods with rules about which pods may be beside them
}

// An amount is what there is of a resource, in thousandths of processors, and else in the
// resource's unit.
type amount struct {
	name  v1.ResourceName
	value int64
}

func amountsOf(list v1.ResourceList) (all []amount) {
	for name, q := range list {
		if name == v1.ResourceCPU {
			all = append(all, amount{name, bounded(q, mostOf/1000, q.MilliValue)})
		} else {
			all = append(all, amount{name, bounded(q, mostOf, q.Value)})
		}
	}
	slices.SortFunc(all, func(a, b amount) int { return cmp.Compare(a.name, b.name) })
	return all
}

// mostOf bounds amounts, which a quantity does not: sums of those of 4,000 pods do not wrap
// around. It is 2 PiB, and no node has as much of anything.
const mostOf = 1 << 51

// bounded returns a value of a quantity that is at most most, and mostOf for a greater one, of which
// the value would wrap around.
func bounded(q quantity.Quantity, most int64, value func() int64) int64 {
	switch {
	case q.CmpInt64(most) > 0:
		return mostOf
	case q.CmpInt64(-most) < 0:
		return -mostOf
	}
	return value()
}

type pod struct {
	*v1.Pod
	requests []amount
	priority int32
	work     work
	gang     string
	rules    string // pods that wait and have the same may go to the same nodes
	shape    string // what the pod needs, if it waits
	healthy  bool   // ready, as a budget counts
	returns  bool   // it is on its node again as soon as it has ended, so that its end frees nothing

	budgets []*budget // that count the pod
	version int       // of the budgets, when that was found out

	// Of the question that is being decided.
	gone bool // is ending, or was promised to end
	job  *job
}

type budget struct {
	*policyv1.PodDisruptionBudget
	selector labels.Selector
	index    int // in the problem that is being made; -1 if not in it
	healthy  int64
}

// An answer is remembered until the API server shows what came of it, or for answerLife.
type answer struct {
	pod     *pod
	node    string
	victims map[types.UID]bool
	at      time.Time
}

const answerLife = 15 * time.Second

// New returns an empty State, which believes its own clock.
func New(log *slog.Logger, gangs []string) *State {
	return &State{log: log, gangs: gangs, clock: time.Now,
		nodes: map[string]*node{}, pods: map[types.UID]*pod{}, gang: map[string]map[types.UID]*pod{},
		budgets: map[string]map[string]*budget{}, answers: map[types.UID]*answer{}}
}

// Now returns the time by the API server's clock.
func (s *State) Now() time.Time { return s.clock().Add(time.Duration(s.skew.Load())) }

// Silence returns how long ago the API server last answered, with no error.
func (s *State) Silence() time.Duration {
	return s.clock().Sub(time.Unix(0, s.heard.Load()))
}

// Doubts returns how often a pod said of its progress what cannot be.
func (s *State) Doubts() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.doubts
}

// listener notes when the API server answers, and what its clock says. An error is no
// answer: whoever refuses to show the cluster does not show that nothing has changed.
type listener struct {
	s    *State
	next http.RoundTripper
}

func (l listener) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := l.next.RoundTrip(r)
	if err == nil && resp.StatusCode < http.StatusBadRequest {
		now := l.s.clock()
		l.s.heard.Store(now.UnixNano())
		if date, err := http.ParseTime(resp.Header.Get("Date")); err == nil {
			skew := date.Sub(now)
			if skew > -2*time.Second && skew < 2*time.Second {
				skew = 0 // the header has whole seconds
			}
			l.s.skew.Store(int64(skew))
		}
	}
	return resp, err
}

// Follow watches a cluster until the context ends. It returns when the State knows all,
// with an error if that is not so before the context ends. probe is how often it asks
// whether the API server is there.
func (s *State) Follow(ctx context.Context, config *rest.Config, probe time.Duration) error {
	if probe <= 0 {
		return fmt.Errorf("to ask every %v whether the API server is there: want more than 0", probe)
	}
	config = rest.CopyConfig(config)
	config.Wrap(func(next http.RoundTripper) http.RoundTripper { return listener{s, next} })
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	factory := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithTransform(strip))
	pods := factory.Core().V1().Pods().Informer()
	nodes := factory.Core().V1().Nodes().Informer()
	budgets := factory.Policy().V1().PodDisruptionBudgets().Informer()
	var synced []cache.InformerSynced
	for informer, set := range map[cache.SharedIndexInformer]func(old, now any){
		pods:  func(old, now any) { s.setPod(as[*v1.Pod](old), as[*v1.Pod](now)) },
		nodes: func(old, now any) { s.setNode(as[*v1.Node](old), as[*v1.Node](now)) },
		budgets: func(old, now any) {
			s.setBudget(as[*policyv1.PodDisruptionBudget](old), as[*policyv1.PodDisruptionBudget](now))
		},
	} {
		handle, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
			AddFunc:    func(o any) { set(nil, o) },
			UpdateFunc: func(old, o any) { set(old, o) },
			DeleteFunc: func(o any) {
				if last, ok := o.(cache.DeletedFinalStateUnknown); ok {
					o = last.Obj
				}
				set(o, nil)
			},
		})
		if err != nil {
			return err
		}
		synced = append(synced, handle.HasSynced)
	}
	factory.Start(ctx.Done())
	if !cache.WaitForCacheSync(ctx.Done(), synced...) {
		return fmt.Errorf("the API server did not list pods, nodes and budgets in time: %w", context.Cause(ctx))
	}
	go func() {
		tick := time.NewTicker(probe)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				short, cancel := context.WithTimeout(ctx, probe)
				// The listener notes the answer. The question is one that the role allows: a cluster
				// can forbid /readyz, and an API server that forbids the nodes shows no pods either.
				client.CoreV1().Nodes().List(short, metav1.ListOptions{Limit: 1})
				cancel()
			}
		}
	}()
	return nil
}

// as returns what an interface holds, nil if that is nothing.
func as[T any](o any) T {
	x, _ := o.(T)
	return x
}

// strip drops what no decision looks at.
func strip(o any) (any, error) {
	if m, ok := o.(metav1.Object); ok {
		m.SetManagedFields(nil)
	}
	return o, nil
}

func (s *State) setNode(old, now *v1.Node) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if now == nil {
		if n := s.nodes[old.Name]; n != nil {
			n.known, n.allocatable = false, nil // its pods may be known still
			s.drop(old.Name)
		}
		return
	}
	n := s.node(now.Name)
	n.known, n.allocatable = true, amountsOf(now.Status.Allocatable)
}

// node returns the node of a name, which may not be known otherwise.
func (s *State) node(name string) *node {
	n := s.nodes[name]
	if n == nil {
		n = new(node)
		s.nodes[name] = n
	}
	return n
}

// drop forgets a node that nobody knows anything of.
func (s *State) drop(name string) {
	if n := s.nodes[name]; !n.known && len(n.pods)+len(n.nominated) == 0 {
		delete(s.nodes, name)
	}
}

// with returns a list with a pod, by uid.
func with(list []*pod, p *pod) []*pod {
	at, _ := slices.BinarySearchFunc(list, p.UID, func(q *pod, uid types.UID) int { return cmp.Compare(q.UID, uid) })
	return slices.Insert(list, at, p)
}

// find returns the place of a pod in a list, -1 if it is not there.
func find(list []*pod, uid types.UID) int {
	at, ok := slices.BinarySearchFunc(list, uid, func(q *pod, uid types.UID) int { return cmp.Compare(q.UID, uid) })
	if !ok {
		return -1
	}
	return at
}

func (s *State) setBudget(old, now *policyv1.PodDisruptionBudget) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.version++
	if now == nil {
		delete(s.budgets[old.Namespace], old.Name)
		return
	}
	selector, err := metav1.LabelSelectorAsSelector(now.Spec.Selector)
	if err != nil {
		s.log.Warn("a disruption budget has a selector that cannot be read: it counts no pod", "budget", now.Namespace+"/"+now.Name, "err", err)
		selector = labels.Nothing()
	}
	if s.budgets[now.Namespace] == nil {
		s.budgets[now.Namespace] = map[string]*budget{}
	}
	if b := s.budgets[now.Namespace][now.Name]; b != nil && b.selector.String() == selector.String() {
		s.version-- // only the status is new
		b.PodDisruptionBudget = now
		return
	}
	s.budgets[now.Namespace][now.Name] = &budget{PodDisruptionBudget: now, selector: selector}
}

func (s *State) setPod(old, now *v1.Pod) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var before *pod
	if old != nil {
		before = s.pods[old.UID]
	}
	if before != nil {
		s.forget(before)
	}
	if now == nil || now.Status.Phase == v1.PodSucceeded || now.Status.Phase == v1.PodFailed {
		if now == nil && old != nil {
			delete(s.answers, old.UID)
		}
		return
	}
	p := s.read(now, before)
	if known := s.pods[p.UID]; known != nil {
		s.forget(known)
	}
	s.pods[p.UID] = p
	if p.Spec.NodeName != "" {
		n := s.node(p.Spec.NodeName)
		n.pods = with(n.pods, p)
		n.fussy += fussy(p.Pod)
		delete(s.answers, p.UID)
	} else if p.Status.NominatedNodeName != "" {
		n := s.node(p.Status.NominatedNodeName)
		n.nominated = with(n.nominated, p)
		if a := s.answers[p.UID]; a != nil && a.node != p.Status.NominatedNodeName {
			delete(s.answers, p.UID) // the scheduler chose otherwise
		}
	}
	if p.gang != "" {
		if s.gang[p.gang] == nil {
			s.gang[p.gang] = map[types.UID]*pod{}
		}
		s.gang[p.gang][p.UID] = p
	}
}

// read makes a pod out of its object. before is what the State has of it, or nil.
func (s *State) read(now *v1.Pod, before *pod) *pod {
	p := &pod{Pod: now, gang: gangOf(now, s.gangs), work: readWork(now, s.Now()), version: -1}
	if now.Spec.Priority != nil {
		p.priority = *now.Spec.Priority
	}
	if p.work.doubt != "" && (before == nil || before.work.doubt != p.work.doubt) {
		s.doubts++
		s.log.Warn("what a pod says of its progress cannot be", "pod", now.Namespace+"/"+now.Name, "doubt", p.work.doubt)
	}
	requests := resource.PodRequests(now, resource.PodResourcesOptions{UseStatusResources: true})
	requests[v1.ResourcePods] = *quantity.NewQuantity(1, quantity.DecimalSI)
	p.requests = amountsOf(requests)
	if now.Spec.NodeName == "" {
		p.rules, p.shape = shapeOf(now, requests)
	}
	p.returns = now.Annotations[v1.MirrorPodAnnotationKey] != "" ||
		slices.ContainsFunc(now.OwnerReferences, func(o metav1.OwnerReference) bool { return o.Kind == "DaemonSet" })
	for i := range now.Status.Conditions {
		if c := &now.Status.Conditions[i]; c.Type == v1.PodReady {
			p.healthy = c.Status == v1.ConditionTrue
		}
	}
	return p
}

func (s *State) forget(p *pod) {
	delete(s.pods, p.UID)
	if n := s.nodes[p.Spec.NodeName]; n != nil {
		if at := find(n.pods, p.UID); at >= 0 {
			n.pods = slices.Delete(n.pods, at, at+1)
			n.fussy -= fussy(p.Pod)
		}
		s.drop(p.Spec.NodeName)
	}
	if n := s.nodes[p.Status.NominatedNodeName]; n != nil {
		if at := find(n.nominated, p.UID); at >= 0 {
			n.nominated = slices.Delete(n.nominated, at, at+1)
		}
		s.drop(p.Status.NominatedNodeName)
	}
	if g := s.gang[p.gang]; g != nil {
		delete(g, p.UID)
		if len(g) == 0 {
			delete(s.gang, p.gang)
		}
	}
}

// countedBy returns the budgets that count a pod.
func (s *State) countedBy(p *pod) []*budget {
	if p.version == s.version {
		return p.budgets
	}
	p.budgets, p.version = nil, s.version
	for _, b := range s.budgets[p.Namespace] {
		if b.selector.Matches(labels.Set(p.Labels)) {
			p.budgets = append(p.budgets, b)
		}
	}
	return p.budgets
}

// fussy counts a pod that has rules about which pods may be beside it.
func fussy(p *v1.Pod) int {
	if p.Spec.Affinity != nil && p.Spec.Affinity.PodAntiAffinity != nil {
		return 1
	}
	return 0
}
