package cluster

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// What a pod says of its progress, and what is made of it.
func TestLost(t *testing.T) {
	at := func(d time.Duration) string { return epoch.Add(d).Format(time.RFC3339) }
	for _, c := range []struct {
		name  string
		since time.Duration
		set   func(*v1.Pod)
		want  time.Duration
		doubt string
	}{
		{"no checkpoint", time.Hour, nil, time.Hour, ""},
		{"a checkpoint", time.Hour, func(p *v1.Pod) { p.Annotations[Checkpoint] = at(-10 * time.Minute) }, 10 * time.Minute, ""},
		{"a checkpoint before the start", time.Hour, func(p *v1.Pod) { p.Annotations[Checkpoint] = at(-2 * time.Hour) }, time.Hour, ""},
		{"a checkpoint just now, by a clock ahead", time.Hour, func(p *v1.Pod) { p.Annotations[Checkpoint] = at(30 * time.Second) }, 0, ""},
		{"a checkpoint in the future", time.Hour, func(p *v1.Pod) { p.Annotations[Checkpoint] = at(time.Hour) }, time.Hour, "lies in the future"},
		{"a checkpoint that is no time", time.Hour, func(p *v1.Pod) { p.Annotations[Checkpoint] = "yesterday" }, time.Hour, "is no time"},
		{"has not started", 0, func(p *v1.Pod) { p.Status.StartTime, p.Status.Phase = nil, v1.PodPending }, 0, ""},
		{"runs without a start time", time.Hour, func(p *v1.Pod) { p.Status.StartTime = nil }, time.Hour, "without a start time"},
		{"containers know the start", time.Hour, func(p *v1.Pod) {
			p.Status.StartTime = nil
			p.Status.ContainerStatuses = []v1.ContainerStatus{{State: v1.ContainerState{Running: &v1.ContainerStateRunning{StartedAt: metav1.NewTime(epoch.Add(-time.Minute))}}}}
		}, time.Minute, "without a start time"},
		{"started in the future", -time.Hour, nil, 0, "start time lies in the future"},
		{"saves when told", time.Hour, func(p *v1.Pod) { p.Annotations[SavesIn] = "20s" }, 20 * time.Second, ""},
		{"saves when told, and has just saved", time.Hour, func(p *v1.Pod) {
			p.Annotations[SavesIn], p.Annotations[Checkpoint] = "20s", at(-5*time.Second)
		}, 5 * time.Second, ""},
		{"saves too slowly", time.Hour, func(p *v1.Pod) { p.Annotations[SavesIn] = "31s" }, time.Hour, "longer than the pod's grace period"},
		{"saves in no time", time.Hour, func(p *v1.Pod) { p.Annotations[SavesIn] = "soon" }, time.Hour, "is no duration"},
	} {
		p := podOf("p", "n", 0, 1000, 1, c.since)
		if c.set != nil {
			c.set(p)
		}
		w := readWork(p, epoch)
		got := time.Duration(w.lost(epoch, w.checkpoint)) * time.Millisecond
		if got != c.want || (c.doubt == "") != (w.doubt == "") || !strings.Contains(w.doubt, c.doubt) {
			t.Errorf("%s: loses %v, doubt %q; want %v, %q", c.name, got, w.doubt, c.want, c.doubt)
		}
	}
}

// scene is a State with two nodes of four processors, full of pods of two.
func scene() *State {
	s := newState()
	s.addNodeOf("a", 4000, 8<<10)
	s.addNodeOf("b", 4000, 8<<10)
	return s
}

func (s *State) run(name, node string, priority int32, since time.Duration, set ...func(*v1.Pod)) {
	p := podOf(name, node, priority, 2000, 1<<10, since)
	for _, f := range set {
		f(p)
	}
	s.setPod(nil, p)
}

func inGang(g string) func(*v1.Pod)  { return func(p *v1.Pod) { p.Labels[Gang] = g } }
func counted(b string) func(*v1.Pod) { return func(p *v1.Pod) { p.Labels["b"] = b } }
func ending(p *v1.Pod)               { now := metav1.NewTime(epoch); p.DeletionTimestamp = &now }
func saved(d time.Duration) func(*v1.Pod) {
	return func(p *v1.Pod) { p.Annotations[Checkpoint] = epoch.Add(-d).Format(time.RFC3339) }
}

