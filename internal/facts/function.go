package facts

import (
	"slices"
	"strconv"
	"strings"

	"linerate/internal/base/lazyregexp"
)

// GroupMember is a device of a group of the IOMMU. A virtual machine is given all of a group, or nothing of it.
type GroupMember struct {
	Group   string // its number
	Address string // "0000:01:00.1"
	Class   string // "020000"; empty: not known
	Proof
}

// Bridge says whether it is a bridge, which stays with the host: VFIO asks for the other devices of a group alone.
func (g *GroupMember) Bridge() bool { return strings.HasPrefix(g.Class, "06") }

var (
	functionLink = lazyregexp.New(`/sys/(?:class/net/([^/\s]+)/device|bus/pci/devices/([0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]))/virtfn(\d+) -> \S*?([0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7])$`)
	groupMember  = lazyregexp.New(`^/sys/kernel/iommu_groups/(\d+)/devices/([0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7])(?:/class:0x([0-9a-f]{6}))?$`)
)

// functionSources say which device a function of SR-IOV is, and what it shares a group of the IOMMU with.
func functionSources() []source {
	return []source{
		source{name: "ls -l /sys/class/net/*/device/virtfn*", os: "linux", read: readFunctions}.
			keptAs("", `(?m)/virtfn\d+ -> \S*[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]$`),
		source{name: "grep . /sys/kernel/iommu_groups/*/devices/*/class", os: "linux", read: readGroups}.
			keptAs("", `(?m)^/sys/kernel/iommu_groups/\d+/devices/[0-9a-f]{4}:`),
	}
}

// functionCommand brings the ways to ask for them into the form of the table.
func functionCommand(tool string, arguments []string) (name string, ok bool) {
	mentions := func(s string) bool {
		return slices.ContainsFunc(arguments, func(a string) bool { return strings.Contains(a, s) })
	}
	switch {
	case tool == "ls" && mentions("/virtfn"):
		return "ls -l /sys/class/net/*/device/virtfn*", true
	case tool == "find" && mentions("/sys/kernel/iommu_groups"), tool == "grep" && mentions("/sys/kernel/iommu_groups/") && mentions("/class"):
		return "grep . /sys/kernel/iommu_groups/*/devices/*/class", true
	}
	return "", false
}

// readFunctions reads what "ls -l" prints of the links from a card to its functions, or "PATH -> TARGET" alone:
//
//	lrwxrwxrwx 1 root root 0 Nov 22 17:22 /sys/class/net/e1/device/virtfn0 -> ../0000:01:00.1
//
// The path may be that of the card on the bus. A card whose two ports are one device (mlx4) has the same functions under both
// interfaces: which port each is of its driver decides (probe_vf), and no link says it.
// Format: Documentation/ABI/testing/sysfs-bus-pci (virtfnN). The capture behind it is of a guest under QEMU, of a drive with SR-IOV.
func readFunctions(f *Facts, _ []string, text []byte) error {
	seen := false
	for line := range strings.Lines(string(text)) {
		m := functionLink.FindStringSubmatch(strings.TrimSpace(line))
		if m == nil {
			continue
		}
		index, err := strconv.Atoi(m[3])
		if err != nil || index >= maxFunctions {
			continue
		}
		seen = true
		proof, reading := f.proof(line), f.reading
		put := func(n *Interface) {
			v := n.functionOf(index)
			v.PCI, v.PCIProof = m[4], Proof{Source: reading, Line: proof.Line}
		}
		if m[1] != "" {
			put(f.nic(m[1]))
			continue
		}
		f.after = append(f.after, func() { // the interface of that card is known then
			for i := range f.NICs {
				if f.NICs[i].PCI == m[2] {
					put(&f.NICs[i])
				}
			}
		})
	}
	if !seen {
		return toolError(text)
	}
	return nil
}

// functionOf returns the function of that number, and makes it if there is none yet.
func (n *Interface) functionOf(index int) *VirtualFunction {
	for i := range n.VFs {
		if n.VFs[i].Index == index {
			return &n.VFs[i]
		}
	}
	n.VFs = append(n.VFs, VirtualFunction{Index: index})
	return &n.VFs[len(n.VFs)-1]
}

// readGroups reads "grep . /sys/kernel/iommu_groups/*/devices/*/class", or "find /sys/kernel/iommu_groups -type l", which has no classes:
//
//	/sys/kernel/iommu_groups/1/devices/0000:01:00.1/class:0x020000
//
// Format: Documentation/ABI/testing/sysfs-kernel-iommu_groups. The captures behind it are of guests under QEMU, whose ports have
// access control (ACS) or lack it.
func readGroups(f *Facts, _ []string, text []byte) error {
	groups := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		m := groupMember.FindStringSubmatch(strings.TrimSpace(line))
		if m == nil {
			continue
		}
		groups[m[1]] = true
		f.GroupMembers = append(f.GroupMembers, GroupMember{Group: m[1], Address: m[2], Class: m[3], Proof: f.proof(line)})
	}
	if len(groups) == 0 {
		return toolError(text)
	}
	if !f.IOMMU.IsKnown() {
		f.IOMMU = known(len(groups))
	}
	return nil
}

// GroupOf is the group that a device is in, and its other devices without bridges, of which unsure are those that may be one: their class
// is not known. Empty: not known.
func (f *Facts) GroupOf(address string) (group string, others, unsure []GroupMember) {
	for _, m := range f.GroupMembers {
		if m.Address == address {
			group = m.Group
		}
	}
	for _, m := range f.GroupMembers {
		if group == "" || m.Group != group || m.Address == address {
			continue
		}
		if d := f.pci(m.Address); m.Class == "" && d != nil {
			m.Class = d.Class
			if d.Bridge() {
				continue
			}
			if m.Class == "" && d.Kind != "" {
				m.Class = "ffffff" // no bridge, whatever it is
			}
		}
		switch {
		case m.Bridge():
		case m.Class == "":
			unsure = append(unsure, m)
		default:
			others = append(others, m)
		}
	}
	return group, others, unsure
}

// FunctionOf is the interface whose function of SR-IOV this one is, and which.
func (f *Facts) FunctionOf(n *Interface) (of *Interface, index int, ok bool) {
	if n.PCI == "" {
		return nil, 0, false
	}
	for i := range f.NICs {
		for _, v := range f.NICs[i].VFs {
			if v.PCI == n.PCI {
				return &f.NICs[i], v.Index, true
			}
		}
	}
	return nil, 0, false
}
