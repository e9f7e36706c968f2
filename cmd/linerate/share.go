package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"linerate/internal/cli"
	"linerate/internal/cli/results"
	"linerate/internal/report/summary"
)

func shareCommand(e *cli.Env) *cobra.Command {
	var which results.Choice
	var as string
	names, what := summary.Forms()
	var forms strings.Builder
	for _, name := range names {
		fmt.Fprintf(&forms, "\n  %-9s %s", name, what[name])
	}
	c := &cobra.Command{
		Use:   "share RUN",
		Short: "Print a summary of a run to post in a forum",
		Long: `Prints the summary of a run: both hosts, the link, a fixed set of figures in a fixed order (TCP with 1 and 8 streams each way and
both ways at once, round trips idle and under load, RDMA and CrystalDiskMark's rows), each with its share of the ceiling, and the
verdict. The result comes first; what was not measured is left out. The last line is for compare: it survives a forum's quotes and wraps.
` + results.RunWords + ` Also a file with a summary in it, or - for standard input.
A run of several pairs of hosts has a summary for each; the first is printed, and standard error says which others there are.
Forms:` + forms.String(),
		Example: `  linerate share latest
  linerate share latest --format markdown
  linerate share kxzp --format bbcode --pair nas,pc
  linerate share latest --format json --all`,
		Args: cli.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			return results.ShowSummaries(e, args[0], as, which)
		},
	}
	c.Flags().StringVar(&as, "format", "text", strings.Join(names, ", "))
	c.Flags().StringVar(&which.Pair, "pair", "",
		"the summaries of these two hosts, A,B in either order; one host: that of its own storage")
	c.Flags().BoolVar(&which.All, "all", false, "all summaries of the run")
	return c
}
