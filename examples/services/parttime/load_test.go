package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"bufio"

	"github.com/plimsoll/plimsoll/preempt/exchange"
)

// The load of a large cluster: PLIMSOLL_LOAD=60s runs 500 partitions with 200 nodes each, of
// which each sends a listing with new values every second, against a host of 100,000 nodes
// whose state is on disk. The test says how long answers took, what the host used of the
// processors, and what it wrote. PLIMSOLL_LOAD_HOST names another program to measure, such as
// an earlier version; PLIMSOLL_LOAD_NODES and PLIMSOLL_LOAD_PARTITIONS change the size.
func TestLoadOfHost(t *testing.T) {
	span, err := time.ParseDuration(os.Getenv("PLIMSOLL_LOAD"))
	if err != nil {
		t.Skip("PLIMSOLL_LOAD is not set to a span of time, such as 60s")
	}
	number := func(name string, n int) int {
		fmt.Sscan(os.Getenv(name), &n)
		return n
	}
	nodes, partitions := number("PLIMSOLL_LOAD_NODES", 100_000), number("PLIMSOLL_LOAD_PARTITIONS", 500)
	program := os.Getenv("PLIMSOLL_LOAD_HOST")
	if program == "" {
		if program, err = os.Executable(); err != nil {
			t.Fatal(err)
		}
	}
	dir := t.TempDir()
	cmd := exec.Command(program, "host", "-nodes", fmt.Sprint(nodes), "-state", filepath.Join(dir, "state"))
	cmd.Env = append(os.Environ(), tied+"=1")
	var journal bytes.Buffer
	cmd.Stderr = &journal
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		stdin.Close()
		cmd.Process.Kill()
		cmd.Wait()
	}()
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("%v: %s", err, journal.String())
	}
	host := strings.TrimPrefix(strings.TrimSpace(line), "listening on ")
	client := &http.Client{Timeout: 5 * time.Minute, Transport: &http.Transport{MaxIdleConnsPerHost: partitions}}
	post := func(name, path string, v any) ([]exchange.Message, error) {
		data, err := json.Marshal(v)
		if err != nil {
			return nil, err
		}
		req, err := http.NewRequest("POST", host+path, bytes.NewReader(data))
		if err != nil {
			return nil, err
		}
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Parttime-Partition", url.PathEscape(name))
		resp, err := client.Do(req)
		if err != nil {
			return nil, err
		}
		defer resp.Body.Close()
		text, err := io.ReadAll(resp.Body)
		if err == nil && resp.StatusCode != 200 {
			err = fmt.Errorf("%s: %s", resp.Status, text)
		}
		if err != nil || path == "/CreatePartition" {
			return nil, err
		}
		var msgs []exchange.Message
		return msgs, json.Unmarshal(text, &msgs)
	}

	// Each partition comes and asks for its nodes.
	begin := time.Now()
	leases := make([][]exchange.Lease, partitions)
	for p := range partitions {
		name := fmt.Sprintf("p%d", p)
		if _, err := post(name, "/CreatePartition", map[string]any{"partition": name, "weight": 1, "floor": 0, "url": "http://127.0.0.1:1"}); err != nil {
			t.Fatal(err)
		}
		msgs, err := post(name, "/AddNodes", exchange.Message{Call: exchange.AddNodes, Partition: name, Number: 1, Requests: []exchange.Request{{ID: 1, Count: nodes / partitions}}})
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range msgs {
			if m.Call == exchange.NodesAdded {
				leases[p] = append(leases[p], m.Leases...)
			}
		}
		if len(leases[p]) != nodes/partitions {
			t.Fatalf("%s has %d nodes: %+v", name, len(leases[p]), msgs)
		}
	}
	t.Logf("%d partitions with %d nodes in %v", partitions, nodes, time.Since(begin).Round(time.Millisecond))

	cpu0, wrote0 := used(cmd.Process.Pid)
	ctx, cancel := context.WithTimeout(t.Context(), span)
	defer cancel()
	var mu sync.Mutex
	var took []time.Duration
	failed := 0
	var group sync.WaitGroup
	begin = time.Now()
	for p := range partitions {
		group.Go(func() {
			rng := rand.New(rand.NewPCG(uint64(p), 1))
			name := fmt.Sprintf("p%d", p)
			sleep(ctx, time.Duration(p)*time.Second/time.Duration(partitions))
			tick := time.NewTicker(time.Second)
			defer tick.Stop()
			for number := uint64(2); ctx.Err() == nil; number++ {
				for i := range leases[p] {
					leases[p][i].Request, leases[p][i].Value = 0, rng.Float64()
				}
				start := time.Now()
				_, err := post(name, "/SetResourceValues", exchange.Message{Call: exchange.SetResourceValues, Partition: name, Number: number, Sent: time.Since(begin), Leases: leases[p]})
				d := time.Since(start)
				mu.Lock()
				if took = append(took, d); err != nil {
					if failed++; failed == 1 {
						t.Log(err)
					}
				}
				mu.Unlock()
				select {
				case <-ctx.Done():
				case <-tick.C:
				}
			}
		})
	}
	group.Wait()
	all := time.Since(begin)
	cpu1, wrote1 := used(cmd.Process.Pid)
	slices.Sort(took)
	n := len(took)
	now, peak := memory(cmd.Process.Pid)
	t.Logf("%d nodes, %d partitions, %v: %d listings (%.0f a second), %d failed; p50 %v, p99 %v, longest %v; the host: %.2f processors, %.2f MB/s written (%.1f kB a listing), %d MiB, %d at most",
		nodes, partitions, all.Round(time.Second), n, float64(n)/all.Seconds(), failed, took[n/2].Round(10*time.Microsecond), took[n*99/100].Round(10*time.Microsecond), took[n-1].Round(time.Millisecond),
		(cpu1-cpu0).Seconds()/all.Seconds(), float64(wrote1-wrote0)/1e6/all.Seconds(), float64(wrote1-wrote0)/1e3/float64(n), now>>20, peak>>20)
}

// used returns what a process has used of the processors, and how many bytes it has written
// to files.
func used(pid int) (cpu time.Duration, wrote int64) {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, rest, _ := strings.Cut(string(text), ") ")
	f := strings.Fields(rest)
	if len(f) > 13 {
		var user, system int64
		fmt.Sscan(f[11], &user)
		fmt.Sscan(f[12], &system)
		cpu = time.Duration(user+system) * 10 * time.Millisecond // the kernel's clock ticks
	}
	text, _ = os.ReadFile(fmt.Sprintf("/proc/%d/io", pid))
	for line := range strings.SplitSeq(string(text), "\n") {
		fmt.Sscanf(line, "write_bytes: %d", &wrote)
	}
	return cpu, wrote
}
