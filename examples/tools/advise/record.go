package main

import (
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/decimal"
	"github.com/plimsoll/plimsoll/examples/internal/seriesfile"
	"github.com/plimsoll/plimsoll/examples/internal/table"
	"github.com/plimsoll/plimsoll/forecast"
)

// A proof is about the futures, and says nothing of whether one of them comes. So beside it stands
// how forecasts like today's did on the same history: they are made anew from what was known on
// earlier days, a quarter apart.

const (
	recordEvery = 13 * 7 * 24 * time.Hour
	recordMost  = 4 // of a kind
)

// remember judges forecasts of earlier days of a group.
func (r *results) remember(g *group) error {
	series, slot := g.values(), r.slotOf(g)
	j := judge{o: r.o, b: &r.record, s: &seriesfile.Series{Values: series}, slot: slot}
	step, least := j.slots(recordEvery), j.slots(8*7*24*time.Hour)
	for k, at := 0, len(series)-step; k < recordMost && at >= least; k, at = k+1, at-step {
		model, err := forecast.New(r.o.model)
		if err != nil {
			return err
		}
		f := newFutures(r.o, model, slot)
		if f.Fit(&j.fitter, series[:at]) != nil {
			return nil // too short for the model, which is said elsewhere
		}
		j.intervals(f, at, rand.New(rand.NewPCG(r.o.seed, uint64(at))))
		r.record.origins++
	}
	return nil
}

// recordText says how good forecasts like today's were.
func (r *results) recordText() string {
	b := &r.record
	for k := range backWeeks {
		if n := b.asked[k][0]; k > 0 && n < 4 || n == 0 {
			break
		} else if k+1 == len(backWeeks) || b.asked[k+1][0] < 4 {
			return fmt.Sprintf("Forecasts like these, made on %s of this history, were off by %s%% of the level %d weeks ahead; their 80%% intervals held %d of %d.",
				decimal.Count(n, "earlier day"), decimal.Fixed(100*b.miss[k]/float64(n), 0), backWeeks[k], b.held[k][0], n)
		}
	}
	return "How good forecasts like these are, this history is too short to say."
}

// textRecord writes it.
func (r *results) textRecord(w *table.Page) { w.Sayf("%s", r.recordText()) }
