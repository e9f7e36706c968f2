package facts

import (
	"fmt"
	"net/netip"
)

// ipAddresses is an interface's addresses as "ip -j address" prints them.
type ipAddresses struct {
	Name      string      `json:"ifname"`
	Addresses []ipAddress `json:"addr_info"`
}

type ipAddress struct {
	Family string `json:"family"`
	Local  string `json:"local"`
	Peer   string `json:"address,omitempty"`
	Prefix int    `json:"prefixlen"`
	Scope  string `json:"scope,omitempty"`
}

// parseIPAddress reads the JSON of "ip -j address".
// Format: https://man7.org/linux/man-pages/man8/ip-address.8.html, iproute2's ip/ipaddress.c.
func parseIPAddress(text []byte) (map[string][]netip.Prefix, error) {
	var links []ipAddresses
	if err := parseJSON(text, &links); err != nil {
		return nil, err
	}
	byName := map[string][]netip.Prefix{}
	var damage error
	for _, l := range links {
		for _, a := range l.Addresses {
			addr, err := netip.ParseAddr(a.Local)
			prefix := netip.PrefixFrom(addr, a.Prefix)
			if err != nil || !prefix.IsValid() {
				damage = partial{fmt.Errorf("%.20s: %.60q is no address", l.Name, fmt.Sprint(a.Local, "/", a.Prefix))}
				continue
			}
			byName[l.Name] = append(byName[l.Name], prefix)
		}
	}
	return byName, damage
}

func putIPAddress(f *Facts, _ []string, byName map[string][]netip.Prefix) {
	for name, addresses := range byName {
		if name != "" {
			f.nic(name).Addresses = addresses
		}
	}
}
