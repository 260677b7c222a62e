package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/clock"
	"github.com/plimsoll/plimsoll/examples/internal/exchangehttp"
)

// tied is set in the environment of processes that tests start: they end when their standard
// input does, and so with the test, however that comes.
const tied = "PARTTIME_TIED"

func held(s status, name string) (n int) {
	for _, x := range s.Nodes {
		if x.Partition == name {
			n++
		}
	}
	return n
}

// stage runs processes and writes what they say.
type stage struct {
	ctx    context.Context
	clock  *clock.Clock
	minute time.Duration
	dir    string
	http   *http.Client
	host   string
	all    []*process

	mu sync.Mutex
	w  io.Writer
}

func newStage(ctx context.Context, minute time.Duration, dir string, w io.Writer) *stage {
	return &stage{ctx: ctx, clock: newClock(time.Now(), minute, 0), minute: minute, dir: dir, w: w,
		http: &http.Client{Timeout: exchangehttp.Timeout}}
}

// say writes a line of a process.
func (s *stage) say(who, format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	fmt.Fprintf(s.w, "%6.1f min  %-4s  %s\n", s.clock.Now().Minutes(), who, fmt.Sprintf(format, args...))
}

// wait lets minutes pass.
func (s *stage) wait(minutes float64) {
	sleep(s.ctx, time.Duration(minutes*float64(s.minute)))
}

// until waits for the host's status to be as wanted.
func (s *stage) until(ok func(status) bool) error {
	for {
		var st status
		if exchangehttp.Get(s.ctx, s.http, s.host+"/Status", &st) == nil && ok(st) {
			return nil
		}
		sleep(s.ctx, 10*time.Millisecond)
		if s.ctx.Err() != nil {
			return fmt.Errorf("the processes do not come to this state: %w", context.Cause(s.ctx))
		}
	}
}

// process is one of ours.
type process struct {
	name, url string
	args      []string
	cmd       *exec.Cmd
	stdin     io.Closer
	said      sync.WaitGroup // its standard error is read
	ended     bool
}

// start starts the program with arguments and waits until it listens.
func (s *stage) start(name string, args ...string) (*process, error) {
	p := &process{name: name, args: args}
	full := append(append([]string{}, args...), "-minute", s.minute.String(), "-state", filepath.Join(s.dir, name+".json"))
	p.cmd = exec.Command(os.Args[0], full...)
	p.cmd.Env = append(os.Environ(), tied+"=1")
	stdin, err1 := p.cmd.StdinPipe()
	out, err2 := p.cmd.StdoutPipe()
	errs, err3 := p.cmd.StderrPipe()
	if err := errors.Join(err1, err2, err3, p.cmd.Start()); err != nil {
		return nil, err
	}
	p.stdin = stdin
	s.all = append(s.all, p)
	p.said.Add(2)
	var text []string
	go func() {
		defer p.said.Done()
		for lines := bufio.NewScanner(errs); lines.Scan(); {
			line := lines.Text()
			text = append(text, line)
			if len(line) > stamp {
				s.say(name, "%s", line[stamp:])
			}
		}
	}()
	lines := bufio.NewScanner(out)
	if lines.Scan() {
		p.url = strings.TrimPrefix(lines.Text(), "listening on ")
	}
	go func() {
		defer p.said.Done()
		io.Copy(io.Discard, out)
	}()
	if p.url == "" {
		p.said.Wait()
		p.ended = true
		return nil, fmt.Errorf("%s does not start: %v, %s", name, p.cmd.Wait(), strings.Join(text, "; "))
	}
	if name == "host" {
		s.host = p.url
	}
	return p, nil
}

// kill ends a process without a word.
func (p *process) kill() {
	if !p.ended {
		p.cmd.Process.Kill()
		p.said.Wait()
		p.cmd.Wait()
		p.ended = true
	}
}

// stop asks a process to end, and kills one that does not.
func (p *process) stop() error {
	if p.ended {
		return nil
	}
	if err := p.cmd.Process.Signal(os.Interrupt); err != nil {
		p.kill() // where there is no such signal
		return nil
	}
	t := time.AfterFunc(time.Minute, func() { p.cmd.Process.Kill() })
	defer t.Stop()
	p.said.Wait()
	p.ended = true
	if err := p.cmd.Wait(); err != nil {
		return fmt.Errorf("%s: %w", p.name, err)
	}
	return nil
}

// clear ends what still runs.
func (s *stage) clear() {
	for _, p := range s.all {
		p.kill()
	}
}
