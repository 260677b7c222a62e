package exchange

import (
	"cmp"
	"slices"
	"time"

	"github.com/plimsoll/plimsoll/internal/grow"
)

// The client believes little: a node is its own from when the manager has answered
// a question that listed the node, for a term from when the question was asked; and
// of a node that is to end, until a grace period after it read the notice. Both
// spans begin before the manager's own, so that the client stops before the
// manager takes.

// A Client is the elastic client of a partition. It asks the manager for nodes,
// gives them back, says what they are worth, and keeps for how long each is the
// partition's. It is a state machine without a clock, like the [Manager]: its
// caller hands it the time, from a clock of its own, and messages, and saves it
// (MarshalJSON) before sending the messages that come out, which are valid until
// the next call and can be sent in any order or not at all.
//
// What there is to act on is read with [Client.AppendNodes]: nodes to use, nodes
// to free and by when, nodes to leave alone. The caller frees a node, such as when
// its last job has ended, with DeleteNodes.
//
// It is for use by one goroutine at a time. Use [NewClient], or UnmarshalJSON into
// the zero value.
type Client struct {
	s         clientState
	resources []Resource
	out       outbox
	met       []bool // working memory
}

type leaseState struct {
	Node      int           `json:"node"`
	Epoch     uint64        `json:"epoch"`
	Request   uint64        `json:"request,omitempty"`
	Value     float64       `json:"value,omitempty"`
	From      uint64        `json:"from,omitempty"` // number of the first message that can list it
	Confirmed bool          `json:"confirmed,omitempty"`
	Valid     time.Duration `json:"valid_ns,omitempty"` // until when it is ours, once confirmed
	Returned  bool          `json:"returned,omitempty"` // DeleteNodes is not answered
	// The last preemption seen, and whether it is in force.
	Preemption uint64        `json:"preemption,omitempty"`
	Draining   bool          `json:"draining,omitempty"`
	First      time.Duration `json:"first_ns,omitempty"` // notice read
	Grace      time.Duration `json:"grace_ns,omitempty"`
}

// deadline returns when a lease that is to end does.
func (l *leaseState) deadline() time.Duration { return after(l.First, l.Grace) }

// maxFirst is the greatest number to begin with, so that numbers do not come to an end.
const maxFirst = 1 << 62

// NewClient returns a client for a partition that the manager has or will have.
func NewClient(partition string, opts ClientOptions) (*Client, error) {
	if partition == "" {
		return nil, badInput("partition", -1, ErrRange, "the name is empty: want a name")
	}
	if opts.Every < 0 {
		return nil, badInput("Options.Every", -1, ErrRange, "%v: want a positive span, or 0 for the default", opts.Every)
	}
	if opts.Every == 0 {
		opts.Every = time.Minute
	}
	if opts.First > maxFirst {
		return nil, badInput("Options.First", -1, ErrRange, "%d: want 2^62 at most", opts.First)
	}
	first := max(1, opts.First)
	// The first AddNodes, with no request, ends those of a client before it.
	return &Client{s: clientState{Partition: partition, Every: opts.Every, Number: first, Asked: first}}, nil
}

// Partition returns the partition's name.
func (c *Client) Partition() string { return c.s.Partition }

// Now returns the latest time that the client was told. After a restart its clock
// must not begin before, and must have gone on in between.
func (c *Client) Now() time.Duration { return c.s.Now }

func (c *Client) begin(now time.Duration) {
	c.s.Now = max(c.s.Now, now)
	c.out.reset()
}

func (c *Client) number() uint64 {
	n := c.s.Number
	c.s.Number++
	return n
}

// find returns the index of a node's lease, or where it would be.
func (c *Client) find(node int) (int, bool) {
	return slices.BinarySearchFunc(c.s.Leases, node, func(l leaseState, node int) int { return cmp.Compare(l.Node, node) })
}

// AddNodes asks for count nodes of a kind, "" for any: partition-driven upscaling.
// The request stands until it is granted or cancelled; id is its name.
func (c *Client) AddNodes(now time.Duration, kind string, count int) (id uint64, msgs []Message, err error) {
	if count < 1 {
		return 0, nil, badInput("count", -1, ErrRange, "%d: want a positive number of nodes", count)
	}
	c.begin(now)
	id = c.number()
	c.s.Requests = append(c.s.Requests, Request{ID: id, Kind: kind, Count: count})
	c.s.Asked = c.s.Number
	c.sendRequests()
	return id, c.out.msgs, nil
}

// Cancel withdraws a request, or what is left of it, or forgets one that was refused. Nodes
// that are granted before the manager knows are the partition's, to keep or to
// give back.
func (c *Client) Cancel(now time.Duration, id uint64) ([]Message, error) {
	i := slices.IndexFunc(c.s.Requests, func(r Request) bool { return r.ID == id })
	if i < 0 {
		return nil, badInput("id", -1, ErrUnknown, "%d: want the ID of a request that is open or refused", id)
	}
	c.begin(now)
	c.s.Requests = slices.Delete(c.s.Requests, i, i+1)
	c.s.Asked = c.s.Number
	c.sendRequests()
	return c.out.msgs, nil
}

