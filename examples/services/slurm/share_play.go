//go:build unix

package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/clock"
	"github.com/plimsoll/plimsoll/examples/internal/exchangehttp"
	"github.com/plimsoll/plimsoll/examples/internal/provider"
	"github.com/plimsoll/plimsoll/examples/services/slurm/internal/cluster"
	"github.com/plimsoll/plimsoll/examples/services/slurm/internal/partition"
	"github.com/plimsoll/plimsoll/examples/services/slurm/internal/slurmctl"
)

// shareNames are those of the partitions.
var shareNames = [2]string{"hpc", "htc"}

func splitList(s string) []string { return strings.Split(s, ",") }

// shareScript is what a job does. It works for so many hundredths of a second, in steps, and
// notes when it starts and ends. When it gets USR1 it saves what is left, and a later start
// goes on from there. The time of its file NAME.RESTARTS.beat says how far it came.
const shareScript = `base='%[1]s'
now() { read up rest </proc/uptime; t=${up%%.*}${up#*.}; }
note() { now; echo "$1 $t ${SLURM_RESTART_COUNT:-0} $SLURM_JOB_NODELIST" >>$base.notes; }
left=%[2]d
[ -e $base.left ] && read left <$base.left
ask=
trap 'ask=1' USR1
now
begin=$t
note start
while now; [ $((t-begin)) -lt $left ]; do
	if [ "$ask" ]; then
		ask=
		left=$((left-(t-begin)))
		sleep %.2[3]f
		echo $left >$base.left
		echo >$base.saved
		note saved
		begin=$t
		continue
	fi
	rest=$((left-(t-begin)))
	[ $rest -gt 30 ] && rest=30
	[ $rest -lt 10 ] && rest=0$rest
	sleep .$rest &
	wait $!
	echo >$base.${SLURM_RESTART_COUNT:-0}.beat
done
note end`

// A process is one that share starts, kills and starts again.
type process struct {
	name string
	path string
	args []string
	env  []string
	url  string // that it prints, "" for none
	log  *lines
	mu   sync.Mutex
	cmd  *exec.Cmd
}

// start starts the process. A process with a url prints where it listens.
func (p *process) start(listens bool) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	cmd := exec.Command(p.path, p.args...)
	cmd.Env = append(os.Environ(), p.env...)
	cmd.Stderr = p.log
	cmd.WaitDelay = time.Second
	var out io.Reader
	var err error
	if listens {
		out, err = cmd.StdoutPipe()
	}
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return err
	}
	p.cmd = cmd
	if !listens {
		return nil
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	url, ok := strings.CutPrefix(strings.TrimSpace(line), "listening on ")
	if err == nil && !ok {
		err = errors.New("want where it listens")
	}
	if err != nil {
		return fmt.Errorf("%s says %q: %w: %s", p.name, line, err, p.log.last())
	}
	p.url = url
	return nil
}

// kill ends the process, at once.
func (p *process) kill() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cmd != nil {
		p.cmd.Process.Kill()
		p.cmd.Wait()
		p.cmd = nil
	}
}

// lines keep what a process says.
type lines struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *lines) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

func (l *lines) last() string {
	all := strings.Split(strings.TrimSpace(l.String()), "\n")
	return all[len(all)-1]
}

// A theatre is what a run needs.
type theatre struct {
	*sharing
	dir      string
	clock    *clock.Clock
	clusters []*cluster.Cluster
	slurm    []*slurmctl.Client
	host     *process
	clients  []*process
	agents   []*process
	out      *shared
	owner    []string // of each node, as the ledger had it last
}

