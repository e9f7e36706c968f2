package parse

import (
	"strconv"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/facts"
	"linerate/internal/facts/parse"
)

// offload stores an offload under Linux' name of the same; of several families any that is on counts.
func offload(n *facts.Interface, name string, on bool, p facts.Proof) {
	if n.Offloads == nil {
		n.Offloads = map[string]bool{}
	}
	n.Offloads[name] = n.Offloads[name] || on
	if !on || n.Proofs[name].Line == "" {
		n.Proves(name, p)
	}
}

// takeLSO reads Get-NetAdapterLso: segmentation in an adapter. Properties: MSFT_NetAdapterLsoSettingData; no snapshot
// exists.
func takeLSO(f *parse.Builder, o *psObject) {
	n := adapter(f, o)
	if n == nil {
		return
	}
	adapterOf(n)
	for _, name := range []string{"IPv4Enabled", "V1IPv4Enabled", "IPv6Enabled"} {
		if on, ok := o.flag(name).Get(); ok && (name != "IPv6Enabled" || n.Offloads == nil) {
			offload(n, "tx-tcp-segmentation", on, f.Proof(o.line(name)))
		}
	}
}

// takeRSC reads Get-NetAdapterRsc: packets that are merged before the CPU processes them, as by GRO of Linux.
// Properties: MSFT_NetAdapterRscSettingData; no snapshot exists.
func takeRSC(f *parse.Builder, o *psObject) {
	n := adapter(f, o)
	if n == nil {
		return
	}
	w := adapterOf(n)
	if on, ok := o.flag("IPv4Enabled").Get(); ok {
		offload(n, "rx-gro", on, f.Proof(o.line("IPv4Enabled")))
		running := o.flag("IPv4OperationalState")
		if on && running.IsKnown() && !running.Or(true) {
			w.RSC = o.text("IPv4FailureReason")
			n.Proves("rsc", f.Proof(o.line("IPv4OperationalState")))
		}
	}
}

// takeChecksum reads Get-NetAdapterChecksumOffload: RxTxEnabled, TxEnabled, RxEnabled, Disabled, or NotSupported.
// Properties: MSFT_NetAdapterChecksumOffloadSettingData; no snapshot exists.
func takeChecksum(f *parse.Builder, o *psObject) {
	n := adapter(f, o)
	if n == nil {
		return
	}
	adapterOf(n)
	v := strings.ToLower(o.text("TcpIPv4Enabled", "TcpIPv4"))
	if !strings.HasSuffix(v, "enabled") && v != "disabled" {
		return
	}
	p := f.Proof(o.line("TcpIPv4Enabled", "TcpIPv4"))
	offload(n, "tx-checksum-ip-generic", strings.Contains(v, "tx"), p)
	offload(n, "rx-checksum", strings.Contains(v, "rx"), p)
}

// takeRSS reads Get-NetAdapterRss. A team without queues prints 0.
func takeRSS(f *parse.Builder, o *psObject) {
	n := adapter(f, o)
	if n == nil {
		return
	}
	w := adapterOf(n)
	if d := o.text("InterfaceDescription"); d != "" {
		w.Description = d
	}
	w.RSS = o.flag("Enabled")
	n.Proves("rss", f.Proof(o.line("Enabled")))
	queues, ok := o.number("NumberOfReceiveQueues").Get()
	switch on, said := w.RSS.Get(); {
	case said && !on:
		n.Queues = unit.Known(1)
	case ok && queues > 0 && queues < 1<<16:
		n.Queues = unit.Known(int(queues))
	default:
		n.Queues = unit.Unknown[int]("the adapter names no number of receive queues")
	}
}

// technologies are the values of *NetworkDirectTechnology, which are those of NDK_RDMA_TECHNOLOGY.
var technologies = map[string]string{"1": "iwarp", "2": "infiniband", "3": "rocev1", "4": "rocev2", "iwarp": "iwarp",
	"infiniband": "infiniband", "roce": "rocev1", "rocev1": "rocev1", "rocev2": "rocev2"}

// takeRDMA reads Get-NetAdapterRdma. PFC and ETS are NA on virtual adapters.
func takeRDMA(f *parse.Builder, o *psObject) {
	n := adapter(f, o)
	if n == nil {
		return
	}
	w := adapterOf(n)
	if d := o.text("InterfaceDescription"); d != "" {
		w.Description = d
	}
	r := rdma(w)
	r.Enabled, r.Operational, r.PFC, r.ETS = o.flag("Enabled"), o.flag("Operational"), o.flag("PFC"), o.flag("ETS")
	r.Proof = f.Proof(o.line("Enabled"))
	if t := technologies[psKey(o.text("RdmaTechnology", "Technology", "RdmaAdapterInfo.RdmaTechnology"))]; t != "" {
		r.Technology = unit.Known(t)
		n.Proves("technology", f.Proof(o.line("RdmaTechnology", "Technology", "RdmaAdapterInfo.RdmaTechnology")))
	}
}

