/*
Package treelp solves the reservation problem on a tree of the future: by a primal simplex whose
kernel is eliminated from the leaves to the root.

# Problem

Node v of a tree is a slot of one past, with the weight W[v] and the demand d[v]. A purchase of
class k in v costs F[k]·W[v] and serves the nodes of v's subtree less than τ[k] below v. Each
instance of demand that no purchase serves costs p·W[v]:

	minimise    Σ F[k]·W[v]·r[v,k] + Σ p·W[v]·max(0, d[v] − A[v])
	subject to  A[v] = Σ { r[w,k] : w on the way to v, less than τ[k] above },   r ≥ 0.

The dual gives each node a value z[v], 0 ≤ z[v] ≤ p·W[v], such that no purchase serves values of
more than its fee, to maximise Σ d·z. With one class the matrix is that of a flow, and the optimum
is whole. With several classes the optimum need not be whole: package reserve/theory, "A tree of the
future".

# Basis

A node is short (A < d), idle (A > d) or tight. A purchase is basic, or else zero. There are as
many tight nodes as basic purchases, and the kernel is the square matrix between them. All else is
implicit: costs of short and idle nodes are pieces of a convex function, and what purchases are
worth follows from sums over subtrees.

A purchase covers nodes of its own subtree alone. So the kernel is eliminated node by node, from
the leaves to the root: a node picks a pivot row for each of its purchases from the rows that its
children did not need and its own, and passes the rest on. As many rows pass as purchases above
need. A reduced row is kept as a combination of original rows: then a purchase changes nothing
below itself, and a step eliminates the ways from two nodes to the root again, up to the first node
that passes on what it passed before (factor.go).

# Step

A sweep computes all values, O(nodes·classes), and lists for every 64 nodes the purchase or the
tight node whose change saves most (sweep.go). They enter in turn if they still pay. The basic
purchases that follow are found from the root down, in the part of the tree that changes. The step
passes each node that becomes short or idle, as long as it still pays, and ends at one that becomes
tight or at a purchase that becomes zero (step.go).

# Exactness

Demands are held scaled by a power of two and moved down by a different number each, a millionth at
most. So no two breakpoints of a step coincide, every step lowers the cost, and the algorithm ends.
At the end the kernel's equations are solved with the true demands. While all pivots are 1 or −1,
the kernel's inverse is whole: values are computed in integers, and so are exact, and purchases are
whole. With other pivots values are computed in floating point, and rounded down.

# Whole purchases

Where the optimum has fractions, branch and bound looks for the best whole plan (search.go), a
limited time.

# Cost

A step is linear in the part of the tree that changes and the ways to the root, a sweep in
nodes·classes. No polynomial bound on the steps is known. On the shared trees of 2,548 and 11,452
nodes there are 269 to 2,730. Memory is about 200 bytes a node and class. Equal problems give equal
plans; which of several optimal plans is found is not promised.

# References

R. Fourer, A simplex algorithm for piecewise-linear programming I, Mathematical Programming 33,
1985, has the long step. J. Liu, The multifrontal method for sparse matrix solution, SIAM Review
34, 1992, has elimination from leaves to root.
*/
package treelp
