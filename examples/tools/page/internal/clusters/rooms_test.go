package clusters

import (
	"encoding/json"
	"fmt"
	"go/parser"
	"go/token"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/plimsoll/plimsoll/examples/tools/page/internal/ask"
	"github.com/plimsoll/plimsoll/schedule/trace"
)

// Four jobs: submitted, ran and asked for in seconds, instances, user.
const jobs = `"jobs":[0,3000,3600,2,1, 600,6000,7200,3,2, 700,600,900,1,1, 9000,1000,1000,4,3]`

// answered asks a room, and reads its answer, in which mistakes have the field "error".
func answered[A any](t *testing.T, room, question string) (a A) {
	t.Helper()
	if err := json.Unmarshal(Rooms.Answer(room, []byte("{"+question+"}")), &a); err != nil {
		t.Fatalf("%s of %s: %v", room, question, err)
	}
	return a
}

type mistaken struct{ Error ask.Mistake }

// wrong checks the mistake that rooms answer with.
func wrong(t *testing.T, question, field, text string, rooms ...string) {
	t.Helper()
	for _, room := range rooms {
		if diff := cmp.Diff(ask.Mistake{Field: field, Text: text}, answered[mistaken](t, room, question).Error); diff != "" {
			t.Errorf("%s of %.150s (-want +got):\n%s", room, question, diff)
		}
	}
}

var near = cmpopts.EquateApprox(0, 1e-9)

// By hand. The jobs take 6,000 + 18,000 + 600 + 4,000 seconds of instances. On 4 nodes of its own,
// the greatest job's, the cluster is busy for 0.715 of 10,000 seconds; job 2 waits from 600 to
// 3000, which makes it 1.4 times as slow. Rented instances come up after what the library measured;
// 13 hours at $2.40 are charged for.
func TestCluster(t *testing.T) {
	local := answered[clusterAnswer](t, "cluster", jobs+`,"mode":"local","wait_limit":"0","expansion":"first","placement":"min-idle"`)
	want := clusterAnswer{Cost: "0", Rate: "2.4", Wait: 600, Slowdown: 1.1, Used: .715, Hours: 4e4 / 3600, Peak: 4, Jobs: 4,
		Starts: ask.Ints{0, 3000, 700, 9000}, At: ask.Ints{0, 700, 1300, 3000, 9000, 10000}, Held: ask.Ints{4, 4, 4, 4, 4, 4}, Busy: ask.Ints{2, 3, 2, 3, 4, 0},
		QueueAt: ask.Ints{600, 3000}, QueueJobs: ask.Ints{1, 0}, Queue: ask.Ints{3, 0}, Charged: ask.Ints{}, Grows: []grow{}}
	if diff := cmp.Diff(want, local, near); diff != "" {
		t.Errorf("local (-want +got):\n%s", diff)
	}
	nowait := answered[clusterAnswer](t, "cluster", jobs+`,"mode":"nowait","wait_limit":"0","expansion":"first","placement":"min-idle"`)
	want = clusterAnswer{Cost: "31.2", Rate: "2.4", Wait: (186 + 219 + 126 + 252) / 4., Used: 28600. / 3600 / 13, Hours: 13, Peak: 6, Jobs: 4,
		Slowdown: (1 + 186./3000 + 1 + 219./6000 + 1 + 126./600 + 1 + 252./1000) / 4,
		Starts:   ask.Ints{186, 819, 826, 9252}, Charged: ask.Ints{6, 3, 4}, Grows: []grow{},
		QueueAt: ask.Ints{0, 186, 600, 700, 819, 826, 9000, 9252}, QueueJobs: ask.Ints{1, 0, 1, 2, 1, 0, 1, 0}, Queue: ask.Ints{2, 0, 3, 4, 1, 0, 4, 0}}
	if diff := cmp.Diff(want, nowait, near, cmpopts.IgnoreFields(clusterAnswer{}, "At", "Held", "Busy")); diff != "" {
		t.Errorf("nowait (-want +got):\n%s", diff)
	}
	if n := len(nowait.At); n != len(nowait.Held) || n != len(nowait.Busy) || slices.Max(nowait.Held) != 6 || nowait.Held[n-1] != 0 {
		t.Errorf("levels: %v, %v, %v", nowait.At, nowait.Held, nowait.Busy)
	}
	// Job 3 waits for job 1's end at 186 + 3000, since the cluster grows for the first of the queue.
	sec := answered[clusterAnswer](t, "cluster", jobs+`,"mode":"sec","wait_limit":"5","expansion":"first","placement":"min-idle"`)
	if diff := cmp.Diff(ask.Ints{186, 819, 3186, 9252}, sec.Starts); diff != "" || math.Abs(sec.Wait-785.75) > 1e-9 {
		t.Errorf("starts, %v: %s", sec.Wait, diff)
	}
	hour := 3600
	if diff := cmp.Diff([]grow{
		{At: 0, By: 2, Cause: "size", Job: 1, Need: 2, Wait: 1000 * hour, Waiting: 1, Wanted: 2},
		{At: 600, By: 3, Cause: "size", Job: 2, Need: 3, Have: 2, Wait: 1000 * hour, Waiting: 1, Wanted: 3},
		{At: 9000, By: 4, Cause: "size", Job: 4, Need: 4, Wait: 1000 * hour, Waiting: 1, Wanted: 4},
	}, sec.Grows); diff != "" {
		t.Errorf("growths (-want +got):\n%s", diff)
	}
	// The second job fits behind the first, but would wait for an hour: longer than 5 minutes, and
	// shorter than 70.
	behind := `"jobs":[0,3600,3600,2,1, 600,600,900,2,2],"mode":"sec","expansion":"first","placement":"min-idle","wait_limit":`
	a := answered[clusterAnswer](t, "cluster", behind+`"5"`)
	if len(a.Grows) != 2 || a.Grows[1].Cause != "wait" || a.Grows[1].Wait != 186+3600-600 || a.Grows[1].Wanted != 2 || a.Grows[1].Waiting != 1 || a.Grows[1].Have != 2 {
		t.Errorf("growths: %+v", a.Grows)
	}
	if a := answered[clusterAnswer](t, "cluster", behind+`"70"`); len(a.Grows) != 1 || a.Starts[1] != 186+3600 {
		t.Errorf("with a limit of 70 minutes: %+v, starts %v", a.Grows, a.Starts)
	}
	// A limit of 0 is at once, not the default.
	if a := answered[clusterAnswer](t, "cluster", `"jobs":[0,3600,3600,2,1, 3600,600,900,2,2],"mode":"sec","expansion":"first","placement":"min-idle","wait_limit":"0"`); len(a.Grows) != 2 {
		t.Errorf("with a limit of 0: %+v", a.Grows)
	}
}

