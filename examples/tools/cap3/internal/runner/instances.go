//go:build unix

package runner

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/clock"
	"github.com/plimsoll/plimsoll/examples/internal/provider"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/schedule/spot"
)

// Instances is a cloud of a provider's instances. A cluster is so many instances as its task
// wants. What runs on them is the matter of Jobs.
//
// With a History, spot instances follow its prices on the clock: the cloud requests them
// while the price is at most the bid, and deletes them when the price rises above. Without
// one, the provider does both: it refuses instances while the price is too high, and ends
// them.
//
// A token of an instance is that of its cluster, a number of the attempt, and a number within
// the cluster. If the provider takes an instance before the task is submitted, the next
// attempt begins.
//
// The provider may forget instances that have ended. Instances keeps in the runner's
// journal when each was requested, created, seen and ended, and its price. The cost of an
// instance that ended unseen lies between that until it was last seen and that until it
// was missed. Without a History, the bid bounds the cost of a spot instance.
type Instances struct {
	// Renter returns who creates instances for a request. It may tell the tier and the bid
	// to the provider.
	Renter   func(r Request) provider.Provider
	Provider provider.Provider // lists and deletes
	Jobs     Jobs
	Clock    *clock.Clock
	Tasks    []Task
	History  *pricing.SpotHistory
	OnDemand pricing.Money
	Spot     pricing.SpotMeter
	Meter    pricing.Meter
	Type     string        // of instances, if it has a name
	Timeout  time.Duration // of a call to the provider; 0 is a minute
	Fresh    time.Duration // how long a list of instances is used
	// Every is how long the cloud waits before it asks again for an instance that was
	// refused, and before it writes again that instances were seen; 0 is a minute.
	Every time.Duration

	held   map[string]*holding
	known  map[string]*Sighting // by token
	write  func([]Sighting, time.Time) error
	kept   time.Time // when it was last written that instances were seen
	list   []provider.Instance
	listed time.Time
}

// Jobs run tasks on clusters. Every method is called again after a failure.
type Jobs interface {
	// State says what a cluster is doing.
	State(c *Cluster) (State, error)
	// Submit moves what is saved of the task to the cluster, and starts the task. A second
	// call for a cluster changes nothing.
	Submit(c *Cluster) error
	// Save has the task save its progress, where it does not do so by itself.
	Save(c *Cluster) error
}

// A Cluster is instances that a task runs on.
type Cluster struct {
	Task  *Task
	Token string   // of the cluster
	IDs   []string // of its instances
	Names []string // their tokens
}

// A State is that of a job.
type State struct {
	Ready  bool          // the instances have booted
	Began  bool          // the task was started there
	Done   bool          // the task has ended
	Failed string        // why, if it has failed
	Saved  time.Duration // work in checkpoints
}

// holding is a cluster that was asked for.
type holding struct {
	Request
	attempt int
	saved   time.Duration // when a checkpoint was last asked for
	refused time.Time     // when an instance was last refused
	failed  string
}

func (c *Instances) context() (context.Context, context.CancelFunc) {
	limit := c.Timeout
	if limit == 0 {
		limit = time.Minute
	}
	return context.WithTimeout(context.Background(), limit)
}

// Keep takes what the journal has of instances.
func (c *Instances) Keep(known []Sighting, write func([]Sighting, time.Time) error) {
	c.known, c.write = map[string]*Sighting{}, write
	for _, s := range known {
		s.restored = true
		c.known[s.Token] = &s
	}
}

// keep writes what has changed.
func (c *Instances) keep(changed ...*Sighting) error {
	if c.write == nil || len(changed) == 0 {
		return nil
	}
	return c.write(sightings(changed), time.Time{})
}

func sightings(list []*Sighting) (all []Sighting) {
	for _, s := range list {
		all = append(all, *s)
	}
	return all
}

func (c *Instances) every() time.Duration { return cmp.Or(c.Every, time.Minute) }

// Open remembers a cluster; Look creates its instances.
func (c *Instances) Open(r Request) error {
	if c.held == nil {
		c.held = map[string]*holding{}
	}
	if c.held[r.Token] == nil {
		c.held[r.Token] = &holding{Request: r}
	}
	return nil
}

