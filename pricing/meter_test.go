package pricing

import (
	"errors"
	"math"
	"testing"
	"time"
)

func TestMeter(t *testing.T) {
	const h, m, s = time.Hour, time.Minute, time.Second
	fee := Meter{Minimum: 90 * s, Increment: 40 * s, StartUp: 10 * Milli}
	bare := Meter{Increment: m}
	tests := []struct {
		name    string
		meter   Meter
		length  time.Duration
		charged time.Duration
		cost    Money // at 3.60 an hour: a milli a second
	}{
		{"hourly, begun", EC2Hourly, 0, h, 3600 * Milli},
		{"hourly, a nanosecond", EC2Hourly, 1, h, 3600 * Milli},
		{"hourly, 59 minutes", EC2Hourly, 59 * m, h, 3600 * Milli},
		{"hourly, an hour: falls now", EC2Hourly, h, h, 3600 * Milli},
		{"hourly, a nanosecond more", EC2Hourly, h + 1, 2 * h, 7200 * Milli},
		{"hourly, a year", EC2Hourly, 8760 * h, 8760 * h, 8760 * 3600 * Milli},
		{"GCE, a second", GCE2014, s, 10 * m, 600 * Milli},
		{"GCE, ten minutes", GCE2014, 10 * m, 10 * m, 600 * Milli},
		{"GCE, a second more", GCE2014, 10*m + s, 11 * m, 660 * Milli},
		{"per second, begun", EC2PerSecond, 0, m, 60 * Milli},
		{"per second, a minute", EC2PerSecond, m, m, 60 * Milli},
		{"per second, 60.5 s", EC2PerSecond, m + s/2, 61 * s, 61 * Milli},
		{"fee, begun", fee, 0, 90 * s, 100 * Milli},
		{"fee, 90 s", fee, 90 * s, 90 * s, 100 * Milli},
		{"fee, 91 s: steps count from the minimum", fee, 91 * s, 130 * s, 140 * Milli},
		{"fee, 130 s", fee, 130 * s, 130 * s, 140 * Milli},
		{"no minimum, begun", bare, 0, 0, 0},
		{"no minimum, a second", bare, s, m, 60 * Milli},
		{"no minimum, a minute", bare, m, m, 60 * Milli},
	}
	for _, tt := range tests {
		if got := tt.meter.Charged(tt.length); got != tt.charged {
			t.Errorf("%s: charged %v, want %v", tt.name, got, tt.charged)
		}
		if got := tt.meter.NextCharge(tt.length); got != tt.charged {
			t.Errorf("%s: next charge at %v, want %v", tt.name, got, tt.charged)
		}
		cost, err := tt.meter.Cost(3600*Milli, tt.length)
		if cost != tt.cost || err != nil {
			t.Errorf("%s: cost %v, %v, want %v", tt.name, cost, err, tt.cost)
		}
	}
	if _, err := EC2Hourly.Cost(math.MaxInt64, 2*h); !errors.Is(err, ErrOverflow) {
		t.Errorf("cost of too much: %v, want ErrOverflow", err)
	}
	if _, err := (Meter{Increment: 1, StartUp: math.MaxInt64}).Cost(Unit, h); !errors.Is(err, ErrOverflow) {
		t.Errorf("cost of too high a fee: %v, want ErrOverflow", err)
	}
	// The longest lease that can be metered.
	if got, want := (Meter{Increment: 2}).Charged(math.MaxInt64-1), time.Duration(math.MaxInt64-1); got != want {
		t.Errorf("charged %v, want %v", got, want)
	}
}

func TestValidateMeter(t *testing.T) {
	for _, m := range []Meter{EC2Hourly, GCE2014, EC2PerSecond, {Increment: 1}} {
		if err := m.Validate(); err != nil {
			t.Errorf("%v: %v", m, err)
		}
	}
	wantError(t, Meter{}.Validate(), "Increment", -1, ErrRange)
	wantError(t, Meter{Minimum: -1, Increment: 1}.Validate(), "Minimum", -1, ErrRange)
	wantError(t, Meter{Increment: 1, StartUp: -1}.Validate(), "StartUp", -1, ErrRange)
}
