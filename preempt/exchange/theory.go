package exchange

// The protocol, what may fail, what forged messages can do, and the theorems with their
// proofs.
//
// # Protocol
//
//  1. The ledger of the manager alone says who has a node. Each grant is a new lease.
//     A message about one lease does not affect another lease.
//  2. A client sends all its open requests in one message, and all its leases in one
//     message. Of two such messages, the message with the higher number counts. So
//     order and repetition do not matter.
//  3. A grant is an offer. The manager repeats the offer until the partition lists
//     the lease. The partition uses the node when the manager has answered the
//     listing, because the offer may be old.
//  4. A lease belongs to the partition for a Term. The Term begins when the client
//     asks the question whose answer renews the lease. The client asks every minute.
//  5. The manager counts the Term from the time of its answer, which is later.
//  6. Each preemption has a number. The manager repeats the notice every minute until
//     the node is given back or taken. While the notice is not acknowledged, and where a
//     listing shows another number, answers to listings repeat the notice, too, and do
//     not renew the lease.
//  7. The grace period begins when the client first reads the notice. The client
//     reports for how long it has known the notice. So a lost acknowledgement costs
//     no time. A listing says what acknowledgements sent before it say. So the manager
//     reads no acknowledgement that is older than the last listing. In the same way,
//     a DeleteNodes that is older than the last listing ends no lease that the
//     partition has listed.
//  8. At the end of the grace period the client gives the node back. The manager
//     takes the node at the same time or later. This is the withdrawal "without
//     further notice" of [Duplyakin17].
//  9. Without an acknowledgement, the manager takes the node when the lease has run
//     out and a grace period has passed since the manager first sent the notice. The
//     node is then fenced off.
//  10. A cancellation makes the client list its leases. The node drains until the answer
//     says that the preemption is off. A notice for a node that drains already never
//     moves the end to a later time, unless the notice is in the answer to a listing.
//  11. Manager and client save their state before they send what follows from it.
//
// # Failures
//
// The network may lose, double, reorder and delay messages without limit. The caller
// makes sure who sends a message (examples/internal/exchangehttp does that with
// certificates or keys), and that the message names the partition of the sender. A process may end at any time and begin again from the
// state that it saved last. Saved states are not lost, except as said below. A step
// that sends nothing need not be saved: losing the step is the same as losing its
// cause.
//
// Clocks need not show the same hour. A clock does not run back, and goes on while
// its process is down. Over a span of Grace or Term, whichever is longer, two clocks
// differ by Skew at most.
//
// Clients keep to the protocol. If a client does not, or if jobs go on that should
// have ended, the host installs the node anew before it sends the next grant. A host
// that boots bare metal does that anyway.
//
// A client that lost its state starts anew with another [ClientOptions].Instance, which
// [Manager.ResetClient] names. Numbers belong to an instance. From then on the manager
// reads nothing of the old client, withdraws its requests, and takes its nodes when their
// leases have run out. So the old client may even go on, and the theorems hold.
//
// Two clients with one instance at the same time break the theorems. The caller must
// prevent that. The same holds for late messages of the client of a removed partition, if
// a partition of that name is created again and its instance is the same.
//
// A manager that lost its state, or starts from an old state, breaks the theorems, too.
// [ManagerStats].Unknown then counts leases that the manager never gave. But the manager
// may also give the same epoch of a node to another partition first. Then a person must
// decide what is true.
//
// # Forged messages
//
// Where a message gets through that the peer did not send, its harm is bounded. Numbers
// jump by 2^32 at most, epochs and numbers of preemptions have 48 bits, names and kinds
// are short and printable, and requests and partitions are limited. A client takes
// LeasesRenewed only as the answer to a listing of its own, by number and time, and
// NodesAdded only for a request of its own instance. A forged grant or notice does not
// survive the next listing: the manager answers that it never gave the lease or the
// preemption. Until then a client may drain, or give back, a node, and a real notice may
// leave less than Grace. Whatever is forged to clients, but for the answer to a listing,
// Theorem 1 holds (TestForgedPastDeadline, TestForgedReturn, and TestUnderFaults with
// forged messages):
//
//   - an end moves to a later time only by the answer to a listing;
//   - the manager accepts no acknowledgement of another number or of a longer grace period;
//   - a lease that a client has given back, and lists again because of a forged
//     NodesDeleted, is not ended by the old DeleteNodes.
//
// Theorem 1 breaks where somebody forges the answer to a listing. That takes the number and
// the time, in nanoseconds, of one of the last 16 listings. Somebody who speaks as a
// partition can give away the nodes of that partition, and of no other partition. The
// partition may then use the nodes until its client reads the next answer, or the lease
// runs out.
//
// # Theorems
//
// Theorem 1 (one node, one partition). If a client reports a node as [Usable] or
// [Draining], before its End, then the ledger has this lease. So no two clients
// report the same node so at the same time.
//
// Theorem 2 (notice and grace). A lease that the partition has listed and does not give
// back ends in one of two ways only, unless the caller calls Fence or says that the client is
// gone:
//
//   - the client has read a notice, has acknowledged the notice, and its clock has
//     shown Grace since; or
//   - the manager, since its last start, has sent notices for Grace or longer and
//     read no acknowledgement, and the client knows from its own clock that the lease
//     has run out.
//
// With a negative Term there is no second way. Then a node is never taken without
// acknowledgement, and a dead partition keeps its nodes until an operator calls
// [Manager.Fence].
//
// Theorem 3 (no node is lost). A node is free or in one lease. A free node is granted
// if a request waits for it. When messages get through again, clients and ledger come
// to agree.
//
// Theorem 4 (liveness). Let fairness grant a request by preemption from a partition
// whose values are fresh, and stay fresh until the manager has read the request. Let
// nobody else ask meanwhile, no process be down, a message take δ at most, and all
// ticks be on time. Let notices and listings come equally often, and let k of the
// messages between the manager and the two clients be lost. Then the node is usable
// after
//
//	6·δ + Grace + Skew + k·Every
//
// at the latest. With one lost message and 6·δ + Skew ≤ Every, that is the grace
// period and two notices. TestLiveness loses each message and each pair of messages,
// and reaches the bound without Skew.
//
// A partition that falls silent loses a node at most Term, Skew and Grace after its
// last renewal, by the manager's clock. When the lease has run out, the manager needs
// no fresh values and sends the notice if it has not. If the manager was down in
// between, it waits for values anew, and the node may change hands MaxDelay later.
//
// # Fairness
//
// The share of a partition is its nodes over its weight, without nodes that are to
// end. A free node, or a node that is to end, goes to the waiting partition with the
// least share, for the first of its requests.
//
// A request for any kind uses kinds that nobody waits for by name, where possible.
// Say such a request holds a node of kind "gpu", a request by name waits for a "gpu",
// and there is no other "gpu" for it. Then the request for any kind moves to another
// node: to a free node, to a node that is to end, or to a node that may be taken for
// both partitions. The request by name gets the "gpu".
//
// If no such node is left, a node is taken for the waiting partition with the least
// share. The node comes from the partition with the greatest share among those that
// may lose a node. Such a partition has a node of the kind asked for, has more nodes than
// its floor, and keeps a share no less than the asker's new share:
//
//	(h_from - 1)/w_from ≥ (h_to + 1)/w_to.
//
// Of the nodes of that partition, the node of least value is taken. Ties go to the
// partition that was created first, and to the lower node.
//
// If all partitions want more nodes than they have, of any kind, the result is weighted
// max-min fair, as far as whole nodes go. No share can rise by a node unless a lower share
// falls by a node. Nodes do not move in circles. A node's way back would
// need h_to/w_to ≥ h_from/w_from of the shares before the move, and by the inequality
// the left side is smaller.
//
// # Values that are old
//
// Values have a time: the client's clock when the client sends them. The time on the
// way is not counted, so a late message makes old values seem fresh. From a partition
// whose values are older than MaxAge, nothing is taken. The preemption waits for
// MaxDelay at most. Then it is aborted, and fairness looks at the next partition. New
// values of the partition end the wait, and so does the end of its leases.
//
// A partition that lists its nodes but sends no values can keep its nodes that way. A
// host that does not want that sets TakeStale. A silent partition cannot: its leases
// run out. It keeps the nodes that fairness and its floor leave it, until it speaks or
// [Manager.Reclaim] takes the nodes. Stale values delay Reclaim and do not abort it.
//
// # Differences from [Duplyakin17]
//
//   - The paper has no failures. It takes a node a grace period after the first
//     notice is sent; here, after the first notice is read.
//   - The paper has no leases. Here a silent partition loses nodes when its leases
//     have run out, or never, if leases have no end.
//   - Nodes are asked for by count and kind.
//   - The paper leaves fairness open ("a system-wide manager service communicates
//     with them and ensures fairness").
//   - The host's own values are probabilities by the rule of fairness; where fairness
//     gives up no node, they are the simplest values of the paper: 0 for a free node, 1
//     for a node in use.
//
// # Proofs
//
// Theorem 1 (one node, one partition). A client reports a node as usable or draining
// only after an answer to one of its listings. The client sent the listing after it
// entered the lease, and the answer says renewed. When the manager answered, the
// ledger had the lease. The lease can end in four ways.
//
// (a) The client gave the lease back, by DeleteNodes or by a later listing without
// the lease. The client sends both after it has marked the lease as returned and has
// saved the mark. The mark stays until the lease is over. (For the same reason, a
// client marks a lease that it first hears of by a notice: it declines the lease, and
// the offer may come later.) When the mark is gone, an old offer can enter the lease
// again, but no answer to a listing sent from then on renews the lease. A forged
// NodesDeleted may remove the mark while the ledger has the lease. Then an old offer and a
// listing may make the lease usable again. That listing is later than the DeleteNodes, which
// therefore does not end the lease any more.
//
// (b) Grace and Skew have passed since an acknowledgement of the preemption in force.
// Let the client first read the notice at C. Let it send the acknowledgement at A;
// the acknowledgement says A-C, or Grace if that is less. Let the manager read it at
// R ≥ A. The manager takes the node at R - (A-C) + Grace + Skew or later. From A to
// then, the manager's clock shows at least Grace + Skew - (A-C). So the client's
// clock shows at least Grace - (A-C), which makes Grace since C, and the client stops
// at C + Grace. The client would not stop if the preemption had been cancelled, or
// replaced by a preemption with a higher number. But the client believes that only from
// the answer to a listing that it sent after the last notice read. Then the manager has
// done that, and takes nothing because of an acknowledgement of the former preemption.
//
// A forged notice changes nothing of that. A notice outside an answer ends the lease at the
// same time or sooner. Say that the client acknowledged a number before the manager gave it
// to this lease. Either the next listing repeats the acknowledgement, and the client goes on
// knowing the notice. Or an answer said that there is no such preemption. Then the manager
// had read a listing later than the acknowledgement, and does not accept the acknowledgement
// any more. An acknowledgement of a longer grace period than the manager gave is none.
//
// (c) By the manager's clock, Skew and the Term that was told have passed since each
// renewal. So by the client's clock at least that Term has passed since the question
// was asked. The client stops when that holds for all renewals that it has read. (An
// operator may have changed the Term in between, so that the last renewal need not be
// the longest.)
//
// (d) The client was replaced, or its partition removed. Then the manager reads no message of
// the client any more, so it renews nothing, and the lease ends by (b) or (c). The manager
// takes the node when its acknowledged grace period, or the longest Term that it told and
// Skew, is over. The lease ends at once only if the caller says that the client is gone, or
// calls Fence. The theorem then is the caller's word. A listing of the new client ends
// no lease of the old one, and the new client cannot give it back. ∎
//
// Theorem 2 (notice and grace). The two ways are (b) and (c) above. A manager that
// begins again begins unacknowledged notices again, because a saved notice need not
// have been sent. ∎
//
// Theorem 3 (no node is lost). The manager offers a lease every minute while its
// partition has not listed the lease. A lease that the partition has listed and lists
// no more is over. If a client lists a lease that the ledger does not have, the next
// answer says that the lease is over. A mark stays, and DeleteNodes is repeated, until
// DeleteNodes is answered. ∎
//
// Theorem 4 (liveness). Six messages follow each other: AddNodes, the notice, then
// after the grace period at the client DeleteNodes, NodesAdded, the listing and its
// answer. Each is repeated Every after it was sent, by the next notice, offer or
// listing. So a loss costs Every at most. A lost DeleteNodes costs less if an
// acknowledgement got through, because the manager then withdraws after Skew. ∎
