//go:build unix

package main

import (
	"bytes"
	"context"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/programtest"
	"github.com/plimsoll/plimsoll/examples/services/slurm/internal/manager"
)

// runSlurm runs the program.
func runSlurm(args ...string) (status int, stdout, stderr string) {
	var out, msg bytes.Buffer
	status = run(context.Background(), args, &out, &msg)
	return status, out.String(), msg.String()
}

func TestUsage(t *testing.T) {
	for _, c := range []struct {
		args   string
		want   string
		define func(*flag.FlagSet)
	}{
		{"-h", usage, func(*flag.FlagSet) {}},
		{"help", usage, func(*flag.FlagSet) {}},
		{"demo -h", demoUsage, func(f *flag.FlagSet) { defineDemo(new(manager.Options), f) }},
		{"elasticd -h", elasticUsage, new(elasticOptions).define},
		{"invoice -h", invoiceUsage, new(invoiceOptions).define},
		{"partition -h", partitionUsage, new(partitionOptions).define},
	} {
		status, stdout, stderr := runSlurm(strings.Fields(c.args)...)
		if status != 0 || stdout != c.want || stderr != "" {
			t.Errorf("%v: status %d, %q", c.args, status, stderr)
		}
		programtest.Narrow(t, c.want, 86)
		if n := strings.Count(c.want, "\n"); n > 60 {
			t.Errorf("%s: %d lines of help", c.args, n)
		}
		flags := flag.NewFlagSet("", flag.ContinueOnError)
		c.define(flags)
		for _, m := range regexp.MustCompile(`(?m)^  -([a-z-]+) `).FindAllStringSubmatch(c.want, -1) {
			if m[1] != "h" && flags.Lookup(m[1]) == nil {
				t.Errorf("%s: the usage has -%s, which is no flag", c.args, m[1])
			}
		}
		flags.VisitAll(func(f *flag.Flag) {
			if !strings.Contains(c.want, "\n  -"+f.Name+" ") {
				t.Errorf("the usage does not have -%s", f.Name)
			}
			// Where the usage tells a default, that is the flag's.
			_, about, _ := strings.Cut(c.want, "\n  -"+f.Name+" ")
			about, _, _ = strings.Cut(about, "\n  -")
			_, told, ok := strings.Cut(strings.Join(strings.Fields(about), " "), "(default ")
			if told = strings.TrimSuffix(regexp.MustCompile(`^[^:;) ]*`).FindString(told), ","); !ok || told == "" || strings.HasPrefix(told, "-") ||
				told == "no" || f.DefValue == "" || f.Name == "least-jobs" {
				return
			}
			value := f.DefValue
			if d, err := time.ParseDuration(told); err == nil && told != "0" {
				told, value = d.String(), strings.TrimSuffix(value, "ns")
			}
			if told != value {
				t.Errorf("%s: the default of -%s is %q, and the usage says %q", c.args, f.Name, value, told)
			}
		})
	}
}

