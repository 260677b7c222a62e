package pricing

import (
	"bytes"
	"compress/gzip"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/plimsoll/plimsoll/internal/shared"
)

// stairs is a history in whole hours: prices in units from hour 0 on, each for an
// hour.
func stairs(prices ...Money) SpotHistory {
	h := SpotHistory{End: time.Duration(len(prices)) * time.Hour}
	for i, p := range prices {
		h.Times = append(h.Times, time.Duration(i)*time.Hour)
		h.Prices = append(h.Prices, p*Unit)
	}
	return h
}

// The steps of a history: the new price is in force at the moment of a change, a
// price equal to the bid does not interrupt, and repeated prices are no changes.
func TestSpotHistoryLookups(t *testing.T) {
	h := stairs(2, 2, 5, 3)
	const hour = time.Hour
	type look struct {
		At                  Money
		Next, Above, Within time.Duration // of a bid of 2
		Changes, Over, Can  bool
	}
	got := map[time.Duration]look{}
	for _, at := range []time.Duration{0, hour, 2*hour - 1, 2 * hour, 3 * hour, 9 * hour} {
		var l look
		l.At = h.At(at) / Unit
		l.Next, l.Changes = h.Next(at)
		l.Above, l.Over = h.NextAbove(at, 2*Unit)
		l.Within, l.Can = h.NextWithin(at, 2*Unit)
		got[at] = l
	}
	want := map[time.Duration]look{
		0:          {2, 2 * hour, 2 * hour, 0, true, true, true},
		hour:       {2, 2 * hour, 2 * hour, hour, true, true, true},
		2*hour - 1: {2, 2 * hour, 2 * hour, 2*hour - 1, true, true, true},
		2 * hour:   {5, 3 * hour, 2 * hour, 4 * hour, true, true, false},
		3 * hour:   {3, 4 * hour, 3 * hour, 4 * hour, false, true, false},
		9 * hour:   {3, 4 * hour, 9 * hour, 4 * hour, false, true, false}, // beyond the end: the last price
	}
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if at, ok := h.NextWithin(2*hour, 3*Unit); at != 3*hour || !ok {
		t.Errorf("the price is within 3 at %v, %v; want at 3h", at, ok)
	}
}

// By hand: over [30m, 3h30m) of 2, 2, 5, 3 the prices 2, 5, 3 hold for 90, 60 and
// 30 minutes. The mean is (3 + 5 + 1.5)/3 = 3.1666…, rounded. Half of the time the
// price is at most 2, and two thirds of the time at most 3.
func TestSpotHistoryWindows(t *testing.T) {
	h := stairs(2, 2, 5, 3)
	from, to := 30*time.Minute, 210*time.Minute
	if got, want := h.Mean(from, to), Money(3166666667); got != want {
		t.Errorf("mean %v, want %v", got, want)
	}
	for _, c := range []struct {
		q    float64
		want Money
	}{{0, 2}, {.5, 2}, {.5000001, 3}, {.66, 3}, {.67, 5}, {1, 5}} {
		if got := h.Quantile(from, to, c.q); got != c.want*Unit {
			t.Errorf("quantile %v: %v, want %v", c.q, got, c.want*Unit)
		}
	}
	if h.Start() != 0 || h.Span() != 4*time.Hour {
		t.Errorf("start %v, span %v", h.Start(), h.Span())
	}
}

