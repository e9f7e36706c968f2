package facts

import (
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"linerate/internal/base/unit"
)

func TestWindowsText(t *testing.T) {
	f := load(t, "windows.txtar")
	if len(f.Unknown) != 1 || !strings.Contains(f.Unknown[0].Reason, `"Very long adapter nam..." is cut off`) {
		t.Errorf("unknown: %+v", f.Unknown)
	}
	if f.OS != "windows" {
		t.Errorf("it is of %q", f.OS)
	}
	n := f.NIC("SLOT 3 Port 1")
	if n == nil {
		t.Fatal("no adapter SLOT 3 Port 1")
	}
	for what, got := range map[string]bool{
		"index, MAC, up":       n.Index == 7 && n.MAC == "0c:42:a1:00:00:01" && n.Up && n.Carrier.Or(false),
		"speed with a comma":   n.Speed.Or(0) == 2.5e9,
		"MTU of IPv4":          n.MTU == 9000 && strings.HasPrefix(n.Proofs["mtu"].Line, "7 SLOT 3 Port 1 IPv4 9000"),
		"address":              slices.Equal(n.Addresses, []netip.Prefix{netip.MustParsePrefix("10.0.1.2/24")}),
		"queues":               n.Queues.Or(0) == 8 && n.Windows.RSS.Or(false),
		"LSO off, one in six":  n.Offloads["tx-tcp-segmentation"] == false && len(n.Offloads) == 4,
		"RSC on, not running":  n.Offloads["rx-gro"] && n.Windows.RSC == "WFPCompatibility",
		"checksums in one way": n.Offloads["rx-checksum"] && !n.Offloads["tx-checksum-ip-generic"],
		"RDMA":                 n.Windows.RDMA.Enabled.Or(false) && n.Windows.RDMA.PFC.Or(false) && n.Windows.RDMA.Technology.Or("") == "rocev2",
		"thousands apart":      n.Counters["rx_bytes"] == 9e9 && n.Counters["rx_packets"] == 1000000 && n.Counters["tx_packets"] == 400,
		"pause":                n.Effect.PauseRx.Or(false) && n.Effect.PauseTx.Or(false),
		"agent":                slices.Equal(n.Effect.Agents, []string{"windows"}),
		"PFC of the adapter":   fmt.Sprint(n.Effect.PFCReceive.Or(nil)) == "[3 4]",
		"classes":              n.Effect.Queues[1].Weight.Or(0) == 60 && n.Effect.Priorities[3] == 1 && n.Effect.Priorities[7] == 0 && n.Effect.Capacity.Or(0) == 8,
		"willing, of all":      n.Effect.Willing.Or(false) && n.Effect.Proofs["willing"].Line == "True Global",
		"asked by the policy":  n.Asked != nil && fmt.Sprint(n.Asked.PFCReceive.Or(nil)) == "[3]",
	} {
		if !got {
			t.Errorf("%s: %+v %+v %+v", what, *n, *n.Windows, n.Effect)
		}
	}
	if n.PCI != "0000:37:00.1" || len(f.PCI) != 1 {
		t.Fatalf("%q %+v", n.PCI, f.PCI)
	}
	d := f.PCI[0]
	if now, ok := d.Now(); !ok || now != (PCIeLink{8, 8}) || d.MaxWidth.IsKnown() || d.NUMA.Or(-1) != 0 || !strings.Contains(d.Line(), "8.0 GT/s             8 1.1") {
		t.Errorf("%+v", d)
	}
	if lom := f.NIC("Embedded LOM 1 Port 3"); lom.Carrier.Or(true) || !lom.Up || lom.Speed.IsKnown() || lom.Queues.Or(0) != 1 || lom.Windows.RSS.Or(true) {
		t.Errorf("%+v %+v", lom, lom.Windows)
	}
	if v := f.NIC("Storage1"); v.Speed.IsKnown() || v.MAC != "" {
		t.Errorf("a virtual adapter, whose address is cut off: %+v", v)
	}
	if v := f.NIC("vEthernet (Lx-Switch)"); v.Windows.RDMA.Enabled.Or(true) || v.Windows.RDMA.PFC.IsKnown() {
		t.Errorf("%+v", v.Windows.RDMA)
	}
	if len(f.Routes) != 2 || f.Routes[0].Metric != 281 || f.Routes[1].Gateway != netip.MustParseAddr("10.0.1.254") {
		t.Errorf("%+v", f.Routes)
	}
	if r, ok := f.RouteTo(netip.MustParseAddr("10.0.1.9")); !ok || r.Interface != n.Name {
		t.Errorf("%+v", r)
	}
	if f.TCP.Window.Or(0) != 65535 || f.TCP.AutoTuning.Or(true) || f.TCP.CongestionControl.Or("") != "cubic" {
		t.Errorf("%+v", f.TCP)
	}
	w := f.Windows
	if w.PowerPlan.Or("") != "power saver" || w.Edition.Or("") != "Core" || w.Build.Or(0) != 26100 || w.NetworkDirect.Or(true) || w.AcrossSubnets.Or(true) || !w.RSS.Or(false) {
		t.Errorf("%+v", w)
	}
	if v := w.VirtualRSS; len(v) != 1 || v[0].On.Or(true) || !v[0].Wanted.Or(false) || v[0].Pairs.Or(1) != 0 || v[0].RSSProof.Line != "VrssEnabled : False" {
		t.Errorf("%+v", v)
	}
	if c := w.ClusterNetworks; len(c) != 2 || c[0].State != "Partitioned" || c[0].Name != "Cluster Network 1" {
		t.Errorf("%+v", c)
	}
	if m := w.Policy.Marks; len(m) != 2 || m[0].Match != "smb-direct" || m[0].Priority.Or(0) != 3 || m[1].DSCP.Or(0) != 40 || m[1].Priority.IsKnown() {
		t.Errorf("%+v", m)
	}
	var counts []string
	for _, c := range f.Counts {
		counts = append(counts, fmt.Sprintf("%s %d of %d", c.What, c.Value, c.Of.Or(0)))
	}
	if got := strings.Join(counts, ", "); got != "bad-frames 0 of 1000000, receive-drops 20000 of 1000000, send-drops 12 of 400" {
		t.Error(got)
	}
	s := f.SMB
	if len(s.Channels) != 2 || !s.Channels[0].RDMA.Or(false) || s.Channels[1].Selected.Or(true) || s.Channels[0].Line != "nas True 10.0.1.2 10.0.1.1 7 12 False True" {
		t.Errorf("%+v", s.Channels)
	}
	if c, v := s.Client, s.Server; c.Multichannel.Or(true) || !c.RequireSigning.Or(false) || c.MaxDialect.Or("") != "3.1.1" || c.MinDialect.IsKnown() || c.Encrypt.IsKnown() ||
		!v.Encrypt.Or(false) || !v.Multichannel.Or(false) || len(v.Interfaces) != 2 || len(c.Interfaces) != 1 || len(c.Interfaces[0].Addresses) != 2 || v.Interfaces[1].Speed.IsKnown() {
		t.Errorf("%+v", s)
	}
}

