package lab

import (
	"fmt"
	"os"
	"strings"
)

// consoleLines is the number of console lines in a message.
const consoleLines = 20

const consoleWords = "; the last lines of its console"

// lastWords returns QEMU's output and the last lines of the console, as the end of a message.
func (g *guestHost) lastWords() string {
	var out strings.Builder
	said, console := tailLines(g.errors, 100), tailLines(g.console, consoleLines)
	if len(said) > 0 {
		out.WriteString("; QEMU says: " + strings.Join(said[:min(len(said), 3)], "; "))
	}
	switch {
	case len(console) > 0:
		fmt.Fprintf(&out, consoleWords+":\n    %s", strings.Join(console, "\n    "))
	default:
		out.WriteString("; its console is empty")
	}
	return out.String()
}

// tailLines returns the last lines of a file without control characters.
func tailLines(path string, most int) []string {
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	const room = 16 << 10
	if fi, err := f.Stat(); err == nil && fi.Size() > room {
		f.Seek(-room, 2)
	}
	b := make([]byte, room)
	n, _ := f.Read(b)
	var lines []string
	for line := range strings.Lines(string(b[:n])) {
		line = strings.Map(func(r rune) rune {
			if r < ' ' || r == 0x7f || r >= 0x80 && r < 0xa0 {
				return -1
			}
			return r
		}, strings.ToValidUTF8(line, "?"))
		if line != "" {
			lines = append(lines, line)
		}
	}
	return lines[max(0, len(lines)-most):]
}
