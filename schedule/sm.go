package schedule

import "github.com/plimsoll/plimsoll/pricing"

// SM is the sustained maximum ([Marshall12] section III): as many instances as
// the limits and the budget allow, in the cheapest cloud first, and kept for
// ever, whatever waits. It is what the other policies are measured against.
//
// What the budget allows is what the credits pay for now and what the hourly
// credits, the debt added, can pay for in every hour to come: launches keep
//
//	Σ price·instances ≤ Budget.Hourly + Budget.Debt
//
// over all clouds, also when credits have accumulated. A launch that was refused
// is tried again at the next evaluation, or never with Once.
//
// The zero value is ready. Time: O(instances + clouds²).
type SM struct {
	Once bool // ask at the first evaluation only: what is refused then stays missing

	asked bool
	draft Draft
}

// String returns "SM".
func (p *SM) String() string { return "SM" }

// Reset makes the policy forget that it has asked before.
func (p *SM) Reset() { p.asked = false }

// AppendActions implements [Policy].
func (p *SM) AppendActions(dst []Action, s *Snapshot) []Action {
	if p.Once && p.asked && !s.Again {
		return dst
	}
	p.asked = true
	d := &p.draft
	d.Reset(dst, s)
	hourly := s.Budget.Hourly
	if sum, err := hourly.Add(s.Budget.Debt); err == nil {
		hourly = sum
	}
	for i := range s.Clouds {
		spent, err := s.Clouds[i].Price.Mul(int64(len(s.Clouds[i].Instances)))
		if err == nil {
			hourly, err = hourly.Sub(spent)
		}
		if err != nil { // more than any budget
			hourly = 0
			break
		}
	}
	for _, c := range d.Cheapest() {
		n := d.Room(c)
		if price := s.Clouds[c].Price; price > 0 {
			n = int(min(int64(n), int64(max(0, hourly)/price)))
			hourly -= price * pricing.Money(n)
		}
		d.Launch(c, n, SustainMax)
	}
	return d.Actions()
}
