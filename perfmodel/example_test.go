package perfmodel_test

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/plimsoll/plimsoll/perfmodel"
)

// Medians in seconds of class S, W and A of the NAS Parallel Benchmarks on a
// machine with two cores.
const measured = `application,case,processes,seconds,rows,nonzer,keys,max_key,nx,ny,nz,iterations,shift
cg,S,1,0.0221,1400,7,,,,,,15,10
cg,S,2,0.0162,1400,7,,,,,,15,10
cg,W,1,0.1586,7000,8,,,,,,15,12
cg,W,2,0.1294,7000,8,,,,,,15,12
cg,A,1,0.566,14000,11,,,,,,15,20
cg,A,2,0.3118,14000,11,,,,,,15,20
ft,S,1,0.0456,,,,,64,64,64,6,
ft,S,2,0.0368,,,,,64,64,64,6,
ft,W,1,0.1142,,,,,128,128,32,6,
ft,W,2,0.06055,,,,,128,128,32,6,
ft,A,1,2.2313,,,,,256,256,128,6,
ft,A,2,1.4692,,,,,256,256,128,6,
is,S,1,0.0017,,,65536,2048,,,,10,
is,S,2,0.0013,,,65536,2048,,,,10,
is,W,1,0.0472,,,1048576,65536,,,,10,
is,W,2,0.0253,,,1048576,65536,,,,10,
is,A,1,0.6551,,,8388608,524288,,,,10,
is,A,2,0.3318,,,8388608,524288,,,,10,
mg,S,1,0.0018,,,,,32,32,32,4,
mg,S,2,0.0012,,,,,32,32,32,4,
mg,W,1,0.0919,,,,,128,128,128,4,
mg,W,2,0.0387,,,,,128,128,128,4,
mg,A,1,1.0093,,,,,256,256,256,4,
mg,A,2,0.5109,,,,,256,256,256,4,
`

// The features of CG's class B: rows, nonzer, iterations and shift.
var classB = []float64{75000, 13, 75, 60}

func fail(err error) {
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}

// load reads the table.
func load() ([]perfmodel.Profile, []perfmodel.Shape) {
	profiles, err := perfmodel.ReadProfiles(strings.NewReader(measured))
	fail(err)
	var shapes []perfmodel.Shape
	for _, p := range profiles {
		b, err := perfmodel.NPB(p.Application)
		fail(err)
		shapes = append(shapes, b)
	}
	return profiles, shapes
}

// How long will class B of CG take, whose work is 36 times that of the largest class
// that was run? Four programs on the machine say how dear memory is.
func ExampleMachine() {
	profiles, shapes := load()
	m := &perfmodel.Machine{Shapes: shapes}
	fail(m.FitAll(profiles))
	for _, p := range []int{1, 2} {
		e, err := perfmodel.At(m.Application(0), classB, p)
		fail(err)
		fmt.Printf("on %d: %.0f s, with 90%% from %.0f to %.0f\n", p, e.Seconds, e.Lower, e.Upper)
		if p == 1 {
			fmt.Println(e.Outside)
		}
	}
	// Output:
	// on 1: 28 s, with 90% from 13 to 61
	// outside the profiled range: rows is 75000, 5.36 times the largest profiled, 14000
	// on 2: 16 s, with 90% from 8 to 35
}

// Should memory be counted for each process, for all together, or not at all? The
// runs themselves say, each predicted from the others.
func ExampleChooseMachine() {
	profiles, shapes := load()
	best, scores, err := perfmodel.ChooseMachine(nil, perfmodel.Candidates(shapes), profiles)
	fail(err)
	for i, name := range []string{"not at all", "all together", "each process"} {
		fmt.Printf("%-13s %.2f\n", name, scores[i].Error)
	}
	fmt.Println("chosen:", best)
	// Output:
	// not at all    0.24
	// all together  0.24
	// each process  0.21
	// chosen: 2
}

