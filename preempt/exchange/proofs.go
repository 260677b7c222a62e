package exchange

// Proofs of the theorems that the package comment states.
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
