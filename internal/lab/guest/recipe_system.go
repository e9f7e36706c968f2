package guest

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// Kind names an image, as the fabric and lab build do.
type Kind string

const (
	// Small has only the programs that a measurement needs, in an initramfs.
	Small Kind = ""
	// Systemd is Debian with systemd, udev, systemd-networkd, NetworkManager, netplan and ifupdown, on a disk that stays
	// over a reboot.
	Systemd Kind = "systemd"
)

// Kinds returns the images that have a name.
func Kinds() []string { return []string{string(Systemd)} }

// CheckKinds refuses names that are not images.
func CheckKinds(names []string) error {
	for _, n := range names {
		if !slices.Contains(Kinds(), n) {
			return fmt.Errorf("%.40q is not an image of an operating system; there is %s", n, strings.Join(Kinds(), " and "))
		}
	}
	return nil
}

func recipeOf(k Kind) recipe {
	if k == Systemd {
		return systemdRecipe()
	}
	return defaultRecipe()
}

// system is the part of a recipe for an operating system.
type system struct {
	Without  []string `json:"without"`  // packages that are omitted although others depend on them
	Drop     []string `json:"drop"`     // of all packages: files and folders that nothing here reads
	Share    []string `json:"share"`    // folders of usr/share that are kept
	Initrd   []string `json:"initrd"`   // modules that its initramfs loads
	Enabled  []string `json:"enabled"`  // units that are started, with the target that wants them: TARGET UNIT
	Masked   []string `json:"masked"`   // units that are disabled
	Compiled []string `json:"compiled"` // folders of Python whose modules are compiled, below usr
	Free     int64    `json:"free"`     // bytes that the disk has left
}

