//go:build unix

package main

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/yaml"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/examples/internal/infile"
	"github.com/plimsoll/plimsoll/examples/services/kubernetes/internal/control"
	"github.com/plimsoll/plimsoll/examples/services/kubernetes/internal/oracle"
	"github.com/plimsoll/plimsoll/examples/services/kubernetes/internal/overlay"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/reserve/marginal"
)

const launchUsage = `Usage: go run . launch [flags]

Grows a cluster on a real control plane with Karpenter (etcd, kube-apiserver,
kube-scheduler, kwok and Karpenter's kwok provider on loopback), without and with the
oracle, and prints the nodes and the bill of each round. A round is a batch of pods that
arrive together, and counts as an hour of the bill. All ends with the program, and no file
stays behind.

  -servers FOLDER      where kube-apiserver, kube-scheduler, kwok, karpenter and crds are
                       (default: the PATH); README.md says how to get them
  -kinds FILE          as of the command oracle (default testdata/oracle/kinds.json)
  -commitments FILE    as of the command oracle (default testdata/oracle/commitments.json)
  -running LIST        nodes that run at the start (default m5.xlarge=10)
  -rounds N            batches of pods (default 12)
  -pods N              most pods of a batch, 1.5 CPU and 4 GiB each (default 14)
  -round N             as of the command oracle (default 1)
  -seed N              of the batches (default 1)
  -verbose             print the log of the oracle
`

type launchOptions struct {
	servers, kinds, commitments, running string
	rounds, pods, round                  int
	seed                                 uint64
	verbose                              bool
}

func init() {
	commands["launch"] = command{
		about: "shows on a real control plane with Karpenter what the oracle saves",
		usage: launchUsage,
		run: func(ctx context.Context, args []string, stdout, stderr io.Writer) error {
			o := launchOptions{kinds: "testdata/oracle/kinds.json", commitments: "testdata/oracle/commitments.json", running: "m5.xlarge=10", rounds: 12, pods: 14, round: 1, seed: 1}
			f := cli.NewFlags("launch")
			f.Name("servers", &o.servers, "a folder")
			f.File("kinds", &o.kinds)
			f.File("commitments", &o.commitments)
			f.Name("running", &o.running, "types and numbers such as m5.large=5")
			f.Int("rounds", &o.rounds, 1, 1000, "")
			f.Int("pods", &o.pods, 1, 1000, "")
			f.Int("round", &o.round, 1, marginal.MaxRoom, " of nodes")
			f.Seed(&o.seed)
			f.Switch("verbose", &o.verbose)
			if err := f.Parse(args); err != nil {
				return err
			}
			return o.compare(ctx, stdout, stderr)
		},
	}
}

// A launchRound is what a round left behind.
type launchRound struct {
	pods, nodes int           // of the round
	running     []int         // by kind, at the end
	cost        pricing.Money // an hour on top of the commitments
	overlays    int           // at the end
	over        int           // units of the families with reservations that run on demand
}

