package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/examples/internal/programtest"
)

func TestMain(m *testing.M) { programtest.Main(m, main) }

func TestStart(t *testing.T) {
	p := programtest.Program{Name: "papers", Run: start}
	help, _ := p.Must(t, "-h")
	short, _ := p.Must(t, "-list")
	programtest.Narrow(t, help, 80)
	if !strings.Contains(help, short) {
		t.Errorf("-h does not list the papers: %s", help)
	}
	for _, x := range papers {
		t.Run(x.Name, func(t *testing.T) {
			if !strings.Contains(short, "\n  "+x.Name+" ") && !strings.HasPrefix(short, "  "+x.Name+" ") {
				t.Errorf("-list does not list %s", x.Name)
			}
			var out, errs bytes.Buffer
			if status := start([]string{x.Name, "-h"}, &out, &errs); status != 0 || strings.Count(out.String(), "\n") > 60 {
				t.Errorf("-h ends with %d and has %d lines: %s", status, strings.Count(out.String(), "\n"), &errs)
			}
			programtest.Narrow(t, out.String(), 88)
		})
	}
	p.Mistakes(t, t.TempDir(), []programtest.Wrong{
		{Args: nil, Want: "which paper?"},
		{Args: []string{"niu15"}, Want: `"niu15" is not a paper`},
		{Args: []string{"-json"}, Want: `"-json" is not a paper`},
	})
	p.Broken(t, []string{"-list"})
}
