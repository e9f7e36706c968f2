package facts

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"linerate/internal/base/unit"
)

func readWire(t *testing.T) *Facts {
	t.Helper()
	text, err := os.ReadFile("testdata/wire.txtar")
	if err != nil {
		t.Fatal(err)
	}
	f, err := Parse(text)
	if err != nil || len(f.Unknown) > 0 {
		t.Fatal(err, f.Unknown)
	}
	return f
}

// Samples of the shape of real outputs: the modes of jc's, FEC with lanes of a commit, QSFP28 of a switch's port, counters of
// mlx5 and bnx2x, a bond of insights-core.
func TestWire(t *testing.T) {
	f := readWire(t)
	n := f.NIC("e1")
	w := n.Wire
	if len(w.Supported) != 3 || len(w.Advertised) != 2 || len(w.Partner) != 1 || Fastest(w.Offered()) != 25e9 || w.Lanes.Or(0) != 1 || !w.Autoneg.Or(false) ||
		w.Port != "Direct Attach Copper" || n.Speed.Or(0) != 10e9 || !n.Carrier.Or(false) || n.Master != "bond0" || n.MTU != 9000 || n.Standby {
		t.Errorf("%+v", n)
	}
	if w.FEC.InEffect() != "RS" || strings.Join(w.FEC.Configured, " ") != "Auto None RS BaseR" || w.Pause.Send.Or(true) || !w.Pause.Autoneg.Or(false) ||
		w.Rings.Receive.Or(0) != 1024 || w.Rings.ReceiveMax.Or(0) != 8192 || w.Coalesce["rx-usecs"] != 8 || w.Coalesce["adaptive-rx"] != 1 || !w.Flags["rx_striding_rq"] || w.Flags["rx_cqe_compress"] {
		t.Errorf("%+v %+v %+v %+v %v", w.FEC, w.Pause, w.Rings, w.Coalesce, w.Flags)
	}
	o := w.Optic
	if o.Form != "QSFP28" || o.Part != "SR4" || o.Copper || o.Length != "" || len(o.Lanes) != 2 || o.Lanes[1].Send.Or(0) != -60 || o.Lanes[1].Receive.Or(0) != -0.09 || o.Temperature.Or(0) != 30.56 ||
		len(o.Raised) != 2 || o.Limits["temperature"].HighAlarm.Or(0) != 80 || o.Limits["send"].LowAlarm.Or(0) != -11.4 || o.Limits["receive"].LowWarning.Or(0) != -10.3 || o.Limits["voltage"].LowAlarm.IsKnown() {
		t.Errorf("%+v", o)
	}
	if e2 := f.NIC("e2"); !e2.Standby || e2.Carrier.Or(true) || e2.Speed.IsKnown() || e2.Wire.Supported != nil {
		t.Errorf("%+v", e2)
	}
	if v := f.NIC("e1.7"); v.Kind != "vlan" || v.Lower != "e1" {
		t.Errorf("%+v", v)
	}
}

// Each counter has its meaning and the frames moved the same way, of a driver's names, of queues added up, of the kernel's.
func TestCounts(t *testing.T) {
	f := readWire(t)
	for _, want := range []struct {
		what    Counted
		subject string
		value   uint64
		of      uint64 // 0: not known
		line    string
	}{
		{ReceiveDrops, "e1", 505436, 45171801, "6539676111 45171801 12 505436 77 0"},
		{NoBuffer, "e1", 77, 45171801, "6539676111 45171801 12 505436 77 0"},
		{BadFrames, "e1", 12, 45171801, "6539676111 45171801 12 505436 77 0"},
		{SendDrops, "e1", 4, 21839778, "3288089549 21839778 0 4 0 0"},
		{LinkDowns, "e2", 120, 0, "bond_slave state BACKUP mii_status DOWN link_failure_count 120 perm_hwaddr 02:00:00:00:00:02 queue_id 0"},
		{BadBlocks, "e1", 145, 45171801, "uncorrectable_blocks: 145"},
		{NoBuffer, "e1", 4000000, 845320277, "rx_discards_phy: 4000000"},
		{BadFrames, "e1", 9, 845320277, "rx_symbol_err_phy: 9"},
		{SendDrops, "e1", 7, 896117891, "tx_discards_phy: 7"},
		{PauseReceived, "e1", 1500, 845320277, "rx_prio3_pause: 1000"},
		{PauseSent, "e1", 12, 896117891, "tx_global_pause: 12"},
		{LinkDowns, "e1", 101, 0, "link_down_events_phy: 101"},
		{BusReplays, "e1", 34, 845320277, "rx_pci_signal_integrity: 34"},
		{NoBuffer, "e4", 16, 300, "[1]: rx_discards: 9"},
		{BacklogDrops, "", 24, 0x358fe3 + 32 + 24, "00000010 00000008 00000000 00000000 00000000 00000000 00000000 00000000 00000000 000855fc"},
		{ReceiveDrops, "e5", 2, 245, "e5 1500 245 1 2 3 197 4 5 6 BMRU"},
		{NoBuffer, "e5", 3, 245, "e5 1500 245 1 2 3 197 4 5 6 BMRU"},
	} {
		i := slices.IndexFunc(f.Counts, func(c Count) bool {
			return c.What == want.what && c.Subject == want.subject && c.Value == want.value && strings.Join(strings.Fields(c.Line), " ") == want.line
		})
		if i < 0 || f.Counts[i].Of.Or(0) != want.of || f.Counts[i].Of.IsKnown() != (want.of > 0) {
			t.Errorf("%+v is not among %s", want, counted(f, want.what, want.subject))
		}
	}
}

