package advice

import (
	"encoding/json"
	"errors"
	"flag"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/inputerr"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/reserve"
)

var update = flag.Bool("update", false, "write the golden files anew")

func money(s string) pricing.Money {
	m, err := pricing.ParseMoney(s)
	if err != nil {
		panic(err)
	}
	return m
}

var monday = time.Date(2026, 11, 23, 0, 0, 0, 0, time.UTC)

const year = 365 * 24 * time.Hour

// newUser is the case of a new user: a demand with a trend and a yearly swing of a
// quarter, in days, two years ahead; today's prices; and five units held of a class
// that is no longer sold. Paths differ by level, trend and noise.
func newUser(paths int) *Request {
	rng := rand.New(rand.NewPCG(16, 5)) // seed 16, 5
	r := &Request{
		Kind: "m5.xlarge in eu-west-1, linux", Currency: "USD", Now: monday, Slot: 24 * time.Hour,
		OnDemand: money("0.214"),
		Offers: []Offer{
			{Class: pricing.Class{Name: "1y-no-upfront", Term: year, Hourly: money("0.135"), Billed: pricing.Always}},
			{Class: pricing.Class{Name: "1y-all-upfront", Term: year, Upfront: money("1100"), Billed: pricing.Always}},
			{Class: pricing.Class{Name: "3y-partial-upfront", Term: 3 * year, Upfront: money("1210"), Hourly: money("0.046"), Billed: pricing.Always}},
			{Class: pricing.Class{Name: "1y-heavy-2013", Term: year, Upfront: money("10"), Hourly: money("0.01"), Billed: pricing.Always}, Withdrawn: true},
		},
		Held: []Contract{{Name: "ri-0017", Class: "1y-heavy-2013", Units: 5, Expires: monday.AddDate(0, 4, 0)}},
	}
	for range paths {
		level, trend := 40+4*rng.NormFloat64(), .02+.01*rng.NormFloat64()
		path := make([]int, 730)
		for t := range path {
			x := (level + trend*float64(t)) * (1 + .25*math.Sin(2*math.Pi*float64(t)/365.25)) * (1 + .05*rng.NormFloat64())
			path[t] = max(0, int(math.Round(x)))
		}
		r.Paths = append(r.Paths, path)
	}
	return r
}

// billed is the pure cost of purchases on each path, from bills, in nanos; a class's
// value after the end is deducted. What the held contract owes is in all of them.
func billed(t *testing.T, r *Request, purchases []pricing.Purchase) []float64 {
	t.Helper()
	list := pricing.List{OnDemand: r.OnDemand}
	for _, o := range r.Offers {
		list.Classes = append(list.Classes, o.Class)
	}
	var held []pricing.Holding
	for _, c := range r.Held {
		k, err := list.Find(c.Class)
		if err != nil {
			t.Fatal(err)
		}
		held = append(held, pricing.Holding{Class: k, Count: c.Units, Until: int(c.Expires.Sub(r.Now) / r.Slot)})
	}
	var biller pricing.Biller
	out := make([]float64, len(r.Paths))
	for i, path := range r.Paths {
		bill, err := biller.BillHeld(list, path, r.Slot, purchases, held)
		if err != nil {
			t.Fatal(err)
		}
		out[i] = float64(bill.Pure)
	}
	return out
}

func mean(x []float64) float64 {
	s := 0.0
	for _, v := range x {
		s += v
	}
	return s / float64(len(x))
}

// close compares an amount with one computed from bills: each bill is rounded line by
// line, the plan's cost once.
func near(t *testing.T, what string, got pricing.Money, want float64) {
	t.Helper()
	if math.Abs(float64(got)-want) > 100+1e-12*math.Abs(want) {
		t.Errorf("%s: %v, from bills %v", what, got, pricing.Money(math.Round(want)))
	}
}

