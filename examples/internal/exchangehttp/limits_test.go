package exchangehttp

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/preempt/exchange"
)

// signed is a message of a partition to the host, at a time.
func signed(name, key, nonce string, at time.Time) *http.Request {
	r := httptest.NewRequest(http.MethodPost, "/x", nil)
	now := strconv.FormatInt(at.UnixNano(), 10)
	for k, v := range map[string]string{keyHeader: name, fromHeader: name, timeHeader: now, nonceHeader: nonce,
		macHeader: hex.EncodeToString(sign([]byte(key), HostName, name, name, http.MethodPost, "/x", now, nonce, nil))} {
		r.Header.Set(k, v)
	}
	return r
}

// A message counts once for as long as its time is within the window, also while the host
// forgets older ones; after that its time tells. A name has a limit of messages, which is no
// other's.
func TestMessagesComeOnce(t *testing.T) {
	s := security(t, Credentials{Keys: keysFile(t, "a "+keyA, "b "+keyB)}, HostName)
	now := time.Now()
	s.now, s.since = func() time.Time { return now }, now.Add(-time.Hour)
	try := func(r *http.Request) error {
		if err := s.timely(r); err != nil {
			return err
		}
		_, _, _, err := s.verify(r, nil)
		return err
	}
	begin := now
	for i := range 200 { // each second a message, and each earlier one again
		now = begin.Add(time.Duration(i) * time.Second)
		if err := try(signed("a", keyA, fmt.Sprint(i), now)); err != nil {
			t.Fatalf("message %d: %v", i, err)
		}
		for k := max(0, i-70); k <= i; k++ {
			err := try(signed("a", keyA, fmt.Sprint(k), begin.Add(time.Duration(k)*time.Second)))
			want := "the message came before"
			if time.Duration(i-k)*time.Second > Window {
				want = "the clock of the sender is"
			}
			if err == nil || !strings.Contains(err.Error(), want) || Status(err) != http.StatusUnauthorized {
				t.Fatalf("message %d again after %d s: %v, want %q", k, i-k, err, want)
			}
		}
	}
	// The ends of the window count.
	for d, ok := range map[time.Duration]bool{Window: true, -Window: true, Window + 1: false, -Window - 1: false} {
		if err := try(signed("a", keyA, d.String(), now.Add(d))); (err == nil) != ok {
			t.Errorf("%v off: %v", d, err)
		}
	}
	now = now.Add(10 * Window)
	var err error
	n := 0
	for ; err == nil && n <= mostSeen; n++ {
		err = try(signed("a", keyA, strconv.Itoa(n), now))
	}
	if n != mostSeen+1 || Status(err) != http.StatusTooManyRequests {
		t.Errorf("message %d of one name: %v, want %d to be taken", n, err, mostSeen)
	}
	if err := try(signed("b", keyB, "x", now)); err != nil {
		t.Errorf("another name: %v", err)
	}
}

// Of slow bodies the first of the name that holds most is given up, and never another's.
func TestBudget(t *testing.T) {
	var b Bodies
	var gone []string
	begin := func(name string, n int64) *reading {
		me := &reading{name: name, stop: func() { gone = append(gone, name) }}
		b.reading = append(b.reading, me)
		if !b.count(me, n, 100) {
			t.Fatalf("%s is refused %d bytes, with %d of 100 held", name, n, b.held)
		}
		return me
	}
	small := begin("small", 10)
	first, second := begin("large", 40), begin("large", 40)
	third := begin("small", 20) // the first of the large ones goes
	if !slices.Equal(gone, []string{"large"}) || !first.gone || second.gone || b.held != 70 {
		t.Fatalf("given up: %v, held %d", gone, b.held)
	}
	if b.count(second, 61, 100) { // which would be the worst itself
		t.Error("who holds most takes more from others")
	}
	b.done(small)
	if b.count(third, 30, 100) != true || len(b.reading) != 2 || b.held != 100 {
		t.Errorf("%d bodies, %d held", len(b.reading), b.held)
	}
	if b.worst() != 1 { // small holds 50 under way, in one body, and large 40
		t.Errorf("the worst is %d", b.worst())
	}
	if new(Bodies).worst() != -1 {
		t.Error("of no bodies one is the worst")
	}
}

