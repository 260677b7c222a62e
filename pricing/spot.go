package pricing

import (
	"encoding/csv"
	"errors"
	"io"
	"math"
	"math/bits"
	"slices"
	"strconv"
	"strings"
	"time"
)

// The price of spot instances over time, and what leases cost under it.
//
// A provider publishes when it changed the price of an instance and what the
// price has been since. So a history is a step function of time, right-continuous:
// at the moment of a change the new price is in force. Means and quantiles weigh
// prices by the time for which they held, since a price that held for a second
// says less than one that held for a day.
//
// What a lease costs is decided by three questions, and [SpotMeter] has a field
// for each: for what time it is billed, which prices of the history apply to that
// time, and what is free because the provider ended the lease. The money is a sum
// of prices times spans, taken in 128 bits and rounded once.
//
// Lookups are binary searches, O(log n). Windows cost their number of changes.
// Nothing here allocates but reading.

// SpotSeries names what a spot price is the price of.
type SpotSeries struct {
	Zone    string // availability zone, such as "eu-west-3a"
	Type    string // instance type, such as "c5.2xlarge"
	Product string // operating system, such as "Linux/UNIX"
}

// String returns the three names, such as "eu-west-3a c5.2xlarge Linux/UNIX".
func (s SpotSeries) String() string { return s.Zone + " " + s.Type + " " + s.Product }

// compare orders series by zone, type and product.
func (s SpotSeries) compare(t SpotSeries) int {
	if c := strings.Compare(s.Zone, t.Zone); c != 0 {
		return c
	}
	if c := strings.Compare(s.Type, t.Type); c != 0 {
		return c
	}
	return strings.Compare(s.Product, t.Product)
}

// selects reports whether t is one of those that s, as a selection, asks for.
func (s SpotSeries) selects(t SpotSeries) bool {
	return (s.Zone == "" || s.Zone == t.Zone) && (s.Type == "" || s.Type == t.Type) &&
		(s.Product == "" || s.Product == t.Product)
}

// SpotHistory is a price per hour as a step function of time: Prices[i] is in
// force from Times[i] on, until Times[i+1]. The last price is known to hold until
// End; what asks beyond it is answered with the last price, and the callers that
// mind compare with End. Neighbouring prices may be equal, since providers repeat
// prices that have not changed.
//
// It is a value that shares its slices when copied. [SpotHistory.Validate] says
// whether it is one; the other methods do not, and their results mean nothing for
// a history that is not valid.
type SpotHistory struct {
	Series SpotSeries      // what it is the price of; may be empty
	Origin time.Time       // the wall clock at time 0; may be zero
	Times  []time.Duration // when prices were set, strictly increasing
	Prices []Money         // per hour, ≥ 0
	End    time.Duration   // to where the last price is known to hold, ≥ the last of Times
}

// Validate returns an [*InputError] for the first thing that is wrong: with Field
// "times" and [ErrMissing] if there is no price at all, and with [ErrRange] for a
// time that is not after the one before it; with "prices" and ErrRange for a
// negative price and for a number of prices that is not that of the times; with
// "end" and ErrRange for an end before the last time. O(n).
func (h SpotHistory) Validate() error {
	switch n := len(h.Times); {
	case n == 0:
		return badInput("times", -1, ErrMissing, "a history has one price at least")
	case len(h.Prices) != n:
		return badInput("prices", -1, ErrRange, "%d prices for %d times: want as many", len(h.Prices), n)
	case h.End < h.Times[n-1]:
		return badInput("end", -1, ErrRange, "%v is before the last price at %v", h.End, h.Times[n-1])
	}
	for i, t := range h.Times {
		if i > 0 && t <= h.Times[i-1] {
			return badInput("times", i, ErrRange, "%v is not after %v, the time before it", t, h.Times[i-1])
		}
		if h.Prices[i] < 0 {
			return badInput("prices", i, ErrRange, "%v is negative", h.Prices[i])
		}
	}
	return nil
}

// Start returns the time of the first price.
func (h SpotHistory) Start() time.Duration { return h.Times[0] }

// Span returns the time from the first price to End.
func (h SpotHistory) Span() time.Duration { return h.End - h.Times[0] }

