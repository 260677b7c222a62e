package exchange

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// world is a manager, three clients and the network between them, as hostile as the
// failure model allows. Messages are lost, repeated, reordered and late without limit.
// Links and processes are down for a time. A process that ends loses what it did since
// it was last saved, which is before it last sent something. Clocks differ in what they
// show and how fast they run. What the frameworks do, when the clocks go on and when a
// process looks at its own is the choice of pick.
type world struct {
	pick  func(n int) int
	now   time.Duration // the manager's clock
	opts  ManagerOptions
	calm  bool // no faults
	m     *Manager
	saved *Manager // what the log has, by its records
	fresh Manager  // for derived
	twin  Client   // for punctual
	log   [][]byte // records since the state
	state []byte
	gone  []*simPart // clients that were reset, and may go on
	down  bool
	forge bool // somebody else sends messages to clients
	parts []*simPart
	pool  []Message // under way
	late  []Message // under way for long
	sent  uint64    // messages

	// What an onlooker has noted.
	before, ledger []Assignment
	holdings       [][]NodeStatus
	mine           []NodeStatus
	notices        map[preemptKey]time.Duration // first sent, by the manager's clock
	acks           map[preemptKey]time.Duration // when the notice was first read, by the client's clock
	renewals       map[leaseKey]time.Duration   // for how long at the most, by the manager's clock
	grants         map[leaseKey]bool            // lost at least once
	back           map[leaseKey]bool            // given back
	old            map[leaseKey]bool            // of a client that was reset
	fenced         map[leaseKey]bool            // cut off by an operator
	todo           []Assignment
	records        int
	listed         map[leaseKey]bool // by the client
	counts         simCounts
}

type simPart struct {
	name         string
	weight       int
	floor        int
	c, saved     *Client
	down         bool
	cut          bool          // the link is down, both ways
	lazy         bool          // the framework tells no values
	dead         bool          // and stays so
	offset, rate time.Duration // its clock is offset + now·(1 + rate/10⁶)
}

func (p *simPart) clock(now time.Duration) time.Duration {
	return p.offset + now + now/1e6*p.rate
}

type leaseKey struct {
	node  int
	epoch uint64
}

type preemptKey struct {
	leaseKey
	preemption uint64
}

type simCounts struct {
	Steps, Delivered, Lost, Doubled      int
	CrashManager, CrashClient, InGrace   int // InGrace: of all, while some node drains
	CutByCrash                           int // sends of which a crash let some through or none
	GrantsAfterLoss, Refused, Unsure     int
	LateGrants, LateNotices, LateReturns int // of leases that are over
	Reset, OfTheReset, Unprepared        int // OfTheReset: messages of clients that were reset
	Terms, Dead, OfTheSilent             int // OfTheSilent: preemptions of leases that had run out
	Forged                               int // messages
}

func newWorld(t fataler, pick func(int) int, opts ManagerOptions, kinds []string) *world {
	w := &world{pick: pick, opts: opts.resolve(), notices: map[preemptKey]time.Duration{}, acks: map[preemptKey]time.Duration{},
		renewals: map[leaseKey]time.Duration{}, grants: map[leaseKey]bool{}, back: map[leaseKey]bool{}, fenced: map[leaseKey]bool{}, old: map[leaseKey]bool{}, listed: map[leaseKey]bool{}}
	var err error
	if w.m, err = NewManager(opts, kinds); err != nil {
		t.Fatalf("%v", err)
	}
	for i, p := range []*simPart{
		{name: "hpc", weight: 2, offset: time.Hour, rate: 900},
		{name: "htc", weight: 1, floor: 1, offset: 0, rate: -900},
		{name: "cloud", weight: 1, offset: 77 * time.Hour, rate: 0},
	} {
		if err := w.m.CreatePartition(p.name, p.weight, p.floor); err != nil {
			t.Fatalf("%v", err)
		}
		if p.c, err = NewClient(p.name, ClientOptions{Instance: fmt.Sprint("first ", i)}); err != nil {
			t.Fatalf("%v", err)
		}
		w.parts = append(w.parts, p)
		if _, err := w.m.ResetClient(0, p.name, p.c.s.Instance, false); err != nil {
			t.Fatalf("%v", err)
		}
	}
	w.snapshot(t)
	for _, p := range w.parts {
		p.saved = new(Client)
		w.saveClient(p)
	}
	w.ledger = w.m.AppendAssignments(nil)
	w.holdings = make([][]NodeStatus, len(w.parts))
	return w
}

type fataler interface {
	Fatalf(format string, args ...any)
}

// snapshot saves the whole manager.
func (w *world) snapshot(t fataler) {
	var err error
	if w.state, err = w.m.MarshalText(); err != nil {
		t.Fatalf("%v", err)
	}
	if w.saved == nil {
		w.saved = new(Manager)
	}
	copyManager(w.saved, w.m)
	w.saved.derive()
	w.log = w.log[:0]
	w.m.ChangesSaved()
}

// saveManager saves what has changed of the manager.
func (w *world) saveManager(t fataler) {
	w.records++
	if len(w.log) > 400 {
		w.same(t)
		w.snapshot(t)
		return
	}
	var record []byte
	if n := len(w.log); n < cap(w.log) {
		record = w.log[:n+1][n][:0]
	}
	record = w.m.AppendChanges(record)
	w.m.ChangesSaved()
	if len(record) == 0 {
		return
	}
	w.log = append(w.log, record)
	if err := apply(&w.saved.s, record); err != nil {
		t.Fatalf("%v", err)
	}
	if a, b := &w.saved.s, &w.m.s; a.Preemption != b.Preemption || a.Stats != b.Stats ||
		!slices.EqualFunc(a.Nodes, b.Nodes, sameNode) || !slices.EqualFunc(a.Partitions, b.Partitions, samePartition) {
		t.Fatalf("the records say otherwise (-manager +records):\n%+v\n%+v", b, a)
	}
}

