package main

import (
	"encoding/csv"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/examples/internal/programtest"
	"github.com/plimsoll/plimsoll/examples/internal/seriesfile"
	"github.com/plimsoll/plimsoll/examples/internal/shared"
	"github.com/plimsoll/plimsoll/forecast"
)

// tested is run in the process of the tests. Its golden files are renewed by
// go test ./examples/tools/forecast -update.
var tested = programtest.Program{Name: "forecast", Run: program.Run}

func TestMain(m *testing.M) { programtest.Main(m, main) }

// setClock has the program see a clock of which every other reading is later.
func setClock(t *testing.T, step time.Duration) {
	t.Helper()
	at, calls := time.Time{}, 0
	now = func() time.Time {
		if calls++; calls%2 == 0 {
			at = at.Add(step)
		}
		return at
	}
	t.Cleanup(func() { now = time.Now })
}

func TestGolden(t *testing.T) {
	setClock(t, 1234567*time.Nanosecond)
	stdout, stderr := tested.Must(t)
	programtest.Golden(t, "default.txt", stdout)
	programtest.Golden(t, "default-notes.txt", stderr)
	programtest.Narrow(t, stdout, 80)
	programtest.Narrow(t, stderr, 80)
	if n := strings.Count(stdout+stderr, "\n"); n > 40 {
		t.Errorf("%d lines: want 40 at most", n)
	}
	if again, _ := tested.Must(t); again != stdout {
		t.Error("a second run gives another result")
	}
}

func TestHelp(t *testing.T) {
	tested.Help(t, program.FlagNames(), forecast.Names()...)
}

type row struct {
	Model                                   string
	MASE, SMAPE, WAPE, RMSE, Bias, Coverage *float64
	Seconds                                 float64
	Series, Forecasts, Steps                int
	Season, Alarms                          int
	Level                                   float64
	Chosen, Default                         bool
	Unseasoned                              int
}

func decode(t *testing.T, stdout string) []row { t.Helper(); return programtest.Rows[row](t, stdout) }

func first(a, _ string) string { return a }

