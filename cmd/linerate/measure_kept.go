package main

import (
	"errors"
	"fmt"
	"net/netip"
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"linerate/internal/design/fabric"
)

// addKept defines the flags that every measurement by hand has: where its folder is, what it prints, and its schedule. folder says more of what is in the folder.
func (f *measureFlags) addKept(flags *pflag.FlagSet, folder string) {
	flags.StringVarP(&f.folder, "output", "o", "", "keep the run folder here, new or empty"+folder)
	flags.BoolVar(&f.resume, "resume", false, "go on with the interrupted measurement in -o")
	flags.StringVar(&f.agentFile, "agent", "", "the program to send to hosts, instead of this one")
	flags.BoolVar(&f.asJSON, "json", false, "print one JSON object")
	flags.BoolVar(&f.asJSONL, "jsonl", false, "print what happens as it does, one JSON object a line")
	flags.BoolVarP(&f.quiet, "quiet", "q", false, quietUsage)
	f.schedule.add(flags)
}

// measureAs measures by a method that is a verb of its own. Check reads f, and may write into it, before it is used.
func (e *env) measureAs(c *cobra.Command, method string, f *measureFlags, check func() (*fabric.Experiment, ends, error)) error {
	f.given = changed(c.Flags())
	x, at, err := check()
	if err != nil {
		return err
	}
	if f.asJSONL {
		e.events.Out = e.out
	}
	return e.measured(c.Context(), method, *f, x, 0, at)
}

// checkKept looks at those flags, and at the repeats and the address that all have, too.
func (f *measureFlags) checkKept(wrong *mistakes) {
	f.schedule.check(wrong)
	if f.repeats < 1 || f.repeats > 1000 {
		wrong.add(fmt.Errorf("--repeats %d: at least 1 and at most 1000", f.repeats))
	}
	if f.resume && f.folder == "" {
		wrong.add(errors.New("--resume: name the folder of the measurement to go on with: -o DIR"))
	}
	if f.toAddress != "" {
		if _, err := netip.ParseAddr(f.toAddress); err != nil {
			wrong.add(fmt.Errorf("--to-address %s: not an IP address; write one such as 10.9.0.2", f.toAddress))
		}
	}
	wrong.add(oneOutput(f.asJSON, f.asJSONL))
	if f.agentFile != "" {
		if _, err := os.Stat(f.agentFile); err != nil {
			wrong.add(fmt.Errorf("--agent: %w; name the program of linerate for the hosts' system", err))
		}
	}
}

// endSecrets gives the reaches of the ends their secrets, which may be asked for: only where nothing of the command line is wrong.
func (e *env) endSecrets(at ends) {
	if len(e.wrong.list) > 0 {
		return
	}
	for _, name := range at.all() {
		if at.flag[name] == "" {
			continue // only an address
		}
		spec, err := e.withSecret(name, at.reach[name])
		if err != nil {
			e.wrong.add(fmt.Errorf("--%s: %w", at.flag[name], err))
		}
		at.reach[name] = spec
	}
}