// Index returns the index of the price in force at t: the last one set at or
// before t. It panics if t is before the first price. O(log n).
func (h SpotHistory) Index(t time.Duration) int {
	i, found := slices.BinarySearch(h.Times, t)
	if !found {
		i--
	}
	if i < 0 {
		panic("pricing: time before the first price of a spot history")
	}
	return i
}

// At returns the price per hour in force at t, which at the moment of a change is
// the new one. It panics if t is before the first price. O(log n).
func (h SpotHistory) At(t time.Duration) Money { return h.Prices[h.Index(t)] }

// Next returns when the price first differs after t from what it is at t, and
// whether it does within the history; if not, the time is End. It panics if t is
// before the first price. O(log n) and the repetitions skipped.
func (h SpotHistory) Next(t time.Duration) (time.Duration, bool) {
	i := h.Index(t)
	for j := i + 1; j < len(h.Times); j++ {
		if h.Prices[j] != h.Prices[i] {
			return h.Times[j], true
		}
	}
	return h.End, false
}

// NextAbove returns the first time at or after t at which the price is above
// bid, which is when a provider that goes by the price interrupts a lease with
// that bid, and whether there is one within the history; if not, the time is End.
// A price equal to the bid does not interrupt. It panics if t is before the first
// price. O(log n + changes looked at).
func (h SpotHistory) NextAbove(t time.Duration, bid Money) (time.Duration, bool) {
	for j := h.Index(t); j < len(h.Times); j++ {
		if h.Prices[j] > bid {
			return max(t, h.Times[j]), true
		}
	}
	return h.End, false
}

// NextWithin returns the first time at or after t at which the price is at most
// bid, which is when a request with that bid can be served, and whether there is
// one within the history; if not, the time is End. It panics if t is before the
// first price. O(log n + changes looked at).
func (h SpotHistory) NextWithin(t time.Duration, bid Money) (time.Duration, bool) {
	for j := h.Index(t); j < len(h.Times); j++ {
		if h.Prices[j] <= bid {
			return max(t, h.Times[j]), true
		}
	}
	return h.End, false
}

// piece returns from when to when the price i is in force within [from, to).
func (h SpotHistory) piece(i int, from, to time.Duration) (time.Duration, time.Duration) {
	from = max(from, h.Times[i])
	if i+1 < len(h.Times) {
		to = min(to, h.Times[i+1])
	}
	return from, to
}

// spotSum is Σ price·time in nanos of money times nanoseconds, in two words: the
// times add up to one Duration at most, so it is below 2⁶³·2⁶³.
type spotSum struct{ hi, lo uint64 }

func (s *spotSum) add(price Money, d time.Duration) {
	hi, lo := bits.Mul64(uint64(price), uint64(d))
	var carry uint64
	s.lo, carry = bits.Add64(s.lo, lo, 0)
	s.hi += hi + carry
}

// over returns the sum divided by d, rounded half to even, and whether it fits.
func (s spotSum) over(d time.Duration) (Money, bool) {
	return wide{s.lo, s.hi}.money(wide{uint64(d)}, HalfEven)
}

// weigh returns Σ price·time over [from, to).
func (h SpotHistory) weigh(from, to time.Duration) (sum spotSum) {
	i := h.Index(from)
	for ; i+1 < len(h.Times) && h.Times[i+1] < to; i++ {
		sum.add(h.Prices[i], h.Times[i+1]-from)
		from = h.Times[i+1]
	}
	sum.add(h.Prices[i], to-from)
	return sum
}

// Mean returns the mean price per hour over [from, to), each price weighed by the
// time for which it held, rounded half to even. It panics unless from < to and
// from is not before the first price. O(log n + changes in the window).
func (h SpotHistory) Mean(from, to time.Duration) Money {
	if from >= to {
		panic("pricing: window of a spot history that is empty")
	}
	m, _ := h.weigh(from, to).over(to - from) // no more than the highest price
	return m
}

