// Package seeded makes the property tests that import it, for its effect
// alone, repeatable: rapid draws from seed [Seed] unless -rapid.seed says
// otherwise.
//
//	go test ./... -rapid.seed=0        a new seed each time, printed on failure
//	go test ./... -rapid.checks=10000  more cases
package seeded

import (
	"flag"

	_ "pgregory.net/rapid" // registers the flag
)

// Seed is the default of -rapid.seed.
const Seed = "20130605"

func init() {
	if err := flag.Set("rapid.seed", Seed); err != nil {
		panic(err)
	}
}
