//go:build unix

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/examples/services/kubernetes/internal/control"
)

const planeUsage = `Usage: go run . plane [flags]

Starts a real control plane on loopback: etcd, kube-apiserver, kube-scheduler, and kwok,
which plays the kubelets. Nodes and pods exist as objects only. Prints the kubeconfig to
use, and runs until it is interrupted. Then all ends, and no file stays behind.

  -servers FOLDER   where kube-apiserver, kube-scheduler and kwok are; the PATH is
                    searched, too; README.md says how to get them
  -extender         let the scheduler ask an extender, which runs as well and logs its
                    answers
  -extenders FILE   the scheduler's extenders, as in KubeSchedulerConfiguration, in YAML
`

func init() {
	commands["plane"] = command{
		about: "starts a real control plane on loopback until it is interrupted",
		usage: planeUsage,
		run: func(ctx context.Context, args []string, stdout, stderr io.Writer) (err error) {
			var servers, file string
			var with bool
			f := cli.NewFlags("plane")
			f.Name("servers", &servers, "a folder")
			f.Switch("extender", &with)
			f.File("extenders", &file)
			if err := f.Parse(args); err != nil {
				return err
			}
			if with && file != "" {
				return cli.Mistakef("-extender and -extenders: want one of them")
			}
			config := ""
			if file != "" {
				text, err := os.ReadFile(file)
				if err != nil {
					return cli.Mistakef("-extenders: %w", err)
				}
				config = string(text)
			}
			plane, err := control.Start(ctx, control.Options{Folder: servers})
			if errors.Is(err, control.ErrAbsent) {
				fmt.Fprintf(stdout, "skipped: %v\n", err)
				return nil
			}
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, plane.Stop()) }()
			if with {
				e, err := startExtender(ctx, plane, stderr, shippedTimeout)
				if err != nil {
					return err
				}
				defer func() { e.end(); <-e.stopped }()
				config = e.config
			}
			if err := plane.Schedule(config); err != nil {
				return err
			}
			fmt.Fprintf(stdout, "export KUBECONFIG=%s\n", plane.Kubeconfig)
			<-ctx.Done()
			return nil
		},
	}
}
