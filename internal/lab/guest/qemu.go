package guest

import (
	"fmt"
	"strconv"
	"strings"
)

// DefaultMemory is a guest's memory in bytes.
const DefaultMemory = 512 << 20

// Machine is the configuration of a guest for QEMU. Files are numbers of descriptors that QEMU inherits.
type Machine struct {
	Name    string
	Kernel  string
	Initrd  string // a path; /dev/fd/N for a file
	Console string // the serial console's log
	Channel int    // a connected Unix socket, with a Disk one that listens; 0: none
	NICs    []NIC
	// Share is a folder of this machine that the guest may mount as ShareTag; 0: none. It is read-only unless Writable.
	Share    int
	Writable bool
	Memory   int64 // bytes
	KVM      bool
	Init     []string // the guest's init in its own file system, and the arguments
	// Disk is a file system that the machine may write; its writes go to an unnamed file of QEMU, which stays over a
	// reboot and ends with the machine. Empty: there is none, and a reboot ends the machine.
	Disk    string
	Monitor int // a connected Unix socket that reports reboots, with a Disk
}

// NIC is a NIC of a guest.
type NIC struct {
	MAC  string
	Tap  int // a tap device's file; 0: none
	Pipe int // one end of a pair of connected Unix sockets, another guest's NIC at the other; 0: none
	// Speed is the link speed that the NIC reports, in Mb/s, full duplex; 0: none, the default of such NICs.
	Speed int
}

// kernelLine switches off what a guest does not need: tests of the crypto code, a keyboard, further serial ports,
// security modules.
const kernelLine = "console=ttyS0 quiet panic=-1 mitigations=off nokaslr tsc=reliable cryptomgr.notests audit=0 " +
	"nowatchdog apparmor=0 selinux=0" +
	" i8042.noaux i8042.nokbd i8042.nopnp 8250.nr_uarts=1 no_timer_check raid=noautodetect"

// emulatedLine switches off what takes long on an emulated CPU: the firmware's own code for each NIC's interrupt (0.3 s
// a NIC; the table of the older standard has the same), and two more tests of crypto code.
const emulatedLine = " acpi=noirq initcall_blacklist=crypto_kdf108_init,jent_mod_init"

// Arguments returns QEMU's command line after the program's name. KVM uses the host's CPU model. Emulation uses the
// basic qemu64: -cpu max made soft RoCE half as fast.
func (m Machine) Arguments() []string {
	args := []string{"-name", strings.ReplaceAll(m.Name, ",", ",,"), "-nodefaults", "-no-user-config", "-display", "none",
		"-machine", "pc"}
	if m.Disk == "" {
		args = append(args, "-no-reboot")
	}
	line := kernelLine
	if m.KVM {
		args = append(args, "-accel", "kvm", "-cpu", "host")
	} else {
		line += emulatedLine
		args = append(args, "-accel", "tcg,thread=multi", "-cpu", "qemu64")
	}
	args = append(args, "-smp", "1", "-m", strconv.FormatInt(m.Memory>>20, 10)+"M", "-kernel", m.Kernel, "-initrd",
		m.Initrd, "-append", line+" rdinit="+m.Init[0]+" -- "+strings.Join(m.Init[1:], " "), "-serial",
		"file:"+strings.ReplaceAll(m.Console, ",", ",,"), "-device", "virtio-rng-pci")
	if m.Disk != "" {
		// Writes need not reach this machine's disk: the file has no name, and ends with QEMU.
		args = append(args, "-drive",
			"if=virtio,format=raw,snapshot=on,cache=unsafe,discard=unmap,file="+strings.ReplaceAll(m.Disk, ",", ",,"),
			"-chardev", fmt.Sprintf("socket,id=m0,fd=%d", m.Monitor), "-mon", "chardev=m0,mode=control")
	}
	if m.Channel != 0 {
		channel := fmt.Sprintf("socket,id=c0,fd=%d", m.Channel)
		if m.Disk != "" {
			// It is a listening socket: after a reboot it is connected again, without old data in transit.
			channel += ",server=on,wait=off"
		}
		args = append(args, "-chardev", channel, "-device", "virtio-serial-pci",
			"-device", "virtserialport,chardev=c0,name="+PortName)
	}
	if m.Share != 0 {
		// Files are made as QEMU's own user makes them, with the guest's permission bits, and links stay links: with a mapped
		// model, files that a guest writes have permissions and links that only guests understand. QEMU itself follows no
		// link out of the folder.
		share := fmt.Sprintf("local,path=/proc/self/fd/%d,mount_tag=%s,security_model=none,multidevs=remap", m.Share,
			ShareTag)
		if !m.Writable {
			share += ",readonly=on"
		}
		args = append(args, "-virtfs", share)
	}
	for i, n := range m.NICs {
		device := fmt.Sprintf("virtio-net-pci,mac=%s,romfile=", n.MAC)
		if n.Speed > 0 {
			device += fmt.Sprintf(",speed=%d,duplex=full", n.Speed)
		}
		switch {
		case n.Tap != 0:
			args = append(args, "-netdev", fmt.Sprintf("tap,id=n%d,fd=%d", i, n.Tap))
			device += fmt.Sprintf(",netdev=n%d", i)
		case n.Pipe != 0:
			args = append(args, "-netdev", fmt.Sprintf("socket,id=n%d,fd=%d", i, n.Pipe))
			device += fmt.Sprintf(",netdev=n%d", i)
		}
		args = append(args, "-device", device)
	}
	return args
}

// ShareTag is the name under which the guest mounts the shared folder (9p).
const ShareTag = "linerate"

// PortName is the name of the serial port of the channel, in the guest.
const PortName = "linerate"