// Every rule for leases that end at every interesting length. The history begins
// with an hour at 1, then 2, 4, 8 and so on; leases are launched at half past
// the first hour, so that the prices at the beginnings of their hours are 1, 2, 4.
func TestSpotMeterCost(t *testing.T) {
	h := stairs(1, 2, 4, 8, 16)
	h.Times[0] = -time.Hour // so that launches can be before 0
	const launch, minute = 30 * time.Minute, time.Minute
	suse := EC2SpotHourly
	moment := SpotMeter{Meter: EC2PerSecond}
	fee := EC2SpotPerSecond
	fee.Meter.StartUp = Unit / 2
	for _, c := range []struct {
		name   string
		meter  SpotMeter
		length time.Duration
		end    bool
		want   Money
	}{
		{"hourly, user, nothing", EC2SpotHourly, 0, EndedByUser, Unit},
		{"hourly, user, part of an hour", EC2SpotHourly, 10 * minute, EndedByUser, Unit},
		{"hourly, user, an hour", EC2SpotHourly, 60 * minute, EndedByUser, Unit},
		{"hourly, user, and a moment", EC2SpotHourly, 60*minute + 1, EndedByUser, 3 * Unit},
		{"hourly, user, 80 minutes", EC2SpotHourly, 80 * minute, EndedByUser, 3 * Unit},
		{"hourly, provider, nothing", EC2SpotHourly, 0, EndedByProvider, 0},
		{"hourly, provider, part of an hour", EC2SpotHourly, 59 * minute, EndedByProvider, 0},
		{"hourly, provider, an hour", EC2SpotHourly, 60 * minute, EndedByProvider, Unit},
		{"hourly, provider, 80 minutes", EC2SpotHourly, 80 * minute, EndedByProvider, Unit},
		{"hourly, provider, 3 hours", suse, 180 * minute, EndedByProvider, 7 * Unit},
		{"per second, user, nothing", EC2SpotPerSecond, 0, EndedByUser, Unit/60 + 1}, // 0.01666…7
		{"per second, user, half an hour", EC2SpotPerSecond, 30 * minute, EndedByUser, Unit / 2},
		// The second hour costs 2 though the price rises to 4 in it.
		{"per second, user, 2 hours", EC2SpotPerSecond, 120 * minute, EndedByUser, 3 * Unit},
		{"per second, user, 150 minutes", EC2SpotPerSecond, 150 * minute, EndedByUser, 5 * Unit},
		{"per second, provider, 59:59", EC2SpotPerSecond, time.Hour - time.Second, EndedByProvider, 0},
		{"per second, provider, an hour", EC2SpotPerSecond, time.Hour, EndedByProvider, Unit},
		{"per second, provider, 90 minutes", EC2SpotPerSecond, 90 * minute, EndedByProvider, 2 * Unit},
		// Half an hour each at 1, 2, 2, 4.
		{"each moment, user, 2 hours", moment, 120 * minute, EndedByUser, (1 + 4 + 4) * Unit / 2},
		{"each moment, provider, half a second", moment, time.Second / 2, EndedByProvider, Unit/60 + 1},
		{"fee, user", fee, 30 * minute, EndedByUser, Unit},
		{"fee, free", fee, 30 * minute, EndedByProvider, 0},
	} {
		if err := c.meter.Validate(); err != nil {
			t.Fatal(err)
		}
		got, err := c.meter.Cost(h, launch, c.length, c.end)
		if err != nil || got != c.want {
			t.Errorf("%s: %v, %v; want %v", c.name, got, err, c.want)
		}
	}
}

