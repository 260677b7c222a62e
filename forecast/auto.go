package forecast

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"

	"github.com/plimsoll/plimsoll/forecast/internal/boxcox"
	"github.com/plimsoll/plimsoll/forecast/smoothing"
	"github.com/plimsoll/plimsoll/internal/grow"
)

// Auto finds the season of a series, and tries models with and without a season on the end
// of the series. It forecasts with the weighted mean of the best three. [New] makes an Auto
// for the name "".
//
// Fit chooses, see [Auto.Fit]. Until then Auto is [Simple] with the factor
// startAlpha. [Auto.String] names the choice. Update and Forecast take the time of at most
// three models. An observation that the scale of the choice does not take, such as 0 for a
// logarithm, counts as missing.
//
// A copy of the model shares its members with it.
type Auto struct {
	scale   float64 // λ of the scale that the members work in, as in BoxCox
	members []member
	n       int // observations taken, without missing ones

	models [lenCandidates]smoothing.Fittable // of the candidates, made when first tried
	other  []float64
	sum    []float64
	work   autoFit
}

// A member is a model with its part of the forecast.
type member struct {
	name   string
	weight float64
	model  smoothing.Fittable
}

// A candidate is a model that Auto tries.
type candidate struct {
	name   string
	season int // 0: without; 1: with the first season; 2: only with two; 3: the second as the only one
	make   func() smoothing.Fittable
}

// candidates are the models that Auto tries. Auto takes the first alone if the series is too
// short to try it.
var candidates = [...]candidate{
	{"blend", 0, func() smoothing.Fittable {
		h := smoothing.Holt{Alpha: .3, Beta: .1, Phi: .9}
		return &smoothing.Blend{Near: h, Far: h}
	}},
	{"mean", 0, func() smoothing.Fittable { return &smoothing.Mean{} }},
	{"seasonal-naive", 1, func() smoothing.Fittable { return &smoothing.SeasonalNaive{} }},
	{"seasonal-naive", 3, func() smoothing.Fittable { return &smoothing.SeasonalNaive{} }},
	{"winters", 1, func() smoothing.Fittable { return &smoothing.HoltWinters{Alpha: .1, Beta: .1, Phi: .9, Gamma: .1} }},
	{"two-seasons", 2, func() smoothing.Fittable { return &smoothing.HoltWinters{Alpha: .1, Gamma: .1, Delta: .1, Rho: .5} }},
	{"lags", 1, func() smoothing.Fittable { return &smoothing.Autoregression{Difference: 1} }},
	{"harmonics", 1, func() smoothing.Fittable { return &smoothing.Harmonic{Alpha: .1, Beta: .1, Gamma: .01} }},
	{"lags", 3, func() smoothing.Fittable { return &smoothing.Autoregression{} }},
	{"lags", 2, func() smoothing.Fittable { return &smoothing.Autoregression{MaxLags: 9} }},
	{"winters", 1, func() smoothing.Fittable { return &smoothing.HoltWinters{Alpha: .1, Beta: .1, Gamma: .1} }},
	{"winters-ratio", 1, func() smoothing.Fittable {
		return &smoothing.HoltWinters{Multiplicative: true, Alpha: .1, Beta: .1, Gamma: .1}
	}},
	{"harmonics", 1, func() smoothing.Fittable { return &smoothing.Harmonic{Alpha: .1, Beta: .1, Phi: .9, Gamma: .01} }},
}

const lenCandidates = 16

// autoMean is the candidate that takes any series with a known value.
const autoMean = 1

// mostMembers is how many models Auto takes the mean of.
const mostMembers = 3

// autoFit is the memory of a fit of Auto.
type autoFit struct {
	whole   []float64 // the series
	z       []float64 // its end, in the scale of the members
	all     []float64 // the whole in that scale
	path    []float64
	paths   [lenCandidates][]float64 // forecasts from all origins, leads steps each
	origins []int
	leads   int
	errs    [lenCandidates]float64
	which   [mostMembers]int // candidate of each member
	resid   []float64
	squares []float64 // of the mean's errors from the origins, by steps ahead
	counts  []float64
	known   []float64
	growth  []float64
}

// Ready reports whether there is an observation.
func (m *Auto) Ready() bool { return m.n > 0 }

// String says which models are in the mean, as in "lags 60%, two-seasons 40%".
func (m *Auto) String() string {
	var b strings.Builder
	for i, x := range m.members {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "%s %.0f%%", x.name, 100*x.weight)
	}
	switch {
	case len(m.members) == 0:
		return "nothing yet"
	case m.scale == 0:
		b.WriteString(" of the logarithm")
	case m.scale != 1:
		fmt.Fprintf(&b, " of the power %v", m.scale)
	}
	return b.String()
}

