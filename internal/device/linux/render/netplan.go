package render

import (
	"fmt"
	"strings"

	"linerate/internal/base/xslices"
	"linerate/internal/device/config"
)

// yaml quotes for netplan.
func (c *context) yaml(s string) string {
	out, err := yamlString(s)
	if err != nil {
		c.fail(err)
	}
	return out
}

// netplan writes one file. The host chooses between networkd and NetworkManager.
func (c *context) netplan() []config.File {
	f := c.file("/etc/netplan/90-linerate.yaml")
	f.Form("network:", "  version: 2")
	section := ""
	for _, i := range c.interfaces() {
		if i.kind == "infiniband" {
			continue // its reference does not mention InfiniBand; the plan reports that
		}
		if s := map[string]string{"ethernet": "ethernets", "bond": "bonds", "vlan": "vlans"}[i.kind]; s != section {
			section = s
			f.Form("  " + s + ":")
		}
		add := func(format string, args ...any) { f.Add("netplan(5)", i.why, fmt.Sprintf(format, args...)) }
		add("    %s:", c.yaml(i.name))
		f.Add("netplan(5)", "a cable that is out does not hold up the boot", "      optional: true")
		if i.mtu > 0 {
			add("      mtu: %d", i.mtu)
		}
		if i.kind == "bond" {
			members := xslices.Map(i.members, c.yaml)
			add("      interfaces: [%s]", strings.Join(members, ", "))
			if i.primary != "" {
				f.Add("netplan(5)", preferWhy, fmt.Sprintf("      parameters: {mode: %s, mii-monitor-interval: %d, primary: %s}",
					c.yaml(i.mode), miimon, c.yaml(i.primary)))
			} else {
				f.Add("netplan(5)", hashWhy, fmt.Sprintf("      parameters: {mode: %s, mii-monitor-interval: %d, "+
					"transmit-hash-policy: %s}", c.yaml(i.mode), miimon, c.yaml(i.hash)))
			}
		}
		if i.kind == "vlan" {
			add("      id: %d", i.vlan)
			add("      link: %s", c.yaml(i.parent))
		}
		if len(i.addresses) > 0 {
			var list []string
			for _, a := range i.addresses {
				list = append(list, c.yaml(a.String()))
			}
			f.Add("netplan(5)", i.addressed[i.addresses[0]], fmt.Sprintf("      addresses: [%s]", strings.Join(list, ", ")))
		}
		if len(i.routes) > 0 {
			f.Form("      routes:")
		}
		for _, r := range i.routes {
			to, _ := routeWords(r)
			if r.Address.IsValid() {
				f.Add("netplan(5)", r.Why, fmt.Sprintf("        - {to: %s, via: %s}", c.yaml(to), c.yaml(r.Address.String())))
			} else {
				f.Add("netplan(5)", r.Why, fmt.Sprintf("        - {to: %s, scope: link}", c.yaml(to)))
			}
		}
	}
	return []config.File{f}
}
