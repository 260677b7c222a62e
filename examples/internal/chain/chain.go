// Package chain is the form of everything that survives a crash: a file of records that proves
// itself. The exchange, the managers of clusters, the runner of tasks and the provider keep
// their states in such files.
//
//	head     what the file is, and which record of which size the file before ends with
//	mark     twice: up to where the file was on disk, and the sum of the record there
//	records  each with its length, the sum of the record before, and two sums of its own
//
// The first sum of a record is of its frame and its place in this file, so that a length is
// known to be right before it is used. The second is of the frame and the body. The next record
// names it. A flipped bit, a cut, two records that change places, and a record of another file
// are therefore found.
//
// A writer marks what is on disk before it tells anybody. After a kill, the last record may be
// torn: it was not marked, so nobody was told. [Scan] leaves such a record out. All else that is
// not whole is damage: what was marked and is not there, and a record that is not whole before
// one that is. The marks are written in turn, each in a sector of its own. If a crash tears one
// of them, the other one counts.
//
// After a loss of power, the last mark may be missing, too. A damage of the last record that was
// told of, which comes on top of that, is taken for a torn one.
package chain

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"slices"
)

const (
	magic     = "plimlog2"
	headSize  = 40
	markSize  = 32
	frameSize = 24
	sector    = 512

	// Start is where the first record of a file begins.
	Start = 3 * sector
)

var table = crc32.MakeTable(crc32.Castagnoli)

// Sum returns the checksum of a text that follows another one with a sum, 0 for none.
func Sum(before uint32, text []byte) uint32 { return crc32.Update(before, table, text) }

// A Head says what a file is.
type Head struct {
	Generation uint64 // number of the file
	Size       uint64 // of the file before; 0 if the file begins anew
	Before     uint32 // sum of the last record of the file before; or of what else the file belongs to
}

func (h Head) append(dst []byte) []byte {
	at := len(dst)
	dst = binary.LittleEndian.AppendUint64(append(dst, magic...), h.Generation)
	dst = binary.LittleEndian.AppendUint64(dst, h.Size)
	dst = binary.LittleEndian.AppendUint64(dst, uint64(h.Before))
	sum := Sum(0, dst[at:])
	return binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(dst, sum), ^sum)
}

// Sum names the file: its records begin with it.
func (h Head) Sum() uint32 { return Sum(0, h.append(nil)) }

// A Flag is what a mark says besides.
type Flag uint32

const (
	// Attached: the snapshot that the file belongs to is on disk.
	Attached Flag = 1 << iota
	// Sealed: the file is over, and the next one is on disk.
	Sealed
)

// A mark says what is on disk.
type mark struct {
	number uint64
	end    uint64 // of the records
	sum    uint32 // of the last of them
	flags  Flag
}

func (m mark) append(dst []byte, file uint32) []byte {
	at := len(dst)
	dst = binary.LittleEndian.AppendUint64(dst, m.number)
	dst = binary.LittleEndian.AppendUint64(dst, m.end)
	dst = binary.LittleEndian.AppendUint32(dst, m.sum)
	dst = binary.LittleEndian.AppendUint32(dst, uint32(m.flags))
	dst = binary.LittleEndian.AppendUint32(dst, file)
	return binary.LittleEndian.AppendUint32(dst, Sum(0, dst[at:]))
}

// place is where a mark is.
func (m mark) place() int64 { return sector * int64(1+m.number%2) }

// readMark returns the mark with the greater number of those that are whole.
func readMark(data []byte, file uint32) (m mark, torn, ok bool) {
	for i := range 2 {
		b := data[sector*(1+i):][:markSize]
		x := mark{binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:]), binary.LittleEndian.Uint32(b[16:]), Flag(binary.LittleEndian.Uint32(b[20:]))}
		if x.number%2 != uint64(i) || !bytes.Equal(b, x.append(nil, file)) {
			torn = true
		} else if !ok || x.number > m.number {
			m, ok = x, true
		}
	}
	return m, torn, ok
}

