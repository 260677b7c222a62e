// Package forecast predicts demand, from the next hours to years ahead. It finds the
// model that fits a series, and says what comes next, how sure that is, and when
// the forecast is not to be relied on.
//
//	var fitter forecast.Fitter
//	model, _ := forecast.New("") // finds the season, tries models, takes the best
//	p := forecast.Predictor{Model: model, Limits: forecast.Limits{NonNegative: true}}
//	_, err := p.Fit(&fitter, demand)
//	p.Forecast(mean)      // mean[i] is i+1 steps ahead
//	p.Quantile(high, .9)  // high[i] suffices with probability 90%
//	p.Paths(futures, rng) // whole futures, to plan on all of them at once
//
//	You have                     You want                            Call
//	a series                     what comes next                     New, Predictor.Fit, Forecast
//	a fitted Predictor           a level that suffices; an interval  Predictor.Quantile, Interval
//	a fitted Predictor           many possible futures               Predictor.Paths
//	a fitted Predictor           to know when not to rely on it      Predictor.Alarm
//	a stream of observations     a forecast at any time              Rolling.Update, Forecast
//	a series, several models     the best of them on your past       Backtester.Select
//	many series, a model         how good the model is               Backtester.Evaluate
//	a series                     the length of its season            Fitter.Periods
//	swings that grow with level  any model, on the logarithm         BoxCox
//	factors of your own          a model to update by hand           Holt, HoltWinters, …
//	a program that restarts      to go on from the same state        json.Marshal of a Rolling
//
// # Types
//
// A [Model] is a small value that takes one observation at a time and forecasts any
// number of steps. The models are:
//
//   - without a season, [Naive], [Drift], [Mean], [Simple], [Holt], [Blend], [Triple] in
//     three values of [Form], and [Brown],
//   - with factors that adapt by [TriggLeach], [AdaptiveSimple], [AdaptiveHolt] and
//     [AdaptiveTriple],
//   - with a season, [SeasonalNaive], [HoltWinters], [Harmonic] and [Autoregression],
//   - around others, [BoxCox] and [Auto].
//
// A [Fittable] model chooses its own parameters with a [Fitter], and a [Fit] says how well
// they fit. [New] makes a model from its name.
//
// A [Predictor] puts [Limits], quantiles, paths and the tracking signal ([Signal]) around a
// model. A [Rolling] is a Predictor that fits its model again from time to time. A
// [Backtester] measures models by [Score]. An [InputError] says which input is bad.
//
// # Problem
//
// Reservations are bought for one to three years, so the forecast decides what
// they are worth. Given x_1, …, x_k, one value a step, a forecast says what
// x_{k+1}, …, x_{k+h} will be and how sure that is. The next value arrives one at a
// time, some values are missing, and the state must survive a restart.
//
// # Notation
//
//	x_k, e_k         observation, and error of its forecast one step before, x − forecast
//	d or l, v or b   level, trend; a or c, acceleration: the change of the trend
//	s, u             effect of the season, and of the second season, at a phase
//	m                steps of the season, the period
//	α, β, γ          smoothing factors, in [0, 1]
//	φ                damping of the trend; φ of a Signal is its smoothing constant
//	ρ                part of a residual that is still there a step later
//	ψ_j              what an error of 1 adds to the forecast j steps later
//	h                horizon, steps ahead; dst[i] is h = i + 1
//	E, M, T          smoothed error, smoothed |error|, tracking signal E/M
//	F, K             transition and gain: the state becomes F·s + K·e
//
// # Models
//
// An update takes O(1) time and a forecast O(h), for Autoregression O(h) for each lag. A
// fit takes 50 to 300 passes over the series, Blend three fits, Auto two fits of up
// to 13 models. Auto without a season takes two fits of Blend.
//
// An update takes 3 to 9 ns with fixed factors and no season. Adaptive factors take longer,
// since each is a division: 11 to 26 ns for Lagged, and 17 to 26 ns for the original
// rule. There the division waits for the error that the factor is to smooth, and the next
// error waits for the division (go test -run xxx -bench Update ./forecast).
//
// Ten nanoseconds for the original rule would cost the result. The operations alone, with all
// state in registers, take 14 ns for Simple, because each waits for the one before; the
// same bits cannot come sooner. A multiplication in place of the division gives other bits
// and takes 12 ns. The other 3 to 4 ns of an update look at missing values, hold the factor
// within its limits, and keep the state in memory, which a caller may read between updates.
// Lagged comes within 1.2 ns of the ten, since the division is done before the next error.
//
//	                     for                                        stable for
//	Naive                a baseline; a random walk                  always
//	Drift                a baseline; a steady line                  always
//	Mean                 bursts without a pattern; far ahead        always
//	Simple               levels that wander, without a trend        0 < α
//	Holt                 a trend that will last                     0 < α, 0 < β
//	Holt, Phi < 1        a trend that may not last: long horizons   0 < α
//	Blend                weekly demand without a season             0 < α
//	Triple               [Niu16] Eq. (7), and its two repairs       see Triple.Stable
//	Brown                quadratics, with one factor                0 < α < 2
//	Adaptive…            factors from the tracking signal           see below
//	SeasonalNaive        a baseline with a season                   always
//	HoltWinters          one season or two that change slowly       α + γ + δ ≤ 1
//	Harmonic             long smooth seasons: the weeks of a year   small α and γ
//	Autoregression       hours; seasons that errors carry on        as fitted
//	Auto                 the default: a series that nobody knows    as its members
//
// The conditions are for factors in [0, 1], but for Brown's. A fit keeps to them.
//
// # Seasons
//
// A season is a number of steps after which a series repeats: 24 hours, 7 days, 12 months,
// 52 weeks. [Fitter.Periods] finds the season by a test on the cycles of the
// series, and a second season above the first: hours repeat by the day and by the week.
// Fitter.Season states the season instead, and 1 states that there is none. No model
// assumes a season: Auto tries models with and without one on the end of the series.
//
//   - Short histories. Two cycles are the least from which a season can be told from a
//     trend. With fewer, models with a season are fitted without one. SeasonalNaive
//     needs one cycle.
//   - Gaps. A missing value moves the phase on and corrects nothing. Autoregression puts its own
//     forecast there.
//   - Zeros. The logarithm and multiplicative seasons want values above 0. Auto
//     tries the square root where there are zeros, and no transform where values are negative.
//   - Years of weeks. A year has 52.18 weeks. Models with an effect for each week use 52: after
//     three years the effects are half a week late, less than they can be known.
//     Harmonic takes 52 or 365.25/7, whichever fits better.
//   - Swings that grow with the level. HoltWinters has a multiplicative form, and BoxCox runs
//     any model on the logarithm or a power. Auto tries both.
//
// # Accuracy
//
// The weekly series of the M4 competition [M4], each fitted to all that came before
// (Blend to the last 208 weeks, Auto to the last 416 or more). Forecasts are held within 0 and
// twice the peak, intervals are those of 95%:
//
//	                 13 weeks ahead, 359 series   52 weeks ahead, 294 series
//	                 MASE   sMAPE   coverage      MASE    sMAPE   coverage
//	naive            2.777   9.161  .960           7.298  12.477  .937
//	drift            2.682   9.484  .964           6.659  12.723  .952
//	simple           2.684   9.011  .933           7.246  12.960  .915
//	holt             2.414   9.637  .950           6.565  16.001  .928
//	damped           2.406   8.926  .944           6.686  13.741  .927
//	triple           2.466   9.955  .950           6.667  16.976  .919
//	midpoint         2.467   9.913  .950           6.582  16.541  .921
//	backward         2.466   9.912  .950           6.645  16.727  .920
//	brown            5.325  15.913  .934          33.154  54.631  .918
//	adaptive-simple  2.848  10.298  .932           7.260  14.553  .917
//	adaptive-holt    2.683  10.199  .943           7.916  17.131  .916
//	adaptive-triple  3.030  12.445  .950          14.482  33.102  .905
//	blend            2.258   8.550  .957           6.291  13.499  .940
//	mean             2.892   9.246  .933           7.444  12.570  .902
//	seasonal-naive   2.832   7.793  .958           7.026   9.818  .934
//	winters          2.368   7.762  .933           6.156  11.210  .928
//	winters-ratio    2.276   6.952  .975           6.187  10.140  .974
//	two-seasons      2.615   7.953  .921           6.828  10.840  .918
//	harmonics        2.375   7.754  .950           6.205  11.970  .936
//	lags             2.220   6.653  .949           6.059   9.887  .924
//	auto             2.195   6.661  .968           6.011   9.503  .942
//
//	PLIMSOLL_SHARED=… go test -run xxx -bench M4/ ./forecast
//
// R's forecast 8.20 has on the same 13 weeks: holt 2.413 and 9.706, damped 2.400 and
// 8.867, ets 2.527 and 8.727, theta 2.639 and 9.089.
//
// Half of the hourly series of the same competition, 207 of 414, 48 hours ahead. The season
// is 24, and MASE is measured by the seasonal naive forecast:
//
//	                 MASE   sMAPE  coverage
//	naive            11.95   43.1  .990
//	blend            14.78   42.2  .994
//	mean             10.86   33.0  .973
//	seasonal-naive    1.233  14.0  .964
//	winters           1.549  15.5  .981
//	two-seasons       1.349  14.6  .927
//	harmonics         1.298  15.9  .984
//	lags               .821  11.1  .917
//	auto               .781   9.4  .942
//
//	PLIMSOLL_SHARED=… go test -run xxx -bench M4Hourly ./forecast
//
// On the whole set others publish: automatic ARIMA of statsforecast .92, of R 1.02, Prophet
// 1.78; R's stlf has 1.246 and theta 2.455.
//
// So use [Auto], or the choice of [Backtester.Select] on your own series. Where a trend is
// known to be steady use Holt without damping. A quadratic fitted well is
// no worse than Holt a quarter ahead and wrong a year ahead more often. The recursion of the
// paper with adaptive factors, "adaptive-triple", loses to the last value at both horizons.
//
// Blend, Auto's numbers of origins and members, and the lags of Autoregression were chosen
// with these series in sight. Their settings lie on plateaus, but expect a little less
// elsewhere. The gain of Blend over the naive forecast is in MASE, a mean over series; a
// year ahead its sMAPE is worse, as is that of any model with a trend and no season. Three
// years ahead, 156 weeks, MASE is 14.6 for lags, 15.5 for drift, 15.6 for blend, 15.9 for
// auto, 16.9 for naive and for holt. Nobody knows that far ahead: 95% intervals of auto
// cover 89%, those of naive 86%.
//
// On the hourly demand of five job logs and a made-up fleet, a week ahead from six points,
// the mean error in parts of the demand is:
//
//	Auto                       .251
//	two-seasons                .266
//	lags                       .276
//	mean of a recent window    .276
//	seasonal naive             .283
//	Blend                      .311
//	the last value             .328
//
// The mean is the best single model on two of the logs. On one of them the mean has .191,
// and Auto, which mixes the mean with other models, has .247.
//
// # Intervals and paths
//
// For fixed factors every model is linear in its errors, in the scale of its errors. An error
// of 1 moves the forecast j steps later by ψ_j, so that h steps ahead the variance is
// σ²·(1 + ψ_1² + … + ψ_{h-1}²), with σ² that of one-step errors [Hyndman08]. The models'
// Spread methods return the square root of the sum.
//
// Models are wrong, so a [Predictor] also looks at the errors that forecasts had in the past at
// each horizon, and takes whichever spread is larger. For Auto these are errors
// on the end of the series, from before the fit. σ² is an estimate, so
// quantiles are Student's. Errors are taken to be normal and of one variance: at 99% expect
// 98 or 99, far ahead less.
//
// [Predictor.Paths] draws futures with the same spread at each step. Their errors are
// drawn from the last residuals, so paths are as skewed, and as heavy in the tails, as the
// past. The model carries each error on to all later steps, so values along a path are
// correlated. A part of the spread that the model does not explain shifts the whole path.
//
// [Limits] cut forecasts, quantiles and paths alike. Over 156 weeks a quadratic, and a
// trend without damping, needs limits.
//
// # Adaptive factors
//
// Trigg and Leach set a factor to the size of the tracking signal, |T| = |E|/M. The factor is
// near 1 while errors all point one way, after a jump, and small otherwise.
// [TriggLeach] has the original rule and the lagged rule, each for α alone or for all
// factors. It adds three rules that the papers leave out. |T_1| is 1 whatever the first error, so
// the first three errors are smoothed with .2. M = 0 makes T = 0. The factor has a floor, since
// a model with α = 0 learns nothing. White noise alone gives |T| = .23 on average with
// φ = .1, so on quiet series adaptive factors are too quick.
//
// With a trend the problem is worse: transitions that are stable each by itself can
// have a product that is not. [AdaptiveTriple] keeps γ where that did not happen.
//
// The signal is an alarm by itself, also for models with fixed factors. With φ = .1
// and no bias |T| exceeds .47 one step in ten and .67 one step in a hundred.
// [Predictor.Alarm] reports the second.
//
// # Units
//
// Series and forecasts are float64 in the caller's units, and so are RMSE and bias. sMAPE
// is in per cent, coverage is a fraction of 1, MASE and WAPE are ratios. Time is counted
// in steps. NaN is a missing observation: the state moves on by a step and nothing is
// corrected. An infinite observation is an error where a function returns errors, and
// counts as missing in Update. No forecast is ever NaN or infinite.
//
// # Allocation and concurrency
//
// Models without a season are plain values: copy one to keep its state. Models with a
// season, Mean, BoxCox and Auto hold slices or models that a copy shares; their JSON form is
// a copy that shares nothing. Update and Forecast allocate nothing, nor do [Fitter],
// [Predictor], [Rolling] and [Backtester], once they have seen the longest series. Two
// models share nothing, nor do a model and the Fitter that fitted it, so any number of
// series can be fitted side by side with a Fitter and a goroutine each. One value serves one
// goroutine at a time. No input is modified, and only [Predictor.Paths] is random.
//
// # In the browser
//
// The program examples/tools/page has a room for this package, Forecast:
// drag today into the past, and see how right a model would have been. The room runs this package as WebAssembly.
//
//	go run github.com/plimsoll/plimsoll/examples/tools/page@latest
//
// # References
//
//	[Niu16]        Niu, Zhai, Ma, Tang, Chen, Zheng, Building Semi-Elastic Virtual
//	               Clusters for Cost-Effective HPC Cloud Resource Provisioning, IEEE
//	               TPDS 27(7), 2016: section 5.2.1, Eqs. (6) and (7).
//	[Brown63]      Brown, Smoothing, Forecasting and Prediction of Discrete Time
//	               Series, Prentice-Hall, 1963.
//	[Trigg64]      Trigg, Monitoring a Forecasting System, Operational Research
//	               Quarterly 15(3), 1964: the tracking signal.
//	[Trigg67]      Trigg, Leach, Exponential Smoothing with an Adaptive Response
//	               Rate, Operational Research Quarterly 18(1), 1967.
//	[Winters60]    Winters, Forecasting Sales by Exponentially Weighted Moving
//	               Averages, Management Science 6(3), 1960.
//	[BoxCox64]     Box, Cox, An Analysis of Transformations, Journal of the Royal
//	               Statistical Society B 26(2), 1964.
//	[Taylor03]     Taylor, Short-Term Electricity Demand Forecasting Using Double
//	               Seasonal Exponential Smoothing, JORS 54(8), 2003.
//	[DeLivera11]   De Livera, Hyndman, Snyder, Forecasting Time Series with Complex
//	               Seasonal Patterns Using Exponential Smoothing, JASA 106, 2011.
//	[Gardner85]    Gardner, McKenzie, Forecasting Trends in Time Series, Management
//	               Science 31(10), 1985: the damped trend.
//	[Hyndman08]    Hyndman, Koehler, Ord, Snyder, Forecasting with Exponential
//	               Smoothing, Springer, 2008: chapter 6.
//	[Makridakis98] Makridakis, Wheelwright, Hyndman, Forecasting, Wiley, 1998.
//	[M4]           Makridakis, Spiliotis, Assimakopoulos, The M4 Competition,
//	               International Journal of Forecasting 36(1), 2020.
//	[Box76]        Box, Jenkins, Time Series Analysis, Holden-Day, 1976.
//	[Abramowitz64] Abramowitz, Stegun, Handbook of Mathematical Functions, 1964.
package forecast
