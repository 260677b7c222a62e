// Package record holds what the steps of a fleet's planning pass to each other, and writes each
// record as bytes.
//
//	b := record.Append(nil, &group)  // a worker writes
//	var g record.Group
//	err := record.Read(b, &g)        // another worker reads
//
//	Record    is                                                      made by
//	Key       account, region and kind or family: what is planned as one
//	Usage     what one file of a bill says of one account             the reading of bills
//	Inventory the savings plans that accounts hold together           the grouping of accounts
//	Group     demand by the hour, prices and contracts of one Key    the reading of bills, or the generator
//	Plan      the cheapest plan of a Group: cost, bound, orders       the planner of a group
//	Failure   what could not be read or planned, and why              every step
//	Totals    counts of plans; the sum of Totals is a Totals          the writing of plans
//
// Package market has three more: Sample, Price and Sum.
//
// # Encoding
//
// A record is a letter for its type, the version 7, and its exported fields in the order of their
// declaration. A change of the fields changes the version, and a reader refuses versions that it
// does not know.
//
//	text       its length in bytes as a uvarint, then the bytes
//	int        a varint of encoding/binary: zigzag, then seven bits a byte, the lowest first; so
//	           money is a number of nanos, and a span one of nanoseconds
//	uint, bool a uvarint
//	time       as a text, in UTC: "2025-11-01T00:00:00Z"
//	amount     as a text, the shortest exact decimal
//	list       its length as a uvarint, then the elements
//	map        the same, each key before its value, in the order of the keys' bytes
//	hours      a list of ints or of amounts: the difference of each from the one before, the first
//	           from 0; after a difference of 0, how many more are equal, as a uvarint
//
// A year of hours takes about 9 kilobytes where each hour differs from the last, and less
// where hours are equal. The same record has the same bytes, and bytes that are no
// record, or go on after its end, are refused.
//
// # Exactness
//
// All amounts are integers of nanos. Totals are counts, and their sums do not depend on their
// order, so that workers may add them up in any order and in any bundles.
package record
