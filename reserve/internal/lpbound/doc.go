// Package lpbound plans reservations of several usage-priced and prepaid classes. It
// solves the linear relaxation of the problem of [Niu16] section 5.1 by a sparse primal
// simplex that keeps the piecewise linear demand implicit. It proves a lower bound in
// integers, and turns the solution into an integral plan.
//
// # Problem
//
// Reservations of classes c can be bought at the start of each of n periods. A reservation
// is active for Term periods and costs its full fee. A used hour costs the rate of the class
// on a reservation, and q_0 on demand. The provider bills the cheapest running reservation
// first. Sort the distinct rates below q_0: q_1 > ... > q_L. Let U_ij be the hours of period i
// in which at least j instances are needed, and N_ki the number of active reservations with
// a rate of at most q_k. Then
//
//	cost = Σ fee·x + q_0 Σ U_ij − Σ_ki (q_{k-1} − q_k) G_i(N_ki),   G_i(N) = Σ_{j<=N} U_ij.
//
// G_i is concave, so with real x this is a linear program. Its optimum is a lower bound. In
// general the optimum is not integral, not even for prepaid classes and a single
// usage-priced class (certificate_test.go has counterexamples).
//
// # Algorithms
//
//	row N_ki        a variable with convex piecewise linear cost, never expanded into unit steps
//	basis           only K, active rows (N_ki at a breakpoint) × basic columns (x > 0), is inverted
//	step            one column or row enters, and moves past every breakpoint that still pays
//	pricing         Devex; reduced costs of all columns by prefix sums over time
//	degeneracy      the right-hand sides are shifted by distinct 0.5e-6..1e-6; removed at the end
//	bound           prices rounded to integers, the Lagrangian evaluated in 128-bit integers
//	plan            x itself if integral; else rounded, repaired, branch and bound
//
// A plan of thousands of purchases makes K large. [Solver.Approach] needs no K: a first-order
// method that proves a bound at any time, and comes near the optimum without reaching it.
//
// A step of the simplex costs O(n·L + columns + nonzeros of K⁻¹ that change + breakpoints passed · log).
// On the 30 weekly reference cases there are 3 to 117 steps, and K has 2 to 27 rows.
//
// # Units
//
// Money is an int64 of nano currency units; demand is instances per slot;
// terms, dates and limits are in periods of Problem.Period slots.
//
// # Allocation and concurrency
//
// A Solver allocates when it meets a larger problem than any before, and never
// otherwise. It must not be used by two goroutines at once. Memory: 8 bytes a
// distinct demand level of a period, about 100 bytes a period and class, 8 bytes a
// period, level and table, and 8·Kernel² bytes for the inverse.
//
// # References
//
// [Niu16] section 5.1. P. Harris, Pivot selection methods of the Devex LP code, Mathematical
// Programming 5, 1973. R. Fourer, A simplex algorithm for piecewise-linear programming I,
// Mathematical Programming 33, 1985. Package pdhg has the references of the first-order method.
package lpbound
