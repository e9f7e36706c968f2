package collect

import (
	"bytes"
	"errors"
	"os"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"linerate/internal/base/unit"
	"linerate/internal/facts"
	"linerate/internal/facts/parse/iproute"
)

// ownNet is /proc/net of the calling thread. /proc/net itself is that of the main thread of the process, which may be
// in another network namespace.
const ownNet = "/proc/thread-self/net/"

func (c *collector) collect() {
	full := c.head.Level == facts.Full
	var uts unix.Utsname
	if err := unix.Uname(&uts); err == nil {
		c.head.Kernel = unix.ByteSliceToString(uts.Release[:])
	}
	var ts unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_BOOTTIME, &ts); err == nil {
		c.head.Uptime = unit.Known(time.Duration(ts.Nano()))
	}
	if id, err := os.ReadFile("/proc/sys/kernel/random/boot_id"); err == nil {
		c.head.Boot = strings.TrimSpace(string(id))
	}

	c.file("proc/stat", "/proc/stat", keepCPU)
	c.optional("proc/diskstats", "/proc/diskstats")
	for _, name := range []string{"softnet_stat", "netstat", "snmp", "snmp6"} {
		c.file("proc/net/"+name, ownNet+name, nil)
	}
	links := c.netlink(full)
	if c.head.Level == facts.Statistics {
		c.nicStatistics(links)
		c.rdmaStatistics("/sys", links)
		c.firewall() // its rules count, too
		return
	}
	if !full {
		c.pciSpeeds("/sys", links) // a link at rest may be slower than under load
		return
	}
	c.file("proc/cpuinfo", "/proc/cpuinfo", func(b []byte) []byte { return []byte(reduceCPUInfo(string(b))) })
	c.file("proc/meminfo", "/proc/meminfo", nil)
	c.file("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor",
		"/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", nil)
	c.machine("/sys")
	for _, name := range sysctls() {
		c.file("proc/sys/net/"+name, "/proc/sys/net/"+name, nil)
	}
	c.netClass(links)
	c.ethtool(links)
	c.modules()
	c.infiniband("/sys", links)
	c.trafficClasses("/sys", links)
	c.pciTree("/sys", links)
	c.lldp("/sys", links)
	c.host(links)
	c.kernelLog()
	c.firewall()
}

// firewall adds the rules with their counters, which hold packets that TCP lost between two experiments.
func (c *collector) firewall() {
	c.read("nft list ruleset", func() ([]byte, error) { return ask(c.ctx, "nftables", "nft", "list", "ruleset") })
}

// file adds a file of the system, reduced if keep is given.
func (c *collector) file(name, path string, keep func([]byte) []byte) {
	c.read(name, func() ([]byte, error) {
		data, err := os.ReadFile(path)
		if err == nil && keep != nil {
			data = keep(data)
		}
		return data, err
	})
}

// keepCPU leaves out of /proc/stat the counts of every single interrupt.
func keepCPU(data []byte) []byte {
	var out []byte
	for line := range bytes.Lines(data) {
		if !bytes.HasPrefix(line, []byte("intr ")) {
			out = append(out, line...)
		}
	}
	return out
}

// netClass adds the sysfs files of the interfaces with a device. A process that entered a network namespace may still
// see the sysfs of another one: only an interface with the same number and address counts.
func (c *collector) netClass(links []iproute.Link) {
	for _, l := range links {
		dir := "/sys/class/net/" + l.Name + "/"
		if l.Device == "" || !sameLink(dir, l) {
			continue
		}
		for _, name := range []string{"carrier_changes", "operstate"} {
			c.file("sys/class/net/"+l.Name+"/"+name, dir+name, nil)
		}
	}
}

func sameLink(dir string, l iproute.Link) bool {
	index, err := os.ReadFile(dir + "ifindex")
	if err != nil || strings.TrimSpace(string(index)) != itoa(l.Index) {
		return false
	}
	address, err := os.ReadFile(dir + "address")
	return err == nil && strings.EqualFold(strings.TrimSpace(string(address)), l.Address)
}

// reduceCPUInfo keeps the first CPU, without the lists of flags.
func reduceCPUInfo(text string) string {
	first, _, _ := strings.Cut(text, "\n\n")
	var b strings.Builder
	for line := range strings.Lines(first) {
		switch key, _, _ := strings.Cut(line, ":"); strings.TrimSpace(key) {
		case "flags", "Features", "bugs", "vmx flags":
		default:
			b.WriteString(strings.TrimRight(line, "\n") + "\n")
		}
	}
	return b.String()
}

// machine adds the machine's name and NUMA nodes. A guest, a container or a board without DMI may have neither.
func (c *collector) machine(root string) {
	c.read("grep -r . /sys/class/dmi/id", func() ([]byte, error) {
		var out []byte
		if _, err := os.Stat(root + "/class/dmi/id"); err != nil {
			return nil, err
		}
		for _, name := range boardFiles {
			if text, err := os.ReadFile(root + "/class/dmi/id/" + name); err == nil {
				out = append(out, grepLines("/sys/class/dmi/id/"+name, text)...)
			}
		}
		if out == nil {
			return nil, errors.New("its firmware names no machine")
		}
		return out, nil
	})
	// Boards with a device tree have their name in it, with a NUL byte at its end.
	if text, err := os.ReadFile("/proc/device-tree/model"); err == nil {
		c.read("proc/device-tree/model", func() ([]byte, error) { return append(bytes.Trim(text, "\x00\n"), '\n'), nil })
	}
	c.file("sys/devices/system/node/online", root+"/devices/system/node/online", nil)
}
