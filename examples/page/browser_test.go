//go:build unix

package main

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// A browser is Chromium without a window, told what to do by the DevTools protocol over two
// pipes.
type browser struct {
	t       *testing.T
	in      io.Writer
	session string
	home    string // the address of the page

	mu       sync.Mutex
	calls    int
	waiting  map[int]chan reply
	problems []string // of the console
	requests []string // addresses
	bytes    int64    // transferred
	gone     error
}

type reply struct {
	ID     int             `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Message string `json:"message"`
	} `json:"error"`
}

// chromium is the command of the browser, "" where there is none.
func chromium() string {
	for _, name := range []string{os.Getenv("PLIMSOLL_CHROMIUM"), "chromium", "chromium-browser", "google-chrome", "headless-shell"} {
		if name == "" {
			continue
		}
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
}

// open starts a browser of a new, empty profile, or skips the test without one.
func open(t *testing.T) *browser {
	t.Helper()
	if testing.Short() {
		t.Skip("a browser takes seconds: not with -short")
	}
	path := chromium()
	if path == "" {
		t.Skip("there is no Chromium: install the package chromium, or name one in PLIMSOLL_CHROMIUM")
	}
	profile := t.TempDir()
	toBrowser, in, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	out, fromBrowser, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
		"--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-extensions", "--disable-default-apps",
		"--disable-dev-shm-usage", "--hide-scrollbars", "--user-data-dir="+profile, "--remote-debugging-pipe", "about:blank")
	cmd.ExtraFiles = []*os.File{toBrowser, fromBrowser} // 3 and 4
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Env = append(os.Environ(), "HOME="+profile)
	if err := cmd.Start(); err != nil {
		t.Skipf("Chromium does not start: %v", err)
	}
	toBrowser.Close()
	fromBrowser.Close()
	b := &browser{t: t, in: in, waiting: map[int]chan reply{}}
	done := make(chan struct{})
	go func() {
		defer close(done)
		b.listen(out)
	}()
	t.Cleanup(func() {
		in.Close()
		syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // the group that was started here
		cmd.Wait()
		out.Close()
		<-done
	})
	var target struct{ TargetID, SessionID string }
	b.call("Target.createTarget", map[string]any{"url": "about:blank"}, &target)
	b.call("Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}, &target)
	b.session = target.SessionID
	for _, domain := range []string{"Page", "Runtime", "Network", "Log"} {
		b.call(domain+".enable", nil, nil)
	}
	return b
}

// listen takes replies and events, each ended by a zero.
func (b *browser) listen(out io.Reader) {
	r := bufio.NewReaderSize(out, 1<<20)
	for {
		text, err := r.ReadBytes(0)
		if err != nil {
			b.mu.Lock()
			b.gone = cmp.Or(b.gone, errors.New("the browser has ended"))
			for _, c := range b.waiting {
				close(c)
			}
			b.waiting = nil
			b.mu.Unlock()
			return
		}
		var m reply
		if json.Unmarshal(bytes.TrimRight(text, "\x00"), &m) != nil {
			continue
		}
		b.mu.Lock()
		if m.ID != 0 {
			if c := b.waiting[m.ID]; c != nil {
				c <- m
				delete(b.waiting, m.ID)
			}
		} else {
			b.event(m)
		}
		b.mu.Unlock()
	}
}

func (b *browser) event(m reply) {
	var p struct {
		Type  string
		Entry struct{ Level, Text, URL string }
		Args  []struct {
			Value       any
			Description string
		}
		ExceptionDetails struct {
			Text      string
			Exception struct{ Description string }
		}
		Request           struct{ URL string }
		EncodedDataLength float64
	}
	json.Unmarshal(m.Params, &p)
	switch m.Method {
	case "Runtime.consoleAPICalled":
		if p.Type == "error" || p.Type == "warning" || p.Type == "assert" {
			b.problems = append(b.problems, fmt.Sprintf("console.%s: %v", p.Type, p.Args))
		}
	case "Runtime.exceptionThrown":
		b.problems = append(b.problems, p.ExceptionDetails.Text+" "+p.ExceptionDetails.Exception.Description)
	case "Log.entryAdded":
		if p.Entry.Level == "error" || p.Entry.Level == "warning" {
			b.problems = append(b.problems, p.Entry.Level+": "+p.Entry.Text+" "+p.Entry.URL)
		}
	case "Network.requestWillBeSent":
		b.requests = append(b.requests, p.Request.URL)
	case "Network.loadingFinished":
		b.bytes += int64(p.EncodedDataLength)
	}
}

// call calls a method of the protocol.
func (b *browser) call(method string, params, result any) {
	b.t.Helper()
	if params == nil {
		params = struct{}{}
	}
	c := make(chan reply, 1)
	b.mu.Lock()
	if b.gone != nil {
		b.mu.Unlock()
		b.t.Fatalf("%s: %v", method, b.gone)
	}
	b.calls++
	id := b.calls
	b.waiting[id] = c
	b.mu.Unlock()
	m := map[string]any{"id": id, "method": method, "params": params}
	if b.session != "" {
		m["sessionId"] = b.session
	}
	text, err := json.Marshal(m)
	if err != nil {
		b.t.Fatal(err)
	}
	if _, err := b.in.Write(append(text, 0)); err != nil {
		b.t.Fatalf("%s: %v", method, err)
	}
	select {
	case r, ok := <-c:
		if !ok {
			b.t.Fatalf("%s: the browser has ended", method)
		}
		if r.Error != nil {
			b.t.Fatalf("%s: %s", method, r.Error.Message)
		}
		if result != nil {
			if err := json.Unmarshal(r.Result, result); err != nil {
				b.t.Fatalf("%s: %v", method, err)
			}
		}
	case <-time.After(90 * time.Second):
		b.t.Fatalf("%s: no reply in 90 s", method)
	}
}

// eval evaluates JavaScript, waits for a promise, and decodes the value.
func (b *browser) eval(js string, value any) {
	b.t.Helper()
	var r struct {
		Result struct {
			Value json.RawMessage
		}
		ExceptionDetails *struct {
			Text      string
			Exception struct{ Description string }
		}
	}
	b.call("Runtime.evaluate", map[string]any{"expression": js, "awaitPromise": true, "returnByValue": true}, &r)
	if r.ExceptionDetails != nil {
		b.t.Fatalf("%s: %s %s", js, r.ExceptionDetails.Text, r.ExceptionDetails.Exception.Description)
	}
	if value != nil {
		if len(r.Result.Value) == 0 {
			r.Result.Value = json.RawMessage("null")
		}
		if err := json.Unmarshal(r.Result.Value, value); err != nil {
			b.t.Fatalf("%s: %v: %s", js, err, r.Result.Value)
		}
	}
}

// until waits until JavaScript is true.
func (b *browser) until(js string, limit time.Duration) {
	b.t.Helper()
	for end := time.Now().Add(limit); ; time.Sleep(20 * time.Millisecond) {
		var ok bool
		b.eval("!!("+js+")", &ok)
		if ok {
			return
		}
		if time.Now().After(end) {
			b.t.Fatalf("not in %v: %s; console: %q", limit, js, b.console())
		}
	}
}

func (b *browser) console() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return append([]string(nil), b.problems...)
}

// size sets the size of the window, in pixels of CSS.
func (b *browser) size(width, height int) {
	b.t.Helper()
	b.call("Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false}, nil)
}

// shoot writes a picture of the whole page into the folder that PLIMSOLL_SHOTS names, if
// any: for a person to look at.
func (b *browser) shoot(name string) {
	b.t.Helper()
	dir := os.Getenv("PLIMSOLL_SHOTS")
	if dir == "" {
		return
	}
	var shot struct{ Data string }
	b.call("Page.captureScreenshot", map[string]any{"format": "png", "captureBeyondViewport": true, "fromSurface": true}, &shot)
	data, err := base64.StdEncoding.DecodeString(shot.Data)
	if err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, strings.ReplaceAll(name, "/", "-")+".png"), data, 0o666); err != nil {
		b.t.Fatal(err)
	}
}
