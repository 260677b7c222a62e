package plimsoll

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// uncalled has the exported names that no other package, program or recipe names, and that no
// named thing of their package holds, each with the reason why a user plainly calls them.
// A recipe is an Example of a package or a program of README.md.
var uncalled = map[string]string{
	"forecast.Bias":     "a measure of forecasts: a user scores his own with the measures of Score",
	"forecast.Coverage": "the same",
	"forecast.MASE":     "the same",
	"forecast.RMSE":     "the same",
	"forecast.SMAPE":    "the same",
	"forecast.WAPE":     "the same",
}

// A surface has the exported names of a package.
type surface struct {
	names map[string]string          // by name: "type", "func", "const", "var", "method"
	held  map[string]map[string]bool // by type: the fields, parameters and results that have it
}

// surfaces reads the exported names of the packages that programs import.
func surfaces(t *testing.T) map[string]*surface {
	t.Helper()
	all := map[string]*surface{}
	for dir, p := range packages(t) {
		s := &surface{map[string]string{}, map[string]map[string]bool{}}
		all[dir] = s
		hold := func(of string, e ast.Node) {
			ast.Inspect(e, func(n ast.Node) bool {
				if id, ok := n.(*ast.Ident); ok && ast.IsExported(id.Name) && id.Name != of {
					if s.held[id.Name] == nil {
						s.held[id.Name] = map[string]bool{}
					}
					s.held[id.Name][of] = true
				}
				return true
			})
		}
		funcs := p.Funcs
		for _, typ := range p.Types {
			if !ast.IsExported(typ.Name) {
				continue
			}
			s.names[typ.Name] = "type"
			funcs = append(funcs, typ.Funcs...)
			for _, m := range typ.Methods {
				if m.Level > 0 {
					continue // an embedded type's
				}
				s.names[typ.Name+"."+m.Name] = "method"
				hold(typ.Name+"."+m.Name, m.Decl.Type)
			}
			for _, spec := range typ.Decl.Specs {
				spec := spec.(*ast.TypeSpec)
				switch x := spec.Type.(type) {
				case *ast.StructType:
					for _, f := range x.Fields.List {
						for _, n := range f.Names {
							if n.IsExported() {
								hold(typ.Name+"."+n.Name, f.Type)
							}
						}
						if len(f.Names) == 0 {
							hold(typ.Name, f.Type)
						}
					}
				default:
					hold(typ.Name, spec.Type)
				}
			}
		}
		for _, f := range funcs {
			s.names[f.Name] = "func"
			hold(f.Name, f.Decl.Type)
		}
	}
	return all
}

// named returns the names of each library package that others name: by package, then by name.
// Names of methods and fields stand under "", whatever they belong to.
func namedOutside(t *testing.T) map[string]map[string]bool {
	t.Helper()
	out := map[string]map[string]bool{"": {}}
	fset := token.NewFileSet()
	err := filepath.WalkDir(".", func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && file != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata") {
			return fs.SkipDir
		}
		if !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") && !strings.HasSuffix(file, "example_test.go") {
			return nil
		}
		f, err := parser.ParseFile(fset, file, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		self := filepath.ToSlash(filepath.Dir(file))
		imports := map[string]string{}
		for _, spec := range f.Imports {
			of, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			dir, ok := strings.CutPrefix(of, module)
			if !ok {
				continue
			}
			name := path.Base(dir)
			if spec.Name != nil {
				name = spec.Name.Name
			}
			imports[name] = dir
			if out[dir] == nil {
				out[dir] = map[string]bool{}
			}
		}
		ast.Inspect(f, func(n ast.Node) bool {
			x, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			if id, ok := x.X.(*ast.Ident); ok && imports[id.Name] != "" {
				out[imports[id.Name]][x.Sel.Name] = true
			} else if len(imports) > 0 {
				out[""][x.Sel.Name+" "+self] = true
				out[""][x.Sel.Name] = true
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// contracts are methods that other packages call through their interfaces.
var contracts = []string{"String", "Error", "Unwrap", "Is", "MarshalJSON", "UnmarshalJSON", "MarshalText", "UnmarshalText",
	"MarshalBinary", "UnmarshalBinary", "AppendText", "AppendBinary", "Len", "Less", "Swap", "Write", "Read", "Close", "GoString", "Format"}

// Exported means called: by another package, by a program or by a recipe, or plainly by a user.
func TestCalled(t *testing.T) {
	used := namedOutside(t)
	all := surfaces(t)
	types, unnamed := 0, 0
	needed := map[string]bool{}
	for _, dir := range slices.Sorted(maps.Keys(all)) {
		if slices.Contains(theory, dir) {
			continue
		}
		s := all[dir]
		for _, name := range slices.Sorted(maps.Keys(s.names)) {
			full := dir + "." + name
			kind := s.names[name]
			if kind == "type" {
				types++
			}
			switch {
			case kind == "method":
				m := name[strings.Index(name, ".")+1:]
				if used[""][m] || slices.Contains(contracts, m) {
					continue
				}
			case used[dir][name], name == "InputError": // errors are part of what every package promises
				continue
			case kind == "type" && len(s.held[name]) > 0:
				unnamed++
				t.Logf("%s: the type of %s", full, strings.Join(slices.Sorted(maps.Keys(s.held[name])), ", "))
				continue
			}
			if kind == "type" {
				unnamed++
			}
			needed[full] = true
			if why := uncalled[full]; why == "" {
				t.Errorf("%s %s: no other package, program or recipe names it: unexport it, or give the reason in uncalled", kind, full)
			} else {
				t.Logf("%s %s: %s", kind, full, why)
			}
		}
	}
	for full := range uncalled {
		if !needed[full] {
			t.Errorf("uncalled: %s needs no reason", full)
		}
	}
	t.Logf("%d exported types, %d that nothing outside names", types, unnamed)
	if types > mostAllTypes {
		t.Errorf("%d exported types, want at most %d", types, mostAllTypes)
	}
}