// Update takes the next observation, see [Model].
func (m *Auto) Update(x float64) {
	if len(m.members) == 0 {
		m.scale = 1
		m.members = append(m.members, member{"simple", 1, &smoothing.Simple{Alpha: startAlpha}})
	}
	z := math.NaN()
	if boxcox.In(m.scale, x) {
		z = boxcox.To(m.scale, x)
		m.n++
	}
	for i := range m.members {
		m.members[i].model.Update(z)
	}
}

// Forecast sets dst[i] to the forecast i+1 steps ahead, see [Model].
func (m *Auto) Forecast(dst []float64) {
	if m.n == 0 || len(m.members) == 0 {
		clear(dst)
		return
	}
	if len(m.members) == 1 {
		m.members[0].model.Forecast(dst)
	} else {
		m.other = grow.To(m.other, len(dst))
		clear(dst)
		for _, x := range m.members {
			x.model.Forecast(m.other)
			for i, z := range m.other {
				dst[i] += x.weight * z
			}
		}
	}
	for i, z := range dst {
		dst[i] = min(smoothing.Largest, max(-smoothing.Largest, boxcox.From(m.scale, z)))
	}
}

func (m *Auto) Lambda() float64 {
	if len(m.members) == 0 {
		return 1
	}
	return m.scale
}

func (m *Auto) Deviate(dst []float64) {
	if len(m.members) == 0 {
		new(smoothing.Naive).Deviate(dst)
		return
	}
	if len(m.members) == 1 {
		deviate(m.members[0].model, dst)
		return
	}
	m.other, m.sum = grow.To(m.other, len(dst)), grow.Zero(m.sum, len(dst))
	for _, x := range m.members {
		copy(m.other, dst)
		deviate(x.model, m.other)
		for i, d := range m.other {
			m.sum[i] += x.weight * d
		}
	}
	copy(dst, m.sum)
}

// Fit chooses the models and fits them, see [Fittable].
//
// The season is f.Season, or found by [Fitter.Periods]; the second season is tried if the
// series has three of its cycles, two of them in its beginning. The candidates are fitted to
// the beginning of the series, and forecast the rest from about 10 to 45 points, updated in
// between. The rest is at least four horizons, or a quarter of the series, and at most half
// of it. A candidate's error is
// the mean absolute error over f.Horizon steps, or over a season, at least 13 steps. The
// best three are fitted again to the whole series. Their weights fall with the square of the
// error, and a candidate with twice the least error has none. If there is a season and the
// best candidate is better by 3% on the logarithm, or the square root where there are zeros,
// all candidates work on that scale.
//
// Without a season the candidates are Blend and Mean. A series that leaves less than a
// quarter of a season after its first two seasons is taken to have none. Fit
// takes the last 416 values, 8 seasons, 32 second seasons or 16 horizons, whichever is most;
// Mean takes all values.
//
// Fit wants three values. The work is at most 27 fits.
func (m *Auto) Fit(f *Fitter, series []float64) (smoothing.Fit, error) {
	if err := f.Validate(); err != nil {
		return smoothing.Fit{}, err
	}
	season, second, leads, steps := f.Season, f.Second, f.Leads, f.Steps
	defer func() { f.Season, f.Second, f.Leads, f.Steps = season, second, leads, steps }()
	part, err := f.Cut(series, m.Least())
	if err != nil {
		return smoothing.Fit{}, err
	}
	p1, p2 := f.PeriodsToTry(part)
	horizon := f.Horizon
	if horizon == 0 {
		horizon = max(p1, 13)
	}
	m.work.whole = part
	if most := max(autoLeast, autoCycles*p1, 4*autoCycles*p2, 4*autoSpan*horizon); len(part) > most {
		if end := part[len(part)-most:]; known(end) > most/2 { // else it is mostly silence
			for part = end; part[0] != part[0]; {
				part = part[1:]
			}
		}
	}
	n := len(part)
	first := max(n-2*autoSpan*horizon, min(n-autoSpan*horizon, n*3/4), n/2)
	if p1 > 1 && n-max(first, 2*p1) < max(1, p1/4) {
		p1, p2 = 1, 1
	} else if p1 > 1 {
		first = max(first, 2*p1)
	}
	if p2 > 1 && first < 2*p2 {
		p2 = 1
	}
	horizon = min(horizon, n-first)
	f.Season, f.Second, f.Leads = p1, p2, 1
	if m.members == nil || m.models[0] == nil {
		m.members = make([]member, 0, mostMembers)
		for k, c := range candidates {
			m.models[k] = c.make()
		}
	}
	a := &m.work
	m.choose(f, a, part, first, horizon, p1, p2)
	return m.refit(f, a, part, p1, p2)
}

