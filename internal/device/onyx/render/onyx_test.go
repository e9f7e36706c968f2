package render

import (
	"strings"
	"testing"

	"linerate/internal/design/fabric"
	"linerate/internal/device/dcb"
	"linerate/internal/device/dcb/dcbtest"
)

var family = dcbtest.Family{OS: "onyx", Version: "3.10.4606", Part: "sn2700", Commands: "apply.txt", Switch: Switch}

// TestOneCommand: the roce command is used for Spectrum from 3.8.2000 on, and for classes that match it.
func TestOneCommand(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*fabric.Fabric)
		want   bool
	}{
		{"as the mode has it", func(*fabric.Fabric) {}, true},
		{"the first release with it", func(f *fabric.Fabric) { f.Switches[0].Version = "3.8.2000" }, true},
		{"the one before", func(f *fabric.Fabric) { f.Switches[0].Version = "3.8.1999" }, false},
		{"no release", func(f *fabric.Fabric) { f.Switches[0].Version = "" }, false},
		{"SwitchX", func(f *fabric.Fabric) { f.Switches[0].Part = dcbtest.Part(t, "sx6036") }, false},
		{"no part", func(f *fabric.Fabric) { f.Switches[0].Part = nil }, false},
		{"another share", func(f *fabric.Fabric) { f.Classes[0].Share = 0.6 }, false},
		{"another priority", func(f *fabric.Fabric) { f.Classes[0].Priority = 4 }, false},
		{"another code point", func(f *fabric.Fabric) { f.Classes[0].DSCP = 24 }, false},
		{"no marking", func(f *fabric.Fabric) { f.Classes[0].ECN = false }, false},
		{"lossy", func(f *fabric.Fabric) { f.Classes[0].Lossless = false }, false},
		{"by PCP", func(f *fabric.Fabric) { f.Trust = "pcp" }, false},
		{"two lossless classes", func(f *fabric.Fabric) {
			f.Classes = append(f.Classes, fabric.Class{Name: "b", Priority: 4, DSCP: 34, Lossless: true, ECN: true, Share: 0.2})
		}, false},
		{"notifications with a share", func(f *fabric.Fabric) {
			f.Classes = append(f.Classes, fabric.Class{Name: "n", Priority: 6, DSCP: 48, Share: 0.1})
		}, false},
	} {
		_, text, _ := family.One(t, c.change)
		if got := strings.Contains(text, "\nroce lossless\n"); got != c.want {
			t.Errorf("%s: the one command %v, want %v:\n%s", c.name, got, c.want, text)
		}
		if single := strings.Contains(text, "dcb priority-flow-control mode on force"); single == c.want &&
			c.name != "lossy" {
			t.Errorf("%s: both forms or none:\n%s", c.name, text)
		}
	}
}

// TestSwitchX: SwitchX gets neither marking nor pools, which are documented for Spectrum, and the files report both.
func TestSwitchX(t *testing.T) {
	for _, os := range []string{"onyx", "mlnx-os"} {
		d, text, _ := family.One(t, func(f *fabric.Fabric) {
			f.Switches[0].Part, f.Switches[0].OS, f.Switches[0].Version = dcbtest.Part(t, "sx6012"), os, "3.6.8012"
		})
		if strings.Contains(text, "congestion-control") || strings.Contains(text, "traffic pool") ||
			!strings.Contains(text, "dcb priority-flow-control priority 3 enable") {
			t.Error(text)
		}
		if all := strings.Join(d.Missing, "\n"); !strings.Contains(all, "ECN") || !strings.Contains(all, "buffers") {
			t.Errorf("%s: not named: %q", os, all)
		}
	}
}

func TestMTU(t *testing.T) {
	for _, c := range []struct {
		host int
		want string
	}{{1500, ""}, {1501, "mtu 9216 force"}, {9000, "mtu 9216 force"}, {9216, "mtu 9216 force"}, {9217, "mtu 9217 force"},
		{9612, "mtu 9612 force"}} {
		d, text, _ := family.One(t, func(f *fabric.Fabric) { f.MTU = c.host })
		if got := strings.Contains(text, " mtu "); got != (c.want != "") || !strings.Contains(text, c.want) {
			t.Errorf("MTU %d: want %q in:\n%s", c.host, c.want, text)
		}
		if strings.Contains(strings.Join(d.Missing, "\n"), "MTU") {
			t.Errorf("MTU %d: named as missing: %v", c.host, d.Missing)
		}
	}
	family.Refused(t, "the most that Onyx takes is 9612", func(f *fabric.Fabric) { f.MTU = 9613 })
}

// TestCodePointElsewhere: a code point that the default map sorts differently is reported, because no manual describes
// how to change it.
func TestCodePointElsewhere(t *testing.T) {
	d, _, _ := family.One(t, func(f *fabric.Fabric) { f.Classes[0].DSCP = 34 })
	if !strings.Contains(strings.Join(d.Missing, "\n"),
		"DSCP 34 is to have priority 3; Onyx gives it priority 4 by itself") {
		t.Error(d.Missing)
	}
}

// TestAnswersHaveThatShape: the entries of verify.json match the form of real switch output.
func TestAnswersHaveThatShape(t *testing.T) {
	answers := map[string]string{"show dcb priority-flow-control": "show-dcb-priority-flow-control.json",
		"show dcb ets interface ethernet 1/1":             "show-dcb-ets.json",
		"show interfaces ethernet 1/1 congestion-control": "show-congestion-control.json",
		"show qos interface ethernet 1/1":                 "show-qos-interface.json",
		"show traffic pool roce":                          "show-traffic-pool.json",
		"show lldp interfaces":                            "show-lldp-interfaces.json",
		"show interfaces ethernet 1/1":                    "show-interfaces-ethernet.txt"}
	// These values of published outputs match the plan's; the others have another configuration, so only their form is
	// compared.
	equal := map[string]bool{"PFC oper": true, "Type": true, "Switch Priorities": true, "Memory [%]": true,
		"Receive": true, "Transmit": true, "Mode": true}
	_, _, expect := family.One(t, func(f *fabric.Fabric) { f.Switches[0].Version = "3.6.8130" })
	dcbtest.Answers(t, expect, answers, func(e dcb.Expect, answer string) {
		if e.Form == "lines" {
			if shape := strings.NewReplacer("9216", "1500", "9238", "1522").Replace(e.Want); !dcbtest.Line(answer, shape) {
				t.Errorf("%s: no line with %q", e.Command, shape)
			}
			return
		}
		got, ok := dcbtest.JSON(answer, e.Where)
		if !ok {
			t.Errorf("%s: nothing at %q", e.Command, e.Where)
		}
		if key := e.Where[len(e.Where)-1]; equal[key] && got != e.Want {
			t.Errorf("%s: %q is %q, expected %q", e.Command, e.Where, got, e.Want)
		}
	})
}

func TestHostileNames(t *testing.T) {
	family.HostileNames(t)
	other := dcbtest.Family{OS: "mlnx-os", Part: "sx6036", Switch: Switch}
	other.HostileNames(t)
}

func FuzzNames(f *testing.F) {
	for _, name := range dcbtest.Hostile {
		f.Add(name, family.Version)
	}
	f.Fuzz(func(t *testing.T, name, version string) {
		of := family
		of.Version = version
		of.Name(t, name)
	})
}
