package main

import (
	"fmt"
	"math"
	"regexp"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/examples/internal/programtest"
	"github.com/plimsoll/plimsoll/perfmodel"
)

// Every model of every benchmark either plans class C on the default profile, or says in
// a sentence why not and with which flags it does. Each flag then does what the sentence
// says.
func TestModelsOfBenchmarks(t *testing.T) {
	flag := regexp.MustCompile(`-(by work|dependent drop|oversubscribed keep|model [a-z0-9]+|network proportional)`)
	for _, model := range modelNames {
		failed := 0
		apps := []string{"bt", "cg", "ep", "ft", "is", "lu", "mg", "sp"}
		if model == "auto" || model == "machine" {
			apps = apps[:1] // all are fitted together
		}
		for _, app := range apps {
			args := []string{"-model", model, "-task", app + ":C", "-starts", "1"}
			status, _, stderr := tested.Try(args...)
			if status == 0 {
				continue
			}
			failed++
			said := strings.TrimPrefix(stderr[strings.LastIndex(stderr, "cap3: "):], "cap3: ")
			offered := flag.FindAllString(said, -1)
			if status != 2 || len(offered) == 0 || strings.Contains(strings.TrimSpace(said), "\n") {
				t.Errorf("-model %s, %s: status %d without a flag that helps: %s", model, app, status, said)
				continue
			}
			for _, o := range offered {
				if status, _, stderr := tested.Try(append(args, strings.Fields(o)...)...); status != 0 {
					t.Errorf("-model %s, %s: %s does not help: %s", model, app, o, stderr)
				}
			}
		}
		// Those whose coefficients the default profile does not tell, 38 in all, as BENCHMARKS.md says.
		if want := map[string]int{"eq1": 7, "eq2": 7, "quadratic": 8, "usl": 8, "functions": 8}[model]; failed != want {
			t.Errorf("-model %s: %d benchmarks fail, want %d", model, failed, want)
		}
	}
}

// A profile of one number of processes tells nothing of how a program scales.
func TestOneCount(t *testing.T) {
	path := programtest.Write(t, "one.csv", "application,case,size,processes,seconds\nx,a,1,4,600\nx,b,2,4,1200\nx,c,4,4,1800\n")
	for _, model := range modelNames[2:] {
		tested.Mistake(t, "all runs are on 4 processes, which does not tell how it scales; profile it on others, too", "-profile", path, "-model", model)
	}
}

// Runs that became no faster are left out. Where they are what is missing, the message says
// so, and offers the flag that takes them and no flag that does not help.
func TestLeftOut(t *testing.T) {
	path := programtest.Write(t, "ok.csv", "application,case,processes,seconds,computation,communication\nok,,1,10,10,0\nok,,2,10,8,2\nok,,4,10,8,2\n")
	status, _, stderr := tested.Try("-profile", path, "-starts", "1")
	if status != 2 || !strings.Contains(stderr, "the runs on 2 and 4 processes became no faster and are left out, -oversubscribed keep takes them") || strings.Contains(stderr, "-by work") {
		t.Errorf("status %d: %s", status, stderr)
	}
	tested.Must(t, "-profile", path, "-starts", "1", "-oversubscribed", "keep")
}

// A flag is offered only where it helps: -dependent drop where a feature is determined by
// another and the task keeps to that, too; -oversubscribed keep where the runs that became no
// faster are what the model lacks.
func TestOffers(t *testing.T) {
	const titles = "application,case,n,m,processes,seconds\n"
	twice := titles + "x,a,1,2,1,100\nx,a,1,2,2,51\nx,b,3,6,1,300\nx,b,3,6,2,152\nx,c,7,14,1,700\nx,c,7,14,2,352\n"
	within := programtest.Write(t, "f.csv", "benchmark,class,x1_name,x1,x2_name,x2\nx,d,n,9,m,18\n")
	other := programtest.Write(t, "g.csv", "benchmark,class,x1_name,x1,x2_name,x2\nx,d,n,9,m,19\n")
	path := programtest.Write(t, "twice.csv", twice)
	for _, c := range []struct {
		args string
		drop bool
	}{{"-model eq2 -task x:c", true}, {"-model eq2 -task x:d -features " + within, true}, {"-model eq2 -task x:d -features " + other, false}} {
		args := append(strings.Fields(c.args), "-profile", path, "-starts", "1", "-by", "features")
		status, _, stderr := tested.Try(args...)
		if offers := strings.Contains(stderr, "-dependent drop leaves out the columns that others determine"); status != 2 || offers != c.drop || !strings.Contains(stderr, "-by work") {
			t.Errorf("%s: status %d: %s", c.args, status, stderr)
		}
		if c.drop {
			tested.Must(t, append(args, "-dependent", "drop")...)
		}
	}
	// The run on 8 became no faster: with it there are three numbers of processes, which
	// quadratic needs; the columns that cannot be told apart are so with it, too.
	kept := titles + "x,a,1,1,1,100\nx,a,1,1,2,51\nx,a,1,1,8,60\nx,b,3,5,1,300\nx,b,3,5,2,152\nx,b,3,5,8,170\nx,c,7,8,1,700\nx,c,7,8,2,352\nx,c,7,8,8,400\n"
	tested.Mistake(t, "the runs on 8 processes became no faster and are left out, -oversubscribed keep takes them", "-profile", programtest.Write(t, "kept.csv", kept), "-model", "quadratic", "-by", "work", "-starts", "1")
	status, _, stderr := tested.Try("-profile", programtest.Write(t, "both.csv", twice+"x,a,1,2,8,60\nx,b,3,6,8,170\nx,c,7,14,8,400\n"), "-model", "eq2", "-by", "features", "-starts", "1")
	if status != 2 || strings.Contains(stderr, "-oversubscribed") || !strings.Contains(stderr, "-dependent drop") {
		t.Errorf("status %d: %s", status, stderr)
	}
}

