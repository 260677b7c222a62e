// Package runner carries out what schedule/spot decides: steps 7 and 8 of [Huang13]. It
// requests clusters, submits tasks, watches for interruptions, moves tasks, and gives
// clusters back.
//
// # How it survives a kill
//
// The runner may be killed at any moment and started again. What it knows is in a journal,
// to which it only appends. The order of steps keeps tasks and clusters:
//
//  1. The runner looks at the clusters of a task and asks the task's framework agent what to do.
//  2. It appends the looks, the bids and the commands to the journal.
//  3. It carries out the commands.
//
// A framework agent is a function of its looks, bids and times. So a runner that begins
// again gives the agents the looks of the journal, and they are where they were. The
// commands of a task's last entry may or may not have been carried out: the runner carries
// them out again. This changes nothing where they were carried out, because every cluster
// has a token that the journal determines, and a [Cloud] does each thing once for a token.
//
// A cloud of instances keeps there what it knows of each: see [Sighting].
//
// So no task is lost: a task is in the journal before the runner does anything for it. No
// cluster is leaked: a token is in the journal before the cluster is requested, and the
// runner closes each cluster that the journal says is closed. No task runs twice past its
// checkpoint: a task is submitted once for each cluster, and begins at what is saved.
package runner

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/fsck"
	"github.com/plimsoll/plimsoll/examples/internal/journal"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/schedule/spot"
)

// A Task is to be run.
type Task struct {
	spot.Task
	Name    string
	Submit  time.Duration // when the runner takes it
	Command string        // for a cloud that runs commands
}

// A Request is a cluster that is asked for.
type Request struct {
	Token     string
	Task      int // index
	Tier      spot.Tier
	Bid       pricing.Money // for an instance-hour; 0 on demand
	Instances int
	Submitted bool // the runner has submitted the task there before
}

// A Lease is a cluster that was closed.
type Lease struct {
	Launched time.Duration `json:"launched_ns"` // of the clock; -1 if the cluster was never granted
	Ended    time.Duration `json:"ended_ns"`
	Cost     pricing.Money `json:"cost"` // of all its instances, and of all that were lost before
	// Unsure is why the cost is not known, "" if it is. Then the cost is Cost at most, and
	// Least at least.
	Unsure string        `json:"unsure,omitempty"`
	Least  pricing.Money `json:"least,omitempty"`
	Failed string        `json:"failed,omitempty"` // why the task failed there, "" if it did not
}

// A Sighting is what is known of an instance. The journal keeps sightings, so that the cost
// of an instance is known, or bounded, if the provider forgets the instance while no runner
// is there to see its end.
type Sighting struct {
	Token   string        `json:"token"`
	ID      string        `json:"id,omitempty"`
	Type    string        `json:"type,omitempty"`
	Tier    spot.Tier     `json:"tier"`
	Price   pricing.Money `json:"price"`            // of an hour on demand; the bid on spot
	Asked   time.Time     `json:"asked"`            // when it was requested
	Created time.Time     `json:"created,omitzero"` // as the provider says; zero while it has not answered
	Seen    time.Time     `json:"seen,omitzero"`    // when it was rented for sure, at last
	Ended   time.Time     `json:"ended,omitzero"`
	Missed  bool          `json:"missed,omitempty"`  // the provider has forgotten it: it ended between Seen and Ended
	Refused bool          `json:"refused,omitempty"` // there is no such instance

	restored bool // from the journal
	listed   bool // by the provider, to this runner
}

// A Keeper is a [Cloud] that has the journal keep what it knows of instances. Keep is
// called before all other methods, with what the journal has. Write appends what has
// changed, and that all others that have not ended were rented at a time.
type Keeper interface {
	Keep(known []Sighting, write func(changed []Sighting, seen time.Time) error)
}

