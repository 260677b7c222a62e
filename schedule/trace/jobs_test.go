package trace

import (
	"errors"
	"iter"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/plimsoll/plimsoll/internal/allocs"
	"github.com/plimsoll/plimsoll/internal/seeded"
	"github.com/plimsoll/plimsoll/internal/shared"

	"github.com/plimsoll/plimsoll/internal/inputerr"
)

// listed collects a sequence of jobs up to its error.
func listed(seq iter.Seq2[Job, error]) (jobs []Job, err error) {
	for j, e := range seq {
		if e != nil {
			return jobs, e
		}
		jobs = append(jobs, j)
	}
	return jobs, nil
}

func records(list []Record) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		for _, r := range list {
			if !yield(r, nil) {
				return
			}
		}
	}
}

// Jobs makes of records in order what Convert makes, and refuses others.
func TestJobsEqualsConvert(t *testing.T) {
	refused := 0
	rapid.Check(t, func(t *rapid.T) {
		var list []Record
		at := rapid.SampledFrom([]int64{0, 0, 99_999_999, 1_000_000_000}).Draw(t, "first")
		late := rapid.IntRange(0, 9).Draw(t, "out of order") == 0
		for i := range rapid.IntRange(0, 12).Draw(t, "records") {
			at += rapid.Int64Range(0, 3).Draw(t, "gap")
			if late && rapid.IntRange(0, 3).Draw(t, "back") == 0 {
				at = max(0, at-rapid.Int64Range(1, 5).Draw(t, "by"))
			}
			r := rec(int64(i), at, rapid.Int64Range(-1, 9).Draw(t, "run"), rapid.IntRange(-1, 40).Draw(t, "procs"), 3, rapid.Int64Range(-1, 12).Draw(t, "estimate"))
			r.Status = rapid.IntRange(0, 5).Draw(t, "status")
			if rapid.IntRange(0, 9).Draw(t, "no submit") == 0 {
				r.Submit = -time.Second
			}
			list = append(list, r)
		}
		o := Options{PerInstance: rapid.IntRange(0, 8).Draw(t, "per")}
		if rapid.Bool().Draw(t, "scaled") {
			o.Alpha = NewAlpha(.5)
		}
		want, rep, err := Convert(records(list), o)
		if err != nil {
			t.Fatal(err)
		}
		var report Report
		seq := Jobs(records(list), o, &report)
		got, err := listed(seq)
		if errors.Is(err, ErrOrder) && late {
			refused++
			return
		}
		if again, _ := listed(seq); err != nil || rep.Moved > 0 || !cmp.Equal(want, got) || !cmp.Equal(got, again) {
			t.Fatalf("%v, %d moved: -convert +jobs:\n%s", err, rep.Moved, cmp.Diff(want, got))
		}
		if d := cmp.Diff(rep, report); d != "" {
			t.Fatalf("-convert +jobs:\n%s", d)
		}
		if again, err := listed(Jobs(records(list), o, nil)); err != nil || !cmp.Equal(got, again) {
			t.Fatalf("without a report: %v", err)
		}
	})
	if refused == 0 {
		seeded.TooFew(t, "no log was out of order")
	}
}

// A record that is out of order is named, and so is one before the first.
func TestJobsOrder(t *testing.T) {
	for name, c := range map[string]struct {
		list []Record
		made int
		at   int
	}{
		"time":   {[]Record{rec(1, 5, 1, 1, 1, 1), rec(2, 7, 1, 1, 1, 1), rec(3, 6, 1, 1, 1, 1)}, 2, 2},
		"number": {[]Record{rec(2, 5, 1, 1, 1, 1), rec(1, 5, 1, 1, 1, 1)}, 1, 1},
		"base":   {[]Record{rec(1, 1_000_000_000, 1, 1, 1, 1), rec(2, 999_999_999, 0, 1, 1, 1)}, 1, 1},
	} {
		got, err := listed(Jobs(records(c.list), Options{}, nil))
		var input *inputerr.Error
		if len(got) != c.made || !errors.As(err, &input) || input.Index != c.at || input.Field != "Records.Submit" || !errors.Is(err, ErrOrder) {
			t.Errorf("%s: %d jobs, %v", name, len(got), err)
		}
	}
	broken := errors.New("broken")
	if _, err := listed(Jobs(func(yield func(Record, error) bool) { yield(Record{}, broken) }, Options{}, nil)); err != broken {
		t.Errorf("an error of the records: %v", err)
	}
	if _, err := listed(Jobs(records([]Record{rec(1, 0, 1, 1, 1, 1<<33)}), Options{Alpha: NewAlpha(1e9)}, nil)); !errors.Is(err, ErrRange) {
		t.Errorf("an estimate that is too long: %v", err)
	}
	for range Jobs(records([]Record{rec(1, 0, 1, 1, 1, 1), rec(2, 0, 1, 1, 1, 1)}), Options{}, nil) {
		break // a caller may stop
	}
}

// All logs of the reference material are in order.
func TestJobsLogs(t *testing.T) {
	for _, dir := range []string{"easy", "traces"} {
		files, err := filepath.Glob(filepath.Join(shared.File(t, dir), "*.swf.gz"))
		if err != nil || len(files) == 0 {
			t.Fatal(files, err)
		}
		for _, name := range files[:2] {
			f, err := os.Open(name)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			want, rep, err := Convert(NewReader(f).Records(), Options{PerInstance: 4})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := f.Seek(0, 0); err != nil {
				t.Fatal(err)
			}
			var report Report
			got, err := listed(Jobs(NewReader(f).Records(), Options{PerInstance: 4}, &report))
			if err != nil || !cmp.Equal(want, got) || rep != report {
				t.Errorf("%s: %v; %d jobs, want %d; %v, want %v", name, err, len(got), len(want), &report, &rep)
			}
		}
	}
}

// However many records there are, a pass allocates the same few closures.
func TestJobsAllocations(t *testing.T) {
	list := make([]Record, 10_000)
	for i := range list {
		list[i] = rec(int64(i), int64(i), 5, 2, 2, 9)
	}
	pass := func(n int) float64 {
		seq := Jobs(records(list[:n]), Options{}, nil)
		return float64(allocs.Once(func() {
			for _, err := range seq {
				if err != nil {
					t.Fatal(err)
				}
			}
		}))
	}
	if few, many := pass(10), pass(len(list)); many > few {
		t.Errorf("%v allocations for 10 records, %v for %d", few, many, len(list))
	}
}
