package main

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"linerate/internal/cli/manual"
	"linerate/internal/record/runfolder"
)

// exits are the exit codes of the program; the help, the man pages and the reference have them from here.
var exits = []manual.Exit{
	{Code: exitDone, When: "done, every goal met"},
	{Code: exitFailed, When: "the program failed"},
	{Code: exitInput, When: "the input is wrong"},
	{Code: exitMissed, When: "goals missed, or plan problems, findings or doctor lines of severity error"},
	{Code: exitIncomplete, When: "incomplete (a host failed, or an experiment or goal was not run or is not known)"},
	{Code: exitRefused, When: "refused for safety"},
	{Code: exitInterrupted, When: "interrupted"},
}

// variables are those that stand for no flag.
var variables = []manual.Variable{
	{Name: "LINERATE_FABRIC", What: "the fabric file where none is named; else it is the fabric.yaml of this folder or the nearest one above"},
	{Name: "LINERATE_SECRET_HOST", What: "the secret of HOST, whose reach is tcp; its name in capitals, every other character _"},
	{Name: "LINERATE_COMMAND_FLAG", What: "for every flag of every command, such as LINERATE_RUN_OUTPUT for linerate run --output: its value where the command line does not have it. true or false for one without a value. None for --destroy and those that begin with --allow, which are typed"},
	{Name: "NO_COLOR", What: "no colours, whatever its value"},
}

// book is what the manual says beside the commands.
func (e *env) book() (manual.Book, error) {
	b := manual.Book{Version: version(), Exits: exits, Env: variable, Others: variables}
	// A date of the version, not of the day: https://reproducible-builds.org/specs/source-date-epoch/
	if text := e.getenv("SOURCE_DATE_EPOCH"); text != "" {
		s, err := strconv.ParseInt(text, 10, 64)
		if err != nil || s < 0 {
			return b, fail(exitInput, fmt.Errorf("SOURCE_DATE_EPOCH %q: write the seconds since 1970, a whole number", text))
		}
		b.Date = time.Unix(s, 0).UTC().Format(time.DateOnly)
	}
	return b, nil
}

// docsCommand writes the manual; it is for those who build packages.
func (e *env) docsCommand() *cobra.Command {
	c := &cobra.Command{
		Use:    "docs",
		Short:  "The manual, made of the commands",
		Hidden: true,
		Args:   cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return fail(exitInput, errors.New("say which: linerate docs man DIR, or linerate docs reference FILE"))
		},
	}
	c.AddCommand(&cobra.Command{
		Use:   "man DIR",
		Short: "Write a man page for each command into a folder",
		Long: `Writes linerate.1, linerate-run.1 .. into DIR, which is made if it is not there. With
SOURCE_DATE_EPOCH the pages have that date, else none, so that the same version gives the same pages.`,
		Example: "  linerate docs man build/man/man1",
		Args:    cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			b, err := e.book()
			if err != nil {
				return err
			}
			paths, err := b.ManPages(args[0], manualRoot(c))
			for _, p := range paths {
				fmt.Fprintln(e.out, p)
			}
			return err
		},
	}, &cobra.Command{
		Use:     "reference FILE",
		Short:   "Write all commands and flags as one page of Markdown; - is standard output",
		Example: "  linerate docs reference docs/reference.md",
		Args:    cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			b, err := e.book()
			if err != nil {
				return err
			}
			write := func(w io.Writer) error { return b.Reference(w, manualRoot(c), referenceHead) }
			if args[0] == "-" {
				return write(e.out)
			}
			return runfolder.WriteFile(args[0], write)
		},
	})
	return c
}

// manualRoot is the tree with the commands that cobra adds when a command line is read.
func manualRoot(c *cobra.Command) *cobra.Command {
	root := c.Root()
	root.InitDefaultCompletionCmd()
	return root
}

var referenceHead = strings.TrimLeft(`
# Every command and flag

Made of the commands themselves by `+"`linerate docs reference docs/reference.md`"+`; a test says when it is no longer theirs. What files and outputs look like
stands in [contract.md](contract.md), the keys of fabric files in [fabric.md](fabric.md).
`, "\n")
