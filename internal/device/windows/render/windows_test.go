package render_test

import (
	"strings"
	"testing"

	"linerate/internal/device/config"
	"linerate/internal/device/configtest"
	"linerate/internal/device/render"
	"linerate/internal/device/render/rendertest"
)

func TestGolden(t *testing.T) {
	rendertest.Golden(t, [][3]string{{"roce-100g", "nas", "roce-100g-nas"}, {"roce-100g", "pc", "roce-100g-pc"},
		{"roce-100g", "win", "roce-100g-win"}, {"nas-40g", "workstation", "nas-40g-workstation"},
		{"mesh-10g", "desktop", "mesh-10g-desktop"}, {"eval-25g", "node1", "eval-25g-node1"},
		{"designs/all-families", "win", "all-families-win"}})
}

func rendered(t *testing.T, text string) *config.Device {
	t.Helper()
	return rendertest.Device(t, "host a", text)
}

func refusal(t *testing.T, text string) string {
	t.Helper()
	return rendertest.Refused(t, "host a", text)
}

const pair = `
fabric: pair
mtu: 9000
hosts:
  a: {os: windows, VERSION nics: {n: {part: MCX516A-CDAT, rdma: rocev2, PORTS}}}
  b: {os: linux, nics: {n: {part: MCX516A-CDAT}}}
links: [{ends: [a.n.1, b.n.1]}]
classes: {roce: {priority: 3, dscp: 26, lossless: true, share: 60%, match: smb-direct}}
`

func with(version, ports string) string {
	text := strings.ReplaceAll(pair, "PORTS", ports)
	if version != "" {
		version = "version: " + version + ","
	}
	return strings.ReplaceAll(text, "VERSION", version)
}

func TestEditions(t *testing.T) {
	for _, x := range []struct {
		version           string
		server, desktop   bool // commands of these editions only
		asked, byHandNote bool
	}{
		{"Server 2022", true, false, false, false},
		{"11 23H2", false, true, false, true},
		{`"10"`, false, true, false, true},
		{"", true, true, true, true},
	} {
		d := rendered(t, with(x.version, ""))
		apply := d.File("apply.ps1").Text()
		if got := strings.Contains(apply, "Install-WindowsFeature -Name Data-Center-Bridging"); got != x.server {
			t.Errorf("%q: Install-WindowsFeature: %v", x.version, got)
		}
		if got := strings.Contains(apply, "Enable-WindowsOptionalFeature -Online -FeatureName SMBDirect"); got != x.desktop {
			t.Errorf("%q: Enable-WindowsOptionalFeature: %v", x.version, got)
		}
		if got := strings.Contains(apply, "ProductType"); got != x.asked {
			t.Errorf("%q: asked at run time: %v", x.version, got)
		}
		if got := strings.Contains(d.File("README.md").Text(), "Turn Windows features on or off"); got != x.byHandNote {
			t.Errorf("%q: README speaks of features by hand: %v", x.version, got)
		}
	}
}

func TestAdapters(t *testing.T) {
	d := rendered(t, with("Server 2022", `ports: ["SLOT 3 o'clock", b]`))
	if apply := d.File("apply.ps1").Text(); !strings.Contains(apply, `$nic_n_1 = Get-Port 'a.n.1' 'SLOT 3 o''clock'`) {
		t.Errorf("by name:\n%s", apply)
	}
	d = rendered(t, with("Server 2022", ""))
	if apply := d.File("apply.ps1").Text(); !strings.Contains(apply,
		`$nic_n_1 = Find-Port 'a.n.1' @('VEN_15B3&DEV_1017') 2 0`) &&
		!strings.Contains(apply, `$nic_n_1 = Find-Port 'a.n.1' @('VEN_15B3&DEV_1019') 2 0`) {
		t.Errorf("by PnP id:\n%s", apply)
	}
	for _, name := range []string{"SLOT *", "what?", "a`b"} {
		if refused := refusal(t, with("Server 2022", `ports: ["`+name+`", b]`)); !strings.Contains(refused, "pattern") {
			t.Errorf("adapter %q: refused with %q", name, refused)
		}
	}
	// Two NICs of one model cannot be distinguished.
	d = rendered(t, strings.Replace(with("Server 2022", ""), "nics: {n:", "nics: {m: {part: MCX516A-CDAT}, n:", 1))
	if apply := d.File("apply.ps1").Text(); !strings.Contains(apply, `$nic_n_1 = Get-Port 'a.n.1' ''`) {
		t.Errorf("two of one kind:\n%s", apply)
	}
}

