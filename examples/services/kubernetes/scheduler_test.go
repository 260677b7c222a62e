//go:build unix

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	v1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"
)

// deploy/scheduler.sh lets the kube-scheduler of kubeadm read the configuration, once, and
// undoes it. The manifest is that of kubeadm 1.36 in short.
func TestSchedulerScript(t *testing.T) {
	for _, program := range []string{"sh", "kubectl"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skip(err)
		}
	}
	etc := t.TempDir()
	before, err := os.ReadFile("testdata/kubeadm/kube-scheduler.yaml")
	if err != nil {
		t.Fatal(err)
	}
	manifest := filepath.Join(etc, "manifests", "kube-scheduler.yaml")
	authority := filepath.Join(etc, "any.crt")
	if err := os.Mkdir(filepath.Dir(manifest), 0o755); err != nil {
		t.Fatal(err)
	}
	script := func(want string, args ...string) {
		t.Helper()
		c := exec.Command("sh", append([]string{"deploy/scheduler.sh"}, args...)...)
		c.Env = append(os.Environ(), "ETC_KUBERNETES="+etc)
		out, err := c.CombinedOutput()
		if (err == nil) != (want == "") || !strings.Contains(string(out), want) {
			t.Errorf("scheduler.sh %q: %v, %s; want %q", args, err, out, want)
		}
	}
	script("want a node of the control plane", authority)
	if err := os.WriteFile(manifest, before, 0o600); err != nil {
		t.Fatal(err)
	}
	script("nothing to undo", "undo")
	script("usage", authority, "undo")
	script("any.crt", authority) // is not there
	if now, err := os.ReadFile(manifest); err != nil || string(now) != string(before) {
		t.Fatalf("a script that failed has changed the manifest: %s, %v", now, err)
	}
	if err := os.WriteFile(authority, []byte("a certificate"), 0o600); err != nil {
		t.Fatal(err)
	}
	script("", authority)
	var pod v1.Pod
	after, err := os.ReadFile(manifest)
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.UnmarshalStrict(after, &pod); err != nil {
		t.Fatal(err)
	}
	const folder = "/etc/kubernetes/plimsoll"
	c := pod.Spec.Containers[0]
	if !slices.Contains(c.Command, "--config="+folder+"/scheduler.yaml") || len(c.Command) != 7 || len(c.VolumeMounts) != 2 ||
		c.VolumeMounts[1].MountPath != folder ||
		len(pod.Spec.Volumes) != 2 || pod.Spec.Volumes[1].Name != c.VolumeMounts[1].Name || pod.Spec.Volumes[1].HostPath.Path != folder {
		t.Errorf("%s", after)
	}
	if info, err := os.Stat(manifest); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v: want the rights of the old manifest", info.Mode(), err)
	}
	for name, from := range map[string]string{"ca.crt": authority, "scheduler.yaml": "deploy/scheduler.yaml"} {
		want, _ := os.ReadFile(from)
		if got, err := os.ReadFile(filepath.Join(etc, "plimsoll", name)); err != nil || string(got) != string(want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	script("has a --config already", authority)
	script("", "undo")
	if now, err := os.ReadFile(manifest); err != nil || string(now) != string(before) {
		t.Errorf("undone: %s, %v", now, err)
	}
	if _, err := os.Stat(filepath.Join(etc, "plimsoll")); !os.IsNotExist(err) {
		t.Errorf("undone, and the folder is there: %v", err)
	}
}
