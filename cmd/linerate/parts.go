package main

import (
	"fmt"
	"sort"
	"strings"

	"github.com/spf13/cobra"

	"linerate/parts"
	"linerate/unit"
)

func (e *env) partsCommand() *cobra.Command {
	var asJSON bool
	var check []string
	c := &cobra.Command{
		Use:   "parts [WORD]",
		Short: "The catalogue: NICs, cables, switches and drives with what is known of them",
		Example: `  linerate parts                  everything
  linerate parts chelsio          what matches a word
  linerate parts MCX354A-FCCT     one part with its sources
  linerate parts --check my.yaml  what is wrong in a file of parts`,
		RunE: func(_ *cobra.Command, args []string) error {
			catalog, err := parts.Load()
			if err != nil {
				return err
			}
			if len(check) > 0 {
				if len(args) > 0 {
					return fail(exitInput, fmt.Errorf("--check looks at files, and %q is a word to search for; leave one of them away", strings.Join(args, " ")))
				}
				return e.checkParts(catalog, check, asJSON)
			}
			word := strings.Join(args, " ")
			found := catalog.Search(word)
			if p, err := catalog.Find(word); err == nil && word != "" {
				found = []*parts.Part{p}
			}
			if len(found) == 0 {
				_, err := catalog.Find(word)
				return fail(exitInput, err)
			}
			if asJSON {
				return e.object("parts", map[string]any{"parts": found})
			}
			if len(found) == 1 {
				e.part(found[0])
				return nil
			}
			for _, p := range found {
				fmt.Fprintf(e.out, "%-28s %-12s %s\n", p.ID, p.Kind, p.Name)
			}
			return nil
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	c.Flags().StringArrayVar(&check, "check", nil, "look for mistakes in this file of parts (docs/parts.md); may be given several times")
	return c
}

// part prints one entry; what nobody knows is said to be unknown.
func (e *env) part(p *parts.Part) {
	line := func(key, value string) {
		if value == "" {
			value = "not known"
		}
		fmt.Fprintf(e.out, "  %-10s %s\n", key, value)
	}
	fmt.Fprintf(e.out, "%s  (%s, confidence %s)\n", p.Name, p.Kind, p.Confidence)
	line("id", p.ID)
	if len(p.Aliases) > 0 {
		line("also", strings.Join(p.Aliases, ", "))
	}
	var speeds []string
	for _, s := range p.Speeds {
		speeds = append(speeds, s.String())
	}
	for _, s := range p.InfiniBand {
		speeds = append(speeds, "InfiniBand "+strings.ToUpper(string(s)))
	}
	line("speeds", strings.Join(speeds, ", "))
	if p.Kind == parts.NIC || p.Kind == parts.Switch {
		line("ports", p.PortSummary())
	}
	if p.Kind == parts.NIC {
		slot := ""
		if p.PCIe != nil {
			slot = fmt.Sprintf("PCIe %d.0 x%d", p.PCIe.Gen, p.PCIe.Lanes)
		}
		line("bus", slot)
		rdma := "none"
		if p.RDMA == nil {
			rdma = ""
		} else if len(p.RDMA) > 0 {
			rdma = strings.Join(p.RDMA, ", ")
		}
		line("rdma", rdma)
	}
	if p.Cable != nil {
		length := ""
		if m, ok := p.Cable.Length.Get(); ok {
			length = fmt.Sprintf("%g m", m)
		}
		line("media", string(p.Cable.Media))
		line("length", length)
	}
	watts := ""
	if p.Watts != nil {
		watts = unit.Significant(p.Watts.High) + " W"
	}
	line("power", watts)
	price := ""
	if p.Price != nil {
		price = p.Price.Money.String()
	}
	line("price", price)
	for _, n := range append(p.Traps, p.Notes...) {
		fmt.Fprintf(e.out, "  ! %s\n", n)
	}
	e.sources(p)
}

func (e *env) sources(p *parts.Part) {
	var fields []string
	for f := range p.Sources {
		fields = append(fields, f)
	}
	sort.Strings(fields)
	for _, f := range fields {
		var ids []string
		for _, id := range p.Sources[f] {
			ids = append(ids, string(id))
		}
		fmt.Fprintf(e.out, "  source of %s: %s\n", f, strings.Join(ids, ", "))
	}
}