// Quantile returns the lowest price that was not exceeded in [from, to) for the
// share q of the time: 0 asks for the lowest price of the window, 1 for the
// highest. It is always a price that held in the window. The share is taken of
// the window in nanoseconds as ⌈q·window⌉. It panics unless from < to, from is
// not before the first price, and 0 ≤ q ≤ 1.
//
// It halves the range of prices until one is left, so that it needs no memory:
// O(log n + w·log(highest - lowest)) for w changes in the window.
func (h SpotHistory) Quantile(from, to time.Duration, q float64) Money {
	if from >= to {
		panic("pricing: window of a spot history that is empty")
	}
	if !(q >= 0 && q <= 1) {
		panic("pricing: quantile outside [0, 1]")
	}
	first := h.Index(from)
	last := first
	lo, hi := h.Prices[first], h.Prices[first]
	for last+1 < len(h.Times) && h.Times[last+1] < to {
		last++
		lo, hi = min(lo, h.Prices[last]), max(hi, h.Prices[last])
	}
	window := to - from
	want := window
	if s := math.Ceil(q * float64(window)); s < float64(window) {
		want = max(1, time.Duration(s))
	}
	// Invariant: the price sought is in [lo, hi].
	for lo < hi {
		mid := lo + (hi-lo)/2
		var held time.Duration
		below, above := lo, hi // the highest price ≤ mid, the lowest > mid
		for i := first; i <= last; i++ {
			if p := h.Prices[i]; p <= mid {
				a, b := h.piece(i, from, to)
				held += b - a
				below = max(below, p)
			} else {
				above = min(above, p)
			}
		}
		if held >= want {
			hi = below
		} else {
			lo = above
		}
	}
	return lo
}

// SpotEnd says who ended a lease.
type SpotEnd uint8

const (
	EndedByUser     SpotEnd = iota // who was done, or gave up
	EndedByProvider                // which interrupted the lease
)

// String returns "EndedByUser" or "EndedByProvider".
func (e SpotEnd) String() string {
	switch e {
	case EndedByUser:
		return "EndedByUser"
	case EndedByProvider:
		return "EndedByProvider"
	}
	return "SpotEnd(" + strconv.Itoa(int(e)) + ")"
}

// SpotMeter says what a spot lease costs.
//
// Time. A lease that the user ends is billed for Meter.Charged of its length. One
// that the provider interrupts is free if it is shorter than FreeBefore;
// otherwise, if FreePartial, it is billed for the whole increments that it
// completed, and if not, as if the user had ended it.
//
// Price. The time billed is cut into pieces of length Reprice from the launch on,
// and each piece costs the price in force at the moment at which it begins,
// whatever the price does before the piece ends. With Reprice zero each moment
// costs the price in force at that moment. Time billed after the end of the lease
// continues the last piece. A lease pays Meter.StartUp unless all of it is free.
type SpotMeter struct {
	Meter       Meter
	Reprice     time.Duration // a multiple of Meter.Increment, or 0
	FreeBefore  time.Duration
	FreePartial bool
}

// The rules of Amazon EC2. They are to be read, not changed.
var (
	// EC2SpotHourly is the rule until 1 October 2017: hours begun, each at the
	// price in force when it began; the hour in which EC2 interrupts is free, the
	// one in which the user ends the lease is not. It is the rule of [Huang13]
	// section III.B. It stayed that of Windows until June 2021, of Red Hat for some
	// years, and is still that of SUSE Linux.
	EC2SpotHourly = SpotMeter{Meter: EC2Hourly, Reprice: time.Hour, FreePartial: true}
	// EC2SpotPerSecond is the rule for Linux since 2 October 2017, and for Windows
	// since June 2021: a minute at least, then seconds begun, each hour at the price
	// in force when it began; a lease that EC2 interrupts in its first hour is free,
	// and a later interruption changes nothing.
	EC2SpotPerSecond = SpotMeter{Meter: EC2PerSecond, Reprice: time.Hour, FreeBefore: time.Hour}
)

