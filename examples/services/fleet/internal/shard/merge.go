package shard

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/examples/services/fleet/internal/group"
	"github.com/plimsoll/plimsoll/examples/services/fleet/internal/market"
	"github.com/plimsoll/plimsoll/examples/services/fleet/internal/record"
)

// A Result is a planned fleet.
type Result struct {
	// Covered is in how many hours bills have use, and Unread are the bills that could not be
	// read whole.
	Covered int
	Unread  []string
	Terms   group.Terms
	Joint   market.Plan
	Records [][]byte // a record.Plan or record.Failure of each group
}

// Merge does what comes when all shards have ended. In the first round it finds the price of
// the savings plan, and returns no Result: the shards must then run again. In the second it
// returns the fleet's plan, and so again each time it is called. The error is the user's
// mistake if shards are missing, or a file is not that of its shard.
func (j *Job) Merge(note func(format string, args ...any)) (*Result, error) {
	if ok, err := j.ready(); !ok || err != nil {
		return nil, err
	}
	price, err := j.price()
	if errors.Is(err, fs.ErrNotExist) {
		return nil, j.search(note)
	}
	if err != nil {
		return nil, err
	}
	for _, what := range j.needs("plan") {
		if err := j.complete(what); err != nil {
			return nil, err
		}
	}
	r := &Result{Terms: j.terms()}
	var sum market.Sum
	for i := range j.Of {
		h, err := j.header("plan", i+1)
		if err != nil {
			return nil, err
		}
		if j.Bills != nil {
			if err := j.grouped(i+1, r, &h); err != nil {
				return nil, err
			}
		}
		got, err := readPlans(j.path("plan", i+1), h, h.From)
		if err != nil {
			return nil, err
		}
		if got.to != h.To {
			return nil, cli.Mistakef("%s ends after group %d: want %d", filepath.Base(j.path("plan", i+1)), got.to, h.To)
		}
		sum.Merge(&got.sum)
		r.Records = append(r.Records, got.records...)
	}
	if j.Bills != nil {
		if r.Covered, err = j.covered(); err != nil {
			return nil, err
		}
		failed, err := j.hold(&r.Terms)
		if err != nil {
			return nil, err
		}
		for i := range failed {
			r.Records = append(r.Records, record.Append(nil, &failed[i]))
		}
	}
	r.Joint, _, err = market.Commit(&r.Terms, &sum, &price)
	return r, err
}

// grouped adds to the result what could not become a group of a shard, and sets the header to
// those that did.
func (j *Job) grouped(i int, r *Result, h *header) error {
	var bad error
	err := j.each("groups", i, func(tag byte, b []byte) {
		switch tag {
		case 'G':
			h.To++
			fallthrough
		case 'H':
			return
		}
		var f record.Failure
		if err := record.Read(b, &f); err != nil {
			bad = err
		}
		if f.Account == "" && f.File != "" {
			r.Unread = append(r.Unread, f.File)
		}
		r.Records = append(r.Records, b)
	})
	return errors.Join(err, bad)
}

// shardName is the name of a file of a shard.
var shardName = regexp.MustCompile(`^(usage|groups|tickets|plan)-(\d{5})-of-(\d{5})$`)

// needs returns the files of each shard that Merge reads in a round.
func (j *Job) needs(what string) []string {
	if j.Bills == nil {
		return []string{what}
	}
	return []string{"usage", "groups", what}
}

