package parse

import (
	"slices"
	"strconv"
	"strings"

	"linerate/internal/base/lazyregexp"
	"linerate/internal/base/unit"
	"linerate/internal/facts"
	"linerate/internal/facts/parse"
)

var (
	functionLink = lazyregexp.New(`/sys/(?:class/net/([^/\s]+)/device|bus/pci/devices/([0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]))/virtfn(\d+) -> \S*?([0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7])$`)
	groupMember  = lazyregexp.New(`^/sys/kernel/iommu_groups/(\d+)/devices/([0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7])(?:/class:0x([0-9a-f]{6}))?$`)
)

// FunctionSources report the device of an SR-IOV function, and the devices that share its IOMMU group.
func FunctionSources() []parse.Source {
	return []parse.Source{
		parse.Source{Name: "ls -l /sys/class/net/*/device/virtfn*", OS: "linux", Read: readFunctions}.
			KeptAs("", `(?m)/virtfn\d+ -> \S*[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]$`),
		parse.Source{Name: "grep . /sys/kernel/iommu_groups/*/devices/*/class", OS: "linux", Read: readGroups}.
			KeptAs("", `(?m)^/sys/kernel/iommu_groups/\d+/devices/[0-9a-f]{4}:`),
	}
}

// FunctionCommand converts commands for these sources to the form of the table.
func FunctionCommand(words []string) (name string, ok bool) {
	tool, arguments := words[0][strings.LastIndexByte(words[0], '/')+1:], words[1:]
	mentions := func(s string) bool {
		return slices.ContainsFunc(arguments, func(a string) bool { return strings.Contains(a, s) })
	}
	switch {
	case tool == "ls" && mentions("/virtfn"):
		return "ls -l /sys/class/net/*/device/virtfn*", true
	case tool == "find" && mentions("/sys/kernel/iommu_groups"), tool == "grep" &&
		mentions("/sys/kernel/iommu_groups/") && mentions("/class"):
		return "grep . /sys/kernel/iommu_groups/*/devices/*/class", true
	}
	return "", false
}

// readFunctions reads the output of "ls -l" for the links from an adapter to its functions, or only "PATH -> TARGET":
//
//	lrwxrwxrwx 1 root root 0 Nov 22 17:22 /sys/class/net/e1/device/virtfn0 -> ../0000:01:00.1
//
// The path may be that of the adapter on the bus. An adapter whose two ports are one device (mlx4) has the same
// functions under both interfaces: its driver assigns them to ports (probe_vf), and no link shows it. Format:
// Documentation/ABI/testing/sysfs-bus-pci (virtfnN). Snapshot: a guest under QEMU with an SR-IOV drive.
func readFunctions(f *parse.Builder, _ []string, text []byte) error {
	seen := false
	for line := range strings.Lines(string(text)) {
		m := functionLink.FindStringSubmatch(strings.TrimSpace(line))
		if m == nil {
			continue
		}
		index, err := strconv.Atoi(m[3])
		if err != nil || index >= parse.MaxFunctions {
			continue
		}
		seen = true
		proof, reading := f.Proof(line), f.Reading
		put := func(n *facts.Interface) {
			v := functionOf(n, index)
			v.PCI, v.PCIProof = m[4], facts.Proof{Source: reading, Line: proof.Line}
		}
		if m[1] != "" {
			put(f.Interface(m[1]))
			continue
		}
		f.Later(func() { // after the interface of that adapter is known
			for i := range f.NICs {
				if f.NICs[i].PCI == m[2] {
					put(&f.NICs[i])
				}
			}
		})
	}
	if !seen {
		return parse.ToolError(text)
	}
	return nil
}

// functionOf returns the function of a number, and creates it if needed.
func functionOf(n *facts.Interface, index int) *facts.VirtualFunction {
	for i := range n.VFs {
		if n.VFs[i].Index == index {
			return &n.VFs[i]
		}
	}
	n.VFs = append(n.VFs, facts.VirtualFunction{Index: index})
	return &n.VFs[len(n.VFs)-1]
}

// readGroups reads "grep . /sys/kernel/iommu_groups/*/devices/*/class", or "find /sys/kernel/iommu_groups -type l",
// which has no classes:
//
//	/sys/kernel/iommu_groups/1/devices/0000:01:00.1/class:0x020000
//
// Format: Documentation/ABI/testing/sysfs-kernel-iommu_groups. Snapshots: guests under QEMU, with and without access
// control (ACS) at their ports.
func readGroups(f *parse.Builder, _ []string, text []byte) error {
	groups := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		m := groupMember.FindStringSubmatch(strings.TrimSpace(line))
		if m == nil {
			continue
		}
		groups[m[1]] = true
		f.GroupMembers = append(f.GroupMembers,
			facts.GroupMember{Group: m[1], Address: m[2], Class: m[3], Proof: f.Proof(line)})
	}
	if len(groups) == 0 {
		return parse.ToolError(text)
	}
	if !f.IOMMU.IsKnown() {
		f.IOMMU = unit.Known(len(groups))
	}
	return nil
}
