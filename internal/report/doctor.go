package report

import (
	"cmp"
	"fmt"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/inspect/doctor"
	"linerate/internal/report/format"
	"linerate/internal/report/terminal"
)

// PrintDoctor prints the lines of each host below its name, then those about several hosts. The header counts them.
func PrintDoctor(t terminal.Terminal, all []doctor.Line) error {
	l := t.Lines()
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
	l.Text(terminal.Bold, 0, machines+": "+strings.Join(said, ", "))
	group, first := "", true
	for _, x := range all {
		if first || x.Host != group {
			l.Gap()
			head := cmp.Or(format.Clean(x.Host), "all together, and this machine's folder")
			l.Line(l.Ink(terminal.Bold, head))
			group, first = x.Host, false
		}
		printDoctorLine(l, x)
	}
	return l.Flush()
}

const (
	stateWidth = 9 // "not known"
	topicWidth = 10
)

func printDoctorLine(l *terminal.Lines, x doctor.Line) {
	s := unit.If(x.State == doctor.Problem, terminal.Accent, terminal.Normal)
	text, label := x.Text, string(x.State)
	if x.State == doctor.NotKnown { // the label says it already
		text = strings.TrimPrefix(text, "not known, ")
	}
	at := stateWidth + 2 + topicWidth + 2
	for i, part := range format.Wrap(format.Clean(text), l.Width-2-at) {
		if i > 0 {
			l.Line(strings.Repeat(" ", 2+at), part)
			continue
		}
		l.Line("  ", l.Ink(s, format.Pad(label, stateWidth)), "  ",
			l.Ink(terminal.Faint, format.Pad(format.Clean(x.Topic), topicWidth)), "  ", part)
	}
	for i, command := range x.Do {
		label := "type"
		if x.On != "" {
			label = "on " + x.On
		}
		if i > 0 {
			label = ""
		}
		l.Command(2+stateWidth+2, topicWidth, label, command)
	}
}
