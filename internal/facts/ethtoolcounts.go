package facts

import (
	"strings"

	"linerate/internal/base/lazyregexp"
	"linerate/internal/base/unit"
)

// counterMeans are the drivers' counters whose meaning is known, by their names in one spelling (see counterName). Several
// drivers use a name, and a driver has several names for overlapping events: the largest counts. Sources: the drivers'
// documentation under https://docs.kernel.org/networking/device_drivers/ethernet/ and their ethtool files.
var counterMeans = map[string]Counted{
	// e1000e, igb, igc, ixgbe, i40e, ice, tg3, bnx2, bnx2x, be2net, mlx4, qede, r8169
	"rx_crc_errors": BadFrames, "rx_frame_errors": BadFrames, "rx_align_errors": BadFrames, "align_errors": BadFrames, "rx_fcs_errors": BadFrames,
	"rx_alignment_symbol_errors": BadFrames, "rx_symbol_errors": BadFrames, "illegal_bytes": BadFrames,
	"rx_crc_errors_phy": BadFrames, "rx_symbol_err_phy": BadFrames, "rx_pcs_symbol_err_phy": BadFrames, // mlx5
	"rx_fcs_err_frames": BadFrames, "rx_align_err_frames": BadFrames, "rx_pcs_symbol_err": BadFrames, // bnxt
	"rx_eth_crc_err": BadFrames, "rx_bad": BadFrames, // sfc
	"mac_rx_fcs_err_pkt_num": BadFrames, "rx_frame_check_sequence_errors": BadFrames, // hns3, nfp
	"rx_fec_uncorrectable_blocks": BadBlocks, "fec_uncorr_block_cnt": BadBlocks, "rx_fec_uncorr_blocks": BadBlocks,

	"rx_missed_errors": NoBuffer, "rx_missed": NoBuffer, "rx_no_buffer_count": NoBuffer, "rx_fifo_errors": NoBuffer, "rx_over_errors": NoBuffer,
	"rx_no_dma_resources": NoBuffer,                              // ixgbe
	"rx_out_of_buffer":    NoBuffer, "rx_discards_phy": NoBuffer, // mlx5: no descriptor; no room in the port's buffer
	"rx_total_ring_discards": NoBuffer, "rx_total_oom_discards": NoBuffer, // bnxt
	"rx_discards": NoBuffer, "rx_fw_discards": NoBuffer, "rx_ftq_discards": NoBuffer, "rx_brb_discard": NoBuffer, "rx_skb_alloc_discard": NoBuffer, // tg3, bnx2, bnx2x
	"rx_drops_no_pbuf": NoBuffer, "rx_drops_no_erx_descr": NoBuffer, "rx_input_fifo_overflow_drop": NoBuffer, "rxpp_fifo_overflow_drop": NoBuffer,
	"pmem_fifo_overflow_drop": NoBuffer,                                                             // be2net
	"rx_nodesc_drops":         NoBuffer, "rx_nodesc_drop_cnt": NoBuffer, "rx_noskb_drops": NoBuffer, // sfc
	"no_buff_discards": NoBuffer, "brb_discards": NoBuffer, // qede
	"rx_bg0_frames_dropped": NoBuffer, "rx_bg1_frames_dropped": NoBuffer, "rx_ovflow0": NoBuffer, "rx_ovflow1": NoBuffer, // cxgb4
	"pkts_rx_oob": NoBuffer, // vmxnet3

	"rx_dropped": ReceiveDrops, "rx_stat_discard": ReceiveDrops, "rx_drops": ReceiveDrops, "drv_dropped_rx_total": ReceiveDrops,
	"tx_dropped": SendDrops, "tx_discards": SendDrops, "tx_discards_phy": SendDrops, "tx_queue_dropped": SendDrops, "tx_stat_discard": SendDrops,
	"drv_dropped_tx_total": SendDrops, "pkts_tx_discard": SendDrops, "tx_drops": SendDrops,

	"rx_pause_ctrl_phy": PauseReceived, "rx_global_pause": PauseReceived, "rx_pause_frames": PauseReceived, "rx_flow_control_xoff": PauseReceived,
	"link_xoff_rx": PauseReceived, "rx_xoff_frames": PauseReceived, "rx_xoff_pause_rcvd": PauseReceived, "rx_pause": PauseReceived,
	"rx_priority_pause_frames": PauseReceived, "rx_prio_pause": PauseReceived, "rx_pfc_frames": PauseReceived, "rx_pfc_ena_frames_pri": PauseReceived, "rx_priority_xoff": PauseReceived,
	"tx_pause_ctrl_phy": PauseSent, "tx_global_pause": PauseSent, "tx_pause_frames": PauseSent, "tx_flow_control_xoff": PauseSent,
	"link_xoff_tx": PauseSent, "tx_xoff_frames": PauseSent, "tx_xoff_sent": PauseSent, "tx_pause": PauseSent, "tx_pauseframes": PauseSent,
	"tx_priority_pauseframes": PauseSent, "tx_prio_pause": PauseSent, "tx_pfc_frames": PauseSent, "tx_pfc_ena_frames_pri": PauseSent, "tx_priority_xoff": PauseSent,

	"link_down_events": LinkDowns, "link_down_events_phy": LinkDowns,
	"rx_ecn_mark": Marked, "rx_ecn_marked": Marked,
	"rx_pci_signal_integrity": BusReplays, "tx_pci_signal_integrity": BusReplays,
}

