package parse

import (
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/facts"
	"linerate/internal/facts/parse"
	"linerate/internal/facts/parse/iproute"
)

// HostSources are the settings of a Linux host besides its links: CPUs, interrupts, memory, buses, storage.
func HostSources() []parse.Source {
	return []parse.Source{
		parse.Parsed("proc/interrupts", parseInterrupts, putInterrupts).On("linux").
			KeptAs("proc interrupts", `^\s+CPU\d+[^\n]*\n\s*\d+:`),
		{Name: "grep . /proc/irq/*/smp_affinity_list", OS: "linux", Read: readAffinity},
		parse.Parsed("ls /sys/class/net/*/device/msi_irqs", parse.ParseNames, putIRQs).On("linux"),
		{Name: "grep . /sys/class/net/*/queues/rx-*/rps_cpus", OS: "linux", Read: readSteering},
		parse.Source{Name: "grep . /sys/class/net/*/queues/tx-*/xps_cpus", OS: "linux", Read: readSteering}.
			KeptAs("", `(?m)^/sys/class/net/[^/\s]+/queues/(?:rx-\d+/rps|tx-\d+/xps)_cpus:`),
		{Name: "grep . /sys/devices/system/node/node*/cpulist", OS: "linux", Read: readNodes},
		parse.Source{Name: "numactl -H", OS: "linux", Read: readNumactl}.
			KeptAs("numactl", `(?m)^node \d+ cpus:`),
		parse.Parsed("lscpu", parseLscpu, putLscpu).On("linux").
			KeptAs("lscpu", `(?m)^ *CPU\(s\): +\d+$`),
		parse.Parsed("sys/devices/system/cpu/online", parse.ParseValue, putOnline).On("linux"),
		{Name: "grep . /sys/devices/system/cpu/cpu*/cpufreq/scaling_governor", OS: "linux", Read: readFrequency},
		{Name: "grep . /sys/fs/cgroup/cpu.max", OS: "linux", Read: readCgroup},
		parse.Source{Name: "proc/self/limits", OS: "linux", Read: readLimits}.
			KeptAs("proc self limits", `(?m)^Max locked memory\s`),
		parse.Source{Name: "ulimit -l", OS: "linux", Read: readUlimit}.KeptAs("ulimit l", ""),
		{Name: "grep CapEff /proc/self/status", OS: "linux", Read: readCapabilities},
		{Name: "grep . /sys/kernel/iommu_groups/*/type", OS: "linux", Read: readIOMMU},
		{Name: "proc/cmdline", OS: "linux", Read: readBoot},
		parse.Parsed("sys/class/net/*/device/sriov_numvfs", parse.ParseCounter,
			iproute.PutFunctionCount(func(n *facts.Interface) *unit.Opt[int] { return &n.NumVFs })).On("linux"),
		parse.Parsed("sys/class/net/*/device/sriov_totalvfs", parse.ParseCounter,
			iproute.PutFunctionCount(func(n *facts.Interface) *unit.Opt[int] { return &n.TotalVFs })).On("linux"),
		parse.Parsed("proc/net/bonding/*", parseBond, putBond).On("linux").
			KeptAs("proc net bonding", `^Ethernet Channel Bonding Driver:`),
		parse.Source{Name: "proc/net/stat/nf_conntrack", OS: "linux", Read: readConntrack}.
			KeptAs("proc net stat nf conntrack", `^entries\s+(?:clashres|searched)\s+found\s`),
		parse.Parsed("proc/sys/net/netfilter/*", parse.ParseValue, putSysctl("net.netfilter.")).On("linux"),
		parse.Parsed("proc/sys/net/ipv4/conf/*/*", parse.ParseValue, func(f *parse.Builder, args []string, v string) {
			parse.SetSysctl(f, "net.ipv4.conf."+args[0]+"."+args[1], v)
		}).On("linux"),
		{Name: "grep . /sys/class/hwmon/hwmon*/temp*", OS: "linux", Read: readHwmon},
		parse.Parsed("nstat", parseNstat, parse.PutCounters).On("linux").KeptAs("nstat", `^#kernel\n`),
	}
}

// HostCommand converts these commands to the form of the table.
func HostCommand(words []string) (name string, ok bool) {
	tool := words[0][strings.LastIndexByte(words[0], '/')+1:]
	switch {
	case tool == "nstat", tool == "lscpu" && len(words) == 1:
		return tool, true
	case tool == "numactl" && len(words) == 2 && (words[1] == "-H" || words[1] == "--hardware"):
		return "numactl -H", true
	}
	return "", false
}
