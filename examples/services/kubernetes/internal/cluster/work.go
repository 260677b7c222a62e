package cluster

import (
	"math"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"

	"github.com/plimsoll/plimsoll/preempt"
)

// Annotations say how a pod saves its work, and labels or annotations which pods are a
// gang.
const (
	// Checkpoint is when the pod's last save was complete, as in "2026-01-02T15:04:05Z".
	Checkpoint = "plimsoll.dev/checkpoint"
	// SavesIn says that the pod saves its work when it is told to end, and how long that
	// takes, as in "20s". It counts if the pod's grace period is that long.
	SavesIn = "plimsoll.dev/saves-in"
	// Gang is the name of the pod's gang in its namespace.
	Gang = "plimsoll.dev/gang"
)

// Gangs are the labels and annotations that name a pod's gang. The first one that a pod
// has counts.
var Gangs = []string{
	Gang,
	"kueue.x-k8s.io/pod-group-name",
	"scheduling.x-k8s.io/pod-group",
	"scheduling.k8s.io/group-name", // Volcano's
}

// clockTolerance is how far in the future a time may lie that another machine wrote.
// Times within it are taken as now, and checkpoints beyond it are not believed.
const clockTolerance = time.Minute

// work is what is known of a pod's progress.
type work struct {
	start      time.Time // zero if the pod has not started
	checkpoint time.Time // zero if there is none
	savesIn    time.Duration
	saves      bool
	doubt      string // what was not believed, "" if all was
}

// readWork reads a pod's progress. now is the time by the API server's clock.
func readWork(pod *v1.Pod, now time.Time) (w work) {
	switch {
	case pod.Status.StartTime != nil:
		w.start = pod.Status.StartTime.Time
	case pod.Status.Phase == v1.PodRunning:
		// No start, and yet the pod runs: the containers know, or else the pod is as old as
		// its object.
		w.start = pod.CreationTimestamp.Time
		for _, c := range pod.Status.ContainerStatuses {
			if c.State.Running != nil && c.State.Running.StartedAt.After(w.start) {
				w.start = c.State.Running.StartedAt.Time
			}
		}
		w.doubt = "runs without a start time"
	}
	if w.start.After(now.Add(clockTolerance)) {
		w.doubt = "the start time lies in the future"
	}
	if text, ok := pod.Annotations[Checkpoint]; ok {
		at, err := time.Parse(time.RFC3339, text)
		switch {
		case err != nil:
			w.doubt = "annotation " + Checkpoint + " is no time: want one such as 2026-01-02T15:04:05Z"
		case at.After(now.Add(clockTolerance)):
			w.doubt = "annotation " + Checkpoint + " lies in the future: counted as no checkpoint"
		default:
			w.checkpoint = at
		}
	}
	if text, ok := pod.Annotations[SavesIn]; ok {
		d, err := time.ParseDuration(text)
		grace := 30 * time.Second // Kubernetes' default
		if s := pod.Spec.TerminationGracePeriodSeconds; s != nil {
			grace = time.Duration(*s) * time.Second
		}
		switch {
		case err != nil || d < 0:
			w.doubt = "annotation " + SavesIn + " is no duration: want one such as 20s"
		case d > grace:
			w.doubt = "annotation " + SavesIn + " is longer than the pod's grace period: counted as no save"
		default:
			w.savesIn, w.saves = d, true
		}
	}
	return w
}

// lost returns what the pod loses if it ends now, in milliseconds of its time. checkpoint
// is the pod's, or its gang's.
func (w *work) lost(now, checkpoint time.Time) int64 {
	if w.start.IsZero() {
		return 0
	}
	job := preempt.Job{Nodes: 1, Elapsed: max(0, now.Sub(w.start))}
	if !checkpoint.IsZero() {
		job.Checkpoint = &preempt.Checkpoint{Saved: min(max(0, checkpoint.Sub(w.start)), job.Elapsed)}
	}
	waste := preempt.WastedCycles(job, math.MaxInt64, 0)
	if w.saves {
		if save := preempt.NodeTimeOf(w.savesIn, 1); save.Compare(waste) < 0 {
			waste = save
		}
	}
	return int64(waste.Seconds() * 1000)
}

// gangOf returns the gang of a pod, unique in the cluster, or "".
func gangOf(pod *v1.Pod, keys []string) string {
	for _, key := range keys {
		name := pod.Labels[key]
		if name == "" {
			name = pod.Annotations[key]
		}
		if name != "" {
			return strings.Join([]string{pod.Namespace, key, name}, "/")
		}
	}
	return ""
}
