package main

import (
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
	"slices"
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
	dir  string
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
	c.SetDeadline(time.Now().Add(time.Minute))
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
	mu       sync.Mutex
}

func (h *honest) talk(msgs []exchange.Message) {
	for len(msgs) > 0 {
		msg := msgs[0]
		msgs = msgs[1:]
		var answers []exchange.Message
		err := exchangehttp.Post(context.Background(), h.http, h.url+"/"+msg.Call.String(), msg, &answers)
		h.mu.Lock()
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

// keysFile writes the keys of names, and returns the file.
func (e *enemy) keysFile(names ...string) string {
	var b strings.Builder
	for _, n := range names {
		fmt.Fprintln(&b, n, e.keys[n])
	}
	path := filepath.Join(e.dir, strings.Join(names, ""))
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		e.t.Fatal(err)
	}
	return path
}

// as is a client with the key of a name. How long an answer takes is not tested.
func (e *enemy) as(name string) *http.Client {
	secure, err := exchangehttp.NewSecurity(exchangehttp.Credentials{Keys: e.keysFile(name)}, name)
	if err != nil {
		e.t.Fatal(err)
	}
	c := secure.Client(exchangehttp.HostName)
	c.Timeout = 2 * time.Minute
	return c
}

// create creates a partition.
func (e *enemy) create(client *http.Client, partition, instance, url string) {
	e.t.Helper()
	in := map[string]any{"partition": partition, "weight": 1, "floor": 0, "url": url, "instance": instance}
	if err := exchangehttp.Post(e.t.Context(), client, e.url+"/CreatePartition", in, nil); err != nil {
		e.t.Fatal(err)
	}
}

// newHonest is an honest client, which has 990 nodes, and asks for a listing until the group ends.
func (e *enemy) newHonest(stop chan struct{}, group *sync.WaitGroup) *honest {
	h := &honest{t: e.t, url: e.url, start: time.Now(), http: e.as("honest")}
	name := "honest-1"
	var err error
	if h.c, err = exchange.NewClient("honest", exchange.ClientOptions{Instance: name, Every: time.Second}); err != nil {
		e.t.Fatal(err)
	}
	e.create(h.http, "honest", name, "http://127.0.0.1:1")
	_, msgs, err := h.c.AddNodes(0, "", 990)
	if err != nil {
		e.t.Fatal(err)
	}
	h.talk([]exchange.Message{msgs[0].Clone()})
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
				e.t.Error(err)
				return
			}
			h.talk([]exchange.Message{out[0].Clone()})
		}
	})
	return h
}

// An attack is a letter, and how the answer has to begin.
type attack struct {
	what, want string
	letter
}

// call is a letter of evil that makes a call with fields.
func call(name, fields string) letter {
	if fields != "" {
		fields = "," + fields
	}
	return letter{path: "/" + name, body: `{"call":"` + name + `","partition":"evil"` + fields + `}`}
}

// with changes a letter.
func (l letter) with(change func(l *letter)) letter {
	change(&l)
	return l
}

var forHonest = letter{path: "/AddNodes", body: `{"call":"AddNodes","partition":"honest","instance":"honest-1","number":9,"requests":[]}`}

// withoutKey are attacks of somebody who has no key.
func withoutKey() (all []attack) {
	zeros := func(change func(l *letter)) letter {
		return forHonest.with(func(l *letter) { l.key, l.mac = "honest", strings.Repeat("00", 32) }).with(change)
	}
	for _, path := range []string{"/AddNodes", "/SetResourceValues", "/CreatePartition", "/Reclaim", "/RemovePartition"} {
		all = append(all, attack{"unsigned POST " + path, "401", letter{path: path, key: "none", body: "{}"}})
	}
	return append(all,
		attack{"unsigned GET /Status", "401", letter{method: "GET", path: "/Status", key: "none"}},
		attack{"honest's name, a hash of zeros", "401", zeros(func(*letter) {})},
		attack{"honest's name, a hash that is none", "401", zeros(func(l *letter) { l.mac = "no hex" })},
		attack{"a name that has no key", "401", zeros(func(l *letter) { l.key = "nobody" })},
		attack{"a name of 5,000 bytes", "401", zeros(func(l *letter) { l.key = strings.Repeat("k", 5000) })},
		attack{"a random number of 3,000 bytes", "401", zeros(func(l *letter) { l.nonce = strings.Repeat("n", 3000) })},
		attack{"a time before all times", "401", zeros(func(l *letter) { l.when = "-9223372036854775808" })},
		attack{"a body of 8 MiB, not authentic", "413", zeros(func(l *letter) { l.body = strings.Repeat("x", 8<<20) })},
		attack{"an unknown path", "401", letter{path: "/../../etc/passwd", key: "none"}},
		attack{"another method", "401", letter{method: "DELETE", path: "/AddNodes", key: "none"}},
	)
}

