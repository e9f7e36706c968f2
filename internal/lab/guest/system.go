package guest

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// SystemInit is the program of an operating system's image that becomes process 1.
const SystemInit = "/usr/lib/systemd/systemd"

// system turns the unpacked tree into an operating system on a disk, with an initramfs that can mount it. It writes the
// files that maintainer scripts would have made.
func (b *builder) system(ctx context.Context, t *tree) (info imageInfo, err error) {
	b.say("assembling the operating system")
	s := b.recipe.System
	all := rootFiles{}
	if info, err = b.modules(ctx, t, all); err != nil {
		return info, err
	}
	root := rootFiles{}
	root.dir("dev", "proc", "sys", "run", "tmp", "root", "usr/bin", "linerate", "disk")
	if err := t.bootOnly(root, all, info.Kernel, s.Initrd); err != nil {
		return info, err
	}
	if err := b.write(ctx, root, t, info.Kernel); err != nil {
		return info, err
	}
	if err := t.dress(s, info.Kernel); err != nil {
		return info, err
	}
	b.say("compiling its Python")
	if err := t.compilePython(ctx, s.Compiled); err != nil {
		return info, err
	}
	b.say("writing its disk")
	return info, t.writeDisk(ctx, filepath.Join(b.dir, diskFile), s.Free)
}

// bootOnly adds the modules of the initramfs to root, from all modules of the image.
func (t *tree) bootOnly(root, all rootFiles, kernel string, modules []string) error {
	dir := "usr/lib/modules/" + kernel + "/"
	table, err := t.moduleTable("staged/lib/modules/" + kernel + "/")
	if err != nil {
		return err
	}
	files, _ := table.closure(modules) // absent modules are built in; the guest's init reports missing ones
	for i, f := range files {
		entry, ok := all[dir+f]
		if !ok {
			return fmt.Errorf("the module %s was not staged", f)
		}
		root[dir+f] = entry
		files[i] = "/" + dir + f
	}
	root.text(bootModulesFile, strings.Join(files, "\n")+"\n")
	return nil
}

// dress adds to the tree what packages do not have.
func (t *tree) dress(s *system, kernel string) error {
	for _, dir := range []string{"boot", "usr/lib/modules"} {
		if err := t.root.RemoveAll(dir); err != nil {
			return err
		}
	}
	for _, dir := range []string{"dev", "proc", "sys", "run", "tmp", "root", "mnt", "boot", "home", "opt",
		"usr/lib/modules", "usr/local/bin", "usr/local/sbin", "var/lib/dbus", "var/lib/nfs", "var/lib/systemd",
		"var/lib/NetworkManager", "var/log", "var/tmp", "var/cache", "var/spool", "etc/nvme", "etc/netplan",
		"etc/systemd/network", "etc/NetworkManager/system-connections", "etc/NetworkManager/conf.d",
		"etc/network/interfaces.d", "etc/network/if-pre-up.d", "etc/network/if-up.d", "etc/network/if-down.d",
		"etc/network/if-post-down.d"} {
		if err := t.root.MkdirAll(dir, 0o755); err != nil {
			return err
		}
	}
	if err := t.root.Rename("staged/lib/modules/"+kernel, "usr/lib/modules/"+kernel); err != nil {
		return err
	}
	for _, gone := range []string{"staged", "kernel.packed", "etc/machine-id", "var/run", "var/lock"} {
		if err := t.root.RemoveAll(gone); err != nil {
			return err
		}
	}
	links := map[string]string{"bin": "usr/bin", "sbin": "usr/sbin", "lib": "usr/lib",
		"lib64": "usr/lib64", "init": SystemAgent, "usr/bin/sh": "dash",
		"usr/lib/systemd/system/sysinit.target.wants/linerate.service": "../linerate.service",
		"etc/mtab":                          "../proc/self/mounts",
		"etc/systemd/system/default.target": "/usr/lib/systemd/system/multi-user.target",
		"var/run":                           "/run", "var/lock": "/run/lock",
		"etc/systemd/system/dbus-org.freedesktop.network1.service": "/usr/lib/systemd/system/systemd-networkd.service"}
	for _, e := range s.Enabled {
		target, unit, _ := strings.Cut(e, " ")
		links["etc/systemd/system/"+target+".wants/"+unit] = "/usr/lib/systemd/system/" + unit
	}
	for _, m := range s.Masked {
		links["etc/systemd/system/"+m] = "/dev/null"
	}
	for _, applet := range applets() {
		if !slices.ContainsFunc([]string{"usr/bin/", "usr/sbin/"}, func(d string) bool { return t.exists(d + applet) }) {
			links["usr/bin/"+applet] = "busybox"
		}
	}
	for _, name := range []string{"modprobe", "insmod", "rmmod", "lsmod", "depmod", "modinfo"} {
		links["usr/sbin/"+name] = "../bin/kmod"
	}
	for name, to := range links {
		if err := t.link(name, to); err != nil {
			return err
		}
	}
	for name, text := range systemTexts() {
		if err := t.text(name, text); err != nil {
			return err
		}
	}
	for name, mode := range map[string]fs.FileMode{"etc/NetworkManager/system-connections": 0o700,
		"tmp": fs.ModeSticky | 0o777, "var/tmp": fs.ModeSticky | 0o777, "root": 0o700} {
		if err := t.root.Chmod(name, mode); err != nil {
			return err
		}
	}
	return nil
}

