package architecture

import (
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
)

const (
	// maxFiles and maxLines are the largest size of a package, without its tests, that can be read in one sitting.
	maxFiles, maxLines = 40, 6000
	// maxProgramLines is the size of a program that has only flags, calls and printing.
	maxProgramLines = 4000
	// maxRootEntries is the largest number of files and folders at the root that a newcomer takes in.
	maxRootEntries = 22
)

// tables are packages with one record of a table in each file. They may have more files, but not more lines.
var tables = map[string]string{"internal/explain/cause": "one cause a file"}

// TestPackageSizes keeps packages small enough to be understood.
func TestPackageSizes(t *testing.T) {
	type size struct{ files, lines int }
	sizes := map[string]size{}
	for _, s := range sources(t) {
		if s.isTest() {
			continue
		}
		of := sizes[s.folder]
		of.files++
		of.lines += strings.Count(s.text, "\n")
		sizes[s.folder] = of
	}
	for _, folder := range slices.Sorted(maps.Keys(sizes)) {
		files, lines := maxFiles, maxLines
		if folder == "cmd/linerate" {
			files, lines = sizes[folder].files, maxProgramLines
		}
		if tables[folder] != "" {
			files = sizes[folder].files
		}
		if of := sizes[folder]; of.files > files || of.lines > lines {
			t.Errorf("%s has %d files and %d lines without tests; at most %d files and %d lines",
				folder, of.files, of.lines, files, lines)
		}
	}
	for folder := range tables {
		if sizes[folder].files <= maxFiles {
			t.Errorf("%s has %d files: it needs no entry in tables", folder, sizes[folder].files)
		}
	}
}

// TestRootEntries keeps the first page that a newcomer sees short.
func TestRootEntries(t *testing.T) {
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	ignored, err := os.ReadFile(".gitignore")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, entry := range entries {
		name := entry.Name()
		if name != ".git" && !slices.ContainsFunc(strings.Fields(string(ignored)), func(pattern string) bool {
			matches, _ := path.Match(strings.Trim(pattern, "/"), name)
			return matches
		}) {
			names = append(names, name)
		}
	}
	if len(names) > maxRootEntries {
		t.Errorf("the root has %d entries, at most %d: %v", len(names), maxRootEntries, names)
	}
}
