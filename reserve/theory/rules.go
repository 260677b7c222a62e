// # Online rules
//
// A planner of package reserve knows the demand. A Rule learns the demand slot by slot,
// perhaps with a forecast, and buys now or not. RHO looks ahead and trusts the forecast.
// Wang, WangRandom and History look back. Robust looks ahead and back. Rules are for one
// class. With a use price αp, the problem is the prepaid problem with p' = (1-α)·p in the
// place of p, and every plan costs K = αp·Σd more.
//
//	rule             sees       cost at most, times the optimum     time a slot
//	Wang             the past   2-α; nothing deterministic has less O(log τ)
//	WangRandom       the past   e/(e-1+α), expected                 O(log τ)
//	History          the past   no constant                         O(τ)
//	RHO, Printed     λ slots    none                                O(λ), O(log λ) in a series
//	RHO, Mended      λ slots    τp/F at λ = τ, and reached          the same
//	RHO, Deferred    λ slots    no constant                         the same
//	Robust           both       c-(c-1)·α, c ≥ 2 of your choice,    O(log τ) and RHO's
//	                            whatever the forecast
//
// The constants are for the Full horizon. BENCHMARKS.md has the costs on the reference demands
// (BenchmarkRule of package rules).
//
// For terms of a day take Robust: its insurance costs a tenth of a per cent over Deferred.
// For terms of months no rule is near the optimum. A rule that sees one term ahead starts
// its terms at the wrong slots, and sometimes (30 days on lanl-cm5) costs more than Wang,
// which sees nothing.
//
// # One number a slot
//
// All of these rules rest on one observation. Let N(t) be the number of reservations bought
// up to and including slot t, and 0 for t < 0. When slot i begins, the N(i-τ) oldest
// reservations have expired. So the k-th reservation of all serves slot i at level
// k - N(i-τ), and the slot needs that level if and only if
//
//	h_i = d_i + N(i-τ) ≥ k.
//
// h_i does not depend on the purchases from slot i on. So the rule "while m slots of a
// window are uncovered, buy one" is N(t) = max(N(t-1), m-th largest h_i of the window): an
// order statistic, for every demand and every number of purchases.
//
// Below, m = ⌈F/p⌉ is break-even, and f = F - p·(m-1), so 0 < f ≤ p. For a plan O, n_O is
// the number of its purchases, u_O(i) the number of its reservations active in slot i, OD_O
// its cost on demand, and cost(O) = F·n_O + OD_O. A fee counts in full even if the term
// outlives the demand. F > 0; with F = 0 every rule that buys when needed is optimal.
//
// # Two lemmas
//
// Lemma 1. Let a rule A leave, after each slot t, fewer than m slots i of (t-τ, t] with
// h_i > N(t). Then for every plan O
//
//	Σ_i max(0, min(d_i, u_O(i)) - u_A(i)) ≤ (m-1)·n_O,
//
// and so OD_A ≤ OD_O + p·(m-1)·n_O. For the slots after s alone, the same holds with the
// reservations of O that are active in one of these slots in the place of n_O.
//
// Proof. Stack the reservations of O, and label those on the stack N(i)+1, N(i)+2, … from
// the bottom. In slot i,
//
//	(a) expired reservations leave the stack, and those above move down,
//	(b) new reservations go on top,
//	(c) at each purchase of A, which raises N by one, the lowest reservation leaves the
//	    stack, if there is one,
//	(d) the slot is charged to the e_i lowest reservations, where e_i is the slot's term
//	    of the sum.
//
// The stack has e_i reservations: for each purchase of A in (i-τ, i], at most one active
// reservation of O has left under (c), so at least u_O(i) - u_A(i) ≥ e_i remain. The labels
// charged are at most N(i) + e_i ≤ N(i) + d_i - u_A(i) = h_i. Now take one reservation. Let
// i* be the last slot charged to the reservation, and k* its label then. Labels never rise.
// So all slots charged to the reservation lie in (i*-τ, i*] and have h_i ≥ k* > N(i*).
// There are fewer than m such slots. ∎
//
// Lemma 2. Let A make its k-th purchase, in slot t, only if at least j slots i of (t-τ, t]
// have h_i ≥ k. Then every plan O can be extended by a reservations to a plan O' with
// N_O' ≥ N at all times, such that each added reservation in turn lowers the cost on demand
// by at least p·j: OD_O' ≤ OD_O - p·j·a.
//
// Proof. Follow A. Suppose that O' has made only k-1 purchases at the k-th purchase of A.
// Then in each of the j slots u_O'(i) ≤ k-1 - N_O'(i-τ) ≤ k-1 - N(i-τ) < d_i, so O' is short
// of an instance. Add a reservation at slot max(0, t-τ+1), which serves all j slots. ∎
//
// The proofs compare counts with counts, and never levels with levels. So it does not
// matter that levels do not decompose.
//
// # Wang is 2-α, and a lower bound
//
// [Wang13] buys above break-even: j·p > F slots, j = ⌊F/p⌋ + 1. If O is optimal, Lemma 2
// adds nothing, since an added reservation would save more than its fee. So n_A ≤ n_O, and
// by Lemma 1
//
//	cost(A) ≤ F·n_O + OD_O + p·⌊F/p⌋·n_O ≤ 2·optimum.
//
// At break-even (Eager, j = m), an added reservation costs at most what it saves. So
// cost(O') ≤ cost(O), and Lemma 1 with O' gives OD_A ≤ cost(O') - f·n_O', that is
//
//	L = OD_A + f·n_A ≤ cost(O)  for every plan O.                    (Lemma 3)
//
// So the rule's own account is a lower bound on the optimum of the demand so far, at any
// time. The rule costs at most 2 - f/F times the optimum. With a use price and a constant
// c, the ratio is at most (c·(optimum-K) + K)/optimum. Since K ≥ α·optimum, that is at most
// c-(c-1)·α.
//
// # The randomised rule
//
// Let N_j be the number of purchases with a threshold of j slots. Apply Lemma 2 for
// j = m, m-1, …, 1, each time to the plan of the time before, and let a_j be the number of
// reservations added. Then N_j ≤ n_O + Σ_{i≥j} a_i and p·Σ i·a_i ≤ OD_O, and by Lemma 1
//
//	OD_j ≤ OD_O - p·Σ_{i≥j} i·a_i + p·(j-1)·(n_O + Σ_{i≥j} a_i).
//
// Draw w with the density κ·e^w on [0, 1), and let j-1 = ⌊wF/p⌋. In the expectation of
// F·N_j + OD_j,
//
//	n_O has the factor κF·∫e^w(1+w) = κeF,
//	OD_O has the factor κ(e-1),
//	a_i has at most the factor κF·∫e^w(1+w-w_i) over w < min(1, w_i), where w_i = pi/F,
//	    and that is at most κpi; in total at most κ·OD_O more.
//
// The sum is κe·cost(O). With κ = 1/(e-1) and α = 0 the proof is done. For α > 0,
// κ = 1/(e-1+α), and the remaining probability κα goes to "never reserve", which costs
// p'·Σd = (1-α)·K/α. Every plan also pays K. Together that is K·(1 + κ(1-α)) = κeK, and in
// all κe times the optimum. ∎ [Wang13] puts the remaining probability at break-even, where
// the ratio fails; see wangrandom.go.
//
// # Robust
//
// Robust buys on advice under condition (i) or (ii) of robust.go, and through a net that
// buys like Wang at break-even.
//
// Theorem. For every advice, cost(Robust) ≤ c·optimum.
//
// Proof. Let O be an optimal plan with the most purchases. Extend O to O' along the
// purchases of Robust, so that N_O' ≥ N. Where a purchase of the net finds O' one
// reservation short, O would also be short in m slots. One more reservation there would
// cost at most what it saves, and would make an optimal plan with more purchases. So that
// never happens. Where a purchase on advice, in slot t, finds O' one reservation short, add
// a reservation at t to O': an extra.
//
// Without extras F·n_A ≤ F·n_O, and by Lemma 1 cost(A) ≤ 2·F·n_O + OD_O ≤ 2·optimum.
// Otherwise let the last extra be the k-th purchase, in slot s. From s on, O' and O buy
// alike, so n_A ≤ n_O' = k + n_O - N_O(s). Cut O at the end of slot s: by Lemma 3 for the L
// of that slot, L ≤ F·N_O(s) + OD_O up to s.
//
// If the k-th purchase was made under (i),
//
//	F·n_A ≤ (c-1)·L + F·(n_O - N_O(s)) ≤ (c-2)·L + OD_O + F·n_O ≤ (c-1)·optimum,
//
// and by Lemma 1 with O, OD_A ≤ OD_O + p·(m-1)·n_O ≤ optimum.
//
// If the k-th purchase was made under (ii), let B be the left side of (ii): the bill up to
// s, and p·(m-1) for each reservation in force. After s, use Lemma 1 with O', of which at
// most k - N(s-τ) + n_O - N_O(s) reservations are active there. Robust makes at most
// n_O - N_O(s) later purchases:
//
//	cost(A) ≤ B + (F + p·(m-1))·(n_O - N_O(s)) + OD_O after s
//	        ≤ c·L + 2·(F·(n_O - N_O(s)) + OD_O after s) ≤ c·optimum,
//
// since the first part is at most c·(cost of O up to s), and 2 ≤ c. ∎
//
// Exact forecasts. With an exact forecast of at least τ slots, and while (i) and (ii)
// refuse nothing, the net never buys. Suppose that the net made the k-th purchase. Then m
// slots of the last τ had h_i ≥ k. In the first of these slots the k-th reservation was
// needed, and all m slots were in sight. So the deferred rule had asked for the reservation
// there, and Robust had bought it. Hence Robust buys what the deferred rule buys.
//
// From a standing start. Let the demand last at most a term, let the forecast be exact, and
// let no level be needed in m to m+q-1 slots, where q = ⌈F/((c-1)p)⌉. No reservation
// expires, so h_i = d_i, and L = Σ_l min(F, p·(slots so far that need level l)). When level
// l is needed for the q-th time, all levels below were needed as often, and L ≥ l·F/(c-1):
// (i) holds for l purchases. If l is needed at least m+q times, the deferred rule asks for
// the reservation then. So level l is on demand in q-1 slots, for less than F/(c-1). Levels
// that are needed less than m times are not bought, as in the optimum. The ratio is
// 1 + 1/(c-1).
//
// No rule with the constant c does better. Let the forecast be one instance without end. A
// rule that buys after x·F on demand pays (1+x)·F. If the demand stops then, the optimum is
// x·F, so x ≥ 1/(c-1). If the demand goes on, the optimum is F. (c-1 is 1/λ in the
// trade-off of [Purohit18] for one pair of skis.)
//
// # Theorem 4 of [Liu21] is false
//
// Theorem 4 says that the rolling horizon costs at most three times the optimum. Its proof
// splits the demand into a part served by reservations that begin with a block of τ slots,
// and the rest. The proof claims that the rule's decisions are optimal for the rest. They
// are not, and no reading of the algorithm saves the theorem (TestTheorem4IsFalse):
//
//   - Printed. Line 3 forgets a purchase after λ slots. For one instance, τ = 24, F = 4,
//     p = 1 and λ = 4, the rule buys again every four slots: 240 for ten terms, where the
//     optimum is 40. The ratio is 6, and can be τ/λ.
//   - Mended. The rule buys as soon as enough demand is in sight. Let τ = λ = 8, F = p = 1,
//     and the demand eight slots of 0, one of 1, fifteen of 2, one of 1. The rule buys eight
//     slots ahead of the demand, so that each term has one slot of use left when the demand
//     begins. The rule pays 32 where 4 suffices. The ratio is 8 = τp/F. There is no larger
//     ratio: each purchase serves m slots, so with λ = τ the cost is at most that of on
//     demand.
//   - Deferred. The rule buys for slots that need the instance, and the terms can still end
//     too soon. For d = 100001111111, τ = 8, F = 4, p = 1 the rule pays 8, and the optimum
//     is 5. Worse are spikes of height 1, 2, …,
//     F/p - 1 slots apart, before one instance for a term, of which each spike sees F/p - 1
//     slots: 300/103 (F/p = 100, τ = 300), 400/106 (τ = 400), 1000/210 (F/p = 200,
//     τ = 1000). For large F/p the ratio comes as near to τp/F as one likes. Robust with
//     c = 2 pays 199/103, 199/106 and 399/210.
//
// So greedy use of the foresight of a whole term guarantees less than no foresight: Wang
// sees nothing and pays at most twice the optimum. Periodic needs the same foresight of a
// term, buys only at the beginning of a term, and is a 2-approximation.
//
// # HGR saves half, and Theorem 3 of [Liu21]
//
// Theorem 3 says that HGR costs at most 2 - α times the optimum, α = F/(τp). The theorem is
// true for α ≥ 1/2, as a corollary of another theorem, and false for α = 1/3. The printed
// proof charges a reservation of HGR to reservations of the optimum only as far as the two
// overlap, and the rest of the term to nothing, so the proof shows neither.
//
// Theorem. HGR saves at least half of what the optimum saves over on demand, whatever the
// dates of purchases, for both horizons, and for every choice between windows that save the
// same amount.
//
// Proof. HGR makes unit purchases, one after another. Write g(w) for what a reservation with
// the window w saves on the demand d: p for each busy slot, less its fee. Write G(d) for what
// an optimal plan saves. Let HGR buy in the window w, so that g(w) is the largest of all and
// not below 0, and let d' be the demand that is left. The claim is
//
//	G(d) ≤ G(d') + 2·g(w).
//
// Let O be an optimal plan for d. Remove two reservations from O: x, the latest of those that
// begin no later than w, and y, the earliest of those that begin later than w; or the one
// that there is. Use the rest for d'. If O has a reservation active in a slot of w, then x or
// y is active in that slot. For if the reservation begins no later than w, then x begins no
// earlier and has not ended; otherwise y begins no later, and ends after w. So in a slot of w
// the rest serves as many instances of d' as O serves of d, less one for x if x is active in
// the slot, and one for y. That holds in other slots, too, and the rest loses nothing where
// d is 0. So the rest saves at least G(d) - g(x) - g(y) on d', and g(x), g(y) ≤ g(w). In the
// end no window saves anything, G is 0, and the sum of the claims is G ≤ 2·(what HGR saves). ∎
//
// For two terms of demand of which HGR buys the middle, half is all that HGR saves
// (TestHGRSavesHalf). Now let the horizon be Full and F ≤ τp.
//
// Corollary 1. cost(HGR) ≤ (1 + 1/α)/2 · optimum, which is at most 2 - α if α ≥ 1/2.
//
// Proof. A plan pays at least F/τ = αp for an instance-slot, so on demand costs at most 1/α
// times the optimum. The mean of on demand and the optimum is the bound. And (1 + 1/α)/2 ≤
// 2 - α is (2α - 1)(α - 1) ≤ 0. ∎
//
// Corollary 2. cost(HGR) ≤ (3/2 + ln(1/(2α)))·optimum if α ≤ 1/2.
//
// Proof. Stop HGR before the first purchase that serves less than 2F/p instance-slots. What
// follows costs at most half of the optimum, and half of what the demand that is left costs
// on demand. So cost(HGR) is at most half of the optimum and a price for each instance-slot:
// F/ν for a purchase that served ν instance-slots before the stop, and p/2 after that. No
// price is above p/2. Number the instances of a slot in the order in which HGR serves them,
// those after the stop last, and let an optimal plan O serve any of them, one for each active
// reservation. Take one reservation of O, and the instance-slots that it serves in the order
// in which HGR serves them. Before HGR serves the i-th from the end, i of them wait, in i
// slots of one window. HGR takes the window with the most, so ν ≥ i; and if the i-th from the
// end is served after the stop, then i < 2F/p. So its price is at most min(p/2, F/i), and the
// prices of the reservation are at most
//
//	Σ_{i=1}^τ min(p/2, F/i) ≤ ∫_0^τ min(p/2, F/x) dx = F·(1 + ln(τp/(2F))). ∎
//
// The two are 1.25 at α = 2/3, 1.5 at 1/2, 1.91 at 1/3, and 2 at .303. No demand is known for
// which HGR costs more than twice the optimum.
//
// Theorem 3 is false. Let p = 1, F = k and τ = 3k, so that the theorem allows 5/3. One
// instance is needed in the slots [0, 6k) and [7k, 13k), but not in the six slots
//
//	k-1, 4k, 5k-1, 8k, 9k-1, 12k.
//
// Four terms serve all of the demand: the optimum is at most 4k. HGR buys at k, the one
// window that is busy in all its 3k slots in the first block, and at 9k in the second block.
// Then the window from 5k on is busy in 2k slots, k on either side of the gap, and no other
// window is busy in more than 2k-1. HGR buys there, too. What is left are four pieces of
// k-1, k-2, k-2 and k-1 slots, of which no window has two. HGR pays 3k + 4k - 6, which is
// more than 5/3 of 4k from k = 19 on (127 against 76), and tends to 7/4. ∎
// (TestTheorem3IsFalse)
//
// HGR can also make more purchases than the optimum: with τ = 3, F = p = 1 and d = 10111100,
// HGR makes three purchases and the optimum two.
//
// # History has no constant
//
// [Liu21] says that the online algorithm of [Wang15] costs at most 4 times the optimum. That
// depends on the coverage that the algorithm looks at. If later purchases count in earlier
// slots, the algorithm is Wang with Eager, and costs at most 2 - f/F times the optimum. If
// each slot keeps the coverage that it had, as History has it, there is no constant.
//
// Proof. Let p = 1, F = m, τ = (l+1)·m, and the demand
//
//	l in m slots                     the rule buys l in the last of them, the base
//	l+1, l+2, …, 2l, m slots each    the rule buys one in the last slot of each, the stairs
//	0 in 2m-1 slots                  the base ends, and the first reservation of the stairs
//	l times: l in m-1 slots, then 0  one reservation ends before each of the next
//
// In the last part, l-1, l-2, …, 0 reservations are active. While u are active, level u+1
// decides. Level u+1 was covered in every slot before, as far as the past term reaches: the
// demand of the base lies further back, and the stairs used levels above l. So level u+1 is
// on demand in m-1 slots, the rule does not buy, and the next level decides. On demand the
// last part costs (m-1)·l(l+1)/2, and
//
//	cost(History) = 2lm + 2l(m-1) + (m-1)·l(l+1)/2.
//
// 2l reservations at slot 0 and l at the beginning of the last part serve everything, for
// 3lm. The ratio tends to 4/3 + (l+1)/6 = 4/3 + 1/(6α) for large m, and is above 4 from
// l = 17 on with m = 20 (4233/1020). ∎ (TestHistoryHasNoConstant)
//
// A third reading counts how far each slot was short, and buys for the m-th largest shortage
// of the past term. A purchase does not change these, so the rule buys again in the next
// slot: one instance in m slots costs up to τ-m+1 fees.
//
// # References of the online rules
//
//	[Wang13]     Wang, Li, Liang, To Reserve or Not to Reserve: Optimal Online
//	             Multi-Instance Acquisition in IaaS Clouds, ICAC 2013.
//	[Purohit18]  Purohit, Svitkina, Kumar, Improving Online Algorithms via ML
//	             Predictions, NeurIPS 2018.
package theory
