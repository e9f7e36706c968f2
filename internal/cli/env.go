package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"linerate/internal/design/catalog"
	"linerate/internal/design/fabric"
	"linerate/internal/host/connect"
	"linerate/internal/record"
	"linerate/internal/report"
	"linerate/internal/report/format"
)

// Env is the environment of a command; tests replace its streams with buffers.
type Env struct {
	In        io.Reader
	Out, Err  io.Writer
	Getenv    func(string) string
	Errors    Errors // of this command line
	Events    report.Events
	Result    *record.Run // result of this command line's run; nil: none
	RunFolder string      // its folder, if it is kept

	environment map[string]string // flags set by variables, with their names; nil: not read yet
	allHelp     bool              // --help-all was typed
}

// Execute runs one command line of the tree of commands below root and returns the exit code.
func (e *Env) Execute(ctx context.Context, root *cobra.Command, args []string) int {
	e.Errors, e.Events, e.Result, e.environment = Errors{}, report.Events{}, nil, nil
	e.allHelp = false
	args = e.wantsAllHelp(args)
	e.careful(root)
	e.unknownFlags(root, args)
	ownHelp(root)
	typeUsage(root, args)
	root.SetArgs(args)
	root.SetIn(e.In)
	root.SetOut(e.Out)
	root.SetErr(e.Err)
	c, err := root.ExecuteContextC(ctx)
	err = asUsage(root, c, args, err)
	code, text := ExitCode(err), ""
	var quiet *exitError
	if err != nil && !(errors.As(err, &quiet) && quiet.err == nil) {
		text = Clean(e.whence(message(c, err)))
		fmt.Fprintln(e.Err, text)
	}
	if wanted, _ := c.Flags().GetBool("jsonl"); wanted {
		e.Events.Out = e.Out // also where there is no plan
		e.Events.Finished(e.Result, e.RunFolder, code, text)
		if e.Events.Err != nil {
			fmt.Fprintln(e.Err, Clean("linerate: "+e.Events.Err.Error()))
			return ExitFailed
		}
	}
	return code
}

// message is the printed form of an error: problems of a file start with their place, so that editors find it; a
// command line that cannot be parsed ends with a hint at the help.
func message(c *cobra.Command, err error) string {
	var problems fabric.Problems
	var own catalog.Problems
	var wrong *wrongLine
	var far *connect.Error
	if lines := advised(err); lines != "" {
		return lines
	}
	switch {
	case errors.As(err, &far) && err.Error() == far.Error():
		lines := far.Lines()
		lines[0] = "linerate: " + lines[0]
		return strings.Join(format.Wrapped(lines, 78), "\n  ")
	case errors.As(err, &wrong) && (len(wrong.errors) > 1 || isUsage(wrong.errors[0])):
		between := "; "
		if len(wrong.errors) > 1 {
			between = "\n"
		}
		return fmt.Sprintf("linerate: %v%swrite: %s; see %s --help", err, between, c.UseLine(), c.CommandPath())
	case errors.As(err, &problems) && err.Error() == problems.Error(),
		errors.As(err, &own) && err.Error() == own.Error():
		return err.Error()
	// The command takes arguments and has subcommands.
	case isUsage(err) && (!c.HasSubCommands() || strings.Contains(c.Use, " ")):
		return fmt.Sprintf("linerate: %v; write: %s; see %s --help", err, c.UseLine(), c.CommandPath())
	case isUsage(err):
		text := fmt.Sprintf("linerate: %v", err)
		if u := (*usageError)(nil); errors.As(err, &u) && u.word != "" {
			text += nearCommand(c, u.word)
		}
		return fmt.Sprintf("%s; see %s --help", text, c.CommandPath())
	}
	return "linerate: " + err.Error()
}
