package perfmodel

import (
	"encoding/csv"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"

	"github.com/plimsoll/plimsoll/internal/shared"
)

// An npbCase is a class of a benchmark.
type npbCase struct {
	application, name string
	features          []float64
}

// readCases reads rows of a benchmark, a class, and a name and a value for each feature.
func readCases(t testing.TB, r io.Reader) (all []npbCase) {
	t.Helper()
	for _, row := range readRows(t, r) {
		c := npbCase{application: row[0], name: row[1]}
		for k := 3; k < len(row) && row[k] != ""; k += 2 {
			c.features = append(c.features, number(t, row[k]))
		}
		all = append(all, c)
	}
	return all
}

// readRows reads a table in CSV without its titles.
func readRows(t testing.TB, r io.Reader) [][]string {
	t.Helper()
	rows, err := csv.NewReader(r).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return rows[1:]
}

func number(t testing.TB, s string) float64 {
	t.Helper()
	x, err := strconv.ParseFloat(s, 64)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// sharedNPB returns the medians of the timings of the reference material that nothing
// disturbed.
func sharedNPB(t testing.TB) (profiles []Profile) {
	t.Helper()
	open := func(name string) io.Reader {
		f, err := os.Open(shared.File(t, name))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Close() })
		return f
	}
	key := func(application, class, processes string) string { return application + " " + class + " " + processes }
	digits, times := 0, map[string][]float64{}
	for _, row := range readRows(t, open("npb/times.csv")) {
		if row[8] == "1" {
			k := key(row[0], row[1], row[2])
			times[k] = append(times[k], number(t, row[3]))
			digits = max(digits, decimals(row[3]))
		}
	}
	for _, c := range readCases(t, open("npb/features.csv")) {
		if k := len(profiles) - 1; k < 0 || profiles[k].Application != c.application {
			b, err := NPB(c.application)
			if err != nil {
				t.Fatal(err)
			}
			profiles = append(profiles, Profile{Application: c.application, Features: b.Features})
		}
		p := &profiles[len(profiles)-1]
		for n := range 64 {
			if x := times[key(c.application, c.name, strconv.Itoa(n+1))]; len(x) > 0 {
				p.Runs = append(p.Runs, Run{Case: c.name, Features: c.features, Processes: n + 1, Repetitions: len(x),
					Seconds: median(x), Spread: logSpread(x), Resolution: math.Pow10(-digits)})
			}
		}
	}
	return profiles
}

// logSpread returns the standard deviation of the logarithms of x, 0 for one value.
func logSpread(x []float64) float64 {
	if len(x) < 2 {
		return 0
	}
	var mean, sum float64
	for _, v := range x {
		mean += math.Log(v) / float64(len(x))
	}
	for _, v := range x {
		sum += (math.Log(v) - mean) * (math.Log(v) - mean)
	}
	return math.Sqrt(sum / float64(len(x)-1))
}

// shapesOf returns the shapes of the benchmarks.
func shapesOf(t testing.TB, profiles []Profile) []Shape {
	t.Helper()
	var out []Shape
	for i := range profiles {
		b, err := NPB(profiles[i].Application)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, b)
	}
	return out
}

var five = []string{"cg", "ep", "ft", "is", "mg"}

// predicted is what came of one cell of the evaluation.
type predicted struct {
	app     string
	p       int
	truth   float64
	e       Estimate
	err     float64 // predicted over truth, less 1
	covered bool
}

