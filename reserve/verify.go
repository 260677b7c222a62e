package reserve

import (
	"fmt"
	"slices"

	"github.com/plimsoll/plimsoll/pricing"
)

// Verify checks a plan and its certificate without any part of a solver. Verify checks that the
// purchases keep to the rules of the problem, that Cost is their cost, and that the certificate
// proves Bound. If the error is nil, no plan for p costs less than Bound. If Optimal also reports
// true, no plan costs less than this plan.
//
// If Bound is not what the certificate proves, the error names the first slot or purchase at which
// plan and certificate do not fit together. Verify checks three amounts of the bill: the total, the
// pure cost and the part on demand. File certificate.go derives the bound and computes it.
func Verify(p *Problem, plan *Plan) error {
	var m market
	if err := m.loadAny(p); err != nil {
		return err
	}
	if err := checkPurchases(p, &m, plan.Purchases); err != nil {
		return err
	}
	if p.Tree != nil {
		return verifyTree(p, &m, plan)
	}
	c := &plan.Certificate
	finer := c.Den / m.scale
	if c.Num != m.common || c.Den%m.scale != 0 || !m.refine(finer) {
		return badInput("Certificate", -1, ErrForged, "the unit is %d/%d: want a part of %d/%d", c.Num, c.Den, m.common, m.scale)
	}
	var v dual
	if err := v.load(p, &m, plan.Purchases); err != nil {
		return err
	}
	if c.Levels != len(v.worth) || len(c.Values) != len(v.worth)*p.slots() {
		return badInput("Certificate", -1, ErrForged, "%d levels and %d values: want %d and %d", c.Levels, len(c.Values), len(v.worth), len(v.worth)*p.slots())
	}
	cost := v.cost()
	bound, err := v.bound(c.Values, finer)
	if err != nil {
		return err
	}
	if claimed, ok := m.money(cost); !ok || claimed != plan.Cost {
		return badInput("Cost", -1, ErrForged, "the plan says %v, its purchases cost %v", plan.Cost, claimed)
	}
	if claimed, ok := m.money(bound); !ok || claimed != plan.Bound {
		return badInput("Bound", -1, ErrForged, "the plan says %v, its certificate proves %v%s", plan.Bound, claimed, v.slack(c.Values))
	}
	if p.uncertain() {
		return nil
	}
	var b pricing.Biller
	own, err := b.BillHeld(p.Prices, p.Demand, p.Slot, plan.Purchases, p.Held)
	if err != nil {
		return err
	}
	if own.Total != plan.Bill.Total || own.Pure != plan.Bill.Pure || own.OnDemand != plan.Bill.OnDemand {
		return badInput("Bill", -1, ErrForged, "the plan says %v in all, %v pure, its purchases cost %v, %v", plan.Bill.Total, plan.Bill.Pure, own.Total, own.Pure)
	}
	return nil
}

// slack names the first place where plan and values do not belong together.
func (v *dual) slack(y []int64) string {
	n := v.p.slots()
	for t := range n {
		for k, w := range v.worth {
			have, value := v.total[k*(n+1)+t], y[k*n+t]
			over, least := int64(0), int64(0) // weights of demands of more than have, and of at least have
			for _, st := range v.m.tally.of(t) {
				if int64(st.demand) > have {
					over += st.weight
				}
				if int64(st.demand) >= have {
					least += st.weight
				}
			}
			switch {
			case value < w*over && (v.p.MaxActive == 0 || have < int64(v.p.MaxActive)):
				return fmt.Sprintf(": slot %d is short of reservations of level %d, and its value is %d, not %d or more", t, k, value, w*over)
			case have > 0 && value > w*least:
				return fmt.Sprintf(": slot %d has idle reservations of level %d, and a value of %d, not %d or less", t, k, value, w*least)
			}
		}
	}
	sums := v.before
	for c := range v.m.classes {
		if v.level[c] < 0 {
			continue
		}
		if limit, sold := v.p.most(c); limit > 0 || !sold {
			continue
		}
		v.sums(sums, y, c)
		for s := 0; s < n; s += v.m.every {
			if v.reduced(sums, c, s) < 0 && (v.p.Closed == nil || !v.p.Closed[s]) {
				return fmt.Sprintf(": a reservation of %s bought at slot %d would be worth more than its fee", v.p.Prices.Classes[c].Name, s)
			}
		}
	}
	first, more := len(v.plan), int64(0)
	for c := range v.m.classes {
		if !slices.ContainsFunc(v.plan[:first], func(q pricing.Purchase) bool { return q.Class == c }) {
			continue
		}
		v.sums(sums, y, c)
		for i, q := range v.plan[:first] {
			if q.Class != c {
				continue
			}
			if left := v.reduced(sums, c, q.Slot); left > 0 {
				first, more = i, left
				break
			}
		}
	}
	if first < len(v.plan) {
		return fmt.Sprintf(": purchase %d costs %d more than it is worth", first, more)
	}
	return ""
}
