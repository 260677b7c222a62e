// # Bids
//
// A bid is the most that one pays per hour of a spot instance, which runs while
// the price is at most that; what is paid is the price. A [Bidder] names a bid from
// past prices: [LowBid] and [MediumBid] are those of [Huang13], reconstructed from
// what the paper tells (see bid.go), [QuantileBid] is the price that was not
// exceeded for a share of the time. [Planner] looks at the task as well and
// decides when to wait, when to run on spot and with which bid, and when to go on
// demand, so that the expected cost is least and the deadline is met for every
// course of the price.
//
//	c, m, d    current price, mean of the past 30 days, price on demand
//	T, q, i    steps to the deadline, checkpoints written, level of the price
//	P_ij       probability that the price moves from level i to j in a step
//	V, R       least expected cost of a task that waits, of one that runs
//
//	bid          looks at          time                    guarantee
//	LowBid       c, m, d           O(changes)              at most d
//	MediumBid    c, m, d           O(changes)              served at once if c ≤ d; at most d
//	QuantileBid  past prices       O(changes·log range)    was enough for a share of the past
//	Planner   all that, and     O(T·blocks·h·n³) once,  the deadline; least expected cost
//	             the task          O(n²) a decision        if prices are as modelled
//
// The planner models the price as a Markov chain on a few levels ([PriceChain],
// estimated by [ChainEstimator]) and solves, backwards from the deadline,
//
//	V(t, q, i) = min{ on demand,  Σ_j P_ij V(t-1, q, j),  min over bids b of R(t, q, 0, i, b) }
//
// with R the cost of the next hour on spot and of what follows its end or its
// interruption; bid_planner.go has all of it. The deadline does not depend on the
// chain: an action after which on demand could be too late, at whatever price,
// is not among those that are compared. What depends on it is the cost. With hourly
// charges the plan knows that an hour which the provider interrupts is free.
//
// # Bids on today's clouds
//
// Until November 2017 the price of EC2's spot instances cleared an auction, jumped,
// and a bid was the way to say what an hour is worth. Since then the price follows
// supply and demand slowly, a few times a day and by a few percent, and a maximum
// price is optional: left out, it is the price on demand. Interruptions come when
// capacity is needed, seldom by the price; so a low bid adds interruptions and
// saves nothing that waiting would not. The default for today is therefore to bid
// the price on demand, as MediumBid{Share: 1} does, and as the planner does for the
// highest level of its chain; and to tell the planner how often capacity is taken,
// [Market.Reclaim]. Its answers are then when to start, when to stop, and, with
// [Market.Beside], when to rent on demand beside it; the bid matters only where
// prices jump.
package spot