// Validate returns an [*InputError] if the meter is not usable: that of
// [Meter.Validate] with Fields such as "meter.increment", and one that unwraps to
// [ErrRange] for a Reprice that is negative or not a multiple of the increment
// (Field "reprice"), for a minimum above a positive Reprice ("meter.minimum"), and
// for a negative FreeBefore ("free_before").
func (m SpotMeter) Validate() error {
	if err := m.Meter.Validate(); err != nil {
		var in *InputError
		if errors.As(err, &in) {
			return &InputError{Field: "meter." + in.Field, Index: -1, Err: in.Err}
		}
		return err
	}
	switch {
	case m.Reprice < 0 || m.Reprice%m.Meter.Increment != 0:
		return badInput("reprice", -1, ErrRange, "%v is not zero or a positive multiple of the increment %v", m.Reprice, m.Meter.Increment)
	case m.Reprice > 0 && m.Meter.Minimum > m.Reprice:
		return badInput("meter.minimum", -1, ErrRange, "%v is longer than the price holds, %v", m.Meter.Minimum, m.Reprice)
	case m.FreeBefore < 0:
		return badInput("free_before", -1, ErrRange, "%v is negative", m.FreeBefore)
	}
	return nil
}

// Charged returns the time that a lease of the given length is billed for. It
// panics if length is negative or the meter is not usable, as [Meter.Charged]
// does.
func (m SpotMeter) Charged(length time.Duration, end SpotEnd) time.Duration {
	charged := m.Meter.Charged(length)
	if end != EndedByProvider {
		return charged
	}
	if length < m.FreeBefore {
		return 0
	}
	if m.FreePartial && charged > length {
		if length < m.Meter.Minimum {
			return 0
		}
		return charged - m.Meter.Increment
	}
	return charged
}

// Cost returns what a lease costs that was launched at the time launch of the
// history and ended after the given length. The price beyond the end of the
// history is its last. The sum is rounded half to even once; hours under an
// hourly rule need no rounding.
//
// The error is [ErrOverflow]. It panics if launch is before the first price,
// length is negative, the lease or what is charged of it ends beyond the range of a
// Duration, or the meter is not usable. An end that is not one of the two is taken
// for EndedByUser. O(log n) for each piece of
// Reprice; with Reprice zero, O(log n + changes during the lease).
func (m SpotMeter) Cost(h SpotHistory, launch, length time.Duration, end SpotEnd) (Money, error) {
	charged := m.Charged(length, end)
	if end == EndedByProvider && charged == 0 {
		return 0, nil
	}
	if launch > math.MaxInt64-charged {
		panic("pricing: lease that ends beyond the range of a Duration")
	}
	var sum spotSum
	if m.Reprice == 0 {
		sum = h.weigh(launch, launch+charged)
	} else {
		for at := time.Duration(0); at < charged; {
			piece := min(m.Reprice, charged-at)
			sum.add(h.At(launch+at), piece)
			at += piece
		}
	}
	cost, ok := sum.over(time.Hour)
	if !ok {
		return 0, overflow("the price of a spot lease of %v", charged)
	}
	return cost.Add(m.Meter.StartUp)
}

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

// ReadSpots reads a file of spot prices in the layout of EC2's price history as
// CSV, and returns a history for each series in it, sorted by zone, type and
// product. The first line names the columns
//
//	AvailabilityZone, InstanceType, ProductDescription, SpotPrice, Timestamp
//
// in any order; prices are decimals per hour and timestamps RFC 3339. Lines may
// come in any order; EC2 writes the newest first. A price that the file repeats
// for the same time is taken once; two prices at the same time contradict each
// other and are an error.
//
// All histories have the oldest time of the file as their Origin, each begins with
// its own first price, and all End at the newest time of the file: a file is taken
// to be what a provider said until then.
//
// What is wrong is an [*InputError] whose text gives the line: with Field "spot"
// and [ErrSyntax] for text that is not CSV, [ErrMissing], [ErrUnknown] or
// [ErrDuplicate] for the columns, and ErrMissing for a file without prices; with
// "spot.price", [ErrSyntax], [ErrPrecision], [ErrOverflow] or [ErrRange]; with
// "spot.time", ErrSyntax, ErrDuplicate, or ErrRange for times more than 292 years
// apart; with "spot.series" and ErrMissing for an empty name. The Index is that of
// the line after the heading, from 0; -1 for the heading. An error of r is
// returned as it is. O(n log n) for n lines.
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
			return nil, csvError(len(rows), err)
		}
		line, _ := src.FieldPos(0)
		row, name, err := parseSpot(record, column, len(rows), line)
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
		return nil, badInput("spot", -1, ErrMissing, "the file has no prices")
	}
	return spotHistories(rows, names)
}

