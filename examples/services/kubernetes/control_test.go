//go:build unix

package main

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/processes"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// controlServers are the programs that a controlPlane needs, and where they come from.
var controlServers = []struct{ Name, From string }{
	{"etcd", "the package etcd-server of Debian"},
	{"kube-apiserver", "go -C internal/servers build -o FOLDER k8s.io/kubernetes/cmd/kube-apiserver"},
	{"kube-scheduler", "go -C internal/servers build -o FOLDER k8s.io/kubernetes/cmd/kube-scheduler"},
	{"kwok", "GOBIN=FOLDER go install sigs.k8s.io/kwok/cmd/kwok@v0.8.0"},
}

// errAbsent says that a server is not there.
var errAbsent = errors.New("a server of the control plane is not there")

// findServers returns the paths of the servers, in folder or else on the PATH. The error lists
// what is missing and where it comes from.
func findServers(folder string) (map[string]string, error) {
	paths := map[string]string{}
	var missing []string
	for _, s := range controlServers {
		if folder != "" {
			if path, err := exec.LookPath(filepath.Join(folder, s.Name)); err == nil {
				paths[s.Name] = path
				continue
			}
		}
		path, err := exec.LookPath(s.Name)
		if err != nil {
			missing = append(missing, s.Name+" ("+s.From+")")
			continue
		}
		paths[s.Name] = path
	}
	if missing != nil {
		return nil, fmt.Errorf("%w: %s", errAbsent, strings.Join(missing, "; "))
	}
	return paths, nil
}

// A controlPlane is a control plane that runs.
type controlPlane struct {
	Kubeconfig string // a file
	Config     *rest.Config
	Client     *kubernetes.Clientset
	Dir        string // with the logs

	servers map[string]string
	running []*server
	ports   map[string]int
}

type server struct {
	name string
	cmd  *exec.Cmd
	done chan struct{}
}

// startServers starts etcd, the API server and kwok, and waits until they answer. The scheduler
// is started by Schedule. If something fails, all is ended and removed.
func startServers(ctx context.Context, folder string) (p *controlPlane, err error) {
	servers, err := findServers(folder)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "plimsoll-kubernetes-")
	if err != nil {
		return nil, err
	}
	p = &controlPlane{Dir: dir, servers: servers, ports: map[string]int{}}
	defer func() {
		if err != nil {
			err = errors.Join(err, p.Stop())
			p = nil
		}
	}()
	for _, name := range []string{"etcd", "peer", "api", "scheduler"} {
		if p.ports[name], err = freePort(); err != nil {
			return p, err
		}
	}
	etcd := fmt.Sprintf("http://127.0.0.1:%d", p.ports["etcd"])
	peer := fmt.Sprintf("http://127.0.0.1:%d", p.ports["peer"])
	if err := p.run("etcd", "--data-dir", p.file("etcd"), "--listen-client-urls", etcd, "--advertise-client-urls", etcd,
		"--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer, "--initial-cluster", "default="+peer, "--unsafe-no-fsync"); err != nil {
		return p, err
	}
	token, err := p.secrets()
	if err != nil {
		return p, err
	}
	// Old releases of etcd have no progress notifications. With WatchList, watches of the API
	// server would then wait for ever.
	if err := p.run("kube-apiserver", "--etcd-servers", etcd, "--bind-address", "127.0.0.1",
		"--secure-port", fmt.Sprint(p.ports["api"]), "--cert-dir", p.file("certs"),
		"--service-account-key-file", p.file("sa.key"), "--service-account-signing-key-file", p.file("sa.key"),
		"--service-account-issuer", "https://kubernetes.default.svc", "--token-auth-file", p.file("tokens.csv"),
		"--authorization-mode", "RBAC", "--service-cluster-ip-range", "10.0.0.0/24",
		"--disable-admission-plugins", "ServiceAccount", "--feature-gates", "WatchList=false"); err != nil {
		return p, err
	}
	p.Config = &rest.Config{Host: fmt.Sprintf("https://127.0.0.1:%d", p.ports["api"]), BearerToken: token,
		TLSClientConfig: rest.TLSClientConfig{Insecure: true}, QPS: -1}
	p.Kubeconfig = p.file("kubeconfig")
	file := clientcmdapi.NewConfig()
	file.Clusters["c"] = &clientcmdapi.Cluster{Server: p.Config.Host, InsecureSkipTLSVerify: true}
	file.AuthInfos["u"] = &clientcmdapi.AuthInfo{Token: token}
	file.Contexts["x"] = &clientcmdapi.Context{Cluster: "c", AuthInfo: "u"}
	file.CurrentContext = "x"
	if err := clientcmd.WriteToFile(*file, p.Kubeconfig); err != nil {
		return p, err
	}
	if p.Client, err = kubernetes.NewForConfig(p.Config); err != nil {
		return p, err
	}
	if err := p.ready(ctx, 2*time.Minute); err != nil {
		return p, err
	}
	if err := os.WriteFile(p.file("stages.yaml"), []byte(stages), 0o600); err != nil {
		return p, err
	}
	return p, p.run("kwok", "--kubeconfig", p.Kubeconfig, "--manage-all-nodes=true", "--config", p.file("stages.yaml"))
}

func (p *controlPlane) file(name string) string { return filepath.Join(p.Dir, name) }

