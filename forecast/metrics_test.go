package forecast

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/plimsoll/plimsoll/forecast/smoothing"
	"github.com/plimsoll/plimsoll/internal/inputerr"
)

// By hand.
func TestMetrics(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	y, f := []float64{10, 20, 30, nan, 40}, []float64{12, 20, 26, 7, nan} // errors 2, 0, 4 count
	for _, tt := range []struct {
		name      string
		got, want float64
	}{
		{"MAE", MAE(y, f), 2},
		{"RMSE", RMSE(y, f), math.Sqrt(20. / 3)},
		{"Bias", Bias(y, f), -2. / 3},
		{"SMAPE", SMAPE(y, f), (400./22 + 800./56) / 3},
		{"WAPE", WAPE(y, f), 6. / 60},
		{"Scale", Scale([]float64{1, 3, nan, 9, 8, 8}, 0), 1},               // |2|, |1|, |0|
		{"Scale of a season", Scale([]float64{1, 3, nan, 9, 8, 8}, 2), 3.5}, // |6|, |1|
		{"MASE", MASE(y, f, 4), .5},
		{"Coverage", Coverage(y, []float64{10, 21, 0, 0, nan}, []float64{10, 22, 31, 0, 50}), 2. / 3},

		{"MAE of nothing", MAE(nil, nil), 0},
		{"RMSE of missing ones", RMSE([]float64{nan}, []float64{1}), 0},
		{"Coverage of nothing", Coverage(nil, nil, nil), 0},
		{"Scale of one", Scale([]float64{1}, 1), 0},
		{"Scale of a constant", Scale([]float64{5, 5, 5}, 1), 0},
		{"MASE 0/0", MASE([]float64{5}, []float64{5}, 0), 0},
		{"MASE 1/0", MASE([]float64{5}, []float64{6}, 0), inf},
		{"WAPE 0/0", WAPE([]float64{0}, []float64{0}), 0},
		{"WAPE 1/0", WAPE([]float64{0}, []float64{1}), inf},
		{"SMAPE 0/0", SMAPE([]float64{0}, []float64{0}), 0},
		{"SMAPE at most", SMAPE([]float64{0}, []float64{3}), 200},
	} {
		if tt.got != tt.want && math.Abs(tt.got-tt.want) > 1e-12 {
			t.Errorf("%s is %v, want %v", tt.name, tt.got, tt.want)
		}
	}
}

// Naive forecasts of 1, 2, …, 12, three steps from three points, by hand: errors of 1,
// 2, 3 each time, by a scale of 1.
func TestBacktest(t *testing.T) {
	var series []float64
	for i := range 12 {
		series = append(series, float64(i+1))
	}
	b := Backtester{Horizon: 3, Origins: 3, Step: 2}
	p := Predictor{Model: named("naive"), Analytic: true}
	s, err := b.Run(&p, series)
	if err != nil {
		t.Fatal(err)
	}
	// Forecasts 5, 7, 9; the standard deviation is 1 with 4, 6, 8 errors, so that
	// Student's 97.5% quantile, 2.3 to 2.8, times 1, √2, √3 holds 1, 2 and 3.
	want := Score{MASE: 2, Bias: -2, RMSE: math.Sqrt(14. / 3), Coverage: 1, N: 3,
		WAPE: (6./21 + 6./27 + 6./33) / 3}
	for _, f := range []float64{5, 7, 9} {
		for h := 1.; h <= 3; h++ {
			want.SMAPE += 200 * h / (2*f + h) / 9
		}
	}
	close := cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) < 1e-12 })
	if d := cmp.Diff(want, s, close); d != "" {
		t.Error(d)
	}
	var f [1]float64
	if p.Forecast(f[:]); f[0] != 9 {
		t.Errorf("left fitted to forecast %v, want 9", f[0])
	}

	// A line is drift's, by far.
	scores := make([]Score, 3)
	best, err := b.Select([]*Predictor{{Model: named("naive")}, {Model: named("drift")}, {Model: named("drift")}}, series, scores)
	if err != nil || best != 1 {
		t.Errorf("Select takes %d, %v, want the first of the two drifts", best, err)
	}
	if scores[0].MASE != 2 || scores[1].MASE != 0 || scores[2].MASE != 0 {
		t.Errorf("scores %v", scores)
	}
}

