// Package exchange decides which partition of a hosting cluster has which node, and
// when a partition must give a node up. It loses no node and gives no node to two
// partitions, whatever the network loses and whenever a process is killed.
//
//	// In the host's process:
//	manager, err := exchange.NewManager(exchange.ManagerOptions{}, []string{"cpu", "cpu", "gpu"})
//	err = manager.CreatePartition("batch", 1, 0) // name, weight, nodes it keeps in any case
//	answers, err := manager.Handle(now, message) // save the manager, then send the answers
//	// In the process of each partition:
//	client, err := exchange.NewClient("batch", exchange.ClientOptions{})
//	id, messages, err := client.AddNodes(now, "cpu", 2) // save the client, then send the messages
//	nodes := client.AppendNodes(nil, now)               // which nodes the partition may use, and until when
//
// Manager and Client are state machines. They have no clock, no goroutine and no
// network: the caller passes the time and each message, and sends what they return.
//
//	You have                                   You want                                Call
//	nodes, and partitions that share them      to decide who has which node            NewManager, Manager.CreatePartition
//	a message of a client                      the answers to send                     Manager.Handle
//	a clock                                    notices, withdrawals, repetitions       Manager.Tick, Client.Tick
//	a job queue that needs nodes               more nodes                              Client.AddNodes
//	nodes with nothing to do                   to give nodes back                      Client.DeleteNodes
//	values of nodes, from package preempt      the cheapest nodes taken first          Client.SetResourceValues
//	a message of the manager                   the answers to send                     Client.Handle
//	a client                                   the nodes to use, to free and to leave  Client.AppendNodes
//	a manager                                  who has what, and who waits for what    Manager.AppendAssignments, AppendPartitions
//	an operator who needs nodes                nodes back from a partition             Manager.Reclaim
//	a client whose state is lost               a new client in its place               Manager.ResetClient
//	a partition to change or to end            other shares, its nodes back            Manager.SetShare, RemovePartition
//	nodes to install between two partitions    no grant before a node is ready         ManagerOptions.Prepare, Manager.Prepared
//	a partition that asks what it could get    the host's values of the nodes          Manager.AppendResources, PushResources
//	a manager or a client                      to survive a crash                      json.Marshal, json.Unmarshal
//	a large manager                            to save only what has changed           Manager.AppendChanges, Restore
//
// # Problem
//
// Partitions share the nodes of a hosting cluster. A busy partition asks for nodes.
// An idle partition gives nodes back. A partition may have to give up nodes for
// another partition. [Duplyakin17] section 3 calls these steps partition-driven
// upscaling, partition-driven downscaling and graceful preemption. The [Manager] of
// the host and the [Client] of each partition must agree on who has which node. The
// network may lose, repeat, reorder and delay messages, and each process may crash.
//
//	client                                             manager
//	AddNodes             open requests             →
//	                     the requests, as read     ←   NodesQueued
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
// # Notation
//
//	lease    a node while one partition has the node; its name is node and epoch
//	epoch    counts the leases of a node; each grant raises the epoch
//	notice   the message that a lease will end: NotifyDeletePending
//	Grace    time from the first notice read to the end of the lease
//	Term     time for which an answer to SetResourceValues renews a lease
//	Every    time between two notices, two offers or two listings
//	Skew     most by which two clocks differ over the longer of Grace and Term
//	listing  SetResourceValues: all leases of a partition, with values
//	h, w     nodes and weight of a partition
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
// # Guarantees
//
// The proofs are in proofs.go. TestUnderFaults checks Theorems 1 to 3 over more than a
// million random steps.
//
// Theorem 1 (one node, one partition). If a client reports a node as [Usable] or
// [Draining], before its End, then the ledger has this lease. So no two clients
// report the same node so at the same time.
//
// Theorem 2 (notice and grace). A lease that the partition does not give back ends in
// one of two ways only:
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
// # Allocation and concurrency
//
// A Manager and a Client keep their memory and allocate nothing once it suffices,
// except to save their state or to read a new kind of request. Returned messages are valid until the next call;
// [Message.Clone] keeps one. Each Manager and each Client is for one goroutine at a
// time. Nothing is random.
//
// # References
//
// [Duplyakin17] D. Duplyakin, D. Johnson, R. Ricci, "The Part-Time Cloud: Enabling
// Balanced Elasticity Between Diverse Computing Environments", ScienceCloud, 2017.
//
// [Gray89] C. Gray, D. Cheriton, "Leases: An Efficient Fault-Tolerant Mechanism for
// Distributed File Cache Consistency", SOSP, 1989.
//
// Program examples/services/parttime runs the exchange over HTTP.
package exchange