// apply changes a state as a record says, whatever the record before was.
func apply(s *managerState, record []byte) error {
	body, _, _, err := open(record, recordChanges)
	if err != nil {
		return err
	}
	return s.decode(body)
}

// same asks whether the log says what the manager is.
func (w *world) same(t fataler) {
	record := w.m.AppendChanges(nil)
	w.m.ChangesSaved()
	if len(record) > 0 {
		if err := apply(&w.saved.s, record); err != nil {
			t.Fatalf("%v", err)
		}
	}
	w.saved.s.Now = w.m.s.Now
	w.saved.changes.link = w.m.changes.link
	a, _ := json.Marshal(w.m)
	if b, _ := json.Marshal(w.saved); string(a) != string(b) {
		t.Fatalf("the records say otherwise (-manager +records):\n%s", cmp.Diff(string(a), string(b)))
	}
}

func sameNode(a, b nodeState) bool {
	a.cancelled, b.cancelled = 0, 0
	return a == b
}

func samePartition(a, b partitionState) bool {
	return a.Name == b.Name && a.Instance == b.Instance && a.Removed == b.Removed && a.Weight == b.Weight && a.Floor == b.Floor &&
		a.LastAdd == b.LastAdd && a.LastValues == b.LastValues && a.HasValues == b.HasValues && a.ValuesAt == b.ValuesAt &&
		a.Delaying == b.Delaying && a.DelaySince == b.DelaySince && a.Passed == b.Passed && a.Reclaim == b.Reclaim && a.ReclaimAt == b.ReclaimAt &&
		slices.EqualFunc(a.Requests, b.Requests, func(a, b requestState) bool { return a.Request == b.Request && a.Given == b.Given })
}

// prompt asks whether a call of the manager has left nothing to do: what it grants, takes and
// cancels is in its answers, unless something was due before the call.
// Values that are stale when they come are looked at by the next Tick.
func (w *world) prompt(t fataler, before time.Duration, waits bool, call Message) {
	if waits && before <= w.now || call.Age > w.m.s.Options.MaxAge {
		return
	}
	if next, ok := w.m.NextTick(); ok && next <= w.now {
		t.Fatalf("at %v, after %+v, the manager wants to be called at %v", w.now, call, next)
	}
	if w.counts.Steps%8 > 0 {
		return
	}
	copyManager(&w.fresh, w.m)
	w.fresh.derive()
	w.fresh.resumed = false
	if msgs := w.fresh.Tick(w.now); len(msgs) > 0 {
		t.Fatalf("at %v, after %+v, a call of Tick sends %+v", w.now, call, msgs)
	}
	if a, b := &w.fresh.s, &w.m.s; !slices.EqualFunc(a.Nodes, b.Nodes, sameNode) {
		t.Fatalf("at %v, after %+v, a call of Tick changes the ledger:\n%+v\n%+v", w.now, call, b, a)
	}
}

// idle asks whether the manager sends nothing, and grants, takes and ends nothing, before the
// time at which it wants to be called.
func (w *world) idle(t fataler) {
	next, ok := w.m.NextTick()
	if !ok {
		next = w.now + time.Duration(1+w.pick(4000))*time.Second
	}
	if next <= w.now+1 {
		return
	}
	at := w.now + 1 + time.Duration(w.pick(int(min(next-w.now-1, 1<<30))))
	if w.pick(2) == 0 {
		at = next - 1
	}
	copyManager(&w.fresh, w.m)
	w.fresh.derive()
	w.fresh.replan, w.fresh.due, w.fresh.resumed, w.fresh.planned = w.m.replan, w.m.due, w.m.resumed, w.m.planned
	if msgs := w.fresh.Tick(at); len(msgs) > 0 {
		t.Fatalf("at %v the manager sends %+v, and wants to be called at %v", at, msgs, next)
	}
	a, b := &w.fresh.s, &w.m.s
	if a.Stats.Granted != b.Stats.Granted || !slices.EqualFunc(a.Nodes, b.Nodes, sameNode) {
		t.Fatalf("at %v the manager changes, and wants to be called at %v:\n%+v\n%+v", at, next, b, a)
	}
}

// punctual asks whether a client has something to send at the time at which it wants to be
// called, and nothing before.
func (w *world) punctual(t fataler, p *simPart) {
	next := p.c.NextTick()
	if next-1 > p.c.Now() {
		copyClient(&w.twin, p.c)
		if msgs := w.twin.Tick(next - 1); len(msgs) > 0 {
			t.Fatalf("client %s sends %+v at %v, and wants to be called at %v", p.name, msgs, next-1, next)
		}
	}
	copyClient(&w.twin, p.c)
	if msgs := w.twin.Tick(next); len(msgs) == 0 {
		t.Fatalf("client %s sends nothing at %v, when it wants to be called", p.name, next)
	}
}

