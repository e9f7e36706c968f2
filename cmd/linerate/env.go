package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"linerate/internal/design/catalog"
	"linerate/internal/design/fabric"
	"linerate/internal/host/connect"
	"linerate/internal/record"
	"linerate/internal/report"
)

// env is what the program sees of the world; tests put buffers in.
type env struct {
	in       io.Reader
	out, err io.Writer
	getenv   func(string) string
	wrong    mistakes // of this command line
	events   report.Events
	told     *record.Run // what the run of this command line has become; nil: none
	toldIn   string      // its folder, if it stays

	environment map[string]string // flags that have their values from variables, with these; nil: it was not looked at
}

// main runs one command line and returns the exit code.
func (e *env) main(ctx context.Context, args []string) int {
	e.wrong, e.events, e.told, e.environment = mistakes{}, report.Events{}, nil, nil
	root := e.root()
	e.careful(root)
	e.unknownFlags(root, args)
	ownHelp(root)
	root.SetArgs(args)
	root.SetIn(e.in)
	root.SetOut(e.out)
	root.SetErr(e.err)
	c, err := root.ExecuteContextC(ctx)
	code, text := exitCode(err), ""
	var quiet *exitError
	if err != nil && !(errors.As(err, &quiet) && quiet.err == nil) {
		text = clean(e.whence(message(c, err)))
		fmt.Fprintln(e.err, text)
	}
	if wanted, _ := c.Flags().GetBool("jsonl"); wanted {
		e.events.Out = e.out // also where nothing was planned
		e.events.Finished(e.told, e.toldIn, code, text)
		if e.events.Err != nil {
			fmt.Fprintln(e.err, clean("linerate: "+e.events.Err.Error()))
			return exitFailed
		}
	}
	return code
}

// message is what is printed of an error: problems of a file start with their
// place, so that editors find it; a command line that cannot be read ends with where to look.
func message(c *cobra.Command, err error) string {
	var problems fabric.Problems
	var own catalog.Problems
	var wrong *wrongLine
	var far *connect.Error
	switch {
	case errors.As(err, &far) && err.Error() == far.Error():
		lines := far.Lines()
		lines[0] = "linerate: " + lines[0]
		return strings.Join(report.Wrapped(lines, 78), "\n  ")
	case errors.As(err, &wrong) && (len(wrong.mistakes) > 1 || usage(wrong.mistakes[0])):
		between := "; "
		if len(wrong.mistakes) > 1 {
			between = "\n"
		}
		return fmt.Sprintf("linerate: %v%swrite: %s; see %s --help", err, between, c.UseLine(), c.CommandPath())
	case errors.As(err, &problems) && err.Error() == problems.Error(), errors.As(err, &own) && err.Error() == own.Error():
		return err.Error()
	case usage(err) && (!c.HasSubCommands() || strings.Contains(c.Use, " ")): // what takes words of its own, beside commands below it
		return fmt.Sprintf("linerate: %v; write: %s; see %s --help", err, c.UseLine(), c.CommandPath())
	case usage(err):
		text := fmt.Sprintf("linerate: %v", err)
		word := ""
		if n, _ := fmt.Sscanf(err.Error(), "unknown command %q", &word); n == 1 {
			text += nearCommand(c, word)
		}
		return fmt.Sprintf("%s; see %s --help", text, c.CommandPath())
	}
	return "linerate: " + err.Error()
}

// clean takes control characters out of text that may come from a file or a
// device, so that it cannot steer the terminal.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		if r < 0x20 && r != '\n' && r != '\t' || r >= 0x7f && r < 0xa0 {
			return -1
		}
		return r
	}, s)
}

// terminal describes the standard output as the report wants it.
func (e *env) terminal() report.Terminal {
	t := report.Terminal{Width: 80, Out: e.out, ASCII: !e.utf8()}
	if f, ok := e.out.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		t.Color = e.getenv("NO_COLOR") == "" && e.getenv("TERM") != "dumb"
		if w, _, err := term.GetSize(int(f.Fd())); err == nil && w > 0 {
			t.Width = w
		}
	}
	return t
}

// utf8 says whether the locale is a UTF-8 one; without any locale set the
// drawing characters are taken to be fine, as on a fresh container.
func (e *env) utf8() bool {
	for _, k := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if v := strings.ToLower(e.getenv(k)); v != "" {
			return strings.Contains(v, "utf-8") || strings.Contains(v, "utf8")
		}
	}
	return true
}