// The system's language, and a release that calls things otherwise.
func TestWindowsGlobals(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want int64
	}{
		"German":   {"Globale TCP-Parameter\n----------\nZustand der empfangsseitigen Skalierung          : enabled\nAutom. Abstimmungsgrad Empfangsfenster    : disabled\nECN-Funktion                      : enabled\n", 65535},
		"English":  {"TCP Global Parameters\n---\nReceive-Side Scaling State          : enabled\nReceive Window Auto-Tuning Level    : normal\nECN Capability   : disabled\n", 16776960},
		"old":      {"TCP Global Parameters\n---\nReceive-Side Scaling State          : enabled\nChimney Offload State : disabled\nReceive Window Auto-Tuning Level    : highlyrestricted\n", 262140},
		"no level": {"TCP Global Parameters\nA : enabled\nB : enabled\nC : disabled\n", 0},
	} {
		f, err := Parse([]byte("-- netsh interface tcp show global --\n" + c.text))
		if err != nil || len(f.Unknown) > 0 || f.TCP.Window.Or(0) != c.want || !f.TCP.Window.IsKnown() && f.TCP.Window.Why() == "" {
			t.Errorf("%s: %v %v %v", name, err, f.Unknown, f.TCP.Window)
		}
	}
	for text, want := range map[string]string{
		"Power Scheme GUID: 381b4222-f694-41f0-9685-ff5bb260df2e  (Balanced)\n": "balanced",
		"GUID: 00000000-1111-2222-3333-444444444444  (Mine)\n":                  "one of its own Mine",
	} {
		if f, err := Parse([]byte("-- powercfg -getactivescheme --\n" + text)); err != nil || f.Windows.PowerPlan.Or("") != want {
			t.Errorf("%v %+v", err, f.Unknown)
		}
	}
	for in, want := range map[string]string{"SMB311": "3.1.1", "SMB202": "2.0.2", "SMB300": "3.0", "785": "3.1.1", "768": "3.0", "0x210": "2.1"} {
		if got := dialect(in); got != want {
			t.Errorf("%s: %s", in, got)
		}
	}
}

