package perfmodel

import (
	"bytes"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/inputerr"
)

func TestReadProfiles(t *testing.T) {
	const in = `processes,application,case,rows,pairs,computation,communication,seconds,repetitions,spread,resolution
1,cg,S,1400,,0.5,0,,3,0.02,0.125
2,cg,S,1400,,0.25,0.125,0.5,,,
4,ep,,,1e6,,,2,,,0
`
	want := []Profile{
		{"cg", []string{"rows"}, []Run{
			{Case: "S", Features: []float64{1400}, Processes: 1, Seconds: 0.5, Computation: 0.5, Split: true, Repetitions: 3, Spread: 0.02, Resolution: 0.125},
			{Case: "S", Features: []float64{1400}, Processes: 2, Seconds: 0.5, Computation: 0.25, Communication: 0.125, Split: true, Repetitions: 1, Resolution: 0.1},
		}},
		{"ep", []string{"pairs"}, []Run{{Features: []float64{1e6}, Processes: 4, Seconds: 2, Repetitions: 1, Resolution: 0}}},
	}
	got, err := ReadProfiles(strings.NewReader(in))
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	var out bytes.Buffer
	if err := WriteProfiles(&out, got); err != nil {
		t.Fatal(err)
	}
	again, err := ReadProfiles(&out)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, again); d != "" {
		t.Error("written and read again:", d)
	}
}

// Spaces around a cell do not count.
func TestReadProfilesTrims(t *testing.T) {
	list, err := ReadProfiles(strings.NewReader(" application , processes,seconds ,n\n a ,2 , 3, 5 \na, 4 ,2 ,6\n"))
	if err != nil || len(list) != 1 || list[0].Application != "a" || len(list[0].Runs) != 2 || list[0].Features[0] != "n" || list[0].Runs[1].Processes != 4 {
		t.Errorf("%+v, %v", list, err)
	}
}

func TestReadProfilesErrors(t *testing.T) {
	for _, c := range []struct {
		in    string
		field string
		line  int
		want  error
	}{
		{"", "profile", -1, ErrMissing},
		{"processes,seconds,x\n", "profile", -1, ErrMissing},
		{"processes,seconds,,x\n1,2,3,4\n", "profile", 1, ErrSyntax},
		{"processes,seconds,x,x\n1,2,3,4\n", "x", 1, ErrSyntax},
		{"seconds,x\n2,3\n", "processes", 1, ErrMissing},
		{"processes,computation,x\n1,2,3\n", "seconds", 1, ErrMissing},
		{"processes,seconds,x\n1,2,3\n1,2\n", "profile", 3, ErrSyntax},
		{"processes,seconds,x\n1,2,\"3\n", "profile", 2, ErrSyntax},
		{"processes,seconds,x\n1,2,3\n0,2,3\n", "processes", 3, ErrRange},
		{"processes,seconds,x\n1.5,2,3\n", "processes", 2, ErrRange},
		{"processes,seconds,x\n1,2,3\n\n1,0,3\n", "seconds", 4, ErrNotPositive}, // the empty line counts
		{"processes,seconds,x\n1,-2,3\n", "seconds", 2, ErrNotPositive},
		{"processes,seconds,x\n1,two,3\n", "seconds", 2, ErrSyntax},
		{"processes,seconds,x\n1,NaN,3\n", "seconds", 2, ErrNotFinite},
		{"processes,seconds,x\n1,1e999,3\n", "seconds", 2, ErrNotFinite},
		{"processes,seconds,x\n1,,3\n", "seconds", 2, ErrMissing},
		{"processes,seconds,x\n1,2,3\n1,2,\n", "x", 3, ErrMissing},
		{"processes,seconds,x,y\n1,2,3,\n1,2,3,4\n", "y", 3, ErrMissing},
		{"processes,seconds,x,repetitions\n1,2,3,0\n", "repetitions", 2, ErrRange},
		{"processes,seconds,x,spread\n1,2,3,-1\n", "spread", 2, ErrRange},
		{"processes,seconds,computation,communication\n1,2,1,\n", "communication", 2, ErrMissing},
		{"processes,seconds,computation,communication\n1,2,,1\n", "computation", 2, ErrMissing},
		{"processes,seconds,communication\n1,2,1\n", "communication", 2, ErrMissing},
		{"processes,seconds,resolution\n1,2,-1\n", "resolution", 2, ErrRange},
		{"processes,seconds,computation,communication\n1,2,1,-1\n", "communication", 2, ErrRange},
		{"processes,computation,communication\n1,0,0\n", "seconds", 2, ErrNotPositive},
		{"processes,computation,communication\n1,1e308,1e308\n", "computation", 2, ErrNotFinite},
	} {
		_, err := ReadProfiles(strings.NewReader(c.in))
		checkInput(t, c.in, err, c.field, c.line, c.want)
	}
}

