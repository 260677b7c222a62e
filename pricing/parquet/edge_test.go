package parquet

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	pq "github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/format"

	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/pricing/usage"
)

// compact writes values of Thrift's compact protocol.
func compact(parts ...any) []byte {
	var b []byte
	for _, p := range parts {
		switch p := p.(type) {
		case byte:
			b = append(b, p)
		case int: // a zigzag number
			b = binary.AppendVarint(b, int64(p))
		case string: // with its length
			b = append(binary.AppendUvarint(b, uint64(len(p))), p...)
		}
	}
	return b
}

// Whatever stands before them, the numbers of a structure's own fields are told, by their
// fields; those within other values are not.
func TestWalkerTells(t *testing.T) {
	const number = byte(0x15) // of the next field
	for name, c := range map[string]struct {
		b    []byte
		want string
	}{
		"kinds":                 {compact(byte(0x14), 1, byte(0x15), -2, byte(0x16), 1<<30, byte(0x11), byte(0x13), byte(9), number, 3, byte(0)), "map[1:1 2:-2 3:1073741824 6:3]"},
		"a gap":                 {compact(byte(0x35), 7, byte(0xf5), 8, byte(0)), "map[3:7 18:8]"},
		"a field by its number": {compact(byte(0x05), 100, 7, number, 8, byte(0)), "map[100:7 101:8]"},
		"a map of long keys":    {compact(byte(0x1b), byte(2), byte(0x58), 1000, "text", 2000, "x", number, 5, byte(0)), "map[2:5]"},
		"a map to structures":   {compact(byte(0x1b), byte(1), byte(0x8c), "key", number, 300, byte(0), number, 5, byte(0)), "map[2:5]"},
		"lists in lists":        {compact(byte(0x19), byte(0x29), byte(0x25), 1000, 2, byte(0x15), 3000, number, 5, byte(0)), "map[2:5]"},
		"truths, then a number": {compact(byte(0x19), byte(0x31), byte(1), byte(2), byte(1), number, 5, byte(0)), "map[2:5]"},
		"a long list":           {append(append(compact(byte(0x19), byte(0xf3), byte(20)), make([]byte, 20)...), compact(number, 5, byte(0))...), "map[2:5]"},
	} {
		got := map[int]int64{}
		w := walker{b: c.b}
		w.structure(0, func(field int, v int64) { got[field] = v })
		if s := fmt.Sprint(got); s != c.want || w.bad || w.i != len(c.b) {
			t.Errorf("%s: %s, bad %v at %d of %d, want %s", name, s, w.bad, w.i, len(c.b), c.want)
		}
	}
	// What is too long by the bytes that were read before is too long.
	for name, b := range map[string][]byte{
		"a text":                    append(compact("abcdefgh")[:0], 0x13, 1, 0x13, 1, 0x13, 1, 0x18, 5, 'a', 0),
		"the first text of two":     {0x13, 1, 0x13, 1, 0x13, 1, 0x19, 0x28, 4, 'a', 0},
		"a list":                    {0x13, 1, 0x13, 1, 0x13, 1, 0x19, 0x53, 1, 0},
		"a number of eleven sevens": append(append([]byte{0x15}, bytes.Repeat([]byte{0x81}, 11)...), 0),
	} {
		w := walker{b: b}
		if w.structure(0, nil); !w.bad {
			t.Errorf("%s: taken", name)
		}
	}
	// A list in a list in a list: 32 deep and no deeper.
	nested := func(n int) []byte {
		return append(append([]byte{0x19}, bytes.Repeat([]byte{0x19}, n)...), 0x13, 7, 0)
	}
	deepest := 0
	for n := range 100 {
		w := walker{b: nested(n)}
		if w.structure(0, nil); !w.bad {
			deepest = n
		}
	}
	if deepest != 30 { // with the first list and the number 32
		t.Errorf("%d lists in a list are taken, want 30", deepest)
	}
	for depth, bad := range map[int]bool{32: false, 33: true} {
		w := walker{b: append(bytes.Repeat([]byte{0x1c}, depth), make([]byte, depth+1)...)}
		if w.structure(0, nil); w.bad != bad {
			t.Errorf("%d structures in each other: bad %v", depth, w.bad)
		}
	}
}

