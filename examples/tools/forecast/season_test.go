package main

import (
	"encoding/csv"
	"fmt"
	"math"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/examples/internal/programtest"
	"github.com/plimsoll/plimsoll/examples/internal/shared"
	"github.com/plimsoll/plimsoll/forecast"
)

// hours returns a demand by the hour that repeats by the day and, with noise by
// arithmetic, never quite.
func hours(n int) []string {
	list := make([]string, n)
	for i := range list {
		list[i] = fmt.Sprint(100 + 40*int(10*math.Sin(2*math.Pi*float64(i)/24))/10 + i*i*7%11)
	}
	return list
}

// A series down the page is that across it.
func TestDown(t *testing.T) {
	setClock(t, time.Millisecond)
	values := hours(400)
	var down strings.Builder
	down.WriteString("hour,demand\n")
	at := time.Date(2024, 3, 1, 0, 0, 0, 0, time.UTC)
	for i, x := range values {
		fmt.Fprintf(&down, "%s,%s\n", at.Add(time.Duration(i)*time.Hour).Format("2006-01-02 15:04"), x)
	}
	args := []string{"-steps", "24", "-origins", "2", "-models", "naive,auto", "-json", "-demand"}
	across, _ := tested.Must(t, append(args, programtest.Write(t, "across.csv", "name\ndemand,"+strings.Join(values, ",")))...)
	got, _ := tested.Must(t, append(args, programtest.Write(t, "down.csv", down.String()))...)
	if diff := cmp.Diff(across, got); diff != "" {
		t.Error(diff)
	}
	status, _, stderr := tested.Try(append(args, programtest.Write(t, "odd.csv", "week,value\nw1,5\nw2,6\nw3,7\n"))...)
	if status != 2 || !strings.Contains(stderr, `"w1": want a date as 2024-01-31`) || !strings.Contains(stderr, "or a line for each series, its name first") {
		t.Errorf("exit status %d, %s", status, stderr)
	}
}

// The season is found, or given; it is the lag of MASE's scale, and what models are offered.
func TestSeason(t *testing.T) {
	train := programtest.Write(t, "train.csv", "name\na,"+strings.Join(hours(400), ",")+"\nb,"+strings.Join(hours(390), ","))
	args := []string{"-demand", train, "-steps", "24", "-origins", "2", "-json", "-models", "naive,seasonal-naive,auto"}
	stdout, stderr := tested.Must(t, args...)
	rows := decode(t, stdout)
	if !strings.Contains(stderr, "a season of 24 steps is found in 2 series: MASE is measured by what came a season before") {
		t.Error(stderr)
	}
	// The seasonal naive forecast errs by about what its scale is made of; the last value by more.
	if r := rows[1]; r.Season != 24 || *r.MASE < .7 || *r.MASE > 1.3 || *rows[0].MASE < 2 || *rows[2].MASE > *r.MASE {
		t.Errorf("season %d, MASE %v, %v, %v", r.Season, *rows[0].MASE, *r.MASE, *rows[2].MASE)
	}
	for i, r := range rows {
		if r.Default != (r.Model == forecast.Default) || r.Default != (i == 2) {
			t.Errorf("%+v", r)
		}
	}
	given, stderr := tested.Must(t, append(args, "-season", "24")...)
	if strings.Contains(stderr, "is found") || len(decode(t, given)) != 3 || *decode(t, given)[2].MASE != *rows[2].MASE {
		t.Errorf("-season 24: %s%s", given, stderr)
	}
	none := decode(t, first(tested.Must(t, append(args, "-season", "1")...)))
	if none[0].Season != 1 || *none[1].MASE != *none[0].MASE || *none[2].RMSE < 2**rows[2].RMSE {
		t.Errorf("-season 1: MASE %v, %v, %v", *none[0].MASE, *none[1].MASE, *none[2].MASE)
	}
	// Where most series have none, each is offered its own.
	mixed := programtest.Write(t, "mixed.csv", "name\na,"+strings.Join(hours(400), ",")+
		"\nb"+strings.Repeat(",1,5,2,9,4,4,7", 12)+",3,1,6\nc"+strings.Repeat(",3,1,4,1,5,9,2,6", 12)+",8,8,2,9")
	if r := decode(t, first(tested.Must(t, "-demand", mixed, "-steps", "4", "-origins", "1", "-json", "-models", "naive")))[0]; r.Season != 1 || r.Series != 3 {
		t.Errorf("%+v", r)
	}
}

