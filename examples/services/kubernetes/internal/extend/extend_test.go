package extend

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	extenderv1 "k8s.io/kube-scheduler/extender/v1"

	"github.com/plimsoll/plimsoll/examples/services/kubernetes/internal/cluster"
)

// apiServer lists pods and nodes, shows no changes, and has its own idea of the time.
type apiServer struct {
	pods  v1.PodList
	nodes v1.NodeList
	ahead time.Duration
	dead  atomic.Bool
	// forbids says that the extender may no longer list nodes. It never may do more than its
	// role allows.
	forbids atomic.Bool
}

func (a *apiServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if a.dead.Load() {
		panic(http.ErrAbortHandler)
	}
	w.Header().Set("Date", time.Now().Add(a.ahead).UTC().Format(http.TimeFormat))
	if r.URL.Query().Get("sendInitialEvents") != "" {
		w.WriteHeader(http.StatusUnprocessableEntity) // as an API server without WatchList
		json.NewEncoder(w).Encode(metav1.Status{TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}, Status: "Failure",
			Reason: metav1.StatusReasonInvalid, Code: 422})
		return
	}
	w.Header().Set("Content-Type", "application/json")
	if r.URL.Query().Get("watch") != "" {
		w.(http.Flusher).Flush()
		<-r.Context().Done()
		return
	}
	switch {
	case strings.HasSuffix(r.URL.Path, "/pods"):
		a.pods.TypeMeta = metav1.TypeMeta{Kind: "PodList", APIVersion: "v1"}
		a.pods.ResourceVersion = "1"
		json.NewEncoder(w).Encode(&a.pods)
	case strings.HasSuffix(r.URL.Path, "/nodes") && !a.forbids.Load():
		a.nodes.TypeMeta = metav1.TypeMeta{Kind: "NodeList", APIVersion: "v1"}
		a.nodes.ResourceVersion = "1"
		json.NewEncoder(w).Encode(&a.nodes)
	case strings.HasSuffix(r.URL.Path, "/poddisruptionbudgets"):
		json.NewEncoder(w).Encode(&policyv1.PodDisruptionBudgetList{TypeMeta: metav1.TypeMeta{Kind: "PodDisruptionBudgetList", APIVersion: "policy/v1"},
			ListMeta: metav1.ListMeta{ResourceVersion: "1"}})
	default:
		w.WriteHeader(http.StatusForbidden)
		json.NewEncoder(w).Encode(metav1.Status{TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}, Status: "Failure",
			Reason: metav1.StatusReasonForbidden, Code: 403})
	}
}

func pod(name, node string, priority int32, ago time.Duration) v1.Pod {
	start := metav1.NewTime(time.Now().Add(-ago))
	p := v1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "default", UID: types.UID(name)},
		Spec: v1.PodSpec{NodeName: node, Priority: &priority, Containers: []v1.Container{{Name: "c", Resources: v1.ResourceRequirements{
			Requests: v1.ResourceList{v1.ResourceCPU: resource.MustParse("2")}}}}},
		Status: v1.PodStatus{Phase: v1.PodPending}}
	if node != "" {
		p.Status = v1.PodStatus{Phase: v1.PodRunning, StartTime: &start}
	}
	return p
}

