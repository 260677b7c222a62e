package huang13

import (
	"errors"
	"math"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/perfmodel"
)

func TestReadTimings(t *testing.T) {
	cases, err := readCases(strings.NewReader("benchmark,class,x1_name,x1,x2_name,x2\nft,S,n,64,it,6\nft,W,n,128,it,6\nep,S,pairs,1024,,\n"))
	if err != nil {
		t.Fatal(err)
	}
	// With the line ends of another system, as spreadsheets write them.
	in := strings.ReplaceAll(`benchmark,class,procs,seconds,run,comp_s,comm_s,clean
ft,W,2,8,1,6,2,1
ft,S,1,3,1,3,0,1
ft,S,1,2,2,2,0,1
ft,S,1,99,3,,,0
ft,W,2,2,2,,,1
ep,S,4,1,1,1,0,1
ep,S,4,4,2,4,0,1
ep,S,4,2,3,2,0,1
`, "\n", "\r\n")
	got, err := readTimings(strings.NewReader(in), cases)
	if err != nil {
		t.Fatal(err)
	}
	ln2 := math.Ln2
	want := []perfmodel.Profile{
		{Application: "ft", Features: []string{"n", "it"}, Runs: []perfmodel.Run{
			{Case: "S", Features: []float64{64, 6}, Processes: 1, Seconds: 2.5, Computation: 2.5, Split: true, Repetitions: 2, Resolution: 1,
				Spread: math.Log(1.5) / math.Sqrt2},
			{Case: "W", Features: []float64{128, 6}, Processes: 2, Seconds: 5, Repetitions: 2, Resolution: 1, Spread: math.Log(4) / math.Sqrt2},
		}},
		{Application: "ep", Features: []string{"pairs"}, Runs: []perfmodel.Run{{Case: "S", Features: []float64{1024}, Processes: 4, Seconds: 2,
			Computation: 2, Split: true, Repetitions: 3, Resolution: 1, Spread: ln2}}},
	}
	near := cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) <= 1e-15*math.Abs(a) })
	if d := cmp.Diff(want, got, near); d != "" {
		t.Error(d)
	}
	one, err := findCase(cases, "ft", "W")
	if err != nil || one.Features[0] != 128 {
		t.Error(one, err)
	}
	if _, err := findCase(cases, "ft", "B"); !errors.Is(err, perfmodel.ErrUnknown) {
		t.Error(err)
	}
	for _, c := range []struct {
		in    string
		field string
		line  int
		want  error
	}{
		{"benchmark,class,procs\nft,S,1\n", "seconds", 1, perfmodel.ErrMissing},
		{"benchmark,class,procs,seconds\nft,S,1,1\nft,B,1,1\n", "class", 3, perfmodel.ErrUnknown},
		{"benchmark,class,procs,seconds\nft,S,0,1\n", "procs", 2, perfmodel.ErrRange},
		{"benchmark,class,procs,seconds\nft,S,1,0\n", "seconds", 2, perfmodel.ErrNotPositive},
		{"benchmark,class,procs,seconds,clean\nft,S,1,1,yes\n", "clean", 2, perfmodel.ErrRange},
		{"benchmark,class,procs,seconds,comp_s,comm_s\nft,S,1,1,1,\n", "comm_s", 2, perfmodel.ErrMissing},
		{"benchmark,class,procs,seconds,clean\nft,S,1,1,0\n", "clean", 0, perfmodel.ErrMissing},
	} {
		_, err := readTimings(strings.NewReader(c.in), cases)
		wantCell(t, c.in, err, c.field, c.line, c.want)
	}
	for _, c := range []struct {
		in    string
		field string
		line  int
		want  error
	}{
		{"class,x1_name,x1\nS,n,1\n", "benchmark", 1, perfmodel.ErrMissing},
		{"benchmark,class,x1_name,x1\nft,S,n,\n", "x1", 2, perfmodel.ErrMissing},
		{"benchmark,class,x1_name,x1\nft,S,,3\n", "x1_name", 2, perfmodel.ErrMissing},
		{"benchmark,class,x1_name,x1\nft,S,seconds,3\n", "x1_name", 2, perfmodel.ErrRange},
		{"benchmark,class,x1_name,x1,x2_name,x2\nft,S,n,3,n,3\n", "x2_name", 2, perfmodel.ErrRange},
		{"benchmark,class,x1_name,x1\nft,S,n,1\nft,S,n,2\n", "class", 3, perfmodel.ErrRange},
		{"benchmark,class,x1_name,x1\nft,S,n,1\nft,W,m,2\n", "x1_name", 3, perfmodel.ErrRange},
		{"benchmark,class,x1_name,x1,x3_name,x3\nft,S,n,1,m,2\n", "x2_name", 1, perfmodel.ErrMissing},
		{"benchmark,class,x2_name,x2\nft,S,n,1\n", "x1_name", 1, perfmodel.ErrMissing},
		{"benchmark,class,x1_name\nft,S,n\n", "x1", 1, perfmodel.ErrMissing},
		{"benchmark,class,x1_name,x1,x2\nft,S,n,1,2\n", "x2_name", 1, perfmodel.ErrMissing},
	} {
		_, err := readCases(strings.NewReader(c.in))
		wantCell(t, c.in, err, c.field, c.line, c.want)
	}
}

