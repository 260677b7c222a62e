// Package replay has what the simulators below package schedule share: the limits of the
// clock, the order of the events of one moment, which jobs can be replayed, what leases cost,
// and exact sums of times.
package replay
