package jsonrows

import (
	"strings"
	"testing"
)

func TestWrite(t *testing.T) {
	type row struct {
		A int `json:"a"`
	}
	for want, rows := range map[string][]row{
		"[]\n":                              nil,
		"[\n  {\"a\":1}\n]\n":               {{1}},
		"[\n  {\"a\":1},\n  {\"a\":2}\n]\n": {{1}, {2}},
	} {
		var b strings.Builder
		if err := Write(&b, rows); err != nil || b.String() != want {
			t.Errorf("%v: %q, %v, want %q", rows, b.String(), err, want)
		}
	}
	var b strings.Builder
	if err := Write(&b, []any{func() {}}); err == nil || b.Len() > 0 {
		t.Errorf("what JSON cannot say: %q, %v", b.String(), err)
	}
}

func TestRow(t *testing.T) {
	var b strings.Builder
	if err := Write(&b, []Row{{"b", 1, "a", "x"}, {}}); err != nil || b.String() != "[\n  {\"b\":1,\"a\":\"x\"},\n  {}\n]\n" {
		t.Errorf("%q, %v", b.String(), err)
	}
	if err := Write(&b, []Row{{"a", func() {}}}); err == nil {
		t.Error("a value that JSON cannot say")
	}
}
