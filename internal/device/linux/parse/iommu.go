package parse

import (
	"strings"

	"linerate/internal/base/lazyregexp"
	"linerate/internal/base/unit"
	"linerate/internal/facts"
	"linerate/internal/facts/parse"
)

// iommuType is the translation type of a group of devices: "DMA" (each mapping is undone at once), "DMA-FQ" (undone in
// batches), "identity" (not translated), "blocked", "auto".
var (
	iommuType = lazyregexp.New(`^/sys/kernel/iommu_groups/(\d+)/type$`)
	iommuLink = lazyregexp.New(`^/sys/bus/pci/devices/([0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7])/iommu_group$`)
)

// readIOMMU reads lines "FILE:VALUE" of /sys/kernel/iommu_groups/N/type, and of the links
// /sys/bus/pci/devices/ADDRESS/iommu_group, whose value is the group's number. A text of only a comment means that
// there is no group: the IOMMU is off. Format: https://docs.kernel.org/admin-guide/abi-testing.html
// (sysfs-kernel-iommu_groups), which lists the types. No snapshot of another machine exists.
func readIOMMU(f *parse.Builder, _ []string, text []byte) error {
	if strings.TrimSpace(string(text)) == NoGroups {
		f.IOMMU = unit.Known(0)
		return nil
	}
	groups := map[string]facts.Proof{}
	types := map[string]string{}
	of := map[string]string{}
	err := parse.ReadGrep(text, func(path, value string) bool {
		if m := iommuType.FindStringSubmatch(path); m != nil {
			types[m[1]], groups[m[1]] = value, f.Proof(path+":"+value)
			return true
		}
		if m := iommuLink.FindStringSubmatch(path); m != nil {
			of[m[1]] = value[strings.LastIndexByte(value, '/')+1:]
			return true
		}
		return false
	})
	if err != nil {
		return err
	}
	f.IOMMU = unit.Known(len(groups))
	for address, group := range of {
		d := f.PCIDevice(address)
		d.IOMMUGroup, d.IOMMU, d.IOMMULine = group, types[group], groups[group]
	}
	return nil
}

// NoGroups is the content of a snapshot if the kernel has no IOMMU group.
const NoGroups = "# no group"

// keptBootWords are the words of the kernel's command line to keep; others may be secrets.
var keptBootWords = []string{"iommu", "intel_iommu", "amd_iommu", "iommu.passthrough", "iommu.strict", "pci",
	"pcie_aspm", "intel_idle.max_cstate", "processor.max_cstate", "idle", "isolcpus", "nohz_full", "irqaffinity",
	"mitigations", "intel_pstate", "amd_pstate", "cpufreq.default_governor", "numa_balancing", "transparent_hugepage",
	"hugepages", "hugepagesz", "default_hugepagesz", "nosmt", "maxcpus", "nr_cpus"}

// KeepBootWords removes all other words from /proc/cmdline.
func KeepBootWords(text []byte) []byte {
	var kept []string
	for _, w := range strings.Fields(string(text)) {
		key, _, _ := strings.Cut(w, "=")
		for _, k := range keptBootWords {
			if key == k {
				kept = append(kept, w)
			}
		}
	}
	return []byte(strings.Join(kept, " ") + "\n")
}

// readBoot reads /proc/cmdline. Format: https://docs.kernel.org/admin-guide/kernel-parameters.html
func readBoot(f *parse.Builder, _ []string, text []byte) error {
	f.BootLine = unit.Known(facts.OneLine(string(text)))
	return nil
}
