package partition

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/examples/services/slurm/internal/slurmctl"
	"github.com/plimsoll/plimsoll/preempt"
)

// A Policy says how nodes get their values.
type Policy int

const (
	// Exact: the victims that waste least, by users' estimates.
	Exact Policy = iota
	// ExactPlus: the same, weighed with priorities.
	ExactPlus
	// Survival: the same as Exact, by how long earlier jobs of each user ran.
	Survival
	// The policies of package preempt: the first is Random.
	ranked
)

var policyNames = []string{"exact", "exact+", "survival"}

// ParsePolicy reads the name of a policy.
func ParsePolicy(name string) (Policy, error) {
	if p := slices.Index(policyNames, name); p >= 0 {
		return Policy(p), nil
	}
	var p preempt.Policy
	if err := p.UnmarshalText([]byte(name)); err != nil {
		return 0, fmt.Errorf("%q: want exact, exact+, survival, random, blind, fifo, lifo, pap or pap+", name)
	}
	return ranked + Policy(p), nil
}

// String returns the name of a policy.
func (p Policy) String() string {
	if p < ranked {
		return policyNames[p]
	}
	return preempt.Policy(p - ranked).String()
}

// A judge gives nodes their values.
type judge struct {
	survival  preempt.Survival
	estimates preempt.Estimates
	learnt    map[int64]time.Time // starts of jobs that have ended and are learnt
	users     []int               // of the jobs of the state
	random    *rand.Rand
}

// judgeTo fills a vector with the values of the nodes of a state.
func (a *Agent) judgeTo(vector []float64, st preempt.State) error {
	if p := a.o.Policy; p >= ranked {
		return a.scorer.ValuesTo(vector, st, preempt.Policy(p-ranked), preempt.ValueOptions{Rand: a.judge.random, Grace: a.o.Grace})
	}
	take := a.o.Take
	if take == 0 {
		take = len(vector) / 2
	}
	p := preempt.Preemption{Take: min(take, len(vector)), Grace: a.o.Grace, Outlast: make([]float64, len(st.Jobs))}
	p.ByPriority = a.o.Policy == ExactPlus
	switch {
	case a.o.Policy == Survival:
		a.judge.survival.OutlastTo(p.Outlast, st.Jobs, a.judge.users, p.Grace)
	case a.o.Raw:
		preempt.RequestedTo(p.Outlast, st.Jobs, p.Grace)
	default:
		a.judge.estimates.OutlastTo(p.Outlast, st.Jobs, a.judge.users, p.Grace)
	}
	victims, err := a.solver.AppendVictims(nil, st, p)
	if err != nil {
		return err
	}
	return a.scorer.VectorTo(vector, st, victims, 0)
}

// learn learns from jobs that have ended and that Slurm still shows. What an agent before this
// one learnt is lost, but for the jobs of the last minutes.
func (a *Agent) learn(jobs []slurmctl.Job) {
	shown := map[int64]time.Time{}
	for i := range jobs {
		j := &jobs[i]
		if j.Start.IsZero() || j.End.IsZero() || j.End.Before(j.Start) {
			continue
		}
		shown[j.ID] = j.Start
		if a.judge.learnt[j.ID].Equal(j.Start) {
			continue
		}
		n, ran := a.note(j), j.End.Sub(j.Start)
		switch whole := ran + n.Resumed; j.State {
		case "COMPLETED", "FAILED", "TIMEOUT", "OUT_OF_MEMORY", "DEADLINE":
			a.judge.survival.Observe(int(j.User), whole)
			a.judge.estimates.Observe(int(j.User), n.estimate, ran)
		default:
			a.judge.survival.ObserveKilled(int(j.User), whole)
			a.judge.estimates.ObserveKilled(int(j.User), n.estimate, ran)
		}
	}
	a.judge.learnt = shown
	there := map[int64]bool{}
	for i := range jobs {
		there[jobs[i].ID] = true
	}
	for id := range a.asked {
		if !there[id] {
			delete(a.asked, id)
		}
	}
	for id := range a.odd {
		if !there[id] {
			delete(a.odd, id)
		}
	}
}

// priority returns what the waste of a job counts.
func (a *Agent) priority(j *slurmctl.Job) int {
	p := 1
	if j.QOS != "" {
		p = max(p, a.o.Priorities["qos:"+j.QOS])
	}
	for _, name := range j.Parts {
		p = max(p, a.o.Priorities["partition:"+name])
	}
	return p
}

// CheckPriority is an error unless a name can be a key of Options.Priorities.
func CheckPriority(name string) error {
	kind, rest, _ := strings.Cut(name, ":")
	if kind != "qos" && kind != "partition" || rest == "" {
		return fmt.Errorf("%q: want qos:NAME or partition:NAME", name)
	}
	return nil
}
