package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"linerate/internal/testenv"
)

// docs/reference.md is what the commands say of themselves.
func TestReferenceIsCurrent(t *testing.T) {
	a := call(t, nil, "docs", "reference", "-")
	if a.code != exitDone || a.err != "" {
		t.Fatal(a)
	}
	have, err := os.ReadFile(filepath.Join(root, "docs", "reference.md"))
	if err != nil {
		t.Fatal(err)
	}
	if string(have) != a.out {
		old, now := strings.Split(string(have), "\n"), strings.Split(a.out, "\n")
		for i := range min(len(old), len(now)) {
			if old[i] != now[i] {
				t.Fatalf("docs/reference.md:%d is not what the commands say; write it again: go run ./cmd/linerate docs reference docs/reference.md\nthere: %s\nnow:   %s", i+1, old[i], now[i])
			}
		}
		t.Fatalf("docs/reference.md has %d lines, the commands give %d; write it again: go run ./cmd/linerate docs reference docs/reference.md", len(old), len(now))
	}
}

// Every command that people type has a page.
func TestManPages(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "man1")
	a := call(t, []string{"SOURCE_DATE_EPOCH=1700000000"}, "docs", "man", dir)
	if a.code != exitDone || a.err != "" {
		t.Fatal(a)
	}
	paths := strings.Fields(a.out)
	if len(paths) < 30 {
		t.Errorf("only %d pages", len(paths))
	}
	for _, name := range []string{"linerate", "linerate-run", "linerate-lab-up", "linerate-measure-block", "linerate-completion-bash"} {
		page, err := os.ReadFile(filepath.Join(dir, name+".1"))
		if err != nil {
			t.Error(err)
			continue
		}
		if !strings.Contains(string(page), `"2023\-11\-14"`) || !strings.Contains(string(page), ".SH EXIT STATUS") {
			t.Errorf("%s.1 has not the date that it was told, or no exit codes:\n%s", name, page)
		}
	}
	for _, p := range paths {
		if strings.Contains(p, "lab-wire") || strings.Contains(p, "docs") {
			t.Errorf("%s is of a hidden command", p)
		}
	}
	if a := call(t, []string{"SOURCE_DATE_EPOCH=yesterday"}, "docs", "man", dir); a.code != exitInput || !strings.Contains(a.err, "SOURCE_DATE_EPOCH") {
		t.Errorf("a date that is none: %s", a)
	}
	if a := call(t, nil, "docs"); a.code != exitInput {
		t.Errorf("docs alone: %s", a)
	}
}

// groff finds nothing wrong with any page.
func TestManPagesFormat(t *testing.T) {
	testenv.Need(t, testenv.Live)
	groff, err := exec.LookPath("groff")
	if err != nil {
		missing(t, "the program groff (Debian: groff-base)")
	}
	pages := call(t, nil, "docs", "man", filepath.Join(t.TempDir(), "man1"))
	if pages.code != exitDone {
		t.Fatal(pages)
	}
	args := append([]string{"-ww", "-b", "-z", "-man", "-Tutf8", "-Kutf8"}, strings.Fields(pages.out)...)
	if out, err := exec.Command(groff, args...).CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("groff: %v\n%s", err, out)
	}
}
