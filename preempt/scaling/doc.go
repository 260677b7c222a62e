// Package scaling decides when a partition asks its host for nodes, and when it gives
// nodes back.
//
//	ask, cancel, back, err := scaling.Decide(nil, scaling.View{
//		Queue: []scaling.Waiting{{Nodes: 4, Waited: 3 * time.Minute}},
//		Nodes: []scaling.Node{{Busy: true}, {Idle: time.Minute}},
//	}, scaling.Options{})
//	// ask for so many more nodes, cancel requests for so many, give these back
//
// The decision is pure: what it needs is in the view, and nothing is kept from one call to
// the next. So a caller may decide as often as it likes, and may be killed in between.
//
//	You have                                 You want                          Call
//	a queue, nodes, and requests under way   what to ask for and to give back  Decide
//	a waiting job                            that short jobs do not wait       Options.Wait
//	nodes that come and go too often         fewer moves                       Options.Hold, Idle
//	another partition that waits             nodes given back sooner           View.Worth
//	a host that takes long to grant          nodes in reserve                  Options.Pool
//
// # Problem
//
// Partitions share the nodes of a host. [Duplyakin17] calls a partition an EP: "When an EP
// experiences high utilization, it should acquire additional resources". A partition should
// also be "a conscious tenant ... releasing unused resources in a proactive and timely
// manner". The paper names these steps partition-driven upscaling and downscaling, and does
// not say when a partition takes them.
//
// # Notation
//
//	D      the nodes that waiting jobs need, of jobs that are not larger than Most
//	R      the same, of jobs that have waited for Wait or longer
//	I      idle nodes of the partition
//	S      busy nodes that come free within Lead
//	A      nodes asked for and not granted yet
//	N      nodes of the partition
//	w      View.Worth: what an hour of a node is worth to others
//	M      Options.Move: what it costs to get a node again
//
// # Algorithm
//
//	ask       R + Pool − I − S − A nodes, so that N + A is from Least to Most
//	cancel    what A is more than D + Pool − I − S, so that N + A stays at Least or more
//	return    idle nodes beyond D + Pool, longest idle first, that are idle for
//	          min(Idle, M/w) and held for Hold, while N is more than Least
//
// # Guarantees
//
// Theorem 1 (no circles). After the decision is carried out, the same queue gives no further
// decision at the same moment: no ask after a return or a cancel, no return and no cancel after an
// ask.
//
// Proof. Let the return leave I' idle nodes. I' ≥ D + Pool ≥ R + Pool, and N is not below Least, so
// nothing is asked for. After a cancel I + S + A is D + Pool or more, or A is 0, and N + A is Least
// or more if it was before: nothing is asked for that was not before. A return leaves at most D +
// Pool idle nodes, or Least nodes, or no node whose time has come: nothing more goes. A cancel
// leaves A = 0, I + S + A = D + Pool or N + A = Least: nothing more is cancelled. Let the decision
// ask. Then I + S + A < R + Pool ≤ D + Pool or N + A < Least. In the first case no idle node is
// beyond D + Pool; in the second case none may go. And the ask makes I + S + A at most R + Pool, or
// N + A at most Least, so nothing is cancelled. ∎
//
// Theorem 2 (twice the best). Let a node be idle for an unknown time L, let each hour of it be
// worth the same w > 0 to others, and let a node that was given back cost M when it is needed
// again. Let Idle be M/w or more, and Hold over. Let Decide be called when the node has been idle
// for M/w, and let the node then be among the I − D − Pool nodes, and among the N − Least nodes,
// that have been idle longest. Then the rule costs at most 2·min(w·L, M), which is twice the cost
// of a partition that knows L.
//
// Proof. If w·L < M, the node is needed before it goes, and costs w·L, which is the least. Else it
// goes at M/w, having cost M, and M again when it is needed; the least is M. ∎ A call that comes
// later by a time ε adds w·ε. No deterministic rule that does not know L has a smaller factor: this
// is the ski-rental problem [Karlin88]. A rule that draws its patience at random can have e/(e−1)
// in expectation.
//
// # The idle pool
//
// [Duplyakin17] section 4.5 asks whether long grace periods are worth the idle nodes that
// they need in reserve. Pool is that reserve, on the partition's side. TestPool measures what
// it costs and saves: see BENCHMARKS.md.
//
// # Units
//
// Nodes are whole numbers. Times are [time.Duration]; each is a span that ends now. Worth is
// an hour of a node elsewhere over an hour of a node here, 0 and above.
//
// # Allocation and concurrency
//
// [Decide] allocates nothing if dst has room. No argument but dst is kept or modified.
//
// # References
//
// [Duplyakin17] D. Duplyakin, D. Johnson, R. Ricci, "The Part-Time Cloud: Enabling Balanced
// Elasticity Between Diverse Computing Environments", ScienceCloud, 2017.
//
// [Karlin88] A. R. Karlin, M. S. Manasse, L. Rudolph, D. D. Sleator, "Competitive Snoopy
// Caching", Algorithmica 3, 1988.
package scaling
