package engine

import (
	"cmp"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/plimsoll/plimsoll/examples/services/fleet/internal/group"
	"github.com/plimsoll/plimsoll/examples/services/fleet/internal/market"
	"github.com/plimsoll/plimsoll/examples/services/fleet/internal/record"
)

// Write writes the records of plans and failures, and the savings plan of the fleet, by the
// last steps of the pipeline: the files are the same byte by byte. It writes none if dir is
// empty. It returns the totals.
func Write(dir string, formats []string, parts int, x *group.Terms, j *market.Plan, records [][]byte) (record.Totals, error) {
	var sum record.Totals
	byPart := make([][][]byte, parts)
	split := partFn{Parts: parts}
	add := func(b []byte) error {
		return split.ProcessElement(b, func(part int, b []byte) { byPart[part] = append(byPart[part], b) })
	}
	for _, b := range records {
		if err := add(b); err != nil {
			return sum, err
		}
	}
	var bad error
	savingsPlan(x, j, func(r record.Record) { bad = cmp.Or(bad, add(record.Append(nil, r))) })
	if bad != nil {
		return sum, bad
	}
	if dir != "" { // the summary is written last
		if err := NoSummary(dir); err != nil {
			return sum, err
		}
	}
	write := writeFn{Dir: dir, Formats: formats, Parts: parts, Provider: x.Provider}
	for part, in := range byPart {
		next := func(b *[]byte) bool {
			if len(in) == 0 {
				return false
			}
			*b, in = in[0], in[1:]
			return true
		}
		var totals record.Totals
		var bad error
		if err := write.ProcessElement(part, next, func(b []byte) { bad = record.Read(b, &totals) }); err != nil {
			return sum, err
		}
		if bad != nil {
			return sum, bad
		}
		sum.Merge(&totals)
	}
	if dir == "" {
		return sum, nil
	}
	terms, err := json.Marshal(x)
	if err != nil {
		return sum, err
	}
	commit, err := json.Marshal(j)
	if err != nil {
		return sum, err
	}
	summary := summaryFn{Path: SummaryOf(dir)}
	return sum, summary.ProcessElement(nil, [][]byte{terms}, [][]byte{commit}, [][]byte{record.Append(nil, &sum)})
}

// ReadFailures returns the failures that a run has written to a folder in so many parts,
// sorted.
func ReadFailures(dir string, parts int) (all []record.Failure, err error) {
	for part := range parts {
		f, err := os.Open(filepath.Join(dir, fmt.Sprintf("failures-%05d-of-%05d.csv", part, parts)))
		if err != nil {
			return nil, err
		}
		rows, err := csv.NewReader(f).ReadAll()
		f.Close()
		if err != nil {
			return nil, err
		}
		for _, r := range rows[min(1, len(rows)):] {
			line, _ := strconv.Atoi(r[4]) // empty where there is none
			all = append(all, record.Failure{Key: record.Key{Account: r[0], Region: r[1], Kind: r[2]}, File: r[3], Line: line, Reason: r[5]})
		}
	}
	slices.SortFunc(all, func(a, b record.Failure) int { return a.Compare(&b) })
	return all, nil
}
