package lpbound

import (
	"errors"
	"fmt"
	"testing"
)

var errDual = errors.New("a negative price of a row without a limit")

// verify computes, in integers and from the problem alone, what plan costs and the lower bound that
// duals prove. It checks the plan against every limit of the problem. nil duals are zeros.
func verify(p *Problem, plan []int, duals []int64) (cost, bound int64, err error) {
	var m model
	if err := m.load(p); err != nil {
		return 0, 0, err
	}
	for j, v := range plan {
		if v < 0 || float64(v) > m.cap[j] {
			return 0, 0, errPlan
		}
	}
	if cost, err = m.planCost(plan, make([]int64, m.rows)); err != nil {
		return 0, 0, err
	}
	if duals == nil {
		duals = make([]int64, m.rows)
	}
	for r, v := range duals {
		if v < 0 && !m.hard[r] {
			return 0, 0, errDual
		}
	}
	return cost, m.bound(duals, make([]int64, m.n+1), nil, nil), nil
}

// verifyResult fails unless the plan of r costs what r says, and its duals prove what r says.
func verifyResult(p *Problem, r *Result) error {
	cost, bound, err := verify(p, r.Plan, r.Duals)
	if err == nil && (cost != r.Cost || bound != r.LP || bound > cost) {
		err = fmt.Errorf("the plan costs %d and the duals prove %d, claimed are %d and %d", cost, bound, r.Cost, r.LP)
	}
	return err
}

// Gap is by which share of the bound the relaxation's cost is above the bound.
func (a *Approached) Gap() float64 { return a.Relaxed/float64(a.Bound) - 1 }

// solve returns the result of v for p.
func solve(t *testing.T, v *Solver, p *Problem, opt Options) Result {
	t.Helper()
	res, err := v.Solve(p, opt)
	if err != nil {
		t.Fatalf("%+v: %v", p, err)
	}
	return res
}

// begin loads p for Approach.
func begin(t *testing.T, v *Solver, p *Problem) {
	t.Helper()
	if err := v.Begin(p); err != nil {
		t.Fatalf("%+v: %v", p, err)
	}
}
