//go:build unix

package trial

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"sync"
	"time"

	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"

	"github.com/plimsoll/plimsoll/examples/services/kubernetes/internal/control"
)

// A Result is what urgent pods cost.
type Result struct {
	Placed, Arrived int
	Lost            map[int32]time.Duration // pod-time lost, by priority, with whole gangs
	Jobs, Pods      int                     // lost
	AbovePriority   int                     // pods lost whose priority is not below that of the urgent pods
	OverBudget      int                     // pods lost beyond what budgets allow
	Took            time.Duration           // until the last urgent pod had its node
}

// Total returns the pod-time lost at all priorities.
func (r *Result) Total() (sum time.Duration) {
	for _, d := range r.Lost {
		sum += d
	}
	return sum
}

// A Run is a workload on a control plane.
type Run struct {
	w      *Workload
	client kubernetes.Interface
	Began  time.Time

	mu     sync.Mutex
	gone   map[int]map[string]bool // by job: its pods that ended
	placed map[string]time.Time
	alive  []int // by budget
	wake   chan int
	failed error
}

// Fill makes the objects of a workload. They are there, and run, when it returns. Run
// until the context ends, it plays two controllers that the control plane lacks: that of
// jobs, which ends a gang when one of its pods ends, and that of disruption budgets.
func Fill(ctx context.Context, plane *control.Plane, w *Workload) (*Run, error) {
	r := &Run{w: w, client: plane.Client, Began: time.Now().Truncate(time.Second), gone: map[int]map[string]bool{},
		placed: map[string]time.Time{}, alive: make([]int, len(w.Budgets)), wake: make(chan int, 1<<16)}
	priorities := map[int32]bool{Urgent: true}
	for i := range w.Jobs {
		priorities[w.Jobs[i].Priority] = true
		if b := w.Jobs[i].Budget; b >= 0 {
			r.alive[b] += len(w.Jobs[i].Nodes)
		}
	}
	for _, p := range slices.Sorted(maps.Keys(priorities)) {
		class := &schedulingv1.PriorityClass{ObjectMeta: metav1.ObjectMeta{Name: priorityName(p)}, Value: p}
		if _, err := r.client.SchedulingV1().PriorityClasses().Create(ctx, class, metav1.CreateOptions{}); err != nil {
			return nil, err
		}
	}
	if err := each(len(w.Nodes), func(n int) error {
		_, err := r.client.CoreV1().Nodes().Create(ctx, w.nodeObject(n), metav1.CreateOptions{})
		return err
	}); err != nil {
		return nil, err
	}
	type part struct{ job, part int }
	var parts []part
	for j := range w.Jobs {
		for k := range w.Jobs[j].Nodes {
			parts = append(parts, part{j, k})
		}
	}
	if err := each(len(parts), func(i int) error {
		_, err := r.client.CoreV1().Pods(namespace).Create(ctx, w.podObject(parts[i].job, parts[i].part, r.Began), metav1.CreateOptions{})
		return err
	}); err != nil {
		return nil, err
	}
	for b := range w.Budgets {
		name, least := fmt.Sprintf("budget-%d", b), intstr.FromInt32(int32(max(0, r.alive[b]-w.Budgets[b].Allowed)))
		pdb := &policyv1.PodDisruptionBudget{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: namespace},
			Spec: policyv1.PodDisruptionBudgetSpec{MinAvailable: &least,
				Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"budget": strconv.Itoa(b)}}}}
		if _, err := r.client.PolicyV1().PodDisruptionBudgets(namespace).Create(ctx, pdb, metav1.CreateOptions{}); err != nil {
			return nil, err
		}
		if err := r.budgetStatus(ctx, b); err != nil {
			return nil, err
		}
	}
	factory := informers.NewSharedInformerFactory(r.client, 0)
	running := 0
	informer := factory.Core().V1().Pods().Informer()
	count := func(old, o any) {
		p := o.(*v1.Pod)
		was := false
		if q, ok := old.(*v1.Pod); ok {
			was = q.Status.Phase == v1.PodRunning
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		if p.Status.Phase == v1.PodRunning && !was {
			running++
		}
		if _, ok := p.Labels["job"]; !ok && p.Spec.NodeName != "" && r.placed[p.Name].IsZero() {
			r.placed[p.Name] = time.Now()
		}
	}
	informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(o any) { count(nil, o) },
		UpdateFunc: count,
		DeleteFunc: func(o any) {
			if last, ok := o.(cache.DeletedFinalStateUnknown); ok {
				o = last.Obj
			}
			p := o.(*v1.Pod)
			if text, ok := p.Labels["job"]; ok {
				job, _ := strconv.Atoi(text)
				r.ended(job, p.Name)
			}
		},
	})
	factory.Start(ctx.Done())
	go r.controllers(ctx)
	for {
		r.mu.Lock()
		done := running >= len(parts)
		r.mu.Unlock()
		if done {
			return r, nil
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("%d of %d pods run: %w", running, len(parts), ctx.Err())
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// each calls f for 0 to n-1, some at a time, and returns an error of one.
func each(n int, f func(i int) error) error {
	var wait sync.WaitGroup
	errs := make(chan error, n+1)
	next := make(chan int)
	for range 16 {
		wait.Go(func() {
			for i := range next {
				if err := f(i); err != nil {
					errs <- err
				}
			}
		})
	}
	for i := range n {
		next <- i
	}
	close(next)
	wait.Wait()
	errs <- nil
	return <-errs
}

// ended notes that a pod of a job has ended.
func (r *Run) ended(job int, pod string) {
	r.mu.Lock()
	first := r.gone[job] == nil
	if first {
		r.gone[job] = map[string]bool{}
	}
	r.gone[job][pod] = true
	if b := r.w.Jobs[job].Budget; b >= 0 {
		r.alive[b]--
	}
	r.mu.Unlock()
	r.wake <- job
}

// controllers end the gangs whose pods end, and keep the status of budgets.
func (r *Run) controllers(ctx context.Context) {
	killed := map[int]bool{}
	for {
		var job int
		select {
		case <-ctx.Done():
			return
		case job = <-r.wake:
		}
		j := &r.w.Jobs[job]
		if j.Gang && !killed[job] {
			killed[job] = true
			for k := range j.Nodes {
				err := r.client.CoreV1().Pods(namespace).Delete(ctx, fmt.Sprintf("job-%05d-%02d", job, k), metav1.DeleteOptions{})
				if err != nil && !apierrors.IsNotFound(err) && ctx.Err() == nil {
					r.fail(err)
				}
			}
		}
		if j.Budget >= 0 {
			if err := r.budgetStatus(ctx, j.Budget); err != nil && ctx.Err() == nil {
				r.fail(err)
			}
		}
	}
}

func (r *Run) fail(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.failed = err
}

// budgetStatus writes how many pods a budget still allows to lose.
func (r *Run) budgetStatus(ctx context.Context, b int) error {
	pdb, err := r.client.PolicyV1().PodDisruptionBudgets(namespace).Get(ctx, fmt.Sprintf("budget-%d", b), metav1.GetOptions{})
	if err != nil {
		return err
	}
	r.mu.Lock()
	alive := r.alive[b]
	r.mu.Unlock()
	least := pdb.Spec.MinAvailable.IntValue()
	pdb.Status = policyv1.PodDisruptionBudgetStatus{ObservedGeneration: pdb.Generation, CurrentHealthy: int32(alive), DesiredHealthy: int32(least),
		ExpectedPods: int32(alive), DisruptionsAllowed: int32(max(0, alive-least))}
	_, err = r.client.PolicyV1().PodDisruptionBudgets(namespace).UpdateStatus(ctx, pdb, metav1.UpdateOptions{})
	return err
}

// Arrive lets the urgent pods arrive, and returns when all have a node, or when none got
// one for the time of quiet.
func (r *Run) Arrive(ctx context.Context, quiet time.Duration) (Result, error) {
	pods := r.w.urgentObjects()
	return r.arrive(ctx, pods, quiet)
}

// More lets further pods of the first shape arrive, named by what is tried, as Arrive does.
func (r *Run) More(ctx context.Context, name string, count int, quiet time.Duration) (Result, error) {
	var pods []*v1.Pod
	for i := range count {
		pods = append(pods, podOf(fmt.Sprintf("%s-%04d", name, i), priorityName(Urgent), r.w.Shapes[0].CPU, r.w.Shapes[0].Memory))
	}
	return r.arrive(ctx, pods, quiet)
}

func (r *Run) arrive(ctx context.Context, pods []*v1.Pod, quiet time.Duration) (Result, error) {
	began := time.Now()
	if err := each(len(pods), func(i int) error {
		_, err := r.client.CoreV1().Pods(namespace).Create(ctx, pods[i], metav1.CreateOptions{})
		return err
	}); err != nil {
		return Result{}, err
	}
	last, count := time.Now(), 0
	for {
		r.mu.Lock()
		placed := 0
		for _, p := range pods {
			if !r.placed[p.Name].IsZero() {
				placed++
			}
		}
		r.mu.Unlock()
		if placed != count {
			last, count = time.Now(), placed
		}
		if placed == len(pods) || time.Since(last) > quiet {
			break
		}
		select {
		case <-ctx.Done():
			return Result{}, ctx.Err()
		case <-time.After(50 * time.Millisecond):
		}
	}
	took := last.Sub(began)
	time.Sleep(time.Second) // what is ending ends
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.failed != nil {
		return Result{}, r.failed
	}
	result := r.count()
	result.Placed, result.Arrived, result.Took = count, len(pods), took
	return result, nil
}

// count adds up what is lost. All is counted as of the beginning, so that runs that take
// longer do not seem to lose more.
func (r *Run) count() Result {
	res := Result{Lost: map[int32]time.Duration{}}
	over := make([]int, len(r.w.Budgets))
	for job, gone := range r.gone {
		j := &r.w.Jobs[job]
		res.Jobs++
		res.Pods += len(gone)
		res.Lost[j.Priority] += j.Lost()
		if j.Priority >= Urgent {
			res.AbovePriority += len(gone)
		}
		if j.Budget >= 0 {
			over[j.Budget] += len(gone)
		}
	}
	for b, lost := range over {
		res.OverBudget += max(0, lost-r.w.Budgets[b].Allowed)
	}
	return res
}
