//go:build unix

package main

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/infile"
	"github.com/plimsoll/plimsoll/examples/internal/provider"
	"github.com/plimsoll/plimsoll/examples/services/slurm/internal/manager"
	"github.com/plimsoll/plimsoll/examples/services/slurm/internal/slurmctl"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/schedule/elastic"
)

// A cloudRow is a line of a file of clouds.
type cloudRow struct {
	name, nodes, kind, instances string
	price                        pricing.Money
	boot, delay                  time.Duration
	quota                        int
	exec                         provider.Exec
}

// cloudColumns are the columns of a file of clouds.
var cloudColumns = []string{"name", "nodes", "price", "boot", "provider", "create", "delete", "list", "instances", "delay", "quota"}

// readClouds reads clouds, a line each. The error says which line and column is wrong.
func readClouds(r io.Reader) (rows []cloudRow, err error) {
	in := csv.NewReader(r)
	in.Comment, in.TrimLeadingSpace = '#', true
	titles, err := in.Read()
	if err != nil && err != io.EOF {
		return nil, err
	}
	for i, t := range titles {
		titles[i] = strings.TrimSpace(strings.TrimPrefix(t, "\ufeff"))
		if !slices.Contains(cloudColumns, titles[i]) || slices.Contains(titles[:i], titles[i]) {
			return nil, fmt.Errorf("line 1: the column %q: want some of %s, each once", titles[i], strings.Join(cloudColumns, ", "))
		}
	}
	for _, needed := range []string{"name", "nodes", "provider"} {
		if !slices.Contains(titles, needed) {
			return nil, fmt.Errorf("line 1: no column %s: want a line of titles, some of %s", needed, strings.Join(cloudColumns, ", "))
		}
	}
	taken := map[string]string{} // the cloud of a node
	for {
		row, err := in.Read()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		c := cloudRow{boot: 5 * time.Minute}
		line, _ := in.FieldPos(0)
		for i, text := range row {
			if err := c.set(titles[i], strings.TrimSpace(text)); err != nil {
				return nil, fmt.Errorf("line %d (%s): %q: %w", line, titles[i], text, err)
			}
		}
		commands := c.exec.CreateCommand != "" && c.exec.DeleteCommand != "" && c.exec.ListCommand != ""
		switch {
		case c.name == "" || c.name == "local" || slices.ContainsFunc(rows, func(x cloudRow) bool { return x.name == c.name }):
			return nil, fmt.Errorf("line %d (name): %q: want a name that no other cloud has, and not local", line, c.name)
		case c.kind == "exec" && !commands:
			return nil, fmt.Errorf("line %d (provider): exec without its commands: want create, delete and list", line)
		case c.kind == "local" && c.instances == "":
			return nil, fmt.Errorf("line %d (instances): none: want a folder that exists, for the instances of this cloud alone", line)
		case c.kind != "exec" && c.kind != "local":
			return nil, fmt.Errorf("line %d (provider): %q: want exec or local", line, c.kind)
		}
		names, err := slurmctl.Expand(c.nodes)
		if err != nil {
			return nil, fmt.Errorf("line %d (nodes): %w", line, err)
		}
		for _, n := range names {
			if other, ok := taken[n]; ok {
				return nil, fmt.Errorf("line %d (nodes): %s is a node of %s: want nodes that no other cloud has", line, n, other)
			}
			taken[n] = c.name
		}
		rows = append(rows, c)
	}
	if rows == nil {
		return nil, errors.New("no cloud: want a line for each")
	}
	return rows, nil
}

// set sets what a column says of a cloud. An empty text stands for the default.
func (c *cloudRow) set(column, text string) (err error) {
	if text == "" {
		return nil
	}
	want := ""
	span := func(to *time.Duration) {
		*to, err = time.ParseDuration(text)
		if want = "want a span of time that is not negative, such as 5m"; err == nil && *to < 0 {
			err = errors.New(want)
		}
	}
	switch column {
	case "name":
		c.name = text
		if strings.Trim(text, "abcdefghijklmnopqrstuvwxyz0123456789_") != "" {
			want = "want lower-case letters, digits and _"
			err = errors.New(want)
		}
	case "nodes":
		c.nodes = text
	case "price":
		c.price, err = pricing.ParseMoney(text)
		if want = "want dollars an hour from 0, such as 0.085"; err == nil && c.price < 0 {
			err = errors.New(want)
		}
	case "boot":
		span(&c.boot)
	case "provider":
		c.kind = text
	case "create":
		c.exec.CreateCommand = text
	case "delete":
		c.exec.DeleteCommand = text
	case "list":
		c.exec.ListCommand = text
	case "instances":
		c.instances = text
	case "delay":
		span(&c.delay)
	case "quota":
		c.quota, err = strconv.Atoi(text)
		if want = "want a whole number from 0; 0 is no limit"; err == nil && c.quota < 0 {
			err = errors.New(want)
		}
	}
	if err != nil {
		return errors.New(want)
	}
	return nil
}

