package overlay

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"math"
	"net/http"
	"net/http/httptest"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/client-go/dynamic"
	dynamicfake "k8s.io/client-go/dynamic/fake"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/rest"
	ktesting "k8s.io/client-go/testing"

	"github.com/plimsoll/plimsoll/examples/internal/heldfile"
	"github.com/plimsoll/plimsoll/examples/services/kubernetes/internal/oracle"
	"github.com/plimsoll/plimsoll/reserve/marginal"
)

const kindsText = `[
  {"type": "m5.large",  "family": "m5", "units": 4, "on_demand": 0.10},
  {"type": "m5.xlarge", "family": "m5", "units": 8, "on_demand": 0.20},
  {"type": "r5.large",  "on_demand": 0.12, "spot": 0.03}
]`

var start = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

func inputs(t *testing.T, held string) *Inputs {
	t.Helper()
	m, err := oracle.ReadKinds(strings.NewReader(kindsText))
	if err != nil {
		t.Fatal(err)
	}
	var contracts []heldfile.Contract
	if err := json.Unmarshal([]byte(held), &contracts); err != nil {
		t.Fatal(err)
	}
	list, err := oracle.Held(contracts, start)
	if err != nil {
		t.Fatal(err)
	}
	book, notes := m.Book(list, "")
	return &Inputs{Book: book, Notes: notes}
}

const tenLarge = `[{"id": "ri-1", "type": "m5.large", "count": 10, "until": "2027-03-01"}]`

func node(name string, labels map[string]string) *corev1.Node {
	return &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: labels}, Spec: corev1.NodeSpec{ProviderID: "p://" + name}}
}

func typed(kind string) map[string]string { return map[string]string{typeLabel: kind} }

func claim(name string, labels map[string]string, id string) *unstructured.Unstructured {
	u := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "karpenter.sh/v1", "kind": "NodeClaim", "metadata": map[string]any{"name": name},
		"status": map[string]any{"providerID": id}}}
	u.SetLabels(labels)
	return u
}

func TestCount(t *testing.T) {
	m := inputs(t, "[]").Book.Market
	nodes := []*corev1.Node{
		node("a", typed("m5.large")),
		node("b", typed("m5.large")),
		node("old", map[string]string{corev1.LabelInstanceType: "m5.xlarge"}),
		node("windows", map[string]string{typeLabel: "m5.large", systemLabel: "windows"}),
		node("spot", map[string]string{typeLabel: "m5.large", capacityLabel: "spot"}),
		node("spot2", map[string]string{typeLabel: "m5.large", "eks.amazonaws.com/capacityType": "SPOT"}),
		node("none", nil),
		node("strange", typed("z9.huge")),
	}
	claims := []*unstructured.Unstructured{
		claim("a", typed("m5.large"), "p://a"),         // its node is there
		claim("new", typed("m5.xlarge"), "p://coming"), // its node is not
		claim("young", nil, ""),
	}
	want := Fleet{Running: []int{2, 2, 0}, Unknown: map[string]int{"m5.large": 1, "no type": 1, "z9.huge": 1}, Spot: 2, Waiting: 1}
	if d := cmp.Diff(want, Count(m, nodes, claims)); d != "" {
		t.Error(d)
	}
}

