package preempt

import (
	"cmp"
	"encoding/json"
	"math"
	"slices"
	"time"
)

// The manager is the ledger: it alone decides who has a node. Each call reads one
// message or the time, changes the ledger, plans, and collects the messages that
// follow.
//
// A plan has four parts. (1) Free nodes go to waiting requests, one by one, each to
// the partition with the least share, that is nodes over weight. (2) What is still
// missing is looked for among the leases that are to end already. (3) Those of them
// that nobody waits for any more are let be. (4) The rest is taken from the partition
// with the greatest share, its node of least value, as long as that leaves its share
// no less than the asker's becomes.
//
// Each move of part 4 is from a share of (h+1)/w at the least to one of h/w at the
// most, so that the greatest shares fall and the least rise in lexicographic
// order: no sequence of plans goes in circles, and where all partitions want
// more than they have the shares end within one node of max-min fair.
//
// A plan takes O(N·k + G·(p + r + log N)) time, G the nodes that it moves, N all
// nodes, p partitions, r requests and k kinds, and nothing where none waits and no
// lease ends.

// ManagerOptions are the terms of the exchange. The zero value is the default.
type ManagerOptions struct {
	// Grace is how long a partition has to free a node after it has read the
	// first notice. The default is 2 minutes, the shortest that [Duplyakin17] uses.
	Grace time.Duration `json:"grace_ns"`
	// Every is the time between notices, and of what else is repeated. The
	// default is a minute [Duplyakin17].
	Every time.Duration `json:"every_ns"`
	// Term is how long a lease lasts from its renewal, which comes with each
	// SetResourceValues. It is how long a node is lost with a partition that has
	// gone silent. The default is 15 minutes. A negative term never ends: the
	// nodes of a silent partition then stay with it.
	Term time.Duration `json:"term_ns"`
	// Skew is added to what the manager waits for before it takes a node, for
	// clocks that do not run alike: at least as much as a client's clock can gain
	// or lose on the manager's over the longer one of Grace and Term. The default is
	// 5 seconds, negative is none.
	Skew time.Duration `json:"skew_ns"`
	// MaxAge is the age from which values are stale. The default is 5 minutes.
	MaxAge time.Duration `json:"max_age_ns"`
	// MaxDelay is how long a preemption waits for a partition whose values are
	// stale before it is aborted; other partitions are then taken from, if the
	// rule allows, and this one when it has sent new values. The default is 5
	// minutes, negative is none.
	MaxDelay time.Duration `json:"max_delay_ns"`
	// TakeStale takes nodes by the last values after MaxDelay instead, so that no
	// partition can keep its nodes by saying nothing about them.
	TakeStale bool `json:"take_stale"`
}

// resolve returns the options with defaults filled in and none as zero. A Term that
// never ends stays negative.
func (o ManagerOptions) resolve() ManagerOptions {
	def := func(d *time.Duration, v time.Duration) {
		if *d == 0 {
			*d = v
		} else if *d < 0 {
			*d = 0
		}
	}
	if o.Term == 0 {
		o.Term = 15 * time.Minute
	} else if o.Term < 0 {
		o.Term = -1
	}
	def(&o.Grace, 2*time.Minute)
	def(&o.Every, time.Minute)
	def(&o.Skew, 5*time.Second)
	def(&o.MaxAge, 5*time.Minute)
	def(&o.MaxDelay, 5*time.Minute)
	return o
}

func (o ManagerOptions) check() error {
	for _, d := range []struct {
		field string
		d     time.Duration
	}{{"Grace", o.Grace}, {"Every", o.Every}, {"MaxAge", o.MaxAge}} {
		if d.d < 0 {
			return badInput("ManagerOptions."+d.field, -1, ErrRange, "%v; want a positive span, or 0 for the default", d.d)
		}
	}
	return nil
}

// ManagerStats counts what a manager has done. It is saved with the rest.
type ManagerStats struct {
	Granted     int `json:"granted"`     // leases
	Returned    int `json:"returned"`    // leases given back without notice
	Preemptions int `json:"preemptions"` // begun
	Completed   int `json:"completed"`   // by the partition, within the grace period
	Withdrawn   int `json:"withdrawn"`   // by the manager, after the grace period
	Fenced      int `json:"fenced"`      // by the manager, without acknowledgement, after the lease
	Cancelled   int `json:"cancelled"`   // as nobody waited any more
	Delayed     int `json:"delayed"`     // times that stale values delayed preemptions from a partition
	Aborted     int `json:"aborted"`     // of those, ended by MaxDelay
}

// A Manager is the elastic manager of a hosting cluster: it grants the nodes to
// partitions and takes them back. It is a state machine without a clock. Its caller
// hands it messages, and the time, which is any span that does not run backwards,
// not even over a restart (of two times the earlier one then counts as the later);
// and saves it (MarshalJSON) before sending the messages that come out.
//
// The messages that its methods return are valid until the next call. They can be
// sent in any order or not at all. What is to be done on the node before another
// partition has it, such as to install it anew, is to be done before a NodesAdded
// message with it is sent; until then withhold the message, which is repeated.
//
// It is for use by one goroutine at a time. Use [NewManager], or UnmarshalJSON into the
// zero value.
type Manager struct {
	s managerState

	// Derived from s.
	kinds   []string // distinct, ascending
	kindOf  []int    // of each node
	waiting int      // nodes that are asked for and not granted
	ending  int      // leases with a preemption
	reclaim int      // nodes that are to be reclaimed and not chosen yet
	due     bool     // some node's Next is reached
	resumed bool     // restored, and not told the time since

	out  outbox
	work planner
}

