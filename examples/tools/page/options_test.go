package main

import (
	"bytes"
	"context"
	"strings"
	"testing"
)

// The user's mistakes end with one sentence and status 2, before anything is built.
func TestMistakes(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"-port", "many"}, "want a number from 0 to 65535"},
		{[]string{"-port", "65536"}, "want a number from 0 to 65535"},
		{[]string{"-o", ""}, "want the name of a folder"},
		{[]string{"-o", "x", "-port", "1"}, "want one of them"},
		{[]string{"-open"}, "-open"},
		{[]string{"x"}, "x"},
	} {
		var stdout, stderr bytes.Buffer
		if status := run(context.Background(), c.args, &stdout, &stderr); status != 2 || stdout.Len() > 0 || !strings.Contains(stderr.String(), c.want) || strings.Count(stderr.String(), "\n") != 1 {
			t.Errorf("%q: status %d, %q, %q: want %q", c.args, status, &stdout, &stderr, c.want)
		}
	}
	var stdout, stderr bytes.Buffer
	if status := run(context.Background(), []string{"-h"}, &stdout, &stderr); status != 0 || !strings.Contains(stdout.String(), "-port N") || !strings.Contains(stdout.String(), "-o DIR") {
		t.Errorf("-h: status %d, %q, %q", status, &stdout, &stderr)
	}
}