// [Huang13] section III.B: BT was interrupted after an hour and twenty minutes and
// then ran for four hours; at 0.21 that is five hours, $1.05, against $5.20 for
// four hours on demand at 1.30.
func TestSpotMeterCostOfBT(t *testing.T) {
	h := SpotHistory{Times: []time.Duration{0}, Prices: []Money{210 * Milli}, End: 6 * time.Hour}
	first, err := EC2SpotHourly.Cost(h, 0, 80*time.Minute, EndedByProvider)
	if err != nil {
		t.Fatal(err)
	}
	second, err := EC2SpotHourly.Cost(h, 100*time.Minute, 4*time.Hour, EndedByUser)
	if err != nil {
		t.Fatal(err)
	}
	demand, err := EC2Hourly.Cost(1300*Milli, 4*time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	if spot := first + second; spot != 1050*Milli || demand != 5200*Milli {
		t.Errorf("spot %v, on demand %v; want 1.05 and 5.2", spot, demand)
	}
}

func TestSpotErrors(t *testing.T) {
	hour := time.Hour
	ok := stairs(1, 2)
	late, negative, short, end := stairs(1, 2), stairs(1, 2), stairs(1, 2), stairs(1, 2)
	late.Times = []time.Duration{hour, hour}
	negative.Prices = []Money{1, -1}
	short.Prices = short.Prices[:1]
	end.End = hour - 1
	meter := func(f func(*SpotMeter)) error {
		m := EC2SpotPerSecond
		f(&m)
		return m.Validate()
	}
	_, over := EC2SpotHourly.Cost(SpotHistory{Times: []time.Duration{0}, Prices: []Money{math.MaxInt64}}, 0, 2*hour, EndedByUser)
	for _, c := range []struct {
		err      error
		field    string
		index    int
		sentinel error
	}{
		{SpotHistory{}.Validate(), "Times", -1, ErrMissing},
		{late.Validate(), "Times", 1, ErrRange},
		{negative.Validate(), "Prices", 1, ErrRange},
		{short.Validate(), "Prices", -1, ErrRange},
		{end.Validate(), "End", -1, ErrRange},
		{meter(func(m *SpotMeter) { m.Meter.Increment = 0 }), "Meter.Increment", -1, ErrRange},
		{meter(func(m *SpotMeter) { m.Reprice = -1 }), "Reprice", -1, ErrRange},
		{meter(func(m *SpotMeter) { m.Reprice += time.Millisecond }), "Reprice", -1, ErrRange},
		{meter(func(m *SpotMeter) { m.Meter.Minimum = 2 * hour }), "Meter.Minimum", -1, ErrRange},
		{meter(func(m *SpotMeter) { m.FreeBefore = -1 }), "FreeBefore", -1, ErrRange},
		{over, "money", -1, ErrOverflow},
	} {
		var in *InputError
		if !errors.As(c.err, &in) || in.Field != c.field || in.Index != c.index || !errors.Is(in, c.sentinel) {
			t.Errorf("%v; want %s, %d, %v", c.err, c.field, c.index, c.sentinel)
		}
	}
	if err := ok.Validate(); err != nil {
		t.Error(err)
	}
	for name, f := range map[string]func(){
		"before the first price": func() { ok.At(-1) },
		"empty window":           func() { ok.Mean(hour, hour) },
		"window turned round":    func() { ok.Quantile(hour, 0, .5) },
		"no quantile":            func() { ok.Quantile(0, hour, math.NaN()) },
		"negative length":        func() { EC2SpotHourly.Charged(-1, EndedByUser) },
		"lease without end":      func() { EC2SpotPerSecond.Cost(ok, 2*hour, math.MaxInt64-hour, EndedByUser) },
	} {
		func() {
			defer func() {
				if s, is := recover().(string); !is || !strings.HasPrefix(s, "pricing: ") {
					t.Errorf("%s: panic %q", name, s)
				}
			}()
			f()
		}()
	}
}

const spotHeader = "AvailabilityZone,InstanceType,ProductDescription,SpotPrice,Timestamp\n"

// A small file: newest first, one line repeated, two types, a zone with an offset.
const spotFile = spotHeader +
	"eu-west-3a,c5.large,Linux/UNIX,0.0400,2020-05-24T23:00:00+00:00\n" +
	"eu-west-3a,c5.xlarge,Windows,0.3,2020-05-24T22:00:00Z\n" +
	"eu-west-3a,c5.large,Linux/UNIX,0.0380,2020-05-24T21:30:00+02:00\n" +
	"eu-west-3a,c5.large,Linux/UNIX,0.0380,2020-05-24T19:30:00.000Z\n" +
	"eu-west-3a,c5.xlarge,Linux/UNIX,0.08,2020-05-24T20:00:00+00:00\n"

func TestReadSpots(t *testing.T) {
	got, err := ReadSpots(strings.NewReader(spotFile))
	if err != nil {
		t.Fatal(err)
	}
	// The file begins at 19:30 and ends at 23:00.
	origin := time.Date(2020, 5, 24, 19, 30, 0, 0, time.UTC)
	const end = 210 * time.Minute
	series := func(name, product string) SpotSeries { return SpotSeries{"eu-west-3a", name, product} }
	want := []SpotHistory{
		{series("c5.large", "Linux/UNIX"), origin, []time.Duration{0, end}, []Money{38 * Milli, 40 * Milli}, end},
		{series("c5.xlarge", "Linux/UNIX"), origin, []time.Duration{30 * time.Minute}, []Money{80 * Milli}, end},
		{series("c5.xlarge", "Windows"), origin, []time.Duration{150 * time.Minute}, []Money{300 * Milli}, end},
	}
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	// Columns in another order.
	turned := "Timestamp,SpotPrice,ProductDescription,InstanceType,AvailabilityZone\n2020-05-24T23:00:00Z,1,\"Linux, or so\",t,z\n"
	h, err := ReadSpot(strings.NewReader(turned), SpotSeries{})
	if err != nil || h.Series != (SpotSeries{"z", "t", "Linux, or so"}) || h.At(0) != Unit {
		t.Errorf("%+v, %v", h, err)
	}
}

func TestReadSpotSelects(t *testing.T) {
	read := func(s SpotSeries) (SpotHistory, error) { return ReadSpot(strings.NewReader(spotFile), s) }
	h, err := read(SpotSeries{Product: "Windows"})
	if err != nil || h.Series.Type != "c5.xlarge" {
		t.Errorf("%v, %v", h.Series, err)
	}
	for _, c := range []struct {
		want     SpotSeries
		sentinel error
		text     string
	}{
		{SpotSeries{Type: "c5.2xlarge"}, ErrUnknown,
			`pricing: series: unknown name: zone any, type "c5.2xlarge", product any: want one of eu-west-3a c5.large: Linux/UNIX; eu-west-3a c5.xlarge: Linux/UNIX, Windows`},
		{SpotSeries{Type: "c5.xlarge"}, ErrDuplicate,
			`pricing: series: occurs twice: zone any, type "c5.xlarge", product any: want one of eu-west-3a c5.xlarge: Linux/UNIX, Windows`},
	} {
		_, err := read(c.want)
		if !errors.Is(err, c.sentinel) || err.Error() != c.text {
			t.Errorf("got  %v\nwant %s", err, c.text)
		}
	}
}

func TestReadSpotsErrors(t *testing.T) {
	line := func(s string) string { return spotHeader + "z,t,p,1,2020-05-24T23:00:00Z\n" + s + "\n" }
	for _, c := range []struct {
		text     string
		field    string
		line     int
		sentinel error
		says     string
	}{
		{"", "", 1, ErrMissing, "the file is empty"},
		{spotHeader, "SpotPrice", 0, ErrMissing, "no prices"},
		{"SpotPrice,Timestamp\n", "AvailabilityZone", 1, ErrMissing, "the column: want AvailabilityZone, "},
		{"SpotPrice,When\n", "", 1, ErrUnknown, `the column "When": want AvailabilityZone, `},
		{"SpotPrice,SpotPrice\n", "SpotPrice", 1, ErrDuplicate, "the column: want it once"},
		{"\"SpotPrice\n", "", 1, ErrSyntax, "want CSV"},
		{line("z,t,p,1"), "", 3, ErrSyntax, "line 3: malformed text: 4 fields: want 5, as in the heading"},
		{line("z,t,p,1,\"2020"), "", 3, ErrSyntax, "want CSV"},
		{line("z,,p,1,2020-05-24T23:00:01Z"), "InstanceType", 3, ErrMissing, "line 3 (InstanceType): missing: an empty field: want a name"},
		{line("z,t,p,1e3,2020-05-24T23:00:01Z"), "SpotPrice", 3, ErrSyntax, `"1e3": want a plain decimal`},
		{line("z,t,p,-1,2020-05-24T23:00:01Z"), "SpotPrice", 3, ErrRange, "-1: want a price of 0 or more"},
		{line("z,t,p,0.0000000001,2020-05-24T23:00:01Z"), "SpotPrice", 3, ErrPrecision, "want nine decimals at most"},
		{line("z,t,p,99999999999,2020-05-24T23:00:01Z"), "SpotPrice", 3, ErrOverflow, ""},
		{line("z,t,p,1,yesterday"), "Timestamp", 3, ErrSyntax, `"yesterday": want a time such as`},
		{line("z,t,p,1,1720-05-24T23:00:01Z"), "Timestamp", 0, ErrRange, "292 years"},
		{line("z,t,p,2,2020-05-25T01:00:00+02:00"), "Timestamp", 3, ErrDuplicate, "z t p at 2020-05-24T23:00:00Z costs 2 here and 1 on line 2: want one price"},
	} {
		_, err := ReadSpots(strings.NewReader(c.text))
		var in *InputError
		if !errors.As(err, &in) || in.Field != c.field || in.Line != c.line || in.Index != -1 || !errors.Is(err, c.sentinel) || !strings.Contains(in.Error(), c.says) {
			t.Errorf("%q:\n%v; want %s, line %d, %v, %q", c.text, err, c.field, c.line, c.sentinel, c.says)
		}
	}
	broken := errors.New("broken")
	for _, text := range []string{"", spotHeader} {
		if _, err := ReadSpots(io.MultiReader(strings.NewReader(text), iotest.ErrReader(broken))); err != broken {
			t.Errorf("%v; want the reader's error", err)
		}
	}
}

// The file of EC2's prices in eu-west-3a from February to May 2020. Counts are by
// sort and uniq over its lines, prices by eye.
func TestReadSpotsOfEC2(t *testing.T) {
	f, err := os.Open(shared.File(t, "spot/ec2_eu-west-3a_2020_ec2-prices-march-to-may.csv.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	all, err := ReadSpots(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	lines := 0
	for _, h := range all {
		if err := h.Validate(); err != nil {
			t.Errorf("%v: %v", h.Series, err)
		}
		lines += len(h.Times)
	}
	if len(all) != 64 || lines != 8459 {
		t.Errorf("%d series, %d prices; want 64 and 8459", len(all), lines)
	}
	h, err := ReadSpot(bytes.NewReader(data), SpotSeries{Type: "t3.large", Product: "Linux/UNIX"})
	if err != nil {
		t.Fatal(err)
	}
	if len(h.Times) != 172 || h.At(h.End) != 28300*Micro {
		t.Errorf("%d prices, the last %v; want 172 and 0.0283", len(h.Times), h.At(h.End))
	}
}

// anyHistory draws a history of a few prices.
func anyHistory(t *rapid.T) SpotHistory {
	var h SpotHistory
	at := time.Duration(rapid.IntRange(-5, 5).Draw(t, "start")) * time.Minute
	for range rapid.IntRange(1, 12).Draw(t, "Prices") {
		h.Times = append(h.Times, at)
		h.Prices = append(h.Prices, Money(rapid.IntRange(0, 5).Draw(t, "price"))*100*Milli)
		at += time.Duration(rapid.IntRange(1, 90).Draw(t, "minutes")) * time.Minute
	}
	h.End = at
	return h
}

// Means, quantiles and searches against a list of every minute.
func TestSpotHistoryEqualsMinutes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := anyHistory(t)
		if err := h.Validate(); err != nil {
			t.Fatal(err)
		}
		var minutes []Money
		for i := range h.Times {
			end := h.End
			if i+1 < len(h.Times) {
				end = h.Times[i+1]
			}
			for at := h.Times[i]; at < end; at += time.Minute {
				minutes = append(minutes, h.Prices[i])
			}
		}
		a := rapid.IntRange(0, len(minutes)-1).Draw(t, "from")
		b := rapid.IntRange(a+1, len(minutes)).Draw(t, "to")
		from, to := h.Start()+time.Duration(a)*time.Minute, h.Start()+time.Duration(b)*time.Minute
		window := slices.Sorted(slices.Values(minutes[a:b]))
		var sum Money
		for _, p := range window {
			sum += p
		}
		mean := new(big.Rat).SetFrac64(int64(sum), int64(len(window)))
		got := h.Mean(from, to)
		diff := new(big.Rat).Sub(mean, new(big.Rat).SetInt64(int64(got)))
		if diff.Abs(diff).Cmp(big.NewRat(1, 2)) > 0 {
			t.Fatalf("mean %v, want %v", got, mean)
		}
		q := float64(rapid.IntRange(0, 100).Draw(t, "quantile")) / 100
		k := slices.IndexFunc(window, func(p Money) bool { // the first p held for long enough
			held := 0
			for _, w := range window {
				if w <= p {
					held++
				}
			}
			// In nanoseconds, as q·window rounds up to them.
			return float64(held)*60e9 >= math.Ceil(q*float64(len(window))*60e9)
		})
		if got := h.Quantile(from, to, q); got != window[k] {
			t.Fatalf("quantile %v of %v: %v, want %v", q, window, got, window[k])
		}
		bid := Money(rapid.IntRange(0, 5).Draw(t, "bid")) * 100 * Milli
		above := slices.IndexFunc(minutes[a:], func(p Money) bool { return p > bid })
		if at, ok := h.NextAbove(from, bid); ok != (above >= 0) || ok && at != from+time.Duration(above)*time.Minute || !ok && at != h.End {
			t.Fatalf("above %v at %v, %v; want after %d minutes", bid, at, ok, above)
		}
		within := slices.IndexFunc(minutes[a:], func(p Money) bool { return p <= bid })
		if at, ok := h.NextWithin(from, bid); ok != (within >= 0) || ok && at != from+time.Duration(within)*time.Minute || !ok && at != h.End {
			t.Fatalf("within %v at %v, %v; want after %d minutes", bid, at, ok, within)
		}
		change := slices.IndexFunc(minutes[a:], func(p Money) bool { return p != minutes[a] })
		if at, ok := h.Next(from); ok != (change >= 0) || ok && at != from+time.Duration(change)*time.Minute || !ok && at != h.End {
			t.Fatalf("next at %v, %v; want after %d minutes", at, ok, change)
		}
	})
}

