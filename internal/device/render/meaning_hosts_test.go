package render

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"linerate/internal/design/plan"
	"linerate/internal/device/config"
	"linerate/internal/device/linux"
	"linerate/internal/facts"
	"linerate/internal/facts/read"
)

// hostMeanings are the managers of a host's configuration, each with the folders of the files that facts can parse, and
// the lowest number of settings to compare, of all fabrics. PowerShell has no such files: TestRenderedQosScript of
// facts reads the classes of apply.ps1, and TestParsed of package render its syntax. TestApplyMeansThePlan of facts
// reads the traffic classes of Linux, and TestMeaning of internal/device/freebsd/render those of FreeBSD.
var hostMeanings = map[string]struct {
	folders []string
	least   int
}{
	"ifupdown":       {[]string{"etc/network/"}, 40},
	"ifupdown2":      {[]string{"etc/network/"}, 40},
	"netplan":        {[]string{"etc/netplan/"}, 40},
	"networkd":       {[]string{"etc/systemd/network/"}, 40},
	"networkmanager": {[]string{"etc/NetworkManager/"}, 40},
	"freebsd":        {[]string{"etc/rc.conf", "etc/sysctl.conf", "boot/loader.conf"}, 2},
}

// placeholder is a port's name in a file, which the host inserts at installation.
var placeholder = regexp.MustCompile(`@if_(\w+)@`)

// TestMeaningOfHosts renders the fabrics for every manager of Linux and for FreeBSD, parses the files, and compares
// MTU, addresses and the kernel's settings with the plan.
func TestMeaningOfHosts(t *testing.T) {
	compared := map[string]int{}
	for file, p := range manyPlans(t) {
		set := Render(p)
		for _, h := range p.Hosts {
			d := set.Device(h.Name)
			if d == nil {
				continue
			}
			for manager, m := range hostMeanings {
				kept := keptFiles(h, d, manager, m.folders)
				if kept == nil {
					continue
				}
				compared[manager] += compareHost(t, file+": "+h.Name+": "+manager, p, h, kept, manager)
			}
		}
	}
	t.Log(compared)
	for manager, m := range hostMeanings {
		if compared[manager] < m.least {
			t.Errorf("%s: %d settings were compared, want at least %d", manager, compared[manager], m.least)
		}
	}
}

// keptFiles returns a snapshot of a manager's files, and of the files with the kernel's settings; nil: the host has no
// files of this manager.
func keptFiles(h *plan.Host, d *config.Device, manager string, folders []string) []byte {
	if (manager == "freebsd") != (h.OS == "freebsd") {
		return nil
	}
	managers, _, _ := linux.Managers(h.OS, h.Decl.Version, h.Decl.Settings)
	var b strings.Builder
	found := false
	for _, f := range d.Files {
		name, ok := strings.CutPrefix(f.Name, "files/")
		if !ok {
			continue
		}
		if own, ok := strings.CutPrefix(name, manager+"/"); ok {
			name = own
		} else if manager == "freebsd" {
			name = path.Join(map[bool]string{true: "boot", false: "etc"}[name == "loader.conf"], name)
		}
		of := slices.ContainsFunc(folders, func(folder string) bool { return strings.HasPrefix(name, folder) })
		if of && manager != "freebsd" && name == f.Name[len("files/"):] && (len(managers) != 1 || managers[0] != manager) {
			continue // of another manager with the same folder
		}
		if of || strings.HasPrefix(name, "etc/sysctl.d/") {
			found = found || of
			b.WriteString("-- " + name + " --\n" + placeholder.ReplaceAllString(f.Text(), "$1"))
		}
	}
	if !found {
		return nil
	}
	system := map[bool]string{true: "freebsd", false: "linux"}[manager == "freebsd"]
	return []byte("os " + system + "\n" + b.String())
}

// compareHost returns the number of settings that were compared.
func compareHost(t *testing.T, where string, fabric *plan.Plan, h *plan.Host, kept []byte, manager string) (n int) {
	t.Helper()
	got, err := read.Parse(kept)
	if err != nil || len(got.Unknown) > 0 {
		t.Fatalf("%s: %v %v", where, err, got.Unknown)
	}
	settings := map[string]string{}
	for _, s := range got.ConfiguredSettings {
		settings[s.Name] = s.Value
	}
	names := h.Expected()
	for _, p := range h.Ports {
		if p.Declared || manager != "freebsd" {
			names[p.ID] = p.Interface
		}
	}
	of := func(name string) *facts.Configured {
		for _, p := range h.Ports { // FreeBSD has no placeholders
			if p.Interface == name && names[p.ID] != "" {
				name = names[p.ID]
			}
		}
		if n := got.NIC(name); n != nil && n.Configured != nil {
			return n.Configured
		}
		return &facts.Configured{}
	}
	carries := map[string]bool{} // InfiniBand, which netplan does not support; the plan reports it
	for _, p := range h.Ports {
		if l := fabric.Link(p.Link); l != nil && l.InfiniBand {
			carries[p.Interface] = true
		}
	}
	for _, s := range h.Settings {
		if manager == "netplan" && carries[s.Interface] {
			continue
		}
		switch s.Kind {
		case plan.SetMTU:
			if reported := of(s.Interface).MTU; reported != s.Int {
				t.Errorf("%s: %s has MTU %d, the plan has %d", where, s.Interface, reported, s.Int)
			}
		case plan.SetAddress:
			if reported := of(s.Interface).Addresses; !slices.Contains(reported, s.Prefix) {
				t.Errorf("%s: %s has %v, the plan has %s", where, s.Interface, reported, s.Prefix)
			}
		case plan.SetSysctl:
			if manager == "freebsd" {
				continue // its settings have other names
			}
			if settings[s.Key] != s.AboveDefault() {
				t.Errorf("%s: %s has %q, the plan has %q", where, s.Key, settings[s.Key], s.AboveDefault())
			}
		default:
			continue
		}
		n++
	}
	return n
}
