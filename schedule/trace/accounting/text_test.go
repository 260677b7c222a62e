package accounting

import (
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/inputerr"
)

// Amounts of memory, in KB per processor, for a job of 2 nodes and 8 processors.
func TestMemory(t *testing.T) {
	for text, want := range map[string]float64{
		"": 0, "0": 0, "Unknown": 0, "00": 0, "9Kc": 9, "2048bc": 2, "512Mc": 512 << 10, "512c": 512 << 10, "4Gc": 4 << 20, "4gbc": 4 << 20, "3Tc": 3 << 30, "3tbc": 3 << 30,
		"1Pc": 1 << 40, "1pbc": 1 << 40, "3.5Gc": 3.5 * (1 << 20), "1000Mn": 2000 << 10 / 8., "8G": 1 << 20, "10gb": 10 << 20 / 8., "16": 2 << 10,
		"2147486648Mn": 3000 << 10, "2147483648Mn": 0, "2147483647Mn": 2 * 2147483647 * 1024. / 8, "2147486648Mc": 2147486648 * 1024,
		"Q": -1, "5Q": -1, "5.5.5G": -1, "G": -1, "n": -1, "c": -1, "0x1G": -1,
	} {
		got, ok := parseMemory([]byte(text), 2, 8)
		if !ok {
			got = -1
		}
		if got != want {
			t.Errorf("%q: %v KB, want %v", text, got, want)
		}
	}
	if kb, ok := parseMemory([]byte("4G"), 0, 0); !ok || kb != 0 {
		t.Errorf("without processors: %v, %v", kb, ok)
	}
	if kb, ok := parseMemory([]byte("4Gn"), 0, 4); !ok || kb != 1<<20 {
		t.Errorf("without nodes: %v, %v", kb, ok)
	}
}

// Times, spans and limits at the ends of what they may be.
func TestTimesAndLimits(t *testing.T) {
	for text, want := range map[string]time.Time{
		"2016-12-22T07:15:12": utc("2016-12-22T07:15:12"), "2016-12-22 07:15:12": utc("2016-12-22T07:15:12"), "1970-01-01T00:00:00": utc("1970-01-01T00:00:00"),
		"2016-12-22T23:59:59": utc("2016-12-22T23:59:59"), "2016-12-22T07:15:12.5": utc("2016-12-22T07:15:12").Add(time.Second / 2),
		"2016-12-22 07:15:12+02:00": utc("2016-12-22T05:15:12"), "2016-12-22T07:15:12+0200": utc("2016-12-22T05:15:12"), "2016-12-22T07:15:12Z": utc("2016-12-22T07:15:12"),
		"100000": time.Unix(100000, 0).UTC(), "68719476736": time.Unix(1<<36, 0).UTC(), "Unknown": {}, "None": {}, "": {},
	} {
		if got, ok := parseTime([]byte(text), time.UTC); !ok || !got.Equal(want) {
			t.Errorf("%q: %v, %v; want %v", text, got, ok, want)
		}
	}
	for _, text := range []string{"99999", "000000", "68719476737", "1969-12-31T23:59:59", "2016-12-22T24:00:00", "2016-04-31T00:00:00", "2016-12-22T07:60:12", "2016-12-22T07:15:60",
		"2016-13-22T07:15:12", "2016/12/22T07:15:12", "2016-12-22X07:15:12", "2016-12-22T07-15:12", "2016-12-22T07:15-12", "2016-12-22T07:15", "2016-12-22T0a:15:12", "2016-12-22T07:15:12+2"} {
		if got, ok := parseTime([]byte(text), time.UTC); ok {
			t.Errorf("%q: %v, want none", text, got)
		}
	}
	for text, want := range map[string]time.Duration{
		"00:59": 59 * time.Second, "59:59": 59*time.Minute + 59*time.Second, "0-00:00:01": time.Second, "-1:00": -1, "1-": -1, "00:60": -1, "60:00": time.Hour,
		"00:00:00.999999999": 999999999, "00:00:00.": 0, "00:00:00.x": -1, "00:00:00.1.2": -1, "53375-23:53:38": 4611686018 * time.Second, "53375-23:53:39": -1, "53376-00:00:00": -1, "76861433:38": 4611686018 * time.Second, "76861433:39": -1,
		"10000000000:00": -1, "10000000001:00": -1,
	} {
		d, ok := parseSpan([]byte(text))
		if !ok {
			d = -1
		}
		if d != want {
			t.Errorf("%q: %v, want %v", text, d, want)
		}
	}
	most := int64(math.MaxInt64/time.Minute) / 2
	for text, want := range map[string]time.Duration{
		"90": 90 * time.Minute, "UNLIMITED": Unlimited, "unlimited": Unlimited, "Partition_Limit": 0, "": 0, "01:30:00": 90 * time.Minute,
		"76861433": time.Duration(most) * time.Minute, "76861434": -1, "999999999999999999": -1, "1000000000000000000": -1, "x": -1,
	} {
		d, ok := parseLimit([]byte(text), time.Minute)
		if !ok {
			d = -1
		}
		if d != want {
			t.Errorf("limit %q: %v, want %v", text, d, want)
		}
	}
}

