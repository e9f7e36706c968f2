package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"linerate/internal/agent"
	"linerate/internal/base/diag"
	"linerate/internal/cli"
	"linerate/internal/cli/manual"
	"linerate/internal/record/runfolder"
)

// book is the content of the manual beyond that of the commands.
func book(e *cli.Env) (manual.Book, error) {
	b := manual.Book{Version: agent.Version(), Exits: cli.Exits, Env: cli.Variable, Others: cli.Variables}
	// The date of the version, not of the day: https://reproducible-builds.org/specs/source-date-epoch/
	if text := e.Getenv("SOURCE_DATE_EPOCH"); text != "" {
		s, err := strconv.ParseInt(text, 10, 64)
		if err != nil || s < 0 {
			return b, cli.Fail(cli.ExitInput, fmt.Errorf("SOURCE_DATE_EPOCH %q: write the seconds since 1970, a whole number",
				text))
		}
		b.Date = time.Unix(s, 0).UTC().Format(time.DateOnly)
	}
	return b, nil
}

// docsCommand writes the manual, for builders of packages.
func docsCommand(e *cli.Env) *cobra.Command {
	c := &cobra.Command{
		Use:    "docs",
		Short:  "Write the manual from the commands",
		Hidden: true,
		Args:   cli.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return cli.Fail(cli.ExitInput, &cli.Advice{ID: diag.ArgumentMissing, Text: "missing man DIR or reference FILE",
				Help: []string{"write linerate docs man DIR", "or linerate docs reference FILE"}})
		},
	}
	c.AddCommand(&cobra.Command{
		Use:   "man DIR",
		Short: "Write a man page for each command into a folder",
		Long: `Writes linerate.1, linerate-run.1 .. into DIR, which is made if it is not there. With
SOURCE_DATE_EPOCH the pages have that date, else none, so that the same version gives the same pages.`,
		Example: "  linerate docs man build/man/man1",
		Args:    cli.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			b, err := book(e)
			if err != nil {
				return err
			}
			paths, err := b.ManPages(args[0], manualRoot(c))
			for _, p := range paths {
				fmt.Fprintln(e.Out, p)
			}
			return err
		},
	}, &cobra.Command{
		Use:     "reference FILE",
		Short:   "Write all commands and flags as one page of Markdown; - is standard output",
		Example: "  linerate docs reference docs/reference.md",
		Args:    cli.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			b, err := book(e)
			if err != nil {
				return err
			}
			write := func(w io.Writer) error { return b.Reference(w, manualRoot(c), referenceHead) }
			if args[0] == "-" {
				return write(e.Out)
			}
			return runfolder.WriteFile(args[0], write)
		},
	})
	return c
}

// manualRoot is the tree including the commands that cobra adds when it parses a command line.
func manualRoot(c *cobra.Command) *cobra.Command {
	root := c.Root()
	root.InitDefaultCompletionCmd()
	return root
}

var referenceHead = strings.TrimLeft(`
# Every command and flag

Made of the commands themselves by `+"`linerate docs reference docs/reference.md`"+`; a test says when it is no longer theirs. What files and outputs look like
is in [contract.md](contract.md), the keys of fabric files in [fabric.md](fabric.md).
`, "\n")