// A whole session pasted into one file, one that is not known, JSON of one cmdlet, and JSON that was cut off.
func TestPowerShellForms(t *testing.T) {
	session := `PS C:\Users\x> Get-NetAdapterHardwareInfo

Name      Segment Bus Device Function Slot NumaNode PcieLinkSpeed PcieLinkWidth Version
----      ------- --- ------ -------- ---- -------- ------------- ------------- -------
Ethernet        0   2      0        0    8               2.5 GT/s             1 1.1

PS C:\Users\x> Get-VMNetworkAdapterIsolation -ManagementOS

IsolationMode DefaultIsolationID
------------- ------------------
         Vlan                711

PS C:\Users\x> Get-NetQosDcbxSetting | ft

Willing
-------
False
`
	kept, notRead := FromKept("h", map[string][]byte{"notes.txt": []byte(session)}, []string{"notes.txt"})
	f, err := Parse(kept)
	if err != nil || len(f.PCI) != 1 || f.Windows == nil || f.Windows.Policy.Effect.Willing.Or(true) || len(notRead) != 1 || !strings.Contains(notRead[0].Subject, "Isolation") {
		t.Errorf("%v %+v %+v %s", err, f, notRead, kept)
	}
	const one = `{"Name":"Ethernet","Status":"Up","LinkSpeed":"10 Gbps","InterfaceDescription":"X","CimClass":{"CimClassName":{"a":{"b":[1,{"c":2}]}}},"ifIndex":5}`
	for name, text := range map[string]string{"one": one, "several": "[" + one + ",\n" + strings.Replace(one, "Ethernet", "B", 1) + "]"} {
		f, err := Parse([]byte("-- Get-NetAdapter | ConvertTo-Json --\n" + text + "\n"))
		if err != nil || len(f.Unknown) > 0 || f.NIC("Ethernet") == nil || f.NIC("Ethernet").Speed.Or(0) != 1e10 || f.NIC("Ethernet").Index != 5 {
			t.Errorf("%s: %v %+v", name, err, f)
		}
	}
	for text, want := range map[string]string{
		one[:60]: "no whole JSON", "": "neither a table, a list nor JSON", "Get-NetAdapter : The term is not recognized\n": "no parser for objects",
		"Foo : bar\nBaz : 1\n": "no parser for objects with Foo, Baz",
	} {
		f, err := Parse([]byte("-- Get-NetAdapterRss --\n" + text))
		if err != nil || len(f.Unknown) != 1 || !strings.Contains(f.Unknown[0].Reason, want) {
			t.Errorf("%q: %v %+v", text, err, f.Unknown)
		}
	}
}

