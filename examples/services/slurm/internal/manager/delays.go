package manager

import (
	"fmt"
	"math"
	"time"
)

// Delays are how long the clouds and Slurm took for what the manager asked, by the journal,
// on the scaled clock. They are for the simulator, which has none of its own.
type Delays struct {
	Boot    Sample // from the decision to launch until the node was seen up
	Release Sample // from the decision to give an instance back until it had ended
	Late    int    // instances that were charged again while they were given back
}

// A Sample is the mean and the standard deviation of spans of time.
type Sample struct {
	N               int
	Mean, Deviation time.Duration
}

// String returns the sample as examples/tools/elastic reads it, such as 50s±4s.
func (s Sample) String() string {
	return fmt.Sprintf("%v±%v", s.Mean.Round(time.Second), s.Deviation.Round(time.Second))
}

func newSample(spans []time.Duration) Sample {
	s := Sample{N: len(spans)}
	for _, d := range spans {
		s.Mean += d / time.Duration(len(spans))
	}
	sum := 0.
	for _, d := range spans {
		sum += float64(d-s.Mean) * float64(d-s.Mean) / float64(len(spans))
	}
	s.Deviation = time.Duration(math.Sqrt(sum))
	return s
}

// Delays returns the delays that the journal tells. Not while the manager runs.
func (m *Manager) Delays() (d Delays) {
	var boots, releases []time.Duration
	for _, l := range m.state.leases {
		if l.came > 0 {
			boots = append(boots, l.came-l.asked)
		}
		if l.phase != gone || l.left == 0 || l.Ended.IsZero() {
			continue
		}
		end := m.clock.At(l.Ended)
		if end < l.left {
			continue // it had ended by itself
		}
		releases = append(releases, end-l.left)
		start := m.clock.At(l.Created)
		if m.o.Meter.Charged(end-start) > m.o.Meter.Charged(max(1, l.left-start)) {
			d.Late++
		}
	}
	d.Boot, d.Release = newSample(boots), newSample(releases)
	return d
}
