package trace

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/inputerr"
)

// hold is a job of user u that holds n instances in [from, to), in minutes.
func hold(u, n, from, to int) Job {
	return Job{Submit: time.Duration(from) * time.Minute, Run: time.Duration(to-from) * time.Minute, Nodes: n, User: u}
}

// Curves by hand, in slots of 60 minutes: all | user | none.
func TestAppendDemand(t *testing.T) {
	for _, c := range []struct {
		name            string
		jobs            []Job
		from, slots     int // in minutes, in slots
		all, user, none []int
	}{
		{"nothing", nil, 0, 0, nil, nil, nil},
		{"nothing, two slots", nil, 0, 2, []int{0, 0}, []int{0, 0}, []int{0, 0}},
		{"one after the other, one user", []Job{hold(1, 2, 0, 20), hold(1, 3, 20, 50)}, 0, 0,
			[]int{3}, []int{3}, []int{5}},
		{"one after the other, two users", []Job{hold(1, 2, 0, 20), hold(2, 3, 20, 50)}, 0, 0,
			[]int{3}, []int{5}, []int{5}},
		{"two users whose peaks are apart", []Job{hold(1, 4, 0, 30), hold(1, 1, 30, 60), hold(2, 1, 0, 30), hold(2, 4, 30, 60)}, 0, 0,
			[]int{5}, []int{8}, []int{10}},
		{"unknown users share nothing", []Job{hold(-1, 2, 0, 20), hold(-1, 3, 20, 50)}, 0, 0,
			[]int{3}, []int{5}, []int{5}},
		{"an end on the slot's boundary", []Job{hold(1, 2, 0, 60), hold(1, 3, 60, 120)}, 0, 0,
			[]int{2, 3}, []int{2, 3}, []int{2, 3}},
		{"an hour across two slots", []Job{hold(1, 2, 30, 90)}, 0, 0, []int{2, 2}, []int{2, 2}, []int{2, 2}},
		{"held over a slot without events", []Job{hold(1, 2, 30, 200), hold(2, 1, 30, 40)}, 0, 0,
			[]int{3, 2, 2, 2}, []int{3, 2, 2, 2}, []int{3, 2, 2, 2}},
		{"idle slots", []Job{hold(1, 1, 0, 10), hold(1, 1, 200, 210)}, 0, 0,
			[]int{1, 0, 0, 1}, []int{1, 0, 0, 1}, []int{1, 0, 0, 1}},
		{"a window", []Job{hold(1, 1, 0, 500), hold(1, 2, 0, 60), hold(1, 4, 0, 61), hold(2, 8, 175, 185), hold(2, 16, 180, 181)}, 60, 2,
			[]int{5, 9}, []int{5, 9}, []int{5, 9}},
		{"a window off the hours", []Job{hold(1, 1, 0, 30), hold(1, 2, 30, 90), hold(1, 4, 90, 95)}, 30, 0,
			[]int{2, 4}, []int{2, 4}, []int{2, 4}},
		{"all before the window", []Job{hold(1, 1, 0, 30)}, 60, 0, nil, nil, nil},
		{"before time 0", []Job{hold(1, 1, -90, -30), hold(1, 2, -10, 10)}, 0, 0, []int{2}, []int{2}, []int{2}},
		{"from before time 0", []Job{hold(1, 1, -90, -30), hold(1, 2, -10, 10)}, -120, 0, []int{1, 2, 2}, []int{1, 2, 2}, []int{1, 3, 2}},
		{"longer than the slots asked for", []Job{hold(1, 1, 0, 600)}, 0, 2, []int{1, 1}, []int{1, 1}, []int{1, 1}},
	} {
		var s sweep
		for rule, want := range map[Sharing][]int{SharedByAll: c.all, SharedByUser: c.user, Unshared: c.none} {
			opts := DemandOptions{Sharing: rule, From: time.Duration(c.from) * time.Minute, Slots: c.slots}
			got, err := s.appendDemand([]int{77}, c.jobs, nil, opts)
			if err != nil {
				t.Fatalf("%s, shared by %v: %v", c.name, rule, err)
			}
			if diff := gocmp.Diff(append([]int{77}, want...), got); diff != "" {
				t.Errorf("%s, shared by %v: (-want +got):\n%s", c.name, rule, diff)
			}
		}
	}
}

