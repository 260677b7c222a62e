package shard

import (
	"errors"
	"io/fs"
	"maps"
	"slices"

	"github.com/plimsoll/plimsoll/examples/services/fleet/internal/bills"
	"github.com/plimsoll/plimsoll/examples/services/fleet/internal/generate"
	"github.com/plimsoll/plimsoll/examples/services/fleet/internal/group"
	"github.com/plimsoll/plimsoll/examples/services/fleet/internal/record"
)

// Bills take a round of their own before the two others. Shard i reads the files i, i+N and so
// on, and writes what they say of each account. Merge writes a file that lets the next round
// begin. Then shard i takes what all files say of its accounts, and writes their groups.

// terms returns what all groups have in common.
func (j *Job) terms() group.Terms {
	if j.Terms != nil {
		return *j.Terms
	}
	return j.Fleet.Terms()
}

// A source has the groups of a shard: those of the fleet, or those that a file holds.
type source struct {
	from, to int
	fleet    *generate.Fleet
	curves   generate.Curves
	records  [][]byte
}

// at sets g to group n.
func (s *source) at(n int, g *record.Group) error {
	if s.records != nil {
		return record.Read(s.records[n], g)
	}
	s.curves.At(s.fleet, n, g)
	return nil
}

// source returns the groups of a shard.
func (j *Job) source(i int) (*source, error) {
	if j.Bills == nil {
		from, to := j.span(i)
		return &source{from: from, to: to, fleet: &j.Fleet}, nil
	}
	records, err := j.load("groups", i)
	s := &source{records: slices.DeleteFunc(append([][]byte{}, records...), func(b []byte) bool { return b[0] != 'G' })}
	s.to = len(s.records)
	return s, err
}

// group does what comes before the groups of a shard are there, and reports whether they are.
func (j *Job) group(i int, note func(format string, args ...any)) (ready bool, err error) {
	if j.Bills == nil {
		return true, nil
	}
	began, err := j.there("read", 0)
	if err != nil {
		return false, err
	}
	if own, err := j.there("usage", i); err != nil {
		return false, err
	} else if !own || !began {
		if err := j.read(i, note); err != nil || !began {
			return false, err
		}
	}
	if ok, err := j.there("groups", i); ok || err != nil {
		return ok, err
	}
	if err := j.complete("usage"); err != nil {
		return false, err
	}
	accounts := map[string][][]byte{}
	for k := 1; k <= j.Of; k++ {
		err := j.uses(k, func(account string, b []byte) {
			if account != "" && bills.Part(account, j.Of) == i-1 || account == "" && b[0] == 'F' && i == 1 {
				accounts[account] = append(accounts[account], b)
			}
		})
		if err != nil {
			return false, err
		}
	}
	pricer := j.Bills.Pricer
	if err := pricer.Load(j.Bills.Prices); err != nil {
		return false, err
	}
	x, n := j.terms(), 0
	var plans record.Inventory
	var records [][]byte
	for _, name := range slices.Sorted(maps.Keys(accounts)) {
		groups, held, failed, err := pricer.Groups(&x, accounts[name])
		if err != nil {
			return false, err
		}
		plans.Merge(&held)
		for k := range groups {
			records = append(records, record.Append(nil, &groups[k]))
		}
		for k := range failed {
			records = append(records, record.Append(nil, &failed[k]))
		}
		n += len(groups)
	}
	note("shard %d/%d: %d accounts have %d groups", i, j.Of, len(accounts), n)
	return true, j.save("groups", i, append(records, record.Append(nil, &plans)))
}

// uses calls f with what the bills of a shard say of each account.
func (j *Job) uses(i int, f func(account string, b []byte)) error {
	records, err := j.load("usage", i)
	for _, b := range records {
		account, err := record.Account(b)
		if err != nil {
			return err
		}
		f(account, b)
	}
	return err
}

// hold adds to the terms the savings plans that the accounts of all shards hold, and returns those
// that cannot be added.
func (j *Job) hold(x *group.Terms) ([]record.Failure, error) {
	if j.Bills == nil {
		return nil, nil
	}
	var all record.Inventory
	for i := 1; i <= j.Of; i++ {
		records, err := j.load("groups", i)
		if err != nil {
			return nil, err
		}
		var plans record.Inventory // the last record
		if err := record.Read(records[len(records)-1], &plans); err != nil {
			return nil, err
		}
		all.Merge(&plans)
	}
	return j.Bills.Pricer.Held(x, &all), nil
}

// read writes what the files of a shard say.
func (j *Job) read(i int, note func(format string, args ...any)) error {
	return j.once("usage", i, note, "has read its bills: nothing to do before fleet merge", func() (records [][]byte, err error) {
		x := j.terms()
		files, rows := 0, int64(0)
		for k := i - 1; k < len(j.Bills.Files); k += j.Of {
			count := bills.Records(j.Bills.Files[k], j.Bills.Pricer.From, x.Hours, func(_ string, b []byte) { records = append(records, b) })
			files, rows = files+1, rows+count.Rows
		}
		if files == 0 {
			note("shard %d/%d has no bills to read: there are fewer files than shards", i, j.Of)
		} else {
			note("shard %d/%d: %d rows of %d bills are read", i, j.Of, rows, files)
		}
		return records, nil
	})
}

// ready reports whether the bills are read. If all shards have read theirs it says so in the
// folder, and the next round can begin.
func (j *Job) ready() (bool, error) {
	if j.Bills == nil {
		return true, nil
	}
	_, err := j.load("read", 0)
	if !errors.Is(err, fs.ErrNotExist) {
		return err == nil, err
	}
	if err := j.complete("usage"); err != nil {
		return false, err
	}
	return false, j.save("read", 0, nil)
}

// covered returns in how many hours the bills have use.
func (j *Job) covered() (hours int, err error) {
	var all [][]byte
	for i := 1; i <= j.Of && err == nil; i++ {
		err = j.uses(i, func(account string, b []byte) {
			if account == "" {
				all = append(all, b)
			}
		})
	}
	if err == nil {
		hours, _, err = bills.Covered(all)
	}
	return hours, err
}
