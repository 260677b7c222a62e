package clusters

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/decimal"
	"github.com/plimsoll/plimsoll/examples/tools/page/internal/ask"
	"github.com/plimsoll/plimsoll/federation"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/schedule/trace"
)

const (
	maxCentres = 4
	maxTasks   = 20_000
	maxWindow  = 31 * 24
	feeTerm    = 24 // hours of a reservation
)

// centreQuestion is a centre as it stands in the fields of the page.
type centreQuestion struct {
	Name     string `json:"name"`
	Reserved int    `json:"reserved"` // in each hour
	OnDemand string `json:"on_demand"`
	Fee      string `json:"fee"`     // of a reservation for a day
	Traffic  string `json:"traffic"` // of a gigabyte
}

// federationQuestion asks what centres pay alone and together.
type federationQuestion struct {
	Hours   int              `json:"hours"`
	Centres []centreQuestion `json:"centres"`
	// Tasks has five numbers for each task: home, first hour, hour after the last, instances,
	// megabytes of an instance.
	Tasks ask.Ints `json:"tasks"`
	Price string   `json:"price"` // lender, midpoint or free
}

const perTask = 5

var lendings = map[string]federation.SharePrice{"lender": federation.LenderFee, "midpoint": federation.Midpoint, "free": federation.Unpaid}

// world is a question that was checked.
type world struct {
	centres []federation.Centre
	tasks   []federation.Task
	demand  [][]int
	fees    []pricing.Money // of all reservations, over the window
	opts    federation.Options
}

func (q *federationQuestion) world() (*world, error) {
	w := new(world)
	if q.Hours < 1 || q.Hours > maxWindow {
		return nil, ask.Mistakef("tasks", "%d hours: want from 1 to %d", q.Hours, maxWindow)
	}
	if len(q.Centres) < 1 || len(q.Centres) > maxCentres {
		return nil, ask.Mistakef("tasks", "%d centres: want from 1 to %d", len(q.Centres), maxCentres)
	}
	if len(q.Tasks)%perTask != 0 || len(q.Tasks) > maxTasks*perTask {
		return nil, ask.Mistakef("tasks", "%s tasks: the page takes at most %s; examples/tools/federation takes more", decimal.Int(len(q.Tasks)/perTask), decimal.Int(maxTasks))
	}
	price, ok := lendings[q.Price]
	if !ok {
		return nil, ask.Mistakef("price", "%s: want lender, midpoint or free", ask.Quote(q.Price))
	}
	w.opts.Price = price
	for i := 0; i < len(q.Tasks); i += perTask {
		t := federation.Task{ID: i/perTask + 1, Home: q.Tasks[i], Start: q.Tasks[i+1], End: q.Tasks[i+2], Instances: q.Tasks[i+3], Disk: int64(q.Tasks[i+4]) * 1_000_000}
		if t.Home < 0 || t.Home >= len(q.Centres) || t.Start < 0 || t.End <= t.Start || t.End > q.Hours || t.Instances < 1 || t.Instances > 100_000 || t.Disk < 0 {
			return nil, ask.Mistakef("tasks", "task %d: centre %d, hours %d to %d, %d instances, %d bytes: want a centre, hours of the window and at least an instance", t.ID, t.Home, t.Start, t.End, t.Instances, t.Disk)
		}
		w.tasks = append(w.tasks, t)
	}
	slices.SortStableFunc(w.tasks, func(a, b federation.Task) int { return a.Start - b.Start })
	for i := range w.tasks {
		w.tasks[i].ID = i + 1
	}
	for i, c := range q.Centres {
		at := func(field string) string { return fmt.Sprintf("centres.%d.%s", i, field) }
		x := federation.Centre{Term: feeTerm}
		var err error
		if x.OnDemand, err = ask.Price(at("on_demand"), c.OnDemand); err != nil {
			return nil, err
		}
		if x.Fee, err = ask.Price(at("fee"), c.Fee); err != nil {
			return nil, err
		}
		if x.Traffic, err = ask.Price(at("traffic"), c.Traffic); err != nil {
			return nil, err
		}
		if c.Reserved < 0 || c.Reserved > 100_000 {
			return nil, ask.Mistakef(at("reserved"), "%d: want a number of instances from 0 to 100,000", c.Reserved)
		}
		x.Reserved = slices.Repeat([]int{c.Reserved}, q.Hours)
		demand := make([]int, q.Hours)
		if err := federation.AddDemand(demand, w.tasks, i); err != nil {
			return nil, ask.FieldOf(err, nil, "tasks")
		}
		x.Demand = demand
		w.demand = append(w.demand, demand)
		days := int64((q.Hours + feeTerm - 1) / feeTerm)
		fee, err := x.Fee.Mul(int64(c.Reserved) * days)
		if err != nil {
			return nil, ask.Mistakef(at("fee"), "the fees do not fit in an amount of money")
		}
		w.fees = append(w.fees, fee)
		w.centres = append(w.centres, x)
	}
	return w, nil
}

