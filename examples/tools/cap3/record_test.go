//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/examples/internal/journal"
	"github.com/plimsoll/plimsoll/examples/internal/programtest"
	"github.com/plimsoll/plimsoll/perfmodel/mpiprofile"
)

var recording = programtest.Program{Name: "cap3 record", Run: runRecord}

// tau writes what TAU would of a program of size $2 on $1 processes, and notes the call.
const tau = `
echo "$1 $2" >>calls
[ $1 = 3 ] && { echo "no grid for 3" >&2; exit 7; }
[ $1 = 8 ] && { printf '5 templated_functions_MULTI_TIME\n# Name\n"main" 1 0 1 2 0\n' >$PROFILEDIR/profile.0.0.0; p=1; while [ $p -lt 8 ]; do cp $PROFILEDIR/profile.0.0.0 $PROFILEDIR/profile.$p.0.0; p=$((p+1)); done; exit; }
r=0
while [ $r -lt $1 ]; do
  awk -v p=$1 -v n=$2 'BEGIN {
    l = log(p) / log(2); c = 1e6 * n / p; m = 1e4 * n * l;
    print (p > 1 ? 2 : 1) " templated_functions_MULTI_TIME\n# Name Calls Subrs Excl Incl ProfileCalls";
    printf "\"main\" 1 1 %.3f %.3f 0 GROUP=\"TAU_USER\"\n", c, c + m;
    if (p > 1) printf "\"MPI_Allreduce()\" 9 0 %.3f %.3f 0 GROUP=\"MPI\"\n", m, m;
    print "0 aggregates" }' >$PROFILEDIR/profile.$r.0.0
  r=$((r+1))
done`

// A ladder of a program that fails on some counts: the others are kept, what failed is
// said, nothing is run twice, and the profile predicts a larger case.
func TestRecord(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	defer t.Chdir(folder)
	if err := os.WriteFile("tau.sh", []byte(tau), 0o600); err != nil {
		t.Fatal(err)
	}
	args := []string{"-out", "p.csv", "-counts", "1,2,3,4,8", "-repeat", "2", "-input", "s:n=1", "-input", "m:n=3", "-input", "l:n=9", "--", "sh",
		"tau.sh", "{P}", "{n}"}
	text, stderr := recording.Must(t, args...)
	for _, want := range []string{"9 cases in p.csv, 6 runs failed", "The input s on 3 processes failed: sh: exit status 7: no grid for 3"} {
		if !strings.Contains(text, want) {
			t.Errorf("want %q in:\n%s", want, text)
		}
	}
	if said := strings.Join(strings.Fields(text), " "); !strings.Contains(said,
		"profile.0.0.0: line 4 (functions): the file ends early: after 1 of 5 functions") || !strings.Contains(stderr, "no grid for 3") {
		t.Errorf("a truncated file is not told:\n%s\n%s", text, stderr)
	}
	written := programtest.Read(t, "p.csv")
	t.Chdir(folder)
	programtest.Golden(t, "texts/record.txt", text+"Notes:\n"+stderr+"Profile:\n"+written)
	t.Chdir(dir)
	calls := strings.Count(programtest.Read(t, "calls"), "\n")
	if calls != 2*9+6 { // what has failed is not repeated
		t.Errorf("%d calls", calls)
	}
	profile := programtest.Read(t, "p.csv")
	list, err := mpiprofile.ReadProfiles(strings.NewReader(profile))
	if err != nil || len(list) != 1 || len(list[0].Runs) != 9 || list[0].Functions[0] != "MPI_Allreduce" {
		t.Fatalf("%v, %v in\n%s", list, err, profile)
	}
	for i, r := range list[0].Runs {
		want := .01 * r.Features[0] * float64(map[int]int{1: 0, 2: 1, 4: 2}[r.Processes])
		if d := list[0].Seconds[i][0] - want; d > 1e-6 || d < -1e-6 || !r.Split || r.Repetitions != 2 {
			t.Errorf("%+v: MPI_Allreduce %v, want %v", r, list[0].Seconds[i], want)
		}
	}
	// Again: nothing is left to run. With a part of the journal, the rest is.
	if again, _ := recording.Must(t, args...); again != text || strings.Count(programtest.Read(t, "calls"), "\n") != calls {
		t.Errorf("again:\n%s", again)
	}
	if rows, _ := recording.Must(t, append([]string{"-json"}, args...)...); strings.Count(rows, `"seconds":null,"communication":null,"failed":"`) != 6 {
		t.Errorf("a run that failed has a time:\n%s", rows)
	}
	var entries []json.RawMessage
	whole, err := journal.Open("p.csv.runs", func(entry []byte) error { entries = append(entries, bytes.Clone(entry)); return nil })
	if err = errors.Join(err, whole.Close(), os.Remove("p.csv.runs")); err != nil {
		t.Fatal(err)
	}
	part, err := journal.Open("p.csv.runs", nil)
	for _, e := range entries[:8] {
		err = errors.Join(err, part.Append(e))
	}
	if err = errors.Join(err, part.Close()); err != nil {
		t.Fatal(err)
	}
	recording.Must(t, args...)
	if got := programtest.Read(t, "p.csv"); got != profile {
		t.Errorf("resumed:\n%s\nwant\n%s", got, profile)
	}
	recording.Must(t, append([]string{"-retry"}, args...)...)
	// An input of one name with another feature is another: s is run anew, and the failures
	// on other counts are not of this ladder.
	other := []string{"-out", "p.csv", "-counts", "1", "-repeat", "2", "-input", "s:n=2", "-input", "m:n=3", "--", "sh", "tau.sh", "{P}", "{n}"}
	calls = strings.Count(programtest.Read(t, "calls"), "\n")
	if text, _ := recording.Must(t, other...); !strings.Contains(text, "2 cases in p.csv, 0 runs failed") || strings.Contains(text, "no grid") {
		t.Errorf("another ladder:\n%s", text)
	}
	if got := strings.Count(programtest.Read(t, "calls"), "\n") - calls; got != 2 || !strings.Contains(programtest.Read(t, "p.csv"), "p,s,1,2,") {
		t.Errorf("%d calls of an input that has changed, want 2:\n%s", got, programtest.Read(t, "p.csv"))
	}
	recording.Must(t, args...)
	recording.Mistake(t, "it has runs of another command", append(args[:len(args)-2:len(args)-2], "{P}", "7")...)
	// The profile is one that cap3 plans by: T = n/P + 0.01·n·lg P.
	for _, model := range []string{"cap3", "functions"} {
		rows := rowsOf(t, "-profile", filepath.Join(dir, "p.csv"), "-input", "big:n=81", "-model", model, "-deadline", "4h", "-starts", "1")
		choice := find(rows, map[string]any{"kind": "choice", "choice": "time"})[0]
		if x := choice["time_s"].(float64); choice["processes"] != 4. || x < 21.86 || x > 21.88 {
			t.Errorf("%s: %v, want 81/4 + 0.81·2 s on 4", model, choice)
		}
	}
}