// managerState is what is saved.
type managerState struct {
	Options    ManagerOptions   `json:"options"`
	Now        time.Duration    `json:"now_ns"`
	Preemption uint64           `json:"preemption"` // the last one
	Nodes      []nodeState      `json:"nodes"`
	Partitions []partitionState `json:"partitions"`
	Stats      ManagerStats     `json:"stats"`
}

type nodeState struct {
	Kind   string `json:"kind,omitempty"`
	Epoch  uint64 `json:"epoch"`
	Holder int    `json:"holder"` // -1: none. What follows is 0 then
	// Of the lease.
	Request   uint64        `json:"request,omitempty"`
	Confirmed bool          `json:"confirmed,omitempty"` // the partition has listed it
	Until     time.Duration `json:"until_ns,omitempty"`  // the partition may use it by what it was told, plus skew
	Value     float64       `json:"value,omitempty"`
	Next      time.Duration `json:"next_ns,omitempty"` // when to send the grant or notice (again)
	// Of the preemption.
	Preemption uint64        `json:"preemption,omitempty"`
	Forced     bool          `json:"forced,omitempty"` // an administrator's, never cancelled
	First      time.Duration `json:"first_ns,omitempty"`
	Grace      time.Duration `json:"grace_ns,omitempty"`
	Acked      bool          `json:"acked,omitempty"`
	Deadline   time.Duration `json:"deadline_ns,omitempty"` // once acknowledged

	cancelled uint64 // in this call
}

type partitionState struct {
	Name       string         `json:"name"`
	Weight     int            `json:"weight"`
	Floor      int            `json:"floor,omitempty"`
	LastAdd    uint64         `json:"last_add,omitempty"`
	LastValues uint64         `json:"last_values,omitempty"`
	Requests   []requestState `json:"requests,omitempty"`
	HasValues  bool           `json:"has_values,omitempty"`
	ValuesAt   time.Duration  `json:"values_at_ns,omitempty"`
	Delaying   bool           `json:"delaying,omitempty"` // a preemption waits for values,
	DelaySince time.Duration  `json:"delay_since_ns,omitempty"`
	Passed     bool           `json:"passed,omitempty"` // or has waited long enough
	Reclaim    int            `json:"reclaim,omitempty"`
}

type requestState struct {
	Request     // Granted: confirmed
	Given   int `json:"given,omitempty"` // nodes granted, confirmed or not

	rest    int // in a plan
	blocked bool
}

// Limits of weights, so that products with numbers of nodes fit, and of nodes.
const (
	maxWeight = 1 << 20
	maxNodes  = 1 << 30
)

// NewManager returns a manager of len(kinds) free nodes, node i of kind kinds[i],
// which is a word of the cluster's own, or "".
func NewManager(opts ManagerOptions, kinds []string) (*Manager, error) {
	if err := opts.check(); err != nil {
		return nil, err
	}
	if len(kinds) == 0 || len(kinds) > maxNodes {
		return nil, badInput("kinds", -1, ErrRange, "%d nodes; want 1 to %d", len(kinds), maxNodes)
	}
	m := new(Manager)
	m.s.Options = opts.resolve()
	m.s.Nodes = make([]nodeState, len(kinds))
	for i, k := range kinds {
		m.s.Nodes[i] = nodeState{Kind: k, Holder: -1}
	}
	m.derive()
	return m, nil
}

// SetOptions replaces the terms. Leases and notices that are out keep theirs.
func (m *Manager) SetOptions(opts ManagerOptions) error {
	if err := opts.check(); err != nil {
		return err
	}
	m.s.Options = opts.resolve()
	return nil
}

// Options returns the terms in force, with defaults filled in; a Skew or MaxDelay of
// none is 0, a Term without end negative.
func (m *Manager) Options() ManagerOptions { return m.s.Options }

// Stats returns what the manager has counted since it was new.
func (m *Manager) Stats() ManagerStats { return m.s.Stats }

// CreatePartition adds a partition. Its share of the cluster is in proportion to
// the weight, 1 to 2^20, and preemption in favour of others leaves it floor nodes.
func (m *Manager) CreatePartition(name string, weight, floor int) error {
	switch {
	case name == "":
		return badInput("name", -1, ErrRange, "a partition needs a name")
	case m.partition(name) >= 0:
		return badInput("name", -1, ErrRange, "%q is taken; want a name that no other partition has", name)
	case weight < 1 || weight > maxWeight:
		return badInput("weight", -1, ErrRange, "%d; want 1 to %d", weight, maxWeight)
	case floor < 0 || floor > len(m.s.Nodes):
		return badInput("floor", -1, ErrRange, "%d; want 0 to %d, the number of nodes", floor, len(m.s.Nodes))
	}
	m.s.Partitions = append(m.s.Partitions, partitionState{Name: name, Weight: weight, Floor: floor})
	return nil
}

// partition returns the index of a partition, -1 if there is none of the name.
func (m *Manager) partition(name string) int {
	for i := range m.s.Partitions {
		if m.s.Partitions[i].Name == name {
			return i
		}
	}
	return -1
}

// Reclaim takes count nodes from a partition for no other one's sake: an
// administrator's downscaling. They are its nodes of least value, below its floor if
// need be, with notice and grace. Stale values delay or abort it as they do
// other preemptions. It is an error to take more than the partition has beyond what
// is being taken.
func (m *Manager) Reclaim(now time.Duration, partition string, count int) ([]Message, error) {
	p := m.partition(partition)
	if p < 0 {
		return nil, badInput("partition", -1, ErrUnknown, "%q; want the name of a partition", partition)
	}
	if count < 1 {
		return nil, badInput("count", -1, ErrRange, "%d; want a positive number of nodes", count)
	}
	has := -m.s.Partitions[p].Reclaim
	for i := range m.s.Nodes {
		if n := &m.s.Nodes[i]; n.Holder == p && n.Preemption == 0 {
			has++
		}
	}
	if count > has {
		return nil, badInput("count", -1, ErrTooMany, "%d of partition %q, which has %d that are not being taken", count, partition, has)
	}
	m.begin(now)
	m.s.Partitions[p].Passed = false // it waits for values anew
	m.s.Partitions[p].Reclaim += count
	m.reclaim += count
	m.plan()
	return m.flush(), nil
}

