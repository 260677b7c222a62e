// # Heuristics
//
// Levels and windows. Two ideas carry all of them. A level is the simplest demand
// there is, an instance that is busy or not, and busy slots fall from level to
// level, so that "the levels with K busy slots or more" are those up to the K-th
// largest demand: an order statistic. That is all of Periodic, Constant and a step of
// SEC. But levels are not independent, since a reservation serves whichever
// instance runs: d = (1, 2, 1), τ = 2, F = 1.5, p = 1 costs 3.5 if each level buys
// for itself and 3.0 if not. Levels passes on what is left over; HGR looks at windows
// instead, and at all instances in them at once.
//
// Use prices. For one class, q only moves the origin: a plan costs q·Σd more than
// with the fee alone and the price p - q. So all one-class planners take classes
// billed either way, and inventory with a use price of at most q, which serves
// first whatever one buys. What is held of a dearer class would stand back, and is
// refused with ErrUnsupported.
//
// Ties. What costs the same is bought: a level with exactly K busy slots is worth
// its fee. Of windows that save the same the first is taken.
//
// SEC's open choices. [Niu16] section 5.1.2 leaves five, see sec.go. What they
// move, over the 15 weekly reference cases, as the geometric mean and the largest
// of cost over the optimum:
//
//	                                     total           pure
//	as chosen                            1.0406 1.1175   1.0198 1.0632
//	discount: by full cost per hour      1.0414 1.1457   as chosen
//	discount: by term, then use price    1.0505 1.2020   as chosen
//	purchases: least discounted first    1.0415 1.1181   1.0198 1.0632
//	rests count as their own class       as chosen       1.0198 1.0632
//	demand after the end goes on         1.2811 2.1720   as chosen
//	demand after the end is 0            as chosen       1.1230 1.5458
//
// Only what is assumed of the time after the end matters much. Counting rests as
// their own class moves four of the cases, by 0.02% at most: Eq. (3) compares sums.
//
// The bound. Competitive is [Niu16] Eq. (5), the cost if terms could be bought by
// the interval. It is a lower bound on the pure cost and so on the total: 0.9-5.5%
// below the optimal pure cost and 6-32% below the optimal total cost in those 30
// cases. So it certifies plans for the Pure horizon, and for Full says little.
package theory
