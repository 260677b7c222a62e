package table

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestWrite(t *testing.T) {
	var b strings.Builder
	err := Write(&b, []Column{{Title: "größe", Left: true}, {Title: "mean\nwait"}, {Title: "n", Left: true}},
		[][]string{{"ä", "1,000.5", "1"}, {"sechs", "2", ""}})
	if err != nil {
		t.Fatal(err)
	}
	want := "" +
		"          mean\n" +
		"größe     wait  n\n" +
		"─────  ───────  ─\n" +
		"ä      1,000.5  1\n" +
		"sechs        2\n"
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
