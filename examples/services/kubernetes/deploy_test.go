package main

import (
	"fmt"
	"maps"
	"net"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
)

// manifests reads a file strictly: each document as the object that it names.
func manifests(t *testing.T, file string) (objects []any) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[string]func() any{
		"v1/ServiceAccount": func() any { return new(v1.ServiceAccount) },
		"v1/Service":        func() any { return new(v1.Service) },
		"apps/v1/DaemonSet": func() any { return new(appsv1.DaemonSet) }, "apps/v1/Deployment": func() any { return new(appsv1.Deployment) },
		"rbac.authorization.k8s.io/v1/ClusterRole":                         func() any { return new(rbacv1.ClusterRole) },
		"rbac.authorization.k8s.io/v1/ClusterRoleBinding":                  func() any { return new(rbacv1.ClusterRoleBinding) },
		"networking.k8s.io/v1/NetworkPolicy":                               func() any { return new(networkingv1.NetworkPolicy) },
		"admissionregistration.k8s.io/v1/ValidatingAdmissionPolicy":        func() any { return new(admissionv1.ValidatingAdmissionPolicy) },
		"admissionregistration.k8s.io/v1/ValidatingAdmissionPolicyBinding": func() any { return new(admissionv1.ValidatingAdmissionPolicyBinding) },
		"kubescheduler.config.k8s.io/v1/KubeSchedulerConfiguration":        func() any { return new(schedulerConfig) },
	}
	for i, doc := range strings.Split(string(text), "\n---\n") {
		var meta metav1.TypeMeta
		if err := yaml.Unmarshal([]byte(doc), &meta); err != nil {
			t.Fatalf("%s, document %d: %v", file, i, err)
		}
		object, ok := kinds[meta.APIVersion+"/"+meta.Kind]
		if !ok {
			t.Fatalf("%s, document %d is a %s/%s: want a kind that this test reads", file, i, meta.APIVersion, meta.Kind)
		}
		o := object()
		if err := yaml.UnmarshalStrict([]byte(doc), o); err != nil {
			t.Fatalf("%s, document %d, %s: %v", file, i, meta.Kind, err)
		}
		objects = append(objects, o)
	}
	return objects
}

// schedulerConfig is what deploy/scheduler.yaml has of a KubeSchedulerConfiguration. The test
// on a real control plane lets kube-scheduler itself read the file.
type schedulerConfig struct {
	metav1.TypeMeta  `json:",inline"`
	ClientConnection struct {
		Kubeconfig string `json:"kubeconfig"`
	} `json:"clientConnection"`
	Profiles []struct {
		SchedulerName string `json:"schedulerName"`
		PluginConfig  []struct {
			Name string `json:"name"`
			Args struct {
				MinCandidateNodesPercentage, MinCandidateNodesAbsolute int
			} `json:"args"`
		} `json:"pluginConfig"`
	} `json:"profiles"`
	Extenders []struct {
		URLPrefix, PreemptVerb                   string
		NodeCacheCapable, Ignorable, EnableHTTPS bool
		HTTPTimeout                              metav1.Duration
		TLSConfig                                struct{ CAFile string }
	} `json:"extenders"`
}

// only returns the one object of a type.
func only[T any](t *testing.T, objects []any) (found *T) {
	t.Helper()
	for _, o := range objects {
		if x, ok := o.(*T); ok {
			if found != nil {
				t.Fatalf("two objects of %T: want one", found)
			}
			found = x
		}
	}
	if found == nil {
		t.Fatalf("no object of %T: want one", found)
	}
	return found
}