// federationAnswer is what centres pay alone and by sharing.
type federationAnswer struct {
	Alone   ask.Amount     `json:"alone"`
	Shared  ask.Amount     `json:"shared"`
	Fees    ask.Amount     `json:"fees"`
	Centres []centreAnswer `json:"centres"`
	Flows   []flowAnswer   `json:"flows"`
}

type centreAnswer struct {
	Alone    ask.Amount `json:"alone"`
	Shared   ask.Amount `json:"shared"`
	Paid     ask.Amount `json:"paid"`
	Received ask.Amount `json:"received"`
	// By hour: what the centre's tasks need, and what they have: on the centre's reservations,
	// on those of others, on demand at home and elsewhere. Guests are tasks of others on the
	// centre's reservations.
	Demand   ask.Ints `json:"demand"`
	Own      ask.Ints `json:"own"`
	Borrowed ask.Ints `json:"borrowed"`
	Bought   ask.Ints `json:"bought"`
	Guests   ask.Ints `json:"guests"`
}

type flowAnswer struct {
	From   int        `json:"from"` // the borrower
	To     int        `json:"to"`   // the lender
	Leased int        `json:"leased"`
	Lease  ask.Amount `json:"lease"`
	Sent   float64    `json:"sent"` // gigabytes
}

func federate(q *federationQuestion) (*federationAnswer, error) {
	w, err := q.world()
	if err != nil {
		return nil, err
	}
	alone, err := w.ledger(federation.Options{Order: federation.Alone}, nil)
	if err != nil {
		return nil, err
	}
	a := new(federationAnswer)
	for i := range w.centres {
		n := len(w.demand[i])
		a.Centres = append(a.Centres, centreAnswer{Demand: w.demand[i], Own: make(ask.Ints, n), Borrowed: make(ask.Ints, n), Bought: make(ask.Ints, n), Guests: make(ask.Ints, n)})
	}
	shared, err := w.ledger(w.opts, func(b federation.Booking) {
		home, host := &a.Centres[b.Home], &a.Centres[b.Centre]
		for t := b.Start; t < b.End; t++ {
			home.Bought[t] += b.OnDemand
			if b.Centre == b.Home {
				home.Own[t] += b.Reserved
			} else {
				home.Borrowed[t] += b.Reserved
				host.Guests[t] += b.Reserved
			}
		}
	})
	if err != nil {
		return nil, err
	}
	for i := range w.centres {
		s := shared.Statement(i)
		x := &a.Centres[i]
		x.Alone, x.Shared = ask.Money(alone.Statement(i).Cost()), ask.Money(s.Cost())
		x.Paid, x.Received = ask.Money(s.Paid), ask.Money(s.Received)
		for k := range w.centres {
			if k != i {
				if f := shared.Flow(i, k); f.Borrowed > 0 || f.Elsewhere > 0 {
					a.Flows = append(a.Flows, flowAnswer{i, k, f.Borrowed, ask.Money(f.Paid), float64(f.Sent) / 1e9})
				}
			}
		}
	}
	total := shared.Total()
	a.Alone, a.Shared, a.Fees = ask.Money(alone.Total().Cost()), ask.Money(total.Cost()), ask.Money(total.Fees)
	return a, nil
}

// ledger books the tasks and adds up who pays what.
func (w *world) ledger(opts federation.Options, each func(federation.Booking)) (*federation.Ledger, error) {
	bookings, err := federation.Share(nil, w.centres, w.tasks, opts)
	if err != nil {
		return nil, ask.FieldOf(err, nil, "tasks")
	}
	l := new(federation.Ledger)
	l.Reset(len(w.centres))
	if err := l.Post(bookings...); err != nil {
		return nil, ask.FieldOf(err, nil, "tasks")
	}
	for i, fee := range w.fees {
		if err := l.PostFee(i, fee); err != nil {
			return nil, ask.FieldOf(err, nil, "tasks")
		}
	}
	if each != nil {
		for _, b := range bookings {
			each(b)
		}
	}
	return l, nil
}

