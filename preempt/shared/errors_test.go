package shared

import (
	"errors"
	"testing"

	"github.com/plimsoll/plimsoll/internal/inputerr"
)

// What no problem can be is an InputError, and the text says what would be right.
func TestInputErrors(t *testing.T) {
	for _, c := range []struct {
		name  string
		spoil func(p *Problem)
		want  error
		text  string
	}{
		{"no request", func(p *Problem) { p.Requests = nil }, ErrRange, "preempt/shared: Requests: value out of range: none: want at least one"},
		{"resources of a request", func(p *Problem) { p.Requests = append(p.Requests, Request{Needs: []int64{1, 2}, Count: 1}) }, ErrLength, ""},
		{"count", func(p *Problem) { p.Requests[0].Count = 0 }, ErrRange, ""},
		{"need", func(p *Problem) { p.Requests[0].Needs[0] = -1 }, ErrRange, ""},
		{"sum of needs", func(p *Problem) { p.Requests[0] = Request{Needs: []int64{1 << 40}, Count: 1<<20 + 1} }, ErrRange, ""},
		{"resources of a node", func(p *Problem) { p.Nodes[0].Room = nil }, ErrLength, ""},
		{"room", func(p *Problem) { p.Nodes[0].Room[0] = -most - 1 }, ErrRange, ""},
		{"room above", func(p *Problem) { p.Nodes[0].Room[0] = most + 1 }, ErrRange, ""},
		{"only", func(p *Problem) { p.Nodes[0].Only = []int{2} }, ErrRange, "preempt/shared: Nodes[0].Only: value out of range: job 2: want 0 to 1"},
		{"only below", func(p *Problem) { p.Nodes[0].Only = []int{-1} }, ErrRange, ""},
		{"budget", func(p *Problem) { p.Budgets[0] = -1 }, ErrRange, ""},
		{"waste", func(p *Problem) { p.Jobs[1].Waste = -1 }, ErrRange, ""},
		{"sum of waste", func(p *Problem) { p.Jobs[0].Waste, p.Jobs[1].Waste = most, 1 }, ErrRange, ""},
		{"node of a part", func(p *Problem) { p.Jobs[0].Parts[0].Node = 1 }, ErrRange, "preempt/shared: Jobs[0].Parts: value out of range: node 1: want 0 to 0"},
		{"node below", func(p *Problem) { p.Jobs[0].Parts[0].Node = -1 }, ErrRange, ""},
		{"resources of a part", func(p *Problem) { p.Jobs[0].Parts[0].Frees = nil }, ErrLength, ""},
		{"part", func(p *Problem) { p.Jobs[0].Parts[0].Frees[0] = -1 }, ErrRange, ""},
		{"sum of parts", func(p *Problem) { p.Jobs[0].Parts[0].Frees[0], p.Jobs[1].Parts[0].Frees[0] = most, 1 }, ErrRange, ""},
		{"budget of a draw", func(p *Problem) { p.Jobs[0].Draws[0].Budget = 1 }, ErrRange, ""},
		{"draw", func(p *Problem) { p.Jobs[0].Draws[0].Count = 0 }, ErrRange, ""},
		{"states", func(p *Problem) { p.Requests[0].Count = maxStates }, ErrTooMany, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := &Problem{Requests: []Request{{Needs: []int64{1}, Count: 1}}, Nodes: []Node{{Room: []int64{0}}}, Budgets: []int64{1}, Jobs: []Job{
				{Waste: 1, Parts: []Part{{0, []int64{1}}}, Draws: []Draw{{0, 1}}}, {Waste: 2, Parts: []Part{{0, []int64{1}}}}}}
			c.spoil(p)
			var s Solver
			_, err := s.Solve(p, Options{})
			var in *inputerr.Error
			if !errors.Is(err, c.want) || !errors.As(err, &in) || c.text != "" && err.Error() != c.text {
				t.Errorf("%v: want %v %s", err, c.want, c.text)
			}
			if _, err := s.Approximate(p, nil); (err == nil) != (c.want == ErrTooMany) {
				t.Errorf("Approximate: %v", err)
			}
		})
	}
}

// The greatest amounts are amounts.
func TestGreatest(t *testing.T) {
	p := &Problem{Requests: []Request{{Needs: []int64{most}, Count: 1}}, Nodes: []Node{{Room: []int64{0}}}, Jobs: []Job{{Waste: most, Parts: []Part{{0, []int64{most}}}}}}
	var s Solver
	if plan, err := s.Solve(p, Options{}); err != nil || !plan.Exact() || plan.Waste.Total() != most {
		t.Errorf("%+v, %v", plan, err)
	}
}
