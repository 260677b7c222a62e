package trace

import (
	"os"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/shared"
)

// logJobs converts a log of the reference material.
func logJobs(t *testing.T, name string, opts Options) ([]Job, Report) {
	t.Helper()
	f, err := os.Open(shared.File(t, name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	jobs, rep, err := Convert(NewReader(f).Records(), opts)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return jobs, rep
}

// The figures are those of ERRATA [Niu16] 6, found by another program: 96,069
// records, 84,893 jobs, 647,778 used and 917,089 charged instance-hours when
// each job runs alone on 16-processor instances, hours rounded up. The reasons
// were counted with awk on the log.
func TestDataStar(t *testing.T) {
	jobs, rep := logJobs(t, "traces/SDSC-DS-2004-2.1-cln.swf.gz", Options{PerInstance: 16})
	want := Report{Records: 96069, Jobs: 84893, Cancelled: 11094, NoRun: 6, ZeroRun: 76, EstimateRaised: 10658}
	if diff := cmp.Diff(want, rep); diff != "" {
		t.Errorf("report (-want +got):\n%s", diff)
	}
	var usedSeconds int64
	charged := 0
	for _, j := range jobs {
		usedSeconds += int64(j.Nodes) * int64(j.Run/time.Second)
		charged += j.Nodes * int((j.Run+time.Hour-1)/time.Hour)
	}
	if got := (usedSeconds + 1800) / 3600; got != 647_778 {
		t.Errorf("%d used instance-hours, want 647,778", got)
	}
	if charged != 917_089 {
		t.Errorf("%d charged instance-hours, want 917,089", charged)
	}
}

// ERRATA [Liu21] 8: the reading without sharing, of jobs that run from their
// submission and were submitted within 600 hours, a processor an instance. The
// totals are those of an independent program. The other two rules need less.
func TestLiuWindows(t *testing.T) {
	for _, c := range []struct {
		log         string
		hour, total int
	}{
		{"UniLu-Gaia-2014-1", 747, 667_703},
		{"SDSC-BLUE-2000-4.2-cln", 478, 792_880},
		{"LANL-CM5-1994-4.1-cln", 172, 1_009_632},
	} {
		jobs, _ := logJobs(t, "traces/"+c.log+".swf.gz", Options{})
		from := time.Duration(c.hour) * time.Hour
		jobs = Submitted(jobs, from, from+600*time.Hour)
		total := func(rule Sharing) int {
			curve, err := AppendDemand(nil, jobs, nil, DemandOptions{Sharing: rule, From: from, Slots: 600})
			if err != nil {
				t.Fatalf("%s: %v", c.log, err)
			}
			sum := 0
			for _, n := range curve {
				sum += n
			}
			return sum
		}
		if got := total(Unshared); got != c.total {
			t.Errorf("%s: %d instance-hours, want %d", c.log, got, c.total)
		}
		if all, user := total(SharedByAll), total(SharedByUser); all > user || user > c.total {
			t.Errorf("%s: %d shared by all, %d by user, %d unshared: must not fall", c.log, all, user, c.total)
		}
	}
}
