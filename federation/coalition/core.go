package coalition

import (
	"cmp"
	"math"
	"slices"

	"github.com/plimsoll/plimsoll/internal/grow"
	"github.com/plimsoll/plimsoll/internal/wide"
	"github.com/plimsoll/plimsoll/pricing"
)

// The least core, exactly: shares x that add up to the cost of all and leave every
// coalition the greatest slack.
//
//	maximise    ε
//	subject to  Σ_{i∈S} x_i + ε ≤ c(S)   for all S but nobody and all
//	            Σ_i x_i = c(N)
//
// The core is not empty if and only if ε ≥ 0. The dual program is
//
//	minimise    Σ_S λ_S·c(S) − μ·c(N)
//	subject to  Σ_{S∋i} λ_S = μ for all i,   Σ_S λ_S = 1,   λ ≥ 0.
//
// If ε < 0, the weights λ_S/μ are the proof of Bondareva and Shapley: every member is
// in coalitions of total weight 1, and these coalitions together cost less than all.
//
// Idea. The dual has n+1 rows and a column for each coalition. The simplex method
// starts with the n single members, and μ, which never leaves. The multipliers of a
// basis are the shares and ε. The coalition that they overcharge most enters.
//
// Exactness. A basis B has entries 0, 1 and −1. The adjoint matrix D·B⁻¹, D = |det B|,
// is of whole numbers, and a pivot on w_r updates it by
//
//	A'_ij = (w_r·A_ij − w_i·A_rj)/D,   D' = w_r,
//
// a division without remainder. Minors of 17 rows are below 2³⁵ (Hadamard), so
// products with costs fit in 128 bits. No number is ever rounded.
//
// End. If a pivot does not lower the cost, the next pivots take the lowest coalition
// that may enter and the lowest that may leave (Bland) until the cost falls. So no
// basis comes twice.
//
// Time: O(2ⁿ + n²) a pivot; no polynomial bound on pivots is known, and tables of ten
// members took at most some dozens. Space: O(2ⁿ).

// A Core is the answer of [Solver.Core].
type Core struct {
	// Empty says that no allocation is in the core, and Proof proves it.
	Empty bool
	// Slack is the least that a coalition other than all saves by staying, with the
	// shares returned: the least c(S) − Σ shares. It is below 0 if the core is empty.
	// If the core is not empty but has no allocation in whole nanos, Slack is −n
	// nanos at worst. With one member it is 0.
	Slack pricing.Money
	// Proof is a balanced collection of coalitions if the core is empty: [VerifyEmpty]
	// checks it. It is ordered by Set and valid until the next call.
	Proof []Weighted
	// Den is the denominator of the weights of Proof.
	Den int64
}

// A Weighted is a coalition with a weight.
type Weighted struct {
	Set    Set
	Weight int64
}

// Core divides the cost of all members and fills dst with the share of each member. The shares add
// up to the cost of all members, to the nano. The slack of a coalition is the coalition's own cost
// less the shares of its members. Core chooses the shares with the greatest least slack, over all
// coalitions except that of all members.
//
// Shares are in the core if no coalition has a negative slack. If the core is empty, some coalition
// gains by a departure under any shares. Core then makes the greatest such gain as small as
// possible, and Core.Proof proves that the core is empty.
//
// If several shares are equally good, Core returns the shares of the simplex's last basis. The same
// table always gives the same shares.
//
// Core rounds each share down to nanos. Each nano that is then missing goes to a member with one of
// the greatest remainders. If the core is not empty and these shares are outside the core, Core
// tries up to 500 choices of the members that get a nano. Core takes the first choice inside the
// core, or else the choice with the greatest slack.
//
// The error is that of [Costs.Validate]; dst is then unchanged. Core panics if the length of dst is
// not the number of members.
func (s *Solver) Core(dst []pricing.Money, c Costs) (Core, error) {
	if err := c.Validate(); err != nil {
		return Core{}, err
	}
	n := c.Members()
	if len(dst) != n {
		panic("coalition: length of dst is not the number of members")
	}
	if n == 1 {
		dst[0] = c[1]
		return Core{}, nil
	}
	d := s.simplex(c, n)
	s.divide(dst, s.x[:n], uint64(d), c[c.All()])
	core := Core{Empty: s.x[n].Sign() < 0, Slack: c.slack(dst)}
	if !core.Empty && core.Slack < 0 {
		core.Slack = s.handOut(dst, c, d)
	}
	if core.Empty {
		s.proof = s.proof[:0]
		k := n + 1
		for r := 1; r < k; r++ {
			if w := s.adjoint[r*k+n]; w > 0 {
				s.proof = append(s.proof, Weighted{s.base[r], w})
			}
		}
		slices.SortFunc(s.proof, func(a, b Weighted) int { return cmp.Compare(a.Set, b.Set) })
		core.Proof, core.Den = s.proof, s.adjoint[n]
	}
	return core, nil
}

