package exchangehttp

import (
	"bufio"
	"bytes"
	"context"
	"crypto/hmac"
	crand "crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/url"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
)

// The names of peers that are no partitions.
const (
	HostName  = "host"
	AdminName = "admin" // may use what an administrator needs
)

// Window is by how much the clocks of two peers with a shared key may differ.
const Window = 30 * time.Second

// Credentials are the flags by which a process says who it is and knows who others are:
// certificates, or a file of shared keys, or neither.
type Credentials struct {
	Cert, Key, CA string // files in PEM
	Keys          string // a file: a name and a key on each line
}

// Usage describes the flags of Credentials, as -h prints them.
const Usage = `  -cert FILE        mutual TLS: own certificate, in PEM
  -key FILE         key of -cert
  -ca FILE          certificate of the authority that signs all certificates
  -keys FILE        shared keys, where TLS ends elsewhere
`

// Define defines the flags.
func (c *Credentials) Define(file func(name string, to *string)) {
	file("cert", &c.Cert)
	file("key", &c.Key)
	file("ca", &c.CA)
	file("keys", &c.Keys)
}

// Security is how a process proves who it is and checks who others are. With neither
// certificates nor keys it takes everybody for whom they say they are, and listens on
// loopback addresses only.
type Security struct {
	// Answers is the most bytes of an answer to a [Security.Client]; 0 stands for MaxBody.
	Answers int64
	// Accept, if set, notes that an order with a time is about to be carried out. An order is a
	// message of an administrator, or of a framework to its client: carried out twice, it would
	// count twice. What hosts and clients say to each other may come twice.
	Accept func(name string, sent int64) error

	self  string
	tls   *tls.Certificate
	roots *x509.CertPool
	keys  map[string][]byte
	now   func() time.Time
	since time.Time        // messages from before are refused: the memory of them is lost
	taken map[string]int64 // by key, the newest order that an earlier process has accepted

	mu        sync.Mutex
	seen, old map[string]map[[16]byte]struct{} // MACs of messages by name: since turned, and before
	turned    time.Time
}

// Resume says which orders an earlier process of this state has accepted: by key, the time of
// the newest. Those and earlier ones are refused. So no order counts twice, even if the clock of
// its sender is ahead of the clock here; and a clock that is behind costs nothing.
func (s *Security) Resume(taken map[string]int64) {
	s.since, s.taken = time.Time{}, maps.Clone(taken)
}

// NewSecurity reads the credentials of a process whose name is self. The error is the user's
// mistake.
func NewSecurity(c Credentials, self string) (*Security, error) {
	s := &Security{self: self, now: time.Now, since: time.Now(), seen: map[string]map[[16]byte]struct{}{}}
	files := 0
	for _, f := range []string{c.Cert, c.Key, c.CA} {
		if f != "" {
			files++
		}
	}
	switch {
	case files > 0 && c.Keys != "":
		return nil, cli.Mistakef("-keys and -cert: want certificates or keys, not both")
	case files != 0 && files != 3:
		return nil, cli.Mistakef("-cert, -key and -ca belong together: want all three")
	case files == 3:
		return s, s.loadTLS(c)
	case c.Keys != "":
		return s, s.loadKeys(c.Keys)
	}
	return s, nil
}

// Open reports whether there are no credentials.
func (s *Security) Open() bool { return s.tls == nil && s.keys == nil }

func (s *Security) loadTLS(c Credentials) error {
	if f, err := os.Stat(c.Key); err == nil && runtime.GOOS != "windows" && f.Mode().Perm()&0o077 != 0 {
		return cli.Mistakef("-key %s can be read by others: want mode 0600", c.Key)
	}
	pair, err := tls.LoadX509KeyPair(c.Cert, c.Key)
	if err != nil {
		return cli.Mistakef("cannot use -cert %s with -key %s: %v", c.Cert, c.Key, pathless(err))
	}
	text, err := os.ReadFile(c.CA)
	if err != nil {
		return cli.Mistakef("cannot read -ca %s: %v", c.CA, pathless(err))
	}
	s.roots = x509.NewCertPool()
	if !s.roots.AppendCertsFromPEM(text) {
		return cli.Mistakef("-ca %s has no certificate in PEM", c.CA)
	}
	s.tls = &pair
	leaf, err := s.check(pair.Leaf, pair.Certificate[1:], x509.ExtKeyUsageAny)
	if err != nil {
		return cli.Mistakef("-cert %s: %v", c.Cert, err)
	}
	if leaf != s.self {
		return cli.Mistakef("-cert %s is for %q: want one whose common name is %q", c.Cert, leaf, s.self)
	}
	return nil
}

