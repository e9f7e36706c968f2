package parse

import (
	"strings"

	"linerate/internal/facts/parse"
	"linerate/internal/facts/parse/lldp"
	"linerate/internal/facts/parse/show"
)

// Canonical removes words that only change the output's format from NVUE's and NCLU's commands, to match the table.
func Canonical(words []string) (string, bool) {
	if len(words) < 3 || words[0] != "nv" && words[0] != "net" {
		return "", false
	}
	words, ok := show.Unpiped(words)
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

// Sources are the outputs that only Cumulus Linux has: those of NVUE, and of NCLU before it.
func Sources() []parse.Source {
	src := func(name string, read func(f *parse.Builder, args []string, text []byte) error, looks string) parse.Source {
		return show.Source("cumulus", name, looks, read)
	}
	return []parse.Source{
		src("nv show interface * qos roce counters", readNVCounters, `(?m)^\s+tx-roce-stats\s*$`),
		src("nv show interface * qos roce status", readNVStatus, `(?m)^RoCE Pool Status`),
		src("nv show qos roce", readNVRoCE, `(?m)^RoCE pool config`),
		src("nv config show", readNVConfig,
			`(?m)^\s*(?:sudo )?nv set (?:qos|interface) |^\s*(?:sudo )?net add (?:roce|interface) |^- set:\s*\n\s+(?:bridge|interface|qos|router|system):`),
		src("nv show interface", readNVInterfaces, `"swp\d+\w*": *\{\s*(?:"ifindex"[^{]*)?"(?:link|ip)": *\{`),
		src("net show interface", readNetInterfaces, `"iface_obj": *\{`),
		src("net show lldp", lldp.ReadLLDPCtl, ""),
		src("net show system", readCumulusSystem, `(?m)^\s*(?:Build: )?Cumulus Linux \d|"build": *"Cumulus Linux`),
	}
}
