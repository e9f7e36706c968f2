package main

import (
	"runtime"

	"github.com/spf13/cobra"

	"linerate/internal/report"
	"linerate/internal/traffic"
)

func (e *env) selftestCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "selftest",
		Short: "What this machine can resolve: clock, sleep, scheduler, copies, loopback",
		Long: `Measures for two seconds what limits every figure that is taken on this machine: how fine
its clock is and what a reading costs, how late a sleep ends, for how long the scheduler
stops a thread that does not want to, how fast a core copies, what one stream carries
over loopback, and how far apart 2 and 8 threads leave the barrier that pairs of RDMA leave
together. Every run keeps the same, without the last two.`,
		Example: "  linerate selftest\n  linerate selftest --json",
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			i, err := traffic.Selftest(c.Context(), true)
			if err != nil {
				return err
			}
			// Without a program its reason is that of the one that this host would have itself.
			program, why := verbsProgram(c.Context(), runtime.GOOS, runtime.GOARCH)
			if why != nil {
				program = nil
			}
			if err := traffic.SelftestRelease(c.Context(), i, program); err != nil {
				return err
			}
			if asJSON {
				return report.InstrumentJSON(e.out, i)
			}
			return e.terminal().Instrument(i)
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return c
}