// What claims count for that Karpenter has not launched yet.
func TestCountClaims(t *testing.T) {
	m := inputs(t, "[]").Book.Market
	in := func(key string, values ...any) any {
		return map[string]any{"key": key, "operator": "In", "values": values}
	}
	for _, c := range []struct {
		name         string
		requirements []any
		want         Fleet
	}{
		{"no requirements", nil, Fleet{Running: []int{0, 0, 0}, Waiting: 1}},
		{"one type", []any{in(typeLabel, "m5.large")}, Fleet{Running: []int{1, 0, 0}}},
		{"two of a family: the larger", []any{in(typeLabel, "m5.xlarge", "m5.large")}, Fleet{Running: []int{0, 1, 0}, Listed: 1}},
		{"two families: each", []any{in(typeLabel, "m5.large", "r5.large")}, Fleet{Running: []int{1, 0, 1}, Listed: 1}},
		{"one known", []any{in(typeLabel, "z9.huge", "m5.large")}, Fleet{Running: []int{1, 0, 0}, Listed: 1}},
		{"none known", []any{in(typeLabel, "z9.huge")}, Fleet{Running: []int{0, 0, 0}, Unknown: map[string]int{"z9.huge": 1}}},
		{"spot", []any{in(typeLabel, "m5.large"), in(capacityLabel, "spot")}, Fleet{Running: []int{0, 0, 0}, Spot: 1}},
		{"spot or on demand", []any{in(typeLabel, "m5.large"), in(capacityLabel, "spot", "on-demand")}, Fleet{Running: []int{1, 0, 0}}},
		{"another system", []any{in(typeLabel, "m5.large"), in(systemLabel, "windows")}, Fleet{Running: []int{0, 0, 0}, Unknown: map[string]int{"m5.large": 1}}},
		{"not a list of types", []any{map[string]any{"key": typeLabel, "operator": "NotIn", "values": []any{"m5.large"}}, "nonsense"},
			Fleet{Running: []int{0, 0, 0}, Waiting: 1}},
	} {
		u := claim("c", nil, "")
		if c.requirements != nil {
			u.Object["spec"] = map[string]any{"requirements": c.requirements}
		}
		if c.want.Unknown == nil {
			c.want.Unknown = map[string]int{}
		}
		if d := cmp.Diff(c.want, Count(m, nil, []*unstructured.Unstructured{u})); d != "" {
			t.Errorf("%s: %s", c.name, d)
		}
	}
}

// An overlay has the form that the definition of Karpenter 1.15 asks for.
func TestOverlayForm(t *testing.T) {
	in := inputs(t, tenLarge)
	quotes, err := in.Book.Quotes([]int{9, 0, 0}, start, marginal.Options{})
	if err != nil {
		t.Fatal(err)
	}
	style := Style{Name: "plimsoll", Weight: 100, Floor: 1, Require: []Requirement{{"karpenter.sh/nodepool", []string{"a", "b"}}}}
	u := style.overlay(in.Book.Market, &quotes[1])
	in1 := func(key string, values ...any) any {
		return map[string]any{"key": key, "operator": "In", "values": values}
	}
	want := map[string]any{"price": "0.1", "weight": int64(100), "requirements": []any{
		in1(typeLabel, "m5.xlarge"), in1(capacityLabel, "on-demand"), in1(systemLabel, "linux"), in1("karpenter.sh/nodepool", "a", "b")}}
	if d := cmp.Diff(want, u.Object["spec"]); d != "" {
		t.Error(d)
	}
	price := regexp.MustCompile(`^\d+(\.\d+)?$`) // of the definition
	for i := range quotes {
		u := style.overlay(in.Book.Market, &quotes[i])
		if (u == nil) != (quotes[i].Room == 0) {
			t.Errorf("kind %d: overlay %v at a room of %d", i, u != nil, quotes[i].Room)
		}
		if u == nil {
			continue
		}
		if text := u.Object["spec"].(map[string]any)["price"].(string); !price.MatchString(text) {
			t.Errorf("price %q", text)
		}
		for name, value := range u.GetLabels() {
			if p := validation.IsValidLabelValue(value); len(p) > 0 {
				t.Errorf("label %s: %v", name, p)
			}
		}
	}
	// Free kinds cost a hundredth, so that the smaller is the cheaper.
	if got := style.price(&quotes[0]).String(); got != "0.001" {
		t.Errorf("price of a kind that is free: %s, want 0.001", got)
	}
	names := map[string]bool{}
	for _, kind := range []string{"m5.large", "M5.large", "m5_large", "a..b", strings.Repeat("x", 300), "-.-", "Standard_E4s_v3"} {
		k := &marginal.Kind{Type: kind, System: "linux"}
		name := style.objectName(k)
		if p := validation.IsDNS1123Subdomain(name); len(p) > 0 {
			t.Errorf("name %q of %q: %v", name, kind, p)
		}
		if names[name] {
			t.Errorf("two types have the name %s", name)
		}
		names[name] = true
	}
}

