package niu16

import (
	"encoding/csv"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/examples/internal/programtest"
	"github.com/plimsoll/plimsoll/examples/internal/semielastic"
)

// A picture shows the numbers of its table: as many, and the same, whatever their order.
// Waits are seconds in both; a share of 0.25 is drawn as 25%.
func TestPicturesShowTheirTables(t *testing.T) {
	log, err := semielastic.Load(programtest.Write(t, "log", small), 2, 1, 1, cli.Quiet())
	if err != nil {
		t.Fatal(err)
	}
	s := emptyStudy()
	if err := s.run(log, true, cli.Quiet()); err != nil {
		t.Fatal(err)
	}
	// The log is of three hours, for which nothing is worth reserving: hybrid, EC2 alone and
	// the plans in hindsight cost what sec costs.
	if sec := s.modes[semielastic.SEC].total; s.modes[semielastic.Hybrid].total != sec || s.ec2.total != sec || s.ratio[3].multi.total >= sec {
		t.Errorf("sec costs %v, hybrid %v, EC2 alone %v, and both clouds at .7 of its price %v", sec, s.modes[semielastic.Hybrid].total, s.ec2.total,
			s.ratio[3].multi.total)
	}
	figures, err := s.figures()
	if err != nil {
		t.Fatal(err)
	}
	drawn := map[string][][]struct { // by chart, the columns that it shows
		column string
		times  float64
	}{
		"table1": {{{"share", 100}}},
		"fig2":   {{{"utilisation", 100}}},
		"fig4a":  {{{"mean_wait_s", 1}}, {{"pure_rate", 1}}},
		"fig4b":  {{{"mean_wait_s", 1}}, {{"rate", 1}}},
		"fig5":   {{{"mean_wait_s", 1}}, {{"rate", 1}}},
		"fig6":   {{{"mean_wait_s", 1}}, {{"rate", 1}}},
		"fig7":   {{{"pure_rate", 1}}},
		"fig8":   {{{"ec2_rate", 1}, {"gce_rate", 1}, {"multi_rate", 1}}},
		"fig9":   {{{"wait_change", 100}}, {{"rate_change", 100}}},
		"resale": {{{"hybrid_rate", 1}, {"hindsight_rate", 1}, {"hindsight_with_sales_rate", 1}}},
	}
	for _, f := range figures {
		charts, ok := drawn[f.name]
		if f.name == "resale" {
			for _, row := range f.rows {
				if rate := dollars(s.modes[semielastic.SEC].total); row[1] != rate || row[2] != rate || row[3] != rate {
					t.Errorf("resale: %v, want rates of %s", row, rate)
				}
			}
		}
		if f.name == "fig1" {
			for h, row := range f.rows {
				if p := f.stack.Demand[h]; strconv.Itoa(p.Value) != row[1] || p.At != time.Duration(h)*time.Hour || len(f.stack.Layers[1].Points) != len(f.rows) {
					t.Errorf("fig1 shows %v in the hour %v", p, row)
				}
			}
		}
		if !ok {
			continue
		}
		delete(drawn, f.name)
		if len(f.charts) != len(charts) {
			t.Errorf("%s has %d pictures, want %d", f.name, len(f.charts), len(charts))
			continue
		}
		for i, columns := range charts {
			var want, got []float64
			for _, c := range columns {
				at := slices.Index(strings.Split(f.header, ","), c.column)
				for _, row := range f.rows {
					x, err := strconv.ParseFloat(row[at], 64)
					if err != nil {
						t.Fatalf("%s: %s: %v", f.name, c.column, err)
					}
					want = append(want, c.times*x)
				}
			}
			for _, line := range f.charts[i].Series {
				got = append(got, line.Y...)
				if x := len(line.X) + len(f.charts[i].Labels); x != len(line.Y) {
					t.Errorf("%s, picture %d: %d places for %d numbers of %q", f.name, i, x, len(line.Y), line.Name)
				}
			}
			slices.Sort(want)
			slices.Sort(got)
			if !slices.EqualFunc(got, want, func(a, b float64) bool { return math.Abs(a-b) <= 1e-4*max(1, math.Abs(b)) }) {
				t.Errorf("%s, picture %d shows %v, and its table has %v", f.name, i, got, want)
			}
		}
	}
	if len(drawn) > 0 {
		t.Errorf("no figures for %v", drawn)
	}
}

