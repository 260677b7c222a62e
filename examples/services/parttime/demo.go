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
	"github.com/plimsoll/plimsoll/examples/internal/table"
)

// demonstrate starts a host and two clients as processes and shows how nodes pass from
// one partition to the other, while each process is killed and started again once.
func demonstrate(ctx context.Context, o options, stdout io.Writer) error {
	err := perform(ctx, o, stdout)
	if ctx.Err() != nil {
		return nil // interrupted
	}
	return err
}

func perform(ctx context.Context, o options, stdout io.Writer) error {
	dir, err := os.MkdirTemp("", "parttime-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	ctx, cancel := context.WithTimeout(ctx, time.Minute+40*o.minute)
	defer cancel()
	s := newStage(ctx, o.minute, dir, stdout)
	defer s.clear()
	say := s.say
	say("", "Eight nodes, two partitions with equal shares; notices each minute, 3 minutes of grace.")
	say("", "A minute takes %v here. Jobs take 4 to 12 minutes.", o.minute)

	var host, htc, hpc *process
	var last status
	begin := func(p **process, name string, args ...string) (err error) {
		*p, err = s.start(name, args...)
		return err
	}
	for _, act := range []func() error{
		func() error { return begin(&host, "host", "host", "-nodes", "8", "-grace", "3m") },
		func() error {
			return begin(&htc, "htc", "client", "-host", host.url, "-name", "htc", "-add", "8", "-job", "8m")
		},
		func() error { return s.until(func(st status) bool { return held(st, "htc") == 8 }) },
		func() error {
			s.wait(6)
			say("", "The second partition comes, and asks for four nodes. They are those whose jobs began last.")
			return begin(&hpc, "hpc", "client", "-host", host.url, "-name", "hpc", "-add", "4", "-job", "8m")
		},
		func() error { return s.until(func(st status) bool { return ending(st) > 0 || held(st, "hpc") > 0 }) },
		func() error {
			s.wait(0.5)
			say("", "The client that is to free them is killed (-9), and comes back a minute later from its state.")
			htc.kill()
			s.wait(1)
			return begin(&htc, "htc", htc.args...)
		},
		func() error {
			say("", "So is the host, for half a minute.")
			host.kill()
			s.wait(0.5)
			return begin(&host, "host", append(host.args, "-listen", strings.TrimPrefix(host.url, "http://"))...)
		},
		func() error { return s.until(func(st status) bool { return held(st, "hpc") == 4 }) },
		func() error {
			s.wait(0.5) // the clients hear of it
			return exchangehttp.Get(ctx, s.http, host.url+"/Status", &last)
		},
		func() error { return errors.Join(htc.stop(), hpc.stop(), host.stop()) },
	} {
		if err := act(); err != nil {
			return err
		}
	}
	var rows [][]string
	for _, n := range last.Nodes {
		rows = append(rows, []string{fmt.Sprint(n.Node), n.Partition, fmt.Sprint(n.Epoch)})
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var page table.Page
	page.Printf("\n")
	page.Table("node|<partition|lease", rows)
	c := last.Counted
	page.Printf("\n%d nodes taken: %d given back within the grace period, %d withdrawn after it, %d fenced off.\n",
		c.Preemptions, c.Completed, c.Withdrawn, c.Fenced)
	_, err = page.WriteTo(stdout)
	return err
}

func held(s status, name string) (n int) {
	for _, x := range s.Nodes {
		if x.Partition == name {
			n++
		}
	}
	return n
}

func ending(s status) (n int) {
	for _, x := range s.Nodes {
		if x.Ends != nil {
			n++
		}
	}
	return n
}

// stage runs processes and writes what they say.
type stage struct {
	ctx      context.Context
	program  string // that is started
	clock    *clock.Clock
	minute   time.Duration
	dir      string
	http     *http.Client
	patience time.Duration // with a process that is to end
	host     string
	all      []*process

	mu sync.Mutex
	w  io.Writer
}

func newStage(ctx context.Context, minute time.Duration, dir string, w io.Writer) *stage {
	program, _ := os.Executable() // where that is not known, start says so
	return &stage{ctx: ctx, program: program, clock: newClock(time.Now(), minute, 0), minute: minute, dir: dir, w: w,
		http: &http.Client{Timeout: exchangehttp.Timeout}, patience: 2 * exchangehttp.Timeout}
}

// say writes a line, of a process or of the demonstration itself.
func (s *stage) say(who, format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if who == "" {
		fmt.Fprintf(s.w, "--- %s\n", fmt.Sprintf(format, args...))
		return
	}
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
			return fmt.Errorf("the demonstration does not come to an end: %w", context.Cause(s.ctx))
		}
	}
}

// process is one of ours.
type process struct {
	name, url string
	args      []string
	cmd       *exec.Cmd
	stdin     io.Closer
	patience  time.Duration
	said      sync.WaitGroup // its standard error is read
	ended     bool
}

// start starts the program with arguments and waits until it listens.
func (s *stage) start(name string, args ...string) (*process, error) {
	p := &process{name: name, args: args, patience: s.patience}
	full := append(append([]string{}, args...), "-minute", s.minute.String(), "-state", filepath.Join(s.dir, name+".json"))
	p.cmd = exec.Command(s.program, full...)
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
	t := time.AfterFunc(p.patience, func() { p.cmd.Process.Kill() })
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
