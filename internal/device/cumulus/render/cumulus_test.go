package render

import (
	"cmp"
	"slices"
	"strings"
	"testing"

	"linerate/internal/design/catalog"
	"linerate/internal/design/fabric"
	"linerate/internal/device/dcb"
	"linerate/internal/device/dcb/dcbtest"
)

var family = dcbtest.Family{OS: "cumulus", Version: "5.15", Part: "sn2700", Commands: "apply.sh", Switch: Switch}

// TestMode: the RoCE mode is used for classes that match it. Other shares are set in addition; any other difference
// makes all settings explicit.
func TestMode(t *testing.T) {
	for _, c := range []struct {
		name        string
		change      func(*fabric.Fabric)
		mode, sched bool
	}{
		{"as the mode has it", func(*fabric.Fabric) {}, true, false},
		{"another share", func(f *fabric.Fabric) { f.Classes[0].Share = 0.6 }, true, true},
		{"another priority", func(f *fabric.Fabric) { f.Classes[0].Priority = 4 }, false, true},
		{"by PCP", func(f *fabric.Fabric) { f.Trust = "pcp" }, false, true},
		{"no marking", func(f *fabric.Fabric) { f.Classes[0].ECN = false }, false, true},
	} {
		d, text, _ := family.One(t, c.change)
		if mode, sched := strings.Contains(text, "\nnv set qos roce mode lossless\n"),
			strings.Contains(text, "qos egress-scheduler"); mode != c.mode || sched != c.sched {
			t.Errorf("%s: mode %v, want %v; scheduler %v, want %v:\n%s", c.name, mode, c.mode, sched, c.sched, text)
		}
		if said := strings.Contains(strings.Join(d.Unverified, "\n"), "shares other than"); said != (c.mode && c.sched) {
			t.Errorf("%s: said that both together are not in the guide: %v", c.name, said)
		}
	}
}

// TestUndo: every setting is undone by a command that begins with the same words.
func TestUndo(t *testing.T) {
	for _, change := range []func(*fabric.Fabric){func(*fabric.Fabric) {},
		func(f *fabric.Fabric) { f.Classes[0].Priority, f.Subnets[0].VLAN = 4, 711 }} {
		d, text, _ := family.One(t, change)
		var unset []string
		for _, l := range strings.Split(d.File("undo.sh").Text(), "\n") {
			if words, ok := strings.CutPrefix(l, "nv unset "); ok {
				unset = append(unset, words)
			}
		}
		for _, l := range strings.Split(text, "\n") {
			words, ok := strings.CutPrefix(l, "nv set ")
			if !ok {
				continue
			}
			if !slices.ContainsFunc(unset, func(u string) bool { return strings.HasPrefix(words, u) }) {
				t.Errorf("%q is not undone by any of %q", l, unset)
			}
		}
	}
}

func TestVersions(t *testing.T) {
	for version, want := range map[string]string{"5.14": "dcbx-pfc-tlv on\n", "5.15": "dcbx-pfc-tlv enabled\n",
		"5.15.1": "dcbx-pfc-tlv enabled\n", "": ""} {
		d, text, _ := family.One(t, func(f *fabric.Fabric) { f.Switches[0].Version = version })
		if !strings.Contains(text, want) || strings.Contains(text, "dcbx-pfc-tlv") == (want == "") {
			t.Errorf("%q: want %q in\n%s", version, want, text)
		}
		if missing := strings.Join(d.Missing, ""); (want == "") != strings.Contains(missing, "dcbx") {
			t.Errorf("%q: %q", version, missing)
		}
	}
	family.Refused(t, "no NVUE", func(f *fabric.Fabric) { f.Switches[0].Version, f.Switches[0].Part = "4.4", nil })
}

// TestOtherChip: on a chip that the guide does not describe, no classes are set, and the device's files report it.
func TestOtherChip(t *testing.T) {
	d, text, _ := family.One(t, func(f *fabric.Fabric) { f.Switches[0].Part = dcbtest.Part(t, "dell-z9100-on") })
	if strings.Contains(text, " qos ") && !strings.Contains(text, "pfc-watchdog") ||
		!strings.Contains(strings.Join(d.Missing, ""), "Tomahawk") {
		t.Errorf("%v\n%s", d.Missing, text)
	}
}

func TestCableLength(t *testing.T) {
	for length, want := range map[float64]string{3: "", 100: "", 100.5: "cable-length 101", 300: "cable-length 300"} {
		_, text, _ := family.One(t, func(f *fabric.Fabric) {
			p, err := catalog.Written(catalog.WrittenPart{Kind: "cable", Media: "fiber", Ends: []string{"qsfp28", "qsfp28"},
				Length: length})
			if err != nil {
				t.Fatal(err)
			}
			f.Links[0].Cable.Part = p
		})
		if (want == "") == strings.Contains(text, "nv set qos pfc") || !strings.Contains(text, want) {
			t.Errorf("%g m: want %q in\n%s", length, want, text)
		}
	}
}

func TestShell(t *testing.T) {
	d, _, _ := family.One(t, func(f *fabric.Fabric) { f.Classes[0].Priority = 4 })
	dcbtest.Scripts(t, d)
}

// TestAnswersHaveThatShape: the entries of verify.json match the form of the guide's output.
func TestAnswersHaveThatShape(t *testing.T) {
	answers := map[string]string{"nv show qos roce": "nv-show-qos-roce.txt",
		"nv show interface swp1": "nv-show-interface.txt", "nv show qos pfc default-global": "nv-show-qos-pfc.txt",
		"nv show qos egress-scheduler default-global":   "nv-show-qos-egress-scheduler.txt",
		"nv show qos congestion-control default-global": "nv-show-qos-congestion-control.txt"}
	// The guide's examples of these have other settings.
	other := map[string]string{"4 dwrr 50": "3 dwrr 20", "0 dwrr 50": "2 dwrr 30", "6 strict": "0 strict",
		"4 enable disable 150000 B 1500000 B 100": "4 enable enable 40000 B 200000 B 100"}
	_, _, expect := family.One(t, func(*fabric.Fabric) {})
	_, _, more := family.One(t, func(f *fabric.Fabric) { f.Classes[0].Priority = 4 })
	dcbtest.Answers(t, append(expect, more...), answers, func(e dcb.Expect, answer string) {
		switch e.Form {
		case "lines":
			if want := cmp.Or(other[e.Want], e.Want); !dcbtest.Line(answer, want) {
				t.Errorf("%s: no line with %q", e.Command, want)
			}
		case "tree":
			got, ok := dcbtest.Tree(answer, e.Where)
			if !ok || e.Command == "nv show qos roce" && got != e.Want {
				t.Errorf("%s: at %q is %q (%v), expected %q", e.Command, e.Where, got, ok, e.Want)
			}
		default:
			t.Errorf("%s: form %q", e.Command, e.Form)
		}
	})
}

func TestHostileNames(t *testing.T) { family.HostileNames(t) }

func FuzzNames(f *testing.F) { family.FuzzNames(f) }
