package engine

import (
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/plimsoll/plimsoll/examples/services/fleet/internal/bills"
	"github.com/plimsoll/plimsoll/examples/services/fleet/internal/group"
	"github.com/plimsoll/plimsoll/examples/services/fleet/internal/market"
	"github.com/plimsoll/plimsoll/examples/services/fleet/internal/record"
)

// Write writes the records of plans and failures, and the savings plan of the fleet, by the
// last steps of the pipeline: the files are the same byte by byte. It writes none if dir is
// empty. It returns the totals.
func Write(dir string, formats []string, parts int, x *group.Terms, j *market.Plan, records [][]byte) (record.Totals, error) {
	var sum record.Totals
	for _, r := range savingsPlan(x, j) {
		records = append(records, record.Append(nil, r))
	}
	byPart := make([][][]byte, parts)
	for _, b := range records {
		account, err := record.Account(b)
		if err != nil {
			return sum, err
		}
		i := bills.Part(account, parts)
		byPart[i] = append(byPart[i], b)
	}
	if dir != "" { // the summary is written last
		if err := NoSummary(dir); err != nil {
			return sum, err
		}
	}
	w := writeFn{Dir: dir, Formats: formats, Parts: parts, Provider: x.Provider}
	for i, in := range byPart {
		part, err := w.write(i, in)
		if err != nil {
			return sum, err
		}
		sum.Merge(&part)
	}
	if dir == "" {
		return sum, nil
	}
	s := Summary{Terms: *x, Totals: sum, Joint: *j}
	if err := s.write(SummaryOf(dir)); err != nil {
		return sum, err
	}
	return sum, Done(dir)
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
