package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/examples/internal/programtest"
)

// Three customers by hand: tasks of 30, 20, 20 and 50 minutes on one instance each, at $1.30
// for the hour begun, due after an hour.
func TestCustomers(t *testing.T) {
	profile := "application,case,n,processes,seconds\n"
	for _, app := range []string{"a", "b", "c", "d"} {
		profile += app + ",s,1,1,100\n" + app + ",s,1,2,50\n" + app + ",m,2,1,200\n" + app + ",m,2,2,100\n"
	}
	features := "benchmark,class,x1_name,x1\na,x,n,36\nb,x,n,24\nc,x,n,24\nd,x,n,60\n" // 1800, 1200, 1200 and 3000 s on 2
	args := []string{"-profile", programtest.Write(t, "p.csv", profile), "-features", programtest.Write(t, "f.csv", features), "-model", "eq2",
		"-latency", "0s", "-deadline", "1h", "-starts", "1", "-task", "a:x,b:x,c:x,d:x"}
	cost := func(customers string) map[any]any {
		got := map[any]any{}
		for _, r := range find(rowsOf(t, append(args, "-customers", customers)...), map[string]any{"kind": "shared"}) {
			got[r["application"]] = r["cost"]
			if r["alone_cost"] != "1.3" {
				t.Errorf("%v", r)
			}
		}
		return got
	}
	// d alone; a and b share an hour, 3 to 2; c pays for its own, as no hour has 70 minutes.
	got := cost("ann:5:a+d,bob:5:b,cy:5:c")
	for app, want := range map[any]any{"a": "0.78", "b": "0.52", "c": "1.3", "d": "1.3"} {
		if got[app] != want {
			t.Errorf("%v pays %v, want %v", app, got[app], want)
		}
	}
	// Without the money for a and d, ann gives up d.
	if got := cost("ann:2:a+d,bob:5:b,cy:5:c"); got["a"] != "0.78" || got["d"] != "0" {
		t.Errorf("%v", got)
	}
	// Two whole hours cost as much on one instance as on two, so that each has its own.
	hours := programtest.Write(t, "h.csv", "benchmark,class,x1_name,x1\na,x,n,72\nb,x,n,72\n")
	same, _ := tested.Must(t, "-profile", args[1], "-features", hours, "-model", "eq2", "-latency", "0s", "-deadline", "2h", "-starts", "1", "-task", "a:x,b:x", "-customers", "ann:5:a,bob:5:b")
	if want := "2 clusters on demand for 2 tasks; $2.60 in all, $2.60 if each task had a cluster of its own"; !strings.Contains(strings.Join(strings.Fields(same), " "), want) {
		t.Errorf("want %q in:\n%s", want, same)
	}
	tested.Mistake(t, `there is no task of "e"`, append(args, "-customers", "ann:2:e")...)
	// What is compared is the tasks that stay: a, b and c, without d.
	text, _ := tested.Must(t, append(args, "-customers", "ann:2:a+d,bob:5:b,cy:5:c")...)
	text = strings.Join(strings.Fields(text), " ")
	for _, want := range []string{"ann $2.00 1.30 0.78 a on 1 d ", "2 clusters on demand for 3 tasks; $2.60 in all, $3.90 if each task had a cluster of its own, both without the 1 given up."} {
		if !strings.Contains(text, want) {
			t.Errorf("want %q in:\n%s", want, text)
		}
	}
	tested.Mistake(t, `-customers bob: "a" is a task of ann already`, append(args, "-customers", "ann:2:a,bob:3:a")...)
	tested.Mistake(t, "there are two of the name ann", append(args, "-customers", "ann:2:a,ann:3:b")...)
	tested.Mistake(t, `-customer zz:4: there is no task of "zz"`, append(args, "-customer", "zz:4")...)
	tested.Mistake(t, "-customer: a is there twice", append(args, "-customer", "a:1,a:2")...)
	if text, _ := tested.Must(t, append(args, "-customers", "ann:5:a,bob:5:b")...); !strings.Contains(text, "no customer of -customers has c and d") {
		t.Errorf("tasks of no customer are not told:\n%s", text)
	}
	rows, _ := tested.Must(t, append(args, "-customers", "ann:5:a,bob:5:b", "-json")...)
	if strings.Count(rows, `"kind":"nobodys"`) != 2 || !strings.Contains(rows, `"kind":"nobodys","application":"d","case":`) {
		t.Errorf("tasks of no customer are not among the objects:\n%s", rows)
	}
	if all, _ := tested.Must(t, append(args, "-json")...); strings.Contains(all, "nobodys") {
		t.Errorf("there are no customers:\n%s", all)
	}
	tested.Mistake(t, "want NAME:BUDGET:TASK+TASK", "-customers", "ann")
}