// A cluster of a fixed size holds the greatest job, and is busy for at most 80% of the time
// between the first and the last submission.
func TestEnough(t *testing.T) {
	job := func(at, run time.Duration, nodes int) trace.Job {
		return trace.Job{Submit: at * time.Hour, Run: run * time.Hour, Nodes: nodes}
	}
	for _, c := range []struct {
		want int
		jobs []trace.Job
	}{
		{3, []trace.Job{job(0, 9, 3)}},
		{5, []trace.Job{job(0, 1, 3), job(1, 1, 1)}},               // 4 hours in one, of 0.8
		{7, []trace.Job{job(0, 1, 3), job(0, 2, 1), job(1, 0, 1)}}, // 5 / 0.8 is 6.25
		{4, []trace.Job{job(5, 1, 3), job(7, 3, 1)}},               // 6 / 2 / 0.8 is 3.75
	} {
		if got := enough(c.jobs); got != c.want {
			t.Errorf("%+v: %d nodes, want %d", c.jobs, got, c.want)
		}
	}
}

// Each way to run the made-up day costs in the comparison what it costs alone.
func TestCompare(t *testing.T) {
	made, err := madeUp()
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(listed(made))
	if err != nil {
		t.Fatal(err)
	}
	a := answered[compareAnswer](t, "cluster/compare", `"jobs":`+string(text)+`,"mode":"local","wait_limit":"5","expansion":"first","placement":"min-margin"`)
	check := func(x compared, mode, placement string) {
		t.Helper()
		one := answered[clusterAnswer](t, "cluster", fmt.Sprintf(`"jobs":%s,"mode":%q,"wait_limit":"5","expansion":"first","placement":%q`, text, mode, placement))
		if x.Cost != one.Cost || x.Wait != one.Wait || x.Used != one.Used || x.Not != "" || x.Cost == "" {
			t.Errorf("%s, %s: %+v, alone %v, %v, %v", mode, placement, x, one.Cost, one.Wait, one.Used)
		}
	}
	for i, mode := range []string{"individual", "nowait", "sec"} {
		if a.Modes[i].Name != mode {
			t.Errorf("mode %d is %s", i, a.Modes[i].Name)
		}
		check(a.Modes[i], mode, "min-margin")
	}
	costs := map[ask.Amount]bool{}
	for i, p := range []string{"max-margin", "min-margin", "max-idle", "min-idle"} {
		if a.Placements[i].Name != p {
			t.Errorf("placement %d is %s", i, a.Placements[i].Name)
		}
		check(a.Placements[i], "sec", p)
		costs[a.Placements[i].Cost] = true
	}
	if len(a.Modes) != 3 || len(a.Placements) != 4 || len(costs) < 3 {
		t.Errorf("%+v", a)
	}
	// What the simulator does not take is said for each way.
	unsorted := `"jobs":[600,3000,3600,2,1, 0,6000,7200,3,2],"mode":"sec","wait_limit":"5","expansion":"first","placement":"min-idle"`
	says := "job 2 (submitted at 0 s) comes after job 1 (600 s): want them sorted by submission, then by ID"
	for _, x := range answered[compareAnswer](t, "cluster/compare", unsorted).Modes {
		if x.Not != says || x.Cost != "" {
			t.Errorf("%+v", x)
		}
	}
	wrong(t, unsorted, "jobs", says, "cluster")
	wrong(t, unsorted+`,"nodes":"6","take":"1","grace":"1","knowledge":"true"`, "jobs", says, "takeback")
}

