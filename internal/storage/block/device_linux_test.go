package block

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"linerate/internal/base/failure"
	"linerate/internal/base/unit"
	"linerate/internal/testenv"
	"linerate/internal/traffic"
)

// command runs a tool that the test needs.
func command(t *testing.T, argv ...string) string {
	t.Helper()
	out, err := exec.Command(argv[0], argv[1:]...).CombinedOutput()
	if errors.Is(err, exec.ErrNotFound) {
		testenv.Missing(t, argv[0])
	}
	if err != nil {
		t.Fatalf("%v: %v: %s", argv, err, out)
	}
	return strings.TrimSpace(string(out))
}

// loopDevice attaches a file of 64 MiB, and skips the test where that is impossible.
func loopDevice(t *testing.T, options ...string) (device, image string) {
	t.Helper()
	testenv.Need(t, testenv.Live)
	testenv.NeedRoot(t)
	image = filepath.Join(t.TempDir(), "image")
	if err := os.WriteFile(image, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(image, int64(64*unit.MiB)); err != nil {
		t.Fatal(err)
	}
	return attach(t, image, options...), image
}

func attach(t *testing.T, image string, options ...string) string {
	t.Helper()
	out, err := exec.Command("losetup", append(append([]string{"-f", "--show"}, options...), image)...).CombinedOutput()
	if err != nil {
		testenv.Missing(t, fmt.Sprintf("a loop device: %v: %s", err, out))
	}
	device := strings.TrimSpace(string(out))
	t.Cleanup(func() {
		if out, err := exec.Command("losetup", "-d", device).CombinedOutput(); err != nil {
			t.Errorf("losetup -d %s: %v: %s", device, err, out)
		}
	})
	return device
}

func deviceJob(device string) Job {
	return Job{Target: device, Size: 4096, Depth: 4, Threads: 2, Amount: 400 * 4096, Interval: 2 * time.Minute,
		Destroy: fmt.Sprintf("%s=64MiB", device)}
}

// refused checks that a job is refused for safety and that the device is unchanged.
func refused(t *testing.T, j Job, says string) {
	t.Helper()
	e, err := Prepare(t.Context(), j)
	var m *failure.Error
	if err == nil {
		e.Close()
		t.Errorf("%s is not refused (%s)", j.Target, says)
	} else if !errors.As(err, &m) || m.Code != failure.CodeUnsafe || !strings.Contains(err.Error(), says) {
		t.Errorf("%v, want %q", err, says)
	}
}

func TestDeviceIsWrittenOnlyWhenAllowed(t *testing.T) {
	device, image := loopDevice(t)
	command(t, "mkswap", device)
	before, err := os.ReadFile(image)
	if err != nil {
		t.Fatal(err)
	}
	for says, destroy := range map[string]string{"allow it with destroy " + device + "=67108864": "",
		"on it: swap space": "", "not \"63MiB\" as destroy says": device + "=63MiB",
		"not \"S123\" as destroy says": device + "=S123", "which is another one": "/dev/vda=64MiB"} {
		j := deviceJob(device)
		j.Destroy = destroy
		refused(t, j, says)
	}
	if after, err := os.ReadFile(image); err != nil || string(after) != string(before) {
		t.Fatal("it was written")
	}
	j := deviceJob(device)
	j.Read, j.Destroy = 1, ""
	r, o := ok(t, j)
	if r.Kind != KindDevice || r.Size != 64*unit.MiB || len(r.Devices) != 1 || "/dev/"+r.Devices[0] != device ||
		r.Sector != 512 ||
		r.Identity != "" ||
		o.Read.Operations == 0 {
		t.Errorf("%+v", r)
	}
	if len(r.Found) != 1 || r.Found[0] != "swap space" {
		t.Errorf("found: %v", r.Found)
	}
	for _, way := range ways(t) {
		j := deviceJob(device)
		j.Verify, j.Read, j.Way = true, 0.5, way
		_, o := ok(t, j)
		if v := o.Verified; v.Wrong != 0 || v.Right == 0 || o.Write.Operations == 0 {
			t.Errorf("%s: %+v", way, v)
		}
	}
	if after, err := os.ReadFile(image); err != nil || string(after) == string(before) {
		t.Fatal("it was not written")
	}
}

// Blocks of a device that were never written are counted as unknown, not as wrong.
func TestVerifyOfWhatNobodyWrote(t *testing.T) {
	device, _ := loopDevice(t)
	j := deviceJob(device)
	j.Verify, j.Read, j.Destroy = true, 1, ""
	_, o := ok(t, j)
	if v := o.Verified; v.Right != 0 || v.Wrong != 0 || v.Unknown == 0 ||
		!strings.Contains(strings.Join(o.Warnings, " "), "compared with nothing") {
		t.Errorf("%+v, %v", v, o.Warnings)
	}
}

func TestDeviceInUseIsNeverWritten(t *testing.T) {
	uses := map[string]func(t *testing.T) (device, says string){
		"mounted": func(t *testing.T) (string, string) {
			device, _ := loopDevice(t)
			command(t, "mkfs.ext4", "-q", device)
			at := t.TempDir()
			command(t, "mount", device, at)
			t.Cleanup(func() { command(t, "umount", at) })
			return device, "is mounted at " + at
		},
		"mounted for somebody else": func(t *testing.T) (string, string) {
			device, _ := loopDevice(t)
			command(t, "mkfs.ext4", "-q", device)
			c := exec.Command("unshare", "-m", "sh", "-c", "mount "+device+" /mnt && echo ready && read x")
			in, _ := c.StdinPipe()
			out, _ := c.StdoutPipe()
			if err := c.Start(); err != nil {
				testenv.Missing(t, err.Error())
			}
			t.Cleanup(func() { in.Close(); _ = c.Wait() })
			if n, _ := out.Read(make([]byte, 6)); n == 0 {
				testenv.Missing(t, "a mount namespace")
			}
			return device, "holds it exclusively"
		},
		"a mounted partition of it": func(t *testing.T) (string, string) {
			device, image := loopDevice(t)
			part := partitioned(t, device, image)
			command(t, "mkfs.ext4", "-q", part)
			at := t.TempDir()
			command(t, "mount", part, at)
			t.Cleanup(func() { command(t, "umount", at) })
			return device, filepath.Base(part) + " is mounted at"
		},
		"swap": func(t *testing.T) (string, string) {
			device, _ := loopDevice(t)
			command(t, "mkswap", device)
			if out, err := exec.Command("swapon", device).CombinedOutput(); err != nil {
				testenv.Missing(t, fmt.Sprintf("swap: %s", out))
			}
			t.Cleanup(func() { command(t, "swapoff", device) })
			return device, "is swap"
		},
		"under another loop device": func(t *testing.T) (string, string) {
			device, _ := loopDevice(t)
			upper := attach(t, device)
			return device, "is under " + filepath.Base(upper)
		},
		"under device-mapper": func(t *testing.T) (string, string) {
			device, _ := loopDevice(t)
			if _, err := os.Stat("/dev/mapper/control"); err != nil {
				t.Skip("this kernel has no device-mapper")
			}
			if out, err := exec.Command("dmsetup", "create", "linerate-test", "--table", "0 131072 linear "+device+" 0").
				CombinedOutput(); err != nil {
				t.Skipf("no device-mapper: %s", out)
			}
			t.Cleanup(func() { command(t, "dmsetup", "remove", "linerate-test") })
			return device, "device-mapper linerate-test"
		},
		"opened exclusively": func(t *testing.T) (string, string) {
			device, _ := loopDevice(t)
			f, err := os.OpenFile(device, os.O_RDONLY|unix.O_EXCL, 0)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { f.Close() })
			return device, "holds it exclusively"
		},
		"open in another program": func(t *testing.T) (string, string) {
			device, _ := loopDevice(t)
			c := exec.Command("sh", "-c", "exec 3<>"+device+"; echo ready; read x")
			in, _ := c.StdinPipe()
			out, _ := c.StdoutPipe()
			if err := c.Start(); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { in.Close(); _ = c.Wait() })
			_, _ = out.Read(make([]byte, 6))
			return device, fmt.Sprintf("is open for writing in process %d (sh)", c.Process.Pid)
		},
	}
	for name, use := range uses {
		t.Run(name, func(t *testing.T) {
			device, says := use(t)
			j := deviceJob(device)
			refused(t, j, says)
			// Reading loses nothing.
			j.Read, j.Destroy = 1, ""
			if _, o := ok(t, j); o.Read.Operations == 0 {
				t.Error("nothing was read")
			}
		})
	}
	t.Run("and the disk of a partition", func(t *testing.T) {
		device, image := loopDevice(t)
		part := partitioned(t, device, image)
		f, err := os.OpenFile(device, os.O_RDONLY|unix.O_EXCL, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		j := deviceJob(part)
		j.Destroy = part + "=32MiB"
		refused(t, j, "holds it exclusively")
	})
}

