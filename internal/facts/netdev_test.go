package facts

import (
	"maps"
	"strings"
	"testing"
)

const netDev = `Inter-|   Receive                                                |  Transmit
 face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed
    lo: 5166470 1001    0    0    0     0          0         0  5166470    1001    0    0    0     0       0          0
eth0:18446744073709551615 20 1 2 3 4 5 6 70 80 9 10 11 12 13 14
  a:1:   1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16
`

func TestNetDev(t *testing.T) {
	all, err := ParseNetDev([]byte(netDev))
	if err != nil {
		t.Fatal(err)
	}
	if len(all) != 3 || all["lo"]["rx_bytes"] != 5166470 || all["lo"]["tx_packets"] != 1001 || all["a:1"]["tx_compressed"] != 16 {
		t.Errorf("%v", all)
	}
	want := map[string]uint64{"rx_bytes": 1<<64 - 1, "rx_packets": 20, "rx_errors": 1, "rx_dropped": 2, "rx_fifo_errors": 3, "rx_frame_errors": 4,
		"rx_compressed": 5, "multicast": 6, "tx_bytes": 70, "tx_packets": 80, "tx_errors": 9, "tx_dropped": 10, "tx_fifo_errors": 11,
		"collisions": 12, "tx_carrier_errors": 13, "tx_compressed": 14}
	if !maps.Equal(all["eth0"], want) {
		t.Errorf("%v", all["eth0"])
	}
	for text, says := range map[string]string{"": "names no interface", "eth0 1 2 3\n": "no colon", "eth0: 1 2\n": "2 counters; 16 are needed",
		strings.Replace(netDev, "5166470 1001 ", "-1 1001 ", 1): `rx_bytes of "lo" is "-1"`} {
		if _, err := ParseNetDev([]byte(text)); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v, want %q", text, err, says)
		}
	}
	f, err := Parse([]byte("-- proc/net/dev --\n" + netDev))
	if err != nil || f.NIC("eth0").Counters["tx_dropped"] != 10 {
		t.Errorf("pasted: %v %+v", err, f)
	}
}

func TestTaskStat(t *testing.T) {
	for text, want := range map[string]Task{
		"14 (ksoftirqd/0) S 2 0 0 0 -1 69238848 0 0 0 0 3 8301 0 0 20 0 1 0 18 0 0 18446744073709551615 0 0 0 0 0 0 0 2147483647 0 0 0 0 17 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n": {
			ID: 14, Name: "ksoftirqd/0", Kernel: true, User: 0.03, System: 83.01, Start: 18},
		"9000 (a) b) (c) R 1 9000 9000 0 -1 4194304 100 0 0 0 250 50 0 0 20 0 9 0 77777 1000 5 18446744073709551615 1 1 0 0 0 0 0 0 0 0 0 0 17 1023 0 0 0 0 0\n": {
			ID: 9000, Name: "a) b) (c", User: 2.5, System: 0.5, Start: 77777, Core: 1023},
	} {
		got, err := ParseTaskStat([]byte(text))
		if err != nil || got != want {
			t.Errorf("%+v %v, want %+v", got, err, want)
		}
	}
	for _, text := range []string{"", "1 no name", "x (a) S 1", "1 (a) S 1 2 3", ") 1 (", "1 (a)" + strings.Repeat(" x", 40)} {
		if got, err := ParseTaskStat([]byte(text)); err == nil {
			t.Errorf("%q: %+v", text, got)
		}
	}
}

func FuzzNetDev(f *testing.F) {
	f.Add([]byte(netDev))
	fuzz(f, "proc/net/dev", ParseNetDev, func(t *testing.T, v map[string]map[string]uint64) {
		for name, c := range v {
			if name == "" || len(c) != len(netDevColumns) {
				t.Errorf("%q has %d counters", name, len(c))
			}
		}
	})
}

func FuzzTaskStat(f *testing.F) {
	f.Add([]byte("14 (ksoftirqd/0) S 2 0 0 0 -1 69238848 0 0 0 0 3 8301 0 0 20 0 1 0 18 0 0 1 0 0 0 0 0 0 0 2147483647 0 0 0 0 17 0 0 0\n"))
	fuzz(f, "none", ParseTaskStat, func(t *testing.T, v Task) {
		if v.ID < 0 || v.User < 0 || v.System < 0 || v.Core < 0 {
			t.Errorf("%+v", v)
		}
	})
}
