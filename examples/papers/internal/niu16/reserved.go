package niu16

import (
	"fmt"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/decimal"
	"github.com/plimsoll/plimsoll/examples/internal/semielastic"
	"github.com/plimsoll/plimsoll/examples/internal/steps"
	"github.com/plimsoll/plimsoll/examples/internal/svgplot"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/reserve"
	"github.com/plimsoll/plimsoll/reserve/rules"
	"github.com/plimsoll/plimsoll/schedule/sim"
	"github.com/plimsoll/plimsoll/schedule/trace"
)

// light and medium are the classes of Table 1 and Fig. 1.
const (
	light  = "3y-light"
	medium = "3y-medium"
)

// usersShares returns the shares if each user had instances of its own, and could plan for
// its own demand only ([Niu16] Table 1, Individual).
func usersShares(list pricing.List, jobs []trace.Job, hours int) (rules.Shares, error) {
	users := make(map[int][]int) // the differences of their demands
	var order []int
	for _, j := range jobs {
		length := sim.MeasuredBoot(j.Nodes) + j.Run
		first := int(j.Submit / time.Hour)
		end := first + int(pricing.EC2Hourly.Charged(length)/time.Hour)
		d, ok := users[j.User]
		if !ok {
			order = append(order, j.User)
		}
		for len(d) <= end {
			d = append(d, 0)
		}
		d[first] += j.Nodes
		d[end] -= j.Nodes
		users[j.User] = d
	}
	var s rules.Shares
	for _, u := range order {
		d := users[u]
		for k := 1; k < len(d); k++ {
			d[k] += d[k-1]
		}
		if err := s.Add(list, d, hours); err != nil {
			return s, err
		}
	}
	return s, nil
}

// shares is Table 1: it compares what serves the demand of the cluster with what could serve that
// of its users.
func (s *study) shares(name string) (figure, error) {
	list := semielastic.Classes(s.prices, light, medium)
	f := figure{name: "table1", header: "who,class,reserved,instance_hours,share"}
	chart := svgplot.Chart{Title: "Table 1: what serves the demand, " + name, Y: "% of instance-hours", Labels: []string{"cluster", "users alone"}}
	var cluster rules.Shares
	if err := cluster.Add(list, s.hours, len(s.hours)); err != nil {
		return f, err
	}
	users, err := usersShares(list, s.log.Jobs, len(s.hours))
	if err != nil {
		return f, err
	}
	for k := len(list.Classes); k >= 0; k-- {
		k := (k + len(list.Classes)) % (len(list.Classes) + 1) // on demand last
		class := "on-demand"
		if k < len(list.Classes) {
			class = list.Classes[k].Name
		}
		series := svgplot.Series{Name: class}
		for i, x := range []*rules.Shares{&cluster, &users} {
			reserved := ""
			if k < len(x.Instances) {
				reserved = fmt.Sprint(x.Instances[k])
			}
			f.rows = append(f.rows, []string{chart.Labels[i], class, reserved, fmt.Sprint(x.Slots[k]), decimal.Fixed(x.Share(k), 6)})
			series.Y = append(series.Y, 100*x.Share(k))
		}
		chart.Series = append(chart.Series, series)
	}
	f.charts = []svgplot.Chart{chart}
	return f, nil
}

// fig1 is the capacity hour by hour, and the part of instances that qualify for
// reservations.
func (s *study) fig1(name string) (figure, error) {
	list := semielastic.Classes(s.prices, light, medium)
	f := figure{name: "fig1", header: "hour,instances,qualify_" + medium + ",qualify_" + light}
	var all rules.Shares
	if err := all.Add(list, s.hours, len(s.hours)); err != nil {
		return f, err
	}
	m, l := 0, 0
	for k, c := range list.Classes {
		if c.Name == medium {
			m = int(all.Instances[k])
		} else {
			l = int(all.Instances[k])
		}
	}
	picture := svgplot.Stack{
		Title:  "Fig. 1: instances charged for, and which qualify for what, " + name,
		To:     time.Duration(len(s.hours)) * time.Hour,
		Layers: []svgplot.Layer{{Name: medium}, {Name: light, Class: 1}},
	}
	for h, n := range s.hours {
		f.rows = append(f.rows, []string{fmt.Sprint(h), fmt.Sprint(n), fmt.Sprint(m), fmt.Sprint(l)})
		at := func(v int) steps.Point { return steps.Point{At: time.Duration(h) * time.Hour, Value: v} }
		picture.Demand = append(picture.Demand, at(n))
		picture.Layers[0].Points = append(picture.Layers[0].Points, at(min(m, n)))
		picture.Layers[1].Points = append(picture.Layers[1].Points, at(min(m+l, n)))
	}
	f.stack = &picture
	return f, nil
}

// ways is Fig. 7: it compares ways to buy of the four classes of section 8.5, in pure cost. It
// returns the rates by name, too.
func (s *study) ways(name string) (figure, map[string]float64, error) {
	f := figure{name: "fig7", header: "algorithm,pure_rate,total_rate"}
	four := semielastic.Classes(s.prices, "1y-light", "1y-heavy", light, "3y-heavy")
	rates := make(map[string]float64)
	chart := svgplot.Chart{Title: "Fig. 7: ways to buy reservations, " + name, Y: rateAxis + ", pure", Series: []svgplot.Series{{}}}
	add := func(label string, pure, total float64) {
		text := ""
		if total > 0 {
			text = dollars(total / s.used)
		}
		f.rows = append(f.rows, []string{label, dollars(pure / s.used), text})
		rates[label] = pure / s.used
		chart.Labels = append(chart.Labels, label)
		chart.Series[0].Y = append(chart.Series[0].Y, pure/s.used)
	}
	for _, c := range []struct {
		label string
		how   semielastic.Buying
		list  pricing.List
	}{
		{"online", semielastic.BuyOnline, four},
		{"online-paper", semielastic.BuyPaper, four},
		{"online-paper-1y-only", semielastic.BuyPaper, semielastic.Classes(four, "1y-light", "1y-heavy")},
		{"online-paper-3y-only", semielastic.BuyPaper, semielastic.Classes(four, light, "3y-heavy")},
		{"online-1y-only", semielastic.BuyOnline, semielastic.Classes(four, "1y-light", "1y-heavy")},
		{"online-3y-only", semielastic.BuyOnline, semielastic.Classes(four, light, "3y-heavy")},
		{"on-demand-only", semielastic.BuyNothing, four},
		{"offline-greedy", semielastic.BuyOffline, four},
		{"offline-exact", semielastic.BuyExact, four},
	} {
		bought, err := semielastic.Buy(c.how, c.list, s.hours, reserve.Pure)
		if err != nil {
			return f, nil, err
		}
		b, err := semielastic.Bill(c.list, s.hours, bought)
		if err != nil {
			return f, nil, err
		}
		add(c.label, b.Pure.Float64(), b.Total.Float64())
	}
	bound, err := new(reserve.Competitive).Bound(&reserve.Problem{Demand: s.hours, Slot: time.Hour, Prices: four, Every: semielastic.WeekHours,
		Horizon: reserve.Pure})
	if err != nil {
		return f, nil, err
	}
	add("eq5-bound", bound.Float64(), 0)
	f.charts = []svgplot.Chart{chart}
	return f, rates, nil
}
