package manager

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/provider"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/schedule/elastic"
)

// A brokenPart is a cloud whose creations end with an error that is no refusal, before or
// after they have created an instance, and perhaps whose lists fail.
type brokenPart struct {
	worldPart
	after, lists bool
}

func (p brokenPart) Create(ctx context.Context, token, node string) (provider.Instance, error) {
	if p.after {
		p.worldPart.Create(ctx, token, node)
	}
	return provider.Instance{}, errors.New("exit status 1")
}

func (p brokenPart) List(ctx context.Context) ([]provider.Instance, error) {
	if p.lists {
		return nil, errors.New("exit status 1")
	}
	return p.worldPart.List(ctx)
}

// A stage is a world with two local nodes, n1 and n2; three of a private cloud, n3 to n5; and
// six of a commercial one, n6 to n11; and a manager with a policy.
type stage struct {
	*world
	t    *testing.T
	file string
	o    Options
	m    *Manager
	told []Entry
}

func newStage(t *testing.T, p elastic.Policy, private func(worldPart) provider.Provider) *stage {
	s := &stage{world: newWorld(11, time.Minute), t: t, file: filepath.Join(memory(t), "journal")}
	s.o = worldOptions(s.world)
	for i, n := range s.nodes {
		n.fixed, n.group = i < 2, min(2, (i+1)/3) // 0 0 1 1 1 2 ...
		n.heard = s.now
	}
	s.o.Nodes = s.o.Nodes[2:]
	s.o.Policy, s.o.Budget, s.o.Every = p, elastic.Budget{Hourly: 5 * pricing.Unit}, 5*time.Minute
	near := worldPart{worldProvider{s.world}, s.o.Nodes[:3], false}
	s.o.Clouds = []Cloud{
		{Name: "private", Nodes: s.o.Nodes[:3], Boot: s.boot, Price: pricing.Milli, Provider: near},
		{Name: "commercial", Nodes: s.o.Nodes[3:], Boot: s.boot, Price: 85 * pricing.Milli, Provider: worldPart{worldProvider{s.world}, s.o.Nodes[3:], false}},
	}
	if private != nil {
		s.o.Clouds[0].Provider = private(near)
	}
	s.o.Watch = func(e *Entry, _ *Status) {
		if e != nil {
			s.told = append(s.told, *e)
		}
	}
	s.open()
	return s
}

// open opens the journal, again if it is open.
func (s *stage) open() {
	s.t.Helper()
	if s.m != nil {
		s.m.Close()
	}
	m, err := reopen(s.file, s.world, Provide(s.o.Clouds), s.o)
	if err != nil {
		s.t.Fatal(err)
	}
	m.results = make(chan result, 1000)
	m.spawn = func(f func()) { f() }
	s.m = m
}

// pass lets minutes pass.
func (s *stage) pass(minutes int) {
	s.t.Helper()
	for range 4 * minutes {
		s.advance(15 * time.Second)
		s.step(s.t, s.m)
	}
}

// reasons returns why there are entries of a kind about a node, or about any for "".
func (s *stage) reasons(k Kind, node string) (all []string) {
	for _, e := range s.told {
		if e.Kind == k && (node == "" || e.Node == node) {
			all = append(all, e.Reason)
		}
	}
	return all
}

// rents returns how many instances of nodes there are that have not ended.
func (s *stage) rents(nodes []string) (n int) {
	for _, in := range s.instances {
		if !in.dead && slices.Contains(nodes, in.Node) {
			n++
		}
	}
	return n
}

// closedPolicies are the policies that place each job in one infrastructure, and serve every
// job that one can hold; each call returns new ones.
func closedPolicies() []elastic.Policy {
	return []elastic.Policy{&elastic.OD{}, &elastic.OD{Plus: true}, &elastic.AQTP{Response: time.Minute},
		&elastic.MCOP{CostWeight: .2, Rand: rand.New(rand.NewPCG(7, 0))}}
}

