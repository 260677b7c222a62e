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
// A plan has four parts. (1) Free nodes, and those that are to end already, are
// assigned to waiting requests, one by one, each to the partition with the least
// share, that is nodes over weight. (2) Nodes that are to end and that nobody waits for
// any more are let be. (3) The rest is taken from the partition with the greatest
// share, its node of least value, as long as that leaves its share no less than the
// asker's becomes. (4) The free nodes are granted. A request for any kind that has
// been assigned a node for which one by name waits is moved to another node, if it can
// have one, in part 1 to one of those and in part 3 to one that is taken for it.
//
// Each move of part 3 is from a share of (h+1)/w at the least to one of h/w at the
// most, so that the greatest shares fall and the least rise in lexicographic
// order: no sequence of plans goes in circles, and where all partitions want
// more than they have the shares end within one node of max-min fair.
//
// A plan takes O(N·k + G·(p + r + log N)) time, G the nodes that it moves, N all
// nodes, p partitions, r requests and k kinds, and O(G²) in addition where requests by
// name and for any kind want the same nodes. It takes nothing where none waits and no
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
	// SetResourceValues. When it is over, and Skew, a silent partition's values need
	// not be fresh any more: what fairness, or [Manager.Reclaim], takes from it is
	// gone a grace period later, or at once if the notice is that old. What fairness
	// leaves it stays with it. The default is 15 minutes. A negative term never ends:
	// the nodes of a silent partition then stay with it.
	Term time.Duration `json:"term_ns"`
	// Skew is added to what the manager waits for before it takes a node, for
	// clocks that do not run alike: at least as much as a client's clock can gain
	// or lose on the manager's over the longer one of Grace and Term. The default is
	// 5 seconds, negative is none.
	Skew time.Duration `json:"skew_ns"`
	// MaxAge is the age from which values are stale. The default is 5 minutes. The age
	// is that which the message says it has, and the time since it was read.
	MaxAge time.Duration `json:"max_age_ns"`
	// MaxDelay is how long a preemption waits for a partition whose values are
	// stale before it is aborted; other partitions are then taken from, if the
	// rule allows, and this one when it has sent new values or its leases have run
	// out. A [Manager.Reclaim] is not aborted but takes by the last values. The default
	// is 5 minutes, negative is none.
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
	Passed     bool           `json:"passed,omitempty"`        // or has waited long enough
	Reclaim    int            `json:"reclaim,omitempty"`       // nodes that are to be reclaimed and not chosen yet,
	ReclaimAt  time.Duration  `json:"reclaim_at_ns,omitempty"` // the first of them since
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