// instances returns what the provider has of a cluster, by attempt.
func (c *Instances) instances(token string) ([]provider.Instance, error) {
	if c.list == nil || time.Since(c.listed) > c.Fresh {
		ctx, cancel := c.context()
		defer cancel()
		list, err := c.Provider.List(ctx)
		if err != nil {
			return nil, err
		}
		if list, err = c.remember(list); err != nil {
			return nil, err
		}
		c.list, c.listed = list, time.Now()
	}
	var out []provider.Instance
	for _, in := range c.list {
		if strings.HasPrefix(in.Token, token+"-") {
			out = append(out, in)
		}
	}
	return out, nil
}

// remember notes what a list says of instances that were asked for, and adds those to the
// list that the provider has forgotten: it may list those only that are rented. An
// instance that is missing has ended by now.
func (c *Instances) remember(list []provider.Instance) ([]provider.Instance, error) {
	now := c.Clock.Real()
	listed, live := map[string]bool{}, false
	var changed []*Sighting
	for _, in := range list {
		listed[in.Token] = true
		s := c.known[in.Token]
		if s == nil {
			continue
		}
		s.listed = true
		if s.note(in, now) {
			changed = append(changed, s)
		}
		live = live || in.Live()
	}
	list = slices.Clone(list)
	for _, token := range slices.Sorted(maps.Keys(c.known)) {
		s := c.known[token]
		if listed[token] {
			continue
		}
		switch {
		case !s.Ended.IsZero():
		case s.Created.IsZero() && !s.restored:
			continue // a request that failed a moment ago, and is repeated
		case !s.Created.IsZero() && !s.listed && now.Sub(s.Asked) < c.every():
			// lists may lag behind
		default:
			s.Ended, s.Missed = now, true
			changed = append(changed, s)
		}
		created := s.Created
		if created.IsZero() {
			created = s.Asked // at the earliest
		}
		list = append(list, provider.Instance{ID: s.ID, Token: token, Node: token, Created: created, Ended: s.Ended})
	}
	if c.write == nil || len(changed) == 0 && (!live || now.Sub(c.kept) < c.every()) {
		return list, nil
	}
	c.kept = now
	return list, c.write(sightings(changed), now)
}

// note takes what a provider says of the instance at a time, and reports whether that is
// more than that the instance is still rented.
func (s *Sighting) note(in provider.Instance, now time.Time) bool {
	news := s.ID != in.ID || !s.Created.Equal(in.Created) || !s.Ended.Equal(in.Ended)
	s.ID, s.Created, s.Ended, s.Missed = in.ID, in.Created, in.Ended, false
	if s.Seen = in.Ended; in.Live() {
		s.Seen = now
	}
	return news
}

// attempt returns the number of an instance's attempt.
func attempt(token string) int {
	parts := strings.Split(token, "-")
	if len(parts) < 2 {
		return -1
	}
	n, err := strconv.Atoi(parts[len(parts)-2])
	if err != nil {
		return -1
	}
	return n
}

// find returns a cluster that was asked for, and the instances of its last attempt in the
// order of their numbers.
func (c *Instances) find(token string) (*holding, []provider.Instance, error) {
	h := c.held[token]
	if h == nil {
		return nil, nil, fmt.Errorf("there is no cluster %q", token)
	}
	all, err := c.instances(token)
	if err != nil {
		return nil, nil, err
	}
	for _, in := range all {
		h.attempt = max(h.attempt, attempt(in.Token))
	}
	all = slices.DeleteFunc(all, func(in provider.Instance) bool { return attempt(in.Token) != h.attempt })
	number := func(in provider.Instance) int {
		n, _ := strconv.Atoi(in.Token[strings.LastIndexByte(in.Token, '-')+1:])
		return n
	}
	slices.SortFunc(all, func(a, b provider.Instance) int { return number(a) - number(b) })
	return h, all, nil
}

// cluster is what jobs run on.
func (c *Instances) cluster(h *holding, all []provider.Instance) *Cluster {
	out := &Cluster{Task: &c.Tasks[h.Task], Token: h.Token}
	for _, in := range all {
		out.IDs, out.Names = append(out.IDs, in.ID), append(out.Names, in.Token)
	}
	return out
}

