package elastic_test

import (
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/schedule"
	"github.com/plimsoll/plimsoll/schedule/elastic"
)

// evening is a lab's cluster of 64 cores on a busy evening: all of them run jobs
// until 22:00, three jobs wait, and two clouds can help out, a private one with
// room for 40 and a commercial one. $12 are left of the budget.
func evening() *elastic.Snapshot {
	now := 20 * time.Hour
	local := elastic.Cloud{Fixed: true}
	for range 64 {
		local.Instances = append(local.Instances, elastic.Instance{State: elastic.Busy, Due: schedule.Never, Ready: now + 2*time.Hour})
	}
	private := elastic.Cloud{Limit: 40, Boot: 50 * time.Second}
	commercial := elastic.Cloud{Price: 85 * pricing.Milli, Limit: elastic.NoLimit, Boot: 50 * time.Second}
	// Two instances of an earlier job are idle; one is charged at 20:03.
	for _, due := range []time.Duration{3 * time.Minute, 40 * time.Minute} {
		commercial.Instances = append(commercial.Instances, elastic.Instance{Due: now + due})
	}
	return &elastic.Snapshot{
		Now: now, Every: 5 * time.Minute,
		Jobs: []schedule.Job{
			{ID: 71, Nodes: 32, Submit: now - 4*time.Hour, Estimate: 3 * time.Hour},
			{ID: 72, Nodes: 16, Submit: now - 3*time.Hour, Estimate: time.Hour},
			{ID: 73, Nodes: 64, Submit: now - time.Hour, Estimate: 2 * time.Hour},
		},
		Clouds:  []elastic.Cloud{local, private, commercial},
		Credits: 12 * pricing.Unit,
		Budget:  elastic.Marshall12Budget(),
	}
}

var names = []string{"local", "private", "commercial"}

func show(actions []elastic.Action) {
	for _, a := range actions {
		fmt.Printf("%v %d in the %s cloud: %v\n", verb(a), a.Count, names[a.Cloud], a.Reason)
	}
}

// As many instances as limits and budget allow, whatever waits: $5 an hour pay
// for 59 instances at $0.085, two of which there are.
func ExampleSM() {
	show(new(elastic.SM).AppendActions(nil, evening()))
	// Output:
	// launch 40 in the private cloud: limits and budget allow more instances
	// launch 57 in the commercial cloud: limits and budget allow more instances
}

// All that waits is launched for: the first job in the private cloud, the second
// and third in the commercial one, 80 instances less the two that are idle.
func ExampleOD() {
	show(new(elastic.OD).AppendActions(nil, evening()))
	// Output:
	// launch 32 in the private cloud: waiting jobs need more instances than are free
	// launch 78 in the commercial cloud: waiting jobs need more instances than are free
}

// The same launches. When the queue is empty OD++ keeps an idle instance that is
// paid for until 20:40 and gives up the one that is charged at 20:03.
func ExampleOD_plus() {
	s := evening()
	s.Jobs = nil
	fmt.Println("OD:")
	show(new(elastic.OD).AppendActions(nil, s))
	fmt.Println("OD++:")
	show((&elastic.OD{Plus: true}).AppendActions(nil, s))
	// Output:
	// OD:
	// terminate 1 in the commercial cloud: the instance is idle and no job waits
	// terminate 1 in the commercial cloud: the instance is idle and no job waits
	// OD++:
	// terminate 1 in the commercial cloud: the instance is idle and would be charged before the next evaluation
}

// The jobs have waited for two hours on average, weighted by their cores, as
// long as is thought fair. So the policy looks at the first job only, and asks
// the cheapest cloud only.
func ExampleAQTP() {
	p := &elastic.AQTP{Response: 2 * time.Hour, Threshold: 45 * time.Minute}
	if err := p.Validate(); err != nil {
		fmt.Println(err)
		return
	}
	s := evening()
	fmt.Println("queued:", elastic.AWQT(s.Jobs, s.Now).Round(time.Minute))
	show(p.AppendActions(nil, s))

	// Two hours later nothing has moved.
	s.Now += 2 * time.Hour
	fmt.Println("queued:", elastic.AWQT(s.Jobs, s.Now).Round(time.Minute))
	show(p.AppendActions(nil, s))
	// Output:
	// queued: 2h9m0s
	// launch 32 in the private cloud: the first jobs of the queue need more instances than are free
	// terminate 1 in the commercial cloud: the instance is idle and would be charged before the next evaluation
	// queued: 4h9m0s
	// launch 32 in the private cloud: the first jobs of the queue need more instances than are free
	// launch 14 in the commercial cloud: the first jobs of the queue need more instances than are free
}

