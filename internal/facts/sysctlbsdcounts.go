package facts

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"linerate/internal/base/lazyregexp"
	"linerate/internal/base/unit"
)

// bsdCounter is "dev.cxl.0.stats.rx_ovflow0", "dev.mce.0.pstats.prio3_rx_pause", "hw.mlxen0.stat.rx_errors": of the whole port. Those of
// single queues are left out, for they are in the port's.
var bsdCounter = lazyregexp.New(`^(?:dev\.([a-z]\w*?)\.(\d+)|hw\.([a-z]\w*?\d+))\.(?:(?:\w+\.)*(?:stats|pstats|vstats|mac_stats|stat|mac|port_stats|pf))\.(\w+)$`)

// bsdCounters are the last words of counters' names, and what they count. Captured of cxl alone (rx_ovflowN, tx_pause, rx_pppN, frames by
// length). Looked up in FreeBSD's sources: of mlx5 (sys/dev/mlx5/mlx5_en/en.h) frames_rx and _tx, check_seq_err, symbol_err, pause_ctrl_rx and
// _tx, prioN_rx_pause and _tx_pause, prioN_rx_discards, in_discards, out_discards; of Intel's (sys/dev: ixgbe, ixl, e1000) xoff_recvd and xoff_txd.
// The others, mlx4's among them, are as manuals and posts print them, and were not looked up. What mlx5 counts by RFC 2819 (crc_align_errors)
// is in check_seq_err already.
var bsdCounters = []struct {
	name *lazyregexp.Regexp
	what Counted
}{
	{lazyregexp.New(`^(?:crc_errs|rx_fcs_err|rx_symbol_err|crc_errors|rx_crc_errors|check_seq_err|symbol_err|rx_crc_align_errors)$`), BadFrames},
	{lazyregexp.New(`^(?:rx_missed_packets|missed_packets|recv_no_buff|rx_ovflow\d|rx_out_of_buffer|rx_over_errors)$`), NoBuffer},
	{lazyregexp.New(`^(?:in_discards|rx_discards|rx_dropped|rx_drop_events|prio\d_rx_discards)$`), ReceiveDrops},
	{lazyregexp.New(`^(?:tx_queue_dropped|out_discards|tx_dropped|tx_drop)$`), SendDrops},
	{lazyregexp.New(`^(?:xoff_recvd|rx_pause|rx_ppp\d|pause_ctrl_rx|prio\d_rx_pause)$`), PauseReceived},
	{lazyregexp.New(`^(?:xoff_txd|tx_pause|tx_ppp\d|pause_ctrl_tx|prio\d_tx_pause)$`), PauseSent},
	{lazyregexp.New(`^link_down_events$`), LinkDowns},
}

// The frames moved, by the same place in a counter's name: of these the first that is there, else the sum of the frames by their length.
var (
	bsdMovedIn  = []string{"rx_frames", "total_pkts_rcvd", "total_pkts_recvd", "good_pkts_rcvd", "good_pkts_recvd", "frames_rx", "frames_received_ok", "rx_packets"}
	bsdMovedOut = []string{"tx_frames", "total_pkts_txd", "good_pkts_txd", "frames_tx", "frames_transmitted_ok", "tx_packets"}
	bsdLength   = lazyregexp.New(`^(rx|tx)_frames_\d+(?:_\d+|_max)?$`)
)

// bsdCounts stores the counters of cards.
func (f *Facts) bsdCounts(values []bsdValue) {
	type counter struct {
		what  Counted
		value uint64
		line  string
	}
	found := map[string][]counter{}
	moved := map[string]map[string]uint64{} // by interface and name
	for _, v := range values {
		m := bsdCounter.FindStringSubmatch(v.name)
		if m == nil {
			continue
		}
		n, err := strconv.ParseUint(v.value, 10, 64)
		if err != nil {
			continue
		}
		nic, last := m[1]+m[2]+m[3], m[4]
		f.bsdClass(nic, last, n, v.line)
		for _, c := range bsdCounters {
			if c.name.MatchString(last) {
				found[nic] = append(found[nic], counter{c.what, n, v.line})
			}
		}
		if moved[nic] == nil {
			moved[nic] = map[string]uint64{}
		}
		if s := bsdLength.FindStringSubmatch(last); s != nil {
			moved[nic][s[1]+" by length"] += n
		}
		moved[nic][last] = max(moved[nic][last], n)
	}
	for _, nic := range slices.Sorted(maps.Keys(found)) {
		for _, c := range found[nic] {
			f.counted(c.what, nic, c.value, bsdMoved(moved[nic], c.what), c.line)
		}
	}
}

// bsdMoved are the frames that were moved the same way as what is counted.
func bsdMoved(of map[string]uint64, what Counted) unit.Opt[uint64] {
	names, sum := bsdMovedIn, "rx by length"
	if what == SendDrops || what == PauseSent || what == QueueDrops {
		names, sum = bsdMovedOut, "tx by length"
	}
	for _, n := range slices.Concat(names, []string{sum}) {
		if v := of[n]; v > 0 {
			return known(v)
		}
	}
	return unit.Unknown[uint64]("no counter of " + strings.TrimSuffix(sum, " by length") + " frames is in the capture")
}
