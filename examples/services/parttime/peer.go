package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/examples/internal/clock"
	"github.com/plimsoll/plimsoll/examples/internal/exchangehttp"
	"github.com/plimsoll/plimsoll/examples/internal/statelog"
	"github.com/plimsoll/plimsoll/preempt/exchange"
)

// A step is one step of a manager or an elastic client at a time. The messages belong to
// the manager or client.
type step = func(now time.Duration) ([]exchange.Message, error)

// A peer is what a host and a client have in common: a clock, a journal, and a state on
// disk.
type peer struct {
	ctx    context.Context
	stop   context.CancelFunc
	fatal  chan error // the reason to end
	log    *journal
	clock  *clock.Clock
	secure *exchangehttp.Security
	wake   chan struct{}                 // the time of the next tick may have changed
	again  bool                          // the state is an earlier process's
	disk   *statelog.State               // as it was found
	tell   func(sent []exchange.Message) // writes the changes into the journal

	mu    sync.Mutex
	store *store
	state saved
	extra []byte // terms that the step saves besides,
	undo  func() // and what undoes the rest of the step

	warned time.Time // when the journal was last told that a step is not saved
}

// newPeer loads the state or makes an empty one. The peer ends when ctx does.
func newPeer(ctx context.Context, o options) (*peer, error) {
	secure, err := o.security()
	if err != nil {
		return nil, err
	}
	log, old, disk, err := open(o.state, o.role, o.minute)
	if err != nil {
		return nil, err
	}
	p := &peer{store: newStore(o.state, log), secure: secure, wake: make(chan struct{}, 1), fatal: make(chan error, 1), again: old != nil, disk: disk}
	p.ctx, p.stop = context.WithCancel(ctx)
	p.state = saved{Role: o.role.String(), Origin: time.Now(), Minute: o.minute}
	if p.again {
		p.state = *old
		secure.Resume(old.Taken)
	}
	secure.Accept = func(name string, sent int64) error {
		p.mu.Lock()
		defer p.mu.Unlock()
		return p.store.order(&p.state, takenOrder{name, sent})
	}
	return p, nil
}

// begin saves the state and starts the clock, which has shown last before.
func (p *peer) begin(last time.Duration, stderr io.Writer) error {
	if err := p.store.replace(&p.state); err != nil {
		return cli.Mistakef("%v", err)
	}
	p.clock = newClock(p.state.Origin, p.state.Minute, last)
	p.log = &journal{w: stderr, clock: p.clock}
	if p.again {
		p.log.printf("takes up its work again")
	}
	if p.disk.Torn > 0 {
		p.log.printf("leaves out %d bytes at the end of the log of -state, a change that was not saved whole", p.disk.Torn)
	}
	if p.disk.BadMarks > 0 {
		p.log.printf("finds a damaged mark in a log of -state, and takes the other one: the disk may be failing")
	}
	if p.secure.Open() {
		p.log.printf("has no credentials: takes everybody on this machine for whom they say they are, and listens on loopback addresses only")
	}
	return nil
}

// newClock returns a clock on which a minute takes as long as minute says. The clock goes on
// while the process is down, and never shows less than last.
func newClock(origin time.Time, minute, last time.Duration) *clock.Clock {
	c := clock.New(origin, 60*minute)
	if now := c.Now(); now < last {
		c = clock.New(origin.Add(-c.Unscaled(last-now)-time.Nanosecond), 60*minute)
	}
	return c
}

// fail ends the peer.
func (p *peer) fail(err error) {
	offer(p.fatal, err)
	p.stop()
}

// offer sends x unless the channel is full.
func offer[T any](to chan T, x T) bool {
	select {
	case to <- x:
		return true
	default:
		return false
	}
}

// A player is a host or a client.
type player interface {
	base() *peer
	mux() *http.ServeMux
	limit() int64    // bytes of a message
	work(url string) // until the peer ends
}

