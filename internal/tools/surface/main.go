// Surface compares the exported names of the library with the file api.txt, which has a line for
// each, so that a change of the library shows every change of its surface.
//
// Usage, in the folder of the library or below it:
//
//	go -C internal/tools run ./surface           # what differs
//	go -C internal/tools run ./surface -write    # writes api.txt anew
package main

import (
	"flag"
	"fmt"
	"go/types"
	"os"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/plimsoll/plimsoll/internal/tools/root"
)

const (
	file   = "api.txt"
	header = "# The exported surface of Plimsoll, written by: go -C internal/tools run ./surface -write\n"
)

func main() {
	write := flag.Bool("write", false, "write "+file+" anew")
	flag.Parse()
	differs, err := run(*write)
	if err != nil {
		fmt.Fprintln(os.Stderr, "surface:", err)
	}
	if err != nil || differs {
		os.Exit(1)
	}
}

func run(write bool) (differs bool, err error) {
	if err := root.Enter(); err != nil {
		return false, err
	}
	now, err := list("./...")
	if err != nil {
		return false, err
	}
	if write {
		return false, os.WriteFile(file, []byte(header+strings.Join(now, "\n")+"\n"), 0o644)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return false, err
	}
	was := strings.Split(strings.TrimSpace(strings.TrimPrefix(string(text), header)), "\n")
	gone, come := minus(was, now), minus(now, was)
	for _, line := range gone {
		fmt.Println("-", line)
	}
	for _, line := range come {
		fmt.Println("+", line)
	}
	if len(gone)+len(come) == 0 {
		return false, nil
	}
	return true, fmt.Errorf("the exported surface is not that of %s: if the change is meant, write the file anew and tell the change in CHANGELOG.md", file)
}

// minus returns the lines of a that b lacks; both are sorted.
func minus(a, b []string) (left []string) {
	for _, line := range a {
		if _, ok := slices.BinarySearch(b, line); !ok {
			left = append(left, line)
		}
	}
	return left
}

// list returns a line for each exported name of the packages that programs import, sorted.
func list(pattern string) ([]string, error) {
	pkgs, err := packages.Load(&packages.Config{Mode: packages.NeedName | packages.NeedTypes | packages.NeedImports | packages.NeedDeps | packages.NeedSyntax | packages.NeedTypesInfo}, pattern)
	if err != nil {
		return nil, err
	}
	var lines []string
	for _, p := range pkgs {
		if len(p.Errors) > 0 {
			return nil, p.Errors[0]
		}
		if p.Name == "main" || strings.Contains(p.PkgPath+"/", "/internal/") {
			continue
		}
		w := writer{path: p.PkgPath, lines: &lines}
		for _, name := range p.Types.Scope().Names() {
			if obj := p.Types.Scope().Lookup(name); obj.Exported() {
				w.object(obj)
			}
		}
	}
	slices.Sort(lines)
	return slices.Compact(lines), nil
}

// A writer writes the lines of a package.
type writer struct {
	path  string
	lines *[]string
}

// text is a type with the names of other packages before their types.
func (w *writer) text(t types.Type) string {
	return types.TypeString(t, func(p *types.Package) string {
		if p.Path() == w.path {
			return ""
		}
		return p.Name()
	})
}

func (w *writer) add(format string, args ...any) {
	*w.lines = append(*w.lines, strings.TrimPrefix(w.path, "github.com/plimsoll/plimsoll/")+": "+fmt.Sprintf(format, args...))
}

func (w *writer) object(obj types.Object) {
	switch obj := obj.(type) {
	case *types.Const:
		w.add("const %s %s = %s", obj.Name(), w.text(obj.Type()), obj.Val().ExactString())
	case *types.Var:
		w.add("var %s %s", obj.Name(), w.text(obj.Type()))
	case *types.Func:
		w.add("func %s%s", obj.Name(), strings.TrimPrefix(w.text(obj.Type()), "func"))
	case *types.TypeName:
		if obj.IsAlias() {
			w.add("type %s = %s", obj.Name(), w.text(types.Unalias(obj.Type())))
			return
		}
		w.named(obj.Name(), obj.Type())
	}
}

// named writes a type, its exported fields, and the exported methods of its values and pointers.
func (w *writer) named(name string, t types.Type) {
	switch u := t.Underlying().(type) {
	case *types.Struct:
		w.add("type %s struct", name)
		for f := range u.Fields() {
			if f.Exported() {
				w.add("field %s.%s %s", name, f.Name(), w.text(f.Type()))
			}
		}
	case *types.Interface:
		w.add("type %s interface", name)
	default:
		w.add("type %s %s", name, w.text(u))
	}
	set := types.NewMethodSet(types.NewPointer(t))
	if types.IsInterface(t) {
		set = types.NewMethodSet(t)
	}
	for s := range set.Methods() {
		if m := s.Obj(); m.Exported() {
			w.add("method %s.%s%s", name, m.Name(), strings.TrimPrefix(w.text(m.Type()), "func"))
		}
	}
}
