package main

import (
	"bytes"
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// A point is a place in the source with one way to change what stands there.
type point struct {
	id         int
	file       string // path from the root of the module
	line       int
	function   string // that the place is in, "" outside of functions
	before     string // source text, on one line
	after      string
	nth        int // of the same change in the same function, from 1
	start, end int // offsets in the file
	// render writes the place with the choice between old and new in it; sub writes
	// a part of the file between two offsets.
	render func(sub func(from, to int) string) string
}

// key identifies a change without its line, which moves.
func (p *point) key() string {
	return fmt.Sprintf("%s\t%s\t%s → %s\t%d", p.file, p.function, p.before, p.after, p.nth)
}

func (p *point) String() string {
	return fmt.Sprintf("%s:%d: %s: %s → %s", p.file, p.line, cmp.Or(p.function, "package"), p.before, p.after)
}

// swaps has the operator that takes the place of another, and the function of the
// helper file that computes either.
var swaps = map[token.Token]struct {
	to   token.Token
	name string
}{
	token.ADD: {token.SUB, "Add"}, token.SUB: {token.ADD, "Sub"},
	token.MUL: {token.QUO, "Mul"}, token.QUO: {token.MUL, "Quo"},
	token.REM: {token.MUL, "Rem"},
	token.AND: {token.OR, "And"}, token.OR: {token.AND, "Or"}, token.XOR: {token.AND, "Xor"},
	token.LSS: {token.LEQ, "Lss"}, token.LEQ: {token.LSS, "Leq"},
	token.GTR: {token.GEQ, "Gtr"}, token.GEQ: {token.GTR, "Geq"},
	token.EQL: {token.NEQ, ""}, token.NEQ: {token.EQL, ""},
	token.LAND: {token.LOR, ""}, token.LOR: {token.LAND, ""},
}

// assigns has the same for assignments with an operator.
var assigns = map[token.Token]token.Token{
	token.ADD_ASSIGN: token.SUB_ASSIGN, token.SUB_ASSIGN: token.ADD_ASSIGN,
	token.MUL_ASSIGN: token.QUO_ASSIGN, token.QUO_ASSIGN: token.MUL_ASSIGN,
	token.AND_ASSIGN: token.OR_ASSIGN, token.OR_ASSIGN: token.AND_ASSIGN,
	token.SHL_ASSIGN: token.SHR_ASSIGN, token.SHR_ASSIGN: token.SHL_ASSIGN,
}

// A finder collects the points of one file.
type finder struct {
	fset     *token.FileSet
	info     *types.Info
	file     string
	src      []byte
	function string
	points   []*point
}

// find lists the points of a file in the order of their places.
func find(fset *token.FileSet, info *types.Info, f *ast.File, file string, src []byte) []*point {
	fd := &finder{fset: fset, info: info, file: file, src: src}
	for _, d := range f.Decls {
		fd.function = ""
		if fn, ok := d.(*ast.FuncDecl); ok {
			fd.function = fn.Name.Name
			if fn.Recv != nil {
				t := string(src[fd.offset(fn.Recv.List[0].Type.Pos()):fd.offset(fn.Recv.List[0].Type.End())])
				fd.function = strings.TrimPrefix(strings.Split(t, "[")[0], "*") + "." + fn.Name.Name
			}
		}
		ast.Inspect(d, func(n ast.Node) bool {
			if n != nil {
				fd.node(n)
			}
			return true
		})
	}
	slices.SortStableFunc(fd.points, func(a, b *point) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(b.end, a.end))
	})
	count := map[string]int{}
	for _, p := range fd.points {
		k := p.key()
		count[k]++
		p.nth = count[k]
	}
	return fd.points
}

func (fd *finder) offset(p token.Pos) int { return fd.fset.Position(p).Offset }

func (fd *finder) text(n ast.Node) string {
	return string(fd.src[fd.offset(n.Pos()):fd.offset(n.End())])
}

// oneLine shortens source text for people.
func oneLine(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > 90 {
		s = string(r[:87]) + "..."
	}
	return s
}

