package semielastic

import (
	"strconv"

	"github.com/plimsoll/plimsoll/schedule"
)

// A Discipline says which waiting job starts when ([Niu16] section 4).
type Discipline struct {
	Backfill     Backfill
	Reservations int               // of EASY
	Weights      *schedule.Weights // nil: first come, first served
	Name         string            // "": that of its backfilling
}

// A Backfill says which waiting job may overtake.
type Backfill int

const (
	EASY Backfill = iota
	Conservative
	NoBackfill
)

// BackfillNames are the names, in the order of the constants.
var BackfillNames = []string{"easy", "conservative", "none"}

// scheduler returns a scheduler for one queue, nil for the simulator's own.
func (d Discipline) scheduler() schedule.Scheduler {
	var order func(schedule.Job) float64
	if d.Weights != nil {
		order = d.Weights.Priority
	}
	switch {
	case d.Backfill == Conservative:
		return &schedule.Conservative{Order: order}
	case d.Backfill == NoBackfill:
		return &schedule.FCFS{Order: order}
	case d.Reservations > 1 || order != nil:
		return &schedule.EASY{Order: order, Reservations: d.Reservations}
	}
	return nil
}

// String is how the sweep names a discipline.
func (d Discipline) String() string {
	if d.Name != "" {
		return d.Name
	}
	if d.Backfill == EASY && d.Reservations > 1 {
		return "easy-" + strconv.Itoa(d.Reservations)
	}
	return BackfillNames[d.Backfill]
}

// Disciplines are those of the sweep, EASY first. The last two have priorities by time in
// the queue and size ([Niu16] section 4): an instance more or less weighs as much as an hour
// of waiting.
var Disciplines = []Discipline{
	{}, {Reservations: 4}, {Backfill: Conservative}, {Backfill: NoBackfill},
	{Name: "easy-small-first", Weights: &schedule.Weights{Hour: 1, Node: -1}},
	{Name: "easy-large-first", Weights: &schedule.Weights{Hour: 1, Node: 1}},
}
