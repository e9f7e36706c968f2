package render

import (
	"fmt"

	"linerate/internal/device/config"
)

const networkdDoc = config.Source("systemd.network(5)")

// networkd writes a .network for every interface, and a .netdev for those that it creates.
func (c *context) networkd() []config.File {
	var out []config.File
	for _, i := range c.interfaces() {
		base := "/etc/systemd/network/10-linerate-" + i.file
		if i.kind == "bond" || i.kind == "vlan" {
			out = append(out, c.netdev(base+".netdev", i))
		}
		f := c.file(base + ".network")
		add := func(format string, args ...any) { f.Add(networkdDoc, i.why, fmt.Sprintf(format, args...)) }
		f.Form("[Match]")
		add("Name=%s", i.name)
		f.Form("", "[Link]")
		if i.mtu > 0 {
			add("MTUBytes=%d", i.mtu)
		}
		f.Add(networkdDoc, "a cable that is out does not hold up the boot", "RequiredForOnline=no")
		f.Form("", "[Network]")
		for _, a := range i.addresses {
			f.Add(networkdDoc, i.addressed[a], "Address="+a.String())
		}
		if i.master != "" {
			add("Bond=%s", i.master)
			if i.preferred {
				f.Add(networkdDoc, preferWhy, "PrimarySlave=yes")
			}
		}
		for _, v := range i.tagged {
			add("VLAN=%s", v)
		}
		for _, r := range i.routes {
			f.Form("", "[Route]")
			to, _ := routeWords(r)
			if to == "default" {
				to = "0.0.0.0/0"
			}
			f.Add(networkdDoc, r.Why, "Destination="+to)
			if r.Address.IsValid() {
				f.Add(networkdDoc, r.Why, "Gateway="+r.Address.String())
			} else {
				f.Add(networkdDoc, r.Why, "Scope=link")
			}
		}
		out = append(out, f)
	}
	return out
}

func (c *context) netdev(path string, i *iface) config.File {
	f := c.file(path)
	add := func(format string, args ...any) { f.Add("systemd.netdev(5)", i.why, fmt.Sprintf(format, args...)) }
	f.Form("[NetDev]")
	add("Name=%s", i.name)
	add("Kind=%s", i.kind)
	if i.kind == "bond" {
		f.Form("", "[Bond]")
		add("Mode=%s", i.mode)
		add("MIIMonitorSec=%dms", miimon)
		if i.hash != "" {
			f.Add(networkdDoc, hashWhy, "TransmitHashPolicy="+i.hash)
		}
		return f
	}
	f.Form("", "[VLAN]")
	add("Id=%d", i.vlan)
	return f
}
