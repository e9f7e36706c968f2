package read

import (
	"testing"
)

func TestCanonical(t *testing.T) {
	for name, want := range map[string]string{"/proc/stat": "proc/stat", "cat /proc/net/snmp": "proc/net/snmp",
		"ip -j -d -s -s link": "ip link", "sudo /sbin/ip -s -d link show dev e0": "ip link", "ip -j addr": "ip address",
		"ip a": "ip address", "ip -6 r": "ip route", "ip route show table main": "ip route",
		"ip route show table all": "ip route show table all", "ip route get 10.0.0.1": "ip route get 10.0.0.1",
		"ip route show dev e0": "ip route e0", "ip ru": "ip rule", "tc -s -d qdisc show": "tc qdisc", "tc -s q": "tc qdisc",
		"tc -s qdisc show dev e0": "tc qdisc e0", "tc -s class show dev e0": "tc class e0",
		"ethtool --show-features e0": "ethtool -k e0", "ethtool e0": "ethtool e0", "ss -tinm": "ss", "sysctl -a": "sysctl",
		"": "", "ip": "ip"} {
		if got := canonical(name); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}
