package block

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"linerate/internal/base/unit"
)

// openDevice opens a disk or a partition. For writing it must be allowed and unused, and is opened exclusively, so that
// nothing else begins to use it.
func openDevice(_ context.Context, j Job, info fs.FileInfo) (*target, error) {
	number := uint64(info.Sys().(*syscall.Stat_t).Rdev)
	t := &target{ready: Ready{Kind: KindDevice, Path: j.Target}, grow: j.Ours && j.Verify && j.writes()}
	look, err := os.OpenFile(j.Target, os.O_RDONLY, 0)
	if err != nil {
		return nil, openError(j.Target, err)
	}
	defer look.Close()
	size, err := look.Seek(0, io.SeekEnd)
	if err != nil || size == 0 {
		return nil, input(j.Target, "the device has no size: no medium is in it, or nothing is attached to it")
	}
	t.ready.Size, t.ready.Identity = unit.Bytes(size), serialOf(number)
	t.ready.Found = append(signatures(look, size), partsOf(number)...)
	if j.writes() {
		if err := consent(j.Destroy, j.Target, j.Target, t.ready.Identity, t.ready.Size, t.ready.Found); err != nil {
			return nil, err
		}
		if os.Geteuid() != 0 {
			return nil, unsafeTo(j.Target,
				"which programs use it is seen by root alone, so it is not written; run as root, or read alone (read 1)")
		}
		used, err := usesOf(number)
		if err != nil {
			return nil, unsafeTo(j.Target, "whether it is used could not be found out (%v), so it is not written", err)
		}
		if len(used) > 0 {
			return nil, unsafeTo(j.Target, "it is in use, and no permission helps: %s; end that first", strings.Join(used, ", "))
		}
		if n, err := unix.IoctlGetInt(int(look.Fd()), unix.BLKROGET); err == nil && n != 0 {
			return nil, input(j.Target, "the device is read-only")
		}
	}
	a := access{write: j.writes(), direct: !j.Cached, sync: j.Sync}
	flags := a.flags()
	if a.write {
		flags |= unix.O_EXCL
	}
	if t.file, err = openQuiet(j.Target, flags); a.direct && errors.Is(err, syscall.EINVAL) {
		t.ready.DirectWhy = "this device does not take O_DIRECT"
		t.file, err = openQuiet(j.Target, flags&^unix.O_DIRECT)
	}
	if errors.Is(err, syscall.EBUSY) {
		return nil, unsafeTo(
			j.Target,
			"it is in use, and no permission helps: something in the kernel or a program holds it exclusively (a volume "+
				"manager, ZFS, a mount in another namespace); end that first",
		)
	}
	if err != nil {
		return nil, openError(j.Target, err)
	}
	// The name may have come to mean another device between Stat and the open.
	if now, err := t.file.Stat(); err != nil || uint64(now.Sys().(*syscall.Stat_t).Rdev) != number {
		_ = t.close()
		return nil, unsafeTo(j.Target, "it became another device while it was looked at")
	}
	if j.Span > t.ready.Size {
		_ = t.close()
		return nil, input("span", "%s has %v, less than the %v that are to be used; lower span", j.Target, t.ready.Size,
			j.Span)
	}
	t.describe(j)
	return t, nil
}

// Identify returns a device's serial number ("" without one) and size. A job that writes it must name one of them.
func Identify(path string) (serial string, size unit.Bytes, err error) {
	f, err := os.OpenFile(path, os.O_RDONLY, 0)
	if err != nil {
		return "", 0, openError(path, err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return "", 0, openError(path, err)
	}
	if !isDisk(info) {
		return "", 0, input(path, "it is not a disk (%v)", info.Mode().Type())
	}
	end, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return "", 0, openError(path, err)
	}
	return serialOf(uint64(info.Sys().(*syscall.Stat_t).Rdev)), unit.Bytes(end), nil
}

func sysOf(number uint64) string {
	return fmt.Sprintf("/sys/dev/block/%d:%d", unix.Major(number), unix.Minor(number))
}

func word(path string) string {
	b, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(strings.Trim(string(b), "\x00"))
}

// diskOf is the sysfs folder of a whole disk, also when number is that of a partition.
func diskOf(number uint64) string {
	at, err := filepath.EvalSymlinks(sysOf(number))
	if err != nil {
		return ""
	}
	if word(filepath.Join(at, "partition")) != "" {
		at = filepath.Dir(at)
	}
	return at
}

// serialOf is the serial number of a disk as the kernel reports it: NVMe and MMC, SCSI (page 80h), virtio, or the name
// of a volume. It is "" if there is none.
func serialOf(number uint64) string {
	at := diskOf(number)
	if at == "" {
		return ""
	}
	for _, name := range []string{"device/serial", "serial", "dm/uuid", "md/uuid"} {
		if s := word(filepath.Join(at, name)); s != "" {
			return s
		}
	}
	if b, err := os.ReadFile(filepath.Join(at, "device/vpd_pg80")); err == nil && len(b) > 4 {
		return strings.TrimSpace(strings.Trim(string(b[4:]), "\x00"))
	}
	return ""
}

// partsOf names the partitions that the kernel sees on a device.
func partsOf(number uint64) []string {
	var out []string
	entries, _ := os.ReadDir(sysOf(number))
	for _, e := range entries {
		if word(filepath.Join(sysOf(number), e.Name(), "partition")) != "" {
			out = append(out, "partition "+e.Name())
		}
	}
	return out
}

