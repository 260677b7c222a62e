package accounting

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/inputerr"
	"github.com/plimsoll/plimsoll/schedule/trace"
)

func utc(s string) time.Time {
	t, err := time.Parse("2006-01-02T15:04:05", s)
	if err != nil {
		panic(err)
	}
	return t
}

func readAll(t testing.TB, text string, opts Options) ([]Job, *Reader, error) {
	t.Helper()
	r := NewReader(strings.NewReader(text), opts)
	var jobs []Job
	for j, err := range r.Jobs() {
		if err != nil {
			return jobs, r, err
		}
		jobs = append(jobs, j)
	}
	return jobs, r, nil
}

const header = "JobID|JobIDRaw|User|Account|Partition|QOS|State|Submit|Start|End|Elapsed|Timelimit|NNodes|AllocCPUS|ReqCPUS|ReqMem|JobName\n"

// Each text is one that sacct prints; the values are read off it by hand.
func TestTable(t *testing.T) {
	text := header +
		"12_3|15|ann|phys|batch|normal|CANCELLED by 1000|2026-01-01T00:00:00|2026-01-01T00:00:10|2026-01-11T13:27:16|10-13:27:06|37-14:00:00|2|24|24|31000Mn|a|b\n" +
		"12_3.batch|15.batch|||||COMPLETED|2026-01-01T00:00:00|2026-01-01T00:00:10|2026-01-01T00:00:20|00:00:10||1|12|12||batch\n" +
		"16|16|bob|phys|batch|normal|PENDING|2026-01-02T00:00:00|Unknown|Unknown|00:00:00|UNLIMITED|1|0|8|2147486648Mn|c\n" +
		"17|17|bob||gpu|normal|RUNNING|2026-01-02T00:00:00|2026-01-02T00:00:01|Unknown|05:00|Partition_Limit|1|8|8|4Gc|d\n" +
		"18|18|bob|phys|gpu|normal|TIMEOUT|2026-01-02T00:00:00|2026-01-02T00:00:01|Unknown|01:00:00|60|1|8|8|0|e\n" +
		"19|19|bob|phys|gpu|normal|CANCELLED|2026-01-02T00:00:00|None|2026-01-02T00:00:03|00:00:00|01:00:00|1|0|4||f\n"
	got, _, err := readAll(t, text, Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := []Job{
		{ID: 15, User: "ann", Account: "phys", Partition: "batch", QOS: "normal", State: Cancelled,
			Submit: utc("2026-01-01T00:00:00"), Start: utc("2026-01-01T00:00:10"), End: utc("2026-01-11T13:27:16"),
			Limit: (37*24 + 14) * time.Hour, Nodes: 2, Processors: 24, ReqProcessors: 24, Memory: 31000 * 1024 * 2 / 24.},
		{ID: 16, User: "bob", Account: "phys", Partition: "batch", QOS: "normal", State: Pending,
			Submit: utc("2026-01-02T00:00:00"), Limit: Unlimited, Nodes: 1, ReqProcessors: 8, Memory: 3000 * 1024},
		{ID: 17, User: "bob", Partition: "gpu", QOS: "normal", State: Running,
			Submit: utc("2026-01-02T00:00:00"), Start: utc("2026-01-02T00:00:01"), Nodes: 1, Processors: 8, ReqProcessors: 8, Memory: 4 << 20},
		{ID: 18, User: "bob", Account: "phys", Partition: "gpu", QOS: "normal", State: Timeout,
			Submit: utc("2026-01-02T00:00:00"), Start: utc("2026-01-02T00:00:01"), End: utc("2026-01-02T01:00:01"),
			Limit: time.Hour, Nodes: 1, Processors: 8, ReqProcessors: 8},
		{ID: 19, User: "bob", Account: "phys", Partition: "gpu", QOS: "normal", State: Cancelled,
			Submit: utc("2026-01-02T00:00:00"), End: utc("2026-01-02T00:00:03"), Limit: time.Hour, Nodes: 1, ReqProcessors: 4},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("jobs differ (-want +got):\n%s", d)
	}
}

// The records of the Standard Workload Format have numbers for names, and no run
// time where a job has not ended.
func TestRecords(t *testing.T) {
	text := "JobIDRaw|User|Account|Partition|QOS|State|Submit|Start|End|Timelimit|AllocCPUS|ReqCPUS\n" +
		"1|ann|phys|batch|low|COMPLETED|1767225600|1767225660|1767225720|00:02:00|17|17\n" +
		"2|bob|phys|batch||RUNNING|1767225601|1767225661|Unknown|00:02:00|1|1\n" +
		"3|ann|chem|gpu|low|CANCELLED by 1|1767225602|Unknown|1767225610|00:02:00|0|4\n" +
		"4|bob|phys|batch|low|FAILED|1767225603|1767225663|1767225664|UNLIMITED|1|1\n"
	r := NewReader(strings.NewReader(text), Options{})
	jobs, report, err := trace.Convert(r.Records(), trace.Options{PerInstance: 16})
	if err != nil {
		t.Fatal(err)
	}
	want := []trace.Job{
		{ID: 1, Run: time.Minute, Estimate: 2 * time.Minute, Nodes: 2, User: 1, Queue: 1, Wait: time.Minute},
		{ID: 4, Submit: 3 * time.Second, Run: time.Second, Estimate: time.Second, Nodes: 1, User: 2, Queue: 1, Wait: time.Minute},
	}
	if d := cmp.Diff(want, jobs); d != "" {
		t.Errorf("jobs differ (-want +got):\n%s", d)
	}
	if report.NoRun != 1 || report.Cancelled != 1 || report.Base != 1767225600*time.Second {
		t.Errorf("%+v", report)
	}
	names := [][]string{r.Users(), r.Accounts(), r.Partitions(), r.QOS()}
	if d := cmp.Diff([][]string{{"ann", "bob"}, {"phys", "chem"}, {"batch", "gpu"}, {"low"}}, names); d != "" {
		t.Error(d)
	}
}

func TestJSON(t *testing.T) {
	want := []Job{
		{ID: 7, User: "ann", Account: "phys", Partition: "batch", State: Completed, Submit: time.Unix(1000000, 0).UTC(),
			Start: time.Unix(1000010, 0).UTC(), End: time.Unix(1000070, 0).UTC(), Limit: time.Hour, Nodes: 2, Processors: 16, ReqProcessors: 12},
		{ID: 8, User: "bob", Partition: "batch", State: Pending, Submit: time.Unix(1000001, 0).UTC(), Limit: Unlimited, Nodes: 1, ReqProcessors: 4},
	}
	for name, text := range map[string]string{
		"sacct 21.08": `{"meta":{"Slurm":{}},"errors":[],"jobs":[
			{"job_id":7,"user":"ann","account":"phys","partition":"batch","nodes":"n[1-2]","state":{"current":"COMPLETED","reason":"None"},
			 "time":{"submission":1000000,"start":1000010,"end":1000070,"elapsed":60,"limit":60},
			 "required":{"CPUs":12},"tres":{"allocated":[{"type":"cpu","count":16},{"type":"node","count":2}],"requested":[{"type":"cpu","count":12}]}},
			{"job_id":8,"association":{"user":"bob","partition":"batch"},"allocation_nodes":1,"state":{"current":["PENDING"]},
			 "time":{"submission":{"set":true,"number":1000001},"start":1000500,"end":0,"limit":{"set":false,"infinite":true,"number":0}},
			 "required":{"CPUs":4},"tres":{"allocated":[],"requested":[]}}]}`,
		"squeue 25.05": `{"jobs":[
			{"job_id":7,"user_name":"ann","account":"phys","partition":"batch","job_state":["COMPLETED","COMPLETING"],"cpus":{"set":true,"infinite":false,"number":16},
			 "node_count":{"set":true,"infinite":false,"number":2},"submit_time":{"set":true,"infinite":false,"number":1000000},
			 "start_time":{"set":true,"infinite":false,"number":1000010},"end_time":{"set":true,"infinite":false,"number":1000070},
			 "time_limit":{"set":true,"infinite":false,"number":60},"required":{"CPUs":12},"tres":{"requested":[{"type":"cpu","count":12}]}},
			{"job_id":8,"user_name":"bob","partition":"batch","job_state":"PENDING","cpus":4,"node_count":1,"submit_time":1000001,
			 "start_time":1000900,"end_time":1001000,"time_limit":{"set":true,"infinite":true,"number":0},"tres_req_str":"cpu=4"}],"warnings":[]}`,
	} {
		got, r, err := readAll(t, text, Options{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s: jobs differ (-want +got):\n%s", name, d)
		}
		if f, _ := r.begin(); f != slurmForm {
			t.Errorf("%s: %v", name, f)
		}
	}
}

// A table of tables put one after the other repeats its header line.
func TestRepeatedHeader(t *testing.T) {
	text := "JobID|Submit|Start|End|NCPUS\n1|100000000|100000001|100000002|1\n"
	jobs, _, err := readAll(t, text+text, Options{})
	if err != nil || len(jobs) != 2 {
		t.Errorf("%v, %+v", err, jobs)
	}
}

// Each mistake is one sentence with the place and what would be right.
func TestMistakes(t *testing.T) {
	row := func(old, new string) string {
		return header + strings.Replace("15|15|ann|phys|batch|normal|COMPLETED|2026-01-01T00:00:00|2026-01-01T00:00:10|2026-01-01T00:00:20|00:00:10|1-00|2|24|24|31000Mn|a\n", old, new, 1)
	}
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	io.WriteString(z, row("", "")+strings.Repeat(strings.TrimPrefix(row("", ""), header), 1000))
	z.Close()
	for text, want := range map[string]struct {
		is   error
		says string
	}{
		"":                                 {ErrFormat, "no job and no header line"},
		"\n \n":                            {ErrFormat, "no job"},
		"hello world\n":                    {ErrFormat, `line 1`},
		"JobID|User\n1|a\n":                {ErrMissing, "Submit"},
		"1 0 0 60 4 -1 -1\n":               {ErrFormat, "want sacct -P"},
		row("|24|24|", "|x|24|"):           {ErrSyntax, "line 2, column 14 (AllocCPUS)"},
		row("|24|24|", "|99999999999|24|"): {ErrRange, "column 14"},
		row("2026-01-01T00:00:20", "2026-02-30T00:00:20"):           {ErrSyntax, "column 10 (End)"},
		row("00:00:10|1", "00:61:10|1"):                             {ErrSyntax, "column 11 (Elapsed)"},
		row("COMPLETED", "DONE?"):                                   {ErrSyntax, "column 7 (State)"},
		row("15|15", "x|x"):                                         {ErrSyntax, "column 2 (JobIDRaw)"},
		row("|24|31000Mn|a", ""):                                    {ErrSyntax, "want 17"},
		row("31000Mn", "31000Qn"):                                   {ErrSyntax, "ReqMem"},
		zipped.String()[:zipped.Len()-20]:                           {ErrTruncated, "whole file"},
		"\x1f\x8bxxxxxxxxxxxxxxxx":                                  {ErrSyntax, "gzip"},
		`{"jobs":[{"job_id":1`:                                      {ErrTruncated, "jobs[0]"},
		`{"jobs":[{"job_id":1,"job_state":"RUNNING"}`:               {ErrTruncated, "jobs"},
		`{"jobs":[{"job_id":{"set":true,"number":"x"}}]}`:           {ErrSyntax, "jobs[0]"},
		`{"jobs":[{"job_id":1,"job_state":["LOST"]}]}`:              {ErrSyntax, "jobs[0].state"},
		`{"jobs":[{"job_state":"RUNNING"}]}`:                        {ErrMissing, "jobs[0].job_id"},
		`{"jobs":7}`:                                                {ErrSyntax, "array"},
		`{"stdout":"{}"}`:                                           {ErrMissing, "jobs"},
		`{"errors":[{"description":"slurmdbd is away"}],"jobs":[]}`: {ErrSyntax, "slurmdbd is away"},
		"02/11/2026 20:12:21;E;x.srv;user=a\n":                      {ErrSyntax, "line 1 (job)"},
		"02/11/2026 20:12:21;E;7.srv;user=a start=5\n":              {ErrSyntax, "line 1 (start)"},
		"02/11/2026 20:12:21;E;7.srv;user=a\n":                      {ErrMissing, "ctime"},
		"02/11/2026 20:12:21;E;7.srv;account=\"a\n":                 {ErrSyntax, "quotation mark"},
		`"JOB_FINISH" "10.1" 1644826549 386`:                        {ErrSyntax, "line 1 (JOB_FINISH)"},
	} {
		_, _, err := readAll(t, text, Options{})
		if !errors.Is(err, want.is) || !strings.Contains(err.Error(), want.says) || !strings.Contains(err.Error(), "want") {
			t.Errorf("%q: %v\nwant an error that is %q and says %q", inputerr.Cut(text), err, want.is, want.says)
		}
		var input *inputerr.Error
		if !errors.As(err, &input) || input.Package != "accounting" {
			t.Errorf("%q: %T", inputerr.Cut(text), err)
		}
	}
	// After a bad line the next can be read.
	r := NewReader(strings.NewReader(row("COMPLETED", "?")+strings.TrimPrefix(row("", ""), header)), Options{})
	var job Job
	if err := r.Next(&job); err == nil {
		t.Error("a bad state is read")
	}
	if err := r.Next(&job); err != nil || job.ID != 15 {
		t.Errorf("%v, %+v", err, job)
	}
	if err := r.Next(&job); err != io.EOF {
		t.Error(err)
	}
}

func TestLocation(t *testing.T) {
	east := time.FixedZone("east", 2*3600)
	jobs, _, err := readAll(t, "JobID|Submit|Start|End|NCPUS\n1|2026-01-01T00:00:00|2026-01-01T00:00:00|2026-01-01T01:00:00+02:00|1\n", Options{Location: east})
	if err != nil || !jobs[0].Submit.Equal(utc("2025-12-31T22:00:00")) || !jobs[0].End.Equal(utc("2025-12-31T23:00:00")) {
		t.Errorf("%v, %+v", err, jobs)
	}
}

func TestColumns(t *testing.T) {
	jobs, _, err := readAll(t, "1,2026-01-01T00:00:00,2026-01-01T00:00:00,2026-01-01T01:00:00,\"4\"\n", Options{Columns: []string{"JobID", "Submit", "Start", "End", "NCPUS"}})
	if err != nil || len(jobs) != 1 || jobs[0].Processors != 4 {
		t.Errorf("%v, %+v", err, jobs)
	}
	if _, _, err := readAll(t, "1,2\n", Options{Columns: []string{"JobID", "Submit", "Start"}}); !errors.Is(err, ErrFormat) {
		t.Error(err)
	}
}

func TestHosts(t *testing.T) {
	for list, want := range map[string]int{
		"n1": 1, "n[1-2],n7": 3, "cpn-f13-03-[01-02],cpn-f13-04-[01-02]": 4, "r[1-3]n[0-9,a]": 33, "None assigned": 0,
		"n[1": -1, "n]": -1, "n[5-2]": -1, "n[0-99999999]": -1, "n[1-9999][1-9999]": -1,
	} {
		n, ok := countHosts([]byte(list))
		if !ok {
			n = -1
		}
		if n != want {
			t.Errorf("%s: %d, want %d", list, n, want)
		}
	}
}

func TestDetect(t *testing.T) {
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	io.WriteString(z, header)
	z.Close()
	for text, want := range map[string]form{
		zipped.String(): tableForm, zipped.String()[:5]: noForm, header: tableForm, "JobID|User\n": tableForm, "1 0 0 60 1\n": noForm, "; Version: 2\n1 0": noForm, "": noForm,
		`{"meta":{}`: slurmForm, "\n" + `{"timestamp":1,"pbs_version":"23","Jobs":{`: qstatForm,
		"02/11/2026 20:12:21;E;7.srv;user=a": pbsForm, `"JOB_FINISH" "10.1" 16`: lsfForm,
		"week,value\n1,2\n": noForm,
	} {
		if got := detect([]byte(text)); got != want {
			t.Errorf("%q: %v, want %v", inputerr.Cut(text), got, want)
		}
	}
}

// A table costs no allocation per job once its names are known.
func TestAllocs(t *testing.T) {
	row := "15|15|ann|phys|batch|normal|COMPLETED|2026-01-01T00:00:00|2026-01-01T00:00:10|2026-01-01T00:00:20|00:00:10|1-00:00:00|2|24|24|0|a\n"
	r := NewReader(strings.NewReader(header+strings.Repeat(row, 5000)), Options{})
	var job Job
	for range 100 {
		if err := r.Next(&job); err != nil {
			t.Fatal(err)
		}
	}
	if n := testing.AllocsPerRun(4000, func() {
		if err := r.Next(&job); err != nil {
			t.Fatal(err)
		}
	}); n > 0 {
		t.Errorf("%v allocations per job", n)
	}
}