// A further connection ends the oldest that has not sent a request yet, then the one that is
// idle for longest, then the one that is busy for longest.
func TestConns(t *testing.T) {
	c := conns{state: map[net.Conn]connState{}}
	var list []*closing
	open := func() *closing {
		x := &closing{}
		c.note(x, http.StateNew)
		return x
	}
	for range maxConns {
		list = append(list, open())
	}
	for i, x := range list {
		if i != 5 && i != 9 {
			c.note(x, http.StateActive)
			c.note(x, http.StateIdle)
		}
		if i == 3 {
			c.note(x, http.StateActive) // busy
		}
		if x.closed {
			t.Fatalf("connection %d of %d is ended", i, maxConns)
		}
	}
	c.note(list[9], http.StateActive) // its header is slow, which does not protect it
	for k, want := range []int{5, 9} {
		if open(); !list[want].closed {
			t.Errorf("the further connection %d does not end connection %d", k, want)
		}
	}
	fresh := 0
	for x := range c.state { // what has come since has not sent anything either
		if x := x.(*closing); !slices.Contains(list, x) {
			c.note(x, http.StateIdle)
			fresh++
		}
	}
	if fresh != 2 || len(c.state) != maxConns {
		t.Errorf("%d fresh connections of %d", fresh, len(c.state))
	}
	for _, want := range []int{0, 1, 2, 4, 6} {
		x := open()
		if c.note(x, http.StateActive); !list[want].closed || list[3].closed {
			t.Errorf("connection %d is not the next to end", want)
		}
		c.note(x, http.StateClosed)
		c.note(x, http.StateNew)
		c.note(x, http.StateIdle)
	}
	if len(c.state) != maxConns {
		t.Errorf("%d connections", len(c.state))
	}
}

type closing struct {
	net.Conn
	closed bool
}

func (c *closing) Close() error { c.closed = true; return nil }

