package read

import (
	"net/netip"
	"strings"
	"testing"

	windows "linerate/internal/device/windows/parse"
	"linerate/internal/facts"
)

func TestWindowsText(t *testing.T) {
	f := load(t, "windows.txtar")
	d := f.PCI[0]
	if now, ok := d.Now(); !ok || now != (facts.PCIeLink{Speed: 8, Width: 8}) ||
		!strings.Contains(d.Line(), "8.0 GT/s             8 1.1") {
		t.Errorf("%+v", d)
	}
	if r, ok := f.RouteTo(netip.MustParseAddr("10.0.1.9")); !ok || r.Interface != "SLOT 3 Port 1" {
		t.Errorf("%+v", r)
	}
}

// TestWindowsGlobals reads other languages of the system, and a release with other names.
func TestWindowsGlobals(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want int64
	}{
		"German": {"Globale TCP-Parameter\n----------\nZustand der empfangsseitigen Skalierung          : " +
			"enabled\nAutom. Abstimmungsgrad Empfangsfenster    : disabled\nECN-Funktion                      : enabled\n",
			65535},
		"English": {"TCP Global Parameters\n---\nReceive-Side Scaling State          : enabled\nReceive Window " +
			"Auto-Tuning Level    : normal\nECN Capability   : disabled\n", 16776960},
		"old": {"TCP Global Parameters\n---\nReceive-Side Scaling State          : enabled\nChimney Offload State : " +
			"disabled\nReceive Window Auto-Tuning Level    : highlyrestricted\n", 262140},
		"no level": {"TCP Global Parameters\nA : enabled\nB : enabled\nC : disabled\n", 0},
	} {
		f, err := Parse([]byte("-- netsh interface tcp show global --\n" + c.text))
		if err != nil || len(f.Unknown) > 0 || f.TCP.MaxReceiveWindow.Or(0) != c.want || !f.TCP.MaxReceiveWindow.IsKnown() &&
			f.TCP.MaxReceiveWindow.Why() == "" {
			t.Errorf("%s: %v %v %v", name, err, f.Unknown, f.TCP.MaxReceiveWindow)
		}
	}
	for text, want := range map[string]string{
		"Power Scheme GUID: 381b4222-f694-41f0-9685-ff5bb260df2e  (Balanced)\n": "balanced",
		"GUID: 00000000-1111-2222-3333-444444444444  (Mine)\n":                  "one of its own Mine",
	} {
		if f, err := Parse([]byte("-- powercfg -getactivescheme --\n" + text)); err != nil ||
			f.Windows.PowerPlan.Or("") != want {
			t.Errorf("%v %+v", err, f.Unknown)
		}
	}
	for in, want := range map[string]string{"SMB311": "3.1.1", "SMB202": "2.0.2", "SMB300": "3.0", "785": "3.1.1",
		"768": "3.0", "0x210": "2.1"} {
		if got := windows.Dialect(in); got != want {
			t.Errorf("%s: %s", in, got)
		}
	}
}

// TestPowerShellForms reads a whole session pasted into one file, an unknown one, JSON of one cmdlet, and truncated
// JSON.
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
	if err != nil || len(f.PCI) != 1 || f.Windows == nil || f.Windows.Policy.Effect.Willing.Or(true) ||
		len(notRead) != 1 || !strings.Contains(notRead[0].Subject, "Isolation") {
		t.Errorf("%v %+v %+v %s", err, f, notRead, kept)
	}
	const one = `{"Name":"Ethernet","Status":"Up","LinkSpeed":"10 Gbps","InterfaceDescription":"X","CimClass":{"CimClassName":{"a":{"b":[1,{"c":2}]}}},"ifIndex":5}`
	for name, text := range map[string]string{"one": one,
		"several": "[" + one + ",\n" + strings.Replace(one, "Ethernet", "B", 1) + "]"} {
		f, err := Parse([]byte("-- Get-NetAdapter | ConvertTo-Json --\n" + text + "\n"))
		if err != nil || len(f.Unknown) > 0 || f.NIC("Ethernet") == nil || f.NIC("Ethernet").Speed.Or(0) != 1e10 ||
			f.NIC("Ethernet").Index != 5 {
			t.Errorf("%s: %v %+v", name, err, f)
		}
	}
	for text, want := range map[string]string{one[:60]: "not a whole JSON", "": "neither a table, a list nor JSON",
		"Get-NetAdapter : The term is not recognized\n": "no parser for objects",
		"Foo : bar\nBaz : 1\n":                          "no parser for objects with Foo, Baz"} {
		f, err := Parse([]byte("-- Get-NetAdapterRss --\n" + text))
		if err != nil || len(f.Unknown) != 1 || !strings.Contains(f.Unknown[0].Reason, want) {
			t.Errorf("%q: %v %+v", text, err, f.Unknown)
		}
	}
}

func TestWindowsScript(t *testing.T) {
	f := load(t, "windows.script.txtar")
	hops := f.PCIeHops(f.NIC("Ethernet 2").PCI)
	if len(hops) != 1 || hops[0].Up == nil || hops[0].Up.Address != "0000:40:01.1" {
		t.Fatalf("%+v %+v", hops, f.PCI)
	}
	can, now, ok := hops[0].Links()
	if !ok || can != (facts.PCIeLink{Speed: 16, Width: 8}) || now != (facts.PCIeLink{Speed: 2.5, Width: 8}) ||
		hops[0].Down.Name == "" {
		t.Errorf("%v %v %v", can, now, ok)
	}
	for text, want := range map[string]string{"": "the output is empty",
		"{":                               "not a whole JSON",
		`{"schema":"linerate/windows/9"}`: `its schema is "linerate/windows/9"`,
		`{"schema":"linerate/windows/1","commands":[{"name":""}]}`: "a command in it has no name"} {
		if _, err := windows.ParseScript([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
}
