// # The online portfolio
//
// Online follows [Niu16] section 5.2.2. At the end of each week the portfolio plans for
// the demand that is forecast up to the longest term, with the reservations held, and makes
// the purchases of that plan that are due now. A week later the forecast is better, and the
// portfolio plans again.
//
// From totals to use. A forecast is of a total, but a plan must know how long each single
// instance is used. The paper does not say how to get from the total to the use. Online
// scales the load-duration curve of the last year (rules.Online.Window): if the mean of the year
// was m, and f is the forecast for a week, the curve of that week is f/m times as high. A
// curve is enough. Let N be the number of active reservations of a class with use price q,
// and U_j the time for which the demand is at least j. In an interval without purchases
// the cost is
//
//	p·Σ_j U_j − (p − q)·Σ_{j ≤ N} U_j,
//
// and for several classes the same holds class by class. The cost is linear in the U_j for
// every N. So only the expected U_j of a random demand count, which are its load-duration
// curve. Which slots are high at the same time does not matter. A mixture of the curves of
// past weeks is such an expectation.
//
// The two planners. Exact plans the purchases of all future weeks too, and knows that
// another class can follow a class bought now. SEC is the planner of the paper. In total over
// six job logs, at the prices of the paper, Exact costs 1.026 and SEC 1.032 times the optimum
// with hindsight, for a simple forecast at its .4 quantile. Eq. (7) of the paper costs 1.212 times
// the optimum with adaptive factors, and 1.067 with fitted factors (BENCHMARKS.md).
//
// A trend needs evidence. With a trend taken from the first two weeks, the blend of package
// forecast costs 1.21 times the optimum, and Eq. (7) costs 1.42 times the optimum. So fitted models
// use simple smoothing in the first half year.
//
// Fine curves. With curves of half as many parts, all results were 1.6% dearer. A mean over
// half a day makes an instance that is used for one hour look used for half a day.
//
// Quantiles. One reservation too many costs its fee for a whole term. One reservation too
// few costs the difference to on demand until the reservation is bought: next week, if it
// is still missing. On these logs the two errors cost about the same: 1.026 at the .4
// quantile and at the forecast itself, 1.031 at the .3 quantile.
//
// Restricted portfolios. A portfolio that has only the three-year classes bought exactly
// what the full portfolio bought, on every log. Under pure cost at the prices of 2013, a
// three-year class is the cheaper way to hold an instance for any time. The optimum with
// hindsight buys no other class, and a forecast that does not fall gives no reason to buy
// another class. With a forecast that falls (TestOnlineControls has one), or with
// rules.Online.Premium, the portfolio buys shorter terms. A portfolio of a single class costs
// more: 5.4% with the three-year heavy class, 39% with a class of one year.
//
// No constant. The cost can be any multiple of the optimum, as for any algorithm that
// believes a forecast: the portfolio buys after one week of demand, and no further demand
// may come. rules.Online.Caps and Problem.MaxBuy limit what the portfolio can lose in a week. For
// one class at a time, Robust and Wang have constants.
package theory