func checkInput(t *testing.T, name string, err error, field string, index int, want error) {
	t.Helper()
	var in *inputerr.Error
	if !errors.Is(err, want) || !errors.As(err, &in) || in.Field != field || in.Index != index && in.Line != index {
		t.Errorf("%q: error %v, want %v of %s[%d]", name, err, want, field, index)
	}
}

// The resolution is the last decimal that any time has; a mark of the byte order, as
// spreadsheets write it, is no part of the first title.
func TestResolution(t *testing.T) {
	for _, c := range []struct {
		in   string
		want float64
	}{
		{"processes,seconds\n1,2.50\n2,1\n", 0.01},
		{"processes,seconds\n1,2\n2,100\n", 1},
		{"processes,seconds\n1,2e3\n", 1},
		{"processes,seconds\n1,2.5e-3\n", 1e-4},
		{"processes,seconds\n1,2.125E1\n", 0.01},
		{"processes,seconds\n1,0x1p-2\n", 1},
		{"processes,computation,communication\n1,2.5,0.125\n", 0.001},
		{"processes,seconds,computation,communication\n1,2.5,2.25,0.25\n", 0.1},
		{"\ufeffprocesses,seconds\n1,2.5\n", 0.1},
		{"\ufeffprocesses,seconds,resolution\n1,2.5,0.02\n", 0.02},
	} {
		p, err := ReadProfiles(strings.NewReader(c.in))
		if err != nil {
			t.Errorf("%q: %v", c.in, err)
			continue
		}
		if got := p[0].Runs[0].Resolution; got != c.want {
			t.Errorf("%q: %v, want %v", c.in, got, c.want)
		}
	}
}

// An error of the reader comes back as it is.
func TestReadersError(t *testing.T) {
	cause := errors.New("the disk is gone")
	if _, err := ReadProfiles(failing{cause}); !errors.Is(err, cause) {
		t.Error(err)
	}
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

func TestValidate(t *testing.T) {
	good := func() Profile {
		return Profile{"app", []string{"x", "y"}, []Run{
			{Features: []float64{1, 2}, Processes: 1, Seconds: 1, Repetitions: 1},
			{Features: []float64{1, 2}, Processes: 2, Seconds: 1, Repetitions: 2, Split: true, Computation: 1},
		}}
	}
	p := good()
	if err := p.Validate(); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name  string
		spoil func(p *Profile)
		field string
		index int
		want  error
	}{
		{"no name", func(p *Profile) { p.Features[1] = "" }, "Profile.Features[]", 1, ErrMissing},
		{"twice", func(p *Profile) { p.Features[1] = "x" }, "Profile.Features[]", 1, ErrRange},
		{"reserved", func(p *Profile) { p.Features[0] = "seconds" }, "Profile.Features[]", 0, ErrRange},
		{"too few", func(p *Profile) { p.Runs[1].Features = p.Runs[1].Features[:1] }, "Profile.Runs[].Features", 1, ErrMissing},
		{"not a number", func(p *Profile) { p.Runs[1].Features[0] = math.NaN() }, "Profile.Runs[].Features", 1, ErrNotFinite},
		{"no process", func(p *Profile) { p.Runs[1].Processes = 0 }, "Profile.Runs[].Processes", 1, ErrRange},
		{"never", func(p *Profile) { p.Runs[1].Repetitions = 0 }, "Profile.Runs[].Repetitions", 1, ErrRange},
		{"no time", func(p *Profile) { p.Runs[1].Seconds = 0 }, "Profile.Runs[].Seconds", 1, ErrNotPositive},
		{"for ever", func(p *Profile) { p.Runs[1].Seconds = math.Inf(1) }, "Profile.Runs[].Seconds", 1, ErrNotFinite},
		{"resolution", func(p *Profile) { p.Runs[1].Resolution = -1 }, "Profile.Runs[].Resolution", 1, ErrRange},
		{"spread", func(p *Profile) { p.Runs[1].Spread = math.NaN() }, "Profile.Runs[].Spread", 1, ErrRange},
		{"computation", func(p *Profile) { p.Runs[1].Computation = -1 }, "Profile.Runs[].Computation", 1, ErrRange},
		{"communication", func(p *Profile) { p.Runs[1].Communication = math.NaN() }, "Profile.Runs[].Communication", 1, ErrRange},
	} {
		p := good()
		c.spoil(&p)
		checkInput(t, c.name, p.Validate(), c.field, c.index, c.want)
		if err := WriteProfiles(new(bytes.Buffer), []Profile{p}); err == nil {
			t.Errorf("%s: written", c.name)
		}
	}
	checkInput(t, "two of a name", WriteProfiles(new(bytes.Buffer), []Profile{good(), good()}), "profiles", 1, ErrRange)
	if p.MaxProcesses() != 2 || new(Profile).MaxProcesses() != 0 {
		t.Error("MaxProcesses")
	}
	q := p.Select(func(r *Run) bool { return r.Split })
	if len(q.Runs) != 1 || len(p.Runs) != 2 || q.Application != "app" {
		t.Error("Select", q)
	}
}

