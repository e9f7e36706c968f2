package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"linerate/internal/cli"
	"linerate/internal/testenv"
)

// completions are a shell's completions of the last word.
func completions(t *testing.T, words ...string) []string {
	t.Helper()
	a := call(t, nil, append([]string{"__complete"}, words...)...).ends(t, cli.ExitDone)
	var out []string
	for _, line := range strings.Split(strings.TrimSpace(a.out), "\n") {
		word, _, _ := strings.Cut(line, "\t")
		out = append(out, word)
	}
	return out
}

func TestCompletions(t *testing.T) {
	file := testenv.Must(filepath.Abs(example("eval-25g")))(t)
	bad := filepath.Join(t.TempDir(), "bad.yaml")
	testenv.WriteFile(t, bad, []byte("hosts: ["), 0o600)
	nas := testenv.Must(filepath.Abs(example("nas-40g")))(t)
	t.Chdir(t.TempDir())
	for _, name := range []string{"2026-11-22-home-aaaa", "2026-11-23-home-bbbb", "2026-11-23-home-none"} {
		testenv.Check(t, os.MkdirAll(filepath.Join("runs", name), 0o755))
	}
	for _, name := range []string{"2026-11-22-home-aaaa/manifest.json", "2026-11-23-home-bbbb/journal.jsonl"} {
		testenv.WriteFile(t, filepath.Join("runs", filepath.FromSlash(name)), "", 0o600)
	}
	for _, c := range []struct {
		words     []string
		has, hasn []string
	}{
		{[]string{"run", ""}, []string{"yaml", ":8"}, nil},
		{[]string{"schema", "pl"}, []string{"plan", "plan-compare", ":4"}, []string{"run"}},
		{[]string{"config", nas, "--explain", ""}, []string{"nas", "workstation", ":4"}, nil},
		{[]string{"apply", nas, ""}, []string{"nas", "workstation"}, nil},
		{[]string{"apply", nas, "nas", ""}, []string{"workstation"}, []string{"nas"}},
		{[]string{"run", bad, "--experiments", ""}, []string{":4"}, nil},
		{[]string{"share", ""}, []string{"latest", filepath.Join("runs", "2026-11-22-home-aaaa"),
			filepath.Join("runs", "2026-11-23-home-bbbb"), ":0"}, []string{filepath.Join("runs", "2026-11-23-home-none")}},
		{[]string{"compare", "latest", ""}, []string{filepath.Join("runs", "2026-11-22-home-aaaa")}, []string{"latest"}},
		{[]string{"parts", ""}, []string{"mcx354a-fcct"}, nil},
		{[]string{"check", nas, "--checks", ""}, []string{"link-speed", ":4"}, nil},
	} {
		got := completions(t, c.words...)
		for _, w := range c.has {
			if !contains(got, w) {
				t.Errorf("%q: no %q in %q", c.words, w, got)
			}
		}
		for _, w := range c.hasn {
			if contains(got, w) {
				t.Errorf("%q: %q in %q", c.words, w, got)
			}
		}
	}
	only := completions(t, "run", file, "--experiments", "")
	if len(only) < 3 {
		t.Errorf("experiments of %s: %q", file, only)
	}
	first, _, _ := strings.Cut(only[0], "\t")
	if more := completions(t, "run", file, "--experiments", first+","); len(more) != len(only)-1 ||
		!strings.HasPrefix(more[0], first+",") || strings.HasPrefix(more[0], first+","+first) {
		t.Errorf("behind %s,: %q, of %q", first, more, only)
	}
	if v := completions(t, "plan", file, "--variant", ""); len(v) < 2 {
		t.Errorf("variants of %s: %q", file, v)
	}
}

// contains ignores case: ids of parts are spelled as by their makers.
func contains(all []string, word string) bool {
	for _, w := range all {
		if strings.EqualFold(w, word) {
			return true
		}
	}
	return false
}