// What a person got wrong stands beside its field, with the whole sentence.
func TestMistakes(t *testing.T) {
	const rest = `,"mode":"sec","expansion":"first","placement":"min-idle","wait_limit":"5","nodes":"9","take":"1","grace":"1","knowledge":"true","hours":3`
	all := []string{"cluster", "cluster/compare", "cluster/export", "takeback", "takeback/export", "federation/tasks"}
	wrong(t, `"jobs":[]`+rest, "jobs", "there is no job", all...)
	wrong(t, `"jobs":[1,2,3,4]`+rest, "jobs", "there is no job", all...)
	many := strings.Repeat("0,1,1,1,1,", 5000)
	wrong(t, `"jobs":[`+many+`0,1,1,1,1]`+rest, "jobs", "5,001 jobs: the page takes at most 5,000; the programs take more", all...)
	for _, c := range []struct{ job, says string }{
		{"-1,1,1,1,1", "submitted after -1s, ran 1s, asked for 1s, on 1 instances"},
		{"0,0,1,1,1", "submitted after 0s, ran 0s, asked for 1s, on 1 instances"},
		{"0,2,1,1,1", "submitted after 0s, ran 2s, asked for 1s, on 1 instances"},
		{"0,1,1,0,1", "submitted after 0s, ran 1s, asked for 1s, on 0 instances"},
		{"0,1,1,4097,1", "submitted after 0s, ran 1s, asked for 1s, on 4097 instances"},
		{"315360001,1,1,1,1", "submitted after 87600h0m1s, ran 1s, asked for 1s, on 1 instances"},
		{"0,1,315360001,1,1", "submitted after 0s, ran 1s, asked for 87600h0m1s, on 1 instances"},
	} {
		wrong(t, `"jobs":[0,1,1,1,1,`+c.job+`]`+rest, "jobs", "job 2: "+c.says+": want times above 0 and below ten years, and at most 4096 instances", all...)
	}
	if list, err := (jobList{0, 1, 1, 4096, 1, 315360000, 1, 315360000, 1, 1}).jobs(); err != nil || list[1].ID != 2 || list[1].Queue != -1 || list[1].Wait != -time.Second || list[1].User != 1 {
		t.Errorf("at the limits: %+v, %v", list, err)
	}
	var five jobList
	if err := json.Unmarshal([]byte("["+strings.TrimSuffix(many, ",")+"]"), &five); err != nil {
		t.Fatal(err)
	}
	if list, err := five.jobs(); err != nil || len(list) != 5000 {
		t.Errorf("5,000 jobs: %d, %v", len(list), err)
	}

	for text, says := range map[string]string{"-1": `"-1": want a number of minutes from 0 to 10,000`, "10001": `"10001": want a number of minutes from 0 to 10,000`,
		"x": `"x": want a number of minutes from 0 to 10,000`, "NaN": `"NaN": want a number of minutes from 0 to 10,000`} {
		wrong(t, fmt.Sprintf(`%s,"mode":"sec","expansion":"first","placement":"min-idle","wait_limit":%q`, jobs, text), "wait_limit", says, "cluster", "cluster/compare", "cluster/export")
		wrong(t, fmt.Sprintf(`%s,"nodes":"6","take":"1","knowledge":"true","grace":%q`, jobs, text), "grace", says, "takeback", "takeback/export")
		wrong(t, fmt.Sprintf(`%s,"nodes":"6","take":"1","knowledge":"true","grace":"1","saves":%q`, jobs, text), "saves", says, "takeback", "takeback/export")
	}
	for text, want := range map[string]time.Duration{"0": 0, " 1.5 ": 90 * time.Second, "10000": 10000 * time.Minute, "0.01": time.Second} {
		if got, err := minutes("f", text); err != nil || got != want {
			t.Errorf("%q minutes: %v, %v, want %v", text, got, err, want)
		}
	}
	wrong(t, jobs+`,"mode":"sec","expansion":"first","placement":"random","wait_limit":"5"`, "placement", "random: want a placement that does not depend on chance", "cluster", "cluster/compare", "cluster/export")
	for _, c := range []struct{ question, field, text string }{
		{`"nodes":"0"`, "nodes", `"0": want a whole number of nodes from 1 to 400`},
		{`"nodes":"401"`, "nodes", `"401": want a whole number of nodes from 1 to 400`},
		{`"nodes":"3"`, "nodes", "3: job 4 needs 4: want at least as many"},
		{`"nodes":"4","take":"5"`, "take", `"5": want a whole number of nodes from 0 to 4`},
		{`"nodes":"4","take":"-1"`, "take", `"-1": want a whole number of nodes from 0 to 4`},
		{`"nodes":"4","take":"4","grace":"0","saves":"1"`, "saves", `"1": want more minutes than a save takes, which is 1, or nothing for jobs that do not save`},
		{`"nodes":"4","take":"4","grace":"0","saves":"1.5","knowledge":"all"`, "knowledge", `"all": want true, requested or none`},
	} {
		wrong(t, jobs+","+c.question, c.field, c.text, "takeback", "takeback/export")
	}
}

