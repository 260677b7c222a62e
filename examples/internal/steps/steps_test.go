package steps

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	_ "github.com/plimsoll/plimsoll/examples/internal/seeded"
	"pgregory.net/rapid"
)

func TestAppendPeaks(t *testing.T) {
	f := []Point{{0, 1}, {4, 7}, {5, 2}, {10, 3}, {12, 9}}
	for _, c := range []struct {
		from, to time.Duration
		n        int
		want     []int
	}{
		{0, 12, 3, []int{1, 7, 9}}, // [0,4) [4,8) [8,12]
		{0, 12, 1, []int{9}},
		{5, 10, 2, []int{2, 3}}, // the last part has its end
		{4, 5, 1, []int{7}},
		{4, 8, 4, []int{7, 2, 2, 2}}, // 7 has ended when the second part starts
		{20, 30, 2, []int{9, 9}},
	} {
		if diff := cmp.Diff(c.want, AppendPeaks(nil, f, c.from, c.to, c.n)); diff != "" {
			t.Errorf("%v (-want +got):\n%s", c, diff)
		}
	}
	if got := AppendPeaks([]int{5}, nil, 0, 9, 2); !slices.Equal(got, []int{5, 0, 0}) {
		t.Errorf("no points: %v", got)
	}
}

// What is thinned has the peaks, and the values at the parts' ends, that the
// function has, and at most four points a part.
func TestAppendThin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var f []Point
		at := time.Duration(0)
		for range rapid.IntRange(0, 40).Draw(t, "points") {
			at += time.Duration(rapid.IntRange(1, 3).Draw(t, "gap"))
			f = append(f, Point{at, rapid.IntRange(0, 9).Draw(t, "value")})
		}
		from := time.Duration(rapid.IntRange(0, 20).Draw(t, "from"))
		to := from + time.Duration(rapid.IntRange(1, 90).Draw(t, "span"))
		n := rapid.IntRange(1, 12).Draw(t, "parts")
		thin := AppendThin(nil, f, from, to, n)
		if len(thin) > 4*n+2 {
			t.Errorf("%d points in %d parts", len(thin), n)
		}
		if !slices.IsSortedFunc(thin, func(a, b Point) int { return int(a.At - b.At) }) || thin[0].At != from || thin[len(thin)-1].At != to {
			t.Errorf("times: %v", thin)
		}
		for _, m := range []int{n, 1} {
			if diff := cmp.Diff(AppendPeaks(nil, f, from, to, m), AppendPeaks(nil, thin, from, to, m)); diff != "" {
				t.Errorf("peaks of %v thinned to %v (-want +got):\n%s", f, thin, diff)
			}
		}
		for k := range n + 1 { // just before each part, and at the end
			at := part(from, to, n, k) - 1
			if k == n {
				at = to
			}
			if at >= from && valueAt(f, at) != valueAt(thin, at) {
				t.Errorf("at %v: %d, want %d", at, valueAt(thin, at), valueAt(f, at))
			}
		}
	})
}

func valueAt(f []Point, at time.Duration) (v int) {
	for _, p := range f {
		if p.At <= at {
			v = p.Value
		}
	}
	return v
}

func TestManyPoints(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var f []Point
	for i := range 1_000_000 {
		f = append(f, Point{time.Duration(i) * time.Minute, random.IntN(50)})
	}
	f[123_456].Value = 1000
	thin := AppendThin(nil, f, 0, f[len(f)-1].At, 600)
	if len(thin) > 2402 || !slices.Contains(thin, f[123_456]) {
		t.Errorf("%d points, the peak is lost or they are too many", len(thin))
	}
}

func TestAppendSpans(t *testing.T) {
	dst := []Point{{9, 9}}
	got := AppendSpans(dst, []int{0, 0, 3, 3, 3, 1, 0}, 2)
	want := []Point{{9, 9}, {0, 0}, {4, 3}, {10, 1}, {12, 0}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := AppendSpans(nil, nil, 2); got != nil {
		t.Errorf("%v of nothing", got)
	}
}

// By hand, with parts that are not whole: 10 into 3 is cut at 3 and 6. The value at the start is
// the first point, and of equal least or greatest values the first is kept.
func TestThinByHand(t *testing.T) {
	for _, c := range []struct{ points, want []Point }{
		{nil, []Point{{0, 0}, {10, 0}}},
		{[]Point{{0, 7}}, []Point{{0, 7}, {10, 7}}},
		{[]Point{{3, 1}, {4, 5}, {5, 5}, {6, 2}}, []Point{{0, 0}, {3, 1}, {4, 5}, {5, 5}, {6, 2}, {10, 2}}},
		{[]Point{{6, 3}, {7, 9}, {8, 9}, {9, 1}, {10, 4}}, []Point{{0, 0}, {6, 3}, {7, 9}, {9, 1}, {10, 4}, {10, 4}}},
		{[]Point{{-5, 2}, {11, 8}}, []Point{{0, 2}, {10, 2}}},
	} {
		if got := AppendThin(nil, c.points, 0, 10, 3); !slices.Equal(got, c.want) {
			t.Errorf("%v becomes %v, want %v", c.points, got, c.want)
		}
	}
	for k, want := range []time.Duration{100, 103, 106, 110} {
		if got := part(100, 110, 3, k); got != want {
			t.Errorf("part %d begins at %d, want %d", k, got, want)
		}
	}
	for what, do := range map[string]func(){
		"no time": func() { AppendThin(nil, nil, 5, 5, 1) }, "time that runs backwards": func() { AppendPeaks(nil, nil, 6, 5, 1) }, "no parts": func() { AppendPeaks(nil, nil, 0, 5, 0) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s does not panic", what)
				}
			}()
			do()
		}()
	}
}
