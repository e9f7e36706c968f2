package block

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"

	"linerate/internal/base/unit"
	"linerate/internal/base/xslices"
)

const rawDisks = false

func (a access) flags() int {
	f := os.O_RDONLY
	if a.write {
		f = os.O_RDWR
	}
	if a.direct {
		f |= unix.O_DIRECT
	}
	if a.sync {
		f |= unix.O_DSYNC
	}
	return f
}

// openDirect opens a file, bypassing the cache if a asks for it and the file system allows it; else why is the reason.
func openDirect(path string, a access) (f *os.File, why string, err error) {
	f, err = openQuiet(path, a.flags())
	if a.direct && errors.Is(err, syscall.EINVAL) {
		a.direct = false
		f, err = openQuiet(path, a.flags())
		return f, "this file system does not take O_DIRECT", err
	}
	return f, "", err
}

// openQuiet opens without updating the access time where the system allows it (EPERM: only the owner and root may).
// Reading then changes nothing, and no request pays for the check.
func openQuiet(path string, flags int) (*os.File, error) {
	f, err := os.OpenFile(path, flags|unix.O_NOATIME, 0)
	if errors.Is(err, syscall.EPERM) {
		return os.OpenFile(path, flags, 0)
	}
	return f, err
}

// reserve allocates the space of a file, so that a full file system is reported before anything is written. Not all
// file systems can.
func reserve(f *os.File, size int64) error {
	if err := unix.Fallocate(int(f.Fd()), 0, 0, size); !errors.Is(err, unix.EOPNOTSUPP) &&
		!errors.Is(err, unix.ENOSYS) {
		return err
	}
	return nil
}

// buffers allocates memory outside of Go's heap. Large buffers begin at a large page: the kernel then keeps them as few
// large pieces.
func buffers(n int) ([]byte, func(), error) {
	const large = 2 << 20
	size := (n + 4095) / 4096 * 4096
	if n >= large/4 {
		size = (n+large-1)/large*large + large
	}
	all, err := unix.Mmap(-1, 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS)
	if err != nil {
		return nil, nil, fmt.Errorf("%v of memory for buffers: %w; lower depth, threads or the block", unit.Bytes(n), err)
	}
	b := all
	if size >= large {
		at := (large - int(uintptr(unsafe.Pointer(&all[0]))%large)) % large
		b = all[at : at+size-large]
		_ = unix.Madvise(b, unix.MADV_HUGEPAGE)
	}
	for i := 0; i < len(b); i += 4096 {
		b[i] = 0 // touch the page, so that no fault is measured
	}
	return b[:n], func() { _ = unix.Munmap(all) }, nil
}

// where fills in what the kernel reports about the location of an open file: its file system and the devices under it.
func where(f *os.File, r *Ready) {
	if m, ok := mountOf(f); ok && r.Kind != KindDevice {
		r.FileSystem, r.Mount, r.Source = m.kind, m.point, m.source
	}
	var s unix.Stat_t
	if unix.Fstat(int(f.Fd()), &s) != nil {
		return
	}
	number := s.Dev
	if r.Kind == KindDevice {
		number = s.Rdev
		// btrfs and others have a device number of their own
	} else if unix.Major(number) == 0 && strings.HasPrefix(r.Source, "/dev/") {
		var d unix.Stat_t
		if unix.Stat(r.Source, &d) == nil && d.Mode&unix.S_IFMT == unix.S_IFBLK {
			number = d.Rdev
		}
	}
	r.Devices = devicesUnder(number)
	if r.FileSystem == "btrfs" && len(r.Devices) > 0 {
		for _, name := range btrfsMembers("/sys/fs/btrfs", r.Devices[0]) {
			for _, n := range stacked(name) { // two volumes may share one disk
				if !slices.Contains(r.Devices, n) {
					r.Devices = append(r.Devices, n)
				}
			}
		}
	}
}

// btrfsMembers lists all devices of the file system that device belongs to, by their names in /sys/block. root is the
// folder in which the kernel lists them: UUID/devices/NAME.
func btrfsMembers(root, device string) []string {
	found, _ := filepath.Glob(filepath.Join(root, "*", "devices", device))
	if len(found) == 0 {
		return nil
	}
	entries, _ := os.ReadDir(filepath.Dir(found[0]))
	names := xslices.Map(entries, os.DirEntry.Name)
	return names
}

// devicesUnder names the device of a number, as /proc/diskstats does, followed by the devices that it is made of.
func devicesUnder(number uint64) []string {
	at, err := filepath.EvalSymlinks(fmt.Sprintf("/sys/dev/block/%d:%d", unix.Major(number), unix.Minor(number)))
	if err != nil {
		return nil
	}
	return stacked(filepath.Base(at))
}

