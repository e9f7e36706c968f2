package parse

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"path"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"

	"linerate/internal/base/lazyregexp"
	"linerate/internal/facts"
	"linerate/internal/facts/parse"
)

var (
	ifaceLine = lazyregexp.New(`^iface\s+(\S+)(?:\s+(inet6?)\s+(\w+))?`)
	ifaceSets = lazyregexp.New(`^(?:pre-up|up|post-up)\s.*?\b(?:ip\s+link\s+set\b.*|ifconfig\s.*)\bmtu\s+(\d+)`)
	ifaceWho  = lazyregexp.New(`\b(?:set\s+dev|set|dev|ifconfig)\s+"?(\$\{?IFACE\}?|[a-zA-Z][\w.@-]*)`)
)

// ReadInterfaces reads /etc/network/interfaces and the files next to it, of ifupdown and ifupdown2. Only interfaces
// that come up automatically (auto, allow-hotplug) in the same file count. Format: interfaces(5); no snapshot exists,
// only what package config renders.
//
//	auto eth0
//	iface eth0 inet static
//	    address 10.0.0.1/24
//	    mtu 9000
func ReadInterfaces(f *parse.Builder, _ []string, text []byte) error {
	auto := map[string]bool{}
	type stanza struct {
		name       string
		configured facts.Configured
		plain      netip.Addr // an address without its length
		proof      facts.Proof
	}
	var list []*stanza
	var now *stanza
	for line := range strings.Lines(strings.ReplaceAll(string(text), "\\\n", " ")) {
		line = strings.TrimSpace(line)
		words := strings.Fields(line)
		if len(words) == 0 || line[0] == '#' {
			continue
		}
		p := f.Proof(line)
		switch words[0] {
		case "auto", "allow-auto", "allow-hotplug":
			for _, w := range words[1:] {
				auto[w] = true
			}
			continue
		case "iface":
			now = nil
			if m := ifaceLine.FindStringSubmatch(line); m != nil {
				now = &stanza{name: m[1]}
				list = append(list, now)
			}
			continue
		case "mapping", "source", "source-directory", "no-auto-down", "no-scripts", "template", "rename":
			now = nil
			continue
		}
		if now == nil || len(words) < 2 {
			continue
		}
		switch words[0] {
		case "mtu":
			if n, err := strconv.Atoi(words[1]); err == nil {
				now.configured.SetMTU(n, p)
			}
		case "address":
			if a, err := netip.ParsePrefix(words[1]); err == nil {
				now.configured.AddAddress(a, p)
			} else if a, err := netip.ParseAddr(words[1]); err == nil {
				now.plain, now.proof = a, p
			}
		case "netmask":
			if bits, ok := maskBits(words[1]); ok && now.plain.IsValid() && bits <= now.plain.BitLen() {
				now.configured.AddAddress(netip.PrefixFrom(now.plain, bits), now.proof)
			}
		default:
			m := ifaceSets.FindStringSubmatch(line)
			who := ifaceWho.FindStringSubmatch(line)
			if m != nil && who != nil && (who[1][0] == '$' || who[1] == now.name) {
				if n, err := strconv.Atoi(m[1]); err == nil {
					now.configured.SetMTU(n, p)
				}
			}
		}
	}
	if len(list) == 0 && len(auto) == 0 && len(parse.WithoutComments(text)) > 0 &&
		!strings.Contains(string(text), "source") {
		return errors.New("no line of it is about an interface (auto, iface)")
	}
	for _, s := range list {
		if !auto[s.name] || strings.ContainsAny(s.name, "*?[/") {
			continue
		}
		keepFile(f, configuredFile{rank: f.Reading, names: []string{s.name}, kind: "interfaces", last: true, auto: true,
			asks: adds(s.configured)})
	}
	return nil
}

