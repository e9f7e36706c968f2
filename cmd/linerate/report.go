package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"linerate/internal/cli"
	"linerate/internal/cli/ceilings"
	"linerate/internal/cli/results"
	"linerate/internal/report"
)

func reportCommand(e *cli.Env) *cobra.Command {
	var asJSON bool
	var junit string
	var views report.Views
	c := &cobra.Command{
		Use:   "report RUN",
		Short: "Print a run's report again and write its page if it has none",
		Long:  results.RunWords,
		Example: `  linerate report latest
  linerate report latest --notes                       all warnings and limits
  linerate report latest --evidence                    the counters of every verdict, the formulas of the ceilings
  linerate report runs/2026-11-23T2210-home-k7qd --json
  linerate report k7qd --junit goals.xml`,
		Args: cli.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := cli.CheckJUnitFile(junit); err != nil {
				return cli.Fail(cli.ExitInput, err)
			}
			open := results.OpenFigures
			if asJSON {
				open = results.Open // the JSON has the complete record
			}
			o, err := open(e, args[0])
			if err != nil {
				return err
			}
			if o.LeftOut != "" {
				fmt.Fprintln(e.Err, cli.Clean(fmt.Sprintf("%s is a very large run: this is without %s; manifest.json and "+
					"samples.parquet have them", o.Dir, o.LeftOut)))
			}
			if !o.Complete {
				// An interrupted run has no verdicts yet.
				if err := results.Explained(o); err != nil {
					return err
				}
			}
			if junit != "" {
				if err := cli.WriteJUnitGoals(junit, o.Run); err != nil {
					return err
				}
			}
			return results.Print(e, o, views, asJSON)
		},
	}
	c.Flags().StringVar(&junit, "junit", "", cli.JunitUsage)
	cli.ViewFlags(c.Flags(), &views)
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return c
}

func explainCommand(e *cli.Env) *cobra.Command {
	var f ceilings.ClaimFlags
	var pasted results.PastedFlags
	c := &cobra.Command{
		Use:   "explain [RUN]",
		Short: "Find the verdicts of a run again; or explain what another tool measured",
		Long: results.RunWords + `
The verdicts of a folder are found again, with this version's causes; a page has no snapshots, and its verdicts are shown. Nothing is written.
What switches that linerate does not reach printed of their counters before and after the run's one experiment is taken with
--before and --after: folders as of check --snapshots, DIR/SWITCH/FILE or DIR/SWITCH.txtar.

Without a run: what another tool printed (FILE, or FILE@MTU; two at two MTUs tell what a packet and a byte cost), or a figure by
itself (--figure), held against the link, the slot and the drive that --rate and the other flags of linerate ceiling name.
docs/figures.md has examples.`,
		Example: `  linerate explain latest
  linerate explain latest --before switches-before --after switches-after
  linerate explain --iperf3 small.txt@1500,jumbo.txt@9000 --rate 40G --no-timestamps
  linerate explain --perftest sweep.txt --rate 100G --pcie 3.0x8
  linerate explain --crystaldiskmark cdm.txt --drive sata3
  linerate explain --figure 9.6G --rate 10G
  linerate explain --figure 93G --rate 100G --transport rocev2 --path-mtu 1024`,
		Args:        cli.MaximumNArgs(1),
		Annotations: map[string]string{cli.ChecksItself: "yes"},
		RunE: func(cmd *cobra.Command, args []string) error {
			f.Given = cli.GivenFlags(cmd.Flags())
			if len(args) == 0 {
				for _, name := range []string{"before", "after"} {
					if f.IsGiven(name) {
						e.Errors.Add(fmt.Errorf("--%s: it is of a run; name the run, as in linerate explain latest", name))
					}
				}
				return ceilings.ExplainClaims(e, &f)
			}
			f.OnlyWithout("a run says it; leave it out, or explain a figure without a run", &e.Errors, "json", "before", "after")
			if err := e.Errors.Err(); err != nil {
				return err
			}
			o, err := results.Open(e, args[0])
			if err != nil {
				return err
			}
			switch {
			case o.Page && (pasted.Before != "" || pasted.After != ""):
				return cli.Fail(cli.ExitInput, fmt.Errorf("--before, --after: %s has no snapshots to hold them against; give the "+
					"run's folder", cli.Clean(o.Dir)))
			case o.Page:
				results.PrintEvidence(e, o)
			default:
				results.PrintEvidence(e, o)
				if err := results.ExplainWith(o, pasted, &e.Errors); err != nil {
					return err
				}
			}
			return results.Show(e, o, report.Views{All: true}, f.AsJSON)
		},
	}
	f.Define(c.Flags())
	c.Flags().StringVar(&pasted.Before, "before", "", "folder with what switches printed before the run")
	c.Flags().StringVar(&pasted.After, "after", "", "folder with what they printed after it")
	return c
}