// A page may say what it has, up to a limit, and a column may lie where the file is.
func TestPages(t *testing.T) {
	whole := write(t, rows(), 1)
	page := func(uncompressed, compressed, have int) []byte {
		head := compact(byte(0x15), 0, byte(0x15), uncompressed, byte(0x15), compressed, byte(0))
		return append(append([]byte("PAR1"), head...), make([]byte, have)...)
	}
	const most = mostRatio
	for name, c := range map[string]struct {
		file   []byte
		at     int64
		length int64 // of the column; 0 for the rest of the file
		ok     bool
	}{
		"as it is":               {page(100, 50, 50), 4, 0, true},
		"two pages":              {append(page(100, 50, 50), page(9, 5, 5)[4:]...), 4, 0, true},
		"the second is longer":   {append(page(100, 50, 50), page(9, 16, 5)[4:]...), 4, 0, false},
		"longer than the column": {page(100, 60, 50), 4, 0, false},
		"the column is cut":      {page(100, 50, 50), 4, 20, false},
		"the column is longer":   {page(100, 50, 50), 4, 1000, false},
		"without its header":     {page(100, 50, 50), 4, 50, true}, // which some writers do not count
		"a byte past the end":    {page(100, 50, 50), 4, int64(len(page(100, 50, 50))) - 3, false},
		"behind the end":         {page(100, 50, 50), 1000, 5, false},
		"before the start":       {page(100, 50, 50), -4, 5, false},
		"an empty page":          {page(0, 0, 0), 4, 0, true},
		"negative":               {page(-1, 50, 50), 4, 0, false},
		"negative, packed":       {page(100, -1, 50), 4, 0, false},
		"small, from nothing":    {page(smallPage, 1, 1), 4, 0, true},
		"large, from nothing":    {page(smallPage+1, 1, 1), 4, 0, false},
		"large, packed well":     {page(most*16000, 16000, 16000), 4, 0, true},
		"large, packed too well": {page(most*16000+1, 16000, 16000), 4, 0, false},
	} {
		file, err := pq.OpenFile(bytes.NewReader(whole), int64(len(whole)))
		if err != nil {
			t.Fatal(err)
		}
		groups := file.Metadata().RowGroups
		for i := range groups[0].Columns { // one column is left
			m := &groups[0].Columns[i].MetaData
			m.TotalCompressedSize = 0
			if i == 0 {
				m.DictionaryPageOffset, m.DataPageOffset, m.TotalCompressedSize = 0, c.at, c.length
				if c.length == 0 {
					m.TotalCompressedSize = int64(len(c.file)) - 4
				}
			}
		}
		err = checkPages(bytes.NewReader(c.file), int64(len(c.file)), file)
		if (err == nil) != c.ok || err != nil && !errors.Is(err, errSize) {
			t.Errorf("%s: %v", name, err)
		}
	}
	// The dictionary comes before the data and belongs to the column.
	file, err := pq.OpenFile(bytes.NewReader(whole), int64(len(whole)))
	if err != nil {
		t.Fatal(err)
	}
	text := append(page(100, 50, 50), page(9, 5, 5)[4:]...)
	for i := range file.Metadata().RowGroups[0].Columns {
		m := &file.Metadata().RowGroups[0].Columns[i].MetaData
		m.TotalCompressedSize = 0
		if i == 0 {
			m.DictionaryPageOffset, m.DataPageOffset, m.TotalCompressedSize = 4, int64(len(page(100, 50, 50))), int64(len(text))-4
		}
	}
	if err := checkPages(bytes.NewReader(text), int64(len(text)), file); err != nil {
		t.Errorf("a dictionary: %v", err)
	}
	if err := checkPages(bytes.NewReader(text[:len(text)-30]), int64(len(text)), file); !errors.Is(err, errSize) {
		t.Errorf("a file that is shorter than said: %v", err)
	}
	failed := errors.New("failed")
	if err := checkPages(&fails{bytes.NewReader(text), 0, failed}, int64(len(text)), file); err != failed {
		t.Errorf("a source that fails at a page: %v", err)
	}
}

