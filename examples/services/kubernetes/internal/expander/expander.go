package expander

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"math/big"
	"net"
	"os"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/status"
	corev1 "k8s.io/api/core/v1"

	"github.com/plimsoll/plimsoll/examples/services/kubernetes/internal/overlay"
	"github.com/plimsoll/plimsoll/pricing"
)

// Prices knows what instances cost. [overlay.Controller] does.
type Prices interface {
	// Price returns what n instances of a type add to the bill of an hour, and why. It reports
	// false for a type without a price.
	Price(kind, system string, spot bool, n int) (extra pricing.Money, why string, ok bool)
	// Grant says that n instances, not spot, are being launched. An error says that so many
	// cannot be counted: then the answer is that error, and nothing is launched on it.
	Grant(kind, system string, n int) error
}

// A Server answers the cluster-autoscaler.
type Server struct {
	Prices  Prices
	Timeout time.Duration // of one answer; 0 is 5 seconds
	Log     *slog.Logger
}

// A choice is an option with its price.
type choice struct {
	option       *option
	kind, system string
	spot         bool
	extra        pricing.Money // of all nodes, an hour
	why          string
}

// MaxNodes is the most nodes of one option: as many as Kubernetes supports in a cluster.
const MaxNodes = 5000

// best returns the option with the least price, and all options if none has a price.
func (s *Server) best(ctx context.Context, r *request) (*response, error) {
	for i := range r.options {
		if o := &r.options[i]; o.count < 0 || o.count > MaxNodes {
			return nil, status.Errorf(codes.InvalidArgument, "node group %s grows by %d nodes: want 0 to %d", o.group, o.count, MaxNodes)
		}
	}
	var least choice
	priced, ties := 0, 0
	for i := range r.options {
		if err := ctx.Err(); err != nil {
			return nil, status.FromContextError(err).Err()
		}
		o := &r.options[i]
		kind, system, spot, why := kindOf(r.nodes[o.group])
		c := choice{option: o, kind: kind, system: system, spot: spot}
		if why == "" && o.count < 1 {
			why = fmt.Sprintf("%d nodes", o.count)
		}
		if why == "" {
			var ok bool
			if c.extra, c.why, ok = s.Prices.Price(kind, system, spot, o.count); !ok {
				why = fmt.Sprintf("no price of %s (%s) is known", kind, system)
				if spot {
					why = fmt.Sprintf("no spot price of %s is known", kind)
				}
			}
		}
		if why != "" {
			s.Log.Warn("an option has no price", "node_group", o.group, "why", why)
			continue
		}
		priced++
		d := -1
		if priced > 1 {
			d = compare(&c, &least)
		}
		switch {
		case d < 0:
			least, ties = c, 1
		case d == 0:
			ties++
			if c.option.group < least.option.group {
				least = c
			}
		}
		s.Log.Debug("an option", "node_group", o.group, "kind", kind, "nodes", o.count, "pods", o.pods, "adds_per_hour", c.extra.String())
	}
	answer := &response{}
	if priced == 0 {
		answer.options = r.options
		s.Log.Warn("no option has a price, so the answer has all of them", "options", len(r.options))
		return answer, nil
	}
	c := &least
	if !c.spot {
		if err := s.Prices.Grant(c.kind, c.system, c.option.count); err != nil {
			s.Log.Warn("no answer, so the cluster-autoscaler takes its next expander", "node_group", c.option.group, "why", err)
			return nil, status.Error(codes.ResourceExhausted, err.Error())
		}
	}
	answer.options = append(answer.options, *c.option)
	s.Log.Info("chosen", "node_group", c.option.group, "kind", c.kind, "nodes", c.option.count, "adds_per_hour", c.extra.String(),
		"of_options", len(r.options), "ties", ties, "why", c.why)
	return answer, nil
}

// compare compares prices for each pod, exactly; at equal prices the fewer nodes are less.
func compare(a, b *choice) int {
	per := func(c *choice) *big.Rat { return big.NewRat(int64(c.extra), int64(max(1, c.option.pods))) }
	if d := per(a).Cmp(per(b)); d != 0 {
		return d
	}
	return a.option.count - b.option.count
}

// kindOf reads the node of a group, or says why it has no type.
func kindOf(data []byte) (kind, system string, spot bool, why string) {
	var node corev1.Node
	if data == nil {
		return "", "", false, "the request has no node of the group"
	}
	if err := node.Unmarshal(data); err != nil {
		return "", "", false, "the node of the group cannot be read: " + err.Error()
	}
	if kind, system = overlay.KindOf(node.Labels); kind == "" {
		return "", "", false, "the node of the group has no label " + corev1.LabelInstanceTypeStable
	}
	return kind, system, overlay.Spot(node.Labels), ""
}

// Serve answers on l until ctx ends. Requests under way may finish within a second.
func (s *Server) Serve(ctx context.Context, l net.Listener, config *tls.Config) error {
	options := []grpc.ServerOption{
		grpc.ForceServerCodecV2(codec{}),
		grpc.MaxRecvMsgSize(64 << 20), // nodes and pods of the largest clusters
		grpc.MaxConcurrentStreams(16),
		grpc.ConnectionTimeout(5 * time.Second),
		grpc.KeepaliveParams(keepalive.ServerParameters{MaxConnectionIdle: 15 * time.Minute}),
	}
	if config != nil {
		options = append(options, grpc.Creds(credentials.NewTLS(config)))
	}
	server := grpc.NewServer(options...)
	server.RegisterService(&description, s)
	done := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(done)
		end := time.AfterFunc(time.Second, server.Stop)
		server.GracefulStop()
		end.Stop()
	})
	err := server.Serve(l)
	if !stop() { // ctx has ended
		<-done
		return nil
	}
	return err
}

// description is the service as the cluster-autoscaler calls it.
var description = grpc.ServiceDesc{
	ServiceName: "grpcplugin.Expander",
	HandlerType: (*any)(nil),
	Methods:     []grpc.MethodDesc{{MethodName: "BestOptions", Handler: bestOptions}},
}

func bestOptions(srv any, ctx context.Context, decode func(any) error, _ grpc.UnaryServerInterceptor) (any, error) {
	s := srv.(*Server)
	var r request
	if err := decode(&r); err != nil {
		return nil, status.Error(codes.InvalidArgument, err.Error())
	}
	timeout := s.Timeout
	if timeout == 0 {
		timeout = 5 * time.Second
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	return s.best(ctx, &r)
}

// TLS is the configuration of a server with a certificate. Clients need a certificate that
// an authority of clientCA signed, unless clientCA is empty. The certificate is read for
// each connection, so that it can be renewed.
func TLS(cert, key, clientCA string) (*tls.Config, error) {
	if _, err := tls.LoadX509KeyPair(cert, key); err != nil {
		return nil, fmt.Errorf("%s, %s: %w: want a certificate and its key, in PEM", cert, key, err)
	}
	config := &tls.Config{MinVersion: tls.VersionTLS13, GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) {
		c, err := tls.LoadX509KeyPair(cert, key)
		return &c, err
	}}
	if clientCA == "" {
		return config, nil
	}
	pem, err := os.ReadFile(clientCA)
	if err != nil {
		return nil, err
	}
	config.ClientCAs = x509.NewCertPool()
	if !config.ClientCAs.AppendCertsFromPEM(pem) {
		return nil, errors.New(clientCA + ": there is no certificate: want the authority of the clients, in PEM")
	}
	config.ClientAuth = tls.RequireAndVerifyClientCert
	return config, nil
}
