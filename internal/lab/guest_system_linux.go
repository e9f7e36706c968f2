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

// machineFile is the file in the initramfs of a guest's init that describes the machine.
const machineFile = "etc/linerate/machine.json"

// machineOf describes a machine before its operating system starts.
type machineOf struct {
	Name  string     `json:"name"`
	Hosts string     `json:"hosts"` // its hosts file
	NICs  []guestNIC `json:"nics"`
}

// diskTimeout bounds the wait for the disk.
const diskTimeout = 20 * time.Second

// startSystem makes the disk the root and its systemd process 1. It returns only with an error.
func startSystem() error {
	if err := mounts(); err != nil {
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
	// The names are set before udev runs: to the system they are the kernel's names, as on a real machine.
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
	// Of the initramfs only this folder stays visible on the disk, so that this program need not be copied.
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
	// System call filters take seconds to build in an emulated guest, and protect nothing here.
	environment := []string{"PATH=" + guestPath, "TERM=dumb", "SYSTEMD_SECCOMP=0"}
	return fmt.Errorf("start %s: %w", guest.SystemInit, unix.Exec(guest.SystemInit, []string{"/sbin/init"}, environment))
}

// write writes the files of this machine to the disk. It keeps existing ones, which are from an earlier boot and may
// have been edited.
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