// play runs the jobs once: with nodes that move, or with half of them for each cluster.
func (s *sharing) play(ctx context.Context, policy partition.Policy, moves bool) (out *shared, err error) {
	dir, err := os.MkdirTemp("", "plimsoll-share-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	t := &theatre{sharing: s, dir: dir, out: &shared{}}
	defer func() {
		for _, p := range slices.Concat(t.agents, t.clients, []*process{t.host}) {
			if p != nil {
				p.kill()
			}
		}
		for _, c := range t.clusters {
			err = errors.Join(err, c.Close())
		}
	}()
	sides := 2
	if s.o.reclaim > 0 {
		sides = 1
	}
	for side := range sides {
		if err := t.raise(ctx, side, moves); err != nil {
			return nil, err
		}
	}
	if moves {
		if err := t.share(policy); err != nil {
			return nil, err
		}
		s.note("the jobs come; nodes move; policy %v", policy)
	} else {
		s.note("the jobs come again; nodes stay")
	}
	return t.out, t.run(ctx, moves)
}

// raise starts a cluster with the daemons of its nodes: of all, or of its half.
func (t *theatre) raise(ctx context.Context, side int, all bool) error {
	c, err := cluster.Start(ctx, t.o.nodes)
	if err != nil {
		return err
	}
	t.clusters = append(t.clusters, c)
	slurm, err := slurmctl.New(ctx, c.Conf)
	if err != nil {
		return err
	}
	t.slurm = append(t.slurm, slurm)
	dir := filepath.Join(c.Dir, "instances")
	if err := os.Mkdir(dir, 0o700); err != nil {
		return err
	}
	local := &provider.Local{Dir: dir, Command: c.Slurmd, Environment: c.Environment()}
	from, to := 0, t.o.nodes
	if !all {
		from, to = half(t.o.nodes, side)
	}
	for _, n := range c.Names[from:to] {
		if _, err := local.Create(ctx, "host-"+n, n); err != nil {
			return err
		}
	}
	return t.up(ctx, side, to-from)
}

// half returns which nodes a side has in a static split: from one on, and up to another.
func half(nodes, side int) (from, to int) {
	if side == 0 {
		return 0, nodes / 2
	}
	return nodes / 2, nodes
}

// up waits until so many nodes of a side are idle.
func (t *theatre) up(ctx context.Context, side, want int) error {
	for limit := time.Now().Add(time.Minute); ; time.Sleep(100 * time.Millisecond) {
		nodes, err := t.slurm[side].Nodes(ctx)
		if err != nil {
			return err
		}
		up := 0
		for i := range nodes {
			if nodes[i].State == "idle" {
				up++
			}
		}
		switch {
		case up == want:
			return nil
		case time.Now().After(limit):
			return fmt.Errorf("only %d of %d nodes of %s come up", up, want, shareNames[side])
		}
	}
}

// share starts the host, the clients and the agents.
func (t *theatre) share(policy partition.Policy) error {
	minute := t.o.minute.String()
	// The host listens where it did before when it starts again.
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	address := l.Addr().String()
	l.Close()
	env := t.clusters[0].Environment() // so that all end with the cluster, however this program ends
	t.host = &process{name: "host", path: t.o.parttime, env: env, log: &lines{}, args: []string{"host", "-nodes", strconv.Itoa(t.o.nodes), "-grace", t.o.grace.String(),
		"-minute", minute, "-state", filepath.Join(t.dir, "host"), "-listen", address}}
	if err := t.host.start(true); err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	for side, c := range t.clusters {
		name := shareNames[side]
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return err
		}
		address := l.Addr().String()
		l.Close()
		client := &process{name: "client " + name, path: t.o.parttime, env: env, log: &lines{}, args: []string{"client", "-host", t.host.url, "-name", name, "-minute", minute,
			"-state", filepath.Join(t.dir, name), "-listen", address}}
		t.clients = append(t.clients, client)
		if err := client.start(true); err != nil {
			return err
		}
		args := append([]string{"partition", "-conf", c.Conf, "-client", client.url, "-nodes", strings.Join(c.Names, ",")}, t.o.agentFlags(policy)...)
		agent := &process{name: "agent " + name, path: self, args: args, env: c.Environment(), log: &lines{}}
		t.agents = append(t.agents, agent)
		if err := agent.start(false); err != nil {
			return err
		}
	}
	return nil
}

// agentFlags returns how the agents of the partitions decide, as flags of partition.
func (o *shareOptions) agentFlags(policy partition.Policy) []string {
	real := func(d time.Duration) string { return o.real(d).String() }
	args := []string{"-minute", o.minute.String(), "-policy", policy.String(), "-priority", "partition:urgent=10", "-grace", real(o.grace), "-margin", shareMargin.String(), "-poll", "250ms", "-scale",
		"-wait", real(time.Minute), "-idle", real(10 * time.Minute), "-hold", real(10 * time.Minute), "-move", real(5 * time.Minute)}
	if o.reclaim > 0 { // what is measured is what the host takes
		args = append(args, "-take", strconv.Itoa(o.reclaim), "-least", strconv.Itoa(o.nodes), "-wait", "0s")
	}
	return args
}

