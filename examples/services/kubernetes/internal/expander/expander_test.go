package expander

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/dynamicpb"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/plimsoll/plimsoll/pricing"
)

// peer is the cluster-autoscaler's side: messages of the published definition, encoded by
// the protocol buffers of Google. Nodes and pods are bytes, which look the same on the wire.
var peer = func() protoreflect.FileDescriptor {
	field := func(name string, n int32, kind descriptorpb.FieldDescriptorProto_Type, repeated bool, of string) *descriptorpb.FieldDescriptorProto {
		label := descriptorpb.FieldDescriptorProto_LABEL_OPTIONAL
		if repeated {
			label = descriptorpb.FieldDescriptorProto_LABEL_REPEATED
		}
		f := &descriptorpb.FieldDescriptorProto{Name: &name, Number: &n, Type: &kind, Label: &label}
		if of != "" {
			f.TypeName = proto.String(of)
		}
		return f
	}
	const (
		text   = descriptorpb.FieldDescriptorProto_TYPE_STRING
		raw    = descriptorpb.FieldDescriptorProto_TYPE_BYTES
		number = descriptorpb.FieldDescriptorProto_TYPE_INT32
		inner  = descriptorpb.FieldDescriptorProto_TYPE_MESSAGE
	)
	entry := func(name string) *descriptorpb.DescriptorProto {
		return &descriptorpb.DescriptorProto{Name: &name, Options: &descriptorpb.MessageOptions{MapEntry: proto.Bool(true)},
			Field: []*descriptorpb.FieldDescriptorProto{field("key", 1, text, false, ""), field("value", 2, raw, false, "")}}
	}
	file, err := protodesc.NewFile(&descriptorpb.FileDescriptorProto{
		Name: proto.String("expander.proto"), Package: proto.String("grpcplugin"), Syntax: proto.String("proto3"),
		MessageType: []*descriptorpb.DescriptorProto{
			{Name: proto.String("Option"), Field: []*descriptorpb.FieldDescriptorProto{
				field("nodeGroupId", 1, text, false, ""), field("nodeCount", 2, number, false, ""), field("debug", 3, text, false, ""),
				field("pod", 4, raw, true, ""), field("podBytes", 5, raw, true, "")}},
			{Name: proto.String("BestOptionsRequest"), NestedType: []*descriptorpb.DescriptorProto{entry("NodeMapEntry"), entry("NodeBytesMapEntry")},
				Field: []*descriptorpb.FieldDescriptorProto{
					field("options", 1, inner, true, ".grpcplugin.Option"),
					field("nodeMap", 2, inner, true, ".grpcplugin.BestOptionsRequest.NodeMapEntry"),
					field("nodeBytesMap", 3, inner, true, ".grpcplugin.BestOptionsRequest.NodeBytesMapEntry")}},
			{Name: proto.String("BestOptionsResponse"), Field: []*descriptorpb.FieldDescriptorProto{field("options", 1, inner, true, ".grpcplugin.Option")}},
		}}, nil)
	if err != nil {
		panic(err)
	}
	return file
}()

// A group is an option of a question, for the tests.
type group struct {
	id     string
	nodes  int32
	pods   int
	labels map[string]string // nil: no node
}

// question builds a request; older is the form before 1.35.
func question(t *testing.T, older bool, groups []group) *dynamicpb.Message {
	t.Helper()
	m := dynamicpb.NewMessage(peer.Messages().ByName("BestOptionsRequest"))
	fields := m.Descriptor().Fields()
	options := m.Mutable(fields.ByName("options")).List()
	nodes := m.Mutable(fields.ByName("nodeBytesMap")).Map()
	pods := protoreflect.Name("podBytes")
	if older {
		nodes, pods = m.Mutable(fields.ByName("nodeMap")).Map(), "pod"
	}
	for _, g := range groups {
		o := options.NewElement().Message()
		of := o.Descriptor().Fields()
		o.Set(of.ByName("nodeGroupId"), protoreflect.ValueOfString(g.id))
		o.Set(of.ByName("nodeCount"), protoreflect.ValueOfInt32(g.nodes))
		o.Set(of.ByName("debug"), protoreflect.ValueOfString("debug "+g.id))
		for i := range g.pods {
			data, err := (&corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprint("pod", i)}}).Marshal()
			if err != nil {
				t.Fatal(err)
			}
			o.Mutable(of.ByName(pods)).List().Append(protoreflect.ValueOfBytes(data))
		}
		options.Append(protoreflect.ValueOfMessage(o))
		if g.labels != nil {
			data, err := (&corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "template-" + g.id, Labels: g.labels}}).Marshal()
			if err != nil {
				t.Fatal(err)
			}
			nodes.Set(protoreflect.ValueOfString(g.id).MapKey(), protoreflect.ValueOfBytes(data))
		}
	}
	return m
}

