// Package advice answers a buyer: what to order today, what the order costs and
// saves, when the money is back, and what if the forecast is wrong.
//
//	a, err := advice.Advise(&advice.Request{
//		Kind: "m5.large in eu-west-1", Currency: "USD",
//		Now: today, Slot: 24 * time.Hour, Paths: paths, // possible futures of the demand
//		OnDemand: price, Offers: offers, Held: contracts,
//	})
//	fmt.Print(a.Text()) // the order in words, to be signed
//
//	You have                              You want                            Call
//	a forecast, prices, contracts         today's order with money, reasons   Advise
//	an order that was decided elsewhere   the same figures for that order     Explain
//	an Advice                             words for a person                  Advice.Text
//	an Advice                             a form for a program                json.Marshal
//	doubt about the optimum               a check apart from the solver       Advice.Verify
//
// # Problem
//
// Demand is a set of paths, each a possible future with a probability. Purchases are
// decided before anybody knows which path comes; the rest of the demand runs on
// demand. [reserve.Exact] finds the plan of least mean cost. The orders are the purchases of that
// plan for today. Its later purchases are expected and not ordered: ask again on that day, with
// the forecast of that day.
//
// # What the figures mean
//
// Each figure is a difference of two costs that anybody can compute from bills:
//
//	Saving      mean cost of the plan without the order, less the plan's
//	Waiting     mean cost of the plan with the order one period later, less the plan's
//	Loss        probability of the paths on which the order costs more than it saves
//	LastUse     share of the term in which the last unit is needed
//	BreakEven   share of the term from which on a unit is cheaper than on demand
//	Payback     end of the slot in which mean savings first reach payments to date
//
// LastUse counts the order's units and all active units whose use costs no more. So the last unit is
// the unit that is needed least. In an optimal plan LastUse is at or above BreakEven, if the paths
// cover a whole term and one class is for sale.
//
// # The end of the paths
//
// A contract of three years outlives a forecast of one year. By default the contract counts with
// the share of its price until the paths end, since the need goes on. With Request.FullHorizon all
// of the price counts. The answer says what would be ordered under the other horizon. If the two
// orders differ much, forecast further.
//
// A term that is no whole number of slots (a year of 365 days in weeks) counts as the
// whole slots in it, at the whole price ([reserve.WholeTerms]). So a contract serves
// a little longer than the answer counts. The answer names such classes; days or hours as
// slots avoid them.
//
// # Cost and allocation
//
// Five plans, and for each order two costs on each path; a year of days with a hundred
// paths takes milliseconds. Advise allocates; nothing here starts a goroutine.
package advice
