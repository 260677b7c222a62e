package flow

import (
	"errors"
	"math/bits"
)

// Class is one prepaid class: Fee buys one instance for Term slots from the
// slot of the purchase on (or up to the horizon, whichever is first).
type Class struct {
	Term int   // slots, at least 1
	Fee  int64 // whole cost of one purchase, at least 0
	// Fees, if not nil, replaces Fee: Fees[s] is the whole cost of a purchase
	// at slot s, and a negative one says that slot s is not for sale. This
	// carries allowed dates, fees that change, and fees pro rata at the
	// horizon.
	Fees []int64
	// Max, if above 0, caps the purchases of this class at each slot.
	Max int
}

// Problem is what Solve minimises; see the package comment. No field is modified. The caller sees to
// it that the tables have as many elements as there are slots, and that no number of instances is
// negative: Solve checks only whether the amounts are too large for it.
type Problem struct {
	Demand  []int
	Price   int64   // of one instance on demand for one slot, above 0
	Prices  []int64 // if not nil, the price per slot, in place of Price
	Classes []Class
	Held    []int // if not nil, instances already held in each slot
	// MaxActive, if not nil, caps the active instances (held and bought
	// together) in each slot; a negative entry is no cap.
	MaxActive []int
	// Steps are the costs of the slots if First is not nil, in the place of Demand, Price and
	// Prices. The steps of slot t are Steps[First[t]:First[t+1]], in the order of falling
	// Demand, with Demand and Price above 0. First has one element more than there are slots.
	Steps []Step
	First []int32
}

// A Step is a part of the cost of a slot: Price for each instance by which Demand
// exceeds the active ones.
type Step struct {
	Demand int
	Price  int64
}

// Purchase says: buy Count of class Class at slot Slot.
type Purchase struct {
	Slot, Class, Count int
}

var (
	ErrOverflow   = errors.New("flow: problem too large for int64")
	ErrInfeasible = errors.New("flow: more instances held than may be active")
)

// slots returns the number of slots.
func (p *Problem) slots() int {
	if p.First != nil {
		return max(0, len(p.First)-1)
	}
	return len(p.Demand)
}

// stepsOf returns the steps of slot t. one is room for a step.
func (p *Problem) stepsOf(t int, one *[1]Step) []Step {
	if p.First != nil {
		return p.Steps[p.First[t]:p.First[t+1]]
	}
	one[0] = Step{p.Demand[t], p.Price}
	if p.Prices != nil {
		one[0].Price = p.Prices[t]
	}
	return one[:]
}

// peak returns the largest demand of slot t, and the instances held there.
func (p *Problem) peak(t int) (demand, held int) {
	if p.First == nil {
		demand = p.Demand[t]
	} else if p.First[t] < p.First[t+1] {
		demand = p.Steps[p.First[t]].Demand
	}
	if p.Held != nil {
		held = p.Held[t]
	}
	return demand, held
}

// check checks that the potentials of the problem fit in 61 bits.
func (p *Problem) check() error {
	T := p.slots()
	if T >= 1<<30 || len(p.Classes) >= 1<<20 {
		return ErrOverflow
	}
	most, err := p.highest()
	if err != nil {
		return err
	}
	for _, c := range p.Classes {
		if most = max(most, c.Fee); uint64(c.Max) >= 1<<32 {
			return ErrOverflow
		}
		for _, f := range c.Fees {
			most = max(most, f)
		}
	}
	// A potential difference along a path of the tree is at most T prices and T fees.
	if hi, lo := bits.Mul64(uint64(most), uint64(2*T+4)); hi != 0 || lo >= 1<<61 {
		return ErrOverflow
	}
	return nil
}

// highest returns the highest price of a slot.
func (p *Problem) highest() (most int64, err error) {
	most = p.Price
	for _, v := range p.Prices {
		most = max(most, v)
	}
	for t := 0; p.First != nil && t < p.slots(); t++ {
		sum := int64(0)
		for _, st := range p.Steps[p.First[t]:p.First[t+1]] {
			if sum += min(st.Price, inf); sum >= inf {
				return 0, ErrOverflow
			}
		}
		most = max(most, sum)
	}
	return most, nil
}

// supply returns a bound on half the flow of any arc of a basis: the sum of the demands, of
// what is held and of the caps of the classes. 8·(T+2) times the bound fits in 61 bits.
func (p *Problem) supply() (total uint64, err error) {
	T := p.slots()
	for t := range T {
		demand, held := p.peak(t)
		if total += uint64(demand) + uint64(held); total >= 1<<60 {
			return 0, ErrOverflow
		}
	}
	for _, c := range p.Classes {
		if total += uint64(c.Max) * uint64(T); total >= 1<<61 {
			return 0, ErrOverflow
		}
	}
	if hi, lo := bits.Mul64(total+1, uint64(8*(T+2))); hi != 0 || lo >= 1<<61 {
		return 0, ErrOverflow
	}
	return total, nil
}
