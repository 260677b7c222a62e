// # Two theorems that do not hold
//
// [Liu21] says that its objective is not convex (Theorem 1) and that planning purchases is
// NP-hard (Theorem 2). [Niu16] also takes the problem to be hard. With prepaid classes
// both claims are false (the second unless P = NP), and the reason is the idea of the solver.
//
// Fix o_t, the number of instances on demand, and e_t, the number of idle reservations in
// each slot. Demand is met if o_t − e_t + Σ S_tk = d_t. Subtract from each of these
// equations the equation of the slot before:
//
//	(o_t − o_{t−1}) − (e_t − e_{t−1}) + Σ_k (R_tk − R_{t−τ_k,k}) = d_t − d_{t−1}
//
// with d_{−1} = 0. A last equation, for slot n with d_n = 0, says that everything ends there. Now
// each variable is in two equations, once with +1 and once with −1:
//
//   - R_tk is in the equations of t and of min(n, t + τ_k),
//   - o_t is in the equations of t and of t + 1,
//   - e_t is in the same two equations, with the signs reversed.
//
// That is a flow. The equations are nodes: the boundaries between slots. R_tk is an arc from t to
// min(n, t + τ_k) with the cost F_k. o_t is an arc from t to t + 1 with the cost p. e_t is an arc
// from t + 1 to t without cost. Node t supplies d_t − d_{t−1}. A linear program over such a matrix
// has a whole optimum if supplies and capacities are whole, since each square part of the matrix
// has the determinant 0, 1 or −1: if some column has at most one entry, expand along that column;
// if all columns have two, the rows sum to 0. So a vertex, which is the solution of a square part
// (Cramer's rule), is whole. Integrality costs nothing, and minimum-cost flows are solved in
// polynomial time. A cap on purchases is the capacity of their arcs. A cap A on active reservations
// is o_t − e_t ≥ d_t − A. Some optimum has o_t = 0 or e_t = 0. So if d_t ≥ A, there is no arc e_t,
// and o_t is at least d_t − A; otherwise e_t is at most A − d_t. Inventory is taken off d and off
// A, and a negative d stays. The objective is linear in the variables, and therefore convex and
// piecewise linear in R alone. The reduction of Theorem 2 in [Liu21] fails because the sets of its
// instances become intervals that are not intervals of time.
//
// The dual is as plain. Give each slot a value z_t, 0 ≤ z_t ≤ p, such that the values of the slots
// of one term never sum to more than the fee. Then Σ d_t·z_t is at most the cost of any plan: each
// reservation covers at most F_k of the sum, and each slot on demand at most p. The best values
// prove the best plan, since the linear program and its dual have the same optimum. (So without
// caps and inventory; certificate.go has these.) Exact returns these values, and Verify checks them
// without flows.
//
// With use prices, the cost of a slot is convex in nested sums of the S_tk, and the matrix
// is no longer that of a flow. Exact then solves the linear program, whose optimum was
// whole in all 30 reference cases. Even one class with a use price beside a prepaid class
// is not always a flow. Example: demand (1,1,1), 2 on demand, a class of 3 slots with fee 1
// and use price 1 a slot, a prepaid class of 2 slots with fee 2. The linear
// program has 3.5. It buys half of a reservation of the first class at slot 0, and half of one of
// the second class at slot 0 and at slot 1. The fees are 2.5, and two half slots of use cost 1. The
// best plan costs 4.
package theory
