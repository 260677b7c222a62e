package accounting

import "bytes"

// maxHosts bounds what a host list may stand for.
const maxHosts = 1 << 24

// countHosts returns how many hosts a list of Slurm's names, such as
// cpn-f13-03-[01-02],cpn-[a,b]-[1-4]: a bracket stands for its members, and
// several brackets in one name for every combination. It is false for a text that
// is no such list. Time is linear in the length of the text.
func countHosts(b []byte) (int, bool) {
	if none(b) {
		return 0, true
	}
	total, one := 0, 1
	for len(b) > 0 {
		switch b[0] {
		case ',':
			if total += one; total > maxHosts {
				return 0, false
			}
			one = 1
			b = b[1:]
			continue
		case ']':
			return 0, false
		case '[':
			end := bytes.IndexByte(b, ']')
			if end < 0 {
				return 0, false
			}
			members := 0
			for item := range bytes.SplitSeq(b[1:end], []byte(",")) {
				lo, hi, isRange := bytes.Cut(item, []byte("-"))
				if !isRange {
					members++
					continue
				}
				first, ok1 := parseInt(lo)
				last, ok2 := parseInt(hi)
				if !ok1 || !ok2 || last < first || last-first >= maxHosts {
					return 0, false
				}
				if members += int(last-first) + 1; members > maxHosts {
					return 0, false
				}
			}
			if members > maxHosts/one {
				return 0, false
			}
			one *= members
			b = b[end+1:]
			continue
		}
		b = b[1:]
	}
	total += one
	return total, total <= maxHosts
}
