package parsetest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"linerate/internal/facts"
	"linerate/internal/facts/parse"
	"linerate/internal/facts/snapshot"
)

// Seed gives a fuzz target the fixtures of its parser's sources.
func Seed(f *testing.F, pattern string) {
	files, err := filepath.Glob(filepath.Join(moduleRoot(f), "internal/facts/read/testdata/*.txtar"))
	if err != nil || len(files) == 0 {
		f.Fatal("no fixtures", err)
	}
	tool, _, _ := strings.Cut(pattern, " ")
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		for _, file := range snapshot.ParseArchive(text).Files {
			first, _, _ := strings.Cut(file.Name, " ")
			if _, ok := parse.Match(pattern, file.Name); ok || first == tool && tool != "grep" {
				f.Add(file.Data)
				f.Add(file.Data[:len(file.Data)*2/3])
			}
		}
	}
	f.Add([]byte{})
	f.Add([]byte("[{}]"))
	f.Add([]byte(":\n"))
}

// moduleRoot returns the folder with go.mod above the test's folder.
func moduleRoot(t testing.TB) string {
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		if filepath.Dir(dir) == dir {
			t.Fatal("no go.mod above the test")
		}
		dir = filepath.Dir(dir)
	}
}

// Fuzz runs a parser; it must not panic, and its errors must be one line, not empty and not long.
func Fuzz[T any](f *testing.F, pattern string, parse func([]byte) (T, error), check func(t *testing.T, v T)) {
	Seed(f, pattern)
	f.Fuzz(func(t *testing.T, text []byte) {
		v, err := parse(text)
		if err != nil {
			if s := err.Error(); s == "" || len(s) > 1000 || strings.Contains(s, "\n") {
				t.Fatalf("error %q", s)
			}
			return
		}
		if check != nil {
			check(t, v)
		}
	})
}

// Reading makes a parser from a function that fills facts.
func Reading(read func(f *parse.Builder, args []string, text []byte) error) func([]byte) (*facts.Facts, error) {
	return func(text []byte) (*facts.Facts, error) {
		f := parse.NewBuilder(new(facts.Facts))
		err := read(f, []string{"e1", "1"}, text)
		return f.Facts, err
	}
}

// HeardLines returns the neighbours of all interfaces, one per line.
func HeardLines(f *facts.Facts) (out []string) {
	for _, n := range f.NICs {
		switch {
		case n.LLDP == nil:
			continue
		case len(n.LLDP) == 0:
			out = append(out, n.Name+": nobody")
		}
		for _, h := range n.LLDP {
			line := fmt.Sprintf("%s: %s %q, port %s %q %q of %q (%s), at %v", n.Name, h.Chassis.Kind, h.Chassis.Value,
				h.Port.Kind, h.Port.Value, h.PortDescription, h.System, h.Description, h.Management)
			if d, ok := h.Age.Get(); ok {
				line += ", age " + d.String()
			}
			if d, ok := h.TTL.Get(); ok {
				line += ", TTL " + d.String()
			}
			if h.Via != "" {
				line += ", " + h.Via
			}
			out = append(out, fmt.Sprintf("%s\n    [%s] %s", line, h.Source, h.Line))
		}
	}
	return out
}
