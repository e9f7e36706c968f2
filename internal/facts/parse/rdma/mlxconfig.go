package rdma

import (
	"strings"

	"linerate/internal/base/lazyregexp"
	"linerate/internal/facts"
	"linerate/internal/facts/parse"
)

var settingLine = lazyregexp.New(`^(?:\*|RO)?\s*([A-Z][A-Z0-9_]{2,63})\s+(\S+)(?:\s+(\S+))?(?:\s+(\S+))?$`)

// readMlxconfig reads "mlxconfig -d X query" and mstconfig, its name in Debian: with -e three columns (default,
// current, next boot), else the next boot's; for "set" the old and new value. A * marks differences. Format: NVIDIA's
// MFT manual, mlxconfig; https://github.com/Mellanox/mstflint, mlxconfig.
//
//	Configurations:                              Default         Current         Next Boot
//	*        ROCE_CONTROL                        ROCE_ENABLE(2)  DEVICE_DEFAULT(0) ROCE_ENABLE(2)
func readMlxconfig(f *parse.Builder, args []string, text []byte) error {
	device, set, seen := "", false, false
	if len(args) > 0 && !strings.HasPrefix(args[0], parse.UnnamedPort) {
		device = args[0]
	}
	applied := !strings.Contains(string(text), "Apply new Configuration?") ||
		strings.Contains(string(text), "Applying... Done!")
	for line := range strings.Lines(string(text)) {
		p := f.Proof(line)
		line = strings.TrimSpace(line)
		key, value, _ := strings.Cut(line, ":")
		switch key {
		case "Device type":
			seen = true
		case "Device":
			seen = true
			if device == "" {
				device = parse.BaseName(strings.TrimSpace(value))
			}
		case "Configurations":
			seen = true
			set = strings.HasSuffix(line, "New")
		}
		m := settingLine.FindStringSubmatch(line)
		if m == nil || len(f.Firmware) >= 8192 {
			continue
		}
		s := facts.FirmwareSetting{Device: device, Name: m[1], Proof: p}
		switch {
		case m[4] != "":
			s.Default, s.Current, s.Next = m[2], m[3], m[4]
		case m[3] != "" && set && applied:
			s.Was, s.Next = m[2], m[3] // its columns are Next Boot and New, without the current value
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
		return parse.ToolError(text)
	}
	return nil
}

var mstLine = lazyregexp.New(`^\S+\(rev:\w+\)\s+\S+\s+((?:[0-9a-f]{4}:)?[0-9a-f]{2}:[0-9a-f]{2}\.[0-7])\s+(\S+)\s+(\S+)`)

// readMstStatus reads "mst status -v": the RDMA device and interface of each address. Format: NVIDIA's MFT manual, mst.
//
//	ConnectX7(rev:0)        NA       c3:00.0   mlx5_7          net-ibs114                              1
func readMstStatus(f *parse.Builder, _ []string, text []byte) error {
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
		if !strings.HasPrefix(m[2], "mlx") && !strings.HasPrefix(m[2], "roce") && !strings.HasPrefix(m[2], "ib") &&
			!strings.HasPrefix(m[2], "rocep") {
			continue
		}
		rdma(f, m[2]).PCI = address
		for _, name := range strings.Split(m[3], ",") {
			if name, ok := strings.CutPrefix(name, "net-"); ok && IsDeviceName(name) && f.NIC(name) != nil &&
				f.NIC(name).PCI == "" {
				f.Interface(name).PCI = address
			}
		}
	}
	if !seen {
		return parse.ToolError(text)
	}
	return nil
}
