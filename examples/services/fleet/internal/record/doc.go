// Package record holds what the steps of a fleet's planning pass to each other, and how
// each record is written as bytes.
//
//	b, err := record.Append(nil, &group)  // a worker writes
//	var g record.Group
//	err = record.Read(b, &g)              // another worker reads
//
//	Record    is                                                      made by
//	Key       account, region and kind or family: what is planned as one
//	Usage     what one file of a bill says of one account             the reading of bills
//	Inventory the savings plans that accounts hold together           the grouping of accounts
//	Group     demand by the hour, prices and contracts of one Key    the reading of bills, or the generator
//	Plan      the cheapest plan of a Group: cost, bound, orders       the planner of a group
//	Order     units of one class to buy at one hour                   the same
//	Failure   what could not be read or planned, and why              every step
//	Totals    sums over plans; the sum of Totals is a Totals          the same, and merges
//
// # Encoding
//
// A record is a tag that tells its type, a version, and its fields in the order of their
// declaration. The encoding is stable: a change of a record's fields changes the version,
// and a reader refuses versions that it does not know.
//
//	tag        one byte: 'U' Usage, 'G' Group, 'P' Plan, 'O' Order, 'F' Failure,
//	           'T' Totals, 'H' Inventory
//	version    one byte: 5
//	text       its length in bytes as a uvarint, then the bytes
//	number     a varint of encoding/binary: zigzag, then seven bits a byte, the lowest first
//	money      a number of nanos
//	time       a number of seconds since 1970, and nanoseconds as a uvarint; the zero time is
//	           the least int64 and 0
//	span       a number of nanoseconds
//	list       its length as a uvarint, then the elements; an Order in a Plan has no key and
//	           no currency: they are those of the Plan
//	demand     its length as a uvarint, then the difference of each hour from the hour
//	           before, the first from 0: a number; equal hours in a row are a 0 and
//	           their count less 1 as a uvarint
//
//	hash       eight bytes, the lowest first
//	amount     the shortest exact decimal, as a text
//	series     its length as a uvarint, then runs of equal hours: an amount, and how many
//	           hours after the first of the run are equal to it, as a uvarint
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
