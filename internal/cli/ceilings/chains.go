package ceilings

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/cli"
	"linerate/internal/inspect/path"
	"linerate/internal/record"
)

// OfFlags prints the chains that flags describe.
func OfFlags(e *cli.Env, f Flags) error {
	query, transports := f.asked(&e.Errors)
	if err := e.Errors.Err(); err != nil {
		return err
	}
	var chains []record.Chain
	var figures [][]path.Figure
	for _, t := range transports {
		c, also, errs := query.Chain(t)
		for _, err := range errs {
			e.Errors.Once(err)
		}
		chains, figures = append(chains, c), append(figures, also)
	}
	if err := e.Errors.Err(); err != nil {
		return err
	}
	return printChains(e, chains, figures, f.AsJSON)
}

// OfFabric prints the chain of every path over a link, in both directions.
func OfFabric(e *cli.Env, file string, f Flags) error {
	p, err := e.Load(file, f.variant)
	if err != nil {
		return err
	}
	var chains []record.Chain
	for i, a := range p.Hosts {
		for _, b := range p.Hosts[i+1:] {
			for _, way := range p.Paths(a.Name, b.Name) {
				for _, direction := range []string{"out", "in"} {
					if way.InfiniBand() {
						chains = append(chains,
							path.OverRDMA(way, direction, path.RDMA{Link: "ib", PathMTU: path.UsualPathMTU}, path.Conditions{Scale: 1}).
								Assuming("path_mtu"))
					}
					chains = append(chains, path.TCP(way, direction, path.Conditions{Scale: 1, VLAN: way.Tagged()}))
				}
			}
		}
	}
	return printChains(e, chains, nil, f.AsJSON)
}

// chainTitle is the transport of a fabric's chain where its path also has one of RDMA: on InfiniBand TCP goes over
// IPoIB. Empty: there is only TCP.
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

// ceilingJSON is a chain in the JSON.
type ceilingJSON struct {
	record.Chain
	Limit   limitJSON     `json:"limit"`
	Figures []path.Figure `json:"figures,omitempty"`
}

type limitJSON struct {
	Component string       `json:"component"`
	Rate      unit.BitRate `json:"bits_per_second"`
}

// printChains prints each chain with its lowest hop; figures are further lines of each, or nil.
func printChains(e *cli.Env, chains []record.Chain, figures [][]path.Figure, asJSON bool) error {
	if asJSON {
		out := []ceilingJSON{}
		for i, c := range chains {
			one := ceilingJSON{Chain: c, Limit: limitJSON{c.Component, c.Limit}}
			if figures != nil {
				one.Figures = figures[i]
			}
			out = append(out, one)
		}
		return e.PrintObject("ceiling", map[string]any{"paths": out})
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
		if over := slices.IndexFunc(c.Hops,
			func(h record.Hop) bool { return strings.HasPrefix(h.Component, "link ") }); ways[head] > 1 && over >= 0 {
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
			fmt.Fprintf(e.Out, "%s: not known, because no rate on the path is\n", head)
			continue
		}
		fmt.Fprintf(e.Out, "%s: %s%s (%s), by %s\n", head, atMost, c.Limit, c.Limit.BytesPerSecond(), c.Component)
		for _, h := range c.Hops {
			if r, ok := h.Rate.Get(); ok {
				fmt.Fprintf(e.Out, "  %-34s %10s  %s\n", h.Component, r, h.Formula)
			} else {
				fmt.Fprintf(e.Out, "  %-34s %10s  %s\n", h.Component, "not known", h.Why)
			}
		}
		if figures != nil {
			for _, x := range figures[i] {
				fmt.Fprintln(e.Out, "  "+x.Text)
			}
			var assumed []string
			for _, in := range c.Assumed() {
				assumed = append(assumed, strings.ReplaceAll(in.Name, "_", " ")+" "+strconv.FormatFloat(in.Value, 'f', -1, 64))
			}
			if len(assumed) > 0 {
				fmt.Fprintln(e.Out, "  assumed: "+strings.Join(assumed, ", "))
			}
		}
	}
	return nil
}

// JSONType is the type of the JSON of linerate ceiling.
func JSONType() reflect.Type {
	return reflect.TypeFor[struct {
		Paths []ceilingJSON `json:"paths"`
	}]()
}
