package render_test

import (
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"linerate/internal/design/plan"
	"linerate/internal/device/configtest"
	"linerate/internal/device/linux/render"
)

// TestGolden compares one host of each fabric, and one with every kind of setting, with golden files.
func TestGolden(t *testing.T) {
	var all []configtest.Golden
	for _, c := range []struct{ design, host string }{
		{"mesh-10g", "homelab"}, {"pairs-ib", "n1"}, {"roce-100g", "node"}, {"roce-100g", "deb"}, {"eval-25g", "target1"},
		{"designs/all-families", "lin"}, {"designs/all-families", "pve"},
	} {
		p := load(t, c.design)
		d := rendered(t, p, p.Host(c.host))
		all = append(all, configtest.Golden{Folder: strings.TrimPrefix(c.design, "designs/") + "." + c.host, Device: &d})
	}
	p := withKinds(t)
	d := rendered(t, p, p.Hosts[0])
	all = append(all, configtest.Golden{Folder: p.Name, Device: &d})
	for _, manager := range []string{"networkd", "netplan", "networkmanager"} {
		h := p.Hosts[0]
		h.Decl.Settings = map[string]string{"network": manager}
		d := rendered(t, p, h)
		d.Files = d.Files[4:]
		all = append(all, configtest.Golden{Folder: p.Name + "." + manager, Device: &d})
	}
	configtest.Compare(t, all...)
}

func TestManagerOfEachSystem(t *testing.T) {
	for _, c := range []struct{ os, version, setting, want string }{
		{"linux", "Debian 12", "", "the plan does not say (Debian comes with one or another, by how it was installed); so " +
			"the script finds out"},
		{"linux", "Ubuntu 24.04 LTS", "", "They are for netplan: Ubuntu comes with netplan"},
		{"linux", "Fedora 42", "", "They are for NetworkManager"},
		{"linux", "Fedora 6", "", "They are for NetworkManager"},
		{"linux", "Red Hat Enterprise Linux 7.3, targetcli 2.1", "", "They are for NetworkManager"},
		{"linux", "Red Hat Enterprise Linux AS 4 U4", "", "this release is older than the keyfiles of NetworkManager"},
		{"linux", "Rocky Linux 9", "", "They are for NetworkManager"},
		{"linux", "Arch", "", "the plan does not say (it is not known here what this system comes with)"},
		{"linux", "", "", "the plan does not say (the fabric file says neither its Linux nor settings: {network: ..})"},
		{"linux", "", "ifupdown", "They are for ifupdown: the fabric file says network: ifupdown"},
		{"proxmox", "8", "", "They are for ifupdown2: Proxmox VE comes with ifupdown2"},
		{"proxmox", "8", "ifupdown", "They are for ifupdown2: the fabric file says network: ifupdown"},
		{"proxmox", "8", "networkd", "They are for systemd-networkd: the fabric file says network: networkd"},
		{"linux", "Debian 12", "none", "the fabric file says network: none"},
	} {
		setting := ""
		if c.setting != "" {
			setting = ", settings: {network: " + c.setting + "}"
		}
		p := configtest.Text(t, fmt.Sprintf("fabric: m\nhosts:\n  a: {os: %s, version: %q%s, nics: {x: {part: {kind: nic, "+
			"speed: 1G}}}}\n  b: {nics: {x: {part: {kind: nic, speed: 1G}}}}\nlinks: [{ends: [a.x, b.x]}]\n", c.os, c.version,
			setting))
		d := rendered(t, p, p.Hosts[0])
		text := strings.Join(d.Missing, "\n")
		for _, s := range d.Steps {
			text += "\n" + s.Do
		}
		if !strings.Contains(text, c.want) {
			t.Errorf("%s %q %s: no %q in %s", c.os, c.version, c.setting, c.want, text)
		}
	}
	p := configtest.Text(t, "fabric: m\nhosts:\n  a: {os: linux, settings: {network: wicked}, nics: {x: {part: {kind: "+
		"nic, speed: 1G}}}}\n  b: {nics: {x: {part: {kind: nic, speed: 1G}}}}\nlinks: [{ends: [a.x, b.x]}]\n")
	if _, err := render.Host(p, p.Hosts[0]); err == nil || !strings.Contains(err.Error(),
		`host a: settings: network: "wicked" is none of netplan, networkd, networkmanager, ifupdown, ifupdown2, none`) {
		t.Errorf("%v", err)
	}
}

