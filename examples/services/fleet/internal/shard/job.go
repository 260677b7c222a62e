package shard

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/examples/internal/filelock"
	"github.com/plimsoll/plimsoll/examples/internal/parallel"
	"github.com/plimsoll/plimsoll/examples/services/fleet/internal/bills"
	"github.com/plimsoll/plimsoll/examples/services/fleet/internal/generate"
	"github.com/plimsoll/plimsoll/examples/services/fleet/internal/group"
	"github.com/plimsoll/plimsoll/examples/services/fleet/internal/market"
	"github.com/plimsoll/plimsoll/examples/services/fleet/internal/record"
)

// A Plan is what all tasks of a fleet agree on.
type Plan struct {
	// Bills are what is planned, within Terms; nil is the made-up Fleet, with terms of its own.
	Bills  *bills.Input   `json:"bills,omitempty"`
	Terms  *group.Terms   `json:"terms,omitempty"`
	Fleet  generate.Fleet `json:"fleet"`
	Sample int            `json:"sample"` // groups in the sample
	Seed   uint64         `json:"seed"`   // of the sample
	Rounds int            `json:"rounds"` // of the search; 0 is the default of package market
}

// A Job is a fleet that is planned in shards 1/Of to Of/Of.
type Job struct {
	Dir string
	Of  int
	Plan
}

// MostShards is the most shards of a fleet.
const MostShards = 10_000

// jobFile is what job.json holds.
type jobFile struct {
	Version int `json:"version"`
	Of      int `json:"shards"`
	Plan
}

func (j *Job) text() ([]byte, error) {
	b, err := json.MarshalIndent(&jobFile{version, j.Of, j.Plan}, "", "\t")
	return append(b, '\n'), err
}

// id returns a name for all that the job's files depend on.
func (j *Job) id() (string, error) {
	b, err := j.text()
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:8]), err
}

