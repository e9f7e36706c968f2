package pci

import (
	"errors"
	"strconv"
	"strings"

	"linerate/internal/base/lazyregexp"
	"linerate/internal/base/unit"
	"linerate/internal/facts/parse"
)

var Address = lazyregexp.New(`^[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]$`)

var pciLine = lazyregexp.New(`^/sys/(?:bus/pci/devices/|devices/\S*/)([0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7])/([^/:]+):(.*)$`)

// putNICDevice reads the position of an interface's device in the tree of /sys/devices, from "readlink -f
// /sys/class/net/NAME/device": "/sys/devices/pci0000:00/0000:00:01.0/0000:01:00.0". Each element is below the one
// before.
func putNICDevice(f *parse.Builder, args []string, path string) {
	above := ""
	for _, e := range strings.Split(path, "/") {
		if !Address.MatchString(e) {
			continue
		}
		d := f.PCIDevice(e)
		d.Above = above
		above = e
	}
	f.Interface(args[0]).PCI = above
}

// readPCI reads "grep -r . /sys/bus/pci/devices/ADDRESS": each line is the path of a file, a colon and its text. The
// path may also be below /sys/devices; then the last address counts. Format:
// https://docs.kernel.org/admin-guide/abi-testing.html (sysfs-bus-pci). Speeds are "8.0 GT/s PCIe", or "Unknown".
func readPCI(f *parse.Builder, _ []string, text []byte) error {
	seen := false
	for line := range strings.Lines(string(text)) {
		m := pciLine.FindStringSubmatch(strings.TrimSpace(line))
		if m == nil {
			continue
		}
		address, name, value := m[1], m[2], m[3]
		seen = true
		d := f.PCIDevice(address)
		d.From = "/sys/bus/pci/devices/" + address
		value = strings.TrimSpace(value)
		switch name {
		case "vendor":
			d.Vendor = strings.TrimPrefix(value, "0x")
		case "device":
			d.Device = strings.TrimPrefix(value, "0x")
		case "class":
			d.Class = strings.TrimPrefix(value, "0x")
		case "current_link_speed":
			d.Speed = gigatransfers(value)
		case "max_link_speed":
			d.MaxSpeed = gigatransfers(value)
		case "current_link_width":
			d.Width = lanes(value)
		case "max_link_width":
			d.MaxWidth = lanes(value)
		case "local_cpulist":
			d.LocalCPUs = value
		case "numa_node":
			if n, err := strconv.Atoi(value); err == nil {
				d.NUMA = unit.Known(n)
			}
		}
	}
	if !seen {
		return parse.ToolError(text)
	}
	return nil
}

// gigatransfers reads a speed of a lane: "8.0 GT/s PCIe", "2.5 GT/s", "8GT/s".
func gigatransfers(s string) unit.Opt[float64] {
	number, _, ok := strings.Cut(strings.ReplaceAll(s, " ", ""), "GT/s")
	v, err := strconv.ParseFloat(number, 64)
	if !ok || err != nil || !(v > 0 && v < 1000) {
		return unit.Unknown[float64]("the kernel says " + strconv.Quote(s))
	}
	return unit.Known(v)
}

// lanes reads a width; 0 and 255 mean that there is no link.
func lanes(s string) unit.Opt[int] {
	n, err := strconv.Atoi(strings.TrimPrefix(s, "x"))
	if err != nil || n < 1 || n > 64 {
		return unit.Unknown[int]("the kernel says " + strconv.Quote(s))
	}
	return unit.Known(n)
}

func ParsePath(text []byte) (string, error) {
	v, err := parse.ParseValue(text)
	if err == nil && !strings.HasPrefix(v, "/") {
		err = errors.New("it is not a path")
	}
	return v, err
}
