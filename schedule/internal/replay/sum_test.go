package replay_test

import (
	"math"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/schedule/internal/replay"
)

func TestSum(t *testing.T) {
	var s replay.Sum
	s.Add(time.Duration(math.MaxInt64/2), 1000)
	if got, want := s.Hours(), float64(math.MaxInt64/2)/3.6e12*1000; math.Abs(got/want-1) > 1e-12 {
		t.Errorf("%v hours, want %v", got, want)
	}
	if got := s.Mean(1000); got != math.MaxInt64/2 {
		t.Errorf("mean %d, want %d", got, int64(math.MaxInt64/2))
	}
	var twice replay.Sum
	twice.Plus(s)
	twice.Plus(s)
	if got := twice.Mean(2000); got != math.MaxInt64/2 {
		t.Errorf("twice: mean %d", got)
	}
	s = replay.Sum{}
	s.Add(1, 1)
	s.Add(2, 1)
	if got := s.Mean(2); got != 2 { // 1.5 ns
		t.Errorf("mean %v", got)
	}
}