// complete returns an error about the shards whose files are missing, or about files of
// another number of shards.
func (j *Job) complete(what string) error {
	entries, err := os.ReadDir(j.Dir)
	if err != nil {
		return err
	}
	have := make([]bool, j.Of+1)
	for _, e := range entries {
		m := shardName.FindStringSubmatch(e.Name())
		if m == nil || m[1] != what {
			continue
		}
		i, _ := strconv.Atoi(m[2])
		of, _ := strconv.Atoi(m[3])
		if of != j.Of || i < 1 || i > j.Of {
			return cli.Mistakef("%s is none of the shards 1/%d to %d/%d: remove it, since a group must be in one shard", e.Name(), j.Of, j.Of, j.Of)
		}
		have[i] = true
	}
	var missing []string
	for i := 1; i <= j.Of; i++ {
		if !have[i] {
			missing = append(missing, strconv.Itoa(i))
		}
	}
	if n := len(missing); n > 0 {
		if n > 20 {
			missing = append(missing[:20], fmt.Sprintf("%d others", n-20))
		}
		verb := "is"
		if n > 1 {
			verb = "are"
		}
		return cli.Mistakef("of %d shards %s %s missing: run fleet shard %s/%d first", j.Of, cli.Series(missing, "and"), verb,
			strings.SplitN(missing[0], " ", 2)[0], j.Of)
	}
	return nil
}

// search finds the price of the savings plan on the sample of all tickets, and writes it.
func (j *Job) search(note func(format string, args ...any)) error {
	for _, what := range j.needs("tickets") {
		if err := j.complete(what); err != nil {
			return err
		}
	}
	sample := market.Sample{Want: j.Sample}
	type place struct{ shard, n int }
	index := map[record.Key]place{}
	for i := range j.Of {
		h, err := j.header("tickets", i+1)
		if err != nil {
			return err
		}
		var part market.Sample
		var at []int
		h, err = read(j.path("tickets", i+1), h, func(tag byte, b []byte) error {
			switch tag {
			case 'D':
				return part.UnmarshalBinary(b)
			case 'I':
				n, size := binary.Uvarint(b)
				if size <= 0 || n > math.MaxInt32 {
					return errors.New("a group without a number")
				}
				at = append(at, int(n))
			}
			return nil
		})
		if err != nil {
			return err
		}
		if len(at) != len(part.Tickets) {
			return cli.Mistakef("tickets of shard %d/%d: %d groups and %d tickets: remove the file, and run its task again", i+1, j.Of, len(at), len(part.Tickets))
		}
		for k, t := range part.Tickets {
			if at[k] < h.From || at[k] >= h.To {
				return cli.Mistakef("tickets of shard %d/%d: group %d: want one of %d to %d", i+1, j.Of, at[k], h.From, h.To-1)
			}
			index[t.Key] = place{i + 1, at[k]}
		}
		sample.Merge(&part)
	}
	x := j.terms()
	if _, err := j.hold(&x); err != nil {
		return err
	}
	var members []market.Member
	sources := map[int]*source{}
	for _, t := range sample.Tickets {
		if times := sample.Times(t); times > 0 {
			m, at := market.Member{Times: times}, index[t.Key]
			if sources[at.shard] == nil {
				var err error
				if sources[at.shard], err = j.source(at.shard); err != nil {
					return err
				}
			}
			if err := sources[at.shard].at(at.n, &m.Group); err != nil {
				return err
			}
			members = append(members, m)
		}
	}
	note("looking for the price of the savings plan on %d groups of %s", len(members), j.what())
	search := market.Search{Rounds: j.Rounds}
	price, err := search.Find(&x, members)
	if err != nil {
		return err
	}
	h, err := j.header("worth", 0)
	if err != nil {
		return err
	}
	out, err := create(filepath.Join(j.Dir, "worth"), h)
	if err != nil {
		return err
	}
	defer out.set.Abort()
	b, err := price.MarshalBinary()
	if err != nil {
		return err
	}
	out.record('W', b)
	return out.close()
}

// Split returns the plans and failures of the result, sorted by key.
func (r *Result) Split() (plans []record.Plan, failed []record.Failure, err error) {
	for _, b := range r.Records {
		if b[0] == 'F' {
			var f record.Failure
			if err := record.Read(b, &f); err != nil {
				return nil, nil, err
			}
			failed = append(failed, f)
			continue
		}
		var p record.Plan
		if err := record.Read(b, &p); err != nil {
			return nil, nil, err
		}
		plans = append(plans, p)
	}
	slices.SortFunc(plans, func(a, b record.Plan) int { return a.Key.Compare(b.Key) })
	slices.SortFunc(failed, func(a, b record.Failure) int { return a.Compare(&b) })
	return plans, failed, nil
}