// systemdRecipe is the image of guests that test configuration files for real.
func systemdRecipe() recipe {
	r := defaultRecipe()
	r.Format += 103 // raised by one when the code that makes an operating system changes the result
	r.Packages = append(r.Packages, "systemd", "systemd-sysv", "udev", "dbus", "network-manager", "netplan.io",
		"ifupdown", "debianutils", "e2fsprogs", "util-linux", "procps", "libc-bin")
	r.Modules = append(r.Modules, "virtio_blk", "ext4", "autofs", "bridge", "dummy", "macvlan", "vrf", "vxlan", "tun")
	r.Folders = append(r.Folders, "drivers/net/dummy", "drivers/net/macvlan", "drivers/net/vrf", "drivers/net/vxlan")
	r.System = &system{
		// No maintainer script runs and NetworkManager requests no authorization (auth-polkit=root-only), so these do
		// nothing.
		Without: []string{"perl", "perl-base", "perl-modules-5.36", "libperl5.36", "debconf", "adduser", "polkitd",
			"libmozjs-102-0", "tzdata", "media-types", "libduktape207", "libicu72", "gcc-12-base", "xkb-data", "initramfs-tools",
			"initramfs-tools-core", "klibc-utils", "libklibc", "linux-base"},
		Drop: []string{
			"boot/config-*",
			"boot/System.map-*",
			"etc/init.d",
			"etc/rc?.d",
			"etc/cron*",
			"etc/apparmor*",
			"etc/logrotate.d",
			"usr/games",
			"usr/include",
			"usr/lib/udev/hwdb.d",
			"usr/lib/systemd/boot",
			"usr/lib/systemd/catalog",
			"usr/lib/x86_64-linux-gnu/gconv",
			"usr/lib/x86_64-linux-gnu/perl*",
			"usr/lib/python3.11/test",
			"usr/lib/python3.11/idlelib",
			"usr/lib/python3.11/lib2to3",
			"usr/lib/python3.11/ensurepip",
			"usr/lib/python3.11/pydoc_data",
			"usr/lib/python3.11/unittest",
			"usr/lib/python3.11/distutils",
			"usr/lib/python3.11/config-*",
			"usr/lib/python3.11/turtledemo",
			"usr/lib/x86_64-linux-gnu/NetworkManager/*/libnm-device-plugin-*",
			"usr/lib/x86_64-linux-gnu/*.a",
			"usr/lib/locale",
			"usr/lib/initramfs-tools",
			"usr/lib/systemd/system/multi-user.target.wants/systemd-logind.service", // a reboot starts it
			// Each takes a part of a second of an emulated guest's boot, and none has work to do here.
			"usr/lib/systemd/system-generators/systemd-*",
			"usr/lib/udev/rules.d/60-rdma-persistent-naming.rules",
		},
		Share: []string{"dbus-1/system.conf", "dbus-1/system.d", "dbus-1/system-services", "dbus-1/session.conf", "netplan",
			"iproute2"},
		Initrd: []string{"virtio_pci", "virtio_blk", "ext4", "crc32c_generic", "autofs", "virtio_console", "virtio_rng",
			"virtio_net"},
		Enabled: []string{"multi-user.target systemd-networkd.service", "sockets.target systemd-networkd.socket",
			"multi-user.target NetworkManager.service", "multi-user.target networking.service",
			"network-online.target networking.service", "multi-user.target linerate-libraries.service"},
		Masked: []string{"getty.target", "systemd-update-utmp.service", "systemd-update-utmp-runlevel.service",
			"systemd-random-seed.service", "systemd-binfmt.service", "proc-sys-fs-binfmt_misc.automount", "dev-hugepages.mount",
			"dev-mqueue.mount", "sys-fs-fuse-connections.mount", "sys-kernel-tracing.mount", "systemd-journal-flush.service",
			"systemd-hwdb-update.service", "systemd-tmpfiles-clean.timer", "e2scrub_all.timer", "e2scrub_reap.service",
			"fstrim.timer", "systemd-pstore.service", "systemd-ask-password-wall.path", "systemd-ask-password-console.path",
			"systemd-sysusers.service", "systemd-firstboot.service", "systemd-machine-id-commit.service",
			"NetworkManager-wait-online.service", "systemd-networkd-wait-online.service", "nvmf-autoconnect.service",
			"nvmefc-boot-connections.service", "iscsid.socket", "iscsid.service", "open-iscsi.service", "rpcbind.socket",
			"rpcbind.service", "remote-fs.target", "kmod-static-nodes.service", "systemd-tmpfiles-setup-dev.service",
			"systemd-remount-fs.service", "systemd-user-sessions.service", "sys-kernel-config.mount", "sys-kernel-debug.mount",
			"modprobe@.service", "rdma-load-modules@.service", "rdma-ndd.service"},
		Compiled: []string{"lib/python3.11", "lib/python3/dist-packages", "share/netplan"}, Free: 128 << 20}
	return r
}

// wants reports whether a file of a package goes onto the disk.
func (s *system) wants(name string, modules []string) bool {
	if rest, ok := strings.CutPrefix(name, "usr/lib/modules/"); ok {
		return wantModule(rest, modules)
	}
	if rest, ok := strings.CutPrefix(name, "usr/share/"); ok {
		return slices.ContainsFunc(s.Share, func(k string) bool { return below(rest, k) })
	}
	top, _, _ := strings.Cut(name, "/")
	if !slices.Contains([]string{"boot", "usr", "etc", "var", "srv"}, top) {
		return false
	}
	for dir := name; dir != "."; dir = path.Dir(dir) {
		for _, d := range s.Drop {
			if ok, _ := path.Match(d, dir); ok {
				return false
			}
		}
	}
	return true
}

// below reports whether a name is a file or folder, or in it.
func below(name, folder string) bool { return name == folder || strings.HasPrefix(name, folder+"/") }

// without reports whether a package's file is of one that is left out.
func (s *system) without(deb string) bool {
	name, _, _ := strings.Cut(deb, "_")
	return slices.Contains(s.Without, name)
}
