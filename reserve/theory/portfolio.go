// # The online portfolio
//
// Online is what [Niu16] section 5.2.2 does with a forecast: at the end of each
// week it plans for the demand that is forecast up to the longest term, with what it
// holds, and buys what that plan buys at once. Next week it knows better, and plans
// again.
//
// Totals into utilisation. A forecast is of a total, a plan needs to know how long
// each single instance is used; the paper does not say how to get from one to the
// other. Here the load-duration curve of the last year (Online.Window) is scaled: if
// the mean of the year was m and f is forecast, the curve of the week is f/m times as
// high. Why a curve is enough: let N be the number of active reservations of a class
// with use price q, and U_j the time for which the demand is at least j. In an
// interval without purchases the cost is
//
//	p·Σ_j U_j − (p − q)·Σ_{j ≤ N} U_j,
//
// and so for several classes, class by class: linear in the U_j, whichever N. So of a random demand only the expected U_j count, which is its
// load-duration curve, and not which slots are high at the same time as which. Curves
// of past weeks that are mixed are such an expectation.
//
// What the two planners make of it. Exact plans purchases of all future weeks as
// well, and knows that a class bought now may be followed by another; SEC is the
// paper's. Cost over the optimum with hindsight, pure, in total over six job logs, at
// the prices of the paper (`go run ./examples/portfolio`, BENCHMARKS.md):
//
//	forecast of the weekly mean                        exact   greedy
//	simple, α = .05, its .4 quantile                   1.026   1.032
//	simple, α = .05                                    1.026   1.033
//	simple, α = .1, its .4 quantile                    1.024   1.030
//	the blend of package forecast, its .4 quantile     1.037
//	Holt fitted, its .4 quantile                       1.056
//	Eq. (7) fitted                                     1.067
//	Eq. (7) with adaptive factors, as the paper does           1.212
//	nothing reserved                                   2.499
//
// those that are fitted with simple smoothing in the first half year. With the trend
// that they take from the first two weeks, the blend costs 1.21 and Eq. (7) 1.42 times
// the optimum. So for years ahead a trend has to be earned, and a week's noise is not
// one.
//
// Fine curves. With curves of half as many parts all of it was 1.6% dearer: a mean over
// half a day makes an instance that is used for an hour of it look used for all.
//
// Quantiles. A reservation too many costs its fee for all of its term; one too few
// costs the difference to on demand until it is bought, which is next week if it is
// still missing. On these logs the two are even: 1.026 at the .4 quantile and at the
// forecast itself, 1.031 at .3.
//
// Restricted portfolios. One that has only the classes of three years bought exactly
// what the full one did, on every log: under pure cost at the prices of 2013 a
// three-year class is the cheaper way to hold an instance for any time, the optimum
// with hindsight buys no other, and a forecast that does not fall gives no reason to.
// With a forecast that falls (TestOnlineControls has one), or with Online.Premium, it
// buys shorter terms. Restricted to a single class it costs more: with three years
// heavy 5.4%, with a class of one year 39%.
//
// No constant. The cost can be any number of times the optimum, as for any algorithm
// that believes a forecast: after one week of demand it buys, and there may be no
// demand ever after. What it can lose in a week is capped by Online.Caps and
// Problem.MaxBuy. For a class at a time Robust and Wang have constants.
package theory