// The features of Table I do not tell what iterations cost, for they never varied.
// Their product with the grid, the work, is told.
func ExampleLogLinear() {
	profiles, _ := load()
	cg := profiles[0]
	err := new(perfmodel.LogLinear).Fit(&cg)
	fmt.Println(errors.Is(err, perfmodel.ErrDependent))

	benchmark, err := perfmodel.NPB("cg")
	fail(err)
	m := &perfmodel.LogLinear{Work: benchmark.Work}
	fail(m.Fit(&cg))
	e, err := perfmodel.At(m, classB, 2)
	fail(err)
	fmt.Printf("exponent of work %.2f, of processes %.2f\n", m.Regression().Coef[1], m.Regression().Coef[2])
	fmt.Printf("%.1f s, mean %.1f s, with 90%% from %.1f to %.1f\n", e.Seconds, e.Mean, e.Lower, e.Upper)
	// Output:
	// true
	// exponent of work 1.00, of processes -0.53
	// 13.8 s, mean 13.5 s, with 90% from 6.2 to 30.7
}

// An application that was profiled with TAU: seconds outside of MPI and within it.
const tau = `application,case,cells,processes,computation,communication
wave,small,1e6,2,40.9,0.6
wave,small,1e6,4,20.1,1.3
wave,small,1e6,8,10.3,2.1
wave,small,1e6,16,5.2,2.6
wave,small,1e6,32,2.5,3.2
wave,large,4e6,2,162.8,1.3
wave,large,4e6,4,81.9,2.5
wave,large,4e6,8,40.3,3.9
wave,large,4e6,16,20.8,5.4
wave,large,4e6,32,10.1,6.2
`

func wave() perfmodel.Profile {
	profiles, err := perfmodel.ReadProfiles(strings.NewReader(tau))
	fail(err)
	return profiles[0]
}

func ExampleReadProfiles() {
	p := wave()
	fmt.Println(p.Application, p.Features, len(p.Runs), "runs, on up to", p.MaxProcesses(), "processes")

	_, err := perfmodel.ReadProfiles(strings.NewReader("cells,processes,seconds\n1e6,2,41.5\n1e6,4,0\n"))
	fmt.Println(err)
	// Output:
	// wave [cells] 10 runs, on up to 32 processes
	// perfmodel: line 3 (seconds): number is not positive: 0 seconds say nothing of a run that is too short for the clock: want a positive time, or the line left out
}

// T_N alone, by Eq. (3): its operations are reductions.
func ExampleNetwork() {
	p := wave()
	m := &perfmodel.Network{}
	fail(m.Fit(&p))
	e, err := perfmodel.At(m, []float64{16e6}, 32)
	fail(err)
	fmt.Printf("%.0f s of communication, with the %.2f power of lg P\n", e.Seconds, m.Regression().Coef[2])
	// Output:
	// 13 s of communication, with the 1.02 power of lg P
}

// What [Huang13] predicts: computation and communication, each by a law of its own.
func ExampleCAP3() {
	p := wave()
	m := &perfmodel.CAP3{}
	fail(m.Fit(&p))
	for _, n := range []int{1, 8, 32} {
		e, err := perfmodel.At(m, []float64{16e6}, n)
		fail(err)
		fmt.Printf("%2d: %.0f s\n", n, e.Seconds)
	}
	// Output:
	// 1: 1307 s
	//  8: 171 s
	// 32: 54 s
}

// With a term in (ln P)² the fit sees that each doubling brings less.
func ExampleLogLinear_quadratic() {
	p := wave()
	m := &perfmodel.LogLinear{Quadratic: true}
	fail(m.Fit(&p))
	var e [3]perfmodel.Estimate
	fail(m.EstimateTo(e[:], perfmodel.Query{Features: []float64{4e6}, Processes: []int{16, 32, 64}}))
	fmt.Printf("%.1f, %.1f, %.1f s\n", e[0].Seconds, e[1].Seconds, e[2].Seconds)
	// Output:
	// 26.9, 18.0, 13.2 s
}

func ExampleUSL_amdahl() {
	p := wave()
	m := &perfmodel.USL{Amdahl: true, Work: perfmodel.Product}
	fail(m.Fit(&p))
	_, serial, _ := m.Coefficients()
	fmt.Printf("%.1f%% is serial: no more than %.0f times as fast\n", 100*serial, 1/serial)
	// Output:
	// 3.2% is serial: no more than 32 times as fast
}

