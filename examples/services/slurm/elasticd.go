//go:build unix

package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/examples/internal/decimal"
	"github.com/plimsoll/plimsoll/examples/internal/fsck"
	"github.com/plimsoll/plimsoll/examples/internal/provider"
	"github.com/plimsoll/plimsoll/examples/services/slurm/internal/manager"
	"github.com/plimsoll/plimsoll/examples/services/slurm/internal/slurmctl"
)

// elasticd manages a cluster until ctx ends.
func elasticd(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	if fsck.Asked(args) {
		return fsck.Run("slurm elasticd", "journal", manager.Check, args, stdout)
	}
	o, err := parseElastic(args)
	if err != nil {
		return err
	}
	m, err := o.open(ctx, stderr)
	if err != nil {
		return mistaken(err)
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
	if o.manager.Policy != nil {
		return reportClouds(stderr, m)
	}
	users, err := m.Users()
	if err != nil {
		return err
	}
	if n := len(users.Accounts); n > 0 {
		fmt.Fprintf(stderr, "%s; %d less than alone; \"invoice -journal %s\" says what each pays\n", decimal.Count(n, "user"), users.Less(), o.journal)
	}
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

// reportClouds says what each cloud cost, and what is left of the budget.
func reportClouds(w io.Writer, m *manager.Manager) error {
	bills, err := m.CloudBills()
	if err != nil {
		return err
	}
	for _, b := range bills {
		fmt.Fprintf(w, "%s: %d leases, %.0f hours charged, $%s\n", b.Cloud, b.Leases, b.Charged.Hours(), b.Cost.Fixed(2))
	}
	left, err := m.Credits()
	if err != nil {
		return err
	}
	if d := m.Delays(); d.Boot.N > 0 && d.Release.N > 0 {
		fmt.Fprintf(w, "boots took %v (%d), releases %v (%d), and %s charged again meanwhile; for examples/tools/elastic: boot %v and release %v in the file of clouds, -lead as here\n",
			d.Boot, d.Boot.N, d.Release, d.Release.N, decimal.Count(d.Late, "instance"), d.Boot, d.Release)
	}
	_, err = fmt.Fprintf(w, "$%s of credits left\n", left.Fixed(2))
	return err
}

// open checks Slurm and the provider, and opens the journal.
func (o *elasticOptions) open(ctx context.Context, stderr io.Writer) (*manager.Manager, error) {
	slurm, err := connect(ctx, o.conf, o.manager.Nodes)
	if err != nil {
		return nil, err
	}
	p, err := o.newProvider(slurm)
	if err != nil {
		return nil, err
	}
	o.manager.Watch = func(e *manager.Entry, _ *manager.Status) {
		if e != nil && e.Kind != manager.Ran { // invoice tells of jobs
			fmt.Fprintln(stderr, line(e))
		}
	}
	return manager.Open(o.journal, slurm, p, o.manager)
}

// connect returns a client of a Slurm that knows the nodes.
func connect(ctx context.Context, conf string, names []string) (*slurmctl.Client, error) {
	if conf != "" { // Slurm's commands would look for another one, for a while
		f, err := os.Open(conf)
		if err != nil {
			return nil, cli.Mistakef("-conf: %w", err)
		}
		f.Close()
	}
	slurm, err := slurmctl.New(ctx, conf)
	if err != nil {
		return nil, err
	}
	nodes, err := slurm.Nodes(ctx)
	if err != nil {
		return nil, err
	}
	missing := slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		return slices.ContainsFunc(nodes, func(n slurmctl.Node) bool { return n.Name == name })
	})
	if len(missing) > 0 {
		return nil, fmt.Errorf("-nodes: %w: %s: want names of slurm.conf", slurmctl.ErrUnknownNode, strings.Join(missing, ", "))
	}
	return slurm, nil
}

// newProvider returns the provider that was asked for.
func (o *elasticOptions) newProvider(slurm *slurmctl.Client) (provider.Provider, error) {
	if o.manager.Policy != nil {
		return o.connectClouds(slurm)
	}
	if o.provider == "exec" {
		return &o.exec, nil
	}
	return localProvider(slurm, o.instances, o.delay, o.quota)
}
