package ask

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/pricing"
)

// A weighty answer has a field that it appends by itself.
type weighty struct {
	Light string `json:"light"`
	list  Ints
}

func (w *weighty) AppendHeavy(b []byte) []byte { return AppendField(b, "heavy", w.list) }

// An answer is an object: of the room, or with a mistake in the field "error".
func TestAnswer(t *testing.T) {
	type question struct {
		N int `json:"n"`
	}
	rooms := Rooms{
		"double": Decoded(func(q *question) (map[string]int, error) { return map[string]int{"twice": 2 * q.N}, nil }),
		"heavy":  Decoded(func(q *question) (*weighty, error) { return &weighty{"x", Ints{q.N}}, nil }),
		"nan":    Decoded(func(*question) (float64, error) { return math.NaN(), nil }),
		"wrong":  Decoded(func(q *question) (int, error) { return 7, Mistakef("n", "%d: want more", q.N) }),
		"wrapped": Decoded(func(q *question) (int, error) {
			return 7, fmt.Errorf("in a room: %w", Mistakef("n", "%d: want more", q.N))
		}),
		"broken": Decoded(func(*question) (int, error) { return 7, errors.New("library: it is broken") }),
	}
	for _, c := range []struct{ room, question, want string }{
		{"double", `{"n":21}`, `{"twice":42}`},
		{"double", `{"n":"x"}`, `{"error":{"field":"","text":"the question cannot be read: json: cannot unmarshal string into Go struct field question.n of type int"}}`},
		{"double", ``, `{"error":{"field":"","text":"the question cannot be read: unexpected end of JSON input"}}`},
		{"heavy", `{"n":1}`, `{"light":"x","heavy":"i:AQAAAA=="}`},
		{"nan", `{}`, `{"error":{"field":"","text":"the answer cannot be written: json: unsupported value: NaN"}}`},
		{"wrong", `{"n":3}`, `{"error":{"field":"n","text":"3: want more"}}`},
		{"wrapped", `{"n":3}`, `{"error":{"field":"n","text":"3: want more"}}`},
		{"broken", `{}`, `{"error":{"field":"","text":"it is broken"}}`},
		{"attic", `{}`, `{"error":{"field":"","text":"there is no room \"attic\""}}`},
	} {
		if diff := cmp.Diff(c.want, string(rooms.Answer(c.room, []byte(c.question)))); diff != "" {
			t.Errorf("%s of %s (-want +got):\n%s", c.room, c.question, diff)
		}
	}
	if got := Mistakef("n", "%d: want more", 3).Error(); got != "n: 3: want more" {
		t.Errorf("a mistake reads %q", got)
	}
	if got := Money(2400 * pricing.Milli); got != "2.4" {
		t.Errorf("an amount reads %q", got)
	}
}

