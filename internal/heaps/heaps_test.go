package heaps_test

import (
	"cmp"
	"slices"
	"testing"

	_ "github.com/plimsoll/plimsoll/internal/seeded"
	"pgregory.net/rapid"

	"github.com/plimsoll/plimsoll/internal/heaps"
)

// The queue gives back what a sorted slice would.
func TestQueue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var q heaps.Queue[int]
		var model []heaps.Item[int]
		for step := range rapid.IntRange(0, 100).Draw(t, "steps") {
			switch op := rapid.IntRange(0, 9).Draw(t, "op"); {
			case op < 5:
				key := rapid.IntRange(0, 9).Draw(t, "key")
				q.Push(key, int64(step))
				model = append(model, heaps.Item[int]{Key: key, Tie: int64(step)})
			case op < 8 && len(model) > 0:
				slices.SortFunc(model, func(a, b heaps.Item[int]) int { return cmp.Or(a.Key-b.Key, cmp.Compare(a.Tie, b.Tie)) })
				if least, got := q.Min(), q.Pop(); got != model[0] || least != got {
					t.Fatalf("popped %v after a minimum of %v, want %v", got, least, model[0])
				}
				model = model[1:]
			case op == 8:
				for k := range rapid.IntRange(0, 20).Draw(t, "added") {
					item := heaps.Item[int]{Key: rapid.IntRange(0, 9).Draw(t, "key"), Tie: int64(1000*step - k)}
					q.Add(item.Key, item.Tie)
					model = append(model, item)
				}
				q.Fix()
			case op == 9 && rapid.IntRange(0, 5).Draw(t, "reset") == 0:
				q.Reset()
				model = model[:0]
			}
			if q.Len() != len(model) {
				t.Fatalf("length %d, want %d", q.Len(), len(model))
			}
		}
	})
}

func TestQueueAllocs(t *testing.T) {
	var q heaps.Queue[float64]
	run := func() {
		q.Reset()
		for i := range 1000 {
			q.Push(float64(i*7919%1000), int64(i))
		}
		for q.Len() > 0 {
			q.Pop()
		}
	}
	if n := testing.AllocsPerRun(3, run); n != 0 {
		t.Errorf("%v allocations once warm, want none", n)
	}
}

func TestQueueMisuse(t *testing.T) {
	for name, f := range map[string]func(){
		"Pop": func() { new(heaps.Queue[int]).Pop() },
		"Min": func() { new(heaps.Queue[int]).Min() },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s of an empty queue does not panic", name)
				}
			}()
			f()
		}()
	}
	new(heaps.Queue[int]).Fix()
}

func BenchmarkQueue(b *testing.B) {
	var q heaps.Queue[int64]
	x := uint64(1)
	for b.Loop() {
		for i := range int64(1000) {
			x = x*6364136223846793005 + 1442695040888963407
			q.Push(int64(x>>40), i)
		}
		for q.Len() > 0 {
			q.Pop()
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/1000, "ns/item")
}
