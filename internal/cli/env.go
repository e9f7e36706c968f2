package cli

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"linerate/internal/record"
	"linerate/internal/report"
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
		all := e.problems(c, err)
		text = all.Error()
		fmt.Fprintln(e.Err, all.Text(e.paint()))
	}
	if wanted, _ := c.Flags().GetBool("jsonl"); wanted {
		e.Events.Out = e.Out // also where there is no plan
		e.Events.Finished(e.Result, e.RunFolder, code, text)
		if e.Events.Err != nil {
			fmt.Fprintln(e.Err, Clean("error: "+e.Events.Err.Error()))
			return ExitFailed
		}
	}
	return code
}
