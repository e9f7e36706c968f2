package guest

import (
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
)

// rootEntry is one file of the guest's root: a folder (nothing set), a link, a text, or a file of this machine.
type rootEntry struct {
	link string
	text *string
	from string
	mode fs.FileMode
}

// rootFiles is the guest's root, by name without a leading slash.
type rootFiles map[string]rootEntry

func (r rootFiles) dir(names ...string) {
	for _, n := range names {
		r[n] = rootEntry{mode: 0o755}
	}
}

func (r rootFiles) text(name, text string) { r[name] = rootEntry{text: &text, mode: 0o644} }

// write writes the archive, folders before their content.
func (r rootFiles) write(w io.Writer) error {
	for name := range r {
		for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
			if _, ok := r[dir]; !ok {
				r[dir] = rootEntry{mode: 0o755}
			}
		}
	}
	c := &cpioWriter{w: w}
	for _, name := range slices.Sorted(maps.Keys(r)) { // a folder's name is a prefix of those in it
		e := r[name]
		switch {
		case e.link != "":
			c.link(name, e.link)
		case e.text != nil:
			c.text(name, e.mode, *e.text)
		case e.from != "":
			if err := copyInto(c, name, e); err != nil {
				return err
			}
		default:
			c.dir(name, e.mode)
		}
	}
	return c.end()
}

func copyInto(c *cpioWriter, name string, e rootEntry) error {
	f, err := os.Open(e.from)
	if err != nil {
		return err
	}
	defer f.Close()
	fi, err := f.Stat()
	if err != nil {
		return err
	}
	c.file(name, e.mode, fi.Size(), f)
	return c.err
}

// assemble selects the files of the tree for the root.
func (t *tree) assemble(r recipe) (rootFiles, error) {
	const triplet = "x86_64-linux-gnu"
	root := rootFiles{}
	root.dir("dev", "proc", "sys", "run", "tmp", "root", "mnt", "var/lib/nfs", "etc/nvme", "usr/bin", "usr/sbin",
		"usr/lib", "usr/lib64")
	for _, d := range []string{"bin", "sbin", "lib", "lib64"} {
		root[d] = rootEntry{link: "usr/" + d}
	}
	var start []string // files whose libraries are needed
	for _, p := range r.Programs {
		name, at := t.program(p)
		if at == "" {
			return nil, fmt.Errorf("no package holds the program %s", p)
		}
		root[name] = rootEntry{from: t.path(at), mode: 0o755}
		start = append(start, at)
	}
	for _, o := range r.Opened {
		names := []string{o}
		if strings.HasSuffix(o, "/") {
			names = nil
			for _, n := range t.list("usr/lib/" + triplet + "/" + o) {
				names = append(names, o+n)
			}
		}
		for _, n := range names {
			name := "usr/lib/" + triplet + "/" + n
			at, err := t.resolve(name)
			if err != nil {
				return nil, fmt.Errorf("no package holds the library %s", name)
			}
			root[name] = rootEntry{from: t.path(at), mode: 0o755}
			start = append(start, at)
		}
	}
	libraries, err := t.closure(start, triplet)
	if err != nil {
		return nil, err
	}
	for name, at := range libraries {
		root[name] = rootEntry{from: t.path(at), mode: 0o755}
	}
	for _, c := range r.Config {
		if err := t.config(root, "etc/"+c); err != nil {
			return nil, err
		}
	}
	root["usr/bin/busybox"] = rootEntry{from: t.path("usr/bin/busybox"), mode: 0o755}
	for _, applet := range applets() {
		if name := "usr/bin/" + applet; !root.has(applet) {
			root[name] = rootEntry{link: "busybox"}
		}
	}
	// It is not busybox's shell, which in Debian prefers its own ip and modprobe to those in PATH.
	root["usr/bin/sh"] = rootEntry{link: "dash"}
	// Without modprobe, which the init adds: until then the kernel requests a dozen modules that do not exist, and would
	// start a program for each.
	for _, name := range []string{"insmod", "rmmod", "lsmod", "depmod", "modinfo"} {
		root["usr/sbin/"+name] = rootEntry{link: "../bin/kmod"}
	}
	root.text("etc/passwd", "root:x:0:0:root:/root:/bin/sh\n")
	root.text("etc/group", "root:x:0:\n")
	root.text("etc/nsswitch.conf", "hosts: files\n")
	root.text("etc/services", "nfs 2049/tcp\nnfs 2049/udp\nsunrpc 111/tcp\nsunrpc 111/udp\n") // rpc.nfsd looks them up
	return root, nil
}

// has reports whether the root already has a program with the name.
func (r rootFiles) has(program string) bool {
	for _, d := range []string{"usr/bin/", "usr/sbin/"} {
		if _, ok := r[d+program]; ok {
			return true
		}
	}
	return false
}

// program finds a program of the packages: its name, and the file that this leads to.
func (t *tree) program(name string) (as, at string) {
	for _, dir := range []string{"usr/bin/", "usr/sbin/", "usr/lib/"} {
		if at, err := t.resolve(dir + name); err == nil {
			return dir + name, at
		}
	}
	return "", ""
}

// config copies a file or a folder of the packages.
func (t *tree) config(root rootFiles, name string) error {
	at, err := t.resolve(name)
	if err != nil {
		return fmt.Errorf("no package holds %s", name)
	}
	fi, err := t.root.Stat(at)
	if err != nil {
		return err
	}
	if !fi.IsDir() {
		root[name] = rootEntry{from: t.path(at), mode: fi.Mode().Perm() | 0o600}
		return nil
	}
	for _, n := range t.list(at) {
		if err := t.config(root, name+"/"+n); err != nil {
			return err
		}
	}
	return nil
}

// applets returns the names under which busybox is called.
func applets() []string {
	return strings.Fields(
		`awk base64 basename cat chmod chown chroot clear cmp cp cut date dd df diff dirname dmesg du echo env expr false find
		free fuser grep gunzip gzip head hexdump hostname id ifconfig kill killall less ln logger losetup ls md5sum mkdir mkfifo mknod mktemp
		more mount mv nc netstat nohup nproc od pgrep pidof pkill poweroff printf ps pwd readlink realpath reboot renice rm rmdir route sed seq
		sha256sum sleep sort stat strings stty sync sysctl tail tar tee telnet test time timeout top touch tr true truncate tty umount uname
		uniq uptime usleep vi watch wc which xargs yes zcat`,
	)
}
