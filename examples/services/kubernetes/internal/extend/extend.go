// Package extend answers kube-scheduler and Volcano which pods give way. It speaks the
// preempt verb of kube-scheduler's extenders, and Volcano's preemptableVerb and
// reclaimableVerb.
//
// Whatever goes wrong, the scheduler can go on: what cannot be answered in time is
// answered with an error, and a scheduler whose configuration says that the extender is
// ignorable then chooses by itself.
package extend

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	v1 "k8s.io/api/core/v1"
	extenderv1 "k8s.io/kube-scheduler/extender/v1"

	"github.com/plimsoll/plimsoll/examples/internal/exchangehttp"
	"github.com/plimsoll/plimsoll/examples/services/kubernetes/internal/cluster"
)

// largest is how long a question may be. 1,000 nodes with 110 victims each are 6 MB of
// uids. A question of whole pods has room for some 3,000 victims.
const largest = 16 << 20

// parallel is how many questions are answered at a time. Those that come, of which there is at
// most twice the longest, are not counted among them. The worst question takes some ten times
// its length.
const parallel = 4

// A pod that asks has at most this many bytes, as etcd has, and elements: an empty container
// takes hundreds of times the memory of its text.
const (
	longestPod  = 3 << 19
	mostOfAPod  = 20_000
	bytesPerOne = 8 // of the rest of a question, for each element
)

// Options say how to answer.
type Options struct {
	cluster.Options
	DryRun bool // give the scheduler its own candidates back, and note what would be saved
	// RatherNot leaves to the scheduler the pods for which each choice breaks a disruption
	// budget. Otherwise such a pod waits.
	RatherNot bool
	Limit     time.Duration // past it, a question is left to the scheduler
	Stale     time.Duration // without a word from the API server for so long, nothing is answered
}

// A Server answers questions. It is an [http.Handler].
type Server struct {
	state   *cluster.State
	options Options
	log     *slog.Logger
	mux     http.ServeMux
	delay   atomic.Int64  // nanoseconds
	slots   chan struct{} // one for each question that is being answered
	bodies  exchangehttp.Bodies

	mu    sync.Mutex
	tally Tally
}

// A Tally counts answers.
type Tally struct {
	Answered, None, Left int             // pods with a node; pods that wait; questions left to the scheduler
	Lost, Scheduler      float64         // pod-hours that answers lose, and that the scheduler alone would have lost
	Exact                int             // of Answered
	Waiting              int             // pods that the plans of all answers are made for
	Took                 []time.Duration // for each answer, the last keepTimes
	Sum                  time.Duration
}

const keepTimes = 10000

// New returns a server that knows a cluster by state.
func New(state *cluster.State, o Options, log *slog.Logger) *Server {
	s := &Server{state: state, options: o, log: log, slots: make(chan struct{}, parallel)}
	s.mux.HandleFunc("POST /preempt", s.preempt)
	s.mux.HandleFunc("POST /preemptable", s.volcano)
	s.mux.HandleFunc("POST /reclaimable", s.volcano)
	s.mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "ok\n") })
	s.mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, _ *http.Request) {
		if err := s.stale(); err != nil {
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
			return
		}
		io.WriteString(w, "ok\n")
	})
	s.mux.HandleFunc("GET /metrics", s.metrics)
	return s
}

// ServeHTTP answers a question.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if delay := time.Duration(s.delay.Load()); delay > 0 {
		select {
		case <-time.After(delay):
		case <-r.Context().Done():
		}
	}
	s.mux.ServeHTTP(w, r)
}

// SetDelay has the server wait before each answer, to try out how a scheduler goes on.
func (s *Server) SetDelay(d time.Duration) { s.delay.Store(int64(d)) }

// Tally returns what was counted so far.
func (s *Server) Tally() Tally {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.tally
	t.Took = append([]time.Duration(nil), t.Took...)
	return t
}

func (s *Server) stale() error {
	if silence := s.state.Silence(); silence > s.options.Stale {
		return fmt.Errorf("the API server has not answered for %v", silence.Round(time.Second))
	}
	return nil
}