// A Cloud rents clusters and runs tasks on them. A second call of any method for the same
// token changes nothing. A method that fails is called again later.
type Cloud interface {
	// Open asks for a cluster. The cluster need not be there when Open returns.
	Open(r Request) error
	// Submit moves what is saved of the task to the cluster, and starts the task there.
	Submit(token string) error
	// Look says what has become of the cluster and of the task on it.
	Look(token string) (spot.Observation, error)
	// Close ends a cluster or withdraws its request. Interrupted says that the runner has
	// seen the provider take the cluster.
	Close(token string, interrupted bool) (Lease, error)
	// Live returns the tokens of all clusters that are not closed.
	Live() ([]string, error)
}

// Options are what a runner is told.
type Options struct {
	Journal  string // its file
	Tasks    []Task
	Handover spot.Handover // Interval must be 0: the runner looks when something may have happened
	Bid      func(t *spot.Task, tier spot.Tier, now, saved time.Duration) pricing.Money
	Plan     func(task int, s spot.BidState) spot.BidDecision // under spot.RulePlanned
	Cloud    Cloud
	// Retry is how long the runner leaves a task alone after the cloud has failed.
	Retry time.Duration
	// Crash, if set, is called between all steps: a test ends the runner there.
	Crash func()
	// Note, if set, is told what the runner does.
	Note func(now time.Duration, task int, what string)
}

// A Runner runs tasks. It is for one goroutine.
type Runner struct {
	o     Options
	j     *journal.Journal
	id    string // the first part of all tokens
	tasks []task
	next  time.Duration
	did   []int // since the last entry
	first bool  // of the journal

	known  map[string]Sighting // by token
	tokens []string            // of known, as they were first asked for
}

// task is a task and where it stands.
type task struct {
	f        spot.Framework
	index    int // in f
	taken    bool
	done     bool
	finish   time.Duration
	opened   int // clusters so far
	clusters [2]*cluster
	pending  []action
	again    bool // the agent has something to do at once
	ending   bool // it is complete, and its end is to be noted
	retry    time.Duration
	seen     [2]spot.Observation // the last in the journal
	leases   []closed

	// Of the step that is under way, or is read from the journal.
	step   *Entry
	replay bool
	at     int // bids or decisions used
}

// cluster is a cluster that was asked for and is not closed.
type cluster struct {
	Request
	submitted   bool
	interrupted bool
}

// action is a command with the cluster that it is about.
type action struct {
	kind    spot.CommandKind
	cluster cluster
}

type closed struct {
	token string
	Lease
}

// An Entry is a line of the journal.
type Entry struct {
	Kind      string             `json:"kind"` // began, took, step, closed, ended or instances
	At        time.Duration      `json:"at_ns"`
	ID        string             `json:"id,omitempty"`    // of began
	Tasks     string             `json:"tasks,omitempty"` // of began: a sum of what the tasks are
	Task      int                `json:"task"`
	Looks     []Look             `json:"looks,omitempty"`
	Bids      []pricing.Money    `json:"bids,omitempty"`
	Decisions []spot.BidDecision `json:"decisions,omitempty"`
	Commands  []spot.Command     `json:"commands,omitempty"`
	Token     string             `json:"token,omitempty"`
	Lease     *Lease             `json:"lease,omitempty"`
	Did       []int              `json:"did,omitempty"` // tasks whose last commands were all carried out before this entry
	Instances []Sighting         `json:"instances,omitempty"`
	Seen      time.Time          `json:"seen,omitzero"` // when all instances that have not ended were rented
}

// A Look is what was seen of a cluster.
type Look struct {
	Tier spot.Tier        `json:"tier"`
	Seen spot.Observation `json:"seen"`
}

// ErrOptions: the tasks or the journal are not what the runner can go on with.
var ErrOptions = errors.New("runner")