// What a lease costs, against a second account that goes through it second by
// second, and by three laws: a lease never costs more when the provider ends it;
// twice the prices are twice the cost; a lease that goes on costs no less.
func TestSpotMeterCostEqualsSeconds(t *testing.T) {
	free, partial := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		h := anyHistory(t)
		m := rapid.SampledFrom([]SpotMeter{
			EC2SpotHourly, EC2SpotPerSecond, {Meter: EC2PerSecond}, {Meter: GCE2014, Reprice: 30 * time.Minute, FreePartial: true},
			{Meter: Meter{Increment: time.Minute}, Reprice: time.Minute, FreeBefore: 10 * time.Minute, FreePartial: true},
		}).Draw(t, "meter")
		if err := m.Validate(); err != nil {
			t.Fatal(err)
		}
		launch := h.Start() + time.Duration(rapid.IntRange(0, 100).Draw(t, "launch"))*time.Minute
		seconds := rapid.IntRange(0, 4*3600).Draw(t, "seconds")
		end := rapid.Bool().Draw(t, "End")
		length := time.Duration(seconds) * time.Second
		got, err := m.Cost(h, launch, length, end)
		if err != nil {
			t.Fatal(err)
		}
		// The seconds that are billed.
		inc, least := int(m.Meter.Increment/time.Second), int(m.Meter.Minimum/time.Second)
		billed := least
		for billed < seconds {
			billed += inc
		}
		if end == EndedByProvider {
			if m.FreePartial && billed > seconds {
				partial++
				if billed -= inc; seconds < least {
					billed = 0
				}
			}
			if length < m.FreeBefore {
				free++
				billed = 0
			}
		}
		var nanoSeconds int64 // of money times seconds
		var price Money
		for s := range billed {
			if r := int(m.Reprice / time.Second); r == 0 || s%r == 0 {
				price = h.At(launch + time.Duration(s)*time.Second)
			}
			nanoSeconds += int64(price)
		}
		want, err := Money(nanoSeconds).Prorate(1, 3600, HalfEven)
		if err != nil || got != want {
			t.Fatalf("%v for %d seconds billed, want %v (%v)", got, billed, want, err)
		}
		if user, err := m.Cost(h, launch, length, EndedByUser); err != nil || user < got {
			t.Fatalf("%v if the user ends it, %v as it is (%v)", user, got, err)
		}
		if longer, err := m.Cost(h, launch, length+time.Minute, end); err != nil || longer < got {
			t.Fatalf("%v a minute longer, %v as it is (%v)", longer, got, err)
		}
		double := h
		double.Prices = slices.Clone(h.Prices)
		for i := range double.Prices {
			double.Prices[i] *= 3600
		}
		if exact, err := m.Cost(double, launch, length, end); err != nil || exact != Money(nanoSeconds) {
			t.Fatalf("%v at 3600 times the price, want %v (%v)", exact, Money(nanoSeconds), err)
		}
	})
	if free < 10 || partial < 50 {
		t.Errorf("%d free, %d with a free part; want 10 and 50", free, partial)
	}
}

