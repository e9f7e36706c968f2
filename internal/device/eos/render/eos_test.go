package render

import (
	"slices"
	"strings"
	"testing"

	"linerate/internal/design/fabric"
	"linerate/internal/device/dcb"
	"linerate/internal/device/dcb/dcbtest"
	"linerate/internal/device/eos"
)

var family = dcbtest.Family{OS: "eos", Version: "4.36.0F", Part: "arista-7060cx-32", Commands: "apply.txt",
	Switch: Switch}

// TestCodePoints: every code point except those of EOS's control traffic goes to one traffic class, and ordinary
// traffic to EOS's best effort.
func TestCodePoints(t *testing.T) {
	_, text, _ := family.One(t, func(*fabric.Fabric) {})
	of := map[string]string{}
	for _, line := range strings.Split(text, "\n") {
		rest, ok := strings.CutPrefix(line, "qos map dscp ")
		if !ok {
			continue
		}
		points, tc, _ := strings.Cut(rest, " to traffic-class ")
		for _, d := range strings.Fields(points) {
			if of[d] != "" {
				t.Errorf("DSCP %s is sorted twice", d)
			}
			of[d] = tc
		}
	}
	if len(of) != 56 {
		t.Errorf("%d code points, want 56", len(of))
	}
	for d, want := range map[string]string{"26": "3", "48": "6", "0": "1", "8": "1", "24": "1", "55": "1", "56": ""} {
		if of[d] != want {
			t.Errorf("DSCP %s goes to %q, want %q", d, of[d], want)
		}
	}
	// A class of the file with priority 1 has that traffic class for itself.
	_, text, _ = family.One(t, func(f *fabric.Fabric) {
		f.Classes = append(f.Classes, fabric.Class{Name: "b", Priority: 1, DSCP: 10, Share: 0.1})
	})
	if !strings.Contains(text, "\nqos map dscp 10 to traffic-class 1\n") ||
		!strings.Contains(text, "to traffic-class 0\n") {
		t.Error(text)
	}
}

func TestShares(t *testing.T) {
	for _, part := range []string{"arista-7060cx-32", "arista-7050qx-32"} {
		_, text, _ := family.One(t, func(f *fabric.Fabric) {
			f.Switches[0].Part, f.Classes[0].Share = dcbtest.Part(t, part), 0.6
		})
		for _, w := range []string{"qos profile LINERATE\n", "uc-tx-queue 1\n      no priority\n      bandwidth percent 40\n",
			"uc-tx-queue 3\n      no priority\n      bandwidth percent 60\n      random-detect ecn minimum-threshold",
			"uc-tx-queue 6\n      priority strict\n", "   service-profile LINERATE\n"} {
			if !strings.Contains(text, w) {
				t.Errorf("%s: no %q in\n%s", part, w, text)
			}
		}
	}
	// If the chip's keyword for a queue is unknown, the device's files report the missing profile; PFC and maps are set.
	d, text, _ := family.One(t, func(f *fabric.Fabric) {
		other := *f.Switches[0].Part
		info := *other.Switch
		info.Chip = "Broadcom Jericho"
		other.Switch = &info
		f.Switches[0].Part = &other
	})
	if strings.Contains(text, "profile") || !strings.Contains(text, "priority-flow-control priority 3 no-drop") ||
		!strings.Contains(strings.Join(d.Missing, ""), "uc-tx-queue or tx-queue") {
		t.Errorf("%v\n%s", d.Missing, text)
	}
}

func TestNames(t *testing.T) {
	family.PortNames(t, eos.PortName, map[string]string{"arista-7060cx-32 1/0": "Ethernet1/1",
		"arista-7060cx-32 32/3": "Ethernet32/3", "arista-7050qx-32 24/0": "Ethernet24/1",
		"arista-7050qx-32 25/0": "Ethernet25", "arista-7050qx-32 25/2": "", "arista-7060cx-32 33/0": "", "sn2700 1/0": ""})
}

// TestUndo: the commands of apply are undone, the ports before the profile that they use.
func TestUndo(t *testing.T) {
	d, _, _ := family.One(t, func(f *fabric.Fabric) { f.Subnets[0].VLAN = 711 })
	want := `enable
configure
interface Ethernet1/1
   no dcbx mode
   no priority-flow-control
   no service-profile LINERATE
   no qos trust
   no switchport trunk allowed vlan
   no switchport mode
   no mtu
no vlan 711
no qos profile LINERATE
no qos map traffic-class 6 to tx-queue 6
`
	_, text, _ := strings.Cut(d.File("undo.txt").Text(), "\n")
	if !strings.HasPrefix(text, want) {
		t.Errorf("got\n%s\nwant\n%s", text, want)
	}
	if strings.Contains(text, "no exit") || strings.Contains(text, "no end") || strings.Contains(text, "no no") {
		t.Error(text)
	}
}

func TestMTU(t *testing.T) {
	for mtu, want := range map[int]string{1500: "", 9000: "mtu 9214", 9214: "mtu 9214", 9215: ""} {
		d, text, _ := family.One(t, func(f *fabric.Fabric) { f.MTU = mtu })
		if !strings.Contains(text, want) || (want == "") == strings.Contains(text, "   mtu ") {
			t.Errorf("MTU %d: want %q in\n%s", mtu, want, text)
		}
		if named := strings.Contains(strings.Join(d.Missing, "\n"), "MTU"); named != (mtu > 9214) {
			t.Errorf("MTU %d: %v", mtu, d.Missing)
		}
	}
}

func TestTrust(t *testing.T) {
	for trust, want := range map[string]string{"dscp": "   qos trust dscp\n", "pcp": "   qos trust cos\n",
		"port": "   no qos trust\n"} {
		_, text, _ := family.One(t, func(f *fabric.Fabric) { f.Trust = trust })
		if !strings.Contains(text, want) || strings.Contains(text,
			"qos map cos 3 to traffic-class 3\n") != (trust == "pcp") ||
			strings.Contains(text, "qos map dscp") != (trust == "dscp") {
			t.Errorf("%s: want %q in\n%s", trust, want, text)
		}
	}
	family.Refused(t, "EOS's own", func(f *fabric.Fabric) { f.Classes[0].Priority = 7 })
}

// TestAnswersHaveThatShape: the entries of verify.json match the form of real switch output, with PFC off.
func TestAnswersHaveThatShape(t *testing.T) {
	answers := map[string]string{"show priority-flow-control": "show-priority-flow-control.txt",
		"show interfaces Ethernet1/1": "show-interfaces.txt"}
	_, _, expect := family.One(t, func(*fabric.Fabric) {})
	// Expectations without a form are only to read: no output of a switch was available.
	expect = slices.DeleteFunc(expect, func(e dcb.Expect) bool { return e.Form == "" })
	dcbtest.Answers(t, expect, answers, func(e dcb.Expect, answer string) {
		if want := strings.Replace(e.Want, "Et1/1 E", "Et1 D", 1); !dcbtest.Line(answer, want) {
			t.Errorf("%s: no line with %q", e.Command, want)
		}
	})
}

func TestHostileNames(t *testing.T) { family.HostileNames(t) }

func FuzzNames(f *testing.F) { family.FuzzNames(f) }
