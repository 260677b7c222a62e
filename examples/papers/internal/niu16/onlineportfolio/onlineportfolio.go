// Package onlineportfolio is the online portfolio of [Niu16] section 5.2.2 with its choices:
// its prices, its flags, and what they make. At the end of each week it forecasts the weeks to
// come, plans for the forecast, and buys what the plan buys at once.
package onlineportfolio

import (
	_ "embed"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/classfile"
	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/examples/internal/decimal"
	"github.com/plimsoll/plimsoll/examples/internal/infile"
	"github.com/plimsoll/plimsoll/forecast"
	"github.com/plimsoll/plimsoll/forecast/smoothing"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/reserve"
	"github.com/plimsoll/plimsoll/reserve/rules"
)

// defaultClasses are those of EC2's cc2.8xlarge (Linux, US East) in 2013 that [Niu16]
// section 8.5 computes with: billed for used hours, in terms of 52 and 156 weeks.
//
//go:embed classes.json
var defaultClasses []byte

// Week is the interval of decisions.
const Week = 168 * time.Hour

// Usage lists the flags of [Flags.Define].
func Usage() string {
	const indent = "                         "
	list := indent
	for i, name := range forecast.Names() {
		if i > 0 {
			list += ", "
		}
		if column := len(list) - strings.LastIndexByte(list, '\n') - 1 - len(indent); column+len(name) > 60 {
			list = strings.TrimSuffix(list, " ") + "\n" + indent
		}
		list += name
	}
	return strings.Replace(usage, "MODELS\n", list+"\n", 1)
}

const usage = `  -classes FILE        JSON: prices and classes of reservations, as for
                       examples/tools/plan (default: EC2's cc2.8xlarge in 2013)
  -planner NAME        greedy, as in [Niu16] 5.1.2, or exact (default exact)
  -model NAME          of the mean demand of a week (default simple), one of
MODELS
  -alpha X             smoothing factor of the model simple, 0 to 1 (default 0.05)
  -fit N               fit the factors to the last four years every N weeks; 0 is
                       never (default: 0 for simple, 13 for the others)
  -quantile Q          plan for what a week's mean exceeds with probability 1-Q;
                       0.5 is the forecast itself (default 0.4)
  -futures N           plan for N futures that the model draws, in the place of
                       -quantile (default: none)
  -seed N              of these futures, and of a made-up log (default 1)
  -window N            weeks whose load-duration curve the demand of a week is made to
                       have (default 52)
  -ladder N            buy at most N reservations of each class a week
  -cap CLASS=N         have at most N reservations of the class active at once; may be
                       given for several classes
  -premium X           plan as if fees were higher: by X times the fee for each further
                       length of the shortest term (default 0)
  -alarm X             buy nothing while the tracking signal of the forecast has a
                       magnitude above X, 0 to 1 (default: buy all the same)
`

// Flags are the values of the flags.
type Flags struct {
	Classes  string
	Planner  int // exactPlanner or greedyPlanner
	Model    string
	Alpha    float64
	Fit      int // weeks, 0: never
	Quantile float64
	Futures  int
	Seed     uint64
	Window   int
	Ladder   int // 0: no limit
	Premium  float64
	Alarm    float64 // 0: none

	caps []capFlag
}

// A capFlag is a -cap.
type capFlag struct {
	class string
	count int
}

// Values of -planner.
const (
	exactPlanner = iota
	greedyPlanner
)

// maxCount bounds numbers of weeks and instances.
const maxCount = 1_000_000

