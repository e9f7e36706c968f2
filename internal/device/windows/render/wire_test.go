package render_test

import (
	"strings"
	"testing"

	"linerate/internal/device/config"
	"linerate/internal/device/configtest"
	"linerate/internal/device/render"
)

func host(t *testing.T, path, name string) *config.Device {
	t.Helper()
	d := render.Render(configtest.Plan(t, path)).Device(name)
	if d == nil {
		t.Fatalf("%s: %s is not there", path, name)
	}
	return d
}

// TestPortChecks: the checks of ports come after the adapters are found and before anything is saved or changed.
func TestPortChecks(t *testing.T) {
	apply := host(t, "examples/mesh-10g.yaml", "desktop").File("apply.ps1").Text()
	at := -1
	for _, want := range []string{"$nic_b = ", "$chosen = [ordered]@{ 'desktop.a' = $nic_a; 'desktop.b' = $nic_b }",
		"have the same adapter", "run undo.ps1 first",
		"'10.0.2.1' -ErrorAction SilentlyContinue | Where-Object { $_.InterfaceAlias -ne $nic_b }",
		"Keep 'adapter desktop.a' $nic_a", "$null = Get-OtherLines", "\nSave\n", "# from here on",
		"Set-Content -Path $hostsFile"} {
		next := strings.Index(apply, want)
		if next <= at {
			t.Errorf("%q is not there, or not after what has to come first:\n%s", want, apply)
		}
		at = next
	}
}

// TestVerifyLooksAtLinks: verify checks links of NICs, not of functions and bonds, and names the cable and its other
// end.
func TestVerifyLooksAtLinks(t *testing.T) {
	verify := host(t, "examples/mesh-10g.yaml", "desktop").File("verify.ps1").Text()
	for _, want := range []string{"Check 'desktop.b: the link is down: look at cable C2 at both ends, and whether " +
		"homelab.t3.1 is on and set up' { (Get-NetAdapter -Name $nic_b).InterfaceOperationalStatus -eq 1 }",
		"(Get-NetAdapter -Name $nic_b).ReceiveLinkSpeed -ge 10000000000 }"} {
		if !strings.Contains(verify, want) {
			t.Errorf("no %s in\n%s", want, verify)
		}
	}
	if verify := host(t, "examples/roce-100g.yaml", "win").File("verify.ps1").Text(); strings.Contains(verify,
		"InterfaceOperationalStatus") {
		t.Errorf("a virtual function has no cable:\n%s", verify)
	}
	unknown := strings.ReplaceAll(with("Server 2022", ""), "MCX516A-CDAT", "{kind: nic, name: x, ports: 1, cage: sfp28}")
	unknown = strings.ReplaceAll(unknown, "a.n.1, b.n.1", "a.n, b.n")
	if verify := render.Render(configtest.Text(t,
		unknown)).Device("a").File("verify.ps1").Text(); strings.Contains(verify, "ReceiveLinkSpeed") ||
		!strings.Contains(verify, "InterfaceOperationalStatus") {
		t.Errorf("a speed that is not known is asked for:\n%s", verify)
	}
}

// TestNothingUnused: the scripts have nothing that no step needs.
func TestNothingUnused(t *testing.T) {
	d := host(t, "examples/mesh-10g.yaml", "desktop")
	for name, words := range map[string][]string{
		"apply.ps1":  {"$smbClient", "restart this machine"},
		"verify.ps1": {"$smbClient", "function Set-Property", "Get-OtherLines"}, "undo.ps1": {"$smbClient", "stay on"},
		"README.md": {"restart is needed", "want a restart"},
	} {
		for _, w := range words {
			if strings.Contains(d.File(name).Text(), w) {
				t.Errorf("%s has %q, and nothing there needs it", name, w)
			}
		}
	}
	d = host(t, "examples/roce-100g.yaml", "nas")
	for name, words := range map[string][]string{"apply.ps1": {"$smbClient =", "restart this machine"},
		"verify.ps1": {"$smbClient ="}, "undo.ps1": {"$smbClient =", "stay on"}, "README.md": {"want a restart"}} {
		for _, w := range words {
			if !strings.Contains(d.File(name).Text(), w) {
				t.Errorf("%s has no %q", name, w)
			}
		}
	}
}

// TestDriver: the README lists the known properties of each NIC's driver with their source, and the unknown ones.
func TestDriver(t *testing.T) {
	for _, x := range []struct {
		path, host string
		want       []string
	}{
		{"examples/mesh-10g.yaml", "desktop", []string{"(desktop.a, desktop.b): open Device Manager",
			"catalogue of parts: old: ", "Known from: ", "The driver's name is not known",
			"Whether Windows brings one along is not known", "WinOF v5.50.54000 user manual"}},
		{"examples/roce-100g.yaml", "pc", []string{"mlx5.sys (WinOF-2), supported, from 2.60.21096 on",
			"microsoft/Validate-DCB"}},
	} {
		text := host(t, x.path, x.host).File("README.md").Text()
		for _, w := range x.want {
			if !strings.Contains(text, w) {
				t.Errorf("%s %s: no %q in\n%s", x.path, x.host, w, text)
			}
		}
	}
	text := strings.ReplaceAll(with("", ""), "{part: MCX516A-CDAT, rdma: rocev2, }",
		"{part: {kind: nic, name: x, speed: 100G, ports: 1, cage: qsfp28}}")
	text = strings.ReplaceAll(text, "a.n.1,", "a.n,")
	if text := render.Render(configtest.Text(t, text)).Device("a").File("README.md").Text(); !strings.Contains(text,
		"writes the NIC out itself, and says nothing of drivers") {
		t.Error(text)
	}
}
