//go:build unix

package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"sigs.k8s.io/yaml"

	"github.com/plimsoll/plimsoll/examples/services/kubernetes/internal/overlay"
)

var (
	podResource    = schema.GroupVersionResource{Version: "v1", Resource: "pods"}
	secretResource = schema.GroupVersionResource{Version: "v1", Resource: "secrets"}
)

const oracleUser = "system:serviceaccount:plimsoll:oracle"

// install installs Karpenter's definitions, which stand in a folder, and the rights of deploy/oracle.yaml.
func install(t *testing.T, ctx context.Context, admin dynamic.Interface, crds []string) {
	t.Helper()
	manifest, err := os.ReadFile("deploy/oracle.yaml")
	if err != nil {
		t.Fatal(err)
	}
	texts := strings.Split(string(manifest), "\n---\n")
	for _, file := range crds {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, string(text))
	}
	resources := map[string]string{"ClusterRole": "clusterroles", "ClusterRoleBinding": "clusterrolebindings",
		"ValidatingAdmissionPolicy": "validatingadmissionpolicies", "ValidatingAdmissionPolicyBinding": "validatingadmissionpolicybindings",
		"CustomResourceDefinition": "customresourcedefinitions"}
	for _, text := range texts {
		u := &unstructured.Unstructured{}
		if err := yaml.Unmarshal([]byte(text), &u.Object); err != nil {
			t.Fatal(err)
		}
		name, ok := resources[u.GetKind()]
		if !ok {
			continue // no pod runs here
		}
		if _, err := admin.Resource(u.GroupVersionKind().GroupVersion().WithResource(name)).Create(ctx, u, metav1.CreateOptions{}); err != nil {
			t.Fatalf("%s: %v", u.GetKind(), err)
		}
	}
	for _, r := range []schema.GroupVersionResource{overlay.NodeOverlays, overlay.NodeClaims} {
		soon(t, ctx, "the API server serves no "+r.Resource, func() bool {
			_, err := admin.Resource(r).List(ctx, metav1.ListOptions{})
			return err == nil
		})
	}
}

// soon asks until the answer is yes.
func soon(t *testing.T, ctx context.Context, what string, yes func() bool) {
	t.Helper()
	for !yes() {
		select {
		case <-ctx.Done():
			t.Fatal(what)
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// The rights of the manifest let the oracle keep its own overlays and no others: on a real
// API server with the definitions of Karpenter.
func TestRights(t *testing.T) {
	crds, err := filepath.Glob(filepath.Join(os.Getenv("PLIMSOLL_SERVERS"), "crds", "karpenter.sh_*.yaml"))
	if err != nil || len(crds) == 0 {
		t.Skip("PLIMSOLL_SERVERS names no folder with the definitions of Karpenter: ORACLE.md says how to get them")
	}
	plane := startPlane(t)
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	admin, err := dynamic.NewForConfig(plane.Config)
	if err != nil {
		t.Fatal(err)
	}
	install(t, ctx, admin, crds)
	config := *plane.Config
	config.Impersonate.UserName = oracleUser
	own, err := dynamic.NewForConfig(&config)
	if err != nil {
		t.Fatal(err)
	}
	object := func(name string, labels map[string]string) *unstructured.Unstructured {
		u := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "karpenter.sh/v1alpha1", "kind": "NodeOverlay", "metadata": map[string]any{"name": name},
			"spec": map[string]any{"price": "0.5", "weight": int64(100),
				"requirements": []any{map[string]any{"key": "node.kubernetes.io/instance-type", "operator": "In", "values": []any{"x"}}}}}}
		u.SetLabels(labels)
		return u
	}
	mine := map[string]string{overlay.OwnerLabel: "plimsoll"}
	overlays := own.Resource(overlay.NodeOverlays)
	if _, err := admin.Resource(overlay.NodeOverlays).Create(ctx, object("foreign", nil), metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	// Rights and the policy take a moment to be in force.
	soon(t, ctx, "the policy is not in force", func() bool {
		_, err := overlays.Create(ctx, object("unmarked", nil), metav1.CreateOptions{})
		if err == nil {
			admin.Resource(overlay.NodeOverlays).Delete(ctx, "unmarked", metav1.DeleteOptions{})
		}
		return err != nil && strings.Contains(err.Error(), "with its label only")
	})
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
	checkRights(t, ctx, &config, map[string][]string{"nodes": {"list", "watch"}, "karpenter.sh/nodeclaims": {"list", "watch"},
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
