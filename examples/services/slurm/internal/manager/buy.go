package manager

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/provider"
	"github.com/plimsoll/plimsoll/pricing"
)

// What is to be bought is in the journal's entry about the end of a period, with a token
// for each purchase. Then the buyer is called, with the same token until it has bought.
// Where there is no buyer the entry is advice, and has no tokens: a buyer that there is
// later does not buy what somebody may have bought by then.

// An order is a purchase that a buyer is to make.
type order struct {
	token    string
	purchase pricing.Purchase
	bought   bool

	working bool
	retry   time.Duration
	tries   int
}

// orders returns the orders of an entry about a period, if a buyer is to make them.
func orders(e *Entry) []*order {
	var all []*order
	for i, p := range e.Bought {
		if e.Token != "" {
			all = append(all, &order{token: fmt.Sprintf("%s-%d", e.Token, i), purchase: p})
		}
	}
	return all
}

// Purchases says what is bought, such as "3 of 1y-light, 1 of 3y-heavy".
func Purchases(l pricing.List, bought []pricing.Purchase) string {
	var list []string
	for _, b := range bought {
		list = append(list, fmt.Sprintf("%d of %s", b.Count, l.Classes[b.Class].Name))
	}
	return strings.Join(list, ", ")
}

// advice is the reason in an entry about a period.
func (m *Manager) advice(bought []pricing.Purchase) string {
	switch {
	case len(bought) == 0:
		return "there is nothing to buy"
	case m.o.Buyer == nil:
		return "buy " + Purchases(m.o.Prices, bought) + " now: it is taken to be bought, and nothing here does it"
	}
	return "buying " + Purchases(m.o.Prices, bought)
}

// buy calls the buyer for what has not been bought.
func (m *Manager) buy(now time.Duration) error {
	for _, o := range m.state.orders {
		if o.bought || o.working || now < o.retry {
			continue
		}
		class := m.o.Prices.Classes[o.purchase.Class]
		if m.o.Buyer == nil {
			o.retry = 1<<63 - 1
			err := m.write(Entry{Kind: Failed, Token: o.token, Reason: m.buying(o) + ": nothing here does it any more, and it may have been done"})
			if err != nil {
				return err
			}
			continue
		}
		o.working = true
		r := provider.Reservation{Token: o.token, Class: class.Name, Count: o.purchase.Count, Term: class.Term}
		m.call(func(ctx context.Context) result {
			id, err := m.o.Buyer.Buy(ctx, r)
			return result{order: o, id: id, err: err}
		})
	}
	return nil
}

func (m *Manager) buying(o *order) string {
	return "buying " + Purchases(m.o.Prices, []pricing.Purchase{o.purchase})
}

// ordered notes what came of a call to the buyer.
func (m *Manager) ordered(o *order, id string, err error) error {
	o.working = false
	if err != nil {
		o.retry = m.clock.Now() + m.pause(&o.tries)
		return m.write(Entry{Kind: Failed, Token: o.token, Reason: m.buying(o) + ": " + err.Error()})
	}
	text := Purchases(m.o.Prices, []pricing.Purchase{o.purchase})
	if id != "" {
		text += ", which is " + id
	}
	return m.write(Entry{Kind: Bought, Token: o.token, ID: id, Reason: text})
}

// Unbought returns what is to be bought and has not been yet, as far as is known. Not while
// the manager runs.
func (m *Manager) Unbought() []pricing.Purchase {
	var open []pricing.Purchase
	for _, o := range m.state.orders {
		if !o.bought {
			open = append(open, o.purchase)
		}
	}
	return open
}

// Invoice returns what the hours that were charged cost with the reservations that were
// bought, and the reservations. Not while the manager runs.
func (m *Manager) Invoice() (pricing.Bill, error) {
	demand := m.Hours()
	for _, p := range m.state.bought { // the fee of one is to be paid, whatever comes after
		demand = append(demand, make([]int, max(0, p.Slot+1-len(demand)))...)
	}
	var b pricing.Biller
	bill, err := b.Bill(m.o.Prices, demand, time.Hour, m.state.bought)
	bill.Classes = slices.Clone(bill.Classes)
	return bill, err
}
