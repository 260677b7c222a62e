//go:build unix

// Package trial tries the extender on a real control plane: it fills a made-up cluster,
// lets urgent pods arrive, and counts what is lost.
package trial

import (
	"fmt"
	"math/rand/v2"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/plimsoll/plimsoll/examples/services/kubernetes/internal/cluster"
	"github.com/plimsoll/plimsoll/examples/services/kubernetes/internal/control"
	"github.com/plimsoll/plimsoll/preempt/shared"
)

// A Workload is a made-up cluster and what arrives there. Times are ages: how long before
// the beginning something was.
type Workload struct {
	Nodes   []Node
	Jobs    []Job
	Budgets []Budget
	Shapes  []Shape
}

// A Node has processors in thousandths, and MiB.
type Node struct{ CPU, Memory int64 }

// A Job is a pod or a gang.
type Job struct {
	Gang       bool
	Priority   int32
	Age        time.Duration
	Checkpoint time.Duration // age of the last one; negative if there is none
	Budget     int           // that counts its pods, or -1
	CPU        int64         // of each pod
	Memory     int64
	Nodes      []int // of the pods
}

// A Budget allows so many of its pods to be lost.
type Budget struct{ Allowed int }

// A Shape is a number of urgent pods that are alike.
type Shape struct {
	Name        string
	CPU, Memory int64
	Count       int
	Gang        int // pods of a gang, or 0
}

// Urgent is the priority of the pods that arrive.
const Urgent = 1000

// Make makes a workload up: nodes of 32 processors with pods of half a processor to two,
// two fifths of the pods in gangs of 4 to 12 pods. Most have a priority below that of the
// urgent pods, and some above. Most jobs save their work now and then.
func Make(rng *rand.Rand, nodes, pods, urgent, gangs int) *Workload {
	w := new(Workload)
	type room struct{ cpu, left int64 }
	rooms := make([]room, nodes)
	for n := range rooms {
		rooms[n] = room{32000, int64(pods/nodes) + int64(btoi(n < pods%nodes))}
		w.Nodes = append(w.Nodes, Node{32000, 128 << 10})
	}
	for range max(1, pods/100) {
		w.Budgets = append(w.Budgets, Budget{Allowed: rng.IntN(3)})
	}
	left := pods
	for left > 0 {
		j := Job{Priority: []int32{0, 0, 0, 100, 100, 2000}[rng.IntN(6)], Budget: -1, Checkpoint: -1}
		if j.Priority == 2000 && rng.IntN(2) == 0 {
			j.Priority = 0
		}
		j.Age = time.Minute + time.Duration(rng.ExpFloat64()*float64(8*time.Hour))
		j.Age = min(j.Age, 72*time.Hour).Truncate(time.Second)
		if rng.IntN(3) > 0 {
			j.Checkpoint = time.Duration(rng.Float64() * float64(min(j.Age, 2*time.Hour))).Truncate(time.Second)
		}
		size := 1
		if rng.IntN(12) == 0 {
			size, j.Gang = 4+rng.IntN(9), true
		}
		if rng.IntN(8) == 0 {
			j.Budget = rng.IntN(len(w.Budgets))
		}
		for _, n := range rng.Perm(nodes) {
			if size == len(j.Nodes) || left == 0 {
				break
			}
			if rooms[n].left > 0 {
				rooms[n].left--
				left--
				j.Nodes = append(j.Nodes, n)
			}
		}
		// As large as the fullest of its nodes lets it be, so that the nodes end up full.
		j.CPU = []int64{500, 1000, 1000, 1500, 2000}[rng.IntN(5)]
		for _, n := range j.Nodes {
			fair := rooms[n].cpu / (rooms[n].left + 1) / 100 * 100
			if j.CPU > fair || rooms[n].left < 3 {
				j.CPU = max(100, fair)
			}
		}
		for _, n := range j.Nodes {
			j.CPU = min(j.CPU, (rooms[n].cpu-100*rooms[n].left)/100*100)
		}
		j.Memory = j.CPU * (2 + rng.Int64N(2)) // MiB for a thousandth
		for _, n := range j.Nodes {
			rooms[n].cpu -= j.CPU
		}
		w.Jobs = append(w.Jobs, j)
	}
	w.Shapes = []Shape{
		{Name: "urgent", CPU: 4000, Memory: 8 << 10, Count: urgent},
		{Name: "gang", CPU: 2000, Memory: 4 << 10, Count: 4 * gangs, Gang: 4},
	}
	return w
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// Lost returns what losing a job at the beginning loses.
func (j *Job) Lost() time.Duration {
	age := j.Age
	if j.Checkpoint >= 0 {
		age = min(age, j.Checkpoint)
	}
	return age * time.Duration(len(j.Nodes))
}

// Problem returns the whole decision at the beginning, with all that arrives known.
func (w *Workload) Problem() *shared.Problem {
	p := new(shared.Problem)
	for _, s := range w.Shapes {
		if s.Count > 0 {
			p.Requests = append(p.Requests, shared.Request{Needs: []int64{s.CPU, s.Memory}, Count: s.Count})
		}
	}
	for _, n := range w.Nodes {
		p.Nodes = append(p.Nodes, shared.Node{Room: []int64{n.CPU, n.Memory}})
	}
	for _, b := range w.Budgets {
		p.Budgets = append(p.Budgets, int64(b.Allowed))
	}
	for i := range w.Jobs {
		j := &w.Jobs[i]
		e := shared.Job{Priority: j.Priority, Waste: j.Lost().Milliseconds() + int64(len(j.Nodes))}
		if j.Budget >= 0 {
			e.Draws = []shared.Draw{{Budget: j.Budget, Count: int64(len(j.Nodes))}}
		}
		for _, n := range j.Nodes {
			p.Nodes[n].Room[0] -= j.CPU
			p.Nodes[n].Room[1] -= j.Memory
			e.Parts = append(e.Parts, shared.Part{Node: n, Frees: []int64{j.CPU, j.Memory}})
		}
		if j.Priority < Urgent {
			p.Jobs = append(p.Jobs, e)
		}
	}
	return p
}

const namespace = "default"

func nodeName(n int) string { return fmt.Sprintf("node-%04d", n) }

func (w *Workload) nodeObject(n int) *v1.Node {
	return &v1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: nodeName(n), Labels: map[string]string{"kubernetes.io/hostname": nodeName(n)}},
		Status: v1.NodeStatus{Allocatable: list(w.Nodes[n].CPU, w.Nodes[n].Memory, 110),
			Capacity: list(w.Nodes[n].CPU, w.Nodes[n].Memory, 110)},
	}
}

