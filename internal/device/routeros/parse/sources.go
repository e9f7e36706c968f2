package parse

import (
	"linerate/internal/facts/parse"
)

// Sources are the outputs of RouterOS: menus in the form of print and monitor, and exports, which are scripts.
func Sources() []parse.Source {
	out := []parse.Source{
		{Name: routerosCommands, OS: "routeros", Read: readRouterOSScript},
		parse.Source{Name: "/export", OS: "routeros", Read: readRouterOSScript}.
			KeptAs("export",
				`(?m)^# .{0,60}\bby RouterOS \d|^/(?:interface|ip|system|routing|port|queue|user|tool|snmp)\b[a-z0-9 /-]*(?:\r?\n(?:add|set) |\b(?:add|set) \S)`),
	}
	for _, m := range []struct{ menu, verb, words, looks string }{
		{"interface ethernet switch qos tx-manager queue", "print", "interface ethernet switch qos tx manager queue print",
			`(?m)^\s*#?\s*TX-MANAGER +TRAFFIC-CLASS|\btx-manager="?\S+ traffic-class=\d|"schedule": ?"(?:low|high|strict)-priority`},
		{"interface ethernet switch qos tx-manager", "print", "interface ethernet switch qos tx manager print",
			`(?m)^\s*#?\s*NAME +(?:QUEUE-BUFFERS|SHAPING)\b`},
		{"interface ethernet switch qos priority-flow-control", "print",
			"interface ethernet switch qos priority flow control",
			`(?m)^\s*#?\s*NAME +TRAFFIC-CLASS +RX +TX|\btraffic-class=\S* rx=(?:yes|no) tx=`},
		{"interface ethernet switch qos profile", "print", "interface ethernet switch qos profile print",
			`(?m)^\s*#?\s*NAME +(?:PCP +DSCP|DSCP +PCP|TRAFFIC-CLASS +(?:PCP|DSCP))`},
		{"interface ethernet switch qos map ip", "print", "interface ethernet switch qos map ip print",
			`(?m)^\s*#?\s*(?:MAP +)?DSCP +PROFILE`},
		{"interface ethernet switch qos map vlan", "print", "interface ethernet switch qos map vlan print",
			`(?m)^\s*#?\s*(?:MAP +)?PCP +(?:DEI(?:-ONLY)? +)?PROFILE`},
		{"interface ethernet switch qos port", "print", "interface ethernet switch qos port print",
			`(?m)TRUST-L2 +TRUST-L3|\btrust-l2=\w+ .*trust-l3=|^\s*(?:pfc-paused-tc|pfc\d-use|queue\d-packet-cap|tx-queue\d-packet|drop-queue\d-packet):|"trust-l3":`},
		{"interface ethernet switch qos settings", "print", "interface ethernet switch qos settings print",
			`(?m)^\s*(?:lossless-traffic-class|lossless-buffers|wred-threshold):`},
		{"interface ethernet switch qos", "monitor", "interface ethernet switch qos monitor", `(?m)^\s*total-packet-cap:`},
		{"interface ethernet switch port", "print", "interface ethernet switch port print",
			`(?m)^ *\d+ +[RI]* +name=\S+ (?:switch=\S+ .*vlan-mode=|driver-rx-byte=)`},
		{"interface ethernet switch", "print", "interface ethernet switch print",
			`(?m)QOS-HW-OFFLOADING|qos-hw-offloading=|^\s*name: +switch\d`},
		{"interface ethernet", "monitor", "interface ethernet monitor",
			`(?m)^\s*link-partner-advertising:|^\s*status: (?:link-ok|no-link|unknown)\b|^\s*auto-negotiation: (?:done|failed|incomplete|disabled)\b`},
		{"interface ethernet", "print", "interface ethernet print",
			`(?m)^\s*#\s+NAME +MTU +MAC-ADDRESS +ARP|\bdriver-rx-byte[:=]|\bdefault-name=.* mtu=.* (?:auto-negotiation|advertise)=`},
		{"interface bonding", "monitor", "interface bonding monitor", `(?m)^\s*(?:active-ports|inactive-ports): `},
		{"interface bonding", "print", "interface bonding print", `\bslaves=\S+ mode=`},
		{"interface bridge port", "print", "interface bridge port print",
			`(?m)^\s*#\s+INTERFACE +BRIDGE +HW|\binterface=\S+ bridge=\S+ priority=`},
		{"interface bridge vlan", "print", "interface bridge vlan print", `(?m)^\s*#\s+BRIDGE +VLAN-IDS`},
		{"interface bridge host", "print", "interface bridge host print",
			`\bmac-address=\S+ (?:vid=\d+ )?interface=\S+ bridge=`},
		{"interface bridge", "print", "interface bridge print", `\bprotocol-mode=\S+ .*vlan-filtering=`},
		{"interface vlan", "print", "interface vlan print", `\bvlan-id=\d+ interface=|(?m)^\s*#\s+NAME +MTU +ARP +VLAN-ID`},
		{"interface", "print", "interface print",
			`(?m)^\s*#\s+NAME +TYPE +ACTUAL-MTU|\btype="?(?:ether|bridge|vlan|bond|lte)"? mtu=`},
		{"ip address", "print", "ip address print",
			`(?m)^\s*#\s+ADDRESS +NETWORK +INTERFACE|\baddress=\S+ network=\S+ interface=`},
		{"ip route", "print", "ip route print",
			`\bdst-address=\S+ .*\bgateway=|(?m)^\s*#?\s+DST-ADDRESS +(?:PREF-SRC +)?GATEWAY`},
		{"ip neighbor discovery-settings", "print", "ip neighbor discovery settings print",
			`(?m)^\s*(?:discover-interface-list|lldp-med-net-policy-vlan|lldp-dcbx):`},
		{"ip neighbor", "print", "ip neighbor print",
			`\bsystem-caps-enabled=|(?m)^\s*#\s+INTERFACE +ADDRESS +MAC-ADDRESS +IDENTITY`},
		{"system resource", "print", "system resource print", `(?m)^\s*architecture-name: `},
		{"system routerboard", "print", "system routerboard print", `(?m)^\s*routerboard: (?:yes|no)\b`},
		{"system identity", "print", "system identity print", ""},
		{"system health", "print", "system health print", `(?m)^\s*#\s+NAME +VALUE(?: +TYPE)?\s*$`},
		{"system package", "print", "system package print", `(?m)^\s*#\s+NAME +VERSION\b`},
		{"log", "print", "log print detail", `(?m)^\s*time=.* topics=\S+ message=`},
	} {
		out = append(out, parse.Source{Name: "/" + m.menu + " " + m.verb, OS: "routeros",
			Read: ReadRouterOS(m.menu, m.verb)}.KeptAs(m.words, m.looks))
	}
	return out
}

