package parse

import (
	"math/bits"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"linerate/internal/base/lazyregexp"
	"linerate/internal/base/unit"
	"linerate/internal/facts"
	"linerate/internal/facts/parse"
)

// ifInterface is an interface as ifconfig of FreeBSD prints it.
type ifInterface struct {
	name         string
	mtu          int
	up           bool
	head         string // its first line
	mac          string
	options      map[string]bool // that are on: TSO4, LRO; nil: no such line
	capabilities map[string]bool // that it has; nil: not queried (-m)
	optionsLine  string
	addresses    []netip.Prefix
	addressLines []string
	media        ifMedia
	status       string // "active", "no carrier"; empty: no such line
	statusLine   string
	parent       string // of a VLAN
	vlan         int
	protocol     string // of a lagg: "lacp", "failover"
	hash         string
	members      []ifMember
	groups       []string
	optic        *ifOptic
}

// ifMember is a port of a lagg or a bridge.
type ifMember struct {
	name, line string
	flags      map[string]bool
	lagg       bool
}

var (
	ifHead    = lazyregexp.New(`^(\S+): flags=[0-9a-f]+<([A-Z0-9_,]*)>(?: .*)? mtu (\d+)`)
	ifOptions = lazyregexp.New(`^(options|capabilities)(?:=[0-9a-f]+<([^>]*)>| ([A-Z0-9_,]+))$`)
	ifFlags   = lazyregexp.New(`flags=[0-9a-f]+<([A-Z_,]*)>`)
	ifVLAN    = lazyregexp.New(`^vlan: (\d+) .*parent interface: (\S+)`)
)

// parseIfconfig reads "ifconfig" (-a, -v, -m, NAME) of FreeBSD. Format: https://man.freebsd.org/ifconfig(8). Snapshots
// of releases 11 to 14, with -v of modules; the lines of -m (capabilities, supported media), of VLANs, laggs and
// bridges are from the manual page and from sbin/ifconfig.
func parseIfconfig(text []byte) ([]ifInterface, error) {
	var out []ifInterface
	for raw := range strings.Lines(string(text)) {
		line := strings.TrimRight(raw, "\r\n")
		if m := ifHead.FindStringSubmatch(line); m != nil {
			mtu, _ := strconv.Atoi(m[3])
			flags := strings.Split(m[2], ",")
			out = append(out, ifInterface{name: m[1], mtu: mtu, up: slices.Contains(flags, "UP"), head: line})
			continue
		}
		if len(out) == 0 || line == "" || line[0] != ' ' && line[0] != '\t' {
			continue
		}
		n := &out[len(out)-1]
		line = strings.TrimSpace(line)
		if i := strings.Index(line, "     media: "); i > 0 { // one release omits the end of the line before
			n.line(line[:i])
			line = line[i+5:]
		}
		n.line(line)
	}
	if len(out) == 0 {
		return nil, parse.ToolError(text)
	}
	return out, nil
}

// line reads a line after the first.
func (n *ifInterface) line(line string) {
	if m := ifOptions.FindStringSubmatch(line); m != nil {
		set := wordSet(m[2] + m[3])
		if m[1] == "capabilities" {
			n.capabilities = set
		} else {
			n.options, n.optionsLine = set, line
		}
		return
	}
	words := strings.Fields(line)
	if len(words) < 2 {
		return
	}
	switch words[0] {
	case "ether":
		n.mac = words[1]
	case "inet", "inet6":
		if p, ok := ifAddress(words); ok {
			n.addresses, n.addressLines = append(n.addresses, p), append(n.addressLines, line)
		}
	case "media:":
		n.media = parseIfMedia(line)
	case "status:":
		n.status, n.statusLine = strings.Join(words[1:], " "), line
	case "vlan:":
		if m := ifVLAN.FindStringSubmatch(line); m != nil {
			n.vlan, _ = strconv.Atoi(m[1])
			n.parent = m[2]
		}
	case "laggproto":
		n.protocol = words[1]
		if i := slices.Index(words, "lagghash"); i > 0 && i+1 < len(words) {
			n.hash = words[i+1]
		}
	case "laggport:", "member:":
		m := ifMember{name: words[1], line: line, lagg: words[0] == "laggport:"}
		if f := ifFlags.FindStringSubmatch(line); f != nil {
			m.flags = wordSet(f[1])
		}
		n.members = append(n.members, m)
	case "groups:":
		n.groups = words[1:]
	default:
		n.module(words, line)
	}
}