// SetOptions replaces the terms. Leases and notices that are out keep theirs: what a
// partition has been told that it may use for a longer Term it may, even after a
// renewal for a shorter one.
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
// need be, with notice and grace. Stale values delay it for MaxDelay at most; then,
// and where leases have run out, it takes by the last values: no partition can stop it
// by its silence. A node that is over is free and goes to who waits for one, which
// may be the same partition if it has an open request; it is to cancel that first.
// It is an error to take more than the partition has beyond what is being taken.
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
	part := &m.s.Partitions[p]
	if part.Reclaim == 0 {
		part.ReclaimAt = m.s.Now
	}
	part.Reclaim += count
	m.reclaim += count
	m.plan()
	if part.Reclaim > 0 {
		m.s.Stats.Delayed++
	}
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
		p := &m.s.Partitions[i]
		if p.Delaying && !p.Passed {
			next = min(next, after(p.DelaySince, m.s.Options.MaxDelay))
		}
		if p.Reclaim > 0 {
			next = min(next, after(p.ReclaimAt, m.s.Options.MaxDelay))
		}
	}
	if m.waiting > 0 || m.reclaim > 0 {
		for i := range m.s.Nodes { // leases of the silent run out
			if n := &m.s.Nodes[i]; n.Holder >= 0 && n.Preemption == 0 && n.Until > m.s.Now && !m.fresh(&m.s.Partitions[n.Holder]) {
				next = min(next, n.Until)
			}
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
	// acknowledged begin anew, so does waiting for values, and a lease is not taken for
	// that of a silent partition before values have been waited for.
	m.resumed = false
	wait := after(m.s.Now, m.s.Options.MaxDelay)
	for i := range m.s.Nodes {
		switch n := &m.s.Nodes[i]; {
		case n.Holder < 0:
		case n.Preemption == 0:
			n.Until = max(n.Until, wait)
		case !n.Acked:
			n.First, n.Next = m.s.Now, m.s.Now
			m.due = true
		}
	}
	for i := range m.s.Partitions {
		p := &m.s.Partitions[i]
		if p.Delaying {
			p.DelaySince = m.s.Now
		}
		if p.Reclaim > 0 {
			p.ReclaimAt = m.s.Now
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
			for i := range m.s.Nodes { // of one that was withdrawn, and does not count for this one
				if n := &m.s.Nodes[i]; n.Holder == p && n.Request == r.ID && !n.Confirmed {
					n.Request = 0
				}
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
			if n.Preemption > 0 && !n.Acked {
				answer.Status, answer.Preemption, answer.Grace = Pending, n.Preemption, n.Grace
			} else {
				n.Until = max(n.Until, m.promise())
				if n.Preemption == 0 && l.Preemption > 0 {
					answer.Status, answer.Preemption = Cancelled, l.Preemption
				}
			}
		}
		m.out.leases = append(m.out.leases, answer)
	}
	m.out.send(Message{Call: LeasesRenewed, Partition: part.Name, Number: msg.Number, Sent: msg.Sent, Term: m.s.Options.Term}, at)
	return true
}

// fresh reports whether a partition's values are not stale.
func (m *Manager) fresh(p *partitionState) bool {
	return p.HasValues && p.ValuesAt >= m.s.Now-m.s.Options.MaxAge // neither side overflows
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

// planner is a plan's working memory. What is there by partition and kind has the sum
// over all kinds first.
type planner struct {
	requests []requestState
	held     []int  // of each partition: nodes that are not to end, and those that it will get
	own      []int  // without those of the latter that are not free
	of       []int  // nodes that can be taken, by partition and kind
	over     []int  // those of them whose leases have run out, of silent partitions
	stale    []bool // of each partition: its values are
	wanted   []bool // and a preemption waits for them
	named    []int  // of each kind: nodes asked for by name
	free     []int  // free nodes by kind, then node
	from     []int  // where a kind's begin; and how many are used
	end      []int
	ending   []int // leases to end, by number of preemption
	used     []bool
	first    int      // all before it are used
	grants   []seat   // free nodes
	seats    [][]seat // by kind: nodes for requests for any kind
	heaps    [][]int  // of each partition and kind, or any: nodes to take, cheapest first
	built    []bool
}

// seat is a node for a request, which is granted when it is free.
type seat struct {
	p     int
	r     *requestState
	node  int
	grant int // place in grants, -1 if the node is not free
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
	parts, kinds := m.s.Partitions, len(m.kinds)
	w.held, w.own = zeroed(w.held, len(parts)), zeroed(w.own, len(parts))
	w.of, w.over = zeroed(w.of, len(parts)*(kinds+1)), zeroed(w.over, len(parts)*(kinds+1))
	w.stale, w.wanted = zeroed(w.stale, len(parts)), zeroed(w.wanted, len(parts))
	w.named = zeroed(w.named, kinds)
	w.from, w.end = zeroed(w.from, kinds), zeroed(w.end, kinds)
	w.free, w.ending, w.grants = w.free[:0], w.ending[:0], w.grants[:0]
	for len(w.seats) < kinds {
		w.seats = append(w.seats, nil)
	}
	for k := range w.seats {
		w.seats[k] = w.seats[k][:0]
	}
	clear(w.built)
	for i := range parts {
		w.stale[i] = !m.fresh(&parts[i])
	}
	for i := range m.s.Nodes {
		n := &m.s.Nodes[i]
		switch {
		case n.Holder < 0:
			w.end[m.kindOf[i]]++
		case n.Preemption > 0:
			w.ending = append(w.ending, i)
		default:
			m.keeps(i, 1)
		}
	}
	m.reclaimAll()
	m.sortFree()
	slices.SortFunc(w.ending, func(a, b int) int { return cmp.Compare(m.s.Nodes[a].Preemption, m.s.Nodes[b].Preemption) })
	w.used, w.first = zeroed(w.used, len(w.ending)), 0
	m.rewind()
	m.serve((*Manager).assign)
	m.cancel()
	m.serve((*Manager).takeFor)
	for _, g := range w.grants {
		m.grant(g.node, g.p, g.r)
	}
	for i := range parts {
		parts[i].Delaying = parts[i].Delaying && w.wanted[i]
	}
}

// keeps counts a node that its partition has and keeps, d = 1, or has no more, -1.
func (m *Manager) keeps(i, d int) {
	w, v, kinds := &m.work, m.s.Nodes[i].Holder, len(m.kinds)+1
	k := m.kindOf[i] + 1
	w.held[v] += d
	w.own[v] += d
	w.of[v*kinds] += d
	w.of[v*kinds+k] += d
	if m.lapsed(i) {
		w.over[v*kinds] += d
		w.over[v*kinds+k] += d
	}
}

// lapsed reports whether a node's lease has run out and its partition is silent. What
// it was worth to that one does not matter any more.
func (m *Manager) lapsed(i int) bool {
	n := &m.s.Nodes[i]
	return m.s.Now >= n.Until && m.work.stale[n.Holder]
}

// rewind makes all requests candidates again.
func (m *Manager) rewind() {
	w := &m.work
	for i := range m.s.Partitions {
		rs := m.s.Partitions[i].Requests
		for j := range rs {
			r := &rs[j]
			r.rest, r.blocked = r.missing(), false
			if k := m.kind(r); k >= 0 && r.rest > 0 {
				w.named[k] += r.rest
			}
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
	w, kinds := &m.work, len(m.kinds)+1
	for v := range m.s.Partitions {
		part := &m.s.Partitions[v]
		for part.Reclaim > 0 && w.of[v*kinds] > 0 &&
			(!w.stale[v] || w.over[v*kinds] > 0 || m.s.Now >= after(part.ReclaimAt, m.s.Options.MaxDelay)) {
			w.ending = append(w.ending, m.preempt(v, -1, true))
			part.Reclaim--
			m.reclaim--
		}
		if part.Reclaim > 0 && w.of[v*kinds] == 0 { // it has given them back itself
			m.reclaim -= part.Reclaim
			part.Reclaim = 0
		}
		if part.Reclaim == 0 {
			part.ReclaimAt = 0
		}
	}
}

// sortFree lists the free nodes by kind.
func (m *Manager) sortFree() {
	w := &m.work
	total := 0
	for k := range w.end {
		w.from[k] = total
		total += w.end[k]
		w.end[k] = w.from[k]
	}
	w.free = zeroed(w.free, total)
	for i := range m.s.Nodes {
		if k := m.kindOf[i]; m.s.Nodes[i].Holder < 0 {
			w.free[w.end[k]] = i
			w.end[k]++
		}
	}
}

// cancel lets the nodes be that are to end and are assigned to nobody.
func (m *Manager) cancel() {
	w := &m.work
	clear(w.built) // what administrators have reclaimed was taken from the heaps
	for j, i := range w.ending {
		n := &m.s.Nodes[i]
		if w.used[j] || n.Forced {
			continue
		}
		n.cancelled = n.Preemption
		n.Preemption, n.First, n.Grace, n.Acked, n.Deadline = 0, 0, 0, false, 0
		n.Next = m.s.Now // of the grant, if the partition has not heard of it
		m.keeps(i, 1)
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
		if k := m.kind(r); k >= 0 {
			m.work.named[k]--
		}
		r.rest--
		m.work.held[p]++
	}
}

// assign finds a node that is free or to end.
func (m *Manager) assign(p int, r *requestState) bool {
	k := m.kind(r)
	if node, free := m.spare(p, k); node >= 0 {
		m.sit(p, r, node, free)
		return true
	}
	return m.swap(p, r, func(q int) (int, bool) { return m.spare(q, -1) })
}

// sit assigns a node.
func (m *Manager) sit(p int, r *requestState, node int, free bool) {
	w := &m.work
	s := seat{p, r, node, -1}
	if free {
		s.grant = len(w.grants)
		w.grants = append(w.grants, s)
		w.own[p]++
	}
	if k := m.kindOf[node]; r.Kind == "" {
		w.seats[k] = append(w.seats[k], s)
	}
}

// swap gives a request by name a node that has been assigned to one for any kind, if
// find has another one for that one's partition; it returns -1 if it has none, and
// whether the node is free.
func (m *Manager) swap(p int, r *requestState, find func(q int) (node int, free bool)) bool {
	k := m.kind(r)
	if k < 0 {
		return false
	}
	w := &m.work
	vain := -1 // a partition for which there is none
	for j, s := range w.seats[k] {
		if s.p == vain || m.s.Nodes[s.node].Holder == p {
			continue
		}
		w.held[s.p]-- // the node is given up,
		w.held[p]++   // and comes to the other one
		node, free := find(s.p)
		w.held[s.p]++
		w.held[p]--
		if node < 0 {
			vain = s.p
			continue
		}
		w.seats[k] = slices.Delete(w.seats[k], j, j+1)
		if s.grant >= 0 {
			w.own[s.p]--
			w.own[p]++
			w.grants[s.grant].p, w.grants[s.grant].r = p, r
		}
		m.sit(s.p, s.r, node, free)
		return true
	}
	return false
}

// spare returns a node for a partition that nobody has been assigned, of a kind if k
// is not negative, and whether it is free; -1 if there is none. A free one comes first,
// then another partition's whose preemption began first; for any kind in either case
// those that nobody waits for by name.
func (m *Manager) spare(p, k int) (node int, free bool) {
	w := &m.work
	best := k
	if k < 0 {
		least := math.MaxInt
		for c := range w.from {
			if w.from[c] == w.end[c] {
				continue
			}
			rank := w.free[w.from[c]]
			if w.named[c] > 0 {
				rank += maxNodes
			}
			if rank < least {
				least, best = rank, c
			}
		}
	}
	if best >= 0 && w.from[best] < w.end[best] {
		w.from[best]++
		return w.free[w.from[best]-1], true
	}
	for w.first < len(w.used) && w.used[w.first] {
		w.first++
	}
	found := -1
	for j := w.first; j < len(w.ending); j++ {
		i := w.ending[j]
		if c := m.kindOf[i]; w.used[j] || m.s.Nodes[i].Holder == p || k >= 0 && c != k {
			continue
		} else if k >= 0 || w.named[c] == 0 {
			found = j
			break
		}
		if found < 0 {
			found = j
		}
	}
	if found < 0 {
		return -1, false
	}
	w.used[found] = true
	return w.ending[found], false
}

// takeFor takes a node for a request, or waits for the values of the partition that
// it is to be taken from. It reports whether there is a node to be had.
func (m *Manager) takeFor(p int, r *requestState) bool {
	v, ready := m.victim(p, p, m.kind(r))
	switch {
	case v < 0:
		return m.swap(p, r, func(q int) (int, bool) {
			if v, ready := m.victim(q, p, -1); v >= 0 && ready { // p has the node already
				return m.preempt(v, -1, false), false
			}
			return -1, false
		})
	case ready:
		m.sit(p, r, m.preempt(v, m.kind(r), false), false)
		return true
	}
	w, kinds := &m.work, len(m.kinds)+1
	w.held[v]--
	w.own[v]--
	w.of[v*kinds]--
	if k := m.kind(r); k >= 0 {
		w.of[v*kinds+k+1]--
	}
	return true
}

// victim returns the partition with the greatest share of those from which fairness
// allows to take a node for p, of a kind if k is not negative; -1 if there is none. It
// has to allow q the nodes that q has, too, for whose sake it is. It reports whether that can be done now or values
// are waited for. Ties go to the partition that was created first.
func (m *Manager) victim(p, q, k int) (v int, ready bool) {
	w, kinds := &m.work, len(m.kinds)+1
	a, b := &m.s.Partitions[p], &m.s.Partitions[q]
	for {
		v := -1
		for i := range m.s.Partitions {
			part := &m.s.Partitions[i]
			switch {
			case i == p, i == q, w.of[i*kinds] <= 0, w.of[i*kinds+k+1] <= 0, w.own[i] <= part.Floor:
			case less(w.own[i]-1, part.Weight, w.held[p]+1, a.Weight), less(w.own[i]-1, part.Weight, w.held[q], b.Weight):
			case part.Passed && !m.s.Options.TakeStale && w.stale[i] && w.over[i*kinds+k+1] == 0:
			case v < 0 || less(w.own[v], m.s.Partitions[v].Weight, w.own[i], part.Weight):
				v = i
			}
		}
		if v < 0 {
			return -1, false
		}
		if m.ready(v, k) {
			return v, true
		}
		if !m.s.Partitions[v].Passed {
			return v, false
		}
	}
}

// ready reports whether a node may be taken from a partition, by its values or as
// its lease has run out. If not it notes how long one waits for values.
func (m *Manager) ready(v, k int) bool {
	w, part := &m.work, &m.s.Partitions[v]
	if !w.stale[v] || w.over[v*(len(m.kinds)+1)+k+1] > 0 {
		return true
	}
	w.wanted[v] = true
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
// negative, and returns it. Ties go to the lower node.
func (m *Manager) preempt(v, k int, forced bool) int {
	best := m.cheapest(v, k)
	n := &m.s.Nodes[best]
	m.keeps(best, -1)
	m.s.Preemption++
	n.Preemption, n.Forced = m.s.Preemption, forced
	n.First, n.Grace, n.Next = m.s.Now, m.s.Options.Grace, m.s.Now
	m.ending++
	m.due = true
	m.s.Stats.Preemptions++
	return best
}

// cheapest returns the node of least value that a partition holds and that is not to
// end, of a kind if k is not negative; there is one. Of a silent partition's nodes those
// whose leases have run out come first. It takes them from a heap, one for
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
	if x, y := m.lapsed(i), m.lapsed(j); x != y {
		return x
	}
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

// A PartitionStatus is what the manager knows of a partition, and says why it waits.
type PartitionStatus struct {
	Name     string
	Weight   int
	Floor    int
	Held     int  // nodes
	Ending   int  // of those, nodes that are to end
	Waiting  int  // nodes that it has asked for and that are not granted
	Reclaim  int  // nodes that are to be reclaimed when there are values
	Fresh    bool // its values are
	Delaying bool // a preemption waits for its values,
	Passed   bool // or has waited for them in vain
}

// AppendPartitions appends what there is to know of the partitions to dst, in the order
// of their creation. It takes O(N) time.
func (m *Manager) AppendPartitions(dst []PartitionStatus) []PartitionStatus {
	first := len(dst)
	for i := range m.s.Partitions {
		p := &m.s.Partitions[i]
		s := PartitionStatus{Name: p.Name, Weight: p.Weight, Floor: p.Floor, Reclaim: p.Reclaim,
			Fresh: m.fresh(p), Delaying: p.Delaying && !p.Passed, Passed: p.Passed && !m.fresh(p)}
		for j := range p.Requests {
			s.Waiting += p.Requests[j].missing()
		}
		dst = append(dst, s)
	}
	for i := range m.s.Nodes {
		if n := &m.s.Nodes[i]; n.Holder >= 0 {
			dst[first+n.Holder].Held++
			if n.Preemption > 0 {
				dst[first+n.Holder].Ending++
			}
		}
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
		if p.Name == "" || p.Weight < 1 || p.Weight > maxWeight || p.Floor < 0 || p.Floor > len(s.Nodes) || p.Reclaim < 0 || p.Reclaim > len(s.Nodes) || p.DelaySince < 0 || p.ReclaimAt < 0 {
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
	type offer struct {
		holder  int
		request uint64
	}
	offered := map[offer]int{} // leases that are not confirmed
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
		if n.Holder >= 0 && !n.Confirmed {
			offered[offer{n.Holder, n.Request}]++
		}
	}
	for i := range s.Partitions {
		for j := range s.Partitions[i].Requests {
			if r := &s.Partitions[i].Requests[j]; r.Given-r.Granted != offered[offer{i, r.ID}] {
				return badInput("partitions", i, ErrRange, "%d nodes granted for request %d of %q are not confirmed; the ledger has %d such leases",
					r.Given-r.Granted, r.ID, s.Partitions[i].Name, offered[offer{i, r.ID}])
			}
		}
	}
	return nil
}
