package check

import (
	"fmt"

	"linerate/internal/record"
)

// vlanTag is what a tag adds to a frame, bytes (IEEE 802.1Q).
const vlanTag = 4

var checkSwitchMTU = Check{
	ID:     "switch-mtu",
	Title:  "room for the planned MTU on the ports of switches",
	Why:    "a switch drops a frame that is larger than its port takes, and says nothing to the sender",
	Worst:  record.Error,
	Source: "MikroTik's manual, MTU in RouterOS (L2MTU is the frame without the MAC header); Onyx, Cumulus, SONiC: the MTU of a port is that of its packets",
	look: func(w *World, r *report) {
		for j := range w.links() {
			want := j.link.MTU
			if want == 0 || j.link.InfiniBand {
				continue
			}
			for _, e := range j.ends {
				if e == nil || e.host.Switch == nil {
					continue
				}
				have, said := e.nic.MTU, "mtu"
				if room, ok := e.nic.L2MTU.Get(); ok {
					have, said = int(room), "l2mtu"
					if j.link.VLAN != 0 {
						want += vlanTag
					}
				}
				if have == 0 || have >= want {
					continue
				}
				f := record.Finding{
					Severity: record.Error, Have: fmt.Sprintf("%s %d", said, have),
					Want:        fmt.Sprintf("at least %d, for packets of %d bytes", want, j.link.MTU),
					Evidence:    []record.EvidenceLine{e.line("mtu", fmt.Sprintf("%s %d", said, have))},
					Consequence: fmt.Sprintf("packets above %d bytes are dropped here without a word: connections open and then hang", have),
				}
				f.Fix, f.Undo = w.follow(e.host)
				r.foundOn(e, f)
			}
		}
	},
}
