package main

import (
	"bufio"
	"fmt"
	"go/ast"
	"go/types"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"sort"
	"strconv"
	"strings"

	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/imports"
)

// packageMove is a line of the file that -packages names: OLD NEW [NAME], folders below the root of the module, and the
// name of the package where it changes.
type packageMove struct{ old, new, name string }

// readPackageMoves reads such a file. Empty lines and lines that begin with # count for nothing.
func readPackageMoves(file string) ([]packageMove, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var out []packageMove
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		words := strings.Fields(lines.Text())
		switch {
		case len(words) == 0 || strings.HasPrefix(words[0], "#"):
		case len(words) == 2:
			out = append(out, packageMove{words[0], words[1], ""})
		case len(words) == 3:
			out = append(out, packageMove{words[0], words[1], words[2]})
		default:
			return nil, fmt.Errorf("%s: %q is not OLD NEW [NAME]", file, lines.Text())
		}
	}
	return out, lines.Err()
}

// movePackages moves whole folders: import paths, names of packages and what refers to them are rewritten.
func (m *move) movePackages(moves []packageMove, module string, force bool) error {
	to := map[string]packageMove{}
	for _, one := range moves {
		to[module+"/"+one.old] = one
	}
	for _, system := range m.systems {
		loaded, err := packages.Load(&packages.Config{
			Mode: packages.NeedName | packages.NeedFiles | packages.NeedSyntax | packages.NeedTypes | packages.NeedTypesInfo |
				packages.NeedImports | packages.NeedModule | packages.NeedCompiledGoFiles,
			Dir: m.root, Tests: true, Env: append(os.Environ(), "GOOS="+system, "CGO_ENABLED=0"),
		}, "./...")
		if err != nil {
			return err
		}
		if packages.PrintErrors(loaded) > 0 {
			return fmt.Errorf("the module does not compile on %s", system)
		}
		for _, p := range loaded {
			for _, file := range p.Syntax {
				m.renameIn(p, file, to, module)
			}
		}
	}
	if len(m.problems) > 0 {
		var all []string
		for p := range m.problems {
			all = append(all, p)
		}
		sort.Strings(all)
		fmt.Fprintln(os.Stderr, strings.Join(all, "\n"))
		if !force {
			return fmt.Errorf("%d places to mend first", len(all))
		}
	}
	if err := m.applyEdits(func(name string, text []byte) ([]byte, error) {
		return imports.Process(name, text, &imports.Options{Comments: true, TabIndent: true, TabWidth: 8, FormatOnly: true})
	}); err != nil {
		return err
	}
	// What is deeper moves before the folder around it.
	sort.SliceStable(moves, func(i, j int) bool { return len(moves[i].old) > len(moves[j].old) })
	for _, one := range moves {
		if err := m.moveFolder(one); err != nil {
			return err
		}
	}
	return nil
}

// moveFolder moves what git knows of a folder; the destination may be there already, with other packages below it.
func (m *move) moveFolder(one packageMove) error {
	if one.old == one.new {
		return nil
	}
	entries, err := os.ReadDir(filepath.Join(m.root, one.old))
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Join(m.root, one.new), 0o777); err != nil {
		return err
	}
	for _, e := range entries {
		git := exec.Command("git", "mv", filepath.Join(one.old, e.Name()), filepath.Join(one.new, e.Name()))
		git.Dir, git.Stderr = m.root, os.Stderr
		if err := git.Run(); err != nil {
			return fmt.Errorf("%s: %w", strings.Join(git.Args, " "), err)
		}
	}
	return os.Remove(filepath.Join(m.root, one.old)) // else it would be moved again, with the folder around it
}

func (m *move) renameIn(p *packages.Package, file *ast.File, to map[string]packageMove, module string) {
	name := p.Fset.Position(file.Pos()).Filename
	if strings.Contains(name, "go-build") {
		return
	}
	replace := func(n ast.Node, text string) {
		start, end := p.Fset.Position(n.Pos()).Offset, p.Fset.Position(n.End()).Offset
		if m.edits[name] == nil {
			m.edits[name] = map[edit]bool{}
		}
		m.edits[name][edit{start, end, text}] = true
	}
	own := strings.TrimSuffix(p.Types.Path(), "_test")
	if one, ok := to[own]; ok && one.name != "" {
		if old := file.Name.Name; strings.HasSuffix(old, "_test") {
			replace(file.Name, one.name+"_test")
		} else {
			replace(file.Name, one.name)
		}
	}
	renamed := map[string]string{} // what a package is called in this file, by its import path
	for _, spec := range file.Imports {
		old, err := strconv.Unquote(spec.Path.Value)
		one, ok := to[old]
		if err != nil || !ok {
			continue
		}
		replace(spec.Path, strconv.Quote(path.Join(module, one.new)))
		if spec.Name == nil && one.name != "" {
			renamed[old] = one.name
		}
	}
	for id, object := range p.TypesInfo.Uses {
		imported, ok := object.(*types.PkgName)
		if !ok || p.Fset.Position(id.Pos()).Filename != name {
			continue
		}
		is, ok := renamed[imported.Imported().Path()]
		if !ok {
			continue
		}
		hidden := p.Types.Scope().Lookup(is)
		if scope := innermost(p, file, id); scope != nil && hidden == nil {
			if _, other := scope.LookupParent(is, id.Pos()); other != nil {
				if _, isPackage := other.(*types.PkgName); !isPackage {
					hidden = other
				}
			}
		}
		if hidden != nil {
			at := p.Fset.Position(id.Pos())
			short, _ := filepath.Rel(m.root, at.Filename)
			m.problems[fmt.Sprintf("%s:%d: %s at %s hides the package", short, at.Line, is, p.Fset.Position(hidden.Pos()))] = true
		}
		replace(id, is)
	}
}
