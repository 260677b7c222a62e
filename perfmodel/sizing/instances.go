package sizing

import (
	"math"
	"time"

	"github.com/plimsoll/plimsoll/perfmodel"
	"github.com/plimsoll/plimsoll/pricing"
)

// An InstanceType is a type of instance that can be rented.
type InstanceType struct {
	Name         string
	ComputeUnits float64       // what the provider calls its speed, > 0
	Processes    int           // MPI processes that run on one, ppn ≥ 1
	Hourly       pricing.Money // ≥ 0
	Meter        pricing.Meter
}

// Huang13InstanceTypes returns the four instance types of Table III in [Huang13], at
// Amazon EC2's prices on demand of February 2013 in US dollars, charged by the hour
// begun. The caller may change the slice.
func Huang13InstanceTypes() []InstanceType {
	const cent = 10_000_000 // in nanos
	return []InstanceType{
		{"m1.small", 1, 1, 6 * cent, pricing.EC2Hourly},
		{"m1.medium", 2, 1, 12 * cent, pricing.EC2Hourly},
		{"m1.large", 4, 2, 24 * cent, pricing.EC2Hourly},
		{"cc1.4xlarge", 33.5, 16, 130 * cent, pricing.EC2Hourly},
	}
}

// FindInstanceType returns the instance type with the given name, or a *pricing.InputError
// that unwraps to [perfmodel.ErrUnknown].
func FindInstanceType(instances []InstanceType, name string) (InstanceType, error) {
	for _, i := range instances {
		if i.Name == name {
			return i, nil
		}
	}
	return InstanceType{}, badInput("instance", -1, perfmodel.ErrUnknown, "%q: want the name of an instance type of the list", name)
}

// CheapestPerUnit returns the index of the instance type with the least price per
// compute unit, as [Huang13] section III chooses; ties go to the first. The error is
// that of [InstanceType.Validate], or perfmodel.ErrMissing if there are no types.
func CheapestPerUnit(instances []InstanceType) (int, error) {
	best := -1
	for i := range instances {
		if err := instances[i].Validate(); err != nil {
			return -1, err
		}
		if best < 0 || float64(instances[i].Hourly)*instances[best].ComputeUnits < float64(instances[best].Hourly)*instances[i].ComputeUnits {
			best = i
		}
	}
	if best < 0 {
		return -1, badInput("instances", -1, perfmodel.ErrMissing, "0 instance types: want at least one")
	}
	return best, nil
}

// Validate returns a *pricing.InputError about the first thing that is wrong.
func (i *InstanceType) Validate() error {
	switch {
	case !(i.ComputeUnits > 0) || math.IsInf(i.ComputeUnits, 0):
		return badInput("InstanceType.ComputeUnits", -1, perfmodel.ErrNotPositive, "%s has %v: want a positive number", i.Name, i.ComputeUnits)
	case i.Processes < 1:
		return badInput("InstanceType.Processes", -1, perfmodel.ErrRange, "%s runs %d processes: want at least 1", i.Name, i.Processes)
	case i.Hourly < 0:
		return badInput("InstanceType.Hourly", -1, perfmodel.ErrRange, "%s costs %v: want 0 or more", i.Name, i.Hourly)
	}
	if err := i.Meter.Validate(); err != nil {
		return badInput("InstanceType.Meter", -1, err, "want a meter that can be used for %s", i.Name)
	}
	return nil
}

// Count returns how many instances P processes need, ⌈P/ppn⌉. It panics if P or the
// instance type's Processes is below 1.
func (i *InstanceType) Count(processes int) int {
	if processes < 1 {
		panic("sizing: number of processes below 1")
	}
	if i.Processes < 1 {
		panic("sizing: InstanceType.Processes below 1")
	}
	return (processes-1)/i.Processes + 1
}

// cost returns the cost of running instances for the given time, Eq. (5).
func (i *InstanceType) cost(instances int, t time.Duration) (pricing.Money, error) {
	one, err := i.Meter.Cost(i.Hourly, t)
	if err != nil {
		return 0, err
	}
	return one.Mul(int64(instances))
}

// floor returns a lower bound on what o.Time costs: the price of the time that is
// charged, less the half nano per instance that rounding may take off, without a fee for
// the start. It is a product of few float64, off by less than a share of floorMargin.
func (i *InstanceType) floor(o *Size) float64 {
	n := float64(i.Count(o.Processes))
	return n * (float64(i.Hourly)*(float64(i.Meter.Charged(o.Time))*(1/float64(time.Hour))) - 1)
}

const floorMargin = 1e-12
