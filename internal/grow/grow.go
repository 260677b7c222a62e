// Package grow gives the slices of a solver the length of its next problem, in
// the memory that they have.
package grow

// To returns a slice of length n in the memory of s if that suffices, and in new
// memory if not. What its elements are is not defined.
func To[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}

// Zero returns a slice of n zero values in the memory of s if that suffices, and
// in new memory if not.
func Zero[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	s = s[:n]
	clear(s)
	return s
}
