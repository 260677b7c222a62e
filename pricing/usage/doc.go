// Package usage turns the rows of a cloud's bill into what a plan of purchases
// needs. That is the demand for each kind of instance by hour or day, the commitments
// that are held, and an account of every cent.
//
//	var c usage.Collector
//	if err := bill.Read(&c, "2024-09.csv.gz", file); err != nil { // of package pricing/bill
//		return err
//	}
//	b, err := c.Bill()
//	if err != nil {
//		return err
//	}
//	families, why := usage.Families(b.Demand, prices, b.Currency, nil)
//	for i := range families {
//		demand, err := families[i].Demand(b.Demand) // what to reserve for
//	}
//
// What to call:
//
//	You have                        You want                              Call
//	files of a bill                 what they add up to                   bill.Read, then Collector.Bill
//	a Bill and price lists          what is planned as one                Catalog.Add, Families
//	a Family                        its demand in units                   Family.Demand
//	a Demand                        instances in each slot of a plan      Demand.Instances
//	a Bill                          commitments and when they end         Bill.Held
//	a Bill                          what was left out, and why            Bill.Files
//	a Bill                          how far it can be believed            Bill.Quality
//	rows of a form of your own      the same                              Collector.Begin, Collector.Add
//	a decimal of a bill             the exact amount                      Parse
//
// The readers of bills, such as package focus, fill a [Row] for each line and pass it
// to a [Collector]. All of them share the rules of this page.
//
// # Nothing is lost
//
// Each row has one of five kinds, its [Charge]:
//
//   - hours of an instance on demand,
//   - hours that a commitment covers,
//   - the unused part of a commitment,
//   - the fee of a commitment,
//   - something else. The row is then left out for a [Left.Reason] such as tax, credit
//     or traffic.
//
// For every file,
//
//	Total = OnDemand + Covered + Unused + Purchases + Σ Left
//
// in rows and in billed, effective and list cost, to the last digit that the file
// prints. Amounts are therefore an [Amount], a decimal of eighteen places in 128
// bits, and not [pricing.Money]: bills print costs of $0.00000001592.
//
// Faults of a file that do not make it unreadable are a [Note] with their number and
// money, and are not repaired. Such faults are an EffectiveCost of 0 where BilledCost is
// not, rows without a currency, and commitments without an ID.
//
// # Three costs
//
// Billed is what the invoice has. Effective spreads the fees of commitments over
// their use: a purchase is billed and has no effective cost, an hour that the
// commitment covers has an effective cost and is not billed. Either adds up over all
// rows. List does not: a purchase and the usage under it both have a list price, so
// that the list cost of usage is that of OnDemand and Covered alone.
//
// # Demand
//
// A slot of a [Demand] is an hour of UTC. The hours of all rows of a kind within it
// add up, so that two instances for half an hour each count as one, as reservations
// are applied. A kind with rows of a day, as Microsoft bills, has slots of a day. A
// row over another time is left out. A day of 23 or 25 hours is refused: it says that
// times are local, and local hours would fall into the wrong slots twice a year.
//
// # Families
//
// Reservations of AWS for linux on shared machines, and for databases without a licence, serve all
// sizes of a family. [Families]
// groups such kinds, if their prices are in proportion to their sizes, and [Family.Demand] is
// their sum in units of the smallest, rounded nowhere. A kind in one of whose slots corrections
// exceed the use is in no family: the bill does not say in which slots those hours were charged.
//
// # Commitments
//
// A [Held] has the size of a commitment for each hour. The size is the quantity of its
// purchases, or that of its contract where no purchase is in the bill, or else what its
// rows used and left unused. Its end is that of the contract, or of the fee that was paid
// for the whole term. Where nothing says the end, it is zero.
//
// # Owners
//
// Who used an instance is the account below the one that is billed, or what the column says that
// [Collector.Owner] names, such as a tag. [Bill.Owners] has what each cost. Owners that share no
// commitments with others, [Collector.Alone], have kinds of their own, and so families and demand.
//
// # Counting twice
//
// A line that is in the bill twice, column for column, is refused unless
// [Collector.KeepRepeats] says otherwise. Bills of different forms that charge one account
// for the same hour are refused, and so are rows in two currencies.
//
// # Allocation and concurrency
//
// A [Collector] allocates for new kinds, hours, commitments and reasons, not for rows.
// It remembers the hashes of about a million lines, 32 megabytes at most; of a longer
// bill it remembers a sample. One goroutine at a time may use it.
package usage
