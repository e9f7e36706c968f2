package config

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"linerate/internal/config/device"
	"linerate/internal/design/plan"
	"linerate/internal/facts"
)

// hostMeanings are the ways in which a host keeps its configuration, each with the folders in which files of one are that facts reads back,
// and how many settings are compared at least, of all fabrics. Windows has no such files: apply.ps1 is run;
// TestRenderedQosScript of facts reads its classes back, TestParsed of internal/config/windows its syntax. What is asked of traffic classes is read back by
// TestApplyMeansThePlan of facts for Linux, and by TestMeaning of internal/config/freebsd.
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

// placeholder is a port's name in a file that the host itself fills in when it is installed.
var placeholder = regexp.MustCompile(`@if_(\w+)@`)

// TestMeaningOfHosts renders the fabrics for every manager of Linux and for FreeBSD, reads the files back as if somebody had kept them, and holds MTU,
// addresses and the kernel's settings that they ask for against the plan.
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

// keptFiles is a capture of a manager's files, and of the kernel's settings beside them; nil: the host has none of this manager.
func keptFiles(h *plan.Host, d *device.Device, manager string, folders []string) []byte {
	if (manager == "freebsd") != (h.OS == "freebsd") {
		return nil
	}
	managers, _, _ := h.Managers()
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

// compareHost says how much was compared.
func compareHost(t *testing.T, where string, fabric *plan.Plan, h *plan.Host, kept []byte, manager string) (n int) {
	t.Helper()
	got, err := facts.Parse(kept)
	if err != nil || len(got.Unknown) > 0 {
		t.Fatalf("%s: %v %v", where, err, got.Unknown)
	}
	settings := map[string]string{}
	for _, s := range got.ToldSettings {
		settings[s.Name] = s.Value
	}
	names := h.Expected()
	for _, p := range h.Ports {
		if p.Declared || manager != "freebsd" {
			names[p.ID] = p.Interface
		}
	}
	of := func(name string) *facts.Told {
		for _, p := range h.Ports { // FreeBSD has no placeholders
			if p.Interface == name && names[p.ID] != "" {
				name = names[p.ID]
			}
		}
		if n := got.NIC(name); n != nil && n.Told != nil {
			return n.Told
		}
		return &facts.Told{}
	}
	carries := map[string]bool{} // InfiniBand, of which netplan knows nothing; the plan says so
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
			if told := of(s.Interface).MTU; told != s.Int {
				t.Errorf("%s: %s is told MTU %d, the plan has %d", where, s.Interface, told, s.Int)
			}
		case plan.SetAddress:
			if told := of(s.Interface).Addresses; !slices.Contains(told, s.Prefix) {
				t.Errorf("%s: %s is told %v, the plan has %s", where, s.Interface, told, s.Prefix)
			}
		case plan.SetSysctl:
			if manager == "freebsd" {
				continue // its settings have other names
			}
			if settings[s.Key] != s.Value {
				t.Errorf("%s: %s is told %q, the plan has %q", where, s.Key, settings[s.Key], s.Value)
			}
		default:
			continue
		}
		n++
	}
	return n
}
