package accounting

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/internal/inputerr"
)

// The number of hosts in a list is exact up to the limit, and none beyond it, also where a
// product or a range leaves the numbers.
func TestHostListEdges(t *testing.T) {
	for text, want := range map[string]int{
		"n[5-5]": 1, "n[0-9]": 10, "n[7-9,11]": 4, "n[100-105]": 6, "a[1-1000]b[1-1000]": 1_000_000,
		"n[9-0]": -1, "n[0-9223372036854775807]": -1, "n[1-10000000][1-10000000]": -1,
		"a[1-10000],b[1-10000]": 20_000, "n[900000-999999]": 100_000, "n[999999-1000000]": 2, "n[15000000-15000009]": 10, "n[1-x]": -1, "n[1": -1,
		"a[1-65536]b[1-65536]c[1-65536]d[1-65536]":  -1,                                                       // 2⁶⁴
		strings.Repeat("a[1-16777216],", 256) + "b": -1, "a[" + strings.Repeat("1-16777216,", 256) + "1]": -1, // 2³² and 1
		"a[1-4096]b[1-4096]": 1 << 24, "a[1-4096]b[1-4097]": -1, "a[1-16777216]": 1 << 24, "a[1-16777216],b": -1,
	} {
		got, ok := countHosts([]byte(text))
		if ok != (want >= 0 && want <= maxHosts) || ok && got != want {
			t.Errorf("%s: %d, %v, want %d of %d at most", text, got, ok, want, maxHosts)
		}
	}
}

// A state is the first word, and a text that begins with a space or a plus is none.
func TestStateWords(t *testing.T) {
	for text, want := range map[string]State{"CANCELLED by 5": Cancelled, "CANCELLED+": Cancelled, "COMPLETED": Completed, "COMPLETED ": Completed} {
		if got := parseState([]byte(text)); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
	unknown := parseState([]byte("NO_SUCH_STATE"))
	for _, text := range []string{"", " COMPLETED", "+", " "} {
		if got := parseState([]byte(text)); got != unknown {
			t.Errorf("%q: %v, want %v", text, got, unknown)
		}
	}
}

// Which format a line has is told from its beginning, and from a little less it is not.
func TestFormatsByTheirBeginning(t *testing.T) {
	for text, want := range map[string]bool{`"JOB_FINISH" "10.1" 1644826549`: true, `"J" "`: true, `"J" `: false, `"J"`: false, `"J"x"`: false, `"j" "`: false, `"" "1"`: false, `J "1"`: false, `"A_9" "1`: true, `"A" 1`: false} {
		if got := isLSF([]byte(text)); got != want {
			t.Errorf("LSF %s: %v", text, got)
		}
	}
	for text, want := range map[string]bool{"02/11/2026 20:12:21;E;2281314.host;": true, "02/11/2026 20:12:21;E;": true, "09/19/1999 09:59:59;E;9;": true, "02/11/2026 20:12:21;E": false, "02/11/2026 20:12:21 E;5;": false, "02-11-2026 20:12:21;E;5;": false, "0x/11/2026 20:12:21;E;5;": false, "02/11/2026 20:12:21;Emmmmmm": false} {
		if got := isPBS([]byte(text)); got != want {
			t.Errorf("PBS %s: %v", text, got)
		}
	}
}

const tableHead = "JobIDRaw|Submit|Start|End|AllocCPUS\n"

// Quotation marks are text between bars and tabs, and marks between commas.
func TestQuotesByDelimiter(t *testing.T) {
	for _, d := range []string{"|", "\t", ","} {
		head := strings.ReplaceAll("JobIDRaw|Account|Submit|Start|End|AllocCPUS\n", "|", d)
		row := strings.ReplaceAll(`1|"a|2026-01-01T00:00:00|2026-01-01T00:01:00|2026-01-01T00:02:00|4`+"\n", "|", d)
		if d == "," { // a mark within a cell
			row = strings.Replace(row, `"a`, `"""a"`, 1)
		}
		r := NewReader(strings.NewReader(head+row+head+row), Options{})
		jobs := 0
		for {
			var j Job
			err := r.Next(&j)
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Errorf("%q: %v", d, err)
				break
			}
			if jobs++; j.Processors != 4 || j.Account != `"a` {
				t.Errorf("%q: %+v", d, j)
			}
		}
		if jobs != 2 {
			t.Errorf("%q: %d jobs, want 2: the second header is none", d, jobs)
		}
	}
}

// A line that is as long as any may be is read; one byte more is an error with its number, and
// the error stays.
func TestLongestLine(t *testing.T) {
	for more, ok := range map[int]bool{0: true, 1: false} {
		row := "1|2026-01-01T00:00:00|2026-01-01T00:01:00|2026-01-01T00:02:00|4|"
		row += strings.Repeat("x", maxLine-len(row)+more-1) + "\n"
		r := NewReader(strings.NewReader(strings.TrimSuffix(tableHead, "\n")+"|Comment\n"+row), Options{})
		err := r.Next(new(Job))
		if (err == nil) != ok {
			t.Errorf("%d bytes: %v", len(row), err)
		}
		if !ok {
			var in *inputerr.Error
			if again := r.Next(new(Job)); !errors.Is(err, ErrTooLong) || !errors.As(err, &in) || in.Line != 2 || again != err {
				t.Errorf("%v, then %v", err, again)
			}
		}
	}
}