// ask asks for a pod of two processors; candidates are written "node: pod pod".
func (s *State) ask(t *testing.T, o Options, name string, candidates ...string) (Answer, error) {
	t.Helper()
	q := Question{Pod: podOf(name, "", 1000, 2000, 1<<10, 0), Candidates: map[string]Victims{}}
	s.setPod(nil, q.Pod)
	for _, c := range candidates {
		node, pods, _ := strings.Cut(c, ":")
		q.Candidates[node] = Victims{UIDs: strings.Fields(pods)}
	}
	a, err := s.Decide(t.Context(), q, o)
	if err == nil && !a.None {
		s.Promise(q, a)
	}
	return a, err
}

func TestDecide(t *testing.T) {
	budget := func(s *State, allowed int32) {
		least := intstr.FromInt(1)
		s.setBudget(nil, &policyv1.PodDisruptionBudget{ObjectMeta: metav1.ObjectMeta{Name: "b", Namespace: "default"},
			Spec:   policyv1.PodDisruptionBudgetSpec{MinAvailable: &least, Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"b": "1"}}},
			Status: policyv1.PodDisruptionBudgetStatus{DisruptionsAllowed: allowed}})
	}
	for _, c := range []struct {
		name       string
		set        func(s *State)
		candidates []string
		want       string // node: pods, or "none", or an error
		lost       float64
	}{
		{"the least work, on another node than the scheduler's first", func(s *State) {
			s.run("a1", "a", 0, 3*time.Hour)
			s.run("a2", "a", 0, 2*time.Hour)
			s.run("b1", "b", 0, 5*time.Hour, saved(time.Hour))
			s.run("b2", "b", 0, 9*time.Hour)
		}, []string{"a: a2", "b: b2"}, "b: b1", 1},
		{"lower priorities first, whatever they lose", func(s *State) {
			s.run("a1", "a", 10, time.Minute)
			s.run("a2", "a", 10, time.Minute)
			s.run("b1", "b", 0, 50*time.Hour)
			s.run("b2", "b", 5, time.Minute)
		}, []string{"a: a1", "b: b2"}, "b: b1", 50},
		{"a gang counts whole", func(s *State) {
			s.run("a1", "a", 0, time.Hour, inGang("g"))
			s.run("b1", "b", 0, time.Hour, inGang("g"))
			s.run("a2", "a", 0, 90*time.Minute)
			s.run("b2", "b", 0, 100*time.Minute)
		}, []string{"a: a1", "b: b1"}, "a: a2", 1.5},
		{"a gang's checkpoint is the oldest of its pods'", func(s *State) {
			s.run("a1", "a", 0, 3*time.Hour, inGang("g"), saved(2*time.Hour))
			s.run("b1", "b", 0, 3*time.Hour, inGang("g"), saved(time.Minute))
			s.run("a2", "a", 0, 5*time.Hour)
			s.run("b2", "b", 0, 6*time.Hour)
		}, []string{"a: a1", "b: b1"}, "a: a1", 4},
		{"a gang with an important pod stays", func(s *State) {
			s.run("a1", "a", 0, time.Minute, inGang("g"))
			s.run("b1", "b", 2000, time.Minute, inGang("g"))
			s.run("a2", "a", 0, 5*time.Hour)
			s.run("b2", "b", 0, 6*time.Hour)
		}, []string{"a: a1", "b: b2"}, "a: a2", 5},
		{"what is lost already costs nothing more", func(s *State) {
			s.run("a1", "a", 0, 9*time.Hour, inGang("g"))
			s.run("b1", "b", 0, 9*time.Hour, inGang("g"), ending)
			s.run("a2", "a", 0, time.Hour)
			s.run("b2", "b", 2000, time.Hour)
			s.run("b3", "b", 2000, time.Hour) // more than fits, so that b has no room
		}, []string{"a: a2"}, "a: a1", 0},
		{"the room of a pod that ends", func(s *State) {
			s.run("a1", "a", 0, 9*time.Hour, ending)
			s.run("a2", "a", 0, time.Hour)
			s.run("b1", "b", 0, time.Hour)
			s.run("b2", "b", 0, time.Hour)
		}, []string{"a: a1", "b: b2"}, "a: a1", 0},
		{"a budget that is used up", func(s *State) {
			budget(s, 0)
			s.run("a1", "a", 0, time.Minute, counted("1"))
			s.run("a2", "a", 0, 3*time.Hour)
			s.run("b1", "b", 0, 4*time.Hour)
			s.run("b2", "b", 0, 5*time.Hour)
		}, []string{"a: a1", "b: b2"}, "a: a2", 3},
		{"a budget says more than is there", func(s *State) {
			budget(s, 2) // but of two pods one is ending, and one must stay
			s.budgets["default"]["b"].Status.DesiredHealthy = 1
			s.run("a1", "a", 0, time.Minute, counted("1"))
			s.run("b1", "b", 0, time.Minute, counted("1"), ending)
			s.run("b2", "b", 0, 5*time.Hour)
			s.run("b3", "b", 2000, 5*time.Hour)
		}, []string{"a: a1"}, "none", 0},
		{"a gang that loses a pod is lost to its budget whole", func(s *State) {
			budget(s, 1) // of three pods one is ending, and its gang's other pod will; one must stay
			s.budgets["default"]["b"].Status.DesiredHealthy = 1
			s.run("a1", "a", 0, time.Minute, counted("1"))
			s.run("b1", "b", 0, time.Minute, counted("1"), inGang("g"), ending)
			s.run("z1", "z", 0, time.Minute, counted("1"), inGang("g"))
			s.run("a2", "a", 2000, 5*time.Hour)
		}, []string{"a: a1"}, "none", 0},
		{"a gang that is lost already draws on no budget again", func(s *State) {
			budget(s, 0)
			s.run("a1", "a", 0, time.Minute, counted("1"), inGang("g"))
			s.run("a2", "a", 0, time.Hour)
			s.run("b1", "b", 0, time.Minute, counted("1"), inGang("g"), ending)
			s.run("b2", "b", 2000, time.Hour)
			s.run("b3", "b", 2000, time.Hour)
		}, []string{"a: a2"}, "a: a1", 0},
		{"each choice breaks a budget", func(s *State) {
			budget(s, 0)
			for _, p := range []string{"a1", "a2", "b1", "b2"} {
				s.run(p, p[:1], 0, time.Hour, counted("1"))
			}
		}, []string{"a: a1", "b: b2"}, "none", 0},
		{"a pod that comes back at once", func(s *State) {
			s.run("a1", "a", 0, time.Minute, func(p *v1.Pod) { p.OwnerReferences = []metav1.OwnerReference{{Kind: "DaemonSet"}} })
			s.run("a2", "a", 0, time.Hour)
		}, []string{"a: a2"}, "a: a2", 1},
		{"something other than room matters", func(s *State) {
			s.run("a1", "a", 0, time.Minute)
			s.run("a2", "a", 0, time.Hour) // the scheduler ends both, though one were enough room
			s.run("b1", "b", 0, 30*time.Minute)
			s.run("b2", "b", 0, 40*time.Minute, func(p *v1.Pod) { p.Spec.Affinity = &v1.Affinity{PodAntiAffinity: &v1.PodAntiAffinity{}} })
		}, []string{"a: a1 a2", "b: b2"}, "b: b2", 2. / 3},
		{"a node that the watch has not shown", func(s *State) {
			s.run("a1", "a", 0, time.Hour)
			s.run("a2", "a", 0, time.Hour)
		}, []string{"a: a1", "c: c1"}, "a: a1", 1},
		{"a victim that the watch has not shown", func(s *State) { s.run("a1", "a", 0, time.Hour) }, []string{"a: zz"}, "error", 0},
		{"a victim that the watch has not shown, and a budget that is used up", func(s *State) {
			budget(s, 0)
			s.run("a1", "a", 0, time.Hour)
			s.run("b1", "b", 0, time.Hour, counted("1"))
			s.run("b2", "b", 0, time.Hour, counted("1"))
		}, []string{"a: zz", "b: b1"}, "error", 0}, // not none: the pod may have a choice on a
		{"an unknown node alone", func(s *State) {}, []string{"z: z1"}, "error", 0},
		{"no start time", func(s *State) {
			s.run("a1", "a", 0, 0, func(p *v1.Pod) { p.Status.StartTime, p.Status.Phase = nil, v1.PodPending })
			s.run("a2", "a", 0, time.Hour)
		}, []string{"a: a2"}, "a: a1", 0},
		{"a lie saves nothing", func(s *State) {
			s.run("a1", "a", 0, 2*time.Hour, saved(-time.Hour))
			s.run("a2", "a", 0, time.Hour)
		}, []string{"a: a2"}, "a: a2", 1},
	} {
		s := scene()
		c.set(s)
		a, err := s.ask(t, Options{Joint: 8, Refine: time.Minute}, "w", c.candidates...)
		got := a.Node + ": " + strings.Join(a.UIDs, " ")
		switch {
		case err != nil:
			got = "error"
			if !errors.Is(err, ErrUnknown) {
				got = err.Error()
			}
		case a.None:
			got = "none"
		}
		if got != c.want || fmt.Sprintf("%.3f", a.Lost) != fmt.Sprintf("%.3f", c.lost) {
			t.Errorf("%s: %s, %.3f pod-hours (%v), want %s, %.3f", c.name, got, a.Lost, err, c.want, c.lost)
		}
	}
}