// With -retry what has failed is run anew, and takes the place of what failed; without, it
// is not. With -profiler none the time is that of the command, whatever it has written.
func TestRecordRetry(t *testing.T) {
	t.Chdir(t.TempDir())
	defer t.Chdir(folder)
	if err := os.WriteFile("tau.sh", []byte(tau), 0o600); err != nil {
		t.Fatal(err)
	}
	args := []string{"-out", "p.csv", "-counts", "1,2", "-repeat", "1", "-input", "a:n=1", "--", "sh", "-c",
		"[ {P} = 1 ] || [ -e ready ] || exit 9; sh tau.sh {P} {n}"}
	for i, want := range []string{"1 case in p.csv, 1 run failed", "1 case in p.csv, 1 run failed", "2 cases in p.csv, 0 runs failed",
		"2 cases in p.csv, 0 runs failed"} {
		if i == 1 {
			put(t, "ready", "")
		}
		a := args
		if i == 2 {
			a = append([]string{"-retry"}, args...)
		}
		if text, _ := recording.Must(t, a...); !strings.Contains(text, want) {
			t.Errorf("run %d: want %q in:\n%s", i, want, text)
		}
	}
	if calls := strings.Count(programtest.Read(t, "calls"), "\n"); calls != 2 {
		t.Errorf("%d calls", calls)
	}
	rows, _ := recording.Must(t, "-out", "q.csv", "-counts", "2", "-repeat", "1", "-input", "a:n=1000000", "-profiler", "none", "-json", "--", "sh",
		"tau.sh", "{P}", "{n}")
	r := programtest.Rows[map[string]any](t, rows)[0]
	if r["communication"] != nil || r["seconds"] != r["wall_s"] || r["seconds"].(float64) > 1000 {
		t.Errorf("%v", r)
	}
}