// derived asks whether what the manager counts beside its state follows from the state.
func (w *world) derived(t fataler) {
	m, d := w.m, &w.fresh
	copyManager(d, m)
	d.derive()
	if m.waiting != d.waiting || m.ending != d.ending || m.reclaim != d.reclaim {
		t.Fatalf("%d wait, %d are to end, %d to be reclaimed: want %d, %d, %d", m.waiting, m.ending, m.reclaim, d.waiting, d.ending, d.reclaim)
	}
	if !slices.Equal(m.held, d.held) || !slices.Equal(m.endingOf, d.endingOf) || !slices.Equal(m.perKind, d.perKind) || !slices.Equal(m.kindOf, d.kindOf) {
		t.Fatalf("partitions hold %v, of which %v are to end: want %v and %v", m.held, m.endingOf, d.held, d.endingOf)
	}
	for p, first := range m.head {
		n, before := 0, int32(-1)
		for i := first; i >= 0; i = m.after[i] {
			if m.s.Nodes[i].Holder != p || m.before[i] != before {
				t.Fatalf("node %d of %d follows %d in the list of partition %d", i, m.s.Nodes[i].Holder, m.before[i], p)
			}
			n, before = n+1, i
		}
		if n != m.held[p] {
			t.Fatalf("the list of partition %d has %d nodes of %d", p, n, m.held[p])
		}
	}
	for i := range m.s.Partitions {
		for j := range m.s.Partitions[i].Requests {
			g, f := m.s.Partitions[i].Requests[j].group, d.s.Partitions[i].Requests[j].group
			if (g < 0) != (f < 0) || g >= 0 && !slices.Equal(m.groups[g].kinds, d.groups[f].kinds) {
				t.Fatalf("request %d of partition %d has group %d of %v: want %d of %v", j, i, g, m.groups, f, d.groups)
			}
		}
	}
}

func copyManager(dst, src *Manager) {
	nodes, parts := dst.s.Nodes, dst.s.Partitions
	dst.s = src.s
	dst.s.Nodes = append(nodes[:0], src.s.Nodes...)
	dst.s.Partitions = parts[:0]
	for i, p := range src.s.Partitions {
		var rs []requestState
		if i < len(parts) {
			rs = parts[:i+1][i].Requests
		}
		p.Requests = append(rs[:0], p.Requests...)
		dst.s.Partitions = append(dst.s.Partitions, p)
	}
}

func (w *world) saveClient(p *simPart) { copyClient(p.saved, p.c) }

func copyClient(dst, src *Client) {
	rs, ls, es := dst.s.Requests, dst.s.Leases, dst.s.Listings
	dst.s = src.s
	dst.s.Requests = append(rs[:0], src.s.Requests...)
	dst.s.Leases = append(ls[:0], src.s.Leases...)
	dst.s.Listings = append(es[:0], src.s.Listings...)
}

// reload is a restart: what was saved, through JSON.
func reload[T any](t fataler, saved *T) *T {
	data, err := json.Marshal(saved)
	if err != nil {
		t.Fatalf("%v", err)
	}
	fresh := new(T)
	if err := json.Unmarshal(data, fresh); err != nil {
		t.Fatalf("restart from %s: %v", data, err)
	}
	return fresh
}

// fault is true once in n times, never in a calm.
func (w *world) fault(n int) bool { return !w.calm && w.pick(n) == 0 }

// emit notes and sends what a manager (p < 0) or client says. The state is saved
// before. A process may end between any two messages.
func (w *world) emit(t fataler, p int, msgs []Message) {
	if len(msgs) == 0 {
		if w.pick(2) == 0 { // it need not, and may, be saved
			w.save(t, p)
		}
		return
	}
	w.save(t, p)
	crash := -1
	if w.fault(400) {
		crash = w.pick(len(msgs) + 1)
		w.counts.CutByCrash++
	}
	for i, msg := range msgs {
		if i == crash {
			break
		}
		w.note(t, p, &msg)
		w.sent++
		if w.fault(8) {
			w.lose(&msg)
			continue
		}
		if w.fault(12) {
			w.late = append(w.late, msg.Clone())
			continue
		}
		w.pool = append(w.pool, msg.Clone())
	}
	if crash >= 0 {
		w.crash(p)
	}
}

func (w *world) save(t fataler, p int) {
	if p < 0 {
		w.saveManager(t)
	} else {
		w.saveClient(w.parts[p])
	}
}

func (w *world) lose(msg *Message) {
	w.counts.Lost++
	if msg.Call == NodesAdded {
		for _, l := range msg.Leases {
			w.grants[leaseKey{l.Node, l.Epoch}] = true
		}
	}
}

// note is the onlooker reading a message as it leaves.
func (w *world) note(t fataler, p int, msg *Message) {
	for _, l := range msg.Leases {
		k := leaseKey{l.Node, l.Epoch}
		pk := preemptKey{k, l.Preemption}
		first := func(m map[preemptKey]time.Duration, at time.Duration) {
			if _, ok := m[pk]; !ok {
				m[pk] = at
			}
		}
		switch msg.Call {
		case NotifyDeletePending:
			first(w.notices, w.now)
		case LeasesRenewed:
			switch l.State {
			case Pending:
				first(w.notices, w.now)
			case Renewed, Cancelled:
				until := forever
				if msg.Term >= 0 {
					until = w.now + msg.Term
				}
				w.renewals[k] = max(w.renewals[k], until)
			}
		case AcknowledgeDelete:
			first(w.acks, w.parts[p].clock(w.now)-l.Since) // when it read the notice
		case SetResourceValues:
			if l.Preemption > 0 {
				first(w.acks, w.parts[p].clock(w.now)-l.Since) // when it read the notice
			}
			if a := w.ledger[l.Node]; !w.forge && w.back[k] && a.Partition == msg.Partition && a.Epoch == l.Epoch { // unless a late grant made it believe so, and it is over
				t.Fatalf("client %s lists node %d, epoch %d, after giving it back", msg.Partition, l.Node, l.Epoch)
			}
			w.listed[k] = true
		case DeleteNodes:
			w.back[k] = true
		}
	}
	if msg.Call == SetResourceValues { // what is listed no more has been given back
		for _, a := range w.ledger {
			k := leaseKey{a.Node, a.Epoch}
			if w.listed[k] && a.Partition == msg.Partition && !slices.ContainsFunc(msg.Leases, func(l Lease) bool { return l.Node == a.Node && l.Epoch == a.Epoch }) {
				w.back[k] = true
			}
		}
	}
}

