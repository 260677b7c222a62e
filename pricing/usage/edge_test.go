package usage

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/pricing"
)

// Numbers of many digits are exact or said not to be, wherever the digits that count begin and
// end: math/big is the reference.
func TestParseLong(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 0))
	one := new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(decimals), nil))
	inexact, tooMuch := 0, 0
	for range 4000 {
		digits := func(n int) string {
			var b strings.Builder
			for range n {
				b.WriteByte("0001234567899"[rng.IntN(13)])
			}
			return b.String()
		}
		s := digits(1+rng.IntN(20)) + "." + digits(1+rng.IntN(50))
		if rng.IntN(3) == 0 {
			s += fmt.Sprintf("e%d", rng.IntN(40)-20)
		}
		want, ok := new(big.Rat).SetString(s)
		if !ok {
			t.Fatal(s)
		}
		a, exact, err := Parse([]byte(s))
		if err != nil {
			if want.Cmp(new(big.Rat).SetInt(big.NewInt(most))) <= 0 {
				t.Errorf("%s: %v", s, err)
			}
			tooMuch++
			continue
		}
		got, _ := new(big.Rat).SetString(a.String())
		same := got.Cmp(want) == 0
		if exact && !same {
			t.Errorf("%s: %v is said to be exact", s, a)
		}
		if !same {
			inexact++
			if off := new(big.Rat).Sub(got, want); off.Abs(off).Mul(off, one).Cmp(big.NewRat(1, 1)) >= 0 {
				t.Errorf("%s: %v", s, a)
			}
		}
	}
	if inexact < 100 || tooMuch < 20 {
		t.Errorf("%d inexact, %d too much", inexact, tooMuch)
	}
	for s, want := range map[string]bool{"0." + strings.Repeat("1", 36): false, "123456789012." + strings.Repeat("0", 60): true, "123456789012." + strings.Repeat("0", 40) + "1": false, "123456789012." + strings.Repeat("0", 40) + "10": false} {
		if _, exact, err := Parse([]byte(s)); err != nil || exact != want {
			t.Errorf("%s: exact %v, %v", s, exact, err)
		}
	}
	if a := amountOf(t, "7"); a.Scale(5, 5) != a || a.Scale(0, 0) != a {
		t.Error("a share of all is not all")
	}
}

func amountOf(t *testing.T, s string) Amount {
	t.Helper()
	a, _, err := Parse([]byte(s))
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// Whole numbers of hours: what no int holds is no number.
func TestWholeEdges(t *testing.T) {
	million := amountOf(t, "1000000000000") // a million millions
	below, above := million.Scale(9_223_372, 1), million.Scale(9_223_373, 1)
	if n, ok := below.whole(1, pricing.Down); math.MaxInt > math.MaxInt32 && (!ok || int64(n) != 9_223_372e12) {
		t.Errorf("%v is %d, %v", below, n, ok)
	}
	if n, ok := above.whole(1, pricing.Down); ok {
		t.Errorf("%v, which no int holds, is %d", above, n)
	}
	if n, ok := above.whole(1<<40, pricing.Down); !ok || n != 8_388_608 {
		t.Errorf("a part of it is %d, %v", n, ok)
	}
}

// Times at midnight and with decimals.
func TestTimeEdges(t *testing.T) {
	for s, want := range map[string]string{
		"2024-09-18T24:00:00Z":            "2024-09-19T00:00:00Z",
		"2024-09-18T24:00:00.0Z":          "2024-09-19T00:00:00Z",
		"2024-09-18T24:00:00.000000001Z":  "",
		"2024-09-18T24:00:01Z":            "",
		"2024-09-18T24:01Z":               "",
		"2024-09-18T22:00:00.5Z":          "2024-09-18T22:00:00.5Z",
		"2024-09-18T22:00:00.05Z":         "2024-09-18T22:00:00.05Z",
		"2024-09-18T22:00:00.1234567899Z": "2024-09-18T22:00:00.123456789Z",
		"2024-09-18T22:00:00.Z":           "",
	} {
		got, err := ParseTime([]byte(s))
		if (err == nil) != (want != "") || err == nil && got.Format(time.RFC3339Nano) != want {
			t.Errorf("%s: %v, %v, want %s", s, got, err, want)
		}
	}
}

// Hours in any order make the demand of a map, and memory that grows with the span.
func TestBucketsInAnyOrder(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 0))
	one := amountOf(t, "1")
	for range 200 {
		var b buckets
		want := map[int64]slot{}
		least, most := int64(math.MaxInt64), int64(math.MinInt64)
		for range 1 + rng.IntN(40) {
			at := int64(rng.IntN(100) - 50)
			covered := rng.IntN(2) == 0
			b.add(at, one, covered)
			w := want[at]
			w.used = w.used.Plus(one)
			if covered {
				w.covered = w.covered.Plus(one)
			}
			want[at] = w
			least, most = min(least, at), max(most, at)
		}
		if n := int64(len(b.slot)); n > 2*(most-least+1) {
			t.Fatalf("%d slots for hours from %d to %d", n, least, most)
		}
		b.trim()
		if b.base != least || b.base+int64(len(b.slot)) != most+1 {
			t.Fatalf("from %d, %d slots: want %d to %d", b.base, len(b.slot), least, most)
		}
		for i, v := range b.slot {
			if v != want[b.base+int64(i)] {
				t.Fatalf("hour %d: %+v", b.base+int64(i), v)
			}
		}
	}
}