// Tasks of one application and several cases: each is a task of its own, which -customers
// names with its case. No task is missing from the objects: what does not fit is given up,
// and what nobody has is told.
func TestCustomersCases(t *testing.T) {
	profile := programtest.Write(t, "p.csv", "application,case,n,processes,seconds\na,s,1,1,100\na,s,1,2,50\na,m,2,1,200\na,m,2,2,100\nb,s,1,1,100\nb,s,1,2,50\nb,m,2,1,200\nb,m,2,2,100\n")
	features := programtest.Write(t, "f.csv", "benchmark,class,x1_name,x1\na,x,n,24\na,y,n,24\na,z,n,90\nb,x,n,24\n") // 20, 20, 75 and 20 min on 2
	args := []string{"-profile", profile, "-features", features, "-model", "eq2", "-latency", "0s", "-deadline", "1h", "-starts", "1", "-task", "a:x,a:y,a:z,b:x"}
	for _, c := range []struct {
		customers, budget string
		shared, nobodys   []string // tasks: cluster, cost, and why given up
		said              []string
	}{
		{"ann:0:a:y,bob:0:b", "20", []string{"ann a:y 1 0.65", "bob b:x 1 0.65"}, []string{"a:x", "a:z"}, []string{"a:y on 1", "b on 1", "no customer of -customers has a:x and a:z."}},
		{"ann:0:a:x+a:z,bob:0:b:x+a:y", "20", []string{"ann a:x 1 0.433333333", "ann a:z 0 0 too late", "bob a:y 1 0.433333334", "bob b:x 1 0.433333333"}, nil, []string{"a:z (too late)"}},
		{"ann:0.5:a", "20", []string{"ann a:x 0 0 over the budget", "ann a:y 0 0 over the budget", "ann a:z 0 0 too late"}, []string{"b:x"}, []string{"0 clusters on demand for 0 tasks"}},
		{"ann:0:a,bob:5:b", "0.5", []string{"ann a:x 0 0 too dear", "ann a:y 0 0 too dear", "ann a:z 0 0 too late", "bob b:x 0 0 too dear"}, nil, []string{"b (too dear)"}},
	} {
		args := append(args[:len(args):len(args)], "-customers", c.customers, "-budget", c.budget)
		rows := rowsOf(t, args...)
		var shared, nobodys []string
		for _, r := range find(rows, map[string]any{"kind": "shared"}) {
			row := fmt.Sprintf("%v %v:%v %v %v", r["customer"], r["application"], r["case"], r["cluster"], r["cost"])
			if why := r["given_up"]; why != nil {
				row += fmt.Sprint(" ", why)
			}
			shared = append(shared, row)
		}
		for _, r := range find(rows, map[string]any{"kind": "nobodys"}) {
			nobodys = append(nobodys, fmt.Sprintf("%v:%v", r["application"], r["case"]))
		}
		slices.Sort(shared)
		if !slices.Equal(shared, c.shared) || !slices.Equal(nobodys, c.nobodys) {
			t.Errorf("%s, -budget %s: shared %q, want %q; nobody's %q, want %q", c.customers, c.budget, shared, c.shared, nobodys, c.nobodys)
		}
		text, _ := tested.Must(t, args...)
		for _, want := range c.said {
			if !strings.Contains(strings.Join(strings.Fields(text), " "), want) {
				t.Errorf("%s: want %q in:\n%s", c.customers, want, text)
			}
		}
	}
	tested.Mistake(t, `-customers ann: there is no task of "a:w"`, append(args, "-customers", "ann:0:a:w")...)
	tested.Mistake(t, `-customers bob: "a:x" is a task of ann already`, append(args, "-customers", "ann:0:a:x,bob:0:a")...)
}
