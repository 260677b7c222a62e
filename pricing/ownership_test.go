package pricing

import (
	"math"
	"testing"
	"time"
)

// Table 3 of [Niu16] has lines that sum to its total for 93 nodes. The other sizes are by hand.
func TestNiu16Cluster(t *testing.T) {
	const lifetime = 3 * Year
	// 117 nodes: ⌈3·117/93⌉ = 4 and ⌈8·117/93⌉ = 11 switches, 122 fibre cards.
	hosting, _ := (3 * 15251 * Unit).Prorate(117, 93, HalfEven)
	for _, c := range []struct {
		name  string
		nodes int
		span  time.Duration
		want  Money
	}{
		{"printed total", 93, lifetime, 1_108_583 * Unit},
		{"lines of the table", 93, lifetime, (93*7749 + 93*612 + 3*9172 + 5*7749 + 10*6399 + 98*1043 + 8*6599 + 3*15251) * Unit},
		// Twice the nodes: everything twice but five I/O nodes, their cards and ten disk arrays.
		{"186 nodes", 186, lifetime, (2*1_108_583 - 5*7749 - 5*1043 - 10*6399) * Unit},
		{"117 nodes", 117, lifetime, (117*(7749+612)+4*9172+5*7749+10*6399+122*1043+11*6599)*Unit + hosting},
		// 391 of 1095 days, the log of the paper's evaluation.
		{"391 days", 93, 391 * 24 * time.Hour, 395_850_185_388_128 * Nano},
		{"no time", 93, 0, 0},
		{"two lifetimes", 93, 2 * lifetime, 2_217_166 * Unit},
	} {
		if got, err := Niu16Cluster(c.nodes, c.span); got != c.want || err != nil {
			t.Errorf("%s: %v, %v, want %v", c.name, got, err, c.want)
		}
	}
	if _, err := Niu16Cluster(93, math.MaxInt64); err != nil {
		t.Errorf("292 years: %v", err)
	}
	for _, nodes := range []int{math.MaxInt32, math.MaxInt} {
		_, err := Niu16Cluster(nodes, 0)
		wantError(t, err, "nodes", -1, ErrOverflow)
	}
}
