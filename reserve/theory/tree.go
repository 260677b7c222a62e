package theory

// # A tree of the future
//
// Problem.Tree decides each purchase in the node in which it is made. Node v has the probability
// P_v, a purchase of class k in v costs P_v·F_vk and serves the nodes of v's subtree less than τ_k
// below, and what is missing costs P_v·p on demand. Is the linear program's optimum whole?
//
// One class: always, whatever the fees. The row of node u has a 1 for each node on the way from u
// up to τ slots above: a way up the tree. The matrix with a row for each directed way in a directed
// tree, and a column for each edge of the tree, is the transpose of a network matrix, and so
// totally unimodular. To see it, let N_v be the purchases on the way from the root to v. Then A_u =
// N_u − N_w, where w is the node τ above u, and a purchase is N_v − N_parent(v). All that counts
// are differences of two potentials N, and the dual is a flow: z_u, between 0 and P_u·p, runs from
// w to u, and back up the tree over arcs with the capacity P_v·F_v.
//
// A line: always, whatever the classes and fees ("Two theorems that do not hold"). All purchases at
// the root ("Demand that is not known"): always.
//
// Several classes on a tree: not always, even if fees never change and there are two classes. Let p
// = 1, three slots cost 2, and five slots or more cost 3. The tree shows one of two branches in
// slot 2, each with probability ½:
//
//	slot     0    1     2    3    4
//	demand   1    2     0    1    0     with probability ½: nodes a2, a3, a4
//	                    2    2    1     with probability ½: nodes b2, b3, b4
//
// Half a reservation of three slots at slots 0 and 1 and in b2, and half of one of five slots at
// slot 0, cost 4. They leave half an instance at slot 1 and in b3, for ¾. Values prove that 4¾ is
// the program's optimum: ¾ for slot 0, 1 for slot 1, ½ for b3, and ¼ for a3, b2 and b4 each. The
// values served by each of the four purchases sum to its fee, those served by any other purchase to
// no more, and Σ z·d = 4¾. Each whole plan costs a multiple of ½, so none costs less than 5, and 5
// is what one reservation of three slots at slot 0 and one in b2 cost. Twice the demand costs 9½.
// The gap is 1/19. The four tight nodes are slot 0, a3, b2 and b4, and their rows, in the columns
// of the four purchases (three slots at 0, five at 0, three at 1, three in b2),
//
//	1 1 0 0
//	0 1 1 0
//	1 1 1 1
//	0 1 0 1
//
// have the determinant −2. (The first, second and fourth row make all purchases follow from that of
// five slots, x: 1 − x each. The third is then 3 − 2x = 2.) No fee and no price matters for that
// but that these four purchases pay in halves.
//
// Such trees are rare. Of 3.5 million made-up trees of 4 to 11 nodes with two classes, 7 had a gap,
// the largest 4.5%; of 3.1 million with three classes 6, the largest 1.1%. That is why trials of
// some hundred trees meet none, and the four reference trees have whole optima. With fees that
// change freely from node to node a gap is larger and no more frequent: nine nodes have one of a
// fifth (TestGaps of reserve/internal/treelp).
//
// Two facts say why gaps are rare while fees do not change.
//
//  1. A purchase waits until it is needed. A purchase in v can be replaced by one in each child of v: the fees are the same, since
//     P_v is the sum of those of the children, only v itself is served less, and nodes at the end are served more. So there is an
//     optimum in which A_v ≤ d_v wherever something is bought in v.
//  2. If, moreover, A_v = d_v there, and no node buys two classes, the optimum is whole: the rows of the nodes that
//     buy determine the purchases, and in the order of the tree their matrix is triangular with 1 on
//     the diagonal.
//
// A star, which parts at the root alone, with two classes: always, whatever the fees. Let x_1 and
// x_2 be the purchases at the root. Given them, each branch is a line, whose optimum is the cost of
// a flow as a function of supplies, in which x_1 and x_2 are supplies of two nodes. Such a function
// is M♮-convex (Murota, Discrete Convex Analysis, 2003), so the regions in which it is linear are
// bounded by lines x_1 = c, x_2 = c and x_1 + x_2 = c with whole c. The same holds for the cost of
// the root, and so for the sum over all branches. An optimum is at a crossing of two such lines,
// and any two cross at whole numbers. With K classes the bounds are sums over subsets of x_1, …,
// x_K, and x_1 + x_2, x_1 + x_3 and x_2 + x_3 would no longer do: the determinant is −2. Whether a
// star with three classes can have a gap we do not know. Of 1.7 million made-up stars with three
// and four classes, none had.