func TestSettings(t *testing.T) {
	for _, x := range []struct{ settings, want, undo, refused string }{
		{"smb-dialect: 3.0.2", "'MinSMB2Dialect' -Type DWord -Value 0x302",
			"Remove-ItemProperty -Path $smbClient -Name 'MaxSMB2Dialect'", ""},
		{"smb-dialect: 4", "", "", "write 2.0.2, 2.1, 3.0, 3.0.2 or 3.1.1"},
		{"smb-multichannel: off", "Set-SmbServerConfiguration -EnableMultiChannel $false",
			"-EnableMultiChannel $state['multichannel Server']", ""},
		{"smb-multichannel: maybe", "", "", "write on or off"},
		{"smb-rdma-connections: 8", "'ConnectionCountPerRdmaNetworkInterface' -Type DWord -Value 8", "Remove-ItemProperty",
			""},
		{"smb-rdma-connections: 17", "", "", "write a number from 1 to 16"},
		{"smb-rdma-connections: 0", "", "", "write a number from 1 to 16"},
		{"ecn: off", "ecncapability=disabled", "ecncapability=$($state['ecn']", ""},
		{"networkdirect-across-subnets: block", "-NetworkDirectAcrossIPSubnets Blocked", "$state['acrosssubnets']", ""},
		{"networkdirect-across-subnets: perhaps", "", "", "write allow or block"},
		{"powerplan: high", "", "", ""},
	} {
		text := strings.Replace(with("Server 2022", ""), "a: {os: windows,",
			"a: {os: windows, settings: {"+x.settings+"},", 1)
		if x.refused != "" {
			if refused := refusal(t, text); !strings.Contains(refused, x.refused) {
				t.Errorf("%s: refused with %q", x.settings, refused)
			}
			continue
		}
		d := rendered(t, text)
		if !strings.Contains(d.File("apply.ps1").Text(), x.want) || !strings.Contains(d.File("undo.ps1").Text(), x.undo) {
			t.Errorf("%s:\n%s", x.settings, d.File("apply.ps1").Text())
		}
		if x.want == "" && !strings.Contains(strings.Join(d.Missing, "\n"), "powerplan") {
			t.Errorf("an unknown setting is not named: %v", d.Missing)
		}
	}
}

// TestStateIsKept: apply writes every key that undo and verify read.
func TestStateIsKept(t *testing.T) {
	for _, path := range []string{"examples/roce-100g.yaml", "examples/eval-25g.yaml", "examples/mesh-10g.yaml",
		"examples/nas-40g.yaml", "examples/designs/all-families.yaml"} {
		for _, d := range render.Render(configtest.Plan(t, path)).Devices {
			if d.Family != "windows" {
				continue
			}
			apply := d.File("apply.ps1").Text()
			for _, name := range []string{"undo.ps1", "verify.ps1"} {
				rest := d.File(name).Text()
				for {
					_, after, ok := strings.Cut(rest, "$state['")
					if !ok {
						break
					}
					key, _, _ := strings.Cut(after, "']")
					rest = after
					if !strings.Contains(apply, "Keep '"+key+"' ") {
						t.Errorf("%s %s: %s reads %q, which apply does not keep", path, d.Name, name, key)
					}
				}
			}
			for _, f := range d.Files {
				if strings.HasSuffix(f.Name, ".ps1") && strings.IndexFunc(f.Text(), func(r rune) bool { return r > '~' }) >= 0 {
					t.Errorf("%s %s: %s is not ASCII, and Windows PowerShell reads it in the machine's own code page", path, d.Name,
						f.Name)
				}
			}
		}
	}
}
