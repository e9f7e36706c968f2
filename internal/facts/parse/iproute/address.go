package iproute

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"linerate/internal/facts/parse"
)

// Addresses is an interface's addresses as "ip -j address" prints them.
type Addresses struct {
	Name      string    `json:"ifname"`
	Addresses []Address `json:"addr_info"`
}

type Address struct {
	Family string `json:"family"`
	Local  string `json:"local"`
	Peer   string `json:"address,omitempty"`
	Prefix int    `json:"prefixlen"`
	Scope  string `json:"scope,omitempty"`
}

// readIPAddress reads "ip address": its JSON (-j), or its text, which has the interfaces in the form of "ip link" and
// below each
//
//	inet 192.168.94.134/24 brd 192.168.94.255 scope global dynamic noprefixroute ens37
//
// It ignores secondary addresses of a subnet: they are not a second path to it.
func readIPAddress(f *parse.Builder, args []string, text []byte) error {
	if strings.HasPrefix(strings.TrimSpace(string(text)), "[") {
		byName, err := parseIPAddress(text)
		var part parse.Partial
		if err == nil || errors.As(err, &part) {
			putIPAddress(f, args, byName)
		}
		return err
	}
	links, err := parseIPLinkText(text)
	if err != nil {
		return err
	}
	putIPLink(f, args, links)
	byName, lines, name := map[string][]netip.Prefix{}, map[string]string{}, ""
	for line := range strings.Lines(strings.ReplaceAll(string(text), "\\ ", "\n ")) {
		if m := ipHead.FindStringSubmatch(strings.TrimRight(line, "\r\n")); m != nil {
			name = m[1]
			byName[name] = []netip.Prefix{}
			continue
		}
		words := strings.Fields(line)
		if len(words) < 2 || words[0] != "inet" && words[0] != "inet6" || name == "" || slices.Contains(words, "secondary") {
			continue
		}
		prefix, err := netip.ParsePrefix(words[1])
		if addr, err2 := netip.ParseAddr(words[1]); err != nil &&
			err2 == nil { // of a point-to-point link: "inet 10.0.0.1 peer 10.0.0.2/32"
			prefix, err = netip.PrefixFrom(addr, addr.BitLen()), nil
		}
		if err != nil {
			continue
		}
		if lines[name] == "" || words[0] == "inet" && !strings.Contains(lines[name], "inet ") {
			lines[name] = line
		}
		byName[name] = append(byName[name], prefix)
	}
	putIPAddress(f, args, byName)
	for name, line := range lines {
		f.Interface(name).Proves("addresses", f.Proof(line))
	}
	return nil
}

// parseIPAddress reads the JSON of "ip -j address".
// Format: https://man7.org/linux/man-pages/man8/ip-address.8.html, iproute2's ip/ipaddress.c.
func parseIPAddress(text []byte) (map[string][]netip.Prefix, error) {
	var links []Addresses
	if err := parse.ParseJSON(text, &links); err != nil {
		return nil, err
	}
	byName := map[string][]netip.Prefix{}
	var damage error
	for _, l := range links {
		for _, a := range l.Addresses {
			addr, err := netip.ParseAddr(a.Local)
			prefix := netip.PrefixFrom(addr, a.Prefix)
			if err != nil || !prefix.IsValid() {
				damage = parse.Partial{Err: fmt.Errorf("%.20s: %.60q is not an "+
					"address", l.Name, fmt.Sprint(a.Local, "/", a.Prefix))}
				continue
			}
			byName[l.Name] = append(byName[l.Name], prefix)
		}
	}
	return byName, damage
}

func putIPAddress(f *parse.Builder, _ []string, byName map[string][]netip.Prefix) {
	for name, addresses := range byName {
		if name != "" {
			f.Interface(name).Addresses = addresses
		}
	}
}
