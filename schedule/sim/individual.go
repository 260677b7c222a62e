package sim

import "github.com/plimsoll/plimsoll/internal/timesum"

// individual runs every job on instances of its own.
func (s *Simulator) individual() (charged timesum.Sum, err error) {
	c := s.sites[0]
	for i := range s.jobs {
		j := &s.jobs[i]
		boot, err := s.boot(c, j.Nodes)
		if err != nil {
			return charged, err
		}
		s.res.Starts[i] = j.Submit + boot
		c.begin(j.Submit, j.Nodes)
		if err := c.pay(j.Submit, boot+j.Run, j.Nodes); err != nil {
			return charged, err
		}
		c.jobs++
	}
	s.individualLevels()
	return s.charged()
}

// individualLevels records how many instances all users together hold.
func (s *Simulator) individualLevels() {
	const starts = booted // of a job, here
	next := 0
	for next < len(s.jobs) || s.events.Len() > 0 {
		if next < len(s.jobs) && (s.events.Len() == 0 || s.jobs[next].Submit < s.events.Min().Key) {
			j := &s.jobs[next]
			s.now = j.Submit
			s.held += j.Nodes
			s.events.Push(s.res.Starts[next], order(starts, next))
			next++
		} else {
			e := s.events.Pop()
			s.now = e.Key
			i := indexOf(e.Tie)
			j := &s.jobs[i]
			if kindOf(e.Tie) == starts {
				s.busy += j.Nodes
				s.events.Push(s.now+j.Run, order(finish, i))
			} else {
				s.busy -= j.Nodes
				s.held -= j.Nodes
			}
		}
		s.note()
	}
}
