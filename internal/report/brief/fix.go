package brief

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/base/xslices"
	"linerate/internal/record"
	"linerate/internal/report"
	"linerate/internal/report/format"
	"linerate/internal/report/result"
	"linerate/internal/report/terminal"
)

const (
	label = 6  // width of the labels of the report
	inner = 10 // width of the labels within the fix and the next steps
)

// mostSteps is the number of steps of a fix; the complete text has all.
const mostSteps = 6

// fix is what to type, what it should bring, and how to undo it and keep it.
func (b *brief) fix() section {
	if b.lead == nil || b.lead.Verdict.Fix == "" {
		return section{}
	}
	v, l := b.lead.Verdict, b.text()
	steps := record.StepsOf(v.Fix)
	printSteps(l, "fix", v, steps[:min(len(steps), mostSteps)])
	if more := len(steps) - mostSteps; more > 0 {
		l.Text(terminal.Faint, label+2, unit.Counted(more, "more step")+": --all")
	}
	if s := expected(v.Expected); s != "" {
		l.Item(label+2, inner, "expected", terminal.Normal, s)
	}
	undo := record.StepsOf(v.Undo)
	switch s := alike(steps, undo); {
	case s != "":
		l.Item(label+2, inner, "undo", terminal.Normal, "the same commands with "+s)
	case len(undo) == 1 && undo[0].Command:
		command(l, label+2, inner, "undo", undo[0].Text)
	case len(undo) > 3:
		l.Item(label+2, inner, "undo", terminal.Normal, unit.Counted(len(undo), "command")+": --all")
	case len(undo) > 1:
		for i, s := range undo {
			text := s.Text
			if on := report.TypedOn(v, s); on != "" {
				text = format.Pad("on "+on, 3+len(on)) + "  " + text
			}
			name := unit.If(i == 0, "undo", "")
			if s.Command {
				command(l, label+2, inner, name, text)
			} else {
				l.Item(label+2, inner, name, terminal.Normal, text)
			}
		}
	}
	if s := b.keep(v); s != "" {
		l.Item(label+2, inner, "keep it", terminal.Normal, s)
	}
	return of(l, min(len(l.Rows()), mostSteps+4))
}

// printSteps prints commands with the host to type each on, and sentences.
func printSteps(l *terminal.Lines, name string, v *record.Verdict, steps []record.Step) {
	wide := 0
	for _, s := range steps {
		if on := report.TypedOn(v, s); on != "" {
			wide = max(wide, len("on ")+format.Width(on))
		}
	}
	for i, s := range steps {
		if i > 0 {
			name = ""
		}
		if !s.Command && !strings.HasPrefix(s.Text, "linerate ") {
			for j, part := range cut(s.Text, l.Width-label-2, 3) {
				l.Line(l.Ink(terminal.Faint, format.Pad(unit.If(j == 0, name, ""), label)), "  ", l.Ink(terminal.Normal, part))
			}
			continue
		}
		indent := unit.If(i > 0, 2, 0)
		on := report.TypedOn(v, s)
		host := on
		if on != "" {
			host = "on " + on
		}
		at := label + 2 + indent
		prefix := format.Pad(name, label) + "  " + strings.Repeat(" ", indent)
		if wide > 0 {
			prefix += format.Pad(host, wide) + "  "
			at += wide + 2
		}
		for j, part := range continued(s.Text, l.Width-at) {
			if j > 0 {
				prefix = strings.Repeat(" ", at+2)
			}
			l.Line(l.Ink(terminal.Faint, prefix), l.Ink(terminal.Normal, part))
		}
	}
}

// command prints a command to copy behind a label.
func command(l *terminal.Lines, indent, width int, name, text string) {
	at := indent + width + 2
	for i, part := range continued(text, l.Width-at) {
		left := l.Ink(terminal.Faint, format.Pad(name, width)) + "  "
		if i > 0 {
			left = strings.Repeat(" ", width+4)
		}
		l.Line(strings.Repeat(" ", indent), left, l.Ink(terminal.Normal, part))
	}
}

