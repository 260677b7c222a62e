package main

import (
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/examples/internal/programtest"
)

// What there is to say is said, and nothing else: of one model there is none to choose, of one
// forecast there is no mean, and a note names the series that are missing if any are.
func TestWhatIsSaid(t *testing.T) {
	series := programtest.Write(t, "series.csv", "name,1,2,3,4,5,6,7,8\na,1,2,3,4,5,6,7,8\n")
	one, notes := tested.Must(t, "-demand", series, "-models", "naive", "-steps", "1", "-origins", "1", "-forecast", programtest.Write(t, "out.csv", ""))
	if !strings.Contains(one, "\nOne forecast of 1 step, from 1 point of 1 series.\n") || strings.Contains(one, "Use naive") ||
		strings.Contains(notes, "not in -forecast") {
		t.Errorf("of one forecast of one model:\n%s%s", one, notes)
	}
	two, _ := tested.Must(t, "-demand", series, "-models", "naive,drift", "-steps", "1", "-origins", "2")
	if !strings.Contains(two, "\nMeans over 2 forecasts of 1 step") || !strings.Contains(two, "Use drift, whose MASE is the least") {
		t.Errorf("of two forecasts of two models:\n%s", two)
	}
	for season, want := range map[int]string{1: "without two neighbouring values that differ", 24: "without two values 24 steps apart that differ"} {
		if got := noScaleText(season); !strings.HasPrefix(got, want+", before changes") {
			t.Errorf("with a season of %d: %s", season, got)
		}
	}
	if forecasts(1) != "One forecast" || forecasts(12345) != "Means over 12,345 forecasts" {
		t.Errorf("%s, %s", forecasts(1), forecasts(12345))
	}
}
