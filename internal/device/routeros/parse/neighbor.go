package parse

import (
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/facts"
	"linerate/internal/facts/parse"
	"linerate/internal/facts/parse/lldp"
)

// putRouterOSNeighbour stores a row of /ip neighbor print detail, terse or from REST. A neighbour announces itself by
// LLDP, CDP or MikroTik's MNDP, which "discovered-by" names in newer releases. MNDP passes switches, so without that
// word the neighbour may not be at the other end of the cable. The interface is the port, with its bridge after a
// comma. Format: https://help.mikrotik.com/docs/spaces/ROS/pages/24805517/Neighbor+discovery. Snapshots: ntc-templates.
func putRouterOSNeighbour(f *parse.Builder, row *routerosRow) {
	v := row.values
	port, _, _ := strings.Cut(v["interface"], ",")
	if port == "" || v["mac-address"]+v["interface-name"]+v["identity"] == "" {
		return
	}
	n := facts.LLDPNeighbour{Chassis: lldp.ID("mac", v["mac-address"]), Port: lldp.ID("ifname", v["interface-name"]),
		System: facts.OneLine(v["identity"]), Description: facts.OneLine(v["system-description"]),
		Via: strings.ToUpper(v["discovered-by"]), Proof: row.proof("mac-address")}
	if n.Port.Value == "" {
		n.Port.Kind = ""
	} else if facts.IsMAC(n.Port.Value) {
		n.Port = lldp.ID("", n.Port.Value)
	}
	if n.Chassis.Value == "" {
		n.Chassis.Kind = ""
	}
	for _, key := range []string{"address", "address4", "address6"} {
		lldp.AddManagement(&n, v[key])
	}
	if d, ok := routerosDuration(v["age"]); ok {
		n.Age = unit.Known(d)
	}
	f.Heard(port, n)
}
