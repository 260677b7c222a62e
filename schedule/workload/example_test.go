package workload_test

import (
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/plimsoll/plimsoll/schedule/trace"
	"github.com/plimsoll/plimsoll/schedule/workload"
)

// How many nodes to set aside for interactive jobs? A year of the workload says:
// they are most of the jobs, but on average four nodes carry them.
func ExampleAppendLublin() {
	const year = 365 * 24 * time.Hour
	rng := rand.New(rand.NewPCG(1, 0))
	jobs, err := workload.AppendLublin(nil, rng, 70_000, workload.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	var n, batch int
	var work, batchWork float64 // node-hours
	for _, j := range jobs {
		if j.Submit >= year {
			break
		}
		w := j.Run.Hours() * float64(j.Nodes)
		n++
		work += w
		if j.Queue == workload.QueueBatch {
			batch++
			batchWork += w
		}
	}
	fmt.Printf("%d jobs in a year, of which %d batch\n", n, batch)
	fmt.Printf("busy nodes, mean: %.0f of 128, of which %.0f batch\n",
		work/year.Hours(), batchWork/year.Hours())
	// Output:
	// 57798 jobs in a year, of which 8734 batch
	// busy nodes, mean: 53 of 128, of which 49 batch
}

// A stream ends when its reader has seen enough: here, the first job that needs
// the whole machine.
func ExampleLublin() {
	var l workload.Lublin
	if err := l.Reset(rand.New(rand.NewPCG(1, 0)), workload.Options{Nodes: 64}); err != nil {
		fmt.Println(err)
		return
	}
	for {
		j, ok := l.Next()
		if !ok || j.Nodes == 64 {
			fmt.Printf("job %d, submitted after %v, needs %d nodes for %v\n",
				j.ID, j.Submit, j.Nodes, j.Run)
			return
		}
	}
	// Output:
	// job 95, submitted after 12h57m13s, needs 64 nodes for 2m42s
}

// The next three jobs of a stream.
func ExampleLublin_Jobs() {
	var l workload.Lublin
	if err := l.Reset(rand.New(rand.NewPCG(1, 2)), workload.Options{}); err != nil {
		fmt.Println(err)
		return
	}
	for j := range l.Jobs(3) {
		fmt.Printf("at %v: %d nodes for %v\n", j.Submit, j.Nodes, j.Run)
	}
	// Output:
	// at 56s: 16 nodes for 5s
	// at 21m35s: 16 nodes for 4m28s
	// at 22m11s: 16 nodes for 31m18s
}

// How would the machine fare with more jobs? The gap between arrivals is the
// exponential of a gamma distribution, so a little less scale is a lot more load:
// 7% make 1.8 times, and more than the machine can carry.
func ExampleParams() {
	p := workload.TypelessParams()
	for _, scale := range []float64{1, .93} {
		q := p
		q.BArr *= scale
		jobs, err := workload.AppendLublin(nil, rand.New(rand.NewPCG(1, 0)), 50_000,
			workload.Options{Typeless: true, Whole: q})
		if err != nil {
			fmt.Println(err)
			return
		}
		work := 0.0
		for _, j := range jobs {
			work += j.Run.Seconds() * float64(j.Nodes)
		}
		end := jobs[len(jobs)-1].Submit.Seconds()
		fmt.Printf("scale %.3f: load %.2f\n", q.BArr, work/(128*end))
	}
	// Output:
	// scale 0.487: load 0.70
	// scale 0.453: load 1.28
}

// How many cores would the jobs of a lab keep busy if nobody had to wait? Six days
// of them, evenly spread and in campaigns: the load is the same, and the peak is
// not.
func ExampleAppendFeitelson() {
	for _, a := range []workload.Arrivals{workload.Poisson, workload.Campaigns} {
		rng := rand.New(rand.NewPCG(1, 0))
		jobs, err := workload.AppendFeitelson(nil, rng, workload.FeitelsonJobs, workload.SampleOptions{Arrivals: a})
		if err != nil {
			fmt.Println(err)
			return
		}
		peak, work := 0, 0.0
		for _, j := range jobs {
			work += float64(j.Nodes) * j.Run.Hours()
			busy := 0 // when j is submitted
			for _, k := range jobs {
				if k.Submit <= j.Submit && j.Submit < k.Submit+k.Run {
					busy += k.Nodes
				}
			}
			peak = max(peak, busy)
		}
		fmt.Printf("%-10s %.0f core-hours, at most %d cores at once\n", a, work, peak)
	}
	// Output:
	// poisson    22640 core-hours, at most 624 cores at once
	// campaigns  22640 core-hours, at most 1677 cores at once
}

// Do 64 cores suffice for ten days of mostly serial jobs?
func ExampleAppendGrid5000() {
	rng := rand.New(rand.NewPCG(1, 0))
	jobs, err := workload.AppendGrid5000(nil, rng, workload.Grid5000Jobs, workload.SampleOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	serial, work := 0, 0.0
	for _, j := range jobs {
		work += float64(j.Nodes) * j.Run.Hours()
		if j.Nodes == 1 {
			serial++
		}
	}
	fmt.Printf("%d of %d jobs need one core; %.0f cores are busy on average\n",
		serial, len(jobs), work/(10*24))
	// Output:
	// 733 of 1061 jobs need one core; 27 cores are busy on average
}

// What users might have asked for.
func ExampleEstimatesTo() {
	jobs := []trace.Job{
		{ID: 1, Nodes: 1, Run: 40 * time.Second},
		{ID: 2, Nodes: 16, Run: 47 * time.Minute},
		{ID: 3, Nodes: 64, Run: 17*time.Hour + 5*time.Minute},
	}
	if err := workload.EstimatesTo(jobs, jobs, rand.New(rand.NewPCG(1, 0)), workload.DefaultFactor); err != nil {
		fmt.Println(err)
		return
	}
	for _, j := range jobs {
		fmt.Printf("runs %v, asks for %v\n", j.Run, j.Estimate)
	}
	// Output:
	// runs 40s, asks for 1m0s
	// runs 47m0s, asks for 1h30m0s
	// runs 17h5m0s, asks for 18h0m0s
}

// Whose jobs they are: a few users have most of them.
func ExampleUsersTo() {
	rng := rand.New(rand.NewPCG(1, 0))
	jobs, err := workload.AppendLublin(nil, rng, 1000, workload.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	workload.UsersTo(jobs, jobs, rng, 40)
	count := make([]int, 41)
	for _, j := range jobs {
		count[j.User]++
	}
	fmt.Println("jobs of the users 1 to 4, and 40:", count[1:5], count[40])
	// Output:
	// jobs of the users 1 to 4, and 40: [186 107 66 55] 7
}
