package eos

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"linerate/internal/config/dcb"
	"linerate/internal/config/dcb/dcbtest"
	"linerate/internal/config/device"
	"linerate/internal/design/fabric"
)

func one(t *testing.T, change func(*fabric.Fabric)) (*device.Device, string, []dcb.Expect) {
	t.Helper()
	p := dcbtest.One(t, "eos", "4.36.0F", dcbtest.Part(t, "arista-7060cx-32"), change)
	d, err := Switch(p, p.Switches[0])
	if err != nil {
		t.Fatal(err)
	}
	return &d, d.File("apply.txt").Text(), dcbtest.Expectations(t, &d)
}

// Every code point but those of EOS's control traffic goes to one traffic class, and ordinary traffic where EOS has its best effort.
func TestCodePoints(t *testing.T) {
	_, text, _ := one(t, func(*fabric.Fabric) {})
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
	// A class of the file with priority 1 has that traffic class to itself.
	_, text, _ = one(t, func(f *fabric.Fabric) {
		f.Classes = append(f.Classes, fabric.Class{Name: "b", Priority: 1, DSCP: 10, Share: 0.1})
	})
	if !strings.Contains(text, "\nqos map dscp 10 to traffic-class 1\n") || !strings.Contains(text, "to traffic-class 0\n") {
		t.Error(text)
	}
}

func TestShares(t *testing.T) {
	for _, c := range []struct {
		part string
		want bool
	}{{"arista-7060cx-32", true}, {"arista-7050qx-32", true}} {
		_, text, _ := one(t, func(f *fabric.Fabric) { f.Switches[0].Part, f.Classes[0].Share = dcbtest.Part(t, c.part), 0.6 })
		for _, w := range []string{"qos profile LINERATE\n", "uc-tx-queue 1\n      no priority\n      bandwidth percent 40\n", "uc-tx-queue 3\n      no priority\n      bandwidth percent 60\n      random-detect ecn minimum-threshold",
			"uc-tx-queue 6\n      priority strict\n", "   service-profile LINERATE\n"} {
			if strings.Contains(text, w) != c.want {
				t.Errorf("%s: %q in it: %v, want %v\n%s", c.part, w, !c.want, c.want, text)
			}
		}
	}
	// On a chip of which the word for a queue is not known there is no profile, and that is said; PFC and maps are there.
	d, text, _ := one(t, func(f *fabric.Fabric) {
		other := *f.Switches[0].Part
		info := *other.Switch
		info.Chip = "Broadcom Jericho"
		other.Switch = &info
		f.Switches[0].Part = &other
	})
	if strings.Contains(text, "profile") || !strings.Contains(text, "priority-flow-control priority 3 no-drop") || !strings.Contains(strings.Join(d.Missing, ""), "uc-tx-queue or tx-queue") {
		t.Errorf("%v\n%s", d.Missing, text)
	}
}

func TestNames(t *testing.T) {
	for _, c := range []struct {
		part        string
		index, lane int
		want        string
	}{{"arista-7060cx-32", 1, 0, "Ethernet1/1"}, {"arista-7060cx-32", 32, 3, "Ethernet32/3"}, {"arista-7050qx-32", 24, 0, "Ethernet24/1"}, {"arista-7050qx-32", 25, 0, "Ethernet25"},
		{"arista-7050qx-32", 25, 2, ""}, {"arista-7060cx-32", 33, 0, ""}, {"sn2700", 1, 0, ""}} {
		p := dcbtest.One(t, "eos", "", dcbtest.Part(t, c.part), func(f *fabric.Fabric) { f.Links[0].Ends[1].Index, f.Links[0].Ends[1].Lane = c.index, c.lane })
		ports, _ := dcb.Ports(p, p.Switches[0])
		got := p.Switches[0].EOSPort(ports[0].SwitchPort)
		if _, err := Switch(p, p.Switches[0]); (err != nil) != (c.want == "") || got != c.want {
			t.Errorf("%s port %d/%d: %q, %v, want %q", c.part, c.index, c.lane, got, err, c.want)
		}
	}
	p := dcbtest.One(t, "eos", "", nil, func(*fabric.Fabric) {})
	if _, err := Switch(p, p.Switches[0]); err == nil || !strings.Contains(err.Error(), "does not say the model") {
		t.Errorf("no part: %v", err)
	}
}

// What apply sets is taken back, the ports first and the profile they use after them.
func TestUndo(t *testing.T) {
	d, _, _ := one(t, func(f *fabric.Fabric) { f.Subnets[0].VLAN = 711 })
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
		d, text, _ := one(t, func(f *fabric.Fabric) { f.MTU = mtu })
		if !strings.Contains(text, want) || (want == "") == strings.Contains(text, "   mtu ") {
			t.Errorf("MTU %d: want %q in\n%s", mtu, want, text)
		}
		if named := strings.Contains(strings.Join(d.Missing, "\n"), "MTU"); named != (mtu > 9214) {
			t.Errorf("MTU %d: %v", mtu, d.Missing)
		}
	}
}

func TestTrust(t *testing.T) {
	for trust, want := range map[string]string{"dscp": "   qos trust dscp\n", "pcp": "   qos trust cos\n", "port": "   no qos trust\n"} {
		_, text, _ := one(t, func(f *fabric.Fabric) { f.Trust = trust })
		if !strings.Contains(text, want) || strings.Contains(text, "qos map cos 3 to traffic-class 3\n") != (trust == "pcp") || strings.Contains(text, "qos map dscp") != (trust == "dscp") {
			t.Errorf("%s: want %q in\n%s", trust, want, text)
		}
	}
	p := dcbtest.One(t, "eos", "4.36.0F", dcbtest.Part(t, "arista-7060cx-32"), func(f *fabric.Fabric) { f.Classes[0].Priority = 7 })
	if _, err := Switch(p, p.Switches[0]); err == nil || !strings.Contains(err.Error(), "EOS's own") {
		t.Errorf("priority 7: %v", err)
	}
}

// What verify.json expects has the shape of what switches answered; PFC was off on that one.
func TestAnswersHaveThatShape(t *testing.T) {
	answers := map[string]string{"show priority-flow-control": "show-priority-flow-control.txt", "show interfaces Ethernet1/1": "show-interfaces.txt"}
	_, _, expect := one(t, func(*fabric.Fabric) {})
	seen := map[string]bool{}
	for _, e := range expect {
		if e.Form == "" {
			continue // for people: no answer of a switch was seen
		}
		b, err := os.ReadFile(filepath.Join("testdata", answers[e.Command]))
		if err != nil {
			t.Fatalf("%s: %v", e.Command, err)
		}
		seen[e.Command] = true
		if want := strings.Replace(e.Want, "Et1/1 E", "Et1 D", 1); !dcbtest.Line(string(b), want) {
			t.Errorf("%s: no line with %q", e.Command, want)
		}
	}
	if len(seen) != len(answers) {
		t.Errorf("only %v are expected to answer something", seen)
	}
}

func TestHostileNames(t *testing.T) {
	for _, name := range dcbtest.Hostile {
		dcbtest.Names(t, "eos", "4.36.0F", dcbtest.Part(t, "arista-7060cx-32"), Switch, name)
	}
}

func FuzzNames(f *testing.F) {
	for _, name := range dcbtest.Hostile {
		f.Add(name)
	}
	part := dcbtest.Part(f, "arista-7060cx-32")
	f.Fuzz(func(t *testing.T, name string) { dcbtest.Names(t, "eos", "4.36.0F", part, Switch, name) })
}
