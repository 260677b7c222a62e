package billtable

import "testing"

// Who used it: the account of a form, a column, or the key of an object in a column, with its braces
// or without.
func TestOwner(t *testing.T) {
	header := []string{"Cost", "SubAccountId", "Tags", "resourceTags/user:team"}
	for _, c := range []struct {
		name, text, want string
		column           int
	}{
		{"", " 17 ", "17", 1}, {"", "NULL", "", 1}, {"", "", "", 1},
		{"tags", `{"team":"x"}`, `{"team":"x"}`, 2},
		{"Tags:team", `{"team":"x","cost":7}`, "x", 2}, {"Tags:team", `"team": "y","env": "z"`, "y", 2}, {"Tags:cost", `{"cost":7}`, "", 2},
		{"Tags:team", `{"env":"x"}`, "", 2}, {"Tags:team", "broken", "", 2}, {"Tags:team", "", "", 2},
		{"resourceTags/user:team", "web", "web", 3}, {"Labels", "", "", -1}, {"Labels:team", "", "", -1},
	} {
		o := newOwner(c.name, header)
		if o.column != c.column {
			t.Errorf("%q: column %d, want %d", c.name, o.column, c.column)
			continue
		}
		for range 2 {
			if got := o.word([]byte(c.text)); got != c.want {
				t.Errorf("%q of %s: %q, want %q", c.name, c.text, got, c.want)
			}
			o.word([]byte("another"))
		}
	}
	if o := newOwner("", []string{"x"}); o.column != -1 {
		t.Error("a column of nothing")
	}
}
