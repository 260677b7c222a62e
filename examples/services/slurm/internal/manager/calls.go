package manager

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/provider"
)

// Calls to the provider may take long, so each has a goroutine, and what comes of it
// comes back to the manager's own.

// call calls the provider.
func (m *Manager) call(do func(context.Context) result) {
	m.calls++
	m.spawn(func() {
		ctx, cancel := context.WithTimeout(m.within, m.o.Timeout)
		defer cancel()
		m.results <- do(ctx)
	})
}

// ask asks for an instance, for the first time or again.
func (m *Manager) ask(l *lease) {
	l.working = true
	token, node := l.Token, l.Node
	m.call(func(ctx context.Context) result {
		in, err := m.provider.Create(ctx, token, node)
		return result{lease: l, did: asking, in: in, err: err}
	})
}

// giveBack ends an instance.
func (m *Manager) giveBack(l *lease) {
	l.working = true
	id := l.ID
	m.call(func(ctx context.Context) result {
		in, err := m.provider.Delete(ctx, id)
		return result{lease: l, did: leaving, in: in, err: err}
	})
}

// came notes what came of a call.
func (m *Manager) came(r result) error {
	l := r.lease
	if r.order != nil {
		return m.ordered(r.order, r.id, r.err)
	}
	if l == nil {
		m.auditing = false
		if r.err != nil {
			m.audit = min(m.audit, m.clock.Now()+m.o.RetryEvery)
			return m.callFailed("listing instances", nil, r.err)
		}
		return m.compare(r.list, r.seq)
	}
	l.working = false
	now := m.clock.Now()
	switch {
	case r.did == asking && errors.Is(r.err, provider.ErrRefused) && l.doubt:
		// This call has created nothing, but one before may have: lists will tell.
		l.denied, l.after, l.missing = true, m.lists, 0
		m.audit = 0
		return m.callFailed("asking for an instance", l, r.err)
	case r.did == asking && errors.Is(r.err, provider.ErrRefused):
		m.closed = now + m.o.RetryEvery
		m.look = true
		m.round.refuse(&m.o, l)
		return m.note(l, Refused, "%v", r.err)
	case r.did == asking && r.err != nil:
		l.retry, l.doubt = now+m.o.RetryEvery<<min(l.tries, patience), true
		if m.o.Policy == nil || l.tries+1 < enough {
			return m.callFailed("asking for an instance", l, r.err) // which counts the tries
		}
		// One of the calls may have created it: lists will tell.
		l.denied, l.after, l.missing = true, m.lists, 0
		m.audit = 0
		until := m.shut(l)
		return m.callFailed("asking for an instance", l, fmt.Errorf("%w; %d calls have failed: it counts as refused, and the cloud as closed for %v",
			r.err, l.tries+1, until-now))
	case r.did == asking:
		if l.phase != asking {
			return nil
		}
		if l.doubt { // the calls before may have created another one
			m.audit = 0
		}
		if err := m.write(Entry{Kind: Rented, Token: l.Token, Node: l.Node, ID: r.in.ID, Created: r.in.Created}); err != nil {
			return err
		}
		if !r.in.Live() { // it has ended since it was asked for the first time
			return m.gone(l, r.in.Ended, "the provider has ended it")
		}
	case r.err != nil:
		l.retry = now + m.pause(&l.tries)
		return m.callFailed("giving back", l, r.err)
	case r.in.Live():
		l.retry = now + m.pause(&l.tries)
		return m.callFailed("giving back", l, errors.New("the provider says that it has not ended"))
	default:
		l.tries = 0
		return m.gone(l, r.in.Ended, l.why)
	}
	return nil
}

// patience is how often the pause between two calls for an instance is doubled. A cloud that
// turns down calls because there are too many is not helped by more calls. But an instance
// that is to be given back costs money.
const patience = 3

// enough is how many calls for an instance of a policy fail before it counts as refused.
const enough = 5

// pause returns how long a call that has failed waits for the next one.
func (m *Manager) pause(tries *int) time.Duration {
	d := m.o.RetryEvery << min(*tries, patience)
	*tries++
	return d
}

// callFailed notes that a call to the provider has failed, each time that one does.
func (m *Manager) callFailed(what string, l *lease, err error) error {
	e := Entry{Kind: Failed, Reason: what + ": " + err.Error()}
	if l != nil {
		e.Token, e.Node = l.Token, l.Node
	}
	return m.write(e)
}

func (m *Manager) gone(l *lease, ended time.Time, why string) error {
	delete(m.idleSince, l.Token)
	l.after, l.missing, l.ended = m.lists, 0, false
	m.audit = 0 // its node is free once a list has it as ended
	return m.write(Entry{Kind: Gone, Token: l.Token, Node: l.Node, Ended: ended, Reason: why})
}

// list asks the provider what it has, from time to time, and asks again for instances
// whose first answer is not known.
func (m *Manager) list(_ context.Context, s *sight) error {
	for _, l := range m.state.leases {
		if l.phase == asking && !l.working && !l.denied && s.now >= l.retry {
			m.ask(l)
		}
	}
	if s.now < m.audit || m.auditing {
		return nil
	}
	m.audit = s.now + m.o.AuditEvery
	m.auditing = true
	m.lists++
	seq := m.lists
	m.call(func(ctx context.Context) result {
		list, err := m.provider.List(ctx)
		return result{list: list, seq: seq, err: err}
	})
	return nil
}

