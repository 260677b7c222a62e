package pricing

import "time"

// Year is the year of price lists: 365 days.
const Year = 8760 * time.Hour

// The cluster of Table 3 of [Niu16]: 93 nodes like EC2's cc2.8xlarge, kept for three years.
const (
	niu16Nodes    = 93
	niu16Hosting  = 15251 * Unit // per year, in proportion to the nodes; energy, but no staff
	niu16Lifetime = 3 * Year
)

// niu16Parts are the pieces that the cluster is bought as, in US dollars. Scaled is how many
// of count grow and shrink with the number of nodes.
var niu16Parts = [...]struct {
	price         Money // of one piece
	count, scaled int
}{
	{7749 * Unit, 93, 93}, // computing nodes (Dell PowerEdge R720)
	{612 * Unit, 93, 93},  // InfiniBand NIC
	{9172 * Unit, 3, 3},   // InfiniBand switch (36 ports)
	{7749 * Unit, 5, 0},   // I/O nodes (Dell PowerEdge R720)
	{6399 * Unit, 10, 0},  // disk array (HP D2600 with 24 TB disks)
	{1043 * Unit, 98, 93}, // fibre NIC for I/O
	{6599 * Unit, 8, 8},   // fibre channel switch (16 ports)
}

// Niu16Cluster returns what a cluster of your own with the given number of nodes costs for the time
// span, in US dollars. By Table 3 of [Niu16], the cost is a share of what the cluster costs over
// its lifetime of three years:
//
//	span/lifetime · (Σ price·(count - scaled + ⌈scaled·nodes/93⌉) + hosting·nodes/93·3 years)
//
// The sum is over the kinds of pieces in the table. For each kind, price is the price of a piece,
// count is the number of pieces in the table, and scaled is how many of these grow with the number
// of nodes. The hosting is $15,251 a year. The hosting and the result are rounded half to even. For
// 93 nodes and three years, the result is the $1,108,583 that the table prints. [Niu16] section 8.2
// charges a cluster for the length of a job log in this way. A span longer than the lifetime costs
// more than the whole price: a worn-out cluster is replaced at the same price.
//
// The paper prices clusters of up to 186 nodes and does not say how. Here the nodes, their
// InfiniBand and fibre cards, and the switches grow with the number of nodes, in the proportion of
// the table, rounded up to whole pieces. The five I/O nodes, their cards and the disks do not grow.
//
// The error unwraps to [ErrOverflow]. Niu16Cluster panics unless nodes is positive and span is not
// negative.
func Niu16Cluster(nodes int, span time.Duration) (Money, error) {
	if nodes <= 0 || span < 0 {
		panic("pricing: a cluster without nodes, or for a negative time")
	}
	total, fits := product(uint64(niu16Hosting), uint64(nodes)).times(uint64(niu16Lifetime)).
		money(product(niu16Nodes, uint64(Year)), HalfEven)
	for _, p := range niu16Parts {
		pieces, ok := product(uint64(p.scaled), uint64(nodes)).money(long{niu16Nodes}, Up)
		pieces += Money(p.count - p.scaled)
		cost, err := p.price.Mul(int64(pieces))
		var room bool
		total, room = sum(total, cost)
		fits = fits && ok && err == nil && room
	}
	if !fits {
		return 0, badInput("nodes", -1, ErrOverflow, "%d: want a cluster that costs at most 9223372036.854775807", nodes)
	}
	return total.Prorate(span, niu16Lifetime, HalfEven)
}
