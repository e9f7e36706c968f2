package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"linerate/internal/design/fabric"
	"linerate/internal/design/plan"
	"linerate/internal/record"
)

// load reads a fabric file with everything that it needs, and plans it.
func (e *env) load(path, variant string) (*plan.Plan, error) { return e.loadWith(path, variant, "") }

// loadWith is load with every card's offloads as a flag has them: on, off, or empty for the file's.
func (e *env) loadWith(path, variant, offloads string) (*plan.Plan, error) {
	catalog, err := e.catalog(path)
	if err != nil {
		return nil, err
	}
	f, problems := fabric.Load(path, fabric.Options{Variant: variant, Catalog: catalog})
	if len(problems) > 0 {
		if problems.Refused() {
			return nil, fail(exitRefused, problems)
		}
		return nil, fail(exitInput, problems)
	}
	if offloads != "" {
		f.SwitchOffloads(offloads == "on")
	}
	return plan.Build(f), nil
}

func (e *env) planCommand() *cobra.Command {
	var variant, against string
	var asJSON bool
	var wish suggestFlags
	var out planOutput
	c := &cobra.Command{
		Use:   "plan FABRIC.yaml [OTHER.yaml]",
		Short: "Bill of materials, cables with labels, addresses, and what would not work",
		Example: `  linerate plan examples/mesh-10g.yaml
  linerate plan examples/mesh-10g.yaml -o plan-10g       the drawing, labels to print, tables
  linerate plan examples/mesh-10g.yaml --csv cables
  linerate plan examples/eval-25g.yaml --variant ten
  linerate plan examples/nas-40g.yaml --json
  linerate plan old.yaml new.yaml
  linerate plan examples/eval-25g.yaml --against ten
  linerate plan --suggest --hosts 3 --rate 10G --reach 8m --os freebsd,windows
  linerate plan --suggest --hosts 3 --rate 100G --reach 3m --rdma rocev2 --max-price "8000 CNY" --design 2 -o new.yaml`,
		Args:        planWords(&wish),
		Annotations: map[string]string{checksItself: "yes", findsFabric: "yes"},
		RunE: func(c *cobra.Command, args []string) error {
			for _, name := range changed(c.Flags()) {
				if !wish.on && slices.Contains(needSuggest, name) {
					e.wrong.add(fmt.Errorf("--%s: it is part of a wish; add --suggest", name))
				}
			}
			if wish.on && len(args) > 0 {
				e.wrong.add(fmt.Errorf("--suggest takes a wish and no file: %s", strings.Join(args, " ")))
			}
			out.check(&e.wrong, asJSON, wish.on)
			if wish.on {
				wish.out = out.folder
				return e.suggested(&wish, asJSON)
			}
			two, wrong := comparing(c, args, variant, against)
			e.wrong.add(wrong)
			if err := e.wrong.err(); err != nil {
				return err
			}
			if two {
				return e.compared(args, variant, against, asJSON)
			}
			p, err := e.load(args[0], variant)
			if err != nil {
				return err
			}
			if err := e.planOut(p, out, asJSON); err != nil {
				return err
			}
			return planExit(p)
		},
	}
	c.Flags().StringVar(&variant, "variant", "", "merge a variant of the file into it; several with +")
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	c.Flags().StringVar(&against, "against", "", "hold the design against this variant of the file, or of the second file; empty: the file as written")
	wish.register(c)
	out.flags(c)
	return c
}

// planWords is how many files it takes: a wish is for something that has none yet.
func planWords(wish *suggestFlags) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if wish.on {
			return nil
		}
		if len(args) == 0 {
			return cobra.ExactArgs(1)(c, args)
		}
		return cobra.MaximumNArgs(2)(c, args)
	}
}

// planExit is the exit code of a plan: problems of severity error are 3.
func planExit(p *plan.Plan) error {
	for _, problem := range p.Problems {
		if problem.Severity == record.Error {
			return fail(exitMissed, nil)
		}
	}
	return nil
}
