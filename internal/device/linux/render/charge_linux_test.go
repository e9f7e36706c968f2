package render_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"linerate/internal/testenv"
)

// machines are the files of a machine with a network manager: its programs, services started at boot, and its
// configuration. A program's name ends with *.
var machines = map[string][]string{
	"netplan": {"usr/sbin/netplan*", "etc/netplan/50-cloud-init.yaml"},
	"networkd": {"etc/systemd/system/multi-user.target.wants/systemd-networkd.service",
		"etc/systemd/network/lan.network"},
	"networkmanager": {"etc/systemd/system/multi-user.target.wants/NetworkManager.service"},
	"ifupdown": {"sbin/ifup*", "etc/systemd/system/multi-user.target.wants/networking.service",
		"etc/network/interfaces"},
	"ifupdown2": {"sbin/ifup*", "sbin/ifreload*", "etc/systemd/system/multi-user.target.wants/networking.service",
		"etc/network/interfaces"},
	"openrc":         {"sbin/ifup*", "etc/runlevels/boot/networking", "etc/network/interfaces"},
	"unused netplan": {"usr/sbin/netplan*"},
	"idle networkd":  {"etc/systemd/system/multi-user.target.wants/systemd-networkd.service"},
	"idle ifupdown":  {"sbin/ifup*", "etc/systemd/system/multi-user.target.wants/networking.service"},
	"plain":          {"etc/hostname"},
}

// machine creates the files of a machine with these managers below a folder.
func (w *world) machine(t *testing.T, root string, managers ...string) {
	t.Helper()
	for _, m := range managers {
		for _, f := range machines[m] {
			name, program := strings.CutSuffix(f, "*")
			text := "# of the machine\n"
			if name == "etc/network/interfaces" {
				text = "auto lo\niface lo inet loopback\nauto eno1\niface eno1 inet dhcp\nsource /etc/network/interfaces.d/*\n"
			}
			if program {
				w.program(t, root+"/"+name, text)
			} else {
				w.write(t, root+"/"+name, text)
			}
		}
	}
}

