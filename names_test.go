package plimsoll

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// Comments name what exists. The test reads names of the form Type.Member, and names in
// brackets that are no citations. Each must be a name of the package, of a package that the
// package imports, or of the package that the comment names. A rename that forgets a
// comment fails here.
func TestCommentsNameWhatExists(t *testing.T) {
	all, err := readNames(".")
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, dir := range slices.Sorted(maps.Keys(all)) {
		p := all[dir]
		for _, c := range p.comments {
			if dir == "internal/inputerr" {
				continue // names of other packages, as examples
			}
			for _, name := range mentioned(c.text) {
				seen++
				if why := p.lacks(all, name); why != "" {
					t.Errorf("%s: %s: %s", c.at, name, why)
				}
			}
		}
	}
	if seen < 500 {
		t.Errorf("%d names seen: does the test look at the module?", seen)
	}
}

// A named is a package with its names and comments.
type named struct {
	dir, name string
	members   map[string]map[string]bool // by type: its fields and methods, embedded types among them
	other     map[string]bool            // functions, constants, variables
	imports   map[string]string          // import path by name, of all files
	comments  []said
}

type said struct{ at, text string }

func readNames(root string) (map[string]*named, error) {
	all := map[string]*named{}
	fset := token.NewFileSet()
	err := filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (strings.HasPrefix(d.Name(), ".") && file != root || d.Name() == "testdata") {
			return fs.SkipDir
		}
		if !strings.HasSuffix(file, ".go") {
			return nil
		}
		f, err := parser.ParseFile(fset, file, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		dir := filepath.ToSlash(filepath.Dir(file))
		p := all[dir]
		if p == nil {
			p = &named{dir: dir, members: map[string]map[string]bool{}, other: map[string]bool{}, imports: map[string]string{}}
			all[dir] = p
		}
		isTest := strings.HasSuffix(file, "_test.go")
		if !isTest {
			p.name = f.Name.Name
		}
		for _, spec := range f.Imports {
			of, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			name := strings.TrimSuffix(path.Base(of), "/v2")
			if name == "v2" {
				name = path.Base(path.Dir(of))
			}
			if spec.Name != nil {
				name = spec.Name.Name
			}
			p.imports[name] = of
		}
		p.declarations(f)
		if !isTest {
			for _, g := range f.Comments {
				p.comments = append(p.comments, said{fset.Position(g.Pos()).String(), g.Text()})
			}
		}
		return nil
	})
	return all, err
}

func (p *named) member(typ, name string) {
	if p.members[typ] == nil {
		p.members[typ] = map[string]bool{}
	}
	if name != "" {
		p.members[typ][name] = true
	}
}

func (p *named) declarations(f *ast.File) {
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil {
				p.other[d.Name.Name] = true
				continue
			}
			p.member(baseName(d.Recv.List[0].Type), d.Name.Name)
		case *ast.GenDecl:
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.ValueSpec:
					for _, n := range s.Names {
						p.other[n.Name] = true
					}
				case *ast.TypeSpec:
					p.member(s.Name.Name, "")
					var fields *ast.FieldList
					switch t := s.Type.(type) {
					case *ast.StructType:
						fields = t.Fields
					case *ast.InterfaceType:
						fields = t.Methods
					default:
						p.member(s.Name.Name, "*") // what the other type has
						continue
					}
					for _, f := range fields.List {
						for _, n := range f.Names {
							p.member(s.Name.Name, n.Name)
						}
						if len(f.Names) == 0 {
							p.member(s.Name.Name, baseName(f.Type))
							p.member(s.Name.Name, "*")
						}
					}
				}
			}
		}
	}
}

// baseName is the name of a type without its package, pointer and arguments.
func baseName(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return baseName(e.X)
	case *ast.IndexExpr:
		return baseName(e.X)
	case *ast.IndexListExpr:
		return baseName(e.X)
	case *ast.SelectorExpr:
		return e.Sel.Name
	case *ast.Ident:
		return e.Name
	}
	return ""
}

