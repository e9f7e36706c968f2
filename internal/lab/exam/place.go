package exam

import (
	"fmt"
	"slices"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/base/xslices"
	"linerate/internal/design/plan"
	"linerate/internal/lab"
	"linerate/internal/lab/fault"
	"linerate/internal/lab/layout"
)

// Place finds what a fault needs to know about the path of an experiment in a lab at a scale.
func Place(p *plan.Plan, path plan.Path, scale float64) (*fault.Place, error) {
	if len(path.Links) == 0 || len(path.Switches) > 1 {
		return nil, fmt.Errorf(
			"the path from %s to %s has %d links and %d switches: a fault is made on a path of one cable, or through one switch",
			path.From, path.To, len(path.Links), len(path.Switches))
	}
	segments := layout.Segments(p)
	end := func(port *plan.Port) fault.End {
		e := fault.End{Host: port.Host, Address: port.Address.Addr().String(), Prefix: port.Address.Masked().String(),
			Guest: p.Host(port.Host).Decl.Guest, VLAN: port.VLAN, VLANInterface: port.VLANInterface}
		links := []string{port.Link}
		if b := bundle(path, port); b != nil {
			e.Bond, links = port.Interface, nil
			for _, l := range b.Links {
				links = append(links, l.Name)
			}
		}
		for _, s := range segments {
			for i, x := range s.Ends {
				if slices.Contains(links, s.Link) && x.Host == port.Host {
					e.Interface = x.Interface
					if e.Bond != "" {
						e.Members = append(e.Members, x.Interface)
					}
					if far := s.Ends[1-i]; far.Bridge != "" {
						e.Port = far.Interface
					}
				}
			}
		}
		return e
	}
	out := &fault.Place{Sender: end(path.FromPort), Receiver: end(path.ToPort), MTU: path.Links[0].MTU,
		MayQuota: lab.MayQuota(), MayDrive: lab.MayDrive(), Buckets: map[string]string{}}
	for _, s := range segments {
		for _, e := range s.Ends {
			if words := s.Words(scale); words != "" {
				out.Buckets[e.Host+" "+e.Interface] = words
			}
		}
	}
	for _, l := range path.Links {
		if rate := l.Speed * unit.BitRate(scale); out.Rate == 0 || rate < out.Rate {
			out.Rate, out.Planned = rate, l.Speed
		}
	}
	if len(path.Switches) == 1 {
		out.Switch = path.Switches[0]
		for _, s := range segments {
			for _, e := range s.Ends {
				if e.Host == out.Switch && e.Interface == out.Receiver.Port {
					out.Bridge = e.Bridge
				}
			}
		}
	}
	for _, h := range p.Hosts {
		for _, port := range h.Ports {
			if port.Link == "" || !port.Address.IsValid() {
				continue
			}
			e := end(port)
			switch {
			case port == path.FromPort || port == path.ToPort:
			case h.Name == path.From && out.Sender.OtherInterface == "":
				out.Sender.OtherInterface, out.Sender.OtherAddress, out.Sender.OtherPrefix = e.Interface, e.Address, e.Prefix
			case h.Name == path.To && out.Receiver.OtherInterface == "":
				out.Receiver.OtherInterface, out.Receiver.OtherAddress, out.Receiver.OtherPrefix = e.Interface, e.Address, e.Prefix
				out.OtherSwitch = switchOf(p, port)
			case e.Prefix == out.Sender.Prefix && h.Name != path.From && h.Name != path.To && out.Third == nil:
				out.Third = &e
			}
		}
	}
	if out.Sender.OtherPrefix != out.Receiver.OtherPrefix { // they are not neighbours on that path
		for _, e := range []*fault.End{&out.Sender, &out.Receiver} {
			e.OtherInterface, e.OtherAddress, e.OtherPrefix = "", "", ""
		}
	}
	return out, nil
}

// bundle returns the bond of a path if a port is one; nil: it is not.
func bundle(path plan.Path, port *plan.Port) *plan.Bundle {
	return xslices.First(path.Bundles, func(b *plan.Bundle) bool { return b != nil && b.Joins(port) })
}

// switchOf returns the switch at the other end of a port's cable; empty if there is none.
func switchOf(p *plan.Plan, port *plan.Port) string {
	if l := p.Link(port.Link); l != nil {
		return strings.TrimSpace(l.Ends[0].Switch + l.Ends[1].Switch)
	}
	return ""
}

// InNamespaces splits a command line at spaces and replaces the words A and B by the names of two network namespaces.
func InNamespaces(line, a, b string) []string {
	words := strings.Split(line, " ")
	for i, w := range words {
		switch w {
		case "A":
			words[i] = a
		case "B":
			words[i] = b
		}
	}
	return words
}
