package cli

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"unicode"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"linerate/internal/base/diag"
	"linerate/internal/base/xslices"
	"linerate/internal/design/catalog"
	"linerate/internal/design/fabric"
	"linerate/internal/host/connect"
	"linerate/internal/record/runfolder"
)

// problems returns an error of a command in the form in which all errors are printed.
func (e *Env) problems(c *cobra.Command, err error) diag.Problems {
	all := problemsOf(c, err)
	if isUsage(err) {
		if u := (*usageError)(nil); errors.As(err, &u) && u.of != nil {
			c = u.of
		}
		last := all[len(all)-1]
		last.Fix = strings.Join(append(lines(last.Fix), c.CommandPath()+" --help"), "\n")
	}
	e.whence(all)
	return all
}

// paint is the colour of errors: none in a file or a pipe, and none with NO_COLOR.
func (e *Env) paint() diag.Paint {
	f, ok := e.Err.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) || e.Getenv("NO_COLOR") != "" || e.Getenv("TERM") == "dumb" {
		return diag.Plain
	}
	return painted
}

func painted(role diag.Role, text string) string {
	code := map[diag.Role]string{diag.Error: "31;1", diag.Title: "1", diag.Frame: "2", diag.Help: "36"}[role]
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

// problemsOf converts an error. c is the command with the error.
func problemsOf(c *cobra.Command, err error) diag.Problems {
	if coded, ok := err.(*exitError); ok && coded.err != nil {
		err = coded.err
	}
	var inFile fabric.Problems
	var inParts catalog.Problems
	var wrong *wrongLine
	var far *connect.Error
	switch {
	case errors.As(err, &wrong) && wrong.Error() == err.Error():
		var all diag.Problems
		for _, one := range wrong.errors {
			all = append(all, problemsOf(c, one)...)
		}
		return all
	case errors.As(err, &inFile) && inFile.Error() == err.Error():
		return inFile
	case errors.As(err, &inParts) && inParts.Error() == err.Error():
		return inParts.Plain()
	case errors.As(err, &far) && far.Error() == err.Error():
		return diag.Problems{ofConnection(c, far)}
	}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		var all diag.Problems
		for _, one := range joined.Unwrap() {
			all = append(all, problemsOf(c, one)...)
		}
		return all
	}
	return diag.Problems{one(c, err)}
}

// idOf is the kind of an error without a type of its own; empty: no page describes it.
func idOf(err error) diag.ID {
	var part *catalog.NotFoundError
	switch {
	case errors.Is(err, runfolder.ErrNoRun):
		return diag.RunUnknown
	case errors.Is(err, runfolder.ErrNotEmpty):
		return diag.OutputExists
	case errors.Is(err, connect.ErrNoLab):
		return diag.LabUnknown
	case errors.As(err, &part) && part.Several:
		return diag.PartAmbiguous
	case part != nil:
		return diag.PartUnknown
	case strings.HasPrefix(err.Error(), "connection "):
		return diag.ConnectionInvalid
	case strings.HasPrefix(err.Error(), "missing "):
		return diag.ArgumentMissing
	case strings.HasPrefix(err.Error(), "--"), strings.HasPrefix(err.Error(), variables):
		return diag.FlagValue
	}
	return ""
}

// one is the problem of an error that is about one thing.
func one(c *cobra.Command, err error) *diag.Problem {
	p := advised(c, err)
	if u := (*usageError)(nil); errors.As(err, &u) {
		p.ID = u.id
		p.Fix = strings.Join(append(lines(p.Fix), u.help()...), "\n")
		p.Notes = append(p.Notes, u.notes...)
	}
	if a := (*Advice)(nil); errors.As(err, &a) {
		p.ID = a.ID
		p.Fix = strings.Join(append(lines(p.Fix), a.Help...), "\n")
		p.Notes = append(p.Notes, a.Note...)
	}
	if p.ID == "" {
		p.ID = idOf(err)
	}
	return p
}

// advised is the problem of an error with what to type, or of one that has only its text.
func advised(c *cobra.Command, err error) *diag.Problem {
	var a *diag.Advised
	if !errors.As(err, &a) {
		return fromText(c, err.Error())
	}
	what, ok := a.What(err.Error())
	if !ok {
		return fromText(c, err.Error())
	}
	p := &diag.Problem{Message: what}
	if errors.Unwrap(a.Err) != nil { // of another package
		p = fromText(c, what)
	}
	p.Fix = strings.Join(append(lines(p.Fix), ofFlag(what, a.Help)...), "\n")
	p.Notes = append(p.Notes, a.Notes...)
	return p
}

