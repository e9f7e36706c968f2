package facts

import "strings"

// canonicalCumulus brings NVUE's and NCLU's commands into the form of the table: without the words that only change an answer's form.
func canonicalCumulus(words []string) (string, bool) {
	if len(words) < 3 || words[0] != "nv" && words[0] != "net" {
		return "", false
	}
	words, ok := unpiped(words)
	if !ok || len(words) < 3 || words[1] != "show" && words[1] != "config" {
		return "", false
	}
	name := strings.Join(words, " ")
	switch {
	case strings.HasPrefix(name, "net show interface"):
		return "net show interface", true
	case strings.HasPrefix(name, "nv config show"):
		return "nv config show", true
	}
	return name, true
}

// cumulusSources are the outputs of Cumulus Linux beside those that any Linux has: of NVUE, and of NCLU before it.
func cumulusSources() []source {
	src := func(name string, read func(f *Facts, args []string, text []byte) error, looks string) source {
		return answer("cumulus", name, looks, read)
	}
	return []source{
		src("nv show interface * qos roce counters", readNVCounters, `(?m)^\s+tx-roce-stats\s*$`),
		src("nv show interface * qos roce status", readNVStatus, `(?m)^RoCE Pool Status`),
		src("nv show qos roce", readNVRoCE, `(?m)^RoCE pool config`),
		src("nv config show", readNVConfig, `(?m)^\s*(?:sudo )?nv set (?:qos|interface) |^\s*(?:sudo )?net add (?:roce|interface) |^- set:\s*\n\s+(?:bridge|interface|qos|router|system):`),
		src("nv show interface", readNVInterfaces, `"swp\d+\w*": *\{\s*(?:"ifindex"[^{]*)?"(?:link|ip)": *\{`),
		src("net show interface", readNetInterfaces, `"iface_obj": *\{`),
		src("net show lldp", readLLDPCtl, ""),
		src("net show system", readCumulusSystem, `(?m)^\s*(?:Build: )?Cumulus Linux \d|"build": *"Cumulus Linux`),
	}
}