// notHTTP are bytes that somebody without a key sends.
var notHTTP = []struct{ what, want, text string }{
	{"bytes that are no HTTP", "400", "\x00\x01\x02\x03 garbage\r\n\r\n"},
	{"a hello of TLS", "400", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + strings.Repeat("r", 300) + "\r\n\r\n"},
	{"headers of 1 MiB", "431", "GET / HTTP/1.1\r\nHost: x\r\nX: " + strings.Repeat("h", 1<<20) + "\r\n\r\n"},
	{"a length and chunks together", "401", "POST /AddNodes HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"},
	{"a length of less than nothing", "400", "POST /AddNodes HTTP/1.1\r\nHost: x\r\nContent-Length: -5\r\n\r\n"},
	{"a control character in a header", "400", "POST /AddNodes HTTP/1.1\r\nHost: x\r\nX: a\x1b[2J\x00\r\n\r\n"},
}

// signedWrongly are letters with the key of evil.
func signedWrongly() []attack {
	one, two := call("AddNodes", `"number":1`), call("AddNodes", `"number":2`)
	return []attack{
		{"signed with evil's key, from honest", "401", forHonest.with(func(l *letter) { l.key, l.from = "evil", "honest" })},
		{"in the name of the host", "401", one.with(func(l *letter) { l.from = "host" })},
		{"a message that is for another process", "401", one.with(func(l *letter) { l.to = "honest" })},
		{"a clock two hours ahead", "401 the clock of the sender is 1h59m", one.with(func(l *letter) { l.at = 2*time.Hour - time.Second })},
		{"a clock an hour behind", "401 the clock of the sender is 1h0m", one.with(func(l *letter) { l.at = -time.Hour })},
		{"a message twice", "401 the message came before", one.with(func(l *letter) { l.again = true })},
		{"signed for another path", "401", two.with(func(l *letter) { l.otherPath = "/Reclaim" })},
		{"a body that grew on the way", "401", two.with(func(l *letter) { l.otherEnd = " " })},
		{"a changed random number", "401", two.with(func(l *letter) { l.after = func(h http.Header) { h.Set("Plimsoll-Nonce", "changed") } })},
	}
}

// notToSay are letters that are signed rightly, and not evil's to say.
func notToSay() (all []attack) {
	for _, path := range []string{"/Reclaim", "/RemovePartition", "/SetShare", "/Fence"} {
		all = append(all, attack{"POST " + path, "403", letter{path: path, body: `{"partition":"honest","count":5,"weight":1}`}})
	}
	create := func(fields string) letter { return letter{path: "/CreatePartition", body: "{" + fields + "}"} }
	return append(all,
		attack{"for partition honest", "403", forHonest},
		attack{"CreatePartition honest elsewhere", "403", create(`"partition":"honest","weight":1,"url":"http://127.0.0.1:2","instance":"x"`)},
		attack{"GET /Status", "403", letter{method: "GET", path: "/Status"}},
		attack{"a call of the host", "404", call("NodesAdded", "")},
		attack{"another instance of evil", "409", call("AddNodes", `"instance":"other","number":3`)},
		attack{"a new floor and weight", "409", create(`"partition":"evil","weight":1000000,"floor":1000,"url":"http://127.0.0.1:1"`)},
		attack{"a callback to the metadata of the cloud", "422", create(`"partition":"evil","weight":1,"url":"http://169.254.169.254"`)},
		attack{"a callback to a file", "422", create(`"partition":"evil","weight":1,"url":"file:///etc/passwd"`)},
	)
}

