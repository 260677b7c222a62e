// Package forecast predicts demand, weeks to years ahead, by exponential smoothing.
//
// # Problem
//
// Reservations are bought for one to three years, so that a forecast decides what
// they are worth. Given x_1, …, x_k, one value a week, say what x_{k+1}, …, x_{k+h}
// will be, how sure that is, and when it is no longer to be trusted. What comes next
// arrives one at a time, some of it missing, and the state must survive a restart.
//
// A [Model] is a small value that is updated with each observation and forecasts
// any number of steps. Around it a [Predictor] adds quantiles, limits and the
// tracking signal, and a [Rolling] fits it anew from time to time. A [Fitter] chooses
// factors, a [Backtester] says which model to choose.
//
// # Notation
//
//	x_k, e_k         observation, error of its forecast one step before, x − forecast
//	d or l, v or b   level, trend, and a or c, acceleration: the change of the trend
//	α, β, γ          smoothing factors of the three, in [0, 1]
//	φ                damping of the trend; φ of a [Signal] is its smoothing constant
//	h                horizon, steps ahead; dst[i] is h = i + 1
//	E, M, T          smoothed error, smoothed |error|, tracking signal E/M
//	F, K             transition and gain: the state becomes F·s + K·e
//
// # Models
//
// An update takes O(1), a forecast O(h), a fit 50 to 250 passes over the series (Blend:
// three fits). An update is 3 to 9 ns with fixed factors. Adaptive ones take longer, since
// the factor comes out of a division: 11 to 25 ns for Lagged, and 18 to 28 ns for the
// original rule, whose division has to wait for the very error that it is to smooth, and
// the next error for it (go test -run xxx -bench Update ./forecast).
//
//	                 for                                        stable for
//	Naive            a baseline; a random walk                  always
//	Drift            a baseline; a steady line                  always
//	Simple           levels that wander, without a trend        0 < α
//	Holt             a trend that will last                     0 < α, 0 < β
//	Holt, Phi < 1    a trend that may not: long horizons        0 < α
//	Blend            the default: weekly demand not known well  0 < α
//	Triple           [Niu16] Eq. (7), and its mends             see below
//	Brown            quadratics, with one factor                0 < α < 2
//	Adaptive…        factors from the tracking signal           see below
//
// all for factors in [0, 1] but Brown's. On the weekly series of the M4 competition,
// each fitted to all that came before (Blend: to its last 208 weeks), forecasts
// held within 0 and twice the peak, intervals of 95%:
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
//
//	go test -run xxx -bench M4 ./forecast
//
// R's forecast 8.20 has on the same 13 weeks: holt 2.413 and 9.706, damped 2.400 and
// 8.867, ets 2.527 and 8.727, theta 2.639 and 9.089.
//
// So: use [Blend], or what [Backtester.Select] finds on your own series. Where a
// trend is known to be steady use [Holt], whose trend is not damped. A quadratic
// fitted well is no worse than Holt a quarter ahead and wrong a year ahead more
// often. The recursion of the paper with adaptive factors, "adaptive-triple", loses to
// the last value at both horizons. Nothing here knows of seasons.
//
// The gain of Blend over the naive forecast is in MASE, a mean over series; a year
// ahead its sMAPE is worse, as is that of any model with a trend. It was chosen with
// these series in sight: window, number of steps, and the criterion for a trend lie on
// plateaus, but expect a little less elsewhere. Three years ahead, 156 weeks, its MASE is 15.6, that of
// drift 15.5, of naive 16.9 and of holt 17: nobody knows, and its intervals cover 88%
// rather than 95%.
//
// # Why Eq. (7) is biased
//
// Put d_k and v_k of [Niu16] Eq. (7) into the lines below them. With e the one-step
// error,
//
//	d_k = d + v + a/2 + α·e,
//	v_k = v + a + β·(α·e − a/2),
//	a_k = a + β·γ·(α·e − a/2).
//
// On a quadratic with second difference A and no noise, a stable recursion ends in a
// steady state: e, and the lag of d, constant. Then a is constant, and the third line
// says α·e = a/2. So the second says that v grows by a each step, and since
// d_k − d_{k-1} = v + a/2 + α·e grows by A, a = A. Hence
//
//	e = A/(2·α):
//
// with α = .5 and A = 2 each forecast is 2 too low, for ever. The reason: v is the
// slope at k, but d_k − d_{k-1} is the slope in the middle of the step before, a/2
// less. There are two ways to mend it. [Midpoint] adds the a/2 to that difference;
// [BackwardDifference] takes v for what it is corrected by, the last step, so that
// the next one is v + a and the forecast d + v·h + a·h·(h+1)/2. Either way the lines
// end in β·α·e and β·γ·α·e, and a steady state has e = 0.
//
// # Stability
//
// Past errors must die out: all eigenvalues of F − K·H inside the unit circle, H·s
// being the forecast. With u = z − 1 the characteristic polynomial is
// u³ + A·u² + B·u + C, where
//
//	                    A                          B              C
//	AsPrinted           α + αβ + βγ/2 + αβγ/2      αβ + 2·αβγ     αβγ
//	Midpoint            α + αβ + αβγ/2             αβ + 3/2·αβγ   αβγ
//	BackwardDifference  α + αβ + αβγ               αβ + 2·αβγ     αβγ
//
// (as printed F has 1 − β/2 for 1 and 1 − βγ/2 for 1 in its last column, whose
// products with the gains cancel in B and C). Put u = 2·s/(1−s), which takes the
// inside of the circle to the left half plane, and multiply by (1−s)³:
//
//	(8 − 4A + 2B − C)·s³ + (4A − 4B + 3C)·s² + (2B − 3C)·s + C.
//
// By Routh and Hurwitz all roots are on the left if and only if the four
// coefficients are positive and the product of the inner two exceeds that of the
// outer two. On (0, 1]³ the coefficients are:
//
//	AsPrinted           8 − 4α − 2αβ − 2βγ + αβγ   4α + 2βγ − 3αβγ   2αβ + αβγ   αβγ
//	Midpoint            8 − 4α − 2αβ               4α − αβγ          2αβ         αβγ
//	BackwardDifference  8 − 4α − 2αβ − αβγ         4α − αβγ          2αβ + αβγ   αβγ
//
// all positive: the first column is at least 1, its least at a corner of the cube
// since it is linear in each factor. The products leave, after division by αβ and
// some constant,
//
//	AsPrinted           2·α + (1−α)·γ·(β·(1+γ) − 2) > 0
//	Midpoint            γ < 2·α/(2−α)
//	BackwardDifference  γ < α/(1−α).                                            ∎
//
// In the mends β cancels. Over the cube 21%, 38% and 30% of the factors are not
// stable, most of them with a small α: the corner to which adaptive factors lead. As
// printed the condition is quadratic in γ, and with β near 1 a second stable region
// begins beyond the first, see [Triple.GammaLimit].
//
// The like for two states, with u² + A·u + B: Holt has A = α + αβ, B = αβ, and
// 4 − 2α − αβ, 2α, αβ are positive on (0, 1]². Damped, the polynomial in z is
// z² − (1 + φ − α − αβφ)·z + φ·(1−α), of value α·(1 − φ + βφ) at 1 and at least 1 at
// −1, with a last coefficient below 1: stable with 0 < α and φ < 1. [Brown]'s is
// (u + α)³. [Triple.Validate] refuses what is not stable, [Triple.Clamp] mends it if
// asked.
//
// # Adaptive factors
//
// Trigg and Leach set a factor to the size of the tracking signal, |T| = |E|/M:
// near 1 while errors all point one way, after a jump, and small while they do not.
// [TriggLeach] has the original rule and the lagged one, for α alone or for all
// factors, and what the papers leave out: |T_1| is 1 whatever the first error, so that
// the first three are smoothed with .2; M = 0 is T = 0; and a floor, for at α = 0
// nothing is learnt. White noise alone gives |T| = .23 on average with φ = .1, so
// that on quiet series adaptive factors are too quick.
//
// With a trend it is worse, for transitions that are stable each by itself can
// have a product that is not. See [AdaptiveTriple], which keeps γ where that did not
// happen.
//
// The signal is an alarm by itself, also for models with fixed factors: with φ = .1
// and no bias |T| exceeds .47 one week in ten and .67 one week in a hundred, see
// [Signal] and [Predictor.TrackingSignal].
//
// # Intervals
//
// For fixed factors every model is linear in its errors: an error of 1 moves the
// forecast j steps later by c_j, so that h steps ahead the variance is
// σ²·(1 + c_1² + … + c_{h-1}²), with σ² that of one-step errors [Hyndman08]. The
// models' Spread methods have the square root of the sum. [Predictor] takes that, or
// the growth that errors had where the model was fitted, if it is more, since models
// are wrong; and Student's quantiles, since σ² is an estimate. It takes σ² to be
// constant and errors to be normal: at 99% expect 98 or 99, far ahead less.
// [Predictor.Paths] draws futures from the residuals themselves.
//
// [Limits] cut forecasts and quantiles alike. Over 156 weeks a quadratic, and a trend
// that is not damped, needs them.
//
// # Units
//
// Series and forecasts are float64 in units of the caller's, and so are RMSE and
// bias; sMAPE is per cent, coverage a part of 1, MASE and WAPE ratios. Time is counted
// in steps. NaN is a missing observation: the state moves on by a step and nothing
// is corrected. An infinite one is an error where an error can be returned, and
// counts as missing in Update; no forecast is ever NaN or infinite.
//
// # Allocation and concurrency
//
// Models are plain values: copy one to keep its state. Update and Forecast allocate
// nothing, nor do [Fitter], [Predictor], [Rolling], and [Backtester] once
// they have seen the longest series. Nothing is shared between two models, or
// between a model and the Fitter that fitted it, so that any number of series can
// be fitted side by side, a Fitter and a goroutine each. One value serves one
// goroutine at a time. No input is modified, and nothing is random but [Predictor.Paths].
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
