package rdma

import (
	"slices"
	"strings"

	"linerate/internal/facts/parse"
)

// From makes a source of a reader that fills the facts directly.
func From(name string, read func(f *parse.Builder, args []string, text []byte) error) parse.Source {
	return parse.Source{Name: name, Read: read}
}

// Sources are the tools of rdma-core, infiniband-diags, mlnx-tools and NVIDIA's firmware tools.
func Sources() []parse.Source {
	return append(rdmaSystemSources(),
		From("ibstat", readIbstat).KeptAs("ibstat", `(?m)^CA '\S+'\s*$`),
		From("ibstatus", readIbstatus).KeptAs("ibstatus", `(?m)^Infiniband device '\S+' port \d+ status:`),
		parse.Parsed("ibv_devinfo", parseIbvDevinfo, putIbvDevinfo).
			OrElse(missingIbvDevinfo).
			KeptAs("ibv devinfo", `(?m)^hca_id:`),
		From("ibv_devices", readIbvDevices).KeptAs("ibv devices", `(?m)^\s*device\s+node GUID\s*$`),
		From("ibdev2netdev", readIbdev2netdev).KeptAs("ibdev2netdev", `(?m)^\S+\s+port\s+\d+\s+==>\s+\S+\s+\((?:Up|Down)\)`),
		From("rdma link", readRDMALink).KeptAs("rdma link", `(?m)^link \S+/\d+:? (?:\S+ \S+ )*state \S+ physical_state `),
		From("rdma dev", readRDMADev).KeptAs("rdma dev", `(?m)^\d+: \S+: node_type \S+ `),
		From("rdma statistic", readRDMAStatistic).KeptAs("rdma stat", `(?m)^link \S+/\d+:?\s+(?:[a-z_]+ \d+|$)`),
		From("rdma statistic", readRDMAStatistic).KeptAs("rdma statistic", ""),
		From("show_gids", readShowGIDs).KeptAs("show gids", `(?m)^DEV\s+PORT\s+INDEX\s+GID\s`),
		From("show_counters *", readShowCounters).KeptAs("show counters", `(?m)^Port \d+ (?:hw )?counters:`),
		From("perfquery", readPerfquery).KeptAs("perfquery", `(?m)^# (?:Port|Port extended|\w+) counters: Lid \d+ port`),
		From("ibqueryerrors", readIbqueryerrors).KeptAs("ibqueryerrors", `(?m)^Errors for (?:0x\w+ )?"`),
		From("iblinkinfo", readIblinkinfo).KeptAs("iblinkinfo", `(?m)\[\s*\] ==\(.*\)==>`),
		From("ibnetdiscover", readIbnetdiscover).KeptAs("ibnetdiscover", `(?m)^(?:CA|SW)\s+\d+\s+\d+\s+0x[0-9a-f]+\s+\d+x\s`),
		From("ibportstate", readIbportstate).KeptAs("ibportstate", `(?m)^LinkWidthActive:\.+`),
		From("smpquery portinfo", readIbportstate),
		From("ibswinfo", readIbswinfo).KeptAs("ibswinfo", `(?m)^PSU\d status\s+\|`),
		From("mlxlink *", readMlxlink).KeptAs("mlxlink", `(?m)^\s*Physical state\s+: |^(?:Raw|Effective) Physical BER\s+: `),
		From("mlxconfig *", readMlxconfig).KeptAs("mlxconfig", `(?m)^\s*Configurations:\s+(?:Default|Next Boot)`),
		From("mlxconfig *", readMlxconfig).KeptAs("mstconfig", ""),
		From("mst status", readMstStatus).KeptAs("mst status", `(?m)^MST modules:`),
		From("cma_roce_tos * *", readCMA),
		From("sys/kernel/config/rdma_cm/*/ports/*/default_roce_tos", readCMA),
		From("sys/kernel/config/rdma_cm/*/ports/*/default_roce_mode", readCMA),
		From("readlink -f /sys/class/infiniband/*/device", readRDMAPath),
	)
}

// Canonical converts the commands of Sources and DCBSources to the form of their names.
func Canonical(words []string) (string, bool) {
	tool, rest := parse.BaseName(words[0]), words[1:]
	o := parse.Options(rest)
	plain := slices.DeleteFunc(slices.Clone(rest), func(w string) bool { return strings.HasPrefix(w, "-") })
	with := func(name, device string) (string, bool) {
		if device = parse.BaseName(device); device == "" {
			return "", false
		}
		return name + " " + device, true
	}
	switch tool {
	case "ibstat", "ibstatus", "ibv_devices", "ibdev2netdev", "show_gids", "perfquery", "ibqueryerrors", "iblinkinfo",
		"ibnetdiscover", "ibportstate", "ibswinfo", "ibswinfo.sh":
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
		if len(plain) > 0 && strings.HasPrefix("resource", plain[0]) &&
			(len(plain) == 1 || len(plain) == 2 && plain[1] == "show") {
			return "rdma resource", true
		}
	case "mlxfwmanager":
		return tool, true
	case "show_counters":
		if len(plain) > 0 {
			return with(tool, plain[0])
		}
	case "mlxlink", "mstlink":
		return with("mlxlink", parse.FirstOption(o, "d", "device"))
	case "mlxconfig", "mstconfig":
		return with("mlxconfig", parse.FirstOption(o, "d", "dev"))
	case "mst":
		if len(plain) > 0 && plain[0] == "status" {
			return "mst status", true
		}
	case "cma_roce_tos", "cma_roce_mode":
		if o["d"] != "" && o["t"] == "" && o["m"] == "" {
			return "cma_roce_tos " + o["d"] + " " + parse.FirstOption(map[string]string{"p": o["p"], "one": "1"}, "p", "one"),
				true
		}
	case "dcb":
		if len(plain) >= 4 && plain[1] == "show" && plain[2] == "dev" {
			return "dcb " + plain[0] + " " + plain[3], true
		}
	case "mlnx_qos":
		return with(tool, parse.FirstOption(o, "i", "interface"))
	case "lldptool":
		if o["i"] != "" && !strings.Contains(strings.Join(rest, " "), "-n") && !slices.Contains(rest, "-tn") &&
			!slices.Contains(rest, "-T") {
			return "lldptool " + o["i"], true
		}
	}
	return "", false
}
