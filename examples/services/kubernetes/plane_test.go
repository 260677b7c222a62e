//go:build unix

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/examples/services/kubernetes/internal/cluster"
	"github.com/plimsoll/plimsoll/examples/services/kubernetes/internal/extend"
)

// startPlane starts a control plane, or skips. PLIMSOLL_SERVERS is the folder of its
// servers.
func startPlane(t *testing.T) *controlPlane {
	if testing.Short() {
		t.Skip("a control plane takes half a minute: not with -short")
	}
	plane, err := startServers(t.Context(), os.Getenv("PLIMSOLL_SERVERS"))
	if errors.Is(err, errAbsent) {
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
func shippedConfig(plane *controlPlane, e *extended) (string, error) {
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

// An extended is an extender that runs, and what a scheduler has to know of it.
type extended struct {
	server  *extend.Server
	at, ca  string // its address, and the certificate of its authority
	end     context.CancelFunc
	stopped chan error
}

// startExtender starts an extender for a control plane.
func startExtender(ctx context.Context, plane *controlPlane, stderr io.Writer, args ...string) (*extended, error) {
	dir := filepath.Join(plane.Dir, "extender")
	if err := os.RemoveAll(dir); err != nil {
		return nil, err
	}
	if err := makeCerts(dir, []string{"127.0.0.1"}, time.Now(), 1); err != nil {
		return nil, err
	}
	var o extenderOptions
	f := cli.NewFlags("extender")
	o.define(f)
	if err := f.Parse(append([]string{"-kubeconfig", plane.Kubeconfig, "-listen", "127.0.0.1:0",
		"-cert", filepath.Join(dir, "tls.crt"), "-key", filepath.Join(dir, "tls.key")}, args...)); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	e := &extended{end: cancel, stopped: make(chan error, 1)}
	ready := make(chan struct{})
	go func() {
		e.stopped <- serveExtender(ctx, &o, stderr, func(s *extend.Server, at net.Addr) {
			e.server, e.at, e.ca = s, at.String(), filepath.Join(dir, "ca.crt")
			close(ready)
		})
	}()
	select {
	case <-ready:
		return e, nil
	case err := <-e.stopped:
		cancel()
		return nil, err
	}
}

// A scene is a control plane with one full node for each pod that runs.
type scene struct {
	t     *testing.T
	ctx   context.Context
	plane *controlPlane
}

func (s *scene) must(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

// create creates a pod of a whole node, which runs on a node if one is given.
func (s *scene) create(name, class, node string, notes map[string]string) {
	s.t.Helper()
	zero := int64(0)
	requests := v1.ResourceList{v1.ResourceCPU: resource.MustParse("2")}
	_, err := s.plane.Client.CoreV1().Pods("default").Create(s.ctx, &v1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name, Annotations: notes},
		Spec: v1.PodSpec{PriorityClassName: class, NodeName: node, TerminationGracePeriodSeconds: &zero,
			Containers:  []v1.Container{{Name: "c", Image: "none", Resources: v1.ResourceRequirements{Requests: requests}}},
			Tolerations: []v1.Toleration{{Operator: v1.TolerationOpExists}}},
	}, metav1.CreateOptions{})
	s.must(err)
}

// fill makes the nodes, each with a pod that began so long ago, and waits until all pods run.
func (s *scene) fill(began map[string]time.Duration, notes map[string]map[string]string) {
	s.t.Helper()
	for name, value := range map[string]int32{"low": 0, "urgent": 1000} {
		class := &schedulingv1.PriorityClass{ObjectMeta: metav1.ObjectMeta{Name: name}, Value: value}
		_, err := s.plane.Client.SchedulingV1().PriorityClasses().Create(s.ctx, class, metav1.CreateOptions{})
		s.must(err)
	}
	room := v1.ResourceList{v1.ResourceCPU: resource.MustParse("2"), v1.ResourceMemory: resource.MustParse("8Gi"), v1.ResourcePods: resource.MustParse("110")}
	for name, ago := range began {
		node := &v1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"kubernetes.io/hostname": name}},
			Status: v1.NodeStatus{Allocatable: room, Capacity: room}}
		_, err := s.plane.Client.CoreV1().Nodes().Create(s.ctx, node, metav1.CreateOptions{})
		s.must(err)
		all := map[string]string{startedNote: time.Now().Add(-ago).UTC().Format(time.RFC3339)}
		maps.Copy(all, notes[name])
		s.create("on-"+name, "low", name, all)
	}
	s.until("all pods run", func(pods map[string]v1.Pod) bool {
		for _, p := range pods {
			if p.Status.Phase != v1.PodRunning {
				return false
			}
		}
		return len(pods) == len(began)
	})
}

// until waits for the pods to be in a state.
func (s *scene) until(what string, ok func(pods map[string]v1.Pod) bool) {
	s.t.Helper()
	for {
		list, err := s.plane.Client.CoreV1().Pods("default").List(s.ctx, metav1.ListOptions{})
		if err != nil {
			s.t.Fatalf("%s: %v; kube-scheduler says %s", what, err, s.plane.lastLine("kube-scheduler"))
		}
		pods := map[string]v1.Pod{}
		for _, p := range list.Items {
			pods[p.Name] = p
		}
		if ok(pods) {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// arrive lets an urgent pod arrive, waits until it has a node, and returns which.
func (s *scene) arrive(name string) (node string) {
	s.t.Helper()
	s.create(name, "urgent", "", nil)
	s.until(name+" has a node", func(pods map[string]v1.Pod) bool {
		node = pods[name].Spec.NodeName
		return node != ""
	})
	return node
}

// On a real control plane, with the configuration of deploy/scheduler.yaml, the extender gives up
// the pod that has saved its work, and not the one that started last, which kube-scheduler would
// end. Then the extender is slow, then it is killed, and the scheduler goes on each time.
func TestControlPlane(t *testing.T) {
	plane := startPlane(t)
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
	defer cancel()
	s := &scene{t, ctx, plane}
	s.fill(map[string]time.Duration{"saved": 5 * time.Hour, "old": 4 * time.Hour, "young": time.Hour},
		map[string]map[string]string{"saved": {cluster.Checkpoint: time.Now().Add(-time.Minute).UTC().Format(time.RFC3339)}})
	e, err := startExtender(ctx, plane, os.Stderr, "-quiet", "-limit", "2s")
	s.must(err)
	config, err := shippedConfig(plane, e)
	s.must(err)
	s.must(plane.ScheduleBy(config))
	if node := s.arrive("first"); node != "saved" {
		t.Errorf("the first urgent pod has the node of the pod %q: want that of the pod that has saved", node)
	}
	if tally := e.server.Tally(); tally.Answered == 0 || tally.Lost >= tally.Scheduler {
		t.Errorf("%+v: want less lost than by the scheduler's own choice", tally)
	}
	e.server.SetDelay(time.Minute)
	if node := s.arrive("slow"); node != "young" {
		t.Errorf("with a slow extender an urgent pod has the node %q: want that of the pod that started last", node)
	}
	e.end()
	<-e.stopped
	if node := s.arrive("killed"); node != "old" {
		t.Errorf("without the extender an urgent pod has the node %q: want the last one", node)
	}
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
