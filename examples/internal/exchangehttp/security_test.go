package exchangehttp

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/certtest"
)

const (
	keyA     = "0123456789abcdef0123456789abcdef"
	keyB     = "fedcba9876543210fedcba9876543210"
	keyAdmin = "ffffffffffffffffffffffffffffffff"
)

func keysFile(t testing.TB, lines ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "keys")
	if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func security(t testing.TB, c Credentials, self string) *Security {
	t.Helper()
	s, err := NewSecurity(c, self)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// serve serves an echo of who sends, and returns its address.
func serve(t testing.TB, s *Security) string {
	t.Helper()
	l, url, err := s.Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	handler := s.Handler(func() int64 { return 1000 }, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name, _ := Peer(r)
		Reply(w, 200, map[string]string{"peer": name})
	}))
	go func() {
		Serve(ctx, l, handler, func(line string) { t.Log(line) })
		close(done)
	}()
	t.Cleanup(func() { cancel(); <-done })
	return url
}

// say sends a message, and returns who the other side says has sent it.
func say(c *http.Client, url string) (string, error) {
	var out struct {
		Peer string `json:"peer"`
	}
	err := Post(context.Background(), c, url+"/x", map[string]int{"a": 1}, &out)
	return out.Peer, err
}

func wantError(t *testing.T, what string, err error, text string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), text) || strings.Contains(err.Error(), "\n") {
		t.Errorf("%s: %v; want %q", what, err, text)
	}
}

// Both ends of mutual TLS know each other by name; a certificate that is expired, not valid
// yet, of another authority or of another name is told in a sentence.
func TestTLS(t *testing.T) {
	ca, other := certtest.New(t), certtest.New(t)
	from := func(a *certtest.Authority, name string, begin, end time.Duration) Credentials {
		cert, key := a.Issue(name, begin, end)
		return Credentials{Cert: cert, Key: key, CA: a.CA}
	}
	good := func(name string) *Security { return security(t, from(ca, name, -time.Hour, time.Hour), name) }
	host, a, b := good(HostName), good("a"), good("b")
	url := serve(t, host)
	if !strings.HasPrefix(url, "https://") {
		t.Error(url)
	}
	for name, s := range map[string]*Security{"a": a, "b": b} {
		if got, err := say(s.Client(HostName), url); got != name || err != nil {
			t.Errorf("%s is %q, %v", name, got, err)
		}
	}
	at := serve(t, a)
	if got, err := say(host.Client("a"), at); got != HostName || err != nil {
		t.Errorf("the host is %q, %v", got, err)
	}
	_, err := say(host.Client("b"), at)
	wantError(t, "a in the place of b", err, `there is "a": want "b"`)
	_, err = say(a.Client(HostName), serve(t, b))
	wantError(t, "b in the place of the host", err, `there is "b": want "host"`)
	_, err = say(a.Client(HostName), serve(t, security(t, Credentials{}, HostName)))
	wantError(t, "an address without TLS", err, "has no TLS: want https")

	open := func(c Credentials) Credentials {
		if err := os.Chmod(c.Key, 0o644); err != nil {
			t.Fatal(err)
		}
		return c
	}
	for what, c := range map[string]struct {
		Credentials
		want string
	}{
		"expired":          {from(ca, "a", -2*time.Hour, -time.Hour), `the certificate of "a" expired at`},
		"a clock behind":   {from(ca, "a", time.Hour, 2*time.Hour), `want a clock that is right`},
		"another's name":   {from(ca, "b", -time.Hour, time.Hour), `is for "b": want one whose common name is "a"`},
		"control":          {from(ca, "a\x1b[1m", -time.Hour, time.Hour), `printable`},
		"no files":         {Credentials{Cert: "none", Key: "none", CA: ca.CA}, "cannot use -cert none"},
		"two of three":     {Credentials{Cert: "none", Key: "none"}, "want all three"},
		"both kinds":       {Credentials{Cert: "none", Keys: "none"}, "not both"},
		"key for all":      {open(from(ca, "a", -time.Hour, time.Hour)), "can be read by others: want mode 0600"},
		"no authority":     {Credentials{Cert: from(ca, "a", -time.Hour, time.Hour).Cert, Key: "none", CA: ca.CA}, "cannot use -cert"},
		"keys, no file":    {Credentials{Keys: filepath.Join(t.TempDir(), "none")}, "cannot read -keys"},
		"keys, short":      {Credentials{Keys: keysFile(t, "a "+keyA[:31])}, "line 1: want a name and a key of 32"},
		"keys, twice":      {Credentials{Keys: keysFile(t, "a "+keyA, "", "# x", "a "+keyB)}, `line 4: "a" is there twice`},
		"keys, no own":     {Credentials{Keys: keysFile(t, "b "+keyA)}, `has no key of "a"`},
		"keys, of control": {Credentials{Keys: keysFile(t, "a\a "+keyA)}, "printable"},
	} {
		_, err := NewSecurity(c.Credentials, "a")
		wantError(t, what, err, c.want)
	}
	// What only the other end can see.
	late := good("a")
	late.now = func() time.Time { return time.Now().Add(2 * time.Hour) }
	_, err = say(late.Client(HostName), url)
	wantError(t, "a clock ahead", err, `the certificate of "host" expired at`)
	stranger := security(t, from(other, "a", -time.Hour, time.Hour), "a")
	_, err = say(stranger.Client(HostName), url)
	wantError(t, "another authority", err, `is not signed by the authority of -ca`)
	blind := security(t, from(other, "a", -time.Hour, time.Hour), "a")
	blind.roots = a.roots
	_, err = say(blind.Client(HostName), url)
	wantError(t, "a stranger who believes the host", err, "the peer does not accept the certificate of -cert")
	_, err = say(&http.Client{Timeout: time.Second}, url)
	wantError(t, "no certificate", err, "certificate")
	// The host's clock goes past the end of a certificate while a connection is open.
	c := a.Client(HostName)
	if _, err := say(c, url); err != nil {
		t.Fatal(err)
	}
	host.now = func() time.Time { return time.Now().Add(2 * time.Hour) }
	_, err = say(c, url)
	wantError(t, "expired on a connection", err, `the certificate of "a" expired at`)
}

