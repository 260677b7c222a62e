package mpiprofile

import (
	"bytes"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/plimsoll/plimsoll/internal/inputerr"
	"github.com/plimsoll/plimsoll/perfmodel"
)

// A profile as TAU writes it, with a call path, a name with quotes, and user events.
const tau0 = `7 templated_functions_MULTI_TIME
# Name Calls Subrs Excl Incl ProfileCalls # <metadata><attribute><name>Metric Name</name><value>TIME</value></attribute></metadata>
".TAU application" 1 1 1000000 5000000 0 GROUP="TAU_DEFAULT"
"main => MPI_Send()" 40 0 500000 500000 0 GROUP="TAU_CALLPATH|MPI"
"MPI_Send()" 40 0 500000 500000 0 GROUP="MPI"
"MPI_Allreduce()" 10 0 1.5e+06 1500000 0 GROUP="MPI"
"void f(const char *) [{a "b" c.c} {3,1}]" 1 0 1900000 1900000 0 GROUP="TAU_USER"
"mpi_bcast" 2 0 100000 100000 0 GROUP="MPI"
"MPI_Finalize()" 1 0 0 0 0 GROUP="MPI"
0 aggregates
1 userevents
# eventname numevents max min mean sumsqr
"Message size sent" 40 8 8 8 2560
`

const tau1 = `2 templated_functions
# Name Calls Subrs Excl Incl ProfileCalls
".TAU application" 1 1 1000000 3000000 0 GROUP="TAU_DEFAULT"
"MPI_Send()" 20 0 300000 300000 0 GROUP="MPI"
0 aggregates
`

func TestReadTAU(t *testing.T) {
	near := cmpopts.EquateApprox(1e-12, 0)
	a, err := ReadTAU(strings.NewReader(tau0))
	if err != nil {
		t.Fatal(err)
	}
	want := Process{Seconds: 5, Functions: []Function{{"MPI_Allreduce", 10, 1.5}, {"MPI_Finalize", 1, 0}, {"MPI_Send", 40, .5}, {"mpi_bcast", 2, .1}}}
	if diff := cmp.Diff(want, a, near); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	b, err := ReadTAU(strings.NewReader(tau1))
	if err != nil {
		t.Fatal(err)
	}
	run, err := Mean([]Process{a, b})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(Run{Processes: 2, Seconds: 4, Communication: 1.2, Functions: []Function{{"MPI_Allreduce", 5, .75}, {"MPI_Finalize", .5, 0}, {"MPI_Send", 30, .4}, {"mpi_bcast", 1, .05}}}, run, near); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if math.Abs(run.Computation()-2.8) > 1e-12 {
		t.Errorf("computation %v", run.Computation())
	}
	if _, err := Mean(nil); !errors.Is(err, ErrMissing) {
		t.Errorf("no process: %v", err)
	}
}

// A file that is cut anywhere before its end is an error that says where: a time that is too
// short is never returned. Only the user events may be missing, which TAU may leave out.
func TestTruncated(t *testing.T) {
	for _, text := range []string{tau0, tau1} {
		events := strings.Index(text, "1 userevents")
		if events < 0 {
			events = len(text)
		}
		whole := strings.Index(text, "0 aggregates") + len("0 aggregates")
		for n := range len(text) - 1 {
			_, err := ReadTAU(strings.NewReader(text[:n]))
			if n >= whole && n <= events || n > strings.LastIndex(text, " ") && events < len(text) {
				continue
			}
			var bad *inputerr.Error
			if !errors.As(err, &bad) || bad.Line == 0 || !errors.Is(err, ErrTruncated) && !errors.Is(err, ErrSyntax) {
				t.Errorf("after %d bytes (%q): %v", n, text[max(0, n-20):n], err)
			}
		}
	}
	for n := range strings.Index(report, "End of Report") {
		if _, err := ReadMPIP(strings.NewReader(report[:n])); err == nil {
			t.Errorf("a report after %d bytes is taken", n)
		}
	}
	if _, err := ReadTAU(strings.NewReader(tau0[:400])); err == nil || !strings.Contains(err.Error(), "of 7 functions") && !errors.Is(err, ErrSyntax) {
		t.Errorf("%v", err)
	}
}

