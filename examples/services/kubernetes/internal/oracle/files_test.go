package oracle

import (
	"bytes"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/reserve/marginal"
)

var now = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

// Whatever is read as kinds and commitments is a book, which has prices or says what is wrong.
func FuzzRead(f *testing.F) {
	for _, kinds := range []string{
		`[{"type":"a","on_demand":0.1}]`,
		`[{"type":"a","family":"m","units":2,"on_demand":"0.2","plans":{"p":"0.1"}},{"type":"b","family":"m","units":4,"on_demand":0.4,"spot":0.1,"classes":[{"name":"year","term":"8760h","upfront":500}]}]`,
	} {
		f.Add([]byte(kinds), []byte(`[{"id":"x","expires":"2027-03-01","plan":"p","hourly":1.5},{"id":"y","expires":"2027-03-01T12:00:00Z","type":"a","units":3}]`))
	}
	f.Fuzz(func(t *testing.T, kinds, held []byte) {
		m, err := ReadKinds(bytes.NewReader(kinds))
		list, err2 := ReadHeld(bytes.NewReader(held))
		if err != nil || err2 != nil {
			return
		}
		book, _ := m.Book(list, "")
		running := make([]int, len(m.Kinds))
		for k := range running {
			running[k] = k % 3
		}
		quotes, err := book.Quotes(running, now, marginal.Options{Hours: 2})
		if err == nil && len(quotes) != len(m.Kinds) {
			t.Errorf("%d quotes for %d kinds", len(quotes), len(m.Kinds))
		}
	})
}
