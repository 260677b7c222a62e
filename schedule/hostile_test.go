package schedule

import (
	"math"
	"strings"
	"testing"
	"time"
)

// Before its first Reset a scheduler has no node.
func TestFreeOfNothing(t *testing.T) {
	for _, s := range []interface{ Free() int }{new(Conservative), new(EASY), new(FCFS)} {
		if n := s.Free(); n != 0 {
			t.Errorf("%T: %d nodes are free of none", s, n)
		}
	}
}

// Sums of nodes stop at the greatest int, or say that they are beyond it.
func TestNodesBeyondInt(t *testing.T) {
	for name, s := range map[string]Scheduler{"easy": new(EASY), "fcfs": new(FCFS), "conservative": new(Conservative)} {
		huge := Job{ID: 1, Estimate: time.Hour, Nodes: math.MaxInt}
		for what, f := range map[string]func(){
			"add":    func() { s.Reset(1); s.AddNodes(math.MaxInt, 0) },
			"submit": func() { s.Reset(1); s.Submit(huge); s.Submit(huge) },
		} {
			func() {
				defer func() {
					if m, _ := recover().(string); !strings.Contains(m, "int can count") {
						t.Errorf("%s, %s: panic %q", name, what, m)
					}
				}()
				f()
			}()
		}
		s.Reset(1)
		s.AddNodes(math.MaxInt-1, 0)
		if n := s.Nodes(); n != math.MaxInt {
			t.Errorf("%s: %d nodes", name, n)
		}
	}
	b := newBacklog([]Job{{Nodes: math.MaxInt, Estimate: 2}, {Nodes: math.MaxInt, Estimate: 2}, {Nodes: 5, Estimate: 1}}, 1)
	for _, e := range []Expansion{SumSize, BestSize} {
		if n := e.nodes(b); n != math.MaxInt {
			t.Errorf("%v: %d nodes", e, n)
		}
	}
}
