package rdma

import (
	"fmt"
	"iter"
	"strconv"

	"linerate/internal/base/unit"
	"linerate/internal/facts"
	"linerate/internal/inspect/check"
	"linerate/internal/record"
)

// rdmaPort is a port of an RDMA device, with its port in the plan, if that is known.
type rdmaPort struct {
	host   *check.Host
	device *facts.RDMADevice
	port   *facts.RDMAPort
	plan   *check.Port // nil: not in the plan, or not known
}

// subject names the port as RDMA's tools do.
func (p rdmaPort) subject() record.Subject {
	if len(p.device.Ports) == 1 {
		return p.host.Subject(p.device.Name)
	}
	return p.host.Subject(p.device.Name + " port " + strconv.Itoa(p.port.Port))
}

// about is what ties a finding about it to those about its interface and its NIC.
func (p rdmaPort) about() []record.Subject {
	out := []record.Subject{p.subject(), p.host.Subject(p.device.Name)}
	if name, ok := p.port.Interface.Get(); ok {
		out = append(out, p.host.Subject(name))
	}
	return out
}

// evidence returns the lines that show these aspects of it.
func (p rdmaPort) evidence(aspects ...string) []record.EvidenceLine {
	var out []record.EvidenceLine
	for _, a := range aspects {
		if proof, ok := p.port.Proofs[a]; ok {
			out = append(out, record.EvidenceLine{Host: p.host.Name, Source: proof.Source, Line: proof.Line})
		}
	}
	return out
}

// infiniband reports whether the port is known to be an InfiniBand port.
func (p rdmaPort) infiniband() bool { return p.port.LinkLayer.Or("") == "InfiniBand" }

// iwarp reports whether the port is known to be an iWARP port, which is addressed by its IP address.
func (p rdmaPort) iwarp() bool { return p.device.NodeType.Or("") == "RNIC" }

// rdmaPorts returns the RDMA ports of all hosts.
func rdmaPorts(w *check.World) iter.Seq[rdmaPort] {
	return func(yield func(rdmaPort) bool) {
		for _, h := range w.Hosts {
			plugs := w.Plugged(h)
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

// among finds the port of the plan: by its interface, or else by its NIC, where the plan has only one port on it.
func (p rdmaPort) among(plugs []check.Port) *check.Port {
	name, named := p.port.Interface.Get()
	var same []*check.Port
	for i := range plugs {
		switch {
		case named && plugs[i].Nic.Name == name:
			return &plugs[i]
		case p.device.PCI != "" && plugs[i].Nic.PCI == p.device.PCI:
			same = append(same, &plugs[i])
		}
	}
	if !named && len(same) == 1 {
		return same[0]
	}
	return nil
}

// nic returns the interface of the same port, or nil.
func (p rdmaPort) nic() *facts.Interface {
	if name, ok := p.port.Interface.Get(); ok {
		return p.host.Facts.NIC(name)
	}
	return nil
}

// payload returns the share of the wire rate that RDMA's data gets. RoCE version 2: Ethernet with preamble, checksum
// and gap 38, IP 20, UDP 8, BTH 12, ICRC 4; InfiniBand: LRH 8, BTH 12, ICRC 4, VCRC 2.
func payload(mtu unit.Bytes, infiniband bool) float64 {
	head := 82.0
	if infiniband {
		head = 26
	}
	return float64(mtu) / (float64(mtu) + head)
}

// IPoIB checks the mode of IP over InfiniBand.
var IPoIB = check.Check{
	ID:    "ipoib-mode",
	Title: "the mode of IP over InfiniBand",
	Why: "in datagram mode a packet is no larger than InfiniBand's own, 2044 or 4092 bytes: IP reaches about half " +
		"of what verbs do",
	Worst:  record.Warning,
	Source: "Documentation/infiniband/ipoib.rst; mlx5: ipoib_enhanced",
	Look: func(w *check.World, r *check.Report) {
		for _, h := range w.Hosts {
			for i := range h.Facts.NICs {
				n := &h.Facts.NICs[i]
				if mode, known := n.IPoIB.Get(); !known || mode != "datagram" {
					continue
				}
				f := record.Finding{Severity: record.Info, Subject: h.Subject(n.Name), Have: "datagram mode",
					Want:        "connected mode and an MTU of 65520 for IP, or verbs",
					Evidence:    []record.EvidenceLine{{Host: h.Name, Source: n.IPoIBProof.Source, Line: n.IPoIBProof.Line}},
					Consequence: "IP over this port is held back by the rate of packets; what uses verbs (RDMA) is not",
					Fix: fmt.Sprintf("echo connected > /sys/class/net/%s/mode && ip link set dev %s mtu 65520\nat all "+
						"ends; a NIC of mlx5 first needs options ib_ipoib ipoib_enhanced=0", n.Name, n.Name),
					Undo: fmt.Sprintf("ip link set dev %s mtu 2044; echo datagram > /sys/class/net/%s/mode", n.Name, n.Name)}
				if n.MTU > 0 {
					f.Have += fmt.Sprintf(", MTU %d", n.MTU)
					f.Undo = fmt.Sprintf("echo datagram > /sys/class/net/%s/mode && ip link set dev %s mtu %d", n.Name, n.Name, n.MTU)
				}
				if w.Carries(h, n.Name) {
					f.Severity = record.Warning
				}
				r.Found(f, f.Subject)
			}
		}
	},
}