// optimumAnswer is the least that the federation could pay, for the same reservations.
type optimumAnswer struct {
	Cost  ask.Amount `json:"cost"`
	Bound ask.Amount `json:"bound"`
	Exact bool       `json:"exact"`
}

func federationOptimum(q *federationQuestion) (*optimumAnswer, error) {
	w, err := q.world()
	if err != nil {
		return nil, err
	}
	start, err := federation.Share(nil, w.centres, w.tasks, w.opts)
	if err != nil {
		return nil, ask.FieldOf(err, nil, "tasks")
	}
	var optimizer federation.Optimizer
	o, err := optimizer.Solve(w.centres, w.tasks, federation.OptimumOptions{Start: start, MaxRounds: 20, MaxSteps: 200})
	if err != nil {
		return nil, ask.FieldOf(err, nil, "tasks")
	}
	cost, bound := o.Cost, o.Bound
	for _, fee := range w.fees {
		if cost, err = cost.Add(fee); err == nil {
			bound, err = bound.Add(fee)
		}
		if err != nil {
			return nil, ask.Mistakef("tasks", "the fees do not fit in an amount of money")
		}
	}
	return &optimumAnswer{ask.Money(cost), ask.Money(bound), o.Cost == o.Bound}, nil
}

// A made-up centre: where its day begins, and what its jobs are like.
var madeUpCentres = []struct {
	question centreQuestion
	offset   int     // hours ahead of Greenwich
	daily    float64 // jobs of a working day
	sizes    []int
	disk     float64 // gigabytes, the median
}{
	{centreQuestion{"Luxembourg", 0, "0.075", "0.80", "0.02"}, 1, 80, []int{1, 1, 2, 2, 4, 8}, .6},
	{centreQuestion{"San Diego", 0, "0.06", "0.75", "0.015"}, -8, 60, []int{1, 2, 4, 8, 12}, .4},
	{centreQuestion{"Singapore", 0, "0.065", "0.715", "0.01"}, 8, 44, []int{2, 4, 8, 16}, .5},
}

// officeHours is how many jobs come in an hour of the day, in per cent of the mean.
var officeHours = [24]float64{30, 25, 20, 20, 25, 30, 45, 80, 130, 170, 185, 180, 165, 175, 190, 190, 180, 150, 115, 95, 85, 75, 60, 40}

// federationMadeUp makes a week of three centres up. Each centre reserves what is busy for as
// much of the time as a reservation takes to pay.
func federationMadeUp() *federationQuestion {
	q := &federationQuestion{Hours: 168, Price: "lender"}
	for home, c := range madeUpCentres {
		random := rand.New(rand.NewPCG(3, uint64(home)))
		demand := make([]int, q.Hours)
		for t := range q.Hours {
			local := t + c.offset + 168
			rate := c.daily * officeHours[local%24] / 2400
			if local/24%7 >= 5 {
				rate *= .4
			}
			for at := random.ExpFloat64() / rate; at < 1; at += random.ExpFloat64() / rate {
				long := 1 + int(min(20, random.ExpFloat64()*2.2))
				end := min(q.Hours, t+long)
				n := c.sizes[random.IntN(len(c.sizes))]
				disk := int(1000 * min(40, c.disk*math.Exp(1.1*random.NormFloat64())))
				q.Tasks = append(q.Tasks, home, t, end, n, disk)
				for h := t; h < end; h++ {
					demand[h] += n
				}
			}
		}
		c.question.Reserved = pays(demand, c.question)
		q.Centres = append(q.Centres, c.question)
	}
	return q
}

// pays returns the greatest number of instances that are needed for as much of the time as a
// reservation takes to pay.
func pays(demand []int, c centreQuestion) int {
	price, _ := strconv.ParseFloat(c.OnDemand, 64)
	fee, _ := strconv.ParseFloat(c.Fee, 64)
	sorted := slices.Clone(demand)
	slices.Sort(sorted)
	busy := int(math.Ceil(fee / price / feeTerm * float64(len(demand))))
	if busy < 1 || busy > len(sorted) {
		return 0
	}
	return sorted[len(sorted)-busy]
}

