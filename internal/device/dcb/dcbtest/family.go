package dcbtest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"linerate/internal/design/catalog"
	"linerate/internal/design/fabric"
	"linerate/internal/design/plan"
	"linerate/internal/device/config"
	"linerate/internal/device/dcb"
	"linerate/internal/testenv"
)

// Family is a family of switches under test, with the switch that its tests render.
type Family struct {
	OS, Version string
	Part        string // of the catalogue; empty: the file does not name the model
	Commands    string // the file with its commands: apply.sh, apply.txt
	Switch      func(*plan.Plan, *plan.Switch) (config.Device, error)
}

// testCatalog is read once for all tests.
var testCatalog = sync.OnceValues(catalog.Load)

// Part returns a part of the catalogue.
func Part(t testing.TB, id string) *catalog.Part {
	t.Helper()
	c, err := testCatalog()
	if err != nil {
		t.Fatal(err)
	}
	p, err := c.Find(id)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func (x Family) part(t testing.TB) *catalog.Part {
	if x.Part == "" {
		return nil
	}
	return Part(t, x.Part)
}

// render renders a switch with one host at port 1 and one lossless class that matches NVIDIA's RoCE mode, after a
// change of its fabric.
func (x Family) render(t testing.TB, change func(*fabric.Fabric)) (config.Device, error) {
	t.Helper()
	f := &fabric.Fabric{Name: "f", MTU: 9000, Trust: "dscp", DCBX: "switch",
		Classes:  []fabric.Class{{Name: "roce", Priority: 3, DSCP: 26, Lossless: true, ECN: true, Share: 0.5}},
		Subnets:  []fabric.Subnet{{Name: "a"}},
		Switches: []*fabric.Switch{{Name: "s", OS: x.OS, Version: x.Version, Part: x.part(t)}},
		Hosts:    []*fabric.Host{{Name: "h", NICs: []*fabric.NIC{{Name: "c"}}}},
		Links: []*fabric.Link{{Name: "l", Subnet: "a",
			Ends: [2]fabric.Port{{Host: "h", NIC: "c", Index: 1}, {Switch: "s", Index: 1}}}}}
	change(f)
	p := plan.Build(f)
	return x.Switch(p, p.Switches[0])
}

// One renders a switch: the device, its commands, and its expected output.
func (x Family) One(t testing.TB, change func(*fabric.Fabric)) (*config.Device, string, []dcb.Expect) {
	t.Helper()
	d, err := x.render(t, change)
	if err != nil {
		t.Fatal(err)
	}
	return &d, d.File(x.Commands).Text(), expectations(t, &d)
}

// Refused expects that a switch is refused for a reason and not rendered.
func (x Family) Refused(t *testing.T, want string, change func(*fabric.Fabric)) {
	t.Helper()
	if d, err := x.render(t, change); err == nil || !strings.Contains(err.Error(), want) || len(d.Files) > 0 {
		t.Errorf("refused with %v, want %q; %d files", err, want, len(d.Files))
	}
}

// PortNames compares the names of ports ("sn2700 22/4": "Ethernet87"), and expects that a switch without a model, or
// with a port without a name, is refused.
func (x Family) PortNames(t *testing.T, name func(*catalog.Part, int, int) string, want map[string]string) {
	t.Helper()
	for port, want := range want {
		var model string
		var index, lane int
		if _, err := fmt.Sscanf(strings.ReplaceAll(port, "/", " "), "%s %d %d", &model, &index, &lane); err != nil {
			t.Fatal(port, err)
		}
		part := Part(t, model)
		_, err := x.render(t, func(f *fabric.Fabric) {
			f.Switches[0].Part, f.Links[0].Ends[1].Index, f.Links[0].Ends[1].Lane = part, index, lane
		})
		if got := name(part, index, lane); (err != nil) != (want == "") || got != want {
			t.Errorf("%s: %q, %v, want %q", port, got, err, want)
		}
	}
	x.Refused(t, "does not say the model", func(f *fabric.Fabric) { f.Switches[0].Part = nil })
}

// Scripts checks that a shell can parse the device's scripts.
func Scripts(t *testing.T, d *config.Device) {
	t.Helper()
	if _, err := exec.LookPath("sh"); err != nil {
		testenv.Missing(t, "sh")
	}
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

// Answers compares each expectation with the output of a switch in a file of testdata, by its command. Every file must
// be used.
func Answers(t *testing.T, expect []dcb.Expect, files map[string]string, compare func(e dcb.Expect, answer string)) {
	t.Helper()
	seen := map[string]bool{}
	for _, e := range expect {
		b, err := os.ReadFile(filepath.Join("testdata", files[e.Command]))
		if err != nil {
			t.Fatalf("%s: no recorded answer: %v", e.Command, err)
		}
		seen[e.Command] = true
		compare(e, string(b))
	}
	if len(seen) != len(files) {
		t.Errorf("only %v are expected to answer something", seen)
	}
}

// HostileNames checks that no hostile name changes a command.
func (x Family) HostileNames(t *testing.T) {
	t.Helper()
	for _, name := range Hostile {
		x.Name(t, name)
	}
}

// FuzzNames checks that no name changes a command.
func (x Family) FuzzNames(f *testing.F) {
	for _, name := range Hostile {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) { x.Name(t, name) })
}
