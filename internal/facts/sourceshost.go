package facts

import (
	"slices"
	"strings"

	"linerate/internal/base/unit"
)

// hostSources are what a Linux host is set to beside its interfaces' links: processors, interrupts, memory, buses, storage.
func hostSources() []source {
	return append([]source{
		parsed("proc/interrupts", parseInterrupts, putInterrupts).on("linux").
			keptAs("proc interrupts", `^\s+CPU\d+[^\n]*\n\s*\d+:`),
		{name: "grep . /proc/irq/*/smp_affinity_list", os: "linux", read: readAffinity},
		parsed("ls /sys/class/net/*/device/msi_irqs", parseNames, putIRQs).on("linux"),
		{name: "grep . /sys/class/net/*/queues/rx-*/rps_cpus", os: "linux", read: readSteering},
		source{name: "grep . /sys/class/net/*/queues/tx-*/xps_cpus", os: "linux", read: readSteering}.
			keptAs("", `(?m)^/sys/class/net/[^/\s]+/queues/(?:rx-\d+/rps|tx-\d+/xps)_cpus:`),
		{name: "grep . /sys/devices/system/node/node*/cpulist", os: "linux", read: readNodes},
		source{name: "numactl -H", os: "linux", read: readNumactl}.
			keptAs("numactl", `(?m)^node \d+ cpus:`),
		parsed("lscpu", parseLscpu, putLscpu).on("linux").
			keptAs("lscpu", `(?m)^ *CPU\(s\): +\d+$`),
		parsed("sys/devices/system/cpu/online", parseValue, putOnline).on("linux"),
		{name: "grep . /sys/devices/system/cpu/cpu*/cpufreq/scaling_governor", os: "linux", read: readFrequency},
		{name: "grep . /sys/fs/cgroup/cpu.max", os: "linux", read: readCgroup},
		source{name: "proc/self/limits", os: "linux", read: readLimits}.
			keptAs("proc self limits", `(?m)^Max locked memory\s`),
		source{name: "ulimit -l", os: "linux", read: readUlimit}.keptAs("ulimit l", ""),
		{name: "grep CapEff /proc/self/status", os: "linux", read: readCapabilities},
		{name: "grep . /sys/kernel/iommu_groups/*/type", os: "linux", read: readIOMMU},
		{name: "proc/cmdline", os: "linux", read: readBoot},
		parsed("sys/class/net/*/device/sriov_numvfs", parseCounter, putFunctionCount(func(n *Interface) *unit.Opt[int] { return &n.NumVFs })).on("linux"),
		parsed("sys/class/net/*/device/sriov_totalvfs", parseCounter, putFunctionCount(func(n *Interface) *unit.Opt[int] { return &n.TotalVFs })).on("linux"),
		parsed("proc/net/bonding/*", parseBond, putBond).on("linux").
			keptAs("proc net bonding", `^Ethernet Channel Bonding Driver:`),
		source{name: "proc/net/stat/nf_conntrack", os: "linux", read: readConntrack}.
			keptAs("proc net stat nf conntrack", `^entries\s+(?:clashres|searched)\s+found\s`),
		parsed("proc/sys/net/netfilter/*", parseValue, putSysctl("net.netfilter.")).on("linux"),
		parsed("proc/sys/net/ipv4/conf/*/*", parseValue, func(f *Facts, args []string, v string) {
			setSysctl(f, "net.ipv4.conf."+args[0]+"."+args[1], v)
		}).on("linux"),
		{name: "grep . /sys/class/hwmon/hwmon*/temp*", os: "linux", read: readHwmon},
		parsed("nstat", parseNstat, putCounters).on("linux").keptAs("nstat", `^#kernel\n`),
	}, slices.Concat(functionSources(), storageSources(), probeSources())...)
}

// hostCommand brings the ways to write these commands into the form of the table.
func hostCommand(words []string) (name string, ok bool) {
	tool := words[0][strings.LastIndexByte(words[0], '/')+1:]
	switch {
	case tool == "nstat", tool == "lscpu" && len(words) == 1:
		return tool, true
	case tool == "numactl" && len(words) == 2 && (words[1] == "-H" || words[1] == "--hardware"):
		return "numactl -H", true
	}
	if name, ok := functionCommand(tool, words[1:]); ok {
		return name, true
	}
	return storageCommand(words)
}
