package pricing

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestReadList(t *testing.T) {
	// Fields in any order, prices as strings, exponents, escapes, any spacing.
	const text = `{"classes":[{"billed":"when-used","hourly":"0.9040","upfront":2.71e3,"term":"26280h",
		"name":"3y-\u006cight"}],
		"on_demand"	:2.40}
`
	want := List{OnDemand: 2400 * Milli, Classes: []Class{
		{Name: "3y-light", Term: 26280 * time.Hour, Upfront: 2710 * Unit, Hourly: 904 * Milli, Billed: WhenUsed},
	}}
	got, err := ReadList(iotest.OneByteReader(strings.NewReader(text)))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	got, err = ReadList(strings.NewReader(`{"on_demand":0.06,"classes":[]}`))
	if diff := cmp.Diff(List{OnDemand: 60 * Milli}, got); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

func TestReadListErrors(t *testing.T) {
	// A valid list, a field a line, in which one line is then replaced.
	lines := []string{
		`{`,
		`"on_demand": 2.4,`,
		`"classes": [`,
		`{"name": "a", "term": "1h", "upfront": 0, "hourly": 0, "billed": "always"},`,
		`{"name": "b",`,
		`"term": "8760h",`,
		`"upfront": 5000,`,
		`"hourly": 0.361,`,
		`"billed": "always"}`,
		`]`,
		`}`,
	}
	if _, err := ReadList(strings.NewReader(strings.Join(lines, "\n"))); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		line  int
		text  string
		at    string // the line that the error names
		field string
		index int
		err   error
	}{
		{1, `[`, "line 2", "", -1, ErrSyntax},
		{1, `null`, "line 2", "", -1, ErrSyntax},
		{2, `"on_demand": 2.4 2,`, "line 2", "", -1, ErrSyntax},
		{2, `on_demand: 2.4,`, "line 2", "", -1, ErrSyntax},
		{2, `"on_demand": 02.4,`, "line 2", "", -1, ErrSyntax},
		{2, `"on_demand": .4,`, "line 2", "", -1, ErrSyntax},
		{2, `"on_demand": NaN,`, "line 2", "", -1, ErrSyntax},
		{2, `"on_demand": null,`, "line 2", "on_demand", -1, ErrSyntax},
		{2, `"on_demand": [2.4],`, "line 2", "on_demand", -1, ErrSyntax},
		{2, `"on_demand": "2.4 $",`, "line 2", "on_demand", -1, ErrSyntax},
		{2, `"on_demand": -2.4,`, "line 2", "on_demand", -1, ErrRange},
		{2, `"on_demand": 1e11,`, "line 2", "on_demand", -1, ErrOverflow},
		{2, `"on_demand": 0.0000000001,`, "line 2", "on_demand", -1, ErrPrecision},
		{2, `"on_demand": 2.4, "on_demand": 2.4,`, "line 2", "on_demand", -1, ErrDuplicate},
		{2, `"On_Demand": 2.4,`, "line 2", "", -1, ErrUnknown},
		{2, ``, "line 11", "on_demand", -1, ErrMissing},
		{3, `"classes": {`, "line 4", "", -1, ErrSyntax},
		{3, `"classes": [ 1,`, "line 3", "classes", 0, ErrSyntax},
		{4, `{"name": "a", "term": "1h", "upfront": -1, "hourly": 0, "billed": "always"},`, "line 4", "classes.upfront", 0, ErrRange},
		{3, `"classes": 3 }`, "line 4", "", -1, ErrSyntax},
		{5, `{"name": "",`, "line 5", "classes.name", 1, ErrMissing},
		{5, `{"name": "a",`, "line 5", "classes.name", 1, ErrDuplicate},
		{5, `{"name": 7,`, "line 5", "classes.name", 1, ErrSyntax},
		{5, `{"name": "b` + "\xff" + `",`, "line 5", "", -1, ErrSyntax},
		{5, "{\"name\": \"b\n\",", "line 5", "", -1, ErrSyntax},
		{5, `{`, "line 9", "classes.name", 1, ErrMissing},
		{6, `"term": "8760",`, "line 6", "classes.term", 1, ErrSyntax},
		{6, `"term": 8760,`, "line 6", "classes.term", 1, ErrSyntax},
		{6, `"term": "1y",`, "line 6", "classes.term", 1, ErrSyntax},
		{6, `"term": "9999999999h",`, "line 6", "classes.term", 1, ErrRange},
		{6, `"term": "2562047h47m16.9s",`, "line 6", "classes.term", 1, ErrRange},
		{6, `"term": "-9999999999.5h",`, "line 6", "classes.term", 1, ErrRange},
		{6, `"term": "9999999999",`, "line 6", "classes.term", 1, ErrSyntax},
		{6, `"term": "-1h",`, "line 5", "classes.term", 1, ErrRange},
		{6, `"term": "0s",`, "line 5", "classes.term", 1, ErrRange},
		{7, `"upfront": true,`, "line 7", "classes.upfront", 1, ErrSyntax},
		{7, `"upfront": 5000.00000000001,`, "line 7", "classes.upfront", 1, ErrPrecision},
		{7, `"upfront": -1,`, "line 5", "classes.upfront", 1, ErrRange},
		{7, `"upfrnt": 5000,`, "line 7", "classes", 1, ErrUnknown},
		{7, `"upfront": 5000, "upfront": 5000,`, "line 7", "classes.upfront", 1, ErrDuplicate},
		{7, ``, "line 9", "classes.upfront", 1, ErrMissing},
		{8, `"hourly": "",`, "line 8", "classes.hourly", 1, ErrSyntax},
		{8, `"hourly": 9000000000,`, "line 5", "classes.hourly", 1, ErrOverflow},
		{9, `"billed": "when used"}`, "line 9", "classes.billed", 1, ErrUnknown},
		{9, `"billed": 1}`, "line 9", "classes.billed", 1, ErrSyntax},
		{9, `"billed": "always"`, "line 10", "", -1, ErrSyntax},
		{9, `"billed": "always"},`, "line 10", "", -1, ErrSyntax},
		{10, `}`, "line 10", "", -1, ErrSyntax},
		{10, ``, "line 11", "", -1, ErrSyntax},
		{11, ``, "line 11", "", -1, ErrSyntax},
		{11, `} {}`, "line 11", "", -1, ErrSyntax},
		{11, "}\n\n x", "line 13", "", -1, ErrSyntax},
		{11, "} \x00", "line 11", "", -1, ErrSyntax},
	}
	for _, tt := range tests {
		spoilt := append([]string(nil), lines...)
		spoilt[tt.line-1] = tt.text
		l, err := ReadList(strings.NewReader(strings.Join(spoilt, "\n")))
		t.Run(tt.text, func(t *testing.T) {
			wantError(t, err, tt.field, tt.index, tt.err)
			if err != nil && !strings.Contains(err.Error(), tt.at+" (") && !strings.Contains(err.Error(), tt.at+": ") && tt.at != "" {
				t.Errorf("error %q does not name %s", err, tt.at)
			}
			if l.OnDemand != 0 || l.Classes != nil {
				t.Errorf("a list beside the error: %v", l)
			}
		})
	}
	broken := errors.New("broken")
	if _, err := ReadList(iotest.ErrReader(broken)); err != broken {
		t.Errorf("error %v, want that of the reader", err)
	}
	// Well formed, and of the wrong kind.
	for text, field := range map[string]string{
		"": "", "[]": "", "null": "", "7": "",
		`{"on_demand":1,"classes":null}`: "classes", `{"on_demand":1,"classes":{}}`: "classes",
	} {
		_, err := ReadList(strings.NewReader(text))
		wantError(t, err, field, -1, ErrSyntax)
	}
}