// A body is one JSON object of the fields that are wanted, and nothing after it; a call goes to
// its own path, past the guard, and its answer is a list.
func TestCalls(t *testing.T) {
	mux := NewMux()
	refuse := false
	Calls(mux, exchange.AddNodes, exchange.DeleteNodes, func(*http.Request, exchange.Message) error {
		if refuse {
			return Failf(http.StatusForbidden, "not you")
		}
		return nil
	}, func(msg exchange.Message) ([]exchange.Message, error) {
		if msg.Number == 7 {
			return nil, errors.New("no seven")
		}
		return nil, nil
	})
	post := func(path, kind, body string) (int, string) {
		r := httptest.NewRequest(http.MethodPost, path, strings.NewReader(body))
		r.Header.Set("Content-Type", kind)
		w := httptest.NewRecorder()
		mux.ServeHTTP(w, r)
		return w.Code, w.Body.String()
	}
	const kind = "application/json"
	good := func(call exchange.Call, number int) string {
		b, err := json.Marshal(exchange.Message{Call: call, Partition: "a", Number: uint64(number)})
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	for _, c := range []struct {
		path, kind, body string
		status           int
		want             string
	}{
		{"/AddNodes", kind, good(exchange.AddNodes, 1), 200, "[]\n"},
		{"/AddNodes", kind + "; charset=utf-8", good(exchange.AddNodes, 1), 200, "[]\n"},
		{"/AddNodes", "text/plain", good(exchange.AddNodes, 1), 415, "want application/json"},
		{"/AddNodes", kind, good(exchange.DeleteNodes, 1), 400, "the body's call is DeleteNodes, and the path's AddNodes"},
		{"/AddNodes", kind, good(exchange.AddNodes, 1) + "{}", 400, "something follows the object"},
		{"/AddNodes", kind, good(exchange.AddNodes, 1) + " x", 400, "not what is wanted"},
		{"/AddNodes", kind, `{"colour":1}`, 400, "colour"},
		{"/AddNodes", kind, "", 400, "not what is wanted"},
		{"/AddNodes", kind, strings.Repeat("[{},", 100), 400, "objects in"},
		{"/Nothing", kind, "{}", 404, "there is no /Nothing here"},
	} {
		status, text := post(c.path, c.kind, c.body)
		if status != c.status || !strings.Contains(text, c.want) {
			t.Errorf("%s %q: %d %s, want %d and %q", c.path, c.body, status, text, c.status, c.want)
		}
	}
	if status, text := post("/AddNodes", kind, good(exchange.AddNodes, 7)); status < 400 || !strings.Contains(text, "no seven") {
		t.Errorf("an error of the handler: %d %s", status, text)
	}
	refuse = true
	if status, text := post("/AddNodes", kind, good(exchange.AddNodes, 1)); status != 403 || !strings.Contains(text, "not you") {
		t.Errorf("past the guard: %d %s", status, text)
	}
}

// Names get into journals: a hundred printable bytes at most.
func TestCheckName(t *testing.T) {
	for name, ok := range map[string]bool{"a": true, "": false, strings.Repeat("x", 100): true, strings.Repeat("x", 101): false, "a\n": false, "\u00e9": true} {
		if err := CheckName(name); (err == nil) != ok {
			t.Errorf("%q: %v", name, err)
		}
	}
	for url, ok := range map[string]bool{"http://127.0.0.1:1/": true, "https://127.0.0.1:1": true, "http://224.0.0.1:1": false, "http://0.0.0.0:1": false,
		"http://[fe80::1]:1": false, "http://127.0.0.1:1/x": false,
		"http://127.0.0.1:1/" + strings.Repeat("x", 300): false, "ftp://127.0.0.1:1": false} {
		keyed := security(t, Credentials{Keys: keysFile(t, "a "+keyA)}, HostName)
		if err := keyed.CheckURL(url); (err == nil) != ok {
			t.Errorf("%s: %v, want it to be taken: %v", url, err, ok)
		}
	}
}

// Who may say what with whose key. By the host a partition's own key counts, and only for
// itself; by a partition its own, of the host and of its framework, and the administrator's.
func TestWhoMaySay(t *testing.T) {
	keys := map[string]string{"a": keyA, "b": keyB, AdminName: keyAdmin}
	all := Credentials{Keys: keysFile(t, "a "+keyA, "b "+keyB, "admin "+keyAdmin)}
	for _, c := range []struct {
		self, key, from string
		ok              bool
	}{
		{HostName, "a", "a", true}, {HostName, "a", "b", false}, {HostName, "a", HostName, false}, {HostName, AdminName, AdminName, true},
		{HostName, AdminName, "a", false},
		{"a", "a", HostName, true}, {"a", "a", "a", true}, {"a", "a", "b", false}, {"a", "b", "b", false}, {"a", "b", HostName, false}, {"a", "b", "a", false},
		{"a", AdminName, AdminName, true}, {"a", AdminName, HostName, false}, {"a", AdminName, "a", false}, {"a", "c", "c", false},
	} {
		s := security(t, all, c.self)
		r := httptest.NewRequest(http.MethodPost, "/x", nil)
		now := strconv.FormatInt(time.Now().UnixNano(), 10)
		for k, v := range map[string]string{keyHeader: c.key, fromHeader: c.from, timeHeader: now, nonceHeader: "n",
			macHeader: hex.EncodeToString(sign([]byte(keys[c.key]), c.self, c.from, c.key, http.MethodPost, "/x", now, "n", nil))} {
			r.Header.Set(k, v)
		}
		_, _, from, err := s.verify(r, nil)
		if (err == nil) != c.ok || err == nil && from != c.from {
			t.Errorf("%s hears %s by the key of %s: %q, %v; want it to be taken: %v", c.self, c.from, c.key, from, err, c.ok)
		}
	}
}

// A body counts as long as it is held, by the memory that it takes; a longer one than the limit
// is refused.
func TestBodiesCount(t *testing.T) {
	for n, ok := range map[int]bool{0: true, 1: true, 512: true, 513: true, 9999: true, 10000: true, 10001: false} {
		var b Bodies
		r := httptest.NewRequest(http.MethodPost, "/x", strings.NewReader(strings.Repeat("x", n)))
		if r.ContentLength = -1; n == 1 {
			r.ContentLength = 1
		}
		body, release, err := b.Read(httptest.NewRecorder(), r, "a", 10000)
		if (err == nil) != ok || ok && (len(body) != n || b.held != int64(cap(body))) || len(b.reading) != 0 {
			t.Errorf("%d bytes: %d are read, %d held, %d under way, %v", n, len(body), b.held, len(b.reading), err)
		}
		if release(); b.held != 0 {
			t.Errorf("%d bytes: %d are held after the release", n, b.held)
		}
	}
	for n, ok := range map[int]bool{8: true, 9: true, 10: false, 1000: false} { // 9 of 18 bytes
		if err := checkEntries([]byte(strings.Repeat("{}", n))); (err == nil) != ok {
			t.Errorf("%d objects of two bytes: %v", n, err)
		}
	}
	if err := checkEntries([]byte(strings.Repeat(`{"node":12},`, 5000))); err != nil {
		t.Errorf("objects with their fields: %v", err)
	}
}

// An answer keeps its status and its words, by a signature of both; an address that is taken is
// told without Go's words.
func TestAnswers(t *testing.T) {
	s := security(t, Credentials{Keys: keysFile(t, "a "+keyA)}, HostName)
	handler := s.Handler(func() int64 { return 100 }, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Has("bad") {
			w.WriteHeader(http.StatusTeapot)
		}
		fmt.Fprint(w, "said")
	}))
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, signed("a", keyA, "n", time.Now()))
	if w.Code != 200 || w.Body.String() != "said" || w.Header().Get(macHeader) == "" {
		t.Errorf("%d %q", w.Code, w.Body)
	}
	flushed := httptest.NewRecorder()
	x := &signedWriter{ResponseWriter: flushed, key: []byte(keyA)}
	x.WriteHeader(http.StatusTeapot)
	x.Write([]byte("no "))
	x.Write([]byte("coffee"))
	if x.flush(); flushed.Code != http.StatusTeapot || flushed.Body.String() != "no coffee" ||
		flushed.Header().Get(macHeader) != hex.EncodeToString(signAnswer([]byte(keyA), nil, http.StatusTeapot, []byte("no coffee"))) {
		t.Errorf("%d %q", flushed.Code, flushed.Body)
	}
	open := security(t, Credentials{}, HostName)
	l, _, err := open.Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if _, _, err := open.Listen(l.Addr().String()); err == nil || !strings.Contains(err.Error(), "address already in use") ||
		strings.Contains(err.Error(), "listen tcp") {
		t.Errorf("an address that is taken: %v", err)
	}
}

