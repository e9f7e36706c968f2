package facts

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

func TestFreeBSDCounts(t *testing.T) {
	f := freebsdFixture(t)
	for _, u := range f.Unknown {
		t.Errorf("%s: %s", u.Subject, u.Reason)
	}
	var got []string
	for _, c := range f.Counts {
		if c.Value > 0 {
			got = append(got, fmt.Sprintf("%s %s %d of %s: %s", c.What, c.Subject, c.Value, say(c.Of), c.Source))
		}
	}
	want := []string{
		"no-buffer mce0 7 of 372717: netstat -ibdnW", "receive-drops mce0 5 of 372717: netstat -ibdnW", "send-drops mce0 1 of 213821: netstat -ibdnW", "queue-drops mce0 2 of 213821: netstat -ibdnW",
		"no-buffer  16000000 of 28000000: netstat -ihw1", "send-drops  3 of 11600000: netstat -ihw1",
		"no-buffer  3 of ?: netstat -m", "backlog-drops  200 of 2588: netstat -Q", "no-buffer  5 of 9614: vmstat -z",
		"no-buffer cxl0 7301719197 of 12522860905: sysctl -a",
		"bad-frames ix0 150 of 1000000: sysctl -a", "no-buffer ix0 4000 of 1000000: sysctl -a", "pause-sent ix0 77 of 2000000: sysctl -a",
		"pause-received mce0 12 of 900: sysctl -a", "no-buffer mce0 3 of 900: sysctl -a",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if c := f.NIC("mce0").Counters; c["rx_dropped"] != 7 || c["tx_bytes"] != 198573339 {
		t.Error(c)
	}
	if f.Counters["Tcp.RetransSegs"] != 40440 || f.Counters["Tcp.OutSegs"] != 226578 || f.Counters["TcpExt.TCPTimeouts"] != 12 || f.Counters["Udp.RcvbufErrors"] != 3 {
		t.Error(f.Counters)
	}
}

func TestFreeBSDSettings(t *testing.T) {
	f := freebsdFixture(t)
	if f.TCP.ReceiveMost.Or(0) != 2097152 || f.TCP.SendMost.Or(0) != 4194304 || f.TCP.SocketMost.Or(0) != 2097152 || f.TCP.CongestionControl.Or("") != "newreno" || !f.TCP.AutoTuning.Or(false) {
		t.Errorf("%+v", f.TCP)
	}
	if f.CPU.Count.Or(0) != 32 || f.Kernel != "14.1-RELEASE" {
		t.Errorf("%v %s", f.CPU.Count, f.Kernel)
	}
	if m := f.Module("zfs"); m == nil || m.Size != 0x620f30 || m.Users.Or(0) != 1 || len(f.Modules) != 2 {
		t.Errorf("%+v", f.Modules)
	}
	mce := f.NIC("mce0")
	if mce.PCI != "0000:02:00.0" || mce.Queues.Or(0) != 8 || f.NIC("ix0").PCI != "0000:03:00.0" || f.NIC("ix0").Queues.Or(0) != 1 || f.NIC("igb0").Queues.Or(0) != 2 {
		t.Errorf("%s %s %v %v %v", mce.PCI, f.NIC("ix0").PCI, mce.Queues, f.NIC("ix0").Queues, f.NIC("igb0").Queues)
	}
	c := mce.Effect
	if c.Trust.Or("") != "dscp" || c.DSCP[26] != 3 || len(c.DSCP) != 8 || c.Priorities[6] != 6 || c.Queues[4].Weight.Or(0) != 13 {
		t.Errorf("%+v", c)
	}
	if pfc, why := c.PFC(); !slices.Equal(pfc, []int{3}) {
		t.Error(pfc, why)
	}
	if p := c.Proofs["trust"]; p.Line != "dev.mce.0.conf.qos.trust_state: 2" || p.Source != "sysctl -a" {
		t.Errorf("%+v", p)
	}
}

func TestFreeBSDRoutes(t *testing.T) {
	f := freebsdFixture(t)
	var got []string
	for _, r := range f.Routes {
		got = append(got, fmt.Sprintf("%s %s %s %s", r.Dst, r.Gateway, r.Interface, r.Kind))
	}
	want := []string{"0.0.0.0/0 192.168.71.2 igb0 ", "10.20.0.0/24 invalid IP mce0 ", "10.20.0.1/32 invalid IP lo0 ", "192.168.9.0/24 127.0.0.1 lo0 blackhole",
		"::/96 invalid IP lo0 unreachable", "2001:db8::/64 invalid IP mce0.711 ", "fe80::/64 invalid IP mce0 "}
	if !slices.Equal(got, want) {
		t.Errorf("got:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// With -B each bus is known to hang on its bridge, also where both bridges look alike or the link above runs otherwise.
func TestPciconfBridges(t *testing.T) {
	f := freebsdFixture(t)
	if got := f.pci("0000:02:00.0").Above + " " + f.pci("0000:03:00.0").Above; got != "0000:00:02.0 0000:00:01.0" {
		t.Error(got)
	}
	if c := f.pci("0000:02:00.0").Corrected; !slices.Equal(c, []string{"BadTLP", "Timeout"}) {
		t.Error(c)
	}
}

func TestCanonicalFreeBSD(t *testing.T) {
	for command, want := range map[string]string{
		"netstat -I mce0 -bdn": "netstat -i", "netstat -ihw1": "netstat -w", "netstat -I ix0 -w 1": "netstat -w", "netstat -ibn": "netstat -i", "netstat -rnW": "netstat -r",
		"netstat -nr -f inet": "netstat -r", "netstat -s -p tcp": "netstat -s", "netstat 1": "netstat -w", "vmstat -ia": "vmstat -i", "vmstat 1": "", "sudo ifconfig -vm mce0": "ifconfig",
		"/sbin/ifconfig -a": "ifconfig", "ifconfig": "ifconfig", "ifconfig mce0 up": "", "ifconfig -l": "", "netstat -an": "", "kldstat -v": "", "ifconfig | grep x": "",
	} {
		words := strings.Fields(command)
		if words[0] == "sudo" {
			words = words[1:]
		}
		if got, _ := canonicalFreeBSD(words); got != want {
			t.Errorf("%s: %q, want %q", command, got, want)
		}
	}
}

// Every capture of a host with FreeBSD is recognised by its name or its content, and its parser reads it.
func TestCapturesFreeBSD(t *testing.T) {
	const root = "../../../shared/captures/"
	index, err := os.ReadFile(root + "INDEX.md")
	if err != nil {
		t.Skipf("no collection of captures beside the project, of which testdata has a part: %v", err)
	}
	read := map[string]int{}
	for line := range strings.Lines(string(index)) {
		if !strings.HasPrefix(line, "| freebsd/") {
			continue
		}
		file := strings.Fields(line)[1]
		text, err := os.ReadFile(root + file)
		if err != nil {
			t.Fatal(err)
		}
		a, notRead := FromKept("x", map[string][]byte{file: text}, []string{file})
		if len(notRead) > 0 { // lists of connections, and load of pools, say nothing that is a fact here
			if !strings.Contains(file, "netstat-a") && !strings.Contains(file, "netstat-A") && !strings.Contains(file, "zpool-iostat") {
				t.Errorf("%s: %v", file, notRead)
			}
			read["not read"]++
			continue
		}
		f, err := Parse(a)
		if err != nil || len(f.Unknown) > 0 {
			t.Errorf("%s: %v %v", file, err, f.Unknown)
			continue
		}
		if f.OS != "freebsd" && !strings.Contains(file, "zpool") {
			t.Errorf("%s: it is taken for an output of %q", file, f.OS)
		}
		read[parseArchive(a).Files[0].Name]++
	}
	t.Log(read)
	for _, name := range []string{"dmesg", "ifconfig", "pciconf", "netstat -i", "netstat -w", "netstat -r", "sysctl", "kldstat", "vmstat -i", "vmstat -z"} {
		if read[name] == 0 {
			t.Errorf("no capture was read by the parser of %q", name)
		}
	}
}
