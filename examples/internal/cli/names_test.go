package cli

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// names is what a flag means in all programs that have it. A name stands here as soon as two
// programs have it; the word before the meaning is the placeholder, "" for a switch, or two where a program
// takes several values.
//
// Placeholders: FILE is read, OUT is written, DIR is a folder; D is a duration such as 1h or
// 168h, DAY a day such as 2026-11-23; N is a whole number, X a number, P a probability or a
// share; AMOUNT is money; NAME is one of some names, LIST several with commas between them.
var names = map[string][2]string{
	// What is read.
	"bill":        {"FILE", "what a cloud has charged"},
	"classes":     {"FILE", "price on demand and classes of reservations, JSON"},
	"clouds":      {"FILE", "clouds with their prices and limits"},
	"commitments": {"FILE", "commitments and their prices"},
	"demand":      {"FILE OUT", "instances needed in each slot"},
	"held":        {"FILE", "contracts held, of the form of heldfile"},
	"paths":       {"FILE", "futures that a demand may take"},
	"prices":      {"FILE", "price list of a cloud"},
	"profile":     {"FILE", "profile of an application"},
	"spot":        {"FILE", "history of spot prices"},
	"state":       {"FILE", "what a program keeps from run to run, read and replaced"},
	"trace":       {"FILE", "log of jobs"},
	"tree":        {"FILE OUT", "a demand that shows step by step"},
	// What is written.
	"html": {"OUT", "a page"},
	"json": {"", "for machines"},
	"out":  {"OUT", "where the results go"},
	"svg":  {"OUT", "a picture"},
	"h":    {"", "help"},
	// Time.
	"boot":       {"D", "from the request for a node to its first job"},
	"date":       {"DAY", "the day of the order, on which what is planned begins"},
	"deadline":   {"D", "when a task has to end"},
	"every":      {"D", "how often a decision is made"},
	"grace":      {"D LIST", "from the warning to the end of a job"},
	"horizon":    {"D", "how far ahead is planned"},
	"hour":       {"D", "for how long an instance is paid at a time"},
	"longest":    {"D", "jobs that run for longer are left out"},
	"latency":    {"D", "from the request for instances until the task runs"},
	"lead":       {"D", "how long before the need a node is requested"},
	"overhead":   {"D", "what a run takes beside its work"},
	"poll":       {"D", "how often a peer is asked"},
	"response":   {"D", "the time to respond that is wanted"},
	"save-every": {"D", "how often a job saves its work"},
	"step":       {"D", "between two states that are looked at"},
	"save-cost":  {"D", "what saving takes a job"},
	"slot":       {"D", "length of a slot of the demand"},
	"threshold":  {"D", "the wait from which on nodes are requested"},
	"timeout":    {"D", "how long to wait for an answer"},
	"wait-limit": {"D", "the longest wait of a job that counts as none"},
	"short":      {"D", "up to here a job is short"},
	// Numbers.
	"centres":        {"N", "centres that are made up"},
	"cores-per-node": {"N", "processors of an instance"},
	"floor":          {"N", "nodes kept at least"},
	"futures":        {"N", "futures of the demand that are drawn"},
	"error":          {"N LIST", "how wrong a predicted demand is"},
	"from":           {"LIST", "hour of each log at which a window begins"},
	"hours":          {"N", "length of what is made up"},
	"lambda":         {"N", "hours that a planner sees"},
	"least":          {"N", "fewest nodes"},
	"local":          {"N", "cores of the local cluster"},
	"most":           {"N", "most nodes"},
	"nodes":          {"N", "nodes of the cluster"},
	"overrun":        {"N", "a job beyond its requested time counts one part of so many"},
	"pods":           {"N", "pods"},
	"pool":           {"N", "nodes that can be had"},
	"rounds":         {"N", "rounds"},
	"runs":           {"N", "repetitions"},
	"sample":         {"N", "of so many one"},
	"seed":           {"N", "seed of the randomness"},
	"starts":         {"N", "moments at which a task is tried"},
	"take":           {"N", "nodes to be taken back"},
	"weight":         {"N", "weight"},
	"reserve":        {"LIST", "planners of reservations"},
	"alarm":          {"X", "tracking signal of a forecast, from which on nothing is bought"},
	"cap":            {"CLASS=N", "reservations of a class active at most"},
	"ladder":         {"N", "reservations of a class bought a time at most"},
	// Money, shares, names.
	"application": {"NAME", "an application"},
	"budget":      {"AMOUNT", "money to spend at most"},
	"debt":        {"X", "how far spending may be ahead of its budget"},
	"expansion":   {"NAME", "how many nodes are added"},
	"kinds":       {"FILE LIST", "kinds of instances"},
	"keep-free":   {"", "idle nodes that are paid for stay"},
	"covered":     {"", "a job starts only if its whole cost is covered"},
	"launch":      {"NAME", "when nodes are requested"},
	"model":       {"NAME", "the model that forecasts"},
	"name":        {"NAME", "the name of this process"},
	"fsck":        {"", "what is kept is read, and said to be whole or damaged"},
	"once":        {"", "one round and the end"},
	"placement":   {"NAME", "where a job goes"},
	"important":   {"WHICH", "jobs of the high priority"},
	"policy":      {"NAME LIST", "the rule that decides"},
	"provider":    {"NAME", "who makes nodes"},
	"queue":       {"NAME", "the order in which jobs start"},
	"search":      {"NAME", "how a policy searches"},
	"th1":         {"X", "a task of less slack goes on demand"},
	"th2":         {"X", "a task of more slack goes on spot with a low bid"},
	"series":      {"NAME", "one series of the file"},
	"workload":    {"NAME", "what is made up"},
	"create":      {"COMMAND", "makes a node"},
	"delete":      {"COMMAND", "removes a node"},
	"list":        {"COMMAND", "lists nodes"},
	"journal":     {"FILE", "decisions, kept for the next start"},
	"cert":        {"FILE", "certificate"},
	"key":         {"FILE", "private key"},
	"listen":      {"ADDRESS", "where to listen"},
	"dir":         {"DIR", "folder of what is kept"},
}

