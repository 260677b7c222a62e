package manager

import (
	"strings"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/provider"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/schedule"
)

// A journal that no manager writes is refused with the entry that cannot be; one that a manager
// writes gives its state, instance by instance.
func TestApply(t *testing.T) {
	origin := time.Unix(1_800_000_000, 0)
	begin := Entry{Kind: Began, Begin: &Begin{Cluster: "c", Origin: origin, Hour: time.Second}}
	ask := Entry{Kind: Asking, Token: "c-1", Node: "a", At: 5, Cloud: "cheap", Price: 3}
	rent := Entry{Kind: Rented, Token: "c-1", ID: "i1", Created: origin}
	use := Entry{Kind: Ran, Job: 7, Use: &Use{User: 3, Nodes: 1, Start: 1, End: 2}}
	plan := Entry{Kind: Bought, Token: "never"}
	for name, c := range map[string]struct {
		entries []Entry
		want    string
	}{
		"no begin":                {[]Entry{ask}, "as number 1: a journal begins with"},
		"two begins":              {[]Entry{begin, begin}, "as number 2: a journal begins with"},
		"a begin of nothing":      {[]Entry{{Kind: Began}}, "without a cluster or an hour"},
		"a begin without an hour": {[]Entry{{Kind: Began, Begin: &Begin{Cluster: "c"}}}, "without a cluster or an hour"},
		"an hour below 0":         {[]Entry{{Kind: Began, Begin: &Begin{Cluster: "c", Hour: -1}}}, "without a cluster or an hour"},
		"no cluster":              {[]Entry{{Kind: Began, Begin: &Begin{Hour: 1}}}, "without a cluster or an hour"},
		"asked for twice":         {[]Entry{begin, ask, ask}, "is asked for twice, or has no node"},
		"asked for no node":       {[]Entry{begin, {Kind: Asking, Token: "c-1"}}, "is asked for twice, or has no node"},
		"asked for without token": {[]Entry{begin, {Kind: Asking, Node: "a"}}, "is asked for twice, or has no node"},
		"a spare without a name":  {[]Entry{begin, {Kind: Spare, Token: "x", Node: "a"}}, "the spare instance"},
		"a spare without a node":  {[]Entry{begin, {Kind: Spare, Token: "x", ID: "i"}}, "the spare instance"},
		"a spare that is known":   {[]Entry{begin, ask, {Kind: Spare, Token: "c-1", ID: "i", Node: "a"}}, "the spare instance"},
		"of nobody":               {[]Entry{begin, rent}, "c-1"},
		"bought and not planned":  {[]Entry{begin, plan}, "which was not to be bought, or was"},
		"a job twice":             {[]Entry{begin, use, use}, "or comes twice"},
		"a job of no nodes":       {[]Entry{begin, {Kind: Ran, Job: 7, Use: &Use{Start: 1, End: 2}}}, "which used nothing"},
		"a job of no time":        {[]Entry{begin, {Kind: Ran, Job: 7, Use: &Use{Nodes: 1, Start: 2, End: 2}}}, "which used nothing"},
		"a job before all":        {[]Entry{begin, {Kind: Ran, Job: 7, Use: &Use{Nodes: 1, Start: -1, End: 2}}}, "which used nothing"},
		"no hours of credits":     {[]Entry{begin, {Kind: Accrued, Amount: 5}}, "of 0 hours"},
		"credits below 0":         {[]Entry{begin, {Kind: Accrued, Hours: 1, Amount: -1}}, "of 1 hours"},
		"credits beyond all":      {[]Entry{begin, {Kind: Accrued, Hours: 1, Amount: 1<<63 - 1}, {Kind: Accrued, Hours: 1, Amount: 1}}, "of 1 hours"},
		"a kind that is none":     {[]Entry{begin, ask, {Kind: "dance", Token: "c-1"}}, `"dance"`},
	} {
		s := newState()
		var err error
		for i := range c.entries {
			if err != nil {
				t.Fatalf("%s: entry %d: %v", name, i-1, err)
			}
			err = s.apply(&c.entries[i])
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}

	s := newState()
	apply := func(e Entry) {
		t.Helper()
		if err := s.apply(&e); err != nil {
			t.Fatal(err)
		}
	}
	apply(begin)
	apply(ask)
	l := s.byToken["c-1"]
	if l.phase != asking || l.asked != 5 || l.cloud != "cheap" || l.price != 3 || !l.doubt || len(s.instances()) != 0 {
		t.Errorf("asked for: %+v", l)
	}
	apply(Entry{Kind: Failed, Token: "c-1"})
	apply(Entry{Kind: Failed, Token: "c-1"})
	apply(Entry{Kind: Failed})
	if s.failures != 3 || l.tries != 2 {
		t.Errorf("%d failures, %d of this instance, want 3 and 2", s.failures, l.tries)
	}
	apply(rent)
	apply(Entry{Kind: Failed, Token: "c-1"})
	if l.phase != rented || l.ID != "i1" || l.tries != 0 || len(s.instances()) != 1 || s.failures != 4 {
		t.Errorf("rented: %+v, %d failures", l, s.failures)
	}
	apply(Entry{Kind: Up, Token: "c-1", At: 9})
	apply(Entry{Kind: Leaving, Token: "c-1", At: 11, Reason: "idle"})
	if l.phase != leaving || l.why != "idle" || l.left != 11 || l.came != 9 {
		t.Errorf("leaves: %+v", l)
	}
	apply(Entry{Kind: Staying, Token: "c-1"})
	apply(Entry{Kind: Up, Token: "c-1", At: 13})
	if l.phase != up || l.came != 9 {
		t.Errorf("stays, and came up at %v: want 9", l.came)
	}
	apply(Entry{Kind: Gone, Token: "c-1", Ended: origin.Add(time.Hour)})
	if l.phase != gone || l.Live() {
		t.Errorf("gone: %+v", l)
	}
	apply(Entry{Kind: Stray, Token: "c-1"})
	if l.phase != leaving || !l.Live() {
		t.Errorf("there again: %+v", l)
	}
	apply(Entry{Kind: Asking, Token: "c-2", Node: "b"})
	apply(Entry{Kind: Refused, Token: "c-2"})
	if s.byToken["c-2"] != nil || len(s.leases) != 1 {
		t.Errorf("refused, and %d are left", len(s.leases))
	}
	apply(Entry{Kind: Accrued, Hours: 2, Amount: 10})
	apply(Entry{Kind: Accrued, Hours: 1, Amount: 5})
	apply(Entry{Kind: Promoted, Job: 4, Priority: 17})
	apply(Entry{Kind: Excluded, Job: 5})
	apply(use)
	if s.accruals != 3 || s.accrued != pricing.Money(15) || s.promoted[4] != 17 || !s.excluded[5] || len(s.uses) != 1 {
		t.Errorf("%d hours, %v, %v, %v, %v", s.accruals, s.accrued, s.promoted, s.excluded, s.uses)
	}
}

// Of two instances with one token the known one counts, then one that lives, then the older, and
// then the first by name.
func TestRather(t *testing.T) {
	at := func(h int) time.Time { return time.Unix(int64(1_800_000_000+3600*h), 0) }
	known := provider.Instance{ID: "k", Token: "t", Created: at(9), Ended: at(10)}
	live := provider.Instance{ID: "z", Token: "t", Created: at(5)}
	older := provider.Instance{ID: "y", Token: "t", Created: at(1), Ended: at(2)}
	younger := provider.Instance{ID: "a", Token: "t", Created: at(2), Ended: at(3)}
	twin := provider.Instance{ID: "b", Token: "t", Created: at(2), Ended: at(3)}
	order := []provider.Instance{known, live, older, younger, twin}
	m := &Manager{state: newState()}
	m.state.byToken["t"] = &lease{Instance: provider.Instance{ID: "k", Token: "t"}}
	for i := range order {
		for k := range order {
			if got := m.rather(&order[i], &order[k]); got != (i < k) {
				t.Errorf("%s rather than %s: %v", order[i].ID, order[k].ID, got)
			}
		}
	}
	m.state.byToken["t"].ID = "" // asked for, and not known yet
	if m.rather(&known, &live) || m.rather(&known, &older) {
		t.Error("an instance counts that nobody knows")
	}
	if orAtOnce(0) != schedule.AtOnce || orAtOnce(5) != 5 {
		t.Error("a limit of 0 is the default, and not at once")
	}
}
