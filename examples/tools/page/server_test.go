//go:build unix

package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// fakeGo is a go command that builds nothing: what it was asked for is in the file that it builds.
const fakeGo = `#!/bin/sh
case "$1" in
env) [ "$2" = GOROOT ] && [ -n "$FAKE_GOROOT" ] && echo "$FAKE_GOROOT" ;;
list) [ -n "$FAKE_LIST" ] && echo "${FAKE_LIST#nothing}" || exit 1 ;;
mod) [ "$*" = "mod download -json github.com/plimsoll/plimsoll/examples@v1.2.3" ] && echo "$FAKE_MOD" ;;
build)
	[ -n "$FAKE_FAILS" ] && { echo "$FAKE_FAILS" >&2; exit 1; }
	all="$* $GOOS $GOARCH $CGO_ENABLED $(pwd)"
	while [ $# -gt 0 ]; do
		[ "$1" = -o ] && out=$2
		shift
	done
	[ -n "$FAKE_IDLE" ] || echo "$all" >"$out" ;;
esac
`

// withFakeGo puts the fake into PATH, alone.
func withFakeGo(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for name, text := range map[string]string{"bin/go": fakeGo, "root/lib/wasm/wasm_exec.js": "// the \"glue\"\n", "source/go.mod": "module x\n"} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", filepath.Join(dir, "bin")+":/usr/bin:/bin")
	t.Setenv("FAKE_GOROOT", filepath.Join(dir, "root"))
	t.Setenv("FAKE_LIST", filepath.Join(dir, "source"))
	t.Setenv("FAKE_FAILS", "")
	return dir
}

