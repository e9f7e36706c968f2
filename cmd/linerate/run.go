package main

import (
	"github.com/spf13/cobra"

	"linerate/internal/cli"
	"linerate/internal/cli/job"
)

func runCommand(e *cli.Env) *cobra.Command {
	var f job.Flags
	c := &cobra.Command{
		Use:   "run [FABRIC.yaml]",
		Short: "Test all links of a fabric file and report",
		Long: `Measures every experiment of the fabric and says what each path carries, what its
ceiling is, what limits it, and whether the goals are met. With --lab the fabric
is built on this machine out of network namespaces (with --guests: machines under
QEMU) first, and taken down again.

Results go into a folder of their own, by default ./runs/DATE-FABRIC-XXXX.
Without a file: fabric.yaml of this folder or the nearest one above.`,
		Example: `  linerate run examples/mesh-10g.yaml --lab                simulate three machines on this one
  linerate run home.yaml --budget 90s -o /tmp/home         test real hosts in 90 seconds
  linerate run examples/mesh-10g.yaml --lab --guests       simulate every host as a QEMU machine
  linerate run home.yaml --experiments line-rate,latency   run only these experiments
  linerate run home.yaml --lossless                        test the lossless (PFC) classes
  linerate run home.yaml --follow-up 2m                    also measure what verdicts ask for
  linerate run home.yaml --resume                          continue an interrupted run`,
		Args:        f.FollowUpArgs,
		Annotations: map[string]string{cli.ChecksItself: "yes", cli.FindsFabric: "yes"},
		RunE: func(c *cobra.Command, args []string) error {
			f.Given = cli.GivenFlags(c.Flags())
			e.Errors.Add(f.ChooseLab())
			return job.RunFabric(c.Context(), e, f.FollowUpTime(args), f)
		},
	}
	flags := c.Flags()
	flags.BoolVar(&f.BuildsLab, "lab", false, "simulate the fabric on this machine (Linux)")
	flags.StringVar(&f.InLab, "in-lab", "", "use the lab with this id, which is up")
	f.Guests.Add(flags, "in the lab: ")
	flags.Float64Var(&f.Scale, "scale", 0, "in the lab: the share of every planned rate, such as 0.1 (default: as "+
		"calibrated)")
	flags.StringVar(&f.Offloads, "offloads", "", job.OffloadsUsage)
	flags.StringVarP(&f.Folder, "output", "o", "", "the run folder, new or empty")
	flags.BoolVar(&f.Resume, "resume", false, "continue an interrupted run: that in -o, else the latest")
	flags.StringSliceVar(&f.Only, "experiments", nil, "run only these experiments")
	flags.BoolVar(&f.Lossless, "lossless", false, "test only whether each lossless (PFC) class loses nothing")
	flags.StringVar(&f.Variant, "variant", "",
		"merge a variant into the file, several with +; all: compare all variants")
	f.Schedule.Add(flags)
	flags.StringVar(&f.Budget, "budget", "", "longest time of all measurements together, such as 90s")
	flags.StringVar(&f.FollowUp, "follow-up", "",
		"also measure what verdicts ask for, for at most TIME (60s)")
	flags.Lookup("follow-up").NoOptDefVal = job.FollowUpAlone
	flags.IntVar(&f.Repeats, "repeats", 0, "number of repeats (default: the file's, else 3)")
	flags.StringVar(&f.AgentFile, "agent", "", "the program to send to hosts, instead of this one")
	flags.BoolVar(&f.Sources, "allow-source", false, "let experiments with a source read that file of the host that sends")
	flags.BoolVar(&f.Commands, "allow-commands", false,
		"let experiments of the method command run the commands of the file")
	flags.StringToStringVar(&f.Settings, "set", nil,
		"settings in place of those of the file's experiments, such as size=512")
	if err := flags.MarkHidden("set"); err != nil {
		panic(err)
	}
	flags.BoolVar(&f.KeepSerials, "keep-serials", false,
		"leave serial numbers and secrets in the folder's snapshots; else they are masked")
	cli.ViewFlags(flags, &f.Views)
	flags.BoolVar(&f.AsJSON, "json", false, "print one JSON object")
	flags.BoolVar(&f.AsJSONL, "jsonl", false, "print each event as one line of JSON")
	flags.BoolVarP(&f.Quiet, "quiet", "q", false, cli.QuietUsage)
	flags.StringVar(&f.Junit, "junit", "", cli.JunitUsage)
	return c
}
