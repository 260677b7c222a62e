package sizing

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/plimsoll/plimsoll/internal/seeded"
	"github.com/plimsoll/plimsoll/perfmodel"
	"github.com/plimsoll/plimsoll/pricing"
)

// An instance at 1.30 for the hour begun.
var hourly = Huang13InstanceTypes()[3]

// sized is a run alone on its cluster.
func sized(t interface{ Fatal(...any) }, instances int, took time.Duration) Size {
	cost, err := hourly.cost(instances, took)
	if err != nil {
		t.Fatal(err)
	}
	return Size{Processes: instances, Instances: instances, Time: took, Cost: cost}
}

// Runs of 30, 20, 20 and 50 minutes, due after an hour: by hand.
func TestShareByHand(t *testing.T) {
	const cent, minute = 10 * pricing.Milli, time.Minute
	a, b, c, d := sized(t, 1, 30*minute), sized(t, 1, 20*minute), sized(t, 1, 20*minute), sized(t, 1, 50*minute)
	wide := sized(t, 2, 10*minute)
	for _, x := range []struct {
		name      string
		customers []Customer
		limit     time.Duration
		want      [][]Place
	}{
		// d alone; a and b share an hour, 3 to 2; c pays for an hour, as none has 70 minutes.
		{"three", []Customer{{0, []Size{a, d}}, {0, []Size{b}}, {0, []Size{c}}}, time.Hour,
			[][]Place{{{2, 78 * cent}, {1, 130 * cent}}, {{2, 52 * cent}}, {{3, 130 * cent}}}},
		// Without the money for both, the first gives up d, the larger share.
		{"poor", []Customer{{2 * pricing.Unit, []Size{a, d}}, {0, []Size{b}}}, time.Hour,
			[][]Place{{{1, 78 * cent}, {}}, {{1, 52 * cent}}}},
		// Exactly the budget is enough.
		{"enough", []Customer{{208 * cent, []Size{a, d}}, {0, []Size{b}}}, time.Hour,
			[][]Place{{{2, 78 * cent}, {1, 130 * cent}}, {{2, 52 * cent}}}},
		// Another number of instances is another cluster, and the time may just suffice.
		{"wide", []Customer{{0, []Size{a, wide}}, {0, []Size{b}}}, 50 * minute,
			[][]Place{{{1, 78 * cent}, {2, 260 * cent}}, {{1, 52 * cent}}}},
		// Two hours on one cost what one hour on each of two costs: each has its own.
		{"nothing gained", []Customer{{0, []Size{sized(t, 1, time.Hour)}}, {0, []Size{sized(t, 1, time.Hour)}}}, 2 * time.Hour,
			[][]Place{{{1, 130 * cent}}, {{2, 130 * cent}}}},
		{"nobody", nil, time.Hour, [][]Place{}},
	} {
		t.Run(x.name, func(t *testing.T) {
			got, err := Share(x.customers, hourly, x.limit)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(x.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
	if _, err := Share(nil, InstanceType{}, time.Hour); !errors.Is(err, perfmodel.ErrNotPositive) {
		t.Errorf("no instance type: %v", err)
	}
	dear := hourly
	dear.Hourly = 1 << 62
	if _, err := Share([]Customer{{0, []Size{wide}}}, dear, time.Hour); !errors.Is(err, pricing.ErrOverflow) {
		t.Errorf("dear instances: %v", err)
	}
}

// Every run has a place or is given up, clusters end in time and are paid to the nano, and
// no cluster costs more than its runs alone. Budgets are kept, and nobody without one gives
// up a run.
func TestPropShare(t *testing.T) {
	shared, given := 0, 0
	property := func(t *rapid.T) {
		limit := time.Duration(rapid.IntRange(1, 40).Draw(t, "limit")) * 6 * time.Minute
		customers := make([]Customer, rapid.IntRange(1, 4).Draw(t, "customers"))
		for i := range customers {
			if rapid.Bool().Draw(t, "has a budget") {
				customers[i].Budget = pricing.Money(rapid.IntRange(1, 60).Draw(t, "budget")) * 100 * pricing.Milli
			}
			for range rapid.IntRange(0, 4).Draw(t, "runs") {
				took := time.Duration(rapid.Int64Range(1, int64(limit)).Draw(t, "time"))
				customers[i].Runs = append(customers[i].Runs, sized(t, rapid.IntRange(1, 2).Draw(t, "instances"), took))
			}
		}
		places, err := Share(customers, hourly, limit)
		if err != nil {
			t.Fatal(err)
		}
		type cluster struct {
			instances, runs int
			busy            time.Duration
			paid, alone     pricing.Money
		}
		clusters := map[int]*cluster{}
		for i, c := range customers {
			sum := pricing.Money(0)
			for k, p := range places[i] {
				if p.Cluster == 0 {
					given++
					if c.Budget == 0 || p.Share != 0 {
						t.Fatalf("customer %d gives up run %d: %+v", i, k, p)
					}
					continue
				}
				x := clusters[p.Cluster]
				if x == nil {
					x = &cluster{instances: c.Runs[k].Instances}
					clusters[p.Cluster] = x
				}
				if x.instances != c.Runs[k].Instances || p.Share < 0 {
					t.Fatalf("%+v on %+v", p, x)
				}
				x.busy, x.paid, x.alone, x.runs = x.busy+c.Runs[k].Time, x.paid+p.Share, x.alone+c.Runs[k].Cost, x.runs+1
				sum += p.Share
			}
			if c.Budget > 0 && sum > c.Budget {
				t.Fatalf("customer %d pays %v of %v", i, sum, c.Budget)
			}
		}
		for n, x := range clusters {
			cost, err := hourly.cost(x.instances, x.busy)
			if err != nil || n > len(clusters) || x.paid != cost || x.busy > limit || x.runs > 1 && cost >= x.alone {
				t.Fatalf("cluster %d of %d: %+v costs %v, %v", n, len(clusters), x, cost, err)
			}
			if x.runs > 1 {
				shared++
			}
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		for range 20 {
			property(t)
		}
	})
	if shared < 20 || given < 20 {
		seeded.TooFew(t, "%d clusters are shared, %d runs given up", shared, given)
	}
}
