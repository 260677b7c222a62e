package elastic

// Events fall by time, then by order. Submissions, which are not in the queue of
// events, come before all of them.
type kind int64

const (
	finish kind = iota // a job ends
	booted             // the instances of a request are up
)

const kindShift = 56

// order is the kind and the index of an event as the tie of its time.
func order(k kind, index int64) int64 { return int64(k)<<kindShift | index }

func kindOf(order int64) kind   { return kind(order >> kindShift) }
func indexOf(order int64) int64 { return order & (1<<kindShift - 1) }
