package scaling

import (
	"errors"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/plimsoll/plimsoll/internal/allocs"
	"github.com/plimsoll/plimsoll/internal/inputerr"
	_ "github.com/plimsoll/plimsoll/internal/seeded"
)

const minute = time.Minute

// A Decision has the results of Decide by name, and a Scaler keeps their memory.
type Decision struct {
	Ask, Cancel int
	Return      []int
}

type Scaler struct{ back []int }

func (s *Scaler) Decide(v View, o Options) (d Decision, err error) {
	d.Ask, d.Cancel, s.back, err = Decide(s.back[:0], v, o)
	if len(s.back) > 0 {
		d.Return = s.back
	}
	return d, err
}

// idle and busy make nodes.
func idle(since ...time.Duration) (nodes []Node) {
	for _, d := range since {
		nodes = append(nodes, Node{Held: time.Hour, Idle: d})
	}
	return nodes
}

func busy(free ...time.Duration) (nodes []Node) {
	for _, d := range free {
		nodes = append(nodes, Node{Busy: true, Held: time.Hour, Free: d})
	}
	return nodes
}

// Each row is by hand from the rule in the package comment.
func TestDecide(t *testing.T) {
	for _, c := range []struct {
		name string
		v    View
		o    Options
		want Decision
	}{
		{"nothing", View{}, Options{}, Decision{}},
		{"a job waits", View{Queue: []Waiting{{Nodes: 4, Waited: minute}}}, Options{}, Decision{Ask: 4}},
		{"not yet", View{Queue: []Waiting{{Nodes: 4, Waited: 59 * time.Second}}}, Options{}, Decision{}},
		{"at once", View{Queue: []Waiting{{Nodes: 4}}}, Options{Wait: -1}, Decision{Ask: 4}},
		{"some are idle", View{Queue: []Waiting{{Nodes: 4, Waited: minute}}, Nodes: idle(time.Hour, 0)}, Options{}, Decision{Ask: 2}},
		{"some are asked for", View{Queue: []Waiting{{Nodes: 4, Waited: minute}}, Asked: 3}, Options{}, Decision{Ask: 1}},
		{"some come free", View{Queue: []Waiting{{Nodes: 4, Waited: minute}}, Nodes: busy(2*minute, 3*minute, 0)}, Options{Lead: 2 * minute}, Decision{Ask: 3}},
		{"too large", View{Queue: []Waiting{{Nodes: 9, Waited: time.Hour}, {Nodes: 2, Waited: time.Hour}}}, Options{Most: 8}, Decision{Ask: 2}},
		{"no more than the most", View{Queue: []Waiting{{Nodes: 3, Waited: time.Hour}, {Nodes: 3, Waited: time.Hour}}, Nodes: busy(0, 0), Asked: 1}, Options{Most: 5}, Decision{Ask: 2}},
		{"the least", View{Nodes: busy(0)}, Options{Least: 3}, Decision{Ask: 2}},
		{"a reserve", View{Nodes: append(busy(0), idle(0)...)}, Options{Pool: 3}, Decision{Ask: 2}},

		{"idle for long", View{Nodes: idle(10*minute, 9*minute, 11*minute)}, Options{}, Decision{Return: []int{0, 2}}},
		{"idle, and wanted elsewhere", View{Nodes: idle(10*minute, 5*minute, 4*minute), Worth: 1}, Options{}, Decision{Return: []int{0, 1}}},
		{"wanted twice as much", View{Nodes: idle(150*time.Second, 149*time.Second), Worth: 2}, Options{}, Decision{Return: []int{0}}},
		{"hardly wanted", View{Nodes: idle(9 * minute), Worth: .1}, Options{}, Decision{}},
		{"held too short", View{Nodes: []Node{{Held: 9 * minute, Idle: 9 * minute}}, Worth: 9}, Options{}, Decision{}},
		{"at once, too", View{Nodes: []Node{{}}}, Options{Idle: -1, Hold: -1}, Decision{Return: []int{0}}},
		{"a waiting job keeps them", View{Queue: []Waiting{{Nodes: 2}}, Nodes: idle(time.Hour, 2*time.Hour, 3*time.Hour)}, Options{}, Decision{Return: []int{2}}},
		{"the reserve keeps them", View{Nodes: idle(time.Hour, 2*time.Hour, time.Hour)}, Options{Pool: 1}, Decision{Return: []int{0, 1}}},
		{"the least keeps them", View{Nodes: append(idle(time.Hour, time.Hour), busy(0)...)}, Options{Least: 2}, Decision{Return: []int{0}}},
		{"asked for in vain", View{Queue: []Waiting{{Nodes: 2}}, Asked: 5}, Options{}, Decision{Cancel: 3}},
		{"asked for and idle", View{Nodes: idle(time.Hour), Asked: 2}, Options{}, Decision{Cancel: 2, Return: []int{0}}},
		{"as large as the most", View{Queue: []Waiting{{Nodes: 8, Waited: time.Hour}}}, Options{Most: 8}, Decision{Ask: 8}},
		{"equally idle, the first", View{Queue: []Waiting{{Nodes: 2}}, Nodes: idle(time.Hour, time.Hour, time.Hour, time.Hour)}, Options{}, Decision{Return: []int{0, 1}}},
		{"wanted at once", View{Nodes: idle(0)}, Options{Idle: -1}, Decision{Return: []int{0}}},
		{"negative is none, not less", View{Queue: []Waiting{{Nodes: 4}}, Nodes: busy(1, 2)}, Options{Wait: -5, Lead: -3}, Decision{Ask: 4}},
		{"more than any", View{Queue: slices.Repeat([]Waiting{{Nodes: math.MaxInt32, Waited: time.Hour}}, 3)}, Options{Most: math.MaxInt32}, Decision{Ask: math.MaxInt32}},
		{"asked for the least", View{Nodes: busy(0), Asked: 2}, Options{Least: 2}, Decision{Cancel: 1}},
	} {
		var s Scaler
		got, err := s.Decide(c.v, c.o)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

func drawSpan(t *rapid.T, name string) time.Duration {
	return time.Duration(rapid.IntRange(0, 15).Draw(t, name)) * minute
}

func draw(t *rapid.T) (v View, o Options) {
	for range rapid.IntRange(0, 5).Draw(t, "jobs") {
		v.Queue = append(v.Queue, Waiting{rapid.IntRange(1, 6).Draw(t, "nodes"), drawSpan(t, "waited")})
	}
	for range rapid.IntRange(0, 8).Draw(t, "nodes") {
		v.Nodes = append(v.Nodes, Node{rapid.Bool().Draw(t, "busy"), drawSpan(t, "held"), drawSpan(t, "idle"), drawSpan(t, "free")})
	}
	v.Asked = rapid.IntRange(0, 5).Draw(t, "asked")
	v.Worth = float64(rapid.IntRange(0, 4).Draw(t, "worth")) / 2
	span := func(name string) time.Duration {
		return time.Duration(rapid.IntRange(-1, 12).Draw(t, name)) * minute
	}
	o = Options{Wait: span("wait"), Idle: span("idle"), Hold: span("hold"), Move: span("move"), Lead: span("lead"),
		Pool: rapid.IntRange(0, 4).Draw(t, "pool"), Least: rapid.IntRange(0, 4).Draw(t, "least")}
	if rapid.Bool().Draw(t, "limited") {
		o.Most = o.Least + rapid.IntRange(1, 8).Draw(t, "most")
	}
	return v, o
}

// Theorem 1, and what holds for each decision: no busy node goes, none before its time, the
// limits hold, and a dirty workspace changes nothing.
func TestPropDecide(t *testing.T) {
	var used Scaler
	asks, returns, cancels := 0, 0, 0
	rapid.Check(t, func(t *rapid.T) {
		for range 20 {
			v, o := draw(t)
			before := slices.Clone(v.Nodes)
			d, err := used.Decide(v, o)
			if err != nil {
				t.Fatal(err)
			}
			fresh, _ := new(Scaler).Decide(v, o)
			if diff := cmp.Diff(fresh, d) + cmp.Diff(before, v.Nodes); diff != "" {
				t.Fatal(diff)
			}
			full := o.resolve()
			n := len(v.Nodes)
			switch {
			case d.Ask < 0 || d.Cancel < 0 || d.Cancel > v.Asked || d.Ask > 0 && (d.Cancel > 0 || len(d.Return) > 0):
				t.Fatalf("%+v", d)
			case d.Ask > 0 && n+v.Asked+d.Ask > full.Most:
				t.Fatalf("asks for %d beyond the most", d.Ask)
			case len(d.Return) > 0 && n-len(d.Return) < o.Least, d.Cancel > 0 && n+v.Asked-d.Cancel < o.Least:
				t.Fatalf("%+v leaves fewer than the least", d)
			case n+v.Asked < o.Least && n+v.Asked+d.Ask < o.Least:
				t.Fatalf("%+v, and there are fewer than the least", d)
			}
			var next View
			next.Queue, next.Worth, next.Asked = v.Queue, v.Worth, v.Asked+d.Ask-d.Cancel
			for i, node := range v.Nodes {
				if !slices.Contains(d.Return, i) {
					next.Nodes = append(next.Nodes, node)
				} else if node.Busy || node.Held < full.Hold || node.Idle < full.patience(v.Worth) {
					t.Fatalf("node %+v goes", node)
				}
			}
			if again, err := used.Decide(next, o); err != nil || again.Ask != 0 || again.Cancel != 0 || len(again.Return) != 0 {
				t.Fatalf("then %+v, %v", again, err)
			}
			asks, returns, cancels = asks+min(1, d.Ask), returns+min(1, len(d.Return)), cancels+min(1, d.Cancel)
		}
	})
	if asks == 0 || returns == 0 || cancels == 0 {
		t.Errorf("%d asks, %d returns, %d cancels: want some of each", asks, returns, cancels)
	}
}

// Theorem 2: the rule costs at most twice what a partition pays that knows how long a node
// will be idle, and comes that close.
func TestPropTwice(t *testing.T) {
	worst := 0.
	rapid.Check(t, func(t *rapid.T) {
		o := Options{Hold: -1, Idle: math.MaxInt64, Move: time.Duration(rapid.IntRange(1, 60).Draw(t, "move")) * minute}
		worth := float64(rapid.IntRange(1, 8).Draw(t, "worth")) / 4
		length := time.Duration(rapid.IntRange(0, 600).Draw(t, "length")) * minute / 2
		cost, left := 0., false
		const tick = time.Second * 15
		for at := time.Duration(0); at < length && !left; at += tick {
			d, err := new(Scaler).Decide(View{Nodes: idle(at), Worth: worth}, o)
			if err != nil {
				t.Fatal(err)
			}
			if left = len(d.Return) > 0; !left {
				cost += worth * float64(tick)
			}
		}
		if left {
			cost += float64(o.Move)
		}
		least := min(worth*float64(length), float64(o.Move))
		if cost > 2*least+worth*float64(tick) {
			t.Fatalf("costs %v, and the least is %v", cost, least)
		}
		if least > 0 {
			worst = max(worst, cost/least)
		}
	})
	if worst < 1.9 {
		t.Errorf("at worst %v times the least, want nearly twice", worst)
	}
}

func TestErrors(t *testing.T) {
	for field, c := range map[string]struct {
		v View
		o Options
	}{
		"Options.Pool":  {o: Options{Pool: -1}},
		"Options.Least": {o: Options{Least: -1}},
		"Options.Most":  {o: Options{Least: 3, Most: 2}},
		"Asked":         {v: View{Asked: -1}},
		"Worth":         {v: View{Worth: math.NaN()}},
		"Queue.Nodes":   {v: View{Queue: []Waiting{{}}}},
		"Queue.Waited":  {v: View{Queue: []Waiting{{Nodes: 1, Waited: -1}}}},
		"Nodes":         {v: View{Nodes: []Node{{Idle: -1}}}},
	} {
		_, err := new(Scaler).Decide(c.v, c.o)
		var in *inputerr.Error
		if !errors.As(err, &in) || !errors.Is(err, ErrRange) || in.Field != field {
			t.Errorf("%s: %v", field, err)
		}
	}
	wrong := []View{{Worth: math.Inf(1)}, {Worth: -1}, {Nodes: []Node{{Held: -1}}}, {Nodes: []Node{{Free: -1}}}}
	if math.MaxInt > math.MaxInt32 {
		wrong = append(wrong, View{Asked: math.MaxInt}, View{Queue: []Waiting{{Nodes: math.MaxInt}}})
	}
	for _, v := range wrong {
		if _, err := new(Scaler).Decide(v, Options{}); err == nil {
			t.Errorf("%+v is taken", v)
		}
	}
	// The greatest numbers fit.
	v := View{Queue: slices.Repeat([]Waiting{{Nodes: math.MaxInt32, Waited: minute}}, 1000), Asked: 1}
	for _, o := range []Options{{Most: math.MaxInt, Pool: math.MaxInt}, {Most: math.MaxInt32}} {
		if d, err := new(Scaler).Decide(v, o); err != nil || d.Ask < math.MaxInt32-1 {
			t.Errorf("%+v, %v", d, err)
		}
	}
	v = View{Nodes: idle(0), Asked: math.MaxInt32}
	if d, err := new(Scaler).Decide(v, Options{}); err != nil || d.Ask != 0 || d.Cancel != math.MaxInt32 {
		t.Errorf("%+v, %v", d, err)
	}
}

func TestAllocatesNothing(t *testing.T) {
	var s Scaler
	v := View{Queue: slices.Repeat([]Waiting{{Nodes: 3, Waited: minute}}, 100), Nodes: idle(make([]time.Duration, 10_000)...)}
	for i := range v.Nodes {
		v.Nodes[i].Idle = time.Duration(i%977) * minute
	}
	run := func() {
		if d, err := s.Decide(v, Options{}); err != nil || len(d.Return) == 0 {
			t.Fatal(d, err)
		}
	}
	if n := allocs.Once(run); n > 0 {
		t.Errorf("%v allocations a decision", n)
	}
}

func BenchmarkDecide(b *testing.B) {
	var s Scaler
	v := View{Queue: slices.Repeat([]Waiting{{Nodes: 3, Waited: minute}}, 1000), Nodes: idle(make([]time.Duration, 10_000)...)}
	for i := range v.Nodes {
		v.Nodes[i].Idle = time.Duration(i%977) * minute
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := s.Decide(v, Options{}); err != nil {
			b.Fatal(err)
		}
	}
}
