package main

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

// The client has no limiter of its own: withdrawing 800 overlays would wait for it.
func TestNoLimiter(t *testing.T) {
	path := filepath.Join(t.TempDir(), "config")
	text := `{"apiVersion":"v1","kind":"Config","current-context":"c","contexts":[{"name":"c","context":{"cluster":"c"}}],
		"clusters":[{"name":"c","cluster":{"server":"http://127.0.0.1:1"}}]}`
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	config, err := clusterConfig(path)
	if err != nil {
		t.Fatal(err)
	}
	client, err := rest.HTTPClientFor(config)
	if err != nil {
		t.Fatal(err)
	}
	kube, err := kubernetes.NewForConfigAndClient(config, client)
	if err != nil {
		t.Fatal(err)
	}
	if l := kube.CoreV1().RESTClient().GetRateLimiter(); l != nil {
		t.Errorf("the client lets through %v requests a second: want as many as the API server takes", l.QPS())
	}
}

// Only an answer that there is no such thing says that a cluster has no Karpenter. After
// another error the API server is asked again.
func TestKarpenter(t *testing.T) {
	const overlays, claims = "/apis/karpenter.sh/v1alpha1", "/apis/karpenter.sh/v1"
	list := func(version, resource string) string {
		return `{"kind":"APIResourceList","apiVersion":"v1","groupVersion":"karpenter.sh/` + version + `","resources":[{"name":"` + resource + `"}]}`
	}
	for _, c := range []struct {
		name                     string
		have                     map[string]string
		overlays, claims, failed bool
	}{
		{"both", map[string]string{overlays: list("v1alpha1", "nodeoverlays"), claims: list("v1", "nodeclaims")}, true, true, false},
		{"an older Karpenter", map[string]string{overlays: list("v1alpha1", "others"), claims: list("v1", "nodeclaims")}, false, true, false},
		{"none", nil, false, false, false},
		{"both, after an error", map[string]string{overlays: list("v1alpha1", "nodeoverlays"), claims: list("v1", "nodeclaims")}, true, true, true},
	} {
		var failures atomic.Int32
		if c.failed {
			failures.Store(1)
		}
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			text, ok := c.have[r.URL.Path]
			switch {
			case r.URL.Path == overlays && failures.Add(-1) >= 0:
				http.Error(w, "etcd has no leader", http.StatusInternalServerError)
			case !ok:
				http.NotFound(w, r)
			default:
				w.Header().Set("Content-Type", "application/json")
				io.WriteString(w, text)
			}
		}))
		kube, err := kubernetes.NewForConfig(&rest.Config{Host: server.URL})
		if err != nil {
			t.Fatal(err)
		}
		var log bytes.Buffer
		o, n, err := karpenter(t.Context(), kube, slog.New(slog.NewTextHandler(&log, nil)))
		if err != nil || o != c.overlays || n != c.claims {
			t.Errorf("%s: overlays %v, claims %v, err %v; want %v, %v", c.name, o, n, err, c.overlays, c.claims)
		}
		if told := strings.Contains(log.String(), "nodeoverlays.karpenter.sh is unknown"); told != c.failed {
			t.Errorf("%s: the log says %q", c.name, log.String())
		}
		server.Close()
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	kube, err := kubernetes.NewForConfig(&rest.Config{Host: "http://127.0.0.1:1"})
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := karpenter(ctx, kube, slog.New(slog.DiscardHandler)); err == nil {
		t.Error("an API server that is away, and nobody waits: want an error")
	}
}

// Mistakes in flags and files are the user's, in one sentence.
func TestOracleMistakes(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		path := dir + "/" + name
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	const kinds, held = "testdata/oracle/kinds.json", "testdata/oracle/held.json"
	ok := []string{"-kinds", kinds, "-held", held}
	with := func(args ...string) []string { return append(ok[:len(ok):len(ok)], args...) }
	print := func(kinds, held string) []string {
		return []string{"-kinds", kinds, "-held", held, "-print", "-running", "m5.large=1"}
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{nil, "want both files"},
		{with("-running", "m5.large=1"), "-running without -print: want both"},
		{with("-print", "-running", "m5.huge=1"), "want a type of -kinds and a number"},
		{with("-expander", ":8443"), "want both beyond loopback"},
		{with("-expander", "8443"), "want an address such as :8443"},
		{with("-cert", "x"), "want both, or neither"},
		{with("-plan", "1h"), "want at least the 24 hours of -hours"},
		{with("-name", "UPPER"), "want a value of a label"},
		{with("-require", "x"), "want a label and its values"},
		{with("-model", "oracle-of-delphi"), "want one of"},
		{with("-floor", "100"), "0 to 99"},
		{print(file("k1", `{}`), held), "want an array of objects"},
		{print(file("k2", `[{"type": "a", "on_demand": 0}]`), held), "want a price above 0"},
		{print(file("k3", `[{"type": "a", "on_demand": 1}, {"type": "a", "on_demand": 1}]`), held), "want each once"},
		{print(kinds, file("c1", `[{"id": "x", "type": "m5.large", "count": 1, "until": "soon"}]`)), "want a day such as 2027-03-01"},
		{print(kinds, file("c2", `[{"id": "x", "type": "m5.large", "count": 1, "until": "2099-01-01", "zone": "a"}]`)), "zone"},
		{print(kinds, file("c3", `[{"id": "x", "type": "m5.large", "class": "p", "count": 1, "until": "2099-01-01"}]`)), "want one of the two"},
		{print(kinds, file("c4", `[{"id": "x", "region": "a", "type": "m5.large", "count": 1, "until": "2099-01-01"}, {"id": "y", "region": "b", "type": "m5.large", "count": 1, "until": "2099-01-01"}]`)), "want -region"},
	} {
		var out, errs strings.Builder
		status := run(context.Background(), append([]string{"oracle"}, c.args...), &out, &errs)
		if text := errs.String(); status != 2 || !strings.Contains(text, c.want) || strings.Count(strings.TrimSpace(text), "\n") > 0 {
			t.Errorf("%v: status %d, %q; want 2 and %q", c.args, status, text, c.want)
		}
	}
	var out, errs strings.Builder
	if status := run(context.Background(), append([]string{"oracle"}, print(kinds, held)...), &out, &errs); status != 0 ||
		!strings.Contains(out.String(), "reservation ri-web: 156 of 160 units unused") {
		t.Errorf("status %d: %s%s", status, &out, &errs)
	}
}