// malformed are letters that make no sense, or are too large.
func malformed() []attack {
	const add, list = "AddNodes", "SetResourceValues"
	var many []string
	for i := range 1000 {
		many = append(many, fmt.Sprintf(`{"id":%d,"count":1}`, i+10))
	}
	million := strings.Repeat(`{"node":1,"epoch":1},`, 1_000_000)
	return []attack{
		{"a number near 2^64", "422", call(add, `"number":18446744073709551615`)},
		{"a number 2^33 ahead", "422", call(add, `"number":8589934999`)},
		{"a number over 2^64", "400", call(add, `"number":99999999999999999999999`)},
		{"an epoch of 2^60", "422", call(list, `"number":9,"leases":[{"node":0,"epoch":1152921504606846976}]`)},
		{"node -1", "422", call(list, `"number":9,"leases":[{"node":-1,"epoch":1}]`)},
		{"nodes in disorder", "422", call(list, `"number":9,"leases":[{"node":5,"epoch":1},{"node":5,"epoch":1}]`)},
		{"a value of 1e308", "422", call(list, `"number":9,"leases":[{"node":5,"epoch":1,"value":1e308}]`)},
		{"a value that is no number", "400", call(list, `"number":9,"leases":[{"node":5,"epoch":1,"value":NaN}]`)},
		{"a time before the start", "422", call(list, `"number":9,"sent_ns":-1`)},
		{"a request for -1 nodes", "422", call(add, `"number":9,"requests":[{"id":9,"count":-1}]`)},
		{"a kind that clears the screen", "422", call(add, `"number":9,"requests":[{"id":9,"count":1,"kind":"\u001b[2J"}]`)},
		{"a kind of 100,000 bytes", "422", call(add, `"number":9,"requests":[{"id":9,"count":1,"kind":"`+strings.Repeat("k", 100_000)+`"}]`)},
		{"1,000 requests", "422", call(add, `"number":9,"requests":[`+strings.Join(many, ",")+`]`)},
		{"100,000 empty leases", "400", call(list, `"number":9,"leases":[`+strings.Repeat("{},", 99_999)+`{}]`)},
		{"a million leases", "413", call(list, `"number":9,"leases":[`+million+`{}]`)},
		{"100,000 brackets", "400", letter{path: "/AddNodes", body: strings.Repeat("[", 100_000)}},
		{"two objects", "400", letter{path: "/AddNodes", body: `{"call":"AddNodes","partition":"evil"}{}`}},
		{"an unknown field", "400", call(add, `"sudo":true`)},
		{"half of a body", "400", letter{path: "/AddNodes", body: `{"call":"AddN`}},
		{"a name that is not UTF-8", "403", letter{path: "/AddNodes", body: "{\"call\":\"AddNodes\",\"partition\":\"evil\xff\"}"}},
		{"another call than the path's", "400", letter{path: "/DeleteNodes", body: `{"call":"AddNodes","partition":"evil"}`}},
		{"another content type", "415", call(add, "").with(func(l *letter) { l.kind = "text/plain" })},
		{"GET of a call", "405", letter{method: "GET", path: "/AddNodes"}},
	}
}

// harmless are letters that evil may send, in their order.
func harmless() []attack {
	const add, list = "AddNodes", "SetResourceValues"
	return []attack{
		{"leases of honest, given back", "200", call("DeleteNodes", `"leases":[{"node":0,"epoch":1},{"node":1,"epoch":1}]`)},
		{"leases of honest, listed", "200", call(list, `"number":10,"leases":[{"node":0,"epoch":1},{"node":1,"epoch":1}]`)},
		{"leases that nobody has", "200", call(list, `"number":11,"leases":[{"node":999,"epoch":77},{"node":100000,"epoch":1,"preemption":99}]`)},
		{"a notice to honest, acknowledged", "200", call("AcknowledgeDelete", `"number":12,"leases":[{"node":0,"epoch":1,"preemption":1}]`)},
		{"all the nodes of the cluster", "200", call(add, `"number":12,"requests":[{"id":12,"count":1000}]`)},
		{"and more than that", "200", call(add, fmt.Sprintf(`"number":13,"requests":[{"id":13,"count":%d}]`, math.MaxInt))},
		{"nothing any more", "200", call(add, `"number":14`)},
	}
}