// Written and read back, in any order of the lines, a file is the same.
func TestReadSpotsInAnyOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var want []SpotHistory
		var rows []string
		for i := range rapid.IntRange(1, 3).Draw(t, "series") {
			h := anyHistory(t)
			h.Series = SpotSeries{"z", fmt.Sprintf("t%d", i), "p,\"q\""}
			want = append(want, h)
		}
		origin, end := want[0].Times[0], want[0].Times[0]
		for _, h := range want {
			origin, end = min(origin, h.Times[0]), max(end, h.Times[len(h.Times)-1])
		}
		for i := range want {
			h := &want[i]
			rows = append(rows, spotLines(h, time.Unix(1e9, 0).UTC())...)
			h.Origin = time.Unix(1e9, 0).UTC().Add(origin)
			h.End = end - origin
			for j := range h.Times {
				h.Times[j] -= origin
			}
		}
		rows = append(rows, rows[rapid.IntRange(0, len(rows)-1).Draw(t, "repeated")])
		rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0)).Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
		got, err := ReadSpots(strings.NewReader(spotHeader + strings.Join(rows, "")))
		if err != nil {
			t.Fatal(err)
		}
		if diff := gocmp.Diff(want, got); diff != "" {
			t.Fatalf("(-want +got):\n%s", diff)
		}
	})
}

