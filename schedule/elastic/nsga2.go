package elastic

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/plimsoll/plimsoll/internal/grow"
)

// NSGA-II ([Deb02]): an evolutionary algorithm for two objectives that looks for
// a whole front, not for one best point.
//
// Each generation breeds as many children as there are individuals, and keeps the better
// half of both. An individual is better, first, if fewer layers dominate it: rank 0 is
// the front of all, rank 1 the front of the rest, and so on. Second, it is better if it
// is lonelier, that is, if its crowding distance is larger. This is the sum, over the
// objectives, of the distance between the two neighbours along the front, scaled to the
// front's range. It is infinite at the ends. Parents win tournaments of two by the same order.
//
// With two objectives one sort gives the layers. In rising order of the first value, then
// of the second, a layer dominates a point iff the layer's last point is no higher in the
// second value (and not equal in both). Layers' last points rise with the rank, so that a
// binary search finds the first layer that does not dominate it. Time:
// O(generations·n·log n) and the evaluations.

// A breed is what [nsga2] needs to know of the individuals of a problem. An
// individual is a fixed number of genes.
type breed[G any] interface {
	// Genes returns how many genes an individual has.
	Genes() int
	// Fill makes individual i of the first population.
	Fill(genes []G, i int, rnd *rand.Rand)
	// Vary makes children of copies of two parents, in place: it crosses and
	// mutates them.
	Vary(a, b []G, rnd *rand.Rand)
	// Evaluate returns the objectives, which must be numbers. It may change
	// the genes, to mend what is not feasible.
	Evaluate(genes []G) objectives
}

// nsga2 searches for the front of a problem with two objectives to be
// minimised. Its zero value has 100 individuals and 250 generations. It keeps its
// memory between runs; one goroutine at a time. No bound on its distance from
// the true front is known.
type nsga2[G any] struct {
	Population  int // individuals, even; 0 stands for 100
	Generations int // 0 stands for 250

	n, genes int
	pool     []G          // 2n individuals: parents, then children
	keep     []G          // the next parents
	value    []objectives // of the pool
	kept     []objectives
	rank     []int32
	crowd    []float64
	order    []int32 // of the pool, by value
	last     []int32 // the last point of each layer, then its place in layer
	layer    []int32 // of the pool, by rank, then by value
	result   []int32
}

// Run breeds the generations and leaves the last population to [nsga2.Front]. It
// panics if Population is odd or negative, Generations is negative, or rnd is
// nil.
func (e *nsga2[G]) Run(b breed[G], rnd *rand.Rand) {
	if e.Population < 0 || e.Population%2 != 0 || e.Generations < 0 {
		panic("elastic: NSGA2 needs an even population and generations that are not negative")
	}
	if rnd == nil {
		panic("elastic: NSGA2 without a source of randomness")
	}
	e.n, e.genes = e.Population, b.Genes()
	if e.n == 0 {
		e.n = 100
	}
	generations := e.Generations
	if generations == 0 {
		generations = 250
	}
	n := e.n
	e.pool = grow.To(e.pool, 2*n*e.genes)
	e.keep = grow.To(e.keep, n*e.genes)
	e.value = grow.To(e.value, 2*n)
	e.kept = grow.To(e.kept, n)
	e.rank = grow.To(e.rank, 2*n)
	e.crowd = grow.To(e.crowd, 2*n)
	e.order = grow.To(e.order, 2*n)
	e.last = slices.Grow(e.last[:0], 2*n)
	e.layer = slices.Grow(e.layer[:0], 2*n)
	e.result = slices.Grow(e.result[:0], 2*n)

	for i := range n {
		b.Fill(e.at(i), i, rnd)
		e.value[i] = b.Evaluate(e.at(i))
	}
	e.sort(n)
	for range generations {
		for i := n; i < 2*n; i += 2 {
			x, y := e.at(i), e.at(i+1)
			copy(x, e.at(e.winner(rnd)))
			copy(y, e.at(e.winner(rnd)))
			b.Vary(x, y, rnd)
			e.value[i], e.value[i+1] = b.Evaluate(x), b.Evaluate(y)
		}
		e.sort(2 * n)
		e.cull()
		e.sort(n)
	}
}

// at returns the genes of an individual of the pool.
func (e *nsga2[G]) at(i int) []G { return e.pool[i*e.genes : (i+1)*e.genes] }

