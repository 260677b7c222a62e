package elastic

import (
	"time"

	"github.com/plimsoll/plimsoll/pricing"
)

// The budget: credits accrue by the hour, what is not spent accumulates, and
// launches may take the credits a little below zero ([Marshall12] sections I,
// II and V.B).
//
// The debt rule. A launch pays for the first hour of each instance. It is made
// only if the credits are then no lower than -Debt. An instance without a job
// whose paid hour ends is paid for another only on the same condition, and is
// given back otherwise. One that runs a job, or boots for it, is paid for
// whatever the credits are: a job that runs is not stopped. So the renewals of
// instances that run jobs, and they alone, can take the credits below -Debt, and
// until they have recovered nothing more is spent on anything else. Covered is
// the strict rule, under which nothing takes them there.
//
// The paper says "slight debt" and no more. Its sustained maximum has 58 to 59
// instances: with $5 an hour at $0.085 it takes a debt to have the 59th, which
// cost $5.015, and one of an instance-hour is enough. It then has 59 until the
// debt is used up, and 58 or 59 in turn from then on, for the $1,530 that accrue
// in the 306 hours of the evaluation. The $1,535 that the paper reports are 59
// for all the time, $1,534.59, and take the credits to -$4.59. That its
// on-demand policies spend hundreds more than accrues fits renewals only.

// A Budget is what an administrator allows for rented instances.
type Budget struct {
	Hourly pricing.Money // credits that accrue at the beginning of each hour, ≥ 0
	Debt   pricing.Money // how far launches may take the credits below zero, ≥ 0

	// Covered has jobs start on instances with a price only if all that these
	// will be charged until the end of the job's estimate is in the credits,
	// the debt added, and not covered for another job that runs.
	Covered bool
}

// Marshall12Budget returns the budget of the paper's evaluation: $5 an hour, with
// a debt of one instance-hour at $0.085, which gives the 58 to 59 instances that
// its sustained maximum holds.
func Marshall12Budget() Budget {
	return Budget{Hourly: 5 * pricing.Unit, Debt: 85 * pricing.Milli}
}

// Validate returns an [*InputError] that unwraps to [ErrRange] if an amount is
// negative.
func (b Budget) Validate() error {
	switch {
	case b.Hourly < 0:
		return badInput("Budget.Hourly", -1, ErrRange, "%v an hour: want 0 or more", b.Hourly)
	case b.Debt < 0:
		return badInput("Budget.Debt", -1, ErrRange, "a debt of %v: want 0 or more, how far credits may go below zero", b.Debt)
	}
	return nil
}

// Accrued returns the credits that have accrued by the time now: one hour's at
// time 0 and at each full hour. The error is pricing.ErrOverflow. It panics if
// now is negative.
func (b Budget) Accrued(now time.Duration) (pricing.Money, error) {
	if now < 0 {
		panic("elastic: negative time")
	}
	return b.Hourly.Mul(int64(now/time.Hour) + 1)
}

// Credits returns what has accrued by now less what has been spent. The error is
// pricing.ErrOverflow. It panics if now is negative.
func (b Budget) Credits(now time.Duration, spent pricing.Money) (pricing.Money, error) {
	a, err := b.Accrued(now)
	if err != nil {
		return 0, err
	}
	return a.Sub(spent)
}