// Open reads the job of a folder.
func Open(dir string) (*Job, error) {
	b, err := os.ReadFile(filepath.Join(dir, "job.json"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, cli.Mistakef("%s holds no shards: run fleet shard 1/N and so on first", dir)
	}
	if err != nil {
		return nil, err
	}
	var f jobFile
	if err := json.Unmarshal(b, &f); err != nil || f.Version != version || f.Of < 1 || f.Of > MostShards || !f.valid() {
		return nil, cli.Mistakef("%s is not a job of this version of fleet: want the file that fleet shard has written", filepath.Join(dir, "job.json"))
	}
	return &Job{Dir: dir, Of: f.Of, Plan: f.Plan}, nil
}

// valid reports whether there is something to plan.
func (p *Plan) valid() bool {
	if p.Bills != nil {
		return p.Terms != nil && p.Terms.Validate() == nil
	}
	return p.Terms == nil && p.Fleet.Validate() == nil
}

// agree writes job.json, or compares the job with that of the tasks before.
func (j *Job) agree() error {
	path := filepath.Join(j.Dir, "job.json")
	want, err := j.text()
	if err != nil {
		return err
	}
	got, err := os.ReadFile(path)
	if err == nil {
		if bytes.Equal(got, want) {
			return nil
		}
		before, err := Open(j.Dir)
		if err != nil {
			return err
		}
		return cli.Mistakef("%s holds another job, of %s, seed %d, a sample of %d, %d rounds and %d shards: want the same for each task, or another folder",
			j.Dir, before.what(), before.Seed, before.Sample, before.Rounds, before.Of)
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return write(path, func(w io.Writer) error {
		_, err := w.Write(want)
		return err
	})
}

// what says what is planned.
func (j *Job) what() string {
	if j.Bills != nil {
		return fmt.Sprintf("%d bills", len(j.Bills.Files))
	}
	return fmt.Sprintf("%d curves", j.Fleet.Curves)
}

// Shard does what is next for shard i, from 1 to Of, and says so by note. It does nothing if
// its file is there. The error is the user's mistake if another process works on the shard,
// or the folder holds another job.
func (j *Job) Shard(i int, note func(format string, args ...any)) error {
	if j.Of < 1 || j.Of > MostShards || i < 1 || i > j.Of {
		return cli.Mistakef("shard %d/%d: want 1/N to N/N, with N at most %d", i, j.Of, MostShards)
	}
	if err := os.MkdirAll(j.Dir, 0o777); err != nil {
		return cli.Mistakef("-dir %s: %v: want a folder", j.Dir, err)
	}
	if err := j.agree(); err != nil {
		return err
	}
	return j.alone(i, func() error {
		if ready, err := j.group(i, note); !ready || err != nil {
			return err
		}
		price, err := j.price()
		if errors.Is(err, fs.ErrNotExist) {
			return j.draw(i, note)
		}
		if err != nil {
			return err
		}
		return j.plan(i, &price, note)
	})
}

// alone calls f while no other process works on shard i.
func (j *Job) alone(i int, f func() error) error {
	lock, err := os.OpenFile(j.path("lock", i), os.O_CREATE|os.O_RDWR, 0o666)
	if err != nil {
		return err
	}
	defer lock.Close()
	switch only, err := filelock.Exclude(lock); {
	case err != nil:
		return err
	case !only:
		return cli.Mistakef("another process works on shard %d/%d: want one at a time", i, j.Of)
	}
	return f()
}

// span returns the groups of a shard.
func (j *Job) span(i int) (from, to int) {
	n := j.Fleet.Curves
	return int(int64(n) * int64(i-1) / int64(j.Of)), int(int64(n) * int64(i) / int64(j.Of))
}

// once writes the file of a shard from the records that work returns. If the file is there, it is
// read, and nothing is done; said is then the note.
func (j *Job) once(holds string, i int, note func(format string, args ...any), said string, work func() ([][]byte, error)) error {
	ok, err := j.there(holds, i)
	if err != nil {
		return err
	}
	if ok {
		if _, err := j.load(holds, i); err != nil {
			return err
		}
		note("shard %d/%d %s", i, j.Of, said)
		return nil
	}
	records, err := work()
	if err != nil {
		return err
	}
	return j.save(holds, i, records)
}

// drawn are the tickets of a shard, and the numbers of their groups.
type drawn struct {
	Sample market.Sample
	At     []int64
}

// Tag implements [record.Record].
func (*drawn) Tag() byte { return 'D' }

// draw writes the tickets of a shard.
func (j *Job) draw(i int, note func(format string, args ...any)) error {
	return j.once("tickets", i, note, "has drawn its tickets: nothing to do before fleet merge", func() ([][]byte, error) {
		x := j.terms()
		from, err := j.source(i)
		if err != nil {
			return nil, err
		}
		tickets := make([]market.Ticket, from.to-from.from)
		workers := newWorkers(from)
		err = parallel.Do(len(tickets), func(w, k int) error {
			g, err := workers[w].at(from.from + k)
			if err == nil {
				tickets[k] = market.Draw(&x, g, j.Seed)
			}
			return err
		})
		if err != nil {
			return nil, err
		}
		d := drawn{Sample: market.Sample{Want: j.Sample}}
		index := map[record.Key]int{}
		for k, t := range tickets {
			d.Sample.Add(t)
			index[t.Key] = from.from + k
		}
		for _, t := range d.Sample.Tickets {
			d.At = append(d.At, int64(index[t.Key]))
		}
		if len(tickets) == 0 {
			note("shard %d/%d is empty: the fleet has fewer groups than shards", i, j.Of)
		} else {
			note("shard %d/%d: %d groups have drawn tickets", i, j.Of, len(tickets))
		}
		return [][]byte{record.Append(nil, &d)}, nil
	})
}

// price reads the price of the savings plan, which Merge has written.
func (j *Job) price() (price market.Price, err error) {
	records, err := j.load("worth", 0)
	if err == nil && len(records) == 1 {
		err = record.Read(records[0], &price)
	}
	if err == nil && (len(records) != 1 || len(price.Worth) != 0 && len(price.Worth) != j.terms().Hours) {
		err = cli.Mistakef("worth has %d records and %d hours: want 1 and %d", len(records), len(price.Worth), j.terms().Hours)
	}
	return price, err
}

// plan writes the plans of a shard.
func (j *Job) plan(i int, price *market.Price, note func(format string, args ...any)) error {
	return j.once("plan", i, note, "is planned: nothing to do", func() ([][]byte, error) {
		x := j.terms()
		from, err := j.source(i)
		if err != nil {
			return nil, err
		}
		records := make([][]byte, 1+from.to-from.from)
		workers := newWorkers(from)
		err = parallel.Do(len(records)-1, func(w, k int) (err error) {
			records[1+k], err = workers[w].plan(&x, from.from+k, price)
			return err
		})
		if err != nil {
			return nil, err
		}
		var sum market.Sum
		for w := range workers {
			sum.Merge(&workers[w].sum)
		}
		records[0] = record.Append(nil, &sum)
		note("shard %d/%d: %d groups are planned", i, j.Of, from.to-from.from)
		return records, nil
	})
}

// A worker takes groups of a shard, one at a time.
type worker struct {
	source  source
	group   record.Group
	planner group.Planner
	sum     market.Sum
}

// newWorkers returns a worker for each processor.
func newWorkers(from *source) []worker {
	all := make([]worker, parallel.Workers())
	for w := range all {
		all[w].source = *from
	}
	return all
}

// at returns group n, in the worker's memory.
func (w *worker) at(n int) (*record.Group, error) {
	err := w.source.at(n, &w.group)
	return &w.group, err
}

// plan returns the record of a group's plan or failure.
func (w *worker) plan(x *group.Terms, n int, price *market.Price) ([]byte, error) {
	g, err := w.at(n)
	if err != nil {
		return nil, err
	}
	answer, failure := price.Plan(&w.planner, x, g)
	if failure != nil {
		return record.Append(nil, failure), nil
	}
	w.sum.Add(g, &answer)
	return record.Append(nil, answer.Plan(g)), nil
}