func (fd *finder) add(n ast.Node, before, after string, render func(p *point, sub func(from, to int) string) string) {
	p := &point{
		file: fd.file, line: fd.fset.Position(n.Pos()).Line, function: fd.function,
		before: oneLine(before), after: oneLine(after),
		start: fd.offset(n.Pos()), end: fd.offset(n.End()),
	}
	p.render = func(sub func(from, to int) string) string { return render(p, sub) }
	fd.points = append(fd.points, p)
}

func (fd *finder) node(n ast.Node) {
	switch n := n.(type) {
	case *ast.IfStmt:
		fd.condition(n.Cond)
		if n.Else == nil {
			for _, s := range n.Body.List {
				if _, ok := s.(*ast.ReturnStmt); ok {
					fd.drop(s)
				}
			}
		}
	case *ast.ForStmt:
		if n.Cond != nil {
			fd.condition(n.Cond)
		}
	case *ast.SwitchStmt:
		if n.Tag == nil {
			for _, c := range n.Body.List {
				for _, e := range c.(*ast.CaseClause).List {
					fd.condition(e)
				}
			}
		}
	case *ast.BinaryExpr:
		fd.binary(n)
	case *ast.BlockStmt:
		fd.statements(n.List)
	case *ast.CaseClause:
		fd.statements(n.Body)
	case *ast.CommClause:
		fd.statements(n.Body)
	}
}

// condition negates.
func (fd *finder) condition(e ast.Expr) {
	tv := fd.info.Types[e]
	if tv.Value != nil || !types.Identical(types.Default(tv.Type), types.Typ[types.Bool]) {
		return
	}
	// == and != are negated as operators.
	if b, ok := ast.Unparen(e).(*ast.BinaryExpr); ok && (b.Op == token.EQL || b.Op == token.NEQ) {
		return
	}
	fd.add(e, fd.text(e), "!("+fd.text(e)+")", func(p *point, sub func(int, int) string) string {
		return fmt.Sprintf("((%s) != mutantIs(%d))", sub(p.start, p.end), p.id)
	})
}

// binary swaps an operator.
func (fd *finder) binary(n *ast.BinaryExpr) {
	swap, ok := swaps[n.Op]
	tv := fd.info.Types[n]
	if !ok || tv.Value != nil {
		return
	}
	x, y := fd.offset(n.X.Pos()), fd.offset(n.Y.Pos())
	xEnd, yEnd := fd.offset(n.X.End()), fd.offset(n.Y.End())
	before := fd.text(n.X) + " " + n.Op.String() + " " + fd.text(n.Y)
	after := fd.text(n.X) + " " + swap.to.String() + " " + fd.text(n.Y)
	switch {
	case n.Op == token.EQL || n.Op == token.NEQ:
		if !types.Identical(types.Default(tv.Type), types.Typ[types.Bool]) {
			return
		}
		fd.add(n, before, after, func(p *point, sub func(int, int) string) string {
			return fmt.Sprintf("((%s %s %s) != mutantIs(%d))", sub(x, xEnd), n.Op, sub(xEnd, y)[fd.gap(xEnd, y, n.Op):]+sub(y, yEnd), p.id)
		})
	case n.Op == token.LAND || n.Op == token.LOR:
		fd.add(n, before, after, func(p *point, sub func(int, int) string) string {
			a, b := sub(x, xEnd), sub(y, yEnd)
			// The old form keeps the lines of the file, the new form stands on one of them.
			return fmt.Sprintf("(mutantIs(%d) && ((%s) %s (%s)) || !mutantIs(%d) && ((%s) %s%s(%s)))",
				p.id, flat(a), swap.to, flat(b), p.id, a, n.Op, lines(fd.src[xEnd:y]), b)
		})
	default:
		if !fd.numbers(n.X, n.Y, n.Op) {
			return
		}
		fd.add(n, before, after, func(p *point, sub func(int, int) string) string {
			return fmt.Sprintf("mutant%s(%d, %s,%s%s)", swap.name, p.id, sub(x, xEnd), lines(fd.src[xEnd:y]), sub(y, yEnd))
		})
	}
}

