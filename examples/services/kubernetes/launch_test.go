//go:build unix

package main

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/plimsoll/plimsoll/examples/internal/infile"
	"github.com/plimsoll/plimsoll/examples/services/kubernetes/internal/control"
	"github.com/plimsoll/plimsoll/examples/services/kubernetes/internal/oracle"
	"github.com/plimsoll/plimsoll/examples/services/kubernetes/internal/overlay"
)

var (
	podResource    = schema.GroupVersionResource{Version: "v1", Resource: "pods"}
	secretResource = schema.GroupVersionResource{Version: "v1", Resource: "secrets"}
)

// The rights of the manifest let the oracle keep its own overlays and no others: on a real
// API server with the definitions of Karpenter.
func TestRights(t *testing.T) {
	servers := os.Getenv("PLIMSOLL_SERVERS")
	if servers == "" {
		t.Skip("PLIMSOLL_SERVERS names no folder of servers: ORACLE.md says how to get them")
	}
	m, err := infile.Read("-kinds", "testdata/oracle/kinds.json", oracle.ReadKinds)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	p, err := startKarpenter(ctx, servers, m)
	if errors.Is(err, control.ErrAbsent) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer p.stop()
	kubeconfig, err := p.authorize(ctx)
	if err != nil {
		t.Fatal(err)
	}
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	own, err := dynamic.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	object := func(name string, labels map[string]string) *unstructured.Unstructured {
		u := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "karpenter.sh/v1alpha1", "kind": "NodeOverlay", "metadata": map[string]any{"name": name},
			"spec": map[string]any{"price": "0.5", "weight": int64(100), "requirements": []any{map[string]any{"key": "node.kubernetes.io/instance-type", "operator": "In", "values": []any{"x"}}}}}}
		u.SetLabels(labels)
		return u
	}
	mine := map[string]string{overlay.OwnerLabel: "plimsoll"}
	overlays := own.Resource(overlay.NodeOverlays)
	if _, err := p.dynamic.Resource(overlay.NodeOverlays).Create(ctx, object("foreign", nil), metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	// Rights and the policy take a moment to be in force.
	if err := until(ctx, 30*time.Second, "the policy is not in force", func() (bool, error) {
		_, err := overlays.Create(ctx, object("unmarked", nil), metav1.CreateOptions{})
		if err == nil {
			p.dynamic.Resource(overlay.NodeOverlays).Delete(ctx, "unmarked", metav1.DeleteOptions{})
		}
		return err != nil && strings.Contains(err.Error(), "with its label only"), nil
	}); err != nil {
		t.Fatal(err)
	}
	if err := overlays.Delete(ctx, "foreign", metav1.DeleteOptions{}); err == nil || !strings.Contains(err.Error(), "changes objects with its label only") {
		t.Errorf("deleting an overlay of somebody else: %v", err)
	}
	if _, err := overlays.Create(ctx, object("own", mine), metav1.CreateOptions{}); err != nil {
		t.Errorf("creating an own overlay: %v", err)
	}
	bad := object("bad", mine)
	unstructured.SetNestedField(bad.Object, "-1", "spec", "price")
	if _, err := overlays.Create(ctx, bad, metav1.CreateOptions{}); !apierrors.IsInvalid(err) {
		t.Errorf("a price that Karpenter's definition refuses: %v", err)
	}
	if err := overlays.Delete(ctx, "own", metav1.DeleteOptions{}); err != nil {
		t.Errorf("deleting an own overlay: %v", err)
	}
	checkRights(t, ctx, config, map[string][]string{"nodes": {"list", "watch"}, "karpenter.sh/nodeclaims": {"list", "watch"},
		"karpenter.sh/nodeoverlays": {"list", "create", "update", "delete"}})
	for what, err := range map[string]error{
		"pods":    func() error { _, err := own.Resource(podResource).List(ctx, metav1.ListOptions{}); return err }(),
		"secrets": func() error { _, err := own.Resource(secretResource).List(ctx, metav1.ListOptions{}); return err }(),
	} {
		if !apierrors.IsForbidden(err) {
			t.Errorf("listing %s: %v, want it to be forbidden", what, err)
		}
	}
}

// Mistakes in flags and files are the user's, in one sentence.
func TestOracleMistakes(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		path := dir + "/" + name
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	const kinds, held = "testdata/oracle/kinds.json", "testdata/oracle/commitments.json"
	ok := []string{"-kinds", kinds, "-commitments", held}
	with := func(args ...string) []string { return append(ok[:len(ok):len(ok)], args...) }
	print := func(kinds, held string) []string {
		return []string{"-kinds", kinds, "-commitments", held, "-print", "-running", "m5.large=1"}
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{nil, "want both files"},
		{with("-running", "m5.large=1"), "-running without -print: want both"},
		{with("-print", "-running", "m5.huge=1"), "want a type of -kinds and a number"},
		{with("-expander", ":8443"), "want both beyond loopback"},
		{with("-expander", "8443"), "want an address such as :8443"},
		{with("-cert", "x"), "want both, or neither"},
		{with("-plan", "1h"), "want at least the 24 hours of -hours"},
		{with("-name", "UPPER"), "want a value of a label"},
		{with("-require", "x"), "want a label and its values"},
		{with("-model", "oracle-of-delphi"), "want one of"},
		{with("-floor", "100"), "0 to 99"},
		{print(file("k1", `{}`), held), "want an array of objects"},
		{print(file("k2", `[{"type": "a", "on_demand": 0}]`), held), "want a price above 0"},
		{print(file("k3", `[{"type": "a", "on_demand": 1}, {"type": "a", "on_demand": 1}]`), held), "want each once"},
		{print(kinds, file("c1", `[{"id": "x", "type": "m5.large", "units": 1, "expires": "soon"}]`)), "want a day such as 2027-03-01"},
		{print(kinds, file("c2", `[{"id": "x", "type": "m5.large", "units": 1, "expires": "2099-01-01", "zone": "a"}]`)), "zone"},
		{print(kinds, file("c3", `[{"id": "x", "type": "m5.large", "plan": "p", "expires": "2099-01-01"}]`)), "want one of the two"},
		{print(kinds, file("c4", `[{"id": "x", "region": "a", "type": "m5.large", "units": 1, "expires": "2099-01-01"}, {"id": "y", "region": "b", "type": "m5.large", "units": 1, "expires": "2099-01-01"}]`)), "want -region"},
	} {
		var out, errs strings.Builder
		status := run(context.Background(), append([]string{"oracle"}, c.args...), &out, &errs)
		if text := errs.String(); status != 2 || !strings.Contains(text, c.want) || strings.Count(strings.TrimSpace(text), "\n") > 0 {
			t.Errorf("%v: status %d, %q; want 2 and %q", c.args, status, text, c.want)
		}
	}
	var out, errs strings.Builder
	if status := run(context.Background(), append([]string{"oracle"}, print(kinds, held)...), &out, &errs); status != 0 || !strings.Contains(out.String(), "reservation ri-web: 156 of 160 units unused") {
		t.Errorf("status %d: %s%s", status, &out, &errs)
	}
}
