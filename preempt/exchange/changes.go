package exchange

import (
	"encoding/binary"
	"encoding/json"
	"iter"
	"math"
	"slices"
	"time"
)

// What has changed of a node since ChangesSaved.
const (
	changedLease uint8 = 1 << iota
	changedUntil
	changedValue
	changedPreemption
	changedNext
	sameUntil // Until is that of the node before in the same record
)

// changes notes what has changed since ChangesSaved.
type changes struct {
	nodes      []int32
	what       []uint8 // of each node
	partitions []int32
	partition  []bool
	options    bool
	stats      ManagerStats // as saved
}

// touch notes a change of a node.
func (m *Manager) touch(i int, what uint8) {
	c := &m.changes
	if c.what[i] == 0 {
		c.nodes = append(c.nodes, int32(i))
	}
	c.what[i] |= what
}

// touchPartition notes a change of a partition.
func (m *Manager) touchPartition(p int) {
	c := &m.changes
	for len(c.partition) <= p {
		c.partition = append(c.partition, false)
	}
	if !c.partition[p] {
		c.partition[p] = true
		c.partitions = append(c.partitions, int32(p))
	}
}

// AppendChanges appends a record of what has changed since the last [Manager.ChangesSaved],
// or since the manager was new or restored, to dst. Nothing is appended if nothing has
// changed that must be saved. A state (json.Marshal) and the records that follow, in order,
// give the manager again: see [Manager.Restore]. A record takes about 10 bytes for each
// lease that is renewed with a new value, and 40 for a node that changes hands. Time:
// O(c log c) for c changes.
func (m *Manager) AppendChanges(dst []byte) []byte {
	c := &m.changes
	if len(c.nodes) == 0 && len(c.partitions) == 0 && !c.options && c.stats == m.s.Stats {
		return dst
	}
	dst = append(dst, 1) // version
	dst = binary.AppendUvarint(dst, uint64(m.s.Now))
	dst = binary.AppendUvarint(dst, m.s.Preemption)
	for _, n := range m.s.Stats.list() {
		dst = binary.AppendUvarint(dst, uint64(*n))
	}
	var options []byte
	if c.options {
		options, _ = json.Marshal(&m.s.Options) // of numbers and booleans: it does not fail
	}
	dst = appendBytes(dst, options)
	dst = binary.AppendUvarint(dst, uint64(len(c.partitions)))
	slices.Sort(c.partitions)
	for _, p := range c.partitions {
		dst = binary.AppendUvarint(dst, uint64(p))
		dst = m.s.Partitions[p].append(dst)
	}
	dst = binary.AppendUvarint(dst, uint64(len(c.nodes)))
	slices.Sort(c.nodes)
	at, until := 0, time.Duration(-1)
	for _, i := range c.nodes {
		n := &m.s.Nodes[i]
		what := c.what[i]
		if what&changedUntil != 0 && n.Until == until {
			what |= sameUntil
		}
		dst = binary.AppendUvarint(dst, uint64(int(i)-at))
		dst = append(dst, what)
		dst = n.append(dst, what)
		at = int(i)
		if what&changedUntil != 0 {
			until = n.Until
		}
	}
	return dst
}

// ChangesSaved says that what [Manager.AppendChanges] has appended last, or the state, is
// saved.
func (m *Manager) ChangesSaved() {
	c := &m.changes
	for _, i := range c.nodes {
		c.what[i] = 0
	}
	for _, p := range c.partitions {
		c.partition[p] = false
	}
	c.nodes, c.partitions, c.options, c.stats = c.nodes[:0], c.partitions[:0], false, m.s.Stats
}

// AppendChanged appends the nodes about which something has changed since the last
// [Manager.ChangesSaved] to dst. Leases that were only renewed are among them.
func (m *Manager) AppendChanged(dst []int) []int {
	for _, i := range m.changes.nodes {
		dst = append(dst, int(i))
	}
	return dst
}

// Restore restores the manager from a state that MarshalJSON returned and the records of
// [Manager.AppendChanges] since, in order. It stops at the first error of changes and
// returns that error. Otherwise the error is as that of UnmarshalJSON. After an error the
// manager is unchanged. A nil changes has no record.
func (m *Manager) Restore(state []byte, changes iter.Seq2[[]byte, error]) error {
	s, err := readManager(state)
	if err != nil {
		return err
	}
	if changes == nil {
		changes = func(func([]byte, error) bool) {}
	}
	for record, err := range changes {
		if err != nil {
			return err
		}
		if err := s.apply(record); err != nil {
			return err
		}
	}
	if err := s.check(); err != nil {
		return err
	}
	m.take(s)
	return nil
}

