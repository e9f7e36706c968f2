package snapshot

import (
	"bytes"
	"strings"
	"testing"
)

func FuzzMask(f *testing.F) {
	f.Add([]byte("Vendor SN : ABC123\n-----BEGIN PRIVATE KEY-----\n"))
	f.Add([]byte("Node  SN  Model\n-- --\na  b1c2  d\n"))
	f.Add([]byte("/snmp community\nset name=\"\"\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		m := NewMasker()
		got := m.Text(text)
		if a, b := strings.Count(string(text), "\n"), strings.Count(string(got), "\n"); b < a {
			t.Fatalf("%d lines became %d", a, b)
		}
		m.Snapshot(text)
	})
}

func FuzzArchive(f *testing.F) {
	f.Add([]byte("c\n-- a --\nx\n-- b (quoted) --\n\"y\"\n"))
	f.Add([]byte("-- a --"))
	f.Fuzz(func(t *testing.T, text []byte) {
		a := ParseArchive(text)
		again := ParseArchive(a.Bytes())
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