// The command line has the jobs in the Standard Workload Format, and the choices of the page.
func TestExports(t *testing.T) {
	const swf = "1 0 -1 3000 2 -1 -1 2 3600 -1 1 1 -1 -1 -1 -1 -1 -1\n2 600 -1 6000 3 -1 -1 3 7200 -1 1 2 -1 -1 -1 -1 -1 -1\n" +
		"3 700 -1 600 1 -1 -1 1 900 -1 1 1 -1 -1 -1 -1 -1 -1\n4 9000 -1 1000 4 -1 -1 4 1000 -1 1 3 -1 -1 -1 -1 -1 -1\n"
	for _, c := range []struct{ question, flags string }{
		{`"mode":"sec","wait_limit":"5","expansion":"first","placement":"min-idle"`, "-mode sec -wait-limit 5m -expansion first -placement min-idle"},
		{`"mode":"sec","wait_limit":"0","expansion":"first","placement":"max-margin"`, "-mode sec -wait-limit 0s -expansion first -placement max-margin"},
		{`"mode":"local","wait_limit":"5","expansion":"first","placement":"min-idle"`, "-mode local -nodes 4"},
		{`"mode":"nowait","wait_limit":"5","expansion":"first","placement":"min-idle"`, "-mode nowait -placement min-idle"},
	} {
		want := ask.Export{Command: "go run github.com/plimsoll/plimsoll/examples/tools/sec@latest -trace jobs.swf -cores-per-node 1 " + c.flags, Files: []ask.File{{Name: "jobs.swf", Text: swf}}}
		if diff := cmp.Diff(want, answered[ask.Export](t, "cluster/export", jobs+","+c.question)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
	// The programs are Go, and have the numbers of the page.
	program := func(room, question string, lines ...string) ask.Export {
		t.Helper()
		e := answered[ask.Export](t, room, question)
		if _, err := parser.ParseFile(token.NewFileSet(), "main.go", e.Files[0].Text, 0); err != nil || e.Files[0].Name != "main.go" {
			t.Errorf("%s: %s: %v", room, e.Files[0].Name, err)
		}
		for _, line := range lines {
			if !strings.Contains(e.Files[0].Text, line+"\n") {
				t.Errorf("%s: there is no line %q in\n%s", room, line, e.Files[0].Text)
			}
		}
		return e
	}
	moment := jobs + `,"nodes":"6","at":1000,"take":"3","grace":"10"`
	e := program("takeback/export", moment+`,"saves":"7","knowledge":"requested"`,
		"// Takes 3 nodes of a partition, and prints what that wastes by the least waste and by PAP.",
		"\tstate := preempt.State{Node: []int{0, 0, 1, 1, 1, 2}, Jobs: []preempt.Job{",
		"\t\t{Nodes: 2, Elapsed: 1000 * time.Second, Requested: 3600 * time.Second, Priority: 10, Checkpoint: &preempt.Checkpoint{Saved: 840 * time.Second, Every: 420 * time.Second, Cost: 60 * time.Second}},",
		"\t}}", "\tremaining := []time.Duration{2000 * time.Second, 5600 * time.Second, 300 * time.Second}", "\tp := preempt.Preemption{Take: 3, Grace: 600 * time.Second}",
		"\tp.Outlast = make([]float64, len(state.Jobs))", "\tpreempt.RequestedTo(p.Outlast, state.Jobs, p.Grace)", `	show("exact")`)
	if e.Command != "go mod init take && go get github.com/plimsoll/plimsoll@latest && go run ." {
		t.Errorf("%q", e.Command)
	}
	program("takeback/export", moment+`,"knowledge":"true"`, "\tpreempt.OutlastTo(p.Outlast, remaining, p.Grace)", "\t\t{Nodes: 1, Elapsed: 300 * time.Second, Requested: 900 * time.Second, Priority: 10},")
	if e := program("takeback/export", moment+`,"knowledge":"none"`); strings.Contains(e.Files[0].Text, "Outlast =") {
		t.Error("what nobody knows is in the program")
	}
	e = program("federation/export", strings.Replace(lending, `"B"`, `"B\nx"`, 1)+`,"price":"midpoint"`,
		"\t\t{Reserved: slices.Repeat([]int{2}, 30), Demand: make([]int, 30), OnDemand: must(pricing.ParseMoney(\"1\")), Fee: must(pricing.ParseMoney(\"6\")), Term: 24, Traffic: must(pricing.ParseMoney(\"0.5\"))}, // A",
		"\t\t{Reserved: slices.Repeat([]int{1}, 30), Demand: make([]int, 30), OnDemand: must(pricing.ParseMoney(\"0.8\")), Fee: must(pricing.ParseMoney(\"4\")), Term: 24, Traffic: must(pricing.ParseMoney(\"0.25\"))}, // B x",
		"\tfor i, opts := range []federation.Options{{Order: federation.Alone}, {Price: federation.Midpoint}} {", "\tcentres := []federation.Centre{")
	want := "home,start,end,instances,disk\n0,0,4,3,1000000000\n1,1,3,1,2000000000\n0,5,6,2,0\n1,10,12,2,500000000\n"
	if len(e.Files) != 2 || e.Files[1].Name != "tasks.csv" || e.Files[1].Text != want || e.Command != "go mod init lend && go get github.com/plimsoll/plimsoll@latest && go run ." {
		t.Errorf("%q: %+v", e.Command, e.Files[1:])
	}
	program("federation/export", lending+`,"price":"lender"`, "\tfor i, opts := range []federation.Options{{Order: federation.Alone}, {Price: federation.LenderFee}} {")
	program("federation/export", lending+`,"price":"free"`, "\tfor i, opts := range []federation.Options{{Order: federation.Alone}, {Price: federation.Unpaid}} {")
}

// By hand. At 1,000 s jobs 1 to 3 have run for 1000, 400 and 300 s on two, three and one of six
// nodes. Ten minutes later job 3 has ended. What job 2 loses is what it has run and will have,
// 3 · (400 + 600); with saves each 7 minutes, what it runs after a save at 840 s. User 1's jobs count
// ten times.
func TestTakeBack(t *testing.T) {
	moment := jobs + `,"nodes":"6","at":1000,"take":"3","grace":"10"`
	a := answered[takeAnswer](t, "takeback", moment+`,"saves":" ","knowledge":"true"`)
	want := takeAnswer{Node: []int{0, 0, 1, 1, 1, 2}, Jobs: []takeJob{{1, 2, 1000, 3600, 2000, 0, 10}, {2, 3, 400, 7200, 5600, 0, 1}, {3, 1, 300, 900, 300, 0, 10}}}
	if diff := cmp.Diff(want, a, cmpopts.IgnoreFields(takeAnswer{}, "Ways")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]takeWay{
		{"exact", []int{2, 3, 4}, []int{1}, "3000 node-seconds", 3000. / 3600},
		{"greedy", []int{2, 3, 4}, []int{1}, "3000 node-seconds", 3000. / 3600},
		{"lifo", []int{2, 3, 5}, []int{1, 2}, "3000 node-seconds", 3000. / 3600},
		{"pap", []int{2, 3, 5}, []int{1, 2}, "3000 node-seconds", 3000. / 3600},
		{"pap+", []int{2, 3, 4}, []int{1}, "3000 node-seconds", 3000. / 3600},
		{"fifo", []int{0, 1, 2}, []int{0, 1}, "6200 node-seconds", 6200. / 3600}, // and 2 · (1000 + 600)
	}, a.Ways[:6], near); diff != "" {
		t.Errorf("ways (-want +got):\n%s", diff)
	}
	if len(a.Ways) != 8 || a.Ways[6].Name != "random" || a.Ways[7].Name != "blind" || len(a.Ways[6].Taken) != 3 {
		t.Errorf("%+v", a.Ways)
	}
	a = answered[takeAnswer](t, "takeback", moment+`,"saves":"7","knowledge":"requested"`)
	if a.Jobs[0].Saved != 840 || a.Jobs[1].Saved != 0 || a.Ways[0].Waste != "480 node-seconds" || a.Ways[5].Waste != "1160 node-seconds" {
		t.Errorf("with saves: %+v", a)
	}
	// Requests tell that job 3 may outlast the grace period of 6 minutes, and the truth that it does not.
	short := strings.Replace(moment, `"10"`, `"6"`, 1)
	for knowledge, hit := range map[string][]int{"true": {2}, "requested": {1}, "none": {1}} {
		a := answered[takeAnswer](t, "takeback", strings.Replace(short, `"take":"3"`, `"take":"1"`, 1)+fmt.Sprintf(`,"knowledge":%q`, knowledge))
		if knowledge == "true" && a.Ways[0].Waste != "0 node-seconds" || a.Ways[0].Waste == "" {
			t.Errorf("%s: %+v", knowledge, a.Ways[0])
		}
		if knowledge == "true" && cmp.Diff(hit, a.Ways[0].Hit) != "" {
			t.Errorf("%s: %v is hit", knowledge, a.Ways[0].Hit)
		}
	}
	// Later: jobs 1 and 3 have ended, and a job takes the lowest free nodes. One that ends now does
	// not run; one that starts now does.
	for _, c := range []struct {
		at   int
		node []int
		idle int
	}{
		{-1, []int{-1, -1, -1, -1, -1, -1}, 6}, {0, []int{0, 0, -1, -1, -1, -1}, 4}, {4000, []int{-1, -1, 0, 0, 0, -1}, 3}, {2999, []int{0, 0, 1, 1, 1, -1}, 1},
		{3000, []int{-1, -1, 0, 0, 0, -1}, 3}, {9000, []int{0, 0, 0, 0, -1, -1}, 2}, {10000, []int{-1, -1, -1, -1, -1, -1}, 6},
	} {
		a := answered[takeAnswer](t, "takeback", fmt.Sprintf(`%s,"nodes":"6","at":%d,"take":"0","grace":"0","knowledge":"none"`, jobs, c.at))
		if diff := cmp.Diff(c.node, a.Node); diff != "" || a.Idle != c.idle || a.Jobs == nil || len(a.Ways[0].Taken) != 0 || a.Ways[0].Taken == nil || a.Ways[0].Hit == nil {
			t.Errorf("at %d: %d idle, jobs %v, taken %v (-want +got)\n%s", c.at, a.Idle, a.Jobs, a.Ways[0].Taken, diff)
		}
	}
	// On four nodes job 2 waits for job 1, and takes its nodes: the order is of the starts.
	a = answered[takeAnswer](t, "takeback", jobs+`,"nodes":"4","at":3100,"take":"0","grace":"0","knowledge":"none"`)
	if diff := cmp.Diff([]int{0, 0, 0, -1}, a.Node); diff != "" || a.Jobs[0] != (takeJob{2, 3, 100, 7200, 5900, 0, 1}) {
		t.Errorf("after a wait: %+v\n%s", a.Jobs, diff)
	}
	// Job 3 starts before job 2, which waits, and has taken node 2 by then.
	a = answered[takeAnswer](t, "takeback", `"jobs":[0,3000,3600,2,1, 600,6000,7200,3,2, 700,6000,6000,1,1],"nodes":"4","at":3100,"take":"0","grace":"0","knowledge":"none"`)
	if diff := cmp.Diff([]int{0, 0, 1, 0}, a.Node); diff != "" {
		t.Error(diff)
	}
	// Jobs of 2, 3, 1 and 2 nodes have run for 90, 60, 50 and 40 s. Four nodes cost 60 · 3 + 50 at least;
	// greedy takes the last job, and the first.
	a = answered[takeAnswer](t, "takeback", `"jobs":[0,9000,9000,2,2, 30,9000,9000,3,2, 40,9000,9000,1,2, 50,9000,9000,2,2],"nodes":"8","at":90,"take":"4","grace":"0","knowledge":"none"`)
	if diff := cmp.Diff([]takeWay{{"exact", []int{2, 3, 4, 5}, []int{1, 2}, "230 node-seconds", 230. / 3600}, {"greedy", []int{0, 1, 6, 7}, []int{0, 3}, "260 node-seconds", 260. / 3600}}, a.Ways[:2], near); diff != "" {
		t.Errorf("exact and greedy (-want +got):\n%s", diff)
	}
	// A node is free in the second in which its job ends.
	a = answered[takeAnswer](t, "takeback", `"jobs":[0,100,100,1,1, 100,100,100,1,2],"nodes":"2","at":150,"take":"0","grace":"0","knowledge":"none"`)
	if diff := cmp.Diff([]int{0, -1}, a.Node); diff != "" {
		t.Error(diff)
	}
}

// Two centres for 30 hours, with a reservation of two days each. Tasks: home, from, until,
// instances, megabytes.
const lending = `"hours":30,"centres":[{"name":"A","reserved":2,"on_demand":"1","fee":"6","traffic":"0.5"},{"name":"B","reserved":1,"on_demand":"0.8","fee":"4","traffic":"0.25"}],` +
	`"tasks":[0,0,4,3,1000, 1,1,3,1,2000, 0,5,6,2,0, 1,10,12,2,500]`

// By hand. Fees: 2 · 2 · 6 + 2 · 4 = 32. Alone, A's first task has an instance on demand for four
// hours, 4, and B's last one for two, 1.60. Together, A's instance goes to B, for 0.50 of traffic,
// where it has B's reservation in hours 0 and 3, and is on demand for 1.60; B's goes to A for 0.125.
// The lender's fee of an hour is 6/24 of A and 4/24 of B; in the middle to the price on demand it is
// 0.625 and 0.4833.
func TestFederation(t *testing.T) {
	hours := func(at map[int]int) ask.Ints {
		list := make(ask.Ints, 30)
		for h, n := range at {
			list[h] = n
		}
		return list
	}
	a0 := centreAnswer{Alone: "28", Demand: hours(map[int]int{0: 3, 1: 3, 2: 3, 3: 3, 5: 2}), Own: hours(map[int]int{0: 2, 1: 2, 2: 2, 3: 2, 5: 2}),
		Borrowed: hours(map[int]int{0: 1, 3: 1}), Bought: hours(map[int]int{1: 1, 2: 1}), Guests: hours(map[int]int{10: 1, 11: 1})}
	b0 := centreAnswer{Alone: "9.6", Demand: hours(map[int]int{1: 1, 2: 1, 10: 2, 11: 2}), Own: hours(map[int]int{1: 1, 2: 1, 10: 1, 11: 1}),
		Borrowed: hours(map[int]int{10: 1, 11: 1}), Bought: hours(nil), Guests: hours(map[int]int{0: 1, 3: 1})}
	for _, c := range []struct {
		price              string
		a, b               [3]ask.Amount // shared, paid, received
		leaseOfA, leaseOfB ask.Amount
	}{
		{"lender", [3]ask.Amount{"25.933333332", "0.333333332", "0.5"}, [3]ask.Amount{"8.291666668", "0.5", "0.333333332"}, "0.333333332", "0.5"},
		{"midpoint", [3]ask.Amount{"25.816666666", "0.966666666", "1.25"}, [3]ask.Amount{"8.408333334", "1.25", "0.966666666"}, "0.966666666", "1.25"},
		{"free", [3]ask.Amount{"26.1", "0", "0"}, [3]ask.Amount{"8.125", "0", "0"}, "0", "0"},
	} {
		a, b := a0, b0
		a.Shared, a.Paid, a.Received = c.a[0], c.a[1], c.a[2]
		b.Shared, b.Paid, b.Received = c.b[0], c.b[1], c.b[2]
		want := federationAnswer{Alone: "37.6", Shared: "34.225", Fees: "32", Centres: []centreAnswer{a, b},
			Flows: []flowAnswer{{0, 1, 2, c.leaseOfA, 1}, {1, 0, 2, c.leaseOfB, .5}}}
		if diff := cmp.Diff(want, answered[federationAnswer](t, "federation", lending+fmt.Sprintf(`,"price":%q`, c.price)), near); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.price, diff)
		}
		if got := answered[optimumAnswer](t, "federation/optimum", lending+fmt.Sprintf(`,"price":%q`, c.price)); got != (optimumAnswer{"34.225", "34.225", true}) {
			t.Errorf("%s: the optimum is %+v", c.price, got)
		}
	}
	// The order of the tasks in the question does not matter.
	mixed := strings.Replace(lending, "0,0,4,3,1000, 1,1,3,1,2000, 0,5,6,2,0, 1,10,12,2,500", "1,10,12,2,500, 0,0,4,3,1000, 0,5,6,2,0, 1,1,3,1,2000", 1)
	if a, b := answered[federationAnswer](t, "federation", lending+`,"price":"lender"`), answered[federationAnswer](t, "federation", mixed+`,"price":"lender"`); cmp.Diff(a, b) != "" {
		t.Error(cmp.Diff(a, b))
	}
	if e := answered[ask.Export](t, "federation/export", mixed+`,"price":"lender"`); e.Files[1].Text != "home,start,end,instances,disk\n0,0,4,3,1000000000\n1,1,3,1,2000000000\n0,5,6,2,0\n1,10,12,2,500000000\n" {
		t.Errorf("the tasks in their order: %s", e.Files[1].Text)
	}
	// A centre that only buys on demand elsewhere has a flow, too; one that has all it needs has none.
	only := `"hours":2,"price":"free","centres":[{"on_demand":"1","fee":"0","traffic":"0"},{"on_demand":"0.5","fee":"0","traffic":"0"}],"tasks":[0,0,1,1,1000]`
	if a := answered[federationAnswer](t, "federation", only); cmp.Diff([]flowAnswer{{0, 1, 0, "0", 1}}, a.Flows) != "" || a.Shared != "0.5" {
		t.Errorf("on demand elsewhere: %+v", a)
	}
	if a := answered[federationAnswer](t, "federation", strings.Replace(only, "[0,0,1,1,1000]", "[]", 1)); a.Flows != nil || a.Shared != "0" {
		t.Errorf("no tasks: %+v", a)
	}

	all := []string{"federation", "federation/optimum", "federation/export"}
	const says = ": want a centre, hours of the window and at least an instance"
	centre := `{"name":"A","reserved":2,"on_demand":"1","fee":"6","traffic":"0.5"}`
	for _, c := range []struct{ from, to, field, text string }{
		{`"hours":30`, `"hours":0`, "tasks", "0 hours: want from 1 to 744"},
		{`"hours":30`, `"hours":745`, "tasks", "745 hours: want from 1 to 744"},
		{`[{"name":"A","reserved":2,"on_demand":"1","fee":"6","traffic":"0.5"},{"name":"B","reserved":1,"on_demand":"0.8","fee":"4","traffic":"0.25"}]`, "[]", "tasks", "0 centres: want from 1 to 4"},
		{centre, strings.Repeat(centre+",", 3) + centre, "tasks", "5 centres: want from 1 to 4"},
		{`2,500]`, `2]`, "tasks", "3 tasks: the page takes at most 20,000; examples/tools/federation takes more"},
		{`[0,0,4,3,1000,`, "[" + strings.Repeat("0,0,4,3,1000,", 20_000), "tasks", "20,003 tasks: the page takes at most 20,000; examples/tools/federation takes more"},
		{`"price":"lender"`, `"price":"dear"`, "price", `"dear": want lender, midpoint or free`},
		{`1,1,3,1,2000`, `2,1,3,1,2000`, "tasks", "task 2: centre 2, hours 1 to 3, 1 instances, 2000000000 bytes" + says},
		{`1,1,3,1,2000`, `-1,1,3,1,2000`, "tasks", "task 2: centre -1, hours 1 to 3, 1 instances, 2000000000 bytes" + says},
		{`1,1,3,1,2000`, `1,-1,3,1,2000`, "tasks", "task 2: centre 1, hours -1 to 3, 1 instances, 2000000000 bytes" + says},
		{`1,1,3,1,2000`, `1,3,3,1,2000`, "tasks", "task 2: centre 1, hours 3 to 3, 1 instances, 2000000000 bytes" + says},
		{`1,1,3,1,2000`, `1,3,31,1,2000`, "tasks", "task 2: centre 1, hours 3 to 31, 1 instances, 2000000000 bytes" + says},
		{`1,1,3,1,2000`, `1,1,3,0,2000`, "tasks", "task 2: centre 1, hours 1 to 3, 0 instances, 2000000000 bytes" + says},
		{`1,1,3,1,2000`, `1,1,3,100001,2000`, "tasks", "task 2: centre 1, hours 1 to 3, 100001 instances, 2000000000 bytes" + says},
		{`1,1,3,1,2000`, `1,1,3,1,-1`, "tasks", "task 2: centre 1, hours 1 to 3, 1 instances, -1000000 bytes" + says},
		{`"on_demand":"0.8"`, `"on_demand":"x"`, "centres.1.on_demand", `"x" is no price: want a number from 0 to 9 billion with at most 9 decimals, such as 0.4`},
		{`"fee":"4"`, `"fee":"-4"`, "centres.1.fee", `"-4" is negative: want a price of 0 or more`},
		{`"traffic":"0.25"`, `"traffic":"-4"`, "centres.1.traffic", `"-4" is negative: want a price of 0 or more`},
		{`"reserved":1`, `"reserved":-1`, "centres.1.reserved", "-1: want a number of instances from 0 to 100,000"},
		{`"reserved":1`, `"reserved":100001`, "centres.1.reserved", "100001: want a number of instances from 0 to 100,000"},
		{`"reserved":1,"on_demand":"0.8","fee":"4"`, `"reserved":100000,"on_demand":"0.8","fee":"9000000000"`, "centres.1.fee", "the fees do not fit in an amount of money"},
	} {
		question := strings.Replace(lending+`,"price":"lender"`, c.from, c.to, 1)
		if question == lending+`,"price":"lender"` {
			t.Fatalf("%q is not in the question", c.from)
		}
		wrong(t, question, c.field, c.text, all...)
	}
	wrong(t, strings.Replace(lending, `"on_demand":"0.8"`, `"on_demand":"9000000000"`, 1)+`,"price":"lender"`, "tasks",
		"9000000000 on demand and 4 for 24 slots reserved do not fit over 30 slots: want lower prices", "federation", "federation/optimum")
	for name, question := range map[string]string{
		"the last hour": strings.Replace(lending, `1,1,3,1,2000`, `1,29,30,100000,2000`, 1), "a month": strings.Replace(lending, `"hours":30`, `"hours":744`, 1),
		"an hour of a centre": `"hours":1,"centres":[` + centre + `],"tasks":[0,0,1,1,0]`,
		"many tasks":          strings.Replace(lending, `[0,0,4,3,1000,`, "["+strings.Repeat("0,0,1,1,0,", 19_997), 1),
		"four centres":        strings.Replace(lending, centre, centre+","+centre+","+centre, 1), "many reservations": strings.Replace(lending, `"reserved":1,`, `"reserved":100000,`, 1),
	} {
		if got := answered[mistaken](t, "federation", question+`,"price":"lender"`); got.Error.Text != "" {
			t.Errorf("%s: %+v", name, got.Error)
		}
	}
	// One day's fees for each day begun.
	for hours, want := range map[string]ask.Amount{"24": "16", "25": "32"} {
		question := strings.Replace(lending, `"hours":30`, `"hours":`+hours, 1) + `,"price":"lender"`
		if a := answered[federationAnswer](t, "federation", question); a.Fees != want {
			t.Errorf("%s hours: fees of %v, want %v", hours, a.Fees, want)
		}
	}
}

