//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	proc "github.com/plimsoll/plimsoll/examples/internal/processes"
	"github.com/plimsoll/plimsoll/examples/internal/programtest"
)

var carrying = programtest.Program{Name: "cap3 run", Run: runProgram.Run}

// On the made-up clock, every rule costs what the simulator says.
func TestRunMadeUp(t *testing.T) {
	tasks := programtest.Write(t, "tasks.csv",
		"name,estimate,deadline,instances,checkpoint,runtime\nsmall,20m,2h,2,,\nlong,5h,12h,8,30m,4h50m\nurgent,1h,1h20m,1,,\nlate,1h,10m,1,,\n")
	for _, w := range rules {
		stdout, _ := undone(t, "of 4 tasks 1 missed the deadline", "-tasks", tasks, "-rule", w.name, "-json")
		for _, r := range programtest.Rows[map[string]any](t, stdout) {
			if r["cost"] != r["simulated_cost"] || r["done"] != true || r["met"] != (r["task"] != "late") {
				t.Errorf("%s: %v", w.name, r)
			}
		}
	}
	text, _ := undone(t, "of 4 tasks 1 missed the deadline", "-tasks", tasks)
	if !strings.Contains(text, "3 of 4 tasks met their deadlines") || !strings.Contains(text, "the same") {
		t.Errorf("%s", text)
	}
}

// What run writes, whole, where a price above all bids comes every twelve hours for half an
// hour: who bids loses the hour begun, which is free, and goes on from the last checkpoint.
func TestRunTexts(t *testing.T) {
	tasks := programtest.Write(t, "tasks.csv",
		"name,estimate,deadline,instances,checkpoint,runtime\nsmall,20m,2h,2,,\nlong,5h,20h,8,30m,4h50m\nurgent,1h,1h20m,1,,\nlate,1h,10m,1,,\nlonger,9h,40h,1,,\n")
	spikes := "AvailabilityZone,InstanceType,ProductDescription,SpotPrice,Timestamp\n"
	for d := range 80 {
		from := time.Date(2013, 1, 1, 12*d, 0, 0, 0, time.UTC)
		for after, price := range map[time.Duration]float64{0: .21 + .01*float64(d%3), 2 * time.Hour: 1.5, 150 * time.Minute: .215} {
			spikes += fmt.Sprintf("a,cc1.4xlarge,Linux/UNIX,%.3f,%s\n", price, from.Add(after).Format(time.RFC3339))
		}
	}
	path := programtest.Write(t, "spot.csv", spikes)
	for _, rule := range []string{"paper", "planned"} {
		text, notes := undone(t, "of 5 tasks 1 missed the deadline", "-tasks", tasks, "-spot", path, "-rule", rule)
		programtest.Golden(t, "texts/run-"+rule+".txt", text+"Notes:\n"+regexp.MustCompile(`t[0-9a-f]{8}-`).ReplaceAllString(notes, "ID-"))
	}
}

func TestRunMistakes(t *testing.T) {
	write := func(text string) string { return programtest.Write(t, "tasks.csv", text) }
	carrying.Mistake(t, "there is no task in it", "-tasks", write("name,estimate,deadline\n"))
	carrying.Mistake(t, `line 2 (estimate): "soon": want a span of time`, "-tasks", write("name,estimate,deadline\na,soon,2h\n"))
	carrying.Mistake(t, `line 3 (deadline): "": want a span of time`, "-tasks", write("name,estimate,deadline\na,1h,2h\nb,1h,\n"))
	carrying.Mistake(t, `there is a column "budget"`, "-tasks", write("name,estimate,deadline,budget\na,1h,2h,3\n"))
	carrying.Mistake(t, "want a command for -provider local", "-tasks", write("name,estimate,deadline\na,1h,2h\n"), "-provider", "local", "-dir",
		t.TempDir(), "-journal", filepath.Join(t.TempDir(), "j"))
	carrying.Mistake(t, `line 3 (name): "a": want a name that no other task has`, "-tasks", write("name,estimate,deadline\na,1h,2h\na,1h,2h\n"))
	carrying.Mistake(t, `there are two columns "name"`, "-tasks", write("name,name,estimate,deadline\na,b,1h,2h\n"))
	// A journal goes on with its own tasks, hour and provider only.
	tasks, j := write("name,estimate,deadline,command\na,1h,2h,true\n"), filepath.Join(t.TempDir(), "j")
	local := []string{"-provider", "local", "-dir", t.TempDir(), "-journal", j, "-poll", "20ms", "-latency", "1m"}
	on := append(local[:len(local):len(local)], "-hour", "2s")
	carrying.Must(t, append(on, "-tasks", tasks)...)
	carrying.Must(t, append(on, "-tasks", tasks)...)
	carrying.Must(t, on...)
	carrying.Mistake(t, "is of other tasks", append(on, "-tasks", write("name,estimate,deadline,command\na,1h,3h,true\n"))...)
	carrying.Mistake(t, "is of other tasks", append(on, "-tasks", tasks, "-latency", "2m")...)
	carrying.Mistake(t, "has hours of 2s", local...)
	exec := []string{"-provider", "exec", "-journal", j}
	for _, c := range []string{"create", "delete", "list", "submit", "status"} {
		exec = append(exec, "-"+c, "true")
	}
	carrying.Mistake(t, "is of another provider", exec...)
	carrying.Mistake(t, "there is no journal there yet", "-provider", "local", "-dir", t.TempDir(), "-journal", filepath.Join(t.TempDir(), "j"))
}