// crash ends a process. What runs on the partition's nodes goes on, by what was
// known to the framework.
func (w *world) crash(p int) {
	draining := false
	for _, a := range w.ledger {
		if a.Preemption > 0 && (p < 0 || a.Partition == w.parts[p].name) {
			draining = true
		}
	}
	if draining {
		w.counts.InGrace++
	}
	if p < 0 {
		w.down = true
		w.counts.CrashManager++
	} else {
		w.parts[p].down = true
		w.counts.CrashClient++
	}
}

func (w *world) restart(t fataler, p int) {
	if p < 0 {
		w.m, w.down = new(Manager), false
		if err := w.m.Restore(w.state, func(yield func([]byte, error) bool) {
			for _, r := range w.log {
				if !yield(r, nil) {
					return
				}
			}
		}); err != nil {
			t.Fatalf("restart: %v", err)
		}
		return
	}
	part := w.parts[p]
	part.c, part.down = reload(t, part.saved), false
}

func (w *world) part(name string) int {
	return slices.IndexFunc(w.parts, func(p *simPart) bool { return p.name == name })
}

// deliver hands over a message, if anybody is there.
func (w *world) deliver(t fataler, i int) {
	msg := w.pool[i]
	if w.fault(15) {
		w.counts.Doubled++
	} else {
		w.pool[i] = w.pool[len(w.pool)-1]
		w.pool = w.pool[:len(w.pool)-1]
	}
	p := w.part(msg.Partition)
	part := w.parts[p]
	if part.cut {
		w.lose(&msg)
		return
	}
	w.counts.Delivered++
	if msg.Call <= AcknowledgeDelete {
		if w.down {
			w.lose(&msg)
			return
		}
		for _, l := range msg.Leases {
			if a := w.ledger[l.Node]; msg.Call == DeleteNodes && (a.Epoch != l.Epoch || a.Partition != msg.Partition) {
				w.counts.LateReturns++
			}
		}
		next, waits := w.m.NextTick()
		out, err := w.m.Handle(w.now, msg)
		if errors.Is(err, ErrInstance) {
			w.counts.OfTheReset++
			return
		}
		if err != nil {
			t.Fatalf("manager: %+v: %v", msg, err)
		}
		w.prompt(t, next, waits, msg)
		w.emit(t, -1, out)
		return
	}
	for _, z := range w.gone {
		if z.name == msg.Partition && z.c.s.Instance == msg.Instance {
			if _, err := z.c.Handle(z.clock(w.now), msg); err != nil { // what it answers is refused
				t.Fatalf("client %s, reset: %+v: %v", z.name, msg, err)
			}
			return
		}
	}
	if part.down {
		w.lose(&msg)
		return
	}
	for _, l := range msg.Leases {
		if a := w.ledger[l.Node]; a.Epoch != l.Epoch || a.Partition != msg.Partition {
			switch msg.Call {
			case NodesAdded:
				w.counts.LateGrants++
			case NotifyDeletePending:
				w.counts.LateNotices++
			}
		}
	}
	now := part.clock(w.now)
	early := part.c.NextTick() > now && !w.forge // a forged grace period may be over when it is read
	out, err := part.c.Handle(now, msg)
	if errors.Is(err, ErrInstance) {
		return
	}
	if err != nil {
		t.Fatalf("client %s: %+v: %v", part.name, msg, err)
	}
	if next := part.c.NextTick(); early && next <= now { // what it has to send is in the answers
		t.Fatalf("at %v, after %+v, client %s wants to be called at %v", now, msg, part.name, next)
	}
	w.emit(t, p, out)
}

// forgery is a message of somebody else to a client: any message but the answer to a listing. It
// is about a node that the partition believes to have, or any node, and about the lease that the
// client knows, the lease in the ledger, or one near it. The number of a preemption is that of the
// preemption in force or near it, one of the last ones, the next ones or the greatest.
func (w *world) forgery() {
	p := w.parts[w.pick(len(w.parts))]
	w.mine = p.c.AppendNodes(w.mine[:0], p.clock(w.now))
	node := w.pick(len(w.m.s.Nodes))
	n := &w.m.s.Nodes[node]
	l := Lease{Node: node, Epoch: n.Epoch}
	if w.pick(2) == 0 {
		l.Epoch += uint64(w.pick(3))
	}
	if len(w.mine) > 0 && w.pick(8) > 0 {
		h := w.mine[w.pick(len(w.mine))]
		n = &w.m.s.Nodes[h.Node]
		l = Lease{Node: h.Node, Epoch: h.Epoch, Preemption: h.Preemption}
		if w.pick(8) == 0 {
			l.Epoch = n.Epoch + uint64(w.pick(2))
		}
	}
	if w.pick(2) == 0 {
		l.Preemption = n.Preemption
	}
	switch w.pick(4) {
	case 0:
		l.Preemption = w.m.s.Preemption - min(w.m.s.Preemption, uint64(w.pick(3)))
	case 1:
		l.Preemption = w.m.s.Preemption + 1 + uint64(w.pick(2))
	case 2:
		l.Preemption = []uint64{l.Preemption + 1, maxEpoch}[w.pick(2)]
	}
	l.Epoch = max(1, l.Epoch)
	l.Preemption = min(max(1, l.Preemption), maxEpoch)
	l.Grace = []time.Duration{time.Second, time.Minute, time.Hour, forever}[w.pick(4)]
	l.State = LeaseState(w.pick(4))
	msg := Message{Call: []Call{NotifyDeletePending, DeleteCancelled, NodesDeleted, NodesAdded}[w.pick(4)], Partition: p.name, Instance: p.c.s.Instance, Leases: []Lease{l}}
	w.counts.Forged++
	w.pool = append(w.pool, msg)
}

