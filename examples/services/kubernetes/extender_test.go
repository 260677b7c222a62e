//go:build unix

package main

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/examples/services/kubernetes/internal/extend"
)

// The usage names each flag.
func TestExtenderFlags(t *testing.T) {
	f := cli.NewFlags("extender")
	new(extenderOptions).define(f)
	for _, name := range []string{"kubeconfig", "listen", "cert", "key", "client-ca", "dry-run", "budgets", "joint", "refine", "limit", "stale", "gang", "quiet"} {
		if f.Lookup(name) == nil || !strings.Contains(extenderUsage, "\n  -"+name+" ") {
			t.Errorf("-%s is no flag, or not in the usage", name)
		}
	}
}

func TestExtenderMistakes(t *testing.T) {
	dir := t.TempDir()
	if err := makeCerts(filepath.Join(dir, "certs"), []string{"127.0.0.1"}, time.Now(), 1); err != nil {
		t.Fatal(err)
	}
	secure := fmt.Sprintf(" -cert %s/certs/tls.crt -key %[1]s/certs/tls.key", dir)
	empty := filepath.Join(dir, "empty")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for args, want := range map[string]string{
		"extender -budgets always":                   "never or rather-not",
		"extender -joint 0":                          "from 1 to 1,000",
		"extender -limit 0s":                         "a duration such as 1s",
		"extender -stale 999ms":                      "a duration of 1s or more",
		"extender -gang=":                            "want a label or annotation",
		"extender -cert " + dir + "/none":            "certs -h says how to make them",
		"extender" + secure:                          "there is no -kubeconfig",
		"extender" + secure + " -kubeconfig /none":   "-kubeconfig /none: ",
		"extender" + secure + " -client-ca /none":    "/none: no such file",
		"extender" + secure + " -client-ca " + empty: "there is no certificate: want the authority of the clients, in PEM",
		"certs -years 0":                             "from 1 to 30",
		"certs -hosts a,,b -out " + dir + "/new":     "a name is empty",
		"certs -out " + dir + "/certs":               "is there already",
	} {
		status, stdout, stderr := runProgram(t, strings.Fields(args)...)
		if status != 2 || stdout != "" || !strings.Contains(stderr, want) || strings.Count(stderr, "\n") != 1 {
			t.Errorf("%s: status %d, %q, %q; want %q", args, status, stdout, stderr, want)
		}
	}
}

// emptyAPI is an API server of a cluster without objects.
func emptyAPI(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	kinds := map[string]string{"pods": "PodList", "nodes": "NodeList", "poddisruptionbudgets": "PodDisruptionBudgetList"}
	kind, ok := kinds[filepath.Base(r.URL.Path)]
	group := strings.TrimPrefix(strings.TrimPrefix(filepath.Dir(r.URL.Path), "/apis/"), "/api/")
	switch {
	case r.URL.Query().Get("sendInitialEvents") != "":
		w.WriteHeader(http.StatusUnprocessableEntity)
		io.WriteString(w, `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Invalid","code":422}`)
	case r.URL.Query().Get("watch") != "":
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	case ok:
		fmt.Fprintf(w, `{"kind":%q,"apiVersion":%q,"metadata":{"resourceVersion":"1"},"items":[]}`, kind, group)
	default:
		io.WriteString(w, "ok")
	}
}

// The extender answers by HTTPS, to those that have a certificate if it asks for one, and
// ends with its context.
func TestExtenderTLS(t *testing.T) {
	api := httptest.NewServer(http.HandlerFunc(emptyAPI))
	defer api.Close()
	dir := t.TempDir()
	for _, name := range []string{"server", "client"} {
		if err := makeCerts(filepath.Join(dir, name), []string{"127.0.0.1"}, time.Now(), 1); err != nil {
			t.Fatal(err)
		}
	}
	kubeconfig := filepath.Join(dir, "kubeconfig")
	text := "apiVersion: v1\nkind: Config\nclusters: [{name: c, cluster: {server: '" + api.URL + "'}}]\ncontexts: [{name: x, context: {cluster: c, user: u}}]\nusers: [{name: u, user: {}}]\ncurrent-context: x\n"
	if err := os.WriteFile(kubeconfig, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	pem, err := os.ReadFile(filepath.Join(dir, "server", "ca.crt"))
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(pem)
	get := func(at net.Addr, c *tls.Config) (string, error) {
		client := http.Client{Transport: &http.Transport{TLSClientConfig: c}, Timeout: 10 * time.Second}
		defer client.CloseIdleConnections()
		resp, err := client.Get("https://" + at.String() + "/readyz")
		if err != nil {
			return "", err
		}
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		return string(body), err
	}
	for _, asks := range []bool{false, true} {
		var o extenderOptions
		f := cli.NewFlags("extender")
		o.define(f)
		args := []string{"-kubeconfig", kubeconfig, "-listen", "127.0.0.1:0", "-cert", filepath.Join(dir, "server", "tls.crt"), "-key",
			filepath.Join(dir, "server", "tls.key")}
		if asks {
			args = append(args, "-client-ca", filepath.Join(dir, "client", "ca.crt"))
		}
		if err := f.Parse(args); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		addr, ended := make(chan net.Addr, 1), make(chan error, 1)
		var log bytes.Buffer
		go func() { ended <- serveExtender(ctx, &o, &log, func(_ *extend.Server, at net.Addr) { addr <- at }) }()
		var at net.Addr
		select {
		case at = <-addr:
		case err := <-ended:
			t.Fatal(err)
		}
		got, err := get(at, &tls.Config{RootCAs: roots})
		if asks == (err == nil) || !asks && got != "ok\n" {
			t.Errorf("asks for certificates %v: %q, %v", asks, got, err)
		}
		if _, err := get(at, &tls.Config{}); err == nil {
			t.Error("a caller trusts an unknown authority")
		}
		if _, err := http.Get("http://" + at.String() + "/readyz"); err == nil && !asks {
			resp, _ := http.Get("http://" + at.String() + "/readyz")
			if resp.StatusCode == 200 {
				t.Error("it answers without TLS")
			}
		}
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
}