// A span without a known value is no forecast, right or wrong.
func TestBacktestGaps(t *testing.T) {
	nan := math.NaN()
	series := make([]float64, 60)
	for i := range series {
		series[i] = float64(i % 7)
		if i >= 40 && i < 50 {
			series[i] = nan
		}
	}
	b := Backtester{Horizon: 5, Origins: 4}
	p := Predictor{Model: named("naive"), Analytic: true}
	got, err := b.Run(&p, series)
	if err != nil {
		t.Fatal(err)
	}
	b.Origins = 2 // those after 50 and after 55
	want, err := b.Run(&p, series)
	if err != nil {
		t.Fatal(err)
	}
	if got != want || got.N != 2 {
		t.Errorf("with two empty spans the score is %+v, want %+v of 2", got, want)
	}
	for i := range 20 {
		series[40+i] = nan
	}
	if _, err := b.Run(&p, series); !errors.Is(err, ErrShort) {
		t.Errorf("without anything to compare with: %v", err)
	}
	if _, err := b.Score(&p, series[:40], []float64{nan, nan}); !errors.Is(err, ErrShort) {
		t.Errorf("without anything to compare with: %v", err)
	}
}

// A candidate that cannot be scored does not keep the others from it.
func TestSelectPart(t *testing.T) {
	series := []float64{1, 2, 4, 3, 5, 6, 5, 8}
	b := Backtester{Horizon: 1, Origins: 2} // fits to 6 and 7 values
	scores := make([]Score, 3)
	best, err := b.Select([]*Predictor{{Model: &smoothing.Triple{}}, {Model: named("naive")}, {Model: &smoothing.Holt{}}}, series, scores)
	if err != nil || best == 0 {
		t.Errorf("Select takes %d, %v", best, err)
	}
	if scores[0] != (Score{}) || scores[1].N != 2 || scores[2].N != 2 {
		t.Errorf("scores %+v", scores)
	}
	if _, err := b.Select([]*Predictor{{Model: &smoothing.Triple{}}}, series, nil); !errors.Is(err, ErrShort) || !strings.Contains(err.Error(), "candidate 0") {
		t.Errorf("with no other candidate: %v", err)
	}
	constant := []float64{5, 5, 5, 5, 5, 5, 5, 6} // a constant measures nothing
	if _, err := b.Select([]*Predictor{{Model: named("naive")}, {Model: named("drift")}}, constant, nil); !errors.Is(err, ErrScale) {
		t.Errorf("a series that is constant but for its end: %v", err)
	}
	bad := &Predictor{Model: &smoothing.AdaptiveTriple{Gamma: 7}}
	if _, err := b.Select([]*Predictor{{Model: named("naive")}, bad}, series, nil); !errors.Is(err, ErrFactor) || !strings.Contains(err.Error(), "candidate 1") {
		t.Errorf("parameters out of range: %v", err)
	}
}

