package plain

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestCut(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", ""},
		{"  no\ncredentials \t here\r\n", "no credentials here"},
		{"\x1b[2J\x07red", `\x1b[2J\ared`},
		{"caf\u00e9 \xff\u202e", "caf\u00e9 " + `\xff\u202e`},
		{"0123456789 0123456789 0123456789", "...6789 0123456789"},
	} {
		most := 100
		if len(c.want) > 3 && c.want[:3] == "..." {
			most = len(c.want) - 3
		}
		if got := Cut([]byte(c.text), most); got != c.want {
			t.Errorf("%q: %q, want %q", c.text, got, c.want)
		}
	}
	if got := Line("a\\b \"c\""); got != "a\\b \"c\"" {
		t.Errorf("what prints has become %q", got)
	}
}

// What a terminal acts on, and what looks like other text than it is, is shown and not obeyed.
func TestText(t *testing.T) {
	const nasty = "a\x1b[2Jb\x07\u009b31m\u202ec\x7f\xff\tö\n"
	if got, want := Text(nasty), "a\\x1b[2Jb\\a\\u009b31m\\u202ec\\x7f\\xff\tö\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	var b strings.Builder
	if n, err := Writer(&b).Write([]byte(nasty)); n != len(nasty) || err != nil || b.String() != Text(nasty) {
		t.Errorf("%d, %v, %q", n, err, b.String())
	}
	in := "a\x7f\u009b\u202e\U000e0001ö"
	text, _ := json.Marshal(in)
	var out string
	if safe := JSON(string(text)); json.Unmarshal([]byte(safe), &out) != nil || out != in || strings.ContainsAny(safe, "\x7f\u009b\u202e\U000e0001") {
		t.Errorf("%q is %q", safe, out)
	}
}

// No field of a table is a formula, and numbers stay numbers.
func TestCSV(t *testing.T) {
	var b strings.Builder
	c := NewCSV(&b)
	c.Write("=cmd|' /C calc'!A0", "@SUM(1)", "+1+1", "-1+1", "-1.5", "+2e3", "-", "m5.large", "a\x1b,b\n", "")
	if err := c.Flush(); err != nil {
		t.Fatal(err)
	}
	if want := "'=cmd|' /C calc'!A0,'@SUM(1),'+1+1,'-1+1,-1.5,+2e3,-,m5.large,\"a\\x1b,b\\n\",\n"; b.String() != want {
		t.Errorf("%q, want %q", b.String(), want)
	}
}

// A character that comes in pieces is whole, and one that never ends is escaped.
func TestWriterPieces(t *testing.T) {
	var b strings.Builder
	w := Writer(&b)
	const text = "caf\u00e9 \u20ac \U0001f600 \x1b"
	for i := range len(text) {
		if n, err := w.Write([]byte(text[i : i+1])); n != 1 || err != nil {
			t.Fatal(n, err)
		}
	}
	w.Write([]byte("\xe2\x82"))
	if got, want := b.String(), Text(text); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if err := w.Flush(); err != nil || b.String() != Text(text)+`\xe2\x82` {
		t.Errorf("%v, %q", err, b.String())
	}
}
