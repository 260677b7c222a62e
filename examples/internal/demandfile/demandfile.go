// Package demandfile reads a demand, the instances needed in each slot, and futures that it
// may take, of every form that package seriesfile reads.
package demandfile

import (
	"io"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/examples/internal/infile"
	"github.com/plimsoll/plimsoll/examples/internal/seriesfile"
	"github.com/plimsoll/plimsoll/reserve"
)

// A Demand is what a file has. Numbers with decimals are rounded to the nearest, halves up.
type Demand struct {
	Slots []int
	Slot  time.Duration // length of a slot, 0 if the file does not tell
	Start time.Time     // of the first slot, zero if the file does not tell
}

// Read reads the file that was given with a flag, such as "-demand", plain or gzip. The error
// is the user's mistake.
func Read(flag, path string) (*Demand, error) {
	list, err := seriesfile.Read(flag, path)
	if err != nil {
		return nil, err
	}
	return one(flag+" "+path, list)
}

// From reads a text that is no file of a flag, such as one that a person pasted, as [Read]
// does. The error begins with the name.
func From(name string, text io.Reader) (*Demand, error) {
	list, err := seriesfile.From(name, text)
	if err != nil {
		return nil, err
	}
	return one(name, list)
}

func one(name string, list []seriesfile.Series) (*Demand, error) {
	if len(list) != 1 {
		return nil, cli.Mistakef("%s: %d series: want one, as week,value or a number a line; for futures of one demand use -paths", name, len(list))
	}
	slots, err := instances(name, &list[0])
	return &Demand{slots, list[0].Step, list[0].Start}, err
}

// ReadPaths reads futures of one demand: Paths[i][t] is the demand of slot t on path i. The
// error is the user's mistake.
func ReadPaths(flag, path string) (paths [][]int, slot time.Duration, err error) {
	list, err := seriesfile.ReadPaths(flag, path)
	if err != nil {
		return nil, 0, err
	}
	for i := range list {
		p, err := instances(flag+" "+path, &list[i])
		if err != nil {
			return nil, 0, err
		}
		paths = append(paths, p)
	}
	return paths, list[0].Step, nil
}

func instances(name string, s *seriesfile.Series) ([]int, error) {
	demand, err := reserve.AppendInstances(nil, s.Values)
	if err == nil {
		return demand, nil
	}
	step := 0
	for ; step < len(s.Values); step++ {
		if _, err := reserve.AppendInstances(nil, s.Values[step:step+1]); err != nil {
			break
		}
	}
	return nil, cli.Mistakef("%s: step %d of the series %s: %v: want a demand of 0 or more in each step", name, step+1, infile.Quote(s.Name), s.Values[step])
}
