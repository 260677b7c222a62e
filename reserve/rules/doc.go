// Package rules buys reservations by published rules: as the demand comes in, week by week
// or slot by slot, or for a known demand, to compare with the optimum of package reserve.
//
//	var o rules.Online
//	o.Forecaster = predictor // of the mean demand of a week, such as forecast.Predictor
//	err := o.Reset(&reserve.Problem{Slot: time.Hour, Every: 168, Prices: prices, Held: held})
//	buys, err := o.Advance(nil, demand) // all hours from the start of the series to now
//
//	You have                               You want                               Call
//	demand week by week and a forecaster   what to buy this week, of all classes  Online.Advance
//	demand slot by slot, no forecast       what to buy now, at most 2·optimum     Wang.Observe
//	the same, and a source of chance       at most 1.59·optimum, expected         WangRandom.Observe
//	demand slot by slot and a forecast     what to buy now, near the optimum      RHO.Observe with Deferred
//	the same                               at most 2.1·optimum, whatever the      Robust.Observe
//	                                       forecast
//	a known demand                         a published plan, to compare           AppendPlan of any type
//	a demand                               which class serves how much            Shares.Add
//
// # Which rule
//
// For a known demand, [reserve.Exact] is cheaper than all planners here, as quick, and has a
// proof. The planners are for readers who study the published rules, and for those who want to
// know what another tool's plan leaves on the table. Constant is what the clouds' own
// recommendations do.
//
//	             classes  sees          cost at most, times the optimum    time
//	Online       all      a forecast    none without a hypothesis on it    a plan a week
//	RHO          one      a forecast    no constant; τp/F if exact         O(λ) a slot
//	Robust       one      a forecast    2.1, or what is asked for from 2   O(λ + log τ) a slot
//	Wang         one      the past      2                                  O(log τ) a slot
//	WangRandom   one      the past      e/(e − 1), expected                O(log τ) a slot
//	History      one      the past      none, [Wang15]                     O(τ) a slot
//	Periodic     one      a term        2                                  O(n)
//	SEC          all      the demand    one class: τp/F; else none known   O(n·terms·log n)
//	Constant     one      the demand    none; at most on demand, but Peak  O(n)
//
// The constants hold for the Full horizon and purchases at any slot; the types say more. Package
// reserve/theory has the proofs. No rule is the best everywhere. On five real demands, RHO with
// Deferred is the cheapest with reservations of a day, and Robust with reservations of a month.
// WangRandom is cheaper than Wang on average, and Wang needs no chance (BENCHMARKS.md).
//
// # Online and offline
//
// A purchase commits now and pays off later, so a rule must know or guess the demand for as long
// as a term. A rule sees the past, the present slot and what a forecast says of the next slots.
// [Online] sees the demand of whole intervals, turns the forecast of their
// means into a demand, and plans for that demand with all classes.
//
// # Slot by slot
//
// [RHO], [Robust], [Wang], [WangRandom] and [History] decide slot by slot how many reservations of
// one class to buy:
//
//	Reset(o reserve.Offer) error
//	Observe(demand int, forecast []int) int
//
// Reset begins a series for a class: nothing has been observed and nothing is held. The
// error is a *reserve.InputError that says what is wrong with the offer or with the options of
// the rule; the rule is then not ready.
//
// Observe takes the demand of the next slot and a forecast of the slots after that slot:
// forecast[0] is the slot right after. Observe returns how many reservations to buy now.
// These serve from this slot on, for a term. A rule with a window of λ slots reads λ - 1 slots of
// the forecast; slots that the forecast lacks count as no demand. The forecast is neither kept nor
// modified, and each call may pass another one. Observe panics before a successful Reset, and for a
// demand, or a forecast that it reads, outside 0 to [math.MaxInt32]. Observe allocates nothing once
// warm.
//
// One rule is different: [RHO], if it makes all purchases of a window (Printed or Mended, without
// FirstSlot, with a window longer than a term, or of a term with AnyStart). It plans only if the
// forecast has all λ - 1 slots. Otherwise it decides nothing, and buys what earlier windows decided
// for this slot. What a window has decided is bought, whatever later forecasts say.
//
// Rules are [reserve.Planner]s too: AppendPlan resets the rule and observes a whole demand. There a
// RHO that makes all purchases of a window takes a window longer than the demand as the demand.
// Observe cannot, since it does not know where the demand ends.
//
// # Notation
//
//	n, h      slots of the demand, classes of the list
//	d_t       demand, instances in slot t;  level l: the l-th instance, busy
//	          in the slots with d_t ≥ l
//	p         price of a slot on demand
//	τ, F, q   term in slots, fee, use price per slot of a class; a class billed
//	          [pricing.Always] has all in F
//	λ         slots that a decision looks at, the present slot included
//	N(t)      reservations of a class bought up to slot t
//	m         least number of busy slots that is worth a fee, ⌈F/(p - q)⌉
//
// # Allocation and concurrency
//
// The zero value of each type is ready. Each keeps its memory, O(n + τ), SEC O(n·h), and allocates
// nothing once warm. One goroutine at a time may use one. Inputs are not modified. Nothing is
// random but WangRandom, and the futures of Online.Paths, which come from Online.Seed.
//
// # References
//
//	[Niu16]   Niu, Zhai, Ma, Tang, Chen, Zheng, Building Semi-Elastic Virtual
//	          Clusters for Cost-Effective HPC Cloud Resource Provisioning, IEEE
//	          TPDS 27(7), 2016: sections 5.1 and 5.2.
//	[Liu21]   Liu, Peng, Yu, Liu, Huang, Pan, An Instance Reservation Framework
//	          for Cost Effective Services in Geo-Distributed Data Centers, IEEE
//	          Transactions on Services Computing, 2021: section 4, Alg. 2.
//	[Wang13]  Wang, Li, Liang, To Reserve or Not to Reserve: Optimal Online
//	          Multi-Instance Acquisition in IaaS Clouds, ICAC 2013.
//	[Wang15]  Wang, Niu, Liang, Li, Dynamic Cloud Instance Acquisition via IaaS
//	          Cloud Brokerage, IEEE TPDS 26(6), 2015: Periodic and History.
package rules
