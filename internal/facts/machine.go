package facts

import (
	"fmt"
	"strconv"
	"strings"

	"linerate/internal/base/unit"
)

// Machine is which machine a host is, as its firmware says, without its serial numbers.
type Machine struct {
	Vendor, Product, Board unit.Opt[string]
	Nodes                  unit.Opt[int] // of NUMA
}

// readBoard reads the output of "grep -r . /sys/class/dmi/id": a line is the path of a file, a colon and its text. Boards that
// nobody filled in say so in many ways; those are unknown.
// Format: https://docs.kernel.org/admin-guide/abi-testing.html (sysfs-class-dmi); no real capture is behind the words of
// boards that are left as they were made, which are those of dmidecode's own list of bad strings and of common boards.
func readBoard(f *Facts, _ []string, text []byte) error {
	seen, vendor := false, ""
	for line := range strings.Lines(string(text)) {
		path, value, ok := strings.Cut(strings.TrimSpace(line), ":")
		name, under := strings.CutPrefix(path, "/sys/class/dmi/id/")
		if !ok || !under {
			continue
		}
		seen = true
		value = oneLine(value)
		v := known(value)
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
		f.Machine.Board = known(vendor + board)
	}
	if !seen {
		return toolError(text)
	}
	return nil
}

// unnamed says whether a board's maker left a name as it was.
func unnamed(s string) bool {
	switch strings.Trim(strings.ToLower(s), ". ") {
	case "", "to be filled by o.e.m", "default string", "system product name", "system manufacturer", "not specified", "not applicable", "none", "o.e.m", "oem", "unknown",
		"type1productconfigid", "product name", "0123456789", "n/a":
		return true
	}
	return false
}

func missingBoard(f *Facts, _ []string, why string) {
	set(&f.Machine.Vendor, why)
	set(&f.Machine.Product, why)
	set(&f.Machine.Board, why)
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
			return 0, fmt.Errorf("%.40q is no list of nodes", strings.TrimSpace(string(text)))
		}
		n += last - first + 1
	}
	return n, nil
}
