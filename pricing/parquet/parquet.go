// Package parquet reads bills that are exported as Apache Parquet: FOCUS, and AWS's
// cost and usage report, legacy and 2.0. It is a package of its own because it needs a
// Parquet library, which programs that read CSV do not compile.
//
//	f, err := os.Open("part-00001.snappy.parquet")
//	...
//	info, err := f.Stat()
//	...
//	var c usage.Collector
//	if err := parquet.Read(&c, f.Name(), f, info.Size()); err != nil {
//		return err
//	}
//	bill, err := c.Bill()
//
// What to call:
//
//	You have                        You want                      Call
//	a bill as Parquet               demand and commitments        Read
//	the first bytes of a file       whether it is Parquet         Is
//	several parts of one export     the same                      Read for each, with one Collector
//	a bill whose rows are parted    each row as texts             Rows
//
// What rows mean, and what is left out, is told in packages focus and aws. Costs that are
// floating-point numbers are read as the shortest decimals that stand for them, as
// their producer printed them; decimals and times of all Parquet types are read
// exactly. SkuPriceDetails, product and tags may be maps or texts of JSON.
//
// Memory is that of one page of each column at a time, and does not grow with the
// file. One goroutine at a time may use a Collector.
package parquet

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"math/big"
	"strconv"
	"time"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/format"

	"github.com/plimsoll/plimsoll/internal/inputerr"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/pricing/bill"
	"github.com/plimsoll/plimsoll/pricing/usage"
)

// Is reports whether a file begins as Parquet does.
func Is(head []byte) bool { return bytes.HasPrefix(head, []byte("PAR1")) }

// Read reads a bill as Parquet from r, and adds its rows to c under the given name. r has size
// bytes. The columns tell Read the form of the bill, as in package bill.
//
// The error is an error of r, or an [*pricing.InputError] whose Line is the number of the row, from
// 1. If the file is not Parquet, or has the columns of no known form, the InputError unwraps to
// [usage.ErrForm]. Otherwise it unwraps to an error of [bill.Read].
func Read(c *usage.Collector, name string, r io.ReaderAt, size int64) error {
	return Rows(r, size, func(header []string) (usage.Decoder, error) { return bill.NewDecoder(c, name, "parquet", header) })
}

// Rows reads a Parquet file with any columns, and passes each row on as texts. So a program can
// look at the rows of a bill before a decoder of package focus or aws reads them. r is the file,
// and size is its length in bytes.
//
// Rows calls begin once, with the names of the columns. begin returns a function of type
// [usage.Decoder]. Rows calls this function for each row, with three arguments:
//
//   - the number of the row, from 1;
//   - the fields of the row, nil for null;
//   - the whole row as bytes, which are equal for equal rows.
//
// The fields and the bytes are valid only during the call.
//
// Rows returns an error of begin, of the function, or of r. If the file is damaged, cut off or not
// Parquet, the error is an [*pricing.InputError], as for [Read].
func Rows(r io.ReaderAt, size int64, begin func(header []string) (usage.Decoder, error)) (err error) {
	row := 0
	source := &readerAt{r: r}
	defer func() { // the library panics on files that contradict themselves
		if p := recover(); p != nil {
			err = inputerr.At("parquet", row, 0, "", usage.ErrForm, "%v: want a whole Parquet file", p)
		}
		if source.err != nil {
			err = source.err
		}
	}()
	broken := func(err error) error {
		return inputerr.At("parquet", row, 0, "", usage.ErrForm, "%w: want a whole Parquet file", err)
	}
	if err := checkFooter(source, size); err != nil {
		return broken(err)
	}
	file, err := parquet.OpenFile(source, size, parquet.SkipBloomFilters(true), parquet.SkipPageIndex(true))
	if err != nil {
		return broken(err)
	}
	if err := checkPages(source, size, file); err != nil {
		return broken(err)
	}
	t := newTable(file)
	decode, err := begin(t.header)
	if err != nil {
		if in, ok := err.(*pricing.InputError); ok {
			in.Package, in.Line = "parquet", 0
		}
		return err
	}
	var batch [64]parquet.Row
	for _, group := range file.RowGroups() {
		rows := group.Rows()
		for {
			n, err := rows.ReadRows(batch[:])
			for _, v := range batch[:n] {
				row++
				t.decode(v)
				if err := decode(row, t.fields, t.raw); err != nil {
					rows.Close()
					return err
				}
			}
			if err != nil && !errors.Is(err, io.EOF) {
				rows.Close()
				row++
				return broken(err)
			}
			if err != nil || n == 0 {
				break
			}
		}
		if err := rows.Close(); err != nil {
			return err
		}
	}
	if int64(row) != file.NumRows() {
		return inputerr.At("parquet", row, 0, "", usage.ErrTruncated, "%d rows of %d: want the whole file", row, file.NumRows())
	}
	return nil
}

