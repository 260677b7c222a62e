package overlay

import (
	"fmt"
	"hash/fnv"
	"maps"
	"reflect"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/reserve/marginal"
)

// NodeOverlays is the resource of Karpenter that changes the price of instance types.
var NodeOverlays = schema.GroupVersionResource{Group: "karpenter.sh", Version: "v1alpha1", Resource: "nodeoverlays"}

// NodeClaims is the resource of Karpenter that asks for an instance.
var NodeClaims = schema.GroupVersionResource{Group: "karpenter.sh", Version: "v1", Resource: "nodeclaims"}

const (
	// OwnerLabel marks the objects of a controller. Its value is the controller's name.
	OwnerLabel = "plimsoll.dev/oracle"
	// WhyAnnotation says in words why a kind is cheap now, and RoomAnnotation for how many
	// more instances.
	WhyAnnotation  = "plimsoll.dev/why"
	RoomAnnotation = "plimsoll.dev/room"
	ListAnnotation = "plimsoll.dev/on-demand"
)

// A Style says how overlays are written.
type Style struct {
	Name   string // of the controller, the value of OwnerLabel
	Weight int    // of the overlays, 1 to 10000: the greater wins over overlays of others
	// Floor is the least price, in hundredths of the price on demand. Among kinds that cost
	// nothing more, it makes the smaller one the cheaper.
	Floor   int
	Require []Requirement // beside those of the kind
}

// A Requirement is what a launch must have for an overlay to apply to it: one of Values.
type Requirement struct {
	Key    string
	Values []string
}

// price is the price that is published.
func (s *Style) price(q *marginal.Quote) pricing.Money {
	return max(q.Price, q.List/100*pricing.Money(s.Floor))
}

// overlay returns the object for a quote; nil if the kind costs what it costs on demand.
// The requirements keep the price off spot instances, for which no commitment pays.
func (s *Style) overlay(m *marginal.Market, q *marginal.Quote) *unstructured.Unstructured {
	price := s.price(q)
	if q.Room == 0 || price >= q.List {
		return nil
	}
	k := &m.Kinds[q.Kind]
	var requirements []any
	for _, r := range append([]Requirement{{typeLabel, []string{k.Type}}, {capacityLabel, []string{"on-demand"}}, {systemLabel, []string{k.System}}},
		s.Require...) {
		values := make([]any, len(r.Values))
		for i, v := range r.Values {
			values[i] = v
		}
		requirements = append(requirements, map[string]any{"key": r.Key, "operator": "In", "values": values})
	}
	room := fmt.Sprint(q.Room)
	if q.Room == marginal.MaxRoom {
		room += " or more"
	}
	u := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": NodeOverlays.GroupVersion().String(),
		"kind":       "NodeOverlay",
		"metadata": map[string]any{
			"name":        s.objectName(k),
			"labels":      map[string]any{OwnerLabel: s.Name, "app.kubernetes.io/managed-by": "plimsoll"},
			"annotations": map[string]any{WhyAnnotation: q.Why, RoomAnnotation: room, ListAnnotation: q.List.String()},
		},
		"spec": map[string]any{"price": price.String(), "weight": int64(s.Weight), "requirements": requirements},
	}}
	return u
}

// objectName is a name that the API server takes. Types that differ in what a name cannot
// have get different hashes.
func (s *Style) objectName(k *marginal.Kind) string {
	full := s.Name + "/" + k.System + "/" + k.Type
	h := fnv.New32a()
	h.Write([]byte(full))
	clean := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '-', r == '.':
			return r
		case r >= 'A' && r <= 'Z':
			return r - 'A' + 'a'
		}
		return '-'
	}, s.Name+"-"+k.Type)
	clean = strings.NewReplacer("..", ".", ".-", "-", "-.", "-").Replace(clean)
	return fmt.Sprintf("%s-%08x", strings.Trim(clean[:min(len(clean), 200)], "-."), h.Sum32())
}

// same reports whether the object in the cluster is as the wanted one.
func same(is, want *unstructured.Unstructured) bool {
	spec := func(u *unstructured.Unstructured) any { return u.Object["spec"] }
	return reflect.DeepEqual(spec(is), spec(want)) && covers(is.GetAnnotations(), want.GetAnnotations()) && covers(is.GetLabels(), want.GetLabels())
}

// covers reports whether is has all that want has. Others may annotate an object too.
func covers(is, want map[string]string) bool {
	for name, value := range want {
		if is[name] != value {
			return false
		}
	}
	return true
}

// updated is the wanted object in the place of the one that is there.
func updated(is, want *unstructured.Unstructured) *unstructured.Unstructured {
	u := is.DeepCopy()
	u.Object["spec"] = want.Object["spec"]
	annotations, labels := u.GetAnnotations(), u.GetLabels()
	if annotations == nil {
		annotations = map[string]string{}
	}
	if labels == nil {
		labels = map[string]string{}
	}
	maps.Copy(annotations, want.GetAnnotations())
	maps.Copy(labels, want.GetLabels())
	u.SetAnnotations(annotations)
	u.SetLabels(labels)
	return u
}
