package exchange

import (
	"cmp"
	"slices"
	"time"
)

// What a client does with the messages of the manager.

// Handle reads a message of the manager and returns the messages to send. The error is
// a *preempt.InputError about the message; the client is then unchanged. Time: O(n) for each
// lease in the message, n the number of nodes held.
func (c *Client) Handle(now time.Duration, msg Message) ([]Message, error) {
	if msg.Partition != c.s.Partition {
		return nil, badInput("Partition", -1, ErrUnknown, "%q: want the partition of this client, %q", msg.Partition, c.s.Partition)
	}
	if msg.Instance != c.s.Instance {
		return nil, badInput("Instance", -1, ErrInstance, "%.100q: want the instance of this client, %q", msg.Instance, c.s.Instance)
	}
	switch msg.Call {
	case NodesQueued, NodesAdded, NodesDeleted, ResourcesDiscovered, LeasesRenewed, NotifyDeletePending, DeleteCancelled:
	default:
		return nil, badInput("Call", -1, ErrUnknown, "%v is not for a client: want NodesQueued, NodesAdded, NodesDeleted, ResourcesDiscovered, LeasesRenewed, NotifyDeletePending or DeleteCancelled", msg.Call)
	}
	if err := checkLeases(msg.Leases); err != nil {
		return nil, err
	}
	if err := checkRequests(msg.Requests); err != nil {
		return nil, err
	}
	if err := checkResources(msg.Resources); err != nil {
		return nil, err
	}
	if msg.Number >= c.s.Number {
		return nil, badInput("Number", -1, ErrRange, "%d, and the client has only numbers below %d: want a client restored from the state that it saved last", msg.Number, c.s.Number)
	}
	if t := max(c.s.Now, now); msg.Sent < 0 || msg.Sent > t {
		return nil, badInput("Sent", -1, ErrRange, "%v: want a time from 0 to now, %v", msg.Sent, t)
	}
	if msg.Call == NodesAdded {
		for i, l := range msg.Leases {
			if l.Request >= c.s.Number {
				return nil, badInput("Leases.Request", i, ErrUnknown, "%d, and the client has only numbers below %d: want a request of the client", l.Request, c.s.Number)
			}
		}
	}
	if msg.Call == LeasesRenewed {
		if late, err := c.answered(&msg); err != nil || late {
			return nil, err
		}
	}
	c.begin(now)
	switch msg.Call {
	case NodesQueued:
		c.queued(&msg)
	case NodesAdded:
		c.added(&msg)
	case NodesDeleted:
		c.s.Leases = slices.DeleteFunc(c.s.Leases, func(l leaseState) bool {
			i, ok := slices.BinarySearchFunc(msg.Leases, l.Node, func(m Lease, node int) int { return cmp.Compare(m.Node, node) })
			return ok && l.Returned && msg.Leases[i].Epoch == l.Epoch
		})
	case ResourcesDiscovered:
		c.resources = append(c.resources[:0], msg.Resources...)
	case LeasesRenewed:
		c.renewed(&msg)
	case NotifyDeletePending:
		c.notice(&msg, false)
	case DeleteCancelled:
		c.cancelled(&msg)
	}
	return c.out.msgs, nil
}

// maxListings is how many of its last listings a client accepts answers to.
const maxListings = 16

// A listing is a SetResourceValues that the client sent.
type listing struct {
	Number uint64
	Sent   time.Duration
}

// answered checks that LeasesRenewed answers a listing of this client. late reports
// whether the listing is so old that the client has forgotten it, or was itself restored
// from a state of before: then the answer says nothing new, and is dropped.
func (c *Client) answered(msg *Message) (late bool, err error) {
	for _, l := range c.s.Listings {
		if l.Number == msg.Number {
			if l.Sent != msg.Sent {
				return false, badInput("Sent", -1, ErrRange, "%v: want the time of listing %d, %v", msg.Sent, l.Number, l.Sent)
			}
			return false, nil
		}
	}
	if len(c.s.Listings) > 0 && msg.Number > c.s.Listings[0].Number {
		return false, badInput("Number", -1, ErrUnknown, "%d is not a listing: want the number of a SetResourceValues of this client", msg.Number)
	}
	return true, nil
}

// queued reads how many nodes of each request are granted. An answer with a number after
// a request need not have the request: the manager may not have it yet, or not any more.
func (c *Client) queued(msg *Message) {
	c.s.Queued = max(c.s.Queued, msg.Number)
	c.s.Requests = slices.DeleteFunc(c.s.Requests, func(r Request) bool {
		i := slices.IndexFunc(msg.Requests, func(m Request) bool { return m.ID == r.ID })
		return i >= 0 && msg.Requests[i].Granted == r.Count
	})
	for _, m := range msg.Requests {
		for i := range c.s.Requests {
			if r := &c.s.Requests[i]; r.ID == m.ID {
				r.Granted, r.Refused = max(r.Granted, m.Granted), m.Refused
			}
		}
	}
}

