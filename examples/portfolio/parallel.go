package main

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// parallel calls f with 0 to n-1, on all cores, and returns the error of the first
// that fails. Those after one that has failed may not be called.
func parallel(n int, f func(i int) error) error {
	errs := make([]error, n)
	var next, failed atomic.Int64
	var group sync.WaitGroup
	for range min(n, runtime.GOMAXPROCS(0)) {
		group.Go(func() {
			for failed.Load() == 0 {
				i := int(next.Add(1)) - 1
				if i >= n {
					return
				}
				if errs[i] = f(i); errs[i] != nil {
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
