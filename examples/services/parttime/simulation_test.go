package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/clock"
	"github.com/plimsoll/plimsoll/examples/internal/statelog"
	"github.com/plimsoll/plimsoll/preempt/exchange"
)

// A simulation is a host, two partitions, a network and three disks in one thread: the code of
// the processes without HTTP, goroutines and a clock. All that happens follows from the seed.
//
// Messages are lost, doubled, delayed and reordered. Links are cut. Processes are killed
// between two steps and in the middle of a write, and machines lose power. Clocks drift and
// jump, within what the host's Skew allows. Bits of files flip. At the end all faults stop.
//
// Whatever happens, no node is used by two partitions (guarantee 1 of package exchange), and a
// state with a flipped bit is refused, or is the state. At the end ledger and clients agree, and
// no node is free while a request waits (guarantee 3).
type simulation struct {
	rng    *rand.Rand
	now    time.Duration
	host   *simProcess
	parts  []*simProcess
	pool   []simMessage
	fault  string // that is planted
	counts simulated
	trace  uint64
}

type simMessage struct {
	to  *simProcess
	msg exchange.Message
}

// simulated is what happened.
type simulated struct {
	Steps, Delivered, Kills, InWrites, PowerLosses, Flips, Found, Usable, Moves int
}

// A simProcess is the host or a client.
type simProcess struct {
	s     *simulation
	name  string // of a partition; "" for the host
	disk  *simDisk
	peer  *peer // nil while it is down
	ghost *exchange.Client
	cut   bool // its link
	snap  []byte

	offset, rate, jump time.Duration
}

const (
	simNodes = 3
	maxJump  = 400 * time.Millisecond // four of them and the drift over Term are less than half of Skew
)

// clock is what its machine shows.
func (p *simProcess) clock() time.Duration {
	return p.offset + p.s.now + p.s.now/1_000_000*p.rate + p.jump
}

// errWrong is a guarantee that does not hold.
type errWrong string

func (e errWrong) Error() string { return string(e) }

// simulate runs a schedule with a planted fault, "" for none. The error is what does not hold.
func simulate(seed uint64, fault string) (c simulated, trace uint64, err error) {
	rng := rand.New(rand.NewPCG(seed, 41))
	s := &simulation{rng: rng, fault: fault, now: time.Hour}
	defer func() {
		c, trace = s.counts, s.trace
		if r := recover(); r != nil {
			wrong, ok := r.(errWrong)
			if !ok {
				panic(r)
			}
			err = fmt.Errorf("seed %d, step %d: %w", seed, s.counts.Steps, wrong)
		}
	}()
	machine := func(name string) *simProcess {
		p := &simProcess{s: s, name: name, disk: newSimDisk(rng), offset: time.Duration(rng.IntN(1000)) * time.Minute, rate: time.Duration(rng.IntN(1801) - 900)}
		p.disk.lies = fault == "a disk that says it has synced and has not"
		if fault == "a client whose clock is slow" && name != "" {
			p.rate = -900_000
		}
		return p
	}
	s.host = machine("")
	s.parts = []*simProcess{machine("hpc"), machine("htc")}
	for _, p := range append(s.parts, s.host) {
		p.start()
	}
	for range 60 + rng.IntN(60) {
		s.counts.Steps++
		s.step()
		s.check()
	}
	s.calm()
	return c, trace, nil
}