// Every figure of the answer is computed again from bills.
func TestFigures(t *testing.T) {
	t.Run("prepaid", func(t *testing.T) { figures(t, newUser(30)) })
	// Classes with a price of use, of which the dearer in use saves less while the other serves.
	used := newUser(6)
	used.Offers[0].Class = pricing.Class{Name: "1y-light", Term: year, Upfront: money("350"), Hourly: money("0.08"), Billed: pricing.WhenUsed}
	used.Offers[1].Class = pricing.Class{Name: "1y-medium", Term: year, Upfront: money("700"), Hourly: money("0.03"), Billed: pricing.WhenUsed}
	used.Offers[2].Withdrawn = true
	t.Run("used", func(t *testing.T) { figures(t, used) })
	// Weeks: a term of 365 days is no whole number of slots.
	weeks := newUser(10)
	weeks.Slot = 7 * 24 * time.Hour
	for i := range weeks.Paths {
		weeks.Paths[i] = weeks.Paths[i][:104]
	}
	t.Run("weeks", func(t *testing.T) {
		a, err := Advise(weeks)
		if err != nil {
			t.Fatal(err)
		}
		if err := new(Advice).Verify(); !errors.Is(err, ErrMissing) || err.Error() != "advice: Advice: missing: no plan to verify: want advice as Advise returns it, not read from JSON" {
			t.Errorf("advice without a plan: %v", err)
		}
		if err := a.Verify(); err != nil {
			t.Error(err)
		}
		// All that is owed counts over the whole slots: for the whole need that is no less than
		// what days cost with the same order.
		if a.Orders == nil || len(a.Cut) != 4 {
			t.Errorf("%+v, cut %v", a.Orders, a.Cut)
		}
		for k, c := range a.problem.Prices.Classes {
			whole, err := c.Commitment()
			if err != nil {
				t.Fatal(err)
			}
			owed, err := weeks.Offers[k].Commitment()
			if d := whole - owed; err != nil || d < 0 || d > 1 {
				t.Errorf("%s: %v counts, %v is owed: %v", c.Name, whole, owed, err)
			}
		}
	})
}