// eager says io.EOF with the last byte, as io.ReaderAt allows.
type eager struct{ b []byte }

func (e eager) ReadAt(b []byte, off int64) (int, error) {
	n, err := bytes.NewReader(e.b).ReadAt(b, off)
	if err == nil && off+int64(n) == int64(len(e.b)) {
		err = io.EOF
	}
	return n, err
}

func TestEndWithTheData(t *testing.T) {
	data := write(t, rows(), 2)
	want, err := read(t, data)
	if err != nil {
		t.Fatal(err)
	}
	var c usage.Collector
	if err := Read(&c, "x", eager{data}, int64(len(data))); err != nil {
		t.Fatal(err)
	}
	if got, err := c.Bill(); err != nil || !cmp.Equal(want, got, cmp.Comparer(func(a, b usage.Amount) bool { return a == b }), cmpopts.IgnoreUnexported(usage.Bill{})) {
		t.Errorf("%+v, %v", got, err)
	}
	// One byte more than there is.
	err = Read(new(usage.Collector), "x", eager{data}, int64(len(data))+1)
	if !errors.Is(err, usage.ErrForm) {
		t.Errorf("a size of a byte more: %v", err)
	}
}

// Rows by the hundred, in groups that are no multiples of a batch, come out in order; a damaged
// page ends them with its row.
func TestManyRows(t *testing.T) {
	type line struct {
		N     int64
		Words map[string]string
		More  map[string]string
		Text  string
	}
	var b bytes.Buffer
	w := pq.NewGenericWriter[line](&b, pq.Compression(&pq.Gzip))
	n := 0
	for _, size := range []int{64, 1, 200, 63, 128} {
		for range size {
			w.Write([]line{{int64(n), map[string]string{"a": fmt.Sprint(n)}, map[string]string{"b": fmt.Sprint(-n), "c": ""}, strings.Repeat("text ", n%7)}})
			n++
		}
		if err := w.Flush(); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	count := func(data []byte) (rows int, err error) {
		err = Rows(bytes.NewReader(data), int64(len(data)), func(header []string) (usage.Decoder, error) {
			at := [4]int{slices.Index(header, "N"), slices.Index(header, "Words"), slices.Index(header, "More"), slices.Index(header, "Text")}
			return func(line int, row [][]byte, raw []byte) error {
				got := fmt.Sprintf("%d %s %s %s %s", line, row[at[0]], row[at[1]], row[at[2]], row[at[3]])
				want := fmt.Sprintf("%d %d {\"a\":\"%d\"} {\"b\":\"%d\",\"c\":\"\"} %s", rows+1, rows, rows, -rows, strings.Repeat("text ", rows%7))
				if rows++; got != want {
					return fmt.Errorf("%s, want %s", got, want)
				}
				return nil
			}, nil
		})
		return rows, err
	}
	if rows, err := count(b.Bytes()); rows != n || err != nil {
		t.Fatalf("%d rows of %d, %v", rows, n, err)
	}
	rng := rand.New(rand.NewPCG(3, 0))
	damaged := 0
	for range 300 {
		data := bytes.Clone(b.Bytes())
		data[4+rng.IntN(len(data)*3/4)] ^= byte(1 + rng.IntN(255))
		rows, err := count(data)
		if err == nil { // a number of a page's statistics, or a checksum that is not looked at
			if rows != n {
				t.Errorf("%d rows of %d without an error", rows, n)
			}
			continue
		}
		var in *pricing.InputError
		if errors.As(err, &in) {
			damaged++
			if !strings.HasPrefix(err.Error(), "parquet: ") || in.Line > rows+64 || rows == n {
				t.Errorf("after %d rows: %v", rows, err)
			}
		}
	}
	if damaged < 30 {
		t.Errorf("%d changes are noticed, want 30 at least", damaged)
	}
}

// Columns whose types are told as before there were logical types, and values that their
// column's type does not fit.
func TestOldTypes(t *testing.T) {
	type line struct{ A, B int64 }
	var b bytes.Buffer
	w := pq.NewGenericWriter[line](&b)
	w.Write([]line{{1, 2}})
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	file, err := pq.OpenFile(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		t.Fatal(err)
	}
	elements := leafElements(file)
	if len(elements) != 2 || elements[0].Name != "A" || elements[1].Name != "B" {
		t.Fatalf("leaves %+v", elements)
	}
	for _, c := range []struct {
		column string
		kind   deprecated.ConvertedType
		v      pq.Value
		want   string
	}{
		{"A", deprecated.TimestampMillis, pq.Int64Value(1500), "1970-01-01T00:00:01.5Z"},
		{"B", deprecated.TimestampMicros, pq.Int64Value(-1), "1969-12-31T23:59:59.999999Z"},
		{"A", deprecated.Date, pq.Int32Value(31), "1970-02-01"},
		{"A", deprecated.Date, pq.Int64Value(31), "31"},
		{"A", deprecated.TimestampMillis, pq.ByteArrayValue([]byte("soon")), "soon"},
		{"B", deprecated.Decimal, pq.Int64Value(-15), "-15e-3"},
		{"B", deprecated.Decimal, pq.DoubleValue(1.5), "1.5"},
		{"B", deprecated.UTF8, pq.Int64Value(5), "5"},
	} {
		changed := slices.Clone(elements)
		e := &changed[slices.IndexFunc(changed, func(e format.SchemaElement) bool { return e.Name == c.column })]
		e.ConvertedType.Set(c.kind)
		e.Scale.Set(3)
		if got := string(textOf(file.Root().Column(c.column), changed)(nil, c.v)); got != c.want {
			t.Errorf("%v as %v: %s, want %s", c.v, c.kind, got, c.want)
		}
	}
	// Spark's times: nanoseconds of a day that take more than 32 bits, and a Julian day.
	nanos := uint64(23*time.Hour + 59*time.Minute + 59*time.Second + 5)
	at := time.Date(2024, 2, 29, 23, 59, 59, 5, time.UTC)
	day := uint32(at.Unix()/86400 + 2440588)
	if got := string(plain(nil, pq.Int96Value(deprecated.Int96{uint32(nanos), uint32(nanos >> 32), day}))); got != at.Format(time.RFC3339Nano) {
		t.Errorf("%s, want %s", got, at.Format(time.RFC3339Nano))
	}
}

// A map that says so by its shape alone, and a list of pairs that is none.
func TestMapsByShape(t *testing.T) {
	type pair struct {
		Key   string `parquet:"key"`
		Value string `parquet:"value"`
	}
	type other struct {
		Key string `parquet:"key"`
		Sum string `parquet:"sum"`
	}
	type loose struct {
		Key   *string `parquet:"key,optional"`
		Value *string `parquet:"value,optional"`
	}
	type line struct {
		Tags struct {
			Entry []pair `parquet:"key_value"`
		} `parquet:"tags"`
		Sums struct {
			Entry []other `parquet:"key_value"`
		} `parquet:"sums"`
		One struct {
			Entry pair `parquet:"key_value"`
		} `parquet:"one"`
		Gaps struct { // an entry without a key has the key "", one without a value is none
			Entry []loose `parquet:"key_value"`
		} `parquet:"gaps"`
	}
	var l line
	b1, one, two := "b", "1", "2"
	l.Gaps.Entry = []loose{{nil, &one}, {&one, nil}, {&b1, &two}}
	l.Tags.Entry = []pair{{"b", "2"}, {"a", "1"}}
	l.Sums.Entry = []other{{"b", "2"}}
	var b bytes.Buffer
	w := pq.NewGenericWriter[line](&b)
	w.Write([]line{l})
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	err := Rows(bytes.NewReader(b.Bytes()), int64(b.Len()), func(header []string) (usage.Decoder, error) {
		if !slices.Equal(header, []string{"tags", "gaps"}) {
			t.Errorf("columns %q, want the tags and the gaps alone", header)
		}
		return func(_ int, row [][]byte, _ []byte) error {
			if string(row[0]) != `{"a":"1","b":"2"}` || string(row[1]) != `{"":"1","b":"2"}` {
				t.Errorf("%s", row)
			}
			return nil
		}, nil
	})
	if err != nil {
		t.Error(err)
	}
}

// mapOf is a group that says that it is a map.
type mapOf struct{ pq.Node }

func (mapOf) Type() pq.Type { return pq.Map(pq.String(), pq.String()).Type() }

// A map that says so is one, whatever its columns are called: the first is the key.
func TestMapsByType(t *testing.T) {
	pairs := func() pq.Node { return pq.Group{"pairs": pq.Repeated(pq.Group{"a": pq.String(), "b": pq.String()})} }
	var b bytes.Buffer
	w := pq.NewWriter(&b, pq.NewSchema("bill", pq.Group{"no": pairs(), "tags": mapOf{pairs()}}))
	value := func(s string, repetition, column int) pq.Value {
		return pq.ByteArrayValue([]byte(s)).Level(repetition, 1, column)
	}
	if _, err := w.WriteRows([]pq.Row{{
		value("p", 0, 0), value("q", 0, 1), value("team", 0, 2), value("env", 1, 2), value("web", 0, 3), value("test", 1, 3),
	}}); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	err := Rows(bytes.NewReader(b.Bytes()), int64(b.Len()), func(header []string) (usage.Decoder, error) {
		if !slices.Equal(header, []string{"tags"}) {
			t.Errorf("columns %q, want the tags alone", header)
		}
		return func(_ int, row [][]byte, _ []byte) error {
			if string(row[0]) != `{"env":"test","team":"web"}` {
				t.Errorf("%s", row)
			}
			return nil
		}, nil
	})
	if err != nil {
		t.Error(err)
	}
}

// A footer that counts more rows than the columns have says that the file is cut.
func TestRowsThatAreNotThere(t *testing.T) {
	data := write(t, rows(), 2)
	count := []byte{0x16, byte(2 * len(rows()))} // of the file: a 64-bit field that follows the schema
	footer := len(data) - 8 - int(binary.LittleEndian.Uint32(data[len(data)-8:]))
	at := footer + bytes.Index(data[footer:], count)
	data[at+1] += 2
	_, err := read(t, data)
	if want := fmt.Sprintf("%d rows of %d: want the whole file", len(rows()), len(rows())+1); !errors.Is(err, usage.ErrTruncated) || !strings.HasSuffix(err.Error(), want) {
		t.Errorf("%v, want %s", err, want)
	}
}

// Columns of no bill are refused by their names, as those of the file and not of a line.
func TestOtherColumns(t *testing.T) {
	type line struct{ A, B int64 }
	var b bytes.Buffer
	w := pq.NewGenericWriter[line](&b)
	w.Write([]line{{1, 2}})
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	_, err := read(t, b.Bytes())
	var in *pricing.InputError
	if !errors.As(err, &in) || in.Package != "parquet" || in.Line != 0 || !errors.Is(err, usage.ErrForm) || !strings.HasPrefix(err.Error(), "parquet: ") {
		t.Errorf("%v", err)
	}
	// A cost and usage report without the ends of its lines.
	type report struct {
		Start string  `parquet:"line_item_usage_start_date"`
		Cost  float64 `parquet:"line_item_unblended_cost"`
	}
	b.Reset()
	reports := pq.NewGenericWriter[report](&b)
	reports.Write([]report{{"2024-09-18T22:00:00Z", 1}})
	if err := reports.Close(); err != nil {
		t.Fatal(err)
	}
	_, err = read(t, b.Bytes())
	if !errors.As(err, &in) || in.Package != "parquet" || in.Line != 0 || !errors.Is(err, usage.ErrMissing) || !strings.Contains(err.Error(), "UsageEndDate") {
		t.Errorf("%v", err)
	}
}

// breaks stands for what the library does with a file that contradicts itself: it panics.
type breaks struct {
	*bytes.Reader
	calls int
}

func (b *breaks) ReadAt(p []byte, off int64) (int, error) {
	if b.calls--; b.calls < 0 {
		panic("no such page")
	}
	return b.Reader.ReadAt(p, off)
}

func TestPanicIsAnError(t *testing.T) {
	data := write(t, rows(), 1)
	for calls := range 8 {
		err := Read(new(usage.Collector), "x", &breaks{bytes.NewReader(data), calls}, int64(len(data)))
		if !errors.Is(err, usage.ErrForm) || !strings.Contains(err.Error(), "no such page: want a whole Parquet file") {
			t.Errorf("a panic after %d calls: %v", calls, err)
		}
	}
}

// A footer is read and walked before the library sees it.
func TestFooter(t *testing.T) {
	file := func(footer []byte) []byte {
		b := append([]byte("PAR1"), footer...)
		return append(binary.LittleEndian.AppendUint32(b, uint32(len(footer))), "PAR1"...)
	}
	for name, c := range map[string]struct {
		b  []byte
		is error
	}{
		"whole":             {file(compact(byte(0x15), 5, byte(0))), nil},
		"without an end":    {file(compact(byte(0x15), 5)), errSize},
		"a text too long":   {file(compact(byte(0x18), byte(9), byte(0))), errSize},
		"longer than it is": {append([]byte("PAR1\x00"), 2, 0, 0, 0, 'P', 'A', 'R', '1'), errSize},
		"empty":             {file(nil), errSize},
	} {
		err := checkFooter(bytes.NewReader(c.b), int64(len(c.b)))
		if (err == nil) != (c.is == nil) || !errors.Is(err, c.is) {
			t.Errorf("%s: %v, want %v", name, err, c.is)
		}
	}
	// Eleven bytes are no file; one whose footer is encrypted ends otherwise; one of 4 GB has no room.
	for _, c := range []struct {
		tail, says string
		size       int64
	}{
		{"\x01\x00\x00\x00PARE", "no PAR1 at the end", 13},
		{"\x00\x00\x00PAR1", "11 bytes", 11},
		{"\x01\x00\x00\x10PAR1", "a footer of 268435457 bytes in 1099511627776", 1 << 40},
	} {
		if err := checkFooter(ends(c.tail), c.size); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%q: %v, want %s", c.tail, err, c.says)
		}
	}
	// A footer that is whole for what it is, and of no table.
	for _, footer := range [][]byte{{0}, compact(byte(0x15), 5, byte(0))} {
		b := file(footer)
		err := Read(new(usage.Collector), "x", bytes.NewReader(b), int64(len(b)))
		if !errors.Is(err, usage.ErrForm) || strings.Contains(err.Error(), "nil pointer") {
			t.Errorf("%v", err)
		}
	}
	data := write(t, rows(), 1)
	failed := errors.New("failed")
	for calls := range 2 { // for the last eight bytes, and for the footer
		if err := checkFooter(&fails{bytes.NewReader(data), calls, failed}, int64(len(data))); err != failed {
			t.Errorf("a footer of a source that fails after %d calls: %v", calls, err)
		}
	}
	for calls := range 5 {
		if err := Read(new(usage.Collector), "x", &fails{bytes.NewReader(data), calls, failed}, int64(len(data))); err != failed {
			t.Errorf("a source that fails after %d calls: %v", calls, err)
		}
	}
}

