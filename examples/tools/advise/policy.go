package main

import (
	"fmt"
	"slices"
	"time"

	"github.com/plimsoll/plimsoll/pricing"
)

// payment returns how a class is paid: none, partial or all of its price ahead.
func payment(c *pricing.Class) string {
	switch {
	case c.Upfront == 0:
		return "none"
	case c.Hourly == 0:
		return "all"
	}
	return "partial"
}

// permitted reports whether -terms and -payments permit a contract.
func (r *results) permitted(term time.Duration, payment string) bool {
	years := fmt.Sprintf("%.0fy", term.Hours()/8760)
	return (len(r.o.terms) == 0 || slices.Contains(r.o.terms, years)) && (len(r.o.payments) == 0 || slices.Contains(r.o.payments, payment))
}
