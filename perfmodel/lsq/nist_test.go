package lsq

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/internal/shared"
)

// A nistSet is a set of NIST's Statistical Reference Datasets for linear
// regression, https://www.itl.nist.gov/div898/strd/lls/lls.shtml, of 1997, with
// the certified values, which have 15 digits.
type nistSet struct {
	Kind     string // poly: powers of x up to Deg; multi, noint: columns as they are
	Deg      int
	Y        []float64
	X        [][]float64
	Beta, SD []float64 // coefficients, their standard deviations
	RSD, R2  float64
}

// longley is that of J. W. Longley, "An Appraisal of Least Squares Programs for the
// Electronic Computer from the Viewpoint of the User", JASA 62, 1967, as NIST has it.
var longley = nistSet{
	Kind: "multi", Deg: 6,
	Y: []float64{
		60323, 61122, 60171, 61187, 63221, 63639, 64989, 63761,
		66019, 67857, 68169, 66513, 68655, 69564, 69331, 70551,
	},
	X: [][]float64{
		{83.0, 234289, 2356, 1590, 107608, 1947}, {88.5, 259426, 2325, 1456, 108632, 1948},
		{88.2, 258054, 3682, 1616, 109773, 1949}, {89.5, 284599, 3351, 1650, 110929, 1950},
		{96.2, 328975, 2099, 3099, 112075, 1951}, {98.1, 346999, 1932, 3594, 113270, 1952},
		{99.0, 365385, 1870, 3547, 115094, 1953}, {100.0, 363112, 3578, 3350, 116219, 1954},
		{101.2, 397469, 2904, 3048, 117388, 1955}, {104.6, 419180, 2822, 2857, 118734, 1956},
		{108.4, 442769, 2936, 2798, 120445, 1957}, {110.8, 444546, 4681, 2637, 121950, 1958},
		{112.6, 482704, 3813, 2552, 123366, 1959}, {114.2, 502601, 3931, 2514, 125368, 1960},
		{115.7, 518173, 4806, 2572, 127852, 1961}, {116.9, 554894, 4007, 2827, 130081, 1962},
	},
	Beta: []float64{
		-3482258.63459582, 15.0618722713733, -0.0358191792925910, -2.02022980381683,
		-1.03322686717359, -0.0511041056535807, 1829.15146461355,
	},
	SD: []float64{
		890420.383607373, 84.9149257747669, 0.0334910077722432, 0.488399681651699,
		0.214274163161675, 0.226073200069370, 455.478499142212,
	},
	RSD: 304.854073561965, R2: 0.995479004577296,
}

// digits returns how many digits of got are right: the logarithm of the relative
// error, or of the absolute one where want is 0, and 15 at most, as many as are
// certified.
func digits(got, want float64) float64 {
	e := math.Abs(got - want)
	if want != 0 {
		e /= math.Abs(want)
	}
	if e == 0 {
		return 15
	}
	return min(15, -math.Log10(e)) // NaN stays
}

func leastDigits(got, want []float64) float64 {
	d := 15.0
	for i := range want {
		d = min(d, digits(got[i], want[i]))
	}
	return d
}

// table returns the columns, without that of the intercept. Powers are by repeated
// multiplication.
func (s nistSet) table() (x []float64, cols int, opt Options) {
	for _, row := range s.X {
		if s.Kind != "poly" {
			x = append(x, row...)
			continue
		}
		p := 1.0
		for range s.Deg {
			p *= row[0]
			x = append(x, p)
		}
	}
	return x, len(x) / len(s.Y), Options{Intercept: s.Kind != "noint"}
}

// The certified digits: 13 and more, and 7 on Filip, whose powers up to the tenth
// are nearly dependent.
func TestNIST(t *testing.T) {
	raw, err := os.ReadFile(shared.File(t, "nist/certified.json"))
	if err != nil {
		t.Fatal(err)
	}
	var sets map[string]nistSet
	if err := json.Unmarshal(raw, &sets); err != nil {
		t.Fatal(err)
	}
	var log strings.Builder
	for _, name := range []string{"Norris", "Pontius", "NoInt1", "NoInt2", "Longley", "Wampler1", "Wampler2", "Wampler3", "Wampler4", "Wampler5", "Filip"} {
		set, ok := sets[name]
		if !ok {
			t.Fatalf("no set %s", name)
		}
		least := 13.0
		if name == "Filip" {
			least = 7
		}
		log.WriteString(checkNIST(t, name, set, least))
	}
	t.Logf("digits that are right\n%-9s %s %s %s %s %9s %10s\n%s",
		"set", "coef", "std. error", "sigma", "R²", "condition", "correction", log.String())
}

// Longley's alone runs everywhere.
func TestLongley(t *testing.T) {
	t.Log(checkNIST(t, "Longley", longley, 13))
}

// checkNIST checks that all results have the given number of digits, and returns a
// line of the table.
func checkNIST(t *testing.T, name string, set nistSet, least float64) string {
	t.Helper()
	x, cols, opt := set.table()
	r, err := Fit(x, len(set.Y), cols, set.Y, opt)
	if err != nil {
		t.Errorf("%s: %v", name, err)
		return ""
	}
	ours := [4]float64{leastDigits(r.Coef, set.Beta), leastDigits(r.StdErr, set.SD), digits(r.Sigma, set.RSD), digits(r.R2, set.R2)}
	for k, what := range []string{"coefficients", "standard errors", "sigma", "R²"} {
		if !(ours[k] >= least) {
			t.Errorf("%s: %.1f digits of %s, want %v", name, ours[k], what, least)
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%-9s", name)
	for k := range ours {
		fmt.Fprintf(&b, " %4.1f", ours[k])
	}
	fmt.Fprintf(&b, " %8.1e %10.1e\n", r.Condition, r.Correction)
	return b.String()
}