func TestWrong(t *testing.T) {
	for text, want := range map[string]error{
		"":                         ErrTruncated,
		"x templated_functions\n":  ErrSyntax,
		"-1 templated_functions\n": ErrSyntax,
		"99999999999 templated_functions_MULTI_T":                                                            ErrSyntax,
		"1 templated_functions_MULTI_PAPI_L1_DCM\n":                                                          ErrSyntax,
		"1 templated_functions_MULTI_TIME\n# Name\n\"f\" 1 0 x 5 0\n":                                        ErrSyntax,
		"1 templated_functions_MULTI_TIME\n# Name\n\"f\" 1 0 -2 5 0 GROUP=\"x\"\n":                           ErrRange,
		"1 templated_functions_MULTI_TIME\n# Name\n\"f\" 1 0 2 5 0 GROUP=\"x\"\nnext":                        ErrSyntax,
		"0 templated_functions_MULTI_TIME\n# Name\n0 aggregates\n":                                           ErrMissing,
		"1 templated_functions_MULTI_TIME\n\"f\" 1 0 2 5 0\n":                                                ErrSyntax,
		"1 templated_functions\n# Name\n\"f\" 1 0 2 5 0\n0 aggregates\n-1 userevents\n":                      ErrSyntax,
		"1 templated_functions\n# Name\n\"f\" 1 0 2 5 0\n0 aggregates\n3 userevents\n# a\n\"b\" 1 1 1 1 1\n": ErrTruncated,
	} {
		if _, err := ReadTAU(strings.NewReader(text)); !errors.Is(err, want) {
			t.Errorf("%q: %v, want %v", text, err, want)
		}
	}
	for _, c := range []struct {
		old, new string
		want     error
	}{
		{"@ mpiP", "mpiP", ErrSyntax}, {"   1       10.5", "   2       10.5", ErrSyntax}, {"2.5", "-2.5", ErrRange}, {"500      19.23", "x      19.23", ErrSyntax},
		{"   0       10.5        2.5     23.81\n   1       10.5        2.7     25.71\n", "", ErrMissing},
	} {
		text := strings.Replace(report, c.old, c.new, 1)
		if c.old == "500      19.23" {
			text = concise(text)
		}
		if _, err := ReadMPIP(strings.NewReader(text)); text == report || !errors.Is(err, c.want) {
			t.Errorf("%q in place of %q: %v, want %v", c.new, c.old, err, c.want)
		}
	}
}

const report = `@ mpiP
@ Command : ./sweep 100
@ Version                  : 3.5.0
@ MPI Task Assignment      : 0 node1
@ MPI Task Assignment      : 1 node1

---------------------------------------------------------------------------
@--- MPI Time (seconds) ---------------------------------------------------
---------------------------------------------------------------------------
Task    AppTime    MPITime     MPI%
   0       10.5        2.5     23.81
   1       10.5        2.7     25.71
   *         21        5.2     24.76
---------------------------------------------------------------------------
@--- Callsites: 2 ---------------------------------------------------------
---------------------------------------------------------------------------
 ID Lev File/Address        Line Parent_Funct             MPI_Call
  1   0 sweep.c               57 main                     Barrier
  2   0 sweep.c               60 main                     Send
---------------------------------------------------------------------------
@--- Aggregate Time (top twenty, descending, milliseconds) ----------------
---------------------------------------------------------------------------
Call                 Site       Time    App%    MPI%      Count    COV
Send                    2   4.2e+03   20.00   80.77         40   0.01
Barrier                 1        500      19.23   10.00      4   0.00
---------------------------------------------------------------------------
@--- Callsite Time statistics (all, milliseconds): 4 ----------------------
---------------------------------------------------------------------------
Name              Site Rank  Count      Max     Mean      Min   App%   MPI%
Barrier              1    0      2      300      250      200   4.76  20.00
Barrier              1    1      2      300      250      200   4.76  18.52
Barrier              1    *      4      300      250      200   4.76  19.23

Send                 2    0     20      200      100       50  19.05  80.00
Send                 2    1     20      200      110       50  20.95  81.48
Send                 2    *     40      200      105       50  20.00  80.77
---------------------------------------------------------------------------
@--- End of Report --------------------------------------------------------
---------------------------------------------------------------------------
`

