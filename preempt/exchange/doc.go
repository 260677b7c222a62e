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
//	a manager or a client                      to survive a crash                      Manager.MarshalText, Client.MarshalText
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
// # Guarantees
//
// The network may lose, double, reorder and delay messages without limit. A process may end
// at any time and begin again from the state that it saved last. Over a span of Grace or Term,
// whichever is longer, two clocks differ by Skew at most. Then:
//
//  1. No two clients report the same node as [Usable] or [Draining] at the same time.
//  2. A lease ends if the partition gives the node back, if the client has known a notice for
//     Grace, or if the lease has run out by the client's own clock.
//  3. No node is lost: a node is free or in one lease, and a free node goes to a request that
//     waits. When messages get through, clients and ledger come to agree.
//  4. A node that a request takes from another partition is usable 6·δ + Grace + Skew +
//     k·Every after the request, if a message takes δ and k messages are lost.
//
// File theory.go has the protocol, the hypotheses, the proofs, and what forged messages can do.
// TestUnderFaults checks 1 to 3 over more than a million random steps.
//
// # Fairness
//
// The share of a partition is its nodes over its weight, without nodes that are to end. A
// free node goes to the waiting partition with the least share. If no node is free, the
// partition with the greatest share loses its node of least value, if it keeps a share no less
// than the asker's new share, and its floor. Nodes do not move in circles. File theory.go
// has the rules for kinds of nodes and for values that are old.
//
// # Saved state
//
// A state is a record with its length and checksums, in base64. Changes are records that
// follow, and each names the one before. A flipped bit, a cut, a swap or a gap is an error of
// [Manager.Restore]. A file whose last record is not whole is the caller's: leave that record
// out, since nothing was sent that follows from it.
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