// Given starts replace the submissions.
func TestAppendStarts(t *testing.T) {
	jobs := []Job{hold(1, 1, 0, 60), hold(1, 2, 0, 60), hold(1, 4, 0, 60)}
	jobs[1].Wait = time.Hour
	jobs[2].Wait = -time.Second
	starts, unknown := AppendStarts(nil, jobs)
	if diff := gocmp.Diff([]time.Duration{0, time.Hour, 0}, starts); diff != "" || unknown != 1 {
		t.Errorf("%d unknown, want 1; starts (-want +got):\n%s", unknown, diff)
	}
	got, err := AppendDemand(nil, jobs, starts, DemandOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := gocmp.Diff([]int{5, 2}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestAppendDemandErrors(t *testing.T) {
	fine := hold(1, 1, 0, 60)
	many := []Job{hold(1, 2, 0, 60), hold(2, 1, 30, 200), hold(1, 3, 90, 95), hold(2, 4, 61, 62)}
	var used sweep
	set := func(f func(*Job)) Job { j := fine; f(&j); return j }
	for _, c := range []struct {
		name string
		job  Job
		opts DemandOptions
		want string
	}{
		{"no instances", set(func(j *Job) { j.Nodes = 0 }), DemandOptions{}, "trace: Jobs[1].Nodes: value out of range: 0: want more than 0"},
		{"no run time", set(func(j *Job) { j.Run = 0 }), DemandOptions{}, "trace: Jobs[1].Run: value out of range: 0s: want more than 0"},
		{"negative run time", set(func(j *Job) { j.Run = -1 }), DemandOptions{}, "trace: Jobs[1].Run: value out of range: -1ns: want more than 0"},
		{"end beyond the range", set(func(j *Job) { j.Submit = math.MaxInt64 }), DemandOptions{}, "trace: Jobs[1].Submit: value out of range: the job starts at 2562047h47m16.854775807s: want a start and an end within 292 years"},
		{"start before the range", set(func(j *Job) { j.Submit = math.MinInt64 }), DemandOptions{From: 1}, "trace: Jobs[1].Submit: value out of range: the job starts at -2562047h47m16.854775808s: want a start and an end within 292 years"},
		{"start behind the range", set(func(j *Job) { j.Submit = math.MaxInt64 }), DemandOptions{From: -1}, "trace: Jobs[1].Submit: value out of range: the job starts at 2562047h47m16.854775807s: want a start and an end within 292 years"},
		{"sum beyond the range", set(func(j *Job) { j.Nodes = math.MaxInt }), DemandOptions{}, fmt.Sprintf("trace: Jobs[1].Nodes: value out of range: %d: want a sum of all nodes that fits an int", math.MaxInt)},
		{"too many slots", set(func(j *Job) { j.Run = 1 << 62 }), DemandOptions{Slot: time.Second}, "trace: Jobs[1].Run: value out of range: the job ends after more than 2²⁶ slots: want a longer slot"},
	} {
		dst := []int{1, 2}
		got, err := AppendDemand(dst, []Job{fine, c.job}, nil, c.opts)
		var ie *inputerr.Error
		if !errors.As(err, &ie) || !errors.Is(err, ErrRange) || err.Error() != c.want {
			t.Errorf("%s: %v, want %s", c.name, err, c.want)
		}
		if diff := gocmp.Diff(dst, got); diff != "" {
			t.Errorf("%s: dst (-want +got):\n%s", c.name, diff)
		}
		// A sweep after an error is as a new one.
		for _, sharing := range []Sharing{SharedByUser, SharedByAll, Unshared} {
			if _, err := used.appendDemand(nil, []Job{fine, c.job}, nil, c.opts); err == nil {
				t.Errorf("%s: no error of a used sweep", c.name)
			}
			want, err := AppendDemand(nil, many, nil, DemandOptions{Sharing: sharing})
			if got, err2 := used.appendDemand(nil, many, nil, DemandOptions{Sharing: sharing}); err != nil || err2 != nil || !slices.Equal(got, want) {
				t.Errorf("%s: then %v, %v, %v: want %v", c.name, got, err, err2, want)
			}
		}
	}
	// The ends of the range themselves are fine.
	edge := []Job{{Submit: math.MaxInt64 - 1, Run: 1, Nodes: 2}, {Submit: math.MinInt64, Run: math.MaxInt64, Nodes: 1}}
	got, err := AppendDemand(nil, edge, nil, DemandOptions{Slot: math.MaxInt64, Slots: 1})
	if diff := gocmp.Diff([]int{2}, got); err != nil || diff != "" {
		t.Errorf("at the range's ends: %v, (-want +got):\n%s", err, diff)
	}
}
