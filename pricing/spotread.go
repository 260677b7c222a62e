package pricing

import (
	"encoding/csv"
	"errors"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/internal/inputerr"
)

// The columns of a file of spot prices, by the names that EC2 gives them.
var spotColumns = [...]string{"AvailabilityZone", "InstanceType", "ProductDescription", "SpotPrice", "Timestamp"}

const (
	zoneColumn = iota
	typeColumn
	productColumn
	priceColumn
	timeColumn
)

// spotRow is one line of a file.
type spotRow struct {
	series int // index of the series
	at     time.Time
	price  Money
	line   int
}

// ReadSpots reads a file of spot prices in the layout of EC2's price history as CSV. It returns one
// history for each series in the file, sorted by zone, type and product. The first line names the
// columns
//
//	AvailabilityZone, InstanceType, ProductDescription, SpotPrice, Timestamp
//
// in any order. Prices are decimals per hour, and timestamps have the form of RFC 3339. Lines may
// come in any order; EC2 writes the newest first. A price that the file repeats for the same time
// counts once. Two different prices of a series at the same time are an error.
//
// The Origin of each history is the oldest time of the file, and its End is the newest time of the
// file: ReadSpots assumes that the file is complete until then. Each history begins with its own
// first price.
//
// The error is an [*InputError] with the Line, and the column's name as its Field. It unwraps to
//
//   - [ErrSyntax] for a text that is not CSV, and for a malformed price or time,
//   - [ErrMissing] if a column, a name or all prices are missing,
//   - [ErrUnknown] for a column that is not one of the five,
//   - [ErrDuplicate] for a column or a time that occurs twice,
//   - [ErrPrecision] for a price with too many decimals, and [ErrOverflow] for a price that does
//     not fit in [Money],
//   - [ErrRange] for a negative price, or times more than 292 years apart.
//
// An error of r is returned unchanged. O(n log n) for n lines.
func ReadSpots(r io.Reader) ([]SpotHistory, error) {
	src := csv.NewReader(r)
	src.ReuseRecord = true
	src.FieldsPerRecord = -1
	column, err := spotHeading(src)
	if err != nil {
		return nil, err
	}
	var rows []spotRow
	var names []SpotSeries
	known := map[SpotSeries]int{}
	for {
		record, err := src.Read()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, csvError(err)
		}
		line, _ := src.FieldPos(0)
		row, name, err := parseSpot(record, column, line)
		if err != nil {
			return nil, err
		}
		at, ok := known[name]
		if !ok {
			at = len(names)
			name = SpotSeries{strings.Clone(name.Zone), strings.Clone(name.Type), strings.Clone(name.Product)}
			known[name] = at
			names = append(names, name)
		}
		row.series = at
		rows = append(rows, row)
	}
	if len(rows) == 0 {
		return nil, badText(0, "SpotPrice", -1, ErrMissing, "a heading and no prices: want one at least")
	}
	return spotHistories(rows, names)
}

// spotHeading reads the heading and returns where each of spotColumns is.
func spotHeading(src *csv.Reader) (column [len(spotColumns)]int, err error) {
	heading, err := src.Read()
	if err == io.EOF {
		return column, badText(1, "", -1, ErrMissing, "the file is empty: want the columns %s", strings.Join(spotColumns[:], ", "))
	}
	if err != nil {
		return column, csvError(err)
	}
	for i := range column {
		column[i] = -1
	}
	for i, name := range heading {
		at := slices.Index(spotColumns[:], strings.TrimPrefix(name, "\ufeff"))
		switch {
		case at < 0:
			return column, badText(1, "", -1, ErrUnknown, "the column %s: want %s", inputerr.Quote(name), strings.Join(spotColumns[:], ", "))
		case column[at] >= 0:
			return column, badText(1, spotColumns[at], -1, ErrDuplicate, "the column: want it once")
		}
		column[at] = i
	}
	for i, at := range column {
		if at < 0 {
			return column, badText(1, spotColumns[i], -1, ErrMissing, "the column: want %s", strings.Join(spotColumns[:], ", "))
		}
	}
	return column, nil
}

// csvError turns an error of encoding/csv into an *InputError. Other errors are
// those of the reader.
func csvError(err error) error {
	var bad *csv.ParseError
	if !errors.As(err, &bad) {
		return err
	}
	return badText(bad.Line, "", -1, ErrSyntax, "%v: want CSV", bad.Err)
}

