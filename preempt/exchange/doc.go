// Package exchange moves the nodes of a hosting cluster between its partitions: it
// decides who gets a free node, from whom a node is taken, and when, and loses no
// node whatever the network loses. [Manager] is the state machine of the host,
// [Client] that of a partition.
//
// # Problem
//
// Partitions share the nodes of a hosting cluster. A partition asks for nodes when
// it is busy, gives nodes back when it is not, and may have to give up some for
// others: partition-driven upscaling and downscaling, and graceful preemption
// [Duplyakin17] section 3. The [Manager] of the host and the [Client] of each
// partition agree on who has which node, over a network that may lose, repeat,
// reorder and delay whatever they say, and through crashes of either.
//
//	client                                             manager
//	AddNodes             open requests             →
//	                     as far as known           ←   NodesQueued
//	                     nodes granted             ←   NodesAdded
//	SetResourceValues    nodes held, their values  →
//	                     renewed, ended, pending   ←   LeasesRenewed
//	                     nodes to end              ←   NotifyDeletePending
//	AcknowledgeDelete    known, and since when     →
//	                     nodes that stay           ←   DeleteCancelled
//	DeleteNodes          nodes given back          →
//	                     nodes that are over       ←   NodesDeleted
//	DiscoverResources                              →
//	                     nodes of the cluster      ←   ResourcesDiscovered
//
// The protocol, in ten points.
//
//  1. The manager's ledger alone says who has a node. Each grant of a node is a lease
//     with a name of its own, node and epoch, and no message about one lease has an
//     effect on another.
//  2. A client tells all its open requests at once, and all its leases at once; of two
//     such messages the one with the higher number counts, so that order and repetition do
//     not matter.
//  3. A grant is an offer. It is repeated until the partition lists the lease, and the
//     partition uses the node when the manager has answered that, since the offer may be
//     an old one.
//  4. A lease is the partition's for a term from when it asked the question whose answer
//     renews it. It asks each minute.
//  5. The manager counts the term from when it answered, and later.
//  6. A preemption has a number. Its notice is repeated each minute until the node is given
//     back or taken. An unacknowledged one is in the answers to listings, too, and stops
//     renewal.
//  7. The grace period begins when the client first reads the notice. It says for how
//     long it has known, so that lost acknowledgements cost no time.
//  8. At the end of it the client gives the node back; the manager takes it at the same time
//     or later. This is the paper's withdrawal "without further notice".
//  9. If no notice is acknowledged the manager takes the node when its lease has run out
//     and a grace period has passed since it first sent one. It has fenced it off.
//  10. Both sides save their state before they send what follows from it.
//
// # Failure model
//
// Messages may be lost, doubled, reordered and late without limit; they are not
// forged or altered. A process may end at any time and begin again from what it
// saved last; saved states are not lost, but see below. It need not save a step that
// sends nothing, which then is as if what caused it had been lost. Clocks need not
// agree on the hour. They do not run back, they go on while a process is down, and
// over a span of Grace or Term, whichever is longer, two of them differ by Skew at
// most. Clients keep to the protocol: where they do not, or jobs go on that should
// have ended, the host installs a node anew before it sends its next grant, as a
// host that boots bare metal does anyway.
//
// A client that lost its state is made anew with [ClientOptions].First above all its
// numbers. It lists nothing and asks for nothing, so that what it had goes back and
// what it asked for is forgotten. Two clients of one partition at the same time break
// the theorems; who starts them has to see to it. So does a manager that lost its
// state, or goes on from an old one. It may be found out, by an epoch or number that it
// never gave, which is an error; but it may give the same epoch of a node to another
// partition first. It takes a person to tell what is true.
//
// # Guarantees
//
// Theorem 1 (one node, one partition). If a client reports a node as Usable or
// Draining, before its End, then the ledger has this lease. So no two clients do so
// at once.
//
// Proof. The client does so after an answer to one of its listings, sent later than
// it entered the lease, which says renewed. At that time the ledger had the lease.
// It ends in one of three ways. (a) The client gave it back: DeleteNodes with its
// name, or a later listing without it. Both are sent after the client has marked it,
// and saved the mark, which stays until the lease is over. (A client marks a lease
// that it hears of first by a notice, for the same reason: it declines, and the
// offer may come later.) When the mark is gone an old offer can enter the lease
// again, but no answer to a listing from then on renews it. (b) Grace and Skew after
// an acknowledgement of the preemption in force. Let the client have read the notice
// first at C, have sent the acknowledgement at A, which says A-C, or Grace if that
// is less, and let it be read at R ≥ A. The manager takes the node at R - (A-C) +
// Grace + Skew or later. From A to then its clock shows Grace + Skew - (A-C) or
// more, the client's Grace - (A-C) or more, which makes Grace since C; and the
// client stops at C + Grace. It would not if the preemption had been cancelled or
// replaced by one with a higher number; but then the manager has done that, and
// takes nothing for the sake of an acknowledgement of the former. (c) When, by the
// manager's clock, Skew and the Term that was told have passed since each renewal
// there was, so by the client's that Term or more since the question was asked; and
// the client stops when that is so of all the renewals that it has read. (The Term
// may have been changed in between; the last renewal need not be the longest.) ∎
//
// Theorem 2 (notice and grace). A lease that is not given back ends only if the
// client has read a notice of it, has acknowledged it, and its clock has shown Grace
// since; or if the manager, in its present life, has sent notices for Grace or
// longer and read no acknowledgement, and the client has known for certain, from its
// own clock, that its lease has run out.
//
// Proof. (b) and (c) above; a manager that begins again begins unacknowledged
// notices again, since those that it has saved need not have been sent. ∎
//
// With a negative Term there is no (c): a node is never taken without
// acknowledgement, and a dead partition keeps its nodes for ever. A person can then set
// a Term, but the leases that are out have none: what is left is a manager made anew.
//
// Theorem 3 (no node is lost). A node is free or in one lease; a free one is granted
// if a request waits for it; and when messages get through again clients and ledger
// come to agree.
//
// Proof. A lease that its partition has not listed is offered each minute; one that
// it has listed and lists no more is over; one that the ledger does not have is told
// to be over in the next answer; a mark stays, and DeleteNodes is repeated, until it
// is answered. ∎
//
// Theorem 4 (liveness). Let a request be one that fairness grants, by preemption
// from a partition whose values are fresh and stay so until the manager has read the
// request; let nobody else ask meanwhile, no process be down from then on, a message
// take δ at most, all ticks be on time, notices and listings come as often as each
// other, and k of the messages between the manager and the two clients be lost. The
// node is usable after
//
//	6·δ + Grace + Skew + k·Every
//
// at the latest. With one message lost, and 6·δ + Skew ≤ Every, that is the grace
// period and two notices.
//
// Proof. AddNodes, notice, the grace period at the client, DeleteNodes, NodesAdded,
// listing, renewal: six messages one after the other. Each is repeated Every after
// it was sent, in the form of the next notice, offer or listing, so a loss costs
// Every at most; of DeleteNodes it costs less if an acknowledgement got through,
// since the manager then withdraws after Skew. ∎ (TestLiveness loses each
// one and each pair of messages: the bound without Skew is reached.)
//
// A partition that falls silent costs Term, Skew and Grace from its last renewal at
// the most, by the manager's clock, before its node is granted to another: when the
// lease has run out no fresh values are needed, and the notice goes out if it has not.
// It may cost MaxDelay more if the manager was down in between, since it then waits for
// values anew.
//
// # Fairness
//
// A partition's share is its nodes, but for those that are to end, over its weight.
// A free node, or one that is to end, is for the waiting partition with the least
// share, its first request first. A request for any kind is kept to kinds that nobody
// waits for by name where it can be: if it has been assigned a node of a kind that
// another request names, and which that one cannot have otherwise, it is moved to
// another node that is free or to end, or that may be taken for both: for its partition,
// and for the other one as the one that gains by it. A node is taken,
// for the partition with the least share that waits, from the one with the greatest
// share of those that may lose one: that have a node of the kind asked for, more
// than their floor, and after it a share no less than the asker's after it,
//
//	(h_from - 1)/w_from ≥ (h_to + 1)/w_to.
//
// Of its nodes it is the one of least value. Ties go to the partition that was
// created first, and to the lower node. Where all want more than they have, and any
// node does, nobody's share can in the end be raised by a node without another's
// falling below it: weighted max-min fairness, as far as whole nodes go. It does not
// go in circles: a node's way back would need h_to/w_to ≥ h_from/w_from of the
// shares before the move, and by the inequality the left side is the smaller one.
//
// Values have a time, by the client's clock when they are sent; how long the message
// is on its way is not counted, so that one that comes late makes values seem fresh
// that are not. A partition whose values are older than MaxAge is not taken from: the
// preemption is delayed, for MaxDelay at most, then aborted, and the next partition by
// the rule is taken from, if it allows. The first new values of the partition end this.
// So does the end of its leases: a partition that lists its nodes and does not tell what
// they are worth can keep them; a host that does not want that sets TakeStale. One that
// is silent cannot. It keeps what fairness and its floor leave it, until it speaks
// or [Manager.Reclaim] takes that, which stale values delay and do not abort.
//
// # Departures from [Duplyakin17]
//
// The paper has no failures, and takes a node a grace period after the first notice
// is sent. Here it is the first notice read. It has no leases; a partition that is
// silent loses nodes after one, or never. Nodes are asked for by count and kind.
// Fairness is left open there ("a system-wide manager service communicates with them
// and ensures fairness"). The host's own values are the paper's simplest ones, 0 for
// a free node and 1 for one in use.
//
// Leases are those of Gray and Cheriton, Leases: An Efficient Fault-Tolerant
// Mechanism for Distributed File Cache Consistency, SOSP 1989. Program
// examples/parttime has the exchange over HTTP.
package exchange