// adds returns a function that adds all settings to those of an interface.
func adds(t facts.Configured) func(_ *parse.Builder, to *facts.Configured) {
	return func(_ *parse.Builder, to *facts.Configured) {
		if t.MTU != 0 {
			to.SetMTU(t.MTU, t.Proofs["mtu"])
		}
		for _, a := range t.Addresses {
			to.AddAddress(a, t.Proofs["addresses"])
		}
	}
}

// maskBits reads "255.255.255.0", "24".
func maskBits(s string) (int, bool) {
	if n, err := strconv.Atoi(s); err == nil && n >= 0 {
		return n, true
	}
	a, err := netip.ParseAddr(s)
	if err != nil || !a.Is4() {
		return 0, false
	}
	b := a.As4()
	ones, bits := net.IPMask(b[:]).Size()
	return ones, bits == 32
}

// ReadNetplan reads a file of netplan: "network: ethernets: NAME: mtu, addresses, match". Files are read in the order
// of their names, and later ones take precedence. An interface that is matched only by its driver is ignored. Format:
// https://netplan.readthedocs.io/en/stable/netplan-yaml; no snapshot exists, only what package config renders.
func ReadNetplan(f *parse.Builder, _ []string, text []byte) error {
	var doc yaml.Node
	if len(text) > 1<<20 {
		return fmt.Errorf("it has %d bytes; a file of netplan has up to 1 MiB", len(text))
	}
	if err := yaml.Unmarshal(text, &doc); err != nil {
		return fmt.Errorf("it is not a YAML: %s", facts.OneLine(err.Error()))
	}
	lines := strings.Split(string(text), "\n")
	at := func(n *yaml.Node) facts.Proof {
		if n.Line > 0 && n.Line <= len(lines) {
			return f.Proof(lines[n.Line-1])
		}
		return f.Proof("")
	}
	network := yamlKey(yamlRoot(&doc), "network")
	if network == nil {
		return errors.New("it has no key network")
	}
	for _, kind := range []string{"ethernets", "bonds", "vlans", "bridges", "dummy-devices", "tunnels", "vrfs"} {
		list := yamlKey(network, kind)
		if list == nil || list.Kind != yaml.MappingNode {
			continue
		}
		for i := 0; i+1 < len(list.Content); i += 2 {
			name, of := list.Content[i].Value, list.Content[i+1]
			if of.Kind != yaml.MappingNode {
				continue
			}
			t := configuredFile{rank: path.Base(f.Reading), names: []string{name}, kind: "netplan", last: true, auto: true}
			if m := yamlKey(of, "match"); m != nil {
				t.names = nil
				if n := yamlKey(m, "name"); n != nil {
					t.names = []string{n.Value}
				}
				if n := yamlKey(m, "macaddress"); n != nil {
					if mac, err := net.ParseMAC(n.Value); err == nil {
						t.macs = []string{mac.String()}
					}
				}
				if n := yamlKey(of, "set-name"); n != nil && t.macs == nil {
					t.names = []string{n.Value}
				}
				if yamlKey(m, "driver") != nil || t.names == nil && t.macs == nil {
					continue
				}
			}
			var configured facts.Configured
			if n := yamlKey(of, "mtu"); n != nil {
				if v, err := strconv.Atoi(n.Value); err == nil {
					configured.SetMTU(v, at(n))
				}
			}
			if n := yamlKey(of, "addresses"); n != nil && n.Kind == yaml.SequenceNode {
				for _, a := range n.Content {
					if a.Kind == yaml.MappingNode && len(a.Content) > 0 { // with its own settings: "10.0.0.1/24": {label: ..}
						a = a.Content[0]
					}
					if p, ok := configuredAddress(a.Value); ok {
						configured.AddAddress(p, at(a))
					}
				}
			}
			t.asks = adds(configured)
			keepFile(f, t)
		}
	}
	return nil
}

func yamlRoot(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.DocumentNode && len(n.Content) > 0 {
		return n.Content[0]
	}
	return n
}

// yamlKey returns the value of a key; nil: there is none.
func yamlKey(n *yaml.Node, key string) *yaml.Node {
	if n == nil || n.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return n.Content[i+1]
		}
	}
	return nil
}
