package shard

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"regexp"
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
	if err := j.complete("plan"); err != nil {
		return nil, err
	}
	r := &Result{Terms: j.terms()}
	var sum market.Sum
	for i := 1; i <= j.Of; i++ {
		if j.Bills != nil {
			if err := j.ungrouped(i, r); err != nil {
				return nil, err
			}
		}
		records, err := j.load("plan", i)
		if err != nil {
			return nil, err
		}
		var part market.Sum // the first record
		if err := record.Read(records[0], &part); err != nil {
			return nil, err
		}
		sum.Merge(&part)
		r.Records = append(r.Records, records[1:]...)
	}
	if j.Bills != nil {
		if r.Covered, err = j.covered(); err != nil {
			return nil, err
		}
	}
	failed, err := j.hold(&r.Terms)
	if err != nil {
		return nil, err
	}
	for i := range failed {
		r.Records = append(r.Records, record.Append(nil, &failed[i]))
	}
	r.Joint, _, err = market.Commit(&r.Terms, &sum, &price)
	return r, err
}

// ungrouped adds to the result what could not become a group of a shard.
func (j *Job) ungrouped(i int, r *Result) error {
	records, err := j.load("groups", i)
	for _, b := range records {
		if b[0] != 'F' {
			continue
		}
		var f record.Failure
		if err := record.Read(b, &f); err != nil {
			return err
		}
		if f.Account == "" && f.File != "" {
			r.Unread = append(r.Unread, f.File)
		}
		r.Records = append(r.Records, b)
	}
	return err
}

// shardName is the name of a file of a shard.
var shardName = regexp.MustCompile(`^(usage|groups|tickets|plan)-(\d{5})-of-(\d{5})$`)

// complete returns an error about the shards whose files are missing, or about files of
// another number of shards. What comes from bills needs the files of the rounds before, too.
func (j *Job) complete(what string) error {
	if j.Bills != nil && what != "usage" && what != "groups" {
		for _, before := range []string{"usage", "groups"} {
			if err := j.complete(before); err != nil {
				return err
			}
		}
	}
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
	if err := j.complete("tickets"); err != nil {
		return err
	}
	sample := market.Sample{Want: j.Sample}
	type place struct{ shard, n int }
	index := map[record.Key]place{}
	for i := 1; i <= j.Of; i++ {
		records, err := j.load("tickets", i)
		if err != nil {
			return err
		}
		var d drawn
		if err := record.Read(records[0], &d); err != nil {
			return err
		}
		for k, t := range d.Sample.Tickets {
			index[t.Key] = place{i, int(d.At[k])}
		}
		sample.Merge(&d.Sample)
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
	return j.save("worth", 0, [][]byte{record.Append(nil, &price)})
}
