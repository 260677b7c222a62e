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

// Chromium without a window is told what to do by the DevTools protocol over two pipes. All
// tests share one, which starts with the first that needs it.
type chrome struct {
	in io.Writer

	mu      sync.Mutex
	calls   int
	waiting map[int]chan reply
	tabs    map[string]*browser // by session
	gone    error
}

// A browser is a tab, whose cookies, files and scripts no other tab sees.
type browser struct {
	*chrome
	t       *testing.T
	session string
	home    string // the address of the page

	problems []string // of the console
	requests []string // addresses
	bytes    int64    // transferred
}

type reply struct {
	ID        int             `json:"id"`
	SessionID string          `json:"sessionId"`
	Method    string          `json:"method"`
	Params    json.RawMessage `json:"params"`
	Result    json.RawMessage `json:"result"`
	Error     *struct {
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

// ending ends the browser that tests have started, if any.
var ending = func() {}

func TestMain(m *testing.M) {
	status := m.Run()
	ending()
	os.Exit(status)
}

// started is the browser of all tests, of a new, empty profile.
var started = sync.OnceValues(func() (*chrome, error) {
	path := chromium()
	if path == "" {
		return nil, errors.New("there is no Chromium: install the package chromium, or name one in PLIMSOLL_CHROMIUM")
	}
	profile, err := os.MkdirTemp("", "plimsoll-page-test-")
	if err != nil {
		return nil, err
	}
	ending = func() { os.RemoveAll(profile) }
	toBrowser, in, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	out, fromBrowser, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(path, "--headless", "--no-sandbox", "--no-startup-window", "--disable-gpu", "--disable-software-rasterizer", "--in-process-gpu", "--disable-quic", "--no-first-run",
		"--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-extensions", "--disable-default-apps",
		"--disable-dev-shm-usage", "--hide-scrollbars", "--user-data-dir="+profile, "--remote-debugging-pipe")
	cmd.ExtraFiles = []*os.File{toBrowser, fromBrowser} // 3 and 4
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Env = append(os.Environ(), "HOME="+profile)
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("Chromium does not start: %w", err)
	}
	toBrowser.Close()
	fromBrowser.Close()
	c := &chrome{in: in, waiting: map[int]chan reply{}, tabs: map[string]*browser{}}
	done := make(chan struct{})
	go func() {
		defer close(done)
		c.listen(out)
	}()
	ending = func() {
		in.Close()
		syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // the group that was started here
		cmd.Wait()
		out.Close()
		<-done
		os.RemoveAll(profile)
	}
	return c, nil
})

// open opens a tab, or skips the test without a browser.
func open(t *testing.T) *browser {
	t.Helper()
	if testing.Short() {
		t.Skip("a browser takes seconds: not with -short")
	}
	c, err := started()
	if err != nil {
		t.Skip(err)
	}
	b := &browser{chrome: c, t: t}
	var context struct{ BrowserContextID string }
	b.call("Target.createBrowserContext", nil, &context)
	var target struct{ TargetID, SessionID string }
	b.call("Target.createTarget", map[string]any{"url": "about:blank", "browserContextId": context.BrowserContextID}, &target)
	b.call("Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}, &target)
	c.mu.Lock()
	c.tabs[target.SessionID] = b
	c.mu.Unlock()
	b.session = target.SessionID
	t.Cleanup(func() {
		b.t, b.session = t, "" // the tab's own session ends with it
		b.call("Target.disposeBrowserContext", map[string]any{"browserContextId": context.BrowserContextID}, nil)
	})
	for _, domain := range []string{"Page", "Runtime", "Network", "Log"} {
		b.call(domain+".enable", nil, nil)
	}
	return b
}

// listen takes replies and events, each ended by a zero.
func (c *chrome) listen(out io.Reader) {
	r := bufio.NewReaderSize(out, 1<<20)
	for {
		text, err := r.ReadBytes(0)
		if err != nil {
			c.mu.Lock()
			c.gone = cmp.Or(c.gone, errors.New("the browser has ended"))
			for _, w := range c.waiting {
				close(w)
			}
			c.waiting = nil
			c.mu.Unlock()
			return
		}
		var m reply
		if json.Unmarshal(bytes.TrimRight(text, "\x00"), &m) != nil {
			continue
		}
		c.mu.Lock()
		if m.ID != 0 {
			if w := c.waiting[m.ID]; w != nil {
				w <- m
				delete(c.waiting, m.ID)
			}
		} else if b := c.tabs[m.SessionID]; b != nil {
			b.event(m)
		}
		c.mu.Unlock()
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

// until waits until JavaScript is true. The page itself looks, every few milliseconds.
func (b *browser) until(js string, limit time.Duration) {
	b.t.Helper()
	for end := time.Now().Add(limit); ; {
		var ok bool
		b.eval(fmt.Sprintf(`new Promise((done, failed) => {
  const end = performance.now() + %d;
  const look = () => { try { if (%s) done(true); else if (performance.now() > end) done(false); else setTimeout(look, 5); } catch (err) { failed(err); } };
  look();
})`, min(limit, time.Minute).Milliseconds(), js), &ok)
		if ok {
			return
		}
		if time.Now().After(end) {
			b.t.Fatalf("not in %v: %s; console: %q", limit, js, b.console())
		}
	}
}

// visit goes to an address, and waits until its document has loaded.
func (b *browser) visit(url string) {
	b.t.Helper()
	b.call("Page.navigate", map[string]any{"url": url}, nil)
	b.until("document.readyState === 'complete'", time.Minute)
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
