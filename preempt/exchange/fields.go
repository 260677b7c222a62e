package exchange

import "time"

// decode changes a state as a record says. The caller checks the state.
func (s *managerState) decode(body []byte) error {
	r := &coder{b: body, read: true}
	if s.code(r, &changes{}); !r.whole() {
		return badState()
	}
	return nil
}

// code codes what has changed of a state: of a new one, all.
func (s *managerState) code(c *coder, ch *changes) {
	now := s.Now
	c.span(&s.Now)
	s.Now = max(s.Now, now)
	c.uint(&s.Preemption)
	for _, n := range s.Stats.list() {
		c.int(n)
	}
	options := ch.options
	if c.flags(&options); options {
		s.Options.code(c)
	}
	n := len(ch.partitions)
	c.count(&n, 12)
	for i := range n {
		p := 0
		if !c.read {
			p = int(ch.partitions[i])
		}
		if c.int(&p); c.bad || p > len(s.Partitions) {
			c.fail()
			return
		}
		if p == len(s.Partitions) {
			s.Partitions = append(s.Partitions, partitionState{})
		}
		s.Partitions[p].code(c)
	}
	nodes := len(s.Nodes)
	if c.int(&nodes); c.read && s.Nodes == nil && nodes <= len(c.b)/2 {
		s.Nodes = make([]nodeState, nodes)
	}
	if nodes != len(s.Nodes) {
		c.fail()
		return
	}
	s.codeNodes(c, ch)
}

func (s *managerState) codeNodes(c *coder, ch *changes) {
	n, at, until := len(ch.nodes), 0, time.Duration(-1)
	c.count(&n, 2)
	for i := range n {
		gap, what := 0, uint8(0)
		if !c.read {
			next := int(ch.nodes[i])
			gap, what = next-at, ch.what[next]
			if what&changedUntil != 0 && s.Nodes[next].Until == until {
				what |= sameUntil
			}
		}
		c.int(&gap)
		c.byte(&what)
		if at += gap; at < 0 || at >= len(s.Nodes) || c.bad {
			c.fail()
			return
		}
		s.Nodes[at].code(c, what, &until)
	}
}

// code codes the fields of a node that have changed. until is that of the node before.
func (n *nodeState) code(c *coder, what uint8, until *time.Duration) {
	if what&changedKind != 0 {
		c.text(&n.Kind)
	}
	if what&(changedLease|changedPreemption) != 0 {
		c.flags(&n.Confirmed, &n.Forced, &n.Acked, &n.Unprepared, &n.Orphan)
	}
	if what&changedLease != 0 {
		holder := n.Holder + 1
		c.uint(&n.Epoch)
		c.int(&holder)
		c.uint(&n.Request)
		c.span(&n.Out)
		n.Holder = holder - 1
	}
	if what&changedUntil != 0 {
		if !c.read {
			*until = n.Until
		}
		if what&sameUntil == 0 {
			c.span(until)
		}
		n.Until = *until
	}
	if what&changedValue != 0 {
		c.float(&n.Value)
	}
	if what&changedPreemption != 0 {
		c.uint(&n.Preemption)
		c.span(&n.First)
		c.span(&n.Grace)
		c.span(&n.Deadline)
	}
	if what&changedNext != 0 {
		c.span(&n.Next)
	}
}

func (p *partitionState) code(c *coder) {
	c.flags(&p.HasValues, &p.Delaying, &p.Passed, &p.Removed)
	c.text(&p.Name)
	c.text(&p.Instance)
	for _, n := range []*int{&p.Weight, &p.Floor, &p.Reclaim} {
		c.int(n)
	}
	c.uint(&p.LastAdd)
	c.uint(&p.LastValues)
	for _, t := range []*time.Duration{&p.ValuesAt, &p.DelaySince, &p.ReclaimAt} {
		c.time(t)
	}
	list(c, &p.Requests, 6, func(r *requestState) {
		r.Request.code(c)
		c.int(&r.Given)
	})
}

func (r *Request) code(c *coder) {
	c.uint(&r.ID)
	c.text(&r.Kind)
	c.text(&r.Refused)
	c.int(&r.Count)
	c.int(&r.Granted)
}

func (o *ManagerOptions) code(c *coder) {
	c.flags(&o.TakeStale, &o.Prepare)
	for _, d := range []*time.Duration{&o.Grace, &o.Every, &o.Term, &o.Skew, &o.MaxAge, &o.MaxDelay} {
		c.time(d)
	}
	c.int(&o.MaxPartitions)
	c.int(&o.MaxRequests)
}

// list returns the counts in the order of a record.
func (s *ManagerStats) list() [10]*int {
	return [...]*int{&s.Granted, &s.Returned, &s.Preemptions, &s.Completed, &s.Withdrawn, &s.Fenced, &s.Cancelled, &s.Delayed, &s.Aborted, &s.Unknown}
}

func (s *clientState) code(c *coder) {
	c.text(&s.Partition)
	c.text(&s.Instance)
	c.flags(&s.HasValues)
	for _, d := range []*time.Duration{&s.Every, &s.Now, &s.ValuesAt, &s.NextBeat, &s.NextAdd, &s.NextBack} {
		c.time(d)
	}
	for _, n := range []*uint64{&s.Number, &s.Asked, &s.Queued} {
		c.uint(n)
	}
	list(c, &s.Requests, 5, func(r *Request) { r.code(c) })
	list(c, &s.Leases, 15, func(l *leaseState) { l.code(c) })
	list(c, &s.Listings, 2, func(l *listing) {
		c.uint(&l.Number)
		c.time(&l.Sent)
	})
}

func (l *leaseState) code(c *coder) {
	c.flags(&l.Confirmed, &l.Returned, &l.Draining)
	c.int(&l.Node)
	for _, n := range []*uint64{&l.Epoch, &l.Request, &l.From, &l.Preemption, &l.Known} {
		c.uint(n)
	}
	c.float(&l.Value)
	for _, d := range []*time.Duration{&l.Valid, &l.First, &l.Grace} {
		c.time(d)
	}
}