// A list in a user's struct survives encoding/json.
func TestListJSON(t *testing.T) {
	type plan struct {
		Name   string `json:"name"`
		Prices List   `json:"prices"`
		None   *List  `json:"none,omitempty"`
	}
	want := plan{Name: "x", Prices: CC28XLarge2013()}
	want.Prices.Classes[1].Term = 90*time.Minute + time.Nanosecond
	want.Prices.Classes[1].Name = "<\u2028>"
	data, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	var got plan
	if err := json.Unmarshal(data, &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	one, err := json.Marshal(List{OnDemand: 60 * Milli, Classes: []Class{{Name: "1d", Term: 24 * time.Hour, Upfront: 720 * Milli}}})
	if want := `{"on_demand":0.06,"classes":[{"name":"1d","term":"24h","upfront":0.72,"hourly":0,"billed":"always"}]}`; string(one) != want || err != nil {
		t.Errorf("%s, %v; want %s", one, err, want)
	}
	if _, err := json.Marshal(List{OnDemand: -1}); !errors.Is(err, ErrRange) {
		t.Errorf("an invalid list: %v", err)
	}
	var in *InputError
	l := List{OnDemand: 7}
	err = json.Unmarshal([]byte("{\"on_demand\": 1,\n\"classes\": [{\"nme\": \"\"}]}"), &l)
	if !errors.As(err, &in) || in.Line != 2 || !errors.Is(err, ErrUnknown) || l.OnDemand != 7 {
		t.Errorf("%v, and the list is %v", err, l)
	}
	if err := json.Unmarshal([]byte("null"), &l); err != nil || l.OnDemand != 7 {
		t.Errorf("null: %v, and the list is %v", err, l)
	}
}

func TestMarshalList(t *testing.T) {
	l := CC28XLarge2013()
	l.Classes = l.Classes[1:3]
	l.Classes[0].Name = "<\"medium\"> \u2028"
	l.Classes[0].Term = 90*time.Minute + time.Nanosecond
	text, err := json.Marshal(l)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"on_demand":2.4,"classes":[` +
		`{"name":"\u003c\"medium\"\u003e \u2028","term":"1h30m0.000000001s","upfront":4146,"hourly":0.54,"billed":"when-used"},` +
		`{"name":"1y-heavy","term":"8760h","upfront":5000,"hourly":0.361,"billed":"always"}]}`
	if diff := cmp.Diff(want, string(text)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	back, err := ReadList(bytes.NewReader(text))
	if diff := cmp.Diff(l, back); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	if text, err := json.Marshal(List{}); err != nil || string(text) != `{"on_demand":0,"classes":[]}` {
		t.Errorf("%v: %s", err, text)
	}
	_, err = List{OnDemand: -1}.MarshalJSON()
	wantError(t, err, "OnDemand", -1, ErrRange)
	_, err = List{Classes: []Class{{Name: "\xff", Term: 1}}}.MarshalJSON()
	wantError(t, err, "Classes.Name", 0, ErrSyntax)
	for d, want := range map[time.Duration]string{
		time.Hour: "1h", time.Minute: "1m", 90 * time.Minute: "1h30m", time.Second: "1s", 10 * time.Second: "10s",
		time.Hour + time.Second: "1h0m1s", 20 * time.Minute: "20m", 10 * time.Hour: "10h", 1: "1ns",
	} {
		if got := term(d); got != want {
			t.Errorf("term(%v) = %s, want %s", d, got, want)
		}
	}
}

func FuzzReadList(f *testing.F) {
	text, err := json.Marshal(CC28XLarge2013())
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Add([]byte(`{"on_demand": "2.40", "classes": [{"name": "a\n", "term": "1m1ns", "upfront": 1e-9, "hourly": 0, "billed": "when-used"}]}`))
	f.Add([]byte(`{"classes":[{}],"on_demand":-0}`))
	f.Add([]byte("{\"on_demand\":1,\n\"classes\":[{\"name\":\"\xff\"}]}"))
	f.Add([]byte(`{"on_demand":1e99,"classes":[[`))
	f.Fuzz(func(t *testing.T, data []byte) {
		l, err := ReadList(bytes.NewReader(data))
		if err != nil {
			var in *InputError
			if !errors.As(err, &in) || errors.Unwrap(in.Err) == nil {
				t.Fatalf("error %v is not an InputError with a sentinel", err)
			}
			return
		}
		text, err := json.Marshal(l)
		if err != nil {
			t.Fatalf("read, but not written: %v", err)
		}
		back, err := ReadList(bytes.NewReader(text))
		if diff := cmp.Diff(l, back); diff != "" || err != nil {
			t.Fatalf("read back: %v (-want +got):\n%s", err, diff)
		}
	})
}

func FuzzParseMoney(f *testing.F) {
	for _, s := range []string{"0", "-2.40", "+.5", "9223372036.854775807", "-9223372036.854775808", "1e3", "0.00000000010", "99999999999999999999"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		m, err := ParseMoney(s)
		if err != nil {
			if !errors.Is(err, ErrSyntax) && !errors.Is(err, ErrPrecision) && !errors.Is(err, ErrOverflow) {
				t.Fatalf("error %v has no sentinel", err)
			}
			return
		}
		back, err := ParseMoney(m.String())
		if back != m || err != nil {
			t.Fatalf("%q is %d, and %q is %d, %v", s, m, m.String(), back, err)
		}
	})
}
