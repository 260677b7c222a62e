package pricing

import "time"

// A Meter says for what time a lease is billed: for Minimum at least, and beyond Minimum in whole
// steps of Increment. Each lease also pays the fee StartUp once.
//
// A lease of length L is billed for
//
//	Minimum                                        if L ≤ Minimum
//	Minimum + ⌈(L - Minimum)/Increment⌉·Increment  otherwise
//
// So a lease of length 0 pays the minimum. A lease that ends exactly where its paid time ends pays
// no more.
//
// The zero Meter is not usable: Increment must be positive, and Minimum and StartUp must not be
// negative. [Meter.Validate] checks a meter that comes from data.
type Meter struct {
	Minimum   time.Duration
	Increment time.Duration
	StartUp   Money
}

// Meters of public clouds. Do not change them.
var (
	// EC2Hourly is Amazon EC2's meter until 1 October 2017, and the meter of [Niu16]
	// section 4: every hour begun is charged.
	EC2Hourly = Meter{Minimum: time.Hour, Increment: time.Hour}
	// GCE2014 is Google Compute Engine's meter of 2013 to 2017: ten minutes at
	// least, then every minute begun. [Niu16] sections 6 and 8.1.
	GCE2014 = Meter{Minimum: 10 * time.Minute, Increment: time.Minute}
	// EC2PerSecond is Amazon EC2's meter for Linux since 2 October 2017: a minute
	// at least, then every second begun.
	EC2PerSecond = Meter{Minimum: time.Minute, Increment: time.Second}
)

// Validate returns an [*InputError], which unwraps to [ErrRange], if the meter
// is not usable.
func (m Meter) Validate() error {
	switch {
	case m.Minimum < 0:
		return badInput("Minimum", -1, ErrRange, "%v: want a length of 0 or more", m.Minimum)
	case m.Increment <= 0:
		return badInput("Increment", -1, ErrRange, "%v: want a positive length", m.Increment)
	case m.StartUp < 0:
		return badInput("StartUp", -1, ErrRange, "%v: want a fee of 0 or more", m.StartUp)
	}
	return nil
}

// Charged returns the time that a lease of the given length is billed for, which
// is never less than length. Charged panics if length is negative, the meter is not
// usable, or the result exceeds the range of a Duration (292 years).
func (m Meter) Charged(length time.Duration) time.Duration {
	if length < 0 || m.Increment <= 0 || m.Minimum < 0 {
		panic("pricing: Meter without a positive increment, or a negative length")
	}
	if length <= m.Minimum {
		return m.Minimum
	}
	rest := (length - m.Minimum) % m.Increment
	if rest == 0 {
		return length
	}
	end := length + (m.Increment - rest)
	if end < length {
		panic("pricing: lease too long to be metered")
	}
	return end
}

// NextCharge returns the length at which a lease of the given length is charged next: the end of
// its paid time. A lease released at or before that length costs no more than it does now. On an
// hourly meter, a lease of 59 minutes is charged next at one hour. A lease of exactly one hour is
// charged next at one hour, which is now. A lease of one hour and a second is charged next at two
// hours.
//
// The result equals Charged(length), since the lease has paid until the next charge. The two
// methods answer different questions. NextCharge panics where Charged does.
func (m Meter) NextCharge(length time.Duration) time.Duration { return m.Charged(length) }

// Cost returns the cost of a lease of the given length at the given price per
// hour: the start-up fee, and the price over the charged time rounded half to
// even. The error is [ErrOverflow]. Cost panics where [Meter.Charged] does.
func (m Meter) Cost(hourly Money, length time.Duration) (Money, error) {
	cost, err := hourly.Over(m.Charged(length), HalfEven)
	if err != nil {
		return 0, err
	}
	return cost.Add(m.StartUp)
}
