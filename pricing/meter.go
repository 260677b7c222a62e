package pricing

import "time"

// Meter says for what time a lease is billed: at least for Minimum, beyond it in
// whole steps of Increment, and with the fee StartUp for each lease begun.
//
// A lease of length L is billed for
//
//	Minimum                                      if L ≤ Minimum
//	Minimum + ⌈(L - Minimum)/Increment⌉·Increment  otherwise
//
// so the conventions are: a lease that was begun, if only for no time, pays the
// minimum, which is zero where there is none; a lease that ends exactly where
// its paid time ends pays no more.
//
// The zero Meter is not usable: Increment must be positive, Minimum and StartUp
// not negative. [Meter.Validate] tests that for meters that come from data.
type Meter struct {
	Minimum   time.Duration
	Increment time.Duration
	StartUp   Money
}

// Meters of public clouds. They are to be read, not changed.
var (
	// EC2Hourly is Amazon EC2's meter until 1 October 2017: every hour begun is
	// charged. It is the meter of [Niu16] section 4.
	EC2Hourly = Meter{Minimum: time.Hour, Increment: time.Hour}
	// GCE2014 is Google Compute Engine's meter of 2013 to 2017: ten minutes at
	// least, then minutes begun. [Niu16] sections 6 and 8.1.
	GCE2014 = Meter{Minimum: 10 * time.Minute, Increment: time.Minute}
	// EC2PerSecond is Amazon EC2's meter for Linux since 2 October 2017: a minute
	// at least, then seconds begun.
	EC2PerSecond = Meter{Minimum: time.Minute, Increment: time.Second}
)

// Validate returns an [*InputError], which unwraps to [ErrRange], if the meter
// is not usable.
func (m Meter) Validate() error {
	switch {
	case m.Minimum < 0:
		return badInput("minimum", -1, ErrRange, "%v is negative", m.Minimum)
	case m.Increment <= 0:
		return badInput("increment", -1, ErrRange, "%v is not positive", m.Increment)
	case m.StartUp < 0:
		return badInput("start_up", -1, ErrRange, "the fee %v is negative", m.StartUp)
	}
	return nil
}

// Charged returns the time that a lease of the given length is billed for. It is
// never less than length. It panics if length is negative, the meter is not
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

// NextCharge returns the length at which a lease of the given length is charged
// next, which is where its paid time ends. A lease given up at or before that
// length costs no more than it does now. On an hourly meter the next charge of a
// lease of 59 minutes falls at one hour, of one hour exactly at one hour, that
// is now, and of one second more at two hours.
//
// The paid time is the time charged so far, so the result is always
// Charged(length); there are two names because there are two questions.
func (m Meter) NextCharge(length time.Duration) time.Duration { return m.Charged(length) }

// Cost returns what a lease of the given length costs at the given price per
// hour: the start-up fee and the price over the charged time, rounded half to
// even. The error is [ErrOverflow]. It panics where [Meter.Charged] does.
func (m Meter) Cost(hourly Money, length time.Duration) (Money, error) {
	cost, err := hourly.Over(m.Charged(length), HalfEven)
	if err != nil {
		return 0, err
	}
	return cost.Add(m.StartUp)
}
