package rdma

import (
	"fmt"

	"linerate/internal/base/unit"
	"linerate/internal/design/ceiling"
	"linerate/internal/inspect/check"
	"linerate/internal/record"
)

// RDMAMTU checks the path MTU of RDMA.
var RDMAMTU = check.Check{
	ID:    "rdma-path-mtu",
	Title: "the size of RDMA's packets",
	Why: "RDMA has packets of 256 to 4096 bytes, and over Ethernet takes the largest that fits into the " +
		"interface's MTU: at 1500 that is 1024",
	Worst: record.Warning,
	Source: "drivers/infiniband (iboe_get_mtu); measured: MTU 1500 gives 1024, 9000 gives 4096; 92.6 of 100 Gb/s are " +
		"data at 1024, 98.0 at 4096",
	Because: []string{"mtu"},
	Look: func(w *check.World, r *check.Report) {
		for p := range rdmaPorts(w) {
			active, known := p.port.ActiveMTU.Get()
			if !known || p.port.State.Or("ACTIVE") != "ACTIVE" {
				if !known && p.plan != nil && p.port.State.Or("") == "ACTIVE" && w.Plan.QoS() != nil {
					r.NotKnownOf(p.subject(), "its MTU", "%s", p.port.ActiveMTU.Why())
				}
				continue
			}
			best := p.port.MaxMTU.Or(4096)
			if p.plan != nil && !p.infiniband() && p.plan.Port.MTU > 0 {
				best = min(best, ceiling.PathMTUFor(p.plan.Port.MTU))
			}
			if active >= best || active > 2048 {
				continue
			}
			severity := record.Warning
			if active == 2048 {
				severity = record.Info
			}
			was, could := payload(active, p.infiniband()), payload(best, p.infiniband())
			f := record.Finding{
				Severity: severity, Subject: p.subject(),
				Have: fmt.Sprintf("packets of %d bytes", active), Want: fmt.Sprintf("%d", best),
				Evidence: p.evidence("mtu", "max_mtu"),
				Consequence: fmt.Sprintf("%s of the wire is data in place of %s, and there are %d packets for one",
					unit.Percent(was), unit.Percent(could), best/active),
				Loss: unit.Known(1 - was/could),
			}
			if rate, ok := p.port.Rate.Get(); ok {
				f.Consequence += fmt.Sprintf(": %s of %s in place of %s", rate*unit.BitRate(was), rate, rate*unit.BitRate(could))
			}
			if p.infiniband() {
				f.Fix = "look which end of a link on the way takes less (smpquery portinfo LID: NeighborMTU, MtuCap); look " +
					"which MTU the subnet manager gives the partition (opensm: mtu=5 in partitions.conf is 4096)"
			} else {
				name := p.port.Interface.Or("INTERFACE")
				f.Fix = fmt.Sprintf("ip link set dev %s mtu 9000\nat both ends, with room for it in every switch between: 4192 "+
					"is the least for 4096", name)
				switch n := p.nic(); {
				case n != nil && ceiling.PathMTUFor(n.MTU) >= best:
					f.Fix = fmt.Sprintf("the MTU of %s is %d and has room for it: RDMA takes it over with ip link set dev %s down "+
						"&& ip link set dev %s up (its links and addresses go for a moment)", name, n.MTU, name, name)
				case n != nil && n.MTU > 0:
					f.Undo = fmt.Sprintf("ip link set dev %s mtu %d", name, n.MTU)
				}
			}
			r.Found(f, p.about()...)
		}
	},
}
