package workload

import (
	"math"

	"gonum.org/v1/gonum/mathext"

	"github.com/plimsoll/plimsoll/schedule/internal/samebits"
)

// MachineNodes is the machine that the published parameters describe:
// 128 nodes.
const MachineNodes = 128

// Limits of the authors' program on the exponents of the two exponentiated
// gamma distributions; a draw above its limit is drawn again.
const (
	MaxRunExponent     = 12 // run times stay below e¹² s = 45.2 hours
	MaxArrivalExponent = 13 // gaps at rush hour stay below e¹³ s = 5.1 days
)

// Params are the parameters of one type of job, named as in the authors'
// program [Lublin03]. Gamma distributions are given by shape and scale.
//
// [TypelessParams] returns published values, to use or to change.
type Params struct {
	// Size in nodes: the share of serial jobs, the share of jobs whose size is
	// a power of two, and the two-stage uniform distribution of the binary
	// logarithm of the size of a parallel job: [ULow, UMed] with probability
	// UProb, else [UMed, UHi]. The largest size is 2^UHi.
	Serial, Pow2           float64
	ULow, UMed, UHi, UProb float64

	// Natural logarithm of the run time in seconds: gamma(A1, B1) with
	// probability p = PA·nodes + PB, confined to [0, 1], else gamma(A2, B2).
	A1, B1, A2, B2 float64
	PA, PB         float64

	// Natural logarithm of the gap between arrivals, in seconds of an average
	// half hour: gamma(AArr·ARAR, BArr). AArr and BArr fit the rush hours and
	// ARAR, the ratio of arrivals at rush hours to all, brings them to the
	// whole day.
	AArr, BArr, ARAR float64

	// Daily cycle: arrivals over the half hours of a day, from half past five
	// in the morning on, follow gamma(ANum, BNum) in units of half an hour.
	ANum, BNum float64
}

// batchParams returns the published parameters of batch jobs on 128 nodes.
func batchParams() Params {
	return Params{
		Serial: .2927, Pow2: .6686,
		ULow: 1.2, UMed: 5, UHi: 7, UProb: .875,
		A1: 6.57, B1: .823, A2: 639.1, B2: .0156,
		PA: -.003, PB: .6986,
		AArr: 6.0415, BArr: .8531, ARAR: 1.0519,
		ANum: 6.1271, BNum: 5.2740,
	}
}

// interactiveParams returns the published parameters of interactive jobs on
// 128 nodes, of which they use 45 at the most.
func interactiveParams() Params {
	return Params{
		Serial: .1541, Pow2: .625,
		ULow: 1, UMed: 3, UHi: 5.5, UProb: .705,
		A1: 3.8351, B1: .6605, A2: 7.073, B2: .6856,
		PA: -.0118, PB: .9156,
		AArr: 6.5510, BArr: .6621, ARAR: .9797,
		ANum: 8.9186, BNum: 3.6680,
	}
}

// TypelessParams returns the published parameters of jobs that are not told
// apart, on 128 nodes.
func TypelessParams() Params {
	return Params{
		Serial: .244, Pow2: .576,
		ULow: .8, UMed: 4.5, UHi: 7, UProb: .86,
		A1: 4.2, B1: .94, A2: 312, B2: .03,
		PA: -.0054, PB: .78,
		AArr: 10.2303, BArr: .4871, ARAR: 1.0225,
		ANum: 8.1737, BNum: 3.9631,
	}
}

// ForNodes adapts p, the parameters for a machine of 128 nodes, to a machine with the given number
// of nodes, and returns the new parameters. UHi and UMed grow by log₂(nodes/128), and all other
// parameters stay. ForNodes panics if nodes is not positive.
//
// The model itself has this rule: UHi is the binary logarithm of the largest job, and UMed lies
// between 1.5 and 3.5 below UHi [Lublin03]. ULow belongs to the smallest parallel job, which has
// two nodes on every machine. On a small machine the rule fails, because UMed would fall below
// ULow: below 32 nodes for the interactive parameters, and below 10 nodes for the batch and
// typeless parameters. [Lublin.Reset] returns an error for such parameters. The authors' advice for
// a machine of 8 nodes is ULow .8, UMed 1.5, UHi 3.
//
// Arrivals do not scale. On a larger machine the mean size of a job grows, and so does the run
// time, which the model derives from the size. But the work for each node falls. Change AArr or
// BArr to set the load.
func (p Params) ForNodes(nodes int) Params {
	if nodes < 1 {
		panic("workload: Params.ForNodes of a machine without nodes")
	}
	shift := samebits.Log2(float64(nodes)) - 7
	p.UMed += shift
	p.UHi += shift
	return p
}

