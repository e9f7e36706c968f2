package check

import (
	"iter"
	"strconv"

	"linerate/internal/base/unit"
	"linerate/internal/facts"
	"linerate/internal/record"
)

// rdmaPort is a port of an RDMA device, with the port of the plan that it is, if it is known to be one.
type rdmaPort struct {
	host   *Host
	device *facts.RDMADevice
	port   *facts.RDMAPort
	plan   *plugged // nil: none, or not known which
}

// subject names the port as RDMA's tools do.
func (p rdmaPort) subject() string {
	if len(p.device.Ports) == 1 {
		return p.host.Name + ": " + p.device.Name
	}
	return p.host.Name + ": " + p.device.Name + " port " + strconv.Itoa(p.port.Port)
}

// about is what ties a finding about it to those about its interface and its card.
func (p rdmaPort) about() []string {
	out := []string{p.subject(), p.host.Name + ": " + p.device.Name}
	if name, ok := p.port.Interface.Get(); ok {
		out = append(out, p.host.Name+": "+name)
	}
	return out
}

// evidence is the line that says an aspect of it.
func (p rdmaPort) evidence(aspects ...string) []record.EvidenceLine {
	var out []record.EvidenceLine
	for _, a := range aspects {
		if proof, ok := p.port.Proofs[a]; ok {
			out = append(out, record.EvidenceLine{Host: p.host.Name, Source: proof.Source, Line: proof.Line})
		}
	}
	return out
}

// infiniband says whether it is known to be a port of InfiniBand.
func (p rdmaPort) infiniband() bool { return p.port.LinkLayer.Or("") == "InfiniBand" }

// iwarp says whether it is known to be a port of iWARP, which is addressed by its IP address.
func (p rdmaPort) iwarp() bool { return p.device.NodeType.Or("") == "RNIC" }

// rdmaPorts are those of all hosts.
func (w *World) rdmaPorts() iter.Seq[rdmaPort] {
	return func(yield func(rdmaPort) bool) {
		for _, h := range w.Hosts {
			plugs := w.plugged(h)
			for i := range h.Facts.RDMA {
				d := &h.Facts.RDMA[i]
				for j := range d.Ports {
					p := rdmaPort{host: h, device: d, port: &d.Ports[j]}
					p.plan = p.among(plugs)
					if !yield(p) {
						return
					}
				}
			}
		}
	}
}

// among finds the port of the plan: by its interface, else by its card, where only one port of the plan is on it.
func (p rdmaPort) among(plugs []plugged) *plugged {
	name, named := p.port.Interface.Get()
	var same []*plugged
	for i := range plugs {
		switch {
		case named && plugs[i].nic.Name == name:
			return &plugs[i]
		case p.device.PCI != "" && plugs[i].nic.PCI == p.device.PCI:
			same = append(same, &plugs[i])
		}
	}
	if !named && len(same) == 1 {
		return same[0]
	}
	return nil
}

// nic is the interface of the same port, or nil.
func (p rdmaPort) nic() *facts.Interface {
	if name, ok := p.port.Interface.Get(); ok {
		return p.host.Facts.NIC(name)
	}
	return nil
}

// payload is the share of the wire that RDMA's data has. RoCE version 2: Ethernet with preamble, checksum and gap 38, IP 20, UDP 8,
// BTH 12, ICRC 4; InfiniBand: LRH 8, BTH 12, ICRC 4, VCRC 2.
func payload(mtu unit.Bytes, infiniband bool) float64 {
	head := 82.0
	if infiniband {
		head = 26
	}
	return float64(mtu) / (float64(mtu) + head)
}
