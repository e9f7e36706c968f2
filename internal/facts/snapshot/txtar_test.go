package snapshot

import (
	"bytes"
	"testing"
)

func TestArchive(t *testing.T) {
	in := Archive{Comment: "a b\n", Files: []File{
		{"proc/stat", []byte("cpu 1\n")},
		{"empty", nil},
		{"ethtool -k e0", []byte("on\n\n\n")},
		{"no newline", []byte("1")},
		{"marker inside", []byte("x\n-- proc/stat --\ny\n")},
		{"bytes", []byte("\x00\xff\r\n")},
		{"quotes", []byte("\"a\"\n`b`\n")},
	}}
	out := ParseArchive(in.Bytes())
	if out.Comment != in.Comment || len(out.Files) != len(in.Files) {
		t.Fatalf("%q\n%+v", in.Bytes(), out)
	}
	for i, f := range out.Files {
		if f.Name != in.Files[i].Name || !bytes.Equal(f.Data, in.Files[i].Data) {
			t.Errorf("%q: %q, want %q", f.Name, f.Data, in.Files[i].Data)
		}
	}
	if again := out.Bytes(); !bytes.Equal(again, in.Bytes()) {
		t.Errorf("not the same text:\n%s", again)
	}
}
