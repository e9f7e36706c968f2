package cli

import (
	"github.com/spf13/pflag"

	"linerate/internal/report"
)

// Views are the parts of a report that a command line asks for.
type Views = report.Views

// ViewFlags adds the flags that choose parts of a report.
func ViewFlags(flags *pflag.FlagSet, v *Views) {
	flags.BoolVar(&v.Notes, "notes", false, "print all warnings and limits of the figures")
	flags.BoolVar(&v.Evidence, "evidence", false, "print the counters of every verdict and the formulas of the ceilings")
	flags.BoolVar(&v.CPU, "cpu", false, "print the CPU time of threads and softirqs (kernel packet processing)")
	AllFlag(flags, v)
}

// AllFlag adds the flag for the complete report.
func AllFlag(flags *pflag.FlagSet, v *Views) {
	flags.BoolVar(&v.All, "all", false, "print everything, instead of the report in 30 lines")
}
