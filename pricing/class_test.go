package pricing

import (
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// wantError reports whether err is an InputError about the given place.
func wantError(t *testing.T, err error, field string, index int, sentinel error) {
	t.Helper()
	var in *InputError
	if !errors.As(err, &in) {
		t.Errorf("error %v, want an InputError about %s", err, field)
		return
	}
	if in.Field != field || in.Index != index || !errors.Is(err, sentinel) {
		t.Errorf("error %q about %s, %d, want %s, %d, %v", err, in.Field, in.Index, field, index, sentinel)
	}
}

func TestValidateList(t *testing.T) {
	if err := CC28XLarge2013().Validate(); err != nil {
		t.Fatal(err)
	}
	if err := (List{}).Validate(); err != nil {
		t.Errorf("a list with free instances and no classes: %v", err)
	}
	tests := []struct {
		name  string
		spoil func(l *List)
		field string
		index int
		err   error
	}{
		{"price on demand", func(l *List) { l.OnDemand = -1 }, "OnDemand", -1, ErrRange},
		{"no name", func(l *List) { l.Classes[2].Name = "" }, "Classes.Name", 2, ErrMissing},
		{"repeated name", func(l *List) { l.Classes[4].Name = "1y-medium" }, "Classes.Name", 4, ErrDuplicate},
		{"no term", func(l *List) { l.Classes[1].Term = 0 }, "Classes.Term", 1, ErrRange},
		{"negative term", func(l *List) { l.Classes[1].Term = -time.Hour }, "Classes.Term", 1, ErrRange},
		{"negative upfront", func(l *List) { l.Classes[0].Upfront = -1 }, "Classes.Upfront", 0, ErrRange},
		{"negative hourly", func(l *List) { l.Classes[0].Hourly = -1 }, "Classes.Hourly", 0, ErrRange},
		{"billing", func(l *List) { l.Classes[5].Billed = 2 }, "Classes.Billed", 5, ErrUnknown},
		{"hourly prices of a term", func(l *List) { l.Classes[5].Hourly = math.MaxInt64 / 1000 }, "Classes.Hourly", 5, ErrOverflow},
		{"commitment", func(l *List) { l.Classes[5].Upfront = math.MaxInt64 }, "Classes.Hourly", 5, ErrOverflow},
	}
	for _, tt := range tests {
		l := CC28XLarge2013()
		tt.spoil(&l)
		t.Run(tt.name, func(t *testing.T) { wantError(t, l.Validate(), tt.field, tt.index, tt.err) })
	}
}

func TestErrorText(t *testing.T) {
	l := CC28XLarge2013()
	l.Classes[4].Name = "1y-medium"
	got := l.Validate().Error()
	want := `pricing: Classes[4].Name: occurs twice: "1y-medium" is the name of class 1: want another name`
	if got != want {
		t.Errorf("%s, want %s", got, want)
	}
	_, err := new(Biller).Bill(CC28XLarge2013(), []int{-2}, time.Hour, nil)
	if got, want := err.Error(), "pricing: demand[0]: value out of range: -2 instances: want 0 or more"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestValidateClass(t *testing.T) {
	c := CC28XLarge2013().Classes[0]
	if err := c.Validate(); err != nil {
		t.Error(err)
	}
	c.Term = 0
	wantError(t, c.Validate(), "Term", -1, ErrRange)
	wantError(t, Class{}.Validate(), "Name", -1, ErrMissing)
}

func TestFind(t *testing.T) {
	l := CC28XLarge2013()
	for i, c := range l.Classes {
		if got, err := l.Find(c.Name); got != i || err != nil {
			t.Errorf("%s: %d, %v; want %d", c.Name, got, err, i)
		}
	}
	got, err := l.Find("3y")
	wantError(t, err, "Classes.Name", -1, ErrUnknown)
	if want := `pricing: Classes.Name: unknown name: "3y": want 1y-light, 1y-medium, 1y-heavy, 3y-light, 3y-medium or 3y-heavy`; got != -1 || err.Error() != want {
		t.Errorf("%d, %v; want %s", got, err, want)
	}
	for n, want := range map[int]string{0: "a name of a list that has classes", 1: "0", 2: "0 or 1", 20: " or 19", 23: "18, 19 or one of 3 more"} {
		var l List
		for i := range n {
			l.Classes = append(l.Classes, Class{Name: strconv.Itoa(i)})
		}
		if _, err := l.Find("x"); err == nil || !strings.HasSuffix(err.Error(), ": want "+want) && n < 20 || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%d classes: %v; want %s", n, err, want)
		}
	}
}

// Expected values by hand from the prices of 2013: light commits to 2710 and
// pays .904 an hour used; heavy to 7670 + 26280·.361 = 17157.08.
func TestCommitment(t *testing.T) {
	l := CC28XLarge2013()
	for _, c := range []struct {
		class           Class
		commitment, use Money
	}{{l.Classes[3], 2710 * Unit, 904 * Milli}, {l.Classes[5], 17_157_080 * Milli, 0}} {
		if got, err := c.class.Commitment(); got != c.commitment || err != nil {
			t.Errorf("%s commits to %v, %v, want %v", c.class.Name, got, err, c.commitment)
		}
		if got := c.class.UsePrice(); got != c.use {
			t.Errorf("%s has the use price %v, want %v", c.class.Name, got, c.use)
		}
	}
	for _, c := range []Class{
		{Term: time.Hour, Upfront: math.MaxInt64, Hourly: 1},
		{Term: math.MaxInt64, Hourly: math.MaxInt64},
	} {
		if _, err := c.Commitment(); !errors.Is(err, ErrOverflow) {
			t.Errorf("commitment of %v: %v, want ErrOverflow", c, err)
		}
	}
}

// whenUsed returns a copy of the list with every class billed WhenUsed, as [Niu16] reads it.
func whenUsed(l List) List {
	l.Classes = slices.Clone(l.Classes)
	for k := range l.Classes {
		l.Classes[k].Billed = WhenUsed
	}
	return l
}