// tasksOf turns the jobs of a log into tasks of a centre: a job takes its processors in each
// hour that it touches.
func tasksOf(jobs []trace.Job, home, hours int) (list ask.Ints) {
	random := rand.New(rand.NewPCG(5, uint64(home)))
	for _, j := range jobs {
		from := int(j.Submit / time.Hour)
		if from >= hours {
			break
		}
		end := min(hours, int((j.Submit+j.Run+time.Hour-1)/time.Hour))
		disk := int(1000 * min(40, .5*math.Exp(random.NormFloat64())))
		list = append(list, home, from, end, j.Nodes, disk)
	}
	return list
}

// centreLogQuestion asks for the tasks of a log that was read.
type centreLogQuestion struct {
	Jobs  jobList `json:"jobs"`
	Home  int     `json:"home"`
	Hours int     `json:"hours"`
}

func federationTasks(q *centreLogQuestion) (any, error) {
	jobs, err := q.Jobs.jobs()
	if err != nil {
		return nil, err
	}
	if q.Hours < 1 || q.Hours > maxWindow {
		return nil, ask.Mistakef("tasks", "%d hours: want from 1 to %d", q.Hours, maxWindow)
	}
	list := tasksOf(jobs, q.Home, q.Hours)
	peak := 0
	demand := make([]int, q.Hours)
	for i := 0; i < len(list); i += perTask {
		for h := list[i+1]; h < list[i+2]; h++ {
			demand[h] += list[i+3]
			peak = max(peak, demand[h])
		}
	}
	return map[string]any{"tasks": list, "peak": peak}, nil
}

// federationExport is a program with the same tasks and reservations.
func federationExport(q *federationQuestion) (*ask.Export, error) {
	w, err := q.world()
	if err != nil {
		return nil, err
	}
	var tasks, b strings.Builder
	tasks.WriteString("home,start,end,instances,disk\n")
	for _, t := range w.tasks {
		fmt.Fprintf(&tasks, "%d,%d,%d,%d,%d\n", t.Home, t.Start, t.End, t.Instances, t.Disk)
	}
	b.WriteString(`// Lends idle reservations between centres, and prints what the centres pay alone and together,
// without the fees of reservations.
package main

import (
	"encoding/csv"
	"fmt"
	"log"
	"os"
	"slices"
	"strconv"

	"github.com/plimsoll/plimsoll/federation"
	"github.com/plimsoll/plimsoll/pricing"
)

func must[T any](x T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return x
}

func main() {
	rows := must(csv.NewReader(must(os.Open("tasks.csv"))).ReadAll())
	var tasks []federation.Task
	for i, row := range rows[1:] {
		var n [5]int64
		for k, field := range row {
			n[k] = must(strconv.ParseInt(field, 10, 64))
		}
		tasks = append(tasks, federation.Task{ID: i + 1, Home: int(n[0]), Start: int(n[1]), End: int(n[2]), Instances: int(n[3]), Disk: n[4]})
	}
`)
	fmt.Fprintf(&b, "\tcentres := []federation.Centre{\n")
	for i, c := range q.Centres {
		x := w.centres[i]
		fmt.Fprintf(&b, "\t\t{Reserved: slices.Repeat([]int{%d}, %d), Demand: make([]int, %d), OnDemand: must(pricing.ParseMoney(%q)), Fee: must(pricing.ParseMoney(%q)), Term: %d, Traffic: must(pricing.ParseMoney(%q))}, // %s\n",
			c.Reserved, q.Hours, q.Hours, x.OnDemand, x.Fee, x.Term, x.Traffic, strings.Map(func(r rune) rune {
				if r < ' ' {
					return ' '
				}
				return r
			}, c.Name))
	}
	fmt.Fprintf(&b, `	}
	for i := range centres {
		if err := federation.AddDemand(centres[i].Demand, tasks, i); err != nil {
			log.Fatal(err)
		}
	}
	for i, opts := range []federation.Options{{Order: federation.Alone}, {Price: %s}} {
		var ledger federation.Ledger
		ledger.Reset(len(centres))
		if err := ledger.Post(must(federation.Share(nil, centres, tasks, opts))...); err != nil {
			log.Fatal(err)
		}
		fmt.Println([]string{"alone", "shared"}[i], ledger.Total().Cost())
	}
}
`, map[string]string{"lender": "federation.LenderFee", "midpoint": "federation.Midpoint", "free": "federation.Unpaid"}[q.Price])
	return &ask.Export{Command: "go mod init lend && go get github.com/plimsoll/plimsoll@latest && go run .", Files: []ask.File{{Name: "main.go", Text: b.String()}, {Name: "tasks.csv", Text: tasks.String()}}}, nil
}
