package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/examples/internal/programtest"
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

func TestTimesForPeople(t *testing.T) {
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
