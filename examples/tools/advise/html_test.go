package main

import (
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/programtest"
	"github.com/plimsoll/plimsoll/examples/internal/table"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/pricing/usage"
	"github.com/plimsoll/plimsoll/reserve/advice"
)

// A shape is an element of a picture.
type shape struct {
	name, class, text string
	at                map[string]string
}

func (s *shape) number(t *testing.T, name string) float64 {
	t.Helper()
	x, err := strconv.ParseFloat(s.at[name], 64)
	if err != nil {
		t.Fatalf("%s %s: %v", s.name, name, err)
	}
	return x
}

// shapes reads a whole picture.
func shapes(t *testing.T, svg string) (list []shape) {
	t.Helper()
	var open []int
	for dec := xml.NewDecoder(strings.NewReader(svg)); ; {
		token, err := dec.Token()
		if err == io.EOF {
			return list
		}
		if err != nil {
			t.Fatalf("%v in %s", err, svg)
		}
		switch x := token.(type) {
		case xml.StartElement:
			s := shape{name: x.Name.Local, at: map[string]string{}}
			for _, a := range x.Attr {
				s.at[a.Name.Local] = a.Value
			}
			s.class = s.at["class"]
			open, list = append(open, len(list)), append(list, s)
		case xml.EndElement:
			open = open[:len(open)-1]
		case xml.CharData:
			list[open[len(open)-1]].text += string(x)
		}
	}
}

// scale reads the axis: what a height of the picture stands for, by its lowest and its
// highest line and the numbers beside them.
func scale(t *testing.T, list []shape) (value func(y float64) float64, height func(h float64) float64) {
	t.Helper()
	var ys, values []float64
	for i, s := range list {
		if s.class == "grid" {
			x, err := strconv.ParseFloat(list[i+1].text, 64)
			if err != nil || list[i+1].at["text-anchor"] != "end" || math.Abs(list[i+1].number(t, "y")-s.number(t, "y1")) > 5 {
				t.Fatalf("beside a line stands %+v", list[i+1])
			}
			ys, values = append(ys, s.number(t, "y1")), append(values, x)
		}
	}
	n := len(ys) - 1
	if n < 2 || n > 6 || values[0] != 0 || !slices.IsSorted(values) || !slices.IsSortedFunc(ys, func(a, b float64) int { return int(b - a) }) {
		t.Fatalf("an axis of %v at %v", values, ys)
	}
	per := values[n] / (ys[0] - ys[n])
	return func(y float64) float64 { return (ys[0] - y) * per }, func(h float64) float64 { return h * per }
}

func near(a, b float64) bool { return math.Abs(a-b) < .02*max(1, math.Abs(b)) }

// The picture of a demand shows each slot, and as levels 2 that are held and 3 upon them
// that are ordered. With two slots a column it shows their mean, least and most.
func TestChart(t *testing.T) {
	for _, each := range []int{1, 2} {
		g := &group{name: "m5 <large>", held: []advice.Contract{{Units: 1}, {Units: 1}}, advice: &advice.Advice{Orders: []advice.Order{{Units: 1}, {Units: 2}}}}
		const cols = 336
		for i := range cols {
			for k := range each {
				g.demand = append(g.demand, 4+i%5+6*k)
			}
		}
		r := &results{start: begin, slot: time.Hour}
		list := shapes(t, string(r.chart(g)))
		value, height := scale(t, list)
		seen := map[string]int{}
		for _, s := range list {
			seen[s.class]++
			switch s.class {
			case "held", "order":
				want := map[string][2]float64{"held": {2, 0}, "order": {3, 2}}[s.class]
				top := s.number(t, "y")
				if !near(height(s.number(t, "height")), want[0]) || !near(value(top+s.number(t, "height")), want[1]) || !near(value(top), want[0]+want[1]) {
					t.Errorf("%s: %v from %v", s.class, height(s.number(t, "height")), value(top+s.number(t, "height")))
				}
			case "line", "band":
				points := strings.Fields(s.at["points"])
				if want := map[string]int{"line": cols, "band": 2 * cols}[s.class]; len(points) != want {
					t.Errorf("%s has %d points, want %d", s.class, len(points), want)
				}
				last := 0.0
				for i, p := range points {
					x, y, _ := strings.Cut(p, ",")
					at, _ := strconv.ParseFloat(x, 64)
					v, _ := strconv.ParseFloat(y, 64)
					col, want := i, 4+float64(i%5)+3*float64(each-1)
					if s.class == "band" {
						want = 4 + float64(i%5) + 6*float64(each-1) // along the most, and back along the least
						if i >= cols {
							col = 2*cols - 1 - i
							want = 4 + float64(col%5)
						}
					}
					if !near(value(v), want) {
						t.Fatalf("%d slots a column: %s: column %d shows %v, want %v", each, s.class, col, value(v), want)
					}
					if i > 0 && i < cols && !(at > last) || at < 48 || at > 720 {
						t.Fatalf("%s: column %d is at %v after %v", s.class, col, at, last)
					}
					last = at
				}
			}
		}
		if seen["held"] != 1 || seen["order"] != 1 || seen["line"] != 1 || seen["band"] != 1 {
			t.Errorf("shapes: %v", seen)
		}
		for i, s := range list[len(list)-5:] { // the axis of time, in quarters
			at := begin.Add(time.Duration(len(g.demand)*i/4) * time.Hour).Format("2 Jan 06")
			if x := s.number(t, "x"); s.text != at || math.Abs(x-48-168*float64(i)) > .1 {
				t.Errorf("at %v stands %q, want %s at %v", x, s.text, at, 48+168*i)
			}
		}
	}
	if svg := (&results{}).chart(&group{advice: &advice.Advice{}}); svg != "" {
		t.Errorf("no demand is shown as %s", svg)
	}
}

