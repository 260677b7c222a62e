package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/url"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/preempt/exchange"
)

// A call is POSTed to the path that has its name, its message as the body. The
// answer has the status 200 and an array of the messages for the caller, perhaps empty; or
// another status and {"error": "a sentence"}. A message is lost when there is no
// answer, which the exchange makes good: nothing here is tried twice.

const (
	maxBody     = 16 << 20 // of a request or answer; a lease takes about 100 bytes, and there are maxNodes at most
	callTimeout = 5 * time.Second
)

// failure is an error with a status.
type failure struct {
	status int
	text   string
}

func (f *failure) Error() string { return f.text }

func failf(status int, format string, args ...any) error {
	return &failure{status, fmt.Sprintf(format, args...)}
}

// statusOf returns the HTTP status for an error.
func statusOf(err error) int {
	var f *failure
	var in *exchange.InputError
	switch {
	case errors.As(err, &f):
		return f.status
	case errors.Is(err, exchange.ErrUnknown):
		return http.StatusNotFound
	case errors.As(err, &in):
		return http.StatusUnprocessableEntity
	}
	return http.StatusInternalServerError
}

// endpoint answers a request with what f returns, and reads the body into what it is given.
func endpoint[In, Out any](method string, f func(In) (Out, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		out, err := func() (out Out, err error) {
			if r.Method != method {
				w.Header().Set("Allow", method)
				return out, failf(http.StatusMethodNotAllowed, "%s takes %s, not %s", r.URL.Path, method, r.Method)
			}
			var in In
			if method == http.MethodPost {
				if err := decode(w, r, &in); err != nil {
					return out, err
				}
			}
			return f(in)
		}()
		if err != nil {
			reply(w, statusOf(err), map[string]string{"error": err.Error()})
			return
		}
		reply(w, http.StatusOK, out)
	}
}

// decode reads a JSON body, all of it, and nothing that is not asked for.
func decode(w http.ResponseWriter, r *http.Request, v any) error {
	if t, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || t != "application/json" {
		return failf(http.StatusUnsupportedMediaType, "the body is %q; want application/json", r.Header.Get("Content-Type"))
	}
	d := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxBody))
	d.DisallowUnknownFields()
	err := d.Decode(v)
	if err == nil {
		if _, err = d.Token(); err == io.EOF {
			return nil
		} else if err == nil {
			err = errors.New("something follows the object")
		}
	}
	var large *http.MaxBytesError
	if errors.As(err, &large) {
		return failf(http.StatusRequestEntityTooLarge, "the body is too large; %d bytes are the most", large.Limit)
	}
	return failf(http.StatusBadRequest, "the body is not what is wanted: %v", err)
}

func reply(w http.ResponseWriter, status int, v any) {
	data, err := json.Marshal(v)
	if err != nil {
		status, data = http.StatusInternalServerError, []byte(`{"error":"the answer cannot be written"}`)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	w.Write(append(data, '\n'))
}

func notFound(w http.ResponseWriter, r *http.Request) {
	reply(w, http.StatusNotFound, map[string]string{"error": fmt.Sprintf("there is no %s here; -h of the program lists what there is", r.URL.Path)})
}

// The headers in which a client says who it is.
const (
	partitionHeader = "Parttime-Partition" // escaped as in a path
	instanceHeader  = "Parttime-Instance"
)

// signed is a transport that says who sends.
type signed struct{ partition, instance string }

func (s signed) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set(partitionHeader, url.PathEscape(s.partition))
	r.Header.Set(instanceHeader, s.instance)
	return http.DefaultTransport.RoundTrip(r)
}

// calls adds an endpoint for each of the calls to mux. What guard does not let in is
// answered with its error.
func calls(mux *http.ServeMux, from, to exchange.Call, guard func(*http.Request) error, handle func(exchange.Message) ([]exchange.Message, error)) {
	for c := from; c <= to; c++ {
		answer := endpoint(http.MethodPost, func(msg exchange.Message) ([]exchange.Message, error) {
			if msg.Call != c {
				return nil, failf(http.StatusBadRequest, "the body's call is %v, and the path's %v", msg.Call, c)
			}
			out, err := handle(msg)
			if out == nil {
				out = []exchange.Message{}
			}
			return out, err
		})
		mux.HandleFunc("/"+c.String(), func(w http.ResponseWriter, r *http.Request) {
			if err := guard(r); err != nil {
				reply(w, statusOf(err), map[string]string{"error": err.Error()})
				return
			}
			answer(w, r)
		})
	}
}

// post sends v to url and reads the answer into out.
func post(ctx context.Context, client *http.Client, url string, v, out any) error {
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

// get reads what is at url into out.
func get(ctx context.Context, client *http.Client, url string, out any) error {
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
	data, err := io.ReadAll(io.LimitReader(resp.Body, maxBody+1))
	if err != nil {
		return err
	}
	if len(data) > maxBody {
		return &failure{http.StatusBadGateway, fmt.Sprintf("the answer is too large; %d bytes are the most", maxBody)}
	}
	if resp.StatusCode != http.StatusOK {
		var e struct {
			Error string `json:"error"`
		}
		if json.Unmarshal(data, &e) != nil || e.Error == "" {
			e.Error = resp.Status
		}
		return &failure{resp.StatusCode, e.Error}
	}
	return json.Unmarshal(data, out)
}

// listen opens the address that the user gave.
func listen(address string) (l net.Listener, url string, err error) {
	l, err = net.Listen("tcp", address)
	if err != nil {
		var op *net.OpError
		if errors.As(err, &op) {
			err = op.Err
		}
		return nil, "", cli.Mistakef("cannot listen on -listen %s: %v", address, err)
	}
	return l, "http://" + l.Addr().String(), nil
}

// serve answers requests until ctx is done, and then those that have begun.
func serve(ctx context.Context, l net.Listener, mux *http.ServeMux) error {
	mux.HandleFunc("/", notFound)
	s := &http.Server{
		Handler:           mux,
		ReadHeaderTimeout: callTimeout,
		ReadTimeout:       2 * callTimeout,
		WriteTimeout:      2 * callTimeout,
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
	grace, cancel := context.WithTimeout(context.Background(), callTimeout)
	defer cancel()
	if err := s.Shutdown(grace); err != nil {
		s.Close()
	}
	return nil
}
