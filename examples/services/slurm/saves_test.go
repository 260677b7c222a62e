//go:build unix

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/exchangehttp"
	"github.com/plimsoll/plimsoll/examples/internal/programtest"
	"github.com/plimsoll/plimsoll/examples/services/slurm/internal/slurmctl"
)

// A job of a real Slurm saves when it gets a signal, and then touches a file. When the host takes
// the job's node, the job is asked to save as late as possible, and ended when it has saved. The
// job goes on from there when the partition, by itself, has got a node again.
func partitionSaves(t *testing.T, parttime string) {
	t.Helper()
	s := newStage(t, 1, time.Second, 0)
	if _, err := s.local.Create(s.ctx, "host-"+s.Names[0], s.Names[0]); err != nil {
		t.Fatal(err)
	}
	const minute = "1s"
	// With shared keys: the host's file has all of them, the others have their own.
	keys := func(names ...string) string {
		text := ""
		for _, name := range names {
			text += name + " " + strings.Repeat(name, 16) + "\n"
		}
		path := filepath.Join(s.Dir, "keys."+names[0])
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	mine, own := keys("admin"), keys("hpc")
	all := filepath.Join(s.Dir, "keys.all")
	if err := os.Rename(keys("htc", "hpc", "admin"), all); err != nil {
		t.Fatal(err)
	}
	admin, err := exchangehttp.NewSecurity(exchangehttp.Credentials{Keys: mine}, exchangehttp.AdminName)
	if err != nil {
		t.Fatal(err)
	}
	host := s.listening(parttime, "host", "-nodes", "1", "-grace", "14m", "-minute", minute, "-keys", all)
	client := s.listening(parttime, "client", "-host", host, "-name", "hpc", "-minute", minute, "-keys", own)
	agent := programtest.Command("partition", "-conf", s.Conf, "-client", client, "-nodes", s.Names[0], "-name", "hpc", "-keys", own, "-scale", "-wait",
		"1s", "-hold", "1h", "-idle", "1h", "-worth", "0",
		"-minute", minute, "-grace", "14s", "-margin", "6s", "-poll", "100ms", "-take", "1")
	agent.Env = append(agent.Env, s.Environment()...)
	agent.Stderr = &s.log
	if err := agent.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		agent.Process.Kill()
		agent.Wait()
	})
	s.until("the partition has taken the node out of use", func(_ map[int64]slurmctl.Job, nodes map[string]slurmctl.Node) bool {
		n := nodes[s.Names[0]]
		return n.Has("DRAIN")
	})
	base := filepath.Join(s.Dir, "job")
	// The second start ends at once if the first one has saved.
	id, err := s.Submit(s.ctx, 1, fmt.Sprintf(`echo start >>%[1]s.notes
if [ -e %[1]s.saved ]; then echo resumed >>%[1]s.notes; exit 0; fi
trap 'sleep 1; touch %[1]s.saved; echo saved >>%[1]s.notes' USR1
while :; do sleep 0.1 & wait $!; done`, base), "--comment=checkpoint=B:USR1 cost=2s savefile="+base+".saved", "--requeue")
	if err != nil {
		t.Fatal(err)
	}
	s.until("the partition has asked for a node, and the job runs",
		func(jobs map[int64]slurmctl.Job, _ map[string]slurmctl.Node) bool { return jobs[id].State == "RUNNING" })
	time.Sleep(2 * time.Second) // so that there is more to lose than a save
	begin := time.Now()
	if err := exchangehttp.Post(s.ctx, admin.Client(exchangehttp.HostName), host+"/Reclaim", map[string]any{"partition": "hpc", "count": 1}, nil); err != nil {
		t.Fatal(err)
	}
	s.until("the job has saved and goes on", func(jobs map[int64]slurmctl.Job, _ map[string]slurmctl.Node) bool {
		return jobs[id].State == "COMPLETED"
	})
	text, err := os.ReadFile(base + ".notes")
	if err != nil || string(text) != "start\nsaved\nstart\nresumed\n" {
		t.Errorf("the job notes %q, %v", text, err)
	}
	st, err := os.Stat(base + ".saved")
	if err != nil {
		t.Fatal(err)
	}
	// Asked 14 - 6 - 2.5 s after the notice, and it saves for a second; the rest of the grace
	// period is for the delays of a busy machine.
	if at := st.ModTime().Sub(begin); at < 4*time.Second || at > 13*time.Second {
		t.Errorf("the job has saved %v after the notice, want about 6.5s", at)
	}
	agent.Process.Kill()
	agent.Wait()
	said := s.log.String()
	for _, want := range []string{fmt.Sprintf("asks job %d to save, which takes 2s", id), fmt.Sprintf(": ends job %d, which loses ", id),
		"1 jobs wait: asks for 1 nodes"} {
		if !strings.Contains(said, want) {
			t.Errorf("not said: %s", want)
		}
	}
}
