package fabric

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
)

// Apps are the programs that are ready-made: what they print is known.
func Apps() []string {
	return []string{"lammps", "osu_latency", "osu_bw", "imb_latency", "imb_bw", "iperf3", "fio",
		"ib_write_bw", "ib_read_bw", "ib_send_bw", "ib_write_lat", "ib_read_lat", "ib_send_lat"}
}

// NeedsCommand says whether a ready-made program has no command of its own: its problem is the user's.
func NeedsCommand(app string) bool { return app == "lammps" || app == "fio" || app == "" }

// app checks what belongs to the method app alone.
func (d *decoder) app(e *Experiment, f *fields) {
	if !f.has("command") {
		for _, a := range e.Axis("app") {
			if NeedsCommand(a) {
				f.bad("command", "the experiment has no command", a+" runs a problem that is the user's", "write command: \"PROGRAM ARGUMENTS\"")
				break
			}
		}
		if !f.has("app") {
			f.bad("command", "the experiment has no command", "app runs one", "write command: \"PROGRAM ARGUMENTS\"")
		}
	}
	for _, key := range []string{"command", "server"} {
		for _, text := range e.Axis(key) {
			if _, err := Words(text); err != nil {
				f.bad(key, err.Error(), "a command is split at spaces; quotes keep words together", "close it")
			}
		}
	}
	for _, text := range e.Axis("ready") {
		if _, err := regexp.Compile(text); err != nil {
			message, _, _ := strings.Cut(strings.TrimPrefix(err.Error(), "error parsing regexp: "), "\n")
			f.bad("ready", fmt.Sprintf("%s is no regular expression: %s", quote(text), visible(message)), "the syntax is RE2's, in single quotes", "correct it")
		}
	}
	if len(e.Axis("ready")) > 0 && len(e.Axis("server")) == 0 {
		f.bad("ready", "ready says when the server can be used, and there is none", "", "add server: \"PROGRAM ARGUMENTS\", or take it out")
	}
	if f.has("server") && !f.has("to") {
		f.bad("server", "the server has no host", "it runs on the host of to", "write from: HOST and to: HOST")
	}
}

// mostAppFiles is how many files an experiment may have.
const mostAppFiles = 16

// appFiles reads the files of an app.
func (d *decoder) appFiles(e *Experiment, f *fields) []string {
	if !f.has("files") {
		return nil
	}
	if e.Method != "app" {
		f.bad("files", e.Method+" has no files", "files are for app", "take it out")
		return nil
	}
	var out, names []string
	for _, w := range f.words("files") {
		name := path.Clean(w.text)
		base := path.Base(name)
		switch {
		case strings.HasPrefix(w.text, "/") || strings.ContainsAny(w.text, "\\:\x00") || name == "." || name == ".." || strings.HasPrefix(name, "../"):
			d.bad(w.at, f.subject, fmt.Sprintf("files: %s is no file below the folder of this file", quote(w.text)), "a file is named with slashes, relative to the fabric file", "put it there")
		case strings.HasPrefix(base, "."):
			d.bad(w.at, f.subject, fmt.Sprintf("files: %s begins with a dot", quote(base)), "such names are linerate's in the experiment's folder", "rename it")
		case slices.Contains(names, base):
			d.bad(w.at, f.subject, fmt.Sprintf("files: %s is there twice", quote(base)), "all lie in one folder on the host", "rename one")
		default:
			out, names = append(out, name), append(names, base)
		}
	}
	if len(out) > mostAppFiles {
		f.bad("files", fmt.Sprintf("it has %d files", len(out)), fmt.Sprintf("linerate sends up to %d", mostAppFiles), "put them on the hosts, and name them in the command")
	}
	return out
}

// Words splits a command at spaces; quotes keep words together. Nothing else is special: no shell reads it.
func Words(text string) ([]string, error) {
	var out []string
	var word strings.Builder
	open, has := rune(0), false
	for _, r := range strings.ReplaceAll(text, "{peer address}", "{peer_address}") { // the one placeholder of two words is one word
		switch {
		case open != 0 && r == open:
			open = 0
		case open != 0:
			word.WriteRune(r)
		case r == '"' || r == '\'':
			open, has = r, true
		case r == ' ' || r == '\t':
			if has || word.Len() > 0 {
				out = append(out, word.String())
			}
			word.Reset()
			has = false
		default:
			word.WriteRune(r)
		}
	}
	if open != 0 {
		return nil, fmt.Errorf("%s: a quote is not closed", quote(text))
	}
	if has || word.Len() > 0 {
		out = append(out, word.String())
	}
	if len(out) == 0 || out[0] == "" {
		return nil, fmt.Errorf("%s names no program", quote(text))
	}
	return out, nil
}
