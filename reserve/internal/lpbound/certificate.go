package lpbound

import (
	"math"

	"github.com/plimsoll/plimsoll/internal/wide"
)

// planCost bills an integral plan within the caps of the columns, indexed [class*periods + period].
// It sets active to what is active in each row. The error is errPlan for a plan above the limit of a
// row, or ErrOverflow.
func (m *model) planCost(plan []int, active []int64) (int64, error) {
	n := m.n
	active = active[:m.rows]
	clear(active)
	total := m.base
	ok := true
	for c := range m.classes {
		for i := range n {
			j := c*n + i
			v := plan[j]
			if v == 0 {
				continue
			}
			f, fits := wide.Mul(int64(v), m.feeI[j])
			if !fits {
				return 0, ErrOverflow
			}
			if total, ok = wide.Add(total, f); !ok {
				return 0, ErrOverflow
			}
			for k := 0; k <= m.level[c]; k++ {
				active[k*n+i] += int64(v)
				if e := i + m.term[c]; e < n {
					active[k*n+e] -= int64(v)
				}
			}
		}
	}
	for r := range m.rows {
		if r%n > 0 {
			active[r] += active[r-1]
		}
	}
	for r := range m.rows {
		have := active[r] + int64(m.inv[r])
		save, left := m.worthUpTo(r, have)
		if left > 0 && m.hard[r] {
			return 0, errPlan
		}
		total -= save // all rows together save no more than base
	}
	return total, nil
}

// worthUpTo is φ: what the first v units of row r save, and how many units of
// v lie above the last breakpoint. A period's rows save no more than the period costs on demand.
func (m *model) worthUpTo(r int, v int64) (save, left int64) {
	var prev, units int64
	for a := range m.size[r] {
		if v <= prev {
			break
		}
		at := int64(m.val[m.off[r]+a])
		units += (min(v, at) - prev) * int64(m.cnt[m.off[r]+a])
		prev = at
	}
	return units * m.priceI[r/m.n], max(0, v-prev)
}

// bound returns a lower bound on the cost of every plan that buys from lo[j] to hi[j] units of each
// column j. If lo is nil, the least is 0; if hi is nil, the most is the limit of the column. A
// column is the purchases of one class in one period. A row is the active reservations of one level
// of use prices in one period. A hard row has a limit.
//
// The bound is the Lagrangian dual function at y, computed in integers. y[r] is the price of one
// active reservation in row r. Only the price of a hard row may be negative. sum is scratch memory.
//
// A column pays if the prices of its rows together exceed its fee. bound then buys as much of the
// column as an optimal plan can need: the limit of the column, or the peak of the demand during the
// term, whichever is less.
//
// The cost of every plan differs from m.base, the cost of everything on demand, by a multiple of
// m.unit. bound therefore rounds its result up to the next such cost. If a price is beyond
// maxPrice, bound returns math.MinInt64, which proves nothing.
func (m *model) bound(y, sum []int64, lo, hi []float64) int64 {
	n := m.n
	var total wide.Int
	total.AddProduct(m.base, 1)
	// Rows: -y inv - max over N of worth(N) - y N.
	for r, v := range y {
		if v > maxPrice || v < -maxPrice {
			return math.MinInt64
		}
		total.AddProduct(-v, int64(m.inv[r]))
		price := m.priceI[r/n]
		var prev int64
		for a := range m.size[r] {
			at := int64(m.val[m.off[r]+a])
			w, fits := wide.Mul(price, int64(m.cnt[m.off[r]+a]))
			if !fits || w > maxPrice {
				return math.MinInt64
			}
			d := w - v
			if d <= 0 {
				break
			}
			total.AddProduct(-d, at-prev)
			prev = at
		}
	}
	// Columns: min over lo <= x <= hi of (fee - Σ y) x.
	sum = sum[:n+1]
	for c := range m.classes {
		if m.level[c] < 0 {
			continue
		}
		sum[0] = 0
		for i := range n {
			t := sum[i]
			for k := 0; k <= m.level[c]; k++ {
				t += y[k*n+i]
			}
			if t > maxPrice || t < -maxPrice {
				return math.MinInt64
			}
			sum[i+1] = t
		}
		for i := range n {
			j := c*n + i
			d := m.feeI[j] - (sum[min(i+m.term[c], n)] - sum[i])
			units := int64(0)
			if d < 0 {
				if units = m.most(j); hi != nil && hi[j] < float64(units) {
					units = int64(hi[j])
				}
			}
			if lo != nil {
				units = max(units, int64(lo[j]))
			}
			if units != 0 {
				total.AddProduct(d, units)
			}
		}
	}
	// Lift to the grid base - unit*ℤ.
	gap := wide.Int{}
	gap.AddProduct(m.base, 1)
	gap = gap.Minus(total)
	g, fits := gap.Int64()
	if !fits || g < 0 {
		t, _ := total.Int64()
		return t
	}
	if m.unit > 1 {
		g = g / m.unit * m.unit
	}
	return m.base - g // base >= 0, g >= 0: no overflow
}

// maxPrice keeps sums of prices far from overflow; a certificate beyond it
// proves nothing.
const maxPrice = 1 << 58

// most is how many units of column j an optimal plan can need.
func (m *model) most(j int) int64 {
	c := j / m.n
	i := j - c*m.n
	peak := int64(0)
	for t := i; t < min(i+m.term[c], m.n); t++ {
		// Level 0 may be cut off by MaxActive, which limits the column too.
		if s := m.size[t]; s > 0 {
			peak = max(peak, int64(m.val[m.off[t]+s-1]))
		}
	}
	if m.cap[j] < float64(peak) {
		return int64(m.cap[j])
	}
	return peak
}
