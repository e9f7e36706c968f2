package measure

import (
	"errors"
	"fmt"
	"net/netip"
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"linerate/internal/cli"
	"linerate/internal/cli/inventory"
	"linerate/internal/design/fabric"
)

// AddKept defines the flags that every measurement shares: its folder, its output, and its schedule. folder describes
// what is in the folder.
func (f *Flags) AddKept(flags *pflag.FlagSet, folder string) {
	flags.StringVarP(&f.folder, "output", "o", "", "keep the run folder here, new or empty"+folder)
	flags.BoolVar(&f.resume, "resume", false, "continue the interrupted measurement in -o")
	flags.StringVar(&f.agentFile, "agent", "", "the program to send to hosts, instead of this one")
	cli.AllFlag(flags, &f.views)
	if err := flags.MarkHidden("all"); err != nil { // the report names it, and the help is a page long
		panic(err)
	}
	flags.BoolVar(&f.asJSON, "json", false, "print one JSON object")
	flags.BoolVar(&f.asJSONL, "jsonl", false, "print each event as one line of JSON")
	flags.BoolVarP(&f.quiet, "quiet", "q", false, cli.QuietUsage)
	f.schedule.Add(flags)
}

// RunAs measures with a method that has its own command. check parses f, and may change it, before it is used.
func RunAs(e *cli.Env, c *cobra.Command, method string, f *Flags,
	check func() (*fabric.Experiment, inventory.Ends, error)) error {
	f.Given = cli.GivenFlags(c.Flags())
	x, at, err := check()
	if err != nil {
		return err
	}
	if f.asJSONL {
		e.Events.Out = e.Out
	}
	return runBetween(c.Context(), e, method, *f, x, 0, at)
}

// checkKept checks those flags, and the repeats and the address.
func (f *Flags) checkKept(wrong *cli.Errors) {
	f.schedule.Check(wrong)
	if f.Repeats < 1 || f.Repeats > 1000 {
		wrong.Add(fmt.Errorf("--repeats %d: at least 1 and at most 1000", f.Repeats))
	}
	if f.resume && f.folder == "" {
		wrong.Add(errors.New("--resume: name the folder of the measurement to go on with: -o DIR"))
	}
	if f.ToAddress != "" {
		if _, err := netip.ParseAddr(f.ToAddress); err != nil {
			wrong.Add(cli.Advise(fmt.Errorf("--to-address %s: not an IP address", f.ToAddress),
				"write one such as 10.9.0.2"))
		}
	}
	wrong.Add(cli.OneOutput(f.asJSON, f.asJSONL))
	if f.agentFile != "" {
		if _, err := os.Stat(f.agentFile); err != nil {
			wrong.Add(cli.Advise(fmt.Errorf("--agent: %w", err),
				"name the program of linerate for the hosts' system"))
		}
	}
}

// endSecrets adds secrets to the connections of the ends, perhaps from a prompt: only where the command line is
// correct.
func endSecrets(e *cli.Env, at inventory.Ends) {
	if len(e.Errors.List) > 0 {
		return
	}
	for _, name := range at.All() {
		if at.Flag[name] == "" {
			continue // only an address
		}
		spec, err := e.WithSecret(name, at.Connection[name])
		if err != nil {
			e.Errors.Add(fmt.Errorf("--%s: %w", at.Flag[name], err))
		}
		at.Connection[name] = spec
	}
}