// By hand: in the first month 30, 10 and 5 are billed and 20 given back, in the second 8 for
// purchases. A month's bar has a part for each, as high as it is, one upon another.
func TestMonths(t *testing.T) {
	sum := func(n int64) usage.Sum { return usage.Sum{Rows: 1, Billed: usage.Units(n)} }
	january := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	r := &results{bill: &usage.Bill{Months: []usage.Month{
		{Start: january, OnDemand: sum(30), Covered: sum(6), Purchases: sum(4), Unused: sum(5), Left: sum(-20)},
		{Start: january.AddDate(0, 1, 0), Purchases: sum(8)},
	}}}
	list := shapes(t, string(r.months()))
	_, height := scale(t, list)
	var got []string
	bottom := map[float64]float64{}
	for i, s := range list {
		if s.name == "rect" {
			got = append(got, fmt.Sprintf("%s %s %.0f", list[i+1].text[:3], s.class, height(s.number(t, "height"))))
			x, y := s.number(t, "x"), s.number(t, "y")
			if middle := x + s.number(t, "width")/2; math.Abs(middle-map[string]float64{"Jan": 228, "Feb": 556}[list[i+1].text[:3]]) > 1 ||
				s.number(t, "width") < 200 || s.number(t, "width") > 328 {
				t.Errorf("%s stands around %v and is %v wide: want the middle of a half of the picture from 64 to 720", list[i+1].text, middle, s.number(t, "width"))
			}
			if b := bottom[x]; b != 0 && math.Abs(b-y-s.number(t, "height")) > .02 {
				t.Errorf("%s begins at %v, want %v", s.class, y+s.number(t, "height"), b)
			}
			bottom[x] = y
		}
	}
	if want := []string{"Jan demand 30", "Jan covered 10", "Jan unused 5", "Feb covered 8"}; !slices.Equal(got, want) || len(bottom) != 2 {
		t.Errorf("%q at %v, want %q", got, bottom, want)
	}
	// Of many months the last 36 are shown, and not each has its name beneath.
	r.bill.Months = nil
	for i := range 40 {
		r.bill.Months = append(r.bill.Months, usage.Month{Start: january.AddDate(0, i, 0), OnDemand: sum(int64(i + 1))})
	}
	bars, names := 0, 0
	for _, s := range shapes(t, string(r.months())) {
		switch {
		case s.name == "rect":
			bars++
		case s.at["text-anchor"] == "middle":
			names++
			if x, want := s.number(t, "x"), 64+656./36*(.5+3*float64(names-1)); math.Abs(x-want) > 1 {
				t.Errorf("%s stands at %v, want %v", s.text, x, want)
			}
		}
	}
	if bars != 36 || names != 12 {
		t.Errorf("%d bars and %d names, want 36 and 12", bars, names)
	}
	r.bill.Months = []usage.Month{{Start: january, Left: sum(-1)}}
	if svg := r.months(); svg != "" {
		t.Errorf("nothing is shown as %s", svg)
	}
}

