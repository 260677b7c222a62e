package sim

import "github.com/plimsoll/plimsoll/schedule/internal/replay"

// indexBits are the bits of an event's index that are its job's slot or its request.
const indexBits = 28

// maxJobs bounds the jobs of a log, so that an index fits its bits.
const maxJobs = 1<<indexBits - 1

// end is the order of the end of a job, the started-th job to start. So ends of one
// moment come in the order in which the jobs started.
func end(started, job int) int64 {
	return replay.Order(replay.Finish, int64(started)<<indexBits|int64(job))
}

func indexOf(order int64) int { return int(order & (1<<indexBits - 1)) }
