package read

import (
	"net/netip"
	"slices"
	"testing"

	windows "linerate/internal/device/windows/parse"
)

// Functions, virtual switches, drives and iSCSI of Windows, as tables, lists and JSON.
func TestWindowsHyperV(t *testing.T) {
	f, err := Parse([]byte(`os windows
-- Get-NetAdapterSriov --
Name         : P1
Enabled      : True
SriovSupport : Supported
NumVFs       : 31

Name         : P2
Enabled      : False
SriovSupport : MissingAcs
NumVFs       : 8
-- Get-NetAdapterSriovVf --
Name FunctionID CurrentMacAddress VPortID VmFriendlyName
---- ---------- ----------------- ------- --------------
P1   3          00-15-5D-C8-20-07 {1}     db 1
P1   4          00-00-00-00-00-00 {2}
-- Get-VMSwitch --
Name    SwitchType NetAdapterInterfaceDescription
----    ---------- ------------------------------
storage External   Mellanox ConnectX-4 Lx
-- windows.ps1 --
{"schema": "linerate/windows/1", "commands": [
{"name": "Get-VMNetworkAdapter -VMName *", "objects": [
 {"Name": "eth", "VMName": "db 1", "SwitchName": "storage", "MacAddress": "00155DC82007", "MacAddressSpoofing": "On", "IovWeight": "100", "Vlan": "20", "VlanMode": "Access"},
 {"Name": "trunk", "VMName": "fw", "SwitchName": "storage", "MacAddress": "00155DC82009", "MacAddressSpoofing": "Off", "IovWeight": "0", "Vlan": "0", "VlanMode": "Trunk"}]},
{"name": "Get-PhysicalDisk", "objects": [{"DeviceId": "0", "FriendlyName": "NVMe X", "MediaType": "SSD", "BusType": "NVMe", "Size": "1000204886016", "HealthStatus": "Healthy", "OperationalStatus": "OK"}]},
{"name": "Get-IscsiConnection", "objects": [{"SessionIdentifier": "s-1", "ConnectionIdentifier": "c-1", "InitiatorAddress": "10.2.0.2", "TargetAddress": "10.2.0.1", "TargetPortNumber": "3260"}]},
{"name": "Get-IscsiSession", "objects": [{"TargetNodeAddress": "iqn.a:t", "SessionIdentifier": "s-1", "IsConnected": "True", "NumberOfConnections": "2", "IsDataDigest": "True"},
 {"TargetNodeAddress": "iqn.a:gone", "SessionIdentifier": "s-2", "IsConnected": "False", "NumberOfConnections": "0"}]}]}
`))
	if err != nil || len(f.Unknown) > 0 {
		t.Fatal(err, f.Unknown)
	}
	one, two := f.NIC("P1"), f.NIC("P2")
	if one.NumVFs.Or(0) != 31 || two.NumVFs.Or(9) != 0 || two.Windows.SRIOV.Support.Or("") != "MissingAcs" ||
		two.Windows.SRIOV.Line != "Enabled : False" {
		t.Errorf("%+v %+v", one.Windows.SRIOV, two.Windows.SRIOV)
	}
	if v := one.VFs; len(v) != 2 || v[0].Index != 3 || v[0].VLAN != 20 || v[0].SpoofCheck.Or(true) ||
		v[0].Machine != "db 1" || v[0].Adapter != "eth" || v[0].Trust.IsKnown() || v[1].MAC != "" ||
		v[1].SpoofCheck.IsKnown() {
		t.Errorf("%+v", v)
	}
	w := f.Windows
	if s := w.Switches; len(s) != 1 || !slices.Equal(s[0].Adapters, []string{"Mellanox ConnectX-4 Lx"}) ||
		s[0].SRIOV.IsKnown() {
		t.Errorf("%+v", s)
	}
	if m := w.Machines; len(m) != 2 || m[1].VLAN.IsKnown() || m[1].Mode.Or("") != "Trunk" || m[1].Spoofing.Or(true) {
		t.Errorf("%+v", m)
	}
	if d := w.Disks; len(d) != 1 || d[0].Size.Or(0) != 1000204886016 || d[0].Media != "SSD" || d[0].Health != "Healthy" {
		t.Errorf("%+v", d)
	}
	if s := f.Storage.ISCSI; len(s) != 1 || s[0].Target != "iqn.a:t" || s[0].Connections.Or(0) != 2 ||
		s[0].Portal != netip.MustParseAddrPort("10.2.0.1:3260") || s[0].From != netip.MustParseAddr("10.2.0.2") ||
		s[0].Digests != "CRC32C" {
		t.Errorf("%+v", s)
	}
	for in, want := range map[string]int64{"25 GB": 25 << 30, "1,5 TB": 3 << 39, "931.51 GB": 1000201246474,
		"NaN GB": -1, "x": -1, "5 PB": -1} {
		if got, ok := windows.PsSize(in); ok && int64(got) != want || !ok && want != -1 {
			t.Errorf("%s: %d %v", in, got, ok)
		}
	}
}