// A table of Slurm's with each column that is another name or another form of a value.
func TestTableColumns(t *testing.T) {
	text := "JobID|User|Group|Account|Partition|State|Submit|Start|End|ElapsedRaw|TimelimitRaw|AllocTRES|ReqTRES\n" +
		"15|ann|users|phys|batch|COMPLETED|1767225600|1767225660|1767225720|60|120|billing=4,cpu=24,mem=62.50G,node=2|cpu=20,mem=1G\n"
	want := Job{ID: 15, User: "ann", Group: "users", Account: "phys", Partition: "batch", State: Completed, Submit: at(1767225600), Start: at(1767225660),
		End: at(1767225720), Limit: 2 * time.Hour, Processors: 24, ReqProcessors: 20}
	checkEdits(t, text, want, []edit{
		{old: "|1767225720|60|", new: "|Unknown|60|"}, // start and elapsed
		{old: "|1767225720|60|", new: "|Unknown|0|", change: func(j *Job) { j.End = j.Start }},
		{old: "|1767225660|1767225720|60|", new: "|Unknown|Unknown|60|", change: func(j *Job) { j.Start, j.End = time.Time{}, time.Time{} }},
		{old: "COMPLETED|", new: "RUNNING|", change: func(j *Job) { j.State, j.End = Running, time.Time{} }},
		{old: "cpu=24", new: "cpu=2147483647", change: func(j *Job) { j.Processors = math.MaxInt32 }},
		{old: "cpu=24", new: "cpu=2147483648", change: func(j *Job) { j.Processors = 0 }},
		{old: "cpu=24", new: "cpu=x", change: func(j *Job) { j.Processors = 0 }},
		{old: "cpu=24", new: "gres/cpu=24", change: func(j *Job) { j.Processors = 0 }},
		{old: "\n15|", new: "\n15_3|"},
		{old: "\n15|", new: "\n0|", change: func(j *Job) { j.ID = 0 }},
		{old: "\n15|", new: "\n15.batch|x|x|x|x|x|x|x|x|x|x|x|x\n15|"}, // a step
		{old: "\n15|", new: "\n|", err: ErrSyntax, says: "a job number"},
		{old: "COMPLETED|", new: "|"}, // an end without a state
		{old: "COMPLETED|", new: "Unknown|", change: func(j *Job) { j.State = Unknown }},
		{old: "|60|120|", new: "|x|120|", err: ErrSyntax, says: "want seconds"},
		{old: "|60|120|", new: "|60|x|", err: ErrSyntax, says: "want minutes"},
		{old: "|AllocTRES|ReqTRES\n", new: "|AllocTRES|ReqTRES|\n", err: nil}, // a delimiter ends each line
	})
	for name, c := range map[string]struct{ head, row string }{
		"exit status": {"JobID,SubmitTime,StartTime,EndTime,NCPUS,ExitStatus", "1,1767225600,1767225660,1767225720,4,"},
	} {
		for exit, state := range map[string]State{"0": Completed, "1": Failed, "": Failed} {
			jobs, _, err := readAll(t, c.head+"\n"+c.row+exit+"\n", Options{})
			if err != nil || len(jobs) != 1 || jobs[0].State != state {
				t.Errorf("%s %q: %+v, %v; want %v", name, exit, jobs, err, state)
			}
		}
	}
	// Without a state, an end says that the job has completed.
	jobs, _, err := readAll(t, "JobID|Submit|Start|End|NNodes|NCPUS\n1|1767225600|1767225660|1767225720|2|4\n2|1767225600|1767225660|Unknown|N/A|2147483647\n3|1767225600|1767225660||0|2147483648\n", Options{})
	if !errors.Is(err, ErrRange) || len(jobs) != 2 || jobs[0].State != Completed || jobs[0].Nodes != 2 || jobs[1].State != Unknown || jobs[1].Nodes != 0 || jobs[1].Processors != math.MaxInt32 {
		t.Errorf("%+v, %v", jobs, err)
	}
}

