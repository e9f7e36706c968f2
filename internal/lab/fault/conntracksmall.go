package fault

import (
	"fmt"
	"strings"
)

// conntrackSmall gives the receiver's connection tracking a table that its own connections fill.
var conntrackSmall = Fault{
	ID: "conntrack-small", Title: "a table of tracked connections that is full already", Cause: "conntrack-full", Kind: Live, Terrain: Guest, Needs: []string{NeedsGuests},
	Parameters: []Parameter{{Name: "places", Low: 2, High: 8}},
	Make: func(p *Place, v Values) {
		host, n := p.Receiver.Host, v["places"]
		// The connections are the host's own, over loopback: established ones are not put out for new ones.
		p.run(host, "modprobe nf_conntrack enable_hooks=1", "modprobe -r nf_conntrack")
		pids := p.run(host, fmt.Sprintf(`f=$(mktemp -u); mkfifo $f; exec 3<>$f; rm $f
for i in $(seq %.0[1]f); do nc -l -p $((7000+i)) <&3 >/dev/null 2>&1 & echo $!; done; sleep 1
for i in $(seq %.0[1]f); do nc 127.0.0.1 $((7000+i)) <&3 >/dev/null 2>&1 & echo $!; done; sleep 1`, n), "")
		p.undo(host, fmt.Sprintf("kill %s; sleep 1", strings.Join(strings.Fields(pids), " ")))
		p.sysctl(host, "net.netfilter.nf_conntrack_max", fmt.Sprintf("%.0f", n))
	},
}