// -paths-out writes a header with a name for each path and a line for each step, the same for the same seed, and
// within the limits; at each step the paths lie about as the interval says, which has not their heavy tails.
func TestPaths(t *testing.T) {
	dir := t.TempDir()
	run := func(name string, args ...string) ([][]float64, string) {
		t.Helper()
		out := filepath.Join(dir, name)
		tested.Must(t, append(args, "-paths-out", out)...)
		text := programtest.Read(t, out)
		rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		if rows[0][0] != "week" || rows[0][1] != "p0" || rows[0][len(rows[0])-1] != fmt.Sprintf("p%d", len(rows[0])-2) {
			t.Errorf("%s: the header is %q", name, rows[0])
		}
		list := make([][]float64, len(rows)-1)
		for i, row := range rows[1:] {
			if row[0] != strconv.Itoa(i+1) {
				t.Errorf("%s: step %d is called %s", name, i+1, row[0])
			}
			for _, f := range row[1:] {
				x, err := strconv.ParseFloat(f, 64)
				if err != nil {
					t.Fatal(err)
				}
				list[i] = append(list[i], x)
			}
		}
		return list, text
	}
	paths, text := run("a.csv", "-steps", "52", "-origins", "1")
	if len(paths) != 52 || len(paths[0]) != 100 {
		t.Errorf("%d steps of %d paths, want 52 of 100", len(paths), len(paths[0]))
	}
	if _, again := run("b.csv", "-steps", "52", "-origins", "1"); again != text {
		t.Error("the same seed makes other paths")
	}
	if _, other := run("c.csv", "-steps", "52", "-origins", "1", "-seed", "2"); other == text {
		t.Error("another seed makes the same paths")
	}
	forecasts := filepath.Join(dir, "forecast.csv")
	paths, _ = run("d.csv", "-steps", "13", "-futures", "4000", "-models", "holt", "-forecast", forecasts, "-level", "0.8")
	rows, err := csv.NewReader(strings.NewReader(programtest.Read(t, forecasts))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for i, row := range paths {
		low, err1 := strconv.ParseFloat(rows[1+i][3], 64)
		high, err2 := strconv.ParseFloat(rows[1+i][4], 64)
		within := 0
		for _, x := range row {
			if low <= x && x <= high {
				within++
			}
		}
		if err1 != nil || err2 != nil || within < 3000 || within > 3600 {
			t.Errorf("step %d: %d of 4000 paths within %v and %v, which is to hold 80%%", i+1, within, low, high)
		}
	}
	status, _, stderr := tested.Try("-demand", programtest.Write(t, "two.csv", "name\na,1,2\nb,1,2\n"), "-paths-out", filepath.Join(dir, "e.csv"))
	if status != 2 || !strings.Contains(stderr, "has 2 series: want one, name it by -series") {
		t.Errorf("two series: exit status %d, %s", status, stderr)
	}
}

// A model that cannot take a series is left out, and that is said.
func TestCannot(t *testing.T) {
	train := programtest.Write(t, "train.csv", "name\na"+strings.Repeat(",3,0,4,1,5", 20))
	stdout, stderr := tested.Must(t, "-demand", train, "-steps", "3", "-models", "naive,winters-ratio", "-json")
	if rows := decode(t, stdout); len(rows) != 1 || rows[0].Model != "naive" || !rows[0].Chosen {
		t.Errorf("%+v", rows)
	}
	if !strings.Contains(stderr, `note: winters-ratio cannot take the series "a": 0: want values above 0`) {
		t.Error(stderr)
	}
	status, _, stderr := tested.Try("-demand", train, "-steps", "3", "-models", "winters-ratio")
	if status != 2 || !strings.Contains(stderr, "winters-ratio cannot take") {
		t.Errorf("alone: exit status %d, %s", status, stderr)
	}
}

// Half of the hourly series of the M4 competition, two days ahead. The seasonal naive forecast is that of an
// independent program. (Package forecast holds the default to its promise on the same series.)
func TestHourly(t *testing.T) {
	stdout, _ := tested.Must(t, "-demand", shared.File(t, "forecast/M4_Hourly-half-train.csv.gz"),
		"-test", shared.File(t, "forecast/M4_Hourly-half-test.csv.gz"), "-steps", "48", "-season", "24", "-json", "-models", "seasonal-naive")
	rows := decode(t, stdout)
	if r := rows[0]; math.Abs(*r.MASE-1.233) > .0005 || math.Abs(*r.SMAPE-13.98) > .005 || r.Series != 207 {
		t.Errorf("seasonal naive: MASE %v, sMAPE %v of %d series, want 1.233, 13.98 of 207", *r.MASE, *r.SMAPE, r.Series)
	}
}

// A step is named, and is no trend. Models without the season that is stated are marked.
func TestChangesAreNamed(t *testing.T) {
	var b strings.Builder
	b.WriteString("week,n\n")
	for i := range 104 {
		x := 40 + float64(i*i%7)
		if i >= 70 {
			x += 30
		}
		fmt.Fprintf(&b, "%d,%v\n", i+1, x)
	}
	text, _ := tested.Must(t, "-demand", programtest.Write(t, "step.csv", b.String()), "-steps", "13", "-season", "1")
	if !strings.Contains(text, "From step 71 on the level is 3") || !strings.Contains(text, "which is no trend") {
		t.Error(text)
	}
	text, _ = tested.Must(t, "-demand", programtest.Write(t, "step.csv", b.String()), "-steps", "13", "-season", "40", "-origins", "3", "-all")
	if !strings.Contains(text, "winters*") || !strings.Contains(text, "* without the season in up to 2 forecasts") {
		t.Error(text)
	}
}
