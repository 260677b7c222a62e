package plans

import (
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/plimsoll/plimsoll/examples/tools/page/internal/ask"
	"github.com/plimsoll/plimsoll/pricing"
)

// question reads a question as the page asks it.
func question[Q any](t *testing.T, text string) *Q {
	t.Helper()
	q := new(Q)
	if err := json.Unmarshal([]byte(text), q); err != nil {
		t.Fatal(err)
	}
	return q
}

const (
	// By hand: a reservation of three slots for 2 pays where two of three slots use it. So one is
	// bought in slot 0, and serves slots 0 to 2; the rest is two instances on demand: 4 in all.
	small = `"demand":[1,2,1,0,1],"slot":"1h","on_demand":"1","classes":[{"name":"three","term":"3h","upfront":"2","hourly":"0"}]`
	// Three classes of other use prices, the last of which is billed used or not.
	mixed = `"demand":[2,3,3,1,0,2,2],"slot":"1h","on_demand":"1","classes":[{"name":"a","term":"3h","upfront":"1","hourly":"0.5"},` +
		`{"name":"b","term":"4h","upfront":"1.4","hourly":"0.25"},{"name":"c","term":"2h","upfront":"0.2","hourly":"0.5","always":true}]`
	days = `"on_demand":"1","classes":[{"name":"two","term":"2","upfront":"30","hourly":"0"},{"name":"one","term":"1","upfront":"14","hourly":"0.1"}]`
)

