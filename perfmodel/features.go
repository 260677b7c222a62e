package perfmodel

import (
	"math"

	"github.com/plimsoll/plimsoll/internal/enum"
)

// Counts says which numbers of processes a program runs on.
type Counts uint8

const (
	AnyCount    Counts = iota // every number
	Squares                   // 1, 4, 9, 16, ...
	PowersOfTwo               // 1, 2, 4, 8, ...
)

var counts = enum.New[Counts]("perfmodel", "Counts", ErrUnknown, "any", "squares", "powers_of_two")

// String returns "any", "squares" or "powers_of_two", or Counts(n) for a value n that has no name.
func (c Counts) String() string { return counts.String(c) }

// MarshalText returns the text that String returns. A value that has no name is an
// *pricing.InputError.
func (c Counts) MarshalText() ([]byte, error) { return counts.MarshalText(c) }

// UnmarshalText reads a name. Any other text is an *pricing.InputError, and c is
// unchanged.
func (c *Counts) UnmarshalText(text []byte) error { return counts.UnmarshalText(c, text) }

// AppendCounts appends the numbers of processes from low to high that a program of
// the given kind runs on, in ascending order. It panics unless 1 ≤ low, and if there are
// more than 2²⁴ such numbers.
func AppendCounts(dst []int, c Counts, low, high int) []int {
	if low < 1 {
		panic("perfmodel: number of processes below 1")
	}
	const most = 1 << 24
	tooMany := func() { panic("perfmodel: more than 1<<24 numbers of processes") }
	switch c {
	case Squares:
		first := max(1, int(math.Sqrt(float64(low)))-1) // a root of 2⁵³ or more may be off by 1
		for first <= math.MaxInt/first && first*first < low {
			first++
		}
		if last := int(math.Sqrt(float64(max(0, high)))); last-first >= most {
			tooMany()
		}
		for k := first; k <= high/k; k++ {
			dst = append(dst, k*k)
		}
	case PowersOfTwo:
		for n := 1; n <= high; n *= 2 {
			if n >= low {
				dst = append(dst, n)
			}
			if n > math.MaxInt/2 {
				return dst
			}
		}
	case AnyCount:
		if high < low {
			break
		}
		if high-low >= most {
			tooMany()
		}
		for i := range high - low + 1 {
			dst = append(dst, low+i)
		}
	default:
		panic("perfmodel: unknown kind of process counts")
	}
	return dst
}

// A Shape says how an application grows with its features, and how the application runs.
// A [Machine] needs Work alone.
type Shape struct {
	Name     string
	Features []string // as Work and WorkingSet take them
	// Work is proportional to the run time on an ideal machine: operations, up to a
	// constant. Like WorkingSet it must be positive wherever the features are.
	Work func(features []float64) float64
	// WorkingSet is how many bytes of memory the processes go over again and again, all
	// together. It is nil if unknown. A factor of up to 1.5 does not matter.
	WorkingSet func(features []float64) float64
	Counts     Counts // numbers of processes that the application runs on
	AllToAll   bool   // the MPI operation that it does most is an all-to-all
}

// product returns the measure factor·Π x over the features with the given
// positions.
func product(factor float64, at ...int) func(features []float64) float64 {
	return func(x []float64) float64 {
		p := factor
		for _, i := range at {
			p *= x[i]
		}
		return p
	}
}

// Product returns the measure that multiplies all features: a stand-in for the work if
// nothing better is known.
func Product(features []float64) float64 {
	p := 1.0
	for _, x := range features {
		p *= x
	}
	return p
}

// nonzeros is the number of elements of CG's matrix: it sums as many outer products as
// there are rows, of sparse vectors with nonzer + 1 elements each.
func nonzeros(x []float64) float64 { return x[0] * (x[1] + 1) * (x[1] + 1) }

var grid = []string{"nx", "ny", "nz", "iterations"}
var gridAndStep = []string{"nx", "ny", "nz", "iterations", "dt"}

// The bytes of a working set are those of the arrays that each iteration goes
// over: 8 bytes a number, 16 a complex number, 4 an index or a key.
var benchmarks = [...]Shape{
	{
		Name: "cg", Features: []string{"rows", "nonzer", "iterations", "shift"},
		Work: func(x []float64) float64 { return nonzeros(x) * x[2] },
		// An element and its column; five vectors.
		WorkingSet: func(x []float64) float64 { return 12*nonzeros(x) + 40*x[0] },
		Counts:     PowersOfTwo,
	},
	{
		Name: "ep", Features: []string{"pairs"},
		Work: product(1, 0),
		// Pairs are made in blocks of 2¹⁶, whatever the class.
		WorkingSet: func([]float64) float64 { return 1 << 20 },
		Counts:     AnyCount,
	},
	{
		Name: "ft", Features: grid,
		// N·log N a transform, one an iteration.
		Work: func(x []float64) float64 {
			n := x[0] * x[1] * x[2]
			return n * math.Log2(1+n) * x[3]
		},
		// Three complex arrays and one real.
		WorkingSet: product(56, 0, 1, 2),
		Counts:     PowersOfTwo, AllToAll: true,
	},
	{
		Name: "is", Features: []string{"keys", "max_key", "iterations"},
		Work: product(1, 0, 2),
		// Keys before and after, and the counters.
		WorkingSet: func(x []float64) float64 { return 8*x[0] + 4*x[1] },
		Counts:     PowersOfTwo, AllToAll: true,
	},
	{
		Name: "mg", Features: grid,
		// Two hierarchies of grids, 8/7 of the finest each, and the right-hand side.
		Work: product(1, 0, 1, 2, 3), WorkingSet: product(26, 0, 1, 2),
		Counts: PowersOfTwo,
	},
	// About forty numbers a point: five unknowns, their right-hand sides, forcing
	// and what is kept of fluxes and blocks.
	{
		Name: "bt", Features: gridAndStep,
		Work: product(1, 0, 1, 2, 3), WorkingSet: product(320, 0, 1, 2),
		Counts: Squares,
	},
	{
		Name: "lu", Features: gridAndStep,
		Work: product(1, 0, 1, 2, 3), WorkingSet: product(320, 0, 1, 2),
		Counts: PowersOfTwo,
	},
	{
		Name: "sp", Features: gridAndStep,
		Work: product(1, 0, 1, 2, 3), WorkingSet: product(320, 0, 1, 2),
		Counts: Squares,
	},
}

// NPB returns the shape of the NAS Parallel Benchmark with the given name in lower case: cg, ep,
// ft, is, mg, bt, lu or sp. The features of the shape are those of Table I in [Huang13]. Its Work
// and WorkingSet count the operations and the memory of the algorithm [Bailey91], to leading order.
// The caller must not change the features. The error is an *pricing.InputError that unwraps to
// [ErrUnknown].
func NPB(name string) (Shape, error) {
	for _, b := range benchmarks {
		if b.Name == name {
			return b, nil
		}
	}
	return Shape{}, badInput("benchmark", -1, ErrUnknown, "%q: want cg, ep, ft, is, mg, bt, lu or sp", name)
}