// checkPod holds what the pods of both manifests have in common, and returns the container.
// names are what the commands of the README call the image's objects: secrets and config
// maps.
func checkPod(t *testing.T, objects []any, pod *v1.PodTemplateSpec, selector *metav1.LabelSelector, names ...string) *v1.Container {
	t.Helper()
	account, binding, role := only[v1.ServiceAccount](t, objects), only[rbacv1.ClusterRoleBinding](t, objects), only[rbacv1.ClusterRole](t, objects)
	if pod.Spec.ServiceAccountName != account.Name || len(binding.Subjects) != 1 || binding.Subjects[0].Name != account.Name ||
		binding.Subjects[0].Namespace != account.Namespace || binding.RoleRef.Name != role.Name || binding.RoleRef.Kind != "ClusterRole" {
		t.Errorf("account %s, pod's %s, binding %+v of %+v: want one account with one role", account.Name, pod.Spec.ServiceAccountName, binding.Subjects,
			binding.RoleRef)
	}
	for key, value := range selector.MatchLabels {
		if pod.Labels[key] != value {
			t.Errorf("selector %v, labels %v", selector.MatchLabels, pod.Labels)
		}
	}
	if len(pod.Spec.Containers) != 1 {
		t.Fatalf("%d containers: want one", len(pod.Spec.Containers))
	}
	c := &pod.Spec.Containers[0]
	if c.Image != "IMAGE" { // which the commands of the documents replace
		t.Errorf("image %q: want IMAGE", c.Image)
	}
	var volumes []string
	for _, v := range pod.Spec.Volumes {
		if v.Secret != nil {
			volumes = append(volumes, v.Name+"=secret/"+v.Secret.SecretName)
		} else if v.ConfigMap != nil {
			volumes = append(volumes, v.Name+"=configmap/"+v.ConfigMap.Name)
		}
	}
	if !slices.Equal(volumes, names) {
		t.Errorf("volumes %v: want %v", volumes, names)
	}
	for _, m := range c.VolumeMounts {
		if !slices.ContainsFunc(pod.Spec.Volumes, func(v v1.Volume) bool { return v.Name == m.Name }) {
			t.Errorf("a mount of volume %s, which is not there", m.Name)
		}
	}
	if p := c.SecurityContext; p == nil || *p.AllowPrivilegeEscalation || !*p.ReadOnlyRootFilesystem ||
		!slices.Equal(p.Capabilities.Drop, []v1.Capability{"ALL"}) || !*pod.Spec.SecurityContext.RunAsNonRoot {
		t.Error("the container may more than it needs")
	}
	return c
}

// mounted checks that a file lies in a mounted volume.
func mounted(t *testing.T, c *v1.Container, files ...string) {
	t.Helper()
	for _, file := range files {
		if !slices.ContainsFunc(c.VolumeMounts, func(m v1.VolumeMount) bool { return strings.HasPrefix(file, m.MountPath+"/") }) {
			t.Errorf("%s lies in no mounted volume", file)
		}
	}
}