// takeKeyword reads Get-NetAdapterAdvancedProperty. Values are in braces, in which a list may be.
func takeKeyword(f *parse.Builder, o *psObject) {
	n := adapter(f, o)
	name, value := o.text("RegistryKeyword"), strings.Trim(o.text("RegistryValue"), "{}")
	if n == nil || name == "" || o.prop("RegistryValue") == nil || o.prop("RegistryValue").cut {
		return
	}
	w := adapterOf(n)
	if w.Keywords == nil {
		w.Keywords = map[string]string{}
	}
	w.Keywords[name] = value
	line := o.line("RegistryKeyword")
	if o.row == "" {
		line += " " + o.line("RegistryValue")
	}
	n.Proves(name, f.Proof(line))
}

// settleKeywords uses the values of keywords where no better source exists. *JumboPacket includes the Ethernet header
// of 14 bytes. *FlowControl is the pause of the whole port: 0 none, 1 sent, 2 obeyed, 3 both, 4 negotiated.
func settleKeywords(f *parse.Builder, n *facts.Interface) {
	w := n.Windows
	if jumbo, err := strconv.Atoi(w.Keywords["*JumboPacket"]); err == nil && jumbo >= 1514 && jumbo < 1<<16 && n.MTU == 0 {
		n.MTU = jumbo - 14
		n.Proves("mtu", n.Proofs["*JumboPacket"])
	}
	if t := technologies[w.Keywords["*NetworkDirectTechnology"]]; t != "" && w.RDMA != nil &&
		!w.RDMA.Technology.IsKnown() {
		w.RDMA.Technology = unit.Known(t)
		n.Proves("technology", n.Proofs["*NetworkDirectTechnology"])
	}
	if w.Keywords["*RSS"] == "0" && !w.RSS.IsKnown() {
		w.RSS = unit.Known(false)
		n.Proves("rss", n.Proofs["*RSS"])
		n.Queues = unit.Known(1)
	}
	if v := w.Keywords["*FlowControl"]; len(v) == 1 && v >= "0" && v <= "3" && n.Effect != nil {
		n.Effect.PauseTx, n.Effect.PauseRx = unit.Known(v == "1" || v == "3"), unit.Known(v == "2" || v == "3")
		n.Effect.Proves("pause", n.Proofs["*FlowControl"])
	}
	if name := n.Kind; name == "virtual adapter" && !n.Speed.IsKnown() {
		parse.Missing(&n.Speed, "a virtual adapter has no rate of its own")
	}
}

// takeStatistics reads Get-NetAdapterStatistics. Windows counts since the start of the adapter. Properties:
// MSFT_NetAdapterStatisticsSettingData; no snapshot exists.
func takeStatistics(f *parse.Builder, o *psObject) {
	n := adapter(f, o)
	if n == nil {
		return
	}
	adapterOf(n)
	keep := func(name string, of ...string) unit.Opt[uint64] {
		sum, found := uint64(0), false
		for _, p := range of {
			if v, ok := o.number(p).Get(); ok {
				sum, found = sum+uint64(v), true
			}
		}
		if !found {
			return unit.Unknown[uint64](of[0] + " is not in the snapshot")
		}
		if n.Counters == nil {
			n.Counters = map[string]uint64{}
		}
		n.Counters[name] = sum
		return unit.Known(sum)
	}
	keep("rx_bytes", "ReceivedBytes")
	keep("tx_bytes", "SentBytes")
	received := keep("rx_packets", "ReceivedUnicastPackets", "ReceivedMulticastPackets", "ReceivedBroadcastPackets")
	sent := keep("tx_packets", "SentUnicastPackets", "SentMulticastPackets", "SentBroadcastPackets")
	for _, c := range []struct {
		what     facts.Counted
		name, of string
		moved    unit.Opt[uint64]
	}{
		{facts.BadFrames, "rx_errors", "ReceivedPacketErrors", received},
		{facts.ReceiveDrops, "rx_dropped", "ReceivedDiscardedPackets", received},
		{facts.SendDrops, "tx_dropped", "OutboundDiscardedPackets", sent},
	} {
		if v, ok := keep(c.name, c.of).Get(); ok {
			f.Counted(c.what, n.Name, v, c.moved, o.line(c.of))
		}
	}
	keep("tx_errors", "OutboundPacketErrors")
}

// takeVMAdapter reads Get-VMNetworkAdapter: the settings and state of a virtual adapter.
func takeVMAdapter(f *parse.Builder, o *psObject) {
	name := o.text("Name")
	if name == "" || psCut(name) {
		name = "a virtual adapter"
	}
	w := windowsOf(f)
	w.VirtualRSS = append(w.VirtualRSS, facts.VirtualRSS{Name: name, Wanted: o.flag("VrssEnabledRequested"),
		On: o.flag("VrssEnabled"), WantedPairs: o.number("VmmqQueuePairsRequested"), Pairs: o.number("VmmqQueuePairs"),
		RSSProof: f.Proof(o.line("VrssEnabled")), VMMQProof: f.Proof(o.line("VmmqQueuePairs"))})
}
