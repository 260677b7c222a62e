package manager

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/plimsoll/plimsoll/forecast"
	"github.com/plimsoll/plimsoll/forecast/smoothing"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/reserve"
	"github.com/plimsoll/plimsoll/reserve/rules"
)

// A portfolio buys reservations at the end of each period, [Niu16] section 5.2.2, with
// the forecast of examples/tools/sec. What it knows follows from the demands of the periods
// that have ended, which are in the journal.
type portfolio struct {
	online rules.Online
	every  int
	period int // number of periods seen
}

func newPortfolio(o *Options, weeks []week) (*portfolio, error) {
	p := &portfolio{every: o.Period}
	if o.Period == 0 || len(o.Prices.Classes) == 0 {
		p.every = 0
		return p, nil
	}
	p.online.Forecaster = &forecast.Predictor{Model: &smoothing.Simple{Alpha: .05}}
	p.online.Quantile, p.online.Window = .4, 52
	if err := p.online.Reset(&reserve.Problem{Slot: time.Hour, Every: o.Period, Prices: o.Prices}); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrOptions, err)
	}
	for _, w := range weeks {
		if len(w.demand) != o.Period {
			return nil, fmt.Errorf("%w: purchases every %d hours, and the journal has a period of %d", ErrOptions, o.Period, len(w.demand))
		}
		bought, err := p.see(w.demand)
		if err != nil {
			return nil, err
		}
		if !slices.Equal(bought, w.bought) {
			return nil, fmt.Errorf("%w: want the prices that the journal began with: by these it would have bought other reservations", ErrOptions)
		}
	}
	return p, nil
}

// see observes the demand of a period and returns what is bought.
func (p *portfolio) see(demand []int) ([]pricing.Purchase, error) {
	bought, err := p.online.Observe(nil, demand)
	if err != nil {
		return nil, err
	}
	p.period++
	return bought, nil
}

// weeks ends periods, decides what is bought for the next, and has it bought.
func (m *Manager) weeks(_ context.Context, s *sight) error {
	for m.book.every > 0 && s.now >= time.Duration((m.book.period+1)*m.book.every)*time.Hour {
		demand := m.demand(m.book.period*m.book.every, m.book.every)
		bought, err := m.book.see(demand)
		if err != nil {
			return err
		}
		e := Entry{Kind: Week, Demand: demand, Bought: slices.Clone(bought), Reason: m.advice(bought)}
		if m.o.Buyer != nil {
			e.Token = fmt.Sprintf("%s-period%d", m.state.begin.Cluster, m.book.period)
		}
		if err := m.write(e); err != nil {
			return err
		}
	}
	return m.buy(s.now)
}

// demand returns how many instances were charged for in each hour from one on: a lease
// counts in the hours in which one of its own begins, as in schedule/sim.
func (m *Manager) demand(from, n int) []int {
	hours := make([]int, n)
	for _, l := range m.state.leases {
		if l.phase == asking {
			continue
		}
		start := max(0, m.clock.At(l.Created))
		first, end := int(start/time.Hour), int((start+m.charged(l))/time.Hour)
		for k := max(first, from); k < min(end, from+n); k++ {
			hours[k-from]++
		}
	}
	return hours
}

// charged returns for how long an instance is charged for, up to now if it is rented.
func (m *Manager) charged(l *lease) time.Duration {
	end := m.clock.Now()
	if l.phase == gone {
		end = m.clock.At(l.Ended)
	}
	return m.o.Meter.Charged(max(0, end-m.clock.At(l.Created)))
}

// Hours returns how many instances were charged for in each hour so far: the demand that
// reservations serve. Not while the manager runs.
func (m *Manager) Hours() []int {
	last := time.Duration(0)
	for _, l := range m.state.leases {
		if l.phase != asking {
			last = max(last, m.clock.At(l.Created)+m.charged(l))
		}
	}
	hours := m.demand(0, int(last/time.Hour)+1)
	n := len(hours)
	for n > 0 && hours[n-1] == 0 {
		n--
	}
	return hours[:n]
}

// Bought returns the reservations that were bought, or were to be. Not while the manager runs.
func (m *Manager) Bought() []pricing.Purchase { return slices.Clone(m.state.bought) }