// A reservation of a day for 1.2 pays where an instance at 0.1 an hour is needed for half of the time.
func TestPays(t *testing.T) {
	for _, c := range []struct {
		demand        []int
		onDemand, fee string
		want          int
	}{
		{[]int{4, 1, 3, 2}, "0.1", "1.2", 3},
		{[]int{4, 1, 3, 2}, "0.1", "1.21", 2}, // more than half
		{[]int{4, 1, 3, 2}, "0.1", "2.3", 1},
		{[]int{4, 1, 3, 2}, "0.1", "2.5", 0}, // never
		{[]int{4, 1, 3, 2}, "0.1", "0.01", 4},
		{[]int{4, 1, 3, 2}, "0.1", "0", 0},
	} {
		if got := pays(c.demand, centreQuestion{OnDemand: c.onDemand, Fee: c.fee}); got != c.want {
			t.Errorf("%v at %s and %s: %d, want %d", c.demand, c.onDemand, c.fee, got, c.want)
		}
	}
}

// A job is a task in each hour that it touches, up to the end of the window.
func TestTasksOfLog(t *testing.T) {
	type answer struct {
		Tasks ask.Ints
		Peak  int
		Error ask.Mistake
	}
	// The last figures are drawn.
	a := answered[answer](t, "federation/tasks", `"jobs":[0,3600,3600,2,1, 3599,2,7200,3,2, 7199,600,900,1,1, 7200,1000,1000,4,3],"home":1,"hours":2`)
	var plain ask.Ints
	for i := 0; i+4 < len(a.Tasks); i += 5 {
		plain = append(plain, a.Tasks[i:i+4]...)
		if d := a.Tasks[i+4]; d < 10 || d > 40_000 {
			t.Errorf("%d megabytes", d)
		}
	}
	if diff := cmp.Diff(ask.Ints{1, 0, 1, 2, 1, 0, 2, 3, 1, 1, 2, 1}, plain); diff != "" || a.Peak != 5 {
		t.Errorf("a peak of %d, and (-want +got)\n%s", a.Peak, diff)
	}
	other := answered[answer](t, "federation/tasks", jobs+`,"home":2,"hours":744`)
	if len(other.Tasks) != 20 || other.Tasks[4] == a.Tasks[4] || other.Tasks[16] != 2 || other.Tasks[17] != 3 || other.Peak != 6 {
		t.Errorf("%v, a peak of %d", other.Tasks, other.Peak)
	}
	if a := answered[answer](t, "federation/tasks", jobs+`,"home":2,"hours":1`); len(a.Tasks) != 15 || a.Peak != 6 || a.Tasks[7] != 1 {
		t.Errorf("one hour: %+v", a)
	}
	for hours, says := range map[string]string{"0": "0 hours: want from 1 to 744", "-2": "-2 hours: want from 1 to 744", "745": "745 hours: want from 1 to 744"} {
		wrong(t, jobs+`,"home":1,"hours":`+hours, "tasks", says, "federation/tasks")
	}
}