// Columns stand where their dashes are, whatever is in them: blanks, nothing, numbers to the right, letters that are two columns
// wide; or somebody wrote the table anew.
func TestPowerShellTable(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"Name   Value\n----   -----\na b c      1\n           2\nd\n", `a b c|1;d|`},
		{"N     Long label V\n-     ---------- -\nx              12 y z\n", "x|12|y z"},
		{"A    B\n---  ---\nlong value   other\n", "long value|other"},
		{"Name     Index\n----     -----\n以太网         3\n", "以太网|3"},
		{"Name\n----\nwrapped name\n", "wrapped name"},
	} {
		var rows []string
		for _, o := range parsePS(c.text) {
			var cells []string
			for _, p := range o.props {
				cells = append(cells, p.value)
			}
			rows = append(rows, strings.Join(cells, "|"))
		}
		if got := strings.Join(rows, ";"); got != c.want {
			t.Errorf("%q: %s", c.text, got)
		}
	}
	o := parsePS("Name    Value\n----    -----\nlong... 1\n")[0]
	if o.text("Name") != "" || o.text("Value") != "1" || !o.props[0].cut {
		t.Errorf("%+v", o)
	}
}

// What the script prints: objects, text, nothing, and why there is nothing.
func TestWindowsScript(t *testing.T) {
	f := load(t, "windows.script.txtar")
	var unknown []string
	for _, u := range f.Unknown {
		unknown = append(unknown, u.Subject+": "+u.Reason)
	}
	if want := "Get-WindowsOptionalFeature: this user may not read it: The requested operation requires elevation.; Get-VMSwitch: this Windows has no such command"; strings.Join(unknown, "; ") != want {
		t.Errorf("unknown: %q", unknown)
	}
	n := f.NIC("Ethernet 2")
	if n == nil || n.Speed.Or(0) != 1e11 || n.Duplex.Or("") != "full" || n.MTU != 9000 || n.Windows.RDMA.Technology.Or("") != "rocev2" || n.Windows.DriverVersion.Or("") == "" ||
		n.Proofs["mtu"] != (Proof{"Get-NetIPInterface", "InterfaceAlias: Ethernet 2, NlMtu: 9000"}) {
		t.Fatalf("%+v %+v", n, n.Windows)
	}
	hops := f.PCIeHops(n.PCI)
	if n.PCI != "0000:41:00.0" || len(hops) != 1 || hops[0].Up == nil || hops[0].Up.Address != "0000:40:01.1" {
		t.Fatalf("%s %+v %+v", n.PCI, hops, f.PCI)
	}
	can, now, ok := hops[0].Links()
	if !ok || can != (PCIeLink{16, 8}) || now != (PCIeLink{2.5, 8}) || hops[0].Down.Name == "" {
		t.Errorf("%v %v %v", can, now, ok)
	}
	if got := slices.Sorted(maps.Keys(n.Effect.Priorities)); len(got) != 8 || n.Effect.PFCReceive.Or(nil)[0] != 3 || n.Effect.Willing.Or(true) {
		t.Errorf("%+v", n.Effect)
	}
	if f.SMB == nil || f.SMB.Channels == nil || len(f.SMB.Channels) != 0 || f.SMB.Client.MaxDialect.Or("") != "3.1.1" || f.SMB.Client.MinDialect.IsKnown() {
		t.Errorf("%+v", f.SMB)
	}
	if f.Memory.Or(0) != unit.Bytes(33554432<<10) || f.Kernel != "10.0.26100" || f.Windows.Edition.Or("") != "Professional" || f.Windows.PowerPlan.Or("") != "balanced" || !strings.Contains(f.CPU.Model.Or(""), "EPYC") {
		t.Errorf("%+v", f)
	}
	for text, want := range map[string]string{
		"":                                "the output is empty",
		"{":                               "no whole JSON",
		`{"schema":"linerate/windows/9"}`: `its schema is "linerate/windows/9"`,
		`{"schema":"linerate/windows/1","commands":[{"name":""}]}`: "a command in it has no name",
	} {
		if _, err := parseWindowsScript([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
}
