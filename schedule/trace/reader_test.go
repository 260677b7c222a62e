package trace

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/plimsoll/plimsoll/internal/inputerr"
)

// readAll reads the header and all records, and fails on the first error.
func readAll(tb rapid.TB, src io.Reader) ([]string, []Record) {
	tb.Helper()
	r := NewReader(src)
	h, err := r.Header()
	if err != nil {
		tb.Fatal(err)
	}
	return h.lines, collect(tb, r)
}

// write writes a log as text.
func write(tb rapid.TB, lines []string, recs []Record) []byte {
	tb.Helper()
	var b bytes.Buffer
	w := NewWriter(&b)
	var h Header
	for _, l := range lines {
		h.addLine(l)
	}
	if err := w.WriteHeader(&h); err != nil {
		tb.Fatal(err)
	}
	for i := range recs {
		if err := w.Write(&recs[i]); err != nil {
			tb.Fatal(err)
		}
	}
	if err := w.Flush(); err != nil {
		tb.Fatal(err)
	}
	return b.Bytes()
}

// checkRewritten writes a log, reads it again, and compares.
func checkRewritten(tb rapid.TB, lines []string, recs []Record) {
	tb.Helper()
	text := write(tb, lines, recs)
	lines2, recs2 := readAll(tb, bytes.NewReader(text))
	if diff := cmp.Diff(lines, lines2); diff != "" {
		tb.Errorf("header read again (-want +got):\n%s", diff)
	}
	if !slices.Equal(recs, recs2) {
		tb.Errorf("records read again differ:\n%s", cmp.Diff(recs, recs2))
	}
	if again := write(tb, lines2, recs2); !bytes.Equal(text, again) {
		tb.Error("written again, the text differs")
	}
}

func zipped(text string) string {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	io.WriteString(z, text)
	z.Close()
	return b.String()
}

// job7 is a record in full, with a value of its own in every field, by hand.
const job7 = "7 100 20 3600 64 142.25 2048 128 7200 4096.5 1 11 12 13 14 15 6 60"

var record7 = Record{
	ID: 7, Submit: 100 * time.Second, Wait: 20 * time.Second, Run: time.Hour, Processors: 64,
	CPU: 142250 * time.Millisecond, Memory: 2048, ReqProcessors: 128, ReqTime: 2 * time.Hour, ReqMemory: 4096.5,
	Status: StatusCompleted, User: 11, Group: 12, Executable: 13, Queue: 14, Partition: 15, Preceding: 6, Think: time.Minute,
}

// unknown has -1 in every field but the first.
func unknown(id int64) Record {
	const t = -time.Second
	return Record{id, t, t, t, -1, t, -1, -1, t, -1, -1, -1, -1, -1, -1, -1, -1, t}
}

const minus17 = " -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1"

