package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/examples/internal/filelock"
	"github.com/plimsoll/plimsoll/examples/internal/heldfile"
	"github.com/plimsoll/plimsoll/examples/internal/plain"
)

// lockState keeps other processes from the state until the function that it returns is
// called, so that no order is lost. The lock is of a file beside the state, because the
// state is replaced. The error is the user's mistake.
func (o *options) lockState() (unlock func(), err error) {
	path := o.state
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return nil, cli.Mistakef("cannot read -state %s: it is not a regular file", path)
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	path += ".lock"
	for {
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666)
		if err != nil {
			return nil, cli.Mistakef("cannot write -state %v", err)
		}
		alone, err := filelock.Exclude(f)
		if err == nil && !alone {
			err = errors.New("another process uses it: want one at a time")
		}
		if err != nil {
			f.Close()
			return nil, cli.Mistakef("cannot lock -state %s: %v", o.state, err)
		}
		// Who had the lock before may have removed the file since it was opened here.
		mine, err := f.Stat()
		now, e := os.Stat(path)
		if err == nil && e == nil && os.SameFile(mine, now) {
			return func() { os.Remove(path); f.Close() }, nil
		}
		f.Close()
	}
}

// readState returns the contracts of -state that serve on the day of the order. What was ordered
// on that day is left out: it is decided again, and so a second run changes nothing.
func (r *results) readState() ([]heldfile.Contract, error) {
	if _, err := os.Stat(r.o.state); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	all, err := heldfile.Read("-state", r.o.state)
	if err != nil {
		return nil, err
	}
	today := r.now.Format(time.DateOnly)
	var list []heldfile.Contract
	for i, c := range all {
		end, err := c.End(r.now, r.slot)
		switch _, day := time.Parse(time.DateOnly, fmt.Sprint(c.Until)); {
		case err != nil:
			return nil, err
		case day != nil:
			return nil, cli.Mistakef("-state %s: contract %d: until %v: want a day; give spans with -held, which begins the state anew", r.o.state, i, c.Until)
		case c.Bought > today:
			return nil, cli.Mistakef("-state %s: contract %d was ordered on %s: want a -date from then on, not %s", r.o.state, i, c.Bought, today)
		case c.Bought < today && end.After(r.now):
			list = append(list, c)
		}
	}
	return list, nil
}

// writeState writes what is held with today's order in it.
func (r *results) writeState(run *cli.Run) error {
	out, err := run.Create("state", r.o.state)
	if err != nil {
		return err
	}
	list := []heldfile.Contract{}
	for _, c := range r.own {
		c.Until = c.end.Format(time.DateOnly)
		list = append(list, c.Contract)
	}
	today := r.now.Format(time.DateOnly)
	for i, o := range r.groups[0].advice.Orders {
		list = append(list, heldfile.Contract{ID: fmt.Sprintf("order-%s-%d", today, i+1), Class: o.Class, Count: o.Units,
			Until: o.Until.Format(time.DateOnly), Bought: today})
	}
	data, err := json.MarshalIndent(list, "", "  ")
	if err == nil {
		_, err = fmt.Fprintln(out, plain.JSON(string(data)))
	}
	return err
}