func unpacked(t *testing.T, data []byte) string {
	t.Helper()
	r, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// The page's files, and what the go command is asked for. Each part of the library is there
// compressed, and as a script for folders that gives the same.
func TestBuild(t *testing.T) {
	dir := withFakeGo(t)
	t.Setenv("TMPDIR", t.TempDir())
	files, err := build(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(os.TempDir()); err != nil || len(left) > 0 {
		t.Errorf("left: %v, %v", left, err)
	}
	byName := map[string][]byte{}
	var names []string
	for _, f := range files {
		byName[f.name], names = f.data, append(names, f.name)
	}
	if diff := cmp.Diff([]string{"index.html", "style.css", "page.js", "worker-text.js", "plans.wasm.gz", "plans.wasm.js", "forecasts.wasm.gz", "forecasts.wasm.js", "clusters.wasm.gz", "clusters.wasm.js"}, names); diff != "" {
		t.Errorf("files: %s", diff)
	}
	dirOfSource, err := filepath.EvalSymlinks(filepath.Join(dir, "source"))
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range libraries {
		asked := unpacked(t, byName[l.name+".wasm.gz"])
		before, rest, ok := strings.Cut(asked, " -o ")
		_, after, ok2 := strings.Cut(rest, " ")
		want := "build -trimpath -ldflags=-s -w -gcflags=" + strings.Join(l.flags, " -gcflags=")
		if !ok || !ok2 || before != want || after != module+"/examples/tools/page/internal/wasm/"+l.name+" js wasm 0 "+dirOfSource+"\n" {
			t.Errorf("%s: the go command was asked for %q", l.name, asked)
		}
		script := strings.TrimSuffix(strings.TrimPrefix(string(byName[l.name+".wasm.js"]), `window.plimsollWasm = "`), "\";\n")
		if data, err := base64.StdEncoding.DecodeString(script); err != nil || !bytes.Equal(data, byName[l.name+".wasm.gz"]) {
			t.Errorf("%s: the script has other data: %v", l.name, err)
		}
	}
	var worker string
	text := strings.TrimSuffix(strings.TrimPrefix(string(byName["worker-text.js"]), "window.plimsollWorker = "), ";\n")
	own, err := os.ReadFile("web/worker.js")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(text), &worker); err != nil || worker != "// the \"glue\"\n\n"+string(own) {
		t.Errorf("the worker: %v, %.100q", err, worker)
	}
	page := ""
	for _, name := range scripts {
		part, err := os.ReadFile("web/" + name)
		if err != nil {
			t.Fatal(err)
		}
		page += string(part)
	}
	if page != string(byName["page.js"]) {
		t.Error("page.js is not its parts in their order")
	}
	list, err := os.ReadDir("web")
	if err != nil || len(list) != len(scripts)+3 { // index.html, style.css and worker.js
		t.Errorf("%d files in web, %d scripts, %v", len(list), len(scripts), err)
	}

	// What fails is told in a sentence.
	for _, c := range []struct {
		name, value string
		says        string
	}{
		{"FAKE_FAILS", "boom: undefined: x", "go build: boom: undefined: x"},
		{"FAKE_GOROOT", dir, "the Go distribution lacks its support for browsers: open " + dir + "/lib/wasm/wasm_exec.js: no such file or directory"},
		{"PATH", dir, "the go command is not in the path: the page needs it to build the library for the browser"},
	} {
		before := os.Getenv(c.name)
		t.Setenv(c.name, c.value)
		if _, err := build(t.Context()); err == nil || err.Error() != c.says {
			t.Errorf("%v, want %q", err, c.says)
		}
		t.Setenv(c.name, before)
	}
	// Where the go command does not know the module, the program's own source is taken.
	t.Setenv("FAKE_LIST", "")
	if got, err := source(t.Context()); err != nil || got != mustAbs(t, ".") {
		t.Errorf("the source is %q, %v", got, err)
	}
	t.Setenv("FAKE_LIST", "nothing")
	if got, err := source(t.Context()); err != nil || got != mustAbs(t, ".") {
		t.Errorf("the source is %q, %v", got, err)
	}
	for _, name := range []string{"FAKE_IDLE", "TMPDIR"} { // nothing is built, or can be
		t.Setenv(name, filepath.Join(dir, "none"))
		if _, err := build(t.Context()); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: %v", name, err)
		}
		t.Setenv(name, "")
	}
	t.Setenv("FAKE_GOROOT", "")
	if _, err := build(t.Context()); err == nil || err.Error() != "exit status 1" {
		t.Errorf("without a distribution: %v", err)
	}
	// A program of a version has that version's source.
	for _, c := range []struct {
		m         debug.Module
		says, dir string
	}{
		{debug.Module{Path: module + "/examples", Version: "v1.2.3"}, `{"Dir": "/there"}`, "/there"}, {debug.Module{Path: module + "/examples", Version: "v1.2.4"}, `{"Dir": "/there"}`, ""},
		{debug.Module{Path: "other", Version: "v1.2.3"}, `{"Dir": "/there"}`, ""}, {debug.Module{Path: module + "/examples", Version: "v1.2.3"}, "{", ""}, {debug.Module{Path: module + "/examples"}, "", ""}, {debug.Module{Path: module + "/examples", Version: "(devel)"}, "", ""},
	} {
		t.Setenv("FAKE_MOD", c.says)
		if got := downloaded(t.Context(), &c.m); got != c.dir {
			t.Errorf("%+v, %s: %q", c.m, c.says, got)
		}
	}
	if _, err := output(t.Context(), "", "env", "NONE"); err == nil || err.Error() != "exit status 1" {
		t.Errorf("a go command that says nothing: %v", err)
	}
}

