package facts

import (
	"slices"
	"strings"
)

// from makes a source of what reads it straight into the facts.
func from(name string, read func(f *Facts, args []string, text []byte) error) source {
	return source{name: name, read: read}
}

// rdmaSources are the tools of rdma-core, infiniband-diags, mlnx-tools and NVIDIA's firmware tools.
func rdmaSources() []source {
	return append(rdmaSystemSources(),
		from("ibstat", readIbstat).keptAs("ibstat", `(?m)^CA '\S+'\s*$`),
		from("ibstatus", readIbstatus).keptAs("ibstatus", `(?m)^Infiniband device '\S+' port \d+ status:`),
		parsed("ibv_devinfo", parseIbvDevinfo, putIbvDevinfo).
			orElse(missingIbvDevinfo).
			keptAs("ibv devinfo", `(?m)^hca_id:`),
		from("ibv_devices", readIbvDevices).keptAs("ibv devices", `(?m)^\s*device\s+node GUID\s*$`),
		from("ibdev2netdev", readIbdev2netdev).keptAs("ibdev2netdev", `(?m)^\S+\s+port\s+\d+\s+==>\s+\S+\s+\((?:Up|Down)\)`),
		from("rdma link", readRDMALink).keptAs("rdma link", `(?m)^link \S+/\d+:? (?:\S+ \S+ )*state \S+ physical_state `),
		from("rdma dev", readRDMADev).keptAs("rdma dev", `(?m)^\d+: \S+: node_type \S+ `),
		from("rdma statistic", readRDMAStatistic).keptAs("rdma stat", `(?m)^link \S+/\d+:?\s+(?:[a-z_]+ \d+|$)`),
		from("rdma statistic", readRDMAStatistic).keptAs("rdma statistic", ""),
		from("show_gids", readShowGIDs).keptAs("show gids", `(?m)^DEV\s+PORT\s+INDEX\s+GID\s`),
		from("show_counters *", readShowCounters).keptAs("show counters", `(?m)^Port \d+ (?:hw )?counters:`),
		from("perfquery", readPerfquery).keptAs("perfquery", `(?m)^# (?:Port|Port extended|\w+) counters: Lid \d+ port`),
		from("ibqueryerrors", readIbqueryerrors).keptAs("ibqueryerrors", `(?m)^Errors for (?:0x\w+ )?"`),
		from("iblinkinfo", readIblinkinfo).keptAs("iblinkinfo", `(?m)\[\s*\] ==\(.*\)==>`),
		from("ibnetdiscover", readIbnetdiscover).keptAs("ibnetdiscover", `(?m)^(?:CA|SW)\s+\d+\s+\d+\s+0x[0-9a-f]+\s+\d+x\s`),
		from("ibportstate", readIbportstate).keptAs("ibportstate", `(?m)^LinkWidthActive:\.+`),
		from("smpquery portinfo", readIbportstate),
		from("ibswinfo", readIbswinfo).keptAs("ibswinfo", `(?m)^PSU\d status\s+\|`),
		from("mlxlink *", readMlxlink).keptAs("mlxlink", `(?m)^\s*Physical state\s+: |^(?:Raw|Effective) Physical BER\s+: `),
		from("mlxconfig *", readMlxconfig).keptAs("mlxconfig", `(?m)^\s*Configurations:\s+(?:Default|Next Boot)`),
		from("mlxconfig *", readMlxconfig).keptAs("mstconfig", ""),
		from("mst status", readMstStatus).keptAs("mst status", `(?m)^MST modules:`),
		from("cma_roce_tos * *", readCMA),
		from("sys/kernel/config/rdma_cm/*/ports/*/default_roce_tos", readCMA),
		from("sys/kernel/config/rdma_cm/*/ports/*/default_roce_mode", readCMA),
		from("readlink -f /sys/class/infiniband/*/device", readRDMAPath),
	)
}

