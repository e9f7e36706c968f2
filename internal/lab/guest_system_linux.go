package lab

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"linerate/internal/lab/guest"
)

// The arguments of GuestCommand in a guest with an operating system.
const (
	guestStart = "start" // its initramfs: mount the disk and become the system's init
	guestAgent = "agent" // a service of the system: the lab's end of the channel
)

// machineFile tells a guest's init, in its initramfs, which machine it is.
const machineFile = "etc/linerate/machine.json"

// machineOf is what a machine is before its operating system has started.
type machineOf struct {
	Name  string     `json:"name"`
	Hosts string     `json:"hosts"` // its hosts file
	NICs  []guestNIC `json:"nics"`
}

// diskTimeout bounds the wait for the disk.
const diskTimeout = 20 * time.Second

// startSystem makes the disk the root and its systemd process 1. It returns only with an error.
func startSystem() error {
	if err := mounts([]mount{{"proc", "/proc", "", false}, {"sysfs", "/sys", "", false}, {"devtmpfs", "/dev", "", false}, {"tmpfs", "/run", "mode=755", false},
		{"configfs", "/sys/kernel/config", "", true}, {"debugfs", "/sys/kernel/debug", "", true}}); err != nil {
		return err
	}
	if err := bootModules(); err != nil {
		return err
	}
	var m machineOf
	b, err := os.ReadFile("/" + machineFile)
	if err == nil {
		err = json.Unmarshal(b, &m)
	}
	if err != nil {
		return fmt.Errorf("which machine this is: %w", err)
	}
	// Names before udev looks: to the system they are the kernel's, as on a machine whose cards are where they are.
	nl, err := netlink.NewHandle(unix.NETLINK_ROUTE)
	if err != nil {
		return fmt.Errorf("netlink: %w", err)
	}
	if err := (&host{nl: nl}).nameNICs(m.NICs); err != nil {
		return err
	}
	nl.Close()
	const root = "/disk"
	for end := time.Now().Add(diskTimeout); ; time.Sleep(10 * time.Millisecond) {
		if err = unix.Mount("/dev/vda", root, "ext4", unix.MS_NOATIME, ""); err == nil {
			break
		}
		if !errors.Is(err, os.ErrNotExist) || time.Now().After(end) {
			return fmt.Errorf("mount its disk: %w", err)
		}
	}
	if err := m.write(root); err != nil {
		return err
	}
	// The initramfs stays behind the disk, unseen but for this folder: this program need not be copied.
	at := path.Dir(guest.SystemAgent)
	if err := os.Mkdir(at, 0o755); err != nil {
		return err
	}
	if err := unix.Mount("/linerate", at, "", unix.MS_BIND, ""); err != nil {
		return fmt.Errorf("mount %s: %w", at, err)
	}
	for _, dir := range []string{"/dev", "/proc", "/sys", "/run"} {
		if err := unix.Mount(dir, root+dir, "", unix.MS_MOVE, ""); err != nil {
			return fmt.Errorf("move %s: %w", dir, err)
		}
	}
	if err := os.Chdir(root); err != nil {
		return err
	}
	if err := unix.Mount(".", "/", "", unix.MS_MOVE, ""); err != nil {
		return fmt.Errorf("make the disk the root: %w", err)
	}
	if err := unix.Chroot("."); err != nil {
		return err
	}
	if err := os.Chdir("/"); err != nil {
		return err
	}
	// Filters of system calls take an emulated guest seconds to make, and guard nothing here.
	environment := []string{"PATH=" + guestPath, "TERM=dumb", "SYSTEMD_SECCOMP=0"}
	return fmt.Errorf("start %s: %w", guest.SystemInit, unix.Exec(guest.SystemInit, []string{"/sbin/init"}, environment))
}

// write gives the disk what makes it this machine. What is there, from an earlier boot, is the user's.
func (m machineOf) write(root string) error {
	id, err := os.ReadFile("/proc/sys/kernel/random/uuid")
	if err != nil {
		return err
	}
	for name, text := range map[string]string{"etc/hostname": m.Name + "\n", "etc/hosts": m.Hosts,
		"etc/machine-id": strings.ReplaceAll(string(id), "-", "")} {
		file := filepath.Join(root, name)
		if b, err := os.ReadFile(file); err == nil && len(b) > 0 {
			continue
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}