// setClouds reads the file of clouds into the options of the manager, without providers.
func (o *elasticOptions) setClouds() error {
	rows, err := infile.Read("-clouds", o.cloudFile, readClouds)
	if err != nil {
		return err
	}
	o.clouds = rows
	for _, c := range rows {
		names, err := slurmctl.Expand(c.nodes)
		if err != nil {
			return err
		}
		o.manager.Nodes = append(o.manager.Nodes, names...)
		o.manager.Clouds = append(o.manager.Clouds, manager.Cloud{Name: c.name, Nodes: names, Price: c.price, Boot: c.boot})
	}
	return nil
}

// connectClouds gives the clouds their providers, and returns these as one.
func (o *elasticOptions) connectClouds(slurm *slurmctl.Client) (provider.Provider, error) {
	for i := range o.clouds {
		c := &o.clouds[i]
		if c.kind == "exec" {
			c.exec.Timeout = o.timeout
			o.manager.Clouds[i].Provider = &c.exec
			continue
		}
		p, err := localProvider(slurm, c.instances, c.delay, c.quota)
		if err != nil {
			return nil, fmt.Errorf("-clouds %s: %s: %w", o.cloudFile, c.name, err)
		}
		for k := range i {
			if other, ok := o.manager.Clouds[k].Provider.(*provider.Local); ok && other.Dir == p.Dir {
				return nil, fmt.Errorf("-clouds %s: %s and %s have the same folder of instances: want one for each", o.cloudFile, o.clouds[k].name, c.name)
			}
		}
		o.manager.Clouds[i].Provider = p
	}
	return manager.Provide(o.manager.Clouds), nil
}

// localProvider returns a provider whose instances are processes of this machine.
func localProvider(slurm *slurmctl.Client, folder string, delay time.Duration, quota int) (*provider.Local, error) {
	st, err := os.Stat(folder)
	if err != nil {
		return nil, fmt.Errorf("instances: %w", err)
	}
	if !st.IsDir() {
		return nil, fmt.Errorf("instances %s: %w", folder, errFolder)
	}
	slurmd, err := slurmctl.Find("slurmd")
	if err != nil {
		return nil, err
	}
	dir, err := filepath.Abs(folder) // instances know it by its name
	if err != nil {
		return nil, err
	}
	return &provider.Local{
		Dir: dir, Boot: delay, Quota: quota,
		Command: func(node string) []string {
			args := []string{slurmd, "-D", "-N", node}
			if slurm.Conf != "" {
				args = append(args, "-f", slurm.Conf)
			}
			return args
		},
	}, nil
}

// errFolder: a folder of instances is none.
var errFolder = errors.New("want a folder")

// launchNames are the values of -launch.
var launchNames = []string{"jobs", "printed"}

// newPolicy returns the policy of -policy.
func (o *elasticOptions) newPolicy() (elastic.Policy, error) {
	if !slices.Contains(launchNames, o.launch) {
		return nil, fmt.Errorf("-launch %q: want %s", o.launch, strings.Join(launchNames, ", "))
	}
	switch o.policy {
	case "sm":
		return new(elastic.SM), nil
	case "od", "od++":
		return &elastic.OD{Plus: o.policy == "od++", Printed: o.launch == "printed", KeepFree: o.keepFree}, nil
	case "aqtp":
		return &elastic.AQTP{Response: o.response, Threshold: o.threshold, Start: o.firstJobs, Min: o.leastJobs, Max: o.mostJobs, KeepFree: o.keepFree}, nil
	}
	cost, queued := 20, 80
	if o.policy != "mcop" {
		if n, _ := fmt.Sscanf(o.policy, "mcop-%d-%d", &cost, &queued); n != 2 || cost < 0 || queued < 0 || cost+queued != 100 ||
			o.policy != fmt.Sprintf("mcop-%d-%d", cost, queued) {
			return nil, fmt.Errorf("-policy %q: want sm, od, od++, aqtp, mcop or mcop-20-80, whose weights sum to 100", o.policy)
		}
	}
	return &elastic.MCOP{CostWeight: float64(cost) / 100, KeepFree: o.keepFree, Rand: rand.New(rand.NewPCG(o.seed, 0))}, nil
}