// autoCycles and autoLeast are how many seasons, and values, Auto fits to at least: older values say little of the next ones.
const (
	autoCycles = 8
	autoLeast  = 416
)

// autoSpan is how many horizons at the end of the series the candidates are tried on.
const autoSpan = 4

// autoOrigins is from how many points there.
const autoOrigins = 24

// fitAs fits a candidate to a series with its seasons.
func (m *Auto) fitAs(f *Fitter, k int, series []float64, p1, p2 int) (smoothing.Fit, error) {
	c := &candidates[k]
	switch c.season {
	case 0:
		f.Season, f.Second = 1, 1
		if c.name == "mean" {
			f.Season, f.Second = p1, p2
		}
	case 1, 2:
		f.Season, f.Second = p1, p2
	case 3:
		f.Season, f.Second = p2, 1
	}
	if x, ok := m.models[k].(*smoothing.Autoregression); ok {
		switch c.season {
		case 1:
			x.Difference = 1
		case 3:
			x.Difference, f.Season, f.Second = p2, p1, p2
		}
	}
	return m.models[k].Fit(f, series)
}

// choose tries the candidates on the end of the series, and sets scale, members and weights.
func (m *Auto) choose(f *Fitter, a *autoFit, series []float64, first, horizon, p1, p2 int) {
	n := len(series)
	m.scale = 1
	a.rescale(series, 1)
	a.origins = a.origins[:0]
	step := max(1, (n-first)/autoOrigins)
	for at := first; at < n; at++ {
		if (n-first)%step == (at-first)%step && n-at >= (horizon+1)/2 {
			a.origins = append(a.origins, at)
		}
	}
	a.leads = min(horizon, autoLeads)
	a.path = grow.To(a.path, horizon)
	probe := m.tryAll(f, a, series, first, horizon, p1, p2, -1)
	if lambda := autoScale(series); p1 > 1 && lambda < 1 && probe >= 0 {
		// Whether the swings grow with the level the best candidate tells.
		before := a.errs[probe]
		m.scale = lambda
		a.rescale(series, lambda)
		m.tryAll(f, a, series, first, horizon, p1, p2, probe)
		if a.errs[probe] < autoGain*before {
			m.tryAll(f, a, series, first, horizon, p1, p2, -1)
		} else {
			m.scale = 1
			a.rescale(series, 1)
			m.tryAll(f, a, series, first, horizon, p1, p2, probe)
		}
	}
	best := math.Inf(1)
	for _, e := range a.errs[:len(candidates)] {
		best = min(best, e)
	}
	m.members = m.members[:0]
	if best > math.MaxFloat64 || a.errs[0] > math.MaxFloat64 && n < autoTry { // too short to try even that
		m.members = append(m.members, member{candidates[0].name, 1, m.models[0]})
		m.scale, a.which[0], a.leads = 1, 0, 0
		a.rescale(series, 1)
		a.squares, a.counts = a.squares[:0], a.counts[:0]
		return
	}
	total := 0.0
	for len(m.members) < mostMembers {
		k := -1
		for i, e := range a.errs[:len(candidates)] {
			if e <= math.MaxFloat64 && (k < 0 || e < a.errs[k]) {
				k = i
			}
		}
		if k < 0 {
			break
		}
		r := 1.0
		if a.errs[k] > 0 {
			r = best / a.errs[k]
		}
		if r < autoNear { // the first has 1
			break
		}
		w := r * r
		a.which[len(m.members)] = k
		m.members = append(m.members, member{candidates[k].name, w, m.models[k]})
		a.errs[k] = math.Inf(1)
		total += w
	}
	for i := range m.members {
		m.members[i].weight /= total
	}
	a.combine(m.members)
	if p1 > 1 {
		// The best of many candidates did well by chance, too. Three quarters of the error
		// of one more horizon stand for that; without, 95% intervals of M4's hourly series
		// hold 93%.
		for i := range a.squares {
			a.squares[i] *= 1 + .75*float64(horizon)/float64(n-first)
		}
	}
}

// rescale sets the series and its end in a scale.
func (a *autoFit) rescale(series []float64, lambda float64) {
	a.all = transform(a.all, a.whole, lambda)
	a.z = a.all[len(a.all)-len(series):]
}

