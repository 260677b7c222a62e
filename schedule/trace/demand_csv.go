package trace

import (
	"bytes"
	"errors"
	"io"
	"math"
	"strconv"
)

// The form of a demand curve in a file: a header line, then the instances of each slot,
// one whole number a line.
//
//	instances
//	12
//	14

// What a *schedule.InputError of a demand unwraps to, beside the errors of a log.
var (
	ErrHeader = errors.New("no header line")
	ErrEmpty  = errors.New("no demand")
)

// ReadDemand reads a demand curve from src, plain or gzip, to its end. The form is a
// header line and the instances of at least one slot, one whole number a line, at most
// [math.MaxInt32]. Blanks around a number and blank lines at the end are left out.
//
// The error is a *schedule.InputError with the line, or that of src. Lines are read one by
// one, so that memory is that of the result. ReadDemand panics if src is nil.
func ReadDemand(src io.Reader) ([]int, error) {
	r := NewReader(src)
	var demand []int
	var header string
	blank := 0 // the first of the blank lines before this one
	for {
		line, err := r.line()
		text := bytes.TrimSpace(line)
		n := r.stats.Lines
		switch {
		case err == io.EOF && header == "":
			return nil, badLine(max(1, n), 0, "header", ErrEmpty, "the file is empty: want a header line, then a number a line")
		case err == io.EOF && len(demand) == 0:
			return nil, badLine(n, 0, "demand", ErrEmpty, "nothing after the header line: want a number a line")
		case err == io.EOF:
			return demand, nil
		case err != nil:
			return nil, err
		case len(text) == 0:
			if blank == 0 {
				blank = n
			}
			continue
		case blank == 1, n == 1 && isNumber(text):
			if blank == 1 {
				n, text = 1, nil
			}
			return nil, badLine(n, 0, "header", ErrHeader, "%q: want a header, such as instances, before the demand", shorten(text))
		case n == 1:
			header = shorten(text)
			continue
		case blank > 0:
			n, text = blank, nil
		}
		d, err := strconv.Atoi(string(text))
		if err != nil || d < 0 || d > math.MaxInt32 {
			return nil, badLine(n, 0, header, refused(text), "%q: want a whole number of instances, 0 to %d, in digits, and nothing else on the line", shorten(text), math.MaxInt32)
		}
		demand = append(demand, d)
	}
}

// WriteDemand writes a demand curve to dst in the form that [ReadDemand] reads. The error
// is a *schedule.InputError with the slot of a number that is not 0 to [math.MaxInt32], before
// anything is written, or that of dst.
func WriteDemand(dst io.Writer, demand []int) error {
	for s, d := range demand {
		if d < 0 || d > math.MaxInt32 {
			return badInput("demand", s, ErrRange, "%d: want 0 to %d", d, math.MaxInt32)
		}
	}
	const full = 1 << 12
	text := append(make([]byte, 0, full+16), "instances\n"...)
	for s, d := range demand {
		text = append(strconv.AppendInt(text, int64(d), 10), '\n')
		if len(text) >= full || s == len(demand)-1 {
			if _, err := dst.Write(text); err != nil {
				return err
			}
			text = text[:0]
		}
	}
	if len(text) > 0 {
		_, err := dst.Write(text)
		return err
	}
	return nil
}

func isNumber(text []byte) bool {
	_, err := strconv.ParseFloat(string(text), 64)
	return err == nil
}

// refused says why a text is no number of instances.
func refused(text []byte) error {
	x, err := strconv.ParseFloat(string(text), 64)
	switch {
	case err != nil && !errors.Is(err, strconv.ErrRange):
		return ErrNumber
	case x < 0 || x > math.MaxInt32:
		return ErrRange
	}
	return ErrWhole
}
