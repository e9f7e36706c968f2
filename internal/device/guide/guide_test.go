package guide_test

import (
	"path/filepath"
	"strings"
	"testing"

	"linerate/internal/design/catalog"
	"linerate/internal/design/ceiling"
	"linerate/internal/design/fabric"
	"linerate/internal/design/plan"
	"linerate/internal/device/config"
	"linerate/internal/device/configtest"
	"linerate/internal/device/guide"
	"linerate/internal/device/render"
	"linerate/internal/testenv"
)

// simulated replaces rendered devices, so that these tests do not depend on a family's texts.
func simulated(p *plan.Plan) []config.Device {
	var out []config.Device
	steps := []config.Step{
		{Do: "look"},
		{Do: "apply", Interrupts: "its links"},
		{Do: "to take it back: undo", Interrupts: "everything"},
	}
	for _, h := range p.Hosts {
		out = append(out,
			config.Device{Name: h.Name, Family: "linux", What: "host, " + h.OS + " " + h.Decl.Version, Steps: steps})
	}
	for _, s := range p.Switches {
		out = append(out, config.Device{Name: s.Name, Family: "onyx", What: "switch", Steps: steps})
	}
	return out
}

func TestGolden(t *testing.T) {
	for _, path := range []string{"examples/mesh-10g.yaml", "examples/roce-100g.yaml", "examples/eval-25g.yaml",
		"examples/pairs-ib.yaml", "examples/designs/leaf-spine-16.yaml", "examples/designs/all-families.yaml"} {
		p := configtest.Plan(t, path)
		f := guide.Readme(p, simulated(p), nil, nil)
		configtest.Compare(t, configtest.Golden{Folder: strings.TrimSuffix(filepath.Base(path), ".yaml"),
			Device: &config.Device{Files: []config.File{f}}})
	}
}

func text(p *plan.Plan, refused ...string) string {
	f := guide.Readme(p, simulated(p), nil, refused)
	return f.Text()
}

func wants(t *testing.T, text string, words ...string) {
	t.Helper()
	for _, w := range words {
		if !strings.Contains(text, w) {
			t.Errorf("no %q in\n%s", w, text)
		}
	}
}

// TestExamples: the page lists every device and the interruptions of each, and is not too long.
func TestExamples(t *testing.T) {
	for _, pattern := range []string{"../../../examples/*.yaml", "../../../examples/designs/*.yaml"} {
		paths, err := filepath.Glob(pattern)
		if err != nil || len(paths) == 0 {
			t.Fatal(pattern, err)
		}
		for _, path := range paths {
			s := render.Render(configtest.Plan(t, strings.TrimPrefix(filepath.ToSlash(path), "../../../")))
			f := s.Readme()
			page := f.Text()
			if again := s.Readme(); again.Text() != page {
				t.Errorf("%s: two pages of one plan differ", path)
			}
			if lines := strings.Count(page, "\n"); lines > 110 {
				t.Errorf("%s: %d lines", path, lines)
			}
			if len(s.Devices) <= 8 {
				for _, d := range s.Devices {
					wants(t, page, d.Name)
					for _, st := range d.Steps {
						if st.Interrupts != "" {
							wants(t, page, strings.TrimSuffix(st.Interrupts, "."))
							break
						}
					}
				}
			}
			for _, r := range s.Refused {
				wants(t, page, "- "+r)
			}
		}
	}
}

// TestExpected: the rates are those of the formula for the link, or for the slot if it is lower.
func TestExpected(t *testing.T) {
	p := configtest.Plan(t, "examples/mesh-10g.yaml")
	c, err := ceiling.TCPOverEthernet(10e9, ceiling.Ethernet{MTU: 1500}) // one end is Windows
	if err != nil {
		t.Fatal(err)
	}
	wants(t, text(p), "iperf3 -c nas -P 8      "+c.Rate.String()+"  10.0 Gb/s, MTU 1500", "homelab  nas      ping -c "+
		"3 nas  iperf3 -c nas -P 8      9.41 Gb/s",
		"The ceiling with a Windows end is 9.49 Gb/s; with timestamps it is 9.41 Gb/s", "PCIe 2.0 x2: 6.86 Gb/s")
	catalog := testenv.Must(catalog.Load())(t)
	f, problems := fabric.Load("../../../examples/roce-100g.yaml", fabric.Options{Catalog: catalog, Variant: "riser"})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	page := text(plan.Build(f))
	wants(t, page, "the slot of nas.cx5 (PCIe 1.0 x8)", "linerate run roce-100g.yaml --variant riser", "-M do -s 8972",
		"ping -f -l 8972")
}