// act is something that a framework or an administrator does.
func (w *world) act(t fataler) {
	i := w.pick(len(w.parts))
	p := w.parts[i]
	if p.down {
		return
	}
	now := p.clock(w.now)
	w.mine = p.c.AppendNodes(w.mine[:0], now)
	must := func(msgs []Message, err error) {
		if err != nil {
			t.Fatalf("client %s: %v", p.name, err)
		}
		w.emit(t, i, msgs)
	}
	what := w.pick(24)
	if w.calm && what < 7 {
		what = 23
	}
	if !w.calm && !w.down && w.pick(3000) == 0 {
		w.reset(t, i)
		return
	}
	switch {
	case what < 3:
		if rs := p.c.AppendRequests(nil); len(rs) < 3 {
			kind := []string{"", "", "gpu", "cpu", "tpu", "+ib", "cpu+ib"}[w.pick(7)]
			_, msgs, err := p.c.AddNodes(now, kind, 1+w.pick(4))
			must(msgs, err)
		}
	case what < 5:
		if rs := p.c.AppendRequests(nil); len(rs) > 0 {
			r := rs[w.pick(len(rs))]
			if r.Refused != "" {
				w.counts.Refused++
			}
			must(p.c.Cancel(now, r.ID))
		}
	case what < 6:
		p.lazy = w.pick(3) == 0
	case what < 7:
		if !w.down && w.pick(40) == 0 {
			// Terms in force change; no message of it is sent, and so it is saved here.
			opts := w.opts
			opts.Term = []time.Duration{opts.Term, 2 * opts.Term, opts.Term / 2, -1}[w.pick(4)]
			if err := w.m.SetOptions(opts.again()); err != nil {
				t.Fatalf("%v", err)
			}
			w.saveManager(t)
			w.counts.Terms++
		}
		if !w.down && w.pick(8) == 0 {
			msgs, err := w.m.Reclaim(w.now, p.name, 1+w.pick(2))
			if err == nil {
				w.emit(t, -1, msgs)
			}
		}
	case what < 11: // jobs end
		for _, h := range w.mine {
			if h.State == Draining && w.pick(3) == 0 || h.State == Usable && w.pick(12) == 0 && !w.calm {
				must(p.c.DeleteNodes(now, h.Node))
				return
			}
		}
	case what < 13:
		must(p.c.DiscoverResources(now), nil)
	default:
		if p.lazy && !w.calm {
			return
		}
		var values []NodeValue
		for _, h := range w.mine {
			if h.State != Returned && w.pick(4) > 0 {
				values = append(values, NodeValue{h.Node, float64(w.pick(5)) / 4})
			}
		}
		if j := slices.IndexFunc(w.mine, func(h NodeStatus) bool { return h.State == Returned }); j >= 0 {
			// One may be given back already, by the clock, where the client has not yet
			// been told the time. Then no values today.
			return
		}
		must(p.c.SetResourceValues(now, values))
	}
}

// step lets one thing happen, and looks.
func (w *world) step(t fataler) {
	w.counts.Steps++
	if w.forge && w.fault(20) && !w.down {
		w.forgery()
	}
	what := w.pick(100)
	switch {
	case what < 50:
		if len(w.pool) > 0 {
			i := w.pick(len(w.pool))
			if w.pick(3) > 0 {
				i = min(i, w.pick(len(w.pool)))
			}
			w.deliver(t, i)
		}
	case what < 52:
		if len(w.pool) > 0 && !w.calm {
			i := w.pick(len(w.pool))
			w.lose(&w.pool[i])
			w.pool[i] = w.pool[len(w.pool)-1]
			w.pool = w.pool[:len(w.pool)-1]
		}
	case what < 55:
		if len(w.late) > 0 && w.pick(3) == 0 {
			i := w.pick(len(w.late))
			w.pool = append(w.pool, w.late[i])
			w.late[i] = w.late[len(w.late)-1]
			w.late = w.late[:len(w.late)-1]
		}
	case what < 66:
		w.now += time.Duration(w.pick(40000)) * time.Millisecond
	case what < 84:
		w.tick(t, w.pick(len(w.parts)+1)-1)
		if w.opts.Prepare {
			w.look(t)
			w.prepare(t)
		}
	case what < 98 || w.calm:
		w.act(t)
	case what < 99:
		if p := w.parts[w.pick(len(w.parts))]; !p.cut {
			p.cut = w.pick(8) == 0
		}
	default:
		ending := slices.ContainsFunc(w.ledger, func(a Assignment) bool { return a.Preemption > 0 })
		if p := w.pick(len(w.parts)+1) - 1; !w.isDown(p) && w.pick(8) < 1+2*b2i(ending) {
			w.crash(p)
		}
	}
	switch p := w.pick(400) - 1; { // what is down comes back
	case p < len(w.parts) && w.isDown(p) && (p < 0 || !w.parts[p].dead):
		w.restart(t, p)
	case p >= 10 && p < 10+len(w.parts):
		w.parts[p-10].cut = false
	}
	w.look(t)
}

func (w *world) tick(t fataler, p int) {
	if p < 0 {
		if w.down {
			return
		}
		if next, ok := w.m.NextTick(); ok && next <= w.now {
			w.emit(t, -1, w.m.Tick(w.now))
			if again, ok := w.m.NextTick(); ok && again <= w.now {
				t.Fatalf("the manager is at %v and wants %v again", w.now, again)
			}
		}
		return
	}
	part := w.parts[p]
	now := part.clock(w.now)
	if !part.down && part.c.NextTick() <= now {
		w.emit(t, p, part.c.Tick(now))
		if again := part.c.NextTick(); again <= now {
			t.Fatalf("client %s is at %v and wants %v again", part.name, now, again)
		}
	}
}

