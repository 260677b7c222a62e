package usage

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A Held is a commitment of the inventory.
type Held struct {
	Provider string
	ID       string
	Name     string
	Type     string // the cloud's word, such as "Savings Plan" or "Reserved Instance"
	Region   string // "" everywhere, or where the bill does not say
	Spend    bool   // committed to money, not to hours of instances
	Unit     string // of the quantities: "USD", "Hours", "Normalized Hours", ...

	// Start and End are those of the commitment. They are zero where the bill does not
	// say: Seen is until when it has rows.
	Start, End time.Time
	Seen       time.Time

	// Kind is what it was bought for, without a Type where the bill does not say.
	Kind Kind
	// PerHour is what is committed each hour: instances, or money. Least says that neither a fee
	// nor a contract tells it: PerHour is then the most that was used in an hour.
	PerHour Amount
	Least   bool
	// Used and Unused are quantities over the time of the bill.
	Used, Unused Amount
	// UsedCost and UnusedCost are the effective costs of them, Paid what was billed for
	// purchases.
	UsedCost, UnusedCost, Paid Amount
	// Kinds are what it covered, the most hours first.
	Kinds []KindHours
}

// KindHours is how many instance-hours of a kind a commitment covered, and their effective cost.
type KindHours struct {
	Kind        Kind
	Hours, Cost Amount
}

// held collects a commitment.
type held struct {
	Held
	hours   hourSet // with used or unused rows
	bought  Amount  // quantity of recurring purchases
	upfront Amount  // quantity of purchases for the whole term
	buying  hourSet // hours that they are for
	kinds   map[Kind]*KindHours
	sized   bool      // PerHour is that of purchases
	base    int64     // hour of busy[0]
	busy    []float64 // used and unused in each hour, in units of 10⁻¹⁸
}

// hold adds a row to its commitment.
func (c *Collector) hold(row *Row) {
	m := &row.Commitment
	if m.ID == "" {
		c.Note(row.Line, noCommitment, row.Billed)
		return
	}
	key := commitmentKey{row.Kind.Provider, m.ID}
	h := c.commitments[key]
	if h == nil {
		h = &held{Held: Held{Provider: row.Kind.Provider, ID: m.ID}, kinds: map[Kind]*KindHours{}}
		c.commitments[key] = h
	}
	fill := func(dst *string, s string) {
		if *dst == "" {
			*dst = s
		}
	}
	fill(&h.Name, m.Name)
	fill(&h.Type, m.Type)
	fill(&h.Region, m.Region)
	fill(&h.Unit, m.Unit)
	h.Spend = h.Spend || m.Spend
	if h.Start.IsZero() {
		h.Start = m.Start
	}
	if h.End.IsZero() {
		h.End = m.End
	}
	if row.Charge != Purchase && row.End.After(h.Seen) {
		h.Seen = row.End
	}
	if m.Unit != "" && m.Unit != h.Unit && (m.Quantity != Amount{} || m.Unused != Amount{}) {
		c.Note(row.Line, twoUnits, row.Billed)
		m = &Commitment{Once: m.Once}
	}
	from, to := floor(row.Start.Unix(), 3600), floor(row.End.Unix()+3599, 3600)
	short := row.End.Sub(row.Start) <= 32*24*time.Hour
	switch row.Charge {
	case Purchase:
		h.Paid = h.Paid.Plus(row.Billed)
		if h.Kind.Type == "" && row.Kind.Type != "" {
			h.Kind = row.Kind
		}
		if m.Unused != (Amount{}) {
			h.Unused = h.Unused.Plus(m.Unused)
			h.UnusedCost = h.UnusedCost.Plus(row.Effective)
		}
		switch {
		case m.Once:
			h.upfront = h.upfront.Plus(m.Quantity)
			if !short && (h.Start.IsZero() || h.End.IsZero()) { // a fee for the whole term
				h.Start, h.End = row.Start, row.End
			}
		case short:
			h.bought = h.bought.Plus(m.Quantity)
			h.buying.mark(from, to)
			if row.End.After(h.Seen) {
				h.Seen = row.End
			}
		}
	case Covered, LeftOut:
		h.Used = h.Used.Plus(m.Quantity)
		h.UsedCost = h.UsedCost.Plus(row.Effective)
		h.cover(row)
		if short {
			h.mark(from, to, m.Quantity)
		}
	case Unused:
		h.Unused = h.Unused.Plus(m.Quantity)
		h.UnusedCost = h.UnusedCost.Plus(row.Effective)
		if short {
			h.mark(from, to, m.Quantity)
		}
	}
}

// cover adds the hours of a row to those of its kind.
func (h *held) cover(row *Row) {
	if row.Hours == (Amount{}) {
		return
	}
	k := h.kinds[row.Kind]
	if k == nil {
		k = &KindHours{Kind: row.Kind}
		h.kinds[row.Kind] = k
	}
	k.Hours, k.Cost = k.Hours.Plus(row.Hours), k.Cost.Plus(row.Effective)
}

// mark adds a quantity, used or not, to the hours from from to before to.
func (h *held) mark(from, to int64, quantity Amount) {
	h.hours.mark(from, to)
	if from >= to || quantity == (Amount{}) {
		return
	}
	if len(h.busy) == 0 {
		h.base = from
	}
	if from < h.base {
		more := max(h.base-from, int64(len(h.busy))/2)
		h.busy = append(make([]float64, more, more+int64(len(h.busy))), h.busy...)
		h.base -= more
	}
	if n := to - h.base - int64(len(h.busy)); n > 0 {
		h.busy = append(h.busy, make([]float64, n)...)
	}
	part := (float64(quantity.n.Hi)*(1<<64) + float64(quantity.n.Lo)) / float64(to-from)
	for t := from; t < to; t++ {
		h.busy[t-h.base] += part
	}
}

