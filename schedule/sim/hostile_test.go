package sim

import (
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/schedule/trace"
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

// A cloud that never grants anything is an error after four million requests, not after
// those of 292 years.
func TestCloudThatAlwaysRefuses(t *testing.T) {
	asked := 0
	never := func(time.Duration, int) (time.Duration, bool) { asked++; return 0, false }
	_, err := new(Simulator).Run([]trace.Job{{ID: 1, Run: time.Hour, Estimate: time.Hour, Nodes: 1}}, Options{Clouds: []Cloud{{Name: "shut", Ask: never}}})
	var in *InputError
	if !errors.As(err, &in) || !errors.Is(err, ErrRange) || !strings.Contains(err.Error(), `"shut" has refused`) {
		t.Errorf("error %v, want that the cloud refuses", err)
	}
	if asked > 2*maxVain {
		t.Errorf("asked %d times", asked)
	}
	// One that grants in the end is waited for.
	asked = 0
	late := func(time.Duration, int) (time.Duration, bool) { asked++; return 0, asked > 1<<20 }
	r, err := new(Simulator).Run([]trace.Job{{ID: 1, Run: time.Hour, Estimate: time.Hour, Nodes: 1}}, Options{Clouds: []Cloud{{Name: "late", Ask: late}}})
	if err != nil || r.Clouds[0].Refused != 1<<20 {
		t.Errorf("%v, %+v", err, r.Clouds)
	}
}
