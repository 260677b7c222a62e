package schedule

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/plimsoll/plimsoll/internal/allocs"
)

// [Niu16] section 4.1: iff the size exceeds the capacity or the predicted wait
// exceeds the limit, so not at equality.
func TestGrowth(t *testing.T) {
	const limit = 5 * time.Minute // the default
	for _, c := range []struct {
		nodes, size   int
		start, submit time.Duration
		want          string
	}{
		{8, 8, time.Hour, time.Hour, CauseNone},
		{8, 8, time.Hour + limit, time.Hour, CauseNone},
		{8, 8, time.Hour + limit + 1, time.Hour, CauseWait},
		{8, 8, time.Hour + limit + 3*time.Minute + 1, time.Hour, CauseWait},
		{8, 7, time.Hour, time.Hour, CauseSize},
		{8, 8, Never, 0, CauseWait},
		{1, 0, Never, 0, CauseSize},
		{0, 0, Never, 0, CauseNone}, // no job waits
	} {
		v := View{Now: time.Hour + 3*time.Minute, Nodes: c.size, Top: Job{Nodes: c.nodes, Submit: c.submit}, Start: c.start}
		var a Autoscaler
		if got := a.Growth(&v); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
	v := View{Nodes: 8, Top: Job{Nodes: 8}, Start: 1}
	if got := (&Autoscaler{WaitLimit: AtOnce}).Growth(&v); got != CauseWait {
		t.Errorf("a limit of zero: %v", got)
	}
}

// What is requested and given back, with a least and a greatest size and a pause.
func TestDecide(t *testing.T) {
	const minute = time.Minute
	waits := View{Now: 100 * minute, Nodes: 10, Idle: 2, Booting: 3, Top: Job{Nodes: 8, Submit: 99 * minute}, Start: 200 * minute,
		All: 20, Long: 13, FirstShort: 1}
	quiet := View{Now: 100 * minute, Nodes: 6, Idle: 5, Due: []time.Duration{101 * minute, 100*minute + 1, 100 * minute, 101*minute - 1, 160 * minute}}
	for name, c := range map[string]struct {
		a    Autoscaler
		v    View
		want Verdict
	}{
		"grows by what is lacking":    {Autoscaler{}, waits, Verdict{Cause: CauseWait, Grow: 14 - 5}},
		"for all":                     {Autoscaler{Expansion: SumSize}, waits, Verdict{Cause: CauseWait, Grow: 20 - 5}},
		"for the first":               {Autoscaler{Expansion: FirstSize}, waits, Verdict{Cause: CauseWait, Grow: 8 - 5}},
		"up to the most":              {Autoscaler{Most: 12}, waits, Verdict{Cause: CauseWait, Grow: 2, Withheld: 7}},
		"is at the most":              {Autoscaler{Most: 10}, waits, Verdict{Cause: CauseWait, Withheld: 9}},
		"is above the most":           {Autoscaler{Most: 4}, waits, Verdict{Cause: CauseWait, Withheld: 9}},
		"nothing is lacking":          {Autoscaler{}, with(waits, func(v *View) { v.Idle = 7; v.Booting = 8 }), Verdict{Cause: CauseWait}},
		"to the least size":           {Autoscaler{Least: 30}, waits, Verdict{Cause: CauseWait, Grow: 20}},
		"to the least size, idle":     {Autoscaler{Least: 9}, quiet, Verdict{Cause: CauseLeast, Grow: 3}},
		"pauses":                      {Autoscaler{Pause: minute}, with(waits, func(v *View) { v.Until = v.Now + 1 }), Verdict{Cause: CausePause, Until: 100*minute + 1}},
		"after a pause":               {Autoscaler{Pause: minute}, with(waits, func(v *View) { v.Until = v.Now }), Verdict{Cause: CauseWait, Grow: 9, Until: 101 * minute}},
		"no end of the pause":         {Autoscaler{Pause: Never}, waits, Verdict{Cause: CauseWait, Grow: 9, Until: Never}},
		"gives back what is due":      {Autoscaler{}, quiet, Verdict{Cause: CauseCharge, Release: []int{1, 2, 3}}},
		"checks are rarer":            {Autoscaler{ReleaseEvery: time.Hour + 1}, quiet, Verdict{Cause: CauseCharge, Release: []int{0, 1, 2, 3, 4}}},
		"leaves ahead of the charge":  {Autoscaler{Lead: 1}, quiet, Verdict{Cause: CauseCharge, Release: []int{0, 1, 3}}},
		"keeps the least size":        {Autoscaler{Least: 4}, quiet, Verdict{Cause: CauseCharge, Release: []int{1, 2}}},
		"is the least size":           {Autoscaler{Least: 6}, quiet, Verdict{Cause: CauseNone, Release: []int{}}},
		"keeps all in a pause":        {Autoscaler{Pause: 1}, with(quiet, func(v *View) { v.Until = v.Now + 1 }), Verdict{Cause: CausePause, Until: 100*minute + 1}},
		"begins a pause":              {Autoscaler{Pause: minute}, quiet, Verdict{Cause: CauseCharge, Release: []int{1, 2, 3}, Until: 101 * minute}},
		"keeps all while a job waits": {Autoscaler{}, with(quiet, func(v *View) { v.Top = Job{Nodes: 6}; v.Start = 2 * minute }), Verdict{Cause: CauseNone}},
		"nothing is due":              {Autoscaler{}, with(quiet, func(v *View) { v.Due = v.Due[4:] }), Verdict{Cause: CauseNone}},
		"an unset pause has no end":   {Autoscaler{}, with(waits, func(v *View) { v.Until = 7 }), Verdict{Cause: CauseWait, Grow: 9, Until: 7}},
	} {
		before := slices.Clone(c.v.Due)
		got := c.a.Decide(nil, &c.v)
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", name, diff)
		}
		if got := c.a.Decide([]int{77}, &c.v).Release; got[0] != 77 || !slices.Equal(got[1:], c.want.Release) {
			t.Errorf("%s: appended %v", name, got)
		}
		if !slices.Equal(before, c.v.Due) {
			t.Errorf("%s: the view is modified", name)
		}
	}
}