// AppendRequests appends the requests that are open or refused to dst, by ID.
func (c *Client) AppendRequests(dst []Request) []Request { return append(dst, c.s.Requests...) }

// DeleteNodes gives nodes back: partition-driven downscaling, or the end of what ran on
// nodes that are to end. From now on they are not to be used. It is an error to
// give back what the partition does not hold, or a node twice, and then nothing is
// given back.
func (c *Client) DeleteNodes(now time.Duration, nodes ...int) ([]Message, error) {
	for i, n := range nodes {
		if j, ok := c.find(n); !ok || c.s.Leases[j].Returned {
			return nil, badInput("nodes", i, ErrUnknown, "%d: want a node that the partition holds", n)
		}
	}
	if i := c.twice(len(nodes), func(i int) int { return nodes[i] }); i >= 0 {
		return nil, badInput("nodes", i, ErrRange, "%d is there twice: want each node once", nodes[i])
	}
	c.begin(now)
	for _, n := range nodes {
		j, _ := c.find(n)
		c.s.Leases[j].Returned = true
	}
	c.sendReturned()
	return c.out.msgs, nil
}

// DiscoverResources asks for the nodes of the hosting cluster; see [Client.AppendResources].
func (c *Client) DiscoverResources(now time.Duration) []Message {
	c.begin(now)
	c.out.send(Message{Call: DiscoverResources, Partition: c.s.Partition}, c.out.mark())
	return c.out.msgs
}

// AppendResources appends the latest answer to DiscoverResources to dst. It is not
// saved.
func (c *Client) AppendResources(dst []Resource) []Resource { return append(dst, c.resources...) }

// A NodeValue is what a node is worth to its partition, from 0 to 1.
type NodeValue struct {
	Node  int
	Value float64
}

// SetResourceValues tells the preemption vector as it is now. A node that values does
// not have is worth 0. It is an error if a node is there twice, or is not held, or its
// value is not in [0, 1], and then nothing is changed. It takes O(n log n) time.
func (c *Client) SetResourceValues(now time.Duration, values []NodeValue) ([]Message, error) {
	for i, v := range values {
		if j, ok := c.find(v.Node); !ok || c.s.Leases[j].Returned {
			return nil, badInput("values.Node", i, ErrUnknown, "%d: want a node that the partition holds", v.Node)
		}
		if !(v.Value >= 0 && v.Value <= 1) {
			return nil, badInput("values.Value", i, ErrRange, "%v: want a value from 0 to 1", v.Value)
		}
	}
	if i := c.twice(len(values), func(i int) int { return values[i].Node }); i >= 0 {
		return nil, badInput("values.Node", i, ErrRange, "%d is there twice: want each node once", values[i].Node)
	}
	c.begin(now)
	for i := range c.s.Leases {
		c.s.Leases[i].Value = 0
	}
	for _, v := range values {
		j, _ := c.find(v.Node)
		c.s.Leases[j].Value = v.Value
	}
	c.s.HasValues, c.s.ValuesAt = true, c.s.Now
	c.beat()
	return c.out.msgs, nil
}

// twice returns the index of the first of n nodes, all of which the client has, that
// has been met before, -1 if there is none.
func (c *Client) twice(n int, node func(i int) int) int {
	c.met = grow.Zero(c.met, len(c.s.Leases))
	for i := range n {
		j, _ := c.find(node(i))
		if c.met[j] {
			return i
		}
		c.met[j] = true
	}
	return -1
}

// sendRequests sends AddNodes.
func (c *Client) sendRequests() {
	at := c.out.mark()
	for _, r := range c.s.Requests {
		if r.Refused == "" {
			c.out.requests = append(c.out.requests, Request{ID: r.ID, Kind: r.Kind, Count: r.Count})
		}
	}
	c.out.send(Message{Call: AddNodes, Partition: c.s.Partition, Number: c.number()}, at)
	c.s.NextAdd = after(c.s.Now, c.s.Every)
}

// sendReturned sends DeleteNodes.
func (c *Client) sendReturned() {
	at := c.out.mark()
	for i := range c.s.Leases {
		if l := &c.s.Leases[i]; l.Returned {
			c.out.leases = append(c.out.leases, Lease{Node: l.Node, Epoch: l.Epoch})
		}
	}
	if len(c.out.leases) > at.leases {
		c.out.send(Message{Call: DeleteNodes, Partition: c.s.Partition}, at)
		c.s.NextBack = after(c.s.Now, c.s.Every)
	}
}

// beat sends SetResourceValues.
func (c *Client) beat() {
	m := Message{Call: SetResourceValues, Partition: c.s.Partition, Number: c.number(), Sent: c.s.Now, Age: -1}
	if c.s.HasValues {
		m.Age = c.s.Now - c.s.ValuesAt
	}
	at := c.out.mark()
	for i := range c.s.Leases {
		l := &c.s.Leases[i]
		if l.Returned {
			continue
		}
		out := Lease{Node: l.Node, Epoch: l.Epoch, Value: l.Value}
		if l.Draining {
			out.Preemption, out.Since = l.Preemption, min(l.Grace, c.s.Now-l.First)
		}
		c.out.leases = append(c.out.leases, out)
	}
	c.out.send(m, at)
	c.s.NextBeat = after(c.s.Now, c.s.Every)
}