// pathless removes what the sentence around the error says already.
func pathless(err error) error {
	var p *os.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}

// check verifies a certificate and returns its name. The error is one sentence.
func (s *Security) check(leaf *x509.Certificate, chain [][]byte, usage x509.ExtKeyUsage) (string, error) {
	between := x509.NewCertPool()
	for _, der := range chain {
		if c, err := x509.ParseCertificate(der); err == nil {
			between.AddCert(c)
		}
	}
	now := s.now()
	name := Printable(leaf.Subject.CommonName, 100)
	_, err := leaf.Verify(x509.VerifyOptions{Roots: s.roots, Intermediates: between, CurrentTime: now, KeyUsages: []x509.ExtKeyUsage{usage}})
	var invalid x509.CertificateInvalidError
	var unknown x509.UnknownAuthorityError
	const layout = "2006-01-02 15:04:05 MST"
	switch {
	case err == nil:
	case now.After(leaf.NotAfter):
		return "", fmt.Errorf("the certificate of %q expired at %s, and the clock of this machine shows %s: want a new certificate, or a clock that is right",
			name, leaf.NotAfter.Format(layout), now.UTC().Format(layout))
	case now.Before(leaf.NotBefore):
		return "", fmt.Errorf("the certificate of %q is valid from %s, and the clock of this machine shows %s: want a clock that is right",
			name, leaf.NotBefore.Format(layout), now.UTC().Format(layout))
	case errors.As(err, &unknown):
		return "", fmt.Errorf("the certificate of %q is not signed by the authority of -ca", name)
	case errors.As(err, &invalid):
		return "", fmt.Errorf("the certificate of %q cannot be used: %v", name, invalid)
	default:
		return "", fmt.Errorf("the certificate of %q cannot be used: %v", name, err)
	}
	if err := CheckName(leaf.Subject.CommonName); err != nil {
		return "", fmt.Errorf("the common name of the certificate: %v", err)
	}
	return leaf.Subject.CommonName, nil
}

