package accounting

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/schedule/trace"
)

// An edit changes a text of one job, and says how the job changes, or what the error says.
type edit struct {
	old, new string
	change   func(j *Job)
	err      error
	says     string
}

// checkEdits reads a text, which has one job, with each edit made to it alone.
func checkEdits(t *testing.T, text string, want Job, edits []edit) {
	t.Helper()
	for _, e := range append([]edit{{}}, edits...) {
		changed := strings.Replace(text, e.old, e.new, 1)
		if e.old != "" && changed == text {
			t.Fatalf("%q is not in the text", e.old)
		}
		job := want
		if e.change != nil {
			e.change(&job)
		}
		got, _, err := readAll(t, changed, Options{})
		if e.err != nil {
			if !errors.Is(err, e.err) || !strings.Contains(err.Error(), e.says) {
				t.Errorf("%q for %q: %v, want an error that is %q and says %q", e.new, e.old, err, e.err, e.says)
			}
			continue
		}
		if err != nil || len(got) != 1 {
			t.Errorf("%q for %q: %d jobs, %v", e.new, e.old, len(got), err)
			continue
		}
		if d := cmp.Diff(job, got[0]); d != "" {
			t.Errorf("%q for %q: the job differs (-want +got):\n%s", e.new, e.old, d)
		}
	}
}

func at(s int64) time.Time { return time.Unix(s, 0).UTC() }

// A job of `qstat -x -f -F json`, in the words of OpenPBS 23.
func TestQstat(t *testing.T) {
	text := `{"timestamp":1750329600,"pbs_version":"23.06.06","pbs_server":"srv","Jobs":{"4711[2].srv":{
		"Job_Owner":"ann@login1","job_state":"F","queue":"workq","project":"climate","euser":"","egroup":"users",
		"ctime":"Thu Jun 19 10:36:47 2025","qtime":"Thu Jun 19 10:36:48 2025","etime":"Thu Jun 19 10:36:49 2025",
		"stime":"Thu Jun 19 10:37:00 2025","obittime":"Thu Jun 19 11:37:00 2025","exec_host":"n1/0*8+n2/0*8","Exit_status":0,
		"Resource_List":{"ncpus":16,"nodect":2,"walltime":"02:00:00"},"resources_used":{"ncpus":12,"walltime":"01:00:00"}}}}`
	want := Job{ID: 4711, User: "ann", Group: "users", Account: "climate", Partition: "workq", State: Completed,
		Submit: utc("2025-06-19T10:36:47"), Eligible: utc("2025-06-19T10:36:49"), Start: utc("2025-06-19T10:37:00"), End: utc("2025-06-19T11:37:00"),
		Limit: 2 * time.Hour, Nodes: 2, Processors: 12, ReqProcessors: 16}
	checkEdits(t, text, want, []edit{
		{old: `"euser":""`, new: `"euser":"eve"`, change: func(j *Job) { j.User = "eve" }},
		{old: `"ann@login1"`, new: `"ann"`},
		{old: `"project":"climate"`, new: `"project":"_pbs_project_default"`, change: func(j *Job) { j.Account = "" }},
		{old: `"project":"climate"`, new: `"project":"climate","Account_Name":"grant"`, change: func(j *Job) { j.Account = "grant" }},
		{old: `"ctime":"Thu Jun 19 10:36:47 2025",`, new: ``, change: func(j *Job) { j.Submit = utc("2025-06-19T10:36:48") }},
		{old: `"etime":"Thu Jun 19 10:36:49 2025",`, new: ``, change: func(j *Job) { j.Eligible = time.Time{} }},
		{old: `"Exit_status":0`, new: `"Exit_status":1`, change: func(j *Job) { j.State = Failed }},
		{old: `"job_state":"F"`, new: `"job_state":"R"`, change: func(j *Job) { j.State, j.End = Running, time.Time{} }},
		{old: `"job_state":"F"`, new: `"job_state":"H"`, change: func(j *Job) { j.State, j.Start, j.End = Pending, time.Time{}, time.Time{} }},
		{old: `"stime":"Thu Jun 19 10:37:00 2025",`, new: ``, change: func(j *Job) { j.State, j.Start = Cancelled, time.Time{} }},
		{old: `"resources_used":{"ncpus":12,`, new: `"resources_used":{`, change: func(j *Job) { j.Processors = 16 }},
		{old: `"ncpus":16,"nodect":2,"walltime":"02:00:00"},"resources_used":{"ncpus":12,`, new: `"walltime":7200},"resources_used":{`,
			change: func(j *Job) { j.Processors, j.ReqProcessors, j.Nodes = 16, 0, 2 }},
		{old: `"nodect":2`, new: `"nodect":5`, change: func(j *Job) { j.Nodes = 5 }},
		{old: `"ncpus":16`, new: `"ncpus":2147483647`, change: func(j *Job) { j.ReqProcessors = math.MaxInt32 }},
		{old: `"ncpus":16`, new: `"ncpus":2147483648`, err: ErrRange, says: "Jobs[0].Resource_List: value out of range: 2147483648"},
		{old: `"ncpus":16`, new: `"ncpus":-1`, err: ErrRange, says: "-1: want 0"},
		{old: `"4711[2].srv"`, new: `"x.srv"`, err: ErrSyntax, says: `"x.srv": want a job number`},
		{old: `"4711[2].srv"`, new: `"0.srv"`, change: func(j *Job) { j.ID = 0 }},
		{old: `"4711[2].srv"`, new: `"99"`, change: func(j *Job) { j.ID = 99 }},
		{old: "10:36:49 2025", new: "10:36:99 2025", err: ErrSyntax, says: "Jobs[0].etime"},
		{old: `"02:00:00"`, new: `"two"`, err: ErrSyntax, says: "Resource_List.walltime"},
		{old: `"job_state":"F"`, new: `"job_state":"Z"`, err: ErrSyntax, says: "job_state"},
		{old: `"job_state":"F"`, new: `"job_state":7`, err: ErrSyntax, says: "Jobs"},
		{old: `}}}}`, new: `}}`, err: ErrTruncated, says: "whole JSON"},
		{old: `"pbs_version":"23.06.06"`, new: `"pbs_version":`, err: ErrSyntax, says: "want"},
	})
	two := strings.Replace(text, `}}}}`, `}},"12.srv":{"Job_Owner":"bob@x","job_state":"Q","ctime":"Thu Jun 19 10:36:47 2025"}}}`, 1)
	jobs, _, err := readAll(t, two, Options{})
	if err != nil || len(jobs) != 2 || jobs[1].ID != 12 || jobs[1].State != Pending || jobs[1].Account != "" {
		t.Errorf("%v, %+v", err, jobs)
	}
}