// play runs a host or a client until ctx is done. A process that cannot listen, or whose
// state is another process's, changes nothing.
func play[P player](ctx context.Context, o options, stdout, stderr io.Writer, begin func(context.Context, options, io.Writer) (P, error)) error {
	secure, err := o.security()
	if err != nil {
		return err
	}
	if o.role == clientRole {
		if err := secure.CheckURL(o.host); err != nil {
			return cli.Mistakef("-host %v", err)
		}
	}
	l, url, err := secure.Listen(o.listen)
	if err != nil {
		return err
	}
	defer l.Close()
	o.secure = secure
	x, err := begin(ctx, o, stderr)
	if err != nil {
		return err
	}
	p := x.base()
	defer p.store.close()
	defer p.stop()
	if _, err := fmt.Fprintf(stdout, "listening on %s\n", url); err != nil {
		return err
	}
	var group sync.WaitGroup
	group.Go(func() { x.work(url) })
	err = exchangehttp.Serve(p.ctx, l, p.secure.Handler(x.limit, x.mux()), func(line string) { p.log.printf("a connection fails: %s", line) })
	p.stop()
	group.Wait()
	select {
	case f := <-p.fatal:
		err = errors.Join(err, f)
	default:
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	pos, e := p.store.save(&p.state, nil)
	return errors.Join(err, e, p.store.sync(pos))
}

// change takes a step and delivers its messages. What the step changes is on disk before
// a message about it is delivered. A step that is whole is saved even without a message,
// and is undone if it cannot be saved, so that it can be asked for again.
func (p *peer) change(whole bool, take step, deliver func(exchange.Message)) error {
	msgs, pos, err := p.apply(whole, take)
	if err == nil {
		err = p.store.sync(pos)
		if err != nil {
			p.mu.Lock()
			p.store.broken = err
			p.unsaved(err)
			p.mu.Unlock()
		}
	}
	offer(p.wake, struct{}{})
	if err != nil {
		return err
	}
	for _, m := range msgs {
		deliver(m)
	}
	return nil
}

// apply takes a step and writes what it changes.
func (p *peer) apply(whole bool, take step) (out []exchange.Message, pos int64, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	var before *exchange.Manager
	if whole && p.state.Manager != nil {
		before = p.state.Manager.Clone()
	}
	msgs, err := take(p.clock.Now())
	if err != nil {
		return nil, 0, err
	}
	p.tell(msgs)
	for _, m := range msgs {
		out = append(out, m.Clone())
	}
	if len(msgs) == 0 && !whole {
		return nil, 0, nil
	}
	extra := p.extra
	defer func() { p.extra, p.undo = nil, nil }()
	if pos, err = p.store.save(&p.state, extra); err != nil {
		p.unsaved(err)
		if before != nil {
			p.store.broken = err // the next state is saved whole
			*p.state.Manager = *before
			if p.undo != nil {
				p.undo()
			}
		}
		return nil, 0, err
	}
	return out, pos, nil
}

// unsaved writes into the journal that a step is not on disk, once in a second at most: the
// journal may be on the same disk. The caller has the lock of the state.
func (p *peer) unsaved(err error) {
	if now := time.Now(); now.Sub(p.warned) >= time.Second {
		p.warned = now
		p.log.printf("%v; nothing is sent", err)
	}
}

// tick calls step at each time that next returns, until ctx is done.
func (p *peer) tick(ctx context.Context, next func() (time.Duration, bool), step func()) {
	for ctx.Err() == nil {
		wait := time.Hour
		p.mu.Lock()
		if at, ok := next(); ok {
			wait = max(0, min(wait, p.clock.Unscaled(at-p.clock.Now())))
		}
		p.mu.Unlock()
		t := time.NewTimer(wait)
		select {
		case <-ctx.Done():
		case <-p.wake:
		case <-t.C:
			step()
		}
		t.Stop()
	}
}

func sleep(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
	case <-t.C:
	}
}

// journal writes what happens, a line each, with the time in minutes. What comes from
// outside cannot end a line or change a terminal: characters that are not printable are
// replaced.
type journal struct {
	mu    sync.Mutex
	w     io.Writer
	clock *clock.Clock
}

// stamp is how many bytes of a line are the time.
const stamp = 12

func (j *journal) printf(format string, args ...any) {
	j.mu.Lock()
	defer j.mu.Unlock()
	fmt.Fprintf(j.w, "%*.2f  %s\n", stamp-2, j.clock.Now().Minutes(), exchangehttp.Printable(fmt.Sprintf(format, args...), 4000))
}

// sentences are about nodes: {} in a text stands for all its nodes.
type sentences struct {
	texts []string
	nodes [][]int
}

func (s *sentences) add(node int, format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	i := slices.Index(s.texts, text)
	if i < 0 {
		i = len(s.texts)
		s.texts, s.nodes = append(s.texts, text), append(s.nodes, nil)
	}
	s.nodes[i] = append(s.nodes[i], node)
}

func (s *sentences) print(j *journal) {
	for i, text := range s.texts {
		j.printf("%s", strings.Replace(text, "{}", nodeList(s.nodes[i]), 1))
	}
}

// nodeList is "node 3" or "nodes 0-2 and 5".
func nodeList(nodes []int) string {
	slices.Sort(nodes)
	var parts []string
	for i := 0; i < len(nodes); {
		j := i
		for j+1 < len(nodes) && nodes[j+1] == nodes[j]+1 {
			j++
		}
		if j > i+1 {
			parts = append(parts, fmt.Sprintf("%d-%d", nodes[i], nodes[j]))
		} else {
			for k := i; k <= j; k++ {
				parts = append(parts, fmt.Sprint(nodes[k]))
			}
		}
		i = j + 1
	}
	last := len(parts) - 1
	switch {
	case len(nodes) == 1:
		return "node " + parts[0]
	case last == 0:
		return "nodes " + parts[0]
	}
	return "nodes " + strings.Join(parts[:last], ", ") + " and " + parts[last]
}

func nodesText(n int) string {
	if n == 1 {
		return "a node"
	}
	return fmt.Sprintf("%d nodes", n)
}
