package manager

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/examples/services/slurm/internal/slurmctl"
	"github.com/plimsoll/plimsoll/schedule"
)

// A sight is Slurm at a moment, with the manager's leases.
type sight struct {
	now      time.Duration
	waiting  []*queued
	runs     []slurmctl.Job
	nodes    map[string]*slurmctl.Node
	idle     []*lease
	busy     []*lease
	booting  []*lease
	leaving  []*lease
	fixed    int                      // idle nodes that are not rented
	most     int                      // nodes that a job can have
	full     int                      // and if all nodes were usable
	others   []string                 // nodes that are up and that no instance can have
	ends     map[string]time.Duration // of nodes with jobs: when the last of the jobs ends by its estimate
	strange  []string                 // nodes that are up, and that nothing in the journal stands for
	closed   map[string]string        // nodes of Options.Nodes that no job gets from an instance, with why
	runners  []schedule.Allocation    // jobs that have nodes, at least until their End
	tooLarge []slurmctl.Job
	unknown  error
}

func (s *sight) status(m *Manager) Status {
	st := Status{Now: s.now, Waiting: len(s.waiting), Running: len(s.runs), Idle: len(s.idle), Busy: len(s.busy),
		Booting: len(s.booting), Leaves: len(s.leaving)}
	for _, q := range s.waiting {
		st.WaitingNodes += q.job.Nodes
	}
	return st
}

// slack is how much longer a job is taken to run than it was to, and an instance to
// boot, once that time is over.
const slack = time.Minute

// forEver is the estimate of a job without a limit.
const forEver = 365 * 24 * time.Hour

// see makes a sight of what Slurm says, and notes what has changed.
func (m *Manager) see(jobs []slurmctl.Job, nodes []slurmctl.Node) *sight {
	s := &sight{now: m.clock.Now(), nodes: map[string]*slurmctl.Node{}, ends: map[string]time.Duration{}}
	for i := range nodes {
		s.nodes[nodes[i].Name] = &nodes[i]
	}
	elastic := map[string]bool{}
	var missing []string
	for _, n := range m.o.Nodes {
		elastic[n] = true
		if s.nodes[n] == nil {
			missing = append(missing, n)
		}
	}
	if len(missing) > 0 {
		s.unknown = fmt.Errorf("%w: %s", slurmctl.ErrUnknownNode, strings.Join(missing, ", "))
	}
	ours := map[string]bool{} // nodes that an instance has, or had until a short while ago
	for _, l := range m.state.leases {
		ours[l.Node] = ours[l.Node] || !l.ended
	}
	s.closed = map[string]string{}
	for _, name := range m.o.Nodes {
		n := s.nodes[name]
		switch {
		case n == nil:
			s.closed[name] = "Slurm does not know it"
		case n.Has("DRAIN") && n.Reason != drained:
			s.closed[name] = fmt.Sprintf("it is drained (%s)", n.Reason)
		case !ours[name] && m.foreign[name] != "":
			s.closed[name] = "it has the instance " + m.foreign[name] + " of another journal"
		case !ours[name] && n.Up():
			s.closed[name] = "it is up, and no instance of the journal has it"
		}
	}
	usable := map[string]bool{} // nodes whose jobs count
	for i := range nodes {
		n := &nodes[i]
		if ours[n.Name] || !n.Up() {
			continue
		}
		usable[n.Name] = true
		if !n.Working() {
			s.fixed++
		}
		if elastic[n.Name] {
			s.strange = append(s.strange, n.Name)
		} else {
			s.others = append(s.others, n.Name)
		}
	}
	for _, l := range m.state.leases {
		n := s.nodes[l.Node]
		switch {
		case l.phase == gone:
		case l.phase == leaving:
			s.leaving = append(s.leaving, l)
		case l.phase == up && n != nil && n.Up() && n.Working():
			usable[l.Node], l.lost = true, 0
			s.busy = append(s.busy, l)
		case l.phase == up && n != nil && n.Up():
			usable[l.Node], l.lost = true, 0
			s.idle = append(s.idle, l)
		default:
			s.booting = append(s.booting, l)
		}
	}
	m.seeJobs(s, jobs, usable, len(elastic))
	return s
}

// open returns how many nodes of a cloud are not closed.
func (s *sight) open(c *Cloud) int {
	n := 0
	for _, name := range c.Nodes {
		if s.closed[name] == "" {
			n++
		}
	}
	return n
}

