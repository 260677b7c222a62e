package elastic

import (
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/schedule"
	"github.com/plimsoll/plimsoll/schedule/internal/replay"
)

// How a policy is asked, and how its actions are carried out.

// evaluate asks the policy, in rounds.
func (e *Simulator) evaluate() {
	e.res.Evaluations++
	s := &e.snap
	s.Now, s.Again, s.Jobs = e.now, false, e.queue[e.head:]
	for i := range e.places {
		e.settle(i, e.now)
		s.Clouds[i].Refused = 0
		if e.places[i].stopping > 0 {
			e.sweep(i)
		}
	}
	for round := 0; e.err == nil; round++ {
		if round > len(s.Clouds) {
			e.fail(badInput("Policy", -1, ErrRange, "it asks a cloud again that has refused at %v: want each asked once an evaluation", e.now))
			return
		}
		s.Credits = e.left - e.covered
		e.lead()
		e.actions = e.cfg.Policy.AppendActions(e.actions[:0], s)
		if round == 0 && len(e.actions) == 0 {
			if p, ok := e.cfg.Policy.(rester); ok {
				e.enough, e.resting = p.Rests(s)
			}
		}
		e.unlead()
		refused := 0
		for k := 0; k < len(e.actions) && e.err == nil; {
			a := e.actions[k]
			if a.Cloud < 0 || a.Cloud >= len(s.Clouds) || s.Clouds[a.Cloud].Fixed {
				e.fail(badInput("Policy", -1, ErrRange, "at %v it launches or terminates instances at %d, where none can be rented", e.now, a.Cloud))
				return
			}
			if a.Launch {
				refused += e.launch(a, round)
				k++
			} else {
				k += e.terminate(e.actions[k:], round)
			}
		}
		if refused == 0 {
			return
		}
		s.Again = true
	}
}

// A rester is a policy that says when it need not be asked, see [Policy].
type rester interface {
	Rests(s *Snapshot) (credits pricing.Money, rests bool)
}

// lead shows charges earlier, see Options.Lead, and unlead shows them as they are.
func (e *Simulator) lead() {
	if e.cfg.Lead == 0 {
		return
	}
	e.dues = e.dues[:0]
	for i := range e.snap.Clouds {
		for k := range e.snap.Clouds[i].Instances {
			in := &e.snap.Clouds[i].Instances[k]
			e.dues = append(e.dues, in.Due)
			if in.Due == schedule.Never {
				continue
			}
			if in.Due -= e.cfg.Lead; in.Due < e.now {
				in.Due += hour
			}
		}
	}
}

func (e *Simulator) unlead() {
	if e.cfg.Lead == 0 {
		return
	}
	n := 0
	for i := range e.snap.Clouds {
		for k := range e.snap.Clouds[i].Instances {
			e.snap.Clouds[i].Instances[k].Due = e.dues[n]
			n++
		}
	}
}

// sweep removes the instances of a cloud that are gone.
func (e *Simulator) sweep(i int) {
	p, c := &e.places[i], &e.snap.Clouds[i]
	w := 0
	for k := range c.Instances {
		if in := c.Instances[k]; in.State != Stopping || in.Ready > e.now {
			c.Instances[w], p.job[w] = in, p.job[k]
			w++
		}
	}
	p.stopping -= len(c.Instances) - w
	c.Instances, p.job = c.Instances[:w], p.job[:w]
}

// launch asks a cloud for instances and returns how many it refuses.
func (e *Simulator) launch(a Action, round int) int {
	p, c, r := &e.places[a.Cloud], &e.snap.Clouds[a.Cloud], &e.res.Infrastructures[a.Cloud]
	limit := c.Limit
	if limit == NoLimit {
		limit = replay.MaxHeld
	}
	if a.Count <= 0 || a.Count > limit-len(c.Instances) {
		e.fail(badInput("Policy", -1, ErrRange, "at %v it launches %d instances in cloud %d, which has %d of at most %d", e.now, a.Count, a.Cloud, len(c.Instances), limit))
		return 0
	}
	if cost, err := c.Price.Mul(int64(a.Count)); err != nil || cost > 0 && cost > e.left-e.covered+e.cfg.Budget.Debt {
		e.fail(badInput("Policy", -1, ErrRange, "at %v it launches %d instances in cloud %d at %v, with %v left and a debt of %v", e.now, a.Count, a.Cloud, c.Price, e.left-e.covered, e.cfg.Budget.Debt))
		return 0
	}
	granted := a.Count
	switch {
	case p.reject == 0:
	case p.reject == 1:
		granted = 0
	case e.cfg.RejectWhole:
		if e.rng.Float64() < p.reject {
			granted = 0
		}
	default:
		for range a.Count {
			if e.rng.Float64() < p.reject {
				granted--
			}
		}
	}
	due := e.now + hour
	for range granted {
		boot := p.boot.draw(e.rng)
		c.Instances = append(c.Instances, Instance{ID: e.ids, State: Booting, Due: due, Ready: e.now + boot})
		p.job = append(p.job, -1)
		e.events.Push(e.now+boot, replay.Order(replay.Booted, int64(a.Cloud)<<cloudShift|int64(e.ids)))
		e.ids++
	}
	if granted > 0 {
		p.due = min(p.due, due)
		e.pay(a.Cloud, granted)
		if c.Price > 0 {
			e.res.LowestLaunch = min(e.res.LowestLaunch, e.left)
		}
	}
	refused := a.Count - granted
	c.Refused += refused
	r.Launched += granted
	r.Refused += refused
	r.Peak = max(r.Peak, len(c.Instances))
	e.decide(Decision{Round: round, Launch: a.Launch, Cloud: a.Cloud, Count: a.Count, Refused: refused, Reason: a.Reason})
	return refused
}

// terminate carries out the first of the actions and those after it of the same
// kind, and returns how many.
func (e *Simulator) terminate(actions []Action, round int) int {
	a := actions[0]
	n := 0
	for n < len(actions) && actions[n].Launch == a.Launch && actions[n].Cloud == a.Cloud && actions[n].Reason == a.Reason {
		k, in := actions[n].Instance, e.snap.Clouds[a.Cloud].Instances
		if k < 0 || k >= len(in) || in[k].State != Idle {
			e.fail(badInput("Policy", -1, ErrRange, "at %v it terminates instance %d in cloud %d, which is not idle", e.now, k, a.Cloud))
			return n + 1
		}
		e.stop(a.Cloud, k)
		n++
	}
	e.decide(Decision{Round: round, Launch: a.Launch, Cloud: a.Cloud, Count: n, Reason: a.Reason})
	return n
}

// stop terminates an instance that is idle or boots.
func (e *Simulator) stop(cloud, k int) {
	e.wake()
	p := &e.places[cloud]
	in := &e.snap.Clouds[cloud].Instances[k]
	if in.State == Idle {
		p.idle--
	}
	gone := e.now + p.stop.draw(e.rng)
	charged := e.now
	if p.release != nil {
		charged += p.release.draw(e.rng)
	}
	if charged <= in.Due {
		in.Due = schedule.Never
	}
	in.State, in.Ready = Stopping, max(gone, charged)
	p.stopping++
}

// decide records a decision.
func (e *Simulator) decide(d Decision) {
	if !e.cfg.Decisions {
		return
	}
	d.At, d.Jobs, d.Cores, d.Credits = e.now, len(e.queue)-e.head, e.cores, e.left
	e.res.Decisions = append(e.res.Decisions, d)
}