// spotLines returns a history as lines of a file.
func spotLines(h *SpotHistory, origin time.Time) []string {
	var lines []string
	for i, at := range h.Times {
		var b strings.Builder
		w := csv.NewWriter(&b)
		_ = w.Write([]string{h.Series.Zone, h.Series.Type, h.Series.Product, h.Prices[i].String(), origin.Add(at).Format(time.RFC3339Nano)})
		w.Flush()
		lines = append(lines, b.String())
	}
	return lines
}

// Whatever is read, is read without a panic; what is read is valid, and read again
// it is the same.
func FuzzReadSpots(f *testing.F) {
	f.Add([]byte(spotFile))
	f.Add([]byte(spotHeader + "z,t,p,0.1,2020-05-24T23:00:00+23:59\nz,t,p,0.2,2020-05-24T23:00:00.000000001Z\n"))
	f.Add([]byte(spotHeader + "z,t,\"p\nq\",1,0001-01-01T00:00:00Z\nz,t,p,2,9999-12-31T23:59:59Z\n"))
	f.Add([]byte("\ufeff" + spotHeader + "z,t,p,1,2020-02-30T00:00:00Z\n"))
	f.Add([]byte("Timestamp,\"SpotPrice\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		all, err := ReadSpots(bytes.NewReader(data))
		if err != nil {
			var in *InputError
			if !errors.As(err, &in) || errors.Unwrap(in.Err) == nil {
				t.Fatalf("error %v is not an InputError with a sentinel", err)
			}
			return
		}
		var b strings.Builder
		b.WriteString(spotHeader)
		for i := range all {
			h := &all[i]
			if err := h.Validate(); err != nil {
				t.Fatal(err)
			}
			if i > 0 && all[i-1].Series.compare(h.Series) >= 0 {
				t.Fatalf("%v comes before %v", all[i-1].Series, h.Series)
			}
			for _, line := range spotLines(h, h.Origin) {
				b.WriteString(line)
			}
		}
		back, err := ReadSpots(strings.NewReader(b.String()))
		if diff := gocmp.Diff(all, back); diff != "" || err != nil {
			t.Fatalf("read back: %v (-want +got):\n%s", err, diff)
		}
	})
}

