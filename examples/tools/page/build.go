package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"embed"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
)

//go:embed web
var web embed.FS

// scripts are the parts of page.js, in their order.
var scripts = []string{"engine.js", "plot.js", "ui.js", "reserve.js", "forecast.js", "cluster.js", "takeback.js", "federation.js", "begin.js"}

const module = "github.com/plimsoll/plimsoll"

// libraries are what the browser runs: packages in internal/wasm, each with the rooms that a
// browser can load within 1.5 MB. A browser loads one when a room of it is opened.
//
// They are built without symbols, and without inlining but where years of hours are worked through
// under the hand: 5% less to load. flags are those of the compiler, of which the last that names
// a package counts.
var libraries = []struct {
	name  string
	flags []string
}{
	{"plans", []string{"all=-l", module + "/internal/...=", module + "/reserve/internal/...="}},
	{"forecasts", []string{"std=-l"}},
	{"clusters", []string{"all=-l"}},
}

// A file is a file of the page.
type file struct {
	name string
	data []byte
}

func (f file) kind() string {
	switch path.Ext(f.name) {
	case ".html":
		return "text/html; charset=utf-8"
	case ".css":
		return "text/css; charset=utf-8"
	case ".js":
		return "text/javascript; charset=utf-8"
	}
	return "application/gzip"
}

// build builds the library for the browser, and puts the page's files together.
func build(ctx context.Context) ([]file, error) {
	wasm, err := compile(ctx)
	if err != nil {
		return nil, err
	}
	root, err := output(ctx, "", "env", "GOROOT")
	if err != nil {
		return nil, err
	}
	glue, err := os.ReadFile(filepath.Join(root, "lib", "wasm", "wasm_exec.js"))
	if err != nil {
		return nil, fmt.Errorf("the Go distribution lacks its support for browsers: %w", err)
	}
	return assemble(wasm, glue)
}

// assemble puts the page's files together. The library is there twice: compressed, for
// hosts, and as scripts, for folders, where a browser fetches nothing.
func assemble(wasm [][]byte, glue []byte) ([]file, error) {
	read := func(name string) []byte {
		data, err := web.ReadFile("web/" + name)
		if err != nil {
			panic("page: " + err.Error()) // it is embedded
		}
		return data
	}
	var page bytes.Buffer
	for _, name := range scripts {
		page.Write(read(name))
	}
	text, err := json.Marshal(string(glue) + "\n" + string(read("worker.js")))
	if err != nil {
		return nil, err
	}
	files := []file{
		{"index.html", read("index.html")},
		{"style.css", read("style.css")},
		{"page.js", page.Bytes()},
		{"worker-text.js", slices.Concat([]byte("window.plimsollWorker = "), text, []byte(";\n"))},
	}
	for i, l := range libraries {
		small := compress(wasm[i])
		files = append(files, file{l.name + ".wasm.gz", small},
			file{l.name + ".wasm.js", fmt.Appendf(nil, "window.plimsollWasm = %q;\n", base64.StdEncoding.EncodeToString(small))})
	}
	return files, nil
}

func compress(data []byte) []byte {
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		panic("page: " + err.Error())
	}
	w.Write(data) // into memory
	w.Close()
	return b.Bytes()
}

// accepts reports whether a browser takes an encoding.
func accepts(r *http.Request, encoding string) bool {
	for part := range strings.SplitSeq(r.Header.Get("Accept-Encoding"), ",") {
		name, weight, _ := strings.Cut(strings.TrimSpace(part), ";")
		q, err := strconv.ParseFloat(strings.TrimPrefix(strings.TrimSpace(weight), "q="), 64)
		if name == encoding && !(err == nil && q == 0) {
			return true
		}
	}
	return false
}

// compile builds the libraries with the go command that runs this program.
func compile(ctx context.Context) (wasm [][]byte, err error) {
	if _, err := exec.LookPath("go"); err != nil {
		return nil, errors.New("the go command is not in the path: the page needs it to build the library for the browser")
	}
	dir, err := source(ctx)
	if err != nil {
		return nil, err
	}
	temporary, err := os.MkdirTemp("", "plimsoll-page-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(temporary)
	for _, l := range libraries {
		out := filepath.Join(temporary, l.name)
		args := []string{"build", "-trimpath", "-ldflags=-s -w"}
		for _, f := range l.flags {
			args = append(args, "-gcflags="+f)
		}
		if _, err := output(ctx, dir, append(args, "-o", out, module+"/examples/tools/page/internal/wasm/"+l.name)...); err != nil {
			return nil, err
		}
		data, err := os.ReadFile(out)
		if err != nil {
			return nil, err
		}
		wasm = append(wasm, data)
	}
	return wasm, nil
}

// source returns a folder in which the go command finds the library: that of the module
// that the program runs in, of the program's own source, or of the module's version.
func source(ctx context.Context) (string, error) {
	if dir, err := output(ctx, "", "list", "-f", "{{.Module.Dir}}", module+"/examples/tools/page"); err == nil && dir != "" {
		return dir, nil
	}
	if _, name, _, ok := runtime.Caller(0); ok && filepath.IsAbs(name) {
		if dir := filepath.Dir(name); exists(filepath.Join(dir, "main.go")) {
			return dir, nil
		}
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		if dir := downloaded(ctx, &info.Main); dir != "" {
			return dir, nil
		}
	}
	return "", cli.Mistakef("the source of the library is not found: run the program in a copy of the repository")
}

// downloaded returns the folder of the version of the module that a program was built of, "" if
// there is none.
func downloaded(ctx context.Context, m *debug.Module) string {
	if m.Path != module+"/examples" || m.Version == "" || m.Version == "(devel)" {
		return ""
	}
	var got struct{ Dir string }
	text, err := output(ctx, "", "mod", "download", "-json", m.Path+"@"+m.Version)
	if err != nil || json.Unmarshal([]byte(text), &got) != nil {
		return ""
	}
	return got.Dir
}

func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}

// output runs the go command in a folder, for the browser, and returns what it prints.
func output(ctx context.Context, dir string, args ...string) (string, error) {
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm", "CGO_ENABLED=0")
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		if text := strings.TrimSpace(stderr.String()); text != "" {
			err = fmt.Errorf("go %s: %s", args[0], text)
		}
		return "", err
	}
	return strings.TrimSpace(stdout.String()), nil
}

// write writes the files into a folder. Each file is whole or not there.
func write(dir string, files []file) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return cli.Mistakef("cannot write -o %w", err)
	}
	for _, f := range files {
		name := filepath.Join(dir, f.name)
		if err := os.WriteFile(name+".new", f.data, 0o666); err != nil {
			return cli.Mistakef("cannot write -o %w", err)
		}
		if err := os.Rename(name+".new", name); err != nil {
			os.Remove(name + ".new")
			return cli.Mistakef("cannot write -o %w", err)
		}
	}
	return nil
}
