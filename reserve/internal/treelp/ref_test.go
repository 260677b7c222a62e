package treelp

import (
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"strconv"
	"testing"
	"time"
)

func readTree(t testing.TB, f string) (p Problem) {
	r, err := os.Open(f)
	if err != nil {
		t.Skip(err)
	}
	defer r.Close()
	rec, err := csv.NewReader(r).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	n := len(rec) - 1
	kids := make([][]int, n)
	par := make([]int, n)
	w := make([]int64, n)
	d := make([]int, n)
	for i, x := range rec[1:] {
		par[i] = -1
		if x[1] != "" {
			par[i], _ = strconv.Atoi(x[1])
			kids[par[i]] = append(kids[par[i]], i)
		}
		q, _ := strconv.ParseFloat(x[2], 64)
		w[i] = int64(math.Round(q * 1e12))
		d[i], _ = strconv.Atoi(x[3])
	}
	at := make([]int32, n)
	stack := []int{0}
	for len(stack) > 0 {
		v := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		at[v] = int32(len(p.Parent))
		if par[v] < 0 {
			p.Parent = append(p.Parent, -1)
		} else {
			p.Parent = append(p.Parent, at[par[v]])
		}
		p.Weight = append(p.Weight, w[v])
		p.Demand = append(p.Demand, d[v])
		for i := len(kids[v]) - 1; i >= 0; i-- {
			stack = append(stack, kids[v][i])
		}
	}
	return p
}

func TestReference(t *testing.T) {
	for _, name := range []string{"quarters", "bushy"} {
		for _, three := range []bool{false, true} {
			p := readTree(t, os.Getenv("PLIMSOLL_SHARED")+"/scenarios/tree/"+name+".csv")
			p.Price = 840
			p.Classes = []Class{{52, 26250}}
			if three {
				p.Classes = []Class{{13, 9009}, {52, 26250}, {156, 53750}}
			}
			{
				var s Solver
				t0 := time.Now()
				s.Solve(p)
				t1 := time.Since(t0)
				cost := 0.0
				odd := 0
				for j, x := range s.count {
					x /= s.scale
					if math.Abs(x-math.Round(x)) > 1e-3 {
						odd++
					}
					cost += math.Round(x) * float64(s.cost[j])
				}
				for u, a := range s.active {
					cost += max(0, float64(p.Demand[u])-math.Round(a/s.scale)) * float64(s.price[u])
				}
				fmt.Printf("%s %v %v cost %.6f odd %d %+v terms %d rows %d\n", name, three, t1, cost*.08/1e12, odd, s.Stats, len(s.terms), len(s.rows))
			}
		}
	}
}
