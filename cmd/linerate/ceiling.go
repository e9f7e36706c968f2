package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"linerate/ceiling"
	"linerate/path"
	"linerate/plan"
	"linerate/unit"
)

type ceilingFlags struct {
	rate, variant            string
	transports               []string
	mtu                      int
	ipv6, vlan, noTS, asJSON bool
}

func (e *env) ceilingCommand() *cobra.Command {
	var f ceilingFlags
	c := &cobra.Command{
		Use:   "ceiling [FABRIC.yaml]",
		Short: "What physics allows on each path, hop by hop; or by flags, without a file",
		Example: `  linerate ceiling examples/mesh-10g.yaml
  linerate ceiling --rate 40G --mtu 9000
  linerate ceiling --rate 10G --transport tcp,udp --ipv6`,
		Args:        cobra.MaximumNArgs(1),
		Annotations: map[string]string{checksItself: "yes"},
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 1 {
				if err := e.wrong.err(); err != nil {
					return err
				}
				return e.fabricCeilings(args[0], f)
			}
			return e.flagCeilings(f)
		},
	}
	flags := c.Flags()
	flags.StringVar(&f.rate, "rate", "", "the link's rate, such as 40G")
	flags.IntVar(&f.mtu, "mtu", 1500, "the IP MTU in bytes")
	flags.StringSliceVar(&f.transports, "transport", []string{"tcp"}, "tcp, udp")
	flags.BoolVar(&f.ipv6, "ipv6", false, "IPv6 instead of IPv4")
	flags.BoolVar(&f.vlan, "vlan", false, "with a VLAN tag")
	flags.BoolVar(&f.noTS, "no-timestamps", false, "without TCP timestamps (Windows by default)")
	flags.StringVar(&f.variant, "variant", "", "merge a variant of the file into it; several with +")
	flags.BoolVar(&f.asJSON, "json", false, "print one JSON object")
	return c
}

func (e *env) flagCeilings(f ceilingFlags) error {
	wrong := &e.wrong
	rate, err := unit.ParseBitRate(f.rate)
	switch {
	case f.rate == "":
		wrong.add(errors.New("name a fabric file, or the link's rate: linerate ceiling --rate 40G --mtu 9000"))
	case err != nil:
		wrong.add(fmt.Errorf("--rate: %w", err))
	case rate <= 0:
		wrong.add(fmt.Errorf("--rate %s: a link carries more than nothing; write the link's rate, such as 40G", f.rate))
	}
	frame := ceiling.Ethernet{MTU: f.mtu, IPv6: f.ipv6, VLAN: f.vlan, Timestamps: !f.noTS}
	var chains []path.Chain
	for _, t := range f.transports {
		of := map[string]func(unit.BitRate, ceiling.Ethernet) (ceiling.Ceiling, error){"tcp": ceiling.TCPOverEthernet, "udp": ceiling.UDPOverEthernet}[t]
		if of == nil {
			wrong.add(fmt.Errorf("--transport %s: this version knows tcp and udp", t))
			continue
		}
		c, err := of(max(rate, 1), frame)
		if err != nil {
			wrong.add(err)
		}
		hop := path.Hop{Component: "link", Kind: "cable", Layer: path.Wire, Rate: unit.Known(c.Rate), Formula: c.Formula, Inputs: c.Inputs}
		chains = append(chains, path.Chain{Direction: "out", Transport: t, Hops: []path.Hop{hop}, Limit: c.Rate, Component: "link", Layer: path.Wire})
	}
	if err := wrong.err(); err != nil {
		return err
	}
	return e.chains(chains, f.asJSON)
}

// fabricCeilings lists the chain of every path that a link joins, in both directions.
func (e *env) fabricCeilings(file string, f ceilingFlags) error {
	p, err := e.load(file, f.variant)
	if err != nil {
		return err
	}
	var chains []path.Chain
	for i, a := range p.Hosts {
		for _, b := range p.Hosts[i+1:] {
			for _, way := range p.Paths(a.Name, b.Name) {
				for _, direction := range []string{"out", "in"} {
					chains = append(chains, path.TCP(way, direction, path.Conditions{Scale: 1, VLAN: tagged(way)}))
				}
			}
		}
	}
	return e.chains(chains, f.asJSON)
}

func tagged(p plan.Path) bool {
	for _, l := range p.Links {
		if l.VLAN != 0 {
			return true
		}
	}
	return false
}

func (e *env) chains(chains []path.Chain, asJSON bool) error {
	if asJSON {
		type limit struct {
			Component string       `json:"component"`
			Rate      unit.BitRate `json:"bits_per_second"`
		}
		type chain struct {
			path.Chain
			Limit limit `json:"limit"`
		}
		out := []chain{}
		for _, c := range chains {
			out = append(out, chain{c, limit{c.Component, c.Limit}})
		}
		return e.object("ceiling", map[string]any{"paths": out})
	}
	for _, c := range chains {
		from, to := c.From, c.To
		if c.Direction == "in" {
			from, to = to, from
		}
		head := strings.TrimSpace(fmt.Sprintf("%s -> %s", from, to))
		if c.From == "" {
			head = "TCP"
			if c.Transport == "udp" {
				head = "UDP"
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
	}
	return nil
}