// frame returns the frame of a record at a place. synced is the last mark when it was written.
func frame(file uint32, place int64, before uint32, synced uint64, body []byte) (f [frameSize]byte, sum uint32) {
	binary.LittleEndian.PutUint32(f[:], uint32(len(body)))
	binary.LittleEndian.PutUint32(f[4:], before)
	binary.LittleEndian.PutUint64(f[8:], synced)
	head := headSum(file, place, f[:])
	binary.LittleEndian.PutUint32(f[16:], head)
	sum = bodySum(f[:], body)
	binary.LittleEndian.PutUint32(f[20:], sum)
	return f, sum
}

func headSum(file uint32, place int64, f []byte) uint32 {
	var at [12]byte
	binary.LittleEndian.PutUint32(at[:], file)
	binary.LittleEndian.PutUint64(at[4:], uint64(place))
	return Sum(Sum(0, at[:]), f[:16])
}

func bodySum(f, body []byte) uint32 { return Sum(Sum(0, f[:20]), body) }

// record returns the record at a place, if it is whole, with the sum that it says the record
// before has, and its own.
func record(data []byte, file uint32, place int) (body []byte, before, sum uint32, ok bool) {
	if len(data)-place < frameSize {
		return nil, 0, 0, false
	}
	f := data[place : place+frameSize]
	n := binary.LittleEndian.Uint32(f)
	if headSum(file, int64(place), f) != binary.LittleEndian.Uint32(f[16:]) || int64(n) > int64(len(data)-place-frameSize) {
		return nil, 0, 0, false
	}
	body = data[place+frameSize:][:n:n]
	sum = bodySum(f, body)
	return body, binary.LittleEndian.Uint32(f[4:]), sum, sum == binary.LittleEndian.Uint32(f[20:])
}

// A State is what a file says.
type State struct {
	Head    Head
	Records [][]byte // they share the memory of the file
	End     int64    // of the records
	Marked  int64    // up to here the records were on disk, and their writer knew it
	Sum     uint32   // of the last record, or the head's
	Torn    int64    // bytes of a last record that is not whole
	BadMark bool     // one of the two marks is damaged: the state is whole by the other one
	Flags   Flag

	mark mark
}

// ErrOther: a file that is no file of records.
var ErrOther = errors.New("it is no file of this program, or its beginning is damaged: want the file as it was written")

// A DamageError says where a file is damaged.
type DamageError struct {
	At   int64 // byte
	What string
}

func (e *DamageError) Error() string {
	return fmt.Sprintf("it is damaged at byte %d, %s: want the file as it was written, or another copy of the state", e.At, e.What)
}

// Scan reads a file. The error is [ErrOther] or a [*DamageError].
func Scan(data []byte) (*State, error) {
	if len(data) < Start {
		return nil, ErrOther
	}
	h := Head{binary.LittleEndian.Uint64(data[8:]), binary.LittleEndian.Uint64(data[16:]), binary.LittleEndian.Uint32(data[24:])}
	if !bytes.Equal(data[:headSize], h.append(nil)) {
		return nil, ErrOther
	}
	file := h.Sum()
	s := &State{Head: h, End: Start, Sum: file}
	var ok bool
	if s.mark, s.BadMark, ok = readMark(data, file); !ok {
		return nil, &DamageError{sector, "both marks are"}
	}
	s.Flags = s.mark.flags
	s.Marked = int64(s.mark.end)
	seen := false
	for {
		if s.End == s.Marked {
			if seen = s.Sum == s.mark.sum; !seen {
				return nil, &DamageError{s.Marked, "its records are not those of its mark"}
			}
		}
		if s.End == int64(len(data)) {
			break
		}
		body, before, sum, ok := record(data, file, int(s.End))
		if !ok {
			break
		}
		if before != s.Sum {
			return nil, &DamageError{s.End, "this record does not follow the one before"}
		}
		s.Records = append(s.Records, body)
		s.End += frameSize + int64(len(body))
		s.Sum = sum
	}
	if !seen {
		return nil, &DamageError{s.End, fmt.Sprintf("it had records up to byte %d", s.Marked)}
	}
	for p := s.End + 1; p < int64(len(data)); p++ {
		if _, _, _, ok := record(data, file, int(p)); ok {
			return nil, &DamageError{s.End, "there is a record after it"}
		}
	}
	s.Torn = int64(len(data)) - s.End
	return s, nil
}

