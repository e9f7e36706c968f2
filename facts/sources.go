package facts

import "linerate/unit"

// sources is the table of everything that a capture may hold.
func sources() []source {
	return append(infinibandSources(), []source{
		parsed("proc/stat", parseStat, func(f *Facts, _ []string, v []CoreTime) { f.CPU.Cores = v }),
		parsed("proc/cpuinfo", parseCPUInfo, func(f *Facts, _ []string, v string) { f.CPU.Model = known(v) }).
			orElse(func(f *Facts, _ []string, why string) { set(&f.CPU.Model, why) }),
		parsed("proc/meminfo", parseMemInfo, func(f *Facts, _ []string, v memInfo) { f.Memory = v.Total }).
			orElse(func(f *Facts, _ []string, why string) { set(&f.Memory, why) }),
		parsed("proc/net/softnet_stat", parseSoftnet, func(f *Facts, _ []string, v []SoftnetCPU) { f.Softnet = v }),
		parsed("proc/net/dev", ParseNetDev, putNetDev),
		parsed("proc/net/snmp", parseSNMP, putCounters),
		parsed("proc/net/netstat", parseSNMP, putCounters),
		parsed("proc/net/snmp6", parseSNMP6, putCounters),
		parsed("proc/sys/net/ipv4/*", parseValue, putSysctl("net.ipv4.")).
			orElse(missingSysctl("net.ipv4.")),
		parsed("proc/sys/net/core/*", parseValue, putSysctl("net.core.")).
			orElse(missingSysctl("net.core.")),
		parsed("sysctl", parseSysctl, putSysctls),
		parsed("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", parseValue, func(f *Facts, _ []string, v string) { f.CPU.Governor = known(v) }).
			orElse(func(f *Facts, _ []string, why string) { set(&f.CPU.Governor, why) }),
		parsed("sys/class/net/*/statistics/*", parseCounter, putStatistic),
		parsed("sys/class/net/*/*", parseValue, putNetClass),
		parsed("ip link", parseIPLink, putIPLink),
		parsed("ip address", parseIPAddress, putIPAddress),
		parsed("ip route", parseIPRoute, putIPRoute),
		parsed("ip route *", parseIPRoute, putIPRoute),
		parsed("ip rule", parseIPRule, putIPRule).
			orElse(func(f *Facts, _ []string, why string) { set(&f.Rules, why) }),
		parsed("tc qdisc", parseTCQdisc, putTCQdisc),
		parsed("tc qdisc *", parseTCQdisc, putTCQdisc),
		parsed("tc class *", parseTCClass, putTCClass),
		parsed("ethtool -k *", parseEthtoolFeatures, putEthtoolFeatures),
		parsed("ethtool -i *", parseEthtoolDriver, putEthtoolDriver).
			orElse(missingEthtoolDriver),
		parsed("ethtool -S *", parseEthtoolStats, func(f *Facts, args []string, v map[string]uint64) { f.nic(args[0]).Driven = v }),
		parsed("ethtool -l *", parseEthtoolChannels, func(f *Facts, args []string, v ethtoolChannels) { f.nic(args[0]).Queues = v.receive() }).
			orElse(func(f *Facts, args []string, why string) { set(&f.nic(args[0]).Queues, why) }),
		parsed("ethtool *", parseEthtoolLink, putEthtoolLink).
			orElse(missingEthtoolLink),
		parsed("ss", parseSS, func(f *Facts, _ []string, v []Socket) { f.Sockets = v }),
		parsed("proc/modules", parseModules, func(f *Facts, _ []string, v []Module) { f.Modules = v }),
		parsed("lsmod", parseModules, func(f *Facts, _ []string, v []Module) { f.Modules = v }),
		{name: versionsSource, read: readVersions},
		parsed("sys/module/*/version", parseValue, putModuleVersion),
		parsed("nft list ruleset", parseNftRuleset, putFirewall).
			orElse(func(f *Facts, _ []string, why string) { set(&f.Firewall, why) }),
		parsed("iptables-save", parseIptablesSave, putFirewall),
		parsed("readlink -f /sys/class/net/*/device", parsePath, putNICDevice),
		{name: "grep -r . /sys/bus/pci/devices/*", read: readPCI},
		parsed("lspci", parseLspci, putPCI),
		parsed("pciconf", parsePciconf, putPCI),
		parsed("ibv_devinfo", parseIbvDevinfo, putIbvDevinfo).
			orElse(missingIbvDevinfo),
	}...)
}

// set stores why a value is unknown, where there is none.
func set[T any](o *unit.Opt[T], why string) {
	if !o.IsKnown() {
		*o = unit.Unknown[T](why)
	}
}
