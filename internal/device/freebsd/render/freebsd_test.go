package render_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"linerate/internal/device/config"
	"linerate/internal/device/configtest"
	"linerate/internal/device/render/rendertest"
	"linerate/internal/testenv"
)

func TestGolden(t *testing.T) {
	rendertest.Golden(t, [][3]string{{"nas-40g", "nas", "nas-40g-nas"}, {"mesh-10g", "nas", "mesh-10g-nas"},
		{"designs/all-families", "bsd", "all-families-bsd"}, {"designs/all-families", "nas", "all-families-nas"}})
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
addressing: {names: hosts-file}
hosts:
  a: {os: freebsd, nics: {n: {part: MCX516A-CDAT, PORTS}}}
  b: {os: linux, nics: {n: {part: MCX516A-CDAT}}}
links: [{ends: [a.n.1, b.n.1]}]
`

func with(old, new string) string {
	return strings.ReplaceAll(strings.Replace(pair, old, new, 1), "PORTS", "")
}

func write(t *testing.T, dir string, d *config.Device) {
	t.Helper()
	for i := range d.Files {
		path := filepath.Join(dir, d.Files[i].Name)
		testenv.WriteFile(t, path, d.Files[i].Text(), 0o755)
	}
}

// TestShells: sh and dash can parse every script, and every fragment of a file that a shell reads.
func TestShells(t *testing.T) {
	programsHere(t, "sh")
	shells := []string{"sh"}
	if _, err := exec.LookPath("dash"); err == nil {
		shells = append(shells, "dash")
	}
	texts := []string{pair, with("PORTS", "mode: eth") + "classes: {roce: {priority: 3, dscp: 26, lossless: true}}\n",
		with("}}}\n  b", "}}, bonds: {t: {of: [n.1, n.2], mode: lacp, subnet: s}}}\n  b") + "  - {ends: [a.n.2, " +
			"b.n.2]}\nsubnets: {s: {vlan: 711}}\n"}
	texts[2] = strings.Replace(texts[2], "links: [{ends: [a.n.1, b.n.1]}]", "links:\n  - {ends: [a.n.1, b.n.1]}", 1)
	seen := 0
	for _, text := range texts {
		d := rendered(t, strings.ReplaceAll(text, "PORTS", ""))
		dir := t.TempDir()
		write(t, dir, d)
		for i := range d.Files {
			if f := d.Files[i].Name; strings.HasSuffix(f, ".sh") || f == "files/rc.conf" || f == "files/loader.conf" {
				for _, sh := range shells {
					seen++
					if out, err := exec.Command(sh, "-n", filepath.Join(dir, f)).CombinedOutput(); err != nil {
						t.Errorf("%s -n %s: %v: %s", sh, f, err, out)
					}
				}
			}
		}
	}
	if seen < 15 {
		t.Errorf("only %d files were looked at", seen)
	}
	if err := exec.Command("sh", "-c", "if true; then").Run(); err == nil {
		t.Error("sh takes what is not a shell script")
	}
}

// TestFilesAndBack: a second apply adds no second block to a system's file. undo restores the files, except for a
// missing newline at the end.
func TestFilesAndBack(t *testing.T) {
	programsHere(t, "sh", "awk")
	d := rendered(t, with("PORTS", "ports: [mce4, mce5]")+"classes: {roce: {priority: 3, dscp: 26, lossless: true}}\n")
	dir, root := t.TempDir(), t.TempDir()
	write(t, dir, d)
	before := map[string]string{"boot/loader.conf": "autoboot_delay=3\n",
		"etc/rc.conf":     "hostname=\"nas\"\nifconfig_em0=\"DHCP\"\n# linerate begin other\nx=1\n# linerate end other\n",
		"etc/sysctl.conf": "kern.x=1", "etc/hosts": "127.0.0.1 localhost\n"}
	for name, text := range before {
		path := filepath.Join(root, name)
		testenv.WriteFile(t, path, text, 0o640)
		if err := os.Chmod(path, 0o640); err != nil { // whatever the umask
			t.Fatal(err)
		}
	}
	run := func(script string) string {
		cmd := exec.Command("sh", filepath.Join(dir, script))
		cmd.Env = append(os.Environ(), "LINERATE_ROOT="+root)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v: %s", script, err, out)
		}
		return string(out)
	}
	read := func(name string) string {
		text := testenv.Must(os.ReadFile(filepath.Join(root, name)))(t)
		return string(text)
	}
	run("apply.sh")
	once := map[string]string{}
	for name := range before {
		once[name] = read(name)
	}
	run("apply.sh")
	for name, want := range map[string]string{
		"boot/loader.conf": "\nmlx5en_load=\"YES\"\n",
		"etc/rc.conf":      "\nifconfig_mce4=\"inet 10.20.1.1/24 mtu 9000 media autoselect mediaopt full-duplex\"\n",
		"etc/sysctl.conf": "kern.x=1\n# linerate begin " +
			"pair\ndev.mce.4.conf.qos.trust_state=2\ndev.mce.4.conf.qos.dscp_24_31_prio=0,0,3,0,0,0,0,0\n",
		"etc/hosts": "\n10.20.1.2 b b-n-1\n",
	} {
		got := read(name)
		if !strings.Contains(got, want) || got != once[name] || strings.Count(got, "# linerate begin pair") != 1 {
			t.Errorf("%s after apply twice:\n%s", name, got)
		}
	}
	run("undo.sh")
	for name, text := range before {
		if got := read(name); strings.TrimSuffix(got, "\n") != strings.TrimSuffix(text, "\n") {
			t.Errorf("%s after undo:\n%s\nwas:\n%s", name, got, text)
		}
		if st, err := os.Stat(filepath.Join(root, name)); err != nil || st.Mode().Perm() != 0o640 {
			t.Errorf("%s: its mode is now %v, %v", name, st.Mode(), err)
		}
	}
	cmd := exec.Command("sh", filepath.Join(dir, "undo.sh"))
	cmd.Env = append(os.Environ(), "LINERATE_ROOT="+root)
	if out, err := cmd.CombinedOutput(); err == nil || !strings.Contains(string(out), "nothing to undo") {
		t.Errorf("undo twice: %v: %s", err, out)
	}
}

// TestHalfBlocks: a file with only one of the markers is not changed, nor is anything else.
func TestHalfBlocks(t *testing.T) {
	programsHere(t, "sh", "awk")
	d := rendered(t, with("PORTS", "ports: [mce4, mce5]"))
	dir := t.TempDir()
	write(t, dir, d)
	for _, text := range []string{"a\n# linerate begin pair\nb\n", "a\n# linerate end pair\nb\n",
		"# linerate begin pair\n# linerate begin pair\n# linerate end pair\nb\n",
		"# linerate end pair\n# linerate begin pair\n"} {
		for _, script := range []string{"apply.sh", "undo.sh"} {
			root := t.TempDir()
			for _, folder := range []string{"etc", "boot", "var/db/linerate/pair.a"} {
				testenv.Check(t, os.MkdirAll(filepath.Join(root, folder), 0o755))
			}
			path := filepath.Join(root, "etc/hosts")
			testenv.WriteFile(t, path, text, 0o644)
			cmd := exec.Command("sh", filepath.Join(dir, script))
			cmd.Env = append(os.Environ(), "LINERATE_ROOT="+root)
			out, err := cmd.CombinedOutput()
			if err == nil || !strings.Contains(string(out),
				"nothing was changed: "+path+" has one of the lines '# linerate begin pair'") {
				t.Errorf("%s on %q: %v: %s", script, text, err, out)
			}
			if got, _ := os.ReadFile(path); string(got) != text {
				t.Errorf("%s made %q of %q", script, got, text)
			}
			if _, err := os.Stat(filepath.Join(root, "etc/rc.conf")); err == nil {
				t.Errorf("%s on %q: rc.conf was written", script, text)
			}
		}
	}
}

func TestInterfaces(t *testing.T) {
	for _, name := range configtest.Hostile {
		if strings.ContainsAny(name, "\n\r\x00\x1b\t\\\"[]") || !utf8.ValidString(name) || name == "" ||
			strings.ContainsRune(name, '\u2028') || strings.ContainsRune(name, '\u0085') {
			continue // the fabric file does not take it
		}
		if refused := refusal(t, strings.ReplaceAll(pair, "PORTS", `ports: ["`+name+`", mce9]`)); refused == "" &&
			name != "plain" {
			t.Errorf("interface %q is taken", name)
		}
	}
	// A driver numbers the interfaces of all its NICs, including free ports.
	d := rendered(t, strings.Replace(with("PORTS", ""), "nics: {n:", "nics: {m: {part: MCX416A-CCAT}, n:", 1))
	if apply := d.File("apply.sh").Text(); !strings.Contains(apply, "ifconfig mce2 mtu 9000") {
		t.Errorf("the second NIC's first port:\n%s", apply)
	}
	if text := d.File("README.md").Text(); !strings.Contains(text,
		"a.n.1 is mce2. Plug in cable C1 alone, with b.n.1 at its other end") ||
		!strings.Contains(text, "which is not verified") ||
		!strings.Contains(text, "fabric.yaml, at hosts: a: nics: n, write ports: [NAME, NAME]") {
		t.Errorf("the guess is not said: %s", text)
	}
	// A name that the file gives to another NIC's port is not used twice.
	d = rendered(t, strings.Replace(with("PORTS", ""), "nics: {n: {part: MCX516A-CDAT, }}",
		"nics: {n: {part: MCX516A-CDAT}, m: {part: MCX416A-CCAT, ports: [mce0, mce1]}}", 1))
	if apply := d.File("apply.sh").Text(); strings.Contains(apply, "ifconfig mce0") ||
		!strings.Contains(apply, "how the interface of port a.n.1 is called is not known") {
		t.Errorf("a name twice:\n%s", apply)
	}
	d = rendered(t, strings.Replace(with("PORTS", ""), "a: {os: freebsd, nics: {n: {part: MCX516A-CDAT, }}}",
		"a: {os: freebsd, nics: {n: {part: {kind: nic, speed: 100G, ports: 2, cage: qsfp28}}}}", 1))
	if apply := d.File("apply.sh").Text(); !strings.Contains(apply,
		"how the interface of port a.n.1 is called is not known; ifconfig -l lists them. Write it into fabric.yaml, at "+
			"hosts: a: nics: n: ports: [..]") {
		t.Errorf("an unknown driver:\n%s", apply)
	}
}

func TestLinks(t *testing.T) {
	rendered(t, with("PORTS", "")+"subnets: {s: {vlan: 711}}\n")
	d := rendered(t, strings.Replace(with("PORTS", "")+"subnets: {s: {vlan: 711}}\n", "b.n.1]}", "b.n.1], subnet: s}", 1))
	if rc := d.File("files/rc.conf").Text(); !strings.Contains(rc, `vlans_mce0="711"`) ||
		!strings.Contains(rc, `ifconfig_mce0_711="inet 10.20.1.1/24"`) ||
		!strings.Contains(rc, `ifconfig_mce0="mtu 9000 up"`) {
		t.Errorf("VLAN:\n%s", rc)
	}
	bond := strings.Replace(with("}}}\n  b", "}}, bonds: {t: {of: [n.2, n.1], mode: MODE, subnet: 10.9.0.0/24}}}\n  b"),
		"links: [{ends: [a.n.1, b.n.1]}]", "links:\n  - {ends: [a.n.1, b.n.1]}\n  - {ends: [a.n.2, b.n.2]}", 1)
	for mode, proto := range map[string]string{"lacp": "lacp laggport mce1 laggport mce0",
		"backup": "failover laggport mce0 laggport mce1"} { // the first is used as long as it works
		d = rendered(t, strings.Replace(bond, "MODE", mode, 1))
		rc := d.File("files/rc.conf").Text()
		if !strings.Contains(rc, "laggproto "+proto+" mtu 9000") ||
			!strings.Contains(rc, `cloned_interfaces="${cloned_interfaces} lagg0"`) ||
			!strings.Contains(rc, `ifconfig_mce1="mtu 9000 up"`) {
			t.Errorf("bond %s:\n%s", mode, rc)
		}
	}
	if refused := refusal(t, strings.Replace(bond, "MODE", "set", 1)); !strings.Contains(refused, "mode: lacp") {
		t.Errorf("a team of Windows: %q", refused)
	}
}

func TestClassesNeedADriver(t *testing.T) {
	for part, want := range map[string]string{"E810-CQDA2": "its driver has no PFC",
		"MCX354A-FCCT": "no documented command of its driver"} {
		text := strings.ReplaceAll(strings.ReplaceAll(pair, "MCX516A-CDAT", part), "PORTS", "")
		d := rendered(t, text+"classes: {roce: {priority: 3, dscp: 26, lossless: true}}\n")
		if missing := strings.Join(d.Missing, "\n"); !strings.Contains(missing, want) ||
			strings.Contains(d.File("apply.sh").Text(), "priority_flow_control") {
			t.Errorf("%s: %s", part, missing)
		}
	}
}