func (s *Security) loadKeys(file string) error {
	f, err := os.Open(file)
	if err != nil {
		return cli.Mistakef("cannot read -keys %s: %v", file, pathless(err))
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.Mode().Perm()&0o077 != 0 {
		return cli.Mistakef("-keys %s can be read by others: want mode 0600", file)
	}
	s.keys = map[string][]byte{}
	lines := bufio.NewScanner(f)
	for n := 1; lines.Scan(); n++ {
		text := strings.TrimSpace(lines.Text())
		if text == "" || strings.HasPrefix(text, "#") {
			continue
		}
		at := strings.LastIndexAny(text, " \t")
		if at < 0 || len(text)-at-1 < 32 {
			return cli.Mistakef("-keys %s: line %d: want a name and a key of 32 characters or more", file, n)
		}
		name := strings.TrimSpace(text[:at])
		if err := CheckName(name); err != nil {
			return cli.Mistakef("-keys %s: line %d: %v", file, n, err)
		}
		if s.keys[name] != nil {
			return cli.Mistakef("-keys %s: line %d: %q is there twice: want one key for each name", file, n, name)
		}
		s.keys[name] = []byte(text[at+1:])
	}
	if err := lines.Err(); err != nil {
		return cli.Mistakef("cannot read -keys %s: %v", file, err)
	}
	if s.self != HostName && s.keys[s.self] == nil {
		return cli.Mistakef("-keys %s has no key of %q: want a line with the name and the key", file, s.self)
	}
	if len(s.keys) == 0 {
		return cli.Mistakef("-keys %s is empty: want a name and a key on each line", file)
	}
	return nil
}

// Listen opens the address of -listen. Without credentials it must be a loopback address.
// The error is the user's mistake.
func (s *Security) Listen(address string) (l net.Listener, url string, err error) {
	l, err = net.Listen("tcp", address)
	if err != nil {
		var op *net.OpError
		if errors.As(err, &op) {
			err = op.Err
		}
		return nil, "", cli.Mistakef("cannot listen on -listen %s: %v", address, err)
	}
	if a, ok := l.Addr().(*net.TCPAddr); s.Open() && (!ok || !a.IP.IsLoopback()) {
		l.Close()
		return nil, "", cli.Mistakef("-listen %s can be reached from other machines: want -cert, -key and -ca, or -keys, or a loopback address such as 127.0.0.1:8080", address)
	}
	url = "http://" + l.Addr().String()
	if s.tls != nil {
		url = "https://" + l.Addr().String()
		l = tls.NewListener(l, &tls.Config{
			MinVersion:   tls.VersionTLS13,
			Certificates: []tls.Certificate{*s.tls},
			ClientAuth:   tls.RequireAnyClientCert,
			VerifyConnection: func(c tls.ConnectionState) error {
				_, err := s.peer(c, x509.ExtKeyUsageClientAuth)
				return err
			},
		})
	}
	return l, url, nil
}

// peer returns the name of the other end of a connection.
func (s *Security) peer(c tls.ConnectionState, usage x509.ExtKeyUsage) (string, error) {
	if len(c.PeerCertificates) == 0 {
		return "", errors.New("the peer has no certificate")
	}
	var chain [][]byte
	for _, x := range c.PeerCertificates[1:] {
		chain = append(chain, x.Raw)
	}
	return s.check(c.PeerCertificates[0], chain, usage)
}

// CheckURL says what is wrong with the address of a peer for these credentials.
func (s *Security) CheckURL(text string) error {
	scheme := "http"
	if s.tls != nil {
		scheme = "https"
	}
	u, err := url.Parse(text)
	if err != nil || u.Scheme != scheme && !(s.keys != nil && u.Scheme == "https") || u.Hostname() == "" || u.User != nil || u.Path != "" && u.Path != "/" ||
		u.RawQuery != "" || u.Fragment != "" || len(text) > 300 {
		return fmt.Errorf("%s: want an address such as %s://127.0.0.1:8081", Printable(strconv.Quote(text), 320), scheme)
	}
	ip := net.ParseIP(u.Hostname())
	switch {
	case s.Open() && u.Hostname() != "localhost" && (ip == nil || !ip.IsLoopback()):
		return fmt.Errorf("%q: want a loopback address, since there are no credentials", text)
	case ip != nil && s.checkIP(ip) != nil:
		return fmt.Errorf("%q: want the address of a machine", text)
	}
	return nil
}

// checkIP says why no peer can be at an address, whatever name it has.
func (s *Security) checkIP(ip net.IP) error {
	switch {
	case ip.IsUnspecified() || ip.IsMulticast() || ip.IsLinkLocalUnicast() || ip.Equal(cloudMetadata):
		return fmt.Errorf("%v is not the address of a machine", ip)
	case s.Open() && !ip.IsLoopback():
		return fmt.Errorf("%v is not a loopback address, and there are no credentials", ip)
	}
	return nil
}

// cloudMetadata is where EC2 has an instance's secrets, beside 169.254.169.254.
var cloudMetadata = net.ParseIP("fd00:ec2::254")

// dial connects to a peer. What a name stands for is known only here.
func (s *Security) dial(ctx context.Context, network, address string) (net.Conn, error) {
	d := net.Dialer{Timeout: Timeout, Control: func(_, address string, _ syscall.RawConn) error {
		host, _, err := net.SplitHostPort(address)
		if err != nil {
			return err
		}
		host, _, _ = strings.Cut(host, "%") // a zone
		ip := net.ParseIP(host)
		if ip == nil {
			return fmt.Errorf("%s is no address", address)
		}
		return s.checkIP(ip)
	}}
	return d.DialContext(ctx, network, address)
}

// Client returns a client that talks to the peer with a name, and to no other. It follows
// no redirects. With shared keys, messages are signed with the key of a partition: the
// peer's if this process is the host, otherwise its own.
func (s *Security) Client(peer string) *http.Client {
	t := &http.Transport{
		DialContext:            s.dial,
		MaxIdleConnsPerHost:    2,
		IdleConnTimeout:        time.Minute,
		TLSHandshakeTimeout:    Timeout,
		MaxResponseHeaderBytes: 1 << 14,
	}
	short := shortAnswers{t, MaxBody}
	if s.Answers > 0 {
		short.most = s.Answers
	}
	var rt http.RoundTripper = short
	if s.tls != nil {
		t.TLSClientConfig = &tls.Config{
			MinVersion:         tls.VersionTLS13,
			Certificates:       []tls.Certificate{*s.tls},
			InsecureSkipVerify: true, // VerifyConnection checks the chain, and the name of the peer instead of its address
			VerifyConnection: func(c tls.ConnectionState) error {
				name, err := s.peer(c, x509.ExtKeyUsageServerAuth)
				if err == nil && name != peer {
					err = fmt.Errorf("there is %q: want %q", name, peer)
				}
				return err
			},
		}
		rt = plain{short}
	} else if s.keys != nil {
		key := s.self
		if s.self == HostName {
			key = peer
		}
		rt = &signer{s, short, peer, key}
	}
	return &http.Client{Transport: rt, Timeout: Timeout, CheckRedirect: func(*http.Request, []*http.Request) error {
		return errors.New("the peer answers with a redirect, which is not followed")
	}}
}

// shortAnswers refuses answers of more than a number of bytes.
type shortAnswers struct {
	next http.RoundTripper
	most int64
}

func (t shortAnswers) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := t.next.RoundTrip(r)
	if err == nil {
		resp.Body = http.MaxBytesReader(nil, resp.Body, t.most)
	}
	return resp, err
}

