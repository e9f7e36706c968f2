package lab

import (
	"fmt"
	"strings"

	"linerate/internal/base/xslices"
)

// notes collects the differences from real hardware: one sentence for each thing, whatever the number of subjects.
type notes struct {
	entries []note
}

type note struct {
	kind     string // host, link, port; empty for the lab as a whole
	text     string
	subjects []string
}

// add adds a text about a subject of a kind.
func (n *notes) add(kind, subject, format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	for i := range n.entries {
		if e := &n.entries[i]; e.kind == kind && e.text == text {
			e.subjects = xslices.AppendNew(e.subjects, subject)
			return
		}
	}
	n.entries = append(n.entries, note{kind: kind, text: text, subjects: []string{subject}})
}

// sentences writes the notes; hosts is the number of all hosts.
func (n *notes) sentences(hosts int) []string {
	out := []string{}
	for _, e := range n.entries {
		switch {
		case e.kind == "":
			out = append(out, e.text)
		case e.kind == "host" && len(e.subjects) == hosts && hosts > 1:
			out = append(out, "every host: "+e.text)
		case len(e.subjects) == 1:
			out = append(out, e.kind+" "+e.subjects[0]+": "+e.text)
		default:
			out = append(out, e.kind+"s "+strings.Join(e.subjects, ", ")+": "+e.text)
		}
	}
	return out
}
