package pricing

import (
	"errors"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"
)

var heldList = List{OnDemand: 2 * Unit, Classes: []Class{
	{Name: "7d", Term: 168 * time.Hour, Upfront: Unit, Billed: Always},
	{Name: "30d", Term: 720 * time.Hour, Upfront: Unit, Billed: Always},
}}

func TestReadHoldings(t *testing.T) {
	for _, c := range []struct {
		text string
		want []Holding
		err  error
		says string
	}{
		{"[]", nil, nil, ""},
		{`[{"until": 3, "class": "7d", "count": 1}, {"class":"30d","count":0,"until" : "90h"}]`, []Holding{{0, 1, 3}, {1, 0, 90}}, nil, ""},
		{`[{"class": "7d", "count": 2147483647, "until": "600m"}]`, []Holding{{0, 2147483647, 10}}, nil, ""},
		{`[{"class": "30d", "count": 1, "until": 719}]`, []Holding{{1, 1, 719}}, nil, ""},
		{`[{"class": "7d", "count": 1, "until": "0h"}]`, []Holding{{0, 1, 0}}, nil, ""},
		{`[{"class": "7d", "count": 1, "until": "2147483648h"}]`, nil, ErrRange, `"2147483648h": want at most 2147483647 slots`},
		{`[{"class": "7d", "count": 1, "until": "9999999h"}]`, nil, ErrRange, `"9999999h": want at most`},
		{"", nil, ErrSyntax, "line 1: malformed text: the text ends before the inventory does: want the inventory in JSON"},
		{"{}", nil, ErrSyntax, "line 1: malformed text: an object: want an array of objects with class, count and until"},
		{"[\n{]", nil, ErrSyntax, "line 2"},
		{"[] x", nil, ErrSyntax, "line 1"},
		{"[\"\xff\"]", nil, ErrSyntax, "UTF-8"},
		{"[\n3]", nil, ErrSyntax, "line 2 ([0]): malformed text: a number: want an object"},
		{"[{\"class\": \"7d\",\n \"count\": 1}]", nil, ErrMissing, "line 2 ([0].until)"},
		{"[{\"class\": \"7d\",\n \"class\": \"7d\"}]", nil, ErrDuplicate, "line 2 ([0].class)"},
		{`[{"class": "7d", "number": 1}]`, nil, ErrUnknown, `the field "number": want class, count, until`},
		{`[{"class": "5y", "count": 1, "until": 1}]`, nil, ErrUnknown, `([0].class): unknown name: "5y": want 7d or 30d`},
		{`[{"class": 7, "count": 1, "until": 1}]`, nil, ErrSyntax, "[0].class"},
		{`[{"class": "7d", "count": -1, "until": 1}]`, nil, ErrRange, `"-1": want a whole number of reservations, 0 to 2147483647`},
		{`[{"class": "7d", "count": 1.5, "until": 1}]`, nil, ErrRange, "[0].count"},
		{"[{\"class\": \"7d\", \"count\": 1, \"until\": 1},\n{\"class\": \"7d\", \"count\": 1, \"until\": \"soon\"}]", nil, ErrSyntax, "line 2 ([1].until)"},
		{`[{"class": "7d", "count": 1, "until": "-1h"}]`, nil, ErrSyntax, `want a duration such as "2000h", or a whole number of slots`},
		{`[{"class": "7d", "count": 1, "until": "90m"}]`, nil, ErrRange, "90m: want a whole number of slots of 1h"},
		{`[{"class": "7d", "count": 1, "until": null}]`, nil, ErrRange, "[0].until"},
		{`[{"class": "7d", "count": 1, "until": 168}]`, nil, ErrRange, `168 slots: want fewer than the term of "7d", which was bought before: 168`},
	} {
		got, err := ReadHoldings(strings.NewReader(c.text), heldList, time.Hour)
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", c.text, diff)
		}
		var in *InputError
		if c.err != nil && (!errors.Is(err, c.err) || !errors.As(err, &in) || in.Line == 0 || !strings.Contains(err.Error(), c.says)) || c.err == nil && err != nil {
			t.Errorf("%q: %v, want %v that says %q", c.text, err, c.err, c.says)
		}
	}
	if _, err := ReadHoldings(iotest.ErrReader(iotest.ErrTimeout), heldList, time.Hour); err != iotest.ErrTimeout {
		t.Errorf("%v, want the error of the source", err)
	}
	defer func() {
		if recover() == nil {
			t.Error("no panic for a slot of 0")
		}
	}()
	ReadHoldings(strings.NewReader("[]"), heldList, 0)
}

// No text makes it panic, and what it accepts is active for less than its term.
func FuzzReadHoldings(f *testing.F) {
	for _, s := range []string{"[]", `[{"class": "7d", "count": 1, "until": "90h"}]`, `[{"until":3}]`, `[{"class":"7d","count":1,"until"`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		held, err := ReadHoldings(strings.NewReader(text), heldList, time.Hour)
		for _, h := range held {
			if err != nil || h.Count < 0 || h.Until < 0 || h.Until >= int(heldList.Classes[h.Class].Term/time.Hour) {
				t.Errorf("%+v, %v", h, err)
			}
		}
	})
}
