package paste

import (
	"strings"

	"linerate/internal/facts/read"
)

// Part is a piece of a text. It is the output of a tool (Format), of a command of a host or switch (IsHost), or it was
// not recognised.
type Part struct {
	From, To int     // its lines, from 1
	Format   *Format // nil: no tool that is known
	IsHost   bool    // output of a command that says what a machine is or counts
	Host     string  // as the prompt says; empty: there is none
	Command  string  // as typed at the prompt; empty: there is none
	Text     string
}

// FirstLine returns the first line that is not empty.
func (p *Part) FirstLine() string {
	for line := range strings.Lines(p.Text) {
		if line = strings.TrimSpace(line); line != "" {
			return line
		}
	}
	return ""
}

// IsRecognised reports whether it is known what the text is.
func (p *Part) IsRecognised() bool { return p.Format != nil || p.IsHost }

// Parts returns the pieces of a text in their order. Each line that is not empty, a rule or markup is in one of them.
// The text has plain line ends (claims.Text).
func Parts(text string) []Part {
	w := walk{lines: cleaned(plain(text)), prompts: map[string]bool{}}
	w.all()
	return w.parts
}

// As returns the whole text as the output of one tool.
func As(f *Format, text string) Part {
	lines := cleaned(plain(text))
	return Part{From: 1, To: len(lines), Format: f, Text: joined(lines)}
}

// walk goes through the lines of a text and cuts it into parts.
type walk struct {
	lines   []string
	parts   []Part
	prompts map[string]bool // hosts that were prompted before

	host, command string // of the last prompt; empty: none
	open          *Part  // the output that has begun; nil: none
	begun         int    // its first line, as an index
	last          int    // its last line that is certainly its own
	complete      bool   // it has its result
	free          int    // the first line that belongs to no part
	scanned       int    // lines that were searched for the end of an object, and were none
}

func (w *walk) all() {
	for i := 0; i < len(w.lines); i++ {
		line := w.lines[i]
		if host, command, ok := read.Prompt(strings.TrimLeft(line, " \t"), w.prompts, isTool); ok {
			w.prompt(i, host, command)
			continue
		}
		if n, f := w.object(i); n > 0 {
			w.close(i)
			w.begin(i, f)
			w.last, w.complete = i+n-1, true
			w.close(i + n)
			i += n - 1
			continue
		}
		w.step(i, line)
	}
	w.close(len(w.lines))
	w.leave(len(w.lines))
}

// isTool reports whether a command line starts a tool that is known.
func isTool(command string) bool { return ofCommand(command) != nil }

// prompt ends what was open, and begins the output of the command.
func (w *walk) prompt(i int, host, command string) {
	w.close(i)
	w.leave(i)
	w.prompts[host] = true
	w.host, w.command = hostOf(host), command
	w.free = i + 1
	switch f := ofCommand(command); {
	case f != nil:
		w.begin(i+1, f)
		w.last = i
	case command != "" && read.IsSource(command):
		w.begin(i+1, nil)
		w.open.IsHost = true
		w.last = i
	}
}

// hostOf returns the name of the host in a prompt: "nas" of "root@nas:~".
func hostOf(prompt string) string {
	if _, after, ok := strings.Cut(prompt, "@"); ok {
		prompt = after
	}
	end := strings.IndexFunc(prompt, func(r rune) bool {
		return r != '-' && r != '.' && r != '_' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
	})
	if end >= 0 {
		prompt = prompt[:end]
	}
	if len(prompt) < 2 || prompt == "PS" {
		return ""
	}
	return prompt
}

// begin opens an output of a tool, or of a host's command.
func (w *walk) begin(i int, f *Format) {
	w.leave(i)
	w.open, w.begun, w.last, w.complete = &Part{Format: f, Host: w.host, Command: w.command}, i, i, false
}

// step takes a line that is neither a prompt nor an object.
func (w *walk) step(i int, line string) {
	f, head := ofLine(line)
	switch {
	case w.open != nil && w.open.IsHost:
		if head {
			w.close(i)
			w.begin(i, f)
		} else if strings.TrimSpace(line) != "" {
			w.last = i
		}
	case f != nil && (w.open == nil || w.open.Format != f || head && w.complete):
		if w.open != nil && w.open.Format != f && !head && w.open.Format.isMore(line) {
			w.last = i // a line that several tools print
			break
		}
		w.close(i)
		w.begin(i, f)
	case w.open == nil:
		return
	case f != nil || w.open.Format.isMore(line):
		w.last = i
	}
	if w.open != nil && w.open.Format != nil && w.open.Format.isResult(line) {
		w.complete = true
	}
}

// close ends the output that has begun, at its last own line.
func (w *walk) close(before int) {
	if w.open == nil {
		return
	}
	p := *w.open
	w.open = nil
	end := min(w.last+1, before)
	if p.IsHost {
		end = w.withoutProse(w.begun, end)
	}
	if end <= w.begun {
		w.free = w.begun
		return // a prompt without output
	}
	p.From, p.To, p.Text = w.begun+1, end, joined(w.lines[w.begun:end])
	w.parts = append(w.parts, p)
	w.free = end
	w.command = "" // what follows is not its output
}

// leave makes parts of the lines between the last part and a line: outputs of commands without a prompt, and what is
// not recognised.
func (w *walk) leave(before int) {
	if w.free < before {
		w.parts = append(w.parts, w.rest(w.free, before)...)
	}
	w.free = max(w.free, before)
}

// plain removes control sequences of terminals.
func plain(text string) string { return string(read.WithoutColours([]byte(text))) }

func joined(lines []string) string { return strings.Join(lines, "\n") + "\n" }
