package guest

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func newc(t testing.TB, fill func(rootFiles)) []byte {
	t.Helper()
	r := rootFiles{}
	fill(r)
	var b bytes.Buffer
	if err := r.write(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func emptyTree(t testing.TB) *tree {
	t.Helper()
	tr, err := newTree(filepath.Join(t.TempDir(), "tree"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(tr.close)
	return tr
}

// What the writer of archives wrote is read back.
func TestUnpackArchive(t *testing.T) {
	b := newc(t, func(r rootFiles) {
		r.dir("dev")
		r.text("usr/lib/a", "12345")
		r.text("usr/lib/empty", "")
		r.text("etc/not", "wanted")
		r["usr/lib/link"] = rootEntry{link: "a"}
		r["lib"] = rootEntry{link: "usr/lib"}
	})
	tr := emptyTree(t)
	if err := tr.unpackArchive(bytes.NewReader(b), func(name string) bool { return strings.HasPrefix(name, "usr/lib/") },
		&counter{}); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"usr/lib/a": "12345", "usr/lib/empty": "", "usr/lib/link": "12345",
		"lib/a": "12345"} {
		at, err := tr.resolve(name)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got, err := tr.root.ReadFile(at); err != nil || string(got) != want {
			t.Errorf("%s: %q, %v; want %q", name, got, err, want)
		}
	}
	if tr.exists("etc/not") || tr.exists("dev") {
		t.Error("what was not wanted is there")
	}
	all := func(string) bool { return true }
	for n := 1; n < len(b); n += 7 {
		if err := emptyTree(t).unpackArchive(bytes.NewReader(b[:n]), all, &counter{}); n < len(b)-124 && err == nil {
			t.Errorf("an archive cut to %d of %d bytes was taken", n, len(b))
		}
	}
	if err := emptyTree(t).unpackArchive(bytes.NewReader(b), all, &counter{files: unpackFiles}); err == nil {
		t.Error("more files than a guest has were taken")
	}
	if err := emptyTree(t).unpackArchive(bytes.NewReader(b), all, &counter{bytes: unpackLimit}); err == nil {
		t.Error("more bytes than a guest has were taken")
	}
}

func FuzzUnpackArchive(f *testing.F) {
	f.Add(newc(f, func(r rootFiles) { r.text("a/b", "text"); r["l"] = rootEntry{link: "../../x"} }))
	f.Add(newc(f, func(r rootFiles) { r.text("../escaped", "text"); r["up"] = rootEntry{link: "/tmp"} }))
	f.Add([]byte("070701"))
	f.Fuzz(func(t *testing.T, b []byte) {
		dir := t.TempDir()
		tr, err := newTree(filepath.Join(dir, "tree"))
		if err != nil {
			t.Fatal(err)
		}
		defer tr.close()
		tr.unpackArchive(io.LimitReader(bytes.NewReader(b), 1<<20), func(string) bool { return true }, &counter{})
		if entries, _ := os.ReadDir(dir); len(entries) != 1 {
			t.Errorf("next to the tree there is %v", entries)
		}
	})
}
