package collect

import (
	"linerate/internal/facts/parse/probe"
	"linerate/internal/facts/parse/storage"
)

// hostReadings returns the settings of a Linux host other than those of its interfaces' links. Most hosts have few of
// them.
func hostReadings() []Reading {
	var list []Reading
	file := func(paths ...string) {
		for _, p := range paths {
			list = append(list, Reading{Source: p[1:], How: ReadFile, What: p})
		}
	}
	// files adds several files under the name of one source.
	files := func(source string, paths ...string) {
		for i, p := range paths {
			if i > 0 {
				source = ""
			}
			list = append(list, Reading{Source: source, How: ReadFile, What: p})
		}
	}
	program := func(source, line string) {
		list = append(list, Reading{Source: source, How: RunProgram, What: line})
	}
	file("/proc/interrupts", "/sys/devices/system/cpu/online", "/proc/cmdline", "/proc/self/limits",
		"/proc/net/stat/nf_conntrack", "/proc/net/bonding/*", "/proc/fs/cifs/DebugData")
	for _, name := range hostSysctls() {
		file("/proc/sys/net/" + name)
	}
	file("/proc/sys/net/ipv4/conf/*/arp_ignore", "/proc/sys/net/ipv4/conf/*/rp_filter")
	file("/sys/class/net/*/device/sriov_numvfs", "/sys/class/net/*/device/sriov_totalvfs")
	files("grep . /sys/devices/system/node/node*/cpulist", "/sys/devices/system/node/*/cpulist")
	files("grep . /sys/devices/system/cpu/cpu*/cpufreq/scaling_governor",
		"/sys/devices/system/cpu/*/cpufreq/{scaling_governor,scaling_driver,energy_performance_preference}")
	files("grep CapEff /proc/self/status", "/proc/self/status")
	files("grep . /sys/fs/cgroup/cpu.max", "/proc/self/cgroup", "/sys/fs/cgroup/*")
	files("ls /sys/class/net/*/device/msi_irqs", "/sys/class/net/*/device/msi_irqs")
	files("grep . /proc/irq/*/smp_affinity_list", "/proc/irq/*/smp_affinity_list")
	files("grep . /sys/class/net/*/queues/rx-*/rps_cpus", "/sys/class/net/*/queues/*/rps_cpus")
	files("grep . /sys/class/net/*/queues/tx-*/xps_cpus", "/sys/class/net/*/queues/*/xps_cpus")
	files("grep . /sys/class/hwmon/hwmon*/temp*", "/sys/class/net/*/device/hwmon/*")
	files("grep . /sys/kernel/iommu_groups/*/type", "/sys/kernel/iommu_groups/*/type",
		"/sys/bus/pci/devices/*/iommu_group")
	files("ls -l /sys/class/net/*/device/virtfn*", "/sys/class/net/*/device/virtfn*")
	files("grep . /sys/kernel/iommu_groups/*/devices/*/class", "/sys/kernel/iommu_groups/*/devices/*/class")
	// The mounts of the calling thread's namespace.
	files("proc/mounts", "/proc/thread-self/mounts")
	files("grep . /sys/class/nvme/nvme*/transport", "/sys/class/nvme/*/{transport,address,queue_count,state,model}")
	file("/proc/mdstat")
	files(storage.LayersSource, "/sys/block/*/*/partition", "/sys/block/*/slaves/*") // only their names
	files(storage.LoopsSource, "/sys/block/*/loop/backing_file")
	program(storage.LsblkCommand, storage.LsblkCommand)
	program("iscsiadm -m session -P 1", "iscsiadm -m session -P 1")
	program("zpool status", "zpool status")
	return list
}

// Probings returns what Probe does on a host with this operating system, where the plan has peers of it.
func Probings(os string) []Reading {
	if os != "linux" {
		return nil
	}
	return []Reading{
		{Source: "ip route get *", How: SendProbes, What: "netlink RTM_GETROUTE: the way to each peer; nothing is sent"},
		{Source: probe.BusSource + "*", How: SendProbes,
			What: "with --under-load: 2 s of TCP with a peer, while the speeds of PCI Express are read again"},
		{Source: "probe mtu *", How: SendProbes, What: "some ICMP echoes of up to the planned MTU to each peer"},
		{Source: "probe arp * *", How: SendProbes, What: "three ARP requests for each peer's address and for the own ones"},
	}
}

// hostSysctls returns settings that a network namespace other than the first may not have.
func hostSysctls() []string {
	return []string{"core/netdev_budget", "core/netdev_budget_usecs", "core/netdev_max_backlog",
		"netfilter/nf_conntrack_max", "netfilter/nf_conntrack_count"}
}