// limit returns how long jobs may take in all, in real time: twice the log, the longest jobs started again, and some
// seconds each for Slurm.
func (o *shareOptions) limit(jobs int) time.Duration {
	return 2*o.real(o.span) + 4*o.real(o.longest) + time.Duration(jobs)*4*time.Second + 2*time.Minute
}

// run submits the jobs and waits for their ends, while nodes move, processes are killed, and
// the ledger and the clusters are looked at.
func (t *theatre) run(ctx context.Context, moves bool) error {
	run, stop := context.WithCancel(ctx)
	defer stop()
	if moves && t.o.reclaim == 0 { // begins with none, once the agents have looked
		if err := t.drained(ctx); err != nil {
			return err
		}
	}
	if moves && t.o.reclaim > 0 { // begins with all nodes
		if err := t.wait(ctx, time.Minute, func(owner []string) bool { return !slices.Contains(owner, "") }); err != nil {
			return err
		}
	}
	up0, err := uptime()
	if err != nil {
		return err
	}
	began := time.Now()
	t.clock = clock.New(began, 60*t.o.minute)
	jobs := sortedBy(t.jobs)
	var group sync.WaitGroup
	defer group.Wait()
	defer stop()
	failed := make(chan error, 16)
	submitted := make(chan struct{})
	group.Go(func() {
		defer close(submitted)
		for i := range jobs {
			select {
			case <-run.Done():
				return
			case <-time.After(t.clock.Unscaled(jobs[i].Submit - t.clock.Now())):
			}
			if err := t.submit(run, i, &jobs[i]); err != nil && run.Err() == nil {
				failed <- err
				return
			}
		}
	})
	if moves {
		group.Go(func() { t.watch(run) })
		if t.o.kill > 0 {
			group.Go(func() { t.killer(run, failed) })
		}
		if t.o.reclaim > 0 {
			group.Go(func() { t.reclaims(run) })
		}
	}
	limit := time.After(t.o.limit(len(jobs)))
	for done := false; !done; {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case err := <-failed:
			return err
		case <-limit:
			return fmt.Errorf("the jobs do not come to an end in time: %s", t.said())
		case <-time.After(200 * time.Millisecond):
			ended := 0
			for i := range jobs {
				if text, _ := os.ReadFile(t.path(i, "notes")); bytes.Contains(text, []byte("\nend ")) {
					ended++
				}
			}
			done = ended == len(jobs)
		}
	}
	if moves && t.o.reclaim == 0 { // idle nodes come home
		stopKilling := t.wait(ctx, t.o.real(60*time.Minute)+time.Minute, func(owner []string) bool {
			return !slices.ContainsFunc(owner, func(s string) bool { return s != "" })
		})
		if stopKilling != nil {
			for _, o := range t.owner {
				if o != "" {
					t.out.lost++
				}
			}
			t.note("nodes do not come back: %v: %s", t.owner, t.said())
		}
	}
	stop()
	group.Wait()
	return t.read(jobs, began, up0)
}

// drained waits until the agents have drained all nodes.
func (t *theatre) drained(ctx context.Context) error {
	for limit := time.Now().Add(time.Minute); ; time.Sleep(100 * time.Millisecond) {
		up := 0
		for _, slurm := range t.slurm {
			nodes, err := slurm.Nodes(ctx)
			if err != nil {
				return err
			}
			for i := range nodes {
				if nodes[i].Up() {
					up++
				}
			}
		}
		switch {
		case up == 0:
			return nil
		case time.Now().After(limit):
			return fmt.Errorf("the agents do not drain the nodes: %s", t.said())
		}
	}
}

// said returns the last words of the processes.
func (t *theatre) said() string {
	var b strings.Builder
	for _, p := range slices.Concat(t.agents, t.clients, []*process{t.host}) {
		if p != nil {
			fmt.Fprintf(&b, "\n%s: %s", p.name, p.log.last())
		}
	}
	return b.String()
}

func (t *theatre) path(job int, kind string) string {
	return filepath.Join(t.dir, "job."+strconv.Itoa(job)+"."+kind)
}