// ReadRouterOS returns a reader of a menu that passes its rows to their functions.
func ReadRouterOS(menu, verb string) func(f *parse.Builder, args []string, text []byte) error {
	return func(f *parse.Builder, _ []string, text []byte) error {
		rows, err := parseRouterOS(text)
		if err != nil {
			return err
		}
		r := ofRouterOS(f)
		for i := range rows {
			rows[i].source = f.Reading
		}
		if verb == "print" {
			r.menus[menu] = append(r.menus[menu], rows...)
		}
		if put := routerosPuts[menu+" "+verb]; put != nil {
			for i := range rows {
				put(f, &rows[i])
			}
		}
		return nil
	}
}

// routerosPuts store the facts of single rows. Settle combines several menus.
var routerosPuts = map[string]func(f *parse.Builder, row *routerosRow){
	"interface print":                          putRouterOSInterface,
	"interface ethernet print":                 putRouterOSInterface,
	"interface vlan print":                     putRouterOSInterface,
	"interface bridge print":                   putRouterOSInterface,
	"interface ethernet switch port print":     putRouterOSCounters,
	"interface ethernet switch print":          putRouterOSCounters,
	"interface ethernet monitor":               putRouterOSMonitor,
	"interface ethernet switch qos port print": putRouterOSQoSCounters,
	"interface bonding print":                  putRouterOSBond,
	"interface bonding monitor":                putRouterOSBondMonitor,
	"interface bridge port print":              putRouterOSBridgePort,
	"ip neighbor print":                        putRouterOSNeighbour,
	"ip address print":                         putRouterOSAddress,
	"ip route print":                           putRouterOSRoute,
	"system resource print":                    putRouterOSResource,
	"system routerboard print":                 putRouterOSBoard,
}

// routeros has the outputs of a machine with RouterOS that are combined later.
type routeros struct {
	menus  map[string][]routerosRow // by menu, of print
	script []routerosStatement      // of exports and pasted commands, in their order
	whole  bool                     // an export has all settings that differ from the factory's
	// automap: a script is for releases that make the maps of trusted ports themselves (from 7.23 on).
	automap bool
}

func ofRouterOS(f *parse.Builder) *routeros {
	r := parse.StateOf[routeros](f)
	if r.menus == nil {
		r.menus = map[string][]routerosRow{}
	}
	return r
}
