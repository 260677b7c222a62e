package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/tls"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/certtest"
	"github.com/plimsoll/plimsoll/examples/internal/exchangehttp"
	"github.com/plimsoll/plimsoll/preempt/exchange"
)

// An enemy speaks to a host with the key of the partition "evil", or without any key.
type enemy struct {
	t    *testing.T
	url  string
	keys map[string]string
	http *http.Client
}

// letter is a message before it is signed. Fields that are empty are as they should be.
type letter struct {
	method, path, body  string
	key, from, to, mac  string // key "none": not signed
	at                  time.Duration
	when, nonce, kind   string
	after               func(h http.Header) // changes the headers when all is signed
	again               bool                // sent twice; the second answer counts
	otherPath, otherEnd string              // sent to another path, or with another end of the body, than what is signed
}

var nonces atomic.Int64

// raced says that the race detector is on, which needs memory of its own.
var raced bool

// sign fills in what is empty.
func (e *enemy) sign(l *letter) {
	if l.method == "" {
		l.method = "POST"
	}
	if l.key == "" {
		l.key = "evil"
	}
	if l.from == "" {
		l.from = l.key
	}
	if l.to == "" {
		l.to = "host"
	}
	if l.when == "" {
		l.when = strconv.FormatInt(time.Now().Add(l.at).UnixNano(), 10)
	}
	if l.nonce == "" {
		l.nonce = fmt.Sprint("n", nonces.Add(1))
	}
	if l.mac == "" { // as the documentation of exchangehttp says, and not by its code
		h := hmac.New(sha256.New, []byte(e.keys[l.key]))
		sum := sha256.Sum256([]byte(l.body))
		fmt.Fprintf(h, "plimsoll 1 request\n%s\n%s\n%s\n%s\n%s\n%s\n%s\n%x\n", l.to, l.from, l.key, l.method, l.path, l.when, l.nonce, sum)
		l.mac = hex.EncodeToString(h.Sum(nil))
	}
}

// flood sends a message that is forbidden so many times over one connection, without waiting for
// the answers, and returns how many are refused because there are too many.
func (e *enemy) flood(n int, l letter) (refused int64) {
	c, err := net.Dial("tcp", strings.TrimPrefix(e.url, "http://"))
	if err != nil {
		e.t.Error(err)
		return 0
	}
	defer c.Close()
	go func() {
		w := bufio.NewWriter(c)
		for range n {
			l := l
			e.sign(&l)
			fmt.Fprintf(w, "%s %s HTTP/1.1\r\nHost: x\r\nPlimsoll-Key: %s\r\nPlimsoll-From: %s\r\nPlimsoll-Time: %s\r\nPlimsoll-Nonce: %s\r\nPlimsoll-Mac: %s\r\n\r\n",
				l.method, l.path, l.key, l.from, l.when, l.nonce, l.mac)
		}
		w.Flush()
	}()
	r := bufio.NewReader(c)
	for range n {
		resp, err := http.ReadResponse(r, nil)
		if err != nil {
			e.t.Errorf("the flood: %v", err)
			return refused
		}
		io.Copy(io.Discard, resp.Body)
		if resp.StatusCode == http.StatusTooManyRequests {
			refused++
		} else if resp.StatusCode != http.StatusForbidden {
			e.t.Errorf("the flood: %s", resp.Status)
		}
	}
	return refused
}