// work does so many steps of a fiftieth of a second, and saves after each.
const work = `d=$PLIMSOLL_CHECKPOINT; s=$(cat $d/step 2>/dev/null || echo 0)
while [ $s -lt %d ]; do sleep .02; s=$((s+1)); echo $s >>$d/log; echo $s >$d/new; mv $d/new $d/step; echo $s | awk '{print $1/50}' >$d/new; mv $d/new $d/saved; done`

// On real processes, the runner is killed at random moments until all tasks have ended:
// each has done every step once, one that an interruption cut off at most twice, and no
// process and no instance is left.
func TestRunKilled(t *testing.T) {
	t.Parallel()
	dir, state := t.TempDir(), t.TempDir()
	random := rand.New(rand.NewPCG(1, 19))
	var tasks bytes.Buffer
	fmt.Fprintln(&tasks, "name,estimate,deadline,instances,checkpoint,command")
	steps := []int{20, 35, 50, 65}
	for i, n := range steps {
		// A second of the machine is an hour of the clock.
		fmt.Fprintf(&tasks, "task %d,%dm,%dm,%d,1m,%s\n", i, n*3, n*3+30+40*i, 1+i%2, strings.ReplaceAll(`"`+fmt.Sprintf(work, n)+`"`, "\n", "; "))
	}
	path := programtest.Write(t, "tasks.csv", tasks.String())
	args := []string{"run", "-tasks", path, "-provider", "local", "-dir", dir, "-journal", filepath.Join(state, "journal"), "-hour", "1s", "-poll",
		"20ms", "-json"}
	kills := 0
	var out []byte
	for begun := time.Now(); ; {
		cmd := programtest.Command(args...)
		var stdout, stderr bytes.Buffer
		cmd.Stdout, cmd.Stderr = &stdout, &stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- cmd.Wait() }()
		var after <-chan time.Time
		if kills < 12 {
			after = time.After(time.Duration(30+random.IntN(400)) * time.Millisecond)
		}
		var err error
		select {
		case err = <-ended:
		case <-after:
			cmd.Process.Kill()
			<-ended
			kills++
			continue
		}
		var exit *exec.ExitError
		if errors.As(err, &exit) && (exit.ExitCode() != 1 || stdout.Len() == 0) || time.Since(begun) > time.Minute { // 1 with results: late, on a busy machine
			t.Fatalf("%v after %v and %d kills: %s", err, time.Since(begun), kills, stderr.String())
		}
		out = stdout.Bytes()
		break
	}
	var rows []map[string]any
	if err := json.Unmarshal(out, &rows); err != nil {
		t.Fatal(err)
	}
	for i, n := range steps {
		if rows[i]["done"] != true || rows[i]["failed"] != nil {
			t.Errorf("%v", rows[i])
		}
		log := strings.Fields(programtest.Read(t, filepath.Join(dir, fmt.Sprintf("task-%d", i), "log")))
		times := map[string]int{}
		for _, s := range log {
			times[s]++
		}
		if leases := int(rows[i]["leases"].(float64)); len(times) != n || len(log) > n+leases-1 {
			t.Errorf("task %d: %d steps, %d different, on %d leases, want %d", i, len(log), len(times), leases, n)
		}
	}
	instances, _ := filepath.Glob(filepath.Join(dir, "*.instance"))
	ended, _ := filepath.Glob(filepath.Join(dir, "*.ended"))
	if len(instances) != len(ended) || len(instances) == 0 {
		t.Errorf("%d instances, %d ended", len(instances), len(ended))
	}
	left, err := proc.Kill(func(pid int) bool {
		for _, f := range instances {
			if proc.Marked(pid, "PLIMSOLL_INSTANCE="+strings.TrimSuffix(f, ".instance")) {
				return pid != os.Getpid()
			}
		}
		return false
	})
	if left > 0 || err != nil {
		t.Errorf("%d processes are left (%v)", left, err)
	}
	t.Logf("%d kills, %d instances", kills, len(instances))
}

