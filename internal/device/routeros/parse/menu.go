package parse

import (
	"slices"
	"strings"

	"linerate/internal/base/lazyregexp"
)

// routerosMenus are the known menus of RouterOS, used to expand abbreviated words as the console does:
// https://manual.mikrotik.com, "Command Line Interface".
var routerosMenus = []string{"interface", "interface ethernet", "interface ethernet poe", "interface ethernet switch",
	"interface ethernet switch port", "interface ethernet switch host", "interface ethernet switch rule",
	"interface ethernet switch vlan", "interface ethernet switch l3hw-settings",
	"interface ethernet switch port-isolation", "interface ethernet switch qos", "interface ethernet switch qos port",
	"interface ethernet switch qos profile", "interface ethernet switch qos map", "interface ethernet switch qos map ip",
	"interface ethernet switch qos map vlan", "interface ethernet switch qos tx-manager",
	"interface ethernet switch qos tx-manager queue", "interface ethernet switch qos priority-flow-control",
	"interface ethernet switch qos settings", "interface bridge", "interface bridge port", "interface bridge vlan",
	"interface bridge host", "interface bridge settings", "interface bridge msti", "interface bridge mdb",
	"interface bridge filter", "interface bridge nat", "interface bonding", "interface vlan", "interface list",
	"interface list member", "interface lte", "interface wifi", "interface wireless", "interface wireguard",
	"interface vrrp", "interface veth", "interface vxlan", "ip", "ip address", "ip route", "ip neighbor",
	"ip neighbor discovery-settings", "ip service", "ip dhcp-client", "ip dhcp-server", "ip dns", "ip pool", "ip settings",
	"ip firewall", "ip firewall filter", "ip firewall nat", "ip firewall mangle", "ip arp", "ip cloud", "ipv6",
	"ipv6 address", "ipv6 route", "ipv6 neighbor", "system", "system resource", "system routerboard",
	"system routerboard settings", "system health", "system package", "system package update", "system identity",
	"system clock", "system logging", "system script", "system scheduler", "system note", "system ntp",
	"system ntp client", "system leds", "system license", "log", "port", "queue", "queue interface", "queue simple",
	"queue tree", "queue type", "routing", "routing table", "snmp", "tool", "user", "file", "disk", "certificate"}

// routerosVerbs are the commands of a menu. print, monitor and export only print; the others change something, and
// their lines are a script.
var routerosVerbs = []string{"print", "monitor", "export", "get", "set", "add", "remove", "unset", "enable",
	"disable", "find", "reset", "reset-counters", "comment", "edit", "move"}

// routerosCommand reads a command that is typed in a menu of RouterOS: "/interface/ethernet/print detail", "port
// print". A word may be abbreviated if it remains unique. Without a verb the command enters a menu.
func routerosCommand(line string, menu []string) (in []string, verb, args string, ok bool) {
	line = strings.TrimSpace(line)
	if rest, put := strings.CutPrefix(line, ":put ["); put { // :put [/interface ethernet monitor e1 once as-value]
		line = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(rest), "]"))
	}
	in = slices.Clone(menu)
	if rest, root := strings.CutPrefix(line, "/"); root {
		in, line, ok = nil, rest, true
	}
	for line = strings.TrimLeft(line, " /"); line != ""; line = strings.TrimLeft(line, " /") {
		n := strings.IndexAny(line, " /")
		if n < 0 {
			n = len(line)
		}
		word := line[:n]
		if word == ".." {
			in, line, ok = in[:max(len(in)-1, 0)], line[n:], true
			continue
		}
		full, isVerb := routerosWord(in, word)
		switch {
		case full == "":
			return in, "", "", false
		case isVerb:
			return in, full, strings.TrimSpace(line[n:]), true
		}
		in, line, ok = append(in, full), line[n:], true
	}
	return in, "", "", ok
}

// routerosWord expands a word in a menu.
func routerosWord(menu []string, word string) (full string, verb bool) {
	var next []string
	prefix := strings.Join(menu, " ")
	if prefix != "" {
		prefix += " "
	}
	for _, m := range routerosMenus {
		if rest, ok := strings.CutPrefix(m, prefix); ok && rest != "" && !strings.Contains(rest, " ") {
			if rest == word {
				return rest, false
			}
			if strings.HasPrefix(rest, word) {
				next = append(next, rest)
			}
		}
	}
	if len(next) > 0 {
		if len(next) > 1 {
			return "", false
		}
		return next[0], false
	}
	for _, v := range routerosVerbs {
		if v == word {
			return v, true
		}
		if strings.HasPrefix(v, word) && len(menu) > 0 {
			next = append(next, v)
		}
	}
	if len(next) != 1 {
		return "", false
	}
	return next[0], true
}

var restPath = lazyregexp.New(`(?:^|/)rest/([a-z0-9/-]+)`)

// Canonical converts a command of RouterOS to the form "/interface ethernet print". detail, terse, stats, where and
// similar words only select and format the output, which shows them. A command of the REST interface is its path.
func Canonical(words []string) (string, bool) {
	line := strings.Join(words, " ")
	if m := restPath.FindStringSubmatch(line); m != nil {
		line = "/" + m[1]
		if _, verb, _, ok := routerosCommand(line, nil); ok && verb == "" {
			line += "/print"
		}
	}
	if !strings.HasPrefix(line, "/") && !strings.HasPrefix(line, ":put [") {
		if first := words[0]; first != "interface" && first != "ip" && first != "ipv6" && first != "system" &&
			first != "export" && first != "log" {
			return "", false
		}
		line = "/" + line
		if _, verb, _, ok := routerosCommand(line, nil); !ok || verb != "print" && verb != "monitor" && verb != "export" {
			return "", false // of another system
		}
	}
	menu, verb, _, ok := routerosCommand(line, nil)
	if !ok || verb == "" {
		return "", false
	}
	switch verb {
	case "export":
		return "/export", true
	case "get":
		verb = "print"
	case "set", "add", "remove", "unset", "enable", "disable":
		return routerosCommands, true
	case "monitor", "print":
	default:
		return "", false
	}
	return "/" + strings.Join(menu, " ") + " " + verb, true
}