// Open opens the journal, or begins one, and is where the journal ends.
func Open(o Options) (*Runner, error) {
	if o.Handover.Interval != 0 {
		return nil, fmt.Errorf("%w: an interval of %v: want 0", ErrOptions, o.Handover.Interval)
	}
	if o.Retry == 0 {
		o.Retry = 10 * time.Second
	}
	r := &Runner{o: o, tasks: make([]task, len(o.Tasks)), first: true, known: map[string]Sighting{}}
	for i := range o.Tasks {
		if err := o.Tasks[i].Validate(); err != nil {
			return nil, fmt.Errorf("%w: task %q: %w", ErrOptions, o.Tasks[i].Name, err)
		}
		t := &r.tasks[i]
		t.f.Handover = o.Handover
		t.f.Bid = func(x *spot.Task, tier spot.Tier, now, saved time.Duration) pricing.Money {
			return r.bid(t, x, tier, now, saved)
		}
		t.f.Plan = func(_ *spot.Task, s spot.BidState) spot.BidDecision { return r.plan(i, s) }
	}
	sum, err := r.sum()
	if err != nil {
		return nil, err
	}
	r.j, err = journal.Open(o.Journal, func(text []byte) error {
		var e Entry
		if err := json.Unmarshal(text, &e); err != nil {
			return err
		}
		if e.Kind == "began" && e.Tasks != sum {
			return fmt.Errorf("%w: the journal is of other tasks or of another rule: want the same, or another journal", ErrOptions)
		}
		return r.again(&e)
	})
	if err != nil {
		return nil, err
	}
	open := true
	defer func() {
		if open { // an error, or a test that ends the runner here
			r.j.Close()
		}
	}()
	if r.first {
		var random [4]byte // another journal of the same tasks has other tokens
		if _, err := rand.Read(random[:]); err != nil {
			return nil, err
		}
		r.id = "t" + hex.EncodeToString(random[:])
		if err := r.write(&Entry{Kind: "began", ID: r.id, Tasks: sum}); err != nil {
			return nil, err
		}
	}
	if k, ok := o.Cloud.(Keeper); ok {
		var known []Sighting
		for _, token := range r.tokens {
			if s, ok := r.known[token]; ok {
				known = append(known, s)
			}
		}
		k.Keep(known, func(changed []Sighting, seen time.Time) error {
			return r.write(&Entry{Kind: "instances", Instances: changed, Seen: seen})
		})
	}
	if err := r.resume(); err != nil {
		return nil, err
	}
	open = false
	return r, nil
}

// Check says what a journal has. The error is the damage.
func Check(name string) (fsck.Finding, error) {
	first := true
	return fsck.Journal(name, "a journal of cap3 run", func(text []byte) error {
		var e Entry
		if err := json.Unmarshal(text, &e); err != nil {
			return err
		}
		if (e.Kind == "began") != first {
			return fmt.Errorf("the entry %q is out of place", e.Kind)
		}
		first = false
		return nil
	})
}

// Close closes the journal. Tasks go on where they are.
func (r *Runner) Close() error { return r.j.Close() }

// sum is a number of what the tasks and the rule are.
func (r *Runner) sum() (string, error) {
	text, err := json.Marshal(struct {
		Tasks []Task
		Rule  spot.Handover
	}{r.o.Tasks, r.o.Handover})
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), err
}

func (r *Runner) crash() {
	if r.o.Crash != nil {
		r.o.Crash()
	}
}

func (r *Runner) write(e *Entry) error {
	r.crash()
	e.Did = r.did
	err := r.j.Append(e)
	r.crash()
	r.did = r.did[:0]
	return err
}

// again applies an entry of the journal.
func (r *Runner) again(e *Entry) error {
	if (e.Kind == "began") != r.first || e.Task < 0 || e.Task >= len(r.tasks) && e.Kind != "began" {
		return fmt.Errorf("the entry %q of task %d is out of place", e.Kind, e.Task)
	}
	r.first = false
	for _, i := range e.Did {
		if i < 0 || i >= len(r.tasks) {
			return fmt.Errorf("the entry %q has done task %d, which there is not", e.Kind, i)
		}
		r.tasks[i].pending = nil
	}
	if e.Kind == "began" {
		r.id = e.ID
		return nil
	}
	t := &r.tasks[e.Task]
	switch e.Kind {
	case "instances":
		r.see(e)
		return nil
	case "took":
		t.again = true
		return r.take(t, e.Task, e.At)
	case "ended":
		return nil // its last commands are carried out, as Did says
	case "closed":
		t.close(e.Token, *e.Lease)
		return nil
	case "step":
		t.step, t.replay, t.at = e, true, 0
		commands := t.f.AppendCommands(nil, e.At, (*looker)(t).Look)
		t.replay = false
		if len(commands) != len(e.Commands) {
			return fmt.Errorf("task %d at %v: %d commands follow from what was seen, and the entry has %d", e.Task, e.At, len(commands), len(e.Commands))
		}
		for i := range commands {
			if commands[i] != e.Commands[i] {
				return fmt.Errorf("task %d at %v: the command %d is %v, and %v follows from what was seen", e.Task, e.At, i, e.Commands[i], commands[i])
			}
		}
		for _, l := range e.Looks {
			t.seen[at(l.Tier)] = l.Seen
		}
		t.again = len(e.Commands) > 0
		r.apply(t, e.Task, e)
		return nil
	}
	return fmt.Errorf("the entry %q, which is none", e.Kind)
}