// stacked is a device followed by the devices that it is made of, by their names in /sys/class/block.
func stacked(name string) []string {
	names := []string{name}
	for i := 0; i < len(names) && len(names) < 64; i++ {
		slaves, _ := os.ReadDir("/sys/class/block/" + names[i] + "/slaves")
		for _, s := range slaves {
			names = append(names, s.Name())
		}
	}
	return names
}

type mount struct{ number, point, kind, source string }

// mountOf is the mount that an open file lies in.
func mountOf(f *os.File) (mount, bool) {
	info, err := os.ReadFile(fmt.Sprintf("/proc/self/fdinfo/%d", f.Fd()))
	if err != nil {
		return mount{}, false
	}
	id := ""
	for line := range strings.Lines(string(info)) {
		if v, ok := strings.CutPrefix(line, "mnt_id:"); ok {
			id = strings.TrimSpace(v)
		}
	}
	all, err := mounts()
	if err != nil {
		return mount{}, false
	}
	m, ok := all[id]
	return m, ok
}

// mounts reads /proc/self/mountinfo (proc_pid_mountinfo(5)) by the mounts' numbers.
func mounts() (map[string]mount, error) {
	f, err := os.Open("/proc/self/mountinfo")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	out := map[string]mount{}
	s := bufio.NewScanner(f)
	s.Buffer(nil, 1<<20)
	for s.Scan() {
		before, after, ok := strings.Cut(s.Text(), " - ")
		a, b := strings.Fields(before), strings.Fields(after)
		if !ok || len(a) < 5 || len(b) < 2 {
			continue
		}
		out[a[0]] = mount{number: a[2], point: unescape(a[4]), kind: b[0], source: unescape(b[1])}
	}
	return out, s.Err()
}

// unescape decodes the octal escapes of blanks and similar characters.
func unescape(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+3 < len(s) {
			if n, err := strconv.ParseUint(s[i+1:i+4], 8, 8); err == nil {
				b.WriteByte(byte(n))
				i += 3
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// sectorOf is the alignment of direct requests, 0: not known.
func sectorOf(f *os.File, r Ready) unit.Bytes {
	var x unix.Statx_t
	if unix.Statx(int(f.Fd()), "", unix.AT_EMPTY_PATH, unix.STATX_DIOALIGN, &x) == nil &&
		x.Mask&unix.STATX_DIOALIGN != 0 &&
		x.Dio_offset_align > 0 {
		return unit.Bytes(x.Dio_offset_align)
	}
	if r.Kind == KindDevice {
		if n, err := unix.IoctlGetInt(int(f.Fd()), unix.BLKSSZGET); err == nil {
			return unit.Bytes(n)
		}
	}
	if len(r.Devices) > 0 {
		for _, at := range []string{"", "/.."} { // a partition has the queue of its disk
			if b, err := os.ReadFile("/sys/class/block/" + r.Devices[0] + at + "/queue/logical_block_size"); err == nil {
				n, _ := strconv.Atoi(strings.TrimSpace(string(b)))
				return unit.Bytes(n)
			}
		}
	}
	return 0
}

// cachestat is struct cachestat of linux/mman.h (6.5).
type cachestat struct{ cached, dirty, writeback, evicted, recentlyEvicted uint64 }

// inCache is how many bytes of a file are in the system's cache.
func inCache(f *os.File) (unit.Bytes, error) {
	span, c := [2]uint64{}, cachestat{}
	if _, _, errno := unix.Syscall6(451, f.Fd(), uintptr(unsafe.Pointer(&span)), uintptr(unsafe.Pointer(&c)), 0, 0,
		0); errno != 0 {
		return 0, errno
	}
	return unit.Bytes(c.cached) * unit.Bytes(os.Getpagesize()), nil
}

// cache prepares the system's cache for the job before the first request, and returns what it did.
func (t *target) cache(j Job) string {
	if t.file == nil {
		return ""
	}
	if !j.Cached {
		if t.ready.Direct != nil && *t.ready.Direct {
			return "around it"
		}
		return "not known: " + t.ready.DirectWhy
	}
	held := func() string {
		n, err := inCache(t.file)
		if err != nil {
			return "how much of it is there is not known (cachestat: " + err.Error() + ")"
		}
		if n == 0 {
			return "nothing of it is there"
		}
		return fmt.Sprintf("%v of it are there", n)
	}
	if j.Warm {
		return "left as it was (warm): " + held()
	}
	if err := t.file.Sync(); err != nil && j.writes() {
		return "not dropped: " + err.Error()
	}
	if err := unix.Fadvise(int(t.file.Fd()), 0, 0, unix.FADV_DONTNEED); err != nil {
		return "not dropped: " + err.Error()
	}
	return "dropped before the warm-up (posix_fadvise); behind it " + held()
}
