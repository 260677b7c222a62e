package jsonrows

import (
	"math"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/examples/internal/programtest"
	"github.com/plimsoll/plimsoll/pricing"
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
	if err := Write(&b, []Row{{"b", 1, "a", 1500 * pricing.Milli}, {}}); err != nil || b.String() != "[\n  {\"b\":1,\"a\":\"1.5\"},\n  {}\n]\n" {
		t.Errorf("%q, %v", b.String(), err)
	}
	if err := Write(&b, []Row{{"a", func() {}}}); err == nil {
		t.Error("a value that JSON cannot say")
	}
}

// What is no slice is one object; a number that JSON cannot say is null.
func TestObject(t *testing.T) {
	var b strings.Builder
	if err := Write(&b, struct {
		A []int `json:"a"`
	}{[]int{1}}); err != nil || b.String() != "{\n  \"a\": [\n    1\n  ]\n}\n" {
		t.Errorf("%q, %v", b.String(), err)
	}
	b.Reset()
	if err := Write(&b, func() {}); err == nil || b.Len() > 0 {
		t.Errorf("what JSON cannot say: %q, %v", b.String(), err)
	}
	if err := Write(&b, []Row{{"a", Number(1.26, 1), "b", Number(math.Inf(1), 1), "c", Number(math.NaN(), 1)}}); err != nil || b.String() != "[\n  {\"a\":1.3,\"b\":null,\"c\":null}\n]\n" {
		t.Errorf("%q, %v", b.String(), err)
	}
	for _, x := range []any{[]int{1}, 1} {
		if err := Write(programtest.Broken{}, x); err == nil {
			t.Errorf("%v: a writer that fails is no error", x)
		}
	}
}
