package accounting

import (
	"bytes"
	"io"
	"testing"
)

// No text makes the reader panic, run on, or return a job that a record cannot
// hold.
func FuzzReader(f *testing.F) {
	for _, s := range []string{
		header + "15|15|ann|phys|batch|normal|COMPLETED|2026-01-01T00:00:00|2026-01-01T00:00:10|2026-01-01T00:00:20|00:00:10|1-00|2|24|24|31000Mn|a\n",
		`{"jobs":[{"job_id":1,"state":{"current":["COMPLETED"]},"time":{"start":5,"end":7,"limit":{"set":true,"number":3}}}]}`,
		`{"Jobs":{"4.pbs":{"job_state":"F","ctime":"Thu Jun 19 10:36:47 2025"}}}`,
		"02/11/2026 20:12:21;E;7.srv;user=a ctime=1770865912 start=1770865912 end=1770865912 exec_host=a/0*3+b/1\n",
		`"JOB_FINISH" "10.1" 1644826549 386 1501 33554434 6 1644826545 0 0 1644826547 "ann" "night"`,
		"JobID,Submit,Start,End,NCPUS\n\"1\",2026-01-01T00:00:00,None,Unknown,\"\"\"1\"\n",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		r := NewReader(bytes.NewReader(b), Options{})
		var job Job
		for n := 0; ; n++ {
			err := r.Next(&job)
			if err == io.EOF {
				break
			}
			if err != nil {
				if n > len(b)+2 {
					t.Fatal("errors without end")
				}
				if again := r.Next(&job); again == err { // sticky
					break
				}
				continue
			}
			if rec := r.record(&job); rec.ID < 0 || rec.Processors < -1 || rec.ReqProcessors < -1 || rec.Run < unknownTime {
				t.Errorf("%+v of %+v", rec, job)
			}
		}
		detect(b)
	})
}
