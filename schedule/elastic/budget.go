package elastic

import "github.com/plimsoll/plimsoll/pricing"

// The budget: credits accrue by the hour, unused credits accumulate, and launches may take
// the credits a little below zero ([Marshall12] sections I, II and V.B).
//
// The debt rule. A launch pays for the first hour of each instance. A launch is made only if
// the credits are then at least -Debt. When the paid hour of an instance without a job ends,
// the next hour is paid on the same condition; otherwise the instance is given back. An
// instance that runs a job, or boots for a job, is paid whatever the credits are: a running
// job is not stopped. So only the renewals of instances with jobs can take the credits below
// -Debt. Until the credits have recovered, nothing else is paid. Under Covered nothing takes
// the credits below -Debt: at every moment
//
//	credits + Debt ≥ Σ charges to come of running jobs ≥ 0
//
// A launch, a start and the charge of an idle instance are refused if they would break this
// inequality. The charge of a busy instance takes the same amount from both sides.

// A Budget is what an administrator allows for rented instances.
type Budget struct {
	Hourly pricing.Money // credits that accrue at the beginning of each hour, ≥ 0
	Debt   pricing.Money // how far launches may take the credits below zero, ≥ 0

	// Covered lets a job start on instances with a price only if the credits and the debt
	// hold all their charges until the end of the job's estimate. Charges that another
	// running job is covered for do not count as held.
	Covered bool
}

// Marshall12Budget returns the budget of the paper's evaluation: $5 an hour, with a debt
// of one instance-hour at $0.085. That gives the 58 to 59 instances of its sustained
// maximum.
func Marshall12Budget() Budget {
	return Budget{Hourly: 5 * pricing.Unit, Debt: 85 * pricing.Milli}
}

// Validate returns a *schedule.InputError that unwraps to [ErrRange] if an amount is
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
