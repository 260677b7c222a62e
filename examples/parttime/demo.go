package main

import (
	"bufio"
	"context"
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
	s := &stage{ctx: ctx, w: stdout, clock: newClock(time.Now(), o.minute, 0), minute: o.minute, dir: dir, http: &http.Client{Timeout: exchangehttp.Timeout}}
	defer s.clear()
	say := s.say
	say("", "Eight nodes, two partitions with equal shares; notices each minute, 3 minutes of grace.")
	say("", "A minute takes %v here. Jobs take 4 to 12 minutes.", o.minute)

	host, err := s.start("host", "host", "-nodes", "8", "-grace", "3m")
	if err != nil {
		return err
	}
	htc, err := s.start("htc", "client", "-host", host.url, "-name", "htc", "-add", "8", "-job", "8m")
	if err != nil {
		return err
	}
	if err := s.until(func(st status) bool { return held(st, "htc") == 8 }); err != nil {
		return err
	}
	s.wait(6)
	say("", "The second partition comes, and asks for four nodes. They are those whose jobs began last.")
	hpc, err := s.start("hpc", "client", "-host", host.url, "-name", "hpc", "-add", "4", "-job", "8m")
	if err != nil {
		return err
	}
	if err := s.until(func(st status) bool { return ending(st) > 0 || held(st, "hpc") > 0 }); err != nil {
		return err
	}
	s.wait(0.5)
	say("", "The client that is to free them is killed (-9), and comes back a minute later from its state.")
	htc.kill()
	s.wait(1)
	if htc, err = s.start("htc", htc.args...); err != nil {
		return err
	}
	say("", "So is the host, for half a minute.")
	host.kill()
	s.wait(0.5)
	address := strings.TrimPrefix(host.url, "http://")
	if host, err = s.start("host", append(host.args, "-listen", address)...); err != nil {
		return err
	}
	if err := s.until(func(st status) bool { return held(st, "hpc") == 4 && held(st, "htc") == 4 && ending(st) == 0 }); err != nil {
		return err
	}
	s.wait(0.5)
	var last status
	if err := exchangehttp.Get(ctx, s.http, host.url+"/Status", &last); err != nil {
		return err
	}
	for _, p := range []*process{htc, hpc, host} {
		if err := p.stop(); err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
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
	said      sync.WaitGroup // its standard error is read
	ended     bool
}

// start starts the program with arguments and waits until it listens.
func (s *stage) start(name string, args ...string) (*process, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	p := &process{name: name, args: args}
	full := append(append([]string{}, args...), "-minute", s.minute.String(), "-state", filepath.Join(s.dir, name+".json"))
	p.cmd = exec.Command(program, full...)
	p.cmd.Env = append(os.Environ(), tied+"=1")
	if p.stdin, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	errs, err := p.cmd.StderrPipe()
	if err != nil {
		return nil, err
	}
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
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

// stop asks a process to end.
func (p *process) stop() error {
	if p.ended {
		return nil
	}
	if err := p.cmd.Process.Signal(os.Interrupt); err != nil {
		p.kill() // where there is no such signal
		return nil
	}
	t := time.AfterFunc(2*exchangehttp.Timeout, func() { p.cmd.Process.Kill() })
	defer t.Stop()
	p.said.Wait()
	p.ended = true
	return p.cmd.Wait()
}

// clear ends what still runs.
func (s *stage) clear() {
	for _, p := range s.all {
		p.kill()
	}
}
