package main

import (
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
	tested.Mistake(t, `there is no task of "e"`, append(args, "-customers", "ann:2:e")...)
	tested.Mistake(t, "is a task of a customer before", append(args, "-customers", "ann:2:a,bob:3:a")...)
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