func counted(f *Facts, what Counted, subject string) (out string) {
	for _, c := range f.Counts {
		if c.What == what && c.Subject == subject {
			out += fmt.Sprintf("%d of %v: %s\n", c.Value, c.Of, c.Line)
		}
	}
	return out
}

// What logs and states say, and nothing of what only sounds like it: a graphics card at rest, a virtual function, an I/O window,
// a window that was given in the end, a driver that is none of a network card, SATA, a port without a cable.
func TestLinuxEvents(t *testing.T) {
	f := readWire(t)
	var got []string
	for _, e := range f.Events {
		s := fmt.Sprintf("%s %s %d", e.What, e.Subject, e.Count)
		if e.What == BusNarrow {
			s += fmt.Sprintf(" %v of %v", e.Carries.Or(0), e.Needs.Or(0))
		}
		got = append(got, s)
	}
	slices.Sort(got)
	want := []string{"bus-error 0000:01:00.0 1", "bus-narrow 0000:01:00.0 1 4.00 Gb/s of 20.0 Gb/s", "bus-narrow 0000:06:00.1 1 16.0 Gb/s of 0 b/s", "link-down e1 2",
		"link-failed e2 1", "member-down e2 1", "module-refused 0000:04:00.0 1", "pci-resource 0000:00:00.0 1", "probe-failed 0000:03:00.0 1", "table-full  1", "tx-timeout e1 2"}
	if !slices.Equal(got, want) {
		t.Errorf("%s\nwanted:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// ifconfig of net-tools 2 and of before, and in a language of which there is no capture: the order of the numbers counts.
func TestIfconfigLinux(t *testing.T) {
	for name, text := range map[string]string{
		"new": "e1: flags=4163<UP,BROADCAST,RUNNING,MULTICAST>  mtu 1500\n        inet 192.168.71.131  netmask 255.255.255.0\n        RX packets 138830  bytes 178583682 (178.5 MB)\n        RX errors 1  dropped 2  overruns 3  frame 0\n        TX packets 30490  bytes 3772041 (3.7 MB)\n        TX errors 4  dropped 5 overruns 0  carrier 0  collisions 0\n",
		"old": "e1        Link encap:Ethernet  HWaddr 00:0c:29:99:45:17\n          inet addr:192.168.71.131  Bcast:192.168.71.255\n          UP BROADCAST RUNNING MULTICAST  MTU:1500  Metric:1\n          RX packets:138830 errors:1 dropped:2 overruns:3 frame:0\n          TX packets:30490 errors:4 dropped:5 overruns:0 carrier:0\n          collisions:0 txqueuelen:1000\n          RX bytes:178583682 (178.5 MB)  TX bytes:3772041 (3.7 MB)\n",
		"de":  "e1        Link encap:Ethernet  Hardware Adresse 00:0c:29:99:45:17\n          RX-Pakete:138830 Fehler:1 Verloren:2 Überläufe:3 Fenster:0\n          TX-Pakete:30490 Fehler:4 Verloren:5 Überläufe:0 Träger:0\n",
	} {
		f := new(Facts)
		if err := readLinuxIfconfig(f, nil, []byte(text)); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		c := f.nic("e1").Counters
		if c["rx_packets"] != 138830 || c["rx_errors"] != 1 || c["rx_dropped"] != 2 || c["rx_fifo_errors"] != 3 || c["tx_packets"] != 30490 || c["tx_errors"] != 4 || c["tx_dropped"] != 5 {
			t.Errorf("%s: %v", name, c)
		}
	}
}

// Numbers with separators of thousands.
func TestCountsWithSeparators(t *testing.T) {
	for _, s := range []string{"1234567", "1,234,567", "1 234 567", "1'234'567", "1\u00a0234\u00a0567", "1\u202f234\u202f567"} {
		if v, ok := number(s); !ok || v != 1234567 {
			t.Errorf("%q: %d %t", s, v, ok)
		}
	}
	for _, s := range []string{"", "n/a", "-1", "1.5G"} {
		if v, ok := number(s); ok {
			t.Errorf("%q: %d", s, v)
		}
	}
}

// A file with the outputs of several interfaces is several; a file's name says whose one is that does not say it itself.
func TestKeptInterfaces(t *testing.T) {
	files := map[string][]byte{
		"ethtool.txt":         []byte("Settings for e1:\n\tSpeed: 10000Mb/s\nSettings for e2:\n\tSpeed: 25000Mb/s\n"),
		"ethtool-S-e1.txt":    []byte("NIC statistics:\n     rx_packets: 5\n     rx_out_of_buffer: 7\n"),
		"ethtool_-m_e2":       []byte("\tIdentifier                                : 0x03 (SFP)\n\tVendor PN                                 : X\n"),
		"ethtool--g-e1--note": []byte("Ring parameters for e1:\nCurrent hardware settings:\nRX:\t\t512\n"),
	}
	kept, not := FromKept("h", files, []string{"ethtool.txt", "ethtool-S-e1.txt", "ethtool_-m_e2", "ethtool--g-e1--note"})
	f, err := Parse(kept)
	if err != nil || len(not) > 0 || len(f.Unknown) > 0 {
		t.Fatal(err, not, f.Unknown)
	}
	e1, e2 := f.NIC("e1"), f.NIC("e2")
	if len(f.NICs) != 2 || e1.Speed.Or(0) != 10*unit.GigabitPerSecond || e2.Speed.Or(0) != 25*unit.GigabitPerSecond || e1.Driven["rx_out_of_buffer"] != 7 || e2.Wire.Optic == nil || e1.Wire.Rings == nil {
		t.Errorf("%+v", f.NICs)
	}
}
