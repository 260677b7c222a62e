package schedule

// A priority is a function that orders the waiting queue: the type of the Order of [EASY], [FCFS]
// and [Conservative]. A job with a higher value comes before a job with a lower value. Jobs with
// equal values are in the order of (Submit, ID). The scheduler calls the function once for each
// job, at its submission. The function must not return NaN. A nil function means first come, first
// served.
//
// The usual mix of the user's standing, the time in the queue and the size changes with time. One
// value for each job is still enough if the mix is linear in the time. Let u_j be the standing of
// the user of job j, and let w and s be the weights of time and size. With
//
//	p_j(t) = u_j + w·(t − submit_j) + s·nodes_j
//
// the difference p_i(t) − p_j(t) does not depend on t. So two jobs never change places, and the
// values p_j(0) give the order at every time:
//
//	p_i(t) − p_j(t) = (u_i − u_j) − w·(submit_i − submit_j) + s·(nodes_i − nodes_j)
//
// [Weights] is that mix. A priority that is not linear, such as the expansion factor (wait +
// estimate)/estimate, has no such value.
type priority = func(Job) float64

// valueOf returns the priority of a job, 0 under the nil function.
func valueOf(p priority, j Job) float64 {
	if p == nil {
		return 0
	}
	v := p(j)
	if v != v {
		panic("schedule: priority is not a number")
	}
	return v
}

// ShortestFirst prefers jobs with a short estimate.
func ShortestFirst(j Job) float64 { return -float64(j.Estimate) }

// Weights is the linear mix of user, time in the queue and size that most
// batch systems use ([Niu16] section 4). Its zero value is first come, first
// served.
type Weights struct {
	User map[int]float64 // added to every job of that user; a user who is not in it has 0
	Hour float64         // for each hour in the queue
	Node float64         // for each node of the job
}

// Priority returns the job's priority at time 0, which orders the queue at
// every time. Use it as an order: scheduler.Order = weights.Priority.
func (w Weights) Priority(j Job) float64 {
	// The conversions keep compilers from fusing multiplications and additions,
	// which would round otherwise on some machines.
	return w.User[j.User] - float64(w.Hour*j.Submit.Hours()) + float64(w.Node*float64(j.Nodes))
}
