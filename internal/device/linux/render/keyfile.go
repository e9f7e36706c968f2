package render

import (
	"crypto/sha1"
	"fmt"
	"net/netip"
	"slices"

	"linerate/internal/design/plan"
	"linerate/internal/device/config"
)

const keyfileDoc = config.Source("nm-settings-keyfile(5)")

func (c *context) keyfileText(s string) string {
	out, err := keyfileValue(s)
	if err != nil {
		c.fail(err)
	}
	return out
}

// keyfiles writes one connection of NetworkManager for every interface.
func (c *context) keyfiles() []config.File {
	var out []config.File
	for _, i := range c.interfaces() {
		f := c.file("/etc/NetworkManager/system-connections/linerate-" + i.file + ".nmconnection")
		add := func(format string, args ...any) { f.Add(keyfileDoc, i.why, fmt.Sprintf(format, args...)) }
		f.Form("[connection]")
		add("id=%s", c.keyfileText("linerate-"+i.file))
		add("uuid=%s", c.uuid(i.file))
		add("type=%s", i.kind)
		add("interface-name=%s", c.keyfileText(i.name))
		if i.master != "" {
			add("master=%s", c.keyfileText(i.master))
			add("slave-type=bond")
		}
		section, mtu := "ethernet", i.mtu
		switch i.kind {
		case "infiniband":
			section = "infiniband"
		case "bond":
			f.Form("", "[bond]")
			add("mode=%s", i.mode)
			add("miimon=%d", miimon)
			if i.hash != "" {
				f.Add(keyfileDoc, hashWhy, "xmit_hash_policy="+i.hash)
			}
			if i.primary != "" {
				f.Add(keyfileDoc, preferWhy, "primary="+c.keyfileText(i.primary))
			}
		case "vlan":
			f.Form("", "[vlan]")
			add("id=%d", i.vlan)
			add("parent=%s", c.keyfileText(i.parent))
		}
		if mtu > 0 {
			f.Form("", "["+section+"]")
			add("mtu=%d", mtu)
			if section == "infiniband" {
				add("transport-mode=datagram")
			}
		}
		if i.master == "" {
			c.keyfileAddresses(&f, i, "ipv4", true)
			c.keyfileAddresses(&f, i, "ipv6", false)
		}
		out = append(out, f)
	}
	return out
}

func (c *context) keyfileAddresses(f *config.File, i *iface, section string, v4 bool) {
	list := slices.DeleteFunc(slices.Clone(i.addresses), func(a netip.Prefix) bool { return a.Addr().Is4() != v4 })
	add := func(format string, args ...any) { f.Add(keyfileDoc, i.why, fmt.Sprintf(format, args...)) }
	f.Form("", "["+section+"]")
	switch {
	case len(list) > 0:
		add("method=manual")
	case v4:
		add("method=disabled")
	default:
		add("method=link-local")
	}
	for n, a := range list {
		f.Add(keyfileDoc, i.addressed[a], fmt.Sprintf("address%d=%s", n+1, a))
	}
	n := 0
	defaultRoute := false
	for _, r := range i.routes {
		if r.Prefix.Addr().Is4() != v4 {
			continue
		}
		n++
		to, via := routeOf(r)
		f.Add(keyfileDoc, r.Why, fmt.Sprintf("route%d=%s%s", n, to, via))
		defaultRoute = defaultRoute || r.Prefix.Bits() == 0
	}
	if !defaultRoute {
		f.Add(keyfileDoc, i.why+": the default route stays where it is", "never-default=true")
	}
}

func routeOf(s plan.Setting) (to, via string) {
	to = s.Prefix.Masked().String()
	if s.Address.IsValid() {
		via = "," + s.Address.String()
	}
	return to, via
}

// uuid returns an id of an interface that is the same in each rendering (RFC 9562, version 5).
func (c *context) uuid(name string) string {
	b := sha1.Sum([]byte("linerate " + c.plan.Name + " " + c.host.Name + " " + name))
	b[6], b[8] = b[6]&0x0f|0x50, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[0:4], b[4:6], b[6:8], b[8:10], b[10:16])
}
