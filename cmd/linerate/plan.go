package main

import (
	"strings"

	"github.com/spf13/cobra"

	"linerate/internal/cli"
	"linerate/internal/cli/planning"
	"linerate/internal/design/catalog"
)

func planCommand(e *cli.Env) *cobra.Command {
	var variant, against string
	var asJSON bool
	var out planning.Output
	c := &cobra.Command{
		Use:   "plan FABRIC.yaml [OTHER.yaml]",
		Short: "Plan parts, cables, labels and addresses, and find what would not work",
		Example: `  linerate plan examples/mesh-10g.yaml
  linerate plan examples/mesh-10g.yaml -o plan-10g       the drawing, labels to print, tables
  linerate plan examples/mesh-10g.yaml --csv cables
  linerate plan examples/eval-25g.yaml --variant ten
  linerate plan examples/nas-40g.yaml --json
  linerate plan old.yaml new.yaml
  linerate plan examples/eval-25g.yaml --compare-with ten`,
		Args:        cli.RangeArgs(1, 2),
		Annotations: map[string]string{cli.ChecksItself: "yes", cli.FindsFabric: "yes"},
		RunE: func(c *cobra.Command, args []string) error {
			out.Check(&e.Errors, asJSON)
			two, wrong := planning.Comparing(c, args, variant, against)
			e.Errors.Add(wrong)
			if err := e.Errors.Err(); err != nil {
				return err
			}
			if two {
				return planning.Compare(e, args, variant, against, asJSON)
			}
			p, err := e.Load(args[0], variant)
			if err != nil {
				return err
			}
			if err := planning.Write(e, p, out, asJSON); err != nil {
				return err
			}
			return cli.PlanExit(p)
		},
	}
	c.Flags().StringVar(&variant, "variant", "", "merge a variant into the file; several with +")
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	c.Flags().StringVar(&against, "compare-with", "",
		"compare the design with this variant of the file, or of the second file; empty: the file as written")
	out.Define(c)
	return c
}

func partsCommand(e *cli.Env) *cobra.Command {
	var asJSON bool
	var check []string
	c := &cobra.Command{
		Use:   "parts [WORD ..]",
		Short: "Search the catalogue of NICs, cables, switches and drives",
		Long: `linerate prints the parts that match every WORD, the nearest first. A WORD is part of a name, a part number, a vendor,
a family, a chip, a driver or a PCI id. It is also a kind (nic, switch, dac, aoc, optics, ..) or a speed (40G, 40 GbE). The name of one part shows that part
with its sources, what it can do on each operating system, and its known issues.

Files of your own come over the catalogue: parts.d/*.yaml next to a fabric file (here: in this folder) and in
~/.config/linerate. XDG_CONFIG_HOME moves the latter; in Windows it is %AppData%\linerate. An entry with a new id is added, one with an id of the catalogue replaces that part as a whole.`,
		Example: `  linerate parts                  everything
  linerate parts 40g              all parts with that speed, NICs first
  linerate parts mellanox 40      vendor and speed
  linerate parts connectx 3       a family
  linerate parts MCX354A-FCCT     one part with its sources
  linerate parts 15b3:1007        the NICs with that PCI id
  linerate parts --check my.yaml --check parts.d/others.yaml     what is wrong in files of parts`,
		RunE: func(_ *cobra.Command, args []string) error {
			if len(check) > 0 {
				entries, err := catalog.Load()
				if err != nil {
					return err
				}
				return planning.CheckParts(e, entries, append(check, args...), asJSON)
			}
			entries, err := e.Catalog("")
			if err != nil {
				return err
			}
			return planning.ShowParts(e, entries, strings.Join(args, " "), asJSON)
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	c.Flags().StringArrayVar(&check, "check", nil,
		"look for errors in this file of parts (docs/parts.md), and in those that follow")
	return c
}
