package exchangehttp

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"
)

// Bodies counts the bytes of bodies that a server holds. A body counts as far as it has come.
// There may be 4 MiB at a time, of all requests, or two bodies of the greatest size. Where
// more come, a body is given up: of the name that holds most, the one that has been under way
// for longest. So many slow bodies in one name do not keep out others.
type Bodies struct {
	mu      sync.Mutex
	held    int64      // without the bodies that were given up
	reading []*reading // in the order of their begin
}

// reading is a body under way.
type reading struct {
	name    string // that the request claims
	counted int64
	gone    bool // given up
	stop    func()
}

// Read reads the body of a request in a name. The caller calls release when the body is done with.
func (b *Bodies) Read(w http.ResponseWriter, r *http.Request, name string, limit int64) (body []byte, release func(), err error) {
	if r.ContentLength > limit {
		return nil, func() {}, Failf(http.StatusRequestEntityTooLarge, "the body is too large; %d bytes are the most", limit)
	}
	control := http.NewResponseController(w)
	me := &reading{name: name, stop: func() { control.SetReadDeadline(time.Unix(1, 0)) }}
	b.mu.Lock()
	b.reading = append(b.reading, me)
	b.mu.Unlock()
	defer b.done(me)
	release = func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		if !me.gone {
			b.held -= me.counted
		}
	}
	for {
		if len(body) == cap(body) {
			grown := make([]byte, len(body), max(512, min(2*cap(body), int(limit)+1)))
			if !b.count(me, int64(cap(grown)-cap(body)), max(4<<20, 2*limit)) {
				return nil, release, Failf(http.StatusServiceUnavailable, "too many large messages at a time: want this one later")
			}
			copy(grown, body)
			body = grown
		}
		n, err := r.Body.Read(body[len(body):cap(body)])
		body = body[:len(body)+n]
		switch {
		case int64(len(body)) > limit:
			return nil, release, Failf(http.StatusRequestEntityTooLarge, "the body is too large; %d bytes are the most", limit)
		case err == io.EOF:
			return body, release, nil
		case err != nil:
			return nil, release, Failf(http.StatusBadRequest, "the body does not come to its end")
		}
	}
}

// count counts the growth of a body. It reports false if the body was given up, or if there
// is no other body to give up.
func (b *Bodies) count(me *reading, n, most int64) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	for !me.gone && b.held+n > most {
		worst := b.worst()
		if worst < 0 || b.reading[worst] == me {
			return false // all others are whole and being answered, or are not worse
		}
		oldest := b.reading[worst]
		b.reading = slices.Delete(b.reading, worst, worst+1)
		b.held -= oldest.counted
		oldest.gone = true
		oldest.stop()
	}
	if me.gone {
		return false
	}
	b.held += n
	me.counted += n
	return true
}

// worst returns the index of the body to give up, -1 if none is under way.
func (b *Bodies) worst() int {
	of := map[string]int64{}
	for _, r := range b.reading {
		of[r.name] += r.counted
	}
	worst := -1
	for i, r := range b.reading {
		if worst < 0 || of[r.name] > of[b.reading[worst].name] {
			worst = i
		}
	}
	return worst
}

// done notes that a body is not under way any more.
func (b *Bodies) done(me *reading) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if i := slices.Index(b.reading, me); i >= 0 {
		b.reading = slices.Delete(b.reading, i, i+1)
	}
}

// checkEntries refuses a message whose lists cost much more memory than their text: no entry
// of a list that makes sense is shorter than 12 bytes.
func checkEntries(body []byte) error {
	n := 0
	for _, b := range body {
		if b == '{' {
			n++
		}
	}
	if n > 8+len(body)/12 {
		return Failf(http.StatusBadRequest, "the body has %d objects in %d bytes: want objects with their fields", n, len(body))
	}
	return nil
}

// Printable returns text in at most n bytes, with each character that is not printable
// replaced by a question mark, for journals and terminals.
func Printable(text string, n int) string {
	if len(text) > n {
		text = text[:n] + "..."
	}
	return strings.Map(func(r rune) rune {
		if r == utf8.RuneError || !unicode.IsPrint(r) {
			return '?'
		}
		return r
	}, text)
}

// CheckName says what is wrong with a name: names are short and printable, since they get
// into journals.
func CheckName(name string) error {
	switch {
	case name == "":
		return errors.New("the name is empty: want a name")
	case len(name) > 100:
		return fmt.Errorf("a name of %d bytes: want 100 at most", len(name))
	case Printable(name, 100) != name:
		return fmt.Errorf("%q: want a name of printable characters", name)
	}
	return nil
}

// maxConns is the most connections of a server. A further connection ends the oldest one
// that has not yet sent a whole request header, or else the one that is idle for longest.
const maxConns = 1024

// conns knows the connections of a server in the order in which they came to their state.
type conns struct {
	mu    sync.Mutex
	next  uint64
	state map[net.Conn]connState
}

type connState struct {
	at   uint64
	idle bool // has had a request
	busy bool
}

// note is the hook of a server: [http.Server].ConnState.
func (c *conns) note(conn net.Conn, state http.ConnState) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.next++
	switch state {
	case http.StateNew:
		if len(c.state) >= maxConns {
			c.drop()
		}
		c.state[conn] = connState{at: c.next}
	case http.StateActive:
		// The first byte of a request has come; the connection keeps its age, so that
		// slow headers do not protect it.
		s := c.state[conn]
		if s.idle {
			s = connState{at: c.next, idle: true, busy: true}
		}
		c.state[conn] = s
	case http.StateIdle:
		c.state[conn] = connState{at: c.next, idle: true}
	default:
		delete(c.state, conn)
	}
}

// drop ends a connection.
func (c *conns) drop() {
	var worst net.Conn
	rank := func(s connState) int {
		switch {
		case s.busy:
			return 2
		case s.idle:
			return 1
		}
		return 0
	}
	for conn, s := range c.state {
		if w := c.state[worst]; worst == nil || rank(s) < rank(w) || rank(s) == rank(w) && s.at < w.at {
			worst = conn
		}
	}
	if worst != nil {
		delete(c.state, worst)
		worst.Close()
	}
}