// By hand: the naive forecast from 1, 3, 2, 4 is 4, which 5 and 7 miss by 1 and 3; steps before
// are 2, 1 and 2, 5/3 on average. sMAPE is 200·(1/9 + 3/11)/2.
func TestNaive(t *testing.T) {
	setClock(t, 2*time.Millisecond)
	const want = `[
  {"model":"naive","mase":1.2,"smape":38.38383838,"wape":0.3333333333,"rmse":2.236067977,"bias":-2,"coverage":1,` +
		`"seconds":0.002,"series":1,"forecasts":1,"steps":2,"season":1,"level":0.95,"alarms":0,"chosen":true,"default":false}
]
`
	for name, files := range map[string][2]string{
		"held out":               {"name,1,2,3,4,5,6\na,1,3,2,4,5,7\n", ""},
		"a test of the horizon":  {"name,1,2,3,4\na,1,3,2,4\n", "name,1,2\na,5,7\n"},
		"a test longer than it":  {"name,1,2,3,4\na,1,3,2,4\n", "name,1,2,3\na,5,7,100\n"},
		"a test shorter than it": {"name,1,2,3,4,5\na,1,3,2,4,5\n", "name,1\na,7\n"},
		"quoted, zipped": {programtest.Gzip("\"V1\",\"V2\",\"V3\"\r\n\"a\",\"1\",\"3\",\"2\",\"4\",\"\",\"\"\r\n"),
			programtest.Gzip("\"V1\"\n\"a\",\"5\",\"7\",\n")},
		"a mark of the encoding":      {"\xef\xbb\xbf\"name\",1\na,1,3,2,4,5,7\n", ""},
		"spaces, blank lines, no end": {"\xef\xbb\xbfname\n\n a , 1, 3, 2, 4, 5, 7,,\n\n\n", ""},
		"numbers in other forms":      {"name\na,1.0,3e0,.2e1,+4,5,0.7E+1", ""},
		"a header that counts":        {"2019,2020,2021,2022\na,1,3,2,4,5,7", ""},
	} {
		args := []string{"-demand", programtest.Write(t, "train.csv", files[0]), "-models", "naive", "-steps", "2", "-json"}
		if files[1] != "" {
			args = append(args, "-test", programtest.Write(t, "test.csv", files[1]))
		} else {
			args = append(args, "-origins", "1")
		}
		got, _ := tested.Must(t, args...)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// By hand: two origins of a at horizon 1 are from 1, 2 and from 1, 2, 4, with errors 2 and 4 and scales 1 and 1.5.
// From 1 alone there is no scale.
func TestOrigins(t *testing.T) {
	train := programtest.Write(t, "train.csv", "name\na,1,2,4,8\nb,10,20,40,80\n")
	got := decode(t, first(tested.Must(t, "-demand", train, "-models", "naive", "-steps", "1", "-origins", "2", "-json")))[0]
	if got.Series != 2 || got.Forecasts != 4 || math.Abs(*got.MASE-(2+4/1.5)/2) > 1e-9 || math.Abs(*got.RMSE-66./4) > 1e-9 {
		t.Errorf("%+v", got)
	}
	status, _, stderr := tested.Try("-demand", train, "-models", "naive", "-steps", "1", "-origins", "3", "-series", "a")
	if status != 2 || !strings.Contains(stderr, "leave 1 to fit to") {
		t.Errorf("-origins 3: exit status %d, %s", status, stderr)
	}
}

// NA, NaN and an empty field are the same, and change the result of all models but little.
func TestMissing(t *testing.T) {
	setClock(t, time.Millisecond)
	line := "1,2,3,2,4,3,5,4,%s,5,7,6,8,%[1]s,9,8,10,9,11,10"
	run := func(s string) string {
		return first(tested.Must(t, "-demand", programtest.Write(t, "train.csv", "name\na,"+fmt.Sprintf(line, s)), "-steps", "3", "-origins", "2", "-json"))
	}
	empty := run("")
	for _, s := range []string{"NA", "NaN", " na ", `"NA"`, "nan"} {
		if got := run(s); got != empty {
			t.Errorf("%q: %s, want %s", s, got, empty)
		}
	}
	if run("6") == empty {
		t.Error("a missing value is one of 6")
	}
	// Missing values at the end are forecast over: the naive forecast is that of 5.
	out := filepath.Join(t.TempDir(), "out.csv")
	tested.Must(t, "-demand", programtest.Write(t, "train.csv", "name\na,1,3,2,4,5,NA,,\n"), "-steps", "2", "-origins", "1", "-models",
		"naive", "-forecast", out)
	lines := strings.Split(programtest.Read(t, out), "\n")
	if len(lines) != 4 || lines[0] != "series,step,forecast,low,high" || !strings.HasPrefix(lines[1], "a,1,5,") || !strings.HasPrefix(lines[2], "a,2,5,") {
		t.Errorf("%q", lines)
	}
}

// A constant series is forecast as it is by every model, and all measures are 0.
func TestConstant(t *testing.T) {
	for _, x := range []string{"5", "0.1", "-3e9", "0", "1e-300"} {
		train := programtest.Write(t, "train.csv", "name\na"+strings.Repeat(","+x, 100))
		rows := decode(t, first(tested.Must(t, "-demand", train, "-json")))
		want := len(forecast.Names())
		if x[0] == '-' || x == "0" {
			want-- // winters-ratio wants values above 0
		}
		if len(rows) != want {
			t.Errorf("%d rows, want %d", len(rows), want)
		}
		zero := 0.0
		for _, r := range rows {
			if *r.MASE != 0 || *r.RMSE != 0 || *r.Bias != 0 || *r.WAPE != 0 || *r.SMAPE != 0 || *r.Coverage != 1 {
				t.Errorf("%s: %s: %s", x, r.Model, cmp.Diff(row{MASE: &zero, RMSE: &zero}, r))
			}
		}
		if text, _ := tested.Must(t, "-demand", train); strings.Contains(text, "NaN") {
			t.Errorf("%s:\n%s", x, text)
		}
	}
}

// Series of any magnitude print, with the same measures without a unit.
func TestMagnitudes(t *testing.T) {
	want := decode(t, first(tested.Must(t, "-json")))
	for _, factor := range []float64{1e-140, 1e-7, 1e3, 1e8, 1e100, 1e147} {
		var b strings.Builder
		b.WriteString("name\nmade-up")
		for _, x := range seriesfile.MadeUp() {
			fmt.Fprintf(&b, ",%g", x*factor)
		}
		train := programtest.Write(t, "train.csv", b.String())
		stdout, _ := tested.Must(t, "-demand", train)
		for _, text := range []string{"NaN", "Inf", "- "} {
			if i := strings.Index(stdout, text); i >= 0 {
				t.Errorf("%g: %q in\n%s", factor, text, stdout)
			}
		}
		programtest.Narrow(t, stdout, 88)
		svg(t, "-demand", train)
		for i, got := range decode(t, first(tested.Must(t, "-demand", train, "-json"))) {
			for _, c := range [...][2]float64{{*got.MASE, *want[i].MASE}, {*got.SMAPE, *want[i].SMAPE}, {*got.RMSE / factor, *want[i].RMSE},
				{*got.Coverage, *want[i].Coverage}} {
				if math.Abs(c[0]-c[1]) > 1e-3*math.Abs(c[1]) {
					t.Errorf("%g: %s: %v, want %v", factor, got.Model, c[0], c[1])
				}
			}
		}
	}
}

// A measure without a value is null for machines and a dash for people.
func TestUndefined(t *testing.T) {
	train := programtest.Write(t, "train.csv", "name\na,1,2,1,2,1,2,1,2,1,0,0\n")
	got := decode(t, first(tested.Must(t, "-demand", train, "-steps", "2", "-origins", "1", "-json")))
	if got[0].Model != "naive" || got[0].WAPE != nil || *got[0].SMAPE != 200 || *got[0].MASE != 1 {
		t.Errorf("%+v", got[0])
	}
	text, _ := tested.Must(t, "-demand", train, "-steps", "2", "-origins", "1", "-models", "naive")
	if !strings.Contains(text, "200.000        -  ") {
		t.Errorf("no dash in\n%s", text)
	}
}

// Series that cannot be used for all models are left out for all, and named; where the model to use can be
// fitted to them they are forecast all the same.
func TestLeftOut(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out.csv")
	args := []string{"-demand", programtest.Write(t, "train.csv", `name
empty,,,
one,7
short,1,2,3,4,5
flat,4,4,4,4,4,4,4,4,4,5,6
blank,1,2,1,2,1,2,1,2,1,NA,NaN
good,1,2,1,2,1,2,1,2,1,2,1
flat too,4,4,4,4,4,4,4,4,4,4,4
`), "-steps", "2", "-origins", "1", "-models", "naive,holt"}
	stdout, stderr := tested.Must(t, append(args, "-json", "-forecast", out)...)
	for _, r := range decode(t, stdout) {
		if r.Series != 2 || r.Forecasts != 2 {
			t.Errorf("%+v, want 2 series", r)
		}
	}
	for _, want := range []string{
		"3 series are left out, too short for a forecast of 2 steps:\n  \"empty\", \"one\", \"short\"\n",
		"1 series is left out, without two neighbouring values that differ, before changes that MASE would measure by them:\n  \"flat\"\n",
		"1 series is left out, without a known value in one of the spans of 2 steps to compare with:\n  \"blank\"\n",
	} {
		if !strings.Contains(stderr, want) {
			t.Errorf("the notes do not say %q:\n%s", want, stderr)
		}
	}
	forecasts := programtest.Read(t, out)
	for name, want := range map[string]int{"empty": 0, "short": 2, "flat": 2, "blank": 2, "good": 2, "flat too": 2} {
		if got := strings.Count(forecasts, "\n"+name+","); got != want {
			t.Errorf("%d forecasts of %s, want %d:\n%s", got, name, want, forecasts)
		}
	}
	if strings.Contains(forecasts, "NaN") || !strings.Contains(stderr, "not in -forecast, too short to fit") {
		t.Errorf("%s%s", forecasts, stderr)
	}
	// The picture is of the first series that was compared.
	tested.SVG(t, args, "good: forecast by ")
}

// -series alone gives what a file with that series alone gives.
func TestSeries(t *testing.T) {
	setClock(t, time.Millisecond)
	const a, b = "a,5,3,6,4,7,5,8,6,9,7,8\n", "b,1,2,1,2,1,2,1,2,1,2,1\n"
	args := []string{"-steps", "2", "-origins", "1"}
	both := append(args, "-demand", programtest.Write(t, "train.csv", "name\n"+a+b))
	one, stderr := tested.Must(t, append(both, "-series", "b")...)
	alone, _ := tested.Must(t, append(args, "-demand", programtest.Write(t, "train.csv", "name\n"+b))...)
	if one != alone {
		t.Error(cmp.Diff(alone, one))
	}
	if !strings.Contains(stderr, `the series "b", one of 2, of 11 values`) {
		t.Error(stderr)
	}
	if text, _ := tested.Must(t, both...); !strings.Contains(text,
		"Means over 2 forecasts of 2 steps, from 1 point of 2 series.\n12 more models with -all.\nUse ") ||
		strings.Contains(text, "tracking") {
		t.Error(text)
	}
}

// No forecast and no end of an interval is below 0 with -nonnegative.
func TestNonNegative(t *testing.T) {
	train := programtest.Write(t, "train.csv", "name\na,20,19,18,17,15,14,13,12,10,9,8,7,5,4,3,2,1\n")
	below := func(args ...string) (n int) {
		out := filepath.Join(t.TempDir(), "out.csv")
		tested.Must(t, append(args, "-demand", train, "-steps", "4", "-origins", "1", "-models", "holt", "-forecast", out)...)
		rows, err := csv.NewReader(strings.NewReader(programtest.Read(t, out))).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range rows[1:] {
			for _, field := range r[2:] {
				if strings.HasPrefix(field, "-") {
					n++
				}
			}
		}
		return n
	}
	if n := below(); n == 0 {
		t.Error("nothing is below 0 without the limit, which shows nothing")
	}
	if n := below("-nonnegative"); n > 0 {
		t.Errorf("%d numbers are below 0", n)
	}
}

// A lower probability has narrower intervals, of the forecast and of those that are compared.
func TestInterval(t *testing.T) {
	run := func(p string) (covered, width float64) {
		out := filepath.Join(t.TempDir(), "out.csv")
		r := decode(t, first(tested.Must(t, "-models", "naive", "-level", p, "-forecast", out, "-json")))[0]
		if fmt.Sprint(r.Level) != p {
			t.Errorf("-level %s: %v", p, r.Level)
		}
		var step int
		var mean, low, high float64
		line := strings.Split(programtest.Read(t, out), "\n")[1]
		if _, err := fmt.Sscanf(strings.ReplaceAll(line, ",", " "), "made-up %d %g %g %g", &step, &mean, &low, &high); err != nil {
			t.Fatal(err)
		}
		if !(low < mean && mean < high) {
			t.Errorf("-level %s: %s", p, line)
		}
		return *r.Coverage, high - low
	}
	half, narrow := run("0.5")
	most, wide := run("0.99")
	// Quantiles of the normal distribution are .674 and 2.576; Student's of 200 values differ by 1%.
	if ratio := wide / narrow; half >= most || math.Abs(ratio-2.576/.674) > .05 {
		t.Errorf("coverage %v and %v, widths %v and %v", half, most, narrow, wide)
	}
}

func TestDigits(t *testing.T) {
	for x, want := range map[float64]string{math.Copysign(0, -1): "0", 1. / 3: "0.3333333333", 123456789012: "1.23456789e+11", -5: "-5"} {
		if got := digits(x); got != want {
			t.Errorf("%v: %s, want %s", x, got, want)
		}
	}
}

// A long forecast is cut in the table, and whole in the file.
func TestLongForecast(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out.csv")
	stdout, _ := tested.Must(t, "-steps", "100", "-origins", "1", "-models", "naive", "-forecast", out)
	if !strings.Contains(stdout, "\n  13 ") || strings.Contains(stdout, "\n  14 ") || !strings.Contains(stdout,
		"\n87 steps more with -all, or with -forecast OUT.\n") {
		t.Error(stdout)
	}
	if stdout, _ := tested.Must(t, "-steps", "100", "-origins", "1", "-all"); !strings.Contains(stdout, "\n 100 ") || strings.Count(stdout,
		"\n") < 100+len(forecast.Names()) || strings.Contains(stdout, "-all") {
		t.Error(stdout)
	}
	if got := strings.Count(programtest.Read(t, out), "\n"); got != 1+100 {
		t.Errorf("%d lines", got)
	}
}

// A tracking signal beyond what chance gives is an alarm: the naive forecast of a rising line errs one
// way at each step, that of a line up and down does not.
func TestAlarm(t *testing.T) {
	for values, want := range map[string]bool{
		"1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16": true,
		"1,2,1,2,1,2,1,2,1,2,1,2,1,2,1,2,1,2,1":  false,
	} {
		stdout, _ := tested.Must(t, "-demand", programtest.Write(t, "train.csv", "name\na,"+values), "-steps", "1", "-models", "naive")
		if got := strings.Contains(stdout, "do not rely on it"); got != want {
			t.Errorf("%s: an alarm: %v\n%s", values, got, stdout)
		}
	}
}

// svg returns the picture, which has no number that is none.
func svg(t *testing.T, args ...string) string {
	t.Helper()
	text := tested.SVG(t, args, "history", "forecast", "95% interval", " ago")
	if strings.Contains(text, "NaN") || strings.Contains(text, "Inf") {
		t.Errorf("%q: numbers that are none in the picture", args)
	}
	return text
}

func TestSVG(t *testing.T) {
	odd := programtest.Write(t, "train.csv", "name\n\"a<b>&c\x01\",1,NA,2,NA,3,4,NA,5,6,1\nflat,0,0,0,0,0,0,0,0,0,0\n")
	for _, args := range [][]string{
		nil,
		{"-steps", "100", "-origins", "1"},
		{"-steps", "1", "-origins", "2"},
		{"-demand", odd, "-steps", "1", "-origins", "1", "-models", "naive,simple"},
		{"-demand", odd, "-steps", "1", "-origins", "1", "-series", "flat"},
	} {
		// The forecast of what comes, and the one of a horizon ago: each is an area in this colour.
		if got := strings.Count(svg(t, args...), "fill:#C6D8EE"); got != 2+1 { // and that of the name
			t.Errorf("%q shows %d intervals", args, got-1)
		}
	}
}

// Where five origins would leave less than half of the values to fit to, there are fewer.
func TestFewOrigins(t *testing.T) {
	for values, want := range map[int]int{100: 5, 79: 3, 26: 1, 20: 1} {
		got := decode(t, first(tested.Must(t, "-demand", programtest.Write(t, "train.csv", "name\na"+strings.Repeat(",1,2", values/2)+",7\n"),
			"-models", "naive", "-steps", "10", "-json")))[0]
		if got.Forecasts != want {
			t.Errorf("%d values: %d forecasts, want %d", values, got.Forecasts, want)
		}
	}
}

// The user's mistakes end with one sentence and status 2, before anything is
// printed, and leave no file.
func TestMistakes(t *testing.T) {
	dir := t.TempDir()
	train := func(text string) []string { return []string{"-demand", programtest.Write(t, "f.csv", text)} }
	test := func(text string) []string {
		return append(train("name\na,1,2,3\nb,4,5,6\n"), "-test", programtest.Write(t, "g.csv", text))
	}
	long := strings.Repeat("1,2,", 100)
	out := filepath.Join(dir, "out.svg")
	keep := programtest.WriteIn(t, dir, "keep.csv", "name\na,1,2,3\n")
	tested.Frame(t, "svg", "forecast")
	tested.Mistakes(t, dir, []programtest.Wrong{
		{[]string{"-models", "best"}, `"best" is no model: want all, or some of naive,drift,`},
		{[]string{"-models", ""}, `"" is no model`},
		{[]string{"-models", "holt,naive,holt"}, `"holt" is there twice`},
		{[]string{"-models", "all,naive"}, `"all" is no model`},
		{[]string{"-steps", "0"}, "from 1 to 100,000"},
		{[]string{"-steps", "-3"}, "from 1 to 100,000"},
		{[]string{"-steps", "1e3"}, "from 1 to 100,000"},
		{[]string{"-steps", "99999999999999999999"}, "from 1 to 100,000"},
		{[]string{"-steps", "100000", "-origins", "1000"}, "has 208 values, and 1,000 forecasts of 100,000 steps leave 0 to fit to: want a lower -steps"},
		{[]string{"-steps", "207", "-origins", "1"}, "has 208 values, and a forecast of 207 steps leaves 1 to fit to"},
		{[]string{"-steps", "206", "-origins", "1"}, "leaves too few values to fit simple to: 2 known values, want 3 at least"},
		{[]string{"-origins", "0"}, "from 1 to 1,000"},
		{[]string{"-least-values", "1"}, "from 2 to"},
		{[]string{"-least-values", "144"}, "has 208 values, and 5 forecasts of 13 steps leave 143 to fit to: want a lower -steps or -least"},
		{[]string{"-level", "0"}, "above 0 and below 1"},
		{[]string{"-level", "1"}, "above 0 and below 1"},
		{[]string{"-level", "95"}, "above 0 and below 1"},
		{[]string{"-level", "NaN"}, "above 0 and below 1"},
		{[]string{"-level", "most"}, "above 0 and below 1"},
		{[]string{"-series", ""}, "name of a series"},
		{[]string{"-series", "W1"}, `-series "W1": the made-up demand has no such series: there is "made-up"`},
		{append(train("name\na,1\nb,1\nc,1\nd,1\ne,1\nf,1\ng,1\n"), "-series", "h"), `there is "a", "b", "c", "d", "e" and 2 more`},
		{[]string{"-test", keep}, "needs a -demand"},

		{train(""), "f.csv: the file is empty"},
		{train("name\na,1,x,3\n"), `f.csv: line 2, field 3, series "a": "x" is not a number: want a number, or NA or nothing where a value is missing`},
		{train("name\na,,NA,\n"), `the series "a" has 2 values, and a forecast of 13 steps leaves 0 to fit to`},
		{train("name\na,1,2,3\n"), `the series "a" has 3 values, and a forecast of 13 steps leaves 0 to fit to`},
		{train("name\na,1,2,3\nb,1,2\n"), "f.csv: none of the 2 series can be used for all of the models: 2 too short for a forecast of 13 steps"},
		{train("name\na," + strings.Repeat("4,", 99) + "5\n"), `the series "a" is without two neighbouring values that differ`},
		{train("name\na," + long + strings.Repeat("NA,", 14) + "\n"), `the series "a" is without a known value in one of the spans of 13 steps`},
		{append(train("name\na,NA,NA,"+strings.Repeat("1,2,", 32)+"3\n"), "-origins", "5"), "leaves too few values to fit naive to: 0 known values"},

		{test("name\na,1\n"), `g.csv: the series "b" of -demand `},
		{test("name\nb,1\na,1\nc,1\nd,2\n"), `g.csv: line 4: the series "c" is not in -demand `},
		{test("name\nb,1\na,,\n"), `g.csv: line 3: the series "a" has no value`},
		{test("name\na,1\nb,one\n"), `g.csv: line 3, field 2, series "b": "one" is not a number`},
		{test(""), "g.csv: the file is empty"},
		{append(test("name\na,1\nb,1\n"), "-steps", "4"), "none of the 2 series can be used"},

		{append(train("name\na,1\n"), "-svg", out, "-json"), "want a lower -steps or -least-values, fewer -origins or other -models"},
	})
}

// An interrupted run leaves the old file and no temporary one.
func TestInterrupt(t *testing.T) { programtest.Interrupt(t, "-demand", "name\na,1\n") }

func TestBrokenOutput(t *testing.T) { tested.Broken(t, nil, []string{"-json"}) }

// The 359 weekly series of the M4 competition, 13 weeks ahead, one command. MASE and sMAPE of the naive
// forecast and of drift, and the coverage of their analytic intervals, are those of R's package forecast
// on the same work. The default is to be at most R's damped trend, 2.400, with 93 to 97% in its intervals.
// The default is fitted once, for 13 weeks; what counts series is asked of the other two. (Package forecast
// tests the default over 52 weeks, and the other models.)
func TestM4(t *testing.T) {
	args := []string{"-demand", shared.File(t, "forecast/M4_Weekly-train.csv.gz"),
		"-test", shared.File(t, "forecast/M4_Weekly-test.csv.gz"), "-models", "naive,drift", "-json"}
	check := func(rows []row, horizon int) {
		t.Helper()
		for _, r := range rows {
			if r.Series != 359 || r.Forecasts != 359 || r.Steps != horizon {
				t.Errorf("%+v: %d series, %d forecasts", r, r.Series, r.Forecasts)
			}
		}
	}
	close := func(name string, got *float64, want float64) {
		t.Helper()
		if got == nil || math.Abs(*got-want) > .0005 {
			t.Errorf("%s is %v, want %v", name, *number(*got), want)
		}
	}
	rows := decode(t, first(tested.Must(t, append(args, "-analytic")...)))
	check(rows, 13)
	close("MASE of naive", rows[0].MASE, 2.777)
	close("sMAPE of naive", rows[0].SMAPE, 9.161)
	close("coverage of naive", rows[0].Coverage, .949)
	close("MASE of drift", rows[1].MASE, 2.682)
	close("sMAPE of drift", rows[1].SMAPE, 9.484)
	close("coverage of drift", rows[1].Coverage, .954)

	rows = decode(t, first(tested.Must(t, append(args, "-models", "naive,drift,"+forecast.Default)...)))
	check(rows, 13)
	if len(rows) != 3 || rows[0].Chosen || rows[1].Chosen || !rows[2].Chosen {
		t.Errorf("%+v: want the default to be chosen", rows)
	}
	if r := rows[2]; *r.MASE > 2.400 || *r.Coverage < .93 || *r.Coverage > .97 {
		t.Errorf("%s: MASE %v, coverage %v", r.Model, *r.MASE, *r.Coverage)
	}
	// The last 52 weeks of train and test together, where there are 104 before: as an independent program.
	stdout, stderr := tested.Must(t, append(args, "-steps", "52", "-least-values", "104")...)
	rows = decode(t, stdout)
	close("MASE of naive, 52 weeks", rows[0].MASE, 7.298)
	close("sMAPE of naive, 52 weeks", rows[0].SMAPE, 12.477)
	if rows[1].Series != 294 || !strings.Contains(stderr, "65 series are left out, too short for a forecast of 52 steps from 104 values or more") {
		t.Errorf("%d series\n%s", rows[1].Series, stderr)
	}
	// Without that bound all series are used: the shortest has 93 values.
	check(decode(t, first(tested.Must(t, append(args, "-steps", "52")...))), 52)
	// 52 weeks from five points: where series allow.
	stdout, stderr = tested.Must(t, append(args, "-steps", "52", "-origins", "5")...)
	if r := decode(t, stdout)[0]; r.Series >= 359 || r.Series < 100 || r.Forecasts != 5*r.Series ||
		!strings.Contains(stderr, fmt.Sprintf("%d series are left out, too short for 5 forecasts of 52 steps", 359-r.Series)) {
		t.Errorf("%+v\n%s", r, stderr)
	}
}
