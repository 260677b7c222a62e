package onlineportfolio

import (
	"errors"
	"flag"
	"slices"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/examples/internal/programtest"
	"github.com/plimsoll/plimsoll/forecast"
	"github.com/plimsoll/plimsoll/reserve"
	"github.com/plimsoll/plimsoll/reserve/rules"
)

// flags parses flags.
func flags(t *testing.T, args ...string) *Flags {
	t.Helper()
	var o Flags
	f := cli.NewFlags("test")
	o.Define(f)
	if err := f.Parse(args); err != nil {
		t.Fatal(err)
	}
	return &o
}

func TestUsage(t *testing.T) {
	text := Usage()
	programtest.Narrow(t, text, 88)
	f := cli.NewFlags("test")
	new(Flags).Define(f)
	f.VisitAll(func(g *flag.Flag) {
		if !strings.Contains(text, "\n  -"+g.Name+" ") && !strings.HasPrefix(text, "  -"+g.Name+" ") {
			t.Errorf("-%s is not in the usage", g.Name)
		}
	})
	for _, name := range forecast.Names() {
		if !strings.Contains(strings.ReplaceAll(text, "\n", " "), " "+name+", ") && !strings.Contains(text, " "+name+"\n") {
			t.Errorf("%s is not in the usage", name)
		}
	}
}

// The factors are fitted by default for all models but the simple one.
func TestDefaults(t *testing.T) {
	for args, want := range map[string]int{"": 0, "-model holt": forecast.DefaultEvery, "-fit 5": 5, "-model holt -fit 0": 0} {
		o := flags(t, strings.Fields(args)...)
		x := o.New(nil)
		_, rolling := x.Forecaster.(*forecast.Rolling)
		if o.Fit != want || rolling != (want > 0) || x.Window != 52 || x.Quantile != .4 || x.Planner != nil {
			t.Errorf("%s: %+v, %+v", args, o, x)
		}
	}
	x := flags(t, "-futures", "3", "-planner", "greedy").New(nil)
	if _, ok := x.Planner.(*rules.SEC); !ok || x.Paths != 3 || x.Quantile != 0 || x.Seed != 1 {
		t.Errorf("%+v", x)
	}
}

func TestCaps(t *testing.T) {
	p, err := flags(t).Read()
	if err != nil || p.Caps != nil || len(p.List.Classes) != 4 {
		t.Errorf("%+v, %v", p, err)
	}
	p, err = flags(t, "-cap", "3y-heavy=7").Read()
	if want := []int{0, 0, 0, 7}; err != nil || !slices.Equal(p.Caps, want) {
		t.Errorf("%+v, %v, want %+v", p.Caps, err, want)
	}
	for _, args := range []string{"-cap 5y=3", "-cap 3y-heavy=3 -cap 3y-heavy=4"} {
		if _, err := flags(t, strings.Fields(args)...).Read(); cli.Status(err) != cli.Mistake {
			t.Errorf("%s: %v", args, err)
		}
	}
}

// What the data cause is the user's mistake, with the flag behind the field.
func TestExplain(t *testing.T) {
	field := &reserve.InputError{Field: "Quantile", Index: -1, Err: errors.New("too much")}
	for want, err := range map[string]error{
		"-demand d: week 3: -quantile: too much": Explain("-demand d", 3, field),
		"-demand d: -quantile: too much":         Explain("-demand d", -1, field),
	} {
		if cli.Status(err) != cli.Mistake || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
	if other := errors.New("broken"); Explain("d", 1, other) != other || Explain("d", 1, nil) != nil {
		t.Error("another error is not left as it is")
	}
}

// What is just within the limits of a flag is taken, and what is just beyond is not.
func TestLimits(t *testing.T) {
	for _, args := range [][]string{
		{"-quantile", "1e-9"}, {"-quantile", ".999999"}, {"-alpha", "1e-9"}, {"-alpha", "1"}, {"-alarm", "1e-9"}, {"-alarm", "1"}, {"-premium",
			"0"}, {"-premium", "1000"},
		{"-ladder", "1"}, {"-ladder", "1000000"}, {"-window", "1"}, {"-window", "1000000"}, {"-fit", "0"}, {"-fit", "1000000"},
		{"-futures", "0"}, {"-futures", "10000"}, {"-cap", "a=b=1"}, {"-cap", "a=1000000"},
	} {
		flags(t, args...)
	}
	for _, c := range []programtest.Wrong{
		{[]string{"-planner", "best"}, "want exact or greedy"},
		{[]string{"-model", "oracle"}, "want one of naive, drift, simple"},
		{[]string{"-quantile", "0"}, "between 0 and 1"},
		{[]string{"-quantile", "1"}, "between 0 and 1"},
		{[]string{"-quantile", "NaN"}, "between 0 and 1"},
		{[]string{"-alpha", "0"}, "above 0"},
		{[]string{"-alpha", "1.5"}, "above 0"},
		{[]string{"-alarm", "-1"}, "above 0"},
		{[]string{"-alarm", "2"}, "1 at most"},
		{[]string{"-alarm", "0"}, "above 0"},
		{[]string{"-premium", "1000.1"}, "from 0 to 1000"},
		{[]string{"-futures", "10001"}, "from 0 to 10,000"},
		{[]string{"-cap", "3y-heavy=0"}, "from 1 to"},
		{[]string{"-cap", "3y-heavy=1000001"}, "from 1 to"},
		{[]string{"-premium", "-1"}, "from 0 to 1000"},
		{[]string{"-premium", "Inf"}, "from 0 to 1000"},
		{[]string{"-ladder", "0"}, "from 1 to"},
		{[]string{"-window", "0"}, "from 1 to"},
		{[]string{"-window", "1e6"}, "from 1 to"},
		{[]string{"-fit", "-1"}, "from 0 to"},
		{[]string{"-cap", "3y-heavy"}, "such as 3y-heavy=40"},
		{[]string{"-cap", "=3"}, "such as 3y-heavy=40"},
		{[]string{"-cap", "3y-heavy=none"}, "from 1 to"},
		{[]string{"-cap", "a=1000001"}, "from 1 to 1,000,000"},
	} {
		var o Flags
		f := cli.NewFlags("test")
		o.Define(f)
		if err := f.Parse(c.Args); cli.Status(err) != cli.Mistake || !strings.Contains(err.Error(), c.Want) {
			t.Errorf("%q: %v, want %s", c.Args, err, c.Want)
		}
	}
	o := flags(t, "-window", "3", "-ladder", "4", "-quantile", ".3", "-premium", "2", "-alarm", ".6", "-alpha", ".7", "-classes", "x", "-cap", "a=b=12")
	if o.Window != 3 || o.Ladder != 4 || o.Quantile != .3 || o.Premium != 2 || o.Alarm != .6 || o.Alpha != .7 || o.Classes != "x" ||
		o.caps[0] != (capFlag{"a=b", 12}) {
		t.Errorf("%+v", o)
	}
	if x := o.New(nil); x.Window != 3 || x.Quantile != .3 || x.Premium != 2 || x.Alarm != .6 {
		t.Errorf("%+v", x)
	}
}
