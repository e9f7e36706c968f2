package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"linerate/internal/design/fabric"
	"linerate/internal/design/plan"
)

// FabricOf is the fabric that a partial command line names, or that the command would find; nil: none that can be read.
func (e *Env) FabricOf(c *cobra.Command, args []string) *fabric.Fabric {
	if len(args) == 0 {
		args = e.withFabric(c, args)
	}
	if len(args) == 0 {
		return nil
	}
	catalog, err := e.Catalog(args[0])
	if err != nil {
		return nil
	}
	f, _ := fabric.Load(args[0], fabric.Options{Catalog: catalog})
	return f
}

// FindsFabric marks commands that look for a fabric file where none is named.
const FindsFabric = "finds fabric"

// FabricVariable is the variable with the fabric file, for command lines without one.
const FabricVariable = "LINERATE_FABRIC"

// withFabric returns the arguments of a command line. Where a command takes a fabric file and none is named, it adds
// the one that FabricFound returns.
func (e *Env) withFabric(c *cobra.Command, args []string) []string {
	if c.Annotations[FindsFabric] == "" || len(args) > 0 {
		return args
	}
	if suggest := c.Flags().Lookup("suggest"); suggest != nil && suggest.Changed {
		return args
	}
	if found := e.FabricFound(); found != "" {
		return []string{found}
	}
	return args
}

// FabricFound is the file of the variable, else the fabric.yaml of this folder or the nearest one above; empty: none.
func (e *Env) FabricFound() string {
	if name := e.Getenv(FabricVariable); name != "" {
		return name
	}
	here, err := os.Getwd()
	if err != nil {
		return ""
	}
	for dir := here; ; dir = filepath.Dir(dir) {
		name := filepath.Join(dir, FabricName)
		if st, err := os.Stat(name); err == nil && st.Mode().IsRegular() {
			if short, err := filepath.Rel(here, name); err == nil {
				name = short
			}
			return name
		}
		if dir == filepath.Dir(dir) {
			return ""
		}
	}
}

// TellFabric prints which file was found.
func (e *Env) TellFabric(given, found []string) {
	if len(given) == 0 && len(found) == 1 {
		fmt.Fprintf(e.Err, "fabric  %s\n", Clean(found[0]))
	}
}

// OneFabricFile accepts one argument, the fabric file.
func OneFabricFile(verb string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		lab := c.Flags().Lookup("lab")
		switch {
		case len(args) == 0:
			return Fail(ExitInput,
				missingArgs(c, args))
		case len(args) == 2 && lab != nil && lab.Changed:
			return Fail(ExitInput,
				Advise(fmt.Errorf("%s: --lab builds a lab and takes no id", args[1]),
					fmt.Sprintf("for a lab that is up write --in-lab %s", args[1])))
		case len(args) > 1:
			return Fail(ExitInput, fmt.Errorf("one fabric file at a time, not %d: %s", len(args), strings.Join(args, ", ")))
		}
		return nil
	}
}

// FabricName is the file that commands look for where none is named.
const FabricName = "fabric.yaml"

// Load reads a fabric file with all its parts, and plans it.
func (e *Env) Load(path, variant string) (*plan.Plan, error) { return e.LoadWith(path, variant, "") }

// LoadWith is Load with the offloads of every adapter set by a flag: on, off, or empty for the file's.
func (e *Env) LoadWith(path, variant, offloads string) (*plan.Plan, error) {
	catalog, err := e.Catalog(path)
	if err != nil {
		return nil, err
	}
	f, problems := fabric.Load(path, fabric.Options{Variant: variant, Catalog: catalog})
	if len(problems) > 0 {
		if problems.Refused() {
			return nil, Fail(ExitRefused, problems)
		}
		return nil, Fail(ExitInput, problems)
	}
	if offloads != "" {
		f.SwitchOffloads(offloads == "on")
	}
	return plan.Build(f), nil
}
