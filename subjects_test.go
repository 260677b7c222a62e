package plimsoll

import (
	"fmt"
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

// A use is what one package takes of another package of the module.
type use struct {
	pkg, of string
	names   []string // exported names, sorted
}

// usesOf reads the packages of the library, without tests, and lists what each
// uses of the others; types has the exported types by package.
func usesOf(root string) (uses []use, types map[string][]string, err error) {
	types = map[string][]string{}
	names := map[[2]string]map[string]bool{}
	err = filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (strings.HasPrefix(d.Name(), ".") && file != root || d.Name() == "testdata") {
			return fs.SkipDir
		}
		rel, err := filepath.Rel(root, file)
		if err != nil {
			return err
		}
		pkg := filepath.ToSlash(filepath.Dir(rel))
		if !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") || !library(pkg) {
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			return err
		}
		local := map[string]string{} // what the file calls the packages of the module
		for _, spec := range f.Imports {
			of, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			if of, ours := strings.CutPrefix(of, module); ours {
				name := path.Base(of)
				if spec.Name != nil {
					name = spec.Name.Name
				}
				local[name] = of
				if names[[2]string{pkg, of}] == nil {
					names[[2]string{pkg, of}] = map[string]bool{}
				}
			}
		}
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.SelectorExpr:
				// An identifier that the file does not declare is a package.
				if x, ok := n.X.(*ast.Ident); ok && x.Obj == nil && local[x.Name] != "" {
					names[[2]string{pkg, local[x.Name]}][n.Sel.Name] = true
				}
			case *ast.TypeSpec:
				if n.Name.IsExported() {
					types[pkg] = append(types[pkg], n.Name.Name)
				}
			}
			return true
		})
		return nil
	})
	for key, set := range names {
		uses = append(uses, use{key[0], key[1], slices.Sorted(maps.Keys(set))})
	}
	slices.SortFunc(uses, func(a, b use) int { return strings.Compare(a.pkg+" "+a.of, b.pkg+" "+b.of) })
	return uses, types, err
}

// subject is the room of a package: the first part of its path.
func subject(pkg string) string {
	first, _, _ := strings.Cut(pkg, "/")
	return first
}

// onlyHelps reports whether a package takes nothing of another but errors and
// functions: no type that its own words need.
func onlyHelps(u use, types []string) bool {
	return !slices.ContainsFunc(u.names, func(name string) bool {
		return slices.Contains(types, name) && name != "InputError" && !strings.HasPrefix(name, "Err")
	})
}

// A package imports a package of another subject for what that subject is about. The
// picture of the imports is printed by
//
//	go test -v -run TestSubjects .
func TestSubjects(t *testing.T) {
	uses, types, err := usesOf(".")
	if err != nil {
		t.Fatal(err)
	}
	across := 0
	var picture strings.Builder
	last := ""
	for _, u := range uses {
		if strings.HasPrefix(u.pkg, "internal/") || strings.Contains(u.of, "internal/") {
			continue
		}
		if subject(u.pkg) != subject(u.of) {
			across++
			if onlyHelps(u, types[u.of]) {
				t.Errorf("%s imports %s for %s only: what two packages need and no user sees belongs under internal/",
					u.pkg, u.of, strings.Join(u.names, ", "))
			}
		}
		if u.pkg != last {
			fmt.Fprintf(&picture, "%s\n", u.pkg)
			last = u.pkg
		}
		const most = 8
		names := strings.Join(u.names, ", ")
		if len(u.names) > most {
			names = fmt.Sprintf("%s and %d more", strings.Join(u.names[:most], ", "), len(u.names)-most)
		}
		fmt.Fprintf(&picture, "    imports %s for %s\n", u.of, names)
	}
	t.Logf("what the packages of the library take of each other:\n%s", &picture)
	if across < 8 {
		t.Errorf("%d imports across subjects seen: does the test look at the module?", across)
	}
}

// An import for errors or functions only is found.
func TestOnlyHelps(t *testing.T) {
	types := []string{"InputError", "Money", "ErrorList"}
	for _, c := range []struct {
		names []string
		want  bool
	}{
		{[]string{"ErrRange", "InputError"}, true},
		{[]string{"CheckSeries", "ErrValue"}, true},
		{nil, true},
		{[]string{"ErrRange", "Money"}, false},
		{[]string{"Money"}, false},
	} {
		if got := onlyHelps(use{names: c.names}, types); got != c.want {
			t.Errorf("%v: helps only %v, want %v", c.names, got, c.want)
		}
	}
}
