package finding

import "testing"

func TestString(t *testing.T) {
	for _, c := range []struct {
		seen      []bool
		want, why string
	}{
		{[]bool{true, true}, "came out: It says. It is.", ""},
		{[]bool{true, false}, "came out IN PART: It says. It is. Why.", "Why."},
		{[]bool{false}, "DID NOT COME OUT: It says. It is. Why.", "Why."},
	} {
		f := Finding{Judge(c.seen...), "It says", "it is", "Why."}
		if row := f.Row(); f.String() != c.want || row.Why != c.why || row.Kind != "finding" {
			t.Errorf("%v: %s, %+v, want %s", c.seen, f, row, c.want)
		}
	}
}
