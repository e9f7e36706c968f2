package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"linerate/internal/design/plan"
	"linerate/internal/report"
)

// planOutput is where a plan goes beside the terminal.
type planOutput struct{ folder, table string }

func (o *planOutput) flags(c *cobra.Command) {
	c.Flags().StringVarP(&o.folder, "output", "o", "", "also write plan.html (with the drawing), labels.html (to print and cut out), bom.csv, cables.csv, addresses.csv and plan.json into this folder; replaces only what linerate wrote there. With --suggest: write the design's fabric file there (a new file)")
	c.Flags().StringVar(&o.table, "csv", "", "print one table as CSV: bom, cables or addresses")
}

func (o *planOutput) check(wrong *mistakes, asJSON, wish bool) {
	switch {
	case o.table == "":
	case !slices.Contains(report.PlanTables(), o.table):
		wrong.add(fmt.Errorf("--csv %q: the tables are %s", o.table, strings.Join(report.PlanTables(), ", ")))
	case wish:
		wrong.add(fmt.Errorf("--csv prints a table of a file's plan; write the design into a file with -o first, or leave --suggest away"))
	case asJSON:
		wrong.add(fmt.Errorf("--csv and --json both want standard output; leave one of them away"))
	}
}

// planOut prints a plan in the form that was asked for, and writes its folder.
func (e *env) planOut(p *plan.Plan, o planOutput, asJSON bool) error {
	if o.folder != "" {
		if err := e.planFolder(p, o.folder); err != nil {
			return err
		}
	}
	switch {
	case asJSON:
		return report.PlanJSON(e.out, p)
	case o.table != "":
		return report.PlanCSV(e.out, p, o.table)
	}
	if err := e.terminal().Plan(p); err != nil {
		return err
	}
	if o.folder != "" {
		fmt.Fprintf(e.err, "written: %s, with labels.html to print, bom.csv, cables.csv, addresses.csv and plan.json beside it\n", filepath.Join(o.folder, "plan.html"))
	}
	return nil
}
