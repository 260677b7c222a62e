package forecast

import (
	"compress/gzip"
	"encoding/csv"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/internal/shared"
)

// readSeries returns the rows of a file of the M4 competition, without names and
// empty cells.
func readSeries(tb testing.TB, name string) [][]float64 {
	tb.Helper()
	f, err := os.Open(shared.File(tb, name))
	if err != nil {
		tb.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		tb.Fatal(err)
	}
	r := csv.NewReader(z)
	r.FieldsPerRecord = -1
	rows, err := r.ReadAll()
	if err != nil {
		tb.Fatal(err)
	}
	var series [][]float64
	for _, row := range rows[1:] {
		var s []float64
		for _, cell := range row[1:] {
			if cell == "" {
				continue
			}
			x, err := strconv.ParseFloat(cell, 64)
			if err != nil {
				tb.Fatal(err)
			}
			s = append(s, x)
		}
		series = append(series, s)
	}
	return series
}

func TestM4Table(t *testing.T) {
	train := readSeries(t, "forecast/M4_Weekly-train.csv.gz")
	test := readSeries(t, "forecast/M4_Weekly-test.csv.gz")
	b := Backtester{}
	for _, name := range Names() {
		m, _ := New(name)
		start := time.Now()
		s, err := b.Evaluate(&Predictor{Model: m}, train, test)
		t.Logf("%-16s %.3f %.3f %.3f %.0f %.0f %.3f %v %v", name, s.MASE, s.SMAPE, s.WAPE, s.RMSE, s.Bias, s.Coverage, time.Since(start), err)
	}
}
