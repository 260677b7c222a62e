package sizing

import (
	"time"

	"github.com/plimsoll/plimsoll/internal/enum"
	"github.com/plimsoll/plimsoll/perfmodel"
	"github.com/plimsoll/plimsoll/pricing"
)

// A Target is a run to size: its input, and what the run must keep.
type Target struct {
	Features []float64     // as the profile names them
	Deadline time.Duration // > 0: for how long the run may take
	Budget   pricing.Money // > 0, or 0 for none
	// Cheapest asks for the least cost ([Huang13] section I) in place of the least time
	// (section II.B).
	Cheapest bool

	// Counts are the numbers of processes to choose from, in any order. See
	// [perfmodel.AppendCounts].
	Counts []int

	// Confidence, if not 0, is the probability in [0.5, 1) with which the run must keep
	// within the deadline and within the budget. The upper end of an interval of level
	// 2·Confidence − 1 must then keep within them. With 0, the predicted median must,
	// which half of all runs exceed.
	Confidence float64

	// MaxScale is how far beyond the largest profiled number of processes a choice may
	// go, as a factor; 0 stands for 1, not at all.
	MaxScale float64
}

// A Size is a number of processes, with its time and cost.
type Size struct {
	Processes int
	Instances int
	Time      time.Duration           // predicted, rounded up to the nanosecond
	Upper     time.Duration           // within which the run stays with the probability Target.Confidence; Time without
	Cost      pricing.Money           // of Time
	UpperCost pricing.Money           // of Upper
	Outside   perfmodel.Extrapolation // what is furthest outside of the profile
}

// A Verdict says whether a size keeps what the target asks for.
type Verdict uint8

const (
	Fits       Verdict = iota // deadline and budget are met
	TooLate                   // no number of processes meets the deadline
	TooDear                   // some meet the deadline, none of those the budget
	Unprofiled                // no number of processes lies within the profile
)

var verdicts = enum.New[Verdict]("sizing", "Verdict", perfmodel.ErrUnknown, "fits", "too_late", "too_dear", "unprofiled")

// String returns "fits", "too_late", "too_dear" or "unprofiled", or Verdict(n) for a
// value n that has no name.
func (v Verdict) String() string { return verdicts.String(v) }

// MarshalText returns the text that String returns. A value that has no name is an
// *pricing.InputError.
func (v Verdict) MarshalText() ([]byte, error) { return verdicts.MarshalText(v) }

// UnmarshalText reads a name. Any other text is a *pricing.InputError, and v is
// unchanged.
func (v *Verdict) UnmarshalText(text []byte) error { return verdicts.UnmarshalText(v, text) }

// A Choice is the size chosen for a target.
type Choice struct {
	Verdict Verdict
	// Best is the size chosen. If nothing fits, Best comes nearest: the least Upper if
	// all sizes are too late, the least UpperCost among the sizes in time if all are too
	// dear. It is the zero value if no number is within the profile.
	Best Size
	// Withheld is how many of Target.Counts were not looked at, because they go further
	// beyond the profile than Target.MaxScale.
	Withheld int
}
