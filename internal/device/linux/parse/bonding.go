package parse

import (
	"slices"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/facts"
	"linerate/internal/facts/parse"
)

// parseBond reads /proc/net/bonding/NAME: lines "KEY: VALUE", first of the bond, then of each member from "Slave
// Interface:" on. Format and snapshot: https://docs.kernel.org/networking/bonding.html, section 5 (Querying Bonding
// Configuration).
func parseBond(text []byte) (*facts.Bond, error) {
	b := &facts.Bond{Hash: unit.Unknown[string]("the kernel names it for the modes alone that use it")}
	for line := range strings.Lines(string(text)) {
		key, value, ok := strings.Cut(strings.TrimSpace(line), ":")
		value = strings.TrimSpace(value)
		if !ok {
			continue
		}
		var m *facts.BondMember
		if n := len(b.Members); n > 0 {
			m = &b.Members[n-1]
		}
		switch {
		case key == "Bonding Mode":
			b.Mode, b.ModeProof.Line = value, facts.OneLine(line)
		case key == "Transmit Hash Policy":
			policy, _, _ := strings.Cut(value, " ")
			b.Hash, b.HashProof.Line = unit.Known(policy), facts.OneLine(line)
		case key == "LACP rate":
			b.LACP = value
		case key == "Slave Interface":
			if len(b.Members) >= parse.MaxFunctions || value == "" {
				return nil, parse.ToolError(text)
			}
			b.Members = append(b.Members, facts.BondMember{Name: value})
		case key == "MII Status" && m != nil && m.Line == "":
			m.Up, m.Line = value == "up", facts.OneLine(line)
		case key == "Aggregator ID" && m == nil:
			b.Aggregator = value
		case key == "Aggregator ID" && m != nil && m.Aggregator == "":
			m.Aggregator = value
		}
	}
	if b.Mode == "" {
		return nil, parse.ToolError(text)
	}
	return b, nil
}

func putBond(f *parse.Builder, args []string, b *facts.Bond) {
	for _, p := range []*facts.Proof{&b.HashProof, &b.ModeProof} {
		p.Source = f.Reading
	}
	for i := range b.Members {
		b.Members[i].Source = f.Reading
	}
	if slices.ContainsFunc(b.Members, func(m facts.BondMember) bool { return m.Up }) {
		for _, m := range b.Members {
			if !m.Up && m.Line != "" {
				f.Happened(facts.Event{What: facts.MemberDown, Subject: m.Name, Detail: "of " + args[0], Proof: m.Proof})
			}
		}
	}
	f.Interface(args[0]).Bond = b
}
