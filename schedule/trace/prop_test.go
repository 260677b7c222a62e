package trace

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// anyRecord is any record that a Writer takes: small values and extreme ones.
var anyRecord = rapid.Custom(func(t *rapid.T) Record {
	whole := rapid.OneOf(rapid.Int64Range(-1, 9), rapid.Int64())
	number := rapid.Custom(func(t *rapid.T) int { return int(whole.Draw(t, "n")) })
	at := rapid.Custom(func(t *rapid.T) time.Duration {
		return rapid.OneOf(
			rapid.Map(rapid.Int64Range(-1, 2_000_000_000), func(s int64) time.Duration { return time.Duration(s) * time.Second }),
			rapid.Map(rapid.Int64(), func(n int64) time.Duration { return time.Duration(n) }),
		).Draw(t, "time")
	})
	memory := rapid.OneOf(rapid.Map(rapid.IntRange(-1, 1<<30), func(n int) float64 { return float64(n) }),
		rapid.Float64Range(-math.MaxFloat64, math.MaxFloat64))
	draw := func() time.Duration { return at.Draw(t, "time") }
	n := func() int { return number.Draw(t, "number") }
	return Record{
		ID: whole.Draw(t, "id"), Submit: draw(), Wait: draw(), Run: draw(), Processors: n(), CPU: draw(),
		Memory: memory.Draw(t, "memory") + 0, ReqProcessors: n(), ReqTime: draw(), ReqMemory: memory.Draw(t, "memory") + 0,
		Status: n(), User: n(), Group: n(), Executable: n(), Queue: n(), Partition: n(),
		Preceding: whole.Draw(t, "preceding"), Think: draw(),
	}
})

// What is written is read again as the same, however the bytes arrive.
func TestPropWriteRead(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lines := rapid.SliceOfN(rapid.StringMatching(`[^\r\n]{0,20}`), 0, 4).Draw(t, "lines")
		recs := rapid.SliceOfN(anyRecord, 0, 5).Draw(t, "records")
		if len(lines) == 0 {
			lines = nil
		}
		if len(recs) == 0 {
			recs = nil
		}
		checkRewritten(t, lines, recs)
		_, again := readAll(t, iotest.OneByteReader(bytes.NewReader(write(t, lines, recs))))
		if !slices.Equal(recs, again) {
			t.Fatalf("byte by byte:\n%s", cmp.Diff(recs, again))
		}
	})
}

// smallJobs are jobs in minutes, in any order.
var smallJobs = rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Job {
	from := rapid.IntRange(-30, 200).Draw(t, "from")
	j := hold(rapid.IntRange(-1, 3).Draw(t, "user"), rapid.IntRange(1, 4).Draw(t, "nodes"),
		from, from+rapid.IntRange(1, 120).Draw(t, "run"))
	j.ID = rapid.Int64Range(0, 9).Draw(t, "id")
	return j
}), 0, 12)

// bruteDemand looks at every minute of every slot.
func bruteDemand(jobs []Job, opts DemandOptions) []int {
	slots := opts.Slots
	if slots == 0 {
		for _, j := range jobs {
			for opts.From+time.Duration(slots)*opts.Slot < j.Submit+j.Run {
				slots++
			}
		}
	}
	var curve []int
	for s := range slots {
		peak := map[int]int{} // by user
		touched := 0
		seen := map[int]bool{}
		for at := opts.From + time.Duration(s)*opts.Slot; at < opts.From+time.Duration(s+1)*opts.Slot; at += time.Minute {
			held := map[int]int{}
			for i, j := range jobs {
				if at < j.Submit || at >= j.Submit+j.Run {
					continue
				}
				if !seen[i] {
					seen[i] = true
					touched += j.Nodes
				}
				switch {
				case opts.Sharing == SharedByAll:
					held[0] += j.Nodes
				case j.User < 0:
					held[-1-i] += j.Nodes
				default:
					held[j.User] += j.Nodes
				}
			}
			for u, n := range held {
				peak[u] = max(peak[u], n)
			}
		}
		n := 0
		for _, p := range peak {
			n += p
		}
		if opts.Sharing == Unshared {
			n = touched
		}
		curve = append(curve, n)
	}
	return curve
}

// The curves equal brute force, in any order of jobs; each rule needs no less
// than the one before; the jobs are not modified; a used workspace and
// a dirty dst change nothing; and a stream of changes gives the same peaks.
func TestPropDemand(t *testing.T) {
	var s sweep
	rapid.Check(t, func(t *rapid.T) {
		jobs := smallJobs.Draw(t, "jobs")
		opts := DemandOptions{
			Slot:  time.Duration(rapid.SampledFrom([]int{7, 30, 60}).Draw(t, "slot")) * time.Minute,
			From:  time.Duration(rapid.IntRange(-60, 100).Draw(t, "from")) * time.Minute,
			Slots: rapid.IntRange(0, 5).Draw(t, "slots"),
		}
		before := slices.Clone(jobs)
		var last []int
		for _, opts.Sharing = range []Sharing{SharedByAll, SharedByUser, Unshared} {
			want := bruteDemand(jobs, opts)
			dirty := []int{9, 9, 9, 9, 9, 9, 9, 9}[:0]
			got, err := s.appendDemand(dirty, jobs, nil, opts)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(want, got) {
				t.Fatalf("shared by %v: got %v, want %v", opts.Sharing, got, want)
			}
			shuffled := rapid.Permutation(jobs).Draw(t, "order")
			if again, _ := AppendDemand(nil, shuffled, nil, opts); !slices.Equal(got, again) {
				t.Fatalf("shared by %v: %v in one order of jobs, %v in another", opts.Sharing, got, again)
			}
			for i := range last {
				if got[i] < last[i] {
					t.Fatalf("shared by %v: %v, less than %v", opts.Sharing, got, last)
				}
			}
			last = got
		}
		if !slices.Equal(before, jobs) {
			t.Fatal("the jobs were modified")
		}
	})
}

