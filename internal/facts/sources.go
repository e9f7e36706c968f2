package facts

import (
	"slices"
	"sync"

	"linerate/internal/base/unit"
)

// sources is the table of everything that a capture may hold, a table a system.
var sources = sync.OnceValue(func() []source {
	return slices.Concat(freebsdFiles(), linuxFiles(), infinibandSources(), rdmaSources(), dcbSources(), linuxSources(), hostSources(), ethtoolSources(), lldpSources(), pciSources(), logSources(), freebsdSources(), windowsSources(),
		routerosSources(), onyxSources(), cumulusSources(), sonicSources(), eosSources())
})

// canonicals are the ways in which systems write their commands: each says whether the words are one of its own, and in which
// form its table has it.
func canonicals() []func(words []string) (name string, ok bool) {
	return []func(words []string) (name string, ok bool){canonicalLLDP, canonicalRDMA, canonicalRouterOS, hostCommand, canonicalShow, canonicalWindows, canonicalFreeBSD}
}

// pciSources are those of any system with these tools.
func pciSources() []source {
	return []source{
		parsed("lspci", parseLspci, putPCI).
			keptAs("lspci", `(?m)^(?:[0-9a-f]{4}:)?[0-9a-f]{2}:[0-9a-f]{2}\.[0-7] .*(?:controller|bridge)`),
		parsed("pciconf", parsePciconf, func(f *Facts, args []string, v []PCIDevice) {
			if putPCI(f, args, v); f.OS == "" {
				f.OS = "freebsd"
			}
		}).
			keptAs("pciconf", `(?m)^[a-z][a-z0-9_]*\d+@pci\d+:\d+:\d+:\d+:\s`),
	}
}