// concise is the report without its statistics by process.
func concise(text string) string {
	a := strings.Index(text, "@--- Callsite Time statistics")
	b := strings.Index(text, "@--- End of Report")
	return text[:a] + text[b:]
}

func TestReadMPIP(t *testing.T) {
	near := cmpopts.EquateApprox(1e-9, 0)
	got, err := ReadMPIP(strings.NewReader(report))
	if err != nil {
		t.Fatal(err)
	}
	want := Run{Processes: 2, Seconds: 10.5, Communication: 2.6, Functions: []Function{{"MPI_Barrier", 2, .5}, {"MPI_Send", 20, 2.1}}}
	if diff := cmp.Diff(want, got, near); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	// The aggregate has half a second of barriers in all; the rest is said to be other.
	got, err = ReadMPIP(strings.NewReader(concise(report)))
	if err != nil {
		t.Fatal(err)
	}
	want = Run{Processes: 2, Seconds: 10.5, Communication: 2.6, Functions: []Function{{"MPI_Barrier", 0, .25}, {"MPI_Send", 0, 2.1}, {"MPI_other", 0, .25}}}
	if diff := cmp.Diff(want, got, near); diff != "" {
		t.Errorf("concise: -want +got:\n%s", diff)
	}
}

// growth is lg P, or P·lg P of an all-to-all.
func growth(allToAll bool, p int) float64 {
	if allToAll {
		return float64(p) * math.Log2(float64(p))
	}
	return math.Log2(float64(p))
}

// exact has T_C = 8·n/P, an allreduce of 0.1·lg P, and an all-to-all of 0.001·n·P·lg P.
func exact() Profile {
	p := Profile{Profile: perfmodel.Profile{Application: "x", Features: []string{"n"}}, Functions: []string{"MPI_Allreduce", "MPI_Alltoall", "MPI_Rare"}}
	for _, n := range []float64{1, 3, 9} {
		for _, procs := range []int{1, 2, 4, 8} {
			a := []float64{.1 * n * growth(false, procs), .001 * n * growth(true, procs), 0}
			r := perfmodel.Run{Features: []float64{n}, Processes: procs, Computation: 8 * n / float64(procs), Split: true, Repetitions: 1}
			r.Communication = a[0] + a[1]
			r.Seconds = r.Computation + r.Communication
			p.Runs, p.Seconds = append(p.Runs, r), append(p.Seconds, a)
		}
	}
	return p
}

func TestModel(t *testing.T) {
	p := exact()
	var m Model
	if err := m.EstimateTo(make([]perfmodel.Estimate, 1), perfmodel.Query{Features: []float64{1}, Processes: []int{1}}); !errors.Is(err, perfmodel.ErrNotFitted) {
		t.Errorf("not fitted: %v", err)
	}
	for _, m := range []*Model{{}, {Proportional: true}, {Work: perfmodel.Product}} {
		if err := m.Fit(&p); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{"MPI_Allreduce", "MPI_Alltoall"}, m.Functions()); diff != "" {
			t.Errorf("functions: %s", diff)
		}
		for _, procs := range []int{1, 2, 64} {
			const n = 20
			want := 8*n/float64(procs) + .1*n*growth(false, procs) + .001*n*growth(true, procs)
			e, err := perfmodel.At(m, []float64{n}, procs)
			if err != nil || math.Abs(e.Seconds/want-1) > 1e-9 || e.Lower > e.Seconds || e.Upper < e.Seconds {
				t.Errorf("%d processes: %+v (%v), want %v", procs, e, err, want)
			}
		}
	}
	// One equation for both would not do: that of perfmodel.CAP3 is 2% off or more.
	sum := perfmodel.CAP3{}
	if err := sum.Fit(&p.Profile); err != nil {
		t.Fatal(err)
	}
	e, _ := perfmodel.At(&sum, []float64{20}, 64)
	if want := 160./64 + 12 + .02*64*6; math.Abs(e.Seconds/want-1) < .02 {
		t.Errorf("CAP3 predicts %v as well, want it to be off from %v", e.Seconds, want)
	}
	// A function that some runs do not call is added to the longest.
	p.Seconds[1][2] = .5
	p.Runs[1].Communication += .5
	if err := m.Fit(&p); err != nil || len(m.Functions()) != 2 {
		t.Errorf("%v %q", err, m.Functions())
	}
	p.Functions = nil
	for i := range p.Seconds {
		p.Seconds[i] = nil
	}
	if err := m.Fit(&p); !errors.Is(err, ErrMissing) {
		t.Errorf("no functions: %v", err)
	}
}