// A bench is a controller over fake clients.
type bench struct {
	*Controller
	kube    *fake.Clientset
	dynamic *dynamicfake.FakeDynamicClient
	log     *lines
	end     context.CancelFunc
	ended   chan error
}

type lines struct {
	sync.Mutex
	text strings.Builder
}

func (l *lines) Write(b []byte) (int, error) {
	l.Lock()
	defer l.Unlock()
	return l.text.Write(b)
}

func (l *lines) String() string {
	l.Lock()
	defer l.Unlock()
	return l.text.String()
}

func newBench(t *testing.T, load func() (*Inputs, error)) *bench {
	b := &bench{kube: fake.NewClientset(), log: &lines{}, ended: make(chan error, 1)}
	b.dynamic = dynamicfake.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(), map[schema.GroupVersionResource]string{
		NodeOverlays: "NodeOverlayList", NodeClaims: "NodeClaimList"})
	b.Controller = &Controller{Kube: b.kube, Dynamic: b.dynamic, Claims: true, Load: load, Every: 20 * time.Millisecond,
		Style: Style{Name: "plimsoll", Weight: 100, Floor: 1}, Log: slog.New(slog.NewTextHandler(b.log, nil)), Now: func() time.Time { return start }}
	return b
}

func (b *bench) start(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	b.end = cancel
	go func() { b.ended <- b.Run(ctx) }()
	t.Cleanup(cancel)
}

// prices are the overlays' prices by type.
func (b *bench) prices() map[string]string {
	out := map[string]string{}
	list, err := b.dynamic.Resource(NodeOverlays).List(context.Background(), metav1.ListOptions{})
	if err != nil {
		return map[string]string{"error": err.Error()}
	}
	for i := range list.Items {
		spec := list.Items[i].Object["spec"].(map[string]any)
		kind := spec["requirements"].([]any)[0].(map[string]any)["values"].([]any)[0].(string)
		out[kind] = spec["price"].(string)
	}
	return out
}