// Handle reads a message of a client and returns what is to be sent. On an error,
// nothing has been changed; it is an [InputError] that says what is wrong with the
// message. It takes O(N) time, N the number of nodes, and that of a plan.
func (m *Manager) Handle(now time.Duration, msg Message) ([]Message, error) {
	p := m.partition(msg.Partition)
	if p < 0 {
		return nil, badInput("Partition", -1, ErrUnknown, "%q; want the name of a partition", msg.Partition)
	}
	if err := m.check(p, &msg); err != nil {
		return nil, err
	}
	m.begin(now)
	switch msg.Call {
	case AddNodes:
		m.addNodes(p, &msg)
	case DeleteNodes:
		m.deleteNodes(p, &msg)
	case DiscoverResources:
		m.discover(p)
		return m.out.msgs, nil
	case SetResourceValues:
		if !m.setValues(p, &msg) {
			return m.out.msgs, nil
		}
	case AcknowledgeDelete:
		for _, l := range msg.Leases {
			if n := m.lease(p, l); n != nil {
				m.acknowledge(n, l)
			}
		}
	}
	m.plan()
	return m.flush(), nil
}

// check says what is wrong with a message, before anything is changed.
func (m *Manager) check(p int, msg *Message) error {
	switch msg.Call {
	case AddNodes, DeleteNodes, DiscoverResources, SetResourceValues, AcknowledgeDelete:
	default:
		return badInput("Call", -1, ErrUnknown, "%v is not for a manager; want AddNodes, DeleteNodes, DiscoverResources, SetResourceValues or AcknowledgeDelete", msg.Call)
	}
	if msg.Sent < 0 {
		return badInput("Sent", -1, ErrRange, "%v; want a time that is not negative", msg.Sent)
	}
	if err := checkLeases(msg.Leases); err != nil {
		return err
	}
	for i, l := range msg.Leases {
		if l.Node >= len(m.s.Nodes) {
			return badInput("Leases.Node", i, ErrUnknown, "%d; the cluster has nodes 0 to %d", l.Node, len(m.s.Nodes)-1)
		}
		n := &m.s.Nodes[l.Node]
		if l.Epoch > n.Epoch || l.Preemption > m.s.Preemption {
			return badInput("Leases.Epoch", i, ErrRange, "node %d, epoch %d, preemption %d; the manager has given out %d and %d at the most. Its saved state is not the last one",
				l.Node, l.Epoch, l.Preemption, n.Epoch, m.s.Preemption)
		}
		if n.Holder == p && n.Epoch == l.Epoch && n.Preemption == l.Preemption && n.Preemption > 0 && l.Since > n.Grace {
			return badInput("Leases.Since", i, ErrRange, "%v; the grace period of %v at the most", l.Since, n.Grace)
		}
	}
	if err := checkRequests(msg.Requests); err != nil {
		return err
	}
	if msg.Call == AddNodes && msg.Number > m.s.Partitions[p].LastAdd {
		for i, r := range msg.Requests {
			if old := m.request(p, r.ID); old != nil && (old.Kind != r.Kind || old.Count != r.Count) {
				return badInput("Requests", i, ErrRange, "%d nodes of kind %q; request %d was for %d of %q, and a new one needs a new ID", r.Count, r.Kind, r.ID, old.Count, old.Kind)
			}
		}
	}
	return nil
}

// Tick tells the manager the time and returns what is to be sent. It does all that
// is due: takes nodes whose grace period or lease is over, and repeats notices and
// grants. It takes O(N) time and that of a plan.
func (m *Manager) Tick(now time.Duration) []Message {
	m.begin(now)
	m.due = true
	for i := range m.s.Nodes {
		n := &m.s.Nodes[i]
		if n.Preemption == 0 || m.s.Now < n.end() {
			continue
		}
		if n.Acked {
			m.s.Stats.Withdrawn++
		} else {
			m.s.Stats.Fenced++
		}
		m.free(n)
	}
	m.plan()
	return m.flush()
}

// NextTick returns when Tick has something to do, if no message comes before. It may
// be in the past. It is false if there is nothing to wait for. It takes O(N) time.
func (m *Manager) NextTick() (time.Duration, bool) {
	if m.resumed {
		return m.s.Now, true
	}
	next := forever
	for i := range m.s.Nodes {
		if n := &m.s.Nodes[i]; n.Holder >= 0 && (n.Preemption > 0 || !n.Confirmed) {
			next = min(next, n.Next)
			if n.Preemption > 0 {
				next = min(next, n.end())
			}
		}
	}
	for i := range m.s.Partitions {
		if p := &m.s.Partitions[i]; p.Delaying && !p.Passed {
			next = min(next, after(p.DelaySince, m.s.Options.MaxDelay))
		}
	}
	return next, next < forever
}

// end returns when the manager may take a node that is to end.
func (n *nodeState) end() time.Duration {
	if n.Acked {
		return n.Deadline
	}
	return max(n.Until, after(n.First, n.Grace))
}