// plain refuses to talk without TLS, which would tell nobody's name, and says in plain words
// why the other end of a TLS connection hangs up.
type plain struct{ http.RoundTripper }

func (p plain) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Scheme != "https" {
		if r.Body != nil {
			r.Body.Close()
		}
		return nil, fmt.Errorf("the address %s://%s has no TLS: want https, since there are certificates", r.URL.Scheme, r.URL.Host)
	}
	resp, err := p.RoundTripper.RoundTrip(r)
	if err != nil {
		var alert tls.AlertError
		if errors.As(err, &alert) || strings.Contains(err.Error(), "remote error: tls:") {
			err = fmt.Errorf("the peer does not accept the certificate of -cert (%v): want one that is valid by the peer's clock and signed by the authority of its -ca", err)
		}
	}
	return resp, err
}

// The headers of a signed message.
const (
	keyHeader   = "Plimsoll-Key"  // whose key: a partition or admin, escaped as in a path
	fromHeader  = "Plimsoll-From" // host, or as Key
	timeHeader  = "Plimsoll-Time" // nanoseconds since 1970
	nonceHeader = "Plimsoll-Nonce"
	macHeader   = "Plimsoll-Mac"
)

// sign returns the keyed hash of a request.
func sign(key []byte, to, from, name, method, path, time, nonce string, body []byte) []byte {
	h := hmac.New(sha256.New, key)
	sum := sha256.Sum256(body)
	fmt.Fprintf(h, "plimsoll 1 request\n%s\n%s\n%s\n%s\n%s\n%s\n%s\n%x\n", to, from, name, method, path, time, nonce, sum)
	return h.Sum(nil)
}

