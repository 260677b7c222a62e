// Package marginal computes what one more instance of each kind costs in the coming hours,
// given the commitments that are paid for already.
//
//	market, err := marginal.NewMarket(kinds)  // list prices, families, rates of savings plans
//	book, notes := market.Book(held, region)  // reservations and savings plans
//	quotes, err := book.Quotes(running, now, marginal.Options{})
//	quotes[k].Price, quotes[k].Room, quotes[k].Why
//
//	you have                       you want                           call
//	what runs now                  the price of one more instance     Book.Quotes
//	forecasts of what will run     the same, over futures             Options.Beside
//	reservations for sale          prices that count on purchases     Options.Plan
//	groups of nodes to compare     what n instances together cost     Book.Extra
//	a fleet                        the bill of an hour                Book.Bill
//
// # The price
//
// Commitments cost the same whether they are used or not. bill(n) is the cost of the
// instances n on top of the commitments. The price of a kind is the rise of the bill, per
// hour, if one more instance of the kind runs through the coming hours. A price is 0 if an
// unused commitment pays for the instance, and the price on demand if no commitment does. A
// price lies between the two if a commitment pays for a part of the instance, or for some of
// the hours, or for this kind and no longer for another.
//
// # How a cloud applies commitments
//
// In each hour reservations serve first, in a family the smallest size first. Savings plans
// pay for the rest, the plan for the fewest kinds first. A plan pays for the kind with the
// greatest saving first, and for a part of an hour at the end. What remains runs on demand.
// That is the published order of AWS.
//
// # Units, allocation and concurrency
//
// Prices are money per hour. Arithmetic is in fractions of integers; a price is rounded once,
// half to even, to a nano. Fractions and words are in new memory on each call. A Book is not
// modified by a call, and may be used by several goroutines at once.
package marginal