// see notes what an entry says of instances.
func (r *Runner) see(e *Entry) {
	for _, s := range e.Instances {
		if s.Refused {
			delete(r.known, s.Token)
			continue
		}
		if _, ok := r.known[s.Token]; !ok {
			r.tokens = append(r.tokens, s.Token)
		}
		r.known[s.Token] = s
	}
	for token, s := range r.known {
		if !e.Seen.IsZero() && !s.Created.IsZero() && s.Ended.IsZero() {
			s.Seen = e.Seen
			r.known[token] = s
		}
	}
}

// at is the index of a tier's cluster: spot or on demand.
func at(tier spot.Tier) int {
	if tier == spot.TierHigh {
		return 1
	}
	return 0
}

func (r *Runner) take(t *task, i int, now time.Duration) (err error) {
	if t.taken {
		return fmt.Errorf("task %d is taken twice", i)
	}
	x := r.o.Tasks[i].Task
	x.Deadline = max(x.Deadline, now+1) // a task that is late before the runner began is run, too
	t.index, err = t.f.Take(x, now)
	t.taken = err == nil
	return err
}

// apply changes the state by a step's commands, and notes what is to be carried out.
func (r *Runner) apply(t *task, i int, e *Entry) {
	t.pending = t.pending[:0]
	for _, c := range e.Commands {
		k := at(c.Tier)
		switch c.Kind {
		case spot.CommandOpen:
			t.opened++
			t.seen[k] = spot.Observation{}
			t.clusters[k] = &cluster{Request: Request{
				Token: r.id + "-" + strconv.Itoa(i) + "-" + strconv.Itoa(t.opened), Task: i, Tier: c.Tier, Bid: c.Bid, Instances: r.o.Tasks[i].Instances,
			}}
		case spot.CommandSubmit:
			t.clusters[k].submitted = true
		case spot.CommandReturn:
			t.clusters[k].interrupted = c.Interrupted
		case spot.CommandComplete:
			t.done, t.finish = true, e.At
		}
		t.pending = append(t.pending, action{kind: c.Kind, cluster: *t.clusters[k]})
		if c.Kind == spot.CommandClose {
			t.clusters[k] = nil
		}
	}
}

// close notes a lease, unless it is known.
func (t *task) close(token string, l Lease) {
	for _, x := range t.leases {
		if x.token == token {
			return
		}
	}
	t.leases = append(t.leases, closed{token: token, Lease: l})
}

// resume asks again for all that the journal says was asked for, and closes what it says
// was closed.
func (r *Runner) resume() error {
	keep := map[string]bool{}
	var requests []Request
	for i := range r.tasks {
		t := &r.tasks[i]
		clusters := slices.Clone(t.clusters[:])
		for k := range t.pending {
			if a := &t.pending[k]; a.kind == spot.CommandClose {
				clusters = append(clusters, &a.cluster) // closed in a moment, with its lease
			}
		}
		for _, c := range clusters {
			if c == nil {
				continue
			}
			keep[c.Token] = true
			q := c.Request
			q.Submitted = c.submitted
			requests = append(requests, q)
		}
	}
	live, err := r.o.Cloud.Live()
	if err != nil {
		return err
	}
	for _, token := range live {
		if len(token) > len(r.id) && token[:len(r.id)] == r.id && !keep[token] {
			if _, err := r.o.Cloud.Close(token, false); err != nil {
				return err
			}
		}
	}
	for _, q := range requests {
		if err := r.o.Cloud.Open(q); err != nil {
			return err
		}
	}
	return nil
}

