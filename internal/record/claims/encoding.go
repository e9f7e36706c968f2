package claims

import (
	"bytes"
	"encoding/binary"
	"errors"
	"strings"
	"unicode/utf16"
)

// Text converts the output of a tool, or a text pasted into a file, to UTF-8 with plain line ends. The error says why
// it is not text.
func Text(text []byte) (string, error) { return decoded(text) }

// decoded converts an output to UTF-8 with plain line ends. PowerShell's > writes UTF-16 with a byte order mark; some
// editors write UTF-16 without one, and UTF-8 with one.
func decoded(text []byte) (string, error) {
	var order binary.ByteOrder
	switch {
	case bytes.HasPrefix(text, []byte{0xff, 0xfe}):
		order, text = binary.LittleEndian, text[2:]
	case bytes.HasPrefix(text, []byte{0xfe, 0xff}):
		order, text = binary.BigEndian, text[2:]
	case len(text) >= 4 && text[0] != 0 && text[1] == 0 && text[3] == 0:
		order = binary.LittleEndian
	case len(text) >= 4 && text[0] == 0 && text[1] != 0 && text[2] == 0:
		order = binary.BigEndian
	}
	out := string(bytes.TrimPrefix(text, []byte("\ufeff")))
	if order != nil {
		units := make([]uint16, len(text)/2)
		for i := range units {
			units[i] = order.Uint16(text[2*i:])
		}
		out = string(utf16.Decode(units))
	}
	if strings.ContainsRune(out, 0) {
		return "", errors.New("it is not a text (it has bytes of zero); write the tool's output as text into a file")
	}
	if strings.TrimSpace(out) == "" {
		return "", errors.New("it is empty")
	}
	return strings.ToValidUTF8(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(out), "?"), nil
}
