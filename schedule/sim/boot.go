package sim

import "time"

// A boot takes from the request of n instances until all of them can be used. They come up
// together, and are charged from the request on.

// MeasuredBoot is the time that Amazon took to boot cc2.8xlarge instances ([Niu16] Table 2):
// 2.1, 3.1, 4.2, 4.5 and 5.0 minutes for 1, 2, 4, 8 and 16 instances. It is linear between
// the rows, and 5 minutes above 16. It is the default.
func MeasuredBoot(n int) time.Duration { return interpolate(table2[:], n) }

// MeasuredBootAndConfiguration adds to [MeasuredBoot] the time to configure the instances:
// host names, file systems, user accounts. [Niu16] Table 4 has 7.36, 7.46, 7.76, 8.26 and
// 9.25 seconds for 1, 2, 4, 8 and 16 instances. The time is linear between the rows, and
// 9.25 seconds above 16. Use it to study the management overhead of [Niu16] section 8.8.
func MeasuredBootAndConfiguration(n int) time.Duration {
	return interpolate(table2[:], n) + interpolate(table4[:], n)
}

type bootRow struct {
	n    int
	time time.Duration
}

var (
	table2 = [...]bootRow{{1, 126 * time.Second}, {2, 186 * time.Second}, {4, 252 * time.Second}, {8, 270 * time.Second}, {16, 300 * time.Second}}
	table4 = [...]bootRow{{1, 7360 * time.Millisecond}, {2, 7460 * time.Millisecond}, {4, 7760 * time.Millisecond}, {8, 8260 * time.Millisecond}, {16, 9250 * time.Millisecond}}
)

func interpolate(rows []bootRow, n int) time.Duration {
	for i, r := range rows {
		if n > r.n {
			continue
		}
		if i == 0 {
			return r.time
		}
		l := rows[i-1]
		return l.time + (r.time-l.time)*time.Duration(n-l.n)/time.Duration(r.n-l.n)
	}
	return rows[len(rows)-1].time
}