// Look creates instances that are missing, and says what has become of the others.
func (c *Instances) Look(token string) (o spot.Observation, err error) {
	h, all, err := c.find(token)
	if err != nil {
		return o, err
	}
	now := c.Clock.Now()
	task, err := c.Jobs.State(&Cluster{Task: &c.Tasks[h.Task]}) // whatever its clusters do
	if err != nil {
		return o, err
	}
	o.Saved = task.Saved
	lost := slices.ContainsFunc(all, func(in provider.Instance) bool { return !in.Live() })
	if !lost && len(all) > 0 && c.taken(h, all) <= now {
		lost = true
	}
	began := h.Submitted
	// An instance that neither the journal nor the provider knows.
	lost = lost || began && len(all) < h.Instances
	if lost {
		if began {
			// The end counts if it came before the loss.
			if len(all) == h.Instances {
				if s, err := c.Jobs.State(c.cluster(h, all)); err == nil && s.Done {
					o.Done = true
					h.failed = s.Failed
				}
			}
			o.Launched, o.Ready, o.Interrupted = true, true, true
			return o, c.delete(all)
		}
		if err := c.delete(all); err != nil {
			return o, err
		}
		h.attempt++
		c.list = nil
		all = nil
	}
	if len(all) < h.Instances {
		if c.History != nil && h.Tier != spot.TierHigh && c.History.At(now) > h.Bid {
			return o, nil
		}
		return o, c.create(h, all)
	}
	o.Launched = true
	s, err := c.Jobs.State(c.cluster(h, all))
	if err != nil {
		return o, err
	}
	o.Ready, o.Done, o.Saved = s.Ready || began, began && s.Done, max(o.Saved, s.Saved)
	h.failed = s.Failed
	if every := c.Tasks[h.Task].Checkpoints.Every; began && !s.Done && every > 0 && now >= h.saved+every {
		h.saved = now
		err = c.Jobs.Save(c.cluster(h, all))
	}
	return o, err
}

// taken is when the price rose above the bid of a cluster.
func (c *Instances) taken(h *holding, all []provider.Instance) time.Duration {
	if c.History == nil || h.Tier == spot.TierHigh {
		return spot.Never
	}
	first := spot.Never
	for _, in := range all {
		first = min(first, c.Clock.At(in.Created))
	}
	at, ok := c.History.NextAbove(max(first, c.History.Start()), h.Bid)
	if !ok {
		return spot.Never
	}
	return at
}

// create asks for the instances of a cluster that are missing. That the provider refuses
// one is no failure: spot instances wait for their price, and are asked for again later.
// What is asked for stands in the journal before.
func (c *Instances) create(h *holding, have []provider.Instance) error {
	now := c.Clock.Real()
	if !h.refused.IsZero() && now.Sub(h.refused) < c.every() {
		return nil
	}
	if c.known == nil {
		c.known = map[string]*Sighting{}
	}
	var asked []*Sighting
	for k := range h.Instances {
		name := fmt.Sprintf("%s-%d-%d", h.Token, h.attempt, k)
		if slices.ContainsFunc(have, func(in provider.Instance) bool { return in.Token == name }) {
			continue
		}
		s := &Sighting{Token: name, Type: c.Type, Tier: h.Tier, Price: h.Bid, Asked: now}
		if h.Tier == spot.TierHigh {
			s.Price = c.OnDemand
		}
		asked = append(asked, s)
	}
	if err := c.keep(asked...); err != nil {
		return err
	}
	c.list = nil
	rent := c.Renter(h.Request)
	var failed error
	for i, s := range asked {
		ctx, cancel := c.context()
		in, err := rent.Create(ctx, s.Token, s.Token)
		cancel()
		if err == nil {
			c.known[s.Token] = s
			s.note(in, c.Clock.Real())
			continue
		}
		rest := asked[i:] // of which there are none
		if errors.Is(err, provider.ErrRefused) {
			h.refused = now
		} else {
			c.known[s.Token] = s // the next list tells
			rest, failed = asked[i+1:], err
		}
		for _, s := range rest {
			s.Refused = true
		}
		break
	}
	return cmp.Or(failed, c.keep(asked...))
}

// delete ends instances.
func (c *Instances) delete(all []provider.Instance) error {
	for _, in := range all {
		if !in.Live() {
			continue
		}
		ctx, cancel := c.context()
		ended, err := c.Provider.Delete(ctx, in.ID)
		cancel()
		c.list = nil
		if err != nil {
			return err
		}
		if s := c.known[in.Token]; s != nil && !ended.Live() {
			s.Seen, s.Ended, s.Missed = ended.Ended, ended.Ended, false
			if err := c.keep(s); err != nil {
				return err
			}
		}
	}
	return nil
}

