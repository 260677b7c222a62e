package main

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/decimal"
	"github.com/plimsoll/plimsoll/pricing"
)

// A portfolio is the classes that an online portfolio may buy of.
type portfolio struct {
	algo    string
	classes []int
	// An only has one class, and is a candidate among those of its name: the one
	// that costs least in total is shown.
	only bool
}

// portfolios returns the full portfolio and the restricted ones, terms from the
// shortest, classes in the order of the list. A restriction that leaves all classes
// is none, and not among them. On demand only is not an online portfolio, and not
// among them either.
func portfolios(list pricing.List) []portfolio {
	all := portfolio{algo: "online"}
	var terms []time.Duration
	for k, c := range list.Classes {
		all.classes = append(all.classes, k)
		terms = append(terms, c.Term)
	}
	out := []portfolio{all}
	slices.Sort(terms)
	terms = slices.Compact(terms)
	names := termNames(terms)
	if len(all.classes) < 2 {
		return out
	}
	for i, term := range terms {
		var classes []int
		for k, c := range list.Classes {
			if c.Term == term {
				classes = append(classes, k)
				out = append(out, portfolio{"online-" + names[i] + "-only", []int{k}, true})
			}
		}
		if len(classes) > 1 && len(terms) > 1 {
			out = append(out, portfolio{"online-" + names[i] + "-classes", classes, false})
		}
	}
	return out
}

// termNames names terms as people do: 1y, 3y, 30d. Terms that would have one name
// are written out.
func termNames(terms []time.Duration) []string {
	names := make([]string, len(terms))
	count := make(map[string]int)
	for i, t := range terms {
		names[i] = termName(t)
		count[names[i]]++
	}
	for i, t := range terms {
		if count[names[i]] > 1 {
			names[i] = decimal.Span(t)
		}
	}
	return names
}

// termName rounds to years, if they are whole to a hundredth: a year is 365 days, or
// 52 weeks.
func termName(t time.Duration) string {
	const day, year = 24 * time.Hour, 365 * 24 * time.Hour
	if n := (t + year/2) / year; n > 0 && (t-n*year).Abs() <= n*year/100 {
		return strconv.Itoa(int(n)) + "y"
	}
	switch {
	case t%day == 0:
		return fmt.Sprintf("%dd", t/day)
	case t%time.Hour == 0:
		return fmt.Sprintf("%dh", t/time.Hour)
	}
	return decimal.Span(t)
}
