package sim

import (
	"errors"
	"math"
	"testing"
)

// A local cluster whose node-hours no number holds is refused.
func TestHugeLocalCluster(t *testing.T) {
	if math.MaxInt == math.MaxInt32 {
		t.Skip("an int of 32 bits holds no such size")
	}
	n := int64(1) << 52
	for _, nodes := range []int{int(n), int(n << 8)} {
		var s Simulator
		if _, err := s.Run(nil, Options{Mode: Local, Nodes: nodes}); !errors.Is(err, ErrTooLarge) {
			t.Errorf("%d nodes: %v", nodes, err)
		}
	}
}