// partitioned writes a table with one partition of 32 MiB by hand (an MBR of 4 entries at 446), and has the kernel
// read it.
func partitioned(t *testing.T, device, image string) string {
	t.Helper()
	table := make([]byte, 512)
	copy(table[446:], []byte{0, 0, 0, 0, 0x83, 0, 0, 0, 0, 8, 0, 0, 0, 0, 1, 0}) // from sector 2048, 65536 of them
	table[510], table[511] = 0x55, 0xaa
	f, err := os.OpenFile(device, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteAt(table, 0); err != nil {
		t.Fatal(err)
	}
	if err := f.Sync(); err != nil {
		t.Fatal(err)
	}
	f.Close()
	command(t, "losetup", "-d", device)
	// It is attached again as the same device, so that the cleanup finds it.
	if out, err := exec.Command("losetup", "-P", device, image).CombinedOutput(); err != nil {
		t.Fatalf("losetup -P: %v: %s", err, out)
	}
	part := device + "p1"
	_ = exec.Command("addpart", device, "1", "2048", "65536").Run() // for a kernel that reads no such tables
	for began := time.Now(); time.Since(began) < 20*time.Second; time.Sleep(5 * time.Millisecond) {
		if _, err := os.Stat(part); err == nil {
			return part
		}
	}
	t.Skip("the kernel shows no partition")
	return ""
}

func TestPartition(t *testing.T) {
	device, image := loopDevice(t)
	part := partitioned(t, device, image)
	j := deviceJob(part)
	j.Destroy = part + "=32MiB"
	r, o := ok(t, j)
	if o.Write.Operations == 0 || r.Size != 32*unit.MiB {
		t.Errorf("%+v", r)
	}
	whole := deviceJob(device)
	whole.Destroy = ""
	refused(t, whole, "on it: a boot sector or an MBR partition table, partition "+filepath.Base(part))
}

func TestReadOnlyDevice(t *testing.T) {
	device, _ := loopDevice(t, "-r")
	var m *failure.Error
	if _, err := Prepare(t.Context(), deviceJob(device)); !errors.As(err, &m) ||
		!strings.Contains(err.Error(), "read-only") {
		t.Error(err)
	}
}

// A sector of 4 KiB refuses blocks of 512 bytes.
func TestSectorOfTheDevice(t *testing.T) {
	device, _ := loopDevice(t, "-b", "4096")
	j := deviceJob(device)
	j.Read, j.Destroy, j.Size = 1, "", 512
	var m *failure.Error
	if _, err := Prepare(t.Context(),
		j); !errors.As(err, &m) || m.Code != failure.CodeInput || !strings.Contains(err.Error(), "not a multiple of the "+
		"sector") ||
		!strings.Contains(err.Error(), "take 4 KiB") {
		t.Error(err)
	}
	j.Cached = true
	if r, _ := ok(t, j); r.Direct == nil || *r.Direct {
		t.Errorf("%+v", r)
	}
}

// The drive behind the device shrinks: its blocks fail with the kernel's own errno.
func TestDeviceThatFails(t *testing.T) {
	for _, way := range ways(t) {
		for _, on := range []string{OnErrorStop, OnErrorGoOn} {
			device, image := loopDevice(t)
			j := deviceJob(device)
			j.Read, j.Destroy, j.Way, j.OnError = 1, "", way, on
			e, err := Prepare(t.Context(), j)
			if err != nil {
				t.Fatal(err)
			}
			const there = 32 << 20 // half of it stays
			if err := os.Truncate(image, there); err != nil {
				t.Fatal(err)
			}
			o, err := e.Run(t.Context(), traffic.Now(), nil)
			e.Close()
			if o == nil || len(o.Errors) == 0 || o.Errors[0].Errno != int(unix.EIO) || o.Errors[0].Offset < there ||
				on == OnErrorGoOn && (o.Read.Operations == 0 || o.Read.Operations+o.ErrorCount != 400) {
				t.Errorf("%s, %s: %v, %+v", way, on, err, o)
				continue
			}
			var m *failure.Error
			if on == OnErrorStop &&
				(!errors.As(err, &m) || m.Code != CodeLost || !strings.Contains(m.Text, fmt.Sprintf("read at offset %d: "+
					"input/output error", o.Errors[0].Offset))) {
				t.Error(err)
			}
			if on == OnErrorGoOn && err != nil {
				t.Error(err)
			}
		}
	}
}

// A write to a full file system: the error comes before or while the file is laid out, and no file stays.
func TestFullFileSystem(t *testing.T) {
	device, _ := loopDevice(t)
	command(t, "mkfs.ext4", "-q", device)
	at := t.TempDir()
	command(t, "mount", device, at)
	t.Cleanup(func() { command(t, "umount", at) })
	j := base(t)
	j.Target, j.Span = filepath.Join(at, "f"), 256*unit.MiB
	var m *failure.Error
	if _, err := Prepare(t.Context(), j); !errors.As(err, &m) || m.Code != failure.CodeLimit ||
		!strings.Contains(err.Error(), "256 MiB are to be laid out") {
		t.Error(err)
	}
	if _, err := os.Stat(j.Target); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%s is still there", j.Target)
	}
	j.Span = 4 * unit.MiB
	r, _ := ok(t, j)
	if r.FileSystem != "ext4" || r.Mount != at || r.Source != device || len(r.Devices) == 0 ||
		"/dev/"+r.Devices[0] != device ||
		r.Direct == nil ||
		!*r.Direct {
		t.Errorf("%+v", r)
	}
}

