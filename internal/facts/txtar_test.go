package facts

import (
	"bytes"
	"testing"
)

func TestArchive(t *testing.T) {
	in := archive{Comment: "a b\n", Files: []file{
		{"proc/stat", []byte("cpu 1\n")},
		{"empty", nil},
		{"ethtool -k e0", []byte("on\n\n\n")},
		{"no newline", []byte("1")},
		{"marker inside", []byte("x\n-- proc/stat --\ny\n")},
		{"bytes", []byte("\x00\xff\r\n")},
		{"quotes", []byte("\"a\"\n`b`\n")},
	}}
	out := parseArchive(in.bytes())
	if out.Comment != in.Comment || len(out.Files) != len(in.Files) {
		t.Fatalf("%q\n%+v", in.bytes(), out)
	}
	for i, f := range out.Files {
		if f.Name != in.Files[i].Name || !bytes.Equal(f.Data, in.Files[i].Data) {
			t.Errorf("%q: %q, want %q", f.Name, f.Data, in.Files[i].Data)
		}
	}
	if again := out.bytes(); !bytes.Equal(again, in.bytes()) {
		t.Errorf("not the same text:\n%s", again)
	}
}

func FuzzArchive(f *testing.F) {
	f.Add([]byte("c\n-- a --\nx\n-- b (quoted) --\n\"y\"\n"))
	f.Add([]byte("-- a --"))
	f.Fuzz(func(t *testing.T, text []byte) {
		a := parseArchive(text)
		again := parseArchive(a.bytes())
		if len(a.Files) != len(again.Files) {
			t.Fatalf("%d files become %d", len(a.Files), len(again.Files))
		}
		for i := range a.Files {
			if !bytes.Equal(a.Files[i].Data, again.Files[i].Data) {
				t.Fatalf("%q: %q becomes %q", a.Files[i].Name, a.Files[i].Data, again.Files[i].Data)
			}
		}
	})
}
