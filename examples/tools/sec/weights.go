package main

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/examples/internal/infile"
	"github.com/plimsoll/plimsoll/examples/internal/semielastic"
	"github.com/plimsoll/plimsoll/schedule"
)

// weights are the priorities of a file, and where it names users.
type weights struct {
	schedule.Weights
	lines map[int]int // by user
}

// maxWeight bounds weights, so that a priority is a number whatever the job, and a weight
// for waiting counts beside the greatest weight of a user.
const maxWeight = 1e12

// parseWeights reads lines "hour,W", "node,W" and "user,ID,W".
func parseWeights(r io.Reader) (*weights, error) {
	w := &weights{Weights: schedule.Weights{User: map[int]float64{}}, lines: map[int]int{}}
	seen := map[string]int{}
	lines := bufio.NewScanner(r)
	n := 0
	for lines.Scan() {
		n++
		text := strings.TrimSpace(lines.Text())
		if text == "" || strings.HasPrefix(text, "#") {
			continue
		}
		fields := strings.Split(text, ",")
		for i := range fields {
			fields[i] = strings.TrimSpace(fields[i])
		}
		x, err := strconv.ParseFloat(fields[len(fields)-1], 64)
		if err != nil || !(math.Abs(x) <= maxWeight) {
			return nil, fmt.Errorf("line %d: the weight %s: want a number from -1e12 to 1e12", n, infile.Quote(fields[len(fields)-1]))
		}
		what := strings.Join(fields[:len(fields)-1], ",")
		if before := seen[what]; before > 0 {
			return nil, fmt.Errorf("line %d: %s is there twice, first in line %d: want each once", n, infile.Quote(what), before)
		}
		seen[what] = n
		switch {
		case what == "hour":
			w.Hour = x
		case what == "node":
			w.Node = x
		case len(fields) == 3 && fields[0] == "user":
			id, err := strconv.Atoi(fields[1])
			if err != nil || id < 0 {
				return nil, fmt.Errorf("line %d: the user %s: want the number of a user, such as 17", n, infile.Quote(fields[1]))
			}
			if before := w.lines[id]; before > 0 { // written in another way
				return nil, fmt.Errorf("line %d: user %d is there twice, first in line %d: want each once", n, id, before)
			}
			w.User[id], w.lines[id] = x, n
		default:
			return nil, fmt.Errorf("line %d: %s: want hour,WEIGHT or node,WEIGHT or user,NUMBER,WEIGHT", n, infile.Quote(text))
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("line %d: %w", n+1, err)
	}
	if len(seen) == 0 {
		return nil, fmt.Errorf("no weights: want lines such as hour,1 or user,17,100")
	}
	return w, nil
}

// readWeights reads -weights, once the log is read: a user with a weight has a job in it.
func (o *options) readWeights(log *semielastic.Log) (*schedule.Weights, error) {
	w, err := infile.Read("-weights", o.weights, parseWeights)
	if err != nil {
		return nil, err
	}
	for i := range log.Jobs {
		delete(w.lines, log.Jobs[i].User)
	}
	if len(w.lines) == 0 {
		return &w.Weights, nil
	}
	first := slices.MinFunc(slices.Collect(maps.Keys(w.lines)), func(a, b int) int { return w.lines[a] - w.lines[b] })
	name := log.Name
	if o.trace == "" {
		name = "the " + name
	}
	return nil, cli.Mistakef("-weights %s: line %d: user %d has no job in %s: want users of the log", o.weights, w.lines[first], first, name)
}