// send sends a message, and returns what the host answers.
func (e *enemy) send(l letter) string {
	e.sign(&l)
	path := l.path
	if l.otherPath != "" {
		path = l.otherPath
	}
	once := func() string {
		req, err := http.NewRequest(l.method, e.url+path, strings.NewReader(l.body+l.otherEnd))
		if err != nil {
			e.t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/json")
		if l.kind != "" {
			req.Header.Set("Content-Type", l.kind)
		}
		if l.key != "none" {
			for k, v := range map[string]string{"Key": url.PathEscape(l.key), "From": url.PathEscape(l.from), "Time": l.when, "Nonce": l.nonce, "Mac": l.mac} {
				req.Header.Set("Plimsoll-"+k, v)
			}
		}
		if l.after != nil {
			l.after(req.Header)
		}
		resp, err := e.http.Do(req)
		if err != nil {
			return "connection ended"
		}
		defer resp.Body.Close()
		text, _ := io.ReadAll(io.LimitReader(resp.Body, 1<<20))
		var x struct {
			Error string `json:"error"`
		}
		json.Unmarshal(text, &x)
		return strings.TrimSpace(fmt.Sprint(resp.StatusCode, " ", x.Error))
	}
	answer := once()
	if l.again {
		answer = once()
	}
	return answer
}

// raw sends bytes to the port, and returns what comes back first.
func (e *enemy) raw(text string) string {
	c, err := net.Dial("tcp", strings.TrimPrefix(e.url, "http://"))
	if err != nil {
		return "no connection"
	}
	defer c.Close()
	c.SetDeadline(time.Now().Add(3 * time.Second))
	go io.WriteString(c, text)
	b := make([]byte, 200)
	n, _ := io.ReadAtLeast(c, b, 12)
	if n == 0 {
		return "connection ended"
	}
	line, _, _ := strings.Cut(string(b[:n]), "\r\n")
	return strings.TrimPrefix(line, "HTTP/1.1 ")
}

// honest is a client that asks for a listing again and again, and says when that fails.
type honest struct {
	t        *testing.T
	c        *exchange.Client
	http     *http.Client
	url      string
	start    time.Time
	answers  int
	failures int
	worst    time.Duration
	mu       sync.Mutex
}

func (h *honest) talk(msgs []exchange.Message) {
	for len(msgs) > 0 {
		msg := msgs[0]
		msgs = msgs[1:]
		var answers []exchange.Message
		begin := time.Now()
		err := exchangehttp.Post(context.Background(), h.http, h.url+"/"+msg.Call.String(), msg, &answers)
		h.mu.Lock()
		h.worst = max(h.worst, time.Since(begin))
		if h.answers++; err != nil {
			h.failures++
			h.t.Logf("the honest client: %v", err)
		}
		h.mu.Unlock()
		for _, a := range answers {
			more, err := h.c.Handle(time.Since(h.start), a)
			if err != nil {
				h.t.Errorf("the honest client does not understand the host: %v", err)
			}
			for _, m := range more {
				msgs = append(msgs, m.Clone())
			}
		}
	}
}

// Many kinds of forged, replayed, oversized, slow and malformed messages, with the
// credentials of a partition and without: each is refused or does no harm, the host stays
// small, and an honest client goes on. With -v the test prints the table.
func TestAdversary(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	keys := map[string]string{"honest": strings.Repeat("h", 40), "evil": strings.Repeat("e", 40), "admin": strings.Repeat("a", 40), "none": ""}
	keysFile := func(names ...string) string {
		var b strings.Builder
		for _, n := range names {
			fmt.Fprintln(&b, n, keys[n])
		}
		path := filepath.Join(dir, strings.Join(names, ""))
		if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	s := testStage(t, time.Minute)
	host, err := s.start("host", "host", "-nodes", "1000", "-keys", keysFile("honest", "evil", "admin"))
	if err != nil {
		t.Fatal(err)
	}
	as := func(name string) *http.Client {
		secure, err := exchangehttp.NewSecurity(exchangehttp.Credentials{Keys: keysFile(name)}, name)
		if err != nil {
			t.Fatal(err)
		}
		return secure.Client(exchangehttp.HostName)
	}
	e := &enemy{t: t, url: host.url, keys: keys, http: &http.Client{Timeout: 15 * time.Second, Transport: &http.Transport{MaxIdleConnsPerHost: 4}}}

	// The honest client has all but ten nodes, and the enemy some of the others.
	h := &honest{t: t, url: host.url, start: time.Now()}
	var instance atomic.Pointer[string]
	name := "honest-1"
	instance.Store(&name)
	h.http = as("honest")
	h.http.Transport = signed{h.http.Transport, &instance}
	if h.c, err = exchange.NewClient("honest", exchange.ClientOptions{Instance: name, Every: time.Second}); err != nil {
		t.Fatal(err)
	}
	create := func(client *http.Client, partition, instance, url string) error {
		return exchangehttp.Post(t.Context(), client, host.url+"/CreatePartition", map[string]any{"partition": partition, "weight": 1, "floor": 0, "url": url, "instance": instance}, nil)
	}
	if err := create(h.http, "honest", name, "http://127.0.0.1:1"); err != nil {
		t.Fatal(err)
	}
	var hits atomic.Int64
	secret := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { hits.Add(1) }))
	defer secret.Close()
	redirect := httptest.NewServer(http.RedirectHandler(secret.URL+"/internal", http.StatusTemporaryRedirect))
	defer redirect.Close()
	if err := create(as("evil"), "evil", "", redirect.URL); err != nil {
		t.Fatal(err)
	}
	_, msgs, err := h.c.AddNodes(0, "", 990)
	if err != nil {
		t.Fatal(err)
	}
	h.talk([]exchange.Message{msgs[0].Clone()})
	stop := make(chan struct{})
	var group sync.WaitGroup
	group.Go(func() {
		for {
			select {
			case <-stop:
				return
			case <-time.After(20 * time.Millisecond):
			}
			now := time.Since(h.start)
			var values []exchange.NodeValue
			for _, n := range h.c.AppendNodes(nil, now) {
				values = append(values, exchange.NodeValue{Node: n.Node, Value: 1})
			}
			out, err := h.c.SetResourceValues(now, values)
			if err != nil {
				t.Error(err)
				return
			}
			h.talk([]exchange.Message{out[0].Clone()})
		}
	})

	// What a message costs: the time that the honest client waits at most meanwhile.
	type row = struct{ who, what, answer string }
	var rows []row
	ask := func(who, what, want, answer string) {
		rows = append(rows, row{who, what, answer})
		if !strings.HasPrefix(answer, want) {
			t.Errorf("%s, %s: %s; want %s", who, what, answer, want)
		}
	}
	none := func(what, want string, l letter) {
		ask("no key", what, want, e.send(l))
	}
	evil := func(what, want string, l letter) { ask("key of evil", what, want, e.send(l)) }
	msg := func(call string, fields string) letter {
		if fields != "" {
			fields = "," + fields
		}
		return letter{path: "/" + call, body: `{"call":"` + call + `","partition":"evil"` + fields + `}`}
	}
	add, list := "AddNodes", "SetResourceValues"
	forHonest := letter{path: "/AddNodes", body: `{"call":"AddNodes","partition":"honest","instance":"honest-1","number":9,"requests":[]}`}

	// Without a key.
	for _, path := range []string{"/AddNodes", "/SetResourceValues", "/CreatePartition", "/Reclaim", "/RemovePartition"} {
		none("unsigned POST "+path, "401", letter{path: path, key: "none", body: "{}"})
	}
	none("unsigned GET /Status", "401", letter{method: "GET", path: "/Status", key: "none"})
	l := forHonest
	l.key, l.mac = "honest", strings.Repeat("00", 32)
	none("honest's name, a hash of zeros", "401", l)
	l.mac = "no hex"
	none("honest's name, a hash that is none", "401", l)
	l = forHonest
	l.key, l.mac = "nobody", strings.Repeat("00", 32)
	none("a name that has no key", "401", l)
	l.key = strings.Repeat("k", 5000)
	none("a name of 5,000 bytes", "401", l)
	l = forHonest
	l.key, l.mac, l.nonce = "honest", strings.Repeat("00", 32), strings.Repeat("n", 3000)
	none("a random number of 3,000 bytes", "401", l)
	l = forHonest
	l.key, l.mac, l.when = "honest", strings.Repeat("00", 32), "-9223372036854775808"
	none("a time before all times", "401", l)
	l = forHonest
	l.key, l.mac, l.body = "honest", strings.Repeat("00", 32), strings.Repeat("x", 8<<20)
	none("a body of 8 MiB, not authentic", "413", l)
	none("an unknown path", "401", letter{path: "/../../etc/passwd", key: "none"})
	none("another method", "401", letter{method: "DELETE", path: "/AddNodes", key: "none"})
	ask("no key", "bytes that are no HTTP", "400", e.raw("\x00\x01\x02\x03 garbage\r\n\r\n"))
	ask("no key", "a hello of TLS", "400", e.raw("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"+strings.Repeat("r", 300)+"\r\n\r\n"))
	ask("no key", "headers of 1 MiB", "431", e.raw("GET / HTTP/1.1\r\nHost: x\r\nX: "+strings.Repeat("h", 1<<20)+"\r\n\r\n"))
	ask("no key", "a length and chunks together", "401", e.raw("POST /AddNodes HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"))
	ask("no key", "a length of less than nothing", "400", e.raw("POST /AddNodes HTTP/1.1\r\nHost: x\r\nContent-Length: -5\r\n\r\n"))
	ask("no key", "a control character in a header", "400", e.raw("POST /AddNodes HTTP/1.1\r\nHost: x\r\nX: a\x1b[2J\x00\r\n\r\n"))

	// With the key of evil: what is signed wrongly.
	l = forHonest
	l.key, l.from = "evil", "honest"
	evil("signed with evil's key, from honest", "401", l)
	l = msg(add, `"number":1`)
	l.from = "host"
	evil("in the name of the host", "401", l)
	l = msg(add, `"number":1`)
	l.to = "honest"
	evil("a message that is for another process", "401", l)
	l = msg(add, `"number":1`)
	l.at = time.Hour
	evil("a clock an hour ahead", "401 the clock of the sender is 1h0m0s ahead", l)
	l.at = -time.Hour
	evil("a clock an hour behind", "401 the clock of the sender is 1h0m0s behind", l)
	l = msg(add, `"number":1`)
	l.again = true
	evil("a message twice", "401 the message came before", l)
	l = msg(add, `"number":2`)
	l.otherPath = "/Reclaim"
	evil("signed for another path", "401", l)
	l = msg(add, `"number":2`)
	l.otherEnd = " "
	evil("a body that grew on the way", "401", l)
	l = msg(add, `"number":2`)
	l.after = func(h http.Header) { h.Set("Plimsoll-Nonce", "changed") }
	evil("a changed random number", "401", l)

	// What is signed rightly, and not evil's to say.
	evil("for partition honest", "403", forHonest)
	evil("CreatePartition honest elsewhere", "403", letter{path: "/CreatePartition", body: `{"partition":"honest","weight":1,"url":"http://127.0.0.1:2","instance":"x"}`})
	for _, path := range []string{"/Reclaim", "/RemovePartition", "/SetShare", "/Fence"} {
		evil("POST "+path, "403", letter{path: path, body: `{"partition":"honest","count":5,"weight":1}`})
	}
	evil("GET /Status", "403", letter{method: "GET", path: "/Status"})
	evil("a call of the host", "404", msg("NodesAdded", ""))
	evil("another instance of evil", "409", msg(add, `"instance":"other","number":3`))
	evil("a new floor and weight", "409", letter{path: "/CreatePartition", body: `{"partition":"evil","weight":1000000,"floor":1000,"url":"http://127.0.0.1:1"}`})
	evil("a callback to the metadata of the cloud", "422", letter{path: "/CreatePartition", body: `{"partition":"evil","weight":1,"url":"http://169.254.169.254"}`})
	evil("a callback to a file", "422", letter{path: "/CreatePartition", body: `{"partition":"evil","weight":1,"url":"file:///etc/passwd"}`})

	// What is malformed.
	evil("a number near 2^64", "422", msg(add, `"number":18446744073709551615`))
	evil("a number 2^33 ahead", "422", msg(add, `"number":8589934999`))
	evil("a number over 2^64", "400", msg(add, `"number":99999999999999999999999`))
	evil("an epoch of 2^60", "422", msg(list, `"number":9,"leases":[{"node":0,"epoch":1152921504606846976}]`))
	evil("node -1", "422", msg(list, `"number":9,"leases":[{"node":-1,"epoch":1}]`))
	evil("nodes in disorder", "422", msg(list, `"number":9,"leases":[{"node":5,"epoch":1},{"node":5,"epoch":1}]`))
	evil("a value of 1e308", "422", msg(list, `"number":9,"leases":[{"node":5,"epoch":1,"value":1e308}]`))
	evil("a value that is no number", "400", msg(list, `"number":9,"leases":[{"node":5,"epoch":1,"value":NaN}]`))
	evil("a time before the start", "422", msg(list, `"number":9,"sent_ns":-1`))
	evil("a request for -1 nodes", "422", msg(add, `"number":9,"requests":[{"id":9,"count":-1}]`))
	evil("a kind that clears the screen", "422", msg(add, `"number":9,"requests":[{"id":9,"count":1,"kind":"\u001b[2J"}]`))
	evil("a kind of 100,000 bytes", "422", msg(add, `"number":9,"requests":[{"id":9,"count":1,"kind":"`+strings.Repeat("k", 100_000)+`"}]`))
	var many []string
	for i := range 1000 {
		many = append(many, fmt.Sprintf(`{"id":%d,"count":1}`, i+10))
	}
	evil("1,000 requests", "422", msg(add, `"number":9,"requests":[`+strings.Join(many, ",")+`]`))
	evil("100,000 empty leases", "400", msg(list, `"number":9,"leases":[`+strings.Repeat("{},", 99_999)+`{}]`))
	evil("a million leases", "413", msg(list, `"number":9,"leases":[`+strings.Repeat(`{"node":1,"epoch":1},`, 1_000_000)+`{}]`))
	evil("100,000 brackets", "400", letter{path: "/AddNodes", body: strings.Repeat("[", 100_000)})
	evil("two objects", "400", letter{path: "/AddNodes", body: `{"call":"AddNodes","partition":"evil"}{}`})
	evil("an unknown field", "400", msg(add, `"sudo":true`))
	evil("half of a body", "400", letter{path: "/AddNodes", body: `{"call":"AddN`})
	evil("a name that is not UTF-8", "403", letter{path: "/AddNodes", body: "{\"call\":\"AddNodes\",\"partition\":\"evil\xff\"}"})
	evil("another call than the path's", "400", letter{path: "/DeleteNodes", body: `{"call":"AddNodes","partition":"evil"}`})
	l = msg(add, "")
	l.kind = "text/plain"
	evil("another content type", "415", l)
	evil("GET of a call", "405", letter{method: "GET", path: "/AddNodes"})

	// What evil may say, and what does no harm.
	evil("leases of honest, given back", "200", msg("DeleteNodes", `"leases":[{"node":0,"epoch":1},{"node":1,"epoch":1}]`))
	evil("leases of honest, listed", "200", msg(list, `"number":10,"leases":[{"node":0,"epoch":1},{"node":1,"epoch":1}]`))
	evil("leases that nobody has", "200", msg(list, `"number":11,"leases":[{"node":999,"epoch":77},{"node":100000,"epoch":1,"preemption":99}]`))
	evil("a notice to honest, acknowledged", "200", msg("AcknowledgeDelete", `"number":12,"leases":[{"node":0,"epoch":1,"preemption":1}]`))
	evil("all the nodes of the cluster", "200", msg(add, `"number":12,"requests":[{"id":12,"count":1000}]`))
	evil("and more than that", "200", msg(add, fmt.Sprintf(`"number":13,"requests":[{"id":13,"count":%d}]`, math.MaxInt)))
	evil("nothing any more", "200", msg(add, `"number":14`))

	// Many at a time.
	var open []net.Conn
	dial := func(n int, text string) {
		for range n {
			if c, err := net.Dial("tcp", strings.TrimPrefix(host.url, "http://")); err == nil {
				io.WriteString(c, text)
				open = append(open, c)
			}
		}
	}
	dial(2000, "")
	ask("no key", "2,000 silent connections", "200", e.send(msg(list, `"number":15`)))
	dial(1000, "POST /AddNodes HTTP/1.1\r\nHost: x\r\nX-Slow: ")
	ask("no key", "1,000 headers that never end", "200", e.send(msg(list, `"number":16`)))
	dial(500, fmt.Sprintf("POST /AddNodes HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 300000\r\nPlimsoll-Key: evil\r\nPlimsoll-From: evil\r\nPlimsoll-Nonce: x\r\nPlimsoll-Mac: 00\r\nPlimsoll-Time: %d\r\n\r\n", time.Now().UnixNano())+strings.Repeat(" ", 100_000))
	ask("no key", "500 bodies that never end", "200", e.send(msg(list, `"number":17`)))
	for _, c := range open {
		c.Close()
	}
	var flood sync.WaitGroup
	var refused atomic.Int64
	for range 4 {
		flood.Go(func() {
			refused.Add(e.flood(4400, letter{method: "GET", path: "/Status"}))
		})
	}
	flood.Wait()
	if refused.Load() == 0 {
		t.Error("the host answers however many messages come")
	}
	answer := e.send(msg(list, `"number":99999`))
	ask("key of evil", "17,600 messages at once", "429", answer)
	time.Sleep(300 * time.Millisecond) // the callbacks to evil
	if hits.Load() > 0 {
		t.Errorf("the host has followed a redirect %d times", hits.Load())
	}
	rows = append(rows, row{"key of evil", "a callback that redirects", "not followed"})
	if _, peak := memory(host.cmd.Process.Pid); peak > 64<<20 && !raced {
		t.Errorf("the host has had %d MiB; want 64 at most", peak>>20)
	}

	until(t, "the honest client is heard", func() bool { h.mu.Lock(); defer h.mu.Unlock(); return h.answers >= 20 })
	close(stop)
	group.Wait()
	if h.failures > 0 || h.worst > 4*time.Second {
		t.Errorf("the honest client: %d of %d messages failed, the longest took %v", h.failures, h.answers, h.worst)
	}
	if got := len(h.c.AppendNodes(nil, time.Since(h.start))); got != 990 {
		t.Errorf("the honest client has %d nodes, want 990", got)
	}
	for _, n := range h.c.AppendNodes(nil, time.Since(h.start)) {
		if n.State != exchange.Usable {
			t.Errorf("the honest client's node %d is %v", n.Node, n.State)
			break
		}
	}
	var st status
	if err := exchangehttp.Get(t.Context(), as("admin"), host.url+"/Status", &st); err != nil {
		t.Fatal(err)
	}
	if held(st, "honest") != 990 {
		t.Errorf("the host says that honest has %d nodes, want 990", held(st, "honest"))
	}
	rows = append(rows, tlsRows(t, s)...)
	if len(rows) < 40 {
		t.Errorf("only %d attacks", len(rows))
	}
	now, peak := memory(host.cmd.Process.Pid)
	t.Logf("%d attacks; the host has %d MiB, %d at most; the honest client: %d messages, %d failed, the longest %v; %d refused by number",
		len(rows), now>>20, peak>>20, h.answers, h.failures, h.worst.Round(time.Millisecond), refused.Load())
	var b strings.Builder
	for _, r := range rows {
		fmt.Fprintf(&b, "| %s | %s | %s |\n", r.who, r.what, r.answer)
	}
	t.Log("\n" + b.String())
}