// compare makes both runs and prints them.
func (o *launchOptions) compare(ctx context.Context, stdout, stderr io.Writer) error {
	m, err := infile.Read("-kinds", o.kinds, oracle.ReadKinds)
	if err != nil {
		return err
	}
	held, err := infile.Read("-commitments", o.commitments, oracle.ReadHeld)
	if err != nil {
		return err
	}
	book, _ := m.Book(held, "")
	start, err := (&oracleOptions{running: o.running}).counts(m)
	if err != nil {
		return err
	}
	var runs [2][]launchRound
	for i, with := range []bool{false, true} {
		what := "without the oracle"
		if with {
			what = "with the oracle"
		}
		fmt.Fprintln(stderr, "launch:", what)
		if runs[i], err = o.run(ctx, book, start, with, stderr); err != nil {
			return fmt.Errorf("%s: %w", what, err)
		}
	}
	w := tabwriter.NewWriter(stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(w, "round\tpods\twithout: nodes\t$/h\twith: nodes\t$/h\toverlays\toverbooked\t\n")
	var sums [2]pricing.Money
	worst, grew, before := 0, 0, 0
	for r := range runs[0] {
		a, b := runs[0][r], runs[1][r]
		fmt.Fprintf(w, "%d\t%d\t%d\t%s\t%d\t%s\t%d\t%d\t\n", r+1, a.pods, a.nodes, a.cost.Fixed(4), b.nodes, b.cost.Fixed(4), b.overlays, b.over)
		sums[0] += a.cost
		sums[1] += b.cost
		worst = max(worst, b.over)
		if b.over > before {
			grew++
		}
		before = b.over
	}
	w.Flush()
	for i, name := range []string{"without", "with"} {
		var parts []string
		for k, n := range runs[i][len(runs[i])-1].running {
			if n > 0 {
				parts = append(parts, fmt.Sprintf("%d %s", n, m.Kinds[k].Type))
			}
		}
		fmt.Fprintf(stdout, "%s the oracle: $%s on top of the commitments; at the end %s\n", name, sums[i].Fixed(4), strings.Join(parts, ", "))
	}
	if sums[0] > 0 {
		fmt.Fprintf(stdout, "saved: $%s, %.1f%%\n", (sums[0] - sums[1]).Fixed(4), 100*(1-sums[1].Float64()/sums[0].Float64()))
	}
	if worst > 0 {
		fmt.Fprintf(stdout, "overbooked: %d units of the families with reservations run on demand, launched in rounds: %d\n", worst, grew)
	} else {
		fmt.Fprintln(stdout, "overbooked: never")
	}
	return nil
}

var (
	crdResource  = schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}
	poolResource = schema.GroupVersionResource{Group: "karpenter.sh", Version: "v1", Resource: "nodepools"}
	kwokClass    = schema.GroupVersionResource{Group: "karpenter.kwok.sh", Version: "v1alpha1", Resource: "kwoknodeclasses"}
)

// manifest is how the oracle is installed. The trial runs the oracle with its rights.
//
//go:embed deploy/oracle.yaml
var manifest string

const oracleUser = "system:serviceaccount:plimsoll:oracle"

// authorize installs the rights of the manifest, and returns a kubeconfig that has them and
// no others.
func (p *launchPlane) authorize(ctx context.Context) (kubeconfig string, err error) {
	resources := map[string]string{"ClusterRole": "clusterroles", "ClusterRoleBinding": "clusterrolebindings",
		"ValidatingAdmissionPolicy": "validatingadmissionpolicies", "ValidatingAdmissionPolicyBinding": "validatingadmissionpolicybindings"}
	for text := range strings.SplitSeq(manifest, "\n---\n") {
		u := &unstructured.Unstructured{}
		if err := yaml.Unmarshal([]byte(text), &u.Object); err != nil {
			return "", err
		}
		name, ok := resources[u.GetKind()]
		if !ok {
			continue // a program of ours runs, not a pod
		}
		if _, err := p.dynamic.Resource(u.GroupVersionKind().GroupVersion().WithResource(name)).Create(ctx, u, metav1.CreateOptions{}); err != nil {
			return "", fmt.Errorf("%s: %w", u.GetKind(), err)
		}
	}
	config, err := clientcmd.LoadFromFile(p.Kubeconfig)
	if err != nil {
		return "", err
	}
	for _, user := range config.AuthInfos {
		user.Impersonate = oracleUser
	}
	kubeconfig = filepath.Join(p.Dir, "oracle.kubeconfig")
	return kubeconfig, clientcmd.WriteToFile(*config, kubeconfig)
}

// A launchPlane is a control plane with Karpenter.
type launchPlane struct {
	*control.Plane
	dynamic dynamic.Interface
}