var errBudgets = errors.New("each choice would break a disruption budget")

// decide answers a question, or says why the scheduler has to.
func (s *Server) decide(ctx context.Context, q cluster.Question) (cluster.Answer, error) {
	if err := s.stale(); err != nil {
		return cluster.Answer{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, s.options.Limit)
	defer cancel()
	a, err := s.state.Decide(ctx, q, s.options.Options)
	if err == nil && a.None && s.options.RatherNot {
		err = errBudgets
	}
	return a, err
}

// arguments are kube-scheduler's ExtenderPreemptionArgs. Of a victim, only the uid is read:
// an empty pod takes hundreds of times the memory of its text.
type arguments struct {
	Pod               *asker
	NodeNameToVictims map[string]*struct {
		Pods             []victim
		NumPDBViolations int64
	}
	NodeNameToMetaVictims map[string]*extenderv1.MetaVictims
}

type victim struct {
	Metadata struct {
		UID string `json:"uid"`
	} `json:"metadata"`
}

// An asker is the pod of a question.
type asker struct{ v1.Pod }

func (a *asker) UnmarshalJSON(text []byte) error {
	if len(text) > longestPod || elements(text) > mostOfAPod {
		return fmt.Errorf("the pod has %d bytes and %d elements: want at most %d and %d", len(text), elements(text), longestPod, mostOfAPod)
	}
	return json.Unmarshal(text, &a.Pod)
}

// elements returns how many elements the lists and objects of a text have, at most.
func elements(text []byte) int {
	return bytes.Count(text, []byte{','}) + bytes.Count(text, []byte{'{'})
}

// enter waits until a question may be answered, no longer than the limit.
func (s *Server) enter(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, s.options.Limit)
	defer cancel()
	select {
	case s.slots <- struct{}{}:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("%d other questions are being answered", parallel)
	}
}

func (s *Server) exit() { <-s.slots }

// preempt answers kube-scheduler.
func (s *Server) preempt(w http.ResponseWriter, r *http.Request) {
	began := time.Now()
	var args arguments
	exit, status, err := s.read(w, r, &args)
	defer exit()
	if err != nil {
		s.leave(w, "", status, err)
		return
	}
	if args.Pod == nil {
		s.leave(w, "", http.StatusBadRequest, errors.New("the question has no pod"))
		return
	}
	name := args.Pod.Namespace + "/" + args.Pod.Name
	q := cluster.Question{Pod: &args.Pod.Pod, Candidates: map[string]cluster.Victims{}}
	given := extenderv1.ExtenderPreemptionResult{NodeNameToMetaVictims: args.NodeNameToMetaVictims}
	if given.NodeNameToMetaVictims == nil {
		given.NodeNameToMetaVictims = map[string]*extenderv1.MetaVictims{}
		for node, victims := range args.NodeNameToVictims {
			if victims == nil {
				continue
			}
			meta := &extenderv1.MetaVictims{NumPDBViolations: victims.NumPDBViolations}
			for _, p := range victims.Pods {
				meta.Pods = append(meta.Pods, &extenderv1.MetaPod{UID: p.Metadata.UID})
			}
			given.NodeNameToMetaVictims[node] = meta
		}
	}
	for node, victims := range given.NodeNameToMetaVictims {
		if victims == nil {
			continue
		}
		c := cluster.Victims{Violations: victims.NumPDBViolations}
		for _, p := range victims.Pods {
			if p == nil || p.UID == "" {
				s.leave(w, name, http.StatusBadRequest, fmt.Errorf("a victim on node %s has no uid", node))
				return
			}
			c.UIDs = append(c.UIDs, p.UID)
		}
		q.Candidates[node] = c
	}
	if len(q.Candidates) == 0 {
		s.leave(w, name, http.StatusBadRequest, errors.New("the question has no nodes"))
		return
	}
	a, err := s.decide(r.Context(), q)
	exit() // before the answer: who does not read it holds up nobody
	took := time.Since(began)
	if s.options.DryRun {
		s.note(name, a, err, took)
		s.write(w, given)
		return
	}
	if err != nil {
		s.leave(w, name, http.StatusServiceUnavailable, err)
		return
	}
	result := extenderv1.ExtenderPreemptionResult{NodeNameToMetaVictims: map[string]*extenderv1.MetaVictims{}}
	if !a.None {
		meta := new(extenderv1.MetaVictims)
		for _, uid := range a.UIDs {
			meta.Pods = append(meta.Pods, &extenderv1.MetaPod{UID: uid})
		}
		result.NodeNameToMetaVictims[a.Node] = meta
		s.state.Promise(q, a)
	}
	s.write(w, result)
	s.note(name, a, nil, took)
}