// Define defines the flags but -seed, and sets their defaults.
func (o *Flags) Define(f *cli.Flags) {
	*o = Flags{Seed: 1, Model: "simple", Alpha: .05, Fit: -1, Quantile: .4, Window: 52}
	f.File("classes", &o.Classes)
	f.Int("window", &o.Window, 1, maxCount, "")
	f.Int("ladder", &o.Ladder, 1, maxCount, "")
	f.Int("fit", &o.Fit, 0, maxCount, "")
	f.Float("alpha", &o.Alpha, "a number above 0, 1 at most", func(x float64) bool { return x > 0 && x <= 1 })
	f.Float("alarm", &o.Alarm, "a number above 0, 1 at most", func(x float64) bool { return x > 0 && x <= 1 })
	f.Int("futures", &o.Futures, 0, 10_000, "")
	f.Float("quantile", &o.Quantile, "a number between 0 and 1, such as 0.4", func(x float64) bool { return x > 0 && x < 1 })
	f.Float("premium", &o.Premium, "a number from 0 to 1000", func(x float64) bool { return x >= 0 && x <= 1000 })
	cli.Choice(f, "planner", &o.Planner, "exact", "greedy")
	f.Func("model", func(s string) error {
		if !slices.Contains(forecast.Names(), s) {
			return errors.New("want one of " + strings.Join(forecast.Names(), ", "))
		}
		o.Model = s
		return nil
	})
	f.Func("cap", func(s string) error {
		i := strings.LastIndexByte(s, '=')
		n, err := strconv.Atoi(s[i+1:])
		if i < 1 || err != nil || n < 1 || n > maxCount {
			return fmt.Errorf("want the name of a class and a whole number from 1 to %s, such as 3y-heavy=40", decimal.Int(maxCount))
		}
		o.caps = append(o.caps, capFlag{s[:i], n})
		return nil
	})
	f.Check(func() error {
		if o.Fit < 0 {
			o.Fit = forecast.DefaultEvery
			if o.Model == "simple" {
				o.Fit = 0
			}
		}
		return nil
	})
}

// Prices are the price list, and the most active reservations of its classes.
type Prices struct {
	*classfile.File
	Caps []int // nil, or for each class
}

// Read reads the prices.
func (o *Flags) Read() (p Prices, err error) {
	if p.File, err = classfile.Read("-classes", o.Classes, defaultClasses); err != nil || o.caps == nil {
		return p, err
	}
	p.Caps = make([]int, len(p.List.Classes))
	for _, c := range o.caps {
		k, err := p.List.Find(c.class)
		switch {
		case err != nil:
			return p, cli.Mistakef("%s", cli.Reason(err, map[string]string{"Classes": "-cap"}))
		case p.Caps[k] > 0:
			return p, cli.Mistakef("-cap: the class %s is there twice", infile.Quote(c.class))
		}
		p.Caps[k] = c.count
	}
	return p, nil
}

// New returns a new portfolio with caps.
func (o *Flags) New(caps []int) *rules.Online {
	x := &rules.Online{Forecaster: o.forecaster(), Window: o.Window, Quantile: o.Quantile, Alarm: o.Alarm, Premium: o.Premium, Caps: caps}
	if o.Futures > 0 {
		x.Quantile, x.Paths, x.Seed = 0, o.Futures, o.Seed
	}
	if o.Planner == greedyPlanner {
		x.Planner = new(rules.SEC)
	}
	return x
}

// mostGrowth bounds a forecast, in multiples of the largest week so far.
const mostGrowth = 2

// forecaster returns the forecaster of the options, for rules.Online.
func (o *Flags) forecaster() interface {
	Update(x float64)
	Forecast(dst []float64)
} {
	model, _ := forecast.New(o.Model) // which the flag takes by its name only
	if m, ok := model.(*smoothing.Simple); ok {
		m.Alpha = o.Alpha
	}
	p := forecast.Predictor{Model: model, Limits: forecast.Limits{NonNegative: true, Multiple: mostGrowth}}
	if o.Fit == 0 {
		return &p
	}
	return &forecast.Rolling{Predictor: p, Every: o.Fit}
}

// flagOf names the flag behind a field of package reserve.
var flagOf = map[string]string{
	"Prices": "-classes", "Forecaster": "-model", "Quantile": "-quantile", "Window": "-window",
	"Alarm": "-alarm", "Premium": "-premium", "Caps": "-cap",
}

// Explain returns an error of package reserve that the data of a demand cause, in a week unless
// that is -1, as the user's mistake.
func Explain(demand string, week int, err error) error {
	var in *reserve.InputError
	if !errors.As(err, &in) && !errors.Is(err, pricing.ErrOverflow) {
		return err
	}
	when := ""
	if week >= 0 {
		when = fmt.Sprintf("week %d: ", week)
	}
	return cli.Mistakef("%s: %s%s", demand, when, cli.Reason(err, flagOf))
}