// link writes a link, and replaces an existing file.
func (t *tree) link(name, to string) error {
	if err := t.clear(name); err != nil {
		return err
	}
	return t.root.Symlink(to, name)
}

// text writes a file, and replaces an existing one.
func (t *tree) text(name, text string) error {
	if err := t.clear(name); err != nil {
		return err
	}
	return t.root.WriteFile(name, []byte(text), 0o644)
}

func (t *tree) clear(name string) error {
	if err := t.root.MkdirAll(path.Dir(name), 0o755); err != nil {
		return err
	}
	return t.root.RemoveAll(name)
}

// compilePython compiles the modules of Python, as its maintainer scripts do: an emulated guest would take half a
// minute for it at each call of netplan. A file that does not compile is skipped.
func (t *tree) compilePython(ctx context.Context, folders []string) error {
	env := []string{"PYTHONHOME=" + t.path("usr"), "PYTHONDONTWRITEBYTECODE=", "PYTHONNOUSERSITE=1", "PYTHONPATH="}
	args := []string{"-S", "-m", "compileall", "-q", "-j", "2", "--invalidation-mode", "unchecked-hash", "-s", t.dir, "-p",
		"/"}
	for _, f := range folders {
		if name := "usr/" + f; t.exists(name) {
			args = append(args, t.path(name))
		}
	}
	return t.runWith(ctx, env, nil, "python3", "usr/bin/python3", args...)
}

// writeDisk writes the tree as a file system on a disk of its size plus free bytes. Everything on it belongs to root.
func (t *tree) writeDisk(ctx context.Context, file string, free int64) error {
	var size, inodes int64
	err := filepath.WalkDir(t.dir, func(_ string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		inodes++
		size += 4096
		if fi, err := e.Info(); err == nil && fi.Mode().IsRegular() {
			size += (fi.Size() + 4095) &^ 4095
		}
		return nil
	})
	if err != nil {
		return err
	}
	blocks := (size + size/50 + free) >> 12
	env := []string{"MKE2FS_CONFIG=" + t.path("etc/mke2fs.conf")}
	err = t.runWith(ctx, env, nil, "mke2fs", "usr/sbin/mke2fs", "-q", "-F", "-t", "ext4", "-b", "4096", "-m", "0", "-N",
		fmt.Sprint(inodes*3/2+4096), "-L", "linerate", "-O", "^metadata_csum,^resize_inode", "-E",
		"root_owner=0:0,lazy_itable_init=0,lazy_journal_init=1", "-d", t.dir, file, fmt.Sprint(blocks))
	if err != nil {
		return err
	}
	// mke2fs keeps the owner of the files, which is the building user.
	if os.Getuid() != 0 || os.Getgid() != 0 {
		if err := t.ownDisk(ctx, file, inodes); err != nil {
			return err
		}
	}
	if err := os.Chmod(file, 0o600); err != nil {
		return err
	}
	f, err := os.OpenFile(file, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	return f.Sync()
}

// firstInode is the first unreserved inode of an ext4 file system: lost+found. The others of a new one follow it.
const firstInode = 11

// ownDisk gives every file of a new file system to root.
func (t *tree) ownDisk(ctx context.Context, file string, files int64) error {
	const commands = "debugfs.commands"
	var out strings.Builder
	for i := int64(2); i < firstInode+files+1; i++ {
		if i > 2 && i < firstInode {
			continue
		}
		fmt.Fprintf(&out, "set_inode_field <%d> uid 0\nset_inode_field <%d> gid 0\n", i, i)
	}
	if err := t.root.WriteFile(commands, []byte(out.String()), 0o600); err != nil {
		return err
	}
	defer t.root.Remove(commands)
	return t.run(ctx, nil, "debugfs", "usr/sbin/debugfs", "-w", "-f", t.path(commands), file)
}