// secrets writes the key of service accounts and the token of the administrator.
func (p *controlPlane) secrets() (token string, err error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return "", err
	}
	der, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return "", err
	}
	text := pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: der})
	if err := os.WriteFile(p.file("sa.key"), text, 0o600); err != nil {
		return "", err
	}
	var random [16]byte
	rand.Read(random[:])
	token = hex.EncodeToString(random[:])
	return token, os.WriteFile(p.file("tokens.csv"), []byte(token+",admin,1,system:masters\n"), 0o600)
}

// ready waits until the API server answers.
func (p *controlPlane) ready(ctx context.Context, limit time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	for {
		text, err := p.Client.Discovery().RESTClient().Get().AbsPath("/readyz").DoRaw(ctx)
		if err == nil && string(text) == "ok" {
			return nil
		}
		for _, s := range p.running {
			select {
			case <-s.done:
				return fmt.Errorf("%s ended: %s", s.name, p.lastLine(s.name))
			default:
			}
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("the API server is not ready after %v: %s", limit, p.lastLine("kube-apiserver"))
		case <-time.After(200 * time.Millisecond):
		}
	}
}

// ScheduleBy starts kube-scheduler with a whole KubeSchedulerConfiguration, in YAML.
func (p *controlPlane) ScheduleBy(config string) error {
	p.End("kube-scheduler")
	if err := os.WriteFile(p.file("scheduler.yaml"), []byte(config), 0o600); err != nil {
		return err
	}
	return p.run("kube-scheduler", "--config", p.file("scheduler.yaml"), "--bind-address", "127.0.0.1",
		"--secure-port", fmt.Sprint(p.ports["scheduler"]), "-v", "2")
}

// run starts a server. Its output goes to NAME.log.
func (p *controlPlane) run(name string, args ...string) error {
	log, err := os.OpenFile(p.file(name+".log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	s := &server{name: name, cmd: exec.Command(p.servers[name], args...), done: make(chan struct{})}
	s.cmd.Stdout, s.cmd.Stderr, s.cmd.Dir = log, log, p.Dir
	// An interrupt of this program is kept away from a server, which Stop ends.
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	processes.EndWithParent(s.cmd)
	if err := s.cmd.Start(); err != nil {
		return err
	}
	go func() {
		s.cmd.Wait()
		close(s.done)
	}()
	p.running = append(p.running, s)
	return nil
}

// End ends a server, by force if it takes more than ten seconds.
func (p *controlPlane) End(name string) {
	kept := p.running[:0]
	for _, s := range p.running {
		if s.name != name {
			kept = append(kept, s)
			continue
		}
		s.cmd.Process.Signal(syscall.SIGTERM)
		select {
		case <-s.done:
		case <-time.After(10 * time.Second):
			s.cmd.Process.Kill()
			<-s.done
		}
	}
	p.running = kept
}

// Stop ends all servers and removes their files.
func (p *controlPlane) Stop() error {
	for _, name := range []string{"kwok", "kube-scheduler", "kube-apiserver", "etcd"} { // the API server waits for its etcd
		p.End(name)
	}
	return os.RemoveAll(p.Dir)
}

// Log returns what a server has written.
func (p *controlPlane) Log(name string) string {
	text, err := os.ReadFile(p.file(name + ".log"))
	if err != nil {
		return ""
	}
	return string(text)
}

func (p *controlPlane) lastLine(name string) string {
	text := strings.TrimSpace(p.Log(name))
	return text[strings.LastIndexByte(text, '\n')+1:]
}

// freePort returns a port of loopback that is free now.
func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}

// startedNote is the annotation with which a pod of a controlPlane says when it started, so that it
// has progress at once.
const startedNote = "plimsoll.dev/demo-started"

// stages say what kwok does: nodes are ready, pods run as soon as they have a node, and
// end as soon as they are told to.
const stages = `apiVersion: kwok.x-k8s.io/v1alpha1
kind: Stage
metadata: {name: node-ready}
spec:
  resourceRef: {apiGroup: v1, kind: Node}
  selector:
    matchExpressions:
    - {key: '.status.phase', operator: NotIn, values: [Running]}
  next:
    statusTemplate: |
      conditions:
      - {type: Ready, status: "True", reason: KubeletReady, message: "", lastHeartbeatTime: {{ Now | Quote }}, lastTransitionTime: {{ Now | Quote }}}
      phase: Running
---
apiVersion: kwok.x-k8s.io/v1alpha1
kind: Stage
metadata: {name: pod-ready}
spec:
  resourceRef: {apiGroup: v1, kind: Pod}
  selector:
    matchExpressions:
    - {key: '.metadata.deletionTimestamp', operator: DoesNotExist}
    - {key: '.status.phase', operator: In, values: [Pending]}
  next:
    statusTemplate: |
      {{ $start := or (index (or .metadata.annotations dict) "plimsoll.dev/demo-started") Now }}
      conditions:
      - {type: Initialized, status: "True", lastTransitionTime: {{ Now | Quote }}}
      - {type: Ready, status: "True", lastTransitionTime: {{ Now | Quote }}}
      - {type: ContainersReady, status: "True", lastTransitionTime: {{ Now | Quote }}}
      startTime: {{ $start | Quote }}
      phase: Running
---
apiVersion: kwok.x-k8s.io/v1alpha1
kind: Stage
metadata: {name: pod-delete}
spec:
  resourceRef: {apiGroup: v1, kind: Pod}
  selector:
    matchExpressions:
    - {key: '.metadata.deletionTimestamp', operator: Exists}
  next:
    delete: true
`