// answers are the ids of a response, each with its number of pods, nodes and debug text as
// they were asked.
func answers(m *dynamicpb.Message) (ids []string) {
	list := m.Get(m.Descriptor().Fields().ByName("options")).List()
	for i := range list.Len() {
		ids = append(ids, list.Get(i).Message().Get(peer.Messages().ByName("Option").Fields().ByName("nodeGroupId")).String())
	}
	return ids
}

// table has prices for the tests: free instances of a kind, and then the list price.
type table struct {
	sync.Mutex
	free    map[string]int
	list    map[string]pricing.Money
	granted []string
	full    error // what Grant says
}

func (p *table) Price(kind, system string, spot bool, n int) (pricing.Money, string, bool) {
	list, ok := p.list[kind]
	if spot {
		list, ok = p.list["spot "+kind]
	}
	return list * pricing.Money(max(0, n-p.free[kind])), "as the table says", ok
}

func (p *table) Grant(kind, system string, n int) error {
	p.Lock()
	defer p.Unlock()
	if p.full != nil {
		return p.full
	}
	p.granted = append(p.granted, fmt.Sprintf("%d %s", n, kind))
	p.free[kind] = max(0, p.free[kind]-n)
	return nil
}

func typed(kind string) map[string]string {
	return map[string]string{corev1.LabelInstanceTypeStable: kind}
}

func spot(kind string) map[string]string {
	m := typed(kind)
	m["karpenter.sh/capacity-type"] = "spot"
	return m
}

// certificate writes an authority, a server's certificate and a client's.
func certificates(t *testing.T) (dir string, roots *x509.CertPool, client tls.Certificate) {
	t.Helper()
	dir = t.TempDir()
	write := func(name, kind string, der []byte) []byte {
		text := pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der})
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
		return text
	}
	make := func(name string, n int64, parent *x509.Certificate, key *ecdsa.PrivateKey) (*x509.Certificate, *ecdsa.PrivateKey, tls.Certificate) {
		own, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		c := &x509.Certificate{SerialNumber: big.NewInt(n), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
			IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth}}
		if parent == nil {
			parent, key = c, own
			c.IsCA, c.BasicConstraintsValid, c.KeyUsage = true, true, x509.KeyUsageCertSign
		}
		der, err := x509.CreateCertificate(rand.Reader, c, parent, &own.PublicKey, key)
		if err != nil {
			t.Fatal(err)
		}
		keyDER, err := x509.MarshalECPrivateKey(own)
		if err != nil {
			t.Fatal(err)
		}
		pair, err := tls.X509KeyPair(write(name+".crt", "CERTIFICATE", der), write(name+".key", "EC PRIVATE KEY", keyDER))
		if err != nil {
			t.Fatal(err)
		}
		parsed, _ := x509.ParseCertificate(der)
		return parsed, own, pair
	}
	ca, key, _ := make("ca", 1, nil, nil)
	make("server", 2, ca, key)
	_, _, client = make("client", 3, ca, key)
	roots = x509.NewCertPool()
	roots.AddCert(ca)
	return dir, roots, client
}