// whole reports whether all instances of a cluster are rented.
func (h *holding) whole(all []provider.Instance) bool {
	return len(all) == h.Instances && !slices.ContainsFunc(all, func(in provider.Instance) bool { return !in.Live() })
}

// Submit starts a task. If an instance has ended, Submit leaves it to Look to say so.
func (c *Instances) Submit(token string) error {
	h, all, err := c.find(token)
	if err != nil {
		return err
	}
	h.Submitted, h.saved = true, c.Clock.Now()
	if !h.whole(all) {
		return nil
	}
	return c.Jobs.Submit(c.cluster(h, all))
}

// Close ends a cluster's instances, of all attempts, and says what they cost.
func (c *Instances) Close(token string, interrupted bool) (l Lease, err error) {
	h, all, err := c.find(token)
	if err == nil && h.Submitted && !interrupted && len(all) == h.Instances {
		s, err := c.Jobs.State(c.cluster(h, all))
		if err == nil && s.Done {
			h.failed = s.Failed
		} else if err == nil && h.whole(all) {
			if err := c.Jobs.Save(c.cluster(h, all)); err != nil {
				return l, err
			}
		}
	}
	if all, err = c.instances(token); err != nil {
		return l, err
	}
	if err := c.delete(all); err != nil {
		return l, err
	}
	if all, err = c.instances(token); err != nil {
		return l, err
	}
	l.Launched = -1
	if h != nil {
		l.Failed = h.failed
	}
	var b bounds
	for _, in := range all {
		if in.Live() {
			return l, fmt.Errorf("the provider says that %s has not ended", in.ID)
		}
		from, to := c.Clock.At(in.Created), c.Clock.At(in.Ended)
		if l.Launched < 0 || from < l.Launched {
			l.Launched = from
		}
		l.Ended = max(l.Ended, to)
		if s := c.known[in.Token]; s != nil { // else this runner never asked for it
			if err := c.charge(&b, s, interrupted); err != nil {
				return l, err
			}
		}
	}
	l.Cost = b.most
	if b.unsure > 0 {
		l.Least, l.Unsure = b.least, b.why
	}
	if b.unsure > 1 {
		l.Unsure += fmt.Sprintf(", and likewise of %d others", b.unsure-1)
	}
	return l, nil
}

// A bounds is the cost of instances.
type bounds struct {
	least, most pricing.Money
	unsure      int    // of how many it is not known
	why         string // of the first
}