// step lets something happen.
func (s *simulation) step() {
	all := append(slices.Clone(s.parts), s.host)
	p := all[s.rng.IntN(len(all))]
	part := s.parts[s.rng.IntN(len(s.parts))]
	switch k := s.rng.IntN(100); {
	case k < 40:
		s.deliver()
	case k < 55:
		s.now += time.Duration(s.rng.Int64N(int64(time.Minute)))
	case k < 68:
		p.tick()
	case k < 76:
		part.work()
	case k < 79:
		p.jump = time.Duration(s.rng.Int64N(int64(2*maxJump))) - maxJump
	case k < 82:
		p.cut = !p.cut
	case k < 85:
		p.snapshot()
	case k < 88:
		if p.disk.fuse < 0 && p.peer != nil {
			p.disk.fuse = 1 + s.rng.IntN(12)
		}
	case k < 92:
		if p.peer != nil {
			s.counts.Kills++
			p.kill()
		}
	case k < 94:
		s.counts.PowerLosses++
		p.kill()
		p.disk.powerLoss()
	case k < 95:
		s.host.change(true, func(now time.Duration) ([]exchange.Message, error) {
			return s.host.peer.state.Manager.Reclaim(now, part.name, 1)
		})
	default:
		for _, p := range all {
			p.start()
		}
	}
	h := fnv.New64a()
	fmt.Fprintln(h, s.trace, s.now, len(s.pool), s.host.peer != nil, s.counts)
	s.trace = h.Sum64()
}

// deliver brings a message to its process, or loses it, or brings it twice.
func (s *simulation) deliver() {
	if len(s.pool) == 0 {
		return
	}
	i := s.rng.IntN(len(s.pool))
	m := s.pool[i]
	if s.rng.IntN(8) > 0 {
		s.pool = slices.Delete(s.pool, i, i+1)
	}
	if s.rng.IntN(8) > 0 {
		m.to.hear(m.msg)
	}
}

// hear is a message that comes.
func (p *simProcess) hear(msg exchange.Message) {
	if p.peer == nil || p.cut {
		return
	}
	p.s.counts.Delivered++
	p.change(false, func(now time.Duration) ([]exchange.Message, error) {
		if m := p.peer.state.Manager; m != nil {
			return m.Handle(now, msg)
		}
		return p.peer.state.Client.Handle(now, msg)
	})
}

// change is [peer.change]; what it delivers is under way.
func (p *simProcess) change(whole bool, take step) {
	if p.peer == nil {
		return
	}
	send := func(m exchange.Message) {
		to := p.s.host
		if p == to {
			to = p.s.parts[slices.IndexFunc(p.s.parts, func(x *simProcess) bool { return x.name == m.Partition })]
		}
		if !p.cut && len(p.s.pool) < 100 {
			p.s.pool = append(p.s.pool, simMessage{to, m.Clone()})
		}
	}
	if err := p.peer.change(whole, take, send); p.disk.dead() {
		p.s.counts.InWrites++
		p.kill()
		p.disk.fuse = -1
	} else if errors.Is(err, errKilled) {
		panic(errWrong("a write failed while the process lives"))
	}
}

func (p *simProcess) tick() {
	p.change(false, func(now time.Duration) ([]exchange.Message, error) {
		if m := p.peer.state.Manager; m != nil {
			return m.Tick(now), nil
		}
		return p.peer.state.Client.Tick(now), nil
	})
}

// work is what the framework of a partition wants.
func (p *simProcess) work() {
	p.change(false, func(now time.Duration) ([]exchange.Message, error) {
		c := p.peer.state.Client
		held := slices.DeleteFunc(c.AppendNodes(nil, now), func(n exchange.NodeStatus) bool { return n.State == exchange.Returned })
		switch k := p.s.rng.IntN(4); {
		case k == 0 && len(held) > 0:
			return c.DeleteNodes(now, held[p.s.rng.IntN(len(held))].Node)
		case k == 1:
			var values []exchange.NodeValue
			for _, n := range held {
				values = append(values, exchange.NodeValue{Node: n.Node, Value: p.s.rng.Float64()})
			}
			return c.SetResourceValues(now, values)
		case len(c.AppendRequests(nil)) < 2:
			_, msgs, err := c.AddNodes(now, "", 1+p.s.rng.IntN(2))
			return msgs, err
		}
		return nil, nil
	})
}

// snapshot begins a new log, or saves the state of the last one's begin.
func (p *simProcess) snapshot() {
	if p.peer == nil {
		return
	}
	log := p.peer.store.log
	if p.snap == nil {
		if log.Rotate() == nil {
			p.snap, _ = json.Marshal(p.peer.state.clone())
			if p.peer.state.Manager != nil { // as in store.save, what is rotated is saved
				p.change(true, func(time.Duration) ([]exchange.Message, error) { return nil, nil })
			}
		}
	} else {
		log.Snapshot(p.snap)
		p.snap = nil
	}
	if p.disk.dead() {
		p.kill()
		p.disk.fuse = -1
	}
}