// The whole answer as the page reads it.
func TestReserveAnswer(t *testing.T) {
	want := `{"cost":"4","bound":"4","on_demand":"5","saving":0.19999999999999996,"optimal":true,"limited":false,"refuted":"","classes":["three"],` +
		`"purchases":[{"slot":0,"class":0,"count":1,"used":1,"back":1,"saved":"1"}],"terms":[3],` +
		`"served":["i:AQAAAAEAAAABAAAAAAAAAAAAAAA="],"idle":"i:AAAAAAAAAAAAAAAAAAAAAAAAAAA=","rest":"i:AAAAAAEAAAAAAAAAAAAAAAEAAAA=",` +
		`"price":"f:AACAPwAAgD8AAAAAAACAPwAAgD8=","worth":["f:AACAPwAAgD8AAIA/AACAPwAAAD8="]}`
	if diff := cmp.Diff(want, string(Rooms.Answer("reserve", []byte("{"+small+"}")))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := string(Rooms.Answer("reserve/check", []byte("{"+small+"}"))); got != "{}" {
		t.Errorf("checked: %s", got)
	}
}

// What is served, idle and on demand adds up to the demand and to the reservations, the lowest
// use price first. The prices of the slots prove the cost: the sum over the demand is the bound,
// no reservation is worth more than its fee, and those that are bought are worth just that.
func TestReserve(t *testing.T) {
	for _, c := range []struct {
		name, text         string
		cost, alone        ask.Amount
		terms              []int
		served             []ask.Ints
		idle, rest         ask.Ints
		price              ask.Floats
		worth              []ask.Floats
		purchases          []reservePurchase
		saving             float64
		limited, unoptimal bool
	}{
		{name: "small", text: small, cost: "4", alone: "5", saving: .2, terms: []int{3},
			purchases: []reservePurchase{{0, 0, 1, 1, 1, "1"}},
			served:    []ask.Ints{{1, 1, 1, 0, 0}}, idle: ask.Ints{0, 0, 0, 0, 0}, rest: ask.Ints{0, 1, 0, 0, 1},
			price: ask.Floats{1, 1, 0, 1, 1}, worth: []ask.Floats{{1, 1, 1, 1, .5}}},
		// Three pairs of slots. A reservation in slot 4 has two thirds of its fee left to pay.
		{name: "pure, every two slots", text: small + `,"pure":true,"every":2`, cost: "4", alone: "5", saving: .2, terms: []int{3},
			purchases: []reservePurchase{{0, 0, 1, 1, 1, "1"}},
			served:    []ask.Ints{{1, 1, 1, 0, 0, 0}}, idle: ask.Ints{0, 0, 0, 0, 0, 0}, rest: ask.Ints{0, 1, 0, 0, 1, 0},
			price: ask.Floats{1, 1, 0, 0, 1, 0}, worth: []ask.Floats{{1, .5, .5, .5, .75, 0}}},
		// Two of b for 2.8 serve seven slots for 1.75; three of c cost 1.2 each.
		{name: "mixed", text: mixed, cost: "8.15", alone: "13", saving: 1 - 8.15/13, terms: []int{3, 4, 2},
			purchases: []reservePurchase{{0, 1, 2, .875, 1, "2.45"}, {1, 2, 1, 1, 2, "0.8"}, {5, 2, 2, 1, 6, "1.6"}},
			served:    []ask.Ints{{0, 0, 0, 0, 0, 0, 0}, {2, 2, 2, 1, 0, 0, 0}, {0, 1, 1, 0, 0, 2, 2}},
			idle:      ask.Ints{0, 0, 0, 1, 0, 0, 0}, rest: ask.Ints{0, 0, 0, 0, 0, 0, 0},
			price: ask.Floats{.95, .25, .95, .25, 0, .7, .5},
			worth: []ask.Floats{{.95, .5, .5, .2, .2, .2, 0}, {1, .5, 1.15 / 1.4, .5, .5, .5, .25 / 1.4}, {1, 1, 1, .25 / 1.2, .7 / 1.2, 1, .5 / 1.2}}},
		// A slot of two hours costs 2 on demand, and 0.5 beside the fee of 1: 2 in all for two slots.
		{name: "two hours", text: `"demand":[1,1,0],"slot":"2h","on_demand":"1","classes":[{"name":"a","term":"4h","upfront":"1","hourly":"0.25"}]`, cost: "2", alone: "4", saving: .5,
			terms: []int{2}, purchases: []reservePurchase{{0, 0, 1, 1, 0, "2"}}, served: []ask.Ints{{1, 1, 0}}, idle: ask.Ints{0, 0, 0}, rest: ask.Ints{0, 0, 0},
			price: ask.Floats{1.5, .5, 1.5}, worth: []ask.Floats{{1, 1, 1}}}, // others prove the cost as well
		{name: "nothing", text: `"demand":[0,0],"slot":"1h","on_demand":"1","classes":[{"name":"free","term":"1h","upfront":"0","hourly":"0"}]`, cost: "0", alone: "0",
			terms: []int{1}, purchases: []reservePurchase{}, served: []ask.Ints{{0, 0}}, idle: ask.Ints{0, 0}, rest: ask.Ints{0, 0},
			price: ask.Floats{0, 0}, worth: []ask.Floats{{0, 0}}},
	} {
		a, err := reservePlan(question[reserveQuestion](t, "{"+c.text+"}"))
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if a.Cost != c.cost || a.Bound != c.cost || a.OnDemand != c.alone || !a.Optimal || a.Limited || a.Refuted != "" || !(math.Abs(a.Saving-c.saving) <= 1e-12) {
			t.Errorf("%s: %+v", c.name, a)
		}
		near := cmpopts.EquateApprox(0, 1e-9)
		for what, diff := range map[string]string{
			"terms": cmp.Diff(c.terms, a.Terms), "purchases": cmp.Diff(c.purchases, a.Purchases, near), "served": cmp.Diff(c.served, a.Served),
			"idle": cmp.Diff(c.idle, a.Idle), "rest": cmp.Diff(c.rest, a.Rest), "price": cmp.Diff(c.price, a.Price, near), "worth": cmp.Diff(c.worth, a.Worth, near),
		} {
			if diff != "" {
				t.Errorf("%s: %s (-want +got):\n%s", c.name, what, diff)
			}
		}
		q := question[reserveQuestion](t, "{"+c.text+"}")
		sum := 0.0
		for i, d := range q.Demand {
			sum += float64(d) * a.Price[i]
		}
		if bound, err := pricing.ParseMoney(string(a.Bound)); err != nil || math.Abs(sum-bound.Float64()) > 1e-9 {
			t.Errorf("%s: the prices add up to %v, the bound is %v, %v", c.name, sum, bound, err)
		}
		for _, b := range a.Purchases {
			if w := a.Worth[b.Class][b.Slot]; math.Abs(w-1) > 1e-9 {
				t.Errorf("%s: %+v is worth %v", c.name, b, w)
			}
		}
	}
}

// The rules of small, by hand: one for each term costs 5, as no reservation does; two at the
// peak, twice, cost 8. A rule that takes no such problem says why.
func TestRules(t *testing.T) {
	type row = ruleAnswer
	for _, c := range []struct {
		text string
		want []row
	}{
		{small, []row{{Name: "constant", Class: "three", Cost: "5", Count: 2}, {Name: "sec", Index: -1, Cost: "4", Count: 1},
			{Name: "hgr", Class: "three", Cost: "4", Count: 1}, {Name: "periodic", Class: "three", Cost: "4", Count: 1}, {Name: "wang", Class: "three", Cost: "5", Count: 1},
			{Name: "peak", Class: "three", Cost: "8", Count: 4}}},
		{strings.Replace(small, "}]", `},{"name":"two","term":"2h","upfront":"1.5","hourly":"0"}]`, 1),
			[]row{{Name: "constant", Class: "three", Cost: "5", Count: 2}, {Name: "sec", Index: -1, Cost: "4", Count: 1},
				{Name: "hgr", Class: "three", Cost: "4", Count: 1}, {Name: "periodic", Class: "three", Cost: "4", Count: 1}, {Name: "wang", Class: "two", Index: 1, Cost: "4.5", Count: 1},
				{Name: "peak", Class: "three", Cost: "8", Count: 4}}},
		{`"demand":[1,2,1,0,1],"slot":"1h","on_demand":"1"`, []row{{Name: "constant", Index: -1, Cost: "5"}, {Name: "sec", Index: -1, Cost: "5"},
			{Name: "hgr", Index: -1, Cost: "5"}, {Name: "periodic", Index: -1, Cost: "5"}, {Name: "wang", Index: -1, Cost: "5"}, {Name: "peak", Index: -1, Cost: "5"}}},
		{small + `,"pure":true,"every":2`, []row{
			{Name: "constant", Index: -1, Not: "2 slots: want a divisor of the term of three, 3 slots"}, {Name: "sec", Index: -1, Cost: "4", Count: 1},
			{Name: "hgr", Class: "three", Cost: "4", Count: 1},
			{Name: "periodic", Index: -1, Not: "2 slots: want a divisor of the term of three, 3 slots"}, {Name: "wang", Index: -1, Not: "2 slots: want purchases at every slot"},
			{Name: "peak", Index: -1, Not: "2 slots: want a divisor of the term of three, 3 slots"}}},
		// A fee that nothing earns back: most rules buy nothing, which is no class's doing.
		{strings.Replace(small, `"upfront":"2"`, `"upfront":"9"`, 1), []row{{Name: "constant", Index: -1, Cost: "5"}, {Name: "sec", Index: -1, Cost: "5"},
			{Name: "hgr", Index: -1, Cost: "5"}, {Name: "periodic", Index: -1, Cost: "5"}, {Name: "wang", Index: -1, Cost: "5"}, {Name: "peak", Class: "three", Cost: "36", Count: 4}}},
		// Wang's rule buys after two slots on demand, too late; with the dear class it does not.
		{`"demand":[1,1,0],"slot":"1h","on_demand":"1","classes":[{"name":"three","term":"3h","upfront":"1.9","hourly":"0"},{"name":"dear","term":"3h","upfront":"9","hourly":"0"}]`,
			[]row{{Name: "constant", Class: "three", Cost: "1.9", Count: 1}, {Name: "sec", Index: -1, Cost: "1.9", Count: 1},
				{Name: "hgr", Class: "three", Cost: "1.9", Count: 1}, {Name: "periodic", Class: "three", Cost: "1.9", Count: 1}, {Name: "wang", Index: -1, Cost: "2"},
				{Name: "peak", Class: "three", Cost: "1.9", Count: 1}}},
	} {
		a, err := reserveRules(question[reserveQuestion](t, "{"+c.text+"}"))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(c.want, a.Rules, cmpopts.IgnoreFields(row{}, "About")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.text, diff)
		}
		for _, r := range a.Rules {
			if r.About == "" {
				t.Errorf("%s is not explained", r.Name)
			}
		}
	}
}

