//go:build unix

package main

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/examples/internal/programtest"
	"github.com/plimsoll/plimsoll/perfmodel/mpiprofile"
)

var converting = programtest.Program{Name: "cap3 profile", Run: runProfile}

// tauOf is what TAU writes about a process that computes and sends for so many seconds, and
// starts at a time.
func tauOf(compute, send float64, started int) string {
	return fmt.Sprintf("2 templated_functions_MULTI_TIME\n# Name Calls Subrs Excl Incl ProfileCalls # <metadata><attribute><name>Starting Timestamp</name><value>%d</value></attribute></metadata>\n"+
		"\".TAU application\" 1 1 %.0f %.0f 0 GROUP=\"TAU_DEFAULT\" \n\"MPI_Send()  \" 40 0 %.0f %.0f 0 GROUP=\"MPI\" \n0 aggregates\n", started*1e6, compute*1e6, (compute+send)*1e6, send*1e6, send*1e6)
}

// mpipOf is what mpiP writes about so many tasks, with a threshold that leaves out the lines
// of single tasks.
func mpipOf(tasks int, app, mpi float64) string {
	var b strings.Builder
	b.WriteString("@ mpiP\n@ Command : ./sweep\n")
	for i := range tasks {
		fmt.Fprintf(&b, "@ MPI Task Assignment      : %d node\n", i)
	}
	b.WriteString("\n---\n@--- MPI Time (seconds) ---\n---\nTask    AppTime    MPITime     MPI%\n")
	for i := range tasks {
		fmt.Fprintf(&b, "   %d %g %g 10\n", i, app, mpi)
	}
	n := float64(tasks)
	fmt.Fprintf(&b,
		"   *  %g %g 10\n---\n@--- Callsite Time statistics (all, milliseconds): 2 ---\n---\nName Site Rank Count Max Mean Min App%% MPI%%\n", n*app, n*mpi)
	fmt.Fprintf(&b, "Bcast 1 * %d 5 %g 1 1 1\n\nSend 2 0 10 5 %g 1 1 1\nSend 2 * %d 5 %g 1 1 1\n---\n@--- End of Report ---\n---\n", 10*tasks,
		1e3*.25*mpi/10, 1e3*.75*mpi/10, 10*tasks, 1e3*.75*mpi/10)
	return b.String()
}

// tauSized is what TAU with its plugin for monitoring writes about a process of so many.
func tauSized(n int) string {
	return strings.Replace(tauOf(4, 1, 1000), "</metadata>",
		fmt.Sprintf("<attribute><name>MPI Comm World Size</name><value>%d</value></attribute></metadata>", n), 1)
}