// With shared keys both ends check each message and each answer, and no message counts twice.
func TestKeys(t *testing.T) {
	keys := Credentials{Keys: keysFile(t, "a "+keyA, "b b "+keyB, "admin "+keyAdmin)}
	host := security(t, keys, HostName)
	a := security(t, Credentials{Keys: keysFile(t, "a "+keyA)}, "a")
	b := security(t, Credentials{Keys: keysFile(t, "b b "+keyB)}, "b b")
	url := serve(t, host)
	for name, s := range map[string]*Security{"a": a, "b b": b} {
		if got, err := say(s.Client(HostName), url); got != name || err != nil {
			t.Errorf("%s is %q, %v", name, got, err)
		}
	}
	at := serve(t, a)
	if got, err := say(host.Client("a"), at); got != HostName || err != nil {
		t.Errorf("the host is %q, %v", got, err)
	}
	_, err := say(b.Client("a"), at)
	wantError(t, "b to a", err, "does not fit the message")
	_, err = say(a.Client(HostName), at)
	wantError(t, "a in the place of the host", err, "does not fit the message")
	wrong := security(t, Credentials{Keys: keysFile(t, "a "+keyB)}, "a")
	_, err = say(wrong.Client(HostName), url)
	wantError(t, "another key", err, "the answer is not signed with the key")
	wantError(t, "another key", err, "want the same key on both sides")
	_, err = say(http.DefaultClient, url)
	wantError(t, "no signature", err, "the message is not signed")
	for d, text := range map[time.Duration]string{time.Hour: "1h0m0s ahead of", -time.Hour: "1h0m0s behind"} {
		off := security(t, Credentials{Keys: keysFile(t, "a "+keyA)}, "a")
		off.now = func() time.Time { return time.Now().Add(d) }
		_, err = say(off.Client(HostName), url)
		wantError(t, "a clock an hour off", err, text)
		wantError(t, "a clock an hour off", err, "want 30s at most")
	}

	// A message that is taken from the wire: again, to another path, to another process, with
	// another body or in an altered answer.
	var caught *http.Request
	var body []byte
	c := a.Client(HostName)
	c.Transport.(*signer).next = tap(func(r *http.Request) (*http.Response, error) {
		caught = r.Clone(context.Background())
		body, _ = io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(body))
		return http.DefaultTransport.RoundTrip(r)
	})
	if _, err := say(c, url); err != nil {
		t.Fatal(err)
	}
	replay := func(to string, body []byte, change func(h http.Header)) string {
		r, _ := http.NewRequest("POST", to, bytes.NewReader(body))
		r.Header = caught.Header.Clone()
		if change != nil {
			change(r.Header)
		}
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			return err.Error()
		}
		defer resp.Body.Close()
		text, _ := io.ReadAll(resp.Body)
		return fmt.Sprint(resp.StatusCode, " ", string(text))
	}
	for i, c := range []struct {
		got, want string
	}{
		{replay(url+"/x", body, nil), "401 {\"error\":\"the message came before"},
		{replay(url+"/y", body, nil), "401 {\"error\":\"the signature does not fit"},
		{replay(at+"/x", body, nil), "401 {\"error\":\"the signature does not fit"},
		{replay(url+"/x", append(body, ' '), nil), "401 {\"error\":\"the signature does not fit"},
		{replay(url+"/x", body, func(h http.Header) { h.Set(nonceHeader, "other") }), "401 {\"error\":\"the signature does not fit"},
		{replay(url+"/x", body, func(h http.Header) { h.Set(fromHeader, "host") }), "401 {\"error\":\"the signature does not fit"},
		{replay(url+"/x", body, func(h http.Header) { h.Set(timeHeader, "soon") }), "401 {\"error\":\"the headers"},
		{replay(url+"/x", body, func(h http.Header) { h.Set(macHeader, "zz") }), "401 {\"error\":\"the signature does not fit"},
	} {
		if !strings.HasPrefix(c.got, c.want) {
			t.Errorf("case %d: %s; want %s", i, c.got, c.want)
		}
	}
	c.Transport.(*signer).next = tap(func(r *http.Request) (*http.Response, error) {
		resp, err := http.DefaultTransport.RoundTrip(r)
		if err == nil {
			resp.Body.Close()
			resp.Body = io.NopCloser(strings.NewReader(`{"peer":"forged"}`))
		}
		return resp, err
	})
	_, err = say(c, url)
	wantError(t, "an altered answer", err, "the answer is not signed with the key")

	// A process that has just begun does not know what came before.
	again := security(t, keys, HostName)
	again.since = time.Now().Add(time.Second)
	_, err = say(a.Client(HostName), serve(t, again))
	wantError(t, "from before the start", err, "from before the start")
}