// reach waits until the overlays have the prices.
func (b *bench) reach(t *testing.T, what string, want map[string]string) {
	t.Helper()
	for range 200 {
		if maps.Equal(b.prices(), want) {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("%s: prices %v, want %v\n%s", what, b.prices(), want, b.log)
}

// Overlays come, change and go with nodes, claims, files and the end of the program.
func TestController(t *testing.T) {
	var mu sync.Mutex
	held, failure := tenLarge, error(nil)
	b := newBench(t, func() (*Inputs, error) {
		mu.Lock()
		defer mu.Unlock()
		if failure != nil {
			return nil, failure
		}
		return inputs(t, held), nil
	})
	ctx := context.Background()
	add := func(n *corev1.Node) {
		t.Helper()
		if _, err := b.kube.CoreV1().Nodes().Create(ctx, n, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 8 {
		add(node(fmt.Sprint("n", i), typed("m5.large")))
	}
	foreign := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "karpenter.sh/v1alpha1", "kind": "NodeOverlay",
		"metadata": map[string]any{"name": "mine"},
		"spec":     map[string]any{"price": "7", "requirements": []any{map[string]any{"key": typeLabel, "operator": "In", "values": []any{"foreign"}}}}}}
	if _, err := b.dynamic.Resource(NodeOverlays).Create(ctx, foreign, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	b.start(t)
	b.reach(t, "8 of 10 run", map[string]string{"foreign": "7", "m5.large": "0.001", "m5.xlarge": "0.002"})
	add(node("n8", typed("m5.large")))
	b.reach(t, "9 of 10 run", map[string]string{"foreign": "7", "m5.large": "0.001", "m5.xlarge": "0.1"})
	// A claim counts before its node is there.
	if _, err := b.dynamic.Resource(NodeClaims).Create(ctx, claim("c", typed("m5.large"), "p://n9"), metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	b.reach(t, "all run", map[string]string{"foreign": "7"})
	add(node("n9", typed("m5.large"))) // the claim's
	time.Sleep(100 * time.Millisecond)
	b.reach(t, "all run, still", map[string]string{"foreign": "7"})
	if err := b.kube.CoreV1().Nodes().Delete(ctx, "n0", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	b.reach(t, "9 run again", map[string]string{"foreign": "7", "m5.large": "0.001", "m5.xlarge": "0.1"})
	// Files that cannot be used leave what holds.
	mu.Lock()
	failure = errors.New("line 3 is wrong")
	mu.Unlock()
	time.Sleep(100 * time.Millisecond)
	b.reach(t, "bad files", map[string]string{"foreign": "7", "m5.large": "0.001", "m5.xlarge": "0.1"})
	mu.Lock()
	failure, held = nil, `[{"id": "ri-1", "type": "m5.large", "count": 10, "until": "2026-11-22"}]`
	mu.Unlock()
	b.reach(t, "the commitment has expired", map[string]string{"foreign": "7"})
	mu.Lock()
	held = tenLarge
	mu.Unlock()
	b.reach(t, "it is there again", map[string]string{"foreign": "7", "m5.large": "0.001", "m5.xlarge": "0.1"})
	// What somebody has changed is put right.
	name := ""
	list, _ := b.dynamic.Resource(NodeOverlays).List(ctx, metav1.ListOptions{LabelSelector: OwnerLabel})
	for i := range list.Items {
		if strings.Contains(list.Items[i].GetName(), "m5.large") {
			name = list.Items[i].GetName()
			u := list.Items[i].DeepCopy()
			unstructured.SetNestedField(u.Object, "0.05", "spec", "price")
			if _, err := b.dynamic.Resource(NodeOverlays).Update(ctx, u, metav1.UpdateOptions{}); err != nil {
				t.Fatal(err)
			}
			if why := list.Items[i].GetAnnotations()[WhyAnnotation]; !strings.Contains(why, "ri-1: 4 of 40 units unused") {
				t.Errorf("why: %s", why)
			}
		}
	}
	add(node("other", typed("r5.large"))) // a round follows
	b.reach(t, "changed by hand: "+name, map[string]string{"foreign": "7", "m5.large": "0.001", "m5.xlarge": "0.1"})
	b.end()
	if err := <-b.ended; err != nil {
		t.Error(err)
	}
	b.reach(t, "ended", map[string]string{"foreign": "7"})
	for _, want := range []string{"line 3 is wrong", "files: in order again", "why=", "withdrawn"} {
		if !strings.Contains(b.log.String(), want) {
			t.Errorf("the log does not say %q:\n%s", want, b.log)
		}
	}
}

// An API server that goes away is asked again, and the overlays follow when it is back.
func TestAwayAndBack(t *testing.T) {
	in := inputs(t, tenLarge)
	b := newBench(t, func() (*Inputs, error) { return in, nil })
	var mu sync.Mutex
	away := false
	b.dynamic.PrependReactor("*", "nodeoverlays", func(ktesting.Action) (bool, runtime.Object, error) {
		mu.Lock()
		defer mu.Unlock()
		return away, nil, apierrors.NewServiceUnavailable("away")
	})
	b.start(t)
	all := map[string]string{"m5.large": "0.001", "m5.xlarge": "0.002"}
	b.reach(t, "at the start", all)
	before := b.Done()
	mu.Lock()
	away = true
	mu.Unlock()
	for i := range 10 {
		if _, err := b.kube.CoreV1().Nodes().Create(context.Background(), node(fmt.Sprint(i), typed("m5.large")), metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	time.Sleep(200 * time.Millisecond)
	if !strings.Contains(b.log.String(), "the overlays are not up to date: listing NodeOverlays") {
		t.Errorf("the log does not say that the API server is away:\n%s", b.log)
	}
	mu.Lock()
	away = false
	mu.Unlock()
	for range 100 {
		if len(b.prices()) == 0 {
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	b.reach(t, "back", map[string]string{})
	if b.Done().Before(before) {
		t.Error("the time of the last round went back")
	}
}

// An object of the same name that is not the controller's stays as it is.
func TestForeignName(t *testing.T) {
	in := inputs(t, tenLarge)
	style := Style{Name: "plimsoll", Weight: 100, Floor: 1}
	name := style.objectName(&in.Book.Kinds[0])
	foreign := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "karpenter.sh/v1alpha1", "kind": "NodeOverlay",
		"metadata": map[string]any{"name": name},
		"spec":     map[string]any{"price": "7", "requirements": []any{map[string]any{"key": typeLabel, "operator": "In", "values": []any{"m5.large"}}}}}}
	b := newBench(t, func() (*Inputs, error) { return in, nil })
	if _, err := b.dynamic.Resource(NodeOverlays).Create(context.Background(), foreign, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	b.start(t)
	b.reach(t, "the other is written", map[string]string{"m5.large": "7", "m5.xlarge": "0.002"})
	for range 100 {
		if strings.Contains(b.log.String(), "stays as it is") {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	if !strings.Contains(b.log.String(), "stays as it is") {
		t.Errorf("the log does not say so:\n%s", b.log)
	}
}

// A dry run writes nothing and says once what it would write.
func TestDryRun(t *testing.T) {
	in := inputs(t, tenLarge)
	b := newBench(t, func() (*Inputs, error) { return in, nil })
	b.DryRun = true
	b.start(t)
	for range 100 {
		if strings.Contains(b.log.String(), "would set the price") {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	time.Sleep(100 * time.Millisecond)
	if n := strings.Count(b.log.String(), "would set the price"); n != 2 {
		t.Errorf("the log says %d times what would be written, want 2, one for each kind:\n%s", n, b.log)
	}
	if p := b.prices(); len(p) > 0 {
		t.Errorf("a dry run wrote %v", p)
	}
}

// Instances that an answer launches count until they run.
func TestGrants(t *testing.T) {
	now := start
	c := &Controller{inputs: inputs(t, tenLarge), Now: func() time.Time { return now }}
	c.fleet.Running = []int{8, 0, 0}
	price := func() string {
		t.Helper()
		extra, _, ok := c.Price("m5.large", "linux", false, 1)
		if !ok {
			t.Fatal("no price")
		}
		return extra.String()
	}
	if got := price(); got != "0" {
		t.Errorf("8 of 10 run: %s", got)
	}
	grant := func(n int) {
		t.Helper()
		if err := c.Grant("m5.large", "linux", n); err != nil {
			t.Fatal(err)
		}
	}
	grant(2)
	if got := price(); got != "0.1" {
		t.Errorf("2 more are launched: %s", got)
	}
	nodes := []*corev1.Node{node("a", typed("m5.large")), node("b", typed("m5.large"))}
	for _, n := range nodes {
		n.CreationTimestamp = metav1.NewTime(start.Add(time.Minute))
	}
	c.settleGrants(nodes[:1])
	if len(c.grants) != 1 {
		t.Error("one of two runs, and the grant is gone")
	}
	c.settleGrants(nodes)
	if len(c.grants) != 0 {
		t.Error("both run, and the grant is there")
	}
	grant(2)
	now = now.Add(grantTime + time.Second)
	c.settleGrants(nil)
	if len(c.grants) != 0 {
		t.Error("a grant of instances that never came is there")
	}
	if extra, why, ok := c.Price("r5.large", "", true, 3); !ok || extra.String() != "0.09" || why != "the spot price" {
		t.Errorf("3 spot instances: %v %s %v", extra, why, ok)
	}
	for _, kind := range []string{"z9.huge", ""} {
		if err := c.Grant(kind, "linux", 1); err == nil {
			t.Errorf("%q is granted", kind)
		}
		if _, _, ok := c.Price(kind, "linux", false, 1); ok {
			t.Errorf("%q has a price", kind)
		}
	}
	if !slices.Equal(c.fleet.Running, []int{8, 0, 0}) {
		t.Error("the count has changed")
	}
}

// Grants count each instance once, whatever the order in which nodes come and files change.
func TestGrantsCountOnce(t *testing.T) {
	now := start
	c := &Controller{inputs: inputs(t, tenLarge), Now: func() time.Time { return now }, said: map[string]string{}}
	c.fleet = Count(c.inputs.Book.Market, nil, nil)
	var nodes []*corev1.Node
	c.nodes, c.claims = func() []*corev1.Node { return nodes }, func() []*unstructured.Unstructured { return nil }
	check := func(what string, want ...int) {
		t.Helper()
		c.fleet = Count(c.inputs.Book.Market, nodes, nil)
		c.settleGrants(nodes)
		if got := c.counted(); !slices.Equal(got, want) {
			t.Errorf("%s: counted %v, want %v", what, got, want)
		}
	}
	come := func(names string, labels map[string]string) {
		now = now.Add(time.Minute)
		for _, name := range names {
			n := node(string(name), labels)
			n.CreationTimestamp = metav1.NewTime(now)
			nodes = append(nodes, n)
		}
	}
	grant := func(n int) {
		t.Helper()
		if err := c.Grant("m5.large", "", n); err != nil {
			t.Fatal(err)
		}
	}
	grant(5)
	check("none of 5 runs", 5, 0, 0)
	come("abcd", typed("m5.large"))
	check("4 of 5 run", 5, 0, 0)
	check("the same again", 5, 0, 0)
	grant(2)
	check("2 more", 7, 0, 0)
	come("e", typed("m5.large"))
	check("the fifth", 7, 0, 0)
	check("the same again", 7, 0, 0)
	come("s", map[string]string{typeLabel: "m5.large", capacityLabel: "spot"})
	check("a spot node is not of the grant", 7, 0, 0)
	nodes = nodes[1:]
	check("one ends", 6, 0, 0)
	// A file with the kinds in another order.
	m, err := marginal.NewMarket([]marginal.Kind{c.inputs.Book.Kinds[2], c.inputs.Book.Kinds[1], c.inputs.Book.Kinds[0]})
	if err != nil {
		t.Fatal(err)
	}
	book, _ := m.Book(nil, "")
	c.Load = func() (*Inputs, error) { return &Inputs{Book: book}, nil }
	if err := c.load(); err != nil {
		t.Fatal(err)
	}
	if got := c.counted(); !slices.Equal(got, []int{0, 0, 6}) {
		t.Errorf("just after new files: counted %v, want the 6 m5.large last", got)
	}
	check("new files", 0, 0, 6)
	come("fg", typed("m5.large"))
	check("all run", 0, 0, 6)
	if len(c.grants) != 0 {
		t.Errorf("grants %v are left", c.grants)
	}
	for _, n := range []int{-1, 0, maxGranted + 1, math.MaxInt32, math.MinInt32} {
		if err := c.Grant("m5.large", "", n); err == nil {
			t.Errorf("%d instances are granted", n)
		}
	}
	grant(maxGranted)
	if err := c.Grant("m5.large", "", 1); err == nil || !strings.Contains(err.Error(), "5000 are being launched") {
		t.Errorf("one more than all: %v", err)
	}
	now = now.Add(grantTime + time.Second)
	grant(1) // the others are too old to count
}

// Prices that cannot be computed are not published, and the cheap ones of before go.
func TestUnknownPricesAreWithdrawn(t *testing.T) {
	var hours atomic.Int64
	b := newBench(t, func() (*Inputs, error) {
		in := inputs(t, tenLarge)
		in.Options.Hours = int(hours.Load())
		return in, nil
	})
	b.start(t)
	all := map[string]string{"m5.large": "0.001", "m5.xlarge": "0.002"}
	b.reach(t, "at the start", all)
	hours.Store(-1)
	b.reach(t, "prices are unknown", map[string]string{})
	if _, _, ok := b.Price("m5.large", "linux", false, 1); ok {
		t.Error("an unknown price is known to the expander")
	}
	for range 100 {
		if strings.Contains(b.log.String(), "the prices are unknown, so none is published: reserve/marginal: Options.Hours: value out of range: -1 hours") {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	if !strings.Contains(b.log.String(), "the prices are unknown, so none is published: reserve/marginal: Options.Hours: value out of range: -1 hours") {
		t.Errorf("the log does not say so:\n%s", b.log)
	}
	hours.Store(24)
	for range 200 { // after a failure the controller waits a second and more
		if len(b.prices()) == len(all) {
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	b.reach(t, "known again", all)
}

// A grant that cannot be priced is dropped, and the prices of what runs stay.
func TestGrantThatCannotBePriced(t *testing.T) {
	c := &Controller{inputs: inputs(t, tenLarge), Now: func() time.Time { return start }, said: map[string]string{}, Log: slog.New(slog.DiscardHandler)}
	c.nodes, c.claims = func() []*corev1.Node { return []*corev1.Node{node("a", typed("m5.large"))} }, func() []*unstructured.Unstructured { return nil }
	c.grants = []grant{{"m5.large", "linux", math.MaxInt32, start}}
	if err := c.round(context.Background()); err != nil {
		t.Fatal(err)
	}
	if extra, _, ok := c.Price("m5.large", "", false, 1); !ok || extra != 0 || len(c.grants) != 0 {
		t.Errorf("price %v, known %v, grants %v: want 0, and no grant", extra, ok, c.grants)
	}
}

// A price that is too low and cannot be raised is withdrawn.
func TestPriceThatCannotBeRaised(t *testing.T) {
	in := inputs(t, tenLarge)
	b := newBench(t, func() (*Inputs, error) { return in, nil })
	ctx := context.Background()
	for i := range 8 {
		if _, err := b.kube.CoreV1().Nodes().Create(ctx, node(fmt.Sprint(i), typed("m5.large")), metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	b.dynamic.PrependReactor("update", "nodeoverlays", func(ktesting.Action) (bool, runtime.Object, error) {
		return true, nil, apierrors.NewServiceUnavailable("no updates")
	})
	b.start(t)
	b.reach(t, "8 of 10 run", map[string]string{"m5.large": "0.001", "m5.xlarge": "0.002"})
	if _, err := b.kube.CoreV1().Nodes().Create(ctx, node("9", typed("m5.large")), metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	b.reach(t, "9 of 10 run", map[string]string{"m5.large": "0.001", "m5.xlarge": "0.1"})
	if !strings.Contains(b.log.String(), "no updates") {
		t.Errorf("the log does not say so:\n%s", b.log)
	}
}

// At the end all overlays are withdrawn, though all of them together take longer than a
// request may.
func TestWithdrawMany(t *testing.T) {
	const many, each, timeout = 300, 5 * time.Millisecond, time.Second
	var mu sync.Mutex
	have := map[string]bool{}
	for i := range many {
		have[fmt.Sprint("o", i)] = true
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		w.Header().Set("Content-Type", "application/json")
		if r.Method == http.MethodDelete {
			time.Sleep(each)
			delete(have, path.Base(r.URL.Path))
			io.WriteString(w, `{"kind":"Status","apiVersion":"v1","status":"Success"}`)
			return
		}
		var items []string
		for name := range have {
			items = append(items, fmt.Sprintf(`{"kind":"NodeOverlay","apiVersion":"karpenter.sh/v1alpha1","metadata":{"name":%q}}`, name))
		}
		fmt.Fprintf(w, `{"kind":"NodeOverlayList","apiVersion":"karpenter.sh/v1alpha1","items":[%s]}`, strings.Join(items, ","))
	}))
	defer server.Close()
	client, err := dynamic.NewForConfig(&rest.Config{Host: server.URL, QPS: -1})
	if err != nil {
		t.Fatal(err)
	}
	c := &Controller{Dynamic: client, Style: Style{Name: "plimsoll"}, Timeout: timeout, Log: slog.New(slog.DiscardHandler)}
	if err := c.withdrawAll(); err != nil || len(have) > 0 {
		t.Errorf("%d of %d overlays are left, %.200v", len(have), many, err)
	}
}
