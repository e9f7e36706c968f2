package parse

import (
	"net/netip"
	"strconv"
	"strings"

	"linerate/internal/base/lazyregexp"
	"linerate/internal/facts"
	"linerate/internal/facts/parse"
	"linerate/internal/facts/parse/show"
)

const (
	briefLooks   = `(?m)^Ethernet +VLAN +Type +Mode +Status +Reason +Speed +Port`
	ipBriefLooks = `(?m)^IP Interface Status for VRF "`
	channelLooks = `(?m)^Group +Port- +Type +Protocol +Member Ports`
)

var (
	briefForm   = lazyregexp.New(briefLooks)
	ipBriefForm = lazyregexp.New(ipBriefLooks)
	channelForm = lazyregexp.New(channelLooks)
	// The rows of "show interface brief" by the kinds of interfaces.
	briefPort    = lazyregexp.New(`^((?:Eth|Po)\d[\d/.]*) +\S+ +\w+ +\S+ +(up|down) +(\S.*?) +(\S+?)(?:\([A-Z]\))? +(\S+)$`)
	briefMgmt    = lazyregexp.New(`^(mgmt\d+) +\S+ +(up|down) +\S+ +(\S+) +(\d+)$`)
	briefVLAN    = lazyregexp.New(`^(Vlan\d+) +\S+ +(up|down) +(\S.*)$`)
	briefTunnel  = lazyregexp.New(`^(Tunnel\d+) +(up|down) +(\S+) +\S+ +(\d+)$`)
	briefOther   = lazyregexp.New(`^((?:Lo|nve)\d+) +(up|down) `)
	ipBriefRow   = lazyregexp.New(`^(` + portNames + `) +\S+ +protocol-(?:up|down)/link-(up|down)/admin-(up|down)$`)
	channelRow   = lazyregexp.New(`^\d+ +(Po\d+)\(([A-Z]+)\) `)
	channelPorts = lazyregexp.New(`(Eth\d[\d/.]*)\(([A-Za-z])\)`)
)

// readBrief reads "show interface brief". Snapshots: ntc-templates.
func readBrief(f *parse.Builder, _ []string, text []byte) error {
	if !briefForm.Match(text) {
		return parse.ToolError(text)
	}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if m := briefPort.FindStringSubmatch(line); m != nil {
			briefState(f, m, line)
		} else if m := briefMgmt.FindStringSubmatch(line); m != nil {
			n := port(f, m[1])
			setState(f, n, m[2], "", line)
			setMTU(n, m[4], f.Proof(line))
			if m[2] == "up" {
				setSpeed(n, m[3], "", f.Proof(line))
			}
		} else if m := briefVLAN.FindStringSubmatch(line); m != nil {
			setState(f, port(f, m[1]), m[2], strings.Replace(m[3], "Admin", "Administratively down", 1), line)
		} else if m := briefTunnel.FindStringSubmatch(line); m != nil {
			n := port(f, m[1])
			setState(f, n, m[2], "", line)
			setMTU(n, m[4], f.Proof(line))
			if address, err := netip.ParsePrefix(m[3]); err == nil {
				n.Addresses = []netip.Prefix{address}
			}
		} else if m := briefOther.FindStringSubmatch(line); m != nil {
			setState(f, port(f, m[1]), m[2], "", line)
		}
	}
	return nil
}

// briefState reads the row of a port or an aggregated link.
func briefState(f *parse.Builder, m []string, line string) {
	n, up := port(f, m[1]), m[2] == "up"
	setState(f, n, m[2], m[3], line)
	switch {
	case n.Kind == "bond":
		show.KeepLAG(f, n.Name, up)
	case up:
		setSpeed(n, m[4], "", f.Proof(line))
	}
	if _, err := strconv.Atoi(m[5]); err == nil && n.Kind == "" {
		n.Master = "port-channel" + m[5]
	}
}

func setMTU(n *facts.Interface, digits string, p facts.Proof) {
	if v, err := strconv.Atoi(digits); err == nil {
		n.MTU = v
		n.Proves("mtu", p)
	}
}

// readIPBrief reads "show ip interface brief". It stores no addresses, because the output has no prefix lengths.
// Snapshots: ntc-templates.
func readIPBrief(f *parse.Builder, _ []string, text []byte) error {
	if !ipBriefForm.Match(text) {
		return parse.ToolError(text)
	}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if m := ipBriefRow.FindStringSubmatch(line); m != nil {
			show.SetState(port(f, m[1]), m[3] == "up", m[2] == "up", f.Proof(line))
		}
	}
	return nil
}

// readChannels reads "show port-channel summary". U marks an aggregated link that is up, P a member that carries its
// traffic; a line without a group has more members of the group above. Snapshots: ntc-templates.
func readChannels(f *parse.Builder, _ []string, text []byte) error {
	if !channelForm.Match(text) {
		return parse.ToolError(text)
	}
	lag := ""
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if m := channelRow.FindStringSubmatch(line); m != nil {
			lag = port(f, m[1]).Name
			show.KeepLAG(f, lag, strings.Contains(m[2], "U"))
		}
		if lag == "" {
			continue
		}
		for _, m := range channelPorts.FindAllStringSubmatch(line, -1) {
			show.KeepMember(f, show.LAGMember{LAG: lag, Port: port(f, m[1]).Name, In: m[2] == "P", Why: m[2],
				Proof: f.Proof(line)})
		}
	}
	return nil
}
