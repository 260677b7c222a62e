package sim

import (
	"github.com/plimsoll/plimsoll/schedule/internal/replay"
	"time"

	"github.com/plimsoll/plimsoll/schedule/trace"
)

const starts = replay.Booted // of a job, where every job has instances of its own

// individual runs a job on instances of its own.
func (s *Simulator) individual(j *trace.Job) {
	s.leaving(j.Submit)
	c := s.sites[0]
	boot, err := s.boot(c, j.Nodes)
	if err == nil {
		c.begin(j.Submit, j.Nodes)
		err = c.pay(j.Submit, boot+j.Run, j.Nodes)
	}
	if err != nil {
		s.fail(err)
		return
	}
	c.jobs++
	slot := s.enter(j)
	s.now = j.Submit
	s.held += j.Nodes
	s.events.Push(j.Submit+boot, replay.Order(starts, int64(slot)))
	s.note()
	s.tellStart(&s.live[slot].Job, s.live[slot].number, j.Submit+boot)
}

// leaving lets jobs start and end up to a time, and records how many instances all users
// together hold.
func (s *Simulator) leaving(until time.Duration) {
	for s.events.Len() > 0 && s.events.Min().Key <= until {
		e := s.events.Pop()
		s.now = e.Key
		slot := int32(indexOf(e.Tie))
		j := &s.live[slot]
		if replay.KindOf(e.Tie) == starts {
			s.busy += j.Nodes
			s.events.Push(s.now+j.Run, replay.Order(replay.Finish, int64(slot)))
		} else {
			s.busy -= j.Nodes
			s.held -= j.Nodes
			s.leave(slot)
		}
		s.note()
	}
}
