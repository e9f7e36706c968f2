package sonic

import (
	"encoding/json"
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
	p := dcbtest.One(t, "sonic", "202311", dcbtest.Part(t, "sn2700"), change)
	d, err := Switch(p, p.Switches[0])
	if err != nil {
		t.Fatal(err)
	}
	return &d, d.File("apply.sh").Text(), dcbtest.Expectations(t, &d)
}

// qos are the tables of a device's fragment.
func qos(t *testing.T, d *device.Device) map[string]map[string]map[string]string {
	t.Helper()
	var v map[string]map[string]map[string]string
	if f := d.File("qos.json"); f == nil {
		return nil
	} else if err := json.Unmarshal([]byte(f.Text()), &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// The trap of SONiC's own map: 26 is ordinary traffic there, and 3 and 4 are lossless.
func TestCodePoints(t *testing.T) {
	d, _, _ := one(t, func(*fabric.Fabric) {})
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
	d, _, _ := one(t, func(f *fabric.Fabric) { f.Classes[0].Share = 0.6 })
	v := qos(t, d)
	for queue, want := range map[string]map[string]string{"0": {"type": "DWRR", "weight": "40"}, "3": {"type": "DWRR", "weight": "60"}, "6": {"type": "STRICT"}} {
		name := v["QUEUE"]["Ethernet0|"+queue]["scheduler"]
		if got := v["SCHEDULER"][name]; len(got) != len(want) || got["type"] != want["type"] || got["weight"] != want["weight"] {
			t.Errorf("queue %s: %v, want %v", queue, got, want)
		}
	}
	if got := v["QUEUE"]["Ethernet0|3"]["wred_profile"]; got != "AZURE_LOSSLESS" {
		t.Errorf("queue 3 is marked by %q", got)
	}
}

// What SONiC's template cannot do is refused, and nothing half of it is rendered.
func TestRefused(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*fabric.Fabric)
		want   string
	}{
		"priority 5": {func(f *fabric.Fabric) { f.Classes[0].Priority = 5 }, "priorities 3 and 4 alone"},
		"PCP":        {func(f *fabric.Fabric) { f.Trust = "pcp" }, "storage back ends"},
	} {
		p := dcbtest.One(t, "sonic", "202311", dcbtest.Part(t, "sn2700"), c.change)
		if d, err := Switch(p, p.Switches[0]); err == nil || !strings.Contains(err.Error(), c.want) || len(d.Files) > 0 {
			t.Errorf("%s: %v, %d files", name, err, len(d.Files))
		}
	}
	d, text, _ := one(t, func(f *fabric.Fabric) { f.Classes[0].ECN = false })
	if !strings.Contains(strings.Join(d.Missing, "\n"), "not to be marked") || !strings.Contains(text, "pfc priority Ethernet0 3 on") {
		t.Errorf("%v\n%s", d.Missing, text)
	}
}