// startKarpenter starts a control plane with a scheduler and Karpenter.
func startKarpenter(ctx context.Context, servers string, m *marginal.Market) (p *launchPlane, err error) {
	program, crds, err := findKarpenter(servers)
	if err != nil {
		return nil, err
	}
	plane, err := control.Start(ctx, control.Options{Folder: servers})
	if err != nil {
		return nil, err
	}
	p = &launchPlane{Plane: plane}
	defer func() {
		if err != nil {
			err = errors.Join(err, p.stop())
		}
	}()
	if p.dynamic, err = dynamic.NewForConfig(plane.Config); err != nil {
		return p, err
	}
	if err := p.install(ctx, crds); err != nil {
		return p, err
	}
	if err := plane.Schedule(""); err != nil {
		return p, err
	}
	types, err := kwokTypes(m)
	if err != nil {
		return p, err
	}
	file := filepath.Join(plane.Dir, "types.json")
	if err := os.WriteFile(file, types, 0o600); err != nil {
		return p, err
	}
	metrics, err := loopbackPort()
	if err != nil {
		return p, err
	}
	probe, err := loopbackPort()
	if err != nil {
		return p, err
	}
	// It keeps a lease in no namespace, and needs none with the election off.
	return p, plane.Also("karpenter", "/usr/bin/env", "KUBECONFIG="+plane.Kubeconfig, "DISABLE_LEADER_ELECTION=true", "FEATURE_GATES=NodeOverlay=true",
		"SYSTEM_NAMESPACE=kube-system", "METRICS_PORT="+fmt.Sprint(metrics), "HEALTH_PROBE_PORT="+fmt.Sprint(probe),
		"INSTANCE_TYPES_FILE_PATH="+file, "BATCH_IDLE_DURATION=500ms", program)
}

func (p *launchPlane) stop() error {
	p.End("karpenter")
	return p.Stop()
}

// findKarpenter returns the program and the folder of its resources.
func findKarpenter(servers string) (program, crds string, err error) {
	program = filepath.Join(servers, "karpenter")
	if servers == "" {
		program = "karpenter"
	}
	if program, err = exec.LookPath(program); err == nil {
		crds = filepath.Join(filepath.Dir(program), "crds")
		_, err = os.Stat(filepath.Join(crds, "karpenter.sh_nodeoverlays.yaml"))
	}
	if err != nil {
		return "", "", fmt.Errorf("%w: karpenter, with its crds beside it (testdata/karpenter/build.sh FOLDER)", control.ErrAbsent)
	}
	return program, crds, nil
}

// install creates the resources of Karpenter and waits until they are served.
func (p *launchPlane) install(ctx context.Context, folder string) error {
	files, err := filepath.Glob(filepath.Join(folder, "*.yaml"))
	if err != nil {
		return err
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		u := &unstructured.Unstructured{}
		if err := yaml.Unmarshal(text, &u.Object); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		if _, err := p.dynamic.Resource(crdResource).Create(ctx, u, metav1.CreateOptions{}); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
	}
	for _, r := range []schema.GroupVersionResource{overlay.NodeOverlays, overlay.NodeClaims, poolResource, kwokClass} {
		if err := until(ctx, 30*time.Second, "the API server serves no "+r.Resource, func() (bool, error) {
			_, err := p.dynamic.Resource(r).List(ctx, metav1.ListOptions{})
			return err == nil, nil
		}); err != nil {
			return err
		}
	}
	class := &unstructured.Unstructured{Object: map[string]any{"apiVersion": kwokClass.GroupVersion().String(), "kind": "KWOKNodeClass", "metadata": map[string]any{"name": "default"}}}
	if _, err := p.dynamic.Resource(kwokClass).Create(ctx, class, metav1.CreateOptions{}); err != nil {
		return err
	}
	pool := &unstructured.Unstructured{Object: map[string]any{"apiVersion": poolResource.GroupVersion().String(), "kind": "NodePool", "metadata": map[string]any{"name": "default"},
		"spec": map[string]any{
			"disruption": map[string]any{"consolidationPolicy": "WhenEmpty", "consolidateAfter": "Never"},
			"template": map[string]any{"spec": map[string]any{
				"expireAfter":  "Never",
				"nodeClassRef": map[string]any{"group": kwokClass.Group, "kind": "KWOKNodeClass", "name": "default"},
				"requirements": []any{map[string]any{"key": "karpenter.sh/capacity-type", "operator": "In", "values": []any{"on-demand"}}},
			}},
		}}}
	_, err = p.dynamic.Resource(poolResource).Create(ctx, pool, metav1.CreateOptions{})
	return err
}

