package fault

import "fmt"

// overlay has the data go through a tunnel (VXLAN) between both ends, on the link that it is planned on.
var overlay = Fault{
	ID: "tunnel-route", Title: "the route to the receiver leads into a tunnel", Cause: "overlay", Kind: Live, Terrain: Near,
	Parameters: []Parameter{{Name: "mtu", Unit: "B", Low: 1280, High: 1450}},
	Make: func(p *Place, v Values) {
		mac := func(e End) string {
			if e.Host == p.Sender.Host {
				return "06:00:00:00:00:01"
			}
			return "06:00:00:00:00:02"
		}
		for _, e := range [][2]End{{p.Sender, p.Receiver}, {p.Receiver, p.Sender}} {
			own, peer := e[0], e[1]
			for _, dev := range []string{"all", own.Interface} { // the tunnel's own packets come in where no route to their sender leads
				p.sysctl(own.Host, "net/ipv4/conf/"+dev+"/rp_filter", "0")
			}
			// Without a device the route to the peer would lead the tunnel's own packets into the tunnel; what it learns has none.
			p.run(own.Host, fmt.Sprintf("ip link add vxlan0 address %s mtu %.0f type vxlan id 42 local %s remote %s dev %s dstport 4789 nolearning && ip link set vxlan0 up && ip neigh replace %[4]s lladdr %[6]s nud permanent dev vxlan0 && ip route add %[4]s/32 dev vxlan0 src %[3]s",
				mac(own), v["mtu"], own.Address, peer.Address, own.Interface, mac(peer)), "ip link del vxlan0")
		}
	},
}
