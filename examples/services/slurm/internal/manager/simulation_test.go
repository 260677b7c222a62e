package manager

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/journal"
	"github.com/plimsoll/plimsoll/examples/services/slurm/internal/slurmctl"
)

// late is a Slurm whose answers come late, are lost, or come of a command that was carried out
// twice. While an answer is under way, the world goes on.
type late struct {
	*world
	rng  *rand.Rand
	deaf bool // drains are said to be done, and are not
}

var errLost = errors.New("unable to contact slurm controller")

// way is the way of an answer. It reports whether the answer is lost.
func (l late) way() bool {
	if l.rng.IntN(4) == 0 {
		l.advance(time.Duration(l.rng.IntN(20)) * time.Second)
	}
	return l.rng.IntN(20) == 0
}

func (l late) Jobs(ctx context.Context) ([]slurmctl.Job, error) {
	jobs, err := l.world.Jobs(ctx)
	if l.way() {
		return nil, errLost
	}
	return slices.Clone(jobs), err
}

func (l late) Nodes(ctx context.Context) ([]slurmctl.Node, error) {
	nodes, err := l.world.Nodes(ctx)
	if l.way() {
		return nil, errLost
	}
	return slices.Clone(nodes), err
}

// command carries a command out, perhaps twice.
func (l late) command(do func() error) error {
	err := do()
	if l.rng.IntN(20) == 0 {
		err = do()
	}
	if l.way() {
		return errLost
	}
	return err
}

func (l late) Drain(ctx context.Context, node, reason string) error {
	return l.command(func() error {
		if l.deaf {
			return nil
		}
		return l.world.Drain(ctx, node, reason)
	})
}

func (l late) Undrain(ctx context.Context, node string) error {
	return l.command(func() error { return l.world.Undrain(ctx, node) })
}

func (l late) Down(ctx context.Context, node, reason string) error {
	return l.command(func() error { return l.world.Down(ctx, node, reason) })
}

func (l late) Weigh(ctx context.Context, weights []slurmctl.Weight) error {
	return l.command(func() error { return l.world.Weigh(ctx, weights) })
}

func (l late) Promote(ctx context.Context, job int64, priority uint32) error {
	return l.command(func() error { return l.world.Promote(ctx, job, priority) })
}

