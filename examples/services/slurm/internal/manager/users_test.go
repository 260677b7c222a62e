package manager

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/examples/internal/journal"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/schedule/sim/bills"
)

// charged checks that the journal has each job of the world once, and that the users pay
// the invoice.
func (w *world) charged(t *testing.T, m *Manager) bills.Statement {
	t.Helper()
	var want []Use
	for _, j := range w.jobs {
		start := m.clock.At(j.start.Truncate(time.Second))
		want = append(want, Use{User: 1000 + j.id%3, Nodes: j.nodes, Start: start, End: m.clock.At(j.end.Truncate(time.Second))})
	}
	byStart := func(a, b Use) int { return int(min(1, max(-1, a.Start-b.Start))) }
	got := slices.Clone(m.state.uses)
	slices.SortStableFunc(got, byStart)
	slices.SortStableFunc(want, byStart)
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Errorf("uses (-want +got):\n%s", diff)
	}
	s, err := m.Users()
	if err != nil {
		t.Fatal(err)
	}
	bill, err := m.Invoice()
	if err != nil {
		t.Fatal(err)
	}
	sum := pricing.Money(0)
	for i := range s.Accounts {
		sum += s.Accounts[i].Pays
	}
	if sum != bill.Pure || sum == 0 {
		t.Errorf("users pay %v of %v", sum, bill.Pure)
	}
	return s
}

// By hand, worldPlan: jobs 1 and 4 of user 1001 run for 10 + 5 minutes on a node, 2 and 5 of
// 1002 for 60 + 70, 3 and 6 of 1000 for 30 + 20 node-minutes, 195 in all. Alone, with a boot
// of 4 minutes, they pay for 1 + 1, 2 + 2 and 3 + 4 hours. Six hours were charged, $14.40.
func TestUsers(t *testing.T) {
	w := newWorld(6, 4*time.Minute)
	m := w.play(t, worldPlan, 6*time.Hour)
	defer m.Close()
	s := w.charged(t, m)
	bill, _ := m.Bill()
	if bill.Cost != 6*2400*pricing.Unit/1000 {
		t.Errorf("a bill of %v", bill.Cost)
	}
	hour := 2400 * pricing.Unit / 1000
	want := []bills.Account{
		{User: 1000, Jobs: 2, Hours: 50. / 60, Pays: 3692307692, Alone: 7 * hour},
		{User: 1001, Jobs: 2, Hours: 15. / 60, Pays: 1107692308, Alone: 2 * hour},
		{User: 1002, Jobs: 2, Hours: 130. / 60, Pays: 9600 * pricing.Unit / 1000, Alone: 4 * hour},
	}
	if diff := gocmp.Diff(want, s.Accounts); diff != "" {
		t.Errorf("accounts (-want +got):\n%s", diff)
	}
}

// A manager that is killed at any moment charges each job once.
func TestUsersAfterKills(t *testing.T) {
	t.Parallel()
	for left := 0; left < 60; left += 3 {
		for _, before := range []bool{false, true} {
			w := newWorld(6, 4*time.Minute)
			w.left, w.before = left, before
			m := w.play(t, worldPlan, 6*time.Hour)
			w.charged(t, m)
			m.Close()
		}
	}
}

// A journal is read while its manager writes it, and says the same.
func TestRead(t *testing.T) {
	w := newWorld(6, 4*time.Minute)
	name := filepath.Join(memory(t), "journal")
	m := w.open(t, name, worldOptions(w))
	defer m.Close()
	w.submit(2, 30*time.Minute, time.Hour)
	w.submit(1, 30*time.Minute, time.Hour)
	for range 80 {
		w.step(t, m)
		w.advance(time.Minute)
	}
	m.step(t.Context())
	r, err := Read(name, worldOptions(w))
	if err != nil {
		t.Fatal(err)
	}
	want, err := m.Users()
	if err != nil {
		t.Fatal(err)
	}
	got, err := r.Users()
	if err != nil {
		t.Fatal(err)
	}
	if diff := gocmp.Diff(want, got); diff != "" || len(want.Accounts) != 2 {
		t.Errorf("(-manager +journal):\n%s", diff)
	}
	for text, is := range map[string]error{"": journal.ErrDamaged, "no journal\n": journal.ErrDamaged} {
		os.WriteFile(name+"2", []byte(text), 0o600)
		if _, err := Read(name+"2", worldOptions(w)); !errors.Is(err, is) {
			t.Errorf("%q: %v", text, err)
		}
	}
	if _, err := Read(name+"3", worldOptions(w)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
}

// A job that runs is charged up to now; without a job there is nobody to charge.
func TestUsersOfRunningJobs(t *testing.T) {
	w := newWorld(6, 4*time.Minute)
	m := w.open(t, filepath.Join(memory(t), "journal"), worldOptions(w))
	defer m.Close()
	if s, err := m.Users(); err != nil || len(s.Accounts) != 0 {
		t.Errorf("before all jobs: %+v, %v", s, err)
	}
	w.submit(2, 30*time.Minute, time.Hour)
	for range 16 {
		w.step(t, m)
		w.advance(time.Minute)
	}
	s, err := m.Users()
	if err != nil || len(s.Accounts) != 1 || s.Accounts[0].Hours < .2 || s.Accounts[0].Hours > .5 || s.Accounts[0].Pays != 4800*pricing.Unit/1000 {
		t.Errorf("%+v, %v", s, err)
	}
}

func TestBadUse(t *testing.T) {
	for _, u := range []*Use{nil, {Nodes: 0, End: 1}, {Nodes: 1, Start: 1, End: 1}, {Nodes: 1, Start: -1, End: 1}, {User: -2, Nodes: 1, End: 1}} {
		s := newState()
		s.entries = 1
		if err := s.apply(&Entry{Kind: Ran, Job: 1, Use: u}); err == nil {
			t.Errorf("%+v is taken", u)
		}
	}
	s := newState()
	s.entries = 1
	e := &Entry{Kind: Ran, Job: 1, Use: &Use{Nodes: 1, End: 1}}
	if err := s.apply(e); err != nil {
		t.Error(err)
	}
	if err := s.apply(e); err == nil {
		t.Error("a job ends twice")
	}
}
