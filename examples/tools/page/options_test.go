package main

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
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

// The server compresses for who takes it, refuses what is not there, and lets a page load
// nothing from elsewhere.
func TestHandler(t *testing.T) {
	h := handler([]file{{"index.html", bytes.Repeat([]byte("<p>"), 1000)}, {"a.wasm.gz", []byte{1, 2, 3}}})
	get := func(method, path, accept string) *http.Response {
		r := httptest.NewRequest(method, path, nil)
		r.Header.Set("Accept-Encoding", accept)
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w.Result()
	}
	for _, c := range []struct {
		method, path, accept string
		status               int
		encoding             string
	}{
		{"GET", "/", "gzip, br", 200, "gzip"},
		{"HEAD", "/index.html", "br;q=1, gzip;q=0.5", 200, "gzip"},
		{"GET", "/", "", 200, ""},
		{"GET", "/", "gzip;q=0", 200, ""},
		{"GET", "/a.wasm.gz", "gzip", 200, ""},
		{"GET", "/../main.go", "", 404, ""},
		{"GET", "/favicon.ico", "", 404, ""},
		{"POST", "/", "", 405, ""},
	} {
		r := get(c.method, c.path, c.accept)
		if c.status == 404 && r.StatusCode == 307 {
			continue // to a clean path, which is not there either
		}
		if r.StatusCode != c.status || r.Header.Get("Content-Encoding") != c.encoding {
			t.Errorf("%s %s for %q: %d, %q", c.method, c.path, c.accept, r.StatusCode, r.Header.Get("Content-Encoding"))
		}
		if c.status == 200 && !strings.HasPrefix(r.Header.Get("Content-Security-Policy"), "default-src 'none';") {
			t.Errorf("%s: %q", c.path, r.Header.Get("Content-Security-Policy"))
		}
	}
}
