package facts

import (
	"strconv"
	"strings"

	"linerate/internal/base/unit"
)

// offload keeps one under the name that Linux has for the same; of several families any that is on counts.
func (n *Interface) offload(name string, on bool, p Proof) {
	if n.Offloads == nil {
		n.Offloads = map[string]bool{}
	}
	n.Offloads[name] = n.Offloads[name] || on
	if !on || n.Proofs[name].Line == "" {
		n.proves(name, p)
	}
}

// takeLSO reads Get-NetAdapterLso: what a card cuts into packets by itself, which Linux calls segmentation.
// Properties: MSFT_NetAdapterLsoSettingData; no real output is behind it.
func takeLSO(f *Facts, o *psObject) {
	n := f.adapter(o)
	if n == nil {
		return
	}
	n.windows()
	for _, name := range []string{"IPv4Enabled", "V1IPv4Enabled", "IPv6Enabled"} {
		if on, ok := o.flag(name).Get(); ok && (name != "IPv6Enabled" || n.Offloads == nil) {
			n.offload("tx-tcp-segmentation", on, f.proof(o.line(name)))
		}
	}
}

// takeRSC reads Get-NetAdapterRsc: packets that are put together before the processor gets them, as GRO of Linux does.
// Properties: MSFT_NetAdapterRscSettingData; no real output is behind it.
func takeRSC(f *Facts, o *psObject) {
	n := f.adapter(o)
	if n == nil {
		return
	}
	w := n.windows()
	if on, ok := o.flag("IPv4Enabled").Get(); ok {
		n.offload("rx-gro", on, f.proof(o.line("IPv4Enabled")))
		running := o.flag("IPv4OperationalState")
		if on && running.IsKnown() && !running.Or(true) {
			w.RSC = o.text("IPv4FailureReason")
			n.proves("rsc", f.proof(o.line("IPv4OperationalState")))
		}
	}
}

// takeChecksum reads Get-NetAdapterChecksumOffload: RxTxEnabled, TxEnabled, RxEnabled, Disabled, or NotSupported.
// Properties: MSFT_NetAdapterChecksumOffloadSettingData; no real output is behind it.
func takeChecksum(f *Facts, o *psObject) {
	n := f.adapter(o)
	if n == nil {
		return
	}
	n.windows()
	v := strings.ToLower(o.text("TcpIPv4Enabled", "TcpIPv4"))
	if !strings.HasSuffix(v, "enabled") && v != "disabled" {
		return
	}
	p := f.proof(o.line("TcpIPv4Enabled", "TcpIPv4"))
	n.offload("tx-checksum-ip-generic", strings.Contains(v, "tx"), p)
	n.offload("rx-checksum", strings.Contains(v, "rx"), p)
}

// takeRSS reads Get-NetAdapterRss. A team has no queues of its own, and says 0.
func takeRSS(f *Facts, o *psObject) {
	n := f.adapter(o)
	if n == nil {
		return
	}
	w := n.windows()
	if d := o.text("InterfaceDescription"); d != "" {
		w.Description = d
	}
	w.RSS = o.flag("Enabled")
	n.proves("rss", f.proof(o.line("Enabled")))
	queues, ok := o.number("NumberOfReceiveQueues").Get()
	switch on, said := w.RSS.Get(); {
	case said && !on:
		n.Queues = known(1)
	case ok && queues > 0 && queues < 1<<16:
		n.Queues = known(int(queues))
	default:
		n.Queues = unit.Unknown[int]("the adapter names no number of receive queues")
	}
}

// technologies are the values of *NetworkDirectTechnology, which are those of NDK_RDMA_TECHNOLOGY.
var technologies = map[string]string{"1": "iwarp", "2": "infiniband", "3": "rocev1", "4": "rocev2", "iwarp": "iwarp", "infiniband": "infiniband", "roce": "rocev1", "rocev1": "rocev1", "rocev2": "rocev2"}

// takeRDMA reads Get-NetAdapterRdma. PFC and ETS are NA on virtual adapters.
func takeRDMA(f *Facts, o *psObject) {
	n := f.adapter(o)
	if n == nil {
		return
	}
	w := n.windows()
	if d := o.text("InterfaceDescription"); d != "" {
		w.Description = d
	}
	r := w.rdma()
	r.Enabled, r.Operational, r.PFC, r.ETS = o.flag("Enabled"), o.flag("Operational"), o.flag("PFC"), o.flag("ETS")
	r.Proof = f.proof(o.line("Enabled"))
	if t := technologies[psKey(o.text("RdmaTechnology", "Technology", "RdmaAdapterInfo.RdmaTechnology"))]; t != "" {
		r.Technology = known(t)
		n.proves("technology", f.proof(o.line("RdmaTechnology", "Technology", "RdmaAdapterInfo.RdmaTechnology")))
	}
}

