package read

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"linerate/internal/facts"
)

// class returns a counter of one class; false: it does not exist.
func class(f *facts.Facts, what facts.ClassCounted, subject string, of int) (uint64, bool) {
	for _, c := range f.ClassCounts {
		if c.What == what && c.Subject == subject && c.Class == of {
			return c.Value, true
		}
	}
	return 0, false
}

func keptText(t *testing.T, name, text string) *facts.Facts {
	t.Helper()
	kept, not := FromKept("x", map[string][]byte{name: []byte(text)}, []string{name})
	f, err := Parse(kept)
	if err != nil || len(not) > 0 {
		t.Fatal(err, not)
	}
	return f
}

// TestDrivenClasses reads each driver's own names, with a similar counter that is of a queue or another unit.
func TestDrivenClasses(t *testing.T) {
	for _, x := range []struct {
		line  string
		what  facts.ClassCounted
		class int
	}{
		{"tx_prio3_bytes: 7", facts.ClassBytesSent, 3}, {"rx_prio0_bytes: 7", facts.ClassBytesReceived, 0},
		{"rx_prio_5_bytes: 7", facts.ClassBytesReceived, 5},
		{"tx_bytes_pri3: 7", facts.ClassBytesSent, 3}, {"rx_prio3_pause: 7", facts.ClassPauseReceived, 3},
		{"tx_pause_prio_3: 7", facts.ClassPauseSent, 3},
		{"rx_pfc_ena_frames_pri6: 7", facts.ClassPauseReceived, 6}, {"port.tx_priority_3_xoff: 7", facts.ClassPauseSent, 3},
		{"port.rx_priority_3_xoff_rx: 7", facts.ClassPauseReceived, 3},
		{"tx_priority_3_xoff.nic: 7", facts.ClassPauseSent, 3}, {"tx_pb_3_pxoff: 7", facts.ClassPauseSent, 3},
		{"mac_rx_pfc_pri3_pkt_num: 7", facts.ClassPauseReceived, 3},
		{"rx_ppp3: 7", facts.ClassPauseReceived, 3}, {"rx_prio3_discards: 7", facts.ClassReceiveDrops, 3},
		{"rx_prio3_marked: 7", facts.ClassMarked, 3},
	} {
		f := keptText(t, "ethtool -S e1", "NIC statistics:\n     rx_packets: 9\n     "+x.line+"\n")
		if v, ok := class(f, x.what, "e1", x.class); !ok || v != 7 || len(f.ClassCounts) != 1 {
			t.Errorf("%s: %+v", x.line, f.ClassCounts)
		}
	}
	f := keptText(t, "ethtool -S e1", "NIC statistics:\n     veb.tc_3_tx_bytes: 1\n     tx_bytes_cos3: 1\n     "+
		"tx_prio3_packets: 1\n     tx_prio8_bytes: 1\n     rx_prio3_pause_duration: 1\n     port.tx_priority_3_xon: 1\n")
	if len(f.ClassCounts) > 0 {
		t.Errorf("these are not counters of a priority: %+v", f.ClassCounts)
	}
}

// TestClassSnapshots reads the collection's outputs, if it is next to the project: real adapters and switches with
// their counters.
func TestClassSnapshots(t *testing.T) {
	const root = "../../../../shared/captures/"
	if _, err := os.Stat(root); err != nil {
		t.Skip("no collection of snapshots next to the project")
	}
	for _, x := range []struct {
		file, as, subject string
		what              facts.ClassCounted
		class             int
		value             uint64
	}{
		{"linux/ethtool-S-prio--byteps-179.txt", "ethtool -S enp178s0f0", "enp178s0f0", facts.ClassBytesReceived, 0,
			88034564921216},
		{"linux/ethtool-S-prio--byteps-179.txt", "ethtool -S enp178s0f0", "enp178s0f0", facts.ClassBytesSent, 3, 0},
		{"linux/ethtool-S--ethq-mlx5_core.txt", "ethtool -S e1", "e1", facts.ClassBytesSent, 3, 0},
		{"linux/ethtool-S--ethq-bnxt_en.txt", "ethtool -S e1", "e1", facts.ClassPauseReceived, 3, 0},
		{"linux/ethtool-S--ethq-i40e-v2.3.2k.txt", "ethtool -S e1", "e1", facts.ClassPauseSent, 3, 0},
		{"linux/ethtool-S--ethq-ice.txt", "ethtool -S e1", "e1", facts.ClassPauseReceived, 3, 0},
		{"freebsd/hosts/bsdrp-hp-t5/sysctl-dev-cxl-0-stats--cut.txt", "", "cxl0", facts.ClassPauseReceived, 3, 0},
		{"sonic/show-pfc-counters-tx--buildimage-9430.txt", "", "Ethernet6", facts.ClassPauseSent, 3, 15437},
		{"routeros/interface-ethernet-switch-qos-port-print-stats--manual-drop.txt", "", "ether2", facts.ClassBytesSent, 3,
			1174932},
		{"routeros/interface-ethernet-switch-qos-port-print-stats--manual-drop.txt", "", "ether2", facts.ClassSendDrops, 1,
			1799},
		{"routeros/interface-ethernet-switch-qos-port-print-stats--manual-drop.txt", "", "ether2", facts.ClassSendDrops, 3,
			0},
		{"routeros/interface-ethernet-switch-qos-port-print-pfc--manual-crs812.txt", "", "sfp56-5",
			facts.ClassPauseReceived, facts.AllClasses, 287},
	} {
		text, err := os.ReadFile(filepath.FromSlash(root + x.file))
		if err != nil {
			t.Error(err)
			continue
		}
		name := x.file
		if x.as != "" {
			name = x.as
		}
		if v, ok := class(keptText(t, name, string(text)), x.what, x.subject, x.class); !ok || v != x.value {
			t.Errorf("%s: %s of class %d of %s: %d %v, want %d", x.file, x.what, x.class, x.subject, v, ok, x.value)
		}
	}
}

func TestSwitchClasses(t *testing.T) {
	f := keptText(t, "show queue counters", strings.Join([]string{
		"     Port    TxQ    Counter/pkts    Counter/bytes    Drop/pkts    Drop/bytes",
		"---------  -----  --------------  ---------------  -----------  ------------",
		"Ethernet0    UC3       1,000,000    1,000,000,000            0             0",
		"Ethernet0    MC3               5              400            9           900", ""}, "\n"))
	if v, ok := class(f, facts.ClassBytesSent, "Ethernet0", 3); !ok || v != 1e9 {
		t.Errorf("bytes %d %v", v, ok)
	}
	if v, ok := class(f, facts.ClassSendDrops, "Ethernet0", 3); !ok || v != 0 {
		t.Errorf("drops %d %v: a queue at 0 is kept, one of multicasts is another", v, ok)
	}
	f = keptText(t, "show priority-flow-control counters", "Port  RxPfc   TxPfc\nEt1/1    0      12\n")
	if v, ok := class(f, facts.ClassPauseSent, "Ethernet1/1", facts.AllClasses); !ok || v != 12 {
		t.Errorf("pauses %+v", f.ClassCounts)
	}
}
