package main

import (
	"bufio"
	"fmt"
	"go/ast"
	"go/format"
	"go/token"
	"go/types"
	"maps"
	"os"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// names is a list of renames. A line is PACKAGE OLD NEW: OLD is a name that the package declares (Interval,
// Setup.Interval of a field or method), or =name for all variables and parameters of that name inside of functions.
// PACKAGE is a folder below the module's root.
type names struct {
	declared map[string]string // by package path and OLD, joined by a blank
	local    map[string]string // the same, of variables inside of functions
	used     map[string]bool
	owners   map[*types.Package]map[types.Object]string // the types of fields and methods
	untagged map[types.Object]bool                      // fields without a tag whose neighbours have one
}

func readNames(file, module string) (*names, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	n := &names{map[string]string{}, map[string]string{}, map[string]bool{}, map[*types.Package]map[types.Object]string{},
		map[types.Object]bool{}}
	for lines := bufio.NewScanner(f); lines.Scan(); {
		words := strings.Fields(lines.Text())
		if len(words) == 0 || words[0][0] == '#' {
			continue
		}
		if len(words) != 3 || !token.IsIdentifier(words[2]) {
			return nil, fmt.Errorf("%s: %q is not PACKAGE OLD NEW", file, lines.Text())
		}
		if old, ok := strings.CutPrefix(words[1], "="); ok {
			n.local[module+"/"+words[0]+" "+old] = words[2]
		} else {
			n.declared[module+"/"+words[0]+" "+words[1]] = words[2]
		}
	}
	return n, nil
}

// rename gives everything in the list its new name. A field keeps its JSON key only by a tag: a field of a struct
// without one is a problem if its neighbours have tags.
func (s *source) rename(n *names) error {
	err := s.each(func(p *packages.Package, file *ast.File, _ string) {
		declared := map[int]*ast.Ident{} // by line
		ast.Inspect(file, func(node ast.Node) bool {
			id, ok := node.(*ast.Ident)
			if !ok {
				return true
			}
			obj := p.TypesInfo.Defs[id]
			if obj == nil {
				obj = p.TypesInfo.Uses[id]
			}
			if obj == nil || obj.Pkg() == nil {
				return true
			}
			if to := n.of(obj); to != "" && id.Name != to {
				if other := s.taken(p, obj, id, to); other != nil {
					s.problem(p, id, "%s is there already: %s", to, p.Fset.Position(other.Pos()))
				}
				if p.TypesInfo.Defs[id] != nil {
					declared[p.Fset.Position(id.Pos()).Line] = id
					if n.untagged[obj] {
						s.problem(p, id, "%s has no tag: its key in JSON would be another one", id.Name)
					}
				}
				s.replace(p, id, to)
			}
			return true
		})
		for _, group := range file.Comments {
			id := declared[p.Fset.Position(group.End()).Line+1]
			if id == nil || !strings.HasPrefix(group.List[0].Text, "// "+id.Name+" ") {
				continue
			}
			first := group.List[0]
			word := &ast.Ident{NamePos: first.Pos() + 3, Name: id.Name}
			s.replace(p, word, n.of(p.TypesInfo.Defs[id]))
		}
	})
	for _, key := range slices.Sorted(maps.Keys(n.declared)) {
		if !n.used[key] {
			s.problems[key+": nothing has this name"] = true
		}
	}
	return err
}

// of is the new name of an object, or "".
func (n *names) of(obj types.Object) string {
	path, _, _ := strings.Cut(obj.Pkg().Path(), " ")
	path = strings.TrimSuffix(path, "_test")
	if v, ok := obj.(*types.Var); ok && v.Embedded() {
		t := v.Type()
		if pointer, ok := t.(*types.Pointer); ok {
			t = pointer.Elem()
		}
		if named, ok := t.(*types.Named); ok && named.Obj().Pkg() != nil && named.Obj().Name() == obj.Name() {
			return n.of(named.Obj())
		}
	}
	key := path + " " + obj.Name()
	if owner := n.owner(obj); owner != "" {
		key = path + " " + owner + "." + obj.Name()
	} else if obj.Parent() != obj.Pkg().Scope() {
		v, isVariable := obj.(*types.Var)
		if !isVariable || v.IsField() {
			return ""
		}
		return n.local[key]
	}
	to := n.declared[key]
	if to != "" {
		n.used[key] = true
	}
	return to
}

// owner is the name of the type whose field or method an object is, or "".
func (n *names) owner(obj types.Object) string {
	owners, ok := n.owners[obj.Pkg()]
	if !ok {
		owners = map[types.Object]string{}
		scope := obj.Pkg().Scope()
		for _, name := range scope.Names() {
			t, ok := scope.Lookup(name).(*types.TypeName)
			if !ok || t.IsAlias() {
				continue
			}
			named, ok := t.Type().(*types.Named)
			if !ok {
				continue
			}
			for method := range named.Methods() {
				owners[method] = name
			}
			switch under := named.Underlying().(type) {
			case *types.Struct:
				tags := false
				for i := range under.NumFields() {
					tags = tags || under.Tag(i) != ""
				}
				for i := range under.NumFields() {
					owners[under.Field(i)] = name
					n.untagged[under.Field(i)] = tags && under.Tag(i) == "" && under.Field(i).Exported()
				}
			case *types.Interface:
				for method := range under.ExplicitMethods() {
					owners[method] = name
				}
			}
		}
		n.owners[obj.Pkg()] = owners
	}
	switch o := obj.(type) {
	case *types.Var:
		return owners[o.Origin()]
	case *types.Func:
		return owners[o.Origin()]
	}
	return ""
}

// taken is an object that has the new name already where an object is used or declared; nil: none.
func (s *source) taken(p *packages.Package, obj types.Object, id *ast.Ident, to string) types.Object {
	if v, ok := obj.(*types.Var); ok && v.IsField() {
		return nil // the compiler finds two fields of one name
	}
	if _, ok := obj.(*types.Func); ok && obj.Parent() == nil {
		return nil // a method
	}
	scope := obj.Parent()
	if scope == nil {
		return nil
	}
	if obj.Pkg() != p.Types &&
		strings.TrimSuffix(obj.Pkg().Path(), "_test") != strings.TrimSuffix(p.Types.Path(), "_test") {
		return nil // qualified
	}
	inner := p.Types.Scope().Innermost(id.Pos())
	if inner == nil {
		return scope.Lookup(to)
	}
	_, other := inner.LookupParent(to, token.NoPos)
	if other == nil || other.Parent() == types.Universe {
		return nil
	}
	return other
}

// rename carries out a list of names.
func rename(s *source, file string, force bool) error {
	n, err := readNames(file, strings.TrimSuffix(module, "/"))
	if err != nil {
		return err
	}
	if err := s.rename(n); err != nil {
		return err
	}
	if err := s.checked(force); err != nil {
		return err
	}
	return s.write(formatted)
}

// formatted formats a file after renames.
func formatted(_ string, text []byte) ([]byte, error) { return format.Source(text) }