func (m *Manager) begin(now time.Duration) {
	m.s.Now = max(m.s.Now, now)
	m.out.reset()
	if !m.resumed {
		return
	}
	// While the manager was down partitions were silent through no fault of theirs,
	// and a notice that was saved need not have been sent. Those that are not
	// acknowledged begin anew.
	m.resumed = false
	for i := range m.s.Nodes {
		if n := &m.s.Nodes[i]; n.Preemption > 0 && !n.Acked {
			n.First, n.Next = m.s.Now, m.s.Now
			m.due = true
		}
	}
}

// lease returns the node of a lease that the partition has, nil for any other.
func (m *Manager) lease(p int, l Lease) *nodeState {
	if n := &m.s.Nodes[l.Node]; n.Holder == p && n.Epoch == l.Epoch {
		return n
	}
	return nil
}

func (m *Manager) request(p int, id uint64) *requestState {
	rs := m.s.Partitions[p].Requests
	i, ok := slices.BinarySearchFunc(rs, id, func(r requestState, id uint64) int {
		switch {
		case r.ID < id:
			return -1
		case r.ID > id:
			return 1
		}
		return 0
	})
	if !ok {
		return nil
	}
	return &rs[i]
}

// grant gives a free node to a partition.
func (m *Manager) grant(i, p int, r *requestState) {
	n := &m.s.Nodes[i]
	*n = nodeState{Kind: n.Kind, Epoch: n.Epoch + 1, Holder: p, Request: r.ID, Next: m.s.Now}
	n.Until = m.promise()
	r.Given++
	m.waiting--
	m.due = true
	m.s.Stats.Granted++
}

// promise returns when a lease renewed now is over for certain.
func (m *Manager) promise() time.Duration {
	if m.s.Options.Term < 0 {
		return forever
	}
	return after(after(m.s.Now, m.s.Options.Term), m.s.Options.Skew)
}

// free ends a lease. Its request is still to be served if the partition never
// heard of it.
func (m *Manager) free(n *nodeState) {
	if r := m.request(n.Holder, n.Request); r != nil && !n.Confirmed {
		r.Given--
		m.waiting++
	}
	if n.Preemption > 0 {
		m.ending--
	}
	*n = nodeState{Kind: n.Kind, Epoch: n.Epoch, Holder: -1}
}

// back is free for a lease that the partition gives back.
func (m *Manager) back(n *nodeState) {
	if n.Preemption > 0 {
		m.s.Stats.Completed++
	} else {
		m.s.Stats.Returned++
	}
	m.free(n)
}

// addNodes takes over a partition's requests.
func (m *Manager) addNodes(p int, msg *Message) {
	part := &m.s.Partitions[p]
	if msg.Number > part.LastAdd {
		part.LastAdd = msg.Number
		next := m.work.requests[:0]
		for _, r := range msg.Requests {
			if old := m.request(p, r.ID); old != nil {
				next = append(next, *old)
				continue
			}
			s := requestState{Request: Request{ID: r.ID, Kind: r.Kind, Count: r.Count}}
			s.Refused = m.refuse(r)
			next = append(next, s)
		}
		for i := range part.Requests {
			m.waiting -= part.Requests[i].missing()
		}
		part.Requests, m.work.requests = append(part.Requests[:0], next...), next
		for i := range part.Requests {
			m.waiting += part.Requests[i].missing()
		}
	}
	at := m.out.mark()
	for i := range part.Requests {
		m.out.requests = append(m.out.requests, part.Requests[i].Request)
	}
	m.out.send(Message{Call: NodesQueued, Partition: part.Name, Number: part.LastAdd}, at)
}

// missing returns how many nodes of a request are not granted.
func (r *requestState) missing() int {
	if r.Refused != "" {
		return 0
	}
	return r.Count - r.Given
}

// refuse says why a request can never be granted, "" if it can.
func (m *Manager) refuse(r Request) string {
	total := len(m.s.Nodes)
	if r.Kind != "" {
		total = 0
		if k, ok := slices.BinarySearch(m.kinds, r.Kind); ok {
			for _, kind := range m.kindOf {
				if kind == k {
					total++
				}
			}
		}
	}
	switch {
	case total == 0:
		return "the cluster has no node of the kind"
	case r.Count > total:
		return "more nodes than the cluster has of the kind"
	}
	return ""
}

// deleteNodes takes back what the partition gives back.
func (m *Manager) deleteNodes(p int, msg *Message) {
	at := m.out.mark()
	for _, l := range msg.Leases {
		if n := m.lease(p, l); n != nil {
			m.back(n)
		}
		m.out.leases = append(m.out.leases, Lease{Node: l.Node, Epoch: l.Epoch})
	}
	m.out.send(Message{Call: NodesDeleted, Partition: msg.Partition}, at)
}

// discover answers with all nodes.
func (m *Manager) discover(p int) {
	at := m.out.mark()
	for i := range m.s.Nodes {
		n := &m.s.Nodes[i]
		r := Resource{Node: i, Kind: n.Kind, Mine: n.Holder == p}
		if n.Holder >= 0 {
			r.Value = 1
		}
		m.out.resources = append(m.out.resources, r)
	}
	m.out.send(Message{Call: ResourcesDiscovered, Partition: m.s.Partitions[p].Name}, at)
}

// acknowledge reads that the partition has known of a node's preemption for a time.
func (m *Manager) acknowledge(n *nodeState, l Lease) {
	if n.Preemption == 0 || l.Preemption != n.Preemption {
		return // of a preemption that was cancelled
	}
	known := max(n.First, m.s.Now-l.Since) // no sooner than it was begun
	end := after(after(known, n.Grace), m.s.Options.Skew)
	if !n.Acked || end < n.Deadline {
		n.Acked, n.Deadline = true, end
	}
}

