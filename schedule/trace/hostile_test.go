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
}
