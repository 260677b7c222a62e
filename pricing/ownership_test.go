package pricing

import (
	"errors"
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// Table 3 of [Niu16], line by line as printed, and its total.
func TestNiu16Cluster(t *testing.T) {
	type row struct {
		Price Money
		Count int
	}
	var got []row
	c := Niu16Cluster()
	sum := 3 * c.Hosting
	for _, it := range c.Parts {
		got = append(got, row{it.Price, it.Count})
		sum += it.Price * Money(it.Count)
	}
	want := []row{
		{7749 * Unit, 93}, {612 * Unit, 93}, {9172 * Unit, 3}, {7749 * Unit, 5}, {6399 * Unit, 10}, {1043 * Unit, 98}, {6599 * Unit, 8},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if want := 1_108_583 * Unit; sum != want {
		t.Errorf("the lines sum to %v, want %v", sum, want)
	}
	total, err := c.Total(93)
	if want := 1_108_583 * Unit; total != want || err != nil {
		t.Errorf("total %v, %v, want %v", total, err, want)
	}
}

func TestOwnership(t *testing.T) {
	// Twice the nodes: everything twice but five I/O nodes, their cards and ten disk
	// arrays, so 2·1108583 - 5·7749 - 5·1043 - 10·6399.
	c := Niu16Cluster()
	total, err := c.Total(186)
	if want := (2*1_108_583 - 5*7749 - 5*1043 - 10*6399) * Unit; total != want || err != nil {
		t.Errorf("186 nodes: %v, %v, want %v", total, err, want)
	}
	// 117 nodes: ⌈3·117/93⌉ = 4 and ⌈8·117/93⌉ = 11 switches, 122 fibre cards.
	total, err = c.Total(117)
	hosting, _ := (3 * c.Hosting).Prorate(117, 93, HalfEven)
	if want := (117*(7749+612)+4*9172+5*7749+10*6399+122*1043+11*6599)*Unit + hosting; total != want || err != nil {
		t.Errorf("117 nodes: %v, %v, want %v", total, err, want)
	}
	// 391 of 1095 days, the log of the paper's evaluation.
	part, err := c.Over(93, 391*24*time.Hour)
	if want := 395_850_185_388_128 * Nano; part != want || err != nil {
		t.Errorf("391 days: %v, %v, want %v", part, err, want)
	}
	for span, want := range map[time.Duration]Money{0: 0, c.Lifetime: 1_108_583 * Unit, 2 * c.Lifetime: 2_217_166 * Unit} {
		if got, err := c.Over(93, span); got != want || err != nil {
			t.Errorf("%v: %v, %v, want %v", span, got, err, want)
		}
	}

	for _, tt := range []struct {
		spoil func(o *Ownership)
		field string
		index int
		err   error
	}{
		{func(o *Ownership) { o.Nodes = 0 }, "Nodes", -1, ErrRange},
		{func(o *Ownership) { o.Lifetime = 0 }, "Lifetime", -1, ErrRange},
		{func(o *Ownership) { o.Hosting = -1 }, "Hosting", -1, ErrRange},
		{func(o *Ownership) { o.Parts[1].Price = -1 }, "Parts.Price", 1, ErrRange},
		{func(o *Ownership) { o.Parts[2].Count = -1 }, "Parts.Count", 2, ErrRange},
		{func(o *Ownership) { o.Parts[3].Scaled = 6 }, "Parts.Scaled", 3, ErrRange},
		{func(o *Ownership) { o.Parts[3].Scaled = -1 }, "Parts.Scaled", 3, ErrRange},
		{func(o *Ownership) { o.Hosting = math.MaxInt64 }, "Hosting", -1, ErrOverflow},
		{func(o *Ownership) { o.Parts[4].Price = math.MaxInt64 }, "Parts", 4, ErrOverflow},
		{func(o *Ownership) { o.Parts[4].Price = math.MaxInt64 / 10 }, "Parts", 4, ErrOverflow},
		{func(o *Ownership) { o.Parts[6] = Part{Count: math.MaxInt, Scaled: math.MaxInt} }, "Parts", 6, ErrOverflow},
	} {
		if math.MaxInt == math.MaxInt32 && tt.index == 6 {
			continue // with ints of 32 bits no count is too large
		}
		o := Niu16Cluster()
		tt.spoil(&o)
		_, err := o.Over(186, 0)
		wantError(t, err, tt.field, tt.index, tt.err)
	}
	none := Niu16Cluster()
	none.Parts[2].Count, none.Parts[2].Scaled = 0, 0
	if _, err := none.Over(93, 0); err != nil {
		t.Errorf("none of a part: %v", err)
	}
	if _, err := Niu16Cluster().Over(93, math.MaxInt64); !errors.Is(err, nil) {
		t.Errorf("292 years: %v", err)
	}
}
