package parse

import (
	"linerate/internal/base/lazyregexp"
	"linerate/internal/facts/parse"
	"linerate/internal/facts/parse/show"
)

var onyxTextHead = lazyregexp.New(`(?m)^(?:Eth\d+/\d+(?:/\d+)?|Po\d+):\s*\n\s+(?:Admin state|Description)`)

// Sources are the outputs of Onyx and MLNX-OS, text and JSON (`| json-print`), and scripts for them.
func Sources() []parse.Source {
	src := func(name string, read func(f *parse.Builder, args []string, text []byte) error, looks string) parse.Source {
		return show.Source("onyx", name, looks, read)
	}
	return []parse.Source{
		src("show interfaces congestion-control", readOnyxECN,
			`"Interface ethernet": *"\d+/\d+`).KeptAs("show interfaces ethernet congestion control", ""),
		src("show interfaces port-channel", readOnyxChannels, `"Member Ports": *"|"MLAG Port-Channel Summary"`),
		src("show mlag", readOnyxMLAG, `"MLAG Ports Status Summary"`),
		src("show dcb priority-flow-control", readOnyxPFC, `"PFC oper"|(?m)^\s*Interface\s+PFC admin\s+PFC oper`),
		src("show dcb ets", readOnyxETS, `"ETS per TC"`),
		src("show qos interfaces", readOnyxQoS,
			`"PCP\(DEI\); DSCP to switch-priority mapping"`).KeptAs("show qos interface", ""),
		src("show traffic pool", readOnyxPools, `"Memory \[%\]"`),
		src("show lldp remote", ReadOnyxRemote, `"Eth\d+/\d+[^"]*": *\[\s*\{\s*"Device ID"`),
		src("show lldp interfaces", readOnyxLLDP, `"TLVs": *"[^"]*ETS-`),
		src("show roce", readOnyxRoCE, `(?m)^\s*RoCE mode\s*:`),
		src("show interfaces status", readOnyxStatus, `(?m)^Port\s+Operational state\s+Admin\s+Speed|"Negotiation":`),
		src("show interfaces", readOnyxInterfaces, onyxTextHead.String()+`|"header": *"Eth\d+/\d+`),
		src("show version", readOnyxVersion, `(?m)^Product name:\s+(?:Onyx|MLNX-OS)|"Product name": *"(?:Onyx|MLNX-OS)`),
		src("show running-config", readOnyxConfig,
			`(?m)^## (?:Running|Active saved) database|^\s*interface ethernet \d+/\d+\S* (?:mtu|qos trust|dcb|traffic-class|lldp|flowcontrol)\b|^\s*roce (?:lossless|lossy|semi-lossless)|^\s*traffic pool \S+ type`),
	}
}