// A job of `sacct --json`, field by field.
func TestSacctJSON(t *testing.T) {
	text := `{"jobs":[{"job_id":7,"user":"ann","group":"users","account":"phys","partition":"batch","qos":"low","nodes":"n[1-2]","state":{"current":["COMPLETED"]},
		"time":{"submission":1000000,"eligible":1000005,"start":1000010,"end":1000070,"elapsed":60,"limit":{"set":true,"infinite":false,"number":60}},
		"required":{"CPUs":12},"allocation_nodes":3,
		"tres":{"allocated":[{"type":"cpu","count":16},{"type":"node","count":2}],"requested":[{"type":"cpu","count":14}]}}]}`
	want := Job{ID: 7, User: "ann", Group: "users", Account: "phys", Partition: "batch", QOS: "low", State: Completed, Submit: at(1000000),
		Eligible: at(1000005), Start: at(1000010), End: at(1000070), Limit: time.Hour, Nodes: 2, Processors: 16, ReqProcessors: 14}
	checkEdits(t, text, want, []edit{
		{old: `"job_id":7`, new: `"job_id":{"set":true,"number":8}`, change: func(j *Job) { j.ID = 8 }},
		{old: `"job_id":7`, new: `"job_id":"9"`, change: func(j *Job) { j.ID = 9 }},
		{old: `"job_id":7`, new: `"job_id":0`, change: func(j *Job) { j.ID = 0 }},
		{old: `"job_id":7`, new: `"job_id":1e3`, change: func(j *Job) { j.ID = 1000 }},
		{old: `"job_id":7`, new: `"job_id":-7`, err: ErrMissing, says: "jobs[0].job_id"},
		{old: `"job_id":7`, new: `"job_id":1e300`, err: ErrSyntax, says: "is not a number"},
		{old: `"job_id":7`, new: `"job_id":null`, err: ErrMissing, says: "no job number"},
		{old: `"job_id":7`, new: `"job_id":{"set":false,"number":8}`, err: ErrMissing, says: "no job number"},
		{old: `"user":"ann"`, new: `"association":{"user":"eve"}`, change: func(j *Job) { j.User = "eve" }},
		{old: `"user":"ann"`, new: `"user":"None assigned","user_name":"kim"`, change: func(j *Job) { j.User = "kim" }},
		{old: `"group":"users"`, new: `"group_name":"staff"`, change: func(j *Job) { j.Group = "staff" }},
		{old: `{"current":["COMPLETED"]}`, new: `{"current":"FAILED"}`, change: func(j *Job) { j.State = Failed }},
		{old: `{"current":["COMPLETED"]}`, new: `["RUNNING","COMPLETING"]`, change: func(j *Job) { j.State, j.End = Running, time.Time{} }},
		{old: `"end":1000070`, new: `"end":0`, change: func(j *Job) { j.End = at(1000070) }}, // start and elapsed
		{old: `"end":1000070,"elapsed":60`, new: `"end":0,"elapsed":-1`, change: func(j *Job) { j.End = time.Time{} }},
		{old: `"end":1000070,"elapsed":60`, new: `"end":0,"elapsed":0`, change: func(j *Job) { j.End = j.Start }},
		{old: `"end":1000070,"elapsed":60`, new: `"end":0`, change: func(j *Job) { j.End = time.Time{} }},
		{old: `"start":1000010,"end":1000070`, new: `"start":0,"end":0`, change: func(j *Job) { j.Start, j.End = time.Time{}, time.Time{} }},
		{old: `"start":1000010`, new: `"start":-5`, err: ErrRange, says: "jobs[0].time.start: value out of range: -5"},
		{old: `"end":1000070`, new: `"end":68719476736`, change: func(j *Job) { j.End = at(1 << 36) }},
		{old: `"end":1000070`, new: `"end":68719476737`, err: ErrRange, says: "time.end"},
		{old: `"infinite":false,"number":60`, new: `"infinite":true,"number":0`, change: func(j *Job) { j.Limit = Unlimited }},
		{old: `"number":60`, new: `"number":0`, change: func(j *Job) { j.Limit = 0 }},
		{old: `"number":60`, new: `"number":153722867`, change: func(j *Job) { j.Limit = 153722867 * time.Minute }},
		{old: `"number":60`, new: `"number":153722868`, err: ErrRange, says: "want minutes"},
		{old: `"number":60`, new: `"number":-1`, err: ErrRange, says: "want minutes"},
		{old: `,"requested":[{"type":"cpu","count":14}]`, new: ``, change: func(j *Job) { j.ReqProcessors = 12 }},
		{old: `[{"type":"cpu","count":16},{"type":"node","count":2}]`, new: `[]`, change: func(j *Job) { j.Processors, j.Nodes = 14, 3 }},
		{old: `"allocation_nodes":3,
		"tres":{"allocated":[{"type":"cpu","count":16},{"type":"node","count":2}]`, new: `"tres":{"allocated":[{"type":"cpu","count":16}]`},
		{old: `"count":16`, new: `"count":2147483648`, err: ErrRange, says: "cpus"},
		{old: `"count":16`, new: `"count":2147483647`, change: func(j *Job) { j.Processors = math.MaxInt32 }},
		{old: `"allocated":[`, new: `"allocated":7,"x":[`, err: ErrSyntax, says: "tres"},
		{old: `"state":{`, new: `"state":{"current":7},"y":{`, err: ErrSyntax, says: "jobs"},
		{old: `]}}]}`, new: `]}}`, err: ErrTruncated, says: "jobs"},
		{old: `]}}]}`, new: `]}}]} {`},
		{old: `]}}]}`, new: `]}}],"errors":[]}`},
	})
}