// The user's mistakes are told in one sentence, and nothing is started.
func TestMistakes(t *testing.T) {
	dir := t.TempDir()
	journal := filepath.Join(dir, "journal")
	args := func(more ...string) []string {
		return append([]string{"elasticd", "-journal", journal, "-nodes", "n[1-4]", "-provider", "local", "-instances", dir}, more...)
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{nil, "no command: want demo, elasticd, invoice or partition"},
		{[]string{"frob"}, `"frob" is not a command`},
		{[]string{"elasticd"}, "no -journal: want a file"},
		{[]string{"partition", "-nodes", "n1"}, `-client "": want the URL`},
		{[]string{"partition", "-client", "http://localhost:1"}, "no -nodes: want a list"},
		{[]string{"partition", "-client", "http://localhost:1", "-nodes", "n1", "-minute", "0s"}, "-minute 0s"},
		{[]string{"partition", "-client", "http://localhost:1", "-nodes", "n1", "x"}, `"x" is not a flag`},
		{[]string{"partition", "-client", "http://localhost:1", "-nodes", "n1", "-policy", "best"}, `"best": want exact, exact+`},
		{[]string{"partition", "-client", "http://localhost:1", "-nodes", "n1", "-priority", "high=3"}, `"high=3": want qos:NAME=N or partition:NAME=N`},
		{[]string{"partition", "-client", "http://localhost:1", "-nodes", "n1", "-keys", "x"}, "no -name: want the name of the partition"},
		{[]string{"partition", "-client", "http://localhost:1", "-nodes", "n1", "-name", "hpc", "-cert", "x"}, "want all three"},
		{[]string{"partition", "-client", "http://localhost:1", "-nodes", "n1", "-idle", "-1s"}, "-1s: want no negative span"},
		{args("more"), `"more" is not a flag`},
		{args("-provider", "moon"), `-provider "moon": want exec or local`},
		{args("-provider", "exec", "-create", "x"), "-provider exec wants -create, -delete and -list"},
		{args("-provider", "exec", "-create", "x", "-delete", "x", "-list", "x"), "-instances, -delay and -quota are of -provider local"},
		{args("-create", "x"), "-create, -delete and -list are of -provider exec"},
		{args("-timeout", "0s"), "-timeout 0s: want a positive span"},
		{args("-instances", ""), "no -instances: want a folder"},
		{args("-nodes", "n[1-"), "-nodes: the list of nodes"},
		{args("-nodes", "n1,n1"), `the node "n1": want names, each once`},
		{args("-hour", "0s"), "an hour of 0s"},
		{args("-expansion", "most"), `"most": want best, first or sum`},
		{args("-least", "5"), "want a least size up to the greatest one"},
		{args("-least", "3", "-most", "2"), "want a least size up to the greatest one"},
		{args("-pause", "-1s"), "a pause of -1s"},
		{args("-placement", "random"), "placement random: want one that is an order"},
		{args("-release-every", "1m", "-hour", "6s"), "so that no check is missed"},
		{args("-delay", "-1s"), "want neither negative"},
		{args("-period", "-1"), "a negative time"},
		{args("-classes", filepath.Join(dir, "none")), "no such file"},
	} {
		status, _, stderr := runSlurm(c.args...)
		if status != 2 || !strings.Contains(stderr, c.want) || !strings.HasPrefix(stderr, "slurm: ") {
			t.Errorf("%v: status %d, %s", c.args, status, stderr)
		}
	}
	// Where there is no Slurm, or one that is too old.
	t.Setenv("PATH", dir)
	for name, script := range map[string]string{"squeue": "exit 9", "scontrol": "exit 9", "sinfo": "echo slurm 20.11.9"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	status, _, stderr := runSlurm(args()...)
	if status != 2 || !strings.Contains(stderr, "this version of Slurm is too old: 20.11; squeue --json needs 21.08 or later") {
		t.Errorf("an old version: status %d, %s", status, stderr)
	}
	if _, err := os.Stat(journal); err == nil {
		t.Error("a journal was begun")
	}
}

// Nodes that Slurm does not know are told by name, and nothing is started; nor is it for a
// journal that another elasticd has, or that began with another hour. elasticd ends when it is
// told to.
func TestUnknownNode(t *testing.T) {
	t.Parallel()
	unknownNodes(t)
}

func unknownNodes(t *testing.T) {
	s := newStage(t, 2, 2*time.Second, 0)
	journal := filepath.Join(s.Dir, "journal")
	s.unknownNode()
	s.args = append(s.args, "-nodes", "n[1-4]")
	status, _, stderr := runSlurm(s.args...)
	if status != 2 || !strings.Contains(stderr, "not a node that Slurm knows: n3, n4") {
		t.Errorf("status %d, %s", status, stderr)
	}
	if _, err := os.Stat(journal); err == nil {
		t.Error("a journal was begun")
	}
	s.args = append(s.args, "-nodes", "n[1-2]")
	cmd := s.start()
	for {
		if st, err := os.Stat(journal); err == nil && st.Size() > 0 {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	status, _, stderr = runSlurm(s.args...)
	if status != 2 || !strings.Contains(stderr, "another process writes to it") {
		t.Errorf("twice: status %d, %s", status, stderr)
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("told to end: %v", err)
	}
	status, _, stderr = runSlurm(append(s.args, "-hour", "3s")...)
	if status != 2 || !strings.Contains(stderr, "an hour of 3s, and the journal began with one of 2s") {
		t.Errorf("another hour: status %d, %s", status, stderr)
	}
}