func ExampleUSL() {
	p := wave()
	m := &perfmodel.USL{Work: perfmodel.Product}
	fail(m.Fit(&p))
	_, sigma, kappa := m.Coefficients()
	fmt.Printf("contention %.3f, coherence %.5f, least time near %.0f processes\n", sigma, kappa, m.Peak())
	// Output:
	// contention 0.026, coherence 0.00017, least time near 75 processes
}

// Which law fits this application? Each predicts the runs that it has not seen.
func ExampleChooser_Choose() {
	p := wave()
	models := []perfmodel.Model{
		&perfmodel.LogLinear{}, &perfmodel.LogLinear{Quadratic: true}, &perfmodel.CAP3{}, &perfmodel.USL{Work: perfmodel.Product},
	}
	var c perfmodel.Chooser
	best, scores, err := c.Choose(nil, models, &p)
	fail(err)
	for i, name := range []string{"Eq. (2)", "quadratic", "T_C + T_N", "USL"} {
		fmt.Printf("%-10s %.3f\n", name, scores[i].Error)
	}
	fmt.Println("chosen:", best)
	// Output:
	// Eq. (2)    0.151
	// quadratic  0.123
	// T_C + T_N  0.023
	// USL        0.152
	// chosen: 2
}

// The benchmarks of [Huang13]: which of them do all-to-alls, and on how many processes they run.
func ExampleNPB() {
	for _, name := range []string{"cg", "ep", "ft", "is", "mg", "bt", "lu", "sp"} {
		b, err := perfmodel.NPB(name)
		fail(err)
		fmt.Printf("%s  %-5v  %v\n", b.Name, b.AllToAll, b.Counts)
	}
	// Output:
	// cg  false  powers_of_two
	// ep  false  any
	// ft  true   powers_of_two
	// is  true   powers_of_two
	// mg  false  powers_of_two
	// bt  false  squares
	// lu  false  powers_of_two
	// sp  false  squares
}

// A machine with two cores becomes no faster with four processes: those runs stay out of
// the models.
func ExampleProfile_Unsaturated() {
	const text = "size,processes,seconds\n1,1,10\n1,2,5.2\n1,4,5.1\n2,1,20\n2,2,10.3\n2,4,11\n"
	profiles, err := perfmodel.ReadProfiles(strings.NewReader(text))
	if err != nil {
		fmt.Println(err)
		return
	}
	kept, left := profiles[0].Unsaturated()
	fmt.Println(len(kept.Runs), "runs on up to", kept.MaxProcesses(), "processes;", len(left), "left out")
	// Output: 4 runs on up to 2 processes; 2 left out
}

// Is a sum of seconds, Eq. (1) of [Huang13], good enough to plan by? It fits the long runs,
// and predicts less than nothing for a short run on many processes.
func ExampleAdditive() {
	profiles, err := perfmodel.ReadProfiles(strings.NewReader("rows,processes,seconds\n1e6,1,21\n1e6,2,11\n1e6,4,6\n4e6,1,82\n4e6,2,41\n4e6,4,21\n"))
	fail(err)
	var sum perfmodel.Additive
	var power perfmodel.LogLinear
	fail(sum.Fit(&profiles[0]))
	fail(power.Fit(&profiles[0]))
	for _, rows := range []float64{8e6, 1e6} {
		e, err := perfmodel.At(&power, []float64{rows}, 8)
		fail(err)
		fmt.Printf("%.0e rows on 8 processes: Eq. (2) %.1f s", rows, e.Seconds)
		if e, err = perfmodel.At(&sum, []float64{rows}, 8); err != nil {
			fmt.Printf(", Eq. (1) below 0: %v\n", errors.Is(err, perfmodel.ErrNotPositive))
			continue
		}
		fmt.Printf(", Eq. (1) %.1f s\n", e.Seconds)
	}
	// Output:
	// 8e+06 rows on 8 processes: Eq. (2) 21.5 s, Eq. (1) 28.5 s
	// 1e+06 rows on 8 processes: Eq. (2) 3.0 s, Eq. (1) below 0: true
}
