package parquet

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	pq "github.com/parquet-go/parquet-go"

	"github.com/plimsoll/plimsoll/pricing/usage"
)

// A kilobyte that says that it is gigabytes costs neither their memory nor a panic.
// Seed 1.
func TestSizesThatAreNotThere(t *testing.T) {
	whole := write(t, rows(), 1)
	rnd := rand.New(rand.NewPCG(1, 1))
	footer := int(binary.LittleEndian.Uint32(whole[len(whole)-8:]))
	var before, after runtime.MemStats
	refused := 0
	for i := range 500 {
		data := bytes.Clone(whole)
		switch {
		case i < 4: // the length of the footer
			data[len(data)-8+i] ^= 0xff
		case i%2 == 0: // in the footer
			data[len(data)-8-1-rnd.IntN(footer)] = byte(rnd.Uint32())
		default:
			data[4+rnd.IntN(len(data)-12)] = byte(rnd.Uint32())
		}
		runtime.ReadMemStats(&before)
		_, err := read(t, data)
		runtime.ReadMemStats(&after)
		if used := (after.TotalAlloc - before.TotalAlloc) >> 20; used > 600 {
			t.Errorf("change %d takes %d MB: %v", i, used, err)
		}
		if errors.Is(err, errSize) {
			refused++
		}
	}
	if refused < 7 {
		t.Errorf("%d changes refused for their sizes", refused)
	}
}

func TestWalker(t *testing.T) {
	for name, c := range map[string]struct {
		b   []byte
		bad bool
	}{
		"empty structure":        {[]byte{0}, false},
		"nothing":                {nil, true},
		"integers":               {[]byte{0x15, 2, 0x16, 3, 0x24, 4, 0x13, 9, 0}, false},
		"field by number":        {[]byte{0x05, 20, 2, 0}, false},
		"truths":                 {[]byte{0x11, 0x12, 0}, false},
		"a float":                {append([]byte{0x17}, 0, 0, 0, 0, 0, 0, 0, 0, 0), false},
		"a text":                 {[]byte{0x18, 2, 'a', 'b', 0}, false},
		"a text that is longer":  {[]byte{0x18, 200, 1, 'a', 0}, true},
		"a list":                 {[]byte{0x19, 0x25, 2, 4, 0}, false},
		"a list of truths":       {[]byte{0x19, 0x21, 1, 2, 0}, false},
		"a long list":            {[]byte{0x19, 0xf5, 0xff, 0xff, 0xff, 0x7f, 2, 0}, true},
		"a list of structures":   {[]byte{0x19, 0x2c, 0x15, 2, 0, 0, 0}, false},
		"a set":                  {[]byte{0x1a, 0x13, 7, 0}, false},
		"a map":                  {[]byte{0x1b, 1, 0x58, 2, 1, 'a', 0}, false},
		"an empty map":           {[]byte{0x1b, 0, 0}, false},
		"a map without its end":  {[]byte{0x1b, 9, 0x58, 2, 1, 'a', 0}, true},
		"a structure in another": {[]byte{0x1c, 0x15, 2, 0, 0}, false},
		"another type":           {[]byte{0x1d, 0}, true},
		"no end":                 {[]byte{0x15, 2}, true},
		"depth":                  {bytes.Repeat([]byte{0x1c}, 100), true},
		"a number without end":   {[]byte{0x15, 0xff, 0xff}, true},
	} {
		w := walker{b: c.b}
		if w.structure(0, nil); w.bad != c.bad || !c.bad && w.i != len(c.b) {
			t.Errorf("%s: bad %v at %d of %d", name, w.bad, w.i, len(c.b))
		}
	}
	w := walker{b: []byte{0x15, 2, 0x15, 5, 0x25, 8, 0}}
	got := map[int]int64{}
	w.structure(0, func(field int, v int64) { got[field] = v })
	if got[1] != 1 || got[2] != -3 || got[4] != 4 || len(got) != 3 {
		t.Errorf("%v", got)
	}
}

func TestLZ4(t *testing.T) {
	var b bytes.Buffer
	w := pq.NewGenericWriter[typed](&b, pq.Compression(&pq.Lz4Raw))
	w.Write(rows())
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := read(t, b.Bytes()); !errors.Is(err, usage.ErrForm) || !strings.Contains(err.Error(), "LZ4") {
		t.Error(err)
	}
}
