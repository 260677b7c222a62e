package schedule

import (
	"time"

	"github.com/plimsoll/plimsoll/pricing"
)

// The budget: credits accrue by the hour, what is not spent accumulates, and
// launches may take the credits a little below zero ([Marshall12] sections I,
// II and V.B).
//
// The debt rule. A launch pays for the first hour of each instance. It is made
// only if the credits are then no lower than -Debt, so that no launch ever takes
// them below it. An instance whose paid hour ends while it runs a job is paid
// for another, whatever the credits are: a job that runs is not stopped. So
// renewals, and they alone, can take the credits below -Debt, and until they
// have recovered nothing is launched that costs money.
//
// The paper says "slight debt" and no more. Its sustained maximum fits a debt of
// one instance-hour: with $5 an hour at $0.085, 59 instances cost $5.015, and
// 59 instances over the 306 hours of the evaluation cost $1,534.59. Without debt
// it is 58 and $1,508.58. That the on-demand policies spend more than accrues
// fits renewals only.

// A Budget is what an administrator allows for rented instances.
type Budget struct {
	Hourly pricing.Money // credits that accrue at the beginning of each hour, ≥ 0
	Debt   pricing.Money // how far launches may take the credits below zero, ≥ 0
}

// Marshall12Budget returns the budget of the paper's evaluation: $5 an hour, with
// a debt of one instance-hour at $0.085, which gives the 59 instances that its
// sustained maximum holds.
func Marshall12Budget() Budget {
	return Budget{Hourly: 5 * pricing.Unit, Debt: 85 * pricing.Milli}
}

// Validate returns an [*InputError] that unwraps to [ErrRange] if an amount is
// negative.
func (b Budget) Validate() error {
	switch {
	case b.Hourly < 0:
		return badInput("Budget.Hourly", -1, ErrRange, "%v an hour is negative: want 0 or more", b.Hourly)
	case b.Debt < 0:
		return badInput("Budget.Debt", -1, ErrRange, "a debt of %v is negative: want 0 or more, how far credits may go below zero", b.Debt)
	}
	return nil
}

// Accrued returns the credits that have accrued by the time now: one hour's at
// time 0 and at each full hour. The error is pricing.ErrOverflow. It panics if
// now is negative.
func (b Budget) Accrued(now time.Duration) (pricing.Money, error) {
	if now < 0 {
		panic("schedule: negative time")
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
