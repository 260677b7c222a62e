package elastic

import (
	"time"

	"github.com/plimsoll/plimsoll/internal/wide"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/schedule"
)

// AQTP is the policy of [Marshall12] section III.B, average queued time. AQTP launches instances
// for the first n jobs of the queue only. At each evaluation AQTP computes AWQT, the mean of the
// queued times of the waiting jobs, weighted by their cores. Then AQTP adjusts n to hold AWQT near
// r, the desired response, within a threshold θ:
//
//	AWQT < r − θ:  n falls by one, but not below Min
//	AWQT > r + θ:  n grows by one, but not above Max
//
// AQTP asks only the NC cheapest clouds, where NC = max(1, ⌊AWQT / r⌋).
//
// As under [OD], a job that finds enough free instances in one infrastructure gets them, and a job
// without a place holds up the jobs behind it. AQTP launches all instances that a job lacks, or
// none: a part of them would wait for others that may never come. All launches keep to limits and
// credits. AQTP terminates idle instances as OD++ does. After a refusal AQTP asks no other cloud,
// and waits for the next evaluation.
//
// The administrator chooses r, so the zero value of r is an error. The paper's example is r = 2 h
// with θ = 45 min. The policy remembers n: Reset the policy for another run. Time: O(jobs +
// n·clouds + instances).
type AQTP struct {
	Response  time.Duration // r, > 0
	Threshold time.Duration // θ, ≥ 0
	Min       int           // the least n; 0 stands for 1
	Max       int           // the largest n; 0 stands for no bound
	Start     int           // n before the first evaluation adjusts it; 0 stands for Min
	KeepFree  bool          // keep idle instances of clouds without a price

	n     int // 0 before the first evaluation
	draft Draft
}

// String returns "AQTP".
func (p *AQTP) String() string { return "AQTP" }

// Reset makes the policy begin with its starting value again.
func (p *AQTP) Reset() { p.n = 0 }

// Memory returns n, the number of jobs that AQTP serves now, and 0 before the first
// evaluation. See [Policy].
func (p *AQTP) Memory() int { return p.n }

// Recall sets n to what Memory returned. If Min or Max has changed since, n is the nearest
// number between them.
func (p *AQTP) Recall(memory int) {
	p.n = 0
	if memory > 0 {
		least, most := p.bounds()
		p.n = min(max(memory, least), most)
	}
}

// Validate returns a *schedule.InputError that unwraps to [ErrRange] if the policy
// cannot work with its settings.
func (p *AQTP) Validate() error {
	least, most := p.bounds()
	switch {
	case p.Response <= 0:
		return badInput("AQTP.Response", -1, ErrRange, "a desired response of %v: want more than 0, such as 2h", p.Response)
	case p.Threshold < 0:
		return badInput("AQTP.Threshold", -1, ErrRange, "%v: want 0 or more", p.Threshold)
	case p.Min < 0:
		return badInput("AQTP.Min", -1, ErrRange, "%d jobs: want 1 or more, or 0 for 1", p.Min)
	case p.Max < 0 || most < least:
		return badInput("AQTP.Max", -1, ErrRange, "%d jobs: want %d or more, or 0 for no bound", p.Max, least)
	case p.Start < 0 || p.Start != 0 && (p.Start < least || p.Start > most):
		return badInput("AQTP.Start", -1, ErrRange, "%d jobs: want a number between the minimum and the maximum, or 0 for the minimum", p.Start)
	}
	return nil
}

func (p *AQTP) bounds() (least, most int) {
	least, most = max(1, p.Min), p.Max
	if most == 0 {
		most = 1<<31 - 1
	}
	return least, most
}

// Rests reports whether nothing waits, n stays as it is, and there is no instance to give
// back. See [Policy].
func (p *AQTP) Rests(s *Snapshot) (pricing.Money, bool) {
	if least, _ := p.bounds(); p.n != least && p.Response > p.Threshold {
		return 0, false
	}
	return nothingToDo(s, p.KeepFree)
}

// AppendActions implements [Policy]. It panics if Response is not positive.
func (p *AQTP) AppendActions(dst []Action, s *Snapshot) []Action {
	if p.Response <= 0 {
		panic("elastic: AQTP needs a positive desired response")
	}
	if s.Again {
		return dst
	}
	least, most := p.bounds()
	if p.n == 0 {
		p.n = max(least, p.Start)
	}
	awqt := AWQT(s.Jobs, s.Now)
	switch {
	case awqt < p.Response-p.Threshold:
		p.n = max(least, p.n-1)
	case p.Threshold <= schedule.Never-p.Response && awqt > p.Response+p.Threshold:
		p.n = min(most, p.n+1)
	}
	d := &p.draft
	d.Reset(dst, s)
	clouds := d.Cheapest()
	nc := max(1, awqt/p.Response)
	clouds = clouds[:min(time.Duration(len(clouds)), nc)]
	d.ServeQueue(s.Jobs[:min(len(s.Jobs), p.n)], clouds, false, firstNeed)
	d.TerminateDue(p.KeepFree, chargeDue)
	return d.Actions()
}

// AWQT is the average weighted queued time of the jobs that wait now: Σ n·(now − submit)
// / Σ n over the jobs, with n the nodes of a job ([Marshall12] section III.B). It is
// exact but for the part of a nanosecond, which is cut off, and 0 without jobs. It panics
// if a job was submitted after now or has no nodes. Time: O(jobs).
func AWQT(jobs []schedule.Job, now time.Duration) time.Duration {
	var sum wide.Uint
	nodes := uint64(0)
	for i := range jobs {
		d := now - jobs[i].Submit
		if jobs[i].Nodes <= 0 || d < 0 {
			panic("elastic: AWQT of a job without nodes or submitted later than now")
		}
		sum.AddProduct(uint64(jobs[i].Nodes), uint64(d))
		nodes += uint64(jobs[i].Nodes)
	}
	if nodes == 0 {
		return 0
	}
	q, _, _ := sum.Over(nodes) // at most the longest of the times
	return time.Duration(q)
}