// A program that is no MPI program is timed as a whole.
func TestRecordPlain(t *testing.T) {
	t.Chdir(t.TempDir())
	defer t.Chdir(folder)
	rows, stderr := recording.Must(t, "-out", "p.csv", "-counts", "1,2", "-repeat", "1", "-json", "--", "sh", "-c", "sleep 0.0{P}")
	if !strings.Contains(stderr, "no time within MPI") || strings.Count(rows, `"communication":null`) != 2 {
		t.Errorf("%s%s", rows, stderr)
	}
	// A shell's ${NAME}, and braces that hold no name, are its own.
	recording.Must(t, "-out", "b.csv", "-counts", "1", "-repeat", "1", "-input", "a:n=1", "--", "sh", "-c",
		"HERE={P}; { test ${HERE} = 1 && test {n}{} = '1{}'; }")
	recording.Mistake(t, "every run has failed", "-out", "q.csv", "-counts", "1,2", "--", "sh", "-c", "exit {P}")
	recording.Mistake(t, "it was ended after -timeout 50ms", "-out", "r.csv", "-counts", "1", "-timeout", "50ms", "--", "sleep", "20")
	for want, args := range map[string][]string{
		"-out: want the name of a file":                        {"--", "true"},
		"want -- and the command":                              {"-out", "x"},
		"want {P}, the number of processes":                    {"-out", "x", "--", "true"},
		"want numbers from 1":                                  {"-out", "x", "-counts", "0", "--", "true"},
		"want a name and features with numbers":                {"-out", "x", "-input", "a:n=x", "--", "true"},
		"the features are m, and those of a were n":            {"-out", "x", "-input", "a:n=1", "-input", "b:m=1", "--", "true"},
		"nothing is known of {m}: want {P}, {case}, {n}":       {"-out", "x", "-input", "a:n=1", "--", "true", "{P}", "-m={m}"},
		"nothing is known of {n}: want {P}, {case}, a feature": {"-out", "x", "--", "true", "{P}", "{n}"},
		"P=3: {P} in the command is the number of processes":   {"-out", "x", "-input", "a:P=3", "--", "true", "{P}"},
		"case=3: {P} in the command":                           {"-out", "x", "-input", "a:n=1,case=3", "--", "true", "{P}"},
		`there is an input "a" already`:                        {"-out", "x", "-input", "a:n=1", "-input", "a:n=1", "--", "true"},
	} {
		recording.Mistake(t, want, args...)
	}
}

func TestRecordHelp(t *testing.T) {
	recording.Help(t, recordProgram(nil).FlagNames(), "{P}")
}

// On a real MPI program: recorded, fitted, a larger case predicted and run. A busy machine
// may spoil a time: one of five tries is to be within a factor of 10.
func TestRecordMPI(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"mpirun", "mpicc"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Skipf("%s is not installed (Debian: openmpi-bin, libopenmpi-dev)", name)
		}
	}
	os.Setenv("OMPI_ALLOW_RUN_AS_ROOT", "1") // not by t, which would keep this test from waiting beside others
	os.Setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")
	dir := t.TempDir()
	heat := filepath.Join(dir, "heat")
	if text, err := exec.Command("mpicc", "-O2", "-o", heat, filepath.Join(folder, "testdata", "heat", "heat.c")).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	mpirun := []string{"--", "mpirun", "--oversubscribe", "--bind-to", "none", "-n", "{P}", heat, "{n}", "20"}
	features := programtest.Write(t, "f.csv", "benchmark,class,x1_name,x1\nheat,big,n,400\n")
	for try := range 5 {
		profile := filepath.Join(dir, fmt.Sprintf("heat%d.csv", try))
		args := []string{"-out", profile, "-application", "heat", "-counts", "1,2", "-repeat", "1"}
		for _, n := range []int{100, 200, 300} {
			args = append(args, "-input", fmt.Sprintf("n%d:n=%d", n, n))
		}
		recording.Must(t, append(args, mpirun...)...)
		text := programtest.Read(t, profile)
		list, err := mpiprofile.ReadProfiles(bytes.NewReader([]byte(text)))
		if err != nil || len(list[0].Runs) != 6 || len(list[0].Functions) != 2 {
			t.Fatalf("%v, %v in\n%s", list, err, text)
		}
		plan := []string{"-profile", profile, "-features", features, "-task", "heat:big", "-model", "functions", "-oversubscribed", "keep", "-starts", "1", "-json"}
		status, stdout, stderr := tested.Try(plan...)
		if strings.Contains(stderr, "result too large") { // by a run that waited for others, a hundred times as long
			t.Logf("try %d: %s", try, stderr)
			continue
		}
		if status != 0 {
			t.Fatalf("%q: exit status %d: %s", plan, status, stderr)
		}
		predicted := find(programtest.Rows[map[string]any](t, stdout), map[string]any{"kind": "choice", "choice": "time"})[0]
		ran, _ := recording.Must(t, append([]string{"-out", filepath.Join(dir, fmt.Sprintf("big%d.csv", try)), "-counts",
			fmt.Sprint(predicted["processes"]), "-repeat", "1", "-input", "big:n=400", "-json"}, mpirun...)...)
		measured := programtest.Rows[map[string]any](t, ran)[0]
		said, took := predicted["time_s"].(float64), measured["seconds"].(float64)
		t.Logf("try %d: on %v processes predicted %v s, measured %v s", try, predicted["processes"], said, took)
		if said < 10*took && took < 10*said {
			return
		}
	}
	t.Error("no prediction is within a factor of 10 of what was measured")
}
