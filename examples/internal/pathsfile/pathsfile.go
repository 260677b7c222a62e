// Package pathsfile reads the futures that a demand may take: CSV with a header line, a
// name for each path, then a line for each step with a number for each path.
package pathsfile

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/plimsoll/plimsoll/examples/internal/infile"
)

// A File is what was read: Paths[i][t] is the demand in step t on path i, in whole
// instances; numbers with decimals are rounded to the nearest, halves up.
type File struct {
	Names []string
	Paths [][]int
}

// Read reads the file that was given with a flag, such as "-paths", plain or gzip. The
// error is the user's mistake, in a sentence that says where it is.
func Read(flag, path string) (*File, error) {
	return infile.Read(flag, path, parse)
}

// parse reads a header line and a line for each step.
func parse(src io.Reader) (*File, error) {
	b := bufio.NewReader(src)
	if mark, _ := b.Peek(3); bytes.Equal(mark, []byte("\xef\xbb\xbf")) {
		b.Discard(3)
	}
	r := csv.NewReader(b)
	r.FieldsPerRecord = -1
	r.ReuseRecord = true
	f := new(File)
	for {
		record, err := r.Read()
		var bad *csv.ParseError
		switch {
		case err == io.EOF && f.Names == nil:
			return nil, fmt.Errorf("line 1: the file is empty: want a header line with a name for each path, then a line for each step")
		case err == io.EOF && len(f.Paths[0]) == 0:
			return nil, fmt.Errorf("there is no step after the header line: want a number for each path a line")
		case err == io.EOF:
			return f, nil
		case errors.As(err, &bad):
			return nil, fmt.Errorf("line %d, column %d: %v", bad.Line, bad.Column, bad.Err)
		case err != nil:
			return nil, err
		}
		line, _ := r.FieldPos(0)
		if f.Names == nil {
			if err := f.header(record); err != nil {
				return nil, fmt.Errorf("line %d: %w", line, err)
			}
			continue
		}
		if len(record) != len(f.Names) {
			return nil, fmt.Errorf("line %d: %d numbers: want %d, one for each path of the header line", line, len(record), len(f.Names))
		}
		for i, text := range record {
			x, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
			if err != nil || !(x >= 0 && x+.5 < math.MaxInt32) {
				return nil, fmt.Errorf("line %d, field %d, path %s: %s: want a demand of 0 to %d instances",
					line, i+1, infile.Quote(f.Names[i]), infile.Quote(strings.TrimSpace(text)), math.MaxInt32)
			}
			f.Paths[i] = append(f.Paths[i], int(x+.5))
		}
	}
}

// header takes the names of the paths.
func (f *File) header(record []string) error {
	numbers := true
	switch first := strings.ToLower(strings.TrimSpace(record[0])); first {
	case "step", "slot", "hour", "day", "date", "time", "week", "month", "series":
		return fmt.Errorf("field 1: %s: want numbers of paths only, without a field that names the step", infile.Quote(first))
	}
	for i, name := range record {
		name = strings.TrimSpace(name)
		if name == "" {
			return fmt.Errorf("field %d: the name is empty: want a name for each path", i+1)
		}
		_, err := strconv.ParseFloat(name, 64)
		numbers = numbers && err == nil
		f.Names = append(f.Names, name)
		f.Paths = append(f.Paths, nil)
	}
	if numbers {
		return fmt.Errorf("%s is a number: want a header line with a name for each path, such as p0,p1", infile.Quote(f.Names[0]))
	}
	return nil
}