// dcbSources are what Linux says of traffic classes, and the scripts that set them.
func dcbSources() []source {
	show := func(object string) source { return from("dcb "+object+" *", readDCB) }
	return []source{
		show("pfc").keptAs("dcb pfc", `(?m)^\s*(?:pfc-cap \d|prio-pfc \d:)`),
		show("ets").keptAs("dcb ets", `(?m)^\s*(?:willing o\w+ ets.cap \d|prio-tc \d:\d)`),
		from("dcb app *", readDCBApp).keptAs("dcb app", `(?m)^\s*dscp-prio \w+:\d`),
		show("buffer").keptAs("dcb buffer", `(?m)^\s*prio-buffer \d:\d`),
		show("apptrust").keptAs("dcb apptrust", `(?m)^\s*order: (?:dscp|pcp|port|ethtype)`),
		from("dcb dcbx *", readDCBX).keptAs("dcb dcbx", ""),
		from("mlnx_qos *", readMlnxQoS).keptAs("mlnx qos i", `(?m)^\s*Priority trust state: `),
		from("mlnx_qos *", readMlnxQoS).keptAs("mlnx qos", ""),
		from("lldptool *", readLLDPTool).keptAs("", `(?m)^IEEE 8021QAZ \w+(?: \w+)? TLV`),
		from("sys/class/net/*/ecn/*/enable/*", readECNFile),
		from("sys/class/net/*/qos/trust", readTrustFile),
		from("linux script", readLinuxScript).on("linux").keptAs("", scriptLooks),
	}
}

// canonicalRDMA brings the commands of rdmaSources and dcbSources into the form of their names.
func canonicalRDMA(words []string) (string, bool) {
	tool, rest := baseName(words[0]), words[1:]
	o := options(rest)
	plain := slices.DeleteFunc(slices.Clone(rest), func(w string) bool { return strings.HasPrefix(w, "-") })
	with := func(name, device string) (string, bool) {
		if device = baseName(device); device == "" {
			return "", false
		}
		return name + " " + device, true
	}
	switch tool {
	case "ibstat", "ibstatus", "ibv_devices", "ibdev2netdev", "show_gids", "perfquery", "ibqueryerrors", "iblinkinfo", "ibnetdiscover", "ibportstate", "ibswinfo", "ibswinfo.sh":
		if slices.Contains(rest, "|") && tool != "ibdev2netdev" {
			return "", false
		}
		return strings.TrimSuffix(tool, ".sh"), true
	case "smpquery":
		if len(plain) > 0 && (plain[0] == "portinfo" || plain[0] == "PI") {
			return "smpquery portinfo", true
		}
	case "rdma":
		for _, object := range []string{"link", "dev", "statistic", "system"} {
			if len(plain) > 0 && strings.HasPrefix(object, plain[0]) {
				return "rdma " + object, true
			}
		}
		if len(plain) > 0 && strings.HasPrefix("resource", plain[0]) && (len(plain) == 1 || len(plain) == 2 && plain[1] == "show") {
			return "rdma resource", true
		}
	case "mlxfwmanager":
		return tool, true
	case "show_counters":
		if len(plain) > 0 {
			return with(tool, plain[0])
		}
	case "mlxlink", "mstlink":
		return with("mlxlink", firstOption(o, "d", "device"))
	case "mlxconfig", "mstconfig":
		return with("mlxconfig", firstOption(o, "d", "dev"))
	case "mst":
		if len(plain) > 0 && plain[0] == "status" {
			return "mst status", true
		}
	case "cma_roce_tos", "cma_roce_mode":
		if o["d"] != "" && o["t"] == "" && o["m"] == "" {
			return "cma_roce_tos " + o["d"] + " " + firstOption(map[string]string{"p": o["p"], "one": "1"}, "p", "one"), true
		}
	case "dcb":
		if len(plain) >= 4 && plain[1] == "show" && plain[2] == "dev" {
			return "dcb " + plain[0] + " " + plain[3], true
		}
	case "mlnx_qos":
		return with(tool, firstOption(o, "i", "interface"))
	case "lldptool":
		if o["i"] != "" && !strings.Contains(strings.Join(rest, " "), "-n") && !slices.Contains(rest, "-tn") && !slices.Contains(rest, "-T") {
			return "lldptool " + o["i"], true
		}
	}
	return "", false
}
