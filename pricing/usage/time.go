package usage

import "time"

// ParseTime reads a time in one of the forms that bills use: "2024-09-18", "2024-09-18 22:00:00" or
// "2024-09-18T22:00Z". The time may have a fraction of a second, an offset such as "+02:00" or
// "+0200", or " UTC" at the end. A time without an offset is in UTC, as FOCUS requires. 24:00 is
// the beginning of the next day. The error is an [*pricing.InputError] that unwraps to [ErrSyntax].
// ParseTime does not allocate.
func ParseTime[T text](s T) (time.Time, error) {
	p := clock[T]{s: s}
	year := p.number(4, 0, 9999)
	p.one('-')
	month := p.number(2, 1, 12)
	p.one('-')
	day := p.number(2, 1, 31)
	if !p.bad && day > 28 && day > daysIn(year, month) {
		p.bad = true
	}
	var hour, minute, second, nano, offset int
	if p.i < len(s) && (s[p.i] == 'T' || s[p.i] == ' ' || s[p.i] == 't') && !p.bad {
		p.i++
		hour = p.number(2, 0, 24)
		p.one(':')
		minute = p.number(2, 0, 59)
		if p.i < len(s) && s[p.i] == ':' {
			p.i++
			second = p.number(2, 0, 60)
			if p.i < len(s) && s[p.i] == '.' {
				p.i++
				nano = p.fraction()
			}
		}
		if hour == 24 && minute+second+nano > 0 {
			p.bad = true
		}
		offset = p.offset()
	}
	if p.bad || p.i != len(s) {
		return time.Time{}, badInput("time", -1, ErrSyntax, "%s: want a time such as 2024-09-18T22:00:00Z", quote(string(s)))
	}
	return time.Unix(3600*int64(24*daysFrom(year, month, day)+hour)+int64(60*minute+second-offset), int64(nano)).UTC(), nil
}

// clock reads the parts of a time.
type clock[T text] struct {
	s   T
	i   int
	bad bool
}

// number reads a number of n digits.
func (p *clock[T]) number(n, low, high int) int {
	if p.bad || p.i+n > len(p.s) {
		p.bad = true
		return 0
	}
	v := 0
	for ; n > 0; n-- {
		c := p.s[p.i] - '0'
		if c > 9 {
			p.bad = true
			return 0
		}
		v = 10*v + int(c)
		p.i++
	}
	p.bad = v < low || v > high
	return v
}

func (p *clock[T]) one(c byte) {
	if p.i >= len(p.s) || p.s[p.i] != c {
		p.bad = true
		return
	}
	p.i++
}

// fraction reads the decimals of a second, of which the tenth and later ones count
// nothing.
func (p *clock[T]) fraction() int {
	v, digits := 0, 0
	for ; p.i < len(p.s) && p.s[p.i]-'0' <= 9; p.i++ {
		if digits < 9 {
			v = 10*v + int(p.s[p.i]-'0')
			digits++
		}
	}
	p.bad = p.bad || digits == 0
	for ; digits < 9; digits++ {
		v *= 10
	}
	return v
}

// offset reads an offset from UTC in seconds, 0 where there is none.
func (p *clock[T]) offset() int {
	if p.i < len(p.s) && p.s[p.i] == ' ' {
		p.i++
		p.bad = p.bad || p.i == len(p.s)
	}
	if p.i >= len(p.s) {
		return 0
	}
	switch c := p.s[p.i]; c {
	case 'Z', 'z':
		p.i++
		return 0
	case 'U':
		p.one('U')
		p.one('T')
		p.one('C')
		return 0
	case '+', '-':
		p.i++
		h, m := p.number(2, 0, 18), 0
		if p.i < len(p.s) && p.s[p.i] == ':' {
			p.i++
			m = p.number(2, 0, 59)
		} else if p.i < len(p.s) {
			m = p.number(2, 0, 59)
		}
		if c == '-' {
			return -3600*h - 60*m
		}
		return 3600*h + 60*m
	}
	p.bad = true
	return 0
}

// daysFrom returns the days from 1 January 1970. Years begin in March, so that the
// day of the leap is their last; 400 years have 146,097 days.
func daysFrom(year, month, day int) int {
	if month <= 2 {
		year--
		month += 12
	}
	return 365*year + year/4 - year/100 + year/400 + (153*(month-3)+2)/5 + day - 1 - 719468
}

func daysIn(year, month int) int {
	switch month {
	case 4, 6, 9, 11:
		return 30
	case 2:
		if year%4 == 0 && (year%100 != 0 || year%400 == 0) {
			return 29
		}
		return 28
	}
	return 31
}
