package cli

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/jsonrows"
	"github.com/plimsoll/plimsoll/examples/internal/table"
	"github.com/plimsoll/plimsoll/pricing"
)

type someOptions struct {
	in    string
	more  []string
	n     int
	x     float64
	d     time.Duration
	m     pricing.Money
	kind  int
	seed  uint64
	list  []int
	what  string
	level level
}

type level int

func (l *level) UnmarshalText(b []byte) error {
	if string(b) != "high" {
		return io.EOF
	}
	*l = 1
	return nil
}

func some(fail error) *Program[someOptions, int] {
	return &Program[someOptions, int]{
		Name: "some", Usage: "Usage: some\n",
		Define: func(o *someOptions, f *Flags) {
			o.n = 7
			f.File("in", &o.in)
			f.Files("more", &o.more)
			f.Int("n", &o.n, 1, 10_000, " of things")
			f.Float("x", &o.x, "a number above 0", func(x float64) bool { return x > 0 })
			f.Span("d", &o.d, "a span", func(d time.Duration) bool { return d > 0 })
			f.Money("m", &o.m, "an amount", func(m pricing.Money) bool { return m >= 0 })
			f.Name("what", &o.what, "a name")
			f.Text("level", &o.level, "high")
			f.Seed(&o.seed)
			Choice(f, "kind", &o.kind, "a", "b", "c")
			List(f, "list", &o.list, 2, func(part string) (int, error) {
				if part == "" {
					return 0, errors.New("want letters")
				}
				return int(part[0]), nil
			})
			f.Check(func() error {
				if o.n == 13 {
					return errors.New("-n 13: want another number")
				}
				return nil
			})
			f.Idle(func(name string) bool { return name != "svg" && o.kind == 2 })
		},
		Work: func(o *someOptions, run *Run) (int, error) {
			run.Sayf("at work")
			return o.n, fail
		},
		Text:  func(n int, w *table.Page) error { w.Printf("%d things\n", n); return nil },
		Rows:  func(n int) any { return make([]struct{ A int }, n%3) },
		Files: []File[int]{{"svg", func(n int, w io.Writer) error { _, err := w.Write(make([]byte, n)); return err }}},
	}
}

