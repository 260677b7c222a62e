package pricing

import "time"

// Year is the year of price lists: 365 days.
const Year = 8760 * time.Hour

// Item is a line of what a cluster of Ownership.Nodes nodes is made of.
type Item struct {
	Name   string
	Price  Money // of one piece
	Count  int   // pieces
	Scaled int   // how many of Count grow and shrink with the number of nodes
}

// Ownership is what it costs to own a cluster: pieces bought once and hosting
// paid by the year, over a lifetime.
type Ownership struct {
	Nodes    int // nodes of the cluster described, > 0
	Items    []Item
	Hosting  Money         // per year of 365 days, in proportion to the nodes
	Lifetime time.Duration // > 0
}

// Niu16Cluster returns Table 3 of [Niu16]: 93 nodes like EC2's cc2.8xlarge, kept
// for three years, in US dollars. Its items and three years of hosting sum to the
// $1,108,583 that the table prints. Hosting includes energy; staff are not in it.
//
// The paper prices clusters of up to 186 nodes and does not say how. Here what
// hangs on a node grows with the nodes: the nodes, their InfiniBand and fibre
// cards, and the switches, in the proportion of the table, rounded up to whole
// pieces. The five I/O nodes, their cards and the disks do not.
func Niu16Cluster() Ownership {
	return Ownership{
		Nodes: 93,
		Items: []Item{
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
// or more pieces that scale than there are.
func (o Ownership) Validate() error {
	switch {
	case o.Nodes <= 0:
		return badInput("nodes", -1, ErrRange, "%d is not positive", o.Nodes)
	case o.Lifetime <= 0:
		return badInput("lifetime", -1, ErrRange, "%v is not positive", o.Lifetime)
	case o.Hosting < 0:
		return badInput("hosting", -1, ErrRange, "the price %v is negative", o.Hosting)
	}
	for i, it := range o.Items {
		switch {
		case it.Price < 0:
			return badInput("items.price", i, ErrRange, "the price %v is negative", it.Price)
		case it.Count < 0:
			return badInput("items.count", i, ErrRange, "%d is negative", it.Count)
		case it.Scaled < 0 || it.Scaled > it.Count:
			return badInput("items.scaled", i, ErrRange, "%d is not between 0 and the %d pieces", it.Scaled, it.Count)
		}
	}
	return nil
}

// Total returns what a cluster of the given number of nodes costs over its
// lifetime:
//
//	Σ price·(count - scaled + ⌈scaled·nodes/Nodes⌉) + hosting·nodes/Nodes·lifetime/year
//
// with the hosting rounded half to even, once. For o.Nodes nodes nothing is
// scaled. The error is that of [Ownership.Validate] or [ErrOverflow]. It panics
// unless nodes is positive.
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
		return 0, badInput("hosting", -1, ErrOverflow, "its cost does not fit in an amount of money")
	}
	for i, it := range o.Items {
		pieces, ok := product(uint64(it.Scaled), uint64(nodes)).money(wide{uint64(o.Nodes)}, Up)
		var fits [2]bool
		pieces, fits[0] = sum(pieces, Money(it.Count-it.Scaled))
		cost, err := it.Price.Mul(int64(pieces))
		total, fits[1] = sum(total, cost)
		if !ok || err != nil || fits != [2]bool{true, true} {
			return 0, badInput("items", i, ErrOverflow, "the cost does not fit in an amount of money")
		}
	}
	return total, nil
}

// Over returns the part of [Ownership.Total] that falls on the given span of the
// lifetime, Total·span/Lifetime, rounded half to even. So [Niu16] section 8.2
// charges a cluster for the length of a job log. A span longer than the lifetime
// costs more than Total: worn out clusters are replaced at the same price. It
// panics if span is negative or nodes not positive.
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
