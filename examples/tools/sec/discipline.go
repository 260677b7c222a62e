package main

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/examples/internal/infile"
	"github.com/plimsoll/plimsoll/schedule"
)

// A discipline says which waiting job starts when ([Niu16] section 4).
type discipline struct {
	backfill     backfill
	reservations int               // of easy
	weights      *schedule.Weights // nil: first come, first served
	name         string            // "": that of its backfilling
}

type backfill int

const (
	easy backfill = iota
	conservative
	noBackfill
)

var backfillNames = []string{"easy", "conservative", "none"}

// scheduler returns a scheduler for one queue, nil for the simulator's own.
func (d discipline) scheduler() schedule.Scheduler {
	var order schedule.Priority
	if d.weights != nil {
		order = d.weights.Priority
	}
	switch {
	case d.backfill == conservative:
		return &schedule.Conservative{Order: order}
	case d.backfill == noBackfill:
		return &schedule.FCFS{Order: order}
	case d.reservations > 1 || order != nil:
		return &schedule.EASY{Order: order, Reservations: d.reservations}
	}
	return nil
}

// String is how the sweep names a discipline.
func (d discipline) String() string {
	if d.name != "" {
		return d.name
	}
	if d.backfill == easy && d.reservations > 1 {
		return "easy-" + strconv.Itoa(d.reservations)
	}
	return backfillNames[d.backfill]
}

// disciplines are those of the sweep, EASY first. The last two have priorities by time in
// the queue and size ([Niu16] section 4): an instance more or less weighs as much as an hour
// of waiting.
var disciplines = []discipline{
	{}, {reservations: 4}, {backfill: conservative}, {backfill: noBackfill},
	{name: "easy-small-first", weights: &schedule.Weights{Hour: 1, Node: -1}},
	{name: "easy-large-first", weights: &schedule.Weights{Hour: 1, Node: 1}},
}

// weights are the priorities of a file, and where it names users.
type weights struct {
	schedule.Weights
	lines map[int]int // by user
}

// maxWeight bounds weights, so that a priority is a number whatever the job, and a weight
// for waiting counts beside the greatest weight of a user.
const maxWeight = 1e12

// readWeights reads -weights.
func readWeights(path string) (*weights, error) {
	return infile.Read("-weights", path, parseWeights)
}

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

// discipline returns what the flags say, once the log is read: a user with a weight has a
// job in it.
func (o *options) discipline(log *jobLog) (discipline, error) {
	d := discipline{backfill: o.backfill, reservations: o.reservations}
	if o.weights == "" {
		return d, nil
	}
	w, err := readWeights(o.weights)
	if err != nil {
		return d, err
	}
	missing := w.lines
	for i := range log.jobs {
		delete(missing, log.jobs[i].User)
	}
	if len(missing) > 0 {
		var users []int
		for u := range missing {
			users = append(users, u)
		}
		first := slices.MinFunc(users, func(a, b int) int { return missing[a] - missing[b] })
		name := log.name
		if o.trace == "" {
			name = "the " + name
		}
		return d, cli.Mistakef("-weights %s: line %d: user %d has no job in %s: want users of the log", o.weights, missing[first], first, name)
	}
	d.weights = &w.Weights
	return d, nil
}