func (m *Manager) seeJobs(s *sight, jobs []slurmctl.Job, usable map[string]bool, elastic int) {
	most := elastic
	for name := range s.nodes {
		if !slices.Contains(m.o.Nodes, name) && usable[name] {
			most++
		}
	}
	s.full = most
	if m.o.Policy != nil { // a job runs in one infrastructure
		most, s.full = len(s.others), len(s.others)
		for i := range m.o.Clouds {
			most = max(most, s.open(&m.o.Clouds[i]))
			s.full = max(s.full, len(m.o.Clouds[i].Nodes))
		}
	}
	s.most = most
	before := m.jobs
	m.jobs = make(map[int64]slurmctl.Job, len(jobs))
	for _, j := range jobs {
		m.jobs[j.ID] = j
		was, known := before[j.ID]
		if !known || was.Waits() != j.Waits() || was.Holds() != j.Holds() {
			// It arrived, came back or ended. A start alone is no reason to look.
			if j.Waits() || !j.Holds() {
				m.look = true
			}
		}
		switch {
		case j.Waits() && j.Nodes > most:
			s.tooLarge = append(s.tooLarge, j)
		case j.Waits() && j.Priority > 0 && !blocked(j.Reason) && !m.clock.Real().Before(j.Eligible.Add(-time.Second)):
			priority := j.Priority
			if p, ok := m.state.promoted[j.ID]; ok {
				priority = p
			}
			for task := range min(m.tasks(&j, jobs), most) { // no more can run at once
				s.waiting = append(s.waiting, &queued{schedule.Job{ID: j.ID + int64(task)*taskUnit, User: int(j.User),
					Submit: max(0, m.clock.At(j.Submit)), Estimate: m.estimate(&j), Nodes: j.Nodes}, priority})
			}
		case j.Holds():
			s.runs = append(s.runs, j)
		}
	}
	slices.SortFunc(s.waiting, queueOrder)
	for id := range m.started {
		if j := m.jobs[id]; !j.Holds() {
			delete(m.started, id)
		}
	}
	for i := range s.runs {
		j := &s.runs[i]
		if _, ok := m.started[j.ID]; !ok {
			// Slurm says in which second; it was not after it was seen.
			first := m.clock.At(j.Start)
			m.started[j.ID] = max(first, min(s.now, first+m.clock.Scaled(time.Second)))
		}
		end := m.started[j.ID] + m.estimate(j)
		if end <= s.now || j.State == "COMPLETING" {
			end = s.now + slack
		}
		for _, name := range j.Names {
			s.ends[name] = max(s.ends[name], end)
		}
		s.runners = append(s.runners, s.until(j.ID, 0, end))
	}
	// A node that several jobs share counts for the one that ends last.
	order := make([]int, len(s.runs))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return int(min(1, max(-1, s.runners[b].Estimate-s.runners[a].Estimate)))
	})
	for _, i := range order {
		for _, name := range s.runs[i].Names {
			if usable[name] {
				usable[name] = false
				s.runners[i].Nodes++
			}
		}
	}
	// A node may still be working for a job that is not listed.
	for _, l := range s.busy {
		if usable[l.Node] {
			s.runners = append(s.runners, s.until(-1, 1, s.now+slack))
		}
	}
	s.runners = slices.DeleteFunc(s.runners, func(r schedule.Allocation) bool { return r.Nodes == 0 })
}

// until returns a job that has nodes until a time after now.
func (s *sight) until(id int64, nodes int, end time.Duration) schedule.Allocation {
	return schedule.Allocation{Job: schedule.Job{ID: id, Estimate: end - s.now, Nodes: nodes}, Start: s.now}
}

// taskUnit is between the numbers of two tasks of a job array that wait, which Slurm tells
// of as one job: its numbers have 32 bits.
const taskUnit = 1 << 32

// tasks returns how many tasks of a waiting job could run, 1 but for job arrays.
func (m *Manager) tasks(j *slurmctl.Job, jobs []slurmctl.Job) int {
	n := j.Tasks
	if j.AtOnce > 0 {
		run := 0
		for i := range jobs {
			if jobs[i].Array == j.Array && jobs[i].Holds() {
				run++
			}
		}
		n = min(n, j.AtOnce-run)
	}
	return max(1, n)
}

// blocked reports whether a reason keeps a job from starting however many nodes
// there are: limits of users and accounts, reservations, dependencies and the like. A
// reason that is not known does not.
func blocked(reason string) bool {
	return slices.ContainsFunc(blocking[:], func(prefix string) bool { return strings.HasPrefix(reason, prefix) })
}

// blocking has how those reasons begin, of Slurm 21.08 to 24.05.
var blocking = [...]string{"Dependency", "BeginTime", "JobHeld", "JobHold", "Partition", "Assoc", "QOS", "Reservation", "BadConstraints", "Invalid", "Account",
	"JobArrayTaskLimit", "Licenses", "DeadLine", "FedJobLock", "BurstBuffer", "Prolog", "Cleaning", "FrontEnd", "SystemFailure", "MaxMemPerLimit",
	"MaxRequeue", "SchedDefer"}

// estimateMark, in a job's comment, is followed by its estimate on the scaled clock,
// such as estimate=1h30m: Slurm's limits are whole minutes.
const estimateMark = "estimate="

// estimate returns how long a job is to run at most.
func (m *Manager) estimate(j *slurmctl.Job) time.Duration {
	for _, word := range strings.Fields(j.Comment) {
		if text, ok := strings.CutPrefix(word, estimateMark); ok {
			if d, err := time.ParseDuration(text); err == nil && d > 0 {
				return min(d, forEver)
			}
		}
	}
	if j.Limit <= 0 {
		return forEver
	}
	return min(m.clock.Scaled(j.Limit), forEver)
}