// Bad input is told by field and index.
func TestBadInput(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	long := make([]float64, 40)
	for i := range long {
		long[i] = float64(1 + i%7)
	}
	spoilt := append([]float64(nil), long...)
	spoilt[17] = inf
	constant := make([]float64, 40)
	var f smoothing.Fitter
	fit := func(m smoothing.Model, series []float64) error {
		_, err := m.Fit(&f, series)
		return err
	}
	run := func(b Backtester, series []float64) error {
		_, err := b.Run(&Predictor{Model: named("naive")}, series)
		return err
	}
	score := func(train, actual []float64) error {
		var b Backtester
		_, err := b.Score(&Predictor{Model: named("naive")}, train, actual)
		return err
	}
	evaluate := func(train, actual [][]float64) error {
		var b Backtester
		_, err := b.Evaluate(&Predictor{Model: named("naive")}, train, actual)
		return err
	}
	for i, tt := range []struct {
		err   error
		want  error
		index int
	}{
		{smoothing.CheckSeries(spoilt), ErrValue, 17},
		{run(Backtester{}, long), ErrHorizon, -1},
		{run(Backtester{Horizon: -1}, long), ErrHorizon, -1},
		{run(Backtester{Horizon: 8}, long), ErrShort, -1},
		{run(Backtester{Horizon: 8}, nil), ErrShort, -1},
		{run(Backtester{Horizon: 2, Origins: -1}, long), ErrFactor, -1},
		{run(Backtester{Horizon: 2, Step: -1}, long), ErrFactor, -1},
		{run(Backtester{Horizon: 7, Origins: 2}, spoilt), ErrValue, 17},
		{score(long, nil), ErrHorizon, -1},
		{score(long, []float64{1, inf}), ErrValue, 1},
		{score(constant, []float64{0, 1}), ErrScale, -1},
		{score(nil, []float64{1}), ErrShort, -1},
		{evaluate([][]float64{long}, nil), ErrLength, -1},
		{evaluate([][]float64{long, spoilt}, [][]float64{{1}, {1}}), ErrValue, 17},
	} {
		var in *inputerr.Error
		if !errors.Is(tt.err, tt.want) || !errors.As(tt.err, &in) || in.Index != tt.index {
			t.Errorf("case %d: %v, want %v at %d", i, tt.err, tt.want, tt.index)
		}
	}
	if err := score(constant, []float64{0, nan, 0}); err != nil {
		t.Errorf("a constant series that stays so: %v", err)
	}
	// The least that each model can be fitted to, one more than it fits where it
	// fits anything.
	least := map[string]int{"naive": 1, "drift": 2, "simple": 3, "holt": 5, "damped": 6, "triple": 7, "midpoint": 7, "backward": 7,
		"adaptive-triple": 2, "blend": 3,
		"mean": 1, "seasonal-naive": 1, "winters": 4, "winters-ratio": 4, "two-seasons": 4, "harmonics": 6, "lags": 3, "auto": 3}
	if about, n := About("other"); about != "" || n != 0 {
		t.Errorf("%q, %d for a model that is none", about, n)
	}
	for _, name := range Names() {
		n := least[name]
		if about, k := About(name); k != n || about == "" {
			t.Errorf("%s: %q from %d values, want %d at least", name, about, k, n)
		}
		m := named(name)
		for range 12 {
			m.Update(3)
		}
		before, after := make([]float64, 3), make([]float64, 3)
		m.Forecast(before)
		for _, bad := range [][]float64{nil, long[:n-1], append([]float64{nan, nan}, long[:n-1]...), spoilt} {
			want := ErrShort
			if len(bad) == len(spoilt) {
				want = ErrValue
			}
			if err := fit(m, bad); !errors.Is(err, want) {
				t.Errorf("%s: %d values: %v, want %v", name, len(bad), err, want)
			}
		}
		if m.Forecast(after); !cmp.Equal(before, after) {
			t.Errorf("%s: an error changed the forecast from %v to %v", name, before, after)
		}
		if err := fit(m, long[:n]); err != nil {
			t.Errorf("%s: %d values: %v", name, n, err)
		}
		m.Forecast(after)
		for _, x := range after {
			if math.IsNaN(x) || math.IsInf(x, 0) {
				t.Errorf("%s: forecast %v from %d values", name, after, n)
			}
		}
		// A constant series is forecast to stay, without error.
		for i := range constant {
			constant[i] = 5
		}
		p := Predictor{Model: m}
		got, err := p.Fit(&f, constant)
		if err != nil || got.SSE > 1e-20 {
			t.Errorf("%s: constant: %+v, %v", name, got, err)
		}
		if p.Quantile(after, .9); !cmp.Equal(after, []float64{5, 5, 5}) {
			t.Errorf("%s: constant: quantile %v", name, after)
		}
	}
	// Values at the end of what is allowed make an error or a finite forecast.
	extreme := make([]float64, 60)
	refused := 0
	for i := range extreme {
		extreme[i] = smoothing.Largest * float64(1-2*(i*i%7%2))
	}
	for _, name := range Names() {
		m := named(name)
		p := Predictor{Model: m}
		got, err := p.Fit(&f, extreme)
		if errors.Is(err, ErrValue) {
			refused++
			continue
		}
		after := make([]float64, 156)
		p.Quantile(after, .99)
		for _, x := range after {
			if err != nil || math.IsNaN(x) || math.IsInf(x, 0) || math.IsInf(got.SSE, 0) {
				t.Fatalf("%s: extreme: %v, %v, quantile %v", name, got, err, x)
			}
		}
	}
	if refused > 6 {
		t.Errorf("%d models refuse large values", refused)
	}
}
