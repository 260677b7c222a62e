package usage

import (
	"errors"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/plimsoll/plimsoll/internal/allocs"
)

func TestParseTime(t *testing.T) {
	want := time.Date(2024, 9, 18, 22, 0, 0, 0, time.UTC)
	for _, s := range []string{
		"2024-09-18 22:00:00", "2024-09-18T22:00:00Z", "2024-09-18T22:00Z", "2024-09-18 22:00:00 UTC", "2024-09-18 22:00:00.000 UTC", "2024-09-18T22:00:00.000Z",
		"2024-09-19T00:00:00+02:00", "2024-09-18T17:00:00-0500", "2024-09-19 00:00:00+02", "2024-09-18 22:00:00+00:00", "2024-09-18t22:00:00z",
	} {
		if got, err := ParseTime(s); err != nil || !got.Equal(want) || got.Location() != time.UTC {
			t.Errorf("%s: %v, %v", s, got, err)
		}
	}
	for s, want := range map[string]time.Time{
		"2000-02-29": time.Date(2000, 2, 29, 0, 0, 0, 0, time.UTC), "2024-01-31": time.Date(2024, 1, 31, 0, 0, 0, 0, time.UTC), "2024-04-30T23:59:60Z": time.Date(2024, 5, 1, 0, 0, 0, 0, time.UTC),
		"2024-09-18T22:00:00-02:30": time.Date(2024, 9, 19, 0, 30, 0, 0, time.UTC), "2024-09-18T22:00:00+0530": time.Date(2024, 9, 18, 16, 30, 0, 0, time.UTC),
		"2024-02-29":                         time.Date(2024, 2, 29, 0, 0, 0, 0, time.UTC),
		"2024-12-31T24:00:00Z":               time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC),
		"2024-09-18 22:00:00.123456789":      time.Date(2024, 9, 18, 22, 0, 0, 123456789, time.UTC),
		"2024-09-18 22:00:00.25999999999999": time.Date(2024, 9, 18, 22, 0, 0, 259999999, time.UTC),
	} {
		if got, err := ParseTime([]byte(s)); err != nil || !got.Equal(want) {
			t.Errorf("%s: %v, %v; want %v", s, got, err, want)
		}
	}
	for _, s := range []string{
		"", "2024", "2024-9-18", "2023-02-29", "1900-02-29", "2024-13-01", "2024-00-01", "2024-01-00", "2024-04-31", "18/09/2024", "2024-09-18T", "2024-09-18T22", "2024-09-18T22:00:00ZZ",
		"2023-02-01T30:00:00Z", "2024-09-18T24:00:01Z", "2024-09-18T22:60:00Z", "2024-09-18 22:00:00 ", "2024-09-18 22:00:00 CET", "2024-09-18 22:00:00+25:00", "2024-09-18 22:00:00.Z", "2024-09-18x", "NULL", "2024/09/18", "2024-09-18T22.00:00", "2024-09-18T22:00:00+", "2024-09-18T22:00:00+1", "2024-09-18T22:00:00 UT", "2024-09-18T22:00:00 ", "20x4-09-18", "2024-09-18T22:00:61Z", "2024-09-18T25:00Z", "2024-09-18T22:00:00+02:60", "2024-09-18 22:00:00 UTX", "2024-02-30", "2024-06-31", "2024-11-31", "2024-09-31",
	} {
		if got, err := ParseTime(s); !errors.Is(err, ErrSyntax) {
			t.Errorf("%q: %v, %v", s, got, err)
		}
	}
}

func TestParseTimeProp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := time.Unix(rapid.Int64Range(-62135596800, 253402300799).Draw(t, "seconds"), 0).UTC()
		zone := time.FixedZone("", 60*rapid.IntRange(-1080, 1080).Draw(t, "offset"))
		for _, layout := range []string{time.RFC3339, "2006-01-02 15:04:05-0700"} {
			if at := want.In(zone); at.Year() >= 0 && at.Year() <= 9999 {
				if got, err := ParseTime(at.Format(layout)); err != nil || !got.Equal(want) {
					t.Fatalf("%s: %v, %v", at.Format(layout), got, err)
				}
			}
		}
	})
}

func TestParseTimeAllocs(t *testing.T) {
	text := []byte("2024-09-18T22:00:00Z")
	if n := allocs.Once(func() { ParseTime(text) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkParseTime(b *testing.B) {
	text := []byte("2024-09-18T22:00:00Z")
	for b.Loop() {
		if _, err := ParseTime(text); err != nil {
			b.Fatal(err)
		}
	}
}
