// Package decimal prints numbers as plain decimals: without exponents, and the
// same on every machine.
package decimal

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"time"
)

// AppendSeconds appends d in seconds to dst, exactly: whole seconds without a
// point, others with as many decimals as they need.
func AppendSeconds(dst []byte, d time.Duration) []byte {
	whole, rest := d/time.Second, d%time.Second
	if d < 0 {
		dst = append(dst, '-')
		whole, rest = -whole, -rest
	}
	dst = strconv.AppendInt(dst, int64(whole), 10)
	if rest == 0 {
		return dst
	}
	dst = append(dst, '.')
	for unit := time.Second / 10; rest > 0; unit /= 10 {
		dst = append(dst, '0'+byte(rest/unit))
		rest %= unit
	}
	return dst
}

// Seconds returns d in seconds, exactly, as a number for JSON.
func Seconds(d time.Duration) json.Number { return json.Number(AppendSeconds(nil, d)) }

// Fixed returns x with the given number of decimals.
func Fixed(x float64, decimals int) string {
	s := strconv.FormatFloat(x, 'f', decimals, 64)
	if strings.Trim(s, "-0.") == "" {
		s = strings.TrimPrefix(s, "-")
	}
	return s
}

// Number returns x, rounded to the given number of decimals, as a number for
// JSON, without zeros at the end.
func Number(x float64, decimals int) json.Number {
	s := Fixed(x, decimals)
	if strings.ContainsRune(s, '.') {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	return json.Number(s)
}

// Grouped returns the decimal number s with its whole part in groups of three:
// "-12345.678" gives "-12,345.678".
func Grouped(s string) string {
	sign, point := 0, strings.IndexByte(s, '.')
	if strings.HasPrefix(s, "-") {
		sign = 1
	}
	if point < 0 {
		point = len(s)
	}
	var b strings.Builder
	for i := range len(s) {
		if i > sign && i < point && (point-i)%3 == 0 {
			b.WriteByte(',')
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// Int returns n in groups of three digits.
func Int(n int) string { return Grouped(strconv.Itoa(n)) }

// Count returns a number of things in words: "1 node", "1,024 nodes".
func Count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return Int(n) + " " + thing + "s"
}

// Span writes a duration without the minutes and seconds that are zero, and the longest, which
// stands for a time that does not come, as never.
func Span(d time.Duration) string {
	if d == math.MaxInt64 {
		return "never"
	}
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

// Runtime writes a time of a run in seconds, with more decimals if it is short.
func Runtime(s float64) string {
	switch {
	case s < 1:
		return Fixed(s, 4) + " s"
	case s < 100:
		return Fixed(s, 2) + " s"
	}
	return Grouped(Fixed(s, 0)) + " s"
}