// linuxSources are files of Linux, and the outputs of its tools.
func linuxSources() []source {
	return []source{
		parsed("proc/stat", parseStat, func(f *Facts, _ []string, v []CoreTime) { f.CPU.Cores = v }),
		parsed("proc/cpuinfo", parseCPUInfo, func(f *Facts, _ []string, v string) { f.CPU.Model = known(v) }).
			orElse(func(f *Facts, _ []string, why string) { set(&f.CPU.Model, why) }),
		parsed("proc/meminfo", parseMemInfo, func(f *Facts, _ []string, v memInfo) { f.Memory = v.Total }).
			orElse(func(f *Facts, _ []string, why string) { set(&f.Memory, why) }),
		source{name: "grep -r . /sys/class/dmi/id", read: readBoard}.orElse(missingBoard),
		parsed("proc/device-tree/model", parseValue, func(f *Facts, _ []string, v string) { f.Machine.Product = known(oneLine(v)) }),
		parsed("sys/devices/system/node/online", parseNodes, func(f *Facts, _ []string, v int) { f.Machine.Nodes = known(v) }).
			orElse(func(f *Facts, _ []string, why string) { set(&f.Machine.Nodes, why) }),
		source{name: "proc/net/softnet_stat", read: readSoftnet}.
			keptAs("proc net softnet stat", ""),
		parsed("proc/net/dev", ParseNetDev, putNetDev).
			keptAs("proc net dev", `^Inter-\|`),
		parsed("proc/net/snmp", parseSNMP, putCounters).
			keptAs("proc net snmp", `^Ip: Forwarding`),
		parsed("proc/net/netstat", parseSNMP, putCounters).
			keptAs("proc net netstat", `^TcpExt: `),
		parsed("proc/net/snmp6", parseSNMP6, putCounters),
		parsed("proc/sys/net/ipv4/*", parseValue, putSysctl("net.ipv4.")).
			orElse(missingSysctl("net.ipv4.")),
		parsed("proc/sys/net/core/*", parseValue, putSysctl("net.core.")).
			orElse(missingSysctl("net.core.")),
		source{name: "sysctl", read: readSysctl}.
			keptAs("sysctl", `(?m)^(?:net\.(?:ipv4|ipv6|core|netfilter)|net\.inet6?|kern\.ipc|dev\.[a-z]\w*\.\d+|hw\.[a-z]\w*)\.[\w.%/-]+(?:: | = )`),
		parsed("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", parseValue, func(f *Facts, _ []string, v string) { f.CPU.Governor = known(v) }).
			orElse(func(f *Facts, _ []string, why string) { set(&f.CPU.Governor, why) }),
		parsed("sys/class/net/*/statistics/*", parseCounter, putStatistic),
		parsed("sys/class/net/*/*", parseValue, putNetClass),
		source{name: "ip address", read: readIPAddress}.
			keptAs("", `(?ms)^\d+: [^\s:]+: <[^>\n]*> mtu .*?^ +inet6? [0-9a-f.:]+|^\s*\[\s*\{.*?"addr_info"`),
		parsed("ip link", parseIPLink, putIPLink).
			keptAs("", `(?m)^\d+: [^\s:]+: <[A-Z0-9_,-]*> mtu |^\s*\[\s*\{\s*"ifindex":\s*\d+,\s*"(?:link|ifname)":`),
		source{name: "ifconfig", read: readLinuxIfconfig}.on("linux").
			keptAs("ifconfig", `(?m)^ *(?:RX|TX)[^\n]* packets|Link encap:`),
		source{name: "netstat -i", read: readNetstatInterfaces}.on("linux").
			keptAs("netstat i", `(?m)^Iface +MTU .*RX-OK`),
		parsed("ip route", parseIPRoute, putIPRoute),
		parsed("ip route *", parseIPRoute, putIPRoute),
		parsed("ip rule", parseIPRule, putIPRule).
			orElse(func(f *Facts, _ []string, why string) { set(&f.Rules, why) }),
		source{name: "ip neighbour", read: readNeighbours}.on("linux").
			keptAs("ip neigh", `(?m)^\S+ dev \S+ lladdr [0-9a-f:]{17} .*(?:REACHABLE|STALE|DELAY|PROBE|PERMANENT)\s*$`),
		parsed("tc qdisc", parseTCQdisc, putTCQdisc),
		parsed("tc qdisc *", parseTCQdisc, putTCQdisc),
		parsed("tc class *", parseTCClass, putTCClass),
		parsed("ss", parseSS, func(f *Facts, _ []string, v []Socket) { f.Sockets = v }).
			keptAs("ss", ""),
		parsed("proc/modules", parseModules, func(f *Facts, _ []string, v []Module) { f.Modules = v }).
			keptAs("proc modules", ""),
		parsed("lsmod", parseModules, func(f *Facts, _ []string, v []Module) { f.Modules = v }).
			keptAs("lsmod", `^Module +Size +Used by`),
		{name: versionsSource, read: readVersions},
		parsed("sys/module/*/version", parseValue, putModuleVersion),
		parsed("nft list ruleset", parseNftRuleset, putFirewall).
			orElse(func(f *Facts, _ []string, why string) { set(&f.Firewall, why) }).
			keptAs("nft", `(?m)^table (?:ip|ip6|inet|arp|bridge|netdev) \S+ \{`),
		parsed("iptables-save", parseIptablesSave, putFirewall).
			keptAs("iptables save", `(?m)^\*(?:filter|nat|mangle|raw)\n:`),
		parsed("readlink -f /sys/class/net/*/device", parsePath, putNICDevice),
		{name: "setpci -s * " + payloadRegisters, os: "linux", read: readPayload},
		source{name: "grep -r . /sys/bus/pci/devices/*", read: readPCI}.
			keptAs("", `(?m)^/sys/(?:bus/pci/devices/|devices/pci)\S+/current_link_(?:speed|width):`),
	}
}

// set stores why a value is unknown, where there is none.
func set[T any](o *unit.Opt[T], why string) {
	if !o.IsKnown() {
		*o = unit.Unknown[T](why)
	}
}