// What real logs hold; all expected values by hand.
func TestReaderForms(t *testing.T) {
	short := unknown(7)
	short.Submit, short.Wait, short.Run, short.Processors = 100*time.Second, 20*time.Second, time.Hour, 64
	long := "; Note: " + strings.Repeat("x", 500_000)
	spaces := strings.Repeat(" ", 300_000)
	for _, c := range []struct {
		name  string
		in    string
		lines []string
		recs  []Record
		stats Stats
	}{
		{"empty", "", nil, nil, Stats{}},
		{"no header", job7 + "\n", nil, []Record{record7}, Stats{Lines: 1, Records: 1}},
		{"no final newline", "; A: b\n" + job7, []string{" A: b"}, []Record{record7}, Stats{Lines: 2, Records: 1, Comments: 1}},
		{"header only, no newline", ";A: b", []string{"A: b"}, nil, Stats{Lines: 1, Comments: 1}},
		{"carriage returns", "; A: b\r\n" + job7 + "\r\n\r\n", []string{" A: b"}, []Record{record7}, Stats{Lines: 3, Records: 1, Comments: 1, Blank: 1}},
		{"byte order mark", "\ufeff; A: b\n" + job7, []string{" A: b"}, []Record{record7}, Stats{Lines: 2, Records: 1, Comments: 1}},
		{"byte order mark and record", "\ufeff" + job7, nil, []Record{record7}, Stats{Lines: 1, Records: 1}},
		{"tabs", "\t" + strings.ReplaceAll(job7, " ", "\t \t") + "\t\n", nil, []Record{record7}, Stats{Lines: 1, Records: 1}},
		{"all unknown", "7" + minus17, nil, []Record{unknown(7)}, Stats{Lines: 1, Records: 1}},
		{"extra columns", job7 + " 99 x\n", nil, []Record{record7}, Stats{Lines: 1, Records: 1, Extra: 1}},
		{"five fields", "7 100 20 3600 64\n", nil, []Record{short}, Stats{Lines: 1, Records: 1, Short: 1}},
		{"blank and later comments", "\n; A\n \t\n" + job7 + "\n; B\n" + job7 + "\n", []string{" A"},
			[]Record{record7, record7}, Stats{Lines: 6, Records: 2, Comments: 2, Blank: 2}},
		{"unsorted", "7" + minus17 + "\n5" + minus17, nil, []Record{unknown(7), unknown(5)}, Stats{Lines: 2, Records: 2}},
		{"long comment", long + "\n" + job7, []string{long[1:]}, []Record{record7}, Stats{Lines: 2, Records: 1, Comments: 1}},
		{"long record", spaces + job7 + spaces, nil, []Record{record7}, Stats{Lines: 1, Records: 1}},
	} {
		members := zipped(c.in[:len(c.in)/2]) + zipped(c.in[len(c.in)/2:])
		for kind, in := range map[string]string{"plain": c.in, "gzip": zipped(c.in), "two gzip members": members} {
			var r Reader
			for _, src := range []io.Reader{strings.NewReader(in), iotest.HalfReader(strings.NewReader(in)),
				iotest.DataErrReader(strings.NewReader(in))} {
				r.Reset(src)
				h, err := r.Header()
				if err != nil {
					t.Fatalf("%s, %s: %v", c.name, kind, err)
				}
				if diff := cmp.Diff(c.lines, h.lines); diff != "" {
					t.Errorf("%s, %s: header (-want +got):\n%s", c.name, kind, diff)
				}
				if diff := cmp.Diff(c.recs, collect(t, &r)); diff != "" {
					t.Errorf("%s, %s: records (-want +got):\n%s", c.name, kind, diff)
				}
				if diff := cmp.Diff(c.stats, r.Stats()); diff != "" {
					t.Errorf("%s, %s: stats (-want +got):\n%s", c.name, kind, diff)
				}
				if err := r.Next(new(Record)); err != io.EOF {
					t.Errorf("%s, %s: Next after the end: %v", c.name, kind, err)
				}
			}
		}
	}
}