// start starts a server for a cluster of two full nodes: the scheduler would end "old",
// which has run for five hours, and the least work is that of "new", on the other node.
func start(t *testing.T, api *apiServer, o Options) (*Server, *cluster.State) {
	t.Helper()
	for _, n := range []string{"a", "b"} {
		api.nodes.Items = append(api.nodes.Items, v1.Node{ObjectMeta: metav1.ObjectMeta{Name: n},
			Status: v1.NodeStatus{Allocatable: v1.ResourceList{v1.ResourceCPU: resource.MustParse("4"), v1.ResourcePods: resource.MustParse("110")}}})
	}
	api.pods.Items = append(api.pods.Items, pod("old", "a", 0, 5*time.Hour), pod("older", "a", 0, 6*time.Hour),
		pod("new", "b", 0, time.Hour), pod("other", "b", 0, 7*time.Hour), pod("w", "", 1000, 0))
	server := httptest.NewServer(api)
	t.Cleanup(server.Close)
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	state := cluster.New(slog.New(slog.DiscardHandler), cluster.Gangs)
	if err := state.Follow(ctx, &rest.Config{Host: server.URL}, 50*time.Millisecond); err != nil {
		t.Fatal(err)
	}
	if o.Stale == 0 {
		o.Stale = time.Minute
	}
	o.Limit, o.Refine, o.Joint = time.Minute, time.Second, 8
	return New(state, o, slog.New(slog.DiscardHandler)), state
}

// ask sends a question, and returns the status and the answer.
func ask(s http.Handler, path string, question any) (int, string) {
	text, ok := question.(string)
	if !ok {
		b, err := json.Marshal(question)
		if err != nil {
			panic(err)
		}
		text = string(b)
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, httptest.NewRequest("POST", path, strings.NewReader(text)))
	return w.Code, strings.TrimSpace(w.Body.String())
}

func question(victims ...string) extenderv1.ExtenderPreemptionArgs {
	w := pod("w", "", 1000, 0)
	args := extenderv1.ExtenderPreemptionArgs{Pod: &w, NodeNameToMetaVictims: map[string]*extenderv1.MetaVictims{}}
	for _, v := range victims {
		node, uid, _ := strings.Cut(v, ":")
		args.NodeNameToMetaVictims[node] = &extenderv1.MetaVictims{Pods: []*extenderv1.MetaPod{{UID: uid}}}
	}
	return args
}

const answerNew = `{"NodeNameToMetaVictims":{"b":{"Pods":[{"UID":"new"}],"NumPDBViolations":0}}}`

func TestPreempt(t *testing.T) {
	s, _ := start(t, new(apiServer), Options{})
	if status, got := ask(s, "/preempt", question("a:old", "b:other")); status != 200 || got != answerNew {
		t.Errorf("%d %s", status, got)
	}
	// The same with whole pods, as a scheduler asks whose extender has no cache of nodes.
	q := question()
	old, other := pod("old", "a", 0, 0), pod("other", "b", 0, 0)
	q.NodeNameToMetaVictims = nil
	q.NodeNameToVictims = map[string]*extenderv1.Victims{"a": {Pods: []*v1.Pod{&old}}, "b": {Pods: []*v1.Pod{&other}}}
	if status, got := ask(s, "/preempt", q); status != 200 || got != answerNew {
		t.Errorf("whole pods: %d %s", status, got)
	}
	tally := s.Tally()
	if tally.Answered != 2 || tally.Lost < 2 || tally.Lost > 2.01 || tally.Scheduler < 10 || tally.Left != 0 {
		t.Errorf("%+v", tally)
	}
}

func TestDryRun(t *testing.T) {
	s, _ := start(t, new(apiServer), Options{DryRun: true})
	q := question("a:old", "b:other")
	want, err := json.Marshal(extenderv1.ExtenderPreemptionResult{NodeNameToMetaVictims: q.NodeNameToMetaVictims})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // nothing is remembered
		if status, got := ask(s, "/preempt", q); status != 200 || got != string(want) {
			t.Errorf("%d %s, want %s", status, got, want)
		}
	}
	if tally := s.Tally(); tally.Lost > 2.01 || tally.Scheduler < 10 {
		t.Errorf("%+v", tally)
	}
	if status, got := ask(s, "/preempt", question("a:unknown")); status != 200 || !strings.Contains(got, "unknown") {
		t.Errorf("what cannot be answered: %d %s", status, got)
	}
}