// TestHostile: the user's texts are quoted or refused wherever they can be, and a shell can parse every script.
func TestHostile(t *testing.T) {
	taken := 0
	p := withKinds(t)
	h := p.Hosts[0]
	fabric, host, port, decl, settings := p.Name, *h, *h.Ports[0], *h.Decl, slices.Clone(h.Settings)
	restore := func() {
		*h, *h.Ports[0], *h.Decl, p.Name = host, port, decl, fabric
		h.Settings = slices.Clone(settings)
	}
	_, noShell := exec.LookPath("sh")
	for _, text := range append(configtest.Hostile, strings.Repeat("x", 5000), strings.Repeat("x", 15)) {
		for where, put := range map[string]func(p *plan.Plan, h *plan.Host){
			"interface": func(p *plan.Plan, h *plan.Host) {
				old := h.Ports[0].Interface
				h.Ports[0].Interface, h.Ports[0].Declared = text, true
				for i := range h.Settings {
					if h.Settings[i].Interface == old {
						h.Settings[i].Interface = text
					}
				}
			},
			"version": func(p *plan.Plan, h *plan.Host) { h.Decl.Version = text },
			"link":    func(p *plan.Plan, h *plan.Host) { h.Settings[3].Why = text },
			"sysctl value": func(p *plan.Plan, h *plan.Host) {
				set(h, plan.SetSysctl, func(s *plan.Setting) { s.Value = text })
			},
			"sysctl key": func(p *plan.Plan, h *plan.Host) { set(h, plan.SetSysctl, func(s *plan.Setting) { s.Key = text }) },
			"offload":    func(p *plan.Plan, h *plan.Host) { set(h, plan.SetOffload, func(s *plan.Setting) { s.Key = text }) },
			"bond": func(p *plan.Plan, h *plan.Host) {
				set(h, plan.SetBond, func(s *plan.Setting) { s.Interface = text })
			},
			"bond mode":   func(p *plan.Plan, h *plan.Host) { set(h, plan.SetBond, func(s *plan.Setting) { s.Key = text }) },
			"vlan":        func(p *plan.Plan, h *plan.Host) { set(h, plan.SetVLAN, func(s *plan.Setting) { s.Key = text }) },
			"qdisc":       func(p *plan.Plan, h *plan.Host) { set(h, plan.SetQdisc, func(s *plan.Setting) { s.Key = text }) },
			"qdisc value": func(p *plan.Plan, h *plan.Host) { set(h, plan.SetQdisc, func(s *plan.Setting) { s.Value = text }) },
			"trust": func(p *plan.Plan, h *plan.Host) {
				set(h, plan.SetQoS, func(s *plan.Setting) { q := *s.QoS; q.Trust = text; s.QoS = &q })
			},
			"name": func(p *plan.Plan, h *plan.Host) {
				h.Names = []plan.Name{{Address: h.Names[0].Address, Names: []string{text}}}
			},
			"host":    func(p *plan.Plan, h *plan.Host) { h.Name = text },
			"fabric":  func(p *plan.Plan, h *plan.Host) { p.Name = text },
			"card":    func(p *plan.Plan, h *plan.Host) { h.Ports[0].NIC = text },
			"network": func(p *plan.Plan, h *plan.Host) { h.Decl.Settings = map[string]string{"network": text} },
		} {
			restore()
			put(p, h)
			for _, manager := range []string{"networkd", "netplan", "networkmanager", "ifupdown"} {
				if where != "network" {
					h.Decl.Settings = map[string]string{"network": manager}
				} else if manager != "networkd" {
					break // the others would be the same
				}
				d, err := render.Host(p, h)
				if err != nil {
					if len(err.Error()) > 6000 || strings.ContainsAny(err.Error(), "\n\x1b") {
						t.Errorf("%s %q: the refusal is not one line: %q", where, text, err)
					}
					continue
				}
				taken++
				for i := range d.Files {
					f := &d.Files[i]
					for _, l := range f.Lines {
						if breaks(l.Text) {
							t.Errorf("%s %q: %s has the line %q", where, text, f.Name, l.Text)
						}
					}
					if text != "plain" && f.Name == "apply.sh" && manager == "networkd" && noShell == nil {
						cmd := exec.Command("sh", "-n")
						cmd.Stdin = strings.NewReader(f.Text())
						if out, err := cmd.CombinedOutput(); err != nil {
							t.Errorf("%s %q: %s: %s", where, text, f.Name, out)
						}
					}
				}
			}
		}
	}
	if taken == 0 {
		t.Error("everything is refused")
	}
}

// breaks reports whether a line has a character that ends it or hides text. Almost all of the millions of lines are
// printable ASCII, which needs no search.
func breaks(line string) bool {
	for i := range len(line) {
		if c := line[i]; c < ' ' && c != '\t' || c > '~' {
			return strings.ContainsAny(line, "\n\r\x00\x1b\u2028\u0085\u202e\u200b")
		}
	}
	return false
}

func set(h *plan.Host, kind plan.SettingKind, change func(*plan.Setting)) {
	for i := range h.Settings {
		if h.Settings[i].Kind == kind {
			change(&h.Settings[i])
			return
		}
	}
}
