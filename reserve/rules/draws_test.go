package rules

import (
	"math"

	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/reserve"
)

// An outcome is one result of the draw of [WangRandom] and its probability: buy
// when that many slots are regretted; never, if Slots is 0.
type outcome struct {
	slots int64
	prob  float64
}

// appendThresholds appends to dst the distribution of the threshold of
// [WangRandom], rising, and never last: m+1 entries at most for a break-even of
// m slots. With [WangRandom.appendPlanAt] an expectation is a sum over them, no
// sample. The error is that of Reset.
func appendThresholds(dst []outcome, o reserve.Offer) ([]outcome, error) {
	if err := check(&o); err != nil {
		return dst, err
	}
	if o.Price <= o.Use {
		return append(dst, outcome{0, 1}), nil
	}
	gain, alpha := float64(o.Price-o.Use), float64(o.Use)/float64(o.Price)
	norm := math.E - 1 + alpha
	last := breakEvenOf(&o)
	lo := 0.0
	for m := int64(1); m <= last; m++ {
		hi := 1.0
		if m < last {
			hi = float64(m) * gain / float64(o.Fee)
		}
		dst = append(dst, outcome{m, (math.Exp(hi) - math.Exp(lo)) / norm})
		lo = hi
	}
	if alpha > 0 {
		dst = append(dst, outcome{0, alpha / norm})
	}
	return dst, nil
}

// appendPlanAt is AppendPlan for a given threshold, as of [appendThresholds],
// and needs no Rand. 0 slots is never.
func (a *WangRandom) appendPlanAt(dst []pricing.Purchase, p *reserve.Problem, slots int64) ([]pricing.Purchase, error) {
	if slots < 0 {
		panic("rules: WangRandom.appendPlanAt: negative threshold")
	}
	s := &a.rule.series
	if err := s.load(p, a.Class, nil); err != nil {
		return dst, err
	}
	a.at(s.class.Term, slots)
	return s.run(dst, a.Class, a, 1), nil
}