// An E record of PBS and of Torque, pair by pair.
func TestPBSPairs(t *testing.T) {
	text := "02/11/2026 20:12:21;E;12[3].srv;user=ann group=g project=_pbs_project_default queue=q ctime=1000000 qtime=1000003 etime=1000004 " +
		"start=1000010 exec_host=n1/0*8+n2/0-7 Resource_List.nodect=2 Resource_List.walltime=01:00:00 resources_used.ncpus=12 end=1000070 Exit_status=0\n"
	want := Job{ID: 12, User: "ann", Group: "g", Partition: "q", State: Completed, Submit: at(1000000), Eligible: at(1000004), Start: at(1000010),
		End: at(1000070), Limit: time.Hour, Nodes: 2, Processors: 12}
	checkEdits(t, text, want, []edit{
		{old: "project=_pbs_project_default", new: "project=p", change: func(j *Job) { j.Account = "p" }},
		{old: "project=_pbs_project_default", new: "account=a project=p", change: func(j *Job) { j.Account = "a" }},
		{old: "ctime=1000000 ", new: "", change: func(j *Job) { j.Submit = at(1000003) }},
		{old: "ctime=1000000 ", new: "ctime=1000009 ", change: func(j *Job) { j.Submit = at(1000003) }},
		{old: "resources_used.ncpus=12 ", new: "", change: func(j *Job) { j.Processors = 16 }},
		{old: "resources_used.ncpus=12 ", new: "Resource_List.ncpus=20 ", change: func(j *Job) { j.Processors, j.ReqProcessors = 20, 20 }},
		{old: "resources_used.ncpus=12 ", new: "Resource_List.nodes=2:ppn=4+big:ppn=8+3 ", change: func(j *Job) { j.Processors, j.ReqProcessors = 19, 19 }},
		{old: "Resource_List.nodect=2 ", new: ""},
		{old: "exec_host=n1/0*8+n2/0-7 Resource_List.nodect=2 Resource_List.walltime=01:00:00 resources_used.ncpus=12", new: "",
			change: func(j *Job) { j.Nodes, j.Processors, j.Limit = 0, 0, 0 }},
		{old: "exec_host=n1/0*8+n2/0-7 Resource_List.nodect=2 Resource_List.walltime=01:00:00 resources_used.ncpus=12", new: "exec_host=n1/3+n1/4+n2/1*x Resource_List.walltime=60",
			change: func(j *Job) { j.Nodes, j.Processors, j.Limit = 2, 3, time.Minute }},
		{old: "exec_host=n1/0*8+n2/0-7 Resource_List.nodect=2", new: "exec_host=n1/0*8+n2/0-7"},
		{old: "Exit_status=0", new: "Exit_status=-29", change: func(j *Job) { j.State = Failed }},
		{old: "Exit_status=0", new: "Exit_status=3", change: func(j *Job) { j.State = Failed }},
		{old: "01:00:00 resources_used.ncpus=12 end=1000070 Exit_status=0", new: "00:01:00 resources_used.ncpus=12 end=1000070 Exit_status=271", change: func(j *Job) { j.State, j.Limit = Timeout, time.Minute }},
		{old: "01:00:00 resources_used.ncpus=12 end=1000070 Exit_status=0", new: "00:01:01 resources_used.ncpus=12 end=1000070 Exit_status=271", change: func(j *Job) { j.State, j.Limit = Failed, 61*time.Second }},
		{old: "Resource_List.walltime=01:00:00 resources_used.ncpus=12 end=1000070 Exit_status=0", new: "resources_used.ncpus=12 end=1000070 Exit_status=271", change: func(j *Job) { j.State, j.Limit = Failed, 0 }},
		{old: "user=ann", new: "a message user=ann"},
		{old: "Exit_status=0", new: "Exit_status=0 bye"},
		{old: "resources_used.ncpus=12", new: "resources_used.ncpus=2147483648", err: ErrSyntax, says: "want a whole number up to 2147483647"},
		{old: "resources_used.ncpus=12", new: "resources_used.ncpus=2147483647", change: func(j *Job) { j.Processors = math.MaxInt32 }},
		{old: "resources_used.ncpus=12", new: "resources_used.ncpus=x", err: ErrSyntax, says: "resources_used.ncpus"},
		{old: "nodect=2", new: "nodect=y", err: ErrSyntax, says: "nodect"},
		{old: "walltime=01:00:00", new: "walltime=1h", err: ErrSyntax, says: "want a span such as 01:00:00"},
		{old: "end=1000070", new: "end=soon", err: ErrSyntax, says: "want seconds since 1970"},
		{old: " end=1000070", new: "", err: ErrMissing, says: "no end="},
		{old: "qtime=1000003", new: "qtime=?", err: ErrSyntax, says: "qtime"},
		{old: "12[3].srv", new: "0.srv", change: func(j *Job) { j.ID = 0 }},
		{old: "12[3].srv", new: "9", change: func(j *Job) { j.ID = 9 }},
		{old: ";E;12[3].srv;", new: ";E;12[3].srv ", err: ErrSyntax, says: "3 parts between semicolons: want 4"},
	})
	if _, _, err := readAll(t, text+"no record\n", Options{}); !errors.Is(err, ErrSyntax) || !strings.Contains(err.Error(), "line 2") {
		t.Errorf("a line that is no record: %v", err)
	}
	for nodes, want := range map[string]int{"": 0, "4": 4, "4:ppn=2": 8, "x:ppn=3": 3, "2:ppn=2+": 0, "16777216": 1 << 24, "16777217": 0, "1:ppn=16777217": 0, "4:5": 4} {
		if got := torqueNodes([]byte(nodes)); got != want {
			t.Errorf("nodes=%s: %d processors, want %d", nodes, got, want)
		}
	}
	for list, want := range map[string][2]int{"": {0, 0}, "n1/0": {1, 1}, "n1/0*4+n1/4*2": {1, 6}, "n1/0-3+n2/0": {2, 5}, "n1/0*16777216": {1, 1 << 24}, "n1/0*16777217": {1, 1}, "n1/0*x": {1, 1}} {
		hosts, slots := execHosts([]byte(list))
		if hosts != want[0] || slots != want[1] {
			t.Errorf("exec_host=%s: %d hosts and %d slots, want %v", list, hosts, slots, want)
		}
	}
}

