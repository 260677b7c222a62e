package federation

import (
	"cmp"
	"slices"

	"github.com/plimsoll/plimsoll/pricing"
)

// Eq. (20) of [Liu21]: how many of a task's instances, θ, to run in another centre. Let
// m_t = (d − u_i(t))⁺ be missing at home and e_t idle elsewhere in slot t. Let p and p'
// be the prices on demand at home and elsewhere, s the sharing price, and w the price of
// sending an instance's data. Minimise over the whole numbers 0 ≤ θ ≤ d
//
//	f(θ) = w·θ + Σ_t p·(m_t − θ)⁺ + p'·(θ − e_t)⁺ + s·min(θ, e_t)
//	     = w·θ + Σ_t p·(m_t − θ)⁺ + s·θ + (p' − s)·(θ − e_t)⁺.
//
// The paper writes (d − θ − u)⁺ where the first form has (m − θ)⁺. Both are the same for
// 0 ≤ θ ≤ d: a positive d − θ − u needs u < d, and then m = d − u.
//
// Each term of the second form is linear but for one kink. The kink is at m_t, where the
// slope changes by p, or at e_t, where it changes by p' − s. Both are whole numbers. So
//
//	f is convex if p' ≥ s, an idle reservation costs no more than an instance on
//	demand in the same centre; otherwise the kinks at e_t bend down.
//
// With Options.Lending, s_t differs by slot: the slope at 0 has the sum of the s_t, and the
// slope changes by p' − s_t at e_t.
//
// [Liu21] Assumption 1, F_i/τ_i ≤ p_i for each centre i, makes f convex if s and p' are both
// prices of the lender, or both prices of the home, as printed. If one is a price of the lender
// and the other a price of the home, Assumption 1 says nothing. p does not matter.
//
// A part stays for the whole task, and may be larger than what is idle in some of its
// slots; the rest, (θ − e_t)⁺, runs on demand there. So long tasks can move at all. But if
// p' < p, tasks move to where nothing is idle, because on demand is cheaper there: the three
// logs of [Liu21] save 7% without any reservation. [AtHomePrice] and [NoExcess] prevent that.
//
// If f is convex, the least minimiser is the least kink after which f does not fall: the
// changes of slope up to that kink, and the slope at 0, sum to 0 or more. A weighted
// selection finds the kink. Take a pivot; add up the changes of slope up to the pivot; the
// sum says on which side the kink is; go on with that side. Invariant: slope is the slope
// of f before all kinks that are left, slope is negative, and the kink sought is among the
// kinks left. Pivots are medians of nine. After a round that left more than 3/4 of the
// kinks, the pivot is the median of medians of five, which leaves about 7/10. So no two
// rounds in a row are bad, and time is linear in the slots.
//
// If f is not convex, f still has its least value at 0 or at a kink, because f is linear
// between kinks and does not fall after the last kink. So the kinks are sorted and f is
// followed from kink to kink, O(n·log n). Minima are compared as exact amounts. The least
// minimiser is taken: a task that saves nothing by moving stays.
//
// No θ beyond max m_t is better. So the task's d and what fits into local reservations
// (Alg. 3, line 2) need no bound of their own: line 2 follows from Eq. (20).
//
// Space: two kinks a slot.

// rates are the prices in [Liu21] Eq. (20). All are 0 or more.
type rates struct {
	onDemand  pricing.Money // p, on demand at home, per instance and slot
	elsewhere pricing.Money // p', on demand in the other centre, per instance and slot
	share     pricing.Money // s, an idle reservation of the other centre, per instance and slot
	traffic   pricing.Money // w, sending an instance's data, once
}

// A splitter solves [Liu21] Eq. (20). The zero value is ready. A splitter keeps its
// memory, and allocates nothing once it has seen the longest task.
type splitter struct {
	kinks []kink
}

// kink is a place at which the slope of f grows by step.
type kink struct {
	at   int
	step pricing.Money
}

