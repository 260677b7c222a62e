package schedule

// The policies that launch for all that waits, OD and OD++ ([Marshall12] section
// III.A).
//
// Counting. Each waiting job, in the queue's order, is found a place in one
// infrastructure: where enough instances are idle or boot already, or else in
// the cheapest cloud that can launch what is missing. What is free in one
// infrastructure so serves the jobs there, whoever it was launched for, but a
// job is not counted on instances of two, which could not run it. A job that
// fits nowhere gets as many instances as limits and credits allow, towards the
// next evaluation, unless WholeJobs is set.
//
// With Pooled, cores are only counted: the sum over the queue less all that is
// idle or boots anywhere. That launches no more, often less, and a wide job can
// then wait although "enough" is free in two places.

// OD launches, at each evaluation, the instances that the waiting jobs need and
// that are not free already, in the cheapest cloud first, as far as limits and
// credits go. It terminates all idle instances as soon as no job waits
// ([Marshall12] section III.A, on-demand). What a cloud refuses it asks of the
// next, in the second round of the evaluation.
//
// The zero value is ready and remembers nothing. Time: O(jobs·clouds +
// instances).
type OD struct {
	Pooled    bool // count cores over all infrastructures together
	WholeJobs bool // launch nothing for a job that cannot have all it needs now
	KeepFree  bool // keep idle instances of clouds without a price

	draft Draft
}

// String returns "OD".
func (p *OD) String() string { return "OD" }

// AppendActions implements [Policy].
func (p *OD) AppendActions(dst []Action, s *Snapshot) []Action {
	d := &p.draft
	d.Reset(dst, s)
	d.serveQueue(p.Pooled, p.WholeJobs)
	if len(s.Jobs) == 0 && !s.Again {
		d.TerminateIdle(p.KeepFree, QueueEmpty)
	}
	return d.Actions()
}

// ODPlus is OD++: it launches as [OD] does, and keeps idle instances as long as
// they are paid for. It terminates those that would be charged before the next
// evaluation ([Marshall12] section III.A, on-demand++), unless a waiting job is
// counted on them.
//
// The zero value is ready and remembers nothing. Time: O(jobs·clouds +
// instances).
type ODPlus struct {
	Pooled    bool // as in OD
	WholeJobs bool // as in OD
	KeepFree  bool // as in OD

	draft Draft
}

// String returns "OD++".
func (p *ODPlus) String() string { return "OD++" }

// AppendActions implements [Policy].
func (p *ODPlus) AppendActions(dst []Action, s *Snapshot) []Action {
	d := &p.draft
	d.Reset(dst, s)
	d.serveQueue(p.Pooled, p.WholeJobs)
	if !s.Again {
		d.TerminateDue(p.KeepFree, ChargeDue)
	}
	return d.Actions()
}

// serveQueue launches for all waiting jobs.
func (d *Draft) serveQueue(pooled, wholeJobs bool) {
	why := QueueNeeds
	if d.s.Again {
		why = AfterRefuse
	}
	if pooled {
		d.servePooled(why)
		return
	}
	for i := range d.s.Jobs {
		if n := d.s.Jobs[i].Nodes; !d.Serve(n, d.clouds, why) && !wholeJobs {
			d.ServePart(n, d.clouds, why)
		}
	}
}

// servePooled launches for the sum of all waiting jobs and takes that many
// instances, wherever they are.
func (d *Draft) servePooled(why Reason) {
	need := 0
	for i := range d.s.Jobs {
		need += d.s.Jobs[i].Nodes
	}
	for _, c := range d.all {
		n := min(need, d.books[c].spare)
		d.books[c].spare -= n
		need -= n
	}
	for _, c := range d.clouds {
		n := d.Launch(c, need, why)
		d.books[c].spare -= n
		need -= n
	}
}