// What a person types into a field is read, or a sentence says what is right.
func TestFields(t *testing.T) {
	span := func(s string) (any, error) { return Span("f", s) }
	price := func(s string) (any, error) { return Price("f", s) }
	whole := func(s string) (any, error) { return Whole("f", s, -2, 5000, "steps") }
	const noSpan, noPrice = " is no length of time: want a number of days, or a length such as 36h, 2w or 1y", " is no price: want a number from 0 to 9 billion with at most 9 decimals, such as 0.4"
	const day = 24 * time.Hour
	for _, c := range []struct {
		read func(string) (any, error)
		text string
		want any // a string is what the mistake says
	}{
		{span, "7", 7 * day},
		{span, " 0.5 ", 12 * time.Hour},
		{span, "3d", 3 * day},
		{span, "2 w", 14 * day},
		{span, "1y", 365 * day},
		{span, "36h", 36 * time.Hour},
		{span, "90m30s", 90*time.Minute + 30*time.Second},
		{span, "99.5y", 99*365*day + 365*12*time.Hour},
		{span, "36499.5", 36499*day + 12*time.Hour},
		{span, "36500", `"36500": want at most 100 years`},
		{span, "100y", `"100y": want at most 100 years`},
		{span, "5215w", `"5215w": want at most 100 years`},
		{span, "5214w", 5214 * 7 * day},
		{span, "NaN", `"NaN": want at most 100 years`},
		{span, "0", `"0": want a length of time above 0`},
		{span, "-1w", `"-1w": want a length of time above 0`},
		{span, "-5m", `"-5m": want a length of time above 0`},
		{span, "soon", `"soon"` + noSpan},
		{span, "", `""` + noSpan},
		{span, "w", `"w"` + noSpan},
		{price, " 0.4 ", 400 * pricing.Milli},
		{price, "0", pricing.Money(0)},
		{price, "-0.1", `"-0.1" is negative: want a price of 0 or more`},
		{price, "four", `"four"` + noPrice},
		{price, "0.0000000001", `"0.0000000001"` + noPrice},
		{whole, " 12 ", 12},
		{whole, "-2", -2},
		{whole, "5000", 5000},
		{whole, "-3", `"-3": want a whole number of steps from -2 to 5,000`},
		{whole, "5001", `"5001": want a whole number of steps from -2 to 5,000`},
		{whole, "1.5", `"1.5": want a whole number of steps from -2 to 5,000`},
	} {
		got, err := c.read(c.text)
		if text, ok := c.want.(string); ok {
			if diff := cmp.Diff(&Mistake{"f", text}, err); diff != "" {
				t.Errorf("%q: (-want +got)\n%s", c.text, diff)
			}
		} else if err != nil || got != c.want {
			t.Errorf("%q: %v, %v, want %v", c.text, got, err, c.want)
		}
	}
	forty := strings.Repeat("é", 40)
	for text, want := range map[string]string{forty: `"` + forty + `"`, forty + "e": `"` + forty + `…"`, "a\nb": `"a\nb"`} {
		if got := Quote(text); got != want {
			t.Errorf("%q is quoted as %s, want %s", text, got, want)
		}
	}
}

// An error of the library stands beside the field of the page that is behind its own.
func TestFieldOf(t *testing.T) {
	fields := map[string]string{"Prices": "classes", "Demand": "demand"}
	in := func(field string) error {
		return &pricing.InputError{Package: "reserve", Field: field, Index: 3, Err: fmt.Errorf("%w: 5: want less", io.ErrNoProgress)}
	}
	for _, c := range []struct {
		err   error
		field string
		text  string
	}{
		{in("Demand"), "demand", "5: want less"},
		{in("Prices.Classes[].Term"), "classes", "5: want less"},
		{in("Demand[]"), "demand", "5: want less"},
		{in("Slot"), "other", "5: want less"},
		{errors.New("reserve: too much"), "other", "too much"},
	} {
		if diff := cmp.Diff(error(&Mistake{c.field, c.text}), FieldOf(c.err, fields, "other")); diff != "" {
			t.Errorf("%v (-want +got):\n%s", c.err, diff)
		}
	}
}

