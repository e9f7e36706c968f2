package lldp

import (
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"

	"linerate/internal/base/lazyregexp"
	"linerate/internal/base/unit"
	"linerate/internal/facts"
	"linerate/internal/facts/parse"
)

var lldpPeriod = lazyregexp.New(`^(?:(\d{1,6}) days?, )?(\d{1,4}):(\d\d):(\d\d)$`)

// ID returns an identity from a tool's word for its kind and the value. Without a word, a MAC address is recognized by
// its form.
func ID(kind, value string) facts.LLDPID {
	id := facts.LLDPID{Value: facts.OneLine(strings.Trim(strings.TrimSpace(value), `"`))}
	switch strings.ToLower(strings.ReplaceAll(kind, " ", "")) {
	case "mac", "macaddress":
		id.Kind = facts.LLDPMAC
	case "ifname", "interfacename":
		id.Kind = facts.LLDPInterface
	case "ifalias", "interfacealias":
		id.Kind = facts.LLDPAlias
	case "local", "locallyassigned":
		id.Kind = facts.LLDPLocal
	case "ip", "ipv4", "ipv6", "networkaddress":
		id.Kind = facts.LLDPAddress
	case "component", "chassis", "chassiscomponent", "portcomponent", "portcomp.":
		id.Kind = facts.LLDPComponent
	case "":
		if facts.IsMAC(id.Value) {
			id.Kind = facts.LLDPMAC
		}
	}
	if id.Kind == facts.LLDPMAC {
		id.Value = facts.ColonMAC(id.Value)
	}
	return id
}

// AddManagement adds a management address; it ignores other values, such as MAC addresses.
func AddManagement(n *facts.LLDPNeighbour, s string) {
	if a, err := netip.ParseAddr(strings.TrimSpace(s)); err == nil && !slices.Contains(n.Management, a) {
		n.Management = append(n.Management, a)
	}
}

// SetTTL reads the seconds of a TTL.
func SetTTL(n *facts.LLDPNeighbour, seconds string) {
	if s, err := strconv.Atoi(strings.TrimSuffix(strings.TrimSpace(seconds), " seconds")); err == nil && s >= 0 &&
		s <= 65535 {
		n.TTL = unit.Known(time.Duration(s) * time.Second)
	}
}

// aged reads lldpd's "35 days, 08:24:00".
func aged(n *facts.LLDPNeighbour, s string) {
	m := lldpPeriod.FindStringSubmatch(strings.TrimSpace(s))
	if m == nil {
		return
	}
	var v [4]int
	for i := range v {
		v[i], _ = strconv.Atoi(m[i+1])
	}
	n.Age = unit.Known(
		time.Duration(v[0])*24*time.Hour + time.Duration(v[1])*time.Hour + time.Duration(v[2])*time.Minute + time.Duration(
			v[3],
		)*time.Second,
	)
}

// missingLLDP records why no neighbours were queried.
func missingLLDP(f *parse.Builder, _ []string, why string) { f.LLDPWhy = why }
