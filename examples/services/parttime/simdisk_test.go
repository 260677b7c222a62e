package main

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"

	"github.com/plimsoll/plimsoll/examples/internal/chain"
)

// simDisk is a disk of a simulation. What is written survives a kill. After a loss of power,
// each file has what was synced and some of the writes since, in their order, of which the last
// may be torn; and the folder has some of the changes of names since it was synced. A fuse ends
// the process in the middle of a write.
type simDisk struct {
	rng     *rand.Rand
	files   map[string]*simFile
	durable map[string]*simFile // the names that survive a loss of power,
	names   []func()            // and what has changed of them since
	fuse    int                 // writes until the process is killed; -1: none
	lies    bool                // a fault that is planted: syncs do nothing
	old     map[string]*simFile // a copy
}

type simFile struct {
	disk   *simDisk
	data   []byte
	synced []byte
	since  []simWrite
}

// simWrite is a write, or a truncation if data is nil.
type simWrite struct {
	at   int64
	data []byte
}

var errKilled = errors.New("killed")

func newSimDisk(rng *rand.Rand) *simDisk {
	return &simDisk{rng: rng, files: map[string]*simFile{}, durable: map[string]*simFile{}, fuse: -1}
}

// dead reports whether the fuse has blown.
func (d *simDisk) dead() bool { return d.fuse == 0 }

func (d *simDisk) spend() error {
	if d.fuse > 0 {
		d.fuse--
	}
	if d.fuse == 0 {
		return errKilled
	}
	return nil
}

// write changes a text.
func (w simWrite) apply(data []byte) []byte {
	if w.data == nil {
		return data[:w.at]
	}
	if need := int(w.at) + len(w.data); need > len(data) {
		data = append(data, make([]byte, need-len(data))...)
	}
	copy(data[w.at:], w.data)
	return data
}

func (f *simFile) WriteAt(data []byte, at int64) (int, error) {
	err := f.disk.spend()
	if err != nil {
		data = data[:f.disk.rng.IntN(len(data)+1)]
	}
	w := simWrite{at, bytes.Clone(data)}
	if w.data != nil {
		f.data, f.since = w.apply(f.data), append(f.since, w)
	}
	return len(data), err
}

func (f *simFile) Truncate(size int64) error {
	if err := f.disk.spend(); err != nil {
		return err
	}
	f.data, f.since = f.data[:size], append(f.since, simWrite{size, nil})
	return nil
}

func (f *simFile) Sync() error {
	if err := f.disk.spend(); err != nil {
		return err
	}
	if !f.disk.lies {
		f.synced, f.since = bytes.Clone(f.data), f.since[:0]
	}
	return nil
}

func (f *simFile) Close() error { return nil }

// keep makes a copy of all files.
func (d *simDisk) keep() {
	d.old = map[string]*simFile{}
	for name, f := range d.files {
		d.old[name] = &simFile{disk: d, data: bytes.Clone(f.data), synced: bytes.Clone(f.data)}
	}
}

// powerLoss leaves what survives one.
func (d *simDisk) powerLoss() {
	for _, change := range d.names[:d.rng.IntN(len(d.names)+1)] {
		change()
	}
	d.names = nil
	d.files = maps.Clone(d.durable)
	for _, name := range slices.Sorted(maps.Keys(d.files)) {
		f := d.files[name]
		data := bytes.Clone(f.synced)
		n := d.rng.IntN(len(f.since) + 1)
		for _, w := range f.since[:n] {
			data = w.apply(data)
		}
		if n < len(f.since) && f.since[n].data != nil && f.since[n].at >= chain.Start { // a mark is in one sector, which is written whole
			w := f.since[n]
			torn := bytes.Clone(w.data[:d.rng.IntN(len(w.data)+1)])
			if len(torn) > 0 && d.rng.IntN(2) == 0 {
				torn[len(torn)-1] ^= 0x55
			}
			data = simWrite{w.at, torn}.apply(data)
		}
		f.data, f.synced, f.since = data, bytes.Clone(data), nil
	}
}

func (d *simDisk) Check(string) error             { return nil }
func (d *simDisk) Lock(string) (io.Closer, error) { return io.NopCloser(nil), nil }

func (d *simDisk) Read(name string) ([]byte, error) {
	f := d.files[name]
	if f == nil {
		return nil, fs.ErrNotExist
	}
	return append([]byte{}, f.data...), nil
}

func (d *simDisk) Create(name string) (chain.File, error) {
	if err := d.spend(); err != nil {
		return nil, err
	}
	f := &simFile{disk: d}
	d.files[name] = f
	d.names = append(d.names, func() { d.durable[name] = f })
	return f, nil
}

func (d *simDisk) Rename(from, to string) error {
	if err := d.spend(); err != nil {
		return err
	}
	f := d.files[from]
	d.files[to] = f
	delete(d.files, from)
	d.names = append(d.names, func() { d.durable[to] = f; delete(d.durable, from) })
	return nil
}

func (d *simDisk) Remove(name string) error {
	if d.files[name] == nil {
		return fs.ErrNotExist
	}
	if err := d.spend(); err != nil {
		return err
	}
	delete(d.files, name)
	d.names = append(d.names, func() { delete(d.durable, name) })
	return nil
}

func (d *simDisk) List(beginning string) (names []string, err error) {
	for _, name := range slices.Sorted(maps.Keys(d.files)) {
		if strings.HasPrefix(name, beginning) {
			names = append(names, filepath.Base(name))
		}
	}
	return names, nil
}

func (d *simDisk) SyncFolder(string) error {
	if err := d.spend(); err != nil {
		return err
	}
	if !d.lies {
		for _, change := range d.names {
			change()
		}
		d.names = d.names[:0]
	}
	return nil
}

// flip flips a bit of a file, and returns what flips it back.
func (d *simDisk) flip() func() {
	names := slices.Sorted(maps.Keys(d.files))
	if len(names) == 0 {
		return func() {}
	}
	f := d.files[names[d.rng.IntN(len(names))]]
	if len(f.data) == 0 {
		return func() {}
	}
	at, bit := d.rng.IntN(len(f.data)), byte(1)<<d.rng.IntN(8)
	if len(f.data) > chain.Start && d.rng.IntN(2) == 0 { // where the records are
		at = chain.Start + d.rng.IntN(len(f.data)-chain.Start)
	}
	f.data[at] ^= bit
	return func() { f.data[at] ^= bit }
}

// unmarked reports whether the last log had a record that nobody was told of.
func (d *simDisk) unmarked() bool {
	for _, f := range d.files {
		if s, err := chain.Scan(f.data); err == nil && s.Marked < s.End+s.Torn {
			return true
		}
	}
	return false
}
