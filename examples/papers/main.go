// Papers puts the figures, tables and claims of five papers beside what this library finds.
//
//	go run ./examples/papers -list
//
// lists the papers, and
//
//	go run ./examples/papers niu16
//
// judges one of them: a row for each claim, with its place in the paper, the paper's number or
// order, ours, and whether the claim comes out. With -json each row is an object with the keys
// on (the input), place, claim, paper, ours, came_out (yes, in part or no) and why.
package main

import (
	"fmt"
	"io"
	"os"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/examples/papers/internal/claim"
	"github.com/plimsoll/plimsoll/examples/papers/internal/duplyakin17"
	"github.com/plimsoll/plimsoll/examples/papers/internal/huang13"
	"github.com/plimsoll/plimsoll/examples/papers/internal/liu21"
	"github.com/plimsoll/plimsoll/examples/papers/internal/marshall12"
	"github.com/plimsoll/plimsoll/examples/papers/internal/niu16"
)

// papers are the subcommands.
var papers = []claim.Paper{niu16.Paper, liu21.Paper, marshall12.Paper, huang13.Paper, duplyakin17.Paper}

func main() { os.Exit(start(os.Args[1:], os.Stdout, os.Stderr)) }

// start runs a subcommand, and returns the exit status.
func start(args []string, stdout, stderr io.Writer) int {
	first := ""
	if len(args) > 0 {
		first = args[0]
	}
	for _, p := range papers {
		if p.Name == first {
			return p.Run(args[1:], stdout, stderr)
		}
	}
	var err error
	switch first {
	case "-h", "-help", "--help":
		_, err = io.WriteString(stdout,
			"Usage: go run ./examples/papers PAPER [flags]\n\nThe figures, tables and claims of a paper beside ours. PAPER is one of:\n\n"+
				list()+"\nmarshall12 takes some 10 seconds and duplyakin17 20, the others less than 4.\nPAPER -h lists the flags of a paper, and -list the papers.\n")
	case "-list":
		_, err = io.WriteString(stdout, list())
	case "":
		err = cli.Mistakef("which paper? -list lists the papers")
	default:
		err = cli.Mistakef("%q is not a paper: -list lists the papers", first)
	}
	return cli.Exit(stderr, "papers", err)
}

// list has a line for each paper.
func list() (text string) {
	for _, p := range papers {
		text += fmt.Sprintf("  %-12s %s\n", p.Name, p.About)
	}
	return text
}