// kwokTypes writes the kinds as the kwok provider reads instance types. A unit of size is
// half a CPU and 2 GiB, as with the general families of AWS.
func kwokTypes(m *marginal.Market) ([]byte, error) {
	type requirement struct {
		Key      string   `json:"key"`
		Operator string   `json:"operator"`
		Values   []string `json:"values"`
	}
	type offering struct {
		Price        float64
		Available    bool
		Requirements []requirement
	}
	type kind struct {
		Name             string            `json:"name"`
		Offerings        []offering        `json:"offerings"`
		Architecture     string            `json:"architecture"`
		OperatingSystems []string          `json:"operatingSystems"`
		Resources        map[string]string `json:"resources"`
	}
	var list []kind
	for _, k := range m.Kinds {
		list = append(list, kind{Name: k.Type, Architecture: "amd64", OperatingSystems: []string{k.System},
			Offerings: []offering{{k.OnDemand.Float64(), true, []requirement{
				{"karpenter.sh/capacity-type", "In", []string{"on-demand"}}, {"topology.kubernetes.io/zone", "In", []string{"test-zone-a"}}}}},
			Resources: map[string]string{"cpu": fmt.Sprintf("%dm", 500*k.Units), "memory": fmt.Sprintf("%dGi", 2*k.Units), "pods": "110", "ephemeral-storage": "100Gi"}})
	}
	return json.Marshal(list)
}

// run makes one run.
func (o *launchOptions) run(ctx context.Context, book *marginal.Book, start []int, with bool, stderr io.Writer) (rounds []launchRound, err error) {
	p, err := startKarpenter(ctx, o.servers, book.Market)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, p.stop()) }()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go p.ready(ctx)
	for k, n := range start {
		for i := range n {
			name := fmt.Sprintf("old-%s-%d", book.Kinds[k].Type, i)
			node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{corev1.LabelInstanceTypeStable: book.Kinds[k].Type, corev1.LabelOSStable: book.Kinds[k].System}},
				Spec: corev1.NodeSpec{Unschedulable: true}}
			if _, err := p.Client.CoreV1().Nodes().Create(ctx, node, metav1.CreateOptions{}); err != nil {
				return nil, err
			}
		}
	}
	if with {
		log := io.Discard
		if o.verbose {
			log = stderr
		}
		var kubeconfig string
		if kubeconfig, err = p.authorize(ctx); err != nil {
			return nil, err
		}
		done := make(chan error, 1)
		go func() {
			done <- runOracle(ctx, []string{"-kubeconfig", kubeconfig, "-kinds", o.kinds, "-commitments", o.commitments, "-round", fmt.Sprint(o.round)}, io.Discard, log)
		}()
		defer func() { // before the API server ends
			cancel()
			if e := <-done; err == nil {
				err = e
			}
		}()
		// Where nothing is unused there is no overlay to wait for.
		until(ctx, 10*time.Second, "", func() (bool, error) { n, err := p.overlays(ctx); return n > 0, err })
	}
	rng := rand.New(rand.NewPCG(o.seed, 0))
	before := start
	for r := range o.rounds {
		pods := 1 + rng.IntN(o.pods)
		if err := p.batch(ctx, r, pods); err != nil {
			return nil, err
		}
		running, err := p.settled(ctx, book.Market)
		if err != nil {
			return nil, fmt.Errorf("round %d: %w; Karpenter says: %s", r+1, err, lastLines(p.Log("karpenter")))
		}
		if with { // the oracle answers in a fraction of this
			time.Sleep(time.Second)
		}
		x := launchRound{pods: pods, running: running}
		for k := range running {
			x.nodes += running[k] - before[k]
		}
		before = running
		if x.cost, err = book.Bill(running, time.Now()); err != nil {
			return nil, err
		}
		if x.overlays, err = p.overlays(ctx); err != nil {
			return nil, err
		}
		x.over = book.Beyond(running, time.Now())
		rounds = append(rounds, x)
		fmt.Fprintf(stderr, "launch: round %d: %d pods, %d nodes, $%s an hour, %d overlays\n", r+1, pods, x.nodes, x.cost.Fixed(4), x.overlays)
	}
	return rounds, nil
}

