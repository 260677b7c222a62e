// Package smoothing has the models that package forecast chooses from, to update by hand. A model
// takes one observation at a time and forecasts any number of steps.
//
//	m := smoothing.Holt{Alpha: .4, Beta: .1, Phi: .9}
//	for _, x := range demand {
//		m.Update(x)
//	}
//	m.Forecast(next) // next[i] is i+1 steps ahead
//
//	You have                       You want                       Call
//	factors of your own            a forecast after each value    Update, Forecast of a model
//	a series                       the factors that fit it        Fit of a model, with a Fitter
//	a series                       the length of its season       Fitter.Periods
//	the name of a model            the model                      New
//	forecast errors                to know when they have a bias  Signal.Update, Alarm
//	a series that nobody knows     the choice of a model          package forecast
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
//	h                horizon, steps ahead; dst[i] is h = i + 1
//	E, M, T          smoothed error, smoothed |error|, tracking signal E/M
//	F, K             transition and gain: the state becomes F·s + K·e
//
// # Models
//
// An update takes O(1) time, 3 to 9 ns without a season, and a forecast O(h), for Autoregression
// O(h) for each lag. A fit takes 50 to 300 passes over the series, blend three fits.
//
//	                     for                                        stable for
//	"naive"              a baseline; a random walk                  always
//	"drift"              a baseline; a steady line                  always
//	Mean                 bursts without a pattern; far ahead        always
//	Simple               levels that wander, without a trend        0 < α
//	Holt                 a trend that will last                     0 < α, 0 < β
//	Holt, Phi < 1        a trend that may not last: long horizons   0 < α
//	"blend"              weekly demand without a season             0 < α
//	Triple               [Niu16] Eq. (7), and its two repairs       see Triple.Stable
//	AdaptiveTriple       [Niu16], factors from the tracking signal  see there
//	SeasonalNaive        a baseline with a season                   always
//	HoltWinters          one season or two that change slowly       α + γ + δ ≤ 1
//	Harmonic             long smooth seasons: the weeks of a year   small α and γ
//	Autoregression       hours; seasons that errors carry on        as fitted
//
// Models in quotation marks have no parameters to set: [New] makes them by their names. The
// conditions are for factors in [0, 1]. A fit keeps to them.
//
// # Seasons
//
// A season is a number of steps after which a series repeats: 24 hours, 7 days, 12 months,
// 52 weeks. [Fitter.Periods] finds the season by a test on the cycles of the
// series, and a second season above the first: hours repeat by the day and by the week.
// Fitter.Season states the season instead, and 1 states that there is none.
//
//   - Short histories. With fewer than two cycles a season cannot be told from a trend, and
//     models with a season are fitted without one. SeasonalNaive needs one cycle.
//   - Gaps. A missing value moves the phase on and corrects nothing. Autoregression puts its own
//     forecast there.
//   - Years of weeks. A year has 52.18 weeks. Models with an effect for each week use 52.
//     Harmonic takes 52 or 365.25/7, whichever fits better.
//
// # Allocation and concurrency
//
// Models without a season are plain values: copy one to keep its state. Models with a
// season and Mean hold slices that a copy shares; their JSON form is a copy that shares nothing.
// Update and Forecast allocate nothing, nor does a Fitter once it has seen the longest
// series. One value serves one goroutine at a time.
//
// # References
//
//	[Niu16]         see package forecast
//	[Trigg64]       Trigg, Monitoring a Forecasting System, Operational Research
//	                Quarterly 15(3), 1964: the tracking signal.
//	[Trigg67]       Trigg, Leach, Exponential Smoothing with an Adaptive Response
//	                Rate, Operational Research Quarterly 18(1), 1967.
//	[Winters60]     Winters, Forecasting Sales by Exponentially Weighted Moving
//	                Averages, Management Science 6(3), 1960.
//	[BoxCox64]      Box, Cox, An Analysis of Transformations, Journal of the Royal
//	                Statistical Society B 26(2), 1964.
//	[Taylor03]      Taylor, Short-Term Electricity Demand Forecasting Using Double
//	                Seasonal Exponential Smoothing, JORS 54(8), 2003.
//	[DeLivera11]    De Livera, Hyndman, Snyder, Forecasting Time Series with Complex
//	                Seasonal Patterns Using Exponential Smoothing, JASA 106, 2011.
//	[Gardner85]     Gardner, McKenzie, Forecasting Trends in Time Series, Management
//	                Science 31(10), 1985: the damped trend.
//	[Hyndman08]     Hyndman, Koehler, Ord, Snyder, Forecasting with Exponential
//	                Smoothing, Springer, 2008: chapter 6.
//	[Box76]         Box, Jenkins, Time Series Analysis, Holden-Day, 1976.
package smoothing