// usesOf lists everything that uses a device, a partition of it, its whole disk, or what is built on one of them. It
// fails if a use cannot be checked.
func usesOf(number uint64) ([]string, error) {
	all := map[string]string{} // number to name
	if err := family(sysOf(number), all); err != nil {
		return nil, err
	}
	var used []string
	for _, at := range []string{sysOf(number), diskOf(number)} {
		if at == "" {
			return nil, errors.New("it is not in sysfs")
		}
		holders, err := os.ReadDir(filepath.Join(at, "holders"))
		if err != nil {
			return nil, err
		}
		for _, h := range holders {
			used = appendText(used, fmt.Sprintf("held by %s%s", h.Name(), kindOfHolder(h.Name())))
		}
	}
	entries, err := os.ReadDir(sysOf(number))
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if word(filepath.Join(sysOf(number), e.Name(), "partition")) == "" {
			continue
		}
		holders, err := os.ReadDir(filepath.Join(sysOf(number), e.Name(), "holders"))
		if err != nil {
			return nil, err
		}
		for _, h := range holders {
			used = appendText(used, fmt.Sprintf("its partition %s is held by %s%s", e.Name(), h.Name(), kindOfHolder(h.Name())))
		}
	}
	mounted, err := mounts()
	if err != nil {
		return nil, err
	}
	for _, m := range mounted {
		name, ok := all[m.number]
		if !ok && strings.HasPrefix(m.source, "/dev/") {
			name, ok = all[numberOfDevice(m.source)]
		}
		if ok {
			used = appendText(used, fmt.Sprintf("%s is mounted at %s", name, m.point))
		}
	}
	swaps, err := os.ReadFile("/proc/swaps")
	if err != nil && !errors.Is(err, fs.ErrNotExist) { // a kernel without swap
		return nil, err
	}
	for line := range strings.Lines(string(swaps)) {
		if f := strings.Fields(line); len(f) > 1 && f[1] == "partition" {
			if name, ok := all[numberOfDevice(unescape(f[0]))]; ok {
				used = appendText(used, name+" is swap")
			}
		}
	}
	loops, err := filepath.Glob("/sys/block/loop*/loop/backing_file")
	if err != nil {
		return nil, err
	}
	for _, l := range loops {
		if name, ok := all[numberOfDevice(word(l))]; ok {
			used = appendText(used, fmt.Sprintf("%s is under %s", name, strings.Split(l, "/")[3]))
		}
	}
	used = append(used,
		exportedDevices("/sys/kernel/config", func(path string) string { return all[numberOfDevice(path)] })...)
	return append(used, openedBy(all)...), nil
}

// family adds a device, its partitions and everything that is built on them.
func family(at string, all map[string]string) error {
	real, err := filepath.EvalSymlinks(at)
	if err != nil {
		return err
	}
	number := word(filepath.Join(real, "dev"))
	if number == "" {
		return fmt.Errorf("%s names no device", at)
	}
	if all[number] != "" {
		return nil
	}
	all[number] = filepath.Base(real)
	entries, err := os.ReadDir(real)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if below := filepath.Join(real, e.Name()); word(filepath.Join(below, "partition")) != "" {
			if err := family(below, all); err != nil {
				return err
			}
		}
	}
	holders, err := os.ReadDir(filepath.Join(real, "holders"))
	if err != nil {
		return err
	}
	for _, h := range holders {
		if err := family(filepath.Join("/sys/class/block", h.Name()), all); err != nil {
			return err
		}
	}
	return nil
}

func kindOfHolder(name string) string {
	at := "/sys/class/block/" + name
	switch {
	case word(at+"/md/level") != "":
		return " (md " + word(at+"/md/level") + ")"
	case strings.HasPrefix(word(at+"/dm/uuid"), "LVM-"):
		return " (LVM " + word(at+"/dm/name") + ")"
	case word(at+"/dm/name") != "":
		return " (device-mapper " + word(at+"/dm/name") + ")"
	case strings.HasPrefix(name, "bcache"):
		return " (bcache)"
	}
	return ""
}

// numberOfDevice is "MAJOR:MINOR" of a path, "" if the path is not a block device.
func numberOfDevice(path string) string {
	var s unix.Stat_t
	if unix.Stat(path, &s) != nil || s.Mode&unix.S_IFMT != unix.S_IFBLK {
		return ""
	}
	return fmt.Sprintf("%d:%d", unix.Major(s.Rdev), unix.Minor(s.Rdev))
}

// openedBy names the processes that have one of the devices open for writing, such as a virtual machine or an iSCSI
// target. udev opens a device briefly after every change, but only for reading. Only root sees the processes of other
// users, and only root may write devices.
func openedBy(all map[string]string) []string {
	var used []string
	links, _ := filepath.Glob("/proc/[0-9]*/fd/*")
	for _, l := range links {
		to, err := os.Readlink(l)
		if err != nil || !strings.HasPrefix(to, "/dev/") {
			continue
		}
		name, ok := all[numberOfDevice(l)]
		if !ok {
			continue
		}
		f := strings.Split(l, "/")
		if f[2] == strconv.Itoa(os.Getpid()) {
			continue // this process
		}
		for line := range strings.Lines(word("/proc/" + f[2] + "/fdinfo/" + f[4])) {
			if v, is := strings.CutPrefix(line, "flags:"); is {
				flags, err := strconv.ParseUint(strings.TrimSpace(v), 8, 64)
				if err == nil && flags&unix.O_ACCMODE != unix.O_RDONLY {
					used = appendText(used,
						fmt.Sprintf("%s is open for writing in process %s (%s)", name, f[2], word("/proc/"+f[2]+"/comm")))
				}
			}
		}
	}
	return used
}

// DropCached asks the system to drop a file's pages from its cache. Dirty pages stay: sync the file first.
func DropCached(f *os.File) error { return unix.Fadvise(int(f.Fd()), 0, 0, unix.FADV_DONTNEED) }

// Cached is how much of a file the system has in its cache (cachestat, Linux 6.5).
func Cached(f *os.File) (unit.Bytes, error) { return inCache(f) }
