// Package demandfile reads a demand: the instances needed in each slot.
package demandfile

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/examples/internal/infile"
	"github.com/plimsoll/plimsoll/examples/internal/seriesfile"
	"github.com/plimsoll/plimsoll/reserve"
	"github.com/plimsoll/plimsoll/schedule/trace"
)

// Read reads the file that was given with a flag, such as "-demand", plain or gzip, whose
// header line tells its form: a number a line; a forecast as examples/tools/forecast writes; or a
// series, a line for each step. The error is the user's mistake.
func Read(flag, path string) ([]int, error) {
	data, err := infile.ReadAll(flag, path)
	if err != nil {
		return nil, err
	}
	return read(flag+" "+path, data)
}

// From reads a text that is no file of a flag, such as one that a person pasted, as [Read]
// does. The error begins with the name.
func From(name string, text io.Reader) ([]int, error) {
	data, err := infile.From(name, text, io.ReadAll)
	if err != nil {
		return nil, err
	}
	return read(name, data)
}

func read(name string, data []byte) ([]int, error) {
	header, _, _ := bytes.Cut(data, []byte{'\n'})
	line := strings.TrimPrefix(strings.TrimSpace(string(header[:min(len(header), 1<<16)])), "\ufeff")
	switch {
	case !strings.Contains(line, ","):
		return infile.From(name, bytes.NewReader(data), trace.ReadDemand)
	case slices.Contains(strings.Split(line, ","), "forecast"):
		return infile.From(name, bytes.NewReader(data), forecastDemand)
	}
	list, err := seriesfile.From(name, bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	if len(list) != 1 {
		return nil, cli.Mistakef("%s: %d series: want one, as week,value or a number a line; for futures of one demand use -paths", name, len(list))
	}
	demand, err := reserve.AppendInstances(nil, list[0].Values)
	if err != nil {
		step := len(demand)
		for i, x := range list[0].Values {
			if _, err := reserve.AppendInstances(nil, []float64{x}); err != nil {
				step = i
				break
			}
		}
		return nil, cli.Mistakef("%s: step %d of the series %s: %v: want a demand of 0 or more in each step", name, step+1, infile.Quote(list[0].Name), list[0].Values[step])
	}
	return demand, nil
}

// forecastDemand reads the column "forecast" of a file of one series, each number
// rounded to the nearest, halves up.
func forecastDemand(in io.Reader) ([]int, error) {
	r := csv.NewReader(in)
	header, err := r.Read()
	if err != nil {
		return nil, err
	}
	at, name := slices.Index(header, "forecast"), slices.Index(header, "series")
	var demand []int
	first := ""
	for {
		record, err := r.Read()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		line, _ := r.FieldPos(0)
		if name >= 0 {
			if len(demand) > 0 && record[name] != first {
				return nil, fmt.Errorf("line %d: the series %s after the series %s: want the forecast of one series", line, infile.Quote(record[name]), infile.Quote(first))
			}
			first = record[name]
		}
		x, err := strconv.ParseFloat(strings.TrimSpace(record[at]), 64)
		if err == nil {
			demand, err = reserve.AppendInstances(demand, []float64{x})
		}
		if err != nil {
			return nil, fmt.Errorf("line %d, field %d: %s: want a demand of 0 or more instances", line, at+1, infile.Quote(record[at]))
		}
	}
	if len(demand) == 0 {
		return nil, fmt.Errorf("there is no step after the header line: want a line for each step")
	}
	return demand, nil
}
