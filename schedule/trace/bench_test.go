package trace

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"iter"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	_ "github.com/plimsoll/plimsoll/internal/seeded"
)

// plainLog makes a log of n records in the columns of the archive's logs, which
// are right-justified and hold a fraction in the CPU time of half the lines.
func plainLog(n int) []byte {
	rng := rand.New(rand.NewPCG(1, 2))
	var b bytes.Buffer
	b.WriteString("; Version: 2.2\n; Computer: made by a benchmark\n; MaxProcs: 1664\n;\n")
	submit := 0
	for i := range n {
		submit += rng.IntN(600)
		procs := 1 << rng.IntN(8)
		run := rng.IntN(60000)
		cpu := fmt.Sprint(run)
		if rng.IntN(2) == 0 {
			cpu = fmt.Sprintf("%.2f", float64(run)/3)
		}
		fmt.Fprintf(&b, "%5d %8d %6d %6d %4d %6s    -1 %4d %6d    -1  1 %3d %3d  -1 %2d  3 -1 -1\n",
			i+1, submit, rng.IntN(100000), run, procs, cpu, procs, run+rng.IntN(50000), rng.IntN(400), rng.IntN(90), rng.IntN(20))
	}
	return b.Bytes()
}

func BenchmarkNext(b *testing.B) {
	plain := plainLog(100_000)
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	z.Write(plain)
	z.Close()
	for _, c := range []struct {
		name string
		data []byte
	}{{"plain", plain}, {"gzip", zipped.Bytes()}} {
		b.Run("in="+c.name, func(b *testing.B) {
			b.SetBytes(int64(len(plain))) // of text in either case
			b.ReportAllocs()
			var r Reader
			var src bytes.Reader
			var rec Record
			for b.Loop() {
				src.Reset(c.data)
				r.Reset(&src)
				for {
					err := r.Next(&rec)
					if err == io.EOF {
						break
					}
					if err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}

func BenchmarkConvert(b *testing.B) {
	plain := plainLog(100_000)
	b.SetBytes(int64(len(plain)))
	b.ReportAllocs()
	var r Reader
	var src bytes.Reader
	var jobs []Job
	for b.Loop() {
		src.Reset(plain)
		r.Reset(&src)
		var err error
		jobs, _, err = appendJobs(jobs[:0], r.Records(), Options{PerInstance: 16})
		if err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkWrite(b *testing.B) {
	plain := plainLog(100_000)
	recs := collect(b, NewReader(bytes.NewReader(plain)))
	w := NewWriter(io.Discard)
	var written bytes.Buffer
	w.Reset(&written)
	for i := range recs {
		w.Write(&recs[i])
	}
	w.Flush()
	b.SetBytes(int64(written.Len()))
	b.ReportAllocs()
	for b.Loop() {
		w.Reset(io.Discard)
		for i := range recs {
			if err := w.Write(&recs[i]); err != nil {
				b.Fatal(err)
			}
		}
		w.Flush()
	}
}

func BenchmarkAppendDemand(b *testing.B) {
	jobs, _, err := Convert(NewReader(bytes.NewReader(plainLog(100_000))).Records(), Options{PerInstance: 16})
	if err != nil {
		b.Fatal(err)
	}
	starts, _ := AppendStarts(nil, jobs)
	for sharing, rule := range [...]string{SharedByAll: "all", SharedByUser: "user", Unshared: "none"} {
		b.Run("rule="+rule, func(b *testing.B) {
			b.ReportAllocs()
			var s sweep
			var curve []int
			for b.Loop() {
				curve, err = s.appendDemand(curve[:0], jobs, starts, DemandOptions{Sharing: Sharing(sharing)})
				if err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(len(jobs))*float64(b.N)/b.Elapsed().Seconds(), "jobs/s")
		})
	}
}

// collect reads all records, and fails on the first error.
func collect(tb rapid.TB, r *Reader) []Record {
	tb.Helper()
	var recs []Record
	for rec, err := range r.Records() {
		if err != nil {
			tb.Fatal(err)
		}
		recs = append(recs, rec)
	}
	return recs
}

// of yields the records without errors.
func of(recs ...Record) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		for _, r := range recs {
			if !yield(r, nil) {
				return
			}
		}
	}
}