// check reports the first parameter that the model cannot use on a machine of
// the given size; name is the type of job.
func (p *Params) check(name string, nodes int) error {
	bad := func(field string, err error, format string, args ...any) error {
		return badInput(name+"."+field, -1, err, format, args...)
	}
	// Written so that NaN fails every test.
	for _, f := range []struct {
		name   string
		v      float64
		lo, hi float64
	}{
		{"Serial", p.Serial, 0, 1},
		{"Pow2", p.Pow2, 0, 1},
		{"UProb", p.UProb, 0, 1},
		{"ULow", p.ULow, 0, 62},
		{"UMed", p.UMed, 0, 62},
		{"UHi", p.UHi, 0, 62},
		{"PA", p.PA, -1e6, 1e6},
		{"PB", p.PB, -1e6, 1e6},
		{"A1", p.A1, 1e-3, 1e6},
		{"B1", p.B1, 1e-6, 1e6},
		{"A2", p.A2, 1e-3, 1e6},
		{"B2", p.B2, 1e-6, 1e6},
		{"AArr", p.AArr, 1e-3, 1e6},
		{"BArr", p.BArr, 1e-6, 1e6},
		{"ARAR", p.ARAR, 1e-3, 1e3},
		{"ANum", p.ANum, 1e-3, 1e6},
		{"BNum", p.BNum, 1e-6, 1e6},
	} {
		if !(f.v >= f.lo && f.v <= f.hi) {
			return bad(f.name, ErrRange, "%g: want %g to %g", f.v, f.lo, f.hi)
		}
	}
	if p.Serial+p.Pow2 > 1 {
		return bad("Pow2", ErrRange, "%g with Serial %g: want at most 1 together", p.Pow2, p.Serial)
	}
	if p.UMed < p.ULow {
		return bad("UMed", ErrRange, "%g: want at least ULow, %g", p.UMed, p.ULow)
	}
	if p.UHi < p.UMed {
		return bad("UHi", ErrRange, "%g: want at least UMed, %g", p.UHi, p.UMed)
	}
	if round(samebits.Exp2(p.UHi)) > float64(nodes) {
		return bad("UHi", ErrRange, "jobs of 2^%g nodes: want at most the machine, %d nodes", p.UHi, nodes)
	}
	for _, g := range []struct {
		name         string
		shape, scale float64
		limit        float64
	}{
		{"A1", p.A1, p.B1, MaxRunExponent},
		{"A2", p.A2, p.B2, MaxRunExponent},
		{"AArr", p.AArr * p.ARAR, p.BArr, MaxArrivalExponent},
	} {
		if !(mathext.GammaIncReg(g.shape, g.limit/g.scale) >= minAccepted) {
			return bad(g.name, ErrRejected, "gamma(%g, %g): want a smaller mean", g.shape, g.scale)
		}
	}
	if math.Sqrt(p.ANum)*p.BNum < minCycleDeviation {
		return bad("BNum", ErrRange, "gamma(%g, %g): want a standard deviation of at least %g",
			p.ANum, p.BNum, minCycleDeviation)
	}
	return nil
}

// minAccepted is the least probability with which a draw must stay below its limit. At
// 1/1000 a job costs a thousand draws. No sensible parameters come near that: the
// published parameters have above .98.
const minAccepted = 1e-3

// minCycleDeviation is the least standard deviation, in half hours, of the distribution
// behind the daily cycle. The weights of the cycle are integrals by a rule of 20 points
// each half hour. The published ones have 11 to 13 half hours.
const minCycleDeviation = 0.25

// round returns the nearest integer of x ≥ 0, halves up, as the authors' program
// does.
func round(x float64) float64 { return math.Floor(x + 0.5) }