// before returns what candidate k is fitted to, before index at of the end of the series: a
// mean to the whole series, since its window may be long.
func (a *autoFit) before(k, at int) []float64 {
	if candidates[k].name == "mean" {
		return a.all[:len(a.all)-len(a.z)+at]
	}
	return a.z[:at]
}

// autoTry is how many values a series has in which Auto tries other candidates if the first
// cannot be tried.
const autoTry = 12

// autoGain is what part of the error a scale has to leave.
const autoGain = .97

// autoScale returns the λ to try for a series: the logarithm, the square root where there are
// zeros, and 1 where values are negative, or none differ.
func autoScale(series []float64) float64 {
	lambda := 0.0
	for _, x := range series {
		if x < 0 {
			return 1
		}
		if x == 0 {
			lambda = .5
		}
	}
	return lambda
}

// tryAll sets the errors of all candidates, or of the only one asked for, and returns the best.
func (m *Auto) tryAll(f *Fitter, a *autoFit, series []float64, first, horizon, p1, p2, only int) int {
	best := -1
	for k, c := range candidates {
		if only >= 0 && k != only {
			continue
		}
		a.errs[k] = math.Inf(1)
		if c.season > 0 && p1 < 2 || c.season > 1 && p2 < 2 || c.name == "winters-ratio" && (m.scale < 1 || autoScale(series) > 0) {
			continue
		}
		if _, err := m.fitAs(f, k, a.before(k, first), p1, p2); err != nil {
			continue
		}
		a.errs[k] = a.try(m.models[k], series, m.scale, k, first, horizon)
		if a.errs[k] <= math.MaxFloat64 && (best < 0 || a.errs[k] < a.errs[best]) {
			best = k
		}
	}
	return best
}

// try returns the sum of the absolute errors of candidate k from all origins, updating the
// model from the first on.
func (a *autoFit) try(model smoothing.Model, series []float64, lambda float64, k, first, horizon int) float64 {
	a.paths[k] = grow.To(a.paths[k], len(a.origins)*a.leads)
	sum, o := 0.0, 0
	for at := first; o < len(a.origins); at++ {
		if at == a.origins[o] {
			model.Forecast(a.path)
			for i, y := range series[at:min(len(series), at+horizon)] {
				if y == y {
					sum += math.Abs(y - boxcox.From(lambda, a.path[i]))
				}
			}
			copy(a.paths[k][o*a.leads:], a.path[:a.leads])
			o++
		}
		model.Update(a.z[at])
	}
	return sum
}

// combine sets squares and counts to those of the errors of the members' mean.
func (a *autoFit) combine(members []member) {
	a.squares, a.counts = grow.Zero(a.squares, a.leads), grow.Zero(a.counts, a.leads)
	for o, at := range a.origins {
		for i, y := range a.z[at:min(len(a.z), at+a.leads)] {
			if y != y {
				continue
			}
			for j, x := range members {
				y -= x.weight * a.paths[a.which[j]][o*a.leads+i]
			}
			a.squares[i] += y * y
			a.counts[i]++
		}
	}
	// Errors of neighbouring steps are about the same: smooth them, or the largest by chance
	// would widen all later intervals.
	a.path = append(a.path[:0], a.squares...)
	a.known = append(a.known[:0], a.counts...)
	for i := range a.squares {
		a.squares[i], a.counts[i] = 0, 0
		for j := max(0, i-i/3); j <= min(a.leads-1, i+i/3); j++ {
			a.squares[i] += a.path[j]
			a.counts[i] += a.known[j]
		}
		n := float64(2*(i/3) + 1)
		a.squares[i] /= n
		a.counts[i] /= n
	}
}

