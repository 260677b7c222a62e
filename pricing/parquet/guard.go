package parquet

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
)

// A guard against files that state false sizes.
//
// The Parquet library allocates as much as a file states, so a file of a kilobyte can make it
// allocate four gigabytes. So this package checks the structures of a file first, which are in
// Thrift's compact protocol. No text or list may be longer than the rest of its structure. No
// page, unless it is small, may state a size of more than a thousand times its stored size.
// The check reads headers only, and skips the contents of pages.

var errSize = errors.New("a size that the file does not have")

const (
	mostFooter = 256 << 20
	smallPage  = 16 << 20 // pages are of a megabyte or so
	mostRatio  = 1100     // deflate packs 1032 bytes into one at most
	headerRoom = 64 << 10 // for a header of a page
)

// checkFooter checks the structures at the end of a file of the given size.
func checkFooter(r io.ReaderAt, size int64) error {
	var tail [8]byte
	if size < 12 {
		return fmt.Errorf("%d bytes", size)
	}
	if _, err := r.ReadAt(tail[:], size-8); err != nil {
		return err
	}
	if string(tail[4:]) != "PAR1" {
		return errors.New("no PAR1 at the end")
	}
	n := int64(binary.LittleEndian.Uint32(tail[:4]))
	if n > size-12 || n > mostFooter {
		return fmt.Errorf("%w: a footer of %d bytes in %d", errSize, n, size)
	}
	footer := make([]byte, n)
	if _, err := r.ReadAt(footer, size-8-n); err != nil {
		return err
	}
	w := walker{b: footer}
	if w.structure(0, nil); w.bad {
		return fmt.Errorf("%w: in the footer", errSize)
	}
	return nil
}

// checkPages checks the headers of all pages.
func checkPages(r io.ReaderAt, size int64, file *parquet.File) error {
	buf := make([]byte, headerRoom)
	for _, group := range file.Metadata().RowGroups {
		for i := range group.Columns {
			m := &group.Columns[i].MetaData
			if m.Codec == format.Lz4Raw {
				return errors.New("columns compressed with LZ4, which is not read: want them uncompressed or with snappy, gzip, zstd or brotli")
			}
			at, left := m.DataPageOffset, m.TotalCompressedSize
			if d := m.DictionaryPageOffset; d > 0 && d < at {
				at = d
			}
			for left > 0 {
				if at < 0 || left > size-at {
					return fmt.Errorf("%w: a column of %d bytes at byte %d of %d", errSize, left, at, size)
				}
				n, err := r.ReadAt(buf[:min(headerRoom, size-at)], at)
				if err != nil && err != io.EOF {
					return err
				}
				w := walker{b: buf[:n]}
				var page [3]int64 // type, uncompressed and compressed size
				w.structure(0, func(field int, v int64) {
					if field >= 1 && field <= 3 {
						page[field-1] = v
					}
				})
				if w.bad || page[1] < 0 || page[2] < 0 || page[2] > left || page[1] > smallPage && page[1] > mostRatio*page[2] {
					return fmt.Errorf("%w: a page of %d bytes, %d uncompressed, at byte %d", errSize, page[2], page[1], at)
				}
				step := int64(w.i) + page[2]
				at, left = at+step, left-step
			}
		}
	}
	return nil
}

// walker walks over values of Thrift's compact protocol.
type walker struct {
	b   []byte
	i   int
	bad bool
}

// Types of values in the compact protocol.
const (
	boolTrue   = 1
	boolFalse  = 2
	int8Type   = 3
	int16Type  = 4
	int32Type  = 5
	int64Type  = 6
	doubleType = 7
	binaryType = 8
	listType   = 9
	setType    = 10
	mapType    = 11
	structType = 12
)

// structure walks over a structure, and tells the integers of its own fields.
func (w *walker) structure(depth int, tell func(field int, v int64)) {
	field := 0
	for !w.bad {
		head := w.byte()
		if head == 0 || w.bad {
			return
		}
		if delta := int(head >> 4); delta > 0 {
			field += delta
		} else {
			field = int(w.zigzag())
		}
		v := w.value(head&15, depth+1)
		if kind := head & 15; tell != nil && kind >= int16Type && kind <= int64Type {
			tell(field, v)
		}
	}
}

// value walks over a value, and returns it if it is an integer.
func (w *walker) value(kind byte, depth int) int64 {
	if depth > 32 {
		w.bad = true
	}
	if w.bad {
		return 0
	}
	switch kind {
	case boolTrue, boolFalse:
	case int8Type:
		w.skip(1)
	case int16Type, int32Type, int64Type:
		return w.zigzag()
	case doubleType:
		w.skip(8)
	case binaryType:
		w.skip(w.varint())
	case listType, setType:
		head := w.byte()
		n := uint64(head >> 4)
		if n == 15 {
			n = w.varint()
		}
		w.elements(n, head&15, depth)
	case mapType:
		n := w.varint()
		if n == 0 {
			return 0
		}
		kinds := w.byte()
		for ; n > 0 && !w.bad; n-- {
			w.elements(1, kinds>>4, depth)
			w.elements(1, kinds&15, depth)
		}
	case structType:
		w.structure(depth, nil)
	default:
		w.bad = true
	}
	return 0
}

// elements walks over the elements of a list, each of which has a byte at least.
func (w *walker) elements(n uint64, kind byte, depth int) {
	if n > uint64(len(w.b)-w.i) {
		w.bad = true
	}
	for ; n > 0 && !w.bad; n-- {
		if kind == boolTrue || kind == boolFalse {
			w.skip(1)
			continue
		}
		w.value(kind, depth+1)
	}
}

func (w *walker) byte() byte {
	if w.i >= len(w.b) {
		w.bad = true
		return 0
	}
	w.i++
	return w.b[w.i-1]
}

func (w *walker) skip(n uint64) {
	if n > uint64(len(w.b)-w.i) {
		w.bad = true
		return
	}
	w.i += int(n)
}

func (w *walker) varint() uint64 {
	v, n := binary.Uvarint(w.b[w.i:])
	if n <= 0 {
		w.bad = true
		return 0
	}
	w.i += n
	return v
}

func (w *walker) zigzag() int64 {
	v := w.varint()
	return int64(v>>1) ^ -int64(v&1)
}
