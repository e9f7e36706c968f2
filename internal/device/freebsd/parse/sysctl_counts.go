package parse

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"linerate/internal/base/lazyregexp"
	"linerate/internal/base/unit"
	"linerate/internal/facts"
	"linerate/internal/facts/parse"
)

// bsdCounter is "dev.cxl.0.stats.rx_ovflow0", "dev.mce.0.pstats.prio3_rx_pause", "hw.mlxen0.stat.rx_errors": of the
// whole port. Counters of single queues are ignored, because the port's include them.
var bsdCounter = lazyregexp.New(`^(?:dev\.([a-z]\w*?)\.(\d+)|hw\.([a-z]\w*?\d+))\.(?:(?:\w+\.)*(?:stats|pstats|vstats|mac_stats|stat|mac|port_stats|pf))\.(\w+)$`)

// bsdCounters are the last words of counters' names, and what they count. Snapshots have only those of cxl (rx_ovflowN,
// tx_pause, rx_pppN, frames by length). From FreeBSD's sources: of mlx5 (sys/dev/mlx5/mlx5_en/en.h) frames_rx and _tx,
// check_seq_err, symbol_err, pause_ctrl_rx and _tx, prioN_rx_pause and _tx_pause, prioN_rx_discards, in_discards,
// out_discards; of Intel's (sys/dev: ixgbe, ixl, e1000) xoff_recvd and xoff_txd. The others, such as mlx4's, are from
// manuals and posts, and were not checked. mlx5's RFC 2819 counter crc_align_errors is part of check_seq_err.
var bsdCounters = []struct {
	name *lazyregexp.Regexp
	what facts.Counted
}{
	{
		lazyregexp.New(`^(?:crc_errs|rx_fcs_err|rx_symbol_err|crc_errors|rx_crc_errors|check_seq_err|symbol_err|rx_crc_align_errors)$`),
		facts.BadFrames,
	},
	{lazyregexp.New(`^(?:rx_missed_packets|missed_packets|recv_no_buff|rx_ovflow\d|rx_out_of_buffer|rx_over_errors)$`),
		facts.NoBuffer},
	{lazyregexp.New(`^(?:in_discards|rx_discards|rx_dropped|rx_drop_events|prio\d_rx_discards)$`), facts.ReceiveDrops},
	{lazyregexp.New(`^(?:tx_queue_dropped|out_discards|tx_dropped|tx_drop)$`), facts.SendDrops},
	{lazyregexp.New(`^(?:xoff_recvd|rx_pause|rx_ppp\d|pause_ctrl_rx|prio\d_rx_pause)$`), facts.PauseReceived},
	{lazyregexp.New(`^(?:xoff_txd|tx_pause|tx_ppp\d|pause_ctrl_tx|prio\d_tx_pause)$`), facts.PauseSent},
	{lazyregexp.New(`^link_down_events$`), facts.LinkDowns},
}

// Counters of moved frames, with the same prefix: the first that exists, else the sum of the frames by length.
var (
	bsdMovedIn = []string{"rx_frames", "total_pkts_rcvd", "total_pkts_recvd", "good_pkts_rcvd", "good_pkts_recvd",
		"frames_rx", "frames_received_ok", "rx_packets"}
	bsdMovedOut = []string{"tx_frames", "total_pkts_txd", "good_pkts_txd", "frames_tx", "frames_transmitted_ok",
		"tx_packets"}
	bsdLength = lazyregexp.New(`^(rx|tx)_frames_\d+(?:_\d+|_max)?$`)
)

// bsdCounts stores the counters of adapters.
func bsdCounts(f *parse.Builder, values []bsdValue) {
	type counter struct {
		what  facts.Counted
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
		bsdClass(f, nic, last, n, v.line)
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
			f.Counted(c.what, nic, c.value, bsdMoved(moved[nic], c.what), c.line)
		}
	}
}

// bsdMoved returns the frames that moved in the direction of the counter.
func bsdMoved(of map[string]uint64, what facts.Counted) unit.Opt[uint64] {
	names, sum := bsdMovedIn, "rx by length"
	if what == facts.SendDrops || what == facts.PauseSent || what == facts.QueueDrops {
		names, sum = bsdMovedOut, "tx by length"
	}
	for _, n := range slices.Concat(names, []string{sum}) {
		if v := of[n]; v > 0 {
			return unit.Known(v)
		}
	}
	return unit.Unknown[uint64]("no counter of " + strings.TrimSuffix(sum, " by length") + " frames is in the snapshot")
}
