package tcp

import (
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"linerate/internal/testenv"
)

// The device of a file by the number of its mount, where the file's own number is of no device (btrfs, as the manual
// has the forms).
func TestMountedFrom(t *testing.T) {
	const table = "22 28 0:21 / /proc rw,relatime shared:5 - proc proc rw\n" +
		"28 1 0:25 /root / rw,relatime shared:1 - btrfs /dev/nvme0n1p3 rw,compress=zstd:1,subvol=/root\n" +
		"61 28 0:45 / /mnt/share rw - nfs4 10.0.1.2:/pool rw,vers=4.2\n" +
		"cut 28\n"
	for info, want := range map[string]string{"pos:\t0\nflags:\t02100000\nmnt_id:\t28\nino:\t257\n": "/dev/nvme0n1p3",
		"mnt_id:\t61\n": "", "mnt_id:\t22\n": "", "mnt_id:\t7\n": "", "pos:\t0\n": "", "": ""} {
		if got := mountedFrom([]byte(info), []byte(table)); got != want {
			t.Errorf("%q: %q, want %q", info, got, want)
		}
	}
}

// The device that this test's own folder is on is one that the kernel counts, or there is none.
func TestBlockDevice(t *testing.T) {
	testenv.Need(t, testenv.Live)
	f, err := os.Create(filepath.Join(t.TempDir(), "file"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var s unix.Stat_t
	if err := unix.Fstat(int(f.Fd()), &s); err != nil {
		t.Fatal(err)
	}
	name := blockDevice(f)
	if kind := fileSystem(f); kind == "tmpfs" && name != "" || (kind == "ext4" || kind == "xfs") && name == "" {
		t.Errorf("%s on %q", kind, name)
	}
	if name != "" {
		if _, err := os.Stat("/sys/class/block/" + name); err != nil {
			t.Error(err)
		}
	}
	if got := blockName(unix.Mkdev(0, 5)); got != "" {
		t.Errorf("a number of no device is %q", got)
	}
}