// simplex finds the optimal basis. It returns D, and leaves D times the shares and D
// times the slack in s.x.
func (s *Solver) simplex(c Costs, n int) (d int64) {
	k := n + 1
	s.adjoint, s.base, s.entry = grow.Zero(s.adjoint, k*k), grow.To(s.base, k), grow.To(s.entry, k)
	s.x, s.by = grow.To(s.x, k), grow.To(s.by, len(c))
	// The basis of μ and the single members: μ = (b_n − Σ b_i)/n, λ_i = b_i + μ.
	d = int64(n)
	for r := range k {
		for j := range n {
			s.adjoint[r*k+j] = -1
		}
		s.adjoint[r*k+n] = 1
	}
	s.base[0] = 0
	for i := range n {
		s.base[1+i] = Of(i)
		s.adjoint[(1+i)*k+i] += d
	}
	bland := false
	for {
		s.multiply(c, n)
		enters := s.entering(c, n, d, bland)
		if enters == 0 {
			return d
		}
		leaves := -1
		for r := range k {
			w := s.adjoint[r*k+n]
			for i := range enters.Members() {
				w += s.adjoint[r*k+i]
			}
			s.entry[r] = w
			if r == 0 || w <= 0 {
				continue
			}
			// λ_r/w_r is least; ties go to the lower coalition.
			a, b := s.adjoint[r*k+n], w
			if leaves >= 0 {
				e, f := s.adjoint[leaves*k+n], s.entry[leaves]
				x, y := wide.ProductInt(a, f), wide.ProductInt(e, b)
				if y.Less(x) || x == y && s.base[r] > s.base[leaves] {
					continue
				}
			}
			leaves = r
		}
		bland = s.adjoint[leaves*k+n] == 0
		d = s.pivot(leaves, k, d)
		s.base[leaves] = enters
	}
}

// multiply sets s.x to the multipliers of the basis times D, and s.by to their sums
// over coalitions, with the slack.
func (s *Solver) multiply(c Costs, n int) {
	k := n + 1
	for j := range k {
		sum := wide.ProductInt(-int64(c[c.All()]), s.adjoint[j])
		for r := 1; r < k; r++ {
			sum.AddProduct(int64(c[s.base[r]]), s.adjoint[r*k+j])
		}
		s.x[j] = sum
	}
	s.by[0] = s.x[n]
	for set := Set(1); int(set) < len(c); set++ {
		first := set & -set
		s.by[set] = s.by[set^first].Plus(s.x[(first - 1).Len()])
	}
}

// entering returns a coalition that pays too much, 0 if there is none: the one that
// pays most too much, or the lowest.
func (s *Solver) entering(c Costs, n int, d int64, lowest bool) (best Set) {
	var most wide.Int
	for set := Set(1); set < c.All(); set++ {
		over := s.by[set].Minus(wide.ProductInt(int64(c[set]), d))
		if most.Less(over) {
			most, best = over, set
			if lowest {
				break
			}
		}
	}
	return best
}

