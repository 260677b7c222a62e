package shard

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/examples/internal/filelock"
	"github.com/plimsoll/plimsoll/examples/internal/outfile"
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
	// Part is the number of groups after which a shard saves what it has; 0 is 500.
	Part int
}

const defaultPart = 500

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

func (j *Job) path(what string, shard int) string {
	return filepath.Join(j.Dir, fmt.Sprintf("%s-%05d-of-%05d", what, shard, j.Of))
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
	var set outfile.Set
	defer set.Abort()
	f, err := set.Create(path)
	if err != nil {
		return err
	}
	if _, err := f.Write(want); err != nil {
		return err
	}
	return set.Commit()
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

func (j *Job) header(holds string, i int) (header, error) {
	id, err := j.id()
	h := header{Holds: holds, Job: id, Of: j.Of, Shard: i}
	if i > 0 && j.Bills == nil {
		h.From, h.To = j.span(i)
	}
	return h, err
}

// draw writes the tickets of a shard.
func (j *Job) draw(i int, note func(format string, args ...any)) error {
	path := j.path("tickets", i)
	h, err := j.header("tickets", i)
	if err != nil {
		return err
	}
	if ok, err := there(path); ok || err != nil {
		if err == nil {
			_, err = read(path, h, func(byte, []byte) error { return nil })
		}
		if err == nil {
			note("shard %d/%d has drawn its tickets: nothing to do before fleet merge", i, j.Of)
		}
		return err
	}
	x := j.terms()
	from, err := j.source(i)
	if err != nil {
		return err
	}
	h.From, h.To = from.from, from.to
	samples := make([]market.Sample, parallel.Workers())
	sources := make([]source, len(samples))
	groups := make([]record.Group, len(samples))
	index := make([]map[record.Key]int, len(samples))
	for w := range samples {
		samples[w].Want, index[w], sources[w] = j.Sample, map[record.Key]int{}, *from
	}
	const stretch = 20 // curves of an account
	err = parallel.Do((h.To-h.From+stretch-1)/stretch, func(w, k int) error {
		for n := h.From + k*stretch; n < min(h.To, h.From+(k+1)*stretch); n++ {
			if err := sources[w].at(n, &groups[w]); err != nil {
				return err
			}
			samples[w].Add(market.Draw(&x, &groups[w], j.Seed))
			index[w][groups[w].Key] = n
		}
		return nil
	})
	if err != nil {
		return err
	}
	all := market.Sample{Want: j.Sample}
	for w := range samples {
		all.Merge(&samples[w])
	}
	out, err := create(path, h)
	if err != nil {
		return err
	}
	defer out.set.Abort()
	b, err := all.MarshalBinary()
	if err != nil {
		return err
	}
	out.record('D', b)
	for _, t := range all.Tickets {
		for w := range index {
			if n, ok := index[w][t.Key]; ok {
				out.record('I', binary.AppendUvarint(nil, uint64(n)))
			}
		}
	}
	if err := out.close(); err != nil {
		return err
	}
	if h.From == h.To {
		note("shard %d/%d is empty: the fleet has fewer groups than shards", i, j.Of)
		return nil
	}
	note("shard %d/%d: %d groups have drawn tickets", i, j.Of, h.To-h.From)
	return nil
}

// price reads the price of the savings plan, which Merge has written.
func (j *Job) price() (price market.Price, err error) {
	h, err := j.header("worth", 0)
	if err != nil {
		return price, err
	}
	_, err = read(filepath.Join(j.Dir, "worth"), h, func(tag byte, b []byte) error {
		if tag != 'W' {
			return fmt.Errorf("a record of type %q: want the price", tag)
		}
		return price.UnmarshalBinary(b)
	})
	if err == nil && len(price.Worth) != 0 && len(price.Worth) != j.terms().Hours {
		err = cli.Mistakef("worth has %d hours: want %d", len(price.Worth), j.terms().Hours)
	}
	return price, err
}

// parts are the files of the parts of a shard: the number after part- is that of its first
// group within the shard.
var parts = regexp.MustCompile(`\.part-(\d+)$`)

// plan writes the plans of a shard.
func (j *Job) plan(i int, price *market.Price, note func(format string, args ...any)) error {
	path := j.path("plan", i)
	h, err := j.header("plan", i)
	if err != nil {
		return err
	}
	left, err := filepath.Glob(path + ".part-*")
	if err != nil {
		return err
	}
	if ok, err := there(path); err != nil {
		return err
	} else if ok {
		_, err := read(path, h, func(byte, []byte) error { return nil })
		if err != nil {
			return err
		}
		note("shard %d/%d is planned: nothing to do", i, j.Of)
		return remove(left)
	}
	x := j.terms()
	from, err := j.source(i)
	if err != nil {
		return err
	}
	h.From, h.To = from.from, from.to
	part := j.Part
	if part <= 0 {
		part = defaultPart
	}
	// What a task before has saved, in order and without a gap.
	var whole results
	at := h.From
	for at < h.To {
		got, err := readPlans(partPath(path, at-h.From), h, at)
		if errors.Is(err, fs.ErrNotExist) {
			break
		}
		if err != nil {
			return err
		}
		at = got.to
		whole.add(got)
	}
	if at > h.From {
		note("shard %d/%d goes on after %d of %d groups", i, j.Of, at-h.From, h.To-h.From)
	}
	workers := make([]worker, parallel.Workers())
	for w := range workers {
		workers[w].source = *from
	}
	for at < h.To {
		to := min(h.To, at+part)
		got := &results{from: at, to: to, records: make([][]byte, to-at)}
		for w := range workers {
			workers[w].sum = market.Sum{}
		}
		err := parallel.Do(to-at, func(w, k int) (err error) {
			got.records[k], err = workers[w].plan(&x, at+k, price)
			return err
		})
		if err != nil {
			return err
		}
		for w := range workers {
			got.sum.Merge(&workers[w].sum)
		}
		if to < h.To || at > h.From {
			if err := got.write(partPath(path, at-h.From), h); err != nil {
				return err
			}
		}
		whole.add(got)
		at = to
	}
	whole.from, whole.to = h.From, h.To
	if err := whole.write(path, h); err != nil {
		return err
	}
	note("shard %d/%d: %d groups are planned", i, j.Of, h.To-h.From)
	if left, err = filepath.Glob(path + ".part-*"); err != nil {
		return err
	}
	return remove(left)
}

func partPath(path string, first int) string { return path + ".part-" + strconv.Itoa(first) }

// remove removes the parts of a shard that is planned.
func remove(paths []string) error {
	for _, p := range paths {
		if !parts.MatchString(p) {
			continue
		}
		if err := os.Remove(p); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// A worker plans groups.
type worker struct {
	source  source
	group   record.Group
	planner group.Planner
	sum     market.Sum
}

// plan returns the record of a group's plan or failure.
func (w *worker) plan(x *group.Terms, n int, price *market.Price) ([]byte, error) {
	if err := w.source.at(n, &w.group); err != nil {
		return nil, err
	}
	answer, failure := price.Plan(&w.planner, x, &w.group)
	if failure != nil {
		return record.Append(nil, failure), nil
	}
	w.sum.Add(&w.group, &answer)
	return record.Append(nil, PlanOf(&w.group, &answer)), nil
}

// PlanOf returns the record of an answer, in the answer's memory.
func PlanOf(g *record.Group, a *group.Answer) *record.Plan {
	return &record.Plan{Key: g.Key, Currency: g.Currency, Hours: int64(len(g.Demand)), Cost: a.Cost, Bound: a.Bound, Orders: a.Orders}
}

// results are what is known of the groups from one to another.
type results struct {
	from, to int
	sum      market.Sum
	records  [][]byte
}

func (r *results) add(o *results) {
	r.sum.Merge(&o.sum)
	r.records = append(r.records, o.records...)
}

func (r *results) write(path string, h header) error {
	h.From, h.To = r.from, r.to
	out, err := create(path, h)
	if err != nil {
		return err
	}
	defer out.set.Abort()
	b, err := r.sum.MarshalBinary()
	if err != nil {
		return err
	}
	out.record('S', b)
	for _, b := range r.records {
		out.record(b[0], b[1:])
	}
	return out.close()
}

// readPlans reads a file of plans whose first group must be from.
func readPlans(path string, want header, from int) (*results, error) {
	r := new(results)
	h, err := read(path, want, func(tag byte, b []byte) error {
		switch tag {
		case 'S':
			return r.sum.UnmarshalBinary(b)
		case 'P', 'F':
			r.records = append(r.records, append([]byte{tag}, b...))
		default:
			return fmt.Errorf("a record of type %q: want plans", tag)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	r.from, r.to = h.From, h.To
	if r.from != from || r.to <= r.from && from < want.To || r.to > want.To || len(r.records) != r.to-r.from {
		return nil, cli.Mistakef("%s holds groups %d to %d with %d records: remove it, and run its task again", filepath.Base(path), h.From, h.To, len(r.records))
	}
	return r, nil
}