func wantCell(t *testing.T, in string, err error, field string, line int, cause error) {
	t.Helper()
	var bad *perfmodel.InputError
	if !errors.As(err, &bad) || bad.Field != field || bad.Line != line || !errors.Is(err, cause) {
		t.Errorf("%q: %v, want line %d (%s): %v", in, err, line, field, cause)
	}
}

// findCase returns the case of an application with the given name.
func findCase(cases []kase, application, name string) (kase, error) {
	for _, c := range cases {
		if c.Application == application && c.Name == name {
			return c, nil
		}
	}
	return kase{}, perfmodel.ErrUnknown
}

// A mark of the byte order, as spreadsheets write it, is no part of the first title, and an
// error of the reader comes back as it is.
func TestTablesOfTheStudy(t *testing.T) {
	cases, err := readCases(strings.NewReader("\ufeffbenchmark,class\nep,S\n"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := readTimings(strings.NewReader("\ufeffbenchmark,class,procs,seconds\nep,S,1,2\n"), cases); err != nil {
		t.Error(err)
	}
	cause := errors.New("the disk is gone")
	if _, err := readCases(iotest.ErrReader(cause)); !errors.Is(err, cause) {
		t.Error(err)
	}
	if _, err := readTimings(iotest.ErrReader(cause), nil); !errors.Is(err, cause) {
		t.Error(err)
	}
	c := kase{"lu", "A", []string{"a", "b", "c"}, []float64{1, 2, 3}}
	if got, err := c.arrange([]string{"c", "a"}); err != nil || !cmp.Equal(got, kase{"lu", "A", []string{"c", "a"}, []float64{3, 1}}) {
		t.Error(got, err)
	}
	if _, err := c.arrange([]string{"c", "d"}); err == nil || !strings.Contains(err.Error(), `has no feature "d"`) {
		t.Error(err)
	}
}

func FuzzReadTimings(f *testing.F) {
	f.Add("benchmark,class,x1_name,x1\na,S,n,1\na,W,n,2\n", "benchmark,class,procs,seconds,comp_s,comm_s,clean\na,S,1,1,1,0,1\na,S,1,2,,,1\na,W,2,3,1,1,0\n")
	f.Add("benchmark,class,x1_name,x1,x2_name,x2\na,S,n,1,,\n", "benchmark,class,procs,seconds\na,S,1,1e308\na,S,1,1e308\n")
	f.Add("", "")
	f.Fuzz(func(t *testing.T, features, times string) {
		cases, err := readCases(strings.NewReader(features))
		if err != nil {
			return
		}
		p, err := readTimings(strings.NewReader(times), cases)
		if err != nil {
			return
		}
		for i := range p {
			if err := p[i].Validate(); err != nil {
				t.Fatal(err)
			}
		}
	})
}