// pivot replaces row r of the basis by the column of s.entry, and returns the new D.
func (s *Solver) pivot(r, k int, d int64) int64 {
	p := s.entry[r]
	row := s.adjoint[r*k:][:k]
	for i := range k {
		if w := s.entry[i]; i != r {
			for j, a := range s.adjoint[i*k:][:k] {
				// Exact, and far below 64 bits once divided.
				num := wide.ProductInt(p, a).Minus(wide.ProductInt(w, row[j]))
				q, _, _ := num.Unsigned().Over(uint64(d))
				if num.Sign() < 0 {
					q = -q
				}
				s.adjoint[i*k+j] = int64(q)
			}
		}
	}
	return p
}

// slack returns the least that a coalition other than all saves by staying.
func (c Costs) slack(shares []pricing.Money) pricing.Money {
	least := pricing.Money(math.MaxInt64)
	for set := Set(1); set < c.All(); set++ {
		least = min(least, c[set]-set.sumOf(shares))
	}
	return least
}

// ways is how many ways to hand out nanos are tried: all of them for up to 11 members.
const ways = 500

// handOut finds a way to hand out the nanos that are missing so that no coalition pays
// more than by itself, and returns the slack. If there is none, it takes the way with
// the greatest slack.
func (s *Solver) handOut(dst []pricing.Money, c Costs, d int64) pricing.Money {
	n := len(dst)
	left := c[c.All()]
	for i := range dst {
		q, _ := floor(s.x[i], uint64(d))
		dst[i] = pricing.Money(q)
		left -= dst[i]
	}
	give := func(to Set, x pricing.Money) {
		for i := range to.Members() {
			dst[i] += x
		}
	}
	best, most := Set(0), pricing.Money(math.MinInt64)
	tries := 0
	for to := Set(0); to <= all(n); to++ {
		if to.Len() != int(left) {
			continue
		}
		give(to, 1)
		slack := c.slack(dst)
		give(to, -1)
		if slack > most {
			best, most = to, slack
		}
		if tries++; most >= 0 || tries == ways {
			break
		}
	}
	give(best, 1)
	return most
}

// VerifyEmpty checks a proof that the core is empty: each member is in coalitions of
// total weight den, and these coalitions together cost less than den times the cost of
// all. The error is that of [Costs.Validate], or a *pricing.InputError that unwraps to
// [ErrNotBalanced]. Time: O(members of the coalitions).
func VerifyEmpty(c Costs, proof []Weighted, den int64) error {
	if err := c.Validate(); err != nil {
		return err
	}
	if den <= 0 {
		return badInput("den", -1, ErrNotBalanced, "%d: want a positive denominator", den)
	}
	var weight [MaxMembers]wide.Int
	sum := wide.ProductInt(-den, int64(c[c.All()]))
	for k, w := range proof {
		switch {
		case w.Set == 0 || w.Set >= c.All():
			return badInput("proof", k, ErrNotBalanced, "coalition %v: want one of some members, not of all", w.Set)
		case w.Weight <= 0 || w.Weight > den:
			return badInput("proof", k, ErrNotBalanced, "weight %d: want 1 to %d", w.Weight, den)
		}
		for i := range w.Set.Members() {
			weight[i] = weight[i].Plus(wide.FromInt64(w.Weight))
		}
		sum.AddProduct(w.Weight, int64(c[w.Set]))
	}
	for i := range c.Members() {
		if weight[i] != wide.FromInt64(den) {
			return badInput("proof", -1, ErrNotBalanced, "member %d is in coalitions of another total weight: want %d", i, den)
		}
	}
	if sum.Sign() >= 0 {
		return badInput("proof", -1, ErrNotBalanced, "the coalitions cost as much as all or more: want less")
	}
	return nil
}