// What a profile lacks for a model is told whole: the numbers of processes to add, and the
// model or the flag that does without.
func TestLacks(t *testing.T) {
	const whole = "application,case,n,processes,seconds\nx,a,1,1,100\nx,a,1,2,51\nx,b,3,1,300\nx,b,3,2,152\n"
	split := "application,case,n,processes,seconds,computation,communication\n"
	for _, n := range []float64{1, 2, 4} {
		split += fmt.Sprintf("x,%v,%v,1,%v,%v,0\nx,%v,%v,2,%v,%v,%v\n", n, n, 100*n, 100*n, n, n, 51*n, 50*n, n)
	}
	for _, c := range []struct{ text, args, want string }{
		{whole, "-model quadratic", "quadratic needs runs on 3 numbers of processes, and the profile has 1 and 2 processes: profile it on 3 processes, too (cap3 record -counts 1,2,3), or take -model work, which needs 2"},
		{whole, "-model usl", "usl needs runs on 3 numbers of processes, and the profile has 1 and 2 processes: profile it on 3 processes, too (cap3 record -counts 1,2,3), or take -model amdahl, which needs 2"},
		{whole, "-model cap3", "cap3: no run has its computation and communication measured apart; take -model work, which needs the whole times only"},
		{split, "-model cap3 -network fitted", "cap3 needs runs on 2 numbers of processes above 1, and the profile has 2 processes: profile it on 3 processes, too (cap3 record -counts 2,3), or take -network proportional, which needs one"},
	} {
		tested.Mistake(t, c.want, append(strings.Fields(c.args), "-profile", programtest.Write(t, "x.csv", c.text), "-starts", "1")...)
	}
	// What is assumed instead, and of which runs, is told of the model that was tried.
	text, _ := tested.Must(t, "-model", "cap3", "-profile", programtest.Write(t, "x.csv", split+"x,8,8,1,800,,\nx,8,8,2,408,,\n"), "-starts", "1")
	text = strings.Join(strings.Fields(text), " ")
	for _, want := range []string{
		"x: in cap3, T_N is taken as proportional to its growth, since the exponent of Eq. (3) or (4) takes runs on two numbers of processes above 1 (-network fitted says so).",
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
		{fitted{scores: [models]score{sumOfTwo: {tried: true}}, proportional: true, unsplit: 1}, 2}, {fitted{scores: [models]score{sumOfTwo: {tried: true}}, unsplit: 1}, 1},
		{fitted{scores: [models]score{sumOfTwo: {tried: true, error: math.Inf(1)}}, proportional: true, chosen: sumOfTwo}, 1},
		{fitted{scores: [models]score{sumOfTwo: {tried: true, error: math.Inf(1)}}, proportional: true, chosen: workOnly}, 0},
		{fitted{scores: [models]score{sumOfTwo: {tried: true}}}, 0}, {fitted{proportional: true, unsplit: 1}, 0},
	} {
		if gs := (&results{fitted: []*fitted{&c.f}}).assumed(); len(gs) != c.want || len(gs) > 0 && !strings.HasPrefix(gs[0].names[0], "the application") {
			t.Errorf("%+v: %+v, want %d", c.f, gs, c.want)
		}
	}
}