// small is a file system of 8 MiB.
func small(t *testing.T) string {
	t.Helper()
	testenv.Need(t, testenv.Live)
	testenv.NeedRoot(t)
	at := t.TempDir()
	command(t, "mount", "-t", "tmpfs", "-o", "size=8m", "none", at)
	t.Cleanup(func() { command(t, "umount", at) })
	return at
}

// The file system is full when a write needs room that the file has lost: the error has errno and offset, and earlier
// writes stay counted.
func TestFullInTheMiddle(t *testing.T) {
	for _, way := range ways(t) {
		for _, on := range []string{OnErrorStop, OnErrorGoOn} {
			at := small(t)
			j := base(t)
			j.Target, j.Span, j.Read, j.Way, j.OnError, j.Pattern, j.Threads, j.Interval = filepath.Join(at,
				"f"), 4*unit.MiB, 0, way, on, PatternSequential, 1, 2*time.Minute
			j.Amount = j.Span
			e, err := Prepare(t.Context(), j)
			if err != nil {
				t.Fatal(err)
			}
			f, err := os.OpenFile(j.Target, os.O_RDWR, 0)
			if err != nil {
				t.Fatal(err)
			}
			const hole = 2 << 20
			err = unix.Fallocate(int(f.Fd()), unix.FALLOC_FL_PUNCH_HOLE|unix.FALLOC_FL_KEEP_SIZE, hole, 2<<20)
			f.Close()
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(at, "other"), make([]byte, 8<<20), 0o600); !errors.Is(err, unix.ENOSPC) {
				t.Fatal(err)
			}
			o, err := e.Run(t.Context(), traffic.Now(), nil)
			e.Close()
			if o == nil || len(o.Errors) == 0 || o.Errors[0].Op != "write" || o.Errors[0].Errno != int(unix.ENOSPC) ||
				o.Errors[0].Offset < hole ||
				o.Write.Operations < hole/4096-8 {
				t.Fatalf("%s, %s: %v, %+v", way, on, err, o)
			}
			var m *failure.Error
			if on == OnErrorStop &&
				(!errors.As(err, &m) || m.Code != CodeLost || !strings.Contains(m.Text, "no space left on device")) ||
				on == OnErrorGoOn && err != nil {
				t.Errorf("%s, %s: %v", way, on, err)
			}
		}
	}
}