// signAnswer returns the keyed hash of the answer to a request.
func signAnswer(key, request []byte, status int, body []byte) []byte {
	h := hmac.New(sha256.New, key)
	sum := sha256.Sum256(body)
	fmt.Fprintf(h, "plimsoll 1 answer\n%x\n%d\n%x\n", request, status, sum)
	return h.Sum(nil)
}

// signer signs requests and checks the signatures of answers.
type signer struct {
	s         *Security
	next      http.RoundTripper
	peer, key string
}

func (t *signer) RoundTrip(r *http.Request) (*http.Response, error) {
	var body []byte
	if r.Body != nil {
		var err error
		if body, err = io.ReadAll(r.Body); err != nil {
			return nil, err
		}
		r.Body.Close()
	}
	key := t.s.keys[t.key]
	if key == nil {
		return nil, fmt.Errorf("-keys has no key of %q", t.key)
	}
	from := t.key
	if t.s.self == HostName {
		from = HostName
	}
	r = r.Clone(r.Context())
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	if len(body) == 0 {
		r.Body = http.NoBody
	}
	now, nonce := strconv.FormatInt(t.s.now().UnixNano(), 10), crand.Text()
	mac := sign(key, t.peer, from, t.key, r.Method, r.URL.RequestURI(), now, nonce, body)
	for k, v := range map[string]string{keyHeader: url.PathEscape(t.key), fromHeader: url.PathEscape(from), timeHeader: now, nonceHeader: nonce,
		macHeader: hex.EncodeToString(mac)} {
		r.Header.Set(k, v)
	}
	resp, err := t.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(resp.Body, MaxBody+1))
	if err != nil {
		return nil, err
	}
	got, _ := hex.DecodeString(resp.Header.Get(macHeader))
	if !hmac.Equal(got, signAnswer(key, mac, resp.StatusCode, answer)) {
		return nil, fmt.Errorf("the answer is not signed with the key of %q, and says: %s", t.key, Printable(reason(answer, resp.Status), 300))
	}
	resp.Body = io.NopCloser(bytes.NewReader(answer))
	return resp, nil
}

type identity struct{}

// Peer returns the authenticated name of who sent a request. ok is false if there are no
// credentials, and so no names.
func Peer(r *http.Request) (name string, ok bool) {
	name, ok = r.Context().Value(identity{}).(string)
	return name, ok
}

// Handler returns a handler that reads the body of a request, of at most limit() bytes,
// refuses a request that is not authentic or that came before, and calls next for others.
func (s *Security) Handler(limit func() int64, next http.Handler) http.Handler {
	var held Bodies
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		deny := func(err error) {
			Reply(w, Status(err), map[string]string{"error": err.Error()})
		}
		name := ""
		switch {
		case s.tls != nil:
			var err error
			if r.TLS == nil {
				err = errors.New("the connection is not encrypted")
			} else {
				name, err = s.peer(*r.TLS, x509.ExtKeyUsageClientAuth) // a certificate may expire on a connection
			}
			if err != nil {
				deny(Failf(http.StatusUnauthorized, "%v", err))
				return
			}
		case s.keys != nil:
			if err := s.timely(r); err != nil {
				deny(err)
				return
			}
		}
		claimed := name
		if s.keys != nil {
			claimed = r.Header.Get(keyHeader)
		}
		body, release, err := held.Read(w, r, claimed, limit())
		defer release()
		if err != nil {
			deny(err)
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		if s.keys != nil {
			key, mac, from, err := s.verify(r, body)
			if err != nil {
				deny(err)
				return
			}
			name = from
			signed := &signedWriter{ResponseWriter: w, key: key, request: mac}
			defer signed.flush()
			w = signed
		}
		if !s.Open() {
			r = r.WithContext(context.WithValue(r.Context(), identity{}, name))
		}
		next.ServeHTTP(w, r)
	})
}

