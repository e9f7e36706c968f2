package facts

import (
	"strings"

	"linerate/internal/base/lazyregexp"
	"linerate/internal/base/unit"
)

// iommuType is what a group of devices is translated as: "DMA" (each mapping is undone at once), "DMA-FQ" (undone in batches),
// "identity" (not translated), "blocked", "auto".
var (
	iommuType = lazyregexp.New(`^/sys/kernel/iommu_groups/(\d+)/type$`)
	iommuLink = lazyregexp.New(`^/sys/bus/pci/devices/([0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7])/iommu_group$`)
)

// readIOMMU reads lines "FILE:VALUE" of /sys/kernel/iommu_groups/N/type, and of the links /sys/bus/pci/devices/ADDRESS/iommu_group, whose
// value is the group's number. A text of a comment alone says that there is no group: the IOMMU is off.
// Format: https://docs.kernel.org/admin-guide/abi-testing.html (sysfs-kernel-iommu_groups), where the types are listed.
// There is no capture of another machine behind it.
func readIOMMU(f *Facts, _ []string, text []byte) error {
	if strings.TrimSpace(string(text)) == noGroups {
		f.IOMMU = known(0)
		return nil
	}
	groups := map[string]Proof{}
	types := map[string]string{}
	of := map[string]string{}
	err := readGrep(text, func(path, value string) bool {
		if m := iommuType.FindStringSubmatch(path); m != nil {
			types[m[1]], groups[m[1]] = value, f.proof(path+":"+value)
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
	f.IOMMU = known(len(groups))
	for address, group := range of {
		d := f.pciDevice(address)
		d.IOMMUGroup, d.IOMMU, d.IOMMULine = group, types[group], groups[group]
	}
	return nil
}

// noGroups is written where the kernel has no IOMMU group.
const noGroups = "# no group"

// keptBootWords are the words of the kernel's command line that are of interest; what else stands there may be a secret.
var keptBootWords = []string{"iommu", "intel_iommu", "amd_iommu", "iommu.passthrough", "iommu.strict", "pci", "pcie_aspm", "intel_idle.max_cstate",
	"processor.max_cstate", "idle", "isolcpus", "nohz_full", "irqaffinity", "mitigations", "intel_pstate", "amd_pstate", "cpufreq.default_governor",
	"numa_balancing", "transparent_hugepage", "hugepages", "hugepagesz", "default_hugepagesz", "nosmt", "maxcpus", "nr_cpus"}

// keepBootWords reduces /proc/cmdline to them.
func keepBootWords(text []byte) []byte {
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
func readBoot(f *Facts, _ []string, text []byte) error {
	f.BootLine = known(oneLine(string(text)))
	return nil
}

// BootWord is the value of a word of the kernel's command line, the last one counts: "pt" of iommu=pt.
func (f *Facts) BootWord(key string) (value string, ok bool) {
	for _, w := range strings.Fields(f.BootLine.Or("")) {
		if k, v, _ := strings.Cut(w, "="); k == key {
			value, ok = v, true
		}
	}
	return value, ok
}

// passedThrough says whether devices reach memory without translation, by the kernel's command line.
func (f *Facts) PassedThrough() unit.Opt[bool] {
	if !f.BootLine.IsKnown() {
		return unit.Unknown[bool]("the kernel's command line is not in the capture")
	}
	v, _ := f.BootWord("iommu")
	w, _ := f.BootWord("iommu.passthrough")
	return known(strings.Contains(","+v+",", ",pt,") || w == "1")
}
