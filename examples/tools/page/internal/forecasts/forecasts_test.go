package forecasts

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/plimsoll/plimsoll/examples/internal/demandfile"
	"github.com/plimsoll/plimsoll/examples/internal/seriesfile"
	"github.com/plimsoll/plimsoll/examples/tools/page/internal/ask"
	"github.com/plimsoll/plimsoll/forecast"
)

// answered asks a room, and reads its answer, in which mistakes have the field "error".
func answered[A any](t *testing.T, room, question string) (a A) {
	t.Helper()
	if err := json.Unmarshal(Rooms.Answer(room, []byte(question)), &a); err != nil {
		t.Fatalf("%s of %s: %v", room, question, err)
	}
	return a
}

const series = `"series":[10,12,11,13,12,14,15,12,null,30],"today":6,"horizon":"3"`

var near = cmpopts.EquateApprox(0, 1e-9)

// By hand: the last known value is 14, and its errors of one step are 2, -1, 2, -1 and 2, whose
// root mean square is √(14/5). The quantiles of Student's t for five errors are 1.475884 and 0.7267
// (tables), and an error grows about as √h. After today come 15 and 12, then nothing, and nothing more is
// asked for.
func TestForecast(t *testing.T) {
	a := answered[forecastAnswer](t, "forecast", `{`+series+`,"model":"naive","level":" 80 % ","season":"1"}`)
	sigma := math.Sqrt(14. / 5)
	want := forecastAnswer{About: "the last value", Season: 1, Mean: ask.Series{14, 14, 14}, Sigma: sigma, Scored: 2, MAE: 1.5, Within: 2}
	for h := 1; h <= 3; h++ {
		wide, narrow := 1.475884*sigma*math.Sqrt(float64(h)), .7267*sigma*math.Sqrt(float64(h))
		want.Low, want.High = append(want.Low, 14-wide), append(want.High, 14+wide)
		want.Low2, want.High2 = append(want.Low2, 14-narrow), append(want.High2, 14+narrow)
	}
	if diff := cmp.Diff(want, a, cmpopts.EquateApprox(0, 5e-4), cmpopts.IgnoreFields(forecastAnswer{}, "Paths", "Signal")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	// Golden: drawn with the seed of the page.
	if len(a.Paths) != 12 || math.Abs(a.Paths[0][0]-12.932576415997787) > 1e-9 || math.Abs(a.Paths[11][2]-13.390223709078912) > 1e-9 || math.Abs(a.Signal-.503444491861245) > 1e-9 {
		t.Errorf("%d paths, %v to %v; signal %v", len(a.Paths), a.Paths[0], a.Paths[len(a.Paths)-1], a.Signal)
	}
	// In an interval of one half there is 15, and not 12.
	if a := answered[forecastAnswer](t, "forecast", `{`+series+`,"model":"naive","level":"50","season":"1"}`); a.Within != 1 || a.Scored != 2 {
		t.Errorf("%d of %d are within", a.Within, a.Scored)
	}
	// The line through 10 and 14 in five steps; the last two errors are of 12 steps.
	a = answered[forecastAnswer](t, "forecast", `{`+series+`,"model":"drift","level":"80%","season":"1"}`)
	if diff := cmp.Diff(ask.Series{14.8, 15.6, 16.4}, a.Mean, near); diff != "" || math.Abs(a.MAE-(.2+3.6)/2) > 1e-9 {
		t.Errorf("drift: an error of %v, and (-want +got)\n%s", a.MAE, diff)
	}
	// A season is found where none is given, and models say what they have chosen.
	a = answered[forecastAnswer](t, "forecast", `{"series":[1,5,1,5,1,5,1,5,1,5,1,5],"today":12,"model":"seasonal-naive","horizon":"3","level":"99.9","season":" "}`)
	if diff := cmp.Diff(ask.Series{1, 5, 1}, a.Mean, near); diff != "" || a.Season != 2 || a.Scored != 0 || a.MAE != 0 || a.Chosen != "" {
		t.Errorf("%+v: %s", a, diff)
	}
	if a := answered[forecastAnswer](t, "forecast", `{`+series+`,"model":"auto","level":"1","season":"1"}`); !strings.HasPrefix(a.Chosen, "mean ") || a.About != "the mean of the best models" {
		t.Errorf("chosen: %+v", a)
	}
	// From 10 down by 1.4 each step to 3: below 0 in three steps.
	falling := `"series":[10,12,11,9,6,3],"today":6,"horizon":"3","model":"drift","level":"80"`
	a = answered[forecastAnswer](t, "forecast", `{`+falling+`}`)
	b := answered[forecastAnswer](t, "forecast", `{`+falling+`,"non_negative":true}`)
	if math.Abs(a.Mean[2]+1.2) > 1e-9 || !(a.Low[0] < 0) || b.Mean[2] != 0 || b.Low[0] != 0 || math.Abs(b.Mean[1]-.2) > 1e-9 {
		t.Errorf("%v from %v, and not below 0 %v from %v", a.Mean, a.Low, b.Mean, b.Low)
	}
	// A value on the border of an interval is within it: that of a constant series is a point.
	if a := answered[forecastAnswer](t, "forecast", `{"series":[5,5,5,5,5,5,7],"today":5,"model":"naive","horizon":"2","level":"80","season":"1"}`); a.Within != 1 || a.Scored != 2 || a.MAE != 1 {
		t.Errorf("a constant: %+v", a)
	}
}

// What a person got wrong stands beside its field, with the whole sentence.
func TestMistakes(t *testing.T) {
	long := strings.Repeat("1,", 5000)
	for _, c := range []struct{ question, field, text string }{
		{`"series":[` + long + `1]`, "series", "5,001 steps: the page takes at most 5,000; examples/tools/forecast takes more"},
		{`"series":[1,2,3,1.5e12]`, "series", "step 4: 1.5e+12: want a number of at most 1e+12"},
		{`"series":[1,2,-1.5e12]`, "series", "step 3: -1.5e+12: want a number of at most 1e+12"},
		{`"series":[1e12,1,1,1],"today":4,"horizon":"0"`, "horizon", `"0": want a whole number of steps from 1 to 1,000`},
		{`"series":[1,1,1,1],"today":4,"horizon":"1001"`, "horizon", `"1001": want a whole number of steps from 1 to 1,000`},
		{`"series":[1,1,1,1],"today":4,"horizon":"1000","level":"0.9"`, "level", `"0.9": want a probability from 1 to 99.9 per cent`},
		{`"series":[1,1,1,1],"today":4,"horizon":"1","level":"99.95"`, "level", `"99.95": want a probability from 1 to 99.9 per cent`},
		{`"series":[1,1,1,1],"today":4,"horizon":"1","level":"x"`, "level", `"x": want a probability from 1 to 99.9 per cent`},
		{`"series":[1,1,1,1],"today":5,"horizon":"1","level":"1"`, "series", "4 values are known before today: want at least 4"},
		{`"series":[1,1,null,1,2,3],"today":4,"horizon":"1","level":"99.9"`, "series", "3 values are known before today: want at least 4"},
		{`"series":[1,1,1,1],"today":-1,"horizon":"1","level":"50"`, "series", "0 values are known before today: want at least 4"},
		{`"series":[1,1,1,1],"today":4,"horizon":"1","level":"50","season":"0"`, "season", `"0": want a whole number of steps from 1 to 5,000`},
		{`"series":[1,1,1,1],"today":4,"horizon":"1","level":"50","season":"5001"`, "season", `"5001": want a whole number of steps from 1 to 5,000`},
		{`"series":[1,1,1,1],"today":4,"horizon":"1","level":"50","season":"1","model":"x","models":["naive","x"]`, "model", `"x" is no model`},
	} {
		for _, room := range []string{"forecast", "forecast/backtest", "forecast/export"} {
			if room == "forecast/export" && c.field == "model" {
				continue // whose name it copies
			}
			got := answered[struct{ Error ask.Mistake }](t, room, "{"+c.question+"}")
			if diff := cmp.Diff(ask.Mistake{Field: c.field, Text: c.text}, got.Error); diff != "" {
				t.Errorf("%s of %.100s (-want +got):\n%s", room, c.question, diff)
			}
		}
	}
	for _, c := range []struct{ question, field, text string }{
		{`"series":[1,2,3]`, "series", "3 steps: want from 4 to 5000"},
		{`"series":[` + long + `1]`, "series", "5001 steps: want from 4 to 5000"},
		{`"series":[1,2,3,4],"alpha":1.5,"beta":-1`, "alpha", "1.5: want a factor from 0 to 1"},
		{`"series":[1,2,3,4],"alpha":-0.5`, "alpha", "-0.5: want a factor from 0 to 1"},
		{`"series":[1,2,3,4],"alpha":1,"beta":-1`, "beta", "-1: want a factor from 0 to 1"},
		{`"series":[1,2,3,4],"gamma":2`, "gamma", "2: want a factor from 0 to 1"},
	} {
		got := answered[struct{ Error ask.Mistake }](t, "forecast/runaway", "{"+c.question+"}")
		if diff := cmp.Diff(ask.Mistake{Field: c.field, Text: c.text}, got.Error); diff != "" {
			t.Errorf("runaway of %.100s (-want +got):\n%s", c.question, diff)
		}
	}
	// The edges are taken.
	if a := answered[forecastAnswer](t, "forecast", `{"series":[`+strings.TrimSuffix(long, ",")+`],"today":8,"model":"naive","horizon":"1000","level":"1","season":"5000"}`); a.Scored != 1000 || a.Season != 5000 {
		t.Errorf("at the limits: scored %d, season %d", a.Scored, a.Season)
	}
	if a := answered[runawayAnswer](t, "forecast/runaway", `{"series":[`+strings.TrimSuffix(long, ",")+`]}`); len(a.Forms) != 4 {
		t.Errorf("a runaway of 5,000 steps: %+v", a)
	}
}

// By hand, for the last value, from three points of the series: it says 14 for 15 and 12, 12 for 16
// and 18, 18 for 17 and 19. The mean steps before are 8/5, 12/7 and 18/9.
func TestBacktest(t *testing.T) {
	text := `{"series":[10,12,11,13,12,14,15,12,16,18,17,19,99],"today":12,"horizon":"2","level":"80","season":"1","models":["naive","drift","lags"]}`
	a := answered[backtestAnswer](t, "forecast/backtest", text)
	naive := backtestLine{"naive", "the last value", (1.5/1.6 + 5/(12./7) + 1./2) / 3, (3./27 + 10./34 + 2./36) / 3, -9. / 6, 4. / 6}
	if len(a.Rows) != 3 || a.Origins != 3 || a.Not != nil {
		t.Fatalf("%+v", a)
	}
	if diff := cmp.Diff(naive, a.Rows[0], near); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if a.Rows[1].Model != "drift" || a.Rows[2].About != "a recursion in the differences over a season" {
		t.Errorf("%+v", a.Rows)
	}
	values := func(n int) string {
		var all []string
		for i := range n {
			all = append(all, strconv.Itoa(i*i%7))
		}
		return strings.Join(all, ",")
	}
	for _, c := range []struct{ known, horizon, origins int }{{40, 4, 5}, {41, 5, 4}, {39, 5, 3}, {20, 10, 1}, {12, 7, 1}} {
		a := answered[backtestAnswer](t, "forecast/backtest", fmt.Sprintf(`{"series":[%s],"today":%d,"horizon":"%d","level":"80","season":"1","models":["naive"]}`, values(c.known), c.known, c.horizon))
		if a.Origins != c.origins {
			t.Errorf("%+v: %d origins", c, a.Origins)
		}
	}
	// Four values do not do for a horizon of five.
	if a := answered[backtestAnswer](t, "forecast/backtest", `{"series":[1,2,3,5],"today":4,"horizon":"5","level":"80","season":"1","models":["naive"]}`); cmp.Diff([]string{"naive"}, a.Not) != "" || a.Rows != nil {
		t.Errorf("too short: %+v", a)
	}
}

// The recursion by hand, with factors of 1/2: golden, since all its numbers are dyadic. The last
// quarter of twelve steps is the last three.
func TestRunaway(t *testing.T) {
	none := math.NaN()
	a := answered[runawayAnswer](t, "forecast/runaway", `{"series":[1,2,4,8],"alpha":0.5,"beta":0.5,"gamma":0.5}`)
	want := runawayAnswer{Limit: 1, Forms: []runawayForm{
		{"as printed", true, .5, ask.Series{none, none, 1.36328125, 3.803955078125}, 3.803955078125},
		{"midpoint", true, .5, ask.Series{none, none, 1.40234375, 3.907470703125}, 3.907470703125},
		{"backward", true, .5, ask.Series{none, none, 1.484375, 3.873046875}, 3.873046875},
		{"midpoint, clamped", true, .5, ask.Series{none, none, 1.40234375, 3.907470703125}, 3.907470703125},
	}}
	if diff := cmp.Diff(want, a, cmpopts.EquateNaNs()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	a = answered[runawayAnswer](t, "forecast/runaway", `{"series":[1,2,4,8,null,16,20,22,23,24,null,26],"alpha":0.25,"beta":1,"gamma":1}`)
	for i, f := range a.Forms {
		if wantStable := i == 0 || i == 3; f.Stable != wantStable {
			t.Errorf("%s is stable: %v", f.Name, f.Stable)
		}
		if mean := (math.Abs(f.Errors[9]) + math.Abs(f.Errors[11])) / 2; math.Abs(f.Last-mean) > 1e-9 || f.Errors[4] == f.Errors[4] {
			t.Errorf("%s: the last errors are %v, by hand %v; %v", f.Name, f.Last, mean, f.Errors)
		}
	}
	// 1/7: the limit of [smoothing.Triple] for these factors.
	if a.Forms[1].Gamma != 1 || math.Abs(a.Forms[3].Gamma-1./7) > 1e-12 {
		t.Errorf("clamped to %v", a.Forms[3].Gamma)
	}
}

// The command line and its file have what is known, and the values that were found.
func TestExport(t *testing.T) {
	got := answered[ask.Export](t, "forecast/export", `{"series":[10,12.5,null,13,12,14,15],"today":6,"model":"naive","horizon":" 2 ","level":"80","season":"3","non_negative":true}`)
	want := ask.Export{
		Command: "go run github.com/plimsoll/plimsoll/examples/tools/forecast@latest -demand series.csv -models naive -steps 2 -season 3 -level 0.8 -origins 1 -forecast forecast.csv -nonnegative",
		Files:   []ask.File{{Name: "series.csv", Text: "step,value\n1,10\n2,12.5\n3,NA\n4,13\n5,12\n6,14\n"}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := answered[ask.Export](t, "forecast/export", `{"series":[1,5,1,5,1,5,1,5,1,5,1,5],"today":12,"model":"auto","horizon":"2","level":"80"}`); !strings.HasSuffix(got.Command, " -models auto -steps 2 -season 2 -level 0.8 -origins 1 -forecast forecast.csv") {
		t.Errorf("%s", got.Command)
	}
}

// The room lists the models of the library, and reads series as the programs do.
func TestModelsAndRead(t *testing.T) {
	models := answered[struct {
		Models []struct{ Name, About string }
	}](t, "forecast/models", "{}").Models
	if len(models) != len(forecast.Names()) || models[0].Name != "naive" || models[0].About != "the last value" {
		t.Errorf("%+v", models)
	}
	type answer struct {
		Series ask.Series
		Name   string
		Others int
		Error  ask.Mistake
	}
	hours := ask.Series{}
	for _, d := range demandfile.MadeUp()[7200:8208] { // six weeks of autumn
		hours = append(hours, float64(d))
	}
	quadratic := answered[answer](t, "forecasts/read", `{"form":"series-made-up","name":"quadratic"}`).Series
	if len(quadratic) != 120 || quadratic[0] != 20 || quadratic[50] != 45 || quadratic[119] != 161.61 {
		t.Errorf("the quadratic: %v", quadratic)
	}
	for _, c := range []struct {
		question string
		want     answer
	}{
		{`{"form":"series","text":"week,a,b\n1,2,3\n2,NA,4\n3,5,6\n"}`, answer{Series: ask.Series{2, math.NaN(), 5}, Name: "a", Others: 1}},
		{`{"form":"series","text":"week,a,b\n1,2,x\n"}`, answer{Error: ask.Mistake{Field: "series", Text: `the pasted text: line 2, field 3, series "b": "x" is not a number: want a number, or NA or nothing where a value is missing`}}},
		{`{"form":"series-made-up","name":"hours"}`, answer{Series: hours}},
		{`{"form":"series-made-up","name":""}`, answer{Series: seriesfile.MadeUp()}},
	} {
		if diff := cmp.Diff(c.want, answered[answer](t, "forecasts/read", c.question), cmpopts.EquateNaNs()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.question, diff)
		}
	}
}