// TestOrder: switches come first, then hosts, virtual machines, and the machine that linerate runs on.
func TestOrder(t *testing.T) {
	page := text(configtest.Text(t, `
fabric: o
hosts:
  here: {os: linux, connect: local, nics: {n: {part: MCX516A-CDAT}}}
  vm: {os: linux, on: far, nics: {f: {vf: far.n.1}}}
  far: {os: freebsd, nics: {n: {part: MCX516A-CDAT, vfs: 2}}}
switches: {sw: {part: SN2010, os: onyx}}
links: [{ends: [here.n.1, sw.1], subnet: s}, {ends: [far.n.1, sw.2], subnet: s}]
subnets: {s: {range: 10.9.0.0/24}}
`))
	at := -1
	for _, turn := range []string{"   - sw (", "   - far (", "   - vm (virtual machine, ", "   - here ("} {
		next := strings.Index(page, turn)
		if next <= at {
			t.Errorf("%q is not there or too early:\n%s", turn, page)
		}
		at = next
	}
	wants(t, page, "Switches come first", "A virtual machine comes after")
}

// TestLarge: the page of three hundred hosts is not longer than that of three.
func TestLarge(t *testing.T) {
	page := text(configtest.Text(t, `
fabric: large
hosts: {"n[1-300]": {os: linux, version: Debian 12, nics: {c: {part: {kind: nic, speed: 25G, ports: 1, cage: sfp28}}}}}
switches: {sw: {part: {kind: switch, speed: 25G, ports: 300, cage: sfp28}}}
links: [{ends: ["n[1-300].c", "sw.[1-300]"], subnet: s}]
subnets: {s: {range: 10.9.0.0/16}}
`))
	wants(t, page, "And 276 more cables", "n[1-300] without n1  n1", "   - n[1-300] (linux Debian 12)")
	if n := strings.Count(page, "\n"); n > 100 {
		t.Errorf("%d lines:\n%s", n, page)
	}
}

// TestTexts: texts of the file stay on their lines, whatever they contain; a host that forwards is named; IPv6 has
// separate commands.
func TestTexts(t *testing.T) {
	p := configtest.Text(t, `
fabric: f
mtu: 9000
addressing: {pool: "fd00:7::/48", prefix: 64}
hosts:
  a: {os: freebsd, settings: {forwarding: on}, nics: {n: {part: MCX516A-CDAT}}}
  w: {os: windows, version: "x\u202ey", nics: {n: {part: {kind: nic, name: "c\u2028d $(reboot)", speed: 100G, ports: 1,
cage: qsfp28}}}}
links: [{ends: [a.n.1, w.n]}]
`)
	page := text(p, "switch x:\nsecond line")
	wants(t, page, "By the file, a forward packets", "ping fd00:7", "-Protocol ICMPv6 -IcmpType 128",
		"switch x:?second line")
	if strings.ContainsAny(page, "\u2028\u202e") {
		t.Error(page)
	}
	if strings.Contains(page, "hosts files map") {
		t.Error("no hosts files were asked for")
	}
	hostile := *p.Fabric
	hostile.Path = "a'; reboot\n.yaml"
	q := *p
	q.Fabric = &hostile
	wants(t, text(&q), `linerate plan 'a'\''; reboot?.yaml' -o DIR`)
}

// TestNothing: the page of a fabric with nothing to test has no tests.
func TestNothing(t *testing.T) {
	page := text(&plan.Plan{Name: "f"})
	for _, w := range []string{"## Test each link", "## Your LAN", "Plug in the cables",
		"Set up the devices", "install the NICs", "## Devices without"} {
		if strings.Contains(page, w) {
			t.Errorf("%q in the page of an empty plan:\n%s", w, page)
		}
	}
	wants(t, page, "# f: how to build it", "linerate plan FABRIC.yaml -o DIR")
}

// TestPathsOfOneSwitch: each host of a switch has its own link in its path, so a slower one has another rate.
func TestPathsOfOneSwitch(t *testing.T) {
	page := text(configtest.Text(t, `
fabric: s
hosts:
  a: {os: linux, nics: {n: {part: {kind: nic, speed: 25G, ports: 1, cage: sfp28}}}}
  b: {os: linux, nics: {n: {part: {kind: nic, speed: 25G, ports: 1, cage: sfp28}}}}
  c: {os: linux, nics: {n: {part: {kind: nic, speed: 10G, ports: 1, cage: sfp+}}}}
switches: {sw: {part: {kind: switch, speed: 25G, ports: 4, cage: sfp28}}}
links: [{ends: [a.n, sw.1], subnet: s}, {ends: [b.n, sw.2], subnet: s}, {ends: [c.n, sw.3], subnet: s}]
subnets: {s: {range: 10.9.0.0/24}}
`))
	wants(t, page, "23.5 Gb/s  25.0 Gb/s, MTU 1500", "9.41 Gb/s  10.0 Gb/s, MTU 1500")
}