// port returns the port of an address.
func port(t *testing.T, address string) string {
	t.Helper()
	_, p, err := net.SplitHostPort(address)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// The manifests of the extender are objects, their arguments are flags of the program, and
// addresses, ports, paths and times agree with each other.
func TestExtenderManifests(t *testing.T) {
	objects := manifests(t, "deploy/extender.yaml")
	set := only[appsv1.DaemonSet](t, objects)
	c := checkPod(t, objects, &set.Spec.Template, set.Spec.Selector, "tls=secret/extender-tls")
	if c.Args[0] != "extender" {
		t.Fatalf("arguments %q: want the command extender first", c.Args)
	}
	var o extenderOptions
	f := cli.NewFlags("extender")
	o.define(f)
	if err := f.Parse(c.Args[1:]); err != nil {
		t.Fatalf("arguments %q: %v", c.Args, err)
	}
	if !o.DryRun {
		t.Error("the manifest does not begin with -dry-run, as README.md says")
	}
	mounted(t, c, o.cert, o.key)
	for path, probe := range map[string]*v1.Probe{"/readyz": c.ReadinessProbe, "/healthz": c.LivenessProbe} {
		if h := probe.HTTPGet; h.Path != path || h.Port.String() != port(t, o.listen) || h.Scheme != v1.URISchemeHTTPS {
			t.Errorf("the probe %+v does not ask %s of %s", h, path, o.listen)
		}
	}
	config := only[schedulerConfig](t, manifests(t, "deploy/scheduler.yaml"))
	if len(config.Extenders) != 1 || len(config.Profiles) != 1 || len(config.Profiles[0].PluginConfig) != 1 {
		t.Fatalf("%d extenders, profiles %+v: want one of each", len(config.Extenders), config.Profiles)
	}
	e := config.Extenders[0]
	if e.URLPrefix != "https://"+o.listen || e.PreemptVerb != "preempt" || !e.Ignorable || !e.EnableHTTPS || !e.NodeCacheCapable {
		t.Errorf("%+v: want https://%s, verb preempt, ignorable, uids", e, o.listen)
	}
	if got := e.HTTPTimeout.Duration; got != 200*time.Millisecond || o.Limit >= got || o.Refine >= o.Limit {
		t.Errorf("kube-scheduler waits %v, the extender -limit %v, -refine %v: want 200ms, and each of the others less", got, o.Limit, o.Refine)
	}
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	for name, d := range map[string]time.Duration{"refine": o.Refine, "limit": o.Limit} {
		if want := fmt.Sprintf("`-%s` (%d ms)", name, d.Milliseconds()); !strings.Contains(string(readme), want) {
			t.Errorf("README.md does not say %s", want)
		}
	}
	if p := config.Profiles[0].PluginConfig[0]; p.Name != "DefaultPreemption" || p.Args.MinCandidateNodesPercentage != 100 {
		t.Errorf("%+v: want all nodes as candidates", p)
	}
}

// The same of the oracle.
func TestOracleManifests(t *testing.T) {
	objects := manifests(t, "deploy/oracle.yaml")
	deployment := only[appsv1.Deployment](t, objects)
	c := checkPod(t, objects, &deployment.Spec.Template, deployment.Spec.Selector, "files=configmap/oracle", "tls=secret/oracle-tls")
	if c.Args[0] != "oracle" {
		t.Fatalf("arguments %q: want the command oracle first", c.Args)
	}
	o, err := oracleFlags(c.Args[1:])
	if err != nil {
		t.Fatalf("arguments %q: %v", c.Args, err)
	}
	mounted(t, c, o.kinds, o.held, o.cert, o.key)
	if *deployment.Spec.Replicas != 1 {
		t.Errorf("%d oracles: want one, or they take turns with the overlays", *deployment.Spec.Replicas)
	}
	if h := c.LivenessProbe.HTTPGet; h.Path != "/healthz" || h.Port.String() != port(t, o.health) {
		t.Errorf("the probe %+v does not ask %s", h, o.health)
	}
	service, policy := only[v1.Service](t, objects), only[networkingv1.NetworkPolicy](t, objects)
	if p := service.Spec.Ports; len(p) != 1 || p[0].TargetPort.StrVal != "" || (&net.TCPAddr{Port: int(p[0].Port)}).String() != o.expander {
		t.Errorf("ports %+v of the service: want %s", p, o.expander)
	}
	from := map[string]int{} // by port: how many may ask, 0 if all may
	for _, in := range policy.Spec.Ingress {
		for _, p := range in.Ports {
			from[p.Port.String()] = len(in.From)
		}
	}
	if want := map[string]int{port(t, o.health): 0, port(t, o.expander): 1}; !maps.Equal(from, want) {
		t.Errorf("the network policy lets ask %v, want %v", from, want)
	}
	for what, labels := range map[string]map[string]string{"service": service.Spec.Selector, "network policy": policy.Spec.PodSelector.MatchLabels} {
		if len(labels) == 0 || labels["app"] != deployment.Spec.Template.Labels["app"] {
			t.Errorf("the %s selects %v: want the oracle's pods", what, labels)
		}
	}
	admission, binding := only[admissionv1.ValidatingAdmissionPolicy](t, objects), only[admissionv1.ValidatingAdmissionPolicyBinding](t, objects)
	account := only[v1.ServiceAccount](t, objects)
	if binding.Spec.PolicyName != admission.Name || !slices.Equal(binding.Spec.ValidationActions, []admissionv1.ValidationAction{admissionv1.Deny}) {
		t.Errorf("%+v does not enforce %s", binding.Spec, admission.Name)
	}
	if user := "system:serviceaccount:" + account.Namespace + ":" + account.Name; !strings.Contains(admission.Spec.MatchConditions[0].Expression, `"`+user+`"`) {
		t.Errorf("%s: want the user %s", admission.Spec.MatchConditions[0].Expression, user)
	}
}

// What the documents say of the rights is what the roles allow.
func TestRightsTold(t *testing.T) {
	for manifest, doc := range map[string]string{"deploy/extender.yaml": "README.md", "deploy/oracle.yaml": "ORACLE.md"} {
		text, err := os.ReadFile(doc)
		if err != nil {
			t.Fatal(err)
		}
		for _, rule := range only[rbacv1.ClusterRole](t, manifests(t, manifest)).Rules {
			for _, resource := range rule.Resources {
				verbs := strings.Join(rule.Verbs, ", ")
				if group := rule.APIGroups[0]; strings.Contains(group, ".") {
					resource += "." + group
				}
				if !strings.Contains(string(text), "| "+resource+" | "+verbs+" |") && !strings.Contains(string(text), "| `"+resource+"`: "+verbs+" |") {
					t.Errorf("%s does not say of %s that the role allows: %s", doc, resource, verbs)
				}
			}
		}
	}
}
