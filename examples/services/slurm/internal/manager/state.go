package manager

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/provider"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/schedule/sim/bills"
)

// An Entry is a line of the journal: a change of state. What is about to be done is
// written before it is done, and what came of it after.
type Entry struct {
	Kind Kind          `json:"kind"`
	At   time.Duration `json:"at_ns"` // of the scaled clock

	Token    string             `json:"token,omitempty"` // of an instance
	Node     string             `json:"node,omitempty"`
	ID       string             `json:"id,omitempty"` // the provider's
	Created  time.Time          `json:"created,omitzero"`
	Ended    time.Time          `json:"ended,omitzero"`
	Reason   string             `json:"reason,omitempty"`
	Job      int64              `json:"job,omitempty"`
	Priority uint32             `json:"priority,omitempty"` // that the job had
	Begin    *Begin             `json:"begin,omitempty"`
	Demand   []int              `json:"demand,omitempty"` // of a period, by the hour
	Bought   []pricing.Purchase `json:"bought,omitempty"` // at its end
	Use      *Use               `json:"use,omitempty"`    // of a job that has ended
	Cloud    string             `json:"cloud,omitempty"`  // where an instance is asked for
	Price    pricing.Money      `json:"price,omitempty"`  // of an hour of it
	Hours    int                `json:"hours,omitempty"`  // whose credits accrue
	Amount   pricing.Money      `json:"amount,omitempty"` // of credits that accrue, or are left
	Policy   string             `json:"policy,omitempty"` // that remembers Memory
	Memory   int                `json:"memory,omitempty"`
}

// A Kind says what an entry is.
type Kind string

// The kinds of entries.
const (
	Began    Kind = "began"    // the first: when the clock showed 0, and how long an hour takes
	Asking   Kind = "asking"   // an instance is about to be asked for
	Rented   Kind = "rented"   // it was granted, with the provider's name for it
	Refused  Kind = "refused"  // it was not
	Up       Kind = "up"       // its node was seen up
	Leaving  Kind = "leaving"  // it is about to be given back
	Staying  Kind = "staying"  // it is not, since a job has the node
	Gone     Kind = "gone"     // it was given back, or has ended otherwise
	Failed   Kind = "failed"   // a call failed, and will be tried again
	Stray    Kind = "stray"    // the provider has an instance that is to have ended
	Spare    Kind = "spare"    // the provider has a second instance for a token
	Promoted Kind = "promoted" // a job starts before its turn
	Excluded Kind = "excluded" // a job that can never start here, or not while nodes are closed
	Week     Kind = "week"     // a period of purchases has ended: what is to be bought; Token is the beginning of those of its orders
	Bought   Kind = "bought"   // a purchase was made
	Accrued  Kind = "accrued"  // credits of the hours that have begun
	// What the policy remembers between evaluations has changed.
	Remembered Kind = "remembered"
	Ran        Kind = "ran" // a job has ended, on nodes that it used
)

// Begin is what a journal begins with.
type Begin struct {
	Cluster string        `json:"cluster"` // the first part of all tokens
	Origin  time.Time     `json:"origin"`
	Hour    time.Duration `json:"hour_ns"`
}

// A phase is where an instance is between being asked for and having ended.
type phase uint8

const (
	asking phase = iota
	rented
	up
	leaving
	gone
)

// A lease is an instance as the manager knows it.
type lease struct {
	provider.Instance
	phase phase
	asked time.Duration // when
	why   string        // it leaves
	cloud string        // with a policy: where it is, and
	price pricing.Money // what an hour of it costs

	came    time.Duration // when its node was first seen up
	left    time.Duration // when it was decided to give it back
	lost    time.Duration // when its node, which had been up, was first seen not to be; 0 while it is up
	working bool          // a call to the provider is under way
	retry   time.Duration // when it may be called again
	tries   int           // calls that failed, one after the other; while it is asked for, by the journal
	missing int           // lists that did not have it, one after the other
	doubt   bool          // a call to create it failed, and may have created it
	denied  bool          // and then it was refused, or enough calls failed
	after   int           // lists that were asked for before it was gone
	ended   bool          // one asked for since has it as ended, or several have not
	down    bool          // and its node was taken down
}

// spareMark is in the token that the manager gives to an instance that the provider has
// created beside another one with the same token; the provider's name for it follows.
// Tokens that are asked for do not have it.
const spareMark = "="

// spare reports whether the instance was created beside another one, for the same token.
func (l *lease) spare() bool { return strings.Contains(l.Token, spareMark) }

// state is what the journal tells, and nothing else.
type state struct {
	begin    Begin
	leases   []*lease // in the order in which they were asked for
	byToken  map[string]*lease
	promoted map[int64]uint32 // the priority that a job had
	excluded map[int64]bool
	weeks    []week
	bought   []pricing.Purchase
	orders   []*order
	uses     []Use
	used     map[usage]bool // the runs of uses
	entries  int
	accruals int           // hours whose credits have accrued
	accrued  pricing.Money // those credits
	policy   string        // that remembers memory
	memory   int
	failures int
}

