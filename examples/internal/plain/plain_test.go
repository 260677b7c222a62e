package plain

import "testing"

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