// What cannot be answered is an error, so that a scheduler chooses by itself.
func TestLeft(t *testing.T) {
	s, _ := start(t, new(apiServer), Options{})
	for _, c := range []struct {
		name, path string
		question   any
		status     int
		text       string
	}{
		{"no JSON", "/preempt", "{", 400, "cannot be read"},
		{"no pod", "/preempt", "{}", 400, "no pod"},
		{"no nodes", "/preempt", question(), 400, "no nodes"},
		{"no victims of a node", "/preempt", `{"Pod":{"metadata":{"uid":"w"}},"NodeNameToMetaVictims":{"a":null}}`, 400, "no nodes"},
		{"a null among the uids", "/preempt", `{"Pod":{"metadata":{"uid":"w"}},"NodeNameToMetaVictims":{"a":{"Pods":[null]}}}`, 400, "no uid"},
		{"a null among the pods", "/preempt", `{"Pod":{"metadata":{"uid":"w"}},"NodeNameToVictims":{"a":{"Pods":[null]}}}`, 400, "no uid"},
		{"too long", "/preempt", `{"Pod":"` + strings.Repeat("x", largest) + `"}`, 413, "too large"},
		{"an unknown pod", "/preempt", `{"Pod":{"metadata":{"uid":"x"}},"NodeNameToMetaVictims":{"a":{"Pods":[{"UID":"old"}]}}}`, 503, "have not shown"},
		{"an unknown victim", "/preempt", question("a:x"), 503, "have not shown"},
	} {
		if status, got := ask(s, c.path, c.question); status != c.status || !strings.Contains(got, c.text) {
			t.Errorf("%s: %d %s", c.name, status, got)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	text, _ := json.Marshal(question("a:old"))
	w := httptest.NewRecorder()
	s.ServeHTTP(w, httptest.NewRequest("POST", "/preempt", strings.NewReader(string(text))).WithContext(ctx))
	if w.Code != 503 || s.Tally().Answered != 0 {
		t.Errorf("a scheduler that has gone: %d %s", w.Code, w.Body)
	}
}

// A question of empty victims takes no more than some times its length, and while as many
// questions as may be are read, one more is left to the scheduler, or abstained from.
func TestCrowd(t *testing.T) {
	text := `{"Pod":{},"NodeNameToVictims":{"a":{"Pods":[` + strings.Repeat("{},", 100000) + `{}]}}}`
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	var args arguments
	if err := json.Unmarshal([]byte(text), &args); err != nil {
		t.Fatal(err)
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if times := float64(after.HeapAlloc-before.HeapAlloc) / float64(len(text)); times > 16 || len(args.NodeNameToVictims["a"].Pods) != 100001 {
		t.Errorf("%d victims take %.0f times their text", len(args.NodeNameToVictims["a"].Pods), times)
	}
	s, _ := start(t, new(apiServer), Options{})
	s.options.Limit = 50 * time.Millisecond
	for range parallel {
		if err := s.enter(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if status, got := ask(s, "/preempt", question("a:old")); status != 503 || !strings.Contains(got, "other questions") {
		t.Errorf("%d %s", status, got)
	}
	if status, got := ask(s, "/preemptable", "{}"); status != 200 || got != `{"status":0,"victims":null}` {
		t.Errorf("Volcano: %d %s", status, got)
	}
	for range parallel {
		s.exit()
	}
	s.options.Limit = time.Minute
	if status, got := ask(s, "/preempt", question("a:old", "b:other")); status != 200 || got != answerNew {
		t.Errorf("afterwards: %d %s", status, got)
	}
}

// Without a word from the API server, the scheduler decides.
// A question that comes slowly, and an answer that nobody reads, hold up nobody: there are more
// of them than questions that are answered at a time.
func TestSlow(t *testing.T) {
	s, _ := start(t, new(apiServer), Options{})
	server := httptest.NewServer(s)
	defer server.Close()
	for range 3 * parallel {
		conn, err := net.Dial("tcp", server.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		fmt.Fprintf(conn, "POST /preempt HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n{")
	}
	if status, got := ask(s, "/preempt", question("a:old", "b:other")); status != 200 || got != answerNew {
		t.Errorf("%d %s", status, got)
	}
	// Each of these waits in the write of its answer until the test ends.
	begun, end := make(chan struct{}), make(chan struct{})
	var group sync.WaitGroup
	for range parallel {
		text, _ := json.Marshal(question("a:old", "b:other"))
		group.Go(func() {
			s.ServeHTTP(&unread{header: http.Header{}, begun: begun, end: end}, httptest.NewRequest("POST", "/preempt", bytes.NewReader(text)))
		})
		<-begun
	}
	if status, got := ask(s, "/preempt", question("a:old", "b:other")); status != 200 || got != answerNew {
		t.Errorf("%d %s", status, got)
	}
	close(end)
	group.Wait()
}

// unread is a connection whose other end does not read.
type unread struct {
	header     http.Header
	begun, end chan struct{}
}

func (u *unread) Header() http.Header { return u.header }
func (u *unread) WriteHeader(int)     {}
func (u *unread) Write(p []byte) (int, error) {
	u.begun <- struct{}{}
	<-u.end
	return len(p), nil
}

// No question takes much more memory than its text.
func TestMemory(t *testing.T) {
	s, _ := start(t, new(apiServer), Options{})
	const n = 1 << 20
	for name, text := range map[string]string{
		"containers": `{"Pod":{"spec":{"containers":[` + strings.Repeat("{},", n) + `{}]}}}`,
		"nothings":   `{"Pod":{"spec":{"containers":[` + strings.Repeat("null,", n/2) + `{}]}}}`,
		"victims":    `{"NodeNameToMetaVictims":{"a":{"Pods":[` + strings.Repeat("{},", n) + `{}]}}}`,
		"pods":       `{"NodeNameToVictims":{"a":{"Pods":[` + strings.Repeat("{},", n) + `{}]}}}`,
		"tasks":      `{"evictor":{"Pod":{}},"evictees":[` + strings.Repeat("{},", n) + `{}]}`,
	} {
		for _, path := range []string{"/preempt", "/preemptable"} {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			ask(s, path, text)
			runtime.ReadMemStats(&after)
			if used := after.TotalAlloc - before.TotalAlloc; used > 20*uint64(len(text)) {
				t.Errorf("%s, %s: %d bytes for %d", path, name, used, len(text))
			}
		}
	}
}

func TestSilence(t *testing.T) {
	api := new(apiServer)
	s, _ := start(t, api, Options{Stale: time.Second})
	get := func(path string) int {
		w := httptest.NewRecorder()
		s.ServeHTTP(w, httptest.NewRequest("GET", path, nil))
		return w.Code
	}
	time.Sleep(1500 * time.Millisecond) // it goes on asking what its role allows
	if status, got := ask(s, "/preempt", question("a:old", "b:other")); status != 200 || get("/readyz") != 200 {
		t.Errorf("%d %s", status, got)
	}
	for what, away := range map[string]*atomic.Bool{"dead": &api.dead, "forbids": &api.forbids} {
		away.Store(true)
		deadline := time.Now().Add(time.Minute)
		for get("/readyz") == 200 && time.Now().Before(deadline) {
			time.Sleep(20 * time.Millisecond)
		}
		if status, got := ask(s, "/preempt", question("a:old", "b:other")); status != 503 || !strings.Contains(got, "has not answered") {
			t.Errorf("%s: %d %s", what, status, got)
		}
		if get("/healthz") != 200 {
			t.Errorf("%s: it is alive nevertheless", what)
		}
		away.Store(false)
		for get("/readyz") != 200 && time.Now().Before(deadline) {
			time.Sleep(20 * time.Millisecond)
		}
		if status, got := ask(s, "/preempt", question("a:old", "b:other")); status != 200 {
			t.Errorf("%s, afterwards: %d %s", what, status, got)
		}
	}
}

// Ages are by the API server's clock, which wrote the times.
func TestSkew(t *testing.T) {
	s, state := start(t, &apiServer{ahead: time.Hour}, Options{})
	if ahead := time.Until(state.Now()); ahead < 59*time.Minute || ahead > 61*time.Minute {
		t.Errorf("%v ahead", ahead)
	}
	ask(s, "/preempt", question("a:old", "b:other"))
	if lost := s.Tally().Lost; lost < 1.98 || lost > 2.02 {
		t.Errorf("%v pod-hours, want 2", lost)
	}
}

// Volcano asks about the tasks of one node, and gets them back as it wrote them.
func TestVolcano(t *testing.T) {
	s, _ := start(t, new(apiServer), Options{})
	text := func(name, node string, priority int32) string {
		p, err := json.Marshal(pod(name, node, priority, 0))
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprintf(`{"UID":%q,"Job":"default/j","Resreq":{"MilliCPU":2000},"Pod":%s}`, name, p)
	}
	ask1 := func(path string, evictees ...string) string {
		status, got := ask(s, path, fmt.Sprintf(`{"evictor":%s,"evictees":[%s]}`, text("w", "", 1000), strings.Join(evictees, ",")))
		if status != 200 {
			t.Errorf("%d %s", status, got)
		}
		return got
	}
	want := fmt.Sprintf(`{"status":1,"victims":[%s]}`, text("new", "b", 0))
	for _, path := range []string{"/preemptable", "/reclaimable"} {
		if got := ask1(path, text("other", "b", 0), text("new", "b", 0)); got != want {
			t.Errorf("%s: %s\nwant %s", path, got, want)
		}
	}
	for name, evictees := range map[string][]string{
		"several nodes":    {text("old", "a", 0), text("new", "b", 0)},
		"nobody":           nil,
		"an unknown task":  {text("x", "b", 0)},
		"a task of no pod": {`{"UID":"x"}`},
	} {
		if got := ask1("/preemptable", evictees...); got != `{"status":0,"victims":null}` {
			t.Errorf("%s: %s", name, got)
		}
	}
	// What cannot be read is abstained from as well: Volcano would take an error for "no victims".
	left := s.Tally().Left
	for name, question := range map[string]string{
		"no JSON":    "{",
		"no evictor": "{}",
		"too long":   `{"evictor":"` + strings.Repeat("x", largest) + `"}`,
	} {
		if status, got := ask(s, "/reclaimable", question); status != 200 || got != `{"status":0,"victims":null}` {
			t.Errorf("%s: %d %s", name, status, got)
		}
	}
	if now := s.Tally().Left; now != left+3 {
		t.Errorf("%d questions were left, want 3", now-left)
	}
}

func TestMetrics(t *testing.T) {
	s, _ := start(t, new(apiServer), Options{})
	ask(s, "/preempt", question("a:old", "b:other"))
	w := httptest.NewRecorder()
	s.ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	for _, want := range []string{"\nplimsoll_answers_total 1\n", "\nplimsoll_left_total 0\n", "\nplimsoll_lost_pod_hours_total 1.0",
		"# TYPE plimsoll_api_silence_seconds gauge\n"} {
		if !strings.Contains(w.Body.String(), want) {
			t.Errorf("no %q in %s", want, w.Body)
		}
	}
}

// A task goes back as it came, whatever it is.
func FuzzTask(f *testing.F) {
	for _, text := range []string{`{"UID":"x","Pod":{"metadata":{"name":"a","uid":"u"},"spec":{"nodeName":"n"}}}`, `{"Pod":null,"more":[1,2]}`, `{}`, `[]`} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var x task
		if json.Unmarshal(text, &x) != nil {
			return
		}
		back, err := json.Marshal(x)
		if err != nil {
			t.Fatal(err)
		}
		var a, b any
		if err := errors.Join(json.Unmarshal(text, &a), json.Unmarshal(back, &b)); err != nil || !reflect.DeepEqual(a, b) {
			t.Fatalf("%s comes back as %s, %v", text, back, err)
		}
	})
}
