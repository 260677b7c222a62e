//go:build unix

package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/examples/slurm/internal/journal"
	"github.com/plimsoll/plimsoll/examples/slurm/internal/manager"
	"github.com/plimsoll/plimsoll/examples/slurm/internal/partition"
	"github.com/plimsoll/plimsoll/examples/slurm/internal/provider"
	"github.com/plimsoll/plimsoll/examples/slurm/internal/slurmctl"
)

// elasticd manages a cluster until ctx ends.
func elasticd(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	o, err := parseElastic(args)
	if errors.Is(err, flag.ErrHelp) {
		_, err = io.WriteString(stdout, elasticUsage)
		return err
	}
	if err != nil {
		return err
	}
	if o.conf != "" { // Slurm's commands would look for another one, for a while
		f, err := os.Open(o.conf)
		if err != nil {
			return cli.Mistakef("elasticd: -conf: %w", err)
		}
		f.Close()
	}
	slurm, err := slurmctl.New(ctx, o.conf)
	if err != nil {
		return mistaken("elasticd", err)
	}
	if err := known(ctx, slurm, o.manager.Nodes); err != nil {
		return mistaken("elasticd", err)
	}
	p, err := o.newProvider(slurm)
	if err != nil {
		return mistaken("elasticd", err)
	}
	o.manager.Watch = func(e *manager.Entry, _ *manager.Status) {
		if e != nil {
			fmt.Fprintln(stderr, line(e))
		}
	}
	m, err := manager.Open(o.journal, slurm, p, o.manager)
	if err != nil {
		return mistaken("elasticd", err)
	}
	defer m.Close()
	if err := m.Run(ctx); err != nil {
		return err
	}
	bill, err := m.Bill()
	if err != nil {
		return err
	}
	fmt.Fprintf(stderr, "%d leases, %.0f hours charged, $%s on demand\n", bill.Leases, bill.Charged.Hours(), bill.Cost.Fixed(2))
	bought := m.Bought()
	if len(bought) == 0 {
		return nil
	}
	with, err := m.Invoice()
	if err != nil {
		return err
	}
	text := fmt.Sprintf("$%s with the reservations that were decided on, %s: $%s of it ahead, $%s for their unused terms",
		with.Total.Fixed(2), manager.Purchases(o.manager.Prices, bought), with.Upfront.Fixed(2), with.Residual.Fixed(2))
	if o.manager.Buyer == nil {
		text += "; elasticd has bought none of them"
	} else if open := m.Unbought(); len(open) > 0 {
		text += "; " + manager.Purchases(o.manager.Prices, open) + " not bought as yet"
	}
	_, err = fmt.Fprintln(stderr, text)
	return err
}

// mistaken marks errors that are the user's mistakes.
func mistaken(command string, err error) error {
	for _, theirs := range []error{slurmctl.ErrAbsent, slurmctl.ErrVersion, slurmctl.ErrUnknownNode, manager.ErrOptions, partition.ErrOptions,
		journal.ErrHeld, journal.ErrDamaged, slurmctl.ErrConf, os.ErrNotExist, os.ErrPermission, syscall.EISDIR} {
		if errors.Is(err, theirs) {
			return cli.Mistakef("%s: %w", command, err)
		}
	}
	return err
}

// known is an error unless Slurm knows all of the nodes.
func known(ctx context.Context, slurm *slurmctl.Client, names []string) error {
	nodes, err := slurm.Nodes(ctx)
	if err != nil {
		return err
	}
	have := map[string]bool{}
	for _, n := range nodes {
		have[n.Name] = true
	}
	var missing []string
	for _, n := range names {
		if !have[n] {
			missing = append(missing, n)
		}
	}
	if len(missing) > 0 {
		return fmt.Errorf("-nodes: %w: %s: want names of slurm.conf", slurmctl.ErrUnknownNode, strings.Join(missing, ", "))
	}
	return nil
}

// newProvider returns the provider that was asked for.
func (o *elasticOptions) newProvider(slurm *slurmctl.Client) (provider.Provider, error) {
	if o.provider == "exec" {
		return &o.exec, nil
	}
	st, err := os.Stat(o.instances)
	if err != nil {
		return nil, fmt.Errorf("-instances: %w", err)
	}
	if !st.IsDir() {
		return nil, cli.Mistakef("elasticd: -instances %s: want a folder", o.instances)
	}
	slurmd, err := slurmctl.Find("slurmd")
	if err != nil {
		return nil, err
	}
	dir, err := filepath.Abs(o.instances) // instances know it by its name
	if err != nil {
		return nil, err
	}
	return &provider.Local{
		Dir: dir, Boot: o.delay, Quota: o.quota,
		Command: func(node string) []string {
			args := []string{slurmd, "-D", "-N", node}
			if slurm.Conf != "" {
				args = append(args, "-f", slurm.Conf)
			}
			return args
		},
	}, nil
}
