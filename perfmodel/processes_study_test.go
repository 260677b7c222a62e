package perfmodel

import (
	"math"
	"math/rand/v2"
	"testing"

	"golang.org/x/exp/stats"
)

// Three ways to predict a run on more processes than were profiled are compared: the model
// chosen by leaving out runs, the model chosen by leaving out the most processes, and a
// plain power law. Programs are made up: three inputs on 1 to 8 processes, predicted on 16
// and 32. Their laws are mixed, and times scatter by 3%.
func TestStudyProcesses(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	laws := map[string]func(share float64) func(p float64) float64{
		"power": func(s float64) func(float64) float64 {
			return func(p float64) float64 { return math.Pow(p, -(1 - s)) }
		},
		"amdahl": func(s float64) func(float64) float64 {
			return func(p float64) float64 { return s/4 + (1-s/4)/p }
		},
		"logarithm": func(s float64) func(float64) float64 {
			return func(p float64) float64 { return 1/p + s/8*math.Log2(p) }
		},
		"none": func(float64) func(float64) float64 { return func(p float64) float64 { return 1 / p } },
	}
	names := []string{"power", "amdahl", "logarithm", "none"}
	ways := []string{"LeaveRun", "LeaveMost", "plain"}
	off := map[string][]float64{}
	for range 15 {
		for _, name := range names {
			law := laws[name](.05 + .25*random.Float64())
			noise := func() float64 { return math.Exp(.03 * random.NormFloat64()) }
			exponent := .95 + .1*random.Float64()
			p := Profile{Application: name, Features: []string{"n"}}
			for _, n := range []float64{1, 4, 16} {
				for _, procs := range []int{1, 2, 4, 8} {
					p.Runs = append(p.Runs, Run{Features: []float64{n}, Processes: procs, Repetitions: 1, Seconds: 10 * math.Pow(n, exponent) * law(float64(procs)) * noise()})
				}
			}
			for _, way := range ways {
				models := []Model{&LogLinear{Work: Product}, &LogLinear{Quadratic: true, Work: Product}, &USL{Amdahl: true, Work: Product}, &USL{Work: Product}}
				best := 0
				var c Chooser
				var err error
				switch way {
				case "LeaveRun":
					best, _, err = c.Choose(nil, models, &p)
				case "LeaveMost":
					c.Most = true
					best, _, err = c.Choose(nil, models, &p)
				default:
					err = models[0].Fit(&p)
				}
				if err != nil {
					t.Fatal(err)
				}
				for _, procs := range []int{16, 32} {
					e, err := At(models[best], []float64{16}, procs)
					if err != nil {
						t.Fatal(err)
					}
					x := math.Abs(math.Log(e.Seconds / (10 * math.Pow(16, exponent) * law(float64(procs)))))
					off[way] = append(off[way], x)
					off[way+" "+name] = append(off[way+" "+name], x)
				}
			}
		}
	}
	median := func(x []float64) float64 { return math.Expm1(stats.Median(x)) }
	for _, way := range ways {
		t.Logf("%-9s median %4.1f%%, nine tenths below %4.1f%%; power %4.1f%%, amdahl %4.1f%%, logarithm %4.1f%%, none %4.1f%%", way, 100*median(off[way]), 100*math.Expm1(stats.Quantiles(off[way], .9)[0]),
			100*median(off[way+" power"]), 100*median(off[way+" amdahl"]), 100*median(off[way+" logarithm"]), 100*median(off[way+" none"]))
	}
	for _, way := range ways[:2] {
		if chosen, plain := median(off[way]), median(off["plain"]); chosen > plain {
			t.Errorf("%s is off by %.1f%%, a plain power law by %.1f%%", way, 100*chosen, 100*plain)
		}
	}
}