func with(v View, f func(*View)) View {
	f(&v)
	return v
}

// The last check at or before the charge: at it the residual lease term is
// shorter than the period, and at the check before it is not.
func TestNextCheck(t *testing.T) {
	const every = 7
	for lead := time.Duration(0); lead < 9; lead++ {
		a := Autoscaler{ReleaseEvery: every, Lead: lead}
		goes := func(due, at time.Duration) bool {
			return len(a.Decide(nil, &View{Now: at, Nodes: 1, Due: []time.Duration{due}}).Release) > 0
		}
		for due := time.Duration(0); due < 40; due++ {
			for now := time.Duration(0); now <= due; now++ {
				at := a.NextCheck(due, now)
				// The first multiple of every, from now on, at or after the last one
				// before the charge less the lead: tried one by one.
				want := time.Duration(0)
				for want < now || want+every <= due-lead {
					want += every
				}
				if at != want {
					t.Errorf("NextCheck(%d, %d) = %d, want %d", due, now, at, want)
				}
				if at <= due-lead && !goes(due, at) {
					t.Errorf("an instance due at %d is not given back at its check, %d", due, at)
				}
				if at-every >= now && goes(due, at-every) {
					t.Errorf("an instance due at %d is given back at %d, a check too early", due, at-every)
				}
			}
		}
	}
}