// An order that an earlier process has accepted is refused by the next one, also if the clock of
// its sender was ahead; a clock that is behind is not refused after a start.
func TestOrdersOnce(t *testing.T) {
	keys := Credentials{Keys: keysFile(t, "a "+keyA, "admin "+keyAdmin)}
	for _, off := range []time.Duration{-25 * time.Second, 0, 25 * time.Second} {
		for _, c := range []struct{ self, from string }{{HostName, AdminName}, {"a", AdminName}, {"a", "a"}} {
			var accepted []string
			newest := map[string]int64{}
			start := func() *Security {
				s := security(t, keys, c.self)
				s.Resume(newest)
				s.Accept = func(name string, sent int64) error {
					accepted = append(accepted, name)
					newest[name] = max(newest[name], sent)
					return nil
				}
				return s
			}
			sender := security(t, keys, c.from)
			sender.now = func() time.Time { return time.Now().Add(off) }
			var caught *http.Request
			client := sender.Client(c.self)
			signs := client.Transport.(*signer)
			signs.key = c.from
			next := signs.next
			signs.next = tap(func(r *http.Request) (*http.Response, error) {
				caught = r.Clone(context.Background())
				body, _ := io.ReadAll(r.Body)
				r.Body = io.NopCloser(bytes.NewReader(body))
				caught.Body = io.NopCloser(bytes.NewReader(body))
				return next.RoundTrip(r)
			})
			if _, err := say(client, serve(t, start())); err != nil {
				t.Fatalf("%+v, %v off: %v", c, off, err)
			}
			again := serve(t, start()) // the process was killed and has begun again
			r, _ := http.NewRequest("POST", again+"/x", caught.Body)
			r.Header = caught.Header.Clone()
			resp, err := http.DefaultClient.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			text, _ := io.ReadAll(resp.Body)
			resp.Body.Close()
			if resp.StatusCode != http.StatusUnauthorized || !strings.Contains(string(text), "the order is not newer") || len(accepted) != 1 {
				t.Errorf("%+v, %v off: %d %s, accepted %q", c, off, resp.StatusCode, text, accepted)
			}
			if _, err := say(client, again); err != nil || len(accepted) != 2 {
				t.Errorf("%+v, %v off: a new one: %v, accepted %q", c, off, err, accepted)
			}
		}
	}
}