func TestProgram(t *testing.T) {
	dir := t.TempDir()
	svg, in := filepath.Join(dir, "out.svg"), filepath.Join(dir, "in")
	if err := os.WriteFile(in, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args           string
		fail           error
		status         int
		stdout, stderr string
	}{
		{"", nil, 0, "7 things\n", "some: at work\n"},
		{"-n 8 -json", nil, 0, "[\n  {\"A\":0},\n  {\"A\":0}\n]\n", "some: at work\n"},
		{"-n 9 -json", nil, 0, "[]\n", "some: at work\n"},
		{"-h", nil, 0, "Usage: some\n" + exitStatus, ""},
		{"-kind c -n 1 -svg " + svg, nil, 0, "1 things\n", "some: note: -kind and -n change nothing here\nsome: at work\n"},
		{"-kind c", nil, 0, "7 things\n", "some: note: -kind changes nothing here\nsome: at work\n"},
		{"-svg " + svg, io.EOF, 1, "", "some: at work\nsome: EOF\n"},
		{"", Mistakef("no"), 2, "", "some: at work\nsome: no\n"},
		{"-n 13", nil, 2, "", "some: -n 13: want another number\n"},
		{"-other", nil, 2, "", "some: flag provided but not defined: -other (-h lists the flags)\n"},
		{"-json 3", nil, 2, "", "some: \"3\" is not a flag, and nothing else is expected (-h lists the flags)\n"},
		{"-json=yes", nil, 2, "", "some: invalid boolean value \"yes\" for -json: want true or false (-h lists the flags)\n"},
		{"-seed -1", nil, 2, "", "some: invalid value \"-1\" for flag -seed: want a whole number that is not negative (-h lists the flags)\n"},
		{"-n 0", nil, 2, "", "some: invalid value \"0\" for flag -n: want a whole number of things from 1 to 10,000 (-h lists the flags)\n"},
		{"-x NaN", nil, 2, "", "some: invalid value \"NaN\" for flag -x: want a number above 0 (-h lists the flags)\n"},
		{"-d 0s", nil, 2, "", "some: invalid value \"0s\" for flag -d: want a span (-h lists the flags)\n"},
		{"-m -1", nil, 2, "", "some: invalid value \"-1\" for flag -m: want an amount (-h lists the flags)\n"},
		{"-what=", nil, 2, "", "some: invalid value \"\" for flag -what: want a name (-h lists the flags)\n"},
		{"-level low", nil, 2, "", "some: invalid value \"low\" for flag -level: want high (-h lists the flags)\n"},
		{"-kind d", nil, 2, "", "some: invalid value \"d\" for flag -kind: want a, b or c (-h lists the flags)\n"},
		{"-list a,,b", nil, 2, "", "some: invalid value \"a,,b\" for flag -list: want letters (-h lists the flags)\n"},
		{"-list a,a", nil, 2, "", "some: invalid value \"a,a\" for flag -list: a is there twice (-h lists the flags)\n"},
		{"-list a,b,c", nil, 2, "", "some: invalid value \"a,b,c\" for flag -list: want at most 2 (-h lists the flags)\n"},
		{"-more a -more a", nil, 2, "", "some: invalid value \"a\" for flag -more: the file was given before (-h lists the flags)\n"},
		{"-in " + in + " -svg " + in, nil, 2, "", "some: -svg " + in + ": the file is that of another flag as well\n"},
		{"-more " + in + " -svg " + in, nil, 2, "", "some: -svg " + in + ": the file is that of another flag as well\n"},
		{"-svg " + dir, nil, 2, "", "some: cannot write -svg " + dir + ": is a folder\n"},
	} {
		var stdout, stderr bytes.Buffer
		status := some(c.fail).Run(strings.Fields(c.args), &stdout, &stderr)
		if status != c.status || stdout.String() != c.stdout || stderr.String() != c.stderr {
			t.Errorf("%q: %d, %q, %q, want %d, %q, %q", c.args, status, stdout.String(), stderr.String(), c.status, c.stdout, c.stderr)
		}
		if entries, _ := os.ReadDir(dir); len(entries) != 1+map[bool]int{true: 1}[strings.HasSuffix(c.args, svg) && c.fail == nil] {
			t.Errorf("%q leaves %v", c.args, entries)
		}
		os.Remove(svg)
	}

	short := some(nil)
	short.ShortIf, short.Verdict = "a thing is late", func(int) error { return Shortf("%d things are late", 2) }
	var stdout, stderr bytes.Buffer
	if status := short.Run(nil, &stdout, &stderr); status != 3 || stdout.String() != "7 things\n" ||
		stderr.String() != "some: at work\nsome: 2 things are late\n" {
		t.Errorf("short: %d, %q, %q", status, stdout.String(), stderr.String())
	}
	stdout.Reset()
	if status := short.Run([]string{"-h"}, &stdout, &stderr); status != 0 || !strings.Contains(stdout.String(), "3 if a thing is late, and 130") {
		t.Errorf("short: %d, %q", status, stdout.String())
	}

	o, err := some(nil).Options(strings.Fields("-x .5 -d 1h -m 2.5 -kind b -list b,a -what w -level high -more a -more b -seed 12")...)
	if err != nil || o.x != .5 || o.d != time.Hour || o.m != 25*pricing.Unit/10 || o.kind != 1 || o.seed != 12 || !slices.Equal(o.list,
		[]int{'b', 'a'}) || o.what != "w" || o.level != 1 || len(o.more) != 2 {
		t.Errorf("%+v, %v", o, err)
	}
	if got := strings.Join(some(nil).FlagNames(), " "); got != "d in json kind level list m more n seed svg what x" {
		t.Errorf("flags %s", got)
	}
}

// Text of others that a terminal would act on is shown, wherever it leaves: as a result, a row for
// machines, a note or an error.
func TestTextOfOthers(t *testing.T) {
	const nasty = "m5\x1b[2J\x07\u009b31m\u202e"
	p := &Program[string, string]{Name: "x\x1b", Usage: "", Define: func(o *string, f *Flags) { f.Name("name", o, "a name") },
		Work: func(o *string, run *Run) (string, error) {
			run.Sayf("note: %s", nasty)
			if *o != "ok" {
				return "", errors.New(nasty)
			}
			return nasty, nil
		},
		Text: func(r string, w *table.Page) error { w.Printf("%s\n", r); return nil },
		Rows: func(r string) any { return []jsonrows.Row{{"type", r}} },
	}
	for _, args := range [][]string{{"-name", "ok"}, {"-name", "ok", "-json"}, {"-name", nasty}, {"-" + nasty}} {
		var stdout, stderr strings.Builder
		p.Run(args, &stdout, &stderr)
		for what, text := range map[string]string{"results": stdout.String(), "notes": stderr.String()} {
			if strings.ContainsAny(text, "\x1b\x07\u009b\u202e") {
				t.Errorf("%q: %s have %q", args, what, text)
			}
		}
	}
}
