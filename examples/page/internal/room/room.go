// Package room answers the questions of the page's rooms: JSON in, JSON out. The browser
// runs this package as WebAssembly, and tests run this package natively, so that both are
// the same code.
package room

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/internal/inputerr"
	"github.com/plimsoll/plimsoll/pricing"
)

// rooms are the questions that Answer takes, by name. A function allocates its answer.
var rooms = map[string]func(question []byte) (any, error){
	"read":           decoded(read),
	"reserve":        decoded(reservePlan),
	"reserve/rules":  decoded(reserveRules),
	"reserve/check":  decoded(reserveCheck),
	"reserve/export": decoded(reserveExport),
}

// A mistake is the user's: a sentence that stands beside the field of the page that it
// names.
type mistake struct {
	Field string `json:"field"`
	Text  string `json:"text"`
}

func (m *mistake) Error() string { return m.Field + ": " + m.Text }

func mistakef(field, format string, args ...any) error {
	return &mistake{field, fmt.Sprintf(format, args...)}
}

// Answer answers a question to a room. The answer is an object. The object has a field
// "error", a mistake, where the question cannot be answered.
func Answer(name string, question []byte) []byte {
	ask, ok := rooms[name]
	var answer any
	err := fmt.Errorf("there is no room %q", name)
	if ok {
		answer, err = ask(question)
	}
	if err != nil {
		var m *mistake
		if !errors.As(err, &m) {
			m = &mistake{Text: cli.Detail(err)}
		}
		answer = map[string]any{"error": m}
	}
	text, err := json.Marshal(answer)
	if err != nil { // such as a NaN in an answer
		text, _ = json.Marshal(map[string]any{"error": &mistake{Text: "the answer cannot be written: " + err.Error()}})
	} else if a, ok := answer.(heavy); ok {
		text = append(a.appendHeavy(text[:len(text)-1]), '}')
	}
	return text
}

func decoded[Q, A any](ask func(q *Q) (A, error)) func([]byte) (any, error) {
	return func(question []byte) (any, error) {
		q := new(Q)
		if err := json.Unmarshal(question, q); err != nil {
			return nil, mistakef("", "the question cannot be read: %v", err)
		}
		return ask(q)
	}
}

// An amount is money as text, since the numbers of JavaScript hold no nano of a large sum.
type amount string

func money(m pricing.Money) amount { return amount(m.String()) }

// file is a file that a command line reads.
type file struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

// export is what gives the same numbers without the page.
type export struct {
	Command string `json:"command"`
	Files   []file `json:"files"`
}

// span reads a length of time as a person types one: a number of days, or a duration such
// as 36h, 2w or 1y (365 days).
func span(field, text string) (time.Duration, error) {
	s := strings.TrimSpace(text)
	unit := 24 * time.Hour
	number := s
	for suffix, u := range map[string]time.Duration{"d": 24 * time.Hour, "w": 7 * 24 * time.Hour, "y": 365 * 24 * time.Hour} {
		if rest, ok := strings.CutSuffix(s, suffix); ok {
			number, unit = rest, u
		}
	}
	x, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	d := time.Duration(x * float64(unit))
	if err != nil {
		if d, err = time.ParseDuration(s); err != nil {
			return 0, mistakef(field, "%s is no length of time: want a number of days, or a length such as 36h, 2w or 1y", quote(text))
		}
	} else if !(x < 36500*24*float64(time.Hour)/float64(unit)) {
		return 0, mistakef(field, "%s: want at most 100 years", quote(text))
	}
	if d <= 0 {
		return 0, mistakef(field, "%s: want a length of time above 0", quote(text))
	}
	return d, nil
}

// price reads an amount as a person types one.
func price(field, text string) (pricing.Money, error) {
	m, err := pricing.ParseMoney(strings.TrimSpace(text))
	if err != nil {
		return 0, mistakef(field, "%s is no price: want a number of 0 or more with at most 9 decimals, such as 0.4", quote(text))
	}
	if m < 0 {
		return 0, mistakef(field, "%s is negative: want a price of 0 or more", quote(text))
	}
	return m, nil
}

func quote(s string) string {
	if r := []rune(s); len(r) > 40 {
		s = string(r[:40]) + "…"
	}
	return strconv.Quote(s)
}

// fieldOf names the field of the page for an error of the library, by the first part of
// the library's field.
func fieldOf(err error, fields map[string]string) error {
	var in *inputerr.Error
	if !errors.As(err, &in) {
		return mistakef("", "%s", cli.Detail(err))
	}
	name, _, _ := strings.Cut(in.Field, ".")
	name, _, _ = strings.Cut(name, "[")
	return mistakef(fields[name], "%s", cli.Detail(err))
}
