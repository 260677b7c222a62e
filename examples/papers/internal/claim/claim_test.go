package claim

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/plimsoll/plimsoll/examples/internal/table"
)

func TestVerdicts(t *testing.T) {
	for name, c := range map[string]struct {
		claim       Claim
		paper, ours string
		want        Verdict
	}{
		"near":             {Number("", "", 10, 11.5, .15, 1), "10.0", "11.5", Yes},
		"near below":       {Number("", "", -10, -8.5, .15, 1), "-10.0", "-8.5", Yes},
		"same sign":        {Number("", "", 10, 12, .15, 0), "10", "12", InPart},
		"both negative":    {Number("", "", -10, -1, .15, 0), "-10", "-1", InPart},
		"other sign":       {Number("", "", 10, -1, .15, 0), "10", "-1", No},
		"not a number":     {Number("", "", 10, math.NaN(), .15, 0), "10", "infinite", No},
		"infinite":         {Number("", "", 10, math.Inf(1), .15, 0), "10", "infinite", No},
		"inside":           {Within("", "", 1, 2, 1, 2, 0), "1 to 2", "1 to 2", Yes},
		"overlaps above":   {Within("", "", 1, 2, 2, 3, 0), "1 to 2", "2 to 3", InPart},
		"overlaps below":   {Within("", "", 1, 2, 0, 1, 0), "1 to 2", "0 to 1", InPart},
		"above":            {Within("", "", 1, 2, 3, 3, 0), "1 to 2", "3", No},
		"below":            {Within("", "", 1, 2, 0, 0, 0), "1 to 2", "0", No},
		"not a span":       {Within("", "", 1, 1, math.NaN(), 1, 0), "1", "infinite", No},
		"infinite span":    {Within("", "", 1, 1, 1, math.Inf(1), 0), "1", "infinite", No},
		"all hold":         {Holds("", "", "x", true, true), "", "x", Yes},
		"one of two holds": {Holds("", "", "x", true, false), "", "x", InPart},
		"none holds":       {Holds("", "", "x", false), "", "x", No},
	} {
		t.Run(name, func(t *testing.T) {
			if got := c.claim; got.Paper != c.paper || got.Ours != c.ours || got.Verdict != c.want {
				t.Errorf("%+v, want %v of %q and %q", got, c.want, c.paper, c.ours)
			}
		})
	}
}

func TestWrite(t *testing.T) {
	list := []Claim{
		Number("Fig. 2", "utilisation of the cluster that grows and shrinks with its queue, %", 98.4, 97.9, .15, 1).Because("not said."),
		Holds("8.5", "rises", "it_falls_from_the_first_to_the_last", false).Because("Jobs are shorter."),
		{On: "other log", Place: "Table 1", Text: "light", Paper: "15.75", Ours: "12.00", Verdict: InPart},
	}
	var w table.Page
	Write(&w, list)
	want := `place   claim                                paper  ours               came out
──────  ───────────────────────────────────  ─────  ─────────────────  ────────
Fig. 2  utilisation of the cluster that      98.4   97.9               yes
        grows and shrinks with its queue, %
8.5     rises                                       it_falls_from_the  no
                                                    _first_to_the_las
                                                    t
8.5, rises: Jobs are shorter.
Of 2 claims 1 come out, 0 in part, and 1 do not.

On other log:
place    claim  paper  ours   came out
───────  ─────  ─────  ─────  ────────
Table 1  light  15.75  12.00  in part
Of 1 claim 0 come out, 1 in part, and 0 do not.
`
	if diff := cmp.Diff(want, w.String()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	b, err := json.Marshal(list[1:2])
	wantJSON := `[{"on":"","place":"8.5","claim":"rises","paper":"","ours":"it_falls_from_the_first_to_the_last","came_out":"no","why":"Jobs are shorter."}]`
	if err != nil || string(b) != wantJSON {
		t.Errorf("%s, %v, want %s", b, err, wantJSON)
	}
}