// files returns all files below a folder, sorted, as ./path.
func files(t *testing.T, root string) (out []string) {
	t.Helper()
	err := fs.WalkDir(os.DirFS(root), ".", func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			out = append(out, "./"+path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(out)
	return out
}

// TestInstallFindsTheManager: if the fabric file does not name the host's manager, only the one that runs its network
// gets its files.
func TestInstallFindsTheManager(t *testing.T) {
	t.Parallel()
	p, h := homelab(t)
	w := worldOf(t, p, h)
	w.env = append(w.env, "LINERATE_ROOT="+w.dir+"/root", "LINERATE_STORE="+w.dir+"/store")
	installed := func() (out string) {
		t.Helper()
		for _, f := range files(t, w.dir+"/root") {
			if strings.Contains(filepath.Base(f), "linerate") {
				out += f + " "
			}
		}
		return out
	}
	has := map[string]string{
		"netplan": "./etc/netplan/90-linerate.yaml ./etc/sysctl.d/90-linerate.conf ",
		"networkd": "./etc/sysctl.d/90-linerate.conf ./etc/systemd/network/10-linerate-t3p1.network " +
			"./etc/systemd/network/10-linerate-t3p2.network ",
		"networkmanager": "./etc/NetworkManager/system-connections/linerate-t3p1.nmconnection " +
			"./etc/NetworkManager/system-connections/linerate-t3p2.nmconnection ./etc/sysctl.d/90-linerate.conf ",
		"ifupdown":  "./etc/network/interfaces.d/linerate ./etc/sysctl.d/90-linerate.conf ",
		"ifupdown2": "./etc/network/interfaces.d/linerate ./etc/sysctl.d/90-linerate.conf ",
		"none":      "./etc/sysctl.d/90-linerate.conf ",
		"":          "",
	}
	empty := func() {
		for _, dir := range []string{"/root", "/store"} {
			testenv.Check(t, os.RemoveAll(w.dir+dir))
		}
	}
	for _, c := range []struct {
		machine string // words of machines
		said    string // MANAGER
		found   string // the manager, or empty: refused
		says    string
	}{
		{"netplan", "", "netplan", "is run by netplan (the program netplan is there, there is " +
			"/etc/netplan/50-cloud-init.yaml)"},
		{"netplan,networkd,networkmanager", "", "netplan", "only the files for it are put in place"},
		{"networkd", "", "networkd", "is run by networkd (systemd-networkd is started at boot, there is " +
			"/etc/systemd/network/lan.network)"},
		{"idle networkd", "", "networkd", "is run by networkd (systemd-networkd is started at boot)"},
		{"networkmanager,idle networkd,idle ifupdown,unused netplan", "", "networkmanager",
			"is run by networkmanager (NetworkManager is started at boot)"},
		{"ifupdown,idle networkd", "", "ifupdown",
			"is run by ifupdown (ifup is there, and networking is started at boot, /etc/network/interfaces has eno1)"},
		{"ifupdown2", "", "ifupdown2", "is run by ifupdown2 (ifreload is there"},
		{"openrc", "", "ifupdown", "is run by ifupdown ("},
		{"ifupdown,networkmanager", "", "", "is not clear: networkmanager: NetworkManager is started at boot; ifupdown: " +
			"ifup is there, and networking is started at boot, /etc/network/interfaces has eno1. MANAGER=NAME sh install.sh " +
			"chooses one of netplan,networkd,networkmanager,ifupdown,ifupdown2, or none"},
		{"ifupdown,networkmanager", "networkmanager", "networkmanager", "installed; "},
		{"ifupdown,networkmanager", "none", "none", "installed; "},
		{"plain", "", "", "none of netplan, systemd-networkd, NetworkManager, ifupdown and ifupdown2 is started at boot " +
			"on this machine"},
		{"plain", "networkd", "networkd", "note: the files are for networkd, as you say, and systemd-networkd is not " +
			"started at boot here"},
		{"networkd", "wicked", "", "MANAGER=wicked: there are no files for that here"},
	} {
		for _, shell := range []string{"sh", "busybox sh"} {
			empty()
			w.machine(t, "root", strings.Split(c.machine, ",")...)
			out, code := w.run(t, "MANAGER="+c.said+" "+shell+" install.sh")
			if want := map[bool]int{true: 0, false: 2}[c.found != ""]; code != want || !strings.Contains(out, c.says) ||
				code == 2 && !strings.Contains(out, "nothing was changed") {
				t.Errorf("%s, MANAGER=%s: exit %d, no %q: %s", c.machine, c.said, code, c.says, out)
			}
			if got := installed(); got != has[c.found] {
				t.Errorf("%s, MANAGER=%s: %s, want %s", c.machine, c.said, got, has[c.found])
			}
		}
	}

	// Files of another manager or plan are removed.
	empty()
	w.machine(t, "root", "networkd")
	before := files(t, w.dir+"/root")
	w.must(t, "sh install.sh")
	out := w.must(t, "MANAGER=ifupdown2 sh install.sh 2>&1 || mkdir -p root/etc/network && echo 'source "+
		"interfaces.d/*' >root/etc/network/interfaces && MANAGER=ifupdown2 sh install.sh")
	if got := installed(); got != has["ifupdown2"] ||
		!strings.Contains(out, "taken away: /etc/systemd/network/10-linerate-t3p1.network, of an install before this one") {
		t.Errorf("networkd, then ifupdown2: %s: %s", got, out)
	}
	out = w.must(t, "rm root/etc/network/interfaces; sh install.sh --undo")
	if after := files(t, w.dir+"/root"); !slices.Equal(after, before) ||
		!strings.Contains(out, "counts from the next boot on") {
		t.Errorf("after install.sh --undo: %s, before: %s: %s", after, before, out)
	}
}

// TestInstallAsksSystemctl: on the machine itself systemctl reports what is started at boot. This namespace has a
// different /etc.
func TestInstallAsksSystemctl(t *testing.T) {
	t.Parallel()
	p, h := homelab(t)
	w := newWorld(t)
	w.nics(t, h)
	w.machine(t, ".", "ifupdown", "networkd") // links that are not read
	w.write(t, "etc/here", "")
	w.write(t, "bin/systemctl", "#!/bin/sh\n[ $1 = is-enabled ] || exit 0\ngrep -qx $2 \"$ENABLED\"\n")
	w.write(t, "bin/ifup", "#!/bin/sh\n")
	w.must(t, "chmod +x bin/*; mount --bind etc /etc && [ -e /etc/here ]")
	w.env = slices.Concat(w.env, []string{"LINERATE_STORE=" + w.dir + "/store", "ENABLED=" + w.dir + "/enabled",
		"PATH=" + w.dir + "/bin:/usr/sbin:/usr/bin:/sbin:/bin"})
	install := func(want int, says string) {
		t.Helper()
		if out, code := w.run(t, "[ -e /etc/here ] || exit 9; sh install.sh"); code != want || !strings.Contains(out, says) {
			t.Errorf("exit %d, want %d with %q: %s", code, want, says, out)
		}
	}
	w.put(t, rendered(t, p, h))
	w.write(t, "enabled", "networking\n")
	install(0, "is run by ifupdown (")
	w.must(t, "sh install.sh --undo")
	w.write(t, "enabled", "")
	install(2, "so nothing would read the files")

	// A manager that the fabric file names must also be the machine's.
	h.Decl.Settings = map[string]string{"network": "networkd"}
	w.must(t, "rm -r files")
	w.put(t, rendered(t, p, h))
	w.write(t, "enabled", "networking\n")
	install(2, "the files are for networkd (the fabric file says network: networkd), which would not read them here: "+
		"systemd-networkd is not started at boot. What is here: ifupdown: ifup is there, and networking is started at "+
		"boot, /etc/network/interfaces has eno1. Either: systemctl enable systemd-networkd. Or: settings: {network: NAME}")
	if got := w.must(t, "ls etc etc/systemd/network"); strings.Contains(got, "linerate") {
		t.Errorf("something was installed: %s", got)
	}
	if out := w.must(t, "[ -e /etc/here ] || exit 9; MANAGER=networkd sh install.sh"); !strings.Contains(out,
		"note: the files are for networkd, as you say") {
		t.Error(out)
	}
	w.write(t, "enabled", "systemd-networkd\n")
	install(0, "or now with: networkctl reload")
}
