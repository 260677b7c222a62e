package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"go/constant"
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
)

// load reads the library packages of the module in dir from the compiler's export
// data. The packages are sorted by import path.
func load(dir string) (module string, pkgs []*types.Package, err error) {
	out, err := goCommand(dir, "list", "-m")
	if err != nil {
		return "", nil, err
	}
	module = strings.TrimSpace(string(out))
	if out, err = goCommand(dir, "list", "-export", "-deps", "-json=ImportPath,Export,DepOnly", "./..."); err != nil {
		return "", nil, err
	}
	exports := map[string]string{}
	var paths []string
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p struct {
			ImportPath, Export string
			DepOnly            bool
		}
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return "", nil, err
		}
		exports[p.ImportPath] = p.Export
		if !p.DepOnly && library(module, p.ImportPath) {
			paths = append(paths, p.ImportPath)
		}
	}
	imp := importer.ForCompiler(token.NewFileSet(), "gc", func(path string) (io.ReadCloser, error) {
		return os.Open(exports[path])
	})
	slices.Sort(paths)
	for _, path := range paths {
		pkg, err := imp.Import(path)
		if err != nil {
			return "", nil, err
		}
		pkgs = append(pkgs, pkg)
	}
	return module, pkgs, nil
}

// library reports whether programs can import the package.
func library(module, path string) bool {
	rest := strings.TrimPrefix(path, module)
	return !strings.HasPrefix(rest, "/examples/") && !strings.Contains(rest+"/", "/internal/")
}

func goCommand(dir string, args ...string) ([]byte, error) {
	cmd := exec.Command("go", args...)
	cmd.Dir = dir
	out, err := cmd.Output()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return nil, fmt.Errorf("go %s: %s", args[0], bytes.TrimSpace(exit.Stderr))
	}
	return out, err
}

// A lister collects what the exported names of a module's packages consist of.
type lister struct {
	module string
	pkgs   map[*types.Package]*section
}

// A section has the declarations of one package.
type section struct {
	seen    map[types.Object]bool
	imports map[string]string // names of packages by path
	decls   []decl
}

// A decl is a declaration with its place in the section: constants, variables and
// functions come before types.
type decl struct {
	kind       int
	name, text string
}

// list writes the exported surface as one section of Go declarations per package,
// sorted by import path, the declarations of a section sorted by name. An
// unexported type, or a type of an internal package, is listed if an exported
// declaration mentions the type.
func list(module string, pkgs []*types.Package) (string, error) {
	l := &lister{module, map[*types.Package]*section{}}
	for _, pkg := range pkgs {
		l.section(pkg)
		for _, name := range pkg.Scope().Names() {
			if obj := pkg.Scope().Lookup(name); obj.Exported() {
				l.object(obj)
			}
		}
	}
	var b strings.Builder
	for _, pkg := range slices.SortedFunc(maps.Keys(l.pkgs), func(a, b *types.Package) int { return cmp.Compare(a.Path(), b.Path()) }) {
		s := l.pkgs[pkg]
		var src strings.Builder
		fmt.Fprintf(&src, "package %s // import %q\n", pkg.Name(), pkg.Path())
		if len(s.imports) > 0 {
			src.WriteString("\n")
		}
		for _, path := range slices.Sorted(maps.Keys(s.imports)) {
			fmt.Fprintf(&src, "import %q\n", path)
		}
		slices.SortFunc(s.decls, func(a, b decl) int {
			return cmp.Or(cmp.Compare(a.kind, b.kind), cmp.Compare(a.name, b.name))
		})
		kind := -1
		for _, d := range s.decls {
			if d.kind != kind || d.kind == typeKind {
				src.WriteString("\n")
			}
			kind = d.kind
			src.WriteString(d.text + "\n")
		}
		b.WriteString("\n" + src.String())
	}
	return b.String(), nil
}

func (l *lister) section(pkg *types.Package) *section {
	s := l.pkgs[pkg]
	if s == nil {
		s = &section{map[types.Object]bool{}, map[string]string{}, nil}
		l.pkgs[pkg] = s
	}
	return s
}

