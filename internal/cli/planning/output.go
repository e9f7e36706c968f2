package planning

import (
	"fmt"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"linerate/internal/cli"
	"linerate/internal/design/plan"
	"linerate/internal/report/design"
)

// Output is where a plan is written besides the terminal.
type Output struct{ Folder, table string }

// Define adds the flags.
func (o *Output) Define(c *cobra.Command) {
	c.Flags().
		StringVarP(&o.Folder, "output", "o", "", "also write plan.html (with the drawing), labels.html (to print and cut "+
			"out), bom.csv, cables.csv, addresses.csv and plan.json into this folder; replaces only what linerate wrote there")
	c.Flags().StringVar(&o.table, "csv", "", "print one table as CSV: bom, cables or addresses")
}

// Check records an error for flags that exclude each other.
func (o *Output) Check(wrong *cli.Errors, asJSON bool) {
	switch {
	case o.table == "":
	case !slices.Contains(design.Tables(), o.table):
		wrong.Add(cli.UnknownName("--csv", "table", o.table, design.Tables()))
	case asJSON:
		wrong.Add(cli.Exclude("--csv", "--json"))
	}
}

// Write prints a plan in the selected form, and writes its folder.
func Write(e *cli.Env, p *plan.Plan, o Output, asJSON bool) error {
	if o.Folder != "" {
		if err := planFolder(e, p, o.Folder); err != nil {
			return err
		}
	}
	switch {
	case asJSON:
		return design.JSON(e.Out, p)
	case o.table != "":
		return design.CSV(e.Out, p, o.table)
	}
	if err := design.PrintPlan(e.Terminal(), p); err != nil {
		return err
	}
	if o.Folder != "" {
		fmt.Fprintf(e.Err,
			"written: %s, with labels.html to print, bom.csv, cables.csv, addresses.csv and plan.json next to it\n",
			filepath.Join(o.Folder, "plan.html"))
	}
	return nil
}
