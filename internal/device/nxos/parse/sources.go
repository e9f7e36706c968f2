package parse

import (
	"strings"

	"linerate/internal/facts/parse"
	"linerate/internal/facts/parse/show"
)

// Sources are the outputs of Cisco NX-OS. The table uses show.Canonical, which has "show interfaces" for "show
// interface" of NX-OS; names of files may have either. A source comes before another one whose name is a prefix of its
// name.
func Sources() []parse.Source {
	src := func(name string, read func(f *parse.Builder, args []string, text []byte) error, looks string) parse.Source {
		s := show.Source("nxos", name, looks, read)
		words := strings.ReplaceAll(strings.Join(s.Words, " "), "interfaces", "interface")
		return s.KeptAs(strings.ReplaceAll(words, "transceiver detail", "transceiver details"), looks)
	}
	out := []parse.Source{src("show interfaces status", readStatus, statusLooks),
		src("show interfaces priority-flow-control", readPFC, pfcHead),
		src("show interfaces counters errors", readErrors, errorsLooks),
		src("show interfaces transceiver detail", readTransceiver, transceiverLooks),
		src("show interfaces transceiver", readTransceiver, transceiverLooks),
		src("show interfaces brief", readBrief, briefLooks),
		src("show interfaces breakout", readBreakout, breakoutLooks),
		src("show interfaces capabilities", readCapabilities, capabilitiesLooks),
		src("show interfaces description", readDescription, descriptionLooks),
		src("show queuing interface", readQueuing, queuingLooks),
		src("show policy-map interface", readPolicy, policyLooks),
		src("show port-channel summary", readChannels, channelLooks),
		src("show environment temperature", readEnvironment, environmentLooks),
		src("show environment", readEnvironment, environmentLooks),
		src("show module", readModule, moduleLooks),
		src("show inventory", readInventory, inventoryLooks),
		src("show ip interface brief", readIPBrief, ipBriefLooks),
		src("show ip arp", readARP, arpLooks),
		src("show lldp neighbors", readLLDP, lldpDetail+`|`+lldpTable)}
	for _, n := range nothingTaken {
		out = append(out, src(n.name, readNothing(n.looks), n.looks))
	}
	return append(out, src("show interfaces", readInterfaces, interfaceLooks),
		src("show version", readVersion, versionHead))
}