// The line that XDMoD's own command prints has no header.
func TestXDMoD(t *testing.T) {
	row := "15|16|cl|batch|low|phys|users|100|ann|1000|2026-01-01T00:00:00|2026-01-01T00:00:01|2026-01-01T00:00:10|2026-01-01T00:00:20|00:00:10|0:0|COMPLETED|2|24|20|1000Mc|cpu=20|cpu=24|01:00:00|n[1-2]|a|b"
	jobs, _, err := readAll(t, row+"\n"+row+"\n", Options{})
	want := Job{ID: 16, User: "ann", Group: "users", Account: "phys", Partition: "batch", QOS: "low", State: Completed, Submit: utc("2026-01-01T00:00:00"),
		Eligible: utc("2026-01-01T00:00:01"), Start: utc("2026-01-01T00:00:10"), End: utc("2026-01-01T00:00:20"), Limit: time.Hour, Nodes: 2, Processors: 24, ReqProcessors: 20, Memory: 1024000}
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]Job{want, want}, jobs); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	short := strings.Replace(row, "2026-01-01T00:00:01", "x", 1)
	if _, _, err := readAll(t, short+"\n", Options{}); !errors.Is(err, ErrFormat) {
		t.Errorf("a line whose eleventh column is no time: %v", err)
	}
}

// Columns that are cut at commas may stand in quotation marks.
func TestSplit(t *testing.T) {
	const head = "JobID,User,Submit,Start,End,NCPUS\n"
	for row, user := range map[string]string{
		`1,"a, b",1767225600,1767225660,1767225720,4`:      "a, b",
		`1,"say ""a""",1767225600,1767225660,1767225720,4`: `say "a"`,
		`"1","",1767225600,1767225660,1767225720,"4"`:      "",
		`1,,1767225600,1767225660,1767225720,"4",`:         "",
		`1,ann,1767225600,1767225660,1767225720,4,`:        "ann",
		`1,"a""",1767225600,1767225660,1767225720,4`:       `a"`,
		`1,"a"b,1767225600,1767225660,1767225720,4`:        "!after a quotation mark",
		`1,"a,1767225600,1767225660,1767225720,4`:          "!a quotation mark is not closed",
		`1,"a"",1767225600,1767225660,1767225720,4`:        "!a quotation mark is not closed",
		`1,"a",1767225600,1767225660,1767225720`:           "!5 columns: want 6",
		`1,"a",1767225600,1767225660,1767225720,4,5`:       "!7 columns: want 6",
		`1,ann,1767225600,1767225660,1767225720,4,5`:       "!7 columns: want 6",
		`1,"a",1767225600,1767225660,1767225720,"4" x`:     "!after a quotation mark",
		`1,"a",1767225600,1767225660,1767225720,4,"",`:     "!8 columns",
	} {
		jobs, _, err := readAll(t, head+row+"\n", Options{})
		if says, wrong := strings.CutPrefix(user, "!"); wrong {
			if err == nil || !strings.Contains(err.Error(), says) || !strings.Contains(err.Error(), "line 2") {
				t.Errorf("%s: %v, want an error that says %q", row, err, says)
			}
		} else if err != nil || len(jobs) != 1 || jobs[0].User != user || jobs[0].Processors != 4 {
			t.Errorf("%s: %+v, %v; want the user %q", row, jobs, err, user)
		}
	}
	// The last column of a table with another delimiter may hold the delimiter.
	jobs, _, err := readAll(t, "JobID|Submit|Start|End|NCPUS|JobName\n1|1767225600|1767225660|1767225720|4|a|b|c\n", Options{})
	if err != nil || len(jobs) != 1 {
		t.Errorf("%+v, %v", jobs, err)
	}
	if _, _, err := readAll(t, "JobID|Submit|Start|JobName|End|NCPUS\n1|1767225600|1767225660|a|b|1767225720|4\n", Options{}); !errors.Is(err, ErrSyntax) || !strings.Contains(err.Error(), "7 columns") {
		t.Errorf("a delimiter in a name: %v", err)
	}
	// The delimiter is that which finds the most columns; a later column of a kind is left out.
	jobs, _, err = readAll(t, "JobID\tSubmit\tStart\tEnd\tNCPUS\tAllocCPUS\n1\t1767225600\t1767225660\t1767225720\t4\t9\n", Options{})
	if err != nil || len(jobs) != 1 || jobs[0].Processors != 4 {
		t.Errorf("%+v, %v", jobs, err)
	}
	jobs, _, err = readAll(t, "1;1767225600;1767225660;1767225720;4\n", Options{Columns: []string{"JobID", "Submit", "Start", "End", "NCPUS"}})
	if err != nil || len(jobs) != 1 || jobs[0].Processors != 4 {
		t.Errorf("%+v, %v", jobs, err)
	}
}