// boughtHours returns how many hours the recurring fees are for: the row of a month's fee has the
// month, and the commitment may be there for a part of it.
func (h *held) boughtHours() int64 {
	from, to := int64(math.MinInt64), int64(math.MaxInt64)
	if !h.Start.IsZero() {
		from = floor(h.Start.Unix(), 3600)
	}
	if !h.End.IsZero() {
		to = floor(h.End.Unix()+3599, 3600)
	}
	if n := h.buying.between(from, to); n > 0 {
		return n
	}
	return h.buying.len() // dates of another time
}

// most returns the greatest quantity of an hour, to a millionth of one: what is committed to, if
// nobody says, is at least that. If all hours have as much, it is their exact mean.
func (h *held) most() Amount {
	most, mean := 0.0, h.Used.Plus(h.Unused).over(h.hours.len())
	for _, x := range h.busy {
		most = max(most, x/1e18)
	}
	if a, _, err := Parse(strconv.FormatFloat(most, 'f', 6, 64)); err == nil && most > 1e-6+(1+1e-9)*mean.Float64() {
		return a
	}
	return mean
}

// AddContract adds a contract to the inventory: the dates and the size of a
// commitment that rows use, or a commitment that no row has used. The error, an
// [*pricing.InputError], unwraps to [ErrCurrency] or to [ErrRange]. It panics before the
// first Begin.
func (c *Collector) AddContract(k *Contract) error {
	if len(c.files) == 0 {
		panic("usage: AddContract before Begin")
	}
	file := &c.files[len(c.files)-1]
	switch {
	case k.Currency == "":
	case c.currency == "":
		c.currency, c.currencyAt = k.Currency, where(file.Name, k.Line)
	case k.Currency != c.currency:
		return badRow(k.Line, "currency", ErrCurrency, "%s: want %s as in %s: convert the bill or give one bill for each currency", k.Currency, c.currency, c.currencyAt)
	}
	if !k.End.After(k.Start) {
		return badRow(k.Line, "period", ErrRange, "%s to %s: want an end after the start", k.Start.Format(time.RFC3339), k.End.Format(time.RFC3339))
	}
	file.Currency = c.currency
	file.Total.Rows++
	file.Contracts++
	c.contracts = append(c.contracts, *k)
	return nil
}

// discounts are the types of contracts that are commitment discounts, in the words
// of the clouds. Other contracts are agreements on prices or on spending.
var discounts = []string{"savings plan", "reserved instance", "reservation", "committed use discount", "reserved capacity"}

// inventory puts commitments and contracts into the bill.
func (c *Collector) inventory(b *Bill) {
	byID := map[string]*held{}
	for _, key := range sortedCommitments(c.commitments) {
		h := c.commitments[key]
		term := int64(h.End.Sub(h.Start) / time.Hour)
		switch n := h.boughtHours(); {
		case h.upfront != (Amount{}) && !h.End.IsZero() && term > 0: // partly or all upfront
			h.PerHour, h.sized = h.upfront.over(term), true
			if n > 0 {
				h.PerHour = h.PerHour.Plus(h.bought.over(n))
			}
		case n > 0 && h.upfront == (Amount{}): // what is bought each hour
			h.PerHour, h.sized = h.bought.over(n), true
			if h.hours.len() > 0 && !h.Spend {
				if most := h.most(); most.Float64() > (1+1e-6)*h.PerHour.Float64() {
					h.PerHour = most // the fee is of fewer hours than its row says
				}
			}
		case h.hours.len() > 0: // what is used, and what is not
			h.PerHour, h.Least = h.most(), !h.Spend || h.Unused.Sign() == 0
		}
		byID[h.ID] = h
	}
	extra := map[string]*held{}
	for i := range c.contracts {
		k := &c.contracts[i]
		h := byID[k.ID]
		if h == nil && slices.ContainsFunc(discounts, func(s string) bool { return strings.EqualFold(s, k.Type) }) {
			h = &held{Held: Held{ID: k.ID, Name: k.Description, Type: k.Type, Spend: k.Spend, Unit: k.Unit}}
			if h.Unit == "" && k.Spend {
				h.Unit = k.Currency
			}
			byID[k.ID], extra[k.ID] = h, h
		}
		if h == nil {
			b.Agreements = append(b.Agreements, *k)
			continue
		}
		h.Start, h.End = k.Start, k.End
		hours := int64(k.End.Sub(k.Start) / time.Hour)
		amount := k.Quantity
		if k.Spend || amount == (Amount{}) {
			amount = k.Cost
		}
		if !h.sized && hours > 0 && h.Spend == k.Spend && (k.Spend || k.Quantity != (Amount{})) {
			h.PerHour, h.Least = amount.over(hours), false
		}
	}
	for _, key := range sortedCommitments(c.commitments) {
		h := c.commitments[key]
		for _, k := range h.kinds {
			h.Kinds = append(h.Kinds, *k)
		}
		slices.SortFunc(h.Kinds, func(x, y KindHours) int {
			return cmp.Or(y.Hours.Compare(x.Hours), x.Kind.compare(y.Kind))
		})
		b.Held = append(b.Held, h.Held)
	}
	for _, id := range sortedKeys(extra) {
		b.Held = append(b.Held, extra[id].Held)
	}
}

func sortedCommitments(m map[commitmentKey]*held) []commitmentKey {
	keys := make([]commitmentKey, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(x, y commitmentKey) int {
		return cmp.Or(cmp.Compare(x.provider, y.provider), cmp.Compare(x.id, y.id))
	})
	return keys
}