// A node that an administrator has drained, or that another journal's instance has, or that
// Slurm does not know, is no place in its cloud, and the journal says so: a job that then
// does not fit there is served by another cloud.
func TestClosedNode(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		close func(*stage)
		says  string
	}{
		{"drained", func(s *stage) { s.node("n3").drains, s.node("n3").reason = true, "disk" }, "it is drained (disk): no job gets it"},
		{"foreign", func(s *stage) {
			s.instances = append(s.instances, &worldInstance{Instance: provider.Instance{ID: "i", Token: "0ld-1-n3", Node: "n3", Created: s.now},
				ready: s.now.Add(1e5 * time.Hour)})
		}, "is not this journal's"},
		{"strange", func(s *stage) { s.node("n3").fixed = true }, "no instance of the journal has it"},
		{"unknown", func(s *stage) {
			s.nodes = slices.DeleteFunc(s.nodes, func(n *worldNode) bool { return n.name == "n3" })
		}, "n3"},
		{"drained when idle", func(s *stage) {
			s.submit(1, 2*time.Minute, time.Hour)
			s.submit(1, 2*time.Minute, time.Hour)
			s.submit(1, 2*time.Minute, time.Hour)
			for s.now.Before(worldStart.Add(time.Hour)) && s.m.state.uses == nil {
				s.pass(1)
			}
			for _, n := range []string{"n3", "n4", "n5"} {
				if s.live(n) != nil {
					s.node(n).drains, s.node(n).reason = true, "disk"
					return
				}
			}
			s.node("n3").drains, s.node("n3").reason = true, "disk"
		}, "it is drained (disk): no job gets it"},
	} {
		for k := range closedPolicies() {
			p := closedPolicies()[k]
			s := newStage(t, p, nil)
			s.pass(1)
			c.close(s)
			s.pass(11) // a list has told
			s.submit(3, time.Hour, time.Hour)
			j := s.jobs[len(s.jobs)-1]
			for s.pass(1); j.begun == 0 && s.now.Before(worldStart.Add(8*time.Hour)); s.pass(1) {
			}
			if j.begun != 1 || s.now.Sub(j.submit) > 2*time.Hour {
				t.Errorf("%s, %v (%d): the job has begun %d times after %v", c.name, p, k, j.begun, s.now.Sub(j.submit))
			}
			if text := fmt.Sprint(s.reasons(Failed, "")); !strings.Contains(text, c.says) {
				t.Errorf("%s, %v: the journal does not say %q: %s", c.name, p, c.says, text)
			}
			for _, e := range s.told {
				if more := 0; e.Kind == Asking && e.Cloud == "private" {
					if fmt.Sscanf(e.Reason, "%d more", &more); more > 2 && c.name != "drained when idle" {
						t.Errorf("%s, %v: %s", c.name, p, e.Reason)
					}
				}
			}
			for _, text := range s.wrong {
				t.Errorf("%s, %v: %s", c.name, p, text)
			}
			s.m.Close()
		}
	}
}

// A job that needs all nodes of the largest cloud waits while one of them is drained. It is
// told of once, holds nobody up, and runs when the node is resumed.
func TestExcludedForNow(t *testing.T) {
	s := newStage(t, &elastic.OD{}, nil)
	s.node("n8").drains, s.node("n8").reason = true, "disk"
	s.submit(6, time.Minute, time.Hour)
	s.jobs[0].priority = 0 // Slurm passes over it
	s.submit(3, time.Minute, time.Hour)
	s.pass(60)
	if s.jobs[1].end.IsZero() || s.jobs[0].begun > 0 {
		t.Errorf("the job behind has ended: %v; the first began %d times", !s.jobs[1].end.IsZero(), s.jobs[0].begun)
	}
	want := []string{"it needs 6 nodes in one place, and can have 5, since instances cannot use n8: it waits until they can"}
	if got := s.reasons(Excluded, ""); !slices.Equal(got, want) {
		t.Errorf("told: %q, want %q", got, want)
	}
	s.node("n8").drains, s.jobs[0].priority = false, 9
	s.pass(30)
	if s.jobs[0].begun != 1 {
		t.Errorf("resumed: the job has begun %d times", s.jobs[0].begun)
	}
}

