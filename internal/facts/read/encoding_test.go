package read

import (
	"encoding/binary"
	"strings"
	"testing"
	"unicode/utf16"

	"linerate/internal/facts/snapshot"
)

// inUTF16 returns a text in PowerShell's form: with CR LF, after a byte order mark.
func inUTF16(text string, order appender, mark bool) []byte {
	text = strings.ReplaceAll(text, "\n", "\r\n")
	if mark {
		text = "\ufeff" + text
	}
	var out []byte
	for _, u := range utf16.Encode([]rune(text)) {
		out = order.AppendUint16(out, u)
	}
	return out
}

type appender interface {
	binary.ByteOrder
	binary.AppendByteOrder
}

func TestDecoded(t *testing.T) {
	const text = "Name : Größe 😀 10 Gbps\nStatus : Up, and so on for a while\n"
	for name, in := range map[string][]byte{"UTF-8": []byte(text), "UTF-8 with a mark": []byte("\ufeff" + text),
		"UTF-8 with CR LF":      []byte(strings.ReplaceAll(text, "\n", "\r\n")),
		"UTF-8 with CR CR LF":   []byte(strings.ReplaceAll(text, "\n", "\r\r\n")),
		"UTF-16LE":              inUTF16(text, binary.LittleEndian, true),
		"UTF-16BE":              inUTF16(text, binary.BigEndian, true),
		"UTF-16LE without mark": inUTF16(text, binary.LittleEndian, false),
		"UTF-16BE without mark": inUTF16(text, binary.BigEndian, false)} {
		if got, err := snapshot.Decode(in); err != nil || string(got) != text {
			t.Errorf("%s: %q %v", name, got, err)
		}
	}
	whole := inUTF16(text, binary.LittleEndian, true)
	for want, in := range map[string][]byte{
		"ends within a character": whole[:len(whole)-1],
		"half of a character":     append(append([]byte{}, whole[:28]...), whole[30:]...), // the smiling face begins at 28
		"zero character":          append(append([]byte{}, whole...), 0, 0),
		"binary, or text in two":  append([]byte(text), whole[2:]...),
		"UTF-32":                  {0xff, 0xfe, 0, 0, 'a', 0, 0, 0},
		"it is binary":            {0x7f, 'E', 'L', 'F', 2, 1, 1, 0, 0, 0, 0, 0, 0, 0},
	} {
		if got, err := snapshot.Decode(in); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %q %v", want, got, err)
		}
	}
	if got, err := snapshot.Decode([]byte("a\rb\n")); err != nil || string(got) != "a\rb\n" {
		t.Errorf("a CR inside of a line: %q %v", got, err)
	}
}

// TestKeptUTF16: a file of a folder, or a whole snapshot, may be UTF-16; a damaged one is reported, and the others are
// read.
func TestKeptUTF16(t *testing.T) {
	const bus = "41:00.0 Ethernet controller: X\n\tCapabilities: [60] Express (v2) Endpoint, MSI 00\n\t\tLnkCap:\tPort " +
		"#0, Speed 8GT/s, Width x8\n\t\tLnkSta:\tSpeed 8GT/s, Width x4\n"
	utf := inUTF16(bus, binary.LittleEndian, true)
	kept, notRead := FromKept("h", map[string][]byte{"lspci.txt": utf, "lspci-cut.txt": utf[:len(utf)-1]},
		[]string{"lspci-cut.txt", "lspci.txt"})
	if len(notRead) != 1 || notRead[0].Subject != "lspci-cut.txt" ||
		!strings.Contains(notRead[0].Reason, "ends within a character") {
		t.Errorf("%+v", notRead)
	}
	for _, raw := range [][]byte{kept, inUTF16(string(kept), binary.LittleEndian, true)} {
		f, err := Parse(raw)
		if err != nil || len(f.PCI) != 1 || f.PCI[0].Width.Or(0) != 4 {
			t.Errorf("%v %+v", err, f)
		}
	}
	if _, err := Parse(inUTF16(string(kept), binary.LittleEndian, true)[:33]); err == nil ||
		!strings.Contains(err.Error(), "UTF-16") {
		t.Errorf("a damaged snapshot: %v", err)
	}
}

func FuzzDecoded(f *testing.F) {
	f.Add([]byte("\xff\xfea\x00"))
	f.Add([]byte("a\x00b\x00c\x00d\x00"))
	f.Add([]byte("\xef\xbb\xbfa\r\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		got, err := snapshot.Decode(text)
		if err != nil && (got != nil || strings.Contains(err.Error(), "\n")) {
			t.Fatal(err)
		}
		if err == nil && strings.Contains(string(got), "\r\n") || strings.Contains(string(got), "\x00") {
			t.Fatalf("%q", got)
		}
	})
}