// Pods that ask one after the other get room of their own before the API server shows what
// was promised, and a gang that is lost is lost once.
func TestPromises(t *testing.T) {
	s := scene()
	s.run("a1", "a", 0, time.Hour, inGang("g"))
	s.run("b1", "b", 0, time.Hour, inGang("g"))
	s.run("a2", "a", 0, 3*time.Hour)
	s.run("b2", "b", 0, 4*time.Hour)
	var got []string
	for i, candidates := range [][]string{{"a: a1", "b: b1"}, {"a: a1 a2", "b: b1"}, {"a: a1 a2", "b: b1 b2"}, {"a: a1 a2", "b: b1 b2"}} {
		a, err := s.ask(t, Options{Joint: 1}, fmt.Sprint("w", i+1), candidates...)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, fmt.Sprintf("%s %v %.0f", a.Node, a.UIDs, a.Lost))
	}
	if want := []string{"a [a1] 2", "b [b1] 0", "a [a2] 3", "b [b2] 4"}; !cmp.Equal(got, want) {
		t.Error(cmp.Diff(want, got))
	}
	// The scheduler chose otherwise: the promise is void.
	w1 := s.pods["w1"].Pod.DeepCopy()
	w1.Status.NominatedNodeName = "b"
	s.setPod(s.pods["w1"].Pod, w1)
	if s.answers["w1"] != nil || s.answers["w2"] == nil {
		t.Error("promises are kept that are void, or forgotten")
	}
	s.clock = func() time.Time { return epoch.Add(answerLife + time.Second) }
	if _, err := s.ask(t, Options{}, "w9", "a: a1"); err != nil {
		t.Fatal(err)
	}
	if len(s.answers) != 1 {
		t.Errorf("%d promises are left of those that are too old", len(s.answers)-1)
	}
}