func TestEnumerationTexts(t *testing.T) {
	for e := BestSize; e <= SumSize; e++ {
		text, err := e.MarshalText()
		var back Expansion
		if err != nil || back.UnmarshalText(text) != nil || back != e || e.String() != string(text) {
			t.Errorf("%v: text %q, %v, read as %v", e, text, err, back)
		}
	}
	e := SumSize
	err := e.UnmarshalText([]byte("all"))
	if !errors.Is(err, ErrRange) || err.Error() != `schedule: Expansion: value out of range: "all": want best, first or sum` || e != SumSize {
		t.Errorf("%v, error %v", e, err)
	}
	if _, err := Expansion(9).MarshalText(); err == nil || Expansion(9).String() != "Expansion(9)" {
		t.Errorf("Expansion(9): %v, error %v", Expansion(9), err)
	}
}

func TestAutoscalerValidate(t *testing.T) {
	for _, c := range []struct {
		a     Autoscaler
		field string
	}{
		{Autoscaler{}, ""},
		{Autoscaler{WaitLimit: AtOnce, Short: AtOnce, Most: 3, Least: 3, Pause: 1, Lead: 1}, ""},
		{Autoscaler{WaitLimit: -2}, "Autoscaler.WaitLimit"},
		{Autoscaler{Short: -2}, "Autoscaler.Short"},
		{Autoscaler{Expansion: 3}, "Autoscaler.Expansion"},
		{Autoscaler{ReleaseEvery: -1}, "Autoscaler.ReleaseEvery"},
		{Autoscaler{Lead: -1}, "Autoscaler.Lead"},
		{Autoscaler{Pause: -1}, "Autoscaler.Pause"},
		{Autoscaler{Least: -1}, "Autoscaler.Least"},
		{Autoscaler{Most: -1}, "Autoscaler.Most"},
		{Autoscaler{Least: 3, Most: 2}, "Autoscaler.Most"},
	} {
		err := c.a.Validate()
		var in *InputError
		switch {
		case c.field == "":
			if err != nil {
				t.Errorf("%+v: %v", c.a, err)
			}
		case !errors.As(err, &in) || in.Field != c.field || !errors.Is(err, ErrRange):
			t.Errorf("%+v: %v, want an error about %s", c.a, err, c.field)
		}
	}
}

