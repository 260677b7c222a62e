// Package ask holds what the rooms of the page share: questions in JSON, answers in JSON, and
// sentences about what is wrong with a question. The browser runs the rooms as WebAssembly,
// and tests run the rooms natively, so that both are the same code.
package ask

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/examples/internal/decimal"
	"github.com/plimsoll/plimsoll/pricing"
)

// Rooms are the questions that can be asked, by name. A function allocates its answer.
type Rooms map[string]func(question []byte) (any, error)

// A Mistake is the user's: a sentence that stands beside the field of the page that it
// names.
type Mistake struct {
	Field string `json:"field"`
	Text  string `json:"text"`
}

func (m *Mistake) Error() string { return m.Field + ": " + m.Text }

// Mistakef returns a Mistake about a field.
func Mistakef(field, format string, args ...any) error {
	return &Mistake{field, fmt.Sprintf(format, args...)}
}

// Answer answers a question to a room. The answer is an object. The object has a field
// "error", a mistake, where the question cannot be answered.
func (r Rooms) Answer(name string, question []byte) []byte {
	ask, ok := r[name]
	var answer any
	err := fmt.Errorf("there is no room %q", name)
	if ok {
		answer, err = ask(question)
	}
	if err != nil {
		var m *Mistake
		if !errors.As(err, &m) {
			m = &Mistake{Text: cli.Detail(err)}
		}
		answer = map[string]any{"error": m}
	}
	text, err := json.Marshal(answer)
	if err != nil { // such as a NaN in an answer
		text, _ = json.Marshal(map[string]any{"error": &Mistake{Text: "the answer cannot be written: " + err.Error()}})
	} else if a, ok := answer.(heavy); ok {
		text = append(a.AppendHeavy(text[:len(text)-1]), '}')
	}
	return text
}

// Decoded makes a room of a function: its question is decoded from JSON.
func Decoded[Q, A any](ask func(q *Q) (A, error)) func([]byte) (any, error) {
	return func(question []byte) (any, error) {
		q := new(Q)
		if err := json.Unmarshal(question, q); err != nil {
			return nil, Mistakef("", "the question cannot be read: %v", err)
		}
		return ask(q)
	}
}

// An Amount is money as text, since the numbers of JavaScript hold no nano of a large sum.
type Amount string

// Money returns m as an Amount.
func Money(m pricing.Money) Amount { return Amount(m.String()) }

// File is a file that a command line reads.
type File struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

// Export is what gives the same numbers without the page.
type Export struct {
	Command string `json:"command"`
	Files   []File `json:"files"`
}

// Span reads a length of time as a person types one: a number of days, or a duration such
// as 36h, 2w or 1y (365 days).
func Span(field, text string) (time.Duration, error) {
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
			return 0, Mistakef(field, "%s is no length of time: want a number of days, or a length such as 36h, 2w or 1y", Quote(text))
		}
	} else if !(x < 36500*24*float64(time.Hour)/float64(unit)) {
		return 0, Mistakef(field, "%s: want at most 100 years", Quote(text))
	}
	if d <= 0 {
		return 0, Mistakef(field, "%s: want a length of time above 0", Quote(text))
	}
	return d, nil
}

// Price reads an amount as a person types one.
func Price(field, text string) (pricing.Money, error) {
	m, err := pricing.ParseMoney(strings.TrimSpace(text))
	if err != nil {
		return 0, Mistakef(field, "%s is no price: want a number from 0 to 9 billion with at most 9 decimals, such as 0.4", Quote(text))
	}
	if m < 0 {
		return 0, Mistakef(field, "%s is negative: want a price of 0 or more", Quote(text))
	}
	return m, nil
}

// Whole reads a whole number as a person types one.
func Whole(field, text string, least, most int, of string) (int, error) {
	n, err := strconv.Atoi(strings.TrimSpace(text))
	if err != nil || n < least || n > most {
		return 0, Mistakef(field, "%s: want a whole number of %s from %s to %s", Quote(text), of, decimal.Int(least), decimal.Int(most))
	}
	return n, nil
}

// Quote quotes a piece of a text, cut to a length that fits in a sentence.
func Quote(s string) string {
	if r := []rune(s); len(r) > 40 {
		s = string(r[:40]) + "…"
	}
	return strconv.Quote(s)
}

// FieldOf names the field of the page for an error of the library, by the first part of the
// library's field; other is that of all other errors.
func FieldOf(err error, fields map[string]string, other string) error {
	name := ""
	var in *pricing.InputError
	if errors.As(err, &in) {
		name, _, _ = strings.Cut(in.Field, ".")
		name, _, _ = strings.Cut(name, "[")
	}
	if name = fields[name]; name == "" {
		name = other
	}
	return Mistakef(name, "%s", cli.Detail(err))
}
