package elastic

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/plimsoll/plimsoll/internal/allocs"
)

// zdt1 is the first test problem of Zitzler, Deb and Thiele (2000): 30 variables
// in [0, 1], front y = 1 - √x, of hypervolume 2/3 + .21 = .8767 at (1.1, 1.1). It
// is bred with simulated binary crossover (index 15, probability .9) and
// polynomial mutation (index 20, probability 1/30), the usual settings.
type zdt1 struct{ evaluated int }

func (z *zdt1) Genes() int { return 30 }

func (z *zdt1) Fill(x []float64, _ int, rnd *rand.Rand) {
	for i := range x {
		x[i] = rnd.Float64()
	}
}

func (z *zdt1) Evaluate(x []float64) objectives {
	z.evaluated++
	sum := 0.0
	for _, v := range x[1:] {
		sum += v
	}
	g := 1 + 9*sum/float64(len(x)-1)
	return objectives{x[0], g * (1 - math.Sqrt(x[0]/g))}
}

func (z *zdt1) Vary(a, b []float64, rnd *rand.Rand) {
	if rnd.Float64() < .9 {
		for i := range a {
			if rnd.Float64() < .5 {
				continue
			}
			u := rnd.Float64()
			beta := math.Pow(2*u, 1./16)
			if u > .5 {
				beta = math.Pow(1/(2*(1-u)), 1./16)
			}
			m, d := (a[i]+b[i])/2, beta*(a[i]-b[i])/2
			if rnd.Float64() < .5 {
				d = -d
			}
			a[i], b[i] = unit(m+d), unit(m-d)
		}
	}
	for _, x := range [2][]float64{a, b} {
		for i := range x {
			if rnd.Float64() >= 1./30 {
				continue
			}
			u := rnd.Float64()
			if u < .5 {
				x[i] = unit(x[i] + math.Pow(2*u, 1./21) - 1)
			} else {
				x[i] = unit(x[i] + 1 - math.Pow(2*(1-u), 1./21))
			}
		}
	}
}

func unit(v float64) float64 { return min(1, max(0, v)) }

// 100 individuals and 250 generations reach a hypervolume of .869 or more, as
// the issue asks and as others report for these settings; the true front has
// .8767.
func TestNSGA2OnZDT1(t *testing.T) {
	for seed := range uint64(5) {
		var e nsga2[float64]
		z := &zdt1{}
		e.Run(z, newRand(seed))
		front := e.AppendFront(nil)
		v := hypervolume(front, objectives{1.1, 1.1})
		t.Logf("seed %d: hypervolume %.5f, %d points, %d evaluations", seed, v, len(front), z.evaluated)
		if v < .869 || v > .8767 {
			t.Errorf("seed %d: hypervolume %v, want .869 to .8767", seed, v)
		}
		if z.evaluated != 100*251 {
			t.Errorf("%d evaluations, want 100 and 100 for each of 250 generations", z.evaluated)
		}
	}
}

// What AppendFront appends is sorted, and nothing in it is dominated or there twice, also of
// a population in which most are dominated.
func TestNSGA2FrontOfTheFirstGeneration(t *testing.T) {
	e := &nsga2[float64]{Population: 40, Generations: 1}
	e.Run(&zdt1{}, newRand(7))
	front := e.AppendFront([]objectives{{9, 9}})[1:]
	if len(front) == 0 || len(front) == 40 {
		t.Fatalf("%d of 40 are on the front: want some that are dominated", len(front))
	}
	for i, v := range front[1:] {
		if u := front[i]; u[0] >= v[0] || u[1] <= v[1] {
			t.Errorf("%v is followed by %v", u, v)
		}
	}
}

// Ranks are layers of domination and crowding is what [Deb02] defines, by plain
// comparison of all pairs.
func TestNSGA2Sort(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := 2 * rapid.IntRange(1, 15).Draw(t, "n")
		e := nsga2[int]{n: n}
		e.value = make([]objectives, n)
		e.rank, e.crowd, e.order = make([]int32, n), make([]float64, n), make([]int32, n)
		for i := range e.value {
			e.value[i] = objectives{float64(rapid.IntRange(0, 8).Draw(t, "x")), float64(rapid.IntRange(0, 8).Draw(t, "y"))}
		}
		e.sort(n)
		rank := make([]int32, n)
		for i := range rank {
			rank[i] = -1
		}
		for r := int32(0); slices.Contains(rank, -1); r++ {
			var layer []int
			for i, v := range e.value {
				free := rank[i] < 0
				for k, w := range e.value {
					free = free && !(rank[k] < 0 && w[0] <= v[0] && w[1] <= v[1] && w != v)
				}
				if free {
					layer = append(layer, i)
				}
			}
			for _, i := range layer {
				rank[i] = r
			}
		}
		if !slices.Equal(rank, e.rank) {
			t.Fatalf("%v: ranks %v, want %v", e.value, e.rank, rank)
		}
		for r := range slices.Max(rank) + 1 {
			ends := 0
			for i := range e.crowd {
				if rank[i] == r && math.IsInf(e.crowd[i], 1) {
					ends++
				}
			}
			if ends == 0 || ends > 2 {
				t.Fatalf("layer %d has %d ends", r, ends)
			}
		}
	})
}

// Four points on a line of slope -1: the crowding distances of the inner two,
// scaled to a range of 10, are (6-0)/10 twice and (10-2)/10 twice.
func TestNSGA2Crowding(t *testing.T) {
	e := nsga2[int]{n: 4, value: []objectives{{2, 8}, {0, 10}, {10, 0}, {6, 4}}}
	e.rank, e.crowd, e.order = make([]int32, 4), make([]float64, 4), make([]int32, 4)
	e.sort(4)
	want := []float64{1.2, math.Inf(1), math.Inf(1), 1.6}
	for i := range want {
		if math.Abs(e.crowd[i]-want[i]) > 1e-12 && e.crowd[i] != want[i] {
			t.Errorf("crowding distance of %v: %v, want %v", e.value[i], e.crowd[i], want[i])
		}
	}
}

func TestHypervolume(t *testing.T) {
	for _, c := range []struct {
		points []objectives
		want   float64
	}{
		{nil, 0},
		{[]objectives{{0, 0}}, 4},
		{[]objectives{{1, 1}}, 1},
		{[]objectives{{0, 1}, {1, 0}}, 3},          // 2·1 + 1·1
		{[]objectives{{0, 1}, {.5, 1}, {1, 0}}, 3}, // dominated: adds nothing
		{[]objectives{{-1, 3}, {0, 1}, {1, 0}, {2, -5}}, 3},
	} {
		if got := hypervolume(c.points, objectives{2, 2}); got != c.want {
			t.Errorf("%v: %v, want %v", c.points, got, c.want)
		}
	}
}

func TestNSGA2AllocatesNothing(t *testing.T) {
	e := nsga2[float64]{Population: 50, Generations: 5}
	z := &zdt1{}
	rnd := newRand(1)
	front := make([]objectives, 0, 50)
	if n := allocs.Once(func() {
		e.Run(z, rnd)
		front = e.AppendFront(front[:0])
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
