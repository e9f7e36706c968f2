package parse

import (
	"net/netip"
	"path"
	"slices"
	"strings"

	"linerate/internal/facts"
	"linerate/internal/facts/parse"
)

// FileSources are files of Linux' network managers and kernel settings: the configured state, not the running one. The
// star stands for the file's name.
func FileSources() []parse.Source {
	const ifupdown = `(?m)^(?:allow-hotplug|auto|iface) \S+`
	return []parse.Source{
		parse.Source{Name: "etc/network/interfaces", Read: ReadInterfaces}.On("linux").KeptAs("interfaces", ifupdown),
		parse.Source{Name: "etc/network/interfaces.d/*",
			Read: ReadInterfaces}.On("linux").OfFiles(`(?m)^iface \S+ inet6? \w+`, ""),
		parse.Source{Name: "etc/netplan/*", Read: ReadNetplan}.On("linux").
			OfFiles(`(?m)^network:\s*(?:#.*)?\n(?:[ \t].*\n|#.*\n)*? +(?:ethernets|bonds|vlans|bridges):`, ""),
		parse.Source{
			Name: "etc/systemd/network/*",
			Read: ReadNetworkd,
		}.On("linux").OfFiles(`(?ms)^\[(?:Match|NetDev)\]\s*$.*^(?:Name|MACAddress|PermanentMACAddress|OriginalName|Kind|Driver|Path)\s*=`, ""),
		parse.Source{Name: "etc/NetworkManager/system-connections/*",
			Read: ReadKeyfile}.On("linux").OfFiles(`(?ms)^\[connection\]\s*$.*^type=`, ""),
		parse.Source{Name: "etc/sysctl.conf", Read: parse.ReadSysctlFile}.On("linux").KeptAs("sysctl conf",
			linuxSetting).Ending("sysctl.conf"),
		parse.Source{Name: "etc/sysctl.d/*", Read: parse.ReadSysctlFile}.On("linux").OfFiles(linuxSetting, ".conf"),
	}
}

// linuxSetting matches a line of a settings file. The output of sysctl looks the same, so the file's name decides.
const linuxSetting = `(?m)^[ \t]*-?(?:net[./](?:ipv4|ipv6|core|netfilter|bridge)|vm|fs|kernel)[./][\w./*-]+[ \t]*=`

// configuredFile has the settings of a file for interfaces that it names by a pattern or an address. They are known
// after all sources were read.
type configuredFile struct {
	// of several files about one interface the first one in this order counts
	rank  string
	names []string                                    // patterns of names; nil: any
	macs  []string                                    // nil: any
	asks  func(f *parse.Builder, t *facts.Configured) // adds the file's settings
	// "link", "network", "keyfile", ..: files of different kinds are combined
	kind     string
	last     bool // the last of several files counts, setting by setting
	auto     bool // it is in effect without an explicit start
	narrowed bool // by criteria that are not evaluated
}

// SettleConfigured gives interfaces the settings of files. Of networkd's files the first that matches an interface
// counts. Of netplan's and ifupdown's all do, and later ones take precedence. Of NetworkManager's the active one of
// several is unknown, so none counts.
func SettleConfigured(f *parse.Builder) {
	files := *parse.StateOf[configuredFiles](f)
	slices.SortStableFunc(files, func(a, b configuredFile) int { return strings.Compare(a.rank, b.rank) })
	for _, t := range files { // interfaces that only a file names
		for _, name := range t.names {
			if t.macs == nil && !strings.ContainsAny(name, "*?[!") {
				f.Interface(name)
			}
		}
	}
	for i := range f.NICs {
		n := &f.NICs[i]
		taken := map[string]int{}
		for _, t := range files {
			if t.of(n) {
				taken[t.kind]++
			}
		}
		seen := map[string]bool{}
		for _, t := range files {
			if !t.of(n) || seen[t.kind] && !t.last || t.kind == "keyfile" && taken[t.kind] > 1 {
				continue
			}
			seen[t.kind] = true
			if n.Configured == nil {
				n.Configured = new(facts.Configured)
			}
			t.asks(f, n.Configured)
		}
	}
	*parse.StateOf[configuredFiles](f) = nil
	onlyConfigured(f)
}

// of reports whether the file applies to the interface.
func (t *configuredFile) of(n *facts.Interface) bool {
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

// iniLines reads the format of systemd's units and NetworkManager's keyfiles.
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

// configuredAddress reads "10.0.0.1/24", also with NetworkManager's gateway after it; without a length it is a single
// address.
func configuredAddress(s string) (netip.Prefix, bool) {
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

// onlyConfigured removes interfaces that are only in configuration files if the machine's interfaces are known, because
// they do not exist.
func onlyConfigured(f *parse.Builder) {
	if !slices.ContainsFunc(f.NICs, func(n facts.Interface) bool {
		return n.MTU != 0 && n.Proofs["mtu"].Line != "" ||
			n.Index != 0
	}) {
		return
	}
	f.Forget(func(n facts.Interface) bool {
		return n.Configured != nil && n.Asked == nil && n.Effect == nil && n.MTU == 0 && n.Index == 0 && n.MAC == "" &&
			!n.Carrier.IsKnown() && !n.Speed.IsKnown() &&
			n.Counters == nil && n.Driven == nil && !n.Queues.IsKnown() && n.Bond == nil && len(n.Addresses) == 0 &&
			n.PCI == "" && n.Wire.Supported == nil && n.Wire.Optic == nil
	})
}

// configuredFiles are the files that were read.
type configuredFiles []configuredFile

func keepFile(f *parse.Builder, t configuredFile) {
	files := parse.StateOf[configuredFiles](f)
	*files = append(*files, t)
}