// charge adds the cost of an instance.
func (c *Instances) charge(b *bounds, s *Sighting, interrupted bool) error {
	from := s.Created
	if from.IsZero() {
		from = s.Asked
	}
	cost := func(until time.Time) (pricing.Money, error) {
		begin := c.Clock.At(from)
		span := max(0, c.Clock.At(until)-begin)
		if s.Tier == spot.TierHigh || c.History == nil {
			return c.Meter.Cost(s.Price, span)
		}
		by := pricing.EndedByUser
		if interrupted {
			by = pricing.EndedByProvider
		}
		return c.Spot.Cost(*c.History, max(begin, c.History.Start()), span, by)
	}
	most, err := cost(s.Ended)
	if err != nil {
		return err
	}
	least, unsure := most, ""
	at := func(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05") }
	switch {
	case s.Created.IsZero():
		least, unsure = 0, fmt.Sprintf("nobody knows whether %s was rented from %s to %s", s.Token, at(s.Asked), at(s.Ended))
	case s.Tier != spot.TierHigh && c.History == nil:
		least, unsure = 0, fmt.Sprintf("of the price of %s only the bid is known, $%s an hour", s.ID, s.Price)
	case s.Missed:
		if least, err = cost(s.Seen); err != nil {
			return err
		}
		unsure = fmt.Sprintf("%s ended unseen, after %s and before %s", s.ID, at(s.Seen), at(s.Ended))
	}
	if least < most {
		if b.unsure++; b.unsure == 1 {
			b.why = unsure
		}
	}
	if b.most, err = b.most.Add(most); err == nil {
		b.least, err = b.least.Add(least)
	}
	return err
}

// Live returns the tokens of clusters that have instances.
func (c *Instances) Live() (tokens []string, err error) {
	c.list = nil
	if _, err := c.instances(""); err != nil {
		return nil, err
	}
	for _, in := range c.list {
		parts := strings.Split(in.Token, "-")
		if !in.Live() || len(parts) != 5 {
			continue
		}
		if token := strings.Join(parts[:3], "-"); !slices.Contains(tokens, token) {
			tokens = append(tokens, token)
		}
	}
	slices.Sort(tokens)
	return tokens, nil
}

// Commands are jobs that a user's commands run, each by /bin/sh -c with
//
//	PLIMSOLL_TASK       the name of the task
//	PLIMSOLL_COMMAND    what it runs
//	PLIMSOLL_CLUSTER    a name for the cluster, "" where the task has none
//	PLIMSOLL_INSTANCES  what the provider calls its instances
//	PLIMSOLL_NODES      their names, as they were asked for
//
// in the environment. StatusCommand writes words: booting, ready, running, done or failed,
// and perhaps the seconds of work in checkpoints, such as "running 3600"; without a
// cluster it writes "none 3600". MoveCommand brings what is saved to the cluster, and
// SubmitCommand starts the task there; the runner calls them unless the status says that
// the task runs or is done. SaveCommand saves the progress. Move and save may be "".
type Commands struct {
	StatusCommand, MoveCommand, SubmitCommand, SaveCommand string
	Timeout                                                time.Duration
}

func (c *Commands) run(command string, x *Cluster) (string, error) {
	limit := c.Timeout
	if limit == 0 {
		limit = time.Minute
	}
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, "/bin/sh", "-c", command)
	cmd.Env = append(cmd.Environ(), "PLIMSOLL_TASK="+x.Task.Name, "PLIMSOLL_COMMAND="+x.Task.Command, "PLIMSOLL_CLUSTER="+x.Token,
		"PLIMSOLL_INSTANCES="+strings.Join(x.IDs, " "), "PLIMSOLL_NODES="+strings.Join(x.Names, " "))
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = time.Second
	var msg strings.Builder
	cmd.Stderr = &msg
	text, err := cmd.Output()
	if err != nil && !errors.Is(err, exec.ErrWaitDelay) {
		return "", fmt.Errorf("%s: %w: %s", command, err, strings.TrimSpace(msg.String()[:min(msg.Len(), 400)]))
	}
	return string(text), nil
}

// State runs the status command.
func (c *Commands) State(x *Cluster) (s State, err error) {
	text, err := c.run(c.StatusCommand, x)
	if err != nil {
		return s, err
	}
	return ParseStatus(text)
}

// ParseStatus reads what a status command writes.
func ParseStatus(text string) (s State, err error) {
	words := strings.Fields(text)
	if len(words) == 0 {
		return s, errors.New("the status command has written nothing: want booting, ready, running, done, failed or none")
	}
	switch words[0] {
	case "none", "booting":
	case "ready":
		s.Ready = true
	case "running":
		s.Ready, s.Began = true, true
	case "done":
		s.Ready, s.Began, s.Done = true, true, true
	case "failed":
		s.Ready, s.Began, s.Done, s.Failed = true, true, true, "the status command says so"
	default:
		return s, fmt.Errorf("the status command has written %q: want booting, ready, running, done, failed or none", words[0])
	}
	if len(words) > 1 {
		x, err := strconv.ParseFloat(words[1], 64)
		if err != nil || !(x >= 0 && x < 1e9) {
			return s, fmt.Errorf("the status command has written %q: want seconds of work", words[1])
		}
		s.Saved = time.Duration(x * float64(time.Second))
	}
	return s, nil
}

// Submit runs the move and the submit command, unless the task has begun there.
func (c *Commands) Submit(x *Cluster) error {
	s, err := c.State(x)
	if err != nil || s.Began {
		return err
	}
	for _, command := range []string{c.MoveCommand, c.SubmitCommand} {
		if command == "" {
			continue
		}
		if _, err := c.run(command, x); err != nil {
			return err
		}
	}
	return nil
}

// Save runs the save command.
func (c *Commands) Save(x *Cluster) error {
	if c.SaveCommand == "" {
		return nil
	}
	_, err := c.run(c.SaveCommand, x)
	return err
}