// theta returns how many of a task's instances should run in another centre, which lends
// reservations: the least θ that minimises [Liu21] Eq. (20). θ is at most the largest element of
// missing. In the task's t-th slot, the task lacks missing[t] instances at home, and the other
// centre can lend idle[t] instances. Negative values count as 0. If asked is not nil, asked[t] is
// the price of a lent instance in slot t, and r.share must be 0. theta relies on [Sharer] to check
// that amounts cannot overflow.
func (s *splitter) theta(missing, idle []int, r rates, asked []pricing.Money) int {
	lack, none, most := 0, 0, 0
	for t, m := range missing {
		if m > 0 {
			lack++
			most = max(most, m)
		}
		if idle[t] <= 0 {
			none++
		}
	}
	// The slope at 0: what the first instance adds.
	slope := r.traffic + r.elsewhere*pricing.Money(none) - r.onDemand*pricing.Money(lack)
	bend := r.elsewhere - r.share
	if asked == nil {
		slope += r.share * pricing.Money(len(missing)-none)
	} else {
		bend = r.elsewhere
		for t, p := range asked {
			if idle[t] > 0 {
				slope += p
				bend = min(bend, r.elsewhere-p)
			}
		}
	}
	if lack == 0 || slope >= 0 && bend >= 0 {
		return 0
	}
	if len(missing) == 1 && bend >= 0 { // bend is that of the slot, if it has idle instances
		if e := idle[0]; e > 0 && e < most && slope+bend >= 0 {
			return e
		}
		return most
	}
	s.kinks = s.kinks[:0]
	for t, m := range missing {
		if m > 0 {
			s.kinks = append(s.kinks, kink{m, r.onDemand})
		}
		if e := idle[t]; e > 0 && e < most {
			step := bend
			if asked != nil {
				step = r.elsewhere - asked[t]
			}
			s.kinks = append(s.kinks, kink{e, step})
		}
	}
	if bend >= 0 {
		theta, _ := selectSlope(s.kinks, slope)
		return theta
	}
	slices.SortFunc(s.kinks, func(a, b kink) int { return cmp.Compare(a.at, b.at) })
	var best, value pricing.Money // f − f(0)
	theta, at := 0, 0
	for _, k := range s.kinks {
		value += slope * pricing.Money(k.at-at)
		at = k.at
		slope += k.step
		if value < best {
			best, theta = value, at
		}
	}
	return theta
}

// few is the number of kinks below which sorting them all is faster, by BenchmarkTheta.
const few = 16

// selectSlope returns the least place at which slope plus the steps up to there is 0 or
// more, or the last place. The slope is negative, steps are not, and there is a kink. It
// reorders k. seen counts the kinks of all rounds; a test holds it to a multiple of
// len(k).
func selectSlope(k []kink, slope pricing.Money) (at, seen int) {
	careful := false
	for len(k) > few {
		seen += len(k)
		v := pivot(k, careful)
		less, more, below, upTo := partition(k, v)
		n := len(k)
		switch {
		case slope+below >= 0:
			k = k[:less]
		case slope+upTo >= 0 || more == n:
			return v, seen
		default:
			slope += upTo
			k = k[more:]
		}
		careful = len(k) > n-n/4
	}
	sortFew(k)
	for _, e := range k {
		if slope += e.step; slope >= 0 {
			return e.at, seen
		}
	}
	return k[len(k)-1].at, seen
}

// partition puts the kinks before v first, then the kinks at v, then the others. It
// returns where the second and third group begin, and the sums of the steps before v and
// up to v.
func partition(k []kink, v int) (less, more int, below, upTo pricing.Money) {
	more = len(k)
	for i := 0; i < more; {
		switch e := k[i]; {
		case e.at < v:
			below += e.step
			upTo += e.step
			k[i], k[less] = k[less], k[i]
			less++
			i++
		case e.at > v:
			more--
			k[i], k[more] = k[more], k[i]
		default:
			upTo += e.step
			i++
		}
	}
	return less, more, below, upTo
}

// pivot returns the place of a kink near the middle: the median of nine kinks spread
// over k. If careful, it is the median of the medians of groups of five, which has about
// 3/10 of the kinks or more on each side. pivot reorders k.
func pivot(k []kink, careful bool) int {
	if !careful {
		var nine [9]kink
		for i := range nine {
			nine[i] = k[i*(len(k)-1)/8]
		}
		sortFew(nine[:])
		return nine[4].at
	}
	groups := len(k) / 5
	for g := range groups {
		sortFew(k[5*g : 5*g+5])
		k[g], k[5*g+2] = k[5*g+2], k[g]
	}
	return median(k[:groups])
}

// median returns the place of the middle kink. It reorders k.
func median(k []kink) int {
	want := len(k) / 2
	for len(k) > few {
		v := pivot(k, true)
		less, more, _, _ := partition(k, v)
		switch {
		case want < less:
			k = k[:less]
		case want < more:
			return v
		default:
			want -= more
			k = k[more:]
		}
	}
	sortFew(k)
	return k[want].at
}

// sortFew sorts by insertion.
func sortFew(k []kink) {
	for i := 1; i < len(k); i++ {
		e := k[i]
		j := i
		for ; j > 0 && k[j-1].at > e.at; j-- {
			k[j] = k[j-1]
		}
		k[j] = e
	}
}
