package flow

// The first plan where demand seldom falls.
//
// The simplex begins with all on demand, and has to buy for each level in turn. Where demand mostly rises, one pass over
// the slots does most of that. At slot t the pass takes the demand that no earlier purchase covers. All of this demand
// lasts from slot t to the first slot with less demand than slot t. For a use of that length, the pass finds the class
// with the lowest fee for each slot used. The pass then buys reservations of this class for all of the uncovered demand.
// If no class is cheaper than on demand, the pass leaves the uncovered demand on demand.
//
// The pass ends with a basis. Each node before T has one arc that goes on to the right: its slot, or its purchase. So
// these arcs are a spanning tree, with T as its root. A slot with a purchase has x = 0, and is not in the basis. Purchases are
// above 0, and the x of the other slots may have any sign.
//
// That pays where falls are rare, as demand that never falls is best bought as it comes, and where there are many
// classes. On growth and stairs with thirty terms of hours the simplex then takes 1 to 56% of its time, on growth with
// ten terms of a day to a month 36 to 68%. Other demand gets worse by it, so rising asks for four things:
//
//   - A fall comes after leastRises rises, and after two of the longest terms, in the mean. On walks the first plan
//     takes up to three times as long, with terms of a year up to 34 times: what was bought at a peak has to be
//     taken back.
//   - No demand falls, or all terms are at most shortTerm. With terms of a month, two falls in two years are enough
//     for 20 times the work.
//   - There are leastClasses classes. The purchases of one class are chains, one for each phase of its term, that may
//     meet only at node T. With two terms of hours the cycles of the simplex go over all of these: up to 43
//     times the work on growth without a fall.
//
// Of 411 problems of growth, ramps, sawtooths and releases, 65 are so. None of them takes more than 1.23 times the
// work, and the geometric mean is .37.

const (
	leastRises   = 8
	shortTerm    = 200
	leastClasses = 10
)

// rising says whether start is a better first plan than all on demand.
func (s *Solver) rising() bool {
	p := &s.prob
	if s.general || len(p.Classes) < leastClasses {
		return false
	}
	longest := 0
	for _, c := range p.Classes {
		if c.Fees != nil {
			return false
		}
		longest = max(longest, min(c.Term, s.T))
	}
	rises, falls := 0, 0
	for t := 1; t < s.T; t++ {
		switch a, b := p.net(t-1), p.net(t); {
		case b > a:
			rises++
		case b < a:
			falls++
		}
	}
	return rises > 0 && falls*leastRises <= rises && 2*falls*longest <= s.T && (falls == 0 || longest <= shortTerm)
}

// start makes the basis of the first plan. All slots are in the basis before.
func (s *Solver) start() {
	p, T := &s.prob, s.T
	longest := 0
	for _, c := range p.Classes {
		longest = max(longest, min(c.Term, T))
	}
	// The class for so many slots of use, -1 for none.
	best := s.off[:longest+1]
	for use := range best {
		fee, slots := p.Price, int64(1)
		best[use] = -1
		for k, c := range p.Classes {
			if u := int64(min(use, c.Term)); c.Fee*slots < fee*u {
				fee, slots, best[use] = c.Fee, u, int64(k)
			}
		}
	}
	// until[t] is the first slot after t with less demand, T if there is none.
	until := s.sid[:T+1]
	for t := T - 1; t >= 0; t-- {
		u := t + 1
		for u < T && p.net(u) >= p.net(t) {
			u = int(until[u])
		}
		until[t] = int32(u)
	}
	ending := s.y[:T+1] // purchases that end at a node
	clear(ending)
	active := int64(0)
	left := int32(0)
	for t := range T {
		active -= ending[t]
		s.x[t] -= active
		u := s.x[t]
		if u < 0 {
			continue
		}
		k := best[min(int(until[t])-t, longest)]
		if k < 0 {
			continue
		}
		end := t + min(p.Classes[k].Term, T-t)
		ending[end] += u
		active += u
		s.x[t] = 0
		s.seg[left] = seg{flow: u, cost: -p.Classes[k].Fee, exit: int32(t), pnode: int32(end), kind: int32(k)<<1 | 1}
		s.link(int32(t), int32(end))
		left = int32(t + 1)
		s.setLeft(left)
	}
	s.seg[left] = seg{exit: int32(T), pnode: -1}
}