var (
	// Type.Member, perhaps with a package, not within a longer path or file name.
	dotted = regexp.MustCompile(`(?:^|[^\w./"'-])((?:[a-z]\w*\.)?[A-Z]\w*\.[A-Za-z]\w*)\b`)
	// [Name], [Name.Member], [pkg.Name], [*Name]; no index such as d[i].
	bracketed = regexp.MustCompile(`(?:^|[^\w\])])\[\*?((?:[a-z]\w*\.)?[A-Z]\w*(?:\.[A-Z]\w*)?)\]`)
	citation  = regexp.MustCompile(`^[A-Z]\w*\d\d$|^M4$|^NIST$|\.md$`)
)

// mentioned lists the names that a comment's sentences mention. Code is left out.
func mentioned(text string) []string {
	var names []string
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "\t") {
			continue
		}
		for _, m := range bracketed.FindAllStringSubmatch(line, -1) {
			if !citation.MatchString(m[1]) {
				names = append(names, m[1])
			}
		}
		for _, m := range dotted.FindAllStringSubmatch(line, -1) {
			if !citation.MatchString(m[1]) {
				names = append(names, m[1])
			}
		}
	}
	return names
}

// lacks says why a name of a comment names nothing, "" if it does.
func (p *named) lacks(all map[string]*named, name string) string {
	parts := strings.Split(name, ".")
	of := p
	if p.dir == "reserve/theory" {
		of = all["reserve"] // as its comment says
	}
	if first := parts[0]; first[0] >= 'a' && first[0] <= 'z' {
		if of = p.resolve(all, first); of == nil {
			return "" // a package of another module, or no package
		}
		parts = parts[1:]
	}
	for _, m := range of.members {
		if len(parts) == 2 && m[parts[0]] {
			return "" // a member of a field
		}
	}
	members, isType := of.members[parts[0]]
	switch {
	case !isType && len(parts) == 1 && !of.other[parts[0]]:
		return of.dir + " has no such name"
	case !isType && len(parts) == 2 && !of.other[parts[0]]:
		if of.dir == p.dir && !p.inModule(all, parts[0]) {
			return "" // a name of somebody else's
		}
		return of.dir + " has no such type"
	case isType && len(parts) == 2 && !members[parts[1]] && !members["*"]:
		return parts[0] + " of " + of.dir + " has no such member"
	}
	return ""
}

// resolve finds the package of the module that a name before a dot means.
func (p *named) resolve(all map[string]*named, name string) *named {
	if p.name == name {
		return p
	}
	if of, ok := p.imports[name]; ok {
		return all[strings.TrimPrefix(of, module)] // nil for another module's
	}
	var found *named
	for _, q := range all {
		if q.name == name && !strings.Contains(q.dir, "internal") && !strings.HasPrefix(q.dir, "examples") {
			if found != nil {
				return nil
			}
			found = q
		}
	}
	return found
}

// inModule reports whether some package of the module has, or had, a type of the name:
// the common names of this library.
func (p *named) inModule(all map[string]*named, typ string) bool {
	if slices.Contains([]string{"Config", "Environment", "SavingsProblem", "SpotMeter"}, typ) {
		return true
	}
	for _, q := range all {
		if _, ok := q.members[typ]; ok {
			return true
		}
	}
	return false
}

// A stale name is found, and a good one is let through.
func TestMentioned(t *testing.T) {
	all, err := readNames(".")
	if err != nil {
		t.Fatal(err)
	}
	for comment, stale := range map[string]bool{
		"See [Exact.Solve] and [*InputError] of [Niu16].": false,
		"See Problem.Held, and pricing.List.Find.":        false,
		"See [Exact.Plan].":                               true,
		"See Problem.Hold.":                               true,
		"See [Solver].":                                   true,
		"See pricing.Classes.":                            false, // not a name with a capital after a capital
		"See [pricing.Classes].":                          true,
		"As Config.Horizon says.":                         true,
		"A file such as README.md, or U.S. dollars, d[I]": false,
		"\tp.Nothing.Here in code":                        false,
	} {
		got := ""
		for _, name := range mentioned(comment) {
			got += all["reserve"].lacks(all, name)
		}
		if (got != "") != stale {
			t.Errorf("%q: %q, want stale %v", comment, got, stale)
		}
	}
}
