// Package pricing holds exact money, the prices that clouds ask for instances,
// and what a demand costs under them.
//
// # Problem
//
// Clouds sell the same instance in several ways: by the hour or second on demand,
// at a lower price to those who pay a fee upfront for one or three years, or with
// a discount for whoever uses much within a month; or for a price that changes
// from hour to hour, with the risk of losing the instance. Which is cheapest
// depends on use, and a bill is full of thresholds: hours begun, whole instances,
// ranks of reservations. Planners compare such bills many thousand times, and ties decide
// what they buy. So the arithmetic has to be exact and the conventions have to be
// written down. This package does both, and takes no decision.
//
// # Notation
//
//	C_0            on demand, at the price P_0 per hour
//	C_k            price class ⟨T_k, F_k, P_k⟩: term, upfront fee, hourly price
//	d_i            demand, instances in slot i;  τ the length of a slot
//	R_ik, S_ik     reservations of class k bought at, active in slot i
//	u              utilisation of a reservation, used time over its term, in [0, 1]
//	f_k + q_k·u    cost of a reservation per hour of its term: commitment per hour
//	               and use price
//
// A class billed [WhenUsed] commits to its fee and pays P_k for each hour used: f
// = F/T, q = P. A class billed [Always] commits to all: f = F/T + P, q = 0.
//
// # Algorithms
//
//	Money               sums, products, rates over spans   O(1), exact or an error
//	Meter               charged time, next charge          O(1), a few nanoseconds
//	Class.BreakEven     one class against another          O(1), exact comparison
//	List.AppendEnvelope cheapest class by utilisation      O(n·h), exact
//	Biller              demand and purchases to a bill     O(slots·classes bought)
//	SustainedUse        one instance within a month        O(1)
//	SustainedBiller     demand to bills by calendar month  O(n log n) a month
//	Ownership           a cluster bought and hosted        O(items)
//	SpotHistory         price, mean, quantile, crossings   O(log n), O(window)
//	SpotMeter           a spot lease under a history       O(hours·log n)
//
// Money. An amount is an integer of nanos. Prices of instances have five decimals
// or so; one with more than nine is refused, not rounded.
// Since int64 addition is associative, a total does not depend on the order of
// its parts; with float64 it does, and two equal plans differ in the last digit.
// A product with a span may not be whole. It is taken in 128 bits and rounded
// once, at the end, by a rule that the call states; amounts that belong together
// (all hours of a class, an instance's month) are first added up as integers and
// then priced, so that a bill has as few roundings as lines.
//
// Meters. A lease of length L under a [Meter] pays for
//
//	Minimum                                        if L ≤ Minimum
//	Minimum + ⌈(L - Minimum)/Increment⌉·Increment  otherwise
//
// A charge falls due when the time paid for is used up. Who gives up an instance
// exactly then does not pay again, so an idle instance is worth keeping until
// [Meter.NextCharge] and not a moment longer: the delayed release of [Niu16]
// section 4.1.
//
// Envelope. Each class costs a straight line over u. The cheapest class at each u
// is the lower envelope of the lines, which is concave: as u grows, its classes
// have ever higher commitments and ever lower use prices. Its corners are where
// planners have to look, and only there: a class that is not on it is beaten at
// every utilisation. Of EC2's list of 2013, for three years,
//
//	on demand    from  0
//	3y-light     from  6.89%
//	3y-medium    from 38.34%
//	3y-heavy     from 75.96%, when billed always
//
// Light breaks even with on demand at 6.89%; medium with light at 38.34%, though
// with on demand at 13.05% already. [Niu16] prints 6.8 and 38.3 as the "minimum
// utilization levels" of light and medium: they are the corners of the envelope.
// The proof that the walk finds it is in envelope.go.
//
// Bill. Providers apply reservations to running instances from the most
// discounted class down. [Niu16] Eq. (2) says so instance by instance, with an
// inequality turned round in its first case (P_h where S_ih ≤ j; it is j ≤ S_ih).
// Mended, class k serves min(S_ik, what the classes before it left of d_i), and
// that is how [Biller] computes it. [Bill] has the total cost, and the pure cost
// of section 5.1.3, which deducts the unused part of the terms at the horizon.
//
// Sustained use. Quarters of a month at falling rates, over inferred instances:
// the time in which at least j instances ran is the usage of the j-th. See
// sustained.go for why no other way of joining leases is cheaper.
//
// Spot prices. A history is a step function: at the moment of a change the new
// price is in force. An instance runs while the price is at most its bid, and is
// charged the price, not the bid. Which price, for how long, has changed over the
// years; a [SpotMeter] states it. Until 1 October 2017 EC2 charged hours begun,
// each at the price at its beginning, whatever the price did within it; the hour
// in which EC2 interrupted was free, the one in which the user stopped was not.
// So with the prices 0.21 for an hour and a half and 0.25 after that, a lease
// of two hours and a half that EC2 interrupted cost 0.21 + 0.21, the second hour
// having begun at 0.21, and 0.25 more if the user ended it. Since then seconds
// are charged, a minute at least, and a lease interrupted by EC2 in its first
// hour costs nothing, while after an hour each second used is paid. That is so
// for Linux since 2 October 2017 and for Windows since June 2021; SUSE keeps the
// hours (EC2's announcements, and its user guide, "Billing for interrupted Spot
// Instances"; an older edition has hours for Red Hat, too).
// EC2's announcement of November 2017 has the price in effect at the beginning of
// each instance-hour apply, its later white paper says only that the price in
// effect is billed to the second: [EC2SpotPerSecond] is the former, and with
// Reprice set to zero the latter. Since prices now change a few times a day and
// by little, the two differ by little.
//
// # Units
//
// [Money] is nanos of one currency that the caller knows. Prices called hourly
// are per hour; spans are [time.Duration]; demand is instances per slot, whose
// length is stated once; counts of used and idle time are instance-slots, since
// instance-time soon exceeds the 292 years of a Duration. A year is 365 days,
// [Year]. Calendar months are those of the location of a [time.Time]. Ratios are
// float64, computed from exact fractions and rounded once.
//
// # Allocation and concurrency
//
// Values are plain data and may be copied. [Biller] and [SustainedBiller] keep
// their memory and allocate nothing once they have seen their largest input; one
// goroutine at a time. Append functions allocate only when dst has to grow. The
// other computations allocate nothing, parsing, printing and errors apart. No
// input is modified. Package variables are prices and meters to be read only.
//
// # References
//
//	[Niu16]  Niu, Zhai, Ma, Tang, Chen, Zheng, Building Semi-Elastic Virtual
//	         Clusters for Cost-Effective HPC Cloud Resource Provisioning, IEEE
//	         TPDS 27(7), 2016: sections 4.1, 5.1, 6, 8.1, 8.2 and Table 3.
//	[Huang13] Huang, Wang, Tak, Wang, Tang, CAP3: A Cloud Auto-Provisioning
//	         Framework for Parallel Processing Using On-demand and Spot
//	         Instances, 2013: section III.B.
package pricing
