package parse

import (
	"fmt"
	"strconv"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/facts"
	"linerate/internal/facts/parse"
)

// readBoard reads the output of "grep -r . /sys/class/dmi/id": each line is the path of a file, a colon and its text.
// Boards without a name have various placeholders, which are unknown. Format:
// https://docs.kernel.org/admin-guide/abi-testing.html (sysfs-class-dmi). The placeholders are from dmidecode's list of
// bad strings and common boards, not from a snapshot.
func readBoard(f *parse.Builder, _ []string, text []byte) error {
	seen, vendor := false, ""
	for line := range strings.Lines(string(text)) {
		path, value, ok := strings.Cut(strings.TrimSpace(line), ":")
		name, under := strings.CutPrefix(path, "/sys/class/dmi/id/")
		if !ok || !under {
			continue
		}
		seen = true
		value = facts.OneLine(value)
		v := unit.Known(value)
		if unnamed(value) {
			v = unit.Unknown[string]("the firmware says " + value)
		}
		switch name {
		case "sys_vendor":
			f.Machine.Vendor = v
		case "product_name":
			f.Machine.Product = v
		case "board_vendor":
			if v.IsKnown() {
				vendor = value + " "
			}
		case "board_name":
			f.Machine.Board = v
		}
	}
	if board, ok := f.Machine.Board.Get(); ok {
		f.Machine.Board = unit.Known(vendor + board)
	}
	if !seen {
		return parse.ToolError(text)
	}
	return nil
}

// unnamed reports whether a name is a maker's placeholder.
func unnamed(s string) bool {
	switch strings.Trim(strings.ToLower(s), ". ") {
	case "", "to be filled by o.e.m", "default string", "system product name", "system manufacturer", "not specified",
		"not applicable", "none", "o.e.m", "oem", "unknown",
		"type1productconfigid", "product name", "0123456789", "n/a":
		return true
	}
	return false
}

func missingBoard(f *parse.Builder, _ []string, why string) {
	parse.Missing(&f.Machine.Vendor, why)
	parse.Missing(&f.Machine.Product, why)
	parse.Missing(&f.Machine.Board, why)
}

// parseNodes counts the NUMA nodes of /sys/devices/system/node/online: "0", "0-1", "0,2-3".
// Format: https://docs.kernel.org/admin-guide/abi-stable.html (/sys/devices/system/node/online)
func parseNodes(text []byte) (int, error) {
	n := 0
	for part := range strings.SplitSeq(strings.TrimSpace(string(text)), ",") {
		low, high, several := strings.Cut(part, "-")
		first, err := strconv.Atoi(low)
		last := first
		if several && err == nil {
			last, err = strconv.Atoi(high)
		}
		if err != nil || first < 0 || last < first || last > 4096 {
			return 0, fmt.Errorf("%.40q is not a list of nodes", strings.TrimSpace(string(text)))
		}
		n += last - first + 1
	}
	return n, nil
}
