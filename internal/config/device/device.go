package device

import "strings"

// Device is everything rendered for one host or switch.
type Device struct {
	Name   string // the host's or switch's name in the fabric
	Family string // linux, freebsd, windows, routeros ..
	What   string // what it is, for people: "host, Debian 12", "MikroTik CRS504-4XQ-IN, RouterOS 7.17"
	Files  []File
	Steps  []Step
	// Manual is what has to be done by hand, and before the files: firmware, port type, the BIOS.
	Manual []Line
	// Missing is what the plan asks for and these files do not do, each with its reason.
	Missing []string
	// Unverified is what was not tried: "syntax not verified: no parser of .. here".
	Unverified []string
}

// File is one rendered file of a device's folder.
type File struct {
	Name string // within the device's folder, with slashes: apply.sh, files/10-linerate-cx3.network
	// Path is where it belongs on the device; empty for a script that is only run.
	Path    string
	Comment string // what begins a comment in it: "#", "!"; empty if it can have none
	Exec    bool   // is run as a program
	Lines   []Line
}

// Line is one line of a file: a command, a key, or a comment.
type Line struct {
	Text   string // without its newline
	Why    string // what of the plan asks for it; empty for lines of mere form (shebang, brackets, blank lines)
	Source Source // where the form of the command is documented; empty for lines of mere form
}

// Step is one step of the order in which a person does it.
type Step struct {
	Do         string // "sh apply.sh"; further lines are told below it
	Interrupts string // what stops working meanwhile, and for how long if that is known; empty: nothing
}

// Text is the file's content.
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

// Form adds lines of mere form.
func (f *File) Form(text ...string) {
	for _, t := range text {
		f.Lines = append(f.Lines, Line{Text: t})
	}
}

// Note adds a comment; text may have several lines. A file without comments gets nothing.
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
	for i := range d.Files {
		if d.Files[i].Name == name {
			return &d.Files[i]
		}
	}
	return nil
}

// Miss notes something that these files do not do, once.
func (d *Device) Miss(what string) {
	for _, m := range d.Missing {
		if m == what {
			return
		}
	}
	d.Missing = append(d.Missing, what)
}
