package main

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
)

const certsUsage = `Usage: go run . certs [flags]

Makes a certificate for the extender, and the authority that vouches for it: ca.crt for
kube-scheduler, tls.crt and tls.key for the extender. The authority's own key is thrown
away, so nobody can sign with it again.

  -hosts LIST   names and addresses that kube-scheduler calls (default
                localhost,127.0.0.1)
  -years N      how long it is valid (default 5)
  -out FOLDER   where to write the three files; older ones stay (default .)
`

// runCerts is the command.
func runCerts(_ context.Context, args []string, stdout, _ io.Writer) error {
	hosts, out, years := "localhost,127.0.0.1", ".", 5
	f := cli.NewFlags("certs")
	f.Name("hosts", &hosts, "names and addresses, with commas")
	f.Int("years", &years, 1, 30, "")
	f.Name("out", &out, "a folder")
	if err := f.Parse(args); err != nil {
		return err
	}
	if err := makeCerts(out, strings.Split(hosts, ","), time.Now(), years); err != nil {
		return err
	}
	_, err := fmt.Fprintf(stdout, "wrote ca.crt, tls.crt and tls.key in %s, for %s\n", out, hosts)
	return err
}

// makeCerts writes ca.crt, tls.crt and tls.key, and replaces no file.
func makeCerts(dir string, hosts []string, now time.Time, years int) error {
	for _, name := range []string{"ca.crt", "tls.crt", "tls.key"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
			return cli.Mistakef("-out: %s is there already: want a folder without it", filepath.Join(dir, name))
		}
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return cli.Mistakef("-out: %w", err)
	}
	authority, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	ca := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "plimsoll extender authority"},
		NotBefore: now.Add(-time.Hour), NotAfter: now.AddDate(years, 0, 0), IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageCertSign}
	leaf := &x509.Certificate{SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: "plimsoll extender"},
		NotBefore: ca.NotBefore, NotAfter: ca.NotAfter, KeyUsage: x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}}
	for _, h := range hosts {
		if h = strings.TrimSpace(h); h == "" {
			return cli.Mistakef("-hosts: a name is empty")
		} else if ip := net.ParseIP(h); ip != nil {
			leaf.IPAddresses = append(leaf.IPAddresses, ip)
		} else {
			leaf.DNSNames = append(leaf.DNSNames, h)
		}
	}
	caDER, err := x509.CreateCertificate(rand.Reader, ca, ca, &authority.PublicKey, authority)
	if err != nil {
		return err
	}
	leafDER, err := x509.CreateCertificate(rand.Reader, leaf, ca, &key.PublicKey, authority)
	if err != nil {
		return err
	}
	keyDER, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return err
	}
	for _, file := range []struct {
		name, kind string
		der        []byte
		mode       os.FileMode
	}{
		{"ca.crt", "CERTIFICATE", caDER, 0o644},
		{"tls.crt", "CERTIFICATE", leafDER, 0o644},
		{"tls.key", "PRIVATE KEY", keyDER, 0o600},
	} {
		text := pem.EncodeToMemory(&pem.Block{Type: file.kind, Bytes: file.der})
		if err := os.WriteFile(filepath.Join(dir, file.name), text, file.mode); err != nil {
			return err
		}
	}
	return nil
}
