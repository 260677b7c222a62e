package manager

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/examples/services/slurm/internal/slurmctl"
	"github.com/plimsoll/plimsoll/placement"
	"github.com/plimsoll/plimsoll/schedule"
)

// exclude notes jobs that are larger than the cluster can be, or can be now.
func (m *Manager) exclude(_ context.Context, s *sight) error {
	for _, j := range s.tooLarge {
		if m.state.excluded[j.ID] {
			continue
		}
		text := fmt.Sprintf("it needs %d nodes, and the cluster can have %d: it waits for ever unless it is changed or cancelled", j.Nodes, s.full)
		if j.Nodes <= s.full {
			var names []string
			for _, n := range m.o.Nodes {
				if s.closed[n] != "" {
					names = append(names, n)
				}
			}
			text = fmt.Sprintf("it needs %d nodes in one place, and can have %d, since instances cannot use %s: it waits until they can", j.Nodes, s.most,
				strings.Join(names, ", "))
		}
		if err := m.write(Entry{Kind: Excluded, Job: j.ID, Reason: text}); err != nil {
			return err
		}
	}
	return nil
}

// strangers notes nodes that are up although no instance of the journal has them: they
// count as nodes that are there, and are not touched. They may be another journal's, one
// that is lost, and then nobody gives them back. It notes nodes that somebody else has
// drained, too: nothing is rented there. What has an instance there stays.
func (m *Manager) strangers(_ context.Context, s *sight) error {
	for _, n := range m.o.Nodes {
		var err error
		switch node := s.nodes[n]; {
		case node != nil && node.Has("DRAIN") && node.Reason != drained:
			err = fmt.Errorf("%s: no job gets it, and no instance is rented for it until it is resumed", s.closed[n])
		case slices.Contains(s.strange, n):
			err = errors.New("it is up, and no instance of the journal has it: it is left alone, and jobs may run there")
		}
		if _, err := m.outcome("looking at nodes", n, "", err); err != nil {
			return err
		}
	}
	return nil
}

// arrivals notes instances whose nodes are up, and those that do not come up, or not again.
func (m *Manager) arrivals(_ context.Context, s *sight) error {
	for _, l := range s.booting {
		n := s.nodes[l.Node]
		switch {
		case l.phase == up && (n == nil || n.Working() || n.Has("DRAIN")):
			l.lost = 0 // an administrator may have drained it
		case l.phase == up && l.lost == 0:
			l.lost = max(1, s.now)
		case l.phase == up && s.now-l.lost > m.o.BootLimit:
			if err := m.note(l, Leaving, "its node has not been up for %v", m.o.BootLimit); err != nil {
				return err
			}
			m.look = true
		case l.phase != rented:
		case n != nil && n.Up():
			if err := m.note(l, Up, ""); err != nil {
				return err
			}
			m.pass = true
		case s.now-l.asked > m.o.BootLimit:
			if err := m.note(l, Leaving, "its node is not up %v after it was asked for", m.o.BootLimit); err != nil {
				return err
			}
			m.look = true
		}
	}
	// Instances that have arrived are idle for what follows.
	boot := s.booting[:0:0]
	for _, l := range s.booting {
		switch n := s.nodes[l.Node]; {
		case l.phase == up && n != nil && n.Up() && !n.Working():
			s.idle = append(s.idle, l)
		case l.phase == leaving:
			s.leaving = append(s.leaving, l)
		default:
			boot = append(boot, l)
		}
	}
	s.booting = boot
	return nil
}

// due returns when the next charge of an instance falls, now or later.
func (m *Manager) due(l *lease, now time.Duration) time.Duration {
	start := m.clock.At(l.Created)
	return start + m.o.Meter.NextCharge(max(0, now-start))
}