// Clone returns a copy of the manager that shares no memory with m, for example to save the
// copy while m goes on.
func (m *Manager) Clone() *Manager {
	s := m.s
	s.Nodes = slices.Clone(s.Nodes)
	s.Partitions = slices.Clone(s.Partitions)
	for i := range s.Partitions {
		s.Partitions[i].Requests = slices.Clone(s.Partitions[i].Requests)
	}
	c := new(Manager)
	c.take(s)
	c.resumed = m.resumed
	return c
}

func appendBytes[T string | []byte](dst []byte, b T) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(b))), b...)
}

// append appends the fields of a node that have changed.
func (n *nodeState) append(dst []byte, what uint8) []byte {
	if what&(changedLease|changedPreemption) != 0 {
		var flags uint8
		for i, f := range n.flags() {
			if *f {
				flags |= 1 << i
			}
		}
		dst = append(dst, flags)
	}
	if what&changedLease != 0 {
		dst = binary.AppendUvarint(dst, n.Epoch)
		dst = binary.AppendUvarint(dst, uint64(n.Holder+1))
		dst = binary.AppendUvarint(dst, n.Request)
		dst = binary.AppendUvarint(dst, uint64(n.Out))
	}
	if what&(changedUntil|sameUntil) == changedUntil {
		dst = binary.AppendUvarint(dst, uint64(n.Until))
	}
	if what&changedValue != 0 {
		dst = binary.LittleEndian.AppendUint64(dst, math.Float64bits(n.Value))
	}
	if what&changedPreemption != 0 {
		dst = binary.AppendUvarint(dst, n.Preemption)
		dst = binary.AppendUvarint(dst, uint64(n.First))
		dst = binary.AppendUvarint(dst, uint64(n.Grace))
		dst = binary.AppendUvarint(dst, uint64(n.Deadline))
	}
	if what&changedNext != 0 {
		dst = binary.AppendUvarint(dst, uint64(n.Next))
	}
	return dst
}

// flags returns the flags of a node in the order of their bits.
func (n *nodeState) flags() [5]*bool {
	return [...]*bool{&n.Confirmed, &n.Forced, &n.Acked, &n.Unprepared, &n.Orphan}
}

func (p *partitionState) flags() [4]*bool {
	return [...]*bool{&p.HasValues, &p.Delaying, &p.Passed, &p.Removed}
}

// append appends a partition.
func (p *partitionState) append(dst []byte) []byte {
	var flags uint8
	for i, f := range p.flags() {
		if *f {
			flags |= 1 << i
		}
	}
	dst = append(dst, flags)
	dst = appendBytes(dst, p.Name)
	dst = appendBytes(dst, p.Instance)
	for _, n := range []int{p.Weight, p.Floor, p.Reclaim} {
		dst = binary.AppendUvarint(dst, uint64(n))
	}
	dst = binary.AppendUvarint(dst, p.LastAdd)
	dst = binary.AppendUvarint(dst, p.LastValues)
	for _, t := range []time.Duration{p.ValuesAt, p.DelaySince, p.ReclaimAt} {
		dst = binary.AppendVarint(dst, int64(t))
	}
	dst = binary.AppendUvarint(dst, uint64(len(p.Requests)))
	for i := range p.Requests {
		r := &p.Requests[i]
		dst = binary.AppendUvarint(dst, r.ID)
		dst = appendBytes(dst, r.Kind)
		dst = appendBytes(dst, r.Refused)
		for _, n := range []int{r.Count, r.Granted, r.Given} {
			dst = binary.AppendUvarint(dst, uint64(n))
		}
	}
	return dst
}

// list returns the counts in the order of a record.
func (s *ManagerStats) list() [10]*int {
	return [...]*int{&s.Granted, &s.Returned, &s.Preemptions, &s.Completed, &s.Withdrawn, &s.Fenced, &s.Cancelled, &s.Delayed, &s.Aborted, &s.Unknown}
}

// reader reads a record.
type reader struct {
	b   []byte
	bad bool
}

func (r *reader) uint() uint64 {
	v, n := binary.Uvarint(r.b)
	return r.took(v, n)
}

func (r *reader) took(v uint64, n int) uint64 {
	if n <= 0 {
		r.bad, r.b = true, nil
		return 0
	}
	r.b = r.b[n:]
	return v
}