// By hand: 1, -2 and 2^16 in 32 bits, little end first, are 01000000 feffffff 00000100; 1.5 is
// 0000c03f. base64 of the bytes is from another program.
func TestPacked(t *testing.T) {
	for _, c := range []struct {
		list any
		want string
	}{
		{Ints{1, -2, 65536}, `"i:AQAAAP7///8AAAEA"`},
		{Ints{}, `"i:"`},
		{Floats{1.5, -0.25}, `"f:AADAPwAAgL4="`},
		{Series{1, 0.1, math.NaN(), math.Inf(-1), 1e21}, `[1,0.1,null,null,1e+21]`},
		{Floats{}, `"f:"`},
		{Series{}, `[]`},
	} {
		if got, err := json.Marshal(c.list); err != nil || string(got) != c.want {
			t.Errorf("%v: %s, %v, want %s", c.list, got, err, c.want)
		}
	}
	if got := string(Lists[Ints]{{1}, {}, {2, 3}}.AppendTo([]byte("x"))); got != `x["i:AQAAAA==","i:","i:AgAAAAMAAAA="]` {
		t.Errorf("lists: %s", got)
	}
	for text, want := range map[string]Ints{`"i:AQAAAP7///8AAAEA"`: {1, -2, 65536}, `[3,-4]`: {3, -4}, `[]`: {}, `"i:"`: {}} {
		var got Ints
		if err := json.Unmarshal([]byte(text), &got); err != nil || cmp.Diff(want, got) != "" {
			t.Errorf("%s: %v, %v, want %v", text, got, err, want)
		}
	}
	for text, want := range map[string]string{
		`"f:AQAAAA=="`: "no list of whole numbers", `"i:AQAA"`: "no list of whole numbers", `"i:!"`: "no list of whole numbers", `7`: "no list of whole numbers",
		`[1.5]`: "json: cannot unmarshal number 1.5 into Go value of type int",
	} {
		var got Ints
		if err := json.Unmarshal([]byte(text), &got); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
	var empty Ints
	if err := empty.UnmarshalJSON(nil); err == nil {
		t.Error("nothing is a list")
	}
	for text, want := range map[string]string{`[1,null,2.5]`: "[1 NaN 2.5]", `"i:AQAAAP7///8="`: "[1 -2]"} {
		got := Series{9, 9, 9, 9}
		if err := json.Unmarshal([]byte(text), &got); err != nil || fmt.Sprint(got) != want {
			t.Errorf("%s: %v, %v, want %s", text, got, err, want)
		}
	}
	var s Series
	if err := json.Unmarshal([]byte(`"x"`), &s); err == nil || !strings.Contains(err.Error(), "cannot unmarshal string") {
		t.Errorf("a series of a word: %v", err)
	}
}

// A text, or the file that comes as base64, is given to the reader of its form; what is wrong
// stands beside the place for that form.
func TestText(t *testing.T) {
	readers := Readers{
		"echo": func(name string, data []byte) (any, error) { return name + "=" + string(data), nil },
		"bad":  func(string, []byte) (any, error) { return nil, Mistakef("elsewhere", "want it good") },
		"in": func(string, []byte) (any, error) {
			return 3, &pricing.InputError{Package: "trace", Index: -1, Line: 4, Err: fmt.Errorf("%w: x: want y", io.ErrNoProgress)}
		},
	}
	for _, c := range []struct {
		q    Text
		want any
	}{
		{Text{Form: "echo", Name: "a.csv", Text: "1"}, "a.csv=1"},
		{Text{Form: "echo", Text: "1"}, "the pasted text=1"},
		{Text{Form: "echo", Text: "1", Data: "Mg=="}, "the pasted text=2"},
		{Text{Form: "echo", Data: "?"}, &Mistake{"echo", "illegal base64 data at input byte 0"}},
		{Text{Form: "bad"}, &Mistake{"bad", "want it good"}},
		{Text{Form: "in"}, &Mistake{"in", "line 4: " + io.ErrNoProgress.Error() + ": x: want y"}},
		{Text{Form: "none"}, &Mistake{"", `"none" is no form of a file`}},
	} {
		got, err := c.q.Read(readers)
		if m, ok := c.want.(*Mistake); ok {
			if diff := cmp.Diff(error(m), err); diff != "" || got != nil {
				t.Errorf("%+v: %v (-want +got)\n%s", c.q, got, diff)
			}
		} else if err != nil || got != c.want {
			t.Errorf("%+v: %v, %v, want %v", c.q, got, err, c.want)
		}
	}
}

// A list that is read is the same written and read again, in both forms.
func FuzzLists(f *testing.F) {
	for _, text := range []string{`"i:AQAAAP7///8AAAEA"`, `[3,-4]`, `"i:"`, `[1,null,2.5]`, `"i:!"`, `7`} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var list, again Ints
		if json.Unmarshal(text, &list) == nil && !slices.ContainsFunc(list, func(v int) bool { return int64(v) != int64(int32(v)) }) {
			packed, err := json.Marshal(list)
			if err != nil {
				t.Fatal(err)
			}
			if err := json.Unmarshal(packed, &again); err != nil || !slices.Equal(list, again) {
				t.Fatalf("%s is %v, and written and read again %v, %v", text, list, again, err)
			}
		}
		var series, same Series
		if json.Unmarshal(text, &series) == nil {
			written, err := json.Marshal(series)
			if err != nil {
				t.Fatal(err)
			}
			if err := json.Unmarshal(written, &same); err != nil || fmt.Sprint(series) != fmt.Sprint(same) {
				t.Fatalf("%s is %v, and written and read again %v, %v", text, series, same, err)
			}
		}
	})
}