// classB chooses a machine by the classes S, W and A on 1 and 2 processes, of those
// applications that keep accepts, and predicts class B.
func classB(t testing.TB, profiles []Profile, keep func(app string) bool) (best int, scores []Score, cells []predicted) {
	t.Helper()
	var train, test []Profile
	for i := range profiles {
		p := &profiles[i]
		if keep(p.Application) {
			train = append(train, p.Select(func(r *Run) bool { return r.Case != "B" && r.Processes <= 2 }))
			test = append(test, p.Select(func(r *Run) bool { return r.Case == "B" && r.Processes <= 2 }))
		}
	}
	machines := Candidates(shapesOf(t, train))
	best, scores, err := ChooseMachine(nil, machines, train)
	if err != nil {
		t.Fatal(err)
	}
	for i := range test {
		if !slices.Contains(five, test[i].Application) {
			continue
		}
		for _, r := range test[i].Runs {
			e, err := At(machines[best].Application(i), r.Features, r.Processes)
			if err != nil {
				t.Fatal(err)
			}
			cells = append(cells, predicted{test[i].Application, r.Processes, r.Seconds, e,
				e.Seconds/r.Seconds - 1, e.Lower <= r.Seconds && r.Seconds <= e.Upper})
		}
	}
	return best, scores, cells
}

func summary(cells []predicted) (med, worst float64, covered int) {
	var all []float64
	for _, c := range cells {
		all = append(all, math.Abs(c.err))
		if c.covered {
			covered++
		}
	}
	return median(all), slices.Max(all), covered
}

// Class B of five benchmarks from their classes S, W and A on a real machine, the
// model having been chosen by leave-one-out error on the latter. The limits are
// those that users were promised.
func TestClassB(t *testing.T) {
	profiles := sharedNPB(t)
	for _, set := range []struct {
		name string
		keep func(string) bool
	}{
		{"all eight profiled", func(string) bool { return true }},
		{"five profiled", func(app string) bool { return slices.Contains(five, app) }},
	} {
		best, scores, cells := classB(t, profiles, set.keep)
		if best != 2 {
			t.Errorf("%s: machine %d was chosen, not that with the working sets of each process", set.name, best)
		}
		t.Logf("%s, chosen: %d, scores %+v", set.name, best, scores)
		if len(cells) != 10 {
			t.Fatalf("%d cells", len(cells))
		}
		for _, c := range cells {
			t.Logf("  %s P=%d  measured %8.3f  predicted %8.3f [%8.3f, %8.3f]  %+6.1f%%  %v", c.app, c.p, c.truth, c.e.Seconds, c.e.Lower, c.e.Upper, 100*c.err, c.covered)
		}
		med, worst, covered := summary(cells)
		t.Logf("  median %.1f%%, worst %.1f%%, covered %d of 10", 100*med, 100*worst, covered)
		if med > 0.15 || worst > 0.40 || covered < 8 {
			t.Errorf("%s: median %.1f%% (at most 15), worst %.1f%% (at most 40), covered %d of 10 (at least 8)", set.name, 100*med, 100*worst, covered)
		}
	}
}

// A madeUp machine: caches of each core and of all together, memory that cores
// share, and applications that mind them more or less.
type madeUp struct {
	own, common float64               // bytes
	mind        map[string][2]float64 // cost beyond the first and the second cache, over that within
	sharp       float64               // how sharp the edges of the caches are
	speed       float64
	lag         float64 // seconds to start
	contend     float64 // how much slower memory is for two
	noise       float64
}

func newMachine(r *rand.Rand) madeUp {
	m := madeUp{
		own:     math.Exp2(18 + 3*r.Float64()), // 256 KiB to 2 MiB
		common:  math.Exp2(22 + 6*r.Float64()), // 4 to 256 MiB
		sharp:   1 + 2*r.Float64(),
		speed:   math.Exp(0.5 * r.NormFloat64()),
		lag:     0.001 * r.Float64(),
		contend: 0.6 * r.Float64(),
		noise:   0.02 + 0.08*r.Float64(),
		mind:    map[string][2]float64{},
	}
	for _, b := range benchmarks {
		k := 1.0
		switch b.Name {
		case "ep":
			k = 0
		case "bt", "lu", "sp":
			k = 0.4
		}
		m.mind[b.Name] = [2]float64{0.5 * k * r.Float64(), 1.5 * k * r.Float64()}
	}
	return m
}

