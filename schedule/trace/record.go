package trace

import "time"

// The values of [Record.Status] that the format defines. Logs hold others,
// such as exit codes, and a [Reader] keeps them.
const (
	StatusUnknown       = -1
	StatusFailed        = 0
	StatusCompleted     = 1
	StatusPartial       = 2 // one burst of a job that was swapped out, to be continued
	StatusPartialEnd    = 3 // the last burst of a job that completed
	StatusPartialFailed = 4 // the last burst of a job that failed
	StatusCancelled     = 5 // before or after it started
)

// A Record is one line of a log in the Standard Workload Format: its 18 fields, in the format's
// order, with the values in the log. An unknown number is -1. An unknown time is -1 s, not -1 ns.
//
// Times are in whole nanoseconds. So a time in seconds with up to nine decimals is exact.
type Record struct {
	ID            int64         // 1: job number
	Submit        time.Duration // 2: since the log's start, or absolute
	Wait          time.Duration // 3: from submission to start
	Run           time.Duration // 4: wall-clock time from start to end
	Processors    int           // 5: allocated
	CPU           time.Duration // 6: average CPU time per processor
	Memory        float64       // 7: KB per processor, used
	ReqProcessors int           // 8: requested
	ReqTime       time.Duration // 9: requested, the user's estimate
	ReqMemory     float64       // 10: KB per processor, requested
	Status        int           // 11: see StatusCompleted and its like
	User          int           // 12: user number
	Group         int           // 13: group number
	Executable    int           // 14: application number
	Queue         int           // 15: queue number, 0 for interactive
	Partition     int           // 16: partition number
	Preceding     int64         // 17: job that this one waited for
	Think         time.Duration // 18: from that job's end to this submission
}

const numFields = 18

// minFields is how many fields a record needs: up to the allocated processors.
const minFields = 5

// fieldNames are the names of the fields in errors.
var fieldNames = [numFields]string{
	"job number", "submit time", "wait time", "run time", "allocated processors",
	"average CPU time", "used memory", "requested processors", "requested time",
	"requested memory", "status", "user", "group", "executable", "queue",
	"partition", "preceding job", "think time",
}

// What a field holds.
const (
	kindInt64  = iota // a whole number
	kindInt           // a whole number that fits an int
	kindTime          // seconds, kept as nanoseconds
	kindMemory        // a float64
)

var fieldKinds = [numFields]uint8{
	kindInt64, kindTime, kindTime, kindTime, kindInt,
	kindTime, kindMemory, kindInt, kindTime,
	kindMemory, kindInt, kindInt, kindInt, kindInt, kindInt,
	kindInt, kindInt64, kindTime,
}
