package trace

import (
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/inputerr"
)

// rec is a record in seconds, of status completed.
func rec(id, submit, run int64, procs, req int, estimate int64) Record {
	r := unknown(id)
	r.Submit = time.Duration(submit) * time.Second
	r.Run = time.Duration(run) * time.Second
	r.Processors, r.ReqProcessors = procs, req
	r.ReqTime = time.Duration(estimate) * time.Second
	r.Status = StatusCompleted
	return r
}

func with(r Record, set func(*Record)) Record {
	set(&r)
	return r
}

// job is a job in seconds of an unknown user.
func job(id, submit, run, estimate int64, nodes int) Job {
	const s = time.Second
	return Job{ID: id, Submit: time.Duration(submit) * s, Run: time.Duration(run) * s,
		Estimate: time.Duration(estimate) * s, Nodes: nodes, User: -1, Queue: -1, Wait: -s}
}

// Each row's jobs and counts are worked out by hand from the documentation of
// appendJobs.
func TestConvert(t *testing.T) {
	const unix = 1_078_605_840
	status := func(s int) func(*Record) { return func(r *Record) { r.Status = s } }
	for _, c := range []struct {
		name string
		opts Options
		in   []Record
		jobs []Job
		rep  Report
	}{
		{"nothing", Options{}, nil, nil, Report{}},
		{"all fields", Options{PerInstance: 16}, []Record{record7},
			[]Job{{ID: 7, Submit: 100 * time.Second, Run: time.Hour, Estimate: 2 * time.Hour, Nodes: 4,
				User: 11, Queue: 14, Wait: 20 * time.Second}},
			Report{Records: 1, Jobs: 1}},
		{"left out, each for one reason", Options{}, []Record{
			rec(1, -1, 0, 0, 0, -1),
			with(rec(2, 5, -1, 4, 4, 10), status(StatusCancelled)),
			with(rec(3, 5, 0, 4, 4, 10), status(StatusCancelled)),
			rec(4, 5, -1, 0, 0, 10),
			rec(5, 5, 0, 0, 0, 10),
			rec(6, 5, 7, 0, -1, 10),
			with(rec(7, 5, 7, 1, 1, 10), status(StatusCancelled)), // after its start
		}, []Job{job(7, 5, 7, 10, 1)}, Report{Records: 7, Jobs: 1, NoSubmit: 1, Cancelled: 2, NoRun: 1, ZeroRun: 1, NoProcessors: 1}},
		{"bursts stand behind their job", Options{}, []Record{
			rec(1, 5, 30, 1, 1, 40),
			with(rec(1, 5, 10, 1, 1, 40), status(StatusPartial)),
			with(rec(1, -1, 20, 1, 1, 40), status(StatusPartialEnd)),
			with(rec(2, 6, 10, 1, 1, 40), status(StatusPartial)), // an exit code of 2
		}, []Job{job(1, 5, 30, 40, 1), job(2, 6, 10, 40, 1)}, Report{Records: 4, Jobs: 2, NoSubmit: 1, Bursts: 1}},
		{"a first record of number 0 is no burst", Options{}, []Record{with(rec(0, 5, 30, 1, 1, 40), status(StatusPartial))},
			[]Job{job(0, 5, 30, 40, 1)}, Report{Records: 1, Jobs: 1}},
		{"nodes are rounded up", Options{PerInstance: 16}, []Record{
			rec(1, 0, 1, 1, -1, 1), rec(2, 0, 1, 16, -1, 1), rec(3, 0, 1, 17, -1, 1), rec(4, 0, 1, math.MaxInt, -1, 1),
		}, []Job{job(1, 0, 1, 1, 1), job(2, 0, 1, 1, 1), job(3, 0, 1, 1, 2), job(4, 0, 1, 1, math.MaxInt/16+1)},
			Report{Records: 4, Jobs: 4}},
		{"allocated, else requested", Options{}, []Record{rec(1, 0, 1, 2, 3, 1), rec(2, 0, 1, 0, 3, 1), rec(3, 0, 1, -1, 0, 1)},
			[]Job{job(1, 0, 1, 1, 2), job(2, 0, 1, 1, 3)}, Report{Records: 3, Jobs: 2, NoProcessors: 1, OtherProcessors: 1}},
		{"estimates", Options{}, []Record{rec(1, 0, 100, 1, 1, 300), rec(2, 0, 100, 1, 1, -1), rec(3, 0, 100, 1, 1, 0), rec(4, 0, 100, 1, 1, 99)},
			[]Job{job(1, 0, 100, 300, 1), job(2, 0, 100, 100, 1), job(3, 0, 100, 100, 1), job(4, 0, 100, 100, 1)},
			Report{Records: 4, Jobs: 4, EstimateMissing: 2, EstimateRaised: 1}},
		{"alpha 0", Options{Alpha: new(0.0)}, []Record{rec(1, 0, 100, 1, 1, 300), rec(2, 0, 100, 1, 1, 99)},
			[]Job{job(1, 0, 100, 100, 1), job(2, 0, 100, 100, 1)}, Report{Records: 2, Jobs: 2, EstimateRaised: 1}},
		{"alpha 1/2", Options{Alpha: new(0.5)}, []Record{rec(1, 0, 100, 1, 1, 300)}, []Job{job(1, 0, 100, 200, 1)}, Report{Records: 1, Jobs: 1}},
		{"alpha 1", Options{Alpha: new(1.0)}, []Record{rec(1, 0, 100, 1, 1, 300)}, []Job{job(1, 0, 100, 300, 1)}, Report{Records: 1, Jobs: 1}},
		{"alpha 2", Options{Alpha: new(2.0)}, []Record{rec(1, 0, 100, 1, 1, 300)}, []Job{job(1, 0, 100, 500, 1)}, Report{Records: 1, Jobs: 1}},
		{"the log's own time 0", Options{}, []Record{rec(1, 3600, 1, 1, 1, 1)}, []Job{job(1, 3600, 1, 1, 1)}, Report{Records: 1, Jobs: 1}},
		{"first submission, of a record left out", Options{}, []Record{rec(1, unix+3600, 0, 1, 1, 1), rec(2, unix+3700, 1, 1, 1, 1)},
			[]Job{job(2, 100, 1, 1, 1)}, Report{Records: 2, Jobs: 1, ZeroRun: 1, Base: (unix + 3600) * time.Second}},
		{"absolute times", Options{}, []Record{rec(1, unix, 1, 1, 1, 1), rec(2, unix+60, 1, 1, 1, 1)},
			[]Job{job(1, 0, 1, 1, 1), job(2, 60, 1, 1, 1)}, Report{Records: 2, Jobs: 2, Base: unix * time.Second}},
		{"a log of three years", Options{}, []Record{rec(1, 99_999_999, 1, 1, 1, 1)}, []Job{job(1, 99_999_999, 1, 1, 1)}, Report{Records: 1, Jobs: 1}},
		{"one late job is not absolute", Options{}, []Record{rec(1, unix, 1, 1, 1, 1), rec(2, 0, 1, 1, 1, 1)},
			[]Job{job(2, 0, 1, 1, 1), job(1, unix, 1, 1, 1)}, Report{Records: 2, Jobs: 2, Moved: 1}},
		{"sorted by submission, number, order of the log", Options{}, []Record{
			rec(5, 20, 1, 1, 1, 1), rec(9, 10, 1, 1, 1, 1), rec(8, 10, 1, 1, 1, 1), rec(8, 10, 2, 1, 1, 2), rec(6, 30, 1, 1, 1, 1)},
			[]Job{job(8, 10, 1, 1, 1), job(8, 10, 2, 2, 1), job(9, 10, 1, 1, 1), job(5, 20, 1, 1, 1), job(6, 30, 1, 1, 1)},
			Report{Records: 5, Jobs: 5, Moved: 3}},
	} {
		jobs, rep, err := Convert(of(c.in...), c.opts)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		if diff := cmp.Diff(c.jobs, jobs); diff != "" {
			t.Errorf("%s: jobs (-want +got):\n%s", c.name, diff)
		}
		if diff := cmp.Diff(c.rep, rep); diff != "" {
			t.Errorf("%s: report (-want +got):\n%s", c.name, diff)
		}
		sum := 0
		for _, n := range rep.LeftOut() {
			sum += n
		}
		if sum != rep.Left() {
			t.Errorf("%s: the reasons add up to %d of %d left out", c.name, sum, rep.Left())
		}
		// Behind jobs that are there already.
		before := job(99, 50, 1, 1, 1)
		jobs, _, _ = appendJobs([]Job{before}, of(c.in...), c.opts)
		if diff := cmp.Diff(append([]Job{before}, c.jobs...), jobs); diff != "" {
			t.Errorf("%s: appended (-want +got):\n%s", c.name, diff)
		}
	}
}