// What a person got wrong stands beside its field, in each room that asks.
func TestMistakes(t *testing.T) {
	const class = `{"name":"three","term":"3h","upfront":"2","hourly":"0"}`
	with := func(old, new string) string { return strings.Replace(small, old, new, 1) }
	long := func(n int) string { return with("[1,2,1,0,1]", "["+strings.Repeat("1,", n-1)+"1]") }
	for _, c := range []struct{ text, field, says string }{
		{with(`"1h"`, `"x"`), "slot", `"x" is no length of time: want a number of days, or a length such as 36h, 2w or 1y`},
		{with("[1,2,1,0,1]", "[]"), "demand", "there is none: want a number of instances for each slot"},
		{long(43_801), "demand", "43,801 slots: the page takes at most 43,800, five years of hours; examples/tools/plan takes more"},
		{with("[1,2,1,0,1]", "[1,-1]"), "demand", "slot 1: -1: want from 0 to 1,000,000 instances"},
		{with("[1,2,1,0,1]", "[1,1000001]"), "demand", "slot 1: 1000001: want from 0 to 1,000,000 instances"},
		{with(`"on_demand":"1"`, `"on_demand":"x"`), "on_demand", `"x" is no price: want a number from 0 to 9 billion with at most 9 decimals, such as 0.4`},
		{with(`"on_demand":"1"`, `"on_demand":"0"`), "on_demand", "0: want a price above 0, or nothing is worth a reservation"},
		{with(class, strings.Repeat(class+",", 8)+class), "classes", "9 classes: want at most 8"},
		{with(class, class+","+class), "classes.1.name", `"three": want a name that no other class has`},
		{with(`"three"`, `" "`), "classes.0.name", `" ": want a name that no other class has`},
		{with(`"3h"`, `""`), "classes.0.term", `"" is no length of time: want a number of days, or a length such as 36h, 2w or 1y`},
		{with(`"2"`, `"-2"`), "classes.0.upfront", `"-2" is negative: want a price of 0 or more`},
		{with(`"hourly":"0"`, `"hourly":"-1"`), "classes.0.hourly", `"-1" is negative: want a price of 0 or more`},
		{with(class, `{"name":"off","term":"1m","off":true},{"name":"hour","term":"1h","upfront":"1","hourly":"0"},{"name":"short","term":"59m30s","upfront":"0","hourly":"0"}`), "classes.2.term", "59m30s: want at least a slot of the demand, 1h"},
		{with(class, `{"name":"dear","term":"90m","upfront":"9000000000","hourly":"9000000000","always":true}`), "classes", "dear costs too much for the rest of its term, 30m0s"},
		{small + `,"every":-1`, "every", "-1: want from 0 to 43,800 slots between purchases"},
		{small + `,"every":43801`, "every", "43801: want from 0 to 43,800 slots between purchases"},
	} {
		for room := range Rooms {
			if room == "plans/read" {
				continue
			}
			var got struct{ Error ask.Mistake }
			if err := json.Unmarshal(Rooms.Answer(room, []byte("{"+c.text+`,"spread":"20"}`)), &got); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(ask.Mistake{Field: c.field, Text: c.says}, got.Error); diff != "" {
				t.Errorf("%s of %.80s (-want +got):\n%s", room, c.text, diff)
			}
		}
	}
	// Of the library: a demand whose cost is no amount of money, without classes and with a dear one.
	for _, room := range []string{"reserve", "reserve/rules", "reserve/unsure", "reserve/front"} {
		for _, classes := range []string{"", `{"name":"dear","term":"2d","upfront":"9000000000","hourly":"0"}`} {
			var got struct{ Error ask.Mistake }
			text := `{"demand":[1000000,1000000],"slot":"1h","on_demand":"9000000000","spread":"20","classes":[` + classes + `]}`
			says := "its cost does not fit in an amount of money"
			if room == "reserve" {
				says = map[bool]string{true: "the total cost", false: `the cost of "dear"`}[classes == ""] + ": want at most 9223372036.854775807"
			}
			want := ask.Mistake{Field: "demand", Text: says}
			err := json.Unmarshal(Rooms.Answer(room, []byte(text)), &got)
			if room == "reserve/rules" && classes != "" { // each rule says so
				var rules rulesAnswer
				err = json.Unmarshal(Rooms.Answer(room, []byte(text)), &rules)
				got.Error = ask.Mistake{Field: "demand", Text: rules.Rules[0].Not}
			}
			if err != nil || got.Error != want {
				t.Errorf("%s of too much money, %q: %+v, %v", room, classes, got.Error, err)
			}
		}
	}
	// The edges are taken.
	for name, text := range map[string]string{
		"five years": long(43_800), "a million": with("[1,2,1,0,1]", "[1000000]"), "every": small + `,"every":43800`,
		"eight": with(class, func() (all string) {
			for i := range 8 {
				all += strings.Replace(class, "three", "c"+string(rune('0'+i)), 1) + ","
			}
			return strings.TrimSuffix(all, ",")
		}()),
		"a slot":   with(`"3h"`, `"1h"`),
		"off ones": with(class, class+`,{"name":"three","term":"x","upfront":"y","off":true}`),
	} {
		if got := string(Rooms.Answer("reserve/check", []byte("{"+text+"}"))); got != "{}" {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// The command line has the demand and the prices of the page, and says what is not the default.
func TestExport(t *testing.T) {
	for _, c := range []struct{ text, command, demand string }{
		{small, "", "instances\n1\n2\n1\n0\n1\n"},
		{small + `,"every":1`, "", "instances\n1\n2\n1\n0\n1\n"},
		{strings.Replace(small, `"1h"`, `"30m"`, 1) + `,"every":2,"pure":true`, " -slot 30m0s -every 1h0m0s -pure", "instances\n1\n2\n1\n0\n1\n"},
	} {
		e, err := reserveExport(question[reserveQuestion](t, "{"+c.text+"}"))
		if err != nil {
			t.Fatal(err)
		}
		want := &ask.Export{Command: "go run github.com/plimsoll/plimsoll/examples/tools/plan@latest -demand demand.csv -classes classes.json" + c.command, Files: []ask.File{
			{Name: "demand.csv", Text: c.demand},
			{Name: "classes.json", Text: "{\n  \"on_demand\": 1,\n  \"classes\": [\n    {\n      \"name\": \"three\",\n      \"term\": \"3h\",\n      \"upfront\": 2,\n      \"hourly\": 0,\n      \"billed\": \"when-used\"\n    }\n  ]\n}\n"}}}
		if diff := cmp.Diff(want, e); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
	e, err := unsureExport(question[unsureQuestion](t, `{"demand":[5,5,6],"slot":"12h","spread":"0","pure":true,`+days+`}`))
	if err != nil {
		t.Fatal(err)
	}
	names, day := []string{}, []string{}
	for i := range 24 {
		names, day = append(names, "p"+string(rune('0'+i%10))), append(day, "5")
		if i >= 10 {
			names[i] = "p" + string(rune('0'+i/10)) + string(rune('0'+i%10))
		}
	}
	want := strings.Join(names, ",") + "\n" + strings.Join(day, ",") + "\n" + strings.ReplaceAll(strings.Join(day, ","), "5", "6") + "\n"
	if e.Files[0].Name != "paths.csv" || e.Files[0].Text != want || e.Files[1].Name != "classes.json" || !strings.Contains(e.Files[1].Text, `"name": "two"`) ||
		e.Command != "go run github.com/plimsoll/plimsoll/examples/tools/plan@latest -paths paths.csv -classes classes.json -slot 24h -pure -algo exact" {
		t.Errorf("%+v", e)
	}
	e, err = unsureExport(question[unsureQuestion](t, `{"demand":[5,5,6],"slot":"12h","spread":"0",`+days+`}`))
	if err != nil || strings.Contains(e.Command, "-pure") {
		t.Errorf("%v, %v", e.Command, err)
	}
}

// By hand, with a spread of 0: five and four instances in two days. A reservation of both days
// for 30 costs less than a day on demand for each, 48, and more than one, 24: four are bought,
// and one instance is on demand.
func TestUnsure(t *testing.T) {
	a, err := reserveUnsure(question[unsureQuestion](t, `{"demand":[5,5,6,2],"slot":"12h","on_demand":"1","spread":"0","classes":[{"name":"two","term":"2","upfront":"30","hourly":"0"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	want := &unsureAnswer{Cost: "144", Bound: "144", OnDemand: "216", Hindsight: "144", MeanPath: "144", Classes: []string{"two"}, Losses: []loss{{0, 0, 4, 0}},
		Quantiles: slices.Repeat([]ask.Ints{{5, 4}}, 5), Active: []ask.Ints{{4, 4}}, Costs: slices.Repeat([]ask.Amount{"144"}, 24)}
	if diff := cmp.Diff(want, a); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}

	// One day of three instances: half of the fee of 30 is less than a day on demand.
	text := `{"demand":[3],"slot":"1d","on_demand":"1","spread":"0","pure":true,"classes":[{"name":"two","term":"2","upfront":"30","hourly":"0"}]}`
	if a, err := reserveUnsure(question[unsureQuestion](t, text)); err != nil || a.Cost != "45" {
		t.Errorf("pure: %+v, %v", a, err)
	}
	if a, err := reserveUnsure(question[unsureQuestion](t, strings.Replace(text, "true", "false", 1))); err != nil || a.Cost != "72" {
		t.Errorf("not pure: %+v, %v", a, err)
	}
	if got := string(Rooms.Answer("reserve/unsure", []byte(strings.Replace(text, "true", "false", 1)))); !strings.Contains(got, `"losses":[],`) {
		t.Errorf("without a purchase: %s", got)
	}

	q := question[unsureQuestion](t, `{"demand":[500,500,600,200],"slot":"12h","spread":"20",`+days+`}`)
	a, err = reserveUnsure(q)
	if err != nil {
		t.Fatal(err)
	}
	amount := func(x ask.Amount) float64 {
		m, err := pricing.ParseMoney(string(x))
		if err != nil {
			t.Fatal(err)
		}
		return m.Float64()
	}
	sum := 0.0
	for _, c := range a.Costs {
		sum += amount(c) / 24
	}
	if len(a.Costs) != 24 || math.Abs(sum-amount(a.Cost)) > 1e-6 || amount(a.Hindsight) >= amount(a.Cost) || amount(a.MeanPath) < amount(a.Cost) || a.Cost != a.Bound {
		t.Errorf("futures cost %v on average: %+v", sum, a)
	}
	if diff := cmp.Diff([]loss{{0, 0, 398, 0}, {0, 1, 68, 4. / 24}}, a.Losses); diff != "" {
		t.Errorf("losses (-want +got):\n%s", diff)
	}
	// The drawn futures: golden.
	if a.Costs[0] != "13871.2" || a.Costs[1] != "13967.2" || a.Costs[23] != "13055.2" {
		t.Errorf("the futures cost %v", a.Costs)
	}
	if diff := cmp.Diff([]ask.Ints{{385, 273}, {456, 367}, {497, 399}, {543, 415}, {615, 527}}, a.Quantiles); diff != "" {
		t.Errorf("quantiles (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]ask.Ints{{398, 398}, {68, 0}}, a.Active); diff != "" {
		t.Errorf("active (-want +got):\n%s", diff)
	}

	f, err := reserveFront(q)
	if err != nil {
		t.Fatal(err)
	}
	if len(f.Points) != 6 || f.Level != .8 || f.Points[0].Mean != a.Cost || f.Points[0].Count != 398+68 {
		t.Errorf("the front begins with %+v", f.Points)
	}
	for i, p := range f.Points {
		if math.Abs(p.Risk-float64(i)/5) > 1e-12 || p.Gap > .001 || amount(p.Worst) < amount(p.Mean) {
			t.Errorf("point %d: %+v", i, p)
		}
		if i > 0 && (amount(p.Mean) < amount(f.Points[i-1].Mean) || amount(p.Worst) > amount(f.Points[i-1].Worst)) {
			t.Errorf("point %d: %+v after %+v", i, p, f.Points[i-1])
		}
	}
}

// Futures come in pairs that mirror each other around the daily means; at the end they are about
// as far apart as the spread says, however many days there are, and never out of range.
func TestPaths(t *testing.T) {
	for _, n := range []int{4, 100} {
		q := &unsureQuestion{Spread: " 20 "}
		for d := range n {
			q.Demand = append(q.Demand, 2000+200*d, 1000) // 8 h, 8 h and 8 h are three slots
			q.Demand = append(q.Demand, 3000+100*d)
		}
		paths, err := q.paths(day / 3)
		if err != nil || len(paths) != 24 || len(paths[0]) != n {
			t.Fatalf("%d paths of %d days, %v", len(paths), len(paths[0]), err)
		}
		square := 0.0
		for i := 0; i < 24; i += 2 {
			for d := range n {
				if mean := 2000 + 100*d; max(paths[i][d]+paths[i+1][d]-2*mean, 2*mean-paths[i][d]-paths[i+1][d]) > 2 {
					t.Fatalf("pair %d, day %d: %d and %d around %d", i/2, d, paths[i][d], paths[i+1][d], mean)
				}
			}
			off := float64(paths[i][n-1])/float64(2000+100*(n-1)) - 1
			square += off * off / 12
		}
		if s := math.Sqrt(square); s < .1 || s > .4 {
			t.Errorf("%d days: a spread of %v at the end, want about 0.2", n, s)
		}
	}
	wild := &unsureQuestion{Spread: "200"}
	wild.Demand = slices.Repeat(ask.Ints{1_000_000}, 9)
	paths, err := wild.paths(day)
	if err != nil {
		t.Fatal(err)
	}
	least, most := math.MaxInt, 0
	for _, p := range paths {
		least, most = min(least, slices.Min(p)), max(most, slices.Max(p))
	}
	if least != 0 || most != 1_000_000 {
		t.Errorf("from %d to %d instances", least, most)
	}
	for text, want := range map[string]ask.Mistake{
		`"spread":"-1","slot":"1h"`:    {Field: "spread", Text: `"-1": want a number of per cent from 0 to 200`},
		`"spread":"200.5","slot":"1h"`: {Field: "spread", Text: `"200.5": want a number of per cent from 0 to 200`},
		`"spread":"x","slot":"1h"`:     {Field: "spread", Text: `"x": want a number of per cent from 0 to 200`},
		`"spread":"1","slot":"5h"`:     {Field: "slot", Text: "slots of 5h: want slots that make whole days"},
		`"spread":"1","slot":"2d"`:     {Field: "slot", Text: "slots of 48h: want slots that make whole days"},
	} {
		for _, room := range []string{"reserve/unsure", "reserve/front", "reserve/unsure-export"} {
			var got struct{ Error ask.Mistake }
			if err := json.Unmarshal(Rooms.Answer(room, []byte(`{"demand":[1],`+text+`,"on_demand":"1","classes":[{"name":"y","term":"1y","upfront":"1","hourly":"0"}]}`)), &got); err != nil || got.Error != want {
				t.Errorf("%s: %v, %v, want %v", text, got, err, want)
			}
		}
	}
	short := `{"demand":[1],"spread":"1","slot":"1h","on_demand":"1","classes":[{"name":"y","term":"23h","upfront":"1","hourly":"0"}]}`
	if _, err := question[unsureQuestion](t, short).problem(); err == nil || err.Error() != "classes: y has a term of 23h0m0s: want at least a slot of 24h0m0s" {
		t.Errorf("a term of less than a day: %v", err)
	}
}