// setValues reads a partition's leases and their values, and renews them. It reports
// whether the message was new.
func (m *Manager) setValues(p int, msg *Message) bool {
	part := &m.s.Partitions[p]
	if msg.Number <= part.LastValues {
		return false
	}
	part.LastValues = msg.Number
	if msg.Age >= 0 {
		part.HasValues, part.ValuesAt = true, m.s.Now-msg.Age
		if m.fresh(part) {
			part.Delaying, part.Passed = false, false
		}
	}
	at := m.out.mark()
	listed := msg.Leases
	for i := range m.s.Nodes {
		n := &m.s.Nodes[i]
		if len(listed) == 0 || listed[0].Node != i {
			if n.Holder == p && n.Confirmed {
				m.back(n) // it has been given back, and DeleteNodes is on its way or lost
			}
			continue
		}
		l := listed[0]
		listed = listed[1:]
		answer := Lease{Node: i, Epoch: l.Epoch}
		switch {
		case n.Holder != p || n.Epoch != l.Epoch:
			answer.Status = Ended
			if n.Holder == p && n.Confirmed {
				m.back(n)
			}
		default:
			if !n.Confirmed {
				n.Confirmed = true
				if r := m.request(p, n.Request); r != nil {
					r.Granted++
				}
			}
			n.Value = l.Value
			m.acknowledge(n, l)
			switch {
			case n.Preemption > 0 && !n.Acked:
				answer.Status, answer.Preemption, answer.Grace = Pending, n.Preemption, n.Grace
			case n.Preemption == 0 && l.Preemption > 0:
				answer.Status, answer.Preemption = Cancelled, l.Preemption
				n.Until = m.promise()
			default:
				n.Until = m.promise()
			}
		}
		m.out.leases = append(m.out.leases, answer)
	}
	m.out.send(Message{Call: LeasesRenewed, Partition: part.Name, Number: msg.Number, Sent: msg.Sent, Term: m.s.Options.Term}, at)
	return true
}

// fresh reports whether a partition's values are not stale.
func (m *Manager) fresh(p *partitionState) bool {
	return p.HasValues && m.s.Now-p.ValuesAt <= m.s.Options.MaxAge
}

// flush sends the grants and notices that are due, to each partition at most one
// message of each kind, and returns all messages of this call.
func (m *Manager) flush() []Message {
	if !m.due {
		return m.out.msgs
	}
	m.due = false
	next := after(m.s.Now, m.s.Options.Every)
	for p := range m.s.Partitions {
		name := m.s.Partitions[p].Name
		at := m.out.mark()
		for i := range m.s.Nodes {
			if n := &m.s.Nodes[i]; n.Holder == p && n.cancelled > 0 {
				m.out.leases = append(m.out.leases, Lease{Node: i, Epoch: n.Epoch, Preemption: n.cancelled})
				n.cancelled = 0
			}
		}
		if len(m.out.leases) > at.leases {
			m.out.send(Message{Call: DeleteCancelled, Partition: name}, at)
		}
		at = m.out.mark()
		for i := range m.s.Nodes {
			if n := &m.s.Nodes[i]; n.Holder == p && n.Preemption > 0 && m.s.Now >= n.Next {
				m.out.leases = append(m.out.leases, Lease{Node: i, Epoch: n.Epoch, Preemption: n.Preemption, Grace: n.Grace})
				n.Next = next
			}
		}
		if len(m.out.leases) > at.leases {
			m.out.send(Message{Call: NotifyDeletePending, Partition: name}, at)
		}
		at = m.out.mark()
		for i := range m.s.Nodes {
			if n := &m.s.Nodes[i]; n.Holder == p && !n.Confirmed && n.Preemption == 0 && m.s.Now >= n.Next {
				m.out.leases = append(m.out.leases, Lease{Node: i, Epoch: n.Epoch, Request: n.Request})
				n.Next = next
			}
		}
		if len(m.out.leases) > at.leases {
			m.out.send(Message{Call: NodesAdded, Partition: name}, at)
		}
	}
	return m.out.msgs
}

// planner is a plan's working memory.
type planner struct {
	requests []requestState
	held     []int  // of each partition: nodes that are not to end, and those that it will get
	own      []int  // without the latter
	of       []int  // the same, by partition and kind
	wanted   []bool // of each partition: a preemption waits for its values
	named    []int  // of each kind: nodes asked for by name
	free     []int  // free nodes by kind, then node
	from     []int  // where a kind's begin; and how many are used
	end      []int
	ending   []int // leases to end, by number of preemption
	used     []bool
	first    int     // all before it are used
	heaps    [][]int // of each partition and kind, or any: nodes to take, cheapest first
	built    []bool
}

func zeroed[T any](s []T, n int) []T {
	s = slices.Grow(s[:0], n)[:n]
	clear(s)
	return s
}

// plan moves nodes. See the head of this file.
func (m *Manager) plan() {
	if m.waiting == 0 && m.ending == 0 && m.reclaim == 0 {
		for i := range m.s.Partitions {
			m.s.Partitions[i].Delaying = false
		}
		return
	}
	w := &m.work
	nodes, parts, kinds := m.s.Nodes, m.s.Partitions, len(m.kinds)
	w.held, w.own = zeroed(w.held, len(parts)), zeroed(w.own, len(parts))
	w.of = zeroed(w.of, len(parts)*kinds)
	w.wanted = zeroed(w.wanted, len(parts))
	w.named = zeroed(w.named, kinds)
	w.from, w.end = zeroed(w.from, kinds), zeroed(w.end, kinds)
	w.free, w.ending = w.free[:0], w.ending[:0]
	clear(w.built)
	for i := range nodes {
		n := &nodes[i]
		switch {
		case n.Holder < 0:
			w.end[m.kindOf[i]]++
		case n.Preemption > 0:
			w.ending = append(w.ending, i)
		default:
			w.held[n.Holder]++
			w.own[n.Holder]++
			w.of[n.Holder*kinds+m.kindOf[i]]++
		}
	}
	m.reclaimAll()
	m.giveFree()
	m.takeBack()
	for i := range parts {
		parts[i].Delaying = parts[i].Delaying && w.wanted[i]
	}
}

