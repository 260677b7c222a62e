package group

import (
	"fmt"
	"math"
	"time"

	"github.com/plimsoll/plimsoll/examples/services/fleet/internal/record"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/reserve"
)

// Terms are what all groups of a fleet have in common.
type Terms struct {
	// Provider names the cloud of the savings plan in what is written as FOCUS, such as "aws".
	Provider string
	// Currency is that of all prices, and Start the first of the Hours of every demand.
	Currency string
	Start    time.Time
	Hours    int
	// Every is the number of hours between two dates of purchase: 168 is weekly, and 0 is
	// every hour. Horizon says what counts of a term that outlives the demand.
	Every   int
	Horizon reserve.Horizon
	// Paths is over how many futures each group is planned; 0 is its demand. A fleet with a savings
	// plan has none.
	Paths int `json:",omitempty"`
	// Term is the term of the savings plan, a whole number of hours. 0 is no savings plan.
	Term time.Duration
	// Held are the commitments of the savings plan made before Start.
	Held []Commitment
}

// A Commitment is Hourly money an hour, made before the first hour, until a time.
type Commitment struct {
	ID     string `json:",omitempty"`
	Hourly pricing.Money
	Until  time.Time // the first instant at which the commitment pays no longer
	// Assumed says that nothing tells when the commitment ends: Until is then the end of the hours, or
	// before Start when it paid last.
	Assumed bool `json:",omitempty"`
	// Gaps is in how many of the hours that show Hourly no row shows it.
	Gaps int `json:",omitempty"`
}

// mostHours is the longest demand that a record holds.
const mostHours = 10 * 366 * 24

// Validate reports the first thing in x that no fleet can be planned with.
func (x *Terms) Validate() error {
	switch {
	case x.Hours < 1 || x.Hours > mostHours:
		return fmt.Errorf("the fleet has %d hours: want 1 to %d", x.Hours, mostHours)
	case x.Every < 0:
		return fmt.Errorf("purchases are possible every %d hours: want a number of hours, or 0 for every hour", x.Every)
	case x.Horizon > reserve.Pure:
		return fmt.Errorf("the horizon is %v: want full or pure", x.Horizon)
	case x.Term < 0 || x.Term%time.Hour != 0 || x.Term/time.Hour > math.MaxInt32/2:
		return fmt.Errorf("the savings plan has a term of %v: want a whole number of hours, or 0 for no savings plan", x.Term)
	case x.Paths < 0 || x.Paths > 0 && x.Term > 0:
		return fmt.Errorf("%d paths beside a savings plan: want no paths, since each path of all groups would need its own price of the savings plan, or no savings plan", x.Paths)
	case x.Term == 0 && len(x.Held) > 0:
		return fmt.Errorf("commitments are held and the savings plan has no term: want its term")
	}
	var total pricing.Money
	for i, h := range x.Held {
		if h.Hourly < 0 {
			return fmt.Errorf("held commitment %d is %v an hour: want none negative", i+1, h.Hourly)
		}
		var err error
		if total, err = total.Add(h.Hourly); err != nil {
			return fmt.Errorf("the held commitments come to more than %v an hour: want fewer", pricing.Money(math.MaxInt64))
		}
	}
	return nil
}

// Money returns what is held in the first hour.
func (x *Terms) Money() (sum pricing.Money) {
	for _, h := range x.Held {
		if x.Index(h.Until) > 0 {
			sum += h.Hourly
		}
	}
	return sum
}

// Index returns the number of whole hours from the start to a time, 0 to Hours.
func (x *Terms) Index(until time.Time) int {
	if !until.After(x.Start) {
		return 0
	}
	return int(min(int64(until.Sub(x.Start)/time.Hour), int64(x.Hours)))
}

// At returns the beginning of hour t.
func (x *Terms) At(t int) time.Time { return x.Start.Add(time.Duration(t) * time.Hour) }

// Open reports whether purchases are possible at hour t.
func (x *Terms) Open(t int) bool { return t%max(1, x.Every) == 0 }

// Charged returns for how many hours a purchase of hour t with a term of so many hours is
// paid for.
func (x *Terms) Charged(t, term int) int {
	if x.Horizon == reserve.Pure {
		return min(term, x.Hours-t)
	}
	return term
}

// Cost returns what an order costs within the horizon: each unit's price is rounded half to
// even to a nano.
func (x *Terms) Cost(o *record.Order) (pricing.Money, error) {
	class := pricing.Class{Name: o.Class, Term: o.Term, Upfront: o.Upfront, Hourly: o.Hourly, Billed: pricing.Always}
	fee, err := class.Commitment()
	if err != nil {
		return 0, err
	}
	term := int(o.Term / time.Hour)
	if charged := x.Charged(x.Index(o.Start), term); charged < term {
		if fee, err = fee.Prorate(time.Duration(charged), time.Duration(term), pricing.HalfEven); err != nil {
			return 0, err
		}
	}
	return fee.Mul(int64(o.Units))
}
