package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"linerate/internal/base/unit"
	"linerate/internal/design/plan"
	"linerate/internal/inspect/path"
	"linerate/internal/record"
)

func (e *env) ceilingCommand() *cobra.Command {
	var f ceilingFlags
	c := &cobra.Command{
		Use:   "ceiling [FABRIC.yaml]",
		Short: "What physics allows on each path, hop by hop; or by flags, without a file",
		Long: `What physics allows on each path of a fabric file, hop by hop, the lowest last of all.

Without a file each flag adds a hop: a link (--rate, --transport), a card's bus (--pcie), a drive's (--drive), requests
under way (--depth, --latency, --io), one core (--per-packet, --per-byte), a window or losses at a round trip (--window,
--loss, --rtt), several drives (--layout, --drives), copies in a cluster (--copies, --nodes). The formulas, with examples, stand in docs/ceilings.md.`,
		Example: `  linerate ceiling examples/mesh-10g.yaml
  linerate ceiling --rate 40G --mtu 9000 --pcie 3.0x8
  linerate ceiling --rate 10G --transport tcp,udp,iwarp --ipv6
  linerate ceiling --rate 100G --transport rocev2 --path-mtu 1024 --io 64KiB
  linerate ceiling --rate FDR --pcie 3.0x8
  linerate ceiling --rate 25G --mtu 9000 --transport nvme-tcp --io 4KiB --drive pcie3x4 --depth 32 --latency 100us
  linerate ceiling --rate 40G --per-packet 593ns --per-byte 0.26ns --no-timestamps
  linerate ceiling --rate 10G --window 64KiB --rtt 0.1ms --loss 0.1%
  linerate ceiling --drive sata3 --layout raid6 --drives 8
  linerate ceiling --rate 25G --transport smb --copies 3 --nodes 4`,
		Args:        cobra.MaximumNArgs(1),
		Annotations: map[string]string{checksItself: "yes"},
		RunE: func(cmd *cobra.Command, args []string) error {
			f.given = changed(cmd.Flags())
			if len(args) == 1 {
				f.onlyWithout("a fabric file says it; ask without a file, or change the file", &e.wrong, "variant", "json")
				if err := e.wrong.err(); err != nil {
					return err
				}
				return e.fabricCeilings(args[0], f)
			}
			return e.flagCeilings(f)
		},
	}
	f.define(c.Flags())
	return c
}

func (e *env) flagCeilings(f ceilingFlags) error {
	asked, transports := f.asked(&e.wrong)
	if err := e.wrong.err(); err != nil {
		return err
	}
	var chains []record.Chain
	var figures [][]path.Figure
	for _, t := range transports {
		c, also, errs := asked.Chain(t)
		for _, err := range errs {
			e.wrong.once(err)
		}
		chains, figures = append(chains, c), append(figures, also)
	}
	if err := e.wrong.err(); err != nil {
		return err
	}
	return e.chains(chains, figures, f.asJSON)
}

// fabricCeilings lists the chain of every path that a link joins, in both directions.
func (e *env) fabricCeilings(file string, f ceilingFlags) error {
	p, err := e.load(file, f.variant)
	if err != nil {
		return err
	}
	var chains []record.Chain
	for i, a := range p.Hosts {
		for _, b := range p.Hosts[i+1:] {
			for _, way := range p.Paths(a.Name, b.Name) {
				for _, direction := range []string{"out", "in"} {
					if way.InfiniBand() {
						chains = append(chains, path.OverRDMA(way, direction, path.RDMA{Link: "ib", PathMTU: path.UsualPathMTU}, path.Conditions{Scale: 1}).Assuming("path_mtu"))
					}
					chains = append(chains, path.TCP(way, direction, path.Conditions{Scale: 1, VLAN: tagged(way)}))
				}
			}
		}
	}
	return e.chains(chains, nil, f.asJSON)
}

func tagged(p plan.Path) bool {
	for _, l := range p.Links {
		if l.VLAN != 0 {
			return true
		}
	}
	return false
}

// chainTitle is what a chain of a fabric is of, where its path has one of RDMA as well: on InfiniBand TCP goes over IPoIB. Empty: there is TCP alone.
func chainTitle(c record.Chain, all []record.Chain) string {
	if c.From == "" || c.Transport != "ib" && !slices.ContainsFunc(all, func(o record.Chain) bool {
		return o.Transport == "ib" && o.From == c.From && o.To == c.To && o.Direction == c.Direction && o.Link() == c.Link()
	}) {
		return ""
	}
	if c.Transport == "ib" {
		return "RDMA over InfiniBand"
	}
	return "TCP over IPoIB (datagrams)"
}

// ceilingJSON is a chain as --json prints it.
type ceilingJSON struct {
	record.Chain
	Limit   limitJSON     `json:"limit"`
	Figures []path.Figure `json:"figures,omitempty"`
}

type limitJSON struct {
	Component string       `json:"component"`
	Rate      unit.BitRate `json:"bits_per_second"`
}

// chains prints each chain with its lowest hop; figures are what else is said of each, or nil.
func (e *env) chains(chains []record.Chain, figures [][]path.Figure, asJSON bool) error {
	if asJSON {
		out := []ceilingJSON{}
		for i, c := range chains {
			one := ceilingJSON{Chain: c, Limit: limitJSON{c.Component, c.Limit}}
			if figures != nil {
				one.Figures = figures[i]
			}
			out = append(out, one)
		}
		return e.object("ceiling", map[string]any{"paths": out})
	}
	named := func(c record.Chain) string {
		from, to := c.From, c.To
		if c.Direction == "in" {
			from, to = to, from
		}
		return strings.TrimSpace(fmt.Sprintf("%s -> %s", from, to))
	}
	ways := map[string]int{}
	for _, c := range chains {
		ways[named(c)]++
	}
	for i, c := range chains {
		head := named(c)
		if over := slices.IndexFunc(c.Hops, func(h record.Hop) bool { return strings.HasPrefix(h.Component, "link ") }); ways[head] > 1 && over >= 0 {
			head += " over " + c.Hops[over].Component // two hosts that are joined twice
		}
		if t := chainTitle(c, chains); t != "" {
			head += ", " + t
		}
		if c.From == "" {
			head = transportTitle(c.Transport)
			if c.Direction == "both" {
				head += ", each of both directions at once"
			}
		}
		atMost := ""
		if c.AtMost {
			atMost = "at most "
		}
		if c.Limit <= 0 {
			fmt.Fprintf(e.out, "%s: not known, because no rate on the path is\n", head)
			continue
		}
		fmt.Fprintf(e.out, "%s: %s%s (%s), by %s\n", head, atMost, c.Limit, c.Limit.BytesPerSecond(), c.Component)
		for _, h := range c.Hops {
			if r, ok := h.Rate.Get(); ok {
				fmt.Fprintf(e.out, "  %-34s %10s  %s\n", h.Component, r, h.Formula)
			} else {
				fmt.Fprintf(e.out, "  %-34s %10s  %s\n", h.Component, "not known", h.Why)
			}
		}
		if figures != nil {
			for _, x := range figures[i] {
				fmt.Fprintln(e.out, "  "+x.Text)
			}
			var assumed []string
			for _, in := range c.Assumed() {
				assumed = append(assumed, strings.ReplaceAll(in.Name, "_", " ")+" "+strconv.FormatFloat(in.Value, 'f', -1, 64))
			}
			if len(assumed) > 0 {
				fmt.Fprintln(e.out, "  assumed: "+strings.Join(assumed, ", "))
			}
		}
	}
	return nil
}
