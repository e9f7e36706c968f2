package main

import (
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"linerate/internal/base/xslices"
	"linerate/internal/cli"
	"linerate/internal/cli/schemas"
)

func schemaCommand(e *cli.Env) *cobra.Command {
	names := xslices.Map(schemas.Kinds(), func(k schemas.Kind) string { return k.Name })
	names = append([]string{schemas.FabricKind}, names...)
	return &cobra.Command{
		Use:   "schema [KIND]",
		Short: "Print the JSON Schema of fabric files and of JSON output",
		Long: `Without KIND the kinds are listed. The schemas are of this version. They are made from the
tables and types that linerate itself reads and writes files with. They allow no key that it does not know.
An editor completes and checks a fabric file that has this line in it, and next to it
what linerate schema fabric prints, as fabric.schema.json:

  # yaml-language-server: $schema=fabric.schema.json`,
		Example: `  linerate schema
  linerate schema fabric
  linerate schema run`,
		Args:      cli.MaximumNArgs(1),
		ValidArgs: names,
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				fmt.Fprintf(e.Out, "%-13s %s\n", schemas.FabricKind, "fabric files: what run, plan and lab up read")
				for _, k := range schemas.Kinds() {
					fmt.Fprintf(e.Out, "%-13s %s\n", k.Name, k.Of)
				}
				return nil
			}
			o, err := schemas.Of(args[0])
			if err != nil {
				return err
			}
			b, err := json.MarshalIndent(o, "", "  ")
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(e.Out, "%s\n", b)
			return err
		},
	}
}
