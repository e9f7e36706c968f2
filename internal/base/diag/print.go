package diag

import (
	"fmt"
	"strings"

	"linerate/internal/base/lazyregexp"
	"linerate/internal/base/xslices"
)

// Role is what a piece of a printed problem is, for its colour.
type Role int

// The roles of the pieces that may have a colour.
const (
	Error Role = iota // the label error: and the carets
	Title             // the sentence
	Frame             // the place and the frame around the line
	Help              // the labels help: and note:
)

// Paint colours a piece of text.
type Paint func(Role, string) string

// Plain is the Paint without colour.
func Plain(_ Role, text string) string { return text }

// widest is the column up to which a label follows its carets.
const widest = 100

// Text prints the problem:
//
//	error: no part is called "MCX354A-FCT"
//	  --> fabric.yaml:4:60
//	   |
//	 4 |   nas: {os: linux, nics: {cx3: {part: MCX354A-FCT, slot: pcie3x8}}}
//	   |                                       ^^^^^^^^^^^ used by nas.cx3 and desk.cx3
//	help: did you mean MCX354A-FCCT?
//	note: linerate explain part-unknown
func (p *Problem) Text(paint Paint) string { return strings.Join(p.lines(paint, true), "\n") }

// Text prints all problems, an empty line between them. The first of each kind names the page of the kind.
func (ps Problems) Text(paint Paint) string {
	seen := map[ID]bool{}
	return strings.Join(xslices.Map(ps, func(p *Problem) string {
		page := !seen[p.ID]
		seen[p.ID] = true
		return strings.Join(p.lines(paint, page), "\n")
	}), "\n\n")
}

// secret matches the address of an agent, and what follows its #.
var secret = lazyregexp.New(`(tcp://[^#\s"]*#)([^\s"]+)`)

// masked replaces the secret of an agent, also a part of it, by as many asterisks: an error is posted and logged.
func masked(text string) string {
	for _, at := range secret.FindAllStringSubmatchIndex(text, -1) {
		text = text[:at[4]] + strings.Repeat("*", at[5]-at[4]) + text[at[5]:]
	}
	return text
}

func (p *Problem) lines(paint Paint, page bool) []string {
	label, notes := p.label()
	message := visibleLines(masked(p.Message))
	out := append([]string{paint(Error, "error:") + " " + paint(Title, message[0])}, message[1:]...)
	if p.Line > 0 {
		number := fmt.Sprint(p.Line)
		margin := strings.Repeat(" ", len(number)+1)
		out = append(out, fmt.Sprintf("%s%s %s:%d:%d", margin, paint(Frame, "-->"), Visible(p.File), p.Line, p.Col))
		if strings.TrimSpace(p.text) != "" {
			bar := paint(Frame, margin+" |")
			caret := strings.TrimLeft(p.caret, " ")
			indent := p.caret[:len(p.caret)-len(caret)]
			if label != "" && len(margin)+3+len(p.caret)+1+Width(label) > widest {
				notes = append([]string{label}, notes...)
				label = ""
			}
			if label != "" {
				caret += " " + label
			}
			out = append(out, bar, paint(Frame, " "+number+" |")+" "+masked(p.text), bar+" "+indent+paint(Error, caret))
		} else if label != "" {
			notes = append([]string{label}, notes...)
		}
	} else if label != "" {
		notes = append([]string{label}, notes...)
	}
	if p.Fix != "" {
		for _, line := range visibleLines(p.Fix) {
			out = append(out, paint(Help, "help:")+" "+line)
		}
	}
	notes = append(notes, xslices.Map(p.Notes, Visible)...)
	if page && p.ID != "" {
		notes = append(notes, "linerate explain "+string(p.ID))
	}
	for _, note := range notes {
		out = append(out, paint(Help, "note:")+" "+note)
	}
	return out
}

// mostUsers is how many users of a wrong value a label names.
const mostUsers = 4

// label is the text at the carets, and what has no room there: whose limit it is, else what the value belongs to.
func (p *Problem) label() (label string, notes []string) {
	users := xslices.Map(p.Users, Visible)
	if more := len(users) - mostUsers; more > 0 {
		users = append(users[:mostUsers:mostUsers], fmt.Sprintf("%d more", more))
	}
	if last := len(users) - 1; last > 0 {
		label = "used by " + strings.Join(users[:last], ", ") + " and " + users[last]
	}
	switch {
	case label != "" && p.Limit != "":
		notes = append(notes, Visible(p.Limit))
	case p.Limit != "":
		label = Visible(p.Limit)
	case label == "" && p.Subject != "" && p.Subject != WholeFile && p.Line > 0:
		return "in " + Visible(p.Subject), nil
	}
	if p.Of != "" {
		notes = append(notes, "in "+Visible(p.Of))
	}
	return label, notes
}

// WholeFile is the subject of a problem of a file without a more exact one.
const WholeFile = "the file"