// An answer in JSON that breaks off anywhere is an error, and never fewer jobs.
func TestJSONBreaksOff(t *testing.T) {
	const text = `{"meta":{"plugin":{}},"jobs":[{"job_id":1,"job_state":["COMPLETED"],"submit_time":{"set":true,"number":1767225600},"start_time":1767225660,"end_time":1767225720,"cpus":{"set":true,"infinite":false,"number":4}}],"errors":[]}`
	all := func(text string) (n int, err error) {
		r := NewReader(strings.NewReader(text), Options{})
		for {
			if err := r.Next(new(Job)); err == io.EOF {
				return n, nil
			} else if err != nil {
				return n, err
			}
			n++
		}
	}
	if n, err := all(text); n != 1 || err != nil {
		t.Fatal(n, err)
	}
	for i := 1; i < len(text); i++ {
		if n, err := all(text[:i]); err == nil {
			t.Errorf("%d jobs of %s", n, text[:i])
		}
	}
	// A state that is there twice counts as the last says.
	twice := strings.Replace(text, `"job_state":["COMPLETED"]`, `"job_state":["FAILED","X"],"job_state":"COMPLETED"`, 1)
	r := NewReader(strings.NewReader(twice), Options{})
	var j Job
	if err := r.Next(&j); err != nil || j.State != Completed {
		t.Errorf("%+v, %v", j, err)
	}
}

// Gzip data that end early are an error with the line.
func TestCutGzip(t *testing.T) {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	io.WriteString(z, tableHead)
	for range 20000 {
		io.WriteString(z, "1|2026-01-01T00:00:00|2026-01-01T00:01:00|2026-01-01T00:02:00|4\n")
	}
	z.Close()
	r := NewReader(bytes.NewReader(b.Bytes()[:b.Len()-9]), Options{})
	err, lines := error(nil), 0 // of the header and of jobs
	for err == nil {
		err = r.Next(new(Job))
		lines++
	}
	var in *inputerr.Error
	if err == io.EOF || !errors.As(err, &in) || in.Line != lines+1 {
		t.Errorf("after %d lines: %v", lines, err)
	}
	if again := r.Next(new(Job)); again == nil || again == io.EOF {
		t.Errorf("then %v", again)
	}
}

// A format is told from gzip data as from plain text, and lines of nothing but spaces are
// between the others in none of them.
func TestFormatsZippedAndWithEmptyLines(t *testing.T) {
	row := "1|2026-01-01T00:00:00|2026-01-01T00:01:00|2026-01-01T00:02:00|4\n"
	for name, c := range map[string]struct {
		text string
		want form
	}{
		"table": {tableHead + row, tableForm},
		"pbs":   {"02/11/2026 20:12:21;E;2281314.host;user=u queue=q ctime=1770000000 qtime=1770000000 etime=1770000000 start=1770000000 end=1770000001 Resource_List.ncpus=1 resources_used.walltime=00:00:01\n", pbsForm},
		"slurm": {`{"jobs":[]}`, slurmForm},
		"qstat": {`{"pbs_version":"1","Jobs":{}}`, qstatForm},
		"swf":   {"; Version: 2\n1 0 0 10 1\n", noForm},
	} {
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		w.Write([]byte(c.text))
		w.Close()
		if plain, zipped := detect([]byte(c.text)), detect(b.Bytes()); plain != c.want || zipped != c.want {
			t.Errorf("%s: %v, and %v in gzip, want %v", name, plain, zipped, c.want)
		}
		if c.want == tableForm || c.want == pbsForm {
			r := NewReader(strings.NewReader(strings.ReplaceAll(c.text, "\n", "\n\n  \n")), Options{})
			n := 0
			for _, err := range r.Jobs() {
				if err != nil {
					t.Errorf("%s with empty lines: %v", name, err)
				}
				n++
			}
			if n != 1 {
				t.Errorf("%s with empty lines: %d jobs", name, n)
			}
		}
	}
	if got := detect([]byte("\x1e\x8b" + tableHead)); got == slurmForm || got == qstatForm {
		t.Errorf("what begins almost as gzip data: %v", got)
	}
}

// A reader that NewReader has not made has no source.
func TestReaderWithoutSource(t *testing.T) {
	for name, f := range map[string]func(){
		"format": func() { new(Reader).begin() },
		"next":   func() { new(Reader).Next(new(Job)) },
		"records": func() {
			for range new(Reader).Records() {
			}
		},
	} {
		func() {
			defer func() {
				if s, _ := recover().(string); s != "accounting: Reader that NewReader has not made" {
					t.Errorf("%s: panic %q", name, s)
				}
			}()
			f()
		}()
	}
}
