package trace

import (
	"errors"
	"testing"
	"time"
)

// What asks for more slots than memory has is refused before memory is taken.
func TestTooManySlots(t *testing.T) {
	jobs := []Job{{Nodes: 1, Run: time.Second}}
	for _, slots := range []int{maxSlots + 1, 1<<31 - 1} {
		got, err := AppendDemand([]int{7}, jobs, nil, DemandOptions{Slots: slots})
		if !errors.Is(err, ErrRange) || len(got) != 1 {
			t.Errorf("%d slots: %d values, %v", slots, len(got), err)
		}
	}
	for name, f := range map[string]func(p *Peaks){
		"change": func(p *Peaks) { p.Reset(time.Second); p.Change(maxPeaks*time.Second, 1) },
		"append": func(p *Peaks) { p.AppendTo(nil, 1<<31-1) },
		"grow":   func(p *Peaks) { p.Grow(1<<31 - 1) },
		"sweep":  func(*Peaks) { new(Sweep).Grow(1<<31 - 1) },
	} {
		func() {
			defer func() {
				if _, ok := recover().(string); !ok {
					t.Errorf("%s: no panic of this package", name)
				}
			}()
			f(new(Peaks))
		}()
	}
}
