// Package lpbound plans reservations of several usage-priced and prepaid
// classes: it solves the linear relaxation of the problem of [Niu16] section 5.1
// with a sparse primal simplex that keeps the piecewise linear demand implicit,
// proves a lower bound in integers, and turns the solution into an integral plan.
//
// # Problem
//
// At the start of each of n periods one may buy reservations of classes c, each
// active for Term periods at a full fee. A used hour on a reservation costs the
// class's rate, on demand q_0 an hour; the provider bills the cheapest running
// reservation first. Sort the distinct rates below q_0, q_1 > ... > q_L. With
// U_ij the hours of period i in which j instances or more are needed and N_ki
// the active reservations with rate q_k or less,
//
//	cost = Σ fee·x + q_0 Σ U_ij − Σ_ki (q_{k-1} − q_k) G_i(N_ki),   G_i(N) = Σ_{j<=N} U_ij.
//
// G_i is concave, so with x real this is a linear program. Its optimum is a
// lower bound; it is not integral in general, not even for prepaid classes and
// a single usage-priced one (see the counterexamples in certificate_test.go).
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
// A step costs O(n·L + columns + nonzeros of K⁻¹ that change + breakpoints passed · log).
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
// [Niu16] section 5.1. P. Harris, Pivot
// selection methods of the Devex LP code, Mathematical Programming 5, 1973. R.
// Fourer, A simplex algorithm for piecewise-linear programming I, Mathematical
// Programming 33, 1985.
package lpbound