// The picture of the sweep has a line for each placement with EASY and each other discipline,
// in the order of the table, and the front from its cheapest point to its quickest. By hand:
// 12 placements' and disciplines' points wait 99 s and cost 99, but two.
func TestPictureOfTheSweep(t *testing.T) {
	s := emptyStudy()
	for i := range s.sweep {
		s.sweep[i] = result{wait: 99 * time.Second, total: 99}
	}
	for i := range s.queues {
		s.queues[i] = result{wait: 99 * time.Second, total: 99}
	}
	s.sweep[2] = result{wait: 5 * time.Second, total: 7} // max-idle
	s.queues[len(s.queues)-1] = result{wait: 9 * time.Second, total: 3}
	lines := s.front("log").charts[0].Series
	perEasy := len(waitLimits) * len(shorts)
	want := map[string]int{"max-margin": perEasy, "min-margin": perEasy, "max-idle": perEasy, "min-idle": perEasy, "random": perEasy, "best of all": 2}
	for _, d := range semielastic.Disciplines[1:] {
		want[d.String()] = perEasy * margins
	}
	got := map[string]int{}
	for _, l := range lines {
		got[l.Name] = len(l.X)
		if l.Points != (l.Name != "best of all") || len(l.Y) != len(l.X) {
			t.Errorf("%s: points %v, %d of them with %d waits", l.Name, l.Points, len(l.X), len(l.Y))
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("points of the lines (-want +got):\n%s", diff)
	}
	if l := lines[2]; l.Name != "max-idle" || l.X[0] != 7 || l.Y[0] != 5 {
		t.Errorf("the third line is %s and begins at %v and %v s", l.Name, l.X[0], l.Y[0])
	}
	if l := lines[len(lines)-1]; !slices.Equal(l.X, []float64{3, 7}) || !slices.Equal(l.Y, []float64{9, 5}) {
		t.Errorf("the front is %v, %v; want 3 with 9 s and 7 with 5 s", l.X, l.Y)
	}
}

// With two processors an instance the jobs need 1, 2, 1, 4 and 1 instances.
var small = programtest.FiveJobs

// All figures are written, for a log of a few jobs, too: tables with their headers
// and as many rows as are varied, well-formed pictures, and nothing else. What the
// same run says elsewhere is the same here.
func TestFigures(t *testing.T) {
	parent := t.TempDir()
	dir := filepath.Join(parent, "figures")
	path := programtest.Write(t, "log", small)
	stdout, _ := tested.Must(t, "-trace", path, "-cores-per-node", "2", "-json", "-figures", dir)
	if plain, _ := tested.Must(t, "-trace", path, "-cores-per-node", "2", "-json"); plain != stdout {
		t.Error("-figures changes what is printed")
	}
	rows := map[string]int{"table1": 6, "fig1": 2, "fig2": 3, "fig4a": 5, "fig4b": 6, "fig5": 36, "fig6": 12, "fig7": 10, "fig8": 4, "fig9": 18,
		"sweep": 540, "resale": 6}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	if want := 2 * len(rows); len(entries) != want {
		t.Errorf("%d files, want %d: %v", len(entries), want, entries)
	}
	for name, want := range rows {
		table, err := csv.NewReader(strings.NewReader(programtest.Read(t, filepath.Join(dir, name+".csv")))).ReadAll()
		if err != nil {
			t.Errorf("%s.csv: %v", name, err)
		}
		if len(table) != want+1 {
			t.Errorf("%s.csv: %d rows, want %d and a header", name, len(table), want)
		}
		for _, row := range table {
			for k, field := range row {
				if field == "NaN" || strings.Contains(field, "Inf") || field == "" && name != "table1" && name != "fig4b" && name != "fig7" {
					t.Errorf("%s.csv: %s is %q in %q", name, table[0][k], field, row)
				}
			}
		}
		programtest.WellFormed(t, programtest.Read(t, filepath.Join(dir, name+".svg")))
	}
	// By hand: local-1x is a cluster of 4 nodes; individual pays
	// 26.4 dollars for 2.525 used hours.
	if got := programtest.Read(t, filepath.Join(dir, "fig4b.csv")); !strings.Contains(got, "\nlocal-1.00x,4,798,") {
		t.Errorf("fig4b.csv has no mean wait of 798 s on 4 nodes:\n%s", got)
	}
	if got := programtest.Read(t, filepath.Join(dir, "fig4a.csv")); !strings.Contains(got, "\nindividual,163.2,10.455446,10.455446,") {
		t.Errorf("fig4a.csv has no 10.455446 dollars an hour for individual:\n%s", got)
	}
	// Again into the folder that is there; and a folder that cannot be is not made.
	if text, _ := tested.Must(t, "-trace", path, "-cores-per-node", "2", "-figures", dir); !strings.Contains(text,
		"Not in the paper:\n- easy-4 instead of easy: ") {
		t.Errorf("nothing is said of what the paper does not try:\n%s", text)
	}
	for _, args := range [][]string{
		{"-figures", filepath.Join(parent, "no", "figures")},
		{"-figures", path},
		{"-figures", dir, "-trace", path, "-trace", path + "2"},
		{"-figures", filepath.Join(parent, "new"), "-trace", filepath.Join(parent, "none")},
	} {
		if status, stdout, stderr := tested.Try(args...); status != 2 || stdout != "" {
			t.Errorf("niu16 %q: exit status %d, %s%s", args, status, stdout, stderr)
		}
	}
	if entries, _ := os.ReadDir(parent); len(entries) != 1 {
		t.Errorf("left: %v", entries)
	}
}