// readerAt remembers an error of the source, so that it is told from those of the
// file.
type readerAt struct {
	r   io.ReaderAt
	err error
}

func (r *readerAt) ReadAt(b []byte, off int64) (int, error) {
	if off < 0 { // by a footer that contradicts itself
		return 0, io.ErrUnexpectedEOF
	}
	n, err := r.r.ReadAt(b, off)
	if n == len(b) { // all of it: a source may add io.EOF at its end
		return n, nil
	}
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF && r.err == nil {
		r.err = err
	}
	return n, err
}

// A table turns rows into texts.
type table struct {
	header []string
	fields [][]byte
	leaves []leaf
	buf    []byte
	raw    []byte
	spans  [][2]int // of fields in buf, -1 for null
	maps   []map[string]string
}

// A leaf is a column of values.
type leaf struct {
	field int // index in header, -1 where it is part of something that is not read
	kind  func(b []byte, v parquet.Value) []byte
	part  part // of a map
}

type part uint8

const (
	whole part = iota
	mapKey
	mapValue
)

func newTable(file *parquet.File) *table {
	t := &table{}
	elements := leafElements(file)
	for _, column := range file.Root().Columns() {
		logical := ""
		if l := column.Type().LogicalType(); l != nil {
			logical = l.String()
		}
		leaves := leavesOf(column)
		field := len(t.header)
		switch {
		case len(leaves) == 1 && column.Leaf() && !column.Repeated():
			t.header = append(t.header, column.Name())
		case isMap(column, logical, leaves):
			t.header = append(t.header, column.Name())
			key := leaves[0]
			if leaves[1].Name() == "key" {
				key = leaves[1]
			}
			for _, l := range leaves {
				p := mapValue
				if l == key {
					p = mapKey
				}
				t.leaves = append(t.leaves, leaf{field, textOf(l, elements), p})
			}
			continue
		default:
			field = -1
		}
		for _, l := range leaves {
			t.leaves = append(t.leaves, leaf{field, textOf(l, elements), whole})
		}
	}
	t.fields = make([][]byte, len(t.header))
	t.spans = make([][2]int, len(t.header))
	t.maps = make([]map[string]string, len(t.header))
	return t
}

// isMap reports whether a column is a map from text to values.
func isMap(column *parquet.Column, logical string, leaves []*parquet.Column) bool {
	if len(leaves) != 2 || column.Leaf() {
		return false
	}
	if logical == "MAP" {
		return true
	}
	entries := column.Columns()
	return len(entries) == 1 && entries[0].Repeated() && entries[0].Column("key") != nil && entries[0].Column("value") != nil
}

func leavesOf(c *parquet.Column) []*parquet.Column {
	if c.Leaf() {
		return []*parquet.Column{c}
	}
	var all []*parquet.Column
	for _, child := range c.Columns() {
		all = append(all, leavesOf(child)...)
	}
	return all
}

// leafElements returns the elements of the file's schema that are leaves, in order.
func leafElements(file *parquet.File) []format.SchemaElement {
	var all []format.SchemaElement
	for _, e := range file.Metadata().Schema {
		if n, ok := e.NumChildren.Get(); !ok || n == 0 {
			all = append(all, e)
		}
	}
	return all
}

// textOf returns what appends a value of a column as text.
func textOf(c *parquet.Column, elements []format.SchemaElement) func(b []byte, v parquet.Value) []byte {
	var e format.SchemaElement
	if i := c.Index(); i >= 0 && i < len(elements) {
		e = elements[i]
	}
	converted, _ := e.ConvertedType.Get()
	_, old := e.ConvertedType.Get()
	var logical format.LogicalTypeValue
	if l := c.Type().LogicalType(); l != nil {
		logical = l.Value
	}
	switch l := logical.(type) {
	case *format.DecimalType:
		return decimal(int(l.Scale))
	case *format.TimestampType:
		if l.Unit.Value != nil {
			return timestamp(l.Unit.Value.Duration())
		}
	case *format.DateType:
		return date
	}
	if old {
		switch converted {
		case deprecated.Decimal:
			scale, _ := e.Scale.Get()
			return decimal(int(scale))
		case deprecated.TimestampMillis:
			return timestamp(time.Millisecond)
		case deprecated.TimestampMicros:
			return timestamp(time.Microsecond)
		case deprecated.Date:
			return date
		}
	}
	return plain
}

