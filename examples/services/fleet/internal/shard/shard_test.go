package shard

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/plimsoll/plimsoll/examples/services/fleet/internal/generate"
	"github.com/plimsoll/plimsoll/examples/services/fleet/internal/group"
	"github.com/plimsoll/plimsoll/examples/services/fleet/internal/market"
	"github.com/plimsoll/plimsoll/examples/services/fleet/internal/record"
	"github.com/plimsoll/plimsoll/reserve/savings"
)

func jobOf(t *testing.T, curves, of int) *Job {
	return &Job{Dir: filepath.Join(t.TempDir(), "work"), Of: of,
		Plan: Plan{Fleet: generate.Fleet{Seed: 1, Curves: curves, Poison: 7}, Sample: 4, Seed: 1, Rounds: 2}}
}

// A book collects notes.
type book struct{ lines []string }

func (b *book) note(format string, args ...any) {
	b.lines = append(b.lines, fmt.Sprintf(format, args...))
}

// last returns the last note.
func (b *book) last() string {
	if len(b.lines) == 0 {
		return ""
	}
	return b.lines[len(b.lines)-1]
}

// run runs both rounds.
func run(t *testing.T, j *Job) *Result {
	t.Helper()
	var b book
	for range 2 {
		for i := range j.Of {
			if err := j.Shard(i+1, b.note); err != nil {
				t.Fatal(err)
			}
		}
		r, err := j.Merge(b.note)
		if err != nil {
			t.Fatal(err)
		}
		if r != nil {
			return r
		}
	}
	t.Fatalf("no result after two rounds: %s", b.last())
	return nil
}

var totals = cmp.AllowUnexported(savings.Total{})

// The plan does not depend on the number of shards, and is that of the four steps of package
// joint in one process.
func TestShards(t *testing.T) {
	one := run(t, jobOf(t, 20, 1))
	for _, of := range []int{3, 25} { // the last with empty shards
		if d := cmp.Diff(one, run(t, jobOf(t, 20, of)), totals); d != "" {
			t.Errorf("one shard and %d: %s", of, d)
		}
	}
	f := jobOf(t, 20, 1).Fleet
	x := f.Terms()
	sample := market.Sample{Want: 4}
	groups := make([]record.Group, f.Curves)
	var c generate.Curves
	for i := range groups {
		c.At(&f, i, &groups[i])
		sample.Add(market.Draw(&x, &groups[i], 1))
	}
	var members []market.Member
	for i := range groups {
		if times := sample.Times(market.Draw(&x, &groups[i], 1)); times > 0 {
			members = append(members, market.Member{Group: groups[i], Times: times})
		}
	}
	price, err := (&market.Search{Rounds: 2}).Find(&x, members)
	if err != nil {
		t.Fatal(err)
	}
	var sum market.Sum
	var p group.Planner
	failed := 0
	for i := range groups {
		a, failure := price.Plan(&p, &x, &groups[i])
		if failure != nil {
			failed++
			continue
		}
		sum.Add(&groups[i], &a)
		if got := record.Append(nil, a.Plan(&groups[i])); !bytes.Equal(got, one.Records[i]) {
			t.Errorf("the plan of group %d differs", i)
		}
	}
	want, _, err := market.Commit(&x, &sum, &price)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, one.Joint, totals); d != "" {
		t.Error(d)
	}
	if plans := len(one.Records) - failed; failed != 3 || plans != 17 {
		t.Errorf("%d plans and %d failures, want 17 and 3", plans, failed)
	}
}

