//go:build unix

package partition

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/plimsoll/plimsoll/preempt/exchange"
)

// The framework's calls of examples/services/parttime are understood.
func TestFramework(t *testing.T) {
	var got []string
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var in any
		if r.Method == http.MethodPost {
			if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
				t.Error(err)
			}
		}
		text, _ := json.Marshal(in)
		got = append(got, r.Method+" "+r.URL.Path+" "+string(text))
		switch r.URL.Path {
		case "/framework/Nodes":
			fmt.Fprint(w, `{"time_s":100,"instance":"x","nodes":[{"node":0,"epoch":1,"state":"usable","value":0.5},{"node":3,"epoch":2,"state":"draining","value":0,"ends_s":160}],"requests":[]}`)
		case "/framework/DeleteNodes":
			w.WriteHeader(http.StatusBadRequest)
			fmt.Fprint(w, `{"error":"not held"}`)
		default:
			fmt.Fprint(w, `{}`)
		}
	}))
	defer s.Close()
	f := &Framework{URL: s.URL, Minute: 2 * time.Second, Client: s.Client()}
	ctx := context.Background()
	h, err := f.Holdings(ctx)
	if diff := cmp.Diff([]Holding{{Node: 0, State: exchange.Usable}, {Node: 3, State: exchange.Draining, Left: 2 * time.Second}}, h); err != nil || diff != "" {
		t.Errorf("%v %s", err, diff)
	}
	if err := f.SetValues(ctx, []exchange.NodeValue{{Node: 0, Value: .25}}); err != nil {
		t.Error(err)
	}
	if err := f.Delete(ctx, []int{3}); err == nil || !strings.Contains(err.Error(), "not held") {
		t.Errorf("refused: %v", err)
	}
	want := []string{`GET /framework/Nodes null`, `POST /framework/SetResourceValues {"values":[{"node":0,"value":0.25}]}`,
		`POST /framework/DeleteNodes {"nodes":[3]}`}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