// continued breaks a command that is wider than n at a blank outside of quotes, with a backslash, so that it can still
// be pasted. A command of PowerShell, which has no such backslash, stays whole.
func continued(text string, n int) (out []string) {
	text = format.Clean(text)
	if powershell.MatchString(text) {
		return []string{text}
	}
	n -= 2 // the lines after the first have an indent
	line := ""
	for _, word := range words(text) {
		switch {
		case line == "":
			line = word
		case format.Width(line)+1+format.Width(word)+2 <= n:
			line += " " + word
		default:
			out, line = append(out, line+` \`), word
		}
	}
	if len(out) == 1 && format.Width(text) <= n+2 {
		return []string{text}
	}
	return append(out, line)
}

// powershell matches a command for Windows.
var powershell = regexp.MustCompile(`^powershell|^netsh |^\w+-Net`)

// words splits a command at the blanks outside of quotes.
func words(s string) (out []string) {
	var quote rune
	word := ""
	for _, r := range s {
		switch {
		case quote == 0 && r == ' ':
			if word != "" {
				out = append(out, word)
			}
			word = ""
			continue
		case quote == 0 && (r == '"' || r == '\''):
			quote = r
		case r == quote:
			quote = 0
		}
		word += string(r)
	}
	if word != "" {
		out = append(out, word)
	}
	return out
}

// expected is the predicted goodput after a fix: "24.5 Gb/s with 1 stream, up to 39.6 Gb/s with 8 (estimate)".
func expected(all []record.Expected) string {
	var parts []string
	for i, x := range all {
		if len(all) > 2 && i > 0 && i < len(all)-1 {
			continue
		}
		streams := result.Streams(fmt.Sprint(x.Streams))
		if i > 0 {
			streams = fmt.Sprint(x.Streams)
		}
		high := format.Rate(*x.High)
		switch {
		case x.Low == nil || *x.Low <= 0:
			high = "up to " + high
		case *x.High > 1.01**x.Low:
			low := format.Rate(*x.Low)
			if a, z, ok := format.SameUnit(low, high); ok {
				low, high = a, z
			}
			high = low + " to " + high
		}
		parts = append(parts, high+" with "+streams)
	}
	if len(parts) == 0 {
		return ""
	}
	return strings.Join(parts, ", ") + " (estimate)"
}

// alike reports what differs between the steps of a fix and those of its undo, where that is one word and the same in
// all: "mtu 1500". It is empty otherwise.
func alike(fix, undo []record.Step) string {
	fix = xslices.Filter(fix, func(s record.Step) bool { return s.Command })
	if len(fix) < 2 || len(fix) != len(undo) {
		return ""
	}
	differs := ""
	for i := range fix {
		a, z := words(fix[i].Text), words(undo[i].Text)
		if fix[i].Host != undo[i].Host || len(a) != len(z) {
			return ""
		}
		for j := range a {
			if a[j] == z[j] {
				continue
			}
			s := z[j]
			if j > 0 {
				s = z[j-1] + " " + s
			}
			if differs != "" && differs != s || j > 0 && a[j-1] != z[j-1] {
				return ""
			}
			differs = s
		}
	}
	return differs
}

// keep says how a fix outlasts a reboot; empty: it does, or that is not known. A lab has nothing to keep.
func (b *brief) keep(v *record.Verdict) string {
	if b.run.Lab != nil || b.run.FabricPath == "" {
		return ""
	}
	var hosts []string
	mtu := ""
	for _, s := range record.StepsOf(v.Fix) {
		on := report.TypedOn(v, s)
		if !s.Command || on == "" {
			continue
		}
		hosts = xslices.AppendNew(hosts, on)
		if _, after, ok := strings.Cut(s.Text, " mtu "); ok {
			mtu, _, _ = strings.Cut(after, " ")
		}
	}
	if len(hosts) == 0 {
		return ""
	}
	file := format.Command([]string{b.run.FabricPath})
	apply := "linerate apply " + file + " " + strings.Join(hosts, " ") + " --persist"
	switch {
	case mtu != "":
		return fmt.Sprintf("write mtu: %s in %s, then %s", mtu, file, apply)
	case b.planned(v, hosts):
		return apply
	}
	return ""
}

// planned reports whether the plan has the setting that a fix changes, so that applying the plan keeps it.
func (b *brief) planned(v *record.Verdict, hosts []string) bool {
	for _, h := range b.run.Hosts {
		for _, s := range h.Settings {
			if slices.Contains(hosts, h.Name) && s.Want != "" && s.Want != s.Have && s.Subject != "" &&
				strings.Contains(v.Fix, s.Subject+"=") {
				return true
			}
		}
	}
	return false
}
