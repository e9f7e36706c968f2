package parse

import (
	"linerate/internal/base/unit"
	"linerate/internal/facts"
	"linerate/internal/facts/parse"
)

// Sources are files of Linux, and the outputs of its tools.
func Sources() []parse.Source {
	return []parse.Source{
		parse.Parsed("proc/stat", ParseStat, func(f *parse.Builder, _ []string, v []facts.CoreTime) { f.CPU.Cores = v }),
		parse.Parsed("proc/cpuinfo", parseCPUInfo,
			func(f *parse.Builder, _ []string, v string) { f.CPU.Model = unit.Known(v) }).
			OrElse(func(f *parse.Builder, _ []string, why string) { parse.Missing(&f.CPU.Model, why) }),
		parse.Parsed("proc/meminfo", parseMemInfo, func(f *parse.Builder, _ []string, v memInfo) { f.Memory = v.Total }).
			OrElse(func(f *parse.Builder, _ []string, why string) { parse.Missing(&f.Memory, why) }),
		parse.Source{Name: "grep -r . /sys/class/dmi/id", Read: readBoard}.OrElse(missingBoard),
		parse.Parsed("proc/device-tree/model", parse.ParseValue,
			func(f *parse.Builder, _ []string, v string) { f.Machine.Product = unit.Known(facts.OneLine(v)) }),
		parse.Parsed("sys/devices/system/node/online", parseNodes,
			func(f *parse.Builder, _ []string, v int) { f.Machine.Nodes = unit.Known(v) }).
			OrElse(func(f *parse.Builder, _ []string, why string) { parse.Missing(&f.Machine.Nodes, why) }),
		parse.Source{Name: "proc/net/softnet_stat", Read: readSoftnet}.
			KeptAs("proc net softnet stat", ""),
		parse.Parsed("proc/net/dev", ParseNetDev, putNetDev).
			KeptAs("proc net dev", `^Inter-\|`),
		parse.Parsed("proc/net/snmp", parseSNMP, parse.PutCounters).
			KeptAs("proc net snmp", `^Ip: Forwarding`),
		parse.Parsed("proc/net/netstat", parseSNMP, parse.PutCounters).
			KeptAs("proc net netstat", `^TcpExt: `),
		parse.Parsed("proc/net/snmp6", parseSNMP6, parse.PutCounters),
		parse.Parsed("proc/sys/net/ipv4/*", parse.ParseValue, putSysctl("net.ipv4.")).
			OrElse(missingSysctl("net.ipv4.")),
		parse.Parsed("proc/sys/net/core/*", parse.ParseValue, putSysctl("net.core.")).
			OrElse(missingSysctl("net.core.")),
		parse.Parsed("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", parse.ParseValue,
			func(f *parse.Builder, _ []string, v string) { f.CPU.Governor = unit.Known(v) }).
			OrElse(func(f *parse.Builder, _ []string, why string) { parse.Missing(&f.CPU.Governor, why) }),
		parse.Parsed("sys/class/net/*/statistics/*", parse.ParseCounter, putStatistic),
		parse.Parsed("sys/class/net/*/*", parse.ParseValue, putNetClass),
		parse.Source{Name: "ifconfig", Read: readLinuxIfconfig}.On("linux").
			KeptAs("ifconfig", `(?m)^ *(?:RX|TX)[^\n]* packets|Link encap:`),
		parse.Source{Name: "netstat -i", Read: readNetstatInterfaces}.On("linux").
			KeptAs("netstat i", `(?m)^Iface +MTU .*RX-OK`),
		parse.Parsed("proc/modules", ParseModules, func(f *parse.Builder, _ []string, v []facts.Module) { f.Modules = v }).
			KeptAs("proc modules", ""),
		parse.Parsed("lsmod", ParseModules, func(f *parse.Builder, _ []string, v []facts.Module) { f.Modules = v }).
			KeptAs("lsmod", `^Module +Size +Used by`),
		{Name: VersionsSource, Read: readVersions},
		parse.Parsed("sys/module/*/version", parse.ParseValue, putModuleVersion),
		parse.Parsed("nft list ruleset", parseNftRuleset, putFirewall).
			OrElse(func(f *parse.Builder, _ []string, why string) { parse.Missing(&f.Firewall, why) }).
			KeptAs("nft", `(?m)^table (?:ip|ip6|inet|arp|bridge|netdev) \S+ \{`),
		parse.Parsed("iptables-save", parseIptablesSave, putFirewall).
			KeptAs("iptables save", `(?m)^\*(?:filter|nat|mangle|raw)\n:`),
	}
}
