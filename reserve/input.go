package reserve

// An Offer is a class of a price list in whole numbers of any one unit, such as that of
// [pricing.Money].
type Offer struct {
	Price int64 // of an instance for a slot on demand, p
	Use   int64 // of an instance for a slot in a reservation, only if used, αp
	Fee   int64 // of a reservation, F
	Term  int   // of a reservation in slots, τ
	// Rate is the fee of one slot, F/τ, with the Pure horizon: a reservation that serves s slots
	// of the demand costs s·Rate. Rate is 0 with the Full horizon.
	Rate int64
}

// FeeFor returns the fee of a reservation that has the given number of slots to the horizon.
func (o *Offer) FeeFor(slots int) int64 {
	c := class{term: o.Term, fee: o.Fee, rate: o.Rate}
	return c.feeFor(slots)
}

// OfferOf returns the class of p's list with the given index. The unit of the prices is the
// largest in which those of p are whole. The errors are those of [Planner], Demand and dates
// apart.
func OfferOf(p *Problem, class int) (Offer, error) {
	var in Input
	if err := in.Load(&Problem{Slot: p.Slot, Prices: p.Prices}); err != nil {
		return Offer{}, err
	}
	if class < 0 || class >= len(in.Offers) {
		return Offer{}, noClass(class, len(in.Offers))
	}
	return in.Offers[class], nil
}

// An Input is a problem as a planner reads the problem: checked, with whole prices, and with the
// demand that the inventory leaves. A [Planner] of a user's own begins with an Input. The zero value is
// ready, and keeps its memory between calls.
type Input struct {
	// Offers has the classes of the price list, in the largest unit in which all prices of a
	// slot are whole.
	Offers []Offer
	// Demand is the demand of each slot that held reservations do not serve; LoadClass only.
	Demand []int

	single single
}

// Load checks p and fills in Offers. The demand must be known, and p must have no caps: the
// error is that of [Planner].
func (in *Input) Load(p *Problem) error {
	if err := in.single.market.load(p); err != nil {
		return err
	}
	if err := refuseCaps(p); err != nil {
		return err
	}
	in.offer()
	return nil
}

// LoadClass checks p for a planner that buys class k alone, and fills in Offers and Demand.
// The error is that of [Planner], with ErrUnsupported if the use of a held class costs more than
// the use of class k. After LoadClass, the cost of one instance on demand in all slots plus a fee
// of class k fits in an int64.
func (in *Input) LoadClass(p *Problem, k int) error {
	if err := in.single.load(p, k); err != nil {
		return err
	}
	in.offer()
	in.Demand = in.single.demand
	return nil
}

// offer fills in Offers.
func (in *Input) offer() {
	m := &in.single.market
	in.Offers = in.Offers[:0]
	for _, c := range m.classes {
		in.Offers = append(in.Offers, Offer{Price: m.price, Use: c.use, Fee: c.fee, Term: c.term, Rate: c.rate})
	}
}

func noClass(k, classes int) error {
	return badInput("Prices.Classes[]", k, ErrRange, "no such class, the list has %d", classes)
}