// bid is the bid of the journal, or else of the options.
func (r *Runner) bid(t *task, x *spot.Task, tier spot.Tier, now, saved time.Duration) pricing.Money {
	if t.replay {
		if t.at >= len(t.step.Bids) {
			return 0 // the commands will differ from the journal's
		}
		t.at++
		return t.step.Bids[t.at-1]
	}
	b := r.o.Bid(x, tier, now, saved)
	t.step.Bids = append(t.step.Bids, b)
	return b
}

// plan is the decision of the journal, or else of the options.
func (r *Runner) plan(i int, s spot.BidState) spot.BidDecision {
	t := &r.tasks[i]
	if t.replay {
		if t.at >= len(t.step.Decisions) {
			return spot.BidDecision{}
		}
		t.at++
		return t.step.Decisions[t.at-1]
	}
	d := r.o.Plan(i, s)
	t.step.Decisions = append(t.step.Decisions, d)
	return d
}

// looker is a task as its framework agent sees it.
type looker task

// Look returns what was seen in this step, or before.
func (l *looker) Look(_ int, tier spot.Tier) spot.Observation {
	for _, x := range l.step.Looks { // one look a step
		if x.Tier == tier {
			return x.Seen
		}
	}
	return l.seen[at(tier)]
}

// Step lets all tasks look at a time, and carries out what follows. It reports whether
// anything happened: if so, the caller calls it again at the same time. An error is one of
// the journal, after which the runner cannot go on; failures of the cloud are tried again.
func (r *Runner) Step(now time.Duration) (bool, error) {
	any := false
	r.next = spot.Never
	for i := range r.tasks {
		happened, err := r.stepTask(i, now)
		if err != nil {
			return false, err
		}
		any = any || happened
		t := &r.tasks[i]
		switch {
		case !t.taken:
			r.next = min(r.next, r.o.Tasks[i].Submit)
		case t.retry > now:
			r.next = min(r.next, t.retry)
		case t.f.Len() > 0:
			r.next = min(r.next, t.f.Next())
		}
	}
	return any, nil
}

// Next returns when a task wants to look again, unless something happens before.
func (r *Runner) Next() time.Duration { return r.next }

func (r *Runner) stepTask(i int, now time.Duration) (bool, error) {
	t := &r.tasks[i]
	if !t.taken {
		if now < r.o.Tasks[i].Submit {
			return false, nil
		}
		if err := r.write(&Entry{Kind: "took", At: now, Task: i}); err != nil {
			return false, err
		}
		if err := r.take(t, i, now); err != nil {
			return false, err
		}
		t.again = true
		return true, nil
	}
	if now < t.retry {
		return false, nil
	}
	if len(t.pending) > 0 {
		return r.carryOut(t, i, now)
	}
	if t.f.Len() == 0 {
		return false, nil
	}
	e := &Entry{Kind: "step", At: now, Task: i}
	changed := false
	for k, c := range t.clusters {
		if c == nil {
			continue
		}
		o, err := r.o.Cloud.Look(c.Token)
		if err != nil {
			return r.fails(t, i, now, "looking at "+c.Token, err)
		}
		e.Looks = append(e.Looks, Look{c.Tier, o})
		changed = changed || o != t.seen[k]
	}
	if !changed && !t.again && now < t.f.Next() {
		return false, nil // nothing to tell the agent, and it has not asked to look
	}
	t.step = e
	e.Commands = t.f.AppendCommands(nil, now, (*looker)(t).Look)
	if t.again = len(e.Commands) > 0; !t.again && len(e.Decisions) == 0 && !changed {
		return false, nil // the agent is where it was
	}
	if err := r.write(e); err != nil {
		return false, err
	}
	for _, l := range e.Looks {
		t.seen[at(l.Tier)] = l.Seen
	}
	r.apply(t, i, e)
	if len(t.pending) == 0 {
		return false, nil
	}
	return r.carryOut(t, i, now)
}

