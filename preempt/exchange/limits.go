package exchange

import (
	"unicode"
	"unicode/utf8"
)

// Limits that keep one message from costing much or from disabling a partition.
const (
	maxWeight = 1 << 20 // weights and nodes: their products fit
	maxNodes  = 1 << 30
	maxEpoch  = 1 << 48 // epochs and numbers of preemptions: more than a cluster reaches
	maxJump   = 1 << 32 // between the numbers of two messages: more than are lost in years
	maxNumber = 1 << 63 // of a saved client
	maxName   = 100     // bytes of the name of a partition or of a client
	maxKind   = 200     // bytes of a kind with its features
)

// short reports whether s has at most n bytes, all of them UTF-8 of printable
// characters.
func short(s string, n int) bool {
	if len(s) > n {
		return false
	}
	for _, r := range s {
		if r == utf8.RuneError || !unicode.IsPrint(r) {
			return false
		}
	}
	return true
}

// checkName checks the name of a partition.
func checkName(field, name string) error {
	switch {
	case name == "":
		return badInput(field, -1, ErrRange, "the name is empty: want a name")
	case !short(name, maxName):
		return badInput(field, -1, ErrRange, "%.100q: want at most %d bytes, all of them printable", name, maxName)
	}
	return nil
}
