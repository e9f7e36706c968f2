package fabric

import (
	"errors"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"linerate/internal/base/diag"
	"linerate/internal/base/method"
)

// NeedsCommand reports whether a known program needs the user's command, because it has no default problem to solve.
func NeedsCommand(app string) bool { return app == "lammps" || app == "fio" || app == "" }

// app checks the keys of the method app.
func (d *decoder) app(e *Experiment, f *fields) {
	if !f.has("command") {
		for _, a := range e.Parameter("app") {
			if NeedsCommand(a) {
				f.bad(diag.KeyMissing, "command", "the experiment has no command", a+" needs the command of your own problem",
					"write command: \"PROGRAM ARGUMENTS\"")
				break
			}
		}
		if !f.has("app") {
			f.bad(diag.KeyMissing, "command", "the experiment has no command", "the method command runs a command",
				"write command: \"PROGRAM ARGUMENTS\"")
		}
	}
	for _, key := range []string{"command", "server"} {
		for _, text := range e.Parameter(key) {
			if _, err := Words(text); err != nil {
				f.bad(diag.CommandInvalid, key, err.Error(), "quotes keep words together", "close the quote, or name a program")
			}
		}
	}
	for _, text := range e.Parameter("ready") {
		if _, err := regexp.Compile(text); err != nil {
			message, _, _ := strings.Cut(strings.TrimPrefix(err.Error(), "error parsing regexp: "), "\n")
			f.bad(diag.PatternInvalid, "ready", fmt.Sprintf("%s is not a regular expression: %s", quote(text), visible(message)),
				"the syntax is RE2's", "write it in single quotes: 'pattern'")
		}
	}
	if len(e.Parameter("ready")) > 0 && len(e.Parameter("server")) == 0 {
		f.bad(diag.KeyMissing, "ready", "ready is set without a server", "",
			"add server: \"PROGRAM ARGUMENTS\", or delete ready")
	}
	if f.has("server") && !f.has("to") {
		f.bad(diag.KeyMissing, "server", "the server has no host", "the server runs on the host of to",
			"write from: HOST and to: HOST")
	}
}

// maxAppFiles is how many files an experiment may have.
const maxAppFiles = 16

// appFiles reads the files of an app.
func (d *decoder) appFiles(e *Experiment, f *fields) []string {
	if !f.has("files") || method.Named(e.Method).CopiesFiles { // there files is a number
		return nil
	}
	if !method.Named(e.Method).RunsCommand {
		f.bad(diag.SettingUnfit, "files", e.Method+" has no files", "only command and copy have files",
			"delete files, or choose another method")
		return nil
	}
	var out, names []string
	for _, w := range f.words("files") {
		name, c := appFile(w.text, names)
		if c != nil {
			d.bad(c.id, w.at, f.subject, "files: "+c.message, c.limit, c.fix)
			continue
		}
		out, names = append(out, name), append(names, path.Base(name))
	}
	if len(out) > maxAppFiles {
		f.bad(diag.TooLarge, "files", fmt.Sprintf("the experiment has %d files", len(out)),
			fmt.Sprintf("linerate sends up to %d", maxAppFiles),
			"put them on the hosts, and name them in the command")
	}
	return out
}

// AppFiles reads names of an experiment's files, relative to the folder with the program, as a fabric file has them.
func AppFiles(texts []string) (out []string, wrong []error) {
	var names []string
	for _, text := range texts {
		name, c := appFile(text, names)
		if c != nil {
			p := Problem{Message: c.message, Limit: c.limit, Fix: c.fix}
			wrong = append(
				wrong,
				errors.New(
					strings.NewReplacer("the folder of this file", "this folder", "the fabric file", "this folder").Replace(p.Words()),
				),
			)
			continue
		}
		out, names = append(out, name), append(names, path.Base(name))
	}
	if len(out) > maxAppFiles {
		wrong = append(wrong, fmt.Errorf("there are %d; linerate sends up to %d; put them on the hosts, and name them in "+
			"the command", len(out), maxAppFiles))
	}
	return out, wrong
}

// appFile returns the name of one file, or its error; names are those of the other files in the experiment's folder.
func appFile(text string, names []string) (string, *complaint) {
	name := path.Clean(text)
	base := path.Base(name)
	switch {
	case strings.HasPrefix(text, "/") || strings.ContainsAny(text, "\\:\x00") || name == "." || name == ".." ||
		strings.HasPrefix(name, "../"):
		return "", &complaint{diag.CommandInvalid, quote(text) + " is not below the folder of this file",
			"files are named relative to the fabric file",
			"move the file there, and write its name with slashes"}
	case strings.HasPrefix(base, "."):
		return "", &complaint{diag.CommandInvalid, quote(base) + " begins with a dot", "linerate uses such names itself",
			"rename the file"}
	case slices.Contains(names, base):
		return "", &complaint{diag.CommandInvalid, quote(base) + " is listed twice", "all files are copied into one folder",
			"rename one"}
	}
	return name, nil
}

// Words splits a command at spaces; quotes keep words together. No other character is special, because no shell reads
// the command.
func Words(text string) ([]string, error) {
	var out []string
	var word strings.Builder
	open, has := rune(0), false
	for _, r := range text {
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
