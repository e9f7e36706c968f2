package guest

import (
	"archive/tar"
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// archive makes the archive of a package. A name that ends in / is a folder; "-> X" links to X, "=> X" is the same
// file.
func archive(t testing.TB, files ...string) *bytes.Buffer {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for i := 0; i < len(files); i += 2 {
		h := &tar.Header{Name: files[i], Mode: 0o755, Typeflag: tar.TypeReg, Size: int64(len(files[i+1]))}
		text := files[i+1]
		if to, ok := strings.CutPrefix(text, "-> "); ok {
			h.Typeflag, h.Linkname, h.Size, text = tar.TypeSymlink, to, 0, ""
		} else if to, ok := strings.CutPrefix(text, "=> "); ok {
			h.Typeflag, h.Linkname, h.Size, text = tar.TypeLink, to, 0, ""
		} else if strings.HasSuffix(files[i], "/") {
			h.Typeflag = tar.TypeDir
		}
		if err := w.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
		w.Write([]byte(text))
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return &b
}

func unpacked(t testing.TB, files ...string) *tree {
	t.Helper()
	tr, err := newTree(filepath.Join(t.TempDir(), "tree"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(tr.close)
	if err := tr.unpack(archive(t, files...), func(string) bool { return true }, &counter{}); err != nil {
		t.Fatal(err)
	}
	return tr
}

func TestUnpack(t *testing.T) {
	tr := unpacked(t, "./bin/", "", "./bin/dash", "shell", "./bin/sh", "-> dash", "./usr/lib/libx.so.1",
		"-> libx.so.1.2", "./lib/libx.so.1.2", "library", "./etc/alternatives/awk", "-> /usr/bin/mawk", "./usr/bin/awk",
		"-> /etc/alternatives/awk", "./usr/bin/mawk", "awk", "./usr/bin/copy", "=> ./bin/dash", "./loop1", "-> loop2",
		"./loop2", "-> /loop1", "./out", "-> ../../../../etc/passwd", "./usr/bin/mawk", "newer")
	for name, want := range map[string]string{"bin/sh": "usr/bin/dash", "usr/lib/libx.so.1": "usr/lib/libx.so.1.2",
		"usr/bin/awk": "usr/bin/mawk", "/bin/copy": "usr/bin/copy"} {
		if got, err := tr.resolve(name); err != nil || got != want {
			t.Errorf("%s leads to %q, %v; want %s", name, got, err, want)
		}
	}
	if b, err := os.ReadFile(tr.path("usr/bin/mawk")); err != nil || string(b) != "newer" {
		t.Errorf("of two files of one name: %q, %v", b, err)
	}
	if _, err := tr.resolve("loop1"); err == nil {
		t.Error("a circle of links has an end")
	}
	if got, err := tr.resolve("out"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a link out of the tree leads to %q, %v", got, err)
	}
}

// Whatever a package holds, nothing is written outside of the tree.
func TestUnpackStaysInside(t *testing.T) {
	for _, files := range [][]string{
		{"../../escaped", "x"},
		{"/../escaped", "x"},
		{"up", "-> ..", "up/escaped", "x"},
		{"up", "-> /tmp", "up/linerate-escaped", "x"},
		{"abs", "=> ../../../etc/passwd"},
	} {
		dir := t.TempDir()
		tr, err := newTree(filepath.Join(dir, "tree"))
		if err != nil {
			t.Fatal(err)
		}
		err = tr.unpack(archive(t, files...), func(string) bool { return true }, &counter{})
		tr.close()
		entries, _ := os.ReadDir(dir)
		if len(entries) != 1 {
			t.Errorf("%v: next to the tree there is %v (%v)", files, entries, err)
		}
		if _, err := os.Stat("/tmp/linerate-escaped"); err == nil {
			t.Fatalf("%v wrote into /tmp", files)
		}
	}
}

func TestUnpackLimits(t *testing.T) {
	tr := unpacked(t)
	c := &counter{files: unpackFiles}
	if err := tr.unpack(archive(t, "a", "x"), func(string) bool { return true }, c); err == nil {
		t.Error("more files than any package has were taken")
	}
	c = &counter{bytes: unpackLimit}
	if err := tr.unpack(archive(t, "a", "x"), func(string) bool { return true }, c); err == nil {
		t.Error("more bytes than all packages have were taken")
	}
	cut := archive(t, "a", strings.Repeat("x", 4096)).Bytes()[:1500]
	if err := tr.unpack(bytes.NewReader(cut), func(string) bool { return true }, &counter{}); err == nil {
		t.Error("a package that is cut short was taken")
	}
}

func FuzzMerged(f *testing.F) {
	for _, s := range []string{"./bin/sh", "lib", "../x", "/usr/bin/../../..", "lib64/ld.so", ""} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, name string) {
		if got := merged(name); got != "" && !filepath.IsLocal(got) {
			t.Errorf("%q becomes %q, which leads out of the tree", name, got)
		}
	})
}
