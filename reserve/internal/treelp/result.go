package treelp

import (
	"math"

	"github.com/plimsoll/plimsoll/internal/grow"
)

// What Solve found, in whole numbers.

// Scale returns by how much a unit of money should be finer for the values to be whole: 1 if the
// kernel is unimodular, or else the given number.
func (s *Solver) Scale(finer int64) int64 {
	if s.unimodular() {
		return 1
	}
	return finer
}

// Values sets dst to the values of an instance in each node, in parts of 1/finer, rounded down
// where they are no whole parts.
func (s *Solver) Values(dst []int64, finer int64) {
	if s.unimodular() {
		for v, z := range s.whole.value {
			dst[v] = max(0, z) * finer
		}
		return
	}
	for v, z := range s.real.value {
		dst[v] = int64(math.Round(z * float64(finer)))
	}
	s.correct(dst, finer)
	for v, z := range dst {
		dst[v] = min(max(0, z), s.price[v]*finer)
	}
}

// correct takes the rounding errors of floating point out of values: what they leave of the fees of
// the kernel's columns, in integers, is small, so that its solution in floating point is exact.
func (s *Solver) correct(values []int64, finer int64) {
	copy(s.whole.value, values)
	total(s, &s.whole)
	s.rest = grow.To(s.rest, s.n*s.k)
	for j, on := range s.basic {
		if s.rest[j] = 0; on {
			s.rest[j] = float64(s.cost[j]*finer - s.whole.worth[j])
		}
	}
	s.real.rest = s.rest
	priceAll(s, &s.real)
	s.real.rest = nil
	for v, z := range s.real.value {
		values[v] += int64(math.Floor(z + 1e-3))
	}
}

// exact takes the move of the demand out of the purchases: the kernel's equations with the true
// demand.
func (s *Solver) exact() {
	K := s.k
	for v := range s.n {
		base := v * K
		for k := range K {
			s.dn[base+k] = 0
			if u := int(s.p.Parent[v]); u >= 0 {
				s.dn[base+k] = s.dn[u*K+k]
			}
			if !s.basic[base+k] {
				s.count[base+k] = math.Floor(s.count[base+k] / s.scale)
				s.dn[base+k] += s.count[base+k]
			}
		}
		for k := range K {
			if !s.basic[base+k] {
				continue
			}
			sum := 0.0
			piv := s.pivot[base+k]
			for _, t := range s.terms[piv.from:piv.to] {
				d := float64(s.need[t.row])
				for q := range K {
					if a := int(s.anc[int(t.row)*K+q]); a < 0 {
						d -= s.dn[base+q]
					} else if a < v {
						d -= s.dn[base+q] - s.dn[a*K+q]
					}
				}
				sum += t.by * d
			}
			s.count[base+k] = sum / s.value[base+k]
		}
		for k := range K {
			if s.basic[base+k] {
				s.dn[base+k] += s.count[base+k]
			}
		}
	}
}
