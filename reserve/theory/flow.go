// # Two theorems that do not hold
//
// [Liu21] says that its objective is not convex (Theorem 1) and that planning
// purchases is NP-hard (Theorem 2); [Niu16] believes the like. With prepaid classes
// neither is so, and seeing why is to see the solver.
//
// Fix the number o_t on demand and the number e_t of idle reservations in each slot.
// Demand is met if o_t − e_t + Σ S_tk = d_t. Subtract from each of these equations
// the one of the slot before:
//
//	(o_t − o_{t−1}) − (e_t − e_{t−1}) + Σ_k (R_tk − R_{t−τ_k,k}) = d_t − d_{t−1}
//
// (with a last one, for n, that says that all ends there). Each variable is now in
// two equations, once with +1 and once with −1: R_tk in those of t and of
// min(n, t + τ_k), o_t in those of t and t + 1, e_t in the same two with the signs
// turned. That is a flow: the equations are nodes, the boundaries between slots;
// R_tk is an arc from t to t + τ_k at F_k, o_t an arc from t to t + 1 at p, e_t one
// from t + 1 to t at 0; and d_t − d_{t−1} is what node t supplies. A linear program
// over such a matrix has a whole optimum if supplies and capacities are whole, so
// that integrality costs nothing, and minimum-cost flows are solved in polynomial
// time. Caps on purchases are capacities of their arcs; a cap A on what is active is
// e_t − o_t ≤ A − d_t, capacities of the other two; inventory lowers d. The
// objective is linear in the variables, hence convex and piecewise linear in R alone.
// Where the reduction of Theorem 2 fails is that its instances need intervals that
// are not intervals of time.
//
// The dual is as plain. Give each slot a value z_t, 0 ≤ z_t ≤ p, such that no term's
// worth of consecutive values exceeds its fee. Then Σ d_t·z_t is at most the cost of
// any plan: each reservation takes at most F_k of it, each slot on demand at most p.
// The best such values prove the best plan; they are what Exact returns and what
// Verify checks, knowing nothing of flows.
//
// With usage prices the cost of a slot is convex in nested sums of the S_tk, and
// the matrix is no longer a flow's: Exact then solves the linear program, which was
// integral in all 30 reference cases. Not even one usage-priced class beside a prepaid
// one is always a flow: demand (1,1,1), 2 on demand, a class of 3 slots for 1 and 1 a
// slot, a prepaid one of 2 slots for 2: the program's optimum is 3.5, the best plan
// costs 4.
package theory
