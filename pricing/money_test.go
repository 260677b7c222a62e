package pricing

import (
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestParseMoney(t *testing.T) {
	tests := []struct {
		in   string
		want Money
		err  error
	}{
		{in: "0"},
		{in: "-0"},
		{in: "2.4", want: 2_400_000_000},
		{in: "2.40", want: 2_400_000_000},
		{in: "+2.4", want: 2_400_000_000},
		{in: "-.5", want: -500_000_000},
		{in: "5.", want: 5_000_000_000},
		{in: "007", want: 7_000_000_000},
		{in: "0.000000001", want: 1},
		{in: "0.0000000010", want: 1},
		{in: "0.1046300000", want: 104_630_000}, // ten decimals, as in EC2's price files
		{in: "1" + strings.Repeat("0", 9), want: 1_000_000_000 * Unit},
		{in: strings.Repeat("0", 99) + "1." + strings.Repeat("0", 99), want: Unit},
		{in: "9223372036.854775807", want: math.MaxInt64},
		{in: "-9223372036.854775808", want: math.MinInt64},
		{in: "9223372036.854775808", err: ErrOverflow},
		{in: "-9223372036.854775809", err: ErrOverflow},
		{in: "9223372037", err: ErrOverflow},
		{in: "18446744074", err: ErrOverflow}, // 2⁶⁴ nanos and a bit: must not wrap
		{in: strings.Repeat("9", 99), err: ErrOverflow},
		{in: "0.0000000001", err: ErrPrecision},
		{in: "1.0000000005", err: ErrPrecision},
		{in: strings.Repeat("9", 99) + ".0000000001", err: ErrPrecision},
		{in: "", err: ErrSyntax},
		{in: ".", err: ErrSyntax},
		{in: "-", err: ErrSyntax},
		{in: "+-1", err: ErrSyntax},
		{in: "1.2.3", err: ErrSyntax},
		{in: "1e3", err: ErrSyntax},
		{in: " 1", err: ErrSyntax},
		{in: "1 ", err: ErrSyntax},
		{in: "1,000", err: ErrSyntax},
		{in: "1_000", err: ErrSyntax},
		{in: "$1", err: ErrSyntax},
		{in: "0x10", err: ErrSyntax},
		{in: "Inf", err: ErrSyntax},
		{in: "NaN", err: ErrSyntax},
		{in: "٣", err: ErrSyntax},
	}
	for _, tt := range tests {
		got, err := ParseMoney(tt.in)
		if got != tt.want || !errors.Is(err, tt.err) || (err == nil) != (tt.err == nil) {
			t.Errorf("ParseMoney(%q) = %d, %v, want %d, %v", tt.in, got, err, tt.want, tt.err)
		}
		var in *InputError
		if err != nil && (!errors.As(err, &in) || in.Field != "money" || in.Index != -1) {
			t.Errorf("ParseMoney(%q): error %#v is not an InputError about money", tt.in, err)
		}
	}
}

func TestMoneyText(t *testing.T) {
	tests := []struct {
		m                     Money
		want, two, none, nine string
	}{
		{0, "0", "0.00", "0", "0.000000000"},
		{1, "0.000000001", "0.00", "0", "0.000000001"},
		{-1, "-0.000000001", "0.00", "0", "-0.000000001"},
		{2400 * Milli, "2.4", "2.40", "2", "2.400000000"},
		{-2400 * Milli, "-2.4", "-2.40", "-2", "-2.400000000"},
		{5 * Milli, "0.005", "0.00", "0", "0.005000000"},  // half to even: 0.00
		{15 * Milli, "0.015", "0.02", "0", "0.015000000"}, // half to even: 0.02
		{-15 * Milli, "-0.015", "-0.02", "0", "-0.015000000"},
		{5*Milli + 1, "0.005000001", "0.01", "0", "0.005000001"},
		{500 * Milli, "0.5", "0.50", "0", "0.500000000"},
		{1500 * Milli, "1.5", "1.50", "2", "1.500000000"},
		{999_999_999, "0.999999999", "1.00", "1", "0.999999999"},
		{math.MaxInt64, "9223372036.854775807", "9223372036.85", "9223372037", "9223372036.854775807"},
		{math.MinInt64, "-9223372036.854775808", "-9223372036.85", "-9223372037", "-9223372036.854775808"},
	}
	for _, tt := range tests {
		got := []string{tt.m.String(), tt.m.Fixed(2), tt.m.Fixed(0), tt.m.Fixed(9)}
		if diff := cmp.Diff([]string{tt.want, tt.two, tt.none, tt.nine}, got); diff != "" {
			t.Errorf("%d (-want +got):\n%s", int64(tt.m), diff)
		}
		back, err := ParseMoney(got[0])
		if back != tt.m || err != nil {
			t.Errorf("ParseMoney(%q) = %d, %v, want %d", got[0], back, err, tt.m)
		}
	}
	if got, want := (2400 * Milli).Float64(), 2.4; got != want {
		t.Errorf("Float64 = %v, want %v", got, want)
	}
}

func TestMoneyJSON(t *testing.T) {
	tests := []struct {
		in   string
		want Money
		err  error
	}{
		{in: `2.40`, want: 2400 * Milli},
		{in: `"2.40"`, want: 2400 * Milli},
		{in: `-0.1`, want: -100 * Milli},
		{in: `1e3`, want: 1000 * Unit},
		{in: `1E+3`, want: 1000 * Unit},
		{in: `25e-1`, want: 2500 * Milli},
		{in: `2.5e1`, want: 25 * Unit},
		{in: `1.23456789e-1`, want: 123_456_789},
		{in: `1e-9`, want: Nano},
		{in: `10e-10`, want: Nano},
		{in: `0e99999999999999999999`},
		{in: `0.00000e-99999999999999999999`},
		{in: `9223372036854775807e-9`, want: math.MaxInt64},
		{in: `-9223372036854775808e-9`, want: math.MinInt64},
		{in: `0.000000000000000000001e21`, want: Unit},
		{in: `1000000000000000000000000000000e-30`, want: Unit},
		{in: `null`, want: 7}, // unchanged
		{in: `1e-10`, err: ErrPrecision},
		{in: `0.12345678901`, err: ErrPrecision},
		{in: `"0.12345678901"`, err: ErrPrecision},
		{in: `1e10`, err: ErrOverflow},
		{in: `1e99999999999999999999`, err: ErrOverflow},
		{in: `1e18446744073709551616`, err: ErrOverflow},
		{in: `9223372036854775808e-9`, err: ErrOverflow},
		{in: `"1e3"`, err: ErrSyntax},
		{in: `""`, err: ErrSyntax},
		{in: `true`, err: ErrSyntax},
		{in: `{}`, err: ErrSyntax},
		{in: `[1]`, err: ErrSyntax},
	}
	for _, tt := range tests {
		got := Money(7)
		err := json.Unmarshal([]byte(tt.in), &got)
		if tt.err != nil {
			tt.want = 7
		}
		if got != tt.want || !errors.Is(err, tt.err) || (err == nil) != (tt.err == nil) {
			t.Errorf("Unmarshal(%s) = %d, %v, want %d, %v", tt.in, got, err, tt.want, tt.err)
		}
	}
	type prices struct {
		P Money
		M map[Money]int // a key is text
	}
	data, err := json.Marshal(prices{P: 60 * Milli, M: map[Money]int{904 * Milli: 1}})
	if got, want := string(data), `{"P":0.06,"M":{"0.904":1}}`; got != want || err != nil {
		t.Errorf("Marshal = %s, %v, want %s", got, err, want)
	}
	var back prices
	if err := json.Unmarshal(data, &back); err != nil || back.M[904*Milli] != 1 || back.P != 60*Milli {
		t.Errorf("Unmarshal = %v, %v", back, err)
	}
}

func TestMoneyOverflow(t *testing.T) {
	type result struct {
		M  Money
		Ok bool
	}
	pack := func(m Money, err error) result {
		if err != nil && !errors.Is(err, ErrOverflow) {
			t.Errorf("error %v is not ErrOverflow", err)
		}
		return result{m, err == nil}
	}
	const top, bottom = math.MaxInt64, math.MinInt64
	got := []result{
		pack(Money(1).Add(2)), pack(Money(top).Add(0)), pack(Money(top).Add(1)), pack(Money(bottom).Add(-1)),
		pack(Money(bottom).Add(top)), pack(Money(bottom).Add(0)),
		pack(Money(1).Sub(2)), pack(Money(bottom).Sub(1)), pack(Money(0).Sub(bottom)), pack(Money(-1).Sub(bottom)),
		pack(Money(bottom).Sub(0)), pack(Money(top).Sub(-1)),
		pack(Money(3).Mul(-4)), pack(Money(bottom).Mul(1)), pack(Money(bottom).Mul(-1)), pack(Money(1 << 62).Mul(-2)),
		pack(Money(1 << 62).Mul(2)), pack(Money(1 << 32).Mul(1 << 32)), pack(Money(0).Mul(bottom)),
		pack(Money(top).Over(time.Hour, HalfEven)), pack(Money(top).Over(time.Hour+1, Down)),
		pack(Money(bottom).Over(time.Hour, Up)), pack(Money(bottom).Over(-time.Hour, Up)),
		pack(Money(top).Over(math.MaxInt64, HalfEven)),
		pack(Money(top).Prorate(math.MaxInt64, math.MaxInt64, Up)), pack(Money(top).Prorate(2, 1, Up)),
	}
	want := []result{
		{3, true}, {top, true}, {}, {},
		{-1, true}, {bottom, true},
		{-1, true}, {}, {}, {top, true},
		{bottom, true}, {},
		{-12, true}, {bottom, true}, {}, {bottom, true},
		{}, {}, {0, true},
		{top, true}, {},
		{bottom, true}, {},
		{},
		{top, true}, {},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Nanos over spans that leave a quarter, a half and three quarters of a nano.
func TestOverRounding(t *testing.T) {
	const quarter = 15 * time.Minute
	tests := []struct {
		m    Money
		d    time.Duration
		want [4]Money // HalfEven, HalfUp, Down, Up
	}{
		{1, 0, [4]Money{}},
		{1, quarter, [4]Money{0, 0, 0, 1}},
		{1, 2 * quarter, [4]Money{0, 1, 0, 1}},
		{1, 3 * quarter, [4]Money{1, 1, 0, 1}},
		{1, 4 * quarter, [4]Money{1, 1, 1, 1}},
		{1, 6 * quarter, [4]Money{2, 2, 1, 2}},
		{1, 10 * quarter, [4]Money{2, 3, 2, 3}},
		{-1, 2 * quarter, [4]Money{0, -1, 0, -1}},
		{-1, 6 * quarter, [4]Money{-2, -2, -1, -2}},
		{1, -10 * quarter, [4]Money{-2, -3, -2, -3}},
		{-1, -7 * quarter, [4]Money{2, 2, 1, 2}},
		// 2.40 an hour for a second is 666,666.67 micros.
		{2400 * Milli, time.Second, [4]Money{666_667, 666_667, 666_666, 666_667}},
		// The product has 94 bits: 361 an hour over a term of three years.
		{361 * Unit, 26280 * time.Hour, [4]Money{9_487_080 * Unit, 9_487_080 * Unit, 9_487_080 * Unit, 9_487_080 * Unit}},
	}
	for _, tt := range tests {
		var got [4]Money
		for i, r := range []Rounding{HalfEven, HalfUp, Down, Up} {
			v, err := tt.m.Over(tt.d, r)
			if err != nil {
				t.Fatal(err)
			}
			got[i] = v
		}
		if got != tt.want {
			t.Errorf("%d over %v = %v, want %v", tt.m, tt.d, got, tt.want)
		}
	}
}

func TestNames(t *testing.T) {
	got := []string{
		Always.String(), WhenUsed.String(), Billing(9).String(),
	}
	want := []string{
		"always", "when-used", "Billing(9)",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if _, err := Billing(9).MarshalText(); !errors.Is(err, ErrUnknown) {
		t.Errorf("MarshalText of Billing(9): %v, want ErrUnknown", err)
	}
	var b Billing
	if err := b.UnmarshalText([]byte("sometimes")); !errors.Is(err, ErrUnknown) {
		t.Errorf("UnmarshalText(sometimes): %v, want ErrUnknown", err)
	}
}

// panics returns the message that f panics with, or "".
func panics(f func()) (message string) {
	defer func() {
		if v := recover(); v != nil {
			message = v.(string)
		}
	}()
	f()
	return ""
}

func TestMisuse(t *testing.T) {
	hourly := Class{Term: time.Hour}
	for i, f := range []func(){
		func() { Money(1).Fixed(-1) },
		func() { Money(1).Fixed(10) },
		func() { _, _ = Money(1).Over(time.Hour, Rounding(9)) },
		func() { _, _ = Money(1).Prorate(1, 0, Up) },
		func() { Meter{}.Charged(0) },
		func() { Meter{Minimum: -1, Increment: 1}.Charged(0) },
		func() { EC2Hourly.Charged(-1) },
		func() { EC2Hourly.NextCharge(math.MaxInt64) },
		func() { hourly.BreakEven(Class{}) },
		func() { Class{Term: 1, Upfront: -1}.BreakEven(hourly) },
		func() { Class{Term: 1, Hourly: -1}.BreakEven(hourly) },
		func() { _, _ = List{}.AppendEnvelope(nil, -1) },
		func() { _, _ = new(Biller).Bill(List{}, nil, 0, nil) },
		func() { _, _ = GCE2014SustainedUse.Cost(1, 0, 0) },
		func() { _, _ = GCE2014SustainedUse.Cost(1, 0, 367*24*time.Hour) },
		func() { _, _ = Niu16Cluster(0, 1) },
		func() { _, _ = Niu16Cluster(93, -1) },
	} {
		if got := panics(f); !strings.HasPrefix(got, "pricing: ") {
			t.Errorf("misuse %d: panic %q, want one that begins with the package's name", i, got)
		}
	}
}