// grow decides, if there is reason to, and asks for instances.
func (m *Manager) grow(ctx context.Context, s *sight) error {
	grow := m.look && s.now >= m.closed
	if !grow && !m.pass {
		return nil
	}
	v := &m.shown
	*v = schedule.Snapshot{Now: s.now, Idle: len(s.idle) + s.fixed, Running: s.runners, Booting: v.Booting[:0], Waiting: v.Waiting[:0], Until: m.until}
	for _, l := range s.booting {
		at := l.asked + m.o.Boot
		if l.phase == up || at <= s.now { // its node is not up just now, or is late
			at = s.now + slack
		}
		v.Booting = append(v.Booting, at)
	}
	for _, q := range s.waiting {
		v.Waiting = append(v.Waiting, q.job)
	}
	m.scaler.Most = s.most
	if m.o.Most > 0 {
		m.scaler.Most = min(s.most, m.o.Most)
	}
	starts, view := m.scaler.Predict(v)
	d := m.scaler.Decide(nil, &view)
	top := view.Top
	top.ID %= taskUnit
	for _, id := range early(v.Waiting, starts) {
		if j := m.jobs[id%taskUnit]; j.Tasks > 1 {
			continue // its other tasks would start before their turn, too
		}
		if err := m.promote(ctx, id); err != nil {
			return err
		}
	}
	m.pass = false
	if !grow {
		return nil
	}
	m.look = d.Cause == schedule.CausePause // then again, until the pause is over
	if d.Grow == 0 {
		return nil
	}
	m.until = d.Until
	names := m.free(s)
	why := fmt.Sprintf("job %d, which needs %d, would start ", top.ID, top.Nodes)
	switch {
	case d.Cause == schedule.CauseLeast:
		why = fmt.Sprintf("%d nodes are fewer than the least, %d", view.Nodes, m.scaler.Least)
	case view.Start == schedule.Never:
		why += "never"
	default:
		why += fmt.Sprintf("%v after its submission", (view.Start - top.Submit).Round(time.Second))
	}
	for _, name := range names[:min(d.Grow, len(names))] {
		token := m.state.begin.Cluster + "-" + strconv.Itoa(m.state.entries) + "-" + name
		err := m.write(Entry{Kind: Asking, Token: token, Node: name, Job: top.ID,
			Reason: fmt.Sprintf("%d more: %s", d.Grow, why)})
		if err != nil {
			return err
		}
		l := m.state.byToken[token]
		l.doubt = false
		m.ask(l)
	}
	return nil
}

// free returns the names that no instance has, and whose nodes are down. A name is not
// used again before the provider's list has confirmed that its instance has ended:
// two daemons of one node would take each other's jobs.
func (m *Manager) free(s *sight) []string {
	taken := map[string]bool{}
	for _, l := range m.state.leases {
		if !l.ended {
			taken[l.Node] = true
		}
	}
	var names []string
	for _, n := range m.o.Nodes {
		if node := s.nodes[n]; !taken[n] && m.foreign[n] == "" && node != nil && !node.Up() && !node.Working() && !node.Has("DRAIN") {
			names = append(names, n)
		}
	}
	return names
}

// above is the priority of jobs that start before their turn: more than Slurm gives by
// itself.
const above = 4_294_950_000

// promote lets a job start before its turn.
func (m *Manager) promote(ctx context.Context, id int64) error {
	if _, ok := m.state.promoted[id]; ok {
		return nil
	}
	err := m.write(Entry{Kind: Promoted, Job: id, Priority: m.jobs[id].Priority, Reason: "it starts before its turn and delays nobody"})
	if err != nil {
		return err
	}
	_, err = m.outcome("promoting job "+strconv.FormatInt(id, 10), "", "", m.slurm.Promote(ctx, id, above))
	return err
}

// weigh sets the weights of nodes by the order in which jobs are to get them. Those
// that have a job are among them, as if it ended now: Slurm may give them to the next
// job before the manager has seen that one end.
func (m *Manager) weigh(ctx context.Context, s *sight) error {
	for _, l := range s.busy {
		delete(m.idleSince, l.Token)
	}
	var list []*lease
	var idle []placement.Instance
	now := s.now
	if m.o.Policy != nil {
		now++ // what is charged now is paid for an hour more when the next job starts
	}
	for i, l := range m.state.leases {
		boots := m.o.Policy != nil && l.phase == rented // jobs start when it is up, before the next look
		if l.phase != up && !boots {
			continue
		}
		busy := boots || slices.Contains(s.busy, l)
		if !busy && !slices.Contains(s.idle, l) {
			continue
		}
		since, ok := m.idleSince[l.Token]
		if !ok {
			since = s.now
			if !busy {
				m.idleSince[l.Token] = since
			}
		}
		list = append(list, l)
		idle = append(idle, placement.Instance{ID: i, Due: m.due(l, now), Since: since})
	}
	var changed []slurmctl.Weight
	order, first := rank(&m.selector, idle, m.o.Placement), 1
	if m.o.Policy != nil {
		first = 2 // after nodes that are not rented
		if err := m.o.preferred(order, list); err != nil {
			return err
		}
	}
	for i, k := range order {
		if node, weight := list[k].Node, first+i; m.weights[node] != weight {
			changed = append(changed, slurmctl.Weight{Node: node, Weight: weight})
		}
	}
	if len(changed) == 0 {
		return nil
	}
	if ok, err := m.outcome("weighing", "", "", m.slurm.Weigh(ctx, changed)); !ok {
		return err
	}
	for _, w := range changed {
		m.weights[w.Node] = w.Weight
	}
	return nil
}

