// Package parallel spreads work over all cores.
package parallel

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// Do calls f(w, i) for each i from 0 to n-1, on all cores, and returns the error of
// the first i that failed. Those after one that has failed may not be called. At any
// time at most one call has a given w, from 0 to [Workers] - 1: what a worker keeps
// between its calls may be found by it.
func Do(n int, f func(w, i int) error) error {
	errs := make([]error, n)
	var next, failed atomic.Int64
	var group sync.WaitGroup
	for w := range min(n, Workers()) {
		group.Go(func() {
			for failed.Load() == 0 {
				i := int(next.Add(1)) - 1
				if i >= n {
					return
				}
				if errs[i] = f(w, i); errs[i] != nil {
					failed.Store(1)
				}
			}
		})
	}
	group.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// Workers returns how many calls [Do] makes at once.
func Workers() int { return runtime.GOMAXPROCS(0) }