// A JOB_FINISH record of LSF, field by field.
func TestLSFFields(t *testing.T) {
	rusage := strings.Repeat("0 ", 19)
	text := `"JOB_FINISH" "10.1" 1644826549 386 1501 33554434 6 1644826545 1644826546 0 1644826547 "ann" "night" "" "" "" "h" "/root" "" "" "" "f" 1 "hostX" 2 "4*hostA" "2*hostB" 64 100.0 "name" "/bin/echo" ` +
		rusage + `"" "proj" 0 6 "" "" 0 2048 0 "" "" "" "" 0 "" 0 "" -1 "" "" "" "" 7200 "" ""` + "\n"
	want := Job{ID: 386, User: "ann", Account: "proj", Partition: "night", State: Completed, Submit: at(1644826545), Eligible: at(1644826546),
		Start: at(1644826547), End: at(1644826549), Limit: 2 * time.Hour, Nodes: 2, Processors: 6, ReqProcessors: 6}
	checkEdits(t, text, want, []edit{
		{old: " 64 100.0", new: " 32 100.0", change: func(j *Job) { j.State = Failed }},
		{old: ` 64 100.0 "name" "/bin/echo" ` + rusage + `"" "proj" 0 6`, new: ` 32 100.0 "name" "/bin/echo" ` + rusage + `"" "proj" 35840 6`, change: func(j *Job) { j.State = Timeout }},
		{old: "1644826546 0 1644826547", new: "1644826546 0 0", change: func(j *Job) { j.Start, j.Processors, j.Nodes = time.Time{}, 0, 0 }},
		{old: "1644826546 0 1644826547", new: "1 0 1644826547", change: func(j *Job) { j.Eligible = at(1644826545) }},
		{old: `"4*hostA" "2*hostB"`, new: `"hostA" "hostA"`, change: func(j *Job) { j.Nodes = 1 }}, // each host once: the requested processors
		{old: `"4*hostA" "2*hostB"`, new: `"4*hostA" "4*hostB"`, change: func(j *Job) { j.Processors = 8 }},
		{old: `"4*hostA" "2*hostB"`, new: `"4*hostA" "2*hostA"`, change: func(j *Job) { j.Nodes = 1 }},
		{old: " 7200 ", new: " -1 ", change: func(j *Job) { j.Limit = 0 }},
		{old: " 7200 ", new: " 0 ", change: func(j *Job) { j.Limit = 0 }},
		{old: " 7200 ", new: " 4294967296 ", change: func(j *Job) { j.Limit = 0 }},
		{old: " 7200 ", new: " 4294967295 ", change: func(j *Job) { j.Limit = (1<<32 - 1) * time.Second }},
		{old: ` "" "" "" "" 7200 "" ""`, new: ``, change: func(j *Job) { j.Limit = 0 }},
		{old: " 386 ", new: " 0 ", change: func(j *Job) { j.ID = 0 }},
		{old: " 386 ", new: " -3 ", err: ErrRange, says: "numProcessors"},
		{old: " 33554434 6 ", new: " 33554434 -6 ", err: ErrRange, says: "numProcessors"},
		{old: " 33554434 6 ", new: " 33554434 2147483648 ", err: ErrRange, says: "2147483648: want at most 2147483647"},
		{old: " 33554434 6 ", new: " 33554434 2147483647 ", change: func(j *Job) { j.ReqProcessors, j.Processors = math.MaxInt32, math.MaxInt32 }},
		{old: " 33554434 6 ", new: " 33554434 0 ", change: func(j *Job) { j.ReqProcessors = 0 }},
		{old: "1644826549 386", new: "0 386", err: ErrSyntax, says: "times in seconds since 1970"},
		{old: "1644826549 386", new: "-4 386", err: ErrSyntax, says: "times in seconds since 1970"},
		{old: "1644826549 386", new: "68719476737 386", err: ErrSyntax, says: "times in seconds since 1970"},
		{old: "1644826549 386", new: "68719476736 386", change: func(j *Job) { j.End = at(1 << 36) }},
		{old: " 6 1644826545 ", new: " 6 0 ", err: ErrSyntax, says: "times in seconds since 1970"},
		{old: " 6 1644826545 ", new: " 6 -1 ", err: ErrSyntax, says: "times in seconds since 1970"},
		{old: "1644826546 0 1644826547", new: "-1 0 1644826547", err: ErrSyntax, says: "times in seconds since 1970"},
		{old: "1644826546 0 1644826547", new: "1644826546 0 -1", err: ErrSyntax, says: "times in seconds since 1970"},
		{old: " 386 ", new: " x ", err: ErrSyntax, says: "the job's number"},
		{old: ` 1 "hostX" `, new: ` -1 `, err: ErrSyntax, says: "numAskedHosts"},
		{old: ` 1 "hostX" `, new: ` 16777217 "hostX" `, err: ErrSyntax, says: "numAskedHosts"},
		{old: ` 1 "hostX" `, new: ` z "hostX" `, err: ErrSyntax, says: "numAskedHosts"},
		{old: ` 1 "hostX" `, new: ` 0 `},
		{old: ` 2 "4*hostA" "2*hostB"`, new: ` -2`, err: ErrSyntax, says: "numExHosts"},
		{old: ` 2 "4*hostA" "2*hostB"`, new: ` 9999 "4*hostA" "2*hostB"`, err: ErrSyntax, says: "numExHosts"},
		{old: ` 2 "4*hostA" "2*hostB"`, new: ` q "4*hostA" "2*hostB"`, err: ErrSyntax, says: "numExHosts"},
		{old: `"" "proj" 0 6`, new: `"" "proj`, err: ErrSyntax, says: "JOB_FINISH"},
		{old: `"4*hostA" "2*hostB" 64`, new: `"4*hostA" "2*hostB" s`, err: ErrSyntax, says: "status, 19 numbers"},
	})
	for line, want := range map[string]bool{
		`"JOB_FINISH" "10.1"`: true, `"A0_Z9" "x`: true, `"JOB_FINISH"`: false, `"JOB_FINISH" 1`: false, `JOB_FINISH "10.1"`: false,
		`"job" "1"`: false, `"" "1"`: false, ``: false, `"A"x"B"`: false, `"A/B" "1"`: false, `"A[" "1"`: false, `"A@" "1"`: false, `"A:" "1"`: false, `"X`: false,
	} {
		if got := isLSF([]byte(line)); got != want {
			t.Errorf("%s: lsfForm %v, want %v", line, got, want)
		}
	}
}

