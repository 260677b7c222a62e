// Package demandfile reads a demand: CSV with a header line and then the instances
// needed in each slot, one whole number a line.
package demandfile

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/examples/internal/infile"
)

// Read reads the file that was given with a flag, such as "-demand", plain or gzip.
// The demand has a slot at least. The error is the user's mistake, and says where
// it is.
func Read(flag, path string) ([]int, error) {
	data, err := infile.ReadAll(flag, path)
	if err != nil {
		return nil, err
	}
	demand, err := parse(data)
	if err != nil {
		return nil, cli.Mistakef("%s %s: %w", flag, path, err)
	}
	return demand, nil
}

// parse reads a header line and the numbers after it, one a line.
func parse(data []byte) ([]int, error) {
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	if len(bytes.TrimSpace(data)) == 0 {
		return nil, errors.New("the file is empty: want a header line, then a number a line")
	}
	data = bytes.TrimRight(data, "\r\n \t")
	demand := make([]int, 0, bytes.Count(data, []byte{'\n'}))
	field, line := "", 0
	for text := range bytes.SplitSeq(data, []byte{'\n'}) {
		line++
		s := strings.TrimSpace(string(text))
		if line == 1 {
			if field = s; s == "" {
				return nil, errors.New("line 1 is blank: want a header line, such as instances")
			}
			if _, err := strconv.ParseFloat(s, 64); err == nil {
				return nil, fmt.Errorf("line 1 is the number %s: want a header line, such as instances, before the demand", s)
			}
			continue
		}
		n, err := strconv.Atoi(s)
		if err != nil || n < 0 || n > math.MaxInt32 {
			return nil, fmt.Errorf("line %d, field %s: %s: want a whole number of instances, 0 to %d, and no more on the line",
				line, infile.Quote(field), described(s), math.MaxInt32)
		}
		demand = append(demand, n)
	}
	if len(demand) == 0 {
		return nil, errors.New("there is no demand after the header line")
	}
	return demand, nil
}

// described says what a text is that is no number of instances.
func described(s string) string {
	if s == "" {
		return "the line is blank"
	}
	if strings.ContainsAny(s, ",;") {
		return infile.Quote(s) + " is more than one field"
	}
	x, err := strconv.ParseFloat(s, 64)
	switch {
	case err != nil && !errors.Is(err, strconv.ErrRange):
		return infile.Quote(s) + " is not a number"
	case x < 0:
		return s + " is negative"
	case x != math.Trunc(x):
		return s + " is not whole"
	case x > math.MaxInt32:
		return infile.Quote(s) + " is too large"
	}
	return infile.Quote(s) + " is not written in digits alone"
}
