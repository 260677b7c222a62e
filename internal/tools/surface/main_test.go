package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/internal/tools/root"
)

// The library's list has names of each sort, and nothing that is internal.
func TestList(t *testing.T) {
	if err := root.Enter(); err != nil {
		t.Fatal(err)
	}
	lines, err := list("./pricing")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"pricing: const Milli Money = 1000000",
		"pricing: field List.Classes []Class",
		"pricing: func ParseMoney(s string) (Money, error)",
		"pricing: method Money.Add(n Money) (Money, error)",
		"pricing: type InputError = inputerr.Error",
		"pricing: type List struct",
		"pricing: type Money int64",
	} {
		if !slices.ContainsFunc(lines, func(l string) bool { return l == want }) {
			t.Errorf("no line %q", want)
		}
	}
	if len(lines) < 100 || !slices.IsSorted(lines) || strings.Contains(strings.Join(lines, "\n"), "internal") {
		t.Errorf("%d lines, sorted %v", len(lines), slices.IsSorted(lines))
	}
	if got := minus([]string{"a", "b", "c"}, []string{"b"}); len(got) != 2 {
		t.Errorf("minus: %v", got)
	}
}
