// Package claim compares what a paper says with the results of a program: one judge and one
// table for all papers.
package claim

import (
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/plimsoll/plimsoll/examples/internal/decimal"
	"github.com/plimsoll/plimsoll/examples/internal/table"
)

// A Verdict says whether a claim came out.
type Verdict int

const (
	No Verdict = iota
	InPart
	Yes
)

func (v Verdict) String() string { return [...]string{"no", "in part", "yes"}[v] }

// MarshalText returns the verdict as [Verdict.String] does.
func (v Verdict) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// Judge sums up comparisons: all came out, some, or none.
func Judge(seen ...bool) Verdict {
	n := 0
	for _, ok := range seen {
		if ok {
			n++
		}
	}
	switch n {
	case len(seen):
		return Yes
	case 0:
		return No
	}
	return InPart
}

// A Claim is a sentence, a number or an order of a paper, and the result beside it.
type Claim struct {
	On      string  `json:"on"`    // the input, such as a log
	Place   string  `json:"place"` // in the paper, such as "Fig. 2" or "5.3"
	Text    string  `json:"claim"`
	Paper   string  `json:"paper"` // the paper's number or order; empty where the text says it
	Ours    string  `json:"ours"`
	Verdict Verdict `json:"came_out"`
	Why     string  `json:"why"` // of a claim that did not come out, where the reason is known
}

// infinite is a number that does not exist, such as a wait over a wait of zero.
const infinite = "infinite"

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

// Number is a claim about a number. The claim comes out if our number is near the paper's, that
// is, if it differs by at most the part near of the paper's; in part if it has the same sign.
func Number(place, text string, paper, ours, near float64, decimals int) Claim {
	c := Claim{Place: place, Text: text, Paper: decimal.Fixed(paper, decimals), Ours: infinite}
	if finite(ours) {
		c.Ours = decimal.Fixed(ours, decimals)
		switch {
		case math.Abs(ours-paper) <= near*math.Abs(paper):
			c.Verdict = Yes
		case ours*paper > 0:
			c.Verdict = InPart
		}
	}
	return c
}

// Within is a claim that numbers are from low to high, where ours are from least to most. The
// claim comes out in part if the two spans have numbers in common.
func Within(place, text string, low, high, least, most float64, decimals int) Claim {
	span := func(a, b float64) string {
		if a == b {
			return decimal.Fixed(a, decimals)
		}
		return decimal.Fixed(a, decimals) + " to " + decimal.Fixed(b, decimals)
	}
	c := Claim{Place: place, Text: text, Paper: span(low, high), Ours: infinite}
	if !finite(least) || !finite(most) {
		return c
	}
	c.Ours = span(least, most)
	switch {
	case least >= low && most <= high:
		c.Verdict = Yes
	case most >= low && least <= high:
		c.Verdict = InPart
	}
	return c
}

// Holds is a claim about an order. The comparisons are summed up by [Judge].
func Holds(place, text, ours string, seen ...bool) Claim {
	return Claim{Place: place, Text: text, Ours: ours, Verdict: Judge(seen...)}
}

// Because returns the claim with the reason, if the claim did not come out.
func (c Claim) Because(why string) Claim {
	if c.Verdict != Yes {
		c.Why = why
	}
	return c
}

// columns is the width of a page.
const columns = 80

// Write adds the claims to a page: a table for each input, the reasons of what did not come
// out, and how many came out.
func Write(w *table.Page, list []Claim) {
	for i := 0; i < len(list); {
		end := i
		for end < len(list) && list[end].On == list[i].On {
			end++
		}
		if i > 0 {
			w.Printf("\n")
		}
		if list[i].On != "" {
			w.Sayf("On %s:", list[i].On)
		}
		write(w, list[i:end])
		i = end
	}
}

func write(w *table.Page, list []Claim) {
	var rows [][]string
	came := map[Verdict]int{}
	for _, c := range list {
		rows = append(rows, []string{c.Place, c.Text, c.Paper, c.Ours, c.Verdict.String()})
		came[c.Verdict]++
	}
	// All that the other columns leave is the text's.
	widths := []int{fit(rows, 0, 9), 0, fit(rows, 2, 14), fit(rows, 3, 17), fit(rows, 4, 8)}
	widths[1] = columns - 2*(len(widths)-1) - widths[0] - widths[2] - widths[3] - widths[4]
	var lines [][]string
	for _, r := range rows {
		lines = append(lines, fold(r, widths)...)
	}
	w.Table("<place|<claim|<paper|<ours|<came out", lines)
	for _, c := range list {
		if c.Verdict != Yes && c.Why != "" {
			w.Sayf("%s, %s: %s", c.Place, c.Text, c.Why)
		}
	}
	w.Sayf("Of %s %d come out, %d in part, and %d do not.", decimal.Count(len(list), "claim"), came[Yes], came[InPart], came[No])
}

// fit returns the width of the widest cell of a column, at most most.
func fit(rows [][]string, column, most int) int {
	least := len([...]string{"place", "claim", "paper", "ours", "came out"}[column])
	for _, r := range rows {
		least = max(least, len([]rune(r[column])))
	}
	return min(least, most)
}

// fold breaks the cells of a row into lines of the widths given.
func fold(row []string, widths []int) (lines [][]string) {
	for i, cell := range row {
		for k, text := range split(cell, widths[i]) {
			if k == len(lines) {
				lines = append(lines, make([]string, len(row)))
			}
			lines[k][i] = text
		}
	}
	return lines
}

// split breaks a text into lines of at most width characters, at spaces where there are any.
func split(text string, width int) (lines []string) {
	line := ""
	for _, word := range strings.Fields(text) {
		switch {
		case line == "":
			line = word
		case len([]rune(line))+1+len([]rune(word)) <= width:
			line = fmt.Sprint(line, " ", word)
		default:
			lines, line = append(lines, line), word
		}
		for r := []rune(line); len(r) > width; r = r[width:] {
			lines, line = append(lines, string(r[:width])), string(r[width:])
		}
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}

// A Paper is a subcommand of the program.
type Paper struct {
	Name  string // of the subcommand
	About string // one line, at most 60 columns
	Run   func(args []string, stdout, stderr io.Writer) (status int)
}
