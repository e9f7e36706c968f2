package render

import (
	"fmt"
	"strings"

	"linerate/internal/device/config"
)

const interfacesDoc = config.Source("interfaces(5)")

func (c *context) word(s string) string {
	if strings.HasPrefix(s, "@") {
		return s // install.sh inserts and checks a name
	}
	out, err := interfacesWord(s)
	if err != nil {
		c.fail(err)
	}
	return out
}

func (c *context) ifupdown1() []config.File { return c.ifupdown(false) }

func (c *context) ifupdown2() []config.File {
	c.untried("the files of Proxmox VE's network page: it shows /etc/network/interfaces, not the files in " +
		"interfaces.d; an interface that is in both has what both say")
	return c.ifupdown(true)
}

// ifupdown writes one file next to /etc/network/interfaces. Its name has no dot, because source-directory skips names
// with one.
func (c *context) ifupdown(two bool) []config.File {
	f := c.file("/etc/network/interfaces.d/linerate")
	for _, i := range c.interfaces() {
		name := c.word(i.name)
		f.Form("")
		f.Add(interfacesDoc, i.why, "auto "+name)
		if len(i.addresses) == 0 {
			f.Add(interfacesDoc, i.why, fmt.Sprintf("iface %s inet manual", name))
			c.ifaceOptions(&f, i, two)
			continue
		}
		for n, a := range i.addresses {
			family := map[bool]string{true: "inet", false: "inet6"}[a.Addr().Is4()]
			f.Add(interfacesDoc, i.why, fmt.Sprintf("iface %s %s static", name, family))
			f.Add(interfacesDoc, i.addressed[a], "\taddress "+a.String())
			if n == 0 {
				c.ifaceOptions(&f, i, two)
			}
		}
	}
	return []config.File{f}
}

// ifaceOptions returns the lines of the first paragraph of an interface. Debian's ifupdown needs further packages for
// bonds and VLANs, so commands create them; ifupdown2 supports them.
func (c *context) ifaceOptions(f *config.File, i *iface, two bool) {
	add := func(source config.Source, format string, args ...any) {
		f.Add(source, i.why, "\t"+fmt.Sprintf(format, args...))
	}
	name := c.word(i.name)
	switch {
	case i.kind == "bond" && two:
		add("ifupdown2", "bond-slaves %s", strings.Join(i.members, " "))
		add("ifupdown2", "bond-mode %s", i.mode)
		add("ifupdown2", "bond-miimon %d", miimon)
		if i.hash != "" {
			f.Add("ifupdown2", hashWhy, "\tbond-xmit-hash-policy "+i.hash)
		}
		if i.primary != "" {
			f.Add("ifupdown2", preferWhy, "\tbond-primary "+c.word(i.primary))
		}
	case i.kind == "bond":
		hash := ""
		if i.hash != "" {
			hash = " xmit_hash_policy " + i.hash
		}
		add(interfacesDoc, "pre-up ip link show dev %s >/dev/null 2>&1 || ip link add name %s type bond mode %s "+
			"miimon %d%s", name, name, i.mode, miimon, hash)
		for _, m := range i.members {
			add(interfacesDoc, "pre-up ip link set dev %s down && ip link set dev %s master %s && ip link set dev %s up",
				c.word(m), c.word(m), name, c.word(m))
		}
		if i.primary != "" {
			f.Add(interfacesDoc, preferWhy, fmt.Sprintf("\tpre-up ip link set dev %s type bond primary %s", name,
				c.word(i.primary)))
		}
		add(interfacesDoc, "post-down ip link del dev %s", name)
	case i.kind == "vlan" && two:
		add("ifupdown2", "vlan-raw-device %s", i.parent)
		add("ifupdown2", "vlan-id %d", i.vlan)
	case i.kind == "vlan":
		add(interfacesDoc, "pre-up ip link show dev %s >/dev/null 2>&1 || ip link add link %s name %s type vlan id %d",
			name, c.word(i.parent), name, i.vlan)
		add(interfacesDoc, "post-down ip link del dev %s", name)
	}
	if i.mtu > 0 {
		add(interfacesDoc, "mtu %d", i.mtu)
	}
	for _, r := range i.routes {
		to, via := routeWords(r)
		f.Add(interfacesDoc, r.Why, fmt.Sprintf("\tup ip route replace %s%s dev %s", to, via, name))
	}
}
