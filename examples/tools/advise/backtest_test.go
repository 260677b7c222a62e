package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/examples/internal/programtest"
)

// backSeries writes n series of weeks whose levels wander by 20% in a year.
func backSeries(t *testing.T, n, weeks int) string {
	rng := rand.New(rand.NewPCG(51, 52)) // seed 51, 52
	var b strings.Builder
	b.WriteString("name")
	for w := range weeks {
		fmt.Fprintf(&b, ",%d", w+1)
	}
	for i := range n {
		level := 20 + 80*rng.Float64()
		fmt.Fprintf(&b, "\ns%d", i)
		for range weeks {
			level *= math.Exp(.03 * rng.NormFloat64())
			fmt.Fprintf(&b, ",%.2f", level*(1+.05*rng.NormFloat64()))
		}
	}
	return programtest.Write(t, "series.csv", b.String()+"\n")
}

// What is said of orders on made-up histories comes true about as often, and beside it stand the
// rules; in words, for machines and as a picture.
func TestBacktest(t *testing.T) {
	path := backSeries(t, 9, 150)
	args := []string{"-backtest", path, "-slot", "168h", "-futures", "60"}
	svg := filepath.Join(t.TempDir(), "r.svg")
	text, _ := tested.Must(t, append(args, "-svg", svg)...)
	programtest.Narrow(t, text, 80)
	says(t, text, "chance of a loss", "13 weeks", "52 weeks", "best constant of 30 days", "hindsight", "Said chances of a loss")
	if data, err := os.ReadFile(svg); err != nil || !strings.Contains(string(data), "happened") {
		t.Error(err, "the picture does not say what happened")
	}
	type row struct {
		What, Rule                                       string
		Parts, Ordered, Tested, Forecasts, Weeks, Orders int
		Said, Happened, Level, Held, Use                 float64
		OfHindsight                                      float64 `json:"of_hindsight"`
		Saved, Worst, From, To                           float64
		MedianOff                                        float64 `json:"median_off"`
		WorstTenth                                       float64 `json:"worst_tenth"`
		Corrected                                        float64
		TestedHappened                                   float64 `json:"tested_happened"`
	}
	parts, rules := 0, 0
	for _, x := range read[row](t, first(tested.Must(t, append(args, "-json")...))) {
		switch x.What {
		case "reliability":
			parts += x.Parts
			if x.Parts >= 200 && math.Abs(x.Said-x.Happened) > .2 {
				t.Errorf("of %d parts said to lose with %.2f a share of %.2f lost", x.Parts, x.Said, x.Happened)
			}
		case "interval":
			if x.Forecasts >= 100 && math.Abs(x.Held-x.Level) > .15 {
				t.Errorf("%d weeks ahead %.2f of %d intervals of %.2f hold", x.Weeks, x.Held, x.Forecasts, x.Level)
			}
		case "rule":
			rules++
			if x.OfHindsight > 1+1e-9 || x.Rule == "hindsight" && x.OfHindsight < 1-1e-6 {
				t.Errorf("%+v", x)
			}
		}
	}
	if parts < 1000 || rules != 6 {
		t.Errorf("%d parts, %d rules", parts, rules)
	}
	tested.Mistakes(t, t.TempDir(), []programtest.Wrong{
		{Args: []string{"-backtest", path, "-demand", path}, Want: "want the demand alone"},
		{Args: []string{"-backtest", path, "-html", "x.html"}, Want: "want -svg for the picture of -backtest"},
		{Args: []string{"-svg", "x.svg"}, Want: "-svg without -backtest"},
		{Args: []string{"-backtest", programtest.Write(t, "few.csv", "week,n\n1,3\n2,4\n3,3\n")}, Want: "nothing can be judged"},
	})
}

// By hand: a class costs 4 for 4 slots, and a slot on demand 2, so that a unit pays from 2 slots on.
func TestRules(t *testing.T) {
	d := deal{fixed: 4, worth: 2, pays: .5}
	demand := []int{0, 1, 3, 5}
	for _, c := range []struct {
		below, units int
		money, used  float64
	}{{0, 1, 2*3 - 4, 3}, {0, 3, 2*7 - 12, 7}, {3, 2, 2*2 - 8, 2}, {5, 1, -4, 0}} {
		if money, used := earns(&d, demand, c.below, c.units); money != c.money || used != c.used {
			t.Errorf("%+v: %v earned, %v used", c, money, used)
		}
	}
	sorted := []int{0, 1, 3, 5}
	got := []int{level(sorted, .5), level(sorted, .25), level(sorted, .26), level(sorted, 1), level(sorted, 0), covering(demand, .8), covering(demand, 1), covering([]int{0, 0}, .8)}
	if diff := cmp.Diff([]int{3, 5, 3, 0, 5, 4, 5, 0}, got); diff != "" {
		t.Error(diff)
	}
}

// By hand: three pools of 50 parts, where 10, 5 and 40 lost. The first two violate the order, and
// become one of 15%.
func TestIsotonic(t *testing.T) {
	var parts []part
	for i, lost := range []int{10, 5, 40} {
		for k := range 50 {
			parts = append(parts, part{said: .2 + .3*float64(i), lost: k < lost}, part{said: .5, lost: true, later: true})
		}
	}
	c := learn(parts)
	for said, want := range map[float64]float64{0: .15, .2: .15, .5: .15, .6: .8, .8: .8, 1: .8} {
		if got := c.of(said); math.Abs(got-want) > 1e-12 {
			t.Errorf("%v becomes %v, want %v", said, got, want)
		}
	}
	if learn(parts[:60]) != nil {
		t.Error("a correction of 30 parts")
	}
}

// The chance that is said rises with the share of the futures, and is that of the table at its places.
func TestChance(t *testing.T) {
	last := 0.0
	for i := range 101 {
		x := chance(float64(i) / 100)
		if !(x > last) || math.Abs(x-float64(i)/100) > .28 {
			t.Errorf("%d%% of the futures: a chance of %v after %v", i, x, last)
		}
		last = x
	}
	for _, p := range stated {
		if got := chance(p[0]); math.Abs(got-p[1]) > 1e-12 {
			t.Errorf("%v: %v, want %v", p[0], got, p[1])
		}
	}
}