// What an administrator launches tonight who cares for time, or for money.
func ExampleMCOP() {
	s := evening()
	p := &elastic.MCOP{Exact: true, Rand: rand.New(rand.NewPCG(1, 2))}
	for _, p.CostWeight = range []float64{.2, .8} {
		fmt.Println(p)
		show(p.AppendActions(nil, s))
	}
	// Output:
	// MCOP-20-80
	// launch 32 in the private cloud: the chosen trade of cost for queued time has these instances
	// launch 80 in the commercial cloud: the chosen trade of cost for queued time has these instances
	// terminate 1 in the commercial cloud: the instance is idle and would be charged before the next evaluation
	// MCOP-80-20
	// launch 32 in the private cloud: the chosen trade of cost for queued time has these instances
	// terminate 1 in the commercial cloud: the instance is idle and would be charged before the next evaluation
}

// A policy of one's own: it launches for jobs that have waited for two hours or
// more, in free clouds only, and gives back what is not needed before it is
// charged.
func ExampleDraft() {
	var d elastic.Draft
	const longWait = "the job has waited for two hours"
	patient := policyFunc(func(dst []elastic.Action, s *elastic.Snapshot) []elastic.Action {
		d.Reset(dst, s)
		clouds := d.Cheapest()
		for len(clouds) > 0 && s.Clouds[clouds[len(clouds)-1]].Price > 0 {
			clouds = clouds[:len(clouds)-1]
		}
		for _, j := range s.Jobs {
			if s.Now-j.Submit >= 2*time.Hour {
				d.Serve(&j, clouds, longWait)
			}
		}
		d.TerminateDue(true, "nobody needs it")
		return d.Actions()
	})
	for _, a := range patient.AppendActions(nil, evening()) {
		fmt.Println(verb(a), a.Count, "in the", names[a.Cloud], "cloud")
	}
	// Output:
	// launch 32 in the private cloud
	// terminate 1 in the commercial cloud
}

// With $3 the third job cannot be served, and holds up the queue: the fourth, of
// 16 cores, finds 8 left in the private cloud and gets none that cost, though
// credits would pay for them. They are saved for the third. (Of $3.085, 14
// launches are $1.19, and $0.085 renew the one of the two that are taken which is
// charged at 20:03, before the others are up.)
func ExampleDraft_ServeQueue() {
	s := evening()
	s.Credits = 3 * pricing.Unit
	s.Jobs = append(s.Jobs, schedule.Job{ID: 74, Nodes: 16, Submit: s.Now, Estimate: time.Hour})
	var d elastic.Draft
	d.Reset(nil, s)
	served := d.ServeQueue(s.Jobs, d.Cheapest(), false, "waiting jobs need it")
	fmt.Println(served, "jobs served, job", s.Jobs[served].ID, "is saved for, left to spend:", d.Left())
	for _, a := range d.Actions() {
		fmt.Println(verb(a), a.Count, "in the", names[a.Cloud], "cloud")
	}
	// Output:
	// 2 jobs served, job 73 is saved for, left to spend: 1.81
	// launch 32 in the private cloud
	// launch 14 in the commercial cloud
}

// A policyFunc is a function as a Policy.
type policyFunc func(dst []elastic.Action, s *elastic.Snapshot) []elastic.Action

func (f policyFunc) AppendActions(dst []elastic.Action, s *elastic.Snapshot) []elastic.Action {
	return f(dst, s)
}

// verb says what an action does.
func verb(a elastic.Action) string {
	if a.Launch {
		return "launch"
	}
	return "terminate"
}
