package facts

import "strings"

// putRouterOSNeighbour stores a row of /ip neighbor print detail, terse or as REST has it. It is heard by LLDP, CDP or MikroTik's own
// protocol (MNDP), which "discovered-by" tells where the release has it: of a bridge's hosts MNDP is heard through a switch too, so that
// without that word it is not known whether the neighbour is at the other end of the cable. The interface is the port, with the bridge it is in behind a comma.
// Format: https://help.mikrotik.com/docs/spaces/ROS/pages/24805517/Neighbor+discovery. Captures: ntc-templates.
func putRouterOSNeighbour(f *Facts, row *routerosRow) {
	v := row.values
	port, _, _ := strings.Cut(v["interface"], ",")
	if port == "" || v["mac-address"]+v["interface-name"]+v["identity"] == "" {
		return
	}
	n := LLDPNeighbour{Chassis: lldpID("mac", v["mac-address"]), Port: lldpID("ifname", v["interface-name"]), System: oneLine(v["identity"]), Description: oneLine(v["system-description"]),
		Via: strings.ToUpper(v["discovered-by"]), Proof: row.proof("mac-address")}
	if n.Port.Value == "" {
		n.Port.Kind = ""
	} else if lldpMAC.MatchString(n.Port.Value) {
		n.Port = lldpID("", n.Port.Value)
	}
	if n.Chassis.Value == "" {
		n.Chassis.Kind = ""
	}
	for _, key := range []string{"address", "address4", "address6"} {
		n.manage(v[key])
	}
	if d, ok := routerosDuration(v["age"]); ok {
		n.Age = known(d)
	}
	f.heard(port, n)
}
