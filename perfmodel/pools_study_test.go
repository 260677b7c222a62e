package perfmodel

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// parallel is the time on a made-up machine whose cores share so many channels to memory,
// and on which messages cost so much more with every doubling.
func (m *madeUp) parallel(b *Shape, x []float64, p int, channels, message float64) float64 {
	set := b.WorkingSet(x)
	k := m.mind[b.Name]
	cost := 1 + k[0]*edge(set/float64(p), m.own, m.sharp) + k[1]*edge(set, m.common, m.sharp)*max(1, float64(p)/channels)
	if b.Name == "ep" {
		message = 0
	}
	return m.lag + 1e-8*m.speed*b.Work(x)*(cost/float64(p)+message*math.Log2(float64(p)))
}

// CG, MG and EP of a machine of many cores are profiled in classes S, W and A on 1 to 8
// processes, and predicted in class A on 16 and 32. The models are the machine that leaving
// out runs chooses among Candidates, a plain power law in the work for each, and what leaving
// out single runs or the most processes chooses among laws of each.
func TestStudyPools(t *testing.T) {
	cases, err := ReadCases(strings.NewReader(classes))
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(3, 5))
	ways := []string{"candidates, run", "plain", "each, run", "each, most"}
	off := map[string][]float64{}
	for range draws(4, 40) {
		m := newMachine(random)
		channels, message := math.Exp2(3*random.Float64()), .02*random.Float64()
		var train, test []Profile
		for _, b := range benchmarks {
			if b.Name != "cg" && b.Name != "mg" && b.Name != "ep" {
				continue
			}
			p := Profile{Application: b.Name, Features: b.Features}
			q := p
			for _, c := range cases {
				if c.Application != b.Name || c.Name == "B" {
					continue
				}
				for _, n := range []int{1, 2, 4, 8, 16, 32} {
					run := Run{Case: c.Name, Features: c.Features, Processes: n, Repetitions: 1}
					run.Seconds = m.parallel(&b, c.Features, n, channels, message)
					if n <= 8 {
						run.Seconds *= math.Exp(.5 * m.noise * random.NormFloat64())
						p.Runs = append(p.Runs, run)
					} else if c.Name == "A" {
						q.Runs = append(q.Runs, run)
					}
				}
			}
			train, test = append(train, p), append(test, q)
		}
		shapes := shapesOf(t, train)
		for _, way := range ways {
			machines := Candidates(shapes)
			best, _, err := ChooseMachine(nil, machines, train)
			if err != nil {
				t.Fatal(err)
			}
			c := Chooser{Most: way == "each, most"}
			for i := range test {
				var e Estimator = machines[best].Application(i)
				if !strings.HasPrefix(way, "candidates") {
					models := []Model{&LogLinear{Work: shapes[i].Work}, &LogLinear{Quadratic: true, Work: shapes[i].Work}, &USL{Amdahl: true, Work: shapes[i].Work}, &USL{Work: shapes[i].Work}}
					if way == "plain" {
						models = models[:1]
					}
					k, _, err := c.Choose(nil, models, &train[i])
					if err != nil {
						t.Fatal(err)
					}
					e = models[k]
				}
				for _, r := range test[i].Runs {
					x, err := At(e, r.Features, r.Processes)
					if err != nil {
						t.Fatal(err)
					}
					d := math.Abs(math.Log(x.Seconds / r.Seconds))
					off[way] = append(off[way], d)
					off[way+train[i].Application] = append(off[way+train[i].Application], d)
				}
			}
		}
	}
	at := func(x []float64, q float64) float64 {
		slices.Sort(x)
		return 100 * math.Expm1(x[int(q*float64(len(x)-1))])
	}
	for _, way := range ways {
		t.Logf("%-16s median %4.1f%%, nine tenths below %5.1f%%; cg %4.1f%%, mg %4.1f%%, ep %4.1f%%", way, at(off[way], .5), at(off[way], .9), at(off[way+"cg"], .5), at(off[way+"mg"], .5), at(off[way+"ep"], .5))
	}
	if each, plain, pool := at(off["each, most"], .5), at(off["plain"], .5), at(off["candidates, run"], .5); each > plain || each > pool {
		t.Errorf("the choice by the most processes is off by %.1f%%, a plain power law by %.1f%%, the machine by %.1f%%", each, plain, pool)
	}
}
