package placement

import (
	"fmt"
	"time"
)

// An Instance is an idle instance, as a placement policy sees it.
type Instance struct {
	ID    int           // unique; equal instances fall by it, the lower first
	Due   time.Duration // when its next charge falls: its residual lease term is Due − now
	Since time.Duration // since when it is idle
}

// A Policy says which of the idle instances a job gets ([Niu16] section 4.2).
type Policy uint8

const (
	// MaxMarginFirst takes those with the longest residual lease term, so that
	// what is paid for is used. It is the paper's cheapest.
	MaxMarginFirst Policy = iota
	// MinMarginFirst takes those with the shortest: their leases renew while
	// the job runs, and the idle ones that stay serve later jobs at once.
	MinMarginFirst
	// MaxIdleFirst takes those that have been idle longest.
	MaxIdleFirst
	// MinIdleFirst takes those that have been idle shortest.
	MinIdleFirst
	// Random takes any, each with the same chance.
	Random
)

var policyNames = [...]string{"max-margin", "min-margin", "max-idle", "min-idle", "random"}

// String returns "max-margin", "min-margin", "max-idle", "min-idle" or
// "random".
func (p Policy) String() string {
	if int(p) < len(policyNames) {
		return policyNames[p]
	}
	return fmt.Sprintf("Policy(%d)", uint8(p))
}

// MarshalText returns the String form, or an error if p is not one of the
// constants.
func (p Policy) MarshalText() ([]byte, error) {
	if int(p) >= len(policyNames) {
		return nil, fmt.Errorf("placement: %v is not a policy", p)
	}
	return []byte(p.String()), nil
}

// UnmarshalText reads the String form.
func (p *Policy) UnmarshalText(text []byte) error {
	for i, name := range policyNames {
		if string(text) == name {
			*p = Policy(i)
			return nil
		}
	}
	return fmt.Errorf("placement: %q is not a policy: want max-margin, min-margin, max-idle, min-idle or random", text)
}