// order returns the script of a job, and what sbatch is told of it.
func (t *theatre) order(i int, j *shareJob) (script string, args []string) {
	hundredths := func(d time.Duration) int { return int(t.o.real(d) / (10 * time.Millisecond)) }
	comment := "estimate=" + t.o.real(max(j.Estimate, time.Second)).String()
	if j.saves {
		comment += fmt.Sprintf(" checkpoint=B:USR1 cost=%v savefile=%s", t.o.real(saveCost)+100*time.Millisecond, t.path(i, "saved"))
	}
	part := "main"
	if j.urgent {
		part = "urgent"
	}
	script = fmt.Sprintf(shareScript, strings.TrimSuffix(t.path(i, ""), "."), hundredths(j.Run), t.o.real(saveCost).Seconds())
	return script, []string{"--comment=" + comment, "--partition=" + part, "--job-name=job" + strconv.Itoa(i), "--requeue"}
}

// submit submits a job.
func (t *theatre) submit(ctx context.Context, i int, j *shareJob) error {
	script, args := t.order(i, j)
	_, err := t.clusters[j.side].Submit(ctx, j.Nodes, script, args...)
	return err
}

// ledger asks the host who has which node.
func (t *theatre) ledger(ctx context.Context) ([]string, error) {
	t.host.mu.Lock()
	url := t.host.url
	t.host.mu.Unlock()
	var in struct {
		Nodes []struct {
			Node      int    `json:"node"`
			Partition string `json:"partition"`
		} `json:"nodes"`
	}
	if err := exchangehttp.Get(ctx, &http.Client{Timeout: 2 * time.Second}, url+"/Status", &in); err != nil {
		return nil, err
	}
	owner := make([]string, t.o.nodes)
	for _, n := range in.Nodes {
		if n.Node < len(owner) {
			owner[n.Node] = n.Partition
		}
	}
	return owner, nil
}

// errLate: the ledger is not as it should be.
var errLate = errors.New("not as they should be")

// wait waits until the ledger is as it should be.
func (t *theatre) wait(ctx context.Context, limit time.Duration, done func(owner []string) bool) error {
	for until := time.Now().Add(limit); ; {
		owner, err := t.ledger(ctx)
		if err == nil && done(owner) {
			return nil
		}
		if owner != nil {
			t.mu.Lock()
			t.owner = owner
			t.mu.Unlock()
		}
		if time.Now().After(until) || ctx.Err() != nil {
			why := cmp.Or(ctx.Err(), err, errLate)
			return fmt.Errorf("the nodes are %q after %v, %w: %s", owner, limit, why, t.said())
		}
		time.Sleep(200 * time.Millisecond)
	}
}

// watch counts the moves of nodes, and looks whether both clusters may use one.
func (t *theatre) watch(ctx context.Context) {
	held := make([]string, t.o.nodes) // the last partition that had each
	up := func(side int) map[string]bool {
		nodes, err := t.slurm[side].Nodes(ctx)
		if err != nil {
			return nil
		}
		out := map[string]bool{}
		for i := range nodes {
			out[nodes[i].Name] = nodes[i].Up()
		}
		return out
	}
	for ctx.Err() == nil {
		if owner, err := t.ledger(ctx); err == nil {
			for i := range owner {
				if owner[i] != "" && owner[i] != held[i] {
					if held[i] != "" {
						t.out.moved[slices.Index(shareNames[:], owner[i])]++
					}
					held[i] = owner[i]
				}
			}
		}
		if len(t.slurm) == 2 {
			a, b, again := up(0), up(1), up(0)
			for name := range a {
				if a[name] && b[name] && again[name] {
					t.out.twice = append(t.out.twice, fmt.Sprintf("%s is up in both clusters at %v", name, t.clock.Now().Round(time.Second)))
				}
			}
		}
		select {
		case <-ctx.Done():
		case <-time.After(150 * time.Millisecond):
		}
	}
}

// killer kills processes at random moments and starts them again within four minutes of the
// log, or sooner where there are many to kill.
func (t *theatre) killer(ctx context.Context, failed chan<- error) {
	rng := rand.New(rand.NewPCG(t.o.seed, 50))
	all := slices.Concat([]*process{t.host}, t.clients, t.agents)
	times := make([]time.Duration, t.o.kill) // within the time in which jobs are submitted
	for i := range times {
		times[i] = time.Duration(rng.Int64N(int64(t.o.span)))
	}
	slices.Sort(times)
	for _, at := range times {
		select {
		case <-ctx.Done():
			return
		case <-time.After(t.clock.Unscaled(at - t.clock.Now())): // or when the one before is up again
		}
		p := all[rng.IntN(len(all))]
		p.kill()
		t.out.killed++
		down := time.Duration(rng.Int64N(int64(t.o.real(min(4*time.Minute, 2*t.o.span/time.Duration(t.o.kill))))))
		t.note("kills the %s for %v", p.name, t.o.log(down).Round(time.Second))
		time.Sleep(down)
		if err := p.start(p.url != ""); err != nil {
			failed <- err
			return
		}
	}
}

