package facts

import (
	"strings"

	"linerate/internal/base/lazyregexp"
)

// FirmwareSetting is a setting that a card's firmware keeps, as mlxconfig shows it.
type FirmwareSetting struct {
	Device  string // as it was asked for; empty: not known
	Name    string // LINK_TYPE_P1
	Default string // "ETH(2)"; empty: not known
	Current string // in effect since the last boot; empty: not known
	Was     string // what the next boot would have had before it was set; empty: nobody has set it here
	Next    string // after the next boot
	Proof
}

var settingLine = lazyregexp.New(`^(?:\*|RO)?\s*([A-Z][A-Z0-9_]{2,63})\s+(\S+)(?:\s+(\S+))?(?:\s+(\S+))?$`)

// readMlxconfig reads "mlxconfig -d X query" and mstconfig, which is the same of Debian: with -e three columns (default,
// current, next boot), else what the next boot has; of "set" what was there and what is new. A * is before what differs.
// Format: NVIDIA's MFT manual, mlxconfig; https://github.com/Mellanox/mstflint, mlxconfig.
//
//	Configurations:                              Default         Current         Next Boot
//	*        ROCE_CONTROL                        ROCE_ENABLE(2)  DEVICE_DEFAULT(0) ROCE_ENABLE(2)
func readMlxconfig(f *Facts, args []string, text []byte) error {
	device, set, seen := "", false, false
	if len(args) > 0 && !strings.HasPrefix(args[0], unnamedPort) {
		device = args[0]
	}
	applied := !strings.Contains(string(text), "Apply new Configuration?") || strings.Contains(string(text), "Applying... Done!")
	for line := range strings.Lines(string(text)) {
		p := f.proof(line)
		line = strings.TrimSpace(line)
		key, value, _ := strings.Cut(line, ":")
		switch key {
		case "Device type":
			seen = true
		case "Device":
			seen = true
			if device == "" {
				device = baseName(strings.TrimSpace(value))
			}
		case "Configurations":
			seen = true
			set = strings.HasSuffix(line, "New")
		}
		m := settingLine.FindStringSubmatch(line)
		if m == nil || len(f.Firmware) >= 8192 {
			continue
		}
		s := FirmwareSetting{Device: device, Name: m[1], Proof: p}
		switch {
		case m[4] != "":
			s.Default, s.Current, s.Next = m[2], m[3], m[4]
		case m[3] != "" && set && applied:
			s.Was, s.Next = m[2], m[3] // its columns are Next Boot and New: what is in effect it does not say
		case m[3] != "" && set:
			s.Next = m[2]
		case m[3] != "":
			continue // a line of two columns without their names
		default:
			s.Next = m[2]
		}
		seen = true
		f.Firmware = append(f.Firmware, s)
	}
	if !seen {
		return toolError(text)
	}
	return nil
}

// Setting returns a firmware setting by its name, of a card, or nil.
func (f *Facts) Setting(device, name string) *FirmwareSetting {
	for i := range f.Firmware {
		if f.Firmware[i].Name == name && f.Firmware[i].Device == device {
			return &f.Firmware[i]
		}
	}
	return nil
}

// baseName is the last part of a path: /dev/mst/mt4119_pciconf0 is mt4119_pciconf0.
func baseName(path string) string { return path[strings.LastIndexByte(path, '/')+1:] }

var mstLine = lazyregexp.New(`^\S+\(rev:\w+\)\s+\S+\s+((?:[0-9a-f]{4}:)?[0-9a-f]{2}:[0-9a-f]{2}\.[0-7])\s+(\S+)\s+(\S+)`)

// readMstStatus reads "mst status -v": which RDMA device and interface is at which address.
// Format: NVIDIA's MFT manual, mst.
//
//	ConnectX7(rev:0)        NA       c3:00.0   mlx5_7          net-ibs114                              1
func readMstStatus(f *Facts, _ []string, text []byte) error {
	seen := false
	for line := range strings.Lines(string(text)) {
		m := mstLine.FindStringSubmatch(strings.TrimSpace(line))
		if m == nil {
			seen = seen || strings.HasPrefix(line, "MST modules:") || strings.HasPrefix(line, "DEVICE_TYPE")
			continue
		}
		seen = true
		address := m[1]
		if len(address) == len("00:00.0") {
			address = "0000:" + address
		}
		if !strings.HasPrefix(m[2], "mlx") && !strings.HasPrefix(m[2], "roce") && !strings.HasPrefix(m[2], "ib") && !strings.HasPrefix(m[2], "rocep") {
			continue
		}
		f.rdma(m[2]).PCI = address
		for _, name := range strings.Split(m[3], ",") {
			if name, ok := strings.CutPrefix(name, "net-"); ok && isDeviceName(name) && f.NIC(name) != nil && f.NIC(name).PCI == "" {
				f.nic(name).PCI = address
			}
		}
	}
	if !seen {
		return toolError(text)
	}
	return nil
}