func put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// Several runs at once: folders of TAU, of several metrics, reports of mpiP, repetitions.
func TestProfile(t *testing.T) {
	t.Chdir(t.TempDir())
	defer t.Chdir(folder)
	put(t, "s1/profile.0.0.0", tauOf(8, 0, 1000))
	for i := range 2 {
		put(t, fmt.Sprintf("s2/profile.%d.0.0", i), tauOf(4, .5+float64(i), 1000)) // a mean of 1 s
		put(t, fmt.Sprintf("s2/profile.%d.0.1", i), tauOf(4, 3, 1000))             // a thread
		put(t, fmt.Sprintf("again/MULTI__TIME/profile.%d.0.0", i), tauOf(4.2, 1.2, 9000))
		put(t, fmt.Sprintf("again/MULTI__PAPI_FP_OPS/profile.%d.0.0", i), "of no interest")
	}
	put(t, "again/MULTI__TIME/profile.0.0.1", tauOf(4.2, 9, 9000)) // threads are no processes
	put(t, "again/MULTI__TIME/profile.0.1.0", tauOf(4.2, 9, 9000))
	put(t, "large/a.mpiP", mpipOf(1, 32, .4))
	put(t, "large/b.mpiP", mpipOf(2, 20, 4))
	put(t, "four.mpiP", mpipOf(4, 14, 6))
	args := []string{"-out", "p.csv", "-application", "sweep", "-input", "s:n=1", "s1", "s2", "-input=l:n=4", "large", "four.mpiP"}
	text, stderr := converting.Must(t, args...)
	if !strings.Contains(text, "5 cases from 5 runs") || !strings.Contains(stderr, "s2: the files of 2 further threads are not counted") ||
		!strings.Contains(stderr,
			"note: there are folders of TAU with files of 1 and 2 processes, which do not say whether these were all: give -processes N before the runs") {
		t.Errorf("%s%s", text, stderr)
	}
	// Nobody is told of what -processes or the files themselves have said.
	if _, stderr := converting.Must(t, "-out", "q.csv", "-processes", "1", "s1", "-processes=2", "s2", "again", "-processes", "4",
		"four.mpiP"); strings.Contains(stderr, "say whether") {
		t.Error(stderr)
	}
	for i := range 2 {
		put(t, fmt.Sprintf("says/profile.%d.0.0", i), tauSized(2))
	}
	if _, stderr := converting.Must(t, "-out", "q.csv", "says"); strings.Contains(stderr, "say whether") {
		t.Error(stderr)
	}
	read := func() mpiprofile.Profile {
		list, err := mpiprofile.ReadProfiles(strings.NewReader(programtest.Read(t, "p.csv")))
		if err != nil || len(list) != 1 || list[0].Application != "sweep" {
			t.Fatalf("%v, %v", list, err)
		}
		return list[0]
	}
	p := read()
	if strings.Join(p.Functions, " ") != "MPI_Bcast MPI_Send" {
		t.Errorf("%v", p.Functions)
	}
	for i, want := range []struct {
		processes               int
		seconds, send, computes float64
	}{{1, 8, 0, 8}, {2, 5, 1, 4}, {1, 32, 0, 32}, {2, 20, 3, 16}, {4, 14, 4.5, 8}} {
		r := p.Runs[i]
		if r.Processes != want.processes || math.Abs(r.Seconds-want.seconds) > 1e-9 || math.Abs(p.Seconds[i][1]-want.send) > 1e-9 || math.Abs(r.Computation-want.computes) > 1e-9 || !r.Split {
			t.Errorf("run %d: %+v %v, want %+v", i, r, p.Seconds[i], want)
		}
	}
	// The time within MPI on one process counts as computation, everywhere alike, and that is said.
	if rows, _ := converting.Must(t, append(args, "-json")...); !strings.Contains(stderr,
		"the time within MPI on one process, up to 0.4000 s, counts as computation") || !strings.Contains(rows, `"processes":1,"seconds":32,"communication":0,`) {
		t.Errorf("%s%s", rows, stderr)
	}
	// A repetition of s on 2, of 5.4 s, and rows.
	rows, _ := converting.Must(t, append(args[:8:8], "again", "-json")...)
	if p := read(); p.Runs[1].Repetitions != 2 || math.Abs(p.Runs[1].Seconds-5.2) > 1e-9 || strings.Count(rows, `"path":"again/MULTI__TIME"`) != 1 {
		t.Errorf("%+v\n%s", p.Runs, rows)
	}
	// All on one count.
	if _, stderr := converting.Must(t, "-out", "q.csv", "four.mpiP"); !strings.Contains(stderr,
		"all runs are on 4 processes, which does not tell how the program scales") || !strings.HasPrefix(programtest.Read(t, "q.csv"), "application,") {
		t.Errorf("%s", stderr)
	}
}

