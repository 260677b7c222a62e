package placement

import (
	"time"

	"github.com/plimsoll/plimsoll/internal/enum"
)

// An Instance is an idle instance, as a placement policy sees it.
type Instance struct {
	ID    int           // unique; of equal instances the lower ID comes first
	Due   time.Duration // when its next charge falls: its residual lease term is Due − now
	Since time.Duration // since when it is idle
}

// A Policy says which of the idle instances a job gets ([Niu16] section 4.2).
type Policy uint8

const (
	// MaxMarginFirst takes the instances with the longest residual lease term, so
	// that paid time is used. It is the cheapest policy of the paper.
	MaxMarginFirst Policy = iota
	// MinMarginFirst takes the instances with the shortest residual lease term. Their
	// leases renew while the job runs, and the other instances serve later jobs at
	// once.
	MinMarginFirst
	// MaxIdleFirst takes the instances that have been idle longest.
	MaxIdleFirst
	// MinIdleFirst takes the instances that have been idle shortest.
	MinIdleFirst
	// Random takes any instances, each with the same chance.
	Random
)

var policyTable = enum.New[Policy]("placement", "Policy", ErrUnknown, "max-margin", "min-margin", "max-idle", "min-idle", "random")

// String returns "max-margin", "min-margin", "max-idle", "min-idle" or "random".
func (p Policy) String() string { return policyTable.String(p) }

// MarshalText returns the String form. The error, for any other value, unwraps to
// [ErrUnknown].
func (p Policy) MarshalText() ([]byte, error) { return policyTable.MarshalText(p) }

// UnmarshalText reads the String form. The error, for any other text, unwraps to
// [ErrUnknown] and lists the names.
func (p *Policy) UnmarshalText(text []byte) error { return policyTable.UnmarshalText(p, text) }
