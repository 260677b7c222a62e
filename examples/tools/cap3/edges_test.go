package main

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/examples/internal/programtest"
	"github.com/plimsoll/plimsoll/perfmodel/sizing"
	"github.com/plimsoll/plimsoll/pricing"
)

func TestRunFlags(t *testing.T) {
	commands := "-provider exec -tasks t -journal j -create a -delete b -list c -submit d -status e"
	for args, want := range map[string]string{
		commands: "", "-provider local -tasks t -journal j -dir d": "", "-tasks t": "", "-provider local -journal j -dir d": "",
		"-provider local -tasks t -journal j": "-dir: want a folder", "-provider local -tasks t -dir d": "-journal: want the name", "": "-tasks: want a file",
		"-tasks t -journal j":    "-journal: made-up rents nothing",
		"-tasks t -th1 2 -th2 2": "", "-tasks t -th1 2.5 -th2 2": "-th1 2.5: want at most -th2, 2", "-tasks t -latency 0s -checkpoint-cost 0s": "", "-tasks t -latency -1s": "not negative",
		"-tasks t -th1 -1e6 -th2 1e6": "", "-tasks t -th1 -1.1e6 -th2 1": "a number, such as 1", "-tasks t -th1 1 -th2 1.1e6": "a number, such as 2",
		"-tasks t -hour 1h": "", "-tasks t -hour 1h0m1s": "a span of time above 0", "-tasks t -hour 0s": "a span of time above 0", "-tasks t -poll 0s": "a span of time above 0",
		"-tasks t -latency 87600h -checkpoint-cost 87600h -poll 87600h": "", "-tasks t -latency 87600h1s": "not negative", "-tasks t -checkpoint-cost 87600h1s": "not negative", "-tasks t -poll 87600h1s": "a span of time above 0",
		"-tasks t -on-demand 1000000000": "", "-tasks t -on-demand 1000000000.1": "a price above 0", "-tasks t -checkpoint-cost -1s": "not negative",
		"-tasks t -on-demand 0": "a price above 0", "-tasks t -on-demand 0.000000001": "",
	} {
		var o runOptions
		f := cli.NewFlags("cap3 run")
		defineRun(&o, f)
		if err := f.Parse(strings.Fields(args)); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", args, err, want)
		}
	}
	for _, name := range []string{"create", "delete", "list", "submit", "status"} {
		var o runOptions
		f := cli.NewFlags("cap3 run")
		defineRun(&o, f)
		fields := strings.Fields(commands)
		i := slices.Index(fields, "-"+name)
		if err := f.Parse(slices.Delete(fields, i, i+2)); err == nil || !strings.Contains(err.Error(), "want -create, -delete, -list, -submit and -status") {
			t.Errorf("without -%s: %v", name, err)
		}
	}
}

func TestReadTasks(t *testing.T) {
	var o runOptions
	f := cli.NewFlags("cap3 run")
	defineRun(&o, f)
	if err := f.Parse([]string{"-tasks", programtest.Write(t, "tasks.csv",
		"name,estimate,deadline,instances,command,checkpoint,runtime\na,1h,3h,10000,true,10m,50m\nb,30m,2h,,,,\n")}); err != nil {
		t.Fatal(err)
	}
	k, err := o.readTasks(time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	if len(k.Tasks) != 2 || !slices.Equal(k.Run, []time.Duration{50 * time.Minute, 30 * time.Minute}) {
		t.Fatalf("%+v", k)
	}
	a, b := k.Tasks[0], k.Tasks[1]
	if a.ID != 0 || a.Name != "a" || a.Command != "true" || a.Instances != 10000 || a.Submit != time.Hour || a.Deadline != 4*time.Hour || a.Estimate != time.Hour || a.Latency != 5*time.Minute ||
		a.Checkpoints.Every != 10*time.Minute || a.Checkpoints.Write != time.Minute || a.Checkpoints.Restart != time.Minute {
		t.Errorf("%+v", a)
	}
	if b.ID != 1 || b.Name != "b" || b.Instances != 1 || b.Deadline != 3*time.Hour || b.Checkpoints.Every != 0 || b.Checkpoints.Write != 0 {
		t.Errorf("%+v", b)
	}
	for line, want := range map[string]string{
		"a,1h,3h,0": `line 2 (instances): "0": want a whole number from 1 to 10000`, "a,1h,3h,10001": "(instances)", "a,0s,3h,1": "(estimate)", ",1h,3h,1": "(name)", "a,1h,3h": "wrong number of fields",
		"a,1h,,1": "(deadline)", "a,1h,9000000h,1": "(deadline)",
	} {
		o.tasks = programtest.Write(t, "bad.csv", "name,estimate,deadline,instances\n"+line+"\n")
		if _, err := o.readTasks(0); cli.Status(err) != cli.Mistake || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want a mistake that says %q", line, err, want)
		}
	}
}

