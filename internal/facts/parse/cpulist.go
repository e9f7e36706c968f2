package parse

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// MaxCPUs bounds the numbers of CPUs; the kernel's own limit is 8192.
const MaxCPUs = 8192

// ParseCPUList reads the kernel's form of a list of CPUs: "0-3,8,10-11"; also with blanks, as numactl prints it. An
// empty list has no CPU. Format: https://man7.org/linux/man-pages/man7/cpuset.7.html (List format)
func ParseCPUList(s string) ([]int, error) {
	cpus := []int{}
	for _, part := range strings.FieldsFunc(s,
		func(r rune) bool { return r == ',' || r == ' ' || r == '\t' || r == '\n' }) {
		low, high, isRange := strings.Cut(part, "-")
		if !isRange {
			high = low
		}
		a, err := strconv.Atoi(low)
		b, err2 := strconv.Atoi(high)
		if err != nil || err2 != nil || a < 0 || b < a || b >= MaxCPUs {
			return nil, fmt.Errorf("%.40q is not a list of CPUs", s)
		}
		for n := a; n <= b; n++ {
			cpus = append(cpus, n)
		}
		if len(cpus) > 2*MaxCPUs {
			return nil, fmt.Errorf("%.40q names CPUs twice", s)
		}
	}
	slices.Sort(cpus)
	return slices.Compact(cpus), nil
}

// ReadGrep reads lines PATH:VALUE of "grep -r ." and passes each to line; false: it is of another source.
func ReadGrep(text []byte, line func(path, value string) (ok bool)) error {
	seen := false
	for l := range strings.Lines(string(text)) {
		path, value, ok := strings.Cut(strings.TrimSpace(l), ":")
		if strings.HasPrefix(path, "/sys/bus/pci/devices/") ||
			strings.HasPrefix(path, "/sys/devices/pci") { // addresses contain colons
			path, value, ok = cutPCIPath(strings.TrimSpace(l))
		}
		if ok && line(path, strings.TrimSpace(value)) {
			seen = true
		}
	}
	if !seen {
		return ToolError(text)
	}
	return nil
}

// cutPCIPath splits a line at the colon after the file's name, which has no colon.
func cutPCIPath(l string) (path, value string, ok bool) {
	slash := strings.LastIndexByte(l, '/')
	colon := strings.IndexByte(l[slash+1:], ':')
	if colon < 0 {
		return "", "", false
	}
	return l[:slash+1+colon], l[slash+2+colon:], true
}
