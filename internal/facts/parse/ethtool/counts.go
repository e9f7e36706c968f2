package ethtool

import (
	"strings"

	"linerate/internal/base/lazyregexp"
	"linerate/internal/base/unit"
	"linerate/internal/base/xslices"
	"linerate/internal/facts"
	"linerate/internal/facts/parse"
)

// counterMeans are the drivers' counters with a known meaning, by their normalized names (see counterName). Several
// drivers use one name, and a driver has several names for overlapping events: the largest counts. Sources: the
// drivers' documentation under https://docs.kernel.org/networking/device_drivers/ethernet/ and their ethtool files.
var counterMeans = map[string]facts.Counted{
	// e1000e, igb, igc, ixgbe, i40e, ice, tg3, bnx2, bnx2x, be2net, mlx4, qede, r8169
	"rx_crc_errors": facts.BadFrames, "rx_frame_errors": facts.BadFrames, "rx_align_errors": facts.BadFrames,
	"align_errors": facts.BadFrames, "rx_fcs_errors": facts.BadFrames,
	"rx_alignment_symbol_errors": facts.BadFrames, "rx_symbol_errors": facts.BadFrames, "illegal_bytes": facts.BadFrames,
	// mlx5
	"rx_crc_errors_phy": facts.BadFrames, "rx_symbol_err_phy": facts.BadFrames, "rx_pcs_symbol_err_phy": facts.BadFrames,
	// bnxt
	"rx_fcs_err_frames": facts.BadFrames, "rx_align_err_frames": facts.BadFrames, "rx_pcs_symbol_err": facts.BadFrames,
	"rx_eth_crc_err": facts.BadFrames, "rx_bad": facts.BadFrames, // sfc
	"mac_rx_fcs_err_pkt_num": facts.BadFrames, "rx_frame_check_sequence_errors": facts.BadFrames, // hns3, nfp
	"rx_fec_uncorrectable_blocks": facts.BadBlocks, "fec_uncorr_block_cnt": facts.BadBlocks,
	"rx_fec_uncorr_blocks": facts.BadBlocks,

	"rx_missed_errors": facts.NoBuffer, "rx_missed": facts.NoBuffer, "rx_no_buffer_count": facts.NoBuffer,
	"rx_fifo_errors": facts.NoBuffer, "rx_over_errors": facts.NoBuffer,
	"rx_no_dma_resources": facts.NoBuffer, // ixgbe
	// mlx5: no descriptor; no room in the port's buffer
	"rx_out_of_buffer": facts.NoBuffer, "rx_discards_phy": facts.NoBuffer,
	"rx_total_ring_discards": facts.NoBuffer, "rx_total_oom_discards": facts.NoBuffer, // bnxt
	"rx_discards": facts.NoBuffer, "rx_fw_discards": facts.NoBuffer, "rx_ftq_discards": facts.NoBuffer,
	"rx_brb_discard": facts.NoBuffer, "rx_skb_alloc_discard": facts.NoBuffer, // tg3, bnx2, bnx2x
	"rx_drops_no_pbuf": facts.NoBuffer, "rx_drops_no_erx_descr": facts.NoBuffer,
	"rx_input_fifo_overflow_drop": facts.NoBuffer, "rxpp_fifo_overflow_drop": facts.NoBuffer,
	// be2net
	"pmem_fifo_overflow_drop": facts.NoBuffer,
	// sfc
	"rx_nodesc_drops": facts.NoBuffer, "rx_nodesc_drop_cnt": facts.NoBuffer, "rx_noskb_drops": facts.NoBuffer,
	"no_buff_discards": facts.NoBuffer, "brb_discards": facts.NoBuffer, // qede
	"rx_bg0_frames_dropped": facts.NoBuffer, "rx_bg1_frames_dropped": facts.NoBuffer, "rx_ovflow0": facts.NoBuffer,
	"rx_ovflow1":  facts.NoBuffer, // cxgb4
	"pkts_rx_oob": facts.NoBuffer, // vmxnet3

	"rx_dropped": facts.ReceiveDrops, "rx_stat_discard": facts.ReceiveDrops, "rx_drops": facts.ReceiveDrops,
	"drv_dropped_rx_total": facts.ReceiveDrops,
	"tx_dropped":           facts.SendDrops, "tx_discards": facts.SendDrops, "tx_discards_phy": facts.SendDrops,
	"tx_queue_dropped": facts.SendDrops, "tx_stat_discard": facts.SendDrops,
	"drv_dropped_tx_total": facts.SendDrops, "pkts_tx_discard": facts.SendDrops, "tx_drops": facts.SendDrops,

	"rx_pause_ctrl_phy": facts.PauseReceived, "rx_global_pause": facts.PauseReceived,
	"rx_pause_frames": facts.PauseReceived, "rx_flow_control_xoff": facts.PauseReceived,
	"link_xoff_rx": facts.PauseReceived, "rx_xoff_frames": facts.PauseReceived,
	"rx_xoff_pause_rcvd": facts.PauseReceived, "rx_pause": facts.PauseReceived,
	"rx_priority_pause_frames": facts.PauseReceived, "rx_prio_pause": facts.PauseReceived,
	"rx_pfc_frames": facts.PauseReceived, "rx_pfc_ena_frames_pri": facts.PauseReceived,
	"rx_priority_xoff":  facts.PauseReceived,
	"tx_pause_ctrl_phy": facts.PauseSent, "tx_global_pause": facts.PauseSent, "tx_pause_frames": facts.PauseSent,
	"tx_flow_control_xoff": facts.PauseSent,
	"link_xoff_tx":         facts.PauseSent, "tx_xoff_frames": facts.PauseSent, "tx_xoff_sent": facts.PauseSent,
	"tx_pause": facts.PauseSent, "tx_pauseframes": facts.PauseSent,
	"tx_priority_pauseframes": facts.PauseSent, "tx_prio_pause": facts.PauseSent, "tx_pfc_frames": facts.PauseSent,
	"tx_pfc_ena_frames_pri": facts.PauseSent, "tx_priority_xoff": facts.PauseSent,

	"link_down_events": facts.LinkDowns, "link_down_events_phy": facts.LinkDowns,
	"rx_ecn_mark": facts.Marked, "rx_ecn_marked": facts.Marked,
	"rx_pci_signal_integrity": facts.BusReplays, "tx_pci_signal_integrity": facts.BusReplays,
}