// gap is where the text between two operands goes on after the operator.
func (fd *finder) gap(from, to int, op token.Token) int {
	return bytes.Index(fd.src[from:to], []byte(op.String())) + len(op.String())
}

// lines keeps the line breaks of a text between two operands.
func lines(b []byte) string { return " " + strings.Repeat("\n", bytes.Count(b, []byte("\n"))) }

// flat writes code on one line where that is possible: code with comments to the end
// of a line or with statements is left as it is.
func flat(s string) string {
	if strings.Contains(s, "//") || strings.ContainsAny(s, "{`") {
		return s
	}
	return strings.ReplaceAll(s, "\n", " ")
}

// numbers reports whether both operands have one type that the helper functions
// take.
func (fd *finder) numbers(x, y ast.Expr, op token.Token) bool {
	a, b := fd.info.Types[x], fd.info.Types[y]
	if a.Value != nil && b.Value != nil {
		return false
	}
	t := a.Type
	if a.Value != nil {
		t = b.Type
	}
	if a.Value == nil && b.Value == nil && !types.Identical(a.Type, b.Type) {
		return false
	}
	if _, ok := types.Unalias(t).(*types.TypeParam); ok {
		return false
	}
	basic, ok := t.Underlying().(*types.Basic)
	if !ok || basic.Info()&types.IsUntyped != 0 {
		return false
	}
	switch op {
	case token.LSS, token.LEQ, token.GTR, token.GEQ:
		return basic.Info()&types.IsOrdered != 0
	case token.REM, token.AND, token.OR, token.XOR:
		return basic.Info()&types.IsInteger != 0
	}
	return basic.Info()&(types.IsInteger|types.IsFloat) != 0
}

// statements drops statements and swaps the operators of assignments.
func (fd *finder) statements(list []ast.Stmt) {
	for _, s := range list {
		switch s := s.(type) {
		case *ast.ExprStmt:
			if c, ok := s.X.(*ast.CallExpr); ok {
				if f, ok := c.Fun.(*ast.Ident); ok && f.Name == "panic" {
					continue // a function may need it to end
				}
				fd.drop(s)
			}
		case *ast.BranchStmt:
			if s.Tok == token.BREAK || s.Tok == token.CONTINUE {
				fd.drop(s)
			}
		case *ast.IncDecStmt:
			to := "--"
			if s.Tok == token.DEC {
				to = "++"
			}
			fd.either(s, to, fd.text(s.X)+to)
		case *ast.AssignStmt:
			if s.Tok == token.DEFINE || len(s.Lhs) == 1 && fd.text(s.Lhs[0]) == "_" {
				continue
			}
			if to, ok := assigns[s.Tok]; ok && fd.numbers(s.Lhs[0], s.Rhs[0], token.ADD) {
				fd.either(s, to.String(), fd.text(s.Lhs[0])+" "+to.String()+" "+fd.text(s.Rhs[0]))
			}
			fd.drop(s)
		}
	}
}

func (fd *finder) drop(s ast.Stmt) {
	fd.add(s, fd.text(s), "nothing", func(p *point, sub func(int, int) string) string {
		return fmt.Sprintf("if !mutantIs(%d) { %s }", p.id, sub(p.start, p.end))
	})
}

// either writes a statement twice, with the old and with the new operator.
func (fd *finder) either(s ast.Stmt, to, after string) {
	var at, end int // of the operator
	switch s := s.(type) {
	case *ast.IncDecStmt:
		at = fd.offset(s.TokPos)
		end = at + 2
	case *ast.AssignStmt:
		at = fd.offset(s.TokPos)
		end = at + len(s.Tok.String())
	}
	fd.add(s, fd.text(s), after, func(p *point, sub func(int, int) string) string {
		changed := sub(p.start, at) + to + sub(end, p.end)
		if strings.Contains(changed, "\n") {
			// The changed form comes last, so that the lines before stay where they are.
			return fmt.Sprintf("if !mutantIs(%d) { %s } else { %s }", p.id, sub(p.start, p.end), changed)
		}
		return fmt.Sprintf("if mutantIs(%d) { %s } else { %s }", p.id, changed, sub(p.start, p.end))
	})
}

