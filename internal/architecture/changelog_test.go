package architecture

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"linerate/internal/golden"
)

// changeKinds are the kinds of changes, in the order of the list.
var changeKinds = []string{"Security", "Changed", "Added", "Fixed"}

// TestChangelog compares CHANGELOG.md with the files in docs/changes that it is made of; -update writes it.
func TestChangelog(t *testing.T) {
	want, err := changelog("docs/changes")
	if err != nil {
		t.Fatal(err)
	}
	if golden.Updates() {
		if err := os.WriteFile("CHANGELOG.md", []byte(want), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile("CHANGELOG.md")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("CHANGELOG.md is not what docs/changes makes (-want +got); "+
			"go test ./internal/architecture -run TestChangelog -update writes it again\n%s", diff)
	}
}

// changelog returns the text of all changes below a folder: unreleased ones first, then each release, newest first.
func changelog(folder string) (string, error) {
	releases, err := filepath.Glob(filepath.Join(folder, "v*"))
	if err != nil {
		return "", err
	}
	slices.SortFunc(releases, func(a, b string) int { return slices.Compare(numbers(b), numbers(a)) })
	var out strings.Builder
	out.WriteString("# Changelog\n\nMade of the files in [docs/changes](docs/changes/README.md).\n")
	for _, release := range append([]string{filepath.Join(folder, "unreleased")}, releases...) {
		text, err := changesOf(release)
		if err != nil {
			return "", err
		}
		if text == "" {
			continue
		}
		fmt.Fprintf(&out, "\n## %s\n%s", strings.Replace(filepath.Base(release), "unreleased", "Unreleased", 1), text)
	}
	return out.String(), nil
}

// numbers splits a release's name into its numbers, so that v1.10.0 sorts after v1.9.0.
func numbers(release string) []int {
	var out []int
	for part := range strings.SplitSeq(strings.TrimPrefix(filepath.Base(release), "v"), ".") {
		n := 0
		fmt.Sscan(part, &n)
		out = append(out, n)
	}
	return out
}

// changesOf returns the text of the changes of one release.
func changesOf(release string) (string, error) {
	files, err := filepath.Glob(filepath.Join(release, "*.md"))
	if err != nil {
		return "", err
	}
	byKind := map[string][]string{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return "", err
		}
		first, body, _ := strings.Cut(strings.TrimSpace(string(text)), "\n")
		kind, sentence, ok := strings.Cut(first, ": ")
		if !ok || !slices.Contains(changeKinds, kind) {
			return "", fmt.Errorf("%s: the first line is KIND: SENTENCE, and a kind is one of %s",
				file, strings.Join(changeKinds, ", "))
		}
		item := "- " + strings.ToUpper(sentence[:1]) + sentence[1:] + ".\n"
		for line := range strings.Lines(strings.TrimSpace(body)) {
			item += strings.TrimRight("  "+strings.TrimRight(line, "\n"), " ") + "\n"
		}
		byKind[kind] = append(byKind[kind], item)
	}
	var out strings.Builder
	for _, kind := range changeKinds {
		if len(byKind[kind]) > 0 {
			fmt.Fprintf(&out, "\n### %s\n\n%s", kind, strings.Join(byKind[kind], ""))
		}
	}
	return out.String(), nil
}

// TestChangesOf holds the form of a list and its order.
func TestChangesOf(t *testing.T) {
	folder := t.TempDir()
	for name, text := range map[string]string{"v1.9.0/a.md": "Fixed: one\n",
		"v1.10.0/b.md": "Added: two\n\nIts body.\nGoes on.\n", "v1.10.0/c.md": "Security: three\n",
		"unreleased/d.md": "Changed: four\n"} {
		file := filepath.Join(folder, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	got, err := changelog(folder)
	if err != nil {
		t.Fatal(err)
	}
	want := `# Changelog

Made of the files in [docs/changes](docs/changes/README.md).

## Unreleased

### Changed

- Four.

## v1.10.0

### Security

- Three.

### Added

- Two.
  Its body.
  Goes on.

## v1.9.0

### Fixed

- One.
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("want (-), got (+):\n%s", diff)
	}
	if err := os.WriteFile(filepath.Join(folder, "unreleased", "e.md"), []byte("no kind\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := changelog(folder); err == nil || !strings.Contains(err.Error(), "e.md") {
		t.Errorf("a change without a kind: %v, want an error that names the file", err)
	}
}