// What is truncated, missing or of another run is named, and no profile is written.
func TestProfileMistakes(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	defer t.Chdir(folder)
	whole := tauOf(4, 1, 1000)
	put(t, "cut/profile.0.0.0", whole)
	put(t, "cut/profile.1.0.0", whole[:strings.Index(whole, `"MPI_Send`)])
	put(t, "gap/profile.0.0.0", whole)
	put(t, "gap/profile.2.0.0", whole)
	put(t, "two/profile.0.0.0", whole)
	put(t, "two/profile.1.0.0", tauOf(4, 1, 500))
	for _, f := range []string{"MULTI__TIME/profile.0.0.0", "MULTI__TIME/profile.1.0.0", "MULTI__PAPI_FP_OPS/profile.0.0.0"} {
		put(t, "mixed/"+f, whole)
	}
	put(t, "last/profile.0.0.0", whole)
	put(t, "last/profile.1.0.0", whole)
	put(t, "MULTI/MULTI__TIME/profile.0.0.0", whole)
	put(t, "says/profile.0.0.0", tauSized(3))
	put(t, "says/profile.1.0.0", tauSized(3))
	put(t, "fewer/profile.0.0.0", tauSized(1))
	put(t, "fewer/profile.1.0.0", whole)
	put(t, "two.mpiP", mpipOf(2, 2, 1))
	put(t, "untimed/MULTI__PAPI_FP_OPS/profile.0.0.0", whole)
	put(t, "both/profile.0.0.0", whole)
	put(t, "both/a.mpiP", mpipOf(1, 2, 1))
	put(t, "cut.mpiP", strings.Split(mpipOf(2, 2, 1), "@--- End")[0])
	put(t, "few.mpiP", strings.Replace(mpipOf(2, 2, 1), "   1 2 1 10\n", "", 1))
	put(t, "none/readme", "")
	put(t, "more/profile.0.0.0", strings.Replace(tauOf(1, 9, 1000), "40 0 9000000", "40 0 20000000", 1))
	if _, _, stderr := converting.Try("-out", "p.csv", "gap", "gap"); !strings.Contains(stderr,
		"gap: the path was given before") || strings.Contains(stderr, "-path") {
		t.Error(stderr)
	}
	list := []programtest.Wrong{
		{Args: []string{"-out", "p.csv", "more"}, Want: "more: 20.00 s within MPI, and the run takes 10.00 s: want no more than the run takes"},
		{Args: []string{"-out", "p.csv", "cut"}, Want: "cut/profile.1.0.0: line 4 (functions): the file ends early: after 1 of 2 functions: want all of them"},
		{Args: []string{"-out", "p.csv", "gap"}, Want: "gap: there is profile.2.0.0 and no profile.1.0.0"},
		{Args: []string{"-out", "p.csv", "-processes", "4", "last"},
			Want: "last: there is no profile.2.0.0, and -processes says that the run had 4 processes: want a file of each process"},
		{Args: []string{"-out", "p.csv", "-processes", "1", "last"},
			Want: "last: there is a profile.1.0.0, and -processes says that the run had 1 process: want the files of one run"},
		{Args: []string{"-out", "p.csv", "-processes", "2", "last", "MULTI"}, Want: "MULTI/MULTI__TIME: there is no profile.1.0.0, and -processes"},
		{Args: []string{"-out", "p.csv", "-processes", "3", "two.mpiP"}, Want: "two.mpiP: it is of 2 processes, and -processes says that the run had 3"},
		{Args: []string{"-out", "p.csv", "says"}, Want: "says: there is no profile.2.0.0, and profile.0.0.0 says that the run had 3 processes"},
		{Args: []string{"-out", "p.csv", "fewer"}, Want: "fewer: there is a profile.1.0.0, and profile.0.0.0 says that the run had 1 process"},
		{Args: []string{"-out", "p.csv", "-processes", "0", "last"}, Want: "want a number of processes from 1 to 65,536"},
		{Args: []string{"-out", "p.csv", "last", "-processes", "2"}, Want: "-processes 2: no run follows: want it before the runs that it is of"},
		{Args: []string{"-out", "p.csv", "two"}, Want: "two: processes[0]: processes of different runs: it began 495 s after process 1 had ended"},
		{Args: []string{"-out", "p.csv", "mixed"}, Want: "MULTI__PAPI_FP_OPS has 1 process and MULTI__TIME has 2 processes: want the files of one run"},
		{Args: []string{"-out", "p.csv", "untimed"}, Want: "there are the metrics MULTI__PAPI_FP_OPS: want a time, such as MULTI__TIME"},
		{Args: []string{"-out", "p.csv", "both"}, Want: "want those of one run in a folder"},
		{Args: []string{"-out", "p.csv", "cut.mpiP"}, Want: `there is no "End of Report"`},
		{Args: []string{"-out", "p.csv", "few.mpiP"}, Want: "1 tasks have times, and 2 are assigned"},
		{Args: []string{"-out", "p.csv", "none"}, Want: "there is no profile.0.0.0, no folder MULTI__TIME and no report *.mpiP in it"},
		{Args: []string{"-out", "p.csv", "nowhere"}, Want: "nowhere"},
		{Args: []string{"-out", "p.csv"}, Want: "want the folders of TAU or the reports of mpiP"},
		{Args: []string{"few.mpiP"}, Want: "-out: want the name of a file"},
		{Args: []string{"-out", "few.mpiP", "few.mpiP"}, Want: "it is a run, too"},
		{Args: []string{"-out", "p.csv", "few.mpiP", "few.mpiP"}, Want: "the path was given before"},
		{Args: []string{"-out", "p.csv", "few.mpiP", "-input", "a"}, Want: "there are runs before the first input"},
		{Args: []string{"-out", "p.csv", "-input", "a", "-input", "a"}, Want: `there is an input "a" already`},
		{Args: []string{"-out", "p.csv", "-input", "a:n=1", "-input", "b:m=1"}, Want: "the features are m"},
		{Args: []string{"-out", "p.csv", "-input"}, Want: "flag needs an argument"},
	}
	converting.Mistakes(t, dir, list)
}

