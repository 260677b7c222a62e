// # Heuristics
//
// Levels and windows. The heuristics rest on two ideas. The first idea is the level: level
// l is the l-th instance, which in each slot is busy or not. Busy slots fall from level to
// level, so the levels with at least K busy slots are the levels up to the K-th largest
// demand, an order statistic. Periodic, Constant and a step of SEC need no more. But levels
// are not independent, since a reservation serves any instance that runs. Example:
// d = (1, 2, 1), τ = 2, F = 1.5, p = 1 costs 3.5 if each level buys for itself, and 3.0
// otherwise: Exact passes unused reservations on to the level below. The
// second idea is the window: HGR looks at all instances in a window at once.
//
// Use prices. For one class, a use price q only moves the origin: a plan costs q·Σd more
// than with the fee alone and the price p - q. So all planners for one class take classes
// billed either way, and inventory with a use price of at most q. Such inventory serves
// first under every plan. Inventory of a class with a higher use price would serve last,
// and is refused with ErrUnsupported.
//
// Ties. HGR, Periodic, Constant, SEC, RHO, History and Wang with Eager make a purchase that costs
// the same as on demand: a level with exactly F/p busy slots is worth its fee. Wang without Eager
// waits for one slot more. Exact promises nothing. Of windows that save the same amount, HGR takes
// the first, and so does RHO without LastOfEqual.
//
// SEC's open choices. [Niu16] section 5.1.2 leaves five choices open; sec.go lists them.
// Over the 15 weekly reference cases, BENCHMARKS.md has the cost with each choice.
//
// Only the assumption about the time after the end matters much. A rest is the remaining
// time of a reservation. If rests count as their own class, four of the cases change, by at
// most 0.02%, since Eq. (3) compares sums.
//
// The bound. Competitive is [Niu16] Eq. (5), the cost if terms could be bought by the
// interval. Eq. (5) is a lower bound on the pure cost, and therefore on the total cost. In
// the 30 weekly reference cases (15 demands, both horizons) the bound is 0.9-5.5% below the optimal
// pure cost and 6-32% below the optimal total cost. So the bound
// certifies plans for the Pure horizon, and says little for the Full horizon.
package theory
