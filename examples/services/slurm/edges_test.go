//go:build unix

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/examples/internal/journal"
	"github.com/plimsoll/plimsoll/examples/internal/provider"
	"github.com/plimsoll/plimsoll/examples/services/slurm/internal/manager"
	"github.com/plimsoll/plimsoll/examples/services/slurm/internal/partition"
	"github.com/plimsoll/plimsoll/examples/services/slurm/internal/slurmctl"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/schedule/elastic"
)

// The least and the greatest value of a flag are taken, and those beyond are not.
func TestLimitsOfFlags(t *testing.T) {
	folder := t.TempDir()
	clouds := filepath.Join(folder, "clouds.csv")
	if err := os.WriteFile(clouds, []byte("name,nodes,provider,instances\na,n[1-2],local,d\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	elastic := func(args []string) error { _, err := parseElastic(args); return err }
	for _, c := range []struct {
		begin        string
		parse        func(args []string) error
		good, beyond []string
	}{
		{"", func(args []string) error { _, err := parseDemo(args); return err }, []string{"-hour 1s", "-hour 1h"}, []string{"-hour 999ms", "-hour 3601s"}},
		{"-client http://h:1 -nodes n1", func(args []string) error { _, err := parsePartition(args); return err },
			[]string{"-client https://h", "-priority qos:x=1", "-priority qos:x=1000000,partition:y=2", "-idle 0s", "-minute 1ns", "-keys k -name n", "-raw",
				"-policy pap"},
			[]string{"-client ftp://h", "-client http://", "-client :", "-priority qos:x=0", "-priority qos:x=1000001", "-priority x=1", "-priority qos:x",
				"-hold -1s", "-move -1s", "-wait -1s", "-nodes n[", "-keys k"}},
		{"-journal j -nodes n1 -provider local -instances d", elastic,
			[]string{"-poll 20s", "-delay 0s", "-quota 0", "-timeout 1ns", "-period 0", "-buy x"},
			[]string{"-poll 20001ms", "-quota -1", "-timeout -1s", "-period 0 -buy x", "-journal ", "-list x", "-delete x", "-budget 3", "-poll 0s"}},
		{"-journal j -nodes n1 -provider exec -create a -delete b -list c", elastic, []string{"-timeout 5s"},
			[]string{"-create ", "-delete ", "-list ", "-delay 1s", "-quota 1", "-instances d"}},
		{"-journal j -policy od -clouds " + clouds, elastic,
			[]string{"-poll 100s", "-every 6s -poll 2s", "-launch printed", "-keep-free", "-policy od++ -launch printed",
				"-policy sm", "-policy mcop -seed 2", "-policy mcop-0-100", "-policy mcop-100-0"},
			[]string{"-poll 100001ms", "-every 5999ms -poll 2s", "-journal ", "-timeout 0s", "-policy sm -keep-free", "-policy aqtp -launch printed", "-seed 2",
				"-policy mcop-020-80", "-policy mcop--1-101", "-policy mcop-101--1", "-policy mcop-20-70", "-buy x", "-least 1"}},
	} {
		for i, list := range [][]string{c.good, c.beyond} {
			for _, more := range list {
				t.Run(c.begin+" "+more, func(t *testing.T) {
					args := strings.Fields(c.begin)
					for _, f := range strings.SplitAfter(more, " ") {
						args = append(args, strings.TrimSpace(f))
					}
					if err := c.parse(args); (err != nil) != (i == 1) {
						t.Error(err)
					}
				})
			}
		}
	}
}

// Flags come out where they belong.
func TestOptionsOfFlags(t *testing.T) {
	o, err := parseElastic(strings.Fields("-journal j -nodes n[1-2] -provider exec -create a -delete b -list c -buy d -timeout 5s"))
	if err != nil || o.exec.Timeout != 5*time.Second || o.manager.Timeout != 11*time.Second || o.manager.Buyer != &o.exec && o.manager.Buyer == nil ||
		!cmp.Equal(o.manager.Nodes, []string{"n1", "n2"}) || o.manager.Meter != pricing.EC2Hourly {
		t.Errorf("%+v, %v", o, err)
	}
	if o, err = parseElastic(strings.Fields("-journal j -nodes n1 -provider local -instances d -timeout 5s")); err != nil ||
		o.manager.Timeout != 5*time.Second || o.manager.Buyer != nil {
		t.Errorf("%+v, %v", o, err)
	}
	p, err := parsePartition(strings.Fields("-client http://h:1/path -nodes n[1-2] -priority qos:x=3,partition:y=2 -scale -idle 0s -hold 7s"))
	if err != nil || p.client != "http://h:1" || !cmp.Equal(p.agent.Priorities, map[string]int{"qos:x": 3, "partition:y": 2}) || p.agent.Scaling != nil &&
		(p.scaling.Idle != -1 || p.scaling.Hold != 7*time.Second) {
		t.Errorf("%+v, %v", p, err)
	}
	m, err := parseDemo(strings.Fields("-hour 10s"))
	// 0.3 s are 108 s of the bill, where an hour takes 10 s; 20 s are two hours.
	if err != nil || m.Lead != 108*time.Second || m.BootLimit != 2*time.Hour+m.Boot || m.RetryEvery != m.ReleaseEvery || m.Nodes[7] != "n8" {
		t.Errorf("%+v, %v", m, err)
	}
	if scaled(time.Hour, 10*time.Second) != 10*time.Second || scaledUp(5*time.Second, 10*time.Second) != 30*time.Minute {
		t.Error("the clock of the bill")
	}
}

// A policy is the one of the flags.
func TestPolicyOfFlags(t *testing.T) {
	for args, want := range map[string]elastic.Policy{
		"-policy sm":                              &elastic.SM{},
		"-policy od":                              &elastic.OD{},
		"-policy od -keep-free":                   &elastic.OD{KeepFree: true},
		"-policy od++ -launch printed":            &elastic.OD{Plus: true, Printed: true},
		"-policy aqtp -least-jobs 2 -most-jobs 3": &elastic.AQTP{Response: 2 * time.Hour, Threshold: 45 * time.Minute, Min: 2, Max: 3},
	} {
		var o elasticOptions
		if err := parse(o.define, strings.Fields(args)); err != nil {
			t.Fatal(err)
		}
		if got, err := o.newPolicy(); err != nil || fmt.Sprintf("%+v", got) != fmt.Sprintf("%+v", want) {
			t.Errorf("%s: %+v, %v, want %+v", args, got, err, want)
		}
	}
	for args, want := range map[string]float64{"-policy mcop": .2, "-policy mcop-80-20 -keep-free": .8} {
		var o elasticOptions
		if err := parse(o.define, strings.Fields(args)); err != nil {
			t.Fatal(err)
		}
		got, err := o.newPolicy()
		if p, ok := got.(*elastic.MCOP); err != nil || !ok || p.CostWeight != want || p.KeepFree != (want == .8) || p.Rand == nil {
			t.Errorf("%s: %+v, %v", args, got, err)
		}
	}
}

// A line of the file of clouds, and its defaults.
func TestCloudRows(t *testing.T) {
	const titles = "\ufeffname, nodes , price, boot, provider, create, delete, list, instances, delay, quota\n"
	rows, err := readClouds(strings.NewReader(titles + "a_1,n1,0.5,0s,local,,,, d ,2s,3\nb,n2,,,exec,x,y,z,,,\n"))
	if err != nil || len(rows) != 2 {
		t.Fatalf("%+v, %v", rows, err)
	}
	a, b := rows[0], rows[1]
	if a.name != "a_1" || a.price != 500*pricing.Milli || a.boot != 0 || a.kind != "local" || a.instances != "d" || a.delay != 2*time.Second || a.quota != 3 ||
		b.price != 0 || b.boot != 5*time.Minute || b.exec.CreateCommand != "x" || b.exec.DeleteCommand != "y" || b.exec.ListCommand != "z" || b.nodes != "n2" {
		t.Errorf("%+v", rows)
	}
	for row, want := range map[string]string{
		"A,n1,,,local,,,,d,,":    `line 2 (name): "A": want lower-case letters, digits and _`,
		"a,n1,x,,local,,,,d,,":   `line 2 (price): "x": want dollars an hour from 0, such as 0.085`,
		"a,n1,,,local,,,,d,-1s,": `line 2 (delay): "-1s": want a span of time that is not negative, such as 5m`,
		"a,n1,,,local,,,,d,,-1":  `line 2 (quota): "-1": want a whole number from 0; 0 is no limit`,
		"a,n1,,,local,,,,d,,x":   `line 2 (quota): "x": want a whole number from 0; 0 is no limit`,
		"a,n1,,,exec,x,y,,,,":    "line 2 (provider): exec without its commands: want create, delete and list",
		"a,n1,,,exec,x,,z,,,":    "line 2 (provider): exec without its commands: want create, delete and list",
		"a,n1,,,exec,,y,z,,,":    "line 2 (provider): exec without its commands: want create, delete and list",
	} {
		if _, err := readClouds(strings.NewReader(titles + row + "\n")); fmt.Sprint(err) != want {
			t.Errorf("%s: %v, want %s", row, err, want)
		}
	}
}

// Local instances need a folder, and each cloud another one; they run slurmd for a node.
func TestLocalProvider(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "slurmd")
	if err := os.WriteFile(file, []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir)
	t.Chdir(dir)
	slurm := &slurmctl.Client{}
	p, err := localProvider(slurm, ".", 3*time.Second, 4)
	if err != nil || p.Dir != dir || p.Boot != 3*time.Second || p.Quota != 4 {
		t.Fatalf("%+v, %v", p, err)
	}
	if diff := cmp.Diff([]string{file, "-D", "-N", "n1"}, p.Command("n1")); diff != "" {
		t.Error(diff)
	}
	slurm.Conf = "/c"
	if diff := cmp.Diff([]string{file, "-D", "-N", "n1", "-f", "/c"}, p.Command("n1")); diff != "" {
		t.Error(diff)
	}
	if _, err := localProvider(slurm, "none", 0, 0); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no folder: %v", err)
	}
	if _, err := localProvider(slurm, "slurmd", 0, 0); !errors.Is(err, errFolder) || err.Error() != "instances slurmd: want a folder" {
		t.Errorf("a file: %v", err)
	}
	o := elasticOptions{timeout: time.Second, cloudFile: "f",
		clouds: []cloudRow{{name: "a", kind: "exec"}, {name: "b", kind: "local", instances: "."}, {name: "c", kind: "local", instances: dir}}}
	o.manager.Clouds = make([]manager.Cloud, 3)
	if _, err := o.connectClouds(slurm); fmt.Sprint(err) != "-clouds f: b and c have the same folder of instances: want one for each" {
		t.Errorf("%v", err)
	}
	if o.clouds[0].exec.Timeout != time.Second || o.manager.Clouds[0].Provider != provider.Provider(&o.clouds[0].exec) {
		t.Errorf("%+v", o.clouds[0])
	}
	o.clouds[2].instances = "none"
	if _, err := o.connectClouds(slurm); err == nil || !strings.HasPrefix(err.Error(), "-clouds f: c: instances: ") {
		t.Errorf("%v", err)
	}
}

