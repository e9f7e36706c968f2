package check

import (
	"fmt"

	"linerate/internal/record"
)

var checkIPoIB = Check{
	ID:     "ipoib-mode",
	Title:  "the mode of IP over InfiniBand",
	Why:    "in datagram mode a packet is no larger than InfiniBand's own, 2044 or 4092 bytes: IP reaches about half of what verbs do",
	Worst:  record.Warning,
	Source: "Documentation/infiniband/ipoib.rst; mlx5: ipoib_enhanced",
	look: func(w *World, r *report) {
		for _, h := range w.Hosts {
			for i := range h.Facts.NICs {
				n := &h.Facts.NICs[i]
				if mode, known := n.IPoIB.Get(); !known || mode != "datagram" {
					continue
				}
				f := record.Finding{Severity: record.Info, Subject: h.Name + ": " + n.Name, Have: "datagram mode", Want: "connected mode and an MTU of 65520 for IP, or verbs",
					Evidence:    []record.EvidenceLine{{Host: h.Name, Source: n.IPoIBProof.Source, Line: n.IPoIBProof.Line}},
					Consequence: "IP over this port is held back by the rate of packets; what uses verbs (RDMA) is not",
					Fix:         fmt.Sprintf("echo connected > /sys/class/net/%s/mode && ip link set dev %s mtu 65520, at all ends; a card of mlx5 first needs options ib_ipoib ipoib_enhanced=0", n.Name, n.Name),
					Undo:        fmt.Sprintf("ip link set dev %s mtu 2044; echo datagram > /sys/class/net/%s/mode", n.Name, n.Name)}
				if n.MTU > 0 {
					f.Have += fmt.Sprintf(", MTU %d", n.MTU)
					f.Undo = fmt.Sprintf("echo datagram > /sys/class/net/%s/mode && ip link set dev %s mtu %d", n.Name, n.Name, n.MTU)
				}
				if w.carries(h, n.Name) {
					f.Severity = record.Warning
				}
				r.found(f, f.Subject)
			}
		}
	},
}
