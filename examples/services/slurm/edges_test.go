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
	"github.com/plimsoll/plimsoll/schedule/trace"
)

// The least and the greatest value of a flag are taken, and those beyond are not.
func TestLimitsOfFlags(t *testing.T) {
	folder := t.TempDir()
	clouds := filepath.Join(folder, "clouds.csv")
	if err := os.WriteFile(clouds, []byte("name,nodes,provider,instances\na,n[1-2],local,d\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	parts := map[string]func(args []string) error{
		"demo":                                   func(args []string) error { _, err := parseDemo(args); return err },
		"share":                                  func(args []string) error { _, err := parseShare(args); return err },
		"partition -client http://h:1 -nodes n1": func(args []string) error { _, err := parsePartition(args); return err },
		"elasticd -journal j -nodes n1 -provider local -instances d": func(args []string) error { _, err := parseElastic(args); return err },
		"elasticd -journal j -policy od -clouds " + clouds:           func(args []string) error { _, err := parseElastic(args); return err },
		"elasticd -journal j -nodes n1 -provider exec -create a -delete b -list c": func(args []string) error {
			_, err := parseElastic(args)
			return err
		},
	}
	for begin, lists := range map[string][2][]string{
		"demo": {{"-jobs 1", "-jobs 10000", "-nodes 1", "-nodes 64", "-hour 1s -release-every 12m", "-hour 1h", "-hour 2400ms"},
			{"-jobs 10001", "-nodes 65", "-hour 999ms -release-every 15m", "-hour 3601s", "-hour 2399ms", "-classes none"}},
		"share": {{"-nodes 2", "-nodes 64", "-saves 0", "-saves 100", "-minute 500ms -grace 12m", "-minute 1m", "-grace 3m", "-reclaim 8", "-kill 1", "-from 0s"},
			{"-nodes 1", "-nodes 65", "-saves -1", "-saves 101", "-minute 499ms -grace 13m", "-minute 61s", "-grace 179s", "-reclaim -1", "-kill -1", "-from -1s", "-span 0s", "-longest 0s", "-grace 0s", "-every 0s", "-policy x"}},
		"partition -client http://h:1 -nodes n1": {{"-client https://h", "-priority qos:x=1", "-priority qos:x=1000000,partition:y=2", "-idle 0s", "-minute 1ns", "-keys k -name n", "-raw", "-policy pap"},
			{"-client ftp://h", "-client http://", "-client :", "-priority qos:x=0", "-priority qos:x=1000001", "-priority x=1", "-priority qos:x", "-hold -1s", "-move -1s", "-wait -1s", "-nodes n[", "-keys k"}},
		"elasticd -journal j -nodes n1 -provider local -instances d": {{"-poll 20s", "-delay 0s", "-quota 0", "-timeout 1ns", "-period 0", "-buy x"},
			{"-poll 20001ms", "-quota -1", "-timeout -1s", "-period 0 -buy x", "-journal ", "-list x", "-delete x", "-budget 3", "-poll 0s"}},
		"elasticd -journal j -nodes n1 -provider exec -create a -delete b -list c": {{"-timeout 5s"}, {"-create ", "-delete ", "-list ", "-delay 1s", "-quota 1", "-instances d"}},
		"elasticd -journal j -policy od -clouds " + clouds: {{"-poll 100s", "-every 6s -poll 2s", "-launch whole", "-launch pooled", "-launch printed", "-keep-free", "-policy od++ -launch whole", "-policy sm -once", "-policy mcop -seed 2",
			"-policy mcop-0-100", "-policy mcop-100-0"},
			{"-poll 100001ms", "-every 5999ms -poll 2s", "-journal ", "-timeout 0s", "-policy sm -keep-free", "-policy aqtp -launch whole", "-seed 2", "-policy mcop-020-80", "-policy mcop--1-101", "-policy mcop-101--1",
				"-policy mcop-20-70", "-buy x", "-least 1"}},
	} {
		fields := strings.Fields(begin)
		for i, list := range lists {
			for _, more := range list {
				args := fields[1:]
				for _, f := range strings.SplitAfter(more, " ") {
					args = append(args, strings.TrimSpace(f))
				}
				if err := parts[begin](args); (err != nil) != (i == 1) {
					t.Errorf("%s %s: %v", begin, more, err)
				}
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
	if o, err = parseElastic(strings.Fields("-journal j -nodes n1 -provider local -instances d -timeout 5s")); err != nil || o.manager.Timeout != 5*time.Second || o.manager.Buyer != nil {
		t.Errorf("%+v, %v", o, err)
	}
	p, err := parsePartition(strings.Fields("-client http://h:1/path -nodes n[1-2] -priority qos:x=3,partition:y=2 -scale -idle 0s -hold 7s"))
	if err != nil || p.client != "http://h:1" || !cmp.Equal(p.agent.Priorities, map[string]int{"qos:x": 3, "partition:y": 2}) || p.agent.Scaling != nil && (p.scaling.Idle != -1 || p.scaling.Hold != 7*time.Second) {
		t.Errorf("%+v, %v", p, err)
	}
	s, err := parseShare(strings.Fields("-minute 2s"))
	if err != nil || s.real(3*time.Minute) != 6*time.Second || s.log(6*time.Second) != 3*time.Minute {
		t.Errorf("%+v, %v", s, err)
	}
	d, err := parseDemo(strings.Fields("-hour 10s -boot 6m"))
	m := &d.manager
	// 0.3 s are 108 s of the bill, where an hour takes 10 s; 20 s are two hours.
	if err != nil || m.Lead != 108*time.Second || m.BootLimit != 2*time.Hour+6*time.Minute || m.RetryEvery != m.ReleaseEvery || m.AuditEvery != 30*time.Minute || m.Nodes[15] != "n16" || len(m.Prices.Classes) == 0 {
		t.Errorf("%+v, %v", d, err)
	}
	for _, c := range m.Prices.Classes {
		if c.Term != 24*time.Hour || !strings.HasPrefix(c.Name, "1d-") {
			t.Errorf("%+v", c)
		}
	}
	// 30 s, and twice what takes 2 h, 1 h to the submission, 30 minutes of run and 6 of a boot, and 2 s.
	if got := d.limit([]trace.Job{{Submit: time.Hour, Run: 30 * time.Minute}}); got != 30*time.Second+2*36*time.Second+2*time.Second {
		t.Errorf("a limit of %v", got)
	}
}

// A policy is the one of the flags.
func TestPolicyOfFlags(t *testing.T) {
	for args, want := range map[string]elastic.Policy{
		"-policy sm -once":                        &elastic.SM{Once: true},
		"-policy od":                              &elastic.OD{},
		"-policy od -launch whole -keep-free":     &elastic.OD{WholeJobs: true, KeepFree: true},
		"-policy od -launch pooled":               &elastic.OD{Pooled: true},
		"-policy od++ -launch printed":            &elastic.ODPlus{Printed: true},
		"-policy od++ -launch whole -keep-free":   &elastic.ODPlus{WholeJobs: true, KeepFree: true},
		"-policy od++ -launch pooled":             &elastic.ODPlus{Pooled: true},
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
	o := elasticOptions{timeout: time.Second, cloudFile: "f", clouds: []cloudRow{{name: "a", kind: "exec"}, {name: "b", kind: "local", instances: "."}, {name: "c", kind: "local", instances: dir}}}
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
	for _, args := range [][]string{{"elasticd", "-journal", "j", "-nodes", "n1", "-provider", "local", "-instances", ".", "-conf", name}, {"partition", "-client", "http://h", "-nodes", "n1", "-conf", name}} {
		if status, _, stderr := runSlurm(args...); status != 2 || !strings.Contains(stderr, "-conf: open "+name+": no such file") {
			t.Errorf("%q: %d, %s", args, status, stderr)
		}
	}
	if err := runPartition(context.Background(), strings.Fields("-client http://h -nodes n1 -name hpc -keys none"), nil, nil); err == nil || !strings.Contains(err.Error(), "none") {
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
		said := new(lines)
		go func() {
			for ctx.Err() == nil {
				if said.String() != "" {
					stop()
				}
				time.Sleep(5 * time.Millisecond)
			}
		}()
		status := run(ctx, append([]string{"partition", "-client", client.URL, "-nodes", "n[1-2]", "-poll", "50ms", "-grace", "5s", "-margin", "1s"}, args...), io.Discard, said)
		return status, said.String()
	}
	if status, said := do(); status != 0 || !regexp.MustCompile(`(?m)^\d\d:\d\d:\d\d  n1 [a-z]`).MatchString(said) {
		t.Errorf("status %d, %s", status, said)
	}
	client.Close()
	if status, said := do(); status != 0 || !regexp.MustCompile(`(?m)^\d\d:\d\d:\d\d  [A-Za-z]`).MatchString(said) || regexp.MustCompile(`(?m)^\S+   `).MatchString(said) {
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
	for _, err := range []error{slurmctl.ErrAbsent, slurmctl.ErrVersion, slurmctl.ErrUnknownNode, slurmctl.ErrConf, manager.ErrOptions, partition.ErrOptions, errFolder, journal.ErrHeld, journal.ErrDamaged,
		os.ErrNotExist, os.ErrPermission, syscall.EISDIR} {
		if got := mistaken(fmt.Errorf("x: %w", err)); cli.Status(got) != cli.Mistake || !errors.Is(got, err) {
			t.Errorf("%v", got)
		}
	}
	if err := mistaken(io.ErrUnexpectedEOF); err != io.ErrUnexpectedEOF || mistaken(nil) != nil {
		t.Errorf("%v", err)
	}
}