// kill ends the process. Its partition goes on with the nodes that it was told of.
func (p *simProcess) kill() {
	if p.peer != nil && p.peer.state.Client != nil {
		p.ghost = p.peer.state.Client
	}
	p.peer, p.snap, p.disk.fuse = nil, nil, -1
}

// start begins the process on what is on its disk.
func (p *simProcess) start() {
	if p.peer != nil {
		return
	}
	p.disk.fuse = -1
	if p.s.fault == "a host that begins on an old copy of its state" && p.name == "" && p.disk.old != nil {
		p.disk.files = p.disk.old
	}
	before, err := p.read()
	if err != nil {
		panic(errWrong(fmt.Sprintf("%q cannot read its state: %v", p.name, err)))
	}
	if p.s.rng.IntN(2) == 0 {
		p.s.counts.Flips++
		torn := p.disk.unmarked() // what nobody was told of may be torn
		back := p.disk.flip()
		if flipped, err := p.read(); err != nil {
			p.s.counts.Found++
		} else if text(flipped) != text(before) && !torn {
			panic(errWrong(fmt.Sprintf("%q takes another state for its own", p.name)))
		}
		back()
	}
	log, _, err := statelog.OpenOn(p.disk, "s")
	if err != nil {
		panic(errWrong(err.Error()))
	}
	x := &peer{store: newStore("s", log), wake: make(chan struct{}, 1), fatal: make(chan error, 1), tell: func([]exchange.Message) {}}
	last := time.Duration(0)
	switch {
	case before != nil:
		x.state = *before
		if x.state.Manager != nil {
			last = x.state.Manager.Now()
		} else {
			last = x.state.Client.Now()
		}
	case p.name == "":
		x.state = saved{Role: "host", Minute: time.Minute, Partitions: map[string]terms{}}
		x.state.Manager, err = exchange.NewManager(exchange.ManagerOptions{Term: 8 * time.Minute}, make([]string, simNodes))
		for i, part := range p.s.parts {
			if err == nil {
				err = x.state.Manager.CreatePartition(part.name, 1+i, 0)
			}
		}
	default:
		x.state = saved{Role: "client", Minute: time.Minute}
		x.state.Client, err = exchange.NewClient(p.name, exchange.ClientOptions{})
	}
	if err != nil {
		panic(errWrong(err.Error()))
	}
	ahead := max(0, last-p.clock()) // see newClock
	x.clock = clock.NewFunc(time.Unix(0, 0), time.Hour, func() time.Time { return time.Unix(0, 0).Add(p.clock() + ahead) })
	x.log = &journal{w: io.Discard, clock: x.clock}
	p.peer = x
	if err := x.store.replace(&x.state); err != nil {
		panic(errWrong(err.Error()))
	}
	p.ghost = nil
	if p.s.fault != "" {
		p.disk.keep()
	}
}

func (p *simProcess) read() (*saved, error) {
	disk, err := statelog.ReadOn(p.disk, "s")
	if err != nil {
		return nil, err
	}
	return restore(disk)
}

func text(s *saved) string {
	data, _ := json.Marshal(s)
	return string(data)
}

// uses returns the nodes that a partition uses now.
func (p *simProcess) uses() (nodes []exchange.NodeStatus) {
	c, now := p.ghost, p.clock()
	if p.peer != nil {
		c, now = p.peer.state.Client, p.peer.clock.Now()
	}
	if c == nil {
		return nil
	}
	return slices.DeleteFunc(c.AppendNodes(nil, max(now, c.Now())), func(n exchange.NodeStatus) bool {
		return n.State != exchange.Usable && n.State != exchange.Draining
	})
}

