package oracle

import (
	"bytes"
	"encoding/json"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/heldfile"
	"github.com/plimsoll/plimsoll/reserve/marginal"
)

var now = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

// Whatever is read as kinds and commitments is a book, which has prices or says what is wrong.
func FuzzRead(f *testing.F) {
	for _, kinds := range []string{
		`[{"type":"a","on_demand":0.1}]`,
		`[{"type":"a","family":"m","units":2,"on_demand":"0.2","plans":{"p":"0.1"}},{"type":"b","family":"m","units":4,"on_demand":0.4,"spot":0.1,"classes":[{"name":"year","term":"8760h","upfront":500}]}]`,
	} {
		f.Add([]byte(kinds), []byte(`[{"id":"x","until":"2027-03-01","class":"p","spend":1.5},{"id":"y","until":"36h","type":"a","count":3}]`))
	}
	f.Fuzz(func(t *testing.T, kinds, held []byte) {
		m, err := ReadKinds(bytes.NewReader(kinds))
		var contracts []heldfile.Contract
		if json.Unmarshal(held, &contracts) != nil || err != nil {
			return
		}
		list, err := Held(contracts, now)
		if err != nil {
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
