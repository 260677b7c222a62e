package cluster

import (
	"testing"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// Whatever pods say that they request, the sum for a node's does not wrap around.
func TestAmountsDoNotWrap(t *testing.T) {
	v := &view{dims: []v1.ResourceName{v1.ResourceCPU, v1.ResourceMemory}}
	huge := amountsOf(v1.ResourceList{v1.ResourceCPU: resource.MustParse("9e18"), v1.ResourceMemory: resource.MustParse("8Ei")})
	room := v.frees()
	v.add(room, amountsOf(v1.ResourceList{v1.ResourceCPU: resource.MustParse("4"), v1.ResourceMemory: resource.MustParse("1Gi")}), 1)
	for n := range 4000 {
		if v.add(room, huge, -1); room[0] >= 0 || room[1] >= 0 {
			t.Fatalf("after %d pods there is room for %v", n+1, room)
		}
	}
}
