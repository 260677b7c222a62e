package slurmctl

import (
	"fmt"
	"strconv"
	"strings"
)

// Expand returns the names of a list as Slurm writes it: "n[1-3,07],login" is n1, n2,
// n3, n07 and login. Numbers keep the zeros in front. One pair of brackets a name is
// read, and at most a million names.
func Expand(list string) ([]string, error) {
	var names []string
	for list != "" {
		item := list
		if i := strings.IndexAny(list, ",["); i >= 0 && list[i] == ',' {
			item, list = list[:i], list[i+1:]
		} else if i >= 0 {
			end := strings.IndexByte(list, ']')
			if end < i {
				return nil, fmt.Errorf("the list of nodes %q, whose bracket is not closed", list)
			}
			rest := list[end+1:]
			after := rest
			if k := strings.IndexByte(rest, ','); k >= 0 {
				after, list = rest[:k], rest[k+1:]
			} else {
				list = ""
			}
			if strings.ContainsAny(after, "[]") {
				return nil, fmt.Errorf("the list of nodes %q, with two brackets in a name", item)
			}
			var err error
			if names, err = appendRange(names, item[:i], item[i+1:end], after); err != nil {
				return nil, err
			}
			continue
		} else {
			list = ""
		}
		if item == "" || strings.ContainsAny(item, "[]") {
			return nil, fmt.Errorf("the name %q in a list of nodes", item)
		}
		names = append(names, item)
	}
	return names, nil
}

// appendRange appends the names with the numbers of a bracket.
func appendRange(names []string, before, numbers, after string) ([]string, error) {
	for _, part := range strings.Split(numbers, ",") {
		low, high, isRange := strings.Cut(part, "-")
		if !isRange {
			high = low
		}
		a, err := strconv.ParseUint(low, 10, 32)
		b, err2 := strconv.ParseUint(high, 10, 32)
		if err != nil || err2 != nil || a > b {
			return nil, fmt.Errorf("the numbers %q in a list of nodes", part)
		}
		if len(names)+int(b-a) >= maxNodes {
			return nil, fmt.Errorf("a list of more than %d nodes", maxNodes)
		}
		for k := a; k <= b; k++ {
			names = append(names, fmt.Sprintf("%s%0*d%s", before, len(low), k, after))
		}
	}
	return names, nil
}
