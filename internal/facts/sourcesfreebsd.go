package facts

import (
	"slices"
	"strings"
)

// freebsdSources are the outputs of FreeBSD's and TrueNAS's tools.
func freebsdSources() []source {
	return []source{
		parsed("ifconfig", parseIfconfig, putIfconfig).on("freebsd").
			keptAs("ifconfig", `(?m)^\S+: flags=[0-9a-f]+<[A-Z0-9_,]*> metric \d+ mtu \d+`),
		parsed("netstat -i", parseNetstatI, putTraffic).on("freebsd").
			keptAs("netstat i", `(?m)^Name +Mtu +Network +Address +Ipkts`),
		parsed("netstat -w", parseNetstatW, putTraffic).on("freebsd").
			keptAs("netstat w", `(?m)^ +input +\S+ +output\n +packets +errs`),
		parsed("netstat -r", parseNetstatR, func(f *Facts, _ []string, v []Route) { f.Routes = v }).on("freebsd").
			keptAs("netstat r", `(?m)^Routing tables\b`),
		parsed("netstat -s", parseNetstatS, putCounters).on("freebsd").
			keptAs("netstat s", `(?m)^(?:tcp|ip|udp):\n\t\d+ `),
		source{name: "netstat -m", read: readNetstatM}.on("freebsd").
			keptAs("netstat m", `(?m)^\d+/\d+/\d+ requests for mbufs denied`),
		source{name: "netstat -Q", read: readNetstatQ}.on("freebsd").
			keptAs("netstat q", `(?m)^WSID CPU +Name +Len WMark`),
		parsed("kldstat", parseKldstat, func(f *Facts, _ []string, v []Module) { f.Modules = v }).on("freebsd").
			keptAs("kldstat", `(?m)^Id Refs Address +Size Name`),
		parsed("vmstat -i", parseVmstatI, putVmstatI).on("freebsd").
			keptAs("vmstat i", `(?m)^interrupt +total +rate`),
		source{name: "vmstat -z", read: readVmstatZ}.on("freebsd").
			keptAs("vmstat z", `(?m)^ITEM +SIZE +LIMIT +USED +FREE`),
	}
}

// canonicalFreeBSD are the ways to write commands of FreeBSD.
func canonicalFreeBSD(words []string) (name string, ok bool) {
	tool := words[0][strings.LastIndexByte(words[0], '/')+1:]
	rest := words[1:]
	shows := !slices.ContainsFunc(rest, func(w string) bool { return strings.ContainsAny(w, "|;>") })
	switch {
	case !shows:
	case tool == "ifconfig" && ifconfigShows(rest):
		return "ifconfig", true
	case tool == "netstat" || tool == "vmstat":
		return statCommand(tool, rest)
	case tool == "kldstat" && len(rest) == 0:
		return "kldstat", true
	}
	return "", false
}

// ifconfigShows says whether the arguments of ifconfig only show: flags, and at most a name.
func ifconfigShows(arguments []string) bool {
	names := 0
	for _, a := range arguments {
		if !strings.HasPrefix(a, "-") {
			names++
		} else if strings.Trim(a, "-avmLkdu") != "" {
			return false
		}
	}
	return names <= 1
}

// statCommand is what of netstat's and vmstat's many outputs the letters ask for.
func statCommand(tool string, arguments []string) (name string, ok bool) {
	letters, interval, skip := "", false, false
	for _, a := range arguments {
		flags, isFlag := strings.CutPrefix(a, "-")
		switch {
		case skip:
			skip = false
		case isFlag:
			if i := strings.IndexAny(flags, "Ifpw"); i >= 0 { // these have a value
				skip = i == len(flags)-1
				flags = flags[:i+1]
			}
			letters += flags
		case strings.Trim(a, "0123456789") == "":
			interval = true
		default:
			return "", false
		}
	}
	has := func(l string) bool { return strings.Contains(letters, l) }
	switch {
	case tool == "vmstat" && has("i") && !interval:
		return "vmstat -i", true
	case tool == "vmstat" && has("z") && !interval:
		return "vmstat -z", true
	case tool == "vmstat":
	case has("w") || interval:
		return "netstat -w", true
	case has("r"):
		return "netstat -r", true
	case has("s"):
		return "netstat -s", true
	case has("m"):
		return "netstat -m", true
	case has("Q"):
		return "netstat -Q", true
	case has("i") || has("I"):
		return "netstat -i", true
	}
	return "", false
}