// parseSpot reads one line. The names share the record's memory.
func parseSpot(record []string, column [len(spotColumns)]int, line int) (row spotRow, name SpotSeries, err error) {
	if len(record) != len(spotColumns) {
		return row, name, badText(line, "", -1, ErrSyntax, "%d fields: want %d, as in the heading", len(record), len(spotColumns))
	}
	name = SpotSeries{record[column[zoneColumn]], record[column[typeColumn]], record[column[productColumn]]}
	for i, s := range [...]string{name.Zone, name.Type, name.Product} {
		if s == "" {
			return row, name, badText(line, spotColumns[i], -1, ErrMissing, "an empty field: want a name")
		}
	}
	price, bad := parseDecimal(record[column[priceColumn]], false)
	if bad != nil {
		return row, name, badText(line, spotColumns[priceColumn], -1, bad.sentinel, "%s", bad.text)
	}
	if price < 0 {
		return row, name, badText(line, spotColumns[priceColumn], -1, ErrRange, "%v: want a price of 0 or more", price)
	}
	at, err := time.Parse(time.RFC3339, record[column[timeColumn]])
	if err != nil {
		return row, name, badText(line, spotColumns[timeColumn], -1, ErrSyntax, "%s: want a time such as 2020-05-24T23:00:03+00:00", inputerr.Quote(record[column[timeColumn]]))
	}
	return spotRow{at: at.UTC(), price: price, line: line}, name, nil
}

// spotHistories sorts the rows into histories.
func spotHistories(rows []spotRow, names []SpotSeries) ([]SpotHistory, error) {
	oldest, newest := rows[0].at, rows[0].at
	index := make([]int, len(rows)) // rows by series and time, then line
	for i, r := range rows {
		index[i] = i
		if r.at.Before(oldest) {
			oldest = r.at
		}
		if r.at.After(newest) {
			newest = r.at
		}
	}
	if newest.Sub(oldest) == math.MaxInt64 {
		return nil, badText(0, spotColumns[timeColumn], -1, ErrRange, "times from %v to %v: want at most 292 years", oldest, newest)
	}
	slices.SortFunc(index, func(i, j int) int {
		a, b := &rows[i], &rows[j]
		if c := names[a.series].compare(names[b.series]); c != 0 {
			return c
		}
		if c := a.at.Compare(b.at); c != 0 {
			return c
		}
		return i - j
	})
	histories := make([]SpotHistory, 0, len(names))
	for k, i := range index {
		r := &rows[i]
		if k == 0 || rows[index[k-1]].series != r.series {
			histories = append(histories, SpotHistory{Series: names[r.series], Origin: oldest, End: newest.Sub(oldest)})
		} else if before := &rows[index[k-1]]; before.at.Equal(r.at) {
			if before.price != r.price {
				return nil, badText(r.line, spotColumns[timeColumn], -1, ErrDuplicate, "%s at %s costs %v here and %v on line %d: want one price",
					names[r.series], r.at.Format(time.RFC3339Nano), r.price, before.price, before.line)
			}
			continue
		}
		h := &histories[len(histories)-1]
		h.Times = append(h.Times, r.at.Sub(oldest))
		h.Prices = append(h.Prices, r.price)
	}
	return histories, nil
}

// ReadSpot reads a file as [ReadSpots] does, and returns the history of the one series that has the
// names in want. An empty name in want matches every name. So if the file has one zone, want needs
// no zone.
//
// If no series or several series match, the error is an [*InputError] with Field "series". If none
// matches, it unwraps to [ErrUnknown] and lists the series of the file. If several match, it
// unwraps to [ErrDuplicate] and lists the series that match.
func ReadSpot(r io.Reader, want SpotSeries) (SpotHistory, error) {
	all, err := ReadSpots(r)
	if err != nil {
		return SpotHistory{}, err
	}
	found, count := 0, 0
	for i := range all {
		if want.selects(all[i].Series) {
			found = i
			count++
		}
	}
	switch count {
	case 1:
		return all[found], nil
	case 0:
		return SpotHistory{}, badInput("series", -1, ErrUnknown, "%s: want one of %s", want.asked(), listSpots(all, SpotSeries{}))
	}
	return SpotHistory{}, badInput("series", -1, ErrDuplicate, "%s: want one of %s", want.asked(), listSpots(all, want))
}

// asked describes a selection.
func (s SpotSeries) asked() string {
	name := func(s string) string {
		if s == "" {
			return "any"
		}
		return inputerr.Quote(s)
	}
	return "zone " + name(s.Zone) + ", type " + name(s.Type) + ", product " + name(s.Product)
}

// listSpots names the series that want selects, type by type.
func listSpots(all []SpotHistory, want SpotSeries) string {
	var b strings.Builder
	var last SpotSeries
	for i := range all {
		s := all[i].Series
		if !want.selects(s) {
			continue
		}
		switch {
		case b.Len() > 0 && s.Zone == last.Zone && s.Type == last.Type:
			b.WriteString(", " + s.Product)
		case b.Len() > 0:
			b.WriteString("; " + s.Zone + " " + s.Type + ": " + s.Product)
		default:
			b.WriteString(s.Zone + " " + s.Type + ": " + s.Product)
		}
		last = s
	}
	return b.String()
}