func TestNumbersOfPictures(t *testing.T) {
	for x, want := range map[float64]float64{0: 1, .3: .5, .5: .5, 1: 1, 1.1: 2, 2: 2, 3: 5, 5.01: 10, 10: 10, 700: 1000, 1e6: 1e6} {
		if got := niceStep(x); math.Abs(got-want) > 1e-9 {
			t.Errorf("niceStep(%v) = %v, want %v", x, got, want)
		}
	}
	for x, want := range map[float64]string{0: "0", 3: "3", 2.5: "2.50", 9999: "9999", 1e4: "10k", 12500: "12.5k", 999000: "999k", 1e6: "1M", 2.5e6: "2.5M"} {
		if got := thousands(x); got != want {
			t.Errorf("thousands(%v) = %s, want %s", x, got, want)
		}
	}
	for want, x := range map[string]struct {
		n    int
		unit string
	}{"1 instance": {1, "instance"}, "2 instances": {2, "instance"}, "0 instances": {0, "instance"}, "2 m5.large": {2, "m5.large"},
		"3 Standard_D": {3, "Standard_D"}} {
		if got := count(x.n, x.unit); got != want {
			t.Errorf("count(%d, %s) = %s", x.n, x.unit, got)
		}
	}
	r := &results{bill: &usage.Bill{Currency: "USD"}}
	for m, want := range map[pricing.Money]string{0: "USD 0.00", -1234567 * pricing.Unit: "-USD 1,234,567.00",
		999 * pricing.Unit: "USD 999.00", 1000 * pricing.Unit: "USD 1,000.00", 12 * pricing.Milli: "USD 0.01"} {
		if got := r.amount(m); got != want {
			t.Errorf("amount %v is %q, want %q", m, got, want)
		}
	}
}

