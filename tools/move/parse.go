package main

import (
	"go/ast"
	"go/parser"
	"go/token"
)

type parsed struct {
	set  *token.FileSet
	file *ast.File
}

func parse(name string, text []byte) (parsed, error) {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, name, text, parser.ParseComments)
	return parsed{set, file}, err
}