// ifAddress reads "inet 10.0.0.246 netmask 0xffffff00", "inet 10.0.0.246/24", "inet6 fe80::1%mce0 prefixlen 64". It
// ignores addresses that hosts share by CARP.
func ifAddress(words []string) (netip.Prefix, bool) {
	if len(words) < 2 || slices.Contains(words, "vhid") {
		return netip.Prefix{}, false
	}
	text, length, _ := strings.Cut(words[1], "/")
	text, _, _ = strings.Cut(text, "%")
	a, err := netip.ParseAddr(text)
	if err != nil {
		return netip.Prefix{}, false
	}
	n, err := strconv.Atoi(length)
	if err != nil {
		n = a.BitLen()
		for i, w := range words[:len(words)-1] {
			switch w {
			case "prefixlen":
				if n, err = strconv.Atoi(words[i+1]); err != nil {
					return netip.Prefix{}, false
				}
			case "netmask":
				mask, err := strconv.ParseUint(strings.TrimPrefix(words[i+1], "0x"), 16, 32)
				if err != nil || bits.LeadingZeros32(^uint32(mask))+bits.TrailingZeros32(uint32(mask)) != 32 {
					return netip.Prefix{}, false
				}
				n = bits.LeadingZeros32(^uint32(mask))
			}
		}
	}
	p := netip.PrefixFrom(a, n)
	return p, p.IsValid()
}

func wordSet(list string) map[string]bool {
	set := map[string]bool{}
	for w := range strings.SplitSeq(list, ",") {
		if w != "" {
			set[w] = true
		}
	}
	return set
}

// bsdOffloads are the offloads among the options, by ethtool's names.
var bsdOffloads = map[string]string{"tx-tcp-segmentation": "TSO4", "tx-tcp6-segmentation": "TSO6", "rx-lro": "LRO",
	"tx-checksum-ip-generic": "TXCSUM", "rx-checksum": "RXCSUM"}

// putIfconfig stores the facts of ifconfig.
func putIfconfig(f *parse.Builder, _ []string, list []ifInterface) {
	for _, i := range list {
		n := f.Interface(i.name)
		n.MTU, n.Up, n.UpKnown, n.MAC = i.mtu, i.up, true, i.mac
		n.Kind = i.kind()
		n.Driver = unit.Known(strings.TrimRight(i.name, "0123456789."))
		n.Proves("mtu", f.Proof(i.head))
		n.Proves("flags", f.Proof(i.head))
		n.Addresses = i.addresses
		if len(i.addressLines) > 0 {
			n.Proves("addresses", f.Proof(strings.Join(i.addressLines, "; ")))
		}
		n.Carrier = unit.Unknown[bool]("ifconfig prints no status for it")
		if i.status != "" {
			n.Carrier = unit.Known(i.status == "active")
			n.Proves("carrier", f.Proof(i.statusLine))
		}
		i.putOffloads(f, n)
		i.putMedia(f, n)
		n.Lower, n.VLAN = i.parent, i.vlan
		i.putMembers(f)
		if i.optic != nil {
			i.putOptic(f, f.Interface(i.name))
		}
	}
}

// kind returns what made the interface, by Linux' names; empty: a NIC's driver.
func (i *ifInterface) kind() string {
	for _, g := range i.groups {
		switch g {
		case "lagg":
			return "bond"
		case "vlan", "bridge", "wg", "tun", "tap", "epair", "gif", "gre", "vxlan":
			return g
		}
	}
	switch {
	case i.parent != "":
		return "vlan"
	case i.protocol != "":
		return "bond"
	case len(i.members) > 0:
		return "bridge"
	}
	return ""
}

func (i *ifInterface) putOffloads(f *parse.Builder, n *facts.Interface) {
	if i.options == nil && i.capabilities == nil || i.kind() != "" {
		return
	}
	n.Offloads, n.Fixed = map[string]bool{}, nil
	for feature, option := range bsdOffloads {
		n.Offloads[feature] = i.options[option]
		if i.capabilities != nil {
			if n.Fixed == nil {
				n.Fixed = map[string]bool{}
			}
			n.Fixed[feature] = !i.capabilities[option]
		}
	}
	if i.optionsLine != "" {
		n.Proves("offloads", f.Proof(i.optionsLine))
	}
}

// putMembers sets the master of the ports of a lagg or bridge, and reports members without a link.
func (i *ifInterface) putMembers(f *parse.Builder) {
	if i.protocol != "" {
		b := &facts.Bond{Mode: i.protocol, ModeProof: f.Proof("laggproto " + i.protocol),
			Hash: unit.Unknown[string]("ifconfig does not print it")}
		if i.hash != "" {
			b.Hash, b.HashProof = unit.Known(i.hash), f.Proof("lagghash "+i.hash)
		}
		for _, m := range i.members {
			b.Members = append(b.Members, facts.BondMember{Name: m.name, Up: m.flags["ACTIVE"], Proof: f.Proof(m.line)})
		}
		f.Interface(i.name).Bond = b
	}
	for _, m := range i.members {
		n := f.Interface(m.name)
		n.Master = i.name
		if m.lagg && i.protocol == "failover" && !m.flags["ACTIVE"] {
			n.Standby = true
		}
		if m.lagg && i.protocol != "failover" && i.status == "active" && !m.flags["ACTIVE"] {
			f.Happened(facts.Event{What: facts.MemberDown, Subject: m.name, Detail: "of " + i.name, Proof: f.Proof(m.line)})
		}
	}
}
