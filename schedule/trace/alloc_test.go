package trace

import (
	"bytes"
	"fmt"
	"io"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/internal/allocs"
)

// noAllocs runs f, which is given 0, 1, 2, ..., warm, and fails if it allocates.
func noAllocs(t *testing.T, what string, f func(i int)) {
	t.Helper()
	for i := range 4 {
		f(i)
	}
	for i := range 20 {
		if n := allocs.Once(func() { f(i % 4) }); n != 0 {
			t.Errorf("%s, input %d: %v allocations, want 0", what, i%4, n)
		}
	}
}

func TestAllocs(t *testing.T) {
	var texts [4][]byte // without header, whose lines are kept as strings
	var recs [4][]Record
	var jobs [4][]Job
	var starts [4][]time.Duration
	for i := range texts {
		texts[i] = plainLog(4000 - 500*i)
		texts[i] = texts[i][bytes.Index(texts[i], []byte("\n;\n"))+3:]
		recs[i] = collect(t, NewReader(bytes.NewReader(texts[i])))
		jobs[i], _, _ = Convert(of(recs[i]...), Options{PerInstance: 16})
		starts[i], _ = AppendStarts(nil, jobs[i])
	}

	var r Reader
	var src bytes.Reader
	var rec Record
	noAllocs(t, "Next", func(i int) {
		src.Reset(texts[i])
		r.Reset(&src)
		for r.Next(&rec) == nil {
		}
		if r.Stats().Records != len(recs[i]) {
			t.Fatal("not all records")
		}
	})

	w := NewWriter(io.Discard)
	noAllocs(t, "Write", func(i int) {
		w.Reset(io.Discard)
		for k := range recs[i] {
			w.Write(&recs[i][k])
		}
		w.Flush()
	})

	// The sequence itself is two closures, and no more however long the log.
	var kept []Job
	i := 0
	if n := testing.AllocsPerRun(20, func() {
		src.Reset(texts[i%4])
		r.Reset(&src)
		i++
		kept, _, _ = appendJobs(kept[:0], r.Records(), Options{PerInstance: 16})
		if len(kept) < 1000 {
			t.Fatal("not all jobs")
		}
	}); n > 16 {
		t.Errorf("appendJobs: %v allocations for %d jobs", n, len(kept))
	}

	var s sweep
	var curve []int
	for _, sharing := range []Sharing{SharedByAll, SharedByUser, Unshared} {
		noAllocs(t, "AppendDemand, shared by "+fmt.Sprint(int(sharing)), func(i int) {
			curve, _ = s.appendDemand(curve[:0], jobs[i], starts[i], DemandOptions{Sharing: sharing})
		})
	}

	var dst []time.Duration
	noAllocs(t, "AppendStarts", func(i int) { dst, _ = AppendStarts(dst[:0], jobs[i]) })
}
