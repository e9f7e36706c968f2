package main

import (
	"github.com/spf13/cobra"

	"linerate/internal/cli"
	"linerate/internal/cli/exam"
)

func labExamCommand(e *cli.Env) *cobra.Command {
	var x exam.Exam
	var output, rate string
	var asJSON bool
	c := &cobra.Command{
		Use: "exam FABRIC.yaml", Short: "Inject faults and count how many the verdicts name",
		Args: cli.ExactArgs(1),
		Long: `Brings the fabric up in a lab for each fault, makes the fault with parameters drawn
from the seed, and runs the experiment. Then linerate explain judges it, in a process of
its own that sees only the finished run folder. As many healthy labs are between them.
At the end is a confusion matrix: what was true, and what the verdicts said.

Scenarios:

  near    the fabric slowed down
  far     a round trip of milliseconds
  fast, jumbo, wide, file
          variants of the file; the experiment of the last one has a source
  guest   both ends are whole machines (QEMU), for faults of what namespaces share
          with this machine's kernel
  tagged, bonded, rdma
          variants with a VLAN, with a bond, and with soft RoCE

A file whose experiment has guest: true at both ends is of scenario guest alone, and each
of its trials boots them. Faults that need what the file does not have are left out and
named.`,
		Example: `  linerate lab exam examples/exam.yaml --seed 1
  linerate lab exam examples/exam-guests.yaml --seed 2
  linerate lab exam examples/exam.yaml --seed 2 --faults receive-buffer,shaper-tbf -o exam`,
		RunE: func(c *cobra.Command, args []string) error {
			x.File, x.Commands = args[0], c.Root()
			return exam.Take(c.Context(), e, &x, rate, output, asJSON)
		},
	}
	f := c.Flags()
	f.Uint64Var(&x.Seed, "seed", 1, "parameters and order are drawn from it")
	f.StringSliceVar(&x.Only, "faults", nil, "only these faults, with as many healthy labs")
	f.StringVar(&x.Experiment, "experiment", "", "the experiment to run (default: the first that streams)")
	f.BoolVar(&x.FollowUp, "follow-up", false, "where a verdict asks for another experiment, measure that and judge "+
		"again, "+
		"as run --follow-up does")
	f.StringVar(&rate, "rate", "200M", "what links carry that are to be the limit; at most 200M, less on a machine "+
		"that is slow")
	f.IntVar(&x.Every, "healthy-every", 1, "one healthy lab for so many faults")
	f.StringVarP(&output, "output", "o", "", "keep the run folders and exam.json here, new or empty")
	f.BoolVar(&asJSON, "json", false, "print one JSON object")
	return c
}

func labFaultCommand(e *cli.Env) *cobra.Command {
	var list, undo bool
	var o exam.FaultOptions
	c := &cobra.Command{
		Use: "fault [FABRIC.yaml FAULT]", Short: "Inject a fault into a lab", Args: cli.MaximumNArgs(2),
		Long: `Makes one thing wrong in a lab that is up, on the path of an experiment of the file,
and says what was done and what takes it back. Parameters that are not given are drawn.`,
		Example: `  linerate lab fault --list
  linerate lab fault examples/exam.yaml receive-buffer --set limit=32768 --delay 5ms
  linerate lab fault --undo`,
		RunE: func(c *cobra.Command, args []string) error {
			switch {
			case list:
				return exam.ListFaults(e, o.AsJSON)
			case undo:
				return exam.UndoFaults(c.Context(), e, o.Lab)
			}
			return exam.MakeFault(c.Context(), e, args, o)
		},
	}
	c.Flags().BoolVar(&list, "list", false,
		"all faults, with what they break, their parameters and the cause that a verdict should name")
	c.Flags().BoolVar(&undo, "undo", false, "undo what was made wrong in the lab, the last first")
	c.Flags().StringVar(&o.Lab, "in-lab", "", "the lab's id (default: the only one)")
	c.Flags().StringVar(&o.Only, "experiment", "", "the experiment whose path is broken (default: the first that streams)")
	c.Flags().StringVar(&o.Variant, "variant", "", "of the file, as the lab was built with")
	c.Flags().DurationVar(&o.Delay, "delay", 0, "put the ends so far apart, one way, behind the switch")
	c.Flags().StringToStringVar(&o.Set, "set", nil, "a parameter, as limit=32768; in base units")
	c.Flags().Uint64Var(&o.Seed, "seed", 1, "of parameters that are drawn")
	c.Flags().BoolVar(&o.AsJSON, "json", false, "print one JSON object")
	return c
}

// labWireCommand simulates the link of the lab's faults, as a process in the namespace of its two interfaces.
func labWireCommand(e *cli.Env) *cobra.Command {
	var from string
	var both, eof bool
	var seed uint64
	texts := map[string]*string{}
	c := &cobra.Command{
		Use:    "lab-wire A B",
		Short:  "Connect two interfaces in user space, with delay, losses, marks, reordering and rate",
		Hidden: true,
		Long: `Carries frames between two Ethernet interfaces of this network namespace, in both
directions, and does to the wire packets what the flags say: for kernels without
netem. Super-packets are cut, checksums filled in. It prints "ready" once it
carries frames, and its counts as one line of JSON when it ends: by SIGTERM, by
SIGINT, or with --until-eof with its standard input.

A value counts for both directions; two of them, as in --delay 5ms,1ms, are for
what comes in at A and for what comes in at B. With --from A only what comes in
at A is touched. Losses, marks, reordering, corruption and duplicates hit packets of
TCP and UDP with payload alone, unless --all. The rate is that of an Ethernet
link: a frame takes 24 bytes more than its length.`,
		Example: `  linerate lab-wire e0 e1 --delay 5ms --loss 0.1%
  linerate lab-wire e0 e1 --rate 100M --queue 64KiB --ce-above 30KiB --from e0
  linerate lab-wire e0 e1 --loss 0.5%,0.1% --loss-burst 8 --seed 7`,
		Args: cli.ExactArgs(2),
		RunE: func(c *cobra.Command, args []string) error {
			return exam.CarryFrames(c.Context(), e, args,
				exam.WireOptions{Texts: texts, From: from, FromGiven: c.Flags().Changed("from"), Both: both, Seed: seed,
					UntilEOF: eof})
		},
		Annotations: map[string]string{cli.ChecksItself: "yes"},
	}
	for _, f := range exam.WireFlags {
		texts[f.Name] = c.Flags().String(f.Name, "", f.Help)
		if f.Name == "all" {
			c.Flags().Lookup(f.Name).NoOptDefVal = "true"
		}
	}
	c.Flags().BoolVar(&both, "both", false, "both directions, as is so without --from")
	c.Flags().StringVar(&from, "from", "", "touch only what comes in at this interface, A or B")
	c.Flags().Uint64Var(&seed, "seed", 1, "of what is drawn: the same seed hits the same packets")
	c.Flags().BoolVar(&eof, "until-eof", false, "end with the standard input, too")
	return c
}