// spotHeading reads the heading and returns where each of spotColumns is.
func spotHeading(src *csv.Reader) (column [len(spotColumns)]int, err error) {
	heading, err := src.Read()
	if err == io.EOF {
		return column, badInput("spot", -1, ErrMissing, "the file is empty; its first line names the columns %s", strings.Join(spotColumns[:], ", "))
	}
	if err != nil {
		return column, csvError(-1, err)
	}
	for i := range column {
		column[i] = -1
	}
	for i, name := range heading {
		at := slices.Index(spotColumns[:], strings.TrimPrefix(name, "\ufeff"))
		switch {
		case at < 0:
			return column, badInput("spot", -1, ErrUnknown, "line 1: the column %s is unknown; there are %s", quote(name), strings.Join(spotColumns[:], ", "))
		case column[at] >= 0:
			return column, badInput("spot", -1, ErrDuplicate, "line 1: the column %s is there twice", name)
		}
		column[at] = i
	}
	for i, at := range column {
		if at < 0 {
			return column, badInput("spot", -1, ErrMissing, "line 1: there is no column %s", spotColumns[i])
		}
	}
	return column, nil
}

// csvError turns an error of encoding/csv into ours; others are the reader's.
func csvError(index int, err error) error {
	var bad *csv.ParseError
	if !errors.As(err, &bad) {
		return err
	}
	return badInput("spot", index, ErrSyntax, "line %d: %v", bad.Line, bad.Err)
}

// parseSpot reads one line. The names share the record's memory.
func parseSpot(record []string, column [len(spotColumns)]int, index, line int) (row spotRow, name SpotSeries, err error) {
	if len(record) != len(spotColumns) {
		return row, name, badInput("spot", index, ErrSyntax, "line %d: %d fields where the heading has %d", line, len(record), len(spotColumns))
	}
	name = SpotSeries{record[column[zoneColumn]], record[column[typeColumn]], record[column[productColumn]]}
	for i, s := range [...]string{name.Zone, name.Type, name.Product} {
		if s == "" {
			return row, name, badInput("spot.series", index, ErrMissing, "line %d: %s is empty", line, spotColumns[i])
		}
	}
	price, err := parseDecimal(record[column[priceColumn]], false)
	if err != nil {
		return row, name, badInput("spot.price", index, err, "line %d: %v", line, err)
	}
	if price < 0 {
		return row, name, badInput("spot.price", index, ErrRange, "line %d: the price %v is negative", line, price)
	}
	at, err := time.Parse(time.RFC3339, record[column[timeColumn]])
	if err != nil {
		return row, name, badInput("spot.time", index, ErrSyntax, "line %d: %s is not a time such as 2020-05-24T23:00:03+00:00", line, quote(record[column[timeColumn]]))
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
		return nil, badInput("spot.time", -1, ErrRange, "times from %v to %v do not fit in a Duration of 292 years", oldest, newest)
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
				return nil, badInput("spot.time", i, ErrDuplicate, "line %d: the price of %s at %s is %v here and %v on line %d",
					r.line, names[r.series], r.at.Format(time.RFC3339Nano), r.price, before.price, before.line)
			}
			continue
		}
		h := &histories[len(histories)-1]
		h.Times = append(h.Times, r.at.Sub(oldest))
		h.Prices = append(h.Prices, r.price)
	}
	return histories, nil
}

// ReadSpot reads a file as [ReadSpots] does and returns the one series in it that
// want asks for. An empty name in want stands for any, so that a zone, type or
// product need not be given where the file has only one.
//
// If no series or more than one is asked for, the error is an [*InputError] with
// Field "series" that unwraps to [ErrUnknown] or [ErrDuplicate] and lists what is
// there: the series that were meant, or all of the file.
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
		return SpotHistory{}, badInput("series", -1, ErrUnknown, "%s is not in the file; it has %s", want.asked(), listSpots(all, SpotSeries{}))
	}
	return SpotHistory{}, badInput("series", -1, ErrDuplicate, "%s is more than one series; say which of %s", want.asked(), listSpots(all, want))
}

// asked says what a selection asks for.
func (s SpotSeries) asked() string {
	name := func(s string) string {
		if s == "" {
			return "any"
		}
		return quote(s)
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
