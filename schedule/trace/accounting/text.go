package accounting

import (
	"bytes"
	"math"
	"strconv"
	"time"
)

// none reports whether a text of Slurm stands for no value.
func none(b []byte) bool {
	switch string(b) {
	case "", "Unknown", "None", "None assigned", "N/A", "n/a", "INVALID", "(null)", "-":
		return true
	}
	return false
}

// parseTime reads 2016-12-22T07:15:12, the same with a space, with a fraction or
// with an offset, and seconds since 1970. Unknown and None are the zero time.
func parseTime(b []byte, loc *time.Location) (time.Time, bool) {
	if none(b) {
		return time.Time{}, true
	}
	if n, ok := parseInt(b); ok && len(b) >= 6 {
		if n <= 0 || n > 1<<36 {
			return time.Time{}, false
		}
		return time.Unix(n, 0).UTC(), true
	}
	if len(b) < 19 || b[4] != '-' || b[7] != '-' || b[10] != 'T' && b[10] != ' ' || b[13] != ':' || b[16] != ':' {
		return time.Time{}, false
	}
	if len(b) > 19 {
		s := string(b[:10]) + "T" + string(b[11:])
		for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05Z0700", "2006-01-02T15:04:05.999999999"} {
			if t, err := time.ParseInLocation(layout, s, loc); err == nil {
				return t, true
			}
		}
		return time.Time{}, false
	}
	var part [6]int
	for i, at := range [6][2]int{{0, 4}, {5, 7}, {8, 10}, {11, 13}, {14, 16}, {17, 19}} {
		n, ok := parseInt(b[at[0]:at[1]])
		if !ok {
			return time.Time{}, false
		}
		part[i] = int(n)
	}
	t := time.Date(part[0], time.Month(part[1]), part[2], part[3], part[4], part[5], 0, loc)
	// time.Date normalises 31 April to 1 May: such a text is not a date. An hour that
	// clocks skip is moved by the hour, and is let through.
	if t.Month() != time.Month(part[1]) || t.Minute() != part[4] || t.Second() != part[5] || part[3] > 23 || part[0] < 1970 {
		return time.Time{}, false
	}
	return t, true
}

// parseSpan reads [days-]hours:minutes:seconds[.fraction], minutes:seconds, and
// hours as they are where days stand before (1-06).
func parseSpan(b []byte) (time.Duration, bool) {
	var days int64
	if i := bytes.IndexByte(b, '-'); i >= 0 {
		var ok bool
		if days, ok = parseInt(b[:i]); !ok {
			return 0, false
		}
		b = b[i+1:]
		switch bytes.Count(b, []byte(":")) {
		case 0:
			b = append(append([]byte(nil), b...), ":00:00"...)
		case 1:
			b = append(append([]byte(nil), b...), ":00"...)
		}
	}
	var fraction time.Duration
	if i := bytes.IndexByte(b, '.'); i >= 0 {
		f, err := strconv.ParseFloat("0"+string(b[i:]), 64)
		if err != nil || !(f >= 0 && f < 1) {
			return 0, false
		}
		fraction = time.Duration(math.Round(f * 1e9))
		b = b[:i]
	}
	var total int64
	count := 0
	for part := range bytes.SplitSeq(b, []byte(":")) {
		n, ok := parseInt(part)
		if count++; !ok || n > 1e10 || count > 3 || count > 1 && n > 59 {
			return 0, false
		}
		total = total*60 + n
	}
	const most = int64(math.MaxInt64/int64(time.Second)) / 2
	if count < 2 || days > most/86400 {
		return 0, false
	}
	total += days * 86400
	if total > most {
		return 0, false
	}
	return time.Duration(total)*time.Second + fraction, true
}

// parseInt reads a whole number that is not negative.
func parseInt(b []byte) (int64, bool) {
	if len(b) == 0 || len(b) > 18 {
		return 0, false
	}
	var n int64
	for _, c := range b {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = 10*n + int64(c-'0')
	}
	return n, true
}