// The page says what the files, the contracts and the orders are, and "proved" only of a plan
// that is at its bound.
func TestPage(t *testing.T) {
	page := func(r *results) string {
		var b strings.Builder
		if err := r.writeHTML(&b); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	now := begin
	made := func() *results {
		a := &advice.Advice{Now: now, Orders: []advice.Order{
			{Class: "free-now", Units: 1, Until: now.AddDate(1, 0, 0), Payback: now.Add(24 * time.Hour)},
			{Class: "in-april", Units: 2, Upfront: 5 * pricing.Unit, Until: now.AddDate(1, 0, 0), Payback: now.AddDate(0, 0, 39)},
			{Class: "never", Units: 3, Until: now.AddDate(1, 0, 0)},
		}, Held: []advice.Kept{{Name: "late", Units: 2, Expires: now.AddDate(0, 2, 0)}, {Name: "early", Units: 1, Expires: now.AddDate(0, 1, 0)}}}
		return &results{o: &options{futures: 20, horizon: 8760 * time.Hour}, now: now, start: now, slot: time.Hour, cost: 7 * pricing.Unit,
			bound: 7 * pricing.Unit, onDemand: 10 * pricing.Unit,
			groups: []*group{{name: "g", unit: "instance", demand: []int{1, 2}, advice: a}},
			missed: []miss{{Kind: "odd kind", Why: "no price"}}, notes: []string{"a note of ours"},
			bill: &usage.Bill{Currency: "USD",
				Held: []usage.Held{{ID: "all-used", Unit: "Hours"}, {ID: "half-used", Unit: "Hours", Used: usage.Units(3), Unused: usage.Units(4)},
					{ID: "paid-for", Unit: "Hours", UnusedCost: usage.Units(9)}},
				Files: []usage.File{{Name: "bill.csv", Total: usage.Sum{Rows: 12, Billed: usage.Units(34)}, Left: []usage.Left{{Reason: "taxes",
					Sum: usage.Sum{Rows: 5, Billed: usage.Units(6)}}}}},
				Notes: []usage.Note{{File: "bill.csv", Line: 17, Text: "an odd row", Rows: 2, Billed: usage.Units(8)}}}}
	}
	text := page(made())
	for _, want := range []string{"no plan costs less (proved)", "USD 7.00", "USD 3.00", "at once, since nothing is paid ahead", "10 Apr 2026",
		"after the forecast", "half-used", "4.00 Hours", "paid-for", "USD 9",
		"odd kind", "a note of ours", "bill.csv, line 17: an odd row (2 rows, 8 billed)", "taxes", "2 instances", "1 instance<", "2 March 2027"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	if at := strings.Index(text, "2026-04-02"); strings.Contains(text, "all-used") || at < 0 || at > strings.Index(text, "2026-05-02") {
		t.Error("the page names a contract that is used, or what expires first stands behind")
	}
	r := made()
	r.cost++
	if text := page(r); strings.Contains(text, "no plan costs less (proved)") {
		t.Error("a plan above its bound is said to be proved the cheapest")
	}
}

// A note names the file, the line where there is one, and how many rows with how much. It is
// the same in the text, on the page and for machines.
func TestNotes(t *testing.T) {
	for want, n := range map[string]usage.Note{
		"a: odd":                                {File: "a", Text: "odd", Rows: 1},
		"a, line 1: odd":                        {File: "a", Line: 1, Text: "odd", Rows: 1, Billed: usage.Units(3)},
		"a, line 7: odd (2,000 rows, 3 billed)": {File: "a", Line: 7, Text: "odd", Rows: 2000, Billed: usage.Units(3)},
	} {
		if got := noted(&n); got != want {
			t.Errorf("%+v is %q, want %q", n, got, want)
		}
		var b table.Page
		r := &results{bill: &usage.Bill{Notes: []usage.Note{n}}, notes: []string{"ours"}, o: &options{show: showInputs}}
		r.textNotes(&b)
		if b.String() != "\nnote: "+want+"\nnote: ours\n" {
			t.Errorf("the text has %q", b.String())
		}
	}
}

// A bill that is compressed, or whose lines end as on Windows, is the same bill; one that is
// cut off is none.
func TestForms(t *testing.T) {
	text := azureHeader + "03/02/2026" + azureRow
	one := func(name, text string) (demand, input) {
		path := programtest.Write(t, name, text)
		return show[demand](t, "demand", "-bill", path)[0], show[input](t, "inputs", "-bill", path)[0]
	}
	want, billed := one("bill.csv", text)
	for name, form := range map[string]string{"bill.csv.gz": programtest.Gzip(text), "dos.csv": strings.ReplaceAll(text, "\n", "\r\n")} {
		if got, in := one(name, form); got != want || in.Billed != billed.Billed {
			t.Errorf("%s: %+v, want %+v", name, got, want)
		}
	}
	whole := programtest.Gzip(text)
	for name, c := range map[string][2]string{
		"cut.gz": {whole[:20], "want the whole file"}, "few.gz": {whole[:5], "want plain text or whole gzip data"}, "blank.csv": {" \n\n", "the file is empty"},
	} {
		tested.Mistake(t, c[1], "-bill", programtest.Write(t, name, c[0]))
	}
}

// The text says why a kind is not planned; the sum over several groups is in it, and what a
// contract of the bill holds until when is in the rows.
func TestText(t *testing.T) {
	bill := programtest.Write(t, "bill.csv", azureHeader+"03/02/2026"+azureRow)
	if status, text, _ := tested.Try("-bill", bill); status != 1 || !strings.Contains(text, "\nnot planned: azure westeurope Standard_D2") ||
		!strings.Contains(unwrapped(text), "which cost USD 4.8: there is no price list: give one with -prices") || strings.Contains(text, "Sign on") {
		t.Errorf("status %d, the text:\n%s", status, text)
	}
	if list := show[held](t, "held"); list[0].Until != "2027-03-01" || list[0].ID != "ri-made-up" {
		t.Errorf("held: %+v", list)
	}
	for _, what := range []string{"held", "demand", "inputs"} {
		if text, _ := tested.Must(t, "-show", what); strings.Contains(text, "Sign on") || strings.Count(text, "\n") < 3 {
			t.Errorf("-show %s:\n%s", what, text)
		}
	}
	if one, two := show[demand](t, "demand"), show[demand](t, "demand", "-seed", "2"); slices.Equal(one, two) {
		t.Error("another seed makes the same year up")
	}
}

// Each fault of -held is named with the contract.
func TestHeldMistakes(t *testing.T) {
	dir := t.TempDir()
	bill := programtest.WriteIn(t, dir, "bill.csv", azureHeader+"03/02/2026"+azureRow)
	for text, want := range map[string]string{
		`{}`: "want an array of objects",
		`[{"id":"r","type":"x","count":1,"until":"soon"}]`:       "contract 0: until soon: want a day",
		`[{"count":1,"until":"2029-01-01"}]`:                     "contract 0: no class and no type",
		`[{"class":"1y","count":1,"until":"2029-01-01"}]`:        "contract 0: want a type and a region, or the id of a commitment",
		`[{"id":"r","type":"x","count":1,"until":"2026-03-03"}]`: "contract 0 (r) expires on 2026-03-03",
	} {
		tested.Mistake(t, want, "-bill", bill, "-held", programtest.WriteIn(t, dir, "held.json", text))
	}
	// A contract of a kind that is not planned is noted.
	held := programtest.WriteIn(t, dir, "held.json", `[{"id":"odd","type":"x9","region":"there","count":2147483647,"until":"2026-03-04"}]`)
	if _, _, stderr := tested.Try("-bill", bill, "-held", held, "-json"); !strings.Contains(stderr,
		"note: -held: odd (x9 in there) is of no kind that is planned\n") {
		t.Errorf("notes %q", stderr)
	}
	// The day on which the bill ends is the first for an order.
	tested.Must(t, "-bill", bill, "-date", "2026-03-03", "-show", "demand")
	tested.Mistake(t, "want the day on which the bill ends, 2026-03-03", "-bill", bill, "-date", "2026-03-02", "-html", filepath.Join(dir, "a.html"))
}