// batch creates pods that wait for nodes.
func (p *launchPlane) batch(ctx context.Context, round, pods int) error {
	for i := range pods {
		pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("batch-%d-%d", round, i), Namespace: "default"},
			Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: "none", Resources: corev1.ResourceRequirements{
				Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("1500m"), corev1.ResourceMemory: resource.MustParse("4Gi")}}}}}}
		if _, err := p.Client.CoreV1().Pods("default").Create(ctx, pod, metav1.CreateOptions{}); err != nil {
			return err
		}
	}
	return nil
}

// settled waits until all pods have nodes, and counts the nodes.
func (p *launchPlane) settled(ctx context.Context, m *marginal.Market) ([]int, error) {
	if err := until(ctx, 90*time.Second, "pods have no node", func() (bool, error) {
		list, err := p.Client.CoreV1().Pods("default").List(ctx, metav1.ListOptions{FieldSelector: "spec.nodeName="})
		return err == nil && len(list.Items) == 0, err
	}); err != nil {
		return nil, err
	}
	running, _, err := overlay.CountOnce(ctx, p.Client, p.dynamic, m)
	return running, err
}

func (p *launchPlane) overlays(ctx context.Context) (int, error) {
	list, err := p.dynamic.Resource(overlay.NodeOverlays).List(ctx, metav1.ListOptions{})
	if err != nil {
		return 0, err
	}
	return len(list.Items), nil
}

// ready takes the taint of nodes that are not ready away, which a controller manager does
// elsewhere.
func (p *launchPlane) ready(ctx context.Context) {
	for ctx.Err() == nil {
		list, err := p.Client.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
		if err == nil {
			for i := range list.Items {
				n := &list.Items[i]
				ready := slices.ContainsFunc(n.Status.Conditions, func(c corev1.NodeCondition) bool {
					return c.Type == corev1.NodeReady && c.Status == corev1.ConditionTrue
				})
				is := func(t corev1.Taint) bool { return t.Key == corev1.TaintNodeNotReady }
				if ready && slices.ContainsFunc(n.Spec.Taints, is) {
					n.Spec.Taints = slices.DeleteFunc(n.Spec.Taints, is)
					p.Client.CoreV1().Nodes().Update(ctx, n, metav1.UpdateOptions{}) // else at the next turn
				}
			}
		}
		time.Sleep(200 * time.Millisecond)
	}
}

// until asks until the answer is yes.
func until(ctx context.Context, limit time.Duration, what string, yes func() (bool, error)) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	for {
		ok, err := yes()
		if ok && err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			if err != nil {
				return err
			}
			return fmt.Errorf("after %v %s", limit, what)
		case <-time.After(100 * time.Millisecond):
		}
	}
}

func lastLines(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.Join(lines[max(0, len(lines)-3):], " | ")
}

// loopbackPort returns a port that is free now.
func loopbackPort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}