// object lists a declaration of the module once; others are left out.
func (l *lister) object(obj types.Object) {
	pkg := obj.Pkg()
	if pkg == nil || pkg.Path() != l.module && !strings.HasPrefix(pkg.Path(), l.module+"/") {
		return
	}
	s := l.section(pkg)
	if s.seen[obj] {
		return
	}
	s.seen[obj] = true
	w := &writer{lister: l, pkg: pkg, section: s}
	text, kind := w.declaration(obj)
	s.decls = append(s.decls, decl{kind, obj.Name(), text})
}

// A writer writes the declarations of one package.
type writer struct {
	*lister
	pkg     *types.Package
	section *section
}

// typ writes a type and lists the types that it mentions.
func (w *writer) typ(t types.Type) string {
	w.mention(t, map[types.Type]bool{})
	return types.TypeString(t, func(p *types.Package) string {
		if p == w.pkg {
			return ""
		}
		w.section.imports[p.Path()] = p.Name()
		return p.Name()
	})
}

// mention lists the named types that t consists of.
func (w *writer) mention(t types.Type, seen map[types.Type]bool) {
	if seen[t] {
		return
	}
	seen[t] = true
	each := func(ts ...types.Type) {
		for _, t := range ts {
			w.mention(t, seen)
		}
	}
	args := func(ts *types.TypeList) {
		for a := range ts.Types() {
			each(a)
		}
	}
	switch t := t.(type) {
	case *types.Alias:
		w.object(t.Obj())
		args(t.TypeArgs())
	case *types.Named:
		w.object(t.Obj())
		args(t.TypeArgs())
	case interface{ Elem() types.Type }: // pointers, slices, arrays, channels, maps
		each(t.Elem())
		if m, ok := t.(*types.Map); ok {
			each(m.Key())
		}
	case *types.Signature:
		each(t.Params(), t.Results())
	case *types.Tuple:
		for v := range t.Variables() {
			each(v.Type())
		}
	case *types.Struct:
		for f := range t.Fields() {
			each(f.Type())
		}
	case *types.Interface:
		for m := range t.ExplicitMethods() {
			each(m.Type())
		}
		for e := range t.EmbeddedTypes() {
			each(e)
		}
	case *types.Union:
		for term := range t.Terms() {
			each(term.Type())
		}
	case *types.TypeParam:
		each(t.Constraint())
	}
}

// The kinds of declarations in the order of a section.
const (
	constKind = iota
	varKind
	funcKind
	typeKind
)

func (w *writer) declaration(obj types.Object) (text string, kind int) {
	switch obj := obj.(type) {
	case *types.Const:
		t := ""
		if b, ok := obj.Type().(*types.Basic); !ok || b.Info()&types.IsUntyped == 0 {
			t = " " + w.typ(obj.Type())
		}
		return fmt.Sprintf("const %s%s = %s", obj.Name(), t, literal(obj.Val())), constKind
	case *types.Var:
		return fmt.Sprintf("var %s %s", obj.Name(), w.typ(obj.Type())), varKind
	case *types.Func:
		return "func " + obj.Name() + w.typeParams(obj.Signature().TypeParams()) + w.signature(obj.Signature()), funcKind
	case *types.TypeName:
		return w.typeDeclaration(obj), typeKind
	}
	panic(fmt.Sprintf("surface: %v: a declaration of kind %T", obj, obj))
}

// signature writes parameters and results.
func (w *writer) signature(s *types.Signature) string {
	plain := types.NewSignatureType(nil, nil, nil, named(s.Params()), named(s.Results()), s.Variadic())
	return strings.TrimPrefix(w.typ(plain), "func")
}

// named removes the names that the compiler gives to parameters without a name.
func named(list *types.Tuple) *types.Tuple {
	var vars []*types.Var
	for v := range list.Variables() {
		name := v.Name()
		if strings.HasPrefix(name, "#") || name == "_" {
			name = ""
		}
		vars = append(vars, types.NewParam(v.Pos(), v.Pkg(), name, v.Type()))
	}
	if slices.ContainsFunc(vars, func(v *types.Var) bool { return v.Name() != "" }) {
		for i, v := range vars {
			if v.Name() == "" {
				vars[i] = types.NewParam(v.Pos(), v.Pkg(), "_", v.Type())
			}
		}
	}
	return types.NewTuple(vars...)
}

