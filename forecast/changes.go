package forecast

import (
	"math"
	"slices"

	"github.com/plimsoll/plimsoll/internal/grow"
)

// Changes of level and of slope.
//
// Minimised, for each number of segments up to mostSegments, is the sum of the squared distances
// from a line or a constant of each segment, over all places of the changes. Exact, by the dynamic
// programme of segment neighbourhoods [Auger89]: the best k segments of the first j values are the
// best k−1 segments of the first i and one segment of the rest, for the best i. Time O(k·n²) with
// n ≤ mostBlocks, since longer series are cut to blocks, whose means are taken; space O(k·n).
//
// Which number is right says a penalised likelihood. A level that wanders makes segments, too.
// So the errors of k segments compete with the errors of one segment, and of exponential smoothing
// with and without a trend. The part of an error that is left a step later does not count.
// Segments are taken only if
//
//	n/2·log(SSE of the best of these / SSE of k segments) > (k−1)·changePrice·log n
//
// and those with the largest difference are taken. Seasons: the effect of each phase, the median
// over the cycles of the distance from the fit, is taken out of the series in turn with the fit, so
// that no season is a change and no change a season.

const (
	mostSegments = 5
	mostBlocks   = 320
	leastSegment = 4 // blocks of a segment; of one with a slope, twice as many
	seasonRounds = 3
	leastSlope   = 16 // blocks of a slope that goes on
	leastBlocks  = 16 // of a series that is looked at
	changePrice  = 3  // in log n: a place, a level, a slope, and a choice among many
	mostPhi      = .5 // of the errors left a step later
	leastJump    = 2  // standard deviations of the errors; smaller changes are left to the models
)

// A Change is a place at which a series changes its level or its slope.
type Change struct {
	At    int     // index of the first value after the change
	Level float64 // how much higher the level is after the change than before, in units of the series
	Slope float64 // how much more the series rises in each step after the change than before
}

// Changes returns the changes of level and slope of a series with a season of so many steps, 0 or 1
// where it has none. The series may lack values. Time O(n), and O(320²) once.
func Changes(series []float64, season int) []Change {
	var d detector
	d.find(series, season)
	var list []Change
	for i := 1; i < len(d.segments); i++ {
		a, b := &d.segments[i-1], &d.segments[i]
		at := float64(b.from)
		list = append(list, Change{At: d.origin + b.from*d.block, Level: b.at(at) - a.at(at), Slope: (b.slope - a.slope) / float64(d.block)})
	}
	return list
}

// A segment is a line over the blocks from from on, up to the next segment.
type segment struct {
	from         int
	level, slope float64 // at block from, and per block
}

func (s *segment) at(t float64) float64 { return s.level + s.slope*(t-float64(s.from)) }

// A detector finds changes, and keeps its memory.
type detector struct {
	segments      []segment
	block, origin int // values of a block, and those before the first block

	means, plain, effect, column []float64
	sum, sumT, squares           []float64 // of the values before a block
	cost                         []float64 // cost[k*(n+1)+j]: of the first j blocks in k+1 segments
	back                         []int
	noise                        float64
	least                        int // blocks of a segment
	best                         []segment
	phi                          float64 // of the last innovations
}

// find sets segments to those of the series, none if it is too short or of one value, and reports
// whether it has a change.
func (d *detector) find(series []float64, season int) bool {
	d.segments = d.segments[:0]
	if !d.cut(series, max(1, season)) {
		return false
	}
	d.effect = d.effect[:0]
	if p := d.period(season); p > 1 {
		d.effect = grow.Zero(d.effect, p)
	}
	d.plain = append(d.plain[:0], d.means...)
	d.gather()
	if len(d.effect) == 0 {
		d.partition()
		return len(d.segments) > 1
	}
	d.segments = append(d.segments, d.steady())
	for range seasonRounds {
		d.phases()
		for t := range d.plain {
			d.plain[t] = d.means[t] - d.effect[t%len(d.effect)]
		}
		d.gather()
		d.partition()
	}
	return len(d.segments) > 1
}

// steady is the line that a season does not bend: its slope is the median of the differences to the
// value a season before.
func (d *detector) steady() (line segment) {
	p := len(d.effect)
	d.column = d.column[:0]
	for t := p; t < len(d.means); t++ {
		d.column = append(d.column, (d.means[t]-d.means[t-p])/float64(p))
	}
	line.slope = medianOf(d.column)
	for t, x := range d.means {
		line.level += (x - line.slope*float64(t)) / float64(len(d.means))
	}
	return line
}

