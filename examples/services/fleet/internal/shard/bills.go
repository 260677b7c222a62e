package shard

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
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
	s := &source{records: [][]byte{}}
	err := j.each("groups", i, func(tag byte, b []byte) {
		if tag == 'G' {
			s.records = append(s.records, b)
		}
	})
	s.to = len(s.records)
	return s, err
}

// each calls f with each record of a file of a shard, whole.
func (j *Job) each(holds string, i int, f func(tag byte, b []byte)) error {
	h, err := j.header(holds, i)
	if err != nil {
		return err
	}
	_, err = read(j.path(holds, i), h, func(tag byte, b []byte) error {
		f(tag, append([]byte{tag}, b...))
		return nil
	})
	return err
}

// group does what comes before the groups of a shard are there, and reports whether they are.
func (j *Job) group(i int, note func(format string, args ...any)) (ready bool, err error) {
	if j.Bills == nil {
		return true, nil
	}
	began, err := there(filepath.Join(j.Dir, "read"))
	if err != nil {
		return false, err
	}
	if own, err := there(j.path("usage", i)); err != nil {
		return false, err
	} else if !own || !began {
		if err := j.read(i, note); err != nil || !began {
			return false, err
		}
	}
	if ok, err := there(j.path("groups", i)); ok || err != nil {
		return ok, err
	}
	if err := j.complete("usage"); err != nil {
		return false, err
	}
	accounts := map[string][][]byte{}
	for k := 1; k <= j.Of; k++ {
		var bad error
		err := j.each("usage", k, func(_ byte, b []byte) {
			account, err := accountOf(b)
			if err != nil {
				bad = err
			} else if account != "" && bills.Part(account, j.Of) == i-1 || account == "" && b[0] == 'F' && i == 1 {
				accounts[account] = append(accounts[account], b)
			}
		})
		if err = errors.Join(err, bad); err != nil {
			return false, err
		}
	}
	pricer := j.Bills.Pricer
	if err := pricer.Load(j.Bills.Prices); err != nil {
		return false, err
	}
	h, err := j.header("groups", i)
	if err != nil {
		return false, err
	}
	out, err := create(j.path("groups", i), h)
	if err != nil {
		return false, err
	}
	defer out.set.Abort()
	x, n := j.terms(), 0
	names := make([]string, 0, len(accounts))
	for name := range accounts {
		names = append(names, name)
	}
	slices.Sort(names)
	var plans record.Inventory
	for _, name := range names {
		groups, held, failed, _, err := pricer.Groups(&x, name, accounts[name])
		if err != nil {
			return false, err
		}
		plans.Merge(&held)
		for k := range groups {
			b := record.Append(nil, &groups[k])
			out.record(b[0], b[1:])
		}
		for k := range failed {
			b := record.Append(nil, &failed[k])
			out.record(b[0], b[1:])
		}
		n += len(groups)
	}
	if b := record.Append(nil, &plans); len(plans.Held) > 0 {
		out.record(b[0], b[1:])
	}
	note("shard %d/%d: %d accounts have %d groups", i, j.Of, len(names), n)
	return true, out.close()
}

// hold adds to the terms the savings plans that the accounts of all shards hold, and returns those
// that cannot be added.
func (j *Job) hold(x *group.Terms) ([]record.Failure, error) {
	if j.Bills == nil {
		return nil, nil
	}
	var all record.Inventory
	for i := 1; i <= j.Of; i++ {
		var bad error
		err := j.each("groups", i, func(tag byte, b []byte) {
			if tag != 'H' {
				return
			}
			var plans record.Inventory
			bad = record.Read(b, &plans)
			all.Merge(&plans)
		})
		if err = errors.Join(err, bad); err != nil {
			return nil, err
		}
	}
	return j.Bills.Pricer.Held(x, &all), nil
}

// accountOf returns the account of a Usage or a Failure.
func accountOf(b []byte) (string, error) {
	if b[0] == 'F' {
		var f record.Failure
		err := record.Read(b, &f)
		return f.Account, err
	}
	return record.Account(b)
}

// read writes what the files of a shard say.
func (j *Job) read(i int, note func(format string, args ...any)) error {
	path := j.path("usage", i)
	if ok, err := there(path); ok || err != nil {
		if err == nil {
			err = j.each("usage", i, func(byte, []byte) {})
		}
		if err == nil {
			note("shard %d/%d has read its bills: nothing to do before fleet merge", i, j.Of)
		}
		return err
	}
	h, err := j.header("usage", i)
	if err != nil {
		return err
	}
	out, err := create(path, h)
	if err != nil {
		return err
	}
	defer out.set.Abort()
	x := j.terms()
	files, rows := 0, int64(0)
	for k := i - 1; k < len(j.Bills.Files); k += j.Of {
		count := bills.Records(j.Bills.Files[k], j.Bills.Pricer.From, x.Hours, func(_ string, b []byte) { out.record(b[0], b[1:]) })
		files, rows = files+1, rows+count.Rows
	}
	if err := out.close(); err != nil {
		return err
	}
	if files == 0 {
		note("shard %d/%d has no bills to read: there are fewer files than shards", i, j.Of)
		return nil
	}
	note("shard %d/%d: %d rows of %d bills are read", i, j.Of, rows, files)
	return nil
}

// ready reports whether the bills are read. If all shards have read theirs it says so in the
// folder, and the next round can begin.
func (j *Job) ready() (bool, error) {
	if j.Bills == nil {
		return true, nil
	}
	path := filepath.Join(j.Dir, "read")
	h, err := j.header("read", 0)
	if err != nil {
		return false, err
	}
	_, err = read(path, h, func(byte, []byte) error { return nil })
	if !errors.Is(err, fs.ErrNotExist) {
		return err == nil, err
	}
	if err := j.complete("usage"); err != nil {
		return false, err
	}
	out, err := create(path, h)
	if err != nil {
		return false, err
	}
	defer out.set.Abort()
	return false, out.close()
}

// covered returns in how many hours the bills have use.
func (j *Job) covered() (hours int, err error) {
	var all [][]byte
	for i := 1; i <= j.Of; i++ {
		var bad error
		err := j.each("usage", i, func(tag byte, b []byte) {
			account, err := accountOf(b)
			if err != nil {
				bad = err
			} else if account == "" && tag == 'U' {
				all = append(all, b)
			}
		})
		if err = errors.Join(err, bad); err != nil {
			return 0, err
		}
	}
	x, pricer := j.terms(), j.Bills.Pricer
	_, _, _, hours, err = pricer.Groups(&x, "", all)
	if err != nil {
		err = fmt.Errorf("the hours of the bills: %w", err)
	}
	return hours, err
}