// check holds guarantee 1.
func (s *simulation) check() {
	var by [simNodes]string
	for _, p := range s.parts {
		for _, n := range p.uses() {
			s.counts.Usable++
			if by[n.Node] != "" {
				panic(errWrong(fmt.Sprintf("node %d is used by %s and %s", n.Node, by[n.Node], p.name)))
			}
			by[n.Node] = p.name
		}
	}
}

// calm ends all faults, and holds guarantee 3 after a while.
func (s *simulation) calm() {
	all := append(slices.Clone(s.parts), s.host)
	for _, p := range all {
		p.cut, p.disk.fuse = false, -1
		p.start()
	}
	for range 60 {
		s.now += 30 * time.Second
		for _, p := range all {
			p.tick()
			s.check()
		}
		for n := 0; len(s.pool) > 0 && n < 1000; n++ {
			m := s.pool[0]
			s.pool = s.pool[1:]
			m.to.hear(m.msg)
			s.check()
		}
	}
	ledger := s.host.peer.state.Manager.AppendAssignments(nil)
	free, waiting := 0, 0
	for _, a := range ledger {
		if a.Partition == "" {
			free++
		}
		s.counts.Moves += int(a.Epoch)
	}
	for _, q := range s.host.peer.state.Manager.AppendPartitions(nil) {
		waiting += q.Waiting
	}
	if free > 0 && waiting > 0 {
		panic(errWrong(fmt.Sprintf("%d nodes are free and %d are waited for", free, waiting)))
	}
	for _, p := range s.parts {
		held := map[int]uint64{}
		for _, n := range p.uses() {
			held[n.Node] = n.Epoch
		}
		for _, a := range ledger {
			if a.Partition == p.name && held[a.Node] != a.Epoch || a.Partition != p.name && held[a.Node] != 0 {
				panic(errWrong(fmt.Sprintf("the ledger has %+v, and %s has %v", a, p.name, held)))
			}
		}
	}
}

// schedules is how many schedules are run: those of PARTTIME_SCHEDULES, or n.
func schedules(n uint64) uint64 {
	if s, err := strconv.ParseUint(os.Getenv("PARTTIME_SCHEDULES"), 10, 64); err == nil {
		return s
	}
	return n
}

// PARTTIME_SCHEDULES=1000000 go test -run TestSimulation ./examples/services/parttime runs a
// million schedules, and PARTTIME_SEED=7 the one of a seed.
func TestSimulation(t *testing.T) {
	var sum simulated
	first, n := uint64(0), schedules(400)
	if seed, err := strconv.ParseUint(os.Getenv("PARTTIME_SEED"), 10, 64); err == nil {
		first, n = seed, 1
	}
	for seed := first; seed < first+n; seed++ {
		c, trace, err := simulate(seed, "")
		if err != nil {
			t.Fatal(err)
		}
		if seed == first {
			if again, same, _ := simulate(seed, ""); again != c || same != trace {
				t.Fatal("a seed gives two schedules")
			}
		}
		for to, x := range map[*int]int{&sum.Steps: c.Steps, &sum.Delivered: c.Delivered, &sum.Kills: c.Kills, &sum.InWrites: c.InWrites, &sum.PowerLosses: c.PowerLosses,
			&sum.Flips: c.Flips, &sum.Found: c.Found, &sum.Usable: c.Usable, &sum.Moves: c.Moves} {
			*to += x
		}
	}
	t.Logf("%d schedules: %+v", n, sum)
	if n >= 400 && (sum.Kills < 400 || sum.InWrites < 100 || sum.PowerLosses < 400 || sum.Found < 200 || sum.Usable < 10000 || sum.Moves < 400) {
		t.Errorf("too little happens: %+v", sum)
	}
}

// The simulation finds each of three faults that are planted.
func TestSimulationFinds(t *testing.T) {
	for _, fault := range []string{
		"a disk that says it has synced and has not",
		"a host that begins on an old copy of its state",
		"a client whose clock is slow",
	} {
		t.Run(fault, func(t *testing.T) {
			for seed := range schedules(2000) {
				if _, _, err := simulate(seed, fault); err != nil {
					t.Log(err)
					return
				}
			}
			t.Error("it is not found")
		})
	}
}
