package facts

import (
	"net/netip"
	"strconv"
	"strings"

	"linerate/internal/base/unit"
)

// putRouterOSInterface stores a row of /interface print, /interface ethernet print and the like, with its counters if it has any.
func putRouterOSInterface(f *Facts, row *routerosRow) {
	name := row.values["name"]
	if name == "" {
		return
	}
	n := f.nic(name)
	proves := func(aspect, key string) {
		if row.values[key] != "" {
			n.proves(aspect, row.proof(key))
		}
	}
	kinds := map[string]string{"vlan": "vlan", "bridge": "bridge", "bond": "bond", "veth": "veth", "loopback": "loopback"}
	switch kind := row.values["type"]; {
	case kinds[kind] != "":
		n.Kind = kinds[kind]
	case kind != "" && kind != "ether":
		n.Kind = kind
	}
	if row.values["vlan-id"] != "" && row.values["interface"] != "" {
		n.Kind, n.Lower = "vlan", row.values["interface"]
	}
	for _, key := range []string{"actual-mtu", "mtu"} {
		if mtu, err := strconv.Atoi(row.values[key]); err == nil && mtu > 0 {
			n.MTU = mtu
			proves("mtu", key)
			break
		}
	}
	if mtu, err := strconv.Atoi(row.values["l2mtu"]); err == nil && mtu > 0 {
		n.L2MTU = known(mtu)
		proves("l2mtu", "l2mtu")
	}
	if mac := row.values["mac-address"]; mac != "" {
		n.MAC = strings.ToLower(mac)
	}
	counters := row.values["rx-bytes"] != "" || row.values["driver-rx-byte"] != ""
	if !counters || row.flags != "" { // print stats of lines has no flags
		n.Up, n.UpKnown = !row.has("X"), true
		if row.values["mac-address"] != "" || row.has("R") {
			n.Carrier = known(row.has("R"))
			n.proves("carrier", Proof{row.source, oneLine(row.line)})
		}
	}
	if downs, ok := row.count("link-downs"); ok && n.Kind == "" {
		f.counted(LinkDowns, name, downs, unit.Unknown[uint64]("nobody counts how often it came up"), row.from("link-downs"))
	}
	if counters {
		putRouterOSCounters(f, row)
	}
}

// routerosCounters are the names that all models have for what is known by one meaning. rx-too-long and tx-too-long are none: some
// models count there what is longer than 1518 bytes, and forward it.
// Documentation: https://manual.mikrotik.com, "Ethernet", Statistics.
var routerosCounters = []struct {
	name string
	what Counted
	sent bool
}{
	{"rx-fcs-error", BadFrames, false}, {"rx-align-error", BadFrames, false}, {"rx-code-error", BadFrames, false}, {"rx-overflow", NoBuffer, false},
	{"rx-drop", ReceiveDrops, false}, {"tx-drop", QueueDrops, true}, {"rx-pause", PauseReceived, false}, {"tx-pause", PauseSent, true},
}

// putRouterOSCounters stores the counters of a port, or of the port between a switch's chip and its processor.
func putRouterOSCounters(f *Facts, row *routerosRow) {
	name := row.values["name"]
	if name == "" {
		return
	}
	moved := func(way string) unit.Opt[uint64] {
		if n, ok := row.count(way + "-packet"); ok {
			return known(n)
		}
		sum, any := uint64(0), false
		for _, kind := range []string{"unicast", "broadcast", "multicast"} {
			if n, ok := row.count(way + "-" + kind); ok {
				sum, any = sum+n, true
			}
		}
		if n, ok := row.count("driver-" + way + "-packet"); ok && (!any || row.values[way+"-unicast"] == "") {
			sum, any = n, true
		}
		if !any {
			return unit.Unknown[uint64]("print does not show how many frames were moved")
		}
		return known(sum)
	}
	received, sent := moved("rx"), moved("tx")
	for _, c := range routerosCounters {
		n, ok := row.count(c.name)
		if !ok {
			continue
		}
		of := received
		if c.sent {
			of = sent
		}
		f.counted(c.what, name, n, of, row.from(c.name))
	}
	if strings.HasPrefix(name, "switch") {
		return // the chip itself is no interface
	}
	n := f.nic(name)
	if n.Counters == nil {
		n.Counters = map[string]uint64{}
	}
	for ours, theirs := range map[string]string{"rx_bytes": "rx-bytes", "tx_bytes": "tx-bytes", "rx_dropped": "rx-drop", "tx_dropped": "tx-drop"} {
		if v, ok := row.count(theirs); ok {
			n.Counters[ours] = v
		}
	}
	if v, ok := received.Get(); ok {
		n.Counters["rx_packets"] = v
	}
	if v, ok := sent.Get(); ok {
		n.Counters["tx_packets"] = v
	}
}