// A File is what a writer needs of a file.
type File interface {
	WriteAt(data []byte, at int64) (int, error)
	Sync() error
	Truncate(size int64) error
	Close() error
}

// A Writer appends records to a file. It is for one goroutine at a time.
type Writer struct {
	f    File
	file uint32
	end  int64
	sum  uint32
	mark mark
	data []byte // working memory
}

// Begin writes the head and the marks of a file that is empty, and syncs it.
func Begin(f File, h Head) (*Writer, error) {
	w := &Writer{f: f, file: h.Sum(), end: Start, sum: h.Sum()}
	w.mark = mark{number: 1, end: Start, sum: w.sum}
	if _, err := f.WriteAt(image(h, w.mark), 0); err != nil {
		return nil, err
	}
	return w, f.Sync()
}

// image is the beginning of a file.
func image(h Head, m mark) []byte {
	data := h.append(make([]byte, 0, Start))
	first := m
	first.number--
	data = first.append(data[:sector:Start], h.Sum())
	return m.append(data[:2*sector:Start], h.Sum())[:Start]
}

// Resume goes on with a file that was read. What is torn at its end is cut off. A file that is
// whole and marked to its end stays as it is.
func Resume(f File, s *State) (*Writer, error) {
	w := &Writer{f: f, file: s.Head.Sum(), end: s.End, sum: s.Sum, mark: s.mark}
	if s.Torn == 0 && !s.BadMark && s.End == int64(s.mark.end) {
		return w, f.Sync()
	}
	if s.Torn > 0 {
		if err := f.Truncate(s.End); err != nil {
			return nil, err
		}
	}
	if err := f.Sync(); err != nil {
		return nil, err
	}
	for range 2 { // both marks, of which one may be damaged
		if err := w.Mark(w.end, w.sum, s.Flags); err != nil {
			return nil, err
		}
	}
	return w, f.Sync()
}

// Name returns what names the file: the sum of its head.
func (w *Writer) Name() uint32 { return w.file }

// End returns where the records end, and the sum of the last one.
func (w *Writer) End() (int64, uint32) { return w.end, w.sum }

// Append writes a record. A record that cannot be written whole is not written; if it cannot be
// taken back either, lost says that nobody knows what is in the file.
func (w *Writer) Append(body []byte) (err error, lost bool) {
	if int64(len(body)) >= 1<<32 {
		return fmt.Errorf("a record of %d bytes: want less than 4 GiB", len(body)), false
	}
	f, sum := frame(w.file, w.end, w.sum, w.mark.end, body)
	w.data = append(append(w.data[:0], f[:]...), body...)
	if _, err := w.f.WriteAt(w.data, w.end); err != nil {
		return err, w.f.Truncate(w.end) != nil
	}
	w.end += int64(len(w.data))
	w.sum = sum
	return nil, false
}

// Size returns how many bytes a record takes.
func Size(body []byte) int64 { return frameSize + int64(len(body)) }

// MarkSize is how many bytes a mark takes.
const MarkSize = markSize

// Mark notes that the records up to an end that [Writer.End] returned are on disk.
func (w *Writer) Mark(end int64, sum uint32, flags Flag) error {
	m := mark{w.mark.number + 1, uint64(end), sum, flags}
	if _, err := w.f.WriteAt(m.append(nil, w.file), m.place()); err != nil {
		return err
	}
	w.mark = m
	return nil
}

// Flags returns what the last mark says.
func (w *Writer) Flags() Flag { return w.mark.flags }

// Seal returns a file of one record, which is written whole or not at all. The name is what the
// text is about: the text of another name is not taken for it.
func Seal(name string, text []byte) []byte {
	h := Head{Before: Sum(0, []byte(name))}
	f, sum := frame(h.Sum(), Start, h.Sum(), Start, text)
	data := image(h, mark{1, Start + frameSize + uint64(len(text)), sum, 0})
	return slices.Concat(data, f[:], text)
}

// Open returns the text of a file that [Seal] made of a name.
func Open(name string, data []byte) ([]byte, error) {
	s, err := Scan(data)
	if err != nil {
		return nil, err
	}
	if len(s.Records) != 1 || s.Torn > 0 || s.Head != (Head{Before: Sum(0, []byte(name))}) {
		return nil, ErrOther
	}
	return s.Records[0], nil
}
