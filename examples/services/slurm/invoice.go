//go:build unix

package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/examples/internal/decimal"
	"github.com/plimsoll/plimsoll/examples/internal/table"
	"github.com/plimsoll/plimsoll/examples/internal/userbill"
	"github.com/plimsoll/plimsoll/examples/services/slurm/internal/manager"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/schedule/sim/bills"
)

// invoiceUsage is what invoice -h prints.
const invoiceUsage = `Usage: slurm invoice -journal FILE [flags]

invoice says what the instances of a journal cost until now, and what each user of
the jobs that have ended pays of it. elasticd may be running; invoice changes nothing.

  -journal FILE     the journal of elasticd
  -classes FILE     prices, those of elasticd (default: cc2.8xlarge in 2013)
  -boot D           how long a boot takes for a user alone (default 5m)
  -json             write an object for each user, instead of text
  -csv              write a line for each user, as examples/tools/sec -users does
  -h                print this

Users are charged by use: nodes times run time. Alone is what the jobs would cost on
instances of their own, on demand. What reservations save is divided by use, and by
the Shapley value. README.md says which jobs are not charged, and what a journal of
-policy has.

Fields of -json: user, jobs, instance_hours, pays, alone, saved_by_use,
saved_by_shapley, standard_error (of saved_by_shapley), pays_by_shapley. Dollars
are texts.
`

// invoiceOptions are the flags of invoice.
type invoiceOptions struct {
	journal, classes string
	boot             time.Duration
	json, csv        bool
}

func (o *invoiceOptions) define(flags *flag.FlagSet) {
	flags.StringVar(&o.journal, "journal", "", "")
	flags.StringVar(&o.classes, "classes", "", "")
	flags.DurationVar(&o.boot, "boot", 5*time.Minute, "")
	flags.BoolVar(&o.json, "json", false, "")
	flags.BoolVar(&o.csv, "csv", false, "")
}

// invoice divides the invoice of a journal.
func invoice(_ context.Context, args []string, stdout, _ io.Writer) error {
	var o invoiceOptions
	if err := parse(o.define, args); err != nil {
		return err
	}
	switch {
	case o.journal == "":
		return cli.Mistakef("no -journal: want a file")
	case o.boot < 0:
		return cli.Mistakef("-boot %v: want a time of at least 0", o.boot)
	case o.json && o.csv:
		return cli.Mistakef("-json and -csv: want one of them")
	}
	list, err := prices(o.classes, pricing.CC28XLarge2013())
	if err != nil {
		return err
	}
	m, err := manager.Read(o.journal, manager.Options{Meter: pricing.EC2Hourly, Prices: list, Boot: o.boot})
	if err != nil {
		return mistaken(err)
	}
	if clouds, err := m.CloudBills(); err != nil {
		return err
	} else if len(clouds) > 0 {
		if o.json || o.csv {
			return cli.Mistakef("-json and -csv: the journal is of -policy, whose bill is not divided among users, since it does not say on which cloud's nodes a job ran: want neither")
		}
		if err := reportClouds(stdout, m); err != nil {
			return err
		}
		_, err := fmt.Fprintln(stdout, "not divided among users: the journal does not say on which cloud's nodes a job ran, and clouds differ in price")
		return err
	}
	if k := m.Classes(); k > len(list.Classes) {
		return cli.Mistakef("-classes: %s, and the journal has purchases of class %d: want the prices of elasticd", decimal.Count(len(list.Classes), "class"), k)
	}
	s, err := m.Users()
	if err != nil {
		return err
	}
	switch {
	case o.csv:
		return userbill.Write(stdout, &s)
	case o.json:
		return userbill.WriteJSON(stdout, &s)
	}
	return writeInvoice(stdout, m, &s, list)
}

// writeInvoice writes the invoice for people.
func writeInvoice(w io.Writer, m *manager.Manager, s *bills.Statement, list pricing.List) error {
	plain, err := m.Bill()
	if err != nil {
		return err
	}
	bill, err := m.Invoice()
	if err != nil {
		return err
	}
	var p table.Page
	p.Sayf("%s, %s hours charged, $%s on demand.", decimal.Count(plain.Leases, "lease"), decimal.Grouped(decimal.Fixed(plain.Charged.Hours(), 0)),
		decimal.Grouped(plain.Cost.Fixed(2)))
	if bought := m.Bought(); len(bought) > 0 {
		p.Sayf("$%s with the reservations that were decided on, %s; $%s less what is left of their terms, which is what users pay.",
			decimal.Grouped(bill.Total.Fixed(2)), manager.Purchases(list, bought), decimal.Grouped(bill.Pure.Fixed(2)))
	}
	if len(s.Accounts) == 0 {
		p.Sayf("No job has ended yet: the bill is nobody's.")
		_, err := p.WriteTo(w)
		return err
	}
	rows := make([][]string, 0, len(s.Accounts))
	for i := range s.Accounts {
		a := &s.Accounts[i]
		rows = append(rows, []string{a.Name(), decimal.Int(a.Jobs), decimal.Grouped(decimal.Fixed(a.Hours, 2)), decimal.Grouped(a.Pays.Fixed(2)),
			decimal.Grouped(a.Alone.Fixed(2)),
			decimal.Grouped(a.SavedByUse.Fixed(2)), decimal.Grouped(a.SavedByShapley.Fixed(2))})
	}
	p.Printf("\n")
	p.Table("<user|jobs|instance-\nhours|pays, $|alone, $|saved\nby use, $|saved by\nShapley, $", rows)
	p.Printf("\n")
	userbill.Say(&p, "the cluster", s)
	_, err = p.WriteTo(w)
	return err
}