// The server answers a client that speaks the published definition over TLS.
func TestBestOptions(t *testing.T) {
	dir, roots, own := certificates(t)
	config, err := TLS(filepath.Join(dir, "server.crt"), filepath.Join(dir, "server.key"), filepath.Join(dir, "ca.crt"))
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	prices := &table{free: map[string]int{"committed": 2}, list: map[string]pricing.Money{
		"committed": 200 * pricing.Milli, "cheap": 100 * pricing.Milli, "twin": 100 * pricing.Milli, "spot cheap": 30 * pricing.Milli}}
	var log bytes.Buffer
	s := &Server{Prices: prices, Log: slog.New(slog.NewTextHandler(&log, nil))}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx, l, config) }()
	dial := func(c *tls.Config) *grpc.ClientConn {
		conn, err := grpc.NewClient(l.Addr().String(), grpc.WithTransportCredentials(credentials.NewTLS(c)))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { conn.Close() })
		return conn
	}
	ask := func(conn *grpc.ClientConn, q *dynamicpb.Message) ([]string, error) {
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
		defer cancel()
		answer := dynamicpb.NewMessage(peer.Messages().ByName("BestOptionsResponse"))
		err := conn.Invoke(ctx, "/grpcplugin.Expander/BestOptions", q, answer)
		return answers(answer), err
	}
	conn := dial(&tls.Config{RootCAs: roots, Certificates: []tls.Certificate{own}})
	for _, c := range []struct {
		name    string
		groups  []group
		want    []string
		granted string
	}{
		{"the committed kind is free", []group{{"a", 1, 3, typed("cheap")}, {"b", 2, 3, typed("committed")}}, []string{"b"}, "2 committed"},
		// 1 of 3 is not free: $0.20 against $0.30 of three cheap nodes.
		{"partly free", []group{{"a", 3, 3, typed("cheap")}, {"b", 3, 3, typed("committed")}}, []string{"b"}, "3 committed"},
		// 4 of 6 are not: $0.80 against $0.60.
		{"mostly not free", []group{{"a", 6, 3, typed("cheap")}, {"b", 6, 3, typed("committed")}}, []string{"a"}, "6 cheap"},
		{"for each pod", []group{{"a", 1, 1, typed("cheap")}, {"b", 3, 10, typed("cheap")}}, []string{"b"}, "3 cheap"},
		{"of ties the first name", []group{{"b", 1, 1, typed("twin")}, {"a", 1, 1, typed("cheap")}}, []string{"a"}, "1 cheap"},
		{"a group in each zone", []group{{"zone-c", 2, 2, typed("committed")}, {"zone-a", 2, 2, typed("committed")}, {"zone-b", 2, 2, typed("committed")}},
			[]string{"zone-a"}, "2 committed"},
		{"fewer nodes at one price", []group{{"a", 2, 1, typed("committed")}, {"b", 1, 1, typed("committed")}}, []string{"b"}, "1 committed"},
		{"unknown kinds lose", []group{{"a", 1, 1, typed("strange")}, {"b", 9, 1, typed("cheap")}, {"c", 1, 1, nil}, {"d", 1, 1, map[string]string{}},
			{"e", 0, 1, typed("cheap")}}, []string{"b"}, "9 cheap"},
		{"nothing is known", []group{{"a", 1, 1, typed("strange")}, {"b", 1, 1, nil}}, []string{"a", "b"}, ""},
		{"spot", []group{{"a", 3, 1, typed("cheap")}, {"b", 3, 1, spot("cheap")}, {"c", 3, 1, spot("twin")}}, []string{"b"}, ""},
		{"no options", nil, nil, ""},
	} {
		for _, older := range []bool{false, true} {
			prices.granted, prices.free = nil, map[string]int{"committed": 2}
			got, err := ask(conn, question(t, older, c.groups))
			if err != nil {
				t.Fatalf("%s: %v", c.name, err)
			}
			if d := cmp.Diff(c.want, got); d != "" {
				t.Errorf("%s, older %v: %s", c.name, older, d)
			}
			if got := strings.Join(prices.granted, ", "); got != c.granted {
				t.Errorf("%s: granted %q, want %q", c.name, got, c.granted)
			}
		}
	}
	// Who has no certificate of the authority is refused, and so is plain text.
	if _, err := ask(dial(&tls.Config{RootCAs: roots}), question(t, false, nil)); err == nil {
		t.Error("a client without a certificate has an answer")
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// Groups of one kind in three zones get what is free once, and counts that no cluster has are refused.
func TestGrantsHaveBounds(t *testing.T) {
	ask := func(p *table, n int, kinds ...string) (string, error) {
		r := &request{nodes: map[string][]byte{}}
		for i, kind := range kinds {
			data, err := (&corev1.Node{ObjectMeta: metav1.ObjectMeta{Labels: typed(kind)}}).Marshal()
			if err != nil {
				t.Fatal(err)
			}
			o := option{group: fmt.Sprint("g", i), count: n, pods: 1}
			r.options, r.nodes[o.group] = append(r.options, o), data
		}
		answer, err := (&Server{Prices: p, Log: slog.New(slog.DiscardHandler)}).best(context.Background(), r)
		if err != nil {
			return "", err
		}
		if len(answer.options) != 1 {
			t.Fatalf("%d options: want 1", len(answer.options))
		}
		return answer.options[0].group, nil
	}
	fresh := func() *table {
		return &table{free: map[string]int{"committed": 2}, list: map[string]pricing.Money{"committed": 200 * pricing.Milli, "cheap": 100 * pricing.Milli}}
	}
	p := fresh()
	for i, want := range []string{"g0", "g3", "g3"} { // what is committed is given away once
		if got, err := ask(p, 2, "committed", "committed", "committed", "cheap"); err != nil || got != want {
			t.Errorf("question %d: %s, %v: want %s", i, got, err, want)
		}
	}
	for _, n := range []int{-1, math.MinInt32, MaxNodes + 1, math.MaxInt32} {
		p := fresh()
		if _, err := ask(p, n, "cheap"); status.Code(err) != codes.InvalidArgument || len(p.granted) > 0 {
			t.Errorf("%d nodes: %v, granted %v: want a refusal", n, err, p.granted)
		}
	}
	p = fresh()
	p.full = errors.New("5000 are being launched")
	if _, err := ask(p, 1, "cheap"); status.Code(err) != codes.ResourceExhausted || !strings.Contains(err.Error(), "5000 are") {
		t.Errorf("a grant that is refused: %v: want the reason", err)
	}
}

// The answer has the options as they were asked, with all their fields.
func TestAnswerIsWhatWasAsked(t *testing.T) {
	q := question(t, false, []group{{"a", 2, 3, typed("x")}})
	data, err := proto.Marshal(q)
	if err != nil {
		t.Fatal(err)
	}
	var r request
	if err := r.unmarshal(data); err != nil {
		t.Fatal(err)
	}
	out, err := codec{}.Marshal(&response{options: r.options})
	if err != nil {
		t.Fatal(err)
	}
	answer := dynamicpb.NewMessage(peer.Messages().ByName("BestOptionsResponse"))
	if err := proto.Unmarshal(out.Materialize(), answer); err != nil {
		t.Fatal(err)
	}
	asked := q.Get(q.Descriptor().Fields().ByName("options")).List().Get(0).Message().Interface()
	got := answer.Get(answer.Descriptor().Fields().ByName("options")).List().Get(0).Message().Interface()
	if !proto.Equal(asked, got) {
		t.Errorf("got %v, want %v", got, asked)
	}
}

// An answer that takes too long ends, and the cluster-autoscaler goes on by itself.
func TestTooLate(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	s := &Server{Prices: &table{}, Log: slog.New(slog.DiscardHandler)}
	if _, err := s.best(ctx, &request{options: []option{{group: "a"}}}); err == nil {
		t.Error("an answer after the end of its time")
	}
}

// No bytes make the decoder panic, and what it reads has bounds.
func FuzzUnmarshal(f *testing.F) {
	f.Add([]byte{})
	f.Add(protowire.AppendTag(nil, 1, protowire.BytesType))
	f.Add([]byte{0x0a, 0x03, 0x0a, 0x01, 'a', 0x12, 0x02, 0x0a, 0x00, 0x1a, 0x00, 0x0d, 1, 2, 3, 4})
	f.Fuzz(func(t *testing.T, data []byte) {
		var r request
		if r.unmarshal(data) != nil {
			return
		}
		for i := range r.options {
			if o := &r.options[i]; o.pods > len(data) || len(o.raw) > len(data) {
				t.Fatal("more than there was")
			}
		}
		for _, node := range r.nodes {
			kindOf(node)
		}
		answer := dynamicpb.NewMessage(peer.Messages().ByName("BestOptionsRequest"))
		if proto.Unmarshal(data, answer) == nil && len(answers(answer)) != len(r.options) {
			t.Fatalf("%d options, want %d", len(r.options), len(answers(answer)))
		}
	})
}

func TestTLSFiles(t *testing.T) {
	dir, _, _ := certificates(t)
	file := func(name string) string { return filepath.Join(dir, name) }
	if err := os.WriteFile(file("empty"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range [][3]string{{"absent", "server.key", ""}, {"server.crt", "client.key", ""}, {"server.crt", "server.key", "empty"},
		{"server.crt", "server.key", "absent"}} {
		ca := ""
		if c[2] != "" {
			ca = file(c[2])
		}
		if _, err := TLS(file(c[0]), file(c[1]), ca); err == nil ||
			!slices.ContainsFunc(c[:], func(s string) bool { return s != "" && strings.Contains(err.Error(), s) }) {
			t.Errorf("%v: %v, want an error that names the file", c, err)
		}
	}
}
