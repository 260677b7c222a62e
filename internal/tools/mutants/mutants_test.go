package main

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A package with each kind of change, and tests that hold some lines and not others.
const (
	fixtureCode = `package p

import "time"

type Meter struct{ Step time.Duration }

// Up rounds up; the second condition changes nothing.
func (m *Meter) Up(d time.Duration) time.Duration {
	if m.Step <= 0 || d < 0 {
		return 0
	}
	if r := d % m.Step; r != 0 {
		d += m.Step - r
	}
	return d
}

func Sum(list []int, skip func(int) bool) (n int) {
	for i := 0; i < len(list); i++ {
		if skip != nil &&
			skip(list[i]) { // a comment
			continue
		}
		n += list[i]
	}
	return n
}

func Sign(x float64) string {
	switch {
	case x > 0:
		return "+"
	case x < 0:
		return "-"
	}
	return "0"
}

func unused(x int) int {
	x++
	return 2*x + 1
}

func forever(n int) (k int) {
	for n != 0 {
		n--
		k++
	}
	return k
}

var _ = unused
`
	fixtureTests = `package p

import (
	"testing"
	"time"
)

func TestUp(t *testing.T) {
	m := Meter{time.Minute}
	if m.Up(90*time.Second) != 2*time.Minute || m.Up(time.Minute) != time.Minute {
		t.Fail()
	}
}

func TestSum(t *testing.T) {
	if Sum([]int{1, 2, 3}, nil) != 6 || Sum([]int{1, 2, 3}, func(n int) bool { return n == 2 }) != 4 {
		t.Fail()
	}
}

func TestSign(t *testing.T) {
	if Sign(2) != "+" || Sign(-2) != "-" || Sign(0) != "0" {
		t.Fail()
	}
}

func TestForever(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long")
	}
	if forever(3) != 3 {
		t.Fail()
	}
}

func TestFails(t *testing.T) { t.Fatal("without a change") }
`
	survivors = `left out: TestFails of example.com/m/p fails without a change
survives 1 tests: p/p.go:9: Meter.Up: m.Step <= 0 || d < 0 → m.Step <= 0 && d < 0
survives 1 tests: p/p.go:9: Meter.Up: m.Step <= 0 → m.Step < 0
survives 1 tests: p/p.go:9: Meter.Up: d < 0 → d <= 0
survives, no test gets there: p/p.go:10: Meter.Up: return 0 → nothing
survives, no test gets there: p/p.go:40: unused: x++ → x--
survives, no test gets there: p/p.go:41: unused: 2*x + 1 → 2*x - 1
survives, no test gets there: p/p.go:41: unused: 2 * x → 2 / x
`
)

func fixture(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module example.com/m\n\ngo 1.26.0\n", "p/p.go": fixtureCode, "p/p_test.go": fixtureTests,
		"equivalent.txt": "# a comment\np/p.go\tMeter.Up\td < 0 → d <= 0\t1\tno time is less than 0 and not 0\n",
	} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	return dir
}

// All changes of a small package: what its tests do not hold survives, and nothing else.
func TestRun(t *testing.T) {
	fixture(t)
	var out strings.Builder
	row, err := run(&out, "./p", options{parallel: 2, seed: 1, list: "none"})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for line := range strings.Lines(out.String()) {
		if !strings.HasPrefix(line, "\t") {
			got = append(got, line)
		}
	}
	if diff := cmp.Diff(survivors, strings.Join(got, "")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if row.killed < 15 || row.survive != 7 || row.unreached != 4 || row.drawn != row.points || row.killed+row.survive != row.drawn {
		t.Errorf("%+v, want 7 survivors, 4 of them not reached, and the others killed", row)
	}
}

// A change that is listed with its reason is not run and not counted. With -short, tests that skip
// themselves kill nothing.
func TestEquivalents(t *testing.T) {
	fixture(t)
	var out strings.Builder
	row, err := run(&out, "./p", options{parallel: 2, seed: 1, list: "equivalent.txt", short: true})
	if err != nil {
		t.Fatal(err)
	}
	if row.equivalent != 1 || row.survive-strings.Count(out.String(), " forever: ") != 6 || strings.Contains(out.String(), "d <= 0") || !strings.Contains(out.String(), "no test gets there: p/p.go:47: forever: k++") {
		t.Errorf("%+v, want one equivalent change, and six survivors beside those of forever\n%s", row, out.String())
	}
	if err := os.WriteFile("equivalent.txt", []byte("p/p.go\tMeter.Up\td < 0 → d <= 0\t1\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := equivalents("equivalent.txt"); err == nil {
		t.Error("a line without a reason is taken")
	}
}

// The same seed draws the same changes, another seed others, and 0 all of them.
func TestDraw(t *testing.T) {
	fixture(t)
	s, err := read("./p")
	if err != nil {
		t.Fatal(err)
	}
	all := s.points["p.go"]
	if a, b := draw(all, 8, 3), draw(all, 8, 3); !slices.Equal(a, b) || len(a) != 8 {
		t.Errorf("seed 3 draws\n%v\nand\n%v", a, b)
	}
	if slices.Equal(draw(all, 8, 3), draw(all, 8, 4)) {
		t.Error("seeds 3 and 4 draw the same changes")
	}
	if n := len(draw(all, 0, 3)); n != len(all) {
		t.Errorf("%d of %d changes drawn, want all", n, len(all))
	}
}

// A rewritten file has its lines where they were, so that messages fit.
func TestRewriteKeepsLines(t *testing.T) {
	fixture(t)
	s, err := read("./p")
	if err != nil {
		t.Fatal(err)
	}
	points := s.points["p.go"]
	for i, p := range points {
		p.id = i
	}
	for _, p := range points {
		text := rewrite(s.src["p.go"], []*point{p})
		if got, want := strings.Count(text, "\n"), strings.Count(fixtureCode, "\n"); got != want {
			t.Errorf("%v: %d lines, want %d", p, got, want)
		}
	}
	if n := strings.Count(rewrite(s.src["p.go"], points), fmt.Sprintf("(%d", len(points)-1)); n == 0 {
		t.Error("the last change is not in the file with all of them")
	}
	if !slices.IsSortedFunc(points, func(a, b *point) int { return a.start - b.start }) {
		t.Error("the points are not sorted")
	}
}

// The listed changes exist: a line that fits nothing is out of date.
func TestListIsCurrent(t *testing.T) {
	known, err := equivalents("equivalent.txt")
	if err != nil {
		t.Fatal(err)
	}
	have := map[string]bool{}
	folders := map[string]bool{}
	for key := range known {
		folders["./"+filepath.ToSlash(filepath.Dir(strings.SplitN(key, "\t", 2)[0]))] = true
	}
	t.Chdir("../../..")
	list, err := readAll(slices.Sorted(maps.Keys(folders))...)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range list {
		for _, ps := range s.points {
			for _, p := range ps {
				have[p.key()] = true
			}
		}
	}
	for key := range known {
		if !have[key] {
			t.Errorf("%q is no change of the source: renew or remove the line", key)
		}
	}
}