// A file of keys has a name and a key of 32 characters a line; each fault is named with its line.
func TestKeysFile(t *testing.T) {
	for text, want := range map[string]string{
		"# ours\n\n  a b   " + keyA + "\nc\t" + keyB: "", "a " + keyA[1:]: "line 1: want a name and a key of 32 characters",
		keyA: "line 1: want a name and a key", "a " + keyA + "\nx " + keyB[2:]: "line 2: want a name",
		"a " + keyA + "\na " + keyB: `line 2: "a" is there twice`, " " + keyA: "line 1", strings.Repeat("x", 101) + " " + keyA: "line 1: a name of 101 bytes",
		"a\x01 " + keyA:                   "line 1",
		"a " + strings.Repeat("k", 1<<17): "cannot read -keys",
	} {
		s, err := NewSecurity(Credentials{Keys: keysFile(t, text)}, HostName)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%.60q: %v, want %q", text, err, want)
		}
		if err == nil && (string(s.keys["a b"]) != keyA || string(s.keys["c"]) != keyB || len(s.keys) != 2) {
			t.Errorf("%q: %d keys", text, len(s.keys))
		}
	}
	for _, c := range []Credentials{{Cert: "none.pem", Key: "none.pem", CA: "none.pem"}, {Keys: "none.keys"}} {
		if _, err := NewSecurity(c, HostName); err == nil || !strings.Contains(err.Error(), "no such file") {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

// Lines from outside are passed on in printable characters, and not more than ten a minute.
func TestLines(t *testing.T) {
	var told []string
	w := lines(func(line string) { told = append(told, line) })
	for i := range 30 {
		if n, err := fmt.Fprintf(w, "line \x1b %d\n", i); n == 0 || err != nil {
			t.Fatal(n, err)
		}
	}
	if len(told) != 10 || strings.Contains(told[0], "\x1b") || !strings.Contains(told[0], "line ? 0") || !strings.Contains(told[9], "9") {
		t.Errorf("%d lines are passed on: %q", len(told), told)
	}
}