// A task whose command fails is failed, and stays so in a later run with the journal.
func TestRunFailed(t *testing.T) {
	t.Parallel()
	tasks := programtest.Write(t, "tasks.csv", "name,estimate,deadline,command\na,1h,20h,true\nb,1h,20h,exit 4\n")
	args := []string{"-tasks", tasks, "-provider", "local", "-dir", t.TempDir(), "-journal", filepath.Join(t.TempDir(), "journal"), "-hour", "1s",
		"-poll", "20ms", "-json"}
	first, said := undone(t, "cap3 run: of 2 tasks 1 failed", args...)
	if !strings.Contains(said, "b: has failed: exit status 4") || strings.Contains(said, "b: is complete") || !strings.Contains(said, "a: is complete") {
		t.Errorf("what is said of the ends:\n%s", said)
	}
	if rows := programtest.Rows[map[string]any](t, first); rows[0]["met"] != true || rows[1]["failed"] != "exit status 4" || rows[1]["met"] != false {
		t.Errorf("%v", rows)
	}
	if again, said := undone(t, "of 2 tasks 1 failed", args...); again != first || strings.Contains(said, "has failed:") || strings.Contains(said, "closes") {
		t.Errorf("again:\n%s\nwant\n%s\nsaid %s", again, first, said)
	}
}

// One task has one deadline.
func TestRunOne(t *testing.T) {
	tasks := programtest.Write(t, "tasks.csv", "name,estimate,deadline,command\na,1h,20h,true\n")
	text, _ := carrying.Must(t, "-tasks", tasks, "-provider", "local", "-dir", t.TempDir(), "-journal", filepath.Join(t.TempDir(), "journal"), "-hour",
		"1s", "-poll", "20ms")
	if !strings.Contains(text, "1 of 1 task met its deadline;") {
		t.Error(text)
	}
}

func TestRunHelp(t *testing.T) {
	carrying.Help(t, runProgram.FlagNames(), "exits with 1 if a task fails")
}

// cloud is a cloud of files, with a user's commands: $1 is what to do.
const cloud = `
now() { date -u +%Y-%m-%dT%H:%M:%S.%NZ; }
case $1 in
create)
  echo "$PLIMSOLL_TASK $PLIMSOLL_TIER $PLIMSOLL_BID" >>created
  mv refuse refused 2>/dev/null && { echo "no capacity" >&2; exit 3; } # one of two that come at a time
  printf '{"id":"i-%s","token":"%s","node":"%s","created":"%s"}\n' $PLIMSOLL_TOKEN $PLIMSOLL_TOKEN $PLIMSOLL_NODE $(now) >new.$$
  mv new.$$ i-$PLIMSOLL_TOKEN.json; cat i-$PLIMSOLL_TOKEN.json ;;
delete)
  sed "s/}/,\"ended\":\"$(now)\"}/" $PLIMSOLL_ID.json >new.$$; grep -q ended $PLIMSOLL_ID.json || mv new.$$ $PLIMSOLL_ID.json
  cat $PLIMSOLL_ID.json ;;
list) # only what is rented, if it forgets
  if [ -e forgets ]; then cat i-*.json 2>/dev/null | grep -v ended; else cat i-*.json 2>/dev/null; fi; true ;;
move) echo "$PLIMSOLL_TASK to $PLIMSOLL_CLUSTER" >>moved ;;
save) cat $PLIMSOLL_TASK.work >$PLIMSOLL_TASK.saved 2>/dev/null; true ;;
submit)
  echo "$PLIMSOLL_TASK $PLIMSOLL_COMMAND $PLIMSOLL_INSTANCES" >>submitted
  date +%s%N >$PLIMSOLL_CLUSTER.began
  # The first cluster of the first task is taken in the middle.
  if [ $PLIMSOLL_TASK = a ] && [ ! -e taken ]; then
    echo $PLIMSOLL_CLUSTER >taken; echo 900 >a.saved
    sed "s/}/,\"ended\":\"$(now)\"}/" $PLIMSOLL_INSTANCES.json >new.$$; mv new.$$ $PLIMSOLL_INSTANCES.json
  fi ;;
status)
  saved=$(cat $PLIMSOLL_TASK.saved 2>/dev/null || echo 0)
  [ -z "$PLIMSOLL_CLUSTER" ] && { echo none $saved; exit; }
  [ -e $PLIMSOLL_CLUSTER.began ] || { echo ready $saved; exit; }
  # A cluster that is taken never comes to an end, however late anybody looks.
  [ "$(cat taken 2>/dev/null)" = "$PLIMSOLL_CLUSTER" ] && { echo running $saved; exit; }
  [ $(($(date +%s%N) - $(cat $PLIMSOLL_CLUSTER.began))) -gt 300000000 ] && { echo done $saved; exit; }
  echo running $saved ;;
esac`