// expire gives back the leases whose grace period is over. It reports whether there
// are any.
func (c *Client) expire() bool {
	some := false
	for i := range c.s.Leases {
		if l := &c.s.Leases[i]; l.Draining && !l.Returned && c.s.Now >= l.deadline() {
			l.Returned, some = true, true
		}
	}
	return some
}

// Tick tells the client the time and returns what is to be sent. It gives back nodes
// whose grace period is over and repeats what is not answered. It takes O(n) time, n
// the number of nodes held.
func (c *Client) Tick(now time.Duration) []Message {
	c.begin(now)
	if c.expire() || c.s.Now >= c.s.NextBack {
		c.sendReturned()
	}
	if c.s.Now >= c.s.NextAdd && c.asking() {
		c.sendRequests()
	}
	if c.s.Now >= c.s.NextBeat {
		c.beat()
	}
	return c.out.msgs
}

// asking reports whether AddNodes is to be repeated.
func (c *Client) asking() bool {
	if c.s.Queued < c.s.Asked {
		return true
	}
	for _, r := range c.s.Requests {
		if r.Refused == "" {
			return true
		}
	}
	return false
}

// NextTick returns when Tick has something to do, if no message comes before. It may
// be in the past.
func (c *Client) NextTick() time.Duration {
	next := c.s.NextBeat
	if c.asking() {
		next = min(next, c.s.NextAdd)
	}
	for i := range c.s.Leases {
		l := &c.s.Leases[i]
		switch {
		case l.Returned:
			next = min(next, c.s.NextBack)
		case l.Draining:
			next = min(next, l.deadline())
		}
	}
	return next
}

// Handle reads a message of the manager and returns what is to be sent. On an error,
// nothing has been changed; it is an [InputError] that says what is wrong with the
// message. It takes O(n) time for each lease in the message, n the number of nodes
// held.
func (c *Client) Handle(now time.Duration, msg Message) ([]Message, error) {
	if msg.Partition != c.s.Partition {
		return nil, badInput("Partition", -1, ErrUnknown, "%q: want the partition of this client, %q", msg.Partition, c.s.Partition)
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
	if msg.Number >= c.s.Number {
		return nil, badInput("Number", -1, ErrRange, "%d, and the client has only numbers below %d: want a client restored from the state that it saved last", msg.Number, c.s.Number)
	}
	if t := max(c.s.Now, now); msg.Sent < 0 || msg.Sent > t {
		return nil, badInput("Sent", -1, ErrRange, "%v: want a time from 0 to now, %v", msg.Sent, t)
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
		for _, m := range msg.Leases {
			c.cancelled(m)
		}
	}
	return c.out.msgs, nil
}

// queued reads how far requests are granted. One that the manager does not have
// yet, or not any more, is not in the answer to a later one than it.
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

// insert adds a lease, in the place of an earlier one of the node, which is over.
func (c *Client) insert(l leaseState) {
	i, ok := c.find(l.Node)
	if ok {
		c.s.Leases[i] = l
		return
	}
	c.s.Leases = slices.Insert(c.s.Leases, i, l)
}

// added reads a grant. It is not to be used before the manager has confirmed it, since the
// message may be an old one.
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

// renewed reads what has become of the leases that were listed.
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
		switch m.State {
		case Ended:
			c.s.Leases = slices.Delete(c.s.Leases, i, i+1)
		case Pending:
			pending = true
		case Cancelled, Renewed:
			if msg.Number < l.From {
				continue // an old answer, about the lease before it was given back, may meet an old grant
			}
			if m.State == Cancelled {
				c.cancelled(m)
			}
			l.Confirmed, l.Valid = true, max(l.Valid, valid)
		}
	}
	if pending {
		c.notice(msg, true)
	}
}

// cancelled reads that a preemption is off, if it is the one in force.
func (c *Client) cancelled(m Lease) {
	if i, ok := c.find(m.Node); ok {
		if l := &c.s.Leases[i]; l.Epoch == m.Epoch && l.Preemption <= m.Preemption && !l.Returned {
			l.Preemption, l.Draining = m.Preemption, false
		}
	}
}

// notice reads that leases will end, in an answer those that are pending. What the
// client never used it gives back.
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
			l.Preemption, l.Draining, l.First, l.Grace = m.Preemption, true, c.s.Now, m.Grace
		case m.Preemption < l.Preemption || !l.Draining:
			continue
		}
		c.out.leases = append(c.out.leases, Lease{Node: l.Node, Epoch: l.Epoch, Preemption: l.Preemption, Since: min(l.Grace, c.s.Now-l.First)})
	}
	if len(c.out.leases) > at.leases {
		c.out.send(Message{Call: AcknowledgeDelete, Partition: c.s.Partition}, at)
	}
	if returned {
		c.sendReturned()
	}
}
