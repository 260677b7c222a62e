package cluster

import (
	"fmt"
	"log/slog"
	"math/rand/v2"
	"syscall"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// epoch is when the tests are.
var epoch = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// newState returns a State whose clock stands still.
func newState() *State {
	s := New(slog.New(slog.DiscardHandler), Gangs)
	s.clock = func() time.Time { return epoch }
	s.heard.Store(epoch.UnixNano())
	return s
}

func amounts(cpu, memory int64) v1.ResourceList {
	return v1.ResourceList{v1.ResourceCPU: *resource.NewMilliQuantity(cpu, resource.DecimalSI),
		v1.ResourceMemory: *resource.NewQuantity(memory<<20, resource.BinarySI)}
}

// addNodeOf adds a node with processors in thousandths and MiB.
func (s *State) addNodeOf(name string, cpu, memory int64) {
	a := amounts(cpu, memory)
	a[v1.ResourcePods] = *resource.NewQuantity(110, resource.DecimalSI)
	s.setNode(nil, &v1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}, Status: v1.NodeStatus{Allocatable: a}})
}

// podOf returns a pod that runs on a node since so long ago, or that waits if node is "".
func podOf(name, node string, priority int32, cpu, memory int64, since time.Duration) *v1.Pod {
	p := &v1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "default", UID: types.UID(name), Labels: map[string]string{},
		Annotations:       map[string]string{},
		CreationTimestamp: metav1.NewTime(epoch.Add(-since))},
		Spec: v1.PodSpec{NodeName: node, Priority: &priority,
			Containers: []v1.Container{{Name: "c", Resources: v1.ResourceRequirements{Requests: amounts(cpu, memory)}}}},
		Status: v1.PodStatus{Phase: v1.PodPending}}
	if node != "" {
		start := metav1.NewTime(epoch.Add(-since))
		p.Status.Phase, p.Status.StartTime = v1.PodRunning, &start
		p.Status.Conditions = []v1.PodCondition{{Type: v1.PodReady, Status: v1.ConditionTrue}}
	}
	return p
}

// madeUp is a full cluster, and the question of one of its waiting pods with all nodes as
// candidates.
func madeUp(rng *rand.Rand, nodes, pods, waiting int) (*State, Question) {
	s := newState()
	for n := range nodes {
		s.addNodeOf(fmt.Sprintf("n%d", n), 32000, 128<<10)
	}
	for b := range 50 {
		least := intstr.FromInt(1)
		s.setBudget(nil, &policyv1.PodDisruptionBudget{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprint("b", b), Namespace: "default"},
			Spec:   policyv1.PodDisruptionBudgetSpec{MinAvailable: &least, Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"b": fmt.Sprint(b)}}},
			Status: policyv1.PodDisruptionBudgetStatus{DisruptionsAllowed: rng.Int32N(3)}})
	}
	per := pods / nodes
	q := Question{Candidates: map[string]Victims{}}
	gang, left := 0, 0
	for i := range pods {
		node := fmt.Sprintf("n%d", i%nodes)
		cpu := int64(32000 / per)
		p := podOf(fmt.Sprint("p", i), node, rng.Int32N(2)*100, cpu, cpu*3, time.Duration(rng.ExpFloat64()*float64(8*time.Hour)))
		if rng.IntN(3) > 0 {
			p.Annotations[Checkpoint] = epoch.Add(-time.Duration(rng.IntN(7200)) * time.Second).Format(time.RFC3339)
		}
		if left > 0 {
			left--
			p.Labels[Gang] = fmt.Sprint("g", gang)
		} else if rng.IntN(24) == 0 {
			gang++
			left = 1 + rng.IntN(12)
		}
		if rng.IntN(8) == 0 {
			p.Labels["b"] = fmt.Sprint(rng.IntN(50))
		}
		s.setPod(nil, p)
		if need := int64(4000); int64(len(q.Candidates[node].UIDs))*cpu < need {
			c := q.Candidates[node]
			c.UIDs = append(c.UIDs, p.Name)
			q.Candidates[node] = c
		}
	}
	for i := range waiting {
		q.Pod = podOf(fmt.Sprint("w", i), "", 1000, 4000, 8<<10, 0)
		s.setPod(nil, q.Pod)
	}
	return s, q
}

// spent returns the processor time of this process, which moves less than the time on a
// clock when the machine has other work.
func spent() time.Duration {
	var u syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// A question of kube-scheduler with all nodes as candidates: the best choice for one pod,
// and with what 100 ms are worth when others wait.
func BenchmarkDecide(b *testing.B) {
	for _, c := range []struct{ nodes, pods, waiting int }{{200, 5000, 1}, {1000, 10000, 1}, {200, 5000, 100}, {1000, 10000, 180}} {
		b.Run(fmt.Sprintf("nodes=%d/pods=%d/waiting=%d", c.nodes, c.pods, c.waiting), func(b *testing.B) {
			s, q := madeUp(rand.New(rand.NewPCG(1, 2)), c.nodes, c.pods, c.waiting)
			var a Answer
			before := spent()
			for b.Loop() {
				var err error
				if a, err = s.Decide(b.Context(), q, Options{Joint: 64, Refine: 100 * time.Millisecond}); err != nil || a.None {
					b.Fatal(a, err)
				}
			}
			b.ReportMetric((spent()-before).Seconds()*1000/float64(b.N), "cpu-ms/op")
			b.ReportMetric(a.Lost, "pod-hours")
			b.ReportMetric(a.Scheduler.Lost, "scheduler-pod-hours")
		})
	}
}