// Which models stand on the features and which on the work: -by says so, but of those that
// have no features, and by default a benchmark stands on its work where the model can.
func TestWorkOfModels(t *testing.T) {
	lu, err := perfmodel.NPB("lu")
	if err != nil {
		t.Fatal(err)
	}
	features := map[bool][]float64{true: {64, 64, 64, 250, 2}, false: {3, 5}}
	for _, benchmark := range []bool{true, false} {
		f := &fitted{profile: perfmodel.Profile{Application: "x", Features: []string{"n", "m"}}}
		work := perfmodel.Measure(perfmodel.Product)
		if benchmark {
			f.profile.Application, f.profile.Features = "lu", lu.Features
			work = lu.Work
		}
		x := features[benchmark]
		for by, want := range map[byName]map[modelName]bool{ // by work
			byAuto:     {eq1: false, eq2: false, workOnly: true, quadratic: benchmark, sumOfTwo: benchmark, amdahl: true, usl: true},
			byFeatures: {eq1: false, eq2: false, workOnly: true, quadratic: false, sumOfTwo: false, amdahl: true, usl: true},
			byWork:     {eq1: true, eq2: true, workOnly: true, quadratic: true, sumOfTwo: true, amdahl: true, usl: true},
		} {
			for m, want := range want {
				var got perfmodel.Measure
				dropped := true
				switch model := (&options{by: by, drop: 1}).newModel(m, f).(type) {
				case *perfmodel.Additive:
					got, dropped = model.Work, model.DropDependent
				case *perfmodel.LogLinear:
					got, dropped = model.Work, model.DropDependent || m == workOnly
				case *perfmodel.CAP3:
					got, dropped = model.Work, model.DropDependent
				case *perfmodel.USL:
					got = model.Work
				}
				if (got != nil) != want || got != nil && got(x) != work(x) || !dropped {
					t.Errorf("-by %d, %v of a benchmark: %v: by work: %v, want %v; without dependent columns: %v", by, m, benchmark, got != nil, want, dropped)
				}
			}
		}
	}
	for name, want := range map[string]perfmodel.Measure{"lu": lu.Work, "hpl": perfmodel.Product} {
		if got := newWork(name)(features[true]); got != want(features[true]) {
			t.Errorf("the work of %s is %v, want %v", name, got, want(features[true]))
		}
	}
}

// A model is chosen by how it predicts more processes if -scale goes beyond the profile, and
// there are two numbers of processes besides the largest.
func TestChosenBeyond(t *testing.T) {
	for _, c := range []struct {
		model  modelName
		scale  float64
		counts []int
		want   bool
	}{{auto, 4, []int{1, 2, 4}, true}, {auto, 1, []int{1, 2, 4}, false}, {auto, 4, []int{1, 2}, false}, {eq2, 4, []int{1, 2, 4}, false}, {auto, 1.5, []int{1, 2, 4, 8, 8}, true}} {
		f := new(fitted)
		for _, n := range c.counts {
			f.profile.Runs = append(f.profile.Runs, perfmodel.Run{Processes: n})
		}
		if got := (&options{model: c.model, scale: c.scale}).beyond(f); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}

// As many runs as coefficients tell no interval: the flag that does without one is named.
func TestNoInterval(t *testing.T) {
	args := []string{"-profile", programtest.Write(t, "two.csv", "application,case,n,processes,seconds\nx,a,1,1,10\nx,a,1,2,6\n"), "-model", "amdahl", "-starts", "1"}
	tested.Mistake(t, "want more runs, or -confidence 0.5", args...)
	tested.Must(t, append(args, "-confidence", "0.5")...)
}

// Rules and thresholds are flags: with th1 far above every PR all tasks go on demand, and
// with both far below none does.
func TestRulesAndThresholds(t *testing.T) {
	all := []string{"-task", "ft,bt", "-model", "cap3", "-starts", "2", "-rules", "paper,safe,no-return,hedged,planned"}
	rows := rowsOf(t, all...)
	if got := len(find(rows, map[string]any{"kind": "rule"})); got != 10 {
		t.Errorf("%d rules of 2 tasks, want 10", got)
	}
	for _, c := range []struct{ th1, th2, agent string }{{"1000", "1000", "high"}, {"-9", "1000", "medium"}, {"-9", "-9", "low"}} {
		rows := rowsOf(t, append(all, "-th1", c.th1, "-th2", c.th2)...)
		if got := len(find(rows, map[string]any{"kind": "schedule", "agent": c.agent})); got != 2 {
			t.Errorf("th1 %s, th2 %s: %d tasks for agent %s, want 2", c.th1, c.th2, got, c.agent)
		}
	}
	tested.Mistake(t, "at most -th2, 2", "-th1", "3")
	tested.Mistake(t, "no-return", "-rules", "best")
}

// Where -scale lets a choice go beyond the profile, auto takes the model that predicts the
// runs on the most processes: of a time of n·(0.2 + 0.8/P) that is Amdahl's law, and not the
// power law that fits best in between.
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
	if said, _ := tested.Must(t, args...); !strings.Contains(strings.Join(strings.Fields(said), " "), "the runs on the most processes, left out together") {
		t.Errorf("the output does not say how the model was chosen:\n%s", said)
	}
}
