// Package forecast predicts demand, from the next hours to years ahead. It finds the
// model that fits a series, and says what comes next, how sure that is, and when
// the forecast is not to be relied on.
//
//	var fitter smoothing.Fitter
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
//	a series                     where its level or slope changed    Changes
//	a demand by the hour or day  futures of years, to order on       Futures.Fit, Paths
//	a path, a planner of units   whole numbers with the same sum     Whole
//	a stream of observations     a forecast at any time              Rolling.Update, Forecast
//	a series, several models     the best of them on your past       Backtester.Select
//	many series, a model         how good the model is               Backtester.Evaluate
//	a series                     the length of its season            smoothing.Fitter.Periods
//	factors of your own          a model to update by hand           smoothing.Holt, HoltWinters, …
//	a program that restarts      to go on from the same state        json.Marshal of a Rolling
//
// # Problem
//
// Reservations are bought for one to three years, so the forecast decides what
// they are worth. Given x_1, …, x_k, one value a step, a forecast says what
// x_{k+1}, …, x_{k+h} will be and how sure that is. The next value arrives one at a
// time, some values are missing, and the state must survive a restart.
//
// The models are in package [github.com/plimsoll/plimsoll/forecast/smoothing], with the
// notation and the conditions under which each is stable. [New] makes the model that chooses
// among them. Use that model, or the choice of [Backtester.Select] on your own series. Where a trend
// is known to be steady use Holt's without damping. A quadratic, such as the triple smoothing of
// [Niu16], is no worse than Holt's trend a quarter ahead and is wrong a year ahead more often.
//
// # Accuracy
//
// MASE is the error in parts of that of a baseline, see [MASE]. Weekly are the 359 weekly series
// of the M4 competition [M4], 13 weeks and 52 weeks ahead, beside the last value. Hourly are 207
// of its hourly series, 48 hours ahead, beside the value of a day before. Coverage is that of 95%
// intervals, 13 weeks and 48 hours ahead:
//
//	                13 weeks   52 weeks  coverage   48 hours  coverage
//	last value         2.777      7.298      .960     11.95       .990
//	seasonal-naive     2.832      7.026      .958      1.233      .964
//	blend              2.258      6.291      .957     14.78       .994
//	lags               2.220      6.059      .949       .821      .917
//	auto               2.171      6.017      .967       .779      .944
//
//	PLIMSOLL_SHARED=… go test -run xxx -bench M4 ./forecast
//
// The numbers of origins and members of auto were chosen with these series in sight: expect a
// little less elsewhere. Nobody knows three years ahead: there MASE is 16.0 for auto, 16.9 for the last
// value, and 95% intervals cover 90%.
//
// # Changes
//
// A level that stepped is no trend. The default model looks for places at which the level or the
// slope changes, and moves the values before them to the level after the last one: what was before
// does not count, but for its season and its noise. A change has to be more likely than a level that
// wanders, so that few series of M4 have one (44 of 359). On 200 made-up series
// with a change, [Changes] lowers the error half a year ahead, in per cent of the level: from 4.7 to
// .9 after steps, and from 4.7 to 1.6 after ramps. After ends the error falls from 1.6 to 0, after
// pulses from 2.3 to .6 (go test -run ChangesAhead -v ./forecast).
//
// # Futures of years
//
// [Futures] has what a contract of one to three years needs: a level by the week, the hours of past
// weeks, what a short history has not seen, and needs that end. Its 80% intervals hold 82, 80, 83 and
// 79% of M4's weekly means 13, 26, 52 and 104 weeks ahead, and its 95% intervals 93, 92, 95 and 92%.
//
// # Intervals and paths
//
// With fixed factors an error of 1 moves the forecast j steps later by ψ_j, in the scale of the
// model's errors. So h steps ahead the variance is σ²·(1 + ψ_1² + … + ψ_{h-1}²), with σ² that
// of one-step errors [Hyndman08].
//
// Models are wrong, so a [Predictor] also looks at the errors that forecasts had in the past at
// each horizon, and takes whichever spread is larger. For auto these are errors
// on the end of the series, from before the fit. σ² is an estimate, so
// quantiles are Student's. Errors are taken to be normal and of one variance: at 99% expect
// 98 or 99, far ahead less.
//
// [Predictor.Paths] draws futures with the same spread at each step, from the last residuals:
// paths are as skewed, and as heavy in the tails, as the past. The model carries each error on
// to all later steps, so values along a path are correlated.
//
// [Limits] cut forecasts, quantiles and paths alike. Paths keep the forecast as their mean, also
// where limits cut them. Over 156 weeks a quadratic, and a
// trend without damping, needs limits.
//
// # Units
//
// Series and forecasts are float64 in the caller's units, and so are RMSE and bias. sMAPE
// is in per cent, coverage is a fraction of 1, MASE and WAPE are ratios. Time is counted
// in steps. NaN is a missing observation. An infinite observation is an error where a function
// returns errors, and counts as missing in Update. No forecast is ever NaN or infinite.
//
// # Allocation and concurrency
//
// Update and Forecast allocate nothing, nor do [smoothing.Fitter], [Predictor], [Rolling] and
// [Backtester], once they have seen the longest series. Models share nothing with each other
// or with a Fitter, so series can be fitted side by side with a Fitter
// and a goroutine each. One value serves one goroutine at a time. No input is
// modified, and only Predictor.Paths is random.
//
// # In the browser
//
// The program examples/tools/page has a room for this package: drag today into the past, and see
// how right a model would have been.
//
// # References
//
//	[Niu16]         Niu, Zhai, Ma, Tang, Chen, Zheng, Building Semi-Elastic Virtual
//	                Clusters for Cost-Effective HPC Cloud Resource Provisioning, IEEE
//	                TPDS 27(7), 2016: section 5.2.1, Eqs. (6) and (7).
//	[Hyndman08]     Hyndman, Koehler, Ord, Snyder, Forecasting with Exponential
//	                Smoothing, Springer, 2008: chapter 6.
//	[M4]            Makridakis, Spiliotis, Assimakopoulos, The M4 Competition,
//	                International Journal of Forecasting 36(1), 2020.
//	[Auger89]       Auger, Lawrence, Algorithms for the Optimal Identification of Segment
//	                Neighborhoods, Bulletin of Mathematical Biology 51(1), 1989.
//	[Abramowitz64]  Abramowitz, Stegun, Handbook of Mathematical Functions, 1964.
package forecast