// takeKeyword reads Get-NetAdapterAdvancedProperty. Values stand in braces, in which a list may be.
func takeKeyword(f *Facts, o *psObject) {
	n := f.adapter(o)
	name, value := o.text("RegistryKeyword"), strings.Trim(o.text("RegistryValue"), "{}")
	if n == nil || name == "" || o.prop("RegistryValue") == nil || o.prop("RegistryValue").cut {
		return
	}
	w := n.windows()
	if w.Keywords == nil {
		w.Keywords = map[string]string{}
	}
	w.Keywords[name] = value
	line := o.line("RegistryKeyword")
	if o.row == "" {
		line += " " + o.line("RegistryValue")
	}
	n.proves(name, f.proof(line))
}

// settleKeywords gives what keywords say where nothing better does: *JumboPacket counts the Ethernet header of 14 bytes, too.
// *FlowControl is the pause of the whole port: 0 none, 1 sent, 2 obeyed, 3 both, 4 as both ends agree.
func settleKeywords(f *Facts, n *Interface) {
	w := n.Windows
	if jumbo, err := strconv.Atoi(w.Keywords["*JumboPacket"]); err == nil && jumbo >= 1514 && jumbo < 1<<16 && n.MTU == 0 {
		n.MTU = jumbo - 14
		n.proves("mtu", n.Proofs["*JumboPacket"])
	}
	if t := technologies[w.Keywords["*NetworkDirectTechnology"]]; t != "" && w.RDMA != nil && !w.RDMA.Technology.IsKnown() {
		w.RDMA.Technology = known(t)
		n.proves("technology", n.Proofs["*NetworkDirectTechnology"])
	}
	if w.Keywords["*RSS"] == "0" && !w.RSS.IsKnown() {
		w.RSS = known(false)
		n.proves("rss", n.Proofs["*RSS"])
		n.Queues = known(1)
	}
	if v := w.Keywords["*FlowControl"]; len(v) == 1 && v >= "0" && v <= "3" && n.Effect != nil {
		n.Effect.PauseTx, n.Effect.PauseRx = known(v == "1" || v == "3"), known(v == "2" || v == "3")
		n.Effect.proves("pause", n.Proofs["*FlowControl"])
	}
	if name := n.Kind; name == "virtual adapter" && !n.Speed.IsKnown() {
		set(&n.Speed, "a virtual adapter has no rate of its own")
	}
}

// takeStatistics reads Get-NetAdapterStatistics. Windows counts since the adapter was started.
// Properties: MSFT_NetAdapterStatisticsSettingData; no real output is behind it.
func takeStatistics(f *Facts, o *psObject) {
	n := f.adapter(o)
	if n == nil {
		return
	}
	n.windows()
	keep := func(name string, of ...string) unit.Opt[uint64] {
		sum, found := uint64(0), false
		for _, p := range of {
			if v, ok := o.number(p).Get(); ok {
				sum, found = sum+uint64(v), true
			}
		}
		if !found {
			return unit.Unknown[uint64](of[0] + " is not in the capture")
		}
		if n.Counters == nil {
			n.Counters = map[string]uint64{}
		}
		n.Counters[name] = sum
		return known(sum)
	}
	keep("rx_bytes", "ReceivedBytes")
	keep("tx_bytes", "SentBytes")
	received := keep("rx_packets", "ReceivedUnicastPackets", "ReceivedMulticastPackets", "ReceivedBroadcastPackets")
	sent := keep("tx_packets", "SentUnicastPackets", "SentMulticastPackets", "SentBroadcastPackets")
	for _, c := range []struct {
		what     Counted
		name, of string
		moved    unit.Opt[uint64]
	}{
		{BadFrames, "rx_errors", "ReceivedPacketErrors", received}, {ReceiveDrops, "rx_dropped", "ReceivedDiscardedPackets", received},
		{SendDrops, "tx_dropped", "OutboundDiscardedPackets", sent},
	} {
		if v, ok := keep(c.name, c.of).Get(); ok {
			f.counted(c.what, n.Name, v, c.moved, o.line(c.of))
		}
	}
	keep("tx_errors", "OutboundPacketErrors")
}

// takeVMAdapter reads Get-VMNetworkAdapter: what is asked for a virtual adapter beside what it has.
func takeVMAdapter(f *Facts, o *psObject) {
	name := o.text("Name")
	if name == "" || psCut(name) {
		name = "a virtual adapter"
	}
	w := f.windows()
	w.VirtualRSS = append(w.VirtualRSS, VirtualRSS{
		Name: name, Wanted: o.flag("VrssEnabledRequested"), On: o.flag("VrssEnabled"),
		WantedPairs: o.number("VmmqQueuePairsRequested"), Pairs: o.number("VmmqQueuePairs"),
		RSSProof: f.proof(o.line("VrssEnabled")), VMMQProof: f.proof(o.line("VmmqQueuePairs")),
	})
}
