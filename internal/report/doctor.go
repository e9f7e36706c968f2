package report

import (
	"fmt"
	"strings"

	"linerate/internal/inspect/doctor"
)

// Doctor prints the lines: those of each host below its name, then those that are about several; the head counts them.
func (t Terminal) Doctor(all []doctor.Line) error {
	l := t.lines()
	count := map[doctor.State]int{}
	hosts := map[string]bool{}
	for _, x := range all {
		count[x.State]++
		if x.Host != "" {
			hosts[x.Host] = true
		}
	}
	var said []string
	for _, s := range []doctor.State{doctor.Problem, doctor.Warning, doctor.NotKnown, doctor.OK} {
		n, word := count[s], string(s)
		if n == 0 {
			continue
		}
		if n > 1 && (s == doctor.Problem || s == doctor.Warning) {
			word += "s"
		}
		said = append(said, fmt.Sprintf("%d %s", n, word))
	}
	machines := fmt.Sprintf("%d machines", len(hosts))
	if len(hosts) == 1 {
		machines = "1 machine"
	}
	l.text(bold, 0, machines+": "+strings.Join(said, ", "))
	group, first := "", true
	for _, x := range all {
		if first || x.Host != group {
			l.gap()
			head := clean(x.Host)
			if head == "" {
				head = "all together, and this machine's folder"
			}
			l.line(l.ink(bold, head))
			group, first = x.Host, false
		}
		l.doctorLine(x)
	}
	return l.flush()
}

const (
	stateWidth = 9 // "not known"
	topicWidth = 10
)

func (l *lines) doctorLine(x doctor.Line) {
	s := normal
	if x.State == doctor.Problem {
		s = accent
	}
	text, label := x.Text, string(x.State)
	if x.State == doctor.NotKnown { // the label says it already
		text = strings.TrimPrefix(text, "not known, ")
	}
	at := stateWidth + 2 + topicWidth + 2
	for i, part := range wrap(clean(text), l.Width-2-at) {
		if i > 0 {
			l.line(strings.Repeat(" ", 2+at), part)
			continue
		}
		l.line("  ", l.ink(s, pad(label, stateWidth)), "  ", l.ink(faint, pad(clean(x.Topic), topicWidth)), "  ", part)
	}
	for i, command := range x.Do {
		label := "type"
		if x.On != "" {
			label = "on " + x.On
		}
		if i > 0 {
			label = ""
		}
		l.command(2+stateWidth+2, topicWidth, label, command)
	}
}