// What -on-demand and -ppn say of an instance holds; what is not given stays.
func TestOverride(t *testing.T) {
	small := sizing.InstanceType{Name: "small", Hourly: 10 * cents, Processes: 2}
	for _, c := range []struct {
		onDemand  pricing.Money
		processes int
		want      sizing.InstanceType
	}{
		{0, 0, small}, {50 * cents, 0, sizing.InstanceType{Name: "small", Hourly: 50 * cents, Processes: 2}}, {0, 4, sizing.InstanceType{Name: "small",
			Hourly: 10 * cents, Processes: 4}},
	} {
		in := &input{instance: small}
		if (&options{onDemand: c.onDemand, ppn: c.processes}).override(in); in.instance != c.want {
			t.Errorf("%+v: %+v", c, in.instance)
		}
	}
}

func TestHistoryFits(t *testing.T) {
	o := options{deadline: 10 * time.Hour}
	for span, want := range map[time.Duration]bool{11 * time.Hour: true, 11*time.Hour - time.Second: false} {
		var in input
		in.history.Times, in.history.End = []time.Duration{time.Hour}, time.Hour+span
		if err := o.fits(&in); (err == nil) != want {
			t.Errorf("%v: %v", span, err)
		}
	}
}

// A task saves for what -checkpoint-cost says, and pays nothing if it does not save.
func TestCheckpoints(t *testing.T) {
	exact := programtest.Write(t, "exact.csv", eq2Profile)
	for args, want := range map[string][2]time.Duration{
		"": {}, "-checkpoint 20m -checkpoint-cost 2m": {20 * time.Minute, 2 * time.Minute}, "-checkpoint 20m": {20 * time.Minute, time.Minute},
	} {
		r, err := program.Results(append(strings.Fields(args), "-profile", exact, "-model", "eq2", "-starts", "1")...)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range r.sized {
			if k := s.scheduled.task.Checkpoints; k.Every != want[0] || k.Write != want[1] || k.Restart != want[1] {
				t.Errorf("%s: %+v", args, k)
			}
		}
	}
}

func TestTimesForPeople(t *testing.T) {
	for want, s := range map[string]float64{"0.1235 s": .12345, "1.00 s": 1, "99.99 s": 99.99, "100 s": 100, "12,346 s": 12345.6} {
		if got := seconds(s); got != want {
			t.Errorf("%v s is %q, want %q", s, got, want)
		}
	}
	for want, d := range map[string]time.Duration{"0s": 0, "0.500s": time.Second / 2, "1.0s": time.Second, "59.9s": 59900 * time.Millisecond} {
		if got := clock(d); got != want {
			t.Errorf("%v is %q, want %q", d, got, want)
		}
	}
	if got := clockOf(25*time.Hour + 61*time.Second + 900*time.Millisecond); got != "25:01:01" {
		t.Errorf("clockOf: %s", got)
	}
	if got := fmt.Sprint(dollarsOf(1.005), " ", percentOf(1, 3)); got != "1.01 33%" && got != "1.00 33%" {
		t.Error(got)
	}
}

