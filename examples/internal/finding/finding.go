// Package finding compares a sentence of a paper with the result of a program.
package finding

import (
	"fmt"
	"strings"
)

// A Verdict says whether a finding came out.
type Verdict int

const (
	DidNot Verdict = iota
	InPart
	CameOut
)

func (v Verdict) String() string {
	return [...]string{"DID NOT COME OUT", "came out IN PART", "came out"}[v]
}

// Judge sums up comparisons: all came out, some, or none.
func Judge(seen ...bool) Verdict {
	n := 0
	for _, ok := range seen {
		if ok {
			n++
		}
	}
	switch {
	case n == len(seen):
		return CameOut
	case n > 0:
		return InPart
	}
	return DidNot
}

// A Finding is a sentence of a paper and the result beside it.
type Finding struct {
	Verdict Verdict
	Says    string
	Shown   string
	Why     string // of a finding that did not come out, where the reason is known
}

// String returns the finding in sentences.
func (f Finding) String() string {
	s := fmt.Sprintf("%v: %s. %s.", f.Verdict, f.Says, strings.ToUpper(f.Shown[:1])+f.Shown[1:])
	if f.Verdict != CameOut && f.Why != "" {
		s += " " + f.Why
	}
	return s
}

// A Row is a finding for machines.
type Row struct {
	Kind    string `json:"kind"` // "finding"
	Verdict string `json:"verdict"`
	Says    string `json:"says"`
	Shown   string `json:"shown"`
	Why     string `json:"why"` // empty where the finding came out
}

// Row returns the finding for machines.
func (f Finding) Row() Row {
	if f.Verdict == CameOut {
		f.Why = ""
	}
	return Row{"finding", f.Verdict.String(), f.Says, f.Shown, f.Why}
}
