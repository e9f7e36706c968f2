// Package config describes a rendered configuration: files in which each line has its reason and the document of its
// form. It also quotes text for a shell. It does not depend on device families.
package config

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"linerate/internal/base/xslices"
	"linerate/internal/design/plan"
)

// Device is everything rendered for one host or switch.
type Device struct {
	Name   string // the host's or switch's name in the fabric
	Family string // as device.System.Family
	// What is for display: "Debian 12", to which package render adds "host, "; "MikroTik CRS504-4XQ-IN, RouterOS 7.17".
	What  string
	Files []File
	// Applies: linerate apply can run the device's apply.sh, with a guard that undoes it.
	Applies bool
	// Change returns the command in a line of the file apply.* that changes a setting; empty: it changes none, as a
	// check or a copy of the old value. Nil: every line with a reason changes one.
	Change func(text string) string
	Steps  []Step
	// Manual has the work to do by hand before the files: firmware, port type, the BIOS.
	Manual []Line
	// Missing is what the plan requires and these files do not set, each with its reason.
	Missing []string
	// Unverified is what was not tested: "syntax not verified: no parser of .. here".
	Unverified []string
	// Notes are known side effects.
	Notes []string
}

// Group is hosts whose READMEs would differ only in their own values, as names and addresses. They share one README.
type Group struct {
	Name   string // the folder of the README: "vm1-vm32", its first and last host
	Hosts  []string
	Readme File // its name is within the rendered folder: vm1-vm32/README.md
}

// File is one rendered file of a device's folder.
type File struct {
	Name string // within the device's folder, with slashes: apply.sh, files/10-linerate-cx3.network
	// Path is its place on the device; empty for a script that is only run.
	Path    string
	Comment string // what begins a comment: "#", "!"; empty if the format has none
	Exec    bool   // it is run as a program
	Lines   []Line
}

// Line is one line of a file: a command, a key, or a comment.
type Line struct {
	Text   string // without its newline
	Why    string // the part of the plan that requires it; empty for syntax only (shebang, brackets, blank lines)
	Source Source // the document of the command's form; empty for syntax only
}

// Step is one step for the administrator, in order.
type Step struct {
	Do         string // "sh apply.sh"; further lines are printed below it
	Interrupts string // what stops working meanwhile, and for how long if known; empty: nothing
}

// Text returns the file's content.
func (f *File) Text() string {
	var b strings.Builder
	for _, l := range f.Lines {
		b.WriteString(l.Text)
		b.WriteByte('\n')
	}
	return b.String()
}

// Add adds a line with its reason and source.
func (f *File) Add(source Source, why, text string) {
	f.Lines = append(f.Lines, Line{Text: text, Why: why, Source: source})
}

// Form adds lines that are only syntax.
func (f *File) Form(text ...string) {
	for _, t := range text {
		f.Lines = append(f.Lines, Line{Text: t})
	}
}

// Note adds a comment; text may have several lines. It does nothing in a file without comments.
func (f *File) Note(text string) {
	if f.Comment == "" {
		return
	}
	for _, t := range strings.Split(text, "\n") {
		f.Form(strings.TrimRight(f.Comment+" "+Plain(t), " "))
	}
}

// File returns the file of that name, or nil.
func (d *Device) File(name string) *File {
	i := slices.IndexFunc(d.Files, func(f File) bool { return f.Name == name })
	if i < 0 {
		return nil
	}
	return &d.Files[i]
}

// Miss records something that these files do not set. It ignores repetitions.
func (d *Device) Miss(what string) {
	d.Missing = xslices.AppendNew(d.Missing, what)
}

// Gaps records what the files do not set, according to the plan.
func (d *Device) Gaps(list []string) {
	for _, g := range list {
		d.Miss(Plain(g))
	}
}

// Renderer writes the configuration of the systems of one family from a plan.
type Renderer struct {
	Family string // as device.System.Family
	// Host and Switch render one device; a family has one of the two. If a device cannot be rendered, the error has all
	// reasons from the plan.
	Host   func(*plan.Plan, *plan.Host) (Device, error)
	Switch func(*plan.Plan, *plan.Switch) (Device, error)
	// Sources are the documents of its commands, besides those that all families share.
	Sources map[Source]string
}

// Source is the id of a document that describes a command.
type Source string

// Sources are the documents that several families share. Each family also has its own.
var Sources = map[Source]string{"ip-link(8)": "iproute2, ip-link(8)", "ip-address(8)": "iproute2, ip-address(8)",
	"ip-route(8)": "iproute2, ip-route(8)",
	"sysctl(8)":   "procps, sysctl(8); keys: kernel documentation, networking/ip-sysctl", "ethtool(8)": "ethtool(8)",
	"hosts(5)": "hosts(5)", "plan": "linerate's own: it only prints or compares"}

// Columns aligns rows into columns, two spaces apart, without spaces at the ends.
func Columns(rows [][]string) []string {
	var width []int
	for _, r := range rows {
		for i, c := range r {
			if i == len(width) {
				width = append(width, 0)
			}
			width[i] = max(width[i], utf8.RuneCountInString(c))
		}
	}
	var out []string
	for _, r := range rows {
		line := ""
		for i, c := range r {
			line += fmt.Sprintf("%-*s  ", width[i], c)
		}
		out = append(out, strings.TrimRight(line, " "))
	}
	return out
}

// Numbers joins numbers with a separator: "0,1,2".
func Numbers(list []int, sep string) string {
	words := make([]string, len(list))
	for i, n := range list {
		words[i] = strconv.Itoa(n)
	}
	return strings.Join(words, sep)
}
