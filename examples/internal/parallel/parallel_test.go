package parallel

import (
	"errors"
	"sync/atomic"
	"testing"
)

func TestDo(t *testing.T) {
	done := make([]int, 1000)
	busy := make([]atomic.Bool, Workers())
	err := Do(len(done), func(w, i int) error {
		if busy[w].Swap(true) {
			t.Errorf("worker %d has two calls", w)
		}
		done[i]++
		busy[w].Store(false)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for i, n := range done {
		if n != 1 {
			t.Errorf("%d calls of %d", n, i)
		}
	}
	if err := Do(0, func(int, int) error { return errors.New("called") }); err != nil {
		t.Error(err)
	}
}

func TestDoFails(t *testing.T) {
	third := errors.New("third")
	if err := Do(100, func(_, i int) error {
		if i >= 3 {
			return third
		}
		return nil
	}); err != third {
		t.Errorf("%v, want %v", err, third)
	}
}
