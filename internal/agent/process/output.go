package process

import (
	"slices"
	"strings"
	"sync"
)

// MostErrors is the most that is kept of an output of messages, in bytes.
const MostErrors = 64 << 10

// Kept is an output: all of it, or its beginning and its end.
type Kept struct {
	Text []byte `json:"text,omitempty"`
	Left int64  `json:"left,omitempty"` // bytes omitted in the middle
}

// Output keeps what a process writes: all of it, or of a longer output its first quarter and its end.
type Output struct {
	Came chan struct{} // of capacity 1: something was written
	most int           // bytes

	mu    sync.Mutex
	first []byte
	last  []byte
	left  int64
}

// NewOutput is an output of which at most so many bytes are kept.
func NewOutput(most int) *Output { return &Output{most: most, Came: make(chan struct{}, 1)} }

func (o *Output) Write(p []byte) (int, error) {
	o.mu.Lock()
	room := max(0, o.most/4-len(o.first))
	n := min(room, len(p))
	o.first, o.last = append(o.first, p[:n]...), append(o.last, p[n:]...)
	if n := len(o.last) - (o.most - o.most/4); n > 0 {
		o.left += int64(n)
		o.last = slices.Delete(o.last, 0, n)
	}
	o.mu.Unlock()
	select {
	case o.Came <- struct{}{}:
	default:
	}
	return len(p), nil
}

// Kept is what has been kept so far.
func (o *Output) Kept() Kept {
	o.mu.Lock()
	defer o.mu.Unlock()
	return Kept{Left: o.left, Text: slices.Concat(o.first, o.last)}
}

// LastLines are the last lines of the output, as function LastLines has them.
func (o *Output) LastLines() string { return LastLines(o.Kept().Text) }

// LastLines are the last lines of the first of some outputs that has any, in one line, as messages have them.
func LastLines(outputs ...[]byte) string {
	const most, longest = 4, 600
	for _, text := range outputs {
		var lines []string
		for l := range strings.Lines(strings.ToValidUTF8(string(text), "?")) {
			if l = strings.Join(strings.Fields(Printable(l)), " "); strings.Trim(l, "-=*# ") != "" {
				lines = append(lines, l)
			}
		}
		if said := strings.Join(lines[max(0, len(lines)-most):], " | "); said != "" {
			if n := len(said) - longest; n > 0 {
				said = ".." + strings.ToValidUTF8(said[n:], "")
			}
			return said
		}
	}
	return ""
}

// Printable removes the characters that a terminal would obey.
func Printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\t' || r == 0x7f || r >= 0x80 && r < 0xa0 {
			return -1
		}
		return r
	}, s)
}

// Tail keeps the end of what a process writes.
type Tail struct {
	mu   sync.Mutex
	text []byte
}

func (t *Tail) Write(p []byte) (int, error) {
	const most = 4 << 10
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, p...)
	t.text = slices.Delete(t.text, 0, max(0, len(t.text)-most))
	return len(p), nil
}

// String is the last lines.
func (t *Tail) String() string {
	const most = 5
	t.mu.Lock()
	defer t.mu.Unlock()
	lines := strings.Split(strings.TrimSpace(Printable(strings.ToValidUTF8(string(t.text), "?"))), "\n")
	return strings.Join(lines[max(0, len(lines)-most):], "\n")
}