// Two answers together keep a budget: the first ends a gang of two pods, of which it names
// one, and uses up what the budget allows.
func TestBudgetOfPromises(t *testing.T) {
	for allowed, want := range map[int32]bool{2: true, 3: false} { // whether the second pod waits
		s := scene()
		s.addNodeOf("c", 4000, 8<<10)
		s.setBudget(nil, &policyv1.PodDisruptionBudget{ObjectMeta: metav1.ObjectMeta{Name: "b", Namespace: "default"},
			Spec:   policyv1.PodDisruptionBudgetSpec{Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"b": "1"}}},
			Status: policyv1.PodDisruptionBudgetStatus{DisruptionsAllowed: allowed, DesiredHealthy: 3 - allowed}})
		s.run("a1", "a", 0, time.Minute, inGang("g"), counted("1"))
		s.run("a2", "a", 0, 99*time.Hour)
		s.run("b1", "b", 0, time.Minute, inGang("g"), counted("1"))
		s.run("c1", "c", 0, time.Minute, counted("1"))
		s.run("c2", "c", 2000, 99*time.Hour)
		if a, err := s.ask(t, Options{}, "w1", "a: a1"); err != nil || !slices.Equal(a.UIDs, []string{"a1"}) {
			t.Fatalf("first: %+v, %v; want a1", a, err)
		}
		a, err := s.ask(t, Options{}, "w2", "c: c1")
		if err != nil || a.None != want {
			t.Errorf("the budget allows %d: after a gang of two, none %v, %v, %v; want none %v", allowed, a.None, a.Choice, err, want)
		}
	}
}

// Planned together, four pods end one gang of four instead of four pods that lose more.
func TestTogether(t *testing.T) {
	s := newState()
	var candidates []string
	for n := range 4 {
		node := fmt.Sprintf("n%d", n)
		s.addNodeOf(node, 4000, 8<<10)
		s.run(node+"g", node, 0, 30*time.Minute, inGang("g"))
		s.run(node+"s", node, 0, 45*time.Minute)
		candidates = append(candidates, node+": "+node+"s")
	}
	for n := range 4 {
		s.setPod(nil, podOf(fmt.Sprintf("w%d", n), "", 1000, 2000, 1<<10, 0))
	}
	lost := 0.0
	for n := range 4 {
		a, err := s.ask(t, Options{Joint: 8, Refine: time.Minute}, fmt.Sprintf("w%d", n), candidates...)
		if err != nil || a.Waiting != 4-n || !a.Exact || !strings.HasSuffix(a.UIDs[0], "g") {
			t.Fatalf("%+v, %v", a, err)
		}
		lost += a.Lost
	}
	if lost != 2 {
		t.Errorf("%v pod-hours lost, want 2", lost)
	}
	alone, err := s.ask(t, Options{Joint: 1}, "x", candidates...)
	if err != nil || alone.Lost != .75 {
		t.Errorf("%+v, %v: a pod alone ends a pod alone", alone, err)
	}
}

