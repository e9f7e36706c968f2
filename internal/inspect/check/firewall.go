package check

import (
	"fmt"
	"net/netip"
	"strings"

	linux "linerate/internal/device/linux/parse"
	"linerate/internal/facts"
)

// Allow returns the commands that let everything between the addresses of a subnet through, and its undo. What a
// program of its own manages is changed by that program, so that it lasts.
func Allow(f facts.Firewall, by linux.Fate, subnet netip.Prefix) (fix, undo string) {
	field, out := "saddr", by.Hook == "output" || by.Hook == "postrouting"
	family := "ip"
	if subnet.Addr().Is6() {
		family = "ip6"
	}
	if out {
		field = "daddr"
	}
	switch {
	case by.Table == "inet firewalld" && !out:
		return "firewall-cmd --zone=trusted --add-source=" + subnet.String(), "firewall-cmd --zone=trusted " +
			"--remove-source=" + subnet.String()
	case managedByUFW(f, by.Table) && !out:
		return "ufw allow from " + subnet.String(), "ufw delete allow from " + subnet.String()
	case strings.HasPrefix(by.Rule, "-A "):
		program, option := map[string]string{"ip": "iptables", "ip6": "ip6tables"}[family], "-s"
		if out {
			option = "-d"
		}
		rule := fmt.Sprintf(" %s %s %s -j ACCEPT", by.Chain, option, subnet)
		return program + " -I" + rule, program + " -D" + rule
	}
	chain := by.Table + " " + by.Chain
	return fmt.Sprintf("nft insert rule %s %s %s %s accept", chain, family, field, subnet),
		fmt.Sprintf("nft -a list chain %[1]s\nthat shows the rule with its handle, a number, behind it; delete it by "+
			"that:\nnft delete rule %[1]s handle N", chain)
}

func managedByUFW(f facts.Firewall, table string) bool {
	for _, c := range f.Chains {
		if c.Table == table && strings.HasPrefix(c.Chain, "ufw-") {
			return true
		}
	}
	return false
}
