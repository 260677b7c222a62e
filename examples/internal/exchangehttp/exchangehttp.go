// Package exchangehttp carries the exchange of nodes between partitions over HTTP with JSON:
// the calls between a host and its clients, and those of a framework to its client.
//
// A call is POSTed to the path that has its name; the body is its message. The answer is
// the status 200 and an array of messages for the caller, which may be empty, or another
// status and {"error": "a sentence"}. A message without an answer is lost. Nothing here
// is tried twice, since the exchange itself repeats what is lost.
//
// [Security] says who may talk. With certificates, both ends of a connection prove who they
// are by mutual TLS. With shared keys, each message and each answer carries a keyed hash
// (HMAC-SHA256) over who sends it to whom, method, path, time, a random number and body. A
// message is taken once, and not more than half a minute from its time. With neither,
// servers listen on loopback addresses only, and every process of the machine may talk.
package exchangehttp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"mime"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/plimsoll/plimsoll/preempt"
	"github.com/plimsoll/plimsoll/preempt/exchange"
)

const (
	// MaxBody is the most bytes of a request or an answer. A lease takes about 100.
	MaxBody = 16 << 20
	// Timeout is how long a call may take.
	Timeout = 5 * time.Second
)

// Holdings is what a client answers to GET /framework/Nodes.
type Holdings struct {
	Time     float64            `json:"time_s"`
	Instance string             `json:"instance"` // which client this is
	Nodes    []Holding          `json:"nodes"`
	Requests []exchange.Request `json:"requests"`
}

// A Holding is a node of a client.
type Holding struct {
	Node  int      `json:"node"`
	Epoch uint64   `json:"epoch"`
	State string   `json:"state"`
	Value float64  `json:"value"`
	Ends  *float64 `json:"ends_s,omitempty"` // of a node that is to be given back
}

// Values is what POST /framework/SetResourceValues takes.
type Values struct {
	Values []Value `json:"values"`
}

// A Value says what a node is worth, from 0 to 1.
type Value struct {
	Node  int     `json:"node"`
	Value float64 `json:"value"`
}

// A Failure is an error with an HTTP status.
type Failure struct {
	Status int
	Text   string
}

func (f *Failure) Error() string { return f.Text }

// Failf returns a Failure.
func Failf(status int, format string, args ...any) error {
	return &Failure{status, fmt.Sprintf(format, args...)}
}

// Status returns the HTTP status for an error.
func Status(err error) int {
	var f *Failure
	var in *preempt.InputError
	switch {
	case err == nil:
		return http.StatusOK
	case errors.As(err, &f):
		return f.Status
	case errors.Is(err, exchange.ErrInstance):
		return http.StatusConflict
	case errors.Is(err, exchange.ErrUnknown):
		return http.StatusNotFound
	case errors.As(err, &in):
		return http.StatusUnprocessableEntity
	}
	return http.StatusInternalServerError
}

// Endpoint returns a handler of one method. The handler reads the body of a POST into the
// argument of f, and answers with the result of f.
func Endpoint[In, Out any](method string, f func(In) (Out, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		out, err := func() (out Out, err error) {
			if r.Method != method {
				w.Header().Set("Allow", method)
				return out, Failf(http.StatusMethodNotAllowed, "%s takes %s, not %s", r.URL.Path, method, r.Method)
			}
			var in In
			if method == http.MethodPost {
				if err := decode(r, &in); err != nil {
					return out, err
				}
			}
			return f(in)
		}()
		if err != nil {
			Reply(w, Status(err), map[string]string{"error": err.Error()})
			return
		}
		Reply(w, http.StatusOK, out)
	}
}

// decode reads a JSON body to its end. A field that v does not have is an error.
func decode(r *http.Request, v any) error {
	if t, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || t != "application/json" {
		return Failf(http.StatusUnsupportedMediaType, "the body is %q; want application/json", r.Header.Get("Content-Type"))
	}
	body, err := io.ReadAll(r.Body) // the handler of Security has read it, and bounds it
	if err != nil {
		return err
	}
	if err := checkEntries(body); err != nil {
		return err
	}
	d := json.NewDecoder(bytes.NewReader(body))
	d.DisallowUnknownFields()
	err = d.Decode(v)
	if err == nil {
		if _, err = d.Token(); err == io.EOF {
			return nil
		} else if err == nil {
			err = errors.New("something follows the object")
		}
	}
	return Failf(http.StatusBadRequest, "the body is not what is wanted: %s", Printable(err.Error(), 300))
}