// edge is the share of accesses that a cache of the given size does not serve.
func edge(set, size, sharp float64) float64 { return 1 / (1 + math.Pow(size/set, sharp)) }

// time is without noise.
func (m *madeUp) time(b *Shape, x []float64, p int) float64 {
	set := b.WorkingSet(x)
	k := m.mind[b.Name]
	cost := 1 + k[0]*edge(set/float64(p), m.own, m.sharp) + k[1]*edge(set, m.common, m.sharp)*(1+m.contend*float64(p-1))
	return m.lag + 1e-8*m.speed*b.Work(x)*cost/float64(p)
}

func (m *madeUp) profiles(cases []npbCase, r *rand.Rand) []Profile {
	var out []Profile
	for _, b := range benchmarks {
		p := Profile{Application: b.Name, Features: b.Features}
		for _, c := range cases {
			if c.application != b.Name {
				continue
			}
			for _, n := range []int{1, 2} {
				if b.Counts == Squares && n == 2 {
					continue
				}
				var times []float64
				for range 3 {
					slow := 0.0
					if r.Float64() < 0.1 {
						slow = 0.3 * r.Float64() // disturbed
					}
					times = append(times, m.time(&b, c.features, n)*math.Exp(m.noise*r.NormFloat64()+slow))
				}
				spread := logSpread(times)
				p.Runs = append(p.Runs, Run{Case: c.name, Features: c.features, Processes: n, Seconds: median(times), Repetitions: 3, Spread: spread})
			}
		}
		out = append(out, p)
	}
	return out
}

// classes has the features of the classes, as NPB 3.4 defines them.
const classes = `benchmark,class,x1_name,x1,x2_name,x2,x3_name,x3,x4_name,x4,x5_name,x5
cg,S,rows,1400,nonzer,7,iterations,15,shift,10,,
cg,W,rows,7000,nonzer,8,iterations,15,shift,12,,
cg,A,rows,14000,nonzer,11,iterations,15,shift,20,,
cg,B,rows,75000,nonzer,13,iterations,75,shift,60,,
ep,S,pairs,16777216,,,,,,,,
ep,W,pairs,33554432,,,,,,,,
ep,A,pairs,268435456,,,,,,,,
ep,B,pairs,1073741824,,,,,,,,
ft,S,nx,64,ny,64,nz,64,iterations,6,,
ft,W,nx,128,ny,128,nz,32,iterations,6,,
ft,A,nx,256,ny,256,nz,128,iterations,6,,
ft,B,nx,512,ny,256,nz,256,iterations,20,,
is,S,keys,65536,max_key,2048,iterations,10,,,,
is,W,keys,1048576,max_key,65536,iterations,10,,,,
is,A,keys,8388608,max_key,524288,iterations,10,,,,
is,B,keys,33554432,max_key,2097152,iterations,10,,,,
mg,S,nx,32,ny,32,nz,32,iterations,4,,
mg,W,nx,128,ny,128,nz,128,iterations,4,,
mg,A,nx,256,ny,256,nz,256,iterations,4,,
mg,B,nx,256,ny,256,nz,256,iterations,20,,
bt,S,nx,12,ny,12,nz,12,iterations,60,dt,0.010
bt,W,nx,24,ny,24,nz,24,iterations,200,dt,0.0008
bt,A,nx,64,ny,64,nz,64,iterations,200,dt,0.0008
lu,S,nx,12,ny,12,nz,12,iterations,50,dt,0.5
lu,W,nx,33,ny,33,nz,33,iterations,300,dt,0.0015
lu,A,nx,64,ny,64,nz,64,iterations,250,dt,2.0
sp,S,nx,12,ny,12,nz,12,iterations,100,dt,0.015
sp,W,nx,36,ny,36,nz,36,iterations,400,dt,0.0015
sp,A,nx,64,ny,64,nz,64,iterations,400,dt,0.0015
`