// rewind makes all requests candidates again.
func (m *Manager) rewind() {
	for i := range m.s.Partitions {
		rs := m.s.Partitions[i].Requests
		for j := range rs {
			rs[j].rest, rs[j].blocked = rs[j].missing(), false
		}
	}
}

// neediest returns the partition with the least share among those with a request
// that is not blocked, and that request, the first one. Ties go to the partition
// that was created first.
func (m *Manager) neediest() (p int, r *requestState) {
	p = -1
	for i := range m.s.Partitions {
		part := &m.s.Partitions[i]
		if p >= 0 && !less(m.work.held[i], part.Weight, m.work.held[p], m.s.Partitions[p].Weight) {
			continue
		}
		for j := range part.Requests {
			if q := &part.Requests[j]; q.rest > 0 && !q.blocked {
				p, r = i, q
				break
			}
		}
	}
	return p, r
}

// less reports a/v < b/w.
func less(a, v, b, w int) bool { return a*w < b*v }

// kind returns the index of the kind that a request names, -1 for any. A request
// that is refused is not asked for.
func (m *Manager) kind(r *requestState) int {
	if r.Kind == "" {
		return -1
	}
	k, _ := slices.BinarySearch(m.kinds, r.Kind)
	return k
}

// reclaimAll chooses the nodes that administrators reclaim.
func (m *Manager) reclaimAll() {
	if m.reclaim == 0 {
		return
	}
	for v := range m.s.Partitions {
		part := &m.s.Partitions[v]
		for part.Reclaim > 0 && m.work.own[v] > 0 && m.ready(v) {
			m.preempt(v, -1, true)
			part.Reclaim--
			m.reclaim--
		}
		if part.Reclaim > 0 && (m.work.own[v] == 0 || part.Passed) {
			m.reclaim -= part.Reclaim
			part.Reclaim = 0
		}
	}
}

// giveFree grants free nodes, a request for any kind first those of kinds that
// nobody waits for by name.
func (m *Manager) giveFree() {
	if m.waiting == 0 {
		return
	}
	w := &m.work
	total := 0
	for k := range w.end {
		w.from[k] = total
		total += w.end[k]
		w.end[k] = w.from[k]
	}
	if total == 0 {
		return
	}
	w.free = zeroed(w.free, total)
	for i := range m.s.Nodes {
		if k := m.kindOf[i]; m.s.Nodes[i].Holder < 0 {
			w.free[w.end[k]] = i
			w.end[k]++
		}
	}
	m.rewind()
	for i := range m.s.Partitions {
		rs := m.s.Partitions[i].Requests
		for j := range rs {
			if k := m.kind(&rs[j]); k >= 0 && rs[j].rest > 0 {
				w.named[k] += rs[j].rest
			}
		}
	}
	for total > 0 {
		p, r := m.neediest()
		if p < 0 {
			return
		}
		k := m.kind(r)
		if k < 0 {
			best := math.MaxInt
			for c := range w.from {
				if w.from[c] == w.end[c] {
					continue
				}
				rank := w.free[w.from[c]]
				if w.named[c] > 0 {
					rank += maxNodes
				}
				if rank < best {
					best, k = rank, c
				}
			}
		} else if w.from[k] == w.end[k] {
			r.blocked = true
			continue
		} else {
			w.named[k]--
		}
		i := w.free[w.from[k]]
		w.from[k]++
		total--
		m.grant(i, p, r)
		r.rest--
		w.held[p]++
		w.own[p]++
		w.of[p*len(m.kinds)+k]++
	}
}

// takeBack begins the preemptions that are lacking, after it has cancelled those that
// are superfluous: a node that its partition keeps counts in that one's share.
func (m *Manager) takeBack() {
	w := &m.work
	clear(w.built) // nodes have been granted since
	slices.SortFunc(w.ending, func(a, b int) int { return cmp.Compare(m.s.Nodes[a].Preemption, m.s.Nodes[b].Preemption) })
	w.used, w.first = zeroed(w.used, len(w.ending)), 0
	m.rewind()
	m.serve((*Manager).awaited)
	for j, i := range w.ending {
		n := &m.s.Nodes[i]
		if w.used[j] || n.Forced {
			continue
		}
		n.cancelled = n.Preemption
		n.Preemption, n.First, n.Grace, n.Acked, n.Deadline = 0, 0, 0, false, 0
		n.Next = m.s.Now // of the grant, if the partition has not heard of it
		w.held[n.Holder]++
		w.own[n.Holder]++
		w.of[n.Holder*len(m.kinds)+m.kindOf[i]]++
		m.ending--
		m.due = true
		m.s.Stats.Cancelled++
	}
	for i := range m.s.Partitions {
		rs := m.s.Partitions[i].Requests
		for j := range rs {
			rs[j].blocked = false
		}
	}
	m.serve((*Manager).takeFor)
}

// serve finds nodes for the waiting requests, one by one, with what reports whether it has
// found one.
func (m *Manager) serve(find func(m *Manager, p int, r *requestState) bool) {
	for {
		p, r := m.neediest()
		if p < 0 {
			return
		}
		if !find(m, p, r) {
			r.blocked = true
			continue
		}
		r.rest--
		m.work.held[p]++
	}
}

