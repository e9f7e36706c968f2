package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"linerate/internal/design/catalog"
)

func (e *env) partsCommand() *cobra.Command {
	var asJSON bool
	var check []string
	c := &cobra.Command{
		Use:   "parts [WORD]",
		Short: "The catalogue: NICs, cables, switches and drives with what is known of them",
		Long: `WORD is looked for in ids, names, part numbers, vendors, families, chips, drivers and PCI ids; one that is the name of one part
shows it: with its sources, what it can do on each operating system, and its traps. What nobody knows is said to be not known.

Files of your own come over the catalogue: parts.d/*.yaml beside a fabric file (here: in this folder) and in ~/.config/linerate
(XDG_CONFIG_HOME; in Windows %AppData%\linerate). An entry with a new id is added, one with an id of the catalogue replaces that part as a whole.`,
		Example: `  linerate parts                  everything
  linerate parts chelsio          what matches a word
  linerate parts MCX354A-FCCT     one part with its sources
  linerate parts 15b3:1007        the cards with that PCI id
  linerate parts --check my.yaml --check parts.d/others.yaml     what is wrong in files of parts`,
		RunE: func(_ *cobra.Command, args []string) error {
			if len(check) > 0 {
				entries, err := catalog.Load()
				if err != nil {
					return err
				}
				return e.checkParts(entries, append(check, args...), asJSON)
			}
			entries, err := e.catalog("")
			if err != nil {
				return err
			}
			return e.showParts(entries, strings.Join(args, " "), asJSON)
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	c.Flags().StringArrayVar(&check, "check", nil, "look for mistakes in this file of parts (docs/parts.md), and in those that follow")
	return c
}

// showParts prints the part of that name, or what matches.
func (e *env) showParts(entries *catalog.Catalog, word string, asJSON bool) error {
	found := entries.Search(word)
	p, wrong := entries.Find(word)
	if wrong == nil && word != "" {
		found = []*catalog.Part{p}
	}
	mentioned := false
	if len(found) == 0 {
		found, mentioned = entries.Mentions(word), true
	}
	if len(found) == 0 {
		return fail(exitInput, wrong)
	}
	switch {
	case asJSON:
		return e.object("parts", map[string]any{"parts": found})
	case mentioned:
		fmt.Fprintf(e.out, "no part is called %q; it is spoken of under\n", clean(word))
	case len(found) == 1:
		return e.terminal().Part(found[0], entries.Sources)
	}
	return e.terminal().Parts(found)
}
