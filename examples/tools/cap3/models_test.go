package main

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/examples/internal/programtest"
	"github.com/plimsoll/plimsoll/perfmodel"
)

func TestOneCount(t *testing.T) {
	path := programtest.Write(t, "one.csv", "application,case,size,processes,seconds\nx,a,1,4,600\nx,b,2,4,1200\nx,c,4,4,1800\n")
	for _, model := range modelNames[1:] {
		tested.Mistake(t, "all runs are on 4 processes, which does not tell how it scales; profile it on others, too", "-profile", path, "-model", model)
	}
}

// Runs that became no faster are left out. Where they are what is missing, the message says so.
func TestLeftOut(t *testing.T) {
	path := programtest.Write(t, "ok.csv", "application,case,processes,seconds,computation,communication\nok,,1,10,10,0\nok,,2,10,8,2\nok,,4,10,8,2\n")
	tested.Mistake(t, "the runs on 2 and 4 processes became no faster and are left out", "-profile", path, "-starts", "1")
	twice := programtest.Write(t, "twice.csv",
		"application,case,n,m,processes,seconds\nx,a,1,2,1,100\nx,a,1,2,2,51\nx,b,3,6,1,300\nx,b,3,6,2,152\nx,c,7,14,1,700\nx,c,7,14,2,352\n")
	tested.Mistake(t, "; -model work needs two numbers of processes", "-profile", twice, "-model", "eq2", "-starts", "1")
	tested.Must(t, "-profile", twice, "-model", "work", "-starts", "1")
}

func TestLacks(t *testing.T) {
	const whole = "application,case,n,processes,seconds\nx,a,1,1,100\nx,a,1,2,51\nx,b,3,1,300\nx,b,3,2,152\n"
	split := "application,case,n,processes,seconds,computation,communication\n"
	for _, n := range []float64{1, 2, 4} {
		split += fmt.Sprintf("x,%v,%v,1,%v,%v,0\nx,%v,%v,2,%v,%v,%v\n", n, n, 100*n, 100*n, n, n, 51*n, 50*n, n)
	}
	for _, c := range []struct{ text, args, want string }{
		{whole, "-model quadratic",
			"quadratic needs runs on 3 numbers of processes, and the profile has 1 and 2 processes: profile it on another, or take -model work, which needs 2"},
		{whole, "-model usl",
			"usl needs runs on 3 numbers of processes, and the profile has 1 and 2 processes: profile it on another, or take -model amdahl, which needs 2"},
		{whole, "-model cap3", "cap3: no run has its computation and communication measured apart; take -model work, which needs the whole times only"},
	} {
		tested.Mistake(t, c.want, append(strings.Fields(c.args), "-profile", programtest.Write(t, "x.csv", c.text), "-starts", "1")...)
	}
	// What is assumed instead, and of which runs, is told of the model that was tried.
	text, _ := tested.Must(t, "-why", "-model", "cap3", "-profile", programtest.Write(t, "x.csv", split+"x,8,8,1,800,,\nx,8,8,2,408,,\n"), "-starts", "1")
	text = strings.Join(strings.Fields(text), " ")
	for _, want := range []string{
		"x: in cap3, T_N is taken as proportional to its growth, since the exponent of Eq. (3) or (4) takes runs on two numbers of processes above 1.",
		"x 2: cap3 leaves out runs whose computation and communication were not measured apart.",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("want %q in %s", want, text)
		}
	}
	for _, c := range []struct {
		f    fitted
		want int
	}{
		{fitted{scores: [models]score{sumOfTwo: {tried: true}}, proportional: true, unsplit: 1}, 2}, {fitted{scores: [models]score{sumOfTwo: {tried: true}},
			unsplit: 1}, 1},
		{fitted{scores: [models]score{sumOfTwo: {tried: true, error: math.Inf(1)}}, proportional: true, chosen: sumOfTwo}, 1},
		{fitted{scores: [models]score{sumOfTwo: {tried: true, error: math.Inf(1)}}, proportional: true, chosen: workOnly}, 0},
		{fitted{scores: [models]score{sumOfTwo: {tried: true}}}, 0}, {fitted{proportional: true, unsplit: 1}, 0},
	} {
		if gs := (&results{fitted: []*fitted{&c.f}}).assumed(); len(gs) != c.want || len(gs) > 0 && !strings.HasPrefix(gs[0].names[0], "the application") {
			t.Errorf("%+v: %+v, want %d", c.f, gs, c.want)
		}
	}
}

// A benchmark stands on its work but in eq1 and eq2, and other programs on their features but in
// work and in the models that have none.
func TestWorkOfModels(t *testing.T) {
	lu, err := perfmodel.NPB("lu")
	if err != nil {
		t.Fatal(err)
	}
	features := map[bool][]float64{true: {64, 64, 64, 250, 2}, false: {3, 5}}
	for _, benchmark := range []bool{true, false} {
		f := &fitted{profile: perfmodel.Profile{Application: "x", Features: []string{"n", "m"}}}
		work := perfmodel.Product
		if benchmark {
			f.profile.Application, f.profile.Features = "lu", lu.Features
			work = lu.Work
		}
		x := features[benchmark]
		for m, want := range map[modelName]bool{eq1: false, eq2: false, workOnly: true, quadratic: benchmark, sumOfTwo: benchmark, amdahl: true, usl: true} {
			var got func([]float64) float64
			switch model := newModel(m, f).(type) {
			case *perfmodel.Additive:
				got = model.Work
			case *perfmodel.LogLinear:
				got = model.Work
			case *perfmodel.CAP3:
				got = model.Work
			case *perfmodel.USL:
				got = model.Work
			}
			if (got != nil) != want || got != nil && got(x) != work(x) {
				t.Errorf("%v of a benchmark: %v: by work: %v, want %v", m, benchmark, got != nil, want)
			}
		}
	}
}

func TestNoInterval(t *testing.T) {
	args := []string{"-profile", programtest.Write(t, "two.csv", "application,case,n,processes,seconds\nx,a,1,1,10\nx,a,1,2,6\n"), "-model", "amdahl",
		"-starts", "1"}
	tested.Mistake(t, "want more runs, or -confidence 0.5", args...)
	tested.Must(t, append(args, "-confidence", "0.5")...)
}

func TestBeyond(t *testing.T) {
	text := "application,case,n,processes,seconds\n"
	for _, n := range []float64{1, 2, 5} {
		for _, p := range []float64{1, 2, 4, 8} {
			text += fmt.Sprintf("x,%v,%v,%v,%v\n", n, n, p, 1000*n*(.2+.8/p))
		}
	}
	args := []string{"-profile", programtest.Write(t, "x.csv", text), "-task", "x:5", "-deadline", "4h", "-starts", "1", "-budget", "0", "-scale", "4"}
	rows := rowsOf(t, args...)
	chosen := find(rows, map[string]any{"kind": "model", "chosen": true})[0]
	choice := find(rows, map[string]any{"kind": "choice", "choice": "time"})[0]
	// 5000·(0.2 + 0.8/32) = 1125.
	if x := choice["time_s"].(float64); chosen["model"] != "amdahl" && chosen["model"] != "usl" || choice["processes"] != 32. || x < 1124 || x > 1126 {
		t.Errorf("%v %v", chosen, choice)
	}
	if said, _ := tested.Must(t, append(args, "-why")...); !strings.Contains(strings.Join(strings.Fields(said), " "),
		"the runs on the most processes, left out together") {
		t.Errorf("the output does not say how the model was chosen:\n%s", said)
	}
}
