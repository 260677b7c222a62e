// Package treefile reads and writes a demand that shows step by step, in CSV:
//
//	node,parent,probability,demand
//	0,,1,43
//	1,0,0.5,47
//	2,0,0.5,40
//
// A line is a slot of one past: a name of any kind, the name of the slot before, empty for the root
// and always of a line above, the probability of getting there, and the instances needed. The
// columns may come in any order.
package treefile

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/examples/internal/infile"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/reserve"
)

// A Tree is what a file has.
type Tree struct {
	Nodes []reserve.Node
	Names []string
}

var columns = []string{"node", "parent", "probability", "demand"}

// Read reads the file that was given with a flag, such as "-tree", plain or gzip. The error is the
// user's mistake.
func Read(flag, path string) (*Tree, error) { return infile.Read(flag, path, parse) }

func parse(in io.Reader) (*Tree, error) {
	r := csv.NewReader(in)
	r.ReuseRecord, r.TrimLeadingSpace = true, true
	header, err := r.Read()
	if err != nil && err != io.EOF {
		return nil, cli.Plain(err)
	}
	var at [4]int
	for i, name := range columns {
		if at[i] = slices.IndexFunc(header, func(s string) bool { return strings.TrimPrefix(s, "\ufeff") == name }); at[i] < 0 {
			return nil, fmt.Errorf("line 1: no column %s: want a header line of %s", name, strings.Join(columns, ","))
		}
	}
	t, index, lines := new(Tree), map[string]int{}, []int{}
	for {
		row, err := r.Read()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, cli.Plain(err)
		}
		line, _ := r.FieldPos(0)
		v, err := node(row, at, index)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", line, err)
		}
		name := strings.Clone(row[at[0]])
		if before, ok := index[name]; ok {
			return nil, fmt.Errorf("line %d: the node %s is there twice, first in line %d", line, infile.Quote(name), lines[before])
		}
		index[name] = len(t.Nodes)
		t.Nodes, t.Names, lines = append(t.Nodes, v), append(t.Names, name), append(lines, line)
	}
	if len(t.Nodes) == 0 {
		return nil, errors.New("no nodes below the header line: want at least the root")
	}
	return t, t.check(lines)
}

// node reads a line.
func node(row []string, at [4]int, index map[string]int) (v reserve.Node, err error) {
	v.Parent = -1
	if name := row[at[1]]; name != "" {
		parent, ok := index[name]
		if !ok {
			return v, fmt.Errorf("the parent %s is in no line above", infile.Quote(name))
		}
		v.Parent = parent
	} else if len(index) > 0 {
		return v, errors.New("a second root: want the name of a parent")
	}
	if v.Probability, err = strconv.ParseFloat(row[at[2]], 64); err != nil {
		return v, fmt.Errorf("the probability is %s: want a number above 0, and at most 1", infile.Quote(row[at[2]]))
	}
	demand, err := strconv.ParseFloat(row[at[3]], 64)
	if err != nil || !(demand >= 0 && demand < math.MaxInt32) {
		return v, fmt.Errorf("the demand is %s: want a number of instances, 0 or more", infile.Quote(row[at[3]]))
	}
	v.Demand = int(demand + .5)
	return v, nil
}

// check says in which line something is wrong.
func (t *Tree) check(lines []int) error {
	p := reserve.Problem{Tree: t.Nodes, Slot: time.Hour, Prices: pricing.List{OnDemand: 1}}
	err := p.Validate()
	var bad *reserve.InputError
	if errors.As(err, &bad) && bad.Field == "Tree" && bad.Index >= 0 {
		return fmt.Errorf("line %d: %s", lines[bad.Index], cli.Detail(err))
	}
	return err
}

// Write writes nodes, named by their numbers.
func Write(w io.Writer, nodes []reserve.Node) error {
	out := csv.NewWriter(w)
	out.Write(columns)
	for i, v := range nodes {
		parent := ""
		if v.Parent >= 0 {
			parent = strconv.Itoa(v.Parent)
		}
		out.Write([]string{strconv.Itoa(i), parent, strconv.FormatFloat(v.Probability, 'f', -1, 64), strconv.Itoa(v.Demand)})
	}
	out.Flush()
	return out.Error()
}