// A file system that is too small for a job's file fails while it is laid out, as nothing can know it before, and no
// file stays.
func TestFullWhileLayingOut(t *testing.T) {
	at := small(t)
	j := base(t)
	j.Target, j.Span = filepath.Join(at, "f"), 4*unit.MiB
	other := filepath.Join(at, "other")
	target, err := openTarget(t.Context(), j)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(other, make([]byte, 6<<20), 0o600); err != nil { // another program takes the space first
		t.Fatal(err)
	}
	var m *failure.Error
	if err := target.layOut(
		t.Context(),
		j,
		int64(j.Span/j.Size),
	); !errors.As(err, &m) || m.Code != failure.CodeLimit || !strings.Contains(err.Error(), "no space left on device; "+
		"lower span, or make room") ||
		target.laid {
		t.Error(err)
	}
	if err := target.close(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(j.Target); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%s is still there", j.Target)
	}
}

// Signatures are found where the formats put them.
func TestSignatures(t *testing.T) {
	const size = 8 << 20
	b := make([]byte, size)
	for _, k := range known {
		at := k.at
		if at < 0 {
			at += size
		}
		n := copy(b[at:], k.is)
		if found := signatures(bytes.NewReader(b), size); len(found) != 1 || found[0] != k.name {
			t.Errorf("%s: %v", k.name, found)
		}
		clear(b[at : at+int64(n)])
	}
	if found := signatures(bytes.NewReader(b), size); len(found) != 0 {
		t.Errorf("on zeros: %v", found)
	}
	copy(b[128<<10+3<<10:], zfsMagic[0])
	if found := signatures(bytes.NewReader(b), size); len(found) != 1 || found[0] != "a member of a ZFS pool" {
		t.Errorf("%v", found)
	}
	if found := signatures(strings.NewReader("short"), 5); len(found) != 0 {
		t.Errorf("%v", found)
	}
}
