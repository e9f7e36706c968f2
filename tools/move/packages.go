package main

import (
	"bufio"
	"fmt"
	"go/ast"
	"go/types"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strconv"
	"strings"

	"golang.org/x/tools/go/packages"
)

// packageMove is a line of the file that -packages names: OLD NEW [NAME], folders below the root of the module, and the
// name of the package where it changes.
type packageMove struct{ old, new, name string }

// readPackageMoves reads such a file. Empty lines and lines that begin with # are skipped.
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
func movePackages(s *source, list string, force bool) error {
	moves, err := readPackageMoves(list)
	if err != nil {
		return err
	}
	to := map[string]packageMove{} // by import path
	for _, one := range moves {
		to[module+one.old] = one
	}
	err = s.each(func(p *packages.Package, file *ast.File, name string) { s.renamePackages(p, file, name, to) })
	if err != nil {
		return err
	}
	if err := s.checked(force); err != nil {
		return err
	}
	if err := s.write(sorted); err != nil {
		return err
	}
	// Nested folders move before the folder around them.
	sort.SliceStable(moves, func(i, j int) bool { return len(moves[i].old) > len(moves[j].old) })
	for _, one := range moves {
		if err := moveFolder(s.root, one); err != nil {
			return err
		}
	}
	return nil
}

// moveFolder moves the files that git tracks in a folder; the destination may exist, with other packages below it.
func moveFolder(root string, one packageMove) error {
	if one.old == one.new {
		return nil
	}
	entries, err := os.ReadDir(filepath.Join(root, one.old))
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Join(root, one.new), 0o777); err != nil {
		return err
	}
	for _, e := range entries {
		git := exec.Command("git", "mv", filepath.Join(one.old, e.Name()), filepath.Join(one.new, e.Name()))
		git.Dir, git.Stderr = root, os.Stderr
		if err := git.Run(); err != nil {
			return fmt.Errorf("%s: %w", strings.Join(git.Args, " "), err)
		}
	}
	return os.Remove(filepath.Join(root, one.old)) // else it would be moved again, with the folder around it
}

// renamePackages notes the new import paths and names in one file.
func (s *source) renamePackages(p *packages.Package, file *ast.File, name string, to map[string]packageMove) {
	if one := to[strings.TrimSuffix(p.Types.Path(), "_test")]; one.name != "" {
		suffix := ""
		if strings.HasSuffix(file.Name.Name, "_test") {
			suffix = "_test"
		}
		s.replace(p, file.Name, one.name+suffix)
	}
	for _, spec := range file.Imports {
		if old, err := strconv.Unquote(spec.Path.Value); err == nil {
			if one, ok := to[old]; ok {
				s.replace(p, spec.Path, strconv.Quote(module+one.new))
			}
		}
	}
	for id, object := range p.TypesInfo.Uses {
		imported, ok := object.(*types.PkgName)
		if !ok || p.Fset.Position(id.Pos()).Filename != name {
			continue
		}
		// A name that the import itself gives stays.
		if one := to[imported.Imported().Path()]; one.name != "" && imported.Name() == imported.Imported().Name() {
			s.hidden(p, file, id, one.name)
			s.replace(p, id, one.name)
		}
	}
}