// JSON that ends early, is too long or is no JSON ends the reading, and says where.
func TestJSONEnds(t *testing.T) {
	for text, want := range map[string]struct {
		is   error
		says string
	}{
		`{"jobs"`:       {ErrTruncated, "jobs"},
		`{"errors":[`:   {ErrTruncated, "errors"},
		`{"errors":{}}`: {ErrSyntax, "errors"},
		`{"meta":`:      {ErrTruncated, "meta"},
		`{"meta":[}`:    {ErrSyntax, "meta"},
		`{x`:            {ErrSyntax, "want"},
		`{"jobs":[]`:    {ErrTruncated, "jobs"},
		`{"jobs":[],"errors":[{"description":"gone"}]}`: {nil, ""},
		`{"Jobs":{"1.s":`: {ErrTruncated, "Jobs[0]"},
		`{"Jobs":{"1.s"`:  {ErrTruncated, "Jobs"},
		`{"Jobs":{}`:      {ErrTruncated, "Jobs"},
		`{"a":"` + strings.Repeat("x", maxValue) + `"}`:                         {ErrTooLong, "want a smaller job"},
		`{"jobs":[{"job_id":1,"c":"` + strings.Repeat("x", 2*maxValue) + `"}]}`: {ErrTooLong, "jobs[0]"},
	} {
		r := NewReader(strings.NewReader(text), Options{})
		var job Job
		err := r.Next(&job)
		if want.is == nil {
			if err == nil || !errors.Is(err, ErrSyntax) && err.Error() != "EOF" {
				t.Errorf("%s: %v", inputerr.Cut(text), err)
			}
			continue
		}
		if !errors.Is(err, want.is) || !strings.Contains(err.Error(), want.says) {
			t.Errorf("%s: %v, want an error that is %q and says %q", inputerr.Cut(text), err, want.is, want.says)
		}
		if again := r.Next(&job); again == nil {
			t.Errorf("%s: reading goes on after %v", inputerr.Cut(text), err)
		}
	}
	// Many jobs, each smaller than the limit, are more than the limit together.
	job := `{"job_id":1,"job_state":"PENDING","submit_time":1,"comment":"` + strings.Repeat("x", maxValue/3) + `"}`
	jobs, _, err := readAll(t, `{"meta":"`+strings.Repeat("x", maxValue/2)+`","jobs":[`+strings.Repeat(job+",", 7)+job+`]}`, Options{})
	if err != nil || len(jobs) != 8 {
		t.Errorf("%d jobs, %v", len(jobs), err)
	}
}