// Each state of a job as a record of the Standard Workload Format.
func TestRecordStates(t *testing.T) {
	text := "JobIDRaw|User|Account|Partition|QOS|State|Submit|Start|End|Timelimit|AllocCPUS|ReqCPUS|ReqMem|NNodes\n"
	row := func(state, start, end, alloc string) string {
		return "1|ann|phys|batch|low|" + state + "|1767225600|" + start + "|" + end + "|00:02:00|" + alloc + "|17|1000Mc|1\n"
	}
	for _, c := range []struct {
		row                 string
		status, processors  int
		wait, run, estimate time.Duration
	}{
		{row("COMPLETED", "1767225660", "1767225720", "16"), trace.StatusCompleted, 16, time.Minute, time.Minute, 2 * time.Minute},
		{row("COMPLETED", "1767225660", "1767225660", "16"), trace.StatusCompleted, 16, time.Minute, 0, 2 * time.Minute},
		{row("FAILED", "1767225660", "1767225720", "16"), trace.StatusFailed, 16, time.Minute, time.Minute, 2 * time.Minute},
		{row("TIMEOUT", "1767225660", "1767225720", "16"), trace.StatusFailed, 16, time.Minute, time.Minute, 2 * time.Minute},
		{row("PREEMPTED", "1767225660", "1767225720", "16"), trace.StatusFailed, 16, time.Minute, time.Minute, 2 * time.Minute},
		{row("CANCELLED by 7", "Unknown", "1767225720", "0"), trace.StatusCancelled, -1, -time.Second, 0, 2 * time.Minute},
		{row("COMPLETED", "1767225660", "1767225600", "16"), trace.StatusCompleted, 16, time.Minute, -time.Second, 2 * time.Minute},
		{row("RUNNING", "1767225660", "Unknown", "16"), trace.StatusUnknown, 16, time.Minute, -time.Second, 2 * time.Minute},
		{row("PENDING", "Unknown", "Unknown", "0"), trace.StatusUnknown, -1, -time.Second, -time.Second, 2 * time.Minute},
	} {
		var got []trace.Record
		for rec, err := range NewReader(strings.NewReader(text+c.row), Options{}).Records() {
			if err != nil {
				t.Fatalf("%s%v", c.row, err)
			}
			got = append(got, rec)
		}
		want := trace.Record{ID: 1, Submit: 1767225600 * time.Second, Wait: c.wait, Run: c.run, CPU: -time.Second, Memory: -1, Processors: c.processors,
			ReqProcessors: 17, ReqTime: c.estimate, ReqMemory: 1024000, Status: c.status, User: 1, Group: 1, Executable: -1, Queue: 1, Partition: 1, Preceding: -1, Think: -time.Second}
		if d := cmp.Diff([]trace.Record{want}, got); d != "" {
			t.Errorf("%s(-want +got):\n%s", c.row, d)
		}
	}
	// What a row does not know is unknown, and an error ends the records.
	bare := "JobIDRaw|Submit|Start|End|AllocCPUS\n1|1767225600|1767225660|1767225720|4\n2|x|1|1|1\n3|1767225600|1767225660|1767225720|4\n"
	seen := 0
	for rec, err := range NewReader(strings.NewReader(bare), Options{}).Records() {
		seen++
		if seen == 1 && (err != nil || rec.ReqTime != -time.Second || rec.ReqMemory != -1 || rec.ReqProcessors != -1 || rec.User != -1) {
			t.Errorf("%+v, %v", rec, err)
		}
		if seen == 2 && !errors.Is(err, ErrSyntax) {
			t.Errorf("%+v, %v", rec, err)
		}
	}
	if seen != 2 {
		t.Errorf("%d records and errors, want 2", seen)
	}
}