// Reply answers with JSON.
func Reply(w http.ResponseWriter, status int, v any) {
	data, err := json.Marshal(v)
	if err != nil {
		status, data = http.StatusInternalServerError, []byte(`{"error":"the answer cannot be written"}`)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	w.Write(append(data, '\n'))
}

// NewMux returns a mux that answers to unknown paths with an error in JSON.
func NewMux() *http.ServeMux {
	mux := http.NewServeMux()
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		Reply(w, http.StatusNotFound, map[string]string{"error": fmt.Sprintf("there is no %s here: -h of the program lists what there is",
			Printable(r.URL.Path, 100))})
	})
	return mux
}

// Calls adds an endpoint to mux for each of the calls. If guard returns an error for a
// request and its message, that error is the answer.
func Calls(mux *http.ServeMux, from, to exchange.Call, guard func(*http.Request, exchange.Message) error,
	handle func(exchange.Message) ([]exchange.Message, error)) {
	for c := from; c <= to; c++ {
		mux.HandleFunc("/"+c.String(), func(w http.ResponseWriter, r *http.Request) {
			Endpoint(http.MethodPost, func(msg exchange.Message) ([]exchange.Message, error) {
				if msg.Call != c {
					return nil, Failf(http.StatusBadRequest, "the body's call is %v, and the path's %v", msg.Call, c)
				}
				if err := guard(r, msg); err != nil {
					return nil, err
				}
				out, err := handle(msg)
				if out == nil {
					out = []exchange.Message{}
				}
				return out, err
			})(w, r)
		})
	}
}

// Post sends v to url and reads the answer into out, unless out is nil.
func Post(ctx context.Context, client *http.Client, url string, v, out any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(data))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	return do(client, req, out)
}

// Get reads what is at url into out.
func Get(ctx context.Context, client *http.Client, url string, out any) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	return do(client, req, out)
}

func do(client *http.Client, req *http.Request, out any) error {
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(io.LimitReader(resp.Body, MaxBody+1))
	if err != nil {
		return err
	}
	if len(data) > MaxBody {
		return Failf(http.StatusBadGateway, "the answer is too large; %d bytes are the most", MaxBody)
	}
	if resp.StatusCode != http.StatusOK {
		return &Failure{resp.StatusCode, Printable(reason(data, resp.Status), 1000)}
	}
	if out == nil {
		return nil
	}
	if err := checkEntries(data); err != nil {
		return err
	}
	return json.Unmarshal(data, out)
}

// reason returns the sentence of an answer that is an error, or else its status.
func reason(data []byte, status string) string {
	var e struct {
		Error string `json:"error"`
	}
	if json.Unmarshal(data, &e) != nil || e.Error == "" {
		return status
	}
	return e.Error
}

// Serve answers requests until ctx is done, and then waits for those that have begun.
// tell gets a line about each connection that fails, for the journal.
func Serve(ctx context.Context, l net.Listener, handler http.Handler, tell func(line string)) error {
	open := &conns{state: map[net.Conn]connState{}}
	s := &http.Server{
		Handler:           handler,
		ConnState:         open.note,
		ErrorLog:          log.New(lines(tell), "", 0),
		ReadHeaderTimeout: Timeout,
		ReadTimeout:       2 * Timeout,
		WriteTimeout:      2 * Timeout,
		IdleTimeout:       time.Minute,
		MaxHeaderBytes:    1 << 14,
	}
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(l) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	grace, cancel := context.WithTimeout(context.Background(), Timeout)
	defer cancel()
	if err := s.Shutdown(grace); err != nil {
		s.Close()
	}
	return nil
}

// lines is a writer that passes each line on, in printable characters. It passes on at most
// ten lines a minute, since they come from outside.
func lines(tell func(string)) io.Writer {
	var mu sync.Mutex
	var since time.Time
	n := 0
	return writerFunc(func(p []byte) (int, error) {
		mu.Lock()
		defer mu.Unlock()
		if now := time.Now(); now.Sub(since) > time.Minute {
			since, n = now, 0
		}
		if n++; n <= 10 {
			text := strings.TrimSpace(string(p))
			text = strings.TrimPrefix(text, "http: ")
			tell(Printable(text, 500))
		}
		return len(p), nil
	})
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }
