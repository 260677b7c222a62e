package savings

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/pricing"
)

var update = flag.Bool("update", false, "write testdata anew")

// searched are problems that every search of a Solver takes part in: branch and bound to the optimum and
// to a gap, the first-order method, the trial of all plans, several offers, types that no plan pays for,
// what is held, dates of purchases, and plans that are mended.
func searched() (list []*Problem) {
	rng := rand.New(rand.NewPCG(27, 11))
	for i, size := range [][4]int{{10, 2, 1, 3}, {14, 3, 1, 4}, {20, 2, 2, 4}, {24, 3, 2, 3}, {40, 3, 1, 6}, {60, 2, 2, 9}, {120, 3, 1, 12}, {200, 2, 1, 20}} {
		for _, offers := range []int{1, 2} {
			p := randomMixed(rng, size[0], size[1], size[2], size[3], pricing.Unit/4)
			p.Term = time.Duration([]int{2 + size[0]/3, size[0], 2 * size[0]}[i%3]) * time.Hour
			if i%2 == 1 {
				p.Every = 2
				p.Types[0].Plan = 0
			}
			if i%3 == 2 {
				p.Held = []pricing.Holding{{Count: 1 + rng.IntN(3), Until: size[0] / 2}}
			}
			if offers > 1 {
				o := Offer{Name: "longer", Term: 2 * p.Term}
				for _, y := range p.Types {
					o.Rates = append(o.Rates, y.Plan*9/10)
				}
				p.Others = append(p.Others, o)
			}
			list = append(list, p)
		}
	}
	return list
}

// The searches do what they did, step by step: a plan, its bound and the work that they took are those of
// testdata/searches.txt. A change of the search changes the file. It is a good change if the costs and the
// gaps do not rise, and the work rises for a reason.
//
//	go test ./reserve/savings -run TestSearches -update
func TestSearches(t *testing.T) {
	var b strings.Builder
	b.WriteString("problem, cost, bound, optimum, units of commitment, reservations, work of branch and bound, of the search by coordinates, passes of repair\n")
	for i, p := range searched() {
		s := Solver{Work: []int64{20_000_000, 2_000_000, -1}[i%7%3]}
		plan, err := s.Solve(p)
		if err != nil {
			t.Fatal(err)
		}
		if err := Verify(p, &plan); err != nil {
			t.Errorf("problem %d: %v", i, err)
		}
		units, reservations := 0, 0
		for _, c := range plan.Commitments {
			units += c.Units * (c.Slot + 1)
		}
		for _, r := range plan.Reservations {
			reservations += r.Count * (r.Slot + 1)
		}
		fmt.Fprintf(&b, "%d %v %v %v %d %d %d %d %d\n", i, plan.Cost, plan.Bound, plan.Searched, units, reservations, s.branch.work, s.several.work, s.repair.passes)
	}
	file := filepath.Join("testdata", "searches.txt")
	if *update {
		if err := os.MkdirAll("testdata", 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(b.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), b.String()); diff != "" {
		t.Errorf("-before +now:\n%s", diff)
	}
}