// What is made up is what the rooms take, and like what its comments say.
func TestMadeUp(t *testing.T) {
	made, err := madeUp()
	if err != nil {
		t.Fatal(err)
	}
	users, above := map[int]bool{}, 0
	for i, j := range made {
		users[j.User] = true
		if j.Estimate >= j.Run+time.Minute {
			above++
		}
		if j.ID != int64(i+1) || j.Submit < 0 || j.Submit >= 24*time.Hour || j.Submit%time.Second != 0 || i > 0 && j.Submit < made[i-1].Submit ||
			j.Run <= 0 || j.Run > 12*time.Hour || j.Estimate < j.Run || j.Estimate > 24*time.Hour || j.Estimate%time.Minute != 0 && j.Estimate != j.Run || j.Nodes < 1 || j.Nodes > 48 {
			t.Errorf("job %d: %+v", i, j)
		}
	}
	if len(made) != 114 || made[0].Submit != 0 || len(users) < 6 || len(users) > 12 || above < 57 {
		t.Errorf("%d jobs of %d users, %d of which ask for more than they need", len(made), len(users), above)
	}
	type answer struct {
		Jobs  jobList
		About string
		Error ask.Mistake
	}
	if a := answered[answer](t, "clusters/read", `"form":"made-up"`); cmp.Diff(listed(made), a.Jobs) != "" {
		t.Error(cmp.Diff(listed(made), a.Jobs))
	}
	odd := []trace.Job{{Submit: 1500 * time.Millisecond, Run: 1500 * time.Millisecond, Estimate: 1900 * time.Millisecond, Nodes: 3, User: 4}, {Run: time.Second, Estimate: 5 * time.Second, Nodes: 1}}
	if diff := cmp.Diff(jobList{1, 2, 2, 3, 4, 0, 1, 5, 1, 0}, listed(odd)); diff != "" {
		t.Errorf("listed (-want +got):\n%s", diff)
	}

	q := answered[federationQuestion](t, "federation/made-up", "")
	tasks, demand := make([]int, 3), [3][168]int{}
	night, noon, weekend, week := 0, 0, 0, 0
	for i := 0; i < len(q.Tasks); i += 5 {
		home, from, end, n, disk := q.Tasks[i], q.Tasks[i+1], q.Tasks[i+2], q.Tasks[i+3], q.Tasks[i+4]
		tasks[home]++
		if end <= from || end > 168 || from < 0 || disk < 0 || disk > 40_000 || end-from > 21 {
			t.Errorf("task %v", q.Tasks[i:i+5])
		}
		for h := from; h < end; h++ {
			demand[home][h] += n
		}
		switch local := from + []int{1, -8, 8}[home] + 168; {
		case local/24%7 >= 5:
			weekend++
		default:
			week++
			if local%24 >= 9 && local%24 < 15 {
				noon++
			} else if local%24 < 6 {
				night++
			}
		}
	}
	// 80, 60 and 44 jobs of a working day, 40% of that on two days of seven.
	for i, daily := range []float64{80, 60, 44} {
		if want := daily * 5.8; float64(tasks[i]) < .85*want || float64(tasks[i]) > 1.15*want {
			t.Errorf("centre %d has %d tasks, want about %v", i, tasks[i], want)
		}
		share := 0
		for _, d := range demand[i] {
			if d >= q.Centres[i].Reserved {
				share++
			}
		}
		// The share of the time that pays: 0.80/0.075/24, 0.75/0.06/24 and 0.715/0.065/24.
		if pay := []float64{.8 / .075, .75 / .06, .715 / .065}[i] / 24 * 168; float64(share) < pay || q.Centres[i].Reserved < 10 {
			t.Errorf("centre %d reserves %d, which are busy in %d hours, want %v", i, q.Centres[i].Reserved, share, pay)
		}
	}
	if noon < 4*night || float64(weekend)/float64(week) > .2 || q.Hours != 168 || q.Price != "lender" || len(q.Centres) != 3 || q.Centres[1].Name != "San Diego" {
		t.Errorf("%d tasks come at night, %d around noon; %d on weekends, %d in the week; %+v", night, noon, weekend, week, q.Centres)
	}

	const log = `; Version: 2\n1 100 -1 60 2 -1 -1 2 90 -1 1 1 -1 -1 -1 -1 -1 -1\n2 160 -1 30 1 -1 -1 1 10 -1 1 7 -1 -1 -1 -1 -1 -1\n3 170 -1 -1 1 -1 -1 1 10 -1 1 7 -1 -1 -1 -1 -1 -1\n`
	want := answer{Jobs: jobList{0, 60, 90, 2, 1, 60, 30, 30, 1, 7}, About: "3 records, 2 jobs, 1 left out\n  left out: run time unknown: 1\n  changed: estimate raised to the run time: 1"}
	if diff := cmp.Diff(want, answered[answer](t, "clusters/read", `"form":"jobs","text":"`+log+`"`)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	line := func(nodes int) string {
		return fmt.Sprintf(`1 100 -1 60 %d -1 -1 2 90 -1 1 1 -1 -1 -1 -1 -1 -1\n`, nodes)
	}
	wrong(t, `"form":"jobs","text":"`+line(4097)+`"`, "jobs", "job 1: submitted after 0s, ran 1m0s, asked for 1m30s, on 4097 instances: want times above 0 and below ten years, and at most 4096 instances", "clusters/read")
	wrong(t, `"form":"jobs","name":"a.swf","text":"`+strings.Repeat(line(1), 5001)+`"`, "jobs", "a.swf has 5,001 jobs: the page takes at most 5,000; examples/tools/sec and examples/tools/preempt take all", "clusters/read")
	if a := answered[answer](t, "clusters/read", `"form":"jobs","text":"`+strings.Repeat(line(1), 5000)+`"`); len(a.Jobs) != 25_000 {
		t.Errorf("5,000 jobs: %+v", a.Error)
	}
	wrong(t, `"form":"jobs","name":"a.swf","text":"; nothing\n"`, "jobs", "a.swf: there is no job in it", "clusters/read")
}
