package render

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"linerate/internal/design/catalog"
	"linerate/internal/design/fabric"
	"linerate/internal/device/config"
	"linerate/internal/device/dcb"
	"linerate/internal/device/dcb/dcbtest"
	"linerate/internal/device/sonic"
)

var family = dcbtest.Family{OS: "sonic", Version: "202311", Part: "sn2700", Commands: "apply.sh", Switch: Switch}

// qos returns the tables of a device's fragment.
func qos(t *testing.T, d *config.Device) map[string]map[string]map[string]string {
	t.Helper()
	var v map[string]map[string]map[string]string
	if f := d.File("qos.json"); f == nil {
		return nil
	} else if err := json.Unmarshal([]byte(f.Text()), &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// TestCodePoints: SONiC's own map has 26 as ordinary traffic, and 3 and 4 as lossless.
func TestCodePoints(t *testing.T) {
	d, _, _ := family.One(t, func(*fabric.Fabric) {})
	m := qos(t, d)["DSCP_TO_TC_MAP"]["AZURE"]
	if len(m) != 64 {
		t.Fatalf("%d code points, want all 64", len(m))
	}
	for dscp, want := range map[string]string{"26": "3", "48": "6", "3": "0", "4": "0", "0": "0", "46": "0", "63": "0"} {
		if m[dscp] != want {
			t.Errorf("DSCP %s goes to %q, want %s", dscp, m[dscp], want)
		}
	}
}

func TestShares(t *testing.T) {
	d, _, _ := family.One(t, func(f *fabric.Fabric) { f.Classes[0].Share = 0.6 })
	v := qos(t, d)
	for queue, want := range map[string]map[string]string{"0": {"type": "DWRR", "weight": "40"},
		"3": {"type": "DWRR", "weight": "60"}, "6": {"type": "STRICT"}} {
		name := v["QUEUE"]["Ethernet0|"+queue]["scheduler"]
		if got := v["SCHEDULER"][name]; len(got) != len(want) || got["type"] != want["type"] ||
			got["weight"] != want["weight"] {
			t.Errorf("queue %s: %v, want %v", queue, got, want)
		}
	}
	if got := v["QUEUE"]["Ethernet0|3"]["wred_profile"]; got != "AZURE_LOSSLESS" {
		t.Errorf("queue 3 is marked by %q", got)
	}
}

// TestRefused: classes that SONiC's template does not support are refused.
func TestRefused(t *testing.T) {
	family.Refused(t, "priorities 3 and 4 alone", func(f *fabric.Fabric) { f.Classes[0].Priority = 5 })
	family.Refused(t, "storage back ends", func(f *fabric.Fabric) { f.Trust = "pcp" })
	d, text, _ := family.One(t, func(f *fabric.Fabric) { f.Classes[0].ECN = false })
	if !strings.Contains(strings.Join(d.Missing, "\n"), "not to be marked") ||
		!strings.Contains(text, "pfc priority Ethernet0 3 on") {
		t.Errorf("%v\n%s", d.Missing, text)
	}
}

func TestNames(t *testing.T) {
	family.PortNames(t, sonic.PortName, map[string]string{"sn2700 1/0": "Ethernet0", "sn2700 32/0": "Ethernet124",
		"sn2010 19/0": "Ethernet72", "sn2010 22/4": "Ethernet87", "sn2700 33/0": "", "sx6036 1/0": ""})
}

func TestVersionsAndCables(t *testing.T) {
	for _, c := range []struct {
		version string
		length  float64
		want    []string
		not     []string
	}{
		{"202311", 2, []string{"cable_length Ethernet0 5m"}, []string{"switchport"}},
		{"202411", 5.5, []string{"cable_length Ethernet0 40m", "switchport mode access Ethernet0"}, nil},
		{"", 300, []string{"cable_length Ethernet0 300m"}, []string{"switchport"}},
		{"201911", 2, nil, []string{"cable_length", "switchport"}},
		{"202311", 301, nil, []string{"cable_length"}},
		{"202311", 0, nil, []string{"cable_length"}},
	} {
		_, text, _ := family.One(t, func(f *fabric.Fabric) {
			f.Switches[0].Version = c.version
			part, err := catalog.Written(catalog.WrittenPart{Kind: "cable", Media: "fiber", Ends: []string{"qsfp28", "qsfp28"},
				Length: c.length})
			if err != nil {
				t.Fatal(err)
			}
			f.Links[0].Cable.Part = part
		})
		for _, w := range c.want {
			if !strings.Contains(text, w) {
				t.Errorf("%q, %g m: no %q in\n%s", c.version, c.length, w, text)
			}
		}
		for _, w := range c.not {
			if strings.Contains(text, w) {
				t.Errorf("%q, %g m: %q in\n%s", c.version, c.length, w, text)
			}
		}
	}
}

func TestMTU(t *testing.T) {
	for mtu, want := range map[int]string{1500: "", 9000: "mtu Ethernet0 9100", 9100: "mtu Ethernet0 9100",
		9101: "mtu Ethernet0 9101", 9216: "mtu Ethernet0 9216"} {
		d, text, _ := family.One(t, func(f *fabric.Fabric) { f.MTU = mtu })
		if !strings.Contains(text, want) || (want == "") == strings.Contains(text, "mtu Eth") {
			t.Errorf("MTU %d: want %q in\n%s", mtu, want, text)
		}
		if strings.Contains(strings.Join(d.Missing, "\n"), "MTU") {
			t.Errorf("MTU %d: %v", mtu, d.Missing)
		}
	}
	family.Refused(t, "the most that SONiC takes is 9216", func(f *fabric.Fabric) { f.MTU = 9217 })
}

func TestShell(t *testing.T) {
	d, _, _ := family.One(t, func(*fabric.Fabric) {})
	dcbtest.Scripts(t, d)
}

// TestAnswersHaveThatShape: the entries of verify.json match the form of real switch output with other settings.
func TestAnswersHaveThatShape(t *testing.T) {
	answers := map[string]string{"show interfaces status": "show-interfaces-status.txt",
		"show pfc priority": "show-pfc-priority.txt", "show pfcwd config": "show-pfcwd-config.txt",
		"show ecn": "show-ecn.txt", "show vlan config": "show-vlan-config.txt"}
	same := map[string]string{"show interfaces status": "9100", "show pfc priority": "3,4", "show pfcwd config": "drop"}
	_, _, expect := family.One(t, func(f *fabric.Fabric) {
		f.Switches = append(f.Switches, &fabric.Switch{Name: "s2", OS: "sonic"})
		f.Links[0].Ends[0] = fabric.Port{Switch: "s2", Index: 1}
	})
	expect = slices.DeleteFunc(expect, func(e dcb.Expect) bool {
		if e.Form != "json" {
			return false
		}
		// the table as qos.json has it: --var-json prints a table of the configuration
		const answer = `{"AZURE": {"26": "3", "48": "6"}}`
		if got, ok := dcbtest.JSON(answer, e.Where); !ok || got != e.Want {
			t.Errorf("%s: %q is %q", e.Command, e.Where, got)
		}
		return true
	})
	dcbtest.Answers(t, expect, answers, func(e dcb.Expect, answer string) {
		switch e.Form {
		case "lines":
			want := strings.Replace(e.Want, "Vlan2 2 Ethernet0 untagged", "Vlan100 100 Ethernet0 tagged", 1)
			if !dcbtest.Line(answer, want) {
				t.Errorf("%s: no line with %q", e.Command, want)
			}
		case "table":
			if got, ok := dcbtest.Table(answer, e.Where); !ok || got != same[e.Command] {
				t.Errorf("%s: at %q is %q (%v), want %q", e.Command, e.Where, got, ok, same[e.Command])
			}
		}
	})
}

func TestHostileNames(t *testing.T) { family.HostileNames(t) }

func FuzzNames(f *testing.F) { family.FuzzNames(f) }