// reclaims lets the host take nodes again and again.
func (t *theatre) reclaims(ctx context.Context) {
	for at := t.o.every; at < t.o.span; at += t.o.every {
		select {
		case <-ctx.Done():
			return
		case <-time.After(t.clock.Unscaled(at - t.clock.Now())):
		}
		in := map[string]any{"partition": shareNames[0], "count": t.o.reclaim}
		if err := exchangehttp.Post(ctx, &http.Client{Timeout: 2 * time.Second}, t.host.url+"/Reclaim", in, nil); err != nil && ctx.Err() == nil {
			t.note("the host does not take %d nodes: %v", t.o.reclaim, err)
		}
	}
}

// uptime is the clock of the jobs.
func uptime() (time.Duration, error) {
	text, err := os.ReadFile("/proc/uptime")
	if err != nil {
		return 0, fmt.Errorf("share needs /proc/uptime: %w", err)
	}
	seconds, err := strconv.ParseFloat(strings.Fields(string(text))[0], 64)
	return time.Duration(seconds * float64(time.Second)), err
}

// An episode is one start of a job, in real time.
type episode struct {
	from, to, saved time.Duration // saved: until when all is saved
	nodes           []string
	ended           bool
}

// read reads what the jobs noted.
func (t *theatre) read(jobs []shareJob, began time.Time, up0 time.Duration) error {
	type stay struct {
		side, job int
		episode
	}
	byNode := map[string][]stay{}
	for i := range jobs {
		text, err := os.ReadFile(t.path(i, "notes"))
		if err != nil {
			return err
		}
		var list []episode
		for line := range strings.SplitSeq(strings.TrimSpace(string(text)), "\n") {
			f := strings.Fields(line)
			if len(f) != 4 {
				return fmt.Errorf("job %d notes %q", i, line)
			}
			at, err := strconv.ParseInt(f[1], 10, 64)
			if err != nil {
				return err
			}
			now := time.Duration(at)*10*time.Millisecond - up0
			switch f[0] {
			case "start":
				names, err := slurmctl.Expand(f[3])
				if err != nil {
					return err
				}
				e := episode{from: now, to: now, saved: now, nodes: names}
				if st, err := os.Stat(t.path(i, f[2]+".beat")); err == nil {
					e.to = max(now, st.ModTime().Sub(began))
				}
				list = append(list, e)
			case "saved":
				e := &list[len(list)-1]
				e.saved, e.to = now, max(e.to, now)
				t.out.saves++
			case "end":
				e := &list[len(list)-1]
				e.to, e.ended = now, true
			}
		}
		j := sharedJob{shareJob: &jobs[i], start: t.o.log(list[0].from), end: t.o.log(list[len(list)-1].to)}
		t.out.jobs = append(t.out.jobs, j)
		t.out.restarts += len(list) - 1
		for k := range list {
			e := &list[k]
			if !e.ended {
				lost := t.o.log(e.to-e.saved) * time.Duration(j.Nodes)
				if e.saved > e.from { // the save itself
					lost += saveCost * time.Duration(j.Nodes)
				}
				t.out.wasted += lost
				if j.urgent {
					t.out.urgent += lost
				}
			}
			for _, n := range e.nodes {
				byNode[n] = append(byNode[n], stay{j.side, i, *e})
			}
		}
	}
	for n, stays := range byNode {
		slices.SortFunc(stays, func(a, b stay) int { return int(min(1, max(-1, a.from-b.from))) })
		for k := 1; k < len(stays); k++ {
			for _, before := range stays[:k] {
				if a := stays[k]; a.from < before.to && a.side != before.side {
					t.out.twice = append(t.out.twice, fmt.Sprintf("job %d of %s runs on %s %v after the start of job %d of %s, which runs until %v later", a.job, shareNames[a.side], n,
						(a.from-before.from).Round(time.Millisecond), before.job, shareNames[before.side], (before.to-a.from).Round(time.Millisecond)))
				}
			}
		}
	}
	return nil
}
