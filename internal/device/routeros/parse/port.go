package parse

import (
	"net/netip"
	"strconv"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/facts"
	"linerate/internal/facts/parse"
)

// putRouterOSInterface stores a row of /interface print, /interface ethernet print and similar commands, with its
// counters.
func putRouterOSInterface(f *parse.Builder, row *routerosRow) {
	name := row.values["name"]
	if name == "" {
		return
	}
	n := f.Interface(name)
	proves := func(aspect, key string) {
		if row.values[key] != "" {
			n.Proves(aspect, row.proof(key))
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
		n.L2MTU = unit.Known(mtu)
		proves("l2mtu", "l2mtu")
	}
	if mac := row.values["mac-address"]; mac != "" {
		n.MAC = strings.ToLower(mac)
	}
	counters := row.values["rx-bytes"] != "" || row.values["driver-rx-byte"] != ""
	if !counters || row.flags != "" { // print stats in lines has no flags
		n.Up, n.UpKnown = !row.has("X"), true
		if row.values["mac-address"] != "" || row.has("R") {
			n.Carrier = unit.Known(row.has("R"))
			n.Proves("carrier", facts.Proof{Source: row.source, Line: facts.OneLine(row.line)})
		}
	}
	if downs, ok := row.count("link-downs"); ok && n.Kind == "" {
		f.Counted(facts.LinkDowns, name, downs, unit.Unknown[uint64]("RouterOS does not count how often it came up"),
			row.from("link-downs"))
	}
	if counters {
		putRouterOSCounters(f, row)
	}
}

// routerosCounters are the names with one meaning on all models. rx-too-long and tx-too-long are missing: some models
// count forwarded frames above 1518 bytes there. Documentation: https://manual.mikrotik.com, "Ethernet", Statistics.
var routerosCounters = []struct {
	name string
	what facts.Counted
	sent bool
}{
	{"rx-fcs-error", facts.BadFrames, false}, {"rx-align-error", facts.BadFrames, false},
	{"rx-code-error", facts.BadFrames, false}, {"rx-overflow", facts.NoBuffer, false},
	{"rx-drop", facts.ReceiveDrops, false}, {"tx-drop", facts.QueueDrops, true},
	{"rx-pause", facts.PauseReceived, false}, {"tx-pause", facts.PauseSent, true},
}

// putRouterOSCounters stores the counters of a port, or of the port between a switch's chip and its CPU.
func putRouterOSCounters(f *parse.Builder, row *routerosRow) {
	name := row.values["name"]
	if name == "" {
		return
	}
	moved := func(way string) unit.Opt[uint64] {
		if n, ok := row.count(way + "-packet"); ok {
			return unit.Known(n)
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
		return unit.Known(sum)
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
		f.Counted(c.what, name, n, of, row.from(c.name))
	}
	if strings.HasPrefix(name, "switch") {
		return // the chip itself is not an interface
	}
	n := f.Interface(name)
	if n.Counters == nil {
		n.Counters = map[string]uint64{}
	}
	for ours, theirs := range map[string]string{"rx_bytes": "rx-bytes", "tx_bytes": "tx-bytes", "rx_dropped": "rx-drop",
		"tx_dropped": "tx-drop"} {
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
func putRouterOSMonitor(f *parse.Builder, row *routerosRow) {
	name := row.values["name"]
	if name == "" {
		return
	}
	n := f.Interface(name)
	prove := func(aspect, key string) { n.Proves(aspect, row.proof(key)) }
	switch row.values["status"] {
	case "link-ok":
		n.Carrier, n.Up, n.UpKnown = unit.Known(true), true, true
		prove("carrier", "status")
	case "no-link":
		n.Carrier = unit.Known(false)
		prove("carrier", "status")
		if row.values["auto-negotiation"] == "failed" {
			f.Happened(facts.Event{What: facts.LinkFailed, Subject: name, Detail: "auto-negotiation failed",
				Proof: row.proof("auto-negotiation")})
		}
	}
	if rate, ok := routerosRate(row.values["rate"]); ok {
		n.Speed = unit.Known(rate)
		prove("speed", "rate")
	}
	if full, ok := routerosBool(row.values["full-duplex"]); ok {
		n.Duplex = unit.Known(map[bool]string{true: "full", false: "half"}[full])
		prove("duplex", "full-duplex")
	}
}

// putRouterOSBond makes ports members of a bond, and putRouterOSBondMonitor records members without a link.
func putRouterOSBond(f *parse.Builder, row *routerosRow) {
	putRouterOSInterface(f, row)
	name := row.values["name"]
	if name == "" {
		return
	}
	f.Interface(name).Kind = "bond"
	for _, member := range listed(row.values["slaves"]) {
		f.Interface(member).Master = name
	}
}

func putRouterOSBondMonitor(f *parse.Builder, row *routerosRow) {
	active := listed(row.values["active-ports"])
	for _, member := range listed(row.values["inactive-ports"]) {
		if len(active) > 0 {
			f.Happened(facts.Event{What: facts.MemberDown, Subject: member, Detail: "of the bond " + row.values["name"],
				Proof: row.proof("inactive-ports")})
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

// putRouterOSBridgePort stores the bridge of a port, and whether the chip forwards for it (flag H of RouterOS 6.41 and
// later).
func putRouterOSBridgePort(f *parse.Builder, row *routerosRow) {
	name, bridge := row.values["interface"], row.values["bridge"]
	if name == "" || strings.ContainsAny(name, " *") {
		return
	}
	n := f.Interface(name)
	n.Master = bridge
	asked, known := routerosBool(row.values["hw"])
	if known && !row.has("X") && !row.has("I") {
		n.Hardware = unit.Known(asked && row.has("H"))
		n.Proves("hardware", row.proof("hw"))
	}
}

func putRouterOSAddress(f *parse.Builder, row *routerosRow) {
	p, err := netip.ParsePrefix(row.values["address"])
	name := row.values["interface"]
	if err != nil || name == "" || row.has("X") || row.has("I") {
		return
	}
	n := f.Interface(name)
	n.Addresses = append(n.Addresses, p)
	n.Proves("addresses", row.proof("address"))
}

// putRouterOSRoute stores an active route of the table main.
func putRouterOSRoute(f *parse.Builder, row *routerosRow) {
	if !row.has("A") || row.values["routing-mark"] != "" || row.values["routing-table"] != "" &&
		row.values["routing-table"] != "main" {
		return
	}
	dst, err := netip.ParsePrefix(row.values["dst-address"])
	if err != nil {
		return
	}
	r := facts.Route{Dst: dst.Masked()}
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

func putRouterOSResource(f *parse.Builder, row *routerosRow) {
	if v := row.values["version"]; v != "" {
		f.Kernel = "RouterOS " + v
	}
	if v := row.values["cpu"]; v != "" {
		f.CPU.Model = unit.Known(v)
	}
	if v, ok := routerosBytes(row.values["total-memory"]); ok {
		f.Memory = unit.Known(v)
	}
	if up, ok := routerosDuration(row.values["uptime"]); ok {
		f.Uptime = unit.Known(up)
	}
	if v := row.values["board-name"]; v != "" {
		f.Machine.Vendor, f.Machine.Product = unit.Known("MikroTik"), unit.Known(v)
	}
}

func putRouterOSBoard(f *parse.Builder, row *routerosRow) {
	if v := row.values["model"]; v != "" {
		f.Machine.Vendor, f.Machine.Product = unit.Known("MikroTik"), unit.Known(v)
	}
}
