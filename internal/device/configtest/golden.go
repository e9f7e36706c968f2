package configtest

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"linerate/internal/device/config"
	"linerate/internal/golden"
)

// Golden is a device and the folder below testdata with its golden files.
type Golden struct {
	Folder string
	Device *config.Device
}

// Compare compares the files of devices with their golden files; -update writes these. A missing or extra file is a
// difference. The first device's file has the lines that several files share, and the others refer to it (see fold).
func Compare(t *testing.T, all ...Golden) {
	t.Helper()
	var texts []goldenFile
	for _, g := range all {
		if golden.Updates() {
			if err := os.RemoveAll(filepath.Join("testdata", g.Folder)); err != nil {
				t.Fatal(err)
			}
		}
		for i := range g.Device.Files {
			f := &g.Device.Files[i]
			texts = append(texts, goldenFile{path.Join(g.Folder, f.Name), strings.SplitAfter(f.Text(), "\n")})
		}
	}
	if golden.Updates() {
		for i, x := range texts {
			golden.Write(t, filepath.Join("testdata", filepath.FromSlash(x.name)), fold(x.lines, texts[:i]))
		}
		return
	}
	for _, g := range all {
		want := goldenFiles(t, g.Folder)
		var got []string
		for i := range g.Device.Files {
			got = append(got, path.Join(g.Folder, g.Device.Files[i].Name))
		}
		slices.Sort(got)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("other files than in testdata/%s (-want +got):\n%s", g.Folder, diff)
		}
	}
	for _, x := range texts {
		want := readGolden(t, x.name)
		if diff := cmp.Diff(want, x.lines); diff != "" {
			t.Errorf("%s differs (-want +got; -update writes it):\n%s", x.name, diff)
		}
	}
}

// goldenFiles returns the names of the files in a folder below testdata.
func goldenFiles(t *testing.T, folder string) []string {
	t.Helper()
	var out []string
	err := fs.WalkDir(os.DirFS("testdata"), folder, func(name string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			out = append(out, name)
		}
		return err
	})
	if err != nil {
		t.Fatalf("%v (-update writes it)", err)
	}
	slices.Sort(out)
	return out
}

// readGolden returns a golden file with its references resolved.
func readGolden(t *testing.T, name string) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", filepath.FromSlash(name)))
	if err != nil {
		t.Fatalf("%v (-update writes it)", err)
	}
	lines, err := unfold(string(text), func(of string) []string { return readGolden(t, of) })
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return lines
}
