package exchange

import (
	"math"
	"time"
)

// forever is a time that never comes.
const forever = time.Duration(math.MaxInt64)

// after returns t+d, or forever if the sum does not fit in a Duration. Neither is
// negative.
func after(t, d time.Duration) time.Duration {
	if d > forever-t {
		return forever
	}
	return t + d
}

// outbox collects messages in memory that the next call uses again.
type outbox struct {
	msgs      []Message
	leases    []Lease
	requests  []Request
	resources []Resource
}

func (o *outbox) reset() {
	o.msgs, o.leases, o.requests, o.resources = o.msgs[:0], o.leases[:0], o.requests[:0], o.resources[:0]
}

// send adds a message. Its lists are the elements that were appended to the outbox's
// lists since mark was taken.
func (o *outbox) send(m Message, from mark) {
	m.Leases = o.leases[from.leases:len(o.leases):len(o.leases)]
	m.Requests = o.requests[from.requests:len(o.requests):len(o.requests)]
	m.Resources = o.resources[from.resources:len(o.resources):len(o.resources)]
	if len(m.Leases) == 0 {
		m.Leases = nil
	}
	if len(m.Requests) == 0 {
		m.Requests = nil
	}
	if len(m.Resources) == 0 {
		m.Resources = nil
	}
	o.msgs = append(o.msgs, m)
}

type mark struct{ leases, requests, resources int }

func (o *outbox) mark() mark { return mark{len(o.leases), len(o.requests), len(o.resources)} }
