package pricing

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"
)

func BenchmarkMeter(b *testing.B) {
	for _, m := range []struct {
		name  string
		meter Meter
	}{{"EC2Hourly", EC2Hourly}, {"GCE2014", GCE2014}, {"EC2PerSecond", EC2PerSecond}} {
		b.Run("NextCharge/meter="+m.name, func(b *testing.B) {
			var sum, length time.Duration
			for b.Loop() {
				sum += m.meter.NextCharge(length)
				length = (length + 1237*time.Millisecond) & (1<<45 - 1) // up to 9.8 h
			}
			sink = sum
		})
	}
	b.Run("Cost/meter=EC2PerSecond", func(b *testing.B) {
		var sum Money
		var length time.Duration
		for b.Loop() {
			cost, err := EC2PerSecond.Cost(2400*Milli, length)
			if err != nil {
				b.Fatal(err)
			}
			sum += cost
			length = (length + 1237*time.Millisecond) & (1<<45 - 1)
		}
		sink = time.Duration(sum)
	})
}

var sink time.Duration // keeps results in use

// Six classes; a purchase for every ten slots.
func BenchmarkBill(b *testing.B) {
	list := CC28XLarge2013()
	for _, slots := range []int{744, 26280} {
		b.Run(fmt.Sprintf("classes=6/slots=%d", slots), func(b *testing.B) {
			rng := rand.New(rand.NewPCG(1, 2))
			demand, purchases := anyHours(rng, slots, 100, len(list.Classes), slots/10)
			var w Biller
			for b.Loop() {
				if _, err := w.Bill(list, demand, time.Hour, purchases); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(slots)*float64(b.N)/b.Elapsed().Seconds(), "slots/s")
		})
	}
}

func BenchmarkEnvelope(b *testing.B) {
	list := CC28XLarge2013()
	var levels []Level
	for b.Loop() {
		var err error
		if levels, err = list.AppendEnvelope(levels[:0], 3*Year); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkMoney(b *testing.B) {
	b.Run("Over", func(b *testing.B) {
		d := time.Duration(0)
		for b.Loop() {
			if _, err := (2400 * Milli).Over(d, HalfEven); err != nil {
				b.Fatal(err)
			}
			d += time.Second
		}
	})
	b.Run("ParseMoney", func(b *testing.B) {
		for b.Loop() {
			if _, err := ParseMoney("17157.08"); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("AppendText", func(b *testing.B) {
		buf := make([]byte, 0, 32)
		for b.Loop() {
			buf, _ = (17_157_080 * Milli).AppendText(buf[:0])
		}
	})
}

func BenchmarkReadList(b *testing.B) {
	text, err := json.Marshal(CC28XLarge2013())
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if _, err := ReadList(bytes.NewReader(text)); err != nil {
			b.Fatal(err)
		}
	}
}
