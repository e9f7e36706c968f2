package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"linerate/internal/cli"
	"linerate/internal/cli/results"
	"linerate/internal/report/summary"
)

func shareCommand(e *cli.Env) *cobra.Command {
	var which results.Choice
	var as string
	var draw results.Picture
	names, what := summary.Forms()
	var forms strings.Builder
	for _, name := range names {
		fmt.Fprintf(&forms, "\n  %-9s %s", name, what[name])
	}
	for _, f := range results.PictureForms {
		names = append(names, f[0])
		fmt.Fprintf(&forms, "\n  %-9s %s", f[0], f[1])
	}
	c := &cobra.Command{
		Use:   "share RUN [AFTER]",
		Short: "Print a summary of a run to post in a forum",
		Long: `Prints the summary of a run: the result, both hosts, the link, the verdict, and the figures, each with its share of the ceiling.
The figures are TCP with 1 and 8 streams each way and both ways at once, round trips idle and under load, RDMA, and
CrystalDiskMark's rows. What was not measured is left out. The last line is for compare: it survives a forum's quotes and wraps.
` + results.RunWords + ` Also a file with a summary in it, or - for standard input.
A run of several pairs of hosts has a summary for each; the first is printed, and standard error says which others there are.
With two runs the picture shows both: before and after a change.
Forms:` + forms.String(),
		Example: `  linerate share latest
  linerate share latest --format markdown
  linerate share kxzp --format bbcode --pair nas,pc
  linerate share latest --format json --all
  linerate share latest -o result.png --dark
  linerate share k3vq m7tz --format svg -o before-after.svg`,
		Args: cli.RangeArgs(1, 2),
		RunE: func(c *cobra.Command, args []string) error {
			if err := results.Figures(e, args); err != nil {
				return err
			}
			if ending := strings.TrimPrefix(filepath.Ext(draw.File), "."); results.IsPicture(ending) &&
				!c.Flags().Changed("format") {
				as = ending
			}
			if results.IsPicture(as) {
				return results.DrawSummaries(e, args, as, which, draw)
			}
			switch {
			case len(args) > 1:
				return cli.Fail(cli.ExitInput, cli.Advise(
					errors.New("two runs are shown as a picture: --format svg or png"),
					"linerate compare RUN RUN prints them"))
			case draw.File != "" || draw.Dark:
				return cli.Fail(cli.ExitInput, errors.New("-o and --dark are for pictures: --format svg or png, or -o FILE.png"))
			}
			return results.ShowSummaries(e, args[0], as, which)
		},
	}
	c.Flags().StringVar(&as, "format", "text", strings.Join(names, ", "))
	c.Flags().StringVar(&which.Pair, "pair", "",
		"the summaries of these two hosts, A,B in either order; one host: that of its own storage")
	c.Flags().StringVarP(&draw.File, "output", "o", "", "write the picture to this new file, FILE.svg or FILE.png")
	c.Flags().BoolVar(&draw.Dark, "dark", false, "a picture with light text on a dark ground")
	c.Flags().BoolVar(&which.All, "all", false, "all summaries of the run")
	return c
}