// Each of these lists is added up, and the largest sum is the frames that moved that way.
var (
	framesReceived = [][]string{{"rx_packets"}, {"rx_packets_phy"}, {"rx_ucast_packets", "rx_mcast_packets", "rx_bcast_packets"},
		{"rx_unicast", "rx_multicast", "rx_broadcast"}, {"rx_good_frames"}, {"rx_total_frames"}, {"rx_frames"}, {"rx_frames_ok"}, {"rx_pkts"}, {"ucast_pkts_rx", "mcast_pkts_rx", "bcast_pkts_rx"}}
	framesSent = [][]string{{"tx_packets"}, {"tx_packets_phy"}, {"tx_ucast_packets", "tx_mcast_packets", "tx_bcast_packets"},
		{"tx_unicast", "tx_multicast", "tx_broadcast"}, {"tx_good_frames"}, {"tx_total_frames"}, {"tx_frames"}, {"tx_frames_ok"}, {"tx_pkts"}, {"ucast_pkts_tx", "mcast_pkts_tx", "bcast_pkts_tx"}}
)

// Of counters of one queue or priority the rest of the name counts: [0]: rx_ucast_packets, rxq0: rx_pkts, rx-0.rx_packets,
// rx_queue_0_packets, rx0_packets, rx_prio3_pause, port.rx_priority_3_xoff.
var queueCounters = []struct {
	form *lazyregexp.Regexp
	name string
}{
	{lazyregexp.New(`^\[\d+\]:? ?(?:rxq|txq)?(?:\d+)?:? ?(.+)$`), "$1"},
	{lazyregexp.New(`^[rt]xq\d+: (.+)$`), "$1"},
	{lazyregexp.New(`^[rt]x-\d+\.(.+)$`), "$1"},
	{lazyregexp.New(`^(rx|tx)_queue_\d+_(.+)$`), "${1}_$2"},
	{lazyregexp.New(`^(rx|tx)\d+_(.+)$`), "${1}_$2"},
	{lazyregexp.New(`^queue_\d+_(rx|tx)_(.+)$`), "${1}_$2"},
	{lazyregexp.New(`^((?:rx|tx)_prio)\d_(pause)$`), "${1}_$2"},
	{lazyregexp.New(`^((?:rx|tx)_priority)_\d_(xoff)$`), "${1}_$2"},
	{lazyregexp.New(`^((?:rx|tx)_pfc_ena_frames_pri)\d$`), "$1"},
}

// counterName is a counter's name in one spelling; part says that it is of one queue or priority.
func counterName(name string) (plain string, part bool) {
	name = strings.ToLower(name)
	name = strings.TrimSuffix(name, ".nic")
	for _, prefix := range []string{"[hw] ", "port.", "port_", "mac."} {
		name = strings.TrimPrefix(name, prefix)
	}
	for _, q := range queueCounters {
		if q.form.MatchString(name) {
			name, part = q.form.ReplaceAllString(name, q.name), true
			break
		}
	}
	return strings.ReplaceAll(name, " ", "_"), part
}

// tallyOf is a counter by its plain name: its own value, or the sum over queues.
type tallyOf struct {
	value, parts, again uint64 // its own, those of queues, and those below several heads
	line                string // of the counter itself, else of the queue with the most
	most                uint64
}

func (t tallyOf) sum() uint64 { return max(t.value, t.parts, t.again) }

// readEthtoolStats reads "ethtool -S X": "     NAME: VALUE" lines, the names being the driver's. A name may hold colons and
// spaces; the value stands behind the last colon. vmxnet3 has a head a queue, below which names come again.
// Format: https://man7.org/linux/man-pages/man8/ethtool.8.html
func readEthtoolStats(f *Facts, args []string, text []byte) error {
	counters, err := parseEthtoolStats(text)
	if err != nil {
		return err
	}
	nic := f.nic(args[0])
	nic.Driven = counters
	all := map[string]tallyOf{}
	var order []string
	for line := range strings.Lines(string(text)) {
		i := strings.LastIndexByte(line, ':')
		if i < 0 {
			continue
		}
		v, ok := number(line[i+1:])
		if !ok {
			continue
		}
		f.drivenClass(nic.Name, strings.TrimSpace(line[:i]), v, line)
		name, part := counterName(strings.TrimSpace(line[:i]))
		t, there := all[name]
		if !there {
			order = append(order, name)
		}
		switch {
		case part:
			t.parts += v
		case name == "rx_queue#" || name == "tx_queue#":
		default:
			t.value = v
			t.again += v
		}
		if !there || v > t.most {
			t.line, t.most = line, v
		}
		all[name] = t
	}
	received, sent := frames(all, framesReceived), frames(all, framesSent)
	best := map[Counted]tallyOf{}
	for _, name := range order {
		what, ok := counterMeans[name]
		if !ok {
			continue
		}
		// One that stands at zero is told, too: it may have moved by the next time.
		if t, have := best[what]; !have || all[name].sum() > t.sum() {
			best[what] = all[name]
		}
	}
	for _, what := range []Counted{BadFrames, BadBlocks, NoBuffer, ReceiveDrops, SendDrops, PauseReceived, PauseSent, LinkDowns, Marked, BusReplays} {
		t, ok := best[what]
		if !ok {
			continue
		}
		of := received
		switch what {
		case SendDrops, PauseSent:
			of = sent
		case LinkDowns:
			of = unit.Unknown[uint64]("links are not lost by frames")
		}
		f.counted(what, nic.Name, t.sum(), of, t.line)
	}
	return nil
}

// frames is the largest of the sums.
func frames(all map[string]tallyOf, lists [][]string) unit.Opt[uint64] {
	var most uint64
	for _, list := range lists {
		var sum uint64
		for _, name := range list {
			sum += all[name].sum()
		}
		most = max(most, sum)
	}
	if most == 0 {
		return unit.Unknown[uint64]("the frames moved are not in this output")
	}
	return known(most)
}