// prepare is the host that makes a node ready, or fails to.
func (w *world) prepare(t fataler) {
	if w.down || !w.opts.Prepare {
		return
	}
	w.todo = w.m.AppendUnprepared(w.todo[:0])
	if len(w.todo) == 0 {
		return
	}
	var msgs []Message
	var err error
	u := w.todo[w.pick(len(w.todo))]
	if w.fault(4) {
		w.counts.Unprepared++
		msgs, err = w.m.PrepareFailed(w.now, u.Node, u.Epoch, time.Duration(w.pick(100))*time.Second)
	} else {
		msgs, err = w.m.Prepared(w.now, u.Node, u.Epoch)
	}
	if err != nil {
		t.Fatalf("%v", err)
	}
	w.emit(t, -1, msgs)
}

// reset replaces the client of a partition, which may go on nevertheless. At times the
// partition is removed and created again.
func (w *world) reset(t fataler, i int) {
	p := w.parts[i]
	w.counts.Reset++
	name := fmt.Sprint("reset ", w.counts.Reset)
	for _, a := range w.ledger {
		if a.Partition == p.name { // notices are not asked for
			w.old[leaseKey{a.Node, a.Epoch}] = true
		}
	}
	old := *p
	w.gone = append(w.gone, &old)
	msgs, err := []Message(nil), error(nil)
	if w.pick(3) == 0 {
		if msgs, err = w.m.RemovePartition(w.now, p.name, false); err != nil {
			t.Fatalf("%v", err)
		}
		w.emit(t, -1, msgs)
		if w.down {
			w.restart(t, -1)
		}
		w.look(t)
		if err := w.m.CreatePartition(p.name, p.weight, p.floor); err != nil {
			t.Fatalf("%v", err)
		}
	}
	if msgs, err = w.m.ResetClient(w.now, p.name, name, false); err != nil {
		t.Fatalf("%v", err)
	}
	if len(msgs) == 0 { // the new client must not hear of what is not saved
		w.saveManager(t)
	}
	w.emit(t, -1, msgs)
	if p.c, err = NewClient(p.name, ClientOptions{Instance: name}); err != nil {
		t.Fatalf("%v", err)
	}
	p.saved = new(Client)
	w.saveClient(p)
}

func (w *world) isDown(p int) bool { return p < 0 && w.down || p >= 0 && w.parts[p].down }