// A task is what the extender reads of a task of Volcano. The task goes back as it came.
type task struct {
	Pod *struct {
		victim
		Spec struct {
			NodeName string `json:"nodeName"`
		} `json:"spec"`
	}
	raw json.RawMessage
}

func (t *task) UnmarshalJSON(text []byte) error {
	t.raw = append(t.raw[:0], text...)
	type fields task
	return json.Unmarshal(text, (*fields)(t))
}

func (t task) MarshalJSON() ([]byte, error) { return t.raw, nil }

// Volcano's words for an answer.
const (
	permit  = 1
	abstain = 0
)

// volcano answers Volcano: which of the tasks on a node give way. An extender of Volcano
// that fails takes all victims away, ignorable or not. So what cannot be answered is
// answered with an abstention, and Volcano's other plugins decide.
func (s *Server) volcano(w http.ResponseWriter, r *http.Request) {
	began := time.Now()
	var response struct { // an abstention, so far
		Status  int    `json:"status"`
		Victims []task `json:"victims"`
	}
	pass := func(err error) {
		s.write(w, response)
		s.note("", cluster.Answer{}, err, time.Since(began))
	}
	var request struct {
		Evictor  *struct{ Pod *asker } `json:"evictor"`
		Evictees []task                `json:"evictees"`
	}
	exit, _, err := s.read(w, r, &request)
	defer exit()
	if err != nil {
		pass(err)
		return
	}
	if request.Evictor == nil || request.Evictor.Pod == nil {
		pass(errors.New("the question has no evictor with a pod"))
		return
	}
	name := request.Evictor.Pod.Namespace + "/" + request.Evictor.Pod.Name
	q := cluster.Question{Pod: &request.Evictor.Pod.Pod, Eligible: true, Candidates: map[string]cluster.Victims{}}
	for _, t := range request.Evictees {
		if t.Pod == nil {
			continue
		}
		c := q.Candidates[t.Pod.Spec.NodeName]
		c.UIDs = append(c.UIDs, t.Pod.Metadata.UID)
		q.Candidates[t.Pod.Spec.NodeName] = c
	}
	var a cluster.Answer
	if len(q.Candidates) != 1 {
		err = fmt.Errorf("the tasks are on %d nodes: want one", len(q.Candidates))
	} else {
		a, err = s.decide(r.Context(), q)
	}
	exit()
	if err == nil && !a.None && !s.options.DryRun {
		response.Status = permit
		for _, t := range request.Evictees {
			for _, uid := range a.UIDs {
				if t.Pod != nil && t.Pod.Metadata.UID == uid {
					response.Victims = append(response.Victims, t)
				}
			}
		}
	} else if err == nil && a.None && !s.options.DryRun {
		response.Status = permit // and nobody: the node does not do
	}
	s.write(w, response)
	s.note(name, a, err, time.Since(began))
}

// read reads a question, and then waits until it may be answered: a question that comes slowly
// holds up nobody. The caller calls exit, perhaps twice, when it has been answered.
func (s *Server) read(w http.ResponseWriter, r *http.Request, to any) (exit func(), status int, err error) {
	from, _, _ := net.SplitHostPort(r.RemoteAddr)
	body, release, err := s.bodies.Read(w, r, from, largest)
	defer release()
	if err != nil {
		return func() {}, exchangehttp.Status(err), fmt.Errorf("the question cannot be read: %w", err)
	}
	if err := s.enter(r.Context()); err != nil {
		return func() {}, http.StatusServiceUnavailable, err
	}
	exit = sync.OnceFunc(s.exit)
	if n := elements(body); n > mostOfAPod+len(body)/bytesPerOne {
		err = fmt.Errorf("it has %d elements in %d bytes", n, len(body))
	} else {
		err = json.Unmarshal(body, to)
	}
	if err != nil {
		return exit, http.StatusBadRequest, fmt.Errorf("the question cannot be read: %w", err)
	}
	return exit, 0, nil
}