// Len returns how many individuals the last population has, and At their genes
// and values. The genes are valid until the next Run.
func (e *nsga2[G]) Len() int { return e.n }

// At returns individual i of the last population.
func (e *nsga2[G]) At(i int) ([]G, objectives) { return e.at(i), e.value[i] }

// AppendFront appends the values of the individuals of the last population that
// no other dominates to dst, sorted by the first objective. Equal values appear
// once.
func (e *nsga2[G]) AppendFront(dst []objectives) []objectives {
	from := len(dst)
	for _, i := range e.order[:e.n] {
		if v := e.value[i]; e.rank[i] == 0 && (len(dst) == from || dst[len(dst)-1] != v) {
			dst = append(dst, v)
		}
	}
	return dst
}

// winner returns the better of two parents drawn at random.
func (e *nsga2[G]) winner(rnd *rand.Rand) int {
	a, b := rnd.IntN(e.n), rnd.IntN(e.n)
	if e.rank[b] < e.rank[a] || e.rank[b] == e.rank[a] && e.crowd[b] > e.crowd[a] {
		return b
	}
	return a
}

// sort computes rank and crowding distance of the first m of the pool.
func (e *nsga2[G]) sort(m int) {
	order := e.order[:m]
	for i := range order {
		order[i] = int32(i)
		e.crowd[i] = 0
	}
	slices.SortFunc(order, func(a, b int32) int {
		v, w := e.value[a], e.value[b]
		return cmp.Or(cmp.Compare(v[0], w[0]), cmp.Compare(v[1], w[1]), cmp.Compare(a, b))
	})
	e.last = e.last[:0]
	for i, p := range order {
		v := e.value[p]
		if i > 0 && e.value[order[i-1]] == v {
			e.rank[p] = e.rank[order[i-1]]
			e.last[e.rank[p]] = p
			continue
		}
		lo, hi := 0, len(e.last)
		for lo < hi {
			if mid := (lo + hi) / 2; e.value[e.last[mid]][1] > v[1] {
				hi = mid
			} else {
				lo = mid + 1
			}
		}
		e.rank[p] = int32(lo)
		if lo == len(e.last) {
			e.last = append(e.last, p)
		} else {
			e.last[lo] = p
		}
	}
	// Layer by layer, each in the order of its values: a counting sort. The
	// count of a layer becomes its end as it is filled.
	for r := range e.last {
		e.last[r] = 0
	}
	for _, p := range order {
		e.last[e.rank[p]]++
	}
	from := int32(0)
	for r, n := range e.last {
		e.last[r] = from
		from += n
	}
	e.layer = grow.To(e.layer, m)
	for _, p := range order {
		r := e.rank[p]
		e.layer[e.last[r]] = p
		e.last[r]++
	}
	from = 0
	for _, end := range e.last {
		e.crowding(e.layer[from:end])
		from = end
	}
}

// crowding computes the crowding distances of one layer, given in the order of
// its values.
func (e *nsga2[G]) crowding(layer []int32) {
	first, last := layer[0], layer[len(layer)-1]
	e.crowd[first], e.crowd[last] = math.Inf(1), math.Inf(1)
	dx := e.value[last][0] - e.value[first][0]
	dy := e.value[first][1] - e.value[last][1]
	if dx <= 0 || dy <= 0 {
		return // all equal
	}
	for i := 1; i < len(layer)-1; i++ {
		a, b := e.value[layer[i-1]], e.value[layer[i+1]]
		e.crowd[layer[i]] = (b[0]-a[0])/dx + (a[1]-b[1])/dy
	}
}

// cull moves the better half of the pool to its first half.
func (e *nsga2[G]) cull() {
	e.result = e.result[:2*e.n]
	for i := range e.result {
		e.result[i] = int32(i)
	}
	slices.SortFunc(e.result, func(a, b int32) int {
		return cmp.Or(cmp.Compare(e.rank[a], e.rank[b]), cmp.Compare(e.crowd[b], e.crowd[a]), cmp.Compare(a, b))
	})
	for i, p := range e.result[:e.n] {
		copy(e.keep[i*e.genes:], e.at(int(p)))
		e.kept[i] = e.value[p]
	}
	copy(e.pool, e.keep)
	copy(e.value, e.kept)
}