// int reads a number that is not negative and that an int holds.
func (r *reader) int() int { return int(r.upTo(math.MaxInt)) }

func (r *reader) span() time.Duration { return time.Duration(r.upTo(math.MaxInt64)) }

func (r *reader) upTo(most uint64) uint64 {
	v := r.uint()
	if v > most {
		r.bad = true
		return 0
	}
	return v
}

func (r *reader) time() time.Duration {
	v, n := binary.Varint(r.b)
	return time.Duration(r.took(uint64(v), n))
}

func (r *reader) bytes() []byte {
	n := r.int()
	if n > len(r.b) {
		r.bad, r.b = true, nil
		return nil
	}
	b := r.b[:n]
	r.b = r.b[n:]
	return b
}

func (r *reader) byte() uint8 {
	if len(r.b) == 0 {
		r.bad = true
		return 0
	}
	b := r.b[0]
	r.b = r.b[1:]
	return b
}

// count reads how many entries of at least size bytes follow.
func (r *reader) count(size int) int {
	n := r.int()
	if n > len(r.b)/size {
		r.bad, r.b = true, nil
		return 0
	}
	return n
}

// apply changes a state as a record says. The caller checks the state.
func (s *managerState) apply(record []byte) error {
	r := &reader{b: record}
	bad := func() error {
		return badInput("changes", -1, ErrRange, "%d bytes: want a record that AppendChanges appended", len(record))
	}
	if r.byte() != 1 {
		return bad()
	}
	s.Now, s.Preemption = max(s.Now, r.span()), r.uint()
	for _, n := range s.Stats.list() {
		*n = r.int()
	}
	if options := r.bytes(); len(options) > 0 {
		if err := json.Unmarshal(options, &s.Options); err != nil {
			return bad()
		}
	}
	for range r.count(16) {
		p := r.int()
		if p > len(s.Partitions) || r.bad {
			return bad()
		}
		if p == len(s.Partitions) {
			s.Partitions = append(s.Partitions, partitionState{})
		}
		s.Partitions[p].read(r)
	}
	i, until := 0, time.Duration(-1)
	for range r.count(2) {
		i += r.int()
		if i < 0 || i >= len(s.Nodes) || r.bad {
			return bad()
		}
		until = s.Nodes[i].read(r, until)
	}
	if r.bad || len(r.b) > 0 {
		return bad()
	}
	return nil
}

func (p *partitionState) read(r *reader) {
	flags := r.byte()
	for i, f := range p.flags() {
		*f = flags&(1<<i) != 0
	}
	p.Name, p.Instance = string(r.bytes()), string(r.bytes())
	for _, n := range []*int{&p.Weight, &p.Floor, &p.Reclaim} {
		*n = r.int()
	}
	p.LastAdd, p.LastValues = r.uint(), r.uint()
	for _, t := range []*time.Duration{&p.ValuesAt, &p.DelaySince, &p.ReclaimAt} {
		*t = r.time()
	}
	p.Requests = p.Requests[:0]
	for range r.count(6) {
		q := requestState{Request: Request{ID: r.uint(), Kind: string(r.bytes()), Refused: string(r.bytes())}}
		q.Count, q.Granted, q.Given = r.int(), r.int(), r.int()
		p.Requests = append(p.Requests, q)
	}
}

func (n *nodeState) read(r *reader, until time.Duration) time.Duration {
	what := r.byte()
	if what&(changedLease|changedPreemption) != 0 {
		flags := r.byte()
		for i, f := range n.flags() {
			*f = flags&(1<<i) != 0
		}
	}
	if what&changedLease != 0 {
		n.Epoch, n.Holder, n.Request, n.Out = r.uint(), r.int()-1, r.uint(), r.span()
	}
	if what&changedUntil != 0 {
		if what&sameUntil == 0 {
			until = r.span()
		}
		n.Until = until
	}
	if what&changedValue != 0 {
		if len(r.b) < 8 {
			r.bad, r.b = true, nil
			return until
		}
		n.Value = math.Float64frombits(binary.LittleEndian.Uint64(r.b))
		r.b = r.b[8:]
	}
	if what&changedPreemption != 0 {
		n.Preemption, n.First, n.Grace, n.Deadline = r.uint(), r.span(), r.span(), r.span()
	}
	if what&changedNext != 0 {
		n.Next = r.span()
	}
	return until
}