// Each of these lists is added up, and the largest sum is the frames in that direction.
var (
	framesReceived = [][]string{{"rx_packets"}, {"rx_packets_phy"},
		{"rx_ucast_packets", "rx_mcast_packets", "rx_bcast_packets"},
		{"rx_unicast", "rx_multicast", "rx_broadcast"}, {"rx_good_frames"}, {"rx_total_frames"}, {"rx_frames"},
		{"rx_frames_ok"}, {"rx_pkts"}, {"ucast_pkts_rx", "mcast_pkts_rx", "bcast_pkts_rx"}}
	framesSent = [][]string{{"tx_packets"}, {"tx_packets_phy"},
		{"tx_ucast_packets", "tx_mcast_packets", "tx_bcast_packets"},
		{"tx_unicast", "tx_multicast", "tx_broadcast"}, {"tx_good_frames"}, {"tx_total_frames"}, {"tx_frames"},
		{"tx_frames_ok"}, {"tx_pkts"}, {"ucast_pkts_tx", "mcast_pkts_tx", "bcast_pkts_tx"}}
)

// Names of counters of one queue or priority, with the rest of the name in a group: [0]: rx_ucast_packets, rxq0:
// rx_pkts, rx-0.rx_packets, rx_queue_0_packets, rx0_packets, rx_prio3_pause, port.rx_priority_3_xoff.
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

// counterName normalizes a counter's name; part reports that it is of one queue or priority.
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

// tallyOf is a counter by its normalized name: its own value, or the sum over queues.
type tallyOf struct {
	value, parts, again uint64 // its own, the sum of queues, and the sum below repeated headers
	line                string // of the counter itself, else of the queue with the most
	most                uint64
}

func (t tallyOf) sum() uint64 { return max(t.value, t.parts, t.again) }

// readEthtoolStats reads "ethtool -S X": "     NAME: VALUE" lines with the driver's names. A name may contain colons
// and spaces; the value follows the last colon. vmxnet3 has a header per queue, below which names repeat. Format:
// https://man7.org/linux/man-pages/man8/ethtool.8.html
func readEthtoolStats(f *parse.Builder, args []string, text []byte) error {
	counters, err := parseEthtoolStats(text)
	if err != nil {
		return err
	}
	nic := f.Interface(args[0])
	nic.Driven = counters
	all := map[string]tallyOf{}
	var order []string
	for line := range strings.Lines(string(text)) {
		i := strings.LastIndexByte(line, ':')
		if i < 0 {
			continue
		}
		v, ok := parse.Number(line[i+1:])
		if !ok {
			continue
		}
		drivenClass(f, nic.Name, strings.TrimSpace(line[:i]), v, line)
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
	best := map[facts.Counted]tallyOf{}
	for _, name := range order {
		what, ok := counterMeans[name]
		if !ok {
			continue
		}
		// Zero is kept, too: it may have grown by the next time.
		if t, have := best[what]; !have || all[name].sum() > t.sum() {
			best[what] = all[name]
		}
	}
	for _, what := range []facts.Counted{facts.BadFrames, facts.BadBlocks, facts.NoBuffer, facts.ReceiveDrops,
		facts.SendDrops, facts.PauseReceived, facts.PauseSent, facts.LinkDowns, facts.Marked, facts.BusReplays} {
		t, ok := best[what]
		if !ok {
			continue
		}
		of := received
		switch what {
		case facts.SendDrops, facts.PauseSent:
			of = sent
		case facts.LinkDowns:
			of = unit.Unknown[uint64]("links are not lost by frames")
		}
		f.Counted(what, nic.Name, t.sum(), of, t.line)
	}
	return nil
}

// frames returns the largest of the sums.
func frames(all map[string]tallyOf, lists [][]string) unit.Opt[uint64] {
	var most uint64
	for _, list := range lists {
		sum := xslices.Sum(list, func(name string) uint64 { return all[name].sum() })
		most = max(most, sum)
	}
	if most == 0 {
		return unit.Unknown[uint64]("the frames moved are not in this output")
	}
	return unit.Known(most)
}
