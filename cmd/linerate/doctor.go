package main

import (
	"context"
	"fmt"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"linerate/internal/cli"
	"linerate/internal/cli/inventory"
	"linerate/internal/cli/job"
	"linerate/internal/cli/readiness"
	"linerate/internal/report"
	"linerate/internal/traffic/selftest"
)

func doctorCommand(e *cli.Env) *cobra.Command {
	var o readiness.Options
	var ownLimits bool
	c := &cobra.Command{
		Use:   "doctor [HOST..] [FABRIC.yaml]",
		Short: "Check that hosts are ready for a test, with the command for each problem",
		Long: `Looks at this machine, at each HOST, and at the hosts of a fabric file that have a connection, all at once. Without a file and a HOST the file is
that of LINERATE_FABRIC, or else the fabric.yaml of this folder or the nearest one above.
Each line is ok, a warning (a run works, and something is missing in it), a problem, or not known with the reason.
Below it is what to type, and on which host. It changes nothing and installs nothing.

HOST is what measure takes: nas or root@nas is ssh's; "netns a", "lab ID/a", "tcp HOST:PORT", "kubectl POD" are one word each, in quotes.
--lab also looks at what guests of a lab are made of: QEMU, KVM, images; the hosts of a file are then not asked.

Exit code 3: there is a problem; 4: a host could not be looked at; 2: a HOST or the file is wrong.`,
		Example: `  linerate doctor                            this machine, and the hosts of the nearest fabric.yaml
  linerate doctor nas root@desk              over ssh, next to this machine
  linerate doctor "netns a" "netns b"        namespaces of this machine
  linerate doctor examples/mesh-10g.yaml --lab
  linerate doctor -f home.yaml --timeout 5s --json`,
		Args: cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			if ownLimits {
				for _, name := range cli.GivenFlags(c.Flags()) {
					if name != "self" && name != "json" {
						e.Errors.Add(cli.Advise(fmt.Errorf("--self and --%s: --self measures this machine alone", name),
							"omit one of them"))
					}
				}
				if len(args) > 0 {
					e.Errors.Add(cli.Advise(fmt.Errorf("--self measures this machine alone"),
						fmt.Sprintf("omit %s", strings.Join(args, " "))))
				}
				if err := e.Errors.Err(); err != nil {
					return err
				}
				return self(c.Context(), e, o.AsJSON)
			}
			specs := readiness.Hosts(e, &o, args, c.Flags().Changed("file"))
			switch {
			case o.Lab && o.InLab != "":
				e.Errors.Add(cli.Advise(
					fmt.Errorf("--lab looks at no host of a file, and --in-lab %s at those of a lab", o.InLab),
					"give one of the two"))
			case o.InLab != "" && o.File == "":
				e.Errors.Add(fmt.Errorf("--in-lab %s: name the fabric file of that lab", o.InLab))
			}
			if o.Timeout <= 0 {
				e.Errors.Add(fmt.Errorf("--timeout %v: write a time above 0, as 20s", o.Timeout))
			}
			if err := e.Errors.Err(); err != nil {
				return err
			}
			return readiness.Look(c.Context(), e, o, specs)
		},
	}
	c.Flags().StringVarP(&o.File, "file", "f", "", "the fabric file whose hosts are looked at")
	c.Flags().BoolVar(&ownLimits, "self", false,
		"measure for two seconds what this machine can resolve: clock, sleep, scheduler, copies, loopback")
	c.Flags().BoolVar(&o.Lab, "lab", false, "also what a lab on this machine is made of; a file's hosts are not asked")
	c.Flags().StringVar(&o.InLab, "in-lab", "", "look at the hosts of the lab with this id, which is up, in place of the "+
		"file's own connections")
	c.Flags().DurationVar(&o.Timeout, "timeout", inventory.ConnectTimeout,
		"cut off a host that is not reached within this time; above 20s, it may also take that much longer to answer")
	c.Flags().StringVar(&o.AgentFile, "agent", "", "the program to send to hosts, instead of this one")
	c.Flags().BoolVar(&o.AsJSON, "json", false, "print one JSON object")
	return c
}

// self measures this machine's own limits, for doctor --self.
func self(ctx context.Context, e *cli.Env, asJSON bool) error {
	i, err := selftest.Run(ctx, true)
	if err != nil {
		return err
	}
	// Without a program, Release tries the one that is installed here, and its reason is the one to print.
	program, why := job.VerbsProgram(ctx, runtime.GOOS, runtime.GOARCH)
	if why != nil {
		program = nil
	}
	if err := selftest.Release(ctx, i, program); err != nil {
		return err
	}
	if asJSON {
		return report.InstrumentJSON(e.Out, i)
	}
	return report.PrintInstrument(e.Terminal(), i)
}