// A shard that was killed begins again, and what it left makes no difference; its file is the same byte by
// byte. Running it again changes nothing.
func TestAgain(t *testing.T) {
	j := jobOf(t, 20, 2)
	run(t, j)
	path := j.path("plan", 2)
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var b book
	if err := j.Shard(2, b.note); err != nil || b.last() != "shard 2/2 is planned: nothing to do" {
		t.Errorf("%q, %v", b.last(), err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	os.WriteFile(filepath.Join(j.Dir, ".0123456789abcdef.tmp"), []byte("half"), 0o666)
	if err := j.Shard(2, b.note); err != nil || b.last() != "shard 2/2: 10 groups are planned" {
		t.Errorf("%q, %v", b.last(), err)
	}
	if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, want) {
		t.Errorf("the file differs, %v", err)
	}
}

// Whatever is wrong with the files is one sentence.
func TestRefuses(t *testing.T) {
	first := func(t *testing.T) *Job { // the first round is done
		j := jobOf(t, 6, 3)
		var b book
		for i := range 3 {
			if err := j.Shard(i+1, b.note); err != nil {
				t.Fatal(err)
			}
		}
		return j
	}
	done := jobOf(t, 6, 3)
	run(t, done)
	second := func(t *testing.T) *Job { // both are
		j := jobOf(t, 6, 3)
		if err := os.CopyFS(j.Dir, os.DirFS(done.Dir)); err != nil {
			t.Fatal(err)
		}
		return j
	}
	for _, c := range []struct {
		name  string
		begin func(t *testing.T) *Job
		spoil func(t *testing.T, j *Job)
		shard int // 0: merge
		want  string
	}{
		{"no such shard", first, nil, 4, "shard 4/3: want 1/N to N/N"},
		{"missing", first, func(t *testing.T, j *Job) { os.Remove(j.path("tickets", 2)) }, 0, "of 3 shards 2 is missing: run fleet shard 2/3 first"},
		{"missing plans", second, func(t *testing.T, j *Job) { os.Remove(j.path("plan", 1)); os.Remove(j.path("plan", 3)) }, 0,
			"of 3 shards 1 and 3 are missing: run fleet shard 1/3 first"},
		{"empty", second, func(t *testing.T, j *Job) { os.WriteFile(j.path("plan", 2), nil, 0o666) }, 0,
			"plan-00002-of-00003 is empty: remove it, and run its task again"},
		{"empty, by its task", second, func(t *testing.T, j *Job) { os.WriteFile(j.path("plan", 2), nil, 0o666) }, 2, "plan-00002-of-00003 is empty"},
		{"twice", second, func(t *testing.T, j *Job) { copyFile(t, j.path("plan", 1), j.path("plan", 2)) }, 0,
			"plan-00002-of-00003 holds shard 1/3: want shard 2/3 there and every shard once"},
		{"another count", second, func(t *testing.T, j *Job) {
			copyFile(t, j.path("plan", 1), filepath.Join(j.Dir, "plan-00001-of-00002"))
		}, 0, "plan-00001-of-00002 is none of the shards 1/3 to 3/3"},
		{"damaged", second, func(t *testing.T, j *Job) {
			b, _ := os.ReadFile(j.path("plan", 3))
			b[len(b)/2] ^= 1
			os.WriteFile(j.path("plan", 3), b, 0o666)
		}, 0, "plan-00003-of-00003 is damaged, its checksum is wrong"},
		{"cut off", second, func(t *testing.T, j *Job) {
			b, _ := os.ReadFile(j.path("plan", 3))
			os.WriteFile(j.path("plan", 3), b[:len(b)-5], 0o666)
		}, 0, "plan-00003-of-00003 is damaged"},
		{"something else", first, func(t *testing.T, j *Job) { os.WriteFile(j.path("tickets", 3), []byte("hello\n"), 0o666) }, 0,
			"tickets-00003-of-00003 does not hold tickets"},
		{"another job", first, func(t *testing.T, j *Job) { j.Fleet.Seed = 9 }, 1, "holds another job, of 6 curves, seed 1, a sample of 4, 2 rounds and 3 shards"},
		{"of another job", second, func(t *testing.T, j *Job) {
			other := jobOf(t, 7, 3)
			run(t, other)
			copyFile(t, other.path("plan", 1), j.path("plan", 1))
		}, 0, "plan-00001-of-00003 is of another job: remove it, or take another folder"},
		{"a version", second, func(t *testing.T, j *Job) {
			b, _ := os.ReadFile(j.path("plan", 1))
			os.WriteFile(j.path("plan", 1), bytes.Replace(b, []byte(`"version":3`), []byte(`"version":1`), 1), 0o666)
		}, 0, "plan-00001-of-00003 is of version 1: want version 3"},
		{"a damaged price", second, func(t *testing.T, j *Job) {
			b, _ := os.ReadFile(filepath.Join(j.Dir, "worth"))
			b[len(b)/2] ^= 1
			os.WriteFile(filepath.Join(j.Dir, "worth"), b, 0o666)
		}, 0, "worth is damaged, its checksum is wrong: remove it, and run fleet merge again"},
		{"in use", first, func(t *testing.T, j *Job) {
			done := make(chan error)
			var b book
			err := j.alone(2, func() error {
				go func() { err := j.Shard(2, b.note); done <- err }()
				err := <-done
				if err == nil || !strings.Contains(err.Error(), "another process works on shard 2/3: want one at a time") {
					t.Errorf("got %v", err)
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			os.Remove(j.path("tickets", 1))
		}, 0, "1 is missing"},
	} {
		t.Run(c.name, func(t *testing.T) {
			j := c.begin(t)
			if c.spoil != nil {
				c.spoil(t, j)
			}
			var b book
			var err error
			if c.shard > 0 {
				err = j.Shard(c.shard, b.note)
			} else {
				_, err = j.Merge(b.note)
			}
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v\nwant an error with %q", err, c.want)
			}
		})
	}
	if _, err := Open(t.TempDir()); err == nil || !strings.Contains(err.Error(), "holds no shards: run fleet shard 1/N") {
		t.Error(err)
	}
	j := jobOf(t, 2, 3)
	var b book
	for i := range 3 {
		if err := j.Shard(i+1, b.note); err != nil {
			t.Fatal(err)
		}
	}
	if want := "shard 1/3 is empty: the fleet has fewer groups than shards"; b.lines[0] != want {
		t.Errorf("got %q, want %q", b.lines, want)
	}
}

func copyFile(t *testing.T, from, to string) {
	b, err := os.ReadFile(from)
	if err == nil {
		err = os.WriteFile(to, b, 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// Files that hold anything do not make reading panic.
func FuzzRead(f *testing.F) {
	j := Job{Dir: f.TempDir(), Of: 1, Plan: Plan{Fleet: generate.Fleet{Seed: 1, Curves: 1}, Sample: 1}}
	if err := j.save("plan", 1, [][]byte{{'F', 1}}); err != nil {
		f.Fatal(err)
	}
	b, _ := os.ReadFile(j.path("plan", 1))
	f.Add(b)
	f.Fuzz(func(t *testing.T, b []byte) {
		os.WriteFile(j.path("plan", 1), b, 0o666)
		j.load("plan", 1)
	})
}
