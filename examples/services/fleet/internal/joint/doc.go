// Package joint finds one savings plan for all groups of a fleet, beside the reservations of
// each group, and proves how near the optimum the two are together.
//
//	var sample joint.Sample                      // 1. draw: each group's ticket
//	sample.Add(joint.Draw(&terms, &g, seed))
//
//	price, err := search.Find(&terms, members)   // 2. search: prices, on the sample
//
//	answer, failure := price.Plan(&planner, &terms, &g)
//	if failure == nil {
//		sum.Add(&g, &answer)                 // 3. answer: each group, once
//	}
//
//	plan, next, err := joint.Commit(&terms, &sum, &price)
//	plan.Commitments; plan.Cost; plan.Bound      // 4. commit: the whole, with its gap
//
// Steps 1 and 3 look at each group alone, and their results, a [Sample] and a [Sum], merge in
// any order. So an engine runs them on any number of workers, in any bundles, and again after
// a failure, and the fleet's plan is the same to the nano. Step 2 looks at a few hundred or
// thousand groups, and step 4 at the hours of the year.
//
// # Problem
//
// Group g needs d_gt units in hour t. Reservations R_g of the group cost fees(R_g) and serve
// R_gt of its units. The savings plan pays for units of any group at their rates q_g, and
// p_g is the rate on demand, which q_g may exceed: then only money that is committed anyway pays
// with profit. H_t is the money an hour that is committed already, and
// A_t what the plan commits, at a price for each term:
//
//	minimise   Σ_g fees(R_g) + Σ commitments + Σ_gt p_g·o_gt
//	subject to R_gt + s_gt + o_gt ≥ d_gt           for each group and hour
//	           Σ_g q_g·s_gt ≤ H_t + A_t            for each hour
//
// The second constraint is all that joins the groups.
//
// # The bound
//
// Let ν_t ≥ 0 be a price of the hours: what money of the savings plan is worth in hour t, in
// money on demand per money at the rates of the plan. Call ν fair if over no term that can be
// bought it sums to more than the hours for which the term is paid.
//
// Proposition. For each fair ν, no plan of the fleet costs less than
//
//	L(ν) = Σ_g B_g(ν) - Σ_t ν_t·H_t,
//	B_g(ν) = min over R_g of fees(R_g) + Σ_t min(p_g, q_g·ν_t)·max(0, d_gt - R_gt).
//
// Proof. Take any plan. Its commitments cost their paid hours times their money, which is at
// least Σ_t ν_t·A_t, since ν is fair. And A_t ≥ Σ_g q_g·s_gt - H_t by the second constraint.
// So the plan costs at least
//
//	Σ_g (fees(R_g) + Σ_t (p_g·o_gt + q_g·ν_t·s_gt)) - Σ_t ν_t·H_t,
//
// and s_gt + o_gt ≥ max(0, d_gt - R_gt) by the first constraint. The bracket is at least
// B_g(ν). ∎
//
// The proof uses neither how ν was found nor that B_g is attained: any lower bound on B_g(ν)
// will do. Package group computes B_g at prices that are rounded down, exactly, and has the
// certificate of each B_g checked. [Commit] checks that ν is fair. So the bound of a plan is
// proved whatever the sample and the search did. A bad price only makes a bad bound.
//
// Amounts are rounded as follows. A group's bound is rounded to the nearest nano, and a Sum
// takes one nano off each. Worths are rounded down, the worth of held commitments is rounded
// up. An order's price is rounded to a nano for each unit, the usage on demand is rounded up
// to a nano for each pair of rates.
//
// # The search
//
// L is concave. Given ν, the groups' answers R_g(ν) leave usage, and the best commitments for
// that usage are a savings plan alone, which package reserve/savings solves exactly. The dual
// prices of that savings plan are fair, and are the next ν. Two prices that take turns never
// settle, so each round takes their average, with weight 2/(round + 2) for the new one: the
// step of Frank and Wolfe. An average of fair prices is fair. Each round gives a plan, a bound
// and so a gap. package reserve/savings finds plans of a few types in the same way.
//
// A round on 100,000 groups costs minutes, so the rounds run on a sample. A priority sample by
// size has every group that matters alone, and weighs the others so that usage by rates and
// hour is right on average. The price ν has a number for each hour and none for any group. So a price
// that is good for the sample is good for the fleet: the error in the bound is of second
// order, as the sample's answers are optimal at the price. Then one pass over all groups gives
// the plan, the orders and the bound.
//
// No rate of convergence is known, as L is not smooth. Groups that are alike need a second price:
// see split.go.
//
// # A fleet of few groups
//
// Reservations are whole, and L is a bound on fractions of them as well. In a fleet of many units that
// is nothing. In a fleet of a few it is a hundredth or more, whatever ν is. So a fleet of few groups
// is planned by branch and bound instead. All plans are divided into parts with limits on the
// units that are active. Each part has a bound of its own, with a proof like that above. The least of
// these bounds is the fleet's. See branch.go. The [Price] then has the orders and the bound. The
// sum of the groups proves only L, so [Search.Find] proves this bound, in integers. The bound holds
// for a fleet of these groups alone, and [Commit] uses it for a sum of as many groups.
//
// BENCHMARKS.md of the repository has the gaps that were measured.
// Where the plan's rate of a group is above its price on demand, [Commit] buys no commitment for
// that group, though branch and bound counts on it. On random fleets of a few hours the plan was then up to
// 15.6% above the bound. The bound holds, and the gap says so.
//
// # Sums that do not fit
//
// Amounts of a group are 64 bits, and a group whose amounts do not fit has no plan. Sums over
// groups are exact in 128 bits. What is left is the savings plan: without one, for a reason, are
// fleets with an hour whose usage costs more than 64 bits hold. Their groups keep their plans. See
// [Plan].Failed.
//
// # Why not one after the other
//
// Reservations first and a savings plan for what is left is not optimal, and neither is the
// converse: TestOneAfterTheOther has a fleet of two groups for which they cost 18 and 16, and
// the joint plan 14. TestUnfairPrice has a price that is not fair and a bound
// that exceeds the cost of a plan.
package joint
