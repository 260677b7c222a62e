package partition

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/examples/services/slurm/internal/slurmctl"
	"github.com/plimsoll/plimsoll/preempt"
)

// What a job says of itself in its comment, in words such as
//
//	sbatch --comment="checkpoint=B:USR1 cost=30s every=20m savefile=/home/ann/%j.saved"
//
//	checkpoint=SIGNAL  the job saves when it gets the signal: USR1 for its steps, B:USR1 for
//	                   its batch script alone, as sbatch --signal has it
//	cost=D             how long a save takes
//	every=D            the time between two saves that the job takes by itself
//	savefile=PATH      a file that the job touches at the end of each save; %j is the job's
//	                   number. The agent must be able to see the file
//	saved=SECONDS      the end of the last save, in seconds since 1970, where the job
//	                   updates its comment and has no file
//	resumed=D          the run time that earlier starts of the job had saved
//	estimate=D         the run time that the user expects, if that is not the job's limit
type note struct {
	preempt.Checkpoint
	saves    bool   // it says anything of saves
	signal   string // "" for none
	savefile string
	saved    time.Time
	estimate time.Duration
}

// parseNote reads a comment. Words of others are left alone. A word that is one of these and
// makes no sense is an error; what the job says of saves is then not believed.
func parseNote(j *slurmctl.Job) (n note, err error) {
	n.estimate = j.Limit
	wrong := func(word, want string) {
		if err == nil {
			err = fmt.Errorf("job %d: the word %q of its comment: want %s", j.ID, word, want)
		}
	}
	for _, word := range strings.Fields(j.Comment) {
		key, value, ok := strings.Cut(word, "=")
		if !ok {
			continue
		}
		span := func(to *time.Duration) {
			d, e := time.ParseDuration(value)
			if e != nil || d < 0 {
				wrong(word, "a span of time such as 30s")
				return
			}
			*to = d
		}
		switch key {
		case "checkpoint":
			if name := strings.TrimPrefix(value, "B:"); name == "" || strings.Trim(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") != "" {
				wrong(word, "a signal such as USR1 or B:USR1")
				continue
			}
			n.signal, n.OnRequest, n.saves = value, true, true
		case "cost":
			span(&n.Cost)
		case "every":
			span(&n.Every)
			n.saves = true
		case "resumed":
			span(&n.Resumed)
			n.saves = true
		case "estimate":
			span(&n.estimate)
		case "savefile":
			path := strings.ReplaceAll(value, "%j", strconv.FormatInt(j.ID, 10))
			if !filepath.IsAbs(path) {
				wrong(word, "the whole path of a file")
				continue
			}
			n.savefile, n.saves = path, true
		case "saved":
			s, e := strconv.ParseInt(value, 10, 64)
			if e != nil || s < 0 || s > 1<<40 {
				wrong(word, "seconds since 1970")
				continue
			}
			n.saved, n.saves = time.Unix(s, 0), true
		}
	}
	if n.Every > 0 && n.Cost > n.Every {
		wrong("cost="+n.Cost.String(), "no more than every="+n.Every.String())
	}
	if err != nil {
		return note{estimate: j.Limit}, err
	}
	if n.savefile != "" { // the later one counts
		if st, e := os.Stat(n.savefile); e == nil && st.Mode().IsRegular() && st.ModTime().After(n.saved) {
			n.saved = st.ModTime()
		}
	}
	return n, nil
}

// checkpoint returns how a running job saves, nil if it does not. A save before the start is
// one that the job went on from.
func (n *note) checkpoint(start time.Time, elapsed time.Duration) *preempt.Checkpoint {
	if !n.saves {
		return nil
	}
	c := n.Checkpoint
	if n.saved.After(start) {
		c.Saved = min(n.saved.Sub(start), elapsed) // a clock may be ahead
	}
	return &c
}

// note reads what a job says of itself, and tells once what makes no sense.
func (a *Agent) note(j *slurmctl.Job) note {
	n, err := parseNote(j)
	if err != nil && !a.odd[j.ID] {
		a.odd[j.ID] = true
		a.o.Tell("", err.Error())
	}
	return n
}

// job is a running job as package preempt sees it, on a number of nodes.
func (a *Agent) job(j *slurmctl.Job, nodes int) preempt.Job {
	elapsed := max(0, a.o.Now().Sub(j.Start))
	n := a.note(j)
	return preempt.Job{Nodes: nodes, Elapsed: elapsed, Requested: n.estimate, Priority: a.priority(j), Checkpoint: n.checkpoint(j.Start, elapsed)}
}

// save looks after a job that has a node which drains, for the time left. It asks the job to
// save as late as possible. It reports whether the job has saved since it was asked, so that
// the job may be ended.
func (a *Agent) save(ctx context.Context, j *slurmctl.Job, left time.Duration) (saved bool, err error) {
	n := a.note(j)
	asked, was := a.asked[j.ID]
	if was && asked.start.Equal(j.Start) {
		// A file system may count whole seconds.
		return !n.saved.Before(asked.at.Truncate(time.Second)) && a.o.Now().Sub(asked.at) >= n.Cost, nil
	}
	after, ask := a.job(j, max(1, len(j.Names))).AskAfter(max(0, left))
	if !ask || after > a.gap+n.Cost/4 { // a save may take a little longer than it says
		return false, nil
	}
	if err := a.slurm.Signal(ctx, j.ID, n.signal); err != nil {
		return false, err
	}
	a.asked[j.ID] = request{j.Start, a.o.Now()}
	a.o.Tell("", fmt.Sprintf("asks job %d to save, which takes %v", j.ID, n.Cost))
	return false, nil
}

// saves is save for all jobs of a node: it reports whether there are any and all of them have
// saved.
func (a *Agent) saves(ctx context.Context, jobs []slurmctl.Job, node string, left time.Duration) (bool, error) {
	some, all := false, true
	for i := range jobs {
		if j := &jobs[i]; j.Holds() && slices.Contains(j.Names, node) {
			saved, err := a.save(ctx, j, left)
			if err != nil {
				return false, err
			}
			some, all = true, all && saved && j.State == "RUNNING"
		}
	}
	return some && all, nil
}

// A request is that of a job to save.
type request struct{ start, at time.Time }

// loss says what ending a job now loses.
func (a *Agent) loss(j *slurmctl.Job) preempt.NodeTime {
	job := a.job(j, max(1, len(j.Names)))
	if job.Checkpoint != nil {
		job.Checkpoint.OnRequest = false // it is too late to ask
	}
	return preempt.WastedCycles(job, 0, 0)
}
