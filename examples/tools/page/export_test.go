package main

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/examples/tools/page/internal/ask"
	"github.com/plimsoll/plimsoll/examples/tools/page/internal/clusters"
	"github.com/plimsoll/plimsoll/examples/tools/page/internal/forecasts"
	"github.com/plimsoll/plimsoll/examples/tools/page/internal/plans"
)

// The command lines that the page shows give the numbers that the page shows.
func TestExports(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds five programs: not with -short")
	}
	all := ask.Rooms{}
	for _, r := range []ask.Rooms{plans.Rooms, forecasts.Rooms, clusters.Rooms} {
		maps.Copy(all, r)
	}
	answer := func(t *testing.T, room, question string, to any) {
		t.Helper()
		text := all.Answer(room, []byte(question))
		if strings.Contains(string(text), `"error"`) {
			t.Fatalf("%s: %.300s", room, text)
		}
		if err := json.Unmarshal(text, to); err != nil {
			t.Fatal(err)
		}
	}
	binaries, programs := t.TempDir(), map[string]string{}
	// run runs an exported command with its files, and returns its standard output. The programs
	// are those of this copy of the repository.
	run := func(t *testing.T, room, question string, more ...string) (dir, stdout string) {
		t.Helper()
		var e ask.Export
		answer(t, room, question, &e)
		dir = t.TempDir()
		for _, f := range e.Files {
			if err := os.WriteFile(filepath.Join(dir, f.Name), []byte(f.Text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		var args []string
		if _, rest, ok := strings.Cut(e.Command, "go run "+module+"/examples/"); ok {
			name, flags, _ := strings.Cut(rest, "@latest ")
			args = append([]string{module + "/examples/" + name}, append(strings.Fields(flags), more...)...)
		} else {
			args = []string{filepath.Join(dir, "main.go")}
		}
		program, ok := programs[args[0]]
		if !ok {
			program = filepath.Join(binaries, strconv.Itoa(len(programs)))
			if out, err := exec.Command("go", "build", "-ldflags=-s -w", "-o", program, args[0]).CombinedOutput(); err != nil {
				t.Fatalf("%s: %v: %s", args[0], err, out)
			}
			programs[args[0]] = program
		}
		cmd := exec.Command(program, args[1:]...)
		cmd.Dir = dir
		var stderr strings.Builder
		cmd.Stderr = &stderr
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%s: %v: %s", e.Command, err, &stderr)
		}
		return dir, string(out)
	}
	first := func(t *testing.T, stdout string) map[string]any {
		t.Helper()
		var rows []map[string]any
		d := json.NewDecoder(strings.NewReader(stdout))
		d.UseNumber()
		if err := d.Decode(&rows); err != nil || len(rows) == 0 {
			t.Fatalf("%v: %.300s", err, stdout)
		}
		return rows[0]
	}
	const prices = `"slot":"1h","on_demand":"0.4","classes":[{"name":"7d","term":"7","upfront":"50.4","hourly":"0","always":true},{"name":"30d","term":"30","upfront":"180","hourly":"0.01","always":true}]`
	var hours []string
	for i := range 60 * 24 {
		hours = append(hours, strconv.Itoa(5+i%24/3+i/400))
	}
	demand := `"demand":[` + strings.Join(hours, ",") + `]`

	for _, more := range []string{"", `,"every":168`, `,"every":24,"pure":true`} {
		t.Run("reserve"+more, func(t *testing.T) {
			q := "{" + demand + "," + prices + more + "}"
			var a struct{ Cost, Bound string }
			answer(t, "reserve", q, &a)
			_, out := run(t, "reserve/export", q, "-json")
			if got := first(t, out); fmt.Sprint(got["cost"]) != a.Cost || fmt.Sprint(got["lower_bound"]) != a.Bound {
				t.Errorf("the program says %v, %v, the page %s, %s", got["cost"], got["lower_bound"], a.Cost, a.Bound)
			}
		})
	}
	t.Run("unsure", func(t *testing.T) {
		q := "{" + demand + "," + prices + `,"spread":"30"}`
		var a struct{ Cost string }
		answer(t, "reserve/unsure", q, &a)
		_, out := run(t, "reserve/unsure-export", q, "-json")
		if got := first(t, out); fmt.Sprint(got["cost"]) != a.Cost {
			t.Errorf("the program says %v, the page %s", got["cost"], a.Cost)
		}
	})
	t.Run("forecast", func(t *testing.T) {
		var values []string
		for i := range 120 {
			values = append(values, strconv.Itoa(100+i+i*i%17))
		}
		q := `{"series":[` + strings.Join(values, ",") + `],"today":100,"model":"blend","horizon":"10","level":"90"}`
		var a struct{ Mean, Low, High []float64 }
		answer(t, "forecast", q, &a)
		dir, _ := run(t, "forecast/export", q)
		f, err := os.Open(filepath.Join(dir, "forecast.csv"))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		rows, err := csv.NewReader(f).ReadAll()
		if err != nil || len(rows) != 11 {
			t.Fatalf("%v: %v", err, rows)
		}
		for i, row := range rows[1:] {
			for k, want := range []float64{a.Mean[i], a.Low[i], a.High[i]} {
				if got, err := strconv.ParseFloat(row[2+k], 64); err != nil || got-want > 1e-5 || want-got > 1e-5 {
					t.Errorf("step %d: the program says %v, the page %v", i+1, row[2+k], want)
				}
			}
		}
	})
	var made struct{ Jobs json.RawMessage }
	answer(t, "clusters/read", `{"form":"made-up","text":" "}`, &made)
	for _, mode := range []string{"sec", "nowait", "individual"} {
		t.Run("cluster "+mode, func(t *testing.T) {
			q := `{"jobs":` + string(made.Jobs) + `,"mode":"` + mode + `","wait_limit":"7","expansion":"first","placement":"min-idle"}`
			var a struct {
				Cost string
				Wait float64
			}
			answer(t, "cluster", q, &a)
			_, out := run(t, "cluster/export", q, "-json")
			got := first(t, out)
			wait, err := got["mean_wait_s"].(json.Number).Float64()
			if fmt.Sprint(got["cost"]) != a.Cost || err != nil || wait-a.Wait > 1e-6 || a.Wait-wait > 1e-6 {
				t.Errorf("the program says %v, %v, the page %s, %v", got["cost"], wait, a.Cost, a.Wait)
			}
		})
	}
	t.Run("take back", func(t *testing.T) {
		q := `{"jobs":` + string(made.Jobs) + `,"nodes":"48","at":33000,"take":"30","grace":"10","saves":"45","knowledge":"requested"}`
		var a struct {
			Ways []struct{ Name, Waste string }
		}
		answer(t, "takeback", q, &a)
		_, out := run(t, "takeback/export", q)
		for _, w := range a.Ways {
			if w.Name != "greedy" && w.Name != "random" && w.Name != "blind" && !strings.Contains(out, w.Name+" "+w.Waste+"\n") {
				t.Errorf("the page says %s %s, the program\n%s", w.Name, w.Waste, out)
			}
		}
	})
	t.Run("federation", func(t *testing.T) {
		var q struct {
			Hours   int
			Centres []map[string]any
		}
		text := string(all.Answer("federation/made-up", []byte("{}")))
		if err := json.Unmarshal([]byte(text), &q); err != nil {
			t.Fatal(err)
		}
		for i := range q.Centres { // fees are not part of what the program prints
			text = strings.Replace(text, `"fee":"`+q.Centres[i]["fee"].(string)+`"`, `"fee":"0"`, 1)
		}
		var a struct{ Alone, Shared string }
		answer(t, "federation", text, &a)
		_, out := run(t, "federation/export", text)
		if want := "alone " + a.Alone + "\nshared " + a.Shared + "\n"; out != want {
			t.Errorf("the program says %q, the page %q", out, want)
		}
	})
}
