package main

import (
	"fmt"
	"io"
	"time"

	"github.com/plimsoll/plimsoll/pricing/focus"
	"github.com/plimsoll/plimsoll/pricing/usage"
)

// writeFocus writes the order as rows of purchases: one for each order, whose charge
// period is the term, with the payment of today as the billed cost and what is owed in
// all as the list cost.
func (r *results) writeFocus(w io.Writer) error {
	rows := focus.NewWriter(w)
	if s := r.spending; s != nil {
		row := usage.Row{Account: "order", Currency: r.bill.Currency, Start: r.now, End: s.until, Charge: usage.Purchase, Kind: usage.Kind{Provider: s.groups[0].kinds[0].Provider},
			Billed: usage.AmountOf(s.today), List: usage.AmountOf(s.commitment), Commitment: usage.Commitment{ID: fmt.Sprintf("order-%s-plan", r.now.Format(time.DateOnly)),
				Name: s.name, Type: "Savings Plan", Spend: true, Unit: r.bill.Currency, Quantity: usage.AmountOf(s.commitment), Start: r.now, End: s.until, Once: true}}
		if err := rows.Write(&row); err != nil {
			return err
		}
	}
	for i, g := range r.groups {
		for j, o := range g.advice.Orders {
			id := fmt.Sprintf("order-%s-%d-%d", r.now.Format(time.DateOnly), i+1, j+1)
			var kind usage.Kind
			if len(g.kinds) > 0 {
				kind = g.kinds[0]
			}
			row := usage.Row{Account: "order", Currency: r.bill.Currency, Start: r.now, End: o.Until, Charge: usage.Purchase,
				Kind: usage.Kind{Provider: kind.Provider, Region: kind.Region}, Billed: usage.AmountOf(o.Upfront), List: usage.AmountOf(o.Commitment),
				Commitment: usage.Commitment{ID: id, Name: fmt.Sprintf("%s of %s, %s", count(o.Units, g.unit), o.Class, g.name), Type: "Reserved Instance", Unit: "Hours",
					Quantity: usage.Units(int64(o.Units)), Start: r.now, End: o.Until, Region: kind.Region, Once: true}}
			if err := rows.Write(&row); err != nil {
				return err
			}
		}
	}
	return rows.Flush()
}