func (s *Server) write(w http.ResponseWriter, answer any) {
	w.Header().Set("Content-Type", "application/json")
	if err := json.NewEncoder(w).Encode(answer); err != nil {
		s.log.Warn("an answer did not arrive", "err", err)
	}
}

// leave leaves a question to the scheduler.
func (s *Server) leave(w http.ResponseWriter, pod string, status int, err error) {
	s.mu.Lock()
	s.tally.Left++
	s.mu.Unlock()
	s.log.Warn("left to the scheduler", "pod", pod, "err", err)
	http.Error(w, err.Error(), status)
}

// note counts and logs an answer.
func (s *Server) note(pod string, a cluster.Answer, err error, took time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := &s.tally
	switch {
	case err != nil:
		t.Left++
		s.log.Warn("left to the scheduler", "pod", pod, "err", err)
		return
	case a.None:
		t.None++
		s.log.Info("waits: each choice would break a disruption budget, or takes what must not be lost", "pod", pod)
		return
	}
	t.Answered++
	t.Lost += a.Lost
	t.Scheduler += a.Scheduler.Lost
	t.Waiting += a.Waiting
	if a.Exact {
		t.Exact++
	}
	t.Sum += took
	if len(t.Took) == keepTimes {
		t.Took = append(t.Took[:0], t.Took[keepTimes/2:]...)
	}
	t.Took = append(t.Took, took)
	verb := "answered"
	if s.options.DryRun {
		verb = "dry run: kube-scheduler's choice stays"
	}
	s.log.Info(verb, "pod", pod, "node", a.Node, "victims", a.UIDs, "lost", hours(a.Lost), "of pods", a.Pods,
		"scheduler alone", hours(a.Scheduler.Lost), "on", a.Scheduler.Node, "planned with", a.Waiting, "exact", a.Exact, "took", took.Round(10*time.Microsecond))
}

func hours(h float64) string { return fmt.Sprintf("%.2f pod-hours", h) }

// metrics writes the tally in the text format of Prometheus.
func (s *Server) metrics(w http.ResponseWriter, _ *http.Request) {
	t := s.Tally()
	w.Header().Set("Content-Type", "text/plain; version=0.0.4")
	for _, m := range []struct {
		name, help, kind string
		value            any
	}{
		{"plimsoll_answers_total", "Pods for which a node was chosen.", "counter", t.Answered},
		{"plimsoll_answers_exact_total", "Answers that no plan beats.", "counter", t.Exact},
		{"plimsoll_waits_total", "Pods that wait, since each choice would break a disruption budget.", "counter", t.None},
		{"plimsoll_left_total", "Questions left to the scheduler.", "counter", t.Left},
		{"plimsoll_lost_pod_hours_total", "Progress that the chosen victims lose.", "counter", t.Lost},
		{"plimsoll_scheduler_lost_pod_hours_total", "Progress that the scheduler's own choices would have lost.", "counter", t.Scheduler},
		{"plimsoll_answer_seconds_total", "Time spent on answers.", "counter", t.Sum.Seconds()},
		{"plimsoll_doubts_total", "Times that a pod said of its progress what cannot be.", "counter", s.state.Doubts()},
		{"plimsoll_api_silence_seconds", "Time since the API server answered.", "gauge", s.state.Silence().Seconds()},
	} {
		fmt.Fprintf(w, "# HELP %[1]s %[2]s\n# TYPE %[1]s %[3]s\n%[1]s %[4]v\n", m.name, m.help, m.kind, m.value)
	}
}