// simulate runs the manager in a world whose faults follow from a seed: answers of Slurm and of
// the provider that are late, lost and doubled, kills at any effect, entries that are torn, and
// bits of the journal that flip. planted is a fault that the manager need not survive. It
// returns what should not have happened.
func simulate(t *testing.T, seed uint64, planted string) (wrong []string, kills, flips int) {
	rng := rand.New(rand.NewPCG(12, seed))
	w := newWorld(3, 3*time.Minute)
	w.naive = rng.IntN(2) == 0
	w.lag = time.Duration(rng.IntN(3)) * time.Minute
	w.faults = func(string) fault {
		if rng.IntN(4) > 0 {
			return noFault
		}
		return fault(1 + rng.IntN(4))
	}
	name := filepath.Join(memory(t), "journal")
	var old []byte
	open := func() *Manager {
		m, err := reopen(name, late{w, rng, planted == "drains that are not done"}, worldProvider{w}, worldOptions(w))
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		m.results = make(chan result, 1000)
		m.spawn = func(f func()) { f() }
		return m
	}
	m := open()
	plan := worldPlan[:3+rng.IntN(4)]
	next, at := 0, worldStart
	limit := 20 * 24 * time.Hour
	if planted != "" {
		limit = 2 * 24 * time.Hour
	}
	for end := w.now.Add(limit); ; w.advance(15 * time.Second) {
		for next < len(plan) && !w.now.Before(at.Add(plan[next].after)) {
			at = at.Add(plan[next].after)
			w.submit(min(3, plan[next].nodes), plan[next].run, plan[next].estimate)
			next++
		}
		if w.left < 0 && kills < 5 && rng.IntN(30) == 0 {
			w.left, w.before = rng.IntN(6), rng.IntN(2) == 0
		}
		if w.step(t, m) {
			m.Close()
			kills++
			w.crashed, w.left = false, -1
			data, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			flips += flip(t, rng, seed, data)
			if rng.IntN(2) == 0 { // an entry was being written
				data = append(data, bytes.Repeat([]byte{byte(rng.IntN(256))}, 1+rng.IntN(40))...)
			}
			switch {
			case planted == "an old copy of the journal" && old != nil:
				data = old
			case planted == "no journal":
				os.Remove(name)
			}
			if planted != "no journal" {
				if err := os.WriteFile(name, data, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			old = data
			m = open()
		}
		if next == len(plan) && w.done() {
			w.faults = nil
			if !slices.ContainsFunc(m.state.leases, func(l *lease) bool { return !l.ended }) {
				break
			}
		}
		if w.now.After(end) {
			m.Close()
			return append(w.wrong, "it does not come to an end"), kills, flips
		}
	}
	m.Close()
	for _, j := range w.jobs {
		if j.begun != 1 || j.stopped != 0 {
			w.wrong = append(w.wrong, fmt.Sprintf("job %d began %d times, and was stopped %d times", j.id, j.begun, j.stopped))
		}
	}
	if n := len(m.state.instances()); n != len(w.instances) {
		w.wrong = append(w.wrong, fmt.Sprintf("the journal has %d instances, and the provider had %d", n, len(w.instances)))
	}
	return w.wrong, kills, flips
}

// -fsck says what a journal has, what is torn, and what is damaged.
func TestCheck(t *testing.T) {
	w := newWorld(2, time.Minute)
	name := filepath.Join(memory(t), "journal")
	m := w.open(t, name, worldOptions(w))
	w.submit(1, 5*time.Minute, 10*time.Minute)
	for range 3 {
		w.step(t, m)
		w.advance(15 * time.Second)
	}
	entries := m.state.entries
	m.Close()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		change func(data []byte) []byte
		torn   int64
		marks  int
		bad    bool
	}{
		{func(d []byte) []byte { return d }, 0, 0, false},
		{func(d []byte) []byte { return append(d, "torn"...) }, 4, 0, false},
		{func(d []byte) []byte { d[512] ^= 1; return d }, 0, 1, false},
		{func(d []byte) []byte { d[len(d)-1] ^= 1; return d }, 0, 0, true},
		{func(d []byte) []byte { return d[:len(d)-1] }, 0, 0, true},
		{func(d []byte) []byte { return nil }, 0, 0, true},
	} {
		if err := os.WriteFile(name, c.change(bytes.Clone(data)), 0o600); err != nil {
			t.Fatal(err)
		}
		x, err := Check(name)
		if c.bad != errors.Is(err, journal.ErrDamaged) || !c.bad && (err != nil || x.Records != entries || x.Torn != c.torn || x.BadMarks != c.marks) {
			t.Errorf("%+v, %v; want %d entries, %d bytes torn, %d marks", x, err, entries, c.torn, c.marks)
		}
	}
}

// flip flips some bits of a journal, one at a time: each is found, or changes nothing.
func flip(t *testing.T, rng *rand.Rand, seed uint64, data []byte) (found int) {
	t.Helper()
	read := func(data []byte) (entries [][]byte, err error) {
		_, err = journal.Replay(data, func(e []byte) error { entries = append(entries, bytes.Clone(e)); return nil })
		return entries, err
	}
	want, err := read(data)
	if err != nil {
		t.Fatalf("seed %d: %v", seed, err)
	}
	for range 8 {
		i, bit := rng.IntN(len(data)), byte(1)<<rng.IntN(8)
		data[i] ^= bit
		if got, err := read(data); err != nil {
			found++
		} else if !slices.EqualFunc(got, want, bytes.Equal) {
			t.Fatalf("seed %d: byte %d flipped by %#x is taken for another journal", seed, i, bit)
		}
		data[i] ^= bit
	}
	return found
}

// SLURM_SCHEDULES=100000 go test -run TestSimulation ./examples/services/slurm/internal/manager
// runs so many schedules. All jobs run, once, no node counts twice, nothing stays rented, and
// the journal has all instances.
func TestSimulation(t *testing.T) {
	t.Parallel()
	n := uint64(25)
	if s, err := strconv.ParseUint(os.Getenv("SLURM_SCHEDULES"), 10, 64); err == nil {
		n = s
	}
	kills, flips := 0, 0
	for seed := range n {
		wrong, k, f := simulate(t, seed, "")
		kills, flips = kills+k, flips+f
		if len(wrong) > 0 {
			t.Fatalf("seed %d: %q", seed, wrong)
		}
	}
	t.Logf("%d schedules, %d kills, %d flips found", n, kills, flips)
	if kills < int(n) || flips < 3*int(n) {
		t.Errorf("%d kills, %d flips found", kills, flips)
	}
}

// The simulation finds faults that are planted.
func TestSimulationFinds(t *testing.T) {
	t.Parallel()
	for _, planted := range []string{"an old copy of the journal", "no journal", "drains that are not done"} {
		t.Run(planted, func(t *testing.T) {
			for seed := range uint64(200) {
				if wrong, _, _ := simulate(t, seed, planted); len(wrong) > 0 {
					t.Logf("seed %d: %q", seed, wrong)
					return
				}
			}
			t.Error("it is not found")
		})
	}
}