// Every record is a job or has one reason; jobs are in order, can be replayed,
// and do not depend on the order of the log but where two have the same key.
// Converting a shifted log from its first submission gives the same jobs.
func TestPropConvert(t *testing.T) {
	small := rapid.Custom(func(t *rapid.T) Record {
		r := rec(0, rapid.Int64Range(-1, 50).Draw(t, "submit"), rapid.Int64Range(-1, 5).Draw(t, "run"),
			rapid.IntRange(-1, 40).Draw(t, "processors"), rapid.IntRange(-1, 40).Draw(t, "requested"), rapid.Int64Range(-1, 9).Draw(t, "estimate"))
		r.Status = rapid.IntRange(-1, 5).Draw(t, "status")
		return r
	})
	rapid.Check(t, func(t *rapid.T) {
		recs := rapid.SliceOfN(small, 0, 20).Draw(t, "records")
		for i := range recs {
			recs[i].ID = int64(i)
		}
		opts := Options{
			PerInstance: rapid.IntRange(0, 16).Draw(t, "per"),
			Alpha:       new(rapid.Float64Range(0, 3).Draw(t, "alpha")),
		}
		jobs, rep, err := Convert(of(recs...), opts)
		if err != nil {
			t.Fatal(err)
		}
		sum := 0
		for _, n := range rep.LeftOut() {
			sum += n
		}
		if rep.Records != len(recs) || rep.Jobs != len(jobs) || sum != rep.Left() {
			t.Fatalf("%d records, %d jobs, report %v", len(recs), len(jobs), &rep)
		}
		if !slices.IsSortedFunc(jobs, compareJobs) {
			t.Fatal("not in the order of submission")
		}
		for _, j := range jobs {
			if j.Submit < 0 || j.Run <= 0 || j.Estimate < j.Run || j.Nodes <= 0 {
				t.Fatalf("cannot be replayed: %+v", j)
			}
		}
		shuffled, _, _ := Convert(of(rapid.Permutation(recs).Draw(t, "order")...), opts)
		if !slices.Equal(jobs, shuffled) {
			t.Fatalf("in another order (-want +got):\n%s", cmp.Diff(jobs, shuffled))
		}

		first := int64(math.MaxInt64)
		for _, r := range recs {
			if r.Submit >= 0 {
				first = min(first, int64(r.Submit))
			}
		}
		for i := range jobs {
			jobs[i].Submit -= time.Duration(first)
		}
		for i := range recs {
			if recs[i].Submit >= 0 {
				recs[i].Submit += 1_700_000_000 * time.Second
			}
		}
		shifted, _, _ := Convert(of(recs...), opts)
		if !slices.Equal(jobs, shifted) {
			t.Fatalf("shifted (-want +got):\n%s", cmp.Diff(jobs, shifted))
		}
	})
}

// FuzzReader: no input makes the reader panic or run on, errors name a line of
// the input, and what is read is the same when it is written and read again.
func FuzzReader(f *testing.F) {
	for _, s := range []string{
		"", "\n", ";", "; MaxProcs: 128\n" + job7 + "\n", job7 + "\r\n" + job7, "\ufeff;\n" + job7,
		"1\t2 3.5 -1 .5", job7 + " x", "7 1 2\n" + job7, "1 -0 0.0000000001 1.9999999999 5",
		"1 9223372036.854775807 -9223372036.854775808 0 0 0 -0.0 0 0 1e5", "\xff\xfe1\x00", "\x1f\x8b\x08\x00",
		zipped("; A: b\n" + job7 + "\n"), zipped(job7+"\n") + zipped(job7), "; a\rb\n", "1 1 1 1 9999999999999999999",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		r := NewReader(bytes.NewReader(in))
		var recs []Record
		h, err := r.Header()
		for range 3 {
			if err == nil {
				break
			}
			h, err = r.Header()
		}
		errs := 0
		for rec, err := range r.Records() {
			if err != nil {
				if errs++; errs > 2*r.Stats().Lines+2 {
					t.Fatal("more errors than lines")
				}
				if err.Error() == "" || strings.ContainsAny(err.Error(), "\n\r") {
					t.Fatalf("error text %q", err)
				}
				continue
			}
			recs = append(recs, rec)
			if len(recs) > 1000 {
				return
			}
		}
		lines := h.lines
		if r.Stats().Records != len(recs) {
			t.Fatalf("%d records counted, %d read", r.Stats().Records, len(recs))
		}
		checkRewritten(t, lines, recs)
		Convert(of(recs...), Options{PerInstance: 3, Alpha: new(2.0)})
	})
}

// FuzzRecord: any text in a line is a record that is the same when it is written
// and read again, or an error of that line, and the line after it is read.
func FuzzRecord(f *testing.F) {
	f.Add(job7)
	f.Add("1 2 3 4 5.0 0.1 1e9 -1 -1.5")
	f.Fuzz(func(t *testing.T, line string) {
		if strings.ContainsAny(line, "\n\r;") || strings.Trim(line, " \t") == "" {
			return
		}
		r := NewReader(strings.NewReader(";\n" + line + "\n" + job7))
		var rec Record
		if err := r.Next(&rec); err == nil {
			checkRewritten(t, []string{""}, []Record{rec})
		}
		if err := r.Next(&rec); err != nil || rec != record7 {
			t.Fatalf("the next line: %+v, %v", rec, err)
		}
	})
}