func TestNames(t *testing.T) {
	for _, c := range []struct {
		part  string
		index int
		lane  int
		want  string
	}{{"sn2700", 1, 0, "Ethernet0"}, {"sn2700", 32, 0, "Ethernet124"}, {"sn2010", 19, 0, "Ethernet72"}, {"sn2010", 22, 4, "Ethernet87"}, {"sn2700", 33, 0, ""}, {"sx6036", 1, 0, ""}} {
		p := dcbtest.One(t, "sonic", "", dcbtest.Part(t, c.part), func(f *fabric.Fabric) { f.Links[0].Ends[1].Index, f.Links[0].Ends[1].Lane = c.index, c.lane })
		ports, _ := dcb.Ports(p, p.Switches[0])
		if got := p.Switches[0].SONiCPort(ports[0].SwitchPort); got != c.want {
			t.Errorf("%s port %d/%d: %q, want %q", c.part, c.index, c.lane, got, c.want)
		}
		if _, err := Switch(p, p.Switches[0]); (err != nil) != (c.want == "") {
			t.Errorf("%s port %d/%d: %v", c.part, c.index, c.lane, err)
		}
	}
	p := dcbtest.One(t, "sonic", "", nil, func(*fabric.Fabric) {})
	if _, err := Switch(p, p.Switches[0]); err == nil || !strings.Contains(err.Error(), "does not say the model") {
		t.Errorf("no part: %v", err)
	}
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
		_, text, _ := one(t, func(f *fabric.Fabric) {
			f.Switches[0].Version = c.version
			part, err := catalog.Written(catalog.WrittenPart{Kind: "cable", Media: "fiber", Ends: []string{"qsfp28", "qsfp28"}, Length: c.length})
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
	for mtu, want := range map[int]string{1500: "", 9000: "mtu Ethernet0 9100", 9100: "mtu Ethernet0 9100", 9101: "mtu Ethernet0 9101", 9216: "mtu Ethernet0 9216"} {
		d, text, _ := one(t, func(f *fabric.Fabric) { f.MTU = mtu })
		if !strings.Contains(text, want) || (want == "") == strings.Contains(text, "mtu Eth") {
			t.Errorf("MTU %d: want %q in\n%s", mtu, want, text)
		}
		if strings.Contains(strings.Join(d.Missing, "\n"), "MTU") {
			t.Errorf("MTU %d: %v", mtu, d.Missing)
		}
	}
	p := dcbtest.One(t, "sonic", "202311", dcbtest.Part(t, "sn2700"), func(f *fabric.Fabric) { f.MTU = 9217 })
	if _, err := Switch(p, p.Switches[0]); err == nil || !strings.Contains(err.Error(), "the most that SONiC takes is 9216") {
		t.Errorf("MTU 9217: %v", err)
	}
}

// The scripts are shell.
func TestShell(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		testenv.Missing(t, "sh")
	}
	d, _, _ := one(t, func(*fabric.Fabric) {})
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

// What verify.json expects has the shape of what switches answered; their settings were others.
func TestAnswersHaveThatShape(t *testing.T) {
	answers := map[string]string{"show interfaces status": "show-interfaces-status.txt", "show pfc priority": "show-pfc-priority.txt", "show pfcwd config": "show-pfcwd-config.txt",
		"show ecn": "show-ecn.txt", "show vlan config": "show-vlan-config.txt"}
	same := map[string]string{"show interfaces status": "9100", "show pfc priority": "3,4", "show pfcwd config": "drop"}
	_, _, expect := one(t, func(f *fabric.Fabric) {
		f.Switches = append(f.Switches, &fabric.Switch{Name: "s2", OS: "sonic"})
		f.Links[0].Ends[0] = fabric.Port{Switch: "s2", Index: 1}
	})
	seen := map[string]bool{}
	for _, e := range expect {
		if e.Form == "json" {
			const answer = `{"AZURE": {"26": "3", "48": "6"}}` // the table as qos.json has it: --var-json prints a table of the configuration
			if got, ok := dcbtest.JSON(answer, e.Where); !ok || got != e.Want {
				t.Errorf("%s: %q is %q", e.Command, e.Where, got)
			}
			continue
		}
		b, err := os.ReadFile(filepath.Join("testdata", answers[e.Command]))
		if err != nil {
			t.Fatalf("%s: %v", e.Command, err)
		}
		seen[e.Command] = true
		switch e.Form {
		case "lines":
			if want := strings.NewReplacer("Vlan2 2 Ethernet0 untagged", "Vlan100 100 Ethernet0 tagged").Replace(e.Want); !dcbtest.Line(string(b), want) {
				t.Errorf("%s: no line with %q", e.Command, want)
			}
		case "table":
			if got, ok := dcbtest.Table(string(b), e.Where); !ok || got != same[e.Command] {
				t.Errorf("%s: at %q is %q (%v), want %q", e.Command, e.Where, got, ok, same[e.Command])
			}
		}
	}
	if len(seen) != len(answers) {
		t.Errorf("only %v are expected to answer something", seen)
	}
}

func TestHostileNames(t *testing.T) {
	for _, name := range dcbtest.Hostile {
		dcbtest.Names(t, "sonic", "202311", dcbtest.Part(t, "sn2700"), Switch, name)
	}
}

func FuzzNames(f *testing.F) {
	for _, name := range dcbtest.Hostile {
		f.Add(name)
	}
	sn := dcbtest.Part(f, "sn2700")
	f.Fuzz(func(t *testing.T, name string) { dcbtest.Names(t, "sonic", "202311", sn, Switch, name) })
}
