package trace

import (
	"bufio"
	"os"
	"strconv"
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

// Every job of the two logs whose waits are known to be those of EASY
// backfilling must be there, as it stands; the means are of the README there.
func TestEasyLogsWhole(t *testing.T) {
	for _, c := range []struct {
		name  string
		jobs  int
		waits string
	}{
		{"easy/KTH-SP2.swf.gz", 28481, "6836.87"},
		{"easy/SDSC-SP2.swf.gz", 54006, "20497.76"},
	} {
		jobs, rep := logJobs(t, c.name, Options{})
		if diff := cmp.Diff(Report{Records: c.jobs, Jobs: c.jobs}, rep); diff != "" {
			t.Errorf("%s: report (-want +got):\n%s", c.name, diff)
		}
		var sum time.Duration
		for _, j := range jobs {
			sum += j.Wait
		}
		if got := strconv.FormatFloat(sum.Seconds()/float64(len(jobs)), 'f', 2, 64); got != c.waits {
			t.Errorf("%s: mean wait %s, want %s", c.name, got, c.waits)
		}
	}
}

// The curves beside the logs are the peaks of concurrently held instances in
// each hour, when every job runs as it did in the log. The processors per instance
// are not stated there: those below give all five files exactly, and no
// neighbouring number does.
func TestDemandCurvesOfLogs(t *testing.T) {
	for _, c := range []struct {
		log, curve string
		per, hours int
	}{
		{"SDSC-DS-2004-2.1-cln", "sdsc-ds", 16, 9388},
		{"SDSC-BLUE-2000-4.2-cln", "sdsc-blue", 8, 23534},
		{"HPC2N-2002-2.2-cln", "hpc2n", 2, 30445},
		{"LANL-CM5-1994-4.1-cln", "lanl-cm5", 32, 17304},
		{"UniLu-Gaia-2014-1", "unilu-gaia", 12, 2139},
	} {
		jobs, _ := logJobs(t, "traces/"+c.log+".swf.gz", Options{PerInstance: c.per})
		starts, _ := AppendStarts(nil, jobs)
		got, err := AppendDemand(nil, jobs, starts, DemandOptions{})
		if err != nil {
			t.Fatalf("%s: %v", c.curve, err)
		}
		want := readCurve(t, "demand/"+c.curve+".csv")
		if len(want) != c.hours || len(got) != c.hours {
			t.Fatalf("%s: %d hours, the file has %d, want %d", c.curve, len(got), len(want), c.hours)
		}
		for i := range want {
			if got[i] != want[i] {
				t.Errorf("%s: hour %d: %d instances, want %d", c.curve, i, got[i], want[i])
				break
			}
		}
	}
}

func readCurve(t *testing.T, name string) []int {
	t.Helper()
	f, err := os.Open(shared.File(t, name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var curve []int
	s := bufio.NewScanner(f)
	for s.Scan() {
		if n, err := strconv.Atoi(s.Text()); err == nil { // not the title
			curve = append(curve, n)
		}
	}
	if s.Err() != nil {
		t.Fatal(s.Err())
	}
	return curve
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

// Every log of the archive at hand is read to its end, written, and read again
// as the same.
func TestLogsRoundTrip(t *testing.T) {
	for _, c := range []struct {
		name    string
		records int // counted with zcat and grep
	}{
		{"traces/CTC-SP2-1996-3.1-cln.swf.gz", 77222},
		{"traces/KTH-SP2-1996-2.1-cln.swf.gz", 28476},
		{"traces/NASA-iPSC-1993-3.swf.gz", 42264},
		{"traces/SDSC-SP2-1998-4.2-cln.swf.gz", 59715},
		{"traces/Sandia-Ross-2001-1.1-cln.swf.gz", 57882},
		{"traces/UniLu-Gaia-2014-1.swf.gz", 51987},
	} {
		f, err := os.Open(shared.File(t, c.name))
		if err != nil {
			t.Fatal(err)
		}
		h, recs := readAll(t, f)
		f.Close()
		if len(recs) != c.records {
			t.Errorf("%s: %d records, want %d", c.name, len(recs), c.records)
		}
		checkRewritten(t, h, recs)
	}
}

// MaxNodes of CTC is followed by a remark, and Sandia's keys by no space in
// front.
func TestLogHeaders(t *testing.T) {
	for _, c := range []struct {
		name         string
		nodes, procs int64
		start        int64
		zone         string
	}{
		{"traces/CTC-SP2-1996-3.1-cln.swf.gz", 338, 338, 835823160, "US/Eastern"},
		{"traces/SDSC-DS-2004-2.1-cln.swf.gz", 184, 1664, 1078605840, "US/Pacific"},
		{"traces/Sandia-Ross-2001-1.1-cln.swf.gz", 1524, 1524, 1007061086, "US/Mountain"},
		{"traces/UniLu-Gaia-2014-1.swf.gz", 151, 2004, 1400749079, "Europe/Luxembourg"},
	} {
		f, err := os.Open(shared.File(t, c.name))
		if err != nil {
			t.Fatal(err)
		}
		h, err := NewReader(f).Header()
		f.Close()
		if err != nil {
			t.Fatal(err)
		}
		nodes, _ := h.Int("MaxNodes")
		procs, _ := h.Int("MaxProcs")
		start, _ := h.UnixStartTime()
		zone, _ := h.Get("TimeZoneString")
		if nodes != c.nodes || procs != c.procs || start.Unix() != c.start || zone != c.zone {
			t.Errorf("%s: %d nodes, %d processors, start %d, zone %q; want %d, %d, %d, %q", c.name,
				nodes, procs, start.Unix(), zone, c.nodes, c.procs, c.start, c.zone)
		}
	}
}