// A week is a period of purchases.
type week struct {
	demand []int
	bought []pricing.Purchase // at its end
}

func newState() *state {
	return &state{byToken: map[string]*lease{}, promoted: map[int64]uint32{}, excluded: map[int64]bool{}, used: map[usage]bool{}}
}

// apply changes the state by an entry. What the journal of one manager cannot have is
// an error.
func (s *state) apply(e *Entry) error {
	s.entries++
	if (e.Kind == Began) != (s.entries == 1) {
		return fmt.Errorf("the entry %q as number %d: a journal begins with %q, once", e.Kind, s.entries, Began)
	}
	l := s.byToken[e.Token]
	switch e.Kind {
	case Began:
		if e.Begin == nil || e.Begin.Hour <= 0 || e.Begin.Cluster == "" {
			return fmt.Errorf("the entry %q without a cluster or an hour", e.Kind)
		}
		s.begin = *e.Begin
		return nil
	case Asking:
		if l != nil || e.Token == "" || e.Node == "" {
			return fmt.Errorf("the instance %q is asked for twice, or has no node", e.Token)
		}
		l = &lease{Instance: provider.Instance{Token: e.Token, Node: e.Node}, asked: e.At, cloud: e.Cloud, price: e.Price}
		l.doubt = true // for a manager that reads it and was not there
		s.leases = append(s.leases, l)
		s.byToken[e.Token] = l
		return nil
	case Spare: // it is to be given back
		if l != nil || e.ID == "" || e.Node == "" {
			return fmt.Errorf("the spare instance %q comes twice, or has no name or node", e.Token)
		}
		l = &lease{Instance: provider.Instance{ID: e.ID, Token: e.Token, Node: e.Node, Created: e.Created}, asked: e.At,
			phase: leaving, why: e.Reason, cloud: e.Cloud, price: e.Price}
		s.leases = append(s.leases, l)
		s.byToken[e.Token] = l
		return nil
	case Promoted:
		s.promoted[e.Job] = e.Priority
		return nil
	case Excluded:
		s.excluded[e.Job] = true
		return nil
	case Week:
		s.weeks = append(s.weeks, week{e.Demand, e.Bought})
		s.bought = append(s.bought, e.Bought...)
		s.orders = append(s.orders, orders(e)...)
		return nil
	case Bought:
		i := slices.IndexFunc(s.orders, func(o *order) bool { return o.token == e.Token })
		if i < 0 || s.orders[i].bought {
			return fmt.Errorf("the entry %q about %q, which was not to be bought, or was", e.Kind, e.Token)
		}
		s.orders[i].bought = true
		return nil
	case Ran:
		if e.Use == nil || e.Use.Nodes < 1 || e.Use.Start < 0 || e.Use.End <= e.Use.Start || e.Use.User < bills.Unknown || s.used[usage{e.Job, e.Use.Start}] {
			return fmt.Errorf("the entry %q about job %d, which used nothing, or comes twice", e.Kind, e.Job)
		}
		s.uses, s.used[usage{e.Job, e.Use.Start}] = append(s.uses, *e.Use), true
		return nil
	case Accrued:
		sum, err := s.accrued.Add(e.Amount)
		if err != nil || e.Hours < 1 || e.Amount < 0 {
			return fmt.Errorf("the entry %q of %d hours and $%v: %w", e.Kind, e.Hours, e.Amount, err)
		}
		s.accruals, s.accrued = s.accruals+e.Hours, sum
		return nil
	case Remembered:
		s.policy, s.memory = e.Policy, e.Memory
		return nil
	case Failed:
		s.failures++
		if l != nil && l.phase == asking {
			l.tries++
		}
		return nil
	}
	if l == nil {
		return fmt.Errorf("the entry %q about %q, which was not asked for", e.Kind, e.Token)
	}
	switch e.Kind {
	case Rented:
		l.ID, l.Created, l.tries = e.ID, e.Created, 0
		if l.phase == asking {
			l.phase = rented
		}
	case Refused:
		delete(s.byToken, e.Token)
		s.leases = slices.DeleteFunc(s.leases, func(x *lease) bool { return x == l })
	case Up:
		l.phase = up
		if l.came == 0 {
			l.came = e.At
		}
	case Leaving:
		l.phase, l.why, l.left = leaving, e.Reason, e.At
	case Staying:
		l.phase = up
	case Gone:
		l.phase, l.Ended = gone, e.Ended
	case Stray:
		l.phase, l.Ended = leaving, time.Time{}
	default:
		return fmt.Errorf("the entry %q, which is none", e.Kind)
	}
	return nil
}

// replay applies an entry of the journal.
func (s *state) replay(text []byte) error {
	var e Entry
	if err := json.Unmarshal(text, &e); err != nil {
		return err
	}
	return s.apply(&e)
}

// instances returns all instances that were rented, whether or not they have ended.
func (s *state) instances() []provider.Instance {
	var all []provider.Instance
	for _, l := range s.leases {
		if l.phase != asking {
			all = append(all, l.Instance)
		}
	}
	return all
}