// With a user's own commands: an instance that is refused is asked for again, one that is
// taken has its task moved to another cluster, and all are given back.
func TestRunExec(t *testing.T) {
	for _, forgets := range []bool{false, true} {
		t.Run(fmt.Sprintf("forgets=%v", forgets), func(t *testing.T) {
			t.Parallel()
			runExec(t, forgets)
		})
	}
}

func runExec(t *testing.T, forgets bool) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	if forgets { // the list has rented instances only
		if err := os.WriteFile(in("forgets"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range map[string]string{"cloud.sh": cloud, "refuse": "",
		"tasks.csv": "name,estimate,deadline,command,checkpoint\na,1h,10h,./sweep 7,15m\nb,1h,90m,./sweep 8,\n"} {
		if err := os.WriteFile(in(name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	args := []string{"-tasks", in("tasks.csv"), "-journal", in("journal"), "-provider", "exec", "-poll", "50ms", "-json"}
	for _, c := range []string{"create", "delete", "list", "move", "save", "submit", "status"} {
		args = append(args, "-"+c, "cd '"+dir+"' && sh cloud.sh "+c)
	}
	stdout, stderr := carrying.Must(t, args...)
	rows := programtest.Rows[map[string]any](t, stdout)
	if rows[0]["leases"] != 2. || rows[0]["met"] != true || rows[1]["leases"] != 1. || rows[1]["met"] != true {
		t.Errorf("%v\n%s", rows, stderr)
	}
	for file, want := range map[string]string{"created": "a low 0.", "submitted": "\na ./sweep 7 i-t", "moved": "a to t"} {
		if text := programtest.Read(t, in(file)); !strings.Contains(text, want) {
			t.Errorf("%s: %q, want %q", file, text, want)
		}
	}
	if text := programtest.Read(t, in("created")); !strings.Contains(text, "b high 0\n") || strings.Count(text, "\n") != 4 { // one was refused
		t.Errorf("created: %s", text)
	}
	list, _ := filepath.Glob(in("i-*.json"))
	for _, f := range list {
		if !strings.Contains(programtest.Read(t, f), "ended") {
			t.Errorf("%s is left", f)
		}
	}
	if len(list) != 3 {
		t.Errorf("%d instances: %q", len(list), list)
	}
	// Once more: all is done, and nothing is rented.
	if again, _ := carrying.Must(t, args...); again != stdout {
		t.Errorf("again:\n%s\nwant\n%s", again, stdout)
	}
}

// The runner is killed while a task runs, and the provider ends the instance and forgets it.
// The runner that goes on says between which amounts the cost lies, and runs the task on
// another instance.
func TestRunForgets(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	slow := strings.NewReplacer("-gt 300000000", "-gt 500000000", "status)\n",
		"status)\n  [ -z \"$PLIMSOLL_CLUSTER\" ] || [ -e $PLIMSOLL_INSTANCES.json ] || { echo gone >&2; exit 1; }\n").Replace(cloud)
	for name, text := range map[string]string{"cloud.sh": slow, "forgets": "", "taken": "", "tasks.csv": "name,estimate,deadline,command\na,1h,200h,./sweep 7\n"} {
		if err := os.WriteFile(in(name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	// An hour of the clock lasts a second, so that each second costs $1.30; all on demand.
	args := []string{"-tasks", in("tasks.csv"), "-journal", in("journal"), "-provider", "exec", "-poll", "50ms", "-hour", "1s", "-rule", "paper", "-th1",
		"1000", "-th2", "1000"}
	for _, c := range []string{"create", "delete", "list", "submit", "status"} {
		args = append(args, "-"+c, "cd '"+dir+"' && sh cloud.sh "+c)
	}
	cmd := programtest.Command(append([]string{"run"}, args...)...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for begun := time.Now(); ; time.Sleep(10 * time.Millisecond) {
		if text, err := os.ReadFile(in("submitted")); err == nil && len(text) > 0 || time.Since(begun) > 20*time.Second {
			break
		}
	}
	cmd.Process.Kill()
	cmd.Wait()
	list, _ := filepath.Glob(in("i-*.json"))
	if len(list) != 1 {
		t.Fatalf("%d instances", len(list))
	}
	if err := os.Remove(list[0]); err != nil {
		t.Fatal(err)
	}
	time.Sleep(2 * time.Second)
	stdout, stderr := carrying.Must(t, append(args, "-json")...)
	r := programtest.Rows[map[string]any](t, stdout)[0]
	amount := func(name string) float64 {
		x, err := strconv.ParseFloat(r[name].(string), 64)
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
	unsure := fmt.Sprint(r["unsure"])
	if r["done"] != true || r["leases"] != 2. || amount("cost")-amount("least_cost") < 1.3 || amount("least_cost") < 2.6 || !strings.Contains(unsure,
		"i-t") || !strings.Contains(unsure, "ended unseen, after ") {
		t.Errorf("%v\n%s", r, stderr)
	}
	text, _ := carrying.Must(t, args...)
	if said := strings.Join(strings.Fields(text), " "); !strings.Contains(said, "a: the provider's bill tells the cost: i-t") || !strings.Contains(said, " to ") {
		t.Errorf("%s", text)
	}
}

// On processes, a price above the bid takes the instances: the task goes on from what it
// had saved, on others.
func TestRunInterrupted(t *testing.T) {
	t.Parallel()
	dir, state := t.TempDir(), t.TempDir()
	row := func(price, at string) string { return "z,cc1.4xlarge,Linux/UNIX," + price + "," + at + "\n" }
	// Planning begins in the middle, after a day.
	prices := programtest.Write(t, "spot.csv", "AvailabilityZone,InstanceType,ProductDescription,SpotPrice,Timestamp\n"+
		row("0.2", "2013-01-01T00:00:00Z")+row("2", "2013-01-02T00:40:00Z")+row("0.2", "2013-01-02T01:10:00Z")+row("0.3", "2013-01-03T00:00:00Z"))
	tasks := programtest.Write(t, "tasks.csv", fmt.Sprintf("name,estimate,deadline,checkpoint,command\nx,90m,15h,1m,\"%s\"\n",
		strings.ReplaceAll(fmt.Sprintf(work, 100), "\n", "; ")))
	status, stdout, stderr := carrying.Try("-tasks", tasks, "-provider", "local", "-dir", dir, "-journal", filepath.Join(state, "journal"), "-hour", "2s",
		"-poll", "10ms", "-spot", prices, "-json")
	if status > 1 || stdout == "" { // 1 with results: late, on a busy machine
		t.Fatalf("exit status %d: %s", status, stderr)
	}
	r := programtest.Rows[map[string]any](t, stdout)[0]
	log := strings.Fields(programtest.Read(t, filepath.Join(dir, "task-0", "log")))
	if r["done"] != true || r["leases"].(float64) < 2 || len(log) < 100 || len(log) > 100+int(r["leases"].(float64)) {
		t.Errorf("%v, %d steps\n%s", r, len(log), stderr)
	}
}

// undone runs tasks of which some are not done: the exit status is 1, and the results are whole.
func undone(t *testing.T, want string, args ...string) (stdout, stderr string) {
	t.Helper()
	status, stdout, stderr := carrying.Try(args...)
	if status != 1 || stdout == "" || !strings.Contains(stderr, want) {
		t.Fatalf("cap3 run %q: exit status %d, want 1 and %q: %s", args, status, want, stderr)
	}
	return stdout, stderr
}
