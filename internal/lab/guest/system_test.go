package guest

import (
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
)

// Which files of a package, and which packages, are on the disk of an operating system.
func TestSystemWants(t *testing.T) {
	r := systemdRecipe()
	for name, want := range map[string]bool{"usr/bin/nmcli": true, "etc/dbus-1/system.d/x.conf": true,
		"usr/lib/systemd/system/systemd-networkd.service": true, "boot/vmlinuz-6": true,
		"usr/share/dbus-1/system.conf": true, "usr/share/dbus-1/system.d/org.freedesktop.network1.conf": true,
		"usr/share/dbus-1/system.config": false, "usr/share/doc/systemd/copyright": false,
		"usr/share/netplan/netplan/__init__.py": true, "boot/System.map-6": false, "etc/init.d/dbus": false,
		"usr/lib/udev/hwdb.d/20-pci.hwdb": false, "usr/lib/systemd/system-generators/systemd-gpt-auto-generator": false,
		"usr/lib/systemd/system-generators/netplan": true, "usr/lib/modules/6/kernel/fs/ext4/ext4.ko": true,
		"usr/lib/modules/6/kernel/sound/snd.ko": false, "dev/null": false} {
		if got := r.System.wants(name, r.Folders); got != want {
			t.Errorf("%s: %v", name, got)
		}
	}
	if !r.System.without("perl-base_5.36.0-7_amd64.deb") || r.System.without("systemd_252.39_amd64.deb") {
		t.Error("the packages that are left out")
	}
	if defaultRecipe().System != nil || slices.Contains(defaultRecipe().Packages, "systemd") ||
		r.hash() == defaultRecipe().hash() {
		t.Error("the two images are one")
	}
	if err := CheckKinds([]string{"systemd"}); err != nil {
		t.Error(err)
	}
	if err := CheckKinds([]string{"systemd", "openrc"}); err == nil ||
		!strings.Contains(err.Error(), `"openrc" is not an image of an operating system; there is systemd`) {
		t.Error(err)
	}
}

// The files of maintainer scripts exist, the user's folders are empty, and none of the added links is broken.
func TestDress(t *testing.T) {
	tr := unpacked(t, "./usr/bin/dash", "shell", "./usr/bin/busybox", "applets", "./usr/bin/kmod", "kmod",
		"./usr/sbin/reboot", "the system's", "./usr/bin/sh", "-> bash", "./usr/lib/systemd/system/systemd-networkd.service",
		"unit", "./usr/lib/systemd/system/systemd-networkd.socket", "unit", "./usr/lib/systemd/system/NetworkManager.service",
		"unit", "./usr/lib/systemd/system/networking.service", "unit", "./usr/lib/systemd/system/multi-user.target", "unit",
		"./usr/lib/modules/6/kernel/fs/ext4.ko.xz", "packed", "./boot/vmlinuz-6", "kernel", "./etc/machine-id",
		"of somebody else", "./staged/lib/modules/6/kernel/fs/ext4.ko", "plain")
	r := systemdRecipe()
	if err := tr.dress(r.System, "6"); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"usr/lib/modules/6/kernel/fs/ext4.ko": "plain", "etc/machine-id": "",
		"bin/sh": "shell", "sbin/reboot": "the system's", "usr/bin/awk": "applets",
		"sbin/modprobe": "kmod", "etc/systemd/system/multi-user.target.wants/systemd-networkd.service": "unit",
		"etc/systemd/system/default.target": "unit"} {
		at, err := tr.resolve(name)
		if err != nil {
			t.Error(err)
			continue
		}
		if b, err := os.ReadFile(tr.path(at)); err != nil || string(b) != want {
			t.Errorf("%s: %q, %v; want %q", name, b, err, want)
		}
	}
	for _, gone := range []string{"boot/vmlinuz-6", "staged", "usr/lib/modules/6/kernel/fs/ext4.ko.xz", "usr/bin/reboot"} {
		if _, err := tr.root.Lstat(gone); err == nil {
			t.Errorf("%s is still there", gone)
		}
	}
	for _, empty := range []string{"etc/systemd/network", "etc/netplan", "etc/NetworkManager/system-connections",
		"etc/network/interfaces.d"} {
		if n := tr.list(empty); len(n) > 0 || !tr.exists(empty) {
			t.Errorf("%s holds %v; it is the user's", empty, n)
		}
	}
	for _, m := range r.System.Masked {
		if to, err := tr.root.Readlink("etc/systemd/system/" + m); err != nil || to != "/dev/null" {
			t.Errorf("%s is not masked: %q, %v", m, to, err)
		}
	}
	if fi, err := tr.root.Stat("tmp"); err != nil || fi.Mode()&fs.ModeSticky == 0 {
		t.Errorf("tmp: %v, %v", fi, err)
	}
	for name := range systemTexts() {
		if !tr.exists(name) {
			t.Errorf("%s was not written", name)
		}
		if strings.HasPrefix(name, "etc/") && path.Dir(name) != "etc" && name != "etc/selinux/config" &&
			name != "etc/network/interfaces" {
			t.Errorf("%s: what is the lab's lies below usr/lib", name)
		}
	}
}