// again is what resolve makes the same options of.
func (o ManagerOptions) again() ManagerOptions {
	for _, d := range []*time.Duration{&o.Skew, &o.MaxDelay} {
		if *d == 0 {
			*d = -1
		}
	}
	return o
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// look holds the step to the invariants.
func (w *world) look(t fataler) {
	w.before, w.ledger = w.ledger, w.before[:0]
	m := w.m
	if w.down {
		m = w.saved // what counts is what will be
	}
	w.ledger = m.AppendAssignments(w.ledger)
	// One node, one partition: what a partition believes is what the ledger says.
	for i, p := range w.parts {
		hs := p.c.AppendNodes(w.holdings[i][:0], p.clock(w.now))
		w.holdings[i] = hs
		for _, h := range hs {
			if h.State == Unsure {
				w.counts.Unsure++
			}
			if h.State != Usable && h.State != Draining || w.fenced[leaseKey{h.Node, h.Epoch}] {
				continue
			}
			if a := w.ledger[h.Node]; a.Partition != p.name || a.Epoch != h.Epoch {
				t.Fatalf("at %v partition %s uses %+v, and the ledger says %+v", w.now, p.name, h, a)
			}
		}
	}
	for _, z := range w.gone {
		w.mine = z.c.AppendNodes(w.mine[:0], z.clock(w.now))
		for _, h := range w.mine {
			if h.State != Usable && h.State != Draining || w.fenced[leaseKey{h.Node, h.Epoch}] {
				continue
			}
			if a := w.ledger[h.Node]; a.Partition != z.name || a.Epoch != h.Epoch {
				t.Fatalf("at %v partition %s, reset, uses %+v, and the ledger says %+v", w.now, z.name, h, a)
			}
		}
	}
	var held int
	for n, a := range w.ledger {
		b := w.before[n]
		if a.Partition != "" {
			held++
		}
		if a.Epoch == b.Epoch && a.Partition == b.Partition {
			if a.Confirmed && !b.Confirmed && w.grants[leaseKey{n, a.Epoch}] {
				w.counts.GrantsAfterLoss++
			}
			if a.Preemption > 0 && b.Preemption == 0 {
				w.fair(t, a, m)
			}
			continue
		}
		if b.Partition != "" {
			w.ended(t, b)
		}
	}
	s := m.Stats()
	if gone := s.Returned + s.Completed + s.Withdrawn + s.Fenced; s.Granted != gone+held {
		t.Fatalf("%d granted, %d ended, %d held: %+v", s.Granted, gone, held, s)
	}
}

// ended asks why a lease, as it was before this step, is over.
func (w *world) ended(t fataler, b Assignment) {
	k := leaseKey{b.Node, b.Epoch}
	if w.back[k] || b.Unprepared || w.fenced[k] || w.old[k] && w.now >= w.renewals[k] {
		return
	}
	p := w.parts[w.part(b.Partition)]
	pk := preemptKey{k, b.Preemption}
	notice, noticed := w.notices[pk]
	ack, acked := w.acks[pk]
	switch {
	case b.Preemption == 0 || !noticed:
		t.Fatalf("at %v node %d was taken from %s without notice: %+v", w.now, b.Node, b.Partition, b)
	case acked && p.clock(w.now) >= ack+w.opts.Grace:
		// It has had its notice and its grace period.
	case w.now >= notice+w.opts.Grace && w.now >= w.renewals[k]:
		// It has been silent, or deaf, for a term.
	default:
		t.Fatalf("at %v node %d was taken from %s too soon: notice %v, acknowledged %v %v by its clock, which shows %v, renewed %v",
			w.now, b.Node, b.Partition, notice, acked, ack, p.clock(w.now), w.renewals[k])
	}
}

// fair asks whether a preemption that has just begun leaves its partition no less a
// share than some partition that waits would have, and its floor.
func (w *world) fair(t fataler, a Assignment, m *Manager) {
	held := make([]int, len(w.parts))
	for _, x := range w.ledger {
		if x.Partition != "" && x.Preemption == 0 {
			held[w.part(x.Partition)]++
		}
	}
	if n := &m.s.Nodes[a.Node]; n.Until <= m.s.Now {
		w.counts.OfTheSilent++
	}
	if m.s.Nodes[a.Node].Forced || w.old[leaseKey{a.Node, a.Epoch}] {
		return
	}
	v := w.part(a.Partition)
	for _, x := range w.ledger {
		if x.Partition == a.Partition && x.Preemption == 0 && x.Epoch == w.before[x.Node].Epoch && x.Value < a.Value && x.Kind == a.Kind && m.s.Nodes[a.Node].Until > m.s.Now {
			t.Fatalf("at %v node %d is taken, value %v, before node %d, value %v", w.now, a.Node, a.Value, x.Node, x.Value)
		}
	}
	for i, p := range w.parts {
		if i == v {
			continue
		}
		for _, r := range m.s.Partitions[m.partition(p.name)].Requests {
			if r.missing() > 0 && held[v]*p.weight >= (held[i]+1)*w.parts[v].weight && held[v] >= w.parts[v].floor {
				return
			}
		}
	}
	t.Fatalf("at %v node %d is taken from %s for nobody who may have it; nodes held: %v", w.now, a.Node, a.Partition, held)
}

// settle ends all faults, lets things go on for as long as a message, a notice, a
// grace period and a lease last, and holds what is left to what should be. A
// partition may be dead from then on, until the end.
func (w *world) settle(t fataler) {
	w.calm = true
	if p := w.pick(2 * len(w.parts)); p < len(w.parts) {
		if !w.parts[p].down {
			w.crash(p)
		}
		w.parts[p].dead = true
		w.counts.Dead++
	}
	w.pool, w.late = append(w.pool, w.late...), w.late[:0]
	for p := range w.parts {
		w.parts[p].cut, w.parts[p].lazy = false, false
		if w.parts[p].down && !w.parts[p].dead {
			w.restart(t, p)
		}
	}
	if w.down {
		w.restart(t, -1)
	}
	if err := w.m.SetOptions(w.opts.again()); err != nil {
		t.Fatalf("%v", err)
	}
	w.saveManager(t)
	// What was promised for a longer term, or for ever, is not waited for.
	endless := map[int]bool{} // nodes with a dead partition that was told it may keep them
	end := w.now + w.opts.Term
	for i, n := range w.m.s.Nodes {
		if n.Holder >= 0 && (n.Orphan || w.parts[w.part(w.m.s.Partitions[n.Holder].Name)].dead) {
			if n.Until == forever {
				endless[i] = true
			} else {
				end = max(end, n.Until)
			}
		}
	}
	end += 2*(w.opts.Grace+w.opts.MaxDelay+w.opts.Skew+w.opts.Term) + 20*w.opts.Every
	for w.now < end {
		w.step(t)
	}
	for range 300 { // let nothing be under way
		for i := range w.pool {
			w.deliver(t, len(w.pool)-1-i)
			break
		}
		w.tick(t, -1)
		w.look(t)
		w.prepare(t)
		for p := range w.parts {
			w.tick(t, p)
		}
		w.look(t)
	}
	if len(w.pool) > 0 {
		t.Fatalf("at %v messages are still under way: %+v", w.now, w.pool)
	}
	w.served(t, endless)
	for i, p := range w.parts {
		var want []NodeStatus
		if p.dead {
			continue
		}
		for _, a := range w.ledger {
			if a.Partition == p.name {
				if endless[a.Node] && w.old[leaseKey{a.Node, a.Epoch}] {
					continue
				}
				if a.Preemption > 0 {
					t.Fatalf("at %v node %d is still to end: %+v", w.now, a.Node, a)
				}
				want = append(want, NodeStatus{Node: a.Node, Epoch: a.Epoch, State: Usable})
			}
		}
		var got []NodeStatus
		for _, h := range w.holdings[i] {
			got = append(got, NodeStatus{Node: h.Node, Epoch: h.Epoch, State: h.State})
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("at %v, after a calm, %s holds (-ledger +client):\n%s", w.now, p.name, diff)
		}
		// Nobody waits for what is free.
		for _, r := range w.m.s.Partitions[w.m.partition(p.name)].Requests {
			if r.Given != r.Granted {
				t.Fatalf("at %v, after a calm, %+v of %s is granted and not confirmed", w.now, r, p.name)
			}
			for _, a := range w.ledger {
				if r.missing() > 0 && a.Partition == "" && fits(r.Kind, a.Kind) {
					t.Fatalf("at %v %s waits for %+v, and node %d is free", w.now, p.name, r, a.Node)
				}
			}
		}
	}
	for _, p := range w.parts {
		p.dead = false
	}
	for node := range endless { // nobody waits for these to end
		w.fenced[leaseKey{node, w.ledger[node].Epoch}] = true
		if _, err := w.m.Fence(w.now, node, w.ledger[node].Epoch); err != nil {
			t.Fatalf("%v", err)
		}
		w.saveManager(t)
		w.look(t)
	}
	w.calm, w.gone = false, nil
	live := map[leaseKey]bool{}
	for _, a := range w.ledger {
		live[leaseKey{a.Node, a.Epoch}] = true
	}
	forget(w.notices, live, func(k preemptKey) leaseKey { return k.leaseKey })
	forget(w.acks, live, func(k preemptKey) leaseKey { return k.leaseKey })
	same := func(k leaseKey) leaseKey { return k }
	forget(w.back, live, same)
	forget(w.old, live, same)
	forget(w.grants, live, same)
	forget(w.listed, live, same)
	forget(w.renewals, live, same)
}

// forget leaves out what is noted of leases that are over.
func forget[K comparable, V any](m map[K]V, live map[leaseKey]bool, lease func(K) leaseKey) {
	for k := range m {
		if !live[lease(k)] {
			delete(m, k)
		}
	}
}

// served asks, when all has come to rest, whether a live partition waits for a node that
// fairness would give it.
func (w *world) served(t fataler, endless map[int]bool) {
	held := make([]int, len(w.parts))
	for _, a := range w.ledger {
		if a.Partition != "" && a.Preemption == 0 {
			held[w.part(a.Partition)]++
		}
	}
	for i, p := range w.parts {
		if p.dead {
			continue
		}
		for _, r := range w.m.s.Partitions[w.m.partition(p.name)].Requests {
			if r.missing() == 0 || slices.ContainsFunc(w.ledger, func(a Assignment) bool { // it is to get a node of a dead partition
				return a.Preemption > 0 && endless[a.Node] && fits(r.Kind, a.Kind)
			}) {
				continue
			}
			for _, a := range w.ledger {
				if a.Partition == "" || a.Preemption > 0 || endless[a.Node] || !fits(r.Kind, a.Kind) {
					continue
				}
				v := w.part(a.Partition)
				if q := w.parts[v]; v != i && held[v] > q.floor && (held[v]-1)*p.weight >= (held[i]+1)*q.weight {
					t.Fatalf("at %v, after a calm, %s waits for %+v, and %s, dead %v, keeps node %d; nodes held: %v", w.now, p.name, r, q.name, q.dead, a.Node, held)
				}
			}
		}
	}
}

var simKinds = []string{"cpu", "cpu", "cpu+ib", "cpu", "gpu", "cpu", "gpu+ib", ""}

var simOptions = ManagerOptions{Grace: 2 * time.Minute, Term: 6 * time.Minute, Skew: time.Second, MaxAge: 3 * time.Minute, MaxDelay: 4 * time.Minute}

// A million steps under faults, and less with other options and with forged messages.
// Everything that is interesting happens often.
func TestUnderFaults(t *testing.T) {
	t.Run("short terms", func(t *testing.T) { simulate(t, 7, 1_000_000, simOptions, false) })
	t.Run("forged messages", func(t *testing.T) { simulate(t, 10, 200_000, simOptions, true) })
	t.Run("prepared nodes", func(t *testing.T) {
		opts := simOptions
		opts.Prepare = true
		simulate(t, 9, 250_000, opts, false)
	})
	t.Run("default", func(t *testing.T) { simulate(t, 8, 350_000, ManagerOptions{}, false) })
}

func simulate(t *testing.T, seed uint64, total int, opts ManagerOptions, forge bool) {
	rng := rand.New(rand.NewPCG(seed, 1))
	w := newWorld(t, rng.IntN, opts, simKinds)
	w.forge = forge
	start := time.Now()
	if testing.Short() {
		total /= 10
	}
	for w.counts.Steps < total {
		for k := range 10_000 {
			w.step(t)
			if k%50 == 0 && !w.down {
				w.derived(t)
				w.idle(t)
				w.punctual(t, w.parts[w.pick(len(w.parts))])
			}
		}
		w.settle(t)
	}
	s := w.m.Stats()
	t.Logf("seed %d: %v of simulated time, %d messages, %.0f steps/s\n%+v\n%+v",
		seed, w.now.Round(time.Minute), w.sent, float64(w.counts.Steps)/time.Since(start).Seconds(), w.counts, s)
	least := total / 50_000
	if opts == (ManagerOptions{}) {
		least = total / 100_000 // some take longer
	}
	c := w.counts
	if forge && c.Forged < total/100 {
		t.Errorf("only %d forged messages", c.Forged)
	}
	for name, n := range map[string]int{
		"granted": s.Granted, "returned": s.Returned, "completed": s.Completed, "withdrawn": s.Withdrawn, "fenced": s.Fenced,
		"cancelled": s.Cancelled, "delayed": s.Delayed, "aborted": s.Aborted, "lost": c.Lost, "doubled": c.Doubled,
		"crashes of the manager": c.CrashManager, "of clients": c.CrashClient, "within a grace period": c.InGrace, "while sending": c.CutByCrash,
		"grants after loss": c.GrantsAfterLoss, "refused": c.Refused, "unsure": c.Unsure,
		"late grants": c.LateGrants, "late notices": c.LateNotices, "late returns": c.LateReturns,
		"changes of terms": c.Terms, "dead partitions": c.Dead, "preemptions of the silent": c.OfTheSilent,
		"records": w.records, "resets": 40 * c.Reset, "messages of clients that were reset": c.OfTheReset,
	} {
		if n < least {
			t.Errorf("%s: only %d times", name, n)
		}
	}
}