// awaited uses a lease of another partition that is to end already.
func (m *Manager) awaited(p int, r *requestState) bool {
	k, w := m.kind(r), &m.work
	for w.first < len(w.used) && w.used[w.first] {
		w.first++
	}
	for j := w.first; j < len(w.ending); j++ {
		if i := w.ending[j]; !w.used[j] && m.s.Nodes[i].Holder != p && (k < 0 || m.kindOf[i] == k) {
			w.used[j] = true
			return true
		}
	}
	return false
}

// takeFor takes a node for a partition from the one with the greatest share, as
// fairness allows, or waits for that one's values. It reports whether there is a
// node to be had. Ties go to the partition that was created first.
func (m *Manager) takeFor(p int, r *requestState) bool {
	w := &m.work
	asker := &m.s.Partitions[p]
	k, kinds := m.kind(r), len(m.kinds)
	for {
		v := -1
		for i := range m.s.Partitions {
			part := &m.s.Partitions[i]
			has := w.own[i]
			if k >= 0 {
				has = w.of[i*kinds+k]
			}
			switch {
			case i == p, has <= 0, w.own[i] <= part.Floor:
			case less(w.own[i]-1, part.Weight, w.held[p]+1, asker.Weight):
			case part.Passed && !m.s.Options.TakeStale && !m.fresh(part):
			case v < 0 || less(w.own[v], m.s.Partitions[v].Weight, w.own[i], part.Weight):
				v = i
			}
		}
		if v < 0 {
			return false
		}
		if m.ready(v) {
			m.preempt(v, k, false)
			return true
		}
		if !m.s.Partitions[v].Passed { // wait for it
			w.held[v]--
			w.own[v]--
			if k >= 0 {
				w.of[v*kinds+k]--
			}
			return true
		}
	}
}

// ready reports whether nodes may be taken from a partition by its values. If they
// are stale it notes how long one waits for others.
func (m *Manager) ready(v int) bool {
	part := &m.s.Partitions[v]
	if m.fresh(part) {
		return true
	}
	m.work.wanted[v] = true
	if !part.Passed {
		if !part.Delaying {
			part.Delaying, part.DelaySince = true, m.s.Now
			m.s.Stats.Delayed++
		}
		if m.s.Now < after(part.DelaySince, m.s.Options.MaxDelay) {
			return false
		}
		part.Passed = true
		if !m.s.Options.TakeStale {
			m.s.Stats.Aborted++
		}
	}
	return m.s.Options.TakeStale
}

// preempt begins to take a partition's node of least value, of a kind if k is not
// negative. Ties go to the lower node.
func (m *Manager) preempt(v, k int, forced bool) {
	best := m.cheapest(v, k)
	n := &m.s.Nodes[best]
	m.s.Preemption++
	n.Preemption, n.Forced = m.s.Preemption, forced
	n.First, n.Grace, n.Next = m.s.Now, m.s.Options.Grace, m.s.Now
	m.work.held[v]--
	m.work.own[v]--
	m.work.of[v*len(m.kinds)+m.kindOf[best]]--
	m.ending++
	m.due = true
	m.s.Stats.Preemptions++
}

// cheapest returns the node of least value that a partition holds and that is not to
// end, of a kind if k is not negative; there is one. It takes them from a heap, one for
// each partition and kind that is asked for in a plan: O(N) time to build it and
// O(log N) for a node.
func (m *Manager) cheapest(v, k int) int {
	w := &m.work
	kinds := len(m.kinds) + 1
	for len(w.heaps) < len(m.s.Partitions)*kinds {
		w.heaps = append(w.heaps, nil)
	}
	w.built = append(w.built, make([]bool, max(0, len(w.heaps)-len(w.built)))...)
	h := w.heaps[v*kinds+k+1]
	if !w.built[v*kinds+k+1] {
		w.built[v*kinds+k+1] = true
		h = h[:0]
		for i := range m.s.Nodes {
			if n := &m.s.Nodes[i]; n.Holder == v && n.Preemption == 0 && (k < 0 || m.kindOf[i] == k) {
				h = append(h, i)
			}
		}
		for i := len(h)/2 - 1; i >= 0; i-- {
			m.sift(h, i)
		}
	}
	for m.s.Nodes[h[0]].Preemption > 0 { // taken from the heap of another kind
		h = m.pop(h)
	}
	best := h[0]
	w.heaps[v*kinds+k+1] = m.pop(h)
	return best
}

// pop removes the root of a heap.
func (m *Manager) pop(h []int) []int {
	h[0] = h[len(h)-1]
	h = h[:len(h)-1]
	m.sift(h, 0)
	return h
}

// sift moves element i of a heap down to where it belongs.
func (m *Manager) sift(h []int, i int) {
	for {
		c := 2*i + 1
		if c >= len(h) {
			return
		}
		if c+1 < len(h) && m.cheaper(h[c+1], h[c]) {
			c++
		}
		if !m.cheaper(h[c], h[i]) {
			return
		}
		h[i], h[c] = h[c], h[i]
		i = c
	}
}

// cheaper reports whether node i is to be taken before node j.
func (m *Manager) cheaper(i, j int) bool {
	a, b := m.s.Nodes[i].Value, m.s.Nodes[j].Value
	return a < b || a == b && i < j
}

// An Assignment is what the ledger says of a node.
type Assignment struct {
	Node       int
	Kind       string
	Partition  string // "" for a free node, for which the rest is zero
	Epoch      uint64
	Confirmed  bool // the partition has listed it
	Value      float64
	Preemption uint64        // 0 unless it is to end
	End        time.Duration // when it ends at the latest, as far as is known; for one that is to end
	Noticed    bool          // and a notice has been acknowledged
}