// rewrite writes a file with the choices of the given points in it. The points are
// in the order of find.
func rewrite(src []byte, points []*point) string {
	var part func(from, to int, ps []*point) string
	part = func(from, to int, ps []*point) string {
		var b strings.Builder
		at := from
		for len(ps) > 0 {
			p := ps[0]
			n := 1
			for n < len(ps) && ps[n].start < p.end {
				n++
			}
			inner := ps[1:n]
			b.Write(src[at:p.start])
			b.WriteString(p.render(func(from, to int) string {
				var within []*point
				for _, q := range inner {
					if q.start >= from && q.end <= to {
						within = append(within, q)
					}
				}
				return part(from, to, within)
			}))
			at, ps = p.end, ps[n:]
		}
		b.Write(src[at:to])
		return b.String()
	}
	return part(0, len(src), points)
}

// helpers is the file that the changed packages get: what is changed is said by the
// environment.
const helpers = `package %s

import (
	"os"
	"runtime/metrics"
	"strconv"
	"sync/atomic"
	"time"
)

var mutantNow = mutantStart()

var mutantLog *os.File
var mutantSeen [%d]atomic.Bool

func mutantStart() int {
	if name := os.Getenv("MUTANT_REACHED"); name != "" {
		f, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
		if err != nil {
			panic(err)
		}
		mutantLog = f
		return -1
	}
	n, err := strconv.Atoi(os.Getenv("MUTANT"))
	if err != nil {
		return -2
	}
	go func() { // a changed loop may take all memory
		s := []metrics.Sample{{Name: "/memory/classes/total:bytes"}}
		for {
			time.Sleep(20 * time.Millisecond)
			if metrics.Read(s); s[0].Value.Uint64() > %d {
				os.Exit(3)
			}
		}
	}()
	return n
}

func mutantIs(id int) bool {
	if mutantNow == -1 {
		mutantReach(id)
	}
	return mutantNow == id
}

func mutantReach(id int) {
	if !mutantSeen[id].Swap(true) {
		mutantLog.WriteString(strconv.Itoa(id) + "\n")
	}
}

type mutantInteger interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~uintptr
}

type mutantNumber interface {
	mutantInteger | ~float32 | ~float64
}

type mutantOrdered interface {
	mutantNumber | ~string
}

func mutantAdd[T mutantNumber](id int, a, b T) T { if mutantIs(id) { return a - b }; return a + b }
func mutantSub[T mutantNumber](id int, a, b T) T { if mutantIs(id) { return a + b }; return a - b }
func mutantMul[T mutantNumber](id int, a, b T) T { if mutantIs(id) { return a / b }; return a * b }
func mutantQuo[T mutantNumber](id int, a, b T) T { if mutantIs(id) { return a * b }; return a / b }
func mutantRem[T mutantInteger](id int, a, b T) T { if mutantIs(id) { return a * b }; return a %% b }
func mutantAnd[T mutantInteger](id int, a, b T) T { if mutantIs(id) { return a | b }; return a & b }
func mutantOr[T mutantInteger](id int, a, b T) T { if mutantIs(id) { return a & b }; return a | b }
func mutantXor[T mutantInteger](id int, a, b T) T { if mutantIs(id) { return a & b }; return a ^ b }
func mutantLss[T mutantOrdered](id int, a, b T) bool { if mutantIs(id) { return a <= b }; return a < b }
func mutantLeq[T mutantOrdered](id int, a, b T) bool { if mutantIs(id) { return a < b }; return a <= b }
func mutantGtr[T mutantOrdered](id int, a, b T) bool { if mutantIs(id) { return a >= b }; return a > b }
func mutantGeq[T mutantOrdered](id int, a, b T) bool { if mutantIs(id) { return a > b }; return a >= b }
`