// How numbers are read: as run time (a time), used memory and group (a whole
// number). An empty want is the value itself.
func TestReaderNumbers(t *testing.T) {
	const (
		timeField  = 4
		floatField = 7
		wholeField = 13
	)
	for _, c := range []struct {
		field int
		token string
		want  string // as written, or the error
	}{
		{timeField, "0", "0"},
		{timeField, "-0", "0"},
		{timeField, "007", "7"},
		{timeField, "142.00", "142"},
		{timeField, "0.3123", "0.3123"},
		{timeField, "-1.5", "-1.5"},
		{timeField, "-.5", "-0.5"},
		{timeField, "5.", "5"},
		{timeField, "1.0000000014", "1.000000001"},
		{timeField, "0.9999999995", "1"},
		{timeField, "1078605840", "1078605840"},
		{timeField, "9223372036", "9223372036"},
		{timeField, "9223372036.854775807", "9223372036.854775807"},
		{timeField, "-9223372036.854775808", "-9223372036.854775808"},
		{timeField, "9223372036.854775808", `trace: line 2, column 4 (run time): value out of range: "9223372036.854775808": want a smaller number`},
		{timeField, "9223372037", `trace: line 2, column 4 (run time): value out of range: "9223372037": want a smaller number`},
		{timeField, "99999999999999999999", `trace: line 2, column 4 (run time): value out of range: "99999999999999999999": want a smaller number`},
		{timeField, "abc", `trace: line 2, column 4 (run time): not a number: "abc": want a number, or -1 if it is not known`},
		{timeField, "-", `trace: line 2, column 4 (run time): not a number: "-": want a number, or -1 if it is not known`},
		{timeField, ".", `trace: line 2, column 4 (run time): not a number: ".": want a number, or -1 if it is not known`},
		{timeField, "-.", `trace: line 2, column 4 (run time): not a number: "-.": want a number, or -1 if it is not known`},
		{timeField, "--1", `trace: line 2, column 4 (run time): not a number: "--1": want a number, or -1 if it is not known`},
		{timeField, "+1", `trace: line 2, column 4 (run time): not a number: "+1": want a number, or -1 if it is not known`},
		{timeField, "1e3", `trace: line 2, column 4 (run time): not a number: "1e3": want a number, or -1 if it is not known`},
		{timeField, "1.2.3", `trace: line 2, column 4 (run time): not a number: "1.2.3": want a number, or -1 if it is not known`},
		{timeField, "12:30", `trace: line 2, column 4 (run time): not a number: "12:30": want a number, or -1 if it is not known`},
		{timeField, "NaN", `trace: line 2, column 4 (run time): not a number: "NaN": want a number, or -1 if it is not known`},
		{timeField, "1,5", `trace: line 2, column 4 (run time): not a number: "1,5": want a number, or -1 if it is not known`},
		{timeField, "1\r2", `trace: line 2, column 4 (run time): not a number: "1\r2": want a number, or -1 if it is not known`},
		{timeField, strings.Repeat("a", 50), `trace: line 2, column 4 (run time): not a number: "` + strings.Repeat("a", 40) + `...": want a number, or -1 if it is not known`},
		{floatField, "1024.25", "1024.25"},
		{floatField, "-1.0", "-1"},
		{floatField, "-0.0", "0"},
		{floatField, "0.1", "0.1"},
		{floatField, "12345678901234567890", "12345678901234567000"}, // the nearest float64
		{floatField, "1e9", `trace: line 2, column 7 (used memory): not a number: "1e9": want a number, or -1 if it is not known`},
		{floatField, "Inf", `trace: line 2, column 7 (used memory): not a number: "Inf": want a number, or -1 if it is not known`},
		{floatField, "0x10", `trace: line 2, column 7 (used memory): not a number: "0x10": want a number, or -1 if it is not known`},
		{floatField, "1_000", `trace: line 2, column 7 (used memory): not a number: "1_000": want a number, or -1 if it is not known`},
		{wholeField, "4.00", "4"},
		{wholeField, "-5", "-5"},
		{wholeField, "1234567890123", "1234567890123"},
		{wholeField, "9223372036854775807", "9223372036854775807"},
		{wholeField, "-9223372036854775808", "-9223372036854775808"},
		{wholeField, "9223372036854775808", `trace: line 2, column 13 (group): value out of range: "9223372036854775808": want a smaller number`},
		{wholeField, "4.5", `trace: line 2, column 13 (group): not a whole number: "4.5": want a whole number`},
	} {
		if n, err := strconv.ParseInt(c.want, 10, 64); err == nil && int64(int(n)) != n {
			continue // ints have 32 bits
		}
		fields := strings.Fields("1" + minus17)
		fields[c.field-1] = c.token
		r := NewReader(strings.NewReader("; A\n" + strings.Join(fields, " ") + "\n" + job7 + "\n"))
		var rec Record
		got := ""
		if err := r.Next(&rec); err != nil {
			got = err.Error()
			if rec != (Record{}) {
				t.Errorf("%q: the record was changed", c.token)
			}
		} else {
			got = strings.Fields(string(write(t, nil, []Record{rec})))[c.field-1]
		}
		if got != c.want {
			t.Errorf("field %d, %q: got %s, want %s", c.field, c.token, got, c.want)
		}
		// The line after is read in either case.
		if err := r.Next(&rec); err != nil || rec != record7 {
			t.Errorf("%q: the next line: %v, %v", c.token, rec, err)
		}
	}
}

