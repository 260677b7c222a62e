package trace

import (
	"bytes"
	"math"
	"strconv"
	"time"

	"github.com/plimsoll/plimsoll/internal/inputerr"
)

// parse reads the fields of line, which is not empty, into rec. rec is as it
// was where the line is malformed.
func (r *Reader) parse(line []byte, rec *Record) error {
	var v [numFields]int64
	rounded := r.stats.Rounded // counts records, so not those that fail
	f, i, err := r.scan(line, &v)
	if err != nil {
		r.stats.Rounded = rounded
		return err
	}
	if f < numFields {
		if f < minFields {
			return badLine(r.stats.Lines, 0, "record", ErrFields, "%q: want %d or more", inputerr.Cut(line), minFields)
		}
		r.stats.Short++
		unknownFrom(&v, f)
	} else if rest := bytes.TrimLeft(line[i:], " \t"); len(rest) > 0 {
		if bytes.IndexByte(rest, '\r') >= 0 {
			return badLine(r.stats.Lines, 0, "record", ErrEncoding, "a carriage return within: want lines that end in line feeds")
		}
		r.stats.Extra++
	}
	*rec = Record{
		ID:            v[0],
		Submit:        time.Duration(v[1]),
		Wait:          time.Duration(v[2]),
		Run:           time.Duration(v[3]),
		Processors:    int(v[4]),
		CPU:           time.Duration(v[5]),
		Memory:        math.Float64frombits(uint64(v[6])),
		ReqProcessors: int(v[7]),
		ReqTime:       time.Duration(v[8]),
		ReqMemory:     math.Float64frombits(uint64(v[9])),
		Status:        int(v[10]),
		User:          int(v[11]),
		Group:         int(v[12]),
		Executable:    int(v[13]),
		Queue:         int(v[14]),
		Partition:     int(v[15]),
		Preceding:     v[16],
		Think:         time.Duration(v[17]),
	}
	return nil
}

// unknownFrom sets the fields from f on to -1, which means unknown.
func unknownFrom(v *[numFields]int64, f int) {
	for ; f < numFields; f++ {
		switch fieldKinds[f] {
		case kindTime:
			v[f] = -int64(time.Second)
		case kindMemory:
			v[f] = int64(math.Float64bits(-1))
		default:
			v[f] = -1
		}
	}
}

// scan reads the fields of line into v, and returns how many there are and where the last ends.
// A time is in nanoseconds, an amount of memory has the bits of a float64.
func (r *Reader) scan(line []byte, v *[numFields]int64) (f, i int, err error) {
	for f < numFields {
		for i < len(line) && (line[i] == ' ' || line[i] == '\t') {
			i++
		}
		if i == len(line) {
			break
		}
		start := i
		neg := line[i] == '-'
		if neg {
			i++
		}
		first := i
		n := int64(0)
		for i < len(line) {
			c := line[i] - '0'
			if c > 9 {
				break
			}
			n = n*10 + int64(c)
			i++
		}
		d := i - first
		// Nine digits fit every kind of field, and ten the seconds of this age.
		if d > 9 && (d > 10 || n > maxSeconds || fieldKinds[f] != kindTime) || i < len(line) && line[i] != ' ' && line[i] != '\t' {
			for i < len(line) && line[i] != ' ' && line[i] != '\t' {
				i++
			}
			if v[f], err = r.number(line[start:i], f); err != nil {
				return f, i, err
			}
			f++
			continue
		}
		if d == 0 {
			return f, i, r.fieldError(f, line[start:i], ErrNumber)
		}
		if neg {
			n = -n
		}
		switch fieldKinds[f] {
		case kindTime:
			n *= int64(time.Second)
		case kindMemory:
			n = int64(math.Float64bits(float64(n)))
		}
		v[f] = n
		f++
	}
	return f, i, nil
}

func (r *Reader) fieldError(f int, token []byte, err error) error {
	return badLine(r.stats.Lines, f+1, fieldNames[f], err, "%q: want %s", inputerr.Cut(token), wanted(err))
}

// number reads a token of any allowed form: an optional minus sign, digits,
// and an optional point with digits, at least one digit in all.
func (r *Reader) number(token []byte, f int) (int64, error) {
	digits, neg := bytes.CutPrefix(token, []byte("-"))
	whole, frac, _ := bytes.Cut(digits, []byte("."))
	if len(whole)+len(frac) == 0 || !allDigits(whole) || !allDigits(frac) {
		return 0, r.fieldError(f, token, ErrNumber)
	}
	if fieldKinds[f] == kindMemory {
		x, err := strconv.ParseFloat(string(token), 64)
		if err != nil {
			return 0, r.fieldError(f, token, ErrRange)
		}
		if x == 0 {
			x = 0 // not -0
		}
		return int64(math.Float64bits(x)), nil
	}
	limit := uint64(math.MaxInt64)
	if neg {
		limit++
	}
	n := uint64(0)
	for _, c := range whole {
		d := uint64(c - '0')
		if n > (limit-d)/10 {
			return 0, r.fieldError(f, token, ErrRange)
		}
		n = n*10 + d
	}
	if fieldKinds[f] == kindTime {
		nanos, rounded := nanoseconds(frac)
		if n > (limit-nanos)/uint64(time.Second) {
			return 0, r.fieldError(f, token, ErrRange)
		}
		if rounded {
			r.stats.Rounded++
		}
		n = n*uint64(time.Second) + nanos
	} else if len(bytes.Trim(frac, "0")) > 0 {
		return 0, r.fieldError(f, token, ErrWhole)
	}
	x := int64(n)
	if neg {
		x = -x
	}
	if fieldKinds[f] == kindInt && int64(int(x)) != x {
		return 0, r.fieldError(f, token, ErrRange)
	}
	return x, nil
}

func allDigits(b []byte) bool {
	for _, c := range b {
		if c < '0' || c > '9' {
			return false
		}
	}
	return true
}

// nanoseconds returns the value of the decimals of a second, to the nearest nanosecond, and
// whether it differs from them.
func nanoseconds(frac []byte) (nanos uint64, rounded bool) {
	for i := range 9 {
		nanos *= 10
		if i < len(frac) {
			nanos += uint64(frac[i] - '0')
		}
	}
	if len(frac) > 9 {
		rounded = len(bytes.Trim(frac[9:], "0")) > 0
		if frac[9] >= '5' {
			nanos++
		}
	}
	return nanos, rounded
}
