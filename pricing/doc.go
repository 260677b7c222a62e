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
//	prices in a file                    a list of classes                   ReadList, encoding/json
//	a class and a price on demand       the use at which it pays off        Class.BreakEven
//	several classes                     the cheapest at each use            List.AppendEnvelope
//	demand and purchases                the bill                            Biller.Bill
//	demand, purchases and an inventory  the bill                            Biller.BillHeld
//	the length of a lease               its cost, its next charge           Meter.Cost, Meter.NextCharge
//	a month of use at Google            the sustained-use discount          SustainedUse.Cost
//	a cluster of your own               its cost for a time                 Niu16Cluster
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
//	Niu16Cluster        a cluster bought and hosted        O(1)
//	SpotHistory         price, mean, quantile, crossings   O(log n), O(window)
//	SpotMeter           a spot lease under a history       O(hours·log n)
//
// Money. An amount is an integer of nanos. A price with more than nine decimals is
// refused, not rounded. Integer addition is associative, so a total does not depend
// on the order of its parts. The product of a price and a span may not be whole: it
// has 128 bits and is rounded once, by a rule that the call states. All hours of a
// class are added up first and priced once, so a bill has as few roundings as lines.
//
// Meters. A charge falls due when the paid time is used up. An instance released
// exactly on that boundary is not charged again. So an idle instance is worth keeping
// until [Meter.NextCharge] and not longer: the delayed release of [Niu16] section 4.1.
//
// Envelope. The cheapest class at each u is the lower envelope of lines: as u grows,
// its classes have ever higher commitments and ever lower use prices. For EC2's list
// of 2013 and three years the envelope is
//
//	on demand    from  0
//	3y-light     from  6.89%
//	3y-medium    from 38.34%
//	3y-heavy     from 75.96%, when billed always
//
// Bill. Providers apply reservations to running instances from the most discounted
// class down: class k serves min(S_ik, the part of d_i that the classes before k
// leave). [Bill] has the total cost, and the pure cost of [Niu16] section 5.1.3, which
// deducts the unused part of the terms at the horizon.
//
// Spot prices. A history is a step function: at the moment of a change the new price
// is in force. An instance runs while the price is at most its bid, and pays the
// price, not the bid. [SpotMeter] states the rules of payment, which have changed.
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
// Values are plain data and may be copied. A [Biller] keeps its memory
// and allocates nothing once it has seen its largest input; one goroutine at a time
// may use it. Append functions allocate only when dst has to grow. The
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