// Lines that are refused, with the number of the line and a sentinel.
func TestReaderRefuses(t *testing.T) {
	manyLines := strings.Repeat(";"+strings.Repeat("x", 1<<19)+"\n", 33)
	for _, c := range []struct {
		name string
		in   string
		want string
		err  error
	}{
		{"four fields", "; A\n7 100 20 3600\n", `trace: line 2 (record): too few fields: "7 100 20 3600": want 5 or more`, ErrFields},
		{"word", "hello\n", `trace: line 1, column 1 (job number): not a number: "hello": want a number, or -1 if it is not known`, ErrNumber},
		{"UTF-16, little-endian", "\xff\xfe;\x00\n\x00", "trace: line 1: not a plain text of lines (UTF-8, ended by line feeds): want a text, or one packed with gzip", ErrEncoding},
		{"UTF-16, big-endian", "\xfe\xff\x00;\x00\n", "trace: line 1: not a plain text of lines (UTF-8, ended by line feeds): want a text, or one packed with gzip", ErrEncoding},
		{"carriage returns alone", "; A\r" + job7 + "\r" + job7 + "\r", "trace: line 1 (comment): not a plain text of lines (UTF-8, ended by line feeds): a carriage return within: want lines that end in line feeds", ErrEncoding},
		{"carriage return behind", job7 + "  9\r" + job7, "trace: line 1 (record): not a plain text of lines (UTF-8, ended by line feeds): a carriage return within: want lines that end in line feeds", ErrEncoding},
		{"line too long", job7 + "\n" + strings.Repeat("1", 1<<20), "trace: line 2: too long: want at most 1048576 bytes", ErrTooLong},
		{"header too long", manyLines, "trace: line 32 (header): too long: want at most 16777216 bytes", ErrTooLong},
	} {
		r := NewReader(strings.NewReader(c.in))
		var err error
		for _, e := range r.Records() {
			if e != nil {
				err = e
				break
			}
		}
		var ie *inputerr.Error
		if !errors.As(err, &ie) || !errors.Is(err, c.err) || err.Error() != c.want {
			t.Errorf("%s: got %q, want %q", c.name, err, c.want)
		}
	}
}

// A failing source is reported after the lines before it, and for good.
func TestReaderSourceFails(t *testing.T) {
	boom := errors.New("boom")
	whole := zipped("; A\n" + strings.Repeat(job7+"\n", 2000))
	for _, c := range []struct {
		name string
		src  io.Reader
		want error
	}{
		{"at once", iotest.ErrReader(boom), boom},
		{"after lines", io.MultiReader(strings.NewReader(job7+"\n7 bad\n"+job7+"\n7 1"), iotest.ErrReader(boom)), boom},
		{"gzip cut", strings.NewReader(whole[:len(whole)/2]), io.ErrUnexpectedEOF},
		{"gzip cut in its header", strings.NewReader(whole[:5]), io.ErrUnexpectedEOF},
		{"gzip with a wrong sum", strings.NewReader(whole[:len(whole)-8] + "\x00\x00\x00\x00" + whole[len(whole)-4:]), gzip.ErrChecksum},
		{"gzip, then rubbish", strings.NewReader(whole + "rubbish...."), gzip.ErrHeader},
		{"no progress", stuck{}, io.ErrNoProgress},
	} {
		r := NewReader(c.src)
		records, bad := 0, 0
		var last error
		for _, err := range r.Records() {
			if err == nil {
				records++
				continue
			}
			bad++
			last = err
		}
		if !errors.Is(last, c.want) {
			t.Errorf("%s: %v, want %v", c.name, last, c.want)
		}
		if c.name == "after lines" {
			// Two records, a bad line, the source; the cut line is no record.
			if records != 2 || bad != 2 {
				t.Errorf("%s: %d records and %d errors, want 2 and 2", c.name, records, bad)
			}
			if want := "the log ends after line 3: boom"; last.Error() != want {
				t.Errorf("%s: %q, want %q", c.name, last, want)
			}
		}
		if err := r.Next(new(Record)); !errors.Is(err, c.want) {
			t.Errorf("%s: then %v, want %v", c.name, err, c.want)
		}
		// The reader recovers with a new source.
		r.Reset(strings.NewReader(whole))
		if got := len(collect(t, r)); got != 2000 {
			t.Errorf("%s: %d records after Reset, want 2000", c.name, got)
		}
	}
}