func mustAbs(t *testing.T, name string) string {
	t.Helper()
	path, err := filepath.Abs(name)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// The program writes the page into a folder, or serves it until it is ended.
func TestRun(t *testing.T) {
	dir := withFakeGo(t)
	out := filepath.Join(dir, "a", "b")
	var stdout, stderr bytes.Buffer
	if status := run(t.Context(), []string{"-o", out}, &stdout, &stderr); status != 0 || stdout.String() != "10 files in "+out+": open index.html, or put them on any host\n" || stderr.String() != "page: building the library for the browser\n" {
		t.Errorf("status %d, %q, %q", status, &stdout, &stderr)
	}
	list, err := os.ReadDir(out)
	if err != nil || len(list) != 10 {
		t.Errorf("%v, %v", list, err)
	}
	if text, err := os.ReadFile(filepath.Join(out, "index.html")); err != nil || !strings.Contains(string(text), "<html") {
		t.Errorf("index.html: %.50q, %v", text, err)
	}
	// Where it cannot write.
	for path, says := range map[string]string{
		filepath.Join(dir, "bin", "go"):      "page: cannot write -o mkdir " + filepath.Join(dir, "bin", "go") + ": not a directory\n",
		filepath.Join(dir, "bin", "go", "x"): "page: cannot write -o mkdir " + filepath.Join(dir, "bin", "go") + ": not a directory\n",
		filepath.Join(dir, "root"):           "", // index.html is a folder there
	} {
		if says == "" {
			if err := os.MkdirAll(filepath.Join(path, "index.html", "x"), 0o777); err != nil {
				t.Fatal(err)
			}
			says = "page: cannot write -o rename " + path + "/index.html.new " + path + "/index.html: file exists\n"
		}
		stderr.Reset()
		if status := run(t.Context(), []string{"-o", path}, io.Discard, &stderr); status != 2 || !strings.HasSuffix(stderr.String(), says) {
			t.Errorf("status %d, %q, want %q", status, &stderr, says)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*", "*.new")); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
	if err := os.MkdirAll(filepath.Join(dir, "blocked", "index.html.new"), 0o777); err != nil {
		t.Fatal(err)
	}
	stderr.Reset()
	if status := run(t.Context(), []string{"-o", filepath.Join(dir, "blocked")}, io.Discard, &stderr); status != 2 || !strings.Contains(stderr.String(), "cannot write -o open ") {
		t.Errorf("status %d, %q", status, &stderr)
	}
	t.Setenv("FAKE_FAILS", "boom")
	stderr.Reset()
	if status := run(t.Context(), []string{"-o", out}, io.Discard, &stderr); status != 1 || !strings.HasSuffix(stderr.String(), "\npage: go build: boom\n") {
		t.Errorf("status %d, %q", status, &stderr)
	}
	t.Setenv("FAKE_FAILS", "")

	// It serves at a port that it names, at the one that it is told, and not at one that is taken.
	serves := func(args ...string) (address string, end func() int) {
		ctx, cancel := context.WithCancel(t.Context())
		r, w := io.Pipe()
		status := make(chan int)
		go func() { status <- run(ctx, args, w, io.Discard); w.Close() }()
		line, err := bufio.NewReader(r).ReadString('\n')
		if err != nil || !strings.HasPrefix(line, "http://127.0.0.1:") || !strings.HasSuffix(line, "/\n") {
			t.Errorf("%q: it says %q, %v", args, line, err)
		}
		return strings.TrimSpace(line), func() int { cancel(); return <-status }
	}
	address, end := serves("-port", "0")
	response, err := http.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(response.Body)
	response.Body.Close()
	if err != nil || response.StatusCode != 200 || !strings.Contains(string(text), "<html") {
		t.Errorf("%v, %.50q, %v", response.Status, text, err)
	}
	port := strings.TrimSuffix(address[strings.LastIndex(address, ":")+1:], "/")
	stderr.Reset()
	if status := run(t.Context(), []string{"-port", port}, io.Discard, &stderr); status != 2 || !strings.Contains(stderr.String(), "page: -port "+port+": listen tcp 127.0.0.1:"+port+": bind: address already in use\n") {
		t.Errorf("a port that is taken: status %d, %q", status, &stderr)
	}
	if status := end(); status != 0 {
		t.Errorf("it ends with status %d", status)
	}
	if _, err := http.Get(address); err == nil {
		t.Error("it serves on")
	}
	if again, end := serves("-port", port); again != address {
		t.Errorf("it serves at %s, not at %s", again, address)
	} else {
		end()
	}
	// Without a port: the usual one, or any. Another program may have it.
	l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", usual))
	if err == nil {
		l.Close()
		address, end = serves()
		if address != fmt.Sprintf("http://127.0.0.1:%d/", usual) {
			t.Errorf("it serves at %s", address)
		}
		other, end2 := serves()
		if other == address {
			t.Errorf("two serve at %s", address)
		}
		end()
		end2()
	}
}

// What the server answers: the file, its kind, and what it lets a browser do.
func TestAnswers(t *testing.T) {
	long := bytes.Repeat([]byte("<p>"), 1000)
	h := handler([]file{{"index.html", long}, {"style.css", long}, {"page.js", long}, {"a.wasm.gz", []byte{1, 2, 3}}})
	for _, c := range []struct{ method, path, accept, kind string }{
		{"GET", "/", "gzip", "text/html; charset=utf-8"}, {"GET", "/index.html", "", "text/html; charset=utf-8"}, {"HEAD", "/style.css", "gzip", "text/css; charset=utf-8"},
		{"GET", "/page.js", "br", "text/javascript; charset=utf-8"}, {"GET", "/a.wasm.gz", "gzip", "application/gzip"},
	} {
		r := httptest.NewRequest(c.method, c.path, nil)
		r.Header.Set("Accept-Encoding", c.accept)
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		want := http.Header{"Content-Type": {c.kind}, "Content-Security-Policy": {policy}, "X-Content-Type-Options": {"nosniff"}, "Cache-Control": {"no-cache"}}
		body := long
		switch {
		case c.path == "/a.wasm.gz":
			body = []byte{1, 2, 3}
		case c.accept == "gzip":
			body = compress(long)
			want.Set("Content-Encoding", "gzip")
		}
		want.Set("Content-Length", strconv.Itoa(len(body)))
		if diff := cmp.Diff(want, w.Result().Header); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.path, diff)
		}
		if c.method == "HEAD" {
			body = nil
		}
		if !bytes.Equal(body, w.Body.Bytes()) {
			t.Errorf("%s %s for %q: %d bytes, want %d", c.method, c.path, c.accept, w.Body.Len(), len(body))
		}
	}
	if got := unpacked(t, compress(long)); got != string(long) || len(compress(long)) > 100 {
		t.Errorf("%d bytes are compressed to %d", len(got), len(compress(long)))
	}
	for accept, want := range map[string]bool{
		"gzip": true, "br, gzip": true, "gzip;q=0.1": true, "gzip ; q=0": false, "gzip;q=0.000": false, "br;q=0, gzip": true, "": false, "gzipped": false, "x-gzip": false, "gzip;q=x": true, "br": false,
	} {
		r := httptest.NewRequest("GET", "/", nil)
		r.Header.Set("Accept-Encoding", accept)
		if got := accepts(r, "gzip"); got != want {
			t.Errorf("%q: %v, want %v", accept, got, want)
		}
	}
	for _, c := range []struct {
		args []string
		want options
	}{{nil, options{port: -1}}, {[]string{"-port", "0"}, options{}}, {[]string{"-port", "65535"}, options{port: 65535}}, {[]string{"-o", "x"}, options{port: -1, dir: "x"}}} {
		if got, err := parse(c.args); err != nil || got != c.want {
			t.Errorf("%q: %+v, %v", c.args, got, err)
		}
	}
	if _, err := parse([]string{"-port", "-1"}); err == nil {
		t.Error("a port below 0 is taken")
	}
	if !slices.Contains(scripts, "engine.js") || !exists("web/engine.js") || exists("web/nothing.js") {
		t.Error("what exists does not")
	}
}

// An interrupted program ends with status 130, another one with that of run.
func TestInterrupt(t *testing.T) {
	if args := os.Getenv("PAGE_TEST_ARGS"); args != "" {
		os.Args = strings.Fields(args)
		main()
	}
	withFakeGo(t)
	for args, want := range map[string]int{"page -port 0": 130, "page -h": 0, "page -x": 2} {
		cmd := exec.Command(mustAbs(t, os.Args[0]), "-test.run=^TestInterrupt$")
		cmd.Env = append(os.Environ(), "PAGE_TEST_ARGS="+args)
		out, err := cmd.StdoutPipe()
		if err == nil {
			err = cmd.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		line, _ := bufio.NewReader(out).ReadString('\n')
		if want == 130 {
			if !strings.HasPrefix(line, "http://") {
				t.Errorf("%s: it says %q", args, line)
			}
			cmd.Process.Signal(os.Interrupt)
		}
		io.Copy(io.Discard, out)
		cmd.Wait()
		if got := cmd.ProcessState.ExitCode(); got != want {
			t.Errorf("%s: status %d, want %d", args, got, want)
		}
	}
}