// Forged, replayed, oversized, slow and malformed messages, with the credentials of a partition
// and without: each is refused or does no harm, the host stays small, and an honest client goes on.
func TestAdversary(t *testing.T) {
	s := testStage(t, 5*time.Second) // the host calls each partition once a minute
	keys := map[string]string{"honest": strings.Repeat("h", 40), "evil": strings.Repeat("e", 40), "admin": strings.Repeat("a", 40), "none": ""}
	e := &enemy{t: t, dir: t.TempDir(), keys: keys, http: &http.Client{Timeout: 2 * time.Minute, Transport: &http.Transport{MaxIdleConnsPerHost: 4}}}
	host, err := s.start("host", "host", "-nodes", "1000", "-term", "1000m", "-keys", e.keysFile("honest", "evil", "admin"))
	if err != nil {
		t.Fatal(err)
	}
	e.url = host.url
	stop := make(chan struct{})
	var group sync.WaitGroup
	h := e.newHonest(stop, &group)
	var hits atomic.Int64
	secret := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { hits.Add(1) }))
	defer secret.Close()
	var called atomic.Int64
	redirect := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		called.Add(1)
		http.Redirect(w, r, secret.URL+"/internal", http.StatusTemporaryRedirect)
	}))
	defer redirect.Close()
	e.create(e.as("evil"), "evil", "", redirect.URL)
	check := func(what, want string, answer func() string) {
		t.Run(what, func(t *testing.T) {
			if got := answer(); !strings.HasPrefix(got, want) {
				t.Errorf("%s; want %s", got, want)
			}
		})
	}
	for _, a := range slices.Concat(withoutKey(), signedWrongly(), notToSay(), malformed(), harmless()) {
		check(a.what, a.want, func() string { return e.send(a.letter) })
	}
	for _, a := range notHTTP {
		check(a.what, a.want, func() string { return e.raw(a.text) })
	}
	// Many at a time.
	var open []net.Conn
	for i, a := range []struct {
		n          int
		what, text string
	}{
		{2000, "silent connections", ""},
		{1000, "headers that never end", "POST /AddNodes HTTP/1.1\r\nHost: x\r\nX-Slow: "},
		{500, "bodies that never end", fmt.Sprintf("POST /AddNodes HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 300000\r\n"+
			"Plimsoll-Key: evil\r\nPlimsoll-From: evil\r\nPlimsoll-Nonce: x\r\nPlimsoll-Mac: 00\r\nPlimsoll-Time: %d\r\n\r\n",
			time.Now().UnixNano()) + strings.Repeat(" ", 100_000)},
	} {
		for range a.n {
			if c, err := net.Dial("tcp", strings.TrimPrefix(host.url, "http://")); err == nil {
				io.WriteString(c, a.text)
				open = append(open, c)
			}
		}
		check(a.what, "200", func() string { return e.send(call("SetResourceValues", fmt.Sprintf(`"number":%d`, 15+i))) })
	}
	for _, c := range open {
		c.Close()
	}
	until(t, "the host has called evil", func() bool { return called.Load() > 0 })
	h.mu.Lock()
	before := h.answers
	h.mu.Unlock()
	until(t, "the honest client is heard", func() bool { h.mu.Lock(); defer h.mu.Unlock(); return h.answers >= before+20 })
	close(stop)
	group.Wait()
	e.checkEnd(h)
	if hits.Load() > 0 {
		t.Errorf("the host has followed a redirect %d times", hits.Load())
	}
	if _, peak := memory(host.cmd.Process.Pid); peak > 64<<20 && !raced {
		t.Errorf("the host has had %d MiB; want 64 at most", peak>>20)
	}
}

// checkEnd checks that the honest client was heard, and has its nodes.
func (e *enemy) checkEnd(h *honest) {
	t := e.t
	if h.failures > 0 {
		t.Errorf("the honest client: %d of %d messages failed", h.failures, h.answers)
	}
	nodes := h.c.AppendNodes(nil, time.Since(h.start))
	if len(nodes) != 990 || slices.ContainsFunc(nodes, func(n exchange.NodeStatus) bool { return n.State != exchange.Usable }) {
		t.Errorf("the honest client has %d nodes, want 990 that are usable", len(nodes))
	}
	var st status
	if err := exchangehttp.Get(t.Context(), e.as("admin"), e.url+"/Status", &st); err != nil {
		t.Fatal(err)
	}
	if held(st, "honest") != 990 {
		t.Errorf("the host says that honest has %d nodes, want 990", held(st, "honest"))
	}
}

// Attacks on a host with certificates.
func TestAdversaryOfTLS(t *testing.T) {
	s := testStage(t, time.Minute)
	ca, other := certtest.New(t), certtest.New(t)
	cert, key := ca.Issue("host", -time.Hour, time.Hour)
	host, err := s.start("tls", "host", "-nodes", "3", "-cert", cert, "-key", key, "-ca", ca.CA)
	if err != nil {
		t.Fatal(err)
	}
	with := func(a *certtest.Authority, name string, from, to time.Duration) *http.Client {
		c, k := a.Issue(name, from, to)
		pair, err := tls.LoadX509KeyPair(c, k)
		if err != nil {
			t.Fatal(err)
		}
		return &http.Client{Timeout: 2 * time.Minute, Transport: &http.Transport{TLSClientConfig: &tls.Config{Certificates: []tls.Certificate{pair},
			InsecureSkipVerify: true}}}
	}
	nobody := &http.Client{Timeout: 2 * time.Minute, Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
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
		{"evil's certificate, for partition honest", with(ca, "evil", -time.Hour, time.Hour), "/AddNodes",
			`{"call":"AddNodes","partition":"honest","number":1}`, "403"},
		{"admin's certificate, GET /Status", with(ca, "admin", -time.Hour, time.Hour), "/Status", "", "200"},
	} {
		t.Run(c.what, func(t *testing.T) {
			method := http.MethodPost
			if c.body == "" {
				method = http.MethodGet
			}
			req, err := http.NewRequestWithContext(t.Context(), method, host.url+c.path, strings.NewReader(c.body))
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("Content-Type", "application/json")
			answer := "connection ended"
			if resp, err := c.client.Do(req); err == nil {
				resp.Body.Close()
				answer = fmt.Sprint(resp.StatusCode)
			}
			if answer != c.want {
				t.Errorf("%s; want %s", answer, c.want)
			}
		})
	}
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