// stuck is a source that returns nothing and no error.
type stuck struct{}

func (stuck) Read([]byte) (int, error) { return 0, nil }

func TestHeader(t *testing.T) {
	const text = `;Version: 2.2
;       Computer: Big
; Information: http://example.org/a
;              http://example.org/b
; MaxNodes: 338 (batch partition; 512 total)
; MaxRuntime: N/A
; UnixStartTime: 843480031
;   TimeZoneString :  Europe/Stockholm
; Queue:  1 DSI
; Queue:  2 astro
; Note: this is
;         user=135 and (job>=47421 and job<=50307) (2080 jobs removed)
; Offset: -3600
; Empty:
;
`
	r := NewReader(strings.NewReader(text + job7))
	h, err := r.Header()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for k, v := range h.Fields() {
		got = append(got, k+"="+v)
	}
	want := []string{"Version=2.2", "Computer=Big", "Information=http://example.org/a",
		"MaxNodes=338 (batch partition; 512 total)", "MaxRuntime=N/A", "UnixStartTime=843480031",
		"TimeZoneString=Europe/Stockholm", "Queue=1 DSI", "Queue=2 astro", "Note=this is", "Offset=-3600", "Empty="}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("fields (-want +got):\n%s", diff)
	}
	check := func(key string, want int64, wantOK bool) {
		if n, ok := h.Int(key); n != want || ok != wantOK {
			t.Errorf("Int(%q) = %d, %v; want %d, %v", key, n, ok, want, wantOK)
		}
	}
	check("maxnodes", 338, true)
	check("Offset", -3600, true)
	check("MaxRuntime", 0, false)
	check("MaxProcs", 0, false)
	check("Empty", 0, false)
	if at, ok := h.UnixStartTime(); !ok || !at.Equal(time.Date(1996, 9, 23, 12, 0, 31, 0, time.UTC)) {
		t.Errorf("UnixStartTime = %v, %v", at, ok) // 14:00:31 CEST in the log of KTH
	}
	if zone, ok := h.Get("TimeZoneString"); !ok || zone != "Europe/Stockholm" {
		t.Errorf("TimeZoneString = %q, %v", zone, ok)
	}

	var made Header
	made.Add("MaxProcs", "128")
	made.addLine(" free text")
	if got := write(t, made.lines, nil); string(got) != "; MaxProcs: 128\n; free text\n" {
		t.Errorf("written: %q", got)
	}
	made.Reset()
	if _, ok := made.Int("MaxProcs"); ok {
		t.Error("a field after Reset")
	}
}

// A bad line does not end a sequence, whether or not the source has already
// been read to its end, and is not counted as anything else.
func TestReaderGoesOn(t *testing.T) {
	text := job7 + "\n1 0.0000000001 x\n" + job7 + "\n1 2 3 4\n" + job7
	for _, src := range []io.Reader{strings.NewReader(text), iotest.DataErrReader(strings.NewReader(text))} {
		r := NewReader(src)
		var got []string
		for rec, err := range r.Records() {
			got = append(got, fmt.Sprint(rec.ID, err))
		}
		want := []string{"7 <nil>", `0 trace: line 2, column 3 (wait time): not a number: "x": want a number, or -1 if it is not known`, "7 <nil>",
			`0 trace: line 4 (record): too few fields: "1 2 3 4": want 5 or more`, "7 <nil>"}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(Stats{Lines: 5, Records: 3}, r.Stats()); diff != "" {
			t.Errorf("stats (-want +got):\n%s", diff)
		}
	}
	r := NewReader(strings.NewReader("1 0.0000000001 0 0 1"))
	collect(t, r)
	if diff := cmp.Diff(Stats{Lines: 1, Records: 1, Short: 1, Rounded: 1}, r.Stats()); diff != "" {
		t.Errorf("rounded: stats (-want +got):\n%s", diff)
	}
}

