package cumulus

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"linerate/internal/config/dcb"
	"linerate/internal/config/dcb/dcbtest"
	"linerate/internal/config/device"
	"linerate/internal/design/catalog"
	"linerate/internal/design/fabric"
	"linerate/internal/testenv"
)

func one(t *testing.T, change func(*fabric.Fabric)) (*device.Device, string, []dcb.Expect) {
	t.Helper()
	p := dcbtest.One(t, "cumulus", "5.15", dcbtest.Part(t, "sn2700"), change)
	d, err := Switch(p, p.Switches[0])
	if err != nil {
		t.Fatal(err)
	}
	return &d, d.File("apply.sh").Text(), dcbtest.Expectations(t, &d)
}

// The RoCE mode is for classes that are what it sets up; other shares are set beside it; all else is set one by one.
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
		d, text, _ := one(t, c.change)
		if mode, sched := strings.Contains(text, "\nnv set qos roce mode lossless\n"), strings.Contains(text, "qos egress-scheduler"); mode != c.mode || sched != c.sched {
			t.Errorf("%s: mode %v, want %v; scheduler %v, want %v:\n%s", c.name, mode, c.mode, sched, c.sched, text)
		}
		if said := strings.Contains(strings.Join(d.Unverified, "\n"), "shares other than"); said != (c.mode && c.sched) {
			t.Errorf("%s: said that both together are not in the guide: %v", c.name, said)
		}
	}
}

// Every setting is taken back by words that begin as its own do, the last one first.
func TestUndo(t *testing.T) {
	for _, change := range []func(*fabric.Fabric){func(*fabric.Fabric) {}, func(f *fabric.Fabric) { f.Classes[0].Priority, f.Subnets[0].VLAN = 4, 711 }} {
		d, text, _ := one(t, change)
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
			found := false
			for _, u := range unset {
				found = found || strings.HasPrefix(words, u)
			}
			if !found {
				t.Errorf("%q is not taken back by any of %q", l, unset)
			}
		}
	}
}

func TestVersions(t *testing.T) {
	for version, want := range map[string]string{"5.14": "dcbx-pfc-tlv on\n", "5.15": "dcbx-pfc-tlv enabled\n", "5.15.1": "dcbx-pfc-tlv enabled\n", "": ""} {
		d, text, _ := one(t, func(f *fabric.Fabric) { f.Switches[0].Version = version })
		if !strings.Contains(text, want) || strings.Contains(text, "dcbx-pfc-tlv") == (want == "") {
			t.Errorf("%q: want %q in\n%s", version, want, text)
		}
		if missing := strings.Join(d.Missing, ""); (want == "") != strings.Contains(missing, "dcbx") {
			t.Errorf("%q: %q", version, missing)
		}
	}
	p := dcbtest.One(t, "cumulus", "4.4", nil, func(*fabric.Fabric) {})
	if _, err := Switch(p, p.Switches[0]); err == nil || !strings.Contains(err.Error(), "no NVUE") {
		t.Errorf("4.4: %v", err)
	}
}

// On a chip that the guide does not describe, nothing of the classes is set and that is said.
func TestOtherChip(t *testing.T) {
	d, text, _ := one(t, func(f *fabric.Fabric) { f.Switches[0].Part = dcbtest.Part(t, "dell-z9100-on") })
	if strings.Contains(text, " qos ") && !strings.Contains(text, "pfc-watchdog") || !strings.Contains(strings.Join(d.Missing, ""), "Tomahawk") {
		t.Errorf("%v\n%s", d.Missing, text)
	}
}

func TestCableLength(t *testing.T) {
	for length, want := range map[float64]string{3: "", 100: "", 100.5: "cable-length 101", 300: "cable-length 300"} {
		_, text, _ := one(t, func(f *fabric.Fabric) {
			p, err := catalog.Written(catalog.WrittenPart{Kind: "cable", Media: "fiber", Ends: []string{"qsfp28", "qsfp28"}, Length: length})
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

// The scripts are shell.
func TestShell(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		testenv.Missing(t, "sh")
	}
	d, _, _ := one(t, func(f *fabric.Fabric) { f.Classes[0].Priority = 4 })
	for i := range d.Files {
		if f := &d.Files[i]; f.Exec {
			c := exec.Command("sh", "-n")
			c.Stdin = strings.NewReader(f.Text())
			if out, err := c.CombinedOutput(); err != nil {
				t.Errorf("%s: %v %s", f.Name, err, out)
			}
		}
	}
}

// What verify.json expects has the shape of what the guide prints.
func TestAnswersHaveThatShape(t *testing.T) {
	read := func(name string) string {
		b, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	answers := map[string]string{"nv show qos roce": "nv-show-qos-roce.txt", "nv show interface swp1": "nv-show-interface.txt", "nv show qos pfc default-global": "nv-show-qos-pfc.txt",
		"nv show qos egress-scheduler default-global": "nv-show-qos-egress-scheduler.txt", "nv show qos congestion-control default-global": "nv-show-qos-congestion-control.txt"}
	// The guide's examples of these are of other settings.
	other := strings.NewReplacer("4 dwrr 50", "3 dwrr 20", "0 dwrr 50", "2 dwrr 30", "4 enable disable 150000 B 1500000 B 100", "4 enable enable 40000 B 200000 B 100")
	for _, change := range []func(*fabric.Fabric){func(*fabric.Fabric) {}, func(f *fabric.Fabric) { f.Classes[0].Priority = 4 }} {
		_, _, expect := one(t, change)
		for _, e := range expect {
			text := read(answers[e.Command])
			switch e.Form {
			case "lines":
				want := other.Replace(e.Want)
				if want == "6 strict" {
					want = "0 strict"
				}
				if !dcbtest.Line(text, want) {
					t.Errorf("%s: no line with %q", e.Command, want)
				}
			case "tree":
				got, ok := dcbtest.Tree(text, e.Where)
				if !ok || e.Command == "nv show qos roce" && got != e.Want {
					t.Errorf("%s: at %q is %q (%v), expected %q", e.Command, e.Where, got, ok, e.Want)
				}
			default:
				t.Errorf("%s: form %q", e.Command, e.Form)
			}
		}
	}
}

func TestHostileNames(t *testing.T) {
	for _, name := range dcbtest.Hostile {
		dcbtest.Names(t, "cumulus", "5.15", dcbtest.Part(t, "sn2700"), Switch, name)
	}
}

func FuzzNames(f *testing.F) {
	for _, name := range dcbtest.Hostile {
		f.Add(name)
	}
	sn := dcbtest.Part(f, "sn2700")
	f.Fuzz(func(t *testing.T, name string) { dcbtest.Names(t, "cumulus", "5.15", sn, Switch, name) })
}