// ends reads as the same bytes everywhere.
type ends string

func (e ends) ReadAt(b []byte, _ int64) (int, error) { return copy(b, e), nil }

// fails reads so many times.
type fails struct {
	r     io.ReaderAt
	calls int
	err   error
}

func (f *fails) ReadAt(b []byte, off int64) (int, error) {
	if f.calls--; f.calls < 0 {
		return 0, f.err
	}
	return f.r.ReadAt(b, off)
}

// Rows of equal values that stand in different columns are different rows.
func TestRawTellsColumns(t *testing.T) {
	type line struct{ A, B []int64 }
	var b bytes.Buffer
	w := pq.NewGenericWriter[line](&b)
	w.Write([]line{{[]int64{1, 2}, []int64{3}}, {[]int64{1}, []int64{2, 3}}, {[]int64{1, 2}, []int64{3}}})
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	var raws []string
	err := Rows(bytes.NewReader(b.Bytes()), int64(b.Len()), func([]string) (usage.Decoder, error) {
		return func(_ int, _ [][]byte, raw []byte) error { raws = append(raws, string(raw)); return nil }, nil
	})
	if err != nil || len(raws) != 3 || raws[0] == raws[1] || raws[0] != raws[2] {
		t.Errorf("%q, %v", raws, err)
	}
}