func figures(t *testing.T, r *Request) {
	a, err := Advise(r)
	if err != nil {
		t.Fatal(err)
	}
	if err := a.Verify(); err != nil {
		t.Error(err)
	}
	if len(a.Orders) == 0 {
		t.Fatal("nothing is ordered")
	}
	list := pricing.List{}
	for _, o := range r.Offers {
		list.Classes = append(list.Classes, o.Class)
	}
	var all []pricing.Purchase
	for _, o := range a.Orders {
		k, err := list.Find(o.Class)
		if err != nil {
			t.Fatal(err)
		}
		if r.Offers[k].Withdrawn {
			t.Errorf("orders %s, which is not sold", o.Class)
		}
		all = append(all, pricing.Purchase{Class: k, Count: o.Units})
	}
	for _, l := range a.Later {
		k, _ := list.Find(l.Class)
		if r.Offers[k].Withdrawn {
			t.Errorf("expects to buy %s, which is not sold", l.Class)
		}
		all = append(all, pricing.Purchase{Slot: int(l.When.Sub(r.Now) / r.Slot), Class: k, Count: l.Units})
	}
	// The held contract owes its hours in every plan; the answer leaves them out.
	owed := float64(r.Held[0].Units) * r.Held[0].Expires.Sub(r.Now).Hours() * float64(money("0.01"))
	with := billed(t, r, all)
	near(t, "cost", a.Cost, mean(with)-owed)
	near(t, "on demand", a.OnDemand, mean(billed(t, r, nil))-owed)
	if a.Bound > a.Cost || !a.Optimal || a.Waiting < a.Cost || a.OnDemand < a.Waiting {
		t.Errorf("bound %v, cost %v, waiting %v, on demand %v", a.Bound, a.Cost, a.Waiting, a.OnDemand)
	}
	today, commitment := pricing.Money(0), pricing.Money(0)
	for i, o := range a.Orders {
		class := list.Classes[all[i].Class]
		rest := slices.Delete(slices.Clone(all), i, i+1)
		without := billed(t, r, rest)
		near(t, o.Class+": saving", o.Saving, mean(without)-mean(with))
		losses := 0
		for k := range with {
			if with[k] > without[k] {
				losses++
			}
		}
		if math.Abs(o.Loss-float64(losses)/float64(len(with))) > 1e-9 {
			t.Errorf("%s: loss %v, from bills %d of %d", o.Class, o.Loss, losses, len(with))
		}
		late := slices.Clone(rest)
		late = append(late, pricing.Purchase{Slot: 7, Class: all[i].Class, Count: o.Units})
		slices.SortFunc(late, func(x, y pricing.Purchase) int { return 1000*(x.Slot-y.Slot) + x.Class - y.Class })
		near(t, o.Class+": waiting", o.Waiting, mean(billed(t, r, late))-mean(with))

		upfront := class.Upfront * pricing.Money(o.Units)
		hourly := pricing.Money(float64(class.Hourly-class.UsePrice()) * class.Term.Hours() * float64(o.Units))
		if o.Upfront != upfront || o.Commitment != upfront+hourly || !o.Until.Equal(monday.Add(class.Term)) || o.Hourly != class.Hourly {
			t.Errorf("%+v", o)
		}
		today, commitment = today+upfront, commitment+upfront+hourly
		if o.LastUse < o.BreakEven-.02 && class.Term <= year {
			t.Errorf("%s: the last unit is busy %.3f of the time and pays from %.3f on", o.Class, o.LastUse, o.BreakEven)
		}

		// The money is back when what ran on demand without the order has cost as much more as
		// the order has: bills that end with the day before are dearer with it.
		end := int(o.Payback.Sub(monday) / r.Slot)
		if o.Payback.IsZero() {
			continue
		}
		for _, n := range []int{end - 1, end} {
			cut := *r
			cut.Paths = nil
			for _, path := range r.Paths {
				cut.Paths = append(cut.Paths, path[:n])
			}
			before := func(list []pricing.Purchase) float64 {
				var sub []pricing.Purchase
				for _, b := range list {
					if b.Slot < n {
						sub = append(sub, b)
					}
				}
				total := 0.0
				var biller pricing.Biller
				prices := pricing.List{OnDemand: r.OnDemand}
				for _, of := range r.Offers {
					prices.Classes = append(prices.Classes, of.Class)
				}
				until := int(r.Held[0].Expires.Sub(r.Now) / r.Slot)
				for _, path := range cut.Paths {
					bill, err := biller.BillHeld(prices, path, r.Slot, sub, []pricing.Holding{{Class: 3, Count: 5, Until: until}})
					if err != nil {
						t.Fatal(err)
					}
					total += float64(bill.Upfront + bill.Hourly + bill.OnDemand)
				}
				return total / float64(len(cut.Paths))
			}
			if paid := before(all) <= before(rest)+1; paid != (n == end) {
				t.Errorf("%s: money back on %s: after %d days it is back: %v", o.Class, day(o.Payback), n, paid)
			}
		}
	}
	if a.Today != today || a.Commitment != commitment {
		t.Errorf("today %v and %v, want %v and %v", a.Today, a.Commitment, today, commitment)
	}
	if len(a.Held) != 1 || a.Held[0].Sold || a.Held[0].Use < .99 {
		t.Errorf("%+v", a.Held)
	}
	if units(a.Low.Orders) > units(a.High.Orders) {
		t.Errorf("low %v, high %v", a.Low, a.High)
	}
}

func units(list []Count) int {
	n := 0
	for _, c := range list {
		n += c.Units
	}
	return n
}

// Explain says of the best order what Advise says, and of another what that costs more;
// the proof stays.
func TestExplain(t *testing.T) {
	r := newUser(20)
	best, err := Advise(r)
	if err != nil {
		t.Fatal(err)
	}
	var order []Count
	for _, o := range best.Orders {
		order = append(order, Count{o.Class, o.Units})
	}
	same, err := Explain(r, order)
	if err != nil {
		t.Fatal(err)
	}
	if same.Cost != best.Cost || same.Bound != best.Bound || !same.Optimal || len(same.Orders) != len(best.Orders) || same.Today != best.Today || same.Verify() != nil {
		t.Errorf("%+v\nwant %+v", same, best)
	}
	none, err := Explain(r, nil)
	if err != nil || len(none.Orders) != 0 || none.Cost != best.Waiting || none.Optimal {
		t.Errorf("%v, %+v, want what waiting costs, %v", err, none, best.Waiting)
	}
	much, err := Explain(r, []Count{{"1y-no-upfront", 200}})
	if err != nil || much.Cost <= best.Cost || much.Orders[0].Loss != 1 || much.Orders[0].Saving >= 0 || !much.Orders[0].Payback.IsZero() {
		t.Errorf("%v, %+v", err, much)
	}
	for _, bad := range [][]Count{{{"2y", 1}}, {{"1y-no-upfront", -1}}} {
		var input *inputerr.Error
		if _, err := Explain(r, bad); !errors.As(err, &input) || !strings.Contains(err.Error(), "order[0]") {
			t.Errorf("%v: %v", bad, err)
		}
	}
}

