package facts

import (
	"net/netip"
	"path"
	"slices"
	"strings"
)

// linuxFiles are files of Linux' network managers and of its kernel's settings: what a host is told, not what is so. Of a kept file the star is
// its own name.
func linuxFiles() []source {
	const ifupdown = `(?m)^(?:allow-hotplug|auto|iface) \S+`
	return []source{
		source{name: "etc/network/interfaces", read: readInterfaces}.on("linux").keptAs("interfaces", ifupdown),
		source{name: "etc/network/interfaces.d/*", read: readInterfaces}.on("linux").ofFiles(`(?m)^iface \S+ inet6? \w+`, ""),
		source{name: "etc/netplan/*", read: readNetplan}.on("linux").ofFiles(`(?m)^network:\s*(?:#.*)?\n(?:[ \t].*\n|#.*\n)*? +(?:ethernets|bonds|vlans|bridges):`, ""),
		source{name: "etc/systemd/network/*", read: readNetworkd}.on("linux").ofFiles(`(?ms)^\[(?:Match|NetDev)\]\s*$.*^(?:Name|MACAddress|PermanentMACAddress|OriginalName|Kind|Driver|Path)\s*=`, ""),
		source{name: "etc/NetworkManager/system-connections/*", read: readKeyfile}.on("linux").ofFiles(`(?ms)^\[connection\]\s*$.*^type=`, ""),
		source{name: "etc/sysctl.conf", read: readSysctlFile}.on("linux").keptAs("sysctl conf", linuxSetting).ending("sysctl.conf"),
		source{name: "etc/sysctl.d/*", read: readSysctlFile}.on("linux").ofFiles(linuxSetting, ".conf"),
	}
}

// linuxSetting is a line of a file of settings: what sysctl prints looks the same, so that the name of the file has to tell.
const linuxSetting = `(?m)^[ \t]*-?(?:net[./](?:ipv4|ipv6|core|netfilter|bridge)|vm|fs|kernel)[./][\w./*-]+[ \t]*=`

// ofFiles says that the star of the name is the name of the file that was kept, what it looks like, and how its name has to end.
func (s source) ofFiles(looks, end string) source {
	s = s.keptAs("", looks).ending(end)
	s.ofFile = true
	return s
}

// ending says how a kept file's name has to end, without which its text does not tell what it is.
func (s source) ending(end string) source {
	s.end = end
	return s
}

// toldFile is what a file tells interfaces that it names by a pattern or an address: which they are is known when all sources were read.
type toldFile struct {
	rank     string                  // of several files about one interface the first one in this order counts
	names    []string                // patterns of names; nil: any
	macs     []string                // nil: any
	tells    func(f *Facts, t *Told) // adds what it says
	kind     string                  // "link", "network", "keyfile", ..: files of several kinds are added up
	last     bool                    // of several files the last one counts, thing by thing
	auto     bool                    // it is in effect without somebody asking for it
	narrowed bool                    // by something that is not known here
}

// settleTold gives interfaces what files tell them. Of networkd's files the first that matches an interface counts; of netplan's and
// ifupdown's all do, a later one before an earlier; of NetworkManager's which of several is active is not known, so that they tell nothing.
func settleTold(f *Facts) {
	slices.SortStableFunc(f.files, func(a, b toldFile) int { return strings.Compare(a.rank, b.rank) })
	for _, t := range f.files { // interfaces that only a file names
		for _, name := range t.names {
			if t.macs == nil && !strings.ContainsAny(name, "*?[!") {
				f.nic(name)
			}
		}
	}
	for i := range f.NICs {
		n := &f.NICs[i]
		taken := map[string]int{}
		for _, t := range f.files {
			if t.of(n) {
				taken[t.kind]++
			}
		}
		seen := map[string]bool{}
		for _, t := range f.files {
			if !t.of(n) || seen[t.kind] && !t.last || t.kind == "keyfile" && taken[t.kind] > 1 {
				continue
			}
			seen[t.kind] = true
			if n.Told == nil {
				n.Told = new(Told)
			}
			t.tells(f, n.Told)
		}
	}
	f.files = nil
	onlyTold(f)
}

// of says whether the file is about the interface.
func (t *toldFile) of(n *Interface) bool {
	if t.names == nil && t.macs == nil || t.macs != nil && !slices.Contains(t.macs, n.MAC) {
		return false
	}
	return t.names == nil || slices.ContainsFunc(t.names, func(p string) bool {
		ok, err := path.Match(p, n.Name)
		return err == nil && ok
	})
}

// iniLine is a line "KEY=VALUE" of a file with sections.
type iniLine struct {
	section, key, value, line string
	at                        int // which section of the file, from 1
}

// iniLines reads the form that systemd's units and NetworkManager's keyfiles have.
func iniLines(text []byte) (out []iniLine) {
	section, at := "", 0
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' || line[0] == ';' {
			continue
		}
		if line[0] == '[' && line[len(line)-1] == ']' {
			section, at = line[1:len(line)-1], at+1
			continue
		}
		if key, value, ok := strings.Cut(line, "="); ok && section != "" {
			out = append(out, iniLine{section, strings.TrimSpace(key), strings.TrimSpace(value), line, at})
		}
	}
	return out
}

// toldAddress reads "10.0.0.1/24", also with what NetworkManager has behind it (a gateway); without a length it is of one address.
func toldAddress(s string) (netip.Prefix, bool) {
	s, _, _ = strings.Cut(strings.Trim(s, `"'`), ",")
	if p, err := netip.ParsePrefix(strings.TrimSpace(s)); err == nil {
		return p, true
	}
	a, err := netip.ParseAddr(strings.TrimSpace(s))
	if err != nil {
		return netip.Prefix{}, false
	}
	return netip.PrefixFrom(a, a.BitLen()), true
}

// onlyTold takes out the interfaces of which nothing but a file of a configuration tells, where the machine's own are known: they are not there.
func onlyTold(f *Facts) {
	if !slices.ContainsFunc(f.NICs, func(n Interface) bool { return n.MTU != 0 && n.Proofs["mtu"].Line != "" || n.Index != 0 }) {
		return
	}
	f.NICs = slices.DeleteFunc(f.NICs, func(n Interface) bool {
		return n.Told != nil && n.Asked == nil && n.Effect == nil && n.MTU == 0 && n.Index == 0 && n.MAC == "" && !n.Carrier.IsKnown() && !n.Speed.IsKnown() &&
			n.Counters == nil && n.Driven == nil && !n.Queues.IsKnown() && n.Bond == nil && len(n.Addresses) == 0 && n.PCI == "" && n.Wire.Supported == nil && n.Wire.Optic == nil
	})
	f.named = nil
}