// mpiP given a threshold leaves out the lines of tasks below it, but not those of the sums:
// the times are the same without them.
func TestThreshold(t *testing.T) {
	want, err := ReadMPIP(strings.NewReader(report))
	if err != nil {
		t.Fatal(err)
	}
	short := strings.Replace(report, "Send                 2    1     20      200      110       50  20.95  81.48\n", "", 1)
	got, err := ReadMPIP(strings.NewReader(short))
	if diff := cmp.Diff(want, got); err != nil || diff != "" || short == report {
		t.Errorf("%v: -want +got:\n%s", err, diff)
	}
}

// Processes of different runs do not make one: a process that began after another had ended,
// and tasks without times.
func TestMixed(t *testing.T) {
	begun := func(at string) Process {
		p, err := ReadTAU(strings.NewReader(strings.Replace(tau1, "ProfileCalls\n", "ProfileCalls # <metadata><attribute><name>Starting Timestamp</name><value>"+at+"</value></attribute></metadata>\n", 1)))
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	a, b, c := begun("1476215382275422"), begun("1476215394000000"), begun("1476215396000000") // each takes 3 s
	if math.Abs(a.Started-1476215382.275422) > 1e-6 {
		t.Errorf("started %v", a.Started)
	}
	if r, err := Mean([]Process{b, a}); err != nil || r.Processes != 2 {
		t.Errorf("9 s apart: %v", err)
	}
	_, err := Mean([]Process{c, b, a})
	var bad *inputerr.Error
	if !errors.As(err, &bad) || !errors.Is(err, ErrMixed) || bad.Index != 0 || !strings.Contains(err.Error(), "it began 11 s after process 2 had ended") {
		t.Errorf("11 s apart: %v", err)
	}
	if _, err := Mean([]Process{c, begun("x"), {Seconds: 1}}); err != nil {
		t.Errorf("unknown starts: %v", err)
	}
	short := strings.Replace(report, "@ MPI Task Assignment      : 1 node1\n", "@ MPI Task Assignment      : 1 node1\n@ MPI Task Assignment      : 2 node1\n", 1)
	if _, err := ReadMPIP(strings.NewReader(short)); !errors.Is(err, ErrMixed) {
		t.Errorf("a task without time: %v", err)
	}
}

// A process that says how many its run had is not one of fewer or of more.
func TestSize(t *testing.T) {
	of := func(n string) Process {
		p, err := ReadTAU(strings.NewReader(strings.Replace(tau1, "ProfileCalls\n", "ProfileCalls # <metadata><attribute><name>MPI Comm World Size</name><value>"+n+"</value></attribute></metadata>\n", 1)))
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	two, silent := of("2"), Process{Seconds: 3}
	if two.Of != 2 || of("x").Of != 0 || of("99999999999").Of != 0 {
		t.Errorf("of %d, %d and %d processes, want 2 and twice 0", two.Of, of("x").Of, of("99999999999").Of)
	}
	for _, c := range []struct {
		all  []Process
		want error
		at   int
	}{
		{[]Process{two, two}, nil, 0}, {[]Process{silent, two}, nil, 0}, {[]Process{silent, silent, silent}, nil, 0},
		{[]Process{two}, ErrMissing, 0}, {[]Process{silent, silent, two}, ErrMixed, 2}, {[]Process{two, of("3")}, ErrMissing, 1},
	} {
		_, err := Mean(c.all)
		var bad *inputerr.Error
		if !errors.Is(err, c.want) || errors.As(err, &bad) != (c.want != nil) || c.want != nil && bad.Index != c.at {
			t.Errorf("%d processes: %v, want %v at %d", len(c.all), err, c.want, c.at)
		}
	}
}

func TestAllToAll(t *testing.T) {
	for name, want := range map[string]bool{
		"MPI_Barrier": false, "MPI_Ibcast": false, "MPI_Reduce": false, "MPI_Allreduce": false, "MPI_Isend": false, "MPI_Waitall": false,
		"MPI_Alltoallv": true, "MPI_Ialltoall": true, "MPI_Allgather": true, "MPI_Scatterv": true,
	} {
		if got := allToAll(name); got != want {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}

func TestProfiles(t *testing.T) {
	p := exact()
	var text bytes.Buffer
	if err := WriteProfiles(&text, []Profile{p}); err != nil {
		t.Fatal(err)
	}
	back, err := ReadProfiles(bytes.NewReader(text.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	want := exact() // but for the function that nothing calls
	want.Functions = want.Functions[:2]
	for i := range want.Seconds {
		want.Seconds[i] = want.Seconds[i][:2]
	}
	if diff := cmp.Diff([]Profile{want}, back, cmpopts.IgnoreFields(perfmodel.Run{}, "Resolution")); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	for text, say := range map[string]string{
		"processes,seconds,MPI_Send\n1,5,x\n":          "line 2 (MPI_Send)",
		"processes,seconds,MPI_Send\n1,5,-1\n":         "line 2 (MPI_Send)",
		"processes,seconds,MPI_Send\n1,5,1\nx,5,1\n":   "line 3",
		"processes,seconds,MPI_Send,MPI_Send\n1,5,1\n": "two such columns",
		"processes,seconds,MPI_Send\n1,5\n":            "2 cells: want 3",
	} {
		if _, err := ReadProfiles(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), say) {
			t.Errorf("%q: %v, want %q", text, err, say)
		}
	}
}

func FuzzReadTAU(f *testing.F) {
	f.Add(tau0)
	f.Add(tau1)
	f.Fuzz(func(t *testing.T, text string) {
		p, err := ReadTAU(strings.NewReader(text))
		if err != nil {
			return
		}
		sum := 0.0
		for _, x := range p.Functions {
			sum += x.Seconds
		}
		if !(p.Seconds > 0) || !(sum >= 0) {
			t.Errorf("%+v", p)
		}
	})
}

func FuzzReadMPIP(f *testing.F) {
	f.Add(report)
	f.Add(concise(report))
	f.Fuzz(func(t *testing.T, text string) {
		if r, err := ReadMPIP(strings.NewReader(text)); err == nil && (!(r.Seconds > 0) || r.Processes < 1) {
			t.Errorf("%+v", r)
		}
	})
}

func FuzzReadProfiles(f *testing.F) {
	f.Add("application,case,processes,seconds,n,MPI_Send\na,s,2,5,1,.5\na,l,4,6,2,\nb,l,4,6,2,1\n")
	f.Fuzz(func(t *testing.T, text string) {
		list, err := ReadProfiles(strings.NewReader(text))
		if err != nil {
			return
		}
		var again bytes.Buffer
		if err := WriteProfiles(&again, list); err != nil {
			return // such as names with line feeds
		}
		back, err := ReadProfiles(&again)
		if err != nil {
			t.Fatalf("%v", err)
		}
		if diff := cmp.Diff(list, back, cmpopts.EquateEmpty(), cmpopts.IgnoreFields(perfmodel.Run{}, "Resolution")); diff != "" {
			t.Errorf("-first +second:\n%s", diff)
		}
	})
}