// plain appends a number, a text or a truth.
func plain(b []byte, v parquet.Value) []byte {
	switch v.Kind() {
	case parquet.Boolean:
		return strconv.AppendBool(b, v.Boolean())
	case parquet.Int32:
		return strconv.AppendInt(b, int64(v.Int32()), 10)
	case parquet.Int64:
		return strconv.AppendInt(b, v.Int64(), 10)
	case parquet.Float:
		return strconv.AppendFloat(b, float64(v.Float()), 'g', -1, 32)
	case parquet.Double:
		return strconv.AppendFloat(b, v.Double(), 'g', -1, 64)
	case parquet.Int96: // nanoseconds of the day, then the Julian day
		n := v.Int96()
		nanos := int64(uint64(n[1])<<32 | uint64(n[0]))
		return when(b, time.Unix((int64(n[2])-2440588)*86400, nanos))
	}
	return append(b, v.ByteArray()...)
}

func when(b []byte, t time.Time) []byte { return t.UTC().AppendFormat(b, time.RFC3339Nano) }

func timestamp(unit time.Duration) func(b []byte, v parquet.Value) []byte {
	per := int64(time.Second / unit)
	return func(b []byte, v parquet.Value) []byte {
		if v.Kind() != parquet.Int64 {
			return plain(b, v)
		}
		n := v.Int64()
		s, rest := n/per, n%per
		if rest < 0 {
			s, rest = s-1, rest+per
		}
		return when(b, time.Unix(s, rest*int64(unit)))
	}
}

func date(b []byte, v parquet.Value) []byte {
	if v.Kind() != parquet.Int32 {
		return plain(b, v)
	}
	return time.Unix(int64(v.Int32())*86400, 0).UTC().AppendFormat(b, time.DateOnly)
}

// decimal appends a whole number with a decimal point scale digits from its end.
func decimal(scale int) func(b []byte, v parquet.Value) []byte {
	return func(b []byte, v parquet.Value) []byte {
		var n big.Int
		switch v.Kind() {
		case parquet.Int32:
			n.SetInt64(int64(v.Int32()))
		case parquet.Int64:
			n.SetInt64(v.Int64())
		case parquet.ByteArray, parquet.FixedLenByteArray: // two's complement, the highest byte first
			text := v.ByteArray()
			n.SetBytes(text)
			if len(text) > 0 && text[0] >= 0x80 {
				n.Sub(&n, new(big.Int).Lsh(big.NewInt(1), uint(8*len(text))))
			}
		default:
			return plain(b, v)
		}
		b = n.Append(b, 10)
		if scale > 0 {
			b = append(b, 'e', '-')
			b = strconv.AppendInt(b, int64(scale), 10)
		}
		return b
	}
}

// decode puts the texts of a row into fields, and all of it into raw.
func (t *table) decode(row parquet.Row) {
	t.buf, t.raw = t.buf[:0], t.raw[:0]
	for i := range t.spans {
		t.spans[i] = [2]int{-1, -1}
		t.maps[i] = nil
	}
	key := ""
	var keys []string
	row.Range(func(column int, values []parquet.Value) bool {
		l := &t.leaves[column]
		if l.part == mapKey {
			keys = keys[:0]
		}
		for i, v := range values {
			if l.part == whole { // maps follow below: their entries have no order
				t.raw = binary.LittleEndian.AppendUint16(t.raw, uint16(column))
			}
			if v.IsNull() {
				if l.part == whole {
					t.raw = append(t.raw, 0xff)
				}
				if l.part == mapKey {
					keys = append(keys, "")
				}
				continue
			}
			from := len(t.buf)
			t.buf = l.kind(t.buf, v)
			text := t.buf[from:]
			if l.part == whole {
				t.raw = append(append(t.raw, text...), 0xff)
			}
			switch {
			case l.field < 0:
				t.buf = t.buf[:from]
			case l.part == whole:
				t.spans[l.field] = [2]int{from, len(t.buf)}
			case l.part == mapKey:
				keys = append(keys, string(text))
				t.buf = t.buf[:from]
			default:
				if key = ""; i < len(keys) {
					key = keys[i]
				}
				if t.maps[l.field] == nil {
					t.maps[l.field] = map[string]string{}
				}
				t.maps[l.field][key] = string(text)
				t.buf = t.buf[:from]
			}
		}
		return true
	})
	for i, s := range t.spans {
		switch {
		case t.maps[i] != nil:
			t.fields[i], _ = json.Marshal(t.maps[i]) // its keys are sorted
			t.raw = append(binary.LittleEndian.AppendUint16(t.raw, uint16(i)), t.fields[i]...)
		case s[0] < 0:
			t.fields[i] = nil
		default:
			t.fields[i] = t.buf[s[0]:s[1]]
		}
	}
}