// period returns the steps of the season in blocks, 1 if blocks hold it or the series has less than two.
func (d *detector) period(season int) int {
	if season%d.block != 0 || season <= d.block || len(d.means) < 2*season/d.block {
		return 1
	}
	return season / d.block
}

// cut sets means to the means of blocks. A block is the season where the series has leastBlocks of it
// twice over, and as many as keep the blocks below mostBlocks.
func (d *detector) cut(series []float64, season int) bool {
	d.block = 1
	if len(series) >= 2*leastBlocks*season {
		d.block = season
	}
	if few := (len(series) + mostBlocks - 1) / mostBlocks; few > d.block {
		d.block *= (few + d.block - 1) / d.block
	}
	n := len(series) / d.block
	d.origin = len(series) - n*d.block
	d.means = d.means[:0]
	last, any := math.NaN(), false
	for i := range n {
		sum, known := 0.0, 0
		for _, x := range series[d.origin+i*d.block : d.origin+(i+1)*d.block] {
			if usable(x) {
				sum += x / float64(d.block)
				known++
			}
		}
		if known > 0 {
			x := sum * float64(d.block) / float64(known)
			any = any || last == last && x != last
			last = x
		}
		d.means = append(d.means, last)
	}
	for len(d.means) > 0 && d.means[0] != d.means[0] { // missing from the beginning
		d.means = d.means[1:]
		d.origin += d.block
	}
	return any && len(d.means) >= leastBlocks
}

// phases sets the effect of each phase to the median of what the segments leave.
func (d *detector) phases() {
	p := len(d.effect)
	mid := 0.0
	for phase := range d.effect {
		d.column = d.column[:0]
		for t := phase; t < len(d.means); t += p {
			d.column = append(d.column, d.means[t]-d.level(t))
		}
		d.effect[phase] = medianOf(d.column)
		mid += d.effect[phase] / float64(p)
	}
	for phase := range d.effect {
		d.effect[phase] -= mid
	}
}

// level is the fit at a block.
func (d *detector) level(t int) float64 {
	i := len(d.segments) - 1
	for i > 0 && d.segments[i].from > t {
		i--
	}
	if i < 0 {
		return 0
	}
	return d.segments[i].at(float64(t))
}

// medianOf sorts x.
func medianOf(x []float64) float64 {
	slices.Sort(x)
	if n := len(x); n%2 == 0 {
		return x[n/2-1]/2 + x[n/2]/2
	}
	return x[len(x)/2]
}

// gather sets what fit needs of d.plain.
func (d *detector) gather() {
	x := d.plain
	n := len(x)
	d.sum, d.sumT, d.squares = grow.To(d.sum, n+1), grow.To(d.sumT, n+1), grow.To(d.squares, n+1)
	d.sum[0], d.sumT[0], d.squares[0] = 0, 0, 0
	d.column = d.column[:0]
	for t, v := range x {
		v -= x[0]
		d.sum[t+1], d.sumT[t+1], d.squares[t+1] = d.sum[t]+v, d.sumT[t]+v*float64(t), d.squares[t]+v*v
		if t > 0 {
			d.column = append(d.column, math.Abs(x[t]-x[t-1]))
		}
	}
	d.noise = medianOf(d.column) * 1.4826 / math.Sqrt2 // of white noise
}

// partition sets segments to those of d.plain.
func (d *detector) partition() {
	n := len(d.plain)
	d.least = max(leastSegment, min(len(d.effect), n/16))
	d.programme(n)
	line, _ := d.fit(0, n)
	d.segments = append(d.segments[:0], line)
	logn := math.Log(float64(n))
	rival := math.Log(min(d.smooth(), d.innovations(d.segments)))
	most := 0.0
	for k := 1; k < mostSegments; k++ {
		if !(d.cost[k*(n+1)+n] < math.Inf(1)) {
			break
		}
		d.best = d.trace(d.best[:0], k, n)
		sse := d.innovations(d.best)
		if gain := float64(n)/2*(rival-math.Log(sse)) - float64(k)*changePrice*logn; gain > most && d.phi <= mostPhi && d.large(d.best, sse) {
			most = gain
			d.segments = append(d.segments[:0], d.best...)
		}
	}
}

// programme fills cost and back.
func (d *detector) programme(n int) {
	w := n + 1
	d.cost, d.back = grow.To(d.cost, mostSegments*w), grow.To(d.back, mostSegments*w)
	for i := range d.cost {
		d.cost[i] = math.Inf(1)
	}
	for j := d.least; j <= n; j++ {
		_, d.cost[j] = d.fit(0, j)
	}
	for j := 2 * d.least; j <= n; j++ {
		for i := d.least; i <= j-d.least; i++ {
			_, c := d.fit(i, j)
			for k := 1; k < mostSegments; k++ {
				before := d.cost[(k-1)*w+i]
				if before+c < d.cost[k*w+j] {
					d.cost[k*w+j], d.back[k*w+j] = before+c, i
				}
			}
		}
	}
}