// A cloud that has fewer nodes free than its places, as when Slurm is not told that a node is
// down, refuses the rest, and the policy asks another cloud at once.
func TestShortOfNodes(t *testing.T) {
	p := policyFunc(func(dst []elastic.Action, s *elastic.Snapshot) []elastic.Action {
		for i, n := range []int{0, 5, 5} {
			if i > 0 && s.Clouds[i].Refused == 0 && len(s.Clouds[i].Instances) == 0 {
				return append(dst, elastic.Action{Launch: true, Cloud: i, Count: n})
			}
		}
		return dst
	})
	s := newStage(t, p, nil)
	s.pass(3)
	if near, far := s.rents(s.o.Nodes[:3]), s.rents(s.o.Nodes[3:]); near != 3 || far != 5 {
		t.Errorf("%d and %d instances, want 3 and 5", near, far)
	}
	if text := s.reasons(Failed, ""); !slices.Contains(text, "launching in private: 3 nodes are free of the 5 that the policy wants: the rest counts as refused") {
		t.Errorf("told: %q", text)
	}
	if text := s.reasons(Asking, "n3"); len(text) != 1 || !strings.HasPrefix(text[0], "3 more in private") {
		t.Errorf("asked: %q", text)
	}
}

// A cloud whose creations fail and fail is asked five times for an instance. Then that counts
// as refused, and the policy asks another cloud, also if lists fail and a manager is killed
// now and then. Instances that failed calls have created, which lists tell of late, are given
// back, and the bill has them.
func TestBrokenCloud(t *testing.T) {
	t.Parallel()
	found := 0
	for _, c := range []struct {
		name         string
		after, lists bool
		lag          time.Duration
		killed       bool
	}{
		{name: "nothing created"},
		{name: "killed", killed: true},
		{name: "no lists", lists: true},
		{name: "created", after: true},
		{name: "created, seen late", after: true, lag: 20 * time.Minute},
		{name: "created, killed", after: true, killed: true},
	} {
		for k := range closedPolicies() {
			p := closedPolicies()[k]
			part := brokenPart{after: c.after, lists: c.lists}
			s := newStage(t, p, func(w worldPart) provider.Provider { part.worldPart = w; return &part })
			s.lag = c.lag
			if c.after {
				s.boot, s.m.o.BootLimit, s.o.BootLimit = 50*time.Minute, 2*time.Hour, 2*time.Hour // no job starts there before they are known
			}
			rng := rand.New(rand.NewPCG(8, uint64(k)))
			s.submit(3, time.Hour, time.Hour)
			for s.pass(1); s.jobs[0].begun == 0 && s.now.Before(worldStart.Add(8*time.Hour)); s.pass(1) {
				if c.killed && rng.IntN(4) == 0 {
					s.o.Policy = closedPolicies()[k]
					s.open()
				}
			}
			if s.jobs[0].begun != 1 || s.now.Sub(worldStart) > 3*time.Hour {
				t.Errorf("%s, %v (%d): the job has begun %d times after %v", c.name, p, k, s.jobs[0].begun, s.now.Sub(worldStart))
			}
			if text := fmt.Sprint(s.reasons(Failed, "n3")); !strings.Contains(text,
				"exit status 1; 5 calls have failed: it counts as refused, and the cloud as closed for 10m0s") {
				t.Errorf("%s, %v: told %s", c.name, p, text)
			}
			text := s.reasons(Refused, "n3")
			if said := slices.Contains(text, "5 calls have failed, and it is not in the provider's lists"); !c.after && said == c.lists {
				t.Errorf("%s, %v: refused because %q", c.name, p, text)
			}
			part.lists = false
			s.pass(4 * 60)
			for _, in := range s.instances {
				if in.Live() {
					t.Errorf("%s, %v (%d): %s on %s is still rented", c.name, p, k, in.ID, in.Node)
				}
				if slices.Contains(s.o.Nodes[:3], in.Node) {
					found++
				}
			}
			want := pricing.Money(0)
			for i, cloud := range s.o.Clouds {
				var own []provider.Instance
				for _, in := range s.instances {
					if slices.Contains(cloud.Nodes, in.Node) {
						own = append(own, in.Instance)
					}
				}
				b, err := provider.Charge(own, s.now, s.m.Clock(), s.o.Meter, s.o.Clouds[i].Price)
				if err != nil {
					t.Fatal(err)
				}
				want += b.Cost
			}
			if bill, err := s.m.Bill(); err != nil || bill.Cost != want {
				t.Errorf("%s, %v (%d): the bill is $%v, %v; the clouds' $%v", c.name, p, k, bill.Cost, err, want)
			}
			for _, text := range s.wrong {
				t.Errorf("%s, %v: %s", c.name, p, text)
			}
			s.m.Close()
		}
	}
	if found < 10 {
		t.Errorf("failed calls created only %d instances", found)
	}
}