// A name is checked when it is dialled: none stands for an address that only this machine has.
func TestDial(t *testing.T) {
	keyed := security(t, Credentials{Keys: keysFile(t, "a "+keyA)}, HostName)
	for _, address := range []string{"169.254.169.254:80", "[fe80::1%25lo]:80", "0.0.0.0:80", "224.0.0.1:80", "[fd00:ec2::254]:80", "[::ffff:169.254.169.254]:80"} {
		_, err := keyed.dial(t.Context(), "tcp", strings.ReplaceAll(address, "%25", "%"))
		wantError(t, address, err, "is not the address of a machine")
	}
	_, err := security(t, Credentials{}, HostName).dial(t.Context(), "tcp", "192.0.2.1:80")
	wantError(t, "no credentials", err, "is not a loopback address")
	if c := keyed.Client("a").Transport.(*signer).next.(shortAnswers).next.(*http.Transport); c.DialContext == nil || c.Proxy != nil {
		t.Error("a client dials by itself")
	}
}

type tap func(*http.Request) (*http.Response, error)

func (f tap) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// Without credentials there are only loopback addresses; nobody follows a redirect.
func TestOpenMode(t *testing.T) {
	s := security(t, Credentials{}, HostName)
	for _, address := range []string{"0.0.0.0:0", ":0"} {
		_, _, err := s.Listen(address)
		wantError(t, address, err, "can be reached from other machines")
	}
	if _, err := say(s.Client("a"), serve(t, s)); err != nil {
		t.Error(err)
	}
	for _, url := range []string{"http://192.0.2.1:80", "https://127.0.0.1:1", "http://", "http://u@127.0.0.1:1", "http://127.0.0.1:1/x",
		"http://127.0.0.1:1?q", "file:///x", "http://0.0.0.0:1", "http://169.254.169.254"} {
		if s.CheckURL(url) == nil {
			t.Errorf("%s is taken", url)
		}
	}
	if err := s.CheckURL("http://127.0.0.1:1"); err != nil {
		t.Error(err)
	}
	keyed := security(t, Credentials{Keys: keysFile(t, "a "+keyA)}, HostName)
	if keyed.CheckURL("http://192.0.2.1:80") != nil || keyed.CheckURL("http://169.254.169.254") == nil {
		t.Error("addresses with credentials")
	}
	to := serve(t, s)
	short := security(t, Credentials{}, HostName)
	short.Answers = 5
	if _, err := say(short.Client("a"), to); err == nil || !strings.Contains(err.Error(), "too large") {
		t.Errorf("a long answer: %v", err)
	}
	redirect := httptest.NewServer(http.RedirectHandler(to+"/x", http.StatusTemporaryRedirect))
	defer redirect.Close()
	_, err := say(s.Client("a"), redirect.URL)
	wantError(t, "a redirect", err, "which is not followed")
}

// What is not printable is replaced, and what is long is cut.
func TestPrintable(t *testing.T) {
	for _, c := range [][2]string{
		{"a b", "a b"}, {"a\x1b[31mb\r\n", "a?[31mb??"}, {"\u202e\xff", "??"}, {"äß", "äß"}, {"abcdefghijkl", "abcdefghij..."},
	} {
		if got := Printable(c[0], 10); got != c[1] {
			t.Errorf("%q: %q, want %q", c[0], got, c[1])
		}
	}
}
