package guest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Host describes this machine's support for guests.
type Host struct {
	QEMU string `json:"qemu"` // the program
	KVM  bool   `json:"kvm"`
	// NoKVM is the reason why guests are emulated in software, which is some ten times slower; empty with KVM.
	NoKVM string `json:"no_kvm,omitempty"`
}

// Fits refuses machines that guests are not made for.
func Fits() error {
	if runtime.GOARCH != "amd64" {
		return &MissingError{What: "guests are made of Debian's packages for amd64, and this machine is " + runtime.GOARCH}
	}
	return nil
}

// FindHost looks for QEMU and KVM. A MissingError says what is missing.
func FindHost() (Host, error) {
	if err := Fits(); err != nil {
		return Host{}, err
	}
	path, err := exec.LookPath("qemu-system-x86_64")
	if err != nil {
		return Host{}, &MissingError{What: "qemu-system-x86_64 is not here",
			Try: "apt-get install --no-install-recommends qemu-system-x86"}
	}
	h := Host{QEMU: path}
	if err := tryKVM(); err != nil {
		h.NoKVM = err.Error()
	} else {
		h.KVM = true
	}
	return h, nil
}

const kvmCreateVM = 0xAE01 // KVM_CREATE_VM, linux/kvm.h

// tryKVM makes an empty machine, because a device that opens need not work.
func tryKVM() error {
	f, err := os.OpenFile("/dev/kvm", os.O_RDWR, 0)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return errors.New("there is no /dev/kvm")
	case errors.Is(err, os.ErrPermission):
		return errors.New("/dev/kvm may not be opened; usermod -aG kvm USER allows it")
	case err != nil:
		return err
	}
	defer f.Close()
	vm, _, errno := unix.Syscall(unix.SYS_IOCTL, f.Fd(), kvmCreateVM, 0)
	if errno != 0 {
		return fmt.Errorf("/dev/kvm makes no machine (%v)", errno)
	}
	return unix.Close(int(vm))
}

// kvmLimit bounds the time until a machine's init runs with KVM. It takes a second; emulation takes five.
const kvmLimit = 6 * time.Second

// ProveKVM starts the image once with KVM, because a virtual machine may offer KVM that does not work. The answer is
// kept next to the image until this machine reboots. Without KVM it does nothing.
func (h *Host) ProveKVM(ctx context.Context, i Image, say func(string)) {
	if !h.KVM {
		return
	}
	boot, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	file := filepath.Join(filepath.Dir(i.Kernel), "kvm-"+strings.TrimSpace(string(boot)))
	if b, err := os.ReadFile(file); err == nil {
		if h.NoKVM = strings.TrimSpace(string(b)); h.NoKVM != "" {
			h.KVM = false
		}
		return
	}
	say("trying KVM")
	if err := h.tryMachine(ctx, i); err != nil && ctx.Err() == nil {
		h.KVM, h.NoKVM = false, err.Error()
	}
	old, _ := filepath.Glob(filepath.Join(filepath.Dir(i.Kernel), "kvm-*"))
	for _, f := range old {
		os.Remove(f)
	}
	os.WriteFile(file, []byte(h.NoKVM), 0o600)
}

// tryMachine runs a machine whose init ends immediately, which ends the kernel and QEMU.
func (h *Host) tryMachine(ctx context.Context, i Image) error {
	console, err := os.CreateTemp("", "linerate-kvm-*")
	if err != nil {
		return nil // not known: the guests will show it
	}
	console.Close()
	defer os.Remove(console.Name())
	ctx, cancel := context.WithTimeout(ctx, kvmLimit)
	defer cancel()
	m := Machine{Name: "kvm", Kernel: i.Kernel, Initrd: i.Initrd, Console: console.Name(), Memory: DefaultMemory,
		KVM: true, Init: []string{"/usr/bin/true"}}
	cmd := exec.CommandContext(ctx, h.QEMU, m.Arguments()...)
	defer ownGroup(cmd)()
	out, err := cmd.CombinedOutput()
	said, _, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
	switch {
	case ctx.Err() != nil && said == "":
		return fmt.Errorf("with KVM the kernel did not start within %v", kvmLimit)
	case ctx.Err() != nil:
		return fmt.Errorf("with KVM the kernel did not start within %v: %.100s", kvmLimit, said)
	case err != nil:
		return fmt.Errorf("with KVM QEMU does not start: %w: %.100s", err, said)
	}
	return nil
}

// AvailableMemory returns the memory that is available to new programs in bytes, as the kernel estimates it; 0: not
// known.
func AvailableMemory() int64 {
	b, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return 0
	}
	for line := range bytes.Lines(b) {
		if rest, ok := strings.CutPrefix(string(line), "MemAvailable:"); ok {
			kib, err := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(rest), "kB")), 10, 64)
			if err == nil {
				return kib << 10
			}
		}
	}
	return 0
}

// MakeInitrd returns a file in memory that holds the image's first file system and, after it, init as /init, the files
// of these names and texts, and the image's further modules with their tables, which replace those of the image. It is
// never on a disk, and ends with the last process that has it open. With a disk, init is in /linerate, which stays
// after the first file system.
func MakeInitrd(i Image, init string, files map[string]string) (*os.File, error) {
	fd, err := unix.MemfdCreate("initrd", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, err
	}
	out := os.NewFile(uintptr(fd), "initrd")
	err = func() error {
		base, err := os.Open(i.Initrd)
		if err != nil {
			return err
		}
		defer base.Close()
		if _, err := out.ReadFrom(base); err != nil {
			return err
		}
		c := &cpioWriter{w: out}
		name := "init"
		if i.Disk != "" {
			name = "linerate/init"
			c.link("init", name)
		}
		if err := copyProgram(c, name, init); err != nil {
			return err
		}
		for name, text := range files {
			c.text(name, 0o644, text)
		}
		if err := i.Modules.copyInto(c, i.Version); err != nil {
			return fmt.Errorf("%s: %w", modulesName, err)
		}
		return c.end()
	}()
	if err != nil {
		out.Close()
		return nil, err
	}
	return out, nil
}

// ownGroup puts a command into a process group of its own, which is killed as a whole when the command is cancelled, or
// when this process ends for any reason. The calling goroutine keeps its thread until release, which must be called
// after the command's end: the kernel's signal depends on the thread that forked.
func ownGroup(cmd *exec.Cmd) (release func()) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	if cmd.Cancel != nil { // it has a context
		cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	}
	runtime.LockOSThread()
	return runtime.UnlockOSThread
}
