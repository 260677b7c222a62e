package overlay

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"

	"github.com/plimsoll/plimsoll/reserve/marginal"
)

// A Fleet is the instances of a cluster that run on demand, or on what is committed.
type Fleet struct {
	Running []int          // by kind of the market
	Unknown map[string]int // instances of types that are not among the kinds
	Spot    int            // spot instances, for which no commitment pays
	Listed  int            // claims that name several types; each counts as the largest of each family
	Waiting int            // claims that name no type yet, and count for nothing
}

const (
	typeLabel     = corev1.LabelInstanceTypeStable
	systemLabel   = corev1.LabelOSStable
	capacityLabel = "karpenter.sh/capacity-type"
)

// spotLabels are how autoscalers and clouds mark spot instances.
var spotLabels = map[string]string{
	capacityLabel:                           "spot",
	"eks.amazonaws.com/capacityType":        "spot",
	"cloud.google.com/gke-spot":             "true",
	"cloud.google.com/gke-preemptible":      "true",
	"kubernetes.azure.com/scalesetpriority": "spot",
}

// Spot reports whether the labels are those of a spot instance.
func Spot(labels map[string]string) bool {
	for name, value := range spotLabels {
		if strings.EqualFold(labels[name], value) {
			return true
		}
	}
	return false
}

// KindOf returns the type of instance and the operating system that the labels of a node
// name; "" is no type.
func KindOf(labels map[string]string) (kind, system string) {
	return cmp.Or(labels[typeLabel], labels[corev1.LabelInstanceType]), cmp.Or(labels[systemLabel], "linux")
}

// Count counts nodes, and NodeClaims of Karpenter whose node is not there yet. A node that
// is being deleted runs until it is gone.
func Count(m *marginal.Market, nodes []*corev1.Node, claims []*unstructured.Unstructured) Fleet {
	f := Fleet{Running: make([]int, len(m.Kinds)), Unknown: map[string]int{}}
	there := map[string]bool{}
	add := func(labels map[string]string) {
		kind, system := KindOf(labels)
		k, known := m.Find(kind, system)
		switch {
		case Spot(labels):
			f.Spot++
		case known:
			f.Running[k]++
		default:
			f.Unknown[cmp.Or(kind, "no type")]++
		}
	}
	for _, n := range nodes {
		if n.Spec.ProviderID != "" {
			there[n.Spec.ProviderID] = true
		}
		add(n.Labels)
	}
	for _, c := range claims {
		id, _, _ := unstructured.NestedString(c.Object, "status", "providerID")
		switch labels := c.GetLabels(); {
		case id != "" && there[id]:
		case labels[typeLabel] != "":
			add(labels)
		default:
			f.addClaim(m, c)
		}
	}
	return f
}

// addClaim counts a claim that Karpenter has not launched. The claim lists the types that
// Karpenter chooses from. If there are several, the claim counts once for each commitment
// that it may take from, so that prices are too dear for a moment rather than too cheap.
func (f *Fleet) addClaim(m *marginal.Market, claim *unstructured.Unstructured) {
	labels := claim.GetLabels()
	types := in(claim, typeLabel, labels)
	capacity := in(claim, capacityLabel, labels)
	kinds := m.Largest(types, cmp.Or(append(in(claim, systemLabel, labels), "linux")...))
	switch {
	case len(types) == 0:
		f.Waiting++
	case Spot(labels) || len(capacity) == 1 && capacity[0] == "spot":
		f.Spot++
	case len(kinds) == 0:
		f.Unknown[types[0]]++
	default:
		for _, k := range kinds {
			f.Running[k]++
		}
		if len(types) > 1 {
			f.Listed++
		}
	}
}

// in returns the values that a claim allows for a key: of its label, or of the first
// requirement with the operator In.
func in(claim *unstructured.Unstructured, key string, labels map[string]string) (values []string) {
	if labels[key] != "" {
		return []string{labels[key]}
	}
	list, _, _ := unstructured.NestedSlice(claim.Object, "spec", "requirements")
	for _, o := range list {
		requirement, _ := o.(map[string]any)
		if requirement["key"] == key && requirement["operator"] == "In" {
			values, _, _ = unstructured.NestedStringSlice(requirement, "values")
			return values
		}
	}
	return nil
}

// unknown lists the unknown types for a log line.
func (f *Fleet) unknown() string {
	var parts []string
	for _, kind := range slices.Sorted(maps.Keys(f.Unknown)) {
		if len(parts) == 5 {
			parts = append(parts, "and others")
			break
		}
		parts = append(parts, kind+" ("+strconv.Itoa(f.Unknown[kind])+")")
	}
	return strings.Join(parts, ", ")
}

// CountOnce counts the instances of a cluster without a controller. The notes are what does
// not count.
func CountOnce(ctx context.Context, kube kubernetes.Interface, claims dynamic.Interface, m *marginal.Market) (running []int, notes []string, err error) {
	list, err := kube.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, nil, err
	}
	nodes := make([]*corev1.Node, len(list.Items))
	for i := range list.Items {
		nodes[i] = &list.Items[i]
	}
	var open []*unstructured.Unstructured
	found, err := claims.Resource(NodeClaims).List(ctx, metav1.ListOptions{})
	switch {
	case apierrors.IsNotFound(err): // a cluster without Karpenter
	case err != nil:
		return nil, nil, err
	default:
		for i := range found.Items {
			open = append(open, &found.Items[i])
		}
	}
	f := Count(m, nodes, open)
	if len(f.Unknown) > 0 {
		notes = append(notes, unknownNote+f.unknown())
	}
	return f.Running, notes, nil
}

const unknownNote = "instances of types that are not among the kinds count for nothing: "
