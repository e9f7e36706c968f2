package ethtool

import (
	"linerate/internal/base/lazyregexp"
	"linerate/internal/facts"
	"linerate/internal/facts/parse"
)

// drivenClasses are the counters of one priority in "ethtool -S" with a known meaning; the digit is the priority. The
// first of several with one meaning counts. Snapshots: mlx5 and bnxt bytes, bnxt and Intel pauses. Without one: mlx5's
// pauses, discards and marks (https://docs.kernel.org/networking/device_drivers/ethernet/mellanox/mlx5/counters.html),
// mlx4 (en_ethtool.c), hns3 (hclge_main.c), ixgbe (ixgbe_ethtool.c), cxgb4 (cxgb4_ethtool.c).
//
// i40e's veb.tc_N and bnxt's _cosN are missing, because they are of traffic classes and queues of the adapter, not of
// priorities.
var drivenClasses = []struct {
	form *lazyregexp.Regexp
	what facts.ClassCounted
}{
	{lazyregexp.New(`^tx_prio_?(\d)_bytes$`), facts.ClassBytesSent}, // mlx5, mlx4
	{lazyregexp.New(`^rx_prio_?(\d)_bytes$`), facts.ClassBytesReceived},
	{lazyregexp.New(`^tx_bytes_pri(\d)$`), facts.ClassBytesSent}, // bnxt
	{lazyregexp.New(`^rx_bytes_pri(\d)$`), facts.ClassBytesReceived},
	{lazyregexp.New(`^tx_prio(\d)_pause$`), facts.ClassPauseSent}, // mlx5
	{lazyregexp.New(`^rx_prio(\d)_pause$`), facts.ClassPauseReceived},
	{lazyregexp.New(`^tx_pause_prio_(\d)$`), facts.ClassPauseSent}, // mlx4
	{lazyregexp.New(`^rx_pause_prio_(\d)$`), facts.ClassPauseReceived},
	{lazyregexp.New(`^tx_pfc_ena_frames_pri(\d)$`), facts.ClassPauseSent}, // bnxt
	{lazyregexp.New(`^rx_pfc_ena_frames_pri(\d)$`), facts.ClassPauseReceived},
	{lazyregexp.New(`^(?:port\.)?tx_priority_(\d)_xoff(?:_tx)?(?:\.nic)?$`), facts.ClassPauseSent}, // i40e, ice
	{lazyregexp.New(`^(?:port\.)?rx_priority_(\d)_xoff(?:_rx)?(?:\.nic)?$`), facts.ClassPauseReceived},
	{lazyregexp.New(`^tx_pb_(\d)_pxoff$`), facts.ClassPauseSent}, // ixgbe
	{lazyregexp.New(`^rx_pb_(\d)_pxoff$`), facts.ClassPauseReceived},
	{lazyregexp.New(`^mac_tx_pfc_pri(\d)_pkt_num$`), facts.ClassPauseSent}, // hns3
	{lazyregexp.New(`^mac_rx_pfc_pri(\d)_pkt_num$`), facts.ClassPauseReceived},
	{lazyregexp.New(`^tx_ppp_?(\d)$`), facts.ClassPauseSent}, // cxgb4
	{lazyregexp.New(`^rx_ppp_?(\d)$`), facts.ClassPauseReceived},
	{lazyregexp.New(`^rx_prio(\d)_discards$`), facts.ClassReceiveDrops}, // mlx5
	{lazyregexp.New(`^rx_prio(\d)_marked$`), facts.ClassMarked},
}

// drivenClass stores a driver's counter, if it is one of a priority.
func drivenClass(f *parse.Builder, subject, name string, value uint64, line string) {
	for _, d := range drivenClasses {
		if m := d.form.FindStringSubmatch(name); m != nil && m[1][0] < '8' {
			f.ClassCounted(d.what, subject, int(m[1][0]-'0'), value, line)
			return
		}
	}
}
