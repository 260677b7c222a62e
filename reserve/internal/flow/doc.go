/*
Package flow solves the reservation problem with prepaid classes exactly: by a
network simplex with long steps on a line, or, for one class of a short term, by
shortest paths (byfee.go).

# Problem

Demand d[t] instances in slot t = 0..T-1. An instance on demand costs p for one
slot. A purchase of class k at slot s costs F[k] and covers the slots
s..min(T, s+τ[k])-1. Choose purchases r[s,k] and on-demand counts o[t], whole
numbers of at least 0, to

	minimise    Σ p·o[t] + Σ F[k]·r[s,k]
	subject to  o[t] + A[t] ≥ d[t],   A[t] = Σ { r[s,k] : s ≤ t < s+τ[k] }.

Put x[t] = d[t] - A[t]: the net on-demand flow of slot t, o[t] = max(x[t], 0),
idle capacity where it is negative. Taking the difference of adjacent slots,
A[t] - A[t-1] = (purchases that begin at t) - (those that end there), so with a
node t before each slot and a node T after the last,

	(out of node t)  x[t] - x[t-1] + Σ r[t,k] - Σ { r[s,k] : s+τ[k] = t } = d[t] - d[t-1],

a flow on a line: the slot t is an arc t -> t+1 of free sign and the convex
cost p·max(x, 0); the purchase (s, k) is an arc s -> min(T, s+τ[k]) at F[k]; the
supply of node t is d[t] - d[t-1]. Its dual are potentials y with

	0 ≤ z[t] = y[t+1] - y[t] ≤ p     and     y[min(T,s+τ[k])] - y[s] ≤ F[k],

to maximise Σ d[t]·z[t].

A slot may have several steps of demand and price, and a cap on what is active:
its cost is then another convex, piecewise linear function of x (steps.go).

# Basis

A basis is a spanning tree. A slot in it has z = p if x > 0 and z = 0 if x < 0;
a slot outside has x = 0 and any z. Maximal runs of nodes joined by basic slots
are segments. The tree is held as a tree of segments, each hung from its parent
by one purchase arc. There is one such arc fewer than there are segments, and a
few hundred to a few thousand segments where there are 26,280 slots. Segments
are found with a two-level bit set of their left ends, so that splitting and
joining segments moves nothing (basis.go).

# Step

A sweep updates the potentials, in O(T), and lists an entering arc for every block
of slots: a purchase with y[e] - y[s] > F[k], or a slot with z outside [0, p]. A class
counts more the longer its term is (sweep.go). The listed arcs then enter in turn, the most
violated first, if their cycles still save money (pivot.go). The block shrinks and grows so
that a sweep and its steps take about the same time.

Pushing θ along the cycle of an entering arc lowers the x of every slot that the
cycle walks to the left, and raises x to the right. The cost along the cycle is
convex and piecewise linear in θ: the saving falls by p at each slot whose x passes
zero. The long step goes to the breakpoint where the saving v is used up, the
⌈v/p⌉-th smallest, or stops at the first purchase arc whose flow reaches zero.
The arc of that breakpoint leaves (leaving.go). The slots passed stay in
the basis with the sign of x turned. So one step does what up to v/p steps of
the ordinary network simplex do: the first step on an empty plan buys at once
for every level that is busy in more than F/p of the slots of its window.

# Exactness

Everything is held n = T+2 times enlarged, and the demand of slot t is moved by
σ·(t+1), with σ = -1 (+1 under MaxActive): every node but T gets σ of extra
supply. The flow of a basic arc is the sum of the supplies on one side of it:
n times a whole number plus or minus the number of nodes, 1 to T, on the side
away from node T. It is therefore never a multiple of n. That is:

 1. No basic x is 0 and no basic r is 0 or at a cap: "x = 0" means "not in the
    basis", the sign of x is the state of a basic slot, and all breakpoints of
    a cycle differ.
 2. Every step has θ > 0 and lowers the moved problem's cost strictly, by at
    least θ times the saving. There are finitely many bases, so the
    algorithm ends.
 3. A basis optimal for the moved problem is optimal for the true one. The dual
    conditions do not depend on supplies. True flows are r = (r' ∓ c)/n with
    0 < c < n, so r' ≥ 1 gives r > -1, hence r ≥ 0; r' ≤ n·Max - 1 gives
    r ≤ Max; and x' > 0 gives x ≥ 0, x' < 0 gives x ≤ 0, where z = p and z = 0
    remain right.

The flow matrix of a tree is unimodular and all prices whole, so plan and
potentials are whole numbers.

# Cost

A step is linear in the slots and purchase arcs on its cycle, a sweep in
T·(classes+1). The number of steps has no polynomial bound that we know (no
network simplex with this rule has): 0.7 per slot at most on the reference cases of
package reserve. Memory is about 120 bytes a slot, however many classes there are, and 90 more
for slots with steps. The same problem always gives the same plan; which of several
optimal plans is found is not promised.
*/
package flow
