package trace_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/schedule"
	"github.com/plimsoll/plimsoll/schedule/trace"
)

// A morning on a machine of 64 processors. Job 3 was cancelled in the queue, job 5
// ran longer than its user asked for, job 6 asked for nothing.
const morning = `; Computer: Example
; MaxProcs: 64 (four nodes)
; UnixStartTime: 1078605840
;
1    0    0 5400 32 -1 -1 32 7200 -1 1 10 1 -1 1 -1 -1 -1
2  600    0 1800 16 -1 -1 16 3600 -1 1 11 1 -1 1 -1 -1 -1
3  900  300   -1 16 -1 -1 16 3600 -1 5 11 1 -1 1 -1 -1 -1
4 2400    0  500 16 -1 -1 16 1800 -1 1 12 1 -1 1 -1 -1 -1
5 3000 2400 4000 40 -1 -1 40 3600 -1 1 12 1 -1 1 -1 -1 -1
6 9000  400  500  1 -1 -1  1   -1 -1 1 11 1 -1 0 -1 -1 -1
`

// From a log to the instances that each hour needs, at 16 processors each: the
// jobs as they ran in the log, and what was left out or changed.
func Example() {
	r := trace.NewReader(strings.NewReader(morning))
	jobs, report, err := trace.Convert(r.Records(), trace.Options{PerInstance: 16})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(&report)
	starts, _ := trace.AppendStarts(nil, jobs)
	curve, err := trace.AppendDemand(nil, jobs, starts, trace.DemandOptions{Slot: time.Hour})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("instances per hour:", curve)
	// Output:
	// 6 records, 5 jobs, 1 left out
	//   left out: cancelled before start: 1
	//   changed: estimate missing, run time taken: 1
	//   changed: estimate raised to the run time: 1
	// instances per hour: [3 3 3]
}

// A loop over the records, which skips and reports bad lines.
func ExampleReader_Records() {
	r := trace.NewReader(strings.NewReader("; MaxProcs: 64\n1 0 0 5400 32\n2 600 0 half-an-hour 16\n3 900 0 60 1\n"))
	for rec, err := range r.Records() {
		var bad *schedule.InputError
		switch {
		case errors.As(err, &bad):
			fmt.Println("skipped:", bad)
		case err != nil:
			fmt.Println(err)
			return
		default:
			fmt.Println("job", rec.ID, "ran", rec.Run)
		}
	}
	// Output:
	// job 1 ran 1h30m0s
	// skipped: trace: line 3, column 4 (run time): not a number: "half-an-hour": want a number, or -1 if it is not known
	// job 3 ran 1m0s
}

// The machine and the calendar, before any record is read.
func ExampleReader_Header() {
	h, err := trace.NewReader(strings.NewReader(morning)).Header()
	if err != nil {
		fmt.Println(err)
		return
	}
	procs, ok := h.Int("MaxProcs")
	fmt.Println("processors:", procs, ok)
	start, _ := h.UnixStartTime()
	fmt.Println("time 0:", start.Format(time.RFC1123))
	// Output:
	// processors: 64 true
	// time 0: Sat, 06 Mar 2004 20:44:00 UTC
}

// The short jobs of a log, as a log of its own, without memory of the others.
func ExampleWriter() {
	r := trace.NewReader(strings.NewReader(morning))
	h, err := r.Header()
	if err != nil {
		fmt.Println(err)
		return
	}
	w := trace.NewWriter(os.Stdout)
	if err := w.WriteHeader(h); err != nil {
		fmt.Println(err)
		return
	}
	var rec trace.Record
	for {
		err := r.Next(&rec)
		if err == io.EOF {
			break
		}
		if err != nil {
			fmt.Println(err)
			return
		}
		if rec.Run >= 0 && rec.Run < time.Hour {
			if err := w.Write(&rec); err != nil {
				fmt.Println(err)
				return
			}
		}
	}
	if err := w.Flush(); err != nil {
		fmt.Println(err)
	}
	// Output:
	// ; Computer: Example
	// ; MaxProcs: 64 (four nodes)
	// ; UnixStartTime: 1078605840
	// ;
	// 2 600 0 1800 16 -1 -1 16 3600 -1 1 11 1 -1 1 -1 -1 -1
	// 4 2400 0 500 16 -1 -1 16 1800 -1 1 12 1 -1 1 -1 -1 -1
	// 6 9000 400 500 1 -1 -1 1 -1 -1 1 11 1 -1 0 -1 -1 -1
}

// How much a scheduler gains from better estimates is found by scaling them:
// job 1 ran 5,400 s and asked for 7,200 s.
func ExampleConvert_estimates() {
	for _, alpha := range []float64{0, 0.5, 1, 2} {
		r := trace.NewReader(strings.NewReader(morning))
		jobs, _, err := trace.Convert(r.Records(), trace.Options{Alpha: new(alpha)})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(alpha, jobs[0].Estimate)
	}
	// Output:
	// 0 1h30m0s
	// 0.5 1h45m0s
	// 1 2h0m0s
	// 2 2h30m0s
}

// What keeping the instances of users apart costs: the same jobs, run at
// submission, under the three rules.
func ExampleAppendDemand() {
	r := trace.NewReader(strings.NewReader(morning))
	jobs, _, err := trace.Convert(r.Records(), trace.Options{PerInstance: 16})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, sharing := range []trace.Sharing{trace.SharedByAll, trace.SharedByUser, trace.Unshared} {
		curve, err := trace.AppendDemand(nil, jobs, nil, trace.DemandOptions{Sharing: sharing})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(curve)
	}
	// Output:
	// [5 5 1]
	// [6 5 1]
	// [7 5 1]
}

// A gzipped log is written through a gzip.Writer, and read like a plain one.
func ExampleNewReader() {
	plain := bytes.NewBufferString(morning)
	records := 0
	for _, err := range trace.NewReader(plain).Records() {
		if err != nil {
			fmt.Println(err)
			return
		}
		records++
	}
	fmt.Println(records, "records")
	// Output: 6 records
}

// Jobs of the second hour.
func ExampleSubmitted() {
	r := trace.NewReader(strings.NewReader(morning))
	jobs, _, err := trace.Convert(r.Records(), trace.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, j := range trace.Submitted(jobs, 30*time.Minute, 2*time.Hour) {
		fmt.Println("job", j.ID, "at", j.Submit)
	}
	// Output:
	// job 4 at 40m0s
	// job 5 at 50m0s
}