// putRouterOSMonitor stores the state of a port's link.
func putRouterOSMonitor(f *Facts, row *routerosRow) {
	name := row.values["name"]
	if name == "" {
		return
	}
	n := f.nic(name)
	prove := func(aspect, key string) { n.proves(aspect, row.proof(key)) }
	switch row.values["status"] {
	case "link-ok":
		n.Carrier, n.Up, n.UpKnown = known(true), true, true
		prove("carrier", "status")
	case "no-link":
		n.Carrier = known(false)
		prove("carrier", "status")
		if row.values["auto-negotiation"] == "failed" {
			f.happened(Event{What: LinkFailed, Subject: name, Detail: "auto-negotiation failed", Proof: row.proof("auto-negotiation")})
		}
	}
	if rate, ok := routerosRate(row.values["rate"]); ok {
		n.Speed = known(rate)
		prove("speed", "rate")
	}
	if full, ok := routerosBool(row.values["full-duplex"]); ok {
		n.Duplex = known(map[bool]string{true: "full", false: "half"}[full])
		prove("duplex", "full-duplex")
	}
}

// putRouterOSBond makes ports members of a bond, and putRouterOSBondMonitor says which of them have no link.
func putRouterOSBond(f *Facts, row *routerosRow) {
	putRouterOSInterface(f, row)
	name := row.values["name"]
	if name == "" {
		return
	}
	f.nic(name).Kind = "bond"
	for _, member := range listed(row.values["slaves"]) {
		f.nic(member).Master = name
	}
}

func putRouterOSBondMonitor(f *Facts, row *routerosRow) {
	active := listed(row.values["active-ports"])
	for _, member := range listed(row.values["inactive-ports"]) {
		if len(active) > 0 {
			f.happened(Event{What: MemberDown, Subject: member, Detail: "of the bond " + row.values["name"], Proof: row.proof("inactive-ports")})
		}
	}
}

// listed splits at commas.
func listed(s string) (out []string) {
	for _, v := range strings.Split(s, ",") {
		if v = strings.TrimSpace(v); v != "" && len(out) < 4096 {
			out = append(out, v)
		}
	}
	return out
}

// putRouterOSBridgePort says which bridge a port is in, and whether the chip forwards for it (flag H of RouterOS 6.41 and later).
func putRouterOSBridgePort(f *Facts, row *routerosRow) {
	name, bridge := row.values["interface"], row.values["bridge"]
	if name == "" || strings.ContainsAny(name, " *") {
		return
	}
	n := f.nic(name)
	n.Master = bridge
	asked, known := routerosBool(row.values["hw"])
	if known && !row.has("X") && !row.has("I") {
		n.Hardware = unit.Known(asked && row.has("H"))
		n.proves("hardware", row.proof("hw"))
	}
}

func putRouterOSAddress(f *Facts, row *routerosRow) {
	p, err := netip.ParsePrefix(row.values["address"])
	name := row.values["interface"]
	if err != nil || name == "" || row.has("X") || row.has("I") {
		return
	}
	n := f.nic(name)
	n.Addresses = append(n.Addresses, p)
	n.proves("addresses", row.proof("address"))
}

// putRouterOSRoute stores an active route of the table main.
func putRouterOSRoute(f *Facts, row *routerosRow) {
	if !row.has("A") || row.values["routing-mark"] != "" || row.values["routing-table"] != "" && row.values["routing-table"] != "main" {
		return
	}
	dst, err := netip.ParsePrefix(row.values["dst-address"])
	if err != nil {
		return
	}
	r := Route{Dst: dst.Masked()}
	switch kind := row.values["type"]; kind {
	case "blackhole", "unreachable", "prohibit":
		r.Kind = kind
	}
	r.Metric, _ = strconv.Atoi(row.values["distance"])
	gateway, at, _ := strings.Cut(row.values["gateway"], "%")
	if a, err := netip.ParseAddr(gateway); err == nil {
		r.Gateway, r.Interface = a, at
	} else {
		r.Interface = gateway
	}
	_, via, reached := strings.Cut(row.values["immediate-gw"], "%")
	if _, after, ok := strings.Cut(row.values["gateway-status"], "reachable via"); ok && !reached { // RouterOS 6
		via, reached = strings.TrimSpace(after), true
	}
	if reached && r.Interface == "" {
		r.Interface = via
	}
	if f.Routes = append(f.Routes, r); len(f.Routes) > 100_000 {
		f.Routes = f.Routes[:100_000]
	}
}

func putRouterOSResource(f *Facts, row *routerosRow) {
	if v := row.values["version"]; v != "" {
		f.Kernel = "RouterOS " + v
	}
	if v := row.values["cpu"]; v != "" {
		f.CPU.Model = known(v)
	}
	if v, ok := routerosBytes(row.values["total-memory"]); ok {
		f.Memory = known(v)
	}
	if up, ok := routerosDuration(row.values["uptime"]); ok {
		f.Uptime = known(up)
	}
	if v := row.values["board-name"]; v != "" {
		f.Machine.Vendor, f.Machine.Product = known("MikroTik"), known(v)
	}
}

func putRouterOSBoard(f *Facts, row *routerosRow) {
	if v := row.values["model"]; v != "" {
		f.Machine.Vendor, f.Machine.Product = known("MikroTik"), known(v)
	}
}