// release is a release check: with an empty queue, idle instances that would be charged
// before the next check, or while they are given back by that, are drained, and given
// back if no job has taken them.
func (m *Manager) release(ctx context.Context, s *sight) error {
	if s.now < m.check {
		return nil
	}
	m.check = (s.now/m.o.ReleaseEvery + 1) * m.o.ReleaseEvery
	if len(s.waiting) > 0 {
		return nil
	}
	v := schedule.View{Now: s.now, Nodes: len(s.idle) + s.fixed + len(s.booting), Idle: len(s.idle) + s.fixed, Booting: len(s.booting), Until: m.until}
	for _, r := range s.runners {
		v.Nodes += r.Nodes
	}
	for _, l := range s.idle {
		v.Due = append(v.Due, m.due(l, s.now))
	}
	d := m.scaler.Decide(m.released[:0], &v)
	m.released = d.Release
	if len(d.Release) > 0 {
		m.until = d.Until
	}
	for _, i := range d.Release {
		l := s.idle[i]
		if err := m.note(l, Leaving, "idle, and charged again in %v", (v.Due[i] - s.now).Round(time.Second)); err != nil {
			return err
		}
		s.leaving = append(s.leaving, l)
	}
	return m.settle(ctx, s)
}

// settle goes on with instances that leave: their nodes are drained, looked at again,
// and given back or kept. A node that is down is drained, too: its daemon may register
// while the instance is given back, and Slurm would start a job there.
func (m *Manager) settle(ctx context.Context, s *sight) error {
	var ready []*lease
	for _, l := range s.leaving {
		if l.phase != leaving || l.working || s.now < l.retry {
			continue
		}
		if m.another(l) { // the node is another instance's, too
			if n := s.nodes[l.Node]; n != nil && n.Working() {
				continue // it may be this one's daemon that runs the job
			}
		}
		if n := s.nodes[l.Node]; n != nil && !n.Has("DRAIN") {
			if ok, err := m.outcome("draining", l.Node, l.Token, m.slurm.Drain(ctx, l.Node, drained)); err != nil {
				return err
			} else if !ok {
				l.retry = s.now + m.o.RetryEvery
				continue
			}
		}
		ready = append(ready, l)
	}
	if len(ready) == 0 {
		return nil
	}
	// A job may have started just before.
	nodes, err := m.slurm.Nodes(ctx)
	if err != nil {
		return m.failed("reading Slurm", "", "", err)
	}
	for _, l := range ready {
		i := slices.IndexFunc(nodes, func(n slurmctl.Node) bool { return n.Name == l.Node })
		if i >= 0 && nodes[i].Working() {
			if m.another(l) {
				continue // resume gives the node to the other one again
			}
			if err := m.stay(ctx, l); err != nil {
				return err
			}
			continue
		}
		if i >= 0 && !nodes[i].Has("DRAIN") {
			continue // somebody has undrained it: the next step drains it again
		}
		m.giveBack(l)
	}
	return nil
}

// another reports whether another instance has the node of one.
func (m *Manager) another(l *lease) bool {
	return slices.ContainsFunc(m.state.leases, func(x *lease) bool {
		return x != l && x.Node == l.Node && x.phase != gone && x.phase != leaving
	})
}

// stay keeps an instance that was to leave, since a job has its node.
func (m *Manager) stay(ctx context.Context, l *lease) error {
	if err := m.note(l, Staying, "a job has the node"); err != nil {
		return err
	}
	_, err := m.outcome("undraining", l.Node, l.Token, m.slurm.Undrain(ctx, l.Node))
	return err
}

// resume makes nodes ready for the next instance: those whose instance has gone, and
// which are still drained, or not down although it has ended by itself; and those that were drained although their instance stays.
func (m *Manager) resume(ctx context.Context, s *sight) error {
	last := map[string]*lease{}
	ends := map[string]bool{} // an instance of the node
	for _, l := range m.state.leases {
		ends[l.Node] = ends[l.Node] || l.phase == leaving && l.working
		if was := last[l.Node]; was == nil || l.phase != gone && l.phase != leaving || was.phase == gone {
			last[l.Node] = l
		}
	}
	for _, name := range m.o.Nodes {
		n, l := s.nodes[name], last[name]
		if n != nil && n.State != "down" && !n.Has("DRAIN") && l != nil && l.ended && !l.down {
			// The instance has ended without us, and Slurm has not noticed, or waits
			// for it: its jobs can run elsewhere.
			l.down = true
			if _, err := m.outcome("taking down", name, "", m.slurm.Down(ctx, name, drained)); err != nil {
				return err
			}
			continue
		}
		if n == nil || !n.Has("DRAIN") || n.Reason != drained || ends[name] {
			continue
		}
		switch {
		case l == nil || l.phase == gone:
			err := m.slurm.Down(ctx, name, drained)
			if err == nil {
				err = m.slurm.Undrain(ctx, name)
			}
			if ok, err := m.outcome("taking down", name, "", err); err != nil {
				return err
			} else if !ok {
				continue
			}
			n.Flags = slices.DeleteFunc(n.Flags, func(f string) bool { return f == "DRAIN" })
			n.State = "down"
		case l.phase == up || l.phase == rented || l.phase == asking:
			if _, err := m.outcome("undraining", name, "", m.slurm.Undrain(ctx, name)); err != nil {
				return err
			}
		}
	}
	return nil
}