// A prediction from a snapshot is that of a scheduler that was told of the events, and
// whatever is decided keeps the sizes and the pause.
func TestPredict(t *testing.T) {
	var a Autoscaler
	rapid.Check(t, func(t *rapid.T) {
		minutes := func(lo, hi int, what string) time.Duration {
			return time.Duration(rapid.IntRange(lo, hi).Draw(t, what)) * time.Minute
		}
		const now = 100 * time.Minute
		s := Snapshot{Now: now, Idle: rapid.IntRange(0, 6).Draw(t, "idle")}
		var told EASY
		nodes := s.Idle
		for range rapid.IntRange(0, 3).Draw(t, "running") {
			j := Job{ID: int64(len(s.Running)), Estimate: minutes(50, 200, "estimate"), Nodes: rapid.IntRange(1, 4).Draw(t, "nodes")}
			s.Running = append(s.Running, Allocation{j, minutes(60, 99, "start")})
			nodes += j.Nodes
		}
		slices.SortFunc(s.Running, func(a, b Allocation) int { return int(min(1, max(-1, a.Start-b.Start))) })
		told.Reset(nodes)
		for _, r := range s.Running {
			told.Start(r.Job, r.Start)
		}
		for range rapid.IntRange(0, 3).Draw(t, "booting") {
			at := now + minutes(1, 9, "boot")
			s.Booting = append(s.Booting, at)
			told.AddNodes(1, at)
		}
		for range rapid.IntRange(0, 5).Draw(t, "waiting") {
			j := Job{ID: int64(100 + len(s.Waiting)), Submit: 90*time.Minute + time.Duration(len(s.Waiting))*time.Minute,
				Estimate: minutes(1, 200, "estimate"), Nodes: rapid.IntRange(1, 8).Draw(t, "nodes")}
			s.Waiting = append(s.Waiting, j)
			told.Submit(j)
		}
		for i := range s.Idle {
			s.Due = append(s.Due, now+minutes(0, 3, "due")+time.Duration(i))
		}
		starts, v := a.Predict(&s)
		want := told.AppendStarts(nil, now)
		if diff := cmp.Diff(want, slices.Clone(starts), cmp.Transformer("none", func(a []Allocation) []Allocation { return append([]Allocation{}, a...) })); diff != "" {
			t.Fatalf("starts: (-want +got)\n%s", diff)
		}
		top, start, ok := told.Top(now)
		waiting := told.AppendWaiting(nil)
		if v.Top != top || ok && v.Start != start || v.Nodes != told.Nodes() || v.Idle != told.Free() || v.Booting != len(s.Booting) ||
			(backlog{v.Top.Nodes, v.All, v.Long, v.FirstShort}) != newBacklog(waiting, time.Hour) || (v.Due != nil) != (len(starts) == 0 && s.Due != nil) {
			t.Fatalf("%+v: top %+v at %v, %d nodes, %d free", v, top, start, told.Nodes(), told.Free())
		}
		b := Autoscaler{Least: rapid.IntRange(0, 12).Draw(t, "least"), Pause: minutes(0, 3, "pause"), Expansion: Expansion(rapid.IntRange(0, 2).Draw(t, "expansion"))}
		if rapid.Bool().Draw(t, "bounded") {
			b.Most = max(1, b.Least+rapid.IntRange(0, 12).Draw(t, "most"))
		}
		v.Until = now + minutes(-2, 2, "until")
		d := b.Decide(nil, &v)
		switch {
		case d.Grow < 0 || d.Withheld < 0 || d.Grow > 0 && len(d.Release) > 0:
			t.Fatalf("%+v of %+v", d, v)
		case b.Most > 0 && d.Grow > 0 && v.Nodes+d.Grow > b.Most:
			t.Fatalf("%d more than %d, want at most %d", d.Grow, v.Nodes, b.Most)
		case len(d.Release) > 0 && v.Nodes-len(d.Release) < b.Least:
			t.Fatalf("%d of %d go, want at least %d to stay", len(d.Release), v.Nodes, b.Least)
		case (d.Grow > 0 || len(d.Release) > 0) && (now < v.Until || b.Pause > 0 && d.Until != now+b.Pause):
			t.Fatalf("%+v although there is a pause until %v", d, v.Until)
		case d.Cause == CauseNone && (d.Grow > 0 || len(d.Release) > 0):
			t.Fatalf("%+v without a cause", d)
		}
		unbounded := b
		unbounded.Most, unbounded.Pause = 0, 0
		v.Until = 0
		if free := unbounded.Decide(nil, &v); d.Cause != CausePause && d.Grow+d.Withheld != free.Grow {
			t.Fatalf("%d and %d withheld, without limits %d", d.Grow, d.Withheld, free.Grow)
		}
	})
}

func TestAutoscalerAllocatesNothing(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	s := Snapshot{Now: time.Hour, Idle: 3, Booting: []time.Duration{2 * time.Hour}}
	for i := range 200 {
		s.Running = append(s.Running, Allocation{Job{ID: int64(i), Estimate: time.Duration(61+rnd.IntN(600)) * time.Minute, Nodes: 1}, 0})
		s.Waiting = append(s.Waiting, Job{ID: int64(1000 + i), Estimate: time.Duration(1+rnd.IntN(300)) * time.Minute, Nodes: 1 + rnd.IntN(9)})
	}
	quiet := Snapshot{Now: time.Hour, Idle: 300}
	for range quiet.Idle {
		quiet.Due = append(quiet.Due, time.Hour+time.Duration(rnd.IntN(60))*time.Second)
	}
	a := Autoscaler{Least: 100}
	var gone []int
	decide := func() {
		for _, c := range []*Snapshot{&s, &quiet} {
			_, v := a.Predict(c)
			gone = a.Decide(gone[:0], &v).Release
		}
	}
	decide()
	if n := allocs.Once(decide); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