// refit fits the members to the whole series.
func (m *Auto) refit(f *Fitter, a *autoFit, series []float64, p1, p2 int) (smoothing.Fit, error) {
	n := len(series)
	a.resid = grow.Zero(a.resid, n)
	free := 0.0
	fit := smoothing.Fit{}
	fits, total := m.members[:0], 0.0
	for i, x := range m.members {
		g, err := m.fitAs(f, a.which[i], a.before(a.which[i], n), p1, p2)
		if err != nil { // a window of silence: the others have to do, or the mean of all
			if i < len(m.members)-1 || len(fits) > 0 {
				continue
			}
			x = member{candidates[autoMean].name, 1, m.models[autoMean]}
			if g, err = m.fitAs(f, autoMean, a.all, p1, p2); err != nil {
				return smoothing.Fit{}, err // not with a known value
			}
		}
		fits = append(fits, x)
		total += x.weight
		free += x.weight * float64(g.Free)
		fit.Evaluations += g.Evaluations
		r, ratio := g.Residuals, boxcox.Of(x.model) == 0
		for t := range a.resid {
			if j := t - (n - len(r)); j >= 0 && ratio {
				a.resid[t] += x.weight * a.z[t] * -math.Expm1(-r[j])
			} else if j >= 0 {
				a.resid[t] += x.weight * r[j]
			} else {
				a.resid[t] = math.NaN()
			}
		}
	}
	m.members = fits
	for i := range fits {
		fits[i].weight /= total
	}
	fit.Free = int(free/total + .5)
	for t, e := range a.resid {
		e /= total
		a.resid[t] = e
		if e == e {
			fit.SSE += e * e
			fit.N++
		}
	}
	fit.Residuals, fit.Growth = a.resid, a.grown(fit)
	m.n = known(series)
	a.whole = nil // the caller's
	return fit, nil
}

// triedErrors is how many errors of the mean Growth wants of a number of steps ahead: fewer than
// of a fit, since no parameter has seen these errors.
const triedErrors = 5

// grown returns the growth of the errors of the mean.
func (a *autoFit) grown(fit smoothing.Fit) []float64 {
	a.growth = a.growth[:0]
	one := fit.Variance()
	if !(one > 0) {
		return a.growth
	}
	for i, s := range a.squares {
		if a.counts[i] < triedErrors {
			break
		}
		a.growth = append(a.growth, math.Sqrt(s/max(1, a.counts[i])/one))
	}
	return a.growth
}

// autoLeads is how many steps ahead the errors of the mean are kept for intervals.
const autoLeads = 400

// autoNear is the part of the best candidate's error that another's may be more to be in the
// mean.
const autoNear = .5

// Validate returns an [*InputError] if a member is out of range.
func (m *Auto) Validate() error {
	if !(m.scale >= 0 && m.scale <= 1) {
		return badInput("Lambda", -1, ErrFactor, "%v: want 0 to 1", m.scale)
	}
	for i, x := range m.members {
		if !(x.weight >= 0 && x.weight <= 1) {
			return badInput("Members", i, ErrFactor, "weight %v: want 0 to 1", x.weight)
		}
		if v, ok := x.model.(validator); ok {
			if err := v.Validate(); err != nil {
				return err
			}
		}
	}
	return checkCount("N", m.n, mostCount)
}

func (m *Auto) Least() int { return new(smoothing.Blend).Least() }

// autoState is the JSON form.
type autoState struct {
	Lambda  float64       `json:"lambda"`
	N       int           `json:"n"`
	Members []memberState `json:"members"`
}

type memberState struct {
	Name   string  `json:"name"`
	Weight float64 `json:"weight"`
	Type   string  `json:"type"`
	Model  any     `json:"model"`
}

// MarshalJSON returns the state, with the members' models and weights in it.
func (m *Auto) MarshalJSON() ([]byte, error) {
	s := autoState{Lambda: m.scale, N: m.n, Members: make([]memberState, len(m.members))}
	for i, x := range m.members {
		s.Members[i] = memberState{x.name, x.weight, nameOf(x.model), x.model}
	}
	return json.Marshal(s)
}

// UnmarshalJSON sets m to a state, and leaves m as it is on an error.
func (m *Auto) UnmarshalJSON(data []byte) error {
	if string(data) == "null" {
		return nil
	}
	var list []json.RawMessage
	s := struct {
		Lambda  float64 `json:"lambda"`
		N       int     `json:"n"`
		Members any     `json:"members"`
	}{Members: &list}
	if err := decode(data, &s); err != nil {
		return err
	}
	n := Auto{scale: s.Lambda, n: s.N}
	if len(list) > mostMembers {
		return badInput("members", -1, ErrState, "%d models: want %d at most", len(list), mostMembers)
	}
	for _, data := range list {
		var model json.RawMessage
		x := memberState{Model: &model}
		if err := decode(data, &x); err != nil {
			return err
		}
		inner, err := readModel(x.Type, model)
		if err != nil {
			return err
		}
		n.members = append(n.members, member{x.Name, x.Weight, inner})
	}
	if err := n.Validate(); err != nil {
		return err
	}
	*m = n
	return nil
}

// transform returns z of a series.
func transform(dst, series []float64, lambda float64) []float64 {
	dst = grow.To(dst, len(series))
	for i, x := range series {
		dst[i] = x
		if x == x {
			dst[i] = boxcox.To(lambda, x)
		}
	}
	return dst
}