// leadingInt reads the whole number at the beginning of b, and returns what follows.
func leadingInt(b []byte) (n int64, rest []byte, ok bool) {
	k := 0
	for k < len(b) && b[k] >= '0' && b[k] <= '9' {
		k++
	}
	n, ok = parseInt(b[:k])
	return n, b[k:], ok
}

// parseLimit reads a limit of time: a span, minutes as a plain number,
// UNLIMITED or Partition_Limit.
func parseLimit(b []byte, unit time.Duration) (time.Duration, bool) {
	switch {
	case none(b), bytes.EqualFold(b, []byte("Partition_Limit")):
		return 0, true
	case bytes.EqualFold(b, []byte("UNLIMITED")):
		return Unlimited, true
	}
	if n, ok := parseInt(b); ok {
		if n > int64(math.MaxInt64/unit)/2 {
			return 0, false
		}
		return time.Duration(n) * unit, true
	}
	return parseSpan(b)
}

// memPerCPU is the bit that Slurm sets in a number of megabytes where the number
// is per processor. Some versions print the bit: 2147486648Mn is 3000M for each
// processor.
const memPerCPU = 1 << 31

// parseMemory reads 31000Mn, 4Gc, 3.5G, 10gb: an amount, a unit, and whether the
// amount is for each node (n), for each processor (c), or for the job. The result
// is in KB per processor, 0 where the number of processors is unknown.
func parseMemory(b []byte, nodes, processors int) (float64, bool) {
	if none(b) || len(b) == 1 && b[0] == '0' {
		return 0, true
	}
	per := byte(0)
	if last := b[len(b)-1]; last == 'n' || last == 'c' {
		per, b = last, b[:len(b)-1]
	}
	digits := 0
	for digits < len(b) && (b[digits] >= '0' && b[digits] <= '9' || b[digits] == '.') {
		digits++
	}
	x, err := strconv.ParseFloat(string(b[:digits]), 64)
	if err != nil {
		return 0, false
	}
	kb := 0.0
	switch string(bytes.ToLower(b[digits:])) {
	case "b":
		kb = x / 1024
	case "k", "kb":
		kb = x
	case "", "m", "mb":
		if x >= memPerCPU && per == 'n' {
			x, per = x-memPerCPU, 'c'
		}
		kb = x * 1024
	case "g", "gb":
		kb = x * (1 << 20)
	case "t", "tb":
		kb = x * (1 << 30)
	case "p", "pb":
		kb = x * (1 << 40)
	default:
		return 0, false
	}
	switch {
	case per == 'c':
		return kb, true
	case processors <= 0:
		return 0, true
	case per == 'n':
		kb *= float64(max(1, nodes))
	}
	return kb / float64(processors), true
}

// parseState reads a state of Slurm, long or short, with what follows it:
// "CANCELLED by 380693", "CANCELLED+", "NODE_FAIL".
func parseState(b []byte) State {
	if i := bytes.IndexAny(b, " +"); i > 0 {
		b = b[:i]
	}
	switch string(b) {
	case "PENDING", "PD", "CONFIGURING_PENDING", "REQUEUE_HOLD", "RH", "SPECIAL_EXIT", "SE", "RESV_DEL_HOLD", "RD", "REQUEUE_FED", "RF":
		return Pending
	case "RUNNING", "R", "SUSPENDED", "S", "CONFIGURING", "CF", "COMPLETING", "CG", "STAGE_OUT", "SO", "STOPPED", "ST", "RESIZING", "RS", "SIGNALING", "SI":
		return Running
	case "COMPLETED", "CD":
		return Completed
	case "FAILED", "F", "NODE_FAIL", "NF", "BOOT_FAIL", "BF", "OUT_OF_MEMORY", "OOM", "LAUNCH_FAILED", "RECONFIG_FAIL":
		return Failed
	case "CANCELLED", "CA", "REVOKED", "RV":
		return Cancelled
	case "TIMEOUT", "TO", "DEADLINE", "DL":
		return Timeout
	case "PREEMPTED", "PR", "REQUEUED", "RQ":
		return Preempted
	}
	return Unknown
}
