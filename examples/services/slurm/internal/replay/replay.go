//go:build unix

package replay

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/clock"
	"github.com/plimsoll/plimsoll/examples/services/slurm/internal/cluster"
	"github.com/plimsoll/plimsoll/schedule/trace"
)

// A Run is what became of a job. Times are of the scaled clock.
type Run struct {
	trace.Job               // as it was to be, but Submit: when it was submitted
	Slurm     int64         // its number there
	Start     time.Duration // by its own record
	End       time.Duration
	Names     []string // of the nodes where it ran
}

// A Player submits jobs to a cluster.
type Player struct {
	Cluster *cluster.Cluster
	Clock   *clock.Clock
	Dir     string // for what jobs write about themselves; it exists
}

// script is what a job does: it notes when it starts and where, takes its time, and
// notes when it ends. Each file is there whole or not at all.
const script = `note() { echo "$(date +%%s.%%N) $SLURM_JOB_ID $SLURM_JOB_NODELIST" >>'%[1]s.%[3]d.'$1; }
note start
sleep %.3[2]f
note end`

// Play submits jobs when the clock shows their times, in their order, and returns what
// it submitted: when, and under which numbers. It does not wait for their ends.
func (p *Player) Play(ctx context.Context, jobs []trace.Job) ([]Run, error) {
	runs := make([]Run, 0, len(jobs))
	for i, j := range jobs {
		select {
		case <-ctx.Done():
			return runs, ctx.Err()
		case <-time.After(p.Clock.Unscaled(j.Submit - p.Clock.Now())):
		}
		run := p.Clock.Unscaled(j.Run)
		j.Submit = p.Clock.Now()
		id, err := p.Cluster.Submit(ctx, j.Nodes, fmt.Sprintf(script, filepath.Join(p.Dir, "job"), run.Seconds(), i),
			"--job-name=job"+strconv.Itoa(i), "--comment=estimate="+j.Estimate.String())
		if err != nil {
			return runs, fmt.Errorf("job %d, of %d nodes: %w", i, j.Nodes, err)
		}
		runs = append(runs, Run{Job: j, Slurm: id, Start: -1, End: -1})
	}
	return runs, nil
}

// Ended returns how many jobs have noted their ends.
func (p *Player) Ended() (int, error) {
	files, err := filepath.Glob(filepath.Join(p.Dir, "job.*.end"))
	return len(files), err
}

// Read fills in what the jobs noted. A job that noted anything twice, or under another
// number, is an error: it ran twice.
func (p *Player) Read(runs []Run) error {
	for i := range runs {
		r := &runs[i]
		for _, f := range []struct {
			kind string
			at   *time.Duration
		}{{"start", &r.Start}, {"end", &r.End}} {
			text, err := os.ReadFile(filepath.Join(p.Dir, "job."+strconv.Itoa(i)+"."+f.kind))
			if err != nil {
				return fmt.Errorf("job %d did not %s: %w", i, f.kind, err)
			}
			fields := strings.Fields(string(text))
			if len(fields) != 3 || fields[1] != strconv.FormatInt(r.Slurm, 10) {
				return fmt.Errorf("job %d, in Slurm %d, noted %q as its %s: want one line of its own", i, r.Slurm, text, f.kind)
			}
			seconds, fraction, _ := strings.Cut(fields[0], ".")
			sec, err := strconv.ParseInt(seconds, 10, 64)
			if err != nil {
				return fmt.Errorf("job %d: %w", i, err)
			}
			nsec, err := strconv.ParseInt((fraction + "000000000")[:9], 10, 64)
			if err != nil {
				return fmt.Errorf("job %d: %w", i, err)
			}
			*f.at = p.Clock.At(time.Unix(sec, nsec))
		}
	}
	return nil
}