// fails notes a failure of the cloud.
func (r *Runner) fails(t *task, i int, now time.Duration, doing string, err error) (bool, error) {
	t.retry = now + r.o.Retry
	r.note(now, i, doing+": "+err.Error())
	return false, nil
}

func (r *Runner) note(now time.Duration, i int, what string) {
	if r.o.Note != nil {
		r.o.Note(now, i, what)
	}
}

// carryOut does what the last step wants done.
func (r *Runner) carryOut(t *task, i int, now time.Duration) (bool, error) {
	for len(t.pending) > 0 {
		a := &t.pending[0]
		token := a.cluster.Token
		r.crash()
		switch a.kind {
		case spot.CommandOpen:
			if err := r.o.Cloud.Open(a.cluster.Request); err != nil {
				return r.fails(t, i, now, "opening "+token, err)
			}
			r.note(now, i, fmt.Sprintf("agent %v opens %s", a.cluster.Tier, token))
		case spot.CommandSubmit:
			if err := r.o.Cloud.Submit(token); err != nil {
				return r.fails(t, i, now, "submitting to "+token, err)
			}
			r.note(now, i, "runs on "+token)
		case spot.CommandClose:
			l, err := r.o.Cloud.Close(token, a.cluster.interrupted)
			if err != nil {
				return r.fails(t, i, now, "closing "+token, err)
			}
			if err := r.write(&Entry{Kind: "closed", At: now, Task: i, Token: token, Lease: &l}); err != nil {
				return false, err
			}
			t.close(token, l)
			cost := "$" + l.Cost.String()
			if l.Unsure != "" {
				cost = fmt.Sprintf("$%s to $%s, because %s", l.Least, l.Cost, l.Unsure)
			}
			r.note(now, i, fmt.Sprintf("closes %s: %s", token, cost))
		case spot.CommandReturn:
			r.note(now, i, "is taken back from "+token)
		case spot.CommandComplete:
			t.ending = true // whether it has failed is known when its cluster is closed
		}
		r.crash()
		t.pending = t.pending[1:]
	}
	if t.ending {
		t.ending = false
		what := "is complete"
		for _, l := range t.leases {
			if l.Failed != "" {
				what = "has failed: " + l.Failed
			}
		}
		r.note(now, i, what)
	}
	r.did = append(r.did, i)
	if t.f.Len() == 0 { // no later step of the task will say so
		if err := r.write(&Entry{Kind: "ended", At: now, Task: i}); err != nil {
			return false, err
		}
	}
	return true, nil
}

// Done reports whether all tasks have ended and all clusters are closed.
func (r *Runner) Done() bool {
	for i := range r.tasks {
		if t := &r.tasks[i]; !t.taken || len(t.pending) > 0 || t.f.Len() > 0 {
			return false
		}
	}
	return true
}

// A Result is what became of a task.
type Result struct {
	Done   bool
	Finish time.Duration // when the runner saw the end
	Met    bool
	Leases int
	Cost   pricing.Money // of leases that are closed; at most, if Unsure has a reason
	Least  pricing.Money // at least
	Unsure []string      // why the cost is not known
	Failed string        // why the task failed, "" if it did not
}

// Result returns what became of a task so far.
func (r *Runner) Result(i int) (Result, error) {
	t := &r.tasks[i]
	out := Result{Done: t.done, Finish: t.finish, Met: t.done && t.finish <= r.o.Tasks[i].Deadline, Leases: len(t.leases)}
	for _, l := range t.leases {
		var err error
		if out.Cost, err = out.Cost.Add(l.Cost); err != nil {
			return out, err
		}
		least := l.Cost
		if l.Unsure != "" {
			least = l.Least
			out.Unsure = append(out.Unsure, l.Unsure)
		}
		if out.Least, err = out.Least.Add(least); err != nil {
			return out, err
		}
		if l.Failed != "" {
			out.Failed = l.Failed
		}
	}
	return out, nil
}
