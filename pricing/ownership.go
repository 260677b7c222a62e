package pricing

import "time"

// Year is the year of price lists: 365 days.
const Year = 8760 * time.Hour

// Part is one kind of piece that a cluster of Ownership.Nodes nodes consists of.
type Part struct {
	Name   string
	Price  Money // of one piece
	Count  int   // pieces
	Scaled int   // how many of Count grow and shrink with the number of nodes
}

// Ownership is the price of owning a cluster: parts bought once and hosting paid
// by the year, over a lifetime.
type Ownership struct {
	Nodes    int // nodes of the cluster described, > 0
	Parts    []Part
	Hosting  Money         // per year of 365 days, in proportion to the nodes
	Lifetime time.Duration // > 0
}

// Niu16Cluster returns Table 3 of [Niu16]: 93 nodes like EC2's cc2.8xlarge, kept
// for three years, in US dollars. Its parts and three years of hosting sum to the
// $1,108,583 that the table prints. Hosting includes energy, but no staff.
//
// The paper prices clusters of up to 186 nodes and does not say how. Here the
// nodes, their InfiniBand and fibre cards, and the switches grow with the number
// of nodes, in the proportion of the table, rounded up to whole pieces. The five
// I/O nodes, their cards and the disks do not grow.
func Niu16Cluster() Ownership {
	return Ownership{
		Nodes: 93,
		Parts: []Part{
			{Name: "computing nodes (Dell PowerEdge R720)", Price: 7749 * Unit, Count: 93, Scaled: 93},
			{Name: "InfiniBand NIC", Price: 612 * Unit, Count: 93, Scaled: 93},
			{Name: "InfiniBand switch (36 ports)", Price: 9172 * Unit, Count: 3, Scaled: 3},
			{Name: "I/O nodes (Dell PowerEdge R720)", Price: 7749 * Unit, Count: 5},
			{Name: "disk array (HP D2600 with 24 TB disks)", Price: 6399 * Unit, Count: 10},
			{Name: "fibre NIC for I/O", Price: 1043 * Unit, Count: 98, Scaled: 93},
			{Name: "fibre channel switch (16 ports)", Price: 6599 * Unit, Count: 8, Scaled: 8},
		},
		Hosting:  15251 * Unit,
		Lifetime: 3 * Year,
	}
}

// Validate returns an [*InputError] about the first thing that is wrong: a
// number of nodes or a lifetime that is not positive, a negative price or count,
// or a Scaled above its Count.
func (o Ownership) Validate() error {
	switch {
	case o.Nodes <= 0:
		return badInput("Nodes", -1, ErrRange, "%d: want 1 or more", o.Nodes)
	case o.Lifetime <= 0:
		return badInput("Lifetime", -1, ErrRange, "%v: want a positive length", o.Lifetime)
	case o.Hosting < 0:
		return badInput("Hosting", -1, ErrRange, "%v: want a price of 0 or more", o.Hosting)
	}
	for i, p := range o.Parts {
		switch {
		case p.Price < 0:
			return badInput("Parts.Price", i, ErrRange, "%v: want a price of 0 or more", p.Price)
		case p.Count < 0:
			return badInput("Parts.Count", i, ErrRange, "%d: want 0 or more", p.Count)
		case p.Scaled < 0 || p.Scaled > p.Count:
			return badInput("Parts.Scaled", i, ErrRange, "%d: want 0 to the Count of %d", p.Scaled, p.Count)
		}
	}
	return nil
}

// Total returns the cost of a cluster of the given number of nodes over its
// lifetime:
//
//	Σ price·(count - scaled + ⌈scaled·nodes/Nodes⌉) + hosting·nodes/Nodes·lifetime/year
//
// The hosting is rounded half to even, once. For o.Nodes nodes nothing is scaled.
// The error is that of [Ownership.Validate] or [ErrOverflow]. Total panics unless
// nodes is positive.
func (o Ownership) Total(nodes int) (Money, error) {
	if nodes <= 0 {
		panic("pricing: number of nodes that is not positive")
	}
	if err := o.Validate(); err != nil {
		return 0, err
	}
	total, ok := product(uint64(o.Hosting), uint64(nodes)).times(uint64(o.Lifetime)).
		money(product(uint64(o.Nodes), uint64(Year)), HalfEven)
	if !ok {
		return 0, badInput("Hosting", -1, ErrOverflow, "%v a year for %d nodes over %v: want a cost of at most 9223372036.854775807", o.Hosting, nodes, o.Lifetime)
	}
	for i, p := range o.Parts {
		pieces, ok := product(uint64(p.Scaled), uint64(nodes)).money(long{uint64(o.Nodes)}, Up)
		var fits [2]bool
		pieces, fits[0] = sum(pieces, Money(p.Count-p.Scaled))
		cost, err := p.Price.Mul(int64(pieces))
		total, fits[1] = sum(total, cost)
		if !ok || err != nil || fits != [2]bool{true, true} {
			return 0, badInput("Parts", i, ErrOverflow, "the cost up to this part for %d nodes: want at most 9223372036.854775807", nodes)
		}
	}
	return total, nil
}

// Over returns the share of [Ownership.Total] for the given span of the lifetime,
// Total·span/Lifetime, rounded half to even. [Niu16] section 8.2 charges a cluster
// for the length of a job log in this way. A span longer than the lifetime costs
// more than Total: a worn-out cluster is replaced at the same price. Over panics if
// span is negative or nodes is not positive.
func (o Ownership) Over(nodes int, span time.Duration) (Money, error) {
	if span < 0 {
		panic("pricing: negative span")
	}
	total, err := o.Total(nodes)
	if err != nil {
		return 0, err
	}
	return total.Prorate(span, o.Lifetime, HalfEven)
}
