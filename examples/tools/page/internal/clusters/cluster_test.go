package clusters

import (
	"testing"

	"github.com/plimsoll/plimsoll/schedule/sim"
)

// The autoscaler, asked again at each growth of the made-up day, wants what the simulation did.
func TestExplain(t *testing.T) {
	jobs, err := madeUp()
	if err != nil {
		t.Fatal(err)
	}
	a, err := cluster(&clusterQuestion{Jobs: listed(jobs), Mode: sim.SEC, WaitLimit: "5"})
	if err != nil {
		t.Fatal(err)
	}
	wrong := 0
	for _, g := range a.Grows {
		if g.Wanted != g.By {
			wrong++
			t.Logf("%+v", g)
		}
	}
	t.Logf("%d jobs, %d growths, %d differ, cost %v, wait %v, peak %d", len(jobs), len(a.Grows), wrong, a.Cost, a.Wait, a.Peak)
	if len(a.Grows) < 5 || wrong > 0 {
		t.Errorf("of %d growths %d differ from what the autoscaler wants", len(a.Grows), wrong)
	}
}