// The words and the JSON form. Renew with: go test ./reserve/advice -run Golden -update
func TestGolden(t *testing.T) {
	a, err := Advise(newUser(30))
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.MarshalIndent(a, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	one := newUser(1)
	one.Held, one.FullHorizon, one.Kind = nil, true, ""
	b, err := Advise(one)
	if err != nil {
		t.Fatal(err)
	}
	for name, got := range map[string]string{"testdata/newuser.txt": a.Text(), "testdata/newuser.json": string(text) + "\n", "testdata/onepath.txt": b.Text()} {
		if *update {
			if err := os.WriteFile(name, []byte(got), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(string(want), got); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
	}
}

// A demand of nothing orders nothing; a limit on an order is kept.
func TestLimits(t *testing.T) {
	r := newUser(5)
	for i := range r.Paths {
		r.Paths[i] = make([]int, 730)
	}
	a, err := Advise(r)
	if err != nil || len(a.Orders) != 0 || !strings.Contains(a.Text(), "Order nothing today.") {
		t.Errorf("%v, %+v", err, a)
	}
	r = newUser(5)
	for i := range r.Offers {
		r.Offers[i].AtMost = 3
	}
	if a, err = Advise(r); err != nil {
		t.Fatal(err)
	}
	for _, o := range a.Orders {
		if o.Units > 3 {
			t.Errorf("%+v", o)
		}
	}
}

func TestMistakes(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*Request)
		is     error
		says   string
	}{
		"no date":        {func(r *Request) { r.Now = time.Time{} }, ErrMissing, "Now"},
		"no slot":        {func(r *Request) { r.Slot = 0 }, ErrRange, "Slot"},
		"free":           {func(r *Request) { r.OnDemand = 0 }, ErrRange, "OnDemand"},
		"no paths":       {func(r *Request) { r.Paths = nil }, ErrMissing, "Paths"},
		"lengths":        {func(r *Request) { r.Paths[1] = r.Paths[1][:7] }, ErrRange, "Paths[1]: value out of range: 7 slots"},
		"negative":       {func(r *Request) { r.Paths[1][3] = -1 }, ErrRange, "-1 instances in slot 3"},
		"weights":        {func(r *Request) { r.Weights = []float64{1} }, ErrRange, "Weights"},
		"sum of weights": {func(r *Request) { r.Weights = []float64{.5, .2} }, reserve.ErrRange, "Weights"},
		"every":          {func(r *Request) { r.Every = time.Hour }, ErrRange, "whole number of slots"},
		"quantiles":      {func(r *Request) { r.Low, r.High = .9, .1 }, ErrRange, "Low"},
		"unknown class":  {func(r *Request) { r.Held[0].Class = "2y" }, ErrUnknown, "1y-no-upfront, 1y-all-upfront"},
		"expired":        {func(r *Request) { r.Held[0].Expires = monday }, ErrExpired, "23 November 2026"},
		"no units":       {func(r *Request) { r.Held[0].Units = 0 }, ErrRange, "Units"},
		"twice":          {func(r *Request) { r.Offers[1].Name = r.Offers[0].Name }, ErrDuplicate, "Offers[1]"},
		"bad class":      {func(r *Request) { r.Offers[1].Term = 0 }, ErrRange, "Offers[1]"},
		"short term":     {func(r *Request) { r.Offers[1].Term = time.Hour }, ErrRange, "Offers[1].Term"},
		"limit":          {func(r *Request) { r.Offers[1].AtMost = -1 }, ErrRange, "Offers[1].AtMost"},
	} {
		r := newUser(2)
		c.change(r)
		_, err := Advise(r)
		var input *inputerr.Error
		if !errors.Is(err, c.is) || !errors.As(err, &input) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want %q and %q", name, err, c.is, c.says)
		}
	}
}