func TestSaturation(t *testing.T) {
	at := func(n int, x, seconds float64) Run {
		return Run{Features: []float64{x}, Processes: n, Seconds: seconds, Repetitions: 1}
	}
	for _, c := range []struct {
		name      string
		runs      []Run
		processes int
		saturated bool
	}{
		{"nothing", nil, 0, false},
		{"one", []Run{at(4, 1, 9)}, 4, false},
		{"scales", []Run{at(1, 1, 8), at(2, 1, 4), at(4, 1, 2)}, 4, false},
		{"two cores", []Run{at(1, 1, 8), at(2, 1, 4), at(4, 1, 3.9), at(8, 1, 3.8)}, 2, true},
		{"worse at first", []Run{at(1, 1, 8), at(2, 1, 9), at(4, 1, 5)}, 4, false},
		{"never", []Run{at(2, 1, 8), at(4, 1, 8), at(8, 1, 9)}, 2, true},
		{"a larger case scales", []Run{at(1, 1, 8), at(2, 1, 8), at(1, 9, 80), at(2, 9, 40)}, 2, false},
		{"cases on different numbers", []Run{at(1, 1, 8), at(4, 9, 80)}, 4, false},
		{"beats only one", []Run{at(1, 1, 8), at(4, 1, 16), at(8, 1, 9)}, 1, true},
		{"beats only one, the other way", []Run{at(8, 1, 9), at(4, 1, 16), at(1, 1, 8)}, 1, true},
	} {
		p := Profile{Features: []string{"x"}, Runs: c.runs}
		if n, s := p.saturation(); n != c.processes || s != c.saturated {
			t.Errorf("%s: %d %v", c.name, n, s)
		}
	}
}

// On two cores the benchmarks that were run on 1, 2, 4 and 8 processes gain nothing
// beyond 2.
func TestSaturationOfRealTimes(t *testing.T) {
	profiles := sharedNPB(t)
	for i := range profiles {
		p := &profiles[i]
		n, s := p.saturation()
		t.Log(p.Application, n, s)
		if p.Application != "bt" && p.Application != "sp" && (n != 2 || !s) {
			t.Error(p.Application, n, s)
		}
	}
}

// What is parsed, written and parsed again is the same, and nothing panics.
func FuzzReadProfiles(f *testing.F) {
	for _, s := range []string{
		"processes,application,case,rows,computation,communication,seconds,repetitions,spread\n1,cg,S,1400,0.5,0,,3,0.02\n",
		"processes,seconds,x\n1,2,3\n4,1e-3,-0\n",
		"processes,seconds,application,x,y\n1,2,a,3,\n1,2,b,,4\n",
		"processes,seconds,x\r\n1,2,\"3\"\r\n",
		"processes,seconds,case,x\n1,2,\"a,\nb\",3\n",
		"processes,seconds\n1,2\n",
		"",
		"\xff",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		p, err := ReadProfiles(strings.NewReader(s))
		if err != nil {
			var in *inputerr.Error
			if !errors.As(err, &in) {
				t.Fatalf("%T %v", err, err)
			}
			return
		}
		var out bytes.Buffer
		if err := WriteProfiles(&out, p); err != nil {
			t.Fatal(err)
		}
		again, err := ReadProfiles(bytes.NewReader(out.Bytes()))
		if err != nil {
			t.Fatalf("%v in %q", err, out.String())
		}
		if d := cmp.Diff(p, again); d != "" {
			t.Fatal(d)
		}
	})
}

// Features that profiles share keep each profile's order, where a table can.
func TestWriteProfilesKeepsOrder(t *testing.T) {
	run := []Run{{Features: []float64{2, 3}, Processes: 1, Seconds: 1, Repetitions: 1, Resolution: 0.01}}
	in := []Profile{
		{Application: "cg", Features: []string{"rows", "iterations"}, Runs: run},
		{Application: "lu", Features: []string{"nx", "iterations"}, Runs: run},
		{Application: "bt", Features: []string{"nx", "rows"}, Runs: run},
	}
	var out bytes.Buffer
	if err := WriteProfiles(&out, in); err != nil {
		t.Fatal(err)
	}
	got, err := ReadProfiles(&out)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(in, got); d != "" {
		t.Errorf("written and read (-want +got):\n%s", d)
	}
	in[2].Features = []string{"iterations", "nx"}
	checkInput(t, "orders that contradict", WriteProfiles(new(bytes.Buffer), in), "profiles", 2, ErrRange)
}
