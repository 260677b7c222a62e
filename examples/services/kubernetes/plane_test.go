//go:build unix

package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/plimsoll/plimsoll/examples/services/kubernetes/internal/control"
	"github.com/plimsoll/plimsoll/examples/services/kubernetes/internal/trial"
)

// startPlane starts a control plane, or skips. PLIMSOLL_SERVERS is the folder of its
// servers.
func startPlane(t *testing.T) *control.Plane {
	if testing.Short() {
		t.Skip("a control plane takes half a minute: not with -short")
	}
	plane, err := control.Start(t.Context(), control.Options{Folder: os.Getenv("PLIMSOLL_SERVERS")})
	if errors.Is(err, control.ErrAbsent) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := plane.Stop(); err != nil {
			t.Error(err)
		}
		if _, err := os.Stat(plane.Dir); !os.IsNotExist(err) {
			t.Errorf("%s stays behind: %v", plane.Dir, err)
		}
	})
	return plane
}

// shippedConfig is deploy/scheduler.yaml for a control plane and an extender on loopback. It
// waits for 2 s, since the tests' machine may be slow.
func shippedConfig(plane *control.Plane, e *extended) (string, error) {
	text, err := os.ReadFile("deploy/scheduler.yaml")
	if err != nil {
		return "", err
	}
	config := string(text) + "leaderElection: {leaderElect: false}\n"
	for old, new := range map[string]string{"/etc/kubernetes/scheduler.conf": plane.Kubeconfig, "127.0.0.1:8899": e.at,
		"/etc/kubernetes/plimsoll/ca.crt": e.ca, "httpTimeout: 200ms": "httpTimeout: 2s"} {
		if strings.Count(config, old) != 1 {
			return "", fmt.Errorf("deploy/scheduler.yaml has %q %d times: want it once", old, strings.Count(config, old))
		}
		config = strings.Replace(config, old, new, 1)
	}
	return config, nil
}

// On a real control plane, with the configuration of deploy/scheduler.yaml, the extender loses less than the scheduler's own choices would,
// and breaks neither priorities nor budgets. Then the extender is slow, then it is killed,
// and the scheduler goes on each time.
func TestControlPlane(t *testing.T) {
	plane := startPlane(t)
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
	defer cancel()
	w := trial.Make(rand.New(rand.NewPCG(7, 1)), 12, 150, 6, 1)
	run, err := trial.Fill(ctx, plane, w)
	if err != nil {
		t.Fatal(err)
	}
	e, err := startExtender(ctx, plane, os.Stderr, 2*time.Second, "-quiet", "-limit", "2s")
	if err != nil {
		t.Fatal(err)
	}
	config, err := shippedConfig(plane, e)
	if err != nil {
		t.Fatal(err)
	}
	if err := plane.ScheduleBy(config); err != nil {
		t.Fatal(err)
	}
	first, err := run.Arrive(ctx, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	tally := e.server.Tally()
	t.Logf("%d of %d placed in %v: %.2f pod-hours lost; answers %d, left %d; the scheduler alone %.2f", first.Placed, first.Arrived, first.Took, first.Total().Hours(), tally.Answered, tally.Left, tally.Scheduler)
	if first.Placed != first.Arrived || first.AbovePriority+first.OverBudget != 0 {
		t.Errorf("%+v", first)
	}
	if tally.Answered == 0 || tally.Lost > tally.Scheduler {
		t.Errorf("%+v", tally)
	}
	e.server.SetDelay(time.Minute)
	slow, err := run.More(ctx, "slow", 2, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	e.end()
	<-e.stopped
	killed, err := run.More(ctx, "killed", 2, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	if slow.Placed != 2 || killed.Placed != 2 {
		t.Errorf("slow: %d of 2 pods have a node, killed: %d", slow.Placed, killed.Placed)
	}
	t.Logf("slow extender: 2 pods placed in %v; killed: %v", slow.Took, killed.Took)
	if n := strings.Count(plane.Log("kube-scheduler"), "Skipped extender"); n == 0 {
		t.Error("the scheduler's log does not say that it went on without the extender")
	}
}

// The manifests' role is enough for the extender, and lets it write nothing.
func TestRole(t *testing.T) {
	plane := startPlane(t)
	ctx := t.Context()
	if err := applyFile(ctx, plane, "deploy/extender.yaml"); err != nil {
		t.Fatal(err)
	}
	config := *plane.Config
	config.Impersonate.UserName = "system:serviceaccount:plimsoll:extender"
	checkRights(t, ctx, &config, map[string][]string{"pods": {"list", "watch"}, "nodes": {"list", "watch"}, "policy/poddisruptionbudgets": {"list", "watch"}})
	if _, err := plane.Client.AppsV1().DaemonSets("plimsoll").Get(ctx, "extender", metav1.GetOptions{}); err != nil {
		t.Error(err)
	}
}
