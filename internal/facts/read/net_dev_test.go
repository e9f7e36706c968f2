package read

import (
	"maps"
	"strings"
	"testing"

	linux "linerate/internal/device/linux/parse"
	"linerate/internal/testenv"
)

const netDev = `Inter-|   Receive                                                |  Transmit
 face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed
    lo: 5166470 1001    0    0    0     0          0         0  5166470    1001    0    0    0     0       0          0
eth0:18446744073709551615 20 1 2 3 4 5 6 70 80 9 10 11 12 13 14
  a:1:   1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16
`

func TestNetDev(t *testing.T) {
	all := testenv.Must(linux.ParseNetDev([]byte(netDev)))(t)
	if len(all) != 3 || all["lo"]["rx_bytes"] != 5166470 || all["lo"]["tx_packets"] != 1001 ||
		all["a:1"]["tx_compressed"] != 16 {
		t.Errorf("%v", all)
	}
	want := map[string]uint64{"rx_bytes": 1<<64 - 1, "rx_packets": 20, "rx_errors": 1, "rx_dropped": 2,
		"rx_fifo_errors": 3, "rx_frame_errors": 4, "rx_compressed": 5, "multicast": 6, "tx_bytes": 70, "tx_packets": 80,
		"tx_errors": 9, "tx_dropped": 10, "tx_fifo_errors": 11, "collisions": 12, "tx_carrier_errors": 13,
		"tx_compressed": 14}
	if !maps.Equal(all["eth0"], want) {
		t.Errorf("%v", all["eth0"])
	}
	for text, says := range map[string]string{"": "names no interface", "eth0 1 2 3\n": "no colon",
		"eth0: 1 2\n": "2 counters; 16 are needed",
		strings.Replace(netDev, "5166470 1001 ", "-1 1001 ", 1): `rx_bytes of "lo" is "-1"`} {
		if _, err := linux.ParseNetDev([]byte(text)); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v, want %q", text, err, says)
		}
	}
	f, err := Parse([]byte("-- proc/net/dev --\n" + netDev))
	if err != nil || f.NIC("eth0").Counters["tx_dropped"] != 10 {
		t.Errorf("pasted: %v %+v", err, f)
	}
}
