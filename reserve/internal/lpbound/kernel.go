package lpbound

// The kernel K is the square matrix of the active rows and the basic columns, and w is the
// inverse of K. A step replaces one row or column of K, adds a row and a column, or removes a
// row and a column. Each changes w by a matrix of rank one. On the demand files 2-8% of the
// entries of w are not zero, so updates skip zeros. An entry below drop counts as zero.
//
// dr is the direction of a step: -sign*w*a if column a enters, sign*w[:,q] if row q enters.
// Each step updates yk = w^T g. If a column enters, its g is 0 at first, and the function
// prices then sets the true value.

const drop = 1e-14 // entries of a non-unimodular inverse may decay geometrically, so not much larger

// rowTimes returns b^T w, b the entries of row r in the basic columns.
func (s *simplex) rowTimes(r int) []float64 {
	v := s.v[:s.p]
	clear(v)
	at := s.place(r)
	for c, col := range s.colAt[:s.p] {
		if s.has(at, col) {
			for q, f := range s.w[c*s.stride : c*s.stride+s.p] {
				v[q] += f
			}
		}
	}
	return v
}

func (s *simplex) nonzeros(v []float64) []int32 {
	list := s.list[:0]
	for q, f := range v {
		if f > drop || f < -drop {
			list = append(list, int32(q))
		} else if f != 0 {
			v[q] = 0
		}
	}
	return list
}

// subtract takes h*v off row, v given with its nonzeros. Where those are many
// it does without the list.
func subtract(row []float64, h float64, v []float64, list []int32) {
	if len(list)*4 > len(v) {
		row = row[:len(v)]
		for q, f := range v {
			row[q] -= h * f
		}
		return
	}
	for _, q := range list {
		f := row[q] - h*v[q]
		if f < drop && f > -drop {
			f = 0
		}
		row[q] = f
	}
}

func (s *simplex) growKernel(j, r int, sign float64) {
	if s.p == s.stride {
		s.reserve(s.p + 1)
	}
	p := s.p
	v := s.v[:p] // from devex
	list := s.nonzeros(v)
	piv := sign * s.dN[r] // d - b w a
	dr := s.dr[:p]
	dot := 0.0
	for c := range p {
		row := s.w[c*s.stride : c*s.stride+p+1]
		u := -sign * dr[c] / piv // (w a)_c / piv
		row[p] = -u
		if u != 0 {
			dot += u * s.g[c]
			subtract(row, -u, v, list)
		}
	}
	row := s.w[p*s.stride : p*s.stride+p+1]
	for q, f := range v {
		row[q] = -f / piv
	}
	row[p] = 1 / piv
	for _, q := range list {
		s.yk[q] += dot * v[q]
	}
	s.yk[p], s.g[p] = -dot, 0
	s.colsK[p], s.rowsK[p] = int32(j), int32(r)
	s.colAt[p], s.rowAt[p] = s.span(j), s.place(r)
	s.pos[j], s.kpos[r] = int32(p), int32(p)
	s.hold(r)
	s.p++
	s.maxP = max(s.maxP, s.p)
}

// hold puts row r exactly on its breakpoint; its price is the kernel's now.
func (s *simplex) hold(r int) {
	s.N[r] = float64(s.val[s.off[r]+s.seg[r]])
	s.yi[r] = 0
}

func (s *simplex) swapColumn(c, j int, sign float64) {
	p := s.p
	dr := s.dr[:p]
	own := s.w[c*s.stride : c*s.stride+p]
	list := s.nonzeros(own)
	f := -sign / dr[c] // 1 / (w a)_c
	for _, q := range list {
		own[q] *= f
	}
	dot := -sign * dr[c] * s.g[c]
	for i := range p {
		if i == c || dr[i] == 0 {
			continue
		}
		u := -sign * dr[i]
		dot += u * s.g[i]
		subtract(s.w[i*s.stride:i*s.stride+p], u, own, list)
	}
	for _, q := range list {
		s.yk[q] -= dot * own[q]
	}
	s.g[c] = 0
	s.pos[s.colsK[c]] = -1
	s.colsK[c], s.colAt[c], s.pos[j] = int32(j), s.span(j), int32(c)
}

func (s *simplex) swapRow(q0, r int) {
	p := s.p
	v := s.v[:p] // from devex
	list := s.nonzeros(v)
	piv := v[q0]
	dot := 0.0
	for c := range p {
		row := s.w[c*s.stride : c*s.stride+p]
		h := row[q0]
		if h < drop && h > -drop {
			row[q0] = 0
			continue
		}
		h /= piv
		dot += h * s.g[c]
		subtract(row, h, v, list)
		row[q0] = h
	}
	for _, q := range list {
		s.yk[q] -= dot * v[q]
	}
	s.yk[q0] += dot
	s.kpos[s.rowsK[q0]] = -1
	s.rowsK[q0], s.rowAt[q0], s.kpos[r] = int32(r), s.place(r), int32(q0)
	s.hold(r)
}

func (s *simplex) shrinkKernel(c, q0 int) {
	p := s.p
	own := s.w[c*s.stride : c*s.stride+p]
	list := s.nonzeros(own)
	piv := own[q0]
	dot := s.g[c]
	for i := range p {
		if i == c {
			continue
		}
		row := s.w[i*s.stride : i*s.stride+p]
		if h := row[q0]; h > drop || h < -drop {
			h /= piv
			dot += h * s.g[i]
			subtract(row, h, own, list)
		}
	}
	for _, q := range list {
		s.yk[q] -= dot * own[q]
	}
	last := p - 1
	s.pos[s.colsK[c]], s.kpos[s.rowsK[q0]] = -1, -1
	if c != last {
		copy(own, s.w[last*s.stride:last*s.stride+p])
		s.colsK[c], s.colAt[c], s.g[c] = s.colsK[last], s.colAt[last], s.g[last]
		s.pos[s.colsK[c]] = int32(c)
	}
	if q0 != last {
		for i := range last {
			s.w[i*s.stride+q0] = s.w[i*s.stride+last]
		}
		s.rowsK[q0], s.rowAt[q0], s.yk[q0] = s.rowsK[last], s.rowAt[last], s.yk[last]
		s.kpos[s.rowsK[q0]] = int32(q0)
	}
	s.p--
}

// refine takes one Newton step w += w*(I - K*w), row by row of K: it squares
// the error of the inverse.
func (s *simplex) refine() {
	s.work += 4 * int64(s.p) * int64(s.p) * int64(s.p)
	p := s.p
	for q0 := range p {
		v := s.rowTimes(int(s.rowsK[q0]))
		v[q0]--
		list := s.list[:0]
		for q, f := range v {
			if f > 1e-14 || f < -1e-14 {
				list = append(list, int32(q))
			}
		}
		if len(list) == 0 {
			continue
		}
		for c := range p {
			row := s.w[c*s.stride : c*s.stride+p]
			if h := row[q0]; h != 0 {
				subtract(row, h, v, list)
			}
		}
	}
}
