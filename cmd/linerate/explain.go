package main

import (
	"strings"

	"github.com/spf13/cobra"

	"linerate/internal/cli"
	"linerate/internal/cli/ceilings"
	"linerate/internal/cli/explanation"
	"linerate/internal/explain/paste"
)

func explainCommand(e *cli.Env) *cobra.Command {
	var f ceilings.ClaimFlags
	o := explanation.Options{Claims: &f}
	c := &cobra.Command{
		Use:   "explain [FILE | - | RUN PATH | ID]...",
		Short: "Explain output of iperf3, fio, perftest or CrystalDiskMark, or a problem by its id",
		Long: `Explains what other tools print. It recognises output of ` + strings.Join(paste.ReadNames(), ", ") + `, and of commands
such as ethtool, lspci and ip. There may be several in one text, with prompts, quoted, or from a forum. Without a word it reads
standard input. FILE@MTU names the MTU of the link; two outputs at two MTUs show what a packet and a byte cost.

A word is, in this order:
  a file or folder    output of tools; a folder of snapshots or a .txtar file, which check examines
  a run and a path    the details of that verdict (linerate report RUN prints the report)
  a problem's id      symptom, evidence, fix, undo and an example; --list prints all ids

--before and --after are folders with what switches printed before and after the one experiment of a run, as of
check --snapshots. docs/figures.md has examples.`,
		Example: `  iperf3 -c nas | linerate explain --link 40G
  linerate explain out.txt --link 100G --pcie 3.0x8
  linerate explain small.txt@1500 jumbo.txt@9000 --link 40G --no-timestamps
  linerate explain cdm.txt --drive sata3
  linerate explain --value 9.6G --link 10G
  linerate explain mtu-one-sided
  linerate explain latest 'desk -> nas'`,
		Args:        cli.MinimumNArgs(0),
		Annotations: map[string]string{cli.ChecksItself: "yes"},
		RunE: func(cmd *cobra.Command, args []string) error {
			f.Given = cli.GivenFlags(cmd.Flags())
			return explanation.Words(cmd.Context(), e, o, args)
		},
	}
	f.Define(c.Flags())
	c.Flags().StringVar(&o.Tool, "tool", "", "the tool whose output it is, if it is not recognised: "+
		strings.Join(paste.ReadNames(), ", "))
	c.Flags().BoolVar(&o.List, "list", false, "print the ids of all problems, each with its summary")
	c.Flags().StringVar(&o.Pasted.Before, "before", "", "folder with what switches printed before the run")
	c.Flags().StringVar(&o.Pasted.After, "after", "", "folder with what they printed after it")
	return c
}
