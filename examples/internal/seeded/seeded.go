// Package seeded makes the property tests that import it repeatable: rapid draws from
// seed [Seed] unless -rapid.seed says otherwise.
//
//	go test ./... -rapid.seed=0        a new seed each time, printed on failure
//	go test ./... -rapid.checks=10000  more cases
package seeded

import (
	"flag"
	"testing"

	_ "pgregory.net/rapid" // registers the flag
)

// Seed is the default of -rapid.seed.
const Seed = "20130605"

func init() {
	if err := flag.Set("rapid.seed", Seed); err != nil {
		panic(err)
	}
}

// TooFew fails a test that drew too few of the cases that it is about, with the message of
// Errorf. With -short rapid draws a fifth of the cases: then the test ends as skipped, and
// says so with the same message.
func TooFew(t testing.TB, format string, args ...any) {
	t.Helper()
	if testing.Short() {
		t.Skipf("with -short: "+format, args...)
	}
	t.Errorf(format, args...)
}