// renamed are names that no program has any longer, or none should, and their new names.
var renamed = map[string]string{
	"draws": "futures", "expand": "expansion", "interval": "every (between decisions) or level (a probability)", "place": "placement",
	"plan": "horizon, if it is a duration", "steps-ahead": "horizon", "train": "demand", "traces": "trace", "waitlimit": "wait-limit",
}

// exceptions are flags that differ from the table still. The list only shrinks: a line that is
// not needed any longer is an error.
var exceptions = strings.Fields(`
cap3:-move cap3:-scale
fleet:-out fleet:-plan
kubernetes:-out kubernetes:-plan
parttime:-kind parttime:-minute
slurm:-budget slurm:-expansion slurm:-launch slurm:-minute slurm:-move slurm:-nodes slurm:-placement
slurm:-provider slurm:-scale
`)

// oldPlaceholders have a successor.
var oldPlaceholders = map[string]string{"SPAN": "D", "FOLDER": "DIR", "RULE": "NAME", "HOW": "NAME", "KIND": "NAME", "MODE": "NAME", "ORDER": "NAME"}

// A use is a flag that the help of a program describes.
type use struct{ program, name, placeholder string }

var flagLine = regexp.MustCompile(`^  -([a-z][a-z0-9-]*)(?: ([A-Z][A-Za-z0-9=:,|.]*))?(?: |$)`)

// uses reads the flags of all programs from the texts in their source that -h prints.
func uses(t *testing.T) (list []use) {
	for _, root := range []string{"tools", "papers", "services"} {
		dir := filepath.Join("..", "..", root)
		err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			f, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
			if err != nil {
				return err
			}
			rel, _ := filepath.Rel(filepath.Join("..", ".."), path)
			parts := strings.Split(filepath.ToSlash(rel), "/")
			program := parts[1]
			if program == "internal" { // a paper is a program
				program = parts[2]
			}
			ast.Inspect(f, func(n ast.Node) bool {
				lit, ok := n.(*ast.BasicLit)
				if !ok || lit.Kind != token.STRING {
					return true
				}
				text, _ := strconv.Unquote(lit.Value)
				for line := range strings.SplitSeq(text, "\n") {
					if m := flagLine.FindStringSubmatch(line); m != nil {
						if u := (use{program, m[1], m[2]}); !slices.Contains(list, u) {
							list = append(list, u)
						}
					}
				}
				return true
			})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return list
}

// TestNames compares the flags of all programs with the table of names.
func TestNames(t *testing.T) {
	list := uses(t)
	if len(list) < 150 {
		t.Fatalf("%d flags found: want those of all programs", len(list))
	}
	programs := map[string][]string{}
	for _, u := range list {
		if !slices.Contains(programs[u.name], u.program) {
			programs[u.name] = append(programs[u.name], u.program)
		}
	}
	needed := map[string]bool{}
	for _, u := range list {
		why := ""
		entry, known := names[u.name]
		switch {
		case renamed[u.name] != "":
			why = "it is called -" + renamed[u.name]
		case known && !slices.Contains(strings.Split(entry[0], " "), u.placeholder):
			why = "its placeholder is " + strconv.Quote(u.placeholder) + ": want " + strconv.Quote(entry[0]) + " (" + entry[1] + ")"
		case !known && len(programs[u.name]) > 1:
			why = "it is in " + strings.Join(programs[u.name], " and ") + ": want a meaning in the table of names"
		case oldPlaceholders[u.placeholder] != "":
			why = "its placeholder is " + u.placeholder + ": want " + oldPlaceholders[u.placeholder]
		}
		id := u.program + ":-" + u.name
		switch {
		case why != "" && !slices.Contains(exceptions, id):
			t.Errorf("%s: %s", id, why)
		case why != "":
			needed[id] = true
		}
	}
	for _, id := range exceptions {
		if !needed[id] {
			t.Errorf("%s is in order: remove the exception", id)
		}
	}
}
