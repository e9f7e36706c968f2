package parse

import (
	"slices"
	"strings"

	"linerate/internal/facts"
	"linerate/internal/facts/parse"
)

// Sources are the outputs of FreeBSD's and TrueNAS's tools.
func Sources() []parse.Source {
	return []parse.Source{
		parse.Parsed("ifconfig", parseIfconfig, putIfconfig).On("freebsd").
			KeptAs("ifconfig", `(?m)^\S+: flags=[0-9a-f]+<[A-Z0-9_,]*> metric \d+ mtu \d+`),
		parse.Parsed("netstat -i", parseNetstatI, putTraffic).On("freebsd").
			KeptAs("netstat i", `(?m)^Name +Mtu +Network +Address +Ipkts`),
		parse.Parsed("netstat -w", parseNetstatW, putTraffic).On("freebsd").
			KeptAs("netstat w", `(?m)^ +input +\S+ +output\n +packets +errs`),
		parse.Parsed("netstat -r", parseNetstatR,
			func(f *parse.Builder, _ []string, v []facts.Route) { f.Routes = v }).On("freebsd").
			KeptAs("netstat r", `(?m)^Routing tables\b`),
		parse.Parsed("netstat -s", parseNetstatS, parse.PutCounters).On("freebsd").
			KeptAs("netstat s", `(?m)^(?:tcp|ip|udp):\n\t\d+ `),
		parse.Source{Name: "netstat -m", Read: readNetstatM}.On("freebsd").
			KeptAs("netstat m", `(?m)^\d+/\d+/\d+ requests for mbufs denied`),
		parse.Source{Name: "netstat -Q", Read: readNetstatQ}.On("freebsd").
			KeptAs("netstat q", `(?m)^WSID CPU +Name +Len WMark`),
		parse.Parsed("kldstat", parseKldstat, func(f *parse.Builder, _ []string, v []facts.Module) {
			f.Modules = v
		}).On("freebsd").
			KeptAs("kldstat", `(?m)^Id Refs Address +Size Name`),
		parse.Parsed("vmstat -i", parseVmstatI, putVmstatI).On("freebsd").
			KeptAs("vmstat i", `(?m)^interrupt +total +rate`),
		parse.Source{Name: "vmstat -z", Read: readVmstatZ}.On("freebsd").
			KeptAs("vmstat z", `(?m)^ITEM +SIZE +LIMIT +USED +FREE`),
	}
}

// Canonical returns the name in the table of a command of FreeBSD.
func Canonical(words []string) (name string, ok bool) {
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

// ifconfigShows reports whether the arguments of ifconfig only show: flags, and at most a name.
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

// statCommand returns which of netstat's and vmstat's outputs the flags select.
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