// monthOfPrices is a made-up history of a month with n prices.
func monthOfPrices(n int, seed uint64) SpotHistory {
	rng := rand.New(rand.NewPCG(seed, 2020))
	h := SpotHistory{End: 30 * 24 * time.Hour}
	for range n {
		h.Times = append(h.Times, time.Duration(rng.Int64N(int64(h.End))))
	}
	h.Times[0] = 0
	slices.Sort(h.Times)
	h.Times = slices.Compact(h.Times)
	for range h.Times {
		h.Prices = append(h.Prices, 100*Milli+Money(rng.IntN(5000))*100*Micro)
	}
	return h
}

func TestSpotAllocations(t *testing.T) {
	h := monthOfPrices(5000, 1)
	const day = 24 * time.Hour
	wantNoAllocs(t, "spot", 20, func(i int) {
		at := time.Duration(i) * day
		h.At(at)
		h.Next(at)
		h.NextAbove(at, 500*Milli)
		h.NextWithin(at, 200*Milli)
		h.Mean(at, at+7*day)
		h.Quantile(at, at+7*day, float64(i)/19)
		for _, m := range []SpotMeter{EC2SpotHourly, EC2SpotPerSecond, {Meter: EC2PerSecond}} {
			if _, err := m.Cost(h, at, 2*day+time.Minute, i%2 == 1); err != nil || m.Validate() != nil {
				t.Fatal(err)
			}
		}
		if h.Validate() != nil {
			t.Fatal("invalid")
		}
	})
}

