package show

import (
	"slices"
	"strings"
)

// switchShows are the commands of Onyx, SONiC, EOS and NX-OS with parsers, in the form of the tables. Several systems
// share some of them.
var switchShows = []string{"show version", "show running-config", "show startup-config", "show interfaces",
	"show interfaces status", "show interfaces status errdisabled", "show interfaces counters",
	"show interfaces counters errors", "show interfaces counters fec-stats", "show interfaces portchannel",
	"show interfaces flap", "show interfaces transceiver", "show interfaces transceiver detail",
	"show interfaces transceiver eeprom", "show interfaces congestion-control", "show interfaces port-channel",
	"show interfaces port-channel summary", "show port-channel summary", "show mlag", "show roce", "show qos",
	"show qos interfaces", "show qos interfaces trust", "show qos maps", "show dcb ets", "show dcb ets interface",
	"show dcb priority-flow-control", "show traffic pool", "show buffers details", "show lldp interfaces",
	"show lldp remote", "show lldp neighbors", "show lldp neighbors detail", "show lldp table",
	"show priority-flow-control", "show priority-flow-control counters", "show pfc counters", "show pfc priority",
	"show pfcwd config", "show pfcwd stats", "show ecn", "show queue counters", "show environment power",
	"show environment cooling", "show environment temperature", "show power", "show fan", "show temperature",
	"show module", "show platform psustatus", "show platform fan", "show platform temperature",
	"show runningconfiguration all", "show interface status", "show interfaces priority-flow-control",
	"show queuing interface", "show policy-map interface", "show interfaces brief", "show interfaces breakout",
	"show interfaces capabilities", "show interfaces description", "show interfaces switchport", "show environment",
	"show inventory", "show ip interface brief", "show ip arp", "show mac address-table", "show processes cpu",
	"show vlan"}

// showAliases are other commands with the same output.
var showAliases = map[string]string{"show interface status": "show interfaces status",
	"show interfaces port-channel summary": "show interfaces port-channel",
	"show dcb ets interface":               "show dcb ets", "show qos": "show qos interfaces",
	"show buffers details": "show traffic pool", "show lldp neighbors detail": "show lldp neighbors",
	"show runningconfiguration all": "sonic-cfggen -d --print-data"}

// Canonical normalizes a switch's show command: it expands abbreviations, and removes the port and words that only
// change the format. "sh int et1/1 status | no-more" is "show interfaces status".
func Canonical(words []string) (string, bool) {
	if len(words[0]) < 2 || !strings.HasPrefix("show", words[0]) {
		return "", false
	}
	words, ok := Unpiped(words)
	if !ok {
		return "", false
	}
	plain := slices.DeleteFunc(slices.Clone(words), isPort)
	for _, form := range [][]string{words, plain} {
		for _, name := range switchShows {
			if abbreviates(form, strings.Fields(name)) {
				if a, ok := showAliases[name]; ok {
					name = a
				}
				return name, true
			}
		}
	}
	return "", false
}

// Unpiped removes words that only change the format of an output; ok is false if they select a part of its lines.
func Unpiped(words []string) ([]string, bool) {
	line := strings.Join(words, " ")
	before, after, piped := strings.Cut(line, "|")
	if piped {
		for _, filter := range strings.Split(after, "|") {
			if f := strings.TrimSpace(filter); f != "json" && f != "json-print" && f != "no-more" && f != "nz" {
				return nil, false
			}
		}
	}
	var out []string
	w := strings.Fields(before)
	for i := 0; i < len(w); i++ {
		switch {
		case w[i] == "-n" || w[i] == "-d" || w[i] == "-o" || w[i] == "-i": // with a value: an ASIC, which ports, the format
			i++
		case strings.HasPrefix(w[i], "-") && len(w[i]) > 1, w[i] == "json":
		default:
			out = append(out, w[i])
		}
	}
	return out, len(out) > 0
}

// isPort reports whether a word names a port, or is the word before its number.
func isPort(word string) bool {
	return strings.ContainsAny(word, "0123456789") || word == "ethernet" || word == "eth" || word == "all" ||
		word == "mlag-port-channel"
}

// abbreviates reports whether each typed word is a prefix of the name's word.
func abbreviates(typed, name []string) bool {
	if len(typed) != len(name) {
		return false
	}
	for i, w := range typed {
		w = strings.ToLower(w)
		if len(w) < 2 || !strings.HasPrefix(name[i], strings.TrimSuffix(w, "s")) || len(w) > len(name[i])+1 {
			return false
		}
	}
	return true
}
