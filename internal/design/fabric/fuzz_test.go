package fabric

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"linerate/internal/testenv"
)

// FuzzParse searches for panics, hangs, places outside the file, and control characters in messages.
func FuzzParse(f *testing.F) {
	for _, pattern := range []string{"testdata/*.yaml", "testdata/errors/*.yaml", "../../../examples/*.yaml"} {
		paths := testenv.Must(filepath.Glob(pattern))(f)
		for _, path := range paths {
			text := testenv.Must(os.ReadFile(path))(f)
			f.Add(text, "")
		}
	}
	f.Add([]byte("fabric: t\nhosts: {a: {}}\nlinks: []\nvariants: {v: {mtu: 1500}, w: {hosts: {a: null}}}\n"), "v+w")
	c := testCatalog(f)
	f.Fuzz(func(t *testing.T, text []byte, variant string) {
		fab, problems := Parse("f.yaml", text, Options{Catalog: c, Variant: variant})
		if (fab == nil) != (len(problems) > 0) {
			t.Fatalf("fabric %v with %d problems", fab != nil, len(problems))
		}
		lines := newSource("", text).Lines
		for _, p := range problems {
			if p.Line < 1 || p.Line > len(lines) && len(text) <= maxFile || p.Col < 1 {
				t.Fatalf("%d:%d is outside a file of %d lines: %v", p.Line, p.Col, len(lines), p)
			}
			if len(text) <= maxFile && p.Col > utf8.RuneCountInString(lines[p.Line-1])+1 {
				t.Fatalf("column %d is outside of line %d: %v", p.Col, p.Line, p)
			}
			if p.Message == "" || p.Subject == "" {
				t.Fatalf("a problem without words: %+v", p)
			}
		}
		if i := strings.IndexFunc(problems.Error(), func(r rune) bool { return r != '\n' && !unicode.IsPrint(r) }); i >= 0 {
			t.Fatalf("a character reaches the terminal: %q", problems.Error()[i:])
		}
	})
}

// FuzzWant searches for panics in the grammar of goals, and values that are not numbers.
func FuzzWant(f *testing.F) {
	for _, s := range []string{"800MB/s", "goodput >= 95% of ceiling", "goodput >= 2.26 x variant ten",
		"latency.p50 <= 60us", "cost <= 100 USD", "iops/cpu >= 4.1 x streams 1", "watts ≤ 90 W"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		w, err := parseWant(s)
		if err == nil && !(w.value > 0 && w.value < 1e300) {
			t.Fatalf("%q has the value %v", s, w.value)
		}
	})
}

// FuzzExpand searches for ranges that give no names or too many.
func FuzzExpand(f *testing.F) {
	for _, s := range []string{"n[1-4]", "n[01-10].c.[1-2]", "[1-2][3-4]", "n[", "a]b["} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		names, err := expand(s)
		if err == nil && (len(names) == 0 || len(names) > maxNames) {
			t.Fatalf("%q gives %d names", s, len(names))
		}
	})
}
