package snapshot

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"unicode/utf16"
	"unicode/utf8"
)

// Decode returns a saved text as UTF-8 without a byte order mark, with LF line ends. PowerShell 5.1 writes UTF-16 with
// ">" and Out-File; Notepad writes a mark before UTF-8. The error is one line: UTF-16 that ends within a character or
// has half of one, or bytes that are not text. A text in a single-byte code page is unchanged, because relevant names
// and values are ASCII.
func Decode(text []byte) ([]byte, error) {
	switch {
	case bytes.HasPrefix(text, []byte("\xff\xfe\x00\x00")), bytes.HasPrefix(text, []byte("\x00\x00\xfe\xff")):
		return nil, errors.New("it is UTF-32; save it as UTF-8")
	case bytes.HasPrefix(text, []byte("\xff\xfe")):
		return fromUTF16(text[2:], binary.LittleEndian)
	case bytes.HasPrefix(text, []byte("\xfe\xff")):
		return fromUTF16(text[2:], binary.BigEndian)
	case bytes.HasPrefix(text, []byte("\xef\xbb\xbf")):
		text = text[3:]
	}
	if bytes.IndexByte(text, 0) < 0 {
		return withLF(text), nil
	}
	if order := unmarked(text); order != nil {
		return fromUTF16(text, order)
	}
	if console(text) {
		return withLF(bytes.ReplaceAll(text, []byte{0}, nil)), nil
	}
	return nil, ErrBinary
}

// console reports whether a text is a serial console's: text with a few zero bytes, which a line sends during a reset.
func console(text []byte) bool {
	zero := bytes.Count(text, []byte{0})
	return zero <= len(text)/200 && !bytes.ContainsFunc(text, func(r rune) bool {
		return r == utf8.RuneError || r < ' ' && r != 0 && r != '\t' && r != '\n' && r != '\r' && r != 0x1b && r != '\b'
	})
}

var ErrBinary = errors.New("it is binary, or text in two encodings (PowerShell's >> adds UTF-16 to any file); save " +
	"it as UTF-8")

// unmarked returns the byte order of UTF-16 without a mark, as cmd /u writes it; nil: it is something else. In mostly
// ASCII text every other byte is zero, and few others are.
func unmarked(text []byte) binary.ByteOrder {
	head := text[:min(len(text), 1024)]
	var zero [2]int
	for i, b := range head {
		if b == 0 {
			zero[i%2]++
		}
	}
	most := len(head) / 2 * 3 / 4
	switch {
	case most < 4:
		return nil
	case zero[0] <= zero[1]/8 && zero[1] >= most:
		return binary.LittleEndian
	case zero[1] <= zero[0]/8 && zero[0] >= most:
		return binary.BigEndian
	}
	return nil
}

func fromUTF16(text []byte, order binary.ByteOrder) ([]byte, error) {
	if len(text)%2 != 0 {
		return nil, fmt.Errorf("it is UTF-16 and ends within a character (%d bytes behind its mark, an odd number): it "+
			"was cut off, or bytes were lost on the way", len(text))
	}
	out := make([]byte, 0, len(text)/2+len(text)/8)
	for i := 0; i < len(text); i += 2 {
		r := rune(order.Uint16(text[i:]))
		if utf16.IsSurrogate(r) {
			pair := rune(utf8.RuneError)
			if i+4 <= len(text) {
				pair = utf16.DecodeRune(r, rune(order.Uint16(text[i+2:])))
			}
			if pair == utf8.RuneError {
				return nil, fmt.Errorf("it is UTF-16 with half of a character at byte %d: bytes were lost on the way", i+2)
			}
			r = pair
			i += 2
		}
		if r == 0 {
			return nil, fmt.Errorf("it is UTF-16 with a zero character at byte %d: it is binary, or bytes were lost on "+
				"the way", i+2)
		}
		out = utf8.AppendRune(out, r)
	}
	return withLF(out), nil
}

// withLF removes the CR of CR LF. PowerShell writes several in a row if text passes through it twice.
func withLF(text []byte) []byte {
	if bytes.IndexByte(text, '\r') < 0 {
		return text
	}
	out := make([]byte, 0, len(text))
	for _, b := range text {
		if b == '\n' {
			out = bytes.TrimRight(out, "\r")
		}
		out = append(out, b)
	}
	return out
}
