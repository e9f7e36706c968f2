package fault

import (
	"fmt"
	"strings"
)

// mtuRDMA gives both ends an MTU that is too small for RDMA's largest packets.
var mtuRDMA = Fault{ID: "mtu-rdma", Title: "both ends have an MTU for smaller packets of RDMA than planned",
	Cause: "rdma-path-mtu", Scenario: RDMA, Needs: []string{NeedsGuests},
	Parameters: []Parameter{{Name: "mtu", Unit: "B", Low: 1200, High: 4000}},
	Make: func(p *Place, v Values) {
		for _, e := range []End{p.Sender, p.Receiver} {
			p.mtu(e.Host, e.Interface, v["mtu"])
		}
	}}

// mtuRDMAEnd gives it to one of them: larger packets are lost there, so that no measurement starts.
var mtuRDMAEnd = Fault{ID: "mtu-rdma-end", Title: "one end has an MTU for smaller packets of RDMA than the other",
	Cause: "rdma-path-mtu", Scenario: RDMA, Needs: []string{NeedsGuests},
	Parameters: []Parameter{{Name: "mtu", Unit: "B", Low: 1200, High: 4000}, anyEnd},
	Make: func(p *Place, v Values) {
		e := p.either(v["end"])
		p.mtu(e.Host, e.Interface, v["mtu"])
	}}

// lossRDMA loses packets of RDMA at the sender's interface.
var lossRDMA = Fault{ID: "loss-rdma", Title: "a network emulator on the sender loses packets of RDMA",
	Cause: "rdma-loss", Scenario: RDMA, Needs: []string{NeedsGuests},
	Parameters: []Parameter{{Name: "loss", Unit: "1", Low: 0.02, High: 0.05, Log: true}},
	Make: func(p *Place, v Values) {
		host, dev := p.Sender.Host, p.Sender.Interface
		was := p.root(host, dev)
		p.run(host,
			fmt.Sprintf("tc qdisc add dev %s parent 11:1 handle 20: netem loss %.3f%% limit 2000", dev, 100*v["loss"]),
			fmt.Sprintf("tc qdisc del dev %s parent 11:1; %s", dev, was))
	}}

// memlockSmall starts the agent of one end as an ordinary user who may lock almost no memory, the default of many
// systems. A guest's agent is its init with another argument, so a script replaces the init.
var memlockSmall = Fault{ID: "memlock-small", Title: "the agent's user may lock little memory", Cause: "memlock",
	Scenario: RDMA, Needs: []string{NeedsGuests},
	Parameters: []Parameter{{Name: "limit", Low: 16, High: 1000}, anyEnd}, // KiB
	Settings:   func(Values) map[string]string { return map[string]string{"threads": "8", "size": "64KiB"} },
	Make: func(p *Place, v Values) {
		p.run(p.either(v["end"]).Host, fmt.Sprintf(`set -e
grep -q nobody: /etc/passwd || echo nobody:x:65534:65534::/:/bin/sh >> /etc/passwd
ln /init /init.whole
printf '#!/bin/sh\nulimit -l %.0f\nexec busybox su nobody -s /bin/sh -c "exec /init.whole agent"\n' > /run/init
chmod 755 /run/init
mount --bind /run/init /init`, v["limit"]), "umount /init; rm -f /init.whole /run/init")
	}}

// gidMoved moves an end's address to its loopback interface, as on hosts with routed addresses: the RDMA device of the
// NIC then has no GID for it.
var gidMoved = Fault{ID: "gid-moved", Title: "the address of one end is not on the NIC that RDMA works over",
	Cause: "gid-index", Scenario: RDMA, Needs: []string{NeedsGuests}, Parameters: []Parameter{anyEnd},
	Make: func(p *Place, v Values) {
		e := p.either(v["end"])
		_, bits, _ := strings.Cut(e.Prefix, "/")
		p.run(e.Host,
			fmt.Sprintf("ip address del %[1]s/%[2]s dev %[3]s && ip address add %[1]s/32 dev lo && ip route add %[4]s dev %[3]s",
				e.Address, bits, e.Interface, e.Prefix),
			fmt.Sprintf("ip route del %[4]s dev %[3]s; ip address del %[1]s/32 dev lo; ip address add %[1]s/%[2]s dev %[3]s",
				e.Address, bits, e.Interface, e.Prefix))
	}}

// gidVersion requests RoCE version 1 from devices that support only version 2, such as soft RoCE.
var gidVersion = Fault{ID: "gid-version", Title: "RoCE of a version that the devices do not speak", Cause: "gid-index",
	Scenario: RDMA, Needs: []string{NeedsGuests},
	Settings: func(Values) map[string]string { return map[string]string{"transport": "rocev1"} }}
