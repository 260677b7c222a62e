// Package tools_test runs tools after each other, on the files that they write.
package tools_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// programs are the tools of a folder, built.
type programs struct {
	t   *testing.T
	dir string
}

func build(t *testing.T, names ...string) programs {
	t.Helper()
	dir := t.TempDir()
	args := []string{"build", "-o", dir + string(filepath.Separator)}
	for _, n := range names {
		args = append(args, "./"+n)
	}
	if out, err := exec.Command("go", args...).CombinedOutput(); err != nil {
		t.Fatalf("go %q: %v\n%s", args, err, out)
	}
	return programs{t, dir}
}

func (p programs) file(name string) string { return filepath.Join(p.dir, name) }

func (p programs) write(name, text string) string {
	p.t.Helper()
	if err := os.WriteFile(p.file(name), []byte(text), 0o666); err != nil {
		p.t.Fatal(err)
	}
	return p.file(name)
}

// run runs a line whose words that end in .csv or .json are files, and returns what it prints.
func (p programs) run(line string) string {
	p.t.Helper()
	args := strings.Fields(line)
	for i, a := range args {
		if ext := filepath.Ext(a); ext == ".csv" || ext == ".json" {
			args[i] = p.file(a)
		}
	}
	cmd := exec.Command(p.file(args[0]), args[1:]...)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		p.t.Fatalf("%s: %v\n%s", line, err, stderr.String())
	}
	return string(out) + stderr.String()
}

func (p programs) rows(line string) (list []map[string]any) {
	p.t.Helper()
	text := p.run(line + " -json")
	if err := json.NewDecoder(strings.NewReader(text)).Decode(&list); err != nil {
		p.t.Fatalf("%s: %v\n%s", line, err, text)
	}
	for _, row := range list {
		for key, x := range row {
			switch x.(type) {
			case []any, map[string]any:
				p.t.Errorf("%s: %s is not flat: %v", line, key, x)
			}
		}
	}
	return list
}

func (p programs) says(line string, words ...string) {
	p.t.Helper()
	text := p.run(line)
	for _, w := range words {
		if !strings.Contains(text, w) {
			p.t.Errorf("%s does not say %q:\n%s", line, w, text)
		}
	}
}

// A demand goes through forecast, plan and advise without an editor; so do its futures, the
// classes, what is held, and a bill and its order.
func TestPipe(t *testing.T) {
	p := build(t, "forecast", "plan", "advise")
	p.write("classes.json", `{"on_demand": 0.192, "classes": [{"name": "1y", "term": "8736h", "upfront": 989, "hourly": 0, "billed": "always"},
  {"name": "sp", "term": "8736h", "upfront": 0, "hourly": 0.121, "billed": "always"}]}`)
	p.write("held.json", `[{"class": "1y", "count": 30, "until": "2027-05-01"}, {"id": "sp-1", "class": "sp", "spend": 2.42, "until": "3000h"}]`)
	t.Run("forecast to plan and advise", func(t *testing.T) {
		p.t = t
		p.says("forecast -steps 52 -forecast next.csv -paths-out paths.csv -futures 30", "Use ")
		p.says("plan -demand next.csv -classes classes.json", "52 slots of 168h", "Buy 357 of 1y at the start")
		p.says("plan -paths paths.csv -classes classes.json -algo exact", "30 paths: 52 slots of 168h", "Buy ")
		if rows := p.rows("plan -paths paths.csv -classes classes.json -purchases"); len(rows) == 0 {
			t.Error("nothing is bought for the futures")
		}
		p.says("forecast -steps 52 -tree tree.csv -nonnegative -futures 60", "-tree: ", "from 60 futures")
		p.says("plan -tree tree.csv -classes classes.json -slot 168h -algo exact", "a tree of ", "deciding all at the start", "Buy ")
		if rows := p.rows("plan -tree tree.csv -classes classes.json -slot 168h -algo exact"); len(rows) != 1 || !strings.HasSuffix(rows[0]["root"].(string), "of 1y") {
			t.Errorf("%v", rows)
		}
		p.says("forecast -demand next.csv -steps 4", "Use ") // a forecast is a demand
		free, held := p.rows("advise -demand next.csv -classes classes.json -date 2027-11-22"),
			p.rows("plan -demand next.csv -classes classes.json -date 2026-11-23 -held held.json")
		if len(free) != 1 || free[0]["units"].(float64) < 100 || len(held) == 0 {
			t.Errorf("%v, %v", free, held)
		}
	})
	t.Run("one demand file", func(t *testing.T) {
		p.t = t
		for name, text := range map[string]string{
			"numbers.csv": "instances\n" + strings.Repeat("11\n12\n11\n", 40),
			"days.csv":    "date,web\n2026-11-01,11\n2026-11-02,12\n2026-11-03,11\n2026-11-04,11\n2026-11-05,12\n2026-11-06,11\n2026-11-07,11\n2026-11-08,12\n",
		} {
			p.write(name, text)
			p.says("forecast -demand "+name+" -models naive -steps 2 -origins 1", "naive")
			p.says("plan -demand "+name+" -classes classes.json -algo ondemand", "Buy nothing")
			p.says("advise -demand "+name+" -classes classes.json -model mean -little-history -date 2026-11-23", "Sign on 23 November 2026")
		}
	})
	t.Run("an order is held", func(t *testing.T) {
		p.t = t
		p.write("steady.csv", "week,n\n1,60\n2,60\n3,60\n4,60\n5,60\n6,60\n7,60\n8,60\n")
		p.says("advise -demand steady.csv -classes classes.json -model naive -date 2026-11-23 -held held.json -state state.json", "Sign on ",
			"held: 30 instances of 1y", "held: 20 instances of sp-1")
		// What has been ordered is held: nothing is left to be bought, by either program.
		p.says("advise -demand steady.csv -classes classes.json -model naive -date 2026-11-24 -state state.json -cap 1y=30", "Order nothing")
		p.says("plan -demand steady.csv -classes classes.json -date 2026-11-24 -held state.json", "Buy nothing")
	})
	t.Run("a bill to an order", func(t *testing.T) {
		p.t = t
		p.says("advise -focus order.csv", "Sign on ", "3 orders")
		if rows := p.rows("advise -bill order.csv -show held"); len(rows) != 3 {
			t.Errorf("%v", rows)
		}
	})
}