func list(cpu, memory, pods int64) v1.ResourceList {
	l := v1.ResourceList{v1.ResourceCPU: *resource.NewMilliQuantity(cpu, resource.DecimalSI),
		v1.ResourceMemory: *resource.NewQuantity(memory<<20, resource.BinarySI)}
	if pods > 0 {
		l[v1.ResourcePods] = *resource.NewQuantity(pods, resource.DecimalSI)
	}
	return l
}

// podObject returns a pod that runs already.
func (w *Workload) podObject(job, part int, began time.Time) *v1.Pod {
	j := &w.Jobs[job]
	p := podOf(fmt.Sprintf("job-%05d-%02d", job, part), priorityName(j.Priority), j.CPU, j.Memory)
	p.Spec.NodeName = nodeName(j.Nodes[part])
	p.Labels["job"] = fmt.Sprint(job)
	p.Annotations[control.Started] = began.Add(-j.Age).UTC().Format(time.RFC3339)
	if j.Checkpoint >= 0 {
		p.Annotations[cluster.Checkpoint] = began.Add(-j.Checkpoint).UTC().Format(time.RFC3339)
	}
	if j.Gang {
		p.Labels[cluster.Gang] = fmt.Sprintf("gang-%d", job)
	}
	if j.Budget >= 0 {
		p.Labels["budget"] = fmt.Sprint(j.Budget)
	}
	return p
}

func priorityName(p int32) string { return fmt.Sprintf("p%d", p) }

func podOf(name, priority string, cpu, memory int64) *v1.Pod {
	zero := int64(0)
	return &v1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: namespace, Labels: map[string]string{}, Annotations: map[string]string{}},
		Spec: v1.PodSpec{PriorityClassName: priority, TerminationGracePeriodSeconds: &zero,
			Containers:  []v1.Container{{Name: "c", Image: "none", Resources: v1.ResourceRequirements{Requests: list(cpu, memory, 0)}}},
			Tolerations: []v1.Toleration{{Operator: v1.TolerationOpExists}}},
	}
}

// urgentObjects returns the pods that arrive.
func (w *Workload) urgentObjects() (pods []*v1.Pod) {
	for _, s := range w.Shapes {
		for i := range s.Count {
			p := podOf(fmt.Sprintf("%s-%04d", s.Name, i), priorityName(Urgent), s.CPU, s.Memory)
			if s.Gang > 0 {
				p.Labels[cluster.Gang] = fmt.Sprintf("%s-%d", s.Name, i/s.Gang)
			}
			pods = append(pods, p)
		}
	}
	return pods
}
