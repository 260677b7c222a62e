package svgplot

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/programtest"
	"github.com/plimsoll/plimsoll/examples/internal/steps"
)

// A picture of nine layers, with 200,000 changes and purchases each, is well
// formed and below 1 MB, with panels of all the time only and with a window.
func TestWriteStack(t *testing.T) {
	const n = 200_000
	for _, gap := range []time.Duration{time.Second, time.Hour} {
		random := rand.New(rand.NewPCG(1, 2))
		s := Stack{Title: "a < b & c\x00", To: n * gap, Layers: make([]Layer, 9)}
		for i := range n {
			at, served := time.Duration(i)*gap, 0
			for k := range s.Layers {
				served += random.IntN(50)
				s.Layers[k].Name = fmt.Sprintf("<%d>", k)
				s.Layers[k].Points = append(s.Layers[k].Points, steps.Point{At: at, Value: served})
			}
			s.Demand = append(s.Demand, steps.Point{At: at, Value: served + random.IntN(50)})
			s.Reserved = append(s.Reserved, steps.Point{At: at, Value: served + random.IntN(20)})
			s.Marks = append(s.Marks, Mark{at, random.IntN(9), 1 + random.IntN(9)})
		}
		var b bytes.Buffer
		if err := WriteStack(&b, s); err != nil {
			t.Fatal(err)
		}
		if b.Len() > 1_000_000 {
			t.Errorf("%v: %d bytes", s.To, b.Len())
		}
		programtest.WellFormed(t, b.String())
	}
}
