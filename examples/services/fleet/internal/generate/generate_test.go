package generate

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/plimsoll/plimsoll/examples/services/fleet/internal/record"
)

// A curve does not depend on the curves made before, and has a key of its own.
func TestAt(t *testing.T) {
	f := Fleet{Seed: 5, Curves: 500}
	var c Curves
	keys := map[record.Key]int{}
	groups := make([]record.Group, f.Curves)
	for i := range groups {
		c.At(&f, i, &groups[i])
		if j, twice := keys[groups[i].Key]; twice {
			t.Errorf("curves %d and %d have the key %v", i, j, groups[i].Key)
		}
		keys[groups[i].Key] = i
		if len(groups[i].Demand) != Hours {
			t.Fatalf("curve %d has %d hours", i, len(groups[i].Demand))
		}
	}
	var g record.Group
	for _, i := range rand.New(rand.NewPCG(1, 1)).Perm(f.Curves)[:50] {
		c.At(&f, i, &g)
		if !bytes.Equal(record.Append(nil, &groups[i]), record.Append(nil, &g)) {
			t.Fatalf("curve %d differs: %s", i, cmp.Diff(groups[i], g))
		}
	}
	other := Fleet{Seed: 6, Curves: 500}
	c.At(&other, 7, &g)
	if slices.Equal(g.Demand, groups[7].Demand) {
		t.Error("two seeds give one curve")
	}
}

// The bytes of a curve are pinned: another machine, or a later version, makes the same fleet.
func TestPinned(t *testing.T) {
	f := Fleet{Seed: 1, Curves: 100_000}
	var c Curves
	var g record.Group
	h := sha256.New()
	for _, i := range []int{0, 1, 19, 20, 777, 99_999} {
		c.At(&f, i, &g)
		h.Write(record.Append(nil, &g))
	}
	if got, want := fmt.Sprintf("%x", h.Sum(nil))[:16], "a8137364ee8c22f7"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// The fleet is what the package says: heavy tails, births and deaths, contracts, and curves
// that move together.
func TestShape(t *testing.T) {
	f := Fleet{Seed: 2, Curves: 4000}
	x := f.Terms()
	if err := x.Validate(); err != nil {
		t.Fatal(err)
	}
	var c Curves
	var g record.Group
	sizes, born, gone, held := []float64{}, 0, 0, 0
	days := make([][]float64, 0, 60) // daily means of curves that run all year, of 60 accounts
	all := 0.0
	for i := range f.Curves {
		c.At(&f, i, &g)
		sum := 0
		for _, d := range g.Demand {
			sum += d
		}
		all += float64(sum)
		sizes = append(sizes, float64(sum))
		if g.Demand[0] == 0 && sum > 0 {
			born++
		}
		if g.Demand[Hours-1] == 0 {
			gone++
		}
		if len(g.Held) > 0 {
			held++
		}
		if i%perAccount == 0 && len(days) < 60 && sum > 20*Hours && slices.Min(g.Demand) > 0 {
			var mean []float64
			for d := range 365 {
				s := 0
				for _, v := range g.Demand[d*24 : d*24+24] {
					s += v
				}
				mean = append(mean, float64(s))
			}
			days = append(days, mean)
		}
	}
	slices.Sort(sizes)
	top := 0.0
	for _, s := range sizes[len(sizes)*99/100:] {
		top += s
	}
	if share := top / all; share < .1 || share > .6 {
		t.Errorf("one curve in a hundred is %.2f of the fleet: want a heavy tail", share)
	}
	for name, v := range map[string]float64{"born": float64(born), "gone": float64(gone), "with contracts": float64(held)} {
		if share := v / float64(f.Curves); share < .05 || share > .5 {
			t.Errorf("%.2f of the curves are %s: want a part", share, name)
		}
	}
	// Curves of different accounts share the company's events and walk.
	mean, pairs := 0.0, 0
	for i := range days {
		for j := range i {
			mean += correlation(days[i], days[j])
			pairs++
		}
	}
	if pairs < 30 || mean/float64(pairs) < .05 {
		t.Errorf("the correlation of %d pairs of accounts is %.3f: want above 0.05", pairs, mean/float64(pairs))
	}
}

func correlation(a, b []float64) float64 {
	var ma, mb float64
	for i := range a {
		ma += a[i] / float64(len(a))
		mb += b[i] / float64(len(b))
	}
	var aa, bb, ab float64
	for i := range a {
		aa += (a[i] - ma) * (a[i] - ma)
		bb += (b[i] - mb) * (b[i] - mb)
		ab += (a[i] - ma) * (b[i] - mb)
	}
	return ab / math.Sqrt(aa*bb)
}

func TestValidate(t *testing.T) {
	for curves, good := range map[int]bool{0: false, 1: true, most: true, most + 1: false} {
		if err := (&Fleet{Curves: curves}).Validate(); (err == nil) != good {
			t.Errorf("%d curves: %v", curves, err)
		}
	}
}

func BenchmarkAt(b *testing.B) {
	f := Fleet{Seed: 1, Curves: 100_000}
	var c Curves
	var g record.Group
	i := 0
	for b.Loop() {
		c.At(&f, i, &g)
		i = (i + 1) % f.Curves
	}
}