func (w *writer) typeParams(list *types.TypeParamList) string {
	if list.Len() == 0 {
		return ""
	}
	var params []string
	for p := range list.TypeParams() {
		params = append(params, p.Obj().Name()+" "+w.typ(p.Constraint()))
	}
	return "[" + strings.Join(params, ", ") + "]"
}

func (w *writer) typeDeclaration(obj *types.TypeName) string {
	if a, ok := obj.Type().(*types.Alias); ok {
		return fmt.Sprintf("type %s%s = %s", obj.Name(), w.typeParams(a.TypeParams()), w.typ(a.Rhs()))
	}
	named := obj.Type().(*types.Named)
	var b strings.Builder
	fmt.Fprintf(&b, "type %s%s %s", obj.Name(), w.typeParams(named.TypeParams()), w.underlying(named.Underlying()))
	methods := slices.SortedFunc(named.Methods(), func(a, b *types.Func) int { return cmp.Compare(a.Name(), b.Name()) })
	for _, m := range methods {
		if !m.Exported() {
			continue
		}
		recv := m.Signature().Recv()
		fmt.Fprintf(&b, "\nfunc %s %s%s", w.signature(types.NewSignatureType(nil, nil, nil, types.NewTuple(recv), nil, false)), m.Name(), w.signature(m.Signature()))
	}
	return b.String()
}

// underlying writes the right side of a type declaration, structs and interfaces
// with a line for each part. The unexported fields of a struct become one field
// that is comparable if all of them are.
func (w *writer) underlying(t types.Type) string {
	var b strings.Builder
	switch t := t.(type) {
	case *types.Struct:
		hidden, comparable := false, true
		b.WriteString("struct {\n")
		for i := range t.NumFields() {
			f := t.Field(i)
			if !f.Exported() && !(f.Embedded() && promotes(f.Type())) {
				hidden, comparable = true, comparable && types.Comparable(f.Type())
				continue
			}
			b.WriteString("\t")
			if !f.Embedded() {
				b.WriteString(f.Name() + " ")
			}
			b.WriteString(w.typ(f.Type()))
			if tag := t.Tag(i); tag != "" {
				fmt.Fprintf(&b, " %q", tag)
			}
			b.WriteString("\n")
		}
		switch {
		case hidden && comparable:
			b.WriteString("\t_ struct{} // unexported fields\n")
		case hidden:
			b.WriteString("\t_ []struct{} // unexported fields, not comparable\n")
		}
		b.WriteString("}")
	case *types.Interface:
		b.WriteString("interface {\n")
		for e := range t.EmbeddedTypes() {
			b.WriteString("\t" + w.typ(e) + "\n")
		}
		for m := range t.ExplicitMethods() {
			b.WriteString("\t" + m.Name() + w.signature(m.Signature()) + "\n")
		}
		b.WriteString("}")
	default:
		return w.typ(t)
	}
	return b.String()
}

// promotes reports whether an embedded type has exported methods or fields.
func promotes(t types.Type) bool {
	for m := range types.NewMethodSet(types.NewPointer(t)).Methods() {
		if m.Obj().Exported() {
			return true
		}
	}
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	if s, ok := t.Underlying().(*types.Struct); ok {
		for f := range s.Fields() {
			if f.Exported() || f.Embedded() && promotes(f.Type()) {
				return true
			}
		}
	}
	return false
}

// literal writes a constant exactly.
func literal(v constant.Value) string {
	if v.Kind() != constant.Float {
		return v.ExactString()
	}
	f, _ := constant.Float64Val(v)
	short := fmt.Sprintf("%g", f)
	if !strings.ContainsAny(short, ".e") {
		short += ".0"
	}
	if constant.Compare(constant.MakeFromLiteral(short, token.FLOAT, 0), token.EQL, v) {
		return short
	}
	num, den := constant.Num(v), constant.Denom(v)
	return num.ExactString() + ".0 / " + den.ExactString() + ".0"
}