// Objects that change and go leave nothing behind.
func TestForget(t *testing.T) {
	s := scene()
	s.run("a1", "a", 0, time.Hour, inGang("g"))
	s.run("w", "", 1000, 0, func(p *v1.Pod) { p.Status.NominatedNodeName = "c" })
	for _, uid := range []string{"a1", "w"} {
		p := s.pods[podOf(uid, "", 0, 0, 0, 0).UID].Pod
		done := p.DeepCopy()
		done.Status.Phase = v1.PodSucceeded
		s.setPod(p, done)
		s.setPod(done, nil)
	}
	for _, n := range []string{"a", "b"} {
		s.setNode(&v1.Node{ObjectMeta: metav1.ObjectMeta{Name: n}}, nil)
	}
	if len(s.nodes)+len(s.pods)+len(s.gang) != 0 {
		t.Errorf("left: %d nodes, %d pods, %d gangs", len(s.nodes), len(s.pods), len(s.gang))
	}
}

// Only an answer that is no error shows that the API server is there.
func TestHeard(t *testing.T) {
	for status, want := range map[int]bool{200: true, 304: true, 401: false, 403: false, 404: false, 503: false} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) }))
		s := New(slog.New(slog.DiscardHandler), nil)
		r, err := http.NewRequest("GET", server.URL, nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := listener{s, http.DefaultTransport}.RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if heard := s.Silence() < time.Hour; heard != want {
			t.Errorf("status %d: heard %v, want %v", status, heard, want)
		}
		server.Close()
	}
}

// No plan is made for pods to which no pod gives way.
func TestPreemptionPolicy(t *testing.T) {
	for policy, want := range map[v1.PreemptionPolicy]string{v1.PreemptNever: "b", v1.PreemptLowerPriority: "a"} {
		s := newState()
		s.addNodeOf("a", 8000, 8<<10)
		s.addNodeOf("b", 8000, 8<<10)
		for i := range 4 { // for one pod, a pod on b is less to lose; for four, the gang on a is
			s.run(fmt.Sprint("a", i), "a", 0, time.Hour, inGang("g"))
			s.run(fmt.Sprint("b", i), "b", 0, time.Duration(100+i)*time.Minute)
		}
		for i := range 3 {
			p := podOf(fmt.Sprint("w", i), "", 1000, 2000, 1<<10, 0)
			p.Spec.PreemptionPolicy = &policy
			s.setPod(nil, p)
		}
		a, err := s.ask(t, Options{Joint: 200, Refine: time.Minute}, "q", "a: a0", "b: b0")
		if err != nil || a.Node != want || (a.Waiting == 1) != (policy == v1.PreemptNever) {
			t.Errorf("%s: node %s, for %d pods, err %v; want %s", policy, a.Node, a.Waiting, err, want)
		}
	}
}

// A member of a gang that waits does not protect the others by its priority.
func TestPendingMember(t *testing.T) {
	s := newState()
	s.addNodeOf("a", 4000, 8<<10)
	s.run("a1", "a", 0, time.Hour, inGang("g"))
	s.run("a2", "a", 0, 2*time.Hour, inGang("g"))
	s.run("waits", "", 1000, 0, inGang("g"))
	a, err := s.ask(t, Options{}, "q", "a: a1")
	if err != nil || a.None || a.Node != "a" || a.Lost != 3 {
		t.Errorf("none %v, node %q, %v pod-hours lost, err %v; want 3 lost on a", a.None, a.Node, a.Lost, err)
	}
}

// doubling fills node a with pods of which each needs twice what the one before needs, and
// has run for as long. No set of them beats another.
func doubling(s *State, pods int) (cpu int64, v Victims) {
	for i := range pods {
		c := int64(10) << i
		cpu += c
		name := fmt.Sprint("p", i)
		s.setPod(nil, podOf(name, "a", 0, c, 1, time.Duration(c)*time.Minute))
		v.UIDs = append(v.UIDs, name)
	}
	return cpu, v
}