// A gzip log is told apart by its first two bytes, and a line has a limit.
func TestFirstBytes(t *testing.T) {
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	io.WriteString(z, "\ufeff"+header)
	z.Close()
	if got := detect(zipped.Bytes()); got != tableForm {
		t.Errorf("gzip: %v", got)
	}
	for head, want := range map[string]form{"\x1f": noForm, "\x8b\x1f": noForm, `{"Jobs":{`: qstatForm, `{"pbs_version":"1","x":{`: qstatForm} {
		if got := detect([]byte(head)); got != want {
			t.Errorf("%q: %v, want %v", head, got, want)
		}
	}
	long := "JobID|Submit|Start|End|NCPUS\n1|1767225600|1767225660|1767225720|4" + strings.Repeat(" ", maxLine) + "\n"
	if _, _, err := readAll(t, long, Options{}); !errors.Is(err, ErrTooLong) || !strings.Contains(err.Error(), "line 2") {
		t.Errorf("a line of more than %d bytes: %v", maxLine, err)
	}
	first := strings.Replace(long, strings.Repeat(" ", maxLine), "", 1)
	if jobs, _, err := readAll(t, "\n\n"+first, Options{}); err != nil || len(jobs) != 1 {
		t.Errorf("%v, %v", jobs, err)
	}
	if _, _, err := readAll(t, "\n\n"+strings.Replace(first, "|4", "|x", 1), Options{}); err == nil || !strings.Contains(err.Error(), "line 4") {
		t.Errorf("lines are counted from the first of the file: %v", err)
	}
}