// missed is in how many lists in a row an instance has to be missing to be taken for
// ended: lists may lag behind, or be wrong.
const missed = 3

// compare compares the provider's list with what is known. The list was asked for as
// number seq.
func (m *Manager) compare(list []provider.Instance, seq int) error {
	listed := map[string]*provider.Instance{}
	for i := range list {
		in := &list[i]
		key := in.Token
		if l := m.state.byToken[key+spareMark+in.ID]; l != nil {
			key = l.Token
		}
		if was := listed[key]; was == nil || m.rather(in, was) {
			listed[key] = in
		}
	}
	// A journal cannot lack an instance that is its own, since it is written first; but
	// where the end of the journal was lost, what it had is found here. What another
	// journal has, or had before it was lost, is named, and is left alone with its node.
	prefix := m.state.begin.Cluster + "-"
	m.foreign = map[string]string{}
	for _, in := range list {
		if in.Live() && !strings.HasPrefix(in.Token, prefix) && slices.Contains(m.o.Nodes, in.Node) {
			m.foreign[in.Node] = in.ID
			err := m.failed("comparing with the provider", in.Node, "", fmt.Errorf("it has the instance %s, whose token %q is not this journal's, "+
				"which begin with %s: it is left alone, and charged for until somebody ends it", in.ID, in.Token, prefix))
			if err != nil {
				return err
			}
		}
		if in.Live() && strings.HasPrefix(in.Token, prefix) && m.state.byToken[in.Token] == nil {
			e := Entry{Kind: Asking, Token: in.Token, Node: in.Node, Reason: "the provider has it"}
			if c := m.o.cloudOf(in.Node); c >= 0 {
				e.Cloud, e.Price = m.o.Clouds[c].Name, m.o.Clouds[c].Price
			}
			if m.another(&lease{Instance: in}) { // which was asked for when this one was thought not to be
				e.Kind, e.ID, e.Created = Spare, in.ID, in.Created
				e.Reason = "the provider has it, and the node is another instance's: it is one too many"
			}
			if err := m.write(e); err != nil {
				return err
			}
		}
	}
	for _, l := range slices.Clone(m.state.leases) {
		in := listed[l.Token]
		if l.working {
			continue
		}
		if in != nil && l.ID != "" && in.ID != l.ID {
			in = nil // that is another one
		}
		var err error
		switch {
		case l.phase == leaving, l.phase == asking && (!l.denied || seq <= l.after), l.phase == gone && (l.ended || seq <= l.after):
		case in == nil:
			l.missing++
			switch {
			case l.missing < missed:
				m.audit = 0
			case l.phase == asking:
				m.closed, m.look = m.clock.Now()+m.o.RetryEvery, true
				why := "refused"
				if l.tries >= enough {
					why = fmt.Sprintf("%d calls have failed", l.tries)
				}
				err = m.note(l, Refused, "%s, and it is not in the provider's lists", why)
			case l.phase == gone:
				l.ended, m.look = true, true
			case l.missing == missed:
				err = m.failed("listing instances", l.Node, l.Token, errors.New("the provider does not list it"))
			}
		case l.phase == asking:
			err = m.came(result{lease: l, did: asking, in: *in})
		case in.Live() && l.phase == gone:
			err = m.note(l, Stray, "the provider lists it although it was given back")
		case !in.Live() && l.phase == gone:
			if !in.Ended.Equal(l.Ended) {
				err = m.write(Entry{Kind: Gone, Token: l.Token, Node: l.Node, Ended: in.Ended, Reason: "the provider's list has another end"})
			}
			l.ended, m.look = true, true
		case !in.Live():
			err = m.gone(l, in.Ended, "the provider has ended it")
		default:
			l.missing = 0
		}
		if err != nil {
			return err
		}
	}
	return m.spares(list)
}

// rather reports whether an instance is the one that a token stands for, and not
// another one with the same token: the one that is known by its name, then one that has
// not ended, then the first.
func (m *Manager) rather(in, other *provider.Instance) bool {
	if l := m.state.byToken[in.Token]; l != nil && l.ID != "" && (in.ID == l.ID) != (other.ID == l.ID) {
		return in.ID == l.ID
	}
	if in.Live() != other.Live() {
		return in.Live()
	}
	if c := in.Created.Compare(other.Created); c != 0 {
		return c < 0
	}
	return in.ID < other.ID
}

// spares finds instances that the provider has created beside others, for the same
// token: a provider whose creation was not answered, and whose list did not have what it
// had created, was asked again.
func (m *Manager) spares(list []provider.Instance) error {
	for i := range list {
		in := &list[i]
		l := m.state.byToken[in.Token]
		if !in.Live() || l == nil || l.working || l.ID == "" || l.ID == in.ID || m.state.byToken[in.Token+spareMark+in.ID] != nil {
			continue
		}
		err := m.write(Entry{Kind: Spare, Token: in.Token + spareMark + in.ID, Node: l.Node, ID: in.ID, Created: in.Created, Cloud: l.cloud, Price: l.price,
			Reason: fmt.Sprintf("the provider has created %s, too, for the token of %s: it is one too many", in.ID, l.ID)})
		if err != nil {
			return err
		}
	}
	return nil
}
