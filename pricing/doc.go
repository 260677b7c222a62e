// Package pricing computes what a demand for instances costs: on demand, with
// reservations, or at spot prices. Amounts are exact to a nano of the currency.
//
//	list, err := pricing.ReadList(file) // the price on demand and the classes, in JSON
//	if err != nil {
//		return err
//	}
//	heavy, err := list.Find("3y-heavy")
//	if err != nil {
//		return err // lists the names that there are
//	}
//	var biller pricing.Biller
//	bill, err := biller.Bill(list, demand, time.Hour, []pricing.Purchase{{Class: heavy, Count: 12}})
//	fmt.Println(bill.Total, bill.Classes[heavy].IdleSlots)
//
// What to call:
//
//	You have                            You want                            Call
//	prices in a file                    a list of classes                   ReadList, WriteList, encoding/json
//	a class and a price on demand       the use at which it pays off        Class.BreakEven
//	several classes                     the cheapest at each use            List.AppendEnvelope
//	demand and purchases                the bill                            Biller.Bill
//	demand, purchases and an inventory  the bill                            Biller.BillHeld
//	the length of a lease               its cost, its next charge           Meter.Cost, Meter.NextCharge
//	a month of use at Google            the sustained-use discount          SustainedBiller.AppendMonths
//	a cluster of your own               its cost for a time                 Ownership.Over
//	EC2's spot price history            prices, means, interruptions        ReadSpot, SpotHistory
//	a spot lease                        its cost                            SpotMeter.Cost
//	a decimal such as "2.40"            an exact amount                     ParseMoney
//
// # Problem
//
// Clouds sell the same instance in several ways: by the hour or second on demand; at
// a lower price to customers who pay a fee upfront for one or three years; with a
// discount for much use within a month; or at a price that changes from hour to
// hour, with the risk of losing the instance. Which way is cheapest depends on use,
// and a bill is full of thresholds: hours begun, whole instances, ranks of
// reservations. Planners compare such bills many thousand times, and ties decide
// what they buy. So the arithmetic must be exact, and the conventions must be
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
// A class billed [WhenUsed] commits to its fee and pays P_k for each hour used: f =
// F/T, q = P. A class billed [Always] commits to its fee and all hours: f = F/T + P,
// q = 0.
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
//	Ownership           a cluster bought and hosted        O(parts)
//	SpotHistory         price, mean, quantile, crossings   O(log n), O(window)
//	SpotMeter           a spot lease under a history       O(hours·log n)
//
// Money. An amount is an integer of nanos. Prices of instances have five decimals or
// so; a price with more than nine decimals is refused, not rounded. Integer addition
// is associative, so a total does not depend on the order of its parts. With float64
// it does, and two equal plans differ in the last digit. The product of a price and
// a span may not be whole. It has 128 bits and is rounded once, at the end, by a
// rule that the call states. Amounts that belong together (all hours of a class, an
// instance's month) are added up as integers first and priced once, so a bill has as
// few roundings as lines.
//
// Meters. A lease of length L under a [Meter] pays for
//
//	Minimum                                        if L ≤ Minimum
//	Minimum + ⌈(L - Minimum)/Increment⌉·Increment  otherwise
//
// A charge falls due when the paid time is used up. An instance released exactly on
// that boundary is not charged again. So an idle instance is worth keeping until
// [Meter.NextCharge] and not longer: the delayed release of [Niu16] section 4.1.
//
// Envelope. The cost of each class is a straight line over u. The cheapest class at
// each u is the lower envelope of the lines, which is concave: as u grows, its
// classes have ever higher commitments and ever lower use prices. A planner needs
// the corners of the envelope only: a class that is not on the envelope is beaten at
// every utilisation. For EC2's list of 2013 and three years the envelope is
//
//	on demand    from  0
//	3y-light     from  6.89%
//	3y-medium    from 38.34%
//	3y-heavy     from 75.96%, when billed always
//
// Light breaks even with on demand at 6.89%. Medium breaks even with light at
// 38.34%, but with on demand at 13.05% already. [Niu16] prints 6.8 and 38.3 as the
// "minimum utilization levels" of light and medium, which are the corners of the
// envelope. The proof that the walk finds the envelope is in envelope.go.
//
// Bill. Providers apply reservations to running instances from the most discounted
// class down. [Niu16] Eq. (2) says so instance by instance, with an inequality turned
// round in its first case (P_h where S_ih ≤ j; correct is j ≤ S_ih). In the corrected
// equation, class k serves min(S_ik, the part of d_i that the classes before k leave).
// [Biller] computes exactly that. [Bill] has the total cost, and the pure cost of section
// 5.1.3, which deducts the unused part of the terms at the horizon.
//
// Sustained use. Quarters of a month at falling rates, over inferred instances: the
// usage of the j-th inferred instance is the time in which at least j instances ran.
// The proof that no other way of joining leases is cheaper is in sustained.go.
//
// Spot prices. A history is a step function: at the moment of a change the new price
// is in force. An instance runs while the price is at most its bid, and pays the
// price, not the bid. The rules of payment have changed over the years; a [SpotMeter]
// states them. Until 1 October 2017 EC2 charged every hour begun, at the price in
// force when the hour began. The hour in which EC2 interrupted was free, and the hour
// in which the user stopped was not. Example: the price is 0.21 for an hour and a
// half, then 0.25. A lease of two hours and a half costs 0.21 + 0.21 if EC2
// interrupts it, because the second hour began at 0.21; it costs 0.25 more if the
// user ends it. Since October 2017 EC2 charges seconds, a minute at least. A lease
// that EC2 interrupts in its first hour is free; after an hour every second is paid.
// These rules hold for Linux since 2 October 2017 and for Windows since June 2021.
// SUSE keeps the hours. The sources are EC2's announcements, and "Billing for
// interrupted Spot Instances" in its user guide (an older edition has hours for Red
// Hat, too). By EC2's announcement of November 2017 the price at the beginning of each instance-hour
// applies. Its later white paper says only that the price in effect is billed to the
// second. [EC2SpotPerSecond] follows the announcement; with Reprice set to zero it
// follows the white paper. Prices now change a few times a day and by little, so the
// two differ by little.
//
// # Units
//
// [Money] is nanos of one currency that the caller knows. A price called hourly is per
// hour. Spans are [time.Duration]. Demand is instances per slot, and the length of a
// slot is stated once. Used and idle time are counted in instance-slots, because
// instance-time soon exceeds the 292 years of a Duration. A year is 365 days, [Year].
// Calendar months are those of the location of a [time.Time]. Ratios are float64,
// computed from exact fractions and rounded once.
//
// # Allocation and concurrency
//
// Values are plain data and may be copied. [Biller] and [SustainedBiller] keep their
// memory and allocate nothing once they have seen their largest input; one goroutine
// at a time may use one. Append functions allocate only when dst has to grow. The
// other computations allocate nothing, except parsing, printing and errors. No input
// is modified. Package variables are prices and meters that no caller changes.
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
