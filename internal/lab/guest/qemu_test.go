package guest

import (
	"slices"
	"strings"
	"testing"
)

func TestArguments(t *testing.T) {
	m := Machine{Name: "a,b", Kernel: "/k", Initrd: "/proc/self/fd/6", Console: "/run/a,b", Channel: 5, Memory: 512 << 20,
		Init: []string{"/init", "lab-guest"},
		NICs: []NIC{
			{MAC: "52:54:00:00:00:01", Tap: 3},
			{MAC: "52:54:00:00:00:02", Pipe: 4},
			{MAC: "52:54:00:00:00:03", Speed: 10000},
		}}
	after := func(args []string, flag string) (out []string) {
		for i, a := range args {
			if a == flag {
				out = append(out, args[i+1])
			}
		}
		return out
	}
	args := m.Arguments()
	for _, c := range []struct{ flag, want string }{
		{"-accel", "tcg,thread=multi"}, {"-cpu", "qemu64"}, {"-m", "512M"}, {"-name", "a,,b"}, {"-serial", "file:/run/a,,b"},
		{"-netdev", "tap,id=n0,fd=3"}, {"-netdev", "socket,id=n1,fd=4"}, {"-chardev", "socket,id=c0,fd=5"},
		{"-device", "virtio-net-pci,mac=52:54:00:00:00:01,romfile=,netdev=n0"}, {"-device",
			"virtio-net-pci,mac=52:54:00:00:00:03,romfile=,speed=10000,duplex=full"},
	} {
		if !slices.Contains(after(args, c.flag), c.want) {
			t.Errorf("%s is %q, want %s", c.flag, after(args, c.flag), c.want)
		}
	}
	if line := after(args, "-append")[0]; !strings.HasSuffix(line, " rdinit=/init -- lab-guest") {
		t.Errorf("the kernel's line: %s", line)
	}
	if got := after(args, "-virtfs"); got != nil {
		t.Errorf("without a share: %q", got)
	}
	m.Share = 7
	if got := after(m.Arguments(), "-virtfs"); !slices.Equal(got,
		[]string{"local,path=/proc/self/fd/7,mount_tag=linerate,security_model=none,multidevs=remap,readonly=on"}) {
		t.Errorf("a share: %q", got)
	}
	m.Writable = true
	if got := after(m.Arguments(), "-virtfs"); !slices.Equal(got,
		[]string{"local,path=/proc/self/fd/7,mount_tag=linerate,security_model=none,multidevs=remap"}) {
		t.Errorf("a share that is written: %q", got)
	}
	m.KVM = true
	if args := m.Arguments(); !slices.Contains(after(args, "-accel"), "kvm") ||
		!slices.Contains(after(args, "-cpu"), "host") {
		t.Errorf("with KVM: %q", args)
	}
}

// A machine with a disk continues after a reboot; one without ends.
func TestArgumentsOfDisk(t *testing.T) {
	m := Machine{Name: "a", Kernel: "/k", Initrd: "/i", Console: "/c", Channel: 5, Monitor: 6,
		Disk: "/cache/a,b/root.ext4", Memory: 512 << 20, Init: []string{"/init", "lab-guest", "start"}}
	args := strings.Join(m.Arguments(), " ")
	for _, want := range []string{"-drive " +
		"if=virtio,format=raw,snapshot=on,cache=unsafe,discard=unmap,file=/cache/a,,b/root.ext4", "-chardev " +
		"socket,id=c0,fd=5,server=on,wait=off",
		"-chardev socket,id=m0,fd=6 -mon chardev=m0,mode=control", "rdinit=/init -- lab-guest start"} {
		if !strings.Contains(args, want) {
			t.Errorf("%s is missing: %s", want, args)
		}
	}
	if strings.Contains(args, "-no-reboot") {
		t.Errorf("a reboot ends it: %s", args)
	}
	m.Disk = ""
	if args := strings.Join(m.Arguments(),
		" "); !strings.Contains(args, "-no-reboot") || strings.Contains(args, "-drive") || strings.Contains(args, "-mon") {
		t.Errorf("without a disk: %s", args)
	}
}
