package perfmodel

import (
	"fmt"
	"slices"
	"strings"
)

// A DependenceError says which columns the data cannot tell apart: each of
// Dependencies is a column that is a combination of columns before it.
type DependenceError struct {
	Dependencies []Dependency
	Names        []string // of the coefficients, with the intercept
	Constant     []bool   // by coefficient: the same in every row
}

// Unwrap returns [ErrDependent].
func (e *DependenceError) Unwrap() error { return ErrDependent }

// Error names the columns.
func (e *DependenceError) Error() string {
	var b strings.Builder
	b.WriteString(ErrDependent.Error())
	for i, d := range e.Dependencies {
		b.WriteString([]string{": ", "; "}[min(i, 1)])
		b.WriteString(e.line(d))
	}
	return b.String()
}

func (e *DependenceError) line(d Dependency) string {
	name := e.Names[d.Column]
	switch {
	case len(d.On) == 0:
		return name + " is 0 in every row"
	case len(d.On) == 1 && e.Constant[d.Column] && e.Constant[d.On[0]]:
		return fmt.Sprintf("%s is constant, as %s is", name, e.Names[d.On[0]])
	case len(d.On) == 1 && d.Coef[0] == 1:
		return fmt.Sprintf("%s is the same as %s", name, e.Names[d.On[0]])
	}
	var b strings.Builder
	b.WriteString(name + " = ")
	for k, j := range d.On {
		c := d.Coef[k]
		switch {
		case c < 0:
			b.WriteString([]string{"-", " - "}[min(k, 1)])
			c = -c
		case k > 0:
			b.WriteString(" + ")
		}
		if c != 1 {
			fmt.Fprintf(&b, "%.6g·", c)
		}
		b.WriteString(e.Names[j])
	}
	return b.String()
}

// name returns the name of column j of x.
func (o Options) name(j int) string {
	if o.Names != nil {
		return o.Names[j]
	}
	return fmt.Sprintf("column %d", j)
}

// dependent returns the error for the dependencies in r.
func (s *Solver) dependent(r *Regression, opt Options) error {
	e := &DependenceError{Names: make([]string, r.Cols), Constant: make([]bool, r.Cols)}
	for j := range e.Names {
		switch {
		case !opt.Intercept:
			e.Names[j] = opt.name(j)
		case j == 0:
			e.Names[j] = "the intercept"
		default:
			e.Names[j] = opt.name(j - 1)
		}
		a := s.a[j*r.Rows:][:r.Rows]
		e.Constant[j] = !slices.ContainsFunc(a, func(v float64) bool { return v != a[0] })
	}
	for _, d := range r.Dependencies {
		e.Dependencies = append(e.Dependencies, Dependency{d.Column, slices.Clone(d.On), slices.Clone(d.Coef)})
	}
	index := r.Dependencies[0].Column
	if opt.Intercept {
		index--
	}
	return &InputError{"x", index, e}
}
