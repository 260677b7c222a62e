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