// timely checks what can be checked before the body is read.
func (s *Security) timely(r *http.Request) error {
	text := r.Header.Get(timeHeader)
	if text == "" || r.Header.Get(macHeader) == "" {
		return Failf(http.StatusUnauthorized, "the message is not signed: want one that is signed with a key of -keys")
	}
	at, err := strconv.ParseInt(text, 10, 64)
	if err != nil || len(r.Header.Get(nonceHeader)) > 64 || len(r.Header.Get(keyHeader)) > 300 {
		return Failf(http.StatusUnauthorized, "the headers of the signature are not what is wanted")
	}
	sent, now := time.Unix(0, at), s.now()
	if d := now.Sub(sent); d > Window || d < -Window {
		ahead := "behind"
		if d < 0 {
			d, ahead = -d, "ahead of"
		}
		return Failf(http.StatusUnauthorized, "the clock of the sender is %v %s the clock here: want %v at most", d.Round(time.Second), ahead, Window)
	}
	if sent.Before(s.since) {
		return Failf(http.StatusUnauthorized, "the message is from before the start of this process: want a new one")
	}
	return nil
}

// mostSeen bounds the messages of a name that are remembered, for two to four windows.
const mostSeen = 1 << 14

// verify checks the signature of a request, and that the request did not come before.
func (s *Security) verify(r *http.Request, body []byte) (key, mac []byte, from string, err error) {
	name, err1 := url.PathUnescape(r.Header.Get(keyHeader))
	from, err2 := url.PathUnescape(r.Header.Get(fromHeader))
	mac, err3 := hex.DecodeString(r.Header.Get(macHeader))
	key = s.keys[name]
	// The host has the keys of all; a partition hears the host and its own framework.
	known := s.self == HostName && from == name || s.self != HostName &&
		(name == s.self && (from == HostName || from == name) || name == AdminName && from == name)
	want := sign(key, s.self, from, name, r.Method, r.URL.RequestURI(), r.Header.Get(timeHeader), r.Header.Get(nonceHeader), body)
	if err1 != nil || err2 != nil || err3 != nil || key == nil || !known || !hmac.Equal(mac, want) {
		return nil, nil, "", Failf(http.StatusUnauthorized, "the signature does not fit the message, the name and the key: want the same key on both sides")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if now := s.now(); now.Sub(s.turned) > 2*Window {
		s.old, s.seen, s.turned = s.seen, map[string]map[[16]byte]struct{}{}, now
	}
	id := [16]byte(mac)
	if _, ok := s.seen[name][id]; ok {
		return nil, nil, "", Failf(http.StatusUnauthorized, "the message came before: want each message once")
	}
	if _, ok := s.old[name][id]; ok {
		return nil, nil, "", Failf(http.StatusUnauthorized, "the message came before: want each message once")
	}
	m := s.seen[name]
	if m == nil {
		m = map[[16]byte]struct{}{}
		s.seen[name] = m
	}
	if len(m) >= mostSeen {
		return nil, nil, "", Failf(http.StatusTooManyRequests, "%d messages in a minute from %q: want fewer", len(m), name)
	}
	if from == AdminName || s.self != HostName && from != HostName {
		sent, err := strconv.ParseInt(r.Header.Get(timeHeader), 10, 64)
		if err != nil || sent <= s.taken[name] {
			return nil, nil, "", Failf(http.StatusUnauthorized, "the order is not newer than one before the start of this process: want a new one")
		}
		if s.Accept != nil {
			if err := s.Accept(name, sent); err != nil {
				return nil, nil, "", err
			}
		}
	}
	m[id] = struct{}{}
	return key, mac, from, nil
}

// signedWriter keeps an answer until it is whole, and signs it.
type signedWriter struct {
	http.ResponseWriter
	key, request []byte
	status       int
	body         []byte
}

func (w *signedWriter) WriteHeader(status int) { w.status = status }

func (w *signedWriter) Write(b []byte) (int, error) {
	w.body = append(w.body, b...)
	return len(b), nil
}

func (w *signedWriter) flush() {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	w.Header().Set(macHeader, hex.EncodeToString(signAnswer(w.key, w.request, w.status, w.body)))
	w.ResponseWriter.WriteHeader(w.status)
	w.ResponseWriter.Write(w.body)
}
