package main

import (
	"io"
	"math/rand/v2"

	"github.com/plimsoll/plimsoll/examples/internal/userbill"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/schedule/sim"
	"github.com/plimsoll/plimsoll/schedule/sim/bills"
)

// charged divides the bill of the run that is picked among the users ([Niu16] section 3).
// It is the pure cost: what is left of the terms is nobody's yet. In the mode individual
// nothing is common, and each user pays for the instances of the user's own jobs.
func (runs *modeRuns) charged() (*bills.Statement, error) {
	r := runs.picked()
	u := bills.Usage{
		Jobs: runs.log.jobs, Starts: r.Starts, Bill: r.pure, OnDemand: r.Result.Cost,
		Prices: runs.prices, Meter: pricing.EC2Hourly, Boot: sim.MeasuredBoot,
	}
	if runs.o.overhead {
		u.Boot = sim.MeasuredBootAndConfiguration
	}
	s, err := new(bills.Divider).Divide(u, bills.Options{Rand: rand.New(rand.NewPCG(1, streamUsers))})
	if r.mode == individual {
		for i := range s.Accounts {
			s.Accounts[i].Pays = s.Accounts[i].Alone
		}
	}
	return &s, err
}

func (runs *modeRuns) writeUsers(w io.Writer) error { return userbill.Write(w, runs.users) }