func TestProfileHelp(t *testing.T) {
	converting.Help(t, profileProgram.FlagNames(), "MULTI__TIME", "mpiP")
}

// Folders that the profiler of cap3 has written about a real MPI program become the same
// profile as those that a script would record.
func TestProfileMPI(t *testing.T) {
	for _, name := range []string{"mpirun", "mpicc"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Skipf("%s is not installed (Debian: openmpi-bin, libopenmpi-dev)", name)
		}
	}
	t.Setenv("OMPI_ALLOW_RUN_AS_ROOT", "1")
	t.Setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")
	source := filepath.Join(folder, "testdata", "heat", "heat.c")
	t.Chdir(t.TempDir())
	defer t.Chdir(folder)
	put(t, "profiler.c", string(profilerSource))
	for _, args := range [][]string{{"-O2", "-o", "heat", source}, {"-O2", "-shared", "-fPIC", "-o", "profiler.so", "profiler.c", "-ldl"}} {
		if text, err := exec.Command("mpicc", args...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, text)
		}
	}
	args := []string{"-out", "heat.csv"}
	library, _ := filepath.Abs("profiler.so")
	type run struct {
		*exec.Cmd
		text bytes.Buffer
	}
	var runs []*run // side by side, as each takes seconds to begin
	for _, n := range []int{100, 200} {
		args = append(args, "-input", fmt.Sprintf("n%d:n=%d", n, n))
		for _, p := range []int{1, 2} {
			dir, _ := filepath.Abs(fmt.Sprintf("run-%d-%d", n, p))
			if err := os.Mkdir(dir, 0o700); err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command("mpirun", "--oversubscribe", "--bind-to", "none", "-n", fmt.Sprint(p), "./heat", fmt.Sprint(n), "10")
			// Two that make the same folder for themselves at a time fail.
			session, err := os.MkdirTemp("", "mpi")
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { os.RemoveAll(session) })
			cmd.Env = append(os.Environ(), "LD_PRELOAD="+library, "PLIMSOLL_PROFILES="+dir, "TMPDIR="+session)
			r := &run{Cmd: cmd}
			cmd.Stdout, cmd.Stderr = &r.text, &r.text
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			runs = append(runs, r)
			args = append(args, dir)
		}
	}
	for _, r := range runs {
		if err := r.Wait(); err != nil {
			t.Errorf("%v: %s", err, &r.text)
		}
	}
	text, _ := converting.Must(t, args...)
	list, err := mpiprofile.ReadProfiles(strings.NewReader(programtest.Read(t, "heat.csv")))
	if err != nil || len(list[0].Runs) != 4 || strings.Join(list[0].Functions, " ") != "MPI_Allreduce MPI_Sendrecv" {
		t.Errorf("%v, %v from\n%s", list, err, text)
	}
}
