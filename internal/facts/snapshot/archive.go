package snapshot

import (
	"bytes"
	"strconv"
	"strings"
	"unicode/utf8"

	"linerate/internal/facts"
)

// Behind returns the archive in the form that follows another one.
func (a *Archive) Behind() []byte { return bytes.TrimLeft(a.Bytes(), "\n") }

// Archive is a text archive in the txtar format: a comment, then files, each after a line "-- NAME --". Format:
// https://pkg.go.dev/golang.org/x/tools/txtar
type Archive struct {
	Comment string
	Files   []File
}

type File struct {
	Name string
	Data []byte
}

// quotedMark ends the name of a file that the plain format cannot represent (a line that looks like a marker, bytes
// that are not text, no newline at the end). Its lines are Go string literals, which form the file when concatenated.
const quotedMark = " (quoted)"

// Bytes returns the archive as text. The header of a snapshot has the length of the rest, so that a truncated one is
// detected.
func (a *Archive) Bytes() []byte {
	body := a.body()
	head := strings.TrimRight(a.Comment, "\n") + "\n"
	if schema, rest, ok := strings.Cut(head, "\n"); ok && strings.HasPrefix(schema, "schema ") {
		kept := ""
		for line := range strings.Lines(rest) {
			if !strings.HasPrefix(line, "bytes ") {
				kept += line
			}
		}
		head = schema + "\nbytes " + strconv.Itoa(len(body)) + "\n" + kept
	}
	return append([]byte(head), body...)
}

func (a *Archive) body() []byte {
	var b bytes.Buffer
	for _, f := range a.Files {
		name, _ := cutMark(facts.OneLine(f.Name))
		if plain(f.Data) {
			b.WriteString("-- " + name + " --\n")
			b.Write(f.Data)
			continue
		}
		b.WriteString("-- " + name + quotedMark + " --\n")
		for line := range bytes.Lines(f.Data) {
			b.WriteString(strconv.Quote(string(line)) + "\n")
		}
	}
	return b.Bytes()
}

// plain reports whether data survives an archive without quoting.
func plain(data []byte) bool {
	if len(data) == 0 {
		return true
	}
	if data[len(data)-1] != '\n' || !utf8.Valid(data) || bytes.ContainsAny(data, "\x00\r") {
		return false
	}
	for line := range bytes.Lines(data) {
		if _, ok := marker(line); ok {
			return false
		}
	}
	return true
}

// marker returns the file name of a line "-- NAME --".
func marker(line []byte) (string, bool) {
	s := strings.TrimRight(string(line), "\r\n")
	if len(s) < len("-- x --") || !strings.HasPrefix(s, "-- ") || !strings.HasSuffix(s, " --") {
		return "", false
	}
	name := facts.OneLine(s[3 : len(s)-3])
	return name, name != ""
}

// cutMark removes the marks of quoting from a name.
func cutMark(name string) (string, bool) {
	quoted := false
	for {
		rest, ok := strings.CutSuffix(name, quotedMark)
		if !ok {
			return name, quoted
		}
		name, quoted = rest, true
	}
}

// ParseArchive reads an archive. Every text is one: without a marker it is only a comment. A quoted line that is not a
// literal is kept as it is.
func ParseArchive(text []byte) *Archive {
	a := new(Archive)
	var comment strings.Builder
	quoted := false
	for line := range bytes.Lines(text) {
		if name, ok := marker(line); ok {
			name, quoted = cutMark(name)
			a.Files = append(a.Files, File{Name: name})
			continue
		}
		if len(a.Files) == 0 {
			comment.Write(line)
			continue
		}
		f := &a.Files[len(a.Files)-1]
		if quoted {
			if s, err := strconv.Unquote(strings.TrimSpace(string(line))); err == nil {
				line = []byte(s)
			}
		}
		f.Data = append(f.Data, line...)
	}
	a.Comment = comment.String()
	return a
}
