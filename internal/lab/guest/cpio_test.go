package guest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"linerate/internal/testenv"
)

// readCpio reads an archive like the kernel: name to mode and contents, until the end of all archives in it.
func readCpio(b []byte) (map[string]string, error) {
	out := map[string]string{}
	for len(b) > 0 {
		if b[0] == 0 {
			b = b[1:]
			continue
		}
		if len(b) < 110 || string(b[:6]) != "070701" {
			return nil, fmt.Errorf("no entry: %.20q", b)
		}
		var f [13]uint64
		for i := range f {
			var err error
			if f[i], err = strconv.ParseUint(string(b[6+8*i:14+8*i]), 16, 32); err != nil {
				return nil, err
			}
		}
		pad := func(n uint64) uint64 { return (n + 3) &^ 3 }
		name := string(b[110 : 110+f[11]-1])
		from := pad(110 + f[11])
		data := string(b[from : from+f[6]])
		b = b[pad(from+f[6]):]
		if name != "TRAILER!!!" {
			out[name] = fmt.Sprintf("%o %s", f[1], data)
		}
	}
	return out, nil
}

func TestCpio(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "program")
	testenv.WriteFile(t, file, "12345", 0o644)
	r := rootFiles{}
	r.dir("dev")
	r.text("etc/a/b", "text\n")
	r["usr/bin/program"] = rootEntry{from: file, mode: 0o755}
	r["bin"] = rootEntry{link: "usr/bin"}
	var b bytes.Buffer
	if err := r.write(&b); err != nil {
		t.Fatal(err)
	}
	first := b.Len()
	if first%4 != 0 {
		t.Errorf("the archive has %d bytes: another could not follow it", first)
	}
	c := &cpioWriter{w: &b}
	c.text("init", 0o755, "#!")
	if err := c.end(); err != nil {
		t.Fatal(err)
	}
	got, err := readCpio(b.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"dev": "40755 ", "etc": "40755 ", "etc/a": "40755 ", "etc/a/b": "100644 text\n",
		"usr": "40755 ", "usr/bin": "40755 ", "usr/bin/program": "100755 12345", "bin": "120777 usr/bin", "init": "100755 #!"}
	for name, v := range want {
		if got[name] != v {
			t.Errorf("%s: %q, want %q", name, got[name], v)
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d entries, want %d: %v", len(got), len(want), got)
	}
	at := map[string]int{}
	for _, n := range []string{"etc", "etc/a", "etc/a/b"} {
		at[n] = strings.Index(b.String(), n+"\x00")
	}
	if at["etc"] > at["etc/a"] || at["etc/a"] > at["etc/a/b"] {
		t.Errorf("a folder comes after what is in it: %v", at)
	}
}

// A file whose length differs from its header must not shift the following ones.
func TestCpioSize(t *testing.T) {
	for _, text := range []string{"123", "12345"} {
		c := &cpioWriter{w: io.Discard}
		c.file("f", 0o644, 4, strings.NewReader(text))
		if err := c.end(); err == nil || !strings.Contains(err.Error(), "4 bytes were expected") {
			t.Errorf("%d bytes in place of 4: %v", len(text), err)
		}
	}
	c := &cpioWriter{w: io.Discard}
	c.file("f", 0o644, 1<<33, strings.NewReader(""))
	if c.end() == nil {
		t.Error("8 GiB do not fit into the form and were not refused")
	}
	full := errors.New("full")
	c = &cpioWriter{w: failing{full}}
	c.dir("d", 0o755)
	if err := c.end(); !errors.Is(err, full) {
		t.Errorf("a full disk: %v", err)
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }
