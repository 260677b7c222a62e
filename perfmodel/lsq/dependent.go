package lsq

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/plimsoll/plimsoll/internal/inputerr"
)

// A DependenceError says which columns the data cannot tell apart. Each of Dependencies
// has a column that is a combination of columns before it. Leave out these columns, or
// leave out one of the other columns for each of them, or measure where they differ.
type DependenceError struct {
	Dependencies []Dependency
	Names        []string // of the coefficients: with an intercept, it is first
	Constant     []bool   // by coefficient: its column is the same in every row
}

// Unwrap returns [ErrDependent].
func (e *DependenceError) Unwrap() error { return ErrDependent }

// Error says which combination each column is, and which columns to leave out. It names
// columns that are equal, constant or 0 as such.
func (e *DependenceError) Error() string {
	var parts []string
	var out []int
	told := make([]bool, len(e.Dependencies))
	for i, d := range e.Dependencies {
		out = append(out, d.Column)
		if told[i] {
			continue
		}
		kind := e.kind(d)
		columns := []int{d.Column}
		if kind != isCombination {
			for k := i + 1; k < len(e.Dependencies); k++ {
				f := e.Dependencies[k]
				if e.kind(f) == kind && slices.Equal(f.On, d.On) {
					told[k], columns = true, append(columns, f.Column)
				}
			}
		}
		names, verb := e.list(columns), "is"
		if len(columns) > 1 {
			verb = "are"
		}
		switch kind {
		case isZero:
			parts = append(parts, fmt.Sprintf("%s %s 0 in every row", names, verb))
		case isConstant:
			parts = append(parts, fmt.Sprintf("%s %s constant, as %s is", names, verb, e.Names[d.On[0]]))
		case isSame:
			parts = append(parts, fmt.Sprintf("%s %s the same as %s", names, verb, e.Names[d.On[0]]))
		default:
			parts = append(parts, fmt.Sprintf("%s = %s", names, e.sum(d)))
		}
	}
	return fmt.Sprintf("%v: %s; leave out %s", ErrDependent, strings.Join(parts, "; "), e.list(out))
}

// The kinds of dependence.
const (
	isZero = iota
	isConstant
	isSame
	isCombination
)

func (e *DependenceError) kind(d Dependency) int {
	switch {
	case len(d.On) == 0:
		return isZero
	case len(d.On) > 1:
		return isCombination
	case e.Constant[d.Column] && e.Constant[d.On[0]]:
		return isConstant
	case coefficient(d.Coef[0]) == "":
		return isSame
	}
	return isCombination
}

// list returns "a", "a and b" or "a, b and c".
func (e *DependenceError) list(columns []int) string {
	var b strings.Builder
	for k, j := range columns {
		switch {
		case k == 0:
		case k == len(columns)-1:
			b.WriteString(" and ")
		default:
			b.WriteString(", ")
		}
		b.WriteString(e.Names[j])
	}
	return b.String()
}

// sum returns "2·a - b + 3".
func (e *DependenceError) sum(d Dependency) string {
	var b strings.Builder
	for k, j := range d.On {
		c := d.Coef[k]
		switch {
		case c < 0 && k == 0:
			b.WriteString("-")
		case c < 0:
			b.WriteString(" - ")
		case k > 0:
			b.WriteString(" + ")
		}
		b.WriteString(coefficient(math.Abs(c)))
		b.WriteString(e.Names[j])
	}
	return b.String()
}

// coefficient returns "2·", or nothing for 1.
func coefficient(c float64) string {
	if s := fmt.Sprintf("%.6g", c); s != "1" {
		return s + "·"
	}
	return ""
}

// name returns the name of column j of x.
func (o Options) name(j int) string {
	if o.Names != nil {
		return o.Names[j]
	}
	return fmt.Sprintf("column %d", j)
}

// dependent returns the error for the dependencies that factor found.
func (s *Solver) dependent(r *Regression, opt Options, found []Dependency) error {
	e := &DependenceError{Dependencies: found, Names: make([]string, r.Cols), Constant: make([]bool, r.Cols)}
	for j := range e.Names {
		e.Names[j] = "the intercept"
		if j >= r.first() {
			e.Names[j] = opt.name(j - r.first())
		}
		a := s.a[j*r.Rows:][:r.Rows]
		e.Constant[j] = !slices.ContainsFunc(a, func(v float64) bool { return v != a[0] })
	}
	return &inputerr.Error{Package: "lsq", Field: "columns", Index: found[0].Column - r.first(), Err: e}
}

// tooFew returns the error for fewer rows than coefficients. Each column is then a
// combination of others, for lack of rows. But if columns are equal, constant or 0 in
// two or more rows, more rows of the same kind will not help. So tooFew names these
// columns.
func tooFew(x []float64, rows, cols int, opt Options) error {
	first := 0
	if opt.Intercept {
		first = 1
	}
	n := first + cols
	at := func(i, j int) float64 { // of the matrix with the intercept
		if j < first {
			return 1
		}
		return x[i*cols+j-first]
	}
	// every reports whether is holds for a column in every row.
	every := func(j int, is func(i int, v float64) bool) bool {
		for i := range rows {
			if !is(i, at(i, j)) {
				return false
			}
		}
		return true
	}
	e := &DependenceError{Names: make([]string, n), Constant: make([]bool, n)}
	for j := range n {
		e.Names[j] = "the intercept"
		if j >= first {
			e.Names[j] = opt.name(j - first)
		}
		if rows == 0 {
			continue
		}
		e.Constant[j] = every(j, func(_ int, v float64) bool { return v == at(0, j) })
		d := Dependency{Column: j, On: []int{}, Coef: []float64{}}
		found := every(j, func(_ int, v float64) bool { return v == 0 })
		for k := 0; k < j && !found; k++ {
			switch {
			case slices.ContainsFunc(e.Dependencies, func(d Dependency) bool { return d.Column == k }):
			case e.Constant[j] && e.Constant[k]:
				d.On, d.Coef, found = append(d.On, k), append(d.Coef, at(0, j)/at(0, k)), true
			case every(j, func(i int, v float64) bool { return v == at(i, k) }):
				d.On, d.Coef, found = append(d.On, k), append(d.Coef, 1), true
			}
		}
		if found {
			e.Dependencies = append(e.Dependencies, d)
		}
	}
	const why = "%d for %d coefficients: want one for each, and more to tell the noise"
	if rows < 2 || len(e.Dependencies) == 0 {
		return badInput("y", -1, ErrFewRows, why, rows, n)
	}
	return badInput("y", -1, ErrFewRows, why+"; besides, %w", rows, n, e)
}