func BenchmarkSpotHistory(b *testing.B) {
	const day = 24 * time.Hour
	for _, n := range []int{100, 5000} {
		h := monthOfPrices(n, 1)
		var sum Money
		for _, c := range []struct {
			name string
			f    func(at time.Duration) Money
		}{
			{"At", h.At},
			{"Mean/days=30", func(time.Duration) Money { return h.Mean(0, 30*day) }},
			{"Quantile/days=30", func(time.Duration) Money { return h.Quantile(0, 30*day, .95) }},
			{"NextAbove", func(at time.Duration) Money { t, _ := h.NextAbove(at, 550*Milli); return Money(t) }},
		} {
			b.Run(fmt.Sprintf("%s/prices=%d", c.name, n), func(b *testing.B) {
				b.ReportAllocs()
				at := time.Duration(0)
				for b.Loop() {
					at = (at + 7*time.Minute + 1) % (29 * day)
					sum += c.f(at)
				}
			})
		}
		sink = time.Duration(sum)
	}
}

func BenchmarkSpotMeterCost(b *testing.B) {
	h := monthOfPrices(5000, 1)
	for _, c := range []struct {
		name  string
		meter SpotMeter
	}{{"EC2SpotHourly", EC2SpotHourly}, {"EC2SpotPerSecond", EC2SpotPerSecond}} {
		b.Run("hours=4/meter="+c.name, func(b *testing.B) {
			b.ReportAllocs()
			var sum Money
			at := time.Duration(0)
			for b.Loop() {
				at = (at + 7*time.Minute + 1) % (600 * time.Hour)
				cost, err := c.meter.Cost(h, at, 220*time.Minute, EndedByUser)
				if err != nil {
					b.Fatal(err)
				}
				sum += cost
			}
			sink = time.Duration(sum)
		})
	}
}

func BenchmarkReadSpots(b *testing.B) {
	h := monthOfPrices(5000, 1)
	h.Series = SpotSeries{"eu-west-3a", "c5.2xlarge", "Linux/UNIX"}
	text := spotHeader + strings.Join(spotLines(&h, time.Unix(1e9, 0)), "")
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := ReadSpots(strings.NewReader(text)); err != nil {
			b.Fatal(err)
		}
	}
}