// tlsRows are attacks on a host with certificates.
func tlsRows(t *testing.T, s *stage) (rows []struct{ who, what, answer string }) {
	ca, other := certtest.New(t), certtest.New(t)
	cert, key := ca.Issue("host", -time.Hour, time.Hour)
	host, err := s.start("tls", "host", "-nodes", "3", "-cert", cert, "-key", key, "-ca", ca.CA)
	if err != nil {
		t.Fatal(err)
	}
	defer host.kill()
	with := func(a *certtest.Authority, name string, from, to time.Duration) *http.Client {
		c, k := a.Issue(name, from, to)
		pair, err := tls.LoadX509KeyPair(c, k)
		if err != nil {
			t.Fatal(err)
		}
		return &http.Client{Timeout: 5 * time.Second, Transport: &http.Transport{TLSClientConfig: &tls.Config{Certificates: []tls.Certificate{pair}, InsecureSkipVerify: true}}}
	}
	nobody := &http.Client{Timeout: 5 * time.Second, Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
	for _, c := range []struct {
		what   string
		client *http.Client
		path   string
		body   string
		want   string
	}{
		{"no certificate", nobody, "/Status", "", "connection ended"},
		{"a certificate that expired", with(ca, "evil", -2*time.Hour, -time.Hour), "/Status", "", "connection ended"},
		{"a certificate of tomorrow", with(ca, "evil", time.Hour, 2*time.Hour), "/Status", "", "connection ended"},
		{"a certificate of another authority", with(other, "admin", -time.Hour, time.Hour), "/Status", "", "connection ended"},
		{"a certificate with an escape sequence as its name", with(ca, "ad\x1b[1mmin", -time.Hour, time.Hour), "/Status", "", "connection ended"},
		{"evil's certificate, GET /Status", with(ca, "evil", -time.Hour, time.Hour), "/Status", "", "403"},
		{"evil's certificate, for partition honest", with(ca, "evil", -time.Hour, time.Hour), "/AddNodes", `{"call":"AddNodes","partition":"honest","number":1}`, "403"},
		{"admin's certificate, GET /Status", with(ca, "admin", -time.Hour, time.Hour), "/Status", "", "200"},
	} {
		var resp *http.Response
		var err error
		if c.body == "" {
			resp, err = c.client.Get(host.url + c.path)
		} else {
			resp, err = c.client.Post(host.url+c.path, "application/json", bytes.NewReader([]byte(c.body)))
		}
		answer := "connection ended"
		if err == nil {
			resp.Body.Close()
			answer = fmt.Sprint(resp.StatusCode)
		}
		if answer != c.want {
			t.Errorf("TLS, %s: %s; want %s", c.what, answer, c.want)
		}
		rows = append(rows, struct{ who, what, answer string }{"TLS", c.what, answer})
	}
	return rows
}

// memory returns how much of the memory of the machine a process has, and had at most.
func memory(pid int) (now, peak int64) {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	for line := range strings.SplitSeq(string(text), "\n") {
		var n int64
		if _, err := fmt.Sscanf(line, "VmRSS: %d kB", &n); err == nil {
			now = n << 10
		}
		if _, err := fmt.Sscanf(line, "VmHWM: %d kB", &n); err == nil {
			peak = n << 10
		}
	}
	return now, peak
}