// TestNetstatWindows reads netstat -s in English and another language; text of another form is refused.
func TestNetstatWindows(t *testing.T) {
	tcp := "\n  Active Opens                        = 2\n  Passive Opens                       = 1\n  Failed " +
		"Connection Attempts          = 3\n  Reset Connections                   = 4\n" +
		"  Current Connections                 = 5\n  Segments Received                   = 600\n  Segments Sent          " +
		"             = 700\n  Segments Retransmitted              = 8\n"
	german := "\n  Aktiv geöffnet                      = 2\n  Passiv geöffnet                     = 1\n  Erfolglose " +
		"Verbindungsversuche      = 3\n  Zurückgesetzte Verbindungen         = 4\n" +
		"  Aktuelle Verbindungen               = 5\n  Empfangene Segmente                 = 600\n  Gesendete Segmente     " +
		"             = 700\n  Erneut übertragene Segmente         = 8\n"
	text := "IPv4 Statistics\n\n  Packets Received                   = 26084\n  Received Packets Discarded         = " +
		"1013\n  Discarded Output Packets           = 20\n\n" +
		"ICMPv4 Statistics\n\n                            Received    Sent\n  Messages                  0           " +
		"0\n\nTCP Statistics for IPv4\n" + tcp + "\nTCP Statistics for IPv6\n" + tcp +
		"\nUDP Statistics for IPv4\n\n  Datagrams Received    = 50\n  No Ports              = 1\n  Receive Errors        " +
		"= 26\n  Datagrams Sent        = 24\n"
	for name, text := range map[string]string{"English": text,
		"German": "TCP-Statistik für IPv4\n" + german + "\nTCP-Statistik für IPv6\n" + german} {
		f, err := Parse([]byte("os windows\n-- netstat -s --\n" + text))
		if err != nil || len(f.Unknown) > 0 || f.Counters["Tcp.RetransSegs"] != 16 || f.Counters["Tcp.OutSegs"] != 1400 ||
			f.Counters["Tcp.InSegs"] != 1200 {
			t.Errorf("%s: %v %v %v", name, err, f.Unknown, f.Counters)
		}
		if source, ok := Recognise("retransmits.txt", []byte(text)); !ok || source != "netstat -s" {
			t.Errorf("%s is taken for %q", name, source)
		}
		if f.OS != "windows" {
			t.Errorf("%s is of %q", name, f.OS)
		}
		if name == "English" && (f.Counters["Ip.InDiscards"] != 1013 || f.Counters["Ip.OutDiscards"] != 20 ||
			f.Counters["Udp.InErrors"] != 26) {
			t.Errorf("%v", f.Counters)
		}
	}
	if f, err := Parse(
		[]byte("os windows\n-- netstat -s --\nTCP Statistics for IPv4\n\n  Active Opens = 2\n"),
	); err != nil || len(f.Unknown) != 1 ||
		f.Counters != nil {
		t.Errorf("%v %+v", err, f)
	}
}