func TestPictureOfPrices(t *testing.T) {
	o, err := program.Options("-starts", "30", "-deadline", "90h", "-budget", "0", "-seed", "5", "-instance", "cc1.4xlarge", "-input",
		"big:nx=600,ny=600,nz=600,iterations=600,dt=2", "-checkpoint", "1h")
	if err != nil {
		t.Fatal(err)
	}
	r, err := provision(&o, cli.Quiet())
	if err != nil {
		t.Fatal(err)
	}
	charts := r.prices()
	if len(charts) != 1 {
		t.Errorf("%d pictures", len(charts))
	}
	interrupted := 0
	for _, c := range charts {
		lines := map[string]int{}
		for i, s := range c.Series {
			lines[s.Name] = i
			if len(s.X) != len(s.Y) {
				t.Errorf("%s: %d times and %d prices of %s", c.Title, len(s.X), len(s.Y), s.Name)
			}
		}
		price, onDemand, bids, lost := c.Series[lines["spot price"]], c.Series[lines["on demand"]], c.Series[lines["bids"]], c.Series[lines["interruptions"]]
		var says, starts int
		counts := regexp.MustCompile(`(\d+) interruptions? in (\d+) starts?`).FindStringSubmatch(c.Title)
		if counts == nil {
			t.Fatal(c.Title)
		}
		fmt.Sscan(counts[1], &says)
		fmt.Sscan(counts[2], &starts)
		interrupted += says
		if len(lost.X) != says || len(bids.X) < starts || starts != 30 {
			t.Errorf("%s: %d interruptions and %d bids are shown", c.Title, len(lost.X), len(bids.X))
		}
		from, to := price.X[0], price.X[len(price.X)-1]
		if !slices.IsSorted(price.X) || from < 0 || math.Abs(to-60) > 1e-9 || !slices.Equal(onDemand.X, []float64{from, to}) || !slices.Equal(onDemand.Y,
			[]float64{1.3, 1.3}) {
			t.Errorf("%s: from %v to %v, on demand %v at %v", c.Title, from, to, onDemand.Y, onDemand.X)
		}
		for i, x := range bids.X {
			if x < from || x > to || bids.Y[i] <= 0 {
				t.Errorf("%s: a bid of %v at %v", c.Title, bids.Y[i], x)
			}
		}
		if bids.Points != true || lost.Points != true || !price.Steps {
			t.Errorf("%s: bids are no points, or prices no steps", c.Title)
		}
	}
	if interrupted == 0 {
		t.Error("nobody is interrupted")
	}
}

func TestPictureOfPredictions(t *testing.T) {
	o, err := program.Options("-starts", "1")
	if err != nil {
		t.Fatal(err)
	}
	r, err := provision(&o, cli.Quiet())
	if err != nil {
		t.Fatal(err)
	}
	c := r.predictions()
	if len(c.Series) != len(r.fitted)+1 {
		t.Fatalf("%d lines of %d applications", len(c.Series), len(r.fitted))
	}
	least, most, n := math.Inf(1), 0., 0
	for i, f := range r.fitted {
		s := c.Series[i]
		if !strings.HasPrefix(s.Name,
			f.profile.Application+", ") || len(s.X) != len(f.checks) || len(s.Y) != len(s.X) || len(s.Low) != len(s.X) || len(s.High) != len(s.X) || !s.Points {
			t.Errorf("%s: %d runs, %d predicted, %d and %d ends, want %d", s.Name, len(s.X), len(s.Y), len(s.Low), len(s.High), len(f.checks))
			continue
		}
		for k, x := range f.checks {
			n++
			least, most = min(least, x.run.Seconds), max(most, x.run.Seconds)
			if s.X[k] != x.run.Seconds || s.Y[k] != x.estimate.Seconds || s.Low[k] > s.Y[k] || s.High[k] < s.Y[k] {
				t.Errorf("%s: %v s is predicted as %v, from %v to %v", s.Name, s.X[k], s.Y[k], s.Low[k], s.High[k])
			}
		}
	}
	if equal := c.Series[len(c.Series)-1]; n < 5 || !slices.Equal(equal.X, []float64{least, most}) || !slices.Equal(equal.Y, equal.X) {
		t.Errorf("equal from %v to %v, of %d runs from %v to %v", equal.X, equal.Y, n, least, most)
	}
}