// AppendAssignments appends the ledger to dst, by node.
func (m *Manager) AppendAssignments(dst []Assignment) []Assignment {
	for i := range m.s.Nodes {
		n := &m.s.Nodes[i]
		a := Assignment{Node: i, Kind: n.Kind}
		if n.Holder >= 0 {
			a.Partition, a.Epoch, a.Confirmed, a.Value = m.s.Partitions[n.Holder].Name, n.Epoch, n.Confirmed, n.Value
			if n.Preemption > 0 {
				a.Preemption, a.End, a.Noticed = n.Preemption, n.end(), n.Acked
			}
		}
		dst = append(dst, a)
	}
	return dst
}

// Now returns the latest time that the manager was told. After a restart its clock
// must not begin before.
func (m *Manager) Now() time.Duration { return m.s.Now }

// MarshalJSON returns the state.
func (m *Manager) MarshalJSON() ([]byte, error) { return json.Marshal(&m.s) }

// UnmarshalJSON restores a state that MarshalJSON returned. On an error the
// manager is as it was. A state that no manager can be in is an [InputError].
func (m *Manager) UnmarshalJSON(data []byte) error {
	var s managerState
	if err := json.Unmarshal(data, &s); err != nil {
		return err
	}
	if err := s.check(); err != nil {
		return err
	}
	m.s = s
	m.derive()
	m.resumed = true
	return nil
}

// derive computes what follows from the state.
func (m *Manager) derive() {
	m.kinds = m.kinds[:0]
	for i := range m.s.Nodes {
		m.kinds = append(m.kinds, m.s.Nodes[i].Kind)
	}
	slices.Sort(m.kinds)
	m.kinds = slices.Clip(slices.Compact(m.kinds))
	m.kindOf = zeroed(m.kindOf, len(m.s.Nodes))
	m.waiting, m.ending, m.reclaim, m.due = 0, 0, 0, false
	for i := range m.s.Nodes {
		m.kindOf[i], _ = slices.BinarySearch(m.kinds, m.s.Nodes[i].Kind)
		if m.s.Nodes[i].Preemption > 0 {
			m.ending++
		}
	}
	for i := range m.s.Partitions {
		p := &m.s.Partitions[i]
		m.reclaim += p.Reclaim
		for j := range p.Requests {
			m.waiting += p.Requests[j].missing()
		}
	}
}

// check says what is wrong with a state.
func (s *managerState) check() error {
	o := s.Options
	if o.Grace < 0 || o.Every <= 0 || o.Term == 0 || o.Term < -1 || o.Skew < 0 || o.MaxAge < 0 || o.MaxDelay < 0 {
		return badInput("options", -1, ErrRange, "%+v; want the options that a manager has saved", o)
	}
	if s.Now < 0 {
		return badInput("now_ns", -1, ErrRange, "%d; want a time that is not negative", s.Now)
	}
	if len(s.Nodes) == 0 || len(s.Nodes) > maxNodes {
		return badInput("nodes", -1, ErrRange, "%d nodes; want 1 to %d", len(s.Nodes), maxNodes)
	}
	for i := range s.Partitions {
		p := &s.Partitions[i]
		if p.Name == "" || p.Weight < 1 || p.Weight > maxWeight || p.Floor < 0 || p.Floor > len(s.Nodes) || p.Reclaim < 0 || p.Reclaim > len(s.Nodes) || p.DelaySince < 0 {
			return badInput("partitions", i, ErrRange, "%q has a name, weight, floor, delay or reclaim that no partition can have", p.Name)
		}
		for j := range i {
			if s.Partitions[j].Name == p.Name {
				return badInput("partitions", i, ErrRange, "%q is also partition %d; want distinct names", p.Name, j)
			}
		}
		for j := range p.Requests {
			r := &p.Requests[j]
			if r.ID == 0 || j > 0 && r.ID <= p.Requests[j-1].ID || r.Count < 1 || r.Granted < 0 || r.Granted > r.Given || r.Given > r.Count ||
				r.Refused == "" && r.Count > len(s.Nodes) || r.Refused != "" && r.Given > 0 {
				return badInput("partitions", i, ErrRange, "request %d of %q is out of order, or more of it granted than can be", r.ID, p.Name)
			}
			if r.Refused == "" && r.Kind != "" && !slices.ContainsFunc(s.Nodes, func(n nodeState) bool { return n.Kind == r.Kind }) {
				return badInput("partitions", i, ErrRange, "request %d of %q is for a kind that the cluster does not have", r.ID, p.Name)
			}
		}
	}
	seen := map[uint64]bool{}
	for i := range s.Nodes {
		n := &s.Nodes[i]
		switch {
		case n.Holder == -1:
			if *n != (nodeState{Kind: n.Kind, Epoch: n.Epoch, Holder: -1}) {
				return badInput("nodes", i, ErrRange, "it is free and has a lease")
			}
		case n.Holder < -1 || n.Holder >= len(s.Partitions):
			return badInput("nodes", i, ErrUnknown, "holder %d; want -1 or the index of a partition", n.Holder)
		case n.Epoch == 0 || !(n.Value >= 0 && n.Value <= 1) || n.Until < 0 || n.Next < 0:
			return badInput("nodes", i, ErrRange, "its lease has an epoch, value or time that no lease can have")
		case n.Preemption == 0:
			if n.Forced || n.First != 0 || n.Grace != 0 || n.Acked || n.Deadline != 0 {
				return badInput("nodes", i, ErrRange, "it has a notice and no preemption")
			}
		case n.Preemption > s.Preemption || seen[n.Preemption] || n.First < 0 || n.Grace < 0 || n.Deadline < 0 || n.Acked && n.Deadline < n.First:
			return badInput("nodes", i, ErrRange, "its preemption has a number or time that no preemption can have")
		}
		if n.Preemption > 0 {
			seen[n.Preemption] = true
		}
	}
	return nil
}