// A pod whose node has more sets of pods than the search keeps does not wait: it gets a
// choice that makes room, and the choice does not claim to be the best.
func TestManySets(t *testing.T) {
	s := newState()
	cpu, v := doubling(s, 13)
	s.addNodeOf("a", cpu, 1000)
	q := Question{Pod: podOf("q", "", 1000, cpu, 0, 0), Candidates: map[string]Victims{"a": v}}
	s.setPod(nil, q.Pod)
	a, err := s.Decide(t.Context(), q, Options{})
	if err != nil || a.None || a.Node != "a" || len(a.UIDs) != 13 || a.Exact {
		t.Errorf("none %v, node %q, %d victims, exact %v, err %v; want 13 victims on a, not exact", a.None, a.Node, len(a.UIDs), a.Exact, err)
	}
}

// With nodes whose sets take seconds each to compare, the answer comes about when the limit
// says, and makes room. Seed 1.
func TestLimit(t *testing.T) {
	const limit = 400 * time.Millisecond
	s := newState()
	rng := rand.New(rand.NewPCG(1, 1))
	q := Question{Candidates: map[string]Victims{}}
	for n := range 10 {
		node := fmt.Sprint("n", n)
		spareCPU, spareMemory := int64(35000), int64(70000) // for the pods that kube-scheduler would keep
		var v Victims
		for i := range 100 { // the work is in proportion to the size, so few sets beat another
			c, m := 50+rng.Int64N(2000), 50+rng.Int64N(4000)
			name := fmt.Sprint(node, "p", i)
			s.setPod(nil, podOf(name, node, 0, c, m, time.Duration(float64(2*c+m)*(0.9+0.2*rng.Float64()))*time.Minute))
			if c <= spareCPU && m <= spareMemory {
				spareCPU, spareMemory = spareCPU-c, spareMemory-m
				continue
			}
			v.UIDs = append(v.UIDs, name)
		}
		s.addNodeOf(node, 35000-spareCPU+60000, 70000-spareMemory+120000) // so that each victim is needed
		q.Candidates[node] = v
	}
	q.Pod = podOf("q", "", 1000, 60000, 120000, 0)
	s.setPod(nil, q.Pod)
	for _, early := range []bool{false, true} {
		ctx, cancel := context.WithTimeout(t.Context(), limit)
		if early { // no time at all
			cancel()
		}
		began := time.Now()
		a, err := s.Decide(ctx, q, Options{})
		took := time.Since(began)
		cancel()
		if took > 5*limit || errors.Is(err, ErrCut) || a.None {
			t.Errorf("after %v: none %v, err %v; want an answer, or %q, within %v", took, a.None, err, ErrSlow, limit)
		}
		if early != errors.Is(err, ErrSlow) {
			t.Logf("after %v: err %v (a slow machine)", took, err)
		}
		t.Logf("after %v: node %q, %d victims, exact %v, err %v", took, a.Node, len(a.UIDs), a.Exact, err)
	}
}

// A search that was cut and found nothing has not shown that the pod has to wait.
func TestCutIsNotNone(t *testing.T) {
	s := newState()
	cpu, v := doubling(s, 14)
	least := intstr.FromInt(1)
	s.setBudget(nil, &policyv1.PodDisruptionBudget{ObjectMeta: metav1.ObjectMeta{Name: "b", Namespace: "default"},
		Spec:   policyv1.PodDisruptionBudgetSpec{MinAvailable: &least, Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"b": "1"}}},
		Status: policyv1.PodDisruptionBudgetStatus{DisruptionsAllowed: 1}})
	for i, c := range []int64{1, 2} { // one of them may go, and it has to be the second
		p := podOf(fmt.Sprint("b", i), "a", 0, c, 1, time.Duration(c*c*c)*24*time.Hour)
		p.Labels["b"] = "1"
		s.setPod(nil, p)
	}
	v.UIDs = append(v.UIDs, "b1")
	s.addNodeOf("a", cpu+3, 1000)
	q := Question{Pod: podOf("q", "", 1000, cpu+2, 0, 0), Candidates: map[string]Victims{"a": v}}
	s.setPod(nil, q.Pod)
	a, err := s.Decide(t.Context(), q, Options{})
	if !errors.Is(err, ErrCut) || a.None {
		t.Errorf("none %v, node %q, err %v; want %v", a.None, a.Node, err, ErrCut)
	}
}
