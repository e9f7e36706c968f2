package collect

import (
	"strings"

	linux "linerate/internal/device/linux/parse"
	"linerate/internal/facts/parse/pci"
)

// linuxReadings returns everything that is read from a host with Linux. None needs capabilities beyond an ordinary
// user's. What such a user may not read is unknown, with the reason.
func linuxReadings() []Reading {
	file := func(path string) Reading { return Reading{Source: path[1:], How: ReadFile, What: path} }
	light := func(r Reading) Reading { r.Light = true; return r }
	kernel := func(source, what string) Reading { return Reading{Source: source, How: AskKernel, What: what} }
	program := func(line string) Reading { return Reading{Source: line, How: RunProgram, What: line} }
	list := []Reading{
		{How: AskKernel, What: "uname, clock_gettime: the kernel's release, the time since boot", Light: true},
		{How: ReadFile, What: "/proc/sys/kernel/random/boot_id", Light: true},
		// It shows whether sysfs is that of the network namespace that is read.
		{How: ReadFile, What: "/sys/class/net/*/{ifindex,address}"},
		light(file("/proc/stat")), light(file("/proc/diskstats")),
		light(file("/proc/net/softnet_stat")), light(file("/proc/net/netstat")), light(file("/proc/net/snmp")),
		light(file("/proc/net/snmp6")),
		light(kernel("ip -j -d -s -s link", "netlink RTM_GETLINK: interfaces, their state and counters")),
		light(kernel("tc -j -s -d qdisc", "netlink RTM_GETQDISC: queueing disciplines")),
		light(kernel("tc -s class show dev *", "netlink RTM_GETTCLASS: classes of shapers")),
		kernel("ip -j address", "netlink RTM_GETADDR: addresses"),
		kernel("ip -j route", "netlink RTM_GETROUTE: the main table, IPv4"),
		kernel("ip -j -6 route", "netlink RTM_GETROUTE: the main table, IPv6"),
		kernel("ip -j rule", "netlink RTM_GETRULE: policy routing, IPv4"),
		kernel("ip -j -6 rule", "netlink RTM_GETRULE: policy routing, IPv6"),
		kernel("ip -j neigh", "netlink RTM_GETNEIGH: who answered for the addresses of the network"),
		file("/proc/cpuinfo"), file("/proc/meminfo"),
		file("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"),
		file("/sys/devices/system/node/online"),
		file("/proc/device-tree/model"),
		{Source: "grep -r . /sys/class/dmi/id", How: ReadFile,
			What: "/sys/class/dmi/id/{" + strings.Join(boardFiles, ",") + "}"},
	}
	for _, name := range sysctls() {
		list = append(list, file("/proc/sys/net/"+name))
	}
	list = append(list, hostReadings()...)
	return append(list, file("/sys/class/net/*/carrier_changes"), file("/sys/class/net/*/operstate"),
		kernel("ethtool *", "ioctl SIOCETHTOOL, ETHTOOL_GLINKSETTINGS, ETHTOOL_GSET and ETHTOOL_GLINK: speed, duplex, "+
			"modes, link"), kernel("ethtool --show-fec *", "ioctl SIOCETHTOOL, ETHTOOL_GFECPARAM: forward error correction"),
		kernel("ethtool -a *", "ioctl SIOCETHTOOL, ETHTOOL_GPAUSEPARAM: pause frames"),
		kernel("ethtool -g *", "ioctl SIOCETHTOOL, ETHTOOL_GRINGPARAM: rings"),
		kernel("ethtool -c *", "ioctl SIOCETHTOOL, ETHTOOL_GCOALESCE: interrupt moderation"),
		kernel("ethtool --show-priv-flags *", "ioctl SIOCETHTOOL, ETHTOOL_GPFLAGS: the driver's own flags"),
		program("ethtool -m *"), kernel("ethtool -i *", "ioctl SIOCETHTOOL, ETHTOOL_GDRVINFO: driver, firmware"),
		kernel("ethtool -k *", "ioctl SIOCETHTOOL, ETHTOOL_GFEATURES: offloads"),
		kernel("ethtool -l *", "ioctl SIOCETHTOOL, ETHTOOL_GCHANNELS: queues"),
		kernel("ethtool -S *", "ioctl SIOCETHTOOL, ETHTOOL_GSTATS: the driver's counters"), file("/proc/modules"),
		kernel("dmesg", "syslog(2), SYSLOG_ACTION_READ_ALL: the kernel's log, of which the lines about NICs and links "+
			"are kept; nothing is cleared"), Reading{Source: linux.VersionsSource, How: ReadFile, What: "/sys/module/*/version"},
		Reading{Source: "ls /sys/class/infiniband", How: ReadFile, What: "/sys/class/infiniband"},
		Reading{Source: "grep -r . /sys/class/infiniband/*", How: ReadFile,
			What: "/sys/class/infiniband/*/{node_type,node_guid,fw_ver,hca_type,board_id,ports/*,tc/*}"},
		Reading{Source: "readlink -f /sys/class/infiniband/*/device", How: ReadFile, What: "/sys/class/infiniband/*/device"},
		file("/sys/kernel/config/rdma_cm/*/ports/*/default_roce_tos"),
		file("/sys/kernel/config/rdma_cm/*/ports/*/default_roce_mode"), file("/sys/class/net/*/mode"),
		file("/sys/class/net/*/qos/trust"), file("/sys/class/net/*/ecn/*/enable/*"), program("dcb -N pfc show dev *"),
		program("dcb -N ets show dev *"), program("dcb -N app show dev *"), program("dcb -N apptrust show dev *"),
		program("dcb -N buffer show dev *"), program("dcb -N dcbx show dev *"), program("mlnx_qos -i *"),
		program("mlxconfig -d * -e query"), program("mstconfig -d * -e query"), program("mlxlink -d * -c"),
		program("mstlink -d * -c"), program("lldpctl -f json"), program("lldpcli -f json show interfaces"),
		program("networkctl --no-pager --full lldp"), program("ibv_devinfo"), program("rdma system show"),
		program("rdma resource show"),
		Reading{Source: "readlink -f /sys/class/net/*/device", How: ReadFile, What: "/sys/class/net/*/device"},
		Reading{Source: "grep -r . /sys/bus/pci/devices/*", How: ReadFile,
			What: "/sys/bus/pci/devices/*/{" + strings.Join(pciFiles, ",") + "}", Light: true},
		Reading{Source: "setpci -s * " + pci.PayloadRegisters, How: ReadFile, What: "/sys/bus/pci/devices/*/config"},
		program("nft list ruleset"))
}

// sysctls returns the settings in /proc/sys/net that affect a rate and that every network namespace has.
func sysctls() []string {
	return []string{"ipv4/tcp_rmem", "ipv4/tcp_wmem", "ipv4/tcp_moderate_rcvbuf", "ipv4/tcp_timestamps",
		"ipv4/tcp_window_scaling", "ipv4/tcp_sack", "ipv4/tcp_ecn", "ipv4/tcp_mtu_probing", "ipv4/tcp_adv_win_scale",
		"ipv4/tcp_congestion_control", "ipv4/tcp_slow_start_after_idle", "ipv4/tcp_limit_output_bytes",
		"ipv4/ip_no_pmtu_disc", "core/rmem_max", "core/wmem_max"}
}

// pciFiles are the files that are kept of a device.
var pciFiles = []string{"vendor", "device", "class", "current_link_speed", "current_link_width", "max_link_speed",
	"max_link_width", "numa_node", "local_cpulist"}

// boardFiles are the files about a machine's firmware that every user may read, without serial numbers.
var boardFiles = []string{"sys_vendor", "product_name", "board_vendor", "board_name"}
