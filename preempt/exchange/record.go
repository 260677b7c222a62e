package exchange

import (
	"encoding/base64"
	"encoding/binary"
	"hash/crc32"
	"math"
	"time"
)

// A record is a saved state, or the changes since another record:
//
//	bytes  0–3   the length of the body
//	       4     the kind of record: s, c or p
//	       5–7   the version of the format
//	       8–11  the checksum of another record: for changes, of the record before;
//	             for a state, of the last record whose changes the state includes
//	      12–15  the checksum of bytes 0–11 and of the body
//	      16–    the body
//
// Checksums are CRC-32C, which detects every change within 32 consecutive bits. Since each record
// of changes names the record before it, a reader detects missing records and a wrong order.
const (
	recordState   = 's' // of a manager
	recordChanges = 'c' // of a manager
	recordClient  = 'p'

	recordVersion = 2
	recordHeader  = 16
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func sumOf(record []byte) uint32 {
	return crc32.Update(crc32.Checksum(record[:12], castagnoli), castagnoli, record[recordHeader:])
}

// seal appends a record whose body code writes, and returns the checksum of the record.
func seal(dst []byte, kind byte, before uint32, code func(*coder)) ([]byte, uint32) {
	at := len(dst)
	w := &coder{b: append(dst, make([]byte, recordHeader)...)}
	code(w)
	record := w.b[at:]
	binary.LittleEndian.PutUint32(record, uint32(len(record)-recordHeader))
	record[4], record[5] = kind, recordVersion
	binary.LittleEndian.PutUint32(record[8:], before)
	sum := sumOf(record)
	binary.LittleEndian.PutUint32(record[12:], sum)
	return w.b, sum
}

func sealText(kind byte, before uint32, code func(*coder)) []byte {
	record, _ := seal(nil, kind, before, code)
	return base64.StdEncoding.AppendEncode(nil, record)
}

// open returns the body of a record, the checksum of the record before and its own.
func open(record []byte, kind byte) (body []byte, before, sum uint32, err error) {
	if len(record) < recordHeader || uint64(binary.LittleEndian.Uint32(record)) != uint64(len(record)-recordHeader) ||
		binary.LittleEndian.Uint32(record[12:]) != sumOf(record) {
		return nil, 0, 0, badInput("record", -1, ErrRange, "%d bytes are cut or damaged: want a record as it was appended", len(record))
	}
	if record[4] != kind || record[5] != recordVersion {
		return nil, 0, 0, badInput("record", -1, ErrRange, "kind %q, version %d: want kind %q, version %d", record[4], record[5], kind, recordVersion)
	}
	return record[recordHeader:], binary.LittleEndian.Uint32(record[8:]), binary.LittleEndian.Uint32(record[12:]), nil
}

// unseal opens a record in base64.
func unseal(text []byte, kind byte) (body []byte, before, sum uint32, err error) {
	record, err := base64.StdEncoding.Strict().AppendDecode(nil, text)
	if err != nil {
		return nil, 0, 0, badInput("record", -1, ErrRange, "%w: want the text as MarshalText returned it", err)
	}
	return open(record, kind)
}

func badState() error {
	return badInput("record", -1, ErrRange, "the fields do not fit: want a record as it was appended")
}

// A coder writes fields or reads them, so one list of fields serves both.
type coder struct {
	b    []byte // what is written, or what is left to read
	read bool
	bad  bool
}

// whole reports whether all was read, and nothing was missing.
func (c *coder) whole() bool { return !c.bad && len(c.b) == 0 }

func (c *coder) fail() { c.bad, c.b = true, nil }

func (c *coder) uint(v *uint64) { c.upTo(v, math.MaxUint64) }

func (c *coder) upTo(v *uint64, most uint64) {
	if !c.read {
		c.b = binary.AppendUvarint(c.b, *v)
		return
	}
	x, n := binary.Uvarint(c.b)
	if n <= 0 || x > most {
		*v = 0
		c.fail()
		return
	}
	*v, c.b = x, c.b[n:]
}

// int codes a number that is not negative.
func (c *coder) int(v *int) {
	x := uint64(*v)
	c.upTo(&x, math.MaxInt)
	*v = int(x)
}

// span codes a span that is not negative.
func (c *coder) span(v *time.Duration) {
	x := uint64(*v)
	c.upTo(&x, math.MaxInt64)
	*v = time.Duration(x)
}

// time codes a time that may be negative.
func (c *coder) time(v *time.Duration) {
	x := uint64(*v)<<1 ^ uint64(*v>>63)
	c.uint(&x)
	*v = time.Duration(x>>1) ^ -time.Duration(x&1)
}

func (c *coder) float(v *float64) {
	if !c.read {
		c.b = binary.LittleEndian.AppendUint64(c.b, math.Float64bits(*v))
	} else if len(c.b) < 8 {
		c.fail()
	} else {
		*v, c.b = math.Float64frombits(binary.LittleEndian.Uint64(c.b)), c.b[8:]
	}
}

func (c *coder) byte(v *uint8) {
	if !c.read {
		c.b = append(c.b, *v)
	} else if len(c.b) == 0 {
		c.fail()
	} else {
		*v, c.b = c.b[0], c.b[1:]
	}
}

func (c *coder) flags(flags ...*bool) {
	var bits uint8
	for i, f := range flags {
		if *f {
			bits |= 1 << i
		}
	}
	c.byte(&bits)
	for i, f := range flags {
		*f = bits>>i&1 > 0
	}
	if bits>>len(flags) > 0 {
		c.fail()
	}
}

func (c *coder) text(v *string) {
	n := len(*v)
	c.count(&n, 1)
	if !c.read {
		c.b = append(c.b, *v...)
		return
	}
	*v, c.b = string(c.b[:n]), c.b[n:]
}

// count codes how many entries of at least size bytes follow.
func (c *coder) count(n *int, size int) {
	if c.int(n); c.read && *n > len(c.b)/size {
		*n = 0
		c.fail()
	}
}

// list codes the entries of a list, of at least size bytes each.
func list[T any](c *coder, entries *[]T, size int, code func(*T)) {
	n := len(*entries)
	c.count(&n, size)
	if c.read {
		*entries = append((*entries)[:0:0], make([]T, n)...)
	}
	for i := range *entries {
		code(&(*entries)[i])
	}
}
