package treelp

import (
	"fmt"
	"os"
	"runtime"
	"testing"
	"time"
)

func TestBig(t *testing.T) {
	for _, f := range []string{"/tmp/tree/big.csv", "/tmp/tree/big2.csv"} {
		for _, three := range []bool{false, true} {
			if _, err := os.Stat(f); err != nil {
				t.Skip()
			}
			p := readTree(t, f)
			p.Price = 840
			p.Classes = []Class{{52, 26250}}
			if three {
				p.Classes = []Class{{13, 9009}, {52, 26250}, {156, 53750}}
			}
			var s Solver
			t0 := time.Now()
			s.Solve(p)
			t1 := time.Since(t0)
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			fmt.Printf("%s %d %v %v %+v %d MB odd %d terms %d rows %d cap %d\n", f, s.n, three, t1, s.Stats, m.Sys>>20, s.odd, len(s.terms), len(s.rows), cap(s.terms))
		}
	}
}