func lines(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(text, "\n")
}

// ofConnection is the problem of a host that cannot be reached.
func ofConnection(c *cobra.Command, far *connect.Error) *diag.Problem {
	all := far.Lines()
	p := fromText(c, all[0])
	if p.ID = diag.HostUnreachable; errors.Is(far, connect.ErrNoLab) {
		p.ID = diag.LabUnknown
	}
	for _, line := range all[1:] {
		label, text, _ := strings.Cut(line, ": ")
		switch label {
		case "try", "type":
			p.Fix = strings.Join(append(lines(p.Fix), text), "\n")
		default:
			p.Notes = append(p.Notes, line)
		}
	}
	return p
}

// variables begins the names of environment variables that set flags.
const variables = "LINERATE_"

// toDo are the words that begin a text which says what to type or to do.
var toDo = []string{"write", "name", "give", "add", "choose", "take", "check", "see", "leave", "omit", "install", "use",
	"set", "start", "run", "try", "type", "delete", "remove", "replace", "put", "open", "close", "copy", "create", "make",
	"move", "raise", "lower", "shorten", "spread", "split", "connect", "wait", "stop", "look", "measure", "build", "allow",
	"define", "sudo", "rename", "end", "begin", "free", "unload", "save", "drop", "join", "did", "or", "get", "share"}

// fromText makes a problem of "what is wrong; why; what to do", the form of errors without a type of their own. Lines
// that begin with help: or note: are such lines, and other lines belong to what is wrong.
func fromText(c *cobra.Command, text string) *diag.Problem {
	p := &diag.Problem{}
	var fixes, message []string
	for _, line := range strings.Split(text, "\n") {
		if rest, ok := strings.CutPrefix(line, "help: "); ok {
			fixes = append(fixes, rest)
			continue
		}
		if rest, ok := strings.CutPrefix(line, "note: "); ok {
			p.Notes = append(p.Notes, rest)
			continue
		}
		parts := strings.Split(line, "; ")
		message = append(message, parts[0])
		to := &message
		for _, part := range parts[1:] {
			word, _, _ := strings.Cut(part, " ")
			switch {
			case !strings.ContainsFunc(part, unicode.IsLetter): // of a quotation
				(*to)[len(*to)-1] += "; " + part
				continue
			case slices.Contains(toDo, strings.TrimRight(word, ",:")), isCommandLine(c, part):
				to = &fixes
			default:
				to = &p.Notes
			}
			*to = append(*to, part)
		}
	}
	if subject, form, ok := strings.Cut(message[0], ": write "); ok &&
		(strings.HasPrefix(subject, "--") || strings.HasPrefix(subject, variables)) {
		message[0] = subject + " is not valid"
		fixes = append([]string{"write " + form}, fixes...)
	}
	p.Message, p.Fix = strings.Join(message, "\n"), strings.Join(ofFlag(message[0], fixes), "\n")
	return p
}

// ofFlag names the flag in what to write, if the problem begins with one.
func ofFlag(message string, fixes []string) []string {
	flag, _, ok := strings.Cut(message, ": ")
	if !ok || !strings.HasPrefix(flag, "--") {
		return fixes
	}
	flag, _, _ = strings.Cut(flag, " ") // without the value that is wrong
	words := strings.NewReplacer("write it as ", "write "+flag+" ", " for bits per second", " (bits per second)")
	return xslices.Map(fixes, words.Replace)
}

// isCommandLine reports whether a text begins with a command of linerate.
func isCommandLine(c *cobra.Command, text string) bool {
	words := strings.Fields(text)
	return len(words) > 1 && words[0] == c.Root().Name() &&
		slices.ContainsFunc(c.Root().Commands(), func(sub *cobra.Command) bool { return sub.Name() == words[1] })
}

// whence adds which flags in the problems were set by the environment, as the reader did not type them.
func (e *Env) whence(all diag.Problems) {
	var names []string
	for flag := range e.environment {
		names = append(names, flag)
	}
	slices.Sort(names)
	for _, p := range all {
		for _, flag := range names {
			if mentions(p.Message, "--"+flag) {
				p.Notes = append(p.Notes, fmt.Sprintf("--%s is of the environment: %s", flag, e.environment[flag]))
			}
		}
	}
}

// mentions reports whether a text has a flag, and not only a longer one that begins with it.
func mentions(text, flag string) bool {
	for {
		at := strings.Index(text, flag)
		if at < 0 {
			return false
		}
		text = text[at+len(flag):]
		if text == "" || !strings.ContainsRune("-abcdefghijklmnopqrstuvwxyz", rune(text[0])) {
			return true
		}
	}
}
