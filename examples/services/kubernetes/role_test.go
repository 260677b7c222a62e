//go:build unix

package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	v1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/yaml"
)

// applyFile creates the objects of a manifest, and the namespace.
func applyFile(ctx context.Context, plane *controlPlane, name string) error {
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	namespace := &v1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "plimsoll"}}
	if _, err := plane.Client.CoreV1().Namespaces().Create(ctx, namespace, metav1.CreateOptions{}); err != nil {
		return err
	}
	for _, doc := range strings.Split(string(text), "\n---\n") {
		var kind metav1.TypeMeta
		if err := yaml.Unmarshal([]byte(doc), &kind); err != nil {
			return err
		}
		opts := metav1.CreateOptions{FieldValidation: "Strict"}
		switch kind.Kind {
		case "ServiceAccount":
			var o v1.ServiceAccount
			if err = yaml.UnmarshalStrict([]byte(doc), &o); err == nil {
				_, err = plane.Client.CoreV1().ServiceAccounts(o.Namespace).Create(ctx, &o, opts)
			}
		case "ClusterRole":
			var o rbacv1.ClusterRole
			if err = yaml.UnmarshalStrict([]byte(doc), &o); err == nil {
				_, err = plane.Client.RbacV1().ClusterRoles().Create(ctx, &o, opts)
			}
		case "ClusterRoleBinding":
			var o rbacv1.ClusterRoleBinding
			if err = yaml.UnmarshalStrict([]byte(doc), &o); err == nil {
				_, err = plane.Client.RbacV1().ClusterRoleBindings().Create(ctx, &o, opts)
			}
		case "DaemonSet":
			var o appsv1.DaemonSet
			if err = yaml.UnmarshalStrict([]byte(doc), &o); err == nil {
				_, err = plane.Client.AppsV1().DaemonSets(o.Namespace).Create(ctx, &o, opts)
			}
		default:
			err = fmt.Errorf("kind %q", kind.Kind)
		}
		if err != nil {
			return fmt.Errorf("%s, %s: %w", name, kind.Kind, err)
		}
	}
	return nil
}

// mayI asks the API server whether a user may do something.
func mayI(ctx context.Context, config *rest.Config, verb, group, resource string) (bool, error) {
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return false, err
	}
	resource, sub, _ := strings.Cut(resource, "/")
	review := &authorizationv1.SelfSubjectAccessReview{Spec: authorizationv1.SelfSubjectAccessReviewSpec{
		ResourceAttributes: &authorizationv1.ResourceAttributes{Verb: verb, Group: group, Resource: resource, Subresource: sub}}}
	review, err = client.AuthorizationV1().SelfSubjectAccessReviews().Create(ctx, review, metav1.CreateOptions{})
	if err != nil {
		return false, err
	}
	return review.Status.Allowed, nil
}

// checkRights asks for each verb of many resources, and of all, whether a user may do it, and
// fails unless the user may do what is wanted, by group and resource, and nothing else.
func checkRights(t *testing.T, ctx context.Context, config *rest.Config, want map[string][]string) {
	t.Helper()
	checked, allowed := 0, 0
	for _, name := range []string{"pods", "pods/eviction", "pods/binding", "pods/status", "pods/exec", "nodes", "nodes/status", "nodes/proxy",
		"policy/poddisruptionbudgets", "policy/poddisruptionbudgets/status", "secrets", "configmaps", "serviceaccounts/token", "events",
		"apps/daemonsets", "apps/deployments", "rbac.authorization.k8s.io/clusterroles", "rbac.authorization.k8s.io/clusterrolebindings",
		"karpenter.sh/nodeclaims", "karpenter.sh/nodepools", "karpenter.sh/nodeoverlays", "karpenter.sh/nodeoverlays/status", "*/*"} {
		group, resource, ok := strings.Cut(name, "/")
		if !ok || group == "pods" || group == "nodes" || group == "serviceaccounts" { // the core group
			group, resource = "", name
		}
		for _, verb := range []string{"get", "list", "watch", "create", "update", "patch", "delete", "deletecollection", "impersonate", "*"} {
			got, err := mayI(ctx, config, verb, group, resource)
			if err != nil {
				t.Fatal(err)
			}
			if got != slices.Contains(want[name], verb) {
				t.Errorf("%s %s: allowed %v, want %v", verb, name, got, !got)
			}
			checked++
			if got {
				allowed++
			}
		}
	}
	t.Logf("%d of %d verbs and resources allowed", allowed, checked)
}
