package plans

import (
	"encoding/json"
	"testing"

	"github.com/plimsoll/plimsoll/examples/internal/demandfile"
)

// yearOfHours is the question that the page begins with.
func yearOfHours() *reserveQuestion {
	return &reserveQuestion{Demand: demandfile.MadeUp(), Slot: "1h", OnDemand: "0.4", Classes: []classQuestion{
		{"7d", "7", "50.4", "0", true, false}, {"30d", "30", "194.4", "0", true, false}, {"90d", "90", "540", "0", true, false}}}
}

func BenchmarkReserve(b *testing.B) {
	text, err := json.Marshal(yearOfHours())
	if err != nil {
		b.Fatal(err)
	}
	b.Run("answer", func(b *testing.B) {
		for b.Loop() {
			Rooms.Answer("reserve", text)
		}
	})
	b.Run("solve", func(b *testing.B) {
		p, err := yearOfHours().problem()
		for b.Loop() && err == nil {
			_, err = exact.Solve(p)
		}
		if err != nil {
			b.Error(err)
		}
	})
}