// Records with one number and one submission keep the order of the log, and
// there are enough of them that a sort which is not stable would show.
func TestConvertStable(t *testing.T) {
	recs := []Record{rec(1, 60, 1, 1, 1, 1)}
	var want []Job
	for i := range int64(200) {
		recs = append(recs, rec(5, 10*(i%2), 1+i, 1, 1, -1))
	}
	for _, odd := range []int64{0, 1} {
		for i := odd; i < 200; i += 2 {
			want = append(want, job(5, 10*odd, 1+i, 1+i, 1))
		}
	}
	want = append(want, job(1, 60, 1, 1, 1))
	jobs, _, err := Convert(of(recs...), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, jobs); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestConvertErrors(t *testing.T) {
	r := NewReader(strings.NewReader(job7 + "\n7 8 x\n"))
	jobs, rep, err := Convert(r.Records(), Options{})
	if jobs != nil || rep != (Report{}) || err == nil ||
		err.Error() != `trace: line 2, column 3 (wait time): not a number: "x": want a number, or -1 if it is not known` {
		t.Errorf("bad line: %v, %v, %v", jobs, rep, err)
	}

	long := rec(1, 0, 1, 1, 1, 2)
	long.ReqTime = math.MaxInt64
	var ie *inputerr.Error
	_, _, err = Convert(of(rec(1, 0, 1, 1, 1, 1), long), Options{Alpha: new(2.0)})
	if !errors.As(err, &ie) || !errors.Is(err, ErrRange) || ie.Index != 1 || err.Error() != "trace: Records[1].Estimate: value out of range: the factor 2 makes the estimate longer than 292 years: want a smaller factor" {
		t.Errorf("estimate beyond the range: %v", err)
	}
}

func TestReportString(t *testing.T) {
	rep := Report{Records: 20, Jobs: 9, NoSubmit: 1, Bursts: 2, Cancelled: 3, NoRun: 1, ZeroRun: 2, NoProcessors: 2,
		OtherProcessors: 1, EstimateMissing: 2, EstimateRaised: 3, Moved: 4, Base: 1500 * time.Millisecond}
	want := `20 records, 9 jobs, 11 left out
  left out: no submit time: 1
  left out: burst of the job before: 2
  left out: cancelled before start: 3
  left out: run time unknown: 1
  left out: run time 0: 2
  left out: no processors: 2
  changed: processors of the other field: 1
  changed: estimate missing, run time taken: 2
  changed: estimate raised to the run time: 3
  changed: moved into the order of submission: 4
  changed: submit time less 1.5 s: 9`
	if diff := cmp.Diff(want, rep.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for range rep.LeftOut() { // may be left early
		break
	}
	for range rep.Changed() {
		break
	}
	if got := new(Report).String(); got != "0 records, 0 jobs, 0 left out" {
		t.Errorf("empty report: %q", got)
	}
}

func TestSubmitted(t *testing.T) {
	jobs := []Job{job(1, 0, 1, 1, 1), job(2, 10, 1, 1, 1), job(3, 10, 1, 1, 1), job(4, 20, 1, 1, 1)}
	for _, c := range []struct{ from, until, lo, hi int }{
		{0, 20, 0, 3}, {10, 11, 1, 3}, {1, 10, 1, 1}, {20, 99, 3, 4}, {21, 99, 4, 4}, {-5, 1, 0, 1}, {15, 5, 3, 3},
	} {
		got := Submitted(jobs, time.Duration(c.from)*time.Second, time.Duration(c.until)*time.Second)
		if diff := cmp.Diff(jobs[c.lo:c.hi], got); diff != "" {
			t.Errorf("[%d, %d): (-want +got):\n%s", c.from, c.until, diff)
		}
	}
}