// insert adds a lease. It replaces an earlier lease of the node, which is over.
func (c *Client) insert(l leaseState) {
	i, ok := c.find(l.Node)
	if ok {
		c.s.Leases[i] = l
		return
	}
	c.s.Leases = slices.Insert(c.s.Leases, i, l)
}

// added reads a grant. The partition must not use the node before the manager has
// confirmed the grant, because the message may be old.
func (c *Client) added(msg *Message) {
	beat := false
	for _, m := range msg.Leases {
		i, ok := c.find(m.Node)
		if ok && c.s.Leases[i].Epoch > m.Epoch {
			continue
		}
		if ok && c.s.Leases[i].Epoch == m.Epoch {
			beat = beat || !c.s.Leases[i].Confirmed && !c.s.Leases[i].Returned
			continue
		}
		c.insert(leaseState{Node: m.Node, Epoch: m.Epoch, Request: m.Request, From: c.s.Number})
		beat = true
	}
	if beat {
		c.beat()
	}
}

// renewed reads the answer about the leases that were listed.
func (c *Client) renewed(msg *Message) {
	valid := forever
	if msg.Term >= 0 {
		valid = after(msg.Sent, msg.Term)
	}
	pending := false
	for _, m := range msg.Leases {
		i, ok := c.find(m.Node)
		if !ok || c.s.Leases[i].Epoch != m.Epoch {
			continue
		}
		l := &c.s.Leases[i]
		// A notice that the client had read before it sent the listing is in force, is over,
		// or was never given. The answer says which.
		known := msg.Number >= l.Known && !l.Returned
		switch m.State {
		case Ended:
			c.s.Leases = slices.Delete(c.s.Leases, i, i+1)
		case Pending:
			pending = true
			if known && m.Preemption < l.Preemption && m.Preemption > 0 { // the higher number is forged
				l.Preemption = m.Preemption
				if !l.Draining {
					l.Preemption-- // the notice follows
				}
			}
		case Cancelled, Renewed:
			if msg.Number < l.From {
				continue // an old answer, from before the lease was given back, may meet an old grant
			}
			if known && (m.State == Cancelled || l.Preemption > msg.Last) {
				l.Preemption, l.Draining = min(l.Preemption, msg.Last), false
			}
			l.Confirmed, l.Valid = true, max(l.Valid, valid)
		}
	}
	if pending {
		c.notice(msg, true)
	}
}

// cancelled reads that preemptions are off. Somebody may have forged the message. So the
// client asks, and the nodes drain until the answer comes.
func (c *Client) cancelled(msg *Message) {
	for _, m := range msg.Leases {
		i, ok := c.find(m.Node)
		if !ok {
			continue
		}
		if l := &c.s.Leases[i]; l.Epoch == m.Epoch && l.Draining && l.Preemption <= m.Preemption && !l.Returned {
			c.beat()
			return
		}
	}
}

// notice reads that leases will end. In an answer to a listing, these are the pending
// leases. The client gives back nodes that it never used. A notice outside an answer may be
// forged. It never lets the client use a node for longer than the notice before.
func (c *Client) notice(msg *Message, answer bool) {
	at := c.out.mark()
	returned := false
	for _, m := range msg.Leases {
		if answer && m.State != Pending {
			continue
		}
		i, ok := c.find(m.Node)
		if ok && c.s.Leases[i].Epoch > m.Epoch {
			continue
		}
		if !ok || c.s.Leases[i].Epoch < m.Epoch {
			c.insert(leaseState{Node: m.Node, Epoch: m.Epoch, Returned: true})
			returned = true
			continue
		}
		l := &c.s.Leases[i]
		switch {
		case l.Returned || !l.Confirmed:
			l.Returned, returned = true, true
			continue
		case m.Preemption > l.Preemption:
			grace := m.Grace
			if l.Draining && !answer {
				grace = min(grace, max(0, l.deadline()-c.s.Now))
			}
			l.Preemption, l.Draining, l.First, l.Grace = m.Preemption, true, c.s.Now, grace
		case m.Preemption < l.Preemption || !l.Draining:
			continue
		default:
			l.Grace = min(l.Grace, m.Grace)
		}
		l.Known = c.s.Number
		out := Lease{Node: l.Node, Epoch: l.Epoch}
		l.acknowledge(&out, c.s.Now)
		c.out.leases = append(c.out.leases, out)
	}
	if len(c.out.leases) > at.leases {
		c.send(Message{Call: AcknowledgeDelete, Number: c.number()}, at)
	}
	if returned {
		c.sendReturned()
	}
}
