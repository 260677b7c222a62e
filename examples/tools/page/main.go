// Page teaches the library in the browser: one drags a demand, and sees the optimum, its
// prices and its proof move. The page runs the Go library itself, as WebAssembly.
//
//	go run ./examples/tools/page
//
// serves the page on this machine alone, and prints its address; -o DIR writes the page as
// files that any host, or a folder, shows. -h lists the choices.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"strconv"
	"syscall"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
)

const usage = `Usage: go run ./examples/tools/page [flags]

Serves a page that teaches the library in the browser: what to reserve, forecasts, a
cluster that grows and shrinks, what to take back, federations. The page runs the library
as WebAssembly, which the go command builds first, some seconds the first time. Nothing
leaves the browser, and nothing is fetched from elsewhere.

  -port N      the port of 127.0.0.1 to serve on, 0 for any that is free (default 8017, or
               any that is free where 8017 is not)
  -o DIR       write the page as files into the folder instead, which is made if there is
               none; any host shows the files, and so does a browser that opens
               DIR/index.html
  -h           print this

The exit status is 0, 1 if the program fails, 2 for a mistake in the flags, and 130 after
an interrupt.
`

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	status := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	if ctx.Err() != nil {
		status = 130
	}
	stop()
	os.Exit(status)
}

// usual is the port that is tried first.
const usual = 8017

type options struct {
	port int // -1: the usual, or any
	dir  string
}

func parse(args []string) (o options, err error) {
	o.port = -1
	f := cli.NewFlags("page")
	f.Func("port", func(s string) error {
		n, err := strconv.Atoi(s)
		if err != nil || n < 0 || n > 65535 {
			return errors.New("want a number from 0 to 65535")
		}
		o.port = n
		return nil
	})
	f.Func("o", func(s string) error {
		if o.dir = s; s == "" {
			return errors.New("want the name of a folder")
		}
		return nil
	})
	f.Check(func() error {
		if o.dir != "" && f.Given("port") {
			return errors.New("-o and -port are both there: want one of them")
		}
		return nil
	})
	return o, f.Parse(args)
}

// run is the program. It returns the exit status, and ends when ctx does.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	o, err := parse(args)
	if errors.Is(err, flag.ErrHelp) {
		_, err = io.WriteString(stdout, usage)
		return cli.Exit(stderr, "page", err)
	}
	if err == nil {
		var files []file
		fmt.Fprintln(stderr, "page: building the library for the browser")
		if files, err = build(ctx); err == nil && o.dir != "" {
			if err = write(o.dir, files); err == nil {
				_, err = fmt.Fprintf(stdout, "%d files in %s: open index.html, or put them on any host\n", len(files), o.dir)
			}
		} else if err == nil {
			err = serve(ctx, o.port, files, stdout)
		}
	}
	return cli.Exit(stderr, "page", err)
}

// serve serves the files on the loopback interface until ctx ends.
func serve(ctx context.Context, port int, files []file, stdout io.Writer) error {
	listen := func(port int) (net.Listener, error) { return net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port)) }
	var l net.Listener
	var err error
	if port >= 0 {
		if l, err = listen(port); err != nil {
			return cli.Mistakef("-port %d: %w", port, err)
		}
	} else if l, err = listen(usual); err != nil {
		if l, err = listen(0); err != nil {
			return err
		}
	}
	server := &http.Server{Handler: handler(files), ReadHeaderTimeout: 10 * time.Second}
	context.AfterFunc(ctx, func() { server.Close() })
	fmt.Fprintf(stdout, "http://%s/\n", l.Addr())
	if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// policy lets the page load what it came with, and nothing else.
const policy = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval' blob:; worker-src blob:; style-src 'self'; img-src data: blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// handler serves the files, compressed where the browser asks for it.
func handler(files []file) http.Handler {
	mux := http.NewServeMux()
	for _, f := range files {
		small := f.data
		if f.kind() != "application/gzip" {
			small = compress(f.data)
		}
		serve := func(w http.ResponseWriter, r *http.Request) {
			h := w.Header()
			h.Set("Content-Type", f.kind())
			h.Set("Content-Security-Policy", policy)
			h.Set("X-Content-Type-Options", "nosniff")
			h.Set("Cache-Control", "no-cache")
			data := f.data
			if len(small) < len(data) && accepts(r, "gzip") {
				h.Set("Content-Encoding", "gzip")
				data = small
			}
			h.Set("Content-Length", strconv.Itoa(len(data)))
			if r.Method == http.MethodGet {
				w.Write(data)
			}
		}
		mux.HandleFunc("GET /"+f.name, serve)
		if f.name == "index.html" {
			mux.HandleFunc("GET /{$}", serve)
		}
	}
	return mux
}