func TestWriterZero(t *testing.T) {
	rec := Record{Memory: math.Copysign(0, -1), ReqMemory: math.Copysign(0, -1)}
	want := strings.TrimSuffix(strings.Repeat("0 ", numFields), " ") + "\n"
	if got := string(write(t, nil, []Record{rec})); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestWriterRefuses(t *testing.T) {
	var b bytes.Buffer
	w := NewWriter(&b)
	for _, l := range []string{"a\nb", "a\rb", strings.Repeat("x", 1<<20)} {
		var h Header
		h.Add("Fine", "1")
		h.addLine(l)
		var ie *inputerr.Error
		if err := w.WriteHeader(&h); !errors.As(err, &ie) || ie.Line != 2 {
			t.Errorf("header line %.10q: %v", l, err)
		}
	}
	var zero float64
	for i, rec := range []Record{{Memory: 1 / zero}, {ReqMemory: zero / zero}} {
		var ie *inputerr.Error
		if err := w.Write(&rec); !errors.As(err, &ie) || !errors.Is(err, ErrNumber) || ie.Index != 0 {
			t.Errorf("record %d: %v", i, err)
		}
	}
	if w.Flush(); b.Len() != 0 {
		t.Errorf("written: %q", b.Bytes())
	}

	boom := errors.New("boom")
	w.Reset(failing{boom})
	if err := w.Write(&record7); err != nil {
		t.Errorf("a record that fits the buffer: %v", err)
	}
	for range 2 {
		if err := w.Flush(); err != boom {
			t.Errorf("Flush: %v, want %v", err, boom)
		}
		if err := w.Write(&record7); err != boom {
			t.Errorf("Write after a failure: %v, want %v", err, boom)
		}
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

func TestMisuse(t *testing.T) {
	for want, f := range map[string]func(){
		"trace: nil source":                              func() { NewReader(nil) },
		"trace: nil destination":                         func() { NewWriter(nil) },
		"trace: header after the first record":           func() { w := NewWriter(io.Discard); w.Write(&record7); w.WriteHeader(&Header{}) },
		"trace: alpha must be finite and not negative":   func() { Convert(of(), Options{Alpha: new(-1.0)}) },
		"trace: negative processors per instance":        func() { Convert(of(), Options{PerInstance: -1}) },
		"trace: lengths of jobs and starts differ":       func() { AppendDemand(nil, nil, []time.Duration{1}, DemandOptions{}) },
		"trace: negative slot":                           func() { AppendDemand(nil, nil, nil, DemandOptions{Slot: -1}) },
		"trace: negative number of slots":                func() { AppendDemand(nil, nil, nil, DemandOptions{Slots: -1}) },
		"trace: unknown rule of sharing":                 func() { AppendDemand(nil, nil, nil, DemandOptions{Sharing: 3}) },
		"trace: alpha must be finite and not negative ":  func() { var z float64; Convert(of(), Options{Alpha: new(z / z)}) },
		"trace: alpha must be finite and not negative  ": func() { var z float64; Convert(of(), Options{Alpha: new(1 / z)}) },
	} {
		func() {
			defer func() {
				if got := fmt.Sprint(recover()); got != strings.TrimRight(want, " ") {
					t.Errorf("panic %q, want %q", got, want)
				}
			}()
			f()
		}()
	}
}

// A Reader whose zero value was never given a source reads an empty log.
func TestReaderZero(t *testing.T) {
	var r Reader
	if err := r.Next(new(Record)); err != io.EOF {
		t.Errorf("Next: %v", err)
	}
	if h, err := r.Header(); err != nil || len(h.lines) != 0 {
		t.Errorf("Header: %v", err)
	}
}