// trace appends the best k+1 segments of the first j blocks.
func (d *detector) trace(dst []segment, k, j int) []segment {
	w := len(d.plain) + 1
	for ; k >= 0; k-- {
		i := 0
		if k > 0 {
			i = d.back[k*w+j]
		}
		s, _ := d.fit(i, j)
		dst = append(dst, s)
		j = i
	}
	slices.Reverse(dst)
	return dst
}

// fit returns the line of blocks i to j and its squares; a slope has to earn its price.
func (d *detector) fit(i, j int) (segment, float64) {
	n := float64(j - i)
	s := d.sum[j] - d.sum[i]
	mean := s / n
	flat := max(0, d.squares[j]-d.squares[i]-s*mean)
	at := segment{from: i, level: mean + d.plain[0]}
	if j-i < 2*d.least {
		return at, flat
	}
	mid := float64(i) + (n-1)/2
	cross := d.sumT[j] - d.sumT[i] - mid*s
	wide := n * (n*n - 1) / 12
	if less := cross * cross / wide; less > 2*math.Log(float64(len(d.plain)))*max(d.noise*d.noise, flat/n/8) {
		at.slope = cross / wide
		at.level -= at.slope * (n - 1) / 2
		flat = max(0, flat-less)
	}
	return at, flat
}

// innovations returns the mean square of what segments leave, less the part of it that is still
// there a step later.
func (d *detector) innovations(list []segment) float64 {
	var last, xx, xy, yy float64
	k, n := 0, 0.0
	for t, x := range d.plain {
		if k+1 < len(list) && list[k+1].from == t {
			k++
		}
		e := x - list[k].at(float64(t))
		if t > 0 {
			xx, xy, yy = xx+last*last, xy+last*e, yy+e*e
			n++
		}
		last = e
	}
	if xx > 0 && xy > 0 {
		yy -= xy * xy / xx
	}
	d.phi = xy / max(xx, 1e-300)
	return max(yy/n, d.floor())
}

// floor is a variance that counts as none.
func (d *detector) floor() float64 {
	n := float64(len(d.plain))
	return 1e-9*d.squares[len(d.plain)]/n + math.SmallestNonzeroFloat64
}

// large reports whether each change is one that matters beside the errors, and whether a slope that
// goes on has lasted for leastSlope blocks.
func (d *detector) large(list []segment, sse float64) bool {
	if last := &list[len(list)-1]; last.slope != 0 && len(d.plain)-last.from < leastSlope {
		return false
	}
	for i := 1; i < len(list); i++ {
		a, b := &list[i-1], &list[i]
		end := len(d.plain)
		if i+1 < len(list) {
			end = list[i+1].from
		}
		start, stop := float64(b.from), float64(end)
		jump := max(math.Abs(b.at(start)-a.at(start)), math.Abs(b.at(stop)-a.at(stop)))
		if jump*jump < leastJump*leastJump*sse {
			return false
		}
	}
	return true
}

// smooth returns the least mean square of the one-step errors of exponential smoothing, with and
// without a trend.
func (d *detector) smooth() float64 {
	best := math.Inf(1)
	for _, alpha := range [...]float64{0, .05, .1, .2, .3, .5, .7, 1} {
		for _, beta := range [...]float64{0, .1, .3} {
			level, trend, sum := d.plain[0], 0.0, 0.0
			for t, x := range d.plain[1:] {
				e := x - level - trend
				sum += e * e
				a := max(alpha, 1/float64(t+2)) // a mean at first
				level += trend + a*e
				trend += beta * alpha * e
			}
			best = min(best, sum/float64(len(d.plain)-1))
		}
	}
	return max(best, d.floor())
}

// moved sets dst to the series as it would have been had all of it been at the level of its last
// segment: what was before a change is moved by what the level changed. A last segment with a slope
// counts with the level of its first block. The segments are those of the series from first on.
func (d *detector) moved(dst, series []float64, first int) []float64 {
	dst = append(dst[:0], series...)
	first += d.origin
	last := &d.segments[len(d.segments)-1]
	for i, s := range d.segments[:len(d.segments)-1] {
		from := 0
		if i > 0 {
			from = first + s.from*d.block
		}
		for t := from; t < first+d.segments[i+1].from*d.block; t++ {
			at := (float64(t-first)+.5)/float64(d.block) - .5
			dst[t] += last.level - s.at(max(float64(s.from), at))
		}
	}
	return dst
}
