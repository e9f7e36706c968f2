// Vet is go vet that reads the packages it depends on instead of compiling them, and of other modules only the
// declarations. For another system nothing else needs the compiled packages, and compiling them takes most of go vet's
// time on a machine that has built nothing yet.
package main

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/analysis/suite/vet"
	"golang.org/x/tools/go/packages"
)

func main() {
	findings, err := inspect(os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
	if findings > 0 {
		os.Exit(3)
	}
}

// inspect prints what vet finds in the packages that match patterns, and returns the number of its findings. The
// working directory is the root of their module.
func inspect(patterns []string) (int, error) {
	root, err := os.Getwd()
	if err != nil {
		return 0, err
	}
	loaded, err := packages.Load(&packages.Config{
		Mode:  packages.LoadAllSyntax | packages.NeedModule,
		Tests: true,
		ParseFile: func(files *token.FileSet, name string, text []byte) (*ast.File, error) {
			return parse(files, root, name, text)
		},
	}, patterns...)
	if err != nil {
		return 0, err
	}
	if len(loaded) == 0 {
		return 0, errors.New("no package matches")
	}
	packages.Visit(loaded, nil, func(p *packages.Package) {
		if p.Module == nil || p.Module.Dir != root { // in a workspace more than one module is a main one
			p.Errors = nil // imports that only the bodies need
		}
		p.IllTyped = len(p.Errors) > 0
	})
	if packages.PrintErrors(loaded) > 0 {
		return 0, errors.New("these packages do not compile")
	}
	graph, err := checker.Analyze(vet.Suite, loaded, nil)
	if err != nil {
		return 0, err
	}
	findings := 0
	for action := range graph.All() {
		if action.Err != nil {
			return 0, fmt.Errorf("%v: %w", action, action.Err)
		}
		if action.IsRoot {
			findings += len(action.Diagnostics)
		}
	}
	return findings, graph.PrintText(os.Stderr, -1)
}

// parse reads a file. It leaves out the bodies of the functions of other modules and of Go's own packages. A program
// that lies elsewhere is the one that go test makes of a package's tests.
func parse(files *token.FileSet, root, name string, text []byte) (*ast.File, error) {
	file, err := parser.ParseFile(files, name, text, parser.AllErrors|parser.ParseComments)
	if err != nil || file.Name.Name == "main" || strings.HasPrefix(name, root+string(filepath.Separator)) {
		return file, err
	}
	for _, declaration := range file.Decls {
		if function, ok := declaration.(*ast.FuncDecl); ok {
			function.Body = nil
		}
	}
	return file, nil
}