// Entries of the journal are lines for people.
func TestLine(t *testing.T) {
	for want, e := range map[string]manager.Entry{
		"      1.50 h  " + fmt.Sprintf("%-8s", manager.Asking) + " n1 job 3: why": {At: 90 * time.Minute, Kind: manager.Asking, Node: "n1", Job: 3, Reason: "why"},
		"      0.00 h  " + fmt.Sprintf("%-8s", manager.Gone):                      {Kind: manager.Gone},
	} {
		if got := line(&e); strings.TrimRight(got, " ") != strings.TrimRight(want, " ") {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// A file of Slurm that is not there is named before Slurm's commands look for another one.
func TestNoConf(t *testing.T) {
	name := filepath.Join(t.TempDir(), "slurm.conf")
	for _, args := range [][]string{{"elasticd", "-journal", "j", "-nodes", "n1", "-provider", "local", "-instances", ".", "-conf", name},
		{"partition", "-client", "http://h", "-nodes", "n1", "-conf", name}} {
		if status, _, stderr := runSlurm(args...); status != 2 || !strings.Contains(stderr, "-conf: open "+name+": no such file") {
			t.Errorf("%q: %d, %s", args, status, stderr)
		}
	}
	if err := runPartition(context.Background(), strings.Fields("-client http://h -nodes n1 -name hpc -keys none"), nil, nil); err == nil ||
		!strings.Contains(err.Error(), "none") {
		t.Errorf("no keys: %v", err)
	}
}

// The partition tells the time, the node and what it does; what it cannot be is the user's mistake.
func TestPartitionTells(t *testing.T) {
	slurmSays(t, `{"jobs":[]}`, `{"nodes":[{"name":"n1","state":"idle"},{"name":"n2","state":"idle"}]}`)
	client := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, `{"nodes":[],"requests":[]}`)
	}))
	defer client.Close()
	do := func(args ...string) (int, string) { // until it has said something
		ctx, stop := context.WithTimeout(t.Context(), time.Minute)
		defer stop()
		text := new(said)
		go func() {
			for ctx.Err() == nil {
				if text.String() != "" {
					stop()
				}
				time.Sleep(5 * time.Millisecond)
			}
		}()
		status := run(ctx, append([]string{"partition", "-client", client.URL, "-nodes", "n[1-2]", "-poll", "50ms", "-grace", "5s", "-margin", "1s"}, args...),
			io.Discard, text)
		return status, text.String()
	}
	if status, said := do(); status != 0 || !regexp.MustCompile(`(?m)^\d\d:\d\d:\d\d  n1 [a-z]`).MatchString(said) {
		t.Errorf("status %d, %s", status, said)
	}
	client.Close()
	if status, said := do(); status != 0 || !regexp.MustCompile(`(?m)^\d\d:\d\d:\d\d  [A-Za-z]`).MatchString(said) ||
		regexp.MustCompile(`(?m)^\S+   `).MatchString(said) {
		t.Errorf("status %d, %s", status, said)
	}
	if status, said := do("-take", "-1"); status != 2 || !strings.HasPrefix(said, "slurm: partition: ") {
		t.Errorf("status %d, %s", status, said)
	}
	if status, said := do("-nodes", "n[2-3]"); status != 2 || !strings.Contains(said, "not a node that Slurm knows: n3: want names of slurm.conf") {
		t.Errorf("status %d, %s", status, said)
	}
}

// The user's mistakes are told from the program's faults, also where they come wrapped.
func TestMistaken(t *testing.T) {
	for _, err := range []error{slurmctl.ErrAbsent, slurmctl.ErrVersion, slurmctl.ErrUnknownNode, slurmctl.ErrConf, manager.ErrOptions, partition.ErrOptions,
		errFolder, journal.ErrHeld, journal.ErrDamaged,
		os.ErrNotExist, os.ErrPermission, syscall.EISDIR} {
		if got := mistaken(fmt.Errorf("x: %w", err)); cli.Status(got) != cli.Mistake || !errors.Is(got, err) {
			t.Errorf("%v", got)
		}
	}
	if err := mistaken(io.ErrUnexpectedEOF); err != io.ErrUnexpectedEOF || mistaken(nil) != nil {
		t.Errorf("%v", err)
	}
}
